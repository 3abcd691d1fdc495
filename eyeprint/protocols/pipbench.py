"""PIPBench end to end: cases × methods × painters → plans → pictures → scores → report.

A run lives in one folder. Killed at any moment, the same command goes on: plans and
pictures that are there are kept, replies that were paid for are in the ledger, and scores
are computed case by case from the pictures alone. Results are equal byte for byte however
often it was interrupted (CHECKLIST P1–P4, P46–P49, P59–P65, X10, X17).
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from eyeprint.models.kinds import ChatRequest
from eyeprint.models.loops import run_to_end
from eyeprint.protocols.display import Display, Quiet
from eyeprint.protocols.pipbench_album import Album
from eyeprint.protocols.pipbench_paint import (
    PaintItem,
    PlanKey,
    Planner,
    Studio,
    paint_items,
    plan_items,
)
from eyeprint.protocols.pipbench_plan import PipbenchPlan, plan_pipbench
from eyeprint.protocols.pipbench_summary import score_and_summarise
from eyeprint.protocols.vptt import RunEnd
from eyeprint.records.case_files import Cases
from eyeprint.records.cases import Painting, PaintPlan
from eyeprint.records.json_text import json_line
from eyeprint.records.profile_files import write_profiles
from eyeprint.records.whole_files import write_whole
from eyeprint.report.write import write_report
from eyeprint.store.budget import Budget
from eyeprint.store.dry_run import CallPlan, plan_calls
from eyeprint.store.picture_files import PictureFiles
from eyeprint.store.run_folder import RunFolder
from eyeprint.store.shards import ShardTable
from eyeprint.store.work import WorkSettings, WorkSummary, run_items

KIND = "pipbench"
PICTURES = "pictures"
"""Folder of a run's pictures, each once, by pixel hash."""


def run_pipbench(
    data: str | Path | Cases,
    *,
    out: str | Path | None = None,
    budget_usd: float | None = None,
    ledger: str | None = None,
    **choices: Any,
) -> Path:
    """Run PIPBench on a data root and return the run's folder, with ``report.html`` in it.

    ``choices`` are those of :func:`eyeprint.protocols.pipbench_plan.plan_pipbench`: methods,
    writers, painters, outputs, encoders, seed ... The same call goes on where an earlier one
    stopped.

    Raises:
        UsageError, DataError, ModelError, StoreError: see :mod:`eyeprint.errors`.
    """
    plan = plan_pipbench(data, **choices)
    return execute(plan, out, budget_usd=budget_usd, ledger=ledger).folder


def execute(
    plan: PipbenchPlan,
    out: str | Path | None = None,
    *,
    budget_usd: float | None = None,
    ledger: str | None = None,
    concurrency: int | None = None,
    display: Display | None = None,
) -> RunEnd:
    """Do what is left of a planned run, then write its tables and report.

    Raises:
        FolderBusy, FolderMismatch, CannotWrite: the folder cannot be used.
    """
    display = display or Quiet()
    folder = plan.folder(out)
    started = time.monotonic()
    budget = Budget(budget_usd) if budget_usd is not None else None
    album = Album(plan.cases)
    for note in plan.notes:
        display.note(note)
    with RunFolder.open(folder, plan.run, kind=KIND) as run:
        _keep_data(plan.cases, run.path)
        with plan.ledger(folder, ledger) as book:
            planner = Planner(plan.run.method, plan.run.seed, album, {}, plan.texts)
            planner.chats = {
                name: book.wrap(chat, budget, price=plan.price) for name, chat in plan.chats.items()
            }
            planned = list(plan_items(plan.run, plan.cases))
            display.stage("planning pictures", len(planned))
            end = run_to_end(
                run_items(
                    planned,
                    planner.plan,
                    run.table("plans"),
                    key=lambda item: item.key,
                    settings=_work(plan, concurrency),
                    total=len(planned),
                    on_progress=display.progress,
                    spent=book.accounts.spent_usd,
                )
            )
            run.log("plans", done=end.done, failed=end.failed, skipped=end.skipped)
            if end.stopped is None:
                end = _paint(plan, run, album, display)
            run.end_session(book.accounts, time.monotonic() - started)
        if end.stopped is not None:
            return RunEnd(folder, end.failed, end.failures, end.stopped, end.reason)
        paintings = list(read_paintings(plan, run.table("paintings")))
        files = PictureFiles(run.path / PICTURES)
        score_and_summarise(plan, run, album, files, paintings, display)
        write_report(run.path)
        run.log("finished", seconds=round(time.monotonic() - started, 3))
        failures = run.table("paintings").failures()
        kinds = Counter(failure.kind for failure in failures)
        return RunEnd(folder, len(failures), dict(sorted(kinds.items())), None, end.reason)


def _work(plan: PipbenchPlan, concurrency: int | None) -> WorkSettings:
    if concurrency is not None:
        return WorkSettings(at_once=max(1, concurrency * 3 // 2))
    # Offline writers compute in this thread: more of them at once only hold more pictures.
    return WorkSettings() if plan.chats else WorkSettings(at_once=1)


def _paint(plan: PipbenchPlan, run: RunFolder, album: Album, display: Display) -> WorkSummary:
    plans, refused = read_plans(plan, run.table("plans"))
    studio = Studio(
        run=plan.run,
        album=album,
        painters=plan.painters,
        files=PictureFiles(run.path / PICTURES),
        plans=plans,
        refused=refused,
    )
    items: list[PaintItem] = list(paint_items(plan.run, plan.cases))
    display.stage("painting", len(items))
    # A server paints several at once; here one computes while another picture is written.
    at_once = max(
        getattr(getattr(painter, "settings", None), "at_once", 1)
        for painter in plan.painters.values()
    )
    end = run_to_end(
        run_items(
            items,
            studio.paint,
            run.table("paintings"),
            key=lambda item: item.key,
            # Pictures are dear: a shard is written after few of them.
            settings=WorkSettings(at_once=max(2, at_once * 3 // 2), shard_rows=32),
            total=len(items),
            on_progress=display.progress,
        )
    )
    run.log("paintings", done=end.done, failed=end.failed, skipped=end.skipped)
    if end.stopped is None and end.skipped:
        run_to_end(_restore_lost(plan, run, studio, items))
    return end


async def _restore_lost(
    plan: PipbenchPlan, run: RunFolder, studio: Studio, items: Sequence[PaintItem]
) -> None:
    """Paint again what an earlier session painted and whose file is no longer there."""
    restored = 0
    for item, painting in zip(items, read_paintings(plan, run.table("paintings")), strict=True):
        if painting.picture is not None and painting.picture not in studio.files:
            await studio.restore(item, painting.picture)
            restored += 1
    if restored:
        run.log("restored", pictures=restored)


def read_plans(
    plan: PipbenchPlan, table: ShardTable
) -> tuple[dict[PlanKey, PaintPlan], dict[PlanKey, tuple[str, str]]]:
    """Return the plans that were made, and for the others kind and detail of what failed."""
    failed = {failure.key: failure for failure in table.failures()}
    plans: dict[PlanKey, PaintPlan] = {}
    refused: dict[PlanKey, tuple[str, str]] = {}
    with table.merged_path.open(encoding="utf-8") as lines:
        for item in plan_items(plan.run, plan.cases):
            key = (item.case.id, item.method, item.writer)
            failure = failed.get(item.key)
            if failure is None:
                plans[key] = PaintPlan.model_validate_json(next(lines))
            else:
                refused[key] = (failure.kind, failure.detail)
    return plans, refused


def read_paintings(plan: PipbenchPlan, table: ShardTable) -> Iterator[Painting]:
    """Yield a painting for every item in order: what was painted, or the failure in its place."""
    failed = {failure.key: failure for failure in table.failures()}
    with table.merged_path.open(encoding="utf-8") as lines:
        for item in paint_items(plan.run, plan.cases):
            failure = failed.get(item.key)
            if failure is None:
                yield Painting.model_validate_json(next(lines))
                continue
            yield Painting(
                case_id=item.case.id,
                person_id=item.case.person_id,
                split=item.case.split,
                method=item.model.method,
                writer=item.model.writer,
                painter=item.model.painter,
                prompt=None,
                picture=None,
                fault=failure.kind,
                detail=failure.detail[:500],
            )


def dry_run(
    plan: PipbenchPlan,
    out: str | Path | None = None,
    ledger: str | None = None,
    display: Display | None = None,
) -> tuple[CallPlan, ...]:
    """Return what a run would ask of each VLM, and at most cost; nothing is asked or written."""
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


def planned_requests(plan: PipbenchPlan) -> Iterator[tuple[Any, ChatRequest]]:
    """Yield every call that a run's fusion would make, for a dry run; nothing is asked.

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


def _keep_data(cases: Cases, folder: Path) -> None:
    """Keep beside the run what its reports and judges need of the data.

    ``cases.jsonl`` has the rows, ``sources.json`` where the pictures lie, ``profiles.jsonl``
    whose they are: for judges only, no method reads either. Neither decides any result.
    """
    rows = (case.model_dump(mode="json") for case in cases)
    write_whole(folder / "cases.jsonl", map(json_line, rows))
    source = {"data": str(cases.root.resolve())}
    write_whole(folder / "sources.json", [json_line(source)])
    if cases.profiles:
        write_profiles(folder / "profiles.jsonl", cases.profiles.values())
