"""Cases of PIPBench from profiles and candidates: paint, choose, sample, caption, check.

``DIR`` becomes a data root in the released layout::

    DIR/metadata.json, profiles.jsonl    what ``eyeprint run pipbench --data DIR`` reads
    DIR/images/<person>/<n>.png          the pools, the most preferred first
    DIR/selection.csv                    all candidates in the order to show them in (P19)
    DIR/pools.jsonl                      per person: pictures, prompts, uploads, how chosen (P20)
    DIR/leaks.json                       the leakage gate's report
    DIR/build/                           the run's folder: what is done already

The same command goes on where it stopped (CHECKLIST P19, P20, P41, P42, P44, P45).
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from eyeprint.errors import DataError
from eyeprint.models.aesthetics import Aesthetics
from eyeprint.models.kinds import Chat, ImageEncoder, Painter
from eyeprint.models.loops import run_to_end
from eyeprint.models.picture_prices import is_paid
from eyeprint.people.cases import CasePool, MadeCases, PoolPicture, make_cases
from eyeprint.people.choices import Choice
from eyeprint.people.content_captions import (
    ContentCaption,
    caption_by_chat,
    caption_offline,
    count_captions,
)
from eyeprint.people.leaks import find_leaks, near_duplicates
from eyeprint.people.pools import AlikePairs, Candidate, Pool, pool_by_hand, pool_by_score
from eyeprint.protocols.display import Display, Quiet
from eyeprint.protocols.people_cases_files import (
    copy_once,
    picture_paths,
    pool_line,
    refuse_overwriting_cases,
    selection_text,
    why_failed,
    worded,
    write_selection,
)
from eyeprint.protocols.people_cases_settings import CasesEnd, CasesRun
from eyeprint.protocols.people_cases_sources import (
    PictureItem,
    PictureMaker,
    candidate_request,
    candidates_of,
)
from eyeprint.protocols.stage_tables import fresh_table, rows_of
from eyeprint.records.case_files import open_cases, write_cases
from eyeprint.records.profiles import Profile
from eyeprint.records.whole_files import write_whole
from eyeprint.store.accounts import Accounts
from eyeprint.store.budget import Budget
from eyeprint.store.dry_run import PicturePlan, PictureSum
from eyeprint.store.paid_painter import PaidPainter, paid_work, price_of_painter
from eyeprint.store.picture_files import PictureFiles
from eyeprint.store.run_folder import RunFolder, keys_of_run
from eyeprint.store.shards import FailedItem
from eyeprint.store.work import WorkSettings, WorkSummary, run_items

KIND = "cases"
BUILD = "build"


class CasesBuild:
    """One build of cases; :meth:`execute` does what is left of it.

    Args:
        run: everything that decides the result.
        items: the candidate pictures to get.
        splits: person -> split of their cases.
        profiles: person -> profile; written beside the cases, seen by no method.
        painter: paints the items that have no file.
        scorer: for ``choose`` "score".
        choices: for ``choose`` "hand".
        captioner: a chat model that sees pictures; ``None`` captions offline.
        encoder: takes part in the leak check.
    """

    def __init__(
        self,
        run: CasesRun,
        items: Sequence[PictureItem],
        splits: Mapping[str, str],
        profiles: Mapping[str, Profile] | None = None,
        *,
        painter: Painter | None = None,
        scorer: Aesthetics | None = None,
        choices: Mapping[str, Sequence[Choice]] | None = None,
        captioner: Chat | None = None,
        encoder: ImageEncoder | None = None,
    ) -> None:
        self.run, self.items, self.splits = run, tuple(items), splits
        self.profiles = dict(profiles or {})
        self.painter, self.scorer, self.choices = painter, scorer, dict(choices or {})
        self.captioner, self.encoder = captioner, encoder

    def execute(
        self,
        out: str | Path,
        *,
        at_once: int = 8,
        accounts: Accounts | None = None,
        budget: Budget | None = None,
        display: Display | None = None,
    ) -> CasesEnd:
        """Do what is left, and write the data root.

        Args:
            out: the data root.
            at_once: pictures painted, or calls made, at once.
            accounts: where pictures of a paid painter are booked: those of the captioner's
                ledger, if there is one.
            budget: limits what such pictures cost; the captioner's own, if there is one.
            display: told how far the work is.

        Raises:
            FolderBusy, FolderMismatch, CannotWrite: the folder cannot be used.
            UsageError: it holds cases that were not made here; or there is a budget, and the
                price of a picture is not known.
            DataError: not one case came of it.
        """
        root, display, started = Path(out), display or Quiet(), time.monotonic()
        if not (root / BUILD).is_dir():
            refuse_overwriting_cases(root)
        accounts = accounts if accounts is not None else Accounts()
        painter = self.painter
        if painter is not None and is_paid(painter):
            painter = PaidPainter(painter, accounts, budget)
        with RunFolder.open(root / BUILD, self.run, kind=KIND) as folder:
            try:
                return self._done(root, folder, painter, at_once, accounts, display)
            finally:
                folder.end_session(accounts, time.monotonic() - started)

    def dry_run(self, out: str | Path) -> tuple[PicturePlan, ...]:
        """Return what would be painted by a paid painter, and at most cost; nothing is done.

        The captioner's calls depend on the pictures and are not counted.
        """
        if self.painter is None or not is_paid(self.painter):
            return ()
        counted = PictureSum(self.painter.name, price_of_painter(self.painter))
        done = keys_of_run(Path(out) / BUILD, self.run, "candidates")
        for item in self.items:
            counted.add(candidate_request(self.run, item), painted=item.key in done)
        return (counted.plan(),)

    def _done(
        self,
        root: Path,
        folder: RunFolder,
        painter: Painter | None,
        at_once: int,
        accounts: Accounts,
        display: Display,
    ) -> CasesEnd:
        work, spent = WorkSettings(at_once=at_once), accounts.spent_usd
        files = PictureFiles(folder.path / "pictures")
        maker = PictureMaker(files, self.run, painter)
        display.stage("getting pictures", len(self.items))
        end = run_to_end(
            run_items(
                self.items,
                maker.make,
                folder.table("candidates"),
                key=lambda item: item.key,
                settings=paid_work(work, [painter] if painter is not None else []),
                total=len(self.items),
                on_progress=display.progress,
                spent=spent,
            )
        )
        if end.stopped is not None:
            return _stopped(root, end)
        failures = list(folder.table("candidates").failures())
        found = candidates_of(self.items, rows_of(folder.table("candidates")))
        selection = selection_text(found, files, root, self.run.seed)
        write_selection(root, folder.path, selection, display)
        pools, end = self._pools(folder, files, found, work, display)
        if end.stopped is not None:
            return _stopped(root, end)
        cases, captions, lost, end = self._cases(folder, files, pools, work, spent, display)
        if end.stopped is not None:
            return _stopped(root, end)
        failures += lost
        return self._written(root, files, pools, cases, captions, failures, display)

    def _pools(
        self,
        folder: RunFolder,
        files: PictureFiles,
        found: Mapping[str, list[Candidate]],
        work: WorkSettings,
        display: Display,
    ) -> tuple[list[tuple[Pool, AlikePairs]], WorkSummary]:
        """Choose each person's pool, in a table named by what was there to choose from."""

        async def choose(person: str) -> dict[str, Any]:
            # It computes in this thread: a Ctrl-C is heard between two people.
            await asyncio.sleep(0)
            pool = self._pool(person, found[person], files)
            pairs = self._alike(files, pool.pictures)
            return {
                "pictures": [list(picture) for picture in pool.pictures],
                "chosen_by": pool.chosen_by,
                "notes": list(pool.notes),
                "alike": sorted(pairs),
            }

        table = fresh_table(
            folder, "pools", {p: [list(c) for c in row] for p, row in found.items()}
        )
        display.stage("choosing pictures", len(found))
        end = run_to_end(
            run_items(
                list(found), choose, table, key=str, settings=WorkSettings(at_once=1),
                total=len(found), on_progress=display.progress,
            )
        )  # fmt: skip
        if end.stopped is not None:
            return [], end
        pools = []
        failed = {failure.key for failure in table.failures()}
        for person, row in zip([p for p in found if p not in failed], rows_of(table), strict=True):
            pictures = tuple(Candidate(*values) for values in row["pictures"])
            pool = Pool(person, pictures, row["chosen_by"], tuple(row["notes"]))
            pools.append((pool, frozenset((a, b) for a, b in row["alike"])))
        return pools, end

    def _pool(self, person: str, candidates: Sequence[Candidate], files: PictureFiles) -> Pool:
        settings = self.run.pool
        if self.run.choose != "score" or self.scorer is None:
            chosen = self.choices.get(person, ()) if self.run.choose == "hand" else None
            return pool_by_hand(person, candidates, chosen, settings)
        pictures = [files.get(one.source) for one in candidates]
        scores = [float(score) for score in self.scorer.scores(pictures)]
        pairs = near_duplicates(pictures)
        return pool_by_score(person, candidates, scores, lambda _: pairs, settings)

    @staticmethod
    def _alike(files: PictureFiles, pictures: Sequence[Candidate]) -> AlikePairs:
        return near_duplicates([files.get(picture.source) for picture in pictures])

    def _cases(
        self,
        folder: RunFolder,
        files: PictureFiles,
        pools: Sequence[tuple[Pool, AlikePairs]],
        work: WorkSettings,
        spent: Callable[[], float | None],
        display: Display,
    ) -> tuple[MadeCases, list[ContentCaption], list[FailedItem], WorkSummary]:
        """Sample the cases, then ask for the short prompts of their targets only."""
        wanted = [
            CasePool(
                pool.person_id,
                self.splits.get(pool.person_id, "synthetic"),
                tuple(PoolPicture(path, "") for path in picture_paths(pool)),
                pairs,
            )
            for pool, pairs in pools
        ]
        made = make_cases(wanted, self.run.case, seed=self.run.seed)
        by_path = {
            path: picture
            for pool, _ in pools
            for path, picture in zip(picture_paths(pool), pool.pictures, strict=True)
        }
        targets = {path: by_path[path] for case in made.cases if (path := case.target) is not None}

        async def caption(path: str) -> dict[str, Any]:
            return {"path": path, **(await self._caption(files, targets[path]))._asdict()}

        table = fresh_table(folder, "captions", {path: list(one) for path, one in targets.items()})
        display.stage("naming what targets show", len(targets))
        end = run_to_end(
            run_items(
                list(targets), caption, table, key=str, settings=work, total=len(targets),
                on_progress=display.progress, spent=spent,
            )
        )  # fmt: skip
        captions = {}
        for row in rows_of(table) if end.stopped is None else ():
            path = str(row.pop("path"))
            captions[path] = ContentCaption(**{**row, "style_words": tuple(row["style_words"])})
        kept = [
            case.model_copy(update={"prompt": captions[case.target].text})
            for case in made.cases
            if case.target in captions
        ]
        cases = [case.model_copy(update={"id": str(n)}) for n, case in enumerate(kept)]
        lost = list(table.failures())
        return made._replace(cases=tuple(cases)), list(captions.values()), lost, end

    async def _caption(self, files: PictureFiles, target: Candidate) -> ContentCaption:
        picture = files.get(target.source)
        if self.captioner is not None:
            return await caption_by_chat(self.captioner, picture, self.run.caption)
        return caption_offline(
            picture, target.prompt, target.subject, target.setting, self.run.caption
        )

    def _written(
        self,
        root: Path,
        files: PictureFiles,
        pools: Sequence[tuple[Pool, AlikePairs]],
        made: MadeCases,
        captions: list[ContentCaption],
        failures: Sequence[FailedItem],
        display: Display,
    ) -> CasesEnd:
        """Write the data root and check it for leaks."""
        cases = made.cases
        if not cases:
            told = "; ".join(
                [f"{person}: {why}" for person, why in list(made.skipped.items())[:3]]
                + [why_failed(failure) for failure in failures[:3]]
            )
            raise DataError(f"{root}: not one case came of the pools. {told}".rstrip())
        display.stage("writing pictures", sum(len(pool.pictures) for pool, _ in pools))
        for pool, _ in pools:
            for path, picture in zip(picture_paths(pool), pool.pictures, strict=True):
                copy_once(files, picture.source, root / path)
        write_whole(root / "pools.jsonl", (pool_line(pool) for pool, _ in pools))
        people = list(dict.fromkeys(case.person_id for case in cases))
        write_cases(root, cases, [worded(self.profiles[p]) for p in people if p in self.profiles])
        opened = open_cases(root)
        display.stage("looking for leaks", len(opened.picture_paths))
        report = find_leaks(
            opened, encoder=self.encoder, progress=lambda done, _: display.advance(done)
        )
        write_whole(root / "leaks.json", [report.model_dump_json(indent=1).encode(), b"\n"])
        there = {pool.person_id for pool, _ in pools}
        missing = [item.person for item in self.items if item.person not in there]
        skipped = {**dict.fromkeys(missing, "no picture could be had"), **made.skipped}
        notes = [f"{pool.person_id}: {note}" for pool, _ in pools for note in pool.notes]
        return CasesEnd(
            root, made.counts, dict(Counter(failure.kind for failure in failures)),
            tuple(map(why_failed, failures)), skipped, made.short, tuple(notes),
            count_captions(captions), report,
        )  # fmt: skip


def _stopped(root: Path, end: WorkSummary) -> CasesEnd:
    return CasesEnd(root, failures=end.failures, stopped=end.stopped, reason=end.reason)
