"""Grading of free answers: which of the listed answers does a reply come to (CHECKLIST M20)?

The paper gives no rule. Here the grader, offline or a chat model, only reads: it is told the
question, the possible answers and the reply, neither the picture nor the key. So free and
closed answers are right by the same rule, and a grader cannot be kind to a model.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from eyeprint.models.json_replies import read_json
from eyeprint.models.kinds import ChatRequest, Message, Reply
from eyeprint.models.prompt_files import filled_prompt
from eyeprint.records.concept_open import open_question
from eyeprint.records.concept_questions import NO, YES, ConceptQuestion

_PROMPTS = Path(__file__).parent / "prompts"
MOST_TOKENS = 100


class GraderReading(NamedTuple):
    """What a grader's reply says."""

    choice: str | None
    """The label of the listed answer that the reply comes to; ``None`` where it is none."""
    detail: str
    """Why there is none."""
    graded: bool
    """Whether the grader said anything that could be read."""


def answers_of(question: ConceptQuestion) -> dict[str, str]:
    """Return label -> text of the possible answers.

    >>> asked = ConceptQuestion(id="1", concept="m", category="object", type="awareness",
    ...     group="recognition", question="Is <sks> here?", answer="Yes", image="a.png")
    >>> list(answers_of(asked))
    ['Yes', 'No']
    """
    if question.options:
        return dict(question.options)
    return {YES: "yes, as the question is put", NO: "no, as the question is put"}


def grade_request(question: ConceptQuestion, reply: str) -> ChatRequest:
    """Return what a grader is asked about one reply."""
    facts = {
        "question": open_question(question),
        "answers": list(answers_of(question).items()),
        "reply": reply,
    }
    return ChatRequest(
        messages=(
            Message(role="system", text=filled_prompt(_PROMPTS / "free_answer_system.j2", facts)),
            Message(role="user", text=filled_prompt(_PROMPTS / "free_answer_user.j2", facts)),
        ),
        temperature=0.0,
        max_tokens=MOST_TOKENS,
        json_mode=True,
    )


def read_grade(reply: Reply, question: ConceptQuestion) -> GraderReading:
    """Return what a grader named.

    >>> asked = ConceptQuestion(id="1", concept="m", category="object", type="awareness",
    ...     group="recognition", question="Is <sks> here?", answer="Yes", image="a.png")
    >>> read_grade(Reply(text='{"choice": "yes"}'), asked).choice
    'Yes'
    >>> read_grade(Reply(text='{"choice": null}'), asked).graded
    True
    >>> chosen = asked.model_copy(update={"options": {"A": "red", "B": "blue"}, "answer": "A"})
    >>> read_grade(Reply(text="**B.**"), chosen).choice
    'B'
    >>> read_grade(Reply(text="Well."), asked).graded
    False
    """
    if reply.outcome != "answered":
        told = f"the grader's reply is {reply.outcome} {reply.detail}".rstrip()
        return GraderReading(None, told, False)
    value = read_json(reply.text).value
    labels = {label.lower(): label for label in answers_of(question)}
    bare = reply.text.strip(" \n\t\"'`*.:").lower()
    if question.options and (bare in labels or bare in ("null", "none")):
        # A small model that passes over the form, and says nothing but the letter. A bare yes or
        # no could be about the grading, and is not taken.
        value = {"choice": labels.get(bare)}
    if not isinstance(value, dict) or "choice" not in value:
        return GraderReading(None, "the grader's reply could not be read", False)
    choice = value["choice"]
    if choice is None:
        return GraderReading(None, "the grader found no listed answer in it", True)
    found = labels.get(str(choice).strip().lower().rstrip(".:"))
    if found is None:
        return GraderReading(None, "the grader named no listed answer", False)
    return GraderReading(found, "", True)
