"""Every number of MMPB's tables against a twin that reads ``results.jsonl`` row by row."""

from __future__ import annotations

from itertools import product
from statistics import mean, median

import pytest
from scipy.stats import binomtest

from eyeprint.records.concept_settings import ConceptSetting
from eyeprint.report.mmpb_accuracy_grids import cells_grid
from eyeprint.report.mmpb_layout import p_text
from eyeprint.report.mmpb_view import FinishedMmpb, read_mmpb
from eyeprint.report.mmpb_words import part_title
from eyeprint.report.words import NONE
from tests.report.made_mmpb_run import PAPER, write_run
from tests.report.slow_mmpb import (
    GROUPS,
    TYPES,
    SlowTables,
    difference,
    own,
    percent,
    points,
    share,
    table,
)

CONTROLS = {"No concept": "none", "A wrong concept": "wrong", "A shuffled concept": "shuffled"}


def test_m23_the_overview_is_right_answers_of_questions(grids, slow: SlowTables, labels):
    rows = table(grids["accuracy"])
    assert [row["Setting"] for row in rows] == own(labels)
    models = grids["accuracy"].columns[1:]
    for row, model in product(rows, models):
        there = (model, row["Setting"]) in slow.cells
        assert row[model] == (percent(slow.share((model, row["Setting"]))) if there else NONE)


def test_m23_cells_in_full(grids, slow: SlowTables):
    rows = table(grids["cells"])
    assert len(rows) == len(slow.cells)
    for row in rows:
        cell = row["Model"], row["Setting"]
        answers = slow.of(cell)
        lost = sum(one["outcome"] != "answered" for one in answers)
        right = sum(one["right"] for one in answers)
        assert row["Questions"] == f"{len(answers)}"
        assert row["Accuracy"] == percent(right / len(answers))
        assert row["Mean over tasks"] == percent(slow.macro(cell))
        assert row["Chance"] == percent(slow.chance())
        assert row["Of those read"] == percent(right / (len(answers) - lost))
        assert row["If all lost were right"] == percent((right + lost) / len(answers))


def test_m23_the_mean_over_tasks_gives_each_task_the_same_weight(tmp_path):
    # Of ten concepts, two categories have three and two have two: tasks are unequal.
    folder = write_run(tmp_path / "run", settings=PAPER[:2], concepts=10, people=False)
    slow, run = SlowTables(folder), read_mmpb(folder)
    rows = table(cells_grid(run.results))
    shown = [(row["Accuracy"], row["Mean over tasks"]) for row in rows]
    cells = [(row["Model"], row["Setting"]) for row in rows]
    assert shown == [(percent(slow.share(cell)), percent(slow.macro(cell))) for cell in cells]
    assert all(one != other for one, other in shown)


@pytest.mark.parametrize(("name", "words"), [("parts", 1), ("crossed", 2), ("tasks", 3)])
def test_m24_accuracy_by_part(name, words, grids, slow: SlowTables, labels, keys):
    titles = grids[name].columns[2:]
    assert {len(keys[title].split(" · ")) for title in titles} == {words}
    assert len(titles) == {1: 9, 2: 6 + 12 - 1 + 8 - 1 + 1, 3: 15}[words] or words == 2
    rows = table(grids[name])
    assert {row["Setting"] for row in rows} == set(own(labels))
    for row, title in product(rows, titles):
        assert row[title] == percent(slow.share((row["Model"], row["Setting"]), keys[title]))


def control_of(label: str, control: str, labels: dict[str, ConceptSetting]) -> str | None:
    one = labels[label]
    if one.control != "own":
        return None
    changed = {"control": control} | ({"inject": "none"} if control == "none" else {})
    wanted = one.model_copy(update=changed).canonical()
    return next((name for name, other in labels.items() if other.canonical() == wanted), None)


def test_lifts_are_own_less_control_on_the_same_questions(grids, slow: SlowTables, labels):
    rows = table(grids["lifts-each"])
    assert {row["Against"] for row in rows} == set(CONTROLS)
    for row in (row for row in rows if row["Setting"] in labels):
        control = control_of(row["Setting"], CONTROLS[row["Against"]], labels)
        assert control is not None
        _check_lift(row, slow, [(row["Model"], row["Setting"], control)])


def test_the_headline_lift_is_over_all_settings_with_a_wrong_concept(
    grids, slow: SlowTables, labels
):
    rows = table(grids["lifts"])
    assert [row["Against"] for row in rows] == ["A wrong concept"] * len(rows)
    for row in rows:
        pairs = [
            (row["Model"], name, control)
            for name in own(labels)
            if (control := control_of(name, "wrong", labels)) is not None
        ]
        assert pairs
        _check_lift(row, slow, pairs)


def _check_lift(row: dict[str, str], slow: SlowTables, pairs: list[tuple[str, str, str]]) -> None:
    def found(key: str) -> list[tuple[bool, bool]]:
        return [each for m, a, b in pairs for each in slow.both((m, a), (m, b), key)]

    whole = found("all")
    assert row["Right concept"] == percent(mean(a for a, _ in whole))
    assert row["Control"] == percent(mean(b for _, b in whole))
    assert row["Lift"] == points(difference(whole))
    won, lost = sum(a and not b for a, b in whole), sum(b and not a for a, b in whole)
    assert row["Won / lost"] == f"{won}\u00a0/\u00a0{lost}"
    for key in (*GROUPS, *TYPES):
        assert row[f"Lift, {key}"] == points(difference(found(key)))


def test_unaided_answers_beyond_guessing(grids, slow: SlowTables, keys):
    rows = table(grids["unaided"])
    for row in rows:
        key = keys[row["Questions about"]]
        answers = slow.of((row["Model"], row["Setting"]), key)
        value, chance = share(answers), slow.chance(key)
        assert row["Questions"] == f"{len(answers)}"
        assert row["Accuracy"] == percent(value)
        assert row["Chance"] == percent(chance)
        assert row["Beyond guessing"] == percent((value - chance) / (1 - chance))


def test_m32_bias_is_appropriateness_less_awareness(grids, slow: SlowTables, labels, keys):
    rows = table(grids["bias"])
    assert {row["Setting"] for row in rows} == set(own(labels))
    for row, title in product(rows, grids["bias"].columns[2:]):
        group = "" if keys[title] == "all" else f" · {keys[title]}"
        there = slow.share((row["Model"], row["Setting"]), f"awareness{group}")
        away = slow.share((row["Model"], row["Setting"]), f"appropriateness{group}")
        assert row[title] == points(away - there)


def test_m42_drops_are_shares_of_what_was_there(grids, slow: SlowTables, labels):
    rows = table(grids["drops"])
    for row in rows:
        model = row["Model"]
        assert labels[row["Shorter"]].turns < labels[row["Longer"]].turns
        cells = (model, row["Shorter"]), (model, row["Longer"])
        assert row["Lost points"] == points(difference(slow.both(*cells)))
        for key in ("all", *GROUPS, *TYPES):
            before, after = slow.share(cells[0], key), slow.share(cells[1], key)
            title = f"Drop ratio, {part_title(key).lower()}"
            assert row[title] == percent((before - after) / before if before else None)


def test_m27_text_less_pictures(grids, slow: SlowTables, keys, mmpb: FinishedMmpb):
    machines = mmpb.results.machines
    rows = table(grids["modality"])
    assert len(rows) % (len(machines) + 1) == 0
    for row, title in product(rows, grids["modality"].columns[3:]):
        models = [row["Model"]] if row["Model"] in machines else machines
        found = [
            difference(slow.both((m, row["Text"]), (m, row["Pictures"]), keys[title]))
            for m in models
        ]
        assert row[title] == points(mean(found))


@pytest.mark.parametrize("key", ["recognition", "all"])
def test_m34_granularity(key, grids, slow: SlowTables, labels):
    grid = grids[f"granularity-{key}"]
    assert set(grid.columns[2:]) >= {"text:simple", "text:moderate", "image:1", "image:5"}
    rows = [row for row in table(grid) if row["text:simple"] != NONE]
    assert len(rows) == 3
    for row, inject in product(rows, grid.columns[2:]):
        assert row[inject] == percent(slow.share((row["Model"], f"{inject} · 0 turns"), key))


AXES = {"position": "Told after turn", "concepts": "Concepts", "turns": "Turns"}


@pytest.mark.parametrize("axis", AXES)
def test_m36_m37_m38_curves(axis, grids, slow: SlowTables, mmpb: FinishedMmpb, keys):
    rows = table(grids[f"curve-{axis}"])
    points_of = [
        (one, point) for one in mmpb.results.curves if one.axis == axis for point in one.points
    ]
    assert len(rows) == len(points_of)
    settings = {one.label: one.setting for one in mmpb.results.settings}
    for row, (curve, point) in zip(rows, points_of, strict=True):
        assert row["Model"] == curve.model
        assert row[AXES[axis]] == f"{getattr(settings[point.setting], axis)}"
        for title in ("All questions", "Recognition", "Preference"):
            assert row[title] == percent(slow.share((curve.model, point.setting), keys[title]))
        if axis == "turns":
            told = [one["dialogue_tokens"] for one in slow.of((curve.model, point.setting))]
            assert row["Tokens of talk"] == f"{mean(told):.0f}"


def test_m40_prompting_against_zero_shot(grids, slow: SlowTables, keys, mmpb: FinishedMmpb):
    grid = grids["prompting"]
    machines = mmpb.results.machines
    titles = [title for title in grid.columns if title in keys]
    rows = table(grid)
    assert any(row["Put as"] == "few shot" for row in rows)
    for row in rows:
        way = row["Put as"].replace(" ", "_")
        base = next(one for one in mmpb.results.settings if one.label == row["Zero shot"])
        changed = base.setting.model_copy(update={"prompting": way})
        label = next(s.label for s in mmpb.results.settings if s.setting == changed)
        models = [row["Model"]] if row["Model"] in machines else machines
        for title in titles:
            pairs = [
                each
                for m in models
                for each in slow.both((m, label), (m, row["Zero shot"]), keys[title])
            ]
            assert row[title] == points(difference(pairs))
            if title == "All questions":
                won = sum(a and not b for a, b in pairs)
                lost = sum(b and not a for a, b in pairs)
                p = binomtest(won, won + lost).pvalue if won + lost else 1.0
                shown = row["McNemar p"]
                assert shown == ("< 0.001" if p < 0.001 else f"{p:.3f}")


def test_m40_the_second_p_allows_for_the_number_of_ways(grids, mmpb: FinishedMmpb):
    rows = iter(table(grids["prompting"]))
    changed = 0
    for one in mmpb.results.prompting:
        ways = [way.parts["all"].p for way in one.strategies]
        for p in ways:
            # Holm: the k-th least of n times n - k + 1, and no less than those before it.
            held = [
                (len(ways) - sum(other < least for other in ways)) * least
                for least in ways
                if least <= p
            ]
            row = next(rows)
            assert (row["p"], row["p, all ways"]) == (p_text(p), p_text(min(1.0, max(held))))
            changed += row["p"] != row["p, all ways"]
    assert changed and next(rows, None) is None


CONTRASTS = {"entities": ("single", "multi"), "species": ("same_species", "different_species"),
             "taste": ("like", "dislike"), "negation": ("not negated", "negated")}  # fmt: skip


@pytest.mark.parametrize("contrast", CONTRASTS)
def test_m33_contrasts(contrast, grids, slow: SlowTables, keys, mmpb: FinishedMmpb):
    grid, (one, other) = grids[f"contrast-{contrast}"], CONTRASTS[contrast]
    left, right = grid.columns[3:5]
    assert (left, right) == (part_title(one), part_title(other))
    together: list[tuple[float, float]] = []
    for row in table(grid):
        if row["Model"].startswith("Median"):
            assert len(together) == len(mmpb.results.machines)
            assert row[left] == percent(median(a for a, _ in together))
            assert row[right] == percent(median(b for _, b in together))
            assert row["Difference"] == points(median(a - b for a, b in together))
            together = []
            continue
        part = keys[row["Questions"]]
        of = "" if part == "all" else f"{part} · "
        cell = row["Model"], row["Setting"]
        found = slow.share(cell, of + one), slow.share(cell, of + other)
        assert (row[left], row[right]) == (percent(found[0]), percent(found[1]))
        assert row["Difference"] == points(found[0] - found[1])
        together.append(found)
