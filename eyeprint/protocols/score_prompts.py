"""Score prompts from any source against people: a file in, scores and a table out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from eyeprint.errors import UnknownName
from eyeprint.models.kinds import TextEncoder
from eyeprint.records.files import People
from eyeprint.records.prompts import PromptFile
from eyeprint.records.work import PromptToScore, VpttScore
from eyeprint.scores.person_space import VpttSettings, build_space
from eyeprint.scores.vptt_columns import ScoreColumns
from eyeprint.scores.vptt_score import arrays_of_stored, score_prompts
from eyeprint.scores.vptt_table import TableSettings, VpttTable, vptt_tables
from eyeprint.store.embeddings import VectorShelf

BATCH = 256
"""Prompts encoded together."""


class Scored(NamedTuple):
    """Scores in the order of the file, with what went wrong."""

    rows: tuple[dict[str, Any], ...]
    """One per prompt: its fields, the six scores, ``unscored`` reasons."""
    unknown: tuple[str, ...]
    """Ids of people that the file names and nobody knows."""
    cut: int
    """Prompts longer than the encoder reads."""

    def columns(self) -> ScoreColumns:
        """Return the scores as columns; repeated prompts of one method count one by one."""
        seen: dict[tuple[str, ...], int] = {}
        rows = []
        for row in self.rows:
            key = (row["person"], row["query"], row["method"], row["writer"])
            again = seen[key] = seen.get(key, 0) + 1
            # Two prompts of one method for one person and query are two cells, not a fault.
            query = row["query"] if again == 1 else f"{row['query']}#{again}"
            rows.append({**row, "query": query})
        return ScoreColumns.from_rows(rows)

    def table(self, settings: VpttSettings) -> VpttTable:
        """Return the table over all prompts, a row per method."""
        return vptt_tables(self.columns(), (), TableSettings(score=settings))[0]


def score_file(
    prompts: PromptFile,
    people: People,
    encoder: TextEncoder,
    settings: VpttSettings | None = None,
    shelf: VectorShelf | None = None,
    progress: Callable[[int], None] | None = None,
) -> Scored:
    """Score every prompt of a file against the person it names (V58–V67).

    A person who is not among ``people`` leaves that prompt unscored with the reason;
    the others are scored. NV follows ``settings.nv_policy(method)``: 0 for prompts whose
    method is called "baseline" or "persona_only" (V66), measured for all others.
    """
    settings = settings or VpttSettings()
    shelf = shelf or VectorShelf(None, encoder)
    by_person: dict[str, list[int]] = {}
    for place, row in enumerate(prompts.rows):
        by_person.setdefault(row.person, []).append(place)
    scores: dict[int, VpttScore] = {}
    unknown: list[str] = []
    cut = done = 0
    for person_id, places in by_person.items():
        try:
            person = people[person_id]
        except UnknownName as error:
            unknown.append(person_id)
            reason = dict.fromkeys(("pa", "gs", "cp", "nv"), str(error))
            for place in places:
                scores[place] = VpttScore(
                    pa=None, gs=None, cp=None, nv=None, score=None, score_c=None, unscored=reason
                )
            continue
        space = build_space(arrays_of_stored(person, shelf.of(person)), settings)
        for part in _parts(places):
            texts = [prompts.rows[place].prompt for place in part]
            encoded = encoder.encode_counted(texts)
            cut += int(encoded.cut.sum())
            nv = [settings.nv_policy(prompts.rows[place].method) for place in part]
            found = score_prompts(space, texts, encoded.vectors, nv, settings).records()
            scores.update(zip(part, found, strict=True))
            done += len(part)
            if progress is not None:
                progress(done)
    rows = tuple(
        _row(prompts.rows[i], prompts.extra[i], scores[i]) for i in range(len(prompts.rows))
    )
    return Scored(rows, tuple(unknown), cut)


def _parts(places: list[int]) -> Iterator[list[int]]:
    for start in range(0, len(places), BATCH):
        yield places[start : start + BATCH]


def _row(prompt: PromptToScore, extra: dict[str, Any], score: VpttScore) -> dict[str, Any]:
    return {**extra, **prompt.model_dump(), **score.model_dump()}
