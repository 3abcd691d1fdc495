"""Messages with pictures: on the wire, over real HTTP, and with the stand-ins (CHECKLIST X1)."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
from typing import Literal

import numpy as np
import pytest

from eyeprint.errors import UsageError
from eyeprint.models.chat_http import http_chat
from eyeprint.models.chat_wire import LimitField, data_url, request_body
from eyeprint.models.fakes import TOKENS_PER_PICTURE, CountingChat, EchoChat, ScriptedChat
from eyeprint.models.image_tokens import IMAGE_RULES, image_bound, tiles
from eyeprint.models.kinds import ChatRequest, ImagePart, Message
from eyeprint.models.pictures import image_part, open_picture
from eyeprint.models.prices import Price, cost_bound, input_bound, price_of, price_table
from eyeprint.records.pictures import Picture
from tests.servers.local_chat import LocalChatServer

NOISE = np.random.default_rng(7).integers(0, 256, (2, 40, 60, 3), np.uint8)
LEFT, RIGHT = (open_picture(pixels) for pixels in NOISE)


def judging() -> ChatRequest:
    asked = Message.of("user", "Which? A:", image_part(LEFT), "B:", image_part(RIGHT))
    return ChatRequest(messages=(Message(role="system", text="You judge."), asked))


def body_of(request: ChatRequest, limit: LimitField = "max_tokens") -> dict[str, object]:
    body: dict[str, object] = json.loads(request_body(request, "m", limit))
    return body


@pytest.mark.parametrize("limit", ["max_tokens", "max_completion_tokens"])
def test_x1_text_only_messages_are_sent_as_ever(
    limit: Literal["max_tokens", "max_completion_tokens"],
) -> None:
    one = ChatRequest(messages=(Message.of("user", "Hi", "you"),), max_tokens=5, stop=("x",))
    # Written down before messages could hold pictures.
    assert (
        request_body(one, "m", limit)
        == (
            '{"model": "m", "messages": [{"role": "user", "content": "Hi\\nyou"}], '
            f'"{limit}": 5, "stop": ["x"]}}'
        ).encode()
    )


def test_x1_pictures_are_sent_as_parts_in_reading_order() -> None:
    messages = body_of(judging())["messages"]
    assert isinstance(messages, list)
    assert messages[0] == {"role": "system", "content": "You judge."}
    kinds = [part["type"] for part in messages[1]["content"]]
    assert kinds == ["text", "image_url", "text", "image_url"]
    url = messages[1]["content"][1]["image_url"]["url"]
    head, data = url.split(",")
    assert head == "data:image/png;base64"
    assert open_picture(base64.b64decode(data)) == LEFT


def test_x1_a_picture_without_bytes_cannot_be_sent() -> None:
    bare = ImagePart(sha256="ab" * 32, width=1, height=1)
    with pytest.raises(UsageError, match=r"abababababab .* has no bytes"):
        data_url(bare)
    with pytest.raises(UsageError, match="from the picture itself"):
        request_body(ChatRequest(messages=(Message.of("user", bare),)), "m", "max_tokens")


def test_x1_pictures_cross_real_http_with_their_very_pixels() -> None:
    async def ask(server: LocalChatServer) -> str:
        chat = http_chat(server.model())
        try:
            return (await chat.reply(judging())).text
        finally:
            await chat.close()

    with LocalChatServer(rules=[{"contains": "Which? A:\nB:", "text": "A"}]) as server:
        assert asyncio.run(ask(server)) == "A"
        first, left, second, right = server.counts()["pictures"]
    assert (first, second) == ("Which? A:", "B:")
    for got, picture in ((left, LEFT), (right, RIGHT)):
        assert got == {
            "head": "data:image/png;base64",
            "format": "PNG",
            "size": [60, 40],
            "rgb_sha256": hashlib.sha256(picture.pixels.tobytes()).hexdigest(),
        }


def test_x1_the_stand_ins_count_pictures_and_answer() -> None:
    echo = asyncio.run(EchoChat().reply(judging()))
    assert echo.text == "Which? A:\nB:"
    assert echo.usage.input_tokens == 2 + 3 + 2 * TOKENS_PER_PICTURE
    seen = ScriptedChat(lambda request: f"{len(request.messages[-1].images)} pictures")
    assert asyncio.run(seen.reply(judging())).text == "2 pictures"
    counting = CountingChat(EchoChat())
    for _ in range(2):
        asyncio.run(counting.reply(judging()))
    assert counting.per_request[judging()] == 2
    only = ChatRequest(messages=(Message.of("user", image_part(LEFT)),))
    assert asyncio.run(EchoChat().reply(only)).outcome == "empty"


def part(width: int, height: int) -> ImagePart:
    return ImagePart(sha256="0" * 64, width=width, height=height)


@pytest.mark.parametrize(
    ("model", "width", "height", "tokens"),
    [
        # The vendors' own worked examples.
        ("openai/gpt-4o", 1024, 1024, 85 + 4 * 170),
        ("openai/gpt-4o", 2048, 4096, 85 + 6 * 170),
        ("openai/gpt-4o-mini", 1024, 1024, 2833 + 4 * 5667),
        ("openai/gpt-4.1-mini", 1024, 1024, 1659),  # 1,024 patches x 1.62 = 1,658.9
        ("openai/gpt-4.1-nano", 4000, 4000, 3779),  # 1,536 patches x 2.46 = 3,778.6
        ("gemini/gemini-2.5-flash", 384, 384, 258),
        ("gemini/gemini-2.5-flash", 960, 540, 6 * 258),
        ("anthropic/claude-sonnet-4-20250514", 1000, 1000, 1334),
    ],
)
def test_x16_a_picture_costs_what_its_vendors_rule_says(
    model: str, width: int, height: int, tokens: int
) -> None:
    price = price_of(model)
    assert price is not None
    text = ChatRequest(messages=(Message.of("user", "A:"),))
    both = ChatRequest(messages=(Message.of("user", "A:", part(width, height)),))
    assert input_bound(both, price) - input_bound(text, price) == tokens + 16
    assert image_bound(width, height, price.image) == tokens + 16


@pytest.mark.parametrize("size", [(1, 1), (100, 3000), (512, 512), (1024, 768), (5000, 4000)])
def test_x16_an_unknown_model_is_bounded_by_every_known_rule(size: tuple[int, int]) -> None:
    for rule in IMAGE_RULES:
        assert image_bound(*size, rule) <= image_bound(*size), rule
    assert image_bound(*size) > 6404  # the largest fixed grid of crops
    assert 4 <= tiles(*size) <= 8


def test_x16_budgets_see_pictures_and_every_vendor_has_a_rule() -> None:
    own = Price(input=1.0, output=1.0)
    text = ChatRequest(messages=(Message.of("user", "A:"),), max_tokens=1)
    both = ChatRequest(messages=(Message.of("user", "A:", part(64, 64)),), max_tokens=1)
    less, more = cost_bound(text, own), cost_bound(both, own)
    assert less is not None
    assert more is not None
    assert more - less == pytest.approx(image_bound(64, 64) / 1e6)
    for name, price in price_table().items():
        paints = "image" in name
        if name.startswith(("openai/", "gemini/", "anthropic/")) and not paints:
            assert price.image != "any", name
    with pytest.raises(UsageError, match=r"image: .*no rule of that name; known: any"):
        Price.checked({"input": 1, "output": 1, "image": "free"})


def test_x1_a_dark_and_a_light_picture_are_different_parts() -> None:
    dark = Picture.of(np.zeros((2, 2, 3), np.uint8))
    light = Picture.of(np.full((2, 2, 3), 255, np.uint8))
    assert image_part(dark).sha256 != image_part(light).sha256
