"""The terminal's summary: headline first, and never wider than 100 columns."""

import io

import pytest
from rich.console import Console

from eyeprint.report.run_folder_view import FinishedRun
from eyeprint.report.terminal import print_summary
from eyeprint.report.words import headline


@pytest.mark.parametrize("width", [72, 100, 200])
def test_it_fits_and_begins_with_the_headline(run: FinishedRun, width: int):
    out = io.StringIO()
    print_summary(Console(file=out, width=width), run)
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= min(width, 100)
    assert headline(run)[0].startswith(lines[0].rstrip())
    text = out.getvalue()
    for wanted in ("VPRAG", "Lift over", "NV = 1", "could not be written (refused 1)"):
        assert wanted in text
    assert "without a" in text and "4 people" in text


def test_at_100_columns_no_interval_is_broken(run: FinishedRun):
    out = io.StringIO()
    print_summary(Console(file=out, width=100), run)
    table = out.getvalue().split("All people")[1].split("Score by")[0]
    assert all(line.count("[") == line.count("]") for line in table.splitlines())
