"""``eyeprint people import``: a persona from the captions that somebody has (V22)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from eyeprint.cli.options import BudgetOption, PriceOption

if TYPE_CHECKING:
    from pathlib import Path

    from eyeprint.people.captions_in import CaptionsRead
    from eyeprint.records.people import Persona

OFFLINE = "offline"
FAULTS_SHOWN = 20


def register(app: typer.Typer) -> None:
    """Add the command to the group ``people``."""
    app.command("import")(import_people)


def import_people(
    source: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="A .csv, .tsv or .jsonl file, or a folder of .txt files."
        ),
    ],
    out: Annotated[str, typer.Option(help="A .jsonl or .parquet file, or a folder, to write.")],
    person_id: Annotated[
        str, typer.Option("--id", help="The person's id; with a column 'person', put before each.")
    ] = "",
    writer: Annotated[
        str,
        typer.Option(help='"offline" looks words up; else a chat model, openai/gpt-4o-mini ...'),
    ] = OFFLINE,
    column: Annotated[
        str,
        typer.Option(help="The column of the caption; caption, text or description if left out."),
    ] = "",
    keep_duplicates: Annotated[
        bool, typer.Option("--keep-duplicates", help="Keep captions that a person has twice.")
    ] = False,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace OUT where it exists.")
    ] = False,
    budget: BudgetOption = None,
    price: PriceOption = "",
    ledger: Annotated[
        str, typer.Option(help="Where replies are kept; beside OUT if left out.")
    ] = "",
    concurrency: Annotated[int, typer.Option(min=1, help="Calls of a chat model at once.")] = 16,
) -> None:
    """Build people from captions: elements, vocabulary, preferences, persona.

    Nothing about a person is inferred: age, gender, place and the like stay unset. Where
    rows were left out the exit code is 1.

    Example: eyeprint people import captions.csv --id ana --out ana.jsonl
    """
    from pathlib import Path

    from eyeprint.errors import DataError, UsageError
    from eyeprint.people.captions_in import read_captions
    from eyeprint.records.save import save_people
    from eyeprint.records.whole_files import refuse_overwriting

    target = Path(out)
    refuse_overwriting(target, [Path(source)])
    filled = target.is_dir() and any(not p.name.startswith(".") for p in target.iterdir())
    if (target.is_file() or filled) and not overwrite:
        raise UsageError(f"{target} exists. Choose another --out, or add --overwrite.")
    if target.suffix not in ("", ".jsonl", ".ndjson", ".parquet"):
        raise UsageError(f"{target}: people are saved as .jsonl, .parquet or a folder (no ending).")
    read = read_captions(
        source, column=column or None, duplicates="keep" if keep_duplicates else "drop"
    )
    _tell_faults(read)
    if not read.people:
        raise DataError(f"{source}: holds no caption that can be used.")
    wanted = {_id_of(key, person_id, source): captions for key, captions in read.people.items()}
    if writer == OFFLINE:
        people, failed = _offline(wanted), 0
    else:
        place = Path(ledger) if ledger else target.with_name(f"{target.name}.ledger.sqlite")
        people, failed = _by_chat(wanted, writer, place, budget, price, concurrency)
    if people:
        save_people(people, target)
        captions = sum(len(person.posts) for person in people)
        typer.echo(
            f"{len(people)} {'person' if len(people) == 1 else 'people'} with {captions} captions "
            f"written to {target}"
        )
    if failed or read.left_out or not people:
        # Finished, but not with everything that was given.
        raise typer.Exit(1)


def _id_of(key: str, given: str, source: str) -> str:
    from pathlib import Path

    if not key:
        return given or Path(source).stem
    return f"{given}-{key}" if given else key


def _tell_faults(read: CaptionsRead) -> None:
    for fault in read.faults[:FAULTS_SHOWN]:
        typer.echo(f"note: {fault}", err=True)
    if len(read.faults) > FAULTS_SHOWN:
        typer.echo(f"note: ... and {len(read.faults) - FAULTS_SHOWN} more like these", err=True)


def _offline(wanted: dict[str, Any]) -> list[Persona]:
    from eyeprint.people.inverse import persona_from_captions

    people = []
    for person_id, captions in wanted.items():
        made = persona_from_captions(person_id, captions)
        _tell_person(made.person, made.notes)
        people.append(made.person)
    return people


def _tell_person(person: Persona, notes: tuple[str, ...]) -> None:
    elements = sum(len(phrases) for post in person.posts for phrases in post.elements.values())
    typer.echo(
        f"{person.id}: {len(person.posts)} captions, {elements} elements, "
        f"{len(person.preferences)} preferences"
    )
    for note in notes:
        typer.echo(f"note: {person.id}: {note}", err=True)


def _by_chat(
    wanted: dict[str, Any],
    writer: str,
    ledger_at: Path,
    budget: float | None,
    price: str,
    at_once: int,
) -> tuple[list[Persona], int]:
    """Return the people that a chat model could make, and how many it could not."""
    import asyncio

    from eyeprint.cli.progress import TerminalDisplay
    from eyeprint.models.catalog import load_chat
    from eyeprint.models.prices import read_price
    from eyeprint.people.chat_asking import LimitedChat
    from eyeprint.people.inverse_chat import ChatImported, persona_by_chat
    from eyeprint.store.budget import Budget
    from eyeprint.store.ledger import Ledger

    paid = read_price(price) if price else None
    limit = None if budget is None else Budget(budget)

    async def read_all(ledger: Ledger) -> list[ChatImported]:
        chat = load_chat(writer, price=paid, on_wait=TerminalDisplay().waiting)
        kept = ledger.wrap(chat, limit, price=paid)
        limited = LimitedChat(kept, at_once)
        return [await persona_by_chat(limited, key, captions) for key, captions in wanted.items()]

    people: list[Persona] = []
    with Ledger(ledger_at) as ledger:
        for made in asyncio.run(read_all(ledger)):
            for fault in made.faults:
                told = f"{fault.person}, step '{fault.step}': {fault.fault}"
                typer.echo(f"fault: {told} (after {fault.attempts} replies)", err=True)
            if made.person is not None:
                _tell_person(made.person, made.notes)
                people.append(made.person)
        account = ledger.accounts.of(writer)
        spent = ledger.accounts.spent_usd()
        typer.echo(
            f"{account.calls} calls, {account.from_ledger} answers from the ledger, cost "
            f"{'unknown' if spent is None else f'${spent:.4f}'}"
        )
    return people, len(wanted) - len(people)
