"""Released MMPB rows as Parquet files with the pictures inside (CHECKLIST M5).

Texts of all rows are read at once, pictures a few rows at a time: the released files hold six in
each of 10,017 rows, and reference pictures are the same in every row of a concept.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eyeprint.errors import BadRecord, DataError, shown
from eyeprint.records.case_rows import inner_path
from eyeprint.records.concept_columns import (
    EXTRA,
    NEEDED,
    OPTIONAL,
    FlatRow,
    check_columns,
)
from eyeprint.records.concept_unpacking import CellPicture, Unpacked, unpack

if TYPE_CHECKING:
    import polars

SUFFIX = ".parquet"
BATCH = 32
"""Rows whose pictures are in memory at a time; those of a row group are read together."""


def find_parquet(folder: Path) -> list[Path]:
    """Return the Parquet files of a folder and the folders in it, in order of their names."""
    found = [file for file in folder.rglob(f"*{SUFFIX}") if file.is_file()]
    return sorted(file for file in found if not file.name.startswith("."))


def read_parquet_rows(
    files: Sequence[Path], unpack_to: Path
) -> tuple[list[FlatRow | BadRecord], Unpacked, list[str]]:
    """Return all rows, where their pictures were unpacked to, and notes.

    Args:
        files: the files of one table, in order.
        unpack_to: folder for the pictures.

    Raises:
        DataError: a file is no Parquet, or lacks a column that is needed.
        CannotWrite: the pictures cannot be unpacked there.
    """
    notes: list[str] = []
    texts: list[tuple[Path, int, dict[str, str]]] = []
    for file in files:
        columns = _columns(file)
        notes += check_columns(str(file), columns, embedded=True)
        texts += [(file, row, cells) for row, cells in enumerate(_texts(file, columns))]
    first: dict[tuple[str, str], list[int]] = {}
    for place, (_, _, cells) in enumerate(texts):
        first.setdefault(concept_of_cells(cells), []).append(place)
    where = [(file, row) for file, row, _ in texts]
    unpacked = unpack(files, where, first, unpack_to, iter_pictures)
    rows: list[FlatRow | BadRecord] = [
        FlatRow(str(file), row + 1, cells, unpacked.images[place], unpacked.faults.get(place, ""))
        for place, (file, row, cells) in enumerate(texts)
    ]
    return rows, unpacked, [*notes, *unpacked.notes]


def concept_of_cells(cells: Mapping[str, str]) -> tuple[str, str]:
    """Return the (category, name) that a row's reference pictures belong to."""
    return cells.get("attribute", "").lower(), cells.get("name", "")


@contextmanager
def _telling(file: Path) -> Iterator[None]:
    import polars

    try:
        yield
    except polars.exceptions.PolarsError as error:
        lines = str(error).strip().splitlines() or [type(error).__name__]
        raise DataError(f"{file}: cannot be read as Parquet ({shown(lines[0])}).") from error
    except OSError as error:
        raise DataError(f"{file}: cannot be read ({error.strerror or error}).") from error


def _columns(file: Path) -> dict[str, polars.DataType]:
    import polars

    with _telling(file):
        return dict(polars.read_parquet_schema(file))


def _texts(file: Path, columns: Mapping[str, polars.DataType]) -> Iterator[dict[str, str]]:
    """Yield the cells of each row that hold texts or numbers."""
    import polars

    wanted = [
        name for name in (*NEEDED, *OPTIONAL, *EXTRA) if name in columns and name != "image_path"
    ]
    for name in wanted:
        if columns[name].is_nested() or columns[name] == polars.Binary:
            raise DataError(f"{file}: column '{name}' holds {columns[name]}, not texts or numbers.")
    classes = {name: names for name, names in _class_names(file).items() if name in wanted}
    with _telling(file):
        frame = polars.scan_parquet(file, glob=False).select(wanted).collect()
    for row in frame.iter_rows(named=True):
        yield {name: _text(value, classes.get(name)) for name, value in row.items()}


def _class_names(file: Path) -> dict[str, list[str]]:
    """Return column -> names of its numbers, where the file was written with that knowledge.

    The hub's own writer leaves it beside the data; other writers do not, and polars cannot
    tell it in its oldest versions.
    """
    import polars

    read = getattr(polars, "read_parquet_metadata", None)
    if read is None:
        return {}
    with _telling(file):
        told = read(file).get("huggingface", "")
    try:
        features = json.loads(told)["info"]["features"]
        pairs = [
            (name, feature["names"])
            for name, feature in features.items()
            if isinstance(feature, dict) and feature.get("_type") == "ClassLabel"
        ]
    except (ValueError, KeyError, TypeError, AttributeError):
        # No such knowledge, or in another shape: the numbers themselves are read.
        return {}
    return {
        name: names
        for name, names in pairs
        if isinstance(names, list) and all(isinstance(one, str) for one in names)
    }


def _text(value: Any, names: Sequence[str] | None) -> str:
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        # Whole numbers become fractions where a column has gaps.
        value = int(value)
    if names is not None and isinstance(value, int) and 0 <= value < len(names):
        return names[value].strip()
    return str(value).strip()


def iter_pictures(
    file: Path, column: str, rows: Sequence[int]
) -> Iterator[tuple[int, CellPicture]]:
    """Yield (row, picture of a column) of some rows of a file, a few rows in memory at a time.

    Args:
        file: a Parquet file.
        column: a column of pictures: bytes, structs with ``bytes`` and ``path``, or paths.
        rows: 0-based rows, in ascending order.

    Raises:
        DataError: the file cannot be read, or the column holds something else.
    """
    import polars

    if column not in _columns(file):
        return
    for some in _runs(rows):
        start, wanted = some[0], set(some)
        with _telling(file):
            scan = polars.scan_parquet(file, glob=False).select(column)
            cells = scan.slice(start, some[-1] - start + 1).collect().get_column(column)
        for place, cell in enumerate(cells):
            if start + place in wanted:
                yield start + place, _picture(file, start + place, column, cell)


def _runs(rows: Sequence[int]) -> Iterator[list[int]]:
    """Yield rows that are read together: near each other, and not too many."""
    run: list[int] = []
    for row in rows:
        if run and row - run[0] >= BATCH:
            yield run
            run = []
        run.append(row)
    if run:
        yield run


def _picture(file: Path, row: int, column: str, cell: Any) -> CellPicture:
    """Return the bytes of a cell, or why there are none."""
    path = None
    if isinstance(cell, dict):
        cell, path = cell.get("bytes"), cell.get("path")
    if isinstance(cell, str):
        cell, path = None, cell
    if isinstance(cell, bytes):
        return CellPicture(cell) if cell else CellPicture(b"", "is empty")
    if cell is not None:
        raise DataError(
            f"{file}:{row + 1}, field '{column}': holds {type(cell).__name__}, not a picture."
        )
    if not path:
        return CellPicture(b"", "is empty")
    # A row that only names its picture means a file beside the table.
    try:
        return CellPicture((file.parent / inner_path(path)).read_bytes())
    except ValueError as error:
        return CellPicture(b"", str(error))
    except OSError as error:
        reason = f"picture {shown(path)} beside the file cannot be read ({error.strerror})"
        return CellPicture(b"", reason)
