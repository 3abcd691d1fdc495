"""The audit of preference data as grids for terminal and page, and as files (P75–P78)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from html import escape
from pathlib import Path

from eyeprint import __version__
from eyeprint.maths.intervals import Interval
from eyeprint.people.picture_audit import AtK, PictureAudit
from eyeprint.protocols.picture_audit import SetsAudit
from eyeprint.records.whole_files import write_whole
from eyeprint.report.charts import Cloud, scatter
from eyeprint.report.grids import Cell, Grid
from eyeprint.report.page import figure, grid_html, page
from eyeprint.report.words import bracket, counted, number

_EQUAL = 1e-9
DEFINITIONS = (
    "Within: 100 × the mean cosine over all pairs of one person's vectors, averaged over "
    "persons; lower is more varied.",
    "Entropy: Shannon entropy of each person's vectors over K clusters, divided by its largest "
    "value, averaged over persons and K; lower means that a person's pictures stay together.",
    "Silhouette: of the same clusterings, averaged over K; higher means that clusters are real.",
)


def headline(found: SetsAudit) -> str:
    """Return the finding in one sentence."""
    audits = found.audits
    if len(audits) == 1:
        one = audits[0]
        return (
            f"{one.name}: {number(one.within.mean, 2)} alike within a person, entropy "
            f"{number(one.entropy.mean)}, silhouette {number(one.silhouette.mean)}."
        )
    parts = []
    for alone, several, name, sign in (
        ("varies most within a person", "vary most within a person", "within", 1),
        ("has the lowest entropy", "have the lowest entropy", "entropy", 1),
        ("has the highest silhouette", "have the highest silhouette", "silhouette", -1),
    ):
        known = {a.name: sign * getattr(a, name).mean for a in audits
                 if getattr(a, name).mean is not None}  # fmt: skip
        if known:
            best = [n for n, value in known.items() if value - min(known.values()) < _EQUAL]
            parts.append(f"{' and '.join(best)} {alone if len(best) == 1 else several}")
    if not parts:
        return "Nothing could be computed."
    return f"Of {len(audits)} sets, {'; '.join(parts)}."


def sets_grid(found: SetsAudit) -> Grid:
    """Return the sets side by side, as section 4.5 and Table 8 of the paper."""

    def cell(interval: Interval, digits: int) -> Cell:
        return Cell(number(interval.mean, digits), bracket(interval, digits))

    rows = tuple(
        (
            Cell(audit.name),
            Cell(f"{audit.people:,}"),
            Cell(f"{audit.vectors:,}"),
            cell(audit.within, 2),
            cell(audit.entropy, 3),
            cell(audit.silhouette, 3),
            Cell(number(audit.silhouette_table_8)),
        )
        for audit in found.audits
    )
    first = found.audits[0]
    ks = [at.k for at in first.by_k]
    span = f"K = {ks[0]} to {ks[-1]}" if ks else "no K"
    note = f"{first.kind.capitalize()} read by {first.encoder or 'an encoder'}; {span}."
    if first.kind == "prompts":
        note += " Prompts stand for pictures that are not painted yet."
    return Grid(
        "sets",
        "Data quality",
        ("Set", "People", first.kind.capitalize(), "Within ↓", "Entropy ↓", "Silhouette ↑",
         "K = 2, 3, 4"),
        rows,
        note=note,
    )  # fmt: skip


def differences_grid(found: SetsAudit) -> Grid | None:
    """Return the paired differences; ``None`` where no two sets share persons."""
    if not found.differences:
        return None
    rows = tuple(
        (
            Cell(f"{one.left} − {one.right}"),
            Cell(f"{one.within.clusters:,}"),
            Cell(number(one.within.mean, 2, sign=True), bracket(one.within, 2, sign=True)),
            Cell(number(one.entropy.mean, sign=True), bracket(one.entropy, sign=True)),
        )
        for one in found.differences
    )
    columns = ("Sets", "Shared people", "Within", "Entropy")
    return Grid("differences", "Paired by person", columns, rows)


def quality_grid(found: SetsAudit) -> Grid | None:
    """Return the HSQ study; ``None`` without ratings."""
    if not found.quality:
        return None
    rows = tuple(
        (
            Cell(group.group or "all"),
            Cell(f"{group.sets:,}"),
            Cell(f"{group.annotators:,}"),
            Cell(number(group.mean.mean, 2), bracket(group.mean, 2)),
            Cell(number(group.mean_gap, 2)),
            *(Cell(f"{n:,}") for n in group.capped.values()),
        )
        for group in found.quality
    )
    columns = ("Data", "Sets", "Annotators", "HSQ ↑", "Gap", "Template", "Mixed", "Target", "Tags")
    note = "After caps and penalty. Gap: mean distance between a set's highest and lowest score."
    return Grid("hsq", "Ratings by people", columns, rows, note=note)


def grids(found: SetsAudit) -> list[Grid]:
    """Return all grids that have something to show."""
    wanted = (sets_grid(found), differences_grid(found), quality_grid(found))
    return [grid for grid in wanted if grid is not None]


def audit_page(found: SetsAudit) -> str:
    """Return the whole page: the table, curves over K, definitions and notes."""
    first = found.audits[0]
    facts = [("Sets", f"{len(found.audits)}"), ("Kind", first.kind)]
    facts += [("Encoder", first.encoder), ("Fingerprint", first.fingerprint[:12])]
    curves = "".join(
        figure(_curve(found.audits, name, title), title, "Dashed: the mean over K.")
        for name, title in (("silhouette", "Silhouette by K"), ("entropy", "Entropy by K"))
        if any(getattr(at, name) is not None for audit in found.audits for at in audit.by_k)
    )
    notes = [f"{audit.name}: {note}" for audit in found.audits for note in audit.notes]
    notes += [f"not read: {fault}" for fault in found.faults[:50]]
    listed = "".join(f"<li>{escape(note)}</li>" for note in notes)
    told = "".join(f"<li>{escape(text)}</li>" for text in DEFINITIONS)
    settings = escape(first.settings.model_dump_json(indent=1))
    sections = [
        ("numbers", "Numbers", "".join(grid_html(grid) for grid in grids(found))),
        ("curves", "By number of clusters", curves),
        ("definitions", "Definitions", f"<ul>{told}</ul><pre>{settings}</pre>"),
        ("notes", "Notes", f"<ul>{listed}</ul>" if notes else ""),
    ]
    shown = [section for section in sections if section[2]]
    body = "".join(
        f'<section id="{name}"><h2>{escape(title)}</h2>{content}</section>'
        for name, title, content in shown
    )
    everyone = {person for audit in found.audits for person in audit.per_person}
    people = counted(len(everyone), "person", "people")
    return page(
        "Quality of preference data",
        body,
        heading=headline(found),
        kicker="eyeprint · audit of preference data",
        lead=[f"{counted(len(found.audits), 'set')}, {people}."],
        facts=facts,
        contents=[(name, title) for name, title, _ in shown],
        footer=f"Made by eyeprint {__version__}.",
    )


def _curve(audits: Sequence[PictureAudit], name: str, title: str) -> str:
    def value(at: AtK) -> float | None:
        found: float | None = getattr(at, name)
        return found

    clouds = []
    for tone, audit in enumerate(audits):
        points = [(float(at.k), value(at)) for at in audit.by_k]
        known = tuple((k, v) for k, v in points if v is not None)
        interval: Interval = getattr(audit, name)
        clouds.append(Cloud(audit.name, known, None, interval.mean, tone))
    return scatter(clouds, title=title, x_label="clusters, K", y_label=name)


def audit_json(found: SetsAudit) -> bytes:
    """Return everything as JSON: sets with their curves, differences, HSQ, faults."""
    value = {
        "sets": [audit.model_dump(mode="json") for audit in found.audits],
        "differences": [one.model_dump(mode="json") for one in found.differences],
        "hsq": [group._asdict() | {"mean": asdict(group.mean)} for group in found.quality],
        "faults": list(found.faults),
    }
    text = json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False)
    return text.encode("utf-8", "surrogatepass") + b"\n"


def write_audit(
    found: SetsAudit, json_file: Path | None = None, html_file: Path | None = None
) -> list[Path]:
    """Write the files that are asked for; return their paths.

    Raises:
        CannotWrite: disk full or no permission.
    """
    written = []
    if json_file is not None:
        write_whole(json_file, [audit_json(found)])
        written.append(json_file)
    if html_file is not None:
        write_whole(html_file, [audit_page(found).encode("utf-8", "surrogatepass")])
        written.append(html_file)
    return written
