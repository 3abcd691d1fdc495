"""Image scores of small random models against a plain twin (P46-P48)."""

import pytest

from eyeprint.models.image_encoders import load_image_encoder
from eyeprint.models.lpips import LpipsDistance, LpipsSettings, load_image_distance
from eyeprint.scores.image_columns import RELEASED_KEYS
from eyeprint.scores.image_scores import ImageScorer
from eyeprint.scores.image_settings import ImageJob
from tests.models.tiny_vision import save_clip, save_dino, save_lpips, some_pictures

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
slow = pytest.importorskip("tests.scores.slow_image_scores")

pytestmark = pytest.mark.torch


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    save_clip(folder / "clip")
    save_dino(folder / "dino")
    save_lpips(folder / "lpips")
    return folder


@pytest.fixture(scope="module")
def scorer(models):
    encoders = [load_image_encoder(f"{kind}:{models / kind}") for kind in ("clip", "dino")]
    return ImageScorer(encoders, load_image_distance(f"lpips:{models / 'lpips'}"))


def jobs():
    """Cases of one person: references shared, sizes different, three methods."""
    pool, made = some_pictures(5), some_pictures(9, seed=1)
    prompts = ["a red door", "blue sea &amp; fog in a red fog", "A DOOR  in\nfog"]
    return [
        ImageJob(f"case-{c}", prompts[c], pool[c : c + 3], pool[(c + 3) % 5], made[3 * c + m])
        for c in range(3)
        for m in range(3)
    ]


def test_p46_p47_p48_every_column_equals_the_slow_twin(scorer, models):
    clip, dino = slow.SlowClip(models / "clip"), slow.SlowDino(models / "dino")
    lpips = slow.SlowLpips(models / "lpips")
    found = scorer.score_block(jobs())
    assert set(RELEASED_KEYS) == {column.name for column in scorer.columns}
    compared = set()
    for job, scores in zip(jobs(), found, strict=True):
        text = job.prompt.replace("&amp;", "&")
        twin = slow.slow_scores(clip, dino, lpips, text, job.references, job.target, job.output)
        assert not scores.unscored
        for column, key in RELEASED_KEYS.items():
            assert scores.values[column] == pytest.approx(twin[key], abs=1e-4), column
            compared.add(twin[key])
    assert len(compared) > 100  # the models tell pictures apart, so equality says something


def test_p46_negative_cosines_of_clip_count_as_nothing_before_the_mean(scorer):
    found = scorer.score_block(jobs())
    assert any(scores.values["CLS-T"] == 0 for scores in found)
    assert any(scores.values["CLS-T"] > 0 for scores in found)


def test_p46_a_cut_prompt_is_counted_and_keeps_its_end(scorer, models):
    pictures = some_pictures(2)
    long = scorer.score("c", "blue sea in fog", pictures[:1], None, pictures[1])
    short = scorer.score("c", "a red", pictures[:1], None, pictures[1])
    assert (long.cut, short.cut) == (("CLS",), ())
    clip = slow.SlowClip(models / "clip")
    with torch.no_grad():
        image = slow.image_of(pictures[1])
        twin = clip.cosine(clip.text("blue sea in fog"), clip.image(image))
    assert long.values["CLS-T"] == pytest.approx(twin, abs=1e-4)


def test_p47_one_by_one_and_in_blocks_give_the_same(scorer, models):
    fresh = ImageScorer([load_image_encoder(f"clip:{models / 'clip'}", batch=1)])
    block = scorer.score_block(jobs())
    for job, scores in zip(jobs(), block, strict=True):
        alone = fresh.score(job.case_id, job.prompt, job.references, job.target, job.output)
        for column, value in alone.values.items():
            assert value == pytest.approx(scores.values[column], abs=1e-4)


def test_p47_references_of_a_case_go_through_the_trunk_once(models):
    """Six features are remembered: three references, the target, and an output at a time."""
    distance = LpipsDistance(LpipsSettings(trunk=str(models / "lpips"), remember=6))
    *references, target = some_pictures(4, sizes=((40, 40),))
    outputs = some_pictures(9, seed=5, sizes=((40, 40),))
    block = [ImageJob("c", "x", references, target, output) for output in outputs]
    ImageScorer([], distance).score_block(block)
    assert distance.computed == 2 * (4 + 9)  # colour and gray


def test_p47_forgetting_features_changes_no_distance(models):
    pictures = some_pictures(8)
    place = str(models / "lpips")
    wide = LpipsDistance(LpipsSettings(trunk=place))
    narrow = LpipsDistance(LpipsSettings(trunk=place, remember=2, batch=1))
    left, right = pictures[:4] * 2, pictures[4:] + pictures[3::-1]
    found = narrow.distances(left, right)
    assert found == pytest.approx(wide.distances(left, right), abs=1e-6)
    assert narrow.computed > wide.computed
    assert len(narrow._kept) <= 2


def test_p47_the_route_through_the_reference_is_a_setting(models):
    big, small = some_pictures(2, sizes=((90, 70), (20, 30)))
    place = str(models / "lpips")
    released = LpipsDistance(LpipsSettings(trunk=place))
    direct = LpipsDistance(LpipsSettings(trunk=place, through_reference=False))
    assert released.distances([small], [big])[0] != pytest.approx(
        direct.distances([small], [big])[0], abs=1e-3
    )
    assert direct.distances([small], [big]) == pytest.approx(direct.distances([big], [small]))
    assert released.fingerprint != direct.fingerprint


def test_p47_features_are_what_distances_are_made_of(models):
    distance = load_image_distance(f"lpips:{models / 'lpips'}")
    a, b = some_pictures(2, sizes=((50, 50),))
    left, right, again = distance.features([a, b, a])
    squares = sum(float(((x - y) ** 2).sum()) for x, y in zip(left, right, strict=True))
    assert distance.distances([a], [b])[0] == pytest.approx(squares, rel=1e-5)
    assert again[0] is left[0]
