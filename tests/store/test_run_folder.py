"""Run folders: one at a time, the same settings, whole files (CHECKLIST X10, X17)."""

from __future__ import annotations

import errno
import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import eyeprint
from eyeprint.config import Settings
from eyeprint.errors import CannotWrite, FolderBusy, FolderMismatch, StoreError
from eyeprint.records.whole_files import write_whole
from eyeprint.store.accounts import Accounts
from eyeprint.store.run_folder import RunFolder
from eyeprint.store.shards import FailedItem, Row, ShardTable, row_json


class Inner(Settings):
    tau: float = 0.1


class Demo(Settings):
    seed: int = 7
    inner: Inner = Inner()
    tasks: tuple[str, ...] = ("a", "b")


@pytest.fixture
def full_disk() -> Iterator[None]:
    """No file may grow beyond 64 KiB: the system's own refusal, without a small disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (65536, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Path]:
    """A folder in which nobody can write: permissions bind only those who are not root."""
    folder = tmp_path / "read-only"
    folder.mkdir()
    if os.geteuid() == 0:
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "ro", "tmpfs", str(folder)], capture_output=True
        )
        if mounted.returncode != 0:
            pytest.skip("root may write everywhere, and cannot mount here")
        yield folder
        subprocess.run(["umount", str(folder)], check=True)
    else:
        folder.chmod(0o500)
        yield folder
        folder.chmod(0o700)


def test_x10_the_manifest_holds_settings_version_and_fingerprint(tmp_path: Path) -> None:
    with RunFolder.open(tmp_path / "run", Demo()) as run:
        assert not run.resumed
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    assert manifest == {
        "format": 1,
        "kind": "run",
        "version": eyeprint.__version__,
        "fingerprint": Demo().fingerprint(),
        "settings": {"seed": 7, "inner": {"tau": 0.1}, "tasks": ["a", "b"]},
    }
    with RunFolder.open(tmp_path / "other", Demo()):
        pass
    assert (tmp_path / "run/manifest.json").read_bytes() == (
        tmp_path / "other/manifest.json"
    ).read_bytes()


def test_x17_the_same_settings_resume_and_others_are_refused_by_name(tmp_path: Path) -> None:
    with RunFolder.open(tmp_path, Demo()):
        pass
    with RunFolder.open(tmp_path, Demo()) as run:
        assert run.resumed
    changed = Demo(seed=8, inner=Inner(tau=0.2), tasks=("a",))
    with pytest.raises(FolderMismatch) as caught:
        RunFolder.open(tmp_path, changed)
    text = str(caught.value)
    assert "inner.tau was 0.1 and is now 0.2" in text
    assert "seed was 7 and is now 8" in text
    assert 'tasks was ["a", "b"] and is now ["a"]' in text
    with RunFolder.open(tmp_path, Demo()):
        pass  # The refusal left no lock behind.


def test_a_run_of_another_kind_is_refused(tmp_path: Path) -> None:
    with RunFolder.open(tmp_path, {"seed": 7}, kind="vptt"):
        pass
    with pytest.raises(FolderMismatch, match="kind 'vptt', not 'pipbench'"):
        RunFolder.open(tmp_path, {"seed": 7}, kind="pipbench")


def test_new_and_lost_settings_are_named(tmp_path: Path) -> None:
    with RunFolder.open(tmp_path, {"a": 1, "b": 2}):
        pass
    with pytest.raises(FolderMismatch, match="a was 1 and is now unset; c was unset and is now 3"):
        RunFolder.open(tmp_path, {"b": 2, "c": 3})


def test_x10_hashes_that_differ_are_not_printed(tmp_path):
    with RunFolder.open(tmp_path / "run", {"data": "a" * 64}):
        pass
    with pytest.raises(FolderMismatch, match=r"settings: data is not what it was \(contents"):
        RunFolder.open(tmp_path / "run", {"data": "b" * 64})


def test_x17_a_second_run_in_the_folder_is_told_who_is_first(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom eyeprint.store.run_folder import RunFolder\n"
        f"run = RunFolder.open({str(tmp_path)!r}, {{'seed': 7}})\n"
        "print('open', flush=True)\nsys.stdin.read()"
    )
    first = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert first.stdout is not None
    assert first.stdin is not None
    assert first.stdout.readline() == "open\n"
    with pytest.raises(FolderBusy, match=rf"process {first.pid} on .*, since 20\d\d-"):
        RunFolder.open(tmp_path, {"seed": 7})
    first.kill()
    first.wait()
    first.stdin.close()
    first.stdout.close()
    with RunFolder.open(tmp_path, {"seed": 7}) as run:
        assert run.resumed, "a killed process leaves no stale lock"
        with pytest.raises(FolderBusy, match=str(os.getpid())):
            RunFolder.open(tmp_path, {"seed": 7})


def test_a_damaged_manifest_is_told(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text('{"settings": ')
    with pytest.raises(StoreError, match="no manifest"):
        RunFolder.open(tmp_path, {"seed": 7})


@settings(max_examples=15)
@given(st.permutations(range(12)), st.integers(1, 5))
def test_x17_the_merged_table_depends_on_the_items_alone(order: list[int], size: int) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        table = ShardTable(Path(name))
        rows = [Row(i, f"k{i}", row_json({"i": i, "text": "x,] y"})) for i in order]
        for start in range(0, len(rows), size):
            table.append(rows[start : start + size])
        # A second session begins in the middle of nothing and merges the same.
        again = ShardTable(Path(name))
        assert again.done_keys() == {f"k{i}": i for i in range(12)}
        assert again.finish() == 12
        expected = "".join(f'{{"i":{i},"text":"x,] y"}}\n' for i in range(12))
        assert again.merged_path.read_text() == expected


@settings(max_examples=25)
@given(st.text(st.characters(exclude_categories=("Cs",))), st.text(st.characters()))
def test_keys_and_texts_of_any_kind_survive_the_shards(key: str, text: str) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        table = ShardTable(Path(name))
        table.append([Row(0, key, row_json([text])), Row(1, key + "2", row_json(None))])
        assert table.done_keys() == {key: 0, key + "2": 1}
        assert table.finish() == 2
        lines = table.merged_path.read_bytes().split(b"\n")
        assert len(lines) == 3, "a row is a line"
        assert json.loads(lines[0]) == json.loads(row_json([text]))


def test_more_shards_than_files_may_be_open(tmp_path: Path) -> None:
    table = ShardTable(tmp_path)
    for i in range(150):
        table.append([Row((i * 77) % 150, str(i), row_json(i))])
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(before[0], 128), before[1]))
    try:
        assert table.finish() == 150
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    assert [int(line) for line in table.merged_path.read_text().split()] == [
        (i * 113) % 150 for i in range(150)
    ], "113 * 77 = 1 modulo 150"


def test_half_written_files_are_cleaned_up(tmp_path: Path) -> None:
    with RunFolder.open(tmp_path, {}) as run:
        run.table().append([Row(0, "a", "1")])
    (tmp_path / "results" / ".part-00001.jsonl.99.tmp").write_text('[1,"b",{"tr')
    (tmp_path / ".results.jsonl.99.tmp").write_text("{")
    with RunFolder.open(tmp_path, {}) as run:
        assert run.table().done_keys() == {"a": 0}
    assert not list(tmp_path.rglob("*.tmp"))


@pytest.mark.parametrize("line", ['[1,"b",{"tr', "nonsense\n", '[x,"b",1]\n', '{"a":1}\n', "\n"])
def test_a_damaged_shard_is_named(tmp_path: Path, line: str) -> None:
    table = ShardTable(tmp_path)
    table.append([Row(0, "a", "1")])
    with (tmp_path / "results/part-00000.jsonl").open("a") as file:
        file.write(line)
    with pytest.raises(StoreError, match=r"part-00000\.jsonl, at byte 10: .*Delete this"):
        table.done_keys()


def test_two_different_rows_for_one_item_are_an_error(tmp_path: Path) -> None:
    table = ShardTable(tmp_path)
    table.append([Row(0, "a", "1")])
    table.append([Row(0, "a", "1")])
    assert table.finish() == 1
    table.append([Row(0, "a", "2")])
    with pytest.raises(StoreError, match="two different rows"):
        table.finish()


def test_failures_stand_apart_until_they_are_done(tmp_path: Path) -> None:
    table = ShardTable(tmp_path)
    table.failed(FailedItem(3, "k3", "timeout", "slow"))
    table.failed(FailedItem(1, "k1", "refused", "no"))
    table.write_failures()
    again = ShardTable(tmp_path)
    assert [failure.key for failure in again.failures()] == ["k1", "k3"]
    again.append([Row(3, "k3", "1")])
    again.write_failures()
    assert [json.loads(line)["kind"] for line in again.failures_path.read_text().splitlines()] == [
        "refused"
    ]
    again.append([Row(1, "k1", "1")])
    again.write_failures()
    assert not again.failures_path.exists()


def test_an_empty_table_finishes_empty(tmp_path: Path) -> None:
    table = ShardTable(tmp_path)
    assert table.finish() == 0
    assert table.merged_path.read_bytes() == b""


def test_rows_hold_no_nan() -> None:
    with pytest.raises(ValueError, match="JSON"):
        row_json({"a": float("nan")})


@pytest.mark.usefixtures("full_disk")
def test_a_full_disk_leaves_finished_work_and_says_what_to_do(tmp_path: Path) -> None:
    table = ShardTable(tmp_path)
    table.append([Row(0, "a", "1")])
    with pytest.raises(CannotWrite, match=r"part-00001\.jsonl could not .*Finished work"):
        table.append([Row(1, "b", row_json("x" * 100_000))])
    assert table.done_keys() == {"a": 0}
    assert not list(tmp_path.rglob("*.tmp"))
    table.append([Row(1, "b", "2")])
    assert table.finish() == 2


def test_a_read_only_folder_is_told(read_only: Path) -> None:
    with pytest.raises(CannotWrite, match="another folder"):
        RunFolder.open(read_only, {})
    with pytest.raises(CannotWrite, match="another folder"):
        RunFolder.open(read_only / "deeper", {})


def test_a_file_in_the_way_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CannotWrite):
        RunFolder.open(tmp_path / "file", {})


def test_a_folder_of_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mini-01.json").write_text("{}")
    with pytest.raises(FolderMismatch, match=r"holds mini-01\.json but no manifest\.json"):
        RunFolder.open(tmp_path, {})
    assert {item.name for item in tmp_path.iterdir()} == {"mini-01.json", ".lock"}


def test_what_is_no_result_does_not_bar_a_folder(tmp_path: Path) -> None:
    for name in ("ledger.sqlite", "ledger.sqlite-wal", ".manifest.json.7.tmp"):
        (tmp_path / name).write_text("")
    with RunFolder.open(tmp_path, {}) as run:
        assert not run.resumed


def test_a_folder_of_another_layout_is_not_resumed(tmp_path: Path) -> None:
    RunFolder.open(tmp_path, {}).close()
    manifest = tmp_path / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"format": 1', '"format": 7'))
    with pytest.raises(StoreError, match=r"layout of version 7.* knows 1.* Update eyeprint"):
        RunFolder.open(tmp_path, {})
    manifest.write_text("[" * 100_000)
    with pytest.raises(StoreError, match="no manifest of a run"):
        RunFolder.open(tmp_path, {})


def test_x10_other_settings_are_told_in_few_words(tmp_path: Path) -> None:
    RunFolder.open(tmp_path, {f"s{i}": "x" * 1000 for i in range(9)}).close()
    with pytest.raises(FolderMismatch, match="and 5 more") as told:
        RunFolder.open(tmp_path, {f"s{i}": "y" * 1000 for i in range(9)})
    assert len(str(told.value)) < 1000 + len(str(tmp_path))


def test_write_whole_keeps_the_old_file_when_it_fails(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    write_whole(path, [b"old"])

    def failing() -> Iterator[bytes]:
        yield b"new"
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(CannotWrite, match="free some space"):
        write_whole(path, failing())
    assert path.read_bytes() == b"old"
    assert [item.name for item in tmp_path.iterdir()] == ["a.txt"]


def test_failures_with_line_ends_of_other_scripts_are_read_again(tmp_path: Path) -> None:
    table = ShardTable(tmp_path)
    told = FailedItem(0, "a\u2028b", "server_error", "HTTP 500: one\u2028two\x85three\x0bfour")
    table.failed(told)
    table.write_failures()
    assert ShardTable(tmp_path).failures() == (told,)


def test_x16_log_and_sessions_stand_apart_from_results(tmp_path: Path) -> None:
    accounts = Accounts()
    with RunFolder.open(tmp_path, {}) as run:
        run.log("waiting", model="m", seconds=1.5)
        run.end_session(accounts, 2.0)
    events = [json.loads(line)["event"] for line in (tmp_path / "log.jsonl").open()]
    assert events == ["started", "waiting"]
    session = json.loads((tmp_path / "sessions.jsonl").read_text())
    assert (session["seconds"], session["spent_usd"], session["models"]) == (2.0, 0, [])
