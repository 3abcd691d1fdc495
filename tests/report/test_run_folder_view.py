"""Reading a run folder, and every way in which it can be no finished run."""

import json
from pathlib import Path

import pytest

from eyeprint.errors import BadRecord, DataError
from eyeprint.report.run_folder_view import FinishedRun, read_run


def test_a_finished_run_reads(run: FinishedRun):
    assert run.settings.methods == ("baseline", "persona_only", "brag", "vprag", "comb")
    assert [task.headline for task in run.settings.tasks] == ["score", "score", "score_c"]
    assert run.settings.measure == "score"
    assert len(list(run.people())) == 4
    assert len(list(run.rows())) == 4 * 3 * 5 * 2 == run.summary.counts.drafts
    assert run.summary.overall.group == {}
    assert len(run.summary.grouped("query", "writer")) == 6


def test_fields_of_newer_versions_are_ignored(copy: Path):
    value = json.loads((copy / "summary.json").read_text())
    value["tables"][0]["methods"][0]["flavour"] = "new"
    value["weather"] = {"a": 1}
    (copy / "summary.json").write_text(json.dumps(value))
    assert read_run(copy).summary.overall.methods[0].method == "baseline"


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (lambda f: (f / "summary.json").unlink(), "not finished"),
        (lambda f: (f / "manifest.json").unlink(), "not the folder of a run"),
        (lambda f: (f / "manifest.json").write_text('{"kind": "pipbench"}'), "'pipbench'"),
        (lambda f: (f / "manifest.json").write_text("[1]"), "one JSON object"),
        (lambda f: (f / "summary.json").write_text('{"tables": [{"gro'), "cut or damaged"),
        (lambda f: (f / "summary.json").write_text('{"tables": []}'), "field 'tables'"),
        (lambda f: (f / "summary.json").write_text('{"tables": [{}]}'), "tables.0.methods"),
        (lambda f: (f / "summary.json").write_text("[" * 100_000), "cut or damaged"),
        (lambda f: (f / "summary.json").write_text('{"cost": NaN}'), "cut or damaged"),
        (
            lambda f: (f / "manifest.json").write_text('{"kind": "vptt", "format": 7}'),
            "version 7.* Run|version 7.* run",
        ),
    ],
)
def test_what_is_no_finished_run_says_what_to_do(copy: Path, spoil, told: str):
    spoil(copy)
    with pytest.raises(DataError, match=told) as caught:
        read_run(copy)
    assert "un" in str(caught.value) and str(copy) in str(caught.value)


def test_a_missing_folder_is_named(tmp_path: Path):
    with pytest.raises(DataError, match="no such folder"):
        read_run(tmp_path / "nowhere")


def test_a_cut_last_row_is_named_with_its_line(copy: Path):
    path = copy / "results.jsonl"
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(BadRecord, match="cut or damaged") as caught:
        list(read_run(copy).rows())
    assert caught.value.line == 120


def test_rows_that_are_missing_are_noticed(copy: Path):
    path = copy / "results.jsonl"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    with pytest.raises(DataError, match="119 rows, but the run's summary speaks of 120"):
        list(read_run(copy).rows())


def test_a_row_without_a_method_and_a_person_without_an_id_are_named(copy: Path):
    (copy / "results.jsonl").write_text('{"person": "a", "query": "q"}\n')
    with pytest.raises(BadRecord, match="method"):
        list(read_run(copy).rows())
    (copy / "people.jsonl").write_text('{"id": "a"}\n{"summary": "x"}\n')
    with pytest.raises(BadRecord, match="id") as caught:
        list(read_run(copy).people())
    assert caught.value.line == 2
    (copy / "people.jsonl").unlink()
    with pytest.raises(DataError, match="cannot be read"):
        list(read_run(copy).people())


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("score", '"high"', "field 'score': is no number"),
        ("nv", "[1]", "field 'nv': is no number"),
        ("pa", "NaN", "cut or damaged"),
        ("prompt", "[1]", "field 'prompt': is no text"),
        ("person", "7", "field 'person': is no text"),
    ],
)
def test_a_row_changed_by_hand_is_named(copy: Path, field: str, value: str, told: str):
    path = copy / "results.jsonl"
    first, *rest = path.read_text(encoding="utf-8").splitlines(keepends=True)
    row = json.loads(first) | {field: "@@"}
    path.write_text(json.dumps(row).replace('"@@"', value) + "\n" + "".join(rest))
    with pytest.raises(BadRecord, match=told) as caught:
        list(read_run(copy).rows())
    assert caught.value.line == 1
