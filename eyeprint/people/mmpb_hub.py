"""The released MMPB data from the Hugging Face hub, at a stated revision (M5, M49).

As with every dataset of the hub, no revision is pinned here: state a commit for results that
can be repeated. The data are for research only; that is told with them, every time.
"""

from __future__ import annotations

from pathlib import Path

from eyeprint.people.hub_data import HubData, fetch_dataset
from eyeprint.records.concept_data import ConceptData
from eyeprint.records.concept_files import open_concepts
from eyeprint.records.concept_folders import find_csv
from eyeprint.records.concept_parquet import SUFFIX, find_parquet

REPOSITORY = "SNU-AIDAS/MMPB"
LICENCE = (
    "MMPB is licensed CC BY-NC-SA 4.0: for research only, named, and passed on under the same "
    "terms. Its pictures belong to others, some of whom may ask to have them removed."
)
"""Told in ``notes``, whatever was fetched."""


def fetch_mmpb(
    revision: str | None = None,
    *,
    repository: str = REPOSITORY,
    download: bool = True,
    endpoint: str | None = None,
    cache: str | Path | None = None,
) -> HubData:
    """Return the released data, from the hub's cache on this machine or from the hub.

    The root is one for :func:`eyeprint.records.concept_files.open_concepts`, which unpacks the
    pictures once: by default into ``unpacked`` beside the files, so that deleting the cache
    deletes them too. How the cache and the hub are asked:
    :func:`eyeprint.people.hub_data.fetch_dataset`.

    Args:
        revision: commit, tag or branch; "main" when left out, which is told in ``notes``.
        repository: another dataset in the same layout.
        download: whether the hub may be asked at all.
        endpoint: address of another hub, such as a mirror.
        cache: folder of the hub's cache, if not the usual one.

    Raises:
        ModelUnavailable: neither place has it; says how to fetch it by hand.
        DataError: what came is not in the released layout.
    """
    found = fetch_dataset(
        repository, revision, _lacks, download=download, endpoint=endpoint, cache=cache
    )
    return found._replace(notes=(*found.notes, LICENCE))


def open_mmpb(
    revision: str | None = None,
    unpack_to: str | Path | None = None,
    *,
    download: bool = True,
    endpoint: str | None = None,
    cache: str | Path | None = None,
) -> ConceptData:
    """Fetch the released data and open them; their notes tell the revision and the licence.

    Args:
        revision, download, endpoint, cache: see :func:`fetch_mmpb`.
        unpack_to: see :func:`eyeprint.records.concept_files.open_concepts`.

    Raises:
        ModelUnavailable, DataError, CannotWrite: see those two.
    """
    found = fetch_mmpb(revision, download=download, endpoint=endpoint, cache=cache)
    return open_concepts(found.root, unpack_to).noting(found.notes)


def _lacks(root: Path) -> str:
    return "" if find_parquet(root) or find_csv(root) else f"holds no {SUFFIX} or .csv file"
