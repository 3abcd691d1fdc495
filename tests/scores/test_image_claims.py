"""What published tables say about the paper's claims (P48, P58, P65); its Tables 1 and 7."""

import csv
from pathlib import Path

import pytest

from eyeprint.scores.image_claims import (
    beaten_reference,
    rank_moves,
    rating_correlations,
    split_gaps,
)

COLOUR = ("CLS-T", "LPIPS-R", "CLS-R", "DIS-R")
GRAY = ("CLS-TG", "LPIPS-G", "CLS-G", "DIS-G")


@pytest.fixture(scope="module")
def published():
    path = Path(__file__).parents[1] / "golden" / "pipbench_tables_1_7.csv"
    rows = list(csv.DictReader(path.open()))
    means = {
        split: {
            column: {r["model"]: float(r[column]) for r in rows if r["split"] == split}
            for column in COLOUR + GRAY
        }
        for split in ("synthetic", "real")
    }
    ratings = {r["model"]: float(r["rating"]) for r in rows if r["rating"]}
    return means, ratings


def test_p58_reference_metrics_follow_the_ratings_and_cls_t_runs_against_them(published):
    means, ratings = published
    found = {each.column: each for each in rating_correlations(means["real"], ratings)}
    expected = {"CLS-R": 0.842, "DIS-R": 0.842, "LPIPS-R": -0.879, "CLS-T": -0.527}
    for column, value in expected.items():
        assert found[column].spearman == pytest.approx(value, abs=5e-4)
        assert found[column].models == 10
    assert found["LPIPS-R"].agreement == pytest.approx(0.879, abs=5e-4)
    assert found["CLS-T"].agreement == pytest.approx(-0.527, abs=5e-4)


def test_p58_models_without_a_rating_or_a_mean_take_no_part():
    means = {"CLS-R": {"a": 1.0, "b": 2.0, "c": None, "d": 3.0}}
    found = rating_correlations(means, {"a": 1.0, "b": 2.0, "c": 3.0})[0]
    assert (found.models, found.spearman) == (2, 1.0)
    alone = rating_correlations(means, {"a": 1.0})[0]
    assert (alone.spearman, alone.agreement) == (None, None)
    assert alone.reason == "1 model with both a mean and a rating"
    same = rating_correlations(means, {"a": 5.0, "b": 5.0})[0]
    assert same.reason == "all means, or all ratings, are equal"


def test_p48_gray_moves_nine_of_ten_models_in_real_lpips(published):
    real = published[0]["real"]
    moves = rank_moves(real["LPIPS-R"], real["LPIPS-G"], "lower")
    assert (moves.moved, moves.models) == (9, 10)
    assert moves.spearman == pytest.approx(0.818, abs=5e-4)
    assert (moves.best_before, moves.best_after) == ("gpt5", "gemini25pro")


def test_p48_real_cls_r_is_the_only_column_that_keeps_all_ranks(published):
    kept = []
    for split, means in published[0].items():
        for colour, gray in zip(COLOUR, GRAY, strict=True):
            better = "lower" if colour == "LPIPS-R" else "higher"
            if rank_moves(means[colour], means[gray], better).moved == 0:
                kept.append((split, colour))
    assert kept == [("real", "CLS-R")]


def test_p65_the_unconditioned_model_gains_on_real_users_too(published):
    means = published[0]
    gaps = split_gaps(means["synthetic"], means["real"], "no_preference")
    own = {gap.column: gap.gap for gap in gaps if gap.model == "no_preference"}
    assert own["DIS-R"] == pytest.approx(1.904)
    assert own["LPIPS-R"] == pytest.approx(-0.0111)
    gpt5 = next(g for g in gaps if (g.column, g.model) == ("DIS-R", "gpt5"))
    # 22.160 - 17.085 = 5.075; less the offset of the split, 1.904
    assert gpt5.beyond_reference == pytest.approx(3.171)
    assert all(g.beyond_reference is None for g in gaps if g.model == "no_preference")


def test_p65_two_references_do_not_beat_none_in_lpips(published):
    for split in ("synthetic", "real"):
        found = {b.column: b for b in beaten_reference(published[0][split], "no_preference")}
        assert found["LPIPS-R"].not_better == ("edit_2ref",)
        assert found["DIS-R"].not_better == ()
    synthetic = {b.column: b for b in beaten_reference(published[0]["synthetic"], "no_preference")}
    assert synthetic["CLS-R"].not_better == ("edit_2ref",)
    assert synthetic["CLS-T"].better == ()


def test_p65_without_a_reference_model_there_is_no_claim(published):
    means = published[0]
    gaps = split_gaps(means["synthetic"], means["real"], None)
    assert {gap.beyond_reference for gap in gaps} == {None}
    assert beaten_reference(means["real"], "nobody") == []
