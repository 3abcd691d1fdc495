"""Which weights a diffusers painter runs on: a folder, or a commit of the Hugging Face hub.

An identity costs no full read of the weights, which may be 60 GB. On the hub it is the
commit. For a folder it is a hash over names, sizes and samples of the files: two trainings
of one architecture have equal names, sizes and headers, but not equal samples.
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any, NamedTuple

from eyeprint.errors import ModelUnavailable, shown
from eyeprint.models.image_weights import read_config

INDEX = "model_index.json"
"""The file that says which pipeline a folder holds, and of which parts."""
SAMPLES = 256
"""Places of a large file that are read for its identity, evenly spread over it."""
SAMPLE_BYTES = 4096
_SMALL = SAMPLES * SAMPLE_BYTES
_ENDINGS = frozenset({".safetensors", ".bin", ".json", ".txt", ".model", ".jinja"})
_HUB_ID = re.compile(r"[\w.-]+/[\w.-]+")


class PipelineWeights(NamedTuple):
    """Weights that were found, not yet read."""

    source: str
    """Folder or hub id, as diffusers takes it."""
    revision: str | None
    """Commit on the hub, so that what is loaded is what was identified; ``None`` for folders."""
    identity: str
    """``OWNER/NAME@COMMIT``, or ``folder:`` and a hash of the files."""
    pipeline: str
    """Class of the pipeline, as ``model_index.json`` says."""

    @property
    def short(self) -> str:
        """The identity for people: the commit or hash cut to 12 digits."""
        head, mark, rest = self.identity.partition("@" if self.revision else ":")
        return head + mark + rest[:12]


def find_pipeline(
    place: str, revision: str | None = None, download: bool = True
) -> PipelineWeights:
    """Return the weights of a pipeline that is named by a folder or a hub id.

    Args:
        place: a folder with ``model_index.json``, or ``OWNER/NAME`` on the hub.
        revision: branch, tag or commit on the hub; ``None`` is ``main``.
        download: whether the hub may be asked; otherwise only this machine's cache is.

    Raises:
        ModelUnavailable: there is no pipeline; says where it looked and what to do.

    >>> from eyeprint.errors import ModelUnavailable
    >>> try:
    ...     find_pipeline("no/such/folder")
    ... except ModelUnavailable as error:
    ...     print(str(error)[:36])
    'no/such/folder' is no folder and no
    """
    folder = Path(place).expanduser()
    if folder.is_dir():
        index = read_config(folder / INDEX) if (folder / INDEX).is_file() else None
        if index is None:
            raise ModelUnavailable(
                f"{folder}: holds no {INDEX}, so no pipeline of diffusers. Give the folder that "
                "save_pretrained() wrote, or a hub id."
            )
        identity = f"folder:{folder_identity(folder, index)}"
        return PipelineWeights(str(folder), None, identity, _class_of(index, str(folder)))
    if not _HUB_ID.fullmatch(place):
        raise ModelUnavailable(
            f"'{shown(place)}' is no folder and no name on the hub (OWNER/NAME). Give the folder "
            f"that holds the pipeline's {INDEX}."
        )
    path = _in_cache(place, revision) or (_from_hub(place, revision) if download else None)
    if path is None:
        raise ModelUnavailable(
            f"{place} is not in the Hugging Face cache of this machine. Fetch it with: "
            f"hf download {place} , or name a folder with its files."
        )
    commit = path.parent.name
    return PipelineWeights(place, commit, f"{place}@{commit}", _class_of(read_config(path), place))


def folder_identity(folder: Path, index: dict[str, Any]) -> str:
    """Return a SHA-256 over the files of a pipeline's parts: names, sizes and samples.

    Files up to 1 MiB are read whole; of larger ones 256 samples of 4 KiB, evenly spread, so
    that a pipeline of any size takes well under a second. Files that belong to no part, such
    as a model card, do not count.
    """
    parts = {name for name, value in index.items() if isinstance(value, list)}
    state = hashlib.sha256(b"eyeprint pipeline 1\n")
    state.update(json.dumps(index, sort_keys=True).encode())
    for path in sorted(folder.rglob("*")):
        relative = path.relative_to(folder)
        if relative.parts[0] in parts and path.suffix in _ENDINGS and path.is_file():
            size = path.stat().st_size
            state.update(f"\n{relative.as_posix()} {size}\n".encode())
            for piece in _samples(path, size):
                state.update(piece)
    return state.hexdigest()


def _samples(path: Path, size: int) -> list[bytes]:
    with path.open("rb") as file:
        if size <= _SMALL:
            return [file.read()]
        pieces = []
        for n in range(SAMPLES):
            file.seek((size - SAMPLE_BYTES) * n // (SAMPLES - 1))
            pieces.append(file.read(SAMPLE_BYTES))
        return pieces


def _class_of(index: dict[str, Any], place: str) -> str:
    name = index.get("_class_name")
    # Some pipelines are named together with the module that brings their class.
    name = name[-1] if isinstance(name, list) and name else name
    if not isinstance(name, str):
        raise ModelUnavailable(f"{place}: its {INDEX} does not name a pipeline (_class_name).")
    return name


def _in_cache(place: str, revision: str | None) -> Path | None:
    from huggingface_hub import try_to_load_from_cache

    hit = try_to_load_from_cache(place, INDEX, revision=revision or "main")
    return Path(hit) if isinstance(hit, str) else None


def _from_hub(place: str, revision: str | None) -> Path:
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import HfHubHTTPError

    try:
        return Path(hf_hub_download(place, INDEX, revision=revision))
    # The hub's client reports an unreachable host and a full disk alike as OSError.
    except (OSError, HfHubHTTPError) as error:
        reason = (str(error) or type(error).__name__).splitlines()[0]
        raise ModelUnavailable(
            f"{place} is not on this machine, and the hub did not give it ({reason}). Check the "
            "name, the network, and whether you must log in to it and accept its licence "
            "(hf auth login); or name a folder with its files."
        ) from error
