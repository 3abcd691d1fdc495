"""Looking for a known shape in a picture: a small mask of colours, slid over all places and sizes.

A template is an object seen in 12 x 10 cells of its box: each cell's mean CIELAB c_k and how
full of the object it is, w_k (0 where less than half). A window of a picture, cut into the
same cells with means m_k, is alike by

    s = Σ_k w_k exp(-‖m_k - c_k‖² / σ²) / Σ_k w_k        0 (nowhere) to 1 (everywhere)

so what is behind the object does not count. Windows have the template's shape, nine sizes, lie
anywhere, even partly outside, and are compared with the template and its mirror image. All
that hold enough foreground are tried in 6 x 5 cells; around the best, shifts and sizes
near by are tried in 12 x 10, and once more at half the step around the best of these.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eyeprint.maths.colour import Floats
from eyeprint.models.nearest_regions import Mask, Seen

ROWS, COLUMNS = 12, 10
SIGMA = 20.0
"""CIELAB distance at which a cell counts 1/e."""
HEIGHTS = (0.22, 0.27, 0.33, 0.40, 0.48, 0.58, 0.70, 0.84, 0.97)
"""Heights of windows, as shares of the picture's."""
_COARSE = 2
_TRIED_CLOSELY = 4
_LEAST_FRONT = 0.45
_OUTSIDE = (200.0, 200.0, 200.0)
"""No colour that can be: what lies outside a picture is like nothing."""


class Template(NamedTuple):
    """An object as a grid of colours."""

    colours: Floats
    """CIELAB, (rows, columns, 3)."""
    weights: Floats
    """How full each cell is, (rows, columns)."""
    shape: float
    """Width of its box by height."""


class Window(NamedTuple):
    """Where a template fits best."""

    likeness: float
    top: int
    left: int
    height: int
    width: int


class Field(NamedTuple):
    """A picture made ready to be searched."""

    total: Floats
    """Sums of CIELAB up to each pixel, of the picture with a margin, (h + 1, w + 1, 3)."""
    front: Floats
    """Sums of foreground pixels, (h + 1, w + 1)."""
    margin: tuple[int, int]
    """Rows above and below, columns left and right that were added."""
    size: tuple[int, int]
    """Of the picture without margin."""


def template_of(lab: Floats, mask: Mask) -> Template:
    """Return the template of an object.

    >>> lab = np.zeros((24, 20, 3)); lab[:12, :, 0] = 80.0
    >>> made = template_of(lab, np.ones((24, 20), bool))
    >>> made.colours[:, 0, 0].tolist() == [80.0] * 6 + [0.0] * 6, round(made.shape, 3)
    (True, 0.833)
    """
    high, wide = np.nonzero(mask)
    top, left = int(high.min()), int(wide.min())
    tall, broad = int(np.ptp(high)) + 1, int(np.ptp(wide)) + 1
    at = np.array([top]), np.array([left])
    full = _cells(_sums(mask[..., None].astype(np.float64)), *at, tall, broad, ROWS, COLUMNS)[0]
    inner = _cells(_sums(lab * mask[..., None]), *at, tall, broad, ROWS, COLUMNS)[0]
    weights = np.where(full[..., 0] > 0.5, full[..., 0], 0.0)
    return Template(inner / np.maximum(full, 1e-6), weights, broad / tall)


def field_of(seen: Seen) -> Field:
    """Return a picture ready to be searched; windows may lie a sixth of it outside."""
    height, width = seen.lab.shape[:2]
    down, across = height // 12, width // 6
    edge = ((down, down), (across, across))
    lab = np.empty((height + 2 * down, width + 2 * across, 3))
    lab[:] = _OUTSIDE
    lab[down : down + height, across : across + width] = seen.lab
    front = np.pad(~seen.background, edge).astype(np.float64)
    return Field(_sums(lab), _sums(front[..., None])[..., 0], (down, across), (height, width))


def _sums(values: Floats) -> Floats:
    return np.pad(values.cumsum(axis=0).cumsum(axis=1), ((1, 0), (1, 0), (0, 0)))


def _cells(
    total: Floats,
    top: NDArray[np.int64],
    left: NDArray[np.int64],
    tall: int,
    broad: int,
    rows: int,
    columns: int,
) -> Floats:
    """Return means of the cells of equally large windows, (n, rows, columns, channels)."""
    down = np.rint(np.arange(rows + 1) * tall / rows).astype(np.int64)
    across = np.rint(np.arange(columns + 1) * broad / columns).astype(np.int64)
    stride = total.shape[1]
    flat = total.reshape(-1, total.shape[2])
    first = (top * stride + left)[:, None, None]
    if tall >= rows and broad >= columns:
        corners = flat.take(first + (down[:, None] * stride + across[None]), axis=0)
        sums = corners[:, 1:, 1:] - corners[:, :-1, 1:] - corners[:, 1:, :-1] + corners[:, :-1, :-1]
        area = np.diff(down)[:, None] * np.diff(across)[None]
    else:
        # Smaller than its grid: a cell without a pixel of its own has its neighbour's.
        low, near = np.minimum(down[:-1], tall - 1), np.minimum(across[:-1], broad - 1)
        high, far = np.maximum(down[1:], low + 1), np.maximum(across[1:], near + 1)
        four = [
            flat.take(first + (y[:, None] * stride + x[None]), axis=0)
            for y, x in ((high, far), (low, far), (high, near), (low, near))
        ]
        sums = four[0] - four[1] - four[2] + four[3]
        area = (high - low)[:, None] * (far - near)[None]
    means: Floats = sums / area[None, ..., None]
    return means


def _alike(means: Floats, template: Template) -> Floats:
    """Return how alike windows are to a template or its mirror image, whichever is more."""
    best = np.zeros(len(means))
    for step in (1, -1):
        weights = template.weights[:, ::step]
        used = weights > 0
        apart = ((means[:, used] - template.colours[:, ::step][used]) ** 2).sum(axis=2)
        best = np.maximum(best, np.exp(-apart / SIGMA**2) @ weights[used] / weights.sum())
    return best


def _coarse(template: Template) -> Template:
    """Return the template in cells twice as high and wide."""
    shape = ROWS // _COARSE, _COARSE, COLUMNS // _COARSE, _COARSE
    weights = template.weights.reshape(shape)
    colours = (template.colours * template.weights[..., None]).reshape(*shape, 3)
    full = weights.sum(axis=(1, 3))
    means = colours.sum(axis=(1, 3)) / np.maximum(full, 1e-6)[..., None]
    return Template(means, np.where(full >= 1.0, full, 0.0), template.shape)


def search(field: Field, template: Template) -> Window:
    """Return the window that is most like a template; likeness 0 where none holds foreground."""
    return closest(field, template, starts_of(field, template))


def starts_of(field: Field, template: Template) -> list[Window]:
    """Return the windows, best first, around which a template is worth a closer look."""
    coarse = _coarse(template)
    starts: list[Window] = []
    if not coarse.weights.any():
        return starts
    full = float((template.weights > 0).mean())
    for share in HEIGHTS:
        tall = max(ROWS // _COARSE, round(share * field.size[0]))
        broad = max(COLUMNS // _COARSE, round(tall * template.shape))
        top, left = _places(field, tall, broad, max(2, tall // 7), _LEAST_FRONT * full)
        if not len(top):
            continue
        means = _cells(field.total, top, left, tall, broad, ROWS // _COARSE, COLUMNS // _COARSE)
        alike = _alike(means, coarse)
        starts += [
            Window(float(alike[k]), int(top[k]), int(left[k]), tall, broad)
            for k in np.argsort(-alike, kind="stable")[:_TRIED_CLOSELY].tolist()
        ]
    starts.sort(key=lambda each: -each.likeness)
    return starts[:_TRIED_CLOSELY]


def closest(field: Field, template: Template, starts: Sequence[Window]) -> Window:
    """Return the best window around some, which may be another template's of the same thing."""
    down, across = field.margin
    own = [
        start._replace(
            width=(broad := max(2, round(start.height * template.shape))),
            left=start.left + (start.width - broad) // 2,
        )
        for start in starts
    ]
    near = [_closer(field, template, one, max(1, one.height // 12), 0.08) for one in own]
    best = max(near, key=lambda each: each.likeness, default=None)
    if best is None or not best.likeness:
        return Window(0.0, 0, 0, *field.size)
    best = max(
        best,
        _closer(field, template, best, max(1, best.height // 24), 0.04),
        key=lambda each: each.likeness,
    )
    return best._replace(top=best.top - down, left=best.left - across)


def _places(
    field: Field, tall: int, broad: int, step: int, least: float
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the upper left corners of windows with enough foreground."""
    rows, columns = field.front.shape
    if tall >= rows or broad >= columns:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    y = np.arange(0, rows - tall, step)
    x = np.arange(0, columns - broad, step)
    front = field.front
    held = (
        front[np.ix_(y + tall, x + broad)]
        - front[np.ix_(y, x + broad)]
        - front[np.ix_(y + tall, x)]
        + front[np.ix_(y, x)]
    )
    row, column = np.nonzero(held >= least * tall * broad)
    return y[row], x[column]


def _closer(field: Field, template: Template, start: Window, step: int, scale: float) -> Window:
    """Return the best window at most a step away from another one, a little smaller or larger."""
    best = start._replace(likeness=0.0)
    rows, columns = field.front.shape
    shifts = np.array([-step, 0, step])
    down, across = (grid.ravel() for grid in np.meshgrid(shifts, shifts, indexing="ij"))
    for size in (1 - scale, 1.0, 1 + scale):
        tall, broad = round(start.height * size), round(start.width * size)
        top = start.top + (start.height - tall) // 2 + down
        left = start.left + (start.width - broad) // 2 + across
        inside = (top >= 0) & (left >= 0) & (top + tall < rows) & (left + broad < columns)
        if not inside.any() or tall < 2 or broad < 2:
            continue
        top, left = top[inside], left[inside]
        alike = _alike(_cells(field.total, top, left, tall, broad, ROWS, COLUMNS), template)
        k = int(alike.argmax())
        if alike[k] > best.likeness:
            best = Window(float(alike[k]), int(top[k]), int(left[k]), tall, broad)
    return best
