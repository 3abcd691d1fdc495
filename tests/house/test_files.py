"""Rules for files: length, names, and what must not stand in them."""

import re
import subprocess
from pathlib import Path

import pytest

from eyeprint.config import Settings

ROOT = Path(__file__).parents[2]
SOURCES = sorted(p for d in ("eyeprint", "benchmarks", "tools") for p in (ROOT / d).rglob("*.py"))
VAGUE = re.compile(r"^(utils?|helpers?|common|misc|base|core)$")


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_no_file_is_longer_than_400_lines(path: Path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 400


def test_names_say_what_they_hold():
    vague = [p for p in SOURCES if any(VAGUE.match(part.split(".")[0]) for part in p.parts[-3:])]
    assert not vague


def tracked() -> list[Path]:
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True)
    if done.returncode:
        pytest.skip("not a git checkout")
    return [ROOT / name for name in done.stdout.decode().split("\0") if name]


def test_no_package_registry_or_machine_path_is_named():
    hosts = re.compile(
        "|".join(("py" + r"pi\.org", "python" + "hosted", "npm" + r"js\.", "deb" + r"\.debian"))
    )
    named = []
    for path in tracked():
        if (
            path.suffix in (".npz", ".npy", ".png", ".parquet", ".safetensors")
            or not path.is_file()
        ):
            continue
        if hosts.search(path.read_text(encoding="utf-8", errors="replace")):
            named.append(path)
    assert not named


def test_everything_that_the_package_needs_is_tracked():
    """An ignore rule once swallowed a data folder in another project: never here."""
    files = set(tracked())
    done = subprocess.run(
        ["git", "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "eyeprint"],
        cwd=ROOT,
        capture_output=True,
    )
    ignored = [n for n in done.stdout.decode().split("\0") if n and "__pycache__" not in n]
    assert not ignored
    assert ROOT / "eyeprint" / "py.typed" in files


def test_no_swallowed_errors_and_no_promises():
    """Bare excepts and notes to self are defects, not style."""
    bad = re.compile(
        r"except:\s*$|except Exception:\s*\n\s*pass|\b(TODO|FIXME|XXX)\b", re.MULTILINE
    )
    assert not [p for p in SOURCES if bad.search(p.read_text(encoding="utf-8"))]


def test_x18_settings_tell_the_many_meanings_of_k_and_tau_apart():
    """K means queries, posts and clusters in the paper, tau two temperatures."""
    import inspect
    from importlib import import_module

    vague = {"k", "n", "q", "tau", "temp", "t"}
    found = []
    for path in SOURCES:
        if path.parts[-3:-2] != ("eyeprint",) or path.stem in ("__init__", "main"):
            continue
        module = import_module(f"eyeprint.{path.parts[-2]}.{path.stem}")
        for name, kind in inspect.getmembers(module, inspect.isclass):
            if issubclass(kind, Settings) and kind.__module__ == module.__name__:
                found += [f"{name}.{field}" for field in kind.model_fields if field in vague]
    assert found == ["BuildSettings.n"]  # the number of people, as on the command line
