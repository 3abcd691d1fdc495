"""One prompt for one person, for use as a library (the protocols do it in bulk)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from eyeprint.errors import UsageError
from eyeprint.methods.catalog import load_method
from eyeprint.methods.compose import draft_of, read_reply, request_for, write_plain
from eyeprint.methods.setting import MethodModels, MethodSettings
from eyeprint.models.kinds import Chat, TextEncoder
from eyeprint.models.loops import run_to_end
from eyeprint.records.people import Persona
from eyeprint.records.work import Draft, Material, Query


class Rewritten(NamedTuple):
    """A draft with the material it was written from (the trace is in ``material.trace``)."""

    draft: Draft
    material: Material


def method_models(
    encoder: TextEncoder | str = "auto", element_encoder: TextEncoder | str | None = None
) -> MethodModels:
    """Return the models for ad-hoc use; people's vectors are kept in memory only.

    ``element_encoder`` defaults to ``encoder``.
    """
    from eyeprint.models.text_encoders import load_encoder
    from eyeprint.store.embeddings import VectorShelf

    text = load_encoder(encoder) if isinstance(encoder, str) else encoder
    element = text
    if element_encoder is not None:
        element = (
            load_encoder(element_encoder) if isinstance(element_encoder, str) else element_encoder
        )
    shelf = VectorShelf(None, text)
    other = shelf if element is text else VectorShelf(None, element)
    return MethodModels(text=text, element=element, vectors=shelf.of, element_vectors=other.of)


def rewrite(
    query: Query | str,
    person: Persona,
    method: str = "vprag",
    *,
    encoder: TextEncoder | str = "auto",
    writer: Chat | None = None,
    settings: MethodSettings | None = None,
    models: MethodModels | None = None,
    decoding: Mapping[str, Any] | None = None,
) -> Rewritten:
    """Personalise one prompt.

    Args:
        query: what is asked for; text counts as a generation query.
        person: for whom.
        method: a name of :func:`eyeprint.methods.catalog.method_names`.
        encoder: encoder, or its name, when ``models`` is not given.
        writer: a chat model; ``None`` concatenates.
        settings: see :class:`MethodSettings`.
        models: encoders and vectors to reuse over many calls.
        decoding: temperature, top_p, max_tokens, seed for the writer.

    Raises:
        UsageError: the query is blank, or the method is unknown.
        ModelError: an encoder cannot be had. What a chat model did is in ``draft.fault``.

    >>> from eyeprint.people.shipped import load_people
    >>> from eyeprint.models.fakes import HashEncoder
    >>> found = rewrite("A quiet corner", load_people("mini")["mini-03"], encoder=HashEncoder())
    >>> found.draft.prompt.startswith("A quiet corner. In the visual world of a ceramics student")
    True
    """
    asked = query if isinstance(query, Query) else Query(id="query", text=query)
    if not asked.text.strip():
        raise UsageError("The query is blank: say what the picture should show.")
    if not isinstance(person, Persona):
        raise UsageError(
            f"rewrite takes one Persona, and got {type(person).__name__}. "
            'Take one of your people: load_people("mini")["mini-03"].'
        )
    settings = settings or MethodSettings()
    models = models or method_models(encoder)
    material = load_method(method)(person, asked, settings, models)
    if writer is None:
        return Rewritten(write_plain(material, person, settings, models), material)
    request = request_for(material, settings, decoding)
    if request is None:
        return Rewritten(draft_of(material, "plain", asked.text), material)
    reply = run_to_end(writer.reply(request))
    return Rewritten(read_reply(material, writer.name, reply, settings), material)
