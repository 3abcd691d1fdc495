"""A folder of pictures by pixel hash: whole, once, and checked when read (CHECKLIST X4)."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from eyeprint.errors import CannotWrite, StoreError
from eyeprint.models.pictures import open_picture, png_bytes
from eyeprint.records.pictures import Picture
from eyeprint.store.picture_files import PictureFiles


def noise(seed: int, width: int = 40, height: int = 30) -> Picture:
    pixels = np.random.default_rng(seed).integers(0, 256, (height, width, 3), np.uint8)
    return Picture.of(pixels)


def test_x4_a_picture_is_written_once_and_read_back(tmp_path: Path) -> None:
    files = PictureFiles(tmp_path / "pictures")
    picture = noise(1)
    assert picture.sha256 not in files
    assert files.put(picture) == picture.sha256
    path = files.path(picture.sha256)
    assert path == tmp_path / "pictures" / f"{picture.sha256}.png"
    before = path.stat().st_mtime_ns
    files.put(Picture.of(picture.pixels.copy()))
    assert path.stat().st_mtime_ns == before
    assert picture.sha256 in files
    assert np.array_equal(files.get(picture.sha256).pixels, picture.pixels)
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_x4_a_damaged_file_is_told_and_never_passed_on(tmp_path: Path) -> None:
    files = PictureFiles(tmp_path)
    sha = files.put(noise(1))
    path = files.path(sha)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(StoreError, match=r"damaged .*Delete it\. Run the command that made"):
        files.get(sha)
    path.write_bytes(png_bytes(noise(2)))
    with pytest.raises(StoreError, match="other pixels than its name says"):
        files.get(sha)
    with pytest.raises(StoreError, match="other pixels"):
        files.thumbnail(sha, 10)
    path.unlink()
    with pytest.raises(StoreError, match="not there"):
        files.get(sha)
    assert files.get(files.put(noise(1))) == noise(1)


@pytest.mark.parametrize("name", ["", "../secret", "A" * 64, "0" * 63, "0" * 64 + "\n", "a/b"])
def test_x4_only_hashes_name_files(tmp_path: Path, name: str) -> None:
    files = PictureFiles(tmp_path)
    assert name not in files
    for use in (files.path, files.get):
        with pytest.raises(StoreError, match="not the hash of a picture"):
            use(name)
    assert 5 not in files


def test_x4_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(CannotWrite):
        PictureFiles(tmp_path / "file").put(noise(1))


@pytest.mark.parametrize(
    ("format", "magic"), [("JPEG", b"\xff\xd8"), ("PNG", b"\x89P"), ("WEBP", b"RI")]
)
def test_x4_thumbnails_keep_the_shape_and_are_the_same_each_time(
    tmp_path: Path, format: str, magic: bytes
) -> None:
    files = PictureFiles(tmp_path)
    sha = files.put(noise(3))
    data = files.thumbnail(sha, 20, format)  # type: ignore[arg-type]
    assert data.startswith(magic)
    small = open_picture(data)
    assert (small.width, small.height) == (20, 15)
    assert data == files.thumbnail(sha, 20, format)  # type: ignore[arg-type]
    whole = open_picture(files.thumbnail(sha, 4000, format))  # type: ignore[arg-type]
    assert (whole.width, whole.height) == (40, 30)
    with pytest.raises(ValueError, match="at least 1"):
        files.thumbnail(sha, 0)


def test_x4_threads_may_put_one_picture_at_once(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        shas = list(pool.map(lambda i: PictureFiles(tmp_path).put(noise(i % 3)), range(48)))
    assert len(set(shas)) == len(list(tmp_path.iterdir())) == 3
    for sha in set(shas):
        assert PictureFiles(tmp_path).get(sha).sha256 == sha


def _put_all(folder: str) -> None:
    for seed in range(10):
        PictureFiles(folder).put(noise(seed))


def test_x4_processes_may_share_a_folder(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_put_all, args=(str(tmp_path),)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0]
    assert sorted(p.stem for p in tmp_path.iterdir()) == sorted(noise(i).sha256 for i in range(10))
