"""CSV for spreadsheets, read back."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyeprint.report.spreadsheets import csv_text, harmless

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n\0"), min_size=1)


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_what_begins_a_formula_is_marked_as_text(start: str):
    assert harmless(f"{start}1") == f"'{start}1"
    assert harmless(f"1{start}") == f"1{start}"


@given(st.lists(st.dictionaries(texts, st.one_of(texts, st.integers()), min_size=1), min_size=1))
def test_every_cell_can_be_read_back(rows):
    header, *lines = csv.reader(io.StringIO(csv_text(rows), newline=""))
    names = list(dict.fromkeys(name for row in rows for name in row))
    assert header == [harmless(name) for name in names]
    assert lines == [[str(harmless(row.get(name, ""))) for name in names] for row in rows]


def test_without_rows_there_is_a_header():
    assert csv_text([], ["method"]) == "method\n"
