"""JSON in replies: mended where it can be, never where it is quoted (CHECKLIST X9)."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, RootModel

from eyeprint.models.json_replies import read_json
from eyeprint.models.json_scanner import REPAIRS

TEXTS = st.text(st.characters(exclude_categories=("Cs",)))
NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)  # fmt: skip
CONTAINERS = VALUES.filter(lambda value: isinstance(value, (list, dict)) and len(value) > 0)


def damaged(value: Any, draw: Any) -> str:
    """Dump a value as a careless model does: with trailing commas and Python's literals."""
    if isinstance(value, dict):
        inner = ", ".join(f"{json.dumps(k)}: {damaged(v, draw)}" for k, v in value.items())
        return "{" + inner + draw(",", "") * bool(value) + draw("\n", " ", "") + "}"
    if isinstance(value, list):
        inner = ",".join(damaged(item, draw) for item in value)
        return "[" + inner + draw(", ", "") * bool(value) + "]"
    if value is None or isinstance(value, bool):
        return draw(str(value), json.dumps(value))
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=draw("a", "b") == "a")
    return json.dumps(value)


@given(VALUES)
def test_strict_json_is_read_as_it_is(value: Any) -> None:
    reading = read_json(json.dumps(value))
    assert reading.value == value
    assert reading.repairs == ()
    assert reading.fault is None


@given(CONTAINERS, st.data())
def test_x9_careless_json_is_read_back_equal(value: Any, data: st.DataObject) -> None:
    text = damaged(value, lambda *choices: data.draw(st.sampled_from(choices)))
    before, after = data.draw(
        st.sampled_from([("", ""), ("```json\n", "\n```"), ("```\n", "```"), ("Sure:\n", "\nBye.")])
    )
    reading = read_json(before + text + after)
    assert reading.fault is None
    assert reading.value == value


@given(TEXTS, TEXTS)
def test_x9_quoted_text_is_never_touched(key: str, text: str) -> None:
    careless = "{" + json.dumps(key) + ":" + json.dumps(text, ensure_ascii=False) + ",}"
    reading = read_json(careless)
    assert reading.value == {key: text}
    assert "trailing comma" in reading.repairs


@pytest.mark.parametrize(
    "why", ["x,} y", "x,] y", "```json\n{}\n```", "<think>no</think>", "None, True", "// a", "}{"]
)
def test_x9_what_looks_like_a_fault_survives_inside_quotes(why: str) -> None:
    for template in ("{%s}", "Here it is:\n```json\n{%s,}\n```\nDone."):
        text = template % f'"why":{json.dumps(why)}'
        assert read_json(text).value == {"why": why}


@pytest.mark.parametrize(
    ("text", "value", "repairs"),
    [
        ('{"why":"x,} y"}', {"why": "x,} y"}, ()),
        ('```json\n{"a": 1}\n```', {"a": 1}, ("fence",)),
        ('Sure! {"a": 1} Anything else?', {"a": 1}, ("text around",)),
        ('{"a": [1, 2,],}', {"a": [1, 2]}, ("trailing comma",)),
        ('{"a": True, "b": None}', {"a": True, "b": None}, ("Python literal",)),
        ("{'a': 'it\\'s'}", {"a": "it's"}, ("bad escape", "single quotes")),
        ("{'a': 'it's fine'}", {"a": "it's fine"}, ("single quotes", "unescaped quote")),
        ("{“a”: “b”}", {"a": "b"}, ("smart quotes",)),
        ('{"a": "“b”"}', {"a": "“b”"}, ()),
        ('{"a": "x\ny"}', {"a": "x\ny"}, ("raw control character",)),
        ('{"a": "say "hi" now"}', {"a": 'say "hi" now'}, ("unescaped quote",)),
        ('{"a": "C:\\dir"}', {"a": "C:\\dir"}, ("bad escape",)),
        ("{a: 1}", {"a": 1}, ("bare key",)),
        ('{"a": NaN}', {"a": None}, ("not a number",)),
        ('{"a": .5, "b": +1, "c": 007}', {"a": 0.5, "b": 1, "c": 7}, ("loose number",)),
        ('{"a": 1, // one\n "b": 2 /* two */}', {"a": 1, "b": 2}, ("comment",)),
        ('<think>{"a": 1}?</think>{"a": 2}', {"a": 2}, ("reasoning",)),
        ('{"a": 1}\nNo, better: {"a": 2}', {"a": 2}, ("text around",)),
        ('As [1] says: {"a": 1} [2]', {"a": 1}, ("text around",)),
        ('Fill {name} in: {"a": 1}', {"a": 1}, ("text around",)),
        ('[{"a": 1}, {"a": 2}] as asked [3]', [{"a": 1}, {"a": 2}], ("text around",)),
        ('\ufeff{"a": 1}', {"a": 1}, ()),
        ('{"a": "\\ud83d\\ude00",}', {"a": "😀"}, ("trailing comma",)),
        ("```\n5\n```", 5, ("fence",)),
    ],
)  # fmt: skip
def test_x9_each_repair_is_made_and_named(text: str, value: Any, repairs: tuple[str, ...]) -> None:
    reading = read_json(text)
    assert (reading.value, reading.repairs, reading.fault) == (value, repairs, None)
    assert set(reading.repairs) <= {*REPAIRS, "fence", "text around", "reasoning"}


@pytest.mark.parametrize(
    ("text", "fault", "partial"),
    [
        ("", "empty", None),
        ("  \n", "empty", None),
        ("<think>hm</think>  ", "empty", None),
        ("<think>hm", "cut", None),
        ("no JSON at all", "no JSON", None),
        ("{ not json }", "no JSON", None),
        ('{"a": 1, "b": [1, 2', "cut", {"a": 1, "b": [1]}),
        ('{"a": "x", "b": "y', "cut", {"a": "x", "b": "y"}),
        ('{"a": {"b": 1}', "cut", {"a": {"b": 1}}),
        ('{"a": 1} and then {"b": 2', "cut", {}),
        ('```json\n{"a": tr', "cut", {}),
        ("[" * 5000, "too deep", None),
    ],
)
def test_x9_what_is_no_whole_json_is_a_fault_and_no_value(
    text: str, fault: str, partial: Any
) -> None:
    reading = read_json(text)
    assert (reading.value, reading.fault, reading.partial) == (None, fault, partial)


@given(CONTAINERS, st.data())
def test_x9_a_cut_reply_is_never_taken_as_whole(value: Any, data: st.DataObject) -> None:
    text = json.dumps(value)
    cut = text[: data.draw(st.integers(1, len(text) - 1))]
    reading = read_json(cut)
    assert reading.value is None
    assert reading.fault == "cut"


@given(st.text(st.sampled_from("{}[]\",:\\'“”/* \n`<>thinkTrue01.-ea"), max_size=60))
def test_x9_any_text_is_read_without_an_error(text: str) -> None:
    reading = read_json(text)
    assert (reading.fault is None) or reading.value is None
    try:
        strict = json.loads(text)
    except ValueError:
        return
    if not (isinstance(strict, float) and math.isnan(strict)):
        assert reading.value == strict or "not a number" in reading.repairs


class Rating(BaseModel):
    score: int
    why: str = ""


class Ratings(RootModel[list[Rating]]):
    pass


def test_x9_a_schema_gives_its_instance_or_names_the_field() -> None:
    assert read_json('[9] {"score": 3,}', Rating).value == Rating(score=3)
    assert read_json('Here: [{"score": 3}]', Ratings).value == Ratings([Rating(score=3)])
    reading = read_json('{"score": "high"}', Rating)
    assert reading.value is None
    assert reading.fault is not None
    assert reading.fault.startswith("schema: score:")
    assert reading.partial == {"score": "high"}


def test_huge_and_hostile_texts_are_given_up_soon() -> None:
    for text in ('{"a' * 100_000, "{" * 100_000, '{"a":1 ' * 50_000, "[1," * 50_000, "9" * 10_000):
        assert read_json(text).value is None or text.startswith("9")


def test_x9_an_escaped_character_that_no_file_can_keep_is_replaced_and_told():
    found = read_json('{"a\\ud800": ["x\\udc00y", {"b": "\\uD900"}], "c": "\\ud83d\\ude00"}')
    assert found.value == {"a\ufffd": ["x\ufffdy", {"b": "\ufffd"}], "c": "\U0001f600"}
    assert found.repairs == ("no character",)
    assert read_json('{"c": "\\ud83d\\ude00"}').repairs == ()
