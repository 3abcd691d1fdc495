"""Ready pictures as a painter, with the released layout ``{id}.png`` (CHECKLIST X4)."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from eyeprint.errors import UsageError
from eyeprint.models.kinds import Painted, Painter, PaintRequest
from eyeprint.models.painter_folder import FolderPainter, FolderSettings, folder_painter
from eyeprint.models.painters import load_painter


def put(path: Path, level: int = 9, **options: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (3, 2), (level, level, level)).save(path, **options)
    return path


def ask(case: str, person: str = "7", category: str = "real") -> PaintRequest:
    facts = (("id", case), ("image_id", person), ("category", category))
    return PaintRequest("a door", key=case, facts=facts)


def paint(painter: Painter, request: PaintRequest, way: str = "text") -> Painted:
    return asyncio.run(painter.paint(request, way))


def test_x4_the_released_layout_is_found_by_id(tmp_path: Path) -> None:
    put(tmp_path / "12.png", 33)
    painter = load_painter(f"folder:{tmp_path}")
    assert isinstance(painter, Painter)
    assert painter.ways == {"text", "edit", "tune", "feedback"}
    result = paint(painter, ask("12"), "edit")
    assert result.picture is not None
    assert np.all(result.picture.pixels == 33)
    assert result.picture.facts.source == str(tmp_path / "12.png")


def test_x4_other_endings_are_tried_only_without_one_in_the_pattern(tmp_path: Path) -> None:
    put(tmp_path / "1.webp", lossless=True)
    put(tmp_path / "2.jpg", 10)
    put(tmp_path / "2.png", 20)
    anything = folder_painter(f"folder:{tmp_path}")
    assert paint(anything, ask("1")).picture is not None
    both = paint(anything, ask("2")).picture
    assert both is not None
    assert both.pixels[0, 0, 0] == 20, "PNG comes first"
    strict = folder_painter(f"folder:{tmp_path}?pattern={{id}}.png")
    missing = paint(strict, ask("1"))
    assert missing.failure == "missing"
    assert str(tmp_path / "1.png") in missing.detail
    assert "webp" not in missing.detail


def test_x4_endings_in_capitals_are_found_and_fingerprinted(tmp_path: Path) -> None:
    bare = FolderPainter(tmp_path).fingerprint
    put(tmp_path / "7.JPG", format="JPEG")
    painter = FolderPainter(tmp_path)
    assert painter.fingerprint != bare
    found = painter.place(PaintRequest("x", key="7")).found
    assert found is not None
    assert found.name == "7.JPG"
    missing = asyncio.run(painter.paint(PaintRequest("x", key="8")))
    assert missing.detail.count(", ") == 3


def test_x4_patterns_may_hold_person_and_split(tmp_path: Path) -> None:
    put(tmp_path / "real" / "7" / "c1-out.png", 40)
    for pattern in ("{category}/{image_id}/{id}-out.png", "{split}/{person_id}/{id}-out"):
        found = paint(folder_painter(f"folder:{tmp_path}?pattern={pattern}"), ask("c1"))
        assert found.picture is not None, pattern


def test_x4_what_is_missing_or_damaged_is_told_with_its_path(tmp_path: Path) -> None:
    painter = FolderPainter(tmp_path)
    missing = paint(painter, ask("5"))
    assert (missing.picture, missing.failure) == (None, "missing")
    for ending in (".png", ".jpg", ".jpeg", ".webp"):
        assert str(tmp_path / f"5{ending}") in missing.detail
    (tmp_path / "6.png").write_bytes(b"")
    damaged = paint(painter, ask("6"))
    assert (damaged.picture, damaged.failure) == (None, "unreadable")
    assert "6.png" in damaged.detail


@pytest.mark.parametrize("case", ["../secret", "/etc/hostname", "a/../../secret"])
def test_x4_no_id_leads_out_of_the_folder(tmp_path: Path, case: str) -> None:
    put(tmp_path / "secret.png")
    inside = tmp_path / "inside"
    put(inside / "a" / "b.png")
    result = paint(FolderPainter(inside), ask(case))
    assert (result.picture, result.failure) == (None, "missing")
    assert paint(FolderPainter(inside), ask("a/b")).picture is not None


def test_x4_the_fingerprint_is_of_the_pictures_not_of_their_place(tmp_path: Path) -> None:
    for place in ("one", "two"):
        put(tmp_path / place / "1.png")
        put(tmp_path / place / "2.jpg")
        (tmp_path / place / "notes.txt").write_text(place)
    one, two = (FolderPainter(tmp_path / place) for place in ("one", "two"))
    assert one.fingerprint == two.fingerprint
    put(tmp_path / "two" / "1.png", 10)
    assert FolderPainter(tmp_path / "two").fingerprint != one.fingerprint
    other = FolderPainter(tmp_path / "one", FolderSettings(pattern="{id}.png"))
    assert other.fingerprint != one.fingerprint
    assert [path.name for path in one.fitting()] == ["1.png", "2.jpg"]
    assert [path.name for path in other.fitting()] == ["1.png"]


def test_x4_folders_with_odd_names_are_themselves(tmp_path: Path) -> None:
    odd = tmp_path / "what? [1] é*"
    put(odd / "x [y].png", 50)
    painter = folder_painter(f"folder:{odd}")
    assert paint(painter, ask("x [y]")).picture is not None
    bracketed = folder_painter(f"folder:{odd}?pattern=x [{{id}}].png")
    assert paint(bracketed, ask("y")).picture is not None
    assert [path.name for path in bracketed.fitting()] == ["x [y].png"]


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("folder:", "lacks the folder"),
        ("folder:/no/such/folder", "no folder"),
        ("folder:.?pattern=all.png", "lacks {id}"),
        ("folder:.?pattern={name}.png", "may hold {id}"),
        ("folder:.?pattern={id.x}.png", "may hold {id}"),
        ("folder:.?pattern={id:>9}.png", "may hold {id}"),
        ("folder:.?pattern={id", "no pattern"),
    ],
)
def test_x4_wrong_folders_and_patterns_are_told_at_once(name: str, what: str) -> None:
    with pytest.raises(UsageError) as caught:
        load_painter(name)
    assert what in str(caught.value)
