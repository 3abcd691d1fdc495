"""Inspect's tasks against our own runs: the same messages, replies and numbers (X1)."""

import hashlib
import json
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest

from eyeprint.errors import UsageError
from eyeprint.models.chat_wire import data_url, outcome_of
from eyeprint.models.decoding import decoding_for
from eyeprint.models.fakes import ScriptedChat
from eyeprint.models.kinds import ImagePart, Reply
from eyeprint.protocols import inspect_tasks, mmpb, pipbench, vptt
from eyeprint.protocols.inspect_mmpb import mmpb_plan_of
from eyeprint.protocols.mmpb_data import Chosen
from eyeprint.protocols.mmpb_grid_words import read_grid
from eyeprint.protocols.mmpb_plan import plan_mmpb
from eyeprint.protocols.mmpb_settings import control_of
from eyeprint.protocols.mmpb_summary import result_rows
from eyeprint.protocols.pipbench_plan import plan_pipbench
from eyeprint.protocols.vptt_plan import plan_vptt
from tests.protocols.made_concepts import make_concepts
from tests.protocols.made_root import make_root

REPLIES = (
    "Yes.",
    "No.",
    "A",
    "**B**",
    "The answer is C.",
    "(D)",
    "I'm sorry, but I can't help with identifying people.",
    " ",
    "Lovely weather.",
)
GRID = {
    "inject": "text:moderate",
    "turns": 0,
    "dialogue": "general",
    "position": "start",
    "concepts": 1,
    "distractors": "random",
    "prompting": "zero_shot",
    "blind": False,
    "form": "choice",
}


def drawn(words, choices):
    """Return one of the choices, by all that a model is told."""
    told = hashlib.sha256("\x1f".join(words).encode()).digest()
    return choices[int.from_bytes(told[:4], "big") % len(choices)]


def our_words(request):
    for message in request.messages:
        yield message.role
        for part in message.parts or (message,):
            yield data_url(part) if isinstance(part, ImagePart) else part.text


def their_words(messages):
    for message in messages:
        yield message.role
        if isinstance(message.content, str):
            yield message.content
            continue
        for part in message.content:
            yield part.image if part.type == "image" else part.text


def our_chat(choices):
    def answer(request):
        text = drawn(our_words(request), choices)
        return Reply(text=text, outcome=outcome_of(text, "stop", None), finish_reason="stop")

    return ScriptedChat(answer, name="echo")


def evaluated(task, choices, tmp_path, name="mockllm/model", **arguments):
    """Return the log of a task with a model that draws its replies from all it is told."""
    from inspect_ai import eval as inspect_eval
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    def outputs(messages, tools, choice, config):
        text = drawn(their_words(messages), choices)
        output = ModelOutput.from_content(model="mock", content=text)
        # Without tokens, mockllm would fetch a tokeniser to count them.
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    model = get_model(name, custom_outputs=outputs)
    options = {"log_dir": str(tmp_path / "logs"), "display": "none"}
    (log,) = inspect_eval(task, model=model, task_args=arguments, **options)
    assert log.status == "success", log.error
    return log


def metrics_of(log):
    return {name: each.value for name, each in log.results.scores[0].metrics.items()}


@pytest.fixture
def inspect_ai():
    return pytest.importorskip("inspect_ai")


@pytest.fixture
def root(tmp_path):
    return make_concepts(tmp_path / "data", per_category=2)


# What needs no inspect_ai: arguments.


def test_x1_arguments_of_a_task_are_one_setting_of_a_run(root):
    grid = GRID | {"inject": "image:2", "turns": 3, "position": "end", "blind": True}
    chosen = {"categories": "human,animal", "types": ["awareness"], "groups": None}
    plan = mmpb_plan_of(str(root), grid, "own", chosen, n=5)
    (setting,) = plan.run.settings
    assert setting.label == "image:2 · 3 turns · at the end · blind"
    assert {each.category for each in plan.data} == {"human", "animal"}
    assert [each.type for each in plan.data] == ["awareness"] * 5


def test_x1_a_control_is_that_of_the_setting_on_the_same_questions(root):
    plan = mmpb_plan_of(str(root), GRID, "none", {})
    own = mmpb_plan_of(str(root), GRID, "own", {})
    assert plan.run.settings[0].label == "no concept"
    assert [each.id for each in plan.data] == [each.id for each in own.data]


@pytest.mark.parametrize(
    ("changes", "control", "told"),
    [
        ({"turns": "0,10"}, "own", "one setting"),
        ({"inject": "text:long"}, "own", "text:long"),
        ({"prompting": "few_shot"}, "wrong", "no control 'wrong'"),
        ({}, "other", "own, none, wrong, shuffled"),
        ({"turns": -1}, "own", "whole numbers"),
    ],
)
def test_x1_arguments_that_are_no_setting_are_told(root, changes, control, told):
    with pytest.raises(UsageError, match=told):
        mmpb_plan_of(str(root), GRID | changes, control, {})


def test_x1_without_inspect_ai_the_module_can_be_imported(tmp_path):
    code = (
        "import sys, importlib.util as u; find = u.find_spec\n"
        "u.find_spec = lambda n, *a: None if n == 'inspect_ai' else find(n, *a)\n"
        "import eyeprint.protocols.inspect_tasks as t\n"
        "assert 'inspect_ai' not in sys.modules; print(t.mmpb.__name__)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout.strip()) == (0, "mmpb"), done.stderr


def test_x1_vptt_and_pipbench_say_what_no_model_writes(tmp_path):
    from eyeprint.protocols import inspect_pipbench, inspect_vptt

    at = inspect_vptt.desk("mini", "cultural_site", "baseline", "static", 2, 0)
    item = next(inspect_vptt.items_of(at.plan.run, at.plan.people.ids))
    with pytest.raises(UsageError, match="No model writes"):
        at.request(item)
    with pytest.raises(UsageError, match="one of each"):
        inspect_vptt.desk("mini", "q3", "vprag,brag", "static", 2, 0)
    with pytest.raises(UsageError, match="no_preference"):
        inspect_pipbench.desk(str(tmp_path), "no_preference", "sketch", "palette", None, 0)


# What needs it.

SETTINGS = [
    ({}, "own"),
    ({"inject": "image:2", "turns": 2, "position": "end"}, "own"),
    ({"concepts": 3, "prompting": "few_shot_cot", "turns": 1, "dialogue": "recognition"}, "own"),
    ({"inject": "image:1", "blind": True, "prompting": "reminder"}, "own"),
    ({}, "wrong"),
    ({"inject": "image:1"}, "none"),
    ({"form": "open"}, "own"),
]


@pytest.mark.inspect
@pytest.mark.parametrize(("changes", "control"), SETTINGS)
def test_x1_m4_accuracy_in_inspect_is_that_of_our_run_exactly(
    inspect_ai, root, tmp_path, changes, control
):
    log = evaluated(
        inspect_tasks.mmpb(data=str(root), control=control, **changes), REPLIES, tmp_path
    )
    words = {name: str(value) for name, value in (GRID | changes).items() if name != "blind"}
    grid = read_grid(**words, controls="").model_copy(
        update={"blind": (changes.get("blind", False),)}
    )
    plan = plan_mmpb(str(root), ("echo",), grid=grid)
    if control != "own":
        plan.run = plan.run.model_copy(
            update={"settings": (control_of(plan.run.settings[0], control),)}
        )
    plan.chats["echo"] = our_chat(REPLIES)
    folder = mmpb.execute(plan, tmp_path / "run").folder
    rows = {row.question: row for row in result_rows(folder)}
    cell = json.loads((folder / "summary.json").read_text())["mmpb"]["cells"][0]

    assert log.eval.metadata["setting"] == plan.run.settings[0].label
    told = metrics_of(log)
    assert told["accuracy"] == cell["parts"]["all"]["share"]["value"]
    assert told["accuracy"] == sum(row.right for row in rows.values()) / len(rows)
    assert 0 < told["accuracy"] < 1 and told["stderr"] > 0
    samples = {sample.id: sample for sample in log.samples}
    assert samples.keys() == rows.keys()
    for name, sample in samples.items():
        (score,) = sample.scores.values()
        row = rows[name]
        assert (score.value == "C", score.answer) == (row.right, row.said), name
        assert score.metadata["outcome"] == row.outcome and score.metadata["rule"] == row.rule
    for field in ("type", "group", "category"):
        for value in {getattr(row, field) for row in rows.values()}:
            part = [row.right for row in rows.values() if getattr(row, field) == value]
            assert told[value] == sum(part) / len(part), value
    for outcome in ("answered", "unread", "refused", "empty", "truncated", "failed"):
        count = sum(row.outcome == outcome for row in rows.values())
        assert told[outcome] == count / len(rows), outcome
    assert log.plan.config.model_dump(exclude_none=True) == {"temperature": 0.0, "max_tokens": 1024}


@pytest.mark.inspect
def test_m23_the_standard_error_is_clustered_by_concept(inspect_ai, root, tmp_path):
    log = evaluated(inspect_tasks.mmpb(data=str(root)), REPLIES, tmp_path)
    by_concept: dict[str, list[float]] = {}
    for sample in log.samples:
        (score,) = sample.scores.values()
        by_concept.setdefault(sample.metadata["concept"], []).append(score.value == "C")
    values = [value for each in by_concept.values() for value in each]
    mean, clusters = sum(values) / len(values), len(by_concept)
    squares = sum(sum(value - mean for value in each) ** 2 for each in by_concept.values())
    expected = math.sqrt(squares * clusters / (clusters - 1)) / len(values)
    assert metrics_of(log)["stderr"] == pytest.approx(expected, abs=1e-12)


@pytest.mark.inspect
def test_x1_replies_of_a_log_can_be_read_again(inspect_ai, root, tmp_path):
    from inspect_ai import score as score_again

    from eyeprint.protocols.inspect_scorers import mmpb_scorer

    log = evaluated(inspect_tasks.mmpb(data=str(root)), REPLIES, tmp_path)
    again = score_again(log, mmpb_scorer()(), action="overwrite", display="none")
    assert metrics_of(again) == metrics_of(log)


@pytest.mark.inspect
def test_x1_a_picture_of_several_questions_is_held_once(inspect_ai, root):
    task = inspect_tasks.mmpb(data=str(root), inject="image:2")
    held: dict[str, set[int]] = {}
    for sample in task.dataset:
        for message in sample.input:
            for part in message.content if isinstance(message.content, list) else ():
                if part.type == "image":
                    held.setdefault(part.image, set()).add(id(part.image))
    assert held and all(len(places) == 1 for places in held.values())


@pytest.mark.inspect
@pytest.mark.timeout(240)
def test_x1_the_command_line_gives_the_accuracy_of_our_command(inspect_ai, root, tmp_path):
    inspect = Path(sys.executable).parent / "inspect"
    command = [str(inspect), "eval", "eyeprint/mmpb", "--model", "eyeprint/nearest"]
    command += ["-T", f"data={root}", "-T", "inject=image:2", "-T", "category=human,object"]
    command += ["--log-dir", str(tmp_path / "logs"), "--log-format", "json", "--display", "none"]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=tmp_path, env=dict(os.environ), check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (file,) = (tmp_path / "logs").glob("*.json")
    log = json.loads(file.read_text())
    (score,) = log["results"]["scores"]

    folder = mmpb.run_mmpb(
        str(root),
        models=("nearest",),
        grid=read_grid(inject="image:2", turns="0", controls=""),
        chosen=Chosen(categories=("human", "object")),
        out=tmp_path / "run",
    )
    cell = json.loads((folder / "summary.json").read_text())["mmpb"]["cells"][0]
    assert score["metrics"]["accuracy"]["value"] == cell["parts"]["all"]["share"]["value"]
    assert score["scorer"] == "mmpb_reading" and log["eval"]["task"] == "eyeprint/mmpb"


@pytest.mark.inspect
def test_x1_v58_vptt_in_inspect_is_our_run_with_that_writer(inspect_ai, tmp_path):
    written = (
        "A quiet temple in mist, ink and wash, low light",
        "A neon market street after rain, crowded and loud",
        "An old library with green lamps",
        "I'm sorry, but I can't help with that.",
    )
    task = inspect_tasks.vptt(encoder="static", n=8)
    log = evaluated(task, written, tmp_path)
    plan = plan_vptt(
        "mini", methods="vprag", tasks="cultural_site", writers=("echo",), encoder="static", n=8
    )
    plan.chats["echo"] = our_chat(written)
    folder = vptt.execute(plan, tmp_path / "run").folder
    rows = [json.loads(line) for line in (folder / "results.jsonl").open(encoding="utf-8")]
    expected = {row["person"]: row for row in rows}
    told = {}
    for sample in log.samples:
        (score,) = sample.scores.values()
        row = expected[sample.id]
        assert score.answer == row["prompt"]
        if row["score"] is None:
            assert math.isnan(score.value) and score.metadata["fault"] == "refused"
        else:
            told[sample.id] = score.value
            assert score.value == row["score"]
            assert score.metadata["wrong_score_c"] == row["wrong_score_c"]
    assert 0 < len(told) < len(rows)  # some of either
    mean = sum(told.values()) / len(told)
    metrics = metrics_of(log)
    assert metrics["mean"] == pytest.approx(mean, abs=1e-12) and metrics["stderr"] > 0
    assert log.results.scores[0].unscored_samples == len(rows) - len(told)
    told = log.plan.config.model_dump(exclude_none=True)
    assert told == plan.run.decoding["echo"]


@pytest.mark.inspect
def test_v46_vptt_by_name_decodes_as_the_model_does(inspect_ai, tmp_path):
    for name in ("gpt-4o-mini", "somebody-else"):
        arguments = {"encoder": "static", "n": 2, "method": "brag"}
        log = evaluated("eyeprint/vptt", ("A lamp",), tmp_path, f"mockllm/{name}", **arguments)
        told = log.plan.config.model_dump(exclude_none=True)
        assert told == decoding_for(name).parameters(), name


@pytest.mark.inspect
def test_x1_p46_pipbench_in_inspect_is_our_run_with_that_writer(inspect_ai, tmp_path):
    root = make_root(tmp_path / "data")
    written = (
        "A boat at sunset, orange sky, long shadows",
        "A house in cool blue mist",
        "A bare tree in snow",
        "I'm sorry, but I can't help with that.",
    )
    log = evaluated(inspect_tasks.pipbench(data=str(root)), written, tmp_path)
    plan = plan_pipbench(root, methods="fusion", writers=("echo",))
    plan.chats["echo"] = our_chat(written)
    folder = pipbench.execute(plan, tmp_path / "run").folder
    rows = [json.loads(line) for line in (folder / "results.jsonl").open(encoding="utf-8")]
    expected = {row["case"]: row for row in rows}
    told = {}
    for sample in log.samples:
        (score,) = sample.scores.values()
        row = expected[sample.id]
        assert score.metadata["picture"] == row["picture"]
        if row["picture"] is None:
            assert math.isnan(score.value)
        else:
            told[sample.id] = score.value
            assert score.value == row["scores"]["PAL-R"] and score.answer == row["prompt"]
    assert 0 < len(told) < len(rows)
    mean = sum(told.values()) / len(told)
    assert metrics_of(log)["mean"] == pytest.approx(mean, abs=1e-9)
    assert log.eval.metadata["column"] == "PAL-R"


@pytest.mark.inspect
def test_x1_our_chats_as_models_of_inspect_refuse_what_they_cannot_do(inspect_ai):
    import asyncio

    from inspect_ai.model import ChatMessageUser, ContentAudio, GenerateConfig, get_model

    from eyeprint.models.inspect_provider import request_of

    model = get_model("eyeprint/echo")
    output = asyncio.run(model.generate("a red door"))
    assert (output.completion, output.stop_reason) == ("a red door", "stop")
    assert output.usage.input_tokens == 3
    with pytest.raises(UsageError, match="no arguments"):
        get_model("eyeprint/echo", device="cpu")
    audio = ChatMessageUser(content=[ContentAudio(audio="data:audio/mp3;base64,AA", format="mp3")])
    with pytest.raises(UsageError, match="content"):
        request_of([audio], GenerateConfig())
