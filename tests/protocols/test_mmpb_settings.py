"""Grids of settings: every combination once, controls where they are compared, words read."""

import pytest

from eyeprint.errors import UsageError
from eyeprint.protocols.mmpb_grid_words import read_grid
from eyeprint.protocols.mmpb_settings import (
    DEFAULT_CONTROLS,
    Grid,
    control_of,
    grid_settings,
    read_numbers,
    read_positions,
)
from eyeprint.records.concept_settings import PROMPTING, ConceptSetting


def labels(**lists) -> list[str]:
    return [setting.label for setting in grid_settings(read_grid(**lists))]


def test_m22_the_default_grid_is_the_papers_four_settings_and_their_controls():
    found = labels()
    assert found[:4] == [
        "text:moderate · 0 turns",
        "text:moderate · 10 turns",
        "image:2 · 0 turns",
        "image:2 · 10 turns",
    ]
    assert found[4:6] == ["no concept", "no concept · 10 turns"]
    assert len(found) == 4 + 2 + 4 + 4 and len(set(found)) == len(found)


def test_m36_positions_beyond_the_dialogue_are_left_out_and_equal_ones_asked_once():
    found = labels(inject="text:simple", turns="0,10", position="start,5,end", controls="")
    assert found == [
        "text:simple · 0 turns",
        "text:simple · 10 turns",
        "text:simple · 10 turns · after turn 5",
        "text:simple · 10 turns · at the end",
    ]


def test_m38_m44_kinds_of_talk_do_not_multiply_settings_without_turns():
    found = labels(
        inject="text:simple", turns="0,5", dialogue="general,recognition,preference", controls=""
    )
    assert found == [
        "text:simple · 0 turns",
        "text:simple · 5 turns",
        "text:simple · 5 turns · recognition talk",
        "text:simple · 5 turns · preference talk",
    ]


def test_m37_m40_m21_m20_the_other_axes_are_all_combined():
    found = labels(
        inject="text:simple",
        turns="0",
        concepts="1,10",
        distractors="random,same_kind",
        prompting="all",
        blind=True,
        form="choice,open",
        controls="",
    )
    # 3 of concepts x distractors, 5 ways of asking, seen or blind, closed or open.
    assert len(found) == 3 * 5 * 2 * 2
    assert (
        "text:simple · 0 turns · 10 concepts of its kind · few shot cot · blind · open-ended"
        in (found)
    )
    assert len({*PROMPTING}) == 5


def test_controls_are_made_of_plain_settings_only():
    plain = ConceptSetting(turns=10, position=10)
    assert control_of(plain, "wrong").label == (
        "text:moderate · wrong concept · 10 turns · at the end"
    )
    assert control_of(plain, "none").label == "no concept · 10 turns"
    for changed in (
        {"blind": True},
        {"form": "open"},
        {"prompting": "reminder"},
        {"concepts": 3},
        {"control": "wrong"},
    ):
        setting = ConceptSetting(**({"turns": 10, "position": 10} | changed))
        assert all(control_of(setting, each) is None for each in DEFAULT_CONTROLS)


def test_no_concept_can_be_a_setting_of_its_own_and_is_not_asked_twice():
    assert labels(inject="none,text:simple", turns="0") == [
        "no concept",
        "text:simple · 0 turns",
        "text:simple · wrong concept · 0 turns",
        "text:simple · shuffled concept · 0 turns",
    ]


@pytest.mark.parametrize(
    ("lists", "told"),
    [
        ({"inject": "text:short"}, "text:short' is no injection"),
        ({"inject": "image:6"}, "image:6' is no injection"),
        ({"inject": ""}, "--inject needs"),
        ({"turns": "101"}, "--turns takes whole numbers from 0 to 100"),
        ({"turns": "ten"}, "not 'ten'"),
        ({"turns": ","}, "--turns needs at least one"),
        ({"concepts": "0"}, "--concepts takes whole numbers from 1 to 50"),
        ({"position": "middle"}, "--position"),
        ({"prompting": "cot"}, "--prompting does not know 'cot'"),
        ({"controls": "own"}, "--controls does not know 'own'"),
        ({"dialogue": "vision"}, "--dialogue does not know 'vision'"),
        ({"form": ""}, "holds no setting"),
    ],
)
def test_what_cannot_be_a_grid_says_which_option_is_wrong(lists, told):
    with pytest.raises(UsageError, match=told):
        grid_settings(read_grid(**lists))


def test_a_setting_that_contradicts_itself_is_told():
    with pytest.raises(UsageError, match="position 5 lies beyond the 0 turns"):
        ConceptSetting.checked_values({"position": 5})
    with pytest.raises(UsageError, match="go together"):
        ConceptSetting.checked_values({"inject": "none"})


def test_one_value_stands_for_a_list_of_one():
    assert Grid(inject="image:2", turns=0, blind=True) == Grid(
        inject=("image:2",), turns=(0,), blind=(True,)
    )


def test_words_are_read_once_each():
    assert read_numbers("10,0,10", 0, 100, "--turns") == (10, 0)
    assert read_positions("end, start,3,3") == ("end", "start", 3)
    assert Grid().controls == DEFAULT_CONTROLS
