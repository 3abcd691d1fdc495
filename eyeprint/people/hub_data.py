"""A dataset from the Hugging Face hub, or from its cache on this machine, at a stated revision."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from eyeprint.errors import DataError, ModelUnavailable

MAIN = "main"
"""What is read when no revision is stated: it can change."""
_COMMIT = re.compile(r"[0-9a-f]{40}")


class HubData(NamedTuple):
    """Where the data lie on this machine, and what they are."""

    root: Path
    """The folder of the data."""
    revision: str
    """The commit that was read, or "unknown"."""
    notes: tuple[str, ...] = ()
    """What every result made with the data should say."""


def fetch_dataset(
    repository: str,
    revision: str | None,
    holds: Callable[[Path], str],
    *,
    download: bool = True,
    endpoint: str | None = None,
    cache: str | Path | None = None,
) -> HubData:
    """Return a dataset, from the hub's cache on this machine or from the hub.

    A commit that is in the cache whole is never asked for again. A branch or tag is looked up
    on the hub where that can be reached, else in the cache.

    Args:
        repository: owner and name of the dataset.
        revision: commit, tag or branch; "main" when ``None``, which is told in ``notes``.
        holds: says what of the layout a folder lacks, or ``""``.
        download: whether the hub may be asked at all.
        endpoint: address of another hub, such as a mirror.
        cache: folder of the hub's cache, if not the usual one.

    Raises:
        ModelUnavailable: neither place has it; says how to fetch it by hand.
        DataError: what came is not in the layout.
    """
    wanted = revision or MAIN
    found: Path | str = "it was not asked"
    if _COMMIT.fullmatch(wanted) or not download:
        # A commit that was fetched only in part is in the cache too: asked again, the hub
        # gives what is missing.
        found = _snapshot(repository, wanted, endpoint, cache, local=True)
        if isinstance(found, Path) and holds(found):
            found = "the cache holds a part of it only"
    if isinstance(found, str) and download:
        found = _snapshot(repository, wanted, endpoint, cache, local=False)
    if isinstance(found, str):
        raise ModelUnavailable(
            f"{repository} at revision '{wanted}' is not in the hub's cache on this machine, and "
            f"could not be fetched from the hub: {found}. Fetch it where there is a network: "
            f"hf download {repository} --repo-type dataset --revision {wanted} --local-dir DIR , "
            "and give that folder with --data DIR."
        )
    commit = found.name if _COMMIT.fullmatch(found.name) else "unknown"
    lacks = holds(found)
    if lacks:
        raise DataError(
            f"{found}: {repository} at {commit} {lacks}. Its layout has changed, or the download "
            "is not complete: delete this folder and try again."
        )
    notes: tuple[str, ...] = ()
    if not _COMMIT.fullmatch(wanted):
        notes = (
            f"{repository} was read at revision '{wanted}', which can change; it is now {commit}. "
            "State that commit to read the same data again.",
        )
    return HubData(found, commit, notes)


def _snapshot(
    repository: str, revision: str, endpoint: str | None, cache: str | Path | None, *, local: bool
) -> Path | str:
    """Return the folder of a snapshot, or why there is none."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError

    try:
        return Path(
            snapshot_download(
                repository,
                repo_type="dataset",
                revision=revision,
                endpoint=endpoint,
                cache_dir=cache,
                local_files_only=local,
            )
        ).absolute()
    # The hub's client reports an unreachable host, a miss of the cache and a full disk alike
    # as OSError, and a name that is none as ValueError.
    except (HfHubHTTPError, OSError, ValueError) as error:
        lines = (str(error) or type(error).__name__).strip().splitlines()
        return lines[0].rstrip(".")
