"""What states an answer and what denies one: the cues of ``data/answer_cues.toml`` (M23).

A cue is a phrase beside which an answer stands ("the answer is", "is wrong"). All cues are
searched once, forwards, over the whole text, so that the time is linear in its length; whether
an answer stands beside one is looked up afterwards.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Literal, NamedTuple

from eyeprint.scores.reply_parts import lowered

Says = Literal["states", "denies", "asks", "weighs"]
_BEYOND_ASCII = ("zh-", "ja-", "ko-", "ar-", "hi-")
"""Of cues in languages that are written without any letter of ASCII."""
STRONG, SOFT, PLAIN = 2, 1, 0
"""How firmly an answer is stated: given as the answer; spoken for; only named."""
_LEAST = re.compile(r"[^.!?\n]{0,80}\bleast\b")
WIDEST_GAP = 40
_WORDS = (
    r"options?|choices?|letters?|answers?|the|an?|opción|opçao|opção|opzione|réponse|respuesta"
    r"|antwort(?: |-)?(?:möglichkeit)?|lettre|buchstabe|letra|lettera|вариант|ответ|буква"
    r"|选项|選項|選択肢|선택지|보기|الخيار|الحرف|विकल्प|optie|opsi|la|le|el|l'|die|das|den"
)
_GAP = re.compile(
    rf"[\s:=>\"'(\[{{#~-]*(?:(?:{_WORDS})[\s:=\"'(\[{{#-]*){{0,3}}(?:\.\.\.\s*)?", re.IGNORECASE
)


class Cue(NamedTuple):
    """One phrase beside which an answer stands."""

    id: str
    side: Literal["before", "after"]
    says: Says
    strength: int
    regex: re.Pattern[str]
    of: str = ""
    """"liking" or "disliking", where the cue speaks for an option by a taste for it or against it;
    to a question on dislikes such cues say the contrary."""


class CueSpan(NamedTuple):
    """Where a cue was found."""

    start: int
    end: int
    cue: Cue


def read_table(name: str) -> dict[str, Any]:
    """Return a table of ``scores/data`` by its file's name."""
    place = files("eyeprint.scores").joinpath("data", name)
    return tomllib.loads(place.read_text(encoding="utf-8"))


@cache
def cues(side: Literal["before", "after"], aversive: bool = False) -> tuple[Cue, ...]:
    """Return the cues of one side, compiled, in the order of the file.

    ``aversive``: as they are to be read where a question asks for what somebody dislikes.
    """
    strengths = {"strong": STRONG, "soft": SOFT}
    made = []
    for entry in read_table("answer_cues.toml")["cue"]:
        if entry["side"] != side:
            continue
        says, of = entry["says"], entry.get("of", "")
        strength = strengths.get(entry.get("strength", ""), PLAIN)
        if aversive and of:
            says, strength = ("states", SOFT) if of == "disliking" else ("denies", PLAIN)
        regex = re.compile(entry["regex"])
        made.append(Cue(entry["id"], side, says, strength, regex, of))
    return tuple(made)


class CueFinder:
    """The cues of one text.

    >>> finder = CueFinder("I think the answer is not A")
    >>> finder.before(26)[0].cue.id
    'not'
    """

    def __init__(self, text: str, *, aversive: bool = False) -> None:
        """Search all cues that stand before an answer."""
        self.text = text
        self._low = lowered(text)
        ascii_only = text.isascii()
        self._after = cues("after", aversive)
        found = [
            CueSpan(match.start(), match.end(), cue)
            for cue in cues("before", aversive)
            if not (ascii_only and cue.id.startswith(_BEYOND_ASCII))
            for match in cue.regex.finditer(self._low)
            if match.end() > match.start()
        ]
        if aversive:
            found = [span for span in found if not self._outdone(span, found)]
        self._before = sorted(found, key=lambda span: (span.end, span.start))
        self._ends = [span.end for span in self._before]

    def _outdone(self, span: CueSpan, found: Sequence[CueSpan]) -> bool:
        """Return whether another cue says what a cue seems to say of what is disliked.

        "Does not like" is for the option here: what negates within it is no denial of it. And "I'd
        go with" speaks of the answer, not of a taste.
        """
        if span.cue.of == "disliking":
            return False
        if span.cue.of == "liking" and _LEAST.match(self._low, span.end):
            return True
        return any(
            one.start <= span.start
            and span.end <= one.end
            and (
                one.cue.of == "disliking"
                or (span.cue.of == "liking" and one.cue.says == "states" and not one.cue.of)
            )
            for one in found
        )

    def before(self, start: int) -> list[CueSpan]:
        """Return the cues that end where an answer begins, the nearest first."""
        found: list[CueSpan] = []
        for at in range(bisect_right(self._ends, start) - 1, -1, -1):
            span = self._before[at]
            if start - span.end > WIDEST_GAP or len(found) > 8:
                break
            if _GAP.fullmatch(self.text, span.end, start):
                found.append(span)
        return found

    def after(self, end: int) -> list[Cue]:
        """Return the cues that begin where an answer ends."""
        return [cue for cue in self._after if cue.regex.match(self._low, end)]
