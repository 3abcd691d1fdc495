"""Grids of pictures with labels that can be read (CHECKLIST X5)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eyeprint.errors import UsageError
from eyeprint.models.canvases import CanvasSettings, Labels, canvas, label_of
from eyeprint.records.pictures import Picture

FLAT = CanvasSettings(gap=0.125)


def flat(red: int, width: int = 8, height: int = 8) -> Picture:
    return Picture.of(np.full((height, width, 3), (red, 0, 0), np.uint8))


@pytest.mark.parametrize(("columns", "rows"), [(5, 2), (5, 5), (2, 2), (7, 1), (1, 4)])
def test_x5_every_picture_stands_in_its_cell_in_reading_order(columns: int, rows: int) -> None:
    pictures = [flat(10 * i + 5) for i in range(columns * rows)]
    grid = canvas(pictures, columns, None, cell=32, settings=FLAT)
    # Gap: an eighth of 32 = 4 pixels, around and between.
    assert (grid.width, grid.height) == (columns * 36 + 4, rows * 36 + 4)
    expected = np.full((grid.height, grid.width, 3), 128, np.uint8)
    for i in range(columns * rows):
        top, left = 4 + 36 * (i // columns), 4 + 36 * (i % columns)
        expected[top : top + 32, left : left + 32] = (10 * i + 5, 0, 0)
    assert np.array_equal(grid.pixels, expected)


@settings(max_examples=25)
@given(st.integers(1, 90), st.integers(1, 90), st.integers(32, 60), st.integers(32, 60))
def test_x5_pictures_keep_their_shape_and_stay_in_the_middle(
    width: int, height: int, cell_width: int, cell_height: int
) -> None:
    grid = canvas([flat(200, width, height)], 1, None, cell=(cell_width, cell_height))
    ys, xs = np.nonzero(grid.pixels[:, :, 1] == 0)
    w, h = int(np.ptp(xs)) + 1, int(np.ptp(ys)) + 1
    scale = min(cell_width / width, cell_height / height)
    assert abs(w - max(1, width * scale)) <= 0.5
    assert abs(h - max(1, height * scale)) <= 0.5
    assert w == cell_width or h == cell_height
    assert abs((xs.min() + xs.max()) - (grid.width - 1)) <= 1
    assert abs((ys.min() + ys.max()) - (grid.height - 1)) <= 1


@pytest.mark.parametrize("labels", ["numbers", "letters"])
@pytest.mark.parametrize("cell", [32, 48, 100, 256, 600])
@pytest.mark.parametrize("colour", [(0, 0, 40), (120, 130, 140), (245, 250, 255)])
def test_x5_labels_are_legible_at_any_size_on_any_picture(
    labels: Labels, cell: int, colour: tuple[int, int, int]
) -> None:
    grid = canvas([Picture.of(np.full((4, 4, 3), colour, np.uint8))] * 12, 4, labels, cell=cell)
    gap = round(cell / 32)
    plates = set()
    for i in range(12):
        top, left = gap + (cell + gap) * (i // 4), gap + (cell + gap) * (i % 4)
        inside = grid.pixels[top : top + cell, left : left + cell].astype(int)
        # Labels are gray in every pixel, the picture in none.
        ys, xs = np.nonzero(np.ptp(inside, axis=2) == 0)
        height, width = ys.max() + 1, xs.max() + 1
        assert len(ys) == height * width, "the plate is a whole rectangle at the cell's corner"
        assert max(13, 0.1 * cell) <= height <= cell / 2
        assert width <= cell
        plate = inside[:height, :width, 0]
        rim = [*plate[0], *plate[-1], *plate[:, 0], *plate[:, -1]]
        assert set(rim) == {255}
        text = plate[height // 16 + 1 : -height // 16, width // 16 + 1 : -width // 16]
        assert text.max() > 200
        assert (text < 16).mean() > 0.3
        plates.add((height, plate.tobytes()))
    assert len(plates) == 12, "two labels look the same"
    assert len({height for height, _ in plates}) == 1


def test_x5_labels_are_drawn_at_cells_corners_only() -> None:
    pictures = [flat(200)] * 3
    with_labels, without = (canvas(pictures, 3, labels, cell=200) for labels in ("letters", None))
    ys, xs = np.nonzero((with_labels.pixels != without.pixels).any(axis=2))
    gap = round(200 / 32)
    assert np.all((ys - gap) < 50)
    assert np.all((xs - gap) % (200 + gap) < 50)


def test_x5_label_names() -> None:
    letters = [label_of(i, "letters") for i in range(800)]
    assert len(set(letters)) == 800
    assert letters[:3] + letters[25:28] == ["A", "B", "C", "Z", "AA", "AB"]
    assert [label_of(i, "numbers") for i in (0, 9, 24)] == ["1", "10", "25"]


def test_x5_a_canvas_is_the_same_each_time_and_says_what_it_is() -> None:
    pictures = [flat(i, 30 + i, 20) for i in range(10)]
    one, two = (canvas(pictures, 5, "letters", cell=64) for _ in range(2))
    assert one.sha256 == two.sha256
    assert one.facts.done == ("canvas of 10, 5 x 2, letters",)
    assert one != canvas(pictures, 5, "numbers", cell=64)


def test_x5_cells_left_over_stay_empty() -> None:
    grid = canvas([flat(9)] * 3, 2, "numbers", cell=32, rows=3)
    assert grid.height == 3 * 33 + 1
    assert np.all(grid.pixels[67:, :] == 128)
    assert np.all(grid.pixels[34:66, 34:] == 128)


def test_x5_what_cannot_be_a_canvas_is_told() -> None:
    for pictures, columns, more, words in (
        ([], 2, {}, "needs a picture"),
        ([flat(1)], 0, {}, "a column"),
        ([flat(1)] * 5, 2, {"rows": 2}, "5 pictures do not fit into 2 x 2"),
        ([flat(1)], 1, {"cell": 31}, "32 pixels or more"),
        ([flat(1)], 1, {"cell": 20_000}, "too large"),
    ):
        with pytest.raises(UsageError, match=words):
            canvas(pictures, columns, **more)  # type: ignore[arg-type]
