"""Free answers before a grader that is a chat model; offline grading needs none (M20)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from eyeprint.errors import CallFailed
from eyeprint.models.kinds import Chat
from eyeprint.models.loops import run_to_end
from eyeprint.protocols.display import Display
from eyeprint.protocols.mmpb_reading import (
    ANSWERS,
    GRADES,
    Kept,
    kept_answers,
    kept_questions,
    reply_of,
)
from eyeprint.protocols.mmpb_settings import MmpbRun
from eyeprint.scores.answer_reading import read_answer
from eyeprint.scores.free_answers import grade_request, read_grade
from eyeprint.store.ledger import Ledger
from eyeprint.store.run_folder import RunFolder
from eyeprint.store.shards import ShardTable
from eyeprint.store.work import WorkSettings, WorkSummary, run_items


def to_grade(run: MmpbRun, folder: Path) -> Iterator[Kept]:
    """Yield the free answers that say something: those that are there and do not decline."""
    free = {setting.label for setting in run.settings if setting.form == "open"}
    for kept in kept_answers(ShardTable(folder, ANSWERS), kept_questions(folder)):
        if kept.raw.setting not in free or kept.raw.outcome == "failed":
            continue
        if read_answer(reply_of(kept.raw), kept.question).outcome in ("answered", "unread"):
            yield kept


def grade_answers(
    settings: MmpbRun,
    run: RunFolder,
    grader: Chat,
    book: Ledger,
    concurrency: int | None,
    display: Display,
) -> WorkSummary:
    """Ask the grader about every free answer that is not graded yet."""

    async def grade(kept: Kept) -> dict[str, str | bool | None]:
        reply = await grader.reply(grade_request(kept.question, kept.raw.text))
        if reply.outcome == "failed":
            raise CallFailed(reply.failure or "failed", reply.detail or "the call failed")
        found = read_grade(reply, kept.question)
        return {"key": kept.key, **found._asdict()}

    display.stage("grading free answers", None)
    at_once = {} if concurrency is None else {"at_once": max(1, concurrency * 3 // 2)}
    end = run_to_end(
        run_items(
            to_grade(settings, run.path),
            grade,
            run.table(GRADES),
            key=lambda kept: kept.key,
            settings=WorkSettings(**at_once),
            on_progress=display.progress,
            spent=book.accounts.spent_usd,
        )
    )
    run.log("grades", done=end.done, failed=end.failed, skipped=end.skipped)
    return end
