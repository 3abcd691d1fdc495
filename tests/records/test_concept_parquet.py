"""Pictures out of Parquet files: once, as they are, whole or again (M5)."""

import inspect
import json
from pathlib import Path

import polars
import pytest

from eyeprint.errors import CannotWrite, DataError
from eyeprint.records import concept_parquet
from eyeprint.records.concept_files import open_concepts
from eyeprint.records.concept_parquet import iter_pictures
from eyeprint.records.concept_picture_bytes import ending_of
from tests.records.made_concepts import ROWS, png, row, write_folders, write_parquet


def rewritten(file: Path, **columns: polars.Expr | polars.Series) -> Path:
    polars.read_parquet(file).with_columns(**columns).write_parquet(file)
    return file


def test_m5_pictures_are_the_bytes_that_they_were(tmp_path: Path):
    file = write_parquet(tmp_path / "mmpb.parquet")
    data = open_concepts(file)
    assert data.root == tmp_path / "mmpb.unpacked"
    assert data.picture_path(data["4"].image).read_bytes() == png(4)
    boo = data.concepts["Boo"]
    assert [data.picture_path(one).read_bytes() for one in boo.images] == [
        png(1002, place) for place in range(5)
    ]
    other = open_concepts(file, tmp_path / "elsewhere")
    assert other.root == tmp_path / "elsewhere"
    assert other.fingerprint() == data.fingerprint()


def test_m5_a_finished_unpacking_is_used_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    file = write_parquet(tmp_path / "a.parquet")
    first = open_concepts(file)
    with monkeypatch.context() as patch:
        # No picture is read a second time.
        patch.setattr(concept_parquet, "iter_pictures", None)
        again = open_concepts(file)
    assert (again.questions, again.concepts) == (first.questions, first.concepts)
    # Another file under the same name is unpacked anew.
    write_parquet(file, ROWS[::-1])
    assert open_concepts(file).ids == first.ids[::-1]
    assert open_concepts(file)["4"] == first["4"]


@pytest.mark.parametrize("harm", ["gone", "short", "no state", "cut state", "other state"])
def test_m5_a_half_done_unpacking_is_redone(tmp_path: Path, harm: str):
    file = write_parquet(tmp_path / "a.parquet")
    first = open_concepts(file)
    state, picture = first.root / "unpacked.json", first.picture_path(first["2"].image)
    if harm == "gone":
        picture.unlink()
    elif harm == "short":
        picture.write_bytes(png(2)[:-9])
    elif harm == "no state":
        state.unlink()
    elif harm == "cut state":
        state.write_bytes(state.read_bytes()[:-20])
    else:
        state.write_text(json.dumps([1]))
    (first.root / "pictures" / ".x.png.77.tmp").write_bytes(b"half")
    untouched = first.picture_path(first["5"].image).stat().st_ino
    again = open_concepts(file)
    assert again.fingerprint() == first.fingerprint()
    assert picture.read_bytes() == png(2)
    assert not list((first.root / "pictures").glob(".*"))
    assert again.picture_path(again["5"].image).stat().st_ino == untouched


def test_m5_where_nothing_can_be_written_it_says_what_to_name(tmp_path: Path):
    file = write_parquet(tmp_path / "a.parquet")
    (tmp_path / "a.unpacked").write_text("a file in the way")
    with pytest.raises(CannotWrite, match=r"Another folder is named with unpack_to") as caught:
        open_concepts(file)
    assert str(tmp_path / "a.unpacked") in str(caught.value)
    assert len(open_concepts(file, tmp_path / "b")) == len(ROWS)


def test_m5_plain_bytes_and_paths_are_pictures_too(tmp_path: Path):
    file = write_parquet(tmp_path / "a.parquet")
    wanted = open_concepts(file).fingerprint()
    rewritten(file, image_path=polars.col("image_path").struct.field("bytes"))
    assert open_concepts(file).fingerprint() == wanted
    for place in range(len(ROWS)):
        (tmp_path / f"{place}.png").write_bytes(png(place))
    paths = [f"./{place}.png" for place in range(len(ROWS))]
    rewritten(file, image_path=polars.Series(paths))
    assert open_concepts(file).fingerprint() == wanted
    paths[3:6] = ["no.png", "../a.parquet", None]
    rewritten(file, image_path=polars.Series(paths))
    told = {fault.line: fault.reason for fault in open_concepts(file).faults}
    assert "no.png beside the file cannot be read" in told[4]
    assert "leads out of the data root" in told[5]
    assert told[6] == "is empty"


def test_m5_what_is_no_picture_is_a_fault_of_its_row(tmp_path: Path):
    bad = {2: b"", 3: b"hello, hello", 1004: b"text"}
    rows = [row(n, "asian_doll", "awareness") for n in range(5)]
    file = write_parquet(
        tmp_path / "a.parquet", rows, pictures=lambda *seed: bad.get(seed[0], png(*seed))
    )
    data = open_concepts(file)
    assert data.ids == ("0", "1", "4")
    told = {fault.line: fault.reason for fault in data.faults}
    assert told[3] == "is empty"
    assert "begins with the bytes 68 65 6c 6c 6f" in told[4]
    assert data.concepts["asian_doll"].images == ()
    assert any("25 reference pictures were left out: asian_doll" in note for note in data.notes)
    assert any("asian_doll (0)" in note for note in data.notes)


def test_m5_references_are_found_in_a_later_row(tmp_path: Path):
    file = write_parquet(tmp_path / "a.parquet", [row(n, "Boo", "awareness") for n in range(4)])
    frame = polars.read_parquet(file)
    for place in range(1, 6):
        cells = frame[f"injection_image_{place}"].to_list()
        cells[0] = None if place > 1 else cells[0]
        cells[1] = None
        frame = frame.with_columns(polars.Series(f"injection_image_{place}", cells))
    frame.write_parquet(file)
    data = open_concepts(file)
    assert len(data.concepts["Boo"].images) == 5
    assert data.picture_path(data.concepts["Boo"].images[4]).read_bytes() == png(1002, 4)


@pytest.mark.skipif(
    "metadata" not in inspect.signature(polars.DataFrame.write_parquet).parameters,
    reason="this polars writes no metadata, and reads none",
)
def test_m5_numbers_named_by_the_hub_are_read_by_their_names(tmp_path: Path):
    names = ["D", "C", "B", "A", "No", "Yes"]
    features = {"answer": {"_type": "ClassLabel", "names": names}, "image_path": {"_type": "Image"}}
    told = json.dumps({"info": {"features": features}})
    file = write_parquet(tmp_path / "a.parquet", metadata={"huggingface": told})
    data = open_concepts(file)
    # Row 2 has answer 1: B without the names, C with them; row 5 has 5: No, or Yes.
    assert (data["2"].answer, data["5"].answer) == ("C", "Yes")
    other = write_parquet(tmp_path / "b.parquet", metadata={"huggingface": "no JSON"})
    assert (open_concepts(other)["2"].answer, open_concepts(other)["5"].answer) == ("B", "No")


def test_m5_rows_are_read_a_few_at_a_time(tmp_path: Path):
    rows = [row(n, "Boo", "awareness") for n in range(100)]
    file = write_parquet(tmp_path / "a.parquet", rows, row_group_size=7)
    wanted = [0, 1, 5, 31, 32, 64, 99]
    found = list(iter_pictures(file, "image_path", wanted))
    assert [place for place, _ in found] == wanted
    assert [cell.content for _, cell in found] == [png(place) for place in wanted]
    assert list(iter_pictures(file, "injection_image_9", wanted)) == []


def test_m5_what_is_no_table_is_told(tmp_path: Path):
    file = tmp_path / "a.parquet"
    file.write_bytes(b"PAR1 and then nothing")
    with pytest.raises(DataError, match=r"a\.parquet: cannot be read"):
        open_concepts(file)
    write_parquet(file)
    rewritten(file, question=polars.concat_list("question"))
    with pytest.raises(DataError, match=r"column 'question' holds List"):
        open_concepts(file)
    write_parquet(file)
    rewritten(file, image_path=polars.lit(7))
    with pytest.raises(DataError, match=r"field 'image_path': holds int, not a picture"):
        open_concepts(file)


def test_m5_a_table_made_of_parquet_without_pictures_gives_way_to_it(tmp_path: Path):
    write_parquet(tmp_path / "data" / "a.parquet")
    made = write_folders(tmp_path / "csv")
    (tmp_path / "dataset.csv").write_bytes((made / "dataset.csv").read_bytes())
    (made / "dataset.csv").rename(tmp_path / "dataset.csv")
    data = open_concepts(tmp_path)
    assert data.root == tmp_path / "unpacked"
    with pytest.raises(DataError, match="pictures were unpacked here"):
        open_concepts(tmp_path / "unpacked")


def test_endings_follow_the_bytes():
    assert ending_of(b"\x89PNG\r\n\x1a\n...") == ".png"
    assert ending_of(b"\xff\xd8\xff\xe0") == ".jpg"
    assert ending_of(b"\0\0\0\x20ftypavif") == ".avif"
    assert ending_of(b"GIF89a") == ".gif"
    assert ending_of(b"RIFF\0\0\0\0WAVE") == ""
