"""Rows that people review: every question and description with all that is needed (M7, M19).

Each reviewer fills in a copy of the files: ``decision`` (accept, edit, reject), for an edit the
``new_...`` cells that change, and a comment if they like. ``mark`` ties a decision to the
text that was read: when a draft has changed since, its old decisions do not count.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from pydantic import ValidationError

from eyeprint.people.concept_checks import Flags
from eyeprint.people.concept_descriptions import DraftedDescriptions
from eyeprint.people.concept_drafts import Layout, QuestionDraft, laid_out, posed
from eyeprint.people.concept_issues import text_issues
from eyeprint.randomness import stable_digest
from eyeprint.records.concept_negation import is_negated
from eyeprint.records.concept_questions import LETTERS, ConceptQuestion
from eyeprint.records.concepts import LEVELS, Concept

QUESTION_COLUMNS = (
    "id", "mark", "concept", "category", "type", "group", "topic", "target", "entities",
    "negated", "picture", "description", "preference", "question", *LETTERS, "answer",
    "concept_only", "drafter", "issues", "flags", "single_flags", "flag_notes",
    "reviewer", "decision", "new_question", *(f"new_{letter}" for letter in LETTERS),
    "new_answer", "new_concept_only", "comment",
)  # fmt: skip
DESCRIPTION_COLUMNS = (
    "concept", "category", "level", "mark", "pictures", "text", "drafter", "issues", "notes",
    "reviewer", "decision", "new_text", "comment",
)  # fmt: skip


class ReviewedQuestion(NamedTuple):
    """One draft with its picture and what models said, as it goes to reviewers."""

    draft: QuestionDraft
    image: str
    """The picture, relative to the data root."""
    flags: Flags | None = None
    seed: int = 7
    """The run's, for the order of options."""

    @property
    def mark(self) -> str:
        """What is reviewed, in nine characters; a letter leads, as spreadsheets mend numbers."""
        layout = laid_out(self.draft, self.seed)
        parts = (self.draft.question, *layout.options.values(), layout.answer, self.image)
        return "m" + stable_digest(*parts).hex()[:8]

    @property
    def held(self) -> bool:
        """Whether it stays out of the data until people have accepted it."""
        return bool(self.draft.issues or (self.flags is not None and self.flags.forwarded))


def question_rows(
    questions: Iterable[ReviewedQuestion], concepts: Mapping[str, Concept]
) -> list[dict[str, Any]]:
    """Return one row for each question, those that are held back first."""
    ordered = sorted(questions, key=lambda one: not one.held)
    return [_question_row(one, concepts[one.draft.concept]) for one in ordered]


def _question_row(one: ReviewedQuestion, concept: Concept) -> dict[str, Any]:
    draft, flags = one.draft, one.flags
    layout = laid_out(draft, one.seed)
    known: dict[str, Any] = {
        "id": draft.id,
        "mark": one.mark,
        "concept": draft.concept,
        "category": draft.category,
        "type": draft.type,
        "group": draft.group,
        "topic": draft.topic,
        "target": draft.target,
        "entities": draft.entities,
        "negated": {None: "", True: "yes", False: "no"}[draft.negated],
        "picture": one.image,
        "description": concept.description("moderate"),
        "preference": concept.preference if draft.group == "preference" else "",
        "question": draft.question,
        **{letter: layout.options.get(letter, "") for letter in LETTERS},
        "answer": layout.answer,
        "concept_only": layout.concept_only,
        "drafter": draft.drafter,
        "issues": "; ".join(f"{i.issue}: {i.detail}" for i in draft.issues),
        "flags": "; ".join(flags.forwarded) if flags else "",
        "single_flags": "; ".join(flags.single) if flags else "",
        "flag_notes": " | ".join(flags.notes) if flags else "",
    }
    return {column: known.get(column, "") for column in QUESTION_COLUMNS}


def description_mark(text: str) -> str:
    """Return nine characters that stand for a description."""
    return "m" + stable_digest(text).hex()[:8]


def description_rows(
    drafts: Iterable[DraftedDescriptions], concepts: Mapping[str, Concept]
) -> list[dict[str, Any]]:
    """Return one row for each concept and level; a missing text has an empty one."""
    rows = []
    for draft in drafts:
        concept = concepts[draft.concept]
        for level in LEVELS:
            text = draft.descriptions.get(level, "")
            issues = [i for i in draft.issues if i.level == level]
            known: dict[str, Any] = {
                "concept": draft.concept,
                "category": concept.category,
                "level": level,
                "mark": description_mark(text),
                "pictures": " ".join(concept.images),
                "text": text,
                "drafter": draft.drafter,
                "issues": "; ".join(f"{i.fault}: {i.detail}" for i in issues),
                "notes": "; ".join(draft.notes),
            }
            rows.append({column: known.get(column, "") for column in DESCRIPTION_COLUMNS})
    return rows


def edited_question(
    one: ReviewedQuestion, edit: Mapping[str, str], name: str
) -> ConceptQuestion | str:
    """Return a draft as a question, with the changes of an edit; or why it cannot be one.

    Args:
        one: the draft.
        edit: question, A, B, C, D, answer, concept_only: what changes; empty for none.
        name: the concept's, which must not stand in a text.
    """
    draft = one.draft
    layout = laid_out(draft, one.seed)
    options = dict(layout.options)
    for letter in LETTERS if draft.type == "coherency" else ():
        options[letter] = edit.get(letter) or options.get(letter, "")
    question = edit.get("question") or draft.question
    answer = edit.get("answer") or layout.answer
    concept_only = edit.get("concept_only") or layout.concept_only
    if draft.type == "coherency":
        empty = [letter for letter, text in options.items() if not text]
        same = len({text.casefold() for text in options.values()}) < len(options)
        if empty:
            return f"option {empty[0]} has no text"
        if same:
            return "two options say the same"
        if not concept_only:
            return "no letter says which option fits the concept only (concept_only)"
    negated = draft.negated
    if draft.type != "coherency" and "question" in edit:
        negated = is_negated(question)
        if draft.negated is not None and negated != draft.negated and "answer" not in edit:
            return "the edit turns the question around: say its answer in new_answer"
    found = text_issues(question, tuple(options.values()), name, draft.category)
    if found:
        return found[0].detail
    if draft.type != "coherency":
        concept_only = ""
    try:
        made = Layout(options=options, answer=answer, concept_only=concept_only)
        return posed(draft, one.image, question, made, negated)
    except ValidationError as error:
        return str(error.errors()[0]["msg"]).removeprefix("Value error, ")


def levels_of(drafts: Sequence[DraftedDescriptions]) -> dict[tuple[str, str], str]:
    """Return (concept, level) -> text."""
    return {
        (draft.concept, level): draft.descriptions.get(level, "")
        for draft in drafts
        for level in LEVELS
    }
