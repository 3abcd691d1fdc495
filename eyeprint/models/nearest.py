"""The offline model ``nearest``: a small honest eye for MMPB, without weights or network.

It gets the ordinary messages and really looks: the concept's pictures are cut into regions
(:mod:`eyeprint.models.nearest_regions`), the object that recurs in them is looked for in the
query picture (:mod:`eyeprint.models.nearest_match`); where only text was told, the colours that
it names are looked for, together in one region; options are held against what is seen
(:mod:`eyeprint.models.nearest_choice`). It forgets nothing, so dialogue does not
matter to it, and it knows looks, not things: it is a floor for models, not a rival.

Where there is nothing to see (a black or otherwise uniform picture), nothing is present: all
questions of Awareness go wrong and all of Appropriateness right, and options are told by
the words about the concept alone (CHECKLIST M21).
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, NamedTuple, cast

from pydantic import Field

from eyeprint.config import Settings, fingerprint_of
from eyeprint.errors import UnreadablePicture
from eyeprint.models.kinds import ChatRequest, ImagePart, Reply
from eyeprint.models.nearest_choice import ChoiceSettings, Imagination, choose, taste_shown
from eyeprint.models.nearest_match import Known, MatchSettings, find, know, likeness_at
from eyeprint.models.nearest_messages import Asked, Dialogue, Injected, read_dialogue
from eyeprint.models.nearest_regions import Mask, RegionSettings, Seen, see
from eyeprint.models.nearest_words import colour_shares, described, plain_colours
from eyeprint.models.pictures import open_picture

_RECIPE = 1
"""Counted up when the same request comes to mean another reply."""


class NearestSettings(Settings):
    """How it looks and compares."""

    regions: RegionSettings = RegionSettings()
    match: MatchSettings = MatchSettings()
    choice: ChoiceSettings = ChoiceSettings()
    pictures_kept: int = Field(default=64, ge=1)
    """Pictures whose regions are kept, about half a megabyte each."""
    concepts_kept: int = Field(default=1024, ge=1)
    """Concepts whose looks are kept, about 20 KB for each picture."""


class Presence(NamedTuple):
    """Whether a concept is in the picture, where, and why so."""

    found: bool
    region: Mask | None
    because: str


class _Kept:
    """The last results by key; safe between threads."""

    def __init__(self, most: int) -> None:
        self._most, self._lock = most, threading.Lock()
        self._items: OrderedDict[Any, Any] = OrderedDict()

    def get(self, key: Any, make: Callable[[], Any]) -> Any:
        with self._lock:
            if key in self._items:
                self._items.move_to_end(key)
                return self._items[key]
        made = make()
        with self._lock:
            self._items[key] = made
            while len(self._items) > self._most:
                self._items.popitem(last=False)
        return made


class NearestChat:
    """The chat model ``nearest``; deterministic, and safe to share between threads.

    >>> from eyeprint.models.kinds import Message
    >>> told = Message(role="user", text="<sks> is a red mug.")
    >>> asked = Message(role="user", text="Is <sks> in the image?")
    >>> asyncio.run(NearestChat().reply(ChatRequest(messages=(told, asked)))).text
    'No.'
    """

    name = "nearest"
    in_process = True
    """It computes here: many calls at once gain nothing, and nothing is paid."""

    def __init__(self, settings: NearestSettings | None = None) -> None:
        self.settings = settings or NearestSettings()
        self._seen = _Kept(self.settings.pictures_kept)
        self._known = _Kept(self.settings.concepts_kept)
        self._imagination = Imagination(self.settings.regions)

    @property
    def fingerprint(self) -> str:
        """SHA-256 over recipe and settings."""
        return fingerprint_of(
            {"chat": self.name, "recipe": _RECIPE, "settings": self.settings.model_dump()}
        )

    async def reply(self, request: ChatRequest) -> Reply:
        """Answer one request; takes some milliseconds, in a thread of its own.

        A picture that cannot be read is a failure "bad_request" with the reason.
        """
        return await asyncio.to_thread(self.answer, request)

    def answer(self, request: ChatRequest) -> Reply:
        """Answer one request, here and now."""
        began = time.perf_counter()
        try:
            text = self._text(read_dialogue(request.messages))
        except UnreadablePicture as error:
            return Reply(outcome="failed", failure="bad_request", detail=str(error))
        return Reply(
            text=text,
            finish_reason="stop",
            served_model=self.name,
            cost_usd=0.0,
            seconds=time.perf_counter() - began,
        )

    def _text(self, dialogue: Dialogue) -> str:
        asked, concept = dialogue.asked, dialogue.concept
        seen = self._look(asked.picture)
        if seen is not None and seen.blank:
            seen = None
        if asked.kind == "taste" and not asked.options:
            return _yes_no(asked, *self._taste(concept, asked, seen))
        if asked.kind == "taste":
            place = Presence(False, None, "Tastes are asked for.")
        else:
            place = self._presence(dialogue, seen)
        if asked.options:
            chosen = choose(
                asked,
                concept,
                seen,
                place.region,
                self._imagination,
                self.settings.choice,
            )
            if not asked.reasons:
                return chosen.letter
            return f"{place.because} {chosen.because.capitalize()}.\nAnswer: {chosen.letter}"
        if asked.kind == "presence":
            return _yes_no(asked, place.found, place.because)
        return _sentence(concept, seen, place)

    def _look(self, part: ImagePart | None) -> Seen | None:
        if part is None:
            return None
        return cast(
            Seen,
            self._seen.get(
                part.sha256, lambda: see(open_picture(part.data), self.settings.regions)
            ),
        )

    def _know(self, concept: Injected) -> Known | None:
        key = tuple(part.sha256 for part in concept.pictures)

        def learn() -> Known | None:
            seen = [look for part in concept.pictures if (look := self._look(part)) is not None]
            return know(seen, self.settings.match)

        return cast("Known | None", self._known.get(key, learn))

    def _presence(self, dialogue: Dialogue, seen: Seen | None) -> Presence:
        """Say whether and where the concept is; another injected one that fits better takes it."""
        concept = dialogue.concept
        if seen is None:
            return Presence(False, None, "There is nothing to see in the picture.")
        if not (concept.pictures or concept.description):
            return Presence(False, None, "Nothing was told of its looks.")
        if not concept.pictures:
            text = described(concept.description, seen)
            why = (
                f"Of the colours told, {text.found:.0%} are together in one region, where of "
                f"all others {text.expected:.0%} are."
            )
            region = seen.objects[text.place] if text.place >= 0 else None
            return Presence(text.holds, region, why)
        known = self._know(concept)
        if known is None:
            return Presence(False, None, "The pictures told show no object.")
        match = find(known, seen)
        if not match.likeness:
            return Presence(False, None, "There is no object in the picture.")
        region = match.region(seen)
        for other in dialogue.concepts.values() if match.found else ():
            theirs = self._know(other) if other.name != concept.name and other.pictures else None
            if theirs is not None:
                margin = likeness_at(theirs, seen, match.window) - theirs.limit
                if margin > match.likeness - known.limit:
                    why = "What is nearest to it is more like another concept."
                    return Presence(False, region, why)
        why = f"What is nearest is {match.likeness:.2f} alike, with a limit of {known.limit:.2f}."
        return Presence(match.found, region, why)

    def _taste(self, concept: Injected, asked: Asked, seen: Seen | None) -> tuple[bool, str]:
        if seen is None:
            return False, "There is nothing to see in the picture."
        shown, thing = taste_shown(concept, asked.dislike, seen, self._imagination.of)
        return shown, f"What comes closest is {thing}." if thing else "No taste is known to me."


def _yes_no(asked: Asked, holds: bool, because: str) -> str:
    said = "Yes" if holds != asked.negated else "No"
    return f"{because}\nAnswer: {said}" if asked.reasons else f"{said}."


def _sentence(concept: Injected, seen: Seen | None, place: Presence) -> str:
    """Return what can be said where no options are shown: the colours seen."""
    if seen is None:
        return "There is nothing to see in the picture."
    mask: Mask = place.region if place.found and place.region is not None else ~seen.background
    if not mask.any():
        mask = seen.background
    names = plain_colours()
    shares, _ = colour_shares(seen, [mask], names)
    best = [names[k].name for k in (-shares[0]).argsort(kind="stable")[:2] if shares[0, k] > 0.1]
    what = f"<{concept.name}>" if place.found and concept.name else "What the picture shows"
    return f"{what} is mostly {' and '.join(best) or 'of mixed colours'}."
