"""Scoring a run: each picture opened once, nothing held whole, a stop that is told (X3, X17)."""

import json
import signal

import numpy as np
import pytest

from eyeprint.errors import CallFailed
from eyeprint.models.pictures import gray
from eyeprint.protocols import pipbench_scoring
from eyeprint.protocols.display import Quiet
from eyeprint.protocols.pipbench import execute
from eyeprint.protocols.pipbench_album import Album
from eyeprint.protocols.pipbench_kept import KeptPaintings, KeptPlans
from eyeprint.protocols.pipbench_paint import paint_items, plan_items
from eyeprint.protocols.pipbench_plan import plan_pipbench
from eyeprint.protocols.pipbench_scoring import CaseScorer, Gallery, encode_all
from eyeprint.protocols.pipbench_settings import PaintOptions
from eyeprint.protocols.pipbench_summary import KeptRows, image_rows
from eyeprint.scores.image_settings import ImageSettings
from eyeprint.store.picture_files import PictureFiles
from eyeprint.store.picture_vectors import PictureVectors
from eyeprint.store.run_folder import RunFolder
from tests.protocols.made_root import make_root

SMALL = PaintOptions(width=48, height=48)
METHODS = "no_preference,edit_1ref"


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    return make_root(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="module")
def finished(root, tmp_path_factory):
    out = tmp_path_factory.mktemp("run") / "run"
    execute(plan_pipbench(root, methods=METHODS, paint=SMALL), out)
    return out


class MeanEncoder:
    """Mean colour and its spread as a unit vector; remembers what it was given."""

    name, dim = "mean", 6

    def __init__(self, column):
        self.column = column
        self.fingerprint = column * 32
        self.batches = []

    def encode_pictures(self, pictures):
        self.batches.append([picture.sha256 for picture in pictures])
        rows = [[*p.pixels.mean((0, 1)), *p.pixels.std((0, 1)) + 1] for p in pictures]
        made = np.array(rows, np.float32)
        return made / np.linalg.norm(made, axis=1, keepdims=True)


@pytest.mark.parametrize("tones", [1, 2])
def test_x3_every_file_is_opened_once_for_all_encoders(
    root, finished, tmp_path, monkeypatch, tones
):
    plan = plan_pipbench(root, methods=METHODS, paint=SMALL)
    monkeypatch.setattr(pipbench_scoring, "AT_ONCE", 5)
    encoders = [MeanEncoder("A1"), MeanEncoder("B2")]
    vectors = {each.column: PictureVectors(tmp_path, each) for each in encoders}
    opened = []
    album, files = Album(plan.cases), PictureFiles(finished / "pictures")
    whole, real_get, real_open = Album(plan.cases), files.get, album.open
    monkeypatch.setattr(files, "get", lambda sha: opened.append(sha) or real_get(sha))
    monkeypatch.setattr(album, "open", lambda path: opened.append(path) or real_open(path))
    with RunFolder.open(finished, plan.run, kind="pipbench") as run:
        paintings = list(KeptPaintings(plan, run.table("paintings")))
    settings = ImageSettings(gray=tones == 2)
    encode_all(plan, Gallery(album, files), paintings, vectors, settings, Quiet())

    made = {painting.picture for painting in paintings}
    assert sorted(opened) == sorted([*plan.cases.picture_paths, *made])
    pictures = [whole.open(path) for path in plan.cases.picture_paths]
    pictures += [real_get(sha) for sha in made]
    for encoder in encoders:
        given = [sha for batch in encoder.batches for sha in batch]
        assert max(map(len, encoder.batches)) <= 5
        assert len(given) == len(set(given)) == tones * len(pictures)
        # Rows wait for a whole shard; each kind has one, not one for each batch.
        assert len(list(tmp_path.glob(f"{encoder.fingerprint[:12]}/*.npy"))) == tones
        fresh = MeanEncoder(encoder.column)
        again = PictureVectors(tmp_path, fresh)
        for tone in (False, True)[:tones]:
            rows = again.rows(pictures, gray=tone)
            slow = [gray(picture) if tone else picture for picture in pictures]
            assert np.array_equal(rows, MeanEncoder("A1").encode_pictures(slow))
        assert fresh.batches == []


def test_x3_without_an_encoder_nothing_is_opened(root, finished):
    plan = plan_pipbench(root, methods=METHODS, paint=SMALL)
    encode_all(plan, Gallery(None, None), [], {}, ImageSettings(), Quiet())


def results(folder):
    return {
        name: (folder / name).read_bytes()
        for name in ("results.jsonl", "summary.json", "gallery.jsonl", "report.html")
    }


def test_x17_a_stop_while_scoring_ends_as_any_other_and_the_run_goes_on(
    root, finished, tmp_path, monkeypatch
):
    real, scored = CaseScorer.rows, []

    def rows(self, item):
        scored.append(item.case.id)
        if len(scored) == 3:
            signal.raise_signal(signal.SIGINT)
        return real(self, item)

    monkeypatch.setattr(CaseScorer, "rows", rows)
    plan = plan_pipbench(root, methods=METHODS, paint=SMALL)
    end = execute(plan, tmp_path / "run")
    assert (end.stopped, end.exit_code) == ("interrupted", 130)
    assert "Run the same command again" in end.reason
    assert not (tmp_path / "run" / "results.jsonl").exists()
    stopped_at = len(scored)
    assert 3 <= stopped_at < 8
    end = execute(plan, tmp_path / "run")
    assert end.exit_code == 0
    assert scored == [case.id for case in plan.cases], "each once"
    assert results(tmp_path / "run") == results(finished)


def test_p1_plans_and_paintings_are_read_from_the_disk_as_they_were_written(tmp_path):
    """One person's reference is broken: their plans failed, and so did their paintings."""
    root = make_root(tmp_path / "data")
    (root / "images/1/0.png").write_bytes(b"")
    plan = plan_pipbench(root, methods=METHODS, paint=SMALL)
    execute(plan, tmp_path / "run")
    with RunFolder.open(tmp_path / "run", plan.run, kind="pipbench") as run:
        plans = KeptPlans(plan, run.table("plans"))
        paintings = KeptPaintings(plan, run.table("paintings"))
        texts = (tmp_path / "run" / "plans.jsonl").read_text().splitlines()
        written = {(row["case_id"], row["method"]): row for row in map(json.loads, texts)}
        for item in plan_items(plan.run, plan.cases):
            key = (item.case.id, item.method, item.writer)
            if item.case.person_id == "1":
                with pytest.raises(CallFailed, match=r"images/1/0\.png") as failure:
                    plans(key)
                assert failure.value.kind == "data"
            else:
                assert plans(key).model_dump(mode="json") == written[key[:2]]
        with pytest.raises(CallFailed, match="the plan is missing"):
            plans(("nobody", "no_preference", ""))
        first, second = list(paintings), list(paintings)
    assert first == second
    items = list(paint_items(plan.run, plan.cases))
    assert [(p.case_id, p.method) for p in first] == [(i.case.id, i.model.method) for i in items]
    assert {p.person_id for p in first if p.picture is None} == {"1"}


def test_x17_rows_that_tables_are_made_of_share_their_names(finished):
    """A line's parser makes new strings for it: 20 columns of 10,000 rows would weigh 40 MB."""
    kept = KeptRows(finished / "results.jsonl")
    first, second = image_rows(kept)[:2]
    assert first.values == next(iter(kept))["scores"]
    assert all(a is b for a, b in zip(first.values, second.values, strict=True))
    assert first.case_id is second.case_id
    assert list(kept) == list(kept), "read anew at each walk"
