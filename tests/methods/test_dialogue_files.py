"""Dialogues of users' own files: the released form, chat logs, TOML; faults by place."""

import json
import tomllib
from pathlib import Path

import pytest

from eyeprint.errors import BadRecord, DataError, UsageError
from eyeprint.methods.dialogue_files import read_dialogues
from eyeprint.methods.dialogues import KINDS, Turn, dialogues, first_turns

HELLO = [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Hello."}]
BYE = [{"role": "user", "content": "Bye."}, {"role": "assistant", "content": " So long. "}]


def written(folder: Path, name: str, value: object) -> Path:
    file = folder / name
    file.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return file


def test_m14_the_released_form_is_read_as_dialogues_told_one_after_another(tmp_path):
    file = written(tmp_path, "multi_turn_conversation.json", {"conversation": [HELLO, BYE]})
    told = read_dialogues(file)
    assert [one.id for one in told] == ["1", "2"]
    assert first_turns(told, 2) == (Turn("Hi.", "Hello."), Turn("Bye.", "So long."))
    with pytest.raises(UsageError, match="have 0 to 2"):
        first_turns(told, 3)


@pytest.mark.parametrize("kind", KINDS)
def test_m14_our_own_dialogues_come_back_from_the_released_form(tmp_path, kind):
    ours = dialogues(kind)
    rows = [
        [
            {"role": role, "content": text}
            for turn in one.turns
            for role, text in zip(("user", "assistant"), turn, strict=True)
        ]
        for one in ours
    ]
    told = read_dialogues(written(tmp_path, "ours.json", {"conversation": rows}))
    assert [one.turns for one in told] == [one.turns for one in ours]


@pytest.mark.parametrize(
    "value",
    [
        [HELLO, BYE],
        {"conversation": [HELLO, BYE]},
        [{"conversation": HELLO}, {"conversation": BYE}],
        [{"messages": HELLO, "id": 1}, {"messages": BYE, "id": 2}],
    ],
)
def test_m14_forms_of_json_that_say_the_same_are_read_the_same(tmp_path, value):
    told = read_dialogues(written(tmp_path, "a.json", value))
    assert [(one.id, one.turns) for one in told] == [
        ("1", (Turn("Hi.", "Hello."),)),
        ("2", (Turn("Bye.", "So long."),)),
    ]


def test_m14_lines_of_chat_logs_keep_their_ids_and_topics(tmp_path):
    lines = [
        {"conversation_id": "c7", "conversation": HELLO + BYE, "model": "x"},
        {"id": "c8", "topic": "Manners", "conversation": BYE},
        HELLO,
    ]
    text = "\ufeff" + "\r\n".join(map(json.dumps, lines)) + "\n\n"
    told = read_dialogues(written(tmp_path, "log.JSONL", text))
    assert [(one.id, one.topic, len(one.turns)) for one in told] == [
        ("c7", "", 2),
        ("c8", "Manners", 1),
        ("3", "", 1),
    ]


def test_m14_a_number_that_is_taken_is_not_given_again(tmp_path):
    told = read_dialogues(written(tmp_path, "a.json", [{"id": "2", "conversation": HELLO}, BYE]))
    assert [one.id for one in told] == ["2", "3"]


def test_m15_toml_holds_turns_as_the_packages_own_files_do(tmp_path):
    file = tmp_path / "tides.toml"
    file.write_text('topic = "Tides"\n[[turn]]\nuser = "Why?"\nassistant = "The Moon."\n')
    (told,) = read_dialogues(file)
    assert told.topic == "Tides" and told.turns == (Turn("Why?", "The Moon."),)
    folder = Path(__file__).parents[2] / "eyeprint/methods/talk/general"
    (tides,) = read_dialogues(folder / "08_tides.toml")
    assert tides.turns == next(one.turns for one in dialogues("general") if one.id == "tides")
    assert len(tomllib.loads((folder / "08_tides.toml").read_text("utf-8"))["turn"]) == 10


@pytest.mark.parametrize(
    ("value", "field", "reason"),
    [
        ({"conversation": [HELLO, HELLO[::-1]]}, "conversation[1][0].role", "'user' is due"),
        ({"conversation": [HELLO + HELLO[:1]]}, "conversation[0][2]", "has no reply"),
        ({"conversation": [[*HELLO, HELLO[1]]]}, "conversation[0][2].role", "'assistant'"),
        ([[{"role": "system", "content": "Be brief."}, *HELLO]], "[0][0].role", "is 'system'"),
        ([[HELLO[0], {"role": "assistant", "content": "  "}]], "[0][1].content", "is empty"),
        ([[HELLO[0], {"role": "assistant"}]], "[0][1].content", "is missing"),
        (
            [[{"role": "user", "content": ["a.png"]}]],
            "[0][0].content",
            "without pictures",
        ),
        ([[{"role": "user", "content": "\ud83d"}]], "[0][0].content", "half a character"),
        ([[HELLO[0], "Hello."]], "[0][1]", "no message with role"),
        ([[{"role": None, "content": "Hi."}]], "[0][0].role", "is 'None'"),
        ({"conversation": []}, "conversation", "no list of messages"),
        ({"conversation": "Hi."}, "conversation", "no list of messages"),
        ({"chat": HELLO}, "", "no field 'conversation' or 'turn' (its fields: chat)"),
        ([[{"from": "human", "value": "Hi."}]], "[0][0]", "its fields: from, value"),
        ([HELLO, 7], "[1]", "no message and no list"),
        (7, "", "no list of messages"),
        ([[[[[HELLO]]]]], "[0][0][0][0]", "nested too deeply"),
        ({"turn": [{"user": "Hi."}]}, "turn[0].assistant", "is missing"),
        ({"turn": ["Hi."]}, "turn[0]", "no turn"),
        ({"turn": []}, "turn", "no list of turns"),
        ([{"id": [1], "conversation": HELLO}], "[0].id", "is no text"),
        ([{"id": "a", "conversation": HELLO}] * 2, "id", "'a' is there twice"),
    ],
)
def test_m14_a_fault_is_told_by_its_place(tmp_path, value, field, reason):
    file = written(tmp_path, "bad.json", value)
    with pytest.raises(BadRecord) as told:
        read_dialogues(file)
    assert told.value.field == field
    assert reason in told.value.reason
    assert str(file) in str(told.value)


def test_m14_a_fault_of_a_line_has_its_number(tmp_path):
    file = written(tmp_path, "a.jsonl", json.dumps(HELLO) + "\n" + json.dumps(HELLO[:1]) + "\n")
    with pytest.raises(BadRecord) as told:
        read_dialogues(file)
    assert (told.value.line, told.value.field) == (2, "[0]")
    file.write_text('[{"role": "user"')
    with pytest.raises(BadRecord, match="not JSON"):
        read_dialogues(file)


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("a.json", "{", "not JSON"),
        ("a.toml", "topic = ", "not TOML"),
        ("a.jsonl", "\n", "holds no dialogue"),
        ("a.txt", "Hi.", "dialogues come as .json, .jsonl, .ndjson, .toml"),
        ("a.json", "[" * 100_000, "not JSON"),
    ],
)
def test_m14_files_that_are_no_dialogues_say_so(tmp_path, name, text, reason):
    with pytest.raises(DataError, match=reason):
        read_dialogues(written(tmp_path, name, text))


def test_m14_a_file_that_is_not_there_is_named(tmp_path):
    for name in ("no.json", "no.jsonl", "no.toml"):
        with pytest.raises(DataError, match=f"{name}: cannot be read"):
            read_dialogues(tmp_path / name)
