"""Building a folder of people (V10, V19, X6)."""

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from eyeprint.cli import people_build
from eyeprint.errors import CannotWrite, FolderBusy, FolderMismatch, StoreError, UsageError
from eyeprint.models.fakes import EchoChat
from eyeprint.people.backstories import SeedPlan
from eyeprint.people.build import BuildSettings, build_personas
from eyeprint.people.build_report import seed_notes, told
from eyeprint.people.chat_build import ChatShardWriter
from eyeprint.people.composed_seeds import compose_seed
from eyeprint.people.offline_writer import Made, OfflineSettings
from eyeprint.records.files import open_people
from eyeprint.records.people import FACETS
from eyeprint.store.folder_lock import FolderLock

SMALL = BuildSettings(n=1, people_per_shard=2)


def build(folder, n=5, seed=7, workers=1, **more):
    return build_personas(n, seed, folder, workers=workers, build=SMALL, **more)


def contents(folder):
    return {p.name: p.read_bytes() for p in Path(folder).iterdir() if not p.name.startswith(".")}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("people")
    build(folder)
    return folder


def test_v10_a_folder_of_shards_and_a_manifest_that_loads(whole):
    assert sorted(contents(whole)) == [
        "people-00000.jsonl",
        "people-00001.jsonl",
        "people-00002.jsonl",
        "people.json",
    ]
    people = open_people(whole)
    assert [person.id for person in people] == [f"p-{i:05d}" for i in range(5)]
    assert not people.faults
    first = json.loads((whole / "people-00000.jsonl").read_text().splitlines()[0])
    assert set(first) >= {"id", "seed", "demographics", "summary", "face", "build"}
    assert set(first["build"]) >= {"seed_index", "location_confidence", "regional_shares"}


def test_x6_two_workers_make_the_same_bytes(whole, tmp_path):
    build(tmp_path / "two", workers=2)
    assert contents(tmp_path / "two") == contents(whole)


def test_x6_the_first_people_do_not_depend_on_how_many_follow(whole, tmp_path):
    build(tmp_path / "fewer", n=2)
    shard = "people-00000.jsonl"
    assert (tmp_path / "fewer" / shard).read_bytes() == (whole / shard).read_bytes()


def test_x6_another_seed_makes_other_people(whole, tmp_path):
    build(tmp_path / "other", n=2, seed=8)
    shard = "people-00000.jsonl"
    assert (tmp_path / "other" / shard).read_bytes() != (whole / shard).read_bytes()


def test_a_repeated_build_makes_only_what_is_missing(whole, tmp_path):
    report = build(tmp_path / "again")
    assert (report.shards_made, report.shards_kept, report.people) == (3, 0, 5)
    (tmp_path / "again" / "people-00001.jsonl").unlink()
    (tmp_path / "again" / ".people-00001.jsonl.99.tmp").write_text("half a line")
    report = build(tmp_path / "again")
    assert (report.shards_made, report.shards_kept, report.people) == (1, 2, 5)
    assert contents(tmp_path / "again") == contents(whole)
    assert not list((tmp_path / "again").glob(".*.tmp"))


def test_an_interrupted_build_resumes_to_the_same_bytes(whole, tmp_path):
    def stop(done, total):
        assert total == 3
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build(tmp_path / "cut", on_shard=stop)
    manifest = json.loads((tmp_path / "cut" / "people.json").read_text())
    assert manifest["state"] == "building" and manifest["statistics"] is None
    build(tmp_path / "cut")
    assert contents(tmp_path / "cut") == contents(whole)


def test_other_settings_do_not_mix_in_one_folder(whole):
    before = contents(whole)
    with pytest.raises(FolderMismatch, match="other settings"):
        build(whole, seed=8)
    with pytest.raises(FolderMismatch, match="other settings"):
        build(whole, settings=OfflineSettings(faces=False))
    assert contents(whole) == before


def test_a_folder_of_strangers_is_left_alone(tmp_path):
    (tmp_path / "people-00000.jsonl").write_text("{}\n")
    with pytest.raises(FolderMismatch, match=r"no people\.json"):
        build(tmp_path)


def test_a_damaged_shard_is_named(tmp_path):
    build(tmp_path, n=2)
    (tmp_path / "people-00000.jsonl").write_text('{"id": "p-0')
    with pytest.raises(StoreError, match=r"people-00000\.jsonl: a damaged shard"):
        build(tmp_path, n=2)


def test_two_builds_at_once_in_one_folder_are_refused(tmp_path):
    lock = FolderLock(tmp_path)
    lock.take()
    try:
        with pytest.raises(FolderBusy, match="in use"):
            build(tmp_path, n=2)
    finally:
        lock.release()


def test_a_folder_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(CannotWrite, match="choose another folder"):
        build(tmp_path / "file" / "people", n=2)


def test_v19_excluded_people_are_counted(tmp_path):
    report = build(tmp_path, n=3, settings=OfflineSettings(least_valid_posts=31))
    assert report.people == 0
    assert report.statistics["people_excluded"] == 3
    again = build(tmp_path, n=3, settings=OfflineSettings(least_valid_posts=31))
    assert again.statistics == report.statistics


def test_v14_three_counts_of_elements_are_reported(whole):
    found = json.loads((whole / "people.json").read_text())["statistics"]
    records = [
        json.loads(line)
        for path in sorted(whole.glob("*.jsonl"))
        for line in path.read_text().splitlines()
    ]
    entries = [
        [e for groups in record["vocabulary"].values() for g in groups.values() for e in g]
        for record in records
    ]
    assert found["elements_after_pruning"] == sum(map(len, entries)) / 5
    drawn = [record["build"]["elements_before_pruning"] for record in records]
    assert all(set(counts) == set(FACETS) for counts in drawn)
    assert all(15 <= count <= 20 for counts in drawn for count in counts.values())
    assert found["elements_before_pruning"] == sum(sum(c.values()) for c in drawn) / 5
    assert found["elements_before_pruning"] >= found["elements_after_pruning"]
    assert found["elements_distinct"] == len({e for found in entries for e in found})
    assert found["regional_share_lowest"] >= 0.7
    assert found["kinds"] == {"activity": 55, "appreciation": 40, "selfie": 20, "shared": 35}


def test_v11_further_seeds_are_composed_and_counted(tmp_path, monkeypatch):
    monkeypatch.setattr(
        "eyeprint.people.build.load_seeds", lambda source, revision: ("A potter.", "A baker.")
    )
    report = build(tmp_path / "one", n=5)
    found = report.statistics
    assert (found["seeds_given"], found["seeds_composed"], found["seeds_reused"]) == (2, 3, 0)
    assert found["seed_rounds_repeated"] == 0 and not report.notes
    assert "seeds: 2 given, 3 composed, 0 used again" in told(report)
    build(tmp_path / "two", n=5, workers=2)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
    people = list(open_people(tmp_path / "one"))
    assert len({person.seed for person in people}) == 5
    assert sorted(p.build["seed_index"] for p in people) == [0, 1, 2, 3, 4]
    assert people[3].seed == compose_seed(3).text
    with pytest.raises(FolderMismatch, match="other settings"):
        reuse = BuildSettings(n=1, people_per_shard=2, further_seeds="reuse")
        build_personas(5, 7, tmp_path / "one", workers=1, build=reuse)


def test_v11_seeds_of_a_file_are_joined_by_composed_ones_only_when_asked(tmp_path):
    (tmp_path / "seeds.txt").write_text("A potter.\nA baker.\n")
    compose = BuildSettings(n=1, people_per_shard=2, further_seeds="compose")
    report = build_personas(
        3, 7, tmp_path / "people", workers=1, seeds=str(tmp_path / "seeds.txt"), build=compose
    )
    assert report.statistics["seeds_composed"] == 1
    assert list(open_people(tmp_path / "people"))[2].seed == compose_seed(2).text


def test_v11_a_hub_revision_that_can_change_is_told():
    plan = SeedPlan(("A potter.",), 1, compose=False)
    assert "revision 'main', which can change" in seed_notes(plan, "hub:", "main")[0]
    assert "revision 'v2'" in seed_notes(plan, "hub:v2", "main")[0]
    assert seed_notes(plan, "hub:", "a" * 40) == seed_notes(plan, "hub:" + "b" * 40, "main") == []
    assert seed_notes(plan, "", "main") == []


def test_v11_seeds_used_again_are_told(tmp_path):
    (tmp_path / "seeds.txt").write_text("A potter.\nA baker.\n")
    report = build(tmp_path / "people", n=5, seeds=str(tmp_path / "seeds.txt"))
    assert report.statistics["seed_rounds_repeated"] == 2
    assert report.statistics["seeds_reused"] == 3
    assert "up to 3 times" in report.notes[-1]
    texts = [person.captions for person in open_people(tmp_path / "people")]
    assert len(set(texts)) == 5


class Faulty:
    """A writer that cannot write every second person until it is mended."""

    name = "faulty"

    def __init__(self):
        self.mended = False
        self.asked = []

    def identity(self):
        return {"name": self.name}

    def write(self, people, run_seed):
        self.asked += [identity for identity, _ in people]
        return [self._one(i, identity, text) for i, (identity, text) in enumerate(people)]

    def _one(self, i, identity, text):
        if i % 2 and not self.mended:
            return Made(None, 0, ("no answer",))
        demographics = {"gender": "unknown", "country": "Chad", "occupation": "potter"}
        post = {"id": f"{identity}-p01", "kind": "selfie", "caption": text, "elements": {}}
        return Made(
            {
                "id": identity,
                "seed": text,
                "demographics": demographics,
                "vocabulary": {},
                "preferences": [],
                "posts": [post],
            },
            0,
        )


def test_people_that_a_writer_could_not_write_are_tried_again(tmp_path):
    writer = Faulty()
    report = build_personas(5, 7, tmp_path, writer, build=SMALL)
    assert (report.people, report.failed) == (3, 2)
    assert "p-00001: no answer" in report.notes
    writer.mended = True
    report = build_personas(5, 7, tmp_path, writer, build=SMALL)
    assert (report.people, report.failed, report.shards_kept) == (5, 0, 1)
    assert len(open_people(tmp_path)) == 5
    assert len(writer.asked) == 9  # all five, then the two shards with somebody missing


def test_a_chat_model_that_answers_nonsense_fails_by_name(tmp_path):
    report = build_personas(2, 7, tmp_path, ChatShardWriter("echo", EchoChat), build=SMALL)
    assert (report.people, report.failed) == (0, 2)
    assert all(note.startswith(("p-00000: ", "p-00001: ")) for note in report.notes)


def test_a_name_of_a_writer_needs_a_writer(tmp_path):
    with pytest.raises(UsageError, match="not 'gpt'"):
        build_personas(1, 7, tmp_path, "gpt")


def test_the_report_is_told_in_words(tmp_path):
    text = "\n".join(told(build(tmp_path, n=2)))
    assert "2 people with 60 posts" in text and "regional share" in text


@pytest.fixture
def command():
    app = typer.Typer()
    group = typer.Typer()
    people_build.register(group)
    app.add_typer(group, name="build")
    return lambda *arguments: CliRunner().invoke(app, ["build", "personas", *arguments])


def test_the_command_builds_and_resumes(command, tmp_path):
    arguments = ("-n", "2", "--out", str(tmp_path / "people"), "--workers", "1", "--no-faces")
    done = command(*arguments)
    assert done.exit_code == 0, done.output
    assert "2 people with 60 posts" in done.output and "1 shards made" in done.output
    assert "1 kept" in command(*arguments).output
    assert not hasattr(open_people(tmp_path / "people")["p-00000"], "face")


def test_v11_the_command_composes_beyond_given_seeds_when_asked(command, tmp_path):
    (tmp_path / "seeds.txt").write_text("A potter.\n")
    arguments = ("-n", "2", "--workers", "1", "--seeds", str(tmp_path / "seeds.txt"))
    done = command(*arguments, "--out", str(tmp_path / "a"))
    assert "1 given, 0 composed, 1 used again" in done.output, done.output
    done = command(*arguments, "--out", str(tmp_path / "b"), "--further-seeds", "compose")
    assert "1 given, 1 composed, 0 used again" in done.output, done.output
    assert command(*arguments, "--out", str(tmp_path / "c"), "--further-seeds", "x").exit_code == 2


def test_the_command_with_a_chat_model_ends_with_1_when_nobody_could_be_written(command, tmp_path):
    done = command("-n", "1", "--out", str(tmp_path / "people"), "--writer", "echo")
    assert done.exit_code == 1, done.output
    assert "could not be written" in done.output and "calls" in done.output
