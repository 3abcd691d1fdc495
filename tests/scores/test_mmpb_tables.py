"""MMPB's tables: goldens by hand, a slow twin of every share, invariances."""

import itertools
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eyeprint.errors import DataError
from eyeprint.maths.intervals import ClusterBootstrap, resample_weights
from eyeprint.randomness import stream
from eyeprint.records.concept_questions import OUTCOMES, TASKS
from eyeprint.records.concept_settings import ConceptSetting
from eyeprint.scores.mmpb_results import MmpbTableSettings
from eyeprint.scores.mmpb_tables import mmpb_results
from tests.scores.made_answers import answer, made_answers

FEW = MmpbTableSettings(draws=50, permutations=100)
TEXT, IMAGE = ConceptSetting(), ConceptSetting(inject="image:2")
TEN, IMAGE_TEN = ConceptSetting(turns=10), ConceptSetting(inject="image:2", turns=10)
WRONG, NONE = ConceptSetting(control="wrong"), ConceptSetting(inject="none", control="none")
BLIND = ConceptSetting(blind=True)
GRID = (TEXT, IMAGE, TEN, WRONG, NONE, BLIND)


def slow_parts(rows):
    """Key -> rows of every part, by filtering one by one."""
    found = {}
    for row in rows:
        words = itertools.product((None, row.type), (None, row.group), (None, row.category))
        keys = {" · ".join(w for w in chosen if w) or "all" for chosen in words}
        negated = None if row.negated is None else "negated" if row.negated else "not negated"
        for trait in (row.entities, row.target, negated):
            if trait:
                keys |= {trait, f"{row.type} · {trait}"}
        for key in keys:
            found.setdefault(key, []).append(row)
    return found


@given(st.integers(0, 10_000), st.sampled_from([0.0, 0.3]))
@settings(max_examples=8, deadline=None)
def test_m23_every_share_agrees_with_filtering_rows_one_by_one(seed, missing):
    rows = made_answers([TEXT, NONE], seed=seed, each=1, missing=missing)
    results = mmpb_results(rows, [TEXT, NONE], FEW)
    # The clusters of the resamples: concepts by category and name.
    concepts = sorted({(r.category, r.concept) for r in rows})
    for cell in results.cells:
        own = [r for r in rows if (r.model, r.setting) == (cell.model, cell.setting)]
        slow = slow_parts(own)
        assert set(cell.parts) == set(slow)
        for key, found in cell.parts.items():
            these = slow[key]
            n, right = len(these), sum(r.right for r in these)
            assert (found.share.n, found.share.right) == (n, right)
            assert found.share.value == pytest.approx(right / n)
            assert found.share.concepts == len({r.concept for r in these})
            counts = {o: sum(r.outcome == o for r in these) for o in OUTCOMES}
            assert found.outcomes.model_dump() == counts
            read = counts["answered"]
            assert found.of_answered == (pytest.approx(right / read) if read else None)
            assert found.if_all_right == pytest.approx((right + n - read) / n)
            # One column over all concepts, so that the resamples are the same.
            boot = ClusterBootstrap(
                [*concepts, *((r.category, r.concept) for r in these)],
                FEW.draws,
                stream(FEW.seed, "mmpb tables", "resamples").numpy(),
            )
            values = [*(np.nan for _ in concepts), *(float(r.right) for r in these)]
            twin = boot.mean(np.array(values))
            if found.share.low is None:
                assert found.share.concepts == 1 and found.share.reason
            else:
                assert found.share.low == pytest.approx(twin.low)
                assert found.share.high == pytest.approx(twin.high)
        tasks = [slow[t] for t in TASKS if t in slow]
        macro = np.mean([np.mean([r.right for r in these]) for these in tasks])
        assert cell.macro.value == pytest.approx(macro) and cell.macro.over == len(tasks)


def test_m23_micro_and_macro_by_hand():
    # 3 of 4 right on people, 0 of 1 on animals: micro 3/5, macro (3/4 + 0) / 2.
    rows = [answer(f"q{i}", said="No" if i == 3 else "Yes") for i in range(4)]
    rows.append(answer("q4", concept="Dot", category="animal", said="No"))
    cell = mmpb_results(rows, [TEXT], FEW).cells[0]
    assert cell.parts["all"].share.value == pytest.approx(0.6)
    assert (cell.macro.value, cell.macro.over) == (pytest.approx(0.375), 2)


def test_m23_a_task_of_one_concept_leaves_the_macro_mean_without_an_interval():
    # What Dot says of animals is the same in every resample: no width would come of it.
    rows = [answer(f"q{i}", concept=name) for i, name in enumerate(["Ada", "Bo"])]
    rows.append(answer("q2", concept="Dot", category="animal", said="No"))
    macro = mmpb_results(rows, [TEXT], FEW).cells[0].macro
    assert (macro.value, macro.low, macro.high) == (pytest.approx(0.5), None, None)
    assert macro.reason == "1 of 2 tasks with one concept only: no interval"


def test_m23_the_macro_interval_agrees_with_resampling_in_a_loop():
    # Ada 2 of 2, Bo 0 of 1 on people; Dot 1 of 2, Elf 1 of 1 on animals.
    made = [("Ada", "human", 1), ("Ada", "human", 1), ("Bo", "human", 0), ("Dot", "animal", 1),
            ("Dot", "animal", 0), ("Elf", "animal", 1)]  # fmt: skip
    rows = [
        answer(f"q{i}", concept=name, category=category, said="Yes" if hit else "No")
        for i, (name, category, hit) in enumerate(made)
    ]
    macro = mmpb_results(rows, [TEXT], FEW).cells[0].macro
    rng = stream(0, "mmpb tables", "resamples").numpy()
    means = []
    # Concepts by category and name: Dot, Elf, Ada, Bo.
    for dot, elf, ada, bo in resample_weights(4, FEW.draws, rng):
        if dot + elf and ada + bo:
            animals = (dot + elf) / (2 * dot + elf)
            means.append((animals + 2 * ada / (2 * ada + bo)) / 2)
    assert macro.low == pytest.approx(np.quantile(means, 0.025))
    assert macro.high == pytest.approx(np.quantile(means, 0.975))


def test_m6_all_fifteen_tasks_occur():
    results = mmpb_results(made_answers([TEXT]), [TEXT], FEW)
    assert {part.key for part in results.parts if part.task} == set(TASKS)
    assert len(TASKS) == 15
    assert all(cell.macro.over == 15 for cell in results.cells)


def test_x9_all_refused_is_zero_with_its_counts():
    rows = [
        answer(f"q{i}", outcome="refused", refusal="sorry", concept=name)
        for i, name in enumerate(["Ada", "Bo", "Cy"] * 2)
    ]
    results = mmpb_results(rows, [TEXT], FEW)
    found = results.cells[0].parts["all"]
    assert (found.share.value, found.share.low, found.share.high) == (0.0, 0.0, 0.0)
    assert (found.outcomes.refused, found.outcomes.answered) == (6, 0)
    assert (found.of_answered, found.if_all_right) == (None, 1.0)
    assert results.headline.refused == 6
    assert results.letters == ()
    assert results.refusals[0].patterns == {"sorry": 6}


def test_m23_the_order_of_rows_does_not_matter():
    rows = made_answers(GRID)
    mixed = rows.copy()
    random.Random(3).shuffle(mixed)
    assert mmpb_results(rows, GRID, FEW) == mmpb_results(mixed, GRID, FEW)


def test_m23_a_model_of_two_names_has_the_same_numbers():
    rows = made_answers(GRID, models=("m1",))
    twice = [*rows, *(row.model_copy(update={"model": "m2"}) for row in rows)]
    results = mmpb_results(twice, GRID, FEW)
    for table in ("cells", "lifts", "bias", "refusals", "drops", "fairness", "unaided"):
        found = getattr(results, table)
        dumped = [f.model_dump(exclude={"model"}) for f in getattr(found, "cells", found)]
        names = [f.model for f in getattr(found, "cells", found)]
        ones = [d for d, name in zip(dumped, names, strict=True) if name == "m1"]
        assert ones and ones == [d for d, n in zip(dumped, names, strict=True) if n == "m2"]


def test_m23_absent_tables_are_absent():
    results = mmpb_results(made_answers([TEXT], models=("m",)), [TEXT], FEW)
    for name in ("lifts", "unaided", "drops", "modality", "access", "granularity", "curves",
                 "prompting", "blind", "ranks", "human"):  # fmt: skip
        assert getattr(results, name) == (), name
    assert results.headline.lifts == ()
    only = [answer("q1"), answer("q2", concept="Bo")]
    assert mmpb_results(only, [TEXT], FEW).bias is None


def test_m23_one_concept_has_no_interval():
    results = mmpb_results([answer("q1"), answer("q2")], [TEXT], FEW)
    share = results.cells[0].parts["all"].share
    assert (share.value, share.low) == (1.0, None)
    assert share.reason == "one concept only: no interval"
    assert any("1 concept:" in note for note in results.notes)


def test_m23_a_dump_goes_to_json_and_back():
    results = mmpb_results(made_answers(GRID), GRID, FEW)
    assert type(results).model_validate_json(results.model_dump_json()) == results


def test_m23_letters_said_too_often_by_hand():
    keys, said = "ABCDABCD", "AAAAABCC"
    rows = [
        answer(f"q{i}", type="coherency", chance=0.25, key=k, said=s)
        for i, (k, s) in enumerate(zip(keys, said, strict=True))
    ]
    # A is said 5 times of 8 and right 2 times of 8.
    bias = mmpb_results(rows, [TEXT], FEW).letters[0]
    assert (bias.kind, bias.n, bias.largest) == ("letters", 8, "A")
    assert bias.said == {"A": 0.625, "B": 0.125, "C": 0.25, "D": 0.0}
    assert bias.excess == pytest.approx(0.375)


@pytest.mark.parametrize(
    ("rows", "settings_", "told"),
    [
        ([], [TEXT], "no answers"),
        ([answer("q1"), answer("q1")], [TEXT], "'?m'? answered question q1 more than once"),
        ([answer("q1")], [IMAGE], "not in the grid"),
        ([answer("q1"), answer("q1", model="n", key="No")], [TEXT], "key is 'Yes'.*'No'"),
        ([answer("q1", outcome="unread", right=True)], [TEXT], "right although unread"),
    ],
)
def test_m23_rows_that_cannot_be_are_named(rows, settings_, told):
    with pytest.raises(DataError, match=told):
        mmpb_results(rows, settings_, FEW)


def test_m47_costs_are_sums_over_the_answers():
    rows = made_answers([TEXT, TEN], models=("a", "b"))
    untold = {"cost_usd": None, "input_tokens": None}
    rows = [row.model_copy(update=untold) if row.model == "a" else row for row in rows]
    a, b = mmpb_results(rows, [TEXT, TEN], FEW).costs
    n = len(rows) // 2
    assert (a.questions, a.rows_without_cost) == (n, n)
    assert (a.cost_usd, a.usd_per_1000, a.input_tokens) == (None, None, None)
    assert (b.cost_usd, b.usd_per_1000) == (pytest.approx(0.001 * n), pytest.approx(1.0))
    assert (b.questions, b.rows_without_cost) == (n, 0)
    assert (b.input_tokens, b.output_tokens, b.shared_tokens) == (60 * n, None, 40 * n)


def test_m44_settings_carry_their_mean_lengths():
    results = mmpb_results(made_answers([TEXT, TEN]), [TEXT, TEN], FEW)
    assert [s.dialogue_tokens for s in results.settings] == [0.0, 1000.0]
    assert [s.prompt_tokens for s in results.settings] == [50.0, 1050.0]


def test_m44_calls_that_failed_do_not_shorten_a_dialogue():
    rows = made_answers([TEXT, TEN])
    untold = {"outcome": "failed", "said": None, "right": False, "dialogue_tokens": 0,
              "prompt_tokens": 0}  # fmt: skip
    rows = [row.model_copy(update=untold) if k % 3 == 0 else row for k, row in enumerate(rows)]
    results = mmpb_results(rows, [TEXT, TEN], FEW)
    assert [s.dialogue_tokens for s in results.settings] == [0.0, 1000.0]
    (curve, *_) = [one for one in results.curves if one.axis == "turns"]
    assert [point.dialogue_tokens for point in curve.points] == [0.0, 1000.0]
