"""The tables: what they hold, in which order, and what is marked."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyeprint.report.grids import marks
from eyeprint.report.run_folder_view import FinishedRun
from eyeprint.report.vptt_grids import (
    compact_grid,
    pairs_grid,
    rankings_grid,
    task_grids,
    task_tables,
    unscored_grid,
)
from eyeprint.report.words import number


def slow_marks(values):
    """Count who is strictly better, by what is printed."""
    told = [None if v is None else float(f"{v:.3f}") for v in values]
    known = {v for v in told if v is not None}
    if len(known) < 2:  # of one, or of equal ones, none is the best
        return [""] * len(values)
    names = {0: "best", 1: "second"}
    return ["" if v is None else names.get(sum(o > v for o in known), "") for v in told]


@given(st.lists(st.none() | st.integers(0, 12).map(lambda n: n / 8), max_size=7))
def test_marks_agree_with_a_slow_twin(values):
    assert marks(values) == slow_marks(values)


def test_v79_one_row_per_kind_and_writer_one_column_per_method(run: FinishedRun):
    grid = compact_grid(run)
    assert grid is not None
    assert grid.columns == (
        "Kind", "Writer", "Baseline", "Persona Only", "BRAG", "VPRAG", "Comb.",
    )  # fmt: skip
    assert [row[0].printed for row in grid.rows] == ["Generation", "", "Editing", ""]
    assert [row[0].text for row in grid.rows] == 2 * ["Generation"] + 2 * ["Editing"]
    assert [row[1].text for row in grid.rows][:2] == ["concatenation", "demo/wri_ter|<b>&%"]
    assert grid.breaks == {2}
    for row in grid.rows:
        # V80: the best of a row has no d, all others have one (also if they print alike).
        without = [cell for cell in row[2:] if not cell.aside]
        assert [cell.mark for cell in without] == ["best"]
        assert all(cell.aside.startswith("d") for cell in row[2:] if cell.aside)


def test_v81_tables_per_task_writer_and_method_hold_every_part(run: FinishedRun):
    grids = task_grids(run)
    assert [grid.title for grid in grids] == ["Cultural site", "Garden editing", "Outdoor spot"]
    assert all(len(grid.rows) == 2 * 5 for grid in grids)
    assert grids[0].columns == (
        "Writer", "Method", "PA", "GS", "CP", "NV", "Score-c", "Win %", "d", "Score", "Win %", "d",
    )  # fmt: skip
    table = task_tables(run, "cultural_site")[0]
    vprag = table.row("vprag")
    assert vprag is not None
    row = grids[0].rows[3]
    assert [cell.text for cell in row[2:6]] == [
        number(value) for value in (vprag.pa, vprag.gs, vprag.cp, vprag.nv)
    ]
    assert row[9].text == number(vprag.score.interval.mean)
    assert row[11].text == number(vprag.score.d_baseline, 2)
    assert "ranked by score-c" in grids[2].note and "ranked by score;" in grids[0].note
    assert "as published" in grids[2].note and "of our own" in grids[0].note


def test_v73_win_shares_of_a_block_sum_to_100(run: FinishedRun):
    for grid in task_grids(run):
        for block in (grid.rows[:5], grid.rows[5:]):
            for column in (7, 10):
                total = sum(float(row[column].text) for row in block)
                assert total == pytest.approx(100, abs=0.3)


def test_v66_both_rankings_stand_side_by_side_and_nv_is_a_dash(run: FinishedRun):
    grid = rankings_grid(run)
    table = run.summary.overall
    titles = {"baseline": "Baseline", "persona_only": "Persona Only", "brag": "BRAG",
              "vprag": "VPRAG", "comb": "Comb."}  # fmt: skip
    for column, order in ((1, table.ranking), (2, table.ranking_nv_one)):
        assert [row[column].text for row in grid.rows] == [titles[name] for name in order]
    baseline = task_grids(run)[0].rows[0]
    assert baseline[1].text == "Baseline" and baseline[5].text == "—"


def test_v73_a_ranking_on_shared_comparisons_says_so(run: FinishedRun):
    table = run.summary.overall
    # made_run spoils one prompt of Persona Only: one comparison is not shared by all.
    assert table.shared("score") == table.cells - 1
    note = f"every method is scored ({table.cells - 1} of {table.cells})"
    assert note in rankings_grid(run).note
    even = table.model_copy(update={"ranked_cells": {"score": table.cells}})
    summary = run.summary.model_copy(update={"tables": (even,)})
    assert "Places follow" not in rankings_grid(replace(run, summary=summary)).note


def test_the_best_has_no_difference_to_itself(run: FinishedRun):
    grid = pairs_grid(run)
    best = run.summary.overall.ranking[0]
    for row in grid.rows:
        assert (row[1].text == "—") == (row[0].method == best)


def test_unscored_rows_come_with_the_bounds_of_the_mean(run: FinishedRun):
    row = next(r for r in unscored_grid(run).rows if r[2].text != "0")
    low, high = (float(x) for x in row[4].text.replace("\u00a0", " ").split(" … "))
    assert low < float(row[3].text) < high


def test_a_method_of_which_nothing_was_scored_has_no_place(run: FinishedRun):
    summary = run.summary
    overall = summary.overall
    last = overall.ranking[-1]

    def emptied(row):
        nothing = replace(row.score.interval, mean=None, low=None, high=None)
        score = row.score.model_copy(update={"interval": nothing})
        return row.model_copy(update={"score": score}) if row.method == last else row

    table = overall.model_copy(update={"methods": tuple(map(emptied, overall.methods))})
    tables = tuple(table if one is overall else one for one in summary.tables)
    grid = rankings_grid(replace(run, summary=summary.model_copy(update={"tables": tables})))
    placed = [row[1].text for row in grid.rows]
    assert placed[-1] == "—"
    assert len(grid.rows) == len(overall.methods)
