"""The offline model on the toybox: better than chance with pictures, blind without light."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from eyeprint.methods.conversation import history, query, query_text, spoken, target_name
from eyeprint.methods.dialogues import dialogue
from eyeprint.methods.injection import injection, shown_concepts
from eyeprint.models.kinds import ChatRequest, ImagePart
from eyeprint.models.nearest import NearestChat
from eyeprint.models.pictures import image_part, open_picture
from eyeprint.people.toybox_shipped import load_concepts
from eyeprint.records.concept_data import ConceptData
from eyeprint.records.concept_questions import ConceptQuestion
from eyeprint.records.concept_settings import ConceptSetting, Prompting
from eyeprint.records.pictures import Picture
from eyeprint.scores.replies import read_answer

BLACK = image_part(Picture.of(np.zeros((256, 256, 3), np.uint8)))


@pytest.fixture(scope="module")
def toybox(tmp_path_factory: pytest.TempPathFactory) -> ConceptData:
    """Ten concepts; their pictures were not looked at when the model was made."""
    folder = tmp_path_factory.mktemp("toybox")
    return load_concepts("toybox", concepts=10, questions=150, seed=31, folder=folder)


@pytest.fixture(scope="module")
def chat() -> NearestChat:
    return NearestChat()


@cache
def part_at(path: Path) -> ImagePart:
    return image_part(open_picture(path))


def request_of(
    data: ConceptData, question: ConceptQuestion, setting: ConceptSetting
) -> ChatRequest:
    """Return what any model is asked."""

    def part_of(key: str) -> ImagePart:
        return part_at(data.picture_path(key))

    shown, place = shown_concepts(question, setting, data.concepts, 0)
    told = injection(shown, place, part_of)
    talk = spoken(dialogue(setting.dialogue, setting.turns)) if setting.turns else ()
    text = query_text(question, setting, target_name(len(shown), place))
    picture = BLACK if setting.blind else part_of(question.image)
    return ChatRequest(messages=(*history(told, talk, setting.position), query(picture, text)))


def shares(
    chat: NearestChat,
    data: ConceptData,
    setting: ConceptSetting,
    groups: tuple[str, ...] = ("recognition",),
) -> dict[tuple[str, str], float]:
    """Return the share of right answers by group and type; every reply must be readable."""
    right: dict[tuple[str, str], list[bool]] = {}
    for question in (each for each in data.questions if each.group in groups):
        read = read_answer(chat.answer(request_of(data, question, setting)), question)
        assert read.outcome == "answered", question
        right.setdefault((question.group, question.type), []).append(read.said == question.answer)
    return {key: float(np.mean(values)) for key, values in right.items()}


def some(data: ConceptData, kind: str, count: int) -> Iterator[ConceptQuestion]:
    found = [q for q in data.questions if q.type == kind and q.group == "recognition"]
    yield from found[:: max(1, len(found) // count)][:count]


@pytest.mark.parametrize("inject", ["image:1", "image:2", "image:5"])
def test_m16_m17_it_beats_chance_on_presence_and_absence_together(
    chat: NearestChat, toybox: ConceptData, inject: str
) -> None:
    # Chance, always yes and always no all have a mean of 0.5 over the two.
    found = shares(chat, toybox, ConceptSetting(inject=inject))
    present, absent = found["recognition", "awareness"], found["recognition", "appropriateness"]
    assert (present + absent) / 2 > 0.65
    assert min(present, absent) > 0.55
    assert found["recognition", "coherency"] > 0.25


def test_m21_it_is_exactly_as_blind_as_can_be(chat: NearestChat, toybox: ConceptData) -> None:
    for inject in ("image:2", "text:moderate"):
        groups = ("recognition", "preference")
        found = shares(chat, toybox, ConceptSetting(inject=inject, blind=True), groups)
        for group in groups:
            assert found[group, "awareness"] == 0.0
            assert found[group, "appropriateness"] == 1.0


def test_m36_m38_dialogue_and_position_change_no_answer(
    chat: NearestChat, toybox: ConceptData
) -> None:
    for kind in ("awareness", "coherency"):
        for question in some(toybox, kind, 6):
            replies = {
                chat.answer(request_of(toybox, question, setting)).text
                for setting in (
                    ConceptSetting(inject="image:2"),
                    ConceptSetting(inject="image:2", turns=2),
                    ConceptSetting(inject="image:2", turns=2, position=2),
                )
            }
            assert len(replies) == 1


@pytest.mark.parametrize("prompting", ["zero_shot_cot", "reminder", "few_shot", "few_shot_cot"])
def test_m40_every_prompting_gets_the_same_answer_in_a_form_that_is_read(
    chat: NearestChat, toybox: ConceptData, prompting: Prompting
) -> None:
    for kind in ("awareness", "appropriateness", "coherency"):
        for question in some(toybox, kind, 4):
            said = [
                read_answer(chat.answer(request_of(toybox, question, setting)), question).said
                for setting in (
                    ConceptSetting(inject="image:2"),
                    ConceptSetting(inject="image:2", prompting=prompting),
                )
            ]
            assert said[0] == said[1] is not None


def test_m20_free_answers_are_sentences(chat: NearestChat, toybox: ConceptData) -> None:
    setting = ConceptSetting(inject="image:2", form="open")
    for question in some(toybox, "coherency", 5):
        text = chat.answer(request_of(toybox, question, setting)).text
        assert text.endswith(".")
        assert len(text.split()) > 3
