"""Bands of real pictures, and outputs that copy a reference (section 5 of the design, P44)."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from eyeprint.errors import UsageError
from eyeprint.models.palette import PaletteEncoder
from eyeprint.records.pictures import Picture
from eyeprint.scores.copy_alarm import CopyAlarm, CopySettings
from eyeprint.scores.copy_bands import (
    BandSettings,
    DistanceNearness,
    EncoderNearness,
    copy_bands,
)
from eyeprint.scores.image_settings import ImageJob
from eyeprint.scores.near_pictures import glance_at, near_copy
from eyeprint.store.picture_vectors import PictureVectors


def scene(seed: int, tint=(0, 0, 0), side: int = 96) -> Picture:
    """Soft random patches, moved towards a tint."""
    rng = np.random.default_rng(seed)
    coarse = rng.integers(0, 256, (5, 5, 3)) * 0.5 + np.array(tint) * 0.5
    soft = Image.fromarray(coarse.astype(np.uint8)).resize((side, side), Image.Resampling.BICUBIC)
    return Picture.of(np.array(soft))


class MeanGap:
    """A distance on mean colours; keeps what it was asked."""

    name, column, fingerprint = "gap", "GAP", "2" * 64

    def distances(self, references, outputs, gray=False):
        pairs = zip(references, outputs, strict=True)
        return np.array(
            [float(np.abs(a.pixels.mean((0, 1)) - b.pixels.mean((0, 1))).mean()) for a, b in pairs]
        )


TINTS = [(230, 40, 30), (30, 60, 220), (40, 200, 70), (240, 220, 60)]


@pytest.fixture(scope="module")
def people():
    return {f"p{p}": [scene(10 * p + i, tint) for i in range(6)] for p, tint in enumerate(TINTS)}


def palette():
    encoder = PaletteEncoder()
    return EncoderNearness(encoder, PictureVectors(None, encoder))


@pytest.mark.parametrize("make", [palette, lambda: DistanceNearness(MeanGap())])
def test_bands_equal_the_slow_twin_for_encoders_and_distances(people, make):
    nearness = make()
    bands = copy_bands(nearness, people, BandSettings(few=1))
    inside = [pair for own in people.values() for pair in itertools.combinations(own, 2)]
    between = [
        pair
        for a, b in itertools.combinations(sorted(people), 2)
        for pair in itertools.product(people[a], people[b])
    ]
    near, far = nearness.values(inside), nearness.values(between)
    assert (bands.real.pairs, bands.strangers.pairs) == (4 * 15, 6 * 36)
    assert (bands.real.persons, bands.strangers.persons) == (4, 4)
    assert bands.real.median == pytest.approx(float(np.median(near)))
    assert bands.strangers.high == pytest.approx(float(np.quantile(far, 0.95)))
    higher = nearness.nearer == "higher"
    for references in (1, 3):
        share = 0.99 ** (1 / references)
        expected = float(np.quantile(near, share if higher else 1 - share))
        assert bands.threshold(references) == pytest.approx(expected)
    assert bands.threshold(0) is None
    assert bands.threshold(99) == bands.thresholds[-1]
    wins = [0.5 if x == y else float((x > y) == higher) for x, y in itertools.product(near, far)]
    assert bands.separation == pytest.approx(sum(wins) / len(wins))
    assert bands.separation > 0.9
    assert bands.real.few is None


def test_bands_of_many_pairs_are_samples_that_a_seed_decides(people):
    settings = BandSettings(pairs=20)
    first, second = (copy_bands(palette(), people, settings) for _ in range(2))
    assert first == second
    assert (first.real.pairs, first.strangers.pairs) == (20, 20)
    other = copy_bands(palette(), people, BandSettings(pairs=20, seed=1))
    assert other.real.median != first.real.median
    shuffled = {name: people[name] for name in reversed(people)}
    assert copy_bands(palette(), shuffled, settings) == first


def test_bands_count_repeated_and_shared_pictures_once():
    one, two, shared = scene(1), scene(2), scene(3)
    bands = copy_bands(palette(), {"a": [one, one, shared], "b": [two, shared]})
    # a: one-shared; b: two-shared; strangers: one-two, one-shared, shared-two, not shared-shared.
    assert (bands.real.pairs, bands.strangers.pairs) == (2, 3)
    assert bands.real.few == "rests on 2 pairs, and 200 are asked for"


def test_bands_without_pairs_have_no_threshold_and_flag_nothing():
    bands = copy_bands(palette(), {"a": [scene(1)]})
    assert (bands.threshold(1), bands.separation, bands.real.median) == (None, None, None)
    alarm = CopyAlarm([(palette(), bands)])
    found = alarm.check([ImageJob("c", "x", [scene(1)], None, scene(2))])[0]
    assert not found.flagged and found.figures[0].threshold is None
    assert found.words() == "No sign of a copy."


def slightly_changed(picture: Picture) -> Picture:
    """Saved as JPEG, half the size, a little brighter."""
    image = Image.fromarray(picture.pixels).resize((picture.width // 2, picture.height // 2))
    return Picture.of((np.asarray(image) * 0.9 + 20).astype(np.uint8))


def test_an_output_that_copies_a_reference_is_flagged_with_the_pair(people):
    nearness = palette()
    alarm = CopyAlarm([(nearness, copy_bands(nearness, people))])
    references = people["p0"][:3]
    jobs = [
        ImageJob("same", "x", references, None, references[2], label="m"),
        ImageJob("changed", "x", references, None, slightly_changed(references[1])),
        ImageJob("new", "x", references, None, scene(97, TINTS[0])),
        ImageJob("stranger", "x", references, None, scene(98, TINTS[1])),
    ]
    same, changed, new, stranger = alarm.check(jobs)
    assert (same.flagged, same.reference, same.label) == (True, 2, "m")
    assert same.by == ("same pixels", "PAL")
    assert (changed.flagged, changed.reference, changed.by[0]) == (True, 1, "looks alike")
    assert not new.flagged and not stranger.flagged
    assert new.figures[0].value > stranger.figures[0].value
    assert same.words().startswith("Seems to copy reference 3: same pixels; PAL 100, real pictures")


def test_an_output_beyond_the_band_is_flagged_by_the_metric_alone(people):
    nearness = DistanceNearness(MeanGap())
    bands = copy_bands(nearness, people)
    reference = people["p0"][0]
    rolled = Picture.of(np.roll(reference.pixels, (48, 32), axis=(0, 1)))  # same mean colour
    alarm = CopyAlarm([(nearness, bands)])
    found = alarm.check([ImageJob("c", "x", [people["p0"][1], reference], None, rolled)])[0]
    assert (found.flagged, found.reference, found.by) == (True, 1, ("GAP",))
    assert found.figures[0].value == 0 and found.figures[0].beyond


def test_flags_that_rest_on_few_pairs_say_so(people):
    nearness = DistanceNearness(MeanGap())
    bands = copy_bands(nearness, people, BandSettings(few=1000))
    reference = people["p0"][0]
    rolled = Picture.of(np.roll(reference.pixels, 48, axis=0))
    found = CopyAlarm([(nearness, bands)]).check([ImageJob("c", "x", [reference], None, rolled)])[0]
    assert found.figures[0].few
    assert "which rests on few pairs" in found.words()


def test_broken_pictures_are_passed_over_and_told():
    found = CopyAlarm().check(
        [
            ImageJob("c", "x", ["cut off", scene(1)], None, scene(1)),
            ImageJob("d", "x", [scene(1)], None, "missing"),
            ImageJob("e", "x", ["cut off"], None, scene(1)),
        ]
    )
    assert (found[0].flagged, found[0].reference) == (True, 1)
    assert found[1].unchecked == "no output picture: missing"
    assert found[2].unchecked == "no reference picture"
    assert found[2].words() == "Not checked for copies: no reference picture."


def test_real_pictures_are_flagged_as_rarely_as_the_quantile_says():
    """New real pictures beside 5 references: 5 % at a quantile of 0.95, not 5 times that."""
    nearness = DistanceNearness(MeanGap())
    rng = np.random.default_rng(5)

    def real():
        return Picture.of(rng.integers(0, 256, (1, 1, 3), dtype=np.uint8))

    people = {f"p{p}": [real() for _ in range(6)] for p in range(100)}
    jobs = [ImageJob(f"c{c}", "x", [real() for _ in range(5)], None, real()) for c in range(1000)]
    shares = []
    for per_output in (True, False):
        settings = BandSettings(quantile=0.95, per_output=per_output)
        alarm = CopyAlarm([(nearness, copy_bands(nearness, people, settings))])
        shares.append(sum(found.flagged for found in alarm.check(jobs)) / len(jobs))
    assert shares[0] == pytest.approx(0.05, abs=0.025)
    assert shares[1] > 0.15


def test_bands_of_another_metric_are_refused(people):
    bands = copy_bands(DistanceNearness(MeanGap()), people)
    with pytest.raises(UsageError, match="Bands of GAP cannot judge values of PAL"):
        CopyAlarm([(palette(), bands)])


@given(st.integers(0, 300), st.integers(301, 600))
def test_different_scenes_do_not_look_alike_and_small_changes_do(seed, other):
    first, second = scene(seed), scene(other)
    assert near_copy(glance_at(first), glance_at(second)) is None
    assert near_copy(glance_at(slightly_changed(first)), glance_at(first)) == "looks alike"
    mirrored = Picture.of(first.pixels[:, ::-1].copy())
    assert near_copy(glance_at(mirrored), glance_at(first)) == "looks alike mirrored"


def test_flat_pictures_look_like_nothing():
    dark, light = (Picture.of(np.full((30, 30, 3), v, np.uint8)) for v in (10, 240))
    assert near_copy(glance_at(dark), glance_at(light)) is None


def test_how_alike_is_a_setting():
    one = scene(5)
    changed = slightly_changed(one)
    strict = CopyAlarm(settings=CopySettings(correlation=1.0))
    assert not strict.check([ImageJob("c", "x", [one], None, changed)])[0].flagged
    assert CopyAlarm().check([ImageJob("c", "x", [one], None, changed)])[0].flagged
