"""Where the files of image models are: a folder, the Hugging Face cache, or the hub."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from eyeprint.errors import ModelUnavailable, shown

WEIGHTS = ("model.safetensors", "pytorch_model.bin")
"""Names of weight files, the preferred one first."""

_HUB_ID = re.compile(r"[\w.-]+/[\w.-]+(@[\w./-]+)?")


class ModelFiles(NamedTuple):
    """A folder with a model's files, its weights, and where they came from."""

    folder: Path
    weights: Path
    source: str
    """Told to people: "folder ...", "Hugging Face cache", "hub"."""


def find_model_files(
    place: str,
    needed: Sequence[str] = ("config.json",),
    weights: Sequence[str] = WEIGHTS,
    download: bool = True,
) -> ModelFiles:
    """Return the files of a model that is named by a folder or a hub id.

    Args:
        place: a folder, or ``OWNER/NAME`` or ``OWNER/NAME@REVISION`` on the Hugging Face hub.
        needed: files that must be there beside the weights.
        weights: names of the weights' file; the first that is there is taken.
        download: whether the hub may be asked for what is not on this machine.

    Raises:
        ModelUnavailable: the files are nowhere; says where it looked and what to do.

    >>> find_model_files("no/such/folder")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    eyeprint.errors.ModelUnavailable: 'no/such/folder' is no folder and no name on the hub ...
    """
    folder = Path(place).expanduser()
    if folder.is_dir():
        return _in_folder(folder, needed, weights)
    if not _HUB_ID.fullmatch(place):
        raise ModelUnavailable(
            f"'{shown(place)}' is no folder and no name on the hub (OWNER/NAME or "
            "OWNER/NAME@REVISION). Give the folder that holds the model's config.json."
        )
    found = _in_cache(place, needed, weights)
    if found is None and download:
        return _from_hub(place, needed, weights)
    if found is None:
        raise ModelUnavailable(
            f"{place} is not in the Hugging Face cache of this machine. Fetch it with: "
            f"hf download {place.partition('@')[0]} , or name a folder with its files."
        )
    return found


def read_config(path: Path) -> dict[str, Any]:
    """Return a model's ``config.json``.

    Raises:
        ModelUnavailable: it cannot be read, or is no JSON object.
    """
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelUnavailable(f"{path}: cannot be read as a configuration ({error}).") from error
    if not isinstance(config, dict):
        raise ModelUnavailable(f"{path}: no JSON object, so no configuration of a model.")
    return config


def _in_folder(folder: Path, needed: Sequence[str], weights: Sequence[str]) -> ModelFiles:
    missing = [name for name in needed if not (folder / name).is_file()]
    there = [folder / name for name in weights if (folder / name).is_file()]
    if missing or not there:
        absent = missing + ([] if there else [" or ".join(weights)])
        raise ModelUnavailable(f"{folder}: lacks {', '.join(absent)}. Save the whole model there.")
    return ModelFiles(folder, there[0], f"folder {folder}")


def _in_cache(place: str, needed: Sequence[str], weights: Sequence[str]) -> ModelFiles | None:
    from huggingface_hub import try_to_load_from_cache

    name, _, revision = place.partition("@")
    hits = {
        file: try_to_load_from_cache(name, file, revision=revision or "main")
        for file in (*needed, *weights)
    }
    # A miss is None; "known to be absent on the hub" is a marker object.
    paths = {file: Path(hit) for file, hit in hits.items() if isinstance(hit, str)}
    there = [paths[file] for file in weights if file in paths]
    if not there or any(file not in paths for file in needed):
        return None
    return ModelFiles(there[0].parent, there[0], "Hugging Face cache")


def _from_hub(place: str, needed: Sequence[str], weights: Sequence[str]) -> ModelFiles:
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import EntryNotFoundError, HfHubHTTPError

    name, _, revision = place.partition("@")
    path: Path | None = None
    try:
        for file in needed:
            hf_hub_download(name, file, revision=revision or None)
        for file in weights:
            try:
                path = Path(hf_hub_download(name, file, revision=revision or None))
                break
            except EntryNotFoundError:
                continue
    # The hub's client reports an unreachable host and a full disk alike as OSError.
    except (OSError, HfHubHTTPError) as error:
        reason = (str(error) or type(error).__name__).splitlines()[0]
        raise ModelUnavailable(
            f"{place} is not on this machine, and the hub did not give it ({reason}). Check the "
            "name and the network, or name a folder with its files."
        ) from error
    if path is None:
        raise ModelUnavailable(f"{place}: the hub has no {' or '.join(weights)} of it.")
    return ModelFiles(path.parent, path, "hub")
