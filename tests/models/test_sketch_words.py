"""What the sketch painter understands of a prompt, and that its tables are sound."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyeprint.maths.colour import lab_of
from eyeprint.models.colour_names import colour_names, colours_by_word, nearest_names, rgb_of_hex
from eyeprint.models.sketch_colours import NATURAL
from eyeprint.models.sketch_tables import (
    PLACES,
    motifs,
    palettes,
    qualities,
    settings,
    times,
    word_lists,
)
from eyeprint.models.sketch_words import meanings, read_prompt, split_words


def things(prompt: str, negative: str = "") -> dict[str, int]:
    return {asked.motif.name: asked.many for asked in read_prompt(prompt, negative).things}


def test_x4_words_stand_for_things_places_light_and_palette():
    plan = read_prompt("A lone fox in a snowy birch forest at dusk, muted pastel palette, ink")
    assert [a.motif.name for a in plan.things] == ["dog", "tree"]
    assert {s.name for s in plan.settings} == {"snowfield", "forest"}
    assert plan.time is not None and plan.time.name == "dusk"
    assert [p.name for p in plan.palettes] == ["pastel"]
    assert plan.style == "outline"
    assert "minimal" in plan.arrangements


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("a boat", {"boat": 1}),
        ("three boats", {"boat": 3}),
        ("boats", {"boat": 3}),
        ("a pair of candles and many birds", {"candle": 2, "bird": 7}),
        ("women and children", {"person": 3}),
        ("no boats, without any birds; a cat", {"cat": 1}),
        ("a potted plant", {"plant": 1}),
        ("a street lamp", {"streetlamp": 1}),
        ("a vase of flowers", {"vase": 1}),
    ],
)
def test_number_plural_negation_and_longest_phrase(prompt, expected):
    assert things(prompt) == expected


def test_the_negative_prompt_takes_things_and_colours_away():
    plan = read_prompt("a cat and a dog in red", negative="dog, red")
    assert [a.motif.name for a in plan.things] == ["cat"]
    assert plan.colours == ()


def test_a_colour_belongs_to_the_thing_behind_it_or_to_the_palette():
    plan = read_prompt("a red boat and a white bird, a purple sky, in teal, with a pink scarf")
    by_name = {a.motif.name: a.colour for a in plan.things}
    table = colours_by_word()
    assert by_name == {"boat": table["red"].rgb, "bird": table["white"].rgb}
    assert dict(plan.setting_colours) == {"sky": table["purple"].rgb}
    assert plan.colours == (table["teal"].rgb,)
    assert plan.accents == (table["pink"].rgb,)
    assert plan.not_shown == ("scarf",)


def test_the_moon_makes_it_night_where_no_time_is_named():
    assert read_prompt("a castle under the moon").time.name == "night"
    assert read_prompt("the moon at dawn").time.name == "dawn"
    assert read_prompt("a castle").time is None


def test_words_without_a_picture_are_told_once_and_in_order():
    assert read_prompt("zorp the boat, blinf zorp").not_shown == ("zorp", "blinf")
    assert read_prompt("猫 и кот").not_shown == ("猫", "и", "кот")


def test_at_most_nine_kinds_of_things_and_the_rest_is_told():
    plan = read_prompt("boat cat dog tree house car bus train kite cup lamp")
    assert len(plan.things) == 9
    assert plan.not_shown == ("cup", "lamp")


@given(st.text(max_size=80))
def test_no_prompt_is_too_strange_to_be_read(text):
    plan = read_prompt(text, text[::-1])
    assert len(plan.things) <= 9
    assert set(plan.not_shown) <= set(split_words(text.replace("-", " "))) | set(split_words(text))


def test_there_are_words_for_more_than_45_groups_and_none_means_two_motifs():
    assert len(motifs()) >= 45
    for phrase, entries in meanings().items():
        for kind in ("motif", "setting", "time", "quality", "palette", "style", "arrangement"):
            names = [entry.name for entry in entries if entry.kind == kind]
            assert len(names) <= 1, (phrase, names)


NUMBERS = {"poly": None, "line": None, "oval": 4, "box": 4, "blobs": 6, "ring": 5, "arch": 5}
NUMBERS |= {"spiral": 5, "glow": 3, "use": 3}


@pytest.mark.parametrize("name", motifs())
def test_every_motif_is_made_of_known_shapes_and_colours(name):
    motif = motifs()[name]
    assert motif.place in PLACES
    assert 0.01 < motif.size <= 1
    assert motif.shapes
    for kind, role, *numbers in motif.shapes:
        assert kind in NUMBERS
        wanted = NUMBERS[kind]
        if kind == "use":
            assert role in motifs()
        if kind == "poly":
            assert len(numbers) >= 6 and len(numbers) % 2 == 0
        elif kind == "line":
            assert len(numbers) >= 5 and len(numbers) % 2 == 1
        else:
            assert len(numbers) == wanted
    assert set(motif.shows) <= motifs().keys()


def test_every_role_of_settings_has_a_natural_colour():
    for setting in settings().values():
        for role in (setting.ground, setting.far):
            assert role in (None, "none", "lake") or role in NATURAL
        assert 0.2 <= setting.horizon <= 0.9
    assert all(light.sky for light in times().values())
    assert not any(light.sky for light in qualities().values())
    assert all(len(palette.colours) == 5 for palette in palettes().values())
    assert set(word_lists("weather")) == {"rain", "snow", "clouds", "fireworks"}


def test_colours_have_distinct_names_and_each_is_called_by_its_own():
    words = [word for entry in colour_names() for word in (entry.name, *entry.also)]
    assert len(set(words)) == len(words)
    table = np.array([entry.rgb for entry in colour_names()], np.uint8)
    assert nearest_names(lab_of(table)) == list(colour_names())
    assert rgb_of_hex("#0102ff") == (1, 2, 255)


def test_x4_the_word_picture_asks_for_no_frame_on_the_wall():
    plain = things("a boat by the shore")
    assert things("a boat by the shore, in the style and mood of these pictures") == plain
    assert "framed picture" in things("a framed picture above a table")
