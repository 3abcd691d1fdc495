"""The stage that paints: plans become pictures, kept by their pixel hash (P59–P65, X4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from eyeprint.errors import CallFailed, DataError, StoreError, UsageError
from eyeprint.models.kinds import Painted, Painter, PaintRequest
from eyeprint.models.painter_folder import FolderPainter
from eyeprint.models.picture_prices import is_paid
from eyeprint.protocols.pipbench_album import Album, nameless
from eyeprint.protocols.pipbench_paint import PaintItem, PlanKey, painter_seed
from eyeprint.protocols.pipbench_settings import PipbenchRun
from eyeprint.records.cases import READY, Painting, PaintPlan
from eyeprint.records.pictures import Picture
from eyeprint.store.picture_files import PictureFiles


@dataclass
class Studio:
    """Has plans painted, and keeps the pictures."""

    run: PipbenchRun
    album: Album
    painters: Mapping[str, Painter]
    files: PictureFiles
    plans: Callable[[PlanKey], PaintPlan]
    """Returns a plan; raises :class:`CallFailed` for one that could not be made."""

    async def paint(self, item: PaintItem) -> Painting:
        """Paint one picture and keep its file.

        Raises:
            CallFailed: there is no plan, or no picture; ``kind`` says why.
            DataError: a reference that conditions the painter cannot be read.
        """
        case, model = item.case, item.model
        plan = self._plan(item)
        painter = self.painters[model.painter]
        painted = await painter.paint(
            painting_request(self.run, self.album, item, plan, isinstance(painter, FolderPainter)),
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
            served_model=painted.served_model,
            cost_usd=painted.cost_usd,
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
        if is_paid(painter):
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
        return self.plans((case.id, model.method, model.writer))


def painting_request(
    run: PipbenchRun, album: Album, item: PaintItem, plan: PaintPlan, ready: bool = False
) -> PaintRequest:
    """Return what a painter is asked for.

    Painters know no more than methods do: neither whose pictures these are nor their files.
    What finds ``ready`` pictures is no model, and needs the names.

    Raises:
        DataError: a reference that conditions the painter is not there, or cannot be read.
    """
    case, model, options = item.case, item.model, run.paint
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
    names = (("id", case.id), ("image_id", case.person_id), ("category", case.split))
    return PaintRequest(
        prompt=plan.prompt or "",
        negative=options.negative,
        references=nameless([album.open(path) for path in paths]),
        width=options.width,
        height=options.height,
        steps=options.steps,
        guidance=options.guidance,
        seed=painter_seed(run.seed, case.id),
        key=case.id,
        facts=names if ready else (),
    )
