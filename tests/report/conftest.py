"""One real run, made once, and copies of it to break."""

import shutil
from pathlib import Path

import pytest

from eyeprint.report.run_folder_view import FinishedRun, read_run
from tests.report.made_run import write_run


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made") / "run"
    return write_run(folder, writers=("plain", "demo/wri_ter|<b>&%"))


@pytest.fixture
def run(made: Path) -> FinishedRun:
    return read_run(made)


@pytest.fixture
def copy(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "copy"))
