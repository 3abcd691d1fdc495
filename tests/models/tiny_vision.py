"""Tiny CLIP, DINOv2 and VGG models with random weights, saved as their users save them."""

import json
from pathlib import Path

import numpy as np

from eyeprint.records.pictures import Picture

WORDS = ["a", "red", "door", "blue", "sea", "in", "fog", "&", "n", "o", "e"]


def some_pictures(n: int, seed: int = 0, sizes=((40, 30), (30, 40), (64, 64), (35, 90))):
    """Smooth random pictures of several shapes, so that resizing matters."""
    rng = np.random.default_rng(seed)
    made = []
    for i in range(n):
        width, height = sizes[i % len(sizes)]
        coarse = rng.integers(0, 256, (height // 5 + 1, width // 5 + 1, 3), dtype=np.uint8)
        fine = np.kron(coarse, np.ones((5, 5, 1), np.uint8))[:height, :width]
        noise = rng.integers(-20, 20, fine.shape)
        made.append(Picture.of(np.clip(fine.astype(int) + noise, 0, 255).astype(np.uint8)))
    return made


def _shaken(model, seed):
    """Move every weight, so that biases and norms, which start as 0 and 1, matter too."""
    import torch

    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(0.15 * torch.randn(weight.shape, generator=generator))
    return model


def save_tokenizer(folder: Path) -> None:
    """A CLIP-like tokeniser over characters, whole words of WORDS merged."""
    from tokenizers import Regex, Tokenizer, normalizers, pre_tokenizers, processors
    from tokenizers.models import BPE

    vocabulary: dict[str, int] = {}
    letters = sorted({letter for word in WORDS for letter in word})
    for piece in [*letters, *(letter + "</w>" for letter in letters)]:
        vocabulary.setdefault(piece, len(vocabulary))
    for marker in ("<|startoftext|>", "<|endoftext|>"):
        vocabulary[marker] = len(vocabulary)
    model = BPE(vocab=vocabulary, merges=[], end_of_word_suffix="</w>", unk_token="<|endoftext|>")
    tokenizer = Tokenizer(model)
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.NFC(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Lowercase()]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(r"[\p{L}]+|[^\s\p{L}]+"), "removed", invert=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    )
    end, start = vocabulary["<|endoftext|>"], vocabulary["<|startoftext|>"]
    tokenizer.post_processor = processors.RobertaProcessing(
        ("<|endoftext|>", end), ("<|startoftext|>", start), False, False
    )
    tokenizer.save(str(folder / "tokenizer.json"))


def save_clip(folder: Path, seed: int = 1) -> Path:
    """A CLIP of 2 layers and 10 tokens that reads 24 x 24 pixels."""
    import torch
    from transformers import CLIPConfig, CLIPModel

    folder.mkdir(parents=True, exist_ok=True)
    save_tokenizer(folder)
    vocabulary = json.loads((folder / "tokenizer.json").read_text())["model"]["vocab"]
    shape = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2}
    text = {
        **shape,
        "num_attention_heads": 4,
        "vocab_size": len(vocabulary),
        "max_position_embeddings": 10,
        "bos_token_id": vocabulary["<|startoftext|>"],
        "eos_token_id": vocabulary["<|endoftext|>"],
        "pad_token_id": 0,
    }
    vision = {**shape, "num_attention_heads": 2, "image_size": 24, "patch_size": 8}
    torch.manual_seed(seed)
    config = CLIPConfig(text_config=text, vision_config=vision, projection_dim=16)
    _shaken(CLIPModel(config), seed).save_pretrained(folder)
    return folder


def save_dino(folder: Path, seed: int = 2) -> Path:
    """A DINOv2 of 2 layers, trained, as it were, on 5 x 5 patches; 224 pixels are 7 x 7."""
    import torch
    from transformers import Dinov2Config, Dinov2Model

    torch.manual_seed(seed)
    config = Dinov2Config(
        hidden_size=24,
        num_hidden_layers=2,
        num_attention_heads=3,
        mlp_ratio=2,
        image_size=160,
        patch_size=32,
    )
    _shaken(Dinov2Model(config), seed).save_pretrained(folder)
    return folder


def save_lpips(folder: Path, seed: int = 3, channels=(4, 4, 6, 6, 8), prefix="features.") -> Path:
    """The thirteen convolutions of a thin VGG-16, and heads that are not negative."""
    import torch
    from safetensors.torch import save_file

    from eyeprint.models.lpips_weights import CONVOLUTIONS

    folder.mkdir(parents=True, exist_ok=True)
    generator = torch.Generator().manual_seed(seed)
    trunk, heads, width = {}, {}, 3
    for stage, (places, out) in enumerate(zip(CONVOLUTIONS, channels, strict=True)):
        for place in places:
            weight = torch.randn((out, width, 3, 3), generator=generator) / (2 * width) ** 0.5
            trunk[f"{prefix}{place}.weight"] = weight
            trunk[f"{prefix}{place}.bias"] = 0.1 * torch.randn(out, generator=generator)
            width = out
        heads[f"lin{stage}.model.1.weight"] = torch.rand((1, out, 1, 1), generator=generator)
    trunk["classifier.0.weight"] = torch.zeros(2, 2)
    save_file(trunk, str(folder / "vgg16.safetensors"))
    torch.save(heads, folder / "vgg.pth")
    return folder
