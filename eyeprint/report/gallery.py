"""Prompts side by side per person, with the retrieved elements marked where they occur."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

MOST_CHARACTERS = 2400
"""A longer prompt is shown up to here: 150 words are about 1,000."""

UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff]"
)
"""Thai, Lao, Burmese, Khmer, kana and Han: written without spaces between words."""


@dataclass(frozen=True)
class Phrase:
    """One retrieved phrase, and whence."""

    text: str
    category: str = ""
    post_id: str = ""
    found: bool = False
    """Whether it occurs word for word in the prompt."""


@dataclass(frozen=True)
class Sheet:
    """One prompt of the gallery with its scores."""

    method: str
    writer: str
    prompt_html: str
    """Escaped, with ``<mark>`` around the elements; "" when there is no prompt."""
    fault: str
    numbers: tuple[tuple[str, float | None], ...]
    phrases: tuple[Phrase, ...]
    shortened: bool = False
    words_cut: int = 0
    """Words that the plain composer dropped at the word limit."""


def marked(prompt: str, phrases: Sequence[Phrase]) -> tuple[str, frozenset[str]]:
    """Return the prompt as safe HTML with the phrases marked, and the phrases found.

    Phrases match whole words, without regard to case and to how they are spaced; where
    they overlap, the longest wins. Everything is escaped: a prompt is anybody's text.

    >>> marked("A red door & <b>", [Phrase("Red  door")])[0]
    'A <mark>red door</mark> &amp; &lt;b&gt;'
    >>> marked("Hundred doors", [Phrase("red door")])[0]
    'Hundred doors'
    """
    spans: list[tuple[int, int, Phrase]] = []
    found = set()
    for phrase in sorted(phrases, key=lambda one: -len(one.text)):
        words = phrase.text.split()
        if not words:
            continue
        pattern = re.compile(r"\s+".join(map(re.escape, words)), re.IGNORECASE)
        for match in pattern.finditer(prompt):
            start, stop = match.span()
            if not (_edge(prompt, start) and _edge(prompt, stop)):
                continue
            found.add(phrase.text)
            if all(stop <= a or start >= b for a, b, _ in spans):
                spans.append((start, stop, phrase))
    parts, last = [], 0
    for start, stop, phrase in sorted(spans, key=lambda span: span[0]):
        hint = " · ".join(text for text in (phrase.category, phrase.post_id) if text)
        title = f' title="{escape(hint)}"' if hint else ""
        parts.append(escape(prompt[last:start]))
        parts.append(f"<mark{title}>{escape(prompt[start:stop])}</mark>")
        last = stop
    parts.append(escape(prompt[last:]))
    return "".join(parts), frozenset(found)


def _edge(text: str, place: int) -> bool:
    """Whether a word may begin or end at a place of a text."""
    if place in (0, len(text)):
        return True
    before, after = text[place - 1], text[place]
    if unicodedata.category(after).startswith("M"):
        return False  # a vowel sign or accent belongs to the letter before it
    if UNSPACED.match(before) or UNSPACED.match(after):
        return True
    return not (_in_word(before) and _in_word(after))


def _in_word(char: str) -> bool:
    return char.isalnum() or char == "_" or unicodedata.category(char).startswith("M")


def sheet(row: dict[str, Any]) -> Sheet:
    """Make one row of results.jsonl fit to be shown."""
    prompt = row.get("prompt")
    phrases = [
        Phrase(str(one.get("text", "")), str(one.get("category", "")), str(one.get("post_id", "")))
        for one in row.get("elements") or ()
    ]
    text, found = "", frozenset[str]()
    shortened = isinstance(prompt, str) and len(prompt) > MOST_CHARACTERS
    if isinstance(prompt, str):
        text, found = marked(prompt[:MOST_CHARACTERS], phrases)
    names = (("Score", "score"), ("Score-c", "score_c"), ("PA", "pa"), ("GS", "gs"),
             ("CP", "cp"), ("NV", "nv"))  # fmt: skip
    fault = "" if prompt is not None else str(row.get("fault") or "failed")
    detail = str(row.get("detail") or "")[:300]
    return Sheet(
        method=str(row["method"]),
        writer=str(row.get("writer", "")),
        prompt_html=text,
        fault=f"{fault}: {detail}" if fault and detail else fault,
        numbers=tuple((label, row.get(key)) for label, key in names),
        phrases=tuple(
            Phrase(one.text, one.category, one.post_id, one.text in found) for one in phrases
        ),
        shortened=shortened,
        words_cut=int(row.get("words_cut") or 0),
    )
