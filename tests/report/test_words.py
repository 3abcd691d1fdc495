"""Findings in words: the lift, who leads, and what the rule for NV decides."""

from dataclasses import replace

import pytest

from eyeprint.maths.intervals import Interval
from eyeprint.report.run_folder_view import (
    FinishedRun,
    MeasureView,
    MethodView,
    SummaryView,
    TableView,
)
from eyeprint.report.words import headline, lift_sentence, number


def interval(mean, low=None, high=None, reason=None) -> Interval:
    return Interval(mean, low, high, 10, 5, reason)


def method(name: str, score: float, lift: Interval, gap: Interval | None = None) -> MethodView:
    measure = MeasureView(interval=interval(score, score - 0.01, score + 0.01), minus_best=gap)
    flag = None if lift.low is not None and lift.low > 0 else f"{name} has no lift"
    return MethodView(method=name, score=measure, score_c=measure, lift=lift, flag=flag)


def with_methods(run: FinishedRun, *methods: MethodView, nv_one: tuple[str, ...] = ()):
    names = tuple(row.method for row in sorted(methods, key=lambda r: -r.score.interval.mean))
    table = TableView(methods=methods, ranking=names, ranking_nv_one=nv_one or names)
    return replace(run, summary=SummaryView(tables=(table,)))


@pytest.mark.parametrize(
    ("lift", "told"),
    [
        (interval(0.09, 0.08, 0.1), "VPRAG’s prompts fit their own person better than a stranger "
         "by 0.090 [0.080, 0.100]."),
        (interval(0.0, -0.01, 0.01), "VPRAG has no lift: its prompts fit a stranger as well as "
         "their own person (lift 0.000 [−0.010, +0.010])."),
        (interval(-0.05, -0.07, -0.02), "VPRAG’s prompts fit a stranger better than their own "
         "person (lift −0.050 [−0.070, −0.020])."),
        (interval(None, reason="there is only one person"), "VPRAG has no lift to show: there is "
         "only one person."),
        (interval(0.1, reason="one cluster"), "VPRAG’s lift over a stranger is +0.100, without an "
         "interval: one cluster."),
    ],
)  # fmt: skip
def test_every_kind_of_lift_is_told_in_words(lift: Interval, told: str):
    assert lift_sentence(method("vprag", 0.7, lift)).replace("\u00a0", " ") == told


def test_headline_leads_with_the_best_methods_lift_and_flags_the_others(run: FinishedRun):
    said = headline(
        with_methods(
            run,
            method("baseline", 0.3, interval(0.0, -0.01, 0.01), interval(-0.4, -0.5, -0.3)),
            method("brag", 0.5, interval(0.05, 0.04, 0.06), interval(-0.2, -0.25, -0.15)),
            method("vprag", 0.7, interval(0.09, 0.08, 0.1)),
        )
    )
    assert said[0].startswith("VPRAG’s prompts fit their own person better")
    assert "BRAG follows at 0.500 (paired difference −0.200" in said[1]
    assert said[-1].startswith("Baseline has no lift")
    assert not any(line.startswith("BRAG") for line in said)


def test_a_best_method_without_lift_is_not_praised(run: FinishedRun):
    said = headline(with_methods(run, method("vprag", 0.7, interval(0.0, -0.01, 0.01))))
    assert said[0].startswith("VPRAG has no lift")


def test_a_close_second_and_a_larger_lift_are_told(run: FinishedRun):
    said = headline(
        with_methods(
            run,
            method("vprag", 0.7, interval(0.09, 0.08, 0.1)),
            method("comb", 0.69, interval(0.12, 0.1, 0.14), interval(-0.01, -0.03, 0.01)),
        )
    )
    assert "too close to tell apart" in said[1]
    assert said[2].replace("\u00a0", " ") == "The largest lift is Comb.’s, +0.120 [+0.100, +0.140]."


@pytest.mark.parametrize(
    ("order", "told"),
    [
        (("vprag", "persona_only", "brag"), "VPRAG would still be first"),
        (("persona_only", "vprag", "brag"), "Persona Only would come first"),
        (("vprag", "brag", "persona_only"), "ranking would be the same"),
    ],
)
def test_v66_the_other_rule_for_novelty_is_told(run: FinishedRun, order, told: str):
    lift = interval(0.09, 0.08, 0.1)
    methods = (method("persona_only", 0.4, lift), method("brag", 0.5, lift),
               method("vprag", 0.7, lift))  # fmt: skip
    assert any(told in line for line in headline(with_methods(run, *methods, nv_one=order)))


def test_a_zero_has_no_sign():
    assert number(-0.0001) == number(0.0001, sign=True) == "0.000"


def test_v73_the_lead_says_when_it_rests_on_shared_comparisons(run: FinishedRun):
    table = TableView(
        cells=30,
        methods=(
            method("brag", 0.75, interval(0.05, 0.04, 0.06), interval(-0.1, -0.2, -0.05)),
            method("vprag", 0.7, interval(0.09, 0.08, 0.1)),
        ),
        ranking=("vprag", "brag"),
        ranked_cells={"score": 20},
    )
    said = headline(replace(run, summary=SummaryView(tables=(table,))))
    assert (
        said[1]
        .replace("\u00a0", " ")
        .startswith(
            "VPRAG has the best mean score on the 20 comparisons in which every method is scored; "
            "over all of its prompts it is 0.700 [0.690, 0.710]; BRAG follows at 0.750"
        )
    )
