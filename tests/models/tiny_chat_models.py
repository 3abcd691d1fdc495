"""Random-weight chat models of a few hundred kilobytes, saved as real ones are.

Each function writes a model with its processor into a folder: byte-level tokenizers without
merges, ChatML templates. Imports torch when called.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

MARKS = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>"]
MARKS += ["<|image_pad|>", "<|video_pad|>", "<image>", "<fake_token_around_image>", "<global-img>"]
MARKS += ["<IMG_CONTEXT>", "<img>", "</img>"]

TEXT_TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def picture_template(mark: str) -> str:
    return (
        "{% for m in messages %}<|im_start|>{{ m.role }}\n{% for part in m.content %}"
        "{% if part.type == 'image' %}" + mark + "{% else %}{{ part.text }}{% endif %}"
        "{% endfor %}<|im_end|>\n{% endfor %}"
        "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
    )


NO_SYSTEM = "{% if messages[0].role == 'system' %}{{ raise_exception('no system') }}{% endif %}"


def one_thread() -> None:
    """Let torch use one thread: for models this small, more of them mostly wait."""
    import torch

    torch.set_num_threads(1)


def tokenizer(**more: Any) -> Any:
    """Bytes as tokens, and marks that are read whole."""
    from tokenizers import Tokenizer, decoders, pre_tokenizers
    from tokenizers.models import BPE
    from transformers import PreTrainedTokenizerFast

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    inner = Tokenizer(BPE(vocab={letter: i for i, letter in enumerate(letters)}, merges=[]))
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    made = PreTrainedTokenizerFast(
        tokenizer_object=inner,
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        clean_up_tokenization_spaces=False,
        **more,
    )
    made.add_special_tokens({"additional_special_tokens": MARKS})
    return made


def _text_config(vocab: int, **more: Any) -> dict[str, Any]:
    return {
        "hidden_size": 32,
        "intermediate_size": 48,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "num_key_value_heads": 2,
        "vocab_size": vocab,
        "max_position_embeddings": 4096,
        "initializer_range": 0.5,
        **more,
    }


def _generation(model: Any, words: Any, **more: Any) -> None:
    from transformers import GenerationConfig

    model.generation_config = GenerationConfig(
        eos_token_id=[words.convert_tokens_to_ids("<|im_end|>")],
        pad_token_id=words.pad_token_id,
        do_sample=True,
        temperature=0.01,
        top_k=1,
        **more,
    )


def save_llama(folder: Path, template: str | None = TEXT_TEMPLATE, **more: Any) -> Path:
    """A model that reads text alone."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    words = tokenizer()
    words.chat_template = template
    torch.manual_seed(0)
    model = LlamaForCausalLM(
        LlamaConfig(**_text_config(len(words), eos_token_id=words.eos_token_id, **more))
    )
    _generation(model, words)
    model.save_pretrained(folder)
    words.save_pretrained(folder)
    return folder


def save_qwen_vl(folder: Path, kind: str = "2", template: str | None = None) -> Path:
    """Qwen2-VL or Qwen2.5-VL: pictures of any size in patches of 14 pixels, merged by four."""
    import torch
    import transformers

    words = tokenizer()
    ids = {
        "image_token_id": words.convert_tokens_to_ids("<|image_pad|>"),
        "video_token_id": words.convert_tokens_to_ids("<|video_pad|>"),
        "vision_start_token_id": words.convert_tokens_to_ids("<|vision_start|>"),
        "vision_end_token_id": words.convert_tokens_to_ids("<|vision_end|>"),
    }
    rope = {"mrope_section": [2, 3, 3], "rope_type": "default", "rope_theta": 1e4}
    text = _text_config(len(words), rope_parameters=rope)
    see: dict[str, Any] = {"depth": 2, "num_heads": 2, "initializer_range": 0.5}
    if kind == "2":
        see |= {"embed_dim": 32, "hidden_size": 32, "mlp_ratio": 2}
        config, model = transformers.Qwen2VLConfig, transformers.Qwen2VLForConditionalGeneration
        name = "Qwen2VLProcessor"
    else:
        see |= {"hidden_size": 32, "intermediate_size": 48, "out_hidden_size": 32}
        config = transformers.Qwen2_5_VLConfig
        model, name = transformers.Qwen2_5_VLForConditionalGeneration, "Qwen2_5_VLProcessor"
    torch.manual_seed(1)
    made = model(config(text_config=text, vision_config=see, **ids))
    _generation(made, words)
    made.save_pretrained(folder)
    words.chat_template = template or picture_template(
        "<|vision_start|><|image_pad|><|vision_end|>"
    )
    reader = transformers.Qwen2VLImageProcessorPil(min_pixels=28 * 28, max_pixels=56 * 56)
    _save_processor(folder, words, reader, name)
    return folder


def save_llava(folder: Path) -> Path:
    """LLaVA: CLIP's patches of pictures that are all of one size."""
    import torch
    import transformers

    words = tokenizer()
    torch.manual_seed(2)
    made = transformers.LlavaForConditionalGeneration(
        transformers.LlavaConfig(
            vision_config=transformers.CLIPVisionConfig(
                hidden_size=16, intermediate_size=24, num_hidden_layers=2, num_attention_heads=2,
                image_size=28, patch_size=14, projection_dim=16,
            ),
            text_config=transformers.LlamaConfig(**_text_config(len(words))),
            image_token_id=words.convert_tokens_to_ids("<image>"),
            image_seq_length=4,
        )
    )  # fmt: skip
    _generation(made, words)
    made.save_pretrained(folder)
    words.chat_template = picture_template("<image>")
    reader = transformers.CLIPImageProcessorPil(size={"shortest_edge": 28}, crop_size=28)
    about = {"patch_size": 14, "vision_feature_select_strategy": "default",
             "num_additional_image_tokens": 1}  # fmt: skip
    _save_processor(folder, words, reader, "LlavaProcessor", about)
    return folder


def save_idefics3(folder: Path) -> Path:
    """Idefics3: pictures are cut into tiles, in rows and columns."""
    import torch
    import transformers

    words = tokenizer()
    torch.manual_seed(3)
    made = transformers.Idefics3ForConditionalGeneration(
        transformers.Idefics3Config(
            vision_config={
                "hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 2,
                "num_attention_heads": 2, "image_size": 56, "patch_size": 14,
            },
            text_config=transformers.LlamaConfig(**_text_config(len(words))),
            image_token_id=words.convert_tokens_to_ids("<image>"),
            scale_factor=2,
        )
    )  # fmt: skip
    _generation(made, words)
    made.save_pretrained(folder)
    words.chat_template = picture_template("<image>")
    reader = transformers.Idefics3ImageProcessorPil(
        size={"longest_edge": 112}, max_image_size={"longest_edge": 56}
    )
    _save_processor(folder, words, reader, "Idefics3Processor", {"image_seq_len": 4})
    return folder


def save_internvl(folder: Path) -> Path:
    """InternVL as transformers has it: tiles and a small whole of each picture."""
    import torch
    import transformers

    marks = {"start_image_token": "<img>", "end_image_token": "</img>"}
    marks |= {"context_image_token": "<IMG_CONTEXT>", "video_token": "<|video_pad|>"}
    words = tokenizer(extra_special_tokens=marks)
    torch.manual_seed(4)
    made = transformers.InternVLForConditionalGeneration(
        transformers.InternVLConfig(
            vision_config={
                "hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 2,
                "num_attention_heads": 2, "image_size": [28, 28], "patch_size": [7, 7],
            },
            text_config=transformers.Qwen2Config(**_text_config(len(words))),
            image_token_id=words.convert_tokens_to_ids("<IMG_CONTEXT>"),
            image_seq_length=4,
            downsample_ratio=0.5,
        )
    )  # fmt: skip
    _generation(made, words)
    made.save_pretrained(folder)
    words.chat_template = picture_template("<IMG_CONTEXT>\n")
    reader = transformers.GotOcr2ImageProcessorPil(
        size={"height": 28, "width": 28}, crop_to_patches=True, max_patches=4
    )
    _save_processor(folder, words, reader, "InternVLProcessor", {"image_seq_length": 4})
    return folder


def save_llava_onevision(folder: Path) -> Path:
    """LLaVA-OneVision: pictures in the nearest of several shapes."""
    import torch
    import transformers

    words = tokenizer()
    shapes = [[28, 28], [56, 28], [28, 56]]
    torch.manual_seed(5)
    made = transformers.LlavaOnevisionForConditionalGeneration(
        transformers.LlavaOnevisionConfig(
            vision_config=transformers.SiglipVisionConfig(
                hidden_size=16, intermediate_size=24, num_hidden_layers=2, num_attention_heads=2,
                image_size=28, patch_size=14,
            ),
            text_config=transformers.Qwen2Config(**_text_config(len(words))),
            image_token_id=words.convert_tokens_to_ids("<image>"),
            image_grid_pinpoints=shapes,
        )
    )  # fmt: skip
    _generation(made, words)
    made.save_pretrained(folder)
    words.chat_template = picture_template("<image>")
    reader = transformers.LlavaOnevisionImageProcessorPil(
        size={"height": 28, "width": 28}, image_grid_pinpoints=shapes
    )
    about = {"num_image_tokens": 4, "vision_feature_select_strategy": "full"}
    _save_processor(folder, words, reader, "LlavaOnevisionProcessor", about)
    return folder


def _save_processor(
    folder: Path, words: Any, reader: Any, name: str, about: dict[str, Any] | None = None
) -> None:
    words.save_pretrained(folder)
    reader.save_pretrained(folder)
    if about is not None:
        told = {"processor_class": name, **about}
        (folder / "processor_config.json").write_text(json.dumps(told))
        return
    # As older releases have it: the class is named beside the picture reader.
    path = folder / "preprocessor_config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"processor_class": name}))
