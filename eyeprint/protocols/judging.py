"""Pairs of a run's pictures before judges: certificate, verdicts, ratings (P50–P58).

The judging lives in ``RUN/judged/<fingerprint>/``: killed at any moment, the same command
goes on. Calls go through a ledger: a verdict that was paid for is not asked again.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from eyeprint.errors import CallFailed, DataError
from eyeprint.models.kinds import Chat, ChatRequest
from eyeprint.models.loops import run_to_end
from eyeprint.protocols.display import Display, Quiet
from eyeprint.protocols.judging_plan import JudgingPlan
from eyeprint.protocols.pipbench import PICTURES
from eyeprint.protocols.pipbench_album import Album
from eyeprint.protocols.pipbench_summary import image_rows, read_rows
from eyeprint.randomness import stream
from eyeprint.records.json_text import json_line, parse_json
from eyeprint.records.pictures import Picture
from eyeprint.records.verdict_files import write_comparisons, write_verdicts
from eyeprint.records.verdicts import Comparison, Verdict
from eyeprint.records.whole_files import write_whole
from eyeprint.report.write import write_report
from eyeprint.scores.arena import ArenaResult, ArenaSettings, arena
from eyeprint.scores.image_table import ImageTableSettings, image_tables
from eyeprint.scores.judge_certificate import Certificate, certify, probe_questions
from eyeprint.scores.pair_judge import (
    ChatJudge,
    PairQuestion,
    flip_of,
    no_verdict,
    pair_request,
    verdict_of,
)
from eyeprint.store.budget import Budget
from eyeprint.store.dry_run import CallPlan, plan_calls
from eyeprint.store.ledger import Ledger
from eyeprint.store.picture_files import PictureFiles
from eyeprint.store.run_folder import MANIFEST, RunFolder
from eyeprint.store.work import WorkSettings, run_items

KIND = "judging"


class Asked(NamedTuple):
    """One question to one judge, in one order."""

    judge: str
    comparison: Comparison
    flipped: bool

    @property
    def key(self) -> str:
        """The item's name in the judging's folder."""
        return json.dumps([self.judge, self.comparison.id, self.flipped])


class JudgingEnd(NamedTuple):
    """How a judging ended."""

    folder: Path
    certificates: tuple[Certificate, ...]
    arena: ArenaResult | None
    """``None`` when it stopped early, or when nothing could be rated."""
    failed: int
    stopped: str | None
    reason: str

    @property
    def exit_code(self) -> int:
        """0 done; 1 with failures, failed certificates or no ratings; 130 interrupted."""
        if self.stopped == "interrupted":
            return 130
        uncertain = any(not each.passed for each in self.certificates)
        return 1 if self.failed or self.stopped or uncertain or self.arena is None else 0


def judge_pairs(
    plan: JudgingPlan,
    *,
    budget_usd: float | None = None,
    ledger: str | None = None,
    concurrency: int | None = None,
    display: Display | None = None,
) -> JudgingEnd:
    """Certify the judges, ask them, and rate the models; the run's report is written anew.

    Raises:
        FolderBusy, CannotWrite: the folder cannot be used.
        DataError: a picture of the run is missing or damaged.
    """
    display = display or Quiet()
    started = time.monotonic()
    budget = Budget(budget_usd) if budget_usd is not None else None
    bench = _Bench(plan)
    place = _ledger_place(plan, ledger)
    with RunFolder.open(plan.place, plan.run, kind=KIND) as run, Ledger(place) as book:
        write_comparisons(plan.arena.comparisons, run.path / "comparisons.jsonl")
        for name, chat in plan.chats.items():
            wrapped = book.wrap(chat, budget, price=plan.price)
            plan.judges[name] = ChatJudge(wrapped, plan.run.judging)
        display.stage("certifying judges", None)
        certificates = tuple(run_to_end(_certify(plan, bench)))
        lines = (json_line(each.model_dump(mode="json")) for each in certificates)
        write_whole(run.path / "certificates.jsonl", lines)
        passed = [
            name
            for name, each in zip(plan.judges, certificates, strict=True)
            if each.passed or plan.run.uncertified
        ]
        for each in certificates:
            if not each.passed:
                failed = ", ".join(each.failed())
                asked = "is asked all the same" if plan.run.uncertified else "is not asked"
                display.note(f"{each.judge} fails its certificate ({failed}) and {asked}.")
        items = list(bench.items(tuple(passed)))
        display.stage("judging", len(items))
        at_once = {} if concurrency is None else {"at_once": max(1, concurrency * 3 // 2)}
        end = run_to_end(
            run_items(
                items,
                bench.verdict,
                run.table("asked"),
                key=lambda item: item.key,
                settings=WorkSettings(**at_once) if plan.chats else WorkSettings(at_once=1),
                total=len(items),
                on_progress=display.progress,
                spent=book.accounts.spent_usd,
            )
        )
        run.end_session(book.accounts, time.monotonic() - started)
        if end.stopped is not None:
            return JudgingEnd(run.path, certificates, None, end.failed, end.stopped, end.reason)
        verdicts = list(bench.all_verdicts(run, items))
        write_verdicts(verdicts, run.path / "verdicts.jsonl")
        found, reason = _rate(plan, verdicts)
        if not passed:
            reason = (
                "No judge passed its certificate, so none was asked and nothing is rated. Take "
                "another judge, or ask all the same with --uncertified."
            )
        if found is not None:
            text = found.model_dump_json(indent=1)
            write_whole(run.path / "arena.json", [text.encode(), b"\n"])
        run.log("judged", verdicts=len(verdicts), rated=found is not None)
    write_report(plan.folder)
    failed_calls = sum(verdict.outcome == "failed" for verdict in verdicts)
    return JudgingEnd(plan.place, certificates, found, failed_calls, None, reason)


def dry_run(plan: JudgingPlan, ledger: str | None = None) -> tuple[CallPlan, ...]:
    """Return what a judging would ask of each chat model, and at most cost; nothing is asked.

    Certificates are in the count; calls that a certificate shares with the judging count once.
    """
    place = str(_ledger_place(plan, ledger))
    prices = dict.fromkeys(plan.chats, plan.price) if plan.price is not None else None
    # A ledger that is not there yet answers nothing, and must not be made.
    if "://" not in place and not Path(place).exists():
        return plan_calls(_planned(plan), None, prices)
    with Ledger(place) as book:
        return plan_calls(_planned(plan), book, prices)


def _planned(plan: JudgingPlan) -> Iterator[tuple[Chat, ChatRequest]]:
    bench = _Bench(plan)
    samples = bench.samples(plan.run.certificate.pairs) if plan.chats else []
    for name, chat in plan.chats.items():
        for _, question in probe_questions(samples, plan.run.certificate):
            yield chat, pair_request(question, plan.run.judging)
        for item in bench.items((name,)):
            question = bench.question(item.comparison, item.flipped)
            yield chat, pair_request(question, plan.run.judging)


def _ledger_place(plan: JudgingPlan, ledger: str | None) -> str | Path:
    return ledger or os.environ.get("EYEPRINT_LEDGER") or plan.folder / "ledger.sqlite"


async def _certify(plan: JudgingPlan, bench: _Bench) -> list[Certificate]:
    samples = bench.samples(plan.run.certificate.pairs)
    return [await certify(judge, samples, plan.run.certificate) for judge in plan.judges.values()]


def _rate(plan: JudgingPlan, verdicts: list[Verdict]) -> tuple[ArenaResult | None, str]:
    ties = plan.run.judging.ties
    settings = ArenaSettings(
        threshold=ties.threshold, tie_at_threshold=ties.tie_at_threshold, seed=plan.run.seed
    )
    models = sorted({m for pair in plan.arena.comparisons for m in (pair.model_a, pair.model_b)})
    try:
        return (
            arena(verdicts, settings, models=models, metrics=_metrics(plan, models)),
            "",
        )
    except DataError as error:
        return None, f"Nothing could be rated: {error}"


def _metrics(plan: JudgingPlan, models: list[str]) -> dict[str, dict[str, float | None]]:
    """Return the means of the run's columns over the splits that were judged (P58)."""
    wanted = set(plan.arena.settings.splits)
    rows = [
        row
        for row in image_rows(read_rows(plan.folder / "results.jsonl"))
        if row.model in models and (not wanted or row.split in wanted)
    ]
    tables = image_tables(rows, by=(), settings=_table_settings(plan.folder))
    return tables[0].means() if tables else {}


def _table_settings(folder: Path) -> ImageTableSettings:
    """Return how the run's own tables are made: by the estimator that it was given.

    Raises:
        DataError: the run's manifest does not say.
    """
    try:
        manifest = parse_json((folder / MANIFEST).read_bytes())
        own = ImageTableSettings.model_validate(manifest["settings"]["score"]["tables"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataError(
            f"{folder / MANIFEST} does not say how the run's tables are made ({error}). Copy the "
            "run's folder again, or run its command again."
        ) from error
    # Means alone are wanted, no intervals.
    return own.model_copy(update={"draws": 1})


class _Bench:
    """Opens what judges are shown, and asks them."""

    def __init__(self, plan: JudgingPlan) -> None:
        self.plan = plan
        self.files = PictureFiles(plan.folder / PICTURES)
        self.album = Album(plan.data) if plan.data is not None else None

    def items(self, judges: tuple[str, ...]) -> Iterator[Asked]:
        """Yield all questions, judge by judge, always in the same order."""
        both = self.plan.run.judging.order == "both"
        for judge in judges:
            for pair in self.plan.arena.comparisons:
                orders = (False, True) if both else (flip_of(pair.id, judge, self.plan.run.seed),)
                for flipped in orders:
                    yield Asked(judge, pair, flipped)

    def question(self, pair: Comparison, flipped: bool) -> PairQuestion:
        """Return a comparison with its pictures, in the order in which they are shown."""
        shown = [self._open(sha) for sha in (pair.picture_a, pair.picture_b)]
        first, second = reversed(shown) if flipped else shown
        references: tuple[Picture, ...] = ()
        if self.album is not None:
            references = self.album.references(self.album.cases[pair.case_id])
        return PairQuestion(
            comparison=pair,
            first=first,
            second=second,
            flipped=flipped,
            profile_text=self.plan.texts[pair.person_id],
            priors=self.plan.priors.get(pair.person_id),
            references=references,
        )

    def _open(self, sha: str) -> Picture:
        return self.files.get(sha)

    def samples(self, count: int) -> list[PairQuestion]:
        """Return questions to probe judges with: pairs of different pictures, drawn."""
        pairs = [pair for pair in self.plan.arena.comparisons if pair.picture_a != pair.picture_b]
        drawn = stream(self.plan.run.seed, "certificate", "pairs").sample(
            pairs or list(self.plan.arena.comparisons), count
        )
        return [self.question(pair, False) for pair in drawn]

    async def verdict(self, item: Asked) -> Verdict:
        """Ask one judge once.

        Raises:
            CallFailed: the call failed for good; the next session tries it again.
        """
        question = self.question(item.comparison, item.flipped)
        verdict = await verdict_of(self.plan.judges[item.judge], question)
        if verdict.outcome == "failed":
            raise CallFailed("failed", verdict.detail or "the call failed")
        return verdict

    def all_verdicts(self, run: RunFolder, items: list[Asked]) -> Iterator[Verdict]:
        """Yield a verdict for every question, in order; failed calls have one without a choice."""
        table = run.table("asked")
        failures = {failure.key: failure for failure in table.failures()}
        with table.merged_path.open(encoding="utf-8") as lines:
            for item in items:
                failure = failures.get(item.key)
                if failure is None:
                    yield Verdict.model_validate_json(next(lines))
                    continue
                name = self.plan.judges[item.judge].name
                yield no_verdict(item.comparison, item.flipped, name, "failed", failure.detail)
