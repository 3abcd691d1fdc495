"""Image scores: eyeprint against the released way, same random weights, same numbers.

The released evaluator goes through outputs one by one and encodes the output, the target and
every reference anew each time, in colour and in gray; for LPIPS it runs both pictures of
every pair through the trunk. eyeprint encodes every distinct picture once, in batches.

The models have the real sizes (CLIP ViT-B/32, DINOv2 ViT-S/14, VGG-16) and random weights.
Work: persons with 8 pictures each; 8 cases per person of 5 references and a target from
their pool, which is PIPBench's mean; 10 methods. eyeprint scores all of it. The released way
takes the same time for every output, so it is measured on a few (half of them before, half
after) and multiplied up; both sides must agree on those within 1e-4.

    python benchmarks/image_scores.py                 # 1 person: 80 outputs
    python benchmarks/image_scores.py --persons 12    # 96 cases, 960 outputs
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from PIL import Image

from eyeprint.models.picture_tensors import pillow
from eyeprint.records.pictures import Picture
from eyeprint.scores.image_columns import RELEASED_KEYS
from eyeprint.scores.image_settings import ImageJob, ImageScores, ImageSettings

METHODS, CASES, POOL, REFERENCES, SIDE = 10, 8, 8, 5, 512
TOLERANCE = 1e-4
PROMPT = "a red door in fog"
CLOCK = [time.perf_counter]
"""The clock in use; ``--cpu`` counts processor seconds, for machines that do other work."""


def save_models(folder: Path) -> None:
    """Save the three models in their real sizes, with random weights."""
    import json

    import torch
    from safetensors.torch import save_file
    from transformers import CLIPConfig, CLIPModel, Dinov2Config, Dinov2Model

    from eyeprint.models.lpips_weights import CONVOLUTIONS
    from tests.models.tiny_vision import save_tokenizer

    torch.manual_seed(1)
    for name in ("clip", "dino", "lpips"):
        (folder / name).mkdir()
    save_tokenizer(folder / "clip")
    vocabulary = json.loads((folder / "clip" / "tokenizer.json").read_text())["model"]["vocab"]
    marks = {
        "bos_token_id": vocabulary["<|startoftext|>"],
        "eos_token_id": vocabulary["<|endoftext|>"],
        "pad_token_id": 0,
    }
    CLIPModel(CLIPConfig(text_config=marks)).save_pretrained(folder / "clip")
    dino = Dinov2Config(hidden_size=384, num_attention_heads=6, image_size=518, patch_size=14)
    Dinov2Model(dino).save_pretrained(folder / "dino")
    trunk, heads, width = {}, {}, 3
    for stage, (places, out) in enumerate(zip(CONVOLUTIONS, (64, 128, 256, 512, 512), strict=True)):
        for place in places:
            scale = (2 / (9 * width)) ** 0.5
            trunk[f"features.{place}.weight"] = scale * torch.randn(out, width, 3, 3)
            trunk[f"features.{place}.bias"] = torch.zeros(out)
            width = out
        heads[f"lin{stage}.model.1.weight"] = torch.rand(1, out, 1, 1)
    save_file(trunk, str(folder / "lpips" / "vgg16.safetensors"))
    torch.save(heads, folder / "lpips" / "vgg.pth")


def picture(rng: np.random.Generator) -> Picture:
    """Return a soft random picture of 512 x 512 pixels."""
    coarse = Image.fromarray(rng.integers(0, 256, (9, 9, 3), dtype=np.uint8))
    return Picture.of(np.array(coarse.resize((SIDE, SIDE), Image.Resampling.BICUBIC)))


def work(persons: int, cases: int) -> list[ImageJob]:
    """Return all outputs of the methods, case by case."""
    rng = np.random.default_rng(1)
    jobs = []
    for person in range(persons):
        pool = [picture(rng) for _ in range(POOL)]
        for case in range(cases):
            places = rng.permutation(POOL).tolist()
            references = [pool[place] for place in places[:REFERENCES]]
            target = pool[places[REFERENCES]]
            jobs += [
                ImageJob(f"{person}-{case}", PROMPT, references, target, picture(rng), str(method))
                for method in range(METHODS)
            ]
    return jobs


class Released:
    """One output at a time, everything anew: the same modules without batches, plain LPIPS."""

    def __init__(self, folder: Path) -> None:
        from eyeprint.models.image_encoders import load_image_encoder
        from tests.scores.slow_image_scores import SlowLpips

        self.clip: Any = load_image_encoder(f"clip:{folder / 'clip'}", batch=1)
        self.dino: Any = load_image_encoder(f"dino:{folder / 'dino'}", batch=1)
        self.lpips: Any = SlowLpips(folder / "lpips")
        self.seconds = {"CLIP and DINO": 0.0, "LPIPS": 0.0}

    def cosine(self, encoder: Any, a: Any, b: Any) -> float:
        value = 100 * float(a @ b)
        return max(value, 0.0) if encoder is self.clip else value

    def distance(self, reference: Picture, output: Picture, turn: Any) -> float:
        import torch

        with torch.no_grad():
            return float(self.lpips.distance(*(pillow(turn(one)) for one in (reference, output))))

    def score(self, job: ImageJob) -> dict[str, float]:
        from eyeprint.models.pictures import gray

        output, target, references = job.output, job.target, job.references
        row: dict[str, float] = {}
        start = CLOCK[0]()
        text = self.clip.encode([job.prompt])[0]
        for encoder, key in ((self.clip, "CLIP_II"), (self.dino, "DINO_Cosine")):
            for turn, tail in ((lambda p: p, ""), (gray, "_gray")):
                own = encoder.encode_pictures([turn(output)])[0]
                if encoder is self.clip:
                    row["CLIP_TI" + tail] = self.cosine(encoder, text, own)
                goal = encoder.encode_pictures([turn(target)])[0]
                row[key + tail] = self.cosine(encoder, goal, own)
                each = [encoder.encode_pictures([turn(one)])[0] for one in references]
                row[f"{key}{tail}_ref"] = float(
                    np.mean([self.cosine(encoder, one, own) for one in each])
                )
        middle = CLOCK[0]()
        for turn, tail in ((lambda p: p, ""), (gray, "_gray")):
            row["LPIPS" + tail] = self.distance(target, output, turn)
            far = [self.distance(one, output, turn) for one in references]
            row[f"LPIPS{tail}_ref"] = float(np.mean(far))
        self.seconds["CLIP and DINO"] += middle - start
        self.seconds["LPIPS"] += CLOCK[0]() - middle
        return row


def ours(folder: Path, jobs: list[ImageJob]) -> tuple[list[ImageScores], dict[str, float]]:
    """Score everything, a case's block at a time, vectors kept on the disk."""
    from eyeprint.models.image_encoders import load_image_encoder
    from eyeprint.models.lpips import load_image_distance
    from eyeprint.scores.image_scores import ImageScorer

    settings = ImageSettings(pixels=False)
    encoders = [load_image_encoder(f"{kind}:{folder / kind}") for kind in ("clip", "dino")]
    sides = {
        "CLIP and DINO": ImageScorer(encoders, None, settings, folder / "vectors"),
        "LPIPS": ImageScorer([], load_image_distance(f"lpips:{folder / 'lpips'}"), settings),
    }
    warm = [picture(np.random.default_rng(7))]
    for scorer in sides.values():
        scorer.score("warm", "a", warm, warm[0], warm[0])
    seconds = dict.fromkeys(sides, 0.0)
    merged: list[dict[str, float | None]] = [{} for _ in jobs]
    block = METHODS * CASES
    for first in range(0, len(jobs), block):
        for name, scorer in sides.items():
            start = CLOCK[0]()
            found = scorer.score_block(jobs[first : first + block])
            seconds[name] += CLOCK[0]() - start
            for place, scores in enumerate(found, first):
                merged[place].update(scores.values)
    rows = [
        ImageScores(case_id=job.case_id, values=values)
        for job, values in zip(jobs, merged, strict=True)
    ]
    return rows, seconds


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--persons", type=int, default=1)
    parser.add_argument("--cases", type=int, default=CASES, help="of each person")
    parser.add_argument("--sample", type=int, default=4, help="outputs of the released way")
    parser.add_argument("--cpu", action="store_true", help="count processor seconds")
    asked = parser.parse_args()
    if asked.cpu:
        CLOCK[0] = time.process_time
    if find_spec("torch") is None or find_spec("transformers") is None:
        print("not measured: needs the extra images (torch, transformers)")
        return
    jobs = work(asked.persons, asked.cases)
    sample = np.linspace(0, len(jobs) - 1, asked.sample).astype(int).tolist()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        save_models(folder)
        released = Released(folder)
        released.score(jobs[0])
        released.seconds = dict.fromkeys(released.seconds, 0.0)
        half = len(sample) // 2
        theirs = [released.score(jobs[k]) for k in sample[:half]]
        rows, seconds = ours(folder, jobs)
        theirs += [released.score(jobs[k]) for k in sample[half:]]
    gap = max(
        abs(float(rows[k].values[column] or 0.0) - row[key])
        for k, row in zip(sample, theirs, strict=True)
        for column, key in RELEASED_KEYS.items()
        if key in row
    )
    times = len(jobs) / len(sample)
    print(
        f"{METHODS} methods, {asked.persons * asked.cases} cases, {REFERENCES} references, "
        f"{len(jobs)} outputs; released way on {len(sample)} of them, times {times:.0f}"
    )
    print(f"{'':16}{'released':>12}{'eyeprint':>12}{'ratio':>8}")
    whole = {name: value * times for name, value in released.seconds.items()}
    for name in seconds:
        ratio = whole[name] / seconds[name]
        print(f"{name:16}{whole[name]:10.0f} s{seconds[name]:10.1f} s{ratio:8.1f}")
    total, mine = sum(whole.values()), sum(seconds.values())
    print(f"{'all':16}{total:10.0f} s{mine:10.1f} s{total / mine:8.1f}  (goal: 8)")
    print(f"largest difference of a number: {gap:.1e} (goal: {TOLERANCE:.0e})")


if __name__ == "__main__":
    main()
