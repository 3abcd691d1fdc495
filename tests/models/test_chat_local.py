"""Chat models of random weights, loaded and asked as real ones are (X1, M3, M24, M47)."""

from __future__ import annotations

import asyncio
import json
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from PIL import Image  # noqa: E402

from eyeprint.errors import ModelUnavailable  # noqa: E402
from eyeprint.models import chat_local, chat_local_generation  # noqa: E402
from eyeprint.models.catalog import load_chat  # noqa: E402
from eyeprint.models.chat_http import http_chat  # noqa: E402
from eyeprint.models.chat_local import LocalChat  # noqa: E402
from eyeprint.models.chat_local_generation import Written  # noqa: E402
from eyeprint.models.chat_local_prompts import prompt_of, without_system  # noqa: E402
from eyeprint.models.chat_server import ChatServer  # noqa: E402
from eyeprint.models.kinds import Chat, ChatRequest, Message, Reply  # noqa: E402
from eyeprint.models.pictures import image_part, open_picture  # noqa: E402
from eyeprint.store.ledger import ledger_name  # noqa: E402
from tests.models import tiny_chat_models as tiny  # noqa: E402

pytestmark = pytest.mark.torch
tiny.one_thread()

SAVE: dict[str, Callable[[Path], Path]] = {
    "llama": tiny.save_llama,
    "qwen2": tiny.save_qwen_vl,
    "qwen2.5": lambda folder: tiny.save_qwen_vl(folder, "2.5"),
    "llava": tiny.save_llava,
    "idefics3": tiny.save_idefics3,
    "internvl": tiny.save_internvl,
    "onevision": tiny.save_llava_onevision,
}
SEEING = [name for name in SAVE if name != "llama"]
NOISE = np.random.default_rng(5).integers(0, 256, (3, 60, 40, 3), np.uint8)
ONE, TWO, THREE = (image_part(open_picture(pixels)) for pixels in NOISE)
INJECTED = (
    Message(role="system", text="You know <sks>."),
    Message.of("user", ONE, TWO, "These images show <sks>."),
    Message(role="assistant", text="I got it."),
    Message.of("user", THREE, "Is this <sks>? é"),
)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    root = tmp_path_factory.mktemp("chats")

    def get(name: str) -> Path:
        if not (root / name).exists():
            SAVE[name](root / name)
        return root / name

    return get


def local(folder: Path, **options: Any) -> LocalChat:
    told = {"device": "cpu", "max_tokens": 12} | options
    query = "&".join(f"{key}={value}" for key, value in told.items())
    chat = load_chat(f"local/{folder}?{query}")
    assert isinstance(chat, LocalChat)
    return chat


def ask(chat: Chat, *messages: Message, **settings: Any) -> Reply:
    return asyncio.run(chat.reply(ChatRequest(messages=messages, **settings)))


def hi(chat: Chat, **settings: Any) -> Reply:
    return ask(chat, Message(role="user", text="Hi"), **settings)


def model_of(chat: LocalChat) -> Any:
    chat.load()
    assert chat._loaded is not None
    return chat._loaded


def images(*parts: Any) -> list[Image.Image]:
    return [Image.fromarray(open_picture(part.data).pixels) for part in parts]


def inputs_by_hand(name: str, chat: LocalChat) -> dict[str, Any]:
    """What INJECTED is for a model, put together without its template and its processor."""
    loaded = model_of(chat)
    turns = "<|im_start|>system\nYou know <sks>.<|im_end|>\n<|im_start|>user\n"
    turns += "@@These images show <sks>.<|im_end|>\n<|im_start|>assistant\nI got it.<|im_end|>\n"
    turns += "<|im_start|>user\n@Is this <sks>? é<|im_end|>\n<|im_start|>assistant\n"
    if name == "llama":
        text, seen = turns.replace("@", ""), {}
    elif name == "llava":
        reader = transformers.CLIPImageProcessorPil.from_pretrained(chat.place)
        seen = reader(images(ONE, TWO, THREE), return_tensors="pt")
        # 28 x 28 pixels are 2 x 2 patches.
        text = turns.replace("@", "<image>" * 4)
    else:
        reader = transformers.Qwen2VLImageProcessorPil.from_pretrained(chat.place)
        seen = reader(images(ONE, TWO, THREE), return_tensors="pt")
        # 40 x 60 pixels become at most 56 x 56, in patches of 14 that are merged by 2 x 2.
        pads = [int(grid.prod()) // 4 for grid in seen["image_grid_thw"]]
        text = turns
        for count in pads:
            marks = "<|vision_start|>" + "<|image_pad|>" * count + "<|vision_end|>"
            text = text.replace("@", marks, 1)
    ids = loaded.tokenizer(text, return_tensors="pt")["input_ids"]
    made = {"input_ids": ids, **seen}
    if name.startswith("qwen"):
        image = loaded.tokenizer.convert_tokens_to_ids("<|image_pad|>")
        made["mm_token_type_ids"] = (ids == image).int()
    return made


def likeliest_by_hand(loaded: Any, inputs: dict[str, Any], most: int) -> list[int]:
    """Greedy decoding that reads everything anew for every token, without any cache."""
    end = loaded.tokenizer.convert_tokens_to_ids("<|im_end|>")
    ids, written = inputs["input_ids"], []
    rest = {name: value for name, value in inputs.items() if name != "input_ids"}
    with torch.inference_mode():
        while len(written) < most and end not in written:
            if hasattr(loaded.model, "model") and hasattr(loaded.model.model, "rope_deltas"):
                loaded.model.model.rope_deltas = None
            seen = loaded.model(
                input_ids=ids, attention_mask=torch.ones_like(ids), use_cache=False, **rest
            )
            token = int(seen.logits[0, -1].argmax())
            written.append(token)
            ids = torch.cat([ids, torch.tensor([[token]])], dim=1)
            if "mm_token_type_ids" in rest:
                kinds = rest["mm_token_type_ids"]
                rest["mm_token_type_ids"] = torch.cat([kinds, kinds.new_zeros(1, 1)], dim=1)
    return written


@pytest.mark.parametrize("name", ["llama", "qwen2", "qwen2.5", "llava"])
def test_x1_m3_m24_replies_are_those_of_decoding_by_hand(
    saved: Callable[[str], Path], name: str
) -> None:
    chat = local(saved(name))
    messages = INJECTED
    if name == "llama":
        messages = tuple(Message(role=each.role, text=each.text) for each in INJECTED)
    loaded = model_of(chat)
    inputs = inputs_by_hand(name, chat)
    ids = likeliest_by_hand(loaded, inputs, most=12)
    reply = ask(chat, *messages)
    assert reply.text == loaded.tokenizer.decode(ids, skip_special_tokens=True)
    assert reply.usage.input_tokens == inputs["input_ids"].shape[1]
    assert reply.usage.output_tokens == len(ids)
    assert reply.outcome == ("truncated" if len(ids) == 12 else "answered")
    assert reply.cost_usd == 0
    assert "transformers" in (reply.served_model or "")


@pytest.mark.parametrize("name", SEEING)
def test_m3_m24_every_picture_reaches_the_model_and_in_order(
    saved: Callable[[str], Path], name: str
) -> None:
    loaded = model_of(local(saved(name)))

    def pixels(*parts: Any) -> Any:
        messages = [Message.of("user", *parts[:2], "a"), Message.of("user", *parts[2:], "b")]
        return prompt_of(loaded, messages).inputs["pixel_values"]

    there = pixels(ONE, TWO, THREE)
    assert torch.equal(there, pixels(ONE, TWO, THREE))
    back = pixels(THREE, TWO, ONE)
    assert there.shape == back.shape
    assert not torch.equal(there, back)
    each = there.flatten().reshape(3, -1)
    assert torch.equal(each.flip(0), back.flatten().reshape(3, -1))


@pytest.mark.parametrize("name", list(SAVE))
def test_x1_many_at_once_are_answered_as_one_by_one(
    saved: Callable[[str], Path], name: str
) -> None:
    chat = local(saved(name), max_tokens=5)
    requests = [ChatRequest(messages=(Message(role="user", text=f"call {i}"),)) for i in range(6)]

    async def together() -> list[Reply]:
        return list(await asyncio.gather(*(chat.reply(each) for each in requests)))

    alone = [asyncio.run(chat.reply(each)).text for each in reversed(requests)]
    assert [reply.text for reply in asyncio.run(together())] == alone[::-1]


def test_x1_draws_are_seeded_by_the_request_and_disturb_nobody(
    saved: Callable[[str], Path],
) -> None:
    chat = local(saved("llama"))
    torch.manual_seed(1)
    before = torch.random.get_rng_state()
    first = hi(chat, temperature=1.0, seed=3).text
    others = {hi(chat, temperature=1.0, seed=seed).text for seed in range(10, 16)}
    assert hi(chat, temperature=1.0, seed=3).text == first
    assert len(others | {first}) > 3
    assert hi(chat, temperature=1.0).text == hi(chat, temperature=1.0).text
    assert torch.equal(torch.random.get_rng_state(), before)


def test_x1_temperature_and_top_p_are_those_of_the_request(saved: Callable[[str], Path]) -> None:
    chat = local(saved("llama"))
    released = model_of(chat).model.generation_config
    assert released.do_sample  # what was released draws; a request without temperature does not
    likeliest = hi(chat).text
    assert hi(chat, temperature=0.0, seed=1).text == likeliest
    assert hi(chat, temperature=5.0, top_p=1e-6, seed=1).text == likeliest
    assert hi(chat, temperature=1e-3, seed=1).text == likeliest
    # The released cut to the single likeliest token does not hold for requests.
    assert hi(chat, temperature=5.0, seed=1).text != likeliest
    assert (released.do_sample, released.top_k) == (True, 1)


def test_x1_limits_and_ends(saved: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    chat = local(saved("llava"))
    cut = ask(chat, *INJECTED, max_tokens=3)
    assert (cut.outcome, cut.finish_reason, cut.usage.output_tokens) == ("truncated", "length", 3)
    loaded = model_of(chat)
    whole = likeliest_by_hand(loaded, inputs_by_hand("llava", chat), most=12)
    monkeypatch.setattr(loaded.model.generation_config, "eos_token_id", [whole[2], 9999])
    ended = ask(chat, *INJECTED, max_tokens=12)
    first = whole.index(whole[2]) + 1
    assert (ended.finish_reason, ended.usage.output_tokens) == ("stop", first)
    # An end token that comes as the last allowed one is an end.
    assert ask(chat, *INJECTED, max_tokens=first).finish_reason == "stop"


def test_x1_stop_texts_end_a_reply_and_are_no_part_of_it(saved: Callable[[str], Path]) -> None:
    chat = local(saved("llama"), max_tokens=30)
    request = {"temperature": 1.0, "seed": 5}
    whole = hi(chat, **request)
    letters = [c for c in whole.text if c.isascii() and c.isprintable()]
    assert len(letters) > 2
    stop = letters[1]
    cut = hi(chat, **request, stop=("never there", stop))
    assert cut.text == whole.text[: whole.text.index(stop)]
    assert cut.finish_reason == "stop"
    assert (cut.usage.output_tokens or 0) < (whole.usage.output_tokens or 0)


def test_x9_refusals_are_told_as_everywhere(
    saved: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    said = Written("I'm sorry, but I can't help with that.", 9, "stop")
    monkeypatch.setattr(chat_local_generation, "write", lambda *given: said)
    reply = hi(local(saved("llama")), json_mode=True)
    assert reply.outcome == "refused"
    assert "not held to JSON" in reply.detail
    blank = Written("\x00 \n", 2, "stop")
    monkeypatch.setattr(chat_local_generation, "write", lambda *given: blank)
    assert "\x00" not in hi(local(saved("llama"))).text


def test_m3_a_model_that_reads_text_alone_says_so(saved: Callable[[str], Path]) -> None:
    reply = ask(local(saved("llama")), *INJECTED)
    assert (reply.outcome, reply.failure) == ("failed", "bad_request")
    assert "reads text alone" in reply.detail


def test_m3_templates_without_a_system_message_get_it_from_the_user(tmp_path: Path) -> None:
    template = tiny.NO_SYSTEM + tiny.picture_template("<|vision_start|><|image_pad|><|vision_end|>")
    chat = local(tiny.save_qwen_vl(tmp_path / "m", template=template))
    folded, plain = ask(chat, *INJECTED), ask(chat, *without_system(INJECTED))
    assert folded.outcome in ("answered", "truncated")
    assert (folded.text, folded.usage) == (plain.text, plain.usage)
    assert "takes no system message" in folded.detail
    assert plain.detail == ""


def test_x1_a_template_that_refuses_is_a_failed_call(tmp_path: Path) -> None:
    template = "{{ raise_exception('roles must alternate') }}"
    chat = local(tiny.save_llama(tmp_path / "m", template))
    for messages in (
        (Message(role="user", text="Hi"),),
        (INJECTED[0], Message(role="user", text="x")),
    ):
        reply = ask(chat, *messages)
        assert (reply.outcome, reply.failure) == ("failed", "bad_request")
        assert "roles must alternate" in reply.detail


def test_x1_marks_of_pictures_in_texts_are_told_and_do_no_harm(
    saved: Callable[[str], Path],
) -> None:
    chat = local(saved("qwen2"))
    reply = ask(chat, Message.of("user", ONE, "a <|image_pad|> in words"))
    assert (reply.outcome, reply.failure) == ("failed", "bad_request")
    assert ask(chat, *INJECTED).outcome in ("answered", "truncated")


def test_x1_prompts_that_are_too_long(tmp_path: Path) -> None:
    chat = local(tiny.save_llama(tmp_path / "m", max_position_embeddings=64), max_tokens=500)
    reply = ask(chat, Message(role="user", text="x" * 64))
    assert (reply.outcome, reply.failure) == ("failed", "bad_request")
    assert "the model reads 64" in reply.detail
    # What room there is, is used: the reply ends with it and says so.
    near = ask(chat, Message(role="user", text="x" * 30), temperature=1.0, seed=2)
    used = (near.usage.input_tokens or 0) + (near.usage.output_tokens or 0)
    assert used == 64 if near.outcome == "truncated" else used < 64


@pytest.mark.parametrize(
    ("error", "failure", "told"),
    [
        (torch.OutOfMemoryError("CUDA out of memory."), "server_error", "device_map=auto"),
        (MemoryError(), "server_error", "memory of cpu ran out"),
        (RuntimeError("CUDA error: something\nlong"), "server_error", "CUDA error: something"),
        (IndexError("index out of range in self"), "bad_request", "index out of range"),
    ],
)  # fmt: skip
def test_x1_what_breaks_while_writing_is_told_and_the_next_call_works(
    saved: Callable[[str], Path],
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    failure: str,
    told: str,
) -> None:
    chat = local(saved("llama"))

    def broken(**given: Any) -> Any:
        raise error

    with monkeypatch.context() as patched:
        patched.setattr(model_of(chat).model, "generate", broken)
        reply = hi(chat)
    assert (reply.outcome, reply.failure) == ("failed", failure)
    assert told in reply.detail
    assert hi(chat).outcome != "failed"


def test_x1_a_reply_that_nobody_waits_for_is_not_written_to_its_end(
    saved: Callable[[str], Path],
) -> None:
    chat = local(saved("llama"))
    loaded = model_of(chat)
    steps = threading.Semaphore(0)
    counted = []
    forward = loaded.model.forward

    def slow(*given: Any, **named: Any) -> Any:
        counted.append(1)
        steps.release()
        return forward(*given, **named)

    async def leave() -> None:
        request = ChatRequest(
            messages=(Message(role="user", text="Hi"),), max_tokens=4000, stop=("never",)
        )
        call = asyncio.create_task(chat.reply(request))
        await asyncio.to_thread(steps.acquire)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call

    loaded.model.generation_config.eos_token_id, ends = [9999], None
    loaded.model.forward = slow
    try:
        asyncio.run(leave())
        assert hi(chat, max_tokens=1).usage.output_tokens == 1  # the thread is free again
    finally:
        loaded.model.forward = forward
        loaded.model.generation_config.eos_token_id = ends
    assert len(counted) < 1000


def test_x1_chats_on_the_same_weights_share_one_model(saved: Callable[[str], Path]) -> None:
    one, two = local(saved("llava")), local(saved("llava"), max_tokens=3)
    other = local(saved("llava"), dtype="bfloat16")
    assert model_of(one).model is model_of(two).model
    assert model_of(one).model is not model_of(other).model
    assert model_of(other).model.dtype == torch.bfloat16
    assert ask(other, *INJECTED).outcome in ("answered", "truncated")


def test_x1_ledgers_tell_weights_and_number_formats_apart(
    saved: Callable[[str], Path], tmp_path: Path
) -> None:
    chat = local(saved("llama"))
    assert isinstance(chat, Chat)
    assert ledger_name(chat).startswith(chat.name + " at folder:")
    assert ledger_name(chat).endswith("float32")
    copied = shutil.copytree(saved("llama"), tmp_path / "other")
    model = transformers.LlamaForCausalLM.from_pretrained(copied)
    with torch.no_grad():
        model.lm_head.weight[0, 0] += 1
    model.save_pretrained(copied)
    assert local(copied).weights.identity != chat.weights.identity


def test_m47_weights_in_pieces_spread_over_devices(
    saved: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("accelerate")
    folder = shutil.copytree(saved("qwen2.5"), tmp_path / "sharded")
    (folder / "model.safetensors").unlink()
    model = transformers.Qwen2_5_VLForConditionalGeneration.from_pretrained(saved("qwen2.5"))
    model.save_pretrained(folder, max_shard_size="50KB")
    assert len(list(folder.glob("model-*.safetensors"))) > 1
    kind = transformers.AutoModelForImageTextToText
    given, read = [], kind.from_pretrained

    def spy(*place: Any, **how: Any) -> Any:
        given.append(how.get("device_map"))
        return read(*place, **how)

    monkeypatch.setattr(kind, "from_pretrained", spy)
    spread, whole = local(folder, device_map="auto"), local(folder)
    assert ask(spread, *INJECTED).text == ask(whole, *INJECTED).text
    assert given == ["auto", None]
    assert ask(whole, *INJECTED).text == ask(local(saved("qwen2.5")), *INJECTED).text
    assert ledger_name(spread) == ledger_name(whole)  # where it runs is no part of what it is


def edited(folder: Path, to: Path, **changes: Any) -> Path:
    copied = shutil.copytree(folder, to)
    config = json.loads((copied / "config.json").read_text()) | changes
    (copied / "config.json").write_text(json.dumps(config))
    return copied


@pytest.mark.parametrize(
    ("break_it", "told"),
    [
        (lambda f: (f / "chat_template.jinja").unlink(), "has no chat template"),
        (lambda f: (f / "model.safetensors").write_bytes(b"x" * 50), "cannot be loaded"),
        (lambda f: (f / "tokenizer.json").write_text("{"), "cannot be loaded"),
    ],
)
@pytest.mark.parametrize("name", ["llama", "llava"])
def test_x1_folders_that_are_broken(
    saved: Callable[[str], Path],
    tmp_path: Path,
    break_it: Callable[[Path], Any],
    told: str,
    name: str,
) -> None:
    folder = shutil.copytree(saved(name), tmp_path / "m")
    break_it(folder)
    with pytest.raises(ModelUnavailable, match=told):
        hi(local(folder))


def test_m24_models_that_the_library_does_not_know(
    saved: Callable[[str], Path], tmp_path: Path
) -> None:
    strange = edited(
        saved("llama"), tmp_path / "a", model_type="internvl_chat", auto_map={"x": "y"}
    )
    with pytest.raises(
        ModelUnavailable, match=r"no model of type 'internvl_chat'.*code of its own"
    ):
        hi(local(strange))
    mute = edited(saved("llama"), tmp_path / "b", model_type="clip", architectures=["CLIPModel"])
    with pytest.raises(ModelUnavailable, match="cannot chat"):
        hi(local(mute))
    deeper = edited(saved("llama"), tmp_path / "c", num_hidden_layers=3)
    with pytest.raises(ModelUnavailable, match="weights are missing, the first is"):
        hi(local(deeper))


def test_x1_m24_behind_a_server_a_model_in_process_says_the_same(
    saved: Callable[[str], Path],
) -> None:
    chat = local(saved("qwen2.5"))
    here = ask(chat, *INJECTED, max_tokens=7)

    async def over_http(server: ChatServer) -> Reply:
        client = http_chat(server.model)
        try:
            return await client.reply(ChatRequest(messages=INJECTED, max_tokens=7))
        finally:
            await client.close()

    with ChatServer(chat) as server:
        there = asyncio.run(over_http(server))
    same = ("text", "outcome", "finish_reason", "usage", "served_model")
    assert [getattr(there, each) for each in same] == [getattr(here, each) for each in same]


def test_x1_nothing_is_loaded_before_the_first_request(saved: Callable[[str], Path]) -> None:
    chat = local(saved("llama"))
    assert chat._loaded is None
    assert chat_local.PREFIX in repr(chat)
    hi(chat)
    assert chat._loaded is not None
