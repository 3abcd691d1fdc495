"""``eyeprint people build candidates``: profiles to enriched prompts (PIPBench, App. K)."""

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
    from pathlib import Path

    from eyeprint.cli.progress import TerminalDisplay
    from eyeprint.people.candidates import CandidateSettings
    from eyeprint.protocols.candidates import CandidatesEnd
    from eyeprint.records.profiles import Profile

FAULTS_SHOWN = 20
FORMS_OF = {"profile": "profile", "profile-free": "profile_free", "no-openness": "no_openness"}


def register(app: typer.Typer) -> None:
    """Add the command ``candidates`` to the group ``people build``."""
    app.command("candidates")(build_candidates)


def build_candidates(
    profiles: Annotated[str, typer.Argument(help="Profiles: a .jsonl file, or its folder.")],
    out: Annotated[str, typer.Option(help="Folder to write; a repeated command resumes it.")],
    writer: Annotated[
        str,
        typer.Option(help='"plain" composes from tables; else a chat model, openai/gpt-4o ...'),
    ] = "plain",
    pipeline: Annotated[
        Literal["profile", "profile-free", "no-openness"] | None,
        typer.Option(
            help="What the writer sees: the profile, tags alone, or all but openness.",
            show_default="profile",
        ),
    ] = None,
    per_person: Annotated[
        int | None,
        typer.Option(
            "--per-person", min=1, max=100, help="Most prompts of one person.", show_default="20"
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(help="Run seed; the same seed gives the same bytes.", show_default="7"),
    ] = None,
    number: Annotated[
        int | None, typer.Option("-n", "--number", min=1, help="Only the first so many profiles.")
    ] = None,
    settings: Annotated[
        str | None,
        typer.Option(help="TOML file of settings: mix, writers; flags that are given count first."),
    ] = None,
    exemplars: Annotated[
        bool,
        typer.Option(help="Show a chat model the pictures that people gave (Q19)."),
    ] = True,
    budget: BudgetOption = None,
    price: PriceOption = "",
    ledger: BuildLedgerOption = "",
    dry_run: BuildDryRunOption = False,
    concurrency: BuildConcurrencyOption = 16,
) -> None:
    """Write up to 20 enriched prompts for each profile, in the mix that PIPBench asks for.

    Example: eyeprint people build candidates agents --out candidates
    """
    from pathlib import Path

    from eyeprint.cli.progress import TerminalDisplay
    from eyeprint.protocols import candidates
    from eyeprint.records.profile_files import read_profiles

    people, faults = read_profiles(profiles)
    people = people[:number]
    chosen = _settings(settings, pipeline, per_person, seed)
    base = Path(profiles)
    pictures = (base if base.is_dir() else base.parent) if exemplars else None
    for fault in faults[:FAULTS_SHOWN]:
        typer.echo(f"left out: {fault}", err=True)
    if dry_run:
        _tell_plan(people, writer, chosen, pictures, out, ledger, price)
        raise typer.Exit(1 if faults else 0)
    with TerminalDisplay() as display:
        if writer == "plain":
            end = candidates.build_candidates(people, out, settings=chosen, display=display)
        else:
            end = _by_chat(people, out, writer, chosen, pictures, budget, price, ledger,
                           concurrency, display)  # fmt: skip
    _tell_end(end, chosen)
    if end.exit_code or faults:
        raise typer.Exit(end.exit_code or 1)


def _settings(
    file: str | None, pipeline: str | None, per_person: int | None, seed: int | None
) -> CandidateSettings:
    """Return the file's settings, with the flags that were given in their place."""
    from eyeprint.people.candidates import CandidateSettings

    base = CandidateSettings.from_toml(file) if file else CandidateSettings()
    values = base.model_dump()
    if pipeline is not None:
        values["pipeline"] = FORMS_OF[pipeline]
    if seed is not None:
        values["seed"] = seed
    if per_person is not None:
        values["mix"]["total"] = per_person
    return CandidateSettings.checked(values, where=file or "candidates")


def _by_chat(
    people: tuple[Profile, ...],
    out: str,
    writer: str,
    settings: CandidateSettings,
    pictures: Path | None,
    budget: float | None,
    price: str,
    ledger_at: str,
    concurrency: int,
    display: TerminalDisplay,
) -> CandidatesEnd:
    from pathlib import Path

    from eyeprint.models.catalog import load_chat
    from eyeprint.models.prices import read_price
    from eyeprint.protocols.candidates import build_candidates as build
    from eyeprint.records.whole_files import make_folder
    from eyeprint.store.budget import Budget
    from eyeprint.store.ledger import Ledger

    paid = read_price(price) if price else None
    limit = None if budget is None else Budget(budget)
    # A name or key that is wrong should be told before anything is made.
    load_chat(writer, price=paid)
    if not ledger_at:
        make_folder(Path(out))
    with Ledger(Path(ledger_at) if ledger_at else Path(out) / "ledger.sqlite") as ledger:
        end = build(
            people,
            out,
            writer=writer,
            settings=settings,
            open_chat=lambda: ledger.wrap(
                load_chat(writer, price=paid, on_wait=display.waiting), limit, price=paid
            ),
            pictures=pictures,
            ledger=ledger,
            calls_at_once=concurrency,
            display=display,
        )
        account, spent = ledger.accounts.of(writer), ledger.accounts.spent_usd()
    typer.echo(
        f"{account.calls} calls ({account.input_tokens} tokens in, {account.output_tokens} out), "
        f"{account.from_ledger} answers from the ledger, cost "
        f"{'unknown' if spent is None else f'${spent:.4f}'}"
    )
    return end


def _tell_end(end: CandidatesEnd, settings: CandidateSettings) -> None:
    if end.stopped is not None:
        typer.echo(end.reason)
    typer.echo(f"{end.sets} people, {end.prompts} prompts: {end.folder / 'candidates.jsonl'}")
    if end.dropped:
        told = ", ".join(f"{rule} {n}" for rule, n in sorted(end.dropped.items()))
        typer.echo(f"prompts dropped, by rule: {told}")
    if end.unmet:
        told = ", ".join(f"{rule} {n}" for rule, n in sorted(end.unmet.items()))
        typer.echo(f"of {end.sets} sets do not keep a rule: {told} (each set's log says why)")
    if not settings.mix.themes_asked():
        typer.echo(
            f"note: sets of {settings.mix.total} have no room for a portrait and all five themes, "
            "so no theme is asked for; raise --per-person for them"
        )
    if end.repaired:
        typer.echo(f"sets with prompts asked for again: {end.repaired}")
    for name, why in list(end.failures.items())[:FAULTS_SHOWN]:
        typer.echo(f"no candidates for {name}: {why}")
    if len(end.failures) > FAULTS_SHOWN:
        typer.echo(f"... and {len(end.failures) - FAULTS_SHOWN} more without candidates")


def _tell_plan(
    people: tuple[Profile, ...],
    writer: str,
    settings: CandidateSettings,
    pictures: Path | None,
    out: str,
    ledger_at: str,
    price: str,
) -> None:
    """Print calls, tokens and bounds of the cost; nothing is asked and nothing made."""
    from contextlib import nullcontext
    from pathlib import Path

    from eyeprint.models.catalog import load_chat
    from eyeprint.models.prices import read_price
    from eyeprint.protocols.candidates import plan_candidates
    from eyeprint.store.ledger import Ledger

    if writer == "plain":
        typer.echo(f"{len(people)} people by the offline writer: no call, no cost")
        return
    place = Path(ledger_at) if ledger_at else Path(out) / "ledger.sqlite"
    book = Ledger(place) if place.exists() else nullcontext()
    with book as ledger:
        plan, most = plan_candidates(
            people,
            load_chat(writer, needs_key=False),
            settings=settings,
            pictures=pictures,
            ledger=ledger,
            price=read_price(price) if price else None,
        )

    def money(value: float | None) -> str:
        return "unknown (give --price)" if value is None else f"${value:.2f}"

    typer.echo(
        f"{writer}: {len(people)} people, {plan.calls} calls, {plan.answered} answered already"
    )
    typer.echo(
        f"at most {plan.input_tokens} tokens in, {plan.output_tokens} out, cost at most "
        f"{money(plan.cost_usd)}"
    )
    typer.echo(
        f"if every person needed all attempts and the repair: {most.calls} calls, cost at most "
        f"{money(most.cost_usd)}"
    )
    if plan.as_of is not None:
        typer.echo(f"prices as of: {plan.as_of}")
