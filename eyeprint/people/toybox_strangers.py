"""Draws who is in a picture without being the concept: stand-ins on negatives, bystanders (M17).

Whoever it is differs from the concept in several attributes, and in one of the three keywords
of its simple description: no description of the concept is true of a stranger.
"""

from __future__ import annotations

from eyeprint.people.toybox_looks import Look, apart, changed, draw_look, looks_table
from eyeprint.people.toybox_settings import ToyboxSettings
from eyeprint.people.toybox_words import keywords
from eyeprint.randomness import Stream

_TRIES = 500


def is_stranger(look: Look, other: Look, least: int) -> bool:
    """Tell whether nobody would take ``other`` for ``look``, whatever description they know."""
    return look.kind != other.kind or (
        apart(look, other) >= least and not set(keywords(look)) <= set(keywords(other))
    )


def draw_twin(look: Look, settings: ToyboxSettings, draw: Stream) -> Look:
    """Return somebody of the same kind that differs in ``twin_changes`` attributes, or a few more.

    >>> from eyeprint.randomness import stream
    >>> cat = draw_look("animal", "cat", stream(1, "cat", 1))
    >>> other = draw_twin(cat, ToyboxSettings(), stream(1, "twin", 1))
    >>> other.kind, is_stranger(cat, other, 3)
    ('cat', True)
    """
    least = settings.twin_changes
    for more in range(_TRIES):
        # Slots that come out alike do not count: more are drawn when it takes long.
        other = changed(look, least + 1 + more // 50, draw)
        if is_stranger(look, other, least):
            return other
    return draw_stranger(look, settings, draw)


def draw_stranger(look: Look, settings: ToyboxSettings, draw: Stream) -> Look:
    """Return somebody of the category and of another kind."""
    kinds = [
        kind for kind in looks_table()["category"][look.category]["kinds"] if kind != look.kind
    ]
    return draw_look(look.category, draw.pick(kinds), draw)
