"""Score tables: every number is the summary's, and marks, ranks and groups follow the rules."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyeprint.maths.intervals import Interval
from eyeprint.report.pipbench_claims import moves_grid
from eyeprint.report.pipbench_columns import digits, models_of, table_columns
from eyeprint.report.pipbench_data_grids import (
    bands_grid,
    bounds_grid,
    copies_grid,
    data_grid,
    faults_grid,
    gate_grid,
    gather,
    missing_grid,
    unscored_grid,
)
from eyeprint.report.pipbench_grids import (
    gray_grid,
    lift_grid,
    ranks,
    reference_grid,
    score_grid,
    target_grid,
)
from eyeprint.report.pipbench_painter_grid import painters_grid
from eyeprint.report.pipbench_published import matching, published_grids, published_tables
from eyeprint.report.pipbench_table_views import (
    ColumnView,
    ImageMeasureView,
    ImageModelView,
    ImageTableView,
)
from eyeprint.report.pipbench_view import FinishedPipbench, read_pipbench
from eyeprint.report.words import number
from tests.report import made_pipbench_run


def test_p49_the_score_table_is_the_summary_by_paradigm(pip: FinishedPipbench):
    table = pip.summary.tables[0]
    grid = score_grid(pip, table)
    columns = table_columns(table.columns)
    assert [name.split()[0] for name in grid.columns[2:]] == [
        "CLS-T", "LPIPS-R", "CLS-R", "DIS-R", "PAL-R", "Rating",
    ]  # fmt: skip
    for row, model in zip(grid.rows, models_of(pip), strict=True):
        assert row[0].text == model.title
        for cell, column in zip(row[2:], columns, strict=False):
            measure = table.measure(model.label, column.name)
            assert cell.text == number(measure.mean, digits(column))
            assert cell.mark == (measure.mark or "")
            assert cell.aside.startswith(f"[{number(measure.micro.low, digits(column))},")
    assert [row[1].printed for row in grid.rows if row[1].printed] == [
        "No preference", "Joint conditioning", "VLM conditioning fusion", "Retrieval (VPRAG)",
        "Pictures made elsewhere",
    ]  # fmt: skip
    assert grid.breaks == {1, 3, 5, 6}
    assert "at least 7" in grid.note


def test_p49_ratings_stand_beside_the_split_that_was_judged_only(pip: FinishedPipbench):
    real, synthetic = (score_grid(pip, table) for table in pip.summary.tables)
    assert "Rating ↑" in real.columns and "Rating ↑" not in synthetic.columns
    arena = pip.judged[0].arena
    cells = {row[0].method: row[-1] for row in real.rows}
    for rated in arena.models:
        assert cells[rated.model].text == f"{rated.rating:.0f}"
    conditioned = [r.model for r in arena.models if not r.model.startswith("no_preference")]
    assert cells[conditioned[0]].mark == "best" and cells[conditioned[1]].mark == "second"


def test_p49_ratings_over_both_splits_stand_beside_neither(tmp_path: Path):
    folder = made_pipbench_run.write_run(tmp_path / "run")
    made_pipbench_run.write_judged(folder, splits=("real", "synthetic"))
    run = read_pipbench(folder)
    for table in run.summary.tables:
        assert not any(name.startswith("Rating") for name in score_grid(run, table).columns)


def test_p47_a_macro_table_has_the_intervals_over_people(pip_copy: Path):
    value = json.loads((pip_copy / "summary.json").read_text())
    value["tables"][0]["settings"]["estimator"] = "macro"
    (pip_copy / "summary.json").write_text(json.dumps(value))
    run = read_pipbench(pip_copy)
    table = run.summary.tables[0]
    grid = score_grid(run, table)
    measure = table.measure("no_preference · sketch", "CLS-R")
    assert grid.rows[0][4].aside.startswith(f"[{number(measure.macro.low, 2)},")
    assert grid.note.startswith("Means over people:")


def test_p64_painters_of_one_method_stand_together(pip: FinishedPipbench, plain: FinishedPipbench):
    assert painters_grid(pip, pip.summary.tables[0]) is None
    table = plain.summary.tables[0]
    grid = painters_grid(plain, table)
    assert len(grid.rows) == 12 and grid.breaks == {2, 4, 6, 8, 10}
    assert {row[0].text for row in grid.rows} == {"sketch", "diffusers/flux"}
    for first, second in zip(grid.rows[::2], grid.rows[1::2], strict=True):
        means = [table.measure(row[0].method, "PAL-R").mean for row in (first, second)]
        better = (first, second)[means[1] > means[0]]
        assert better[2].mark == "best"


def view(values: dict[str, float | None], better: str) -> tuple[ImageTableView, ColumnView]:
    column = ColumnView(name="X-R", prefix="X", better=better)
    none = Interval(None, None, None, 0, 0)
    rows = [
        ImageModelView(
            model=name, columns={"X-R": ImageMeasureView(mean=value, micro=none, macro=none)}
        )
        for name, value in values.items()
    ]
    return ImageTableView(columns=[column], models=rows), column


@given(
    st.dictionaries(
        st.sampled_from("abcdef"), st.none() | st.integers(0, 4).map(float), min_size=1
    ),
    st.sampled_from(["higher", "lower"]),
)
def test_p48_ranks_equal_their_slow_twin(values: dict[str, float | None], better: str):
    table, column = view(values, better)
    known = [v for v in values.values() if v is not None]
    ordered = sorted(known, reverse=better == "higher")
    assert ranks(table, column) == {
        name: ordered.index(value) + 1 for name, value in values.items() if value is not None
    }


def test_p48_gray_stands_beside_colour_with_the_ranks_that_move(pip: FinishedPipbench):
    table = pip.summary.tables[0]
    grid = gray_grid(pip, table)
    assert [name.split()[0] for name in grid.columns[1:5]] == [
        "CLS-T",
        "CLS-TG",
        "LPIPS-R",
        "LPIPS-G",
    ]
    before, after = (ranks(table, table.column(name)) for name in ("DIS-R", "DIS-G"))
    place = [name.split()[0] for name in grid.columns].index("DIS-G")
    for row in grid.rows:
        label = row[0].method
        moved = before[label] != after[label]
        assert row[place].aside == (f"rank {before[label]} → {after[label]}" if moved else "")
    moves = moves_grid(pip)
    assert len(moves.rows) == 10 and moves.breaks == {5}
    found = {(g.split, g.colour): g for g in pip.summary.claims.gray}
    told = next(row for row in moves.rows[:5] if row[1].text.startswith("DIS-R"))
    assert told[2].text == f"{found['real', 'DIS-R'].moved} of 7"


def test_target_columns_and_pixels_are_there(pip: FinishedPipbench):
    grid = target_grid(pip, pip.summary.tables[0])
    assert [name.split()[0] for name in grid.columns[-3:]] == ["PIX-MSE", "PIX-MAE", "PIX-PSNR"]
    assert grid.columns[-1].endswith("↑") and grid.columns[-2].endswith("↓")


def test_lifts_and_paired_differences_are_the_summarys(pip: FinishedPipbench):
    grid = lift_grid(pip)
    assert len(grid.columns) == 1 + 3 * 4
    lift = next(x for x in pip.summary.lifts if x.model == grid.rows[1][0].method)
    assert grid.rows[1][3].text == number(lift.lift.mean, 2, sign=True)
    table = pip.summary.tables[0]
    gaps = reference_grid(pip, table)
    # Pictures made elsewhere have no painter whose No preference they could be compared with.
    assert [row[0].text for row in gaps.rows] == [m.title for m in models_of(pip)][1:-1]
    gap = table.measure(gaps.rows[0][0].method, "LPIPS-R").minus_reference
    assert gaps.rows[0][2].text == number(gap.mean, 4, sign=True)


def test_what_is_missing_and_unscored_is_counted_with_reasons(pip: FinishedPipbench):
    found = gather(pip)
    missing = missing_grid(pip, found)
    assert [cell.text for cell in missing.rows[0]] == [
        "Edit (2-Ref)", "refused", "2", "I cannot <help> with that",
    ]  # fmt: skip
    unscored = unscored_grid(pip)
    rows = {row[0].text: [cell.text for cell in row[1:]] for row in unscored.rows}
    assert rows["Edit (2-Ref)"][:2] == ["2", "every column"]
    assert rows["Every model"][2] == "the case has no target"
    bounds = bounds_grid(pip)
    assert [row[0].text for row in bounds.rows] == ["Edit (2-Ref)"]
    assert bounds.rows[0][2].aside.startswith("no bound")
    assert found.notes == {"one caption was empty": 16}


def test_nothing_missing_has_no_tables(plain: FinishedPipbench):
    found = gather(plain)
    assert missing_grid(plain, found) is None and copies_grid(plain, found) is None
    assert bounds_grid(plain) is None
    assert faults_grid(plain) is None and gate_grid(plain) is None


def test_copies_bands_gate_and_data_are_told(pip: FinishedPipbench):
    copies = copies_grid(pip, gather(pip))
    assert [row[0].text for row in copies.rows] == ["000", "002"]
    assert "PAL 99.1" in copies.rows[0][3].text
    bands = bands_grid(pip)
    assert [row[0].text for row in bands.rows] == ["CLS", "DIS", "LPIPS", "PAL"]
    assert "CLS, DIS, LPIPS and PAL rest on 31 pairs" in bands.note
    assert faults_grid(pip).rows[0][1].text == "cut off after 3 KB"
    assert gate_grid(pip).rows[0][0].text == "turned by EXIF orientation 6"
    assert [row[1].text for row in data_grid(pip).rows] == ["8", "8", "16"]


def test_x14_published_tables_are_facts_of_the_paper():
    first = published_tables()[0]
    assert first.rows[4].model == "GPT-5" and first.rows[4].real["CLS-R"] == 69.574
    assert first.rows[4].real["Elo"] == 1765 and "Elo" not in first.rows[4].synthetic
    for table in published_tables()[:3]:
        # Ratings of a table are centred at 1500 (P53).
        elos = [row.real["Elo"] for row in table.rows]
        assert sum(elos) / len(elos) == pytest.approx(1500, abs=0.2)


def test_x14_published_numbers_stand_where_columns_are_the_papers(
    pip: FinishedPipbench, plain: FinishedPipbench
):
    assert [grid.id for grid in published_grids(pip, pip.summary.tables[0])] == [
        "published-table1-real", "published-table2-real", "published-table3-real",
        "published-table7-real",
    ]  # fmt: skip
    assert published_grids(plain, plain.summary.tables[0]) == []


@pytest.mark.parametrize(
    ("writer", "painter", "wanted"),
    [
        ("openai/gpt-5", "diffusers/Qwen/Qwen-Image", "GPT-5"),
        ("openai/gpt-5-2025-08-07", "diffusers/qwen-image", "GPT-5"),
        ("openai/gpt-5-mini", "diffusers/qwen-image", None),
        ("openai/gpt-5", "sketch", None),
        ("Qwen/Qwen2.5-VL-7B-Instruct", "diffusers/qwen-image", "QwenVL2.5-7B"),
    ],
)
def test_x14_a_published_row_is_joined_with_the_right_model(
    pip: FinishedPipbench, writer: str, painter: str, wanted: str | None
):
    model = models_of(pip)[3].model_copy(update={"writer": writer, "painter": painter})
    found = [row.model for row in published_tables()[0].rows if matching(row, (model,))]
    assert found == ([wanted] if wanted else [])


def test_x14_pictures_made_elsewhere_are_joined_by_name(tmp_path: Path, pip: FinishedPipbench):
    model = models_of(pip)[-1].model_copy(update={"label": "gpt_5"})
    found = [row.model for row in published_tables()[0].rows if matching(row, (model,))]
    assert found == ["GPT-5"]
