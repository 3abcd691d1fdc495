"""The end of a build of concepts: decisions applied, the data root, review files and report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from eyeprint.people.concept_decisions import UnderReview, read_decisions
from eyeprint.people.concept_descriptions import DraftedDescriptions
from eyeprint.people.concept_drafts import question_of
from eyeprint.people.concept_items import QuestionItem
from eyeprint.people.concept_review import (
    ReviewedQuestion,
    description_rows,
    edited_question,
    levels_of,
    question_rows,
)
from eyeprint.people.concept_votes import Outcome, ReviewSettings, settle
from eyeprint.protocols.people_concepts_files import (
    count_tasks,
    write_disagreements,
    write_report,
    write_review,
)
from eyeprint.protocols.people_concepts_settings import ConceptsEnd, ConceptsInput
from eyeprint.records.concept_files import write_concepts
from eyeprint.records.concept_questions import TASKS, ConceptQuestion, task_name
from eyeprint.records.concepts import LEVELS, REFERENCES, Concept, Level
from eyeprint.store.shards import FailedItem


@dataclass(frozen=True)
class Built:
    """All that was drafted and checked."""

    given: ConceptsInput
    concepts: Mapping[str, Concept]
    described: tuple[DraftedDescriptions, ...]
    questions: tuple[ReviewedQuestion, ...]
    """In the order of the items."""
    undraftable: tuple[QuestionItem, ...]
    """Items that need a model that sees pictures."""
    copies: tuple[str, ...]
    """Query pictures that copy a reference, and references that copy each other."""
    failures: tuple[FailedItem, ...]


def written(
    root: Path,
    built: Built,
    decisions: Sequence[str | Path],
    review: ReviewSettings,
    reviewed_only: bool | None,
) -> ConceptsEnd:
    """Apply what reviewers decided, write everything, and return the end.

    Raises:
        DataError: a file of decisions cannot be read.
        CannotWrite: disk full or no permission.
    """
    now = UnderReview(
        {one.draft.id: one for one in built.questions},
        levels_of(built.described),
        {name: concept.category for name, concept in built.concepts.items()},
    )
    read = read_decisions(decisions, now)
    outcomes = settle(read.decisions, review)
    only = bool(decisions) if reviewed_only is None else reviewed_only
    questions = _kept(built.questions, outcomes, built.given.run.seed, only)
    concepts = [_described(concept, outcomes) for concept in built.concepts.values()]
    write_review(
        root,
        question_rows(built.questions, built.concepts),
        description_rows(built.described, built.concepts),
    )
    if decisions:
        write_disagreements(root, outcomes.values())
    write_concepts(root, concepts, questions)
    end = _end(
        root, built, questions, concepts, tuple(outcomes.values()), list(map(str, read.faults))
    )
    write_report(root, end.as_report())
    return end


def _kept(
    drafts: Sequence[ReviewedQuestion],
    outcomes: Mapping[tuple[str, str], Outcome],
    seed: int,
    reviewed_only: bool,
) -> list[ConceptQuestion]:
    """Return the questions that belong to the data, in the order of their drafts."""
    kept = []
    for one in drafts:
        outcome = outcomes.get(("question", one.draft.id))
        made: ConceptQuestion | str | None = None
        if outcome is not None and outcome.status == "accepted":
            made = edited_question(one, dict(outcome.edit), one.draft.concept)
        elif outcome is None and not reviewed_only and not one.held:
            made = question_of(one.draft, one.image, seed)
        if isinstance(made, ConceptQuestion):
            kept.append(made)
    return kept


def _described(concept: Concept, outcomes: Mapping[tuple[str, str], Outcome]) -> Concept:
    """Return a concept with edited descriptions, and without those that were rejected."""
    texts: dict[Level, str] = {}
    for level in LEVELS:
        text = concept.description(level)
        outcome = outcomes.get((concept.name, level))
        if outcome is not None and outcome.status == "accepted":
            text = dict(outcome.edit).get("text", text)
        if text and (outcome is None or outcome.status != "rejected"):
            texts[level] = text
    return concept.model_copy(update={"descriptions": texts})


def _end(
    root: Path,
    built: Built,
    questions: Sequence[ConceptQuestion],
    concepts: Sequence[Concept],
    outcomes: tuple[Outcome, ...],
    decision_faults: list[str],
) -> ConceptsEnd:
    given, drafts = built.given, built.questions
    flags = [one.flags for one in drafts if one.flags is not None]
    decided = {outcome.key[1] for outcome in outcomes if outcome.key[0] == "question"}
    asked = len(given.run.checkers)
    checked = [one for one in drafts if asked and not one.draft.issues]
    faults = [f"left out: {fault}" for fault in given.faults]
    faults += [f"decision left out: {fault}" for fault in decision_faults]
    faults += [f"failed, {one.kind}: {one.key}: {one.detail}" for one in built.failures]
    tasks = count_tasks(
        map(_task_of_item, given.items),
        map(_task_of_item, built.undraftable),
        map(_task, drafts),
        (_task(one) for one in drafts if one.draft.issues),
        (_task(one) for one in drafts if one.flags is not None and one.flags.forwarded),
        (question.task for question in questions),
    )
    return ConceptsEnd(
        root,
        concepts=len(concepts),
        tasks=tasks,
        resolved={name: made.log for name, made in given.tastes.items()},
        contradictions=given.contradictions,
        description_issues=_counted(i.fault for one in built.described for i in one.issues),
        question_issues=_counted(
            name for one in drafts for name in {i.issue for i in one.draft.issues}
        ),
        flags=_counted(name for one in flags for name in one.forwarded),
        single_flags=sum(len(one.single) for one in flags),
        half_checked=sum(one.flags is None or one.flags.checkers < asked for one in checked),
        outcomes=outcomes,
        decisions_left_out=len(decision_faults),
        unreviewed=sum(question.id not in decided for question in questions),
        failures=_counted(failure.kind for failure in built.failures),
        details=tuple(faults),
        missing=_missing(built, concepts, questions),
        notes=(*given.notes, *(f"copy: {told}" for told in built.copies),
               *(f"{one.concept}: {note}" for one in built.described for note in one.notes)),
    )  # fmt: skip


def _missing(
    built: Built, concepts: Sequence[Concept], questions: Sequence[ConceptQuestion]
) -> tuple[str, ...]:
    """Return what a full set of data would have and this one has not."""
    found = []
    few = [one for one in concepts if len(one.images) < REFERENCES]
    if few:
        found.append(f"{len(few)} concepts with fewer than {REFERENCES} reference pictures")
    gone = [s.name for s in built.given.sources.concepts if s.name not in built.concepts]
    if gone:
        found.append(f"{len(gone)} concepts of which no reference picture can be read")
    for level in LEVELS:
        lacking = sum(not one.description(level) for one in concepts)
        if lacking:
            found.append(f"{lacking} concepts without the description '{level}'")
    offline = sum(one.drafter == "offline" for one in built.described)
    if offline:
        found.append(
            f"{offline} concepts whose descriptions tell colours and light only (offline): name "
            "a model that sees pictures with --drafter, or edit them"
        )
    if built.undraftable:
        found.append(
            f"{len(built.undraftable)} Coherency questions on what pictures show: they need a "
            "model that sees pictures (--drafter)"
        )
    there = {question.task for question in questions}
    lacking_tasks = [task for task in TASKS if task not in there]
    if lacking_tasks:
        found.append(f"questions of {len(lacking_tasks)} tasks: {', '.join(lacking_tasks)}")
    return tuple(found)


def _task(one: ReviewedQuestion) -> str:
    return task_name(one.draft.type, one.draft.group, one.draft.category)


def _task_of_item(item: QuestionItem) -> str:
    return task_name(item.type, item.group, item.category)


def _counted(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))
