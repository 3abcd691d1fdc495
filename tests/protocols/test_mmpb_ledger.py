"""Runs that share a ledger: what one has asked costs the next nothing."""

from eyeprint.models.fakes import CountingChat, ScriptedChat
from eyeprint.protocols.mmpb import execute
from eyeprint.protocols.mmpb_grid_words import read_grid
from eyeprint.protocols.mmpb_plan import plan_mmpb
from tests.protocols.made_concepts import concept_data


def test_x1_models_asked_one_at_a_time_are_compared_together_without_a_call(tmp_path):
    data = concept_data(tmp_path / "data")
    grid = read_grid(inject="text:simple", turns="0", controls="")
    ledger = str(tmp_path / "replies.sqlite")
    chats = {
        name: CountingChat(ScriptedChat(lambda r, says=says: says, name=name))
        for name, says in (("one", "Yes"), ("two", "No"))
    }

    def run(names, folder):
        plan = plan_mmpb(data, ["echo"], grid=grid, bootstraps=100)
        plan.chats = {name: chats[name] for name in names}
        asked = [plan.run.models[0].model_copy(update={"name": name}) for name in names]
        plan.run = plan.run.model_copy(update={"models": tuple(asked)})
        return execute(plan, tmp_path / folder, ledger=ledger)

    run(["one"], "first")
    run(["two"], "second")
    calls = {name: chat.calls for name, chat in chats.items()}
    together = run(["one", "two"], "together")
    assert {name: chat.calls for name, chat in chats.items()} == calls
    assert all(0 < count <= len(data) for count in calls.values())
    rows = (together.folder / "results.jsonl").read_text().splitlines()
    apart = [
        (tmp_path / name / "results.jsonl").read_text().splitlines() for name in ("first", "second")
    ]
    assert rows == [*apart[0], *apart[1]]
