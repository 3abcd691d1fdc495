"""Rendering a finished run of any kind, and writing its ``report.html``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from eyeprint.errors import UnknownName
from eyeprint.records.whole_files import write_whole
from eyeprint.report.exports import as_json, csv_rows, latex, markdown
from eyeprint.report.mmpb_exports import mmpb_csv, mmpb_json, mmpb_latex, mmpb_markdown
from eyeprint.report.mmpb_html import mmpb_html
from eyeprint.report.mmpb_view import KIND as MMPB
from eyeprint.report.mmpb_view import FinishedMmpb, read_mmpb
from eyeprint.report.pipbench_exports import (
    pipbench_csv,
    pipbench_json,
    pipbench_latex,
    pipbench_markdown,
)
from eyeprint.report.pipbench_html import pipbench_html
from eyeprint.report.pipbench_view import KIND as PIPBENCH
from eyeprint.report.pipbench_view import FinishedPipbench, read_pipbench
from eyeprint.report.run_files import read_manifest, wanted_kind
from eyeprint.report.run_folder_view import KIND as VPTT
from eyeprint.report.run_folder_view import FinishedRun, read_run
from eyeprint.report.vptt_html import html

FORMATS: dict[str, Callable[[FinishedRun], str]] = {
    "html": html,
    "md": markdown,
    "tex": latex,
    "csv": csv_rows,
    "json": as_json,
}
"""Format -> what makes it, of a VPTT run."""

PIPBENCH_FORMATS: dict[str, Callable[[FinishedPipbench], str]] = {
    "html": pipbench_html,
    "md": pipbench_markdown,
    "tex": pipbench_latex,
    "csv": pipbench_csv,
    "json": pipbench_json,
}
"""Format -> what makes it, of a PIPBench run; the same formats."""

MMPB_FORMATS: dict[str, Callable[[FinishedMmpb], str]] = {
    "html": mmpb_html,
    "md": mmpb_markdown,
    "tex": mmpb_latex,
    "csv": mmpb_csv,
    "json": mmpb_json,
}
"""Format -> what makes it, of an MMPB run; the same formats."""

Finished = FinishedRun | FinishedPipbench | FinishedMmpb
NAME = "report.html"


def read_finished(run_folder: str | Path) -> Finished:
    """Read a finished run of whichever kind its manifest names.

    Raises:
        DataError: the folder holds no finished run; the message says what to do.
    """
    place = Path(run_folder)
    kind = wanted_kind(place, read_manifest(place), VPTT, PIPBENCH, MMPB)
    if kind == MMPB:
        return read_mmpb(place)
    return read_pipbench(place) if kind == PIPBENCH else read_run(place)


def render(run: Finished, format: str = "html") -> str:
    """Return a run's report in one of the :data:`FORMATS`; equal runs give equal text.

    Raises:
        UnknownName: no such format.
        DataError: a file of the run is missing or cut.
    """
    if format not in FORMATS:
        raise UnknownName("format", format, FORMATS)
    if isinstance(run, FinishedPipbench):
        text = PIPBENCH_FORMATS[format](run)
    elif isinstance(run, FinishedMmpb):
        text = MMPB_FORMATS[format](run)
    else:
        text = FORMATS[format](run)
    # Half of a surrogate pair, which a cut reply may end with, has no place in a file.
    return text.encode("utf-8", "replace").decode()


def write_report(run_folder: str | Path) -> Path:
    """Write ``report.html`` into a finished run's folder, whole or not at all.

    Raises:
        DataError: the folder holds no finished run; see :func:`read_finished`.
        CannotWrite: disk full, or no permission.
    """
    run = read_finished(run_folder)
    path = run.folder / NAME
    write_whole(path, [render(run, "html").encode()])
    return path
