"""How well the scores of one encoder follow those of another, on the mini personas.

Prompts are written once, by every own method without a chat model, for the twelve mini
personas and the six VPTT tasks, with the reference encoder retrieving. Both encoders
then score the same prompts (score-c: the mean of PA, GS and CP, which alone depend on
the encoder). Reported: Spearman's rho over all (person, task, method), and within each
method over (person, task).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from eyeprint.maths.effects import spearman
from eyeprint.methods.catalog import OURS
from eyeprint.methods.rewrite import method_models, rewrite
from eyeprint.methods.setting import MethodSettings
from eyeprint.models.kinds import TextEncoder
from eyeprint.people.shipped import load_people
from eyeprint.protocols.vptt_tasks import all_tasks
from eyeprint.scores.person_space import build_space
from eyeprint.scores.vptt_score import arrays_of, score_prompts


class Case(NamedTuple):
    """One prompt to score."""

    person: str
    task: str
    method: str
    prompt: str


def write_cases(encoder: TextEncoder) -> list[Case]:
    """Write every prompt, with ``encoder`` retrieving."""
    models, people = method_models(encoder), load_people("mini")
    cases = []
    for person in people:
        for task in all_tasks().values():
            for method in OURS:
                settings = MethodSettings(mode=task.mode)
                found = rewrite(task.query(), person, method, models=models, settings=settings)
                cases.append(Case(person.id, task.id, method, found.draft.prompt or ""))
    return cases


def score_cases(cases: list[Case], encoder: TextEncoder) -> np.ndarray:
    """Return score-c of every case, shape (n,)."""
    people = load_people("mini")
    result = np.full(len(cases), np.nan)
    for person in people:
        rows = [i for i, case in enumerate(cases) if case.person == person.id]
        prompts = [cases[i].prompt for i in rows]
        space = build_space(arrays_of(person, encoder))
        scores = score_prompts(space, prompts, encoder.encode(prompts), "measured").records()
        result[rows] = [np.nan if score.score_c is None else score.score_c for score in scores]
    return result


class Agreement(NamedTuple):
    """Spearman's rho of two encoders' scores."""

    overall: float
    within: dict[str, float]

    @property
    def median_within(self) -> float:
        """Median over the methods."""
        return float(np.median(list(self.within.values())))


def agreement(cases: list[Case], left: np.ndarray, right: np.ndarray) -> Agreement:
    """Compare two columns of scores."""
    methods = np.array([case.method for case in cases])
    within = {m: spearman(left[methods == m], right[methods == m]) for m in OURS}
    return Agreement(spearman(left, right), within)


def main() -> None:
    """Print the agreement of ``static`` with ``minilm``."""
    from eyeprint.models.text_encoders import load_encoder

    reference = load_encoder("minilm")
    cases = write_cases(reference)
    found = agreement(
        cases, score_cases(cases, reference), score_cases(cases, load_encoder("static"))
    )
    print(f"over all {found.overall:.3f}, median within a method {found.median_within:.3f}")
    for method, rho in found.within.items():
        print(f"  {method:14} {rho:.3f}")


if __name__ == "__main__":
    main()
