"""The questionnaire as other rooms use it: questions, traits, signatures, and profile texts.

The standard profile text (P18, P21) is what judges and candidate writers read. The paper
has a chat model write it; here it is composed from the answers, so that the same answers
always give the same text, and so that nothing stands in it that the person did not say,
but for the closing summary of labels, which are priors (P12).
"""

from __future__ import annotations

from collections.abc import Sequence

from eyeprint.people.aesthetic_priors import aesthetic_priors
from eyeprint.people.questions import Option, Question, Questionnaire, questionnaire
from eyeprint.people.traits import (
    SignatureSettings,
    Traits,
    chosen,
    openness_of,
    rating_of,
    signature,
    traits_of,
)
from eyeprint.records.profiles import AestheticPriors, Profile

__all__ = [
    "Option",
    "Question",
    "Questionnaire",
    "SignatureSettings",
    "Traits",
    "chosen",
    "openness_of",
    "openness_word",
    "profile_text",
    "questionnaire",
    "rating_of",
    "signature",
    "slot_text",
    "traits_of",
]

HIGH_OPENNESS = 5.5
LOW_OPENNESS = 4.0
"""Below it openness counts as low: the paper reads 6.5 as high and 3.5 as low."""
SUMMARY_STYLES = 6


def slot_text(profile: Profile) -> str:
    """Return the answers as the profile slot of the unified prompt writes them (P40).

    One line, "Title: answers" of each answered question, in order, joined by " / ". What is
    no answer to its question is left out (:meth:`Questionnaire.faults_of` tells).

    >>> slot_text(Profile(id="a", answers={"Q3": ["Easygoing"], "Q11": 4}))
    'Campus Roles: Easygoing / Thinking Style: 4 (1 rational to 5 intuitive)'
    """
    parts = []
    for question in questionnaire().asked:
        if question.type == "rating":
            answer, low, high = rating_of(profile, question.id), question.low, question.high
            if answer is None:
                continue
            told = f"{answer} ({low} {question.low_means} to {high} {question.high_means})"
        else:
            told = ", ".join(chosen(profile, question.id))
        if not told:
            continue
        parts.append(f"{question.title}: {told}")
    return " / ".join(parts)


def openness_word(score: float) -> str:
    """Return "high", "moderate" or "low" for TIPI openness on 1–7.

    >>> openness_word(6.5), openness_word(4.0), openness_word(3.5)
    ('high', 'moderate', 'low')
    """
    if score >= HIGH_OPENNESS:
        return "high"
    return "low" if score < LOW_OPENNESS else "moderate"


def listed(words: Sequence[str]) -> str:
    """Return words as a list within a sentence; no second "and" beside one of a label's own.

    >>> listed(["a", "b", "c"]), listed(["films", "anime and comics"])
    ('a, b and c', 'films, anime and comics')
    """
    if len(words) < 2 or any(" and " in word for word in words):
        return ", ".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def _lower(labels: Sequence[str]) -> list[str]:
    return [label[:1].lower() + label[1:] for label in labels]


def _who(profile: Profile) -> str:
    parts = []
    for question, told in (("Q1", "field of study"), ("Q2", "gender"), ("Q3", "role on campus")):
        labels = _lower(chosen(profile, question))
        if labels:
            parts.append(f"{told}: {listed(labels)}")
    return "; ".join(parts)


def _life(profile: Profile) -> str:
    told = {
        "Q4": "the living space is {}",
        "Q5": "travel is for {}",
        "Q6": "clothing is {}",
        "Q7": "hobbies are {}",
        "Q8": "what they follow is {}",
    }
    parts = []
    for question, frame in told.items():
        labels = _lower(chosen(profile, question))
        if labels:
            parts.append(frame.format(listed(labels)))
    platforms = chosen(profile, "Q9")
    if platforms:
        parts.append(f"they often use {listed(platforms)}")
    use = chosen(profile, "Q17")
    if use:
        parts.append(f"AI image tools in the past year: {use[0].lower()}")
    return "; ".join(parts)


def _mind(traits: Traits) -> list[str]:
    sentences = []
    if traits.mbti:
        sentences.append(f"MBTI type {traits.mbti}")
    if traits.thinking is not None:
        side = ("rational", "rather rational", "balanced", "rather intuitive", "intuitive")
        sentences.append(f"Thinking style {traits.thinking} of 5 ({side[traits.thinking - 1]})")
    if traits.openness is not None:
        word = openness_word(traits.openness)
        means = {
            "high": "ready for novel, abstract and experimental pictures",
            "moderate": "at home with the familiar and now and then with the new",
            "low": "more at ease with concrete, clear and familiar pictures",
        }[word]
        sentences.append(f"TIPI openness {traits.openness:.1f} of 7 ({word}): {means}")
    if traits.values:
        sentences.append(f"Core values (Schwartz): {listed(traits.values)}")
    affect = []
    if traits.pleasure is not None:
        affect.append(f"pleasure {traits.pleasure} of 9")
    if traits.excitement is not None:
        affect.append(f"excitement {traits.excitement} of 9")
    if affect:
        sentences.append(f"Mood (circumplex of affect): {listed(affect)}")
    return sentences


def _palettes(profile: Profile, priors: AestheticPriors) -> str:
    names = _lower(chosen(profile, "Q18"))
    if not names:
        return ""
    return f"Preferred palette: {listed(names)} ({listed(priors.colours)})"


def _summary(priors: AestheticPriors) -> str:
    words = list(dict.fromkeys([*priors.labels, *priors.styles[:SUMMARY_STYLES]]))
    if not words:
        return ""
    return f"In short, as associations and not as facts: {listed(words)}"


def profile_text(profile: Profile, evidence: Sequence[str] = ()) -> str:
    """Return the standard profile text (P21): who, life, mind, mood, palette, summary.

    Unanswered questions leave no trace, so that a profile without Q12 and Q13 is one
    without openness (P77). An empty profile gives an empty text.

    Args:
        profile: the answers.
        evidence: what the person's own pictures show, in words; follows the palette.

    >>> profile_text(Profile(id="u", answers={"Q4": "Retro", "Q12": 7, "Q13": 2}))[:76]
    'The living space is retro. TIPI openness 6.5 of 7 (high): ready for novel, a'
    """
    priors = aesthetic_priors(profile)
    seen = f"Their pictures show {listed(list(evidence))}" if evidence else ""
    sentences = [
        _who(profile),
        _life(profile),
        *_mind(traits_of(profile)),
        _palettes(profile, priors),
        seen,
        _summary(priors),
    ]
    return " ".join(f"{text[0].upper()}{text[1:]}." for text in sentences if text)
