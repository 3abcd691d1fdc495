"""Names of chat models in process, and what is told where they cannot be had (X1, M24).

Nothing here needs torch: names are read, weights looked for and messages shaped without it.
"""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image

from eyeprint.errors import MissingExtra, ModelUnavailable, UsageError
from eyeprint.models import chat_local_loading
from eyeprint.models.catalog import chat_names, load_chat
from eyeprint.models.chat_local import LocalChat, local_chat
from eyeprint.models.chat_local_loading import LocalChatSettings
from eyeprint.models.chat_local_prompts import conversation_of, without_system
from eyeprint.models.chat_local_weights import find_chat_weights
from eyeprint.models.kinds import ImagePart, Message
from eyeprint.models.pictures import image_part, open_picture

WIDE = open_picture(np.random.default_rng(3).integers(0, 256, (20, 40, 3), np.uint8))


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the extra were there: nothing of it is imported before a request."""
    monkeypatch.setattr(chat_local_loading, "find_spec", lambda name: SimpleNamespace())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "x", "dtype": "bfloat16"}))
    (tmp_path / "model-00001-of-00002.safetensors").write_bytes(b"one")
    (tmp_path / "model-00002-of-00002.safetensors").write_bytes(b"two")
    return tmp_path


def test_x1_the_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat_local_loading, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"torch and transformers.*eyeprint\[local\]"):
        load_chat("local/some/model")


@pytest.mark.usefixtures("installed")
def test_x1_names_tell_what_changes_replies_and_nothing_else(folder: Path) -> None:
    name = f"local/{folder}?dtype=float16&device=cpu&max_tokens=9&device_map=auto"
    chat = load_chat(name)
    assert isinstance(chat, LocalChat)
    assert chat.name == f"local/{folder}?dtype=float16&max_tokens=9"
    assert chat.settings.device == "cpu"
    assert "local/PATH_OR_ID" in chat_names()
    given = LocalChatSettings(device="cpu", max_side=64)
    both = local_chat(f"local/{folder}?max_tokens=9", given)
    assert both.settings == LocalChatSettings(device="cpu", max_side=64, max_tokens=9)


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("local/", "lacks the model"),
        ("local/?dtype=float16", "lacks the model"),
        ("local/x?dtyp=float16", "did you mean 'dtype'"),
        ("local/x?dtype=int4", "dtype"),
        ("local/x?max_tokens=0", "max_tokens"),
        ("local/x?quick", "must be settings"),
    ],
)
def test_x1_wrong_names_are_told(name: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        load_chat(name)


@pytest.mark.usefixtures("installed")
def test_x1_weights_are_looked_for_when_the_name_is_read_save_in_a_dry_run(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match=r"lacks config.json and weights"):
        load_chat(f"local/{tmp_path}")
    chat = load_chat(f"local/{tmp_path}", needs_key=False)
    assert isinstance(chat, LocalChat)
    assert chat.ledger_name == chat.name


def test_x1_where_weights_were_looked_for_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from huggingface_hub import constants

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    with pytest.raises(ModelUnavailable, match=f"no folder here .looked in {tmp_path}"):
        find_chat_weights("./models/llava")
    with pytest.raises(ModelUnavailable, match=r"cache.*Fetch it with: hf download some/model"):
        find_chat_weights("some/model", download=False)
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ModelUnavailable, match=r"lacks weights \(\*\.safetensors\)"):
        find_chat_weights(str(tmp_path))
    (tmp_path / "model.safetensors").write_bytes(b"x")
    (tmp_path / "config.json").write_text("[]")
    with pytest.raises(ModelUnavailable, match="no JSON object"):
        find_chat_weights(str(tmp_path))


def test_x1_other_weights_are_another_identity_and_a_model_card_is_not(folder: Path) -> None:
    was = find_chat_weights(str(folder))
    (folder / "README.md").write_text("a card")
    assert find_chat_weights(str(folder)).identity == was.identity
    (folder / "model-00002-of-00002.safetensors").write_bytes(b"owt")
    assert find_chat_weights(str(folder)).identity != was.identity
    assert was.stored_dtype == "bfloat16"


def test_m3_pictures_stand_where_they_stood_among_the_text() -> None:
    part = image_part(WIDE)
    asked = Message.of("user", "before", part, "between", part)
    (turn,) = conversation_of([asked], sees=True)
    kinds = [each["type"] for each in turn["content"]]
    assert kinds == ["text", "image", "text", "image"]
    image = turn["content"][1]["image"]
    assert isinstance(image, Image.Image)
    assert np.array_equal(np.asarray(image), WIDE.pixels)
    (small,) = conversation_of([asked], sees=True, max_side=10)
    assert small["content"][1]["image"].size == (10, 5)


def test_m3_pictures_pass_the_gate_on_their_way_to_the_model() -> None:
    clear = Image.new("RGBA", (3, 2), (255, 0, 0, 0))
    out = BytesIO()
    clear.save(out, "PNG")
    part = ImagePart(sha256="0" * 64, width=3, height=2, data=out.getvalue())
    image = conversation_of([Message.of("user", part)], sees=True)[0]["content"][0]["image"]
    assert image.mode == "RGB"
    assert np.all(np.asarray(image) == 255)


def test_m3_system_messages_can_stand_in_the_first_user_message() -> None:
    part = image_part(WIDE)
    told = Message(role="system", text="You know <sks>.")
    asked = Message.of("user", part, "Who?")
    said = Message(role="assistant", text="I got it.")
    assert without_system([told, asked, said]) == (
        Message.of("user", "You know <sks>.", part, "Who?"),
        said,
    )
    assert without_system([asked, said]) == (asked, said)
    assert without_system([told, said]) == (told, said)  # nobody to tell it
