"""People by name or path: the shipped hand-made ones, or anybody's files."""

from __future__ import annotations

import os
from collections.abc import Sequence
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


def load_several(sources: Sequence[str | Path]) -> People:
    """Load people from several sources as one, in order.

    An id that occurs in two sources is a fault of the later one.

    >>> len(load_several(["mini"]))
    12
    """
    parts = [load_people(source) for source in sources]
    if len(parts) == 1:
        return parts[0]
    return People.joined(parts)


def vector_folder(people: People) -> Path:
    """Return where vectors of these people are kept: beside them, or in the user's cache.

    The cache serves the shipped people, whose folder belongs to the package, and people from
    several folders. It is ``$EYEPRINT_CACHE``, else ``~/.cache/eyeprint``.
    """
    shipped = Path(__file__).parent
    if people.folder is not None and not people.folder.resolve().is_relative_to(shipped.resolve()):
        return people.folder
    cache = os.environ.get("EYEPRINT_CACHE") or Path.home() / ".cache" / "eyeprint"
    return Path(cache)
