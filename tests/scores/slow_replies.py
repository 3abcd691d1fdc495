"""Slow and obvious twins of the reading of replies: one character and one word at a time."""

from __future__ import annotations

import re

PAIRS = ["()", "[]", "{}", '""', "''", "**", "__", "``", "“”", "「」"]
ENDS = ".,;:!。"


def slow_letter(text: str, letters: str) -> str | None:
    """Return the letter that is left when wrappers are taken off one by one."""
    text = text.strip()
    while len(text) > 1:
        for command in ("\\boxed", "\\text", "\\mathrm", "\\textbf"):
            if text.startswith(command + "{") and text.endswith("}"):
                text = text[len(command) :]
        if text[-1] in ENDS:
            text = text[:-1].strip()
        elif text[0] + text[-1] in PAIRS or (text[0] == text[-1] == "$"):
            text = text[1:-1].strip()
        elif text.lower().startswith("option "):
            text = text[7:].strip()
        else:
            return None
    return text.upper() if text and text.upper() in letters else None


def slow_texts(reply: str, options: dict[str, str]) -> set[str]:
    """Return the options whose words stand in a reply in a row, but within no longer option."""
    said = re.findall(r"\w+", reply.lower())
    places: dict[str, set[tuple[int, int]]] = {}
    for key, option in options.items():
        words = re.findall(r"\w+", option.lower())
        places[key] = {
            (at, at + len(words))
            for at in range(len(said) - len(words) + 1)
            if said[at : at + len(words)] == words
        }
    found = set()
    for key, spots in places.items():
        for start, stop in spots:
            longer = any(
                a <= start and stop <= b and (b - a) > (stop - start)
                for other, more in places.items()
                if other != key
                for a, b in more
            )
            if not longer:
                found.add(key)
    return found
