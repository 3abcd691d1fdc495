"""Builds a folder of people: shards written whole, resumable, the same bytes each time.

``DIR/people-00000.jsonl`` holds the people 0..249, ``DIR/people-00001.jsonl`` the next
250, and so on; ``DIR/people.json`` is the manifest. A person's bytes follow from run
seed, person number, seed text and writer alone, so workers and interruptions change
nothing, and a shard that is there is right (CHECKLIST V10–V20, X6).
"""

from __future__ import annotations

import json
import multiprocessing
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from pydantic import Field

from eyeprint.config import Settings, fingerprint_of
from eyeprint.errors import FolderMismatch, StoreError, UsageError
from eyeprint.people.backstories import (
    FurtherSeeds,
    SeedPlan,
    compose_further,
    load_seeds,
)
from eyeprint.people.build_report import (
    BuildReport,
    ShardCounts,
    seed_notes,
    seed_statistics,
    statistics_of,
)
from eyeprint.people.composed_seeds import ComposedSeedSettings, compose_seed
from eyeprint.people.offline_writer import Made, OfflineSettings, OfflineWriter
from eyeprint.people.tables import tables_fingerprint
from eyeprint.records.json_text import parse_json
from eyeprint.records.whole_files import make_folder, remove_temporaries, write_whole
from eyeprint.store.folder_lock import FolderLock, refuse_strangers
from eyeprint.store.processes import map_in_processes

MANIFEST = "people.json"
_stopped: list[int] = []
"""In a worker process: the shard at which Ctrl-C came."""
FORMAT = 2
"""Raised when the form of records or shards changes."""


class BuildSettings(Settings):
    """What decides the bytes of a people folder, beside the writer and the seed texts."""

    n: int = Field(ge=1)
    """Number of people asked for; fewer come out when some are excluded (V19)."""
    seed: int = 7
    """Run seed of all draws."""
    people_per_shard: int = Field(default=250, ge=1)
    seeds: str = ""
    """Where seed texts come from: "" (bundled), "hub:" or a file."""
    hub_revision: str = "main"
    """Revision of the PersonaHub data set; pin a commit to get the same seeds again."""
    further_seeds: FurtherSeeds | None = None
    """What people get beyond the number of seeds: "compose" writes further seeds from tables,
    "reuse" goes through the same ones again with other draws. ``None`` composes beyond the
    bundled seeds and reuses those of a file or the hub (V11)."""
    composed_seeds: ComposedSeedSettings = ComposedSeedSettings()
    """Choices of the composer."""


@dataclass(frozen=True)
class Task:
    """One shard to write: plain values, so that it can be sent to a process."""

    number: int
    path: str
    people: tuple[tuple[str, str, int], ...]
    """(id, seed text, seed number) of each person; the text "" is composed from the number."""
    run_seed: int
    offline: str
    """The offline writer's settings as JSON, or "" when another writer is used."""
    composer: ComposedSeedSettings = field(default_factory=ComposedSeedSettings)

    def seeded(self) -> list[tuple[str, str]]:
        """Return (id, seed text) of each person; further texts are composed here, at work."""
        return [
            (identity, text or compose_seed(number, self.composer).text)
            for identity, text, number in self.people
        ]


class ShardWriter(Protocol):
    """Writes the people of one shard: the seam for writers that ask a model."""

    @property
    def name(self) -> str:
        """The writer's name in the manifest."""
        ...

    def identity(self) -> dict[str, Any]:
        """Return what decides the people it writes, as plain values."""
        ...

    def write(self, people: Sequence[tuple[str, str]], run_seed: int) -> list[Made]:
        """Write people from (id, seed text); one result each, in order."""
        ...


@dataclass
class _Progress:
    counts: ShardCounts = field(default_factory=ShardCounts)
    kept: int = 0
    made: int = 0
    faults: list[str] = field(default_factory=list)


def build_personas(
    n: int,
    seed: int,
    out: str | Path,
    writer: str | ShardWriter = "offline",
    workers: int | None = None,
    *,
    seeds: str = "",
    settings: OfflineSettings | None = None,
    build: BuildSettings | None = None,
    on_shard: Callable[[int, int], None] | None = None,
) -> BuildReport:
    """Build ``n`` people into the folder ``out``; a repeated call finishes what is missing.

    Args:
        n: number of people.
        seed: run seed; the same seed gives the same bytes.
        out: folder; made when missing.
        writer: "offline", or a :class:`ShardWriter` around a model.
        workers: processes of the offline writer; all cores when ``None``.
        seeds: "" for the bundled backstories, "hub:" for PersonaHub, or a file.
        settings: of the offline writer.
        build: shard size, hub revision, further seeds; ``n``, ``seed`` and ``seeds`` override it.
        on_shard: called with (shards there, shards in all) after each shard.

    Raises:
        FolderMismatch: the folder holds people of other settings.
        FolderBusy: another process is building there.
        CannotWrite: disk full or no permission; finished shards stay.
        DataError, ModelUnavailable: the seeds cannot be had.
    """
    started = time.monotonic()
    base = build.model_dump() if build else {}
    chosen = BuildSettings(**(base | {"n": n, "seed": seed, "seeds": seeds}))
    if isinstance(writer, str) and writer != "offline":
        raise UsageError(
            f"build_personas writes by itself only 'offline', not '{writer}'. Give it a "
            "ShardWriter, such as eyeprint.people.chat_build.ChatShardWriter."
        )
    offline = settings or OfflineSettings()
    by_model = None if isinstance(writer, str) else writer
    identity = by_model.identity() if by_model else OfflineWriter(seed, offline).identity()
    texts = load_seeds(chosen.seeds, chosen.hub_revision)
    plan = SeedPlan(texts, n, compose_further(seeds, chosen.further_seeds), chosen.composed_seeds)
    folder = Path(out)
    facts = _facts(chosen, identity, plan)
    fingerprint = fingerprint_of(facts)
    make_folder(folder)
    lock = FolderLock(folder)
    lock.take()
    try:
        _check_folder(folder, fingerprint)
        remove_temporaries(folder)
        _write_manifest(folder, fingerprint, facts, "building", None)
        tasks = _tasks(chosen, folder, plan, "" if by_model else offline.model_dump_json())
        progress = _run(tasks, by_model, workers or os.cpu_count() or 1, on_shard)
        statistics = statistics_of(progress.counts) | seed_statistics(plan)
        # A model's faults are kept with person, step and reason. Shards with people left out
        # are made anew each time, so the list is whole after every run.
        faults = {"faults": progress.faults} if by_model else {}
        _write_manifest(folder, fingerprint, facts, "whole", statistics | faults)
    finally:
        lock.release()
    notes = [*progress.faults, *seed_notes(plan, chosen.seeds, chosen.hub_revision)]
    return BuildReport(
        folder=str(folder),
        fingerprint=fingerprint,
        people=progress.counts.people,
        statistics=statistics,
        shards_kept=progress.kept,
        shards_made=progress.made,
        seconds=time.monotonic() - started,
        notes=tuple(notes),
    )


def _facts(settings: BuildSettings, identity: dict[str, Any], plan: SeedPlan) -> dict[str, Any]:
    # The seed texts themselves count, not the path they were read from.
    chosen = settings.model_dump(mode="json", exclude={"seeds", "hub_revision"})
    chosen["further_seeds"] = "compose" if plan.compose else "reuse"
    return {
        "format": FORMAT,
        "build": chosen,
        "writer": identity,
        "seeds": fingerprint_of(list(plan.texts)),
        "further_seeds": tables_fingerprint() if plan.composed else "",
    }


def _check_folder(folder: Path, fingerprint: str) -> None:
    manifest = folder / MANIFEST
    if not manifest.exists():
        refuse_strangers(folder, MANIFEST)
        return
    try:
        found = str(parse_json(manifest.read_bytes())["fingerprint"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StoreError(
            f"{manifest}: cannot be read ({error}). Name another folder with --out."
        ) from error
    if found != fingerprint:
        raise FolderMismatch(
            f"{folder} holds people built with other settings, seeds or tables (fingerprint "
            f"{found[:12]}, now {fingerprint[:12]}). Name another folder with --out, or delete it."
        )


def _write_manifest(
    folder: Path,
    fingerprint: str,
    facts: dict[str, Any],
    state: str,
    statistics: dict[str, Any] | None,
) -> None:
    manifest = {"fingerprint": fingerprint, "state": state, **facts, "statistics": statistics}
    text = json.dumps(manifest, ensure_ascii=False, indent=2) + "\n"
    write_whole(folder / MANIFEST, [text.encode()])


def _tasks(
    settings: BuildSettings,
    folder: Path,
    plan: SeedPlan,
    offline: str,
) -> Iterator[Task]:
    size = settings.people_per_shard
    for number, start in enumerate(range(0, settings.n, size)):
        people = tuple(
            (f"p-{i:05d}", plan.given_text(i), plan.number(i))
            for i in range(start, min(start + size, settings.n))
        )
        path = folder / f"people-{number:05d}.jsonl"
        yield Task(number, str(path), people, settings.seed, offline, settings.composed_seeds)


def _run(
    tasks: Iterator[Task],
    by_model: ShardWriter | None,
    workers: int,
    on_shard: Callable[[int, int], None] | None,
) -> _Progress:
    planned = list(tasks)
    progress = _Progress()
    workers = min(workers, len(planned))
    results: Iterator[tuple[ShardCounts, bool, list[str]]]
    if by_model is None:
        results = map_in_processes(_offline_shard, planned, workers, block=1)
    else:
        results = (_model_shard(task, by_model) for task in planned)
    for counts, kept, faults in results:
        progress.counts.add(counts)
        progress.kept += kept
        progress.made += not kept
        progress.faults += faults
        if on_shard is not None:
            on_shard(progress.kept + progress.made, len(planned))
    return progress


def _offline_shard(task: Task) -> tuple[ShardCounts, bool, list[str]]:
    """Write one shard in this process, or read the one that is there."""
    found = _counts_of(task)
    if found is not None:
        return found, True, []
    if _stopped:
        raise KeyboardInterrupt
    writer = OfflineWriter(task.run_seed, OfflineSettings.model_validate_json(task.offline))
    made = (writer.person(identity, text) for identity, text in task.seeded())
    try:
        return _write_shard(task, made)
    except KeyboardInterrupt:
        # A worker process outlives Ctrl-C until its queue is empty: let it empty fast.
        if multiprocessing.parent_process() is not None:
            _stopped.append(task.number)
        raise


def _model_shard(task: Task, writer: ShardWriter) -> tuple[ShardCounts, bool, list[str]]:
    found = _counts_of(task)
    if found is not None and not found.excluded:
        return found, True, []
    # Somebody is missing: the ledger behind the model serves what was answered before.
    made = writer.write(task.seeded(), task.run_seed)
    counts, kept, faults = _write_shard(task, iter(made))
    counts.failed, counts.excluded = counts.excluded, 0
    return counts, kept, faults


def _write_shard(task: Task, made: Iterator[Made]) -> tuple[ShardCounts, bool, list[str]]:
    counts = ShardCounts()
    faults: list[str] = []

    def lines() -> Iterator[bytes]:
        for (identity, _, seed_number), result in zip(task.people, made, strict=True):
            faults.extend(f"{identity}: {fault}" for fault in result.faults)
            if result.record is None:
                counts.excluded += 1
                counts.posts_dropped += result.posts_dropped
                continue
            result.record["build"] = {"seed_index": seed_number} | result.record.get("build", {})
            counts.see(result.record)
            text = json.dumps(result.record, ensure_ascii=False, separators=(",", ":"))
            yield text.encode() + b"\n"

    write_whole(Path(task.path), lines())
    return counts, False, faults


def _counts_of(task: Task) -> ShardCounts | None:
    """Return the counts of a shard that is there, or ``None``."""
    path = Path(task.path)
    if not path.exists():
        return None
    counts = ShardCounts()
    try:
        with path.open(encoding="utf-8") as file:
            for line in file:
                counts.see(json.loads(line))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StoreError(
            f"{path}: a damaged shard ({error}). Delete this file and run the same command again."
        ) from error
    counts.excluded = len(task.people) - counts.people
    return counts
