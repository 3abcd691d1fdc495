"""The VPTT score of prompts: PA, GS, CP, NV, score and score-c, in their hard forms.

===========  =====================================================  ==========
part         formula, for a unit prompt vector v                    CHECKLIST
===========  =====================================================  ==========
``pa``       v · d, with d the person's unit description vector     V58
``gs``       ‖Bv‖, with B the basis of the captions' span           V59
``cp``       exp(-min_k ‖Bv - c_k‖₂), c_k in basis coordinates      V60
``nv``       1 - max_i |Tri(p) ∩ Tri(c_i)| / |Tri(p)|               V62
``score``    0.2 PA + 0.3 GS + 0.3 CP + 0.2 NV                      V64
``score_c``  (PA + GS + CP) / 3                                     V65
===========  =====================================================  ==========

``pa`` is in [-1, 1], the others in [0, 1] as far as PA allows; higher is better. These
hard forms are for reporting (V67). As the proxy judge J of the paper (V4, V6) the score
stands for the plausibility of a prompt; no pass mark is implied (V1).

All values are rounded to :data:`DECIMALS` places: the last bits of a float depend on the
processor, and results are to be byte-equal.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from eyeprint.errors import DataError, UsageError
from eyeprint.maths.diversity import unit_rows
from eyeprint.maths.ngrams import words
from eyeprint.maths.subspace import coordinates
from eyeprint.records.people import Persona
from eyeprint.records.work import VpttScore
from eyeprint.scores.person_space import (
    CHUNK,
    NvPolicy,
    PersonArrays,
    PersonSpace,
    VpttSettings,
    build_space,
    build_spaces,
)

if TYPE_CHECKING:
    from eyeprint.models.kinds import TextEncoder
    from eyeprint.store.embeddings import PersonVectors

DECIMALS = 6
PARTS = ("pa", "gs", "cp", "nv")
REASONS = (
    "",
    "the prompt is blank",
    "the person's description is blank",
    "the person has no caption with words",
    "the prompt has too few words for a trigram",
    "novelty was not asked for",
    "the texts of the captions were not given",
)
"""Why a part is unscored, by the codes of :attr:`ScoreArrays.why`."""
SCORED, BLANK_PROMPT, NO_DESCRIPTION, NO_CAPTIONS, FEW_WORDS, NOT_ASKED, NO_TEXTS = range(7)

Column = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ScoreArrays:
    """Scores of p prompts against one person; each column has shape (p,), NaN is unscored."""

    pa: Column
    gs: Column
    cp: Column
    nv: Column
    score: Column
    score_c: Column
    why: NDArray[np.uint8]
    """Shape (p, 4): for PA, GS, CP, NV the code of the reason in :data:`REASONS`, 0 if scored."""

    def __len__(self) -> int:
        return len(self.pa)

    def records(self) -> list[VpttScore]:
        """Return one record per prompt, ``None`` and a reason where unscored."""
        columns = [self.pa, self.gs, self.cp, self.nv, self.score, self.score_c]
        table = np.column_stack(columns).tolist() if len(self) else []
        found = []
        for values, codes in zip(table, self.why.tolist(), strict=True):
            pa, gs, cp, nv, score, score_c = (None if x != x else x for x in values)
            unscored = {
                part: REASONS[code] for part, code in zip(PARTS, codes, strict=True) if code
            }
            found.append(
                VpttScore(
                    pa=pa, gs=gs, cp=cp, nv=nv, score=score, score_c=score_c, unscored=unscored
                )
            )
        return found


@dataclass(frozen=True, eq=False)
class ToScore:
    """Prompts to score against one person, in arrays; see :func:`score_batch`."""

    person: PersonArrays
    prompts: Sequence[str]
    vectors: NDArray[np.floating]
    """Shape (p, d), from the same encoder as the person's; zero rows are blank prompts."""
    nv: NvPolicy | Sequence[NvPolicy] = "measured"
    """One policy for all prompts, or one each."""


def score_batch(
    work: Iterable[ToScore],
    settings: VpttSettings | None = None,
    chunk: int = CHUNK,
    workers: int = 1,
) -> Iterator[ScoreArrays]:
    """Score many persons' prompts, embeddings given; one :class:`ScoreArrays` per item, in order.

    Persons stream through ``chunk`` at a time, so memory does not grow with their number.
    No number depends on the chunk, on who else is in it, or on the number of workers.

    Args:
        work: persons with their prompts; may be a generator.
        settings: the choices behind the score.
        chunk: persons whose bases and clusters are computed together.
        workers: processes; with more than 1, a script needs its ``__main__`` guard.

    Raises:
        UsageError: vectors do not fit.
        DataError: a vector holds NaN or infinity.
    """
    settings = settings or VpttSettings()
    items = iter(work)
    chunks = iter(lambda: list(islice(items, chunk)), [])
    if workers <= 1:
        for batch in chunks:
            yield from _score_chunk(batch, settings)
        return
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        # One chunk waits behind each running one: workers never idle, memory stays bounded.
        running = deque(
            pool.submit(_score_chunk, batch, settings) for batch in islice(chunks, 2 * workers)
        )
        while running:
            yield from running.popleft().result()
            running.extend(
                pool.submit(_score_chunk, batch, settings) for batch in islice(chunks, 1)
            )


def _score_chunk(batch: list[ToScore], settings: VpttSettings) -> list[ScoreArrays]:
    spaces = build_spaces((item.person for item in batch), settings, len(batch))
    return [
        score_prompts(space, item.prompts, item.vectors, item.nv, settings)
        for space, item in zip(spaces, batch, strict=True)
    ]


def score_prompts(
    space: PersonSpace,
    prompts: Sequence[str],
    vectors: NDArray[np.floating],
    nv: NvPolicy | Sequence[NvPolicy] = "measured",
    settings: VpttSettings | None = None,
) -> ScoreArrays:
    """Score prompts against a person's space; a prompt's numbers do not depend on its mates.

    Args:
        space: from :func:`eyeprint.scores.person_space.build_space`, with equal settings.
        prompts: the texts, p of them; NV reads them, and nothing else does.
        vectors: shape (p, d); zero rows are blank prompts.
        nv: one policy for all, or one per prompt (V66).
        settings: as the space's.

    Raises:
        UsageError: numbers of prompts, vectors or policies differ, or the vectors have
            another length than the person's.
        DataError: a prompt vector holds NaN or infinity.

    >>> import numpy as np
    >>> person = PersonArrays("p", np.eye(3), ["a b c", "d e f", "g h i"], np.ones(3))
    >>> found = score_prompts(build_space(person), ["a b c d"], np.array([[1.0, 0.0, 0.0]]))
    >>> found.gs.tolist(), found.nv.tolist()
    ([1.0], [0.5])
    """
    settings = settings or VpttSettings()
    rows = _checked(space, prompts, vectors)
    policies = [nv] * len(prompts) if isinstance(nv, str) else list(nv)
    if len(policies) != len(prompts):
        raise UsageError(f"{len(policies)} NV policies do not fit {len(prompts)} prompts.")
    why = np.zeros((len(prompts), 4), dtype=np.uint8)
    why[~np.any(rows != 0, axis=1)] = BLANK_PROMPT
    rows = unit_rows(rows)
    parts = np.full((4, len(prompts)), np.nan)
    if space.description is not None:
        parts[0] = np.clip(coordinates(rows, space.description[None])[:, 0], -1.0, 1.0)
    _mark(why[:, 0], space.description is None, NO_DESCRIPTION)
    if space.basis is not None and space.centroids is not None:
        inside = coordinates(rows, space.basis)
        parts[1] = np.minimum(np.sqrt(np.sum(inside**2, axis=1)), 1.0)
        gaps = np.sum((inside[:, None] - space.centroids) ** 2, axis=2)
        parts[2] = np.exp(-np.sqrt(gaps.min(axis=1)))
    _mark(why[:, 1:3], space.basis is None, NO_CAPTIONS)
    parts[3] = _novelty(space, prompts, policies, why[:, 3], settings)
    # Adding 0 turns a rounded -0.0 into 0.0.
    pa, gs, cp, novelty = np.where(why.T == SCORED, np.round(parts, DECIMALS) + 0.0, np.nan)
    score, score_c = combine(pa, gs, cp, novelty, settings.weights)
    return ScoreArrays(
        pa, gs, cp, novelty, np.round(score, DECIMALS), np.round(score_c, DECIMALS), why
    )


def combine(
    pa: Column,
    gs: Column,
    cp: Column,
    nv: Column,
    weights: tuple[float, float, float, float] = (0.2, 0.3, 0.3, 0.2),
) -> tuple[Column, Column]:
    """Return (score, score-c) of parts; NaN where a part that it needs is NaN (V64, V65).

    >>> score, score_c = combine(*(np.array([x]) for x in (0.3, 0.6, 0.6, 1.0)))
    >>> round(float(score[0]), 3), round(float(score_c[0]), 3)
    (0.62, 0.5)
    """
    score = weights[0] * pa + weights[1] * gs + weights[2] * cp + weights[3] * nv
    return score, (pa + gs + cp) / 3


def vptt_score(
    prompts: Sequence[str | None],
    person: Persona,
    encoder: TextEncoder | str | None = None,
    settings: VpttSettings | None = None,
    vectors: PersonVectors | None = None,
    nv: NvPolicy | Sequence[NvPolicy] = "measured",
) -> list[VpttScore]:
    """Score prompts against a person; one result per prompt, in order.

    Args:
        prompts: a list of prompts, ``None`` for one that could not be written.
        person: the person; its captions and its ``description()`` are embedded.
        encoder: the text encoder, or its name; "auto" when not given.
        settings: the choices behind the score.
        vectors: the person's stored vectors, from the same encoder; saves embedding them.
        nv: NV policy, see :data:`eyeprint.scores.person_space.NvPolicy`; for prompts of
            Baseline and Persona Only, ``settings.nv_policy(method)`` gives the paper's.

    Raises:
        UsageError: a single string was passed, or ``vectors`` are of another person or encoder.
        ModelUnavailable: the encoder cannot be loaded.

    >>> vptt_score([], Persona(id="p"), encoder=None, vectors=None)
    []
    """
    if isinstance(prompts, str):
        raise UsageError(
            "vptt_score takes a list of prompts, and got one string. "
            "Put it into a list: vptt_score([prompt], person)."
        )
    if not prompts:
        return []
    if not isinstance(person, Persona):
        raise UsageError(
            f"vptt_score takes one Persona, and got {type(person).__name__}. "
            'Take one of your people: load_people("mini")["mini-03"].'
        )
    if encoder is None or isinstance(encoder, str):
        from eyeprint.models.text_encoders import load_encoder

        encoder = load_encoder(encoder or "auto")
    texts = [prompt or "" for prompt in prompts]
    if vectors is None:
        arrays = arrays_of(person, encoder)
    elif vectors.encoder == encoder.fingerprint:
        arrays = arrays_of_stored(person, vectors)
    else:
        raise UsageError(
            f"the stored vectors of person '{person.id}' are from another encoder than "
            f"'{encoder.name}'; scores of two encoders never mix. Embed the people again, "
            "or pass the encoder that made them."
        )
    space = build_space(arrays, settings)
    return score_prompts(space, texts, encoder.encode(texts), nv, settings).records()


def arrays_of(person: Persona, encoder: TextEncoder) -> PersonArrays:
    """Embed a person's captions and description for the score."""
    texts = [post.caption for post in person.posts]
    encoded = encoder.encode([*texts, person.description()])
    return PersonArrays(person.id, encoded[:-1], texts, encoded[-1])


def arrays_of_stored(person: Persona, vectors: PersonVectors) -> PersonArrays:
    """Put a person's stored vectors beside the captions' texts.

    Raises:
        UsageError: the vectors are another person's, or of another number of posts.
    """
    if vectors.person_id != person.id:
        raise UsageError(f"vectors of person '{vectors.person_id}' were given for '{person.id}'.")
    texts = [post.caption for post in person.posts]
    if len(texts) != len(vectors.captions):
        raise UsageError(
            f"person '{person.id}' has {len(texts)} posts, but {len(vectors.captions)} stored "
            "caption vectors. The people changed since they were embedded: embed them again."
        )
    return PersonArrays(person.id, vectors.captions, texts, vectors.description)


def _novelty(
    space: PersonSpace,
    prompts: Sequence[str],
    policies: Sequence[NvPolicy],
    why: NDArray[np.uint8],
    settings: VpttSettings,
) -> Column:
    """Return NV, and set the reasons of the prompts that have none."""
    measured = np.array([policy == "measured" for policy in policies], dtype=bool)
    skipped = np.array([policy == "skip" for policy in policies], dtype=bool)
    result = np.array([1.0 if policy == "one" else 0.0 for policy in policies])
    _mark(why, skipped, NOT_ASKED)
    _mark(why, measured & (space.captions == 0), NO_CAPTIONS)
    _mark(why, measured & (space.trigrams is None), NO_TEXTS)
    asked = np.flatnonzero(measured & (why == SCORED))
    if asked.size and space.trigrams is not None:
        texts = [prompts[i] for i in asked.tolist()]
        overlap = space.trigrams.overlap(texts)
        result[asked] = 1.0 - overlap.largest_share()
        few = overlap.sizes == 0
        if settings.min_trigram_words > 3:
            few |= np.array([len(words(text)) < settings.min_trigram_words for text in texts])
        why[asked[few]] = FEW_WORDS
    return result


def _mark(why: NDArray[np.uint8], where: bool | NDArray[np.bool_], code: int) -> None:
    """Set a reason where none stands yet: the first one found is told."""
    why[(why == SCORED) & where] = code


def _checked(
    space: PersonSpace, prompts: Sequence[str], vectors: NDArray[np.floating]
) -> NDArray[np.float64]:
    rows = np.asarray(vectors, dtype=np.float64)
    if rows.ndim != 2 or len(rows) != len(prompts):
        raise UsageError(
            f"person '{space.id}': {len(prompts)} prompts, but vectors of shape {rows.shape}."
        )
    for known in (space.basis, space.description):
        if known is not None and known.shape[-1] != rows.shape[1]:
            raise UsageError(
                f"person '{space.id}': prompt vectors have {rows.shape[1]} numbers, the person's "
                f"{known.shape[-1]}. Embed both with the same encoder."
            )
    bad = np.flatnonzero(~np.isfinite(rows).all(axis=1))
    if bad.size:
        raise DataError(
            f"person '{space.id}': the vector of prompt {bad[0]} holds NaN or infinity. "
            "Embed it again."
        )
    return rows
