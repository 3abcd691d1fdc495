"""Candidates for agents, drawn a block at a time and kept as numbers (P25, P31).

A single question takes one option, a multiple one a size and then a combination of that
size, a rating a whole number in its range; questions are independent of each other. The
paper names no distribution: all are uniform unless settings say otherwise, and sizes come
from the questionnaire's table, chosen so that the paper's similarity threshold works.

Draws are keyed by the run seed and the block's number. They use the raw 64-bit numbers of
PCG64 only, which NumPy promises never to change, so agents keep their bytes. (Uneven weights of
a multiple question's options also need a logarithm, whose last bit may differ by machine.)
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from eyeprint.config import Settings
from eyeprint.errors import UsageError
from eyeprint.people.consistency import ConsistencySettings
from eyeprint.people.questions import Question, Questionnaire, questionnaire
from eyeprint.people.traits import BINS, SignatureSettings, in_signature
from eyeprint.randomness import stream
from eyeprint.records.profiles import Answer

STEP = "agents"
"""Step name of the random streams."""
_TINY = 2.0**-54


class AgentSettings(Settings):
    """What decides which agents are accepted, beside their number and the run seed."""

    penalty_most: int = Field(default=3, ge=0)
    """τ_conf: most soft conflicts; 100 points less one each must leave 97 (P27)."""
    similarity_most: float = Field(default=0.42, ge=0, le=1)
    """τ_jac: largest Jaccard similarity with any signature of the window (P27)."""
    window: int = Field(default=200, ge=0, le=1_000_000)
    """How many of the last accepted agents a candidate is compared with (P26); 0 for none."""
    attempts_most: int | None = Field(default=None, ge=1)
    """A_max: most candidates drawn; ``None`` is ``attempts_per_agent`` for each agent asked for."""
    attempts_per_agent: int = Field(default=200, ge=1)
    """Bound of attempts where ``attempts_most`` is not set; the paper names no number."""
    weights: dict[str, dict[str, float]] = Field(default_factory=dict)
    """Question id -> option label or rating -> weight; what is not named weighs 1."""
    sizes: dict[str, tuple[float, ...]] = Field(default_factory=dict)
    """Question id -> weights of 1, 2, 3 ... options, in place of the questionnaire's."""
    block: int = Field(default=4096, ge=1, le=1 << 18)
    """Candidates drawn at once; another block size gives other agents."""
    texts: bool = True
    """Whether each profile carries its standard text (P21)."""
    consistency: ConsistencySettings = ConsistencySettings()
    """Rules and their readings."""
    signature: SignatureSettings = SignatureSettings()
    """Bins of ratings, and which single questions count."""

    def attempts_for(self, n: int) -> int:
        """Return A_max when n agents are asked for."""
        return self.attempts_most or self.attempts_per_agent * n


@dataclass(frozen=True)
class Block:
    """Coded candidates, in the order of their attempts."""

    codes: dict[str, NDArray[np.int64]]
    """Question id -> numbers, as in :mod:`eyeprint.people.predicates`."""
    words: NDArray[np.uint64]
    """Shape (candidates, words): signatures as bits."""
    sizes: NDArray[np.int64]
    """Shape (candidates,): how many bits each signature has."""


def _shares(weights: list[float], where: str) -> NDArray[np.float64]:
    """Return the running sums of weights, divided by the whole."""
    if any(weight < 0 for weight in weights) or not sum(weights) > 0:
        raise UsageError(f"{where}: weights must not be negative, nor all 0")
    if not math.isfinite(sum(weights)):
        raise UsageError(f"{where}: weights this large have no finite sum; only their ratios count")
    sums = np.cumsum(np.asarray(weights, dtype=np.float64))
    # The last share is exactly 1 from the last weight on that is not 0.
    return np.asarray(np.where(sums >= sums[-1], 1.0, sums / sums[-1]), dtype=np.float64)


@dataclass(frozen=True)
class _Draw:
    """How one question is drawn from uniform numbers."""

    question: Question
    places: NDArray[np.int64]
    """What may be drawn: places of options, or ratings."""
    shares: NDArray[np.float64]
    """Running shares of ``places``, or of the sizes of a multiple question."""
    weights: NDArray[np.float64] | None = None
    """Weights of a multiple question's options, when they are not all equal."""

    @property
    def columns(self) -> int:
        """Uniform numbers per candidate."""
        return 1 + (len(self.places) if self.question.type == "multi" else 0)

    def codes(self, uniform: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return one code per row of uniform numbers, shape (candidates, columns)."""
        first = np.searchsorted(self.shares, uniform[:, 0], side="right")
        if self.question.type != "multi":
            return self.places[first]
        keys = uniform[:, 1:]
        if self.weights is not None:
            # Efraimidis and Spirakis: the smallest -ln(u)/w are a draw without replacement.
            keys = -np.log(keys + _TINY) / self.weights
        order = np.argsort(keys, axis=1, kind="stable")
        bits = np.left_shift(np.int64(1), self.places)[order]
        taken = np.arange(len(self.places)) <= first[:, None]
        return np.asarray(np.where(taken, bits, 0).sum(axis=1), dtype=np.int64)


class AgentSampler:
    """Draws blocks of candidates, and turns them back into answers."""

    def __init__(self, settings: AgentSettings, asked: Questionnaire | None = None) -> None:
        """Check the settings against the questionnaire.

        Raises:
            UsageError: a weight or size is for a question or an option that is not there.
        """
        self.settings = settings
        self.questions = (asked or questionnaire()).asked
        _check_names(settings, self.questions)
        self._draws = [_draw(question, settings) for question in self.questions]
        self._columns = sum(draw.columns for draw in self._draws)
        self._choices: dict[tuple[str, int], Answer] = {}

    def block(self, run_seed: int, number: int) -> Block:
        """Return the candidates of one block; the same for the same seed and number."""
        size = self.settings.block
        bits = stream(run_seed, STEP, number).numpy().bit_generator
        raw = np.asarray(bits.random_raw(size * self._columns), dtype=np.uint64)
        uniform = np.asarray(raw >> np.uint64(11), dtype=np.float64) * 2.0**-53
        uniform = uniform.reshape(size, self._columns)
        codes, at = {}, 0
        for draw in self._draws:
            codes[draw.question.id] = draw.codes(uniform[:, at : at + draw.columns])
            at += draw.columns
        words = self._signatures(codes)
        return Block(codes, words, np.bitwise_count(words).sum(axis=1, dtype=np.int64))

    def _signatures(self, codes: Mapping[str, NDArray[np.int64]]) -> NDArray[np.uint64]:
        columns: list[NDArray[np.bool_]] = []
        for question in self.questions:
            if not in_signature(question, self.settings.signature):
                continue
            code = codes[question.id][:, None]
            if question.type == "multi":
                columns.append((code >> np.arange(len(question.options)) & 1).astype(np.bool_))
            elif question.type == "single":
                columns.append(code == np.arange(len(question.options)))
            else:
                low, high = self.settings.signature.edges(question.id)
                bins = (code > low).astype(np.int64) + (code >= high)
                columns.append(bins == np.arange(len(BINS)))
        packed = np.packbits(np.concatenate(columns, axis=1), axis=1)
        padded = np.zeros((len(packed), -(-packed.shape[1] // 8) * 8), dtype=np.uint8)
        padded[:, : packed.shape[1]] = packed
        return padded.view(np.uint64)

    def answers(self, block: Block, place: int) -> dict[str, Answer]:
        """Return the answers of one candidate, by question id."""
        return {
            question.id: self._answer(question, int(block.codes[question.id][place]))
            for question in self.questions
        }

    def _answer(self, question: Question, code: int) -> Answer:
        if question.type == "rating":
            return code
        if question.type == "single":
            return question.labels[code]
        key = (question.id, code)
        if key not in self._choices:
            labels = enumerate(question.labels)
            self._choices[key] = tuple(label for i, label in labels if code >> i & 1)
        return self._choices[key]


def _draw(question: Question, settings: AgentSettings) -> _Draw:
    named = settings.weights.get(question.id, {})
    if question.type == "rating":
        places = list(range(question.low, question.high + 1))
        weights = [named.get(str(value), 1.0) for value in places]
    else:
        places = [i for i, option in enumerate(question.options) if option.sampled]
        weights = [named.get(question.labels[i], 1.0) for i in places]
    where = f"weights of {question.id}"
    values = np.asarray(places, dtype=np.int64)
    if question.type != "multi":
        return _Draw(question, values, _shares(weights, where))
    if min(weights) <= 0:
        raise UsageError(f"{where}: options of a multiple question need weights above 0")
    sizes = list(settings.sizes.get(question.id) or question.sizes or (1.0,))
    most = min(question.most or len(places), len(places))
    if len(sizes) > most:
        raise UsageError(
            f"sizes of {question.id}: {len(sizes)} weights, but at most {most} choices"
        )
    uneven = np.asarray(weights) if len(set(weights)) > 1 else None
    return _Draw(question, values, _shares(sizes, f"sizes of {question.id}"), uneven)


def _check_names(settings: AgentSettings, questions: tuple[Question, ...]) -> None:
    by_id = {question.id: question for question in questions}
    for name in (*settings.weights, *settings.sizes):
        if name not in by_id:
            raise UsageError(f"agents' settings: there is no question '{name}' to be weighted")
    for name in settings.sizes:
        if by_id[name].type != "multi":
            raise UsageError(f"agents' settings: {name} is no multiple question and has no sizes")
    for name, named in settings.weights.items():
        question = by_id[name]
        known = {str(value) for value in range(question.low, question.high + 1)}
        if question.type != "rating":
            known = {option.label for option in question.options if option.sampled}
        unknown = sorted(set(named) - known)
        if unknown or not all(map(math.isfinite, named.values())):
            told = unknown[0] if unknown else "a weight that is no number"
            raise UsageError(f"weights of {name}: '{told}' is not among {question.allowed}")
