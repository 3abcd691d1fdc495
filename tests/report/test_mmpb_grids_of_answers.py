"""Tables of answers, concepts, models and cost of MMPB against the same slow twin."""

from __future__ import annotations

from dataclasses import replace
from statistics import mean

import pytest
from scipy.stats import fisher_exact, linregress, spearmanr

from eyeprint.report.mmpb_model_grids import published_grid
from eyeprint.report.mmpb_view import FinishedMmpb
from eyeprint.report.words import NONE
from tests.report.slow_mmpb import (
    CATEGORIES,
    SlowTables,
    counted,
    difference,
    own,
    percent,
    points,
    share,
    table,
)

LOST = {"Unread": "unread", "Refused": "refused", "Empty": "empty", "Cut": "truncated",
        "Failed": "failed", "Read": "answered"}  # fmt: skip
PEOPLE = "human"


def test_m21_blind_models_beside_their_optimum(grids, slow: SlowTables, keys):
    optima = {"awareness": 0.0, "appropriateness": 1.0, "coherency": 0.5}
    rows = table(grids["blind"])
    for row in rows:
        key = keys[row["Questions about"].removesuffix(" *")]
        cell, kind = (row["Model"], row["Setting"]), key.split(" · ")[0]
        value = slow.share(cell, key)
        assert row["Questions"] == f"{len(slow.of(cell, key))}"
        assert row["Black picture"] == percent(value)
        assert row["Optimum"] == percent(optima[kind])
        assert row["Away from it"] == percent(abs(value - optima[kind]))
        seen = row["Model"], row["Setting"].replace(" · blind", "")
        assert seen != cell and row["With the picture"] == percent(slow.share(seen, key))
        known = [one for one in slow.of(cell, key) if one["concept_only"]]
        fits = mean(one["said"] == one["concept_only"] for one in known) if known else None
        assert row["Says what fits the concept alone"] == percent(fits)


def test_x9_outcomes_of_every_cell(grids, slow: SlowTables):
    for row in table(grids["outcomes"]):
        found = counted(slow.of((row["Model"], row["Setting"])), lambda one: one["outcome"])
        assert row["Asked"] == f"{found.total()}"
        assert {title: row[title] for title in LOST} == {
            title: f"{found[name]}" for title, name in LOST.items()
        }


def test_m30_refusals_by_cell_task_and_pattern(grids, slow: SlowTables, keys):
    rows = table(grids["refusals"])
    for row in rows:
        cell = row["Model"], row["Setting"]
        refused = [one for one in slow.of(cell) if one["outcome"] == "refused"]
        assert row["Asked"] == f"{len(slow.of(cell))}"
        assert row["Refused"] == f"{len(refused)}"
        assert row["Share"] == percent(len(refused) / len(slow.of(cell)))
        for title in grids["refusals"].columns[5:]:
            here = [one for one in slow.of(cell, keys[title]) if one["outcome"] == "refused"]
            assert row[title] == f"{len(here)}"
    for row in table(grids["refused-tasks"]):
        for title in grids["refused-tasks"].columns[1:]:
            here = [
                one
                for cell in slow.cells
                if cell[0] == row["Model"]
                for one in slow.of(cell, keys[title])
                if one["outcome"] == "refused"
            ]
            assert row[title] == f"{len(here)}"
    for row in table(grids["patterns"]):
        for model in grids["patterns"].columns[1:-1]:
            here = [
                one
                for cell in slow.cells
                if cell[0] == model
                for one in slow.of(cell)
                if one["outcome"] == "refused" and one["refusal"] == row["Pattern"]
            ]
            assert row[model] == f"{len(here)}"


def test_m18_answers_said_too_often(grids, slow: SlowTables):
    rows = table(grids["letters"])
    assert {row["Answers"] for row in rows} == {"letters", "yes or no"}
    for row in rows:
        letters = row["Answers"] == "letters"
        read = [
            one
            for one in slow.of((row["Model"], row["Setting"]))
            if one["outcome"] == "answered" and (one["key"] in ("Yes", "No")) != letters
        ]
        said, right = counted(read, lambda one: one["said"]), counted(read, lambda one: one["key"])
        assert row["Read"] == f"{len(read)}"
        excess = {name: (said[name] - right[name]) / len(read) for name in {*said, *right}}
        largest = row["Too often"]
        if largest == NONE:
            assert max(excess.values()) <= 0
        else:
            assert excess[largest] == max(excess.values()) > 0
        assert row["By points"] == points(max(excess.values()))
        told = dict(
            each.split(" ", 1)
            for each in row["Said, and in brackets how often it is right"].split(", ")
        )
        for name, shown in told.items():
            first, _, second = shown.rstrip(")").partition(" (")
            assert first == percent(said[name] / len(read))
            assert second == percent(right[name] / len(read))


def test_m45_each_concept_against_its_category(grids, slow: SlowTables):
    rows = [dict(zip(("model", "setting", "category", "concept", "n", "own", "all", "gap", "p"),
                     (cell.text for cell in row), strict=True))
            for row in grids["fairness"].rows]  # fmt: skip
    assert len(rows) > 12
    for row in rows:
        cell = row["model"], row["setting"]
        rest = slow.of(cell, row["category"])
        mine = [one for one in rest if one["concept"] == row["concept"]]
        assert (row["n"], row["own"]) == (f"{len(mine)}", percent(share(mine)))
        assert row["all"] == percent(share(rest))
        assert row["gap"] == points(share(mine) - share(rest))
        right, others = sum(one["right"] for one in mine), sum(one["right"] for one in rest)
        counts = [[right, len(mine) - right],
                  [others - right, len(rest) - len(mine) - others + right]]  # fmt: skip
        alone = fisher_exact(counts).pvalue
        assert row["p"] == "< 0.001" or float(row["p"]) >= round(alone, 3)


def test_m28_open_models_against_closed(grids, slow: SlowTables, keys, labels, mmpb: FinishedMmpb):
    sides = {a: [m.model for m in mmpb.results.models if m.access == a] for a in ("open", "closed")}
    grid = grids["access"]
    titles = [f"{a.capitalize()} ({len(models)})" for a, models in sides.items()]
    assert list(grid.columns[2:4]) == titles
    for row in table(grid):
        where = [row["Setting"]] if row["Setting"] in labels else own(labels)
        means = [
            mean(slow.share((m, name), keys[row["Questions"]]) for m in models for name in where)
            for models in sides.values()
        ]
        assert [row[title] for title in titles] == [percent(value) for value in means]
        assert row["Closed minus open"] == points(means[1] - means[0])


def test_m46_ranks(grids, slow: SlowTables, keys, labels, mmpb: FinishedMmpb):
    ranks = {m.model: m.rank for m in mmpb.results.models if m.rank is not None}
    for row in table(grids["ranked-models"]):
        assert row["Rank"] == f"{ranks[row['Model']]:.1f}"
        for title in grids["ranked-models"].columns[2:]:
            shares = [slow.share((row["Model"], name), keys[title]) for name in own(labels)]
            assert row[title] == percent(mean(shares))
    for row in table(grids["ranks"]):
        where = [row["Setting"]] if row["Setting"] in labels else own(labels)
        values = [mean(slow.share((m, name), keys[row["Questions"]]) for name in where)
                  for m in ranks]  # fmt: skip
        rho = -spearmanr(list(ranks.values()), values).statistic
        assert row["Models"] == f"{len(ranks)}"
        slope = linregress(list(ranks.values()), values).slope
        assert row["Points for one rank better"] == points(-slope)
        assert float(row["Spearman’s ρ"].replace("−", "-")) == pytest.approx(rho, abs=0.006)


def test_m26_people_beside_models(grids, slow: SlowTables, keys):
    (first, *others) = table(grids["human"])
    cell = PEOPLE, first["Setting"]
    assert len(others) == 3
    for title in grids["human"].columns[2:]:
        assert first[title] == percent(slow.share(cell, keys[title]))
        for row in others:
            pairs = slow.both(
                cell, (row["Who"].removeprefix("minus "), row["Setting"]), keys[title]
            )
            assert row[title] == points(difference(pairs))


def test_m47_costs(grids, slow: SlowTables, mmpb: FinishedMmpb):
    for row in table(grids["costs"]):
        rows = [one for cell in slow.cells if cell[0] == row["Model"] for one in slow.of(cell)]
        money = sum(one["cost_usd"] for one in rows)
        assert row["Answers"] == f"{len(rows):,}"
        assert row["Tokens in"] == f"{sum(one['input_tokens'] for one in rows):,}"
        assert row["Tokens out"] == f"{sum(one['output_tokens'] for one in rows):,}"
        assert row["US dollars"] == f"{money:.2f}"
        assert row["Per 1,000 answers"] == f"{1000 * money / len(rows):.2f}"
        asked = sum(one["prompt_tokens"] for one in rows)
        assert row["Tokens in, estimated"] == f"{asked:,}"
        shared = sum(one["shared_tokens"] for one in rows)
        assert row["Shared with the call before, %"] == percent(shared / asked)
        machine = row["Model"] != PEOPLE  # one start: 100 calls in 50 s
        assert (row["Calls"], row["Seconds a call"]) == (
            ("100", "0.50") if machine else (NONE,) * 2
        )


def test_m45_only_flagged_concepts_are_called_unfair(grids, mmpb: FinishedMmpb):
    flagged = sum(gap.flagged for one in mmpb.results.fairness for gap in one.concepts)
    shown = len(grids["unfair"].rows) if "unfair" in grids else 0
    assert shown == flagged
    assert set(CATEGORIES) >= {one.category for one in mmpb.results.fairness}


def test_published_numbers_without_an_equal_setting_are_left_out(mmpb: FinishedMmpb):
    first, *others = mmpb.summary.published
    for full, said in ((True, "as many questions and concepts"), (False, "not comparable")):
        told = [first.model_copy(update={"here": 61.5, "difference": -2.3, "full_data": full})]
        told += [one.model_copy(update={"here": None, "full_data": True}) for one in others]
        summary = mmpb.summary.model_copy(update={"published": tuple(told)})
        grid = published_grid(replace(mmpb, summary=summary))
        assert grid is not None and said in grid.note
        (row,) = table(grid)
        assert (row["Here"], row["Difference"]) == ("61.5", "−2.3")
