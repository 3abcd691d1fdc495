"""``eyeprint run pipbench``: methods on reference/target cases, into one folder."""

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

    from eyeprint.people.pipbench_hub import HubData
    from eyeprint.protocols.pipbench_plan import PipbenchPlan
    from eyeprint.store.dry_run import CallPlan, PicturePlan


def register(app: typer.Typer) -> None:
    """Add the command to the group."""
    app.command("pipbench")(run_pipbench)


def run_pipbench(
    data: Annotated[
        str,
        typer.Option(
            help="Data root in the released layout: metadata.json or .jsonl, and its pictures. "
            "'hub' fetches the released data."
        ),
    ],
    revision: Annotated[
        str | None,
        typer.Option(help="Commit of the released data, with --data hub; else its newest."),
    ] = None,
    methods: Annotated[
        str,
        typer.Option(
            help="all, or names with commas: no_preference, edit_1ref, edit_2ref, fusion, "
            "vprag_refs, dreambooth, fabric. '' with --outputs scores ready pictures only."
        ),
    ] = "all",
    writer: Annotated[
        list[str] | None,
        typer.Option(
            help='Who reads references for fusion and vprag_refs: "offline", or a chat model '
            "that sees pictures. May be given several times."
        ),
    ] = None,
    painter: Annotated[
        list[str] | None,
        typer.Option(help="Painter of prompts: sketch, diffusers/qwen-image, openai/MODEL ..."),
    ] = None,
    editor: Annotated[
        str | None, typer.Option(help="Painter of edit_1ref and edit_2ref; sketch by default.")
    ] = None,
    editor_2ref: Annotated[
        str | None, typer.Option(help="Painter of edit_2ref, where it is another than --editor.")
    ] = None,
    tuner: Annotated[
        str | None, typer.Option(help="Painter of dreambooth; dreambooth/qwen-image by default.")
    ] = None,
    feedback: Annotated[
        str | None, typer.Option(help="Painter of fabric; fabric/dreamlike-photoreal by default.")
    ] = None,
    outputs: Annotated[
        list[str] | None,
        typer.Option(
            help="NAME=FOLDER of ready pictures ({id}.png), scored beside the methods. May be "
            "given several times."
        ),
    ] = None,
    encoders: Annotated[
        str, typer.Option(help="palette, clip, dino, lpips, or PATHS like clip:PATH, with commas.")
    ] = "palette",
    text_encoder: Annotated[str, typer.Option(help="Text encoder of vprag_refs.")] = "auto",
    split: Annotated[
        list[str] | None, typer.Option(help="Only this split, such as real or synthetic.")
    ] = None,
    number: Annotated[
        int | None, typer.Option("-n", "--number", help="Only the first so many cases.")
    ] = None,
    size: Annotated[
        str | None, typer.Option(help="WIDTHxHEIGHT of painted pictures; else the painter's.")
    ] = None,
    steps: Annotated[int | None, typer.Option(help="Steps of diffusion painters.")] = None,
    guidance: Annotated[float | None, typer.Option(help="Guidance scale of painters.")] = None,
    out: Annotated[
        str | None,
        typer.Option(help="The run's folder; by default runs/pipbench-<fingerprint>."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of reference draws, painters, bootstraps.")] = 0,
    method_settings: Annotated[
        str | None, typer.Option(help="TOML file of method settings, such as word_limit.")
    ] = None,
    score_settings: Annotated[
        str | None,
        typer.Option(help="TOML file of score settings: images, tables, bands, copies."),
    ] = None,
    budget: BudgetOption = None,
    price: PriceOption = "",
    concurrency: RunConcurrencyOption = None,
    ledger: RunLedgerOption = None,
    dry_run: RunDryRunOption = False,
) -> None:
    """Run PIPBench: cases x methods x painters, scored against references and targets.

    Methods see the short prompt and the references, never the target or the profile. The
    same command goes on where it stopped.

    Example: eyeprint run pipbench --data demo/cases --out demo/pipbench
    """
    from itertools import islice

    from eyeprint.cli.progress import TerminalDisplay, tell_missing
    from eyeprint.cli.run_ends import print_end
    from eyeprint.errors import shown
    from eyeprint.methods.picture_setting import OFFLINE, PictureMethodSettings
    from eyeprint.models.prices import read_price
    from eyeprint.protocols import pipbench, pipbench_dry_run
    from eyeprint.protocols.pipbench_plan import plan_pipbench
    from eyeprint.protocols.pipbench_settings import PaintOptions, ScoreSettings
    from eyeprint.protocols.pipbench_summary import RESULTS, read_rows
    from eyeprint.report.pipbench_terminal import print_pipbench

    width, height = read_size(size)
    options = {"width": width, "height": height, "steps": steps, "guidance": guidance}
    with TerminalDisplay() as display:
        source = _from_hub(revision) if data == "hub" else None
        plan = plan_pipbench(
            source.root if source else data,
            notes=source.notes if source else (),
            methods=methods,
            writers=writer or [OFFLINE],
            painters=painter or (),
            editor=editor,
            editor_2ref=editor_2ref,
            tuner=tuner,
            feedback=feedback,
            outputs=read_named(outputs or [], "--outputs", "FOLDER"),
            encoders=[encoders],
            text_encoder=text_encoder,
            splits=split,
            n=number,
            seed=seed,
            paint=PaintOptions.checked(options, "--size, --steps, --guidance"),
            method_settings=(
                PictureMethodSettings.from_toml(method_settings) if method_settings else None
            ),
            score_settings=ScoreSettings.from_toml(score_settings) if score_settings else None,
            price=read_price(price) if price else None,
            concurrency=concurrency,
            asking=not dry_run,
            display=display,
        )
        for fault in plan.cases.faults[:20]:
            display.note(f"left out: {fault}")
        tell_missing(plan.cases.missing_files(), display)
        if dry_run:
            calls = pipbench_dry_run.dry_run(plan, out, ledger, display)
            pictures = pipbench_dry_run.dry_run_pictures(plan, out, display)
        else:
            end = pipbench.execute(
                plan,
                out,
                budget_usd=budget,
                ledger=ledger,
                concurrency=concurrency,
                display=display,
            )
    if dry_run:
        _print_plan(plan, calls, pictures)
        return

    def results(console: Console, folder: Path) -> None:
        print_pipbench(console, folder)
        if end.failed:
            kinds = ", ".join(f"{count} {kind}" for kind, count in end.failures.items())
            console.print(f"missing pictures: {kinds}", style="yellow", markup=False)
            rows = (row for row in read_rows(folder / RESULTS) if row["picture"] is None)
            for row in islice(rows, 1):
                told = f"{shown(row['model'])}, case '{shown(row['case'])}': {row['detail']}"
                console.print(f"the first: {told}", markup=False, soft_wrap=True)

    print_end(end, results)
    if end.exit_code or plan.cases.faults:
        raise typer.Exit(end.exit_code or 1)


def read_size(text: str | None) -> tuple[int | None, int | None]:
    """Return width and height of ``WIDTHxHEIGHT``, or two ``None``.

    Raises:
        UsageError: the text is no size.

    >>> read_size("384x256")
    (384, 256)
    """
    from eyeprint.errors import UsageError, shown

    if text is None:
        return None, None
    parts = text.lower().replace("×", "x").split("x")
    if len(parts) != 2 or not all(part.strip().isdecimal() for part in parts):
        raise UsageError(f"--size takes WIDTHxHEIGHT, such as 512x512, and not '{shown(text)}'.")
    return int(parts[0]), int(parts[1])


def _from_hub(revision: str | None) -> HubData:
    from eyeprint.people.pipbench_hub import fetch_pipbench

    return fetch_pipbench(revision)


def _print_plan(
    plan: PipbenchPlan, calls: tuple[CallPlan, ...], painted: tuple[PicturePlan, ...]
) -> None:
    from eyeprint.cli.call_plans import print_calls, print_pictures
    from eyeprint.cli.run_ends import print_head

    pictures = len(plan.run.models) * len(plan.cases)
    print_head(f"{pictures} pictures for {len(plan.cases)} cases", plan.run.fingerprint())
    print_calls(calls, "No chat model is asked.")
    print_pictures(painted)
