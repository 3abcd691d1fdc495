"""Seed texts and who gets which (V11)."""

import json
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyeprint.errors import BadRecord, DataError
from eyeprint.people.backstories import assign_seeds, load_seeds, read_seeds, repeated_rounds


def assign_slowly(n, count):
    """Linear probing, one step at a time."""
    assigned, used = [], set()
    for index in range(n):
        if index % count == 0:
            used = set()
        place = int(sha256(str(index).encode()).hexdigest(), 16) % count
        while place in used:
            place = (place + 1) % count
        used.add(place)
        assigned.append(place)
    return assigned


@given(st.integers(0, 120), st.integers(1, 60))
def test_v11_collisions_move_to_the_next_unused_seed(n, count):
    assert assign_seeds(n, count) == assign_slowly(n, count)


def test_v11_no_seed_twice_before_all_had_their_turn():
    assigned = assign_seeds(10_000, 200_000)
    assert len(set(assigned)) == 10_000
    # A plain hash collides: about 9,754 distinct seeds are expected (birthday collisions).
    plain = {int(sha256(str(i).encode()).hexdigest(), 16) % 200_000 for i in range(10_000)}
    assert 9_700 < len(plain) < 9_800


def test_v11_more_people_than_seeds_is_told_as_rounds():
    assert repeated_rounds(4, ["a"] * 4) == 0
    assert repeated_rounds(5, ["a"] * 4) == 1


def test_no_seeds_is_an_error():
    with pytest.raises(DataError, match="no seed"):
        assign_seeds(1, 0)


def test_seeds_are_read_from_jsonl_of_every_field(tmp_path):
    path = tmp_path / "seeds.jsonl"
    rows = [{"persona": "a  potter"}, {"input persona": "a baker"}, {"text": "a judge"}]
    path.write_text("\ufeff" + "\r\n".join(json.dumps(row) for row in rows) + "\n")
    assert read_seeds(path) == ("a potter", "a baker", "a judge")


def test_seeds_are_read_from_plain_text_once_each(tmp_path):
    path = tmp_path / "seeds.txt"
    path.write_text("a potter\n\na baker\na potter\n")
    assert load_seeds(str(path), "main") == ("a potter", "a baker")


@pytest.mark.parametrize("line", ['{"persona": ""}', '{"other": "x"}', '{"persona": ', "[1]"])
def test_a_bad_seed_is_named_by_file_and_line(tmp_path, line):
    path = tmp_path / "seeds.jsonl"
    path.write_text('{"persona": "a potter"}\n' + line + "\n")
    with pytest.raises(BadRecord, match=r"seeds\.jsonl:2"):
        read_seeds(path)


def test_missing_and_empty_files_are_told(tmp_path):
    with pytest.raises(DataError, match="cannot be read"):
        read_seeds(tmp_path / "none.txt")
    (tmp_path / "empty.txt").write_text("\n")
    with pytest.raises(DataError, match="no seed text"):
        read_seeds(tmp_path / "empty.txt")


def test_v11_line_ends_within_json_texts_split_no_record(tmp_path):
    file = tmp_path / "seeds.jsonl"
    file.write_text('{"persona": "A baker\u2028of rye."}\r\n{"persona": "A diver."}\r\n', "utf-8")
    assert read_seeds(file) == ("A baker of rye.", "A diver.")
