"""Names become models, and plug-ins add names (CHECKLIST X1)."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

from eyeprint.errors import UnknownName, UsageError
from eyeprint.models import catalog, plugins, text_encoders
from eyeprint.models.fakes import EchoChat, HashEncoder


def made_chat(name: str) -> EchoChat:
    return EchoChat(name)


def made_encoder(name: str) -> HashEncoder:
    return HashEncoder(dim=16)


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    points = [
        EntryPoint("mine", f"{__name__}:made_chat", plugins.MODELS),
        EntryPoint("hashes", f"{__name__}:made_encoder", plugins.MODELS),
    ]
    loaded = {"mine": made_chat, "hashes": made_encoder}
    # Tests are not importable by name under every import mode; the look-up is real.
    monkeypatch.setattr(EntryPoint, "load", lambda self: loaded[self.name])
    monkeypatch.setattr(plugins, "entry_points", lambda group: points)


def test_x1_built_in_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "k")
    assert catalog.load_chat("echo").name == "echo"
    assert catalog.load_chat("http://127.0.0.1:1/v1#m").name == "http://127.0.0.1:1/v1#m"
    assert catalog.load_chat("gemini/gemini-2.5-pro").name == "gemini/gemini-2.5-pro"


def test_x1_an_unknown_chat_names_what_there_is() -> None:
    with pytest.raises(UnknownName, match=r"openai/\.\.\."):
        catalog.load_chat("nowhere/model")
    with pytest.raises(UnknownName, match="Did you mean 'echo'"):
        catalog.load_chat("ecko")


@pytest.mark.usefixtures("registered")
def test_plugins_serve_their_name_and_names_below_it() -> None:
    assert catalog.load_chat("mine").name == "mine"
    assert catalog.load_chat("mine/big").name == "mine/big"
    assert text_encoders.load_encoder("hashes").dim == 16
    assert "mine" in catalog.chat_names()


@pytest.mark.usefixtures("registered")
def test_a_plugin_of_the_wrong_kind_is_told() -> None:
    with pytest.raises(UsageError, match="no chat model"):
        catalog.load_chat("hashes")
    with pytest.raises(UsageError, match="no text encoder"):
        text_encoders.load_encoder("mine")


def test_built_in_encoders_come_from_their_room() -> None:
    with pytest.raises(UnknownName):
        text_encoders.load_encoder("no-such-encoder")
