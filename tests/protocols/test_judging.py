"""Pairs of a run before judges: certificate, verdicts, ratings, resume."""

import json
import re

import pytest

from eyeprint.errors import DataError, UnknownName, UsageError
from eyeprint.models.fakes import ScriptedChat
from eyeprint.models.kinds import Reply
from eyeprint.protocols import judging, judging_plan
from eyeprint.protocols.judging import judge_pairs
from eyeprint.protocols.judging_plan import plan_judging, told
from eyeprint.protocols.pipbench import run_pipbench
from eyeprint.protocols.pipbench_settings import ScoreSettings
from eyeprint.records.verdict_files import read_verdicts
from eyeprint.scores.judge_certificate import CertificateSettings
from tests.methods.made_pictures import COOL, WARM, halves
from tests.protocols.made_root import make_outputs, make_root

IDS = [str(i) for i in range(8)]


@pytest.fixture
def run(tmp_path):
    """A run of two ready models: one warm for everybody, one that suits each person."""
    root = make_root(tmp_path / "data")
    warm = [halves(*WARM, seed=900 + i) for i in range(8)]
    fitting = [halves(*(WARM if (i // 2) % 2 == 0 else COOL), seed=950 + i) for i in range(8)]
    outputs = {
        "warm": str(make_outputs(tmp_path / "warm", warm, IDS)),
        "fitting": str(make_outputs(tmp_path / "fitting", fitting, IDS)),
    }
    return run_pipbench(root, out=tmp_path / "run", methods="", outputs=outputs)


def answer(verdict, confidence=0.9):
    return json.dumps({"verdict": verdict, "confidence": confidence, "reason": "because"})


def with_chat(monkeypatch, script):
    chat = ScriptedChat(script, name="scripted")
    monkeypatch.setattr(judging_plan, "load_chat", lambda name, **more: chat)
    return chat


def colour_judge(request):
    """Says which picture is bluer; ties what looks alike: a judge with an eye and no bias."""
    import io

    import numpy as np
    from PIL import Image

    blue = []
    for part in request.messages[1].images:
        pixels = np.asarray(Image.open(io.BytesIO(part.data)).convert("RGB"), np.int64)
        blue.append(float((pixels[..., 2] - pixels[..., 0]).mean()))
    if abs(blue[0] - blue[1]) < 5:
        return answer("tie")
    return answer("A" if blue[0] > blue[1] else "B")


def test_p50_p53_the_offline_judge_rates_what_suits_the_person_higher(run):
    end = judge_pairs(plan_judging(run, share=1.0, splits=["real", "synthetic"]))
    assert end.exit_code == 0
    assert [row.model for row in end.arena.models] == ["fitting", "warm"]
    assert end.arena.judges[0].judge == "offline"
    assert json.loads((end.folder / "arena.json").read_text())["models"][0]["model"] == "fitting"


def test_p52_real_cases_are_drawn_by_default(run):
    plan = plan_judging(run, share=1.0)
    assert len(plan.arena.comparisons) == 4
    assert told(plan).startswith("4 pairs of 4 cases (of 4)")
    assert len(plan_judging(run).arena.cases) == 1


def test_p51_both_orders_ask_each_pair_twice_and_agree(run):
    from eyeprint.scores.pair_judge import PairJudgeSettings

    end = judge_pairs(plan_judging(run, share=1.0, judging=PairJudgeSettings(order="both")))
    verdicts = read_verdicts([end.folder / "verdicts.jsonl"]).verdicts
    assert len(verdicts) == 8
    assert {v.flipped for v in verdicts} == {False, True}


def test_p50_a_judge_that_fails_its_certificate_is_not_asked_and_yields_no_wins(run, monkeypatch):
    chat = with_chat(monkeypatch, lambda request: answer("A"))
    end = judge_pairs(plan_judging(run, ["some/vlm"], share=1.0))
    assert end.exit_code == 1 and end.arena is None
    position = next(p for p in end.certificates[0].probes if p.name == "position")
    assert position.share == 1.0
    probes = sum(p.asked for p in end.certificates[0].probes if p.name != "refusals")
    assert len(chat.requests) <= probes
    assert (end.folder / "verdicts.jsonl").read_text() == ""


def test_p50_a_failed_judge_is_asked_when_its_user_insists(run, monkeypatch):
    with_chat(monkeypatch, lambda request: answer("A"))
    end = judge_pairs(plan_judging(run, ["some/vlm"], share=1.0, uncertified=True))
    assert end.arena is not None and end.exit_code == 1
    assert end.arena.judges[0].first_shown.share == 1.0


def test_p51_judges_are_pooled_as_independent_verdicts(run, monkeypatch):
    with_chat(monkeypatch, colour_judge)
    end = judge_pairs(plan_judging(run, ["offline", "some/vlm"], share=1.0))
    assert end.exit_code == 0, end.certificates
    assert {judge.judge for judge in end.arena.judges} == {"offline", "scripted"}
    assert end.arena.verdicts == 8


def test_x17_a_second_judging_asks_nothing(run, monkeypatch):
    chat = with_chat(monkeypatch, colour_judge)
    first = judge_pairs(plan_judging(run, ["some/vlm"], share=1.0))
    before, asked = (first.folder / "verdicts.jsonl").read_bytes(), len(chat.requests)
    again = judge_pairs(plan_judging(run, ["some/vlm"], share=1.0))
    assert len(chat.requests) == asked
    assert (again.folder / "verdicts.jsonl").read_bytes() == before


def test_x9_refusals_are_counted_and_are_nobodys_wins(run, monkeypatch):
    def squeamish(request):
        if "boat" in request.messages[1].text:
            return Reply(text="I can't.", outcome="refused")
        return colour_judge(request)

    with_chat(monkeypatch, squeamish)
    patient = CertificateSettings(most_unread=1.0)
    end = judge_pairs(plan_judging(run, ["some/vlm"], share=1.0, certificate=patient))
    verdicts = read_verdicts([end.folder / "verdicts.jsonl"]).verdicts
    assert [v.outcome for v in verdicts].count("refused") == 2
    assert all((v.choice is None) == (v.outcome == "refused") for v in verdicts)
    assert end.arena.excluded == {"refused": 2}


def test_x9_failed_calls_are_tried_again_by_the_next_judging(run, monkeypatch):
    broken = {"now": False}

    def unsteady(request):
        if broken["now"] and "made with care" not in request.messages[1].text:
            return Reply(outcome="failed", failure="timeout", detail="no answer in 180 s")
        return colour_judge(request)

    with_chat(monkeypatch, unsteady)
    # One pair only is probed: what a certificate has asked is in the ledger, and not asked again.
    few = CertificateSettings(pairs=1)
    plan = plan_judging(run, ["some/vlm"], share=1.0, certificate=few)
    certify = judging._certify

    async def then_break(*arguments):
        found = await certify(*arguments)
        broken["now"] = True
        return found

    monkeypatch.setattr(judging, "_certify", then_break)
    end = judge_pairs(plan)
    assert end.failed == 3 and end.arena.counted == 1
    broken["now"] = False
    monkeypatch.setattr(judging, "_certify", certify)
    again = judge_pairs(plan_judging(run, ["some/vlm"], share=1.0, certificate=few))
    assert again.failed == 0 and again.arena.counted == 4


def test_p50_a_person_without_a_profile_is_named_before_anything_is_asked(tmp_path):
    root = make_root(tmp_path / "data", profiles=False)
    warm = make_outputs(tmp_path / "w", [halves(*WARM)], IDS)
    cool = make_outputs(tmp_path / "c", [halves(*COOL)], IDS)
    outputs = {"warm": str(warm), "cool": str(cool)}
    folder = run_pipbench(root, out=tmp_path / "run", methods="", outputs=outputs)
    with pytest.raises(DataError, match="--profiles"):
        plan_judging(folder)
    profiles = tmp_path / "p.jsonl"
    profiles.write_text(json.dumps({"id": "2", "text": "I like calm pictures."}) + "\n")
    with pytest.raises(DataError, match="the first '3'"):
        plan_judging(folder, profiles=profiles, share=1.0)


def test_p52_one_model_makes_no_arena(run):
    with pytest.raises(UsageError, match="two models"):
        plan_judging(run, models=["warm"])
    with pytest.raises(UnknownName, match="Did you mean 'warm'"):
        plan_judging(run, models=["wram"])


def test_x16_a_dry_run_counts_certificate_and_verdicts_and_asks_nothing(run, monkeypatch):
    chat = with_chat(monkeypatch, [])
    plan = plan_judging(run, ["some/vlm"], share=1.0)
    calls = judging.dry_run(plan)
    # 4 pairs: 7 probes each, of which one order of each pair is the judging's own question.
    assert [call.calls for call in calls] == [4 * 7]
    assert not chat.requests and not plan.place.exists()
    assert judging.dry_run(plan_judging(run, share=1.0)) == ()


def test_a_folder_that_is_no_finished_run_is_told(tmp_path):
    with pytest.raises(DataError, match="no finished PIPBench run"):
        plan_judging(tmp_path)


def test_p58_metrics_are_correlated_with_ratings(run):
    end = judge_pairs(plan_judging(run, share=1.0))
    names = {row.metric for row in end.arena.metrics}
    assert {"PAL-R", "PIX-MSE"} <= names


def test_p58_columns_agree_by_the_means_of_the_runs_own_tables(tmp_path):
    """Person 0 has one case, the others two: the mean over persons is not that over cases."""
    root = make_root(tmp_path / "data", real=False)
    rows = json.loads((root / "metadata.json").read_text())
    (root / "metadata.json").write_text(json.dumps(rows[1:]))
    looks = [halves(*(WARM if i % 3 else COOL), seed=i) for i in range(8)]
    outputs = {
        "one": str(make_outputs(tmp_path / "one", looks, IDS)),
        "two": str(make_outputs(tmp_path / "two", looks[::-1], IDS)),
    }
    found = {}
    for estimator in ("micro", "macro"):
        chosen = ScoreSettings(tables={"estimator": estimator})
        folder = run_pipbench(
            root, out=tmp_path / estimator, methods="", outputs=outputs, score_settings=chosen
        )
        summary = json.loads((folder / "summary.json").read_text())["overall"]
        told = {row["model"]: row["columns"]["PAL-R"]["mean"] for row in summary["models"]}
        metrics = judging._metrics(plan_judging(folder, share=1.0), ["one", "two"])
        assert metrics["PAL-R"] == told
        found[estimator] = told
    assert found["micro"] != found["macro"]
    (tmp_path / "macro" / "manifest.json").unlink()
    with pytest.raises(DataError, match=r"manifest\.json does not say"):
        judging._metrics(plan_judging(tmp_path / "macro", share=1.0), ["one", "two"])


def test_p50_without_a_judge_that_passes_the_end_says_what_to_do(run, monkeypatch):
    with_chat(monkeypatch, lambda request: answer("A"))
    end = judge_pairs(plan_judging(run, ["m/vlm"], share=1.0))
    assert "No judge passed its certificate" in end.reason
    assert "--uncertified" in end.reason


def test_p50_an_unknown_judge_is_told_of_the_offline_one(run):
    with pytest.raises(UnknownName, match=r"no judge 'oflline'\. Did you mean 'offline'\?"):
        plan_judging(run, ["oflline"], share=1.0)


def test_p50_a_run_of_vptt_is_no_run_to_judge(tmp_path):
    for name in ("results.jsonl", "summary.json"):
        (tmp_path / name).write_text("{}")
    with pytest.raises(DataError, match="holds no finished PIPBench run"):
        plan_judging(tmp_path)


def test_p50_the_offline_judge_says_whose_answers_it_lacks(run, tmp_path):
    people = [json.loads(line) for line in (run / "profiles.jsonl").read_text().splitlines()]
    path = tmp_path / "people.jsonl"
    path.write_text("".join(json.dumps({"id": p["id"], "text": "warm"}) + "\n" for p in people))
    end = judge_pairs(plan_judging(run, ["offline"], share=1.0, profiles=path))
    (found,) = end.certificates
    told = next(probe.detail for probe in found.probes if probe.name == "refusals")
    assert re.search(r"the profile of '[0-7]' has a text alone; add its answers", told)


def test_p50_an_empty_profile_is_named_before_anything_is_asked(run, tmp_path):
    lines = (run / "profiles.jsonl").read_text().splitlines()
    people = tmp_path / "people.jsonl"
    people.write_text("\n".join([*lines[:3], '{"id": "3"}']) + "\n")
    with pytest.raises(DataError, match="empty profile: 1, the first '3'"):
        plan_judging(run, share=1.0, profiles=people)


def test_p24_p50_answers_that_no_judge_hears_of_are_told(run, tmp_path):
    people = [json.loads(line) for line in (run / "profiles.jsonl").read_text().splitlines()]
    people[3]["answers"]["Q12"] = "7"
    path = tmp_path / "people.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in people))
    (note,) = plan_judging(run, share=1.0, profiles=path).notes
    assert "profile '3': Q12" in note
    assert "'7' is not allowed" in note


def test_p52_pairs_that_cannot_be_made_are_told_or_refused(run):
    rows = [json.loads(line) for line in (run / "results.jsonl").read_text().splitlines()]
    for row in rows:
        if row["model"] == "warm" and row["case"] != "7":
            row["picture"] = None
    (run / "results.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (note,) = plan_judging(run, share=1.0).notes
    assert note.startswith("3 pictures of the drawn cases are missing")
    for row in rows:
        if row["model"] == "warm":
            row["picture"] = None
    (run / "results.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(UsageError, match="there is no pair to judge"):
        plan_judging(run, share=1.0)
