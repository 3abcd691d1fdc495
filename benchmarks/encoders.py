"""Text encoders: speed, start, memory, and how far static scores follow MiniLM's.

Interleaved rounds of the same captions (the mini personas', about 240 tokens each), so
that a busy machine slows all sides alike. sentence-transformers is measured beside them
when the environment variable ``REFERENCE_PYTHON`` names an interpreter that has it::

    python -m venv /tmp/reference
    /tmp/reference/bin/pip install torch==2.13.0 sentence-transformers
    REFERENCE_PYTHON=/tmp/reference/bin/python python benchmarks/encoders.py
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "tools"))

from eyeprint.models.kinds import TextEncoder
from eyeprint.models.text_encoders import load_encoder
from eyeprint.people.shipped import load_people

CAPTIONS, ROUNDS = 120, 5
TWELVE_WORDS = "a quiet evening by the harbour with fishing boats and warm lanterns"

_START = """
from pathlib import Path
from eyeprint.models.text_encoders import load_encoder
encoder = load_encoder({name!r})
encoder.encode(["a quiet evening by the harbour"])
peak = [line for line in Path("/proc/self/status").read_text().splitlines() if "VmHWM" in line]
print(int(peak[0].split()[1]) // 1024)
"""

_REFERENCE = """
import json, sys, time
import sentence_transformers
model = sentence_transformers.SentenceTransformer(sys.argv[1], device="cpu")
model.max_seq_length = 256
for line in sys.stdin:
    texts = json.loads(line)
    start = time.perf_counter()
    model.encode(texts, batch_size=8, normalize_embeddings=True)
    print("took", time.perf_counter() - start, flush=True)
"""


class Reference:
    """sentence-transformers in a process of its own."""

    def __init__(self, python: str) -> None:
        from eyeprint.models.minilm_weights import find_minilm

        folder = str(find_minilm().weights.parent)
        self._process = subprocess.Popen(
            [python, "-c", _REFERENCE, folder],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def seconds(self, texts: list[str]) -> float:
        """Encode, and return the seconds that the other process measured."""
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(json.dumps(texts) + "\n")
        self._process.stdin.flush()
        return float(self._process.stdout.readline().split()[1])

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait(30)


def timed(encoder: TextEncoder, times: int = 1) -> Callable[[list[str]], float]:
    """Return a function from texts to the seconds of one encoding."""

    def seconds(texts: list[str]) -> float:
        start = time.perf_counter()
        for _ in range(times):
            encoder.encode(texts)
        return (time.perf_counter() - start) / times

    return seconds


def rates(sides: dict[str, Callable[[list[str]], float]], texts: list[str]) -> dict[str, float]:
    """Return texts per second, the median of interleaved rounds after one round to warm up."""
    found: dict[str, list[float]] = {name: [] for name in sides}
    for turn in range(ROUNDS + 1):
        for name, seconds in sides.items():
            took = seconds(texts)
            if turn:
                found[name].append(len(texts) / took)
    return {name: statistics.median(each) for name, each in found.items()}


def start_of(name: str) -> tuple[float, int]:
    """Return seconds from the process's start to the first vector, and peak MB: best of 5."""
    best, memory = 1e9, 0
    for _ in range(5):
        start = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-c", _START.format(name=name)],
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        best = min(best, time.perf_counter() - start)
        memory = int(done.stdout)
    return best, memory


def middle_latency(encoder: TextEncoder) -> float:
    """Return the median milliseconds for twelve words in a warm process."""
    took = []
    for _ in range(100):
        start = time.perf_counter()
        encoder.encode([TWELVE_WORDS])
        took.append(time.perf_counter() - start)
    return statistics.median(took) * 1000


def main() -> None:
    people = load_people("mini")
    texts = [post.caption for person in people for post in person.posts][:CAPTIONS]
    minilm, static = load_encoder("minilm"), load_encoder("static")
    sides: dict[str, Any] = {"minilm": timed(minilm), "static": timed(static, 20)}
    python = os.environ.get("REFERENCE_PYTHON")
    reference = Reference(python) if python else None
    if reference is not None:
        sides["sentence-transformers"] = reference.seconds
    found = rates(sides, texts)
    for name, rate in found.items():
        print(f"{name:22} {rate:9.1f} captions/s")
    print(f"static / minilm: {found['static'] / found['minilm']:.0f} (goal: 100)")
    if reference is not None:
        reference.close()
        ratio = found["minilm"] / found["sentence-transformers"]
        print(f"minilm / sentence-transformers: {ratio:.2f} (goal: 1.1)")
    else:
        print("sentence-transformers: not measured (REFERENCE_PYTHON is not set)")
    for name, encoder in (("minilm", minilm), ("static", static)):
        seconds, memory = start_of(name)
        print(
            f"{name:8} first vector after {seconds:.2f} s (goal: 0.5), {memory} MB, "
            f"twelve words in {middle_latency(encoder):.2f} ms"
        )

    from encoder_agreement import agreement, score_cases, write_cases

    cases = write_cases(minilm)
    theirs, ours = score_cases(cases, minilm), score_cases(cases, static)
    print("Spearman of static against minilm (goals: 0.95 over all, 0.7 within a method)")
    for measure, column in theirs.items():
        print(f"  {measure:8} {agreement(cases, column, ours[measure])}")


if __name__ == "__main__":
    main()
