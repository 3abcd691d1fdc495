"""One reply of a model on this machine: decoding, where it ends, and what is counted.

Without a temperature, or with 0, the likeliest token is taken each time; everything else that
the model's own ``generation_config.json`` says, such as a penalty on repeats, stays as
released. Draws are seeded by the request, so that the same request gives the same reply in
any order and in a resumed run.
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from eyeprint.models.chat_local_loading import LoadedChat
from eyeprint.models.chat_local_prompts import Prompt
from eyeprint.models.kinds import ChatRequest
from eyeprint.models.painter_devices import Stopped
from eyeprint.randomness import stable_hash

_DRAWING = threading.Lock()


class Written(NamedTuple):
    """What a model wrote."""

    text: str
    tokens: int
    finish_reason: str
    """``stop`` at an end token or a stop text, ``length`` at the limit."""


class TooLong(ValueError):
    """The prompt leaves no room for a reply."""


def write(
    loaded: LoadedChat,
    prompt: Prompt,
    request: ChatRequest,
    most_tokens: int,
    stop: threading.Event,
) -> Written:
    """Let the model answer a prompt.

    Args:
        loaded: the model.
        prompt: its input.
        request: temperature, top_p, seed and stop texts.
        most_tokens: limit of the reply where the request sets none.
        stop: set when nobody waits for the reply any more.

    Raises:
        Stopped: ``stop`` was set.
        TooLong: the prompt is as long as all that the model reads, or longer.
    """
    import torch

    room = _room(loaded, prompt)
    limit = min(request.max_tokens or most_tokens, room)
    config = decoding_of(loaded.model.generation_config, request, limit)
    ends = _ends(config, loaded.tokenizer)
    watch = _watch(loaded.tokenizer, prompt.tokens, request.stop, stop)
    with torch.inference_mode(), _seeded(request, bool(config.do_sample)):
        output = loaded.model.generate(
            **prompt.inputs, generation_config=config, stopping_criteria=[watch]
        )
    if stop.is_set():
        raise Stopped
    ids = [int(token) for token in output[0, prompt.tokens :]]
    text = loaded.tokenizer.decode(ids, skip_special_tokens=True)
    cut = _first_stop(text, request.stop)
    if cut is not None:
        return Written(text[:cut], len(ids), "stop")
    ended = bool(ids) and ids[-1] in ends
    return Written(text, len(ids), "stop" if ended or len(ids) < limit else "length")


def decoding_of(released: Any, request: ChatRequest, limit: int) -> Any:
    """Return the model's generation settings with those of the request in their place.

    Args:
        released: the model's own ``GenerationConfig``; it is left as it is.
        request: temperature (``None`` and 0 draw nothing) and top_p.
        limit: most new tokens.
    """
    config = copy.deepcopy(released)
    draws = bool(request.temperature)
    config.do_sample = draws
    config.temperature = request.temperature if draws else 1.0
    config.top_p = request.top_p if draws and request.top_p is not None else 1.0
    # The protocol has no such cut; 0 turns it off.
    config.top_k = 0 if draws else 50
    config.num_beams = 1
    config.max_new_tokens = limit
    config.max_length = None
    config.return_dict_in_generate = False
    return config


def _room(loaded: LoadedChat, prompt: Prompt) -> int:
    config = loaded.model.config
    reads = getattr(config.get_text_config(), "max_position_embeddings", None)
    if not isinstance(reads, int):
        return 1 << 30
    if prompt.tokens >= reads:
        raise TooLong(f"the prompt has {prompt.tokens} tokens, and the model reads {reads}")
    return reads - prompt.tokens


def _ends(config: Any, tokenizer: Any) -> set[int]:
    named = config.eos_token_id
    if named is None:
        named = tokenizer.eos_token_id
        config.eos_token_id = named
    if config.pad_token_id is None:
        # Only told so that the library does not warn: nothing is padded.
        config.pad_token_id = tokenizer.pad_token_id or 0
    ends = named if isinstance(named, list) else [named]
    return {int(token) for token in ends if token is not None}


def _first_stop(text: str, stops: Sequence[str]) -> int | None:
    places = [text.find(each) for each in stops]
    return min((place for place in places if place >= 0), default=None)


def _watch(tokenizer: Any, prompt: int, stops: Sequence[str], stop: threading.Event) -> Any:
    """Return what ends a reply early: a stop text, or that nobody waits any more."""
    import torch

    def done(input_ids: Any, scores: Any, **rest: Any) -> Any:
        over = stop.is_set()
        if stops and not over:
            text = tokenizer.decode(input_ids[0, prompt:], skip_special_tokens=True)
            over = _first_stop(text, stops) is not None
        return torch.full((input_ids.shape[0],), over, device=input_ids.device)

    return done


@contextmanager
def _seeded(request: ChatRequest, draws: bool) -> Iterator[None]:
    """Seed the library's only generator for one reply, and give it back as it was."""
    if not draws:
        yield
        return
    import torch

    seed = request.seed
    if seed is None:
        seed = stable_hash(request.model_dump(mode="json"))
    with _DRAWING, torch.random.fork_rng(devices=list(range(torch.cuda.device_count()))):
        torch.manual_seed(seed % 2**63)
        yield
