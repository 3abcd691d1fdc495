"""Refusals, blind models, single concepts, leaderboards, and the paper's own numbers."""

import numpy as np
import pytest

from eyeprint.errors import BadRecord, DataError
from eyeprint.maths.intervals import resample_weights
from eyeprint.maths.proportions import fisher_exact, newcombe
from eyeprint.randomness import stream
from eyeprint.records.concept_settings import ConceptSetting
from eyeprint.scores.mmpb_model_facts import BENCHMARKS, ModelFacts, facts_of, read_model_facts
from eyeprint.scores.mmpb_published import compare_published, published_numbers
from eyeprint.scores.mmpb_results import MmpbTableSettings
from eyeprint.scores.mmpb_silence import answered_without
from eyeprint.scores.mmpb_tables import mmpb_results
from tests.scores.made_answers import answer, made_answers

FEW = MmpbTableSettings(draws=100, permutations=100)
TEXT, IMAGE = ConceptSetting(), ConceptSetting(inject="image:2")
TEN, IMAGE_TEN = ConceptSetting(turns=10), ConceptSetting(inject="image:2", turns=10)
NONE = ConceptSetting(inject="none", control="none")
BLIND = ConceptSetting(blind=True)
STANDARD = (TEXT, IMAGE, TEN, IMAGE_TEN)


def test_m30_refusals_by_task_category_and_pattern():
    declined = {"outcome": "refused"}
    rows = [
        answer("q0", refusal="sorry", **declined),
        answer("q1", refusal="sorry", concept="Bo", **declined),
        answer("q2", refusal="filter", group="preference", **declined),
        answer("q3", group="preference"),
        answer("q4", concept="Dot", category="animal"),
    ]
    found = mmpb_results(rows, [TEXT], FEW).refusals[0]
    assert (found.asked, found.refused, found.share.value) == (5, 3, 0.6)
    assert list(found.patterns.items()) == [("sorry", 2), ("filter", 1)]
    assert found.parts["awareness · recognition · human"] == (2, 2)
    assert found.parts["preference"] == (1, 2)
    assert found.parts["human"] == (3, 4) and found.parts["animal"] == (0, 1)


def test_m30_the_published_rate_is_the_count_over_human_questions():
    assert round(100 * 2237 / 7501, 1) == 29.8
    rows = [answer(f"q{i}", setting=IMAGE, outcome="refused" if i < 3 else "answered")
            for i in range(10)]  # fmt: skip
    row = {r.id: r for r in compare_published(mmpb_results(rows, [IMAGE], FEW))}["evasive_human"]
    assert (row.here, row.here_count) == (pytest.approx(30.0), "3 of 10")
    assert row.published_count == "2237 of 7501"


def test_m21_blind_results_stand_beside_optima():
    rows = []
    for setting, said in ((BLIND, "CCCA"), (TEXT, "AAAA")):
        rows += [
            answer(f"q{i}", setting=setting, type="coherency", key="A", said=letter, chance=0.25,
                   concept=name, concept_only="" if i == 3 else "C")
            for i, (letter, name) in enumerate(zip(said, "wxyz", strict=True))
        ]  # fmt: skip
        rows.append(
            answer("n", setting=setting, type="appropriateness", key="No", group="preference")
        )
    results = mmpb_results(rows, [TEXT, BLIND], FEW)
    parts = {p.part: p for p in results.blind[0].parts}
    found = parts["coherency · recognition"]
    assert (found.share.value, found.optimum, found.distance) == (0.25, 0.5, 0.25)
    assert found.seen.value == 1.0 and found.caveat
    # Known for three questions, said in all three.
    assert (found.concept_only.right, found.concept_only.n) == (3, 3)
    absent = parts["appropriateness · preference"]
    assert (absent.distance, absent.caveat, absent.concept_only) == (0.0, False, None)
    # Blind cells are no candidates for the best, nor of the bias.
    assert results.headline.best_setting == TEXT.label


def test_m23_what_is_answered_without_a_concept_is_listed_and_corrected():
    rows = [answer(f"q{i}", setting=NONE, said="Yes" if i < 6 else "No") for i in range(8)]
    rows += [answer(f"q{i}") for i in range(8)]
    found = list(answered_without(iter(rows), [TEXT, NONE]))
    assert [f.question for f in found] == [f"q{i}" for i in range(6)]
    assert found[0].chance == 0.5 and not found[0].blind
    # What was asked with a concept only has no say in the chance.
    rows.append(answer("q8", type="coherency", key="A", chance=0.25))
    unaided = mmpb_results(rows, [TEXT, NONE], FEW).unaided[0]
    # 6 of 8 with chance 1/2: (0.75 - 0.5) / 0.5.
    assert (unaided.part, unaided.corrected) == ("all", pytest.approx(0.5))


def test_m45_a_concept_against_its_category_by_hand():
    rows = [
        answer(f"{name}{i}", concept=name, said="Yes" if i < right else "No")
        for name, right in (("Ada", 20), ("Bo", 20), ("Cy", 2))
        for i in range(20)
    ]
    rows.append(answer("d", concept="Dot", category="animal"))
    found = mmpb_results(rows, [TEXT], FEW).fairness
    # Dot is alone in its category.
    assert [f.category for f in found] == ["human"]
    cy, ada, bo = found[0].concepts
    assert (cy.concept, ada.concept, bo.concept) == ("Cy", "Ada", "Bo")
    # 2/20 - 42/60 and 1 - 42/60.
    assert (cy.gap, ada.gap) == (pytest.approx(-0.6), pytest.approx(0.3))
    assert cy.p == pytest.approx(fisher_exact(2, 20, 40, 40))
    assert cy.holm == pytest.approx(3 * cy.p)
    # p_k - p_all = (1 - 20/60)(p_k - p_rest).
    low, high = newcombe(2, 20, 40, 40)
    assert (cy.low, cy.high) == (pytest.approx(low * 2 / 3), pytest.approx(high * 2 / 3))
    assert cy.low < cy.gap < cy.high < 0
    assert (found[0].largest, found[0].flagged) == (pytest.approx(0.6), 3)
    # A threshold above the smaller gaps leaves one.
    strict = FEW.model_copy(update={"fairness_gap": 0.5})
    assert mmpb_results(rows, [TEXT], strict).fairness[0].flagged == 1


def test_m45_settings_of_the_paper_are_taken_or_those_named():
    rows = made_answers([TEXT, TEN, NONE])
    shown = {f.setting for f in mmpb_results(rows, [TEXT, TEN, NONE], FEW).fairness}
    assert shown == {TEXT.label, TEN.label}
    named = FEW.model_copy(update={"fairness_settings": (TEN.label, "image:5")})
    results = mmpb_results(rows, [TEXT, TEN, NONE], named)
    assert {f.setting for f in results.fairness} == {TEN.label}
    assert any("'image:5'" in note for note in results.notes)


def facts(**known):
    return {name: ModelFacts(model=name, **values) for name, values in known.items()}


def graded(**right):
    """Models with so many of eight questions right, people and animals in turns."""
    return [
        answer(f"q{i}", model, concept="Ada" if i % 2 else "Dot",
               category="human" if i % 2 else "animal", said="Yes" if i < n else "No")
        for model, n in right.items() for i in range(8)
    ]  # fmt: skip


def test_m29_m46_rank_correlation_by_hand():
    known = facts(a={"rank": 1.0}, b={"rank": 2.0}, c={"rank": 3.0}, d={"rank": 9.0}, e={})
    table, one = mmpb_results(graded(a=8, b=4, c=6, d=2, e=1), [TEXT], FEW, known).ranks
    assert (table.setting, one.setting) == (None, TEXT.label)
    assert [m.model for m in table.models] == ["a", "b", "c", "d"]
    found = table.correlations["all"]
    # Ranks of accuracy 4 2 3 1 against 4 3 2 1: 1 - 6 (0 + 1 + 1 + 0) / (4 * 15) = 0.8.
    assert (found.rho, found.n) == (pytest.approx(0.8), 4)
    # Of 24 orders, |rho| >= 0.8 in 1 + 3 at each end: 8 / 24.
    assert found.p == pytest.approx(8 / 24)
    assert found.per_rank > 0 and "animal" in table.correlations
    assert "e" not in [m.model for m in table.models]


def test_m21_blind_cells_are_never_the_best_nor_part_of_the_bias():
    rows = [answer(f"q{i}", said="No") for i in range(4)]
    rows += [answer(f"q{i}", setting=BLIND) for i in range(4)]
    rows += [answer("n", type="appropriateness", key="No", setting=s) for s in (TEXT, BLIND)]
    results = mmpb_results(rows, [TEXT, BLIND], FEW)
    assert results.headline.best_setting == TEXT.label
    assert [b.setting for b in results.bias.cells] == [TEXT.label]


def test_m46_a_model_without_a_category_takes_no_part_in_its_correlation():
    known = facts(a={"rank": 1.0}, b={"rank": 2.0}, c={"rank": 3.0}, d={"rank": 4.0})
    rows = graded(a=8, b=6, c=4, d=2)
    rows = [r for r in rows if (r.model, r.category) != ("d", "animal")]
    table = mmpb_results(rows, [TEXT], FEW, known).ranks[0]
    assert (table.correlations["human"].n, table.correlations["animal"].n) == (4, 3)
    assert table.models[-1].parts["animal"] is None
    assert "object" not in table.correlations


def test_m29_two_models_have_no_correlation():
    known = facts(a={"rank": 1.0}, b={"rank": 2.0})
    found = mmpb_results(graded(a=8, b=4), [TEXT], FEW, known).ranks[0].correlations["all"]
    assert found.rho is None and found.reason == "2 models: a correlation needs three"


def test_m28_open_against_closed_by_hand():
    known = facts(a={"access": "open"}, b={"access": "open"}, c={"access": "closed"})
    over, one = mmpb_results(graded(a=8, b=4, c=2, d=8), [TEXT], FEW, known).access
    assert (over.setting, over.open, over.closed) == (None, ("a", "b"), ("c",))
    assert (over.open_means["all"].value, over.open_means["all"].over) == (0.75, 2)
    assert over.closed_minus_open["all"].value == pytest.approx(-0.5)
    assert one.closed_minus_open == over.closed_minus_open
    assert over.open_means["animal"].low is None, "one concept"


def test_m28_the_interval_of_closed_minus_open_agrees_with_a_loop():
    known = facts(a={"access": "open"}, b={"access": "open"}, c={"access": "closed"})
    found = mmpb_results(graded(a=8, b=4, c=3), [TEXT], FEW, known).access[0]
    rng = stream(0, "mmpb tables", "resamples").numpy()
    # Of 4 questions each: a has 4 4, b 2 2, c 2 of Dot and 1 of Ada; Dot comes first.
    gaps = [((2 * dot + ada) - (6 * dot + 6 * ada) / 2) / (4 * (dot + ada))
            for dot, ada in resample_weights(2, FEW.draws, rng)]  # fmt: skip
    difference = found.closed_minus_open["all"]
    assert difference.value == pytest.approx(3 / 8 - 6 / 8)
    assert difference.low == pytest.approx(np.quantile(gaps, 0.025))
    assert difference.high == pytest.approx(np.quantile(gaps, 0.975))


def test_m25_ranks_are_means_over_benchmarks(tmp_path):
    path = tmp_path / "board.csv"
    path.write_text(
        "Model,Access,MMBench,ocrbench,human\na,open,80,900,no\nb,closed,70,950,\nc,,70,800,yes\n"
    )
    found = read_model_facts(path)
    # MMBench 1, 2.5, 2.5; OCRBench 2, 1, 3.
    assert [f.rank for f in found.values()] == [1.5, 1.75, 2.75]
    assert (found["a"].access, found["c"].access, found["c"].human) == ("open", None, True)
    assert len(BENCHMARKS) == 8


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("model,acess\na,open\n", "'acess'. Did you mean 'access'"),
        ("name\na\n", "unknown column 'name'"),
        ("rank\n1\n", "no column 'model'"),
        ("model,model\na,b\n", "more than once"),
        ("model\n", "no model in it"),
        ("model,rank\na,first\n", ":2, field 'rank': 'first' is no number"),
        ("model,rank\na,0\n", ":2, field 'rank': 0 is too small"),
        ("model,rank\na,nan\n", "no finite number"),
        ("model,access\n\na,half\n", ":3, field 'access': 'half'"),
        ("model,human\na,maybe\n", "neither yes nor no"),
        ("model\na\na\n", ":3, field 'model': 'a' stands in line 2"),
        ("model,rank\na\n", "1 values for 2 columns"),
        ("model,rank\n,1\n", "empty"),
    ],
)
def test_m25_faults_of_a_leaderboard_are_named(tmp_path, text, told):
    path = tmp_path / "board.csv"
    path.write_text(text)
    with pytest.raises((DataError, BadRecord)) as error:
        read_model_facts(path)
    assert told in str(error.value)


def test_m25_models_that_facts_do_not_know_are_named_with_the_closest():
    known = facts(**{"qwen2-vl-7b": {"rank": 3.0}})
    results = mmpb_results(graded(**{"qwen2vl-7b": 4, "x/Qwen2-VL-7B": 3}), [TEXT], FEW, known)
    assert results.notes[0] == "No facts of model 'qwen2vl-7b'. Is it 'qwen2-vl-7b'?"
    assert facts_of("x/Qwen2-VL-7B", known).rank == 3.0
    assert sum("No facts" in note for note in results.notes) == 1


def test_m27_published_means_stand_beside_equal_settings():
    known = facts(m1={"access": "open"}, m2={"access": "closed"})
    results = mmpb_results(made_answers(STANDARD), STANDARD, FEW, known)
    rows = {row.id: row for row in compare_published(results)}
    shares = {(c.model, c.setting): 100 * c.parts["all"].share.value for c in results.cells}
    mean = (shares["m1", TEXT.label] + shares["m2", TEXT.label]) / 2
    assert rows["text_0_turns"].here == pytest.approx(mean)
    assert rows["text_0_turns"].difference == pytest.approx(mean - 63.8)
    closed = sum(shares["m2", s.label] for s in STANDARD) / 4
    assert rows["closed"].here == pytest.approx(closed)
    assert rows["bias_positive"].here_count.endswith("of 8")
    assert rows["bias_positive"].published == pytest.approx(100 * 72 / 92)
    # No people, no black pictures: nothing, not zero.
    for name in ("people", "blind_awareness", "blind_coherency"):
        assert rows[name].here is None and rows[name].difference is None
    assert not rows["people"].full_data


def test_m5_only_data_of_the_papers_sizes_is_comparable():
    results = mmpb_results(made_answers([TEXT]), [TEXT], FEW)
    size = {"questions": 10017, "concepts": 111}

    def comparable(people, **other):
        parts = [p if p.key != "human" else p.model_copy(update={"questions": people})
                 for p in results.parts]  # fmt: skip
        told = results.model_copy(update={"parts": tuple(parts), **size, **other})
        return {row.full_data for row in compare_published(told)}

    assert comparable(7501) == {True}
    # toybox:111:10017 has 66 people and about 7,470 questions about them.
    assert comparable(7470) == {False}
    assert comparable(7501, concepts=110) == {False}


def test_m26_m30_people_stand_apart_and_the_most_evasive_model_is_told():
    rows = [answer(f"q{i}", model, setting=IMAGE, outcome="refused" if i < n else "answered")
            for model, n in (("a", 1), ("b", 3), ("human", 9)) for i in range(10)]  # fmt: skip
    rows += [answer(f"q{i}", model, said="Yes" if i < n else "No")
             for model, n in (("a", 4), ("human", 9)) for i in range(10)]  # fmt: skip
    results = mmpb_results(rows, [TEXT, IMAGE], FEW)
    found = {row.id: row for row in compare_published(results)}
    assert found["evasive_human"].here_count == "3 of 10"
    assert found["evasive_human"].basis == f"b, {IMAGE.label}"
    assert found["text_0_turns"].here == pytest.approx(40.0)
    assert (found["people"].here, found["people"].here_count) == (pytest.approx(90.0), "9 of 10")


def test_m27_no_number_is_claimed_for_other_settings():
    other = ConceptSetting(inject="text:simple")
    found = compare_published(mmpb_results(made_answers([other]), [other], FEW))
    assert len(found) == len(published_numbers()[1])
    assert all(row.here is None for row in found)
