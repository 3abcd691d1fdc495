"""The toybox on disk: whole, the same each time, and its pictures disjoint and visibly apart."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from eyeprint.errors import FolderMismatch, UsageError
from eyeprint.models.pictures import open_picture
from eyeprint.people import toybox_shipped
from eyeprint.people.toybox import ToyboxSettings, build_toybox
from eyeprint.people.toybox_concepts import draw_toys
from eyeprint.people.toybox_drawing_things import Thing, props, stands
from eyeprint.people.toybox_looks import draw_look, looks_table
from eyeprint.people.toybox_scenes import draw_scene, query_scene
from eyeprint.people.toybox_shipped import load_concepts, toybox_folder
from eyeprint.people.toybox_strangers import draw_twin
from eyeprint.randomness import stream
from eyeprint.records.concept_files import open_concepts
from eyeprint.records.concepts import CATEGORIES

SMALL = ToyboxSettings(concepts=5, questions=40, side=128, seed=2)


@pytest.fixture(scope="module")
def box(tmp_path_factory) -> Path:
    return build_toybox(SMALL, tmp_path_factory.mktemp("toybox")).folder


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != ".lock"
    }


def test_m5_the_folder_opens_without_a_fault(box):
    data = open_concepts(box)
    assert not data.faults
    assert not data.notes
    assert len(data) == 40
    assert all(len(concept.images) == 5 for concept in data.concepts.values())
    assert all(concept.kind for concept in data.concepts.values())


def test_x6_the_same_seed_gives_the_same_bytes_and_another_one_others(box, tmp_path):
    again = build_toybox(SMALL, tmp_path / "again").folder
    assert contents(again) == contents(box)
    other = build_toybox(SMALL.model_copy(update={"seed": 3}), tmp_path / "other").folder
    assert not set(contents(other)) & set(contents(box)) - {
        "concepts.jsonl",
        "questions.jsonl",
        "manifest.json",
    }


def test_m9_references_and_query_pictures_are_disjoint_by_their_pixels(box):
    data = open_concepts(box)

    def hashes(keys):
        return {open_picture(data.picture_path(key)).sha256 for key in keys}

    references = hashes(key for c in data.concepts.values() for key in c.images)
    queries = hashes(question.image for question in data)
    assert len(references) == 25
    assert not references & queries
    # Each distinct picture once, under its own hash.
    assert {f"{sha}.png" for sha in references | queries} == {
        path.name for path in (box / "pictures").iterdir()
    }


def test_m6_settings_and_counts_are_in_the_manifest(box):
    manifest = json.loads((box / "manifest.json").read_text())
    assert manifest["settings"] == SMALL.model_dump(mode="json")
    assert manifest["counts"]["questions"] == 40
    assert sum(n for name, n in manifest["counts"].items() if "·" in name) == 40


def test_x6_a_whole_folder_is_used_and_a_cut_one_finished(box, tmp_path):
    assert build_toybox(SMALL, box).reused
    folder = tmp_path / "cut"

    class CutError(Exception):
        pass

    def cut(done: int, total: int) -> None:
        if done == 20:
            raise CutError

    with pytest.raises(CutError):
        build_toybox(SMALL, folder, cut)
    before = {path.name: path.stat().st_mtime_ns for path in (folder / "pictures").iterdir()}
    assert len(before) == 20
    with (folder / ".drawn.jsonl").open("ab") as book:
        book.write(b'["half a li')
    assert not build_toybox(SMALL, folder).reused
    assert contents(folder) == contents(box)
    now = {path.name: path.stat().st_mtime_ns for path in (folder / "pictures").iterdir()}
    assert before.items() <= now.items()


def test_x6_pictures_that_were_deleted_are_drawn_again_when_the_set_is_cut(box, tmp_path):
    folder = tmp_path / "copy"
    shutil.copytree(box, folder)
    (folder / "questions.jsonl").unlink()
    next((folder / "pictures").iterdir()).unlink()
    build_toybox(SMALL, folder)
    assert contents(folder) == contents(box)


def test_x6_other_settings_or_files_in_the_folder_are_refused(box, tmp_path):
    with pytest.raises(FolderMismatch, match="other settings"):
        build_toybox(SMALL.model_copy(update={"seed": 9}), box)
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(FolderMismatch, match=r"mine\.txt"):
        build_toybox(SMALL, tmp_path)
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "manifest.json").write_text("{")
    with pytest.raises(FolderMismatch, match="cannot be read"):
        build_toybox(SMALL, tmp_path / "bad")


def test_m5_more_concepts_than_can_be_told_apart_are_refused():
    with pytest.raises(UsageError, match="cannot be told apart"):
        draw_toys(ToyboxSettings(concepts=2000, human_share=0, least_apart=6))


def test_m5_the_toybox_loads_by_name_from_the_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("EYEPRINT_CACHE", str(tmp_path))
    data = load_concepts("toybox", concepts=4, questions=15, settings=SMALL)
    chosen = SMALL.model_copy(update={"concepts": 4, "questions": 15})
    assert data.root == toybox_folder(chosen)
    assert data.root.parent == tmp_path
    assert load_concepts("toybox", settings=chosen).fingerprint() == data.fingerprint()
    assert load_concepts(data.root).fingerprint() == data.fingerprint()
    with pytest.raises(UsageError, match="concepts"):
        load_concepts("toybox", concepts=1)


def test_m5_what_was_asked_for_is_never_taken_from_a_folder_that_is_called_toybox(
    box, tmp_path, monkeypatch
):
    monkeypatch.setenv("EYEPRINT_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    shutil.copytree(box, "toybox")
    here = load_concepts("toybox")
    assert here.root == Path("toybox")
    assert len(here) == 40
    assert len(load_concepts("toybox", concepts=4, questions=15)) == 15
    small = SMALL.model_copy(update={"concepts": 4, "questions": 15})
    drawn = load_concepts("toybox", settings=small)
    assert drawn.root == toybox_folder(small)
    assert len(drawn) == 15


def test_m5_a_seed_alone_draws_too_where_a_folder_is_called_toybox(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    asked = []
    monkeypatch.setattr(toybox_shipped, "build_toybox", lambda *given: asked.append(given))
    monkeypatch.setattr(toybox_shipped, "open_concepts", str)
    (tmp_path / "toybox").mkdir()
    (tmp_path / "toybox" / "concepts.jsonl").touch()
    assert load_concepts("toybox") == "toybox"
    assert load_concepts("toybox", seed=7) == str(toybox_folder(ToyboxSettings(seed=7)))
    assert [settings.seed for settings, *_ in asked] == [7]


def test_x17_a_picture_that_somebody_deleted_from_a_whole_toybox_is_drawn_again(box, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(box, copy)
    next((copy / "pictures").iterdir()).unlink()
    told = []
    assert not build_toybox(SMALL, copy, lambda done, total: told.append((done, total))).reused
    assert contents(copy) == contents(box)
    assert told[-1][0] == told[-1][1] == len(told)


def test_m26_five_concepts_are_those_of_the_mini_set():
    kinds = [toy.concept.category for toy in draw_toys(ToyboxSettings(concepts=5))]
    assert sorted(kinds) == ["animal", "character", "human", "human", "object"]


@pytest.mark.parametrize("index", range(12))
def test_m17_twins_and_originals_differ_where_the_figure_is(index):
    """A stand-in of the same kind changes the picture by more than a few pixels."""
    settings = ToyboxSettings(concepts=12, seed=4)
    toy = draw_toys(settings)[index]
    other = draw_twin(toy.look, settings, stream(4, "twin", index))
    rest = [(None, "key", "rug"), (None, "gift", "bale")]
    pictures = [
        draw_scene(query_scene((look, "kite", "crate"), rest, "same", stream(1, "s", 1)), 128, 0)
        for look in (toy.look, other)
    ]
    changed = np.abs(pictures[0].pixels.astype(int) - pictures[1].pixels).max(axis=2) > 24
    assert changed.mean() > 0.002


def test_m5_pictures_are_small_files(box):
    sizes = [path.stat().st_size for path in (box / "pictures").iterdir()]
    # 128 x 128: a quarter of the pixels of the default side.
    assert sum(sizes) / len(sizes) < 8_000


def test_m18_every_prop_and_stand_of_everybody_can_be_seen(monkeypatch):
    """What is asked about changes the picture: it lies behind nobody, whoever holds it."""
    nothing = Thing("nothing", "nothing", ())
    monkeypatch.setitem(props(), "nothing", nothing)
    monkeypatch.setitem(stands(), "nothing", nothing)
    pairs = list(zip(list(props())[:-1], list(stands())[:-1] * 2, strict=False))
    hidden = []
    number = 0
    for category in CATEGORIES:
        for kind in looks_table()["category"][category]["kinds"]:
            look = draw_look(category, kind, stream(3, "seen", kind))
            rest = [(look, "key", "rug"), (look, "gift", "bale")]
            number += 1
            for prop, stand in pairs[number % 4 :: 4]:
                # With both, and without either: what one adds is what can be seen of it.
                both, no_prop, no_stand = (
                    draw_scene(
                        query_scene((look, held, on), rest, "same", stream(1, "s", prop)), 128, 0
                    ).pixels.astype(int)
                    for held, on in ((prop, stand), ("nothing", stand), (prop, "nothing"))
                )
                added = [
                    (np.abs(both - other).max(axis=2) > 24).sum() for other in (no_prop, no_stand)
                ]
                if min(added) < 25:
                    hidden.append((kind, prop, stand, added))
    assert not hidden


def test_m5_every_kind_in_every_dress_can_be_drawn():
    for category in CATEGORIES:
        for kind in looks_table()["category"][category]["kinds"]:
            for number in range(12):
                look = draw_look(category, kind, stream(number, "dress", kind))
                scene = query_scene((look, "ball", "ice"), [], "one", stream(1, "s", 1))
                assert draw_scene(scene, 128, 0).pixels.std() > 10
