"""Puts the chat writer into a build: one shard of people at a time, several people at once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from eyeprint.models.kinds import Chat
from eyeprint.models.loops import run_to_end
from eyeprint.people.chat_asking import LimitedChat, Tally, all_of
from eyeprint.people.chat_settings import ChatWriterSettings
from eyeprint.people.chat_writer import Written, write_person
from eyeprint.people.faces import make_face
from eyeprint.people.offline_writer import Made


class ChatShardWriter:
    """Writes people with a chat model; ``build.ShardWriter`` in form.

    Args:
        name: the model's catalogue name, for manifests and fingerprints.
        open_chat: makes the chat, inside the event loop that will use it. Wrap it in a
            ledger, so that a repeated build asks nothing that was answered.
        settings: of the writer.
        people_at_once: people whose steps run side by side.
        with_faces: whether a person gets a face and a portrait prompt.
        calls_at_once: most calls under way; one person's captions are asked for side by side.
    """

    def __init__(
        self,
        name: str,
        open_chat: Callable[[], Chat],
        settings: ChatWriterSettings | None = None,
        people_at_once: int = 8,
        with_faces: bool = True,
        calls_at_once: int = 16,
    ) -> None:
        self.name = name
        self.open_chat = open_chat
        self.settings = settings or ChatWriterSettings()
        self.people_at_once = people_at_once
        self.calls_at_once = calls_at_once
        self.with_faces = with_faces
        self.tally = Tally()
        """Repairs and repeated questions so far."""

    def identity(self) -> dict[str, Any]:
        """Return what decides the people: model, settings, faces."""
        settings = self.settings.model_dump(mode="json")
        return {"name": self.name, "settings": settings, "faces": self.with_faces}

    def write(self, people: Sequence[tuple[str, str]], run_seed: int) -> list[Made]:
        """Write people from (id, seed text); one result each, in order.

        Raises:
            BudgetReached, StoreError: from a chat behind a ledger.
        """
        return [self._made(written) for written in run_to_end(self._all(people, run_seed))]

    async def _all(self, people: Sequence[tuple[str, str]], run_seed: int) -> list[Written]:
        chat = LimitedChat(self.open_chat(), self.calls_at_once)
        gate = asyncio.Semaphore(self.people_at_once)

        async def one(identity: str, text: str) -> Written:
            async with gate:
                return await write_person(
                    chat,
                    identity,
                    text,
                    run_seed=run_seed,
                    settings=self.settings,
                    tally=self.tally,
                )

        return await all_of(one(identity, text) for identity, text in people)

    def _made(self, written: Written) -> Made:
        faults = tuple(
            f"{fault.step}: {fault.fault} ({fault.kind}, after {fault.attempts} replies)"
            for fault in written.faults
        )
        valid = written.notes.get("posts_valid")
        dropped = self.settings.posts - valid if valid is not None else 0
        if written.person is None or any(fault.call_failed for fault in written.faults):
            # A person with a call that failed is not settled for with fewer posts: the next
            # run asks that call again, and has all others in the ledger.
            return Made(None, dropped, faults)
        record = written.person.model_dump(mode="json")
        if self.with_faces:
            record["face"] = make_face(record["id"], record["demographics"])
        shares = written.notes.get("regional_in_table") or written.notes.get("regional_marked")
        notes = {"writer": self.name, "regional_shares": shares, "posts_dropped": dropped}
        notes |= {"faults": list(faults)} if faults else {}
        record["build"] = notes | written.notes
        return Made(record, dropped, faults)
