"""Writes candidates without any model: from the theory map, the answers and tables.

The quotas of P37 are kept by construction; what cannot be (a table that runs dry under
tight limits) is in the log. The same profile, seed and settings give the same set.
"""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from eyeprint.config import Settings
from eyeprint.people.candidate_cues import Cues, Phrase
from eyeprint.people.candidate_mix import (
    MixSettings,
    faults_of_mix,
    missing,
    redundant,
    repeats_too_often,
)
from eyeprint.people.candidate_reading import described, is_cultural
from eyeprint.people.candidate_style import Style, StyleSettings, style_of, worded
from eyeprint.people.theory import general_subjects
from eyeprint.randomness import Stream, stream
from eyeprint.records.candidates import CandidateCategory, CandidatePrompt, LogLine

Subject = tuple[str, str, Phrase]
"""Subject, setting, and where it is from."""


class OfflineCandidateSettings(Settings):
    """How the offline writer composes."""

    style: StyleSettings = StyleSettings()
    personal_share: float = Field(default=0.75, ge=0, le=1)
    """Share of subjects that come from the person's own cues, where there are such."""
    tries: int = Field(default=60, ge=1)
    """Subjects that are tried for one place before it stays empty."""


def compose_prompts(
    cues: Cues,
    mix: MixSettings,
    settings: OfflineCandidateSettings | None = None,
    *,
    seed: int = 7,
    beside: Sequence[CandidatePrompt] = (),
    style: Style | None = None,
) -> tuple[list[CandidatePrompt], list[LogLine], Style]:
    """Return prompts that fill up a set, what stayed unmet, and the style they share.

    Args:
        cues: what the writer sees.
        mix: quotas and limits.
        settings: of the composer.
        seed: run seed; draws are keyed by it and the profile's id.
        beside: prompts that are there already; only what is missing is composed.
        style: the person's style, where it was drawn before.

    >>> from eyeprint.people.candidate_cues import cues_of
    >>> from eyeprint.records.profiles import Profile
    >>> made, log, _ = compose_prompts(cues_of(Profile(id="a", answers={"Q4": "Retro"})),
    ...                                MixSettings())
    >>> len(made), log
    (20, [])
    """
    chosen = settings or OfflineCandidateSettings()
    draw = stream(seed, "candidates/compose", cues.profile.id)
    style = style or style_of(cues, stream(seed, "candidates/style", cues.profile.id), chosen.style)
    wanted = missing(beside, mix)
    made: list[CandidatePrompt] = []
    # Which category comes when is drawn, so that the first prompts are not all portraits.
    order = draw.shuffled([category for category, n in wanted.items() for _ in range(n)])
    needs_story = not any("cultural" in prompt.themes for prompt in beside)
    for place, category in enumerate(order):
        others = [*beside, *made]
        # One hybrid at least tells a story: the fifth major category of P37.
        story = needs_story and category == "hybrid"
        found = _one(cues, category, story, others, mix, chosen, style, place + len(beside), draw)
        if found is not None:
            made.append(found)
            needs_story = needs_story and "cultural" not in found.themes
    return made, list(faults_of_mix([*beside, *made], mix)), style


def _one(
    cues: Cues,
    category: CandidateCategory,
    story: bool,
    others: Sequence[CandidatePrompt],
    mix: MixSettings,
    settings: OfflineCandidateSettings,
    style: Style,
    place: int,
    draw: Stream,
) -> CandidatePrompt | None:
    own, general = _subjects(cues, category, story)
    for _ in range(settings.tries):
        from_own = bool(own) and draw.random() < settings.personal_share
        pool = own if from_own else general
        subject, setting, phrase = draw.weighted(pool, [one[2].weight for one in pool])
        found = worded(phrase, setting, category, style, place, draw, settings.style)
        prompt = described(
            found.text,
            category=category,
            subject=subject,
            setting=setting,
            keywords=found.keywords,
            priors=found.cues,
        )
        if any(subject == other.subject for other in others):
            continue
        if repeats_too_often(prompt, others, mix):
            continue
        if any(redundant(prompt, other, mix) for other in others):
            continue
        return prompt
    return None


def _subjects(
    cues: Cues, category: CandidateCategory, story: bool
) -> tuple[list[Subject], list[Subject]]:
    """Return the person's own subjects and those for anybody."""
    own = list(cues.subjects(category))
    names = ["cultural"] if story else [category, *(["cultural"] if category == "hybrid" else [])]
    general = [
        (subject, setting, Phrase(subject, 1.0, ""))
        for name in names
        for subject, setting in general_subjects()[name]
    ]
    if story:
        own = [one for one in own if is_cultural(f"{one[0]} {one[1]}")]
    return own, general
