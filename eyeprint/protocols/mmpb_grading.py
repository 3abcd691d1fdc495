"""Free answers before a grader that is a chat model; offline grading needs none (M20)."""

from __future__ import annotations

import asyncio
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
from eyeprint.protocols.mmpb_trouble import Trouble
from eyeprint.scores.answer_reading import read_answer
from eyeprint.scores.free_answers import GraderReading, grade_request, read_grade
from eyeprint.store.ledger import Ledger
from eyeprint.store.run_folder import RunFolder
from eyeprint.store.shards import ShardTable
from eyeprint.store.work import WorkSettings, WorkSummary, run_items

UNANSWERED = "unanswered"
"""Kind of failure of a grade whose question was not answered: no fault of the grader."""


def to_grade(run: MmpbRun, folder: Path) -> Iterator[Kept]:
    """Yield what came back of every question in a free form, whether there is an answer or not.

    So each has the same place in every session, also when a call that failed is made again.
    """
    free = {setting.label for setting in run.settings if setting.form == "open"}
    for kept in kept_answers(ShardTable(folder, ANSWERS), kept_questions(folder)):
        if kept.raw.setting in free:
            yield kept


def says_something(kept: Kept) -> bool:
    """Whether there is an answer to grade: one that is not empty, cut, or a refusal.

    Raises:
        CallFailed: the question was not answered yet.
    """
    if kept.raw.outcome == "failed":
        raise CallFailed(UNANSWERED, "the question was not answered")
    return read_answer(reply_of(kept.raw), kept.question).outcome in ("answered", "unread")


def grade_answers(
    settings: MmpbRun,
    run: RunFolder,
    grader: Chat,
    book: Ledger,
    concurrency: int | None,
    display: Display,
) -> WorkSummary:
    """Ask the grader about every free answer that is not graded yet."""

    trouble = Trouble()

    async def grade(kept: Kept) -> dict[str, str | bool | None]:
        if not says_something(kept):
            return {"key": kept.key, **GraderReading(None, "", True)._asdict()}
        if trouble.given_up(grader.name):
            await asyncio.sleep(0)
        trouble.check(grader.name)
        reply = await grader.reply(grade_request(kept.question, kept.raw.text))
        trouble.note(grader.name, reply)
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
