"""Distributions of answers, and agents beside people (P22, P32)."""

from __future__ import annotations

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyeprint.people.agents import grow_agents
from eyeprint.people.answer_statistics import answer_spread, distance
from eyeprint.people.questionnaire import questionnaire
from eyeprint.records.profiles import Profile
from tests.people.pip_profiles import USER_1, USER_2


def people(question, answers):
    return [Profile(id=str(i), answers={question: a}) for i, a in enumerate(answers)]


def test_p22_counts_and_shares_of_a_multiple_question():
    found = answer_spread([USER_1, USER_2]).questions["Q7"]
    assert found.answered == 2
    assert found.counts["Gaming"] == 2
    assert found.share("Gaming") == 1.0
    assert found.share("Handicrafts") == 0.5
    assert found.share("Film") == 0.0


def test_p22_p32_skewed_people_are_less_balanced_than_agents():
    skewed = people("Q1", ["Engineering"] * 40 + ["Science"] * 30 + ["Humanities"] * 2)
    agents = answer_spread(grow_agents(300, 3))
    real = answer_spread(skewed)
    assert real.questions["Q1"].balance < 0.5
    assert agents.questions["Q1"].balance > 0.95
    assert agents.questions["Q4"].balance > 0.95
    assert agents.questions["Q7"].balance > 0.95
    assert distance(real.questions["Q1"], agents.questions["Q1"]) > 0.6


def test_p32_balance_of_a_hand_made_set():
    # Two of four genders, evenly: ln 2 / ln 4 = 0.5. Ratings: one value of five is 0.
    assert answer_spread(people("Q2", ["Male", "Female"])).questions["Q2"].balance == 0.5
    assert answer_spread(people("Q11", [3, 3])).questions["Q11"].balance == 0.0


def test_p32_options_that_agents_never_choose_count_only_where_somebody_did():
    ten = questionnaire()["Q1"].labels[:-1]
    assert answer_spread(people("Q1", ten)).questions["Q1"].balance == pytest.approx(1)
    other = answer_spread(people("Q1", [*ten, "Other"])).questions["Q1"]
    assert other.balance == pytest.approx(1)
    assert other.counts["Other"] == 1


def test_p22_unknown_answers_are_counted_apart_and_nobody_gives_nan():
    found = answer_spread(people("Q1", ["Alchemy", "Science"]))
    assert found.questions["Q1"].unknown == 1
    assert found.questions["Q1"].counts["Science"] == 1
    assert math.isnan(found.questions["Q2"].balance)
    assert math.isnan(found.questions["Q2"].share("Male"))
    assert found.balance == 0.0  # of Q1 alone
    assert math.isnan(answer_spread([]).balance)
    assert math.isnan(distance(found.questions["Q2"], found.questions["Q2"]))


ANSWERS = st.lists(st.sampled_from(questionnaire()["Q17"].labels), min_size=1, max_size=30)


@given(ANSWERS, ANSWERS)
def test_p22_distance_and_balance_against_plain_twins(left, right):
    one = answer_spread(people("Q17", left)).questions["Q17"]
    two = answer_spread(people("Q17", right)).questions["Q17"]
    a, b = Counter(left), Counter(right)
    labels = questionnaire()["Q17"].labels
    expected = sum(abs(a[x] / len(left) - b[x] / len(right)) for x in labels) / 2
    assert distance(one, two) == pytest.approx(expected)
    shares = [a[x] / len(left) for x in labels if a[x]]
    entropy = -sum(p * math.log(p) for p in shares) / math.log(5)
    assert one.balance == pytest.approx(entropy, abs=1e-12)


def test_p22_a_number_as_text_is_not_among_a_ratings_answers():
    found = answer_spread(people("Q12", ["7", 7])).questions["Q12"]
    assert (found.counts["7"], found.unknown) == (1, 1)
