"""What an MMPB run would ask, and at most cost; nothing is asked, nothing is written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from eyeprint.models.kinds import Chat, ChatRequest
from eyeprint.protocols.display import Display
from eyeprint.protocols.mmpb import prepared
from eyeprint.protocols.mmpb_ask import Asker
from eyeprint.protocols.mmpb_plan import MmpbPlan
from eyeprint.protocols.mmpb_talk import message_tokens
from eyeprint.store.dry_run import CallPlan, plan_calls
from eyeprint.store.ledger import Ledger


def dry_run(
    plan: MmpbPlan, out: str | Path | None, ledger: str | None, display: Display
) -> tuple[tuple[CallPlan, ...], tuple[int, int]]:
    """Return the calls of each chat model, and tokens: shared with the call before, and all.

    Calls of a grader are not among them: what it reads is not there yet. Models in process
    cost nothing and are not counted.
    """
    asker = prepared(plan, None, display)
    tokens = [0, 0]
    place = plan.ledger_place(plan.folder(out), ledger)
    prices = dict.fromkeys(plan.chats, plan.price) if plan.price is not None else None
    asked = _asked(plan, asker, tokens)
    # A ledger that is not there yet answers nothing, and must not be made.
    if "://" not in str(place) and not Path(place).exists():
        calls = plan_calls(asked, None, prices)
    else:
        with Ledger(place) as book:
            calls = plan_calls(asked, book, prices)
    return calls, (tokens[0], tokens[1])


def _asked(plan: MmpbPlan, asker: Asker, tokens: list[int]) -> Iterator[tuple[Chat, ChatRequest]]:
    for item in asker.items():
        chat = plan.chats.get(item.model)
        if chat is None or item.prefix is None or getattr(chat, "in_process", False):
            continue
        request = asker.request(item)
        tokens[0] += item.shared_tokens
        tokens[1] += item.prefix.tokens + message_tokens(request.messages[-1])
        yield chat, request
