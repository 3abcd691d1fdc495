"""The floors of the house: arrows point down, and rooms on one floor do not meet."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2] / "eyeprint"
FLOORS = [
    {"cli"},
    {"protocols"},
    {"people", "methods", "scores", "learn", "study", "report"},
    {"store"},
    {"models"},
    {"records", "config", "randomness", "errors"},
    {"maths"},
]
LEVEL = {room: level for level, floor in enumerate(FLOORS) for room in floor}
# config, randomness, errors and records stand on one floor and use each other in this order.
GROUND = ["records", "config", "randomness", "errors"]
FILES = sorted(ROOT.rglob("*.py"))


def room_of(path: Path) -> str:
    relative = path.relative_to(ROOT)
    return relative.parts[0] if len(relative.parts) > 1 else relative.stem


def imports(path: Path) -> set[str]:
    """Rooms that a file imports, inside functions and under TYPE_CHECKING too."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            names = [node.module or ""]
            if node.module == "eyeprint":
                names = [f"eyeprint.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        found |= {name.split(".")[1] for name in names if name.startswith("eyeprint.")}
    return found


def allowed(room: str, other: str) -> bool:
    if room == other or other == "__version__":
        return True
    if room in GROUND and other in GROUND:
        return GROUND.index(other) > GROUND.index(room)
    return LEVEL[other] > LEVEL[room]


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_every_import_points_down(path: Path):
    room = room_of(path)
    if room == "__init__":
        return  # the public door names what is behind it, lazily
    assert room in LEVEL, f"{room} stands on no floor of docs/design.md"
    wrong = sorted(other for other in imports(path) if not allowed(room, other))
    assert not wrong, f"{path.relative_to(ROOT)} ({room}) must not import {wrong}"


def test_the_check_itself_finds_a_forbidden_import(tmp_path: Path):
    file = tmp_path / "x.py"
    file.write_text("def f():\n    from eyeprint.scores import vptt_score\n")
    assert imports(file) == {"scores"}
    assert not allowed("methods", "scores")
    assert not allowed("maths", "errors")
    assert allowed("protocols", "scores")


def test_modules_form_no_ring():
    """Module-level imports only: a cycle there would break the import of the package."""
    names = {}
    for path in FILES:
        parts = ("eyeprint", *path.relative_to(ROOT).with_suffix("").parts)
        names[".".join(parts).removesuffix(".__init__")] = path
    edges = {}
    for name, path in names.items():
        found = set()
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ImportFrom) and node.module in names:
                found.add(node.module)
            elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("eyeprint"):
                found |= {f"{node.module}.{a.name}" for a in node.names} & set(names)
        edges[name] = found - {name}
    done: set[str] = set()

    def visit(name: str, above: tuple[str, ...]) -> None:
        assert name not in above, " -> ".join((*above, name))
        if name not in done:
            for other in edges[name]:
                visit(other, (*above, name))
            done.add(name)

    for name in edges:
        visit(name, ())
