"""Profiles in files (P20)."""

from __future__ import annotations

import pytest

from eyeprint.errors import BadRecord, DataError
from eyeprint.records.profile_files import iter_profiles, read_profiles, write_profiles
from eyeprint.records.profiles import Profile

TWO = [
    Profile(id="a", kind="person", answers={"Q12": 6, "Q16": ("Power",)}, uploads=("up/a.png",)),
    Profile(id="b", answers={"Q1": "Science"}, text="A text, 文字."),
]


def test_p20_profiles_come_back_as_they_were(tmp_path):
    path = write_profiles(tmp_path / "profiles.jsonl", iter(TWO))
    assert read_profiles(path) == (tuple(TWO), ())
    assert read_profiles(tmp_path) == (tuple(TWO), ())


def test_p20_every_bad_line_is_told_and_the_good_ones_are_kept(tmp_path):
    path = tmp_path / "p.jsonl"
    path.write_bytes(
        b'\xef\xbb\xbf{"id": "a", "note": "kept"}\n\n{"id": "b", "answers": {"Q1": 1.5}}\n'
        b'{"id": "a"}\n{"id": \n[1]\n{"answers": {}}\n{"id": "c"}\n'
    )
    profiles, faults = read_profiles(path)
    assert [p.id for p in profiles] == ["a", "c"]
    assert profiles[0].note == "kept"
    assert [fault.line for fault in faults] == [3, 4, 5, 6, 7]
    assert "answers.Q1" in faults[0].field
    assert "'a' was already used at line 1" in faults[1].reason
    assert "not JSON" in faults[2].reason
    assert faults[4].field == "id"
    assert sum(isinstance(found, BadRecord) for found in iter_profiles(path)) == 5


def test_p20_nothing_to_read_is_an_error(tmp_path):
    with pytest.raises(DataError, match="no such file of profiles"):
        read_profiles(tmp_path)
    (tmp_path / "profiles.jsonl").write_text("{}\n")
    with pytest.raises(DataError, match="not one profile could be read"):
        read_profiles(tmp_path)
    with pytest.raises(BadRecord, match="cannot be written as UTF-8"):
        write_profiles(tmp_path / "x.jsonl", [Profile(id="a", text="half " + chr(0xD83D))])
    assert not (tmp_path / "x.jsonl").exists()
