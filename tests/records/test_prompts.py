"""Files of prompts: what is read, and how what is not is named."""

from pathlib import Path

import pytest

from eyeprint.errors import DataError
from eyeprint.records.prompts import read_prompts


def test_jsonl_with_bom_crlf_a_cut_line_and_fields_of_its_own(tmp_path: Path):
    file = tmp_path / "p.jsonl"
    file.write_bytes(
        b'\xef\xbb\xbf{"person":"a","prompt":"x","method":"m","likes":3}\r\n\r\n{"person":"b"}\r\n[1]\r\n{"per'
    )
    found = read_prompts(file)
    assert [(row.person, row.prompt, row.method) for row in found.rows] == [("a", "x", "m")]
    assert found.extra == ({"likes": 3},)
    assert [(f.line, f.field) for f in found.faults] == [(3, "prompt"), (4, ""), (5, "")]


def test_csv_with_quoted_line_ends_other_names_and_a_row_too_wide(tmp_path: Path):
    file = tmp_path / "p.csv"
    file.write_text(
        '\ufeffperson_id,text,mark\na,"two\nlines",1\nb,x,1,2\nc,y,\n', encoding="utf-8"
    )
    found = read_prompts(file)
    assert [(row.person, row.prompt) for row in found.rows] == [("a", "two\nlines"), ("c", "y")]
    assert found.extra[0] == {"mark": "1"}
    assert "more cells" in str(found.faults[0])
    assert found.faults[0].line == 4


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("p.txt", b"x", "jsonl or .csv"),
        ("p.jsonl", b"", "not one prompt"),
        ("p.csv", b"who,what\na,b\n", "need person and prompt"),
        ("p.jsonl", b'{"person":"\xff"}', "not UTF-8"),
        ("p.csv", b"person,prompt,prompt\na,b,c\n", "two columns 'prompt'"),
        ("p.csv", b'person,prompt\na,"b\nc,d\n', "p.csv:2: not CSV"),
    ],
)
def test_files_without_one_good_row_are_errors(tmp_path: Path, name, content, told):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=told):
        read_prompts(tmp_path / name)
    with pytest.raises(DataError, match="cannot be read"):
        read_prompts(tmp_path / "nowhere.csv")


def test_a_row_nested_too_deeply_is_a_fault_and_nan_is_written_back_as_null(tmp_path: Path):
    file = tmp_path / "p.jsonl"
    deep = "[" * 100_000 + "]" * 100_000
    file.write_text(
        f'{{"person":"a","prompt":"x","y":{deep}}}\n{{"person":"a","prompt":"x","y":NaN}}\n'
    )
    found = read_prompts(file)
    assert found.extra == ({"y": None},)
    assert "nested too deeply" in str(found.faults[0])


def test_a_cell_of_many_words_does_not_cost_the_file(tmp_path: Path):
    file = tmp_path / "p.csv"
    file.write_text("person,prompt\na," + "word " * 40_000 + "\nb,x\n")
    assert [len(row.prompt) for row in read_prompts(file).rows] == [200_000, 1]
