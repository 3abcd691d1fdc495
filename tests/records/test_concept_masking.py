"""Names out of texts: whole words, spellings, ordinary words, nothing twice (M8)."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyeprint.records.concept_masking import mask_name, name_pattern, ordinary_names
from eyeprint.records.concept_names import mask_all
from eyeprint.records.concept_questions import ConceptQuestion
from eyeprint.records.concepts import Concept, Tastes


@pytest.mark.parametrize(
    ("text", "name", "masked"),
    [
        ("Is Boo in the image?", "Boo", "Is <sks> in the image?"),
        ("Boo's bowl; Boo’s bed", "Boo", "<sks>'s bowl; <sks>’s bed"),
        ("Books, boo and BooBoo", "Boo", "Books, boo and BooBoo"),
        ("asian_doll, Asian Doll, asian-doll's", "asian_doll", "<sks>, <sks>, <sks>'s"),
        ("An asian doll beside ASIAN DOLL", "asian_doll", "An asian doll beside <sks>"),
        ("Aunt Vera’s mug", "Aunt_Vera's mug", "<sks>"),
        ("An Xin and AnXin", "AnXin", "<sks> and <sks>"),
        ("小明在图片里吗", "小明", "<sks>在图片里吗"),
        ("지민이 사진에", "지민", "<sks>이 사진에"),
        ("Is <SKS> near < sks >?", "Boo", "Is <sks> near <sks>?"),
        ("A.C. is here, not AAC", "A.C.", "<sks> is here, not AAC"),
        ("Is <sks> here?", "sks", "Is <sks> here?"),
        ("Zoë", "Zoë", "<sks>"),
    ],
)
def test_m8_names_are_found_as_whole_words(text: str, name: str, masked: str):
    assert mask_name(text, name).text == masked


@pytest.mark.parametrize(
    ("text", "name", "option", "masked"),
    [
        # Lower case: the word, unless it stands where a name does.
        ("A bull", "bull", True, "A bull"),
        ("Bull riding", "bull", True, "Bull riding"),
        ("bull riding", "bull", True, "bull riding"),
        ("bull's bowl", "bull", True, "<sks>'s bowl"),
        ("the bull's horns", "bull", True, "the bull's horns"),
        ("Is bull in the image?", "bull", False, "Is <sks> in the image?"),
        ("Is the bull in the image?", "bull", False, "Is the bull in the image?"),
        ("Is <sks> near bull riders?", "bull", False, "Is <sks> near bull riders?"),
        ("bull is a figure of wood.", "bull", False, "<sks> is a figure of wood."),
        ("Shape: bull", "bull", False, "Shape: <sks>"),
        # Capitals within a sentence are a name's; at its beginning they may be anything.
        ("Rose garden", "Rose", True, "Rose garden"),
        ("With Rose", "Rose", True, "With <sks>"),
        ("Rose is tall.", "Rose", False, "<sks> is tall."),
        (
            "Rose likes tea. <sks> dislikes malls.",
            "Rose",
            False,
            "<sks> likes tea. <sks> dislikes malls.",
        ),
        ("Roses near Rose", "Rose", False, "Roses near <sks>"),
        ("Will <sks> come?", "Will", False, "Will <sks> come?"),
        ("Will she come with Will?", "Will", False, "Will she come with <sks>?"),
        ("Is Will here?", "Will", False, "Is <sks> here?"),
        ("A rose by Rose: this Rose", "Rose", False, "A rose by <sks>: this Rose"),
    ],
)
def test_m8_a_name_that_is_a_word_does_not_wreck_texts(
    text: str, name: str, option: bool, masked: str
):
    assert mask_name(text, name, ordinary=True, option=option).text == masked


def test_m8_ordinary_words_are_told_from_the_data():
    texts = {
        "Rose": ["Is Rose here?", "Near the rose"],  # after an article
        "Boo": ["Is boo here?"],  # a slip in its own texts only
        "Grace": ["Grace sits."],
        "Mark": [],
        "bull": ["Is bull here?"],  # in lower case itself
        "asian_doll": ["a doll"],  # several words
        "Bo": ["with grace and a pencil mark"],  # in another's texts
    }
    assert ordinary_names(texts) == {"Rose", "Grace", "Mark", "bull"}


TOLD = """Boo boo bull Bull asian doll asian_doll Rose A a the An Xin is near with <sks> Is ? . , 's
Boo's not Will"""
WORDS = st.sampled_from(TOLD.split())
NAMES = st.sampled_from(["Boo", "bull", "asian_doll", "Rose", "A", "An Xin"])


def slow_mask(text: str, name: str) -> str:
    """Replace a plain name by looking at every place of the text in turn."""
    done, place = "", 0
    while place < len(text):
        before = text[place - 1] if place else " "
        end = place + len(name)
        after = text[end] if end < len(text) else " "
        apart = not (before.isalnum() or before in "_<" or after.isalnum() or after == "_")
        if text[place:end] == name and apart:
            done, place = done + "<sks>", end
        else:
            done, place = done + text[place], place + 1
    return done


@given(st.lists(WORDS).map(" ".join))
def test_m8_a_plain_name_is_masked_as_by_looking_at_every_place(text: str):
    assert mask_name(text, "Boo").text == slow_mask(text, "Boo")


@given(st.lists(WORDS).map(" ".join), NAMES, st.booleans(), st.booleans())
def test_m8_masking_twice_changes_nothing(text: str, name: str, ordinary: bool, option: bool):
    once = mask_name(text, name, ordinary=ordinary, option=option)
    again = mask_name(once.text, name, ordinary=ordinary, option=option)
    assert (again.text, again.replaced) == (once.text, 0)
    assert again.left <= once.left
    if not ordinary and name == "Boo":
        assert not re.search(r"(?<!<)\bBoo\b", once.text)


@given(st.text(min_size=1, max_size=12), st.text(max_size=30), st.text(max_size=30))
def test_m8_any_name_makes_a_pattern_and_is_found_alone(name: str, before: str, after: str):
    if not name.strip():
        return
    assert name_pattern(name).search(name.strip())
    assert isinstance(mask_name(before + name + after, name).text, str)


def test_m8_m11_whole_sets_are_masked_with_notes():
    rose = Concept(
        name="Rose",
        category="human",
        descriptions={"simple": "Rose is tall."},
        tastes={"travel": Tastes(likes=("a rose garden",), dislikes=("malls",))},
    )
    ask = ConceptQuestion(
        id="1",
        concept="Rose",
        category="human",
        type="coherency",
        group="recognition",
        question="What is Rose near?",
        options={"A": "Rose bushes", "B": "A car"},
        answer="A",
        image="a.png",
    )
    (concept,), (question,), notes = mask_all([rose], [ask])
    assert concept.preference == "<sks> likes a rose garden but dislikes malls."
    assert concept.description("simple") == "<sks> is tall."
    assert question.question == "What is <sks> near?"
    assert question.options["A"] == "Rose bushes"
    assert "The name of 1 concept was replaced by <sks> in 2 texts" in notes[0]
    assert "'Rose is tall.' became '<sks> is tall.'" in notes[0]
    assert "(Rose) stand in 1 text where" in notes[1]
    assert "'Rose bushes'" in notes[1]
