"""Copies are found by what was done to them, and unlike pictures are left alone (P66)."""

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from PIL import Image, ImageEnhance

from eyeprint.maths.windows import block_means, shapes, turned
from eyeprint.models.pictures import gray, open_picture
from eyeprint.people.leak_marks import marks_of, thumbnail
from eyeprint.people.leak_matching import (
    MatchSettings,
    crop_matches,
    exact_groups,
    exact_kind,
    near_matches,
    overlaid_matches,
)
from eyeprint.people.leak_neighbours import NeighbourSettings, neighbour_matches
from eyeprint.people.leaks import near_duplicates
from eyeprint.records.pictures import Picture
from tests.people.made_pictures import image_of, made_picture, saved_again

TURN_NAMES = [
    Image.Transpose.FLIP_LEFT_RIGHT,
    Image.Transpose.FLIP_TOP_BOTTOM,
    Image.Transpose.ROTATE_90,
    Image.Transpose.ROTATE_180,
    Image.Transpose.ROTATE_270,
    Image.Transpose.TRANSPOSE,
    Image.Transpose.TRANSVERSE,
]
few_tones = arrays(
    np.uint8,
    st.tuples(st.integers(1, 4), st.integers(1, 4), st.just(3)),
    elements=st.integers(0, 1),
)


@given(few_tones, st.integers(0, 7))
def test_the_upright_form_is_one_for_all_eight_turns(pixels: np.ndarray, turn: int):
    """Pixels of 0 and 1 only: sums are equal and symmetrical as often as can be."""
    channels = turned(pixels.transpose(2, 0, 1), turn).transpose(1, 2, 0)
    one, other = marks_of(Picture.of(pixels.copy())), marks_of(Picture.of(channels.copy()))
    assert one.upright == other.upright
    assert one.gray_upright == other.gray_upright


@given(few_tones, few_tones)
def test_unlike_pixels_have_unlike_upright_forms(one: np.ndarray, other: np.ndarray):
    equal = any(
        np.array_equal(turned(one.transpose(2, 0, 1), turn).transpose(1, 2, 0), other)
        for turn in range(8)
    )
    found = marks_of(Picture.of(one.copy())).upright == marks_of(Picture.of(other.copy())).upright
    assert found == equal


@pytest.mark.parametrize("turn", TURN_NAMES, ids=lambda turn: turn.name)
def test_p66_turned_pixels_are_a_flip_and_turned_gray_a_gray_copy(turn: Image.Transpose):
    picture = made_picture(1)
    mark = marks_of(picture)
    flipped = open_picture(image_of(picture).transpose(turn))
    assert exact_kind(mark, marks_of(flipped)) == "flip"
    assert exact_kind(mark, marks_of(gray(flipped))) == "gray"
    assert exact_kind(mark, marks_of(gray(picture))) == "gray"
    assert exact_kind(mark, marks_of(made_picture(2))) is None


def test_exact_kinds_are_told_the_strictest_first(tmp_path: Path):
    picture = made_picture(1)
    image_of(picture).save(tmp_path / "a.png")
    image_of(picture).save(tmp_path / "b.bmp")
    one, other = (marks_of(open_picture(tmp_path / name)) for name in ("a.png", "b.bmp"))
    assert exact_kind(one, one) == "file"
    assert exact_kind(one, other) == "pixels"
    assert exact_groups([one, marks_of(made_picture(2)), other]).tolist() == [0, 1, 0]


def test_thumbnails_are_means_of_cells():
    luma = np.arange(128 * 64, dtype=np.uint32).reshape(128, 64) % 256
    small = thumbnail(luma.astype(np.uint8))
    assert small.shape == (64, 64)
    assert np.array_equal(small, np.rint(luma.reshape(64, 2, 64, 1).mean(axis=(1, 3))))


def thumbs_of(*sources: object) -> np.ndarray:
    return np.stack([marks_of(open_picture(source)).thumb for source in sources])


EDITS = {
    "saved again": lambda image: saved_again(image, 30),
    "half as large": lambda image: image.resize((64, 48)),
    "another shape": lambda image: image.resize((90, 90)),
    "brighter": lambda image: ImageEnhance.Brightness(image).enhance(1.15),
    "less contrast": lambda image: ImageEnhance.Contrast(image).enhance(0.6),
    "gray, saved again": lambda image: saved_again(image.convert("L")),
    "mirrored, saved again": lambda image: saved_again(image.transpose(TURN_NAMES[0])),
    "turned, saved again": lambda image: saved_again(image.transpose(TURN_NAMES[2])),
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_p66_an_edited_copy_is_near(edit):
    originals = [image_of(made_picture(seed)) for seed in range(6)]
    thumbs = thumbs_of(*(i for i in originals), edit(originals[2]))
    assert [match[:2] for match in near_matches(thumbs, 7)] == [(2, 6)]


def test_near_matches_are_those_of_a_loop_over_pairs_and_turns():
    images = [image_of(made_picture(seed)) for seed in range(8)]
    images += [images[1].rotate(1), images[5].transpose(TURN_NAMES[4]), images[0].resize((50, 60))]
    thumbs = thumbs_of(*images)
    loose = MatchSettings(near=0.3, near_detail=0.01)
    expected = set()
    for a in range(len(thumbs)):
        for b in range(a + 1, len(thumbs)):
            one = shapes(block_means(thumbs[a][None], 16))[0]
            best = max(
                float(one @ shapes(block_means(turned(thumbs[b][None], turn), 16))[0])
                for turn in range(8)
            )
            if best >= 0.3:
                expected.add((a, b, round(1 - best, 4)))
    found = {(a, b, round(distance, 4)) for a, b, _, distance, _ in near_matches(thumbs, 11, loose)}
    assert {(0, 10), (1, 8), (5, 9)} <= {pair[:2] for pair in found}
    assert found <= expected  # details may only take pairs away


@pytest.mark.parametrize("seed", range(8))
def test_p66_a_part_is_found_wherever_it_was_cut(seed: int):
    draw = np.random.default_rng(seed)
    images = [image_of(made_picture(n)) for n in range(10)]
    source = images[seed]
    share = draw.uniform(0.52, 0.9)
    left, top = draw.uniform(0, 1 - share, 2)
    box = [int(v) for v in (left * 128, top * 96, (left + share) * 128, (top + share) * 96)]
    part = source.crop(box)
    if seed % 2:
        part = part.transpose(TURN_NAMES[0]).convert("L")
    thumbs = thumbs_of(*images, saved_again(part))
    (match,) = crop_matches(thumbs, 11, surely=[(seed, 10)])
    assert match[:3] == (seed, 10, "crop")
    assert match.told.startswith("the second is a part of the first")
    assert match.distance < 0.07


def test_p66_a_part_of_another_shape_is_found_without_being_asked_for():
    images = [image_of(made_picture(n)) for n in range(10)]
    thumbs = thumbs_of(images[3].crop((20, 0, 100, 96)), *images)
    (match,) = crop_matches(thumbs, 1)  # the benchmark is the part, the whole a training row
    assert (match.a, match.b) == (0, 4)
    assert match.told.startswith("the first is a part of the second")


def test_p66_training_rows_are_not_compared_among_themselves():
    images = [image_of(made_picture(n)) for n in range(4)]
    thumbs = thumbs_of(*images, saved_again(images[3]))
    assert near_matches(thumbs, 3) == []
    assert [match[:2] for match in near_matches(thumbs, 4)] == [(3, 4)]
    cut = thumbs_of(*images, images[3].crop((0, 0, 90, 70)))
    assert crop_matches(cut, 3) == []


def with_a_bar(image: Image.Image) -> Image.Image:
    """Return a picture with a black bar over its lowest tenth, as captions have it."""
    width, height = image.size
    barred = image.copy()
    barred.paste((0, 0, 0), (0, height - height // 10, width, height))
    return barred


@pytest.mark.parametrize("turn", [None, *TURN_NAMES[:3]])
def test_p66_a_copy_with_a_bar_laid_over_it_is_found_among_given_pairs(turn):
    images = [image_of(made_picture(seed)) for seed in range(4)]
    copy = with_a_bar(images[2])
    copy = copy if turn is None else copy.transpose(turn)
    thumbs = thumbs_of(*images, saved_again(copy))
    pairs = [(a, b) for a in range(5) for b in range(a + 1, 5)]
    found = overlaid_matches(thumbs, pairs)
    assert [match[:3] for match in found] == [(2, 4, "near")]
    assert "laid over" in found[0].told and found[0].distance < 0.25
    assert overlaid_matches(thumbs, []) == []


def test_unlike_pictures_are_left_alone():
    thumbs = np.stack([marks_of(made_picture(seed)).thumb for seed in range(40)])
    pairs = [(a, b) for a in range(8) for b in range(a + 1, 8)]
    assert near_matches(thumbs, 40) == []
    assert overlaid_matches(thumbs, pairs) == []
    assert crop_matches(thumbs, 40, surely=pairs) == []


def test_near_duplicates_of_a_pool_are_found_whatever_was_done():
    images = [image_of(made_picture(n)) for n in range(4)]
    pictures = [open_picture(image) for image in images]
    pictures += [
        open_picture(saved_again(images[0])),
        open_picture(images[1].crop((10, 10, 110, 90))),
        open_picture(images[2].transpose(TURN_NAMES[1])),
    ]
    assert near_duplicates(pictures) == {(0, 4), (1, 5), (2, 6)}
    white = Picture.of(np.full((8, 8, 3), 255, np.uint8))
    nearly = Picture.of(np.full((8, 8, 3), 254, np.uint8))
    assert near_duplicates([white, nearly]) == frozenset()  # nothing there to be alike
    assert near_duplicates([white, Picture.of(white.pixels.copy())]) == {(0, 1)}
    assert near_duplicates([]) == frozenset()


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.integers(4, 30))
def test_neighbours_are_those_of_a_loop(seed: int, count: int):
    draw = np.random.default_rng(seed)
    vectors = draw.normal(size=(count, 4)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    owners = [frozenset({str(draw.integers(3))}) for _ in range(count)]
    first = count - 2
    chosen = NeighbourSettings(quantile=0.9, share=0.5, least_pairs=1)
    found = neighbour_matches(vectors, owners[:first], first, chosen)
    cosines = sorted(
        float(vectors[a] @ vectors[b])
        for a in range(first)
        for b in range(a + 1, first)
        if not owners[a] & owners[b]
    )
    assert found.stranger_pairs == len(cosines)
    if not cosines:
        assert found.limit is None
        return
    # The least number of which at least 90 % of the cosines are not larger.
    end = cosines[max(0, int(np.ceil(0.9 * len(cosines) - 1e-9)) - 1)]
    assert found.limit == pytest.approx(1 - 0.5 * (1 - end), abs=5e-4)
    expected = {
        (a, b)
        for a in range(first)
        for b in range(a + 1, count)
        if float(vectors[a] @ vectors[b]) >= found.limit
    }
    assert {match[:2] for match in found.matches} == expected


def test_too_few_strangers_make_no_band():
    vectors = np.eye(3, dtype=np.float32)
    found = neighbour_matches(vectors, [frozenset("a"), frozenset("b"), frozenset("a")], 3)
    assert (found.matches, found.limit, found.stranger_pairs) == ([], None, 2)


@pytest.fixture(scope="module")
def real_viewer() -> list[Image.Image]:
    root = os.environ.get("EYEPRINT_TEST_DATA")
    folder = Path(root or "") / "data" / "viper_example"
    if not root or not folder.is_dir():
        pytest.skip("EYEPRINT_TEST_DATA has no viper_example")
    files = sorted(folder.glob("*liked/*.jpg"))
    assert len(files) == 10
    return [Image.open(file).convert("RGB") for file in files]


def test_p66_no_false_alarm_among_ten_pictures_of_a_real_viewer(real_viewer):
    assert near_duplicates([open_picture(image) for image in real_viewer]) == frozenset()


@pytest.mark.parametrize("liked", range(5))
def test_p66_copies_of_a_liked_picture_are_found_among_disliked_ones(real_viewer, liked: int):
    image = real_viewer[5 + liked]  # "disliked" stands before "liked"
    width, height = image.size
    copies = {
        "flip": image.transpose(TURN_NAMES[0]),
        "gray": image.convert("L"),
        "gray, turned, saved again": saved_again(image.convert("L").transpose(TURN_NAMES[2])),
        "cut": saved_again(image.crop((width // 5, height // 8, width, height - height // 12))),
        "caption bar": saved_again(with_a_bar(image)),
        "half": saved_again(image.crop((0, 0, int(width * 0.55), int(height * 0.55)))),
        "square of it": image.crop((int(width * 0.3), 0, width, height)).resize((256, 256)),
        "cut, mirrored, gray": saved_again(
            image.crop((30, 40, width - 60, height - 20)).transpose(TURN_NAMES[0]).convert("L")
        ),
    }
    for name, copy in copies.items():
        pictures = [open_picture(source) for source in (*real_viewer[:5], image, copy)]
        assert near_duplicates(pictures) == {(5, 6)}, name
