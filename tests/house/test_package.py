"""The public door: names, versions, and what a start costs."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import eyeprint

ROOT = Path(__file__).parents[2]


def test_public_names_are_all_there_and_no_more():
    assert len(set(eyeprint.__all__)) == len(eyeprint.__all__)
    assert set(eyeprint.__all__) == set(eyeprint._PLACES)
    assert 10 <= len(eyeprint.__all__) <= 24
    for name in eyeprint.__all__:
        assert getattr(eyeprint, name) is not None
    assert set(dir(eyeprint)) >= set(eyeprint.__all__)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'vptt_scores'"):
        eyeprint.vptt_scores  # noqa: B018


def test_changelog_citation_and_version_agree():
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.search(r"^## \[?(\d+\.\d+\.\d+)", changelog, re.MULTILINE)
    assert newest is not None
    assert newest[1] == eyeprint.__version__
    assert f'version = "{eyeprint.__version__}"' in (ROOT / "pyproject.toml").read_text()
    assert f"version: {eyeprint.__version__}" in (ROOT / "CITATION.cff").read_text()


HEAVY = ("onnxruntime", "openai", "polars", "altair", "sqlalchemy", "scipy", "sklearn", "torch")


@pytest.mark.parametrize("start", ["import eyeprint", "import eyeprint.cli.main"])
def test_nothing_heavy_is_imported_at_start(start: str):
    code = f"{start}; import sys; print([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr
