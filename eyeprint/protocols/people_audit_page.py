"""An audit as one HTML page that opens offline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from eyeprint import __version__
from eyeprint.people.audit_report import AuditReport, RuleCount, Twins
from eyeprint.protocols.people_audit_picture import counts_svg, map_svg
from eyeprint.protocols.people_audit_words import (
    comparisons_grid,
    headline,
    kinds_grid,
    lead,
    number_columns,
    probes_grid,
    probes_sentence,
    regional_grid,
    repeats_grid,
    rules_grid,
    tops_grid,
    twins_grid,
    twins_sentence,
)
from eyeprint.report.grids import Grid
from eyeprint.report.page import figure, page
from eyeprint.report.words import counted

_MOST_BARS = 15
_FEW = 3


def audit_page(report: AuditReport) -> str:
    """Return the whole page: finding, statistics, people, rules, twins, probes, maps."""
    numbers = report.numbers
    facts = [
        ("People", f"{numbers.people:,}"),
        ("Posts", f"{numbers.posts:,}"),
        ("Source", report.source),
        ("Encoder", report.encoder.name if report.encoder else "none"),
        ("Fingerprint", report.fingerprint[:12]),
    ]
    if report.encoder is not None:
        facts.insert(4, ("Texts cut by the encoder", f"{report.encoder.cut_texts:,}"))
    sections = [
        ("numbers", "Statistics", _numbers(report)),
        ("who", "Who they are", _who(report)),
        ("broken", "Rules", _rules(report)),
        ("twins", "Near-twins", _twins(report)),
        ("probes", "Stereotypes", _probes(report)),
    ]
    if report.maps:
        sections.append(("maps", "Maps", _maps(report)))
    sections.append(("settings", "Settings", _settings(report)))
    body = "\n".join(
        f'<section id="{name}"><h2>{escape(title)}</h2>{html}</section>'
        for name, title, html in sections
    )
    return page(
        f"Audit of {report.source}",
        body,
        heading=headline(report),
        kicker="eyeprint · audit of people",
        lead=lead(report),
        facts=facts,
        contents=[(name, title) for name, title, _ in sections],
        footer=f"Made by eyeprint {__version__}.",
    )


def _table(grid: Grid) -> str:
    """Return a grid as a table whose columns of words wrap and stand to the left."""
    numbers = number_columns(grid)
    sides = [
        ' class="n"'
        if place in numbers
        else ' style="padding-left:1.4rem;min-width:13rem"'
        if place
        else ""
        for place in range(len(grid.columns))
    ]
    names = zip(grid.columns, sides, strict=True)
    head = "".join(f'<th scope="col"{side}>{escape(name)}</th>' for name, side in names)
    rows = []
    for at, row in enumerate(grid.rows):
        cells = []
        for place, (cell, side) in enumerate(zip(row, sides, strict=True)):
            aside = f" <small>{escape(cell.aside)}</small>" if cell.aside else ""
            tag, more = ("th", ' scope="row"') if place == 0 else ("td", "")
            cells.append(f"<{tag}{more}{side}>{escape(cell.text)}{aside}</{tag}>")
        start = '<tr class="break">' if at in grid.breaks else "<tr>"
        rows.append(f"{start}{''.join(cells)}</tr>")
    note = f' <span class="note">{escape(grid.note)}</span>' if grid.note else ""
    name = escape(grid.id)
    return (
        f'<div class="caption" id="{name}"><span class="name" id="{name}-name">'
        f"{escape(grid.title)}</span>{note}</div>"
        f'<div class="grid" role="region" tabindex="0" aria-labelledby="{name}-name">'
        f'<table aria-labelledby="{name}-name"><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _numbers(report: AuditReport) -> str:
    return (
        "<p>The paper prints three counts of elements without saying what they count. Read as "
        "entries drawn, entries left after pruning, and different entries over all people, "
        "they agree with each other, and so they are counted here.</p>"
        + _table(comparisons_grid(report))
    )


def _who(report: AuditReport) -> str:
    numbers = report.numbers
    parts = [
        _bars("Ages, in groups of ten", numbers.ages, tone=1),
        _bars("Genders", numbers.genders, tone=4),
        _bars("Countries", numbers.by_country, tone=3),
        _bars("Ethnicities", numbers.by_ethnicity, tone=2),
        _bars("Occupations", numbers.top_occupations, tone=6, whole=False),
        _bars("Interests", numbers.top_interests, tone=5, whole=False),
    ]
    grids: list[Grid | None] = [kinds_grid(report), regional_grid(report)]
    tables = [_table(grid) for grid in grids if grid is not None]
    return _columns([part for part in parts if part]) + _columns(tables)


def _bars(title: str, counts: Mapping[str, int], tone: int, whole: bool = True) -> str:
    """Return counts as bars; nothing where every count is one, for that shows nothing."""
    if not counts or (len(counts) > _FEW and max(counts.values()) == 1):
        return ""
    shown = dict(list(counts.items())[:_MOST_BARS])
    more = len(counts) - len(shown)
    note = f"The {_MOST_BARS} most frequent of {len(counts):,}." if more and whole else ""
    note = note or (f"The {_MOST_BARS} most frequent." if more else "")
    return figure(counts_svg(shown, title, tone), title, note)


def _columns(parts: Sequence[str]) -> str:
    inner = "".join(f"<div>{part}</div>" for part in parts)
    return f'<div class="pair">{inner}</div>' if parts else ""


def _rules(report: AuditReport) -> str:
    if not report.by_person:
        said = f"All {counted(report.numbers.people, 'person', 'people')} keep every rule."
    else:
        said = f"{counted(len(report.by_person), 'person', 'people')} break at least one rule."
    broken = [rule for rule in report.rules if rule.breaks]
    return (
        f"<p>{escape(said)}</p>"
        + _table(rules_grid(report))
        + "".join(_examples(rule) for rule in broken)
    )


def _examples(rule: RuleCount) -> str:
    items = "".join(
        f"<li><code>{escape(e.person)}{escape('/' + e.post) if e.post else ''}</code> "
        f"{escape(e.detail)}</li>"
        for e in rule.examples
    )
    told = f"{len(rule.examples):,} of {counted(rule.breaks, 'break')}"
    return (
        f'<details><summary>{escape(rule.rule)}<span class="note">{escape(told)}</span>'
        f"</summary><ul>{items}</ul></details>"
    )


def _twins(report: AuditReport) -> str:
    people = report.numbers.people
    parts = ["<h3>Copies: people who share text</h3>", _pairs(report.copies, people, "copies")]
    parts.append("<h3>Look-alikes: people who show the same in other words</h3>")
    if report.lookalikes is None:
        parts.append("<p>Not looked for, for nothing was embedded.</p>")
    else:
        parts.append(_pairs(report.lookalikes, people, "lookalikes"))
    parts.append("<h3>Captions repeated word for word between people</h3>")
    repeats = report.repeats
    if repeats.wordings:
        told = (
            f"{counted(repeats.wordings, 'wording')} in {counted(repeats.captions, 'caption')}; "
            "case and punctuation do not count."
        )
        parts.append(f"<p>{escape(told)}</p>" + _table(repeats_grid(report)))
    else:
        parts.append("<p>None.</p>")
    return "".join(parts)


def _pairs(twins: Twins, people: int, name: str) -> str:
    said = f"<p>{escape(twins_sentence(twins, people))}</p>"
    if not twins.pairs:
        return said + "<p>None were found.</p>"
    largest = max(len(group) for group in twins.groups)
    title = (
        f"{counted(len(twins.pairs), 'pair')} in {counted(len(twins.groups), 'group')}, "
        f"the largest of {largest:,} people"
    )
    return said + _table(twins_grid(name, title, twins))


def _probes(report: AuditReport) -> str:
    parts = [f"<p>{escape(probes_sentence(report))}</p>"]
    grids = [grid for grid in (probes_grid(report), tops_grid(report)) if grid.rows]
    parts.append(_columns([_table(grid) for grid in grids]))
    return "".join(parts)


def _maps(report: AuditReport) -> str:
    settings = report.settings.maps
    note = (
        f"<p>t-SNE from principal components, perplexity {settings.perplexity:g}, seed "
        f"{settings.seed}. Close points are alike; distances between far groups and the size "
        "of groups mean nothing.</p>"
    )
    return note + _columns(
        [figure(map_svg(one), one.title, f"Coloured by {one.coloured_by}.") for one in report.maps]
    )


def _settings(report: AuditReport) -> str:
    parts = []
    if report.encoder is not None:
        parts.append(
            f"<p>Encoder {escape(report.encoder.name)}, fingerprint "
            f"<code>{escape(report.encoder.fingerprint)}</code>; people's content "
            f"<code>{escape(report.fingerprint)}</code>.</p>"
        )
    parts.append(f"<pre>{escape(report.settings.model_dump_json(indent=1))}</pre>")
    if report.unread:
        items = "".join(f"<li>{escape(fault.reason)}</li>" for fault in report.unread[:50])
        parts.append(f"<h3>Records that could not be read</h3><ul>{items}</ul>")
    return "".join(parts)
