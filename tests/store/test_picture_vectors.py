"""Each distinct picture is encoded once, ever; colour and gray apart (CHECKLIST X3)."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eyeprint.errors import ModelError
from eyeprint.models.kinds import ImageEncoder, Vectors
from eyeprint.models.pictures import gray
from eyeprint.records.pictures import Picture
from eyeprint.store.picture_vectors import PictureVectors


class MeanEncoder:
    """Mean colour and its spread as a unit vector; remembers what it was given."""

    name, dim, column = "mean", 6, "MEAN"

    def __init__(self, fingerprint: str = "f" * 64) -> None:
        self.fingerprint = fingerprint
        self.batches: list[list[str]] = []

    def encode_pictures(self, pictures: Sequence[Picture]) -> Vectors:
        self.batches.append([picture.sha256 for picture in pictures])
        rows = np.array(
            [[*p.pixels.mean((0, 1)), *p.pixels.std((0, 1)) + 1] for p in pictures], np.float32
        )
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def picture(seed: int) -> Picture:
    return Picture.of(np.random.default_rng(seed).integers(0, 256, (3, 4, 3), np.uint8))


def seen(encoder: MeanEncoder) -> list[str]:
    return [sha for batch in encoder.batches for sha in batch]


def test_x3_the_double_is_an_image_encoder() -> None:
    assert isinstance(MeanEncoder(), ImageEncoder)


@settings(max_examples=30)
@given(st.lists(st.lists(st.integers(0, 9), max_size=12), max_size=5), st.integers(1, 7))
def test_x3_rows_agree_with_encoding_each_alone_and_none_is_encoded_twice(
    calls: list[list[int]], batch: int
) -> None:
    encoder = MeanEncoder()
    vectors = PictureVectors(None, encoder, batch=batch)
    for i, seeds in enumerate(calls):
        colourless = i % 2 == 1
        pictures = [picture(seed) for seed in seeds]
        rows = vectors.rows(pictures, gray=colourless)
        slow = [gray(p) if colourless else p for p in pictures]
        assert rows.shape == (len(seeds), 6)
        assert rows.dtype == np.float32
        for row, one in zip(rows, slow, strict=True):
            assert np.array_equal(row, MeanEncoder().encode_pictures([one])[0])
    given_seeds = {(i % 2, seed) for i, seeds in enumerate(calls) for seed in seeds}
    assert len(seen(encoder)) == vectors.encoded == len(given_seeds)
    assert vectors.encoded + vectors.reused == sum(map(len, calls))
    assert all(len(each) <= batch for each in encoder.batches)


def test_x3_rows_on_disk_are_never_encoded_again(tmp_path: Path) -> None:
    pictures = [picture(i) for i in range(70)]
    first = PictureVectors(tmp_path, MeanEncoder())
    colour, without = first.rows(pictures), first.rows(pictures, gray=True)
    assert [len(batch) for batch in first.encoder.batches] == [32, 32, 6] * 2  # type: ignore[attr-defined]
    again = MeanEncoder()
    second = PictureVectors(tmp_path, again)
    assert np.array_equal(second.rows(pictures[::-1]), colour[::-1])
    assert np.array_equal(second.rows(pictures, gray=True), without)
    assert (second.encoded, second.reused, again.batches) == (0, 140, [])
    assert not np.array_equal(colour, without)
    assert second.notes == ()


def test_x3_another_encoder_has_rows_of_its_own(tmp_path: Path) -> None:
    PictureVectors(tmp_path, MeanEncoder("a" * 64)).rows([picture(0)])
    other = PictureVectors(tmp_path, MeanEncoder("b" * 64))
    other.rows([picture(0)])
    assert other.encoded == 1
    # The folder's name holds a part of the fingerprint only; the shard holds all of it.
    near = PictureVectors(tmp_path, MeanEncoder("a" * 63 + "0"))
    near.rows([picture(0)])
    assert near.encoded == 1
    assert "another encoder" in near.notes[0]


@pytest.mark.parametrize(
    "damage", ["cut matrix", "no manifest", "cut manifest", "nonsense", "not finite"]
)
def test_x3_a_damaged_shard_is_encoded_again_and_told(tmp_path: Path, damage: str) -> None:
    pictures = [picture(i) for i in range(5)]
    expected = PictureVectors(tmp_path, MeanEncoder()).rows(pictures)
    matrix, manifest = (next(tmp_path.rglob(f"colour-*.{kind}")) for kind in ("npy", "json"))
    if damage == "cut matrix":
        matrix.write_bytes(matrix.read_bytes()[:-7])
    elif damage == "no manifest":
        manifest.unlink()
    elif damage == "cut manifest":
        manifest.write_bytes(manifest.read_bytes()[:30])
    elif damage == "nonsense":
        matrix.write_bytes(b"\x00" * 10)
    else:
        raw = matrix.read_bytes()
        matrix.write_bytes(raw[:-48] + np.full(12, np.nan, np.float32).tobytes())
    vectors = PictureVectors(tmp_path, MeanEncoder())
    assert np.array_equal(vectors.rows(pictures), expected)
    assert vectors.encoded == (2 if damage == "not finite" else 5)
    assert bool(vectors.notes) == (damage != "no manifest")
    assert all("encoded again" in note for note in vectors.notes)
    if damage != "not finite":
        fresh = PictureVectors(tmp_path, MeanEncoder())
        assert np.array_equal(fresh.rows(pictures), expected)
        assert fresh.encoded == 0


def test_x3_a_folder_that_cannot_be_written_keeps_rows_in_memory(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    vectors = PictureVectors(tmp_path / "file", MeanEncoder())
    for _ in range(2):
        vectors.rows([picture(0), picture(1)])
    assert vectors.encoded == 2
    assert "in memory only" in vectors.notes[0]


def test_x3_a_generator_is_held_a_batch_at_a_time(tmp_path: Path) -> None:
    made: list[int] = []
    encoder = MeanEncoder()

    def opened() -> Iterator[Picture]:
        for i in range(10):
            # All before the current batch have been given to the encoder.
            assert i - len(seen(encoder)) <= 4
            made.append(i)
            yield picture(i)

    rows = PictureVectors(tmp_path, encoder, batch=4).rows(opened())
    assert rows.shape == (10, 6)
    assert made == list(range(10))
    assert PictureVectors(tmp_path, encoder).rows([]).shape == (0, 6)


def test_x3_what_another_process_wrote_meanwhile_is_taken_in(tmp_path: Path) -> None:
    mine, theirs = (PictureVectors(tmp_path, MeanEncoder()) for _ in range(2))
    theirs.rows([picture(0)])
    mine.rows([picture(0)])
    assert (mine.encoded, mine.reused) == (0, 1)


def _encode_some(folder: str, start: int) -> None:
    PictureVectors(folder, MeanEncoder(), batch=3).rows(
        picture(i) for i in range(start, start + 20)
    )


def test_x3_processes_may_share_a_folder(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_encode_some, args=(str(tmp_path), i)) for i in (0, 0, 10)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    vectors = PictureVectors(tmp_path, MeanEncoder())
    pictures = [picture(i) for i in range(30)]
    assert np.array_equal(vectors.rows(pictures), MeanEncoder().encode_pictures(pictures))
    assert (vectors.encoded, vectors.notes) == (0, ())


@pytest.mark.parametrize("wrong", ["shape", "length", "nan"])
def test_x3_an_encoder_that_breaks_its_contract_is_named(wrong: str) -> None:
    class Wrong(MeanEncoder):
        def encode_pictures(self, pictures: Sequence[Picture]) -> Vectors:
            rows = super().encode_pictures(pictures)
            return {"shape": rows[:, :2], "length": rows * 2, "nan": rows * np.float32("nan")}[
                wrong
            ]

    with pytest.raises(ModelError, match="The image encoder mean broke its contract"):
        PictureVectors(None, Wrong()).rows([picture(0)])
    with pytest.raises(ValueError, match="at least one"):
        PictureVectors(None, MeanEncoder(), batch=0)


def test_x3_what_was_added_batch_by_batch_is_in_whole_shards_and_never_encoded_again(
    tmp_path: Path,
) -> None:
    pictures = [picture(i) for i in range(300)]
    vectors = PictureVectors(tmp_path, MeanEncoder())
    for start in range(0, 300, 7):
        vectors.add(pictures[start : start + 7])
        vectors.add(pictures[start : start + 7], gray=True)
    # The first shard is written as soon as 256 rows are there, the rest when it is said.
    assert len(list(tmp_path.rglob("*.npy"))) == 2
    vectors.keep()
    assert len(list(tmp_path.rglob("*.npy"))) == 4
    vectors.keep()
    assert len(list(tmp_path.rglob("*.npy"))) == 4
    again = MeanEncoder()
    kept = PictureVectors(tmp_path, again)
    for colourless in (False, True):
        slow = [gray(p) if colourless else p for p in pictures]
        rows = kept.rows(pictures, gray=colourless)
        assert np.array_equal(rows, MeanEncoder().encode_pictures(slow))
    assert again.batches == []
    assert vectors.encoded == 600
    vectors.add(pictures)
    assert (vectors.encoded, vectors.reused) == (600, 300)
