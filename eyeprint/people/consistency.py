"""Rules that answers must not break: hard ones reject, soft ones cost a point (P28–P30).

The rules stand in ``people/data/consistency.toml``, each with an id, a kind, a class, a
reason and a predicate. Harmonisations there change a rule's kind where other answers call
for it. The paper gives examples of rules only; those beyond its examples are ours.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from eyeprint.config import Settings, fingerprint_of
from eyeprint.errors import DataError, shown
from eyeprint.people.predicates import Codes, Flags, Predicate, parse_predicate
from eyeprint.people.questions import Questionnaire, questionnaire
from eyeprint.people.tables import read_table
from eyeprint.records.profiles import Answer

TABLE = "consistency.toml"
Kind = Literal["hard", "soft"]
FULL_SCORE = 100
"""Points that a candidate starts with; each soft conflict costs one (J.3, P27)."""
_RULE_KEYS = {"id", "kind", "kind_in_context", "class", "conflict", "reason"}
_CHANGE_KEYS = {"id", "rule", "when", "to", "reason"}


class ConsistencySettings(Settings):
    """Readings of the paper's rules."""

    rules: str = ""
    """A TOML file of your own in the form of the shipped table; "" is the shipped one."""
    harmonise: bool = True
    """Whether other answers may change a rule's kind (P30)."""
    stimulation_security: Literal["listed", "contextual"] = "listed"
    """The pair is listed as a hard conflict, and also said to be upgraded when Q15 <= 2, which
    then changes nothing. "contextual" is the other reading: soft, but hard when Q15 <= 2."""


@dataclass(frozen=True)
class Rule:
    """One rule: the conflict that it finds, and how grave that is."""

    id: str
    kind: Kind
    group: str
    """A mind, B values, C looks and life, D use of AI images."""
    reason: str
    source: str
    """The predicate as it was written; it holds when the rule is broken."""
    conflict: Predicate
    changes: tuple[tuple[Predicate, Kind], ...] = ()
    """Harmonisations: the first whose predicate holds says what kind the conflict is."""


@dataclass(frozen=True)
class Conflict:
    """A rule that a profile breaks, and the kind that it is there."""

    rule: Rule
    kind: Kind


@dataclass(frozen=True)
class ConflictFlags:
    """Rules against candidates: which conflicts there are, by kind."""

    hard: Flags
    """Shape (rules, candidates)."""
    soft: Flags
    """Shape (rules, candidates)."""

    @property
    def penalty(self) -> NDArray[np.int64]:
        """Number of soft conflicts of each candidate."""
        return np.asarray(self.soft.sum(axis=0), dtype=np.int64)


@dataclass(frozen=True)
class Consistency:
    """Compiled rules, in order."""

    rules: tuple[Rule, ...]
    fingerprint: str
    """Of what decides their results: ids, kinds, predicates and harmonisations."""

    @cached_property
    def by_id(self) -> dict[str, Rule]:
        """Id -> rule."""
        return {rule.id: rule for rule in self.rules}

    def conflicts(self, answers: Mapping[str, Answer]) -> tuple[Conflict, ...]:
        """Return the rules that some answers break; what was not answered breaks none.

        >>> [(c.rule.id, c.kind) for c in consistency().conflicts({"Q12": 6, "Q13": 5})]
        [('H1', 'hard')]
        """
        found = []
        for rule in self.rules:
            if rule.conflict.holds(answers):
                kinds = (kind for when, kind in rule.changes if when.holds(answers))
                found.append(Conflict(rule, next(kinds, rule.kind)))
        return tuple(found)

    def score(self, answers: Mapping[str, Answer]) -> int | None:
        """Return 100 less one per soft conflict, or ``None`` with a hard one (J.3).

        >>> consistency().score({"Q16": ("Hedonism", "Tradition")})
        99
        """
        found = self.conflicts(answers)
        if any(conflict.kind == "hard" for conflict in found):
            return None
        return FULL_SCORE - len(found)

    def flags(self, codes: Codes) -> ConflictFlags:
        """Return the conflicts of a block of coded candidates, all questions answered."""
        size = len(next(iter(codes.values())))
        hard = np.zeros((len(self.rules), size), dtype=np.bool_)
        soft = np.zeros_like(hard)
        for place, rule in enumerate(self.rules):
            broken = rule.conflict.flags(codes)
            is_hard = np.full(size, rule.kind == "hard")
            for when, kind in reversed(rule.changes):
                is_hard = np.where(when.flags(codes), kind == "hard", is_hard)
            hard[place] = broken & is_hard
            soft[place] = broken & ~is_hard
        return ConflictFlags(hard, soft)


def _table(settings: ConsistencySettings) -> tuple[dict[str, Any], str]:
    if not settings.rules:
        return read_table(TABLE), TABLE
    path = Path(settings.rules)
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig")), str(path)
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror}).") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DataError(f"{path}: not a TOML file: {error}") from error


def _text(row: Mapping[str, Any], key: str, where: str, allowed: tuple[str, ...] = ()) -> str:
    value = row.get(key)
    if not isinstance(value, str) or not value.strip() or (allowed and value not in allowed):
        wanted = " or ".join(f'"{word}"' for word in allowed) or "a text"
        raise DataError(f"{where}: '{key}' must be {wanted}, not {shown(repr(value))}")
    return value


def _rows(table: Mapping[str, Any], name: str, keys: set[str], file: str) -> list[dict[str, Any]]:
    rows = table.get(name, [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise DataError(f"{file}: '{name}' must be written as [[{name}]] tables")
    for place, row in enumerate(rows, start=1):
        unknown = sorted(set(row) - keys)
        if unknown:
            raise DataError(
                f"{file}: {name} {place} has no setting {shown(unknown[0])!r}; it has "
                f"{', '.join(sorted(keys))}"
            )
    return rows


def _kind(value: str) -> Kind:
    return "hard" if value == "hard" else "soft"


def _changes(
    table: Mapping[str, Any], settings: ConsistencySettings, asked: Questionnaire, file: str
) -> dict[str, list[tuple[Predicate, Kind, str]]]:
    found: dict[str, list[tuple[Predicate, Kind, str]]] = {}
    for row in _rows(table, "harmonisation", _CHANGE_KEYS, file):
        where = f"{file}: harmonisation {shown(str(row.get('id')))}"
        source = _text(row, "when", where)
        to = _kind(_text(row, "to", where, ("hard", "soft")))
        entry = (parse_predicate(source, asked, where), to, source)
        found.setdefault(_text(row, "rule", where), []).append(entry)
    return found if settings.harmonise else {}


def consistency(
    settings: ConsistencySettings | None = None, asked: Questionnaire | None = None
) -> Consistency:
    """Compile the rules.

    Raises:
        DataError: a rule cannot be read; the message names it, and what was expected.

    >>> sum(rule.kind == "hard" for rule in consistency().rules)
    6
    """
    chosen = settings or ConsistencySettings()
    questions = asked or questionnaire()
    table, file = _table(chosen)
    unknown = sorted(set(table) - {"rule", "harmonisation"})
    if unknown:
        raise DataError(f"{file}: holds [[rule]] and [[harmonisation]], not {shown(unknown[0])!r}")
    changes = _changes(table, chosen, questions, file)
    rules: list[Rule] = []
    facts: list[Any] = []
    for row in _rows(table, "rule", _RULE_KEYS, file):
        rule_id = _text(row, "id", f"{file}: a rule")
        where = f"{file}: rule {shown(rule_id)}"
        if any(rule.id == rule_id for rule in rules):
            raise DataError(f"{where}: the id is used twice")
        kind = _kind(_text(row, "kind", where, ("hard", "soft")))
        if chosen.stimulation_security == "contextual" and "kind_in_context" in row:
            kind = _kind(_text(row, "kind_in_context", where, ("hard", "soft")))
        source = _text(row, "conflict", where)
        mine = changes.pop(rule_id, [])
        rules.append(
            Rule(
                id=rule_id,
                kind=kind,
                group=_text(row, "class", where, ("A", "B", "C", "D")),
                reason=_text(row, "reason", where),
                source=" ".join(source.split()),
                conflict=parse_predicate(source, questions, where),
                changes=tuple((when, to) for when, to, _ in mine),
            )
        )
        facts.append([rule_id, kind, source, [[when, to] for _, to, when in mine]])
    if changes:
        raise DataError(
            f"{file}: a harmonisation names rule {shown(next(iter(changes)))!r}, which is not there"
        )
    return Consistency(tuple(rules), fingerprint_of(facts))
