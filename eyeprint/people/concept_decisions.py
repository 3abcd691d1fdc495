"""Reads what reviewers decided about questions and descriptions (M7, M19).

A file has the columns of ``review/questions.csv`` (told by ``id``) or of
``review/descriptions.csv`` (told by ``level``); others may be missing, save ``mark`` and
``decision``. Rows without a decision are passed over. A reviewer without a name goes by the
file's name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from eyeprint.errors import BadRecord, DataError, shown
from eyeprint.people.concept_review import ReviewedQuestion, description_mark, edited_question
from eyeprint.records.concept_masking import names_in
from eyeprint.records.concept_questions import LETTERS, NO, YES
from eyeprint.records.concepts import LEVELS, SKS, ConceptCategory
from eyeprint.records.csv_rows import read_csv_rows

Choice = Literal["accept", "edit", "reject"]
_WORDS: dict[str, Choice] = {
    "accept": "accept", "accepted": "accept", "a": "accept", "ok": "accept", "keep": "accept",
    "edit": "edit", "edited": "edit", "e": "edit", "revise": "edit", "change": "edit",
    "reject": "reject", "rejected": "reject", "r": "reject", "drop": "reject",
}  # fmt: skip
_EDITABLE = ("question", *LETTERS, "answer", "concept_only")
_FORMULA = ("=", "+", "-", "@")


class Decision(NamedTuple):
    """What one reviewer decided about one question or one level of a description."""

    key: tuple[str, str]
    """("question", id), or (concept, level)."""
    reviewer: str
    choice: Choice
    edit: tuple[tuple[str, str], ...] = ()
    """What changes, by column; of an edit only."""
    comment: str = ""


class ReadDecisions(NamedTuple):
    """Decisions of all files, in their order, and the rows that do not count."""

    decisions: tuple[Decision, ...]
    faults: tuple[BadRecord, ...]


class UnderReview(NamedTuple):
    """What there is to decide about, as it is now."""

    questions: Mapping[str, ReviewedQuestion]
    """By id."""
    texts: Mapping[tuple[str, str], str]
    """(concept, level) -> text."""
    categories: Mapping[str, ConceptCategory]
    """Concept -> category."""


def read_decisions(paths: Iterable[str | Path], now: UnderReview) -> ReadDecisions:
    """Read reviewers' files.

    Faults are: an unknown question or word, a mark of an older draft, an edit that changes
    nothing or cannot be a question, a name in an edit, and two unlike decisions of one reviewer.

    Raises:
        DataError: a file cannot be read or has other columns.
    """
    found: dict[tuple[tuple[str, str], str], Decision] = {}
    faults: list[BadRecord] = []
    for path in map(Path, paths):
        for line, row in read_csv_rows(path, ("mark", "decision")):
            if isinstance(row, BadRecord):
                faults.append(row)
                continue
            if "id" not in row and "level" not in row:
                raise DataError(
                    f"{path}: has neither a column id (questions) nor level (descriptions); give "
                    "a filled-in copy of review/questions.csv or review/descriptions.csv."
                )
            if not row.get("decision"):
                continue
            read = _decision(row, path, now)
            if isinstance(read, tuple) and not isinstance(read, Decision):
                faults.append(BadRecord(str(path), line, *read))
                continue
            before = found.setdefault((read.key, read.reviewer), read)
            if before[:4] != read[:4]:
                reason = f"'{shown(read.reviewer)}' decided otherwise before; the first one counts"
                faults.append(BadRecord(str(path), line, "decision", reason))
    return ReadDecisions(tuple(found.values()), tuple(faults))


def _decision(row: dict[str, str], path: Path, now: UnderReview) -> Decision | tuple[str, str]:
    """Return the decision, or (field, reason)."""
    choice = _WORDS.get(row["decision"].casefold())
    if choice is None:
        return "decision", f"'{shown(row['decision'])}' is none of accept, edit, reject"
    reviewer = row.get("reviewer") or path.stem
    if "id" in row:
        return _of_question(row, reviewer, choice, now)
    return _of_description(row, reviewer, choice, now)


def _of_question(
    row: dict[str, str], reviewer: str, choice: Choice, now: UnderReview
) -> Decision | tuple[str, str]:
    one = now.questions.get(row["id"])
    if one is None:
        return "id", f"there is no question '{shown(row['id'])}' (any more)"
    if row["mark"] != one.mark:
        return "mark", "the question has changed since it was reviewed; look at it again"
    edit = {name: text for name in _EDITABLE if (text := _cell(row.get(f"new_{name}", "")))}
    if "answer" in edit:
        edit["answer"] = _answer(edit["answer"])
    if "concept_only" in edit:
        edit["concept_only"] = edit["concept_only"].upper()
    wrong = _edit_fault(choice, bool(edit))
    if wrong:
        return "decision", wrong
    if choice != "reject":
        made = edited_question(one, edit, one.draft.concept)
        if isinstance(made, str):
            return "decision", f"it cannot be accepted as it is: {made}"
    return Decision(
        ("question", row["id"]), reviewer, choice, tuple(edit.items()), row.get("comment", "")
    )


def _of_description(
    row: dict[str, str], reviewer: str, choice: Choice, now: UnderReview
) -> Decision | tuple[str, str]:
    name, level = row.get("concept", ""), row["level"].casefold()
    if (name, level) not in now.texts:
        known = f"there is no concept '{shown(name)}'" if level in LEVELS else (
            f"'{shown(level)}' is none of {', '.join(LEVELS)}"
        )  # fmt: skip
        return "level" if level not in LEVELS else "concept", known
    text = now.texts[name, level]
    if row["mark"] != description_mark(text):
        return "mark", "the description has changed since it was reviewed; look at it again"
    new = _cell(row.get("new_text", ""))
    wrong = _edit_fault(choice, bool(new))
    if wrong:
        return "decision", wrong
    final = new or text
    if choice != "reject":
        leaked = names_in(final, name, now.categories[name])
        if SKS not in final:
            return "new_text" if new else "decision", f"{SKS} does not stand in it"
        if leaked:
            return "new_text" if new else "decision", f"it calls the concept {', '.join(leaked)}"
    edit = (("text", new),) if new else ()
    return Decision((name, level), reviewer, choice, edit, row.get("comment", ""))


def _edit_fault(choice: Choice, changes: bool) -> str:
    if choice == "edit" and not changes:
        return "it is an edit, and no new_... cell says what changes"
    if choice != "edit" and changes:
        return f"it is '{choice}', and new_... cells change something: write 'edit', or empty them"
    return ""


def _answer(text: str) -> str:
    for word in (YES, NO):
        if text.casefold() == word.casefold():
            return word
    return text.upper()


def _cell(text: str) -> str:
    """Return a cell without the apostrophe that keeps spreadsheets from running it."""
    text = text.strip()
    return text[1:] if text[:1] == "'" and text[1:2] in _FORMULA and text[1:2] else text
