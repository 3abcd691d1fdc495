"""The files of a build of cases: pictures by person and place, and the pools' record (P20)."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from eyeprint.errors import UsageError
from eyeprint.people.choices import COLUMNS, RANK
from eyeprint.people.pools import Candidate, Pool, shown_order
from eyeprint.people.questionnaire import profile_text
from eyeprint.protocols.display import Display
from eyeprint.records.case_files import METADATA_NAMES
from eyeprint.records.case_folders import person_folder
from eyeprint.records.json_text import json_line
from eyeprint.records.profiles import Profile
from eyeprint.records.whole_files import write_whole
from eyeprint.store.picture_files import PictureFiles
from eyeprint.store.shards import FailedItem

IMAGES = "images"
SELECTION = "selection.csv"


def refuse_overwriting_cases(root: Path) -> None:
    """Refuse a folder with cases that were not built there.

    Raises:
        UsageError: it has a file of metadata.
    """
    for name in METADATA_NAMES:
        if (root / name).exists():
            raise UsageError(
                f"{root} holds cases already ({name}) that were not made by this command. Name "
                "another folder with --out."
            )


def picture_paths(pool: Pool) -> tuple[str, ...]:
    """Return where a pool's pictures lie in the data root, the most preferred first.

    >>> from eyeprint.people.pools import Candidate
    >>> picture_paths(Pool("a/b", (Candidate("x", "0"),), "hand"))
    ('images/a%2Fb/0.png',)
    """
    folder = person_folder(pool.person_id)
    return tuple(f"{IMAGES}/{folder}/{place}.png" for place in range(len(pool.pictures)))


def worded(profile: Profile) -> Profile:
    """Return a profile with its standard text, which judges read."""
    return profile if profile.text else profile.model_copy(update={"text": profile_text(profile)})


def copy_once(files: PictureFiles, sha256: str, place: Path) -> None:
    """Write a picture where a case names it, unless exactly that file is there.

    Raises:
        StoreError: the build's own file is gone or damaged.
        CannotWrite: disk full or no permission.
    """
    source = files.path(sha256)
    # Opened for its pixels: what is damaged must not be copied on.
    files.get(sha256)
    data = source.read_bytes()
    if not (place.is_file() and place.read_bytes() == data):
        write_whole(place, [data])


def selection_text(
    found: Mapping[str, Sequence[Candidate]], files: PictureFiles, root: Path, seed: int
) -> str:
    """Return ``selection.csv``: each person's candidates in the order to show them in (P19).

    Whoever lets people pick shows the files by ``shown``, deletes the rows that were not
    picked, fills in ``rank`` where there is an order, and gives the file to ``--choices``.
    Pictures that people gave are not in it: they join the pool by themselves.
    """
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow((*COLUMNS, RANK, "shown", "file"))
    for person, candidates in found.items():
        painted = [one for one in candidates if not one.upload]
        for place, one in enumerate(shown_order(person, painted, seed), start=1):
            file = files.path(one.source).relative_to(root).as_posix()
            rows.writerow((person, one.name, "", place, file))
    return text.getvalue()


def write_selection(root: Path, build: Path, text: str, display: Display) -> None:
    """Write ``selection.csv``, unless somebody filled in the one that is there.

    The build's folder keeps it as it was written, so that the two can be told apart.
    """
    place, own = root / SELECTION, build / SELECTION
    data = text.encode("utf-8", "surrogatepass")
    before = own.read_bytes() if own.is_file() else None
    write_whole(own, [data])
    if not place.is_file() or place.read_bytes() == before:
        write_whole(place, [data])
    elif place.read_bytes() != data:
        display.note(f"{place} was left as it is; remove it to have it written anew")


def why_failed(failure: FailedItem) -> str:
    """Return what could not be had and why: a painted candidate, a file, or a caption.

    >>> why_failed(FailedItem(3, '["a b", 0, 3]', "refused", "it declines"))
    'a b, candidate 3: it declines'
    >>> why_failed(FailedItem(0, '["a", 0, 0]', "data", "x.png: the file is empty."))
    'a, candidate 0: x.png: the file is empty.'
    """
    try:
        person, again, place = json.loads(failure.key)
    except ValueError:
        return f"{failure.key}: {failure.detail}"
    told = ", second round" if again else ""
    return f"{person}, candidate {place}{told}: {failure.detail}"


def pool_line(pool: Pool) -> bytes:
    """Return a pool as one line of ``pools.jsonl`` (P20)."""
    paths = picture_paths(pool)
    rows = [
        {
            "path": path, "prompt": picture.prompt, "upload": picture.upload,
            "candidate": picture.name, "sha256": picture.source,
        }
        for path, picture in zip(paths, pool.pictures, strict=True)
    ]  # fmt: skip
    facts = {"person": pool.person_id, "chosen_by": pool.chosen_by, "notes": list(pool.notes)}
    return json_line({**facts, "pictures": rows})
