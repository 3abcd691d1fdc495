"""Comb.: BRAG's captions and VPRAG's elements in one prompt (V45)."""

from __future__ import annotations

from eyeprint.methods.brag import nearest_captions
from eyeprint.methods.setting import MethodModels, MethodSettings
from eyeprint.methods.vprag import vprag
from eyeprint.records.people import Persona
from eyeprint.records.work import Material, Query


def comb(person: Persona, query: Query, settings: MethodSettings, models: MethodModels) -> Material:
    """Return VPRAG's material with the captions beside it, merged by one writer."""
    found = vprag(person, query, settings, models)
    captions = nearest_captions(person, query, settings, models)
    return found.model_copy(update={"method": "comb", "captions": captions})
