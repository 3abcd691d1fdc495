"""The findings of a PIPBench run in sentences, the same in every format."""

from __future__ import annotations

from eyeprint.maths.intervals import Interval
from eyeprint.report.pipbench_arena_view import Judged, RatedView
from eyeprint.report.pipbench_columns import (
    digits,
    main_column,
    main_prefix,
    split_title,
    titles_of,
)
from eyeprint.report.pipbench_table_views import (
    ColumnView,
    ImageMeasureView,
    ImageTableView,
    LiftView,
)
from eyeprint.report.pipbench_view import NO_PREFERENCE, FinishedPipbench
from eyeprint.report.words import FEW_PEOPLE, bracket, counted, listed, number

NO_STRANGER = "nobody else to compare with"
OFFLINE = "offline"
"""Name of the judge that asks no model."""
SHOWN = 4
"""Models that one sentence names; further ones are counted."""
FEWEST_PEOPLE = 5
"""With fewer people the first sentence is that they are too few."""


def with_ends(interval: Interval, places: int, sign: bool = False) -> str:
    """Return "mean [low, high]" with that many decimals.

    >>> with_ends(Interval(3.0, 2.0, 4.5, 9, 3), 1, sign=True).split()
    ['+3.0', '[+2.0,', '+4.5]']
    """
    ends = bracket(interval, places, sign)
    return number(interval.mean, places, sign) + (f"\u00a0{ends}" if ends else "")


def main_table(run: FinishedPipbench) -> ImageTableView:
    """Return the table that speaks first: real users' where there are such."""
    found = [table for table in run.summary.tables if table.split == "real"]
    return (found or list(run.summary.tables))[0]


def headline(run: FinishedPipbench) -> list[str]:
    """Return the findings in sentences, the most important first.

    Which model is nearest to its people's pictures, and by how much more than one that never
    saw them; whose pictures fit their own person better than a stranger; what judges say;
    how many pictures are missing, and how many look like copies.
    """
    people = run.summary.overall.persons
    said = _nearest(run)
    said += _lifts(run)
    if 1 < people < FEWEST_PEOPLE:
        # First of all, for an interval over so few people can be narrow by chance.
        said.insert(
            0,
            f"Pictures of {people} people are too few to say that one method is better: what "
            "follows describes these pictures only.",
        )
    said += [line for judged in run.judged for line in _rated(run, judged)]
    said.append(missing_sentence(run))
    said.append(copies_sentence(run))
    if FEWEST_PEOPLE <= people < FEW_PEOPLE:
        said.append(
            f"These are the pictures of {people} people: an interval from so few says little "
            "about others."
        )
    return said


def ranked_models(
    table: ImageTableView, column: ColumnView, with_reference: bool = False
) -> list[tuple[str, ImageMeasureView]]:
    """Return (label, measure) of models with a mean, the best first.

    Args:
        table: of one split.
        column: what they are ranked by, in its own direction.
        with_reference: whether the method that never sees a reference takes part (P49).
    """
    sign = -1 if column.better == "higher" else 1
    found = [
        (row.model, row.columns[column.name])
        for row in table.models
        if column.name in row.columns
        and row.columns[column.name].mean is not None
        and (with_reference or row.method != NO_PREFERENCE)
    ]
    return sorted(found, key=lambda each: sign * (each[1].mean or 0.0))


def _nearest(run: FinishedPipbench) -> list[str]:
    table = main_table(run)
    column = main_column(table.columns)
    if column is None:
        return ["No picture was compared with a person’s own pictures."]
    titles, places = titles_of(run), digits(column)
    order = ranked_models(table, column)
    if not order:
        order = ranked_models(table, column, with_reference=True)
    if not order:
        return [f"No {column.name} could be computed: no model has a picture that was scored."]
    label, best = order[0]
    where = f"{counted(table.cases, 'case')} of {split_title(table.split).lower()}"
    if len(order) == 1:
        first = f"{titles[label]} has a {column.name} of {_mean(table, best, places)} over {where}"
    else:
        first = (
            f"{titles[label]} paints nearest to people’s own pictures: {column.name} "
            f"{_mean(table, best, places)} over {where}"
        )
    said = [first + _against_reference(best, column, titles, table, label) + "."]
    if len(order) > 1:
        other, second = order[1]
        said.append(f"{titles[other]} follows at {_mean(table, second, places)}.")
    return said


def _mean(table: ImageTableView, measure: ImageMeasureView, places: int) -> str:
    return with_ends(table.interval(measure), places)


def _against_reference(
    best: ImageMeasureView,
    column: ColumnView,
    titles: dict[str, str],
    table: ImageTableView,
    label: str,
) -> str:
    gap, row = best.minus_reference, table.row(label)
    if gap is None or gap.mean is None or row is None or row.reference is None:
        return ""
    places = digits(column)
    base = titles.get(row.reference, row.reference)
    shown = with_ends(gap, places, sign=True)
    side = _side(gap, column)
    if side == 0:
        return f", too close to {base}, which sees no references, to tell apart ({shown})"
    return f", {'better' if side > 0 else 'worse'} than {base} ({shown})"


def _side(gap: Interval, column: ColumnView) -> int:
    """Return 1 when a difference is surely better, -1 when surely worse, else 0."""
    if gap.low is None or gap.high is None:
        return 0
    sign = 1 if column.better == "higher" else -1
    if gap.low > 0:
        return sign
    return -sign if gap.high < 0 else 0


def has_lift(lift: LiftView) -> bool:
    """Whether the whole interval of the lift over strangers is above 0."""
    return lift.lift.low is not None and lift.lift.low > 0


def main_lifts(run: FinishedPipbench) -> list[LiftView]:
    """Return the models' lifts in the encoder that speaks first, in the order of the tables."""
    prefix = main_prefix([lift.prefix for lift in run.summary.lifts])
    found = {lift.model: lift for lift in run.summary.lifts if lift.prefix == prefix}
    return [found[label] for label in titles_of(run) if label in found]


def _lifts(run: FinishedPipbench) -> list[str]:
    titles = titles_of(run)
    known = [lift for lift in main_lifts(run) if lift.lift.mean is not None]
    if not known:
        if not sum(run.summary.counts.pictures.values()):
            return []  # The first sentence says that nothing was scored.
        return [f"There is {NO_STRANGER}, so there is no lift over a stranger."]
    best = max(known, key=lambda lift: lift.lift.mean or 0.0)
    column = f"{best.prefix}-R"
    shown = with_ends(best.lift, 2, sign=True)
    if has_lift(best):
        said = [
            f"The largest lift is {titles[best.model]}’s: its pictures are nearer to their own "
            f"person’s than to a stranger’s by {shown} of {column}."
        ]
    else:
        said = [
            f"No model has a lift: not even {titles[best.model]}’s pictures are surely nearer to "
            f"their own person’s than to a stranger’s ({shown} of {column})."
        ]
        return said
    without = [titles[lift.model] for lift in known if not has_lift(lift)]
    if without:
        said.append(f"Without a lift, so that a stranger’s pictures are as near: {some(without)}.")
    return said


def some(names: list[str]) -> str:
    """Return a few names as running text, and how many more there are.

    >>> some(["a", "b", "c", "d", "e", "f"])
    'a, b, c, d and 2 more'
    """
    if len(names) <= SHOWN + 1:
        return listed(names)
    return f"{', '.join(names[:SHOWN])} and {len(names) - SHOWN} more"


def rating_text(row: RatedView) -> str:
    """Return a rating in whole points with its interval.

    >>> rating_text(RatedView(model="a", rating=1612.4, low=1580.2, high=1644.6)).split()
    ['1612', '[1580,', '1645]']
    """
    if row.low is None or row.high is None:
        return f"{row.rating:.0f}"
    return f"{row.rating:.0f}\u00a0[{number(row.low, 0)},\u00a0{number(row.high, 0)}]"


def judges_text(judged: Judged) -> str:
    """Name the judges of a judging."""
    names = [judge.judge for judge in judged.arena.judges] if judged.arena else []
    names = names or [each.judge for each in judged.certificates]
    return listed(["the offline judge" if name == OFFLINE else name for name in names])


def _rated(run: FinishedPipbench, judged: Judged) -> list[str]:
    titles, who = titles_of(run), judges_text(judged)
    failed = [each.judge for each in judged.certificates if not each.passed]
    warn = [f"{listed(failed)} failed the certificate of a judge."] if failed else []
    if judged.arena is None or not judged.arena.models:
        whose = f" of {who}" if who else ""
        return [f"The verdicts{whose} could not be turned into ratings.", *warn]
    best = judged.arena.models[0]
    text = (
        f"Judged by {who} as the person, {titles.get(best.model, best.model)} is rated highest, "
        f"{rating_text(best)}"
    )
    if best.rank_high > 1:
        text += f", though ranks 1 to {best.rank_high} are open"
    return [f"{text} ({counted(judged.arena.counted, 'verdict')}).", *warn]


def missing_sentence(run: FinishedPipbench) -> str:
    """Say how many pictures are missing, and why."""
    counts = run.summary.counts
    if not counts.all_missing:
        return f"All {counts.rows:,} pictures are there."
    kinds: dict[str, int] = {}
    for each in counts.missing.values():
        for kind, count in each.items():
            kinds[kind] = kinds.get(kind, 0) + count
    told = ", ".join(f"{kind} {count:,}" for kind, count in sorted(kinds.items()))
    return (
        f"{counts.all_missing:,} of {counts.rows:,} pictures are missing ({told}); they are "
        "counted as unscored, and no mean has them."
    )


def copies_sentence(run: FinishedPipbench) -> str:
    """Say how many pictures look like copies of a reference, and whose."""
    copies = run.summary.counts.copies
    total = sum(copies.values())
    if not total:
        return "No picture looks like a copy of a reference."
    titles = titles_of(run)
    who = [f"{titles[label]} {copies[label]:,}" for label in titles if label in copies]
    verb = "looks like a copy" if total == 1 else "look like copies"
    said = f"{counted(total, 'picture')} {verb} of a reference: {some(who)}."
    rows = run.summary.overall.models
    blind = [row.model for row in rows if row.method == NO_PREFERENCE and row.model in copies]
    if blind:
        names = listed([titles[label] for label in blind])
        said += (
            f" {names} saw no reference: on these data, pictures that are no copies are flagged."
        )
    return said
