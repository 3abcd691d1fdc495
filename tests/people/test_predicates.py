"""The closed language of rules, in its two compilations (P28–P30)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyeprint.errors import DataError
from eyeprint.people.agent_sampling import AgentSampler, AgentSettings
from eyeprint.people.predicates import parse_predicate
from eyeprint.people.questionnaire import questionnaire

SAMPLER = AgentSampler(AgentSettings(block=64))
BLOCK = SAMPLER.block(1, 0)
ANSWERS = [SAMPLER.answers(BLOCK, place) for place in range(64)]


def parsed(text):
    return parse_predicate(text, questionnaire(), "rule T")


def as_text(tree) -> str:
    if isinstance(tree, str):
        return tree
    if tree[0] == "not":
        return f"not ({as_text(tree[1])})"
    return f" {tree[0]} ".join(f"({as_text(part)})" for part in tree[1:])


def value_of(tree, answers) -> bool:
    """The obvious twin: walk the tree with Python's own operators."""
    if isinstance(tree, str):
        return TESTS[tree](answers)
    if tree[0] == "not":
        return not value_of(tree[1], answers)
    values = [value_of(part, answers) for part in tree[1:]]
    return all(values) if tree[0] == "and" else any(values)


TESTS = {
    "Q12 >= 5": lambda a: a["Q12"] >= 5,
    "Q13 < 3": lambda a: a["Q13"] < 3,
    "Q14 = 4": lambda a: a["Q14"] == 4,
    "Q14 != 4": lambda a: a["Q14"] != 4,
    "Q15 <= 2": lambda a: a["Q15"] <= 2,
    "Q11 > 2": lambda a: a["Q11"] > 2,
    'Q4 is "Retro"': lambda a: a["Q4"] == "Retro",
    'Q10 in ["INTP", "ENFP"]': lambda a: a["Q10"] in ("INTP", "ENFP"),
    'Q16 has "Power"': lambda a: "Power" in a["Q16"],
    'Q7 has any of ["Film", "Pets"]': lambda a: bool({"Film", "Pets"} & set(a["Q7"])),
    'Q7 has all of ["Film", "Pets"]': lambda a: {"Film", "Pets"} <= set(a["Q7"]),
    'Q9 has 2 of ["QQ", "Zhihu", "Weibo", "X"]': lambda a: (
        len({"QQ", "Zhihu", "Weibo", "X"} & set(a["Q9"])) >= 2
    ),
}
TREES = st.recursive(
    st.sampled_from(sorted(TESTS)),
    lambda part: st.one_of(
        st.tuples(st.just("not"), part),
        st.tuples(st.sampled_from(["and", "or"]), part, part),
        st.tuples(st.sampled_from(["and", "or"]), part, part, part),
    ),
    max_leaves=8,
)


@given(TREES)
def test_p28_both_compilations_agree_with_the_twin(tree):
    predicate = parsed(as_text(tree))
    flags = predicate.flags(BLOCK.codes)
    expected = [value_of(tree, answers) for answers in ANSWERS]
    assert flags.dtype == np.bool_
    assert flags.tolist() == expected
    assert [predicate.holds(answers) for answers in ANSWERS] == expected


def test_p28_and_binds_closer_than_or_and_not_closest():
    one = parsed("Q12 = 1 or Q13 = 1 and Q14 = 1")
    assert one.holds({"Q12": 1, "Q13": 2, "Q14": 2}) is True
    two = parsed("not Q12 = 1 and Q13 = 1")
    assert two.holds({"Q12": 1, "Q13": 2}) is False
    assert two.holds({"Q12": 2, "Q13": 1}) is True


def test_p28_what_was_not_answered_is_unknown_where_it_matters():
    assert parsed("Q12 = 1").holds({}) is None
    assert parsed("not Q12 = 1").holds({}) is None
    assert parsed("Q12 = 1 and Q13 = 1").holds({"Q13": 2}) is False
    assert parsed("Q12 = 1 or Q13 = 1").holds({"Q13": 1}) is True
    assert parsed("Q12 = 1 or Q13 = 1").holds({"Q13": 2}) is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "expected 'a word', found 'the end'"),
        ("Q12 >= 5 and", "expected 'a word', found 'the end'"),
        ("Q12 >= 5 Q13 >= 5", "expected 'and', 'or' or the end, found 'Q13' at character 10"),
        ("Q12 has 5", "Q12 is a rating: expected <"),
        ("Q12 >= 8", "Q12 goes from 1 to 7, not to 8"),
        ("Q12 >= 99999999999", "goes from 1 to 7"),
        ("Q99 = 1", "there is no question 'Q99'"),
        ("Q19 = 1", "there is no question 'Q19'"),
        ('Q4 is "Igloo"', "Q4 has no option 'Igloo'; it has Minimalist"),
        ('Q4 has "Retro"', "expected 'in', found 'has'"),
        ('Q16 is "Power"', "expected 'has', found 'is'"),
        ('Q16 has most of ["Power"]', "expected an option, 'any of', 'all of' or a number"),
        ('Q16 has 3 of ["Power"]', "3 of 1 options is no test"),
        ('Q16 has 0 of ["Power"]', "0 of 1 options is no test"),
        ("(Q12 >= 5", "expected ')'"),
        ("__import__('os')", "cannot read"),
        ("Q12 >= 5; Q13", "cannot read '; Q13'"),
        ("(" * 60 + "Q12 = 1" + ")" * 60, "more than 50 brackets"),
        ("not " * 5000 + "Q12 = 1", "more than 50 brackets"),
    ],
)
def test_p28_what_cannot_be_read_is_told_with_its_place(text, told):
    with pytest.raises(DataError) as error:
        parsed(text)
    assert str(error.value).startswith("rule T: ")
    assert told in str(error.value)
