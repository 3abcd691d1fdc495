"""The sentences that an MMPB report begins with."""

import pytest

from eyeprint.report.mmpb_found_views import OutcomesView
from eyeprint.report.mmpb_view import FinishedMmpb
from eyeprint.report.mmpb_words import headline, lost_sentence
from tests.report.made_mmpb_run import EVIL_MODEL, MODELS


def test_the_headline_says_first_whether_the_concept_helps(mmpb: FinishedMmpb):
    said = headline(mmpb)
    lift = next(one for one in mmpb.results.headline.lifts if one.model == MODELS[0]).whole
    assert said[0].startswith(f"{MODELS[0]} knows whom and what it is talking about: told of")
    assert f"answers {100 * lift.left:.1f}\u00a0% right" in said[0]
    assert f"{100 * lift.value:.1f} points\u00a0[{100 * lift.low:.1f}," in said[0]
    assert any(EVIL_MODEL in line and "not surely" in line for line in said)
    assert any("refused" in line and "each counts as wrong" in line for line in said)
    assert "12 concepts" in said[-1]


def test_with_next_to_no_concepts_the_caution_comes_first(bare: FinishedMmpb):
    said = headline(bare)
    assert "too few to say" in said[0]
    assert "is not known" in said[1]
    assert any("answers were read" in line for line in said)


def _with_lifts(run: FinishedMmpb, **ends) -> FinishedMmpb:
    lift = run.results.headline.lifts[0]
    whole = lift.whole.model_copy(update=ends)
    lifts = (lift.model_copy(update={"parts": {"all": whole}}),)
    head = run.results.headline.model_copy(update={"lifts": lifts})
    results = run.results.model_copy(update={"headline": head})
    summary = run.summary.model_copy(update={"mmpb": results})
    return FinishedMmpb(run.folder, run.manifest, run.settings, summary, run.sessions)


def test_a_lift_whose_interval_holds_zero_is_no_lift(mmpb: FinishedMmpb):
    said = headline(_with_lifts(mmpb, value=0.05, low=-0.01, high=0.11))
    assert "is not shown to know whom and what it is talking about" in said[0]
    assert "not surely more than when it is told of a wrong one (+5.0" in said[0]


def test_a_lift_without_an_interval_says_why(mmpb: FinishedMmpb):
    said = headline(_with_lifts(mmpb, value=0.05, low=None, high=None, reason="one concept only"))
    assert "there is no interval: one concept only" in said[0]
    assert "knows" not in said[0]


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ({"answered": 3}, "All 3 answers were read; none was refused."),
        ({"answered": 3, "refused": 1}, "Of 4 answers, 1 was refused; it counts as wrong."),
        (
            {"answered": 1, "empty": 2, "truncated": 1, "failed": 1},
            "Of 5 answers, 2 were empty, 1 was cut off before an answer and 1 never came; each "
            "counts as wrong.",
        ),
    ],
)
def test_x9_lost_answers_are_told_apart(counts, said):
    assert lost_sentence(OutcomesView(**counts)) == said
