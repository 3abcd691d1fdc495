"""What other packages add under an entry-point group, by name."""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points
from typing import Any

from eyeprint.errors import UsageError

MODELS = "eyeprint.models"
"""Chat models and text encoders: callables that take the whole name and return one."""


def plugins(group: str) -> dict[str, EntryPoint]:
    """Return name -> entry point of a group, in the order of the names."""
    return dict(sorted((point.name, point) for point in entry_points(group=group)))


def imported(point: EntryPoint) -> Any:
    """Return what an entry point stands for.

    Raises:
        UsageError: it cannot be imported; the message says what its package registered.
    """
    try:
        return point.load()
    except (ImportError, AttributeError) as error:
        raise UsageError(
            f"'{point.name}' is registered as {point.value}, which cannot be imported: {error}. "
            "Repair or uninstall that package."
        ) from error


def model_of_plugin(name: str) -> Any | None:
    """Return what a plug-in makes of a model's name, or ``None`` when there is no such one.

    A plug-in ``NAME`` answers to ``NAME`` and to ``NAME/...``.

    >>> model_of_plugin("no-such-plug-in/model") is None
    True
    """
    points = plugins(MODELS)
    point = points.get(name) or points.get(name.partition("/")[0])
    return None if point is None else imported(point)(name)
