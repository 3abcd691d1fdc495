"""The sentences that an MMPB report begins with."""

import io
import re
from dataclasses import replace

import pytest
from rich.console import Console

from eyeprint.report.mmpb_accuracy_grids import bias_sentence
from eyeprint.report.mmpb_found_views import OutcomesView
from eyeprint.report.mmpb_html import mmpb_html
from eyeprint.report.mmpb_terminal import print_mmpb
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
    said = headline(
        _with_lifts(mmpb, value=0.05, low=None, high=None, reason="one concept only: no interval")
    )
    assert said[0].endswith("there is no interval: one concept only.")
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


def test_x9_what_a_grader_could_not_read_is_told_where_there_are_free_answers():
    outcomes = OutcomesView(answered=1, failed=2)
    assert "2 never came or could not be graded; each" in lost_sentence(outcomes, graded=True)


def test_m27_a_protocol_that_is_not_the_papers_is_named_where_its_numbers_would_stand(
    mmpb: FinishedMmpb,
):
    gone = tuple(one.model_copy(update={"here": None}) for one in mmpb.summary.published)
    changed = {"changed": ("instruction", "dialogues"), "published": gone}
    run = replace(mmpb, summary=mmpb.summary.model_copy(update=changed))
    told = "not shown beside this run’s: it changed --instruction and --dialogues."
    assert told in re.sub(r"\s+", " ", mmpb_html(run))
    console = Console(width=90, file=io.StringIO(), record=True)
    print_mmpb(console, run)
    assert told in re.sub(r"\s+", " ", console.export_text())
    assert "it changed" not in mmpb_html(mmpb)


@pytest.mark.parametrize(
    ("positive", "negative", "zero", "said"),
    [
        (1, 0, 0, "The one cell is positive: it leaves the concept out where it belongs."),
        (0, 0, 1, "The one cell is 0: the concept is left out as often as it is brought in."),
        (2, 0, 0, "2 of 2 cells (100.0 %) are positive, leaving the concept out where it belongs."),
        (
            1,
            1,
            2,
            "1 of 4 cells (25.0 %) is positive, leaving the concept out where it belongs; 1 is "
            "negative, bringing it in where it does not; 2 are 0.",
        ),
    ],
)
def test_m31_the_sentence_on_bias_counts_as_people_do(
    mmpb: FinishedMmpb, positive, negative, zero, said
):
    table = mmpb.results.bias
    assert table is not None
    count = positive + negative + zero
    made = table.model_copy(
        update={
            "cells": (table.cells[0],) * count,
            "positive": positive,
            "negative": negative,
            "zero": zero,
            "share_positive": positive / count,
        }
    )
    assert bias_sentence(mmpb.results.model_copy(update={"bias": made})) == said
