"""Stereotype probes: does a group of people have an occupation or interest far too often?

For a group x (all women, all people of one country) and a value y (an occupation, an
interest), over the n people with both attributes known:

- lift: p(x, y) / (p(x) p(y)), how many times more often than by chance;
- NPMI: ln lift / -ln p(x, y), in [-1, 1]; 0 by chance, 1 when x and y only come together
  (Bouma 2009);
- chance: the probability of so many people or more if y were spread by chance (Poisson),
  times the number of pairs that were tested (Bonferroni).

A pair is flagged when the group, the value and the pair have enough people and NPMI and
chance pass their limits. A flag is a place to look, not a verdict: people of Ghana who
are fond of kente are what the benchmark asks for (V14); women who are all nurses are not.
"""

from __future__ import annotations

from collections import Counter
from typing import Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from eyeprint.config import Settings
from eyeprint.people.audit_numbers import same_name
from eyeprint.people.audit_tables import NO_GENDER
from eyeprint.records.people import Persona

GroupKind = Literal["gender", "country"]
ValueKind = Literal["occupation", "interest"]
PROBES: tuple[tuple[GroupKind, ValueKind], ...] = (
    ("gender", "occupation"),
    ("gender", "interest"),
    ("country", "occupation"),
    ("country", "interest"),
)


class ProbeSettings(Settings):
    """When an association is told of."""

    least_group: int = Field(default=20, ge=1)
    """Groups with fewer people are not probed."""
    least_value: int = Field(default=5, ge=1)
    """Occupations and interests of fewer people are not probed."""
    least_pair: int = Field(default=5, ge=1)
    """People who must have both before a pair is flagged."""
    npmi: float = Field(default=0.2, ge=0, le=1)
    """Pairs below it are not flagged."""
    chance: float = Field(default=0.01, gt=0, le=1)
    """Corrected probability above which a pair is not flagged."""
    top_share: float = Field(default=0.25, gt=0, le=1)
    """A group whose most frequent value has at least this share is flagged."""


class Association(BaseModel):
    """A group and a value that come together more often than by chance."""

    model_config = ConfigDict(frozen=True)

    group: str
    value: str
    both: int
    """People of the group who have the value."""
    in_group: int
    with_value: int
    lift: float
    npmi: float
    chance: float
    """Corrected probability, at most 1."""


class TopShare(BaseModel):
    """The most frequent value of one group."""

    model_config = ConfigDict(frozen=True)

    group: str
    value: str
    both: int
    in_group: int
    share: float
    flagged: bool


class Probe(BaseModel):
    """One pair of attributes: what was flagged, and each group's most frequent value."""

    model_config = ConfigDict(frozen=True)

    group_kind: GroupKind
    value_kind: ValueKind
    people: int
    """People with both attributes known."""
    groups_probed: int
    groups_too_small: int
    pairs_tested: int
    flagged: tuple[Association, ...]
    """Highest NPMI first."""
    top: tuple[TopShare, ...]
    """Per probed group, largest share first."""


class ProbeCounts:
    """Counts groups, values and pairs of them, person by person."""

    def __init__(self) -> None:
        self._people: Counter[tuple[GroupKind, ValueKind]] = Counter()
        self._groups: dict[tuple[GroupKind, ValueKind], Counter[str]] = {}
        self._values: dict[tuple[GroupKind, ValueKind], Counter[str]] = {}
        self._pairs: dict[tuple[GroupKind, ValueKind], Counter[tuple[str, str]]] = {}
        for probe in PROBES:
            self._groups[probe], self._values[probe] = Counter(), Counter()
            self._pairs[probe] = Counter()

    def add(self, person: Persona) -> None:
        """Count one person; unknown attributes take no part."""
        who = person.demographics
        gender = same_name(who.gender)
        groups = {
            "gender": "" if gender in NO_GENDER else gender,
            "country": " ".join((who.country or "").split()),
        }
        occupation = same_name(who.occupation)
        values = {
            "occupation": [occupation] if occupation else [],
            "interest": list(dict.fromkeys(filter(None, map(same_name, who.interests)))),
        }
        for probe in PROBES:
            group, held = groups[probe[0]], values[probe[1]]
            if not group or not held:
                continue
            self._people[probe] += 1
            self._groups[probe][group] += 1
            self._values[probe].update(held)
            self._pairs[probe].update((group, value) for value in held)

    def probes(self, settings: ProbeSettings | None = None) -> tuple[Probe, ...]:
        """Return the four probes over everybody counted."""
        limits = settings or ProbeSettings()
        return tuple(self._probe(*probe, limits) for probe in PROBES)

    def _probe(self, group_kind: GroupKind, value_kind: ValueKind, limits: ProbeSettings) -> Probe:
        key = (group_kind, value_kind)
        n, groups, values = self._people[key], self._groups[key], self._values[key]
        large = {group for group, count in groups.items() if count >= limits.least_group}
        common = {value for value, count in values.items() if count >= limits.least_value}
        # Pairs that nobody has are tests too: they could have come out.
        tested = len(large) * len(common) if len(groups) > 1 else 0
        flagged = []
        best: dict[str, tuple[int, str]] = {}
        for (group, value), both in self._pairs[key].items():
            if group not in large:
                continue
            best[group] = min(best.get(group, (0, "")), (-both, value))
            if not tested or value not in common or both < limits.least_pair:
                continue
            found = associate(group, value, both, groups[group], values[value], n, tested)
            if found.npmi >= limits.npmi and found.chance <= limits.chance:
                flagged.append(found)
        top = [
            TopShare(
                group=group,
                value=value,
                both=-less,
                in_group=groups[group],
                share=-less / groups[group],
                flagged=-less / groups[group] >= limits.top_share and -less >= limits.least_pair,
            )
            for group, (less, value) in best.items()
        ]
        return Probe(
            group_kind=group_kind,
            value_kind=value_kind,
            people=n,
            groups_probed=len(large),
            groups_too_small=len(groups) - len(large),
            pairs_tested=tested,
            flagged=tuple(sorted(flagged, key=lambda a: (-a.npmi, a.group, a.value))),
            top=tuple(sorted(top, key=lambda t: (-t.share, t.group))),
        )


def associate(
    group: str, value: str, both: int, in_group: int, with_value: int, n: int, tested: int = 1
) -> Association:
    """Return lift, NPMI and corrected chance of one pair; see the module's text.

    Args:
        group, value: what comes together.
        both: people who have both, at least 1.
        in_group: people of the group.
        with_value: people with the value.
        n: all people.
        tested: how many pairs were tested.

    >>> pair = associate("woman", "nurse", 20, 50, 20, 100)
    >>> round(pair.lift, 2), round(pair.npmi, 2)
    (2.0, 0.43)
    """
    from scipy.stats import poisson

    expected = in_group * with_value / n
    lift = both / expected
    surprise = -np.log(both / n)
    npmi = float(np.log(lift) / surprise) if surprise > 0 else 0.0
    chance = float(poisson.sf(both - 1, expected)) * tested
    return Association(
        group=group,
        value=value,
        both=both,
        in_group=in_group,
        with_value=with_value,
        lift=lift,
        npmi=npmi,
        chance=min(1.0, chance),
    )
