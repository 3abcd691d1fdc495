"""Windows of small images against slow twins."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from eyeprint.maths.windows import (
    TURNS,
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

images = arrays(np.uint8, (8, 8), elements=st.integers(0, 255))
share = st.floats(0.2, 1.0)


def slow_mean(image: np.ndarray, top: float, height: float, left: float, width: float) -> float:
    """Twin: cut every cell with the window, cell by cell."""
    total = area = 0.0
    for row in range(len(image)):
        for column in range(len(image)):
            down = min(row + 1, top + height) - max(row, top)
            across = min(column + 1, left + width) - max(column, left)
            if down > 0 and across > 0:
                total += float(image[row, column]) * down * across
                area += down * across
    return total / area


@given(images, share, share, st.floats(0, 1), st.floats(0, 1), st.integers(1, 4))
def test_window_means_are_those_of_cells_cut_one_by_one(image, height, width, y, x, cells):
    top, left = y * (1 - height), x * (1 - width)
    window = np.array([[top, height, left, width]], np.float32)
    found = window_means(running_sums(image[None]), np.array([0]), window, cells)[0]
    for row in range(cells):
        for column in range(cells):
            expected = slow_mean(
                image,
                8 * (top + height * row / cells),
                8 * height / cells,
                8 * (left + width * column / cells),
                8 * width / cells,
            )
            assert found[row, column] == pytest.approx(expected, abs=0.05)


@given(arrays(np.float32, (3, 4, 4), elements=st.integers(-50, 50)))
def test_dot_products_of_shapes_are_correlations(batch):
    rows = shapes(batch)
    for one in range(3):
        for other in range(3):
            a, b = batch[one].ravel(), batch[other].ravel()
            if a.std() > 0 and b.std() > 0:
                assert rows[one] @ rows[other] == pytest.approx(np.corrcoef(a, b)[0, 1], abs=1e-4)
            else:
                assert rows[one] @ rows[other] == 0


def test_details_forget_the_layout():
    """A ramp of steps as coarse as the grid has no detail; a checkerboard is all detail."""
    ramp = np.repeat(np.arange(4, dtype=np.float32), 2)[None, :].repeat(8, axis=0)[None]
    assert np.abs(details(ramp, 4)).max() == 0
    board = (np.indices((8, 8)).sum(0) % 2).astype(np.float32)[None]
    assert float((details(board, 4) ** 2).sum()) == pytest.approx(1)
    assert np.allclose(details(board + 5 * ramp, 4), details(board, 4), atol=1e-5)


def test_the_eight_turns_are_the_eight_of_the_square():
    image = np.arange(9).reshape(1, 3, 3)
    made = {turned(image, turn).tobytes() for turn in range(len(TURNS))}
    assert len(made) == 8
    expected = [
        image,
        np.fliplr(image[0]),
        np.flipud(image[0]),
        np.rot90(image[0], 2),
        image[0].T,
        np.rot90(image[0], -1),
        np.rot90(image[0], 1),
        np.rot90(image[0], 2).T,
    ]
    for turn, twin in enumerate(expected):
        assert np.array_equal(turned(image, turn)[0], np.squeeze(twin)), TURNS[turn]


def test_windows_and_their_neighbours_stay_inside():
    grid = window_grid(((0.85, 3), (0.52, 6)))
    assert len(grid) == 9 + 36 + 2 * (3 + 6)
    near = neighbours(grid, 0.07, 0.08)
    assert near.shape == (len(grid), 81, 4)
    assert np.allclose(near[:, 0], grid)
    assert near.min() >= 0
    assert (near[..., 0] + near[..., 1]).max() <= 1 + 1e-6
    assert (near[..., 2] + near[..., 3]).max() <= 1 + 1e-6


def test_block_means_of_a_known_image():
    image = np.arange(16).reshape(1, 4, 4)  # means of the corners: (0+1+4+5)/4 = 2.5 ...
    assert block_means(image, 2).tolist() == [[[2.5, 4.5], [10.5, 12.5]]]


@given(arrays(np.float32, (2, 8, 8), elements=st.integers(0, 40)), st.integers(1, 12))
def test_patchwise_likeness_is_the_mean_over_patches_that_show_something(pair, least):
    """Twin: cut out each 2 × 2 patch of 8 × 8 cells and correlate."""
    found = float(patchwise(pair[:1], pair[1:], 4, float(least))[0])
    likeness = []
    for row in range(0, 8, 2):
        for column in range(0, 8, 2):
            a, b = (image[row : row + 2, column : column + 2].astype(float) for image in pair)
            if max(a.std(), b.std()) >= least:
                spread = max(a.std(), least / 4) * max(b.std(), least / 4)
                likeness.append(((a - a.mean()) * (b - b.mean())).mean() / spread)
    assert found == pytest.approx(np.mean(likeness) if len(likeness) >= 4 else 0, abs=1e-3)


@given(arrays(np.float32, (2, 8, 8), elements=st.integers(0, 6)), st.integers(1, 3))
def test_the_agreeing_share_is_that_of_patches_cut_out_one_by_one(pair, least):
    found = float(agreeing(pair[:1], pair[1:], 4, float(least), 0.7)[0])
    agree = []
    for row in range(0, 8, 2):
        for column in range(0, 8, 2):
            a, b = (image[row : row + 2, column : column + 2].astype(float) for image in pair)
            if max(a.std(), b.std()) >= least:
                spread = max(a.std(), least / 4) * max(b.std(), least / 4)
                value = ((a - a.mean()) * (b - b.mean())).mean() / spread
                if abs(value - 0.7) < 1e-4:
                    return  # float32 and float64 may say different things
                agree.append(value >= 0.7)
    assert found == pytest.approx(np.mean(agree) if len(agree) >= 6 else 0, abs=1e-6)


@given(st.integers(0, 999), st.floats(0.01, 0.3), st.floats(0.01, 0.3), st.integers(1, 5))
def test_means_of_neighbours_are_those_of_their_windows(seed, shift, stretch, cells):
    draw = np.random.default_rng(seed)
    sums = running_sums(draw.integers(0, 256, (3, 8, 8)))
    which = np.array([2, 0, 1])
    windows = np.concatenate([draw.uniform(0, 0.4, (3, 4))]).astype(np.float32)
    windows[:, 1::2] += 0.2
    near = neighbours(windows, shift, stretch)
    assert np.allclose(near[:, 0], windows)
    expected = window_means(sums, np.repeat(which, 81), near.reshape(-1, 4), cells)
    found = neighbour_means(sums, which, windows, cells, shift, stretch)
    assert np.allclose(found.reshape(expected.shape), expected, atol=0.05)
