"""The mix of a person's prompts: near-duplicates, quotas, repeated subjects (CHECKLIST P37).

The paper asks for portraits 25–30 %, landscapes 20, urban scenes 15, still lifes 15,
abstract pictures 10, hybrids 10–15; one prompt at least of each major category; no more
than two of one dominant subject or setting; some without human beings. How these are
tested and repaired is not said: here by words, with every limit a setting.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from pydantic import Field, model_validator

from eyeprint.config import Settings
from eyeprint.maths.apportion import largest_remainder
from eyeprint.maths.diversity import jaccard
from eyeprint.maths.ngrams import word_trigrams
from eyeprint.people.candidate_reading import SHOWN_THEMES, content_words
from eyeprint.records.candidates import (
    CATEGORIES,
    CandidateCategory,
    CandidatePrompt,
    LogLine,
    Theme,
)

_SNAP = 9
"""Decimals to which shares of a total are rounded before floor and ceiling."""
_SUM_MARGIN = 1e-6
THEME_OF: dict[CandidateCategory, Theme] = {**SHOWN_THEMES, "hybrid": "cultural"}
"""The categories that bring a set its themes; culture or story may stand in others too."""

SHARES: dict[CandidateCategory, tuple[float, float]] = {
    "portrait": (0.25, 0.30),
    "landscape": (0.20, 0.20),
    "urban": (0.15, 0.15),
    "still_life": (0.15, 0.15),
    "abstract": (0.10, 0.10),
    "hybrid": (0.10, 0.15),
}
"""The paper's shares: lowest and highest of each category."""


class MixSettings(Settings):
    """Limits of a set of prompts (P33, P37)."""

    total: int = Field(default=20, ge=1, le=100)
    """Most prompts of a person."""
    shares: dict[CandidateCategory, tuple[float, float]] = Field(
        default_factory=lambda: dict(SHARES)
    )
    """Lowest and highest share of each category; the middles sum to 1."""
    slack: int = Field(default=0, ge=0)
    """Prompts by which a category may miss its bounds before that counts as a fault."""
    shared_at_most: int = Field(default=2, ge=1)
    """Prompts that may share a dominant subject, or a setting."""
    subject_likeness: float = Field(default=0.5, gt=0, le=1)
    """Jaccard likeness of the content words of two subjects from which they are the same."""
    setting_likeness: float = Field(default=0.6, gt=0, le=1)
    redundant_words: float = Field(default=0.7, gt=0, le=1)
    """Jaccard likeness of the content words of two prompts from which one is redundant."""
    redundant_trigrams: float = Field(default=0.6, gt=0, le=1)
    """Share of the shorter prompt's word trigrams in the other from which one is redundant."""
    redundant_subject: float = Field(default=0.3, ge=0, le=1)
    """Jaccard likeness of two subjects below which neither prompt is redundant."""
    least_without_people: float = Field(default=0.25, ge=0, le=1)
    """Least share of prompts without human beings."""

    @model_validator(mode="after")
    def _shares_are_ranges(self) -> MixSettings:
        for category in CATEGORIES:
            low, high = self.shares.get(category, (-1.0, -1.0))
            if not 0 <= low <= high <= 1:
                raise ValueError(f"shares: {category} needs 0 <= low <= high <= 1")
        middle = sum(sum(self.shares[category]) / 2 for category in CATEGORIES)
        if abs(middle - 1) > _SUM_MARGIN:
            raise ValueError(
                f"shares: the middles of all six ranges must sum to 1, and theirs is {middle:.3g}"
            )
        return self

    def themes_asked(self) -> tuple[Theme, ...]:
        """Return the major categories that a set must show at least once each.

        None where ``total`` is too small: six prompts hold a portrait and all five, five do
        not. A theme whose category may have no prompt at all is not asked for.

        >>> len(MixSettings().themes_asked()), MixSettings(total=5).themes_asked()
        (5, ())
        """
        asked = [c for c in THEME_OF if self.shares[c][1] > 0]
        lows = {c: self.bounds(c, self.total)[0] for c in CATEGORIES}
        if sum(max(low, int(c in asked)) for c, low in lows.items()) > self.total:
            return ()
        return tuple(THEME_OF[category] for category in asked)

    def least(self) -> dict[CandidateCategory, int]:
        """Return the fewest prompts of each category in a full set.

        What its lowest share makes, and one where its theme is asked for.

        >>> list(MixSettings().least().values()), list(MixSettings(total=6).least().values())
        ([5, 4, 3, 3, 2, 2], [1, 1, 1, 1, 1, 1])
        """
        asked = self.themes_asked()
        return {
            c: max(self.bounds(c, self.total)[0], int(THEME_OF.get(c) in asked)) for c in CATEGORIES
        }

    def without_people(self, total: int) -> int:
        """Return how many of so many prompts must be free of human beings, at least."""
        return math.floor(round(self.least_without_people * total, _SNAP))

    def quotas(self) -> dict[CandidateCategory, int]:
        """Return the prompts of each category in a full set.

        By largest remainder of the middle shares; a category that would be left without the
        one prompt that its theme needs takes it from the category that has most to spare.

        >>> list(MixSettings().quotas().values()), list(MixSettings(total=6).quotas().values())
        ([6, 4, 3, 3, 2, 2], [1, 1, 1, 1, 1, 1])
        """
        middles = [sum(self.shares[category]) / 2 for category in CATEGORIES]
        granted = largest_remainder(middles, self.total).tolist()
        quotas: dict[CandidateCategory, int] = dict(zip(CATEGORIES, granted, strict=True))
        least = self.least()
        for category in CATEGORIES:
            while quotas[category] < least[category]:
                giver = max(CATEGORIES, key=lambda c: quotas[c] - least[c])
                quotas[giver] -= 1
                quotas[category] += 1
        return quotas

    def bounds(self, category: CandidateCategory, total: int) -> tuple[int, int]:
        """Return the fewest and most prompts that keep a category's share: floor and ceiling.

        >>> MixSettings().bounds("portrait", 20), MixSettings().bounds("hybrid", 20)
        ((5, 6), (2, 3))
        """
        low, high = self.shares[category]
        return (
            max(0, math.floor(round(low * total, _SNAP)) - self.slack),
            math.ceil(round(high * total, _SNAP)) + self.slack,
        )


def redundant(left: CandidatePrompt, right: CandidatePrompt, settings: MixSettings) -> bool:
    """Tell whether one of two prompts says nothing that the other does not.

    Their texts must be alike: the content words have a Jaccard likeness of
    ``redundant_words`` or more, or ``redundant_trigrams`` of the shorter one's word trigrams
    stand in the other. And their subjects must be alike, for prompts of one person share
    the words of a style on purpose.

    >>> one = CandidatePrompt(text="A lone tree on a hill, mist.", category="landscape")
    >>> two = one.model_copy(update={"text": "Lone tree on a hill in mist"})
    >>> redundant(one, two, MixSettings())
    True
    """
    ours, theirs = content_words(left.subject), content_words(right.subject)
    if ours and theirs and jaccard(ours, theirs) < settings.redundant_subject:
        return False
    if jaccard(content_words(left.text), content_words(right.text)) >= settings.redundant_words:
        return True
    runs, others = word_trigrams(left.text), word_trigrams(right.text)
    fewer = min(len(runs), len(others))
    return fewer > 0 and len(runs & others) / fewer >= settings.redundant_trigrams


def without_redundant(
    prompts: Sequence[CandidatePrompt], settings: MixSettings
) -> tuple[list[CandidatePrompt], list[LogLine]]:
    """Return the prompts without near-duplicates of earlier ones, and what was dropped."""
    kept: list[CandidatePrompt] = []
    log = []
    for prompt in prompts:
        twin = next((k for k in kept if redundant(prompt, k, settings)), None)
        if twin is None:
            kept.append(prompt)
        else:
            told = f"'{_short(prompt.text)}' repeats '{_short(twin.text)}'"
            log.append(LogLine(kind="dropped", rule="redundant", detail=told))
    return kept, log


def same_subject(left: CandidatePrompt, right: CandidatePrompt, settings: MixSettings) -> bool:
    """Tell whether two prompts have one dominant subject: the likeness of its content words."""
    return _alike(left.subject, right.subject, settings.subject_likeness)


def same_setting(left: CandidatePrompt, right: CandidatePrompt, settings: MixSettings) -> bool:
    """Tell whether two prompts have one setting; an empty one is nobody's."""
    return _alike(left.setting, right.setting, settings.setting_likeness)


def _alike(left: str, right: str, limit: float) -> bool:
    ours, theirs = content_words(left), content_words(right)
    return bool(ours and theirs) and jaccard(ours, theirs) >= limit


def repeats_too_often(
    prompt: CandidatePrompt, others: Sequence[CandidatePrompt], settings: MixSettings
) -> str:
    """Return "subject" or "setting" when as many others as allowed share it already, else ""."""
    for name, same in (("subject", same_subject), ("setting", same_setting)):
        if sum(same(prompt, other, settings) for other in others) >= settings.shared_at_most:
            return name
    return ""


def without_repeats(
    prompts: Sequence[CandidatePrompt], settings: MixSettings
) -> tuple[list[CandidatePrompt], list[LogLine]]:
    """Return the prompts of which at most two share a subject or setting; the first ones stay."""
    kept: list[CandidatePrompt] = []
    log = []
    for prompt in prompts:
        shared = repeats_too_often(prompt, kept, settings)
        if not shared:
            kept.append(prompt)
            continue
        told = (
            f"the {shared} of '{_short(prompt.text)}' is that of {settings.shared_at_most} others"
        )
        log.append(LogLine(kind="dropped", rule="repeats", detail=told))
    return kept, log


def trimmed(
    prompts: Sequence[CandidatePrompt], settings: MixSettings
) -> tuple[list[CandidatePrompt], list[LogLine]]:
    """Return at most ``total`` prompts, none beyond its category's highest share of that total.

    The first ones of a category stay. What every category needs at least is kept free for
    it: six portraits and three hybrids, each allowed, would leave 11 places for the 12
    prompts that the other categories need.
    """
    kept: list[CandidatePrompt] = []
    log = []
    room = {category: settings.bounds(category, settings.total)[1] for category in CATEGORIES}
    needed = settings.least()
    spare = settings.total - sum(needed.values())
    for prompt in prompts:
        full = len(kept) >= settings.total
        if not full and needed[prompt.category] > 0:
            needed[prompt.category] -= 1
            room[prompt.category] -= 1
            kept.append(prompt)
            continue
        if not full and room[prompt.category] > 0 and spare > 0:
            spare -= 1
            room[prompt.category] -= 1
            kept.append(prompt)
            continue
        why = f"{settings.total} are there" if full else f"there are enough of {prompt.category}"
        told = f"'{_short(prompt.text)}': {why}"
        log.append(LogLine(kind="dropped", rule="count" if full else "mix", detail=told))
    return kept, log


def missing(
    prompts: Sequence[CandidatePrompt], settings: MixSettings
) -> dict[CandidateCategory, int]:
    """Return how many prompts of each category would make the set whole; all 0 when it is.

    What a category needs at least comes first, then what it lacks of its quota.
    """
    counts = {c: sum(p.category == c for p in prompts) for c in CATEGORIES}
    room = settings.total - len(prompts)
    wanted = dict.fromkeys(CATEGORIES, 0)
    quotas = settings.quotas()
    for goal in (settings.least(), quotas):
        for category in CATEGORIES:
            more = min(room, max(0, goal[category] - counts[category] - wanted[category]))
            wanted[category] += more
            room -= more
    if room > 0:
        for category in CATEGORIES:
            most = settings.bounds(category, settings.total)[1]
            more = min(room, max(0, most - counts[category] - wanted[category]))
            wanted[category] += more
            room -= more
    return wanted


def to_replace(
    prompts: Sequence[CandidatePrompt], settings: MixSettings
) -> tuple[CandidatePrompt, ...]:
    """Return prompts to give up so that others can bring what the set lacks.

    A full set without culture or story gives up its last hybrid; one with too few pictures
    free of people gives up the last ones of other categories than portraits that have them.
    Nothing is given up while there is room.

    >>> to_replace((), MixSettings())
    ()
    """
    if len(prompts) < settings.total:
        return ()
    given: list[CandidatePrompt] = []
    asked = "cultural" in settings.themes_asked()
    if asked and not any("cultural" in prompt.themes for prompt in prompts):
        given += [prompt for prompt in prompts if prompt.category == "hybrid"][-1:]
    least = settings.without_people(len(prompts))
    lacking = least - sum(not prompt.people for prompt in prompts)
    if lacking > 0:
        with_people = [p for p in prompts if p.people and p.category != "portrait"]
        given += [p for p in with_people[-lacking:] if p not in given]
    return tuple(given)


def faults_of_mix(prompts: Sequence[CandidatePrompt], settings: MixSettings) -> tuple[LogLine, ...]:
    """Return what a set of prompts lacks of P37; empty for a set that keeps all of it.

    Shares are taken of the prompts that are there, so that a set of 18 is not blamed twice.
    """
    faults = []

    def unmet(rule: str, detail: str) -> None:
        faults.append(LogLine(kind="unmet", rule=rule, detail=detail))

    n = len(prompts)
    if n < settings.total:
        unmet("count", f"{n} prompts of {settings.total}")
    for category in CATEGORIES:
        low, high = settings.bounds(category, n)
        count = sum(prompt.category == category for prompt in prompts)
        if not low <= count <= high:
            wanted = str(low) if low == high else f"{low} to {high}"
            unmet("mix", f"{category}: {count} of {n}, and {wanted} are asked for")
    shown = {theme for prompt in prompts for theme in prompt.themes}
    for theme in settings.themes_asked():
        if theme not in shown:
            unmet("themes", f"no prompt of {theme.replace('_', ' ')}")
    for place, prompt in enumerate(prompts):
        shared = repeats_too_often(prompt, prompts[:place], settings)
        if shared:
            most = settings.shared_at_most
            unmet("repeats", f"more than {most} share the {shared} of '{_short(prompt.text)}'")
    alone = sum(not prompt.people for prompt in prompts)
    if alone < settings.without_people(n):
        unmet("non-human", f"only {alone} of {n} are without human beings")
    return tuple(faults)


def _short(text: str, most: int = 60) -> str:
    return text if len(text) <= most else text[: most - 4].rstrip() + " ..."
