"""Replies that decline, and replies that only speak of it (CHECKLIST X9)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyeprint.models.refusals import find_refusal, refusal_patterns

DECLINE = [
    "I'm sorry, but I can't help with that.",
    "I’m sorry, I can’t assist with that request.",
    "I cannot create images of real people.",
    "Sorry, but I'm unable to generate that content.",
    "As an AI language model, I cannot provide personal opinions.",
    "As an AI, I don't have personal preferences.",
    "I must decline to write this prompt.",
    "I can't comply with that.",
    "Unfortunately, I won't be able to help you with this one.",
    "This request violates our content policy.",
    "I apologize, but I cannot fulfill this request.",
    "I'm not able to identify people in images.",
    "I can't help with that.",
    "I can't help with identifying people.",
    "I'm unable to identify people based on their faces.",
    "My policy is not to identify people.",
    "It is not appropriate for me to comment on a person's looks.",
    "I'm not comfortable writing this.",
    "**I'm sorry**, I can't do that.",
    "Thank you for your request. I'm afraid I cannot help with creating this content.",
    "I’m really sorry, but I can’t continue with this conversation.",
    "<think>the user wants X. I should decline</think>I'm sorry, I can't assist with that.",
    "Es tut mir leid, aber ich kann dir dabei nicht helfen.",
    "Leider kann ich diese Anfrage nicht beantworten.",
    "Je suis désolé, mais je ne peux pas vous aider avec cette demande.",
    "Lo siento, pero no puedo ayudarte con eso.",
    "Lo siento, no puedo generar ese contenido.",
    "Mi dispiace, ma non posso aiutarti con questa richiesta.",
    "Desculpe, mas não posso ajudar com isso.",
    "Het spijt me, maar ik kan je daar niet mee helpen.",
    "Извините, но я не могу помочь с этим запросом.",
    "К сожалению, я не могу выполнить эту просьбу.",
    "对不起，我无法提供这方面的帮助。",
    "抱歉,我不能协助完成这个请求。",
    "很抱歉，我无法满足您的要求。",
    "申し訳ありませんが、そのリクエストにはお答えできません。",
    "申し訳ございませんが、お手伝いすることはできません。",
    "죄송하지만 그 요청은 도와드릴 수 없습니다.",
    "عذرًا، لا يمكنني مساعدتك في هذا الطلب.",
    "आपका धन्यवाद। मुझे खेद है, लेकिन मैं इस अनुरोध में मदद नहीं कर सकता।",
    "मुझे खेद है, मैं इसमें सहायता प्रदान नहीं कर सकता।",
    "Sorry, I can't.",
    "I don't feel comfortable generating this.",
    "I cannot provide a rating for this image.",
]
DO_NOT = [
    "A café at dusk; I can't help falling in love with its lamps.",
    "I can't identify with the hero of this book.",
    "I can't recognize the man who left.",
    "I don't name my cars.",
    "I can't help but smile at the golden light on the harbour wall.",
    "I can't wait for the market to open.",
    'The sign reads "I cannot assist with that", in red neon.',
    "Sorry for the mess: a potter's studio after closing, clay on every surface.",
    "A person who can't help with anything sits on a bench.",
    "I can't create without my morning coffee, so the moka pot stands in front.",
    "I cannot make bread without my grandmother's bowl.",
    '{"answer": "I\'m sorry, I can\'t help with that."}',
    "A letter on the desk: 'I am sorry, but I cannot help you with that.'",
    "“I can't assist with that,” says the clerk in the painting.",
    "I am unable to stop looking at the blue tiles.",
    "A woman declines the invitation; the dog refuses to move.",
    "> I'm sorry, I can't help with that.\n\nThis quote hangs on the wall.",
    "Ich kann nicht ohne Kaffee leben, daher steht die Kanne vorn.",
    "Je ne peux pas vivre sans la mer.",
    "No puedo dejar de mirar las luces del puerto.",
    "Unfortunately the weather turned: a wet street in Porto, umbrellas everywhere.",
    "I will refuse the lift and climb the stairs, camera in hand.",
    "The request line at the radio station, late at night.",
    "我无法忘记那片海。",
    "I couldn't sleep, so I walked to the harbour and photographed the boats.",
    "Apologies to the cat, asleep in the only good chair.",
    "As an AI researcher, I cannot live without whiteboards.",
    "I can't make the train, so I photograph the empty platform.",
    "I will not make this easy: a still life of thirty spoons.",
    "I don't have access to a garden, so the balcony holds forty pots.",
    "I can't describe the smell of rain on the old stones.",
    "",
    "...",
    "A long prompt. " * 20 + "I'm sorry, but I can't help with that.",
]


@pytest.mark.parametrize("text", DECLINE)
def test_x9_a_reply_that_declines_is_found(text: str) -> None:
    assert find_refusal(text) is not None


@pytest.mark.parametrize("text", DO_NOT)
def test_x9_a_reply_that_speaks_of_declining_is_none(text: str) -> None:
    assert find_refusal(text) is None


def test_x9_a_match_names_pattern_language_and_sentence() -> None:
    match = find_refusal("Danke.\n\nLeider kann ich diese Anfrage nicht beantworten. Schade.")
    assert match is not None
    assert (match.id, match.language) == ("de-kann-nicht", "de")
    assert match.sentence == "Leider kann ich diese Anfrage nicht beantworten."


def test_x9_every_pattern_has_its_own_id_and_every_language_a_test() -> None:
    ids = [pattern.id for pattern in refusal_patterns()]
    assert len(ids) == len(set(ids))
    found = {match.language for match in map(find_refusal, DECLINE) if match is not None}
    assert found == {pattern.language for pattern in refusal_patterns()}


@given(st.sampled_from(DECLINE))
def test_x9_a_quoted_refusal_is_none(text: str) -> None:
    if "<think>" not in text:
        assert find_refusal(f"A poster that says “{text}” on a brick wall.") is None


def test_patterns_are_quick_on_hostile_text() -> None:
    # Each took milliseconds when written; a pattern that backtracks would take minutes.
    for text in ("I can't " * 5000, "sorry, " * 5000, '"' * 9999, "<think>" * 5000, "`" * 9999):
        find_refusal(text)
