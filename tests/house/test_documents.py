"""The README's and docs' code blocks run as they stand.

Python blocks of one file run in order in one namespace; lines of ``console`` blocks that
start with ``$ eyeprint`` run through the command line, in one empty folder per file. A block after
the comment ``<!-- not run: reason -->`` is left out: it needs a key or a server. A command
ends with exit code 0, or with what a comment behind it says: ``# exit code 1``.
"""

import re
import shlex
from pathlib import Path

import pytest

from eyeprint.cli.main import run_command

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(
    r"(?P<skip><!-- not run: [^>]+ -->\s*)?^```(?P<kind>python|console)[^\n]*\n(?P<code>.*?)^```",
    re.MULTILINE | re.DOTALL,
)


def blocks(page: Path) -> list[tuple[str, str]]:
    found = BLOCK.finditer(page.read_text(encoding="utf-8"))
    return [(m["kind"], m["code"]) for m in found if not m["skip"]]


WITH_BLOCKS = [page for page in PAGES if blocks(page)]


@pytest.mark.minilm
@pytest.mark.timeout(300)
@pytest.mark.parametrize("page", WITH_BLOCKS, ids=lambda p: str(p.relative_to(ROOT)))
def test_code_blocks_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    space: dict[str, object] = {"__name__": "__main__"}
    for kind, code in blocks(page):
        if kind == "python":
            exec(compile(code, str(page), "exec"), space)
            continue
        for line in code.replace("\\\n", " ").splitlines():
            if line.startswith("$ eyeprint"):
                words = shlex.split(line.removeprefix("$ eyeprint"), comments=True)
                code = re.search(r"# exit code (\d+)", line)
                assert run_command(words) == (int(code[1]) if code else 0), line


def test_there_are_blocks_to_run():
    assert ROOT / "README.md" in WITH_BLOCKS
    assert len(WITH_BLOCKS) >= 3


def test_every_page_is_in_the_menu_and_every_link_leads_somewhere():
    menu = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        if page.name != "README.md":
            assert str(page.relative_to(ROOT / "docs")) in menu
        for target in re.findall(r"\]\((?!https?://|#|mailto:)([^)#]+)", text):
            assert (page.parent / target).exists(), f"{page}: {target}"
