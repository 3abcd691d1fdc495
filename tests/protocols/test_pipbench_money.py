"""A run's paid pictures: one budget, books that agree, nothing paid twice (X16, X17)."""

import json
import signal
import subprocess
import sys
import time

import pytest

from eyeprint.cli.main import run_command
from eyeprint.errors import StoreError, UsageError
from eyeprint.protocols.pipbench import execute
from eyeprint.protocols.pipbench_dry_run import dry_run_pictures
from eyeprint.protocols.pipbench_plan import plan_pipbench
from eyeprint.protocols.pipbench_settings import PaintOptions
from tests.protocols.made_root import make_root
from tests.servers.local_images import LocalImagesServer

SMALL = PaintOptions(width=48, height=48)


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    return make_root(tmp_path_factory.mktemp("data"))


@pytest.fixture
def server():
    with LocalImagesServer() as running:
        yield running


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def planned(root, server, price="0.04", methods="no_preference", **more):
    painter = server.model() + (f"?price={price}" if price else "")
    choices = {"painters": [painter], "editor": painter, "paint": SMALL}
    return plan_pipbench(root, methods=methods, **choices, **more)


class Spying:
    """Keeps what it is told of money."""

    def __init__(self):
        self.spent = []

    def stage(self, name, total):
        self.now = name

    def progress(self, progress):
        if self.now == "painting":
            self.spent.append(progress.spent_usd)

    def advance(self, done):
        pass

    note = waiting = advance


def test_x16_x17_a_budget_stops_before_the_picture_that_could_pass_it_and_the_run_goes_on(
    root, server, tmp_path
):
    run = tmp_path / "run"
    end = execute(planned(root, server), run, budget_usd=0.13)
    assert (end.stopped, end.exit_code) == ("budget", 1)
    assert "The budget of $0.13 is used up: $0.1200 are spent" in end.reason
    assert len(server.seen) == 3
    assert not (run / "report.html").exists()

    display = Spying()
    end = execute(planned(root, server), run, budget_usd=0.20, display=display)
    assert end.exit_code == 0, "five pictures were left, at 0.04 each"
    assert len(server.seen) == 8, "none was asked for twice"
    assert display.spent[-1] == pytest.approx(0.20)

    paintings = lines(run / "paintings.jsonl")
    assert [row["cost_usd"] for row in paintings] == [0.04] * 8
    assert {row["served_model"] for row in paintings} == {"m"}
    first, second = lines(run / "sessions.jsonl")
    for session, pictures in ((first, 3), (second, 5)):
        assert session["spent_usd"] == pytest.approx(0.04 * pictures)
        (account,) = session["models"]
        assert account["model"] == server.model()
        assert account["calls"] == pictures == account["outcomes"]["answered"]

    execute(planned(root, server), run, budget_usd=0.0)
    assert len(server.seen) == 8, "a finished run needs no budget"


@pytest.mark.timeout(120)
def test_x17_a_killed_run_loses_the_pictures_that_were_under_way_and_no_other(server, tmp_path):
    root = make_root(tmp_path / "data", people=10, cases=4)
    command = ["run", "pipbench", "--data", str(root), "--methods", "no_preference", "--size"]
    command += ["48x48", "--painter", f"{server.model()}?at_once=2", "--out", str(tmp_path / "run")]
    process = subprocess.Popen(
        [sys.executable, "-m", "eyeprint.cli.main", *command],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while len(server.seen) < 20 and process.poll() is None:
        time.sleep(0.001)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert len(server.seen) >= 20
    assert run_command(command) == 0
    # Two calls at once, and as many answers on their way to the disk.
    assert len(server.seen) <= 40 + 4
    assert len(lines(tmp_path / "run" / "paintings.jsonl")) == 40


def test_x16_the_price_can_change_within_a_run_and_the_pictures_stay(root, server, tmp_path):
    execute(planned(root, server), tmp_path / "run", budget_usd=0.13)
    end = execute(planned(root, server, price="0.01"), tmp_path / "run", budget_usd=0.05)
    assert end.exit_code == 0
    costs = [row["cost_usd"] for row in lines(tmp_path / "run" / "paintings.jsonl")]
    assert sorted(costs) == [0.01] * 5 + [0.04] * 3


def test_x16_an_unknown_price_is_told_before_anything_is_made(root, server, tmp_path):
    with pytest.raises(UsageError, match=r"The price of a picture of .* is not known"):
        execute(planned(root, server, price=""), tmp_path / "run", budget_usd=1.0)
    assert server.seen == []
    assert not (tmp_path / "run").exists()
    end = execute(planned(root, server, price="", n=2), tmp_path / "run")
    assert end.exit_code == 0
    assert lines(tmp_path / "run" / "sessions.jsonl")[0]["spent_usd"] is None
    assert [row["cost_usd"] for row in lines(tmp_path / "run" / "paintings.jsonl")] == [None] * 2


def test_x16_sketches_cost_nothing_and_pass_no_budget(root, tmp_path):
    plan = plan_pipbench(root, methods="no_preference", paint=SMALL, n=2)
    assert dry_run_pictures(plan, tmp_path / "run") == ()
    assert execute(plan, tmp_path / "run", budget_usd=0.0).exit_code == 0
    assert lines(tmp_path / "run" / "sessions.jsonl")[0]["spent_usd"] == 0


def test_x16_a_dry_run_counts_the_pictures_that_are_left(root, server, tmp_path):
    run = tmp_path / "run"
    plan = planned(root, server, methods="no_preference,edit_1ref,fusion")
    (found,) = dry_run_pictures(plan, run)
    assert (found.painter, found.pictures, found.painted, found.left) == (server.model(), 24, 0, 24)
    assert found.cost_usd == pytest.approx(24 * 0.04)
    assert found.as_of == "given by you"
    assert server.seen == []
    assert not run.exists()
    execute(plan, run, budget_usd=0.21)
    before = sorted(path.name for path in run.rglob("*"))
    (found,) = dry_run_pictures(plan, run)
    assert (found.painted, found.left) == (5, 19)
    assert found.cost_usd == pytest.approx(19 * 0.04)
    assert sorted(path.name for path in run.rglob("*")) == before
    # What another run has painted is not this one's.
    assert dry_run_pictures(planned(root, server, seed=9), run)[0].painted == 0


def test_x16_a_dry_runs_bound_is_above_what_the_run_costs(root, server, tmp_path, monkeypatch):
    """By tokens: prompts and references count, also prompts that are not written yet."""
    monkeypatch.setenv("OPENAI_BASE_URL", f"{server.root}/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789")
    server.usage = {"input_tokens": 400, "output_tokens": 6240, "total_tokens": 6640}
    name = "openai/gpt-image-1"
    plan = plan_pipbench(
        root, methods="no_preference,edit_1ref,fusion", painters=[name], editor=name, paint=SMALL
    )
    (found,) = dry_run_pictures(plan, tmp_path / "run")
    assert execute(plan, tmp_path / "run", budget_usd=found.cost_usd).exit_code == 0
    (session,) = lines(tmp_path / "run" / "sessions.jsonl")
    assert session["spent_usd"] == pytest.approx(24 * (400 * 10 + 6240 * 40) / 1e6)
    assert session["spent_usd"] <= found.cost_usd <= 1.4 * session["spent_usd"]


def test_x16_the_command_prints_pictures_and_bound(root, server, tmp_path, capsys):
    command = ["run", "pipbench", "--data", str(root), "--methods", "no_preference", "--dry-run"]
    painter = f"{server.model()}?price=0.04"
    assert run_command([*command, "--painter", painter, "--out", str(tmp_path / "run")]) == 0
    said = capsys.readouterr().out
    assert "$0.3200" in said and "painted already" in said
    assert run_command([*command, "--painter", server.model()]) == 0
    assert "unknown" in capsys.readouterr().out
    assert server.seen == []


def test_x17_a_paid_picture_that_was_lost_is_not_paid_again(root, server, tmp_path):
    run = tmp_path / "run"
    execute(planned(root, server, n=2), run)
    next((run / "pictures").iterdir()).unlink()
    with pytest.raises(StoreError, match="a server paints no picture twice"):
        execute(planned(root, server, n=2), run)
    assert len(server.seen) == 2
