"""MMPB as an Inspect task: the messages of ``eyeprint run mmpb``, its reading of replies."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from eyeprint.errors import UsageError, shown
from eyeprint.models.chat_inspect_wire import inspect_config, inspect_messages, reply_of_output
from eyeprint.models.chat_wire import Failure
from eyeprint.models.kinds import Reply
from eyeprint.protocols.display import Quiet
from eyeprint.protocols.mmpb import prepared
from eyeprint.protocols.mmpb_ask import Asker, AskItem
from eyeprint.protocols.mmpb_data import Chosen
from eyeprint.protocols.mmpb_grid_words import read_grid
from eyeprint.protocols.mmpb_plan import MmpbPlan, plan_mmpb
from eyeprint.protocols.mmpb_settings import control_of
from eyeprint.records.concept_questions import ConceptQuestion
from eyeprint.records.concept_settings import CONTROLS, Control
from eyeprint.scores.replies import read_answer

STAND_IN = "echo"
"""Stands for Inspect's model in our plans: whom it asks, Inspect knows."""


def mmpb_plan_of(
    data: str,
    grid: Mapping[str, Any],
    control: str,
    chosen: Mapping[str, Any],
    mini: bool = False,
    n: int | None = None,
    **choices: Any,
) -> MmpbPlan:
    """Return the plan of one setting, made of a task's plain values.

    Raises:
        UsageError: a value is not known, or the setting has no such control.
        DataError: the data cannot be used.
    """
    words: dict[str, Any] = {name: str(value) for name, value in grid.items() if name != "blind"}
    settings = read_grid(**words, controls="")
    settings = settings.model_copy(update={"blind": (bool(grid.get("blind")),)})
    known = {name: _words(value) for name, value in chosen.items()}
    plan = plan_mmpb(
        data,
        (STAND_IN,),
        grid=settings,
        chosen=Chosen.checked(known | {"mini": mini, "number": n}, "the task's arguments"),
        **choices,
    )
    own = plan.run.settings
    if len(own) != 1:
        raise UsageError(
            "An Inspect task is one setting of MMPB: give one value each, and run it again for "
            "others (or see `eyeprint run mmpb`, which takes any grid)."
        )
    if control != "own":
        found = control_of(own[0], _control(control))
        if found is None:
            raise UsageError(
                f"'{own[0].label}' has no control '{control}': controls are of one concept, "
                "zero_shot, seen and closed."
            )
        # The questions stay those that the setting itself can ask: both are compared on them.
        plan.run = plan.run.model_copy(update={"settings": (found,)})
    return plan


def _control(word: str) -> Control:
    for known in CONTROLS:
        if word == known:
            return known
    raise UsageError(f"control is one of {', '.join(CONTROLS)}, and not '{shown(word)}'.")


def _words(value: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    parts = value.split(",") if isinstance(value, str) else value
    return tuple(str(part).strip() for part in parts if str(part).strip())


def mmpb_task(data: str, grid: Mapping[str, Any], **choices: Any) -> Any:
    """Return the task: one sample for each question, with all its messages.

    Raises:
        UsageError, DataError: see :func:`mmpb_plan_of`.
    """
    from inspect_ai import Task
    from inspect_ai.dataset import MemoryDataset
    from inspect_ai.model import GenerateConfig
    from inspect_ai.solver import generate

    from eyeprint.protocols.inspect_scorers import mmpb_scorer

    plan = mmpb_plan_of(data, grid, **choices)
    # Pictures that had to be turned or made smaller lie here until they are in the samples.
    with TemporaryDirectory(prefix="eyeprint-inspect-") as folder:
        asker = prepared(plan, Path(folder), Quiet())
        samples = list(mmpb_samples(asker))
        first = asker.request(next(asker.items()))
    return Task(
        dataset=MemoryDataset(samples, name=f"mmpb {plan.run.settings[0].label}"),
        solver=generate(),
        scorer=mmpb_scorer()(),
        config=GenerateConfig(**inspect_config(first)),
        version=plan.run.version,
        metadata={"setting": plan.run.settings[0].label, "data": plan.run.data},
    )


def mmpb_samples(asker: Asker) -> Iterator[Any]:
    """Yield a sample for each question: its messages as they are sent, its answer, what it is.

    A picture that several questions show is held once.
    """
    from inspect_ai.dataset import Sample

    urls: dict[str, str] = {}
    for item in asker.items():
        yield Sample(
            input=inspect_messages(asker.request(item).messages, urls),
            target=item.question.answer,
            id=item.question.id,
            metadata=_facts(item),
        )


def _facts(item: AskItem) -> dict[str, Any]:
    question = item.question
    return {
        "concept": question.concept,
        "category": question.category,
        "type": question.type,
        "group": question.group,
        "task": question.task,
        "setting": item.setting.label,
        "question": question.model_dump(mode="json"),
    }


def answered(output: Any) -> Reply:
    """Return a sample's output as a reply; one that holds none is a failed one."""
    reply = reply_of_output(output)
    if isinstance(reply, Failure):
        return Reply(outcome="failed", failure=reply.kind, detail=reply.detail)
    return reply


def mmpb_reading() -> Callable[[Any, Any], Any]:
    """Return the scorer: :func:`eyeprint.scores.replies.read_answer`, right or wrong."""
    from inspect_ai.scorer import CORRECT, INCORRECT, Score

    async def score(state: Any, target: Any) -> Any:
        question = ConceptQuestion.model_validate(state.metadata["question"])
        read = read_answer(answered(state.output), question)
        right = read.outcome == "answered" and read.said == question.answer
        rule = f"{read.outcome}: {read.rule or read.refusal or read.detail}".rstrip(": ")
        return Score(
            value=CORRECT if right else INCORRECT,
            answer=read.said,
            explanation=rule,
            metadata={
                "outcome": read.outcome,
                "rule": read.rule,
                "alternatives": list(read.alternatives),
                "refusal": read.refusal,
                "detail": read.detail,
            },
        )

    return score
