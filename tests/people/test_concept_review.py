"""Flags of three models, and decisions of several people (M19)."""

import asyncio
import csv
import io
import json
from pathlib import Path

import pytest

from eyeprint.errors import CallFailed, DataError, UsageError
from eyeprint.models.fakes import ScriptedChat
from eyeprint.people.concept_checks import (
    CheckRow,
    CheckSettings,
    Flags,
    check_by_chat,
    check_checkers,
    check_request,
    flags_of,
)
from eyeprint.people.concept_decisions import Decision, UnderReview, read_decisions
from eyeprint.people.concept_descriptions import DraftedDescriptions
from eyeprint.people.concept_drafts import QuestionDraft, question_of
from eyeprint.people.concept_issues import ISSUES, QuestionIssue
from eyeprint.people.concept_review import (
    DESCRIPTION_COLUMNS,
    QUESTION_COLUMNS,
    ReviewedQuestion,
    description_rows,
    edited_question,
    levels_of,
    question_rows,
)
from eyeprint.people.concept_votes import ReviewSettings, settle
from eyeprint.records.concepts import Concept
from tests.people.made_pictures import made_picture

ANA = Concept(
    name="Ana Lima", category="human", descriptions={"moderate": "<sks> has red hair."},
    preference="<sks> likes rock concerts.", images=("pictures/r.png",),
)  # fmt: skip
DRAFT = QuestionDraft(
    id="q-1", concept="Ana Lima", category="human", type="coherency", group="recognition",
    question="What is <sks> holding?", right="a cup", concept_only="a camera",
    image_only=("a bag", "a map"), drafter="m",
)  # fmt: skip
YES_NO = QuestionDraft(
    id="q-2", concept="Ana Lima", category="human", type="awareness", group="recognition",
    question="Is <sks> here?", answer="Yes", negated=False, drafter="offline",
)  # fmt: skip
TEXTS = DraftedDescriptions(
    concept="Ana Lima", descriptions={"moderate": "<sks> has red hair."}, drafter="m"
)
ONE, TWO = ReviewedQuestion(DRAFT, "pictures/a.png"), ReviewedQuestion(YES_NO, "pictures/b.png")
NOW = UnderReview({"q-1": ONE, "q-2": TWO}, levels_of([TEXTS]), {"Ana Lima": "human"})
PICTURE = made_picture(0, 24, 32)


def checked(*replies: str) -> tuple[ScriptedChat, CheckRow]:
    chat, question = ScriptedChat(replies), question_of(DRAFT, "pictures/a.png")
    assert question is not None
    return chat, asyncio.run(check_by_chat(chat, question, ANA, PICTURE))


def test_m19_a_checker_sees_description_preferences_picture_question_and_answer():
    chat, row = checked('{"issues": ["Answer wrong", "grammar"], "note": "It is a mug."}')
    sent = chat.requests[0].messages[-1]
    question = question_of(DRAFT, "pictures/a.png")
    assert question is not None
    for part in (ANA.description("moderate"), ANA.preference, question.question,
                 *(f"{letter}. {text}" for letter, text in question.options.items()),
                 f"counts as right: {question.answer}"):  # fmt: skip
        assert part in sent.text
    assert all(f'"{name}"' in sent.text for name in ISSUES)
    assert "Ana" not in sent.text
    assert len(sent.images) == 1
    assert row == CheckRow(
        question="q-1", checker="scripted", issues=("answer_wrong", "grammar"), note="It is a mug."
    )
    assert check_request(question, ANA, PICTURE) == chat.requests[0]


def test_m19_only_faults_of_the_list_count():
    chat, row = checked('{"issues": ["ugly"]}', '{"issues": ["none"]}')
    assert "'ugly' is no id of the list" in chat.requests[1].messages[-1].text
    assert row.issues == ()
    with pytest.raises(CallFailed, match="did not check the question"):
        checked('{"issues": ["ugly"]}', '{"issues": ["ugly"]}')


def rows(*found: tuple[str, ...]) -> list[CheckRow]:
    return [CheckRow(question="q", checker=str(n), issues=one, note=f"note {n}")
            for n, one in enumerate(found)]  # fmt: skip


def test_m19_a_flag_is_forwarded_when_two_models_raise_the_same_issue():
    flags = flags_of(rows(("grammar", "ambiguous"), ("grammar",), ("none_right",)))["q"]
    assert flags == Flags(
        question="q", checkers=3, forwarded=("grammar",), single=("none_right", "ambiguous"),
        notes=("0: note 0", "1: note 1"),
    )  # fmt: skip
    # Two faults, but not the same one: nothing is forwarded.
    assert flags_of(rows(("grammar",), ("ambiguous",)))["q"].forwarded == ()
    assert flags_of(rows(("grammar",), (), ()), threshold=1)["q"].forwarded == ("grammar",)
    assert flags_of(rows(("grammar", "grammar"), ()))["q"].forwarded == ()


def test_m19_one_model_or_the_same_twice_cannot_agree():
    check_checkers(())
    check_checkers(("a", "b"))
    with pytest.raises(UsageError, match="one opinion"):
        check_checkers(("a", "b", "a"))
    with pytest.raises(UsageError, match="give 2 or more"):
        check_checkers(("a",))
    with pytest.raises(UsageError, match="give 3 or more"):
        check_checkers(("a", "b"), CheckSettings(threshold=3))


def test_m19_flagged_and_faulty_questions_stand_first_and_are_held():
    flagged = TWO._replace(flags=Flags(question="q-2", checkers=3, forwarded=("grammar",)))
    faulty = ONE._replace(
        draft=DRAFT.model_copy(
            update={"issues": (QuestionIssue(issue="form", detail="why"),), "right": ""}
        )
    )
    found = question_rows([ONE, flagged], {"Ana Lima": ANA})
    assert [row["id"] for row in found] == ["q-2", "q-1"]
    assert (flagged.held, faulty.held, ONE.held) == (True, True, False)
    assert found[0]["flags"] == "grammar"
    assert question_rows([faulty], {"Ana Lima": ANA})[0]["issues"] == "form: why"
    assert set(found[0]) == set(QUESTION_COLUMNS)
    assert [row["level"] for row in description_rows([TEXTS], {"Ana Lima": ANA})] == [
        "simple", "moderate", "detailed", "extended"
    ]  # fmt: skip


def filled(path: Path, kind: str = "questions", **cells: dict[str, str]) -> Path:
    """A reviewer's copy: cells by id or level."""
    if kind == "questions":
        found = question_rows([ONE, TWO], {"Ana Lima": ANA})
        key, columns = "id", QUESTION_COLUMNS
    else:
        found = description_rows([TEXTS], {"Ana Lima": ANA})
        key, columns = "level", DESCRIPTION_COLUMNS
    out = io.StringIO()
    writer = csv.DictWriter(out, columns)
    writer.writeheader()
    for row in found:
        writer.writerow(row | cells.get(row[key].replace("-", "_"), {}))
    path.write_text(out.getvalue(), encoding="utf-8-sig")
    return path


ACCEPT, REJECT = {"decision": "accept"}, {"decision": "Reject", "comment": "blurred"}


def decided(tmp_path: Path, *votes: dict[str, str], settings: ReviewSettings | None = None):
    files = [filled(tmp_path / f"r{n}.csv", q_1=vote) for n, vote in enumerate(votes)]
    read = read_decisions(files, NOW)
    assert read.faults == ()
    return settle(read.decisions, settings)[("question", "q-1")]


@pytest.mark.parametrize(
    ("votes", "status"),
    [
        ([ACCEPT, ACCEPT, ACCEPT], "accepted"),
        ([ACCEPT, REJECT, ACCEPT], "accepted"),
        ([REJECT, REJECT, ACCEPT], "rejected"),
        ([ACCEPT, ACCEPT], "waiting"),
        ([ACCEPT, ACCEPT, REJECT, REJECT], "rejected"),
        ([ACCEPT, ACCEPT, ACCEPT, REJECT], "accepted"),
    ],
)
def test_m19_three_look_and_two_must_accept(tmp_path: Path, votes: list, status: str):
    outcome = decided(tmp_path, *votes)
    assert outcome.status == status
    assert outcome.disagreed == (len({vote["decision"] for vote in votes}) > 1)


def test_m19_how_many_look_and_accept_are_settings(tmp_path: Path):
    two = ReviewSettings(reviewers=2, majority=1)
    assert decided(tmp_path, ACCEPT, ACCEPT, settings=two).status == "accepted"
    assert decided(tmp_path, ACCEPT, REJECT, settings=two).status == "rejected"
    half = ReviewSettings(reviewers=2, majority=0.5)
    assert decided(tmp_path, ACCEPT, REJECT, settings=half).status == "accepted"


def edit(**cells: str) -> dict[str, str]:
    return {"decision": "edit", **cells}


def test_m19_edits_are_applied_and_the_text_most_want_is_taken(tmp_path: Path):
    new = edit(new_question="What does <sks> hold?")
    outcome = decided(tmp_path, new, new, ACCEPT)
    assert outcome.edit == (("question", "What does <sks> hold?"),)
    made = edited_question(ONE, dict(outcome.edit), "Ana Lima")
    before = question_of(DRAFT, "pictures/a.png")
    assert before is not None
    assert made == before.model_copy(update={"question": "What does <sks> hold?"})
    # As it stands is wanted twice, the edit once.
    assert decided(tmp_path, new, ACCEPT, ACCEPT).edit == ()
    # Once each: somebody saw a fault.
    assert decided(tmp_path, new, ACCEPT, REJECT).edit == outcome.edit
    other = edit(new_question="What has <sks> got?")
    assert decided(tmp_path, new, other, REJECT).status == "undecided"
    assert decided(tmp_path, new, other, new).edit == outcome.edit


def test_m19_answers_and_options_can_be_edited(tmp_path: Path):
    before = question_of(DRAFT, "pictures/a.png")
    assert before is not None
    wrong = next(x for x in "ABCD" if x not in (before.answer, before.concept_only))
    change = {f"new_{wrong}": "'=a hat", "new_answer": wrong.lower(), "new_concept_only": ""}
    outcome = decided(tmp_path, *[edit(**change)] * 3)
    made = edited_question(ONE, dict(outcome.edit), "Ana Lima")
    assert not isinstance(made, str)
    assert (made.answer, made.options[wrong]) == (wrong, "=a hat")
    files = [filled(tmp_path / f"y{n}.csv", q_2=edit(new_answer="no")) for n in range(3)]
    outcome = settle(read_decisions(files, NOW).decisions)[("question", "q-2")]
    assert outcome.edit == (("answer", "No"),)


def test_m16_an_edit_that_turns_a_question_around_needs_its_answer(tmp_path: Path):
    turned = edit(new_question="Is <sks> not here?")
    read = read_decisions([filled(tmp_path / "a.csv", q_2=turned)], NOW)
    assert "say its answer in new_answer" in str(read.faults[0])
    made = edited_question(TWO, {"question": "Is <sks> not here?", "answer": "No"}, "Ana Lima")
    assert not isinstance(made, str)
    assert (made.negated, made.answer) == (True, "No")


@pytest.mark.parametrize(
    ("cells", "field", "reason"),
    [
        ({"decision": "perhaps"}, "decision", "none of accept, edit, reject"),
        ({"decision": "edit"}, "decision", "no new_... cell"),
        ({"decision": "accept", "new_A": "x"}, "decision", "write 'edit'"),
        ({"decision": "accept", "mark": "00000000"}, "mark", "has changed since"),
        ({"decision": "accept", "id": "q-9"}, "id", "no question 'q-9'"),
        (edit(new_question="What is Ana holding?"), "decision", "it calls the concept Ana"),
        (edit(new_question="What is held?"), "decision", "<sks> does not stand"),
        (edit(new_question="What is <sks> holding, or not"), "decision", "one question"),
        (edit(new_answer="E"), "decision", "answer 'E' is none of"),
        (edit(new_A="a hat", new_B="A hat"), "decision", "two options say the same"),
    ],
)
def test_m19_decisions_that_cannot_count_are_named(
    tmp_path: Path, cells: dict, field: str, reason: str
):
    read = read_decisions([filled(tmp_path / "a.csv", q_1=cells)], NOW)
    assert read.decisions == ()
    assert [fault.field for fault in read.faults] == [field]
    assert reason in str(read.faults[0])


def test_m18_a_draft_without_the_mix_cannot_be_accepted_but_mended(tmp_path: Path):
    lame = DRAFT.model_copy(
        update={"image_only": ("a bag",), "issues": (QuestionIssue(issue="distractor_mix"),)}
    )
    one = ReviewedQuestion(lame, "pictures/a.png")
    assert edited_question(one, {}, "Ana Lima") == "option D has no text"
    made = edited_question(one, {"D": "a map"}, "Ana Lima")
    assert not isinstance(made, str)
    assert made.options["D"] == "a map"


def test_m19_one_reviewer_counts_once(tmp_path: Path):
    first = filled(tmp_path / "a.csv", q_1=ACCEPT | {"reviewer": "Kim"})
    second = filled(tmp_path / "b.csv", q_1=REJECT | {"reviewer": "Kim"})
    again = filled(tmp_path / "c.csv", q_1=ACCEPT | {"reviewer": "Kim"})
    read = read_decisions([first, second, again], NOW)
    assert read.decisions == (Decision(("question", "q-1"), "Kim", "accept"),)
    assert "decided otherwise before" in str(read.faults[0])
    assert len(read.faults) == 1


def test_m7_descriptions_are_reviewed_alike(tmp_path: Path):
    new = edit(new_text="<sks> has curly red hair.")
    files = [filled(tmp_path / f"d{n}.csv", "descriptions", moderate=new) for n in range(3)]
    outcome = settle(read_decisions(files, NOW).decisions)[("Ana Lima", "moderate")]
    assert (outcome.status, outcome.edit) == ("accepted", (("text", new["new_text"]),))
    for cells, reason in (
        (edit(new_text="Ana has hair, says <sks>."), "it calls the concept Ana"),
        (edit(new_text="Red hair."), "<sks> does not stand"),
        ({"decision": "accept", "mark": "x"}, "has changed since"),
        ({"decision": "accept", "level": "long"}, "'long' is none of simple"),
        ({"decision": "accept", "concept": "Bo"}, "no concept 'Bo'"),
    ):
        read = read_decisions([filled(tmp_path / "x.csv", "descriptions", moderate=cells)], NOW)
        assert reason in str(read.faults[0])


def test_a_file_of_other_columns_is_refused(tmp_path: Path):
    file = tmp_path / "a.csv"
    file.write_text("mark,decision\nx,accept\n")
    with pytest.raises(DataError, match="neither a column id"):
        read_decisions([file], NOW)
    file.write_text("id,decision\n")
    with pytest.raises(DataError, match="no column mark"):
        read_decisions([file], NOW)


def test_flags_survive_a_round_trip_as_json():
    flags = Flags(question="q", checkers=2, forwarded=("grammar",))
    assert Flags.model_validate(json.loads(flags.model_dump_json())) == flags
