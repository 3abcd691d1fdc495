"""Tables of image scores: means, intervals, unscored outputs, marks (P47, P49)."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyeprint.errors import DataError
from eyeprint.scores.image_columns import IMAGE_COLUMNS
from eyeprint.scores.image_rows import ImageRow, image_cells, person_means
from eyeprint.scores.image_table import ImageTableSettings, best_two, image_tables

FEW = ImageTableSettings(draws=50)


def row(case, person, model, values, split="real", method="", painter="", **more):
    return ImageRow(case, person, split, model, values, method=method, painter=painter, **more)


def made(seed=1, persons=6, models=("no_preference", "a", "b")):
    """Persons with 1 to 4 cases; some outputs unscored."""
    rng = random.Random(seed)
    rows = []
    for p in range(persons):
        for c in range(1 + p % 4):
            for m, model in enumerate(models):
                value = None if rng.random() < 0.1 else 60 + 3 * m + rng.gauss(0, 2)
                values = {"CLS-R": value, "LPIPS-R": rng.random()}
                rows.append(row(f"{p}-{c}", f"p{p}", model, values))
    return rows


def test_p47_micro_and_macro_by_hand():
    """Person a: 10 and 20, person b: 60. Micro 30, macro (15 + 60) / 2 = 37.5."""
    rows = [
        row(case, person, "m", {"CLS-R": v})
        for case, person, v in (("1", "a", 10.0), ("2", "a", 20.0), ("3", "b", 60.0))
    ]
    micro = image_tables(rows, settings=FEW)[0].row("m").columns["CLS-R"]
    assert (micro.mean, micro.micro.mean, micro.macro.mean) == (30, 30, 37.5)
    assert (micro.micro.n, micro.micro.clusters, micro.macro.n) == (3, 2, 2)
    macro = image_tables(rows, settings=FEW.model_copy(update={"estimator": "macro"}))[0]
    assert macro.row("m").columns["CLS-R"].mean == 37.5


@given(st.integers(0, 500))
def test_p47_means_equal_the_slow_twin(seed):
    rows = made(seed)
    table = image_tables(rows, settings=FEW)[0]
    for model in ("no_preference", "a", "b"):
        for column in ("CLS-R", "LPIPS-R"):
            own = [r for r in rows if r.model == model]
            values = [r.values[column] for r in own if r.values[column] is not None]
            people = sorted({r.person_id for r in own if r.values[column] is not None})
            by_person = [
                [r.values[column] for r in own if r.person_id == p and r.values[column] is not None]
                for p in people
            ]
            found = table.row(model).columns[column]
            assert found.micro.mean == pytest.approx(sum(values) / len(values))
            expected = sum(sum(v) / len(v) for v in by_person) / len(people)
            assert found.macro.mean == pytest.approx(expected)
            assert found.unscored == len(own) - len(values)


@given(st.integers(0, 500))
def test_p47_paired_differences_equal_the_slow_twin(seed):
    rows = made(seed)
    known = {(r.case_id, r.model): r.values["CLS-R"] for r in rows}
    table = image_tables(rows, settings=FEW)[0]
    gaps = [
        known[case, "b"] - known[case, "no_preference"]
        for case in {r.case_id for r in rows}
        if known[case, "b"] is not None and known[case, "no_preference"] is not None
    ]
    found = table.row("b").columns["CLS-R"].minus_reference
    assert found.mean == pytest.approx(sum(gaps) / len(gaps))
    assert found.n == len(gaps)
    assert table.row("no_preference").columns["CLS-R"].minus_reference is None


def test_p47_unscored_outputs_are_counted_with_reasons_and_bounds():
    rows = [
        row("1", "a", "m", {"CLS-R": 60.0, "LPIPS-R": 0.5}),
        row("2", "b", "m", {"CLS-R": 70.0, "LPIPS-R": None}, unscored={"LPIPS-R": "no picture"}),
        row("3", "b", "m", {"CLS-R": None}, unscored={"CLS-R": "no picture"}),
        row("4", "c", "m", {"CLS-R": None}, unscored={"CLS-R": "cut off"}),
    ]
    found = image_tables(rows, settings=FEW)[0].row("m")
    cls, lpips = found.columns["CLS-R"], found.columns["LPIPS-R"]
    assert (found.outputs, cls.unscored, cls.mean) == (4, 2, 65)
    # Two unscored of four, 0 at worst and 100 at best: (130 + 2 · 0) / 4 and (130 + 200) / 4.
    assert (cls.mean_if_worst, cls.mean_if_best) == (32.5, 82.5)
    assert cls.reasons == {"cut off": 1, "no picture": 1}
    # LPIPS has no worst; at best the three unscored are 0: 0.5 / 4.
    assert (lpips.mean_if_worst, lpips.mean_if_best) == (None, 0.125)
    assert lpips.reasons == {"not computed": 2, "no picture": 1}


def test_p47_a_model_without_any_value_has_a_reason_and_no_mark():
    rows = [row("1", "a", m, {"CLS-R": v}) for m, v in (("x", None), ("y", 5.0), ("z", 6.0))]
    table = image_tables(rows, settings=FEW)[0]
    nothing = table.row("x").columns["CLS-R"]
    assert nothing.mean is None and nothing.micro.reason == "no value was scored"
    assert (nothing.mark, nothing.ranked_cases) == (None, None)
    assert table.row("z").columns["CLS-R"].mark == "best"
    assert table.row("y").columns["CLS-R"].mark == "second"


def test_p49_marks_follow_the_columns_direction_and_leave_the_reference_out():
    values = {"no_preference": (99.0, 0.1), "a": (60.0, 0.6), "b": (70.0, 0.7), "c": (65.0, 0.5)}
    rows = [row("1", "p", m, {"CLS-R": x, "LPIPS-R": y}) for m, (x, y) in values.items()]
    table = image_tables(rows, settings=FEW)[0]
    marks = {
        column: {r.model: r.columns[column].mark for r in table.models}
        for column in ("CLS-R", "LPIPS-R")
    }
    assert marks["CLS-R"] == {"no_preference": None, "a": None, "b": "best", "c": "second"}
    assert marks["LPIPS-R"] == {"no_preference": None, "a": "second", "b": None, "c": "best"}
    assert table.models[0].model == "no_preference"


def test_p49_groups_of_ones_own_compete_apart():
    rows = [row("1", "p", m, {"CLS-R": v}) for m, v in (("a", 1.0), ("b", 2.0), ("c", 3.0))]
    table = image_tables(rows, settings=FEW, groups={"a": "small", "b": "large"})[0]
    assert [r.columns["CLS-R"].mark for r in table.models] == ["best", "best", None]
    assert [r.group for r in table.models] == ["small", "large", None]


def test_p49_nobody_gains_by_failing_on_hard_cases():
    rows = [
        row("easy", "p", "a", {"CLS-R": 80.0}),
        row("easy", "p", "b", {"CLS-R": 82.0}),
        row("hard", "q", "a", {"CLS-R": None}),
        row("hard", "q", "b", {"CLS-R": 40.0}),
    ]
    shared = image_tables(rows, settings=FEW)[0]
    assert shared.row("a").columns["CLS-R"].mean > shared.row("b").columns["CLS-R"].mean
    assert shared.row("b").columns["CLS-R"].mark == "best"
    assert shared.row("b").columns["CLS-R"].ranked_cases == 1
    own = image_tables(rows, settings=FEW.model_copy(update={"rank_on": "all_cases"}))[0]
    assert own.row("a").columns["CLS-R"].mark == "best"


def test_p49_splits_are_tables_of_their_own_and_painters_can_be():
    rows = [
        row(f"{split}-{painter}", "p", f"fusion {painter}", {"CLS-R": 1.0}, split, "f", painter)
        for split in ("synthetic", "real")
        for painter in ("flux", "sdxl")
    ]
    assert [t.group for t in image_tables(rows, settings=FEW)] == [
        {"split": "real"},
        {"split": "synthetic"},
    ]
    assert len(image_tables(rows, by=("split", "painter"), settings=FEW)) == 4
    assert image_tables(rows, by=(), settings=FEW)[0].cases == 4
    assert image_tables([], settings=FEW) == []
    assert image_tables([], by=(), settings=FEW)[0].models == ()


def test_p65_each_model_is_compared_with_the_unconditioned_one_of_its_painter():
    rows = [
        row("1", "p", f"{method} {painter}", {"CLS-R": value}, "real", method, painter)
        for method, painter, value in (
            ("no_preference", "flux", 50.0),
            ("no_preference", "sdxl", 40.0),
            ("fusion", "flux", 53.0),
            ("fusion", "sdxl", 49.0),
            ("fusion", "qwen", 60.0),
        )
    ]
    table = image_tables(rows, settings=FEW)[0]
    assert table.row("fusion flux").columns["CLS-R"].minus_reference.mean == 3
    assert table.row("fusion sdxl").columns["CLS-R"].minus_reference.mean == 9
    assert table.row("fusion sdxl").reference == "no_preference sdxl"
    assert table.row("fusion qwen").columns["CLS-R"].minus_reference is None
    assert table.means()["CLS-R"]["fusion qwen"] == 60


def test_p46_cut_prompts_are_counted_once_per_case():
    rows = [
        row(case, "p", model, {"CLS-T": 1.0}, cut=("CLS",) if case != "3" else ())
        for case in "123"
        for model in "ab"
    ]
    assert image_tables(rows, settings=FEW)[0].cut_prompts == {"CLS": 2}


def test_the_order_of_rows_changes_nothing():
    rows = made(3)
    shuffled = random.Random(4).sample(rows, len(rows))
    columns = [IMAGE_COLUMNS["CLS-R"], IMAGE_COLUMNS["LPIPS-R"]]
    assert image_tables(rows, columns, settings=FEW) == image_tables(
        shuffled, columns, settings=FEW
    )


def test_intervals_resample_whole_persons():
    """Persons who agree within and differ between: the interval must not shrink with cases."""
    widths = []
    for cases in (1, 20):
        rows = [
            row(f"{p}-{c}", f"p{p}", "m", {"CLS-R": 50.0 + 10 * (p % 2)})
            for p in range(10)
            for c in range(cases)
        ]
        found = image_tables(rows)[0].row("m").columns["CLS-R"]
        widths.append(found.micro.high - found.micro.low)
        assert found.micro.low == pytest.approx(found.macro.low)
    assert widths[1] == pytest.approx(widths[0])


def test_repeated_rows_and_cases_of_two_persons_are_refused():
    one = row("1", "p", "m", {"CLS-R": 1.0})
    with pytest.raises(DataError, match="Two rows of scores have the case '1'"):
        image_tables([one, one])
    with pytest.raises(DataError, match="belongs to 'p' in one row and to 'q'"):
        image_tables([one, row("1", "q", "n", {"CLS-R": 1.0})])


def test_cells_keep_rows_without_values_apart_from_no_rows():
    columns = [IMAGE_COLUMNS["CLS-R"]]
    cells = image_cells(
        [row("1", "p", "a", {"CLS-R": None}), row("2", "p", "b", {"CLS-R": 1.0})], columns
    )
    assert cells.rows.tolist() == [[True, False], [False, True]]
    assert np.isnan(cells.values["CLS-R"]).tolist() == [[True, True], [True, False]]


def test_person_means_leave_out_what_is_not_there():
    table = np.array([[1.0, np.nan], [3.0, np.nan], [np.nan, 4.0]])
    means, names = person_means(table, ["b", "b", "a"])
    assert names == ["a", "b"]
    np.testing.assert_array_equal(means, [[np.nan, 4.0], [2.0, np.nan]])


@given(st.lists(st.integers(0, 4), min_size=1, max_size=8))
def test_p49_best_two_equals_the_slow_twin(values):
    marks = best_two(np.array(values, dtype=float))
    ordered = sorted(set(values), reverse=True)
    for value, mark in zip(values, marks, strict=True):
        if value == ordered[0]:
            assert mark == "best"
        elif value == ordered[1] and values.count(ordered[0]) == 1:
            assert mark == "second"
        else:
            assert mark is None


def test_a_column_that_is_none_is_named_and_a_number_that_is_none_is_unscored():
    with pytest.raises(DataError, match="'foo' is no column of image scores"):
        image_tables([ImageRow("c", "p", "real", "m", {"foo": 1.0})])
    rows = [ImageRow("1", "p", "real", "m", {"PAL-R": float("nan")}),
            ImageRow("2", "p", "real", "m", {"PAL-R": 40.0})]  # fmt: skip
    found = image_tables(rows)[0].row("m").columns["PAL-R"]
    assert (found.mean, found.unscored) == (40.0, 1)
    assert found.reasons == {"not a finite number (nan)": 1}
