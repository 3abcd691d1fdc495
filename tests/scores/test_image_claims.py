"""What published tables say about the paper's claims (P48, P65); its Tables 1 and 7."""

import csv
from pathlib import Path

import pytest

from eyeprint.scores.image_claims import (
    beaten_reference,
    rank_moves,
    split_gaps,
)

COLOUR = ("CLS-T", "LPIPS-R", "CLS-R", "DIS-R")
GRAY = ("CLS-TG", "LPIPS-G", "CLS-G", "DIS-G")
CELLS = ("cls_t", "lpips_r", "cls_r", "dis_r")


@pytest.fixture(scope="module")
def published():
    """Split -> column -> model -> mean."""
    path = Path(__file__).parents[1] / "golden" / "pipbench_tables.csv"
    rows = list(csv.DictReader(path.open(encoding="utf-8")))
    return {
        split: {
            column: {
                row["model"]: float(row[cell])
                for row in rows
                if (row["table"], row["split"]) == (table, split)
            }
            for table, columns in (("1", COLOUR), ("7", GRAY))
            for column, cell in zip(columns, CELLS, strict=True)
        }
        for split in ("synthetic", "real")
    }


def test_p48_gray_moves_nine_of_ten_models_in_real_lpips(published):
    real = published["real"]
    moves = rank_moves(real["LPIPS-R"], real["LPIPS-G"], "lower")
    assert (moves.moved, moves.models) == (9, 10)
    assert moves.spearman == pytest.approx(0.818, abs=5e-4)
    assert (moves.best_before, moves.best_after) == ("GPT-5", "Gemini2.5-Pro")


def test_p48_real_cls_r_is_the_only_column_that_keeps_all_ranks(published):
    kept = []
    for split, means in published.items():
        for colour, gray in zip(COLOUR, GRAY, strict=True):
            better = "lower" if colour == "LPIPS-R" else "higher"
            if rank_moves(means[colour], means[gray], better).moved == 0:
                kept.append((split, colour))
    assert kept == [("real", "CLS-R")]


def test_p65_the_unconditioned_model_gains_on_real_users_too(published):
    means = published
    gaps = split_gaps(means["synthetic"], means["real"], "no-preference")
    own = {gap.column: gap.gap for gap in gaps if gap.model == "no-preference"}
    assert own["DIS-R"] == pytest.approx(1.904)
    assert own["LPIPS-R"] == pytest.approx(-0.0111)
    gpt5 = next(g for g in gaps if (g.column, g.model) == ("DIS-R", "GPT-5"))
    # 22.160 - 17.085 = 5.075; less the offset of the split, 1.904
    assert gpt5.beyond_reference == pytest.approx(3.171)
    assert all(g.beyond_reference is None for g in gaps if g.model == "no-preference")


def test_p65_two_references_do_not_beat_none_in_lpips(published):
    for split in ("synthetic", "real"):
        found = {b.column: b for b in beaten_reference(published[split], "no-preference")}
        assert found["LPIPS-R"].not_better == ("Qwen-Image-Edit (2-Ref)",)
        assert found["DIS-R"].not_better == ()
    synthetic = {b.column: b for b in beaten_reference(published["synthetic"], "no-preference")}
    assert synthetic["CLS-R"].not_better == ("Qwen-Image-Edit (2-Ref)",)
    assert synthetic["CLS-T"].better == ()


def test_p65_without_a_reference_model_there_is_no_claim(published):
    means = published
    gaps = split_gaps(means["synthetic"], means["real"], None)
    assert {gap.beyond_reference for gap in gaps} == {None}
    assert beaten_reference(means["real"], "nobody") == []
