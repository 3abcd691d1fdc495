"""Tables like the paper's Tables 3 and 7-10, with intervals, pairs, controls and both NV rules.

A *cell* is one (person, query, writer); methods are compared within cells. Columns:

===================  ==========================================================================
``pa gs cp nv``      means of the parts; ``nv`` is ``None`` where a policy sets it (a dash)
``score, score_c``   a :class:`Measure`: mean with its interval clustered by person, SD, win
                     share, Cohen's d, paired differences, unscored with the mean's bounds
``score_nv_one``     mean score if methods that never saw captions got NV = 1 instead (V66)
``lift``             score-c minus score-c against the wrong person, paired; the headline
``lift_shuffled``    the same against the shuffled profile
===================  ==========================================================================

Unscored rows are left out of means and counted; they never are zeros. A mean is therefore
over a method's own cells; methods are *ranked* by their means over the cells that all of
them share (``rank_on``), for a method must not gain by failing where prompts are hard. The
estimator is the mean over persons and queries (V5). score-c is what was compared with people
(V64); no weight of the latent objective is fitted or implied (V3).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from eyeprint.config import Settings
from eyeprint.maths.effects import cohens_d, win_shares
from eyeprint.maths.intervals import ClusterBootstrap, Interval
from eyeprint.randomness import stream
from eyeprint.scores.person_space import NvPolicy, VpttSettings
from eyeprint.scores.vptt_columns import Cells, ScoreColumns, pivot
from eyeprint.scores.vptt_score import DECIMALS, combine

PAPER_ORDER = ("baseline", "persona_only", "brag", "vprag", "comb")
GroupBy = Literal["query", "writer", "kind"]
RankOn = Literal["common_cells", "all_cells"]
Values = NDArray[np.float64]


class TableSettings(Settings):
    """How tables are made of scores."""

    score: VpttSettings = VpttSettings()
    """Weights of the parts, and which methods are unconditioned."""
    baseline: str = "baseline"
    """The method that the others are compared with."""
    draws: int = Field(default=1000, ge=1)
    """Bootstrap resamples of persons."""
    level: float = Field(default=0.95, gt=0, lt=1)
    """Share of resamples inside an interval."""
    seed: int = 0
    """Seed of the resamples."""
    rank_on: RankOn = "common_cells"
    """Rank by means over the cells in which every method is scored, or, as where there is
    no such cell, over all of each method's own (``all_cells``). Methods without any score
    take no part, and come last."""
    tie_tolerance: float = Field(default=1e-9, ge=0)
    """Methods this close to a cell's best share the win (V73)."""


class Frozen(BaseModel):
    """Base of the results: frozen and closed."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Measure(Frozen):
    """One number of one method over the cells of a table."""

    interval: Interval
    """Mean with the percentile interval of a bootstrap that resamples persons."""
    sd: float | None
    """Standard deviation over cells (n - 1)."""
    unscored: int
    """Rows without this number."""
    mean_if_zero: float | None
    """The mean if all unscored rows were 0."""
    mean_if_best: float | None
    """The mean if all unscored rows were 1, the best there is."""
    win: float | None
    """Share of cells in which the method is best, ties split (V73); sums to 1 over methods."""
    d_best: float | None
    """Cohen's d of the best method over this one; ``None`` for the best (V80, Table 3)."""
    d_baseline: float | None
    """Cohen's d of this method over Baseline; ``None`` for Baseline (Tables 7-10)."""
    minus_best: Interval | None
    """Paired difference to the best method, cell by cell; ``None`` for the best."""
    minus_baseline: Interval | None
    """Paired difference to Baseline; ``None`` for Baseline or without one."""


class MethodRow(Frozen):
    """One method in one table."""

    method: str
    rows: int
    """Prompts, scored or not."""
    pa: float | None
    gs: float | None
    cp: float | None
    nv: float | None
    score: Measure
    score_c: Measure
    score_nv_one: float | None
    lift: Interval
    lift_shuffled: Interval
    flag: str | None
    """In words, when the method has no lift over the wrong person."""


class VpttTable(Frozen):
    """All methods over the cells of one group."""

    group: dict[str, str]
    """What the cells have in common, such as ``{"query": "garden"}``; empty for all cells."""
    cells: int
    persons: int
    methods: tuple[MethodRow, ...]
    ranking: tuple[str, ...]
    """Methods by mean score, best first, with NV as the settings say (0 as published); see
    ``TableSettings.rank_on``."""
    ranking_nv_one: tuple[str, ...]
    """The same with NV = 1 for methods that never saw captions (V66)."""
    ranking_score_c: tuple[str, ...]
    ranked_cells: dict[str, int]
    """``score``, ``score_nv_one``, ``score_c`` -> cells that this ranking rests on: those that
    all methods share, or all."""
    settings: TableSettings

    def row(self, method: str) -> MethodRow:
        """Return one method's row; KeyError when it is not in the table."""
        for row in self.methods:
            if row.method == method:
                return row
        raise KeyError(method)


def vptt_tables(
    columns: ScoreColumns, by: Sequence[GroupBy] = (), settings: TableSettings | None = None
) -> list[VpttTable]:
    """Make one table per group of cells, groups in sorted order.

    ``by=()`` is one table over everything, ``("kind", "writer")`` the paper's Table 3,
    ``("query", "writer")`` Tables 7-10, ``("query",)`` per task. The same rows in any
    order give the same numbers.

    Raises:
        DataError: two rows have the same person, query, method and writer.

    >>> rows = [{"person": p, "query": "q", "method": m, "pa": x, "gs": x, "cp": x, "nv": 1,
    ...          "wrong": 0.4} for p in "ab" for m, x in (("brag", 0.5), ("vprag", 0.75))]
    >>> table = vptt_tables(ScoreColumns.from_rows(rows))[0]
    >>> table.ranking, table.row("vprag").score_c.win, table.row("vprag").lift.mean
    (('vprag', 'brag'), 1.0, 0.35)
    """
    settings = settings or TableSettings()
    cells = pivot(columns, _ordered(set(columns.method.tolist())))
    keys = np.stack([getattr(cells, name) for name in by], axis=1) if by else None
    if keys is None or not len(keys):
        return [_table(cells, {}, settings)]
    groups, owner = np.unique(keys, axis=0, return_inverse=True)
    return [
        _table(
            cells.where(owner.ravel() == i), dict(zip(by, group.tolist(), strict=True)), settings
        )
        for i, group in enumerate(groups)
    ]


def with_nv(nv: Values, methods: Sequence[str], policy: NvPolicy, settings: VpttSettings) -> Values:
    """Return NV, shape (cells, methods), with the unconditioned methods' set by a policy (V66)."""
    fixed = {"published_zero": 0.0, "one": 1.0, "skip": np.nan}.get(policy)
    result = nv.copy()
    if fixed is not None:
        result[:, [method in settings.unconditioned_methods for method in methods]] = fixed
    return result


def _table(cells: Cells, group: dict[str, str], settings: TableSettings) -> VpttTable:
    keep = np.flatnonzero(cells.rows.any(axis=0))
    methods = tuple(cells.methods[j] for j in keep)
    parts = {name: table[:, keep] for name, table in cells.values.items()}
    rows = cells.rows[:, keep]
    rules = settings.score
    policy = rules.nv_unconditioned
    nv = with_nv(parts["nv"], methods, policy, rules)
    base = (parts["pa"], parts["gs"], parts["cp"])
    score, score_c = (np.round(each, DECIMALS) for each in combine(*base, nv, rules.weights))
    other, _ = combine(*base, with_nv(parts["nv"], methods, "one", rules), rules.weights)
    key = "|".join(f"{name}={value}" for name, value in sorted(group.items()))
    rng = stream(settings.seed, "vptt-table", key).numpy()
    boot = ClusterBootstrap(cells.person, settings.draws, rng, settings.level)
    scores = _measures(score, rows, methods, boot, settings)
    scores_c = _measures(score_c, rows, methods, boot, settings)
    lifts = boot.means(score_c - parts["wrong"])
    shuffled = boot.means(score_c - parts["shuffled"])
    orders = {
        name: rank(values, settings.rank_on)
        for name, values in (("score", score), ("score_nv_one", other), ("score_c", score_c))
    }
    ranking, ranking_nv_one, ranking_score_c = (
        tuple(methods[j] for j in order.columns) for order in orders.values()
    )
    dashes = rules.unconditioned_methods if policy != "measured" else ()
    return VpttTable(
        group=group,
        cells=len(rows),
        persons=len(np.unique(cells.person)),
        methods=tuple(
            MethodRow(
                method=method,
                rows=int(rows[:, j].sum()),
                pa=_mean(parts["pa"][:, j]),
                gs=_mean(parts["gs"][:, j]),
                cp=_mean(parts["cp"][:, j]),
                nv=None if method in dashes else _mean(nv[:, j]),
                score=scores[j],
                score_c=scores_c[j],
                score_nv_one=_mean(other[:, j]),
                lift=lifts[j],
                lift_shuffled=shuffled[j],
                flag=lift_flag(method, lifts[j], settings.level),
            )
            for j, method in enumerate(methods)
        ),
        ranking=ranking,
        ranking_nv_one=ranking_nv_one,
        ranking_score_c=ranking_score_c,
        ranked_cells={name: order.cells for name, order in orders.items()},
        settings=settings,
    )


def _measures(
    table: Values,
    rows: NDArray[np.bool_],
    methods: tuple[str, ...],
    boot: ClusterBootstrap,
    settings: TableSettings,
) -> list[Measure]:
    """Measure each column of one number, shape (cells, methods)."""
    count = len(methods)
    if not count:
        return []
    best = rank(table, settings.rank_on).best
    base = methods.index(settings.baseline) if settings.baseline in methods else None
    against_best = table - table[:, [best if best is not None else 0]]
    against_base = table - table[:, [base if base is not None else 0]]
    intervals = boot.means(np.concatenate([table, against_best, against_base], axis=1))
    wins = win_shares(table, settings.tie_tolerance)
    found = []
    for j in range(count):
        column = table[:, j]
        present = column[~np.isnan(column)]
        asked = int(rows[:, j].sum())
        missing = asked - present.size
        to_best, to_base = best not in (None, j), base not in (None, j)
        found.append(
            Measure(
                interval=intervals[j],
                sd=float(present.std(ddof=1)) if present.size > 1 else None,
                unscored=missing,
                mean_if_zero=float(present.sum() / asked) if asked else None,
                mean_if_best=float((present.sum() + missing) / asked) if asked else None,
                win=_number(wins[j]),
                d_best=_number(cohens_d(table[:, best or 0], column)) if to_best else None,
                d_baseline=_number(cohens_d(column, table[:, base or 0])) if to_base else None,
                minus_best=intervals[count + j] if to_best else None,
                minus_baseline=intervals[2 * count + j] if to_base else None,
            )
        )
    return found


def lift_flag(method: str, lift: Interval, level: float = 0.95) -> str | None:
    """Say in words that a method has no lift; ``None`` when it has one.

    A method has a lift when the whole interval of score-c(own) - score-c(wrong person)
    is above 0, by more than scores are rounded to.

    >>> lift_flag("baseline", Interval(0.0, -0.01, 0.01, 40, 10))
    'baseline has no lift over a wrong person: +0.000, 95 % interval -0.010 to +0.010.'
    """
    if lift.mean is None:
        return f"{method} has no lift to show: {lift.reason}."
    mean = _signed(lift.mean)
    if lift.low is None or lift.high is None:
        return f"{method} has a lift of {mean} without an interval: {lift.reason}."
    if lift.low > 10.0**-DECIMALS:
        return None
    interval = f"{level * 100:g} % interval {_signed(lift.low)} to {_signed(lift.high)}"
    return f"{method} has no lift over a wrong person: {mean}, {interval}."


def _signed(value: float) -> str:
    # Adding 0 turns -0.0 into 0.0: a lift of nothing has no direction.
    return f"{round(value, 3) + 0.0:+.3f}"


def _ordered(methods: set[str]) -> tuple[str, ...]:
    known = [method for method in PAPER_ORDER if method in methods]
    return (*known, *sorted(methods - set(known)))


class Ranking(NamedTuple):
    """Columns of a table by falling mean."""

    columns: tuple[int, ...]
    cells: int
    """Cells that the means are over."""
    best: int | None
    """The first column; ``None`` when no column has a value."""


def rank(table: Values, on: RankOn = "common_cells") -> Ranking:
    """Rank the columns of shape (cells, methods), ties by the table's order.

    With ``common_cells``, means are over the rows where no column is NaN, columns that are
    NaN throughout aside: methods are compared on equal terms. Where there is no such row, or
    with ``all_cells``, each mean is over its own rows.

    >>> table = np.array([[0.5, 0.6], [0.1, np.nan]])
    >>> rank(table).columns, rank(table).cells, rank(np.array([[0.5, 0.6], [0.9, np.nan]])).columns
    ((1, 0), 1, (1, 0))
    >>> rank(np.array([[0.5, 0.6], [0.9, np.nan]]), "all_cells").columns
    (0, 1)
    """
    scored = ~np.isnan(table)
    known = scored.any(axis=0)
    shared = scored[:, known].all(axis=1) & known.any()
    rows = table[shared] if on == "common_cells" and shared.any() else table
    means = [_mean(column) for column in rows.T]
    order = sorted(range(len(means)), key=lambda j: (means[j] is None, -(means[j] or 0.0)))
    return Ranking(tuple(order), len(rows), order[0] if known.any() else None)


def _mean(column: Values) -> float | None:
    present = column[~np.isnan(column)]
    return float(present.mean()) if present.size else None


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
