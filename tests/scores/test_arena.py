"""From verdicts to ratings: against a plain reading of the released script, and case by case."""

import json
import math
from collections import Counter

import numpy as np
import pytest

from eyeprint.errors import DataError, UnknownName
from eyeprint.maths.ratings import SCALE
from eyeprint.records.study_files import Pick
from eyeprint.records.verdict_files import read_verdicts
from eyeprint.scores.arena import ArenaResult, ArenaSettings, arena
from eyeprint.scores.arena_votes import most_said
from tests.maths.test_ratings import released_fit
from tests.scores.made_verdicts import many, released_files, verdict

QUICK = {"draws": 200}


def released_reading(folder, files, majority=False):
    """What the released script counts, in our own words: a table of points and of games.

    A confidence of at most 0.7 ties; what is none of img1, img2 and tie is passed over.
    """
    pairs = {row["id"]: row for row in map(json.loads, (folder / "compete_data.jsonl").open())}
    models = sorted({row[side] for row in pairs.values() for side in ("model_A", "model_B")})
    said = {}
    for path in files:
        for row in map(json.loads, path.open()):
            final = row["result"]["comparison_and_choice"]["final_decision"]
            choice, sure = final["preferred_image"], final["confidence"]
            if choice not in ("img1", "img2", "tie"):
                continue
            if sure is not None and sure <= 0.7:
                choice = "tie"
            elif row["flipped"] and choice != "tie":
                choice = "img2" if choice == "img1" else "img1"
            said.setdefault(row["id"], []).append(choice)
    points = np.zeros((len(models), len(models)))
    for number, choices in said.items():
        if majority:
            top = Counter(choices).most_common()
            tied = len(top) > 1 and top[0][1] == top[1][1]
            choices = ["tie" if tied else top[0][0]]
        a, b = (models.index(pairs[number][side]) for side in ("model_A", "model_B"))
        for choice in choices:
            points[a, b] += {"img1": 1, "tie": 0.5, "img2": 0}[choice]
            points[b, a] += {"img1": 0, "tie": 0.5, "img2": 1}[choice]
    return models, points


@pytest.mark.parametrize("majority", [False, True])
def test_p51_p53_p54_numbers_of_the_released_script_on_its_files(tmp_path, majority):
    files = released_files(tmp_path)
    models, points = released_reading(tmp_path, files, majority)
    settings = ArenaSettings(tie_at_threshold=True, majority=majority, **QUICK)
    found = arena(read_verdicts(files, rule=settings.rule).verdicts, settings)
    games = points + points.T
    assert found.counted == games.sum() / 2
    expected = released_fit(points)
    for model, rating in zip(models, expected, strict=True):
        assert found.rating(model) == pytest.approx(rating, abs=0.5)
    matrix = found.matrix
    assert list(matrix.models) == [row.model for row in found.models]
    for i, one in enumerate(matrix.models):
        for j, other in enumerate(matrix.models):
            if i != j:
                a, b = models.index(one), models.index(other)
                assert matrix.rates[i][j] == pytest.approx(points[a, b] / games[a, b])
                assert matrix.games(i, j) == games[a, b]
    assert matrix.rates[0][0] is None


def test_p51_verdicts_are_independent_unless_the_majority_is_asked_for():
    three = [verdict("x", "y", c, judge=j) for c, j in zip("aab", "123", strict=True)]
    more = [verdict("y", "x", "a", number="other")]
    pooled = arena([*three, *more], ArenaSettings(**QUICK))
    assert (pooled.counted, pooled.models[0].wins, pooled.models[0].losses) == (4, 2, 2)
    decided = arena([*three, *more], ArenaSettings(majority=True, **QUICK))
    assert (decided.counted, decided.models[0].wins, decided.models[0].losses) == (2, 1, 1)
    assert "majorities" in decided.how


def test_p51_majority_sees_models_not_sides():
    # Three judges prefer x, one of them reading the pair the other way round.
    three = [verdict("x", "y", "a", "1", 1), verdict("y", "x", "b", "2", 1)]
    three += [verdict("x", "y", "b", "3", 1), verdict("y", "x", "a", "1", 2)]
    found = arena(three, ArenaSettings(majority=True, **QUICK))
    assert {row.model: row.wins for row in found.models} == {"x": 1, "y": 1}


def test_p51_majority_without_one_is_a_tie():
    assert most_said(["a", "b", "tie"]) == "tie"
    assert most_said(["tie", "tie", "a"]) == "tie"
    assert most_said(["b"]) == "b"


@pytest.mark.parametrize(
    ("settings", "ties"),
    [
        ({}, (1, 1)),
        ({"tie_at_threshold": True}, (1, 2)),
        ({"threshold": 0.0}, (1, 0)),
        ({"threshold": 1.0}, (1, 3)),
    ],
)
def test_p51_ties_by_route_follow_the_settings_at_hand(settings, ties):
    sure = [0.5, 0.7, 0.9]
    rows = [verdict("x", "y", "a", number=i, confidence=c) for i, c in enumerate(sure)]
    rows += [verdict("x", "y", "tie", number=8, confidence=0.9), verdict("y", "x", "a", number=9)]
    (judge,) = arena(rows, ArenaSettings(**settings, **QUICK)).judges
    assert (judge.ties_explicit, judge.ties_low_confidence) == ties
    assert judge.without_confidence == 1


def test_x9_what_does_not_count_is_counted_by_judge():
    rows = many("x", "y", 3, 3)
    for i, why in enumerate(["refused", "refused", "unread", "failed"]):
        rows.append(verdict("x", "y", None, "k", 50 + i, outcome=why))
    rows.append(verdict("x", "y", "a", "k", 60, outcome="truncated"))
    found = arena(rows, ArenaSettings(**QUICK))
    everything = {"failed": 1, "refused": 2, "truncated": 1, "unread": 1}
    assert found.excluded == everything
    assert (found.verdicts, found.counted) == (11, 6)
    by_name = {row.judge: row for row in found.judges}
    assert by_name["j"].excluded == {}
    assert (by_name["k"].excluded, by_name["k"].counted) == (everything, 0)
    assert by_name["k"].first_shown.share is None


def test_p53_unconnected_groups_are_refused_by_name_and_may_be_rated_alone():
    rows = many("x", "y", 3, 2) + many("lone", "other", 2, 3)
    with pytest.raises(DataError) as caught:
        arena(rows)
    assert "lone, other" in str(caught.value)
    assert "x, y" in str(caught.value)
    assert "--models" in str(caught.value)
    found = arena(rows, ArenaSettings(models=("x", "y"), **QUICK))
    assert [row.model for row in found.models] == ["x", "y"]
    with pytest.raises(UnknownName, match="Did you mean 'lone'"):
        arena(rows, ArenaSettings(models=("x", "lome")))


def test_p53_a_model_that_won_10_of_10_gets_a_finite_wide_interval():
    rows = many("x", "y", 10) + many("y", "z", 6, 4)
    found = arena(rows, ArenaSettings(**QUICK))
    top = found.models[0]
    assert (top.model, top.interval, found.draws_from) == ("x", "wider", "normal")
    assert found.prior_games == 1
    assert all(math.isfinite(v) for v in (top.rating, top.low, top.high, top.sandwich_error))
    assert top.high - top.low > 400
    # Ten wins leave open that it is not the best, though no resample could say so.
    assert top.best < 1
    assert top.drawn_high - top.drawn_low > 400
    assert any("x" in note and "one way" in note for note in found.notes)
    with pytest.raises(DataError, match="one way"):
        arena(rows, ArenaSettings(prior="never"))


def test_p53_models_without_a_counted_verdict_are_named_not_rated():
    rows = [*many("x", "y", 3, 2), verdict("x", "z", None, outcome="refused")]
    found = arena(rows, ArenaSettings(**QUICK), models=["w"])
    assert found.unrated == ("w", "z")
    assert [row.model for row in found.models] == ["x", "y"]
    assert any("w, z" in note for note in found.notes)


def test_p53_nothing_that_counts_is_an_error():
    with pytest.raises(DataError, match="None of 1 verdicts"):
        arena([verdict("x", "y", None, outcome="refused")])
    with pytest.raises(DataError, match="None of 0 verdicts"):
        arena([])


def test_p53_intervals_respect_persons():
    # Twenty verdicts of each person are one opinion: worth far fewer than 400.
    rows = []
    for person in range(20):
        likes = "a" if person < 13 else "b"
        rows += [
            verdict("x", "y", likes, number=f"{person}-{i}", person=f"p{person}") for i in range(20)
        ]
    found = arena(rows, ArenaSettings(**QUICK))
    row = found.models[0]
    assert (found.clusters, found.cluster_kind, row.interval) == (20, "person", "sandwich")
    # θ = ± log(13/7) / 2; its error by delta: of a share over 20 persons, √(p q / 19) / (p q) / 2.
    p = 13 / 20
    error = SCALE * math.sqrt(p * (1 - p) / 19) / (p * (1 - p)) / 2
    assert row.sandwich_error == pytest.approx(error)
    from scipy.stats import t

    assert row.high - row.rating == pytest.approx(t.ppf(0.975, 19) * error)
    assert row.sandwich_error > 4 * row.fisher_error
    drawn = row.drawn_high - row.drawn_low
    assert drawn == pytest.approx(2 * 1.96 * error, rel=0.25)
    alone = arena(rows, ArenaSettings(cluster_by="comparison", **QUICK)).models[0]
    assert alone.sandwich_error == pytest.approx(row.fisher_error, rel=0.01)


def test_p53_unknown_persons_are_told():
    rows = [row.model_copy(update={"person_id": ""}) for row in many("x", "y", 12, 9)]
    found = arena(rows, ArenaSettings(**QUICK))
    assert (found.cluster_kind, found.clusters, found.persons) == ("comparison", 21, 0)
    assert any("comparison stands for it" in note for note in found.notes)
    cases = [r.model_copy(update={"case_id": f"c{i % 3}"}) for i, r in enumerate(rows)]
    found = arena(cases, ArenaSettings(**QUICK))
    assert (found.cluster_kind, found.clusters) == ("case", 3)
    assert any("rough" in note for note in found.notes)


def test_p53_one_person_gives_fishers_interval_and_says_so():
    rows = [row.model_copy(update={"person_id": "ann"}) for row in many("x", "y", 6, 4)]
    found = arena(rows, ArenaSettings(**QUICK))
    row = found.models[0]
    assert (row.interval, row.sandwich_error, found.draws_from) == ("fisher", None, "normal")
    assert row.high - row.rating == pytest.approx(1.959964 * row.fisher_error, rel=1e-6)
    assert any("one cluster" in note for note in found.notes)


def test_p53_equal_records_share_a_rank_in_the_order_of_names():
    rows = many("b", "a", 3, 3) + many("a", "c", 4, 2) + many("b", "c", 4, 2)
    found = arena(rows, ArenaSettings(**QUICK))
    assert [(row.model, row.rank) for row in found.models] == [("a", 1), ("b", 1), ("c", 3)]
    assert (found.models[0].rank_low, found.models[1].rank_low) == (1, 1)
    assert found.models[0].rank_high >= 2
    assert sum(row.best for row in found.models) == pytest.approx(1)


def test_p53_the_same_verdicts_give_the_same_result_in_any_order(tmp_path):
    rows = list(read_verdicts(released_files(tmp_path)).verdicts)
    found = arena(rows, ArenaSettings(**QUICK))
    assert found == arena(rows, ArenaSettings(**QUICK))
    turned = arena(rows[::-1], ArenaSettings(**QUICK))
    assert [(r.model, r.rank) for r in turned.models] == [(r.model, r.rank) for r in found.models]
    assert turned.models[0].rating == pytest.approx(found.models[0].rating)
    assert (
        arena(rows, ArenaSettings(seed=1, **QUICK)).models[0].drawn_low != found.models[0].drawn_low
    )


def test_p53_results_survive_json(tmp_path):
    found = arena(read_verdicts(released_files(tmp_path)).verdicts, ArenaSettings(**QUICK))
    assert ArenaResult.model_validate_json(found.model_dump_json()) == found


def test_p54_a_pair_that_never_met_has_no_win_rate():
    rows = many("x", "y", 3, 2) + many("y", "z", 3, 2)
    matrix = arena(rows, ArenaSettings(**QUICK)).matrix
    i, j = matrix.models.index("x"), matrix.models.index("z")
    assert matrix.rates[i][j] is None
    assert matrix.above[i][j] + matrix.above[j][i] == pytest.approx(1)
    assert matrix.above[i][j] > 0.5


def test_p54_ties_are_half_a_win_for_both():
    matrix = arena(many("x", "y", 3, 1, 4), ArenaSettings(**QUICK)).matrix
    # (3 + 4 / 2) / 8 and (1 + 4 / 2) / 8.
    assert (matrix.rates[0][1], matrix.rates[1][0]) == (0.625, 0.375)
    assert (matrix.wins[0][1], matrix.ties[0][1], matrix.ties[1][0]) == (3, 4, 4)


def test_p55_win_tie_and_loss_by_judge_of_every_pair():
    rows = many("y", "x", 1, 4, 2, judge="one")
    rows += many("x", "y", 5, 2, 0, judge="two")
    rows += [verdict("x", "y", "a", "two", "unsure", confidence=0.1)]
    found = arena(rows, ArenaSettings(**QUICK)).judge_pairs
    told = [(r.judge, r.model, r.against, r.wins, r.ties, r.losses) for r in found]
    # The better model stands in front, whatever the order of the rows.
    assert told == [("one", "x", "y", 4, 2, 1), ("two", "x", "y", 5, 1, 2)]
    assert [(r.ties_explicit, r.ties_low_confidence) for r in found] == [(2, 0), (0, 1)]


def test_p51_position_bias_is_by_what_was_shown_first():
    rows = []
    for i in range(20):
        # An always-first judge: model a when it stood first, else model b.
        flipped = i % 2 == 0
        rows.append(verdict("x", "y", "b" if flipped else "a", "first", i, flipped=flipped))
        rows.append(verdict("x", "y", "a" if i % 4 < 2 else "b", "fair", i, flipped=flipped))
    found = {row.judge: row.first_shown for row in arena(rows, ArenaSettings(**QUICK)).judges}
    assert found["first"].share == 1
    assert 0.8 < found["first"].low < 1
    assert found["fair"].share == 0.5
    assert found["fair"].low < 0.5 < found["fair"].high


def test_p51_position_bias_is_of_what_was_stated_ties_left_out():
    rows = [verdict("x", "y", "a", number=1, confidence=0.1), verdict("x", "y", "tie", number=2)]
    rows += [verdict("x", "y", "b", number=3, confidence=0.9)]
    (judge,) = arena(rows, ArenaSettings(**QUICK)).judges
    assert (judge.first_shown.n, judge.first_shown.share) == (2, 0.5)


def test_p50_both_orders_show_how_steady_a_judge_is():
    rows = []
    for i, (one, other) in enumerate([("a", "a"), ("a", "b"), ("tie", "tie"), ("b", "b")]):
        rows += [verdict("x", "y", one, number=i), verdict("x", "y", other, number=i, flipped=True)]
    (judge,) = arena(rows, ArenaSettings(**QUICK)).judges
    assert (judge.same_both_ways.share, judge.same_both_ways.n) == (0.75, 4)


def test_x7_judges_agreement_by_hand():
    said = {"one": "aab", "two": "abb"}
    rows = [
        verdict("x", "y", choice, judge, i)
        for judge, choices in said.items()
        for i, choice in enumerate(choices)
    ]
    found = arena(rows, ArenaSettings(**QUICK)).judges_agree
    # Units (a, a), (a, b), (b, b): alpha 4/9, as derived in tests/maths/test_agreement.py.
    assert found.alpha_nominal == pytest.approx(4 / 9)
    assert found.comparisons == 3
    (pair,) = found.pairs
    assert (pair.judge, pair.other, pair.same.share) == ("one", "two", pytest.approx(2 / 3))


def test_x7_one_judge_agrees_with_nobody_and_its_ratings_stand_alone():
    found = arena(many("x", "y", 3, 1), ArenaSettings(**QUICK))
    assert found.judges_agree is None
    assert found.judges[0].ratings == {row.model: pytest.approx(row.rating) for row in found.models}


def test_x7_kendalls_w_of_the_judges_ratings(tmp_path):
    found = arena(read_verdicts(released_files(tmp_path)).verdicts, ArenaSettings(**QUICK))
    assert 0 < found.judges_agree.kendalls_w <= 1
    assert len(found.judges_agree.pairs) == 3


def test_p53_a_judge_whose_verdicts_join_nothing_has_no_ratings_of_its_own():
    rows = many("x", "y", 3, 2, judge="one") + many("y", "z", 3, 2, judge="one")
    rows += many("v", "x", 1, 1, judge="one")
    rows += many("x", "y", 1, 1, judge="two", start=50) + many("z", "v", 1, 1, judge="two")
    found = {row.judge: row.ratings for row in arena(rows, ArenaSettings(**QUICK)).judges}
    assert found["two"] == {}
    assert len(found["one"]) == 4


def test_p56_agreement_with_the_majority_of_raters():
    judges = [verdict("x", "y", c, "gpt", i) for i, c in enumerate(["a", "b", "tie", "a"])]
    raters = []
    for i, choices in enumerate(["aab", "aab", "aab", "ab"]):
        raters += [
            verdict("x", "y", {"a": "a", "b": "b"}[c], f"r{k}", i) for k, c in enumerate(choices)
        ]
    found = arena(judges, ArenaSettings(**QUICK), humans=raters).humans
    # People: a, a, a and a tie (one against one). The judge: a, b, tie, a.
    assert (found.raters, found.comparisons, found.shared, found.ties) == (3, 4, 4, 1)
    (row,) = found.agreement
    assert row.judge == "all verdicts"
    assert (row.exact.share, row.exact.n) == (0.25, 4)
    # Decided by both: the first two comparisons, one of them alike.
    assert (row.decided.share, row.decided.n) == (0.5, 2)
    # 1, 0, 1/2, 1/2.
    assert (row.half.share, row.half.n) == (0.5, 4)
    assert row.told("half") == row.half
    assert found.alpha is not None


def test_p56_committee_and_single_judges_against_people():
    said = {"one": "aaa", "two": "aab", "three": "abb"}
    judges = [
        verdict("x", "y", c, judge, i) for judge, cs in said.items() for i, c in enumerate(cs)
    ]
    # A rater who saw the pair the other way round, and a comparison of other models.
    raters = [verdict("y", "x", "b", "r", i) for i in range(3)]
    raters += [verdict("v", "w", "a", "r", 9)]
    found = arena(judges, ArenaSettings(**QUICK), humans=raters).humans
    shares = {row.judge: row.exact.share for row in found.agreement}
    # People say x throughout. Majority of judges: a, a, b.
    assert shares["all verdicts"] == pytest.approx(6 / 9)
    assert shares["majority of judges"] == pytest.approx(2 / 3)
    assert (shares["one"], shares["three"]) == (1, pytest.approx(1 / 3))
    assert found.comparisons == 3


def test_p56_a_raters_confidence_makes_no_tie():
    judges = many("x", "y", 2, 1)
    rater = [verdict("x", "y", "a", "r", "xy0", confidence=0.1)]
    found = arena(judges, ArenaSettings(**QUICK), humans=rater).humans
    assert (found.ties, found.agreement[0].exact.share) == (0, 1)


def test_p57_published_picks_of_four():
    counts = {"GPT-5": 41, "Gemini-2.5-Pro": 22, "Qwen-VL-70B": 19, "Qwen-Image-Edit": 18}
    picks = [Pick(case_id="", model=m) for m, n in counts.items() for _ in range(n)]
    found = arena(many("x", "y", 2, 1), ArenaSettings(**QUICK), picks=picks).picks
    assert [(row.model, row.picked, row.rank) for row in found] == [
        (model, n, i) for i, (model, n) in enumerate(counts.items(), start=1)
    ]
    assert found[0].share.share == pytest.approx(0.41)
    # A quarter would be chance: only the first is surely above it.
    assert found[0].share.low > 0.25 > found[1].share.low


def test_p58_metrics_are_ranked_against_ratings(tmp_path):
    verdicts = read_verdicts(released_files(tmp_path)).verdicts
    plain = arena(verdicts, ArenaSettings(**QUICK))
    order = {row.model: float(i) for i, row in enumerate(plain.models)}
    metrics = {
        "lpips_r": order,
        "cls_r": {model: -place for model, place in order.items()},
        "half": {plain.models[0].model: 1.0, plain.models[1].model: 0.5},
        "alone": {plain.models[0].model: 1.0, "nobody": 2.0},
        "same": dict.fromkeys(order, 1.0),
    }
    found = {
        row.metric: row for row in arena(verdicts, ArenaSettings(**QUICK), metrics=metrics).metrics
    }
    assert (found["lpips_r"].spearman, found["cls_r"].spearman) == (-1, 1)
    assert found["cls_r"].low <= found["cls_r"].high <= 1
    assert (found["half"].models, found["half"].spearman) == (2, 1)
    assert (found["alone"].models, found["alone"].spearman) == (1, None)
    assert (found["same"].spearman, found["same"].low) == (None, None)


def test_p53_verdicts_that_are_all_ties_leave_a_wide_interval():
    found = arena(many("x", "y", 0, ties=10), ArenaSettings(**QUICK))
    row = found.models[0]
    # Residuals are all 0, so the sandwich is; Fisher's error of 10 ties is 54.9 points.
    assert (row.sandwich_error, row.interval, found.draws_from) == (0, "wider", "normal")
    assert row.high - row.low == pytest.approx(2 * 1.959964 * row.fisher_error)
    assert row.drawn_high - row.drawn_low > 100
    assert any("say the same of some model" in note for note in found.notes)


def test_p53_few_persons_get_the_wider_interval():
    # Two persons who say the same of all but one pair: their sandwich is next to nothing.
    rows = [
        *many("x", "y", 6, 2, person="ann"),
        *many("x", "y", 6, 2, start=8, person="ben"),
        *many("y", "z", 5, 3, person="ann"),
        *many("y", "z", 4, 4, start=8, person="ben"),
    ]
    found = arena(rows, ArenaSettings(**QUICK))
    for row in found.models:
        assert row.interval == "wider"
        assert row.high - row.low >= 2 * 1.9599 * row.fisher_error
    assert "the wider of Fisher's and a sandwich over 2 persons" in found.how
