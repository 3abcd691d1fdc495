"""Rendering a finished run, and writing its ``report.html``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from eyeprint.errors import UnknownName
from eyeprint.records.whole_files import write_whole
from eyeprint.report.exports import as_json, csv_rows, latex, markdown
from eyeprint.report.run_folder_view import FinishedRun, read_run
from eyeprint.report.vptt_html import html

FORMATS: dict[str, Callable[[FinishedRun], str]] = {
    "html": html,
    "md": markdown,
    "tex": latex,
    "csv": csv_rows,
    "json": as_json,
}
"""Format -> what makes it."""

NAME = "report.html"


def render(run: FinishedRun, format: str = "html") -> str:
    """Return a run's report in one of the :data:`FORMATS`; equal runs give equal text.

    Raises:
        UnknownName: no such format.
        DataError: a file of the run is missing or cut.
    """
    if format not in FORMATS:
        raise UnknownName("format", format, FORMATS)
    # Half of a surrogate pair, which a cut reply may end with, has no place in a file.
    return FORMATS[format](run).encode("utf-8", "replace").decode()


def write_report(run_folder: str | Path) -> Path:
    """Write ``report.html`` into a finished run's folder, whole or not at all.

    Raises:
        DataError: the folder holds no finished run; see :func:`read_run`.
        CannotWrite: disk full, or no permission.
    """
    run = read_run(run_folder)
    path = run.folder / NAME
    write_whole(path, [render(run, "html").encode()])
    return path
