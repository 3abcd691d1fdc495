"""All questions of the toybox with their scenes: 15 tasks, right by construction (M6, M16–M18)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from eyeprint.people.toybox_asking import Posed, dealt, dealt_of, pose_choice, pose_yes_no
from eyeprint.people.toybox_concepts import Toy
from eyeprint.people.toybox_drawing_things import icons, props, stands
from eyeprint.people.toybox_looks import Look
from eyeprint.people.toybox_scenes import Scene, icon_scene, query_scene
from eyeprint.people.toybox_settings import ToyboxSettings
from eyeprint.people.toybox_strangers import draw_stranger, draw_twin, is_stranger
from eyeprint.people.toybox_words import HELD
from eyeprint.randomness import Stream, stream
from eyeprint.records.concept_questions import (
    LETTERS,
    TASKS,
    TYPES,
    ConceptQuestion,
    QuestionGroup,
    QuestionType,
    Target,
    task_name,
)

_TRIES = 500


class Asked(NamedTuple):
    """A question and the scene of its picture; ``question.image`` is the scene's key."""

    question: ConceptQuestion
    scene: Scene


class _Cell(NamedTuple):
    """Questions of one task about one concept."""

    toy: Toy
    group: QuestionGroup
    type: QuestionType

    @property
    def task(self) -> str:
        return task_name(self.type, self.group, self.toy.concept.category)


class _Item(NamedTuple):
    """One question to be made."""

    toy: Toy
    number: int
    key: str


def ask_all(toys: Iterable[Toy], settings: ToyboxSettings) -> Iterator[Asked]:
    """Yield all questions, task by task."""
    counts = _counts(list(_cells(toys)), settings)
    items: dict[str, list[_Item]] = {task: [] for task in TASKS}
    for cell, count in counts:
        items[cell.task] += [
            _Item(cell.toy, k, f"{cell.toy.concept.name}/{cell.task}/{k}") for k in range(count)
        ]
    number = 0
    for task in TASKS:
        kind, group, _ = task.split(" · ")
        hand = stream(settings.seed, "toybox deal", task)
        make = _MAKERS[group, kind]
        for asked in make(items[task], settings, hand):
            number += 1
            named = {"id": f"toybox-{number:05d}"}
            yield Asked(asked.question.model_copy(update=named), asked.scene)


def _cells(toys: Iterable[Toy]) -> Iterator[_Cell]:
    for toy in toys:
        for kind in TYPES:
            yield _Cell(toy, "recognition", kind)
            if toy.concept.category == "human":
                yield _Cell(toy, "preference", kind)


def _counts(cells: list[_Cell], settings: ToyboxSettings) -> list[tuple[_Cell, int]]:
    """Return how many questions each cell has: equally many, and every task has one."""
    total = settings.questions or settings.each * len(cells)
    place: dict[str, int] = {}
    ranked = []
    for cell in cells:
        place[cell.task] = place.get(cell.task, -1) + 1
        ranked.append((place[cell.task], TASKS.index(cell.task), cell))
    ranked.sort(key=lambda row: row[:2])
    least, more = divmod(total, len(cells))
    return [(cell, least + (k < more)) for k, (_, _, cell) in enumerate(ranked)]


def _question(
    item: _Item,
    group: QuestionGroup,
    kind: QuestionType,
    posed: Posed,
    scene: Scene,
    negated: bool | None = None,
    topic: str = "",
    target: Target | None = None,
) -> Asked:
    concept = item.toy.concept
    question = ConceptQuestion(
        id=item.key,
        concept=concept.name,
        category=concept.category,
        type=kind,
        group=group,
        question=posed.question,
        options=posed.options,
        answer=posed.answer,
        image=scene.key,
        topic=topic,
        target=target,
        entities=None if scene.icons else "single" if len(scene.figures()) == 1 else "multi",
        negated=negated,
        concept_only=posed.concept_only,
    )
    return Asked(question, scene)


def _positive(item: _Item, multi: bool, settings: ToyboxSettings) -> tuple[Scene, str, str]:
    """Return a scene with the concept, what it holds there, and what it stands on.

    Awareness and Coherency of one number share it: the key says neither.
    """
    toy = item.toy
    key = f"{toy.concept.name}/positive/{item.number}/{'multi' if multi else 'single'}"
    draw = stream(settings.seed, "toybox scene", key)
    below, first = _card(item, settings)
    other = draw.below(2)
    prop, stand = toy.props[other if below else first], toy.stands[first if below else other]
    scene = query_scene(
        (toy.look, prop, stand), _others(toy, toy.look, multi, settings, draw), key, draw
    )
    return scene, prop, stand


def _others(
    toy: Toy,
    focus: Look,
    multi: bool,
    settings: ToyboxSettings,
    draw: Stream,
    kind: str | None = None,
) -> list[tuple[Look | None, str, str]]:
    """Return two more stations, without the concept's habits; ``kind`` bars a kind of being."""
    held = draw.sample([name for name in props() if name not in toy.props], 2)
    on = draw.sample([name for name in stands() if name not in toy.stands], 2)
    looks: list[Look | None] = [None, None]
    if multi:
        for k in range(draw.between(1, 2)):
            looks[k] = _bystander(toy.look, focus, settings, draw, kind)
    return list(zip(looks, held, on, strict=True))


def _bystander(
    look: Look, focus: Look, settings: ToyboxSettings, draw: Stream, barred: str | None
) -> Look:
    alike = barred is None and draw.random() < settings.hard_share
    for _ in range(_TRIES):
        other = (draw_twin if alike else draw_stranger)(look, settings, draw)
        if other.kind != barred and is_stranger(focus, other, settings.twin_changes):
            return other
    return draw_stranger(look, settings, draw)


def _awareness(items: list[_Item], settings: ToyboxSettings, hand: Stream) -> Iterator[Asked]:
    negated = dealt(len(items), settings.negated_share, hand)
    for item, form in zip(items, negated, strict=True):
        scene, _, _ = _positive(item, _is_multi(item, settings), settings)
        posed = pose_yes_no("presence", True, form, _own(item, settings))
        yield _question(item, "recognition", "awareness", posed, scene, form)


def _coherency(items: list[_Item], settings: ToyboxSettings, hand: Stream) -> Iterator[Asked]:
    letters = dealt_of(LETTERS, len(items), hand)
    for item, letter in zip(items, letters, strict=True):
        below, _ = _card(item, settings)
        scene, prop, stand = _positive(item, _is_multi(item, settings), settings)
        toy, table = item.toy, stands() if below else props()
        habits, shown = (toy.stands, stand) if below else (toy.props, prop)
        other = habits[1 - habits.index(shown)]
        wrong = [
            station.stand if below else station.prop
            for station in scene.stations
            if station.look != toy.look
        ]
        about = "holds" if toy.concept.category in HELD else "beside"
        posed = pose_choice(
            "stands" if below else about,
            table[shown].words,
            table[other].words,
            [table[name].words for name in wrong],
            letter,
            _own(item, settings),
        )
        yield _question(
            item, "recognition", "coherency", posed, scene, topic="stands on" if below else about
        )


def _appropriateness(items: list[_Item], settings: ToyboxSettings, hand: Stream) -> Iterator[Asked]:
    negated = dealt(len(items), settings.negated_share, hand)
    multi = dealt(len(items), settings.multi_share, hand)
    hard = dealt(len(items), settings.hard_share, hand)
    for item, form, many, alike in zip(items, negated, multi, hard, strict=True):
        toy = item.toy
        key = f"{toy.concept.name}/negative/{item.number}"
        draw = stream(settings.seed, "toybox scene", key)
        focus = (draw_twin if alike else draw_stranger)(toy.look, settings, draw)
        barred = None if alike else toy.look.kind
        # The stand-in has the concept's habits: they tell nothing about presence.
        scene = query_scene(
            (focus, draw.pick(toy.props), draw.pick(toy.stands)),
            _others(toy, focus, many, settings, draw, barred),
            key,
            draw,
        )
        target: Target | None = None
        if toy.concept.category == "animal":
            target = "same_species" if alike else "different_species"
        posed = pose_yes_no("presence", False, form, _own(item, settings))
        yield _question(item, "recognition", "appropriateness", posed, scene, form, target=target)


def _is_multi(item: _Item, settings: ToyboxSettings) -> bool:
    """Tell whether a concept's picture has others in it: of any first n, the set share does."""
    share, name = settings.multi_share, item.toy.concept.name
    start = stream(settings.seed, "toybox multi", name).random()
    return int((item.number + 1) * share + start) > int(item.number * share + start)


def _card(item: _Item, settings: ToyboxSettings) -> tuple[bool, int]:
    """Return whether the stand is asked about, and which of its two habits the concept has.

    Of every four questions about a concept each pair comes once: what its description names
    first is right as often as what it names second.
    """
    key = f"{item.toy.concept.name}/{item.number // 4}"
    cards = ((False, 0), (False, 1), (True, 0), (True, 1))
    return stream(settings.seed, "toybox card", key).shuffled(cards)[item.number % 4]


def _own(item: _Item, settings: ToyboxSettings) -> Stream:
    return stream(settings.seed, "toybox question", item.key)


def _tasted(toy: Toy, target: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what is asked for, and its opposite."""
    return (toy.likes, toy.dislikes) if target == "like" else (toy.dislikes, toy.likes)


def _still_life(
    item: _Item,
    first: str,
    multi: bool,
    contrary: bool,
    tastes: tuple[tuple[str, ...], tuple[str, ...]],
    draw: Stream,
) -> Scene:
    """Return a picture of a thing, and with ``multi`` of two others, one an opposite if asked."""
    asked_for, opposite = tastes
    neutral = [name for name in item.toy.neutral(asked_for) if name != first]
    names = [first]
    if multi:
        second = draw.pick([name for name in opposite if name != first]) if contrary else None
        more = draw.sample(neutral, 2)
        names += [second or more[0], more[1]]
    return icon_scene(names, item.key, draw)


def _preference(
    items: list[_Item], settings: ToyboxSettings, hand: Stream, holds: bool
) -> Iterator[Asked]:
    negated = dealt(len(items), settings.negated_share, hand)
    multi = dealt(len(items), settings.multi_share, hand)
    contrary = dealt(len(items), settings.contrary_share, hand)
    targets: list[Target] = dealt_of(("like", "dislike"), len(items), hand)
    for item, form, many, against, target in zip(
        items, negated, multi, contrary, targets, strict=True
    ):
        draw = stream(settings.seed, "toybox still life", item.key)
        asked_for, opposite = _tasted(item.toy, target)
        if holds:
            first = draw.pick(asked_for)
        else:
            clear = item.toy.neutral(asked_for)
            first = draw.pick(opposite if against and not many else clear)
        scene = _still_life(item, first, many, against, (asked_for, opposite), draw)
        posed = pose_yes_no(target, holds, form, _own(item, settings))
        kind: QuestionType = "awareness" if holds else "appropriateness"
        yield _question(item, "preference", kind, posed, scene, form, icons()[first].words, target)


def _preference_awareness(
    items: list[_Item], settings: ToyboxSettings, hand: Stream
) -> Iterator[Asked]:
    return _preference(items, settings, hand, holds=True)


def _preference_appropriateness(
    items: list[_Item], settings: ToyboxSettings, hand: Stream
) -> Iterator[Asked]:
    return _preference(items, settings, hand, holds=False)


def _preference_coherency(
    items: list[_Item], settings: ToyboxSettings, hand: Stream
) -> Iterator[Asked]:
    letters = dealt_of(LETTERS, len(items), hand)
    contrary = dealt(len(items), settings.contrary_share, hand)
    targets: list[Target] = dealt_of(("like", "dislike"), len(items), hand)
    later = dealt(len(items), 0.5, hand)
    for item, letter, against, target, second in zip(
        items, letters, contrary, targets, later, strict=True
    ):
        draw = stream(settings.seed, "toybox still life", item.key)
        asked_for, opposite = _tasted(item.toy, target)
        pair = sorted(draw.sample(asked_for, 2), key=asked_for.index)
        # What is named first is right as often as what is named second.
        right, absent = reversed(pair) if second else pair
        scene = _still_life(item, right, True, against, (asked_for, opposite), draw)
        words = {name: thing.words for name, thing in icons().items()}
        wrong = [words[s.prop] for s in scene.stations if s.prop != right]
        posed = pose_choice(
            target, words[right], words[absent], wrong, letter, _own(item, settings)
        )
        yield _question(
            item, "preference", "coherency", posed, scene, topic=words[right], target=target
        )


_MAKERS = {
    ("recognition", "awareness"): _awareness,
    ("recognition", "appropriateness"): _appropriateness,
    ("recognition", "coherency"): _coherency,
    ("preference", "awareness"): _preference_awareness,
    ("preference", "appropriateness"): _preference_appropriateness,
    ("preference", "coherency"): _preference_coherency,
}
