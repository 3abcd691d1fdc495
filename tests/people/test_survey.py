"""Survey exports become profiles; what cannot be read is told (P13, P15, P16, P17, P24)."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eyeprint.errors import DataError
from eyeprint.people.agents import grow_agents
from eyeprint.people.questionnaire import profile_text, questionnaire
from eyeprint.people.survey import SurveySettings, read_survey
from eyeprint.people.survey_cells import CellSettings, answer_of, seconds_of
from eyeprint.people.survey_columns import columns_of
from tests.people.pip_profiles import USER_1, USER_2

ASKED = questionnaire()


def template(coded=True):
    """Headers as J.2 describes them: one per single or rating, one per option of a multiple."""
    headers = []
    for question in ASKED.asked:
        if question.type == "multi":
            headers += [f"{question.id}:{o.coded if coded else o.label}" for o in question.options]
        else:
            headers.append(question.id)
    return headers


def template_row(answers):
    cells = []
    for question in ASKED.asked:
        answer = answers[question.id]
        if question.type == "multi":
            cells += [str(int(label in answer)) for label in question.labels]
        elif question.type == "single":
            cells.append(question.by_label[answer].coded)
        else:
            cells.append(str(answer))
    return cells


def table(rows, delimiter=",", lineterminator="\r\n"):
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter, lineterminator=lineterminator).writerows(rows)
    return text.getvalue()


def read(tmp_path, text, encoding="utf-8", **chosen):
    path = tmp_path / "export.csv"
    path.write_bytes(text.encode(encoding) if isinstance(text, str) else text)
    return read_survey(path, SurveySettings(**chosen))


SMALL = {"partial": True, "texts": False}
"""For files with a few columns only."""


@settings(max_examples=20)
@given(st.integers(0, 500))
def test_p24_a_template_aligned_record_comes_back_as_it_was(tmp_path_factory, seed):
    agents = list(grow_agents(3, seed))
    rows = [template(), *(template_row(agent.answers) for agent in agents)]
    found = read(tmp_path_factory.mktemp("survey"), table(rows))
    assert [p.answers for p in found.profiles] == [agent.answers for agent in agents]
    assert not found.faults
    assert found.missing_questions == ()
    assert all(p.kind == "person" for p in found.profiles)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_p24_encodings_and_separators(tmp_path, encoding, delimiter):
    headers = [
        "序号",
        "1、专业",
        "2、性别",
        "3、校园角色",
        "7、兴趣爱好",
        "16、核心价值追求",
        "所用时间",
    ]
    row = ["1", "医学", "女", "佛系玩家┋文艺青年", "动漫┋游戏┋音乐", "独立与创造┋享乐", "321秒"]
    found = read(tmp_path, table([headers, row], delimiter), encoding, **SMALL)
    assert found.separator == delimiter
    assert found.profiles[0].answers == {
        "Q1": "Medicine",
        "Q2": "Female",
        "Q3": ("Artistic soul", "Easygoing"),
        "Q7": ("Anime and comics", "Gaming", "Music"),
        "Q16": ("Self-Direction", "Hedonism"),
    }
    assert found.dropped_columns[0].header == "序号"
    assert "Q4" in found.missing_questions


def test_p24_the_papers_table_nine_can_be_typed_in(tmp_path):
    headers = [f"{q.id[1:]}. {q.text}" for q in ASKED.asked]
    one = [
        *("Medicine", "Female", "“Laid-back” player", "Minimalist / functional style"),
        *("Urban exploration, exhibitions", "Simple style"),
        *("Anime, comics, gaming, music, reading, interacting with pets",),
        *("Fashion & beauty, pets, food", "bilibili, Xiaohongshu, WeChat, Douyin", "INTP"),
        *("4", "7", "2", "5", "3"),
        *("Independence and creativity\nNovelty and excitement\nHedonism: enjoyment",),
        *("Never used", "Urban minimalist tones"),
    ]
    two = [
        *("Science", "Male"),
        "Core member of a student organization; “laid-back” player",
        *("Cozy / healing style", "Natural scenery, historical sites, cultural tours"),
        *(
            "Sporty casual, simple style",
            "Gaming, handicrafts, exploring nature, interacting with pets",
        ),
        "Anime commentary, game streaming, pets, food",
        *("bilibili, Xiaohongshu, Zhihu, WeChat, QQ, Douyin", "ISFJ", "4", "3", "4", "4", "0"),
        *("Hedonism: enjoyment\nSecurity and stability", "1–3 times a year", "Cool ocean tones"),
    ]
    found = read(tmp_path, table([headers, one, two]))
    assert not found.faults
    assert found.profiles[0].answers == USER_1.answers
    assert found.profiles[1].answers == USER_2.answers
    # P17: recruits should have used AI image tools; the paper's own User 1 never did.
    assert found.profiles[0].answers["Q17"] == "Never used"
    assert found.profiles[0].text == profile_text(found.profiles[0])


def test_p15_what_may_identify_a_person_is_dropped_and_named(tmp_path):
    headers = ["Name", "E-mail", "来自IP", "手机", "Submitted at", "", "Q2"]
    row = ["Ana Lima", "ana@example.org", "10.0.0.7", "13800000000", "2025-01-01", "x", "Female"]
    found = read(tmp_path, table([headers, row]), **SMALL)
    assert [c.header for c in found.dropped_columns] == headers[:-1]
    assert [c.why for c in found.dropped_columns[:4]] == ["may identify a person"] * 4
    kept = found.profiles[0].model_dump_json()
    assert not any(secret in kept for secret in row[:5])
    assert found.profiles[0].id == "person-0001"
    assert any("'Name'" in line for line in found.told())


def test_p15_fast_rows_and_rows_without_consent_are_left_out(tmp_path):
    headers = ["Informed consent", "Duration (in seconds)", "Q2"]
    rows = [
        ["I agree", "200", "Male"],
        ["I agree", "12", "Male"],
        ["I do not agree", "300", "Male"],
        ["", "300", "Female"],
        ["同意", "4分10秒", "Female"],
        ["yes", "", "Non-binary"],
    ]
    found = read(tmp_path, table([headers, *rows]), **SMALL)
    assert [p.answers["Q2"] for p in found.profiles] == ["Male", "Female", "Non-binary"]
    assert found.left_out == {"unreadable": 0, "too fast": 1, "no consent": 2, "duplicate": 0}
    assert [(f.line, f.field) for f in found.faults] == [
        (3, "Duration (in seconds)"),
        (4, "Informed consent"),
        (5, "Informed consent"),
    ]
    assert "took 12 s, less than 60 s" in found.faults[0].reason
    assert any("no time that can be read" in note for note in found.notes)
    relaxed = read(tmp_path, table([headers, *rows]), min_seconds=0, **SMALL)
    assert relaxed.left_out["too fast"] == 0
    with pytest.raises(DataError, match="no column of consent"):
        read(tmp_path, "Q2\nMale\n", require_consent=True, **SMALL)


def test_p15_research_ids_are_made_or_kept_but_never_personal(tmp_path):
    rows = [
        ["Code", "Q2"],
        ["r-17", "Male"],
        ["ana@x.org", "Female"],
        ["", "Male"],
        ["r-17", "Female"],
    ]
    rows += [["Ana Lima", "Non-binary"], ["10.0.0.1", "Prefer not to say"]]
    found = read(tmp_path, table(rows), id_column="code", **SMALL)
    assert [p.id for p in found.profiles] == ["r-17"]
    assert [f.line for f in found.faults] == [3, 4, 5, 6, 7]
    assert "is the research id of line 2 too" in found.faults[2].reason
    assert not any("ana" in str(f).lower() for f in found.faults)
    with pytest.raises(DataError, match="has no column 'token'"):
        read(tmp_path, table(rows), id_column="token", **SMALL)


def test_p24_p15_duplicates_are_left_out_and_told(tmp_path):
    rows = [["Q2", "Q12"], ["Male", "3"], ["Female", "3"], ["A.male", "3.0"]]
    found = read(tmp_path, table(rows), **SMALL)
    assert len(found.profiles) == 2
    assert str(found.faults[0]).endswith("export.csv:4: gives the same answers as line 2")
    assert [p.id for p in found.profiles] == ["person-0001", "person-0002"]
    assert len(read(tmp_path, table(rows), duplicates="keep", **SMALL).profiles) == 3


def test_p24_rows_that_cannot_be_read_are_told_with_line_column_and_reason(tmp_path):
    text = (
        "Q1,Q12,Q16:Power,Q16:Security,Q7\r\n"
        'Science,7,1,,"Film\r\nPets"\r\n'  # lines 2 and 3
        "Alchemy,9,1,0,Film\r\n"
        "Science,7.5,maybe,1,Film\r\n"
        "Science,7,0,0,Knitting\r\n"
        "Science,7,1,0,Film,too,many\r\n"
        "Science,7,1,0,Film,,\r\n"
        ",,,,\r\n"
        'Law,1,1,0,"Film\r\nnever closed\r\n'
    )
    found = read(tmp_path, text, texts=False)
    # All eighteen are wanted only where there is a column.
    assert [p.answers["Q7"] for p in found.profiles] == [("Film", "Pets"), ("Film",)]
    told = [(f.line, f.field, f.reason) for f in found.faults]
    assert [(line, column) for line, column, _ in told] == [
        (4, "Q1"),
        (4, "Q12"),
        (5, "Q12"),
        (5, "Q16:Power"),
        (6, "Q7"),
        (6, "Q16:Power"),
        (7, ""),
        (10, ""),
    ]
    reasons = [reason for _, _, reason in told]
    assert "a text of 7 characters is not allowed; Q1 takes one of: Humanities" in reasons[0]
    assert "'9' is not allowed; Q12 takes a whole number from 1 to 7" in reasons[1]
    assert "a text of 5 characters says neither that Power was chosen nor that not" in reasons[3]
    assert "a text of 8 characters is not allowed" in reasons[4]
    assert "no answer; Q16 takes 1 to 3" in reasons[5]
    assert "has 7 cells where the header has 5" in reasons[6]
    assert "never closes; 2 lines are left out" in reasons[7]
    assert found.rows == 7
    assert found.rows == len(found.profiles) + sum(found.left_out.values())


def test_p24_repeated_headers_agree_or_the_row_is_left_out(tmp_path):
    rows = [
        ["Q2", "Q2", "Q7:Film", "Q7:Film"],
        ["Male", "", "1", "1"],
        ["Male", "Female", "1", "1"],
    ]
    rows += [["Male", "Male", "1", "0"]]
    found = read(tmp_path, table(rows), **SMALL)
    assert len(found.profiles) == 1
    assert [(f.line, f.reason) for f in found.faults] == [
        (3, "another column of Q2 says otherwise"),
        (4, "another column of Q7 says otherwise of Film"),
    ]
    assert "columns 1 and 2 both hold Q2" in found.notes[0]


def test_p24_free_text_beside_other_is_not_kept(tmp_path):
    rows = [
        ["Q1", "Q2"],
        ["其他〖basket weaving, ana@x.org〗", "Male"],
        ["Other: carving", "Female"],
    ]
    found = read(tmp_path, table(rows), **SMALL)
    assert [p.answers["Q1"] for p in found.profiles] == ["Other", "Other"]
    assert "2 × Q1: free text beside an option was not kept" in found.notes


def test_p15_faults_repeat_ratings_and_codes_but_never_texts(tmp_path):
    secrets = ["ana@example.org", "13800000000", "10.0.0.7", "Ana Lima", "安娜", "Ana"]
    rows = [["Q1", "Q12", "Q7:Film", "Q18"]]
    rows += [["Law", secret, "1", "Forest greens"] for secret in secrets]
    rows += [[secret, "4", "1", "Forest greens"] for secret in secrets]
    rows += [["Law", "4", secret, "Forest greens"] for secret in secrets]
    rows += [["Law", "4", "1", f"Forest greens;{secret}"] for secret in secrets]
    found = read(tmp_path, table(rows), texts=False)
    assert not found.profiles and len(found.faults) >= len(rows) - 1
    told = [*map(str, found.faults), *found.notes, *found.told()]
    assert not [line for line in told if any(secret in line for secret in secrets)]
    codes = read(tmp_path, table([["Q1", "Q12"], ["Z", "9"], ["Law", "7.5"]]), texts=False)
    assert [f.reason.split(" is not")[0] for f in codes.faults] == ["'Z'", "'9'", "'7.5'"]


def test_p13_p15_uploads_get_places_by_research_id_and_lose_their_names(tmp_path):
    rows = [["Q2", "Q19"], ["Male", "a/one.png;b.jpg"], ["Female", "https://x.org/a.png\n../b.png"]]
    rows += [["Non-binary", "/etc/a.png"], ["Prefer not to say", "(跳过)"], ["Female", "C:\\a.png"]]
    found = read(tmp_path, table(rows), duplicates="keep", **SMALL)
    assert [p.uploads for p in found.profiles] == [
        ("person-0001/1.png", "person-0001/2.jpg"),
        *4 * [()],
    ]
    assert any(note.startswith("4 × Q19: a web address") for note in found.notes)
    named = [["Code", "Q2", "Q19"], ["a.b", "Male", "Ana Lima.of/AnaLima.JPG;x.Ana;Ana\\2.png"]]
    named += [["r-2", "Male", "Ben.webp"], ["r-3", "Male", "Ben.webp"]]
    kept = read(tmp_path, table(named), id_column="Code", **SMALL)
    assert [p.uploads for p in kept.profiles] == [("a.b/1.jpg", "a.b/2.png"), ("r-2/1.webp",)]
    assert "gives the same answers as line 3" in kept.faults[0].reason
    # What could not be taken keeps its number, so that the others are found in the export.
    assert [(u.line, u.number, u.place) for u in kept.uploads] == [
        (2, 1, "a.b/1.jpg"),
        (2, 3, "a.b/2.png"),
        (3, 1, "r-2/1.webp"),
    ]
    assert any(note.startswith("1 × Q19: an upload without the ending") for note in kept.notes)
    everything = [*kept.told(), *kept.notes, *(p.model_dump_json() for p in kept.profiles)]
    assert not [line for line in everything if "Ana" in line or "Ben" in line]


def test_p24_the_label_counts_before_its_code_and_codes_count_alone_if_told_so(tmp_path):
    text = table([["Q1"], ["F.Engineering"], ["D.Medizin"], ["C"], ["5"]])
    found = read(tmp_path, text, **SMALL)
    assert [p.answers["Q1"] for p in found.profiles] == ["Engineering", "Science", "Agriculture"]
    assert found.faults[0].line == 3
    trusting = read(tmp_path, text, trust_codes=True, **SMALL)
    assert trusting.profiles[1].answers["Q1"] == "Medicine"


def test_p24_whole_answers_are_wanted_unless_told_otherwise(tmp_path):
    rows = [["Q1", "Q2"], ["Law", ""]]
    assert "no answer; Q2 takes one of" in read(tmp_path, table(rows)).faults[0].reason
    assert read(tmp_path, table(rows), partial=True).profiles[0].answers == {"Q1": "Law"}
    empty = read(tmp_path, table([["Q1", "x"], ["", "y"]]), partial=True)
    assert empty.faults[0].reason == "holds no answer"


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        (b"", "is empty"),
        (b"PK\x03\x04rest", "this is a workbook"),
        (b"Q\x001\x00,\x00Q\x002\x00", "NUL bytes"),
        (b"\xff\xfe\x00", "is not text in utf-16"),
        (b"Q1,\xff\xff\xff\n", "is not text in utf-8 or gb18030"),
        (b"colour,mood\nred,calm\n", "no column belongs to any question"),
        (b"2024,2025\n1,2\n", "no column belongs to any question"),
    ],
)
def test_p24_files_that_are_no_survey_are_told(tmp_path, raw, told):
    with pytest.raises(DataError) as error:
        read(tmp_path, raw)
    assert told in str(error.value)
    assert "export.csv" in str(error.value)


def test_p24_missing_files_encodings_and_separators_are_told(tmp_path):
    with pytest.raises(DataError, match="cannot be read"):
        read_survey(tmp_path / "none.csv")
    with pytest.raises(DataError, match="no encoding 'klingon'"):
        read_survey(_written(tmp_path), SurveySettings(encoding="klingon"))
    with pytest.raises(DataError, match="more than one character"):
        read_survey(_written(tmp_path), SurveySettings(separator="||"))


def _written(tmp_path):
    path = tmp_path / "e.csv"
    path.write_text("Q1\nLaw\n")
    return path


def test_p24_excels_own_line_about_the_separator(tmp_path):
    found = read(tmp_path, "sep=;\r\nQ1;Q2\r\nLaw, I think;Male\r\nLaw;Male\r\n", **SMALL)
    assert len(found.profiles) == 1
    assert found.faults[0].line == 3


@pytest.mark.parametrize(
    ("header", "question", "option"),
    [
        ("3(A.学术型)", "Q3", "Academic-oriented"),
        ("Q7_A", "Q7", "Film"),
        ("Q7A", "Q7", "Film"),
        ("q7.b", "Q7", "Anime and comics"),
        ("Q7:C.Gaming.1", "Q7", "Gaming"),
        ("Q18 [Forest greens]", "Q18", "Forest greens"),
        ("Hobbies and interests (Film)", "Q7", "Film"),
        ("7、兴趣爱好:绘画", "Q7", "Visual arts"),
        ("*4.Which style best describes your living space?", "Q4", None),
        ("第5题", "Q5", None),
        ("major", "Q1", None),
        ("12、我认为自己好奇", "Q12", None),
        # A survey with a question before ours: the wording counts, not the number.
        ("2、专业", "Q1", None),
        ("Q1.1", "Q1", None),
    ],
)
def test_p24_headers_in_many_forms(header, question, option):
    column = columns_of([header], ASKED, "x.csv")[0]
    assert column.role == "answer"
    assert column.question.id == question
    assert (column.option.label if column.option else None) == option


@pytest.mark.parametrize("header", ["2024 income", "Q20", "3D printing", "Q1. Name", "ID"])
def test_p24_p15_headers_of_no_question(header):
    assert columns_of([header, "Q2"], ASKED, "x.csv")[0].role == "dropped"


def test_p24_an_option_that_there_is_not_is_dropped_beside_others():
    found = columns_of(["Q7:Film", "Q7:Knitting"], ASKED, "x.csv")
    assert [c.role for c in found] == ["answer", "dropped"]
    assert found[1].why == "Q7 has no such option"
    alone = columns_of(["7. Was machst du gern?"], ASKED, "x.csv")[0]
    assert (alone.role, alone.option) == ("answer", None)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *(("7", 7), ("7.0", 7), ("７", 7), ("7分", 7), ("7 - strongly agree", 7), ("0", None)),
        *(("8", None), ("6,5", None), ("seven", None), ("-1", None), ("7 5", None)),
    ],
)
def test_p24_ratings(text, expected):
    found = answer_of(ASKED["Q12"], [(None, "Q12", text)], CellSettings()).value
    assert (found if isinstance(found, int) else None) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *(("Yes", True), ("A. I agree", True), ("I agree, and read it", True), ("已同意", True)),
        *(
            ("不同意", False),
            ("no", False),
            ("", False),
            ("I disagree", False),
            ("yesterday", False),
        ),
    ],
)
def test_p15_consent_in_words(text, expected):
    assert CellSettings().consents(text) is expected


def test_p15_times_that_cannot_be_read():
    assert [seconds_of(t) for t in ("1h 2m", "90 sec", "::", "12:61x", "-5")] == [
        3720.0,
        90.0,
        None,
        None,
        None,
    ]


@given(st.binary(max_size=200))
def test_p24_no_bytes_end_in_anything_but_a_told_error(tmp_path_factory, raw):
    try:
        found = read(tmp_path_factory.mktemp("raw"), b"Q1,Q2,Q7:Film\n" + raw, **SMALL)
    except DataError:
        return
    assert found.rows == len(found.profiles) + sum(found.left_out.values())


def test_p24_codes_in_small_letters_find_their_options(tmp_path):
    agent = next(iter(grow_agents(1, 0)))
    headers = [header.lower() for header in template()]
    found = read(tmp_path, table([headers, template_row(agent.answers)]))
    assert found.missing_questions == ()
    assert found.profiles[0].answers == agent.answers


def test_p24_an_option_without_a_column_is_told(tmp_path):
    agent = next(iter(grow_agents(1, 0)))
    rows = [template()[:-1], template_row(agent.answers)[:-1]]
    found = read(tmp_path, table(rows), partial=True)
    assert any("Q18 has no column for Black and white" in note for note in found.notes)


@pytest.mark.parametrize("text", ["5-6", "3 or 4", "5～6", "1e1", "5 (2023)", "4/5"])
def test_p24_two_numbers_are_no_rating(tmp_path, text):
    found = read(tmp_path, table([["Q12"], [text]]), **SMALL)
    assert not found.profiles
    assert "is not allowed" in str(found.faults[0])


@pytest.mark.parametrize(
    ("text", "value"), [("7 out of 7", 7), ("4/7", 4), ("6 - agree", 6), ("1 (1 to 7)", 1)]
)
def test_p24_a_rating_may_stand_beside_its_scale(tmp_path, text, value):
    found = read(tmp_path, table([["Q12"], [text]]), **SMALL)
    assert found.profiles[0].answers == {"Q12": value}


def test_p24_text_that_is_no_utf_8_is_told_to_be_a_guess(tmp_path):
    found = read(tmp_path, table([["Q1", "note"], ["Law", "r\xe9sum"]]), "cp1252", **SMALL)
    assert any("cp1252" in note for note in found.notes)
    assert not read(tmp_path, table([["Q1"], ["Law"]]), **SMALL).notes


def test_p24_marks_without_width_are_not_seen(tmp_path):
    found = read(tmp_path, table([["\u200bQ1"], ["\ufeffB.Engi\u200bneering"]]), **SMALL)
    assert found.profiles[0].answers == {"Q1": "Engineering"}


def test_p15_a_name_in_chinese_is_no_research_id(tmp_path):
    rows = [["Q1", "rid"], ["Law", "张伟"], ["Law", "被试03"]]
    found = read(tmp_path, table(rows), id_column="rid", duplicates="keep", **SMALL)
    assert [profile.id for profile in found.profiles] == ["被试03"]
    assert "张伟" not in str(found.faults[0])
