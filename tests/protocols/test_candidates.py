"""Candidates of a file of profiles: resumed, never paid twice, the same bytes."""

import asyncio
import json

import pytest

from eyeprint.errors import DataError, FolderMismatch
from eyeprint.models.fakes import CountingChat, ScriptedChat
from eyeprint.models.kinds import ChatRequest, Reply
from eyeprint.models.prices import Price
from eyeprint.people.candidate_mix import MixSettings
from eyeprint.people.candidates import CandidateSettings
from eyeprint.protocols.candidates import build_candidates, plan_candidates
from eyeprint.records.candidates import read_candidates
from eyeprint.records.profiles import Profile
from eyeprint.store.budget import Budget
from eyeprint.store.ledger import Ledger

STYLES = ("Retro", "Cosy and healing", "Natural and green", "Tech and e-sports")
PEOPLE = tuple(Profile(id=f"a{i}", answers={"Q4": style}) for i, style in enumerate(STYLES))


def good_reply() -> str:
    prompts = [
        {"category": c, "subject": f"{c}{i}thing", "setting": f"{c}{i}place",
         "cultural": c == "hybrid", "prompt": f"{c}{i}thing in {c}{i}place, view{i}{c}"}
        for c, n in MixSettings().quotas().items() for i in range(n)
    ]  # fmt: skip
    return json.dumps({"style": "Plain.", "prompts": prompts})


def answering(fails: str = "") -> ScriptedChat:
    def answer(request: ChatRequest) -> str | Reply:
        if fails and fails in request.messages[1].text:
            return Reply(outcome="failed", failure="timeout", detail="slow")
        return good_reply()

    return ScriptedChat(answer, name="some/model")


def test_p33_a_folder_of_candidates_is_read_back_in_order(tmp_path):
    end = build_candidates(PEOPLE, tmp_path / "c")
    assert (end.sets, end.prompts, end.exit_code, end.unmet) == (4, 80, 0, {})
    found = read_candidates(tmp_path / "c")
    assert [s.profile_id for s in found.sets] == ["a0", "a1", "a2", "a3"]


def test_x10_a_stopped_build_ends_with_the_same_bytes(tmp_path):
    build_candidates(PEOPLE, tmp_path / "whole")
    whole = (tmp_path / "whole" / "candidates.jsonl").read_bytes()
    build_candidates(PEOPLE, tmp_path / "again")
    part = tmp_path / "again" / "candidates" / "part-00000.jsonl"
    # As after a crash: only the first two people are there, and no merged file.
    part.write_bytes(b"".join(part.read_bytes().splitlines(keepends=True)[:2]))
    (tmp_path / "again" / "candidates.jsonl").unlink()
    end = build_candidates(PEOPLE, tmp_path / "again")
    assert end.sets == 4
    assert (tmp_path / "again" / "candidates.jsonl").read_bytes() == whole


def test_x10_other_settings_need_another_folder(tmp_path):
    build_candidates(PEOPLE, tmp_path)
    with pytest.raises(FolderMismatch, match="pipeline"):
        build_candidates(PEOPLE, tmp_path, settings=CandidateSettings(pipeline="no_openness"))
    with pytest.raises(FolderMismatch, match="people"):
        build_candidates(PEOPLE[:2], tmp_path)


def test_x9_whom_a_call_failed_for_is_asked_for_again_and_nobody_else(tmp_path):
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        first = answering(fails="Cosy and healing")
        end = build_candidates(PEOPLE, tmp_path / "c", writer="some/model", ledger=ledger,
                               open_chat=lambda: ledger.wrap(first))  # fmt: skip
        assert end.sets == 3 and end.exit_code == 1
        assert list(end.failures) == ["a1"] and "timeout" in end.failures["a1"]
    # A new session: within one, a call that failed for good is not made again.
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        second = CountingChat(answering())
        end = build_candidates(PEOPLE, tmp_path / "c", writer="some/model", ledger=ledger,
                               open_chat=lambda: ledger.wrap(second))  # fmt: skip
    assert end.sets == 4 and second.calls == 1 and end.exit_code == 0


def test_x16_the_budget_stops_a_build_that_goes_on_later(tmp_path):
    price = Price(input=10.0, output=10.0)
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        end = build_candidates(
            PEOPLE, tmp_path / "c", writer="some/model", ledger=ledger,
            open_chat=lambda: ledger.wrap(answering(), Budget(0.0001), price=price),
        )  # fmt: skip
        assert end.stopped == "budget" and end.exit_code == 1 and end.sets == 0
        end = build_candidates(
            PEOPLE, tmp_path / "c", writer="some/model", ledger=ledger,
            open_chat=lambda: ledger.wrap(answering(), price=price),
        )  # fmt: skip
        assert end.sets == 4


def test_x16_a_plan_bounds_what_a_build_asks(tmp_path):
    chat = CountingChat(answering())
    plan, most = plan_candidates(PEOPLE, chat, price=Price(input=1.0, output=1.0))
    assert plan.calls == 4 and chat.calls == 0
    settings = CandidateSettings().chat
    assert most.calls == 4 * (settings.attempts + settings.repairs)
    assert most.cost_usd > plan.cost_usd > 0
    # Three cut replies double their limit each time: 8192 · 7, and 4096 of the repair.
    assert most.output_tokens == 4 * (8192 * 7 + 4096)
    assert plan_candidates(PEOPLE, chat)[1].cost_usd is None
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        build_candidates(PEOPLE, tmp_path / "c", writer="some/model", ledger=ledger,
                         open_chat=lambda: ledger.wrap(chat))  # fmt: skip
        assert plan_candidates(PEOPLE, chat, ledger=ledger)[0].answered == 4


def test_p18_uploads_are_shown_and_unreadable_ones_told(tmp_path):
    from PIL import Image

    Image.new("RGB", (8, 8), "teal").save(tmp_path / "liked.png")
    (tmp_path / "broken.png").write_bytes(b"no picture")
    who = Profile(id="a", answers={"Q4": "Retro"}, uploads=("liked.png", "broken.png"))
    chat = answering()
    build_candidates([who], tmp_path / "c", writer="some/model", open_chat=lambda: chat,
                     pictures=tmp_path)  # fmt: skip
    assert len(chat.requests[0].messages[-1].images) == 1
    (found,) = read_candidates(tmp_path / "c").sets
    assert [line.rule for line in found.log] == ["exemplar"]
    assert "broken.png" in found.log[0].detail
    blind = answering()
    build_candidates([who], tmp_path / "d", writer="some/model", open_chat=lambda: blind)
    assert blind.requests[0].messages[-1].images == ()


def test_p33_a_chat_writer_needs_a_chat(tmp_path):
    with pytest.raises(DataError, match="open_chat"):
        build_candidates(PEOPLE, tmp_path, writer="some/model")


def test_p33_builds_work_within_a_running_loop(tmp_path):
    async def cell() -> int:
        return build_candidates(PEOPLE[:1], tmp_path).sets

    assert asyncio.run(cell()) == 1


@pytest.mark.parametrize("path", ["../secret.png", "/{root}/secret.png"])
def test_p18_a_picture_outside_the_profiles_folder_is_shown_to_no_model(tmp_path, path):
    from PIL import Image

    folder = tmp_path / "people"
    folder.mkdir()
    Image.new("RGB", (8, 8), "teal").save(tmp_path / "secret.png")
    who = Profile(id="a", answers={"Q4": "Retro"}, uploads=(path.format(root=tmp_path),))
    chat = answering()
    build_candidates([who], tmp_path / "c", writer="some/model", open_chat=lambda: chat,
                     pictures=folder)  # fmt: skip
    assert not chat.requests[0].messages[-1].images
    (line,) = read_candidates(tmp_path / "c").sets[0].log
    assert line.rule == "exemplar" and "uploads lie in the profiles' folder" in line.detail
