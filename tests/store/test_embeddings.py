"""The shelf of vectors: computed once, kept whole, keyed by texts and encoder."""

from __future__ import annotations

import hashlib
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eyeprint.models.kinds import Encoded, Vectors
from eyeprint.records.people import Persona
from eyeprint.store.embeddings import PersonVectors, VectorShelf, person_vectors


class DigestEncoder:
    """Vectors from a text's SHA-256; over 40 characters a text counts as cut."""

    name, dim = "digest", 8

    def __init__(self, salt: str = "") -> None:
        self.salt = salt
        self.encoded: list[str] = []

    @property
    def fingerprint(self) -> str:
        return hashlib.sha256(b"digest" + self.salt.encode()).hexdigest()

    def encode_counted(self, texts: Sequence[str]) -> Encoded:
        self.encoded.extend(texts)
        rows = np.zeros((len(texts), self.dim), dtype=np.float32)
        for place, text in enumerate(texts):
            if text.strip():
                digest = hashlib.sha256((self.salt + text).encode()).digest()
                row = np.frombuffer(digest, dtype=np.int8)[: self.dim].astype(np.float32)
                rows[place] = row / np.linalg.norm(row)
        return Encoded(rows, np.array([len(text) > 40 for text in texts], dtype=bool))

    def encode(self, texts: Sequence[str]) -> Vectors:
        return self.encode_counted(texts).vectors


def make_person(
    name: str, captions: Sequence[str] = ("A red door.", "", "A blue door.")
) -> Persona:
    posts = [
        {
            "id": str(place),
            "caption": f"{caption} {name}" if caption.strip() else caption,
            "elements": {"objects": ["door", f"door of {name}"]},
        }
        for place, caption in enumerate(captions)
    ]
    return Persona(id=name, demographics={"country": "Chad"}, posts=posts)


def same(left: PersonVectors, right: PersonVectors) -> bool:
    return (
        left.person_id == right.person_id
        and left.encoder == right.encoder
        and left.element_texts == right.element_texts
        and (left.cut_captions, left.description_cut) == (right.cut_captions, right.description_cut)
        and np.array_equal(left.has_caption, right.has_caption)
        and left.captions.tobytes() == right.captions.tobytes()
        and left.description.tobytes() == right.description.tobytes()
        and left.elements.tobytes() == right.elements.tobytes()
    )


def stored_files(folder: Path) -> dict[str, bytes]:
    files = sorted((folder / ".vectors").rglob("*"))
    return {str(f.relative_to(folder)): f.read_bytes() for f in files if f.is_file()}


def test_person_vectors_follow_posts_and_phrases() -> None:
    encoder = DigestEncoder()
    vectors = person_vectors(make_person("Ada"), encoder)
    assert vectors.captions.shape == (3, 8)
    assert vectors.has_caption.tolist() == [True, False, True]
    assert not vectors.captions[1].any()
    np.testing.assert_array_equal(vectors.captions[2], encoder.encode(["A blue door. Ada"])[0])
    np.testing.assert_array_equal(
        vectors.description, encoder.encode([make_person("Ada").description()])[0]
    )
    assert vectors.element_texts == ("door", "door of Ada")
    np.testing.assert_array_equal(vectors.elements[0], encoder.encode(["door"])[0])


def test_phrases_are_embedded_only_when_asked_for() -> None:
    encoder = DigestEncoder()
    vectors = person_vectors(make_person("Ada"), encoder)
    assert "door" not in encoder.encoded
    assert vectors.elements.shape == (2, 8)
    assert encoder.encoded.count("door") == 1
    assert vectors.elements is vectors.elements


def test_cut_texts_are_counted() -> None:
    long = "A red door seen from across the whole wide street."
    vectors = person_vectors(make_person("Ada", (long, "A door.", long)), DigestEncoder())
    assert vectors.cut_captions == 2
    assert not vectors.description_cut


@pytest.mark.parametrize("captions", [(), ("", " ")])
def test_a_person_without_captions_has_empty_rows(captions: tuple[str, ...]) -> None:
    vectors = person_vectors(make_person("Ada", captions), DigestEncoder())
    assert vectors.captions.shape == (len(captions), 8)
    assert not vectors.has_caption.any()
    if not captions:
        assert vectors.elements.shape == (0, 8)


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from(["A", "B b", ""]), max_size=5), max_size=9),
    st.booleans(),
)
def test_stored_vectors_equal_fresh_ones(
    tmp_path_factory: pytest.TempPathFactory, captions: list[list[str]], needs_elements: bool
) -> None:
    folder = tmp_path_factory.mktemp("people")
    people = [make_person(f"p{i}", own) for i, own in enumerate(captions)]
    VectorShelf(folder, DigestEncoder()).prepare(people, needs_elements=needs_elements)
    reader = DigestEncoder()
    shelf = VectorShelf(folder, reader)
    for person in people:
        assert same(shelf.of(person), person_vectors(person, DigestEncoder()))
    # Nothing was computed again, save phrases that were not asked for beforehand.
    phrases = {text for person in people for text in person.elements}
    assert set(reader.encoded) <= (set() if needs_elements else phrases)


def test_prepare_computes_once_and_reports(tmp_path: Path) -> None:
    people = [make_person(f"p{i}") for i in range(150)]
    first = DigestEncoder()
    seen: list[int] = []
    result = VectorShelf(tmp_path, first).prepare(iter(people), seen.append)
    assert (result.people, result.computed, result.note) == (150, 150, "")
    assert seen == [64, 128, 150]
    again = DigestEncoder()
    result = VectorShelf(tmp_path, again).prepare(people)
    assert (result.people, result.computed) == (150, 0)
    assert again.encoded == []


def test_cut_texts_are_counted_over_all_people_also_when_stored(tmp_path: Path) -> None:
    long = "A red door seen from across the whole wide street."
    people = [make_person("a", (long, "A door.")), make_person("b", (long, long))]
    assert VectorShelf(tmp_path, DigestEncoder()).prepare(people).cut_texts == 3
    assert VectorShelf(tmp_path, DigestEncoder()).prepare(people).cut_texts == 3


def test_an_edited_person_is_computed_again(tmp_path: Path) -> None:
    VectorShelf(tmp_path, DigestEncoder()).prepare([make_person("p"), make_person("q")])
    edited = make_person("p", ("A green door.",))
    encoder = DigestEncoder()
    shelf = VectorShelf(tmp_path, encoder)
    assert shelf.prepare([edited, make_person("q")]).computed == 1
    assert same(shelf.of(edited), person_vectors(edited, DigestEncoder()))


def test_another_encoder_has_its_own_rows(tmp_path: Path) -> None:
    person = make_person("p")
    VectorShelf(tmp_path, DigestEncoder()).prepare([person])
    other = VectorShelf(tmp_path, DigestEncoder("other"))
    assert other.prepare([person]).computed == 1
    assert same(other.of(person), person_vectors(person, DigestEncoder("other")))
    assert len(list((tmp_path / ".vectors").iterdir())) == 2


def test_a_people_file_keeps_vectors_in_its_folder(tmp_path: Path) -> None:
    file = tmp_path / "people.jsonl"
    file.write_text("")
    VectorShelf(file, DigestEncoder()).prepare([make_person("p")])
    assert (tmp_path / ".vectors").is_dir()


def test_phrases_shared_by_people_are_embedded_once(tmp_path: Path) -> None:
    encoder = DigestEncoder()
    people = [make_person(f"p{i}") for i in range(100)]
    VectorShelf(tmp_path, encoder).prepare(people, needs_elements=True)
    assert encoder.encoded.count("door") == 1


def test_a_folder_that_cannot_be_written_falls_back_to_memory(tmp_path: Path) -> None:
    # A file stands where the folder should be: fails for root as well, unlike chmod.
    (tmp_path / ".vectors").write_text("in the way")
    encoder = DigestEncoder()
    shelf = VectorShelf(tmp_path, encoder)
    people = [make_person(f"p{i}") for i in range(3)]
    result = shelf.prepare(people, needs_elements=True)
    assert "memory only" in result.note
    assert result.note == shelf.note
    before = len(encoder.encoded)
    assert same(shelf.of(people[1]), person_vectors(people[1], DigestEncoder()))
    assert len(encoder.encoded) == before
    assert (tmp_path / ".vectors").read_text() == "in the way"


@pytest.mark.parametrize("damage", ["cut", "empty", "manifest"])
def test_a_damaged_shard_is_computed_again(tmp_path: Path, damage: str) -> None:
    person = make_person("p")
    VectorShelf(tmp_path, DigestEncoder()).prepare([person])
    (matrix,) = tmp_path.rglob("*.npy")
    (manifest,) = tmp_path.rglob("*.json")
    if damage == "manifest":
        manifest.write_text(manifest.read_text()[:-9])
    else:
        matrix.write_bytes(matrix.read_bytes()[: -9 if damage == "cut" else 0])
    encoder = DigestEncoder()
    shelf = VectorShelf(tmp_path, encoder)
    assert shelf.prepare([person]).computed == 1
    assert same(shelf.of(person), person_vectors(person, DigestEncoder()))
    # And the shard is whole again for the next process.
    assert VectorShelf(tmp_path, DigestEncoder()).prepare([person]).computed == 0


def test_people_outside_the_folder_are_remembered_up_to_a_limit() -> None:
    encoder = DigestEncoder()
    shelf = VectorShelf(None, encoder, remember=2)
    a, b, c = (make_person(name) for name in "abc")
    assert shelf.of(a) is shelf.of(a)
    shelf.of(b)
    shelf.of(a)
    shelf.of(c)
    count = len(encoder.encoded)
    shelf.of(a)
    assert len(encoder.encoded) == count
    shelf.of(b)
    assert len(encoder.encoded) > count


def test_a_pickled_shelf_reads_the_same_rows(tmp_path: Path) -> None:
    person = make_person("p")
    shelf = VectorShelf(tmp_path, DigestEncoder())
    shelf.prepare([person], needs_elements=True)
    copy = pickle.loads(pickle.dumps(shelf))
    assert same(copy.of(person), shelf.of(person))


_WRITER = """
    import sys
    sys.path.insert(0, {tests!r})
    from test_embeddings import DigestEncoder, VectorShelf, make_person
    import time
    class Slow(DigestEncoder):
        def encode_counted(self, texts):
            time.sleep({pause})
            return super().encode_counted(texts)
    people = [make_person(f"p{{i}}") for i in range(400)]
    print("ready", flush=True)
    VectorShelf({folder!r}, Slow()).prepare(people, needs_elements=True)
"""


def _start_writer(folder: Path, pause: float) -> subprocess.Popen[str]:
    code = textwrap.dedent(_WRITER).format(
        tests=str(Path(__file__).parent), folder=str(folder), pause=pause
    )
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)


def test_two_processes_at_once_leave_whole_equal_shards(tmp_path: Path) -> None:
    alone, shared = tmp_path / "alone", tmp_path / "shared"
    people = [make_person(f"p{i}") for i in range(400)]
    VectorShelf(alone, DigestEncoder()).prepare(people, needs_elements=True)
    writers = [_start_writer(shared, 0.01) for _ in range(2)]
    assert [writer.wait(30) for writer in writers] == [0, 0]
    for writer in writers:
        assert writer.stdout is not None
        writer.stdout.close()
    encoder = DigestEncoder()
    shelf = VectorShelf(shared, encoder)
    for person in people[::37]:
        assert same(shelf.of(person), person_vectors(person, DigestEncoder()))
    assert encoder.encoded == []
    assert not [name for name in stored_files(shared) if name.endswith(".tmp")]


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_killed_process_loses_no_finished_shard(tmp_path: Path) -> None:
    writer = _start_writer(tmp_path, 0.05)
    deadline = time.monotonic() + 30
    while not list(tmp_path.rglob("captions-*.json")) and time.monotonic() < deadline:
        time.sleep(0.01)
    os.kill(writer.pid, signal.SIGKILL)
    writer.wait(30)
    assert writer.stdout is not None
    writer.stdout.close()
    people = [make_person(f"p{i}") for i in range(400)]
    encoder = DigestEncoder()
    result = VectorShelf(tmp_path, encoder).prepare(people, needs_elements=True)
    assert 0 < result.computed <= 400 - 64
    shelf = VectorShelf(tmp_path, DigestEncoder())
    for person in people[::37]:
        assert same(shelf.of(person), person_vectors(person, DigestEncoder()))
