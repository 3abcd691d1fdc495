"""From a profile to up to 20 enriched prompts: three pipelines, two writers (P18, P33–P40).

The pipelines differ in what the writer sees (:mod:`eyeprint.people.candidate_cues`); the
writers are the offline one, which composes from tables, and any chat model. Whatever wrote
them, sets have the same form, keep the same mix, and say in their log what they do not keep.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eyeprint.config import Settings
from eyeprint.errors import CallFailed, DataError, shown
from eyeprint.models.kinds import Chat, ImagePart
from eyeprint.people.candidate_cues import Cues, CueSettings, cues_of
from eyeprint.people.candidate_mix import MixSettings
from eyeprint.people.candidate_style import Style
from eyeprint.people.candidates_chat import ChatCandidateSettings, write_by_chat
from eyeprint.people.candidates_offline import OfflineCandidateSettings, compose_prompts
from eyeprint.people.chat_asking import Tally
from eyeprint.people.questionnaire import listed, profile_text, roles, said, traits_of
from eyeprint.people.tables import table_digest
from eyeprint.people.theory import TABLE
from eyeprint.records.candidates import CandidatePrompt, CandidateSet, LogLine, Pipeline
from eyeprint.records.profiles import Profile

PLAIN = "plain"
"""The offline writer's name."""
SCENARIOS = 5
TABLES = (TABLE, "candidate_subjects.toml", "candidate_words.toml", "aesthetic_tags.toml")
_TRAIT_ROWS = {"Openness": "openness", "CMA": "cma", "EVT": "evt", "Schwartz": "values"}
_CONTEXT_ROWS = ("major", "role", "living", "travel", "fashion", "hobbies", "media", "cognitive")


class CandidateSettings(Settings):
    """Everything that decides a person's candidates, beside the profile and the writer."""

    pipeline: Pipeline = "profile"
    seed: int = 7
    """Run seed: draws are keyed by it, the step and the profile's id."""
    mix: MixSettings = MixSettings()
    cues: CueSettings = CueSettings()
    offline: OfflineCandidateSettings = OfflineCandidateSettings()
    chat: ChatCandidateSettings = ChatCandidateSettings()


def tables_digest() -> str:
    """Return the SHA-256 of the tables that candidates are made from, for manifests."""
    return table_digest(*TABLES, "questionnaire.toml")


def write_offline(profile: Profile, settings: CandidateSettings | None = None) -> CandidateSet:
    """Write one person's candidates without a model; the same input gives the same set.

    >>> who = Profile(id="u1", answers={"Q4": "Retro", "Q18": ["Cool ocean tones"]})
    >>> found = write_offline(who)
    >>> len(found.prompts), found.counts()["portrait"], found.log
    (20, 6, ())
    """
    settings = settings or CandidateSettings()
    cues = cues_of(profile, settings.pipeline, seed=settings.seed, settings=settings.cues)
    prompts, log, style = compose_prompts(cues, settings.mix, settings.offline, seed=settings.seed)
    return _offline_set(cues, settings, prompts, log, style)


async def write_candidates(
    profile: Profile,
    settings: CandidateSettings | None = None,
    chat: Chat | None = None,
    *,
    exemplars: Sequence[ImagePart] = (),
    tally: Tally | None = None,
) -> CandidateSet:
    """Write one person's candidates with a chat model, or offline without one.

    Args:
        profile: the answers.
        settings: pipeline, mix, writers.
        chat: wrapped in a ledger, so that a repeated build asks nothing twice.
        exemplars: pictures that the person gave (Q19), for a chat that sees them; the
            profile-free pipeline leaves them out.
        tally: counts repairs and repeated questions.

    Raises:
        CallFailed: the call itself failed.
        DataError: no usable reply came; the last fault is told.
        BudgetReached, StoreError: from the ledger.
    """
    settings = settings or CandidateSettings()
    if chat is None:
        return write_offline(profile, settings)
    cues = cues_of(profile, settings.pipeline, seed=settings.seed, settings=settings.cues)
    given = () if settings.pipeline == "profile_free" else exemplars
    made = await write_by_chat(
        chat, cues, settings.mix, settings.chat, exemplars=given, tally=tally
    )
    if made.found is not None:
        return made.found
    fault = made.fault
    told = fault.fault if fault else "no reply"
    if fault and fault.call_failed:
        raise CallFailed(fault.kind, told)
    raise DataError(
        f"profile {shown(profile.id)}: no candidates after {fault.attempts if fault else 0} "
        f"replies: {told}"
    )


def _offline_set(
    cues: Cues,
    settings: CandidateSettings,
    prompts: Sequence[CandidatePrompt],
    log: Sequence[LogLine],
    style: Style,
) -> CandidateSet:
    who, profile_free = cues.profile, cues.pipeline == "profile_free"
    return CandidateSet(
        profile_id=who.id,
        kind=who.kind,
        pipeline=cues.pipeline,
        writer=PLAIN,
        profile_text="" if profile_free else who.text or profile_text(who),
        narrative=_narrative(who),
        metrics=_metrics(who),
        traits=_traits(cues),
        synthesis=_synthesis(cues),
        priors=cues.priors(settings.cues),
        style=style.sentence(),
        parameters=style.parameters(),
        scenarios=_scenarios(cues),
        prompts=tuple(prompts),
        log=tuple(log),
    )


def _narrative(profile: Profile) -> str:
    """Return step 1: the demographic answers in a sentence; empty where none was given."""
    frames = (
        ("Q1", "studies {}"),
        ("Q3", "is {} on campus"),
        ("Q4", "lives in a space that is {}"),
        ("Q5", "travels for {}"),
        ("Q6", "wears {}"),
        ("Q7", "enjoys {}"),
        ("Q8", "follows {}"),
    )
    parts = []
    for question, frame in frames:
        labels = roles(profile) if question == "Q3" else said(profile, question)
        if labels:
            parts.append(frame.format(listed(labels)))
    return f"Somebody who {'; '.join(parts)}." if parts else ""


def _metrics(profile: Profile) -> dict[str, str]:
    traits = traits_of(profile)
    numbers: dict[str, tuple[Any, int]] = {
        "openness": (traits.openness, 7),
        "thinking": (traits.thinking, 5),
        "pleasure": (traits.pleasure, 9),
        "excitement": (traits.excitement, 9),
    }
    told = {name: f"{value:g} of {top}" for name, (value, top) in numbers.items()
            if value is not None}  # fmt: skip
    texts = {"values": traits.values, "palettes": traits.palettes}
    told |= {name: ", ".join(labels) for name, labels in texts.items() if labels}
    return told | ({"mbti": traits.mbti} if traits.mbti else {})


def _traits(cues: Cues) -> dict[str, str]:
    found = {}
    for name, row in _TRAIT_ROWS.items():
        said = [f"{cue.entry.title}: {cue.entry.why}" for cue in cues.cues if cue.entry.row == row]
        if said:
            found[name] = " ".join(said)
    return found


def _synthesis(cues: Cues) -> str:
    """Return what the explicit answers suggest, source by source (Q1–Q11)."""
    said = []
    for cue in cues.cues:
        words = cue.entry.words.get("style", ())[:2]
        if cue.entry.row in _CONTEXT_ROWS and words:
            said.append(f"{cue.source} suggests {' and '.join(words)}")
    return f"{'; '.join(said)}." if said else ""


def _scenarios(cues: Cues) -> tuple[str, ...]:
    """Return kinds of scenes from different cues, the heaviest first."""
    found: dict[str, tuple[float, str]] = {}
    for category in ("landscape", "urban", "portrait", "still_life", "hybrid"):
        for subject, setting, phrase in cues.subjects(category):
            before = found.get(phrase.cue)
            if before is None or before[0] < phrase.weight:
                found[phrase.cue] = (phrase.weight, f"{subject} {setting}".strip())
    ranked = sorted(found.values(), key=lambda pair: -pair[0])
    return tuple(text for _, text in ranked[:SCENARIOS])
