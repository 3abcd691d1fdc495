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
