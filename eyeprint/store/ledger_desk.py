"""The one thread that owns a ledger's database connection, and serves many askers at once.

Look-ups and replies to keep wait in a queue; the thread takes all that are there and
treats them in one query and one transaction (group commit). An asker gets its answer
after the commit, so a reply is durable before anybody reads it, and 64 parallel calls
cost a few commits rather than 64.
"""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from eyeprint.errors import CannotWrite, EyeprintError, StoreError
from eyeprint.models.kinds import Reply, Usage
from eyeprint.records.whole_files import write_whole

if TYPE_CHECKING:
    from sqlalchemy.engine import URL, Connection

T = TypeVar("T")
MOST_AT_ONCE = 400
"""Jobs in one transaction; SQLite takes at least 999 parameters in one query."""


class ReplyNotKept(CannotWrite):
    """Replies were paid for and could not be kept in the ledger."""

    def __init__(self, message: str, replies: tuple[Reply, ...], rescued_to: Path | None) -> None:
        self.replies = replies
        """The replies themselves."""
        self.rescued_to = rescued_to
        """The file that holds them, for :meth:`Ledger.take_in`; ``None`` if that failed too."""
        super().__init__(message)


class Entry(NamedTuple):
    """A reply to keep."""

    key: str
    model: str
    body: str
    """JSON of the request."""
    reply: Reply
    made_at: str
    attempt: int = 1
    """Its number among the key's attempts, as far as its asker knows."""


class Found(NamedTuple):
    """What the ledger holds for a key."""

    answer: Reply | None
    """The first answer, the only one that is ever served."""
    attempts: int


class _Job(NamedTuple):
    kind: str
    what: Any
    loop: asyncio.AbstractEventLoop | None
    future: Any


def reply_of(row: Any) -> Reply:
    """Return the reply in a row of the table."""
    return Reply(
        text=row.text,
        outcome=row.outcome,
        finish_reason=row.finish_reason,
        served_model=row.served_model,
        usage=Usage(input_tokens=row.input_tokens, output_tokens=row.output_tokens),
        cost_usd=row.cost_usd,
        seconds=row.seconds,
        failure=row.failure,
        detail=row.detail,
        from_ledger=True,
    )


class Desk:
    """The thread and its queue. Opening fails here when the database cannot be used."""

    def __init__(self, url: URL) -> None:
        self.shown = url.render_as_string(hide_password=True)
        self.broken: StoreError | None = None
        """Set when a write has failed: nothing is sent any more whose reply could not be kept."""
        self._url = url
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        opened: Future[None] = Future()
        self._thread = threading.Thread(
            target=self._work, args=(opened,), name="eyeprint-ledger", daemon=True
        )
        self._thread.start()
        opened.result()

    async def find(self, key: str) -> Found:
        """Return the first answer that is kept for a key, and how many attempts there are."""
        found: Found = await self._ask("find", key)
        return found

    async def keep(self, entry: Entry) -> Reply:
        """Keep a reply; return what counts from now on: an earlier answer if there is one."""
        kept: Reply = await self._ask("keep", entry)
        return kept

    def run(self, function: Callable[[Connection], T]) -> T:
        """Run a function with the connection, in the thread, and return what it returns."""
        future: Future[T] = Future()
        self._put(_Job("run", function, None, future))
        return future.result()

    def close(self) -> None:
        """Finish what is waiting, close the connection and end the thread."""
        if self._thread.is_alive():
            self._jobs.put(None)
            self._thread.join()

    def _ask(self, kind: str, what: Any) -> asyncio.Future[Any]:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        self._put(_Job(kind, what, loop, future))
        return future

    def _put(self, job: _Job) -> None:
        if not self._thread.is_alive():
            raise StoreError(f"The ledger {self.shown} is closed.")
        self._jobs.put(job)

    def _work(self, opened: Future[None]) -> None:
        from eyeprint.store.ledger_tables import open_connection

        try:
            connection = open_connection(self._url)
        except (EyeprintError, OSError) as error:
            opened.set_exception(error)
            return
        opened.set_result(None)
        jobs: list[_Job | None] = []
        try:
            while None not in jobs:
                jobs = self._take()
                self._serve(connection, jobs)
        except BaseException as error:
            # A fault in this program: nobody shall wait for an answer that cannot come.
            self.broken = StoreError(f"The ledger {self.shown} has failed: {error!r}.")
            _deliver([(job, self.broken) for job in jobs + self._take_now() if job is not None])
            raise
        finally:
            engine = connection.engine
            connection.close()
            engine.dispose()

    def _take(self) -> list[_Job | None]:
        """Wait for a job and return it with all others that are waiting."""
        return [self._jobs.get(), *self._take_now()]

    def _take_now(self) -> list[_Job | None]:
        """Return the jobs that are waiting, at most as many as go into one transaction."""
        jobs: list[_Job | None] = []
        try:
            while len(jobs) < MOST_AT_ONCE:
                jobs.append(self._jobs.get_nowait())
        except Empty:
            pass
        return jobs

    def _serve(self, connection: Connection, jobs: list[_Job | None]) -> None:
        open_jobs = [job for job in jobs if job is not None]
        results: list[tuple[_Job, Any]] = []
        finds = [job for job in open_jobs if job.kind == "find"]
        keeps = [job for job in open_jobs if job.kind == "keep"]
        if finds:
            found = self._guarded(lambda: _find(connection, [job.what for job in finds]))
            if isinstance(found, StoreError):
                results += [(job, found) for job in finds]
            else:
                nothing = Found(None, 0)
                results += [(job, found.get(job.what, nothing)) for job in finds]
        if keeps:
            entries = [job.what for job in keeps]
            kept = self._guarded(lambda: keep_entries(connection, entries))
            if isinstance(kept, StoreError):
                self.broken = kept
                not_kept = self._rescue(entries, kept)
                results += [(job, not_kept) for job in keeps]
            else:
                results += list(zip(keeps, kept, strict=True))
        _deliver(results)
        for job in open_jobs:
            if job.kind == "run":
                outcome = self._guarded(lambda job=job: job.what(connection))  # type: ignore[misc]
                _deliver([(job, outcome)])

    def _guarded(self, work: Callable[[], T]) -> T | StoreError:
        from sqlalchemy.exc import DBAPIError, SQLAlchemyError

        from eyeprint.store.ledger_tables import explained

        try:
            return work()
        except DBAPIError as error:
            return explained(error, self.shown)
        except SQLAlchemyError as error:
            return StoreError(f"The ledger {self.shown} cannot be used: {error}")
        except StoreError as error:
            return error

    def _rescue(self, entries: list[Entry], why: StoreError) -> ReplyNotKept:
        """Write replies that the database did not take to a file in the temporary folder."""
        replies = tuple(entry.reply for entry in entries)
        folder = Path(tempfile.gettempdir())
        name = (
            f"eyeprint-rescue-{os.getpid()}-{threading.get_native_id()}-{entries[0].key[:12]}.jsonl"
        )
        path: Path | None = folder / name
        try:
            write_whole(folder / name, rescue_lines(entries))
            what = (
                f"{len(replies)} paid replies are in {path}: take them in with "
                f"'eyeprint ledger take-in {path} --ledger PLACE'."
            )
        except CannotWrite:
            path = None
            what = f"{len(replies)} paid replies could not be kept and will be asked again."
        return ReplyNotKept(f"{why} {what}", replies, path)


def rescue_lines(entries: Iterable[Entry]) -> Iterable[bytes]:
    """Return replies as JSON lines."""
    for entry in entries:
        row = entry._asdict() | {"reply": entry.reply.model_dump(mode="json")}
        yield json.dumps(row).encode() + b"\n"


def entry_of(line: str) -> Entry:
    """Return the reply in a JSON line."""
    row = json.loads(line)
    return Entry(**(row | {"reply": Reply.model_validate(row["reply"])}))


def _deliver(results: list[tuple[_Job, Any]]) -> None:
    """Hand results to their event loops, in one call for each loop."""
    by_loop: dict[int, list[tuple[_Job, Any]]] = {}
    for result in results:
        by_loop.setdefault(id(result[0].loop), []).append(result)
    for group in by_loop.values():
        loop = group[0][0].loop
        if loop is None:
            _settle(group)
        # A closed loop's askers are gone; what they asked to keep has been kept.
        elif not loop.is_closed():
            loop.call_soon_threadsafe(_settle, group)


def _settle(group: list[tuple[_Job, Any]]) -> None:
    for job, result in group:
        if job.future.done():
            continue
        if isinstance(result, StoreError):
            job.future.set_exception(result)
        else:
            job.future.set_result(result)


def _find(connection: Connection, keys: list[str]) -> dict[str, Found]:
    """Return key -> its first answer and the number of its last attempt, where it has any."""
    from eyeprint.store.ledger_tables import FIND

    found: dict[str, Found] = {}
    for row in connection.execute(FIND, {"keys": keys}):
        answer = found.get(row.key, Found(None, 0)).answer
        if answer is None and row.outcome == "answered":
            answer = reply_of(row)
        found[row.key] = Found(answer, row.attempt)
    return found


def keep_entries(connection: Connection, entries: list[Entry]) -> list[Reply]:
    """Insert replies as the next attempts of their keys, in one transaction.

    Returns the replies that count from now on: an earlier answer to the same request,
    should another process have got one meanwhile, else the new reply.
    """
    from sqlalchemy.exc import IntegrityError

    for _ in range(20):
        try:
            _insert(connection, entries)
            return [entry.reply for entry in entries]
        except IntegrityError:
            # Another process kept an attempt of that number first: number anew.
            found = _find(connection, list({entry.key for entry in entries}))
            numbered = []
            for entry in entries:
                before = found.get(entry.key, Found(None, 0))
                reply = entry.reply
                if before.answer is not None and reply.outcome == "answered":
                    reply = before.answer
                numbered.append((entry._replace(attempt=before.attempts + 1), reply))
                found[entry.key] = Found(before.answer, before.attempts + 1)
            try:
                _insert(connection, [entry for entry, _ in numbered])
                return [reply for _, reply in numbered]
            except IntegrityError:
                continue
    raise StoreError(
        "The ledger's attempts could not be numbered: other processes keep writing replies to "
        "the same requests. Run fewer processes on the same work."
    )


def not_kept_yet(connection: Connection, entries: list[Entry]) -> list[Entry]:
    """Return the entries of which the table has no reply of the same key and time."""
    import sqlalchemy as sql

    from eyeprint.store.ledger_tables import replies

    keys = {entry.key for entry in entries}
    query = sql.select(replies.c.key, replies.c.made_at).where(replies.c.key.in_(keys))
    held = {(row.key, row.made_at) for row in connection.execute(query)}
    return [entry for entry in entries if (entry.key, entry.made_at) not in held]


def _insert(connection: Connection, entries: list[Entry]) -> None:
    from eyeprint.store.ledger_tables import INSERT_REPLY, INSERT_REQUEST, writing

    firsts = [
        {"key": entry.key, "model": entry.model, "body": entry.body}
        for entry in entries
        if entry.attempt == 1
    ]
    with writing(connection):
        connection.execute(INSERT_REPLY, [_row(entry) for entry in entries])
        if firsts:
            connection.execute(INSERT_REQUEST, firsts)


def _row(entry: Entry) -> dict[str, Any]:
    reply = entry.reply
    return {
        "key": entry.key,
        "attempt": entry.attempt,
        "model": entry.model,
        "outcome": reply.outcome,
        "text": reply.text,
        "finish_reason": reply.finish_reason,
        "served_model": reply.served_model,
        "input_tokens": reply.usage.input_tokens,
        "output_tokens": reply.usage.output_tokens,
        "cost_usd": reply.cost_usd,
        "seconds": reply.seconds,
        "failure": reply.failure,
        "detail": reply.detail,
        "made_at": entry.made_at,
    }
