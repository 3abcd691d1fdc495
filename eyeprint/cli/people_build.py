"""``eyeprint people build personas``: synthetic people, as in section 9 of the paper."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from eyeprint.cli.options import (
    BudgetOption,
    BuildConcurrencyOption,
    BuildDryRunOption,
    BuildLedgerOption,
    PriceOption,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from eyeprint.cli.progress import TerminalDisplay
    from eyeprint.people.build import BuildSettings
    from eyeprint.people.build_report import BuildReport
    from eyeprint.people.chat_build import ChatShardWriter
    from eyeprint.store.ledger import Ledger

OFFLINE = "offline"
NOTES_SHOWN = 20


def register(app: typer.Typer) -> None:
    """Add the command ``personas`` to the group ``people build``."""
    app.command("personas")(build_people)


def build_people(
    out: Annotated[str, typer.Option(help="Folder to write; a repeated command resumes it.")],
    n: Annotated[int, typer.Option("-n", min=1, help="Number of people.")] = 100,
    seed: Annotated[int, typer.Option(help="Run seed; the same seed gives the same bytes.")] = 7,
    writer: Annotated[
        str,
        typer.Option(
            help='"offline" composes from tables; else a chat model, openai/gpt-4o-mini ...'
        ),
    ] = OFFLINE,
    seeds: Annotated[
        str,
        typer.Option(
            help="Backstories: a JSONL or text file, or hub: for PersonaHub; bundled if left out."
        ),
    ] = "",
    hub_revision: Annotated[
        str, typer.Option(help="Commit of PersonaHub on the hub, with --seeds hub:.")
    ] = "main",
    further_seeds: Annotated[
        Literal["auto", "compose", "reuse"],
        typer.Option(
            help="Beyond the number of seeds: compose further ones from tables, or reuse the same; "
            "auto composes unless --seeds is given.",
        ),
    ] = "auto",
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes, or people at once of a chat model.")
    ] = None,
    faces: Annotated[
        bool,
        typer.Option(
            "--include-faces/--no-faces", help="Add facial attributes and portrait prompts."
        ),
    ] = True,
    budget: BudgetOption = None,
    price: PriceOption = "",
    ledger: BuildLedgerOption = "",
    dry_run: BuildDryRunOption = False,
    concurrency: BuildConcurrencyOption = 16,
) -> None:
    """Build people: demographics, vocabulary, preferences, 30 posts with captions, faces.

    Example: eyeprint people build personas -n 10000 --seed 7 --out people10k
    """
    from eyeprint.cli.progress import TerminalDisplay
    from eyeprint.people.build import BuildSettings, build_personas
    from eyeprint.people.build_report import told
    from eyeprint.people.offline_writer import OfflineSettings

    options = BuildSettings(
        n=n,
        seeds=seeds,
        hub_revision=hub_revision,
        further_seeds=None if further_seeds == "auto" else further_seeds,
    )
    if dry_run:
        _tell_estimate(n, writer, options, price)
        return
    if writer == OFFLINE:
        with TerminalDisplay() as display:
            report = build_personas(
                n,
                seed,
                out,
                OFFLINE,
                workers,
                seeds=seeds,
                settings=OfflineSettings(faces=faces),
                build=options,
                on_shard=_shards_told(display, options),
            )
    else:
        report = _by_chat(
            n, seed, out, writer, workers, seeds, options, faces, budget, price, ledger, concurrency
        )
    lines = list(told(report))
    for line in lines[:NOTES_SHOWN]:
        typer.echo(line)
    if len(lines) > NOTES_SHOWN:
        typer.echo(f"... and {len(lines) - NOTES_SHOWN} more notes")
    if report.failed or not report.people:
        raise typer.Exit(1)


def _shards_told(display: TerminalDisplay, options: BuildSettings) -> Callable[[int, int], None]:
    display.stage("building people, in shards", -(-options.n // options.people_per_shard))
    return lambda done, total: display.advance(done)


def _by_chat(
    n: int,
    seed: int,
    out: str,
    writer: str,
    workers: int | None,
    seeds: str,
    options: BuildSettings,
    faces: bool,
    budget: float | None,
    price: str,
    ledger_at: str,
    concurrency: int,
) -> BuildReport:
    from pathlib import Path

    from eyeprint.cli.progress import TerminalDisplay
    from eyeprint.models.catalog import load_chat
    from eyeprint.models.prices import read_price
    from eyeprint.people.build import build_personas
    from eyeprint.people.chat_build import ChatShardWriter
    from eyeprint.records.whole_files import make_folder
    from eyeprint.store.budget import Budget
    from eyeprint.store.ledger import Ledger

    paid = read_price(price) if price else None
    limit = None if budget is None else Budget(budget)
    display = TerminalDisplay()
    make_folder(Path(out))
    place = Path(ledger_at) if ledger_at else Path(out) / "ledger.sqlite"
    # A name or key that is wrong should be told before anything is made.
    load_chat(writer, price=paid)
    with Ledger(place) as ledger:
        by_model = ChatShardWriter(
            writer,
            lambda: ledger.wrap(
                load_chat(writer, price=paid, on_wait=display.waiting), limit, price=paid
            ),
            people_at_once=workers or 8,
            with_faces=faces,
            calls_at_once=concurrency,
        )
        sizes = options.model_copy(update={"people_per_shard": 25})
        with display:
            report = build_personas(
                n,
                seed,
                out,
                by_model,
                seeds=seeds,
                build=sizes,
                on_shard=_shards_told(display, sizes),
            )
        _tell_use(Path(out), ledger, by_model)
    return report


def _tell_use(out: Path, ledger: Ledger, by_model: ChatShardWriter) -> None:
    """Print what this session used, and keep it beside the people in ``sessions.jsonl``."""
    from eyeprint.store.run_folder import add_session

    account, spent = ledger.accounts.of(by_model.name), ledger.accounts.spent_usd()
    typer.echo(
        f"{account.calls} calls ({account.input_tokens} tokens in, {account.output_tokens} out), "
        f"{account.from_ledger} answers from the ledger, cost "
        f"{'unknown' if spent is None else f'${spent:.4f}'}"
    )
    counts = by_model.tally.as_dict()
    for title, found in (("asked again", "asked_again"), ("repaired", "repairs")):
        if counts[found]:
            told = ", ".join(f"{name} {n}" for name, n in counts[found].items())
            typer.echo(f"{title}: {told}")
    add_session(out, ledger.accounts, **counts)


def _tell_estimate(n: int, writer: str, options: BuildSettings, price: str) -> None:
    """Print calls, tokens and bounds of the cost; nothing is asked and nothing made."""
    from eyeprint.models.prices import price_of, read_price
    from eyeprint.people.backstories import SeedPlan, compose_further, load_seeds
    from eyeprint.people.chat_estimate import estimate_people_by_chat

    if writer == OFFLINE:
        typer.echo(f"{n} people by the offline writer: no call, no cost")
        return
    texts = load_seeds(options.seeds, options.hub_revision)
    plan = SeedPlan(texts, n, compose_further(options.seeds, options.further_seeds))
    paid = read_price(price) if price else price_of(writer)
    found = estimate_people_by_chat([plan.text(i) for i in range(n)], price=paid)

    def money(value: float | None) -> str:
        return "unknown (give --price)" if value is None else f"${value:.2f}"

    typer.echo(f"{writer}: {found.people} people, {found.calls} calls")
    typer.echo(
        f"at most {found.input_tokens} tokens in, {found.output_tokens} out, cost at most "
        f"{money(found.cost_usd)}"
    )
    typer.echo(
        f"if every step needed all its attempts: {found.calls_at_most} calls, at most "
        f"{money(found.cost_at_most_usd)}"
    )
    if paid is not None:
        typer.echo(f"prices as of: {paid.as_of}")
