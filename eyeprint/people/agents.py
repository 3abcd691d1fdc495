"""Algorithm 1 of PIPBench: synthetic agents that are consistent and unlike each other (P26).

Draw a candidate; drop it on a hard conflict; count its soft ones; keep it when they are at
most τ_conf and its largest Jaccard similarity with the last 200 kept signatures is at most
τ_jac (0 for an empty window); stop at T agents or A_max attempts. Signatures are bits, so
that a comparison with the whole window is a handful of machine instructions per word.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from eyeprint.config import fingerprint_of
from eyeprint.errors import FolderMismatch, StoreError, UsageError
from eyeprint.people.agent_sampling import AgentSampler, AgentSettings
from eyeprint.people.consistency import Consistency, consistency
from eyeprint.people.questionnaire import profile_text
from eyeprint.people.questions import questionnaire
from eyeprint.people.tables import table_digest
from eyeprint.records.file_digests import file_sha256
from eyeprint.records.json_text import parse_json
from eyeprint.records.profile_files import PROFILES, profile_line
from eyeprint.records.profiles import Profile
from eyeprint.records.whole_files import make_folder, remove_temporaries, write_whole
from eyeprint.store.folder_lock import FolderLock, refuse_strangers

MANIFEST = "agents.json"
FORMAT = 1
"""Raised when the same settings give other bytes."""
TOLD_EVERY = 1000
"""Agents between two calls of ``on_agents``."""


class SignatureWindow:
    """The signatures of the last accepted agents, as rows of bits."""

    def __init__(self, size: int, words: int) -> None:
        self._rows = np.zeros((words, size), dtype=np.uint64)
        self._sizes = np.zeros(size, dtype=np.int64)
        self._seen = 0

    def similarity(self, row: NDArray[np.uint64], size: int) -> float:
        """Return the largest Jaccard similarity, |A ∩ B| / |A ∪ B| in [0, 1]; 0 when empty."""
        filled = min(self._seen, len(self._sizes))
        if not filled:
            return 0.0
        shared = np.bitwise_count(self._rows[:, :filled] & row[:, None]).sum(axis=0, dtype=np.int64)
        return float((shared / (self._sizes[:filled] + size - shared)).max())

    def add(self, row: NDArray[np.uint64], size: int) -> None:
        """Put a signature in the place of the oldest."""
        if len(self._sizes):
            place = self._seen % len(self._sizes)
            self._rows[:, place], self._sizes[place] = row, size
            self._seen += 1


@dataclass
class AgentCounts:
    """What became of the candidates; the rejections and the accepted sum to the attempts."""

    attempts: int = 0
    accepted: int = 0
    hard: dict[str, int] = field(default_factory=dict)
    """Rejected: by the first hard rule that they break, in the order of the rules."""
    penalty: int = 0
    """Rejected: more soft conflicts than τ_conf."""
    similarity: int = 0
    """Rejected: more similar than τ_jac to one of the window."""
    conflicts: dict[str, int] = field(default_factory=dict)
    """Rule -> candidates that break it, whatever became of them."""

    def told(self, reasons: Mapping[str, str] | None = None) -> Iterator[str]:
        """Yield the lines that a person reads; ``reasons`` says by rule what it finds."""
        share = self.accepted / self.attempts if self.attempts else 0.0
        yield f"{self.accepted} agents of {self.attempts} attempts ({share:.1%} accepted)"
        for rule, number in self.hard.items():
            reason = (reasons or {}).get(rule)
            yield f"rejected by {rule}: {number}" + (f" ({reason})" if reason else "")
        yield f"rejected for soft conflicts: {self.penalty}"
        yield f"rejected as too similar: {self.similarity}"


def agent_id(number: int) -> str:
    """Return the id of an agent by its number, from 0: "a-00000"."""
    return f"a-{number:05d}"


def grow_agents(
    n: int,
    seed: int,
    settings: AgentSettings | None = None,
    counts: AgentCounts | None = None,
    rules: Consistency | None = None,
) -> Iterator[Profile]:
    """Yield up to ``n`` agents by Algorithm 1; fewer when A_max is reached.

    A stream: memory does not grow with n. The first k agents are the same for every n >= k.

    Args:
        n: T, the number of agents.
        seed: run seed.
        settings: thresholds, window, distributions.
        counts: filled while agents are drawn; whole when the stream has ended.
        rules: compiled already; by default those of the settings.

    >>> [agent.id for agent in grow_agents(2, 3)]
    ['a-00000', 'a-00001']
    """
    chosen = settings or AgentSettings()
    found = counts if counts is not None else AgentCounts()
    checked = rules or consistency(chosen.consistency)
    sampler = AgentSampler(chosen)
    limit = chosen.attempts_for(n)
    window: SignatureWindow | None = None
    for number in count():
        if found.accepted >= n or found.attempts >= limit:
            return
        block = sampler.block(seed, number)
        window = window or SignatureWindow(chosen.window, block.words.shape[1])
        flags = checked.flags(block.codes)
        rejected = np.logical_or.reduce(flags.hard, axis=0)
        heavy = ~rejected & (flags.penalty > chosen.penalty_most)
        end = min(chosen.block, limit - found.attempts)
        for place in np.flatnonzero(~rejected & ~heavy).tolist():
            if place >= end:
                break
            row, size = block.words[place], int(block.sizes[place])
            if window.similarity(row, size) > chosen.similarity_most:
                found.similarity += 1
                continue
            window.add(row, size)
            found.accepted += 1
            profile = Profile(
                id=agent_id(found.accepted - 1),
                kind="agent",
                answers=sampler.answers(block, place),
            )
            if chosen.texts:
                profile = profile.model_copy(update={"text": profile_text(profile)})
            yield profile
            if found.accepted == n:
                end = place + 1
                break
        # Without any rule there is no first one, and nobody is rejected.
        hard = flags.hard[:, :end][:, rejected[:end]]
        first = hard.argmax(axis=0) if hard.size else np.zeros(0, dtype=np.int64)
        for index, rule in enumerate(checked.rules):
            if rule.kind == "hard" or any(kind == "hard" for _, kind in rule.changes):
                new = int((first == index).sum())
                found.hard[rule.id] = found.hard.get(rule.id, 0) + new
            broken = int((flags.hard[index, :end] | flags.soft[index, :end]).sum())
            found.conflicts[rule.id] = found.conflicts.get(rule.id, 0) + broken
        found.penalty += int(heavy[:end].sum())
        found.attempts += end


@dataclass(frozen=True)
class AgentsReport:
    """What a folder of agents holds, and how it came to be there."""

    folder: str
    fingerprint: str
    asked: int
    counts: AgentCounts
    made: bool
    """False when the same agents were there already, and were found unchanged."""
    seconds: float

    def told(self, reasons: Mapping[str, str] | None = None) -> Iterator[str]:
        """Yield the lines that a person reads; ``reasons`` says by rule what it finds."""
        yield from self.counts.told(reasons)
        if self.counts.accepted < self.asked:
            yield (
                f"{self.asked - self.counts.accepted} agents fewer than asked for: the attempts "
                "are used up. Raise attempts_most, or loosen what rejects the most."
            )
        how = f"written to {self.folder} in {self.seconds:.1f} s"
        yield how if self.made else f"already in {self.folder}, unchanged"


def build_agents(
    n: int,
    seed: int,
    out: str | Path,
    settings: AgentSettings | None = None,
    on_agents: Callable[[int], None] | None = None,
) -> AgentsReport:
    """Write ``n`` agents to ``DIR/profiles.jsonl`` and ``DIR/agents.json``, whole or not at all.

    A repeated call finds the folder finished, checks that its bytes are those that were
    written, and makes nothing.

    Args:
        n: number of agents.
        seed: run seed; the same seed gives the same bytes.
        out: folder; made when missing.
        settings: see :class:`eyeprint.people.agent_sampling.AgentSettings`.
        on_agents: called with the number of agents so far, every thousand.

    Raises:
        FolderMismatch: the folder holds something else.
        StoreError: the agents in it are not those that were written.
        FolderBusy: another process is writing there.
        CannotWrite: disk full or no permission.
    """
    if n < 1:
        raise UsageError(f"{n} agents cannot be built: ask for one or more.")
    started = time.monotonic()
    chosen = settings or AgentSettings()
    rules = consistency(chosen.consistency)
    facts = _facts(n, seed, chosen, rules)
    fingerprint = fingerprint_of(facts)
    folder = Path(out)
    make_folder(folder)
    lock = FolderLock(folder)
    lock.take()
    try:
        counts = _counts_there(folder, fingerprint)
        made = counts is None
        if counts is None:
            remove_temporaries(folder)
            _write_manifest(folder, fingerprint, facts, "building", {})
            counts = AgentCounts()
            digest = _write_agents(folder, grow_agents(n, seed, chosen, counts, rules), on_agents)
            state: Literal["whole", "short"] = "whole" if counts.accepted == n else "short"
            result = {"counts": vars(counts), "sha256": {PROFILES: digest}}
            _write_manifest(folder, fingerprint, facts, state, result)
    finally:
        lock.release()
    return AgentsReport(str(folder), fingerprint, n, counts, made, time.monotonic() - started)


def _facts(n: int, seed: int, settings: AgentSettings, rules: Consistency) -> dict[str, Any]:
    # The rules themselves count, not the path that they were read from.
    chosen = settings.model_dump(mode="json", exclude={"consistency": {"rules"}})
    tables = table_digest("aesthetic_priors.toml") if settings.texts else ""
    return {
        "format": FORMAT,
        "n": n,
        "seed": seed,
        "settings": chosen,
        "rules": rules.fingerprint,
        "questionnaire": questionnaire().fingerprint,
        "texts": tables,
    }


def _write_agents(
    folder: Path, agents: Iterator[Profile], on_agents: Callable[[int], None] | None
) -> str:
    state = hashlib.sha256()

    def lines() -> Iterator[bytes]:
        for number, agent in enumerate(agents, start=1):
            line = profile_line(agent)
            state.update(line)
            yield line
            if on_agents is not None and number % TOLD_EVERY == 0:
                on_agents(number)

    write_whole(folder / PROFILES, lines())
    return state.hexdigest()


def _write_manifest(
    folder: Path, fingerprint: str, facts: dict[str, Any], state: str, result: dict[str, Any]
) -> None:
    manifest = {"fingerprint": fingerprint, "state": state, **facts, **result}
    text = json.dumps(manifest, ensure_ascii=False, indent=2) + "\n"
    write_whole(folder / MANIFEST, [text.encode()])


def _counts_there(folder: Path, fingerprint: str) -> AgentCounts | None:
    """Return the counts of a finished folder after checking its bytes, or ``None``."""
    path = folder / MANIFEST
    if not path.exists():
        refuse_strangers(folder, MANIFEST)
        return None
    try:
        manifest = parse_json(path.read_bytes())
        found, state = str(manifest["fingerprint"]), manifest["state"]
        if found == fingerprint and state != "building":
            counts = AgentCounts(**manifest["counts"])
            wanted = manifest["sha256"][PROFILES]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StoreError(
            f"{path}: cannot be read ({error}). Name another folder with --out."
        ) from error
    if found != fingerprint:
        raise FolderMismatch(
            f"{folder} holds agents of other settings, seeds, rules or tables (fingerprint "
            f"{found[:12]}, now {fingerprint[:12]}). Name another folder with --out, or delete it."
        )
    if state == "building":
        return None
    profiles = folder / PROFILES
    if not profiles.is_file() or file_sha256(profiles) != wanted:
        raise StoreError(
            f"{folder / PROFILES} is not what was written: it was changed or deleted since. "
            f"Delete both it and {path} and run the same command again, or name another folder "
            "with --out."
        )
    return counts
