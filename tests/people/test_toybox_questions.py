"""What the toybox asks: every label right, nothing given away, shares as set."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations

import pytest

from eyeprint.people.toybox_asking import question_forms
from eyeprint.people.toybox_concepts import draw_toys, shares
from eyeprint.people.toybox_drawing_things import icons, props, stands
from eyeprint.people.toybox_looks import apart
from eyeprint.people.toybox_questions import ask_all
from eyeprint.people.toybox_settings import ToyboxSettings
from eyeprint.people.toybox_strangers import is_stranger
from eyeprint.people.toybox_words import keywords
from eyeprint.records.concept_questions import LETTERS, TASKS
from eyeprint.records.concepts import DOMAINS, LEVELS

SETTINGS = ToyboxSettings(concepts=20, each=16, seed=5)
TOYS = {toy.concept.name: toy for toy in draw_toys(SETTINGS)}
ASKED = list(ask_all(TOYS.values(), SETTINGS))
QUESTIONS = [one.question for one in ASKED]
NEGATED = {
    text for about in ("presence", "like", "dislike") for text in question_forms()[about]["negated"]
}


def of(**wanted):
    return [
        one
        for one in ASKED
        if all(getattr(one.question, name) == value for name, value in wanted.items())
    ]


def seen_answer(one) -> str:
    """Answer from the scene and the concept alone, as somebody who sees and knows all."""
    question, toy = one.question, TOYS[one.question.concept]
    shown = [station.prop for station in one.scene.stations]
    if question.type != "coherency":
        if question.group == "recognition":
            so = any(station.look == toy.look for station in one.scene.stations)
        else:
            asked = toy.likes if question.target == "like" else toy.dislikes
            so = any(name in asked for name in shown)
        text = question.question.removesuffix(" Answer Yes or No.")
        return "Yes" if so != (text in NEGATED) else "No"
    if question.group == "preference":
        asked = toy.likes if question.target == "like" else toy.dislikes
        (right,) = [icons()[name].words for name in shown if name in asked]
    else:
        (own,) = [station for station in one.scene.stations if station.look == toy.look]
        below = question.topic == "stands on"
        right = stands()[own.stand].words if below else props()[own.prop].words
    (letter,) = [place for place, text in question.options.items() if text == right]
    return letter


def test_m6_all_fifteen_tasks_are_there_and_equally_large():
    counts = Counter(question.task for question in QUESTIONS)
    assert set(counts) == set(TASKS)
    people = shares(SETTINGS)["human"]
    assert counts["awareness · recognition · human"] == 16 * people
    assert counts["coherency · preference · human"] == 16 * people


def test_m5_the_size_of_the_paper_and_its_share_of_people():
    settings = ToyboxSettings(concepts=111, questions=10_017)
    asked = [one.question for one in ask_all(draw_toys(settings), settings)]
    assert len(asked) == 10_017
    assert len({question.id for question in asked}) == 10_017
    # 66 people with six tasks each, 45 others with three: 396 of 531 cells.
    people = sum(question.category == "human" for question in asked)
    assert people / len(asked) == pytest.approx(7501 / 10_017, abs=0.01)


def test_m5_few_questions_still_cover_every_task():
    settings = ToyboxSettings(concepts=12, questions=15)
    asked = list(ask_all(draw_toys(settings), settings))
    assert Counter(one.question.task for one in asked) == dict.fromkeys(TASKS, 1)


def test_m16_m17_m18_who_sees_the_scene_and_knows_the_concept_is_always_right():
    assert [seen_answer(one) for one in ASKED] == [question.answer for question in QUESTIONS]


def test_m16_half_of_the_forms_are_negated_and_the_answer_follows_the_form():
    for task in TASKS:
        if task.startswith("coherency"):
            continue
        asked = [question for question in QUESTIONS if question.task == task]
        negated = sum(question.negated for question in asked)
        assert abs(negated - len(asked) / 2) <= 0.5
        present = task.startswith("awareness")
        assert all((q.answer == "Yes") == (present != q.negated) for q in asked)
        assert all(
            (q.question.removesuffix(" Answer Yes or No.") in NEGATED) == q.negated for q in asked
        )


def test_m16_the_share_of_negated_forms_is_a_setting():
    settings = ToyboxSettings(concepts=6, each=10, negated_share=0.2)
    asked = [one.question for one in ask_all(draw_toys(settings), settings)]
    forms = [q.negated for q in asked if q.task == "awareness · recognition · human"]
    assert sum(forms) == round(0.2 * len(forms))
    assert {q.negated for q in asked if q.type == "coherency"} == {None}


def test_m20_yes_no_questions_can_be_cut_at_the_question_mark():
    for question in QUESTIONS:
        assert question.question.count("?") == 1
        tail = question.question.split("?")[1]
        assert tail == ("" if question.options else " Answer Yes or No.")


def test_m16_m33_single_and_multi_say_how_many_are_in_the_picture():
    for one in ASKED:
        figures = len(one.scene.figures())
        if one.question.group == "preference":
            assert one.question.entities is None
            assert figures == 0
        else:
            assert one.question.entities == ("single" if figures == 1 else "multi")
    awareness = Counter(one.question.entities for one in of(type="awareness", group="recognition"))
    assert abs(awareness["single"] - awareness["multi"]) <= len(TOYS)


def test_m17_m33_negatives_hold_no_one_that_a_description_of_the_concept_fits():
    negatives = of(type="appropriateness", group="recognition")
    for one in negatives:
        toy = TOYS[one.question.concept]
        for station in one.scene.figures():
            assert is_stranger(toy.look, station.look, SETTINGS.twin_changes)
            assert station.look.category == toy.look.category
        kinds = {station.look.kind for station in one.scene.figures()}
        if toy.concept.category == "animal":
            same = one.question.target == "same_species"
            assert (toy.look.kind in kinds) == same
        else:
            assert one.question.target is None
    animals = [one.question.target for one in negatives if one.question.category == "animal"]
    assert abs(animals.count("same_species") - len(animals) / 2) <= 0.5


def test_m17_what_is_held_does_not_tell_who_is_there():
    for one in of(type="appropriateness", group="recognition"):
        toy = TOYS[one.question.concept]
        assert any(
            station.prop in toy.props and station.stand in toy.stands
            for station in one.scene.figures()
        )


def test_m16_bystanders_are_no_twins_of_the_concept():
    for one in of(type="awareness", group="recognition", entities="multi"):
        toy = TOYS[one.question.concept]
        others = [s.look for s in one.scene.figures() if s.look != toy.look]
        assert others
        assert all(is_stranger(toy.look, look, SETTINGS.twin_changes) for look in others)


def test_m17_m12_preference_negatives_are_neutral_or_of_the_opposite_taste():
    contrary = 0
    for one in of(type="appropriateness", group="preference"):
        toy = TOYS[one.question.concept]
        like = one.question.target == "like"
        shown = {station.prop for station in one.scene.stations}
        asked_for = toy.likes if like else toy.dislikes
        assert not shown & set(asked_for)
        # Who likes films may well like television: "no" would be unclear.
        assert not {icons()[name].topic for name in shown} & {icons()[n].topic for n in asked_for}
        contrary += bool(shown & set(toy.dislikes if like else toy.likes))
    assert contrary == len(of(type="appropriateness", group="preference")) / 2


def test_m18_one_option_fits_the_concept_only_and_two_the_picture_only():
    for one in of(type="coherency"):
        question, toy = one.question, TOYS[one.question.concept]
        if question.group == "preference":
            table = {thing.words: name for name, thing in icons().items()}
            known = toy.likes if question.target == "like" else toy.dislikes
            shown = {station.prop for station in one.scene.stations}
        elif question.topic == "stands on":
            table = {thing.words: name for name, thing in stands().items()}
            known, shown = toy.stands, {station.stand for station in one.scene.stations}
        else:
            table = {thing.words: name for name, thing in props().items()}
            known, shown = toy.props, {station.prop for station in one.scene.stations}
        options = {letter: table[text] for letter, text in question.options.items()}
        assert len(set(options.values())) == 4
        fits = {letter: (name in known, name in shown) for letter, name in options.items()}
        assert fits.pop(question.answer) == (True, True)
        assert fits.pop(question.concept_only) == (True, False)
        assert list(fits.values()) == [(False, True), (False, True)]


def test_m18_letters_are_right_equally_often_in_each_task():
    for task in TASKS[8:12] + TASKS[14:]:
        asked = [question for question in QUESTIONS if question.task == task]
        right = Counter(question.answer for question in asked)
        assert max(right.values()) - min(right[letter] for letter in LETTERS) <= 1
        # Wrong ones are shuffled: the concept-only option has no place of its own.
        only = Counter(question.concept_only for question in asked)
        assert max(only.values()) < 0.4 * len(asked)


def test_m18_m21_text_and_concept_alone_give_one_in_two():
    """Whoever knows the concept and not the picture is left with two options, and no rule."""
    first = second = 0
    for one in of(type="coherency"):
        toy, question = TOYS[one.question.concept], one.question
        told = toy.concept.descriptions["moderate"] + toy.concept.preference
        if question.group == "preference":
            names = toy.likes if question.target == "like" else toy.dislikes
            left = [
                k
                for k, text in question.options.items()
                if text in [icons()[name].words for name in names]
            ]
        else:
            left = [k for k, text in question.options.items() if text in told]
        assert sorted(left) == sorted([question.answer, question.concept_only])
        left.sort(key=lambda letter: told.index(question.options[letter]))
        first += left[0] == question.answer
        second += left[1] == question.answer
    assert abs(first - second) <= 0.02 * (first + second)


def test_m18_options_alone_do_not_tell_the_right_one():
    """No option is right more often than chance has it, over concepts."""
    offered, right = Counter(), Counter()
    for one in of(type="coherency"):
        offered.update(one.question.options.values())
        right[one.question.options[one.question.answer]] += 1
    # Guessing the option that is most often right, learnt from the very answers: an upper bound.
    often = {text: right[text] / count for text, count in offered.items()}
    hits = sum(
        max(one.question.options.values(), key=often.__getitem__)
        == one.question.options[one.question.answer]
        for one in of(type="coherency")
    )
    assert hits / len(of(type="coherency")) < 0.5


def test_m16_m17_wordings_do_not_tell_awareness_from_appropriateness():
    told: dict[str, Counter[str]] = defaultdict(Counter)
    for question in QUESTIONS:
        if not question.options:
            told[question.question][question.type] += 1
    assert all(counts["awareness"] and counts["appropriateness"] for counts in told.values())


def test_m8_names_are_in_no_text():
    names = list(TOYS)
    for toy in TOYS.values():
        texts = [*toy.concept.descriptions.values(), toy.concept.preference]
        assert not any(name in text for name in names for text in texts)
        assert all("<sks>" in text for text in toy.concept.descriptions.values())
    for question in QUESTIONS:
        texts = [question.question, *question.options.values()]
        assert "<sks>" in question.question
        assert not any(name in text for name in names for text in texts)


def test_m7_descriptions_have_their_four_forms():
    for toy in TOYS.values():
        told = toy.concept.descriptions
        assert tuple(told) == LEVELS
        assert told["simple"].removeprefix("<sks>: ").count(", ") == 2
        assert told["moderate"].count(". ") == 0
        assert "\n" not in told["detailed"]
        assert told["detailed"].count(". ") >= 2
        assert told["extended"].count("\n\n") == 3
        assert len(told["simple"]) < len(told["moderate"]) < len(told["extended"])


def test_m7_any_two_concepts_of_a_kind_differ_visibly_and_in_their_keywords():
    for one, other in combinations(TOYS.values(), 2):
        if one.look.kind == other.look.kind:
            assert apart(one.look, other.look) >= SETTINGS.least_apart
            assert keywords(one.look) != keywords(other.look)


def test_m5_m9_five_references_show_both_habits():
    for toy in TOYS.values():
        assert len(toy.references) == 5
        stations = [scene.stations[0] for scene in toy.references]
        assert {s.prop for s in stations} == set(toy.props)
        assert {s.stand for s in stations} == set(toy.stands)
        assert {s.look for s in stations} == {toy.look}
        assert len({scene.place for scene in toy.references}) == 5


def test_m10_m11_m12_tastes_have_a_sentence_a_domain_and_no_conflict():
    for toy in TOYS.values():
        if toy.concept.category != "human":
            assert not toy.concept.preference
            continue
        assert tuple(toy.concept.tastes) == DOMAINS
        assert toy.concept.preference.count(" likes ") == len(DOMAINS)
        topics = [{icons()[name].topic for name in side} for side in (toy.likes, toy.dislikes)]
        assert not topics[0] & topics[1]
        for tastes in toy.concept.tastes.values():
            text = f"likes {', '.join(tastes.likes)} but dislikes {', '.join(tastes.dislikes)}."
            assert text in toy.concept.preference


def test_m10_icons_cover_six_subdomains_of_each_domain():
    topics = defaultdict(set)
    for thing in icons().values():
        topics[thing.domain].add(thing.topic)
    assert set(topics) == set(DOMAINS)
    assert all(len(found) == 6 for found in topics.values())
    assert len({thing.words for thing in icons().values()}) == len(icons())
