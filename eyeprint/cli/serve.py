"""``eyeprint serve``: any chat behind a local server that speaks the OpenAI protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from eyeprint.models.kinds import Chat


def register(app: typer.Typer) -> None:
    """Add the command to the group."""
    app.command("serve")(serve)


def serve(
    name: Annotated[
        str,
        typer.Argument(help="nearest, local/PATH_OR_ID, echo, or any chat model.", metavar="NAME"),
    ],
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port of 127.0.0.1; 0 takes a free one.")
    ] = 8000,
) -> None:
    """Serve a chat model on this machine through the OpenAI protocol, until Ctrl-C.

    Example: eyeprint serve nearest --port 8000
    """
    from rich.console import Console

    from eyeprint.models.catalog import load_chat
    from eyeprint.models.chat_server import ChatServer

    chat = load_chat(name)
    notes = Console(stderr=True)
    _made_ready(chat)
    with ChatServer(chat, port) as server:
        try:
            notes.print(
                f"{chat.name} is served at {server.url}. Ask it with: --model {server.model}",
                markup=False,
                highlight=False,
                soft_wrap=True,
            )
            notes.print("Stop it with Ctrl-C.")
            # The address is what scripts read; it goes out at once, to a pipe too, and last, so
            # that whoever has read it may stop the server.
            typer.echo(server.model)
            server.wait()
        except KeyboardInterrupt:
            notes.print(f"Stopped after {server.calls} calls.")


def _made_ready(chat: Chat) -> None:
    """Load the weights of a model on this machine before anybody waits for them."""
    from eyeprint.models.chat_local import LocalChat

    if isinstance(chat, LocalChat):
        chat.load()
