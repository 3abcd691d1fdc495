"""PIPBench end to end: cases × methods × painters → plans → pictures → scores → report.

A run lives in one folder. Killed at any moment, the same command goes on: plans and
pictures that are there are kept, replies that were paid for are in the ledger, and scores
are computed case by case from the pictures alone. Results are equal byte for byte however
often it was interrupted (CHECKLIST P1–P4, P46–P49, P59–P65, X10, X17).
"""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
from typing import Any

from eyeprint.models.loops import run_to_end
from eyeprint.protocols.display import Display, Quiet
from eyeprint.protocols.pipbench_album import Album
from eyeprint.protocols.pipbench_kept import KeptPaintings, KeptPlans
from eyeprint.protocols.pipbench_paint import Planner, paint_items, plan_items
from eyeprint.protocols.pipbench_plan import PipbenchPlan, plan_pipbench
from eyeprint.protocols.pipbench_studio import Studio
from eyeprint.protocols.pipbench_summary import score_and_summarise
from eyeprint.protocols.vptt import RunEnd
from eyeprint.records.case_files import Cases
from eyeprint.records.json_text import json_line
from eyeprint.records.profile_files import write_profiles
from eyeprint.records.whole_files import write_whole
from eyeprint.report.write import write_report
from eyeprint.store.accounts import Accounts
from eyeprint.store.budget import Budget
from eyeprint.store.paid_painter import paid_painters, paid_work
from eyeprint.store.picture_files import PictureFiles
from eyeprint.store.run_folder import RunFolder
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

    The budget is one for all: what chats are asked and what hosted painters paint.

    Raises:
        FolderBusy, FolderMismatch, CannotWrite: the folder cannot be used.
        UsageError: there is a budget, and the price of a model or painter is not known.
    """
    display = display or Quiet()
    folder = plan.folder(out)
    started = time.monotonic()
    budget = Budget(budget_usd) if budget_usd is not None else None
    # A price that is not known is told before anything is made or paid.
    paid_painters(plan.painters, Accounts(), budget)
    album = Album(plan.cases)
    for note in plan.notes:
        display.note(note)
    with RunFolder.open(folder, plan.run, kind=KIND) as run:
        _keep_data(plan.cases, run.path)
        with plan.ledger(folder, ledger) as book:
            painters = paid_painters(plan.painters, book.accounts, budget)
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
                studio = Studio(
                    run=plan.run,
                    album=album,
                    painters=painters,
                    files=PictureFiles(run.path / PICTURES),
                    plans=KeptPlans(plan, run.table("plans")),
                )
                end = _paint(plan, run, studio, book.accounts, display)
            run.end_session(book.accounts, time.monotonic() - started)
        if end.stopped is not None:
            return RunEnd(folder, end.failed, end.failures, end.stopped, end.reason)
        files = PictureFiles(run.path / PICTURES)
        paintings = KeptPaintings(plan, run.table("paintings"))
        scored = score_and_summarise(plan, run, album, files, paintings, display)
        if scored is not None and scored.stopped is not None:
            return RunEnd(folder, scored.failed, scored.failures, scored.stopped, scored.reason)
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


def _paint(
    plan: PipbenchPlan, run: RunFolder, studio: Studio, accounts: Accounts, display: Display
) -> WorkSummary:
    painters = studio.painters.values()
    # A server paints several at once; here one computes while another picture is written.
    at_once = max(getattr(getattr(painter, "settings", None), "at_once", 1) for painter in painters)
    # Pictures are dear: a shard is written after few of them, or after each if it is paid for.
    settings = WorkSettings(at_once=max(2, at_once * 3 // 2), shard_rows=32)
    total = len(plan.cases) * len(plan.run.models)
    display.stage("painting", total)
    end = run_to_end(
        run_items(
            paint_items(plan.run, plan.cases),
            studio.paint,
            run.table("paintings"),
            key=lambda item: item.key,
            settings=paid_work(settings, painters),
            total=total,
            on_progress=display.progress,
            spent=accounts.spent_usd,
        )
    )
    run.log("paintings", done=end.done, failed=end.failed, skipped=end.skipped)
    if end.stopped is None and end.skipped:
        run_to_end(_restore_lost(plan, run, studio))
    return end


async def _restore_lost(plan: PipbenchPlan, run: RunFolder, studio: Studio) -> None:
    """Paint again what an earlier session painted and whose file is no longer there."""
    restored = 0
    items = paint_items(plan.run, plan.cases)
    for item, painting in zip(items, KeptPaintings(plan, run.table("paintings")), strict=True):
        if painting.picture is not None and painting.picture not in studio.files:
            await studio.restore(item, painting.picture)
            restored += 1
    if restored:
        run.log("restored", pictures=restored)


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
