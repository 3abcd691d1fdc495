"""The questionnaire, trait scores, signatures and profile texts (P5–P14, P18, P21, P31, P40)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyeprint.errors import DataError, UnknownName, UsageError
from eyeprint.people.questionnaire import (
    SignatureSettings,
    profile_text,
    questionnaire,
    roles,
    signature,
    slot_text,
    traits_of,
)
from eyeprint.people.questions import questions_of
from eyeprint.people.tables import read_table
from eyeprint.people.traits import bin_of
from eyeprint.records.profiles import Profile
from tests.people.pip_profiles import USER_1, USER_2


def test_p13_eighteen_questions_and_an_upload_ten_explicit_and_eight_psychological():
    asked = questionnaire().asked
    assert [q.id for q in asked] == [f"Q{i}" for i in range(1, 19)]
    assert questionnaire().questions[-1].type == "upload"
    explicit = [q.id for q in asked if q.group == "explicit"]
    # The only reading under which "10 explicit + 8 personality" of App. H is right.
    assert explicit == [*(f"Q{i}" for i in range(1, 10)), "Q17"]


def test_p14_types_of_questions():
    types = {q.id: q.type for q in questionnaire().asked}
    assert {i for i, t in types.items() if t == "single"} == {"Q1", "Q2", "Q4", "Q10", "Q17"}
    assert {i for i, t in types.items() if t == "rating"} == {f"Q{i}" for i in range(11, 16)}
    assert {i for i, t in types.items() if t == "multi"} == {
        *("Q3", "Q5", "Q6", "Q7", "Q8", "Q9", "Q16", "Q18")
    }


def test_p9_p10_p36_ranges_of_ratings():
    ranges = {q.id: (q.low, q.high) for q in questionnaire().asked if q.type == "rating"}
    assert ranges == {"Q11": (1, 5), "Q12": (1, 7), "Q13": (1, 7), "Q14": (0, 9), "Q15": (0, 9)}


def test_p5_p8_p11_options_that_the_paper_names_are_there():
    asked = questionnaire()
    named = {
        "Q1": ["Arts and Design", "Medicine", "Science", "A.Humanities", "B.Engineering"],
        "Q3": ["academic-oriented", "artistic soul", "athletic", "“Laid-back” player"],
        "Q4": ["Minimalist / functional style", "Cozy / healing style", "e-sports/tech-savvy"],
        "Q5": ["Urban exploration", "exhibitions", "natural scenery", "cultural tours"],
        "Q6": ["athleisure", "streetwear", "darkwear/techwear", "sweet/Kawaii", "Simple style"],
        "Q7": ["Anime", "comics", "gaming", "interacting with pets", "exploring nature"],
        "Q8": ["Fashion & beauty", "Anime commentary", "game streaming", "popular science"],
        "Q9": ["bilibili", "Xiaohongshu", "Zhihu", "WeChat", "QQ", "Douyin", "Instagram"],
        "Q16": ["Independence and creativity", "Hedonism: enjoyment", "Security and stability"],
        "Q17": ["Never used", "1–3 times a year"],
        "Q18": ["Urban minimalist tones", "Cool ocean tones"],
    }
    missing = [
        (q, name) for q, names in named.items() for name in names if not asked[q].option(name)
    ]
    assert not missing
    assert len([label for label in asked["Q10"].labels if len(label) == 4]) == 16


def test_p24_options_are_coded_by_place():
    options = questionnaire()["Q1"].options
    assert [o.coded for o in options[:2]] == ["A.Humanities", "B.Engineering"]
    for option in options:
        assert questionnaire()["Q1"].option(option.coded) is option
        assert questionnaire()["Q1"].option(option.code) is option


@pytest.mark.parametrize(("curiosity", "rigidity", "expected"), [(7, 2, 6.5), (3, 4, 3.5)])
def test_p6_openness_of_the_papers_examples(curiosity, rigidity, expected):
    # (7 + (8 - 2)) / 2 = 13 / 2 = 6.5; (3 + (8 - 4)) / 2 = 7 / 2 = 3.5
    who = Profile(id="x", answers={"Q12": curiosity, "Q13": rigidity})
    assert traits_of(who).openness == expected


def test_p6_openness_runs_from_one_to_seven():
    scores = {
        traits_of(Profile(id="x", answers={"Q12": a, "Q13": b})).openness
        for a in range(1, 8)
        for b in range(1, 8)
    }
    assert (min(scores), max(scores)) == (1.0, 7.0)


def test_p7_p8_p9_p10_traits_of_the_papers_users():
    one, two = traits_of(USER_1), traits_of(USER_2)
    assert one.values == ("Self-Direction", "Stimulation", "Hedonism")
    assert two.values == ("Hedonism", "Security")
    assert (one.pleasure, one.excitement, one.thinking, one.mbti) == (5, 3, 4, "INTP")
    assert (two.pleasure, two.excitement, two.palettes) == (4, 0, ("Cool ocean tones",))
    assert (one.openness, two.openness) == (6.5, 3.5)
    empty = traits_of(Profile(id="x"))
    assert (empty.openness, empty.mbti, empty.values) == (None, None, ())
    assert traits_of(Profile(id="x", answers={"Q10": "Not known"})).mbti is None


def test_p14_every_fault_is_named_with_question_value_and_what_is_allowed():
    answers = USER_1.answers | {
        "Q1": "Alchemy",
        "Q11": 6,
        "Q13": "two",
        "Q16": ("Power", "Tradition", "Security", "Hedonism"),
        "Q18": ("Cool ocean tones", "Cool ocean tones"),
        "Q20": 1,
    }
    del answers["Q2"]
    faults = questionnaire().faults_of(answers)
    assert len(faults) == 7
    told = " | ".join(faults)
    assert (
        "Q1 (Major Field of Study): 'Alchemy' is not allowed; it takes one of: Humanities" in told
    )
    assert "Q11 (Thinking Style): 6 is not allowed; it takes a whole number from 1 to 5" in told
    assert "Q13 (Rigid and Uncreative): 'two' is not allowed" in told
    assert "Q16 (Core Values): a choice of 4 is not allowed; it takes 1 to 3" in told
    assert "Q18 (Color Preferences): the same option twice" in told
    assert "Q2 (Gender): no answer" in told
    assert "there is no question 'Q20'" in told
    with pytest.raises(DataError, match=r"profile z: .*Alchemy.*Q2"):
        questionnaire().checked(Profile(id="z", answers=answers))
    assert questionnaire().checked(USER_1) is USER_1
    assert questionnaire().faults_of({"Q11": 3}, partial=True) == ()


def test_p7_one_to_three_values():
    q16 = questionnaire()["Q16"]
    assert q16.fault_of(("Power",)) is None
    assert q16.fault_of(("Power", "Security", "Hedonism")) is None
    assert q16.fault_of(()) and q16.fault_of("Power")


def test_p14_an_unknown_question_is_an_error_that_names_the_nearest():
    with pytest.raises(UnknownName, match="no question 'Q21'"):
        questionnaire()["Q21"]


def test_p24_two_options_of_one_name_are_refused():
    rows = [
        {
            **{"id": "Q1", "key": "k", "title": "T", "text": "t", "zh": "", "type": "single"},
            **{
                "group": "explicit",
                "options": [{"label": "Red"}, {"label": "Rot", "also": ["red"]}],
            },
        }
    ]
    with pytest.raises(DataError, match="Q1: two options are called red"):
        questions_of(rows)


def test_p31_signature_of_user_two():
    found = signature(USER_2)
    assert {"Q1=Science", "Q2=Male", "Q4=Cosy and healing", "Q10=ISFJ"} <= found
    assert {"Q7:Handicrafts", "Q16:Security", "Q18:Cool ocean tones"} <= found
    # Q11 = 4 of 5 is High, Q12 = 3 and Q13 = 4 of 7 are Low and Med, Q14 = 4 Med, Q15 = 0 Low.
    assert {"Q11=High", "Q12=Low", "Q13=Med", "Q14=Med", "Q15=Low"} <= found
    # 5 singles + 5 ratings + 2 + 3 + 2 + 4 + 4 + 6 + 2 + 1 choices
    assert len(found) == 34


def test_p31_bin_edges_and_singles_are_settings():
    settings = SignatureSettings(thinking=(3, 5), singles=("Q1", "Q2", "Q10"))
    found = signature(USER_2, settings)
    assert "Q11=Med" in found
    assert "Q4=Cosy and healing" not in found
    with pytest.raises(UsageError, match="Low ends at 5"):
        SignatureSettings.checked({"affect": (5, 5)})
    with pytest.raises(UsageError, match="Q7 is no single question"):
        SignatureSettings.checked({"singles": ("Q7",)})


@given(st.integers(0, 9), st.integers(0, 8), st.integers(1, 9))
def test_p31_bins_against_a_plain_twin(value, low, gap):
    high = low + gap
    expected = 0 if value <= low else 2 if value >= high else 1
    assert bin_of(value, (low, high)) == expected


def test_p40_slot_text_has_the_papers_form():
    text = slot_text(USER_1)
    assert "Campus Roles: Easygoing / Living Space Style: Minimalist and functional / " in text
    assert text.endswith("Color Preferences: Urban minimalist tones")
    assert "Thinking Style: 4 (1 rational to 5 intuitive)" in text
    assert text.count(" / ") == 17


def test_p21_standard_text_holds_what_the_papers_example_holds():
    text = profile_text(USER_1)
    for part in (
        *("living space is minimalist and functional", "MBTI type INTP", "Thinking style 4 of 5"),
        *("TIPI openness 6.5 of 7 (high)", "Self-Direction, Stimulation and Hedonism"),
        *("pleasure 5 of 9 and excitement 3 of 9", "urban minimalist tones"),
        *("negative space", "abstraction", "minimalist"),
    ):
        assert part in text, part
    two = profile_text(USER_2)
    for part in (
        "TIPI openness 3.5 of 7 (low)",
        "realism",
        "stillness",
        "soft contrast",
        "healing",
    ):
        assert part in two, part


def test_p18_p21_evidence_from_pictures_is_told_and_an_empty_profile_says_nothing():
    assert "Their pictures show strong contrast and drifting dust." in profile_text(
        USER_1, ["strong contrast", "drifting dust"]
    )
    assert profile_text(Profile(id="x")) == ""
    assert slot_text(Profile(id="x")) == ""


def test_p77_without_the_openness_answers_the_text_has_no_openness():
    kept = {k: v for k, v in USER_1.answers.items() if k not in ("Q12", "Q13")}
    assert "openness" not in profile_text(Profile(id="x", answers=kept))


WRONG = {"Q1": "Nope", "Q12": "7", "Q13": 2, "Q14": 10**400, "Q15": -5, "Q11": 9, "Q99": 1}


def test_p10_p12_p31_what_is_no_answer_counts_nowhere():
    who, bare = Profile(id="x", answers=WRONG), Profile(id="x", answers={"Q13": 2})
    assert traits_of(who) == traits_of(bare)
    assert profile_text(who) == profile_text(bare)
    assert slot_text(who) == slot_text(bare)
    assert signature(who) == signature(bare)
    assert len(questionnaire().faults_of(WRONG, partial=True)) == 6


def every_answer(question: str) -> list[Profile]:
    options = [option.label for option in questionnaire()[question].options]
    several = questionnaire()[question].type == "multi"
    return [
        Profile.model_validate({"id": "x", "answers": {question: [one] if several else one}})
        for one in options
    ]


@pytest.mark.parametrize("question", ["Q1", "Q2", "Q3", "Q4", "Q5", "Q6", "Q7", "Q8", "Q17"])
def test_p21_every_answer_reads_well_in_a_sentence(question):
    for who in every_answer(question):
        text = profile_text(who).split(" In short")[0].removeprefix("In short")
        assert "travel for food travel" not in text and "clothing is" not in text
        assert not [
            word for word in text.split()[1:] if word[0].isupper() and word not in ("AI", "They")
        ]
        if question == "Q6":
            assert text.split(" ", 2)[1] == "wear"
            assert text.rstrip(".").endswith(("clothes", "wear", "clothing", "dress", "athleisure"))
        if question == "Q17":
            assert text.startswith(("They have used AI", "They have never used AI"))
    for table in ("said", "is"):
        rows = read_table("questionnaire.toml")[table]
        for name, row in rows.items() if table == "said" else [("Q3", rows)]:
            assert set(row) <= {option.label for option in questionnaire()[name].options}


def test_p21_a_list_with_an_and_of_its_own_is_parted_by_a_comma():
    who = Profile(
        id="x", answers={"Q7": ["Film", "Anime and comics", "Pets"], "Q5": ["Food travel"]}
    )
    assert profile_text(who).startswith(
        "They travel for food; enjoy film, anime and comics, and time"
    )
    two = Profile(id="x", answers={"Q3": ["Artistic soul", "Athletic"], "Q1": "Arts and Design"})
    assert profile_text(two).startswith(
        "Field of study: arts and design; role on campus: artistic soul and athletic."
    )
    assert roles(two) == ["an artistic soul", "athletic"]
