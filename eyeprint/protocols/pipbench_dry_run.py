"""What a PIPBench run would ask and paint, and at most cost; nothing is asked, painted or
written (X16)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from eyeprint.errors import CallFailed, DataError
from eyeprint.methods.picture_catalog import picture_method
from eyeprint.models.kinds import Chat, ChatRequest, PaintRequest
from eyeprint.models.loops import run_to_end
from eyeprint.models.picture_prices import is_paid
from eyeprint.protocols.display import Display, Quiet
from eyeprint.protocols.pipbench_album import Album
from eyeprint.protocols.pipbench_paint import PaintItem, PlanItem, Planner, paint_items, plan_items
from eyeprint.protocols.pipbench_plan import PipbenchPlan
from eyeprint.protocols.pipbench_studio import painting_request
from eyeprint.store.dry_run import CallPlan, PicturePlan, PictureSum, plan_calls
from eyeprint.store.paid_painter import price_of_painter
from eyeprint.store.run_folder import keys_of_run

WORD_BYTES = 16
"""Bytes of a word in a prompt that is not written yet; English takes about six."""


def dry_run(
    plan: PipbenchPlan,
    out: str | Path | None = None,
    ledger: str | None = None,
    display: Display | None = None,
) -> tuple[CallPlan, ...]:
    """Return what a run would ask of each VLM, and at most cost."""
    if not plan.chats:
        return ()
    (display or Quiet()).stage("counting calls", None)
    place = str(plan.ledger_place(plan.folder(out), ledger))
    prices = dict.fromkeys(plan.chats, plan.price) if plan.price is not None else None
    # A ledger that is not there yet answers nothing, and must not be made.
    if "://" not in place and not Path(place).exists():
        return plan_calls(planned_requests(plan), None, prices)
    with plan.ledger(plan.folder(out), ledger) as book:
        return plan_calls(planned_requests(plan), book, prices)


def planned_requests(plan: PipbenchPlan) -> Iterator[tuple[Chat, ChatRequest]]:
    """Yield every call that a run's fusion would make.

    Calls of ``vprag_refs`` depend on captions that only a call can give: its caption calls
    are counted, and its writing calls are not (docs/fidelity.md).
    """
    from eyeprint.methods.picture_fusion import caption_request, fusion_request

    album = Album(plan.cases)
    captioned: set[tuple[str, str]] = set()
    for item in plan_items(plan.run, plan.cases):
        chat = plan.chats.get(item.writer)
        if chat is None:
            continue
        ask = album.ask(item.case, plan.run.seed)
        if item.method == "fusion":
            yield chat, fusion_request(ask, plan.run.method)
            continue
        for picture in ask.references:
            if (item.writer, picture.sha256) not in captioned:
                captioned.add((item.writer, picture.sha256))
                yield chat, caption_request(picture, plan.run.method)


def dry_run_pictures(
    plan: PipbenchPlan, out: str | Path | None = None, display: Display | None = None
) -> tuple[PicturePlan, ...]:
    """Return what a run would have painted by each painter that is paid for, and at most cost.

    A prompt that a writer has still to write counts as the request and ``word_limit`` words
    of :data:`WORD_BYTES`. Pictures that cannot be planned are not counted.

    Raises:
        StoreError: the run's folder is damaged.
    """
    sums = {
        name: PictureSum(name, price_of_painter(painter))
        for name, painter in plan.painters.items()
        if is_paid(painter)
    }
    if not sums:
        return ()
    (display or Quiet()).stage("counting pictures", None)
    painted = keys_of_run(plan.folder(out), plan.run, "paintings")
    run_to_end(_count(plan, sums, painted))
    return tuple(found.plan() for _, found in sorted(sums.items()))


async def _count(plan: PipbenchPlan, sums: dict[str, PictureSum], painted: set[str]) -> None:
    album = Album(plan.cases)
    planner = Planner(plan.run.method, plan.run.seed, album, {}, plan.texts)
    for item in paint_items(plan.run, plan.cases):
        found = sums.get(item.model.painter)
        if found is None:
            continue
        if item.key in painted:
            found.add(PaintRequest(item.case.prompt), painted=True)
            continue
        try:
            found.add(await _request(plan, planner, item), painted=False)
        except (CallFailed, DataError):
            continue  # Neither would the run have it painted; it says why.


async def _request(plan: PipbenchPlan, planner: Planner, item: PaintItem) -> PaintRequest:
    case, model = item.case, item.model
    if picture_method(model.method)[1].asks:
        unwritten = " " * (plan.run.method.word_limit * WORD_BYTES)
        return PaintRequest(case.prompt + unwritten, negative=plan.run.paint.negative)
    made = await planner.plan(PlanItem(case, model.method, model.writer))
    return painting_request(plan.run, planner.album, item, made)
