"""Names of concepts, found and masked: every text that a model sees calls them <sks> (M8)."""

from __future__ import annotations

import re
from functools import lru_cache

from eyeprint.records.concepts import SKS

_PARTED = frozenset({"human", "character"})
"""Categories whose names are names part by part; of others, parts may be ordinary words, as in
"grumpy cat" or "red mug"."""
_LEAST = 3
"""Letters of a part of a name that is masked by itself."""
_SEPARATORS = re.compile(r"[\s_\-.]+")
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uf900-\ufaff]")
"""Letters of scripts that write no spaces between words: a name may touch other letters."""
_ANY_SKS = re.compile(r"<\s*sks\s*>", re.IGNORECASE)


@lru_cache(maxsize=1024)
def _pattern(name: str, category: str) -> re.Pattern[str] | None:
    parts = [part for part in _SEPARATORS.split(name) if part]
    if not parts:
        return None
    whole = r"[\s_\-.]*".join(map(re.escape, parts))
    shapes = [whole]
    if category in _PARTED and len(parts) > 1:
        shapes += sorted(
            {re.escape(part) for part in parts if len(part) >= _LEAST and part.isalpha()},
            key=lambda shape: (-len(shape), shape),
        )
    # A number is no name: pictures "1" would be found in every text.
    if all(part.isdecimal() for part in parts):
        return None
    if _UNSPACED.search(name):
        return re.compile("|".join(shapes), re.IGNORECASE)
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(shapes)})(?![^\W_])", re.IGNORECASE)


def names_in(text: str, name: str, category: str) -> tuple[str, ...]:
    """Return where a text calls a concept by its name, each spelling once.

    The whole name counts, in any case and with other signs between its parts; of people and
    characters, every part of three letters and more counts too.

    >>> names_in("Angelina and JOLIE", "Angelina_Jolie", "human")
    ('Angelina', 'JOLIE')
    >>> names_in("a mug with a handle", "red mug", "object")
    ()
    """
    pattern = _pattern(name, category)
    return () if pattern is None else tuple(dict.fromkeys(pattern.findall(text)))


def masked(text: str, name: str, category: str) -> str:
    """Return a text with <sks> for the concept's name, in one spelling of it.

    >>> masked("Is Boo's bowl here? < SKS >", "boo", "animal")
    "Is <sks>'s bowl here? <sks>"
    """
    text = _ANY_SKS.sub(SKS, text)
    pattern = _pattern(name, category)
    if pattern is None:
        return text
    # "Angelina Jolie" is one mask, and so are two parts that stand side by side.
    return re.sub(rf"{SKS}(?:\s+{SKS})+", SKS, pattern.sub(SKS, text))
