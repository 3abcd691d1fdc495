"""Tables about models, people and concepts of an MMPB run, its cost, and the paper's numbers."""

from __future__ import annotations

from eyeprint.report.grids import Cell, Grid
from eyeprint.report.mmpb_layout import (
    breaks_of,
    difference_cell,
    main_settings,
    model_cell,
    p_text,
    share_cell,
    unrepeated,
)
from eyeprint.report.mmpb_setting_grids import keys_in
from eyeprint.report.mmpb_summary_views import ResultsView
from eyeprint.report.mmpb_view import FinishedMmpb
from eyeprint.report.mmpb_words import part_title, percent
from eyeprint.report.words import NONE, bracket_ends, number

RANKED = ("all", "recognition", "preference", "human", "animal", "object", "character",
          "awareness", "appropriateness", "coherency")  # fmt: skip


def access_grid(results: ResultsView) -> Grid | None:
    """Return means over open and over closed models, by setting and part (M27, M28)."""
    tasks = {part.key for part in results.parts if part.task}
    rows = [
        (
            Cell(one.setting or "Mean over settings"),
            Cell(part_title(key)),
            share_cell(one.open_means.get(key)),
            share_cell(one.closed_means.get(key)),
            difference_cell(difference),
        )
        for one in results.access
        if one.setting is None or one.setting in main_settings(results)
        for key, difference in one.closed_minus_open.items()
        if key in {*RANKED, *tasks} or one.setting is None
    ]
    if not rows:
        return None
    made = unrepeated(rows)
    first = results.access[0]
    return Grid(
        "access",
        "Open weights against closed models",
        ("Setting", "Questions", f"Open ({len(first.open)})", f"Closed ({len(first.closed)})",
         "Closed minus open"),
        made,
        labels=2,
        note="Means over models, each the same weight; intervals resample concepts and hold the "
        "models as they are.",
        breaks=breaks_of(made),
    )  # fmt: skip


def fairness_grid(results: ResultsView, flagged: bool = False) -> Grid | None:
    """Return each concept against its category, or only those that are flagged (M45)."""
    rows = []
    for one in results.fairness:
        for gap in one.concepts:
            if flagged and not gap.flagged:
                continue
            rows.append(
                (
                    model_cell(one.model),
                    Cell(one.setting),
                    Cell(one.category),
                    Cell(gap.concept),
                    Cell(f"{gap.share.n:,}"),
                    Cell(percent(gap.share.value)),
                    Cell(percent(one.overall.value)),
                    _gap(gap.gap, gap.low, gap.high),
                    Cell(p_text(gap.holm), "" if flagged or not gap.flagged else "flagged"),
                )
            )
    if not rows:
        return None
    made = unrepeated(rows, 3)
    starts = frozenset(
        k for k, row in enumerate(made) if k and not all(cell.same for cell in row[:3])
    )
    return Grid(
        "unfair" if flagged else "fairness",
        "Concepts that fare otherwise than their category" if flagged else "Every concept against "
        "its category",
        ("Model", "Setting", "Category", "Concept", "Questions", "Accuracy", "Category", "Gap",
         "p, all concepts"),
        made,
        labels=4,
        note="Gap in points, with Newcombe’s interval; p of Fisher’s exact test against the rest "
        "of the category, after Holm for the number of concepts.",
        breaks=starts,
    )  # fmt: skip


def _gap(gap: float, low: float | None, high: float | None) -> Cell:
    known = low is not None and high is not None
    ends = bracket_ends(100 * low, 100 * high, 1, sign=True) if known else ""  # type: ignore[operator]
    return Cell(percent(gap, sign=True), ends)


def fairness_sentence(results: ResultsView) -> str:
    """Say how many comparisons were made and how many are flagged."""
    if not results.fairness:
        return ""
    asked = sum(len(one.concepts) for one in results.fairness)
    found = sum(one.flagged for one in results.fairness)
    gap = results.fairness[0].threshold
    return (
        f"{found:,} of {asked:,} comparisons are flagged: the concept’s accuracy lies at least "
        f"{100 * gap:g} points from its category’s, and more than chance would explain."
    )


def ranks_grid(results: ResultsView) -> Grid | None:
    """Return how accuracy goes with a general leaderboard (M25, M29, M46)."""
    rows = []
    main = {None, *main_settings(results)}
    for one in results.ranks:
        if one.setting not in main:
            continue
        for key in keys_in([one.correlations], RANKED):
            found = one.correlations[key]
            rows.append(
                (
                    Cell(one.setting or "Mean over settings"),
                    Cell(part_title(key)),
                    Cell(f"{found.n}"),
                    Cell(number(found.rho, 2, sign=True)),
                    Cell(p_text(found.p)),
                    Cell(percent(found.per_rank, sign=True)),
                )
            )
    if not rows:
        return None
    made = unrepeated(rows)
    return Grid(
        "ranks",
        "Accuracy here against a general leaderboard",
        ("Setting", "Questions", "Models", "Spearman’s ρ", "p", "Points for one rank better"),
        made,
        labels=2,
        note="ρ is +1 when models that rank better in general are always more accurate here, and 0 "
        "when it says nothing.",
        breaks=breaks_of(made),
    )


def ranked_models_grid(results: ResultsView) -> Grid | None:
    """Return the models in the order of the leaderboard with their accuracies."""
    if not results.ranks:
        return None
    first = results.ranks[0]
    keys = keys_in([one.parts for one in first.models], RANKED)
    return Grid(
        "ranked-models",
        f"Models by general rank: {first.setting or 'mean over settings'}",
        ("Model", "Rank", *map(part_title, keys)),
        tuple(
            (
                model_cell(one.model),
                Cell(number(one.rank, 1)),
                *(Cell(percent(one.parts.get(key))) for key in keys),
            )
            for one in first.models
        ),
    )


def human_grid(results: ResultsView) -> Grid | None:
    """Return people's accuracy, and models on the questions that people answered (M26)."""
    if not results.human:
        return None
    keys = keys_in([*(h.parts for h in results.human)], RANKED)
    rows: list[tuple[Cell, ...]] = []
    for one in results.human:
        rows.append(
            (
                Cell(f"People ({one.model})"),
                Cell(one.setting),
                *(share_cell(one.parts.get(key)) for key in keys),
            )
        )
        rows += [
            (
                Cell(f"minus {model.model}"),
                Cell(model.setting),
                *(difference_cell(model.parts.get(key)) for key in keys),
            )
            for model in one.against
        ]
    return Grid(
        "human",
        "People beside models",
        ("Who", "Setting", *map(part_title, keys)),
        tuple(rows),
        labels=2,
        note="Accuracy of people in per cent; below, people minus each model in points, on the "
        "questions that people answered.",
    )


def cost_grid(run: FinishedMmpb) -> Grid | None:
    """Return calls, tokens, money and time of each model (M47).

    Tokens and money are those of the answers, whenever they were paid; calls and time are those of
    the starts of this run.
    """
    costs = run.results.costs
    if not costs:
        return None
    rows = []
    for one in costs:
        used = [m for session in run.sessions for m in session.models if m.model == one.model]
        calls = sum(each.calls for each in used) if used else None
        seconds = sum(each.seconds for each in used)
        cost = one.cost_usd
        per_1000 = None if cost is None or not one.questions else 1000 * cost / one.questions
        part = "partly" if one.rows_without_cost and cost is not None else ""
        shared = one.shared_tokens / one.prompt_tokens if one.prompt_tokens else None
        rows.append(
            (
                model_cell(one.model),
                Cell(f"{one.questions:,}"),
                _whole(calls),
                _whole(one.input_tokens),
                _whole(one.output_tokens),
                Cell(number(cost, 2), part),
                Cell(number(per_1000, 2)),
                Cell(number(seconds / calls, 2) if seconds and calls else NONE),
                _whole(one.prompt_tokens),
                Cell(percent(shared)),
            )
        )
    return Grid(
        "costs",
        "Calls, tokens, money and time",
        ("Model", "Answers", "Calls", "Tokens in", "Tokens out", "US dollars", "Per 1,000 answers",
         "Seconds a call", "Tokens in, estimated", "Shared with the call before, %"),
        tuple(rows),
        note="Calls and seconds are of this run’s own starts; answers that a ledger had need none. "
        "Tokens shared at the beginning with the call before are what a server’s prefix cache can "
        "save.",
    )  # fmt: skip


def _whole(value: int | None) -> Cell:
    return Cell(NONE if value is None else f"{value:,}")


def published_grid(run: FinishedMmpb) -> Grid | None:
    """Return the paper's numbers beside the run's, where a setting is equal."""
    found = [one for one in run.summary.published if one.here is not None]
    if not found:
        return None
    comparable = all(one.full_data for one in found)
    note = "The paper’s numbers are means over its own 23 models or fewer, on its own data. "
    note += (
        "This run has as many questions and concepts as the paper."
        if comparable
        else "This run’s data are others: the numbers are of the same kind, and not comparable."
    )
    return Grid(
        "published",
        "The paper’s numbers beside this run’s",
        ("What", "Paper", "Here", "Difference", "What of this run"),
        tuple(
            (
                Cell(one.what),
                Cell(number(one.published, 1), one.published_count),
                Cell(number(one.here, 1), one.here_count),
                Cell(number(one.difference, 1, sign=True)),
                Cell(f"{one.basis}. {one.note}".strip(" .")),
            )
            for one in found
        ),
        note=note,
        prose=frozenset({4}),
    )
