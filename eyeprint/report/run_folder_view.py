"""A finished VPTT run as frozen, typed views of its folder's files.

A folder holds ``manifest.json`` (settings), ``summary.json`` (tables, written last),
``people.jsonl`` and ``results.jsonl``. The last may be a gigabyte: it is streamed, and
nothing here keeps it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from eyeprint.errors import BadRecord, DataError
from eyeprint.maths.intervals import Interval
from eyeprint.report.run_files import (
    FinishedFolder,
    View,
    finished_manifest,
    json_lines,
    json_object,
    viewed,
    viewed_lines,
)

KIND = "vptt"
AGAIN = "Run the same `eyeprint run vptt` command again: it goes on where it stopped."

ROW_NAMES = ("person", "query", "method")
ROW_NUMBERS = ("pa", "gs", "cp", "nv", "score", "score_c")
"""Fields of results.jsonl that reports reckon with."""

MeasureName = Literal["score", "score_c"]


class MeasureView(View):
    """One number of one method in one table; higher is better."""

    interval: Interval
    sd: float | None = None
    unscored: int = 0
    mean_if_zero: float | None = None
    """The mean if every unscored row were 0."""
    mean_if_best: float | None = None
    """The mean if every unscored row were 1."""
    win: float | None = None
    """Share of cells won, in [0, 1], ties split (V73)."""
    d_best: float | None = None
    """Cohen's d of the best method over this one (V80)."""
    d_baseline: float | None = None
    minus_best: Interval | None = None
    minus_baseline: Interval | None = None


class MethodView(View):
    """One method in one table."""

    method: str
    rows: int = 0
    pa: float | None = None
    gs: float | None = None
    cp: float | None = None
    nv: float | None = None
    """``None`` where a rule sets it instead of a measurement (V66)."""
    score: MeasureView
    score_c: MeasureView
    score_nv_one: float | None = None
    lift: Interval
    lift_shuffled: Interval | None = None
    flag: str | None = None
    """Set when the method has no lift over the wrong person."""

    def measure(self, name: MeasureName) -> MeasureView:
        """Return ``score`` or ``score_c``."""
        return self.score if name == "score" else self.score_c


class TableView(View):
    """All methods over the cells that have ``group`` in common."""

    group: dict[str, str] = Field(default_factory=dict)
    cells: int = 0
    persons: int = 0
    methods: tuple[MethodView, ...]
    ranking: tuple[str, ...] = ()
    ranking_nv_one: tuple[str, ...] = ()
    ranking_score_c: tuple[str, ...] = ()
    ranked_cells: dict[str, int] = Field(default_factory=dict)
    """Measure -> cells that its ranking rests on: those that all methods share, or all."""
    settings: dict[str, Any] = Field(default_factory=dict)

    @property
    def level(self) -> str:
        """The level of the intervals in per cent, as text."""
        return f"{100 * float(self.settings.get('level', 0.95)):g}"

    def shared(self, measure: str) -> int | None:
        """Return the cells that a ranking rests on, or ``None`` when these are all cells."""
        cells = self.ranked_cells.get(measure, self.cells)
        return cells if cells < self.cells else None

    def row(self, method: str) -> MethodView | None:
        """Return one method's row, or ``None`` when the table has none."""
        return next((row for row in self.methods if row.method == method), None)


class EncoderView(View):
    """What turned text into vectors, and what it did not see."""

    name: str = ""
    fingerprint: str = ""
    cut: dict[str, int] = Field(default_factory=dict)
    """Kind of text -> how many were cut at the encoder's length."""
    notes: tuple[str, ...] = ()
    """How far to trust it, in sentences: the agreement of the static encoder with MiniLM."""


class CountsView(View):
    """What was attempted and what came of it."""

    drafts: int | None = None
    """Rows of results.jsonl."""
    failures: dict[str, int] = Field(default_factory=dict)
    """Kind of failure -> prompts that could not be written."""
    unscored: dict[str, int] = Field(default_factory=dict)
    """Reason -> parts that could not be scored."""


class PeopleView(View):
    """Whom the run was about."""

    count: int = 0
    faults: tuple[str, ...] = ()
    """Records of the people files that were left out, in words."""


class SummaryView(View):
    """``summary.json``: every table of the run in one list, told apart by ``group``."""

    tables: tuple[TableView, ...] = Field(min_length=1)
    encoder: EncoderView = EncoderView()
    counts: CountsView = CountsView()
    people: PeopleView = PeopleView()
    decoding_gaps: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Chat writer -> its sampling parameters that the paper does not state (V46)."""

    def grouped(self, *keys: str) -> tuple[TableView, ...]:
        """Return the tables whose group has exactly these keys, in file order."""
        return tuple(table for table in self.tables if set(table.group) == set(keys))

    @property
    def overall(self) -> TableView:
        """The table over everything, or the first there is."""
        return (self.grouped() or self.tables)[0]


class TaskView(View):
    """One task of the run."""

    id: str
    text: str = ""
    kind: str = "generation"
    mode: str = "free"
    headline: MeasureName = "score"
    published: bool = False

    @property
    def title(self) -> str:
        """The id as words.

        >>> TaskView(id="garden_editing").title
        'Garden editing'
        """
        return self.id.replace("_", " ").capitalize()


class SettingsView(View):
    """The settings that the report speaks about; all of them are in the manifest."""

    methods: tuple[str, ...] = ()
    tasks: tuple[TaskView, ...] = ()
    writers: tuple[str, ...] = ()
    encoder_name: str = ""
    decoding: dict[str, dict[str, Any]] = Field(default_factory=dict)
    """Chat writer -> the parameters that its requests carried."""
    seed: int = 0

    @property
    def measure(self) -> MeasureName:
        """What ranks methods over all tasks: score-c when every task is ranked by it (V65)."""
        only_c = bool(self.tasks) and all(task.headline == "score_c" for task in self.tasks)
        return "score_c" if only_c else "score"

    @property
    def apart(self) -> tuple[TaskView, ...]:
        """Tasks that tables over several tasks leave out (V65).

        Scores under a budget of three phrases are another measurement than free ones: where
        there are both, only the free tasks are pooled.
        """
        free = any(task.mode == "free" for task in self.tasks)
        return tuple(task for task in self.tasks if free and task.mode != "free")


class PersonView(View):
    """One person in brief."""

    id: str
    summary: str = ""
    demographics: dict[str, Any] = Field(default_factory=dict)
    preferences: tuple[str, ...] = ()


@dataclass(frozen=True)
class FinishedRun(FinishedFolder):
    """A finished run; rows and people are read from disk each time they are asked for."""

    settings: SettingsView
    summary: SummaryView

    def people(self) -> Iterator[PersonView]:
        """Return the people of the run in order, as they are read.

        Raises:
            DataError: the file is missing, or cut.
        """
        return viewed_lines(PersonView, self.folder / "people.jsonl", AGAIN)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the rows of results.jsonl as plain dicts, one at a time.

        Raises:
            DataError: the file is missing or cut, or has not as many rows as the summary says.
        """
        count = 0
        path = self.folder / "results.jsonl"
        for number, value in json_lines(path, AGAIN):
            fault = _fault_of(value)
            if fault is not None:
                raise BadRecord(str(path), number, fault[0], f"{fault[1]}. {AGAIN}")
            count += 1
            yield value
        expected = self.summary.counts.drafts
        if expected is not None and count != expected:
            raise DataError(
                f"{path}: has {count} rows, but the run's summary speaks of {expected}. {AGAIN}"
            )


def _fault_of(row: dict[str, Any]) -> tuple[str, str] | None:
    """Return the field and fault of a row that somebody has changed by hand, if it has one."""
    for name in ROW_NAMES:
        if not isinstance(row.get(name), str):
            return name, "is no text" if name in row else "is missing"
    for name in ROW_NUMBERS:
        value = row.get(name)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
            return name, "is no number"
    if not isinstance(row.get("prompt"), str | None):
        return "prompt", "is no text"
    if not isinstance(row.get("unscored"), dict | None):
        return "unscored", "is no object"
    return None


def read_run(folder: str | Path) -> FinishedRun:
    """Read a finished run's manifest and summary.

    Raises:
        DataError: nothing is there, it is no VPTT run, it is not finished, or a file of it
            is cut; the message says what to do.
    """
    place = Path(folder)
    manifest = finished_manifest(place, KIND, AGAIN)
    return FinishedRun(
        folder=place,
        manifest=manifest,
        settings=viewed(SettingsView, manifest.get("settings", {}), place / "manifest.json", AGAIN),
        summary=viewed(
            SummaryView,
            json_object(place / "summary.json", AGAIN),
            place / "summary.json",
            AGAIN,
        ),
    )
