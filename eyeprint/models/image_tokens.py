"""The most tokens that a picture in a message can be billed as (CHECKLIST X1, X16).

Vendors count pictures by rules of their own, from width and height alone. Each rule here
is theirs, rounded up where their documents leave room; a model whose rule is not known
goes by ``any``, which no known rule exceeds. The price table names a model's rule.
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil
from typing import Final

MARKS_PER_IMAGE = 16
"""More than any known template adds around one picture."""

_TILED_LONGEST = 2048
_TILED_SHORTEST = 768
_TILE = 512
_MOST_PATCHES = 1536
_HIGH_FIDELITY = 6240


def tiles(width: int, height: int) -> int:
    """Return the most 512-pixel tiles of a picture whose shorter side is made 768 pixels.

    The longer side then has 768 · long / short pixels, at most 2,048; the shorter one takes
    two tiles.

    >>> tiles(1024, 1024), tiles(2048, 4096), tiles(10, 1000)
    (4, 6, 8)
    """
    longer = min(_TILED_LONGEST, _TILED_SHORTEST * max(width, height) / min(width, height))
    return 2 * ceil(longer / _TILE)


def _by_tiles(base: int, each: int) -> Callable[[int, int], int]:
    return lambda width, height: base + each * tiles(width, height)


def _for_edits(width: int, height: int) -> int:
    # Pictures that GPT Image edits: the shorter side takes one tile, and reading them with high
    # fidelity costs as much as painting a large one.
    return 65 + 129 * ceil(max(width, height) / min(width, height)) + _HIGH_FIDELITY


def _by_patches(factor: float) -> Callable[[int, int], int]:
    def count(width: int, height: int) -> int:
        patches = min(_MOST_PATCHES, ceil(width / 32) * ceil(height / 32))
        return ceil(patches * factor)

    return count


def _by_crops(width: int, height: int) -> int:
    # Gemini: 258 tokens for each crop; crops are squares of shorter side / 1.5, in 256..768.
    if max(width, height) <= 384:
        return 258
    crop = min(768, max(256, min(width, height) * 2 // 3))
    return 258 * ceil(width / crop) * ceil(height / crop)


def _by_area(width: int, height: int) -> int:
    # Claude: width x height / 750 of a picture that was made to fit 1,568 pixels and about
    # 1,600 tokens; 4,784 on models that take larger ones.
    return min(4784, ceil(width * height / 750))


def _any(width: int, height: int) -> int:
    # Open models count a token for each patch of 14 pixels or more, with marks at the ends
    # of rows; gpt-4o-mini's tiles exceed the other rules, and what models with a fixed grid
    # of crops take for small pictures (up to 6,404).
    patches = (ceil(width / 14) + 1) * (ceil(height / 14) + 1)
    return max(patches, _by_tiles(2833, 5667)(width, height), _by_crops(width, height))


IMAGE_RULES: Final[dict[str, Callable[[int, int], int]]] = {
    "any": _any,
    "tiles-85-170": _by_tiles(85, 170),
    "tiles-70-140": _by_tiles(70, 140),
    "tiles-2833-5667": _by_tiles(2833, 5667),
    "tiles-65-129": _for_edits,
    "patches-1.62": _by_patches(1.62),
    "patches-1.72": _by_patches(1.72),
    "patches-2.46": _by_patches(2.46),
    "crops-258": _by_crops,
    "area-750": _by_area,
}
"""Rule name -> tokens of a picture of (width, height)."""


def image_bound(width: int, height: int, rule: str = "any") -> int:
    """Return the most input tokens of one picture by a rule of :data:`IMAGE_RULES`.

    Raises:
        KeyError: there is no such rule.

    >>> image_bound(1024, 1024, "tiles-85-170")
    781
    >>> image_bound(1024, 1024)
    25517
    """
    return IMAGE_RULES[rule](width, height) + MARKS_PER_IMAGE
