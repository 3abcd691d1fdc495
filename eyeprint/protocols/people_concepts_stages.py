"""The stages of a build of concepts: pictures, copies, descriptions, questions, checks.

Each stage is a table of the build's folder, made of exactly what the stages before it gave, so
that a repeated command does only what is left (X17).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from eyeprint.errors import DataError, shown
from eyeprint.models.kinds import Chat
from eyeprint.models.loops import run_to_end
from eyeprint.models.pictures import open_picture
from eyeprint.people.chat_asking import Tally
from eyeprint.people.concept_checks import CheckRow, check_by_chat, flags_of
from eyeprint.people.concept_descriptions import DraftedDescriptions, describe_offline
from eyeprint.people.concept_descriptions_chat import describe_by_chat
from eyeprint.people.concept_drafts import QuestionDraft, question_of
from eyeprint.people.concept_items import QuestionItem
from eyeprint.people.concept_question_templates import preference_by_keywords, yes_no_by_template
from eyeprint.people.concept_questions_chat import question_by_chat
from eyeprint.people.concept_review import ReviewedQuestion
from eyeprint.people.concept_sources import ConceptSource, digest_of
from eyeprint.people.leaks import near_duplicates
from eyeprint.protocols.display import Display
from eyeprint.protocols.people_concepts_files import PICTURES
from eyeprint.protocols.people_concepts_settings import OFFLINE, ConceptsInput
from eyeprint.protocols.people_concepts_written import Built
from eyeprint.protocols.stage_tables import fresh_table, rows_of
from eyeprint.records.concept_preferences import preference_text
from eyeprint.records.concept_questions import ConceptQuestion
from eyeprint.records.concepts import Concept
from eyeprint.records.pictures import Picture
from eyeprint.store.ledger import Ledger
from eyeprint.store.picture_files import PictureFiles
from eyeprint.store.run_folder import RunFolder
from eyeprint.store.shards import FailedItem, ShardTable
from eyeprint.store.work import WorkSettings, WorkSummary, run_items

OpenChat = Callable[[str], Chat]
"""Makes the chat of a name, in the event loop that uses it; wrapped in a ledger."""


class Stopped(Exception):
    """A stage ended before all its items were tried."""

    def __init__(self, end: WorkSummary) -> None:
        super().__init__(end.reason)
        self.end = end


class ConceptStages:
    """One start of a build: its stages, one after the other."""

    def __init__(
        self,
        build: ConceptsInput,
        root: Path,
        folder: RunFolder,
        open_chat: OpenChat | None,
        ledger: Ledger | None,
        at_once: int,
        display: Display,
    ) -> None:
        self.build, self.run, self.folder = build, build.run, folder
        self.open_chat, self.ledger, self.display = open_chat, ledger, display
        self.work = WorkSettings(at_once=at_once)
        self.files = PictureFiles(root / PICTURES)
        self.failures: list[FailedItem] = []
        self.tally = Tally()
        self.chats: dict[str, Chat] = {}
        self.shas: dict[str, str] = {}
        """Path of a given file -> pixel hash of its picture; unreadable ones are not there."""

    def built(self) -> Built:
        """Return all that was drafted and checked."""
        self._pictures()
        copies = self._copies()
        described = self._descriptions()
        concepts = {source.name: self._concept(source, described) for source in self._sources()}
        drafts, undraftable = self._questions(concepts, described, copies)
        reviewed = [
            ReviewedQuestion(draft, self._image(item.file), seed=self.run.seed)
            for item, draft in drafts
        ]
        rows = self._checks(reviewed, concepts)
        flags = flags_of(rows, self.run.settings.checks.threshold)
        reviewed = [one._replace(flags=flags.get(one.draft.id)) for one in reviewed]
        return Built(
            given=self.build, undraftable=tuple(undraftable), concepts=concepts,
            described=tuple(described.values()), questions=tuple(reviewed),
            failures=tuple(self.failures), copies=tuple(copies.values()),
        )  # fmt: skip

    def _do(
        self,
        stage: str,
        items: Sequence[Any],
        do: Callable[[Any], Any],
        table: ShardTable,
        key: Callable[[Any], str],
        chats: Sequence[str] = (),
    ) -> list[dict[str, Any]]:
        """Run one stage to its end and return its rows; ``do`` finds its chats in ``self``."""
        self.display.stage(stage, len(items))

        async def all_items() -> WorkSummary:
            self.chats = {name: self._opened(name) for name in chats}
            spent = None if self.ledger is None else self.ledger.accounts.spent_usd
            return await run_items(
                items, do, table, key=key, settings=self.work, total=len(items),
                on_progress=self.display.progress, spent=spent,
            )  # fmt: skip

        end = run_to_end(all_items())
        if end.stopped is not None:
            raise Stopped(end)
        self.failures += table.failures()
        return list(rows_of(table))

    def _opened(self, name: str) -> Chat:
        if self.open_chat is None:
            raise DataError(f"The build asks {shown(name)}: give execute() an open_chat.")
        return self.open_chat(name)

    def _sources(self) -> list[ConceptSource]:
        """Return the concepts of which a reference picture can be read."""
        return [
            source
            for source in self.build.sources.concepts
            if any(path in self.shas for path in source.references)
        ]

    def _pictures(self) -> None:
        """Take in every picture once, by the hash of its file."""
        paths = [path for source in self.build.sources.concepts for path in source.references]
        paths += [item.file for item in self.build.items]
        digests = {path: digest_of(path) for path in dict.fromkeys(paths)}
        first: dict[str, str] = {}
        for path, digest in digests.items():
            first.setdefault(digest, path)

        async def take(digest: str) -> dict[str, str]:
            await asyncio.sleep(0)
            picture = open_picture(Path(first[digest]))
            return {"file": digest, "picture": self.files.put(picture)}

        rows = self._do("taking in pictures", list(first), take, self.folder.table("pictures"), str)
        taken = {row["file"]: row["picture"] for row in rows}
        for digest, sha in taken.items():
            if sha not in self.files:
                # Somebody has removed it since; the rows know it, and the file is still given.
                self.files.put(open_picture(Path(first[digest])))
        self.shas = {p: taken[digest] for p, digest in digests.items() if digest in taken}

    def _image(self, path: str) -> str:
        return f"{PICTURES}/{self.shas[path]}.png"

    def _get(self, paths: Sequence[str]) -> list[Picture]:
        return [self.files.get(self.shas[path]) for path in paths if path in self.shas]

    def _copies(self) -> dict[tuple[str, str], str]:
        """Return (concept, path of a query picture) -> which reference it is a copy of (M9)."""
        queries: dict[str, list[str]] = {}
        for item in self.build.items:
            if item.file in self.shas:
                queries.setdefault(item.concept, []).append(item.file)
        items = [
            (source.name, [p for p in source.references if p in self.shas],
             list(dict.fromkeys(queries.get(source.name, []))))
            for source in self._sources()
        ]  # fmt: skip

        async def compare(item: tuple[str, list[str], list[str]]) -> dict[str, Any]:
            await asyncio.sleep(0)
            name, references, asked = item
            pairs = near_duplicates(self._get([*references, *asked]))
            return {
                "concept": name,
                "references": len(references),
                "pairs": sorted(map(list, pairs)),
            }

        made_of = [[name, [self.shas[p] for p in (*refs, *asked)]] for name, refs, asked in items]
        table = fresh_table(self.folder, "copies", made_of)
        rows = self._do("comparing pictures", items, compare, table, lambda item: str(item[0]))
        found: dict[tuple[str, str], str] = {}
        pairs_of = {row["concept"]: row["pairs"] for row in rows}
        for name, references, asked in items:
            paths = [*references, *asked]
            # What could not be compared is told among the failures.
            for a, b in pairs_of.get(name, ()):
                if a < len(references) <= b:
                    told = f"{paths[b]} is a copy of the reference {paths[a]}"
                    found.setdefault((name, paths[b]), told)
                elif b < len(references):
                    told = f"the references {paths[a]} and {Path(paths[b]).name} are nearly alike"
                    found.setdefault((name, f"{a} {b}"), told)
        return found

    def _descriptions(self) -> dict[str, DraftedDescriptions]:
        drafter, settings = self.run.drafter, self.run.settings.descriptions

        async def describe(source: ConceptSource) -> DraftedDescriptions:
            pictures = self._get(source.references)
            if drafter != OFFLINE:
                return await describe_by_chat(
                    self.chats[drafter], source, pictures, settings, self.tally
                )
            await asyncio.sleep(0)
            return DraftedDescriptions(
                concept=source.name, descriptions=describe_offline(pictures), drafter=OFFLINE
            )

        sources = self._sources()
        made_of = [[source.name, [self.shas.get(p) for p in source.references]]
                   for source in sources]  # fmt: skip
        rows = self._do(
            "describing concepts", sources, describe,
            fresh_table(self.folder, "descriptions", made_of),
            lambda source: str(source.name), () if drafter == OFFLINE else (drafter,),
        )  # fmt: skip
        drafts = [DraftedDescriptions.model_validate(row) for row in rows]
        return {draft.concept: draft for draft in drafts}

    def _concept(
        self, source: ConceptSource, described: Mapping[str, DraftedDescriptions]
    ) -> Concept:
        tastes = self.build.tastes[source.name].tastes if source.name in self.build.tastes else {}
        there = [path for path in source.references if path in self.shas]
        draft = described.get(source.name)
        return Concept(
            name=source.name,
            category=source.category,
            kind=source.kind,
            descriptions=draft.descriptions if draft is not None else {},
            preference=preference_text(tastes),
            tastes=tastes,
            images=tuple(self._image(path) for path in there),
            sources=tuple(
                origin
                for path, origin in zip(source.references, source.origins, strict=False)
                if path in self.shas
            ),
        )

    def _questions(
        self,
        concepts: Mapping[str, Concept],
        described: Mapping[str, DraftedDescriptions],
        copies: Mapping[tuple[str, str], str],
    ) -> tuple[list[tuple[QuestionItem, QuestionDraft]], list[QuestionItem]]:
        """Return the drafts with their items, and the items that nothing here can draft."""
        run, settings = self.run, self.run.settings.questions
        left_out = copies if run.settings.leave_out_copies else {}
        references = {source.name: source.references for source in self.build.sources.concepts}
        items: list[QuestionItem] = []
        undraftable: list[QuestionItem] = []
        for item in self.build.items:
            ready = item.file in self.shas and item.concept in described
            if not ready or (item.concept, item.file) in left_out:
                continue
            offline = run.drafter == OFFLINE
            blind = offline and item.type == "coherency" and item.group == "recognition"
            (undraftable if blind else items).append(item)

        async def draft(item: QuestionItem) -> QuestionDraft:
            concept = concepts[item.concept]
            yes_no = item.type != "coherency"
            if run.drafter == OFFLINE or (yes_no and not settings.yes_no_by_model):
                await asyncio.sleep(0)
                if yes_no:
                    return yes_no_by_template(item, run.seed)
                return preference_by_keywords(item, concept.tastes, run.seed, self.build.tables)
            shown = references[item.concept]
            return await question_by_chat(
                self.chats[run.drafter], item, concept, self._get([item.file])[0],
                self._get(shown)[: settings.references_shown], settings, self.tally,
            )  # fmt: skip

        made_of = [[one.model_dump(mode="json") for one in described.values()],
                   [[item.id, self.shas[item.file]] for item in items]]  # fmt: skip
        rows = self._do(
            "drafting questions", items, draft, fresh_table(self.folder, "questions", made_of),
            lambda item: str(item.id), () if run.drafter == OFFLINE else (run.drafter,),
        )  # fmt: skip
        by_id = {item.id: item for item in items}
        drafts = [QuestionDraft.model_validate(row) for row in rows]
        return [(by_id[draft.id], draft) for draft in drafts], undraftable

    def _checks(
        self, reviewed: Sequence[ReviewedQuestion], concepts: Mapping[str, Concept]
    ) -> list[CheckRow]:
        """Return what each model found in each draft that rules found nothing in."""
        settings = self.run.settings.checks
        items: list[tuple[str, ConceptQuestion]] = [
            (checker, question)
            for one in reviewed
            if (question := question_of(one.draft, one.image, self.run.seed)) is not None
            for checker in self.run.checkers
        ]

        async def check(item: tuple[str, ConceptQuestion]) -> CheckRow:
            checker, question = item
            sha = question.image.removeprefix(f"{PICTURES}/").removesuffix(".png")
            return await check_by_chat(
                self.chats[checker], question, concepts[question.concept], self.files.get(sha),
                settings, self.tally,
            )  # fmt: skip

        if not items:
            return []
        asked = [[checker, question.model_dump(mode="json")] for checker, question in items]
        made_of = [[concept.model_dump(mode="json") for concept in concepts.values()], asked]
        rows = self._do(
            "checking questions", items, check, fresh_table(self.folder, "checks", made_of),
            lambda item: f"{item[1].id} {item[0]}", self.run.checkers,
        )  # fmt: skip
        return [CheckRow.model_validate(row) for row in rows]
