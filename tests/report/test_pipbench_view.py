"""Reading a PIPBench run's folder and its judgings, and every way in which they can be broken."""

import json
import shutil
from pathlib import Path

import pytest

from eyeprint.errors import BadRecord, DataError
from eyeprint.report.pipbench_view import FinishedPipbench, read_pipbench
from eyeprint.report.write import read_finished


def test_p49_a_finished_run_reads_by_split(pip: FinishedPipbench):
    assert [table.split for table in pip.summary.tables] == ["real", "synthetic"]
    assert pip.summary.overall.cases == 16 and pip.summary.overall.persons == 8
    rows = list(pip.rows())
    assert len(rows) == 16 * 7 == pip.summary.counts.rows
    assert [row.case for row in rows if row.picture is None] == ["000", "003"]
    assert [row.copied.reference for row in rows if row.copied] == [1, 1]
    assert [spec.label for spec in pip.settings.models] == list(pip.summary.paradigms)
    shown = list(pip.gallery())
    assert len(shown) == 6 and shown[0].references[0].image.startswith("data:image/jpeg;base64,")


def test_p54_a_judging_reads_with_its_splits_and_certificates(pip: FinishedPipbench):
    (judged,) = pip.judged
    assert judged.name == "a1b2c3" and judged.splits == {"real"}
    assert [each.passed for each in judged.certificates] == [True, False]
    assert len(judged.arena.models) == 7
    assert len(list(judged.verdicts())) == judged.arena.verdicts


def test_a_judging_that_has_not_ended_is_passed_over(pip_copy: Path):
    shutil.copytree(pip_copy / "judged" / "a1b2c3", pip_copy / "judged" / "begun")
    (pip_copy / "judged" / "begun" / "verdicts.jsonl").unlink()
    assert [judged.name for judged in read_pipbench(pip_copy).judged] == ["a1b2c3"]


def test_a_judging_that_rated_nothing_has_no_arena(pip_copy: Path):
    (pip_copy / "judged" / "a1b2c3" / "arena.json").unlink()
    (judged,) = read_pipbench(pip_copy).judged
    assert judged.arena is None and len(judged.certificates) == 2


def test_fields_of_newer_versions_are_ignored(pip_copy: Path):
    value = json.loads((pip_copy / "summary.json").read_text())
    value["tables"][0]["models"][0]["flavour"] = "new"
    value["weather"] = {"a": 1}
    (pip_copy / "summary.json").write_text(json.dumps(value))
    assert read_pipbench(pip_copy).summary.overall.cases == 16


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("summary.json", None, "not finished"),
        ("manifest.json", None, "not the folder of a run"),
        ("manifest.json", '{"kind": "vptt"}', "'vptt'"),
        ("manifest.json", '{"kind": "pipbench", "format": 9}', "version 9"),
        ("summary.json", '{"tables": [{"gro', "cut or damaged"),
        ("summary.json", '{"tables": []}', "field 'tables'"),
        ("summary.json", "[1]", "one JSON object"),
        ("cases.jsonl", None, "not there"),
        ("judged/a1b2c3/arena.json", '{"models": [', "cut or damaged"),
        ("judged/a1b2c3/arena.json", "{}", "field 'models'"),
        ("judged/a1b2c3/arena.json", '{"models": [], "matrix": {"models": ["a"]}}', "no square"),
        ("judged/a1b2c3/certificates.jsonl", '{"judge": "x"}', "field 'passed'"),
        ("judged/a1b2c3/comparisons.jsonl", None, "judge pairs"),
    ],
)
def test_what_is_broken_says_what_to_do(pip_copy: Path, name: str, text: str | None, told: str):
    path = pip_copy / name
    if text is None:
        path.unlink()
    else:
        path.write_text(text)
    with pytest.raises(DataError, match=told) as caught:
        read_pipbench(pip_copy)
    assert str(pip_copy) in str(caught.value) and "un" in str(caught.value)


def test_a_cut_row_is_named_with_its_line_and_missing_rows_are_noticed(pip_copy: Path):
    path = pip_copy / "results.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole[:-40])
    with pytest.raises(BadRecord, match="cut or damaged") as caught:
        list(read_pipbench(pip_copy).rows())
    assert caught.value.line == 112
    path.write_bytes(b"".join(whole.splitlines(keepends=True)[:-1]))
    with pytest.raises(DataError, match="111 rows, but the run's summary speaks of 112"):
        list(read_pipbench(pip_copy).rows())


def test_a_gallery_picture_must_be_data_and_nothing_else(pip_copy: Path):
    path = pip_copy / "gallery.jsonl"
    first, *rest = path.read_text().splitlines(keepends=True)
    row = json.loads(first)
    row["references"][0]["image"] = 'https://example.org/x.png" onerror="alert(1)'
    path.write_text(json.dumps(row) + "\n" + "".join(rest))
    with pytest.raises(BadRecord, match=r"references\.0\.image") as caught:
        list(read_pipbench(pip_copy).gallery())
    assert caught.value.line == 1


def test_a_run_of_any_kind_is_read_by_its_manifest(made: Path, made_pip: Path, pip_copy: Path):
    assert read_finished(made).settings.tasks
    assert isinstance(read_finished(made_pip), FinishedPipbench)
    (pip_copy / "manifest.json").write_text('{"kind": "judging"}')
    with pytest.raises(DataError, match=r"'judging'.*'vptt' or 'pipbench'"):
        read_finished(pip_copy)
    with pytest.raises(DataError, match="no such folder"):
        read_finished(pip_copy / "nowhere")
