"""What turns messages into numbers for a chat model on this machine, without torchvision.

The library's processors of models that also watch videos want torchvision, which nothing else
here needs. They are built without their reader of videos, and their pictures are read by PIL
wherever the library has a PIL reader, with torchvision installed or not: a picture has the
same numbers on every machine.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from eyeprint.errors import ModelUnavailable

NAMED_IN = ("processor_config.json", "preprocessor_config.json", "tokenizer_config.json")
"""Files that may name the processor's class, the likeliest first."""


def processor_of(source: str, config: Any, **where: Any) -> Any:
    """Return the processor of a model with pictures.

    Args:
        source: folder or hub id.
        config: the model's configuration object.
        where: revision and so on, as ``from_pretrained`` takes them.

    Raises:
        ModelUnavailable: the library has no processor for it, or it cannot be built.
    """
    import transformers

    name = _class_name(source, config, where)
    kind: Any = getattr(transformers, name, None) if name else None
    if kind is None:
        raise ModelUnavailable(
            f"{source}: the installed transformers {transformers.__version__} has no processor "
            f"{name or 'for models of type ' + repr(config.model_type)}."
        )
    wanted = kind.get_attributes()
    parts: dict[str, Callable[[], Any]] = {
        "image_processor": lambda: transformers.AutoImageProcessor.from_pretrained(
            source, **_by_pil(), **where
        ),
        "tokenizer": lambda: transformers.AutoTokenizer.from_pretrained(source, **where),
        "feature_extractor": lambda: transformers.AutoFeatureExtractor.from_pretrained(
            source, **where
        ),
        "video_processor": lambda: None,
    }
    unknown = [each for each in wanted if each not in parts]
    if unknown:
        raise ModelUnavailable(f"{source}: its processor {name} needs {', '.join(unknown)}.")
    about, _ = kind.get_processor_dict(source, **where)
    return _without_videos(kind).from_args_and_dict([parts[each]() for each in wanted], about)


@cache
def _by_pil() -> dict[str, Any]:
    import transformers

    # Until 5.3 the readers by PIL were those that are not "fast".
    named = hasattr(transformers, "Qwen2VLImageProcessorPil")
    return {"backend": "pil"} if named else {"use_fast": False}


@cache
def _without_videos(kind: Any) -> Any:
    class PictureProcessor(kind):  # type: ignore[misc]
        def check_argument_for_proper_class(self, argument_name: str, argument: Any) -> Any:
            if argument_name == "video_processor" and argument is None:
                return type(None)
            return super().check_argument_for_proper_class(argument_name, argument)

    PictureProcessor.__name__ = kind.__name__
    return PictureProcessor


def _class_name(source: str, config: Any, where: dict[str, Any]) -> str | None:
    from transformers.models.auto.processing_auto import PROCESSOR_MAPPING_NAMES
    from transformers.utils import cached_file

    for file in NAMED_IN:
        path: str | None = cached_file(
            source,
            file,
            _raise_exceptions_for_missing_entries=False,
            _raise_exceptions_for_connection_errors=False,
            **where,
        )
        if path is not None:
            named = json.loads(Path(path).read_text(encoding="utf-8")).get("processor_class")
            if isinstance(named, str):
                return named
    found = PROCESSOR_MAPPING_NAMES.get(config.model_type)
    return found if isinstance(found, str) else None
