"""People written to files, each file whole or not at all."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from urllib.parse import quote

from eyeprint.errors import UsageError
from eyeprint.randomness import stable_digest
from eyeprint.records.files import MANIFEST_NAMES, persona_line
from eyeprint.records.people import Persona
from eyeprint.records.whole_files import write_whole

LONGEST_NAME = 180
"""Characters of a file's name; file systems take 255, and a name grows while it is written."""


def save_people(people: Iterable[Persona], target: str | Path) -> Path:
    """Save people as ``.jsonl`` or ``.parquet``, or as a folder of ``.json`` files.

    A target without an ending is a folder. Parquet keeps the whole record as JSON in the
    column ``record`` beside flat columns for looking at (id, country, city, occupation,
    age, gender, number of posts), so that unknown fields survive.

    Raises:
        UsageError: another ending.
        CannotWrite: see :func:`eyeprint.records.whole_files.write_whole`.
    """
    path = Path(target)
    if path.suffix in (".jsonl", ".ndjson"):
        write_whole(path, (persona_line(person) + b"\n" for person in people))
    elif path.suffix == ".parquet":
        write_whole(path, [_parquet_bytes(people)])
    elif path.suffix == "":
        for person in people:
            text = person.model_dump_json(exclude_unset=True, indent=1)
            write_whole(path / _file_name(person.id), [text.encode(), b"\n"])
    else:
        raise UsageError(f"{path}: people are saved as .jsonl, .parquet or a folder (no ending).")
    return path


def _file_name(person_id: str) -> str:
    """Return a file name that no other id has, and that is read back as a person."""
    name = quote(person_id, safe=" ")
    if len(name) > LONGEST_NAME or f"{name}.json" in MANIFEST_NAMES:
        name = f"{name[:LONGEST_NAME]}-{stable_digest(person_id).hex()[:12]}"
    return f"{name}.json"


def _parquet_bytes(people: Iterable[Persona]) -> bytes:
    import io

    import polars

    rows = []
    for person in people:
        who = person.demographics
        rows.append(
            {
                "id": person.id,
                "country": who.country,
                "city": who.city,
                "occupation": who.occupation,
                "age": who.age,
                "gender": who.gender,
                "posts": len(person.posts),
                "record": persona_line(person).decode(),
            }
        )
    types = {"age": polars.Int64, "posts": polars.Int64}
    names = ("id", "country", "city", "occupation", "age", "gender", "posts", "record")
    table = polars.DataFrame(rows, schema={name: types.get(name, polars.String) for name in names})
    buffer = io.BytesIO()
    table.write_parquet(buffer)
    return buffer.getvalue()
