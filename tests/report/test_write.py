"""report.html is written whole or not at all."""

from pathlib import Path

import pytest

from eyeprint.errors import CannotWrite, DataError
from eyeprint.report import write
from eyeprint.report.run_folder_view import read_run
from eyeprint.report.write import render, write_report


def test_the_page_lands_in_the_run_folder(copy: Path):
    path = write_report(copy)
    assert path == copy / "report.html"
    assert path.read_text(encoding="utf-8") == render(read_run(copy))


def test_a_page_that_cannot_be_written_leaves_the_old_one(copy: Path, monkeypatch):
    (copy / "report.html").write_text("old")

    def full(path, chunks):
        raise CannotWrite(f"{path}: disk full")

    monkeypatch.setattr(write, "write_whole", full)
    with pytest.raises(CannotWrite):
        write_report(copy)
    assert (copy / "report.html").read_text() == "old"


def test_a_cut_run_writes_nothing(copy: Path):
    path = copy / "results.jsonl"
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(DataError):
        write_report(copy)
    assert not (copy / "report.html").exists()


def test_half_a_surrogate_pair_in_a_prompt_does_not_stop_the_report(copy: Path):
    path = copy / "results.jsonl"
    text = path.read_text(encoding="utf-8").replace("A photo of", "A photo\ud83d of")
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    assert "A photo? of" in write_report(copy).read_text(encoding="utf-8")
