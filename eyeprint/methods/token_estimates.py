"""How many tokens a text is, about, without anybody's tokenizer (CHECKLIST M15, M44).

Models cut texts up differently, and the paper does not say which tokenizer counted its
dialogues. One rule for all models keeps their curves on one axis: a token is about four
characters of Latin or other alphabetic writing, and one character of Chinese, Japanese or
Korean. Real tokenizers differ from it by some tenths, more on code and on rare scripts; what a
provider bills is in the run's ledger.
"""

from __future__ import annotations

import re
from math import ceil

CHARACTERS = 4
"""Characters of alphabetic writing, spaces and signs that make one token."""
_WHOLE = re.compile(
    "[\u1100-\u11ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe4f"
    "\uff00-\uffef\U0001f000-\U0001faff\U00020000-\U0003ffff]"
)
"""Han, kana, Hangul, their full-width signs, and emoji: one token each."""


def estimated_tokens(text: str) -> int:
    """Return about how many tokens a text is: ``w + ceil((n - w) / 4)``.

    ``n`` is the number of characters, ``w`` that of Han, kana, Hangul, full-width signs and
    emoji among them. 0 for no text. Line ends and spaces count as characters.

    >>> [estimated_tokens(text) for text in ("", "a", "Is it?", "答案：C")]
    [0, 1, 2, 4]
    """
    whole = len(_WHOLE.findall(text))
    return whole + ceil((len(text) - whole) / CHARACTERS)
