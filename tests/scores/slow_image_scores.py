"""Image scores by hand: one picture at a time, everything anew for every number.

The networks are written out over the saved weights, with none of eyeprint's code and none
of the transformers library's, so that both sides would have to be wrong alike.
"""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

torch = pytest.importorskip("torch")
load_file = pytest.importorskip("safetensors.torch").load_file
F = torch.nn.functional

CLIP_SCALE = ([0.48145466, 0.4578275, 0.40821073], [0.26862954, 0.26130258, 0.27577711])
DINO_SCALE = ([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])


def image_of(picture):
    return Image.fromarray(np.array(picture.pixels))


def in_gray(image):
    return image.convert("L").convert("RGB")


def tensor_of(image):
    return torch.tensor(np.array(image), dtype=torch.float32).permute(2, 0, 1)[None] / 255.0


def framed(image, size, scale):
    """Shorter side to ``size``, centre cut out, channels scaled."""
    w, h = image.size
    new = (size, int(size * h / w)) if w <= h else (int(size * w / h), size)
    if image.size != new:
        image = image.resize(new, Image.Resampling.BICUBIC)
    left, top = (round((side - size) / 2.0) for side in new)
    image = image.crop((left, top, left + size, top + size))
    mean, std = (torch.tensor(v)[None, :, None, None] for v in scale)
    return (tensor_of(image) - mean) / std


def attention(x, heads, q, k, v, out, causal=False):
    n, d = x.shape
    split = [F.linear(x, w, b).reshape(n, heads, d // heads).transpose(0, 1) for w, b in (q, k, v)]
    weights = split[0] @ split[1].transpose(1, 2) / math.sqrt(d // heads)
    if causal:
        weights = weights.masked_fill(torch.ones(n, n).triu(1).bool(), -math.inf)
    mixed = (weights.softmax(-1) @ split[2]).transpose(0, 1).reshape(n, d)
    return F.linear(mixed, *out)


def norm(x, weights, name, eps):
    return F.layer_norm(x, x.shape[-1:], weights[f"{name}.weight"], weights[f"{name}.bias"], eps)


def pair(weights, name):
    return weights[f"{name}.weight"], weights[f"{name}.bias"]


class SlowClip:
    """OpenAI's CLIP over a saved folder."""

    def __init__(self, folder: Path):
        from tokenizers import Tokenizer

        self.w = load_file(str(folder / "model.safetensors"))
        self.config = json.loads((folder / "config.json").read_text())
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))

    def layers(self, x, tower, causal):
        heads = self.config[f"{tower}_config"]["num_attention_heads"]
        for i in range(self.config[f"{tower}_config"]["num_hidden_layers"]):
            at = f"{tower}_model.encoder.layers.{i}"
            names = ("q_proj", "k_proj", "v_proj", "out_proj")
            parts = [pair(self.w, f"{at}.self_attn.{name}") for name in names]
            x = x + attention(norm(x, self.w, f"{at}.layer_norm1", 1e-5), heads, *parts, causal)
            y = F.linear(norm(x, self.w, f"{at}.layer_norm2", 1e-5), *pair(self.w, f"{at}.mlp.fc1"))
            x = x + F.linear(y * torch.sigmoid(1.702 * y), *pair(self.w, f"{at}.mlp.fc2"))
        return x

    def image(self, image):
        size = self.config["vision_config"]["image_size"]
        patch = self.w["vision_model.embeddings.patch_embedding.weight"]
        x = F.conv2d(framed(image, size, CLIP_SCALE), patch, stride=patch.shape[-1])
        x = x.flatten(2)[0].T
        x = torch.cat([self.w["vision_model.embeddings.class_embedding"][None], x])
        x = x + self.w["vision_model.embeddings.position_embedding.weight"]
        x = norm(x, self.w, "vision_model.pre_layrnorm", 1e-5)
        x = norm(self.layers(x, "vision", False)[:1], self.w, "vision_model.post_layernorm", 1e-5)
        x = F.linear(x, self.w["visual_projection.weight"])[0]
        return x / x.norm()

    def text(self, text):
        most = self.config["text_config"]["max_position_embeddings"]
        ids = self.tokenizer.encode(text).ids
        if len(ids) > most:
            ids = ids[:most]
            ids[-1] = self.config["text_config"]["eos_token_id"]
        x = self.w["text_model.embeddings.token_embedding.weight"][ids]
        x = x + self.w["text_model.embeddings.position_embedding.weight"][: len(ids)]
        x = norm(self.layers(x, "text", True), self.w, "text_model.final_layer_norm", 1e-5)
        x = F.linear(x[-1:], self.w["text_projection.weight"])[0]
        return x / x.norm()

    def cosine(self, a, b):
        return max(100.0 * float(a @ b), 0.0)


class SlowDino:
    """Meta's DINOv2 over a saved folder, positions stretched as its own code does."""

    def __init__(self, folder: Path):
        self.w = load_file(str(folder / "model.safetensors"))
        self.config = json.loads((folder / "config.json").read_text())

    def image(self, image):
        patch = self.w["embeddings.patch_embeddings.projection.weight"]
        side = 224 // patch.shape[-1]
        x = F.conv2d(
            framed(image, 224, DINO_SCALE),
            patch,
            self.w["embeddings.patch_embeddings.projection.bias"],
            stride=patch.shape[-1],
        )
        x = torch.cat([self.w["embeddings.cls_token"][0], x.flatten(2)[0].T])
        table = self.w["embeddings.position_embeddings"][0]
        old = int(math.sqrt(len(table) - 1))
        grid = table[1:].reshape(1, old, old, -1).permute(0, 3, 1, 2)
        scale = float(side + 0.1) / old
        grid = F.interpolate(grid, scale_factor=(scale, scale), mode="bicubic")
        x = x + torch.cat([table[:1], grid[0].flatten(1).T])
        for i in range(self.config["num_hidden_layers"]):
            at = f"encoder.layer.{i}"
            names = ("attention.query", "attention.key", "attention.value", "output.dense")
            parts = [pair(self.w, f"{at}.attention.{name}") for name in names]
            heads = self.config["num_attention_heads"]
            y = attention(norm(x, self.w, f"{at}.norm1", 1e-6), heads, *parts)
            x = x + y * self.w[f"{at}.layer_scale1.lambda1"]
            y = F.linear(norm(x, self.w, f"{at}.norm2", 1e-6), *pair(self.w, f"{at}.mlp.fc1"))
            y = F.linear(F.gelu(y), *pair(self.w, f"{at}.mlp.fc2"))
            x = x + y * self.w[f"{at}.layer_scale2.lambda1"]
        x = norm(x[:1], self.w, "layernorm", 1e-6)[0]
        return x / x.norm()

    def cosine(self, a, b):
        return 100.0 * float(a @ b)


class SlowLpips:
    """LPIPS-VGG 0.1 over a saved folder."""

    def __init__(self, folder: Path):
        self.w = load_file(str(folder / "vgg16.safetensors"))
        self.heads = torch.load(folder / "vgg.pth", weights_only=True)

    def stages(self, image):
        shift = torch.tensor([-0.030, -0.088, -0.188])[None, :, None, None]
        scale = torch.tensor([0.458, 0.448, 0.450])[None, :, None, None]
        x = tensor_of(image.resize((256, 256), Image.Resampling.BICUBIC)) * 2.0 - 1.0
        x, found = (x - shift) / scale, []
        for place in range(30):
            if place in (4, 9, 16, 23):
                x = F.max_pool2d(x, 2, 2)
            elif f"features.{place}.weight" in self.w:
                x = F.relu(F.conv2d(x, *pair(self.w, f"features.{place}"), padding=1))
            if place in (3, 8, 15, 22, 29):
                found.append(x)
        return found

    def distance(self, reference, output):
        if output.size != reference.size:
            output = output.resize(reference.size, Image.Resampling.BICUBIC)
        total = 0.0
        for i, (a, b) in enumerate(zip(self.stages(reference), self.stages(output), strict=True)):
            a = a / ((a**2).sum(1, keepdim=True).sqrt() + 1e-10)
            b = b / ((b**2).sum(1, keepdim=True).sqrt() + 1e-10)
            total += float(F.conv2d((a - b) ** 2, self.heads[f"lin{i}.model.1.weight"]).mean())
        return total


def slow_scores(clip, dino, lpips, prompt, references, target, output):
    """Every column of one case, by its released key."""
    refs, goal, made = [image_of(r) for r in references], image_of(target), image_of(output)
    with torch.no_grad():
        row = {
            "CLIP_TI": clip.cosine(clip.text(prompt), clip.image(made)),
            "CLIP_TI_gray": clip.cosine(clip.text(prompt), clip.image(in_gray(made))),
        }
        for model, key in ((clip, "CLIP_II"), (dino, "DINO_Cosine")):
            for turn, tail in ((lambda i: i, ""), (in_gray, "_gray")):
                mine = model.image(turn(made))
                row[key + tail] = model.cosine(model.image(turn(goal)), mine)
                each = [model.cosine(model.image(turn(r)), mine) for r in refs]
                row[f"{key}{tail}_ref"] = sum(each) / len(each)
        for turn, tail in ((lambda i: i, ""), (in_gray, "_gray")):
            row["LPIPS" + tail] = lpips.distance(turn(goal), turn(made))
            each = [lpips.distance(turn(r), turn(made)) for r in refs]
            row[f"LPIPS{tail}_ref"] = sum(each) / len(each)
    if made.size != goal.size:
        made = made.resize(goal.size, Image.Resampling.BICUBIC)
    a, b = (np.asarray(i, np.float32) / 255.0 for i in (made, goal))
    row["Pixel_MSE"] = float(np.mean((a - b) ** 2))
    row["Pixel_MAE"] = float(np.mean(np.abs(a - b)))
    mse = row["Pixel_MSE"]
    row["Pixel_PSNR"] = math.inf if mse == 0 else 10.0 * math.log10(1.0 / mse)
    return row
