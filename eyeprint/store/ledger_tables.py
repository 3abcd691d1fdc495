"""The ledger's tables, its numbered migrations, and how a database is opened.

SQLite is opened in write-ahead mode with full synchronisation: what is committed
survives ``kill -9`` and power cuts. Write-ahead mode needs shared memory, so a SQLite
ledger must not lie on a network drive that several machines use: take PostgreSQL there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import sqlalchemy as sql
from sqlalchemy import Column, Float, Integer, String, Table, Text
from sqlalchemy.engine import URL, Connection, Engine, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError

from eyeprint.errors import CannotWrite, MissingExtra, StoreError, UsageError
from eyeprint.models.chat_wire import clean_text
from eyeprint.records.whole_files import make_folder

BUSY_SECONDS = 60
"""How long a process waits for another one that is writing to the same SQLite file."""
_SQLITE_HEAD = b"SQLite format 3\0"
_LOCK_KEY = 0x65796570  # "eyep": the advisory lock under which PostgreSQL is migrated

metadata = sql.MetaData()

schema = Table(
    "eyeprint_schema",
    metadata,
    Column("version", Integer, primary_key=True),
    Column("applied_at", String(32), nullable=False),
)
requests = Table(
    "eyeprint_request",
    metadata,
    Column("key", String(64), primary_key=True),
    Column("model", Text, nullable=False),
    Column("body", Text, nullable=False),
)
replies = Table(
    "eyeprint_reply",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("key", String(64), nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("model", Text, nullable=False),
    Column("outcome", String(16), nullable=False),
    Column("text", Text, nullable=False),
    Column("finish_reason", Text),
    Column("served_model", Text),
    Column("input_tokens", Integer),
    Column("output_tokens", Integer),
    Column("cost_usd", Float(53)),
    Column("seconds", Float(53), nullable=False),
    Column("failure", String(32)),
    Column("detail", Text, nullable=False),
    Column("made_at", String(32), nullable=False),
    sql.UniqueConstraint("key", "attempt", name="eyeprint_reply_key_attempt"),
)

# Built once: building a statement costs SQLAlchemy more than running it costs SQLite.
FIND = (
    sql.select(replies)
    .where(replies.c.key.in_(sql.bindparam("keys", expanding=True)))
    .order_by(replies.c.attempt)
)
INSERT_REPLY = replies.insert()
INSERT_REQUEST = sql.text(
    f"INSERT INTO {requests.name} (key, model, body) VALUES (:key, :model, :body) "
    "ON CONFLICT (key) DO NOTHING"
)


def _create(connection: Connection) -> None:
    metadata.create_all(connection, tables=[requests, replies])


def _index_outcomes(connection: Connection) -> None:
    connection.execute(
        sql.text("CREATE INDEX eyeprint_reply_model_outcome ON eyeprint_reply (model, outcome)")
    )


MIGRATIONS: tuple[Callable[[Connection], None], ...] = (_create, _index_outcomes)
"""Steps from an empty database to today's; the version of a database is how many it has had.
A step that was published is never changed: a new one is added."""


def now() -> str:
    """Return the time in UTC as ISO text, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


@contextmanager
def writing(connection: Connection) -> Iterator[None]:
    """Run the block in one transaction that holds the right to write from its start.

    Connections are in autocommit mode: SQLite's own ``BEGIN`` would take a lock for
    reading first, and fail when another process wrote in between.
    """
    begin = "BEGIN IMMEDIATE" if connection.dialect.name == "sqlite" else "BEGIN"
    connection.exec_driver_sql(begin)
    try:
        yield
        connection.exec_driver_sql("COMMIT")
    except BaseException:
        # The driver's own: it knows whether SQLite has ended the transaction by itself, as
        # it does on a full disk, where a ROLLBACK would be one more error.
        connection.connection.rollback()
        raise


def ledger_url(place: str | Path) -> URL:
    """Return the database URL of a path or URL.

    >>> str(ledger_url("runs/ledger.sqlite"))
    'sqlite:///runs/ledger.sqlite'
    """
    text = str(place)
    if clean_text(text) != text:
        # Bytes that are no UTF-8 come as half surrogates, which no URL can hold.
        raise UsageError(
            f"The ledger's path {text!a} is not UTF-8 text. Name another with --ledger."
        )
    if "://" not in text:
        return URL.create("sqlite", database=text)
    try:
        url = make_url(text)
    except ArgumentError as error:
        raise UsageError("The ledger is neither a path nor a database URL.") from error
    if url.drivername in ("postgres", "postgresql"):
        url = url.set(drivername="postgresql+psycopg")
    if url.get_backend_name() not in ("sqlite", "postgresql"):
        raise UsageError(
            f"A ledger cannot be kept in '{url.get_backend_name()}': use a path for SQLite, or "
            "postgresql+psycopg://USER@HOST/DATABASE."
        )
    return url


def open_connection(url: URL) -> Connection:
    """Open the database, bring its tables up to date and return the connection.

    Raises:
        CannotWrite: the file or folder cannot be written.
        MissingExtra: PostgreSQL without its driver.
        StoreError: no database, no connection, or tables of a newer eyeprint.
    """
    shown = url.render_as_string(hide_password=True)
    if url.get_backend_name() == "sqlite":
        engine = _sqlite_engine(url)
    else:
        try:
            engine = sql.create_engine(url, isolation_level="AUTOCOMMIT")
        except ModuleNotFoundError as error:
            raise MissingExtra("A PostgreSQL ledger", "psycopg", "postgres") from error
    try:
        connection = engine.connect()
    except DBAPIError as error:
        raise explained(error, shown) from error
    try:
        _migrate(connection, shown)
    except DBAPIError as error:
        connection.close()
        engine.dispose()
        raise explained(error, shown) from error
    except StoreError:
        connection.close()
        engine.dispose()
        raise
    return connection


def _sqlite_engine(url: URL) -> Engine:
    # "file:" begins an address of SQLite's own, whose folder is not for us to make.
    if url.database and url.database != ":memory:" and not url.database.startswith("file:"):
        make_folder(Path(url.database).parent)
        _leave_strangers(Path(url.database))
    engine = sql.create_engine(
        url, isolation_level="AUTOCOMMIT", connect_args={"timeout": BUSY_SECONDS}
    )

    @sql.event.listens_for(engine, "connect")
    def prepare(dbapi_connection: sql.engine.interfaces.DBAPIConnection, _: object) -> None:
        cursor = dbapi_connection.cursor()
        cursor.execute("PRAGMA journal_mode = WAL")
        cursor.execute("PRAGMA synchronous = FULL")
        cursor.close()

    return engine


def _leave_strangers(file: Path) -> None:
    """Refuse a file of something else: SQLite takes one shorter than its header for empty.

    Raises:
        StoreError: the file is no database.
    """
    try:
        with file.open("rb") as opened:
            head = opened.read(len(_SQLITE_HEAD))
    except OSError:
        return  # Not there yet, or SQLite itself says what is wrong with it.
    if head and head != _SQLITE_HEAD:
        raise StoreError(
            f"{file}: is no ledger, for it is no database. Name another file with --ledger."
        )


def _migrate(connection: Connection, shown: str) -> None:
    version = _version(connection)
    if version == len(MIGRATIONS):
        return
    with writing(connection):
        if connection.dialect.name == "postgresql":
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_LOCK_KEY})")
        metadata.create_all(connection, tables=[schema])
        # Another process may have migrated while this one waited for its turn.
        version = _version(connection)
        if version > len(MIGRATIONS):
            raise StoreError(
                f"{shown} was written by a newer eyeprint (tables of version {version}, this one "
                f"knows {len(MIGRATIONS)}). Update eyeprint, or name another ledger."
            )
        for number in range(version, len(MIGRATIONS)):
            MIGRATIONS[number](connection)
            row = {"version": number + 1, "applied_at": now()}
            connection.execute(schema.insert(), row)


def _version(connection: Connection) -> int:
    if not sql.inspect(connection).has_table(schema.name):
        return 0
    return int(connection.execute(sql.select(sql.func.max(schema.c.version))).scalar() or 0)


def explained(error: DBAPIError, shown: str) -> StoreError:
    """Return what a database's error means for a person; ``shown`` holds no password."""
    said = str(error.orig).strip().splitlines()[0] if error.orig else type(error).__name__
    lower = said.lower()
    if "readonly" in lower or "read-only" in lower or "unable to open" in lower:
        return CannotWrite(
            f"The ledger {shown} cannot be written ({said}). Change the permissions, or name "
            "another ledger; a reply without a place to keep it would have to be paid again."
        )
    if "full" in lower or "no space" in lower or "disk i/o" in lower:
        return CannotWrite(
            f"The ledger {shown} cannot be written ({said}). Free some space, then run the same "
            "command again. What is in the ledger is kept."
        )
    if "locked" in lower:
        return CannotWrite(
            f"The ledger {shown} has been locked by another process for over {BUSY_SECONDS} s. "
            "Wait for that process or end it, then run the same command again."
        )
    if any(told in lower for told in ("not a database", "malformed", "no such column")):
        return StoreError(
            f"{shown} is no ledger: {said}. Name another file; nothing was changed in this one."
        )
    kind = "cannot be reached" if isinstance(error, OperationalError) else "refused a command"
    return StoreError(f"The ledger {shown} {kind}: {said}.")
