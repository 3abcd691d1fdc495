"""Draws up the concepts of the toybox: looks, names, habits, tastes, descriptions, references."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from eyeprint.errors import UsageError
from eyeprint.people.toybox_drawing_things import icons, props, stands
from eyeprint.people.toybox_looks import Look, apart, draw_look, looks_table
from eyeprint.people.toybox_scenes import Scene, reference_scenes
from eyeprint.people.toybox_settings import ToyboxSettings
from eyeprint.people.toybox_words import descriptions, keywords
from eyeprint.randomness import Stream, stream
from eyeprint.records.concept_preferences import preference_text
from eyeprint.records.concepts import CATEGORIES, DOMAINS, Concept, ConceptCategory, Tastes

_TRIES = 4000
HABITS = 2
"""Things that a concept often holds, and that it stands on: one is shown, one is the distractor
that fits the concept only (M18)."""


@dataclass(frozen=True)
class Toy:
    """One concept with what its pictures are made of."""

    concept: Concept
    """Without pictures, which are not drawn yet."""
    look: Look
    props: tuple[str, ...]
    stands: tuple[str, ...]
    likes: tuple[str, ...]
    """Names of icons; empty for all but people."""
    dislikes: tuple[str, ...]
    references: tuple[Scene, ...]

    def neutral(self, asked_for: Sequence[str]) -> tuple[str, ...]:
        """Return icons that are neither liked nor disliked, and not near to what is asked for.

        Of somebody who likes films, a television may be taken for liked: things of the same
        subdomain would leave "no" unclear (M17).
        """
        near = {icons()[name].topic for name in asked_for}
        told = self.likes + self.dislikes
        return tuple(
            name for name, icon in icons().items() if name not in told and icon.topic not in near
        )


def shares(settings: ToyboxSettings) -> dict[ConceptCategory, int]:
    """Return how many concepts each category has; at least one.

    >>> shares(ToyboxSettings(concepts=111))
    {'human': 66, 'animal': 15, 'object': 15, 'character': 15}
    """
    people = min(settings.concepts - 3, max(1, int(settings.human_share * settings.concepts)))
    rest = settings.concepts - people
    others = {name: rest // 3 + (k < rest % 3) for k, name in enumerate(CATEGORIES[1:])}
    return {"human": people, **others}


def draw_toys(settings: ToyboxSettings) -> tuple[Toy, ...]:
    """Return all concepts, people first.

    Raises:
        UsageError: so many concepts cannot be told apart.
    """
    names = _names(stream(settings.seed, "toybox names", ""))
    made: list[Toy] = []
    for category, count in shares(settings).items():
        kinds = looks_table()["category"][category]["kinds"]
        order = stream(settings.seed, "toybox kinds", category).shuffled(kinds)
        for index in range(count):
            kind = order[index % len(order)]
            draw = stream(settings.seed, "toybox concept", f"{category}/{index}")
            look = _new_look(category, kind, [toy.look for toy in made], settings, draw)
            made.append(_toy(next(names), look, settings, draw))
    return tuple(made)


def _new_look(
    category: ConceptCategory, kind: str, taken: list[Look], settings: ToyboxSettings, draw: Stream
) -> Look:
    alike = [look for look in taken if look.category == category and look.kind == kind]
    told = {keywords(look) for look in alike}
    for _ in range(_TRIES):
        look = draw_look(category, kind, draw)
        if keywords(look) in told:
            continue
        if all(apart(look, other) >= settings.least_apart for other in alike):
            return look
    raise UsageError(
        f"{settings.concepts} concepts cannot be told apart: no further {kind} differs from the "
        f"others in {settings.least_apart} attributes. Ask for fewer, or lower least_apart."
    )


def _toy(name: str, look: Look, settings: ToyboxSettings, draw: Stream) -> Toy:
    held, on = draw.sample(list(props()), HABITS), draw.sample(list(stands()), HABITS)
    tastes: dict[str, Tastes] = {}
    likes: list[str] = []
    dislikes: list[str] = []
    if look.category == "human":
        for domain in DOMAINS:
            liked, disliked = _tastes(domain, settings.tastes, draw)
            likes += liked
            dislikes += disliked
            tastes[domain] = Tastes(
                likes=tuple(icons()[name].words for name in liked),
                dislikes=tuple(icons()[name].words for name in disliked),
            )
    told = descriptions(
        look, [props()[name].words for name in held], [stands()[name].words for name in on]
    )
    concept = Concept(
        name=name,
        category=look.category,
        kind=look.kind,
        descriptions=told,
        preference=preference_text(tastes),
        tastes=tastes,
    )
    references = reference_scenes(look, held, on, name, draw)
    return Toy(concept, look, tuple(held), tuple(on), tuple(likes), tuple(dislikes), references)


def _tastes(domain: str, count: int, draw: Stream) -> tuple[list[str], list[str]]:
    """Draw likes and dislikes of one domain; no subdomain has both, so that none conflict (M10)."""
    topics: dict[str, list[str]] = {}
    for thing in icons().values():
        if thing.domain == domain:
            topics.setdefault(thing.topic, []).append(thing.name)
    order = draw.shuffled(list(topics))
    half = (len(order) + 1) // 2
    pools = [
        [name for topic in part for name in topics[topic]] for part in (order[:half], order[half:])
    ]
    liked, disliked = draw.shuffled(pools)
    return draw.sample(liked, count), draw.sample(disliked, count)


def _names(draw: Stream) -> Iterator[str]:
    """Yield invented names without end, none twice; no model ever sees them (M8)."""
    taken: set[str] = set()
    while True:
        parts = [draw.pick("BDFGKLMNPRSTVZ") + draw.pick("aeiou")]
        parts += [draw.pick("bdgklmnrstvz") + draw.pick("aeiou") for _ in range(draw.between(2, 3))]
        name = "".join(parts)
        if name not in taken:
            taken.add(name)
            yield name
