"""Readings and palette vectors of a real viewer's liked and disliked pictures.

They are ten images that one viewer of the ViPer example liked (bright, rosy, golden) or
disliked (dark, violet and navy), and two of other things in the same two looks.
"""

import os
from pathlib import Path

import numpy as np
import pytest

from eyeprint.models.aesthetics import HeuristicAesthetics
from eyeprint.models.palette import PaletteEncoder
from eyeprint.models.picture_reading import read_picture
from eyeprint.records.pictures import Picture

FOLDER = Path(os.environ.get("EYEPRINT_TEST_DATA", "")) / "viper_example"
pytestmark = pytest.mark.skipif(
    "EYEPRINT_TEST_DATA" not in os.environ or not FOLDER.is_dir(),
    reason="EYEPRINT_TEST_DATA names no folder with viper_example",
)


def pictures(kind: str) -> list[Picture]:
    from PIL import Image

    return [
        Picture.of(np.array(Image.open(path).convert("RGB")))
        for path in sorted((FOLDER / kind).glob("*.jpg"))
    ]


def test_x3_readings_tell_the_two_looks_apart():
    liked = [read_picture(p) for p in pictures("liked")]
    disliked = [read_picture(p) for p in pictures("disliked")]
    assert min(r.brightness for r in liked) > max(r.brightness for r in disliked)
    assert min(r.warmth for r in liked) > max(r.warmth for r in disliked)
    assert {r.light_level for r in disliked} <= {"dark", "dim", "medium"}
    assert sum(r.light_tint in ("golden", "rosy") for r in liked) >= 4
    navy = [sum(c.share for c in r.colours if c.name in ("navy", "indigo")) for r in disliked]
    assert sum(share > 0.2 for share in navy) >= 4
    assert all(r.colours[0].share < 0.8 for r in [*liked, *disliked])


def test_x3_the_field_under_a_sunset_has_a_horizon_in_its_middle():
    assert read_picture(pictures("liked")[2]).horizon == pytest.approx(0.52, abs=0.04)


def test_palette_similarity_is_higher_within_likes_than_across(record_property):
    encoder = PaletteEncoder()
    liked, disliked, asked = (
        encoder.encode_pictures(pictures(kind)) for kind in ("liked", "disliked", "query")
    )
    among = (liked @ liked.T)[np.triu_indices(5, 1)]
    across = liked @ disliked.T
    record_property("palette_liked_liked", round(float(among.mean()), 3))
    record_property("palette_liked_disliked", round(float(across.mean()), 3))
    assert among.mean() > across.mean() + 0.1
    assert across.max() < 0.7
    # The two query pictures are one of each look.
    likes = (asked @ liked.T).mean(axis=1) - (asked @ disliked.T).mean(axis=1)
    assert likes[0] < -0.3 and likes[1] > 0.05


def test_p42_finished_pictures_score_in_the_upper_half():
    scores = HeuristicAesthetics().scores([*pictures("liked"), *pictures("disliked")])
    assert ((scores > 5) & (scores < 10)).all()
