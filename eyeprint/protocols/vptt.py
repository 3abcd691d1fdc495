"""VPTT end to end in text: people × tasks × methods × writers → prompts → scores → report.

A run lives in one folder. Killed at any moment, the same command goes on: drafts that
were written are kept, replies that were paid for are in the ledger, scores are computed
person by person from the drafts alone. Results are equal byte for byte however often it was
interrupted (CHECKLIST V9, V78, V79, X10, X17).
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from eyeprint.errors import UsageError
from eyeprint.methods.setting import MethodSettings
from eyeprint.models.decoding import decoding_for
from eyeprint.models.kinds import ChatRequest, TextEncoder
from eyeprint.models.loops import run_to_end
from eyeprint.protocols.display import Display, Quiet
from eyeprint.protocols.people_matrix import PeopleMatrix
from eyeprint.protocols.run_digests import digest_of, remove_other_tables, still_whole
from eyeprint.protocols.vptt_drafts import Drafter, count_of, drafts_with_failures, items_of
from eyeprint.protocols.vptt_plan import Plan, plan_vptt
from eyeprint.protocols.vptt_scoring import Scorer, by_person
from eyeprint.protocols.vptt_summary import counts_of, read_rows, tables_of
from eyeprint.records.files import People
from eyeprint.records.whole_files import telling_what_failed, write_whole
from eyeprint.records.work import Draft
from eyeprint.report.write import write_report
from eyeprint.scores.person_space import VpttSettings
from eyeprint.store.budget import Budget
from eyeprint.store.dry_run import CallPlan, plan_calls
from eyeprint.store.embeddings import Prepared
from eyeprint.store.run_folder import RunFolder
from eyeprint.store.work import WorkSettings, WorkSummary, run_items

KIND = "vptt"
MADE_OF = ("results.jsonl", "people.jsonl")
"""Files that a report reads beside ``summary.json``, which holds their digests."""


class RunEnd(NamedTuple):
    """How a run ended."""

    folder: Path
    failed: int
    """Prompts that could not be written; the next run tries them again."""
    failures: dict[str, int]
    stopped: str | None
    """``budget`` or ``interrupted`` when it stopped before the end, and no report was made."""
    reason: str

    @property
    def exit_code(self) -> int:
        """0 done; 1 finished with failures or stopped at the budget; 130 interrupted."""
        if self.stopped == "interrupted":
            return 130
        return 1 if self.failed or self.stopped else 0


def run_vptt(
    people: str | Path | People | Sequence[str | Path] = "mini",
    *,
    methods: str = "all",
    tasks: str = "all",
    writers: Sequence[str] = ("plain",),
    encoder: str | TextEncoder = "auto",
    n: int | None = None,
    out: str | Path | None = None,
    seed: int = 0,
    method_settings: MethodSettings | None = None,
    score_settings: VpttSettings | None = None,
    budget_usd: float | None = None,
    ledger: str | None = None,
) -> Path:
    """Run the VPTT evaluation and return its folder, with ``report.html`` in it.

    The same call goes on where an earlier one stopped. See ``eyeprint run vptt --help`` for
    what the arguments mean, and :func:`plan_vptt` and :func:`execute` for more control.

    Raises:
        UsageError, DataError, ModelError, StoreError: see :mod:`eyeprint.errors`.
    """
    plan = plan_vptt(
        people,
        methods=methods,
        tasks=tasks,
        writers=writers,
        encoder=encoder,
        n=n,
        seed=seed,
        method_settings=method_settings,
        score_settings=score_settings,
    )
    return execute(plan, out, budget_usd=budget_usd, ledger=ledger).folder


def execute(
    plan: Plan,
    out: str | Path | None = None,
    *,
    budget_usd: float | None = None,
    ledger: str | None = None,
    concurrency: int | None = None,
    display: Display | None = None,
) -> RunEnd:
    """Do what is left of a planned run, then write its tables and report.

    Raises:
        FolderBusy, FolderMismatch, CannotWrite: the folder cannot be used.
    """
    display = display or Quiet()
    folder = plan.folder(out)
    started = time.monotonic()
    # What can be wrong is found before the people are embedded, which may take an hour.
    budget = Budget(budget_usd) if budget_usd is not None else None
    with RunFolder.open(folder, plan.run, kind=KIND) as run:
        with plan.ledger(folder, ledger) as book:
            prepared = _prepare(plan, display)
            drafter = Drafter(plan.run, plan.people, plan.models(), {})
            drafter.chats = {
                name: book.wrap(chat, budget, price=plan.price) for name, chat in plan.chats.items()
            }
            # Half as many items more than calls: the line to the server stays busy while other
            # items' replies are being kept.
            at_once = {} if concurrency is None else {"at_once": max(1, concurrency * 3 // 2)}
            work = WorkSettings(**at_once)
            display.stage("writing prompts", count_of(plan.run))
            end = run_to_end(
                run_items(
                    items_of(plan.run, plan.people.ids),
                    drafter.draft,
                    run.table("drafts"),
                    key=lambda item: item.key,
                    settings=work,
                    total=count_of(plan.run),
                    on_progress=display.progress,
                    spent=book.accounts.spent_usd,
                )
            )
            run.end_session(book.accounts, time.monotonic() - started)
        run.log("drafts", done=end.done, failed=end.failed, skipped=end.skipped)
        if end.stopped is not None:
            return RunEnd(folder, end.failed, end.failures, end.stopped, end.reason)
        _score_and_report(plan, run, prepared, display)
        run.log("finished", seconds=round(time.monotonic() - started, 3))
        return _end(folder, run, end)


def _end(folder: Path, run: RunFolder, end: WorkSummary) -> RunEnd:
    failures = run.table("drafts").failures()
    kinds: dict[str, int] = {}
    for failure in failures:
        kinds[failure.kind] = kinds.get(failure.kind, 0) + 1
    return RunEnd(folder, len(failures), kinds, None, end.reason)


def dry_run(
    plan: Plan,
    out: str | Path | None = None,
    ledger: str | None = None,
    display: Display | None = None,
) -> tuple[CallPlan, ...]:
    """Return what a run would ask of each model, and at most cost; nothing is asked or written.

    Vectors of the people are computed, for the requests depend on what is retrieved.
    """
    display = display or Quiet()
    if not plan.chats:
        return ()
    _prepare(plan, display)
    drafter = Drafter(plan.run, plan.people, plan.models(), plan.chats)
    folder = plan.folder(out)
    display.stage("counting calls", count_of(plan.run))

    def asked() -> Iterator[tuple[Any, ChatRequest]]:
        for done, item in enumerate(items_of(plan.run, plan.people.ids), start=1):
            request = drafter.request(item)
            if request is not None:
                yield plan.chats[item.writer], request
            display.advance(done)

    prices = dict.fromkeys(plan.chats, plan.price) if plan.price is not None else None
    place = str(plan.ledger_place(folder, ledger))
    # A ledger that is not there yet answers nothing, and must not be made.
    if "://" not in place and not Path(place).exists():
        return plan_calls(asked(), None, prices)
    with plan.ledger(folder, ledger) as book:
        return plan_calls(asked(), book, prices)


def _prepare(plan: Plan, display: Display) -> Prepared:
    display.stage(f"embedding people with {plan.encoder.name}", len(plan.people))
    prepared = plan.shelf.prepare(
        plan.people, display.advance, plan.needs_elements and plan.element_shelf is plan.shelf
    )
    if plan.element_shelf is not plan.shelf and plan.needs_elements:
        plan.element_shelf.prepare(plan.people, display.advance, True)
    for note in dict.fromkeys((plan.note, prepared.note)):
        if note:
            display.note(note)
    return prepared


def _score_and_report(plan: Plan, run: RunFolder, prepared: Prepared, display: Display) -> None:
    drafts = run.table("drafts")
    digest = digest_of(drafts.merged_path, drafts.failures_path)
    summary_path = run.path / "summary.json"
    if still_whole(run.path, digest, MADE_OF):
        write_report(run.path)
        return
    # Scores belong to these very drafts: when a failed one has been written since, the
    # table has another name, and the old one goes.
    name = f"scores-{digest[:12]}"
    remove_other_tables(run.path, "scores-", name)
    with PeopleMatrix(run.path / "vectors.tmp", plan.encoder.dim) as matrix:
        matrix.fill(plan.people, plan.shelf.of)
        scorer = Scorer(plan.run, plan.encoder, matrix, plan.people.ids)

        async def score(item: tuple[str, list[Draft]]) -> dict[str, Any]:
            return scorer.scored(plan.people[item[0]], item[1])

        display.stage("scoring", len(plan.people))
        end = run_to_end(
            run_items(
                by_person(drafts_with_failures(plan.run, plan.people.ids, drafts)),
                score,
                run.table(name),
                key=lambda item: item[0],
                settings=WorkSettings(at_once=1, shard_rows=64),
                total=len(plan.people),
                on_progress=display.progress,
            )
        )
    if end.stopped is not None:
        raise KeyboardInterrupt
    if end.failed:
        failure = run.table(name).failures()[0]
        raise UsageError(f"person '{failure.key}' could not be scored: {failure.detail}")
    display.stage("making tables", None)
    prompts_cut = _flatten(run.table(name).merged_path, run.path / "results.jsonl")
    _write_people(plan.people, run.path / "people.jsonl")
    summary = _summary(plan, run.path / "results.jsonl", prepared, prompts_cut)
    summary["made_from"] = digest
    summary["digests"] = {name: digest_of(run.path / name) for name in MADE_OF}
    text = json.dumps(summary, ensure_ascii=False, indent=1, allow_nan=False)
    write_whole(summary_path, [text.encode("utf-8", "surrogatepass"), b"\n"])
    remove_other_tables(run.path, "scores-", None)
    write_report(run.path)


def _flatten(scores: Path, results: Path) -> int:
    """Write one line per prompt; return how many prompts the encoder cut."""
    cut = 0

    def lines() -> Iterator[bytes]:
        nonlocal cut
        with scores.open(encoding="utf-8") as records:
            for record in records:
                value = json.loads(record)
                cut += value["prompts_cut"]
                for row in value["rows"]:
                    yield json.dumps(row, ensure_ascii=False).encode() + b"\n"

    write_whole(results, lines())
    return cut


def _write_people(people: People, path: Path) -> None:
    def lines() -> Iterator[bytes]:
        for person in people:
            brief = {
                "id": person.id,
                "summary": person.summary,
                "demographics": person.demographics.model_dump(mode="json", exclude_unset=True),
                "preferences": list(person.preferences),
            }
            yield json.dumps(brief, ensure_ascii=False).encode("utf-8", "replace") + b"\n"

    with telling_what_failed(path):
        write_whole(path, lines())


def _summary(plan: Plan, results: Path, prepared: Prepared, prompts_cut: int) -> dict[str, Any]:
    tables = tables_of(plan.run, read_rows(results))
    notes = [note for note in (plan.note, getattr(plan.encoder, "agreement", "")) if note]
    return {
        "tables": [table.model_dump(mode="json") for table in tables],
        "encoder": {
            "name": plan.encoder.name,
            "fingerprint": plan.encoder.fingerprint,
            "cut": {
                "captions and descriptions": prepared.cut_texts,
                "prompts": prompts_cut,
            },
            "notes": notes,
        },
        "counts": counts_of(read_rows(results)),
        "decoding_gaps": {name: list(decoding_for(name).gaps) for name in plan.chats},
        "people": {
            "count": len(plan.people),
            "faults": [str(fault) for fault in plan.people.faults[:200]],
        },
    }
