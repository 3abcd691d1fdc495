"""Pictures on their way into a model on this machine, and where its draws come from."""

from __future__ import annotations

import numpy as np
import pytest

from eyeprint.models.chat_local_generation import _seeded
from eyeprint.models.chat_local_prompts import conversation_of
from eyeprint.models.kinds import ChatRequest, Message
from eyeprint.models.pictures import image_part
from eyeprint.records.pictures import Picture


@pytest.mark.parametrize(("most", "size"), [(None, (64, 32)), (128, (64, 32)), (16, (16, 8))])
def test_x1_pictures_are_made_no_larger_than_asked(most, size):
    part = image_part(Picture.of(np.full((32, 64, 3), 90, np.uint8)))
    (message,) = conversation_of([Message.of("user", part, "Who?")], sees=True, max_side=most)
    assert message["content"][0]["image"].size == size
    assert message["content"][1] == {"type": "text", "text": "Who?"}


@pytest.mark.torch
def test_x6_draws_come_from_the_request_and_leave_the_generator_as_it_was():
    torch = pytest.importorskip("torch")

    def drawn(text: str, seed: int | None = None) -> float:
        asked = ChatRequest(messages=(Message(role="user", text=text),), seed=seed, temperature=1)
        with _seeded(asked, True):
            return float(torch.rand(1))

    torch.manual_seed(5)
    before = torch.random.get_rng_state()
    assert drawn("a") == drawn("a") != drawn("b")
    assert drawn("a", 1) == drawn("b", 1) != drawn("a", 2)
    assert torch.equal(torch.random.get_rng_state(), before)
