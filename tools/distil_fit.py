"""The fit of the static encoder: Adam on the cosine to the teacher and on likeness in pairs.

With v the student's and t the teacher's unit vectors of a batch, the loss is::

    mean_i (1 - v_i · t_i)  +  λ mean_ij (v_i · v_j - t_i · t_j)²

The second term is what scores are made of: cosines between texts. Batches are of three
sorts: texts of like length; any texts, so that cosines between a short prompt and a long
caption come out right as well; and all texts of some people with bare requests, where
the second term runs over pairs of one person, or with a request, alone: the cosines that
a person's scores consist of. The teacher's vectors are first turned into their
``dim`` main directions, which keep its scores (Spearman 0.995 at 256).

The student's formula is in ``eyeprint/models/static_encoder.py``; weights are exp(·) of
free numbers here, and positions share a number in buckets that grow with the position.
"""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from pydantic import Field
from tokenizers import Tokenizer
from torch.nn import functional

from eyeprint.config import Settings
from eyeprint.models.static_encoder import MOST_TOKENS

SHARES = {
    "gloss": 0.4,
    "phrase": 0.6,
    "example": 0.7,
    "token": 0.3,
    "caption": 0.3,
    "window": 0.7,
}


class FitSettings(Settings):
    """How the weights are fitted."""

    dim: int = 248
    hidden: int = 384
    epochs: int = 8
    batch: int = 768
    pair_weight: float = 10.0
    people_per_batch: int = 14
    requests_per_batch: int = 64
    people_rounds: int = 2
    """How often an epoch sees every person."""
    rate_table: float = 0.002
    rate_weights: float = 0.02
    rate_readout: float = 0.002
    seed: int = 0
    shares: dict[str, float] = Field(default_factory=lambda: dict(SHARES))
    """Share of a kind's texts that an epoch sees; 1 for the others."""


def position_buckets() -> np.ndarray:
    """Return the bucket of each position: 0 to 7 alone, then four a doubling."""
    place = np.arange(MOST_TOKENS)
    wide = np.floor(np.log2(np.maximum(place, 8) / 8) * 4).astype(np.int64) + 8
    return np.where(place < 8, place, wide)


class Student(torch.nn.Module):
    """The static encoder with free numbers."""

    def __init__(self, table: np.ndarray, settings: FitSettings) -> None:
        super().__init__()
        dim, hidden = settings.dim, settings.hidden
        made = torch.Generator().manual_seed(settings.seed)
        self.buckets = torch.from_numpy(position_buckets())
        self.table = torch.nn.Parameter(torch.from_numpy(table.astype(np.float32)))
        self.token = torch.nn.Parameter(torch.zeros(len(table), 2))
        start = torch.zeros(int(self.buckets.max()) + 1, 2)
        start[:, 1] = -0.1 * torch.arange(len(start))
        self.position = torch.nn.Parameter(start)
        self.mix = torch.nn.Parameter(torch.cat([torch.eye(dim), torch.zeros(dim, dim)]))
        inward = torch.randn(2 * dim, hidden, generator=made) * 8 / math.sqrt(2 * dim)
        self.inward = torch.nn.Parameter(inward)
        self.length = torch.nn.Parameter(torch.zeros(hidden))
        self.bias = torch.nn.Parameter(torch.zeros(hidden))
        self.outward = torch.nn.Parameter(torch.zeros(hidden, dim))

    def forward(self, rows: list[np.ndarray]) -> torch.Tensor:
        """Return the unit vectors of texts given as token numbers."""
        counts = torch.tensor([len(row) for row in rows])
        tokens = torch.from_numpy(np.concatenate(rows))
        starts = torch.cumsum(counts, 0) - counts
        places = torch.from_numpy(np.concatenate([np.arange(len(row)) for row in rows]))
        sums = []
        for k in range(2):
            weight = torch.exp(self.token[tokens, k] + self.position[self.buckets[places], k])
            pooled = functional.embedding_bag(
                tokens, self.table, starts, mode="sum", per_sample_weights=weight
            )
            sums.append(functional.normalize(pooled, dim=1))
        x = torch.cat(sums, dim=1)
        size = torch.log(counts.float())[:, None] / 3 - 1
        hidden = torch.relu(x @ self.inward + size * self.length + self.bias)
        return functional.normalize(x @ self.mix + hidden @ self.outward, dim=1)

    def weights(self) -> dict[str, Any]:
        """Return the weights by the names of ``StaticWeights``."""
        held = {name: value.detach().numpy() for name, value in self.named_parameters()}
        held["token_weights"] = np.exp(held.pop("token")).T
        held["position_weights"] = np.exp(held.pop("position"))[position_buckets()].T
        return held


def main_directions(vectors: np.ndarray, dim: int) -> np.ndarray:
    """Return the ``dim`` directions, shape (384, dim), that keep most of the vectors."""
    _, directions = np.linalg.eigh((vectors.T @ vectors).astype(np.float64))
    return directions[:, ::-1][:, :dim].astype(np.float32)


def fit(
    texts: list[str],
    kinds: list[str],
    owners: np.ndarray,
    vectors: np.ndarray,
    tokenizer: Tokenizer,
    settings: FitSettings,
    work: Path,
    threads: int | None = None,
) -> tuple[dict[str, Any], list[float]]:
    """Return the weights and the mean loss of every epoch; the last state is kept in ``work``.

    ``owners`` holds the number of the person whom a text belongs to, or -1.
    """
    if threads:
        torch.set_num_threads(threads)
    encoded = tokenizer.encode_batch(texts, add_special_tokens=False)
    rows = [np.array(one.ids[:MOST_TOKENS], dtype=np.int64) for one in encoded]
    kind = np.array(kinds)
    usable = np.array([len(row) > 0 for row in rows]) & vectors.any(axis=1)
    long = usable & np.isin(kind, ["people_caption", "people_prompt", "caption", "prompt"])
    turned = vectors @ main_directions(vectors[long if long.any() else usable], settings.dim)
    turned /= np.linalg.norm(turned, axis=1, keepdims=True) + 1e-9
    target = torch.from_numpy(turned)

    table = np.zeros((tokenizer.get_vocab_size(), settings.dim), dtype=np.float32)
    for i in np.flatnonzero(usable & (kind == "token")):
        if len(rows[i]) == 1:
            table[rows[i][0]] = turned[i] * 0.05
    student = Student(table, settings)
    rates = {
        "table": settings.rate_table,
        "token": settings.rate_weights,
        "position": settings.rate_weights,
    }
    groups = [
        {"params": [value], "lr": rates.get(name, settings.rate_readout)}
        for name, value in student.named_parameters()
    ]
    optimiser = torch.optim.Adam(groups, fused=True)
    first = [group["lr"] for group in optimiser.param_groups]
    rng = np.random.default_rng(settings.seed)
    chance = np.array([settings.shares.get(name, 1.0) for name in kinds]) * usable
    owned = np.flatnonzero(usable & (owners >= 0))
    requests = np.flatnonzero(usable & (kind == "request"))
    everybody = np.unique(owners[owned])
    a_round = math.ceil(len(everybody) / settings.people_per_batch)
    steps = settings.epochs * (
        math.ceil(chance.sum() / settings.batch) + settings.people_rounds * a_round
    )
    lengths = np.array([len(row) for row in rows])
    step, losses, started = 0, [], time.monotonic()
    for epoch in range(settings.epochs):
        chosen = np.flatnonzero(rng.random(len(rows)) < chance)
        total, batches = 0.0, _batches(chosen, lengths, settings.batch, rng)
        for _ in range(settings.people_rounds):
            for some in np.array_split(rng.permutation(everybody), a_round):
                bare = rng.choice(requests, min(len(requests), settings.requests_per_batch), False)
                theirs = owned[np.isin(owners[owned], some)]
                batches.append((np.concatenate([theirs, bare]), True))
        batches = [batches[i] for i in rng.permutation(len(batches))]
        for batch, by_person in batches:
            step += 1
            rise, fall = min(1.0, step / 50), math.cos(math.pi * min(1.0, step / steps)) / 2 + 0.51
            for group, rate in zip(optimiser.param_groups, first, strict=True):
                group["lr"] = rate * rise * fall
            made, wanted = student([rows[i] for i in batch]), target[batch]
            pairs = (made @ made.T - wanted @ wanted.T) ** 2
            if by_person:
                whose = owners[batch]
                near = (whose[:, None] == whose) | (whose[:, None] < 0) | (whose < 0)
                pairs = pairs[torch.from_numpy(near)]
            loss = (1 - (made * wanted).sum(dim=1)).mean() + settings.pair_weight * pairs.mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            total += float(loss.detach())
        losses.append(total / len(batches))
        torch.save(student.state_dict(), work / "student.pt")
        print(
            f"epoch {epoch + 1}: {losses[-1]:.4f}, {time.monotonic() - started:.0f} s", flush=True
        )
    return student.weights(), losses


def _batches(
    chosen: np.ndarray, lengths: np.ndarray, size: int, rng: np.random.Generator
) -> list[tuple[np.ndarray, bool]]:
    """Half of the batches from an order by (about) length, half from a random order."""
    near = chosen[np.argsort(lengths[chosen] * rng.uniform(0.7, 1.4, len(chosen)))]
    mixed = rng.permutation(chosen)
    starts = range(0, len(chosen), size)
    pick = rng.random(len(starts)) < 0.5
    return [
        ((near if like else mixed)[at : at + size], False)
        for at, like in zip(starts, pick, strict=True)
    ]
