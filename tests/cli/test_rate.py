"""``eyeprint rate``: files of verdicts in, ratings out."""

import csv
import json

import pytest
import typer

from eyeprint.cli import rate
from eyeprint.errors import DataError, UsageError
from eyeprint.protocols.rating import rate_files
from eyeprint.records.verdict_files import write_verdicts
from eyeprint.scores.arena import ArenaResult, ArenaSettings
from eyeprint.scores.arena_tables import arena_tables, markdown
from tests.scores.made_verdicts import many, released_files, verdict


def run(*words) -> int:
    app = typer.Typer()
    rate.register(app)
    return app([str(word) for word in words], standalone_mode=False) or 0


@pytest.fixture
def files(tmp_path):
    return released_files(tmp_path)


@pytest.fixture
def quiet_files(tmp_path):
    """Ours, with nothing wrong with them."""
    path = tmp_path / "ours" / "verdicts.jsonl"
    rows = many("x", "y", 12, 5, 3, judge="one") + many("x", "y", 9, 8, 1, judge="two")
    write_verdicts(rows, path)
    return path.parent


def test_p53_table_tells_ratings_judges_and_how(files, capsys):
    assert run(*files, "--draws", 100) == 0
    out, err = capsys.readouterr()
    for word in ("Ratings", "fusion", "Win rates", "Judges", "Judges agree", "Bradley–Terry"):
        assert word in out
    assert "unread" in out
    assert "could not be read" in err
    assert "judges are named after their files: gem, gpt, qwen" in err


@pytest.mark.parametrize("kind", ["json", "csv", "md"])
def test_p53_formats_hold_the_same_ratings(files, kind, capsys):
    assert run(*files, "--format", kind, "--draws", 100, "--seed", 3) == 0
    out = capsys.readouterr().out
    result = rate_files(files, ArenaSettings(draws=100, seed=3)).result
    if kind == "json":
        assert ArenaResult.model_validate_json(out) == result
    elif kind == "csv":
        rows = list(csv.DictReader(out.splitlines()))
        assert [(row["model"], float(row["rating"])) for row in rows] == [
            (row.model, row.rating) for row in result.models
        ]
    else:
        assert out == markdown(result)
        assert f"{result.models[0].rating:.0f}" in out


def test_p53_out_holds_everything_and_no_formula(tmp_path, capsys):
    path = write_verdicts(many("=1+1", "y", 3, 2), tmp_path / "v.jsonl")
    assert run(path, "--out", tmp_path / "out", "--draws", 50) == 0
    names = {p.name for p in (tmp_path / "out").iterdir()}
    tables = {"ratings.csv", "win_matrix.csv", "judges.csv", "judge_pairs.csv"}
    assert names == {"ratings.json", "ratings.md"} | tables
    assert "'=1+1" in (tmp_path / "out" / "ratings.csv").read_text(encoding="utf-8")
    assert json.loads((tmp_path / "out" / "ratings.json").read_text())["models"][0]["rank"] == 1
    assert "Written" in capsys.readouterr().err


def test_p53_files_are_written_though_nobody_reads_the_tables(tmp_path, monkeypatch):
    path = write_verdicts(many("x", "y", 3, 2), tmp_path / "v.jsonl")

    def closed(*_):
        raise BrokenPipeError

    monkeypatch.setattr(rate, "_print", closed)
    with pytest.raises(BrokenPipeError):
        run(path, "--out", tmp_path / "out", "--draws", 50)
    assert (tmp_path / "out" / "ratings.json").is_file()


def test_p51_options_reach_the_settings(files, capsys):
    words = ["--threshold", "0.8", "--tie-at-threshold", "--majority", "--by", "case"]
    assert run(*files, *words, "--draws", 60, "--format", "json") == 0
    found = json.loads(capsys.readouterr().out)["settings"]
    assert (found["threshold"], found["tie_at_threshold"]) == (0.8, True)
    assert (found["majority"], found["cluster_by"], found["draws"]) == (True, "case", 60)


def test_p50_released_files_come_out_as_they_went_in(files, tmp_path, capsys):
    assert run(*files, "--draws", 50, "--released", tmp_path / "again") == 0
    for path in [*files, tmp_path / "compete_data.jsonl"]:
        again = tmp_path / "again" / path.name
        assert [json.loads(x) for x in again.open()] == [json.loads(x) for x in path.open()]


def test_p56_p57_p58_people_picks_and_metrics(quiet_files, tmp_path, capsys):
    humans = tmp_path / "humans.csv"
    humans.write_text("comparison_id,rater,choice\nxy0,r1,x\nxy1,r1,y\nxy2,r1,tie\n")
    picks = tmp_path / "picks.csv"
    picks.write_text("case_id,picked\n1,x\n2,x\n3,y\n")
    metrics = tmp_path / "metrics.csv"
    metrics.write_text("model,cls_r,group\nx,70.1,g\ny,60.2,g\n")
    words = ["--humans", humans, "--picks", picks, "--metrics", metrics, "--draws", 50]
    assert run(quiet_files, *words, "--out", tmp_path / "out") == 0
    out = capsys.readouterr().out
    for word in ("majority of people", "Picked as the best", "cls_r", "1.000"):
        assert word in out
    found = json.loads((tmp_path / "out" / "ratings.json").read_text())
    assert found["humans"]["comparisons"] == 3
    assert [row["picked"] for row in found["picks"]] == [2, 1]
    assert [row["metric"] for row in found["metrics"]] == ["cls_r"]
    more = {"human_agreement.csv", "picks.csv", "metrics.csv", "judge_agreement.csv"}
    assert more <= {p.name for p in (tmp_path / "out").iterdir()}


def test_x9_rows_that_cannot_count_are_told_and_the_command_ends_with_1(files, capsys):
    with files[0].open("a", encoding="utf-8") as file:
        file.write('{"id": 7000, "result": {}}\n' * 12)
    # typer reports an exit with a code as that code when it is not standing alone
    assert run(*files, "--draws", 50) == 1
    err = capsys.readouterr().err
    assert err.count("not counted: ") == 10
    assert "2 more rows" in err
    assert "field 'id'" in err


def test_p53_wrong_words_are_refused(files):
    for words, told in (
        (["--format", "xml"], "table, json, csv, md"),
        (["--by", "planet"], "person, case, comparison"),
        (["--repeats", "none"], "first, all"),
        (["--models", "fusoin"], "fusion"),
    ):
        with pytest.raises(UsageError, match=told):
            run(*files, *words)


def test_p53_one_group_can_be_rated_alone(tmp_path, capsys):
    rows = many("x", "y", 3, 2) + many("v", "w", 2, 3)
    path = write_verdicts(rows, tmp_path / "v.jsonl")
    with pytest.raises(DataError, match="--models"):
        run(path)
    assert run(path, "--models", "v", "--models", "w", "--draws", 50, "--format", "csv") == 0
    assert "x" not in {row["model"] for row in csv.DictReader(capsys.readouterr().out.splitlines())}


def test_p53_a_folder_of_ours_is_read_and_models_of_comparisons_alone_are_named(
    quiet_files, capsys
):
    row = {"id": "c9", "case_id": "1", "person_id": "p", "model_a": "x", "model_b": "unseen"}
    row |= {"picture_a": "a", "picture_b": "b"}
    (quiet_files / "comparisons.jsonl").write_text(json.dumps(row) + "\n")
    assert run(quiet_files, "--draws", 50) == 0
    assert "Not rated, for no verdict on them counts: unseen" in capsys.readouterr().err


def test_p54_names_of_others_are_no_markup(tmp_path, capsys):
    rows = many("[red]x|", "<b>", 3, 2, judge="[bold]")
    path = write_verdicts(rows, tmp_path / "v.jsonl")
    assert run(path, "--draws", 50) == 0
    assert "[red]x|" in capsys.readouterr().out
    text = markdown(rate_files([path], ArenaSettings(draws=50)).result)
    assert "\\[red\\]x\\|" in text
    assert "<b>" not in text.replace("\\<b\\>", "")


def test_p54_tables_have_texts_and_full_numbers(files):
    result = rate_files(files, ArenaSettings(draws=50)).result
    tables = {table.name: table for table in arena_tables(result)}
    ratings = tables["ratings"]
    assert ratings.rows[0]["rating"] == result.models[0].rating
    assert "to" in ratings.texts[0]["interval"]
    matrix = tables["win_matrix"]
    assert len(matrix.rows) == 5 * 4
    assert matrix.texts[0][result.models[0].model] == ""
    assert len(tables["judge_pairs"].rows) == 3 * 10
    for table in tables.values():
        assert len(table.rows) >= 1
        assert all(list(row) == list(table.texts[0]) for row in table.texts)


def test_p50_steadiness_is_a_column_where_both_orders_were_asked():
    rows = [verdict("x", "y", c, number=i, flipped=f) for i, c in enumerate("ab") for f in (0, 1)]
    from eyeprint.scores.arena import arena

    tables = {t.name: t for t in arena_tables(arena(rows, ArenaSettings(draws=50)))}
    assert tables["judges"].texts[0]["same both ways"].startswith("100 %")


def test_p50_results_are_not_written_over_what_is_read(files, tmp_path):
    before = files[0].read_bytes()
    with pytest.raises(UsageError, match=r"--released .* which is read"):
        run(*files, "--released", tmp_path)
    assert files[0].read_bytes() == before
    metrics = tmp_path / "out" / "metrics.csv"
    metrics.parent.mkdir()
    metrics.write_text("model,cls_r\nfusion,1\njoint,2\n")
    with pytest.raises(UsageError, match=r"--out .* which is read"):
        run(*files, "--metrics", metrics, "--out", metrics.parent)


def test_p57_p58_models_that_no_verdict_names_are_told(files, tmp_path, capsys):
    (tmp_path / "picks.csv").write_text("case_id,picked\n1,fusion\n2,Fusion\n")
    (tmp_path / "metrics.csv").write_text("model,cls_r\nfusion,1\njoint,2\nghost,3\n")
    words = ["--picks", tmp_path / "picks.csv", "--metrics", tmp_path / "metrics.csv"]
    assert run(*files, *words, "--draws", 50) == 0
    err = capsys.readouterr().err
    assert "The picks name models that no verdict names: Fusion." in err
    assert "The metrics name models that no verdict names: ghost." in err


def test_p53_a_single_chosen_model_says_what_is_missing(files):
    with pytest.raises(DataError, match=r"between two of the chosen models \(fusion\)"):
        run(*files, "--models", "fusion")


def test_p53_two_judgings_of_one_run_by_one_judge_are_not_mixed(tmp_path, capsys):
    pair = {"id": "c0", "case_id": "1", "person_id": "p", "model_a": "x", "model_b": "y"}
    line = json.dumps(pair | {"picture_a": "a", "picture_b": "b"}) + "\n"
    for name, rows in (("aa", many("x", "y", 5, 1)), ("bb", many("x", "y", 1, 5))):
        write_verdicts(rows, tmp_path / "judged" / name / "verdicts.jsonl")
        (tmp_path / "judged" / name / "comparisons.jsonl").write_text(line)
    with pytest.raises(UsageError, match=r"aa and .*bb are two judgings .* --repeats all"):
        run(tmp_path)
    assert run(tmp_path, "--repeats", "all", "--draws", 50) == 0
    assert run(tmp_path / "judged" / "bb", "--draws", 50) == 0


def test_p53_two_judges_of_one_run_are_rated_together_without_a_fault(tmp_path, capsys):
    pair = {"id": "c0", "case_id": "1", "person_id": "p", "model_a": "x", "model_b": "y"}
    line = json.dumps(pair | {"picture_a": "a", "picture_b": "b"}) + "\n"
    for judge in ("one", "two"):
        place = tmp_path / "judged" / judge
        write_verdicts(many("x", "y", 5, 1, judge=judge), place / "verdicts.jsonl")
        (place / "comparisons.jsonl").write_text(line)
    assert run(tmp_path, "--draws", 50) == 0
    shown = capsys.readouterr()
    assert "12 of 12 verdicts count" in shown.out
    assert "not counted" not in shown.err


def test_x9_verdicts_of_a_judge_that_was_not_asked_say_so(tmp_path):
    (tmp_path / "verdicts.jsonl").write_text("")
    with pytest.raises(DataError, match="a judge that fails its certificate is not asked"):
        run(tmp_path)
