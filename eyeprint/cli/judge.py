"""``eyeprint judge pairs``: pictures of a run against each other, by judges who take a part."""

from __future__ import annotations

from typing import Annotated

import typer

from eyeprint.cli.options import (
    BudgetOption,
    PriceOption,
    RunConcurrencyOption,
    RunDryRunOption,
    RunLedgerOption,
)


def register(app: typer.Typer) -> None:
    """Add the command to the group."""
    app.command("pairs")(judge_pairs)


def judge_pairs(
    run: Annotated[str, typer.Argument(help="Folder of a finished `eyeprint run pipbench`.")],
    judge: Annotated[
        list[str] | None,
        typer.Option(
            help='"offline" (palette, light and layout against the profile), or a chat model that '
            "sees pictures. May be given several times."
        ),
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(help="Only these models, by their labels in the report; all by default."),
    ] = None,
    order: Annotated[
        str, typer.Option(help="drawn: one order for each pair; both: each pair twice.")
    ] = "drawn",
    share: Annotated[
        float, typer.Option(help="Share of the cases that are compared; about 1/6 as published.")
    ] = 1 / 6,
    split: Annotated[
        list[str] | None,
        typer.Option(help="Only this split; by default real where there is one, else all."),
    ] = None,
    threshold: Annotated[
        float, typer.Option(help="A verdict of less confidence counts as a tie.")
    ] = 0.70,
    tie_at_threshold: Annotated[
        bool, typer.Option(help="Exactly the threshold is a tie too, as in the released code.")
    ] = False,
    show_references: Annotated[
        bool, typer.Option(help="Also show the person's references to the judges.")
    ] = False,
    uncertified: Annotated[
        bool, typer.Option(help="Ask judges that fail their certificate all the same.")
    ] = False,
    profiles: Annotated[
        str | None, typer.Option(help="Profiles of the people, where the data had none.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of drawn cases, orders and bootstraps.")] = 0,
    budget: BudgetOption = None,
    price: PriceOption = "",
    concurrency: RunConcurrencyOption = None,
    ledger: RunLedgerOption = None,
    dry_run: RunDryRunOption = False,
) -> None:
    """Judge pairs of pictures as the person would, and rate the models.

    Every judge is certified first: identical pictures, both orders, longer requests, words
    planted in a picture. One that fails is not asked. The same command goes on where it
    stopped; ratings appear in the run's report.

    Example: eyeprint judge pairs demo/pipbench --judge offline --share 1
    """
    from eyeprint.cli.call_plans import print_calls
    from eyeprint.cli.progress import TerminalDisplay
    from eyeprint.models.prices import read_price
    from eyeprint.protocols import judging
    from eyeprint.protocols.judging_plan import plan_judging, told
    from eyeprint.records.tie_rule import TieRule
    from eyeprint.scores.pair_judge import PairJudgeSettings

    with TerminalDisplay() as display:
        plan = plan_judging(
            run,
            judge or ["offline"],
            models=model or (),
            profiles=profiles,
            splits=split,
            share=share,
            judging=PairJudgeSettings.checked(
                {
                    "order": order,
                    "show_references": show_references,
                    "ties": TieRule.checked(
                        {"threshold": threshold, "tie_at_threshold": tie_at_threshold},
                        "--threshold",
                    ),
                },
                "--order",
            ),
            uncertified=uncertified,
            seed=seed,
            price=read_price(price) if price else None,
            concurrency=concurrency,
            asking=not dry_run,
            display=display,
        )
        display.note(told(plan))
        for note in plan.notes:
            display.note(note)
        if dry_run:
            calls = judging.dry_run(plan, ledger)
            print_calls(calls, "No chat model is asked: the offline judge costs nothing.")
            return
        end = judging.judge_pairs(
            plan, budget_usd=budget, ledger=ledger, concurrency=concurrency, display=display
        )
    _print_end(end, run)
    if end.exit_code:
        raise typer.Exit(end.exit_code)


def _print_end(end: object, run: str) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from eyeprint.protocols.judging import JudgingEnd

    if not isinstance(end, JudgingEnd):
        raise TypeError(f"not the end of a judging: {end!r}")
    console = Console()
    for certificate in end.certificates:
        state = "passes" if certificate.passed else "fails"
        console.print(f"{certificate.judge} {state} its certificate:", markup=False)
        for probe in certificate.probes:
            share = "-" if probe.share is None else f"{100 * probe.share:.0f} %"
            mark = "ok  " if probe.passed else "FAIL"
            console.print(f"  {mark} {probe.name}: {share} ({probe.detail})", markup=False)
    if end.arena is None:
        console.print(end.reason or "Nothing was judged.", style="yellow", markup=False)
        return
    table = Table("model", "rating", "95 % interval", "rank", "win", "tie", "loss")
    for row in end.arena.models:
        table.add_row(
            escape(row.model),
            f"{row.rating:.0f}",
            f"{row.low:.0f} to {row.high:.0f}",
            str(row.rank) if row.rank_low == row.rank_high else f"{row.rank_low}-{row.rank_high}",
            str(row.wins),
            str(row.ties),
            str(row.losses),
        )
    console.print(table)
    for note in end.arena.notes:
        console.print(note, markup=False)
    console.print(f"verdicts: {end.folder / 'verdicts.jsonl'}", markup=False, soft_wrap=True)
    console.print(f"report: {run}/report.html", markup=False, soft_wrap=True)
