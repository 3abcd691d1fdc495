"""What several reviewers decide together: three look, two must accept (M19)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Literal, NamedTuple

from pydantic import Field

from eyeprint.config import Settings
from eyeprint.people.concept_decisions import Decision

Status = Literal["accepted", "rejected", "undecided", "waiting"]


class ReviewSettings(Settings):
    """How many must look, and how many must accept."""

    reviewers: int = Field(default=3, ge=1)
    """Decisions that a question needs before it is settled."""
    majority: float = Field(default=2 / 3, gt=0, le=1)
    """Share of the decisions that must be accept or edit: 2 of 3, 3 of 4, 4 of 5."""


class Outcome(NamedTuple):
    """What became of one question, or of one level of a description."""

    key: tuple[str, str]
    status: Status
    """accepted; rejected; undecided: accepted with unlike texts; waiting: too few decisions."""
    edit: tuple[tuple[str, str], ...]
    """What changes in it, by column; empty for a text that stays."""
    votes: tuple[tuple[str, str], ...]
    """(reviewer, choice), in the order of the files."""
    disagreed: bool
    """Whether reviewers chose unlike things, or edited into unlike texts."""
    why: str = ""
    """Of "undecided" and "waiting"."""
    comments: tuple[str, ...] = ()


def settle(
    decisions: Iterable[Decision], settings: ReviewSettings | None = None
) -> dict[tuple[str, str], Outcome]:
    """Return what is decided about each key that anybody decided about.

    An edit accepts the text that it makes. Among those who accept, the text that most of them
    want is taken. When an edit and the text as it stands are wanted equally often, the edit is
    taken, since somebody saw a fault; unlike edits that are wanted equally often are undecided.

    >>> rows = [Decision(("question", "q"), name, "accept") for name in "ab"]
    >>> settle([*rows, Decision(("question", "q"), "c", "reject")])[("question", "q")].status
    'accepted'
    """
    settings = settings or ReviewSettings()
    by_key: dict[tuple[str, str], list[Decision]] = {}
    for decision in decisions:
        by_key.setdefault(decision.key, []).append(decision)
    return {key: _settled(key, rows, settings) for key, rows in by_key.items()}


def _settled(key: tuple[str, str], rows: list[Decision], settings: ReviewSettings) -> Outcome:
    votes = tuple((row.reviewer, row.choice) for row in rows)
    comments = tuple(f"{row.reviewer}: {row.comment}" for row in rows if row.comment)
    disagreed = len({(row.choice, row.edit) for row in rows}) > 1

    def outcome(status: Status, edit: tuple[tuple[str, str], ...] = (), why: str = "") -> Outcome:
        return Outcome(key, status, edit, votes, disagreed, why, comments)

    if len(rows) < settings.reviewers:
        return outcome("waiting", why=f"{len(rows)} of {settings.reviewers} reviewers decided")
    accepting = [row for row in rows if row.choice != "reject"]
    if len(accepting) / len(rows) < settings.majority - 1e-9:
        return outcome("rejected")
    versions = Counter(row.edit for row in accepting)
    most = max(versions.values())
    wanted = [edit for edit, count in versions.items() if count == most]
    edits = [edit for edit in wanted if edit]
    if len(edits) > 1:
        return outcome("undecided", why=f"{len(edits)} unlike edits, each wanted {most} times")
    return outcome("accepted", edits[0] if edits else ())
