"""What the leakage gate found: rows by kind and level, and what it could not look at."""

from __future__ import annotations

from collections import Counter
from typing import Literal

from eyeprint.records.work import Work

Level = Literal["error", "warn"]
LeakKind = Literal[
    "path", "file", "pixels", "flip", "gray", "near", "crop", "embedding", "prompt", "profile"
]
MEANINGS: dict[LeakKind, str] = {
    "path": "one file in both roles",
    "file": "the same bytes",
    "pixels": "the same pixels",
    "flip": "the same pixels, turned or mirrored",
    "gray": "the same brightness at every pixel: a copy without its colours, or of others",
    "near": "nearly the same picture: saved again, scaled, retouched",
    "crop": "one is a part of the other",
    "embedding": "nearer in the encoder than pictures of different people are",
    "prompt": "the same or nearly the same short prompt",
    "profile": "the same answers to the questionnaire",
}
"""What each kind means, in the order in which they are looked for."""


class LeakRow(Work):
    """Two things that should have been apart."""

    kind: LeakKind
    level: Level
    where: str
    """Which rule it breaks: "case 3: target and reference", "two people: a and b" ..."""
    a: str
    """A picture's path, a case or a person of the benchmark."""
    b: str
    distance: float = 0.0
    """0 for equal things, else 1 - likeness."""
    told: str = ""

    def line(self) -> str:
        """Return the row as one line for people to read.

        >>> LeakRow(kind="crop", level="error", where="case 3: target and reference",
        ...     a="a.png", b="b.png", distance=0.021).line()
        'error  crop       0.021  a.png | b.png  (case 3: target and reference)'
        """
        told = f"; {self.told}" if self.told else ""
        return (
            f"{self.level:<6} {self.kind:<10} {self.distance:.3f}  {self.a} | {self.b}  "
            f"({self.where}{told})"
        )


class LeakReport(Work):
    """All that was found, the gravest first, and all that was not looked at."""

    rows: tuple[LeakRow, ...] = ()
    cases: int = 0
    pictures: int = 0
    """Distinct files of the benchmark that were compared."""
    training_pictures: int = 0
    training_prompts: int = 0
    missing: tuple[str, ...] = ()
    """Files that rows name and that are not there."""
    unreadable: tuple[str, ...] = ()
    flat: int = 0
    """Pictures of one tone: compared by their hashes only."""
    encoder: str = ""
    """Name of the encoder; empty when none took part."""
    likeness_limit: float | None = None
    """The cosine from which on two pictures are reported, taken from the band of strangers."""
    notes: tuple[str, ...] = ()

    @property
    def errors(self) -> tuple[LeakRow, ...]:
        """The rows that make results untrustworthy."""
        return tuple(row for row in self.rows if row.level == "error")

    @property
    def warnings(self) -> tuple[LeakRow, ...]:
        """The rows that a person should look at."""
        return tuple(row for row in self.rows if row.level == "warn")

    def headline(self) -> str:
        """Return what was compared and how much was found, as one sentence.

        >>> LeakReport(cases=2, pictures=5).headline()
        '2 cases with 5 pictures: no leak found.'
        """
        what = f"{_many(self.cases, 'case')} with {_many(self.pictures, 'picture')}"
        if self.training_pictures or self.training_prompts:
            what += (
                f", against {_many(self.training_pictures, 'picture')} and "
                f"{_many(self.training_prompts, 'prompt')} of training rows"
            )
        if not self.rows:
            return f"{what}: no leak found."
        kinds = Counter(row.kind for row in self.rows)
        told = ", ".join(f"{kind} {kinds[kind]}" for kind in MEANINGS if kinds[kind])
        found = f"{_many(len(self.errors), 'error')}, {_many(len(self.warnings), 'warning')}"
        return f"{what}: {found} ({told})."

    def lines(self, most: int | None = None) -> list[str]:
        """Return the headline, the rows (at most so many), and what was not looked at."""
        shown = self.rows if most is None else self.rows[:most]
        lines = [self.headline(), *(row.line() for row in shown)]
        if len(shown) < len(self.rows):
            lines.append(f"... and {len(self.rows) - len(shown)} more")
        if self.missing:
            many = _many(len(self.missing), "missing picture")
            lines.append(f"{many}, the first: {self.missing[0]}")
        if self.unreadable:
            many = _many(len(self.unreadable), "unreadable picture")
            lines.append(f"{many}, the first: {self.unreadable[0]}")
        if self.flat:
            lines.append(f"compared by hashes only: {_many(self.flat, 'picture')} of one tone")
        return [*lines, *self.notes]


def _many(count: int, noun: str) -> str:
    return f"{count:,} {noun}" + ("" if count == 1 else "s")
