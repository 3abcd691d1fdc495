"""JSON lines as files have them: marks, line ends, cut lines, odd bytes."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyeprint.errors import BadRecord, DataError
from eyeprint.records.json_lines import read_json_lines
from eyeprint.records.json_text import json_line


def write(tmp_path: Path, raw: bytes) -> Path:
    path = tmp_path / "x.jsonl"
    path.write_bytes(raw)
    return path


def test_bom_crlf_blank_lines_and_a_cut_last_line(tmp_path: Path):
    path = write(tmp_path, b'\xef\xbb\xbf{"a": 1}\r\n\r\n[2]\n{"a": ')
    first, second, (line, fault) = read_json_lines(path)
    assert (first, second) == ((1, {"a": 1}), (3, [2]))
    assert isinstance(fault, BadRecord)
    assert (line, fault.line, fault.file) == (4, 4, str(path))
    assert "may be cut" in fault.reason


def test_a_bad_line_costs_no_other(tmp_path: Path):
    path = write(tmp_path, b'"a"\n"\xe9"\n' + b"[" * 100_000 + b'\nNaN\n"b"\n')
    found = dict(read_json_lines(path))
    assert (found[1], found[5]) == ("a", "b")
    reasons = [found[line].reason for line in (2, 3, 4)]
    assert "not UTF-8 text (byte 0xe9)" in reasons[0]
    assert "nested too deeply" in reasons[1]
    assert "NaN is no JSON number" in reasons[2]
    assert dict(read_json_lines(path, non_finite_is_null=True))[4] is None


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path):
    with pytest.raises(DataError, match="cannot be read"):
        list(read_json_lines(tmp_path / "no.jsonl"))


@given(st.lists(st.dictionaries(st.text(), st.text() | st.integers(), max_size=3)))
def test_what_is_written_reads_back(tmp_path_factory: pytest.TempPathFactory, values):
    """Texts may hold every line end there is, and half surrogates."""
    path = tmp_path_factory.mktemp("lines") / "x.jsonl"
    path.write_bytes(b"".join(map(json_line, values)))
    assert list(read_json_lines(path)) == list(enumerate(values, start=1))
