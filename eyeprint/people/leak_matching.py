"""Finds which pictures are copies of which, by hashes and by small gray images.

The first ``first`` pictures are the benchmark, the others training rows: the benchmark is
compared with itself and with the training rows, which are not compared among themselves.
Work is matrix products over blocks: 20,000 pictures take minutes, not days.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from eyeprint.config import Settings
from eyeprint.maths.windows import (
    TURNS,
    WHOLE,
    Floats,
    agreeing,
    block_means,
    details,
    neighbour_means,
    neighbours,
    patchwise,
    running_sums,
    shapes,
    turned,
    window_grid,
    window_means,
)
from eyeprint.people.leak_marks import PictureMarks, Thumb

Kind = Literal["file", "pixels", "flip", "gray", "near", "crop", "embedding"]
"""How two pictures are alike: the same bytes; pixels; pixels turned or mirrored; pixels
without their colours; nearly the same picture; a part of it; neighbours in an encoder."""

_SCALES = ((0.85, 3), (0.72, 4), (0.61, 5), (0.52, 6))
_BLOCK_BYTES = 64 << 20
_REFINED_AT_ONCE = 24
"""Few enough for a processor's cache: more at once takes half as long again."""
_SURE_STARTS = 10
_HOPELESS = 0.5
"""Correlation up to which a window is left: even a badly placed one of a copy has more."""
_PAIRS_AT_ONCE = 2048
_AGREES = 0.9
"""Correlation from which on two patches agree."""
_OVERLAID = "something is laid over one of them"
_ROUNDS = ((8, 0.82), (8, 0.88), (16, 0.85), (16, 0.9), (16, 0.9), (16, 0.0))
"""Cells a side and least correlation of each round of fitting, the steps halved each time; the
first sends most away: nothing else is near enough to get better."""


class MatchSettings(Settings):
    """From where on two pictures count as copies. Correlations of gray images, in [-1, 1]."""

    near: float = Field(default=0.95, gt=0, le=1)
    """Least correlation of two whole pictures at 16 × 16. Saving again keeps 0.99; unlike
    photographs reach 0.8."""
    near_detail: float = Field(default=0.85, gt=0, le=1)
    """Least correlation of their details at 32 × 32 that 8 × 8 does not show."""
    near_patches: float = Field(default=0.7, gt=0, le=1)
    """Least mean correlation patch by patch: 8 × 8 patches of 4 × 4 cells."""
    crop: float = Field(default=0.96, gt=0, le=1)
    """Least correlation of a picture with the best place in another, at 16 × 16. Parts that
    were saved again reach 0.99; drawings of one house by one painter 0.97."""
    crop_detail: float = Field(default=0.9, gt=0, le=1)
    """Least correlation of their details at 24 × 24 that 6 × 6 does not show."""
    crop_patches: float = Field(default=0.88, gt=0, le=1)
    """Least mean correlation patch by patch: 6 × 6 patches of 4 × 4 cells."""
    overlaid: float = Field(default=0.75, gt=0, le=1)
    """Least share of patches that agree of a target and a reference, where one has a caption,
    a logo or a bar laid over it: a bar on a tenth leaves 0.8 to 0.9; unlike pictures reach 0.2."""
    patch_spread: float = Field(default=2.0, gt=0)
    """Standard deviation, in gray levels of 255, from which on a patch shows something."""
    crops: bool = True
    """Whether parts are looked for at all: parts of at least half of a picture's sides."""
    crop_candidates: int = Field(default=12, ge=1)
    """How many pictures are looked at closely as parts of each picture: the likeliest."""
    crop_likely: float = Field(default=0.86, gt=0, le=1)
    """And those that correlate so much with one of the windows of a coarse grid ..."""
    crop_most: int = Field(default=48, ge=1)
    """... but no more than so many: drawings by one painter are likely by the hundred."""


class Match(NamedTuple):
    """Two alike pictures, by number; ``a`` before ``b``."""

    a: int
    b: int
    kind: Kind
    distance: float
    """0 for equal hashes, else 1 - correlation."""
    told: str = ""
    """What was done to one to get the other, as far as it is known."""


def exact_kind(one: PictureMarks, other: PictureMarks) -> Kind | None:
    """Return by which hash two pictures are equal, the strictest first, or ``None``."""
    if one.file and one.file == other.file:
        return "file"
    if one.pixels == other.pixels:
        return "pixels"
    if one.upright == other.upright:
        return "flip"
    return "gray" if one.gray_upright == other.gray_upright else None


def exact_groups(marks: Sequence[PictureMarks]) -> NDArray[np.intp]:
    """Return for each picture the number of the first one that it equals but for turns and colour.

    Pictures with the same file, pixels or upright form have the same gray upright form, so
    one look-up finds them all.
    """
    first: dict[str, int] = {}
    return np.array([first.setdefault(m.gray_upright, n) for n, m in enumerate(marks)], np.intp)


def near_matches(
    thumbs: NDArray[np.uint8], first: int, settings: MatchSettings | None = None
) -> list[Match]:
    """Return the pairs of pictures that are nearly the same, turned or mirrored or not.

    Args:
        thumbs: shape (n, 64, 64), of pictures that are not flat.
        first: how many of them are the benchmark's.
        settings: thresholds.
    """
    settings = settings or MatchSettings()
    base = shapes(block_means(thumbs, 16))
    found: dict[tuple[int, int], tuple[float, int]] = {}
    for turn in range(len(TURNS)):
        other = shapes(turned(block_means(thumbs, 16), turn).astype(np.float32))
        for start, block in _blocks(base[:first], len(thumbs)):
            likeness = block @ other.T
            for row, column in zip(*np.nonzero(likeness >= settings.near), strict=True):
                pair = (start + int(row), int(column))
                value = float(likeness[row, column])
                if pair[0] < pair[1] and value > found.get(pair, (-1.0, 0))[0]:
                    found[pair] = (value, turn)
    matches = []
    for (a, b), (value, turn) in sorted(found.items()):
        both = np.stack((thumbs[a], turned(thumbs[b][None], turn)[0]))
        cells = block_means(both, 32)
        fine = details(cells, 8)
        patches = patchwise(cells[:1], cells[1:], 8, settings.patch_spread)[0]
        if float(fine[0] @ fine[1]) >= settings.near_detail and patches >= settings.near_patches:
            told = TURNS[turn] if turn else ""
            matches.append(Match(a, b, "near", max(0.0, 1 - value), told))
    return matches


def overlaid_matches(
    thumbs: NDArray[np.uint8],
    pairs: Sequence[tuple[int, int]],
    settings: MatchSettings | None = None,
) -> list[Match]:
    """Return those of some pairs that are one picture with something laid over it.

    A strip of text spoils the correlation of whole pictures, and leaves neither a part of
    the other: most patches agree all the same. Asked of given pairs only, such as target and
    reference, for drawings by one painter share many patches.

    Args:
        thumbs: shape (n, 64, 64), of pictures that are not flat.
        pairs: numbers of pictures, the smaller first.
        settings: thresholds.
    """
    settings = settings or MatchSettings()
    distinct = list(dict.fromkeys(pairs))
    cells = block_means(thumbs, 32)
    best: dict[tuple[int, int], tuple[float, int]] = {}
    for start in range(0, len(distinct), _PAIRS_AT_ONCE):
        some = np.array(distinct[start : start + _PAIRS_AT_ONCE])
        for turn in range(len(TURNS)):
            other = turned(cells[some[:, 1]], turn).astype(np.float32)
            shares = agreeing(cells[some[:, 0]], other, 8, settings.patch_spread, _AGREES)
            for place in np.nonzero(shares >= settings.overlaid)[0].tolist():
                pair = (int(some[place, 0]), int(some[place, 1]))
                if shares[place] > best.get(pair, (0.0, 0))[0]:
                    best[pair] = (float(shares[place]), turn)
    return [
        Match(a, b, "near", 1 - share, f"{_OVERLAID}, {TURNS[turn]}" if turn else _OVERLAID)
        for (a, b), (share, turn) in sorted(best.items())
    ]


def _blocks(rows: Floats, columns: int) -> Iterator[tuple[int, Floats]]:
    size = max(1, _BLOCK_BYTES // (4 * max(columns, 1)))
    for start in range(0, len(rows), size):
        yield start, rows[start : start + size]


def crop_matches(
    thumbs: NDArray[np.uint8],
    first: int,
    settings: MatchSettings | None = None,
    surely: Sequence[tuple[int, int]] = (),
) -> list[Match]:
    """Return the pairs of which one shows a part of the other, mirrored or not.

    A coarse grid of windows of each picture is correlated with all pictures; the likeliest
    are fitted more closely, place and size halving their steps. Parts of less than half of a
    side are not found, and parts that are turned as well only in pairs of ``surely``.

    Args:
        thumbs: shape (n, 64, 64), of pictures that are not flat.
        first: how many of them are the benchmark's.
        settings: thresholds.
        surely: pairs that are fitted whatever the coarse grid says, such as the target and
            the references of a case.
    """
    settings = settings or MatchSettings()
    best: dict[tuple[int, int], tuple[float, int, int]] = {}
    queue = list(_likely_parts(thumbs, first, settings))
    grid = _grid()
    queue += _sure_parts(thumbs, surely, grid)
    for start in range(0, len(queue), _REFINED_AT_ONCE):
        chunk = queue[start : start + _REFINED_AT_ONCE]
        for (whole, part, turn, _), value in zip(
            chunk, _fitted(thumbs, chunk, settings), strict=True
        ):
            pair = (min(whole, part), max(whole, part))
            if value > best.get(pair, (0.0, 0, 0))[0]:
                best[pair] = (value, turn, whole)
    return [
        Match(a, b, "crop", max(0.0, 1 - value), _told(turn, whole == a))
        for (a, b), (value, turn, whole) in sorted(best.items())
    ]


def _told(turn: int, second_is_part: bool) -> str:
    part = (
        "the second is a part of the first"
        if second_is_part
        else ("the first is a part of the second")
    )
    return f"{part}, {TURNS[turn]}" if turn else part


class _Fit(NamedTuple):
    """A picture that may be a part of another."""

    whole: int
    part: int
    turn: int
    window: tuple[float, float, float, float]


def _grid() -> Floats:
    return np.concatenate((np.array([WHOLE], np.float32), window_grid(_SCALES)))


def _window_shapes(thumbs: NDArray[np.uint8], grid: Floats) -> Floats:
    """Return the shapes of every window of every thumbnail, shape (n * windows, 64)."""
    which = np.repeat(np.arange(len(thumbs)), len(grid))
    return shapes(window_means(running_sums(thumbs), which, np.tile(grid, (len(thumbs), 1)), 8))


def _likely_parts(thumbs: NDArray[np.uint8], first: int, settings: MatchSettings) -> Iterator[_Fit]:
    grid = _grid()
    small = block_means(thumbs, 8)
    sides = [(turn, shapes(turned(small, turn).astype(np.float32))) for turn in (0, 1)]
    size = max(1, _BLOCK_BYTES // (4 * len(grid) * max(len(thumbs), 64)))
    for start in range(0, len(thumbs), size):
        block = thumbs[start : start + size]
        windows = _window_shapes(block, grid)
        for turn, whole in sides:
            parts = whole if start < first else whole[:first]
            likeness = (windows @ parts.T).reshape(len(block), len(grid), -1)
            where = likeness.argmax(axis=1)
            top = np.take_along_axis(likeness, where[:, None], axis=1)[:, 0]
            for row in range(len(block)):
                number = start + row
                values = top[row].copy()
                values[number : number + 1] = -1
                if number >= first:
                    values[first:] = -1
                for part in _highest(values, settings):
                    window = grid[where[row, part]].tolist()
                    yield _Fit(number, part, turn, tuple(window))


def _highest(values: Floats, settings: MatchSettings) -> list[int]:
    likely = int((values >= settings.crop_likely).sum())
    most = max(settings.crop_candidates, min(likely, settings.crop_most))
    most = min(most, len(values))
    top = np.sort(np.argpartition(values, len(values) - most)[len(values) - most :])
    return [int(n) for n in top if values[n] > _HOPELESS]


def _sure_parts(
    thumbs: NDArray[np.uint8], pairs: Sequence[tuple[int, int]], grid: Floats
) -> list[_Fit]:
    """Return every pair both ways, each from its best windows over all turns."""
    directed = dict.fromkeys(pair for one, other in pairs for pair in ((one, other), (other, one)))
    found = []
    known: tuple[int, Floats] | None = None
    for whole, part in sorted(directed):
        if known is None or known[0] != whole:
            known = whole, _window_shapes(thumbs[whole][None], grid)
        small = block_means(thumbs[part][None], 8)
        turns = [shapes(turned(small, turn).astype(np.float32))[0] for turn in range(len(TURNS))]
        likeness = (known[1] @ np.stack(turns).T).ravel()
        for place in np.argsort(-likeness, kind="stable")[:_SURE_STARTS].tolist():
            if likeness[place] <= _HOPELESS:
                break
            window, turn = divmod(place, len(TURNS))
            found.append(_Fit(whole, part, turn, tuple(grid[window].tolist())))
    return found


def _fitted(
    thumbs: NDArray[np.uint8], fits: Sequence[_Fit], settings: MatchSettings
) -> list[float]:
    """Return for each fit its correlation, or 0 where it does not hold when looked at closely."""
    sums = running_sums(thumbs[[fit.whole for fit in fits]])
    parts: Thumb = np.stack([turned(thumbs[f.part][None], f.turn)[0] for f in fits])
    windows = np.array([fit.window for fit in fits], np.float32)
    values = np.zeros(len(fits), np.float32)
    alive = np.arange(len(fits))
    step, stretch = 0.07, 0.08
    for cells, least in _ROUNDS:
        goal = shapes(block_means(parts[alive], cells))
        near = neighbours(windows[alive], step, stretch)
        means = neighbour_means(sums, alive, windows[alive], cells, step, stretch)
        likeness = shapes(means.reshape(-1, cells, cells)).reshape(*near.shape[:2], -1)
        likeness = (likeness @ goal[:, :, None])[:, :, 0]
        best = likeness.argmax(axis=1)
        rows = np.arange(len(alive))
        windows[alive], values[alive] = near[rows, best], likeness[rows, best]
        alive = alive[values[alive] >= (least or settings.crop)]
        if not len(alive):
            return [0.0] * len(fits)
        step, stretch = step / 2, stretch / 2
    means = window_means(sums, alive, windows[alive], 24)
    seen = window_means(
        running_sums(parts[alive]), np.arange(len(alive)), np.tile(WHOLE, (len(alive), 1)), 24
    )
    fine = np.einsum("md,md->m", details(means, 6), details(seen, 6))
    patches = patchwise(means, seen, 6, settings.patch_spread)
    holds = (fine >= settings.crop_detail) & (patches >= settings.crop_patches)
    kept = set(alive[holds].tolist())
    return [float(values[n]) if n in kept else 0.0 for n in range(len(fits))]
