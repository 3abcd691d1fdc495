"""The released PIPBench data from the Hugging Face hub, at a stated revision (P45).

The hub's history of the data is not known to this package, so no revision is pinned in it:
state one (a commit of 40 hex digits) for results that can be repeated. Whatever was asked
for, the commit that was read is told, and belongs into every result.
"""

from __future__ import annotations

from pathlib import Path

from eyeprint.people.hub_data import HubData, fetch_dataset
from eyeprint.records.case_files import METADATA_NAMES

__all__ = ["REPOSITORY", "HubData", "fetch_pipbench"]

REPOSITORY = "AirRain03/PIPBench"


def fetch_pipbench(
    revision: str | None = None,
    *,
    repository: str = REPOSITORY,
    download: bool = True,
    endpoint: str | None = None,
    cache: str | Path | None = None,
) -> HubData:
    """Return the released data, from the hub's cache on this machine or from the hub.

    The root is one for :func:`eyeprint.records.case_files.open_cases`. How the cache and the
    hub are asked: :func:`eyeprint.people.hub_data.fetch_dataset`.

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
    return fetch_dataset(
        repository, revision, _lacks, download=download, endpoint=endpoint, cache=cache
    )


def _lacks(root: Path) -> str:
    if any((root / name).is_file() for name in METADATA_NAMES):
        return ""
    return f"holds no {' or '.join(METADATA_NAMES)}"
