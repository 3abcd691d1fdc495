"""What judges said: matrices, bars, certificates and people in tables that equal the arena's."""

from pathlib import Path

import pytest

from eyeprint.report.pipbench_arena_grids import arena_grids, rate_cell, top_pairs
from eyeprint.report.pipbench_arena_html import judged_table
from eyeprint.report.pipbench_arena_view import (
    HumanAgreementView,
    HumansView,
    PickView,
    RateView,
    VerdictView,
)
from eyeprint.report.pipbench_columns import titles_of
from eyeprint.report.pipbench_gallery import said
from eyeprint.report.pipbench_view import FinishedPipbench, read_pipbench
from tests.report import made_pipbench_run


@pytest.fixture
def grids(pip: FinishedPipbench):
    return arena_grids(pip, pip.judged[0])


def test_p53_ratings_have_intervals_and_rank_ranges(pip: FinishedPipbench, grids):
    titles = titles_of(pip)
    for row, rated in zip(grids["ratings"].rows, pip.judged[0].arena.models, strict=True):
        assert row[1].text == titles[rated.model]
        assert row[2].text == f"{rated.rating:.0f}"
        assert row[2].aside.startswith(f"[{rated.low:.0f},")
        assert row[3].text.startswith(str(rated.rank_low))
        assert row[6].text == f"{rated.wins} / {rated.ties} / {rated.losses}"


def test_p54_the_matrix_stands_in_the_order_of_the_ratings(pip: FinishedPipbench, grids):
    matrix = pip.judged[0].arena.matrix
    titles = titles_of(pip)
    assert grids["matrix"].columns[1:] == tuple(titles[m] for m in matrix.models)
    assert [row.model for row in pip.judged[0].arena.models] == list(matrix.models)
    for i, row in enumerate(grids["matrix"].rows):
        for j, cell in enumerate(row[1:]):
            if i == j:
                assert cell.text == ""
                continue
            rate = (matrix.wins[i][j] + matrix.ties[i][j] / 2) / matrix.games(i, j)
            assert cell.text == f"{100 * rate:.0f}\u00a0%"


def test_p55_pairs_are_told_by_judge_and_the_best_pairs_are_drawn(pip: FinishedPipbench, grids):
    arena = pip.judged[0].arena
    assert len(grids["pairs"].rows) == 21 * 2
    pairs = top_pairs(arena)
    order = [row.model for row in arena.models]
    assert [(p.model, p.against) for p in pairs[::2]] == [(order[0], m) for m in order[1:4]]
    assert {pair.judge for pair in pairs} == {"judge_0|<i>", "judge_1|<i>"}


def test_x9_certificates_tell_every_probe_and_what_failed(grids):
    rows = grids["certificates"].rows
    assert len(rows) == 10 and grids["certificates"].breaks == {5}
    failed = [row for row in rows if row[2].text == "failed"]
    assert [row[1].text for row in failed] == ["Same side wins in both orders"]
    assert failed[0][3].text == "90\u00a0%" and failed[0][4].text == "75\u00a0%"


def test_p51_judges_are_told_with_both_kinds_of_ties_and_what_was_left_out(
    pip: FinishedPipbench, grids
):
    for row, judge in zip(grids["judges"].rows, pip.judged[0].arena.judges, strict=True):
        assert row[1].text == f"{judge.counted:,} of {judge.verdicts:,}"
        assert row[2].text == f"refused {judge.excluded['refused']}"
        assert row[4].text == f"{judge.ties_explicit} / {judge.ties_low_confidence}"
    assert "α" in grids["agreement"].note


def test_p58_metrics_are_told_with_their_direction(pip: FinishedPipbench, grids):
    rows = {row[0].text.split()[0]: row for row in grids["metrics"].rows}
    assert rows["LPIPS-R"][0].text.endswith("↓") and rows["LPIPS-R"][1].text.startswith("−")
    assert len(rows) == len(pip.summary.overall.columns)


def test_p56_p57_people_and_picks_have_tables_where_there_are_any(pip: FinishedPipbench):
    (judged,) = pip.judged
    rate = RateView(share=0.914, low=0.87, high=0.94, n=200)
    humans = HumansView(
        raters=3,
        comparisons=200,
        shared=200,
        agreement=[
            HumanAgreementView(judge="all verdicts", exact=rate, decided=rate, half=RateView())
        ],
    )
    picks = (PickView(model="fusion [offline] · sketch", picked=41, share=rate, rank=1),)
    arena = judged.arena.model_copy(update={"humans": humans, "picks": picks})
    from dataclasses import replace

    found = arena_grids(pip, replace(judged, arena=arena))
    assert found["humans"].rows[0][1].text == "91.4\u00a0%"
    assert found["humans"].rows[0][3].text == "—" and "3 raters on 200" in found["humans"].note
    assert found["picks"].rows[0][1].text == "Fusion [offline]"
    assert rate_cell(RateView(share=0.5)).aside == ""


def test_several_judgings_have_ids_and_titles_of_their_own(tmp_path: Path):
    folder = made_pipbench_run.write_run(tmp_path / "run")
    made_pipbench_run.write_judged(folder, "one")
    made_pipbench_run.write_judged(folder, "two", splits=("synthetic", "real"), judges=1)
    run = read_pipbench(folder)
    first, second = (arena_grids(run, judged) for judged in run.judged)
    assert {g.id for g in first.values()}.isdisjoint({g.id for g in second.values()})
    assert second["ratings"].title == "Ratings (two)"
    assert "agreement" not in second
    assert judged_table(run, run.judged[0]).split == "real"
    assert judged_table(run, run.judged[1]).split == ""


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"choice": "a"}, "X over y"),
        ({"choice": "b"}, "y over X"),
        ({"choice": "tie", "tie": "explicit"}, "X and y: a tie"),
        (
            {"choice": "tie", "tie": "low_confidence"},
            "X and y: a tie, for the judge was not sure",
        ),
        ({"choice": None, "outcome": "refused"}, "X and y: no verdict (refused)"),
    ],
)
def test_p51_verdicts_are_told_as_what_they_are(more: dict, told: str):
    verdict = VerdictView(case_id="1", judge="j", model_a="x", model_b="y", **more)
    assert said(verdict, {"x": "X"}).told == told
