"""Which weights a chat model on this machine runs on: a folder, or a commit of the hub.

Nothing is read but names, sizes, samples and ``config.json``, so that a model of any size is
identified in well under a second and before torch is imported.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NamedTuple

from eyeprint.errors import ModelUnavailable, shown
from eyeprint.models.image_weights import read_config
from eyeprint.models.painter_weights import folder_identity

CONFIG = "config.json"
WEIGHTS = (".safetensors", ".bin")
_BESIDE = (".json", ".txt", ".model", ".jinja")
_HUB_ID = re.compile(r"[\w.-]+/[\w.-]+")


class ChatWeights(NamedTuple):
    """Weights that were found, not yet read."""

    source: str
    """Folder or hub id, as transformers takes it."""
    revision: str | None
    """Commit on the hub, so that what is loaded is what was identified; ``None`` for folders."""
    identity: str
    """``OWNER/NAME@COMMIT``, or ``folder:`` and a hash of the files; both cut to 12 digits."""
    config: dict[str, Any]
    """What ``config.json`` says."""

    @property
    def stored_dtype(self) -> str:
        """Number format of the stored weights, as the configuration tells it."""
        for told in (self.config, self.config.get("text_config") or {}):
            named = told.get("dtype") or told.get("torch_dtype")
            if isinstance(named, str):
                return named
        return "float32"


def find_chat_weights(
    place: str, revision: str | None = None, download: bool = True
) -> ChatWeights:
    """Return the weights of a chat model that is named by a folder or a hub id.

    Args:
        place: a folder that ``save_pretrained`` wrote, or ``OWNER/NAME`` on the hub.
        revision: branch, tag or commit on the hub; ``None`` is ``main``.
        download: whether the hub may be asked; otherwise only this machine's cache is.

    Raises:
        ModelUnavailable: there is no such model; says where it looked and what to do.

    >>> find_chat_weights("no/such/folder")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    eyeprint.errors.ModelUnavailable: 'no/such/folder' is no folder here ...
    """
    folder = Path(place).expanduser()
    if folder.is_dir():
        return _in_folder(folder)
    if not _HUB_ID.fullmatch(place):
        raise ModelUnavailable(
            f"'{shown(place)}' is no folder here (looked in {Path.cwd()}) and no name on the hub "
            "(OWNER/NAME). Give the folder that holds the model's config.json and weights."
        )
    path = _in_cache(place, revision) or (_from_hub(place, revision) if download else None)
    if path is None:
        raise ModelUnavailable(
            f"{place} is no folder here and not in the Hugging Face cache of this machine "
            f"({_cache_folder()}). Fetch it with: hf download {place} , or name a folder with "
            "its files."
        )
    commit = path.parent.name
    return ChatWeights(place, commit, f"{place}@{commit[:12]}", read_config(path))


def _in_folder(folder: Path) -> ChatWeights:
    files = sorted(path for path in folder.iterdir() if path.is_file())
    weights = [path.name for path in files if path.suffix in WEIGHTS]
    absent = [] if (folder / CONFIG).is_file() else [CONFIG]
    absent += [] if weights else ["weights (*.safetensors)"]
    if absent:
        raise ModelUnavailable(
            f"{folder}: lacks {' and '.join(absent)}. Give the folder that save_pretrained() "
            "wrote, or fetch the whole model with: hf download OWNER/NAME --local-dir FOLDER"
        )
    # Each file counts as a part of the model; a model card does not.
    parts: dict[str, Any] = {path.name: [] for path in files if path.suffix in (*WEIGHTS, *_BESIDE)}
    identity = folder_identity(folder, parts)[:12]
    return ChatWeights(str(folder), None, f"folder:{identity}", read_config(folder / CONFIG))


def _cache_folder() -> str:
    from huggingface_hub import constants

    return str(constants.HF_HUB_CACHE)


def _in_cache(place: str, revision: str | None) -> Path | None:
    from huggingface_hub import try_to_load_from_cache

    hit = try_to_load_from_cache(place, CONFIG, revision=revision or "main")
    return Path(hit) if isinstance(hit, str) else None


def _from_hub(place: str, revision: str | None) -> Path:
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import HfHubHTTPError

    try:
        return Path(hf_hub_download(place, CONFIG, revision=revision))
    # The hub's client reports an unreachable host and a full disk alike as OSError.
    except (OSError, HfHubHTTPError) as error:
        reason = (str(error) or type(error).__name__).splitlines()[0]
        raise ModelUnavailable(
            f"{place} is not on this machine ({_cache_folder()}), and the hub did not give it "
            f"({reason}). Check the name, the network, and whether you must log in to it and "
            "accept its licence (hf auth login); or name a folder with its files."
        ) from error
