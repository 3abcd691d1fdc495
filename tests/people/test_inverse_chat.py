"""From captions to a persona by a chat model (V22, X9)."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

from eyeprint.models.kinds import Reply
from eyeprint.people.captions_in import CaptionIn
from eyeprint.people.inverse_chat import ChatImported, ChatImportSettings, persona_by_chat

HERE = Path(__file__).parent


def _load(name: str, path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


script = _load("eyeprint_tests_writing_chat_inverse", HERE / "writing_chat.py")
TEXTS = [f"Red door {i} by the old quay wall {i}." for i in range(12)]


def read(chat: Any, texts: list[str], **changes: Any) -> ChatImported:
    given = [CaptionIn(t, f"p{i}", None, "", "f", i) for i, t in enumerate(texts, start=1)]
    return asyncio.run(persona_by_chat(chat, "ana", given, ChatImportSettings(**changes)))


def test_v22_captions_become_elements_then_preferences_then_a_persona():
    chat = script.WritingChat()
    made = read(chat, TEXTS)
    assert made.faults == () and made.person is not None
    assert chat.calls == 3 + 1  # 12 captions, 5 a call, and one call for the tastes
    assert made.person.posts[0].elements == {
        "foreground": ("Red door",),
        "objects": ("wall 0",),
    }
    assert 15 <= len(made.person.preferences) <= 20
    assert made.person.summary == "Still, close pictures."
    assert "demographics" not in made.person.model_fields_set
    assert made.person.vocabulary["foreground"]["subjects"] == ("Red door",)
    assert "preference_evidence" not in made.person.model_dump()


def test_v22_a_caption_in_any_language_keeps_its_own_words():
    made = read(script.WritingChat(), ["红门 在 巷子 尽头"] * 1, few_captions=10)
    assert made.person is not None
    assert made.person.posts[0].elements["foreground"] == ("红门 在",)


def test_x9_v22_missing_captions_and_invented_phrases_are_asked_for_again():
    def lost(value: Any) -> str:
        return json.dumps({"captions": value["captions"][:-1]})

    def invented(value: Any) -> str:
        found = [c | {"elements": {"objects": ["a thing not there"]}} for c in value["captions"]]
        return json.dumps({"captions": found})

    chat = script.WritingChat({"read_captions": [lost, invented]})
    made = read(chat, TEXTS[:3])
    assert made.faults == () and made.person is not None
    told = [r.messages[-1].text for r in chat.requests if "cannot be used" in r.messages[-1].text]
    assert "the elements of caption 3 are missing" in told[0]
    assert "no phrase given for caption 1 stands in it" in told[1]


def test_x9_v22_captions_that_stay_unread_are_kept_and_told():
    bad = [lambda value: "no"] * 3

    def only_first(value: Any) -> str:
        return (
            "no" if value["captions"][0]["elements"]["objects"] == ["wall 0"] else json.dumps(value)
        )

    chat = script.WritingChat({"read_captions": [only_first] * 3})
    made = read(chat, TEXTS)
    assert made.person is not None and len(made.person.posts) == 12
    assert [bool(p.elements) for p in made.person.posts] == [False] * 5 + [True] * 7
    assert made.faults[0].step == "elements 001" and made.faults[0].attempts == 3
    assert "5 captions could not be read" in made.notes[0]
    nothing = read(script.WritingChat({"read_captions": bad}), TEXTS[:3])
    assert nothing.person is None and nothing.faults[-1].step == "preferences"


def test_x9_v22_without_preferences_there_is_no_persona():
    down = Reply(outcome="failed", failure="timeout", detail="no answer")
    made = read(script.WritingChat({"read_tastes": [lambda value: down]}), TEXTS)
    assert made.person is None
    assert (made.faults[0].kind, made.faults[0].call_failed) == ("timeout", True)
