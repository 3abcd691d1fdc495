"""Our chats as models of Inspect (extra ``inspect``): ``--model eyeprint/nearest``.

Every name of :mod:`eyeprint.models.catalog` can follow: the offline baseline, models in this
process, servers by their URL, plug-ins. Requests are read as our server reads them
(:mod:`eyeprint.models.chat_server_wire`), so what cannot be done is refused by name.
:mod:`eyeprint.models.chat_inspect` is the other direction.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from eyeprint.errors import CallFailed, UsageError
from eyeprint.models.catalog import load_chat
from eyeprint.models.chat_inspect_wire import need_inspect
from eyeprint.models.chat_server_wire import BadRequest, read_request
from eyeprint.models.kinds import ChatRequest, Outcome, Reply

PROVIDER = "eyeprint"
_STOPS: dict[Outcome, str] = {"truncated": "max_tokens", "refused": "content_filter"}


def register_provider() -> None:
    """Make ``eyeprint/NAME`` a model of Inspect.

    Raises:
        MissingExtra: inspect_ai is not installed.
    """
    need_inspect("Inspect's provider 'eyeprint'")
    from inspect_ai.model import modelapi

    modelapi(name=PROVIDER)(provider)


def provider() -> type[Any]:
    """Return the class of the provider; Inspect asks for it when it is named."""
    from inspect_ai.model import GenerateConfig, ModelAPI

    class EyeprintAPI(ModelAPI):  # type: ignore[misc]
        """One chat of ours behind Inspect's interface."""

        def __init__(
            self,
            model_name: str,
            base_url: str | None = None,
            api_key: str | None = None,
            config: Any = GenerateConfig(),  # noqa: B008
            **model_args: Any,
        ) -> None:
            super().__init__(model_name, base_url, api_key, [], config)
            if model_args or base_url or api_key:
                raise UsageError(
                    "Models of eyeprint take no arguments: all is in the name, such as "
                    "eyeprint/local/OWNER/NAME?dtype=bfloat16; keys are in the environment."
                )
            self.chat = load_chat(model_name)

        async def generate(self, input: Any, tools: Any, tool_choice: Any, config: Any) -> Any:
            """Answer one request.

            Raises:
                UsageError: it holds tools, or what no chat of ours reads.
                CallFailed: there is no reply.
            """
            if tools:
                raise UsageError("Chats of eyeprint call no tools.")
            reply = await self.chat.reply(request_of(input, config))
            if reply.outcome == "failed":
                raise CallFailed(reply.failure or "failed", reply.detail or "the call failed")
            return output_of(reply, self.model_name)

    return EyeprintAPI


def request_of(messages: Sequence[Any], config: Any) -> ChatRequest:
    """Return Inspect's messages and parameters as a request of ours.

    Raises:
        UsageError: a message holds what is neither text nor picture, or a parameter is wrong.
    """
    body = {
        "model": PROVIDER,
        "messages": [{"role": each.role, "content": _content(each.content)} for each in messages],
        "temperature": config.temperature,
        "top_p": config.top_p,
        "max_tokens": config.max_tokens,
        "seed": config.seed,
        "stop": config.stop_seqs or None,
    }
    try:
        return read_request(json.dumps(body).encode(), (PROVIDER,))
    except BadRequest as error:
        raise UsageError(error.message) from error


def _content(content: Any) -> Any:
    if isinstance(content, str):
        return content
    parts: list[dict[str, Any]] = []
    for part in content:
        if part.type == "image":
            parts.append({"type": "image_url", "image_url": {"url": part.image}})
        else:
            # Anything else is told by name when it is read.
            parts.append({"type": part.type, "text": getattr(part, "text", None)})
    return parts


def output_of(reply: Reply, name: str) -> Any:
    """Return a reply of ours as Inspect's output."""
    from inspect_ai.model import ModelOutput, ModelUsage

    output = ModelOutput.from_content(
        model=reply.served_model or name,
        content=reply.text,
        stop_reason=_STOPS.get(reply.outcome, "stop"),
    )
    given, written = reply.usage.input_tokens or 0, reply.usage.output_tokens or 0
    output.usage = ModelUsage(
        input_tokens=given, output_tokens=written, total_tokens=given + written
    )
    return output
