"""People by name or path: the shipped hand-made ones, or anybody's files."""

from __future__ import annotations

from pathlib import Path

from eyeprint.records.files import People, open_people

SHIPPED = {"mini": Path(__file__).parent / "data" / "mini"}
"""Name -> folder of people that come with the package."""


def load_people(source: str | Path) -> People:
    """Load people: ``"mini"``, or a ``.jsonl``, ``.json`` or ``.parquet`` file, or a folder.

    The twelve mini personas are invented and were written by hand for this project.
    Records that cannot be read are listed in ``.faults``; the others load.

    Raises:
        DataError: nothing is there, or not one record is good.

    >>> people = load_people("mini")
    >>> len(people), people["mini-03"].demographics.city
    (12, 'Oaxaca de Juárez')
    """
    folder = SHIPPED.get(str(source))
    return open_people(source if folder is None or Path(source).exists() else folder)
