"""Image scores without weights: what is computed, what is not and why (P46-P49)."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyeprint.errors import UsageError
from eyeprint.models.kinds import Encoded
from eyeprint.models.palette import PaletteEncoder
from eyeprint.records.pictures import Picture
from eyeprint.scores.image_columns import IMAGE_COLUMNS, RELEASED_KEYS, column_named
from eyeprint.scores.image_scores import ImageScorer
from eyeprint.scores.image_settings import ImageJob, ImageSettings
from eyeprint.scores.pixel_scores import pixel_scores


def picture(seed: int, width: int = 12, height: int = 10) -> Picture:
    rng = np.random.default_rng(seed)
    return Picture.of(rng.integers(0, 256, (height, width, 3), dtype=np.uint8))


class MeanColour:
    """Reads texts too: a text's vector is as long as its words; column as CLIP's."""

    name, fingerprint, dim, column = "mean", "0" * 64, 3, "CLS"

    def __init__(self, sign: float = 1.0):
        self.sign, self.pictures, self.texts = sign, 0, 0

    def encode_pictures(self, pictures):
        self.pictures += len(pictures)
        rows = np.array([p.pixels.mean((0, 1)) - 100 for p in pictures], np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    def encode_counted(self, texts):
        self.texts += len(texts)
        rows = np.array([[len(t), 3, -2] for t in texts], np.float32) * self.sign
        unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return Encoded(unit, np.array([len(t) > 20 for t in texts]))

    def encode(self, texts):
        return self.encode_counted(texts).vectors


class Far:
    """A distance: mean absolute difference of mean colours."""

    name, column, fingerprint = "far", "FAR", "1" * 64

    def __init__(self):
        self.asked = []

    def distances(self, references, outputs, gray=False):
        self.asked += [(a.sha256, b.sha256) for a, b in zip(references, outputs, strict=True)]
        pairs = zip(references, outputs, strict=True)
        gaps = [a.pixels.mean((0, 1)) - b.pixels.mean((0, 1)) for a, b in pairs]
        return np.array([abs(gap).mean() for gap in gaps], dtype=np.float64)


def test_p46_p47_a_small_case_by_hand():
    """Vectors of the mean colour less 100: red (1,0,0), green (0,1,0), output (0.6,0.8,0)."""
    red, green, output = (
        Picture.of(np.full((4, 4, 3), rgb, np.uint8))
        for rgb in ((150, 100, 100), (100, 150, 100), (130, 140, 100))
    )
    scorer = ImageScorer([MeanColour()], settings=ImageSettings(gray=False))
    found = scorer.score("c", "abc", [red, green], green, output).values
    assert found["CLS-R"] == pytest.approx(70)  # (60 + 80) / 2
    assert found["CLS-Y"] == pytest.approx(80)
    # text (3, 3, -2) / √22: (3 · 0.6 + 3 · 0.8) / √22
    assert found["CLS-T"] == pytest.approx(100 * 4.2 / math.sqrt(22), abs=1e-4)
    assert found["PIX-MAE"] == pytest.approx((30 + 10 + 0) / 3 / 255, abs=1e-6)


def test_p47_negative_cosines_count_as_nothing_only_under_named_prefixes():
    red, cyan = (
        Picture.of(np.full((4, 4, 3), rgb, np.uint8)) for rgb in ((150, 100, 100), (50, 100, 100))
    )
    clipped = ImageScorer([MeanColour()], settings=ImageSettings(gray=False))
    free = ImageScorer([MeanColour()], settings=ImageSettings(gray=False, clipped=()))
    # One reference at -1 and one at +1: clipped before the mean, 50; else 0.
    assert clipped.score("c", "x", [red, cyan], None, red).values["CLS-R"] == pytest.approx(50)
    assert free.score("c", "x", [red, cyan], None, red).values["CLS-R"] == pytest.approx(0)
    low = {s.columns[0].low for s in (clipped, free)}
    assert low == {0.0, -100.0}


def test_p48_gray_columns_look_at_gray_pictures_on_both_sides():
    warm = Picture.of(np.full((8, 8, 3), (200, 80, 40), np.uint8))
    luma = warm.pixels[0, 0] @ np.array([0.299, 0.587, 0.114])
    same_in_gray = Picture.of(np.full((8, 8, 3), round(float(luma)), np.uint8))
    found = ImageScorer([PaletteEncoder()]).score("c", "x", [warm], warm, same_in_gray).values
    assert found["PAL-G"] == pytest.approx(100, abs=1e-3)
    assert found["PAL-YG"] == pytest.approx(100, abs=1e-3)
    assert found["PAL-R"] < 90


def test_x3_columns_carry_the_encoders_own_prefix():
    scorer = ImageScorer([PaletteEncoder()], Far())
    names = [column.name for column in scorer.columns]
    assert names == [
        *("PAL-R", "PAL-G", "PAL-Y", "PAL-YG"),
        *("FAR-R", "FAR-G", "FAR-Y", "FAR-YG"),
        *("PIX-MSE", "PIX-MAE", "PIX-PSNR"),
    ]
    assert not any(name.startswith(("CLS", "DIS")) for name in names)
    with pytest.raises(UsageError, match="columns CLS"):
        ImageScorer([MeanColour(), MeanColour()])
    with pytest.raises(UsageError, match="nothing to score"):
        ImageScorer([], settings=ImageSettings(pixels=False))


def test_p48_every_column_tells_range_direction_and_released_key():
    for name, column in IMAGE_COLUMNS.items():
        assert column.name == name and column.unit
        lower = name.startswith("LPIPS") or name in ("PIX-MSE", "PIX-MAE")
        assert column.better == ("lower" if lower else "higher")
        assert column.gray == name.endswith("G")
    assert IMAGE_COLUMNS["CLS-R"].worst == 0 and IMAGE_COLUMNS["CLS-R"].best == 100
    assert IMAGE_COLUMNS["LPIPS-R"].worst is None and IMAGE_COLUMNS["LPIPS-R"].best == 0
    assert IMAGE_COLUMNS["PIX-PSNR"].best is None
    assert set(RELEASED_KEYS) == {n for n in IMAGE_COLUMNS if not n.startswith("PAL")}
    assert len(set(RELEASED_KEYS.values())) == len(RELEASED_KEYS)
    with pytest.raises(KeyError):
        column_named("CLS")


def test_p47_a_missing_output_leaves_every_column_unscored_with_its_reason():
    scorer = ImageScorer([MeanColour()], Far())
    found = scorer.score("c", "x", [picture(1)], picture(2), "c.png is cut off")
    assert set(found.values.values()) == {None}
    assert set(found.unscored) == set(found.values)
    assert set(found.unscored.values()) == {"no output picture: c.png is cut off"}


def test_p47_a_broken_reference_spoils_reference_columns_only_and_is_named():
    scorer = ImageScorer([MeanColour()], Far())
    references = [picture(1), "zero bytes", picture(2), "missing"]
    found = scorer.score("c", "x", references, picture(3), picture(4))
    reason = "no picture of reference 2 of 4: zero bytes (and 1 more)"
    spoilt = {"CLS-R", "CLS-G", "FAR-R", "FAR-G"}
    assert found.unscored == dict.fromkeys(spoilt, reason)
    assert {name for name, value in found.values.items() if value is None} == spoilt


@pytest.mark.parametrize(
    ("target", "reason"),
    [(None, "the case has no target"), ("lost", "no target picture: lost")],
)
def test_p47_without_a_target_its_columns_are_unscored(target, reason):
    found = ImageScorer([MeanColour()]).score("c", "x", [picture(1)], target, picture(4))
    spoilt = {"CLS-Y", "CLS-YG", "PIX-MSE", "PIX-MAE", "PIX-PSNR"}
    assert found.unscored == dict.fromkeys(spoilt, reason)


def test_p46_a_blank_prompt_and_no_references_are_unscored():
    found = ImageScorer([MeanColour()]).score("c", "  ", [], picture(1), picture(4))
    assert found.unscored["CLS-T"] == found.unscored["CLS-TG"] == "the prompt is blank"
    assert found.unscored["CLS-R"] == "the case has no reference"
    assert found.values["CLS-Y"] is not None


def test_p46_prompts_are_read_once_and_cut_ones_told():
    encoder = MeanColour()
    scorer = ImageScorer([encoder])
    jobs = [ImageJob("c", "a prompt of many words", [picture(1)], None, picture(i)) for i in (5, 6)]
    assert [found.cut for found in scorer.score_block(jobs)] == [("CLS",), ("CLS",)]
    assert scorer.score("d", "short", [picture(1)], None, picture(5)).cut == ()
    assert encoder.texts == 2


def test_p47_every_distinct_picture_is_encoded_once_over_methods_and_cases():
    encoder = MeanColour()
    scorer = ImageScorer([encoder])
    pool = [picture(i) for i in range(4)]
    for method in range(3):
        jobs = [
            ImageJob(f"c{c}", "x", pool[:3], pool[3], picture(10 + 5 * method + c))
            for c in range(5)
        ]
        scorer.score_block(jobs)
    assert encoder.pictures == 2 * (4 + 15)  # colour and gray


def test_p47_prepared_pictures_are_not_encoded_again():
    encoder = MeanColour()
    scorer = ImageScorer([encoder])
    scorer.prepare([picture(1), picture(2), picture(1)])
    assert encoder.pictures == 4
    scorer.score("c", "x", [picture(1)], None, picture(2))
    assert encoder.pictures == 4


def test_p47_pairs_of_one_case_stand_side_by_side_for_the_distance():
    distance = Far()
    scorer = ImageScorer([], distance, ImageSettings(gray=False, target=False, pixels=False))
    jobs = [
        ImageJob(f"c{c}", "x", [picture(c)], None, picture(20 + 3 * m + c))
        for m in range(2)
        for c in range(3)
    ]
    found = scorer.score_block(jobs)
    references = [a for a, _ in distance.asked]
    assert references == sorted(references, key=[picture(c).sha256 for c in range(3)].index)
    for job, scores in zip(jobs, found, strict=True):
        assert scores.values["FAR-R"] == round(
            float(Far().distances(job.references, [job.output])[0]), 6
        )


def test_p47_nothing_that_is_not_finite_becomes_a_value():
    class Broken(Far):
        def distances(self, references, outputs, gray=False):
            return np.full(len(outputs), np.nan)

    found = ImageScorer([], Broken()).score("c", "x", [picture(1)], None, picture(2))
    assert found.values["FAR-R"] is None
    assert found.unscored["FAR-R"] == "not a finite number (nan)"


def test_p47_fingerprints_follow_encoders_and_settings():
    prints = {
        ImageScorer([PaletteEncoder()]).fingerprint,
        ImageScorer([PaletteEncoder()], Far()).fingerprint,
        ImageScorer([PaletteEncoder()], settings=ImageSettings(clipped=())).fingerprint,
        ImageScorer([MeanColour()]).fingerprint,
    }
    assert len(prints) == 4
    assert ImageScorer([PaletteEncoder()]).fingerprint in prints


def slow_pixels(output, target):
    total, away, n = 0.0, 0.0, 0
    for row_a, row_b in zip(output.pixels.tolist(), target.pixels.tolist(), strict=True):
        for a, b in zip(row_a, row_b, strict=True):
            for x, y in zip(a, b, strict=True):
                total += (x / 255 - y / 255) ** 2
                away += abs(x / 255 - y / 255)
                n += 1
    return total / n, away / n


@given(st.integers(0, 1000), st.integers(1, 9), st.integers(1, 9))
def test_pixel_scores_equal_the_slow_twin(seed, width, height):
    output, target = picture(seed, width, height), picture(seed + 1, width, height)
    found = pixel_scores(output, target)
    mse, mae = slow_pixels(output, target)
    assert found.mse == pytest.approx(mse, abs=1e-9)
    assert found.mae == pytest.approx(mae, abs=1e-9)
    assert found.psnr == pytest.approx(10 * math.log10(1 / mse), abs=1e-6)


def test_pixel_scores_bring_the_output_to_the_targets_size():
    target = Picture.of(np.full((6, 9, 3), 100, np.uint8))
    output = Picture.of(np.full((20, 4, 3), 151, np.uint8))
    assert pixel_scores(output, target).mae == pytest.approx(51 / 255)


def test_identical_pixels_have_no_psnr_unless_a_cap_is_named():
    one = picture(1)
    plain = ImageScorer([]).score("c", "x", [one], one, one)
    assert plain.values["PIX-MSE"] == 0
    assert plain.values["PIX-PSNR"] is None
    assert plain.unscored == {"PIX-PSNR": "identical pixels: PSNR is infinite"}
    capped = ImageScorer([], settings=ImageSettings(psnr_identical=100)).score(
        "c", "x", [one], one, one
    )
    assert capped.values["PIX-PSNR"] == 100 and not capped.unscored


@pytest.mark.parametrize("seed", range(12))
def test_p47_a_picture_is_exactly_as_like_itself_as_can_be(seed):
    scorer = ImageScorer([PaletteEncoder()])
    one = picture(seed, width=9 + seed)
    found = scorer.score("c", "x", [one, one, one], one, one).values
    assert {found[name] for name in ("PAL-R", "PAL-G", "PAL-Y", "PAL-YG")} == {100.0}
