"""The frame of every HTML report: one file, no request, light, dark, print and telephone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

    from eyeprint.report.grids import Grid

COLUMN = re.compile(r"\b[A-Z]{2,6}-[A-Z]{1,3}\b")
"""A column's name in a sentence: PAL-R, CLS-TG. Browsers break lines at its hyphen."""
TEMPLATES = Path(__file__).parent / "templates"


@cache
def environment() -> Environment:
    """Return the template environment: everything is escaped, a misspelt name is an error."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    found = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    found.filters["unbroken"] = unbroken
    return found


def unbroken(text: str) -> Markup:
    """Return a sentence, escaped, whose names of columns stay on one line.

    >>> print(unbroken("A PAL-R of 70 & more"))
    A <span class="whole">PAL-R</span> of 70 &amp; more
    """
    from markupsafe import Markup, escape

    return Markup(COLUMN.sub(r'<span class="whole">\g<0></span>', str(escape(text))))


def page(
    title: str,
    body_html: str,
    *,
    heading: str = "",
    kicker: str = "eyeprint",
    lead: Sequence[str] = (),
    facts: Sequence[tuple[str, str]] = (),
    contents: Sequence[tuple[str, str]] = (),
    script: str = "",
    footer: str = "",
) -> str:
    """Return a whole HTML page around a body.

    Args:
        title: of the browser's tab.
        body_html: sections of safe HTML; what is not yours must be escaped already.
        heading: the finding in one sentence, in large type; the title when empty.
        kicker: what kind of report this is, in small type above.
        lead: paragraphs below the heading.
        facts: (name, value) pairs in a strip below the lead: people, tasks, encoder.
        contents: (id of a section, label) pairs of the menu.
        script: JavaScript to put at the end; the page must be whole without it.
        footer: one line at the end.

    All arguments but ``body_html`` and ``script`` are plain text and are escaped.

    >>> "<title>A &amp; B</title>" in page("A & B", "<p>x</p>")
    True
    """
    return (
        environment()
        .get_template("base.html.j2")
        .render(
            title=title,
            body=body_html,
            heading=heading or title,
            kicker=kicker,
            lead=lead,
            facts=facts,
            contents=contents,
            script=script,
            footer=footer,
        )
    )


def grid_html(grid: Grid, tones: dict[str, int] | None = None) -> str:
    """Return a grid as an accessible table that scrolls sideways where it must.

    Args:
        grid: the table.
        tones: method -> colour, for the dots before methods' names.
    """
    return environment().get_template("grid.html.j2").render(grid=grid, tones=tones or {})


def figure(svg: str, title: str, note: str = "", wide: bool = False) -> str:
    """Return a chart with its title above and a note below."""
    return (
        environment()
        .get_template("figure.html.j2")
        .render(svg=svg, title=title, note=note, wide=wide)
    )


def anchor(text: str) -> str:
    """Return text as the id of an element: letters, digits and hyphens.

    >>> anchor("openai/gpt-4o mini")
    'openai-gpt-4o-mini'
    """
    return re.sub(r"[^a-zA-Z0-9]+", "-", text).strip("-") or "x"
