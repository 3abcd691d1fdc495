"""The toybox by name, drawn when it is first asked for and kept in the user's cache."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from eyeprint.errors import FolderBusy
from eyeprint.people.toybox import ToyboxSettings, build_toybox, toybox_fingerprint
from eyeprint.records.concept_data import ConceptData
from eyeprint.records.concept_files import open_concepts
from eyeprint.records.concept_native import CONCEPTS

TOYBOX = "toybox"
_PATIENCE_S = 900.0
_AGAIN_S = 0.25


def toybox_folder(settings: ToyboxSettings) -> Path:
    """Return where a toybox is kept: ``$EYEPRINT_CACHE``, else ``~/.cache/eyeprint``."""
    cache = os.environ.get("EYEPRINT_CACHE") or Path.home() / ".cache" / "eyeprint"
    return Path(cache) / f"toybox-{toybox_fingerprint(settings)[:16]}"


def toybox_is_here() -> bool:
    """Whether a folder of that name, where the process runs, holds concepts."""
    return (Path(TOYBOX) / CONCEPTS).is_file()


def load_concepts(
    source: str | Path = TOYBOX,
    concepts: int | None = None,
    questions: int | None = None,
    seed: int | None = None,
    folder: str | Path | None = None,
    settings: ToyboxSettings | None = None,
    on_done: Callable[[int, int], None] | None = None,
) -> ConceptData:
    """Load concepts and their questions: ``"toybox"``, or any data root or Parquet file.

    Args:
        source: ``"toybox"`` is drawn here, unless a folder of that name holds data and nothing
            says what to draw (no size, seed, settings or folder); everything else is what
            :func:`eyeprint.records.concept_files.open_concepts` takes.
        concepts: of the toybox; 12 where neither this nor ``settings`` is given.
        questions: of the toybox, together; six a concept and task by default.
        seed: of the toybox; 0 by default. Another seed draws others.
        folder: where the toybox is drawn; in the user's cache if left out.
        settings: everything else of the toybox; the arguments above come first.
        on_done: told after each scene that is drawn: how many are, and how many there are.

    Raises:
        DataError: nothing of the kind is there.
        UsageError: a setting is out of range.
        FolderMismatch: ``folder`` holds something else.
        CannotWrite: disk full or no permission.

    >>> import tempfile
    >>> data = load_concepts("toybox", concepts=4, questions=15, folder=tempfile.mkdtemp())
    >>> len(data), len(data.concepts)
    (15, 4)
    """
    asked = any(each is not None for each in (concepts, questions, seed, folder, settings))
    if str(source) != TOYBOX or (not asked and toybox_is_here()):
        return open_concepts(source)
    given = {"concepts": concepts, "questions": questions, "seed": seed}
    chosen = (settings or ToyboxSettings()).model_dump()
    chosen |= {name: value for name, value in given.items() if value is not None}
    checked = ToyboxSettings.checked(chosen, where="toybox")
    place = toybox_folder(checked) if folder is None else Path(folder)
    _built(checked, place, on_done)
    return open_concepts(place)


def _built(
    settings: ToyboxSettings, place: Path, on_done: Callable[[int, int], None] | None
) -> None:
    """Build, or wait for the process that builds the same."""
    end = time.monotonic() + _PATIENCE_S
    while True:
        try:
            build_toybox(settings, place, on_done)
            return
        except FolderBusy:
            if time.monotonic() > end:
                raise
            time.sleep(_AGAIN_S)
