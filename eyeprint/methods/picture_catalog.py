"""The picture methods by name: ours, and those that other packages register.

A picture method is an async function ``(ask, settings, models) -> PaintPlan``. A package
adds one under the entry-point group ``eyeprint.picture_methods``. ``asks`` says whether
a writer (VLM or offline) takes part, so that a run repeats it for each writer.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple, get_args

from eyeprint.errors import UnknownName, UsageError
from eyeprint.methods.picture_setting import PictureMethod
from eyeprint.models.plugins import imported, plugins
from eyeprint.records.cases import Way


class PictureMethodEntry(NamedTuple):
    """Where a method is, how its painter is conditioned, and whether a writer takes part."""

    place: str
    way: Way
    asks: bool
    paradigm: str
    """The paper's name of the family, for the groups of its tables (P2, P49)."""


OURS = {
    "no_preference": PictureMethodEntry(
        "eyeprint.methods.picture_plain:no_preference", "text", False, "No preference"
    ),
    "dreambooth": PictureMethodEntry(
        "eyeprint.methods.picture_plain:dreambooth", "tune", False, "Test-time tuning"
    ),
    "edit_1ref": PictureMethodEntry(
        "eyeprint.methods.picture_plain:edit_1ref", "edit", False, "Joint conditioning"
    ),
    "edit_2ref": PictureMethodEntry(
        "eyeprint.methods.picture_plain:edit_2ref", "edit", False, "Joint conditioning"
    ),
    "fabric": PictureMethodEntry(
        "eyeprint.methods.picture_plain:fabric", "feedback", False, "Separate conditioning"
    ),
    "fusion": PictureMethodEntry(
        "eyeprint.methods.picture_fusion:fusion", "text", True, "VLM conditioning fusion"
    ),
    "vprag_refs": PictureMethodEntry(
        "eyeprint.methods.picture_vprag:vprag_refs", "text", True, "Retrieval (VPRAG)"
    ),
}
"""Name -> entry, in the order of the paper's Table 1; VPRAG, which is not in it, last."""

GROUP = "eyeprint.picture_methods"


def picture_method_names() -> tuple[str, ...]:
    """Return all names: ours first, then those of installed packages by name."""
    return (*OURS, *plugins(GROUP))


def picture_method(name: str) -> tuple[PictureMethod, PictureMethodEntry]:
    """Return a method and its entry. A plug-in may carry ``way``, ``asks`` and ``paradigm``.

    Raises:
        UnknownName: there is none.
        UsageError: a package registered one that cannot be imported, or that is no method.

    >>> picture_method("fusion")[1].asks
    True
    """
    entry = OURS.get(name)
    if entry is not None:
        module, _, attribute = entry.place.partition(":")
        method: PictureMethod = getattr(import_module(module), attribute)
        return method, entry
    point = plugins(GROUP).get(name)
    if point is None:
        raise UnknownName("picture method", name, picture_method_names())
    loaded: PictureMethod = imported(point)
    way: Any = getattr(loaded, "way", "text")
    if not callable(loaded) or way not in get_args(Way):
        wrong = f"the way {way!r}" if callable(loaded) else "something that cannot be called"
        raise UsageError(
            f"'{name}' is registered as {point.value}, which has {wrong}: a picture method is an "
            f"async function whose 'way' is one of {', '.join(get_args(Way))}."
        )
    return loaded, PictureMethodEntry(
        point.value,
        way,
        bool(getattr(loaded, "asks", False)),
        str(getattr(loaded, "paradigm", "Others")),
    )
