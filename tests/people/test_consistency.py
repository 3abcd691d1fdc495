"""Hard and soft rules, and harmonisation (P27–P30)."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyeprint.errors import DataError
from eyeprint.people.agent_sampling import AgentSampler, AgentSettings
from eyeprint.people.consistency import ConsistencySettings, consistency
from eyeprint.people.questionnaire import questionnaire
from tests.people.pip_profiles import USER_1, USER_2

RULES = consistency()
CONTEXTUAL = ConsistencySettings(stimulation_security="contextual")


def kinds(answers, rules=RULES):
    return {conflict.rule.id: conflict.kind for conflict in rules.conflicts(answers)}


def test_p28_p29_at_least_five_hard_and_twelve_soft_rules_over_all_classes():
    hard = [rule for rule in RULES.rules if rule.kind == "hard"]
    soft = [rule for rule in RULES.rules if rule.kind == "soft"]
    assert len(hard) >= 5
    assert len(soft) >= 12
    assert {rule.group for rule in soft} == {"A", "B", "C", "D"}
    assert all(rule.reason for rule in RULES.rules)


def test_p28_the_listed_hard_conflicts():
    assert kinds({"Q12": 5, "Q13": 5}) == {"H1": "hard"}
    assert kinds({"Q12": 5, "Q13": 4}) == {}
    for pair, rule in (
        (("Self-Direction", "Conformity"), "H2"),
        (("Self-Direction", "Tradition"), "H3"),
        (("Stimulation", "Security"), "H4"),
        (("Power", "Universalism"), "H5"),
        (("Power", "Benevolence"), "H6"),
    ):
        assert kinds({"Q16": pair})[rule] == "hard"


def test_p28_eighty_two_of_the_120_triples_of_values_pass():
    values = questionnaire()["Q16"].labels
    rules = consistency(ConsistencySettings(harmonise=False))
    passing = [
        triple
        for triple in combinations(values, 3)
        if "hard" not in kinds({"Q16": triple}, rules).values()
    ]
    # Triples without any of the five forbidden pairs: 0.683 of C(10, 3) = 120.
    assert len(passing) == 82


def test_p28_nine_of_the_49_rating_pairs_fail():
    failing = [
        (a, b) for a in range(1, 8) for b in range(1, 8) if "H1" in kinds({"Q12": a, "Q13": b})
    ]
    assert len(failing) == 9


def test_p29_the_papers_examples_of_soft_conflicts():
    assert kinds({"Q16": ("Hedonism", "Tradition")}) == {"B1": "soft"}
    assert kinds({"Q4": "Minimalist and functional", "Q18": ("Vivid neon",)}) == {"C1": "soft"}
    low_use = {"Q17": "Never used", "Q8": ("Art and design",), "Q7": ("Photography",)}
    assert kinds(low_use) == {"D1": "soft"}
    assert kinds({"Q11": 1, "Q10": "INFP"}) == {"A1": "soft"}


def test_p27_a_hundred_points_less_one_for_each_soft_conflict():
    assert RULES.score({"Q16": ("Hedonism", "Power")}) == 100
    assert RULES.score({"Q16": ("Hedonism", "Tradition", "Conformity")}) == 98
    assert RULES.score({"Q12": 7, "Q13": 7}) is None


def test_p28_the_papers_two_users_break_no_hard_rule():
    assert "hard" not in kinds(USER_1.answers).values()
    assert "hard" not in kinds(USER_2.answers).values()


def test_p30_curiosity_downgrades_self_direction_with_conformity():
    pair = ("Self-Direction", "Conformity")
    assert kinds({"Q16": pair, "Q12": 4})["H2"] == "hard"
    assert kinds({"Q16": pair, "Q12": 5})["H2"] == "soft"
    plain = consistency(ConsistencySettings(harmonise=False))
    assert kinds({"Q16": pair, "Q12": 5}, plain)["H2"] == "hard"
    # Tradition is not spoken of: it stays hard.
    assert kinds({"Q16": ("Self-Direction", "Tradition"), "Q12": 7})["H3"] == "hard"


def test_p30_stimulation_with_security_is_hard_as_listed_and_contextual_as_a_setting():
    pair = ("Stimulation", "Security")
    for excitement in (0, 2, 3, 9):
        assert kinds({"Q16": pair, "Q15": excitement})["H4"] == "hard"
    other = consistency(CONTEXTUAL)
    assert kinds({"Q16": pair, "Q15": 2}, other)["H4"] == "hard"
    assert kinds({"Q16": pair, "Q15": 3}, other)["H4"] == "soft"
    assert other.fingerprint != RULES.fingerprint


@given(st.integers(0, 10_000), st.sampled_from(["listed", "contextual"]), st.booleans())
def test_p28_p30_a_block_breaks_what_its_profiles_break(seed, reading, harmonise):
    rules = consistency(ConsistencySettings(stimulation_security=reading, harmonise=harmonise))
    sampler = AgentSampler(AgentSettings(block=16))
    block = sampler.block(seed, 0)
    flags = rules.flags(block.codes)
    for place in range(16):
        found = kinds(sampler.answers(block, place), rules)
        for index, rule in enumerate(rules.rules):
            assert flags.hard[index, place] == (found.get(rule.id) == "hard")
            assert flags.soft[index, place] == (found.get(rule.id) == "soft")
        assert flags.penalty[place] == sum(kind == "soft" for kind in found.values())


RULE = """
[[rule]]
id = "R1"
kind = "hard"
class = "A"
conflict = 'Q12 >= 7'
reason = "mine"
"""


def own(tmp_path, text):
    path = tmp_path / "rules.toml"
    path.write_text(text)
    return consistency(ConsistencySettings(rules=str(path)))


def test_p28_rules_of_ones_own(tmp_path):
    rules = own(tmp_path, RULE)
    assert kinds({"Q12": 7, "Q13": 7}, rules) == {"R1": "hard"}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (RULE + RULE, "rule R1: the id is used twice"),
        (RULE.replace('"hard"', '"stern"'), 'rule R1: \'kind\' must be "hard" or "soft"'),
        (RULE.replace('class = "A"', ""), "'class' must be"),
        (RULE.replace("Q12 >= 7", "Q12 >= 9"), "rule R1: Q12 goes from 1 to 7"),
        (RULE + 'why = "x"', "rule 1 has no setting 'why'"),
        ("rule = 3", "'rule' must be written as [[rule]] tables"),
        ("rules = 3", "not 'rules'"),
        ("[[rule]", "not a TOML file"),
        (
            RULE + "[[harmonisation]]\nid='N'\nrule='R9'\nwhen='Q12 = 1'\nto='soft'\nreason='x'",
            "a harmonisation names rule 'R9', which is not there",
        ),
    ],
)
def test_p28_faults_in_rules_are_told(tmp_path, text, told):
    with pytest.raises(DataError) as error:
        own(tmp_path, text)
    assert told in str(error.value)
    assert "rules.toml" in str(error.value)


def test_p28_a_missing_file_of_rules_is_told(tmp_path):
    with pytest.raises(DataError, match="cannot be read"):
        consistency(ConsistencySettings(rules=str(tmp_path / "none.toml")))
