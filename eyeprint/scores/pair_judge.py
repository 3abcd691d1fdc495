"""Which of two pictures would this person rather have made? (P50, P51, X6, X9)

A judge gets the full profile, the short prompt and two pictures (references only when
asked for), takes the person's part, and states aspects, a verdict, a confidence and a
reason. The order of the pictures is drawn for each comparison from its own stream, or
both orders are asked. A verdict always names models, never sides.

Any object with ``name``, ``fingerprint`` and ``compare`` is a judge. :class:`ChatJudge`
asks a chat model that sees pictures; the offline one is
:class:`eyeprint.scores.offline_judge.OfflineJudge`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from pydantic import Field

from eyeprint.config import Settings, fingerprint_of
from eyeprint.errors import UsageError
from eyeprint.models.json_replies import read_json
from eyeprint.models.kinds import Chat, ChatRequest, Message, Reply
from eyeprint.models.pictures import image_part
from eyeprint.models.prompt_files import filled_prompt
from eyeprint.randomness import stream
from eyeprint.records.pictures import Picture
from eyeprint.records.profiles import AestheticPriors
from eyeprint.records.tie_rule import TieRule, read_confidence
from eyeprint.records.verdicts import Comparison, Verdict, VerdictOutcome

PROMPTS = Path(__file__).parent / "prompts"
ASPECTS = (
    "subject and setting: does it fit what I do and care for",
    "style and composition",
    "palette and light",
    "mood and meaning",
    "faithfulness to the request",
)
"""What is weighed; the paper says "aspect-wise" without a list (P50)."""

SIDES: Mapping[str, Literal["first", "second", "tie"]] = {
    "a": "first",
    "image a": "first",
    "picture a": "first",
    "img1": "first",
    "image 1": "first",
    "first": "first",
    "1": "first",
    "b": "second",
    "image b": "second",
    "picture b": "second",
    "img2": "second",
    "image 2": "second",
    "second": "second",
    "2": "second",
    "tie": "tie",
    "equal": "tie",
    "both": "tie",
    "neither": "tie",
    "draw": "tie",
}
"""A stated preference in lower case -> the side that it names."""


class PairJudgeSettings(Settings):
    """How pairs are judged."""

    order: Literal["drawn", "both"] = "drawn"
    """``drawn``: one order for each comparison, from its own stream (as published); ``both``:
    each comparison is asked twice, in both orders."""
    show_references: bool = False
    """Also show the references. The paper lists profile and pictures only (P50)."""
    ties: TieRule = TieRule()
    """Which verdicts count as ties (P51)."""
    aspects: tuple[str, ...] = ASPECTS
    picture_side: int | None = Field(default=768, ge=64)
    """Longest side of the pictures that a judge is sent."""
    temperature: float | None = 0.0
    max_tokens: int | None = 1024


@dataclass(frozen=True)
class PairQuestion:
    """One comparison in one order, with everything that a judge is shown."""

    comparison: Comparison
    first: Picture
    second: Picture
    flipped: bool
    """Whether ``first`` is ``model_b``'s picture."""
    profile_text: str
    priors: AestheticPriors | None = None
    """What the profile leads one to expect (P12), for judges that reckon; chat models read the
    text."""
    references: tuple[Picture, ...] = ()


class PairJudge(Protocol):
    """Anything that can decide a pair."""

    @property
    def name(self) -> str:
        """The judge's name in verdicts and tables."""
        ...

    @property
    def fingerprint(self) -> str:
        """Identity of model, prompts and settings."""
        ...

    async def compare(self, question: PairQuestion) -> Verdict:
        """Judge one pair. What a model did is told in ``Verdict.outcome``, never raised."""
        ...


async def verdict_of(judge: PairJudge, question: PairQuestion) -> Verdict:
    """Return a judge's verdict on the pair that it was asked about, and on no other.

    Raises:
        UsageError: a judge of another package gave no verdict.
    """
    found: object = await judge.compare(question)
    pair = question.comparison
    if not isinstance(found, Verdict):
        raise UsageError(
            f"The judge '{judge.name}' gave {type(found).__name__}, and not a Verdict. Build one "
            "with eyeprint.scores.pair_judge.decided() or no_verdict()."
        )
    own = {"comparison_id": pair.id, "case_id": pair.case_id, "person_id": pair.person_id}
    own |= {"model_a": pair.model_a, "model_b": pair.model_b, "judge": judge.name}
    return found.model_copy(update={**own, "flipped": question.flipped})


class ChatJudge:
    """A chat model that sees pictures, taking the person's part.

    >>> from eyeprint.models.fakes import ScriptedChat
    >>> ChatJudge(ScriptedChat([]), PairJudgeSettings()).name
    'scripted'
    """

    def __init__(self, chat: Chat, settings: PairJudgeSettings | None = None) -> None:
        self.chat = chat
        self.settings = settings or PairJudgeSettings()

    @property
    def name(self) -> str:
        """The chat model's name."""
        return self.chat.name

    @property
    def fingerprint(self) -> str:
        """Of model, settings and both prompt files."""
        files = (PROMPTS / "pair_system.j2", PROMPTS / "pair_question.j2")
        texts = [file.read_text(encoding="utf-8") for file in files]
        return fingerprint_of([self.name, self.settings.fingerprint(), *texts])

    async def compare(self, question: PairQuestion) -> Verdict:
        """Ask the model once and read its reply."""
        reply = await self.chat.reply(pair_request(question, self.settings))
        return verdict_of_reply(question, self.name, reply, self.settings)


def flip_of(comparison_id: str, judge: str, seed: int) -> bool:
    """Return whether a comparison is shown the other way round, from its own stream (X6).

    >>> flip_of("case-1:a:b", "offline", 0) == flip_of("case-1:a:b", "offline", 0)
    True
    """
    return stream(seed, f"order {judge}", comparison_id).random() < 0.5


def pair_request(question: PairQuestion, settings: PairJudgeSettings) -> ChatRequest:
    """Return what a chat model is asked about a pair."""
    facts = {"profile": question.profile_text, "aspects": settings.aspects}
    parts: list[Any] = [f"Request: {question.comparison.prompt}"]
    if settings.show_references and question.references:
        parts.append("Pictures that you chose earlier:")
        parts += [image_part(picture, settings.picture_side) for picture in question.references]
    parts += ["Picture A:", image_part(question.first, settings.picture_side)]
    parts += ["Picture B:", image_part(question.second, settings.picture_side)]
    parts.append(filled_prompt(PROMPTS / "pair_question.j2", facts))
    return ChatRequest(
        messages=(
            Message(role="system", text=filled_prompt(PROMPTS / "pair_system.j2", facts)),
            Message.of("user", *parts),
        ),
        temperature=settings.temperature,
        max_tokens=settings.max_tokens,
        json_mode=True,
    )


def verdict_of_reply(
    question: PairQuestion, judge: str, reply: Reply, settings: PairJudgeSettings
) -> Verdict:
    """Return the verdict in a reply; one that cannot be read has no choice, and says why.

    Our JSON and the released one (``comparison_and_choice.final_decision``) are both read.
    """
    if reply.outcome != "answered":
        detail = reply.detail or reply.text[:300]
        return no_verdict(question.comparison, question.flipped, judge, reply.outcome, detail)
    reading = read_json(reply.text)
    value = reading.value
    if not isinstance(value, dict):
        outcome: VerdictOutcome = "truncated" if reading.fault == "cut" else "unread"
        return no_verdict(
            question.comparison,
            question.flipped,
            judge,
            outcome,
            f"{reading.fault or 'no JSON object'}: {reply.text[:300]}",
        )
    stated = _decision(value)
    side = SIDES.get(str(stated.get("verdict", "")).strip().strip(".").lower())
    if side is None:
        told = f"no verdict in {sorted(value)}: {stated.get('verdict')!r}"
        return no_verdict(question.comparison, question.flipped, judge, "unread", told[:300])
    aspects = value.get("aspects")
    return decided(
        question,
        judge,
        side,
        stated.get("confidence"),
        settings,
        reason=str(stated.get("reason") or ""),
        aspects=aspects if isinstance(aspects, dict) else {},
    )


def _decision(value: dict[str, Any]) -> dict[str, Any]:
    inner = value.get("comparison_and_choice")
    final = inner.get("final_decision") if isinstance(inner, dict) else None
    if isinstance(final, dict):
        return {"verdict": final.get("preferred_image")} | final
    return value


def decided(
    question: PairQuestion,
    judge: str,
    side: Literal["first", "second", "tie"],
    confidence: Any,
    settings: PairJudgeSettings,
    *,
    reason: str = "",
    aspects: dict[str, Any] | None = None,
) -> Verdict:
    """Return a verdict by model from a stated side, with ties by either route told apart (P51)."""
    first: Literal["a", "b"] = "b" if question.flipped else "a"
    second: Literal["a", "b"] = "a" if question.flipped else "b"
    stated: Literal["a", "b", "tie"] = (
        "tie" if side == "tie" else first if side == "first" else second
    )
    number = read_confidence(confidence)
    choice, tie = settings.ties.apply(stated, number)
    pair = question.comparison
    return Verdict(
        comparison_id=pair.id,
        case_id=pair.case_id,
        person_id=pair.person_id,
        judge=judge,
        model_a=pair.model_a,
        model_b=pair.model_b,
        flipped=question.flipped,
        choice=choice,
        stated=stated,
        tie=tie,
        confidence=number,
        confidence_stated=confidence,
        reason=reason,
        aspects=aspects or {},
    )


def no_verdict(
    pair: Comparison, flipped: bool, judge: str, outcome: VerdictOutcome, detail: str
) -> Verdict:
    """Return a verdict without a choice: it is counted, and is nobody's win, loss or tie."""
    return Verdict(
        comparison_id=pair.id,
        case_id=pair.case_id,
        person_id=pair.person_id,
        judge=judge,
        model_a=pair.model_a,
        model_b=pair.model_b,
        flipped=flipped,
        choice=None,
        outcome=outcome,
        detail=detail,
    )
