"""Files of candidates: written whole, read with every fault told."""

import json

import pytest
from pydantic import ValidationError

from eyeprint.errors import DataError
from eyeprint.records.candidates import (
    CandidatePrompt,
    CandidateSet,
    read_candidates,
)


def one(name: str) -> CandidateSet:
    prompt = CandidatePrompt(text="A hill.", category="landscape", themes=("nature",))
    return CandidateSet(profile_id=name, prompts=(prompt,))


def test_p39_what_is_written_is_read_from_the_file_or_its_folder(tmp_path):
    file = tmp_path / "candidates.jsonl"
    file.write_text("".join(f"{one(name).model_dump_json()}\n" for name in "ab"))
    assert read_candidates(file).sets == read_candidates(tmp_path).sets == (one("a"), one("b"))


def test_p39_bad_lines_are_told_and_the_good_ones_kept(tmp_path):
    file = tmp_path / "candidates.jsonl"
    odd = {"profile_id": "c", "prompts": [{"text": "x", "category": "opera"}]}
    lines = [one("a").model_dump_json(), "{", json.dumps(odd), one("a").model_dump_json()]
    file.write_text("\n".join(lines))
    found = read_candidates(file)
    assert [s.profile_id for s in found.sets] == ["a"]
    assert [fault.line for fault in found.faults] == [2, 3, 4]
    assert found.faults[1].field == "prompts.0.category"
    assert "already used at line 1" in found.faults[2].reason


def test_p39_nothing_there_tells_how_to_make_it(tmp_path):
    with pytest.raises(DataError, match="eyeprint people build candidates"):
        read_candidates(tmp_path)
    (tmp_path / "candidates.jsonl").write_text("\n")
    with pytest.raises(DataError, match="not one set"):
        read_candidates(tmp_path)


def test_p39_a_set_is_closed_against_misspelt_fields():
    with pytest.raises(ValidationError):
        CandidateSet.model_validate({"profile_id": "a", "prompts": [], "narative": "x"})
