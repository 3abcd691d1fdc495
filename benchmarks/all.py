"""Run every benchmark, one after the other, and say on what machine.

``make bench``. Each script prints its figures beside those of a straightforward twin in the
same run; ratios travel between machines, absolute numbers do not. Nothing else should run
meanwhile. Names on the command line choose some: ``python benchmarks/all.py vprag audit``.
"""

import os
import platform
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent


def processor() -> str:
    """Return the processor's name, where the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(": ")[1] for line in lines if line.startswith("model name")), "?")


def main() -> int:
    load = os.getloadavg()[0]
    print(f"{processor()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    print(f"load before: {load:.2f}" + (" (figures will suffer)" if load > 0.7 else ""))
    wanted = set(sys.argv[1:])
    failed = []
    for script in sorted(HERE.glob("*.py")):
        if script.stem == "all" or (wanted and script.stem not in wanted):
            continue
        print(f"\n== {script.stem}", flush=True)
        start = time.monotonic()
        environment = {**os.environ, "PYTHONPATH": str(HERE.parent)}
        if subprocess.run([sys.executable, str(script)], env=environment).returncode:
            failed.append(script.stem)
        print(f"({time.monotonic() - start:.0f} s)", flush=True)
    if failed:
        print(f"\nfailed: {', '.join(failed)}")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
