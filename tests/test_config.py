"""Settings: fingerprints, TOML, and faults that name the key."""

from pathlib import Path

import pytest

from eyeprint.config import Settings
from eyeprint.errors import DataError, UsageError


class Demo(Settings):
    tau: float = 0.1
    words: int = 150


def test_x10_equal_settings_have_equal_fingerprints_whatever_their_source(tmp_path: Path):
    file = tmp_path / "s.toml"
    file.write_text("\ufeffwords = 150\ntau = 0.1\n", encoding="utf-8")
    assert Demo.from_toml(file).fingerprint() == Demo().fingerprint()
    assert Demo(tau=0.2).fingerprint() != Demo().fingerprint()


def test_every_fault_is_named_with_its_key_and_the_nearest_known_one():
    with pytest.raises(UsageError) as told:
        Demo.checked({"taus": 1, "words": "many"})
    assert "did you mean 'tau'?" in str(told.value)
    assert "words:" in str(told.value)


@pytest.mark.parametrize("content", [b"tau = ", b"\xff"])
def test_a_file_that_is_not_toml_is_named(tmp_path: Path, content: bytes):
    file = tmp_path / "s.toml"
    file.write_bytes(content)
    with pytest.raises(DataError, match=r"s\.toml: not a TOML"):
        Demo.from_toml(file)
    with pytest.raises(DataError, match="cannot be read"):
        Demo.from_toml(tmp_path / "none.toml")


@pytest.mark.parametrize("number", ["nan", "inf", "-inf"])
def test_a_setting_is_never_infinite_or_no_number(tmp_path: Path, number: str):
    file = tmp_path / "s.toml"
    file.write_text(f"tau = {number}")
    with pytest.raises(UsageError, match="tau: Input should be a finite number"):
        Demo.from_toml(file)
