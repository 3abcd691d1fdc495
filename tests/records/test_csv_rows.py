"""Every CSV file that somebody else made is read alike (X10)."""

from pathlib import Path

import pytest

from eyeprint.people.choices import read_choices
from eyeprint.people.set_quality import read_ratings
from eyeprint.records.csv_rows import read_csv_rows
from eyeprint.records.prompts import read_prompts

READERS = {
    "choices": (("person", "picture"), lambda file: list(read_choices(file).by_person)),
    "ratings": (
        ("set_id", "annotator", "score"),
        lambda file: [rating.set_id for rating in read_ratings(file).ratings],
    ),
    "prompts": (("person", "prompt"), lambda file: [row.person for row in read_prompts(file).rows]),
}


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
@pytest.mark.parametrize("kind", READERS)
def test_x10_separators_marks_quotes_and_blank_rows(tmp_path: Path, kind: str, mark: str):
    columns, read = READERS[kind]
    rows = [["ana", *"3" * (len(columns) - 1)], [f'"b{mark} ""n"""', *"4" * (len(columns) - 1)]]
    lines = [mark.join(row) for row in (columns, rows[0], mark * (len(columns) - 1), rows[1])]
    file = tmp_path / "made.csv"
    file.write_text("\ufeff" + "\r\n".join(lines) + "\r\n\r\n", encoding="utf-8", newline="")
    assert read(file) == ["ana", f'b{mark} "n"']


def test_x10_rows_end_at_line_ends_only(tmp_path: Path):
    file = tmp_path / "made.csv"
    file.write_text("a,b\none\u2028two\x85three,1\n", encoding="utf-8")
    assert list(read_csv_rows(file)) == [(2, {"a": "one\u2028two\x85three", "b": "1"})]


def test_x10_prompts_keep_their_spaces(tmp_path: Path):
    file = tmp_path / "p.csv"
    file.write_text("person, prompt\na, x \n", encoding="utf-8")
    assert read_prompts(file).rows[0].prompt == " x "
    assert list(read_csv_rows(file)) == [(2, {"person": "a", "prompt": "x"})]
