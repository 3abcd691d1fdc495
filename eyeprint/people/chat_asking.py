"""Asks a chat model for JSON, reads it, and asks again with the fault named (X9).

A reply is read against a schema and then checked by the step. A check repairs what can be
repaired without touching quoted text and names what cannot; the fault goes back to the
model, a bounded number of times. What stays invalid is a :class:`StepFault` with person,
step and reason. The identity of every call follows from its messages alone, so with a
ledger behind the chat a repeated run asks nothing that was answered.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from pydantic import BaseModel, Field

from eyeprint.config import Settings
from eyeprint.models.json_replies import read_json
from eyeprint.models.kinds import Chat, ChatRequest, Message, Reply
from eyeprint.models.prompt_files import filled_prompt
from eyeprint.models.refusals import find_refusal

PROMPTS = Path(__file__).parent / "prompts"
LONGEST_FAULT = 600
"""Characters of a fault that are told to the model and kept in records."""
S = TypeVar("S", bound=BaseModel)
T = TypeVar("T")


class StepDecoding(Settings):
    """Sampling parameters of one step."""

    temperature: float | None = Field(default=0.7, ge=0)
    top_p: float | None = Field(default=None, gt=0, le=1)
    max_tokens: int | None = Field(default=2048, ge=1)
    seed: int | None = 42


class StepFault(NamedTuple):
    """Why one step of one person came to nothing."""

    person: str
    step: str
    fault: str
    attempts: int
    kind: str = "invalid"
    """The last reply's outcome where it was no answer ("refused", "truncated", "empty"), the
    kind of failure of a call, else "invalid"."""
    call_failed: bool = False
    """The call itself failed: the next run may have more luck with the same request."""


class Checked(NamedTuple, Generic[T]):
    """What a step's check makes of a reply that fits its schema."""

    value: T | None
    """``None`` with a ``fault``."""
    repairs: tuple[str, ...] = ()
    fault: str = ""
    """Told to the model, so it says what to do: "give 3 more entries"."""


class Asked(NamedTuple, Generic[T]):
    """The outcome of one step: a value, or the fault that remained."""

    value: T | None
    fault: StepFault | None = None


class Tally:
    """Counts calls, repairs and faults over a build; what the report prints."""

    def __init__(self) -> None:
        self.replies: Counter[str] = Counter()
        """Outcome of a reply -> times."""
        self.repairs: Counter[str] = Counter()
        self.asked_again: Counter[str] = Counter()
        """Step -> replies that had to be asked for again."""

    def as_dict(self) -> dict[str, dict[str, int]]:
        """Return the counts, by name, for a report."""
        return {
            "replies": dict(sorted(self.replies.items())),
            "repairs": dict(sorted(self.repairs.items())),
            "asked_again": dict(sorted(self.asked_again.items())),
        }


def render_prompt(name: str, facts: Mapping[str, Any] | None = None) -> str:
    """Return a prompt of ``people/prompts`` with its facts filled in.

    >>> render_prompt("again.j2", {"fault": "cut"}).splitlines()[0]
    'That reply cannot be used: cut'
    """
    return filled_prompt(PROMPTS / name, facts or {})


def first_request(prompt: str, decoding: StepDecoding) -> ChatRequest:
    """Return the request that opens a step."""
    return ChatRequest(
        messages=(
            Message(role="system", text=render_prompt("system.j2")),
            Message(role="user", text=prompt),
        ),
        json_mode=True,
        **decoding.model_dump(),
    )


def next_request(
    first: ChatRequest, reply: Reply, fault: str, decoding: StepDecoding, attempt: int
) -> ChatRequest:
    """Return the request that asks again: the first one, the bad reply, and what is wrong.

    Only the last bad reply is shown. After a reply that was cut by its length limit the
    limit is doubled, once for each attempt.
    """
    messages = list(first.messages)
    if reply.text.strip() and reply.outcome == "answered":
        messages.append(Message(role="assistant", text=reply.text))
    again = render_prompt("again.j2", {"fault": fault[:LONGEST_FAULT]})
    if messages[-1].role == "assistant":
        messages.append(Message(role="user", text=again))
    else:
        # Nothing that could be shown came back: many servers refuse two turns of a user.
        # The number keeps this request apart from the one that gave nothing.
        last = messages.pop()
        text = f"{last.text}\n\n(Attempt {attempt}. {again})"
        messages.append(Message.of("user", text, *last.images))
    limit = decoding.max_tokens
    if limit is not None and reply.outcome == "truncated":
        limit *= 2 ** (attempt - 1)
    return first.model_copy(update={"messages": tuple(messages), "max_tokens": limit})


async def ask(
    chat: Chat,
    person: str,
    step: str,
    prompt: str,
    schema: type[S],
    check: Callable[[S], Checked[T]],
    *,
    decoding: StepDecoding,
    attempts: int,
    tally: Tally,
    first: ChatRequest | None = None,
) -> Asked[T]:
    """Ask until a reply passes, at most ``attempts`` times; never raises for a bad reply.

    ``first`` is the opening request where it is more than the prompt under the common
    system message: one with pictures, or one that follows an earlier reply.

    Raises:
        BudgetReached, StoreError: from a chat behind a ledger; nothing is lost by it.
    """
    first = request = first or first_request(prompt, decoding)
    fault, kind = "", "invalid"
    for attempt in range(1, attempts + 1):
        reply = await chat.reply(request)
        tally.replies[reply.outcome] += 1
        if reply.outcome == "failed":
            # The chat has waited and tried again already; a new wording would not help.
            told = f"the call failed ({reply.failure}): {reply.detail}"[:LONGEST_FAULT]
            kind = reply.failure or "failed"
            return Asked(None, StepFault(person, step, told, attempt, kind, call_failed=True))
        checked = _judge(reply, schema, check, tally)
        if checked.value is not None:
            return Asked(checked.value)
        fault = checked.fault
        kind = "invalid" if reply.outcome == "answered" else reply.outcome
        if attempt < attempts:
            tally.asked_again[step] += 1
            request = next_request(first, reply, fault, decoding, attempt + 1)
    return Asked(None, StepFault(person, step, fault[:LONGEST_FAULT], attempts, kind))


def _judge(
    reply: Reply, schema: type[S], check: Callable[[S], Checked[T]], tally: Tally
) -> Checked[T]:
    """Return what a reply that did come back amounts to, and count its repairs."""
    if reply.outcome == "refused":
        return Checked(None, fault=f"it declines: {reply.text.strip()[:200] or reply.detail}")
    if reply.outcome == "truncated":
        return Checked(None, fault="it was cut off by the length limit; be shorter")
    reading = read_json(reply.text, schema)
    if reading.fault is not None:
        if reading.fault == "no JSON" and find_refusal(reply.text) is not None:
            # Counted as what it is, not as the answer that the server took it for (X9).
            tally.replies[reply.outcome] -= 1
            tally.replies["refused"] += 1
            return Checked(None, fault=f"it declines: {reply.text.strip()[:200]}")
        return Checked(None, fault=_TOLD.get(reading.fault, reading.fault))
    checked = check(reading.value)
    if checked.value is not None:
        tally.repairs.update(reading.repairs)
        tally.repairs.update(checked.repairs)
    return checked


_TOLD = {
    "empty": "it is empty",
    "cut": "its JSON ends before it is complete",
    "no JSON": "it holds no JSON object",
    "too deep": "its JSON is nested too deeply",
}


class LimitedChat:
    """Lets a number of calls through at once; the others wait for their turn."""

    def __init__(self, chat: Chat, at_once: int) -> None:
        self.name = chat.name
        self._chat, self._gate = chat, asyncio.Semaphore(at_once)

    async def reply(self, request: ChatRequest) -> Reply:
        """Wait for a free place, then ask."""
        async with self._gate:
            return await self._chat.reply(request)


async def all_of(tasks: Iterable[Awaitable[T]]) -> list[T]:
    """Return all results; when one raises, the others are finished first.

    A reply that is paid for must reach the ledger although its neighbour met the budget.
    """
    done = await asyncio.gather(*tasks, return_exceptions=True)
    for result in done:
        if isinstance(result, BaseException):
            raise result
    return [result for result in done if not isinstance(result, BaseException)]


class PersonAsker:
    """Asks the steps of one person and gathers what went wrong."""

    def __init__(self, chat: Chat, person: str, attempts: int, tally: Tally) -> None:
        self.chat, self.person, self.attempts, self.tally = chat, person, attempts, tally
        self.faults: list[StepFault] = []
        self.notes: dict[str, Any] = {}

    async def ask(
        self,
        step: str,
        prompt: str,
        schema: type[S],
        check: Callable[[S], Checked[T]],
        decoding: StepDecoding,
    ) -> T | None:
        """Return a step's value, or ``None`` after its fault was recorded."""
        asked = await ask(
            self.chat,
            self.person,
            step,
            prompt,
            schema,
            check,
            decoding=decoding,
            attempts=self.attempts,
            tally=self.tally,
        )
        if asked.fault is not None:
            self.faults.append(asked.fault)
        return asked.value

    def give_up(self, step: str, fault: str, attempts: int = 0) -> None:
        """Record a fault that no single reply has."""
        self.faults.append(StepFault(self.person, step, fault, attempts))
