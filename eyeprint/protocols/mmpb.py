"""MMPB end to end: concepts × settings × models → answers → readings → tables → report.

A run lives in one folder. Killed at any moment, the same command goes on: answers that are
there are kept, replies that were paid for are in the ledger. Results are equal byte for byte
however often it was interrupted (CHECKLIST M4, M22–M48, X10, X17).
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from eyeprint.errors import UsageError
from eyeprint.methods.injection import shown_concepts
from eyeprint.models.loops import run_to_end
from eyeprint.protocols.display import Display, Quiet
from eyeprint.protocols.mmpb_ask import Asker
from eyeprint.protocols.mmpb_data import TOYBOX
from eyeprint.protocols.mmpb_grading import UNANSWERED, grade_answers
from eyeprint.protocols.mmpb_pictures import ConceptPictures
from eyeprint.protocols.mmpb_plan import MmpbPlan, plan_mmpb
from eyeprint.protocols.mmpb_reading import ANSWERS, GRADES
from eyeprint.protocols.mmpb_summary import keep_data, read_and_summarise
from eyeprint.protocols.vptt import RunEnd
from eyeprint.records.concept_data import ConceptData
from eyeprint.records.concept_settings import ConceptSetting
from eyeprint.report.write import write_report
from eyeprint.store.budget import Budget
from eyeprint.store.ledger import Ledger
from eyeprint.store.run_folder import RunFolder
from eyeprint.store.work import WorkSettings, WorkSummary, run_items

KIND = "mmpb"


def run_mmpb(
    data: str | Path | ConceptData = TOYBOX,
    *,
    models: str | tuple[str, ...] = ("nearest",),
    out: str | Path | None = None,
    budget_usd: float | None = None,
    ledger: str | None = None,
    **choices: Any,
) -> Path:
    """Run MMPB and return the run's folder, with ``report.html`` in it.

    ``choices`` are those of :func:`eyeprint.protocols.mmpb_plan.plan_mmpb`: grid, chosen,
    prompting, grader, facts, seed ... The same call goes on where an earlier one stopped.

    Raises:
        UsageError, DataError, ModelError, StoreError: see :mod:`eyeprint.errors`.
    """
    if isinstance(models, str):
        models = (models,)
    plan = plan_mmpb(data, models, **choices)
    return execute(plan, out, budget_usd=budget_usd, ledger=ledger).folder


def execute(
    plan: MmpbPlan,
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
        UsageError: no question has a picture that can be used.
    """
    display = display or Quiet()
    folder = plan.folder(out)
    started = time.monotonic()
    budget = Budget(budget_usd) if budget_usd is not None else None
    _check_others(plan)
    with RunFolder.open(folder, plan.run, kind=KIND) as run, plan.ledger(folder, ledger) as book:
        asker = prepared(plan, run.path, display, book, budget)
        keep_data(plan, asker, run.path)
        end = _ask(plan, run, asker, book, concurrency, display)
        if end.stopped is None and plan.grader is not None:
            grader = book.wrap(plan.grader, budget, price=plan.price)
            graded = grade_answers(plan.run, run, grader, book, concurrency, display)
            end = end if graded.stopped is None else graded
        run.end_session(book.accounts, time.monotonic() - started)
        if end.stopped is not None:
            return RunEnd(folder, end.failed, end.failures, end.stopped, end.reason)
        failures = [*run.table(ANSWERS).failures()]
        if plan.grader is not None:
            grades = run.table(GRADES).failures()
            failures += [failure for failure in grades if failure.kind != UNANSWERED]
        kinds: dict[str, int] = {}
        for failure in failures:
            kinds[failure.kind] = kinds.get(failure.kind, 0) + 1
        read_and_summarise(plan.run, run.path, display)
        write_report(run.path)
        run.log("finished", seconds=round(time.monotonic() - started, 3))
        return RunEnd(folder, len(failures), dict(sorted(kinds.items())), None, end.reason)


def _check_others(plan: MmpbPlan) -> None:
    """Find out before a folder is taken whether there are as many concepts as settings show.

    Raises:
        UsageError: there are too few of them.
    """
    largest: dict[str, ConceptSetting] = {}
    for setting in plan.run.settings:
        known = largest.get(setting.distractors)
        if setting.concepts > (1 if known is None else known.concepts):
            largest[setting.distractors] = setting
    run, concepts = plan.run, plan.data.concepts
    first = {question.concept: question for question in reversed(plan.data.questions)}
    for question in first.values():
        for setting in largest.values():
            shown_concepts(question, setting, concepts, run.seed, run.injection)


def prepared(
    plan: MmpbPlan,
    folder: Path | None,
    display: Display,
    book: Ledger | None = None,
    budget: Budget | None = None,
) -> Asker:
    """Look at the pictures and return what asks; without a ledger, models are not wrapped.

    Raises:
        UsageError: no question has a picture that can be used, or a setting cannot be asked.
    """
    pictures = ConceptPictures(plan.data, folder, plan.run.max_side)
    display.stage("looking at pictures", None)
    for done in pictures.prepare(plan.data.questions, plan.references):
        display.advance(done)
    chats = plan.chats
    if book is not None:
        chats = {
            name: book.wrap(chat, budget, price=plan.price) for name, chat in plan.chats.items()
        }
    asker = Asker(plan.run, plan.data, pictures, plan.dialogues, chats, plan.given)
    for path, fault in list(pictures.faults.items())[:20]:
        display.note(f"left out, with its questions: {fault or path}")
    if not asker.questions:
        first = next(iter(pictures.faults.values()), "")
        raise UsageError(f"No question has a picture that can be used. The first fault: {first}")
    asker.check()
    plan.unusable = dict(pictures.faults)
    return asker


def _ask(
    plan: MmpbPlan,
    run: RunFolder,
    asker: Asker,
    book: Ledger,
    concurrency: int | None,
    display: Display,
) -> WorkSummary:
    total = asker.total()
    display.stage("asking", total)
    run.log("asking", items=total)
    end = run_to_end(
        run_items(
            asker.items(),
            asker.ask,
            run.table(ANSWERS),
            key=lambda item: item.key,
            settings=work_settings(plan, concurrency),
            total=total,
            on_progress=display.progress,
            spent=book.accounts.spent_usd,
        )
    )
    run.log("answers", done=end.done, failed=end.failed, skipped=end.skipped)
    return end


def work_settings(plan: MmpbPlan, concurrency: int | None) -> WorkSettings:
    """Return how many items are under way: many where models are elsewhere, few in process."""
    if concurrency is not None:
        return WorkSettings(at_once=max(1, concurrency * 3 // 2))
    # Those in process answer one at a time; more under way let replies be kept together.
    local = all(getattr(chat, "in_process", False) for chat in plan.chats.values())
    return WorkSettings(at_once=16) if local else WorkSettings()
