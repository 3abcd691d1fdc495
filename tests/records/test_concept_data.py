"""The container: parts of it, counts, fingerprints of contents (M5, M26)."""

import os
from pathlib import Path

import pytest

from eyeprint.errors import DataError, UnknownName
from eyeprint.records.concept_data import ConceptData
from eyeprint.records.concept_files import open_concepts
from eyeprint.records.concept_questions import TASKS, ConceptQuestion
from eyeprint.records.concepts import CATEGORIES, Concept
from tests.records.made_concepts import ROWS, write_folders


def many(people: int = 4, others: int = 3, each: int = 3) -> ConceptData:
    concepts, questions = [], []
    for category in CATEGORIES:
        for number in range(people if category == "human" else others):
            name = f"{category} {number}"
            concepts.append(Concept(name=name, category=category, images=("r.png",)))
            for place in range(each):
                question = ConceptQuestion(
                    id=f"{name} {place}",
                    concept=name,
                    category=category,
                    type="awareness",
                    group="recognition",
                    question="Is <sks> here?",
                    answer="Yes",
                    image=f"{place}.png",
                )
                questions.append(question)
    return ConceptData(concepts, questions, "root")


def test_m26_the_small_set_has_two_people_and_one_of_each_other_kind():
    data = many()
    small = data.mini(7)
    kinds = [small.concepts[name].category for name in small.asked]
    assert sorted(kinds) == ["animal", "character", "human", "human", "object"]
    assert len(small) == 5 * 3
    assert small.questions == data.mini(7).questions
    drawn = {tuple(sorted(data.mini(seed).asked)) for seed in range(40)}
    assert len(drawn) > 20  # of 6 · 3 · 3 · 3 sets
    # The order of the concepts in the file does not matter to the draw.
    back = ConceptData(data.concepts.values(), data.questions[::-1], "root")
    assert sorted(back.mini(7).asked) == sorted(small.asked)
    with pytest.raises(DataError, match="needs 2 concepts of category 'human', and 1 are"):
        many(people=1).mini(7)


def test_m5_parts_keep_file_order_and_every_concept():
    data = many()
    assert data.first(5).ids == data.ids[:5]
    assert (len(data.first(0)), len(data.first(-3)), len(data.first(999))) == (0, 0, len(data))
    animals = data.of_categories(["animal", "object"])
    assert {one.category for one in animals} == {"animal", "object"}
    assert animals.concepts == data.concepts
    one = data.of_concepts(["object 2", "human 0"])
    assert one.asked == ("human 0", "object 2")
    assert data.subset(["object 1 0", "human 0 1"]).ids == ("object 1 0", "human 0 1")
    assert data[2:4].ids == data.ids[2:4]
    assert data[-1].id == data.ids[-1]
    with pytest.raises(UnknownName, match=r"'animals'\. Did you mean 'animal'"):
        data.of_categories(["animals"])
    with pytest.raises(UnknownName, match="Did you mean 'object 2'"):
        data.of_concepts(["objct 2"])
    with pytest.raises(UnknownName, match="There is no question 'x'"):
        data["x"]


def test_m5_counts_are_those_of_table_6(tmp_path: Path):
    data = open_concepts(write_folders(tmp_path))
    rows = {(row.by, row.name): row for row in data.counts()}
    assert len(rows) == 1 + 4 + 3 + 2 + 15
    assert rows["all", "all"][2:] == (5, len(ROWS), len(ROWS), 25)
    assert rows["category", "human"][2:] == (2, 6, 6, 10)
    assert rows["type", "coherency"].questions == 3
    assert rows["group", "preference"].questions == 3
    assert [rows["task", task].questions for task in TASKS] == [
        *(2, 0, 0, 0),  # awareness: human, animal, object, character
        *(1, 2, 0, 0),  # appropriateness
        *(0, 0, 1, 1),  # coherency
        *(1, 1, 1),  # preference
    ]
    for by in ("category", "type", "group", "task"):
        assert sum(row.questions for row in data.counts() if row.by == by) == len(ROWS)


def test_fingerprints_follow_contents_and_not_places(tmp_path: Path):
    data = open_concepts(write_folders(tmp_path / "a"))
    first = data.fingerprint()
    moved = open_concepts(write_folders(tmp_path / "b"))
    for path in (tmp_path / "b").rglob("*.png"):
        os.utime(path, (1, 1))
    assert moved.fingerprint() == first
    assert data.first(3).fingerprint() != first
    picture = moved.picture_path(moved["4"].image)
    picture.write_bytes(picture.read_bytes() + b"\0")
    changed = moved.fingerprint()
    assert changed != first
    picture.unlink()
    assert moved.fingerprint() not in (first, changed)


def test_picture_paths_stay_inside_the_root(tmp_path: Path):
    data = open_concepts(write_folders(tmp_path))
    assert data.picture_path(data[0].image).is_file()
    with pytest.raises(DataError, match="leads out of the data root"):
        data.picture_path("../secret.png")
    with pytest.raises(DataError, match="is not there"):
        data.picture_path("human/none.png")


def test_records_that_do_not_go_together_are_refused():
    data = many()
    boo = Concept(name="Boo", category="animal")
    with pytest.raises(DataError, match="used twice"):
        ConceptData(data.concepts.values(), [data[0], data[0]], ".")
    with pytest.raises(DataError, match="'human 0', and there is no such concept"):
        ConceptData([boo], [data[0]], ".")
    with pytest.raises(DataError, match="its category is 'human', and"):
        other = data.concepts["human 0"].model_copy(update={"category": "object"})
        ConceptData([other], [data[0]], ".")
    with pytest.raises(UnknownName, match="There is no concept 'human 0'"):
        ConceptData([boo], [], ".").concept_of(data[0])
