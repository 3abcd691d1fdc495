"""A run of MMPB: what the runner adds to a question, parallel calls, memory and disk.

1. Overhead: a model that answers at once, 10-turn dialogues, two pictures injected: seconds a
   question over building messages, ledger, rows and resuming marks. The twin makes the same
   requests in a plain loop and keeps nothing. The goal is 2 ms a question.
2. Parallel: 64 calls under way at a local server that answers in 200 ms; the ideal is 320
   calls/s, the goal 90 % of it.
3. Size: QUESTIONS questions (10,017 by default) of the toybox at the paper's size, two pictures
   and ten turns each: peak memory of a process that does nothing else, and disk of run and
   data. The goals are 2 GB and 300 MB. Drawing the data is timed apart (goal: 10 minutes).

Run it with ``python benchmarks/mmpb_run.py [QUESTIONS]``.
"""

from __future__ import annotations

import asyncio
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from eyeprint.models.chat_http import HttpSettings, http_chat
from eyeprint.models.kinds import ChatRequest, Reply
from eyeprint.people.toybox_shipped import load_concepts
from eyeprint.protocols.display import Quiet
from eyeprint.protocols.mmpb import execute, prepared
from eyeprint.protocols.mmpb_data import Chosen
from eyeprint.protocols.mmpb_grid_words import read_grid
from eyeprint.protocols.mmpb_plan import plan_mmpb
from eyeprint.records.concept_data import ConceptData
from tests.servers.local_chat import LocalChatServer

GRID = read_grid(inject="image:2", turns="10", controls="")
CONCEPTS, QUESTIONS = 111, 10_017
AT_ONCE, SECONDS = 64, 0.2


class Instant:
    """Answers at once and remembers nothing."""

    name = "echo"

    async def reply(self, request: ChatRequest) -> Reply:
        return Reply(text="Answer: B", served_model=self.name)


def plan_with(data: ConceptData, chat: object, questions: int | None = None):
    plan = plan_mmpb(data, ["echo"], grid=GRID, chosen=Chosen(number=questions), bootstraps=100)
    plan.chats["echo"] = chat  # type: ignore[assignment]
    return plan


def overhead(data: ConceptData, questions: int, folder: Path) -> None:
    plan = plan_with(data, Instant(), questions)
    started, cpu = time.perf_counter(), time.process_time()
    end = execute(plan, folder / "overhead")
    whole = time.perf_counter() - started
    log = [line for line in (folder / "overhead" / "log.jsonl").read_text().splitlines() if line]
    asker = prepared(plan, folder / "overhead", Quiet())

    async def bare() -> None:
        chat = Instant()
        for item in asker.items():
            await chat.reply(asker.request(item))

    started_bare = time.perf_counter()
    asyncio.run(bare())
    twin = time.perf_counter() - started_bare
    count = len(plan.data)
    print(
        f"overhead, all of it (pictures, asking, reading, tables, report): {whole:.1f} s for "
        f"{count} questions, {1000 * whole / count:.2f} ms each, "
        f"{1000 * (time.process_time() - cpu - twin) / count:.2f} ms of it processor"
    )
    print(f"requests in a plain loop, nothing kept: {1000 * twin / count:.2f} ms each")
    print(f"runner over the loop: {1000 * (whole - twin) / count:.2f} ms a question (goal 2)")
    assert end.exit_code == 0 and log


def parallel(data: ConceptData, questions: int, folder: Path) -> None:
    with LocalChatServer(latency=SECONDS) as server:
        chat = http_chat(server.model(), settings=HttpSettings(at_once=AT_ONCE))
        warm = plan_with(data, chat, AT_ONCE)
        execute(warm, folder / "warm", concurrency=AT_ONCE)
        plan = plan_with(data, chat, questions)
        started = time.perf_counter()
        execute(plan, folder / "parallel", ledger=str(folder / "p.sqlite"), concurrency=AT_ONCE)
        spent = time.perf_counter() - started
        asking = asking_seconds(folder / "parallel")
    ideal = AT_ONCE / SECONDS
    for name, seconds in (("asking alone", asking), ("the whole run", spent)):
        rate = len(plan.data) / seconds
        print(f"64 parallel calls, {name}: {rate:.0f} calls/s, {rate / ideal:.0%} of ideal")


def asking_seconds(folder: Path) -> float:
    """Return the seconds between the run's log lines before and after asking."""
    import json
    from datetime import datetime

    lines = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    times = {line["event"]: datetime.fromisoformat(line["at"]) for line in lines}
    return (times["answers"] - times["asking"]).total_seconds()


SIZE = """
import resource, sys
from pathlib import Path
from eyeprint.people.toybox_shipped import load_concepts
from benchmarks.mmpb_run import Instant, plan_with, execute
data = load_concepts("toybox", concepts=int(sys.argv[1]), questions=int(sys.argv[2]))
end = execute(plan_with(data, Instant()), sys.argv[3])
assert end.exit_code == 0
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def size(questions: int, folder: Path) -> None:
    out = folder / "size"
    command = [sys.executable, "-c", SIZE, str(CONCEPTS), str(questions), str(out)]
    environment = {"PYTHONPATH": str(Path(__file__).parents[1])}
    import os

    started = time.perf_counter()
    done = subprocess.run(
        command, env={**os.environ, **environment}, check=True, capture_output=True, text=True
    )
    spent = time.perf_counter() - started
    data = load_concepts("toybox", concepts=CONCEPTS, questions=questions)
    disk = {"run": weight(out), "data": weight(data.root)}
    told = ", ".join(f"{name} {bytes / 1e6:.0f} MB" for name, bytes in disk.items())
    print(
        f"{questions} questions, 10 turns, 2 pictures: {spent:.0f} s, "
        f"{int(done.stdout.split()[-1]) / 1e6:.2f} GB of memory (goal 2); on disk {told}, "
        f"together {sum(disk.values()) / 1e6:.0f} MB (goal 300)"
    )


def weight(folder: Path) -> int:
    """Return the bytes of all files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def main() -> None:
    questions = int(sys.argv[1]) if len(sys.argv) > 1 else QUESTIONS
    started = time.perf_counter()
    data = load_concepts("toybox", concepts=CONCEPTS, questions=questions)
    drawn = time.perf_counter() - started
    print(f"toybox of {CONCEPTS} concepts and {len(data)} questions: {drawn:.0f} s (less if kept)")
    with tempfile.TemporaryDirectory() as place:
        overhead(data, min(2000, questions), Path(place))
        parallel(data, min(6400, questions), Path(place))
        size(questions, Path(place))
    print(
        f"peak of this process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f} GB"
    )


if __name__ == "__main__":
    main()
