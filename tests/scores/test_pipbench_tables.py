"""The printed rows of PIPBench's Tables 1-4 and 7: what they add up to, and what they imply."""

import csv
from pathlib import Path

import numpy as np
import pytest

from eyeprint.maths.effects import spearman
from eyeprint.maths.ratings import fit_ratings
from eyeprint.report.pipbench_published import published_tables

GOLDEN = Path(__file__).parents[1] / "golden" / "pipbench_tables.csv"


@pytest.fixture(scope="module")
def rows():
    with GOLDEN.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def column(rows, table, split, name):
    found = [row for row in rows if (row["table"], row["split"]) == (table, split)]
    return {row["model"]: float(row[name]) for row in found if row[name]}


def test_p49_every_split_and_model_is_there(rows):
    sizes = {
        (t, s): len(column(rows, t, s, "cls_r")) for t in "12347" for s in ("real", "synthetic")
    }
    assert sizes == {
        **{("1", s): 10 for s in ("real", "synthetic")},
        **{("2", s): 3 for s in ("real", "synthetic")},
        **{("3", s): 7 for s in ("real", "synthetic")},
        ("4", "real"): 2,
        ("4", "synthetic"): 0,
        **{("7", s): 10 for s in ("real", "synthetic")},
    }


@pytest.mark.parametrize(("table", "mean"), [("1", 1499.9), ("2", 1500), ("3", 1500)])
def test_p53_published_ratings_are_centred_on_1500(rows, table, mean):
    elo = list(column(rows, table, "real", "elo").values())
    assert sum(elo) / len(elo) == pytest.approx(mean, abs=0.05)


def test_p53_gaps_of_the_same_pair_differ_between_tables(rows):
    # Each table is a pool of its own: 7B against no preference is 18 points in one, 7 in another.
    gaps = [
        elo["QwenVL2.5-7B"] - elo["no-preference"]
        for elo in (column(rows, t, "real", "elo") for t in "13")
    ]
    assert gaps == [18, 7]


@pytest.mark.parametrize(
    ("metric", "rho"),
    [("cls_r", 0.842), ("dis_r", 0.842), ("lpips_r", -0.879), ("cls_t", -0.527)],
)
def test_p58_published_metrics_against_published_ratings(rows, metric, rho):
    elo = column(rows, "1", "real", "elo")
    values = column(rows, "1", "real", metric)
    found = spearman([values[model] for model in elo], list(elo.values()))
    assert found == pytest.approx(rho, abs=5e-4)


def test_p58_gpt5_is_not_best_in_every_column(rows):
    synthetic = column(rows, "1", "synthetic", "dis_r")
    assert max(synthetic, key=synthetic.__getitem__) == "QwenVL2.5-70B"
    real = column(rows, "1", "real", "dis_r")
    assert max(real, key=real.__getitem__) == "GPT-5"


def test_p48_gray_moves_most_ranks_of_lpips_on_real_users(rows):
    plain, gray = (column(rows, t, "real", "lpips_r") for t in "17")
    models = list(plain)
    assert spearman([plain[m] for m in models], [gray[m] for m in models]) == pytest.approx(
        0.818, abs=5e-4
    )
    ranks = [sorted(models, key=found.__getitem__) for found in (plain, gray)]
    assert ranks[0][0] == "GPT-5"
    assert "Gemini" in ranks[1][0]
    moved = sum(ranks[0].index(m) != ranks[1].index(m) for m in models)
    assert moved == 9
    cls = [column(rows, t, "real", "cls_r") for t in "17"]
    assert spearman([cls[0][m] for m in models], [cls[1][m] for m in models]) == 1


def test_p80_the_tables_that_reports_show_are_these(rows):
    cells = {"cls_t": "CLS-T", "lpips_r": "LPIPS-R", "cls_r": "CLS-R", "dis_r": "DIS-R"}
    gray = {"CLS-T": "CLS-TG", "LPIPS-R": "LPIPS-G", "CLS-R": "CLS-G", "DIS-R": "DIS-G"}
    wanted = {}
    for row in rows:
        # Table 4 has only rates of wins: reports do not show it.
        if row["table"] == "4":
            continue
        names = {c: gray[n] if row["gray"] == "yes" else n for c, n in cells.items()}
        values = {n: float(row[c]) for c, n in (names | {"elo": "Elo"}).items() if row[c]}
        wanted[f"table{row['table']}", row["split"], row["model"], row["group"]] = values
    shown = {
        (table.id, split, row.model, row.group): dict(row.values(split))
        for table in published_tables()
        for row in table.rows
        for split in ("synthetic", "real")
    }
    assert shown == wanted
    for table in published_tables():
        assert {name for row in table.rows for name in row.values("real")} == set(table.columns)


def test_p54_win_rates_of_table_4_are_a_small_gap(rows):
    # 52.4 % against 47.6 %: 400 log10(52.4 / 47.6) = 16.7 points.
    rates = column(rows, "4", "real", "win_rate_pct")
    assert sum(rates.values()) == pytest.approx(100)
    ours, free = rates["profile-inclusive (Ours)"], rates["profile-free"]
    found = fit_ratings(np.array([[0, ours], [free, 0]])).ratings
    assert found[0] - found[1] == pytest.approx(16.7, abs=0.05)
