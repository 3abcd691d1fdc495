"""Cases in the released layout: both ways, every fault by row and field (P20, P44, P45)."""

import json
import os
import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyeprint.errors import DataError, UnknownName, UsageError
from eyeprint.records.case_counts import count_cases
from eyeprint.records.case_files import MISSING, Cases, open_cases, write_cases
from eyeprint.records.case_rows import FiledCase, case_of, inner_path, row_of
from eyeprint.records.cases import Case
from eyeprint.records.profiles import Profile

ROW = {
    "id": 0,
    "image_id": 0,
    "category": "synthetic",
    "prompt": "a red kite",
    "ref_images": ["images/0/5.png", "images/0/2.png"],
    "gt_images": "images/0/0.png",
}


def written(folder: Path, rows: object, name: str = "metadata.json") -> Path:
    text = (
        "\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows)
        if name.endswith("l")
        else json.dumps(rows)
    )
    (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize("name", ["metadata.json", "metadata.jsonl"])
def test_p20_the_released_row_is_read_and_written_back_as_it_was(tmp_path: Path, name: str):
    rows = [ROW, {**ROW, "id": 1, "category": "real", "image_id": 175}]
    cases = open_cases(written(tmp_path, rows, name))
    assert [case.id for case in cases] == ["0", "1"]
    assert cases[0].references == ("images/0/5.png", "images/0/2.png")
    assert cases["1"].person_id == "175"
    assert cases.splits == ("synthetic", "real")
    assert cases.person_ids == ("0", "175")
    other = tmp_path / "other"
    again = open_cases(write_cases(other, cases, name=name))
    assert list(again) == list(cases)
    text = (other / name).read_text()
    back = [json.loads(line) for line in text.splitlines()] if name[-1] == "l" else json.loads(text)
    assert back == rows  # ids as numbers, paths and order as released


def test_p20_further_fields_are_kept_and_written_back(tmp_path: Path):
    row = {**ROW, "enriched_prompt": "a red kite at dusk", "target": [1, None]}
    cases = open_cases(written(tmp_path, [row]))
    assert isinstance(cases[0], FiledCase)
    assert json.loads(write_cases(tmp_path / "b", cases).read_text()) == [row]


def test_p20_ids_of_text_stay_text_and_a_list_of_one_target_is_one_target(tmp_path: Path):
    row = {**ROW, "id": "007", "image_id": "anna", "gt_images": ["images\\0\\0.png"]}
    case = open_cases(written(tmp_path, [row]))[0]
    assert (case.id, case.person_id, case.target) == ("007", "anna", "images/0/0.png")
    assert row_of(case)["id"] == "007"  # 7 would be another id


def test_p20_a_case_without_a_target_is_no_fault(tmp_path: Path):
    cases = open_cases(written(tmp_path, [{**ROW, "gt_images": None}]))
    assert cases[0].target is None
    assert cases.picture_paths == ("images/0/5.png", "images/0/2.png")


FAULTS = [
    ({"prompt": ...}, "prompt", "missing"),
    ({"id": None}, "id", "null"),
    ({"id": True}, "id", "true or false"),
    ({"id": 1.5}, "id", "float"),
    ({"id": " "}, "id", "empty"),
    ({"image_id": []}, "image_id", "a list"),
    ({"category": 3}, "category", "int"),
    ({"prompt": ""}, "prompt", "empty"),
    ({"ref_images": []}, "ref_images", "at least one"),
    ({"ref_images": "a.png"}, "ref_images", "list of paths"),
    ({"ref_images": ["a.png", 3]}, "ref_images.1", "must be a path"),
    ({"ref_images": ["/etc/passwd"]}, "ref_images.0", "absolute"),
    ({"ref_images": ["C:\\x.png"]}, "ref_images.0", "absolute"),
    ({"ref_images": ["\\\\host\\x.png"]}, "ref_images.0", "absolute"),
    ({"ref_images": ["a/../../x.png"]}, "ref_images.0", "leads out"),
    ({"ref_images": ["https://host/x.png"]}, "ref_images.0", "web address"),
    ({"ref_images": ["a\0.png"]}, "ref_images.0", "zero byte"),
    ({"ref_images": ["a\ud83d.png"]}, "ref_images.0", "surrogate"),
    ({"ref_images": ["a/.."]}, "ref_images.0", "data root"),
    ({"gt_images": ["a.png", "b.png"]}, "gt_images", "2 pictures"),
    ({"gt_images": ""}, "gt_images", "empty"),
    ({"gt_images": {"path": "a"}}, "gt_images", "an object"),
]


@pytest.mark.parametrize(("change", "field", "told"), FAULTS, ids=lambda v: str(v)[:30])
def test_p20_a_fault_is_told_by_row_and_field_and_the_good_rows_are_kept(
    tmp_path: Path, change: dict, field: str, told: str
):
    bad = {key: value for key, value in {**ROW, **change}.items() if value is not ...}
    cases = open_cases(written(tmp_path, [bad, {**ROW, "id": 9}]))
    assert cases.ids == ("9",)
    (fault,) = cases.faults
    assert (fault.line, fault.field) == (1, field)
    assert told in fault.reason
    assert "metadata.json" in str(fault)


def test_p20_lines_that_are_no_json_and_rows_that_are_no_object_are_faults(tmp_path: Path):
    lines = [json.dumps(ROW), '{"id": 1, "im', "[]", json.dumps(ROW)]
    cases = open_cases(written(tmp_path, lines, "metadata.jsonl"))
    assert [fault.line for fault in cases.faults] == [2, 3, 4]
    assert "not JSON" in cases.faults[0].reason
    assert "not an object" in cases.faults[1].reason
    assert "already used in row 1" in cases.faults[2].reason


def test_p20_number_and_text_of_one_id_are_one_id(tmp_path: Path):
    cases = open_cases(written(tmp_path, [ROW, {**ROW, "id": "0"}]))
    assert len(cases) == 1
    assert cases.faults[0].field == "id"


@pytest.mark.parametrize(
    ("text", "told"),
    [("{}", "JSON array"), ("[", "not JSON"), ("[]", "holds no row"), ("[1]", "not an object")],
)
def test_a_file_without_one_good_row_is_an_error_that_says_why(
    tmp_path: Path, text: str, told: str
):
    (tmp_path / "metadata.json").write_text(text)
    with pytest.raises(DataError, match=told):
        open_cases(tmp_path)


def test_what_is_not_there_is_told(tmp_path: Path):
    with pytest.raises(DataError, match="no such folder"):
        open_cases(tmp_path / "nowhere")
    with pytest.raises(DataError, match=r"no metadata\.json or metadata\.jsonl"):
        open_cases(tmp_path)
    with pytest.raises(DataError, match=r"no such metadata file"):
        open_cases(tmp_path, "rows.json")
    (tmp_path / "rows.csv").write_text("id")
    with pytest.raises(DataError, match=r"\.json \(an array\)"):
        open_cases(tmp_path, "rows.csv")
    cases = open_cases(written(tmp_path, [ROW]))
    with pytest.raises(UnknownName, match="synthetic"):
        open_cases(tmp_path, splits=["sythetic"])
    with pytest.raises(UnknownName, match="no case"):
        cases["4"]


def test_a_metadata_file_is_found_in_the_root_or_named_alone(tmp_path: Path):
    written(tmp_path, [ROW], "rows.jsonl")
    assert open_cases(tmp_path, "rows.jsonl").root == tmp_path
    assert open_cases(tmp_path / "rows.jsonl").root == tmp_path


def test_splits_and_slices_keep_root_and_faults(tmp_path: Path):
    rows = [ROW, {**ROW, "id": 1, "category": "real"}, 7]
    cases = open_cases(written(tmp_path, rows), splits=["real"])
    assert cases.ids == ("1",)
    assert cases[:1].root == cases.root == tmp_path
    assert len(cases[:1].faults) == 1
    assert cases.subset(["1"]).ids == ("1",)


def test_missing_pictures_are_counted_and_told_when_asked_for(tmp_path: Path):
    cases = open_cases(written(tmp_path, [ROW]))
    assert len(cases.missing_files()) == 3
    (tmp_path / "images/0").mkdir(parents=True)
    (tmp_path / "images/0/2.png").write_bytes(b"x")
    assert cases.missing_files() == ("images/0/5.png", "images/0/0.png")
    assert cases.file_hash("images/0/0.png") == MISSING


def test_fingerprint_follows_rows_and_pictures_and_nothing_else(tmp_path: Path):
    one, two = tmp_path / "one", tmp_path / "two"
    prints = []
    for root in (one, two):
        (root / "images/0").mkdir(parents=True)
        for name in ("0", "2", "5"):
            (root / f"images/0/{name}.png").write_bytes(name.encode())
        prints.append(open_cases(written(root, [ROW])).fingerprint())
    assert prints[0] == prints[1]  # wherever the root lies
    os.utime(one / "images/0/5.png", (1, 1))
    cases = open_cases(one)
    assert cases.fingerprint() == prints[0]  # file times are no content
    (one / "images/0/5.png").write_bytes(b"6")
    changed = cases.fingerprint()
    assert changed != prints[0]  # the same object sees it, same size or not
    (one / "images/0/5.png").unlink()
    assert cases.fingerprint() not in (changed, prints[0])
    written(two, [{**ROW, "prompt": "a blue kite"}])
    assert open_cases(two).fingerprint() != prints[1]
    written(two, [{**ROW, "ref_images": ["images\\0\\5.png", "./images/0/2.png"]}])
    assert open_cases(two).fingerprint() == prints[1]  # spelling of paths is no content


def test_an_unchanged_picture_is_hashed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    written(tmp_path, [ROW])
    (tmp_path / "images/0").mkdir(parents=True)
    (tmp_path / "images/0/5.png").write_bytes(b"x")
    cases = open_cases(tmp_path)
    first = cases.file_hash("images/0/5.png")
    monkeypatch.setattr("hashlib.file_digest", None)
    assert cases[:1].file_hash("images/0/5.png") == first


def test_a_path_cannot_be_asked_for_outside_the_root(tmp_path: Path):
    cases = Cases([], tmp_path)
    with pytest.raises(DataError, match="leads out"):
        cases.picture_path("../x.png")


def test_p1_profiles_lie_beside_the_metadata(tmp_path: Path):
    profile = Profile(id="0", answers={"Q12": 6, "Q3": ["Painting"]}, kind="person", text="Calm.")
    write_cases(tmp_path, [case_of(ROW, "x")], [profile])
    assert open_cases(tmp_path).profiles == {"0": profile}
    with (tmp_path / "profiles.jsonl").open("a") as file:
        file.write('{"id": ""}\n')
    cases = open_cases(tmp_path)
    assert cases.profiles == {"0": profile}
    assert [fault.line for fault in cases.profile_faults] == [2]
    (tmp_path / "profiles.jsonl").write_text('{"id": ""}\n')
    with pytest.raises(DataError, match=r"profiles\.jsonl:1, field 'id'"):
        _ = open_cases(tmp_path).profiles
    (tmp_path / "profiles.jsonl").unlink()
    assert open_cases(tmp_path).profiles == {}


def test_writing_refuses_what_could_not_be_read_back(tmp_path: Path):
    case = case_of(ROW, "x")
    with pytest.raises(UsageError, match=r"\.json or \.jsonl"):
        write_cases(tmp_path, [case], name="metadata.csv")
    with pytest.raises(DataError, match="two cases"):
        write_cases(tmp_path, [case, case])
    with pytest.raises(DataError, match="case 0 cannot be written"):
        write_cases(tmp_path, [case.model_copy(update={"target": "/x.png"})])
    assert list(tmp_path.iterdir()) == []


def test_p45_counts_are_those_of_a_slow_count():
    """Two people with 3 and 2 cases; picture "s" is shared by both and counts once."""
    cases = [
        Case(id=f"{person}{n}", person_id=person, split=split, prompt="x", references=refs)
        for person, split, count, refs in [
            ("a", "synthetic", 3, ("1", "2", "s")),
            ("b", "real", 2, ("3", "s")),
        ]
        for n in range(count)
    ]
    synthetic, real, all_ = count_cases(cases)
    assert (synthetic.split, *synthetic[1:]) == ("synthetic", 3, 3, 1)
    assert (real.cases, real.pictures, real.people, real.cases_per_person) == (2, 2, 1, 2.0)
    assert (all_.split, *all_[1:]) == ("all", 5, 4, 2)
    assert all_.pictures_per_person == 2.0


def test_p45_the_papers_counts_divide_as_it_says():
    """1,369 = 719 + 650, 1,876 = 1,231 + 645, 251 = 175 + 76; 8.55 and 8.49, 4.11 and 7.03."""
    from eyeprint.records.case_counts import SplitCounts

    agents, real = SplitCounts("synthetic", 719, 1231, 175), SplitCounts("real", 650, 645, 76)
    assert "4.11 cases and 7.03 pictures" in agents.told()
    assert "8.55 cases and 8.49 pictures" in real.told()


names = st.text(string.ascii_letters + "é雪 .-_", min_size=1).filter(
    lambda s: s.strip() and set(s) != {"."}
)
paths = st.lists(names, min_size=1, max_size=3).map("/".join)


@given(
    st.lists(
        st.builds(
            Case,
            id=st.text(min_size=1).filter(str.strip),
            person_id=st.integers(0, 9).map(str) | names,
            split=st.sampled_from(["real", "synthetic"]),
            prompt=st.text(min_size=1).filter(str.strip),
            references=st.lists(paths, min_size=1, max_size=5).map(tuple),
            target=paths | st.none(),
        ),
        unique_by=lambda case: case.id,
        min_size=1,
    ),
    st.sampled_from(["metadata.json", "metadata.jsonl"]),
)
def test_p20_whatever_is_written_is_read_back(tmp_path_factory, cases: list[Case], name: str):
    root = tmp_path_factory.mktemp("cases")
    found = open_cases(write_cases(root, cases, name=name))
    assert list(found) == cases
    assert found.faults == ()


@given(st.lists(st.sampled_from(["a", "..", ".", "b", ""]), min_size=1, max_size=6))
def test_inner_paths_never_leave_the_root(parts: list[str]):
    """Twin: walk the parts and keep the depth."""
    path, depth, left = "/".join(parts), 0, False
    for part in parts:
        depth += {"..": -1, ".": 0, "": 0}.get(part, 1)
        left = left or depth < 0
    try:
        found = inner_path(path)
    except ValueError:
        # Leaving and coming back is refused or resolved; never let through.
        assert left or depth == 0 or path.startswith("/")
    else:
        assert not found.startswith(("/", ".."))
        assert not left


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes")
def test_p44_a_folder_or_a_pipe_in_a_pictures_place_is_missing_and_nothing_waits(tmp_path):
    (tmp_path / "a.png").mkdir()
    os.mkfifo(tmp_path / "b.png")
    case = Case(id="1", person_id="1", prompt="a kite", references=("a.png",), target="b.png")
    cases = Cases([case], tmp_path)
    assert [cases.file_hash(path) for path in ("a.png", "b.png")] == [MISSING, MISSING]
    assert len(cases.fingerprint()) == 64


def test_a_path_longer_than_a_files_name_can_be_is_a_fault_and_no_crash(tmp_path):
    row = {"id": 0, "image_id": 0, "category": "real", "prompt": "a kite",
           "ref_images": ["a.png"], "gt_images": "b.png"}  # fmt: skip
    rows = [row, row | {"id": 1, "gt_images": "é" * 130 + ".png"},
            row | {"id": 2, "ref_images": ["d/" * 2000 + "a.png"]}]  # fmt: skip
    (tmp_path / "metadata.json").write_text(json.dumps(rows))
    cases = open_cases(tmp_path)
    assert cases.ids == ("0",) and cases.missing_files() == ("a.png", "b.png")
    assert [fault.field for fault in cases.faults] == ["gt_images", "ref_images.0"]
    assert all("longer than a file's name" in str(fault) for fault in cases.faults)
