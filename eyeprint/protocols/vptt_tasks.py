"""The tasks of the VPTT evaluation, as data (V47, V48)."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Literal

from eyeprint.config import Settings
from eyeprint.errors import UnknownName, UsageError
from eyeprint.models.chat_wire import clean_text
from eyeprint.records.work import BudgetMode, Query, QueryKind

FILE = Path(__file__).parent / "data" / "vptt_tasks.toml"


class Task(Settings):
    """One task: the query put to every person, and how it is budgeted and ranked."""

    id: str
    text: str
    kind: QueryKind = "generation"
    mode: BudgetMode = "free"
    headline: Literal["score", "score_c"] = "score"
    """What ranks methods: ``score`` in Q3, ``score_c`` under a phrase budget (V65)."""
    stage: str = "own"
    published: bool = False
    """Whether the wording is the paper's own."""

    def query(self) -> Query:
        """Return the task as a query."""
        return Query(id=self.id, text=self.text, kind=self.kind)


@cache
def all_tasks() -> dict[str, Task]:
    """Return the six tasks by id, Q3 first.

    >>> list(all_tasks())[:2]
    ['cultural_site', 'social_media_post']
    """
    tables = tomllib.loads(FILE.read_text(encoding="utf-8"))["task"]
    return {table["id"]: Task.checked(table, str(FILE)) for table in tables}


def choose_tasks(names: str) -> tuple[Task, ...]:
    """Return tasks by a comma-separated list of ids, stages, kinds, ``all`` or own wordings.

    ``q3`` and ``q1`` choose a stage; ``generation`` and ``editing`` a kind;
    ``my_task=Any text`` adds a task of your own (generation, free mode).

    Raises:
        UnknownName: no such task. UsageError: a task is named twice.

    >>> [task.id for task in choose_tasks("garden_editing,q1")]
    ['garden_editing', 'outdoor_spot', 'convention_center']
    """
    chosen: dict[str, Task] = {}
    known = all_tasks()
    for name in _split(names):
        own_id, equals, text = name.partition("=")
        if equals:
            if not own_id.strip() or not text.strip():
                raise UsageError(f"Task '{name}': write an id, '=', and the text of the query.")
            if clean_text(name) != name:
                raise UsageError(
                    f"Task {name!a} holds bytes that are not UTF-8 text. Set the terminal's "
                    "encoding to UTF-8 and type it again."
                )
            found = [Task(id=own_id.strip(), text=text.strip())]
        else:
            found = [task for task in known.values() if _answers(task, name)]
        if not found:
            words = ["all", "q1", "q2", "q3", "generation", "editing", "id=Your own query"]
            raise UnknownName("task", name, [*known, *words])
        for task in found:
            if chosen.get(task.id, task) != task:
                raise UsageError(f"Two tasks have the id '{task.id}'.")
            chosen[task.id] = task
    if not chosen:
        raise UsageError("No task was named. Use --tasks all, or ids separated by commas.")
    return tuple(chosen.values())


def _answers(task: Task, name: str) -> bool:
    wanted = name.lower()
    return wanted in ("all", task.id, task.kind) or wanted in task.stage.lower().split("/")


def _split(names: str) -> list[str]:
    # A comma inside an own wording is part of it: pieces without "=" that follow one and
    # name nothing known belong to the text.
    known = {*all_tasks(), "all", "q1", "q2", "q3", "generation", "editing"}
    pieces: list[str] = []
    for piece in names.split(","):
        if pieces and "=" in pieces[-1] and "=" not in piece and piece.strip() not in known:
            pieces[-1] += "," + piece
        elif piece.strip():
            pieces.append(piece.strip())
    return pieces
