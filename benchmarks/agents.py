"""Building synthetic agents: seconds and memory by number, beside plain sets.

The straightforward twin is Algorithm 1 line by line: answers as text, rules one by one,
Jaccard similarity of Python sets with each of the last 200. Both write no file and no texts
in the comparison; the table above it times the whole command's work, texts and files too.

Run it with ``python benchmarks/agents.py [MOST]`` (100,000).
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from eyeprint.people.agent_sampling import AgentSampler, AgentSettings
from eyeprint.people.agents import build_agents, grow_agents
from eyeprint.people.consistency import consistency
from eyeprint.people.questionnaire import signature
from eyeprint.records.profiles import Profile

SEED = 3
TWIN_AGENTS = 1000
SIZES = (1_000, 10_000, 100_000)
GOAL_SECONDS = 60


def build_one(n: int) -> None:
    """Build n agents in this process and print seconds, peak memory and bytes."""
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        report = build_agents(n, SEED, folder)
        seconds = time.perf_counter() - started
        size = sum(path.stat().st_size for path in Path(folder).iterdir())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    accepted = report.counts.accepted / report.counts.attempts
    print(
        f"{n:>8,} agents: {seconds:6.1f} s, {seconds / n * 1e6:5.0f} µs each, peak {peak:.0f} MB, "
        f"{size / n / 1024:.1f} KB each, {accepted:.0%} of attempts accepted",
        flush=True,
    )


def plain(n: int, settings: AgentSettings) -> list[dict[str, object]]:
    """Algorithm 1 with plain sets, over the same candidates."""
    sampler, rules = AgentSampler(settings), consistency()
    accepted: list[dict[str, object]] = []
    signatures: list[frozenset[str]] = []
    number = 0
    while True:
        block = sampler.block(SEED, number)
        number += 1
        for place in range(settings.block):
            answers = sampler.answers(block, place)
            found = rules.conflicts(answers)
            if any(conflict.kind == "hard" for conflict in found):
                continue
            mine = signature(Profile(id="x", answers=answers))
            alike = [len(mine & s) / len(mine | s) for s in signatures[-settings.window :]]
            if len(found) > settings.penalty_most or max(alike, default=0) > 0.42:
                continue
            accepted.append(dict(answers))
            signatures.append(mine)
            if len(accepted) == n:
                return accepted


def main() -> None:
    if len(sys.argv) == 3:
        build_one(int(sys.argv[2]))
        return
    most = int(sys.argv[1]) if len(sys.argv) > 1 else SIZES[-1]
    print(f"goal: 100,000 agents in {GOAL_SECONDS} s, memory flat, time linear")
    for n in (size for size in SIZES if size <= most):
        # A process of its own for each, so that peaks do not mix.
        subprocess.run([sys.executable, __file__, "one", str(n)], check=True)
    settings = AgentSettings(texts=False)
    list(grow_agents(10, SEED, settings))
    started = time.perf_counter()
    agents = list(grow_agents(TWIN_AGENTS, SEED, settings))
    bits = time.perf_counter() - started
    started = time.perf_counter()
    twins = plain(TWIN_AGENTS, settings)
    sets = time.perf_counter() - started
    same = [dict(agent.answers) for agent in agents] == twins
    print(f"{TWIN_AGENTS} agents without texts: {bits:.3f} s; plain sets {sets:.2f} s")
    print(f"the same agents: {'yes' if same else 'NO'}")
    print(f"ratio to the straightforward twin: {sets / bits:.1f}")


if __name__ == "__main__":
    main()
