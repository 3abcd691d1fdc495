"""MMPB end to end on a small made set: what is told, kept, read, counted, resumed."""

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from eyeprint.errors import DataError, UsageError
from eyeprint.models.chat_server import ChatServer
from eyeprint.models.fakes import CountingChat, FlakyChat, ScriptedChat
from eyeprint.models.kinds import ChatRequest, Reply
from eyeprint.protocols import mmpb_dry_run
from eyeprint.protocols.display import Quiet
from eyeprint.protocols.mmpb import execute, run_mmpb
from eyeprint.protocols.mmpb_data import Chosen
from eyeprint.protocols.mmpb_grid_words import read_grid
from eyeprint.protocols.mmpb_plan import plan_mmpb
from eyeprint.protocols.mmpb_summary import result_rows
from eyeprint.protocols.reread import reread
from eyeprint.records.concept_files import open_concepts
from eyeprint.records.concept_settings import ConceptSetting
from eyeprint.store.ledger import request_json
from tests.protocols.made_concepts import concept_data, make_concepts

SMALL = read_grid(inject="text:moderate", turns="0", controls="")


@pytest.fixture
def data(tmp_path):
    return concept_data(tmp_path / "data")


def planned(data, chat, grid=SMALL, **choices):
    """Return a plan whose model is ``chat``."""
    plan = plan_mmpb(data, ["echo"], grid=grid, **({"bootstraps": 100} | choices))
    plan.chats["echo"] = chat
    return plan


def seeing(data, wrong=()):
    """Return a model that knows the answer to every picture, save those of some types."""
    from eyeprint.models.pictures import open_picture

    keys = {
        open_picture(data.picture_path(each.image)).sha256: "Hm."
        if each.type in wrong
        else each.answer
        for each in data
    }
    return ScriptedChat(lambda request: keys[request.messages[-1].images[-1].sha256], name="echo")


def summary_of(folder: Path) -> dict:
    return json.loads((folder / "summary.json").read_text())


def test_m4_m23_a_model_that_knows_everything_is_right_everywhere(data, tmp_path):
    end = execute(planned(data, seeing(data)), tmp_path / "run")
    assert end.exit_code == 0
    rows = list(result_rows(end.folder))
    assert len(rows) == len(data) == 12 * 3 + 3 * 3
    assert all(row.right and row.said == row.key for row in rows)
    cell = summary_of(end.folder)["mmpb"]["cells"][0]
    assert cell["parts"]["all"]["share"]["value"] == 1.0 and cell["macro"]["over"] == 15


def test_m23_x9_what_is_not_an_answer_is_counted_apart_and_wrong(data, tmp_path):
    script = iter(
        [
            Reply(text="Yes"),
            Reply(text="I'm sorry, but I can't help with identifying people."),
            Reply(text="", outcome="empty"),
            Reply(text="The picture shows", outcome="truncated", finish_reason="length"),
            Reply(text="Lovely weather."),
        ]
    )
    plan = planned(data, ScriptedChat(script, name="echo"), chosen=Chosen(number=5))
    end = execute(plan, tmp_path / "run", concurrency=1)
    rows = list(result_rows(end.folder))
    assert Counter(row.outcome for row in rows) == {
        "answered": 1,
        "refused": 1,
        "empty": 1,
        "truncated": 1,
        "unread": 1,
    }
    assert not any(row.right for row in rows if row.outcome != "answered")
    assert next(row for row in rows if row.outcome == "refused").refusal
    outcomes = summary_of(end.folder)["mmpb"]["cells"][0]["parts"]["all"]["outcomes"]
    assert sum(outcomes.values()) == 5 and outcomes["failed"] == 0


def test_x9_failed_calls_are_told_and_asked_again_by_the_same_command(data, tmp_path):
    chat = FlakyChat(seeing(data), failures=1)
    first = execute(planned(data, chat), tmp_path / "run")
    assert first.failed == len(data) and first.exit_code == 1
    rows = list(result_rows(first.folder))
    assert {row.outcome for row in rows} == {"failed"} and "server_error" in rows[0].detail
    again = execute(planned(data, chat), tmp_path / "run")
    assert again.exit_code == 0 and all(row.right for row in result_rows(again.folder))


def test_x10_a_run_in_pieces_equals_one_in_one_piece(data, tmp_path):
    grid = read_grid(inject="text:simple,image:1", turns="0,2")
    whole = execute(planned(data, seeing(data), grid), tmp_path / "whole").folder
    flaky = FlakyChat(seeing(data), failures=1)
    execute(planned(data, flaky, grid), tmp_path / "pieces")
    pieces = execute(planned(data, flaky, grid), tmp_path / "pieces", concurrency=2).folder
    for name in ("results.jsonl", "summary.json", "answered_without.jsonl", "examples.jsonl"):
        assert (whole / name).read_bytes() == (pieces / name).read_bytes(), name


def test_x10_a_finished_run_asks_nothing_again(data, tmp_path):
    chat = CountingChat(seeing(data))
    execute(planned(data, chat), tmp_path / "run")
    calls = chat.calls
    before = (tmp_path / "run" / "results.jsonl").read_bytes()
    execute(planned(data, chat), tmp_path / "run")
    assert chat.calls == calls
    assert (tmp_path / "run" / "results.jsonl").read_bytes() == before


def all_requests(data, grid, **choices) -> list[ChatRequest]:
    chat = ScriptedChat(lambda request: "B", name="echo")
    plan = planned(data, chat, grid, **choices)
    execute(plan, Path(data.root).parent / "asked", concurrency=1)
    return chat.requests


def test_m8_no_request_holds_a_name_or_a_path(data):
    grid = read_grid(
        inject="text:extended,image:2", turns="1", concepts="1,3", prompting="zero_shot,few_shot"
    )
    for request in all_requests(data, grid):
        text = request_json(request)
        assert "Zorin" not in text and "pictures/" not in text and ".png" not in text


def test_m21_blind_settings_show_black_pictures_of_the_same_size(data):
    requests = all_requests(
        data, read_grid(inject="text:simple", turns="0", blind=True, controls="")
    )
    from eyeprint.models.pictures import open_picture

    last = [open_picture(request.messages[-1].images[-1].data) for request in requests]
    black = [each for each in last if not each.pixels.any()]
    seen = [each for each in last if each.pixels.any()]
    # Blind questions that are equal word for word share one call.
    assert len(seen) == len(data) and 0 < len(black) <= len(data)
    assert {each.width for each in black} == {32}


def test_m22_calls_with_the_same_beginning_go_out_together(data, tmp_path):
    grid = read_grid(inject="text:moderate", turns="0,2,4", controls="")
    requests = all_requests(data, grid)
    befores = [request.messages[:-1] for request in requests]
    groups = 1 + sum(one != other for one, other in pairwise(befores))
    # Each concept's questions stand together in each setting.
    assert groups == len({request_json(ChatRequest(messages=m)) for m in befores}) == 12 * 3
    rows = list(result_rows(Path(data.root).parent / "asked"))
    shared, told = sum(row.shared_tokens for row in rows), sum(row.prompt_tokens for row in rows)
    assert 0.5 < shared / told < 1
    # Longer dialogues begin as shorter ones do.
    at_four = [row for row in rows if row.setting.endswith("4 turns")]
    assert all(row.shared_tokens > 0 for row in at_four)


def test_m44_tokens_of_the_dialogue_grow_with_turns_and_start_at_the_injection(data):
    grid = read_grid(inject="text:simple", turns="0,2,4", position="start,end", controls="")
    all_requests(data, grid)
    rows = list(result_rows(Path(data.root).parent / "asked"))
    by = {row.setting: row.dialogue_tokens for row in rows}
    assert by["text:simple · 0 turns"] == 0 == by["text:simple · 4 turns · at the end"]
    assert 0 < by["text:simple · 2 turns"] < by["text:simple · 4 turns"]


def test_controls_lift_and_what_is_answered_without_a_concept(data, tmp_path):
    """A model that answers from the picture alone has no lift, and all it knows is listed."""
    grid = read_grid(inject="text:moderate", turns="0")
    folder = execute(planned(data, seeing(data), grid), tmp_path / "run").folder
    found = summary_of(folder)["mmpb"]
    lifts = {each["control"]: each["parts"]["all"]["value"] for each in found["lifts"]}
    assert lifts == {"none": 0.0, "wrong": 0.0, "shuffled": 0.0}
    listed = (folder / "answered_without.jsonl").read_text().splitlines()
    assert len(listed) == len(data)


def test_controls_show_a_lift_where_the_injection_is_used(data, tmp_path):
    from eyeprint.models.pictures import open_picture

    own = {
        open_picture(data.picture_path(each.image)).sha256: (each, data.concept_of(each))
        for each in data
    }

    def reads_what_it_was_told(request: ChatRequest) -> str:
        question, concept = own[request.messages[-1].images[-1].sha256]
        knows = request.messages[0].text.startswith(concept.description("moderate"))
        return question.answer if knows else "Hm."

    grid = read_grid(inject="text:moderate", turns="0")
    chat = ScriptedChat(reads_what_it_was_told, name="echo")
    folder = execute(planned(data, chat, grid), tmp_path / "run").folder
    found = summary_of(folder)["mmpb"]
    assert {each["parts"]["all"]["value"] for each in found["lifts"]} == {1.0}
    assert {each["control"] for each in found["lifts"]} == {"none", "wrong", "shuffled"}
    assert found["headline"]["lifts"][0]["control"] == "wrong"


def test_m20_free_answers_are_graded_offline_or_by_a_chat_model(data, tmp_path):
    grid = read_grid(inject="text:simple", turns="0", form="open", controls="")
    plan = planned(data, ScriptedChat(lambda r: "It holds a blue drum.", name="echo"), grid)
    rows = list(result_rows(execute(plan, tmp_path / "offline").folder))
    of_options = [row for row in rows if row.type == "coherency"]
    assert {row.said for row in of_options} == {"B"}
    asked = planned(
        data, ScriptedChat(lambda r: "Who knows, the second?", name="echo"), grid, grader="echo"
    )
    grader = ScriptedChat(
        lambda r: '{"choice": "B"}' if "B: a blue" in r.messages[-1].text else "no"
    )
    asked.grader = grader
    rows = list(result_rows(execute(asked, tmp_path / "graded").folder))
    of_options = [row for row in rows if row.type == "coherency"]
    assert {(row.said, row.rule) for row in of_options} == {("B", "grader")}
    # The grader sees neither the picture nor the key.
    assert all(not request.messages[-1].images for request in grader.requests)
    # What the grader did not grade is no fault of the model's, and is told as what it is.
    others = [row for row in rows if row.type != "coherency"]
    assert {row.outcome for row in others} == {"failed"}
    assert "grader's reply could not be read" in others[0].detail


def test_m20_an_answer_that_is_none_of_those_listed_is_unread(data, tmp_path):
    grid = read_grid(inject="text:simple", turns="0", form="open", controls="")
    model = ScriptedChat(lambda r: "Something else.", name="echo")
    asked = planned(data, model, grid, grader="echo")
    asked.grader = ScriptedChat(lambda r: '{"choice": null}')
    rows = list(result_rows(execute(asked, tmp_path / "run").folder))
    assert {row.outcome for row in rows} == {"unread"}


def test_m26_ready_answers_count_for_what_they_answer(data, tmp_path):
    file = tmp_path / "human.csv"
    kept = list(data)[:7]
    lines = [f"{each.id},{each.answer}" for each in kept]
    file.write_text("\n".join(["index,prediction", *lines, "elsewhere,A"]))
    plan = plan_mmpb(data, [], grid=SMALL, given={"human": file})
    rows = list(result_rows(execute(plan, tmp_path / "run").folder))
    assert [row.question for row in rows] == [each.id for each in kept]
    assert all(row.right and row.model == "human" for row in rows)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("index,prediction\nq1,A\nq1,B\n", "answered twice"),
        ("index,prediction\nzz,A\n", "answers no question of these data"),
        ("index,said\nq1,A\n", "one of prediction, reply"),
    ],
)
def test_m26_bad_files_of_answers_are_told(data, tmp_path, text, told):
    file = tmp_path / "bad.csv"
    first = next(iter(data)).id
    file.write_text(text.replace("q1", first))
    with pytest.raises(DataError, match=told):
        plan_mmpb(data, [], grid=SMALL, given={"people": file})


def test_a_picture_that_cannot_be_read_takes_its_questions_along_and_nothing_else(tmp_path):
    root = make_concepts(tmp_path / "data")
    data = open_concepts(root)
    first = next(iter(data))
    data.picture_path(first.image).write_bytes(b"no picture")
    data = open_concepts(root)
    grid = read_grid(inject="image:2", turns="0", controls="")
    broken = data.concepts[list(data)[-1].concept].images[1]
    data.picture_path(broken).write_bytes(b"")
    data = open_concepts(root)
    plan = planned(data, ScriptedChat(lambda r: "B", name="echo"), grid)
    rows = list(result_rows(execute(plan, tmp_path / "run").folder))
    gone = {each.id for each in data if each.concept == list(data)[-1].concept} | {first.id}
    assert {row.question for row in rows} == {each.id for each in data} - gone
    assert len(summary_of(tmp_path / "run")["pictures"]) == 2


def test_concepts_without_a_level_are_left_out_of_all_settings(tmp_path):
    root = make_concepts(tmp_path / "data")
    lines = (root / "concepts.jsonl").read_text().splitlines()
    first = json.loads(lines[0])
    del first["descriptions"]["extended"]
    (root / "concepts.jsonl").write_text("\n".join([json.dumps(first), *lines[1:]]) + "\n")
    grid = read_grid(inject="text:simple,text:extended", turns="0", controls="")
    plan = plan_mmpb(open_concepts(root), grid=grid)
    assert any("no extended description" in note for note in plan.notes)
    assert first["name"] not in {each.concept for each in plan.data}


def test_m6_questions_can_be_chosen(data):
    def tasks(**choice):
        return {each.task for each in plan_mmpb(data, grid=SMALL, chosen=Chosen(**choice)).data}

    assert tasks(types=("coherency",), groups=("preference",)) == {"coherency · preference · human"}
    assert len(tasks(categories=("animal",))) == 3
    assert len({e.concept for e in plan_mmpb(data, grid=SMALL, chosen=Chosen(mini=True)).data}) == 5
    with pytest.raises(UsageError, match="There is no type 'coherence'"):
        tasks(types=("coherence",))


def test_m6_so_many_questions_are_spread_over_the_tasks(data):
    chosen = plan_mmpb(data, grid=SMALL, chosen=Chosen(number=20)).data
    counts = Counter(each.task for each in chosen)
    assert len(chosen) == 20 and len(counts) == 15 and set(counts.values()) == {1, 2}
    # In file order, and not only of the first concept.
    assert [each.id for each in chosen] == [each.id for each in data if each.id in set(chosen.ids)]
    assert len({each.concept for each in chosen}) > 6


def test_m14_a_dialogue_may_be_drawn_for_each_concept(data):
    grid = read_grid(inject="text:simple", turns="10", controls="")

    def talks(**choices):
        requests = all_requests(data, grid, **choices)
        return {request.messages[2].text for request in requests}

    assert len(talks()) == 1
    drawn = plan_mmpb(data, grid=grid, talk="by_concept")
    assert drawn.run.talk == "by_concept"
    folder = Path(data.root).parent / "drawn"
    chat = ScriptedChat(lambda request: "B", name="echo")
    execute(planned(data, chat, grid, talk="by_concept"), folder)
    assert len({request.messages[2].text for request in chat.requests}) > 3


def test_published_numbers_stand_only_beside_runs_of_the_released_protocol(data, tmp_path):
    released = summary_of(execute(planned(data, seeing(data)), tmp_path / "one").folder)
    assert any(row["here"] is not None for row in released["published"])
    plan = planned(data, seeing(data), instruction="short")
    changed = summary_of(execute(plan, tmp_path / "two").folder)
    assert changed["changed"] == ["instruction"]
    assert all(row["here"] is None for row in changed["published"])
    assert "this run changed instruction" in changed["published"][0]["note"]


def test_m26_ready_answers_count_for_a_plain_setting_or_the_one_named(data, tmp_path):
    file = tmp_path / "human.csv"
    file.write_text("\n".join(["id,reply", *(f"{each.id},{each.answer}" for each in data)]))
    grid = read_grid(inject="image:2,text:moderate", turns="0", controls="none")
    plan = plan_mmpb(
        data, [], grid=grid, given={"human": file}, given_setting="text:moderate · 0 turns"
    )
    rows = list(result_rows(execute(plan, tmp_path / "run").folder))
    assert {row.setting for row in rows} == {"text:moderate · 0 turns"}
    blind = read_grid(inject="none", turns="0", controls="")
    with pytest.raises(UsageError, match="--answers-in"):
        plan_mmpb(data, [], grid=blind, given={"human": file})


def test_reread_reads_again_without_a_call_and_shows_what_changed(data, tmp_path):
    chat = CountingChat(seeing(data, wrong=("coherency",)))
    folder = execute(planned(data, chat), tmp_path / "run").folder
    calls = chat.calls
    assert reread(folder).changes == ()
    # As if an older reader had made nothing of the first answer.
    lines = (folder / "results.jsonl").read_text().splitlines()
    row = json.loads(lines[0])
    old = row | {"outcome": "unread", "said": None, "right": False}
    (folder / "results.jsonl").write_text("\n".join([json.dumps(old), *lines[1:]]) + "\n")
    seen = reread(folder, write=False)
    assert [(each.before, each.now) for each in seen.changes] == [("unread", row["said"])]
    assert seen.right_now == seen.right_before + 1
    assert json.loads((folder / "results.jsonl").read_text().splitlines()[0])["said"] is None
    reread(folder)
    assert (folder / "results.jsonl").read_text().splitlines() == lines
    assert len((folder / "reread.jsonl").read_text().splitlines()) == 1
    assert chat.calls == calls


def test_reread_says_what_it_cannot_read(tmp_path):
    (tmp_path / "manifest.json").write_text('{"kind": "toybox", "settings": {}}')
    with pytest.raises(DataError, match="holds a toybox, and no run"):
        reread(tmp_path)
    (tmp_path / "manifest.json").unlink()
    with pytest.raises(DataError, match="not the folder of a run"):
        reread(tmp_path)


def test_dry_run_counts_what_would_be_asked_and_writes_nothing(data, tmp_path):
    grid = read_grid(inject="text:simple,image:2", turns="0,2")
    plan = planned(data, ScriptedChat([]), grid)
    before = sorted(tmp_path.rglob("*"))
    calls, (shared, told) = mmpb_dry_run.dry_run(plan, tmp_path / "run", None, Quiet())
    assert calls[0].calls == len(data) * len(plan.run.settings) == calls[0].requests
    assert 0 < shared < told
    assert sorted(tmp_path.rglob("*")) == before


EVERY = read_grid(
    inject="text:simple,text:moderate,text:detailed,text:extended,image:1,image:2,image:5",
    turns="0,2",
    position="start,1,end",
    dialogue="general,recognition,preference",
)
"""Beside the other axes, which are asked one at a time below."""


@pytest.mark.parametrize(
    "grid",
    [
        EVERY,
        read_grid(inject="text:simple,image:1", concepts="1,5,10,50", turns="0", controls=""),
        read_grid(concepts="2,3", distractors="random,same_kind", turns="0", controls=""),
        read_grid(prompting="all", form="choice,open", blind=True, turns="0", controls=""),
        read_grid(inject="text:moderate", turns="100", controls=""),
    ],
    ids=[
        "injections and dialogues",
        "up to 50 concepts",
        "distractors",
        "ways of asking",
        "100 turns",
    ],
)
def test_x1_m4_a_model_behind_a_local_server_passes_through_every_setting(tmp_path, grid):
    data = concept_data(tmp_path / "data", per_category=13 if 50 in grid.concepts else 3)
    few = Chosen(number=6)
    with ChatServer(ScriptedChat(lambda request: "Answer: B\n", name="fake")) as server:
        plan = plan_mmpb(data, [server.model], grid=grid, chosen=few)
        folder = execute(plan, tmp_path / "run").folder
    rows = list(result_rows(folder))
    assert len(rows) == 6 * len(plan.run.settings)
    assert {row.setting for row in rows} == {each.label for each in plan.run.settings}
    of_options = [row for row in rows if row.type == "coherency"]
    assert {row.said for row in of_options if "open" not in row.setting} == {"B"}


def test_m5_the_toybox_is_drawn_at_any_size(tmp_path, monkeypatch):
    monkeypatch.setenv("EYEPRINT_CACHE", str(tmp_path))
    plan = plan_mmpb("toybox:4:15", grid=SMALL)
    assert (len(plan.data), len(plan.data.concepts)) == (15, 4)
    with pytest.raises(UsageError, match="is no toybox"):
        plan_mmpb("toybox:many", grid=SMALL)
    monkeypatch.chdir(tmp_path)
    Path("toybox").symlink_to(plan.data.root)
    assert len(plan_mmpb("toybox", grid=SMALL, seed=7).data) == 15  # A folder of that name.


def test_nearest_runs_on_its_own_and_returns_a_folder(data, tmp_path):
    folder = run_mmpb(data, models="nearest", out=tmp_path / "run", grid=SMALL)
    assert (folder / "report.html").exists()
    assert ConceptSetting().label == summary_of(folder)["mmpb"]["settings"][0]["label"]


def test_x10_what_was_read_is_not_read_again_until_it_is_damaged(data, tmp_path, monkeypatch):
    from eyeprint.protocols import mmpb_summary

    reads = []
    read = mmpb_summary.concept_answers

    def counted(folder):
        reads.append(folder)
        return read(folder)

    monkeypatch.setattr(mmpb_summary, "concept_answers", counted)
    folder = execute(planned(data, seeing(data)), tmp_path / "run").folder
    whole = (folder / "results.jsonl").read_bytes()
    execute(planned(data, seeing(data)), folder)
    assert len(reads) == 1
    (folder / "results.jsonl").write_bytes(whole[:-20])
    execute(planned(data, seeing(data)), folder)
    assert len(reads) == 2 and (folder / "results.jsonl").read_bytes() == whole
