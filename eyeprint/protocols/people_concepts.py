"""Concepts and their questions from folders of pictures: draft, check, review, write (M5–M20).

``DIR`` becomes a data root that ``eyeprint run mmpb --data DIR`` reads::

    DIR/concepts.jsonl, questions.jsonl, pictures/
    DIR/review/questions.csv, descriptions.csv    for reviewers, each to fill in a copy
    DIR/review/disagreements.csv                  what they do not agree on
    DIR/report.json                               counts by task, conflicts, flags, what is missing
    DIR/build/                                    the run's folder: what is done already

The same command goes on where it stopped. With ``decisions`` it applies what reviewers decided;
no model is asked again for that. Pictures and files carry no names of concepts.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from eyeprint.people.concept_votes import ReviewSettings
from eyeprint.protocols.display import Display, Quiet
from eyeprint.protocols.people_concepts_files import BUILD, refuse_strange_root
from eyeprint.protocols.people_concepts_settings import ConceptsEnd, ConceptsInput
from eyeprint.protocols.people_concepts_stages import ConceptStages, OpenChat, Stopped
from eyeprint.protocols.people_concepts_written import written
from eyeprint.store.ledger import Ledger
from eyeprint.store.run_folder import RunFolder

KIND = "concepts"


@dataclass(frozen=True)
class ConceptsBuild:
    """One build of concepts; :meth:`execute` does what is left of it."""

    given: ConceptsInput

    def execute(
        self,
        out: str | Path,
        *,
        open_chat: OpenChat | None = None,
        ledger: Ledger | None = None,
        decisions: Sequence[str | Path] = (),
        review: ReviewSettings | None = None,
        reviewed_only: bool | None = None,
        at_once: int = 8,
        display: Display | None = None,
    ) -> ConceptsEnd:
        """Do what is left, and write the data root.

        Args:
            out: the data root.
            open_chat: makes chats of the drafter and the checkers.
            ledger: behind them; its accounts are told in ``sessions.jsonl``.
            decisions: reviewers' files; they are read anew each time.
            review: how many must look and accept.
            reviewed_only: whether only accepted questions are written; by default when there
                are decisions. Otherwise what rules and models found nothing in is written too.
            at_once: calls under way.
            display: told how far the work is.

        Raises:
            FolderBusy, FolderMismatch, CannotWrite: the folder cannot be used.
            UsageError: it holds concepts that were not built here.
            DataError: a file of decisions cannot be read.
        """
        root, display, started = Path(out), display or Quiet(), time.monotonic()
        refuse_strange_root(root)
        with RunFolder.open(root / BUILD, self.given.run, kind=KIND) as folder:
            stages = ConceptStages(self.given, root, folder, open_chat, ledger, at_once, display)
            try:
                built = stages.built()
            except Stopped as stop:
                end = stop.end
                return ConceptsEnd(
                    root, failures=end.failures, stopped=end.stopped, reason=end.reason
                )
            finally:
                if ledger is not None:
                    folder.end_session(ledger.accounts, time.monotonic() - started)
            display.stage("writing concepts and questions", None)
            return written(root, built, decisions, review or ReviewSettings(), reviewed_only)
