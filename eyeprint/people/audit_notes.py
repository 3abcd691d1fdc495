"""What the builder wrote down about a person: the extra field ``build`` (CHECKLIST V12, V14).

Pruning leaves no trace in a vocabulary, and whether "a green door" is a motif of Ghana is
not in the text: both are known only where the builder says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eyeprint.records.people import FACETS, Persona

DRAWN_KEYS = ("elements_before_pruning", "vocabulary_drawn")
"""Under the first of these stands how many entries were drawn: a number, or one per facet."""
REGIONAL_KEYS = ("regional_share", "regional_shares", "regional_in_table", "regional_marked")
"""Under the first of these stands the share of regional motifs: a number, or one per facet."""


def build_notes(person: Persona) -> Mapping[str, Any]:
    """Return the builder's notes on a person, {} when there are none."""
    notes = (person.model_extra or {}).get("build")
    return notes if isinstance(notes, dict) else {}


def drawn_entries(person: Persona) -> int | None:
    """Return how many vocabulary entries were drawn before pruning, ``None`` if unknown.

    >>> drawn_entries(Persona(id="a", build={"elements_before_pruning": 52}))
    52
    """
    note = _first(build_notes(person), DRAWN_KEYS)
    if _is_number(note):
        return int(note)
    parts = drawn_by_facet(person)
    return sum(parts.values()) if parts else None


def drawn_by_facet(person: Persona) -> dict[str, int]:
    """Return facet -> entries drawn, {} where the notes have no count per facet.

    >>> drawn_by_facet(Persona(id="a", build={"vocabulary_drawn": {"background": 17}}))
    {'background': 17}
    """
    note = _first(build_notes(person), DRAWN_KEYS)
    if not isinstance(note, dict):
        return {}
    return {facet: int(count) for facet, count in note.items() if _is_number(count)}


def regional_shares(person: Persona) -> dict[str, float]:
    """Return facet -> share of regional motifs as the builder counted it, {} if unknown.

    >>> regional_shares(Persona(id="a", build={"regional_share": {"background": 0.8}}))
    {'background': 0.8}
    """
    note = _first(build_notes(person), REGIONAL_KEYS)
    if _is_number(note):
        return dict.fromkeys(FACETS, float(note))
    if not isinstance(note, dict):
        return {}
    return {facet: float(share) for facet, share in note.items() if _is_number(share)}


def place_notes(person: Persona) -> tuple[bool, bool] | None:
    """Return whether the place was drawn, and moved by an override (V12); ``None`` if unknown.

    >>> place_notes(Persona(id="a", build={"location_drawn": True, "location_overridden": False}))
    (True, False)
    """
    notes = build_notes(person)
    drawn, moved = notes.get("location_drawn"), notes.get("location_overridden")
    if isinstance(drawn, bool) and isinstance(moved, bool):
        return drawn, moved
    return None


def _first(notes: Mapping[str, Any], keys: tuple[str, ...]) -> Any:
    return next((notes[key] for key in keys if notes.get(key) is not None), None)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
