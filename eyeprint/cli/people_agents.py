"""``eyeprint people build agents``: synthetic agents by Algorithm 1 of PIPBench (P24–P32)."""

from __future__ import annotations

from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the command ``agents`` to the group ``people build``."""
    app.command("agents")(build_agents)


def build_agents(
    out: Annotated[str, typer.Option(help="Folder to write; a repeated command verifies it.")],
    n: Annotated[int, typer.Option("-n", min=1, help="Number of agents.")] = 175,
    seed: Annotated[int, typer.Option(help="Run seed; the same seed gives the same bytes.")] = 7,
    settings: Annotated[
        str | None,
        typer.Option(help="TOML file: thresholds, window, distributions, rules of your own."),
    ] = None,
) -> None:
    """Build agents: sampled answers that are consistent, and unlike the last 200 accepted.

    Exit code 1 when the attempts are used up before there are as many as asked for.

    Example: eyeprint people build agents -n 175 --seed 3 --out agents
    """
    from eyeprint.cli.progress import TerminalDisplay
    from eyeprint.people import agents
    from eyeprint.people.agent_sampling import AgentSettings
    from eyeprint.people.consistency import consistency

    chosen = AgentSettings.from_toml(settings) if settings else AgentSettings()
    with TerminalDisplay() as display:
        display.stage("building agents", n)
        report = agents.build_agents(n, seed, out, chosen, display.advance)
    reasons = {rule.id: rule.reason for rule in consistency(chosen.consistency).rules}
    for line in report.told(reasons):
        typer.echo(line)
    if report.counts.accepted < n:
        raise typer.Exit(1)
