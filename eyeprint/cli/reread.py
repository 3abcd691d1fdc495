"""``eyeprint reread``: stored replies of a run read again, without a call."""

from __future__ import annotations

from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("reread")(reread)


def reread(
    run: Annotated[str, typer.Argument(help="Folder of a finished `eyeprint run mmpb`.")],
    show: Annotated[int, typer.Option(min=0, help="So many changes are printed.")] = 10,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would change; write nothing.")
    ] = False,
) -> None:
    """Read a run's stored replies again with this version's reader, and show what changed.

    No model is asked. Results, tables and report are written anew; every change stands in
    reread.jsonl in the run's folder.

    Example: eyeprint reread demo/mmpb
    """
    from rich.console import Console

    from eyeprint.cli.progress import TerminalDisplay
    from eyeprint.errors import shown
    from eyeprint.protocols.reread import reread as read_again

    with TerminalDisplay() as display:
        found = read_again(run, display, write=not dry_run)
    console = Console()

    def told(text: str) -> None:
        console.print(text, markup=False, soft_wrap=True)

    told(f"{found.rows:,} replies read again; {len(found.changes):,} are read otherwise.")
    for kind, count in found.kinds().items():
        told(f"  {count:6,}  {kind}")
    for change in found.changes[:show]:
        told(
            f"{shown(change.model)}, {change.setting}, question {shown(change.question)}: "
            f"{change.before} -> {change.now} ({change.rule or 'no rule'}; right: {change.key}); "
            f"reply: {shown(change.reply)}"
        )
    if found.changes:
        told(f"right answers: {found.right_before:,} before, {found.right_now:,} now")
    if not dry_run:
        told(f"report: {found.folder / 'report.html'}")
