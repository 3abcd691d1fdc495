"""From candidates or folders to a data root: resumable, counted, checked (P19, P41, P42, P44)."""

import json
from pathlib import Path

import numpy as np
import pytest

from eyeprint.errors import DataError, FolderMismatch, UsageError
from eyeprint.models.fakes import ScriptedChat
from eyeprint.models.kinds import Painted, PaintRequest, Reply
from eyeprint.people.cases import CaseSettings
from eyeprint.people.leaks import find_leaks
from eyeprint.people.pools import PoolSettings
from eyeprint.protocols.people_cases_plan import PaintSize, plan_cases
from eyeprint.protocols.people_cases_sources import candidate_seed, painted_items
from eyeprint.records.candidates import CandidatePrompt, CandidateSet
from eyeprint.records.case_files import open_cases
from eyeprint.records.case_folders import person_folder
from eyeprint.records.profile_files import write_profiles
from eyeprint.records.profiles import Profile
from tests.people.made_pictures import image_of, made_picture, saved_again, write_picture


class CloudPainter:
    """Paints made pictures by the item's seed; fails where it is told to."""

    name, fingerprint, ways = "clouds", "c" * 64, frozenset({"text"})

    def __init__(self, failing: set[str] | None = None) -> None:
        self.failing = failing or set()
        self.requests: list[PaintRequest] = []

    async def paint(self, request: PaintRequest, way: str = "text") -> Painted:
        self.requests.append(request)
        if request.key in self.failing:
            return Painted(None, "server_error", "told to fail")
        return Painted(made_picture(request.seed, 48, 64))


def prompts(person: str, count: int) -> tuple[CandidatePrompt, ...]:
    return tuple(
        CandidatePrompt(
            text=f"A vivid photograph of kite {n} of {person}, soft light",
            category="hybrid",
            subject=f"kite {n} of {person}",
        )
        for n in range(count)
    )


@pytest.fixture
def candidates(tmp_path: Path) -> Path:
    sets = [
        CandidateSet(profile_id="a", prompts=prompts("a", 8)),
        CandidateSet(profile_id="b/c", kind="person", prompts=prompts("b", 8)),
        CandidateSet(profile_id="few", prompts=prompts("few", 2)),
    ]
    file = tmp_path / "candidates.jsonl"
    file.write_text("".join(f"{one.model_dump_json()}\n" for one in sets))
    return file


@pytest.fixture
def profiles(tmp_path: Path) -> Path:
    people = [Profile(id=name, answers={"Q12": 6, "Q13": 2}) for name in ("a", "b/c", "x")]
    return write_profiles(tmp_path / "profiles.jsonl", people)


def tree(root: Path) -> dict[str, bytes]:
    """Every file of a data root that is a result."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and path.name not in ("log.jsonl", "sessions.jsonl", "lock")
    }


def test_p42_p44_candidates_become_cases_in_the_released_layout(
    candidates: Path, profiles: Path, tmp_path: Path
):
    painter = CloudPainter()
    plan = plan_cases(candidates, profiles=profiles, painter=painter, seed=3)
    end = plan.build.execute(tmp_path / "out")
    assert end.exit_code == 0
    assert end.skipped == {"few": "2 pictures; a case takes 3 at least"}
    cases = open_cases(tmp_path / "out")
    assert cases.faults == ()
    assert cases.missing_files() == ()
    assert [case.id for case in cases] == [str(n) for n in range(13)]
    synthetic, real, all_ = end.counts
    assert (synthetic.cases, synthetic.people) == (4, 1)
    assert (real.split, real.cases, real.people) == ("real", 9, 1)
    assert all_.cases == 13
    assert cases["0"].references[0].startswith("images/a/")
    assert cases["4"].references[0].startswith("images/b%2Fc/")
    assert len(painter.requests) == 18
    # X names the content of the target's own prompt.
    pools = [json.loads(line) for line in (tmp_path / "out/pools.jsonl").open()]
    prompt_of = {row["path"]: row["prompt"] for pool in pools for row in pool["pictures"]}
    for case in cases:
        assert case.prompt in prompt_of[case.target]
        assert case.prompt.startswith("kite ")
    assert [len(pool["pictures"]) for pool in pools] == [7, 7, 2]
    assert pools[0]["chosen_by"] == "score"
    # Profiles lie beside the cases with their standard text, for judges.
    assert set(cases.profiles) == {"a", "b/c"}
    assert cases.profiles["a"].text
    assert end.leaks.rows == ()
    assert find_leaks(cases).errors == ()


def test_p41_every_candidate_has_a_generator_of_its_own(candidates: Path):
    items = painted_items(plan_sets(candidates), again=["a"])
    seeds = [candidate_seed(3, item) for item in items]
    assert len(set(seeds)) == len(items) == 26
    assert all(0 <= seed < 2**31 for seed in seeds)
    assert seeds != [candidate_seed(4, item) for item in items]


def plan_sets(candidates: Path):
    from eyeprint.records.candidates import read_candidates

    return read_candidates(candidates).sets


def test_x10_a_build_that_failed_in_places_ends_like_one_that_did_not(
    candidates: Path, tmp_path: Path
):
    whole = plan_cases(candidates, painter=CloudPainter(), encoder=None)
    whole.build.execute(tmp_path / "whole")
    flaky = plan_cases(candidates, painter=CloudPainter({"a/1", "b/c/7"}), encoder=None)
    end = flaky.build.execute(tmp_path / "again")
    assert end.failures == {"server_error": 2}
    assert end.exit_code == 1
    painter = CloudPainter()
    end = plan_cases(candidates, painter=painter, encoder=None).build.execute(tmp_path / "again")
    assert end.exit_code == 0
    assert {request.key for request in painter.requests} == {"a/1", "b/c/7"}
    one, other = tree(tmp_path / "whole"), tree(tmp_path / "again")
    kept = [name for name in one if not name.startswith("build/")]
    assert {name: one[name] for name in kept} == {name: other[name] for name in kept}


def test_x10_another_setting_needs_another_folder(candidates: Path, tmp_path: Path):
    plan_cases(candidates, painter=CloudPainter(), encoder=None).build.execute(tmp_path / "out")
    other = plan_cases(candidates, painter=CloudPainter(), encoder=None, seed=8)
    with pytest.raises(FolderMismatch, match="seed was 7 and is now 8"):
        other.build.execute(tmp_path / "out")
    (tmp_path / "own").mkdir()
    (tmp_path / "own/metadata.json").write_text("[]")
    with pytest.raises(UsageError, match="holds cases already"):
        other.build.execute(tmp_path / "own")


def test_p19_somebody_who_liked_none_gets_one_more_round(candidates: Path, tmp_path: Path):
    plan_cases(candidates, painter=CloudPainter(), encoder=None).build.execute(tmp_path / "out")
    before = tree(tmp_path / "out")
    painter = CloudPainter()
    plan = plan_cases(candidates, painter=painter, encoder=None, again=["a"])
    plan.build.execute(tmp_path / "out")
    assert {request.key.partition("/")[0] for request in painter.requests} == {"a"}
    assert len(painter.requests) == 8
    after = tree(tmp_path / "out")
    assert after["images/a/0.png"] != before["images/a/0.png"]
    assert after["images/b%2Fc/0.png"] == before["images/b%2Fc/0.png"]
    with pytest.raises(UsageError, match="'nobody' has no candidates"):
        plan_cases(candidates, painter=painter, again=["nobody"])


def test_p19_picks_by_hand_decide_the_pool(candidates: Path, tmp_path: Path):
    picks = tmp_path / "choices.csv"
    rows = [f"a,{n},{rank}" for rank, n in enumerate((6, 4, 2, 0, 7, 5), start=1)]
    picks.write_text("\n".join(["person,picture,rank", *rows, "ghost,1,"]))
    plan = plan_cases(candidates, painter=CloudPainter(), choices=picks, encoder=None)
    assert any("ghost" in note for note in plan.notes)
    end = plan.build.execute(tmp_path / "out")
    pools = {row["person"]: row for row in map(json.loads, (tmp_path / "out/pools.jsonl").open())}
    assert [one["candidate"] for one in pools["a"]["pictures"]] == ["6", "4", "2", "0", "7", "5"]
    assert end.skipped["b/c"] == "0 pictures; a case takes 3 at least"


def folders(root: Path) -> Path:
    for person, start in (("anna", 0), ("bo", 20)):
        for n in range(6):
            write_picture(root / person / f"{n}.png", made_picture(start + n, 48, 64))
    write_picture(root / "anna/uploads/own.jpg", saved_again(image_of(made_picture(40, 48, 64))))
    (root / "anna/3.txt").write_text("A moody photo of a heron at a weir")
    return root


def test_p44_folders_of_chosen_pictures_become_real_cases(tmp_path: Path):
    plan = plan_cases(pools=folders(tmp_path / "pools"), case=CaseSettings(per_pool=7))
    assert any("layout" in note for note in plan.notes)
    end = plan.build.execute(tmp_path / "out")
    assert end.counts[0].split == "real"
    assert end.counts[-1].pictures == 13  # six each, and an upload
    cases = open_cases(tmp_path / "out")
    herons = [case for case in cases if case.prompt == "a heron at a weir"]
    assert {case.target for case in herons} == {"images/anna/3.png"}
    assert end.captions.sources == {"layout": 12, "prompt": 1}


def test_p42_folders_of_candidates_are_chosen_from_by_score(tmp_path: Path):
    plan = plan_cases(pools=folders(tmp_path / "pools"), pool=PoolSettings(keep=3), encoder=None)
    plan.build.execute(tmp_path / "out")
    pools = [json.loads(line) for line in (tmp_path / "out/pools.jsonl").open()]
    assert [len(pool["pictures"]) for pool in pools] == [4, 3]
    assert [one["upload"] for one in pools[0]["pictures"]] == [False, False, False, True]


def test_p44_a_pool_with_copies_makes_no_case_of_them(tmp_path: Path):
    root = tmp_path / "pools"
    for n in range(4):
        write_picture(root / "anna" / f"{n}.png", made_picture(n))
    write_picture(root / "anna/4.png", saved_again(image_of(made_picture(0)).convert("L")))
    write_picture(root / "anna/5.png", image_of(made_picture(1)).crop((10, 10, 110, 86)))
    end = plan_cases(pools=root, case=CaseSettings(per_pool=12), seed=5).build.execute(
        tmp_path / "out"
    )
    assert end.leaks.errors == ()
    assert {row.where for row in end.leaks.warnings} <= {"pool of anna"}
    assert end.exit_code == 0


def test_p44_a_chat_model_names_the_targets_and_its_failures_cost_their_cases(
    candidates: Path, tmp_path: Path
):
    def answer(request):
        shown = request.messages[0].images[0].sha256
        if shown[0] in "0123":
            return Reply(text="I cannot.", outcome="refused")
        return json.dumps({"caption": f"a kite over hill {shown[:4]}"})

    chat = ScriptedChat(answer)
    plan = plan_cases(candidates, painter=CloudPainter(), captioner=chat, encoder=None)
    end = plan.build.execute(tmp_path / "out")
    cases = open_cases(tmp_path / "out")
    assert end.failures.get("refused", 0) > 0
    assert end.exit_code == 1
    assert end.captions.sources == {"scripted": len({case.target for case in cases})}
    assert [case.id for case in cases] == [str(n) for n in range(len(cases))]
    # One picture and the instruction: no reference, no profile, no prompt that it was made from.
    assert all(len(request.messages[0].images) == 1 for request in chat.requests)
    assert not any("vivid photograph" in request.messages[0].text for request in chat.requests)


def test_unreadable_files_are_failures_and_nothing_at_all_is_an_error(tmp_path: Path):
    root = folders(tmp_path / "pools")
    (root / "bo/1.png").write_bytes(b"\x89PNG\r\n\x1a\n cut")
    end = plan_cases(pools=root, encoder=None).build.execute(tmp_path / "out")
    assert end.failures == {"data": 1}
    assert len(end.details) == 1 and end.details[0].startswith("bo, candidate ")
    assert "bo/1.png: the PNG file is damaged" in end.details[0]
    (root / "nobody").mkdir()
    assert "folders without a picture, left out: nobody" in plan_cases(pools=root).notes
    write_picture(tmp_path / "one/anna/1.png", made_picture(1))
    with pytest.raises(DataError, match="1 picture; a case takes 3 at least"):
        plan_cases(pools=tmp_path / "one", encoder=None).build.execute(tmp_path / "none")


def test_p19_choices_of_other_people_are_refused(tmp_path: Path):
    root = folders(tmp_path / "pools")
    (tmp_path / "c.csv").write_text("person,picture\nghost,1\n")
    with pytest.raises(DataError, match="The choices name ghost, and nobody who has pictures"):
        plan_cases(pools=root, choices=tmp_path / "c.csv")


def test_what_does_not_go_together_is_refused(candidates: Path, tmp_path: Path):
    with pytest.raises(UsageError, match="either candidates"):
        plan_cases()
    with pytest.raises(UsageError, match="either candidates"):
        plan_cases(candidates, pools=tmp_path)
    with pytest.raises(UsageError, match="nothing is painted"):
        plan_cases(pools=folders(tmp_path / "pools"), again=["anna"])
    with pytest.raises(UsageError, match="heuristic or laion"):
        plan_cases(candidates, aesthetics="taste")


def test_p41_the_sketch_painter_makes_cases_without_anything(candidates: Path, tmp_path: Path):
    plan = plan_cases(candidates, size=PaintSize(64, 64), n=1, encoder=None)
    end = plan.build.execute(tmp_path / "out")
    assert end.counts[-1].people == 1
    assert plan.build.run.painter == "sketch"


def test_folders_of_people_are_unlike_and_safe_on_any_system():
    ids = ["a", "a/b", "a%2Fb", "..", ".", "a.", "a ", " a", "x" * 500, "x" * 501, "Ä", "con:"]
    names = [person_folder(person) for person in ids]
    assert len(set(names)) == len(ids)
    for name in names:
        assert not set(name) & set('/\\:*?"<>|')
        assert name not in (".", "..")
        assert name == name.strip()
        assert len(name) < 200
    assert np.unique(names).size == len(ids)
