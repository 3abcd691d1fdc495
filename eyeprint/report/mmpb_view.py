"""A finished MMPB run as frozen, typed views of its folder's files.

A folder holds ``manifest.json`` (settings), ``summary.json`` (tables, written last),
``results.jsonl`` (a row per question, model and setting), ``answered_without.jsonl``
(questions that need no concept), ``examples.jsonl`` (small pictures of some questions),
``sessions.jsonl`` (time and money), and ``reread.jsonl`` when replies were read again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from eyeprint.report.mmpb_row_views import (
    AnswerView,
    ChangeView,
    ExampleView,
    MmpbSettings,
    SessionView,
    UnaidedQuestionView,
)
from eyeprint.report.mmpb_summary_views import MmpbSummary, ResultsView
from eyeprint.report.run_files import (
    FinishedFolder,
    ViewT,
    finished_manifest,
    json_lines,
    json_object,
    viewed,
    viewed_lines,
)

KIND = "mmpb"
AGAIN = "Run the same `eyeprint run mmpb` command again: it goes on where it stopped."


@dataclass(frozen=True)
class FinishedMmpb(FinishedFolder):
    """A finished run; rows and pictures are read from disk each time they are asked for."""

    settings: MmpbSettings
    summary: MmpbSummary
    sessions: tuple[SessionView, ...]
    titles: Mapping[str, str] = field(default_factory=dict)
    """Full name -> title of models that go by one, in rows too."""

    @property
    def results(self) -> ResultsView:
        """The tables."""
        return self.summary.mmpb

    def raw_rows(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield (line, row) of results.jsonl, one at a time, as the file has them.

        Raises:
            DataError: the file is missing or cut.
        """
        return json_lines(self.folder / "results.jsonl", AGAIN)

    def answer(self, line: int, row: dict[str, Any]) -> AnswerView:
        """Return a row as a view.

        Raises:
            BadRecord: a field is missing or no such value.
        """
        one = viewed(AnswerView, row, self.folder / "results.jsonl", AGAIN, line)
        return self._titled(one)

    def examples(self) -> Iterator[ExampleView]:
        """Return the questions that are shown.

        Raises:
            DataError: the file is cut.
        """
        return self._lines(ExampleView, "examples.jsonl")

    def unaided(self) -> Iterator[UnaidedQuestionView]:
        """Return the questions that were answered right without a concept.

        Raises:
            DataError: the file is cut.
        """
        return self._lines(UnaidedQuestionView, "answered_without.jsonl")

    def changes(self) -> Iterator[ChangeView]:
        """Return the answers that ``eyeprint reread`` reads otherwise than the run did.

        Raises:
            DataError: the file is cut.
        """
        return self._lines(ChangeView, "reread.jsonl")

    def _lines(self, kind: type[ViewT], name: str) -> Iterator[ViewT]:
        path = self.folder / name
        if path.exists():
            yield from map(self._titled, viewed_lines(kind, path, AGAIN))

    def _titled(self, one: ViewT) -> ViewT:
        title = self.titles.get(getattr(one, "model", ""))
        return one if title is None else one.model_copy(update={"model": title})


def read_mmpb(folder: str | Path) -> FinishedMmpb:
    """Read a finished MMPB run's manifest, summary and sessions.

    Raises:
        DataError: nothing is there, it is no MMPB run, it is not finished, or a file of it
            is cut; the message says what to do.
    """
    place = Path(folder)
    manifest = finished_manifest(place, KIND, AGAIN)
    path = place / "summary.json"
    summary = viewed(MmpbSummary, json_object(path, AGAIN), path, AGAIN)
    settings = viewed(MmpbSettings, manifest.get("settings", {}), place / "manifest.json", AGAIN)
    sessions = place / "sessions.jsonl"
    told = tuple(viewed_lines(SessionView, sessions, AGAIN)) if sessions.exists() else ()
    return FinishedMmpb(place, manifest, settings, summary, told)
