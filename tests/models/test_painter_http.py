"""Pictures over the OpenAI images protocol, against a real server (CHECKLIST X4)."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from PIL import Image

from eyeprint.errors import BudgetReached, ModelUnavailable, UsageError
from eyeprint.models.attempts import payer
from eyeprint.models.image_wire import Answer, Link, read_answer, unmet
from eyeprint.models.kinds import Painted, PaintRequest, Reply
from eyeprint.models.painter_http import HttpPainter, HttpPainterSettings, http_painter
from eyeprint.models.painters import load_painter
from eyeprint.models.prices import Price
from eyeprint.models.retries import RetryPolicy, Waiting
from eyeprint.records.pictures import Picture
from tests.servers.local_images import LocalImagesServer, png_for

KEY = "sk-very-secret-0123456789"
FAST = HttpPainterSettings(retry=RetryPolicy(attempts=3, first_wait=0.01, retry_after_cap=0.05))


@pytest.fixture(scope="module")
def running() -> Iterator[LocalImagesServer]:
    with LocalImagesServer() as server:
        yield server


@pytest.fixture
def server(running: LocalImagesServer, monkeypatch: pytest.MonkeyPatch) -> LocalImagesServer:
    running.reset()
    monkeypatch.setenv("EYEPRINT_API_KEY", KEY)
    return running


def painted(painter: HttpPainter, request: PaintRequest, way: str = "text") -> Painted:
    async def once() -> Painted:
        try:
            return await painter.paint(request, way)
        finally:
            await painter.close()

    return asyncio.run(once())


def paint(server: LocalImagesServer, prompt: str = "a red door", **rest: Any) -> Painted:
    settings = rest.pop("settings", FAST)
    return painted(http_painter(server.model(), settings=settings), PaintRequest(prompt, **rest))


def pixels_of(data: bytes) -> np.ndarray:
    return np.array(Image.open(io.BytesIO(data)))


def dot(level: int) -> Picture:
    return Picture.of(np.full((4, 4, 3), level, np.uint8))


def test_x4_a_prompt_becomes_the_servers_picture(server: LocalImagesServer) -> None:
    result = paint(server, seed=7, width=64, height=32)
    assert result.picture is not None
    assert np.array_equal(result.picture.pixels, pixels_of(png_for("a red door")))
    assert result.served_model == "m"
    assert result.cost_usd is None, "a local server's price is unknown, not 0"
    assert 0 < result.seconds < 30
    sent = server.seen[0]
    assert sent.path == "/v1/images/generations"
    assert sent.headers["authorization"] == f"Bearer {KEY}"
    assert sent.fields == {
        "model": "m",
        "prompt": "a red door",
        "n": 1,
        "size": "64x32",
        "response_format": "b64_json",
        "seed": 7,
    }


def test_x4_references_go_as_files_of_a_form_in_their_order(server: LocalImagesServer) -> None:
    request = PaintRequest("warmer", references=(dot(1), dot(2)), seed=3)
    result = painted(http_painter(server.model(), settings=FAST), request, "edit")
    assert result.picture is not None
    sent = server.seen[0]
    assert sent.path == "/v1/images/edits"
    assert [(name, file) for name, file, _ in sent.files] == [
        ("image[]", "reference-1.png"),
        ("image[]", "reference-2.png"),
    ]
    assert [int(pixels_of(data)[0, 0, 0]) for _, _, data in sent.files] == [1, 2]
    assert sent.fields["prompt"] == "warmer"
    assert sent.fields["seed"] == "3"

    painted(
        http_painter(server.model(), settings=FAST), request._replace(references=(dot(1),)), "edit"
    )
    assert [name for name, _, _ in server.seen[1].files] == ["image"]


def test_x4_a_picture_behind_a_url_is_fetched_without_the_key(server: LocalImagesServer) -> None:
    server.by_url = True
    result = paint(server)
    assert result.picture is not None
    assert np.array_equal(result.picture.pixels, pixels_of(png_for("a red door")))
    get = server.seen[1]
    assert get.path == "/pictures/a_red_door.png"
    assert "authorization" not in {name.lower() for name in get.headers}


def test_x4_a_paid_picture_is_fetched_again_and_never_asked_for_again(
    server: LocalImagesServer,
) -> None:
    server.by_url = True
    server.link_faults = [(503, {}, b"busy"), (500, {}, b"oops")]
    assert paint(server).picture is not None
    assert [seen.path.split("/")[1] for seen in server.seen] == ["v1", *["pictures"] * 3]

    server.reset()
    server.by_url = True
    server.link_faults = [(503, {}, b"busy")] * 5
    result = paint(server)
    assert (result.picture, result.failure) == (None, "server_error")
    assert "given up after 3 calls" in result.detail
    assert [seen.path.split("/")[1] for seen in server.seen] == ["v1", *["pictures"] * 3]


def test_x4_calls_that_may_pass_are_made_again_and_seen(server: LocalImagesServer) -> None:
    server.faults = [(429, {"retry-after": "0.02"}, b"{}"), (500, {}, b"{}")]
    waits: list[Waiting] = []
    painter = http_painter(server.model(), settings=FAST, on_wait=waits.append)
    assert painted(painter, PaintRequest("a")).picture is not None
    assert [wait.kind for wait in waits] == ["rate_limit", "server_error"]
    assert waits[0].seconds >= 0.02, "Retry-After is honoured"


@pytest.mark.parametrize(
    ("status", "body", "failure"),
    [
        (400, {"error": {"code": "moderation_blocked", "message": "no"}}, "refused"),
        (400, {"error": {"code": "content_policy_violation", "message": "no"}}, "refused"),
        (400, {"error": {"message": "unknown parameter: seed"}}, "bad_request"),
        (401, {"error": {"message": f"wrong key {KEY}"}}, "authentication"),
        (404, {"error": {"message": "no such model"}}, "not_found"),
        (429, {"error": {"code": "insufficient_quota", "message": "empty"}}, "rate_limit"),
        (200, {"data": []}, "bad_reply"),
        (200, {"data": [{"b64_json": "%%%"}]}, "bad_reply"),
        (200, {"data": [{"url": "file:///etc/passwd"}]}, "bad_reply"),
    ],
)
def test_x4_what_will_not_pass_is_told_after_one_call(
    server: LocalImagesServer, status: int, body: dict[str, Any], failure: str
) -> None:
    server.faults = [(status, {}, json.dumps(body).encode())]
    result = paint(server)
    assert (result.picture, result.failure) == (None, failure)
    assert result.detail
    assert KEY not in result.detail
    assert len(server.seen) == 1


def test_x4_bytes_that_are_no_picture_are_unreadable(server: LocalImagesServer) -> None:
    server.picture = png_for("a")[:40]
    result = paint(server)
    assert (result.picture, result.failure) == (None, "unreadable")
    assert "answered" in result.detail


def test_x16_the_cost_follows_from_the_servers_usage(server: LocalImagesServer) -> None:
    server.usage = {"input_tokens": 1000, "output_tokens": 4000, "total_tokens": 5000}
    price = Price(input=10.0, output=40.0)
    painter = http_painter(server.model(), settings=FAST, price=price)
    # (1000 · 10 + 4000 · 40) / 1,000,000
    assert painted(painter, PaintRequest("a")).cost_usd == pytest.approx(0.17)
    server.usage = None
    assert painted(painter, PaintRequest("a")).cost_usd is None


def test_x16_a_budget_has_its_say_before_a_call_is_made_again(server: LocalImagesServer) -> None:
    class Empty:
        async def try_again(self, failed: Reply) -> None:
            raise BudgetReached(f"nothing left after {failed.failure}")

    server.faults = [(500, {}, b"{}")]
    with payer(Empty()), pytest.raises(BudgetReached, match="server_error"):
        paint(server)
    assert len(server.seen) == 1


def test_x4_openai_is_not_sent_fields_that_it_refuses(
    server: LocalImagesServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", f"{server.root}/v1")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    painter = http_painter("openai/gpt-image-1?quality=low", settings=FAST)
    assert painted(painter, PaintRequest("a", seed=3)).picture is not None
    sent = server.seen[0].fields
    assert sent == {"model": "gpt-image-1", "prompt": "a", "n": 1, "quality": "low"}
    refused = painted(painter, PaintRequest("a", negative="blur", steps=5))
    assert refused.failure == "bad_request"
    assert "a negative prompt and steps" in refused.detail
    assert len(server.seen) == 1, "nothing is sent that would not be honoured"


def test_x4_requests_that_cannot_be_met_are_not_sent(server: LocalImagesServer) -> None:
    painter = http_painter(server.model(), settings=FAST)
    for request, way, what in [
        (PaintRequest("a"), "edit", "without a reference"),
        (PaintRequest("a", references=(dot(1),)), "text", "takes none"),
        (PaintRequest("a", references=(dot(1),)), "tune", "not by 'tune'"),
        (PaintRequest(" "), "text", "blank"),
    ]:
        result = painted(painter, request, way)
        assert result.failure == "bad_request"
        assert what in result.detail
    assert server.seen == []


def test_x4_calls_run_at_once_within_the_limit(server: LocalImagesServer) -> None:
    painter = http_painter(server.model(), settings=FAST)

    async def many() -> list[Painted]:
        try:
            return await asyncio.gather(*(painter.paint(PaintRequest(f"p{n}")) for n in range(20)))
        finally:
            await painter.close()

    results = asyncio.run(many())
    for n, result in enumerate(results):
        assert result.picture is not None
        assert np.array_equal(result.picture.pixels, pixels_of(png_for(f"p{n}")))


def test_x4_no_server_is_a_failure_that_names_it() -> None:
    painter = http_painter("http://127.0.0.1:9/v1#m", settings=FAST)
    result = painted(painter, PaintRequest("a"))
    assert result.failure == "connection"
    assert "127.0.0.1:9" in result.detail


def test_x4_name_and_fingerprint_tell_settings_apart() -> None:
    plain = http_painter("http://127.0.0.1:8000/v1#m")
    wide = http_painter("http://127.0.0.1:8000/v1#m?width=512")
    patient = http_painter("http://127.0.0.1:8000/v1#m?timeout=9")
    assert plain.name == "http://127.0.0.1:8000/v1#m" == patient.name
    assert wide.name == "http://127.0.0.1:8000/v1#m?width=512"
    assert plain.fingerprint == patient.fingerprint != wide.fingerprint
    with pytest.raises(UsageError, match="did you mean 'width'"):
        http_painter("http://127.0.0.1:8000/v1#m?widht=512")


def test_x4_the_key_is_needed_only_by_those_who_paint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(ModelUnavailable, match="OPENAI_API_KEY"):
        load_painter("openai/gpt-image-1")
    assert load_painter("openai/gpt-image-1", needs_key=False).ways == {"text", "edit"}


def test_x4_answers_are_read_in_all_their_shapes() -> None:
    def of(entry: dict[str, Any]) -> Any:
        return read_answer(json.dumps({"data": [entry]}).encode())

    assert of({"b64_json": "data:image/png;base64,QUJD"}).content == b"ABC"
    assert of({"url": "data:image/png;base64,QUJD"}).content == b"ABC"
    assert of({"url": "https://h/p.png"}).content == Link("https://h/p.png")
    revised = of({"b64_json": "QUJD", "revised_prompt": "a door, red"})
    assert isinstance(revised, Answer)
    assert revised.note == "the server's own prompt: a door, red"
    assert read_answer(b"[]").kind == "bad_reply"
    assert read_answer(b"\xff").kind == "bad_reply"
    assert unmet("m", PaintRequest("a", negative="x"), "text", {"text"}, "open") is None
