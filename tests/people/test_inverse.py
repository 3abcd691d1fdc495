"""From captions to a persona by look-up (V22, V14, V16)."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eyeprint.people.captions_in import CaptionIn
from eyeprint.people.inverse import ImportSettings, persona_from_captions
from eyeprint.people.inverse_lexicon import lexicon
from eyeprint.people.inverse_phrases import elements_of, find_phrases, is_english
from eyeprint.people.inverse_tastes import TasteSettings, find_preferences
from eyeprint.people.shipped import load_people
from eyeprint.records.people import CATEGORIES, FACETS, Persona


def captions(*texts: str) -> list[CaptionIn]:
    return [CaptionIn(t, f"p{i}", None, "", "c.csv", i) for i, t in enumerate(texts, start=2)]


@pytest.fixture(scope="module")
def mini() -> list[Persona]:
    return list(load_people("mini"))


def imported(person: Persona) -> Persona:
    given = [CaptionIn(p.caption, p.id, p.kind, p.time, "f", 1) for p in person.posts]
    return persona_from_captions("new", given).person


def test_v22_every_element_stands_verbatim_in_its_caption_and_once(mini):
    for person in mini[:4]:
        for post in imported(person).posts:
            phrases = [p for found in post.elements.values() for p in found]
            assert phrases and all(phrase in post.caption for phrase in phrases)
            assert len({p.lower() for p in phrases}) == len(phrases)
            assert set(post.elements) <= set(CATEGORIES)
            assert all(1 <= len(found) <= 3 for found in post.elements.values())


def test_v22_nothing_about_the_person_is_invented(mini):
    made = imported(mini[2])  # a Mexican ceramics student, a woman
    assert "demographics" not in made.model_fields_set
    assert made.demographics.gender == "unknown" and made.demographics.country is None
    said = " ".join((*made.preferences, made.summary)).lower()
    assert not set(re.findall(r"\w+", said)) & {"woman", "she", "her", "mexican", "zapotec"}


def test_v16_v22_preferences_follow_from_counts_that_stand_beside_them(mini):
    made = imported(mini[2])
    evidence = made.preference_evidence
    assert [row["statement"] for row in evidence] == list(made.preferences)
    assert 10 <= len(made.preferences) <= 18
    assert all(2 <= row["captions"] <= row["of"] == 30 for row in evidence)
    # slow twin of one count: captions with the word "clay" alone, not as in "clay-stiff"
    clay = sum(
        bool(re.search(r"(?<![\w-])clay(?![\w-])", p.caption.lower())) for p in mini[2].posts
    )
    told = {row["statement"]: row["captions"] for row in evidence}
    assert told["likes clay as a surface or material"] == clay
    assert not any(re.search(r"\d", statement) for statement in made.preferences)


def test_v14_v22_the_vocabulary_has_the_paper_s_facets_and_groups(mini):
    made = imported(mini[0])
    assert set(made.vocabulary) == set(FACETS)
    for facet, groups in made.vocabulary.items():
        assert set(groups) <= set(FACETS[facet])
        assert all(1 <= len(entries) <= 5 for entries in groups.values())


def test_v22_a_persona_from_its_own_captions_is_nearer_than_anothers(mini):
    """The words of A's imported vocabulary are A's annotated elements' more than B's."""

    def words(texts) -> set[str]:
        found = (w for text in texts for w in re.findall(r"\w{4,}", text.lower()))
        return set(found)

    annotated = [words(person.elements) for person in mini]
    for i in (0, 3, 8):
        made = imported(mini[i])
        mine = words(e for g in made.vocabulary.values() for es in g.values() for e in es)
        shares = [len(mine & other) for other in annotated]
        assert max(range(len(mini)), key=shares.__getitem__) == i


def test_v22_quality_on_hand_annotated_captions_does_not_fall(mini):
    """Measured 2026-11: precision 0.63, recall 0.58 of content words on the held-out half."""
    hit = found = wanted = 0
    for person in mini[6:]:
        for post in person.posts:
            ours = words_of(p for ps in elements_of(post.caption).values() for p in ps)
            theirs = words_of(p for ps in post.elements.values() for p in ps)
            hit += len(ours & theirs)
            found += len(ours)
            wanted += len(theirs)
    assert hit / found > 0.58 and hit / wanted > 0.52


def words_of(phrases) -> set[str]:
    words = {w for p in phrases for w in re.findall(r"[^\W\d_]{3,}", p.lower())}
    return {w for w in words if lexicon().look_up(w).role == "open"}


@pytest.mark.parametrize(
    ("caption", "category", "phrase"),
    [
        ("Inside, at last, an old woman in a hat. Later comes low sun.", "lighting", "low sun"),
        ("Far off stands a church; behind it, a snowy mountain.", "background", "a snowy mountain"),
        ("It is late; a boy is peeling a wet orange.", "actions", "peeling a wet orange"),
        ("All is quiet, and in the end there is her linen apron.", "appearance", "her linen apron"),
        ("All is quiet, and in the end there is soot-blackened adobe.", "materials",
         "soot-blackened adobe"),
        ("All is quiet, and then, at the very end, a dented copper kettle.", "objects",
         "a dented copper kettle"),
        ("A grey cat and a tired fisherman share the mat.", "foreground", "a tired fisherman"),
        ("All is quiet, and one waits at last in a narrow courtyard.", "environment",
         "a narrow courtyard"),
    ],
)  # fmt: skip
def test_v22_phrases_are_placed_by_their_head_and_their_place(caption, category, phrase):
    assert phrase in elements_of(caption).get(category, [])


@pytest.mark.parametrize(
    "text",
    [
        "लाल दरवाज़े के पास एक बूढ़ा कुम्हार बैठा है।",
        "باب أحمر في نهاية الزقاق عند الغروب",
        "巷子尽头有一扇红色的门，傍晚的光。",
        "Une porte rouge au fond de la ruelle, sous la lumière du soir.",
        "Una puerta roja al final del callejón, con la luz de la tarde.",
        "Eine rote Tür am Ende der Gasse, davor ein alter Mann mit Hut.",
    ],
)
def test_v22_other_languages_are_kept_without_elements_and_told(text):
    assert not is_english(text)
    made = persona_from_captions("a", captions(text, "A red door in the lane."))
    assert made.person.posts[0].caption == text and made.person.posts[0].elements == {}
    assert made.person.posts[1].elements
    assert "1 of 2 captions do not read as English" in made.notes[0]


def test_v22_one_caption_and_only_foreign_captions_still_make_a_person():
    made = persona_from_captions("a", captions("A red boat in the fog."))
    assert made.person.preferences and "1 captions only" in made.notes[-1]
    made = persona_from_captions("a", captions("巷子尽头有一扇红色的门"))
    assert made.person.preferences == () and made.person.summary == ""


def test_v22_thirty_identical_captions_make_a_person():
    given = [CaptionIn("A red boat in the fog.", f"p{i}", None, "", "f", i) for i in range(30)]
    made = persona_from_captions("a", given).person
    assert len(made.posts) == 30
    assert {row["captions"] for row in made.preference_evidence} == {30}


def test_v22_five_thousand_captions_take_seconds_not_minutes(mini):
    texts = [c for person in mini for c in person.captions][:250]
    start = time.perf_counter()
    persona_from_captions("a", captions(*texts))
    # 250 captions take 0.25 s; twenty times that is 5,000 in 5 s. The bound is loose on purpose.
    assert time.perf_counter() - start < 5


def test_v22_kinds_and_times_that_are_known_are_kept_and_others_stay_unset():
    given = [
        CaptionIn("A red boat.", "a", "selfie", "May", "f", 2),
        CaptionIn("A blue boat.", "b", None, "", "f", 3),
    ]
    one, two = persona_from_captions("a", given).person.posts
    assert (one.kind, one.time) == ("selfie", "May")
    assert two.model_fields_set == {"id", "caption", "elements"}


def test_v22_settings_limit_phrases_and_preferences():
    limits = ImportSettings(
        extract={"per_category": 1}, tastes={"most": 2, "min_captions": 1, "min_share": 0.0}
    )
    text = "A copper kettle, a tin mug, a wooden spoon and a bread knife on a red table in fog."
    made = persona_from_captions("a", captions(text), limits).person
    assert all(len(found) == 1 for found in made.posts[0].elements.values())
    assert len(made.preferences) == 2


def test_v22_what_is_usual_for_everybody_ranks_below_what_is_not():
    texts = ["Fog, and a red kite by the wall."] * 5 + ["A wall."] * 3 + ["A kite."] * 2
    # walls: 8 of 10 where 0.65 is usual, so 0.15 above; fog: 5 of 10, usually 0.26, 0.24 above
    found = [row.statement for row in find_preferences(texts, [[]] * 10, TasteSettings())]
    assert found.index("likes mist, haze and smoke in the air") < found.index(
        "takes pictures of walls, doors and windows"
    )


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=300))
def test_v22_no_text_breaks_the_reader(text):
    for phrase in find_phrases(text):
        assert text[phrase.start : phrase.start + len(phrase.text)] == phrase.text
        assert phrase.category in CATEGORIES
    for phrases in elements_of(text).values():
        assert all(p in text for p in phrases)


def test_v22_no_phrase_ends_with_a_word_that_joins():
    caption = "Steam rising from a bamboo basket of dumplings on a wet counter at night."
    (action,) = elements_of(caption)["actions"]
    assert action == "rising from a bamboo basket"
