"""Library functions work inside a running event loop, as in notebooks."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from contextvars import ContextVar
from pathlib import Path

import pytest

from eyeprint.methods.rewrite import rewrite
from eyeprint.models.fakes import HashEncoder, ScriptedChat
from eyeprint.models.loops import run_to_end
from eyeprint.people.chat_build import ChatShardWriter
from eyeprint.people.shipped import load_people
from eyeprint.protocols.vptt import run_vptt

WHO: ContextVar[str] = ContextVar("who", default="nobody")


async def where() -> tuple[str, str]:
    await asyncio.sleep(0)
    return WHO.get(), threading.current_thread().name


def in_a_cell(function):  # type: ignore[no-untyped-def]
    async def cell():  # type: ignore[no-untyped-def]
        return function()

    return asyncio.run(cell())


def test_without_a_loop_it_runs_in_this_thread() -> None:
    assert run_to_end(where())[1] == threading.current_thread().name


def test_within_a_loop_it_runs_aside_with_the_callers_context_variables() -> None:
    def cell() -> tuple[str, str]:
        WHO.set("ana")
        return run_to_end(where())

    assert in_a_cell(cell) == ("ana", "eyeprint-loop_0")
    assert WHO.get() == "nobody"


def test_errors_come_back_as_they_are() -> None:
    async def fails() -> None:
        raise LookupError("not there")

    for run in (run_to_end, lambda one: in_a_cell(lambda: run_to_end(one))):
        with pytest.raises(LookupError, match="not there"):
            run(fails())


@pytest.mark.parametrize("within_a_loop", [False, True])
def test_x17_ctrl_c_lets_the_coroutine_clean_up(within_a_loop: bool) -> None:
    events: list[str] = []

    async def long() -> None:
        try:
            threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
            await asyncio.sleep(30)
        finally:
            events.append("cleaned up")

    def outer() -> None:
        # A notebook's loop has no Ctrl-C handler of its own, unlike asyncio.run's.
        loop = asyncio.new_event_loop()

        async def cell() -> None:
            run_to_end(long())

        try:
            loop.run_until_complete(cell())
        finally:
            loop.close()

    with pytest.raises(KeyboardInterrupt):
        outer() if within_a_loop else run_to_end(long())
    assert events == ["cleaned up"]


def test_x5_a_prompt_is_rewritten_within_a_loop() -> None:
    person = load_people("mini")["mini-03"]
    writer = ScriptedChat(["A corner in blue."], "writer")
    found = in_a_cell(
        lambda: rewrite("A quiet corner", person, encoder=HashEncoder(), writer=writer)
    )
    assert found.draft.prompt == "A corner in blue."


def test_v79_a_whole_run_within_a_loop_is_the_same(tmp_path: Path) -> None:
    def run(name: str) -> bytes:
        folder = run_vptt(n=2, tasks="cultural_site", encoder=HashEncoder(), out=tmp_path / name)
        return (folder / "results.jsonl").read_bytes()

    assert in_a_cell(lambda: run("cell")) == run("plain")


def test_people_are_written_by_a_chat_within_a_loop() -> None:
    writer = ChatShardWriter("silent", lambda: ScriptedChat(lambda request: "no JSON", "silent"))
    (made,) = in_a_cell(lambda: writer.write([("p1", "A baker in Lyon.")], 7))
    assert made.record is None
    assert made.faults
