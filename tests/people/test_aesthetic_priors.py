"""Associative priors from answers to looks (P12)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyeprint.people.aesthetic_priors import aesthetic_priors, priors_table
from eyeprint.people.agents import grow_agents
from eyeprint.people.questionnaire import questionnaire
from eyeprint.records.profiles import PROPERTIES, AestheticPriors, Profile
from tests.people.pip_profiles import USER_1, USER_2


def lean(**answers):
    return aesthetic_priors(Profile(id="x", answers=answers))


def test_p12_openness_is_abstract_and_asymmetric_and_its_lack_realistic_and_balanced():
    high, low = lean(Q12=7, Q13=1), lean(Q12=1, Q13=7)
    assert high.abstraction > 0 > high.symmetry
    assert low.abstraction < 0 < low.symmetry


@pytest.mark.parametrize("value", ["Self-Direction", "Stimulation"])
def test_p12_values_of_openness_explore(value):
    assert lean(Q16=(value,)).symmetry < 0


@pytest.mark.parametrize("value", ["Tradition", "Security"])
def test_p12_values_of_keeping_are_classical(value):
    found = lean(Q16=(value,))
    assert found.symmetry > 0 > found.abstraction


@pytest.mark.parametrize("value", ["Achievement", "Power"])
def test_p12_values_of_self_enhancement_are_editorial(value):
    assert lean(Q16=(value,)).contrast > 0


@pytest.mark.parametrize("value", ["Benevolence", "Universalism"])
def test_p12_values_of_self_transcendence_are_tranquil(value):
    found = lean(Q16=(value,))
    assert found.energy < 0
    assert found.contrast < 0


def test_p12_p8_palettes_warm_and_cool():
    warm, cool = lean(Q18=("Warm sunset tones",)), lean(Q18=("Cool ocean tones",))
    assert warm.warmth > 0.5
    assert cool.warmth < -0.5
    assert cool.palettes == ("Cool ocean tones",)
    assert "teal" in cool.colours


def test_p12_p9_affect_needs_both_to_be_vivid_and_one_low_to_be_soft():
    vivid, soft = lean(Q14=9, Q15=9), lean(Q14=1, Q15=0)
    assert min(vivid.saturation, vivid.energy, vivid.contrast) > 0.3
    assert max(soft.saturation, soft.contrast, soft.energy) < -0.3
    # The circumplex term: min(1, -1) = -1 pulls down what pleasure alone would raise.
    # pleasure 0.7*0.3 + excitement 0.7*0.2*(-1) + circumplex 0.5*0.3*(-1) = 0.21 - 0.14 - 0.15
    assert lean(Q14=9, Q15=0).saturation == pytest.approx(-0.08)


def test_p12_labels_of_the_papers_users_agree_with_its_summaries():
    assert {"abstraction", "negative space"} <= set(aesthetic_priors(USER_1).labels)
    assert {"realism", "stillness", "soft contrast"} <= set(aesthetic_priors(USER_2).labels)
    assert "minimalist" in aesthetic_priors(USER_1).styles
    assert "healing" in aesthetic_priors(USER_2).styles
    assert {"cats", "pottery"} <= set(aesthetic_priors(USER_2).motifs)


def test_p12_nothing_answered_leans_nowhere():
    assert aesthetic_priors(Profile(id="x")) == AestheticPriors(
        **dict.fromkeys(PROPERTIES, 0.0), palettes=(), labels=()
    )


@given(st.integers(0, 10_000))
def test_p12_every_property_stays_within_its_bounds(seed):
    agent = next(grow_agents(1, seed))
    found = aesthetic_priors(agent)
    assert all(-1 <= getattr(found, name) <= 1 for name in PROPERTIES)


def test_p12_the_tables_name_known_properties_only():
    for question in questionnaire().asked:
        for option in question.options:
            assert set(option.shift) <= set(PROPERTIES), option.label
            assert all(-1 <= value <= 1 for value in option.shift.values())
    table = priors_table()
    assert set(table["words"]) == set(PROPERTIES)
    for section in ("scales", "mbti"):
        for row in table[section].values():
            if isinstance(row, dict):
                assert set(row) <= set(PROPERTIES)
