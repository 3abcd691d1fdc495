"""``eyeprint people build cases``: candidates to pools to cases in the released layout."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from eyeprint.cli.options import BudgetOption, BuildLedgerOption, PriceOption

if TYPE_CHECKING:
    from eyeprint.cli.progress import TerminalDisplay
    from eyeprint.models.kinds import Chat
    from eyeprint.protocols.people_cases_settings import CasesEnd
    from eyeprint.store.budget import Budget
    from eyeprint.store.dry_run import PicturePlan
    from eyeprint.store.ledger import Ledger

SHOWN = 15


def register(app: typer.Typer) -> None:
    """Add the command ``cases`` to the group ``people build``."""
    app.command("cases")(build_cases)


def build_cases(
    out: Annotated[str, typer.Option(help="Data root to write; a repeated command resumes it.")],
    candidates: Annotated[
        str | None,
        typer.Argument(help="candidates.jsonl of `people build candidates`, or its folder."),
    ] = None,
    pools: Annotated[
        str | None,
        typer.Option(help="Instead of painting: a folder with a folder of pictures per person."),
    ] = None,
    profiles: Annotated[
        str | None, typer.Option(help="Profiles (.jsonl, or a folder), written beside the cases.")
    ] = None,
    painter: Annotated[
        str, typer.Option(help="sketch, diffusers/qwen-image, openai/gpt-image-1, folder:DIR ...")
    ] = "sketch",
    choices: Annotated[
        str | None,
        typer.Option(help="CSV of picks by hand: person,picture[,rank]; else the score chooses."),
    ] = None,
    aesthetics: Annotated[
        str, typer.Option(help="Score that chooses: heuristic, or laion:PATH of a CLIP head.")
    ] = "heuristic",
    clip: Annotated[str, typer.Option(help="Image encoder of a laion: head.")] = "clip",
    keep: Annotated[
        int | None,
        typer.Option(min=1, help="Pictures kept by score; 7 by default. With --pools, choose too."),
    ] = None,
    captioner: Annotated[
        str, typer.Option(help='Names targets: "offline", or a chat model that sees pictures.')
    ] = "offline",
    per_pool: Annotated[
        int | None,
        typer.Option("--per-pool", min=1, help="Cases of a person; 4 synthetic, 9 real."),
    ] = None,
    references: Annotated[str, typer.Option(help="Fewest and most references of a case.")] = "2-5",
    split: Annotated[
        str | None, typer.Option(help="Category of all cases, such as real or synthetic.")
    ] = None,
    again: Annotated[
        str, typer.Option(help="People with commas whose candidates are painted once more.")
    ] = "",
    encoder: Annotated[
        str, typer.Option(help="Image encoder of the leak check, or none.")
    ] = "palette",
    size: Annotated[
        str | None, typer.Option(help="WIDTHxHEIGHT of painted pictures; else the painter's.")
    ] = None,
    steps: Annotated[int | None, typer.Option(min=1, help="Steps of diffusion painters.")] = None,
    number: Annotated[
        int | None, typer.Option("-n", "--number", min=1, help="Only the first so many people.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of painters and of the cases' draws.")] = 7,
    budget: BudgetOption = None,
    price: PriceOption = "",
    ledger: BuildLedgerOption = "",
    concurrency: Annotated[
        int, typer.Option(min=1, help="Pictures painted, or calls made, at once.")
    ] = 8,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="Only say what a hosted painter would paint, and cost at most."
        ),
    ] = False,
) -> None:
    """Paint candidates, choose each person's pictures, and sample cases from them.

    Example: eyeprint people build cases candidates --profiles agents --out cases
    """
    from contextlib import ExitStack

    from eyeprint.cli.call_plans import tell_use
    from eyeprint.cli.progress import TerminalDisplay
    from eyeprint.cli.run_pipbench import read_size
    from eyeprint.people.cases import CaseSettings
    from eyeprint.people.pools import PoolSettings
    from eyeprint.protocols.people_cases_plan import PaintSize, plan_cases
    from eyeprint.store.accounts import Accounts
    from eyeprint.store.budget import Budget

    least, most = read_range(references)
    width, height = read_size(size)
    with TerminalDisplay() as display, ExitStack() as stack:
        accounts = Accounts()
        limit = None if budget is None else Budget(budget)
        chat: Chat | None = None
        if captioner != "offline" and not dry_run:
            book, chat = _asked(captioner, out, ledger, limit, price, display)
            accounts = stack.enter_context(book).accounts
        plan = plan_cases(
            candidates,
            pools=pools,
            profiles=profiles,
            painter=painter,
            choices=choices,
            aesthetics=aesthetics,
            clip=clip,
            captioner=chat,
            split=split,
            encoder=None if encoder == "none" else encoder,
            again=[name.strip() for name in again.split(",") if name.strip()],
            n=number,
            seed=seed,
            size=PaintSize(width, height, steps),
            pool=PoolSettings(keep=keep) if keep is not None else None,
            case=CaseSettings(least_references=least, most_references=most, per_pool=per_pool),
            on_wait=display.waiting,
            asking=not dry_run,
        )
        for note in plan.notes:
            display.note(note)
        for fault in plan.faults[:SHOWN]:
            display.note(f"left out: {fault}")
        if not dry_run:
            end = plan.build.execute(
                out, at_once=concurrency, accounts=accounts, budget=limit, display=display
            )
    if dry_run:
        _tell_plan(plan.build.dry_run(out), captioner)
        return
    tell_use(accounts)
    _tell_end(end, ready=pools is not None)
    if end.exit_code or plan.faults:
        raise typer.Exit(end.exit_code or 1)


def read_range(text: str) -> tuple[int, int]:
    """Return the two numbers of "2-5", or one number twice.

    Raises:
        UsageError: the text is no range of numbers from 1 on.

    >>> read_range("2-5"), read_range("3")
    ((2, 5), (3, 3))
    """
    from eyeprint.errors import UsageError, shown

    low, _, high = text.replace("–", "-").partition("-")
    high = high or low
    if not (low.strip().isdecimal() and high.strip().isdecimal() and 1 <= int(low) <= int(high)):
        raise UsageError(f"--references takes a range such as 2-5, and not '{shown(text)}'.")
    return int(low), int(high)


def _asked(
    name: str, out: str, ledger_at: str, limit: Budget | None, price: str, display: TerminalDisplay
) -> tuple[Ledger, Chat]:
    from pathlib import Path

    from eyeprint.models.catalog import load_chat
    from eyeprint.models.prices import read_price
    from eyeprint.records.whole_files import make_folder
    from eyeprint.store.ledger import Ledger

    paid = read_price(price) if price else None
    # A name or key that is wrong should be told before anything is made.
    chat = load_chat(name, price=paid, on_wait=display.waiting)
    if not ledger_at:
        make_folder(Path(out))
    book = Ledger(Path(ledger_at) if ledger_at else Path(out) / "ledger.sqlite")
    return book, book.wrap(chat, limit, price=paid)


def _tell_plan(plans: tuple[PicturePlan, ...], captioner: str) -> None:
    from eyeprint.cli.call_plans import print_pictures

    if not plans:
        typer.echo("No picture of a hosted painter is asked for.")
    print_pictures(plans)
    if captioner != "offline":
        typer.echo(f"Calls of {captioner} depend on the pictures and are not counted.")


def _tell_end(end: CasesEnd, *, ready: bool) -> None:
    if end.stopped is not None:
        typer.echo(end.reason)
        return
    for row in end.counts:
        typer.echo(row.told())
    if end.captions is not None:
        sources = ", ".join(f"{name} {count}" for name, count in end.captions.sources.items())
        typer.echo(f"short prompts by: {sources}")
        if end.captions.style_words:
            words = ", ".join(f"{word} {n}" for word, n in end.captions.style_words.items())
            typer.echo(f"words of style left out: {words}")
        if end.captions.asked_again:
            typer.echo(
                f"asked again for {end.captions.asked_again} captions; words of style were taken "
                f"out of {end.captions.taken_out}"
            )
    _tell_some("no case of", [f"{person}: {why}" for person, why in end.skipped.items()])
    _tell_some("fewer cases of", [f"{person}: {count}" for person, count in end.short.items()])
    _tell_some("note,", list(end.notes))
    _tell_some("failed,", list(end.details))
    if end.failures:
        told = ", ".join(f"{kind} {count}" for kind, count in sorted(end.failures.items()))
        then = (
            "mend or remove the files, and build into another folder"
            if ready
            else "the same command tries them again"
        )
        typer.echo(f"failed: {told}; {then}")
    if end.leaks is not None:
        for line in end.leaks.lines(SHOWN):
            typer.echo(line)
    typer.echo(f"cases: {end.folder / 'metadata.json'}")


def _tell_some(title: str, lines: list[str]) -> None:
    for line in lines[:SHOWN]:
        typer.echo(f"{title} {line}")
    if len(lines) > SHOWN:
        typer.echo(f"... and {len(lines) - SHOWN} more")
