"""The two stages that make pictures: methods plan them, painters paint them (P59–P65)."""

from __future__ import annotations

import inspect
import json
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from eyeprint.errors import CallFailed, DataError, StoreError, UsageError
from eyeprint.methods.picture_catalog import PictureMethodEntry, picture_method
from eyeprint.methods.picture_fusion import caption_request
from eyeprint.methods.picture_setting import (
    PictureMethod,
    PictureMethodSettings,
    PictureModels,
)
from eyeprint.methods.setting import MethodModels
from eyeprint.models.kinds import Chat, Painted, Painter, PaintRequest
from eyeprint.models.painter_folder import FolderPainter
from eyeprint.models.painter_http import HttpPainter
from eyeprint.people.captions_in import CaptionIn
from eyeprint.people.inverse import persona_from_captions
from eyeprint.protocols.pipbench_album import Album, nameless
from eyeprint.protocols.pipbench_settings import READY, ModelSpec, PipbenchRun
from eyeprint.randomness import stable_hash
from eyeprint.records.cases import Case, Painting, PaintPlan
from eyeprint.records.people import Persona
from eyeprint.records.pictures import Picture
from eyeprint.store.picture_files import PictureFiles

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


@dataclass
class Studio:
    """Has plans painted, and keeps the pictures."""

    run: PipbenchRun
    album: Album
    painters: Mapping[str, Painter]
    files: PictureFiles
    plans: Mapping[PlanKey, PaintPlan]
    refused: Mapping[PlanKey, tuple[str, str]]
    """Plan -> kind and detail, for plans that could not be made."""

    async def paint(self, item: PaintItem) -> Painting:
        """Paint one picture and keep its file.

        Raises:
            CallFailed: there is no plan, or no picture; ``kind`` says why.
            DataError: a reference that conditions the painter cannot be read.
        """
        case, model = item.case, item.model
        plan = self._plan(item)
        painter = self.painters[model.painter]
        places = plan.references if model.way != "text" else ()
        try:
            paths = tuple(case.references[place] for place in places)
        except IndexError:
            paths = ()
        if len(paths) < len(places) or min(places, default=0) < 0:
            told = ", ".join(str(place + 1) for place in places)
            raise DataError(
                f"method '{model.method}' asks for reference {told} of case '{case.id}', which "
                f"has {len(case.references)}"
            )
        # Painters know no more than methods do: neither whose pictures these are nor their
        # files. What finds ready pictures is no model, and needs the names.
        ready = isinstance(painter, FolderPainter)
        names = (("id", case.id), ("image_id", case.person_id), ("category", case.split))
        options = self.run.paint
        painted = await painter.paint(
            PaintRequest(
                prompt=plan.prompt or "",
                negative=options.negative,
                references=nameless([self.album.open(path) for path in paths]),
                width=options.width,
                height=options.height,
                steps=options.steps,
                guidance=options.guidance,
                seed=painter_seed(self.run.seed, case.id),
                key=case.id,
                facts=names if ready else (),
            ),
            model.way,
        )
        if not isinstance(painted, Painted) or not isinstance(painted.picture, Picture | None):
            raise UsageError(
                f"The painter '{painter.name}' gave no Painted with a Picture in it: build one "
                "with Picture.of(array) or open_picture(...)."
            )
        if painted.picture is None:
            kind = " ".join((painted.failure or "failed").split())[:40]
            raise CallFailed(kind, painted.detail[:2000] or "no picture came")
        sha = self.files.put(painted.picture)
        notes = (*plan.notes, *((painted.detail,) if painted.detail else ()))
        return Painting(
            case_id=case.id,
            person_id=case.person_id,
            split=case.split,
            method=model.method,
            writer=model.writer,
            painter=model.painter,
            prompt=plan.prompt,
            picture=sha,
            references=plan.references,
            notes=notes,
        )

    async def restore(self, item: PaintItem, sha: str) -> None:
        """Paint a picture whose file was lost again, where that gives the very same one.

        Raises:
            StoreError: it does not, or nobody promises that it would.
        """
        painter = self.painters[item.model.painter]
        lost = f"{self.files.path(sha)}: the picture of case '{item.case.id}' is lost"
        way_out = (
            "Copy it back; or delete the run's folder paintings and run the same command again, "
            "so that all pictures are painted anew."
        )
        if isinstance(painter, HttpPainter):
            # Asked again it would cost money, and be another picture.
            raise StoreError(f"{lost}, and a server paints no picture twice. {way_out}")
        try:
            painted = await self.paint(item)
        except CallFailed as failure:
            raise StoreError(
                f"{lost}, and cannot be made again ({failure}). {way_out}"
            ) from failure
        if painted.picture != sha:
            raise StoreError(f"{lost}, and '{painter.name}' now paints another one. {way_out}")

    def _plan(self, item: PaintItem) -> PaintPlan:
        case, model = item.case, item.model
        if model.method.startswith(READY):
            return PaintPlan(case_id=case.id, method=model.method, prompt=case.prompt)
        key = (case.id, model.method, model.writer)
        plan = self.plans.get(key)
        if plan is None:
            kind, detail = self.refused.get(key, ("failed", "the plan is missing"))
            raise CallFailed(kind, detail)
        return plan
