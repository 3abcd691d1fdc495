"""``eyeprint rewrite``: personalise one prompt, and show why it came out so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from eyeprint.cli.options import EncoderOption

if TYPE_CHECKING:
    from rich.console import Console

    from eyeprint.methods.rewrite import Rewritten
    from eyeprint.records.work import Trace


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("rewrite")(rewrite)


def rewrite(
    query: Annotated[str, typer.Argument(help="What the picture should show.")],
    person: Annotated[str, typer.Option(help="Id of the person, such as mini-03.")],
    people: Annotated[str, typer.Option(help='"mini", or a file or folder of people.')] = "mini",
    method: Annotated[
        str, typer.Option(help="baseline, persona_only, brag, vprag or comb.")
    ] = "vprag",
    edit: Annotated[
        bool, typer.Option("--edit", help="The query is an instruction to edit a picture.")
    ] = False,
    three_phrases: Annotated[
        bool, typer.Option("--three-phrases", help="Add exactly three phrases.")
    ] = False,
    encoder: EncoderOption = "auto",
    writer: Annotated[
        str, typer.Option(help='"plain" concatenates; else a chat model, openai/gpt-4o-mini ...')
    ] = "plain",
    trace: Annotated[
        bool, typer.Option("--trace", help="Show every step of the retrieval.")
    ] = False,
    score: Annotated[bool, typer.Option("--score", help="Score the prompt, too.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print draft, material and trace as JSON.")
    ] = False,
) -> None:
    """Personalise one prompt for one person.

    Example: eyeprint rewrite "A preferred outdoor spot" --person mini-03 --trace
    """
    from eyeprint.methods.rewrite import method_models
    from eyeprint.methods.rewrite import rewrite as rewrite_prompt
    from eyeprint.methods.setting import MethodSettings
    from eyeprint.people.shipped import load_people
    from eyeprint.records.work import Query

    who = load_people(people)[person]
    chat, decoding = None, None
    if writer != "plain":
        from eyeprint.cli.progress import TerminalDisplay
        from eyeprint.models.catalog import load_chat
        from eyeprint.models.decoding import decoding_for

        chat = load_chat(writer, on_wait=TerminalDisplay().waiting)
        decoding = decoding_for(writer).parameters()
    models = method_models(encoder)
    found = rewrite_prompt(
        Query(id="query", text=query, kind="editing" if edit else "generation"),
        who,
        method,
        writer=chat,
        settings=MethodSettings(mode="three_phrases" if three_phrases else "free"),
        models=models,
        decoding=decoding,
    )
    points = _score(found, who, models.text) if score else None
    if as_json:
        _print_json(found, points)
    else:
        _print(found, points, trace)
    if found.draft.prompt is None:
        raise typer.Exit(1)


def _score(found: Rewritten, person: Any, encoder: Any) -> Any:
    from eyeprint.scores.person_space import VpttSettings
    from eyeprint.scores.vptt_score import vptt_score

    if found.draft.prompt is None:
        return None
    nv = VpttSettings().nv_policy(found.draft.method)
    return vptt_score([found.draft.prompt], person, encoder=encoder, nv=nv)[0]


def _print_json(found: Rewritten, points: Any) -> None:
    import json

    value = {
        "draft": found.draft.model_dump(mode="json"),
        "material": found.material.model_dump(mode="json"),
    }
    if points is not None:
        value["score"] = points.model_dump(mode="json")
    typer.echo(json.dumps(value, ensure_ascii=False, indent=1))


def _print(found: Rewritten, points: Any, trace: bool) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console()
    if found.draft.prompt is None:
        # On standard error and without markup: what a server said may hold square brackets.
        reason = f"No prompt: {found.draft.fault}. {found.draft.detail}".rstrip()
        again = "Run the command again to ask anew, or name another --writer."
        Console(stderr=True).print(f"{reason}\n{again}", style="red", markup=False, soft_wrap=True)
    else:
        # Text and not markup: a prompt may hold square brackets.
        console.print(Text(found.draft.prompt), soft_wrap=True)
    if points is not None:
        console.print()
        parts = ("pa", "gs", "cp", "nv", "score", "score_c")
        told = [(name, getattr(points, name)) for name in parts]
        console.print(
            "  ".join(
                f"{name.upper()} {'unscored' if value is None else format(value, '.3f')}"
                for name, value in told
            )
        )
    if trace:
        console.print()
        if found.material.trace is None:
            console.print(f"{found.draft.method} retrieves no elements, so there is no trace.")
        else:
            print_trace(console, found.material.trace)


def print_trace(console: Console, trace: Trace) -> None:
    """Print the steps of VPRAG in the order they were taken (V40)."""
    from rich.markup import escape
    from rich.table import Table

    console.print(
        f"[bold]1. Posts[/bold]  entropy H = {trace.entropy:.3f} nats, "
        f"n_eff = {trace.n_eff:.2f}, budget Q = {trace.total_budget}, kept K = {trace.kept}"
    )
    posts = Table("post", "similarity", "weight", "kept")
    ranked = sorted(trace.posts, key=lambda post: -post.weight)
    for post in ranked[: max(trace.kept, 10)]:
        posts.add_row(
            escape(post.post_id),
            f"{post.similarity:.3f}",
            f"{post.weight:.3f}",
            "yes" if post.kept else "",
        )
    console.print(posts)
    hidden = len(ranked) - max(trace.kept, 10)
    if hidden > 0:
        console.print(f"... and {hidden} more posts, none of them kept")
    console.print("\n[bold]2. Categories, by closeness to the query[/bold]")
    categories = Table("category", "similarity", "budget", "quotas (post: granted of available)")
    for score in trace.categories:
        quotas = "  ".join(
            f"{quota.post_id}: {quota.granted}/{quota.available}"
            for quota in trace.quotas
            if quota.category == score.category and quota.granted
        )
        row = (score.category, f"{score.similarity:.3f}", str(score.budget), quotas)
        categories.add_row(*(escape(cell) for cell in row))
    console.print(categories)
    console.print("\n[bold]3. Elements chosen[/bold]")
    elements = Table("element", "category", "post", "similarity")
    for element in trace.elements:
        row = (element.text, element.category, element.post_id, f"{element.similarity:.3f}")
        elements.add_row(*(escape(cell) for cell in row))
    console.print(elements)
    if trace.back_filled:
        console.print(f"{trace.back_filled} of them took the place of duplicates.")
    for note in trace.notes:
        console.print(f"[yellow]note:[/yellow] {escape(note)}")
