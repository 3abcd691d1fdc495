"""CLIP, pictures and texts in one space: the columns CLS (CHECKLIST P46, P47, X3).

The released evaluator uses OpenAI's ViT-B/32 with its own activation x · σ(1.702 x)
("quick GELU"), pictures framed by :mod:`eyeprint.models.picture_tensors`, and texts of at
most 77 tokens: a longer text is cut, and its end token, whose place carries the vector, is
kept. Entities such as ``&amp;`` are resolved first, twice, as OpenAI's tokeniser does.
"""

from __future__ import annotations

import html
import json
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from eyeprint.config import fingerprint_of
from eyeprint.errors import ModelUnavailable, UsageError
from eyeprint.models.held_model import ImageEncoderSettings, PlacedEncoder
from eyeprint.models.kinds import Encoded, Vectors
from eyeprint.models.picture_tensors import CLIP_MEAN, CLIP_STD, FRAMING
from eyeprint.records.pictures import Picture

if TYPE_CHECKING:
    from tokenizers import Tokenizer

HUB = "openai/clip-vit-base-patch32"
_RECIPE = 1
"""Raised when the computation changes in a way that could change vectors."""


class ClipEncoder(PlacedEncoder):
    """The image and text encoder ``clip`` (``clip:PLACE`` for another folder or hub id).

    The files are found when it is made, and loaded with the first picture or text.

    Args:
        place: folder or hub id of a CLIP model saved by transformers; empty takes
            ViT-B/32 of OpenAI.
        settings: device, batch size, and whether the hub may be asked.

    Raises:
        MissingExtra: torch or transformers is not installed.
        ModelUnavailable: the files are not there, or are of another kind of model.
    """

    KIND = "clip"
    HUB = HUB
    MODEL_TYPE = "clip"
    FILES = ("config.json", "tokenizer.json")
    column = "CLS"

    def __init__(self, place: str = "", settings: ImageEncoderSettings | None = None) -> None:
        super().__init__(place, settings)
        # What a configuration leaves out is as in ViT-B/32.
        vision = self.config.get("vision_config") or {}
        text = self.config.get("text_config") or {}
        self.dim = int(self.config.get("projection_dim", 512))
        self.size = int(vision.get("image_size", 224))
        self.tokens = int(text.get("max_position_embeddings", 77))
        self._activation = str(vision.get("hidden_act", "quick_gelu"))
        self._tokenizer: Tokenizer | None = None
        self._lock = threading.Lock()

    @staticmethod
    def made(library: Any, **about: Any) -> Any:
        """Return the module, and what was said of loading it."""
        return library.CLIPModel.from_pretrained(**about)

    @property
    def fingerprint(self) -> str:
        """SHA-256 over weights, tokeniser, token limit, activation, framing and its scale."""
        return fingerprint_of(
            {
                "encoder": "clip",
                "recipe": _RECIPE,
                **self.digests(),
                "tokens": self.tokens,
                "activation": self._activation,
                "framing": FRAMING,
                "size": self.size,
                "scale": [CLIP_MEAN, CLIP_STD],
            }
        )

    def encode_pictures(self, pictures: Sequence[Picture]) -> Vectors:
        """Return one unit row per picture, shape (n, dim)."""
        if not pictures:
            return np.zeros((0, self.dim), np.float32)
        return self._held.vectors(pictures, self.size, (CLIP_MEAN, CLIP_STD), _picture_rows)

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row per text, shape (n, dim); a blank text gets zeros."""
        return self.encode_counted(texts).vectors

    def encode_counted(self, texts: Sequence[str]) -> Encoded:
        """Encode, and say which texts had more tokens than the model reads and were cut.

        Raises:
            UsageError: ``texts`` is one string rather than a sequence of strings.
            ModelUnavailable: the tokeniser cannot be read.
        """
        if isinstance(texts, str):
            raise UsageError("encode() takes a list of texts, and was given one text.")
        place: dict[str, int] = {}
        rows = np.fromiter((place.setdefault(t, len(place)) for t in texts), np.int64, len(texts))
        tokenizer = self._loaded_tokenizer()
        tokens = [tokenizer.encode(_clean(text)).ids for text in place]
        cut = np.fromiter((len(ids) > self.tokens for ids in tokens), np.bool_, len(tokens))
        vectors = np.zeros((len(tokens), self.dim), np.float32)
        written = [i for i, text in enumerate(place) if text.strip()]
        if written:
            kept = [self._shortened(tokens[i]) for i in written]
            vectors[written] = self._held.unit_rows(self._text_batches(kept), _text_rows)
        return Encoded(vectors[rows], cut[rows])

    def _shortened(self, ids: list[int]) -> list[int]:
        return ids if len(ids) <= self.tokens else [*ids[: self.tokens - 1], ids[-1]]

    def _text_batches(self, tokens: Sequence[list[int]]) -> Iterator[NDArray[np.int64]]:
        for start in range(0, len(tokens), self.settings.batch):
            part = tokens[start : start + self.settings.batch]
            # No token sees what stands after it, so the filling behind the end is not read.
            batch = np.zeros((len(part), max(map(len, part))), np.int64)
            for row, ids in zip(batch, part, strict=True):
                row[: len(ids)] = ids
            yield batch

    def _loaded_tokenizer(self) -> Tokenizer:
        with self._lock:
            if self._tokenizer is None:
                self._tokenizer = _read_tokenizer(self.files.folder / "tokenizer.json")
            return self._tokenizer


def _picture_rows(model: Any, batch: Any) -> Any:
    return model.visual_projection(model.vision_model(pixel_values=batch).pooler_output)


def _text_rows(model: Any, batch: Any) -> Any:
    return model.text_projection(model.text_model(input_ids=batch).pooler_output)


def _clean(text: str) -> str:
    # Half of a surrogate pair (from "\\ud83d" in a JSON file) is no character.
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return html.unescape(html.unescape(whole)).strip()


def _read_tokenizer(path: Path) -> Tokenizer:
    from tokenizers import Tokenizer

    try:
        text = path.read_text(encoding="utf-8")
        # tokenizers raises a bare Exception for every fault of a file: look first.
        kind = json.loads(text)["model"]["type"]
        if kind != "BPE":
            raise ValueError(f"a model of type {kind}, not BPE")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelUnavailable(f"{path}: cannot be read as a tokeniser ({error!r}).") from error
    tokenizer = Tokenizer.from_str(text)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer
