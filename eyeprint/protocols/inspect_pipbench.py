"""PIPBench as an Inspect task: the model writes as the fusion's writer, a painter paints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from eyeprint.errors import DataError, UsageError, shown
from eyeprint.methods.picture_fusion import fusion_request, plan_of_reply
from eyeprint.models.chat_inspect_wire import inspect_config, inspect_messages
from eyeprint.models.kinds import ChatRequest
from eyeprint.protocols.inspect_mmpb import STAND_IN, answered
from eyeprint.protocols.pipbench_album import Album
from eyeprint.protocols.pipbench_paint import PaintItem
from eyeprint.protocols.pipbench_plan import PipbenchPlan, plan_pipbench
from eyeprint.protocols.pipbench_studio import painting_request
from eyeprint.records.cases import Case, PaintPlan
from eyeprint.scores.image_scores import ImageScorer
from eyeprint.scores.image_settings import ImageJob, Seen

METHOD = "fusion"
"""The method whose writer is asked once for each case."""


@dataclass
class PipbenchDesk:
    """Everything to ask for prompts, paint them and score the pictures."""

    plan: PipbenchPlan
    album: Album
    scorer: ImageScorer
    column: str
    """The score: likeness to the references."""

    def request(self, case: Case) -> ChatRequest:
        """Return what the model is asked for one case.

        Raises:
            DataError: a reference cannot be read.
        """
        return fusion_request(self.album.ask(case, self.plan.run.seed), self.plan.run.method)

    def plan_of(self, case: Case, output: Any) -> PaintPlan:
        """Return the plan that a model's output holds, or one that says why there is none."""
        ask = self.album.ask(case, self.plan.run.seed)
        return plan_of_reply(ask, METHOD, STAND_IN, answered(output), self.plan.run.method)

    async def painted(self, case: Case, plan: PaintPlan) -> Seen:
        """Return the picture of a plan, or in words why there is none."""
        if plan.prompt is None:
            return f"no prompt: {plan.fault}"
        model = self.plan.run.models[0]
        item = PaintItem(case, model)
        request = painting_request(self.plan.run, self.album, item, plan)
        made = await self.plan.painters[model.painter].paint(request, model.way)
        return made.picture or f"{made.failure or 'failed'}: {made.detail}"

    def likeness(self, case: Case, output: Seen) -> tuple[float | None, str]:
        """Return the score of a picture, and why there is none."""
        references = list(self.album.references(case))
        found = self.scorer.score_block([ImageJob(case.id, case.prompt, references, None, output)])
        return found[0].values[self.column], found[0].unscored.get(self.column, "")


@lru_cache(maxsize=2)
def desk(
    data: str, method: str, painter: str, encoder: str, n: int | None, seed: int
) -> PipbenchDesk:
    """Return the desk of a task's arguments; the task and its scorer share one.

    Raises:
        UsageError: a value is not known, or the method asks more than once.
    """
    if method != METHOD:
        raise UsageError(
            f"As an Inspect task, PIPBench has the method '{METHOD}', and not '{shown(method)}': "
            "others ask no model, or several times for each case. See `eyeprint run pipbench`."
        )
    notes: tuple[str, ...] = ()
    root: Any = data
    if data == "hub":
        from eyeprint.people.pipbench_hub import fetch_pipbench

        fetched = fetch_pipbench(None)
        root, notes = fetched.root, tuple(fetched.notes)
    plan = plan_pipbench(
        root,
        methods=method,
        writers=(STAND_IN,),
        painters=(painter,),
        encoders=(encoder,),
        n=n,
        seed=seed,
        notes=notes,
    )
    if len(plan.encoders) != 1:
        raise UsageError(f"Name one image encoder, and not '{shown(encoder)}'.")
    (made,) = plan.encoders.values()
    settings = plan.run.score.images.model_copy(update={"gray": False, "target": False})
    scorer = ImageScorer([made], None, settings)
    return PipbenchDesk(plan, Album(plan.cases), scorer, f"{made.column}-R")


def pipbench_task(
    data: str, method: str, painter: str, encoder: str, n: int | None, seed: int
) -> Any:
    """Return the task: one sample for each case, references and short prompt.

    Raises:
        UsageError: a value is not known. DataError: no case could be read.
    """
    from inspect_ai import Task
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import GenerateConfig
    from inspect_ai.solver import generate

    from eyeprint.protocols.inspect_scorers import pipbench_scorer

    desk.cache_clear()  # the data may be others than they were for an earlier task
    at = desk(data, method, painter, encoder, n, seed)
    urls: dict[str, str] = {}
    samples, first = [], None
    for case in at.plan.cases:
        try:
            request = at.request(case)
        except DataError:
            continue  # the album keeps the reason; `eyeprint run pipbench` tells it
        first = first or request
        samples.append(
            Sample(
                input=inspect_messages(request.messages, urls),
                id=case.id,
                metadata={"person": case.person_id, "split": case.split},
            )
        )
    if first is None:
        raise UsageError(f"No case has references that can be read: {at.album.faults}")
    return Task(
        dataset=MemoryDataset(samples, name=f"pipbench {method} {painter}"),
        solver=generate(),
        scorer=pipbench_scorer()(data, method, painter, encoder, n, seed),
        config=GenerateConfig(**inspect_config(first)),
        version=at.plan.run.version,
        metadata={"column": at.column, "faults": at.album.faults},
    )


def pipbench_likeness(
    data: str, method: str, painter: str, encoder: str, n: int | None, seed: int
) -> Callable[[Any, Any], Any]:
    """Return the scorer: paints what was written, and compares it with the references."""
    from inspect_ai.scorer import Score

    at = desk(data, method, painter, encoder, n, seed)

    async def score(state: Any, target: Any) -> Any:
        case = at.plan.cases[str(state.sample_id)]
        plan = at.plan_of(case, state.output)
        picture = await at.painted(case, plan)
        value, why = at.likeness(case, picture)
        return Score(
            value=float("nan") if value is None else value,
            answer=plan.prompt,
            explanation=why or "; ".join(plan.notes) or None,
            metadata={
                "column": at.column,
                "fault": plan.fault,
                "picture": None if isinstance(picture, str) else picture.sha256,
            },
        )

    return score
