"""VPTT as an Inspect task: the model writes what our methods ask for, and is scored by it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from eyeprint.errors import UsageError
from eyeprint.methods.compose import read_reply
from eyeprint.models.chat_inspect_wire import inspect_config, inspect_messages
from eyeprint.models.decoding import decoding_for
from eyeprint.models.kinds import ChatRequest
from eyeprint.protocols.inspect_mmpb import STAND_IN, answered
from eyeprint.protocols.people_matrix import PeopleMatrix
from eyeprint.protocols.vptt_drafts import Drafter, Item, items_of
from eyeprint.protocols.vptt_plan import Plan, plan_vptt
from eyeprint.protocols.vptt_scoring import Scorer


@dataclass
class VpttDesk:
    """Everything to ask for prompts of one task and method, and to score them."""

    plan: Plan
    drafter: Drafter
    scorer: Scorer
    folder: TemporaryDirectory[str] = field(repr=False)
    """Holds the people's vectors; it goes with this desk."""

    def request(self, item: Item) -> ChatRequest:
        """Return what the model is asked for one person.

        Raises:
            UsageError: no model writes what the method makes.
        """
        request = self.drafter.request(item)
        if request is None:
            raise UsageError(
                f"No model writes for the method '{item.method}': its prompt is the task itself. "
                "Take vprag, brag, comb or persona_only."
            )
        return request

    def row(self, item: Item, output: Any) -> dict[str, Any]:
        """Return the result row of what a model wrote, as ``eyeprint run vptt`` has it."""
        material = self.drafter.material(item)
        settings = self.drafter.settings(item.task)
        draft = read_reply(material, item.writer, answered(output), settings)
        return dict(self.scorer.rows(self.plan.people[item.person_id], [draft])[0])


@lru_cache(maxsize=2)
def desk(people: str, task: str, method: str, encoder: str, n: int | None, seed: int) -> VpttDesk:
    """Return the desk of a task's arguments; the task and its scorer share one.

    Raises:
        UsageError: a value is not known, or there are several methods or tasks.
    """
    plan = plan_vptt(
        people, methods=method, tasks=task, writers=(STAND_IN,), encoder=encoder, n=n, seed=seed
    )
    if len(plan.run.methods) != 1 or len(plan.run.tasks) != 1:
        raise UsageError(
            "An Inspect task is one task of VPTT with one method: name one of each, and run it "
            "again for others (or see `eyeprint run vptt`, which takes all of them)."
        )
    plan.shelf.prepare(
        plan.people, lambda done: None, plan.needs_elements and plan.element_shelf is plan.shelf
    )
    if plan.element_shelf is not plan.shelf and plan.needs_elements:
        plan.element_shelf.prepare(plan.people, lambda done: None, True)
    folder = TemporaryDirectory(prefix="eyeprint-inspect-")
    matrix = PeopleMatrix(Path(folder.name) / "vectors", plan.encoder.dim)
    matrix.fill(plan.people, plan.shelf.of)
    drafter = Drafter(plan.run, plan.people, plan.models(), {})
    return VpttDesk(plan, drafter, Scorer(plan.run, plan.encoder, matrix, plan.people.ids), folder)


def vptt_task(people: str, task: str, method: str, encoder: str, n: int | None, seed: int) -> Any:
    """Return the task: one sample for each person.

    Decoding is that of the model (V46) where Inspect makes the task, which it does by name; a
    task that is made before its model is known decodes as models that the paper does not name.

    Raises:
        UsageError: a value is not known. DataError: no person could be read.
    """
    from inspect_ai import Task
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import GenerateConfig
    from inspect_ai.solver import generate

    from eyeprint.protocols.inspect_scorers import vptt_scorer

    desk.cache_clear()  # the data may be others than they were for an earlier task
    at = desk(people, task, method, encoder, n, seed)
    items = list(items_of(at.plan.run, at.plan.people.ids))
    requests = [at.request(item) for item in items]
    samples = [
        Sample(
            input=inspect_messages(request.messages),
            id=item.person_id,
            metadata={"person": item.person_id, "task": item.task.id, "method": item.method},
        )
        for item, request in zip(items, requests, strict=True)
    ]
    first = requests[0].model_copy(
        update=dict.fromkeys(("temperature", "top_p", "max_tokens", "seed"))
        | decoding_for(_model_asked()).parameters()
    )
    return Task(
        dataset=MemoryDataset(samples, name=f"vptt {items[0].task.id} {items[0].method}"),
        solver=generate(),
        scorer=vptt_scorer()(people, task, method, encoder, n, seed),
        config=GenerateConfig(**inspect_config(first)),
        version=at.plan.run.version,
    )


def _model_asked() -> str:
    """Return the model of the evaluation, or "" where a task is made before there is one."""
    from inspect_ai.model import get_model

    try:
        return str(get_model())
    except ValueError:
        return ""


def vptt_score(
    people: str, task: str, method: str, encoder: str, n: int | None, seed: int
) -> Callable[[Any, Any], Any]:
    """Return the scorer: the task's headline score, or unscored with the reason."""
    from inspect_ai.scorer import Score

    at = desk(people, task, method, encoder, n, seed)
    items = {item.person_id: item for item in items_of(at.plan.run, at.plan.people.ids)}

    async def score(state: Any, target: Any) -> Any:
        item = items[str(state.sample_id)]
        row = at.row(item, state.output)
        value = row[item.task.headline]
        unscored = "; ".join(f"{part}: {why}" for part, why in row["unscored"].items())
        parts = ("score", "score_c", "pa", "gs", "cp", "nv", "wrong_score_c", "shuffled_score_c")
        return Score(
            value=float("nan") if value is None else value,
            answer=row["prompt"],
            explanation=unscored or row["detail"] or None,
            metadata={name: row[name] for name in parts} | {"fault": row["fault"]},
        )

    return score
