"""Options that several commands share, so that they are told alike everywhere.

Commands that ask chat models take the same limits; their defaults stand at each command.
"""

from __future__ import annotations

from typing import Annotated

import typer

EncoderOption = Annotated[
    str, typer.Option(help="auto, minilm, static, openai/text-embedding-3-small ...")
]
"""Name of a text encoder, see :mod:`eyeprint.models.text_encoders`."""

PeopleOption = Annotated[
    list[str] | None,
    typer.Option("--people", help='"mini", or a file or folder of people; may be repeated.'),
]
"""Where people come from; several sources are one set, in order."""

BudgetOption = Annotated[
    float | None, typer.Option(help="US dollars that new calls may cost, at most.")
]
"""Limit of :class:`eyeprint.store.budget.Budget`."""

PriceOption = Annotated[
    str,
    typer.Option(help='Dollars per million tokens in, out, as 0.15,0.60; or "free".'),
]
"""Read by :func:`eyeprint.models.prices.read_price`; "" takes the price table's."""

ScoreSettingsOption = Annotated[str | None, typer.Option(help="TOML file of VPTT score settings.")]
"""File of :class:`eyeprint.scores.person_space.VpttSettings`."""

RunLedgerOption = Annotated[
    str | None,
    typer.Option(
        help="Where replies are kept: a file or a PostgreSQL address; by default "
        "$EYEPRINT_LEDGER, else ledger.sqlite in the run's folder."
    ),
]
"""Ledger of a run (:class:`eyeprint.store.ledger.Ledger`)."""

RunConcurrencyOption = Annotated[
    int | None, typer.Option(min=1, help="Calls under way at once; 64 by default.")
]
"""Calls of a run that are under way at once."""

RunDryRunOption = Annotated[
    bool, typer.Option("--dry-run", help="Only say what would be asked, and cost at most.")
]
"""Whether a run only plans its calls."""

BuildLedgerOption = Annotated[
    str, typer.Option(help="Where replies are kept; in the folder if left out.")
]
"""Ledger of a build."""

BuildConcurrencyOption = Annotated[int, typer.Option(min=1, help="Calls of a chat model at once.")]
"""Calls of a build that are under way at once."""

BuildDryRunOption = Annotated[
    bool, typer.Option("--dry-run", help="Tell calls and bounds of the cost; ask nothing.")
]
"""Whether a build only plans its calls."""


def read_named(texts: list[str], option: str, what: str) -> dict[str, str]:
    """Return name -> value of ``NAME=VALUE`` texts.

    Args:
        texts: as they were typed.
        option: that they were given with, for messages.
        what: a value is, such as FOLDER.

    Raises:
        UsageError: a text has no name or value, or a name comes twice.

    >>> read_named(["mine=out/mine"], "--outputs", "FOLDER")
    {'mine': 'out/mine'}
    """
    from eyeprint.errors import UsageError, shown

    found: dict[str, str] = {}
    for text in texts:
        name, _, value = text.partition("=")
        if not name.strip() or not value.strip():
            raise UsageError(f"{option} takes NAME={what}, and not '{shown(text)}'.")
        if name.strip() in found:
            raise UsageError(f"{option} names '{shown(name.strip())}' twice.")
        found[name.strip()] = value.strip()
    return found
