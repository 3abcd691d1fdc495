"""Training rows as the leakage gate sees them: pictures, short prompts, profiles (P66).

Read are a folder of pictures; a data root or file in the released layout; and files of
rows (``.json``, ``.jsonl``) of the shapes that training data come in: fields that name
pictures (``image``, ``images``, ``ref_images``, ``gt_images``, ``references``, ``target``),
a short prompt (``prompt``, ``caption``, ``short_prompt``), or ``conversations`` or
``messages``, whose first user turn ends with the short prompt; a turn's typed parts may name
pictures too. Paths are relative to the file of rows, or absolute.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from eyeprint.errors import BadRecord, DataError
from eyeprint.models.pictures import is_picture_file
from eyeprint.records.case_files import METADATA_NAMES
from eyeprint.records.json_rows import read_json_rows
from eyeprint.records.profile_files import PROFILES, read_profiles
from eyeprint.records.profiles import Profile

PICTURE_FIELDS = ("image", "images", "ref_images", "gt_images", "references", "target")
PROMPT_FIELDS = ("prompt", "caption", "short_prompt")
TURN_FIELDS = ("conversations", "messages")
_PATH_FIELDS = ("path", "file_name", "image")
_MARK = re.compile(r"<(?:image|img|video)>", re.IGNORECASE)


class TrainingPrompt(NamedTuple):
    """A short prompt and the row that holds it."""

    text: str
    where: str


class TrainingData(NamedTuple):
    """What of a training set must not meet the benchmark."""

    source: str
    pictures: dict[str, Path]
    """Name, as the rows have it -> file; each once."""
    prompts: tuple[TrainingPrompt, ...] = ()
    profiles: tuple[Profile, ...] = ()
    faults: tuple[BadRecord, ...] = ()


def read_training(source: str | Path, root: str | Path | None = None) -> TrainingData:
    """Read training data for comparison; see the module for its shapes.

    Args:
        source: a folder of pictures, a data root, or a file of rows.
        root: what the rows' paths are relative to, if not their file's folder.

    Raises:
        DataError: nothing is there, or it holds neither a picture nor a prompt.
    """
    path = Path(source)
    if path.is_dir():
        rows = next((path / name for name in METADATA_NAMES if (path / name).is_file()), None)
    elif path.is_file():
        rows = path
    else:
        raise DataError(f"{path}: there is no such file or folder of training data.")
    base = Path(root) if root is not None else (path if path.is_dir() else path.parent)
    if rows is None:
        files = sorted(p for p in path.rglob("*") if p.is_file() and is_picture_file(p))
        data = TrainingData(str(path), {str(p.relative_to(path)): p for p in files})
    else:
        data = _of_rows(rows, base)
    profiles, faults = _profiles(path if path.is_dir() else path.parent)
    data = data._replace(profiles=profiles, faults=(*data.faults, *faults))
    if not data.pictures and not data.prompts:
        told = "".join(f"\n  {fault}" for fault in data.faults[:5])
        raise DataError(f"{path}: holds no picture and no prompt to compare with.{told}")
    return data


def _profiles(folder: Path) -> tuple[tuple[Profile, ...], tuple[BadRecord, ...]]:
    return read_profiles(folder) if (folder / PROFILES).is_file() else ((), ())


def _of_rows(file: Path, base: Path) -> TrainingData:
    pictures: dict[str, Path] = {}
    prompts: list[TrainingPrompt] = []
    faults: list[BadRecord] = []
    for line, row in read_json_rows(file, "training rows", one_alone=True):
        if isinstance(row, BadRecord):
            faults.append(row)
            continue
        if not isinstance(row, Mapping):
            faults.append(BadRecord(str(file), line, "", "not an object with fields"))
            continue
        turns = next((row[field] for field in TURN_FIELDS if row.get(field)), None)
        names = [name for field in PICTURE_FIELDS for name in _paths(row.get(field))]
        names += _pictures_of_turns(turns)
        pictures.update({name: base / name.replace("\\", "/") for name in names})
        found = [text for field in PROMPT_FIELDS for text in _texts(row.get(field))[:1]]
        text = found[0] if found else short_prompt_of(turns)
        if text.strip():
            prompts.append(TrainingPrompt(text.strip(), f"{file.name}:{line}"))
        elif not names:
            fields = (*PICTURE_FIELDS, *PROMPT_FIELDS, *TURN_FIELDS)
            reason = f"nothing to compare in any of the fields {', '.join(fields)}"
            faults.append(BadRecord(str(file), line, "", reason))
    return TrainingData(str(file), pictures, tuple(prompts), (), tuple(faults))


def _texts(value: Any) -> list[str]:
    """Return the texts of a field that holds one, a list of them, or something else."""
    items = value if isinstance(value, list) else [value]
    return [item for item in items if isinstance(item, str) and item.strip()]


def _paths(value: Any) -> list[str]:
    """Return the paths of a field: texts, or objects that hold one."""
    items = value if isinstance(value, list) else [value]
    found = []
    for item in items:
        if isinstance(item, Mapping):
            item = next((item[field] for field in _PATH_FIELDS if item.get(field)), None)
        found += _texts(item)
    return found


def _pictures_of_turns(turns: Any) -> list[str]:
    """Return the pictures that typed parts of a conversation name."""
    found = []
    for turn in turns if isinstance(turns, list) else ():
        content = turn.get("content", turn.get("value")) if isinstance(turn, Mapping) else None
        for part in content if isinstance(content, list) else ():
            if isinstance(part, Mapping) and part.get("type") == "image":
                found += _paths(part)
    return found


def short_prompt_of(conversation: Any) -> str:
    """Return the short prompt of a conversation: what follows the instruction's first line.

    Empty where there is no user turn. A turn of one line is taken after its last colon.

    >>> short_prompt_of([{"from": "user", "value": "<image>\\nEnhance this:\\na red kite"}])
    'a red kite'
    >>> short_prompt_of([{"role": "user", "content": "Enhance: a red kite"}])
    'a red kite'
    """
    for turn in conversation if isinstance(conversation, list) else ():
        if not isinstance(turn, Mapping) or turn.get("from", turn.get("role")) not in (
            "user",
            "human",
        ):
            continue
        value = turn.get("value", turn.get("content"))
        lines = [line.strip() for line in _MARK.sub("\n", _plain(value)).splitlines()]
        lines = [line for line in lines if line]
        if len(lines) > 1:
            return "\n".join(lines[1:])
        return lines[0].rsplit(":", 1)[-1].strip() if lines else ""
    return ""


def _plain(content: Any) -> str:
    """Return the text of a turn, whether it is a text or a list of typed parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = (part.get("text") for part in parts if isinstance(part, Mapping))
    return "\n".join(text for text in texts if isinstance(text, str))
