"""Writes candidates with a chat model: the unified prompt in six parts (CHECKLIST P33–P39).

One request gives the whole reply; a reply that does not fit the schema is asked for again
with its fault named. Then near-duplicates and repeated subjects are dropped, and where the
mix of P37 is not kept, one further request asks for the prompts that are missing. What
is wrong after that stands in the set's log.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from pydantic import Field

from eyeprint.config import Settings
from eyeprint.models.kinds import Chat, ChatRequest, ImagePart, Message
from eyeprint.people.candidate_cues import OPENNESS_QUESTIONS, Cues
from eyeprint.people.candidate_mix import (
    MixSettings,
    faults_of_mix,
    missing,
    to_replace,
    trimmed,
    without_redundant,
    without_repeats,
)
from eyeprint.people.candidate_reading import described, in_latin_letters
from eyeprint.people.candidate_schemas import CandidatesAnswer, MorePromptsAnswer, PromptAnswer
from eyeprint.people.chat_asking import (
    Checked,
    StepDecoding,
    StepFault,
    Tally,
    ask,
    render_prompt,
)
from eyeprint.people.questionnaire import Question, profile_text, questionnaire
from eyeprint.records.candidates import (
    CATEGORIES,
    CandidatePrompt,
    CandidateSet,
    LogLine,
    Parameters,
)

_TITLES = {
    "openness": "TIPI / Big Five (openness): abstraction, novelty, complexity",
    "values": "Schwartz's basic human values: narrative, theme, symbol",
    "evt": "Ecological valence theory: colour and affect",
    "cma": "Circumplex model of affect: lighting, contrast, energy",
    "controls": "Image-level controls",
    "age": "Age: hue, saturation, composition",
    "major": "Major: perceptual focus",
    "cognitive": "Cognitive style: aesthetic decoding",
    "role": "Campus role and identity: tone and archetypes",
    "living": "Living space: minimalism and material",
    "media": "Digital life and media: cultural schemas",
    "hobbies": "Hobbies and subcultures: icons and themes",
    "fashion": "Fashion: tone, texture, embodiment",
    "travel": "Travel: scenic motif and wide space",
}
"""Rows of the theory-to-visual map as the prompt heads them (P38)."""


class ChatCandidateSettings(Settings):
    """How a chat model is asked."""

    attempts: int = Field(default=3, ge=1)
    """Most replies to the first request: one, and those asked for with a fault named."""
    repairs: int = Field(default=1, ge=0)
    """Requests for what the mix lacks."""
    least_share: float = Field(default=0.5, ge=0, le=1)
    """A first reply with a smaller share of the prompts is asked for again."""
    write: StepDecoding = StepDecoding(temperature=0.8, max_tokens=8192)
    repair: StepDecoding = StepDecoding(temperature=0.8, max_tokens=4096)


class ByChat(NamedTuple):
    """A set, or why there is none."""

    found: CandidateSet | None
    fault: StepFault | None = None


def candidates_prompt(cues: Cues, mix: MixSettings, exemplars: int = 0) -> str:
    """Return the unified prompt of six parts for one person (P34).

    >>> from eyeprint.people.candidate_cues import cues_of
    >>> from eyeprint.records.profiles import Profile
    >>> text = candidates_prompt(cues_of(Profile(id="a", answers={"Q12": 7, "Q13": 2})),
    ...                          MixSettings())
    >>> [line for line in text.splitlines() if line.startswith("# ")][0]
    '# 1. Task'
    """
    hidden = OPENNESS_QUESTIONS if cues.pipeline == "no_openness" else ()
    asked = [q for q in questionnaire().asked if q.id not in hidden]
    profile_free = cues.pipeline == "profile_free"
    rows: dict[str, list[dict[str, Any]]] = {}
    if not profile_free:
        titles = {cue.entry.id: cue.entry.title for cue in cues.cues}
        for prior in cues.priors():
            told = {"title": titles[prior.id], "source": prior.source, "why": prior.why}
            rows.setdefault(_TITLES[prior.row], []).append(told | {"words": prior.words})
    scales = [q.id for q in asked if q.id in ("Q12", "Q13", "Q14", "Q15")]
    traits = ["CMA", "EVT", "Schwartz"] if hidden else ["Openness", "CMA", "EVT", "Schwartz"]
    text = cues.profile.text or profile_text(cues.profile)
    return render_prompt(
        "candidates.j2",
        {
            "pipeline": cues.pipeline,
            "exemplars": exemplars,
            "total": mix.total,
            "scales": f"{scales[0]} to {scales[-1]}",
            "traits": traits,
            "items": [] if profile_free else [_item(question) for question in asked],
            "quotas": _quotas({c: n for c, n in mix.quotas().items() if n}),
            "shared": mix.shared_at_most,
            "themes": _themes(mix),
            "alone": mix.without_people(mix.total),
            "slot": cues.slot_text(),
            "text": "" if profile_free else text,
            "rows": rows,
            "categories": [category.replace("_", " ") for category in CATEGORIES],
        },
    )


def candidates_request(
    cues: Cues,
    mix: MixSettings,
    settings: ChatCandidateSettings,
    exemplars: Sequence[ImagePart] = (),
) -> ChatRequest:
    """Return the request that opens a person's candidates, exemplar pictures included."""
    prompt = candidates_prompt(cues, mix, len(exemplars))
    return ChatRequest(
        messages=(
            Message(role="system", text=render_prompt("candidates_system.j2")),
            Message.of("user", prompt, *exemplars),
        ),
        json_mode=True,
        **settings.write.model_dump(),
    )


async def write_by_chat(
    chat: Chat,
    cues: Cues,
    mix: MixSettings,
    settings: ChatCandidateSettings | None = None,
    *,
    exemplars: Sequence[ImagePart] = (),
    tally: Tally | None = None,
) -> ByChat:
    """Ask a chat model for one person's candidates; never raises for a bad reply.

    Raises:
        BudgetReached, StoreError: from a chat behind a ledger.
    """
    settings, tally = settings or ChatCandidateSettings(), tally or Tally()
    first = candidates_request(cues, mix, settings, exemplars)
    least = round(settings.least_share * mix.total)

    def enough(answer: CandidatesAnswer) -> Checked[CandidatesAnswer]:
        foreign = sum(not in_latin_letters(one.prompt) for one in answer.prompts)
        if 2 * foreign > len(answer.prompts):
            return Checked(None, fault="its prompts are not in English; write them in English")
        if len(answer.prompts) < max(least, 1):
            told = f"it holds {len(answer.prompts)} prompts; give {mix.total}"
            return Checked(None, fault=told)
        return Checked(answer)

    asked = await ask(
        chat,
        cues.profile.id,
        "candidates",
        "",
        CandidatesAnswer,
        enough,
        decoding=settings.write,
        attempts=settings.attempts,
        tally=tally,
        first=first,
    )
    if asked.value is None:
        return ByChat(None, asked.fault)
    answer = asked.value
    prompts, log = _settled([_prompt(one) for one in answer.prompts], mix)
    for _ in range(settings.repairs):
        if not faults_of_mix(prompts, mix):
            break
        prompts, more = await _repaired(chat, cues, mix, settings, first, prompts, tally)
        log += more
    return ByChat(_set(chat.name, cues, answer, prompts, [*log, *faults_of_mix(prompts, mix)]))


async def _repaired(
    chat: Chat,
    cues: Cues,
    mix: MixSettings,
    settings: ChatCandidateSettings,
    first: ChatRequest,
    prompts: list[CandidatePrompt],
    tally: Tally,
) -> tuple[list[CandidatePrompt], list[LogLine]]:
    """Ask for what the mix lacks, once; without a good reply the prompts stay as they are."""
    given_up = to_replace(prompts, mix)
    kept = [prompt for prompt in prompts if prompt not in given_up]
    wanted = {category: n for category, n in missing(kept, mix).items() if n}
    if not wanted:
        return prompts, []
    told = _quotas(wanted)
    faults = faults_of_mix(prompts, mix)
    themes = [f.detail.removeprefix("no prompt of ") for f in faults if f.rule == "themes"]
    repair = render_prompt(
        "candidates_repair.j2",
        {
            "faults": [fault.detail for fault in faults],
            "kept": [str(i) for i, p in enumerate(prompts, start=1) if p not in given_up],
            "total": sum(wanted.values()),
            "wanted": told,
            "themes": [theme.replace("cultural", "culture or story") for theme in themes],
        },
    )
    request = ChatRequest(
        messages=(
            *first.messages,
            Message(role="assistant", text=_numbered(prompts)),
            Message(role="user", text=repair),
        ),
        json_mode=True,
        **settings.repair.model_dump(),
    )
    asked = await ask(
        chat,
        cues.profile.id,
        "candidates repair",
        "",
        MorePromptsAnswer,
        Checked,
        decoding=settings.repair,
        attempts=1,
        tally=tally,
        first=request,
    )
    if asked.value is None:
        why = asked.fault.fault if asked.fault else "no reply"
        return prompts, [LogLine(kind="fault", rule="reply", detail=f"asked for {told}: {why}")]
    more = [_prompt(one) for one in asked.value.prompts]
    settled, log = _settled([*kept, *more], mix)
    # By identity: a model that repeats what is kept has brought nothing.
    before = set(map(id, kept))
    added = sum(id(prompt) not in before for prompt in settled)
    # What was given up comes back where nothing better has come for it.
    if len(settled) < len(prompts):
        settled, _ = _settled([*settled, *given_up], mix)
    line = LogLine(kind="repaired", rule="mix", detail=f"asked for {told}; {added} were taken")
    return settled, [line, *log]


def _settled(
    prompts: Sequence[CandidatePrompt], mix: MixSettings
) -> tuple[list[CandidatePrompt], list[LogLine]]:
    """Drop near-duplicates, repeated subjects, and what is too much (P33, P37)."""
    kept, log = without_redundant(prompts, mix)
    for step in (without_repeats, trimmed):
        kept, more = step(kept, mix)
        log += more
    return kept, log


def _prompt(answer: PromptAnswer) -> CandidatePrompt:
    return described(
        answer.prompt,
        category=answer.category,
        subject=answer.subject,
        setting=answer.setting,
        people=answer.people,
        cultural=answer.cultural,
        keywords=answer.keywords,
    )


def _set(
    writer: str,
    cues: Cues,
    answer: CandidatesAnswer,
    prompts: Sequence[CandidatePrompt],
    log: Sequence[LogLine],
) -> CandidateSet:
    profile_free = cues.pipeline == "profile_free"
    return CandidateSet(
        profile_id=cues.profile.id,
        kind=cues.profile.kind,
        pipeline=cues.pipeline,
        writer=writer,
        profile_text="" if profile_free else cues.profile.text or profile_text(cues.profile),
        narrative=answer.narrative,
        metrics=answer.metrics,
        traits=answer.traits,
        synthesis=answer.synthesis,
        priors=cues.priors(),
        style=answer.style,
        parameters=Parameters(**answer.parameters.model_dump()),
        scenarios=answer.scenarios,
        prompts=tuple(prompts),
        log=tuple(log),
    )


def _numbered(prompts: Sequence[CandidatePrompt]) -> str:
    rows = [
        {"number": i, "category": p.category, "subject": p.subject, "setting": p.setting,
         "prompt": p.text}
        for i, p in enumerate(prompts, start=1)
    ]  # fmt: skip
    return json.dumps({"prompts": rows}, ensure_ascii=False)


def _themes(mix: MixSettings) -> str:
    """Return the major categories that a set must show, as the prompt lists them."""
    asked = [theme.replace("_", " ") for theme in mix.themes_asked()]
    if "cultural" in asked:
        asked.remove("cultural")
        asked.append("and one that shows culture or tells a story" if asked else "culture or story")
    return ", ".join(asked)


def _quotas(counts: dict[Any, int]) -> str:
    """Return "6 portraits, 4 landscapes ..." of counts by category."""
    plural = {
        "portrait": "portraits",
        "landscape": "landscapes",
        "urban": "urban scenes",
        "still_life": "still lifes",
        "abstract": "abstract pictures",
        "hybrid": "creative hybrids of several kinds",
    }
    told = []
    for category, n in counts.items():
        name = plural[category] if n > 1 else category.replace("_", " ")
        told.append(f"{n} {'creative hybrid' if name == 'hybrid' else name}")
    return ", ".join(told)


def _item(question: Question) -> dict[str, str]:
    kinds = {"single": "one option", "multi": "one or more options"}
    kind = kinds.get(question.type)
    if kind is None:
        kind = (
            f"rating, {question.low} ({question.low_means}) to "
            f"{question.high} ({question.high_means})"
        )
    return {"id": question.id, "title": question.title, "kind": kind}
