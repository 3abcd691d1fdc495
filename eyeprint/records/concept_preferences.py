"""What people like and dislike: as one text, and from files of it (CHECKLIST M11, M12).

A file of preferences is one JSON record, an array of them, or an object of name -> record. A
record is ``{"concept": "...", "images": ["./human/train/.../0.png", ...], "preferences":
{"travel": {"likes": ["..."], "dislikes": ["..."]}}}``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from eyeprint.errors import BadRecord, DataError, shown
from eyeprint.records.concepts import CATEGORIES, DOMAINS, SKS, Tastes
from eyeprint.records.json_text import parse_json

FOLDER = "preferences"
"""A folder of a data root in which files of preferences are looked for too."""


class PreferenceRecord(NamedTuple):
    """One record of a file of preferences."""

    name: str
    tastes: dict[str, Tastes]
    images: tuple[str, ...]
    """Reference pictures, as the record names them."""


def preference_text(tastes: Mapping[str, Tastes]) -> str:
    """Return likes and dislikes as one text, a sentence for each domain (M11).

    The paper's template is "<sks> likes {keywords} but dislikes {keywords}."; keywords have commas
    between them, since some hold an "and". Domains stand in the order of
    :data:`~eyeprint.records.concepts.DOMAINS`, others after them, as they came. A domain without
    one side has a shorter sentence, and one with neither has none.

    >>> preference_text({"travel": Tastes(likes=("old trains",), dislikes=("cruises",)),
    ...     "entertainment": Tastes(likes=("puppet shows", "rock and roll"))})
    '<sks> likes puppet shows, rock and roll. <sks> likes old trains but dislikes cruises.'
    >>> preference_text({})
    ''
    """
    order = [*DOMAINS, *(domain for domain in tastes if domain not in DOMAINS)]
    sentences = []
    for taste in (tastes[domain] for domain in order if domain in tastes):
        sides = (("likes", taste.likes), ("dislikes", taste.dislikes))
        told = [f"{verb} {', '.join(words)}" for verb, words in sides if words]
        sentences += [f"{SKS} {' but '.join(told)}."] if told else []
    return " ".join(sentences)


def find_preferences(root: Path) -> tuple[dict[str, PreferenceRecord], list[BadRecord], list[str]]:
    """Return name -> record from the files of preferences in a data root, faults, and notes.

    Looked at are the JSON files in the root itself, in ``preferences/``, in each category's
    folder, and below ``<category>/train/``. Files of anything else are passed over.
    """
    found: dict[str, PreferenceRecord] = {}
    faults: list[BadRecord] = []
    twice: list[str] = []
    for file in _files(root):
        try:
            value = parse_json(file.read_bytes(), non_finite_is_null=True)
        except OSError as error:
            raise DataError(f"{file}: cannot be read ({error.strerror}).") from error
        except ValueError as error:
            faults.append(BadRecord(str(file), None, "", f"not JSON: {error}"))
            continue
        for place, name, record in _records(value):
            try:
                one = _record(name, record)
            except ValueError as error:
                faults.append(BadRecord(str(file), place, "preferences", str(error)))
                continue
            if one.name in found and found[one.name] != one:
                twice.append(one.name)
            found.setdefault(one.name, one)
    notes = []
    if twice:
        names = ", ".join(map(shown, dict.fromkeys(twice)))
        notes = [f"Preferences of {names} are in several files and differ; the first was taken."]
    return found, faults, notes


def _files(root: Path) -> list[Path]:
    places = list(root.glob("*.json")) + list((root / FOLDER).glob("*.json"))
    for category in CATEGORIES:
        places += [*(root / category).glob("*.json"), *(root / category / "train").rglob("*.json")]
    return sorted(place for place in places if place.is_file())


def _records(value: Any) -> Iterator[tuple[int | None, str, Mapping[str, Any]]]:
    """Yield (1-based place in an array, name, record) of everything that has preferences."""
    if isinstance(value, list):
        rows: list[tuple[int | None, str, Any]] = [
            (place, "", row) for place, row in enumerate(value, start=1)
        ]
    elif isinstance(value, dict) and "preferences" not in value:
        rows = [(None, name, row) for name, row in value.items()]
    else:
        rows = [(None, "", value)]
    for place, name, row in rows:
        if isinstance(row, dict) and "preferences" in row:
            yield place, name, row


def _record(name: str, row: Mapping[str, Any]) -> PreferenceRecord:
    name = row.get("concept", name)
    if not isinstance(name, str) or not name.strip():
        raise ValueError("the record has no 'concept', the name of whom it is about")
    name = name.strip()
    preferences = row["preferences"]
    if not isinstance(preferences, dict):
        raise ValueError(f"of '{shown(name)}' must be an object of domain -> likes and dislikes")
    tastes: dict[str, Tastes] = {}
    for domain, taste in preferences.items():
        where = f"of '{shown(name)}', domain '{shown(domain)}'"
        if not isinstance(taste, dict):
            raise ValueError(f"{where}, must be an object with likes and dislikes")
        tastes[domain.strip().lower()] = Tastes(
            likes=_words(taste.get("likes"), f"{where}, likes"),
            dislikes=_words(taste.get("dislikes"), f"{where}, dislikes"),
        )
    return PreferenceRecord(name, tastes, _words(row.get("images"), "images"))


def _words(value: Any, where: str) -> tuple[str, ...]:
    if value is None:
        return ()
    words = [value] if isinstance(value, str) else value
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise ValueError(f"{where}, must be a list of texts")
    return tuple(word.strip() for word in words if word.strip())
