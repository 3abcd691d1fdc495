"""From messages to a model's input: chat template, interleaved pictures, token ids."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from eyeprint.models.chat_local_loading import LoadedChat
from eyeprint.models.kinds import ImagePart, Message, TextPart
from eyeprint.models.pictures import fitted_size, open_picture, resized

FOLDED = "its template takes no system message: what it says stands before the first user message"


class Prompt(NamedTuple):
    """What goes into ``generate``."""

    inputs: Any
    """Tensors by name."""
    tokens: int
    """Length of the prompt; a picture counts as many as the model makes of it."""
    notes: tuple[str, ...] = ()


def conversation_of(
    messages: Sequence[Message], sees: bool, max_side: int | None = None
) -> list[dict[str, Any]]:
    """Return messages as chat templates want them, pictures as opened images.

    A model that reads text alone gets plain texts: its template knows nothing of parts.

    >>> conversation_of([Message(role="user", text="Hi")], sees=True)
    [{'role': 'user', 'content': [{'type': 'text', 'text': 'Hi'}]}]
    >>> conversation_of([Message(role="user", text="Hi")], sees=False)
    [{'role': 'user', 'content': 'Hi'}]
    """
    if not sees:
        return [{"role": each.role, "content": each.text} for each in messages]
    return [
        {
            "role": each.role,
            "content": [
                {"type": "image", "image": _image(part, max_side)}
                if isinstance(part, ImagePart)
                else {"type": "text", "text": part.text}
                for part in each.parts or (TextPart(text=each.text),)
            ],
        }
        for each in messages
    ]


def _image(part: ImagePart, max_side: int | None) -> Any:
    """Return the picture of a part, through the gate, as the imaging library's object."""
    from PIL import Image

    picture = open_picture(part.data, name=f"the picture {part.sha256[:12]} of the request")
    if max_side is not None:
        picture = resized(picture, *fitted_size(picture.width, picture.height, max_side))
    return Image.fromarray(picture.pixels)


def without_system(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Return messages whose system messages stand before the first user message.

    >>> said = [Message(role="system", text="Be brief."), Message(role="user", text="Hi")]
    >>> [(each.role, each.text) for each in without_system(said)]
    [('user', 'Be brief.\\n\\nHi')]
    """
    system = [each for each in messages if each.role == "system"]
    rest = [each for each in messages if each.role != "system"]
    first = next((i for i, each in enumerate(rest) if each.role == "user"), None)
    if not system or first is None:
        return tuple(messages)
    told = "\n\n".join(each.text for each in system)
    user = rest[first]
    if user.parts or any(each.parts for each in system):
        before = [part for each in system for part in _parts(each)]
        rest[first] = Message.of("user", *before, *_parts(user))
    else:
        rest[first] = Message(role="user", text=f"{told}\n\n{user.text}")
    return tuple(rest)


def _parts(message: Message) -> list[str | ImagePart]:
    if not message.parts:
        return [message.text]
    return [part if isinstance(part, ImagePart) else part.text for part in message.parts]


def prompt_of(
    loaded: LoadedChat, messages: Sequence[Message], max_side: int | None = None
) -> Prompt:
    """Return the model's input for messages that it shall answer.

    Raises:
        ValueError, TypeError: the template or the processor cannot take these messages.
        UnreadablePicture: a part's bytes are no picture.
    """
    from jinja2 import TemplateError

    try:
        return _prompt(loaded, messages, max_side)
    except TemplateError as error:
        folded = without_system(messages)
        if folded == tuple(messages):
            raise ValueError(f"its chat template refuses these messages ({error})") from error
    try:
        return _prompt(loaded, folded, max_side)._replace(notes=(FOLDED,))
    except TemplateError as error:
        raise ValueError(f"its chat template refuses these messages ({error})") from error


def _prompt(loaded: LoadedChat, messages: Sequence[Message], max_side: int | None) -> Prompt:
    inputs = loaded.processor.apply_chat_template(
        conversation_of(messages, loaded.sees, max_side),
        tokenize=True,
        return_dict=True,
        return_tensors="pt",
        add_generation_prompt=True,
    )
    # Pictures take the model's number format, token ids stay whole numbers.
    placed = inputs.to(loaded.model.device)
    for name, value in placed.items():
        if hasattr(value, "is_floating_point") and value.is_floating_point():
            placed[name] = value.to(loaded.model.dtype)
    return Prompt(placed, int(placed["input_ids"].shape[1]))
