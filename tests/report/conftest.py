"""One real run, made once, and copies of it to break."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from eyeprint.records.concept_settings import ConceptSetting
from eyeprint.report.grids import Grid
from eyeprint.report.mmpb_html import gathered
from eyeprint.report.mmpb_tables import mmpb_tables
from eyeprint.report.mmpb_view import FinishedMmpb, read_mmpb
from eyeprint.report.mmpb_words import part_title
from eyeprint.report.pipbench_view import FinishedPipbench, read_pipbench
from eyeprint.report.run_folder_view import FinishedRun, read_run
from tests.report import made_mmpb_run, made_pipbench_run
from tests.report.made_run import write_run
from tests.report.slow_mmpb import SlowTables

CHROMIUM = Path("/usr/bin/chromium")


@pytest.fixture(scope="module")
def browser() -> Iterator:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        found = play.chromium.launch(
            executable_path=str(CHROMIUM), args=["--no-sandbox", "--disable-gpu"]
        )
        yield found
        found.close()


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


@pytest.fixture(scope="session")
def made_pip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A PIPBench run with every column, lost and copied pictures, and one judging."""
    folder = made_pipbench_run.write_run(tmp_path_factory.mktemp("made") / "pip")
    made_pipbench_run.write_judged(folder)
    return folder


@pytest.fixture(scope="session")
def made_plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A PIPBench run of one split by the palette alone, with two painters, unjudged."""
    return made_pipbench_run.write_run(
        tmp_path_factory.mktemp("made") / "plain",
        encoders=made_pipbench_run.PALETTE_ONLY,
        painters=("sketch", "diffusers/flux"),
        spoil=False,
        splits=("real",),
    )


@pytest.fixture
def pip(made_pip: Path) -> FinishedPipbench:
    return read_pipbench(made_pip)


@pytest.fixture
def plain(made_plain: Path) -> FinishedPipbench:
    return read_pipbench(made_plain)


@pytest.fixture
def pip_copy(made_pip: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made_pip, tmp_path / "copy"))


@pytest.fixture(scope="session")
def made_mmpb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An MMPB run of three models over a rich grid, with people, ranks and lost answers."""
    return made_mmpb_run.write_run(tmp_path_factory.mktemp("made") / "mmpb")


@pytest.fixture(scope="session")
def made_bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An MMPB run of one model in one setting about three concepts: hardly a table applies."""
    return made_mmpb_run.write_run(
        tmp_path_factory.mktemp("made") / "bare",
        models=("nearest",),
        settings=made_mmpb_run.PAPER[:1],
        concepts=3,
        people=False,
        lost=False,
        facts=False,
    )


@pytest.fixture
def mmpb(made_mmpb: Path) -> FinishedMmpb:
    return read_mmpb(made_mmpb)


@pytest.fixture
def bare(made_bare: Path) -> FinishedMmpb:
    return read_mmpb(made_bare)


@pytest.fixture
def mmpb_copy(made_mmpb: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made_mmpb, tmp_path / "copy"))


@pytest.fixture(scope="session")
def slow(made_mmpb: Path) -> SlowTables:
    """The MMPB run, row by row."""
    return SlowTables(made_mmpb)


@pytest.fixture(scope="session")
def grids(made_mmpb: Path) -> dict[str, Grid]:
    """The MMPB run's tables by their id."""
    run = read_mmpb(made_mmpb)
    return {grid.id: grid for grid in mmpb_tables(run, gathered(run)).in_order()}


@pytest.fixture
def labels(mmpb: FinishedMmpb) -> dict[str, ConceptSetting]:
    """The MMPB run's settings by their label."""
    return {
        one.label: ConceptSetting.model_validate(one.setting.model_dump())
        for one in mmpb.results.settings
    }


@pytest.fixture
def keys(mmpb: FinishedMmpb) -> dict[str, str]:
    """Title of a part of the MMPB run's questions -> its key."""
    return {part_title(part.key): part.key for part in mmpb.results.parts}
