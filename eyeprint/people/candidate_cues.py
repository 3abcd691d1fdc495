"""What a writer of candidates sees of a person, under each of three pipelines.

``profile``
    all answers, and the entries of the theory-to-visual map that they call for (P33, P38)
``no_openness``
    the same without Q12 and Q13 and without every entry that follows from openness (P77)
``profile_free``
    no answer at all: as many aesthetic tags of each kind, drawn from a list written by
    hand, as the other pipelines use (P74)

All three give the same :class:`Cues`, so that everything after this is the same code.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pydantic import Field

from eyeprint.config import Settings
from eyeprint.people.questionnaire import chosen, questionnaire, slot_text, traits_of
from eyeprint.people.theory import OPENNESS, SLOTS, Entry, aesthetic_tags, theory
from eyeprint.randomness import stream
from eyeprint.records.candidates import Pipeline, Prior
from eyeprint.records.profiles import Profile

OPENNESS_QUESTIONS = ("Q12", "Q13")
"""The two TIPI items (P6)."""
WORDS_OF_OPTIONS = {"colours": "palette", "light": "lighting"}
"""Words that the questionnaire gives its own options -> slot of the map."""
TAGS = "tags"


class CueSettings(Settings):
    """How much a writer is told."""

    words_told: int = Field(default=4, ge=1)
    """Most words of one kind that a prior's record and a model's table show."""
    tags: dict[str, int] = Field(
        default_factory=lambda: {
            "style": 3, "medium": 2, "composition": 4, "lighting": 3, "palette": 4, "mood": 2,
            "constraints": 2,
        }
    )  # fmt: skip
    """Tags of each kind that a profile-free set draws: as many as a person's style has."""


@dataclass(frozen=True)
class Cue:
    """One association that applies to this person."""

    entry: Entry
    source: str
    """Title and answer, or the score: "Living Space Style: Retro", "openness 6.5"."""


@dataclass(frozen=True)
class Phrase:
    """Words that a writer may use, with their weight and where they are from."""

    text: str
    weight: float
    cue: str
    """Id of the entry."""


@dataclass(frozen=True)
class Cues:
    """Everything that a writer of one set sees."""

    profile: Profile
    """With what the pipeline hides taken out of its answers."""
    pipeline: Pipeline
    cues: tuple[Cue, ...]

    @cached_property
    def slots(self) -> dict[str, tuple[Phrase, ...]]:
        """Slot -> phrases, heaviest sources first; a row's weight is shared by its entries."""
        found: dict[str, tuple[Phrase, ...]] = {}
        for slot in SLOTS:
            phrases: dict[str, Phrase] = {}
            for cue in self.cues:
                words = self._words(cue, slot)
                share = self._share(slot, cue.entry.row) / max(len(words), 1)
                for text in words:
                    before = phrases.get(text)
                    if before is None or before.weight < share:
                        phrases[text] = Phrase(text, share, cue.entry.id)
            found[slot] = tuple(phrases.values())
        return found

    def subjects(self, category: str) -> tuple[tuple[str, str, Phrase], ...]:
        """Return (subject, setting, phrase) of everything that the cues suggest in a category."""
        known = self._subjects.get(category)
        if known is None:
            known = self._subjects[category] = self._found_subjects(category)
        return known

    def _found_subjects(self, category: str) -> tuple[tuple[str, str, Phrase], ...]:
        found: dict[str, tuple[str, str, Phrase]] = {}
        for cue in self.cues:
            pairs = cue.entry.subjects.get(category, ())
            share = self._share("subjects", cue.entry.row) / max(len(pairs), 1)
            for subject, setting in pairs:
                found.setdefault(subject, (subject, setting, Phrase(subject, share, cue.entry.id)))
        return tuple(found.values())

    def _share(self, slot: str, row: str) -> float:
        return theory().weight(slot, row) / max(self._beside[row], 1)

    @cached_property
    def _beside(self) -> Counter[str]:
        """Row -> its entries that apply."""
        return Counter(cue.entry.row for cue in self.cues)

    @cached_property
    def _subjects(self) -> dict[str, tuple[tuple[str, str, Phrase], ...]]:
        """Category -> its subjects, once they were asked for: every prompt asks again."""
        return {}

    def _words(self, cue: Cue, slot: str) -> tuple[str, ...]:
        own = self._of_options.get(cue.entry.id, {}).get(slot, ())
        return tuple(dict.fromkeys([*own, *cue.entry.words.get(slot, ())]))

    @cached_property
    def _of_options(self) -> dict[str, dict[str, tuple[str, ...]]]:
        """Entry -> slot -> what the questionnaire says of the option that called for it."""
        found: dict[str, dict[str, tuple[str, ...]]] = {}
        for cue in self.cues:
            if not cue.entry.question:
                continue
            question = questionnaire()[cue.entry.question]
            for label in chosen(self.profile, question.id):
                if cue.entry.fits(label):
                    words = question.by_label[label].words
                    slots = found.setdefault(cue.entry.id, {})
                    for kind, slot in WORDS_OF_OPTIONS.items():
                        if kind in words:
                            slots[slot] = (*slots.get(slot, ()), *words[kind])
        return found

    def slot_text(self) -> str:
        """Return the profile slot (P40), or the tags where there is no profile."""
        if self.pipeline != "profile_free":
            return slot_text(self.profile)
        kinds = [f"{slot.capitalize()}: {', '.join(p.text for p in self.slots[slot])}"
                 for slot in SLOTS]  # fmt: skip
        return " / ".join(kinds)

    def priors(self, settings: CueSettings | None = None) -> tuple[Prior, ...]:
        """Return the associations as records: step 2 of the reasoning (P33)."""
        most = (settings or CueSettings()).words_told
        found = []
        for cue in self.cues:
            words = [w for slot in SLOTS for w in self._words(cue, slot)[:most]]
            entry = cue.entry
            found.append(
                Prior(
                    id=entry.id, row=entry.row, source=cue.source, why=entry.why, words=tuple(words)
                )
            )
        return tuple(found)


def cues_of(
    profile: Profile,
    pipeline: Pipeline = "profile",
    *,
    seed: int = 7,
    settings: CueSettings | None = None,
) -> Cues:
    """Return what the writer of a person's candidates sees.

    Args:
        profile: the answers; ``profile_free`` takes nothing of it but its id.
        pipeline: see the module.
        seed: of the tags' draws; the same id and seed draw the same tags.
        settings: how many tags.

    >>> who = Profile(id="u1", answers={"Q12": 7, "Q13": 2, "Q4": "Retro"})
    >>> [cue.entry.id for cue in cues_of(who).cues]
    ['openness/high', 'controls/abstraction-high', 'living/retro']
    >>> [cue.entry.id for cue in cues_of(who, "no_openness").cues]
    ['living/retro']
    """
    if pipeline == "profile_free":
        drawn = _tags(profile.id, seed, settings or CueSettings())
        return Cues(Profile(id=profile.id, kind=profile.kind), pipeline, drawn)
    seen = profile
    if pipeline == "no_openness":
        answers = {q: a for q, a in profile.answers.items() if q not in OPENNESS_QUESTIONS}
        # The standard text was written from all answers: it would tell what is hidden.
        seen = profile.model_copy(update={"answers": answers, "text": ""})
    return Cues(seen, pipeline, tuple(_found(seen, without_openness=pipeline == "no_openness")))


def scales_of(profile: Profile) -> dict[str, float]:
    """Return the known scores by name; an age counts where the profile has one (P5)."""
    traits = traits_of(profile)
    known: dict[str, Any] = {
        OPENNESS: traits.openness,
        "thinking": traits.thinking,
        "pleasure": traits.pleasure,
        "excitement": traits.excitement,
        "age": (profile.model_extra or {}).get("age"),
    }
    return {
        name: float(value)
        for name, value in known.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }


def _found(profile: Profile, *, without_openness: bool) -> Iterator[Cue]:
    scales, mbti = scales_of(profile), traits_of(profile).mbti
    for entry in theory().values():
        if without_openness and entry.needs_openness:
            continue
        if entry.ranges and not entry.holds(scales):
            continue
        sources = [f"{name} {scales[name]:g}" for name in entry.ranges]
        if entry.letter:
            if mbti is None or entry.letter not in mbti:
                continue
            sources.append(f"{questionnaire()[entry.question].title}: {mbti}")
        elif entry.question:
            labels = [label for label in chosen(profile, entry.question) if entry.fits(label)]
            if not labels:
                continue
            sources.append(f"{questionnaire()[entry.question].title}: {', '.join(labels)}")
        yield Cue(entry, ", ".join(sources))


def _tags(profile_id: str, seed: int, settings: CueSettings) -> tuple[Cue, ...]:
    draw = stream(seed, "candidates/tags", profile_id)
    found = []
    for slot in SLOTS:
        words = tuple(draw.sample(aesthetic_tags()[slot], settings.tags.get(slot, 1)))
        entry = Entry(f"{TAGS}/{slot}", TAGS, f"{slot} tags", "A tag of the list, for nobody.",
                      words={slot: words})  # fmt: skip
        found.append(Cue(entry, "aesthetic tags"))
    return tuple(found)
