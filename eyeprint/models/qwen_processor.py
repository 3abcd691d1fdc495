"""What Qwen-Image-Edit shows its text encoder: prompts with pictures in them, read by PIL.

The library's own processor also wants a reader of videos, and with it torchvision, which
nothing else here needs. This one does the picture's part of its work. It is used wherever
torchvision is installed too, so that a picture has the same numbers on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

MARK = "<|image_pad|>"
"""Stands once in a prompt for each picture, and is repeated for each of its patches."""


def with_patches(text: str, counts: Sequence[int], mark: str = MARK) -> str:
    """Return a text whose k-th mark is repeated ``counts[k]`` times.

    Raises:
        ValueError: there are not as many marks as counts.

    >>> with_patches("a # b #", [2, 3], "#")
    'a ## b ###'
    """
    pieces = text.split(mark)
    if len(pieces) != len(counts) + 1:
        raise ValueError(f"the prompt has {len(pieces) - 1} places for {len(counts)} pictures")
    parts = [pieces[0]]
    for count, piece in zip(counts, pieces[1:], strict=True):
        parts += [mark * count, piece]
    return "".join(parts)


def picture_processor(source: str, **where: Any) -> Any:
    """Return the processor in a pipeline's folder ``processor``.

    Args:
        source: the pipeline's folder or hub id.
        where: revision and so on, as ``from_pretrained`` takes them.
    """
    import transformers

    reader = getattr(transformers, "Qwen2VLImageProcessorPil", None)
    reader = reader or transformers.Qwen2VLImageProcessor
    return _kind()(
        reader.from_pretrained(source, subfolder="processor", **where),
        transformers.Qwen2Tokenizer.from_pretrained(source, subfolder="processor", **where),
    )


@cache
def _kind() -> Any:
    from transformers import BatchFeature, Qwen2VLProcessor
    from transformers.processing_utils import ProcessorMixin

    # Pipelines check the class of their parts, hence the subclass.
    class PictureProcessor(Qwen2VLProcessor):  # type: ignore[misc]
        def __init__(self, image_processor: Any, tokenizer: Any, **rest: Any) -> None:
            ProcessorMixin.__init__(self, image_processor, tokenizer, **rest)

        def __call__(
            self, images: Any = None, text: Any = None, padding: Any = True, **rest: Any
        ) -> Any:
            texts = [text] if isinstance(text, str) else list(text)
            if images is None:
                return BatchFeature(self.tokenizer(texts, padding=padding, **rest))
            seen = self.image_processor(images=images, return_tensors="pt")
            patches = seen["image_grid_thw"].prod(-1) // self.image_processor.merge_size**2
            counts = [int(count) for count in patches]
            shown = [with_patches(each, counts) for each in texts]
            return BatchFeature({**self.tokenizer(shown, padding=padding, **rest), **seen})

    return PictureProcessor
