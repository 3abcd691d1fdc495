"""The tables of an arena: rows of plain values, and the same rows as texts to be read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from eyeprint.scores.arena_result import ArenaResult, HumanAgreement, RateFound

Row = dict[str, Any]


class ArenaTable(NamedTuple):
    """One table."""

    name: str
    """Name of its file, without ending."""
    title: str
    rows: tuple[Row, ...]
    """Column -> value; numbers in full, ``None`` where there is none."""
    texts: tuple[Mapping[str, str], ...]
    """The same as short texts, intervals beside their values; fewer columns."""
    note: str = ""


def arena_tables(result: ArenaResult) -> list[ArenaTable]:
    """Return every table that a result has something for, the ratings first."""
    found = [_ratings(result), _matrix(result), _judges(result), _pairs(result)]
    if result.judges_agree is not None:
        found.append(_agreement(result))
    if result.humans is not None:
        found.append(_humans(result))
    if result.picks:
        found.append(_picks(result))
    if result.metrics:
        found.append(_metrics(result))
    return found


def _ratings(result: ArenaResult) -> ArenaTable:
    rows: list[Row] = [row.model_dump() for row in result.models]
    texts = [
        {
            "rank": _range(row.rank, row.rank_low, row.rank_high),
            "model": row.model,
            "rating": f"{row.rating:.0f}",
            "interval": f"{row.low:.0f} to {row.high:.0f}",
            "best": percent(row.best),
            "win rate": percent(row.win_rate),
            "win/tie/loss": f"{row.wins}/{row.ties}/{row.losses}",
        }
        for row in result.models
    ]
    return ArenaTable("ratings", "Ratings", tuple(rows), tuple(texts), result.how)


def _range(rank: int, low: int, high: int) -> str:
    return f"{rank}" if low == high else f"{rank} ({low}–{high})"


def _matrix(result: ArenaResult) -> ArenaTable:
    matrix = result.matrix
    rows, texts = [], []
    for i, model in enumerate(matrix.models):
        texts.append(
            {"model": model}
            | {
                other: "" if i == j else percent(matrix.rates[i][j])
                for j, other in enumerate(matrix.models)
            }
        )
        for j, other in enumerate(matrix.models):
            if i != j:
                rows.append(
                    {
                        "model": model,
                        "against": other,
                        "win_rate": matrix.rates[i][j],
                        "wins": matrix.wins[i][j],
                        "ties": matrix.ties[i][j],
                        "losses": matrix.wins[j][i],
                        "rated_above": matrix.above[i][j],
                    }
                )
    note = "Win rate of the row against the column, (wins + ties / 2) / n; the best model first."
    return ArenaTable("win_matrix", "Win rates", tuple(rows), tuple(texts), note)


def _judges(result: ArenaResult) -> ArenaTable:
    rows, texts = [], []
    for judge in result.judges:
        row: Row = {
            "judge": judge.judge,
            "verdicts": judge.verdicts,
            "counted": judge.counted,
            "ties_explicit": judge.ties_explicit,
            "ties_low_confidence": judge.ties_low_confidence,
            "without_confidence": judge.without_confidence,
        }
        row |= {f"excluded_{why}": n for why, n in judge.excluded.items()}
        row |= _flat("first_shown", judge.first_shown)
        row |= _flat("same_both_ways", judge.same_both_ways)
        rows.append(row)
        excluded = ", ".join(f"{n} {why}" for why, n in judge.excluded.items())
        ties = judge.ties_explicit + judge.ties_low_confidence
        text = {
            "judge": judge.judge,
            "counted": f"{judge.counted} of {judge.verdicts}",
            "left out": excluded or "none",
            "ties": percent(ties / judge.counted if judge.counted else None),
            "stated / unsure": f"{judge.ties_explicit} / {judge.ties_low_confidence}",
            "first shown wins": rate_text(judge.first_shown),
        }
        if any(other.same_both_ways.n for other in result.judges):
            text["same both ways"] = rate_text(judge.same_both_ways)
        texts.append(text)
    note = "50 % for what was shown first is no bias."
    return ArenaTable("judges", "Judges", tuple(rows), tuple(texts), note)


def _pairs(result: ArenaResult) -> ArenaTable:
    rows = [row.model_dump() for row in result.judge_pairs]
    texts = [
        {
            "model": row.model,
            "against": row.against,
            "judge": row.judge,
            "win": percent(row.wins / (row.wins + row.ties + row.losses)),
            "tie": percent(row.ties / (row.wins + row.ties + row.losses)),
            "loss": percent(row.losses / (row.wins + row.ties + row.losses)),
            "verdicts": str(row.wins + row.ties + row.losses),
        }
        for row in result.judge_pairs
    ]
    return ArenaTable("judge_pairs", "Win, tie and loss by judge", tuple(rows), tuple(texts))


def _agreement(result: ArenaResult) -> ArenaTable:
    found = result.judges_agree
    pairs = found.pairs if found is not None else ()
    rows = [{"judge": p.judge, "other": p.other, **_flat("same", p.same)} for p in pairs]
    texts = [
        {"judge": p.judge, "other": p.other, "same": rate_text(p.same), "n": str(p.same.n)}
        for p in pairs
    ]
    note = ""
    if found is not None:
        note = (
            f"Krippendorff's alpha {decimals(found.alpha_nominal)} (nominal), "
            f"{decimals(found.alpha_ordinal)} (tie between win and loss), over "
            f"{found.comparisons} comparisons; Kendall's W of the judges' ratings "
            f"{decimals(found.kendalls_w)}."
        )
    return ArenaTable("judge_agreement", "Judges agree", tuple(rows), tuple(texts), note)


def _humans(result: ArenaResult) -> ArenaTable:
    found = result.humans
    agreement: tuple[HumanAgreement, ...] = found.agreement if found is not None else ()
    rows: list[Row] = []
    for row in agreement:
        flat: Row = {"judge": row.judge}
        for name in ("exact", "decided", "half"):
            flat |= _flat(name, row.told(name))
        rows.append(flat)
    texts = [
        {
            "judge": row.judge,
            "ties are answers": rate_text(row.exact),
            "without ties": rate_text(row.decided),
            "a tie is half": rate_text(row.half),
            "n": str(row.exact.n),
        }
        for row in agreement
    ]
    note = ""
    if found is not None:
        note = (
            f"{found.raters} raters, {found.comparisons} comparisons ({found.ties} ties by their "
            f"majority), {found.shared} of them judged; alpha among raters "
            f"{decimals(found.alpha)}. Told first: {result.settings.human_ties}."
        )
    title = "Agreement with the majority of people"
    return ArenaTable("human_agreement", title, tuple(rows), tuple(texts), note)


def _picks(result: ArenaResult) -> ArenaTable:
    rows: list[Row] = [
        {"model": row.model, "picked": row.picked, "rank": row.rank, **_flat("share", row.share)}
        for row in result.picks
    ]
    texts = [
        {
            "rank": str(row.rank),
            "model": row.model,
            "picked": str(row.picked),
            "share": rate_text(row.share),
        }
        for row in result.picks
    ]
    return ArenaTable("picks", "Picked as the best", tuple(rows), tuple(texts))


def _metrics(result: ArenaResult) -> ArenaTable:
    rows: list[Row] = [row.model_dump() for row in result.metrics]
    texts = [
        {
            "metric": row.metric,
            "Spearman": decimals(row.spearman),
            "interval": "-"
            if row.low is None or row.high is None
            else f"{row.low:.3f} to {row.high:.3f}",
            "models": str(row.models),
        }
        for row in result.metrics
    ]
    note = "Rank correlation with the ratings; the interval is over draws of the ratings."
    return ArenaTable("metrics", "Metrics and ratings", tuple(rows), tuple(texts), note)


def _flat(name: str, rate: RateFound) -> Row:
    return {
        name: rate.share,
        f"{name}_low": rate.low,
        f"{name}_high": rate.high,
        f"{name}_n": rate.n,
    }


def percent(value: float | None) -> str:
    """Return a share as whole percents, or "-".

    >>> percent(0.914), percent(None)
    ('91 %', '-')
    """
    return "-" if value is None else f"{100 * value:.0f} %"


def decimals(value: float | None) -> str:
    """Return a number with three decimals, or "-".

    >>> decimals(-0.8788), decimals(None)
    ('-0.879', '-')
    """
    return "-" if value is None else f"{value:.3f}"


def rate_text(rate: RateFound) -> str:
    """Return a rate with its interval.

    >>> rate_text(RateFound(share=0.914, low=0.87, high=0.94, n=200, clusters=76))
    '91 % (87–94)'
    """
    if rate.share is None:
        return "-"
    if rate.low is None or rate.high is None:
        return percent(rate.share)
    return f"{percent(rate.share)} ({100 * rate.low:.0f}–{100 * rate.high:.0f})"


def markdown(result: ArenaResult) -> str:
    """Return every table and the notes as Markdown."""
    blocks = ["# Arena", *(f"- {_md(note)}" for note in result.notes)]
    blocks += ["\n".join(_md_table(table)) for table in arena_tables(result)]
    return "\n\n".join(blocks) + "\n"


def _md_table(table: ArenaTable) -> Iterator[str]:
    yield f"## {_md(table.title)}"
    if table.note:
        yield ""
        yield _md(table.note)
    if table.texts:
        names = list(table.texts[0])
        yield ""
        yield "| " + " | ".join(map(_md, names)) + " |"
        yield "|" + " --- |" * len(names)
        for row in table.texts:
            yield "| " + " | ".join(_md(row.get(name, "")) for name in names) + " |"


def _md(text: str) -> str:
    # Names of models and judges are others' words: they must open no link, tag or column.
    for char in "\\`*_[]<>|#":
        text = text.replace(char, "\\" + char)
    return " ".join(text.split("\n"))
