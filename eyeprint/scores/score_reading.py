"""Reads scores out of replies: one number, several named ones, or JSON (M20, M23).

A score is a number within its scale; one beyond it is no score, and never cut to the scale. "4
out of 10" is no score from 0 to 5: it is not rescaled. The last stated score wins; a range ("3
to 4") is none.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

from eyeprint.models.json_replies import read_json
from eyeprint.scores.reply_parts import answer_part, plain

MOST_CHARACTERS = 100_000
_NUMBER = r"(?<![\w.,/-])(?P<sign>-?)(?P<number>\d{1,6}(?:[.,]\d{1,6})?)(?![\w]|[.,]\d)"
_SCORE = re.compile(
    rf"{_NUMBER}(?:\s?(?P<over>/|out of|of|von|sur|de|su|из)\s?(?P<top>\d{{1,6}})(?!\d|[.,]\d))?"
    r"(?P<range>\s?(?:-|to|or|and|bis|à)\s?\d{1,6}(?:[.,]\d{1,6})?(?!\w))?(?P<percent>\s?%)?",
    re.IGNORECASE,
)
_CUE = re.compile(
    r"(?:\b(?:score|rating|grade|mark|points?|rate|bewertung|note|puntuación|pontuação|punteggio|"
    r"оценка|answer|verdict|overall|total)|评分|分数|得分|スコア|점수)[\w ]{0,30}?"
    r"(?:\s?(?:is|of|:|=|as|at|with|be|-|是|为|は)\s?|\s)(?:a |an |about )?[\"'(\[]*$",
    re.IGNORECASE,
)


class ScoreReading(NamedTuple):
    """A score, or why there is none."""

    value: float | None
    rule: str
    alternatives: tuple[float, ...] = ()
    """The other numbers within the scale that stand where a score can stand."""
    detail: str = ""


class _Found(NamedTuple):
    value: float | None
    cued: bool
    full: bool
    """Whether the scale's end stands beside it ("4/5")."""
    fault: str


def _value(match: re.Match[str], low: float, high: float) -> tuple[float | None, str]:
    value = float(match["sign"] + match["number"].replace(",", "."))
    if match["percent"]:
        return None, f"{value:g} % is on another scale"
    if match["range"]:
        return None, "a range is no score"
    if match["top"] and float(match["top"]) != high:
        return None, f"{value:g} of {match['top']} is on another scale than {low:g} to {high:g}"
    if not low <= value <= high:
        return None, f"{value:g} is not within {low:g} to {high:g}"
    return value, ""


def _find(text: str, low: float, high: float) -> list[_Found]:
    found = []
    for match in _SCORE.finditer(text):
        value, fault = _value(match, low, high)
        cued = _CUE.search(text, max(0, match.start() - 60), match.start()) is not None
        found.append(_Found(value, cued, bool(match["top"]), fault))
    return found


def _from_json(value: object, low: float, high: float) -> ScoreReading:
    if isinstance(value, str):
        return _decide(plain(value), low, high)
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return ScoreReading(None, "json", detail=f"{value!r} is no number")
    if not low <= value <= high:
        return ScoreReading(None, "json", detail=f"{value:g} is not within {low:g} to {high:g}")
    return ScoreReading(float(value), "json")


def _decide(text: str, low: float, high: float) -> ScoreReading:
    found = _find(text, low, high)
    whole = _SCORE.fullmatch(text.strip(" \n.!\"'()[]"))
    if whole is not None:
        value, fault = _value(whole, low, high)
        return ScoreReading(value, "whole" if value is not None else "outside", detail=fault)
    ranked = [one for one in found if one.cued] or [one for one in found if one.full] or found
    if not ranked:
        return ScoreReading(None, "nothing", detail="no number is given")
    rule = "cue" if ranked[0].cued else "of-the-scale" if ranked[0].full else "only-number"
    others = tuple(dict.fromkeys(one.value for one in found if one.value is not None))
    if rule == "only-number" and len({one.value for one in found}) > 1:
        return ScoreReading(None, "several", others, "several numbers, and none called a score")
    last = ranked[-1]
    if last.value is None:
        return ScoreReading(None, "outside", others, last.fault)
    return ScoreReading(last.value, rule, tuple(v for v in others if v != last.value))


def read_score(text: str, low: float = 0, high: float = 5) -> ScoreReading:
    """Return the score that a reply gives.

    >>> read_score("I would give it 4/5.").value
    4.0
    >>> read_score("Score: 3.5 (colours 2, layout 5)").value
    3.5
    >>> read_score("7", 0, 5).detail
    '7 is not within 0 to 5'
    """
    part = answer_part(text[-MOST_CHARACTERS:]).text
    if "{" in part:
        value = read_json(part).value
        if isinstance(value, dict):
            keys = [key for key in value if re.search(r"score|rating|grade|answer", key, re.I)]
            numbers = [key for key in value if isinstance(value[key], int | float)]
            chosen = keys[-1:] or (numbers if len(numbers) == 1 else [])
            if chosen:
                return _from_json(value[chosen[0]], low, high)
    return _decide(plain(part), low, high)


def read_scores(
    text: str, names: Sequence[str], low: float = 0, high: float = 5
) -> dict[str, ScoreReading]:
    """Return the score of each name: from JSON, or from lines such as "Colours: 4/5".

    >>> read = read_scores("Colours: 4/5, layout - 2", ["colours", "layout", "mood"])
    >>> [one.value for one in read.values()]
    [4.0, 2.0, None]
    """
    part = answer_part(text[-MOST_CHARACTERS:]).text
    value = read_json(part).value if "{" in part else None
    if isinstance(value, dict):
        by_name = {str(key).casefold().replace("_", " "): item for key, item in value.items()}
        given = {name: by_name.get(name.casefold().replace("_", " ")) for name in names}
        if any(item is not None for item in given.values()):
            missing = ScoreReading(None, "nothing", detail="the JSON has no such key")
            return {
                name: missing if item is None else _from_json(item, low, high)
                for name, item in given.items()
            }
    return {name: _named(plain(part), name, low, high) for name in names}


def _named(text: str, name: str, low: float, high: float) -> ScoreReading:
    words = r"[\W_]{1,3}".join(map(re.escape, re.findall(r"\w+", name)))
    regex = re.compile(
        rf"(?<!\w){words}(?!\w)[ \t]*(?:score|rating)?[\"')\]]*[ \t]*(?:is|:|=|-|gets|\n)?[ \t]*"
        rf"(?:an? )?[\"'(\[]*(?={_NUMBER})",
        re.IGNORECASE,
    )
    at = [match.end() for match in regex.finditer(text)]
    if not at:
        return ScoreReading(None, "nothing", detail=f"no number stands beside '{name}'")
    match = _SCORE.match(text, at[-1])
    if match is None:
        return ScoreReading(None, "nothing", detail=f"no score stands beside '{name}'")
    value, fault = _value(match, low, high)
    return ScoreReading(value, "named" if value is not None else "outside", detail=fault)
