"""Every requirement of the three papers has a test that names it, or a row that says why not.

Test names carry ids as ``v31``, ``p26``, ``m8`` or ``x17``; rows of docs/fidelity.md name them in
their first cell. Ranges do not count: each id stands for itself, so that a search finds it.
"""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
REQUIRED = [
    *(f"V{n}" for n in (*range(1, 49), *range(58, 68), 73, *range(78, 82), 85)),
    *(f"P{n}" for n in range(1, 84)),
    *(f"M{n}" for n in range(1, 54)),
    *(f"X{n}" for n in range(1, 20)),
]
ID = re.compile(r"(?<![A-Za-z0-9])[MPVX]\d+(?![A-Za-z0-9–-])")


def ids_in_test_names(source: str) -> set[str]:
    """Return the ids in the names of a file's test functions."""
    names = [
        node.name
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.name.startswith("test_")
    ]
    return {
        part.upper() for name in names for part in name.split("_") if ID.fullmatch(part.upper())
    }


def ids_in_rows(page: str) -> set[str]:
    """Return the ids in the first cells of a page's tables."""
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("|")]
    return {found for cell in rows for found in ID.findall(cell)}


TESTED = set().union(
    *(ids_in_test_names(p.read_text(encoding="utf-8")) for p in (ROOT / "tests").rglob("*.py"))
)
TOLD = ids_in_rows((ROOT / "docs" / "fidelity.md").read_text(encoding="utf-8"))


@pytest.mark.parametrize("requirement", REQUIRED)
def test_every_requirement_is_tested_or_its_absence_told(requirement: str):
    assert requirement in TESTED | TOLD


def test_the_check_itself_finds_what_is_missing():
    names = "def test_v31_p7_x2_it_works(): ...\ndef test_v3to_v5x_p7b(): ..."
    assert ids_in_test_names(names) == {"V31", "P7", "X2"}
    page = "| id | why |\n| V6 (judges), P66, V68–V70 | V1 |\nV2 in prose"
    assert ids_in_rows(page) == {"V6", "P66", "V70"}
