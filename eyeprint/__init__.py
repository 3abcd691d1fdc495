"""eyeprint: would this person have made it, shared it, or picked it?

The public names, loaded when first used so that ``import eyeprint`` stays light.

>>> import eyeprint
>>> len(eyeprint.load_people("mini"))
12
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from eyeprint.errors import EyeprintError
    from eyeprint.methods.rewrite import rewrite
    from eyeprint.methods.setting import MethodSettings
    from eyeprint.models.catalog import load_chat
    from eyeprint.models.painters import load_painter
    from eyeprint.models.pictures import open_picture
    from eyeprint.models.text_encoders import load_encoder
    from eyeprint.people.shipped import load_people
    from eyeprint.people.toybox_shipped import load_concepts
    from eyeprint.protocols.mmpb import run_mmpb
    from eyeprint.protocols.pipbench import run_pipbench
    from eyeprint.protocols.vptt import run_vptt
    from eyeprint.records.cases import Case
    from eyeprint.records.concepts import Concept
    from eyeprint.records.people import Persona, Post
    from eyeprint.records.pictures import Picture
    from eyeprint.records.profiles import Profile
    from eyeprint.records.save import save_people
    from eyeprint.records.work import Query, VpttScore
    from eyeprint.scores.person_space import VpttSettings
    from eyeprint.scores.vptt_score import vptt_score

__version__ = "0.1.0"

_PLACES = {
    "Case": "eyeprint.records.cases",
    "Concept": "eyeprint.records.concepts",
    "EyeprintError": "eyeprint.errors",
    "load_chat": "eyeprint.models.catalog",
    "load_concepts": "eyeprint.people.toybox_shipped",
    "load_encoder": "eyeprint.models.text_encoders",
    "load_painter": "eyeprint.models.painters",
    "load_people": "eyeprint.people.shipped",
    "MethodSettings": "eyeprint.methods.setting",
    "open_picture": "eyeprint.models.pictures",
    "Persona": "eyeprint.records.people",
    "Picture": "eyeprint.records.pictures",
    "Post": "eyeprint.records.people",
    "Profile": "eyeprint.records.profiles",
    "Query": "eyeprint.records.work",
    "rewrite": "eyeprint.methods.rewrite",
    "run_mmpb": "eyeprint.protocols.mmpb",
    "run_pipbench": "eyeprint.protocols.pipbench",
    "run_vptt": "eyeprint.protocols.vptt",
    "save_people": "eyeprint.records.save",
    "vptt_score": "eyeprint.scores.vptt_score",
    "VpttScore": "eyeprint.records.work",
    "VpttSettings": "eyeprint.scores.person_space",
}

__all__ = [
    "Case",
    "Concept",
    "EyeprintError",
    "MethodSettings",
    "Persona",
    "Picture",
    "Post",
    "Profile",
    "Query",
    "VpttScore",
    "VpttSettings",
    "load_chat",
    "load_concepts",
    "load_encoder",
    "load_painter",
    "load_people",
    "open_picture",
    "rewrite",
    "run_mmpb",
    "run_pipbench",
    "run_vptt",
    "save_people",
    "vptt_score",
]


def __getattr__(name: str) -> Any:
    place = _PLACES.get(name)
    if place is None:
        raise AttributeError(f"module 'eyeprint' has no attribute '{name}'")
    value = getattr(import_module(place), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
