"""``eyeprint people answers``: how profiles' answers are spread, one set beside another (P22)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eyeprint.people.answer_statistics import AnswerSpread
    from eyeprint.records.profiles import Profile

FAULTS_SHOWN = 20


def register(app: typer.Typer) -> None:
    """Add the command to the group ``people``."""
    app.command("answers")(answers)


def answers(
    first: Annotated[
        str, typer.Argument(metavar="A", help="A .jsonl file of profiles, or its folder.")
    ],
    second: Annotated[
        str, typer.Argument(metavar="B", help="Another one, to be set beside it.")
    ] = "",
    brief: Annotated[
        bool, typer.Option("--brief", help="One line per question, without the answers.")
    ] = False,
) -> None:
    """Print how often each answer was given, and how balanced each question is (0 to 1).

    What is no answer to its question is told, and the exit code is then 1.

    Example: eyeprint people answers agents real
    """
    from eyeprint.errors import DataError
    from eyeprint.people.answer_statistics import answer_spread

    faults: list[str] = []
    odd: list[str] = []
    sets = [answer_spread(_profiles(source, faults, odd)) for source in (first, second) if source]
    for source, found in zip((first, second), sets, strict=False):
        if not found.profiles:
            raise DataError(f"{source}: not one profile could be read. {' '.join(faults[:1])}")
    for line in _table(sets, brief):
        typer.echo(line)
    for head, told in (("left out", faults), ("no answer", odd)):
        for fault in told[:FAULTS_SHOWN]:
            typer.echo(f"{head}: {fault}", err=True)
        if len(told) > FAULTS_SHOWN:
            typer.echo(f"... and {len(told) - FAULTS_SHOWN} more", err=True)
    if faults or odd:
        raise typer.Exit(1)


def _profiles(source: str, faults: list[str], odd: list[str]) -> Iterator[Profile]:
    from eyeprint.errors import BadRecord, shown
    from eyeprint.people.questions import questionnaire
    from eyeprint.records.profile_files import iter_profiles

    for found in iter_profiles(source):
        if isinstance(found, BadRecord):
            faults.append(str(found))
        else:
            wrong = questionnaire().faults_of(found.answers, partial=True)
            odd += [f"profile {shown(found.id)!r}: {fault}" for fault in wrong]
            yield found


def _table(sets: list[AnswerSpread], brief: bool) -> Iterator[str]:
    from eyeprint.people.answer_statistics import distance

    names = ("A", "B")[: len(sets)]
    yield ", ".join(f"{n}: {s.profiles} profiles" for n, s in zip(names, sets, strict=True))
    for question_id, spread in sets[0].questions.items():
        spreads = [s.questions[question_id] for s in sets]
        told = f"{question_id:<4}{spread.question.title}"
        told += f"; balance {', '.join(_number(s.balance, '.2f') for s in spreads)}"
        if len(spreads) == 2:
            told += f"; distance {_number(distance(*spreads), '.2f')}"
        unknown = sum(s.unknown for s in spreads)
        yield told + (f"; {unknown} not among its answers" if unknown else "")
        if brief:
            continue
        for answer in dict.fromkeys(label for s in spreads for label in s.counts):
            shares = "".join(f"{_number(s.share(answer), '.1%'):>8}" for s in spreads)
            yield f"    {answer:<32}{shares}"
    yield f"mean balance {', '.join(_number(s.balance, '.3f') for s in sets)}"


def _number(value: float, form: str) -> str:
    return "-" if value != value else format(value, form)
