"""A question without its options, for free answers (CHECKLIST M20)."""

from __future__ import annotations

from eyeprint.records.concept_questions import ConceptQuestion


def open_question(question: ConceptQuestion) -> str:
    """Return the question as it is put when the answer is free.

    A yes/no question ends at its first question mark, so that what follows ("Answer Yes or No.")
    goes, as in the released code; one with options keeps its text and loses the options.

    >>> asked = ConceptQuestion(id="1", concept="Boo", category="animal", type="awareness",
    ...     group="recognition", question="Is <sks> here? Yes or No.", answer="Yes", image="a.png")
    >>> open_question(asked)
    'Is <sks> here?'
    """
    text = question.question.strip()
    if question.options or "?" not in text:
        return text
    return text.split("?", 1)[0] + "?"
