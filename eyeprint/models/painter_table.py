"""The painters that run through diffusers, as data, and how their names are read.

A name is ``FAMILY/MODEL`` with settings behind a question mark if there are any:
``diffusers/qwen-image?steps=20&width=768``. MODEL is a row of ``data/painters.toml``, an
id of the Hugging Face hub, or the path of a folder with ``model_index.json``. An id that
the table knows means the table's row.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any, Literal, NamedTuple
from urllib.parse import parse_qsl, quote

from pydantic import Field

from eyeprint.config import Settings
from eyeprint.errors import UsageError
from eyeprint.records.cases import Way

Dtype = Literal["float32", "float16", "bfloat16"]
FAMILIES = ("diffusers", "dreambooth", "fabric")
"""First parts of the names that this table is about."""


class PainterRow(Settings):
    """One row of ``data/painters.toml``: where a model is, and its settings."""

    hub_id: str
    pipeline: str
    ways: tuple[Way, ...]
    steps: int | None = Field(default=None, ge=1)
    guidance: float | None = None
    guidance_field: Literal["guidance_scale", "true_cfg_scale"] | None = None
    negative: str | None = None
    dtype: Dtype = "float32"
    multiple: int = Field(default=8, ge=1)
    references: int = Field(default=0, ge=0)
    variant: str | None = None
    max_sequence_length: int | None = Field(default=None, ge=1)
    released: bool = False
    """Whether the values are those of the scripts released with PIPBench."""


@cache
def painter_rows() -> dict[str, PainterRow]:
    """Return name -> row for every row of ``data/painters.toml``.

    >>> painter_rows()["diffusers/qwen-image"].steps
    50
    """
    text = files("eyeprint.models").joinpath("data/painters.toml").read_text(encoding="utf-8")
    return {name: PainterRow.model_validate(row) for name, row in tomllib.loads(text).items()}


class PainterName(NamedTuple):
    """A painter's name, taken apart."""

    family: str
    """``diffusers``, ``dreambooth`` or ``fabric``."""
    model: str
    """A row's name without its family, a hub id, or a path."""
    options: dict[str, str]
    """Settings behind the question mark, as they are written."""

    @property
    def row(self) -> PainterRow | None:
        """The table's row, or ``None`` for a model that is named by id or path."""
        return painter_rows().get(f"{self.family}/{self.model}")


def read_painter_name(name: str) -> PainterName:
    """Take a name apart; a hub id that the family's rows know becomes the row's name.

    Raises:
        UsageError: the model is missing, or what follows the question mark is no
            ``key=value&key=value``.

    >>> read_painter_name("diffusers/Qwen/Qwen-Image?steps=20")
    PainterName(family='diffusers', model='qwen-image', options={'steps': '20'})
    """
    base, _, query = name.partition("?")
    family, _, model = base.partition("/")
    if not model:
        known = ", ".join(sorted(row for row in painter_rows() if row.startswith(f"{family}/")))
        raise UsageError(f"'{name}' lacks the model. Write {known}, a hub id, or a path.")
    for row_name, row in painter_rows().items():
        row_family, _, short = row_name.partition("/")
        if row_family == family and row.hub_id == model:
            model = short
    return PainterName(family, model, read_options(name, query))


def read_options(name: str, query: str) -> dict[str, str]:
    """Read ``key=value&key=value``; the name is for the message.

    Raises:
        UsageError: it is not of that form, or names a key twice.
    """
    try:
        pairs = parse_qsl(query, keep_blank_values=True, strict_parsing=True) if query else []
    except ValueError as error:
        raise UsageError(
            f"'{name}': what follows the question mark must be settings: ?steps=20&width=768."
        ) from error
    options = dict(pairs)
    if len(options) < len(pairs):
        raise UsageError(f"'{name}' names a setting twice.")
    return options


def settings_with(
    kind: type[Settings], given: Settings | None, options: dict[str, str], name: str
) -> Any:
    """Return settings of a kind: what was given, with the options of the name on top.

    Raises:
        UsageError: settings of another kind, or an option that is unknown or out of range.
    """
    if given is not None and not isinstance(given, kind):
        raise UsageError(
            f"The painter '{name}' takes {kind.__name__}, and was given {type(given).__name__}."
        )
    if not options:
        return given or kind()
    values = given.model_dump(exclude_unset=True) if given is not None else {}
    return kind.checked(values | options, where=f"painter '{name}'")


def name_with(base: str, settings: Settings, leave_out: frozenset[str]) -> str:
    """Return a name that tells its settings apart: those which differ from the defaults.

    ``leave_out`` are settings that do not change a picture, such as the device.

    >>> from eyeprint.models.hosts import Host
    >>> name_with("sketch", Settings(), frozenset())
    'sketch'
    """
    plain = type(settings)()
    told = [
        f"{key}={quote(str(getattr(settings, key)), safe='/:,. ')}"
        for key in sorted(type(settings).model_fields)
        if key not in leave_out and getattr(settings, key) != getattr(plain, key)
    ]
    return base + ("?" + "&".join(told) if told else "")
