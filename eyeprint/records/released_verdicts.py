"""The released format of comparisons and verdicts, row by row and both ways (CHECKLIST P50, P51).

A comparison is ``{id, model_A, model_B, image_A, image_B}``; a verdict is ``{id, flipped,
result: {comparison_and_choice: {final_decision: {preferred_image, confidence, ...}}}}``, where
"img1" is what was shown first: ``model_A``'s picture unless ``flipped``. Fields that have no
place in our records are kept in their ``extra``, so that a row that was read is written back
equal, a missing confidence missing and a null one null.
"""

from __future__ import annotations

import copy
from typing import Any

from eyeprint.errors import shown
from eyeprint.records.tie_rule import TieRule, read_confidence
from eyeprint.records.verdicts import Choice, Comparison, Verdict, VerdictOutcome

PERSON_FIELDS = ("person_id", "image_id", "user_id")
"""Extra fields that name whose pictures these are; the first that is there counts."""
CASE_FIELDS = ("case_id",)
JUDGE_FIELDS = ("judge", "judge_model")
REASON_FIELDS = ("reason", "detailed_reason", "reasoning", "explanation", "rationale")
OUTCOMES: tuple[VerdictOutcome, ...] = ("unread", "empty", "truncated", "refused", "failed")

_PAIR = ("model_A", "model_B", "image_A", "image_B")


class UnreadField(ValueError):
    """A field of a released row cannot be read; ``field`` names it."""

    def __init__(self, field: str, reason: str) -> None:
        self.field, self.reason = field, reason
        super().__init__(f"{field.rpartition('.')[2]}: {reason}")


def id_text(value: Any, field: str = "id") -> str:
    """Return an id as text: whole numbers and texts are ids; 7.0 is 7, as tables write it.

    Raises:
        UnreadField: anything else, or empty text.

    >>> id_text(7), id_text("case 7"), id_text(7.0)
    ('7', 'case 7', '7')
    """
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if (isinstance(value, int) and not isinstance(value, bool)) or (
        isinstance(value, str) and value
    ):
        return str(value)
    raise UnreadField(field, f"{_told(value)} is no id")


def released_id(text: str) -> int | str:
    """Return an id as the released files write it: a whole number where it reads as one.

    >>> released_id("7"), released_id("07"), released_id("a:b")
    (7, '07', 'a:b')
    """
    if text.isascii() and text.isdigit() and (text == "0" or not text.startswith("0")):
        return int(text) if len(text) < 18 else text
    return text


def comparison_of_row(row: dict[str, Any]) -> Comparison:
    """Return the comparison in a released row; person and case are empty where it has none.

    Raises:
        UnreadField: the id, a model or a picture is missing or is no text.

    >>> row = {"id": 3, "model_A": "x", "model_B": "y", "image_A": "x/3.png", "image_B": "y/3.png"}
    >>> comparison_of_row(row).id
    '3'
    >>> row_of_comparison(comparison_of_row(row)) == row
    True
    """
    number = id_text(row.get("id"))
    names = {}
    for field in _PAIR:
        value = row.get(field)
        if field.startswith("model") and not (isinstance(value, str) and value.strip()):
            raise UnreadField(field, f"{_told(value)} is no model's name")
        if value is not None and not isinstance(value, str):
            raise UnreadField(field, f"{_told(value)} is no path")
        names[field] = value or ""
    if names["model_A"] == names["model_B"]:
        raise UnreadField("model_B", f"'{shown(names['model_B'])}' is compared with itself")
    prompt = row.get("prompt")
    return Comparison(
        id=number,
        case_id=_first(row, CASE_FIELDS),
        person_id=_first(row, PERSON_FIELDS),
        prompt=prompt if isinstance(prompt, str) else "",
        model_a=names["model_A"],
        model_b=names["model_B"],
        picture_a=names["image_A"],
        picture_b=names["image_B"],
        extra={k: v for k, v in row.items() if k not in _PAIR or not v},
    )


def row_of_comparison(comparison: Comparison) -> dict[str, Any]:
    """Return a comparison as a released row."""
    row: dict[str, Any] = {
        "id": released_id(comparison.id),
        "model_A": comparison.model_a,
        "model_B": comparison.model_b,
        "image_A": comparison.picture_a,
        "image_B": comparison.picture_b,
    }
    if "id" in comparison.extra:
        # It was read from a released row: what that had, and no more.
        for field in ("image_A", "image_B"):
            if not row[field] and field not in comparison.extra:
                del row[field]
        return row | comparison.extra
    told = {"case_id": comparison.case_id, "image_id": comparison.person_id}
    told["prompt"] = comparison.prompt
    return row | {name: value for name, value in told.items() if value} | comparison.extra


def verdict_of_row(
    row: dict[str, Any], comparison: Comparison, judge: str, rule: TieRule | None = None
) -> Verdict:
    """Return the verdict in a released row; one that cannot be read has no choice, and says why.

    Args:
        row: with id, flipped and result.
        comparison: what the row's id stands for.
        judge: the judge's name, unless the row names one.
        rule: which confidences make ties.

    >>> pair = Comparison(id="3", case_id="", person_id="", model_a="x", model_b="y",
    ...     picture_a="", picture_b="")
    >>> final = {"preferred_image": "img1", "confidence": "80%"}
    >>> row = {"id": 3, "flipped": True,
    ...     "result": {"comparison_and_choice": {"final_decision": final}}}
    >>> found = verdict_of_row(row, pair, "gpt")
    >>> found.choice, found.confidence, found.confidence_stated
    ('b', 0.8, '80%')
    >>> row_of_verdict(found) == row
    True
    """
    facts: dict[str, Any] = {
        "comparison_id": comparison.id,
        "case_id": comparison.case_id or _first(row, CASE_FIELDS),
        "person_id": comparison.person_id or _first(row, PERSON_FIELDS),
        "judge": _first(row, JUDGE_FIELDS) or judge,
        "model_a": comparison.model_a,
        "model_b": comparison.model_b,
    }
    try:
        flipped = _flipped(row.get("flipped", False))
        decision = _decision(row)
        stated = _stated(decision.get("preferred_image"), flipped)
    except UnreadField as fault:
        told = row.get("outcome")
        outcome = told if told in OUTCOMES else "unread"
        detail = row.get("detail") if isinstance(row.get("detail"), str) else str(fault)
        # The whole row is kept: what could not be read cannot be written otherwise.
        return Verdict(**facts, choice=None, outcome=outcome, detail=detail, extra=row)
    confidence = read_confidence(decision.get("confidence"))
    choice, tie = (rule or TieRule()).apply(stated, confidence)
    field = next((name for name in REASON_FIELDS if name in decision), "")
    reason = decision.get(field) if field else None
    result = row["result"]
    aspects = {k: v for k, v in result.items() if k != "comparison_and_choice"}
    return Verdict(
        **facts,
        flipped=flipped,
        choice=choice,
        stated=stated,
        tie=tie,
        confidence=confidence,
        confidence_stated=decision.get("confidence"),
        reason=reason if isinstance(reason, str) else "",
        aspects=aspects,
        extra=_skeleton(row, field if isinstance(reason, str) and reason else ""),
    )


def _skeleton(row: dict[str, Any], reason_field: str) -> dict[str, Any]:
    """Return a row without what a verdict holds itself: places are kept, their values not."""
    choice = row["result"]["comparison_and_choice"]
    decision = dict(choice["final_decision"])
    for field in ("preferred_image", "confidence", reason_field):
        if field in decision:
            decision[field] = None
    kept = {**choice, "final_decision": decision}
    return {**row, "result": {"comparison_and_choice": kept}}


def row_of_verdict(verdict: Verdict) -> dict[str, Any]:
    """Return a verdict as a released row, with case, person and judge when it has them.

    A verdict without a choice has a null ``preferred_image``, and ``outcome`` says why.
    """
    row: dict[str, Any] = copy.deepcopy(verdict.extra)
    was_read = "result" in row
    if was_read and verdict.outcome != "decided" and verdict.stated is None:
        return row
    row.setdefault("id", released_id(verdict.comparison_id))
    if verdict.flipped or not was_read:
        row.setdefault("flipped", verdict.flipped)
    if not was_read:
        told = {"case_id": verdict.case_id, "image_id": verdict.person_id}
        told |= {"judge": verdict.judge, "detail": verdict.detail}
        if verdict.outcome != "decided":
            told["outcome"] = verdict.outcome
        row |= {name: value for name, value in told.items() if value and name not in row}
    result = row.get("result", {})
    choice = result.get("comparison_and_choice", {})
    decision = choice.get("final_decision", {})
    decision["preferred_image"] = _preferred(verdict)
    confidence = verdict.confidence_stated
    if confidence is None and not was_read:
        confidence = verdict.confidence
    if not was_read or "confidence" in decision or confidence is not None:
        decision["confidence"] = confidence
    if verdict.reason:
        field = next((name for name in REASON_FIELDS if name in decision), REASON_FIELDS[0])
        decision[field] = verdict.reason
    row["result"] = {
        **verdict.aspects,
        "comparison_and_choice": {**choice, "final_decision": decision},
    }
    return row


def _preferred(verdict: Verdict) -> str | None:
    if verdict.outcome != "decided":
        return None
    stated = verdict.stated or verdict.choice
    if stated is None or stated == "tie":
        return stated
    return "img1" if (stated == "b") == verdict.flipped else "img2"


def _decision(row: dict[str, Any]) -> dict[str, Any]:
    value: Any = row
    path = ("result", "comparison_and_choice", "final_decision")
    for place, name in enumerate(path):
        value = value.get(name)
        if not isinstance(value, dict):
            raise UnreadField(".".join(path[: place + 1]), f"{_told(value)} is no object")
    found: dict[str, Any] = value
    return found


def _stated(value: Any, flipped: bool) -> Choice:
    name = value.strip().lower() if isinstance(value, str) else value
    if name == "tie":
        return "tie"
    if name == "img1":
        return "b" if flipped else "a"
    if name == "img2":
        return "a" if flipped else "b"
    field = "result.comparison_and_choice.final_decision.preferred_image"
    raise UnreadField(field, f"{_told(value)} is none of img1, img2, tie")


def _flipped(value: Any) -> bool:
    if isinstance(value, str) and value.strip().lower() in ("true", "false"):
        return value.strip().lower() == "true"
    if value is None or value in (0, 1):
        return bool(value)
    # Python would take the text "no" for true, and so turn the verdict round.
    raise UnreadField("flipped", f"{_told(value)} is neither true nor false")


def _first(row: dict[str, Any], fields: tuple[str, ...]) -> str:
    for field in fields:
        value = row.get(field)
        if isinstance(value, int | str) and not isinstance(value, bool) and value != "":
            return str(value)
    return ""


def _told(value: Any) -> str:
    return "nothing" if value is None else f"'{shown(str(value))}'"
