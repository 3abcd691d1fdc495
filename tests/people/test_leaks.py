"""The leakage gate over cases and training rows: what is an error, what a warning (P66)."""

import json
from pathlib import Path

import numpy as np
import pytest

from eyeprint.errors import DataError
from eyeprint.models.pictures import gray
from eyeprint.people.leak_prompts import prompt_matches
from eyeprint.people.leaks import LeakSettings, find_leaks
from eyeprint.people.training_rows import TrainingPrompt, read_training, short_prompt_of
from eyeprint.records.case_files import Cases, open_cases, write_cases
from eyeprint.records.cases import Case
from eyeprint.records.pictures import Picture
from eyeprint.records.profiles import Profile
from tests.people.made_pictures import image_of, made_picture, saved_again, write_picture


def case(number: int, person: str, references: str, target: str | None, prompt="a kite") -> Case:
    """``references`` "12" stands for person/1.png and person/2.png."""
    return Case(
        id=str(number),
        person_id=person,
        prompt=f"{prompt} {number}",
        references=tuple(f"{person}/{name}.png" for name in references),
        target=None if target is None else f"{person}/{target}.png",
    )


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Two people with four unlike pictures each, and two cases of each."""
    for start, person in ((0, "a"), (10, "b")):
        for name in range(1, 5):
            write_picture(tmp_path / person / f"{name}.png", made_picture(start + name))
    cases = [case(0, "a", "12", "3"), case(1, "a", "34", "1"), case(2, "b", "12", "3")]
    write_cases(tmp_path, [*cases, case(3, "b", "24", "1")])
    return tmp_path


def kinds(report) -> list[tuple[str, str, str]]:
    return [(row.level, row.kind, row.where) for row in report.rows]


def test_p66_clean_cases_have_no_row(root: Path):
    report = find_leaks(open_cases(root))
    assert report.rows == ()
    assert (report.cases, report.pictures, report.missing) == (4, 8, ())
    assert report.headline() == "4 cases with 8 pictures: no leak found."


def test_p44_a_target_among_its_references_is_an_error(root: Path):
    cases = Cases([case(0, "a", "123", "3")], root)
    report = find_leaks(cases)
    assert kinds(report) == [("error", "path", "case 0: target and reference")]


COPIES = {
    "file": lambda picture: picture,
    "pixels": lambda picture: _bmp(picture),
    "flip": lambda picture: Picture.of(picture.pixels[:, ::-1].copy()),
    "gray": gray,
    "near": lambda picture: saved_again(image_of(picture)),
    "crop": lambda picture: saved_again(image_of(picture).crop((10, 10, 110, 86))),
}


def _bmp(picture: Picture) -> bytes:
    import io

    out = io.BytesIO()
    image_of(picture).save(out, "BMP")
    return out.getvalue()


@pytest.mark.parametrize("kind", COPIES)
def test_p44_a_copy_of_the_target_among_the_references_is_an_error(root: Path, kind: str):
    write_picture(root / "a/1.png", COPIES[kind](made_picture(3)))
    report = find_leaks(open_cases(root))
    (row,) = report.rows
    assert (row.level, row.kind) == ("error", kind)
    assert row.where == "cases 0, 1: target and reference"
    assert {row.a, row.b} == {"a/1.png", "a/3.png"}


@pytest.mark.parametrize("kind", COPIES)
def test_p66_a_copy_in_the_training_rows_is_an_error(root: Path, tmp_path: Path, kind: str):
    folder = tmp_path / "train"
    write_picture(folder / "x/7.png", made_picture(50))
    write_picture(folder / "x/8.png", COPIES[kind](made_picture(12)))
    write_picture(folder / "x/9.png", saved_again(image_of(made_picture(50))))  # their own affair
    report = find_leaks(open_cases(root), read_training(folder))
    (row,) = report.rows
    assert (row.level, row.kind, row.where) == ("error", kind, "benchmark and training rows")
    assert (row.a, row.b) == ("b/2.png", "x/8.png")
    assert report.training_pictures == 3


def test_a_picture_of_two_people_is_a_warning_that_can_be_made_an_error(root: Path):
    write_picture(root / "b/4.png", made_picture(2))
    assert kinds(find_leaks(open_cases(root))) == [("warn", "file", "two people: a and b")]
    strict = find_leaks(open_cases(root), settings=LeakSettings(two_people="error"))
    assert len(strict.errors) == 1
    shared = Case(id="9", person_id="b", prompt="x", references=("a/2.png",), target="b/3.png")
    report = find_leaks(Cases([case(0, "a", "12", "3"), shared], root))
    assert kinds(report) == [("warn", "path", "two people: a, b")]


def test_copies_in_one_pool_are_a_warning_where_no_case_uses_them_against_each_other(root: Path):
    write_picture(root / "a/2.png", made_picture(1))
    cases = Cases([case(0, "a", "12", "3")], root)
    assert kinds(find_leaks(cases)) == [("warn", "file", "pool of a")]


def test_every_case_with_a_copied_target_is_told_in_a_larger_group(root: Path):
    """1, 2 and 3 are one picture: the target 3 is told against both references."""
    for name in (1, 2):
        write_picture(root / f"a/{name}.png", made_picture(3))
    report = find_leaks(Cases([case(0, "a", "12", "3")], root))
    assert [(row.a, row.b) for row in report.errors] == [
        ("a/1.png", "a/3.png"),
        ("a/2.png", "a/3.png"),
    ]
    assert [(row.a, row.b, row.where) for row in report.warnings] == [
        ("a/1.png", "a/2.png", "pool of a")
    ]


def test_missing_and_unreadable_pictures_are_told(root: Path):
    (root / "a/1.png").unlink()
    (root / "a/2.png").write_bytes(b"no picture")
    report = find_leaks(open_cases(root))
    assert report.missing == ("a/1.png",)
    assert len(report.unreadable) == 1
    assert "a/2.png" in report.unreadable[0]
    assert report.pictures == 6
    assert any("missing" in line for line in report.lines())


def test_pictures_of_one_tone_are_compared_by_hash_only(root: Path):
    for name in (1, 2):
        flat = Picture.of(np.full((9, 9, 3), 90 * name, np.uint8))
        write_picture(root / f"a/{name}.png", flat)
    report = find_leaks(open_cases(root))
    assert report.rows == ()
    assert report.flat == 2


class Tones:
    """An encoder by how often each of sixteen tones is there."""

    name, fingerprint, dim, column = "tones", "f" * 64, 16, "TON"

    def encode_pictures(self, pictures):
        rows = [np.bincount(p.pixels.ravel() // 16, minlength=16) for p in pictures]
        found = np.array(rows, np.float32)
        return found / np.linalg.norm(found, axis=1, keepdims=True)


def test_p66_neighbours_in_an_encoder_are_warnings_only(root: Path):
    twin = made_picture(3).pixels.copy()
    shuffled = Picture.of(
        np.random.default_rng(0).permutation(twin.reshape(-1, 3)).reshape(twin.shape)
    )
    write_picture(root / "a/1.png", shuffled)  # its tones, nothing else of it
    few = LeakSettings(neighbours={"least_pairs": 10, "quantile": 0.9})
    report = find_leaks(open_cases(root), encoder=Tones(), settings=few)
    assert ("warn", "embedding", "cases 0, 1: target and reference") in kinds(report)
    assert report.errors == ()
    assert report.encoder == "tones"
    assert 0 < report.likeness_limit < 1
    unsure = find_leaks(open_cases(root), encoder=Tones())
    assert unsure.likeness_limit is None
    assert "16 pairs of different people's pictures are too few" in unsure.notes[0]


def test_p66_rows_name_prompts_in_common(root: Path, tmp_path: Path):
    rows = [
        {"image": ["t/1.png"], "conversations": [
            {"from": "system", "value": "You infer."},
            {"from": "user", "value": "<image>\nPlease enhance this prompt:\nA KITE, 2"},
            {"from": "assistant", "value": "A kite in the evening"},
        ]},
        {"prompt": "nothing of the kind"},
    ]  # fmt: skip
    file = tmp_path / "rows.json"
    file.write_text(json.dumps(rows))
    report = find_leaks(open_cases(root), read_training(file))
    assert kinds(report) == [("error", "prompt", "benchmark and training rows")]
    assert (report.rows[0].a, report.rows[0].told) == ("a kite 2", "rows.json:1")
    assert report.missing == ("t/1.png",)
    assert report.training_prompts == 2


def test_p66_profiles_in_common_are_an_error(root: Path, tmp_path: Path):
    mine = Profile(id="a", answers={"Q12": 7, "Q16": ["Power", "Security"]})
    write_cases(root, open_cases(root), [mine])
    train = tmp_path / "train"
    theirs = Profile(id="t", answers={"Q16": ["Security", "Power"], "Q12": 7})
    write_picture(train / "1.png", made_picture(70))
    write_cases(train, [Case(id="0", person_id="t", prompt="x", references=("1.png",))], [theirs])
    report = find_leaks(open_cases(root), read_training(train))
    assert kinds(report) == [("error", "profile", "benchmark and training rows")]
    assert (report.rows[0].a, report.rows[0].b) == ("a", "t")


def test_prompt_overlap_is_the_jaccard_share_of_trigrams():
    """Four words have two trigrams, five have three; two of three are shared: 2 / 3."""
    rows = [TrainingPrompt("a small red kite flying", "t:1")]
    assert prompt_matches(["a small red kite"], rows, 0.7) == []
    (match,) = prompt_matches(["a small red kite"], rows, 0.6)
    assert match.overlap == pytest.approx(2 / 3)


def test_training_data_of_other_shapes(tmp_path: Path):
    with pytest.raises(DataError, match="no such file or folder"):
        read_training(tmp_path / "x")
    with pytest.raises(DataError, match="holds no picture"):
        read_training(tmp_path)
    rows = ['{"image": "1.png", "caption": "a hill"}', "{", '{"other": 1}', "3"]
    (tmp_path / "rows.jsonl").write_text("\n".join(rows))
    data = read_training(tmp_path / "rows.jsonl", root="/data")
    assert data.pictures == {"1.png": Path("/data/1.png")}
    assert [prompt.text for prompt in data.prompts] == ["a hill"]
    assert [fault.line for fault in data.faults] == [2, 3, 4]
    parts = [{"type": "image"}, {"type": "text", "text": "Enhance:\na hill"}]
    assert short_prompt_of([{"role": "user", "content": parts}]) == "a hill"
    assert short_prompt_of([{"role": "assistant", "content": "x"}]) == ""
    assert short_prompt_of(None) == ""


def test_progress_counts_every_picture(root: Path):
    seen = []
    find_leaks(open_cases(root), progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (8, 8)


def test_p66_rows_of_messages_and_objects_with_paths_are_read(tmp_path: Path):
    parts = [{"type": "image", "image": "b.png"}, {"type": "text", "text": "Enhance: a red kite"}]
    rows = [
        {"images": [{"path": "a.png", "bytes": None}, 7]},
        {"messages": [{"role": "system", "content": "x"}, {"role": "user", "content": parts}]},
        {"image": None},
    ]
    (tmp_path / "rows.json").write_text(json.dumps(rows))
    found = read_training(tmp_path / "rows.json")
    assert list(found.pictures) == ["a.png", "b.png"]
    assert [prompt.text for prompt in found.prompts] == ["a red kite"]
    assert len(found.faults) == 1 and "messages" in str(found.faults[0])


def test_p66_a_name_that_no_file_can_have_is_unreadable_and_no_crash(root: Path, tmp_path: Path):
    (tmp_path / "rows.json").write_text(json.dumps([{"image": "a" * 400}, {"image": "a/1.png"}]))
    report = find_leaks(open_cases(root), read_training(tmp_path / "rows.json"))
    assert report.training_pictures == 1 and len(report.unreadable) == 1
    assert "cannot be looked for" in report.unreadable[0]
