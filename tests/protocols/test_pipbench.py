"""PIPBench end to end on a small data root: plans, pictures, scores, resume, privacy."""

import json
import shutil

import pytest

from eyeprint.errors import DataError, FolderMismatch, StoreError, UnknownName, UsageError
from eyeprint.models.kinds import Painted
from eyeprint.protocols import pipbench_dry_run
from eyeprint.protocols.pipbench import execute, run_pipbench
from eyeprint.protocols.pipbench_paint import painter_seed
from eyeprint.protocols.pipbench_plan import plan_pipbench
from eyeprint.protocols.pipbench_settings import (
    PaintOptions,
    ScoreSettings,
    choose_picture_methods,
)
from tests.methods.made_pictures import COOL, WARM, halves
from tests.protocols.made_root import make_outputs, make_root

SMALL = PaintOptions(width=48, height=48)


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    return make_root(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="module")
def finished(root, tmp_path_factory):
    out = tmp_path_factory.mktemp("run") / "run"
    run_pipbench(root, out=out, paint=SMALL, text_encoder="static")
    return out


def rows(folder):
    return [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]


def summary(folder):
    return json.loads((folder / "summary.json").read_text())


def test_p59_p61_p62_every_method_paints_every_case(finished):
    found = rows(finished)
    assert len(found) == 8 * 5
    assert {row["method"] for row in found} == {
        "no_preference",
        "edit_1ref",
        "edit_2ref",
        "fusion",
        "vprag_refs",
    }
    assert all(row["picture"] for row in found)
    assert all((finished / "pictures" / f"{row['picture']}.png").is_file() for row in found)


def test_p46_p47_rows_carry_scores_in_the_encoders_own_columns(finished):
    row = rows(finished)[0]
    assert row["scores"]["PAL-R"] is not None and row["scores"]["PAL-Y"] is not None
    assert row["scores"]["PIX-MSE"] is not None
    assert not any(name.startswith(("CLS", "DIS")) for name in row["scores"])


def test_p49_tables_are_per_split_with_marks_and_intervals(finished):
    tables = {t["group"]["split"]: t for t in summary(finished)["tables"]}
    assert set(tables) == {"real", "synthetic"}
    marks = [m["columns"]["PAL-R"]["mark"] for m in tables["real"]["models"]]
    assert marks.count("best") >= 1
    assert tables["real"]["models"][0]["columns"]["PAL-R"]["micro"]["low"] is not None


def test_p47_conditioning_on_references_raises_the_lift_over_strangers(finished):
    lifts = {lift["model"].split(" ")[0]: lift for lift in summary(finished)["lifts"]}
    plain = lifts["no_preference"]["lift"]["mean"]
    assert lifts["edit_1ref"]["lift"]["mean"] > plain
    assert lifts["fusion"]["lift"]["mean"] > plain


def test_p46_p49_score_settings_decide_columns_means_and_the_run_itself(finished, root, tmp_path):
    chosen = ScoreSettings(
        images={"gray": False, "pixels": False}, tables={"estimator": "macro"}, bands={"pairs": 3}
    )
    methods = "no_preference,edit_1ref"
    run_pipbench(root, out=tmp_path, methods=methods, paint=SMALL, score_settings=chosen)
    found = summary(tmp_path)
    assert [c["name"] for c in found["overall"]["columns"]] == ["PAL-R", "PAL-Y"]
    measure = found["overall"]["models"][0]["columns"]["PAL-R"]
    assert measure["mean"] == measure["macro"]["mean"]
    assert found["bands"][0]["real"]["pairs"] == 3
    with pytest.raises(FolderMismatch):
        run_pipbench(root, out=tmp_path, methods=methods, paint=SMALL)


def test_x10_a_seed_that_would_do_nothing_is_refused():
    with pytest.raises(UsageError, match=r"tables\.seed"):
        ScoreSettings.checked({"tables": {"seed": 4}})


def test_p20_lines_of_profiles_that_were_left_out_are_told(root, tmp_path):
    data = shutil.copytree(root, tmp_path / "data")
    with (data / "profiles.jsonl").open("a") as file:
        file.write("{broken\n")
    plan = plan_pipbench(data, methods="no_preference")
    assert any("1 line of profiles was left out" in note for note in plan.notes)


def test_p45_counts_of_the_data_are_told(finished):
    told = [row["told"] for row in summary(finished)["data"]]
    assert told[-1].startswith("all: 8 cases, 16 pictures, 4 people")


def test_x6_one_seed_for_all_models_of_a_case():
    assert painter_seed(0, "7") == painter_seed(0, "7") != painter_seed(0, "8")
    assert 0 <= painter_seed(1, "x") < 2**31


def test_x10_x17_a_second_run_repeats_nothing_and_changes_no_byte(finished, root):
    names = ("results.jsonl", "summary.json", "report.html", "gallery.jsonl")
    before = {name: (finished / name).read_bytes() for name in names}
    stamp = (finished / "summary.json").stat().st_mtime_ns
    run_pipbench(root, out=finished, paint=SMALL, text_encoder="static")
    assert {name: (finished / name).read_bytes() for name in names} == before
    assert (finished / "summary.json").stat().st_mtime_ns == stamp


def test_x17_a_fresh_run_elsewhere_has_equal_bytes(finished, root, tmp_path):
    moved = shutil.copytree(root, tmp_path / "moved")
    run_pipbench(moved, out=tmp_path / "run", paint=SMALL, text_encoder="static")
    for name in ("results.jsonl", "summary.json", "gallery.jsonl"):
        assert (tmp_path / "run" / name).read_bytes() == (finished / name).read_bytes(), name


def test_p61_x17_a_run_over_some_cases_draws_the_same_references(finished, root, tmp_path):
    run_pipbench(root, out=tmp_path, methods="edit_1ref", n=3, paint=SMALL)
    some = {row["case"]: (row["used"], row["picture"]) for row in rows(tmp_path)}
    whole = {
        row["case"]: (row["used"], row["picture"])
        for row in rows(finished)
        if row["method"] == "edit_1ref"
    }
    assert some == {case: whole[case] for case in some}


def test_x17_an_interrupted_run_goes_on(root, tmp_path, monkeypatch):
    plan = plan_pipbench(root, methods="no_preference", paint=SMALL)
    painter = plan.painters["sketch"]
    real, count = painter.paint, 0

    async def stops(request, way="text"):
        nonlocal count
        count += 1
        if count == 4:
            raise KeyboardInterrupt
        return await real(request, way)

    monkeypatch.setattr(painter, "paint", stops, raising=False)
    with pytest.raises(KeyboardInterrupt):
        execute(plan, tmp_path / "run")
    whole = execute(plan_pipbench(root, methods="no_preference", paint=SMALL), tmp_path / "run")
    assert whole.exit_code == 0
    assert len(rows(tmp_path / "run")) == 8


def test_x17_pictures_that_were_lost_are_painted_again_and_others_never_taken_for_them(
    root, tmp_path, monkeypatch
):
    choices = {"methods": "no_preference", "paint": SMALL, "n": 3}
    out = run_pipbench(root, out=tmp_path / "run", **choices)
    before = {path.name: path.read_bytes() for path in (out / "pictures").iterdir()}
    lost = next((out / "pictures").iterdir())
    lost.unlink()
    run_pipbench(root, out=out, **choices)
    assert {path.name: path.read_bytes() for path in (out / "pictures").iterdir()} == before
    plan = plan_pipbench(root, **choices)
    painter = plan.painters["sketch"]

    async def other(request, way="text"):
        return Painted(halves(*WARM))

    monkeypatch.setattr(painter, "paint", other)
    lost.unlink()
    with pytest.raises(StoreError, match=r"now paints another one\. Copy it back; or delete"):
        execute(plan, out)


def test_p46_ready_pictures_are_scored_and_missing_ones_counted(root, tmp_path):
    ready = make_outputs(tmp_path / "mine", [halves(*WARM), halves(*COOL)], ["0", "1", "2"])
    (ready / "3.png").write_bytes(b"no picture at all")
    plan = plan_pipbench(root, methods="", outputs={"mine": str(ready)})
    end = execute(plan, tmp_path / "run")
    found = rows(tmp_path / "run")
    assert [row["picture"] is not None for row in found] == [True] * 3 + [False] * 5
    assert {row["model"] for row in found} == {"mine"}
    assert found[3]["fault"] == "unreadable" and found[4]["fault"] == "missing"
    assert end.failures == {"missing": 4, "unreadable": 1}
    assert summary(tmp_path / "run")["counts"]["missing"] == {
        "mine": {"missing": 4, "unreadable": 1}
    }
    assert found[4]["scores"]["PAL-R"] is None and "missing" in found[4]["unscored"]["PAL-R"]


def test_p46_ready_pictures_that_change_make_another_run(root, tmp_path):
    ready = make_outputs(tmp_path / "mine", [halves(*WARM)], ["0"])
    execute(plan_pipbench(root, methods="", outputs={"mine": str(ready)}), tmp_path / "run")
    make_outputs(ready, [halves(*WARM)], [str(i) for i in range(8)])
    plan = plan_pipbench(root, methods="", outputs={"mine": str(ready)})
    with pytest.raises(FolderMismatch, match="painter_fingerprint"):
        execute(plan, tmp_path / "run")
    end = execute(plan, tmp_path / "whole")
    assert end.exit_code == 0
    assert all(row["picture"] for row in rows(tmp_path / "whole"))


def test_p47_a_copied_reference_is_flagged_with_the_pair(root, tmp_path):
    copy = (root / "images/0/1.png").read_bytes()
    ready = tmp_path / "mine"
    ready.mkdir()
    for name in range(8):
        (ready / f"{name}.png").write_bytes(copy)
    run_pipbench(root, out=tmp_path / "run", methods="", outputs={"copyist": str(ready)})
    found = rows(tmp_path / "run")
    assert found[0]["copy"]["path"] == "images/0/1.png"
    assert "same pixels" in found[0]["copy"]["by"]
    assert found[-1]["copy"] is None or "same pixels" not in found[-1]["copy"]["by"]


def test_p1_x9_a_broken_reference_stops_its_case_only(tmp_path):
    root = make_root(tmp_path / "data")
    (root / "images/1/0.png").write_bytes(b"")
    plan = plan_pipbench(root, methods="no_preference,edit_1ref", paint=SMALL)
    end = execute(plan, tmp_path / "run")
    found = rows(tmp_path / "run")
    broken = [row for row in found if row["person"] == "1"]
    assert all(row["picture"] is None for row in broken)
    assert all("images/1/0.png" in row["detail"] for row in broken)
    assert all(row["scores"]["PAL-R"] is not None for row in found if row["person"] != "1")
    assert list(summary(tmp_path / "run")["pictures"]["faults"]) == ["images/1/0.png"]
    assert end.exit_code == 1


def test_p3_profiles_are_kept_for_judges_and_planning_never_opens_the_target(root, tmp_path):
    plan = plan_pipbench(root, methods="no_preference,fusion", paint=SMALL)
    from eyeprint.protocols.pipbench_album import Album

    album = Album(plan.cases)
    for case in plan.cases:
        album.ask(case, 0)
    targets = {case.target for case in plan.cases}
    assert not targets & album.hashes.keys()


@pytest.mark.parametrize(
    ("choices", "error", "words"),
    [
        ({"methods": "fusoin"}, UnknownName, "Did you mean 'fusion'"),
        ({"methods": " , "}, UsageError, "No method was named"),
        ({"methods": "fusion", "writers": ()}, UsageError, "needs a writer"),
        ({"methods": "dreambooth", "tuner": "sketch"}, UsageError, "cannot do what 'dreambooth'"),
        ({"splits": ["future"]}, UnknownName, "There is no split 'future'"),
        ({"n": 0}, UsageError, "-n must be at least 1"),
        ({"encoders": ("nonsense",)}, UnknownName, "Known: .*lpips"),
        ({"painters": ("nonsense",)}, UnknownName, "nonsense"),
    ],
)
def test_a_wrong_choice_is_told_before_anything_starts(root, choices, error, words):
    with pytest.raises(error, match=words):
        plan_pipbench(root, **choices)


def test_a_folder_without_cases_says_what_is_missing(tmp_path):
    with pytest.raises(DataError, match="metadata"):
        plan_pipbench(tmp_path)


def test_p62_methods_that_ask_are_repeated_for_each_writer():
    chosen = choose_picture_methods("all", ["offline", "openai/gpt-5"])
    assert [c.writer for c in chosen if c.method == "fusion"] == ["offline", "openai/gpt-5"]
    assert [c.writer for c in chosen if c.method == "edit_1ref"] == [""]


def test_p59_all_may_be_written_in_capitals():
    assert choose_picture_methods("ALL", ["offline"]) == choose_picture_methods("all", ["offline"])


def test_p64_several_painters_are_several_models(root, tmp_path):
    ready = make_outputs(tmp_path / "mine", [halves(*WARM)], [str(i) for i in range(8)])
    plan = plan_pipbench(
        root, methods="no_preference", painters=("sketch", f"folder:{ready}"), paint=SMALL
    )
    assert len({model.label for model in plan.run.models}) == 2


def test_a_changed_picture_makes_another_run(tmp_path):
    root = make_root(tmp_path / "data")
    before = plan_pipbench(root, methods="no_preference").run.fingerprint()
    shutil.copy(root / "images/0/0.png", root / "images/2/0.png")
    assert plan_pipbench(root, methods="no_preference").run.fingerprint() != before


def test_dry_run_asks_and_writes_nothing(root, tmp_path, monkeypatch):
    plan = plan_pipbench(
        root, methods="fusion", writers=["openai/gpt-4o-mini"], asking=False, paint=SMALL
    )
    calls = pipbench_dry_run.dry_run(plan, tmp_path / "run")
    assert [call.calls for call in calls] == [8]
    assert calls[0].cost_usd is not None and calls[0].cost_usd > 0
    assert not (tmp_path / "run").exists()


def test_p44_targets_among_references_and_doubled_references_are_told(tmp_path):
    root = make_root(tmp_path / "data", people=2, cases=1, references=3)
    shutil.copy(root / "images/0/3.png", root / "images/0/1.png")
    shutil.copy(root / "images/1/0.png", root / "images/1/2.png")
    notes = plan_pipbench(root, methods="no_preference").notes
    assert [note.partition(":")[0] for note in notes] == [
        "1 cases ('0') have their target among their references",
        "1 cases ('1') have one picture twice among their references.",
    ]
