"""MMPB data from all layouts: equal records, faults by row and field, notes (M5, M6, M8, M12)."""

import json
import shutil
from pathlib import Path

import polars
import pytest

from eyeprint.errors import BadRecord, DataError, UnknownName
from eyeprint.records.concept_data import ConceptData
from eyeprint.records.concept_files import open_concepts, unpack_place, write_concepts
from tests.records.made_concepts import (
    PEOPLE,
    ROWS,
    listing,
    row,
    write_folders,
    write_parquet,
)


def without_places(data: ConceptData) -> tuple[list, list]:
    """Return all records, with the bytes of pictures in place of where they lie."""

    def content(key: str) -> bytes:
        return data.picture_path(key).read_bytes()

    concepts = [
        (one.model_copy(update={"images": ()}), [content(key) for key in one.images])
        for one in data.concepts.values()
    ]
    questions = [(one.model_copy(update={"image": "x"}), content(one.image)) for one in data]
    return concepts, questions


@pytest.mark.parametrize("shards", [1, 3])
def test_m5_both_layouts_give_equal_questions_and_concepts(tmp_path: Path, shards: int):
    folders = open_concepts(write_folders(tmp_path / "csv"))
    for shard in range(shards):
        name = f"train-{shard:05}-of-{shards:05}.parquet"
        size = -(-len(ROWS) // shards)
        write_parquet(tmp_path / "hub" / "data" / name, ROWS[shard * size : (shard + 1) * size])
    inside = open_concepts(tmp_path / "hub")
    assert folders.faults == inside.faults == ()
    assert len(folders) == len(ROWS)
    assert without_places(folders) == without_places(inside)
    assert folders.fingerprint() == inside.fingerprint()
    assert inside.root == tmp_path / "hub" / "unpacked"
    assert inside["3"].image.startswith("pictures/")
    assert folders["3"].image == "human/test/Angelina/preference/3.png"
    # Rows 0 to 9 have a picture of their own each, and 5 concepts have 5 references.
    assert len(list((inside.root / "pictures").iterdir())) == 10 + 25


def test_m5_the_native_layout_gives_back_what_was_written(tmp_path: Path):
    data = open_concepts(write_folders(tmp_path / "csv"))
    root = write_concepts(tmp_path / "own", data.concepts.values(), data, data.root)
    again = open_concepts(root)
    assert again.questions == data.questions
    assert dict(again.concepts) == dict(data.concepts)
    assert without_places(again) == without_places(data)
    assert (again.fingerprint(), again.faults) == (data.fingerprint(), ())
    # And once more: masking changes nothing that was masked.
    third = write_concepts(tmp_path / "third", again.concepts.values(), again, again.root)
    for name in ("concepts.jsonl", "questions.jsonl"):
        assert (third / name).read_bytes() == (root / name).read_bytes()


def test_m6_words_of_released_rows_become_ours(tmp_path: Path):
    data = open_concepts(write_folders(tmp_path))
    assert data["4"].task == "appropriateness · preference · human"
    assert data["8"].task == "coherency · recognition · character"
    assert [data[one].target for one in "34560"] == [
        "like",
        "dislike",
        "same_species",
        "different_species",
        None,
    ]
    assert data["8"].options == {"A": "A sofa", "B": "A car", "C": "A bull", "D": "A dog, asleep"}
    assert (data["8"].answer, data["7"].answer, data["2"].topic) == ("D", "A", "entertainment")
    assert [data[one].entities for one in "09"] == [None, "multi"]
    assert list(data.concepts) == list(PEOPLE)
    boo = data.concepts["Boo"]
    assert boo.description("extended") == "<sks>: Shape: round. Colour: grey."
    assert boo.images == tuple(f"animal/train/Boo/{place}.png" for place in range(5))
    assert data.concepts["Choi"].preference == "<sks> likes jazz but dislikes malls."


def test_m16_negation_is_read_from_the_question_and_its_answer_kept(tmp_path: Path):
    data = open_concepts(write_folders(tmp_path))
    assert [data[one].negated for one in "0156"] == [False, True, False, True]
    assert data["2"].negated is None
    assert (data["1"].type, data["1"].answer) == ("awareness", "No")
    assert not any("another answer" in note for note in data.notes)
    # The yes of a contraction is used in two ways: its answer tells.
    asked = {"question": "Isn't Boo here?", "answer": "Yes"}
    both = [row(0, "Boo", "awareness", **asked), row(1, "Boo", "overconcept", **asked)]
    used = open_concepts(write_folders(tmp_path / "both", both))
    assert [question.negated for question in used] == [False, True]
    odd = [row(0, "Boo", "awareness", answer="No"), row(1, "Boo", "overconcept")]
    told = open_concepts(write_folders(tmp_path / "odd", odd)).notes
    assert [note for note in told if "1 recognition questions have another answer" in note]


def test_m8_no_name_reaches_a_model(tmp_path: Path):
    data = open_concepts(write_folders(tmp_path))
    assert data["1"].question == "Is <sks> not in this photo?"
    assert data["6"].question == "Isn't <sks>'s face here?"
    assert data["7"].question == "What stands beside <sks>?"
    # The dog's name is a word: among options it means any bull.
    assert data["7"].options["C"] == "A bull"
    assert (
        data.concepts["asian_doll"].description("moderate") == "<sks> is a small round grey figure."
    )
    for question in data:
        shown = [question.question, *question.options.values()]
        concept = data.concept_of(question)
        shown += [*concept.descriptions.values(), concept.preference]
        assert concept.name == "bull" or not any(concept.name in text for text in shown)
    masked = next(note for note in data.notes if "were replaced" in note)
    assert "The names of 5 concepts" in masked
    # Five moderate descriptions and the questions 1, 6 and 7.
    assert "in 8 texts" in masked
    assert any("ordinary words too (bull) stand in 1 text where" in note for note in data.notes)


def test_m7_descriptions_without_the_mark_are_noted(tmp_path: Path):
    rows = [row(0, "Boo", "awareness", description_simple="A grey cat.")]
    data = open_concepts(write_folders(tmp_path, rows))
    assert "A description or preference of 'Boo' holds no <sks>" in " ".join(data.notes)


def test_m12_preferences_of_listing_1_are_read_and_become_the_text(tmp_path: Path):
    rows = [row(0, "Angelina", "awareness", preference=""), row(1, "Choi", "awareness")]
    write_folders(tmp_path, rows)
    listing(
        tmp_path, "Angelina", travel=(["safaris"], ["tours"]), entertainment=(["films"], ["jazz"])
    )
    listing(tmp_path, "Choi", travel=(["trains"], []))
    angelina, choi = open_concepts(tmp_path).concepts.values()
    assert angelina.tastes["travel"].likes == ("safaris",)
    # Entertainment comes first in the paper's order of domains.
    assert angelina.preference == (
        "<sks> likes films but dislikes jazz. <sks> likes safaris but dislikes tours."
    )
    assert choi.preference == "<sks> likes jazz but dislikes malls."
    assert choi.tastes["travel"].likes == ("trains",)


def test_m12_pictures_of_a_record_stand_in_where_the_folder_has_none(tmp_path: Path):
    write_folders(tmp_path, [row(0, "Choi", "awareness")])
    shutil.move(tmp_path / "human" / "train" / "Choi", tmp_path / "portraits")
    record = {"concept": "Choi", "preferences": {}, "images": ["./portraits/0.png", "./no.png"]}
    (tmp_path / "human.json").write_text(json.dumps([record, {"concept": "x"}]))
    data = open_concepts(tmp_path)
    assert data.concepts["Choi"].images == ("portraits/0.png",)
    assert any("Choi (1)" in note for note in data.notes)


def test_m12_faulty_preferences_are_told(tmp_path: Path):
    write_folders(tmp_path, [row(0, "Choi", "awareness")])
    (tmp_path / "a.json").write_text('{"Choi": {"preferences": {"travel": {"likes": 3}}}}')
    (tmp_path / "b.json").write_text("{")
    told = [str(fault) for fault in open_concepts(tmp_path).faults]
    assert "of 'Choi', domain 'travel', likes, must be a list of texts" in told[0]
    assert "not JSON" in told[1]


def test_m5_faulty_rows_are_told_and_the_others_load(tmp_path: Path):
    rows = [
        row(0, "Boo", "awareness"),
        row(0, "Boo", "awareness", image_path="animal/test/again.png"),
        row(1, "Boo", "awareness", attribute="plant"),
        row(2, "Boo", "awareness", answer="perhaps"),
        row(3, "Boo", "overconcept", target="hamster"),
        row(4, "Boo", "inconsistency", A="", B="", C="", D="one"),
        row(5, "Boo", "awareness", name=""),
        row(6, "Boo", "awareness", "preference"),
        row(7, "Boo", "inconsistency", answer="D", D=""),
        row(8, "Boo", "awareness"),
    ]
    write_folders(tmp_path, rows)
    (tmp_path / rows[9]["image_path"]).unlink()
    data = open_concepts(tmp_path)
    assert data.ids == ("0",)
    told = {(fault.line, fault.field): fault.reason for fault in data.faults}
    assert list(told) == [
        (3, "index"),
        (4, "attribute"),
        (5, "answer"),
        (6, "target"),
        (7, "A"),
        (8, "name"),
        (9, "category"),
        (10, "answer"),
        (11, "image_path"),
    ]
    assert told[3, "index"] == f"'0' was already used at {tmp_path / 'dataset.csv'}:2"
    assert told[4, "attribute"] == "'plant' is none of human, animal, object, character"
    assert told[10, "answer"] == "'D' is no answer to this question (A, B, C)"
    assert "there is no picture animal/test/Boo/recognition/8.png" in told[11, "image_path"]


def test_m5_missing_and_renamed_columns_are_named(tmp_path: Path):
    rows = [{("answers" if name == "answer" else name): cell for name, cell in ROWS[0].items()}]
    with pytest.raises(DataError, match="has no column 'answer'; did you mean 'answers'"):
        open_concepts(write_folders(tmp_path / "csv", rows))
    file = write_parquet(tmp_path / "a.parquet")
    polars.read_parquet(file).rename({"l2-category": "l2_category"}).write_parquet(file)
    with pytest.raises(DataError, match="no column 'l2-category'; did you mean 'l2_category'"):
        open_concepts(file)
    fewer = [{n: c for n, c in ROWS[0].items() if n not in ("target", "description_simple")}]
    data = open_concepts(write_folders(tmp_path / "fewer", [fewer[0] | {"descript_simple": "x"}]))
    note = next(note for note in data.notes if "has no column" in note)
    assert "target, description_simple" in note
    assert "did you mean 'descript_simple'" in note


def test_x1_numbers_in_a_csv_file_are_read_as_in_parquet(tmp_path: Path):
    numbers = {"A": "0", "B": "1", "C": "2", "D": "3", "Yes": "4", "No": "5.0"}
    letters = open_concepts(write_folders(tmp_path / "letters"))
    rows = [cells | {"answer": numbers[cells["answer"]]} for cells in ROWS]
    counted = open_concepts(write_folders(tmp_path / "numbers", rows))
    assert counted.questions == letters.questions


def test_x1_an_ambiguous_file_stops_until_it_is_told(tmp_path: Path):
    rows = [row(0, "Boo", "inconsistency", answer="1"), row(1, "Boo", "inconsistency", answer="3")]
    write_folders(tmp_path, rows)
    with pytest.raises(BadRecord, match=r"dataset.csv:2, field 'answer': '1' may mean") as caught:
        open_concepts(tmp_path)
    assert "labels='from_zero' or labels='from_one'" in str(caught.value)
    assert [one.answer for one in open_concepts(tmp_path, labels="from_zero")] == ["B", "D"]
    assert [one.answer for one in open_concepts(tmp_path, labels="from_one")] == ["A", "C"]
    with pytest.raises(UnknownName, match="from_two"):
        open_concepts(tmp_path, labels="from_two")  # type: ignore[arg-type]


def test_m5_one_name_in_two_categories_is_two_concepts(tmp_path: Path):
    rows = [row(0, "Boo", "awareness"), row(1, "Boo", "awareness", attribute="human")]
    rows[1] |= {"question": "Is Boo in the image?", "image_path": "human/test/1.png"}
    data = open_concepts(write_folders(tmp_path, rows))
    assert list(data.concepts) == ["Boo", "Boo (human)"]
    assert data["1"].concept == "Boo (human)"
    assert data["1"].question == "Is <sks> in the image?"
    assert any("'Boo (human)'" in note for note in data.notes)


def test_m5_texts_that_differ_between_rows_are_noted(tmp_path: Path):
    rows = [row(0, "Choi", "awareness"), row(1, "Choi", "awareness")]
    rows[1] |= {"description_simple": "<sks> is tall.", "preference": "<sks> likes tea."}
    data = open_concepts(write_folders(tmp_path, rows))
    choi = data.concepts["Choi"]
    assert choi.description("simple") == "<sks> is small, round and grey."
    assert choi.preference == "<sks> likes jazz but dislikes malls. <sks> likes tea."
    assert sum(note.startswith("Rows of ") for note in data.notes) == 2


def test_m7_line_ends_within_a_cell_are_kept(tmp_path: Path):
    text = "<sks>\n\nShape: round\nColour: grey"
    rows = [row(0, "Boo", "awareness", description_super_detailed=text)]
    data = open_concepts(write_folders(tmp_path, rows))
    inside = open_concepts(write_parquet(tmp_path / "a.parquet", rows))
    assert data.concepts["Boo"].description("extended") == text
    assert inside.fingerprint() == data.fingerprint()


def test_m5_what_is_no_layout_is_told(tmp_path: Path):
    with pytest.raises(DataError, match="no such file or folder"):
        open_concepts(tmp_path / "none")
    with pytest.raises(DataError, match="holds none of the layouts"):
        open_concepts(tmp_path)
    (tmp_path / "concepts.jsonl").write_text("")
    with pytest.raises(DataError, match=r"but no questions\.jsonl"):
        open_concepts(tmp_path)
    (tmp_path / "a.txt").write_text("")
    with pytest.raises(DataError, match=r"a\.txt: concepts come as"):
        open_concepts(tmp_path / "a.txt")
    two = write_folders(tmp_path / "two", name="a.csv")
    assert len(open_concepts(two)) == len(ROWS)
    (two / "notes.csv").write_text("a,b\n1,2\n")
    assert len(open_concepts(two)) == len(ROWS)
    shutil.copy(two / "a.csv", two / "b.csv")
    with pytest.raises(DataError, match=r"several files hold rows \(a\.csv, b\.csv\)"):
        open_concepts(two)
    assert len(open_concepts(two / "b.csv")) == len(ROWS)


def test_m5_not_one_good_row_is_an_error_with_the_first_faults(tmp_path: Path):
    write_folders(tmp_path)
    shutil.rmtree(tmp_path / "human")
    shutil.rmtree(tmp_path / "animal")
    shutil.rmtree(tmp_path / "object")
    shutil.rmtree(tmp_path / "character")
    with pytest.raises(DataError, match=r"not one question could be read\.\n .*image_path"):
        open_concepts(tmp_path)


def test_native_rows_that_do_not_fit_are_faults(tmp_path: Path):
    data = open_concepts(write_folders(tmp_path / "csv"))
    root = write_concepts(tmp_path / "own", data.concepts.values(), data, data.root)
    good = json.loads((root / "questions.jsonl").read_text().splitlines()[5])
    lines = [
        good,
        good,
        good | {"id": "x", "concept": "Bo"},
        good | {"id": "y", "category": "object"},
        good | {"id": "z", "image": "../a.png"},
        good | {"id": "v", "answer": "C"},
        good | {"id": "w", "colour": "red"},
    ]
    text = "\n".join(json.dumps(line) for line in lines) + "\n{\n"
    (root / "questions.jsonl").write_text(text)
    (root / "animal/train/Boo/1.png").unlink()
    again = open_concepts(root)
    assert again.ids == ("5",)
    assert len(again.concepts["Boo"].images) == 4
    told = [(Path(fault.file).name, fault.line, fault.field) for fault in again.faults]
    assert told == [
        ("concepts.jsonl", 3, "images.1"),
        ("questions.jsonl", 2, "id"),
        ("questions.jsonl", 3, "concept"),
        ("questions.jsonl", 4, "category"),
        ("questions.jsonl", 5, "image"),
        ("questions.jsonl", 6, ""),
        ("questions.jsonl", 7, "colour"),
        ("questions.jsonl", 8, ""),
    ]


def test_write_concepts_refuses_what_cannot_be_read_back(tmp_path: Path):
    data = open_concepts(write_folders(tmp_path / "csv"))
    boo = data.concepts["Boo"]
    with pytest.raises(DataError, match="two concepts are called 'Boo'"):
        write_concepts(tmp_path / "own", [boo, boo], [])
    with pytest.raises(DataError, match="no such concept"):
        write_concepts(tmp_path / "own", [boo], data)
    outside = boo.model_copy(update={"images": ("../a.png",)})
    with pytest.raises(DataError, match="leads out of the data root"):
        write_concepts(tmp_path / "own", [outside], [])
    away = boo.model_copy(update={"images": ("a.png",)})
    with pytest.raises(DataError, match=r"cannot be copied: there is no picture a\.png"):
        write_concepts(tmp_path / "own", [away], [], data.root)
    assert not (tmp_path / "own").exists()


def test_unpack_place_is_beside_the_file(tmp_path: Path):
    (tmp_path / "x.parquet").mkdir()
    assert unpack_place(tmp_path / "x.parquet") == tmp_path / "x.parquet" / "unpacked"
    assert unpack_place("a.parquet", "b") == Path("b")
