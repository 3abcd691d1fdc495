"""The offline model that looks: it sees, it is blind where there is nothing, it forgets nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from eyeprint.methods.conversation import prompting_text
from eyeprint.models.kinds import Chat, ChatRequest, ImagePart, Message
from eyeprint.models.nearest import NearestChat, NearestSettings
from eyeprint.models.nearest_choice import Imagination, around, choose
from eyeprint.models.nearest_match import MatchSettings, recurring
from eyeprint.models.nearest_messages import Asked, Injected
from eyeprint.models.nearest_regions import RegionSettings, see
from eyeprint.models.nearest_words import described
from eyeprint.randomness import stream
from eyeprint.records.pictures import Picture
from tests.models.nearest_scenes import COLOURS, creature, part, scene, stranger

TALK = (
    Message(role="user", text="What goes well with lentils?"),
    Message(role="assistant", text="Roast carrots, and a spoon of yoghurt."),
    Message(role="user", text="And to drink? Not wine."),
    Message(role="assistant", text="Mint tea."),
)
GOT_IT = Message(role="assistant", text="I got it.")
BLACK = part(Picture.of(np.zeros((256, 256, 3), np.uint8)))


class Shown:
    """A creature's reference pictures, one with it in company, and one with strangers alone."""

    def __init__(self, key: str, references: int = 2) -> None:
        draw = stream(20, "nearest scenes", key)
        self.own = creature(draw)
        self.references = [part(scene([self.own], draw)) for _ in range(references)]
        others = [stranger(self.own, draw) for _ in range(3)]
        company = others[: draw.between(0, 2)]
        self.there = part(scene([self.own, *company], draw))
        self.gone = part(scene([others[2], *company], draw))

    def told(self, name: str = "<sks>") -> Message:
        """Return the injection of pictures."""
        return Message.of("user", *self.references, f"These images show {name}.")

    def described(self) -> Message:
        """Return the injection of text."""
        return Message(role="user", text=self.own.description)


@cache
def shown(key: str, references: int = 2) -> Shown:
    return Shown(key, references)


@cache
def chat() -> NearestChat:
    return NearestChat()


def said(messages: Sequence[Message]) -> str:
    return chat().answer(ChatRequest(messages=tuple(messages))).text


def asks(picture: ImagePart, text: str = "Is <sks> in the image?") -> Message:
    return Message.of("user", picture, text)


def shares(told: str, references: int, count: int = 16) -> tuple[float, float]:
    """Return the shares of right answers where the concept is there, and where it is not.

    Every second question is put in the negative.
    """
    there = gone = 0
    for k in range(count):
        one = shown(str(k), references)
        told_first = one.told() if told == "pictures" else one.described()
        text = "Is <sks> not in this picture?" if k % 2 else "Can you see <sks> here?"
        yes, no = ("No.", "Yes.") if k % 2 else ("Yes.", "No.")
        there += said([told_first, GOT_IT, asks(one.there, text)]) == yes
        gone += said([told_first, GOT_IT, asks(one.gone, text)]) == no
    return there / count, gone / count


@pytest.mark.parametrize("references", [1, 2, 5])
def test_m16_m17_it_tells_present_from_absent_by_reference_pictures(references: int) -> None:
    # Saying always yes, or always no, gives a mean of 0.5; so does guessing.
    there, gone = shares("pictures", references)
    assert min(there, gone) > 0.6
    assert (there + gone) / 2 > 0.75


def test_m7_it_tells_present_from_absent_by_colours_in_the_text() -> None:
    there, gone = shares("text", 1)
    assert min(there, gone) > 0.55
    assert (there + gone) / 2 > 0.7


@pytest.mark.parametrize("told", ["pictures", "text"])
def test_m21_a_black_picture_shows_nothing_so_nothing_is_there(told: str) -> None:
    for k in range(6):
        one = shown(str(k))
        first = one.told() if told == "pictures" else one.described()
        assert said([first, GOT_IT, asks(BLACK)]) == "No."
        assert said([first, GOT_IT, asks(BLACK, "Is <sks> missing from this picture?")]) == "Yes."
        assert said([first, GOT_IT, asks(BLACK, "Does this show what <sks> likes?")]) == "No."


def test_m21_blind_options_are_told_by_the_words_alone() -> None:
    told = Message(
        role="user", text="<sks> is a tall robot. <sks> likes rock climbing but dislikes sushi."
    )
    text = (
        "Which would <sks> {} most?\nOptions:\nA. sushi\nB. a concert\nC. rock climbing\nD. a nap"
    )
    assert said([told, GOT_IT, asks(BLACK, text.format("enjoy"))]) == "C"
    assert said([told, GOT_IT, asks(BLACK, text.format("dislike"))]) == "A"


@pytest.mark.parametrize("form", ["not in this picture", "absent from it", "missing here"])
def test_m16_a_negated_question_turns_the_answer(form: str) -> None:
    other = {"Yes.": "No.", "No.": "Yes."}
    for k in range(8):
        one = shown(str(k))
        for picture in (one.there, one.gone):
            plain = said([one.told(), GOT_IT, asks(picture)])
            assert said([one.told(), GOT_IT, asks(picture, f"Is <sks> {form}?")]) == other[plain]


def test_m36_neither_place_nor_order_of_other_turns_matters() -> None:
    for k in range(6):
        one = shown(str(k))
        told = [one.told(), GOT_IT]
        orders = [
            [*told, *TALK],
            [*TALK, *told],
            [*TALK[:2], *told, *TALK[2:]],
            [*TALK[2:], *TALK[:2], *told],
        ]
        for picture in (one.there, one.gone):
            assert len({said([*order, asks(picture)]) for order in orders}) == 1


def test_m37_of_several_concepts_it_answers_for_the_one_asked_about() -> None:
    right = 0
    for k in range(10):
        one, other = shown(str(k)), shown(str(k + 10))
        pieces: list[str | ImagePart] = [*other.references, "These images show <sks_1>."]
        pieces += [*one.references, "These images show <sks_0>. <sks_0> likes tea."]
        told = Message.of("user", *pieces)
        picture = part(scene([one.own], stream(21, "alone", k)))
        right += said([told, GOT_IT, asks(picture, "Is <sks_0> here?")]) == "Yes."
        right += said([told, GOT_IT, asks(picture, "Is <sks_1> here?")]) == "No."
    assert right >= 17


def test_m40_reasons_come_first_and_the_answer_last() -> None:
    one = shown("0")
    text = f"{prompting_text('zero_shot_cot', '<sks>')}\nIs <sks> in the image?"
    lines = said([one.told(), GOT_IT, asks(one.there, text)]).splitlines()
    assert "alike" in lines[0]
    assert lines[-1] == "Answer: Yes"
    few = f"{prompting_text('few_shot_cot', '<sks>')}\nWhat is here?\nOptions:\nA. a\nB. b"
    assert said([one.told(), GOT_IT, asks(one.there, few)]).splitlines()[-1].startswith("Answer: ")


def test_m20_an_open_question_is_answered_in_a_sentence_on_what_is_seen() -> None:
    one = shown("0")
    text = said([one.told(), GOT_IT, asks(one.there, "What does <sks> look like here?")])
    assert text.startswith("<sks> is mostly ")
    blind = said([one.told(), GOT_IT, asks(BLACK, "What does <sks> look like here?")])
    assert blind == "There is nothing to see in the picture."


def test_m18_colours_in_options_are_looked_for_in_the_picture() -> None:
    right = 0
    for k in range(12):
        one = shown(str(k))
        wrong = [name for name in COLOURS if name not in one.own][:2]
        options = f"A. {wrong[0]}\nB. {one.own.body}\nC. {wrong[1]}"
        text = f"What colour is the body of <sks>?\nOptions:\n{options}"
        picture = part(scene([one.own], stream(22, "alone", k)))
        right += said([one.told(), GOT_IT, asks(picture, text)]) == "B"
    assert right >= 10


def test_without_an_injection_nothing_is_known_and_nothing_found() -> None:
    assert said([asks(shown("0").there)]) == "No."


def test_x1_it_is_a_chat_and_its_fingerprint_follows_its_settings() -> None:
    assert isinstance(chat(), Chat)
    other = NearestChat(NearestSettings(match=MatchSettings(share=0.4)))
    assert other.fingerprint != chat().fingerprint == NearestChat().fingerprint


def test_a_picture_that_cannot_be_read_is_a_failure_and_no_answer() -> None:
    broken = ImagePart(sha256="f" * 64, width=2, height=2, data=b"no picture")
    reply = chat().answer(ChatRequest(messages=(asks(broken),)))
    assert (reply.outcome, reply.failure, reply.text) == ("failed", "bad_request", "")
    assert reply.detail


def test_many_at_once_say_what_one_says() -> None:
    requests = [
        ChatRequest(messages=(shown(str(k)).told(), GOT_IT, asks(picture)))
        for k in range(6)
        for picture in (shown(str(k)).there, shown(str(k)).gone)
    ]
    fresh = NearestChat(NearestSettings(pictures_kept=3, concepts_kept=2))

    async def together() -> list[str]:
        return [each.text for each in await asyncio.gather(*map(fresh.reply, requests))]

    assert asyncio.run(together()) == [chat().answer(request).text for request in requests]


@pytest.mark.parametrize("question", ["Which would <sks> take?", "What suits <sks>?", "And now?"])
@pytest.mark.parametrize(("dislike", "letter"), [(False, "C"), (True, "B")])
def test_m21_without_a_picture_likes_count_for_an_option_and_dislikes_against_it(
    question: str, dislike: bool, letter: str
) -> None:
    options = {"A": "A plain wall", "B": "A noisy bar", "C": "A cup of tea"}
    asked = Asked("sks", question, options, "taste", False, dislike, False, None)
    told = Injected("sks", likes=("tea",), dislikes=("noisy bar",))
    settings = NearestSettings()
    imagine = Imagination(settings.regions)
    assert choose(asked, told, None, None, imagine, settings.choice).letter == letter
    # Of two that are neither liked, the one that is not disliked.
    less = asked._replace(options={"A": "A noisy bar", "B": "A plain wall"})
    wanted = "A" if dislike else "B"
    assert choose(less, told, None, None, imagine, settings.choice).letter == wanted


def test_m18_what_is_below_or_beside_the_concept_is_looked_at_where_a_question_asks_so() -> None:
    pixels = np.full((96, 96, 3), 245, np.uint8)
    concept, below, beside = np.zeros((3, 96, 96), np.bool_)
    concept[30:60, 35:60] = below[60:68, 35:60] = beside[38:52, 60:70] = True
    for mask, colour in ((concept, (200, 30, 30)), (below, (30, 160, 40)), (beside, (30, 40, 200))):
        pixels[mask] = colour
    seen = see(Picture.of(pixels), RegionSettings())
    assert seen.background.shape == (96, 96)

    def share(question: str, thing: np.ndarray) -> float:
        found = around(seen, concept, question)
        return 0.0 if found is None else float(np.mean(np.any(found, axis=0)[thing]))

    assert share("What is <sks> standing on?", below) > 0.9
    assert share("What is <sks> standing on?", beside) == 0.0
    assert share("What is <sks> holding?", beside) > 0.9
    assert share("What is <sks> holding?", below) < 0.9
    assert around(seen, concept, "What colour is <sks>?") is None
    assert around(seen, np.zeros_like(concept), "What is <sks> holding?") is None


def test_m3_in_a_single_reference_the_middle_one_of_equal_things_is_meant() -> None:
    pixels = np.full((96, 96, 3), 245, np.uint8)
    pixels[4:28, 4:28] = (30, 40, 200)
    pixels[36:60, 36:60] = (200, 30, 30)
    pixels[68:92, 68:92] = (30, 160, 40)
    seen = see(Picture.of(pixels.copy()), RegionSettings())
    (chosen,) = recurring([seen])
    assert seen.objects[chosen][48, 48] and not seen.objects[chosen][16, 16]
    # A much larger one is meant wherever it stands.
    pixels[4:44, 2:94] = (30, 40, 200)
    pixels[44:66, 2:94] = 245
    pixels[50:60, 43:53] = (200, 30, 30)
    seen = see(Picture.of(pixels), RegionSettings())
    (chosen,) = recurring([seen])
    assert seen.objects[chosen][16, 16]


def test_m7_a_description_needs_more_where_there_is_more_to_pick_from() -> None:
    pixels = np.full((96, 96, 3), 245, np.uint8)
    for at, name in enumerate(("red", "brown", "blue", "yellow", "purple")):
        pixels[20:80, 10 + 15 * at : 25 + 15 * at] = COLOURS[name]
    seen = see(Picture.of(pixels), RegionSettings())
    thing = np.zeros(seen.background.shape, np.bool_)
    thing[20:80, 10:85] = True
    one, many = replace(seen), replace(seen)
    vars(one)["objects"], vars(many)["objects"] = (thing,), (thing,) * 12
    assert described("a red kite", one).holds and not described("a red kite", many).holds
    # What is often so is no part of the looks.
    told = described("a red kite, often beside a white cat", one)
    assert told.found == described("a red kite", one).found == 1.0
    assert described("a red kite beside a white cat", one).found == 0.5
