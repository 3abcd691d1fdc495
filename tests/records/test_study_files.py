"""What people said, and metrics, in files."""

import pytest

from eyeprint.errors import BadRecord, DataError
from eyeprint.records.csv_rows import read_csv_rows
from eyeprint.records.study_files import read_human_verdicts, read_metric_table, read_picks
from eyeprint.records.verdict_files import write_verdicts
from eyeprint.records.verdicts import Comparison, Verdict

PAIR = Comparison(
    id="7",
    case_id="c",
    person_id="ann",
    model_a="fusion",
    model_b="plain",
    picture_a="",
    picture_b="",
)


def file(folder, text, name="some.csv"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("cells", "choice"),
    [
        ("a,", "a"),
        ("B,", "b"),
        ("TIE,", "tie"),
        ("plain,", "b"),
        ("img1,", "a"),
        ("img1,true", "b"),
        ("right,1", "a"),
        ("left,no", "a"),
    ],
)
def test_p56_raters_say_letters_places_or_names(tmp_path, cells, choice):
    path = file(tmp_path, f"id,rater,choice,flipped\n7,r1,{cells}\n")
    (verdict,) = read_human_verdicts(path, [PAIR]).verdicts
    assert (verdict.choice, verdict.judge, verdict.person_id) == (choice, "r1", "ann")


def test_p56_a_model_called_a_goes_before_the_letter(tmp_path):
    odd = PAIR.model_copy(update={"model_a": "b", "model_b": "a"})
    path = file(tmp_path, "comparison_id,annotator,preferred\n7,r1,a\n")
    (verdict,) = read_human_verdicts(path, [odd]).verdicts
    assert verdict.choice == "b"


def test_p56_rows_of_raters_that_cannot_be_read_are_told(tmp_path):
    path = file(tmp_path, "id,rater,choice\n7,r1,a\n8,r1,a\n7,r2,maybe\n7,r3,b,more\n")
    found = read_human_verdicts(path, [PAIR])
    assert len(found.verdicts) == 1
    assert [(fault.line, fault.field) for fault in found.faults] == [
        (3, "comparison_id"),
        (4, "choice"),
        (5, ""),
    ]
    with pytest.raises(DataError, match="not one verdict"):
        read_human_verdicts(file(tmp_path, "id,rater,choice\n8,r1,a\n"), [PAIR])


def test_p56_raters_may_come_as_verdicts(tmp_path):
    facts = {"comparison_id": "7", "case_id": "c", "person_id": "ann", "judge": "r1"}
    verdict = Verdict(**facts, model_a="fusion", model_b="plain", choice="b")
    path = write_verdicts([verdict], tmp_path / "humans.jsonl")
    assert read_human_verdicts(path, []).verdicts == (verdict,)


def test_p57_picks(tmp_path):
    found = read_picks(file(tmp_path, "case,picked,rater\n1,GPT-5,x\n2,GPT-5,\n3,,x\n"))
    assert [(pick.case_id, pick.model, pick.rater) for pick in found.picks] == [
        ("1", "GPT-5", "x"),
        ("2", "GPT-5", ""),
    ]
    assert [fault.line for fault in found.faults] == [4]
    with pytest.raises(DataError, match="not one pick"):
        read_picks(file(tmp_path, "case,picked\n"))


def test_p58_metrics_are_the_columns_of_numbers(tmp_path):
    path = file(tmp_path, "group,model,cls_r,odd,empty\nx,one,1.5,2,\ny,two,,n/a,\n")
    found = read_metric_table(path)
    assert found.columns == {
        "cls_r": {"one": 1.5, "two": None},
        "odd": {"one": 2.0, "two": None},
    }
    assert [(fault.field, "n/a" in fault.reason) for fault in found.faults] == [("odd", True)]


def test_p58_tables_without_models_or_with_one_twice_are_refused(tmp_path):
    with pytest.raises(DataError, match="has a row already"):
        read_metric_table(file(tmp_path, "model,x\none,1\none,2\n"))
    with pytest.raises(DataError, match="not one model"):
        read_metric_table(file(tmp_path, "x,y\n1,2\n"))


def test_x10_csv_by_commas_semicolons_and_tabs_with_marks_and_blank_rows(tmp_path):
    for mark in ",;\t":
        path = file(tmp_path, f"\ufeffa{mark}b\r\n\r\n 1 {mark}2\r\n3\r\n")
        assert list(read_csv_rows(path)) == [(3, {"a": "1", "b": "2"}), (4, {"a": "3"})]


def test_x10_csv_that_is_none_is_told(tmp_path):
    rows = list(read_csv_rows(file(tmp_path, 'a,b\n1,2\n"3"x,4\n')))
    assert isinstance(rows[1][1], BadRecord)
    assert rows[1][0] == 3
    for text, told in (("a,a\n", "two columns"), ("", "is empty")):
        with pytest.raises(DataError, match=told):
            list(read_csv_rows(file(tmp_path, text)))
    (tmp_path / "odd.csv").write_bytes(b"a\n\xff\n")
    with pytest.raises(DataError, match="UTF-8"):
        list(read_csv_rows(tmp_path / "odd.csv"))
    with pytest.raises(DataError, match="cannot be read"):
        list(read_csv_rows(tmp_path / "nowhere.csv"))


def test_p56_a_flipped_that_is_neither_true_nor_false_is_a_fault(tmp_path):
    rows = "comparison_id,choice,flipped\n7,img1,1.0\n7,img1,0\n7,img1,Wahr\n"
    verdicts, faults = read_human_verdicts(file(tmp_path, rows), [PAIR])
    assert [verdict.choice for verdict in verdicts] == ["b", "a"]
    assert [str(fault.line) for fault in faults] == ["4"]
    assert "'wahr' is neither true nor false" in str(faults[0])


def test_p56_a_raters_second_verdict_on_a_comparison_is_a_fault(tmp_path):
    rows = "comparison_id,rater,choice\n7,ann,a\n7,ann,b\n7,ben,b\n7,,a\n7,,a\n"
    verdicts, faults = read_human_verdicts(file(tmp_path, rows), [PAIR])
    assert [verdict.choice for verdict in verdicts] == ["a", "b", "a", "a"]
    assert "'ann' judged this comparison at line 2 already" in str(faults[0])


def test_p56_tables_may_end_in_capitals_or_in_tsv(tmp_path):
    for name in ("h.CSV", "h.tsv"):
        rows = "comparison_id\trater\tchoice\n7\tann\ta\n"
        assert read_human_verdicts(file(tmp_path, rows, name), [PAIR]).verdicts[0].choice == "a"


def test_p58_a_table_without_a_column_of_numbers_is_refused(tmp_path):
    for rows in ("model\nfusion\n", "model;CLS-T\nfusion;0,3\nplain;0,2\n"):
        with pytest.raises(DataError, match="no column of numbers beside 'model'"):
            read_metric_table(file(tmp_path, rows))
