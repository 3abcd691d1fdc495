"""The reference: every module on one page and one only, the command line as it is today."""

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs" / "reference").glob("*.md"))


def modules() -> set[str]:
    """Return the modules that a reader may import; the command line has a page of its own."""
    names = set()
    for path in (ROOT / "eyeprint").rglob("*.py"):
        parts = path.relative_to(ROOT).with_suffix("").parts
        if path.name != "__init__.py" and parts[1] != "cli":
            names.add(".".join(parts))
    return names


def test_every_module_is_on_one_page_of_the_reference():
    told = Counter(
        name
        for page in PAGES
        for name in re.findall(r"^::: (\S+)", page.read_text(encoding="utf-8"), re.MULTILINE)
    )
    assert {name: n for name, n in told.items() if n > 1} == {}
    assert set(told) == modules()


def test_the_command_line_is_told_as_it_is():
    tool = [sys.executable, str(ROOT / "tools" / "write_cli_reference.py"), "--check"]
    done = subprocess.run(tool, capture_output=True, text=True)
    assert done.returncode == 0, "run tools/write_cli_reference.py\n" + done.stderr
