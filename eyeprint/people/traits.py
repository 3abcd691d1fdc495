"""What answers mean: trait scores, and the signature that diversity is measured on.

Trait scores follow appendices G and H of PIPBench; where its texts disagree the worked
examples decide (CHECKLIST P6–P10). Signatures follow J.4 (P31).
"""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import Field, model_validator

from eyeprint.config import Settings
from eyeprint.people.questions import Question, questionnaire
from eyeprint.records.profiles import Profile


@dataclass(frozen=True)
class Traits:
    """Trait scores of one profile; ``None`` or empty where the question was not answered, or
    with something that is no answer to it (:meth:`Questionnaire.faults_of` tells)."""

    openness: float | None
    """1 to 7, higher is more open: the mean of Q12 and 8 - Q13 (TIPI items 5 and 10)."""
    thinking: int | None
    """1 (rational) to 5 (intuitive), Q11."""
    pleasure: int | None
    """0 to 9, Q14: valence of the circumplex model of affect."""
    excitement: int | None
    """0 to 9, Q15: its arousal."""
    values: tuple[str, ...]
    """One to three of Schwartz's ten values, Q16, in the order of the questionnaire."""
    palettes: tuple[str, ...]
    """Q18: palettes as cues of colour and feeling (ecological valence theory)."""
    mbti: str | None
    """Four letters, or ``None`` when not known."""


def rating_of(profile: Profile, question: str) -> int | None:
    """Return the number given to a rating, or ``None`` where none on its scale was given.

    >>> [rating_of(Profile(id="a", answers={"Q12": value}), "Q12") for value in (7, 8, "7")]
    [7, None, None]
    """
    answer = profile.answers.get(question)
    asked = questionnaire()[question]
    if not isinstance(answer, int) or isinstance(answer, bool):
        return None
    # A number off the scale is no answer: reckoned with, it would outweigh all others.
    return answer if asked.low <= answer <= asked.high else None


def chosen(profile: Profile, question: str) -> tuple[str, ...]:
    """Return the labels that were chosen, in the questionnaire's order; one for a single question.

    >>> chosen(Profile(id="a", answers={"Q16": ["Tradition", "Hedonism"]}), "Q16")
    ('Hedonism', 'Tradition')
    """
    answer = profile.answers.get(question)
    if isinstance(answer, str):
        return (answer,) if answer in questionnaire()[question].by_label else ()
    if not isinstance(answer, tuple):
        return ()
    return tuple(label for label in questionnaire()[question].labels if label in answer)


def openness_of(curiosity: int, rigidity: int) -> float:
    """Return TIPI openness, the mean of Q12 and of Q13 reversed on 1–7: (Q12 + 8 - Q13) / 2.

    In [1, 7], higher is more open. The paper's examples (7, 2) -> 6.5 and (3, 4) -> 3.5 come
    out; its "0–7" in appendix K cannot give them (P6).

    >>> openness_of(7, 2), openness_of(3, 4)
    (6.5, 3.5)
    """
    return (curiosity + 8 - rigidity) / 2


def traits_of(profile: Profile) -> Traits:
    """Return the trait scores of a profile.

    >>> who = Profile(id="u1", answers={"Q12": 7, "Q13": 2, "Q16": ["Hedonism"]})
    >>> traits_of(who).openness, traits_of(who).values, traits_of(who).pleasure
    (6.5, ('Hedonism',), None)
    """
    curiosity, rigidity = rating_of(profile, "Q12"), rating_of(profile, "Q13")
    openness = None
    if curiosity is not None and rigidity is not None:
        openness = openness_of(curiosity, rigidity)
    mbti = next(iter(chosen(profile, "Q10")), None)
    return Traits(
        openness=openness,
        thinking=rating_of(profile, "Q11"),
        pleasure=rating_of(profile, "Q14"),
        excitement=rating_of(profile, "Q15"),
        values=chosen(profile, "Q16"),
        palettes=chosen(profile, "Q18"),
        mbti=mbti if mbti is not None and len(mbti) == 4 else None,
    )


class SignatureSettings(Settings):
    """Edges of the bins of ratings: at most the first is Low, at least the second is High.

    The paper names none; High of Q12 and Q13 is 5, as in its hard rule, and Low of Q15 is 2,
    as in its harmonisation (P31).
    """

    thinking: tuple[int, int] = (2, 4)
    """Q11, 1–5."""
    openness: tuple[int, int] = (3, 5)
    """Q12 and Q13, 1–7."""
    affect: tuple[int, int] = (2, 7)
    """Q14 and Q15, 0–9."""
    singles: tuple[str, ...] = Field(default=("Q1", "Q2", "Q4", "Q10", "Q17"))
    """Single questions that take part."""

    @model_validator(mode="after")
    def _in_order(self) -> SignatureSettings:
        for name in ("thinking", "openness", "affect"):
            low, high = getattr(self, name)
            if low >= high:
                raise ValueError(f"{name}: Low ends at {low}, so High must start above it")
        for name in self.singles:
            if name not in questionnaire() or questionnaire()[name].type != "single":
                raise ValueError(f"singles: {name} is no single question")
        return self

    def edges(self, question: str) -> tuple[int, int]:
        """Return (highest Low, lowest High) of a rating."""
        if question == "Q11":
            return self.thinking
        return self.openness if question in ("Q12", "Q13") else self.affect


BINS = ("Low", "Med", "High")


def bin_of(value: int, edges: tuple[int, int]) -> int:
    """Return 0 (Low), 1 (Med) or 2 (High).

    >>> [bin_of(v, (2, 7)) for v in (0, 2, 3, 6, 7, 9)]
    [0, 0, 1, 1, 2, 2]
    """
    return (value > edges[0]) + (value >= edges[1])


def in_signature(question: Question, settings: SignatureSettings) -> bool:
    """Tell whether a question's answers are part of signatures."""
    return question.type in ("multi", "rating") or question.id in settings.singles


def signature(profile: Profile, settings: SignatureSettings | None = None) -> frozenset[str]:
    """Return the set that two profiles are compared on by Jaccard similarity (P31, J.4).

    Multiple answers as "Q7:Photography", single ones as "Q1=Science", ratings in bins as
    "Q12=High". Labels are those of the questionnaire, so they are normalised already.

    >>> sorted(signature(Profile(id="a", answers={"Q1": "Law", "Q7": ["Film"], "Q15": 2})))
    ['Q15=Low', 'Q1=Law', 'Q7:Film']
    """
    chosen_settings = settings or SignatureSettings()
    found = set()
    for question in questionnaire().asked:
        if not in_signature(question, chosen_settings):
            continue
        if question.type == "rating":
            value = rating_of(profile, question.id)
            if value is not None:
                found.add(
                    f"{question.id}={BINS[bin_of(value, chosen_settings.edges(question.id))]}"
                )
            continue
        mark = ":" if question.type == "multi" else "="
        found |= {f"{question.id}{mark}{label}" for label in chosen(profile, question.id)}
    return frozenset(found)
