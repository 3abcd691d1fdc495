"""Verdicts in files: both formats, both ways, and everything that can be wrong with a row."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyeprint.errors import DataError, UsageError
from eyeprint.records.released_verdicts import (
    comparison_of_row,
    row_of_comparison,
    row_of_verdict,
    verdict_of_row,
)
from eyeprint.records.tie_rule import TieRule, read_confidence
from eyeprint.records.verdict_files import (
    read_verdicts,
    write_comparisons,
    write_released,
    write_verdicts,
)
from eyeprint.records.verdicts import Comparison, Verdict


def pair(number=1, a="fusion", b="plain", **more):
    row = {"id": number, "model_A": a, "model_B": b}
    return row | {"image_A": f"{a}/{number}.png", "image_B": f"{b}/{number}.png"} | more


def said(number=1, preferred="img1", flipped=False, **more):
    final = {"preferred_image": preferred, "confidence": 0.9} | more
    return {
        "id": number,
        "flipped": flipped,
        "result": {"comparison_and_choice": {"final_decision": final}},
    }


def lines(path: Path, *rows) -> Path:
    path.write_text(
        "".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows),
        encoding="utf-8",
    )
    return path


def rows_in(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.open(encoding="utf-8")]


ONE_PAIR = (pair(),)


def read(folder: Path, *rows, pairs=ONE_PAIR, **more):
    compete = lines(folder / "compete_data.jsonl", *pairs)
    return read_verdicts([lines(folder / "results_gpt.jsonl", *rows)], compete, **more)


@pytest.mark.parametrize(
    ("preferred", "flipped", "choice"),
    [
        ("img1", False, "a"),
        ("img2", False, "b"),
        ("img1", True, "b"),
        ("img2", True, "a"),
        ("tie", True, "tie"),
    ],
)
def test_p50_a_verdict_names_models_whoever_stood_left(tmp_path, preferred, flipped, choice):
    (verdict,) = read(tmp_path, said(preferred=preferred, flipped=flipped)).verdicts
    assert (verdict.choice, verdict.stated, verdict.flipped) == (choice, choice, flipped)
    assert (verdict.model_a, verdict.model_b, verdict.judge) == ("fusion", "plain", "gpt")


@pytest.mark.parametrize(
    ("confidence", "paper", "released"),
    [
        (0.69, "tie", "tie"),
        (0.70, "a", "tie"),
        (0.71, "a", "a"),
        ("0.6", "tie", "tie"),
        ("70%", "a", "tie"),
        ("high", "a", "a"),
        (None, "a", "a"),
        (85, "a", "a"),
    ],
)
def test_p51_ties_by_low_confidence(tmp_path, confidence, paper, released):
    for at_threshold, choice in ((False, paper), (True, released)):
        rule = TieRule(tie_at_threshold=at_threshold)
        (verdict,) = read(tmp_path, said(confidence=confidence), rule=rule).verdicts
        assert verdict.choice == choice
        assert verdict.tie == ("low_confidence" if choice == "tie" else None)
        assert verdict.stated == "a"
        assert verdict.confidence_stated == confidence


def test_p51_ties_by_both_routes_are_told_apart(tmp_path):
    found = read(
        tmp_path,
        said(1, "tie"),
        said(2, "img1", confidence=0.1),
        said(3, "tie", confidence=0.1),
        pairs=[pair(1), pair(2), pair(3)],
    ).verdicts
    assert [verdict.tie for verdict in found] == ["explicit", "low_confidence", "explicit"]


def test_p51_threshold_zero_makes_no_ties():
    assert TieRule(threshold=0).apply("a", 0.0) == ("a", None)


@given(st.floats(allow_nan=True) | st.integers() | st.text(max_size=6) | st.none() | st.booleans())
def test_p51_a_confidence_is_a_share_or_nothing(value):
    found = read_confidence(value)
    assert found is None or 0 <= found <= 1


def test_p51_confidences_with_signs_and_spaces():
    assert read_confidence(" 1e-1 ") == 0.1
    assert read_confidence("+.5") == 0.5
    assert read_confidence("101%") is None
    assert read_confidence("1_0%") is None
    assert read_confidence("0.8 (high)") is None


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=5,
)


@st.composite
def released_rows(draw):
    """Rows as judges write them, and as judges should not."""
    final = draw(st.dictionaries(st.sampled_from(["aspect", "notes"]), VALUES, max_size=2))
    for name, values in (
        ("preferred_image", st.sampled_from(["img1", "img2", "tie", "image 3", None, 4])),
        ("confidence", st.sampled_from([0.9, 0.1, "80%", "high", None, True])),
        ("reason", st.sampled_from(["warm light", "", None, ["warm"]])),
        ("reasoning", st.sampled_from(["so it is", None])),
    ):
        if draw(st.booleans()):
            final[name] = draw(values)
    choice = draw(st.dictionaries(st.sampled_from(["image_1", "image_2"]), VALUES, max_size=2))
    choice["final_decision"] = draw(st.just(final) | VALUES) if draw(st.booleans()) else final
    result = draw(st.dictionaries(st.sampled_from(["persona", "aspects"]), VALUES, max_size=2))
    result["comparison_and_choice"] = choice
    row = draw(st.dictionaries(st.sampled_from(["prompt", "cost", "judge", "case_id"]), VALUES))
    row |= {"id": draw(st.sampled_from([7, "7"])), "result": draw(st.just(result) | VALUES)}
    if draw(st.booleans()):
        row["flipped"] = draw(st.sampled_from([True, False, None, 0, 1, "true", "no"]))
    return row


@given(released_rows())
def test_p51_a_released_row_is_written_back_equal(row):
    before = json.dumps(row, sort_keys=True)
    verdict = verdict_of_row(row, comparison_of_row(pair(7)), "gpt")
    assert json.dumps(row, sort_keys=True) == before, "the row that was read must not change"
    assert row_of_verdict(verdict) == row
    # Through our own format as well.
    again = Verdict.model_validate(json.loads(verdict.model_dump_json(exclude_defaults=True)))
    assert row_of_verdict(again) == row


@given(
    st.fixed_dictionaries(
        {"id": st.integers(0, 99) | st.text(min_size=1, max_size=4), "model_A": st.just("x")}
        | {"model_B": st.just("y")},
        optional={
            "image_A": st.sampled_from(["x/1.png", "", None]),
            "image_B": st.sampled_from(["y/1.png", "", None]),
            "prompt": VALUES,
            "case_id": VALUES,
            "image_id": VALUES,
            "more": VALUES,
        },
    )
)
def test_p50_a_released_comparison_is_written_back_equal(row):
    assert row_of_comparison(comparison_of_row(row)) == row


def ours(**more):
    facts = {"comparison_id": "c-1", "case_id": "c", "person_id": "ann", "judge": "offline"}
    facts |= {"model_a": "fusion", "model_b": "plain", "choice": "a", "stated": "a"}
    return Verdict(**(facts | more))


def our_pair():
    return Comparison(
        id="c-1",
        case_id="c",
        person_id="ann",
        prompt="a boat",
        model_a="fusion",
        model_b="plain",
        picture_a="aa",
        picture_b="bb",
    )


OURS = [
    ours(confidence=0.9, confidence_stated=0.9, reason="warm", aspects={"light": "low"}),
    ours(flipped=True, judge="a/b: c", choice="b", stated="b"),
    ours(judge="two", choice="tie", stated="a", tie="low_confidence", confidence=0.2),
    ours(judge="three", choice=None, stated=None, outcome="refused", detail="I cannot."),
]


def test_p51_our_verdicts_survive_our_files(tmp_path):
    write_verdicts(OURS, tmp_path / "verdicts.jsonl")
    write_comparisons([our_pair()], tmp_path / "comparisons.jsonl")
    found = read_verdicts([tmp_path])
    assert found.verdicts == tuple(OURS)
    assert found.comparisons == (our_pair(),)
    assert found.faults == ()


def test_p51_our_verdicts_survive_the_released_format(tmp_path):
    written = write_released([our_pair()], OURS, tmp_path)
    assert len(written) == 5
    found = read_verdicts([tmp_path])
    assert found.faults == ()
    by_judge = {verdict.judge: verdict for verdict in found.verdicts}
    for verdict in OURS:
        again = by_judge[verdict.judge]
        same = ("choice", "stated", "tie", "confidence", "reason", "aspects", "outcome", "detail")
        for field in (*same, "person_id", "case_id", "comparison_id"):
            assert getattr(again, field) == getattr(verdict, field), field
    assert found.comparisons[0].prompt == "a boat"
    assert found.comparisons[0].person_id == "ann"


def test_p50_files_of_the_released_format_are_written_as_they_were(tmp_path):
    pairs = [pair(1, image_id="u7"), pair(2, prompt=None), pair(3)]
    rows = [said(1), said(2, "img2", True, confidence="high"), said(3, "neither")]
    del rows[0]["result"]["comparison_and_choice"]["final_decision"]["confidence"]
    found = read(tmp_path, *rows, pairs=pairs)
    write_released(found.comparisons, found.verdicts, tmp_path / "again")
    assert rows_in(tmp_path / "again" / "compete_data.jsonl") == pairs
    assert rows_in(tmp_path / "again" / "results_gpt.jsonl") == rows


def test_p51_judges_whose_names_make_one_file_name_get_two_files(tmp_path):
    verdicts = [ours(judge="a/b"), ours(judge="a:b"), ours(judge="A b"), ours(judge="..")]
    written = write_released([our_pair()], verdicts, tmp_path)
    assert len({path.name.casefold() for path in written}) == 5
    assert all(path.parent == tmp_path and path.is_file() for path in written)


def told(found) -> list[tuple]:
    return [(Path(fault.file).name, fault.line, fault.field) for fault in found.faults]


def test_x9_what_is_wrong_is_told_by_file_line_and_field_and_kept(tmp_path):
    rows = [
        said(1),
        "{not json",
        said(99),
        '"text"',
        {"result": {}},
        said(1, "img2"),
        {"hello": 1},
        said(2, "img1"),
    ]
    found = read(tmp_path, *rows, pairs=[pair(1), pair(2)])
    assert [verdict.comparison_id for verdict in found.verdicts] == ["1", "2"]
    name = "results_gpt.jsonl"
    places = {(2, ""), (4, ""), (7, ""), (3, "id"), (5, "id"), (6, "id")}
    assert set(told(found)) == {(name, *place) for place in places}
    assert found.unmatched == (rows[2], rows[4])
    assert [verdict.choice for verdict in found.repeats] == ["b"]
    (repeat,) = [fault for fault in found.faults if fault.line == 6]
    assert f"{name}:1" in repeat.reason


def test_x9_repeats_can_all_count_as_in_the_released_script(tmp_path):
    found = read(tmp_path, said(1), said(1, "img2"), repeats="all")
    assert [verdict.choice for verdict in found.verdicts] == ["a", "b"]
    assert (found.repeats, found.faults) == ((), ())


def test_p50_both_orders_of_one_judge_are_two_verdicts(tmp_path):
    found = read(tmp_path, said(1), said(1, "img2", flipped=True))
    assert len(found.verdicts) == 2
    assert found.faults == ()


@pytest.mark.parametrize(
    ("change", "detail"),
    [
        ({"result": None}, "result"),
        ({"result": {"comparison_and_choice": []}}, "comparison_and_choice"),
        ({"result": {"comparison_and_choice": {}}}, "final_decision"),
        ({"flipped": "perhaps"}, "flipped"),
    ],
)
def test_x9_verdicts_that_cannot_be_read_are_counted_and_say_why(tmp_path, change, detail):
    found = read(tmp_path, said(1) | change)
    (verdict,) = found.verdicts
    assert (verdict.choice, verdict.outcome) == (None, "unread")
    assert detail in verdict.detail
    assert any("could not be read" in note for note in found.notes)


def test_p51_unknown_preferences_are_unread(tmp_path):
    found = read(tmp_path, said(1, "both"), said(2, None), pairs=[pair(1), pair(2)])
    assert [verdict.outcome for verdict in found.verdicts] == ["unread", "unread"]
    assert "'both'" in found.verdicts[0].detail
    assert "2 verdicts could not be read" in found.notes[0]


def test_p51_odd_confidences_and_missing_persons_are_noted(tmp_path):
    pairs = [pair(1), pair(2), pair(3, image_id="u1")]
    rows = [said(1, confidence="high"), said(2, confidence=None), said(3)]
    notes = read(tmp_path, *rows, pairs=pairs[:2]).notes
    assert any("'high'" in note and "1 confidences" in note for note in notes)
    assert any("1 verdicts have no confidence" in note for note in notes)
    assert any("each comparison is its own cluster" in note for note in notes)
    found = read(tmp_path, *rows, pairs=pairs)
    assert not any("own cluster" in note for note in found.notes)
    assert found.verdicts[2].person_id == "u1"


def test_p51_persons_and_cases_may_stand_in_the_verdicts(tmp_path):
    (verdict,) = read(tmp_path, said(1) | {"image_id": 7, "case_id": "c"}).verdicts
    assert (verdict.person_id, verdict.case_id) == ("7", "c")


def test_p50_ids_are_matched_as_text(tmp_path):
    (verdict,) = read(tmp_path, said("1")).verdicts
    assert verdict.comparison_id == "1"


def test_p50_comparisons_that_cannot_be_read_are_told(tmp_path):
    pairs = [pair(1), pair(1), pair(1, b="other"), pair(True), pair(4, b="fusion")]
    pairs += [{"id": 5, "model_A": "x"}, pair(6, image_A=7)]
    found = read(tmp_path, said(1), pairs=pairs)
    assert [(line, field) for _, line, field in told(found)] == [
        (2, "id"),
        (3, "id"),
        (4, "id"),
        (5, "model_B"),
        (6, "model_B"),
        (7, "image_A"),
    ]
    assert "as before" in found.faults[0].reason
    assert "other models" in found.faults[1].reason


def test_p51_judges_are_named_by_row_or_by_file(tmp_path):
    lines(tmp_path / "compete_data.jsonl", pair(1))
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        lines(tmp_path / folder / "results_x.jsonl", said(1))
    lines(tmp_path / "mine.jsonl", said(1) | {"judge": "gpt-5"})
    files = [tmp_path / "one/results_x.jsonl", tmp_path / "two/results_x.jsonl"]
    found = read_verdicts([*files, tmp_path / "mine.jsonl"], tmp_path / "compete_data.jsonl")
    assert [verdict.judge for verdict in found.verdicts] == ["one/x", "two/x", "gpt-5"]
    assert any("one/x, two/x" in note for note in found.notes)


def test_p50_comparisons_beside_the_verdicts_are_found(tmp_path):
    lines(tmp_path / "compete_data.jsonl", pair(1))
    found = read_verdicts([lines(tmp_path / "results_x.jsonl", said(1))])
    assert found.verdicts[0].model_a == "fusion"
    assert read_verdicts([tmp_path]).verdicts == found.verdicts


def test_p50_released_verdicts_need_comparisons(tmp_path):
    path = lines(tmp_path / "results_x.jsonl", said(1))
    with pytest.raises(UsageError, match=r"--compete compete_data\.jsonl"):
        read_verdicts([path])
    with pytest.raises(UsageError, match="No file"):
        read_verdicts([])


def test_x9_nothing_readable_is_an_error_that_shows_why(tmp_path):
    with pytest.raises(DataError, match="in no comparison"):
        read(tmp_path, said(9))
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="holds no file"):
        read_verdicts([tmp_path / "empty"])
    with pytest.raises(DataError, match="cannot be read"):
        read_verdicts([tmp_path / "nowhere.jsonl"])


def test_p51_our_rows_keep_fields_that_we_do_not_know(tmp_path):
    row = json.loads(ours().model_dump_json(exclude_defaults=True)) | {"cost": 0.01}
    (verdict,) = read_verdicts([lines(tmp_path / "v.jsonl", row)]).verdicts
    assert verdict.extra == {"cost": 0.01}
    broken = [row | {"choice": "c"}, row | {"model_b": "fusion"}, {"comparison_id": "x"}]
    found = read_verdicts([lines(tmp_path / "w.jsonl", row, *broken)])
    assert [fault.field for fault in found.faults] == ["choice", "model_b", "case_id"]


def test_p50_released_verdicts_whose_comparisons_cannot_be_read_say_so(tmp_path):
    (tmp_path / "compete_data.jsonl").write_text('{"id": 1, "model_A": "x", "model_B": "x"}\n')
    (tmp_path / "results_j.jsonl").write_text('{"id": 1, "result": {}}\n')
    with pytest.raises(UsageError, match="'x' is compared with itself"):
        read_verdicts([tmp_path / "results_j.jsonl"])


def test_p50_an_empty_file_is_named(tmp_path):
    path = tmp_path / "verdicts.jsonl"
    path.touch()
    with pytest.raises(DataError, match=r"verdicts\.jsonl: not one verdict could be read"):
        read_verdicts([path])


def test_p50_whole_numbers_that_a_table_wrote_as_fractions_are_ids(tmp_path):
    pair = {"id": 1.0, "model_A": "x", "model_B": "y"}
    (tmp_path / "compete_data.jsonl").write_text(json.dumps(pair) + "\n")
    final = {"preferred_image": "img1", "confidence": 0.9}
    row = {"id": 1, "result": {"comparison_and_choice": {"final_decision": final}}}
    (tmp_path / "results_j.jsonl").write_text(json.dumps(row) + "\n")
    assert read_verdicts([tmp_path]).verdicts[0].choice == "a"


def test_p50_a_runs_folder_gives_the_verdicts_of_all_its_judgings(tmp_path):
    for number in range(2):
        said = Verdict(
            comparison_id=str(number),
            case_id="c",
            person_id="p",
            judge="j",
            model_a="x",
            model_b="y",
            choice="a",
        )
        write_verdicts([said], tmp_path / "judged" / f"{number}" / "verdicts.jsonl")
    assert len(read_verdicts([tmp_path]).verdicts) == 2


def test_p50_released_files_of_other_judges_are_not_left_beside_new_ones(tmp_path):
    said = Verdict(
        comparison_id="1",
        case_id="c",
        person_id="p",
        judge="评" * 200,
        model_a="x",
        model_b="y",
        choice="a",
    )
    written = write_released([], [said], tmp_path / "out")
    # A file's name has at most 255 bytes, and so has that of its temporary file.
    assert len(written[1].name.encode()) < 130
    assert write_released([], [said], tmp_path / "out") == written
    with pytest.raises(UsageError, match="of other verdicts"):
        write_released([], [said.model_copy(update={"judge": "other"})], tmp_path / "out")
