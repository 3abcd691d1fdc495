"""The 60 printed rows of the paper's Tables 7-10: what they add up to, and what they imply."""

import csv
import math
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from eyeprint.scores.person_space import VpttSettings
from eyeprint.scores.vptt_score import combine
from eyeprint.scores.vptt_table import with_nv

GOLDEN = Path(__file__).parents[1] / "golden" / "vptt_tables_7_10.csv"
METHODS = ("baseline", "persona_only", "brag", "vprag", "comb")


@pytest.fixture(scope="module")
def rows():
    with GOLDEN.open(encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    for row in table:
        for name in (
            "pa",
            "gs",
            "cp",
            "nv",
            "score",
            "score_c",
            "win_pct",
            "win_c_pct",
            "d",
            "d_c",
        ):
            row[name] = float(row[name]) if row[name] else math.nan
    return table


@pytest.fixture(scope="module")
def cells(rows):
    """The 12 cells (task, writer), and each number as an array (cell, method)."""
    found = defaultdict(dict)
    for row in rows:
        found[row["task"], row["llm"]][row["method"]] = row
    return {
        name: np.array([[cell[m][name] for m in METHODS] for cell in found.values()])
        for name in ("pa", "gs", "cp", "nv", "score", "score_c", "win_pct", "win_c_pct")
    }


def test_x14_v64_v65_all_sixty_rows_recombine_within_a_thousandth(cells):
    nv = with_nv(cells["nv"], METHODS, "published_zero", VpttSettings())
    score, score_c = combine(cells["pa"], cells["gs"], cells["cp"], nv)
    assert score.size == 60
    assert np.abs(score - cells["score"]).max() <= 0.001 + 1e-9
    assert np.abs(score_c - cells["score_c"]).max() <= 0.001 + 1e-9


def test_v60_every_printed_cp_exceeds_the_bound_of_ambient_distances(rows):
    # A unit vector is at least sqrt(1 - GS²) from anything in the span, so a CP measured
    # there is at most exp(-sqrt(1 - GS²)); the printed ones are inside the basis then.
    for row in rows:
        assert row["cp"] > math.exp(-math.sqrt(1 - row["gs"] ** 2))
    first = rows[0]
    assert math.exp(-math.sqrt(1 - first["gs"] ** 2)) == pytest.approx(0.396, abs=5e-4)
    distances = [-math.log(row["cp"]) for row in rows]
    assert (round(min(distances), 3), round(max(distances), 3)) == (0.347, 0.56)


def test_v66_with_nv_one_persona_only_passes_brag_in_four_of_twelve_cells(cells):
    def score_with(policy):
        nv = with_nv(cells["nv"], METHODS, policy, VpttSettings())
        return combine(cells["pa"], cells["gs"], cells["cp"], nv)[0]

    persona, brag = METHODS.index("persona_only"), METHODS.index("brag")
    published, one = score_with("published_zero"), score_with("one")
    assert (published[:, persona] > published[:, brag]).sum() == 0
    assert (one[:, persona] > one[:, brag]).sum() == 4
    # The handicap is the weight of NV, 0.2, for exactly the two methods.
    assert np.allclose((one - published).max(axis=0), [0.2, 0.2, 0, 0, 0])


def test_v66_nv_of_the_methods_that_never_saw_captions_is_a_dash(rows):
    dashes = {row["method"] for row in rows if math.isnan(row["nv"])}
    assert dashes == set(VpttSettings().unconditioned_methods)


def test_v73_win_columns_sum_to_a_hundred(cells):
    for name in ("win_pct", "win_c_pct"):
        assert np.abs(cells[name].sum(axis=1) - 100).max() <= 0.1 + 1e-9


def test_v79_v81_winners_by_score_and_by_score_c(cells):
    def winners(name):
        best = cells[name].argmax(axis=1)
        return {m: int((best == j).sum()) for j, m in enumerate(METHODS) if (best == j).any()}

    assert winners("score") == {"vprag": 9, "comb": 3}
    assert winners("score_c") == {"brag": 3, "vprag": 3, "comb": 6}


def test_v80_implied_pooled_deviations_are_small(rows):
    # d = |mean - baseline| / s, so s = gap / d; the paper prints d, not s.
    implied = []
    for row in rows:
        if row["method"] == "baseline":
            base = row["score"]
        else:
            implied.append((row["score"] - base) / row["d"])
    assert min(implied) > 0.017 and max(implied) < 0.043
