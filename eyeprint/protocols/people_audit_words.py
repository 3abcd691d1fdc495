"""An audit in words and grids, for the terminal and for the page alike."""

from __future__ import annotations

from eyeprint.people.audit_report import AuditReport, Comparison, RuleCount, Twins
from eyeprint.report.grids import Cell, Grid
from eyeprint.report.words import NONE, counted, listed, number, percent

_WHOLE = 1e-9


def amount(value: float | None) -> str:
    """Return a count without decimals, a mean with one, a cosine with three.

    >>> amount(5460), amount(7.1), amount(0.611), amount(None)
    ('5,460', '7.1', '0.611', '—')
    """
    if value is None:
        return NONE
    if abs(value - round(value)) < _WHOLE:
        return f"{round(value):,}"
    return number(value, 3 if abs(value) < 1 else 1)


def headline(report: AuditReport) -> str:
    """Return the finding in one sentence."""
    people = counted(report.numbers.people, "person", "people")
    if not report.by_person:
        broken = f"{people} keep every rule"
    else:
        broken = f"{report.clean_people:,} of {people} keep every rule"
    return f"{broken}, and {_twins_told(report)}."


def _twins_told(report: AuditReport) -> str:
    found = []
    if report.copies.pairs:
        found.append(f"{counted(len(report.copies.pairs), 'pair')} of them share text")
    if report.lookalikes is not None and report.lookalikes.pairs:
        found.append(f"{counted(len(report.lookalikes.pairs), 'pair')} look alike")
    if report.repeats.captions:
        found.append(f"{counted(report.repeats.captions, 'caption')} are repeated between people")
    return listed(found) if found else "no two of them are near-twins"


def lead(report: AuditReport) -> list[str]:
    """Return the sentences that follow the headline: worst rules, diversity, what is missing."""
    said = []
    broken = sorted((r for r in report.rules if r.breaks), key=lambda r: (-r.people, r.rule))
    if broken:
        worst = [f"{r.rule} ({counted(r.people, 'person', 'people')})" for r in broken[:3]]
        kinds = counted(len(broken), "rule is", "rules are")
        said.append(
            f"{kinds} broken, {counted(report.breaks, 'time')} in all; most often {listed(worst)}."
        )
    if report.mean_pairwise_cosine is not None and report.encoder is not None:
        said.append(
            f"People's averaged captions are {amount(report.mean_pairwise_cosine)} alike on "
            f"average (cosine, {report.encoder.name}; lower is more diverse). The paper's "
            "0.611 is of another encoder and does not compare."
        )
    if report.regional_unknown:
        share = (
            "No record states"
            if report.regional_unknown == report.numbers.people
            else (f"{counted(report.regional_unknown, 'record does', 'records do')} not state")
        )
        said.append(f"{share} a share of regional motifs: that rule was not checked there.")
    if report.unread:
        said.append(f"{counted(len(report.unread), 'record')} could not be read.")
    return said + list(report.notes)


def comparisons_grid(report: AuditReport) -> Grid:
    """Return the statistics beside the paper's figures (V23)."""

    def row(one: Comparison) -> tuple[Cell, ...]:
        # A cosine of exactly 1 must not look like a count.
        cosine = one.name == "mean_pairwise_cosine"
        here = number(one.here) if cosine else amount(one.here)
        return Cell(one.title), Cell(here), Cell(amount(one.paper)), Cell(one.note)

    return Grid(
        "statistics",
        "Statistics",
        ("Statistic", "Here", "Paper", "What is counted, and where the paper prints it"),
        tuple(row(one) for one in report.comparisons),
        note="The paper's figures are of its own 10,000 people.",
    )


def number_columns(grid: Grid) -> frozenset[int]:
    """Return the places of the columns that hold numbers, or nothing, in every row.

    >>> number_columns(Grid("g", "t", ("a", "b"), ((Cell("x"), Cell("−1.5")),)))
    frozenset({1})
    """

    def is_number(text: str) -> bool:
        return len(text) < 22 and (text[:1] in ("", "−", "+", NONE) or text[0].isdigit())

    return frozenset(
        place
        for place in range(grid.labels, len(grid.columns))
        if all(is_number(row[place].text) for row in grid.rows)
    )


def rules_grid(report: AuditReport, only_broken: bool = False) -> Grid:
    """Return every rule with how often and by how many it is broken."""
    rules = [rule for rule in report.rules if rule.breaks or not only_broken]
    # Without a broken rule there is no example, and no column of them.

    shown = 5 if any(rule.examples for rule in rules) else 4

    def row(rule: RuleCount) -> tuple[Cell, ...]:
        first = rule.examples[0] if rule.examples else None
        example = "" if first is None else f"{first.person}: {first.detail}"
        if first is not None and first.post:
            example = f"{first.person}, post {first.post}: {first.detail}"
        return (
            Cell(rule.rule),
            Cell(f"{rule.breaks:,}"),
            Cell(f"{rule.people:,}"),
            Cell(rule.asks, f"({rule.source})"),
            Cell(example),
        )[:shown]

    return Grid(
        "rules",
        "Rules",
        ("Rule", "Breaks", "People", "It asks for", "First example")[:shown],
        tuple(row(rule) for rule in rules),
    )


def kinds_grid(report: AuditReport) -> Grid:
    """Return the kinds of posts beside their quotas (V17)."""
    numbers = report.numbers
    rows = []
    for kind, count in numbers.kinds.items():
        quota = numbers.kind_quotas.get(kind, 0)
        share = count / numbers.posts if numbers.posts else None
        rows.append(
            (Cell(kind), Cell(f"{count:,}"), Cell(f"{percent(share)} %"), Cell(f"{quota:,}"))
        )
    return Grid("kinds", "Kinds of posts", ("Kind", "Posts", "Share", "Quota"), tuple(rows))


def regional_grid(report: AuditReport) -> Grid | None:
    """Return the share of regional motifs per facet (V14); ``None`` when no record has it."""
    if not report.numbers.regional:
        return None
    limit = report.settings.rules.regional
    return Grid(
        "regional",
        "Regional motifs",
        ("Facet", "Mean share"),
        tuple(
            (Cell(facet), Cell(f"{percent(share)} %"))
            for facet, share in report.numbers.regional.items()
        ),
        note=f"As {counted(report.numbers.regional_known, 'record states', 'records state')}; "
        f"at least {limit:.0%} is asked for.",
    )


def counts_grid(name: str, title: str, counts: dict[str, int], total: int) -> Grid:
    """Return counts with their shares of a total."""
    return Grid(
        name,
        title,
        (title, "People", "Share"),
        tuple(
            (Cell(label), Cell(f"{n:,}"), Cell(f"{percent(n / total if total else None)} %"))
            for label, n in counts.items()
        ),
    )


def twins_sentence(twins: Twins, people: int) -> str:
    """Say how twins were looked for and with what certainty."""
    pairs = people * (people - 1) // 2
    text = (
        f"{twins.measure[0].upper()}{twins.measure[1:]} of at least {twins.limit:g}; a pair at "
        f"that limit is found with probability {twins.recall_at_limit:.3f}, a closer one more "
        "surely."
    )
    if twins.candidates < pairs:
        text += f" {twins.candidates:,} of {counted(pairs, 'pair')} were looked at."
    if twins.left_out:
        text += f" {counted(twins.left_out, 'more likely pair')} were not verified or listed."
    return text


def twins_grid(name: str, title: str, twins: Twins, most: int = 20) -> Grid:
    """Return the most similar pairs."""
    shown = twins.pairs[:most]
    more = len(twins.pairs) - len(shown)
    return Grid(
        name,
        title,
        ("Person", "Person", "Similarity"),
        tuple((Cell(p.one), Cell(p.other), Cell(number(p.similarity))) for p in shown),
        2,
        f"{more:,} more pairs are in the JSON." if more else "",
    )


def repeats_grid(report: AuditReport, most: int = 10) -> Grid:
    """Return the captions that most people share word for word."""
    rows = []
    for one in report.repeats.first[:most]:
        where = ", ".join(f"{person}/{post}" for person, post in one.posts[:3])
        more = " ..." if len(one.posts) > 3 else ""
        rows.append((Cell(one.opening), Cell(f"{one.people:,}"), Cell(where + more)))
    return Grid("repeats", "Repeated captions", ("Caption", "People", "Where"), tuple(rows))


def _of(part: int, whole: int) -> str:
    # No-break spaces hold it on one line.
    return f"{part:,}\u00a0of\u00a0{whole:,}"


def probes_grid(report: AuditReport, most: int = 25) -> Grid:
    """Return the flagged associations, closest first."""
    found = [(probe, pair) for probe in report.probes for pair in probe.flagged]
    found.sort(key=lambda item: (-item[1].npmi, item[1].group, item[1].value))
    rows = tuple(
        (
            Cell(pair.group),
            Cell(pair.value),
            Cell(_of(pair.both, pair.in_group)),
            Cell(f"{number(pair.lift, 1)}\u00a0×"),
            Cell(number(pair.npmi, 2)),
        )
        for _, pair in found[:most]
    )
    more = len(found) - len(rows)
    return Grid(
        "associations",
        "Flagged associations",
        ("Group", "Occupation or interest", "People", "Lift", "NPMI"),
        rows,
        2,
        f"{more:,} more are in the JSON." if more else "",
    )


def tops_grid(report: AuditReport, per_probe: int = 3) -> Grid:
    """Return, per probe, the groups whose most frequent value has the largest share."""
    rows: list[tuple[Cell, ...]] = []
    breaks = set()
    for probe in report.probes:
        if rows and probe.top:
            breaks.add(len(rows))
        rows += [
            (
                Cell(top.group),
                Cell(top.value),
                Cell(_of(top.both, top.in_group)),
                Cell(f"{percent(top.share)} %" + (", flagged" if top.flagged else "")),
            )
            for top in probe.top[:per_probe]
        ]
    return Grid(
        "tops",
        "Most frequent in a group",
        ("Group", "Occupation or interest", "People", "Share"),
        tuple(rows),
        2,
        f"The {per_probe} groups of each probe whose most frequent value is most frequent.",
        frozenset(breaks),
    )


def probes_sentence(report: AuditReport) -> str:
    """Say what was tested and what was too small to test."""
    limits = report.settings.probes
    tested = sum(probe.pairs_tested for probe in report.probes)
    flagged = sum(len(probe.flagged) for probe in report.probes)
    if not tested:
        return (
            f"Nothing was probed: groups need at least {limits.least_group} people, and an "
            f"occupation or interest {limits.least_value}."
        )
    return (
        f"{counted(flagged, 'association is', 'associations are')} flagged of {tested:,} tested "
        f"(at least {limits.least_pair} people, NPMI {limits.npmi:g}, probability by chance "
        f"{limits.chance:g} after correction). A flag is a place to look: motifs of a region "
        "are wanted, a gender with one occupation is not."
    )
