"""What models would be asked or were asked: calls, pictures, tokens and money, for each."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from eyeprint.store.accounts import Accounts
    from eyeprint.store.dry_run import CallPlan, PicturePlan


def print_calls(calls: tuple[CallPlan, ...], nothing: str) -> None:
    """Print what each model would be asked and cost at most, or ``nothing`` when none is."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console()
    if not calls:
        console.print(nothing)
        return
    table = Table()
    table.add_column("model", overflow="fold")
    for name in ("calls", "answered", "input tokens", "output tokens", "cost at most"):
        table.add_column(name)
    for call in calls:
        output = "unknown" if call.output_tokens is None else f"≤ {call.output_tokens:,}"
        cost = "unknown" if call.cost_usd is None else f"${call.cost_usd:,.4f}"
        counts = (f"{call.calls:,}", f"{call.answered:,}", f"≤ {call.input_tokens:,}")
        table.add_row(escape(call.model), *counts, output, cost)
    console.print(table)
    console.print("Nothing was asked. Tokens and costs are upper bounds.")
    if any(call.cost_usd is None for call in calls):
        told = "A cost is unknown where no price is: give --price, or --price free."
        console.print(told, soft_wrap=True)


def print_pictures(plans: tuple[PicturePlan, ...]) -> None:
    """Print what each paid painter would paint and cost at most; nothing when there is none."""
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    if not plans:
        return
    console = Console()
    table = Table("painter", "pictures", "painted already", "to paint", "cost at most")
    for plan in plans:
        cost = "unknown" if plan.cost_usd is None else f"${plan.cost_usd:,.4f}"
        counts = (f"{plan.pictures:,}", f"{plan.painted:,}", f"{plan.left:,}")
        table.add_row(escape(plan.painter), *counts, cost)
    console.print(table)
    console.print("Nothing was painted. Costs are upper bounds, each picture asked for once.")


def tell_use(accounts: Accounts) -> None:
    """Print what a session has used, model by model."""
    from typer import echo

    for account in accounts.all():
        cost = "unknown" if account.cost_unknown else f"${account.cost_usd:.4f}"
        echo(
            f"{account.model}: {account.calls} calls ({account.input_tokens} tokens in, "
            f"{account.output_tokens} out), {account.from_ledger} answers from the ledger, "
            f"cost {cost}"
        )
