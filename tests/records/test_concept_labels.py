"""Labels of answers, told from a whole file; against a twin that tries every way (X1, M18)."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyeprint.errors import BadRecord
from eyeprint.records.concept_labels import LABELS, Labelled, readings, tell_labels

FOUR = {"A": "sea", "B": "hill", "C": "lake", "D": "town"}


def rows_of(*labels: str, options: dict | None = None) -> list[Labelled]:
    chosen = FOUR if options is None else options
    return [Labelled("q.csv", place, one, chosen) for place, one in enumerate(labels, start=2)]


def slow(label: str, options: dict, way: str) -> str | None:
    """Return what a label means in one way, by looking through all answers."""
    label = label.strip()
    answers = list("ABCD") if options else ["", "", "", "", "Yes", "No"]
    if not options and label.lower() in ("yes", "no"):
        return label.capitalize()
    for place, answer in enumerate(answers):
        if not answer or (options and answer not in options):
            continue
        spelled = {
            "letters": [answer, answer.lower(), f"({answer})", f"{answer}."] if options else [],
            "text": [options[answer].lower()] if options else [],
            "from_zero": [str(place), f"{place}.0"],
            "from_one": [str(place + 1), f"{place + 1}.0"],
        }[way]
        if (label.lower().rstrip(".") if way == "text" else label) in spelled:
            return answer
    return None


def slow_tell(rows: list[Labelled]) -> tuple | str:
    """Return the answers, or "mixed" or "ambiguous"."""
    read = {way: [slow(row.label, row.options, way) for row in rows] for way in LABELS}
    hopeless = {place for place in range(len(rows)) if not any(read[w][place] for w in LABELS)}
    fits = [
        way
        for way in LABELS
        if all(read[way][place] for place in range(len(rows)) if place not in hopeless)
    ]
    if not fits:
        return "mixed"
    if len({tuple(read[way]) for way in fits}) > 1:
        return "ambiguous"
    return tuple(read[fits[0]])


OPTIONS = st.sampled_from(
    [
        {},
        FOUR,
        {"A": "1", "B": "0", "C": "3", "D": "2"},
        {"A": "b", "B": "c", "C": "d"},
        {"A": "yes", "B": "no", "D": "4"},
    ]
)
CELLS = st.sampled_from(
    [*"abcdABCD012345678", "(A)", "B.", "1.0", "5.0", "yes", "NO", "Yes", "sea", "Hill", "x", ""]
)


@given(st.lists(st.tuples(CELLS, OPTIONS), max_size=6))
def test_x1_labels_are_told_as_by_trying_every_way(pairs: list[tuple[str, dict]]):
    rows = [Labelled("q.csv", place, *pair) for place, pair in enumerate(pairs)]
    try:
        answers = tell_labels(rows).answers
        told: tuple | str = tuple(None if isinstance(one, BadRecord) else one for one in answers)
    except BadRecord as fault:
        told = "mixed" if "more than one way" in fault.reason else "ambiguous"
    assert told == slow_tell(rows)


@given(
    st.sampled_from(LABELS),
    st.lists(st.tuples(st.sampled_from("ABCD"), st.booleans()), min_size=1, max_size=30),
)
def test_x1_whole_files_come_back_however_they_are_written(way: str, keys: list):
    """A file that has each letter and each of yes and no is told apart in every way."""
    keys = [*keys, *((letter, False) for letter in "ABCD"), ("A", True), ("B", True)]
    rows, wanted = [], []
    for place, (letter, asks) in enumerate(keys):
        number = "ABCD".index(letter)
        answer = ("Yes" if number % 2 == 0 else "No") if asks else letter
        number = 4 + number % 2 if asks else number
        label = {
            "letters": answer,
            "text": answer if asks else FOUR[letter],
            "from_zero": str(number),
            "from_one": str(number + 1),
        }[way]
        rows.append(Labelled("q.csv", place, label, {} if asks else FOUR))
        wanted.append(answer)
    told = tell_labels(rows)
    assert (told.labels, list(told.answers)) == (way, wanted)


@pytest.mark.parametrize(
    ("label", "answer"),
    [
        ("b", "B"),
        ("(B)", "B"),
        ("[b]", "B"),
        ("B)", "B"),
        ("B:", "B"),
        ("B. hill", "B"),
        ("B. sea", None),
        ("E", None),
        ("AB", None),
        ("Ｂ", None),
    ],
)
def test_m18_letters_with_marks_around_them(label: str, answer: str | None):
    assert readings(label, FOUR).get("letters") == answer


def test_x1_spelled_yes_and_no_go_with_every_way():
    rows = [*rows_of("0", "3"), *rows_of("YES", "no.", options={})]
    assert tell_labels(rows).answers == ("A", "D", "Yes", "No")
    rows = [*rows_of("4"), *rows_of("Yes", options={})]
    assert tell_labels(rows).answers == ("D", "Yes")


def test_x1_yes_and_no_as_numbers():
    # 4 can only count from 0, 6 only from 1; 5 is No in the one and Yes in the other.
    assert tell_labels(rows_of("4", "5", options={})).answers == ("Yes", "No")
    assert tell_labels(rows_of("6", "5", options={})).answers == ("No", "Yes")
    with pytest.raises(BadRecord, match=r"'5' may mean 'No' .* or 'Yes'"):
        tell_labels(rows_of("5", options={}))
    fault = tell_labels(rows_of("1", "0", options={})).answers[0]
    assert "numbers for Yes and No are 4 and 5" in str(fault)


def test_x1_a_mixed_file_names_two_rows_that_show_it():
    with pytest.raises(BadRecord) as caught:
        tell_labels(rows_of("A", "B", "3", "C"))
    told = str(caught.value)
    assert told.startswith("q.csv:4, field 'answer': answers are written in more than one way")
    assert "'A' at q.csv:2 is a letter" in told
    kept = tell_labels(rows_of("A", "B", "3", "C"), "letters").answers
    assert [one for one in kept if isinstance(one, str)] == ["A", "B", "C"]
    assert "(labels='letters')" in str(kept[2])
    with pytest.raises(BadRecord, match=r"counts from 1, but '0' at q\.csv:2 is a number"):
        tell_labels(rows_of("0", "2", "4"))


def test_x1_two_options_with_one_text_are_no_answer_by_text():
    same = {"A": "Sea.", "B": "sea", "C": "lake"}
    assert readings("sea", same) == {}
    assert isinstance(tell_labels(rows_of("sea", options=same)).answers[0], BadRecord)


@given(st.text(string.printable, max_size=6))
def test_x1_any_cell_is_read_or_told(label: str):
    (answer,) = tell_labels(rows_of(label, options={"A": "sea"})).answers
    assert answer == "A" or isinstance(answer, BadRecord)
