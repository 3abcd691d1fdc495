"""Folders of concepts and CSV files of query pictures, and what is asked about them."""

from pathlib import Path

import pytest

from eyeprint.errors import DataError
from eyeprint.people.concept_items import ItemSettings, plan_items
from eyeprint.people.concept_query_files import read_query_file, with_query_file
from eyeprint.people.concept_sources import read_concept_sources
from eyeprint.records.concepts import Tastes
from tests.people.made_pictures import made_picture, write_picture

TASTES = {
    "Ana": {
        "entertainment": Tastes(likes=("rock concerts",), dislikes=("magic shows",)),
        "travel": Tastes(likes=("river cruises",)),
    }
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root, n = tmp_path / "in", 0
    for place in (
        *(f"human/Ana/{i}.png" for i in (0, 1, 2, 10, 3, 4)),
        "human/Ana/queries/multi/a.png",
        *(f"pets/rex/{i}.jpg" for i in range(5)),
        "pets/rex/queries/awareness/single/a.png",
        "pets/rex/queries/same_species/b.png",
        *(f"animal/tom/{i}.png" for i in range(5)),
        "animal/tom/queries/a.png",
    ):
        write_picture(root / place, made_picture(n := n + 1, 24, 32))
    (root / "pets/rex/notes.txt").write_text("Kind: dog\nSource: a friend\n\nLimps a little.\n")
    (root / "animal/tom/notes.txt").write_text("kind: cat")
    (root / "places").mkdir()
    return root


def test_m5_references_are_the_first_five_in_natural_order(root: Path):
    sources = read_concept_sources(root)
    by_name = {concept.name: concept for concept in sources.concepts}
    assert [concept.category for concept in sources.concepts] == ["animal", "human", "animal"]
    assert [Path(p).name for p in by_name["Ana"].references] == [f"{i}.png" for i in range(5)]
    assert by_name["rex"][3:6] == ("dog", "Limps a little.", ("a friend",) * 5)
    assert "Ana: 6 reference pictures, not 5; the first five are taken" in sources.notes
    assert any("is no category" in note for note in sources.notes)
    assert len(read_concept_sources(root, number=1).concepts) == 1


def test_m5_what_cannot_be_used_is_named(root: Path, tmp_path: Path):
    write_picture(root / "object/rex/0.png", made_picture(90, 24, 32))
    (root / "object/empty").mkdir()
    (root / "object/mug").mkdir()
    write_picture(root / "object/mug/0.png", made_picture(91, 24, 32))
    write_picture(root / "object/mug/queries/like/coherency/single/multi/0.png", made_picture(92))
    (root / "object/mug/preferences.json").write_text("{}")
    (root / "human/Ana/preferences.json").write_text('{"preferences": [1]}')
    told = [str(fault) for fault in read_concept_sources(root).faults]
    assert len(told) == 5
    for part in ("has no reference picture", "only people have preferences", "two tags of entities",
                 "tastes are drawn instead", "'rex' is also a concept of 'object'"):  # fmt: skip
        assert any(part in fault for fault in told), part
    with pytest.raises(DataError, match="there is no such folder"):
        read_concept_sources(tmp_path / "none")
    (tmp_path / "bare").mkdir()
    with pytest.raises(DataError, match="holds not one concept"):
        read_concept_sources(tmp_path / "bare")


def test_m9_sources_are_one_or_one_for_each_picture(root: Path):
    lines = [f"source: web/{n}\n" for n in range(5)]
    (root / "pets/rex/notes.txt").write_text("".join(lines))
    (root / "animal/tom/notes.txt").write_text("".join(lines[:2]))
    sources = read_concept_sources(root)
    origins = {concept.name: concept.origins for concept in sources.concepts}
    assert origins == {"rex": tuple(f"web/{n}" for n in range(5)), "tom": (), "Ana": ()}
    assert any("tom: 2 sources for 5 reference pictures" in note for note in sources.notes)


def test_m12_preferences_may_be_given_as_in_listing_1(root: Path):
    (root / "human/Ana/preferences.json").write_text(
        '{"concept": "Ana", "preferences": {"travel": {"likes": ["sea"], "dislikes": ["snow"]}}}'
    )
    ana = next(c for c in read_concept_sources(root).concepts if c.name == "Ana")
    assert ana.tastes == {"travel": Tastes(likes=("sea",), dislikes=("snow",))}


def test_m16_m17_types_follow_from_tags(root: Path):
    sources = read_concept_sources(root)
    plan = plan_items(sources, TASTES)
    asked = [(i.concept, i.type, i.entities, i.target) for i in plan.items]
    assert plan.faults == ()
    assert set(asked) == {
        ("tom", "awareness", None, None),
        ("tom", "coherency", None, None),
        ("Ana", "awareness", "multi", None),
        ("Ana", "coherency", "multi", None),
        ("rex", "awareness", "single", None),
        ("rex", "appropriateness", None, "same_species"),
    }
    assert all((item.negated is None) == (item.type == "coherency") for item in plan.items)


def test_x6_ids_stay_when_pictures_are_added_or_moved(root: Path, tmp_path: Path):
    before = {item.id for item in plan_items(read_concept_sources(root), TASTES).items}
    write_picture(root / "animal/tom/queries/0.png", made_picture(70, 24, 32))
    root = root.rename(tmp_path / "moved")
    after = plan_items(read_concept_sources(root), TASTES).items
    assert before < {item.id for item in after}
    assert len(after) == len(before) + 2


def test_m16_the_share_of_negated_forms_is_a_setting(root: Path):
    for n in range(40):
        write_picture(root / f"human/Ana/queries/awareness/{n}.png", made_picture(200 + n, 8, 12))
    sources = read_concept_sources(root)
    for share, low, high in ((0.0, 0, 0), (1.0, 44, 44), (0.5, 12, 32)):
        items = plan_items(sources, TASTES, settings=ItemSettings(negated_share=share)).items
        assert low <= sum(item.negated is True for item in items) <= high


def test_m17_lacking_negatives_are_drawn_from_others_of_the_category(root: Path):
    wanted = ItemSettings(negatives=2)
    items = plan_items(read_concept_sources(root), TASTES, settings=wanted).items
    negative = [i for i in items if i.type == "appropriateness"]
    # tom has one other animal's positive picture to draw; rex has one negative and draws one.
    drawn = {(i.concept, i.target, Path(i.file).parts[-4] in ("tom",)) for i in negative}
    assert [i.concept for i in negative].count("tom") == 1
    assert [i.concept for i in negative].count("rex") == 2
    assert not any(i.concept == "Ana" for i in negative), "no other person is there"
    assert {target for _, target, _ in drawn} == {"same_species", "different_species"}
    own = {(i.concept, i.file) for i in items if i.type == "awareness"}
    assert not any((i.concept, i.file) in own for i in negative)


def test_m9_a_reference_among_the_query_pictures_is_a_fault(root: Path):
    data = (root / "human/Ana/0.png").read_bytes()
    write_picture(root / "human/Ana/queries/again.png", data)
    plan = plan_items(read_concept_sources(root), TASTES)
    assert len(plan.faults) == 1
    assert "own reference pictures" in str(plan.faults[0])


@pytest.mark.parametrize(
    ("row", "types", "target"),
    [
        ("Ana,,preference,rock concerts,", {"awareness", "coherency"}, "like"),
        ("Ana,,preference,Magic Shows,", {"awareness", "coherency"}, "dislike"),
        ("Ana,inconsistency,preference,magic shows,dislike", {"coherency"}, "dislike"),
        ("Ana,,,rock concerts,like", {"awareness", "coherency"}, "like"),
        ("Ana,,preference,beach resorts,dislike", {"appropriateness"}, "dislike"),
        # What is liked is a clear "no" to whether it is disliked.
        ("Ana,overconcept,preference,rock concerts,", {"appropriateness"}, "dislike"),
        ("rex,,recognition,,Homo", {"appropriateness"}, "same_species"),
    ],
)
def test_m17_rows_of_a_csv_file(root: Path, row: str, types: set[str], target: str):
    write_picture(root / "q/1.png", made_picture(80, 24, 32))
    name, kind, group, topic, wanted = row.split(",")
    file = root / "q.csv"
    file.write_text(
        f"path,concept,type,group,keyword,target\nq/1.png,{name},{kind},{group},{topic},{wanted}\n"
    )
    sources = read_concept_sources(root)
    sources = with_query_file(type(sources)(sources.concepts, ()), file)
    plan = plan_items(sources, TASTES)
    assert plan.faults == ()
    assert {item.type for item in plan.items} == types
    assert {item.target for item in plan.items} == {target}


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("rex,,preference,yoga,", "is no person"),
        ("Ana,,preference,,", "no topic says which"),
        ("Ana,,recognition,,same_species", "negative pictures of animals only"),
        ("rex,awareness,recognition,,same_species", "negative pictures of animals only"),
        ("Ana,awareness,recognition,,like", "the group is recognition"),
        ("Ana,appropriateness,preference,rock concerts,like", "the picture is no negative"),
        ("Ana,awareness,preference,yoga,", "is not liked or disliked by"),
        ("Ana,awareness,preference,rock concerts,dislike", "is not disliked by"),
        # Near to a liked rock concert: "no" would be no clear answer.
        ("Ana,,preference,karaoke evenings,like", "near to what is liked"),
    ],
)
def test_m17_pictures_that_cannot_be_asked_about_are_faults(root: Path, row: str, reason: str):
    write_picture(root / "q/1.png", made_picture(80, 24, 32))
    name, kind, group, topic, wanted = row.split(",")
    file = root / "q.csv"
    file.write_text(
        f"path,concept,type,group,topic,target\nq/1.png,{name},{kind},{group},{topic},{wanted}\n"
    )
    sources = read_concept_sources(root)
    plan = plan_items(with_query_file(type(sources)(sources.concepts, ()), file), TASTES)
    assert plan.items == ()
    assert reason in str(plan.faults[0])


def test_faults_of_a_csv_file_are_named_by_line(root: Path):
    write_picture(root / "q/1.png", made_picture(80, 24, 32))
    file = root / "q.csv"
    rows = ["q/1.png,Bo,", "../x.png,Ana,", "q/2.png,Ana,", "q/1.png,Ana,guess", "q/1.png,Ana,",
            "q/1.png,Ana,"]  # fmt: skip
    file.write_text("path,concept,type\n" + "\n".join(rows))
    read = read_query_file(file, ["Ana"])
    assert len(read.queries) == 1
    reasons = ["no concept 'Bo'", "leads out", "there is no file", "'guess' is none of",
               "says the same as line 6"]  # fmt: skip
    assert [fault.line for fault in read.faults] == [2, 3, 4, 5, 7]
    assert all(part in str(fault) for part, fault in zip(reasons, read.faults, strict=True))
