"""From drafts to result rows: every prompt against its person, a wrong one, and a shuffle."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eyeprint.models.kinds import TextEncoder
from eyeprint.protocols.people_matrix import PeopleMatrix
from eyeprint.protocols.vptt_settings import VpttRun
from eyeprint.records.people import Persona
from eyeprint.records.work import Draft
from eyeprint.scores.person_space import PersonArrays, build_space
from eyeprint.scores.vptt_controls import (
    ShuffledProfiles,
    WrongPersons,
    shuffled_profile,
    wrong_person,
)
from eyeprint.scores.vptt_score import score_prompts

Row = dict[str, Any]


@dataclass
class Scorer:
    """Scores one person's drafts at a time.

    The rows of a person depend on that person, the drafts and the settings alone, not on
    who else is scored when: the basis of resuming to equal bytes.
    """

    run: VpttRun
    encoder: TextEncoder
    matrix: PeopleMatrix
    ids: Sequence[str]
    wrong: WrongPersons = field(init=False)
    shuffled: ShuffledProfiles = field(init=False)
    prompts_cut: int = 0
    """Prompts longer than the encoder reads, so far."""

    def __post_init__(self) -> None:
        self.wrong = wrong_person(self.ids, self.run.seed)
        self.shuffled = ShuffledProfiles(self.matrix.counts, self.run.seed)

    def scored(self, person: Persona, drafts: Sequence[Draft]) -> Row:
        """Return ``{"rows": ..., "prompts_cut": ...}`` of one person's drafts."""
        before = self.prompts_cut
        rows = self.rows(person, drafts)
        return {"rows": rows, "prompts_cut": self.prompts_cut - before}

    def rows(self, person: Persona, drafts: Sequence[Draft]) -> list[Row]:
        """Return the result rows of one person's drafts, in their order."""
        texts = [draft.prompt or "" for draft in drafts]
        vectors = self._encode(texts)
        own = self.matrix.arrays(person.id)
        whole = PersonArrays(
            own.id, own.captions, [post.caption for post in person.posts], own.description
        )
        rules = self.run.score
        policies = [
            rules.nv_policy(draft.method) if draft.prompt is not None else "measured"
            for draft in drafts
        ]
        space = build_space(whole, rules)
        found = score_prompts(space, texts, vectors, policies, rules).records()
        ones = ["one" if policy == "published_zero" else policy for policy in policies]
        other = score_prompts(space, texts, vectors, ones, rules).score
        wrong_id = self.wrong.of.get(person.id)
        wrong = self._control(
            self.matrix.arrays(wrong_id) if self.run.controls and wrong_id else None, texts, vectors
        )
        source = self.shuffled.source(person.id)
        mixed = self._control(
            shuffled_profile(source, self.matrix.arrays) if self.run.controls else None,
            texts,
            vectors,
        )
        tasks = {task.id: task for task in self.run.tasks}
        rows = []
        for i, (draft, score) in enumerate(zip(drafts, found, strict=True)):
            task = tasks[draft.query_id]
            unscored = dict(score.unscored)
            if draft.prompt is None:
                unscored = dict.fromkeys(("pa", "gs", "cp", "nv"), f"no prompt: {draft.fault}")
            elif self.run.controls:
                for control, reason in (("wrong", self.wrong.reason), ("shuffled", source.reason)):
                    if reason is not None:
                        unscored[control] = reason
            rows.append(
                {
                    "person": person.id,
                    "query": draft.query_id,
                    "query_text": task.text,
                    "kind": task.kind,
                    "mode": task.mode,
                    "method": draft.method,
                    "writer": draft.writer,
                    "prompt": draft.prompt,
                    "fault": draft.fault,
                    "detail": draft.detail,
                    "words": len(draft.prompt.split()) if draft.prompt is not None else None,
                    "words_cut": draft.words_cut,
                    **score.model_dump(exclude={"unscored"}),
                    "score_nv1": _number(other[i]),
                    "unscored": unscored,
                    "wrong_person": wrong_id if self.run.controls else None,
                    "wrong_score_c": _number(wrong[i]),
                    "shuffled_score_c": _number(mixed[i]),
                    "elements": [element.model_dump() for element in draft.elements],
                }
            )
        return rows

    def _encode(self, texts: list[str]) -> NDArray[np.float32]:
        """Encode each distinct prompt once: Baseline's is the same for every person."""
        distinct = list(dict.fromkeys(texts))
        encoded = self.encoder.encode_counted(distinct)
        self.prompts_cut += int(encoded.cut.sum())
        place = {text: i for i, text in enumerate(distinct)}
        return encoded.vectors[[place[text] for text in texts]]

    def _control(
        self, person: PersonArrays | None, texts: list[str], vectors: NDArray[np.float32]
    ) -> NDArray[np.float64]:
        if person is None:
            return np.full(len(texts), np.nan)
        space = build_space(person, self.run.score)
        return score_prompts(space, texts, vectors, "skip", self.run.score).score_c


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def by_person(drafts: Iterable[Draft]) -> Iterator[tuple[str, list[Draft]]]:
    """Group drafts, which come person by person, into (person id, drafts)."""
    current: str | None = None
    group: list[Draft] = []
    for draft in drafts:
        if draft.person_id != current and current is not None:
            yield current, group
            group = []
        current = draft.person_id
        group.append(draft)
    if current is not None:
        yield current, group
