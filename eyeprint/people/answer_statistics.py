"""How answers are spread: per question, and one set of profiles beside another (P22, P32).

The paper shows that agents are flatter than users (Fig. 8) and names no measure. Balance
here is Shannon entropy over a question's possible answers, divided by its largest value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from eyeprint.maths.diversity import normalised_entropy
from eyeprint.people.questions import Question, Questionnaire, questionnaire
from eyeprint.records.profiles import Profile


@dataclass(frozen=True)
class QuestionSpread:
    """How often each answer to one question was given."""

    question: Question
    counts: dict[str, int]
    """Answer -> how often, in the order of the questionnaire, zeros included."""
    answered: int
    """Profiles that answered; a multiple question counts once."""
    unknown: int = 0
    """Answers that the questionnaire does not have; they count nowhere else."""

    @cached_property
    def balance(self) -> float:
        """Normalised entropy, in [0, 1]: 1 is an even spread; NaN when nobody answered.

        Over every answer that agents may give, and any other one that somebody gave.
        """
        return normalised_entropy(list(self.counts.values()))

    def share(self, answer: str) -> float:
        """Return the share of those who answered that gave this answer; NaN without any.

        The shares of a multiple question sum to more than 1.
        """
        return self.counts.get(answer, 0) / self.answered if self.answered else float("nan")


@dataclass(frozen=True)
class AnswerSpread:
    """The spreads of all questions over one set of profiles."""

    profiles: int
    questions: dict[str, QuestionSpread]
    """Question id -> spread."""

    @property
    def balance(self) -> float:
        """Mean balance over the questions that somebody answered; NaN without any."""
        found = [s.balance for s in self.questions.values() if s.answered]
        return sum(found) / len(found) if found else float("nan")


def _labels(question: Question) -> tuple[str, ...]:
    if question.type == "rating":
        return tuple(str(value) for value in range(question.low, question.high + 1))
    return question.labels


def answer_spread(profiles: Iterable[Profile], asked: Questionnaire | None = None) -> AnswerSpread:
    """Count the answers of some profiles; they may be a stream of any length.

    >>> two = [Profile(id="a", answers={"Q2": "Male"}), Profile(id="b", answers={"Q2": "Female"})]
    >>> gender = answer_spread(two).questions["Q2"]
    >>> gender.counts["Male"], gender.balance
    (1, 0.5)
    """
    questions = (asked or questionnaire()).asked
    counts: dict[str, Counter[str]] = {question.id: Counter() for question in questions}
    answered: Counter[str] = Counter()
    number = 0
    for profile in profiles:
        number += 1
        for question in questions:
            answer = profile.answers.get(question.id)
            if answer is None:
                continue
            answered[question.id] += 1
            if question.type == "rating" and not isinstance(answer, int):
                answer = (f"{answer!r}",)  # "7" as text is none of the numbers
            counts[question.id].update(answer if isinstance(answer, tuple) else [str(answer)])
    spreads = {}
    for question in questions:
        found = counts[question.id]
        hidden = {option.label for option in question.options if not option.sampled}
        kept = {x: found[x] for x in _labels(question) if found[x] or x not in hidden}
        unknown = found.total() - sum(kept.values())
        spreads[question.id] = QuestionSpread(question, kept, answered[question.id], unknown)
    return AnswerSpread(number, spreads)


def distance(one: QuestionSpread, other: QuestionSpread) -> float:
    """Return the total variation distance of two spreads, Σ |p - q| / 2, in [0, 1].

    Over shares of all answers given, so that multiple questions sum to 1; 0 is alike, 1 has
    nothing in common; NaN when one has no answer.

    >>> a = answer_spread([Profile(id="a", answers={"Q2": "Male"})]).questions["Q2"]
    >>> b = answer_spread([Profile(id="b", answers={"Q2": "Female"})]).questions["Q2"]
    >>> distance(a, b), distance(a, a)
    (1.0, 0.0)
    """
    sums = sum(one.counts.values()), sum(other.counts.values())
    if not all(sums):
        return float("nan")
    return (
        sum(
            abs(one.counts.get(answer, 0) / sums[0] - other.counts.get(answer, 0) / sums[1])
            for answer in one.counts | other.counts
        )
        / 2
    )
