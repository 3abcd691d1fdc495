"""What Inspect knows of ours by name: tasks, and scorers with their metrics.

A scorer is registered by name and made of plain values, so that ``inspect score`` can read the
replies of a log again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from eyeprint.records.concept_questions import OUTCOMES


def registered(*tasks: Callable[..., Any]) -> tuple[Any, ...]:
    """Register tasks and scorers with Inspect; return the registered tasks."""
    from inspect_ai import task

    for make in (mmpb_scorer, vptt_scorer, pipbench_scorer):
        make()
    return tuple(task(each) for each in tasks)


def mmpb_scorer() -> Any:
    """Return the scorer of MMPB, registered as ``eyeprint/mmpb_reading``."""
    from inspect_ai.scorer import accuracy, grouped, metric, scorer, stderr

    from eyeprint.protocols.inspect_mmpb import mmpb_reading

    told = metric(name="outcomes")(outcomes)
    return scorer(
        metrics=[
            accuracy(),
            stderr(cluster="concept"),
            grouped(accuracy(), "type", all=False),
            grouped(accuracy(), "group", all=False),
            grouped(accuracy(), "category", all=False),
            told(),
        ]
    )(mmpb_reading)


def vptt_scorer() -> Any:
    """Return the scorer of VPTT, registered as ``eyeprint/vptt_score``."""
    from inspect_ai.scorer import mean, scorer, stderr

    from eyeprint.protocols.inspect_vptt import vptt_score

    return scorer(metrics=[mean(), stderr(cluster="person")])(vptt_score)


def pipbench_scorer() -> Any:
    """Return the scorer of PIPBench, registered as ``eyeprint/pipbench_likeness``."""
    from inspect_ai.scorer import mean, scorer, stderr

    from eyeprint.protocols.inspect_pipbench import pipbench_likeness

    return scorer(metrics=[mean(), stderr(cluster="person")])(pipbench_likeness)


def outcomes() -> Callable[[list[Any]], dict[str, float]]:
    """Return the metric that counts what became of the questions (M23, X9): share of each outcome.

    All but "answered" count as wrong in the accuracy beside it.
    """

    def shares(scores: list[Any]) -> dict[str, float]:
        found = Counter((each.score.metadata or {}).get("outcome", "failed") for each in scores)
        return {name: found[name] / len(scores) if scores else 0.0 for name in OUTCOMES}

    return shares
