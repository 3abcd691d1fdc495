"""Reading and writing people: every format, and every way a file can be wrong."""

import json
from pathlib import Path

import pytest

from eyeprint.errors import BadRecord, CannotWrite, DataError, UnknownName, UsageError
from eyeprint.people.shipped import load_people
from eyeprint.records.files import People, open_people, persona_line
from eyeprint.records.people import Persona
from eyeprint.records.save import save_people

ODD = Persona.model_validate(
    {
        "id": "odd/1",
        "mood": {"deep": [1, None, "é"]},
        "demographics": {"age": 5, "shoe": 28.5},
        "posts": [{"id": "a", "caption": "x", "likes": 3, "elements": {"objects": ["x"]}}],
    }
)


@pytest.mark.parametrize("target", ["people.jsonl", "people.parquet", "folder"])
def test_x10_unknown_fields_survive_a_round_trip_in_every_format(tmp_path: Path, target: str):
    save_people([ODD, Persona(id="two")], tmp_path / target)
    back = open_people(tmp_path / target)
    assert [json.loads(p.model_dump_json(exclude_unset=True)) for p in back] == [
        json.loads(p.model_dump_json(exclude_unset=True)) for p in (ODD, Persona(id="two"))
    ]
    assert back.fingerprint == People.of([ODD, Persona(id="two")]).fingerprint


def test_the_shipped_files_come_back_byte_for_meaning_as_they_are():
    people = load_people("mini")
    assert len(people) == 12
    assert not people.faults
    for person in people:
        file = Path(str(people.folder)) / f"{person.id}.json"
        assert json.loads(person.model_dump_json(exclude_unset=True)) == json.loads(
            file.read_text(encoding="utf-8")
        )


def test_bom_crlf_blank_lines_and_a_cut_last_line(tmp_path: Path):
    file = tmp_path / "p.jsonl"
    file.write_bytes(b'\xef\xbb\xbf{"id":"a"}\r\n\r\n{"id":"b"}\r\n{"id":"c","posts":[{"id"')
    people = open_people(file)
    assert people.ids == ("a", "b")
    assert people["a"].id == "a"
    (fault,) = people.faults
    assert fault.line == 4
    assert "cut" in str(fault)


def test_a_bad_field_is_named_by_file_line_and_field_and_the_good_ones_load(tmp_path: Path):
    file = tmp_path / "p.jsonl"
    file.write_text(
        '{"id":"a"}\n{"id":"b","demographics":{"age":"old"}}\n{"no":"id"}\n[1]\n{"id":"c"}\n'
    )
    people = open_people(file)
    assert people.ids == ("a", "c")
    assert [(f.line, f.field) for f in people.faults] == [
        (2, "demographics.age"),
        (3, "id"),
        (4, ""),
    ]
    assert str(people.faults[0]).startswith(f"{file}:2, field 'demographics.age': ")
    assert "'old'" in str(people.faults[0])


def test_duplicate_ids_keep_the_first_and_name_both_places(tmp_path: Path):
    (tmp_path / "a.jsonl").write_text('{"id":"x","seed":"first"}\n')
    (tmp_path / "b.jsonl").write_text('{"id":"x","seed":"second"}\n')
    people = open_people(tmp_path)
    assert people["x"].seed == "first"
    assert "a.jsonl:1" in str(people.faults[0])
    assert people.faults[0].file.endswith("b.jsonl")


def test_duplicate_post_ids_are_a_fault(tmp_path: Path):
    file = tmp_path / "p.json"
    file.write_text('[{"id":"a","posts":[{"id":"1"},{"id":"1"}]},{"id":"b"}]')
    people = open_people(file)
    assert people.ids == ("b",)
    assert "two posts have the id '1'" in str(people.faults[0])


def test_bytes_that_are_not_utf8_are_a_fault_of_their_line(tmp_path: Path):
    file = tmp_path / "p.jsonl"
    file.write_bytes(b'{"id":"a"}\n{"id":"\xff\xfe"}\n')
    people = open_people(file)
    assert people.ids == ("a",)
    assert people.faults[0].line == 2


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("p.jsonl", "", "not one person"),
        ("p.json", "{", "may be cut"),
        ("p.csv", "id\na\n", ".jsonl"),
        ("p.parquet", "PAR1", "Parquet"),
    ],
)
def test_a_file_without_one_good_person_is_an_error(tmp_path: Path, name, content, told):
    (tmp_path / name).write_text(content)
    with pytest.raises(DataError, match=told):
        open_people(tmp_path / name)


def test_a_missing_path_and_an_empty_folder_are_errors(tmp_path: Path):
    with pytest.raises(DataError, match="no such file"):
        open_people(tmp_path / "nowhere")
    with pytest.raises(DataError, match="holds no"):
        open_people(tmp_path)


def test_a_manifest_beside_people_is_not_a_person(tmp_path: Path):
    save_people([Persona(id="a")], tmp_path)
    (tmp_path / "people.json").write_text('{"kind":"manifest"}')
    people = open_people(tmp_path)
    assert people.ids == ("a",)
    assert not people.faults


def test_parquet_with_native_columns_is_read_too(tmp_path: Path):
    import polars

    posts = [[{"id": "1", "caption": "a red door"}], [{"id": "1", "caption": "snow"}]]
    polars.DataFrame({"id": ["a", "b"], "posts": posts}).write_parquet(tmp_path / "p.parquet")
    assert open_people(tmp_path)["b"].captions == ("snow",)


def test_indexing_by_place_slice_and_id_and_an_unknown_id():
    people = load_people("mini")
    assert people[0].id == people[-12].id == "mini-01"
    assert people[2:4].ids == ("mini-03", "mini-04")
    assert "mini-05" in people
    with pytest.raises(IndexError):
        people[12]
    with pytest.raises(UnknownName, match="Did you mean 'mini-0"):
        people["mini-o3"]


def test_a_record_that_changes_under_our_hands_is_named(tmp_path: Path):
    file = tmp_path / "p.jsonl"
    file.write_text('{"id":"a"}\n')
    people = open_people(file)
    file.write_text('{"id":5555')
    with pytest.raises(DataError, match=r"p\.jsonl:1"):
        people[0]
    file.unlink()
    with pytest.raises(DataError, match="cannot be read any more"):
        people[0]


def test_saving_says_what_it_cannot_do(tmp_path: Path):
    with pytest.raises(UsageError, match="jsonl"):
        save_people([ODD], tmp_path / "people.xlsx")
    (tmp_path / "file").write_text("")
    with pytest.raises(CannotWrite, match="A file stands where a folder is needed"):
        save_people([ODD], tmp_path / "file" / "people.jsonl")


def test_people_of_several_sources_are_joined_in_order_and_a_second_id_is_a_fault():
    one, two = People.of([Persona(id="a"), Persona(id="b")]), People.of([Persona(id="b", seed="x")])
    both = People.joined([one, two])
    assert both.ids == ("a", "b")
    assert both["b"].seed == ""
    assert both.fingerprint == one.fingerprint
    assert "'b' was already used" in str(both.faults[0])


def test_ids_that_are_long_or_named_like_a_manifest_keep_a_file_of_their_own(tmp_path: Path):
    people = [
        Persona(id=name) for name in ("people", "manifest", "x" * 400, "x" * 399 + "y", "é/.")
    ]
    save_people(people, tmp_path / "folder")
    assert set(open_people(tmp_path / "folder").ids) == {person.id for person in people}


def test_the_first_people_keep_the_faults_of_the_whole(tmp_path: Path):
    file = tmp_path / "p.jsonl"
    file.write_text('{"id":"a"}\n{"id":"b"}\n{"id":\n')
    few = open_people(file).first(1)
    assert (few.ids, len(few.faults)) == (("a",), 1)
    assert few.fingerprint == open_people(file).subset(["a"]).fingerprint
    assert open_people(file).first(9).ids == ("a", "b")


def test_one_file_that_cannot_be_read_does_not_cost_a_folder(tmp_path: Path):
    (tmp_path / "a.json").write_text('{"id":"a"}')
    (tmp_path / "b.json").symlink_to(tmp_path / "b.json")
    (tmp_path / "c.json").write_text("[" * 100_000)
    (tmp_path / "d.json").mkdir()
    people = open_people(tmp_path)
    assert people.ids == ("a",)
    told = [str(fault) for fault in people.faults]
    assert "b.json: cannot be read" in told[0]
    assert "c.json: not JSON: it is nested too deeply" in told[1]
    assert "d.json: cannot be read" in told[2]


@pytest.mark.parametrize("content", [b"", b"\xef\xbb\xbf", b"\n \n"])
def test_an_empty_file_says_so(tmp_path: Path, content: bytes):
    (tmp_path / "p.jsonl").write_bytes(content)
    with pytest.raises(DataError, match=r"not one person could be read\. It holds no record"):
        open_people(tmp_path / "p.jsonl")


def test_parquet_whose_records_are_bytes_reads(tmp_path: Path):
    import polars

    polars.DataFrame({"record": [b'{"id":"a"}', None]}).write_parquet(tmp_path / "p.parquet")
    people = open_people(tmp_path / "p.parquet")
    assert (people.ids, len(people.faults)) == (("a",), 1)


def test_half_a_character_in_a_person_is_told_with_the_persons_id():
    with pytest.raises(BadRecord, match=r"person a\\n: .*UTF-8"):
        persona_line(Persona(id="a\n", seed="\ud83d"))


def test_messages_name_unknown_people_in_one_line():
    people = People.of([Persona(id="a\nb"), Persona(id="x" * 3000)])
    with pytest.raises(UnknownName, match=r"Known: a\\nb, x+ \.\.\.\.") as told:
        people["y" * 3000]
    assert len(str(told.value)) < 300


def test_a_runs_folder_is_not_read_as_people(tmp_path: Path):
    (tmp_path / "manifest.json").write_text('{"kind":"vptt"}')
    (tmp_path / "drafts").mkdir()
    (tmp_path / "drafts.jsonl").write_text('{"person_id":"a"}\n')
    with pytest.raises(DataError, match="folder of a run"):
        open_people(tmp_path)
