"""Write docs/reference/cli.md from the commands themselves; ``--check`` fails on drift."""

import os
import re
import subprocess
import sys
from pathlib import Path

TARGET = Path(__file__).parents[1] / "docs" / "reference" / "cli.md"
COMMANDS = [
    "rewrite",
    "score vptt",
    "run vptt",
    "run pipbench",
    "run mmpb",
    "reread",
    "compare",
    "judge pairs",
    "rate",
    "report",
    "canvas",
    "serve",
    "people build personas",
    "people build agents",
    "people build candidates",
    "people build cases",
    "people build concepts",
    "people build toybox",
    "people import",
    "people survey",
    "people answers",
    "people evidence",
    "people leaks",
    "people audit",
    "people audit-pictures",
    "ledger show",
    "ledger take-in",
]
HEAD = """# Command line

Made from `--help` by `tools/write_cli_reference.py`; a test compares them. Exit codes: 0 done,
1 finished with failures or stopped by an error, 2 bad usage, 130 interrupted.
`EYEPRINT_TRACEBACK=1` shows where an error came from.
"""


def help_of(command: str) -> str:
    """Return a command's help as plain text, 90 columns wide."""
    environment = {
        **os.environ,
        "COLUMNS": "90",
        "TERM": "dumb",
        "NO_COLOR": "1",
        "TYPER_USE_RICH": "0",
    }
    done = subprocess.run(
        [sys.executable, "-m", "eyeprint.cli.main", *command.split(), "--help"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return re.sub(r"[ \t]+$", "", done.stdout, flags=re.MULTILINE).strip("\n")


def page() -> str:
    """Return the whole page."""
    parts = (f"\n## eyeprint {name}\n\n```text\n{help_of(name)}\n```\n" for name in COMMANDS)
    return HEAD + "".join(parts)


def main() -> int:
    text = page()
    if "--check" in sys.argv:
        return int(TARGET.read_text(encoding="utf-8") != text)
    TARGET.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
