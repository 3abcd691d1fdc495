"""What the sketch painter understands of a prompt, and that its tables are sound."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyeprint.maths.colour import lab_of
from eyeprint.models.colour_names import colour_names, colours_by_word, nearest_names, rgb_of_hex
from eyeprint.models.sketch_colours import NATURAL
from eyeprint.models.sketch_phrases import meanings, split_words
from eyeprint.models.sketch_tables import (
    PLACES,
    motifs,
    palettes,
    qualities,
    settings,
    times,
    word_lists,
)
from eyeprint.models.sketch_words import read_prompt


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
    plan = read_prompt("boat, cat, dog, tree, house, car, bus, train, kite, cup, lamp")
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


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        # Words of light are light alone, whatever they come from or through.
        ("a fox, with coloured fairground lights", {"dog"}),
        ("a fox in daylight filtered by leaves", {"dog"}),
        ("a fox, dappled light through the leaves of a tree", {"dog"}),
        ("A fox by a lake with soft window light. Warm lamp light indoors", {"dog"}),
        ("a cat in golden light on a table", {"cat", "table"}),
        ("a cat under street lights", {"cat", "streetlamp"}),
        ("dappled light through leaves", {"leaf"}),
        # Adjectives before a medium say how it is drawn.
        ("an urban engraving of a fireplace in a room", {"fireplace"}),
        ("a picture-book photograph showing a bear", {"bear"}),
        ("a bear, a poster-like cat illustration in tones of red", {"bear"}),
        ("a portrait photograph of a woman", {"face"}),
        # Layout is no thing.
        ("a fox. Top-down table view, gallery-like arrangement of frames", {"dog"}),
        ("a fox. One object on an empty plane, frozen motion against open space", {"dog"}),
        # Of two nouns the last is the thing; some pairs are a thing of their own.
        ("a café table by a train window", {"table", "window"}),
        ("a chess player under a plane tree", {"person", "tree"}),
        ("a paper plane", {"airplane"}),
        ("a fountain pen", set()),
        ("a cat portrait", {"cat"}),
        ("a ship sailing out of a screen", {"ship", "framed picture"}),
        # What "no" and "nothing" deny, up to the next preposition; what "like" compares to.
        ("no boats and birds on a table", {"table"}),
        ("nothing but a boat", {"boat"}),
        ("stripes like a blanket on a bed", {"line", "bed"}),
        # Colours that are called by a thing.
        ("a fox in tones of coral, fern and champagne gold", {"dog"}),
        ("a coral on a rock", {"coral", "rock"}),
    ],
)
def test_x4_only_what_is_named_as_a_thing_is_drawn(prompt, expected):
    assert set(things(prompt)) == expected


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("a fox in ocean blue and forest green", set()),
        ("a scenic painting of a fox. Open landscape format, much space around", set()),
        ("a landscape painting", {"hills"}),
        ("an urban photograph, black and white", {"city"}),
        ("a fox. Snug corner, frozen motion, rich detail in every corner", {"walls"}),
        ("a fox in space", {"space"}),
    ],
)
def test_x4_light_style_layout_and_colour_name_no_place_unless_nothing_else_does(prompt, expected):
    assert {setting.name for setting in read_prompt(prompt).settings} == expected


@pytest.mark.parametrize(
    ("prompt", "style"),
    [
        ("swirls of ink in water, a cinematic photograph", "photo"),
        ("a painterly photograph of a painted wall", "photo"),
        ("a cinematic illustration of a fox", "outline"),
        ("a loose watercolour illustration of a fox", "watercolour"),
        ("a fox, ink", "outline"),
        ("a fox in oil", "oil"),
        ("a reel of film on a flat stone", ""),
    ],
)
def test_x4_the_medium_decides_the_style(prompt, style):
    assert read_prompt(prompt).style == style


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("a cat on a table", {"cat": "table"}),
        (
            "a bowl of cherries and a jug on a garden chair",
            dict.fromkeys(("bowl", "fruit", "teapot"), "chair"),
        ),
        ("lemons in a clay bowl on a table", {"citrus": "table", "bowl": "table"}),
        ("a dog in a room with a lamp on a table", {"lamp": "table"}),
        ("a cat in an armchair", {"cat": "chair"}),
        ("a cat on a hill by a table", {}),
    ],
)
def test_x4_things_stand_on_what_they_are_said_to_stand_on(prompt, expected):
    assert {a.motif.name: a.on for a in read_prompt(prompt).things if a.on} == expected


def test_a_number_ends_with_the_unknown_thing_that_it_counts():
    assert things("five zorps and a boat") == {"boat": 1}
    assert things("five small old boats") == {"boat": 5}
    assert things("two friends with a cat's toy") == {"couple": 1, "doll": 1}


def test_a_colour_of_the_palette_colours_no_thing_behind_a_stop():
    plan = read_prompt("a field, in tones of teal and gold, a castle")
    assert [a.colour for a in plan.things] == [None]
    assert len(plan.colours) == 2
