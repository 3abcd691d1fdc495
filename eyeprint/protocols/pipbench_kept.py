"""A run's plans and paintings as they lie in its folder, read when they are asked for.

Neither is held whole: plans carry prompts, elements and traces, and there are as many
paintings as cases times models.
"""

from __future__ import annotations

from collections.abc import Iterator

from eyeprint.errors import CallFailed
from eyeprint.protocols.pipbench_paint import PlanKey, paint_items, plan_items
from eyeprint.protocols.pipbench_plan import PipbenchPlan
from eyeprint.records.cases import Painting, PaintPlan
from eyeprint.store.shards import ShardTable


class KeptPlans:
    """The plans of a run, by case, method and writer.

    Of each plan its key and its place in the file are held, some 250 bytes; of each that
    could not be made, kind and detail of what failed.
    """

    def __init__(self, plan: PipbenchPlan, table: ShardTable) -> None:
        self._path = table.merged_path
        self._places: dict[PlanKey, int] = {}
        self._refused: dict[PlanKey, tuple[str, str]] = {}
        failed = {failure.key: failure for failure in table.failures()}
        place = 0
        with self._path.open("rb") as lines:
            for item in plan_items(plan.run, plan.cases):
                key = (item.case.id, item.method, item.writer)
                failure = failed.get(item.key)
                if failure is not None:
                    self._refused[key] = (failure.kind, failure.detail)
                    continue
                self._places[key] = place
                place += len(next(lines))

    def __call__(self, key: PlanKey) -> PaintPlan:
        """Return one plan.

        Raises:
            CallFailed: it could not be made; ``kind`` says why.
        """
        place = self._places.get(key)
        if place is None:
            raise CallFailed(*self._refused.get(key, ("failed", "the plan is missing")))
        with self._path.open("rb") as lines:
            lines.seek(place)
            return PaintPlan.model_validate_json(lines.readline())


class KeptPaintings:
    """A painting for every picture of a run, in order: what was painted, or why there is none.

    Each walk reads the file anew; only what failed is held, as the table holds it.
    """

    def __init__(self, plan: PipbenchPlan, table: ShardTable) -> None:
        self._plan, self._table = plan, table

    def __iter__(self) -> Iterator[Painting]:
        failed = {failure.key: failure for failure in self._table.failures()}
        with self._table.merged_path.open(encoding="utf-8") as lines:
            for item in paint_items(self._plan.run, self._plan.cases):
                failure = failed.get(item.key)
                if failure is None:
                    yield Painting.model_validate_json(next(lines))
                    continue
                yield Painting(
                    case_id=item.case.id,
                    person_id=item.case.person_id,
                    split=item.case.split,
                    method=item.model.method,
                    writer=item.model.writer,
                    painter=item.model.painter,
                    prompt=None,
                    picture=None,
                    fault=failure.kind,
                    detail=failure.detail[:500],
                )
