"""The image gate: awkward files become the right pixels or a named error (CHECKLIST X3, X4)."""

from __future__ import annotations

import hashlib
import io
import os
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from PIL import Image, ImageFile

from eyeprint.errors import DataError, UnreadablePicture, UsageError
from eyeprint.models.pictures import (
    GateSettings,
    fitted_size,
    gray,
    image_part,
    is_picture_file,
    open_picture,
    png_bytes,
    resized,
)
from eyeprint.records.pictures import Picture, pixel_hash
from tests.models.awkward_files import (
    SCENE,
    bombs,
    saved,
    scene_file,
    upright,
    with_orientation,
)

LOSSLESS = ("PNG", "WEBP", "TIFF", "BMP", "PPM")
FILES = {name: scene_file(name) for name in (*LOSSLESS, "JPEG", "GIF", "AVIF", "JPEG2000")}


def why(source: object, name: str = "", limits: GateSettings | None = None) -> str:
    with pytest.raises(UnreadablePicture) as caught:
        open_picture(source, limits, name)  # type: ignore[arg-type]
    assert isinstance(caught.value, DataError)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("format", LOSSLESS)
def test_x3_a_lossless_file_gives_its_very_pixels(format: str, tmp_path: Path) -> None:
    path = tmp_path / f"scene.{format.lower()}"
    path.write_bytes(FILES[format])
    picture = open_picture(path)
    assert np.array_equal(picture.pixels, SCENE)
    assert picture.sha256 == pixel_hash(SCENE)
    facts = picture.facts
    assert (facts.source, facts.format, facts.mode, facts.frames) == (str(path), format, "RGB", 1)
    assert facts.done == ()
    assert facts.file_sha256 == hashlib.sha256(FILES[format]).hexdigest()


def test_x3_path_text_bytes_image_and_array_are_one_picture(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(FILES["PNG"])
    with Image.open(path) as image:
        sources = [path, str(path), FILES["PNG"], image, SCENE.copy()]
        assert len({open_picture(source).sha256 for source in sources}) == 1


@pytest.mark.parametrize("format", ["JPEG", "GIF", "AVIF", "JPEG2000"])
def test_x3_lossy_files_are_read_by_their_own_decoder(format: str) -> None:
    picture = open_picture(FILES[format])
    assert (picture.width, picture.height, picture.facts.format) == (4, 3, format)
    assert np.abs(picture.pixels.astype(int) - SCENE.astype(int)).mean() < 30


@pytest.mark.parametrize("format", ["PNG", "WEBP", "TIFF"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_x3_all_eight_orientations_come_out_upright(format: str, orientation: int) -> None:
    picture = open_picture(with_orientation(format, orientation))
    assert np.array_equal(picture.pixels, upright(SCENE, orientation))
    told = () if orientation == 1 else (f"turned upright (orientation {orientation})",)
    assert picture.facts.done == told


@pytest.mark.parametrize("orientation", range(1, 9))
def test_x3_orientation_of_a_jpeg_and_of_an_opened_image(orientation: int) -> None:
    data = with_orientation("JPEG", orientation)
    stored = np.asarray(Image.open(io.BytesIO(data)))
    for source in (data, Image.open(io.BytesIO(data))):
        assert np.array_equal(open_picture(source).pixels, upright(stored, orientation))


def test_x3_an_opened_image_is_left_as_it_was() -> None:
    for format in ("JPEG", "TIFF"):
        image = Image.open(io.BytesIO(with_orientation(format, 6)))
        first, again = open_picture(image), open_picture(image)
        assert first == again
        assert first.pixels.shape == (4, 3, 3)


@pytest.mark.parametrize("wrong", [0, 9, 65535])
def test_x3_an_orientation_that_means_nothing_is_left_and_told(wrong: int) -> None:
    picture = open_picture(with_orientation("PNG", wrong))
    assert np.array_equal(picture.pixels, SCENE)
    assert picture.facts.done == (f"left as stored (EXIF orientation unknown ({wrong}))",)


@pytest.mark.parametrize("format", ["GIF", "PNG", "WEBP", "TIFF"])
def test_x3_the_first_frame_of_an_animation_is_used(format: str) -> None:
    frames = [Image.new("RGB", (5, 4), colour) for colour in ("red", "lime", "blue")]
    options = {"lossless": True} if format == "WEBP" else {}
    data = saved(frames[0], format, save_all=True, append_images=frames[1:], **options)
    picture = open_picture(data)
    assert np.all(picture.pixels == (255, 0, 0))
    assert picture.facts.frames == 3
    assert "first of 3 frames" in picture.facts.done


def test_x3_damaged_later_frames_do_not_harm_the_first() -> None:
    frames = [Image.new("RGB", (50, 40), colour) for colour in ("red", "lime", "blue")]
    data = saved(frames[0], "GIF", save_all=True, append_images=frames[1:])
    picture = open_picture(data[: len(data) - 20])
    assert np.all(picture.pixels == (255, 0, 0))


@pytest.mark.parametrize("format", sorted(bombs()))
def test_x3_a_bomb_is_refused_by_its_header(format: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        told = why(bombs()[format], f"bomb.{format.lower()}")
    assert "more than the limit of 100,000,000" in told
    assert told.startswith(f"bomb.{format.lower()}: ")


def test_x3_the_limit_is_ours_and_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "4 x 3 pixels are more than the limit of 11" in why(
        FILES["PNG"], limits=GateSettings(max_pixels=11)
    )
    assert open_picture(FILES["PNG"], GateSettings(max_pixels=12)).width == 4
    # The library would refuse 12 pixels, were its limit of 5 asked.
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for format in ("PNG", "JPEG", "BMP"):
            assert open_picture(FILES[format]).width == 4
    # These two ask it before they tell us the size, in later releases of the library.
    for format in ("WEBP", "TIFF"):
        try:
            assert open_picture(FILES[format]).width == 4
        except UnreadablePicture as error:
            assert "more than the limit of 10" in str(error)


def test_x3_small_sides_and_large_files_are_refused(tmp_path: Path) -> None:
    assert "shorter than 4" in why(FILES["PNG"], limits=GateSettings(min_side=4))
    assert "shorter than 4" in why(SCENE.copy(), limits=GateSettings(min_side=4))
    path = tmp_path / "large.png"
    path.write_bytes(FILES["PNG"])
    assert "the limit is 20" in why(path, limits=GateSettings(max_bytes=20))


@pytest.mark.parametrize("format", sorted(FILES))
def test_x3_a_file_cut_in_half_is_refused(format: str) -> None:
    # Noise of one hue after another: half of the file is half of the pixels.
    noise = np.random.default_rng(1).integers(0, 256, (64, 64, 3), np.uint8)
    whole = saved(Image.fromarray(noise), format)
    told = why(whole[: len(whole) // 2], "half")
    assert told.startswith(f"half: the {format} file is damaged or cut short")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "is empty"),
        (b"<!DOCTYPE html><html>404</html>", "web page (HTML)"),
        (b"\xef\xbb\xbf\n <html lang=en>", "web page (HTML)"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "drawing (SVG)"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:1", "git lfs pull"),
        (b"%PDF-1.7", "PDF"),
        (b"\x00\x00\x00\x18ftypheic\x00\x00\x00\x00", "HEIC"),
        ("Straße: nicht gefunden".encode(), "text, not a picture; it begins 'Straße"),
        (bytes(range(256)), "no picture. Formats that are read: JPEG, PNG"),
        (b"\x89PNG\r\n\x1a\n", "PNG file is damaged or cut short"),
        (b"\xff\xd8\xff", "JPEG file is damaged or cut short"),
    ],
)
def test_x3_what_is_no_picture_is_called_what_it_is(data: bytes, words: str) -> None:
    assert words in why(data, "pretender.png")


def test_x3_the_real_format_counts_not_the_ending(tmp_path: Path) -> None:
    path = tmp_path / "photo.jpg"
    path.write_bytes(FILES["PNG"])
    facts = open_picture(path).facts
    assert facts.format == "PNG"
    assert facts.done == ("read as PNG in spite of its ending .jpg",)
    bare = tmp_path / "photo"
    bare.write_bytes(FILES["PNG"])
    assert open_picture(bare).facts.done == ()


def test_x3_folders_missing_files_and_devices_are_told(tmp_path: Path) -> None:
    assert "folder" in why(tmp_path)
    assert "no such file" in why(tmp_path / "none.png")
    (tmp_path / "file").write_bytes(b"x")
    assert "no such file" in why(tmp_path / "file" / "none.png")
    assert "too long" in why(tmp_path / ("x" * 300 + ".png"))
    assert "such a name" in why("a\0b.png")
    loop = tmp_path / "loop.png"
    loop.symlink_to(loop)
    assert "leads back" in why(loop)
    os.mkfifo(tmp_path / "pipe.png")
    assert "no regular file" in why(tmp_path / "pipe.png")


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may read everything")
def test_x3_a_forbidden_file_is_told(tmp_path: Path) -> None:
    path = tmp_path / "secret.png"
    path.write_bytes(FILES["PNG"])
    path.chmod(0)
    assert "permission" in why(path)


def test_x3_names_of_any_letters_and_lengths_are_read(tmp_path: Path) -> None:
    names = ["Straße 東京 🌆.png", "x" * 240 + ".png", " .. odd\nname.png", "%s{0}.png"]
    for name in names:
        path = tmp_path / name
        path.write_bytes(FILES["PNG"])
        assert open_picture(path).facts.source == str(path)
        path.write_bytes(b"")
        assert len(why(path)) < 400
    raw = os.fsdecode(os.fsencode(tmp_path) + b"/not-utf8-\xff.png")
    Path(raw).write_bytes(FILES["PNG"])
    source = open_picture(raw).facts.source
    assert source.endswith("not-utf8-\ufffd.png")
    assert "not-utf8" in why(raw[:-4] + ".webp")
    assert open_picture(FILES["PNG"], name="half \ud800").facts.source == "half \ufffd"
    assert "such a name" in why(str(tmp_path) + "/half \ud800.png")


def test_x3_arrays_of_every_kind() -> None:
    ramp = np.array([[0.0, 0.5, 1.0]])
    assert open_picture(ramp).pixels[0, :, 0].tolist() == [0, 128, 255]
    assert open_picture(np.array([[True, False]])).pixels[0, :, 0].tolist() == [255, 0]
    deep = np.array([[0, 257, 65535]], np.uint16)
    assert open_picture(deep).pixels[0, :, 0].tolist() == [0, 1, 255]
    veil = np.array([[[0, 0], [0, 255]]], np.uint8)
    assert open_picture(veil).pixels[0, :, 0].tolist() == [255, 0]
    assert np.array_equal(open_picture(SCENE[:, ::-1]).pixels, SCENE[:, ::-1])
    assert open_picture(np.zeros((2, 3, 1), np.uint8)).pixels.shape == (2, 3, 3)
    for wrong in (np.zeros((3, 9, 9), np.uint8), np.zeros(5, np.uint8), np.zeros((0, 3, 3))):
        assert "no picture" in why(wrong)
    assert "channels come last" in why(np.zeros((3, 9, 9), np.uint8))
    for values in (np.array([[2.0]]), np.array([[np.nan]]), np.array([[-1]]), np.array([[300]])):
        assert "no picture" in why(values)


def test_x3_the_callers_array_stays_writeable() -> None:
    own = SCENE.copy()
    picture = open_picture(own)
    own[:] = 0
    assert np.array_equal(picture.pixels, SCENE)
    assert not picture.pixels.flags.writeable


def test_x3_settings_are_checked() -> None:
    with pytest.raises(UsageError, match="background"):
        GateSettings.checked({"background": [0, 0, 256]})
    with pytest.raises(UsageError, match="max_pixels"):
        GateSettings.checked({"max_pixels": 0})


@settings(max_examples=150)
@given(
    name=st.sampled_from(sorted(FILES)),
    cut=st.integers(0, 400),
    flips=st.lists(st.tuples(st.integers(0, 399), st.integers(0, 255)), max_size=4),
)
def test_x3_damage_ends_in_a_picture_or_a_named_error(
    name: str, cut: int, flips: list[tuple[int, int]]
) -> None:
    data = bytearray(FILES[name])
    for place, value in flips:
        data[place % len(data)] = value
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            picture = open_picture(bytes(data[: len(data) - cut % len(data)]), name="hurt")
        except UnreadablePicture as error:
            assert str(error).startswith("hurt: ")
        else:
            assert picture.pixels.ndim == 3


@settings(max_examples=40)
@given(arrays(np.uint8, st.tuples(st.integers(1, 9), st.integers(1, 9), st.just(3))))
def test_x4_png_bytes_lose_nothing_and_are_the_same_each_time(pixels: np.ndarray) -> None:
    picture = open_picture(pixels)
    data = png_bytes(picture)
    assert data == png_bytes(Picture.of(picture.pixels.copy()))
    assert np.array_equal(open_picture(data).pixels, pixels)
    assert open_picture(data).facts.done == ()


@settings(max_examples=60)
@given(arrays(np.uint8, (2, 3, 3)))
def test_x3_gray_is_the_published_luma(pixels: np.ndarray) -> None:
    out = gray(open_picture(pixels)).pixels
    weights = np.array([19595, 38470, 7471])  # 0.299, 0.587, 0.114 in 1/65536
    slow = (pixels.astype(np.int64) @ weights + 0x8000) >> 16
    assert np.array_equal(out, np.repeat(slow[:, :, None], 3, axis=2))


def test_x3_resized_keeps_what_has_the_size_already() -> None:
    picture = open_picture(SCENE)
    assert resized(picture, 4, 3) is picture
    small = resized(picture, 2, 1)
    assert (small.width, small.height) == (2, 1)
    assert small.facts.done == ("resized to 2 x 1",)
    expected = Image.fromarray(SCENE).resize((2, 1), Image.Resampling.BICUBIC)
    assert np.array_equal(small.pixels, np.asarray(expected))
    with pytest.raises(ValueError, match="cannot be made"):
        resized(picture, 0, 5)


@given(st.integers(1, 9000), st.integers(1, 9000), st.integers(1, 3000))
def test_x1_fitted_sizes_fit_and_keep_the_shape(width: int, height: int, most: int) -> None:
    w, h = fitted_size(width, height, most)
    assert 1 <= w <= most or w == width <= most
    assert 1 <= h <= most
    if max(width, height) > most:
        assert max(w, h) == most
        assert abs(w * height - h * width) <= max(width, height)


def test_x1_an_image_part_holds_what_is_sent() -> None:
    big = open_picture(np.random.default_rng(0).integers(0, 256, (300, 600, 3), np.uint8))
    part = image_part(big, max_side=100)
    assert (part.width, part.height, part.media_type) == (100, 50, "image/png")
    sent = open_picture(part.data)
    assert sent.sha256 == part.sha256 == resized(big, 100, 50).sha256
    whole = image_part(big, max_side=None)
    assert whole.sha256 == big.sha256
    assert image_part(big, max_side=1000).data == whole.data
    assert image_part(big, max_side=100) is part
    with pytest.raises(ValueError, match="at least 1"):
        image_part(big, max_side=0)


def test_x3_files_that_mean_to_be_pictures_are_found(tmp_path: Path) -> None:
    for name, data in {
        "a.png": FILES["PNG"],
        "b.JPG": b"",
        "bare": FILES["WEBP"],
        "notes.txt": b"a red door",
        "._a.png": FILES["PNG"],
    }.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "folder.png").mkdir()
    found = {path.name for path in tmp_path.iterdir() if is_picture_file(path)}
    assert found == {"a.png", "b.JPG", "bare"}
    assert not is_picture_file("a\0b.png")


def test_x3_no_switch_of_the_library_is_turned() -> None:
    before = (Image.MAX_IMAGE_PIXELS, ImageFile.LOAD_TRUNCATED_IMAGES)
    for data in (*FILES.values(), *bombs().values(), b""):
        try:
            open_picture(data)
        except UnreadablePicture:
            continue
    assert before == (Image.MAX_IMAGE_PIXELS, ImageFile.LOAD_TRUNCATED_IMAGES)


def test_x3_a_switch_that_hides_damage_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ImageFile, "LOAD_TRUNCATED_IMAGES", True)
    assert "LOAD_TRUNCATED_IMAGES is on" in open_picture(FILES["JPEG"]).facts.done[-1]


def test_x3_threads_open_pictures_at_once() -> None:
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(open_picture, [FILES[name] for name in LOSSLESS] * 20))
    assert {picture.sha256 for picture in found} == {pixel_hash(SCENE)}


def test_x3_the_gate_costs_nothing_before_the_first_picture() -> None:
    code = (
        "import eyeprint.models.pictures, eyeprint.models.canvases, eyeprint.store.picture_vectors;"
        "import sys; print('PIL' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
