"""Settings, models and kinds of questions against each other: small tables worked out by hand."""

import math

import numpy as np
import pytest

from eyeprint.errors import DataError
from eyeprint.maths.intervals import resample_weights
from eyeprint.maths.paired_tests import sign_flip_test
from eyeprint.randomness import stream
from eyeprint.records.concept_settings import PROMPTING, ConceptSetting
from eyeprint.scores.mmpb_results import MmpbTableSettings
from eyeprint.scores.mmpb_runs import compare_runs
from eyeprint.scores.mmpb_tables import mmpb_results
from tests.scores.made_answers import answer, made_answers

FEW = MmpbTableSettings(draws=200, permutations=500)
TEXT, IMAGE = ConceptSetting(), ConceptSetting(inject="image:2")
TEN = ConceptSetting(turns=10)
WRONG = ConceptSetting(control="wrong")
NONE = ConceptSetting(inject="none", control="none")
SHUFFLED = ConceptSetting(control="shuffled")
NAMES = ("Ada", "Bo", "Cy", "Di")


def marked(pattern, setting, model="m", **values):
    """Answers q0, q1 ... right where the pattern says 1; concepts take turns."""
    return [
        answer(f"q{i}", model, setting, concept=NAMES[i % 4], said="Yes" if c == "1" else "No",
               **values)
        for i, c in enumerate(pattern)
    ]  # fmt: skip


def slow_paired(left, right, draws, seed=0):
    """Difference, interval and ratio's interval by resampling concepts in a loop."""
    concepts = sorted({r.concept for r in left})
    by_id = {r.question: r for r in right}
    pairs = [(r, by_id[r.question]) for r in left if r.question in by_id]
    rng = stream(seed, "mmpb tables", "resamples").numpy()
    gaps, ratios = [], []
    for weights in resample_weights(len(concepts), draws, rng):
        weight = dict(zip(concepts, weights, strict=True))
        n = sum(weight[a.concept] for a, _ in pairs)
        rights = [sum(weight[p[side].concept] * p[side].right for p in pairs) for side in (0, 1)]
        if n:
            gaps.append((rights[0] - rights[1]) / n)
        if rights[0]:
            ratios.append((rights[0] - rights[1]) / rights[0])
    return np.quantile(gaps, [0.025, 0.975]), np.quantile(ratios, [0.025, 0.975])


def test_m23_lift_is_own_minus_control_by_the_same_questions():
    own, wrong = marked("11110111", TEXT), marked("10100110", WRONG)
    # q8 was asked with the own concept only: it takes no part.
    own.append(answer("q8", "m", TEXT, concept="Ada", said="No"))
    results = mmpb_results([*own, *wrong], [TEXT, WRONG], FEW)
    overall, single = results.lifts
    assert (overall.setting, single.setting) == (None, TEXT.label)
    assert results.headline.lifts == (overall,)
    found = single.parts["all"]
    # 7 of 8 against 4 of 8; q1, q3 and q7 are won, none lost.
    assert (found.left, found.right, found.n) == (7 / 8, 4 / 8, 8)
    assert found.value == pytest.approx(3 / 8)
    assert (found.won, found.lost, found.paired) == (3, 0, True)
    gaps, _ = slow_paired(own, wrong, FEW.draws)
    assert (found.low, found.high) == (pytest.approx(gaps[0]), pytest.approx(gaps[1]))
    # Concept sums: Ada 0, Bo 1, Cy 0, Di 2: all four patterns of two signs, two reach 3.
    assert found.p == 0.5


def test_m23_the_headline_pools_settings_and_prefers_wrong_concepts():
    rows = [
        *marked("1111", TEXT),
        *marked("1100", WRONG),
        *marked("0000", NONE),
        *marked("1110", SHUFFLED),
        *marked("1110", TEN),
        *marked("1110", ConceptSetting(control="wrong", turns=10)),
    ]
    grid = [TEXT, WRONG, NONE, SHUFFLED, TEN, ConceptSetting(control="wrong", turns=10)]
    results = mmpb_results(rows, grid, FEW)
    head = results.headline.lifts[0]
    assert head.control == "wrong"
    # (2 + 0) / (4 + 4).
    assert head.parts["all"].value == pytest.approx(0.25)
    by = {(x.control, x.setting): x.parts["all"].value for x in results.lifts}
    assert by["none", TEXT.label] == 1.0 and by["shuffled", TEXT.label] == 0.25
    # Ten turns without a concept were not asked: absent.
    assert ("none", TEN.label) not in by
    assert (results.headline.best_setting, results.headline.best.value) == (TEXT.label, 1.0)


def test_m42_drop_ratio_by_hand():
    before, after = marked("11111010", TEXT), marked("10101010", TEN)
    drop = mmpb_results([*before, *after], [TEXT, TEN], FEW).drops[0]
    assert drop.turns == (0, 10)
    found = drop.parts["all"]
    # 6 of 8 to 4 of 8: (6 - 4) / 6.
    assert found.difference.value == pytest.approx(0.25)
    assert found.ratio == pytest.approx(1 / 3)
    _, ratios = slow_paired(before, after, FEW.draws)
    assert (found.low, found.high) == (pytest.approx(ratios[0]), pytest.approx(ratios[1]))


def test_m42_nothing_right_has_no_ratio():
    rows = [*marked("0000", TEXT), *marked("0101", TEN)]
    found = mmpb_results(rows, [TEXT, TEN], FEW).drops[0].parts["all"]
    assert (found.ratio, found.low) == (None, None) and "nothing was right" in found.reason
    assert found.difference.value == -0.5


def test_m42_all_pairs_of_turns_and_kinds_of_talk():
    talk = ConceptSetting(turns=10, dialogue="recognition")
    grid = [TEXT, ConceptSetting(turns=5), TEN, talk]
    rows = [r for s in grid for r in marked("1010", s)]
    pairs = {(d.shorter, d.longer) for d in mmpb_results(rows, grid, FEW).drops}
    five = grid[1].label
    assert pairs == {
        (TEXT.label, five), (TEXT.label, TEN.label), (five, TEN.label), (TEXT.label, talk.label)
    }  # fmt: skip


def test_m32_bias_and_the_published_count():
    # 72 of 92 is 78.3 %.
    assert round(100 * 72 / 92, 1) == 78.3
    models = {"holds": ("1111", "1000"), "sees": ("0100", "1110"), "even": ("1010", "0101")}
    rows = []
    for model, (absent, present) in models.items():
        rows += marked(present, TEXT, model)
        rows += [
            r.model_copy(update={"question": f"n{i}", "type": "appropriateness"})
            for i, r in enumerate(marked(absent, TEXT, model))
        ]
    bias = mmpb_results(rows, [TEXT], FEW).bias
    found = {b.model: b.parts["all"] for b in bias.cells}
    assert found["holds"].value == pytest.approx(0.75) and not found["holds"].paired
    assert found["sees"].value == pytest.approx(-0.5)
    assert (bias.positive, bias.zero, bias.negative) == (1, 1, 1)
    assert bias.share_positive == pytest.approx(1 / 3)
    # Both shares in each resample: Appropriateness is always 1 for "holds".
    assert found["holds"].high == 1.0


def test_m33_single_against_several_and_quartiles_over_models():
    rows = []
    for model, single, multi in (("a", "1111", "1000"), ("b", "1110", "1110"), ("c", "1010", "00")):
        rows += marked(single, TEXT, model, entities="single")
        rows += [
            r.model_copy(update={"question": f"w{i}", "entities": "multi"})
            for i, r in enumerate(marked(multi, TEXT, model))
        ]
    results = mmpb_results(rows, [TEXT], FEW)
    found = next(c for c in results.contrasts if (c.contrast, c.part) == ("entities", "awareness"))
    assert (found.left_key, found.right_key) == ("awareness · single", "awareness · multi")
    # Left 1, .75, .5; right .25, .75, 0: differences .75, 0, .5.
    assert (found.left.q1, found.left.median, found.left.q3) == (0.625, 0.75, 0.875)
    assert found.difference.mean == pytest.approx(1.25 / 3)
    assert (found.difference.q1, found.difference.q3) == (0.25, 0.625)
    assert [m.difference.value for m in found.models] == pytest.approx([0.75, 0.0, 0.5])


def test_m33_same_against_other_species_is_told_for_appropriateness():
    results = mmpb_results(made_answers([TEXT]), [TEXT], FEW)
    told = {(c.contrast, c.part) for c in results.contrasts}
    assert ("species", "appropriateness") in told and ("species", "awareness") not in told
    assert ("taste", "coherency") in told and ("negation", "awareness") in told


def test_m27_text_minus_picture_and_the_mean_over_models():
    rows = [
        *marked("1110", TEXT, "a"), *marked("1000", IMAGE, "a"),
        *marked("1100", TEXT, "b"), *marked("1111", IMAGE, "b"),
    ]  # fmt: skip
    results = mmpb_results(rows, [TEXT, IMAGE], FEW)
    mean, a, b = results.modality
    assert (mean.model, mean.models) == (None, 2)
    assert (a.parts["all"].value, b.parts["all"].value) == (0.5, -0.5)
    assert (mean.parts["all"].value, mean.parts["all"].left) == (0.0, 0.625)
    # With every concept once in each model: the mean's interval lies inside the models'.
    assert a.parts["all"].low <= mean.parts["all"].high


def test_m40_prompting_by_hand():
    base, cot, remind = (ConceptSetting(prompting=p) for p in PROMPTING[:3])
    rows = [
        *marked("11001100", base), *marked("11101101", cot), *marked("11111111", remind)
    ]  # fmt: skip
    table = mmpb_results(rows, [base, cot, remind], FEW).prompting[0]
    assert (table.base, table.n, table.concepts) == (base.label, 8, 4)
    assert table.zero_shot["all"].value == 0.5
    first, second = table.strategies
    assert (first.strategy, second.strategy) == ("zero_shot_cot", "reminder")
    assert (first.parts["all"].value, second.parts["all"].value) == (0.25, 0.5)
    # Sums by concept: cot 0 0 1 1, reminder 0 0 2 2: two moving clusters, p = 2 / 4 each.
    assert (first.parts["all"].p, second.parts["all"].p) == (0.5, 0.5)
    assert (first.holm["all"], second.holm["all"]) == (1.0, 1.0)
    # 2 : 0 and 4 : 0 as independent pairs.
    assert (first.mcnemar["all"], second.mcnemar["all"]) == (0.5, 0.125)
    # Columns 4, 6, 8 of 8; rows: 4 of 3, 2 of 2 (q2, q7), 2 of 1.
    # Q = 2 (3 (16 + 36 + 64) - 18²) / (3 * 18 - (36 + 8 + 2)) = 48 / 8.
    assert table.cochran_q == pytest.approx(6.0)
    assert table.cochran_p == pytest.approx(math.exp(-3))
    assert 0 < table.omnibus_p <= 1


def test_m40_all_models_together_come_first():
    grid = [ConceptSetting(prompting=p) for p in PROMPTING]
    results = mmpb_results(made_answers(grid), grid, FEW)
    assert [t.model for t in results.prompting] == [None, "m1", "m2"]
    pooled, one, two = results.prompting
    assert pooled.n == one.n + two.n
    assert [s.strategy for s in pooled.strategies] == list(PROMPTING[1:])
    for key, share in pooled.zero_shot.items():
        assert share.right == one.zero_shot[key].right + two.zero_shot[key].right


def test_m40_p_agrees_with_the_test_on_rows():
    grid = [ConceptSetting(prompting=p) for p in PROMPTING[:2]]
    rows = made_answers(grid, models=("m",))
    found = mmpb_results(rows, grid, FEW).prompting[0].strategies[0].parts["all"]
    base, other = ({r.question: r for r in rows if r.setting == s.label} for s in grid)
    gaps = np.array([float(other[q].right) - float(base[q].right) for q in base])
    twin = sign_flip_test(gaps, [base[q].concept for q in base], np.random.default_rng(0))
    assert twin.exact and found.p == pytest.approx(twin.p)


def test_m34_granularity_is_ordered_from_words_to_pictures():
    injects = ("image:5", "text:extended", "image:1", "text:simple", "text:moderate")
    grid = [ConceptSetting(inject=i, turns=t) for t in (0, 10) for i in injects]
    results = mmpb_results(made_answers(grid, models=("m",)), grid, FEW)
    assert [g.turns for g in results.granularity] == [0, 10]
    table = results.granularity[1]
    assert table.base == "10 turns"
    assert [g.inject for g in table.grains] == [
        "text:simple", "text:moderate", "text:extended", "image:1", "image:5"
    ]  # fmt: skip
    cell = results.cell("m", table.grains[0].setting)
    assert table.grains[0].parts["recognition"] == cell.parts["recognition"].share


def test_m36_m37_m38_curves():
    places = [ConceptSetting(turns=10, position=k, prompting=p)
              for p in ("zero_shot", "reminder") for k in (0, 5, 10)]  # fmt: skip
    crowds = [ConceptSetting(concepts=n, distractors=d)
              for d in ("random", "same_kind") for n in (5, 50)]  # fmt: skip
    talks = [ConceptSetting(turns=20, dialogue="preference"), ConceptSetting(turns=20)]
    grid = [TEXT, *places, *crowds, *talks]
    curves = mmpb_results(made_answers(grid, models=("m",), each=1), grid, FEW).curves
    found = {(c.axis, c.series): [p.x for p in c.points] for c in curves}
    assert found == {
        ("position", "text:moderate · 10 turns"): [0, 5, 10],
        ("position", "text:moderate · 10 turns · reminder"): [0, 5, 10],
        ("concepts", "text:moderate · 0 turns"): [1, 5, 50],
        ("concepts", "text:moderate · 0 turns · of its kind"): [1, 5, 50],
        ("turns", "text:moderate · preference talk"): [0, 20],
        ("turns", "text:moderate"): [0, 10, 20],
    }
    last = next(c for c in curves if c.series == "text:moderate").points[-1]
    assert last.dialogue_tokens == 2000.0 and last.parts["recognition"].n


def test_m26_people_against_models_on_what_people_answered():
    people = marked("1111", TEXT, "human")
    rows = [*people, *marked("10101111", TEXT, "m")]
    results = mmpb_results(rows, [TEXT], FEW)
    human = results.human[0]
    assert human.parts["all"].n == 4 and human.against[0].model == "m"
    assert human.against[0].parts["all"].value == pytest.approx(0.5)
    assert next(m for m in results.models if m.model == "human").human
    assert results.headline.best_model == "m"
    assert any("only some" in note for note in results.notes)


def test_m21_blind_settings_have_their_own_lift_and_stay_out_of_the_pool():
    blind, other = ConceptSetting(blind=True), ConceptSetting(blind=True, control="wrong")
    rows = [
        *marked("1111", TEXT), *marked("1100", WRONG), *marked("1110", blind),
        *marked("1110", other),
    ]  # fmt: skip
    results = mmpb_results(rows, [TEXT, WRONG, blind, other], FEW)
    pooled, seen, unseen = results.lifts
    assert pooled.parts["all"].value == seen.parts["all"].value == 0.5
    assert (unseen.setting, unseen.parts["all"].value) == (blind.label, 0.0)


def test_m38_concepts_told_later_are_no_part_of_a_curve_of_turns():
    grid = [ConceptSetting(turns=t, position=5) for t in (10, 20)]
    rows = [r for s in grid for r in marked("1010", s)]
    results = mmpb_results(rows, grid, FEW)
    assert results.curves == () and results.drops == ()


def test_m27_the_mean_over_models_gives_each_the_same_weight():
    # Model a by 8 questions: 1 - 0.5; model b by 4: 0 - 0.5.
    rows = [
        *marked("11111111", TEXT, "a"), *marked("11110000", IMAGE, "a"),
        *marked("0000", TEXT, "b"), *marked("1100", IMAGE, "b"),
    ]  # fmt: skip
    mean = mmpb_results(rows, [TEXT, IMAGE], FEW).modality[0].parts["all"]
    assert (mean.value, mean.left, mean.right, mean.n) == (0.0, 0.5, 0.5, 12)
    # A resample's mean is the mean of both models' in that resample: ours loop by loop.
    rng = stream(0, "mmpb tables", "resamples").numpy()
    # By concept: a loses nothing, wins 1 in each; b loses one of one for Ada and Bo.
    gaps = [(w.sum() / (2 * w.sum()) - (w[0] + w[1]) / w.sum()) / 2
            for w in resample_weights(4, FEW.draws, rng)]  # fmt: skip
    assert mean.low == pytest.approx(np.quantile(gaps, 0.025))
    assert mean.high == pytest.approx(np.quantile(gaps, 0.975))


def test_m26_people_take_no_part_in_tables_of_models():
    grid = [ConceptSetting(prompting=p) for p in PROMPTING[:2]]
    rows = [r for s in grid for m in ("human", "m") for r in marked("1100", s, m)]
    rows += [
        r.model_copy(update={"question": f"n{i}", "type": "appropriateness"})
        for i, r in enumerate(marked("1110", TEXT, "human"))
    ]
    results = mmpb_results(rows, grid, FEW)
    assert [t.model for t in results.prompting] == ["m"]
    assert results.bias is None and {f.model for f in results.fairness} == {"m"}


def test_m43_two_runs_are_compared_by_the_same_questions():
    people, model = marked("11101111", TEXT), marked("10101101", TEXT)
    only = answer("q9", "m", TEXT, concept="Ada", said="No")
    (found,) = compare_runs([*people, only], model, [TEXT], FEW)
    assert (found.model, found.setting) == ("m", TEXT.label)
    # 7 of 8 against 5 of 8; q1 and q6 are won.
    assert found.parts["all"].value == pytest.approx(0.25)
    assert (found.parts["all"].won, found.parts["all"].lost) == (2, 0)
    with pytest.raises(DataError, match="share no model"):
        compare_runs(people, marked("11", TEXT, "other"), [TEXT], FEW)


def test_m41_a_tuned_model_meets_its_base_under_another_name():
    tuned, base = marked("1110", TEXT, "tuned"), marked("1000", TEXT, "base")
    (found,) = compare_runs(tuned, base, [TEXT], FEW, versus={"tuned": "base"})
    assert (found.model, found.against) == ("tuned", "base")
    assert found.parts["all"].value == pytest.approx(0.5)
