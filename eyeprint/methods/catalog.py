"""The methods by name: ours, and those that other packages register.

A method is a function ``(person, query, settings, models) -> Material``. A package adds
one under the entry-point group ``eyeprint.methods``.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from eyeprint.errors import UnknownName
from eyeprint.methods.setting import MethodModels, MethodSettings
from eyeprint.models.plugins import imported, plugins
from eyeprint.records.people import Persona
from eyeprint.records.work import Material, Query

Method = Callable[[Persona, Query, MethodSettings, MethodModels], Material]

OURS = {
    "baseline": "eyeprint.methods.plain:baseline",
    "persona_only": "eyeprint.methods.plain:persona_only",
    "brag": "eyeprint.methods.brag:brag",
    "vprag": "eyeprint.methods.vprag:vprag",
    "comb": "eyeprint.methods.blend:comb",
}
"""Name -> where it is, in the order of the paper's tables."""

GROUP = "eyeprint.methods"


def method_names() -> tuple[str, ...]:
    """Return all names: ours first, then those of installed packages by name."""
    return (*OURS, *plugins(GROUP))


def load_method(name: str) -> Method:
    """Return the method of that name.

    Raises:
        UnknownName: there is none.
        UsageError: a package registered one that cannot be imported.

    >>> load_method("baseline").__name__
    'baseline'
    """
    if name in OURS:
        module, _, attribute = OURS[name].partition(":")
        method: Method = getattr(import_module(module), attribute)
        return method
    point = plugins(GROUP).get(name)
    if point is not None:
        loaded: Method = imported(point)
        return loaded
    raise UnknownName("method", name, method_names())
