"""Chat models of inspect_ai: what is sent, what comes back, what an error is (X1, X9)."""

import asyncio
import gc

import numpy as np
import pytest

from eyeprint.errors import MissingExtra, ModelUnavailable, UsageError
from eyeprint.models import chat_inspect_wire
from eyeprint.models.attempts import payer
from eyeprint.models.catalog import chat_names, load_chat
from eyeprint.models.chat_http import HttpSettings
from eyeprint.models.chat_inspect_wire import failure_of_error, status_of
from eyeprint.models.decoding import decoding_for
from eyeprint.models.kinds import ChatRequest, ImagePart, Message, Reply
from eyeprint.models.pictures import image_part
from eyeprint.models.retries import RetryPolicy
from eyeprint.records.pictures import Picture

DOT = ImagePart(sha256="1" * 64, width=2, height=2, data=b"dot")
BAR = ImagePart(sha256="2" * 64, width=2, height=2, media_type="image/jpeg", data=b"bar")
QUICK = HttpSettings(retry=RetryPolicy(attempts=3, first_wait=0.0, jitter=0.0))


class Refused(Exception):
    """An error as vendors' packages raise it."""

    def __init__(self, status, code=None, message="told off", headers=None):
        self.status_code, self.code, self.message = status, code, message
        self.response = type("Answer", (), {"headers": headers or {}})()
        super().__init__(message)


def asked(*texts, **parameters):
    messages = tuple(Message(role="user", text=text) for text in texts)
    return ChatRequest(messages=messages, **parameters)


# What needs no inspect_ai.


def test_x1_without_inspect_ai_the_pip_line_is_told(monkeypatch):
    monkeypatch.setattr(chat_inspect_wire, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"pip install 'eyeprint\[inspect\]'"):
        load_chat("inspect/openai/gpt-4o")
    assert "inspect/PROVIDER/MODEL" in chat_names()


@pytest.mark.parametrize("name", ["inspect/openai", "inspect/", "inspect//x", "inspect/openai/"])
def test_x1_a_name_that_lacks_a_part_is_told(name):
    with pytest.raises(UsageError, match="inspect/PROVIDER/MODEL"):
        load_chat(name)


def test_x1_decoding_is_that_of_the_model_behind_the_provider():
    assert decoding_for("inspect/openai/gpt-4o-mini").preset == "gpt-4o-mini"
    assert decoding_for("inspect/vllm/Qwen/Qwen2.5-7B-Instruct").preset == "qwen"
    assert decoding_for("inspect/google/gemini-2.5-pro").preset == "gemini-2-5-pro"


@pytest.mark.parametrize(
    ("error", "kind", "may_pass"),
    [
        (Refused(429), "rate_limit", True),
        (Refused(429, "insufficient_quota"), "rate_limit", False),
        (Refused(500), "server_error", True),
        (Refused(401), "authentication", False),
        (Refused(404), "not_found", False),
        (Refused(422), "bad_request", False),
        (TimeoutError(), "timeout", True),
        (ConnectionResetError("peer"), "connection", True),
        (ValueError("no pictures"), "bad_request", False),
        (NotImplementedError("tools"), "bad_request", False),
        (RuntimeError("odd"), "bad_reply", False),
    ],
)
def test_x9_every_error_of_a_provider_has_a_kind(error, kind, may_pass):
    failure = failure_of_error(error)
    assert (failure.kind, failure.may_pass) == (kind, may_pass) and failure.detail


def test_x9_a_filter_that_turns_a_request_down_is_a_refusal():
    reply = failure_of_error(Refused(400, "content_filter"))
    assert isinstance(reply, Reply) and reply.outcome == "refused"


def test_x9_statuses_are_found_where_vendors_keep_them():
    botocore = Exception("slow down")
    botocore.response = {"ResponseMetadata": {"HTTPStatusCode": 503}}
    google = Exception("no")
    google.code = 403
    assert (status_of(botocore), status_of(google), status_of(Exception())) == (503, 403, None)


# What needs it.


@pytest.fixture
def inspect_ai():
    return pytest.importorskip("inspect_ai")


def chat_of(answer, name="inspect/mockllm/model", settings=QUICK, **arguments):
    """Return a chat whose provider answers by a function of (messages, config)."""
    from eyeprint.models.chat_inspect import InspectChat

    def outputs(messages, tools, choice, config):
        return answer(messages, config)

    chat = InspectChat(name, settings=settings, custom_outputs=outputs, **arguments)
    if asyncio.iscoroutinefunction(answer):
        # Not every version of mockllm takes one.
        async def generate(input, tools, tool_choice, config):
            return await answer(input, config)

        chat.load()
        chat._api.generate = generate
    return chat


def said(text, stop="stop", tokens=(9, 1), **values):
    """Return an output; without tokens, ``mockllm`` would fetch a tokeniser to count them."""
    from inspect_ai.model import ModelOutput, ModelUsage

    output = ModelOutput.from_content(model="mock-1", content=text, stop_reason=stop)
    if tokens:
        output.usage = ModelUsage(
            input_tokens=tokens[0], output_tokens=tokens[1], total_tokens=sum(tokens)
        )
    return output.model_copy(update=values)


def reply(chat, request):
    return asyncio.run(chat.reply(request))


@pytest.mark.inspect
def test_x1_messages_pictures_and_parameters_arrive_as_they_were(inspect_ai):
    seen = {}

    def answer(messages, config):
        seen.update(messages=messages, config=config)
        return said("B")

    request = ChatRequest(
        messages=(
            Message(role="system", text="Be brief."),
            Message.of("user", DOT, "This is <sks>.", BAR),
            Message(role="assistant", text="I got it."),
            Message.of("user", DOT, "Is <sks> here?"),
        ),
        temperature=0.2,
        top_p=0.9,
        max_tokens=7,
        seed=3,
        stop=("END",),
    )
    back = reply(chat_of(answer), request)
    assert (back.text, back.outcome, back.finish_reason) == ("B", "answered", "stop")
    assert back.served_model == "mock-1" and back.cost_usd == 0.0 and back.seconds > 0
    assert (back.usage.input_tokens, back.usage.output_tokens) == (9, 1)
    roles = [each.role for each in seen["messages"]]
    assert roles == ["system", "user", "assistant", "user"]
    first = seen["messages"][1].content
    assert [part.type for part in first] == ["image", "text", "image"]
    assert first[0].image == "data:image/png;base64,ZG90"
    assert first[2].image == "data:image/jpeg;base64,YmFy"
    config = seen["config"].model_dump(exclude_none=True)
    assert config == {
        "temperature": 0.2,
        "top_p": 0.9,
        "max_tokens": 7,
        "seed": 3,
        "stop_seqs": ["END"],
    }


@pytest.mark.inspect
@pytest.mark.parametrize(
    ("text", "stop", "outcome"),
    [
        ("Yes.", "stop", "answered"),
        ("The picture sh", "max_tokens", "truncated"),
        ("The picture sh", "model_length", "truncated"),
        ("I may", "content_filter", "refused"),
        ("I'm sorry, but I can't help with that.", "stop", "refused"),
        (" ", "stop", "empty"),
        ("Yes.", "unknown", "answered"),
    ],
)
def test_x9_reasons_to_stop_are_our_outcomes(inspect_ai, text, stop, outcome):
    back = reply(chat_of(lambda *_: said(text, stop)), asked("Hm?"))
    assert (back.outcome, back.finish_reason, back.text) == (outcome, stop, text)


@pytest.mark.inspect
def test_x9_a_servers_words_in_place_of_a_text_are_no_answer(inspect_ai):
    from eyeprint.models.chat_wire import Failure

    long = chat_inspect_wire.reply_of_output(said("Yes, 9000 tokens", "model_length", None))
    assert isinstance(long, Failure) and long.kind == "bad_request" and "9000" in long.detail
    turned_down = chat_inspect_wire.reply_of_output(said("Yes: blocked", "content_filter", None))
    assert (turned_down.outcome, turned_down.text, turned_down.detail) == (
        "refused",
        "",
        "Yes: blocked",
    )
    nothing = inspect_ai.model.ModelOutput(model="m", choices=[])
    assert chat_inspect_wire.reply_of_output(nothing).outcome == "empty"
    told = inspect_ai.model.ModelOutput(model="m", choices=[], error="overloaded")
    assert chat_inspect_wire.reply_of_output(told).kind == "bad_reply"


@pytest.mark.inspect
def test_x1_tokens_read_from_a_cache_were_input_and_reasoning_was_output(inspect_ai):
    usage = inspect_ai.model.ModelUsage(
        input_tokens=10,
        input_tokens_cache_read=90,
        input_tokens_cache_write=5,
        output_tokens=3,
        total_tokens=145,
    )
    back = reply(chat_of(lambda *_: said("A", usage=usage)), asked("Hm?"))
    assert (back.usage.input_tokens, back.usage.output_tokens) == (105, 40)


@pytest.mark.inspect
def test_x9_what_may_pass_is_asked_again_and_the_payer_is_asked_before(inspect_ai):
    calls, leave, waits = [], [], []

    def answer(messages, config):
        calls.append(1)
        if len(calls) < 3:
            raise Refused(503)
        return said("A")

    class Purse:
        async def try_again(self, failed):
            leave.append((failed.failure, failed.maybe_billed))

    async def one():
        chat = chat_of(answer, on_wait=waits.append)
        with payer(Purse()):
            return await chat.reply(asked("Hm?"))

    assert asyncio.run(one()).text == "A"
    assert leave == [("server_error", False)] * 2
    assert [wait.attempt for wait in waits] == [1, 2] and waits[0].kind == "server_error"


@pytest.mark.inspect
def test_x9_a_call_that_fails_for_good_is_a_failed_reply(inspect_ai):
    calls = []

    def answer(messages, config):
        calls.append(1)
        raise Refused(401, message="Incorrect key sk-hidden")

    chat = chat_of(answer, api_key="sk-hidden")
    back = reply(chat, asked("Hm?"))
    assert (back.outcome, back.failure, len(calls)) == ("failed", "authentication", 1)
    assert "sk-hidden" not in back.detail and "[key]" in back.detail
    assert "sk-hidden" not in repr(chat) + chat.name + chat.ledger_name


@pytest.mark.inspect
def test_x9_a_call_that_is_given_up_says_after_how_many(inspect_ai):
    def answer(messages, config):
        raise ConnectionResetError("peer")

    back = reply(chat_of(answer), asked("Hm?"))
    assert back.failure == "connection" and back.maybe_billed
    assert "given up after 3 calls" in back.detail


@pytest.mark.inspect
def test_x9_a_provider_that_never_answers_times_out(inspect_ai):
    async def answer(messages, config):
        await asyncio.sleep(30)

    settings = HttpSettings(timeout=0.05, retry=RetryPolicy(attempts=1))
    back = reply(chat_of(answer, settings=settings), asked("Hm?"))
    assert (back.outcome, back.failure) == ("failed", "timeout")


@pytest.mark.inspect
def test_x1_calls_at_once_are_bounded_and_a_cancelled_one_ends(inspect_ai):
    under_way, most = [], []

    async def answer(messages, config):
        under_way.append(1)
        most.append(len(under_way))
        await asyncio.sleep(0.02)
        under_way.pop()
        return said("A")

    async def all_of_them():
        chat = chat_of(answer, settings=HttpSettings(at_once=4))
        found = await asyncio.gather(*(chat.reply(asked(f"{n}?")) for n in range(12)))
        task = asyncio.create_task(chat.reply(asked("last?")))
        await asyncio.sleep(0.005)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return found

    assert [each.text for each in asyncio.run(all_of_them())] == ["A"] * 12
    assert max(most) == 4


@pytest.mark.inspect
def test_x1_no_message_is_kept_when_its_reply_is_there(inspect_ai):
    from inspect_ai.model import ChatMessageUser

    chat = chat_of(lambda *_: said("A"))

    async def many():
        for n in range(20):
            await chat.reply(asked(f"a message like no other, {n}"))

    asyncio.run(many())
    gc.collect()
    left = [
        each
        for each in gc.get_objects()
        if isinstance(each, ChatMessageUser) and "like no other" in str(each.content)
    ]
    assert not left


@pytest.mark.inspect
def test_x1_neighbours_of_one_role_are_put_together_where_a_service_wants_it(inspect_ai):
    from inspect_ai.model import ChatMessageAssistant, ChatMessageUser

    given = [
        ChatMessageUser(content="a"),
        ChatMessageUser(content="b"),
        ChatMessageAssistant(content="c"),
        ChatMessageUser(content="d"),
    ]
    made = chat_inspect_wire.collapsed(given, frozenset({"user"}))
    assert [(each.role, each.content) for each in made] == [
        ("user", "a\nb"),
        ("assistant", "c"),
        ("user", "d"),
    ]
    pictured = chat_inspect_wire.inspect_messages(
        [Message(role="user", text="a"), Message.of("user", DOT, "b")]
    )
    (one,) = chat_inspect_wire.collapsed(pictured, frozenset({"user"}))
    assert [part.type for part in one.content] == ["text", "image", "text"]
    assert chat_inspect_wire.collapsed(given, frozenset()) == given


@pytest.mark.inspect
def test_x1_what_cannot_be_made_is_told_before_anything_starts(inspect_ai, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ModelUnavailable, match=r"OPENAI_API_KEY|openai"):
        load_chat("inspect/openai/gpt-4o")
    assert load_chat("inspect/openai/gpt-4o", needs_key=False).name == "inspect/openai/gpt-4o"
    with pytest.raises(UsageError, match="nosuchprovider"):
        load_chat("inspect/nosuchprovider/model")


@pytest.mark.inspect
def test_x1_arguments_of_a_provider_follow_the_question_mark(inspect_ai):
    from eyeprint.models.chat_inspect import InspectChat

    chat = InspectChat("inspect/mockllm/model?device=cuda:0&layers=4&fast=true")
    chat.load()
    assert chat._api.model_args == {"device": "cuda:0", "layers": 4, "fast": True}
    with pytest.raises(UsageError, match="must hold no api_key"):
        InspectChat("inspect/openai/gpt-4o?api_key=sk-1")


@pytest.mark.inspect
def test_x1_an_openai_compatible_server_through_inspect_equals_our_own_wire(
    inspect_ai, monkeypatch
):
    pytest.importorskip("openai")
    from eyeprint.models.chat_server import ChatServer
    from eyeprint.models.fakes import CountingChat, ScriptedChat

    def png_part(shade: int) -> ImagePart:
        return image_part(Picture.of(np.full((4, 6, 3), shade, np.uint8)), None)

    heard = CountingChat(
        ScriptedChat(
            lambda request: (
                f"{len(request.messages)} messages, pictures "
                f"{[part.sha256[:6] for each in request.messages for part in each.images]}"
            ),
            name="echo",
        )
    )
    request = ChatRequest(
        messages=(
            Message.of("user", png_part(1), "This is <sks>."),
            Message(role="assistant", text="I got it."),
            Message.of("user", png_part(2), "Is <sks> here?"),
        ),
        temperature=0.0,
        max_tokens=64,
    )
    with ChatServer(heard) as server:
        monkeypatch.setenv("EYESERVE_API_KEY", "none")
        monkeypatch.setenv("EYESERVE_BASE_URL", server.url)
        through = load_chat("inspect/openai-api/eyeserve/echo")
        back = reply(through, request)
        first, loop = through._api, through._line.loop
        again = reply(through, request)
        # An event loop of its own has a client of its own (inspect_ai may make asyncio.run
        # keep one loop for all).
        assert (through._api is first) == (through._line.loop is loop)
        own = reply(load_chat(server.model), request)
        assert through.ledger_name == f"inspect/openai-api/eyeserve/echo at {server.url}"
    assert (back.text, back.outcome, back.usage) == (own.text, own.outcome, own.usage)
    assert again.text == back.text and heard.calls == 3
    assert len(heard.per_request) == 1  # the very same request


@pytest.mark.inspect
def test_x9_a_vendors_package_does_not_call_again_unseen(inspect_ai, monkeypatch):
    pytest.importorskip("openai")
    from eyeprint.models.chat_server import ChatServer
    from eyeprint.models.fakes import CountingChat, ScriptedChat

    broken = CountingChat(
        ScriptedChat(
            lambda request: Reply(outcome="failed", failure="server_error", detail="down"),
            name="echo",
        )
    )
    with ChatServer(broken) as server:
        monkeypatch.setenv("EYESERVE_API_KEY", "none")
        monkeypatch.setenv("EYESERVE_BASE_URL", server.url)
        settings = HttpSettings(retry=RetryPolicy(attempts=2, first_wait=0.0, jitter=0.0))
        back = reply(load_chat("inspect/openai-api/eyeserve/echo", settings=settings), asked("?"))
    assert (back.failure, broken.calls) == ("server_error", 2)
