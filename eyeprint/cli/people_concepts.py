"""``eyeprint people build concepts``: pictures of people, pets, things to questions (MMPB)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from eyeprint.cli.options import (
    BudgetOption,
    BuildConcurrencyOption,
    BuildDryRunOption,
    BuildLedgerOption,
    PriceOption,
)

if TYPE_CHECKING:
    from eyeprint.models.kinds import Chat
    from eyeprint.protocols.people_concepts import ConceptsBuild
    from eyeprint.protocols.people_concepts_settings import ConceptsEnd, ConceptSettings

SHOWN = 15
OFFLINE = "offline"


def register(app: typer.Typer) -> None:
    """Add the command ``concepts`` to the group ``people build``."""
    app.command("concepts")(build_concepts)


def build_concepts(
    source: Annotated[
        str, typer.Argument(help="Folder of concepts: human/NAME/0.png ..., with queries/ in each.")
    ],
    out: Annotated[str, typer.Option(help="Data root to write; a repeated command resumes it.")],
    queries: Annotated[
        str | None,
        typer.Option(help="CSV of query pictures: path,concept[,type,group,topic,entities,target]"),
    ] = None,
    drafter: Annotated[
        str,
        typer.Option(
            help='Writes descriptions and questions: "offline" (templates, colours), or a chat '
            "model that sees pictures."
        ),
    ] = OFFLINE,
    checker: Annotated[
        list[str] | None,
        typer.Option(help="Chat model that looks for faults; give three times (two at least)."),
    ] = None,
    threshold: Annotated[
        int | None,
        typer.Option(min=1, help="Checkers that must find the same fault.", show_default="2"),
    ] = None,
    decisions: Annotated[
        list[str] | None,
        typer.Option(help="Reviewer's filled-in copy of a review/ file; give one for each."),
    ] = None,
    reviewers: Annotated[
        int, typer.Option(min=1, help="Reviewers who must have decided about a question.")
    ] = 3,
    keep_unreviewed: Annotated[
        bool,
        typer.Option(
            "--keep-unreviewed", help="With --decisions, keep faultless questions nobody reviewed."
        ),
    ] = False,
    negated: Annotated[
        float | None,
        typer.Option(
            min=0, max=1, help="Share of yes/no questions in the negative.", show_default="0.5"
        ),
    ] = None,
    negatives: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="Negative pictures of a concept; lacking ones are drawn from other concepts.",
            show_default="0",
        ),
    ] = None,
    keywords: Annotated[
        str | None, typer.Option(help="TOML table of preferences, instead of the shipped one.")
    ] = None,
    settings: Annotated[
        str | None,
        typer.Option(help="TOML file of settings of every step; flags that are given count first."),
    ] = None,
    number: Annotated[
        int | None, typer.Option("-n", "--number", min=1, help="Only the first so many concepts.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of tastes, forms and shuffles.")] = 7,
    budget: BudgetOption = None,
    price: PriceOption = "",
    ledger: BuildLedgerOption = "",
    concurrency: BuildConcurrencyOption = 16,
    dry_run: BuildDryRunOption = False,
) -> None:
    """Draft descriptions, preferences and questions, have them checked, and apply reviews.

    Example: eyeprint people build concepts pictures --out concepts
    """
    from contextlib import ExitStack

    from eyeprint.cli.call_plans import tell_use
    from eyeprint.cli.progress import TerminalDisplay
    from eyeprint.people.concept_votes import ReviewSettings
    from eyeprint.protocols.people_concepts_plan import plan_concepts

    with TerminalDisplay() as display, ExitStack() as stack:
        build = plan_concepts(
            source,
            queries=queries,
            drafter=drafter,
            checkers=tuple(checker or ()),
            keywords=keywords,
            number=number,
            seed=seed,
            settings=_settings(settings, threshold, negated, negatives),
        )
        if dry_run:
            _tell_plan(build, out, ledger, price)
            raise typer.Exit(1 if build.given.faults else 0)
        book, open_chat = None, None
        if build.given.run.drafter != OFFLINE or build.given.run.checkers:
            from pathlib import Path

            from eyeprint.models.catalog import load_chat
            from eyeprint.models.prices import read_price
            from eyeprint.records.whole_files import make_folder
            from eyeprint.store.budget import Budget
            from eyeprint.store.ledger import Ledger

            paid = read_price(price) if price else None
            limit = None if budget is None else Budget(budget)
            # A name or key that is wrong should be told before anything is made.
            for name in _models(build):
                load_chat(name, price=paid)
            if not ledger:
                make_folder(Path(out))
            place = Path(ledger) if ledger else Path(out) / "ledger.sqlite"
            kept = book = stack.enter_context(Ledger(place))

            def open_chat(name: str) -> Chat:
                chat = load_chat(name, price=paid, on_wait=display.waiting)
                return kept.wrap(chat, limit, price=paid)

        end = build.execute(
            out,
            open_chat=open_chat,
            ledger=book,
            decisions=decisions or (),
            review=ReviewSettings(reviewers=reviewers),
            reviewed_only=bool(decisions) and not keep_unreviewed,
            at_once=concurrency,
            display=display,
        )
    if book is not None:
        tell_use(book.accounts)
    _tell_end(end)
    if end.exit_code or build.given.faults:
        raise typer.Exit(end.exit_code or 1)


def _settings(
    file: str | None, threshold: int | None, negated: float | None, negatives: int | None
) -> ConceptSettings:
    """Return the file's settings, with the flags that were given in their place."""
    from eyeprint.protocols.people_concepts_settings import ConceptSettings

    base = ConceptSettings.from_toml(file) if file else ConceptSettings()
    values = base.model_dump()
    if threshold is not None:
        values["checks"]["threshold"] = threshold
    if negated is not None:
        values["items"]["negated_share"] = negated
    if negatives is not None:
        values["items"]["negatives"] = negatives
    return ConceptSettings.checked(values, where=file or "concepts")


def _models(build: ConceptsBuild) -> list[str]:
    run = build.given.run
    drafters = [] if run.drafter == OFFLINE else [run.drafter]
    return list(dict.fromkeys([*drafters, *run.checkers]))


def _tell_plan(build: ConceptsBuild, out: str, ledger_at: str, price: str) -> None:
    """Print calls, tokens and bounds of the cost, step by step; nothing is asked or made."""
    from contextlib import nullcontext
    from pathlib import Path

    from eyeprint.cli.call_plans import print_calls
    from eyeprint.models.catalog import load_chat
    from eyeprint.models.prices import read_price
    from eyeprint.protocols.people_concepts_plan import plan_concept_calls
    from eyeprint.report.words import counted
    from eyeprint.store.ledger import Ledger

    given = build.given
    concepts = counted(len(given.sources.concepts), "concept")
    typer.echo(f"{concepts}, {counted(len(given.items), 'question')} to draft")
    names = _models(build)
    place = Path(ledger_at) if ledger_at else Path(out) / "ledger.sqlite"
    paid = read_price(price) if price else None
    with Ledger(place) if place.exists() else nullcontext() as book:
        steps = plan_concept_calls(
            build,
            {name: load_chat(name, needs_key=False) for name in names},
            book,
            {} if paid is None else dict.fromkeys(names, paid),
        )
    for step in dict.fromkeys(one.step for one in steps):
        typer.echo(f"{step}:")
        print_calls(tuple(one.plan for one in steps if one.step == step), "")
    if not steps:
        typer.echo("no model is asked: no call, no cost")
    _tell_some("left out", [str(fault) for fault in given.faults])


def _tell_end(end: ConceptsEnd) -> None:
    from eyeprint.report.words import counted

    if end.stopped is not None:
        typer.echo(end.reason)
        return
    for row in end.tasks:
        told = [f"{row.planned} planned", f"{row.drafted} drafted"]
        if row.undraftable:
            told.append(f"{row.undraftable} need a model that sees pictures")
        told += [f"{n} {what}" for n, what in ((row.faulty, "faulty"), (row.flagged, "flagged"))
                 if n]  # fmt: skip
        typer.echo(f"{row.task}: {counted(row.written, 'question')} ({', '.join(told)})")
    resolved = [row for rows in end.resolved.values() for row in rows]
    if resolved:
        typer.echo(f"contradictions of tastes resolved: {len(resolved)} (report.json tells each)")
    _tell_some("contradiction in given preferences,", list(end.contradictions))
    for title, counts in (
        ("descriptions to look at", end.description_issues),
        ("drafts with faults", end.question_issues),
        ("questions flagged by models", end.flags),
        ("failed", end.failures),
    ):
        if counts:
            typer.echo(f"{title}: " + ", ".join(f"{name} {n}" for name, n in counts.items()))
    if end.single_flags:
        typer.echo(f"flags of one model alone, not forwarded: {end.single_flags}")
    if end.half_checked:
        typer.echo(f"questions that not all checkers checked: {end.half_checked}")
    if end.outcomes:
        decided: dict[str, int] = {}
        for outcome in end.outcomes:
            decided[outcome.status] = decided.get(outcome.status, 0) + 1
        told = [f"{status} {n}" for status, n in sorted(decided.items())]
        disagreed = sum(outcome.disagreed for outcome in end.outcomes)
        typer.echo(f"reviewed: {', '.join(told)}; disagreements: {disagreed}")
    if end.unreviewed:
        typer.echo(f"questions in the data that nobody has reviewed: {end.unreviewed}")
    _tell_some("note,", list(end.notes))
    _tell_some("missing,", list(end.missing))
    for line in end.details[:SHOWN]:
        typer.echo(line)
    if len(end.details) > SHOWN:
        typer.echo(f"... and {len(end.details) - SHOWN} more")
    if end.failures:
        typer.echo("the same command tries what failed again")
    total = sum(row.written for row in end.tasks)
    made = f"{counted(end.concepts, 'concept')}, {counted(total, 'question')}"
    typer.echo(f"{made}: {end.folder}")
    typer.echo(f"to review: {end.folder / 'review'}")


def _tell_some(title: str, lines: list[str]) -> None:
    for line in lines[:SHOWN]:
        typer.echo(f"{title} {line}")
    if len(lines) > SHOWN:
        typer.echo(f"... and {len(lines) - SHOWN} more")
