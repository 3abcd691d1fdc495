"""The questionnaire as other rooms use it: questions, traits, signatures, and profile texts.

The standard profile text (P18, P21) is what judges and candidate writers read. The paper
has a chat model write it; here it is composed from the answers, so that the same answers
always give the same text, and so that nothing stands in it that the person did not say,
but for the closing summary of labels, which are priors (P12).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from eyeprint.people.aesthetic_priors import aesthetic_priors
from eyeprint.people.questions import TABLE, Option, Question, Questionnaire, questionnaire
from eyeprint.people.tables import read_table
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
    "roles",
    "said",
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
    """Return words as a list within a sentence; a comma parts the last from an "and" of its own.

    >>> listed(["a", "b", "c"]), listed(["films", "anime and comics"])
    ('a, b and c', 'films, and anime and comics')
    """
    if len(words) < 2:
        return "".join(words)
    comma = "," if any(" and " in word for word in words) else ""
    return f"{', '.join(words[:-1])}{comma} and {words[-1]}"


@cache
def _phrases() -> dict[str, Any]:
    # Once: a hundred thousand agents are told by them.
    return read_table(TABLE)


def said(profile: Profile, question: str) -> list[str]:
    """Return the answers to a question as they stand within a sentence.

    >>> said(Profile(id="a", answers={"Q5": ["Food travel", "Theme parks"]}), "Q5")
    ['food', 'theme parks']
    """
    own = _phrases()["said"].get(question, {})
    return [own.get(label, label.lower()) for label in chosen(profile, question)]


def roles(profile: Profile) -> list[str]:
    """Return the campus roles as what somebody is.

    >>> roles(Profile(id="a", answers={"Q3": ["Athletic", "Maker"]}))
    ['athletic', 'a maker']
    """
    own = _phrases()["is"]
    return [own.get(label, label.lower()) for label in chosen(profile, "Q3")]


def _who(profile: Profile) -> str:
    parts = []
    for question, told in (("Q1", "field of study"), ("Q2", "gender"), ("Q3", "role on campus")):
        labels = said(profile, question)
        if labels:
            parts.append(f"{told}: {listed(labels)}")
    return "; ".join(parts)


def _life(profile: Profile) -> list[str]:
    sentences = [f"The living space is {style}" for style in said(profile, "Q4")]
    frames = {
        "Q5": "travel for {}",
        "Q6": "wear {}",
        "Q7": "enjoy {}",
        "Q8": "follow {}",
        "Q9": "often use {}",
        "Q17": "{}",
    }
    parts = []
    for question, frame in frames.items():
        names = question == "Q9"
        labels = list(chosen(profile, question)) if names else said(profile, question)
        if question == "Q17":
            labels = [_ai_use(label) for label in labels]
        if labels:
            parts.append(frame.format(listed(labels)))
    return [*sentences, f"They {'; '.join(parts)}"] if parts else sentences


def _ai_use(often: str) -> str:
    if often.startswith("never"):
        return f"have {often.replace('never', 'never used AI image tools', 1)}"
    return f"have used AI image tools {often}"


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
    names = said(profile, "Q18")
    if not names:
        return ""
    return f"Preferred palette: {listed(names)} ({listed(priors.colours)})"


def _summary(priors: AestheticPriors) -> str:
    styles = [style for style in priors.styles[:SUMMARY_STYLES] if style not in priors.labels]
    parts = [listed(list(priors.labels))] if priors.labels else []
    if styles:
        parts.append(f"styles: {listed(styles)}")
    return f"In short, as associations and not as facts: {'; '.join(parts)}" if parts else ""


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
        *_life(profile),
        *_mind(traits_of(profile)),
        _palettes(profile, priors),
        seen,
        _summary(priors),
    ]
    return " ".join(f"{text[0].upper()}{text[1:]}." for text in sentences if text)
