"""From a request to a pipeline's arguments, and from its output to a picture or a failure."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from eyeprint.models.kinds import Painted, PaintRequest
from eyeprint.models.painter_pipelines import PipelineSettings
from eyeprint.models.painter_table import PainterRow
from eyeprint.records.pictures import Picture, PictureFacts


def parameters_of(pipe: Any) -> frozenset[str]:
    """Return the names of what a pipeline's call takes."""
    return frozenset(inspect.signature(type(pipe).__call__).parameters)


def unmet_by(
    name: str, row: PainterRow, ways: Collection[str], request: PaintRequest, way: str
) -> str | None:
    """Return what of a request this painter cannot honour, or ``None``.

    >>> from eyeprint.models.painter_table import painter_rows
    >>> sdxl = painter_rows()["diffusers/sdxl"]
    >>> unmet_by("sdxl", sdxl, sdxl.ways, PaintRequest("a door", width=1001), "text")
    'sdxl paints widths that are multiples of 8: 1000 or 1008, not 1001.'
    """
    if way not in ways:
        return f"{name} paints by {' and '.join(sorted(ways))}, not by '{way}'."
    if not request.prompt.strip():
        return f"{name} was given a blank prompt."
    given = len(request.references)
    if way == "text" and given:
        return f"{name} was given reference pictures for the way 'text', which takes none."
    if way != "text" and not given:
        return f"{name} was given no reference picture for the way '{way}'."
    if way == "edit" and given > row.references:
        more = (
            " diffusers/qwen-image-edit-2509 takes up to 3."
            if row.pipeline == "QwenImageEditPipeline"
            else ""
        )
        return f"{name} takes {row.references} reference, and was given {given}.{more}"
    for side, pixels in (("widths", request.width), ("heights", request.height)):
        if pixels is not None and pixels % row.multiple:
            low = pixels // row.multiple * row.multiple
            near = f"{low} or {low + row.multiple}" if low else str(row.multiple)
            return (
                f"{name} paints {side} that are multiples of {row.multiple}: {near}, not {pixels}."
            )
    return None


def arguments_for(
    request: PaintRequest,
    row: PainterRow,
    settings: PipelineSettings,
    takes: Collection[str],
    seed_of: Any,
) -> dict[str, Any]:
    """Return what a pipeline is called with; what neither request nor table says is left out.

    ``seed_of`` makes a generator of a seed. It is a CPU generator on every device: the
    pictures of one seed start from the same noise everywhere.

    Raises:
        ValueError: the pipeline does not take what is set.
    """
    arguments: dict[str, Any] = {"prompt": request.prompt, "generator": seed_of(request.seed)}

    def put(name: str, value: Any) -> None:
        if value is None:
            return
        if name not in takes:
            raise ValueError(f"the pipeline takes no {name}, which this run sets")
        arguments[name] = value

    put("num_inference_steps", _first(request.steps, settings.steps, row.steps))
    guidance = _first(request.guidance, settings.guidance, row.guidance)
    usual = "guidance_scale" if "guidance_scale" in takes else "true_cfg_scale"
    field = row.guidance_field or usual
    put(field, guidance)
    put("width", request.width or settings.width)
    put("height", request.height or settings.height)
    put("max_sequence_length", row.max_sequence_length)
    negative = request.negative or _first(settings.negative, row.negative) or ""
    if negative.strip():
        if field == "guidance_scale" and "true_cfg_scale" in takes:
            raise ValueError(
                "a model distilled for guidance, such as Flux, takes no negative prompt"
            )
        put("negative_prompt", negative)
    elif field == "true_cfg_scale" and "negative_prompt" in takes:
        # Without any, these pipelines would turn guidance off.
        arguments["negative_prompt"] = " "
    if request.references:
        from PIL import Image

        images = [Image.fromarray(picture.pixels) for picture in request.references]
        put("image", images[0] if len(images) == 1 else images)
    return arguments


def _first(*values: Any) -> Any:
    return next((value for value in values if value is not None), None)


def read_output(output: Any, name: str, dtype: str) -> Painted:
    """Return the picture in a pipeline's output (``output_type="np"``), or why it is none.

    Not-a-number pixels and pictures that are black throughout are failures of the arithmetic
    (mostly float16), not pictures; what a safety checker blanked is refused.
    """
    flagged = getattr(output, "nsfw_content_detected", None)
    if flagged is not None and any(flagged):
        return Painted(None, "refused", f"The safety checker of {name} blanked the picture.")
    values = np.asarray(output.images[0], dtype=np.float32)
    if not np.isfinite(values).all():
        share = 1 - np.isfinite(values).mean()
        return Painted(
            None, "bad_reply", f"{name}: {share:.0%} of the pixels are no numbers. {_advice(dtype)}"
        )
    pixels = (np.clip(values, 0.0, 1.0) * 255).round().astype(np.uint8)
    if not pixels.any():
        return Painted(
            None, "bad_reply", f"{name}: the picture is black throughout. {_advice(dtype)}"
        )
    return Painted(Picture.of(pixels, PictureFacts(source=name)))


def _advice(dtype: str) -> str:
    if dtype == "float16":
        return "float16 overflows in some decoders: set dtype=bfloat16 or dtype=float32."
    return "Check the weights, or set dtype=float32."


def cut_note(pipe: Any, prompt: str, row: PainterRow) -> str:
    """Return a note when every text encoder of a pipeline reads less than the whole prompt.

    CLIP reads 77 tokens, so SDXL sees the beginning of a long enriched prompt only; Flux has
    a T5 encoder beside it that reads 512.
    """
    parts: Mapping[str, Any] = pipe.components
    tokenizers = [part for name, part in parts.items() if name.startswith("tokenizer") and part]
    losses = []
    for tokenizer in tokenizers:
        most = _most_tokens(pipe, tokenizer, row)
        count = len(tokenizer(prompt, truncation=False, verbose=False)["input_ids"])
        losses.append((count - most, count, most))
    if not losses or min(losses)[0] <= 0:
        return ""
    _, count, most = min(losses)
    return f"the painter read {most} of the prompt's {count} tokens"


def _most_tokens(pipe: Any, tokenizer: Any, row: PainterRow) -> int:
    if "CLIP" in type(tokenizer).__name__:
        return int(tokenizer.model_max_length)
    own = inspect.signature(type(pipe).__call__).parameters.get("max_sequence_length")
    fallback = own.default if own is not None and isinstance(own.default, int) else None
    most = getattr(pipe, "tokenizer_max_length", None) if "Qwen" in type(pipe).__name__ else None
    return int(row.max_sequence_length or most or fallback or tokenizer.model_max_length)
