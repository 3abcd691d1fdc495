"""``eyeprint``: the commands, and how errors become messages and exit codes.

Exit codes: 0 done; 1 finished with failures, or stopped by an error; 2 bad usage;
130 interrupted. ``EYEPRINT_TRACEBACK=1`` shows where an error came from.
"""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from eyeprint import __version__
from eyeprint.cli import (
    canvas,
    compare,
    judge,
    ledger,
    people_agents,
    people_answers,
    people_audit,
    people_audit_pictures,
    people_build,
    people_candidates,
    people_cases,
    people_concepts,
    people_evidence,
    people_import,
    people_leaks,
    people_survey,
    people_toybox,
    rate,
    report,
    reread,
    rewrite,
    run,
    run_mmpb,
    run_pipbench,
    score,
    serve,
)
from eyeprint.errors import EyeprintError
from eyeprint.records.whole_files import cannot_write

app = typer.Typer(
    name="eyeprint",
    help="Would this person have made it, shared it, or picked it?",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
people = typer.Typer(help="Build, import and check people.", no_args_is_help=True)
build = typer.Typer(help="Build synthetic people.", no_args_is_help=True)
scores = typer.Typer(help="Score prompts from any source.", no_args_is_help=True)
runs = typer.Typer(help="Run a whole protocol into one folder.", no_args_is_help=True)
judges = typer.Typer(help="Ask judges about a run's pictures.", no_args_is_help=True)
ledgers = typer.Typer(help="Look into a ledger of replies, or add to it.", no_args_is_help=True)

app.add_typer(people, name="people")
people.add_typer(build, name="build")
app.add_typer(scores, name="score")
app.add_typer(runs, name="run")
app.add_typer(judges, name="judge")
app.add_typer(ledgers, name="ledger")
people_build.register(build)
people_agents.register(build)
people_candidates.register(build)
people_cases.register(build)
people_concepts.register(build)
people_toybox.register(build)
people_import.register(people)
people_survey.register(people)
people_answers.register(people)
people_evidence.register(people)
people_leaks.register(people)
people_audit.register(people)
people_audit_pictures.register(people)
rewrite.register(app)
score.register(scores)
run.register(runs)
run_pipbench.register(runs)
run_mmpb.register(runs)
judge.register(judges)
rate.register(app)
report.register(app)
compare.register(app)
reread.register(app)
serve.register(app)
canvas.register(app)
ledger.register(ledgers)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"eyeprint {__version__}")
        raise typer.Exit


@build.callback()
@scores.callback()
@runs.callback()
@judges.callback()
def _group() -> None:
    # A group with one command keeps that command's name only if it has a callback.
    return


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Would this person have made it, shared it, or picked it?"""
    del version


def run_command(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit code; errors are told on standard error."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal without Unicode shows "?" for what it lacks; results go to files as UTF-8.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        try:
            app(arguments, prog_name="eyeprint")
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()
    except SystemExit as done:
        if isinstance(getattr(done.__context__, "__cause__", None), KeyboardInterrupt):
            said = "Stopped by Ctrl-C. Finished work is kept: run the same command again."
            typer.echo(said, err=True)
        return done.code if isinstance(done.code, int) else int(done.code is not None)
    except BrokenPipeError:
        # The reader (head, less) has gone: that is its right, and nothing failed here.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except EyeprintError as error:
        if os.environ.get("EYEPRINT_TRACEBACK"):
            raise
        typer.secho("error: ", fg=typer.colors.RED, bold=True, err=True, nl=False)
        typer.echo(str(error), err=True)
        return error.exit_code
    except OSError as error:
        if os.environ.get("EYEPRINT_TRACEBACK") or error.filename is not None:
            raise
        # Only a write to an open stream names no file: what was printed went to a full disk.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        typer.secho("error: ", fg=typer.colors.RED, bold=True, err=True, nl=False)
        typer.echo(str(cannot_write(Path("standard output"), error)), err=True)
        return 1
    return 0


def main() -> None:
    """Entry point of the ``eyeprint`` command."""
    sys.exit(run_command())


if __name__ == "__main__":
    main()
