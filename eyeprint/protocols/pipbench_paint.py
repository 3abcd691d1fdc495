"""The two stages that make pictures: methods plan them, painters paint them (P59–P65)."""

from __future__ import annotations

import inspect
import json
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from eyeprint.errors import CallFailed, UsageError
from eyeprint.methods.picture_catalog import PictureMethodEntry, picture_method
from eyeprint.methods.picture_fusion import caption_request
from eyeprint.methods.picture_setting import (
    PictureMethod,
    PictureMethodSettings,
    PictureModels,
)
from eyeprint.methods.setting import MethodModels
from eyeprint.models.kinds import Chat
from eyeprint.people.captions_in import CaptionIn
from eyeprint.people.inverse import persona_from_captions
from eyeprint.protocols.pipbench_album import Album
from eyeprint.protocols.pipbench_settings import ModelSpec, PipbenchRun
from eyeprint.randomness import stable_hash
from eyeprint.records.cases import READY, Case, PaintPlan
from eyeprint.records.people import Persona
from eyeprint.records.pictures import Picture

PlanKey = tuple[str, str, str]
"""Case, method, writer."""


class PlanItem(NamedTuple):
    """One plan to make: a case with a method and its writer; painters share it."""

    case: Case
    method: str
    writer: str

    @property
    def key(self) -> str:
        """The item's name in the run's folder."""
        return json.dumps([self.case.id, self.method, self.writer])


class PaintItem(NamedTuple):
    """One picture to paint."""

    case: Case
    model: ModelSpec

    @property
    def key(self) -> str:
        """The item's name in the run's folder."""
        model = self.model
        return json.dumps([self.case.id, model.method, model.writer, model.painter])


def plan_items(run: PipbenchRun, cases: Sequence[Case]) -> Iterator[PlanItem]:
    """Yield all plans of a run, case by case, always in the same order."""
    pairs = dict.fromkeys((model.method, model.writer) for model in run.models)
    for case in cases:
        for method, writer in pairs:
            if not method.startswith(READY):
                yield PlanItem(case, method, writer)


def paint_items(run: PipbenchRun, cases: Sequence[Case]) -> Iterator[PaintItem]:
    """Yield all pictures of a run, case by case, always in the same order."""
    for case in cases:
        for model in run.models:
            yield PaintItem(case, model)


def painter_seed(run_seed: int, case_id: str) -> int:
    """Return the seed of a case's painters, in [0, 2³¹): one for all models of the case."""
    return stable_hash(run_seed, "paint", case_id) % 2**31


@dataclass
class Planner:
    """Asks methods for plans. Each distinct picture is captioned once for each writer."""

    settings: PictureMethodSettings
    seed: int
    album: Album
    chats: Mapping[str, Chat]
    texts: MethodModels | None = None
    _captions: dict[tuple[str, str], str] = field(default_factory=dict)
    _methods: dict[str, tuple[PictureMethod, PictureMethodEntry]] = field(default_factory=dict)

    async def plan(self, item: PlanItem) -> PaintPlan:
        """Return the plan of one item.

        Raises:
            DataError: a reference cannot be read.
            CallFailed: the method has no prompt; ``kind`` is the plan's fault.
            UsageError: the method keeps no method's promise; its name is told.
        """
        if item.method not in self._methods:
            self._methods[item.method] = picture_method(item.method)
        method, entry = self._methods[item.method]
        begun = method(self.album.ask(item.case, self.seed), self.settings, self.models(item))
        plan: object = await begun if inspect.isawaitable(begun) else begun
        if not isinstance(plan, PaintPlan):
            raise UsageError(
                f"The method '{item.method}' gave {type(plan).__name__}, and not a PaintPlan. "
                "Repair or uninstall the package that registers it."
            )
        if plan.prompt is None or not plan.prompt.strip():
            kind = plan.fault or ("failed" if plan.prompt is None else "empty")
            raise CallFailed(kind, plan.detail or "the method wrote no prompt")
        if plan.way != entry.way:
            raise UsageError(
                f"The method '{item.method}' is registered for the way '{entry.way}', and its "
                f"plan is of the way '{plan.way}': its attribute 'way' must say which."
            )
        own = {"case_id": item.case.id, "method": item.method, "writer": item.writer}
        return plan.model_copy(update=own)

    def models(self, item: PlanItem) -> PictureModels:
        """Return what the item's method may ask; no way leads from it to case or album (P1)."""
        chat = self.chats.get(item.writer)
        return PictureModels(
            writer=item.writer,
            chat=chat,
            caption=_captioner(self._captions, self.settings, chat, item.writer),
            person=_knower(item.case.id),
            texts=self.texts,
        )


# Both stand outside the planner: a closure over it would lead a method to every case.
def _captioner(
    known: dict[tuple[str, str], str],
    settings: PictureMethodSettings,
    chat: Chat | None,
    writer: str,
) -> Callable[[Picture], Awaitable[str]]:
    async def caption(picture: Picture) -> str:
        mark = (writer, picture.sha256)
        if mark not in known:
            known[mark] = await _caption(picture, settings, chat, writer)
        return known[mark]

    return caption


async def _caption(
    picture: Picture, settings: PictureMethodSettings, chat: Chat | None, writer: str
) -> str:
    if chat is None:
        from eyeprint.models.picture_reading import read_picture

        return read_picture(picture).caption()
    reply = await chat.reply(caption_request(picture, settings))
    if reply.outcome != "answered":
        kind = reply.failure or reply.outcome
        raise CallFailed(kind, f"{writer} did not caption a reference: {reply.detail or kind}")
    return reply.text.strip()


def _knower(case_id: str) -> Callable[[Sequence[str]], Persona]:
    def person(captions: Sequence[str]) -> Persona:
        rows = [
            CaptionIn(text, f"r{n}", None, "", "references", None)
            for n, text in enumerate(captions, start=1)
        ]
        return persona_from_captions(f"case {case_id}", rows).person

    return person
