"""What became of a question: answered, unread, refused, empty, cut or failed (M23, M30, X9).

Six outcomes, each counted apart. In this order:

1. *failed*: there is no reply.
2. *refused* by the server (a content filter, a refusal field).
3. *truncated* or *empty*: nothing but reasoning, or no text. A reasoning block that does not
   close is a cut; one that closes with nothing after it is an empty answer, unless the server
   says that the length limit ended it.
4. An evasion (:mod:`eyeprint.scores.refusals`) makes a reply *refused*, unless an answer stands
   free of it: after a turn ("but", "based on", "if I had to") that follows the evasion; behind
   a marker ("Answer: B") outside the evasion's own sentence; or as a letter on a line of its
   own. Then the reply is *answered*, and the evasion's id is kept as a note. A bare "No" beside
   an evasion is no answer to the question: "No, I can't help with that".
5. A cut reply is *answered* only by what was stated firmly before the cut: a whole reply that is
   a letter or a word, or a strong statement after which the reply went on. Else *truncated*.
6. *answered* or *unread*.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from eyeprint.models.kinds import Reply
from eyeprint.models.refusals import find_refusal
from eyeprint.records.concept_questions import AnswerOutcome, ConceptQuestion
from eyeprint.scores.choice_reading import (
    MOST_CHARACTERS,
    choice_statements,
    decide_choice,
    is_aversive,
    json_value,
)
from eyeprint.scores.refusals import Evasion, find_evasions, turn_regex
from eyeprint.scores.reply_decision import Decision, decide
from eyeprint.scores.reply_marks import SOFT, STRONG, read_table
from eyeprint.scores.reply_parts import answer_part, plain
from eyeprint.scores.reply_statements import Statement, surroundings
from eyeprint.scores.yes_no_reading import YES_NO, decide_yes_no, letters_of, yes_no_statements
from eyeprint.scores.yes_no_restating import question_of

_LETTER_ALONE = 3
SERVER = "server"
"""The id of a refusal that the server told, not the words."""
CUT = ("length", "max_tokens", "max_output_tokens", "model_length")
_BEGINS = re.compile(r"[.!?\n。！？।]+")
_GOES_ON = re.compile(r"\S+?(?:[.,;:!)\n]|\s+\S)")
_NO_CUE = frozenset(
    ("line", "lettered-line", "sentence", "clause", "word", "named", "restated", "none-of-them")
)


class ReadAnswer(NamedTuple):
    """What became of a question."""

    outcome: AnswerOutcome
    said: str | None = None
    """The answer; ``None`` unless ``outcome`` is "answered"."""
    rule: str = ""
    alternatives: tuple[str, ...] = ()
    refusal: str = ""
    """The evasion's id; with "answered" a note that the reply disclaims and answers."""
    detail: str = ""


@cache
def _offer_regex() -> re.Pattern[str]:
    return re.compile(read_table("evasions.toml")["offer"]["regex"], re.IGNORECASE)


def read_answer(reply: Reply, question: ConceptQuestion) -> ReadAnswer:
    """Return what became of a question, and the answer if there is one.

    >>> question = ConceptQuestion(id="1", concept="Boo", category="animal", type="awareness",
    ...     group="recognition", question="Is <sks> in the image?", answer="Yes", image="a.png")
    >>> read_answer(Reply(text="Yes, it is."), question).said
    'Yes'
    >>> read_answer(Reply(text="No, I can't help with that."), question)[:2]
    ('refused', None)
    >>> read_answer(Reply(text="<think>He may be", finish_reason="length"), question).outcome
    'truncated'
    """
    if reply.outcome == "failed":
        return ReadAnswer("failed", detail=reply.detail or reply.failure or "")
    by_words = find_refusal(reply.text) is not None
    if reply.finish_reason == "content_filter" or (reply.outcome == "refused" and not by_words):
        return ReadAnswer("refused", refusal=SERVER, detail=reply.detail)
    cut = reply.outcome == "truncated" or (reply.finish_reason or "").lower() in CUT
    part = answer_part(reply.text[-MOST_CHARACTERS:])
    if not part.text:
        if cut or part.reasoning == "unclosed":
            return ReadAnswer("truncated", detail="cut before an answer began")
        why = "nothing after the reasoning" if part.reasoning == "closed" else "no text"
        return ReadAnswer("empty", detail=why)
    return _read(reply.text, part.text, question, cut=cut)


def _read(whole: str, part: str, question: ConceptQuestion, *, cut: bool) -> ReadAnswer:
    if question.options:
        decision = decide_choice(whole, question.options, question.question)
    else:
        decision = decide_yes_no(whole, question.question, None, question.negated)
    value = json_value(part)
    text = plain(value if isinstance(value, str) else part)
    evasions = list(find_evasions(text))
    note = ""
    if evasions:
        worst = next((one for one in evasions if not one.weak), evasions[0])
        note = worst.id
        free = _free_decision(text, question, evasions, decision)
        if free is None:
            return ReadAnswer(
                "refused", refusal=note, alternatives=_all_said(decision), detail=worst.sentence
            )
        decision = free
    reading = decision.reading
    if cut and not _before_cut(text, decision):
        return ReadAnswer(
            "truncated",
            alternatives=_all_said(decision),
            refusal=note,
            detail="cut before an answer",
        )
    if reading.choice is None:
        return ReadAnswer("unread", None, reading.rule, reading.alternatives, note, reading.detail)
    return ReadAnswer(
        "answered", reading.choice, reading.rule, reading.alternatives, note, reading.detail
    )


def _all_said(decision: Decision) -> tuple[str, ...]:
    reading = decision.reading
    return tuple(dict.fromkeys((*filter(None, (reading.choice,)), *reading.alternatives)))


def _before_cut(text: str, decision: Decision) -> bool:
    if decision.reading.choice is None or decision.strength < STRONG:
        return False
    if decision.reading.rule.startswith(("letter", "text", "json")) and decision.start == 0:
        return True
    stated = text[decision.start :].strip()
    if decision.start == 0 and " " not in stated:
        return True
    return _GOES_ON.match(stated) is not None


def _free_decision(
    text: str, question: ConceptQuestion, evasions: Sequence[Evasion], decision: Decision
) -> Decision | None:
    """Return the decision on what stands free of the evasions, or ``None``."""
    if decision.reading.choice is not None and decision.reading.rule.startswith("json"):
        return decision
    if question.options:
        aversive = is_aversive(question.question)
        found = choice_statements(text, question.options, aversive=aversive)
        order = tuple(question.options)
    else:
        asked = question_of(question.question, question.negated)
        found = yes_no_statements(
            text, asked, letters_of(question.question, None), _after_turns(text, evasions)
        )
        order = YES_NO
    kept = [
        one
        for one in found
        if one.role != "states"
        or ((one.strength >= SOFT or _is_doubled(one)) and _is_free(text, one, evasions))
    ]
    made = decide(kept, order)
    return made if made.reading.choice is not None else None


def _after_turns(text: str, evasions: Sequence[Evasion]) -> str:
    """Blank what evades, up to the turn in its sentence, so that the rest can be read."""
    for one in evasions:
        turn = turn_regex().search(text, one.end)
        stop = _BEGINS.search(text, one.end)
        if turn is not None and (stop is None or turn.start() < stop.start()):
            begin = max((m.end() for m in _BEGINS.finditer(text, 0, one.start)), default=0)
            text = f"{text[:begin]}{' ' * (turn.start() - begin)}{text[turn.start() :]}"
    return text


def _is_doubled(one: Statement) -> bool:
    """Return whether an option is named by its letter and its text at once."""
    return one.kind == "letter" and not one.others and one.end - one.start > _LETTER_ALONE


def _is_free(text: str, one: Statement, evasions: Sequence[Evasion]) -> bool:
    begin = max((m.end() for m in _BEGINS.finditer(text, 0, one.start)), default=0)
    end = _BEGINS.search(text, one.end)
    stop = end.end() if end else len(text)
    here = [evasion for evasion in evasions if begin <= evasion.start < stop]
    strong = [evasion for evasion in evasions if not evasion.weak]
    earlier = any(evasion.start < one.start for evasion in evasions)
    cued = one.strength == STRONG and one.rule not in _NO_CUE
    if any(not evasion.weak for evasion in here):
        first = min(evasion.end for evasion in here if not evasion.weak)
        return one.start >= first and _turned(text, first, one)
    if not strong:
        # An apology, or "I'm not sure": what is stated counts, but for a bare word beside it.
        if one.kind == "word" and here:
            return _turned(text, min(evasion.end for evasion in here), one)
        return True
    if cued and not _offer_regex().search(text[begin : one.start]):
        return True
    near = surroundings(text, one.start, one.end)
    alone = near.opens_line and near.closes_line
    if one.kind in ("letter", "text", "script", "small") and one.rule in ("line", "lettered-line"):
        return alone
    if alone and one.kind == "word" and earlier:
        return True
    return earlier and _turned(text, begin, one)


def _turned(text: str, start: int, one: Statement) -> bool:
    """Return whether a turn stands between a place and a statement, and nothing evades after it."""
    turns = [match.start() for match in turn_regex().finditer(text, start, one.end)]
    turns = [at for at in turns if at <= one.start]
    if not turns:
        return False
    if one.kind == "text" and one.strength < STRONG:
        return False
    between = text[turns[0] : one.start if one.kind != "sentence" else one.end]
    if any(not evasion.weak for evasion in find_evasions(between)):
        return False
    return not _offer_regex().search(between)
