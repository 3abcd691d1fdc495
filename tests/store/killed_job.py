"""A small job for the kill test: ``python killed_job.py SERVER_MODEL FOLDER ITEMS``."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from eyeprint.errors import CallFailed
from eyeprint.models.chat_http import HttpSettings, http_chat
from eyeprint.models.kinds import ChatRequest, Message
from eyeprint.models.retries import RetryPolicy
from eyeprint.store.ledger import Ledger
from eyeprint.store.run_folder import RunFolder
from eyeprint.store.work import WorkSettings, run_items


async def main(model: str, folder: Path, items: int) -> None:
    settings = HttpSettings(at_once=8, retry=RetryPolicy(first_wait=0.01))
    with (
        RunFolder.open(folder, {"items": items}) as run,
        Ledger(folder / "ledger.sqlite") as ledger,
    ):
        chat = ledger.wrap(http_chat(model, settings=settings))
        # In the ledger only the text after '#' may differ between servers' ports.
        chat.ledger_name = "m"

        async def ask_twice(item: int) -> dict[str, str]:
            texts = []
            # The second request is shared by ten items, as methods share a prompt.
            for text in (f"item {item}", f"shared {item // 10}"):
                reply = await chat.reply(
                    ChatRequest(messages=(Message(role="user", text=text),), seed=1)
                )
                if reply.outcome != "answered":
                    raise CallFailed(reply.failure or reply.outcome, reply.detail)
                texts.append(reply.text)
            return {"item": str(item), "text": " / ".join(texts)}

        await run_items(
            range(items),
            ask_twice,
            run.table(),
            key=lambda item: f"item-{item}",
            settings=WorkSettings(at_once=12, shard_rows=9),
        )


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])))
