"""The ledger knows pictures by their pixels, and needs no bytes to be read (CHECKLIST X1)."""

from __future__ import annotations

import asyncio
import hashlib
import json
from pathlib import Path

import numpy as np

from eyeprint.models.fakes import CountingChat, EchoChat
from eyeprint.models.image_tokens import image_bound
from eyeprint.models.kinds import ChatRequest, ImagePart, Message
from eyeprint.models.pictures import image_part, open_picture
from eyeprint.models.prices import Price, input_bound
from eyeprint.store.budget import Budget
from eyeprint.store.dry_run import plan_calls
from eyeprint.store.ledger import Ledger, identity_of, request_json
from tests.models.awkward_files import saved

SCENE = np.random.default_rng(3).integers(0, 256, (20, 30, 3), np.uint8)


def ask(part: ImagePart) -> ChatRequest:
    return ChatRequest(messages=(Message.of("user", "What is this?", part),), max_tokens=9)


def test_x1_the_identity_of_a_text_is_what_it_was_before_pictures() -> None:
    one = ChatRequest(messages=(Message(role="user", text="Hi"),), seed=1)
    # By hand: SHA-256 of the model's JSON, a line feed, and the request's.
    text = '"a"\n{"messages":[{"role":"user","text":"Hi"}],"seed":1}'
    golden = "210405761e6e47ab92c1dece7122b5cc"
    assert identity_of("a", one) == hashlib.sha256(text.encode()).hexdigest()
    assert identity_of("a", one)[:32] == golden


def test_x1_equal_pixels_in_other_files_are_one_request() -> None:
    from PIL import Image

    picture = open_picture(SCENE)
    part = image_part(picture)
    packed = saved(Image.fromarray(SCENE), "PNG", compress_level=0)
    other = part.model_copy(update={"data": packed})
    webp = part.model_copy(update={"data": b"RIFF", "media_type": "image/webp"})
    assert len({part.data, other.data, webp.data}) == 3
    assert (
        identity_of("m", ask(part)) == identity_of("m", ask(other)) == identity_of("m", ask(webp))
    )


def test_x1_one_pixel_more_or_another_order_is_another_request() -> None:
    changed = SCENE.copy()
    changed[0, 0, 0] ^= 1
    left, right = image_part(open_picture(SCENE)), image_part(open_picture(changed))
    asked = [
        Message.of("user", "Which?", left, right),
        Message.of("user", "Which?", right, left),
        Message.of("user", left, "Which?", right),
        Message.of("user", "Which?", left),
        Message(role="user", text="Which?"),
    ]
    keys = {identity_of("m", ChatRequest(messages=(message,))) for message in asked}
    assert len(keys) == len(asked)
    assert identity_of("m", ask(left)) != identity_of("m", ask(right))


def test_x1_the_ledger_keeps_hashes_and_is_read_without_bytes(tmp_path: Path) -> None:
    part = image_part(open_picture(SCENE))
    inner = CountingChat(EchoChat())
    place = tmp_path / "ledger.sqlite"
    with Ledger(place) as ledger:
        chat = ledger.wrap(inner)
        for _ in range(2):
            asyncio.run(chat.reply(ask(part)))
    assert part.data[40:200] not in place.read_bytes()
    key = identity_of(inner.name, ask(part))
    with Ledger(place) as ledger:
        kept = ledger.request(key)
        again = asyncio.run(ledger.wrap(inner).reply(ask(part)))
    assert inner.calls == 1
    assert again.from_ledger
    assert kept is not None
    image = kept.messages[0].images[0]
    assert (image.sha256, image.width, image.height, image.data) == (part.sha256, 30, 20, b"")
    assert identity_of(inner.name, kept) == key
    assert json.loads(request_json(kept))["messages"][0]["parts"][1] == {
        "sha256": part.sha256,
        "width": 30,
        "height": 20,
    }


def test_x16_dry_runs_and_budgets_count_pictures() -> None:
    part = image_part(open_picture(SCENE))
    price = Price(input=1.0, output=0.0, image="tiles-85-170")
    plan = plan_calls([(EchoChat(), ask(part))], prices={"echo": price})[0]
    text = ChatRequest(messages=(Message.of("user", "What is this?"),), max_tokens=9)
    assert plan.input_tokens == input_bound(text) + image_bound(30, 20, "tiles-85-170")
    assert plan.cost_usd == plan.input_tokens / 1e6
    assert Budget(1.0).bound("echo", ask(part), price) == plan.cost_usd
    unknown = plan_calls([(EchoChat(), ask(part))])[0]
    assert unknown.input_tokens == input_bound(text) + image_bound(30, 20)
