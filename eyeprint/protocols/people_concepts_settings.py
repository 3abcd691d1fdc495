"""What decides a build of concepts and their questions, and how it ends (M5–M20)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from eyeprint.config import Settings
from eyeprint.errors import BadRecord
from eyeprint.people.concept_checks import CheckSettings
from eyeprint.people.concept_descriptions_chat import DescriptionSettings
from eyeprint.people.concept_items import ItemSettings, QuestionItem
from eyeprint.people.concept_questions_chat import QuestionSettings
from eyeprint.people.concept_sources import ConceptSources
from eyeprint.people.concept_tables import PreferenceTables
from eyeprint.people.concept_tastes import Assigned, Resolved, TasteSettings
from eyeprint.people.concept_votes import Outcome

OFFLINE = "offline"


class ConceptSettings(Settings):
    """What a build of concepts asks for, step by step; may come from a TOML file."""

    tastes: TasteSettings = TasteSettings()
    items: ItemSettings = ItemSettings()
    descriptions: DescriptionSettings = DescriptionSettings()
    questions: QuestionSettings = QuestionSettings()
    checks: CheckSettings = CheckSettings()
    leave_out_copies: bool = True
    """Whether query pictures that are copies of a reference picture are left out (M9)."""


class ConceptsRun(Settings):
    """Everything that decides what is drafted and flagged; the manifest of the folder.

    What people decide is no part of it: decisions are read anew by every call.
    """

    seed: int = 7
    source: str
    """Fingerprint of concepts and query pictures."""
    tables: str
    """Fingerprint of the keywords and of what clashes."""
    words: str
    """Digest of the words by which drafts are found wanting."""
    drafter: str = OFFLINE
    checkers: tuple[str, ...] = ()
    settings: ConceptSettings = ConceptSettings()


@dataclass(frozen=True)
class ConceptsInput:
    """What a build works on: concepts, tastes, what is to be asked, and what was left out."""

    run: ConceptsRun
    sources: ConceptSources
    tastes: Mapping[str, Assigned]
    """Person -> likes and dislikes, and what was resolved."""
    items: tuple[QuestionItem, ...]
    tables: PreferenceTables
    faults: tuple[BadRecord, ...] = ()
    """Of concepts, query pictures and topics."""
    contradictions: tuple[str, ...] = ()
    """In preferences that were given: for people to mend."""
    notes: tuple[str, ...] = ()


class TaskCounts(NamedTuple):
    """One of the 15 tasks (M6): how far its questions have come."""

    task: str
    planned: int
    """Questions that the pictures ask for."""
    undraftable: int
    """Of those, what needs a model that sees pictures, and there is none."""
    drafted: int
    faulty: int
    """Drafts with a fault that rules found."""
    flagged: int
    """Drafts with a flag that enough models raised."""
    written: int
    """Questions that are in the data now."""


@dataclass(frozen=True)
class ConceptsEnd:
    """How a build of concepts ended."""

    folder: Path
    concepts: int = 0
    tasks: tuple[TaskCounts, ...] = ()
    """In the order of the tasks; those without a picture are left out."""
    resolved: Mapping[str, tuple[Resolved, ...]] = field(default_factory=dict)
    """Person -> contradictions that were drawn, and what came in their place."""
    contradictions: tuple[str, ...] = ()
    """In preferences that were given: for people to mend."""
    description_issues: Mapping[str, int] = field(default_factory=dict)
    """Fault -> descriptions that have it."""
    question_issues: Mapping[str, int] = field(default_factory=dict)
    """Issue -> drafts in which rules found it."""
    flags: Mapping[str, int] = field(default_factory=dict)
    """Issue -> questions in which enough models found it."""
    single_flags: int = 0
    """Flags that one model raised alone; not forwarded."""
    half_checked: int = 0
    """Questions that fewer models checked than were asked."""
    outcomes: tuple[Outcome, ...] = ()
    """What reviewers decided."""
    decisions_left_out: int = 0
    """Rows of reviewers' files that do not count."""
    unreviewed: int = 0
    """Questions that are in the data and that nobody has decided about."""
    failures: Mapping[str, int] = field(default_factory=dict)
    """Kind -> pictures or calls that failed; the next run tries them again."""
    details: tuple[str, ...] = ()
    """What failed, and what was left out, one line each."""
    missing: tuple[str, ...] = ()
    """What the data lacks against a full one: pictures, texts, whole tasks."""
    notes: tuple[str, ...] = ()
    stopped: str | None = None
    reason: str = ""

    @property
    def exit_code(self) -> int:
        """0 done; 1 finished with failures or decisions left out, or stopped; 130 interrupted."""
        if self.stopped == "interrupted":
            return 130
        return 1 if self.failures or self.stopped or self.decisions_left_out else 0

    def as_report(self) -> dict[str, Any]:
        """Return the numbers as JSON-able values, for ``report.json``."""
        statuses: dict[str, int] = {}
        for outcome in self.outcomes:
            statuses[outcome.status] = statuses.get(outcome.status, 0) + 1
        return {
            "concepts": self.concepts,
            "questions": sum(row.written for row in self.tasks),
            "tasks": [row._asdict() for row in self.tasks],
            "conflicts_resolved": {
                name: [row.model_dump(mode="json") for row in rows]
                for name, rows in self.resolved.items()
                if rows
            },
            "contradictions": list(self.contradictions),
            "description_issues": dict(self.description_issues),
            "question_issues": dict(self.question_issues),
            "flags": dict(self.flags),
            "single_flags": self.single_flags,
            "half_checked": self.half_checked,
            "decided": dict(sorted(statuses.items())),
            "disagreements": sum(outcome.disagreed for outcome in self.outcomes),
            "decisions_left_out": self.decisions_left_out,
            "unreviewed": self.unreviewed,
            "failures": dict(self.failures),
            "missing": list(self.missing),
            "notes": list(self.notes),
        }
