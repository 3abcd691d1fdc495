"""The HSQ study: caps, penalty, aggregation and its file."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyeprint.errors import DataError
from eyeprint.people.set_quality import (
    MARKS,
    Rating,
    SetQualitySettings,
    compared,
    quality_of,
    read_ratings,
    set_score,
)


def rating(score: float, *marks: str, **more) -> Rating:
    facts = {"set_id": "s", "annotator": "a", "score": score} | dict.fromkeys(marks, True)
    return Rating.model_validate(facts | more)


@pytest.mark.parametrize(
    ("score", "marks", "expected"),
    [
        (5, (), 5),  # unambiguous
        (5, ("template_redundancy",), 3),
        (4, ("target_mismatch",), 3),
        (4, ("mixed_person",), 2),
        (4, ("template_redundancy", "mixed_person"), 2),  # the lowest cap holds
        (2, ("template_redundancy",), 2),  # a cap lifts nothing
        (4, ("tag_collapse",), 3),
        (1, ("tag_collapse",), 1),  # never below the scale
        (5, ("tag_collapse",), 3),  # 5 is not for marked sets: 4, less 1
        (4.5, ("tag_collapse", "target_mismatch"), 3),  # min(4 - 1, 3)
    ],
)
def test_p78_caps_and_penalty(score, marks, expected):
    assert set_score(rating(score, *marks)) == expected


@given(st.floats(1, 5), st.sets(st.sampled_from(MARKS)))
def test_p78_marks_only_lower_a_score_within_the_scale(score, marks):
    found = set_score(rating(score, *marks))
    assert 1 <= found <= score
    for mark in MARKS:
        assert set_score(rating(score, *marks, mark)) <= found


def test_p78_the_rubric_is_settings():
    soft = SetQualitySettings(mixed_person=4, tag_collapse=0, five_needs_no_mark=False)
    assert set_score(rating(5, "mixed_person", "tag_collapse"), soft) == 4


def test_p78_sets_are_means_of_annotators_and_groups_means_of_sets():
    # Set 1: 4 and 2 -> 3; set 2: 5 -> 5; mean of sets 4 (of ratings it would be 3.67).
    ratings = [
        rating(4, set_id="1", annotator="a", group="ours"),
        rating(5, "mixed_person", set_id="1", annotator="b", group="ours"),
        rating(5, set_id="2", annotator="a", group="ours"),
        rating(3, set_id="1", annotator="a", group="free"),
    ]
    free, ours = quality_of(ratings)
    assert ours.mean.mean == 4.0 and ours.sets == 2 and ours.annotators == 2
    assert ours.mean_gap == 2.0 and ours.capped["mixed_person"] == 1
    assert free.mean.mean == 3.0 and free.mean_gap is None
    assert compared([free, ours]) == "ours 4.00, free 3.00"


def test_p78_sets_of_one_person_are_resampled_together():
    ratings = [rating(s, set_id=str(i), person="p") for i, s in enumerate((1, 5))]
    assert quality_of(ratings)[0].mean.low is None
    apart = [rating(s, set_id=str(i)) for i, s in enumerate((1, 5))]
    assert quality_of(apart)[0].mean.low == 1.0


def test_p78_one_annotator_rates_a_set_once():
    with pytest.raises(DataError, match="twice"):
        quality_of([rating(3), rating(4)])


def test_p78_files_are_read_with_every_fault(tmp_path):
    file = tmp_path / "hsq.csv"
    file.write_text(
        "set_id,annotator,score,mixed_person,group\n"
        "s1,a,4,no,ours\ns2,a,6,no,ours\ns3,a,3,perhaps,ours\n,a,3,,ours\ns4,a,2,YES,ours\n"
    )
    found = read_ratings(file)
    assert [r.set_id for r in found.ratings] == ["s1", "s4"] and found.ratings[1].mixed_person
    assert [(f.line, f.field) for f in found.faults] == [
        (3, "score"), (4, "mixed_person"), (5, "set_id"),
    ]  # fmt: skip


def test_p78_files_without_what_is_needed_are_refused(tmp_path):
    file = tmp_path / "hsq.csv"
    file.write_text("set_id,score\ns,3\n")
    with pytest.raises(DataError, match="has no column annotator"):
        read_ratings(file)
    file.write_text("set_id,annotator,score\n")
    with pytest.raises(DataError, match="not one rating"):
        read_ratings(file)
    with pytest.raises(DataError, match="cannot be read"):
        read_ratings(tmp_path / "none.csv")
