"""Which statement of a reply is its answer (M23).

The last strong statement; without one the last soft one; without one the only answer that is
named and not denied. A statement that is denied afterwards is withdrawn. Whatever else was
stated or named comes back beside the reading.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from eyeprint.scores.reply_marks import PLAIN, STRONG
from eyeprint.scores.reply_statements import Statement

_CERTAIN_DENIALS = ("is-wrong", "zh-wrong", "ko-not", "european-wrong")


class Reading(NamedTuple):
    """What was read from a reply.

    >>> Reading("B", "line").alternatives
    ()
    """

    choice: str | None
    """The answer: a letter of the options, "Yes" or "No"; ``None`` when nothing was read."""
    rule: str
    """What in the reply fired, or why there is no reading."""
    alternatives: tuple[str, ...] = ()
    """What else the reply could be read as, in the order of the options."""
    detail: str = ""
    """Why there is no reading, or what is worth noting of it."""


class Decision(NamedTuple):
    """A reading with how firm it is and where it stands."""

    reading: Reading
    strength: int = PLAIN
    start: int = 0
    end: int = 0


def unread(rule: str, detail: str, alternatives: tuple[str, ...] = ()) -> Decision:
    """Return that nothing was read, and why."""
    return Decision(Reading(None, rule, alternatives, detail))


def decide(found: Sequence[Statement], order: Sequence[str]) -> Decision:
    """Return the reading that statements amount to; ``order`` is that of the options."""

    def sort(keys: set[str], but: str | None = None) -> tuple[str, ...]:
        return tuple(key for key in order if key in keys and key != but)

    denied = {key for one in found if one.role == "denies" for key in one.keys}
    live = [one for one in found if one.role == "states"]
    named = {key for one in found if one.role != "denies" for key in (*one.keys, *one.others)}
    pick = _last(live)
    if pick is not None:
        pick = _not_withdrawn(pick, found, live)
        if pick is None:
            return unread("withdrawn", "an answer is stated, then denied", sort(named))
    else:
        plain = {key for one in live for key in one.keys} - denied
        if len(plain) == 1:
            only = next(iter(plain))
            pick = next(one for one in reversed(live) if only in one.keys)
            letter = any(one.kind != "text" for one in live if only in one.keys)
            pick = pick._replace(keys=(only,), rule="lone-letter" if letter else "text-contained")
        elif plain:
            return unread("several", "several answers are named and none stated", sort(plain))
        else:
            return _nothing(named, denied, order)
    if len(pick.keys) != 1:
        if not pick.keys:
            return unread("none-of-them", "every option is turned down", sort(named))
        return unread("several", "several answers are stated at once", sort(set(pick.keys)))
    choice = pick.keys[0]
    others = {key for one in live for key in (*one.keys, *one.others)} | set(pick.others)
    detail = (
        f"the letter is {choice}, the text beside it that of {pick.others[0]}"
        if pick.others
        else ""
    )
    rule = f"{pick.rule}, other text" if pick.others else pick.rule
    reading = Reading(choice, rule, sort(others, choice), detail)
    return Decision(reading, pick.strength, pick.start, pick.end)


def _last(live: Sequence[Statement]) -> Statement | None:
    firm = [one for one in live if one.strength > PLAIN]
    strong = [one for one in firm if one.strength == STRONG]
    best = strong or firm
    return best[-1] if best else None


def _not_withdrawn(
    pick: Statement, found: Sequence[Statement], live: Sequence[Statement]
) -> Statement | None:
    denials = [
        one.start
        for one in found
        if one.role == "denies"
        and one.cue in _CERTAIN_DENIALS
        and one.keys == pick.keys
        and one.start > pick.start
    ]
    if not denials:
        return pick
    later = [one for one in live if one.start > denials[-1] and one.keys != pick.keys]
    return _last(later)


def _nothing(named: set[str], denied: set[str], order: Sequence[str]) -> Decision:
    left = tuple(key for key in order if key not in denied)
    if denied and len(left) == 1:
        return unread("denied", f"all but {left[0]} are denied, and nothing is stated", left)
    if denied and not left:
        return unread("denied", "every option is denied")
    if named:
        return unread(
            "only-named", "options are named, none is stated", tuple(k for k in order if k in named)
        )
    return unread("nothing", "no option is named")
