"""Baseline, Persona Only, BRAG, Comb., the catalogue, and what none of them may do."""

import pytest

from eyeprint.errors import UnknownName, UsageError
from eyeprint.methods.catalog import OURS, load_method, method_names
from eyeprint.methods.plain import about_sentence, demographic_line
from eyeprint.methods.rewrite import method_models, rewrite
from eyeprint.methods.setting import MethodSettings
from eyeprint.models.fakes import HashEncoder
from eyeprint.people.shipped import load_people
from eyeprint.records.people import Persona
from eyeprint.records.work import Query
from eyeprint.report.words import TITLES
from eyeprint.scores.vptt_table import PAPER_ORDER

PEOPLE = load_people("mini")
MODELS = method_models(HashEncoder())
ASKED = Query(id="spot", text="A preferred outdoor spot")


def made(method: str, person: Persona = PEOPLE["mini-03"], **options):
    return rewrite(ASKED, person, method, models=MODELS, settings=MethodSettings(**options))


def test_v42_baseline_is_the_raw_query():
    assert made("baseline").draft.prompt == ASKED.text


def test_v43_persona_only_knows_one_line_and_no_caption():
    found = made("persona_only")
    assert found.material.captions == ()
    assert found.material.elements == ()
    assert found.draft.prompt == f"{ASKED.text}. {demographic_line(PEOPLE['mini-03'])}"


def test_v44_brag_has_all_captions_nearest_first():
    material = made("brag").material
    person = PEOPLE["mini-03"]
    assert sorted(material.captions) == sorted(person.captions)
    asked = MODELS.query_vector(ASKED.text)
    close = MODELS.text.encode(list(material.captions)) @ asked
    assert list(close) == sorted(close, reverse=True)


def test_v44_context_is_bounded_for_people_with_thousands_of_posts():
    posts = [{"id": str(i), "caption": f"number {i} of many words"} for i in range(5000)]
    material = made("brag", Persona(id="x", posts=posts), context_words=100).material
    assert len(material.captions) == 20


def test_identical_captions_are_given_once():
    posts = [{"id": str(i), "caption": "the very same words"} for i in range(30)]
    assert made("brag", Persona(id="x", posts=posts)).material.captions == ("the very same words",)


def test_v45_comb_holds_vprags_elements_and_brags_captions():
    both = made("comb").material
    assert both.elements == made("vprag").material.elements
    assert both.captions == made("brag").material.captions
    assert both.method == "comb"


@pytest.mark.parametrize("method", list(OURS))
@pytest.mark.parametrize("person", [PEOPLE["mini-01"], Persona(id="bare")], ids=lambda p: p.id)
def test_v58_no_prompt_pastes_the_text_that_pa_compares_with(method, person):
    prompt = made(method, person).draft.prompt
    assert prompt.startswith(ASKED.text)
    described = person.description().split(". ")[-2:] if person.id != "bare" else []
    for sentence in described:
        assert sentence not in prompt


@pytest.mark.parametrize("method", list(OURS))
def test_v37_no_prompt_passes_the_word_limit(method):
    for limit in (20, 60, 150):
        assert len(made(method, word_limit=limit).draft.prompt.split()) <= max(limit, 60)


@pytest.mark.parametrize("method", ["persona_only", "brag", "vprag", "comb"])
def test_v37_three_phrase_mode_adds_exactly_three_phrases(method):
    prompt = made(method, mode="three_phrases").draft.prompt
    start = f"{ASKED.text}: "
    assert prompt.startswith(start)
    added = prompt.removeprefix(start).removesuffix(".")
    # Persona Only's place may hold a comma of its own: "Oaxaca de Juárez, Mexico".
    assert added.count(", ") == (3 if method == "persona_only" else 2)


def test_v45_three_phrases_of_comb_are_two_of_vprag_and_one_of_brag():
    def added(method):
        prompt = made(method, mode="three_phrases").draft.prompt
        return prompt.removeprefix(f"{ASKED.text}: ").removesuffix(".").split(", ")

    assert added("comb") == [*added("vprag")[:2], added("brag")[0]]


def test_v38_an_edit_is_an_instruction_that_adds():
    edit = Query(id="e", text="Here is a garden", kind="editing")
    prompt = rewrite(edit, PEOPLE["mini-03"], "vprag", models=MODELS).draft.prompt
    assert " Add: " in prompt
    assert "Details" not in prompt


def test_v36_about_sentence_keeps_within_its_words_by_leaving_out_whole_parts():
    for person in PEOPLE:
        for words in (5, 12, 25):
            sentence = about_sentence(person, words)
            assert len(sentence.split()) <= words
            assert not sentence or sentence.endswith(".")


def test_v36_what_does_not_fit_is_left_out_from_the_end():
    who = {"occupation": "baker", "city": "Oslo", "interests": ["a b c d e f g h", "kites"]}
    person = Persona(id="p", demographics=who)
    assert about_sentence(person, 12) == "In the visual world of a baker from Oslo."


def test_a_long_query_is_never_cut_and_what_does_not_fit_is_counted():
    asked = Query(id="q", text="word " * 3000)
    draft = rewrite(asked, PEOPLE["mini-03"], "vprag", models=MODELS).draft
    assert draft.prompt == asked.text.strip() + "."
    assert draft.words_cut > 20


def test_a_blank_query_is_refused():
    with pytest.raises(UsageError, match="blank"):
        rewrite("  ", PEOPLE["mini-03"], models=MODELS)


def test_unknown_methods_are_named_with_the_nearest():
    with pytest.raises(UnknownName, match="Did you mean 'vprag'"):
        load_method("vprga")
    # Three rooms that must not import each other name the paper's methods in its order.
    assert tuple(OURS) == tuple(TITLES) == PAPER_ORDER == method_names()[:5]
