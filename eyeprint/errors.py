"""Every error that eyeprint raises on purpose.

The tree::

    EyeprintError
    ├── UsageError            a setting, flag or argument is wrong        (exit code 2)
    │   ├── UnknownName       no method, model, person ... has that name
    │   └── MissingExtra      an optional dependency is not installed
    ├── DataError             an input file cannot be used
    │   ├── BadRecord         one record of it: file, line, field
    │   └── UnreadablePicture no picture could be made of a file or its bytes
    ├── ModelError            an outside model did not do its work
    │   ├── ModelUnavailable  weights or server are not there
    │   ├── CallFailed        a call ended without a reply (kind, retries)
    │   └── BudgetReached     the next call could pass the money limit
    └── StoreError            a run folder or ledger cannot be used
        ├── FolderBusy        another process is writing there
        ├── FolderMismatch    the folder holds a run with other settings
        └── CannotWrite       disk full, or no permission

Each message says what happened, where, and what to do next. Code that catches
:class:`EyeprintError` catches all of them and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

NAME_SHOWN = 60
"""Most characters of somebody's name or value that a message repeats."""


def shown(text: str) -> str:
    """Return text that others made, fit for one line of a message.

    Control characters and half surrogates are escaped, and what is long is cut.

    >>> shown("a" + chr(10) + "b"), shown("x" * 99)[-5:]
    ('a\\\\nb', 'x ...')
    """
    few = text if len(text) <= NAME_SHOWN else text[:NAME_SHOWN] + " ..."
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in few)


class EyeprintError(Exception):
    """Base of all errors raised on purpose; its text is fit to be shown to a person."""

    exit_code = 1


class UsageError(EyeprintError):
    """A setting, flag or argument is wrong; nothing was started."""

    exit_code = 2


class UnknownName(UsageError):
    """No thing of this kind has that name.

    >>> str(UnknownName("method", "vprga", ["brag", "vprag"]))
    "There is no method 'vprga'. Did you mean 'vprag'? Known: brag, vprag."
    """

    def __init__(self, kind: str, name: str, known: Iterable[str], more: str = "") -> None:
        self.kind, self.name, self.known = kind, name, sorted(known)
        close = get_close_matches(name[:NAME_SHOWN], self.known, n=1)
        hint = f" Did you mean '{shown(close[0])}'?" if close else ""
        names = ", ".join(map(shown, self.known[:20])) + (" ..." if len(self.known) > 20 else "")
        told = f"There is no {kind} '{shown(name)}'.{hint} Known: {names or 'none'}."
        super().__init__(f"{told} {more}".rstrip())


class MissingExtra(UsageError):
    """An optional dependency is not installed; the message gives the pip line.

    >>> str(MissingExtra("the t-SNE picture", "scikit-learn", "audit"))
    "the t-SNE picture needs scikit-learn. Install it with: pip install 'eyeprint[audit]'"
    """

    def __init__(self, what: str, package: str, extra: str) -> None:
        self.package, self.extra = package, extra
        super().__init__(
            f"{what} needs {package}. Install it with: pip install 'eyeprint[{extra}]'"
        )


class DataError(EyeprintError):
    """An input file cannot be used at all."""


class BadRecord(DataError):
    """One record of a file is wrong. ``line`` is 1-based, or ``None`` for one-record files."""

    def __init__(self, file: str, line: int | None, field: str, reason: str) -> None:
        self.file, self.line, self.field, self.reason = file, line, field, reason
        place = file if line is None else f"{file}:{line}"
        at = f", field '{field}'" if field else ""
        super().__init__(f"{place}{at}: {reason}")


class UnreadablePicture(DataError):
    """No picture could be made of a file, bytes or an array; ``reason`` says why.

    >>> str(UnreadablePicture("a.png", "the file is empty. Copy it again"))
    'a.png: the file is empty. Copy it again'
    """

    def __init__(self, name: str, reason: str) -> None:
        self.name, self.reason = name, reason
        super().__init__(f"{name}: {reason}")


class ModelError(EyeprintError):
    """An outside model did not do its work."""


class ModelUnavailable(ModelError):
    """Weights or server are not there; the message says where they were looked for."""


class CallFailed(ModelError):
    """A call ended without a usable reply.

    ``kind`` is one of the kinds in :data:`eyeprint.models.kinds.FAILURE_KINDS`.
    """

    def __init__(self, kind: str, message: str) -> None:
        self.kind = kind
        super().__init__(message)


class BudgetReached(ModelError):
    """The next call could pass the money limit, so it was not made."""


class StoreError(EyeprintError):
    """A run folder or ledger cannot be used."""


class FolderBusy(StoreError):
    """Another process is writing in this folder."""


class FolderMismatch(StoreError):
    """The folder holds a run with other settings."""

    exit_code = 2


class CannotWrite(StoreError):
    """A file could not be written: disk full or no permission. Finished work is kept."""
