"""The shipped stand-ins keep to the models' Protocols (CHECKLIST X1, X2)."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import numpy as np
import pytest

from eyeprint.models.fakes import CountingChat, EchoChat, FlakyChat, HashEncoder, ScriptedChat
from eyeprint.models.kinds import Chat, ChatRequest, Message, Reply, TextEncoder


def ask(text: str) -> ChatRequest:
    return ChatRequest(messages=(Message(role="user", text=text),))


def test_x1_all_fakes_are_chats() -> None:
    for fake in (EchoChat(), ScriptedChat([]), FlakyChat(EchoChat()), CountingChat(EchoChat())):
        assert isinstance(fake, Chat)
    assert isinstance(HashEncoder(), TextEncoder)


def test_echo_says_empty_when_it_is() -> None:
    assert asyncio.run(EchoChat().reply(ask(" "))).outcome == "empty"


def test_a_script_is_followed_and_running_out_is_an_error() -> None:
    chat = ScriptedChat(["one", Reply(outcome="refused")])
    assert asyncio.run(chat.reply(ask("a"))).text == "one"
    assert asyncio.run(chat.reply(ask("b"))).outcome == "refused"
    assert [request.messages[0].text for request in chat.requests] == ["a", "b"]
    with pytest.raises(IndexError, match="3 times"):
        asyncio.run(chat.reply(ask("c")))


def test_a_script_may_be_a_function() -> None:
    chat = ScriptedChat(lambda request: request.messages[0].text.upper())
    assert asyncio.run(chat.reply(ask("hi"))).text == "HI"


def test_flaky_counts_each_request_for_itself() -> None:
    chat = FlakyChat(EchoChat(), failures=2)
    outcomes = [asyncio.run(chat.reply(ask(text))).outcome for text in "aababb"]
    assert outcomes == ["failed", "failed", "failed", "answered", "failed", "answered"]


def test_counting_sees_how_many_ran_at_once() -> None:
    chat = CountingChat(EchoChat(seconds=0.01))

    async def many() -> None:
        await asyncio.gather(*(chat.reply(ask(str(i % 3))) for i in range(6)))

    asyncio.run(many())
    assert (chat.calls, chat.most_at_once, chat.at_once) == (6, 6, 0)
    assert chat.per_request[ask("0")] == 2


def test_x2_hash_vectors_are_unit_rows_and_blank_texts_are_zero() -> None:
    vectors = HashEncoder().encode(["a red door", "", "🚪", "..."])
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), [1, 0, 0, 0], atol=1e-6)
    assert HashEncoder().encode([]).shape == (0, 256)


def test_x2_texts_that_share_words_are_closer() -> None:
    a, b, c = HashEncoder().encode(["red door in Porto", "blue door in Porto", "a cat asleep"])
    assert a @ b > 0.5 > abs(a @ c)


def test_x2_long_texts_are_cut_and_counted() -> None:
    encoded = HashEncoder(most_words=2).encode_counted(["a b", "a b c"])
    assert encoded.cut.tolist() == [False, True]
    np.testing.assert_array_equal(encoded.vectors[0], encoded.vectors[1])


def test_x2_hash_vectors_are_equal_in_another_process() -> None:
    code = (
        "from eyeprint.models.fakes import HashEncoder as H;"
        "print(H().fingerprint, H().encode(['a red door']).tobytes().hex())"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True,
        env={"PYTHONHASHSEED": "123"},
    )  # fmt: skip
    here = HashEncoder()
    assert run.stdout.split() == [here.fingerprint, here.encode(["a red door"]).tobytes().hex()]
    assert HashEncoder(dim=8).fingerprint != here.fingerprint
