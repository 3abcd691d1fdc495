"""What judges said, as grids: ratings, win matrix, judges, certificates, people (P54-P58, X9)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from eyeprint.report.grids import Cell, Grid
from eyeprint.report.page import anchor
from eyeprint.report.pipbench_arena_view import ArenaView, Judged, JudgePairView, RateView
from eyeprint.report.pipbench_columns import arrow, titles_of
from eyeprint.report.pipbench_view import FinishedPipbench
from eyeprint.report.pipbench_words import rating_text
from eyeprint.report.words import NONE, number

TOP_PAIRS = 3
"""Pairs of models for which every judge's wins, ties and losses are drawn (P55)."""
PROBES = {
    "identical": "The same picture twice: called different",
    "position": "Same side wins in both orders",
    "length": "More words in the request: called different",
    "planted": "Follows words in the picture or the request",
    "refusals": "Replies without a verdict",
}
HUMAN_TIES = {"exact": "Ties are answers", "decided": "Without ties", "half": "A tie is half"}


def rate_cell(rate: RateView) -> Cell:
    """Return a share in per cent with its interval.

    >>> cell = rate_cell(RateView(share=0.914, low=0.87, high=0.94, n=200))
    >>> cell.text.split(), cell.aside.split()
    (['91.4', '%'], ['[87,', '94]'])
    """
    if rate.share is None:
        return Cell(NONE)
    ends = ""
    if rate.low is not None and rate.high is not None:
        ends = f"[{100 * rate.low:.0f},\u00a0{100 * rate.high:.0f}]"
    return Cell(f"{100 * rate.share:.1f}\u00a0%", ends)


def whole_percent(share: float | None) -> str:
    """Return a share in whole per cent."""
    return NONE if share is None else f"{100 * share:.0f}\u00a0%"


def arena_grids(run: FinishedPipbench, judged: Judged) -> dict[str, Grid]:
    """Return every table of one judging by what it is about; those without content are left out.

    Keys: ratings, matrix, pairs, judges, agreement, certificates, humans, picks, metrics.
    """
    titles = titles_of(run)
    alone = len(run.judged) == 1
    tail = "" if alone else f"-{anchor(judged.name)[:12]}"
    found: dict[str, Grid | None] = {"certificates": _certificates(judged)}
    arena = judged.arena
    if arena is not None:
        found = {
            "ratings": _ratings(arena, titles),
            "matrix": _matrix(arena, titles),
            "pairs": _pairs(arena.judge_pairs, titles),
            "judges": _judges(arena),
            "agreement": _agreement(arena),
            **found,
            "humans": _humans(arena),
            "picks": _picks(arena, titles),
            "metrics": _metrics(run, arena),
        }
    grids: dict[str, Grid] = {}
    for name, grid in found.items():
        if grid is None or not grid.rows:
            continue
        title = grid.title if alone else f"{grid.title} ({judged.name[:12]})"
        grids[name] = replace(grid, id=grid.id + tail, title=title)
    return grids


def _named(titles: Mapping[str, str], label: str) -> Cell:
    return Cell(titles.get(label, label), method=label)


def _ratings(arena: ArenaView, titles: Mapping[str, str]) -> Grid:
    rows = []
    for row in arena.models:
        shown, _, ends = rating_text(row).partition("\u00a0")
        low, high = row.rank_low, row.rank_high
        rows.append(
            (
                Cell(f"{row.rank}"),
                _named(titles, row.model),
                Cell(shown, ends),
                Cell(f"{low}" if low == high else f"{low}–{high}"),
                Cell(whole_percent(row.best)),
                Cell(whole_percent(row.win_rate)),
                Cell(f"{row.wins:,} / {row.ties:,} / {row.losses:,}"),
            )
        )
    note = arena.how
    if arena.unrated:
        names = ", ".join(titles.get(label, label) for label in arena.unrated)
        note += f" Without a counted verdict, and so without a rating: {names}."
    columns = ("Rank", "Model", "Rating", "Ranks left open", "Best", "Win rate", "Win / tie / loss")
    return Grid("ratings", "Ratings", columns, tuple(rows), 2, note)


def _matrix(arena: ArenaView, titles: Mapping[str, str]) -> Grid:
    matrix = arena.matrix
    rows = []
    for i, model in enumerate(matrix.models):
        rates = (
            Cell("" if i == j else whole_percent(rate)) for j, rate in enumerate(matrix.rates[i])
        )
        rows.append((_named(titles, model), *rates))
    names = tuple(titles.get(model, model) for model in matrix.models)
    return Grid(
        "matrix",
        "Win rates",
        ("Row against column", *names),
        tuple(rows),
        note="Of the row against the column: (wins + ties / 2) / verdicts; the best rated first.",
    )


def top_pairs(arena: ArenaView) -> list[JudgePairView]:
    """Return the judges' verdicts on the best rated model and those that follow it (P55)."""
    order = [row.model for row in arena.models]
    rivals = order[1 : TOP_PAIRS + 1]
    found: dict[tuple[str, str], list[JudgePairView]] = {}
    for pair in arena.judge_pairs:
        found.setdefault((pair.model, pair.against), []).append(pair)
    return [pair for rival in rivals for pair in found.get((order[0], rival), [])]


def _pairs(pairs: Sequence[JudgePairView], titles: Mapping[str, str]) -> Grid:
    rows: list[tuple[Cell, ...]] = []
    breaks = set()
    before = None
    for pair in pairs:
        same = (pair.model, pair.against) == before
        if rows and not same:
            breaks.add(len(rows))
        before = (pair.model, pair.against)
        total = pair.verdicts or 1
        rows.append(
            (
                _named(titles, pair.model),
                _named(titles, pair.against),
                Cell(pair.judge),
                Cell(whole_percent(pair.wins / total)),
                Cell(
                    whole_percent(pair.ties / total),
                    f"{pair.ties_explicit} said, {pair.ties_low_confidence} unsure"
                    if pair.ties
                    else "",
                ),
                Cell(whole_percent(pair.losses / total)),
                Cell(f"{pair.verdicts:,}"),
            )
        )
    columns = ("Model", "Against", "Judge", "Win", "Tie", "Loss", "Verdicts")
    title = "Win, tie and loss by judge"
    return Grid("pairs", title, columns, tuple(rows), 3, breaks=frozenset(breaks))


def _judges(arena: ArenaView) -> Grid:
    both = any(judge.same_both_ways.n for judge in arena.judges)
    rows = []
    for judge in arena.judges:
        left_out = ", ".join(f"{why} {count:,}" for why, count in judge.excluded.items())
        ties = judge.ties_explicit + judge.ties_low_confidence
        cells = [
            Cell(judge.judge),
            Cell(f"{judge.counted:,} of {judge.verdicts:,}"),
            Cell(left_out or "none"),
            Cell(whole_percent(ties / judge.counted if judge.counted else None)),
            Cell(f"{judge.ties_explicit:,} / {judge.ties_low_confidence:,}"),
            Cell(f"{judge.without_confidence:,}"),
            rate_cell(judge.first_shown),
        ]
        rows.append((*cells, rate_cell(judge.same_both_ways)) if both else tuple(cells))
    columns = (
        "Judge",
        "Counted",
        "Left out",
        "Ties",
        "Said / unsure",
        "No confidence",
        "First shown wins",
        *(("Same both ways",) if both else ()),
    )
    note = (
        "A tie is said by the judge, or made of a verdict below the confidence that counts. "
        "First shown wins: 50 % is no bias."
    )
    return Grid("judges", "Judges", columns, tuple(rows), note=note)


def _agreement(arena: ArenaView) -> Grid | None:
    found = arena.judges_agree
    if found is None:
        return None
    rows = tuple(
        (Cell(pair.judge), Cell(pair.other), rate_cell(pair.same), Cell(f"{pair.same.n:,}"))
        for pair in found.pairs
    )
    note = (
        f"Krippendorff’s α {number(found.alpha_nominal)} (win, tie, loss as names), "
        f"{number(found.alpha_ordinal)} (tie between them), over {found.comparisons:,} "
        f"comparisons; Kendall’s W of the judges’ own ratings {number(found.kendalls_w)}."
    )
    columns = ("Judge", "And", "Say the same", "Comparisons")
    return Grid("agreement", "Whether judges agree", columns, rows, 2, note)


def _certificates(judged: Judged) -> Grid:
    rows: list[tuple[Cell, ...]] = []
    breaks = set()
    for each in judged.certificates:
        if rows:
            breaks.add(len(rows))
        for place, probe in enumerate(each.probes):
            rows.append(
                (
                    Cell(each.judge if place == 0 else ""),
                    Cell(PROBES.get(probe.name, probe.name)),
                    Cell("passed" if probe.passed else "failed"),
                    Cell(whole_percent(probe.share)),
                    Cell(whole_percent(probe.limit)),
                    Cell(f"{probe.counted:,} of {probe.asked:,}"),
                    Cell(probe.detail),
                )
            )
    return Grid(
        "certificates",
        "Certificates of the judges",
        ("Judge", "Probe", "Result", "Found", "At most", "Counted", "In words"),
        tuple(rows),
        2,
        "Asked before any verdict: lower is better in every probe. A judge that fails is not "
        "asked, unless the run says so.",
        frozenset(breaks),
        frozenset({6}),
    )


def _humans(arena: ArenaView) -> Grid | None:
    found = arena.humans
    if found is None:
        return None
    rows = tuple(
        (
            Cell(row.judge),
            rate_cell(row.exact),
            rate_cell(row.decided),
            rate_cell(row.half),
            Cell(f"{row.exact.n:,}"),
        )
        for row in found.agreement
    )
    note = (
        f"{found.raters:,} raters on {found.comparisons:,} comparisons ({found.ties:,} ties by "
        f"their majority), {found.shared:,} of them judged; α among raters {number(found.alpha)}."
    )
    columns = ("Judge", *HUMAN_TIES.values(), "Comparisons")
    return Grid("humans", "Agreement with the majority of people", columns, rows, note=note)


def _picks(arena: ArenaView, titles: Mapping[str, str]) -> Grid:
    rows = tuple(
        (
            Cell(f"{pick.rank}"),
            _named(titles, pick.model),
            Cell(f"{pick.picked:,}"),
            rate_cell(pick.share),
        )
        for pick in arena.picks
    )
    columns = ("Rank", "Model", "Picked", "Share")
    return Grid("picks", "Picked as the best of several", columns, rows, 2)


def _metrics(run: FinishedPipbench, arena: ArenaView) -> Grid:
    rows = []
    for metric in arena.metrics:
        column = run.summary.overall.column(metric.metric)
        ends = ""
        if metric.low is not None and metric.high is not None:
            low, high = number(metric.low, 2, sign=True), number(metric.high, 2, sign=True)
            ends = f"[{low},\u00a0{high}]"
        rows.append(
            (
                Cell(metric.metric if column is None else arrow(column)),
                Cell(number(metric.spearman, 2, sign=True), ends),
                Cell(f"{metric.models:,}"),
            )
        )
    note = (
        "Spearman’s ρ of means and ratings; where lower is better (↓), −1 is full agreement. The "
        "interval is over draws of the ratings; the means are held fixed."
    )
    columns = ("Column", "ρ with the rating", "Models")
    return Grid("metrics", "Do metrics follow the ratings?", columns, tuple(rows), note=note)
