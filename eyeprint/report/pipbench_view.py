"""A finished PIPBench run as frozen, typed views of its folder's files.

A folder holds ``manifest.json`` (settings), ``summary.json`` (tables, written last),
``cases.jsonl``, ``results.jsonl`` (a row per case and model), ``gallery.jsonl`` (small
pictures of some cases), and after judging ``judged/<name>/``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import Field

from eyeprint.errors import DataError
from eyeprint.records.cases import READY, model_label
from eyeprint.records.verdict_files import JUDGED
from eyeprint.report.pipbench_arena_view import Judged, read_judged
from eyeprint.report.pipbench_row_views import CaseSplit, RowView, ShownCase
from eyeprint.report.pipbench_table_views import ClaimsView, ImageTableView, LiftView
from eyeprint.report.run_files import (
    FinishedFolder,
    View,
    finished_manifest,
    json_object,
    viewed,
    viewed_lines,
)

KIND = "pipbench"
AGAIN = "Run the same `eyeprint run pipbench` command again: it goes on where it stopped."
NO_PREFERENCE = "no_preference"


class CountsView(View):
    """Pictures, missing ones by reason, and copy flags, for each model."""

    pictures: dict[str, int] = Field(default_factory=dict)
    missing: dict[str, dict[str, int]] = Field(default_factory=dict)
    copies: dict[str, int] = Field(default_factory=dict)

    @property
    def rows(self) -> int:
        """How many rows results.jsonl has."""
        return sum(self.pictures.values()) + self.all_missing

    @property
    def all_missing(self) -> int:
        """How many pictures are missing."""
        return sum(sum(kinds.values()) for kinds in self.missing.values())


class SplitView(View):
    """Counts of one split of the data."""

    split: str
    cases: int = 0
    pictures: int = 0
    people: int = 0


class BandView(View):
    """Quantiles of one kind of pairs of real pictures."""

    pairs: int = 0
    low: float | None = None
    median: float | None = None
    high: float | None = None
    few: str | None = None


class BandsView(View):
    """How near real pictures of one person, and of strangers, are to each other."""

    metric: str
    nearer: Literal["higher", "lower"] = "higher"
    real: BandView
    strangers: BandView
    thresholds: tuple[float, ...] = ()
    """Place K - 1: what the nearest of K references is flagged beyond."""
    separation: float | None = None

    @property
    def threshold(self) -> float | None:
        """The threshold of an output with one reference; more references raise it a little."""
        return self.thresholds[0] if self.thresholds else None


class PicturesView(View):
    """What the gate did to pictures of the data."""

    faults: dict[str, str] = Field(default_factory=dict)
    gate: dict[str, tuple[str, ...]] = Field(default_factory=dict)


class EncoderView(View):
    """An encoder or distance, and whose columns it fills."""

    column: str = ""
    fingerprint: str = ""


class PipbenchSummary(View):
    """``summary.json``."""

    tables: tuple[ImageTableView, ...] = Field(min_length=1)
    overall: ImageTableView
    lifts: tuple[LiftView, ...] = ()
    claims: ClaimsView = ClaimsView()
    counts: CountsView = CountsView()
    paradigms: dict[str, str] = Field(default_factory=dict)
    data: tuple[SplitView, ...] = ()
    bands: tuple[BandsView, ...] = ()
    pictures: PicturesView = PicturesView()
    encoders: dict[str, EncoderView] = Field(default_factory=dict)
    notes: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()


class ModelView(View):
    """One model of the run's settings."""

    method: str
    writer: str = ""
    painter: str = ""
    way: str = ""
    paradigm: str = ""

    @property
    def label(self) -> str:
        """The text by which tables know it."""
        if self.method.startswith(READY):
            return self.method.removeprefix(READY)
        return model_label(self.method, self.writer, self.painter)


class PipbenchSettings(View):
    """The settings that the report speaks about; all of them are in the manifest."""

    models: tuple[ModelView, ...] = ()
    encoders: dict[str, str] = Field(default_factory=dict)
    text_encoder: str = ""
    data: str = ""
    cases: int = 0
    seed: int = 0
    bootstraps: int = 0


@dataclass(frozen=True)
class FinishedPipbench(FinishedFolder):
    """A finished run; rows and pictures are read from disk each time they are asked for."""

    settings: PipbenchSettings
    summary: PipbenchSummary
    judged: tuple[Judged, ...]
    """By name of their folders."""

    def rows(self) -> Iterator[RowView]:
        """Yield the rows of results.jsonl one at a time.

        Raises:
            DataError: the file is missing or cut, or has not as many rows as the summary says.
        """
        count = 0
        path = self.folder / "results.jsonl"
        for row in viewed_lines(RowView, path, AGAIN):
            count += 1
            yield row
        expected = self.summary.counts.rows
        if count != expected:
            raise DataError(
                f"{path}: has {count} rows, but the run's summary speaks of {expected}. {AGAIN}"
            )

    def gallery(self) -> Iterator[ShownCase]:
        """Return the cases that are shown, in data order, as they are read.

        Raises:
            DataError: the file is missing or cut.
        """
        return viewed_lines(ShownCase, self.folder / "gallery.jsonl", AGAIN)


def read_pipbench(folder: str | Path) -> FinishedPipbench:
    """Read a finished PIPBench run's manifest and summary, and what judges said of it.

    Raises:
        DataError: nothing is there, it is no PIPBench run, it is not finished, or a file of
            it is cut; the message says what to do.
    """
    place = Path(folder)
    manifest = finished_manifest(place, KIND, AGAIN)
    summary = viewed(
        PipbenchSummary, json_object(place / "summary.json", AGAIN), place / "summary.json", AGAIN
    )
    settings = viewed(
        PipbenchSettings, manifest.get("settings", {}), place / "manifest.json", AGAIN
    )
    return FinishedPipbench(place, manifest, settings, summary, _judged(place))


def _judged(place: Path) -> tuple[Judged, ...]:
    root = place / JUDGED
    folders = sorted(each for each in root.iterdir() if each.is_dir()) if root.is_dir() else []
    if not folders:
        return ()
    splits = {case.id: case.split for case in viewed_lines(CaseSplit, place / "cases.jsonl", AGAIN)}
    found = (read_judged(folder, splits) for folder in folders)
    return tuple(one for one in found if one is not None)
