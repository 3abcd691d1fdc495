"""From where answers are named to what a reply states (M23).

A mention is a place at which an option, or yes or no, is named. Neighbours that are joined by
"or", "and" or a comma make one statement of several answers. What stands beside a statement, or
that it stands alone, says how firm it is; the last of the firmest is the reading.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

from eyeprint.scores.reply_marks import PLAIN, SOFT, STRONG, Cue, CueFinder

_OF_ITS_LINE = ("not", "european-not", "zh-not", "ar-not")
MOST_MENTIONS = 400
"""Of more mentions only the last are read: what a reply decides it decides at its end."""
Kind = Literal["letter", "text", "script", "small", "word", "sentence"]
Role = Literal["states", "denies", "asks", "weighs", "lists"]

_JOIN = re.compile(
    r"[\"')\].]{0,3}\s?(?:(?P<comma>,)|[/&+]|(?:,\s?)?"
    r"(?:\b(?:or (?:maybe|perhaps|possibly|even)|or|and|nor|oder|und|ou|et|o|y|e|u|или|"
    r"и|ни|noch|ni|nem|né|of|en|lub|i|veya|ve|atau|dan|và|hoặc)\b|或者?|和|与|か|と|또는|와|과|أو|و|या|"
    r"और|、))\s?(?:(?:option|answer|choice|the|an?)\s){0,2}[\"'(\[]{0,3}",
    re.IGNORECASE,
)
_LEFT = " \t\"'([{*~,"
_STOPS = ".!?;:。！？；؟।、"
_RIGHT = re.compile(r"[ \t\"')\]}*~]*")
_DELIMITER = re.compile(r"[\"')\]}]*(?:[.:,)\]]|\)| ?-)(?=\s|[^\W\d_]|[\"'(]|$)|[\"']?[)\]]")
_AGAINST = re.compile(
    r"(?:\b(?:not|n't|never|cannot|can't)\s(?:\w+ly\s)?(?:think|believe|say|mean|claim|agree|"
    r"sure|certain|know|confirm)(?:\sthat)?|\bdoubt(?:\sthat)?|\b(?:if|whether|unless)\b[^,.;:\n]*|\bsuppose|"
    r"\bassum\w{1,4}|\bwhy|\bsomeone|\bpeople|\bwho|\bnot|\bn't|\bno)\s*"
    r"(?:(?:that|the|my|your|a|correct|right|best|of)\s*){0,3}$",
    re.IGNORECASE,
)


class Mention(NamedTuple):
    """A place at which an answer is named."""

    start: int
    end: int
    key: str
    kind: Kind
    other: str | None = None
    """The option whose text stands beside the letter of another."""
    mark: int | None = None
    """Where the letter ends, if its text goes on from there."""


class Statement(NamedTuple):
    """What a reply says of one answer, or of several at once."""

    start: int
    end: int
    keys: tuple[str, ...]
    role: Role
    strength: int
    rule: str
    kind: Kind = "letter"
    others: tuple[str, ...] = ()
    cue: str = ""
    """The cue that denies, asks or weighs."""


class Surroundings(NamedTuple):
    """Whether a mention begins or ends a line or a sentence."""

    opens_line: bool
    closes_line: bool
    opens_sentence: bool
    closes_sentence: bool
    after_question: bool
    after_comma: bool
    delimited: bool


def surroundings(text: str, start: int, end: int) -> Surroundings:
    """Return how a mention stands in its line and sentence."""
    at = start - 1
    comma = False
    while at >= 0 and start - at <= 12 and text[at] in _LEFT:
        comma = comma or text[at] == ","
        at -= 1
    left = text[at] if at >= 0 else "\n"
    opens_line = left == "\n" and not comma
    symbol = not (left.isalnum() or left.isspace() or left in "-'\"&_+#@/\\<=%^")
    opens_sentence = not comma and (opens_line or left in _STOPS or symbol)
    gap = _RIGHT.match(text, end)
    after = gap.end() if gap else end
    right = text[after : after + 1] or "\n"
    tail = after
    while (
        tail < len(text)
        and tail - after <= 6
        and (text[tail] in ".!。 \"')]" or (ord(text[tail]) > 0x2600 and not text[tail].isalnum()))
    ):
        tail += 1
    rest = text[tail : tail + 1] or "\n"
    closes_line = rest == "\n"
    closes_sentence = closes_line or (right in ".!;。！।" and tail > after)
    return Surroundings(
        opens_line,
        closes_line,
        opens_sentence,
        closes_sentence,
        left == "?",
        comma,
        _DELIMITER.match(text, end) is not None,
    )


def _groups(text: str, mentions: Sequence[Mention]) -> list[list[Mention]]:
    groups: list[list[Mention]] = []
    weak = False
    for mention in mentions:
        join = None
        if groups and 0 < mention.start - groups[-1][-1].end <= 24:
            join = _JOIN.fullmatch(text, groups[-1][-1].end, mention.start)
        if join is None:
            groups.append([mention])
            weak = False
            continue
        groups[-1].append(mention)
        # A comma joins what goes on as a list: "A, B or C" and "A, B.", not "A, B is wrong".
        weak = join["comma"] is not None and join[0].strip("\"')]. ([") == ","
        if weak:
            near = surroundings(text, mention.start, mention.end)
            follows = _JOIN.match(text, mention.end)
            if not (near.closes_sentence or follows):
                groups[-1].pop()
                groups.append([mention])
    return groups


def _states(finder: CueFinder, start: int) -> tuple[Role | None, int, str]:
    """Return what the cues before a place say: role, strength and the cue's id."""
    spans = finder.before(start)
    if not spans:
        return None, PLAIN, ""
    nearest = spans[0].end
    # Of cues that end together the longest comes first: "rather than", not "than".
    here = sorted((span for span in spans if span.end >= nearest - 1), key=lambda s: s.start)
    for role in ("denies", "asks", "weighs"):
        for span in here:
            if span.cue.says == role and not (
                # "A: no", and B on the next line: the denial is not of B.
                span.cue.id in _OF_ITS_LINE and "\n" in finder.text[span.end : start]
            ):
                return role, PLAIN, span.cue.id
    best: tuple[int, Cue] | None = None
    hedge = ""
    for span in spans:
        if span.cue.says != "states":
            continue
        window = finder.text[max(0, span.start - 40) : span.start].rsplit("\n", 1)[-1]
        if span.cue.id != "if-asked" and _AGAINST.search(window):
            hedge = span.cue.id
            continue
        if best is None or span.cue.strength > best[0]:
            best = (span.cue.strength, span.cue)
    if best is not None:
        return "states", best[0], best[1].id
    return ("weighs", PLAIN, hedge) if hedge else (None, PLAIN, "")


def _statement(text: str, group: list[Mention], finder: CueFinder) -> list[Statement]:
    first, last = group[0], group[-1]
    role, strength, cue = _states(finder, first.start)
    after = finder.after(last.end)
    if first.kind == "word":
        # "No, it cannot be": what follows a word explains it.
        after = [c for c in after if c.says == "asks"]
    near = surroundings(text, first.start, last.end)
    if first.mark is not None:
        near = near._replace(delimited=_DELIMITER.match(text, first.mark) is not None)
    denied = next((c for c in after if c.says == "denies"), None)
    asked = next((c for c in after if c.says == "asks"), None)
    keys = tuple(dict.fromkeys(mention.key for mention in group))
    others = tuple(m.other for m in group if m.other is not None)

    def made(role: Role, strength: int, rule: str, cue: str = "") -> Statement:
        kind = first.kind
        return Statement(first.start, last.end, keys, role, strength, rule, kind, others, cue)

    if asked:
        return [made("asks", PLAIN, asked.id, asked.id)]
    if role == "denies":
        if cue == "rather-than" and len(group) > 1:
            # "Rather than A, B": the denial is of the first only.
            return [*_statement(text, group[:1], finder), *_statement(text, group[1:], finder)]
        return [made("denies", PLAIN, cue, cue)]
    if denied:
        if len(group) > 1 and role == "states":
            # "Answer: B, C is wrong": the denial is of the last only.
            return [*_statement(text, group[:-1], finder), *_statement(text, group[-1:], finder)]
        return [made("denies", PLAIN, denied.id, denied.id)]
    stated = max((c for c in after if c.says == "states"), key=lambda c: c.strength, default=None)
    if stated and cue != "concedes" and (role != "states" or stated.strength > strength):
        role, strength, cue = "states", stated.strength, stated.id
    if role in ("asks", "weighs"):
        return [made(role, PLAIN, cue, cue)]
    structural = _structure(near, first.kind)
    if structural and structural[0] > strength:
        return [made("states", *structural)]
    if role == "states":
        return [made("states", strength, cue)]
    return [made("states", PLAIN, "named")]


def _structure(near: Surroundings, kind: Kind) -> tuple[int, str] | None:
    """Return the strength and rule of what stands alone."""
    if near.opens_line and near.closes_line:
        return STRONG, "line"
    if kind == "word":
        return (STRONG if near.opens_line else SOFT), "word"
    if near.opens_line and kind == "letter" and near.delimited:
        return STRONG, "lettered-line"
    if near.opens_sentence and near.closes_sentence:
        return SOFT, "sentence"
    if near.opens_sentence and kind == "letter" and near.delimited and not near.after_question:
        return PLAIN, "named"
    if near.after_comma and near.closes_sentence and kind == "letter":
        return SOFT, "clause"
    return None


def _mark_lists(found: list[Statement], order: Sequence[str]) -> list[Statement]:
    """Turn runs of lettered lines (A. ..., B. ..., C. ...) into lists: options said again."""
    at = [i for i, one in enumerate(found) if one.rule in ("line", "lettered-line")]
    rank = {key: i for i, key in enumerate(order)}
    listed: set[int] = set()
    for one, two in pairwise(at):
        first, second = found[one].keys, found[two].keys
        if len(first) == len(second) == 1 and rank[second[0]] == rank[first[0]] + 1:
            listed |= {one, two}
    return [
        one._replace(role="lists", strength=PLAIN) if i in listed else one
        for i, one in enumerate(found)
    ]


def find_statements(
    text: str, mentions: Sequence[Mention], finder: CueFinder, order: Sequence[str]
) -> list[Statement]:
    """Return what a text says of the answers that are mentioned, in the order of the text."""
    kept = sorted(mentions)[-MOST_MENTIONS:]
    found = [s for group in _groups(text, kept) for s in _statement(text, group, finder)]
    return _mark_lists(found, order)
