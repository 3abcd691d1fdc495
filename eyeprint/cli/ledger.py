"""``eyeprint ledger``: what a ledger of replies holds, and replies that it could not take."""

from __future__ import annotations

from typing import Annotated

import typer

LedgerPlace = Annotated[
    str,
    typer.Option(
        "--ledger",
        envvar="EYEPRINT_LEDGER",
        help="Where replies are kept: a file or a PostgreSQL URL.",
    ),
]


def register(app: typer.Typer) -> None:
    """Add the commands to the group ``ledger``."""
    app.command("show")(show)
    app.command("take-in")(take_in)


def show(ledger: LedgerPlace) -> None:
    """Count the replies of a ledger, by model and outcome, with what they cost.

    Example: eyeprint ledger show --ledger demo/run/ledger.sqlite
    """
    from pathlib import Path

    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from eyeprint.errors import UsageError
    from eyeprint.store.ledger import Ledger

    # Opening a path makes a ledger; one that is asked for what it holds should be there.
    if "://" not in ledger and not Path(ledger).is_file():
        raise UsageError(f"There is no ledger at {ledger}.")
    with Ledger(ledger) as book:
        totals, place = book.totals(), book.place
    shown = Table("model", "outcome")
    for name in ("replies", "US dollars", "of unknown cost"):
        shown.add_column(name, justify="right")
    for one in totals:
        cost = f"{one.cost_usd:.4f}" if one.cost_unknown < one.replies else "-"
        unknown = str(one.cost_unknown or "")
        shown.add_row(escape(one.model), one.outcome, str(one.replies), cost, unknown)
    console = Console()
    console.print(shown)
    total, odd = sum(one.cost_usd for one in totals), sum(one.cost_unknown for one in totals)
    rest = f", and {_replies(odd)} of unknown cost" if odd else ""
    typer.echo(f"{_replies(sum(one.replies for one in totals))} in {place}: ${total:.4f}{rest}")


def take_in(
    file: Annotated[str, typer.Argument(help="A rescue file, named by an error message.")],
    ledger: LedgerPlace,
) -> None:
    """Keep paid replies that an earlier run could not write into its ledger.

    Replies that the ledger has already are left out.

    Example: eyeprint ledger take-in rescue.jsonl --ledger demo/run/ledger.sqlite
    """
    from eyeprint.store.ledger import Ledger

    with Ledger(ledger) as book:
        taken, place = book.take_in(file), book.place
    typer.echo(f"{_replies(taken)} taken into {place}; {file} is no longer needed")


def _replies(number: int) -> str:
    return f"{number} {'reply' if number == 1 else 'replies'}"
