"""JSON of others: strict, and every fault is a ValueError."""

import pytest

from eyeprint.records.json_text import json_line, parse_json

DEEP = "[" * 100_000 + "]" * 100_000


@pytest.mark.parametrize("text", [DEEP, "NaN", '{"a": -Infinity}', "9" * 5000, '{"a', "", b"\xff"])
def test_what_is_no_json_is_a_value_error(text: str | bytes):
    with pytest.raises(ValueError):
        parse_json(text)


def test_numbers_that_are_none_can_be_read_as_null():
    assert parse_json('{"a": NaN, "b": [1.5]}', non_finite_is_null=True) == {"a": None, "b": [1.5]}


@pytest.mark.parametrize("value", [{"a": "é 😀"}, "half \ud83d", {"\udfff": [None, 1.5]}])
def test_a_line_is_utf8_and_reads_back_as_it_was(value: object):
    line = json_line(value)
    assert line.decode().endswith("\n")
    assert line.count(b"\n") == 1
    assert parse_json(line) == value


def test_a_line_holds_no_nan():
    with pytest.raises(ValueError):
        json_line([float("nan")])
