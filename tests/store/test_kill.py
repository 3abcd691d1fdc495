"""``kill -9`` at any moment: the same bytes in the end, and no answer paid for twice.

What is proved, against a server in a process of its own that counts every request: a
request whose answer was in the ledger when the process died is never sent again. A call
that was under way at that moment may be; there are never more of those than calls at once.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

from eyeprint.randomness import stream
from tests.servers.local_chat import LocalChatServer

ITEMS = 150
REQUESTS = ITEMS + ITEMS // 10
AT_ONCE = 8
JOB = Path(__file__).with_name("killed_job.py")


def start(server: LocalChatServer, folder: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, str(JOB), server.model(), str(folder), str(ITEMS)])


def answered_in(folder: Path) -> set[str]:
    """The requests' texts whose answers the ledger holds."""
    if not (folder / "ledger.sqlite").exists():
        return set()
    connection = sqlite3.connect(folder / "ledger.sqlite")
    try:
        rows = connection.execute(
            "SELECT json_extract(body, '$.messages[0].text') FROM eyeprint_request q "
            "JOIN eyeprint_reply r ON r.key = q.key WHERE r.outcome = 'answered'"
        ).fetchall()
    except sqlite3.OperationalError:
        return set()  # Killed before the tables were made.
    finally:
        connection.close()
    return {row[0] for row in rows}


def test_x17_killed_at_random_moments_the_run_ends_the_same_and_pays_once(tmp_path: Path) -> None:
    draws = stream(1, "kill", "moments")
    rules = [{"contains": "item 7", "status": 503, "times": 1}]
    with LocalChatServer(latency=0.02, rules=rules) as server:
        whole = start(server, tmp_path / "whole")
        assert whole.wait(timeout=30) == 0
        assert len(answered_in(tmp_path / "whole")) == REQUESTS
        server.control(latency=0.02, rules=rules, reset=True)

        folder = tmp_path / "killed"
        kills = 0
        # Requests whose answers a killed process left in the ledger, and how often they
        # had been received by then: neither number may ever change again.
        paid: dict[str, int] = {}
        for _ in range(5):
            job = start(server, folder)
            # From before the first import to the middle of the calls, counted from the first
            # one: the start of an interpreter takes its time on a busy machine.
            wanted = sum(server.counts()["received"].values()) + draws.below(45)
            deadline = time.monotonic() + 20
            while sum(server.counts()["received"].values()) < wanted:
                assert time.monotonic() < deadline
                time.sleep(0.003)
            time.sleep(draws.random() * 0.02)
            if job.poll() is None:
                os.kill(job.pid, signal.SIGKILL)
                kills += 1
            job.wait()
            time.sleep(0.1)  # The server may still be answering calls of the dead process.
            received = server.counts()["received"]
            assert {text: received[text] for text in paid} == paid
            kept = answered_in(folder)
            assert set(paid) <= kept, "what was kept stays kept"
            paid = {text: received[text] for text in kept}

        last = start(server, folder)
        assert last.wait(timeout=30) == 0
        counts = server.counts()
    assert kills >= 3
    assert 0 < len(paid) < REQUESTS, "kills came in the middle"
    assert {text: counts["received"][text] for text in paid} == paid
    extra = sum(counts["answered"].values()) - REQUESTS
    assert 0 <= extra <= kills * AT_ONCE
    assert len(answered_in(folder)) == REQUESTS
    one, other = (tmp_path / name / "results.jsonl" for name in ("whole", "killed"))
    assert one.read_bytes() == other.read_bytes()
    assert len(one.read_bytes().splitlines()) == ITEMS
    assert (tmp_path / "whole/manifest.json").read_bytes() == (
        folder / "manifest.json"
    ).read_bytes()
