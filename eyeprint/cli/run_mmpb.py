"""``eyeprint run mmpb``: concepts before vision-language models, in any grid of settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from eyeprint.cli.options import (
    BudgetOption,
    PriceOption,
    RunConcurrencyOption,
    RunDryRunOption,
    RunLedgerOption,
    read_named,
)

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console

    from eyeprint.protocols.mmpb_plan import MmpbPlan


def register(app: typer.Typer) -> None:
    """Add the command to the group."""
    app.command("mmpb")(run_mmpb)


def run_mmpb(
    data: Annotated[
        str,
        typer.Option(
            help="toybox or toybox:CONCEPTS:QUESTIONS (drawn here), hub (the released data), a "
            "data root, or Parquet files."
        ),
    ] = "toybox",
    model: Annotated[
        list[str] | None,
        typer.Option(
            help="nearest (offline), openai/MODEL, http://HOST/v1#MODEL, local/PATH, "
            "inspect/PROVIDER/MODEL. May be given several times."
        ),
    ] = None,
    inject: Annotated[
        str, typer.Option(help="text:simple|moderate|detailed|extended, image:1 to image:5, none.")
    ] = "text:moderate,image:2",
    turns: Annotated[str, typer.Option(help="Turns of dialogue, 0 to 100.")] = "0,10",
    dialogue: Annotated[str, typer.Option(help="general, recognition, preference.")] = "general",
    position: Annotated[
        str, typer.Option(help="Turns before the injection: start, end, or numbers.")
    ] = "start",
    concepts: Annotated[
        str, typer.Option(help="Injected concepts, 1 to 50, the target in the middle.")
    ] = "1",
    distractors: Annotated[
        str, typer.Option(help="Which other concepts: random, same_kind.")
    ] = "random",
    prompting: Annotated[
        str,
        typer.Option(help="zero_shot, zero_shot_cot, reminder, few_shot, few_shot_cot, or all."),
    ] = "zero_shot",
    form: Annotated[str, typer.Option(help="choice (options shown), open (free answers).")] = (
        "choice"
    ),
    blind: Annotated[bool, typer.Option("--blind", help="Also with black query pictures.")] = False,
    controls: Annotated[
        str,
        typer.Option(
            help="Same questions with no concept, a wrong one, a shuffled one; '' is none."
        ),
    ] = "none,wrong,shuffled",
    category: Annotated[
        str, typer.Option(help="Only these: human, animal, object, character.")
    ] = "",
    type: Annotated[
        str, typer.Option(help="Only these: awareness, appropriateness, coherency.")
    ] = "",
    group: Annotated[str, typer.Option(help="Only these: recognition, preference.")] = "",
    only: Annotated[
        list[str] | None, typer.Option(help="Only this concept, by its name. May be repeated.")
    ] = None,
    mini: Annotated[
        bool, typer.Option("--mini", help="Five drawn concepts, as people were asked about.")
    ] = False,
    number: Annotated[
        int | None,
        typer.Option("-n", "--number", min=1, help="So many questions, spread over the tasks."),
    ] = None,
    revision: Annotated[
        str | None, typer.Option(help="Commit of the released data, with --data hub.")
    ] = None,
    labels: Annotated[
        str | None,
        typer.Option(help="How answers are labelled: letters, text, from_zero, from_one."),
    ] = None,
    unpack_to: Annotated[
        str | None, typer.Option(help="Where pictures of Parquet files are unpacked.")
    ] = None,
    answers: Annotated[
        list[str] | None,
        typer.Option(
            help="NAME=FILE of answers made elsewhere (CSV or JSONL: index, prediction). May be "
            "repeated."
        ),
    ] = None,
    answers_in: Annotated[
        str,
        typer.Option(help="Label of the setting they were given in; else the first plain one."),
    ] = "",
    dialogues: Annotated[
        str | None, typer.Option(help="File of dialogues of your own, for the general ones.")
    ] = None,
    talk: Annotated[
        str, typer.Option(help="Which dialogue comes first: same, or by_concept (drawn).")
    ] = "same",
    strip: Annotated[
        bool,
        typer.Option(
            "--strip/--no-strip", help="Pass over turns that speak of the question's concept."
        ),
    ] = True,
    grader: Annotated[
        str, typer.Option(help="Who reads free answers: offline, or a chat model.")
    ] = "offline",
    facts: Annotated[
        str | None,
        typer.Option(help="CSV of models: rank or benchmark columns, access, size_b, human."),
    ] = None,
    instruction: Annotated[
        str, typer.Option(help="none, as released; short: 'Answer with the letter ...'.")
    ] = "none",
    temperature: Annotated[
        float | None, typer.Option(help="Of the models; they have their own with -1.")
    ] = 0.0,
    top_p: Annotated[float | None, typer.Option(help="Nucleus sampling of the models.")] = None,
    max_tokens: Annotated[int, typer.Option(min=1, help="Most tokens of a reply.")] = 1024,
    model_seed: Annotated[int | None, typer.Option(help="Seed that models are sent.")] = None,
    max_side: Annotated[int, typer.Option(min=16, help="Longest side of pictures sent.")] = 1024,
    injection_settings: Annotated[
        str | None,
        typer.Option(help="TOML file: order, numbering, draw, target_place."),
    ] = None,
    out: Annotated[
        str | None, typer.Option(help="The run's folder; by default runs/mmpb-<fingerprint>.")
    ] = None,
    seed: Annotated[
        int, typer.Option(help="Seed of distractors, controls, bootstraps, and of a toybox.")
    ] = 0,
    bootstraps: Annotated[int, typer.Option(min=100, help="Resamples of intervals.")] = 2000,
    budget: BudgetOption = None,
    price: PriceOption = "",
    concurrency: RunConcurrencyOption = None,
    ledger: RunLedgerOption = None,
    dry_run: RunDryRunOption = False,
) -> None:
    """Run MMPB: concepts are injected, a dialogue follows, then questions about pictures.

    Lists are separated by commas; every combination is a setting. The same command goes on
    where it stopped.

    Example: eyeprint run mmpb --data toybox --model nearest --out demo/mmpb
    """
    from pathlib import Path

    from eyeprint.cli.progress import TerminalDisplay
    from eyeprint.cli.run_ends import print_end
    from eyeprint.methods.injection import InjectionSettings
    from eyeprint.models.prices import read_price
    from eyeprint.protocols import mmpb, mmpb_dry_run
    from eyeprint.protocols.mmpb_data import Chosen
    from eyeprint.protocols.mmpb_grid_words import read_grid
    from eyeprint.protocols.mmpb_plan import plan_mmpb
    from eyeprint.report.mmpb_terminal import print_mmpb

    def words(text: str) -> tuple[str, ...]:
        return tuple(part.strip().lower() for part in text.split(",") if part.strip())

    grid = read_grid(
        inject=inject,
        turns=turns,
        dialogue=dialogue,
        position=position,
        concepts=concepts,
        distractors=distractors,
        prompting=prompting,
        form=form,
        blind=blind,
        controls=controls,
    )
    with TerminalDisplay() as display:
        plan = plan_mmpb(
            data,
            model or (["nearest"] if not answers else []),
            grid=grid,
            chosen=Chosen.checked(
                {
                    "categories": words(category),
                    "types": words(type),
                    "groups": words(group),
                    "concepts": tuple(only or ()),
                    "mini": mini,
                    "number": number,
                    "revision": revision,
                    "labels": labels,
                    "unpack_to": unpack_to,
                },
                "the options",
            ),
            given=read_named(answers or [], "--answers", "FILE"),
            given_setting=answers_in,
            dialogues=dialogues,
            talk=talk,
            strip_dialogues=strip,
            injection=InjectionSettings.from_toml(injection_settings)
            if injection_settings
            else None,
            instruction=instruction,
            temperature=None if temperature is not None and temperature < 0 else temperature,
            top_p=top_p,
            max_tokens=max_tokens,
            model_seed=model_seed,
            max_side=max_side,
            grader=grader,
            facts=facts,
            seed=seed,
            bootstraps=bootstraps,
            price=read_price(price) if price else None,
            concurrency=concurrency,
            asking=not dry_run,
            display=display,
        )
        for note in plan.notes:
            display.note(note)
        for fault in plan.data.faults[:20]:
            display.note(f"left out: {fault}")
        if dry_run:
            calls, shared = mmpb_dry_run.dry_run(plan, out, ledger, display)
        else:
            end = mmpb.execute(
                plan,
                Path(out) if out else None,
                budget_usd=budget,
                ledger=ledger,
                concurrency=concurrency,
                display=display,
            )
    if dry_run:
        _print_plan(plan, calls, shared)
        return

    def results(console: Console, folder: Path) -> None:
        print_mmpb(console, folder)
        if end.failed:
            kinds = ", ".join(f"{count} {kind}" for kind, count in end.failures.items())
            console.print(
                f"calls that failed: {kinds}; they count as wrong until the same command has "
                "asked them again",
                style="yellow",
                markup=False,
                soft_wrap=True,
            )

    print_end(end, results)
    if end.exit_code or plan.data.faults or plan.unusable:
        raise typer.Exit(end.exit_code or 1)


def _print_plan(plan: MmpbPlan, calls: object, shared: tuple[int, int]) -> None:
    from rich.console import Console

    from eyeprint.cli.call_plans import print_calls
    from eyeprint.cli.run_ends import print_head
    from eyeprint.report.words import counted

    settings, questions = len(plan.run.settings), len(plan.data.questions)
    models = len(plan.run.models)
    print_head(
        f"{counted(questions, 'question')} in {counted(settings, 'setting')} for "
        f"{counted(models, 'model')}",
        plan.run.fingerprint(),
    )
    console = Console()
    for setting in plan.run.settings:
        console.print(f"  {setting.label}", markup=False)
    print_calls(calls, "No chat model on a server is asked.")  # type: ignore[arg-type]
    if plan.grader is not None:
        free = sum(one.form == "open" for one in plan.run.settings) * questions * models
        console.print(
            f"The grader {plan.grader.name} is asked too, once for each free answer: at most "
            f"{counted(free, 'call')}, which are not in the table.",
            markup=False,
            soft_wrap=True,
        )
    if shared[1]:
        share = 100 * shared[0] / shared[1]
        console.print(
            f"An estimate, no bound: {shared[1]:,} input tokens, of which {shared[0]:,} "
            f"({share:.0f} %) are a prefix that the call before has sent too.",
            markup=False,
            soft_wrap=True,
        )
