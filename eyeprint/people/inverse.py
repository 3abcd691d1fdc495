"""From captions back to a person: captions -> elements -> preferences -> persona (V22).

Without a model, by :mod:`eyeprint.people.inverse_phrases`: what it finds stands verbatim
in the captions, and nothing about the person is inferred: demographics stay unset, gender
above all. A caption in another language than English is kept without elements, and that
is said.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from eyeprint.config import Settings
from eyeprint.people.captions_in import CaptionIn
from eyeprint.people.inverse_phrases import (
    ExtractSettings,
    Phrase,
    best_of,
    find_phrases,
    is_english,
)
from eyeprint.people.inverse_tastes import (
    Evidence,
    TasteSettings,
    find_preferences,
    vocabulary_of,
)
from eyeprint.records.people import Persona

OFFLINE = "offline"


class ImportSettings(Settings):
    """How captions become a persona without a model."""

    extract: ExtractSettings = ExtractSettings()
    tastes: TasteSettings = TasteSettings()


class Imported(NamedTuple):
    """A persona made from captions, and what there is to say about it."""

    person: Persona
    notes: tuple[str, ...]
    """What a reader should know: captions without elements, too few captions ..."""


def persona_from_captions(
    person_id: str, captions: Sequence[CaptionIn], settings: ImportSettings | None = None
) -> Imported:
    """Return the persona that captions show, found by table look-up.

    Preferences are statements about what recurs; the counts behind them stand in the extra
    field ``preference_evidence``, how the persona was made in ``made_by``.

    >>> one = CaptionIn("A red boat in the fog.", "p1", None, "", "captions.csv", 2)
    >>> made = persona_from_captions("ana", [one])
    >>> made.person.posts[0].elements
    {'foreground': ('A red boat',), 'lighting': ('fog',)}
    """
    settings = settings or ImportSettings()
    readable: list[str] = []
    phrases: list[list[Phrase]] = []
    elements: list[dict[str, list[str]]] = []
    for caption in captions:
        if not is_english(caption.text, settings.extract):
            elements.append({})
            continue
        readable.append(caption.text)
        phrases.append(find_phrases(caption.text, settings.extract))
        elements.append(best_of(phrases[-1], settings.extract))
    evidence = find_preferences(readable, phrases, settings.tastes) if readable else []
    record = persona_record(person_id, captions, elements, evidence, settings.tastes)
    record["summary"] = _summary(evidence, len(captions))
    record["made_by"] = {"writer": OFFLINE, "settings": settings.fingerprint()}
    notes = caption_notes(captions, elements, len(captions) - len(readable))
    return Imported(Persona.model_validate(record), notes)


def persona_record(
    person_id: str,
    captions: Sequence[CaptionIn],
    elements: Sequence[dict[str, list[str]]],
    evidence: Sequence[Evidence],
    settings: TasteSettings,
) -> dict[str, Any]:
    """Return the fields that every import sets; what is not known is not among them."""
    posts = []
    for caption, found in zip(captions, elements, strict=True):
        post: dict[str, Any] = {"id": caption.id}
        post |= {"kind": caption.kind} if caption.kind else {}
        post |= {"time": caption.time} if caption.time else {}
        posts.append(post | {"caption": caption.text, "elements": found})
    return {
        "id": person_id,
        "summary": "",
        "preferences": [row.statement for row in evidence],
        "vocabulary": vocabulary_of(elements, settings),
        "posts": posts,
        "preference_evidence": [row._asdict() for row in evidence],
    }


def caption_notes(
    captions: Sequence[CaptionIn], elements: Sequence[dict[str, list[str]]], foreign: int
) -> tuple[str, ...]:
    """Return what to say about captions that gave nothing, and about too few of them."""
    notes = []
    if foreign:
        notes.append(
            f"{foreign} of {len(captions)} captions do not read as English: they are kept, "
            "without elements. A chat model reads them: --writer MODEL."
        )
    bare = sum(not found for found in elements) - foreign
    if bare > 0:
        notes.append(f"no element was found in {bare} English captions")
    if len(captions) < 10:
        notes.append(
            f"{len(captions)} captions only: the paper's people have at least 10, and what "
            "recurs in fewer is weak evidence (V19)"
        )
    return tuple(notes)


def _summary(evidence: Sequence[Evidence], captions: int) -> str:
    """Return two or three sentences made of the strongest statements."""
    if not evidence:
        return ""
    said = [row.statement for row in evidence[:6]]
    opening = f"Somebody known from {captions} caption{'s' if captions != 1 else ''} only, who "
    first = _joined(said[:3])
    rest = f" This person also {_joined(said[3:])}." if len(said) > 3 else ""
    return f"{opening}{first}.{rest}"


def _joined(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]
