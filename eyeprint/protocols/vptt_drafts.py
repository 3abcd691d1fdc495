"""The first half of a VPTT run: people × tasks × methods × writers become prompts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from eyeprint.errors import CallFailed
from eyeprint.methods.catalog import Method, load_method
from eyeprint.methods.compose import PLAIN, draft_of, read_reply, request_for, write_plain
from eyeprint.methods.setting import MethodModels, MethodSettings
from eyeprint.models.kinds import Chat, ChatRequest
from eyeprint.protocols.vptt_settings import VpttRun
from eyeprint.protocols.vptt_tasks import Task
from eyeprint.records.files import People
from eyeprint.records.work import Draft, Material
from eyeprint.store.shards import ShardTable


class Item(NamedTuple):
    """One prompt to write."""

    person_id: str
    task: Task
    method: str
    writer: str

    @property
    def key(self) -> str:
        """The item's name in the run's folder: a JSON list, so that no two items share one."""
        return json.dumps([self.person_id, self.task.id, self.method, self.writer])


def items_of(run: VpttRun, ids: tuple[str, ...]) -> Iterator[Item]:
    """Yield all items of a run, person by person, always in the same order."""
    for person_id in ids:
        for task in run.tasks:
            for method in run.methods:
                for writer in run.writers:
                    yield Item(person_id, task, method, writer)


def count_of(run: VpttRun) -> int:
    """Return how many prompts a run writes."""
    return run.people_count * len(run.tasks) * len(run.methods) * len(run.writers)


@dataclass
class Drafter:
    """Writes one item at a time; material is retrieved once for all writers."""

    run: VpttRun
    people: People
    models: MethodModels
    chats: Mapping[str, Chat]
    _methods: dict[str, Method] = field(default_factory=dict)
    _recent: dict[tuple[str, str, str], Material] = field(default_factory=dict)

    def settings(self, task: Task) -> MethodSettings:
        """Return the method settings of a task: its mode decides the budget."""
        return self.run.method.model_copy(update={"mode": task.mode})

    def material(self, item: Item) -> Material:
        """Return what the item's method retrieves."""
        key = (item.person_id, item.task.id, item.method)
        found = self._recent.get(key)
        if found is None:
            if item.method not in self._methods:
                self._methods[item.method] = load_method(item.method)
            person = self.people[item.person_id]
            found = self._methods[item.method](
                person, item.task.query(), self.settings(item.task), self.models
            )
            # Items of one material follow each other: a few are enough, even with many
            # calls under way.
            if len(self._recent) >= 256:
                self._recent.pop(next(iter(self._recent)))
            self._recent[key] = found
        return found

    def request(self, item: Item) -> ChatRequest | None:
        """Return the call an item needs, or ``None`` when no model writes it."""
        if item.writer == PLAIN:
            return None
        decoding = self.run.decoding.get(item.writer, {})
        return request_for(self.material(item), self.settings(item.task), decoding)

    async def draft(self, item: Item) -> Draft:
        """Write one prompt.

        Raises:
            CallFailed: the writer gave no prompt; ``kind`` is empty, truncated, refused or failed.
            BudgetReached: the call could pass the budget.
        """
        material, settings = self.material(item), self.settings(item.task)
        if item.writer == PLAIN:
            return write_plain(material, self.people[item.person_id], settings, self.models)
        request = self.request(item)
        if request is None:
            # Nobody rewrites Baseline; it stands beside every writer, as in the paper's tables.
            return draft_of(material, item.writer, item.task.text)
        reply = await self.chats[item.writer].reply(request)
        draft = read_reply(material, item.writer, reply, settings)
        if draft.prompt is None:
            kind = reply.failure if draft.fault == "failed" and reply.failure else draft.fault
            raise CallFailed(kind or "failed", draft.detail or f"the reply is {draft.fault}")
        return draft


def drafts_with_failures(run: VpttRun, ids: tuple[str, ...], table: ShardTable) -> Iterator[Draft]:
    """Yield a draft for every item in order: from the merged table, or the failure in its place."""
    failures = {failure.key: failure for failure in table.failures()}
    with table.merged_path.open(encoding="utf-8") as lines:
        for item in items_of(run, ids):
            failure = failures.get(item.key)
            if failure is None:
                yield Draft.model_validate(json.loads(next(lines)))
                continue
            yield Draft(
                person_id=item.person_id,
                query_id=item.task.id,
                method=item.method,
                writer=item.writer,
                prompt=None,
                fault=failure.kind,
                detail=failure.detail[:500],
            )
