"""From a painter's name to the painter: one lazy table, and what plug-ins add to it (X4).

=================================== ==================================================
``sketch``                          draws from the prompt's words; no weights, no network
``folder:DIR``                      ready pictures; ``folder:DIR?pattern={id}.png``
``diffusers/qwen-image`` ...        the rows of ``data/painters.toml`` (Qwen-Image,
                                    Qwen-Image-Edit, Flux, SDXL) on this machine
``diffusers/HUB_ID`` or ``/PATH``   any other text-to-image pipeline of diffusers
``dreambooth/qwen-image`` ...       the same, tuned on the references first (P60)
``fabric/dreamlike-photoreal`` ...  the references as positive feedback (P63)
``openai/gpt-image-1``, ``HOST/MODEL``  a server of ``data/hosts.toml``
``http://HOST:PORT/v1#MODEL``       any server with the OpenAI images protocol
NAME or NAME/...                    an entry point of the group ``eyeprint.models``: a
                                    callable from the whole name to a Painter
=================================== ==================================================

Settings can follow the name: ``diffusers/sdxl?steps=30&width=768``. Nothing is imported
before a name asks for it, and no weights are read before the first picture.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec

from eyeprint.config import Settings
from eyeprint.errors import MissingExtra, UnknownName, UsageError
from eyeprint.models.hosts import hosts, is_address
from eyeprint.models.kinds import Painter
from eyeprint.models.painter_table import (
    FAMILIES,
    name_with,
    painter_rows,
    read_options,
    settings_with,
)
from eyeprint.models.plugins import MODELS, model_of_plugin, plugins
from eyeprint.models.retries import Waiting


def painter_names() -> list[str]:
    """Return the names, and patterns of names, that :func:`load_painter` knows.

    >>> "diffusers/qwen-image" in painter_names()
    True
    """
    patterns = ["folder:DIR", *(f"{family}/HUB_ID_OR_PATH" for family in FAMILIES)]
    servers = [f"{host}/MODEL" for host in hosts()] + ["http://HOST:PORT/v1#MODEL"]
    return ["sketch", *patterns, *sorted(painter_rows()), *servers, *plugins(MODELS)]


def load_painter(
    name: str,
    *,
    settings: Settings | None = None,
    on_wait: Callable[[Waiting], None] | None = None,
    needs_key: bool = True,
) -> Painter:
    """Return the painter of a name; see the module's table.

    Args:
        name: the catalogue name, with settings behind a question mark if there are any.
        settings: settings of that kind of painter; the name's own settings go over them.
        on_wait: told of every wait before a server is asked again.
        needs_key: false for a painter that will not be asked, as in a dry run.

    Raises:
        UnknownName: no painter has that name.
        UsageError: a setting is wrong, or there is no such folder.
        MissingExtra: it runs on torch and diffusers, and they are not installed.
        ModelUnavailable: a path has no pipeline, or a server's key is not set.

    >>> load_painter("sketch").name
    'sketch'
    """
    if name.partition("?")[0] == "sketch":
        return _sketch(name, settings)
    if name.startswith("folder:"):
        from eyeprint.models.painter_folder import FolderSettings, folder_painter

        return folder_painter(name, settings_with(FolderSettings, settings, {}, name))
    made = model_of_plugin(name)
    if made is not None:
        if not isinstance(made, Painter):
            raise UsageError(f"The plug-in for '{name}' makes no painter: it lacks paint().")
        return made
    family = name.partition("/")[0]
    if family in FAMILIES:
        return _on_this_machine(name, family, settings)
    if is_address(name):
        from eyeprint.models.painter_http import HttpPainterSettings, http_painter

        given = settings_with(HttpPainterSettings, settings, {}, name)
        return http_painter(name, settings=given, on_wait=on_wait, needs_key=needs_key)
    raise UnknownName("painter", name, painter_names())


def _sketch(name: str, settings: Settings | None) -> Painter:
    from eyeprint.models.sketch import SketchPainter, SketchSettings

    options = read_options(name, name.partition("?")[2])
    painter = SketchPainter(settings_with(SketchSettings, settings, options, name))
    painter.name = name_with("sketch", painter.settings, frozenset())
    return painter


def _on_this_machine(name: str, family: str, settings: Settings | None) -> Painter:
    needed = ("torch", "diffusers", "transformers", *(("peft",) if family == "dreambooth" else ()))
    missing = [package for package in needed if find_spec(package) is None]
    if missing:
        raise MissingExtra(f"The painter '{name}'", " and ".join(missing), "images")
    if family == "dreambooth":
        from eyeprint.models.painter_dreambooth import dreambooth_painter

        return dreambooth_painter(name, settings)
    if family == "fabric":
        from eyeprint.models.painter_fabric import fabric_painter

        return fabric_painter(name, settings)
    from eyeprint.models.painter_diffusers import diffusers_painter

    return diffusers_painter(name, settings)
