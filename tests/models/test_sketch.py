"""The sketch painter shows its prompt, the same way every time."""

import asyncio
import subprocess
import sys

import numpy as np
import pytest

from eyeprint.models.kinds import Painted, Painter, PaintRequest
from eyeprint.models.palette import PaletteEncoder
from eyeprint.models.picture_reading import read_picture
from eyeprint.models.sketch import SketchPainter, SketchSettings
from eyeprint.models.sketch_finish import STYLES
from eyeprint.models.sketch_layout import scene_of
from eyeprint.models.sketch_tables import motifs
from eyeprint.models.sketch_words import read_prompt
from eyeprint.records.pictures import Picture

SMALL = SketchPainter(SketchSettings(side=160))


def paint(prompt: str, seed: int = 1, way: str = "text", **more) -> Painted:
    return asyncio.run(SMALL.paint(PaintRequest(prompt, seed=seed, **more), way))


def sketch(prompt: str, seed: int = 1, way: str = "text", **more) -> Picture:
    painted = paint(prompt, seed, way, **more)
    assert painted.picture is not None, painted.detail
    return painted.picture


def plain(rgb: tuple[int, int, int]) -> Picture:
    return Picture.of(np.full((40, 40, 3), rgb, np.uint8))


def test_x4_it_is_a_painter_with_two_ways():
    assert isinstance(SMALL, Painter)
    assert (SMALL.name, SMALL.ways) == ("sketch", {"text", "edit"})


def test_p41_the_same_request_gives_the_same_bytes_in_another_process():
    code = (
        "import asyncio\n"
        "from eyeprint.models.sketch import SketchPainter, SketchSettings\n"
        "from eyeprint.models.kinds import PaintRequest\n"
        "r = PaintRequest('a cat in a foggy garden, oil painting', seed=9)\n"
        "p = SketchPainter(SketchSettings(side=160))\n"
        "print(asyncio.run(p.paint(r)).picture.sha256)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    here = sketch("a cat in a foggy garden, oil painting", seed=9)
    assert done.stdout.strip() == here.sha256
    # The key names the item and decides nothing.
    assert sketch("a cat in a foggy garden, oil painting", seed=9, key="case-7") == here


def test_p41_size_is_as_asked_else_384():
    assert sketch("a boat", width=96, height=64).pixels.shape == (64, 96, 3)
    painted = asyncio.run(SketchPainter().paint(PaintRequest("a boat", seed=1)))
    assert painted.picture.pixels.shape == (384, 384, 3)
    assert painted.cost_usd == 0 and painted.served_model == "sketch"


def test_another_seed_moves_things_and_keeps_the_palette():
    pictures = [sketch("a red boat on the sea at dusk, teal and gold", seed) for seed in range(4)]
    assert len(set(pictures)) == 4
    for other in pictures[1:]:
        one, two = (
            np.array([c.share for c in read_picture(p).colours]) for p in (pictures[0], other)
        )
        assert abs(one[0] - two[0]) < 0.12
        names = [
            {c.family for c in read_picture(p).colours if c.share > 0.1}
            for p in (pictures[0], other)
        ]
        assert names[0] & names[1]
    means = [p.pixels.mean(axis=(0, 1)) for p in pictures]
    assert np.ptp(means, axis=0).max() < 12


def test_prompts_of_two_people_look_different():
    one = "a quiet lake, cool ocean tones, misty dawn, minimalist, soft light"
    two = "a quiet lake, fiery autumn palette, bustling crowd, harsh noon light, ink drawing"
    vectors = PaletteEncoder().encode_pictures([sketch(one), sketch(one, seed=2), sketch(two)])
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.3


PAIRS = [
    ("warmth", "a field, warm earth tones", "a field, cool ocean tones"),
    ("warmth", "the sea at golden hour", "the sea at night"),
    ("brightness", "a city at noon", "a city at midnight"),
    ("brightness", "a room, pastel tones", "a room, dark and moody"),
    ("contrast", "a house, harsh light", "a house, soft light"),
    ("colourfulness", "a market, vivid neon colors", "a market, muted tones"),
    ("colourfulness", "a tree", "a tree, black and white"),
    ("busyness", "an intricate, busy forest with many birds", "a minimalist sea, sparse"),
    ("symmetry", "two trees and a temple, symmetric composition", "two trees and a temple"),
    ("texture", "a house, film grain", "a house, flat vector art"),
]


@pytest.mark.parametrize(("field", "more", "less"), PAIRS)
def test_x4_words_show_in_the_reading(field, more, less):
    high, low = (
        np.mean([getattr(read_picture(sketch(text, seed)), field) for seed in (1, 2, 3)])
        for text in (more, less)
    )
    assert high > low


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("the open sea, flat", 0.55),
        ("a grassy field, flat, low horizon", 0.78),
        ("a grassy field, flat, high horizon", 0.24),
    ],
)
def test_the_horizon_is_where_the_words_put_it(prompt, expected):
    assert read_picture(sketch(prompt)).horizon == pytest.approx(expected, abs=0.04)
    assert scene_of(read_prompt("abstract circles"), 1).horizon == 1


def test_named_colours_are_the_picture_s_colours():
    boat = read_picture(sketch("a close-up of a red boat on a green sea under a purple sky"))
    assert [c.family for c in boat.colours[:2]] in (["purple", "green"], ["green", "purple"])
    assert "red" in {c.family for c in boat.colours}
    gray = read_picture(sketch("a red boat at sunset, black and white"))
    assert gray.colourfulness < 8


@pytest.mark.parametrize("name", motifs())
def test_every_motif_can_be_seen(name):
    motif = motifs()[name]
    prompt = (
        f"{motif.words[0]}, sky, flat" if motif.place != "figure" else f"abstract {motif.words[0]}"
    )
    shown = paint(prompt, width=96, height=96)
    assert shown.detail == "" or name in ("fish",)
    bare = sketch("sky, flat" if motif.place != "figure" else "abstract", width=96, height=96)
    changed = np.abs(shown.picture.pixels.astype(int) - bare.pixels).max(axis=2) > 16
    assert changed.mean() > (0.001 if motif.place == "scatter" else 0.004)


def test_every_style_is_another_surface():
    words = {"gouache": "", "photo": "photograph", "oil": "oil painting", "flat": "flat vector"}
    pictures = {s: sketch(f"a house by a lake, {words.get(s, s)}") for s in STYLES}
    assert len(set(pictures.values())) == len(STYLES)
    counts = {s: len(np.unique(p.pixels.reshape(-1, 3), axis=0)) for s, p in pictures.items()}
    assert counts["pixel"] < counts["flat"] < counts["watercolour"]
    # Blocks of the pixel style are of one colour: 160 / 64 pixels wide, so two at least.
    rows = pictures["pixel"].pixels
    assert (rows[:, 1:] == rows[:, :-1]).all(axis=2).mean() > 0.55


def test_words_that_are_not_shown_are_told():
    assert paint("a quixotic boat").detail == "not shown: quixotic"
    assert paint("a sofa in a room under the moon").detail == "not shown: moon"
    assert paint("a boat").detail == ""
    long = " ".join(f"zq{chr(97 + k)}x" for k in range(26))
    assert paint(long).detail.endswith("and 2 more")


def test_an_empty_prompt_and_one_of_unknown_words_are_painted_too():
    empty, one, two = sketch(""), sketch("zorp"), sketch("blinf gronk")
    assert len({empty, one, two}) == 3


def test_x4_references_pull_palette_and_light_while_the_prompt_decides_the_rest():
    encoder = PaletteEncoder()
    rng = np.random.default_rng(3)
    spread = rng.integers(-20, 20, (64, 64, 3))
    warm = Picture.of((np.array([205, 110, 60]) + spread).clip(0, 255).astype(np.uint8))
    dark = Picture.of((np.array([40, 30, 80]) + spread).clip(0, 255).astype(np.uint8))
    prompt = "a boat on a lake with mountains"
    text = sketch(prompt)
    edits = {
        name: sketch(prompt, way="edit", references=(ref,))
        for name, ref in (("warm", warm), ("dark", dark))
    }
    near = encoder.encode_pictures([text, edits["warm"], edits["dark"], warm, dark])
    assert near[1] @ near[3] > near[0] @ near[3] + 0.1
    assert near[2] @ near[4] > near[0] @ near[4] + 0.1
    readings = {name: read_picture(p) for name, p in edits.items()}
    assert readings["warm"].warmth > read_picture(text).warmth
    assert readings["dark"].brightness < read_picture(text).brightness
    # Both references together lie between.
    both = read_picture(sketch(prompt, way="edit", references=(warm, dark)))
    assert readings["dark"].brightness < both.brightness < readings["warm"].brightness
    # The layout is the prompt's: edges are where they were.
    step = [
        np.abs(np.diff(p.pixels.astype(float).mean(axis=2), axis=0)) > 8
        for p in (text, edits["warm"])
    ]
    assert (step[0] & step[1]).sum() > 0.4 * step[0].sum()


def test_no_pull_leaves_the_palette_alone():
    still = SketchPainter(SketchSettings(side=160, reference_strength=0))
    request = PaintRequest("a boat on a lake, flat", seed=1, references=(plain((200, 30, 30)),))
    edited = asyncio.run(still.paint(request, "edit")).picture
    assert np.abs(edited.pixels.astype(int) - sketch("a boat on a lake, flat").pixels).mean() < 2


@pytest.mark.parametrize(
    ("way", "more", "told"),
    [
        ("tune", {}, "cannot do 'tune'"),
        ("edit", {}, "one reference picture or more"),
        ("text", {"width": 4}, "32 to 2048"),
        ("text", {"height": 9000}, "32 to 2048"),
    ],
)
def test_what_it_cannot_do_is_a_failure_with_its_reason(way, more, told):
    painted = paint("a boat", way=way, **more)
    assert painted.picture is None
    assert painted.failure == "bad_request"
    assert told in painted.detail


def test_the_fingerprint_follows_the_settings():
    assert SMALL.fingerprint == SketchPainter(SketchSettings(side=160)).fingerprint
    assert SMALL.fingerprint != SketchPainter().fingerprint


@pytest.mark.parametrize(
    ("prompt", "upper", "lower"),
    [("a cat on a table", "cat", "table"), ("a bowl on a garden chair", "bowl", "chair")],
)
def test_x4_what_stands_on_another_thing_is_placed_on_its_top_and_painted_after_it(
    prompt, upper, lower
):
    for seed in range(5):
        placed = {p.motif.name: p for p in scene_of(read_prompt(prompt), seed).placed}
        over, under = placed[upper], placed[lower]
        assert under.y - under.height <= over.y < under.y - 0.3 * under.height
        assert abs(over.x - under.x) < under.height
        assert over.before == under.y


def test_x4_a_vase_in_a_room_has_a_table_under_it_and_a_guitar_has_none():
    names = [p.motif.name for p in scene_of(read_prompt("a vase in a kitchen"), 1).placed]
    assert sorted(names) == ["table", "vase"]
    assert [p.motif.name for p in scene_of(read_prompt("a guitar in a kitchen"), 1).placed] == [
        "guitar"
    ]


@pytest.mark.parametrize(
    ("prompt", "ground", "sky"),
    [
        ("a man with an accordion on a bridge", "field", "sky"),
        ("a bookshop on a rainy corner", "field", "sky"),
        ("an umbrella on a tiled floor", "floor", "wall"),
        ("a woman reading a letter by a curtain", "floor", "wall"),
        ("a person cooking breakfast in a kitchen", "floor", "wall"),
        ("a teapot and a cup on a table", "table", "wall"),
        ("a cat on a table", "floor", "wall"),
        ("a wooden cabin in falling snow", "snow", "sky"),
        ("a mossy path in a forest", "forest", "sky"),
    ],
)
def test_x4_the_place_follows_the_things_where_none_is_named(prompt, ground, sky):
    scene = scene_of(read_prompt(prompt), 3)
    assert (scene.ground, scene.sky) == (ground, sky)


def test_x4_a_shop_window_in_a_street_is_one_of_a_house():
    placed = scene_of(read_prompt("a shop window on a wet street"), 2).placed
    assert [p.motif.name for p in placed] == ["house"]


def test_x4_waves_belong_to_the_sea_and_circles_stay_circles():
    assert scene_of(read_prompt("gentle waves at a quiet seaside"), 2).placed == ()
    placed = scene_of(read_prompt("bubbles over a lake"), 2).placed
    assert {p.motif.name for p in placed} == {"circle"}
    assert {p.motif.name for p in scene_of(read_prompt("abstract waves"), 2).placed} == {"wave"}
