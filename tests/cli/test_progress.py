"""What a terminal shows of waits: one line of many alike, never a flood."""

from eyeprint.cli import progress
from eyeprint.cli.progress import TerminalDisplay
from eyeprint.models.retries import Waiting


def wait(model="m", attempt=1, kind="connection"):
    return Waiting(model, attempt, 6, 1.0, kind, "no server")


def test_x16_many_waits_alike_are_one_line_and_their_number(monkeypatch, capsys):
    now = iter([0.0, 1.0, 2.0, 6.0, 6.5])
    monkeypatch.setattr(progress.time, "monotonic", lambda: next(now))
    display = TerminalDisplay()
    for _ in range(5):
        display.waiting(wait())
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert "call 1 of 6" in lines[0] and "more" not in lines[0]
    assert lines[1].endswith("(2 calls more have waited alike)")


def test_x16_other_models_reasons_and_attempts_are_told_on_their_own(capsys):
    display = TerminalDisplay()
    for each in (wait(), wait("n"), wait(kind="timeout"), wait(attempt=2), wait()):
        display.waiting(each)
    assert len(capsys.readouterr().err.splitlines()) == 4
