"""Building 10,000 personas offline: seconds and memory, extrapolated from a smaller build.

The straightforward twin reads the tables anew for each person, as a script would that
calls one function per person; eyeprint reads them once per process.

Run it with ``python benchmarks/build_personas.py [PEOPLE] [WORKERS]`` (500 and all cores).
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from eyeprint.people import demographics, posts, tables
from eyeprint.people.build import build_personas
from eyeprint.people.offline_writer import OfflineWriter

TWIN_PEOPLE = 4
WANTED = 10_000


def forget_tables() -> None:
    """Empty every cache of the rooms that the writer uses."""
    for module in (tables, demographics, posts):
        for value in vars(module).values():
            if hasattr(value, "cache_clear"):
                value.cache_clear()


def seconds_of_twin() -> float:
    texts = tables.bundled_backstories()
    started = time.perf_counter()
    for i in range(TWIN_PEOPLE):
        forget_tables()
        OfflineWriter(7).person(f"p-{i:05d}", texts[i])
    return (time.perf_counter() - started) / TWIN_PEOPLE


def seconds_alone() -> float:
    texts = tables.bundled_backstories()
    writer = OfflineWriter(7)
    writer.person("p-warm", texts[0])
    started = time.process_time()
    for i in range(20):
        writer.person(f"p-{i:05d}", texts[i])
    return (time.process_time() - started) / 20


def main() -> None:
    people = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    workers = int(sys.argv[2]) if len(sys.argv) > 2 else os.cpu_count() or 1
    with tempfile.TemporaryDirectory() as folder:
        report = build_personas(people, 7, folder, workers=workers)
        size = sum(path.stat().st_size for path in Path(folder).iterdir())
    time.sleep(1.0)  # The worker processes end after the build has returned.
    per_thousand = report.seconds / people * 1000
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    child = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    alone, twin = seconds_alone(), seconds_of_twin()
    print(f"{people} people, {workers} workers: {report.seconds:.1f} s, {per_thousand:.1f} s/1,000")
    print(f"extrapolated to {WANTED}: {per_thousand * WANTED / 60_000:.1f} min, goal 10 min")
    quiet = alone * WANTED / workers / 60
    print(f"by processor time alone (a quiet machine): {quiet:.1f} min")
    print(f"on disk: {size / people / 1024:.0f} KB per person")
    print(f"peak memory: {own:.0f} MB, largest worker {child:.0f} MB, goal 1,500 MB together")
    print(f"one person: {alone * 1000:.0f} ms; tables read anew: {twin * 1000:.0f} ms")
    print(f"ratio to the straightforward twin: {twin / alone:.1f}")


if __name__ == "__main__":
    main()
