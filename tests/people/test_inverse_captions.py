"""Captions from files: every format, and everything that goes wrong with them (V22)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from eyeprint.errors import DataError
from eyeprint.people.captions_in import read_captions


def write(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def told(read) -> list[tuple[int | None, str]]:
    return [(fault.line, fault.field) for fault in read.faults]


def test_v22_a_csv_with_bom_crlf_quotes_and_all_columns(tmp_path):
    text = (
        "\ufeffID,Kind,Time,Caption\r\n"
        'a,selfie,"May, dawn","A red door,\r\nand a ""blue"" one."\r\n'
        "\r\n"
        "b,,,Second.\r\n"
    )
    read = read_captions(write(tmp_path / "c.csv", text))
    one, two = read.people[""]
    assert read.faults == ()
    assert (one.id, one.kind, one.time, one.line) == ("a", "selfie", "May, dawn", 2)
    assert one.text == 'A red door,\nand a "blue" one.'
    assert (two.id, two.kind, two.line) == ("b", None, 5)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_v22_the_delimiter_is_found(tmp_path, delimiter):
    text = f"id{delimiter}text\n1{delimiter}A door\n"
    name = "c.tsv" if delimiter == "\t" else "c.csv"
    assert read_captions(write(tmp_path / name, text)).people[""][0].text == "A door"


def test_v22_the_caption_column_is_found_or_named(tmp_path):
    file = write(tmp_path / "c.csv", "description,notes\nA door,B\n")
    assert read_captions(file).people[""][0].text == "A door"
    assert read_captions(file, column="Notes").people[""][0].text == "B"
    other = write(tmp_path / "d.csv", "words\nA door\n")
    with pytest.raises(DataError, match=r"d\.csv:1: has no column caption or text.*It has: words"):
        read_captions(other)
    with pytest.raises(DataError, match="has no column nothing"):
        read_captions(file, column="nothing")


def test_v22_a_column_person_splits_into_people(tmp_path):
    text = "person,caption\nana,One\nben,Two\nana,Three\n,Four\n"
    read = read_captions(write(tmp_path / "c.csv", text))
    assert {k: [c.text for c in v] for k, v in read.people.items()} == {
        "ana": ["One", "Three"],
        "ben": ["Two"],
    }
    assert told(read) == [(5, "person")]


def test_v22_empty_repeated_and_odd_rows_are_told_by_line(tmp_path):
    text = "id,kind,caption\na,selfie,One\nb,,\nc,holiday,Two\nd,,One\na,,Three\ne,,x,y\n"
    read = read_captions(write(tmp_path / "c.csv", text))
    assert [(c.id, c.text) for c in read.people[""]] == [
        ("a", "One"),
        ("c", "Two"),
        ("a-2", "Three"),
    ]
    assert told(read) == [(3, "caption"), (4, "kind"), (5, "caption"), (6, "id"), (7, "")]
    # Lines 4 and 6 are kept: without their kind, and under another id.
    assert read.left_out == 3
    assert "line 2" in read.faults[2].reason and "quotation marks" in read.faults[4].reason
    assert str(read.faults[0]).startswith(f"{tmp_path}/c.csv:3, field 'caption': is empty")
    again = read_captions(tmp_path / "c.csv", duplicates="keep")
    assert [c.text for c in again.people[""]] == ["One", "Two", "One", "Three"]


def test_v22_jsonl_holds_texts_or_objects_and_bad_lines_are_told(tmp_path):
    lines = [
        '"Only a text"',
        json.dumps({"text": "An object", "id": 7}),
        "",
        "[1]",
        '{"caption": {"a": 1}}',
        '{"other": "x"}',
        '{"caption": "cut',
    ]
    read = read_captions(write(tmp_path / "c.jsonl", "\ufeff" + "\r\n".join(lines)))
    assert [(c.id, c.text) for c in read.people[""]] == [("p01", "Only a text"), ("7", "An object")]
    assert [line for line, _ in told(read)] == [4, 5, 6, 7]
    assert read.left_out == 4
    assert "may be cut" in read.faults[-1].reason


def test_v22_a_folder_of_texts_in_natural_order(tmp_path):
    for name, text in {"10.txt": "Ten", "2.txt": "Two", "x.md": "No", "3.txt": ""}.items():
        write(tmp_path / name, text)
    write(tmp_path / "4.txt", b"\xff\xfe")
    read = read_captions(tmp_path)
    assert [(c.id, c.text) for c in read.people[""]] == [("2", "Two"), ("10", "Ten")]
    assert [Path(f.file).name for f in read.faults] == ["3.txt", "4.txt"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("c.csv", b"caption\nOne\n\xe9\n", r"c\.csv:3: not UTF-8 text \(byte 0xe9\)"),
        ("c.csv", b"", "is empty"),
        ("c.docx", b"x", "captions come as"),
        ("missing.csv", None, "no such file"),
    ],
)
def test_v22_a_source_that_cannot_be_read_is_named(tmp_path, name, content, message):
    if content is not None:
        write(tmp_path / name, content)
    with pytest.raises(DataError, match=message):
        read_captions(tmp_path / name)


def test_v22_a_folder_without_texts_is_named(tmp_path):
    with pytest.raises(DataError, match=r"holds no \.txt file"):
        read_captions(tmp_path)


def test_v22_a_quotation_mark_that_never_closes_does_not_merge_captions(tmp_path):
    text = 'caption\nA red door.\n"A blue door.\nA green door.\n'
    read = read_captions(write(tmp_path / "c.csv", text))
    assert [caption.text for caption in read.people[""]] == ["A red door."]
    assert "never closes" in str(read.faults[0])
    assert read.faults[0].line == 3


def test_v22_stray_quotation_marks_and_quoted_line_ends_are_kept(tmp_path):
    text = 'caption\nA 5" nail.\n"A ""red""\ndoor."\n'
    read = read_captions(write(tmp_path / "c.csv", text))
    assert [caption.text for caption in read.people[""]] == ['A 5" nail.', 'A "red"\ndoor.']
    assert read.faults == ()


def test_v22_half_characters_become_a_mark_that_can_be_written(tmp_path):
    rows = '{"id":"\\ud83d","person":"\\ud83d","caption":"half \\ud83d a door"}\n{"caption":NaN}\n'
    read = read_captions(write(tmp_path / "c.jsonl", rows))
    caption = read.people["\ufffd"][0]
    assert (caption.text, caption.id) == ("half \ufffd a door", "\ufffd")
    assert told(read) == [(2, "caption")]
