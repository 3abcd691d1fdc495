"""``eyeprint run vptt``: the whole evaluation into one folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from eyeprint.cli.options import (
    BudgetOption,
    EncoderOption,
    PeopleOption,
    PriceOption,
    RunConcurrencyOption,
    RunDryRunOption,
    RunLedgerOption,
    ScoreSettingsOption,
)

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console

    from eyeprint.protocols.vptt_plan import Plan
    from eyeprint.store.dry_run import CallPlan


def register(app: typer.Typer) -> None:
    """Add the command to the group."""
    app.command("vptt")(run_vptt)


def run_vptt(
    people: PeopleOption = None,
    methods: Annotated[
        str, typer.Option(help="all, or names with commas: baseline,persona_only,brag,vprag,comb")
    ] = "all",
    tasks: Annotated[
        str,
        typer.Option(help='all, q3, q1, generation, editing, ids, or "id=Your own query".'),
    ] = "all",
    writer: Annotated[
        list[str] | None,
        typer.Option(
            help='"plain" concatenates; else a chat model: openai/gpt-4o-mini, '
            "http://HOST/v1#MODEL ... May be given several times."
        ),
    ] = None,
    encoder: EncoderOption = "auto",
    element_encoder: Annotated[
        str | None, typer.Option(help="Encoder of elements and categories, if another one.")
    ] = None,
    number: Annotated[
        int | None, typer.Option("-n", "--number", help="Only the first so many people.")
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(help="The run's folder; by default runs/vptt-<fingerprint of the settings>."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of controls and bootstraps.")] = 0,
    controls: Annotated[
        bool, typer.Option(help="Also score against a wrong person and a shuffled profile.")
    ] = True,
    method_settings: Annotated[
        str | None,
        typer.Option(
            help="TOML file of method settings, such as retrieval_temperature, word_limit."
        ),
    ] = None,
    score_settings: ScoreSettingsOption = None,
    budget: BudgetOption = None,
    price: PriceOption = "",
    concurrency: RunConcurrencyOption = None,
    ledger: RunLedgerOption = None,
    dry_run: RunDryRunOption = False,
) -> None:
    """Run the VPTT evaluation: people x tasks x methods x writers, scored and reported.

    The same command goes on where it stopped, and never pays twice for a reply.

    Example: eyeprint run vptt --people mini --tasks q3 --out run
    """
    from eyeprint.cli.progress import TerminalDisplay
    from eyeprint.cli.run_ends import print_end
    from eyeprint.methods.setting import MethodSettings
    from eyeprint.models.prices import read_price
    from eyeprint.protocols import vptt
    from eyeprint.protocols.vptt_plan import plan_vptt
    from eyeprint.scores.person_space import VpttSettings

    with TerminalDisplay() as display:
        plan = plan_vptt(
            people or ["mini"],
            methods=methods,
            tasks=tasks,
            writers=writer or ["plain"],
            encoder=encoder,
            element_encoder=element_encoder,
            n=number,
            seed=seed,
            controls=controls,
            method_settings=MethodSettings.from_toml(method_settings) if method_settings else None,
            score_settings=VpttSettings.from_toml(score_settings) if score_settings else None,
            price=read_price(price) if price else None,
            concurrency=concurrency,
            asking=not dry_run,
            display=display,
        )
        for fault in plan.people.faults[:20]:
            display.note(f"left out: {fault}")
        if dry_run:
            calls = vptt.dry_run(plan, out, ledger, display)
        else:
            end = vptt.execute(
                plan,
                out,
                budget_usd=budget,
                ledger=ledger,
                concurrency=concurrency,
                display=display,
            )
    if dry_run:
        _print_plan(plan, calls)
        return
    print_end(end, _results)
    if end.exit_code or plan.people.faults:
        raise typer.Exit(end.exit_code or 1)


def _results(console: Console, folder: Path) -> None:
    from eyeprint.report.run_folder_view import read_run
    from eyeprint.report.terminal import print_summary

    print_summary(console, read_run(folder))


def _print_plan(plan: Plan, calls: tuple[CallPlan, ...]) -> None:
    from eyeprint.cli.call_plans import print_calls
    from eyeprint.cli.run_ends import print_head
    from eyeprint.protocols.vptt_drafts import count_of

    what = f"{count_of(plan.run)} prompts for {plan.run.people_count} people"
    print_head(what, plan.run.fingerprint())
    print_calls(calls, "No chat model is asked: the plain writer costs nothing.")
