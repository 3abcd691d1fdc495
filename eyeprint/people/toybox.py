"""The toybox: a synthetic set for MMPB of any size, drawn here, with labels that are known.

People-like avatars, animals, belongings and characters in simple scenes; references, four
descriptions, preferences, and questions of all 15 tasks (CHECKLIST M5–M8, M11, M16–M18, M33).
Nothing in it is anybody's picture or is known to any model.

Preferences: Awareness shows a thing that is liked (or disliked) and asks whether there is one;
Appropriateness asks the same of a picture with nothing of the kind, every second time with
something of the opposite taste; Coherency asks which of three shown things would be picked.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib import resources
from pathlib import Path
from typing import IO, Any

from eyeprint.errors import FolderMismatch
from eyeprint.people.toybox_concepts import Toy, draw_toys
from eyeprint.people.toybox_questions import ask_all
from eyeprint.people.toybox_scenes import Scene, draw_scene
from eyeprint.people.toybox_settings import ToyboxSettings
from eyeprint.randomness import stable_digest
from eyeprint.records.concept_native import CONCEPTS, PICTURES, QUESTIONS, write_concepts
from eyeprint.records.concept_questions import ConceptQuestion
from eyeprint.records.concepts import Concept
from eyeprint.records.json_lines import read_json_lines
from eyeprint.records.json_text import json_line, parse_json
from eyeprint.records.whole_files import make_folder, telling_what_failed, write_whole
from eyeprint.store.folder_lock import FolderLock, refuse_strangers
from eyeprint.store.picture_files import PictureFiles

__all__ = ["ToyboxResult", "ToyboxSettings", "build_toybox", "toybox_fingerprint"]

MANIFEST = "manifest.json"
_JOURNAL = ".drawn.jsonl"
"""Scenes that are drawn, and their pictures' hashes; gone when the set is whole."""


@dataclass(frozen=True)
class ToyboxResult:
    """What was built."""

    folder: Path
    counts: dict[str, int]
    """concepts, questions, pictures, and the questions of each task."""
    reused: bool
    """Whether all of it was there already."""


@cache
def _made_by() -> str:
    """SHA-256 over the tables and the code that draw: other ones never share a folder."""
    here = resources.files("eyeprint.people")
    found = [*here.iterdir(), *(here / "data").iterdir()]
    digests = {
        entry.name: sha256(entry.read_bytes()).hexdigest()
        for entry in found
        if entry.name.startswith("toybox") and entry.is_file()
    }
    return sha256(json.dumps(digests, sort_keys=True).encode()).hexdigest()


def toybox_fingerprint(settings: ToyboxSettings) -> str:
    """Return the SHA-256 (64 hex digits) of what is built from these settings by this release."""
    return stable_digest(settings.fingerprint(), _made_by()).hex()


def build_toybox(
    settings: ToyboxSettings | None = None,
    out: str | Path = "toybox",
    on_done: Callable[[int, int], None] | None = None,
) -> ToyboxResult:
    """Write a toybox in eyeprint's own layout: concepts, questions and pictures.

    A folder that was left half-way is finished, and one that is whole is used as it is. Equal
    settings give equal bytes.

    Args:
        settings: size, seed and shares.
        out: the data root.
        on_done: told after each scene: how many are drawn, and how many there are.

    Raises:
        FolderMismatch: the folder holds something else.
        FolderBusy: another process builds there.
        CannotWrite: disk full or no permission.

    >>> import tempfile
    >>> small = ToyboxSettings(concepts=4, questions=15, side=128)
    >>> result = build_toybox(small, tempfile.mkdtemp())
    >>> result.counts["concepts"], result.counts["questions"]
    (4, 15)
    """
    settings = settings or ToyboxSettings()
    folder = Path(out)
    make_folder(folder)
    lock = FolderLock(folder)
    lock.take()
    try:
        refuse_strangers(folder, MANIFEST)
        found = finished(folder, settings)
        if found is not None:
            return found
        _write_manifest(folder, settings, None)
        return _build(settings, folder, on_done)
    finally:
        lock.release()


def finished(folder: Path, settings: ToyboxSettings) -> ToyboxResult | None:
    """Return what a folder holds when it is whole, and ``None`` when it is not.

    Raises:
        FolderMismatch: it was built from other settings, or by another release.
    """
    path = folder / MANIFEST
    if not path.is_file():
        return None
    try:
        manifest = parse_json(path.read_bytes())
        fingerprint, counts = manifest["fingerprint"], manifest["counts"]
    except (ValueError, KeyError, TypeError, OSError) as error:
        raise FolderMismatch(
            f"{path}: cannot be read ({error}). Delete the folder, or name another with --out."
        ) from error
    if fingerprint != toybox_fingerprint(settings):
        raise FolderMismatch(
            f"{folder} holds a toybox of other settings or of another release. Name another "
            "folder with --out."
        )
    whole = (folder / CONCEPTS).is_file() and (folder / QUESTIONS).is_file()
    if counts is None or not whole:
        return None
    # Somebody may have tidied up: what is gone is drawn again.
    if sum(1 for _ in (folder / PICTURES).glob("*.png")) < int(counts["pictures"]):
        return None
    return ToyboxResult(folder, {name: int(count) for name, count in counts.items()}, True)


def _write_manifest(folder: Path, settings: ToyboxSettings, counts: dict[str, int] | None) -> None:
    manifest: dict[str, Any] = {
        "kind": "toybox",
        "fingerprint": toybox_fingerprint(settings),
        "settings": settings.model_dump(mode="json"),
        "counts": counts,
    }
    write_whole(folder / MANIFEST, [json.dumps(manifest, indent=2).encode() + b"\n"])


def _build(
    settings: ToyboxSettings, folder: Path, on_done: Callable[[int, int], None] | None
) -> ToyboxResult:
    toys = draw_toys(settings)
    asked = list(ask_all(toys, settings))
    scenes: dict[str, Scene] = {}
    for scene in (*(s for toy in toys for s in toy.references), *(a.scene for a in asked)):
        scenes.setdefault(scene.key, scene)
    drawn = _draw_all(scenes, settings, folder, on_done)
    concepts = [_with_pictures(toy, drawn) for toy in toys]
    questions = [one.question.model_copy(update={"image": drawn[one.scene.key]}) for one in asked]
    write_concepts(folder, concepts, questions)
    counts = _counts(concepts, questions, drawn)
    _write_manifest(folder, settings, counts)
    with telling_what_failed(folder / _JOURNAL):
        (folder / _JOURNAL).unlink(missing_ok=True)
    return ToyboxResult(folder, counts, False)


def _with_pictures(toy: Toy, drawn: dict[str, str]) -> Concept:
    images = tuple(drawn[scene.key] for scene in toy.references)
    return toy.concept.model_copy(
        update={"images": images, "sources": ("drawn by eyeprint",) * len(images)}
    )


def _counts(
    concepts: list[Concept], questions: list[ConceptQuestion], drawn: dict[str, str]
) -> dict[str, int]:
    counts = {"concepts": len(concepts), "questions": len(questions)}
    counts["pictures"] = len(set(drawn.values()))
    for question in questions:
        counts[question.task] = counts.get(question.task, 0) + 1
    return counts


def _draw_all(
    scenes: dict[str, Scene],
    settings: ToyboxSettings,
    folder: Path,
    on_done: Callable[[int, int], None] | None,
) -> dict[str, str]:
    """Draw what is not drawn yet; return scene -> path of its picture within the root."""
    files = PictureFiles(folder / PICTURES)
    journal = folder / _JOURNAL
    known = dict(_drawn_before(journal, files))
    drawn: dict[str, str] = {}
    with telling_what_failed(journal), journal.open("ab") as book:
        for key, scene in scenes.items():
            sha = known.get(key)
            if sha is None:
                sha = files.put(draw_scene(scene, settings.side, settings.seed))
                _note(book, key, sha)
            drawn[key] = f"{PICTURES}/{sha}.png"
            if on_done is not None:
                on_done(len(drawn), len(scenes))
    return drawn


def _note(book: IO[bytes], key: str, sha: str) -> None:
    book.write(json_line([key, sha]))
    book.flush()


def _drawn_before(journal: Path, files: PictureFiles) -> Iterable[tuple[str, str]]:
    if not journal.is_file():
        return
    for _, value in read_json_lines(journal):
        # A killed process may leave half a line at the end: that scene is drawn again.
        if isinstance(value, list) and len(value) == 2 and value[1] in files:
            yield str(value[0]), str(value[1])
