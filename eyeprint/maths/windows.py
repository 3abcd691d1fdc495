"""Parts of small gray images compared at any place and scale, many at once.

An image is a square of cells; a window is (top, height, left, width) in shares of it. The
mean over any window's parts is exact for an image that is even inside each cell, for it
is read off the image's running sums, which are bilinear there.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
WHOLE = (0.0, 1.0, 0.0, 1.0)
"""The window that is all of an image."""


def running_sums(images: NDArray[np.generic]) -> Floats:
    """Return running sums, shape (n, s + 1, s + 1), of images of shape (n, s, s).

    Exact in float32 for sums below 2²⁴: 8-bit images of up to 256 cells a side.

    >>> running_sums(np.ones((1, 2, 2)))[0].tolist()
    [[0.0, 0.0, 0.0], [0.0, 1.0, 2.0], [0.0, 2.0, 4.0]]
    """
    count, height, width = images.shape
    sums = np.zeros((count, height + 1, width + 1), np.float32)
    sums[:, 1:, 1:] = images.astype(np.float32).cumsum(axis=1).cumsum(axis=2)
    return sums


def window_means(sums: Floats, which: NDArray[np.intp], windows: Floats, cells: int) -> Floats:
    """Return the means of each window's cells, shape (m, cells, cells).

    Args:
        sums: :func:`running_sums` of n images.
        which: shape (m,): the image of each window.
        windows: shape (m, 4): top, height, left, width in shares of the image.
        cells: into how many parts a window is divided each way.

    >>> sums = running_sums(np.arange(4, dtype=float).reshape(1, 2, 2))
    >>> window_means(sums, np.array([0]), np.array([[0, 1, 0.5, 0.5]], np.float32), 1).tolist()
    [[[2.0]]]
    """
    steps = np.linspace(0, 1, cells + 1, dtype=np.float32)
    rows = windows[:, :1] + windows[:, 1:2] * steps
    columns = windows[:, 2:3] + windows[:, 3:] * steps
    totals = np.diff(np.diff(_corners(sums, which, rows, columns), axis=1), axis=2)
    area = windows[:, 1] * windows[:, 3] * ((sums.shape[1] - 1) ** 2 / cells**2)
    return np.asarray(totals / area[:, None, None], dtype=np.float32)


def _corners(sums: Floats, which: NDArray[np.intp], rows: Floats, columns: Floats) -> Floats:
    """Return running sums at every crossing of rows and columns, shape (m, rows, columns)."""
    side = sums.shape[1] - 1
    rows, columns = np.clip(rows * side, 0, side), np.clip(columns * side, 0, side)
    low = np.minimum(rows.astype(np.intp), side - 1)
    part = (rows - low)[:, :, None]
    lines = sums[which[:, None], low]
    lines += (sums[which[:, None], low + 1] - lines) * part
    # Whole lines are copied many times faster than single values are picked out of them.
    lines = np.ascontiguousarray(lines.transpose(0, 2, 1))
    own = np.arange(len(which))[:, None]
    low = np.minimum(columns.astype(np.intp), side - 1)
    part = (columns - low)[:, :, None]
    crossings = lines[own, low]
    crossings += (lines[own, low + 1] - crossings) * part
    return np.asarray(crossings.transpose(0, 2, 1), dtype=np.float32)


def block_means(images: NDArray[np.generic], cells: int) -> Floats:
    """Return images of shape (n, s, s) as means of ``cells`` × ``cells`` blocks; s divides.

    >>> block_means(np.array([[[1, 3], [5, 7]]]), 1).tolist()
    [[[4.0]]]
    """
    count, side = images.shape[:2]
    size = side // cells
    blocks = images.reshape(count, cells, size, cells, size).astype(np.float32)
    return np.asarray(blocks.mean(axis=(2, 4)), dtype=np.float32)


def shapes(images: Floats) -> Floats:
    """Return each image as a row without its mean, of length 1: dot products correlate.

    A flat image has a zero row.

    >>> shapes(np.array([[[1, 3], [1, 3]]], np.float32)).tolist()
    [[-0.5, 0.5, -0.5, 0.5]]
    """
    rows = images.reshape(len(images), -1)
    rows = rows - rows.mean(axis=1, keepdims=True)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths > 1e-6, lengths, np.inf), dtype=np.float32)


def details(images: Floats, coarse: int) -> Floats:
    """Return :func:`shapes` of what a coarser grid does not show: edges, not layout.

    Two photographs of a bright sky over dark ground have the same shape, and other details.

    >>> details(np.array([[[1, 3], [1, 3]]], np.float32), 2).tolist()
    [[0.0, 0.0, 0.0, 0.0]]
    """
    size = images.shape[1] // coarse
    layout = block_means(images, coarse).repeat(size, axis=1).repeat(size, axis=2)
    return shapes(images - layout)


def patchwise(one: Floats, other: Floats, patches: int, least: float) -> Floats:
    """Return how alike pairs of images are patch by patch, each patch counting the same.

    The mean correlation of the patches that show something in either image: standard
    deviation at least ``least``. One strong edge that two images share decides a few
    patches only, and what stands in one image alone counts as unlike. 0 where fewer than
    four patches show anything.

    Args:
        one: shape (m, s, s).
        other: the same shape.
        patches: how many a side; divides s.
        least: in the images' units.

    >>> board = (np.indices((8, 8)).sum(0) % 2 * 9).astype(np.float32)[None]
    >>> patchwise(board, board, 4, 1.0).tolist(), patchwise(board, 0 * board, 4, 1.0).tolist()
    ([1.0], [0.0])
    """
    likeness, shown = _patches(one, other, patches, least)
    many = shown.sum(axis=1)
    means = (likeness * shown).sum(axis=1) / np.maximum(many, 1)
    return np.asarray(np.where(many >= 4, means, 0), dtype=np.float32)


def agreeing(one: Floats, other: Floats, patches: int, least: float, enough: float) -> Floats:
    """Return the share of patches that agree in pairs of images, of those that show something.

    As :func:`patchwise`, but a patch counts or does not: a strip laid over a picture costs
    the share of its patches and no more. 0 where fewer than three eighths of the patches
    show anything.

    Args:
        one: shape (m, s, s).
        other: the same shape.
        patches: how many a side; divides s.
        least: standard deviation from which on a patch shows something.
        enough: correlation from which on two patches agree.

    >>> board = (np.indices((8, 8)).sum(0) % 2 * 9).astype(np.float32)[None]
    >>> covered = np.where(np.arange(8)[:, None] < 6, board, 0)
    >>> agreeing(board, covered, 4, 1.0, 0.9).tolist()
    [0.75]
    """
    likeness, shown = _patches(one, other, patches, least)
    many = shown.sum(axis=1)
    shares = ((likeness >= enough) & shown).sum(axis=1) / np.maximum(many, 1)
    return np.asarray(np.where(8 * many >= 3 * shown.shape[1], shares, 0), dtype=np.float32)


def _patches(
    one: Floats, other: Floats, patches: int, least: float
) -> tuple[Floats, NDArray[np.bool_]]:
    """Return each patch's correlation, and whether it shows something in either image."""
    count, side = one.shape[:2]
    size = side // patches

    def centred(images: Floats) -> Floats:
        cut = images.reshape(count, patches, size, patches, size).transpose(0, 1, 3, 2, 4)
        rows = cut.reshape(count, patches * patches, size * size)
        return np.asarray(rows - rows.mean(axis=2, keepdims=True), dtype=np.float32)

    a, b = centred(one), centred(other)
    spread_a, spread_b = np.sqrt((a**2).mean(axis=2)), np.sqrt((b**2).mean(axis=2))
    # A patch that is flat in one image says as much as its grain: nothing.
    floor = np.float32(least / 4)
    likeness = (a * b).mean(axis=2) / np.maximum(spread_a, floor) / np.maximum(spread_b, floor)
    return likeness, (spread_a >= least) | (spread_b >= least)


TURNS = (
    "as it is",
    "mirrored",
    "mirrored top to bottom",
    "turned by 180°",
    "mirrored on a diagonal",
    "turned by 90°",
    "turned by 270°",
    "mirrored on the other diagonal",
)
"""The eight turns and mirrorings of :func:`turned`, by number."""


def turned(images: NDArray[np.generic], turn: int) -> NDArray[np.generic]:
    """Return images of shape (n, s, s) in one of eight ways, see :data:`TURNS`.

    >>> turned(np.array([[[1, 2], [3, 4]]]), 1).tolist()
    [[[2, 1], [4, 3]]]
    """
    if turn >= 4:
        images = images.transpose(0, 2, 1)
    if turn % 4 >= 2:
        images = images[:, ::-1]
    return images[:, :, ::-1] if turn % 2 else images


def window_grid(scales: tuple[tuple[float, int], ...]) -> Floats:
    """Return windows of each scale at a grid of places: cut on both sides, or on one only.

    Args:
        scales: (share of the side that is kept, places along it) pairs.

    Returns:
        Shape (m, 4), without the whole image.

    >>> window_grid(((0.5, 2),)).shape
    (8, 4)
    """
    found = []
    for share, count in scales:
        starts = np.linspace(0, 1 - share, count).tolist()
        found += [(top, share, left, share) for top, left in product(starts, starts)]
        found += [(top, share, 0.0, 1.0) for top in starts]
        found += [(0.0, 1.0, left, share) for left in starts]
    return np.array(found, np.float32)


def neighbours(windows: Floats, shift: float, stretch: float) -> Floats:
    """Return each window with its 80 neighbours in place and size, shape (m, 81, 4).

    Args:
        windows: shape (m, 4).
        shift: how far the centre moves, in shares of the image.
        stretch: by which share height and width grow or shrink.
    """
    down = _moved(windows[:, 0], windows[:, 1], shift, stretch).repeat(9, axis=1)
    across = np.tile(_moved(windows[:, 2], windows[:, 3], shift, stretch), (1, 9, 1))
    return np.concatenate((down, across), axis=2)


def _moved(start: Floats, length: Floats, shift: float, stretch: float) -> Floats:
    """Return nine (start, length) pairs along one side for each window, the given one first."""
    moves = np.array(list(product((0, -1, 1), repeat=2)), np.float32)
    longer = np.minimum(length[:, None] * (1 + stretch * moves[:, 1]), 1)
    begin = start[:, None] + (length[:, None] - longer) / 2 + shift * moves[:, 0]
    return np.stack((np.clip(begin, 0, 1 - longer), longer), axis=2).astype(np.float32)


def neighbour_means(
    sums: Floats,
    which: NDArray[np.intp],
    windows: Floats,
    cells: int,
    shift: float,
    stretch: float,
) -> Floats:
    """Return the means of all :func:`neighbours`, shape (m, 81, cells, cells).

    Equal to :func:`window_means` of them one by one, and several times faster: the 81
    windows have 9 pairs of rows and 9 of columns between them.
    """
    steps = np.linspace(0, 1, cells + 1, dtype=np.float32)
    down = _moved(windows[:, 0], windows[:, 1], shift, stretch)
    across = _moved(windows[:, 2], windows[:, 3], shift, stretch)
    count = len(windows)
    rows = (down[:, :, :1] + down[:, :, 1:] * steps).reshape(count, -1)
    columns = (across[:, :, :1] + across[:, :, 1:] * steps).reshape(count, -1)
    corners = _corners(sums, which, rows, columns).reshape(count, 9, cells + 1, 9, cells + 1)
    totals = np.diff(np.diff(corners, axis=2), axis=4).transpose(0, 1, 3, 2, 4)
    area = down[:, :, None, 1] * across[:, None, :, 1] * ((sums.shape[1] - 1) ** 2 / cells**2)
    means = totals / area[:, :, :, None, None]
    return np.asarray(means.reshape(count, 81, cells, cells), dtype=np.float32)
