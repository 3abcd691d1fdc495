"""How well the scores of one encoder follow those of another, on the mini personas.

Prompts are written once, by every own method without a chat model, for the twelve mini
personas and the six VPTT tasks, with the reference encoder retrieving. Both encoders
then score the same prompts. Reported: Spearman's rho over all (person, task, method),
and within each method over (person, task); for the VPTT score as published (NV = 0 for
methods that see no caption), and for score-c, the mean of PA, GS and CP. The second is
the stricter figure: NV does not depend on the encoder, so both agree on it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from eyeprint.maths.effects import spearman
from eyeprint.methods.catalog import OURS
from eyeprint.methods.rewrite import method_models, rewrite
from eyeprint.methods.setting import MethodSettings
from eyeprint.models.kinds import TextEncoder
from eyeprint.people.shipped import load_people
from eyeprint.protocols.vptt_tasks import all_tasks
from eyeprint.scores.person_space import VpttSettings, build_space
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


def score_cases(cases: list[Case], encoder: TextEncoder) -> dict[str, np.ndarray]:
    """Return ``score`` and ``score_c`` of every case, each of shape (n,)."""
    found = {"score": np.full(len(cases), np.nan), "score_c": np.full(len(cases), np.nan)}
    rules = VpttSettings()
    for person in load_people("mini"):
        rows = [i for i, case in enumerate(cases) if case.person == person.id]
        prompts = [cases[i].prompt for i in rows]
        novelty = [rules.nv_policy(cases[i].method) for i in rows]
        space = build_space(arrays_of(person, encoder))
        records = score_prompts(space, prompts, encoder.encode(prompts), novelty).records()
        for name, column in found.items():
            values = [getattr(record, name) for record in records]
            column[rows] = [np.nan if value is None else value for value in values]
    return found


class Agreement(NamedTuple):
    """Spearman's rho of two encoders' scores."""

    overall: float
    within: dict[str, float]

    @property
    def median_within(self) -> float:
        """Median over the methods."""
        return float(np.median(list(self.within.values())))

    def rounded(self) -> dict[str, Any]:
        """Return all figures with four digits."""
        return {
            "overall": round(self.overall, 4),
            "median_within": round(self.median_within, 4),
            "within": {method: round(rho, 4) for method, rho in self.within.items()},
        }

    def __str__(self) -> str:
        methods = ", ".join(f"{method} {rho:.2f}" for method, rho in self.within.items())
        return (
            f"{self.overall:.3f} over all, median within a method {self.median_within:.3f} "
            f"({methods})"
        )


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
    theirs = score_cases(cases, reference)
    ours = score_cases(cases, load_encoder("static"))
    for name, column in theirs.items():
        print(f"{name}: {agreement(cases, column, ours[name])}")


if __name__ == "__main__":
    main()
