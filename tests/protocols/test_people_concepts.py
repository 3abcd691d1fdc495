"""From folders of pictures to concepts and questions, in one folder (M5–M20)."""

import csv
import json
from collections import Counter
from pathlib import Path

import pytest

from eyeprint.errors import DataError, FolderMismatch, UsageError
from eyeprint.models.fakes import CountingChat, FlakyChat, ScriptedChat
from eyeprint.models.kinds import Chat, ChatRequest, Reply
from eyeprint.models.prices import Price
from eyeprint.people.concept_votes import ReviewSettings
from eyeprint.protocols.people_concepts import ConceptsBuild
from eyeprint.protocols.people_concepts_plan import plan_concept_calls, plan_concepts
from eyeprint.protocols.people_concepts_settings import ConceptSettings
from eyeprint.records.concept_files import open_concepts
from eyeprint.records.concept_masking import names_in
from eyeprint.records.concept_questions import TASKS
from eyeprint.store.budget import Budget
from eyeprint.store.ledger import Ledger
from tests.people.made_concepts import answer, made_concepts
from tests.people.made_pictures import made_picture, write_picture

CHECKERS = ("one", "two", "three")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return made_concepts(tmp_path / "in")


def settings(**items: object) -> ConceptSettings:
    return ConceptSettings.checked({"items": {"negatives": 1} | items})


def planned(source: Path, **more: object) -> ConceptsBuild:
    return plan_concepts(source, **{"settings": settings(), **more})  # type: ignore[arg-type]


def by_models(source: Path, checkers: tuple[str, ...] = CHECKERS) -> ConceptsBuild:
    return planned(source, drafter="drafter", checkers=checkers)


class Chats:
    """Opens chats by name and counts their calls."""

    def __init__(self, faults: dict[str, str] | None = None) -> None:
        self.faults = faults or {}
        self.asked: dict[str, CountingChat] = {}
        self.requests: list[ChatRequest] = []

    def __call__(self, name: str) -> Chat:
        def script(request: ChatRequest) -> str:
            self.requests.append(request)
            fault = self.faults.get(name)
            return answer(request, lambda text: [fault] if fault and "holding" in text else [])

        if name not in self.asked:
            self.asked[name] = CountingChat(ScriptedChat(script, name))
        return self.asked[name]

    @property
    def calls(self) -> dict[str, int]:
        return {name: chat.calls for name, chat in self.asked.items()}


def files_of(root: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and "build" not in path.relative_to(root).parts
    }


def test_m5_offline_a_folder_becomes_a_data_root(source: Path, tmp_path: Path):
    out = tmp_path / "out"
    end = planned(source).execute(out)
    data = open_concepts(out)
    assert (end.exit_code, data.faults, data.notes) == (0, (), ())
    assert end.concepts == len(data.concepts) == 5
    counts = Counter(question.task for question in data)
    assert {row.task: row.written for row in end.tasks if row.written} == counts
    # Two query pictures a concept, one drawn negative for people and animals, three preference
    # pictures: liked and disliked ones are asked about twice, the third is a negative.
    assert counts == {
        "awareness · recognition · human": 4,
        "awareness · recognition · animal": 4,
        "awareness · recognition · object": 2,
        "appropriateness · recognition · human": 2,
        "appropriateness · recognition · animal": 2,
        "awareness · preference · human": 2,
        "appropriateness · preference · human": 1,
        "coherency · preference · human": 2,
    }
    ana = data.concepts["Ana Lima"]
    assert len(ana.images) == 5
    assert ana.preference.count("<sks> likes") == 5
    assert data.concepts["Rex"].kind == "dog"
    assert not data.concepts["Rex"].preference
    negative = [q for q in data if q.category == "animal" and q.type == "appropriateness"]
    assert {q.target for q in negative} == {"different_species"}
    assert {row.undraftable for row in end.tasks if row.task.startswith("coherency · rec")} == {
        4,
        2,
    }
    assert any("need a model that sees pictures" in told for told in end.missing)
    report = json.loads((out / "report.json").read_text())
    assert report["questions"] == len(data)
    assert list(report["conflicts_resolved"]) == [n for n, rows in end.resolved.items() if rows]


def test_m8_no_name_is_in_pictures_questions_or_descriptions(source: Path, tmp_path: Path):
    planned(source).execute(tmp_path / "out")
    data = open_concepts(tmp_path / "out")
    for concept in data.concepts.values():
        texts = [*concept.descriptions.values(), concept.preference, *concept.images]
        assert not names_in(" ".join(texts), concept.name, concept.category)
    for question in data:
        texts = [question.question, *question.options.values(), question.image]
        assert not names_in(" ".join(texts), question.concept, question.category)


def test_m19_models_draft_and_three_check(source: Path, tmp_path: Path):
    chats = Chats({"one": "ambiguous", "three": "ambiguous", "two": "grammar"})
    end = by_models(source).execute(tmp_path / "out", open_chat=chats)
    data = open_concepts(tmp_path / "out")
    # Five descriptions, ten Coherency questions on pictures and two on preferences.
    assert chats.calls["drafter"] == 5 + 10 + 2
    assert chats.calls["one"] == chats.calls["two"] == chats.calls["three"] == 10 + 12 + 7
    assert dict(end.flags) == {"ambiguous": 12}
    assert end.single_flags == 12, "grammar, by one model alone"
    assert not any(q.type == "coherency" for q in data), "flagged ones wait for people"
    rows = list(csv.DictReader((tmp_path / "out/review/questions.csv").open()))
    assert [row["flags"] for row in rows[:12]] == ["ambiguous"] * 12
    assert len(rows) == 29
    assert all((tmp_path / "out" / row["picture"]).is_file() for row in rows)
    for request in chats.requests:
        sent = " ".join(message.text for message in request.messages)
        assert not any(names_in(sent, *one) for one in (("Ana Lima", "human"), ("Rex", "animal")))


def test_m6_without_flags_all_tasks_that_pictures_allow_are_there(source: Path, tmp_path: Path):
    for n in range(2):
        write_picture(source / f"character/Zip/{n}.png", made_picture(300 + n, 32, 40))
    for place in ("character/Zip/queries/a.png", "character/Zip/queries/appropriateness/b.png",
                  "object/red mug/queries/appropriateness/c.png"):  # fmt: skip
        write_picture(source / place, made_picture(310 + len(place), 32, 40))
    end = by_models(source, ()).execute(tmp_path / "out", open_chat=Chats())
    assert {row.task for row in end.tasks if row.written} == set(TASKS)
    assert end.missing == ("1 concepts with fewer than 5 reference pictures",)


def test_x17_a_second_run_asks_nothing_and_writes_the_same_bytes(source: Path, tmp_path: Path):
    first, again = Chats(), Chats()
    by_models(source).execute(tmp_path / "out", open_chat=first)
    before = files_of(tmp_path / "out")
    by_models(source).execute(tmp_path / "out", open_chat=again)
    assert sum(again.calls.values()) == 0
    assert files_of(tmp_path / "out") == before
    for path in (tmp_path / "out/pictures").iterdir():
        path.unlink()
    by_models(source).execute(tmp_path / "out", open_chat=again)
    assert files_of(tmp_path / "out") == before, "removed pictures come back"
    by_models(source).execute(tmp_path / "other", open_chat=Chats(), at_once=1)
    assert files_of(tmp_path / "other") == before


def test_x17_what_failed_is_tried_again_and_the_end_is_the_same(source: Path, tmp_path: Path):
    by_models(source).execute(tmp_path / "whole", open_chat=Chats())
    flaky: dict[str, Chat] = {}
    bad = Reply(outcome="failed", failure="server_error", detail="told to fail")

    def opened(name: str) -> Chat:
        return flaky.setdefault(name, FlakyChat(Chats()(name), reply=bad))

    ends = [by_models(source).execute(tmp_path / "out", open_chat=opened) for _ in range(4)]
    assert [end.exit_code for end in ends] == [1, 1, 1, 0]
    assert ends[0].failures == {"server_error": 5}
    assert "told to fail" in ends[0].details[0]
    assert any("without the description" in told for told in ends[0].missing)
    assert files_of(tmp_path / "out") == files_of(tmp_path / "whole")


def test_x16_a_budget_stops_the_build_and_more_money_ends_it(source: Path, tmp_path: Path):
    price = Price(input=1.0, output=10.0)
    chats = Chats()
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        for dollars, stopped in ((0.05, "budget"), (1000.0, None)):
            limit = Budget(dollars)
            end = by_models(source).execute(
                tmp_path / "out",
                open_chat=lambda name, limit=limit: ledger.wrap(chats(name), limit, price=price),
                ledger=ledger,
            )
            assert end.stopped == stopped
            assert end.exit_code == (1 if stopped else 0)
    sessions = (tmp_path / "out/build/sessions.jsonl").read_text().splitlines()
    assert len(sessions) == 2


def test_x16_a_dry_run_bounds_what_is_then_asked(source: Path, tmp_path: Path):
    build, price = by_models(source), Price(input=1.0, output=10.0)
    chats = Chats()
    steps = plan_concept_calls(
        build, {name: chats(name) for name in ("drafter", *CHECKERS)},
        prices=dict.fromkeys(("drafter", *CHECKERS), price),
    )  # fmt: skip
    assert sum(chats.calls.values()) == 0
    assert [(one.step, one.plan.model, one.plan.calls) for one in steps] == [
        ("descriptions", "drafter", 5), ("questions", "drafter", 12),
        *(("checks", name, 29) for name in CHECKERS),
    ]  # fmt: skip
    with Ledger(tmp_path / "ledger.sqlite") as ledger:
        build.execute(
            tmp_path / "out", open_chat=lambda name: ledger.wrap(chats(name), None, price=price),
            ledger=ledger,
        )  # fmt: skip
        for name, account in ((a.model, a) for a in ledger.accounts.all()):
            mine = [one.plan for one in steps if one.plan.model == name]
            assert account.input_tokens <= sum(plan.input_tokens for plan in mine)
            assert account.cost_usd <= sum(plan.cost_usd or 0 for plan in mine)
        plan = plan_concept_calls(build, {n: chats(n) for n in ("drafter", *CHECKERS)}, ledger)
    assert (plan[0].plan.answered, plan[0].plan.calls) == (5, 0)


def review(out: Path, name: str, decide: object) -> Path:
    """A reviewer's filled-in copy; ``decide`` returns cells for a row."""
    rows = list(csv.DictReader((out / "review/questions.csv").open()))
    file = out.parent / f"{name}.csv"
    with file.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0])
        writer.writeheader()
        writer.writerows(row | decide(row) for row in rows)  # type: ignore[operator]
    return file


def test_m19_decisions_of_three_people_make_the_data(source: Path, tmp_path: Path):
    out = tmp_path / "out"
    chats = Chats({"one": "ambiguous", "two": "ambiguous"})
    by_models(source).execute(out, open_chat=chats)
    asked = chats.calls

    def anna(row: dict[str, str]) -> dict[str, str]:
        if row["type"] == "coherency":
            return {"decision": "edit", "new_question": "What does <sks> hold?"}
        return {"decision": "accept" if row["negated"] == "no" else "reject"}

    def carla(row: dict[str, str]) -> dict[str, str]:
        return {"decision": "accept"} if row["type"] == "coherency" else {"decision": "reject"}

    files = [review(out, "anna", anna), review(out, "ben", anna), review(out, "carla", carla)]
    end = by_models(source).execute(out, open_chat=chats, decisions=files)
    assert chats.calls == asked, "decisions ask no model"
    data = open_concepts(out)
    assert Counter(q.type for q in data)["coherency"] == 12, "accepted though flagged"
    assert {q.question for q in data if q.type == "coherency"} == {"What does <sks> hold?"}
    assert not any(q.negated for q in data)
    assert end.unreviewed == 0
    statuses = Counter(outcome.status for outcome in end.outcomes)
    assert statuses["accepted"] == len(data)
    assert sum(statuses.values()) == 29
    told = list(csv.DictReader((out / "review/disagreements.csv").open()))
    assert len(told) == sum(outcome.disagreed for outcome in end.outcomes)
    assert all("carla: " in row["votes"] for row in told)
    # Two reviewers of three: nothing is settled yet.
    end = by_models(source).execute(out, open_chat=chats, decisions=files[:2])
    assert Counter(outcome.status for outcome in end.outcomes) == {"waiting": 29}
    assert len(open_concepts(out)) == 0
    two = ReviewSettings(reviewers=2)
    by_models(source).execute(out, open_chat=chats, decisions=files[:2], review=two)
    assert len(open_concepts(out)) == len(data)


def test_m9_copies_of_a_reference_are_not_asked_about(source: Path, tmp_path: Path):
    picture = made_picture(500, 200, 240)
    write_picture(source / "object/red mug/0.png", picture)
    brighter = picture.pixels.astype(int) + 6
    from eyeprint.records.pictures import Picture

    copy = Picture.of(brighter.clip(0, 255).astype("uint8"))
    write_picture(source / "object/red mug/queries/2.png", copy)
    end = planned(source).execute(tmp_path / "out")
    assert any("2.png is a copy of the reference" in note for note in end.notes)
    mug = [q for q in open_concepts(tmp_path / "out") if q.concept == "red mug"]
    assert len(mug) == 2
    keep = settings().model_copy(update={"leave_out_copies": False})
    planned(source, settings=keep).execute(tmp_path / "all")
    assert sum(q.concept == "red mug" for q in open_concepts(tmp_path / "all")) == 3


def test_pictures_that_cannot_be_read_are_told_and_the_rest_goes_on(source: Path, tmp_path: Path):
    (source / "human/Bo/queries/0.png").write_bytes(b"no picture")
    (source / "human/Bo/3.png").write_bytes(b"")
    for n in range(5):
        (source / f"animal/Tom/{n}.png").write_bytes(bytes([n]))
    end = planned(source).execute(tmp_path / "out")
    assert (end.exit_code, end.concepts) == (1, 4)
    assert end.failures == {"data": 7}
    assert any("no reference picture can be read" in told for told in end.missing)
    data = open_concepts(tmp_path / "out")
    assert len(data.concepts["Bo"].images) == 4
    assert "Tom" not in data.concepts


def test_m10_given_preferences_are_kept_and_their_contradictions_told(source: Path, tmp_path: Path):
    (source / "human/Bo/preferences.json").write_text(
        '{"shopping": {"likes": ["gaming keyboards"], "dislikes": ["technical gadgets"]}}'
    )
    end = planned(source).execute(tmp_path / "out")
    assert end.contradictions == (
        "Bo: 'technical gadgets' takes in 'gaming keyboards' (electronic devices)",
    )
    assert "Bo" not in {name for name, rows in end.resolved.items() if rows}
    bo = open_concepts(tmp_path / "out").concepts["Bo"]
    assert bo.preference == "<sks> likes gaming keyboards but dislikes technical gadgets."


def test_another_run_or_strange_concepts_are_not_written_over(source: Path, tmp_path: Path):
    planned(source).execute(tmp_path / "out")
    with pytest.raises(FolderMismatch, match="seed was 7 and is now 8"):
        planned(source, seed=8).execute(tmp_path / "out")
    (tmp_path / "strange").mkdir()
    (tmp_path / "strange/concepts.jsonl").write_text("{}\n")
    with pytest.raises(UsageError, match="were not built here"):
        planned(source).execute(tmp_path / "strange")
    with pytest.raises(DataError, match="give execute"):
        by_models(source).execute(tmp_path / "none")
    with pytest.raises(UsageError, match="--checker"):
        planned(source, checkers=("one",))


def test_x6_seed_decides_tastes_forms_and_shuffles(source: Path, tmp_path: Path):
    roots = []
    for seed in (7, 7, 8):
        roots.append(tmp_path / str(len(roots)))
        planned(source, seed=seed).execute(roots[-1])
    one, same, other = (open_concepts(root) for root in roots)
    assert one.questions == same.questions
    assert one.concepts["Bo"].tastes != other.concepts["Bo"].tastes
    assert one.questions != other.questions
