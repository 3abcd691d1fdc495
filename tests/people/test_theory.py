"""The theory-to-visual map holds every row of the paper, and answers every option."""

import pytest

from eyeprint.people.candidate_cues import cues_of
from eyeprint.people.questionnaire import questionnaire
from eyeprint.people.theory import ROWS, SLOTS, aesthetic_tags, general_subjects, theory
from eyeprint.records.candidates import CATEGORIES
from eyeprint.records.profiles import Profile

WITHOUT_LOOKS = {"Q2", "Q17"}
"""Gender and the use of AI suggest no picture: nothing is derived from them."""


def found(**answers) -> list[str]:
    return [cue.entry.id for cue in cues_of(Profile(id="x", answers=answers)).cues]


def test_p38_every_row_of_the_paper_has_entries_with_words():
    for row in ROWS:
        entries = [entry for entry in theory().values() if entry.row == row]
        assert len(entries) >= 3, row
        assert all(entry.words or entry.subjects for entry in entries)
        assert all(entry.why.endswith(".") for entry in entries)
    values = [e.id for e in theory().values() if e.row == "values"]
    assert len(values) == 10


@pytest.mark.parametrize("question", [q.id for q in questionnaire().asked if q.options])
def test_p38_every_option_calls_for_an_entry(question):
    if question in WITHOUT_LOOKS:
        assert not [e for e in theory().values() if e.question == question]
        return
    for option in questionnaire()[question].options:
        if not option.sampled:
            continue
        multiple = questionnaire()[question].type == "multi"
        got = found(**{question: [option.label] if multiple else option.label})
        assert got, f"{question}: {option.label}"


@pytest.mark.parametrize("step", range(13))
def test_p38_every_openness_has_one_band(step):
    curiosity, rigidity = 1 + (step + 1) // 2, 7 - step // 2
    got = [name for name in found(Q12=curiosity, Q13=rigidity) if name.startswith("openness/")]
    assert len(got) == 1


def test_p38_every_mood_lies_in_one_quadrant():
    for pleasure in range(10):
        for excitement in range(10):
            got = found(Q14=pleasure, Q15=excitement)
            assert sum("pleasant" in name for name in got) == 1


def test_p12_the_priors_lean_as_the_literature_says():
    words = {name: " ".join(w for s in e.words.values() for w in s) for name, e in theory().items()}
    assert "asymmetric" in words["openness/high"] and "surreal" in words["openness/high"]
    assert "realistic" in words["openness/low"] and "symmetrical" in words["openness/low"]
    assert "unconventional framing" in words["values/self-direction"]
    assert "classical" in words["values/tradition"] and "editorial" in words["values/achievement"]
    assert "tranquil" in words["values/universalism"]
    assert "vivid" in words["cma/pleasant-activated"]
    assert "low saturation" in words["cma/unpleasant-calm"]


def test_p38_subjects_stand_in_known_categories_with_settings():
    for entry in theory().values():
        assert set(entry.subjects) <= set(CATEGORIES)
        assert set(entry.words) <= set(SLOTS)
        for category, pairs in entry.subjects.items():
            for subject, setting in pairs:
                assert subject
                # Only what is abstract, or whole in itself, has no place.
                assert setting or category == "abstract", f"{entry.id}: {subject}"


def test_p74_tags_and_general_subjects_are_enough_to_write_from():
    assert set(aesthetic_tags()) == set(SLOTS)
    assert all(len(tags) >= 10 for tags in aesthetic_tags().values())
    quota = {"portrait": 6, "landscape": 4, "urban": 3, "still_life": 3, "abstract": 2, "hybrid": 3}
    assert all(len(general_subjects()[c]) >= 2 * n for c, n in quota.items())


def test_p5_an_age_counts_where_a_profile_has_one():
    old = Profile.model_validate({"id": "x", "age": 70})
    assert [cue.entry.id for cue in cues_of(old).cues] == ["age/older"]


def test_p77_without_openness_no_entry_and_no_answer_of_it_is_left():
    who = Profile(id="x", answers={"Q12": 7, "Q13": 1, "Q14": 6, "Q15": 6, "Q4": "Retro"},
                  text="TIPI openness 7")  # fmt: skip
    cues = cues_of(who, "no_openness")
    assert not any(cue.entry.needs_openness for cue in cues.cues)
    assert set(cues.profile.answers) == {"Q14", "Q15", "Q4"} and not cues.profile.text
    assert {c.entry.id for c in cues_of(who).cues} > {c.entry.id for c in cues.cues}


def test_p74_the_profile_free_pipeline_sees_nothing_of_the_profile():
    one, two = (Profile(id="x", answers={"Q4": style}) for style in ("Retro", "Tech and e-sports"))
    assert cues_of(one, "profile_free") == cues_of(two, "profile_free")
    assert cues_of(one, "profile_free").profile.answers == {}
    other = cues_of(Profile(id="y"), "profile_free")
    assert other.slots != cues_of(one, "profile_free").slots
    assert "Retro" not in cues_of(one, "profile_free").slot_text()
