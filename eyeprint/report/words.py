"""Numbers and findings in words, the same in every format."""

from __future__ import annotations

from collections.abc import Sequence

from eyeprint.maths.intervals import Interval
from eyeprint.report.run_folder_view import FinishedRun, MeasureName, MethodView, TableView

TITLES = {
    "baseline": "Baseline",
    "persona_only": "Persona Only",
    "brag": "BRAG",
    "vprag": "VPRAG",
    "comb": "Comb.",
}
"""Names of the methods as the paper prints them."""

MEASURES: dict[MeasureName, str] = {"score": "Score", "score_c": "Score-c"}

NONE = "—"
"""What stands where there is no number."""

ONE_PERSON = (
    "There is only one person: nobody else to compare with, so there is no lift and no interval."
)
FEW_PEOPLE = 10
"""With fewer people than this a report warns of its own intervals and effect sizes."""

DEFINITIONS = (
    ("PA", "Persona alignment", "How close the prompt is to the description of the person: the "
     "cosine of their embeddings, from −1 to 1. Naming who the person is raises it."),
    ("GS", "Subspace alignment", "How much of the prompt lies in the space that the person’s own "
     "captions span, from 0 to 1."),
    ("CP", "Cluster proximity", "How near the prompt comes to one of the person’s recurring "
     "themes: e to the minus distance to the nearest cluster of captions, from 0 to 1."),
    ("NV", "Novelty", "How little the prompt copies: 1 minus the largest share of its three-word "
     "sequences found in any one caption, from 0 (copied) to 1 (new)."),
    ("Score", "All four", "The weighted sum of the four parts above."),
    ("Score-c", "Alignment only", "The mean of PA, GS and CP; novelty is left out. This is the "
     "form that was compared with people’s judgements."),
    ("Lift", "Own person against a stranger", "Score-c against the person the prompt was written "
     "for, minus score-c against somebody else. At 0, nothing personal was added."),
    ("Win", "Share of wins", "How often a method is best among all methods for the same person, "
     "task and writer; ties are split."),
    ("d", "Cohen’s d", "A difference of means in units of the pooled standard deviation."),
)  # fmt: skip
"""Short name, long name, meaning; higher is better for all but d against the best."""


def method_title(name: str) -> str:
    """Return a method's printed name.

    >>> method_title("persona_only"), method_title("my_method")
    ('Persona Only', 'my method')
    """
    return TITLES.get(name, name.replace("_", " "))


def writer_title(name: str) -> str:
    """Return a writer's printed name: ``plain`` is concatenation, not a model.

    >>> writer_title("plain")
    'concatenation'
    """
    return "concatenation" if name == "plain" else name


def number(value: float | None, digits: int = 3, sign: bool = False) -> str:
    """Return a number with a true minus sign, or a dash when there is none.

    >>> number(-0.0504), number(0.25, sign=True), number(None)
    ('−0.050', '+0.250', '—')
    """
    if value is None:
        return NONE
    shown = f"{value:+.{digits}f}" if sign else f"{value:.{digits}f}"
    if float(shown) == 0:
        shown = shown.replace("-", "").replace("+", "")
    return shown.replace("-", "−")


def bracket(interval: Interval | None, digits: int = 3, sign: bool = False) -> str:
    """Return an interval's ends in brackets, held together by no-break spaces; "" without.

    >>> bracket(Interval(0.5, 0.4, 0.6, 9, 3)).split()
    ['[0.400,', '0.600]']
    """
    return "" if interval is None else bracket_ends(interval.low, interval.high, digits, sign)


def bracket_ends(low: float | None, high: float | None, digits: int = 3, sign: bool = False) -> str:
    """Return two ends in brackets, held together by a no-break space; "" without either.

    >>> bracket_ends(1500.2, 1612.8, 0).split()
    ['[1500,', '1613]']
    """
    if low is None or high is None:
        return ""
    return f"[{number(low, digits, sign)},\u00a0{number(high, digits, sign)}]"


def with_interval(interval: Interval | None, sign: bool = False) -> str:
    """Return "mean [low, high]", the mean alone without an interval, a dash without a mean."""
    if interval is None:
        return NONE
    ends = bracket(interval, sign=sign)
    return number(interval.mean, sign=sign) + (f"\u00a0{ends}" if ends else "")


def percent(share: float | None) -> str:
    """Return a share as a percentage with one decimal.

    >>> percent(0.4567)
    '45.7'
    """
    return NONE if share is None else f"{100 * share:.1f}"


def listed(items: Sequence[str]) -> str:
    """Return items as running text.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    if len(items) < 2:
        return "".join(items)
    return ", ".join(items[:-1]) + " and " + items[-1]


def counted(n: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun.

    >>> counted(1, "person", "people"), counted(12000, "prompt")
    ('1 person', '12,000 prompts')
    """
    return f"{n:,} {one if n == 1 else (many or one + 's')}"


def has_lift(row: MethodView) -> bool:
    """Whether the whole interval of the lift over the wrong person is above 0."""
    return row.flag is None and row.lift.low is not None and row.lift.low > 0


def lift_sentence(row: MethodView) -> str:
    """Say what the lift of one method means."""
    who, lift = method_title(row.method), row.lift
    if lift.mean is None:
        return f"{who} has no lift to show: {lift.reason or 'nothing was compared'}."
    if lift.low is None or lift.high is None:
        why = lift.reason or "there are too few people"
        return (
            f"{who}’s lift over a stranger is {number(lift.mean, sign=True)}, without an "
            f"interval: {why}."
        )
    if has_lift(row):
        return (
            f"{who}’s prompts fit their own person better than a stranger by {with_interval(lift)}."
        )
    if lift.high < 0:
        return (
            f"{who}’s prompts fit a stranger better than their own person (lift "
            f"{with_interval(lift, sign=True)})."
        )
    return (
        f"{who} has no lift: its prompts fit a stranger as well as their own person (lift "
        f"{with_interval(lift, sign=True)})."
    )


def ranked(table: TableView, measure: MeasureName) -> list[MethodView]:
    """Return the methods in the order of the table's ranking, else by falling mean."""
    ranking = table.ranking if measure == "score" else table.ranking_score_c
    rows = [table.row(name) for name in ranking]
    found = [row for row in rows if row is not None]
    if len(found) == len(table.methods):
        return found

    def key(row: MethodView) -> tuple[bool, float]:
        mean = row.measure(measure).interval.mean
        return mean is None, -(mean or 0.0)

    return sorted(table.methods, key=key)


def headline(run: FinishedRun) -> list[str]:
    """Return the findings in sentences, the most important first.

    The first speaks of the best method and its lift over a stranger; then who leads by
    how much, whose lift is larger, what the other rule for NV would change, and each
    method without a lift.
    """
    table, measure = run.summary.overall, run.settings.measure
    order = ranked(table, measure)
    best = order[0]
    alone = table.persons == 1
    said = [ONE_PERSON if alone else lift_sentence(best)]
    if len(order) > 1:
        said.append(_lead(best, order[1], measure, table.shared(measure)))
        said += _largest_lift(table, best)
        if measure == "score" and table.ranking and table.ranking_nv_one:
            said.append(_other_rule(table, best))
    if not alone:
        said += [lift_sentence(row) for row in order[1:] if not has_lift(row)]
    if 1 < table.persons < FEW_PEOPLE:
        said.append(
            f"These are {table.persons} people: an interval from so few says little about others."
        )
    return said


def _lead(
    best: MethodView, second: MethodView, measure: MeasureName, shared: int | None = None
) -> str:
    name = MEASURES[measure].lower()
    first = best.measure(measure).interval
    if first.mean is None:
        return f"No {name} could be computed."
    text = f"{method_title(best.method)} has the best mean {name}, {with_interval(first)}"
    if shared is not None:
        text = (
            f"{method_title(best.method)} has the best mean {name} on the "
            f"{counted(shared, 'comparison')} in which every method is scored; over all of its "
            f"prompts it is {with_interval(first)}"
        )
    gap = second.measure(measure).minus_best
    if gap is None or gap.mean is None:
        return text + "."
    other = method_title(second.method)
    text += f"; {other} follows at {number(second.measure(measure).interval.mean)}"
    apart = f"paired difference {with_interval(gap, sign=True)}"
    if gap.high is None:
        return f"{text} ({apart})."
    if gap.high < 0:
        return f"{text} ({apart})."
    return f"{text}, too close to tell apart ({apart})."


def _largest_lift(table: TableView, best: MethodView) -> list[str]:
    known = [row for row in table.methods if row.lift.mean is not None]
    top = max(known, key=lambda row: row.lift.mean or 0.0, default=best)
    if top is best or (top.lift.mean or 0.0) <= (best.lift.mean or 0.0):
        return []
    return [
        f"The largest lift is {method_title(top.method)}’s, {with_interval(top.lift, sign=True)}."
    ]


def _other_rule(table: TableView, best: MethodView) -> str:
    first, other = table.ranking[0], table.ranking_nv_one[0]
    rule = "If methods that never saw a caption got NV = 1 instead of 0"
    if first == other:
        if table.ranking == table.ranking_nv_one:
            return f"{rule}, the ranking would be the same."
        return (
            f"{rule}, {method_title(best.method)} would still be first; the order below it "
            "would change."
        )
    return f"{rule}, {method_title(other)} would come first."
