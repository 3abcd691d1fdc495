"""What judges said of a run's pictures, as frozen views of ``RUN/judged/<name>/``.

A folder holds ``certificates.jsonl`` (written first), ``comparisons.jsonl``, and when the
judges are done ``verdicts.jsonl`` and ``arena.json``; a folder without verdicts is a judging
that has not ended, and is passed over.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, model_validator

from eyeprint.report.run_files import View, json_object, viewed, viewed_lines

AGAIN = "Run the same `eyeprint judge pairs` command again: it goes on where it stopped."


class RateView(View):
    """A share in [0, 1] with its interval."""

    share: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0


class RatedView(View):
    """One model's place."""

    model: str
    rating: float
    low: float | None = None
    high: float | None = None
    rank: int = 0
    rank_low: int = 0
    rank_high: int = 0
    best: float | None = None
    wins: int = 0
    ties: int = 0
    losses: int = 0
    win_rate: float | None = None


class MatrixView(View):
    """Win rates of the row against the column, the best model first (P54)."""

    models: tuple[str, ...] = ()
    rates: tuple[tuple[float | None, ...], ...] = ()
    wins: tuple[tuple[int, ...], ...] = ()
    ties: tuple[tuple[int, ...], ...] = ()

    @model_validator(mode="after")
    def _square(self) -> MatrixView:
        size = len(self.models)
        for name, rows in (("rates", self.rates), ("wins", self.wins), ("ties", self.ties)):
            if len(rows) != size or any(len(row) != size for row in rows):
                raise ValueError(f"{name} is no square of {size} models")
        return self

    def games(self, row: int, column: int) -> int:
        """Return the number of verdicts between two models."""
        return self.wins[row][column] + self.wins[column][row] + self.ties[row][column]


class JudgePairView(View):
    """What one judge said of one pair of models (P55)."""

    judge: str
    model: str
    against: str
    wins: int = 0
    ties: int = 0
    losses: int = 0
    ties_explicit: int = 0
    ties_low_confidence: int = 0

    @property
    def verdicts(self) -> int:
        """How many verdicts count."""
        return self.wins + self.ties + self.losses


class JudgeView(View):
    """One judge's verdicts, ties, whims and failures."""

    judge: str
    verdicts: int = 0
    counted: int = 0
    ties_explicit: int = 0
    ties_low_confidence: int = 0
    excluded: dict[str, int] = Field(default_factory=dict)
    without_confidence: int = 0
    first_shown: RateView = RateView()
    same_both_ways: RateView = RateView()
    ratings: dict[str, float] = Field(default_factory=dict)


class AgreementPairView(View):
    """How often two judges say the same."""

    judge: str
    other: str
    same: RateView


class JudgesAgreeView(View):
    """Agreement among judges."""

    comparisons: int = 0
    alpha_nominal: float | None = None
    alpha_ordinal: float | None = None
    kendalls_w: float | None = None
    pairs: tuple[AgreementPairView, ...] = ()


class HumanAgreementView(View):
    """How often verdicts agree with the majority of raters (P56)."""

    judge: str
    exact: RateView
    decided: RateView
    half: RateView


class HumansView(View):
    """Raters, and agreement with them."""

    raters: int = 0
    comparisons: int = 0
    shared: int = 0
    ties: int = 0
    alpha: float | None = None
    agreement: tuple[HumanAgreementView, ...] = ()


class PickView(View):
    """How often a model's picture was picked as the best of several (P57)."""

    model: str
    picked: int = 0
    share: RateView = RateView()
    rank: int = 0


class MetricView(View):
    """Rank correlation of a column with the ratings (P58)."""

    metric: str
    spearman: float | None = None
    low: float | None = None
    high: float | None = None
    models: int = 0


class ArenaView(View):
    """``arena.json``."""

    settings: dict[str, Any] = Field(default_factory=dict)
    how: str = ""
    verdicts: int = 0
    counted: int = 0
    excluded: dict[str, int] = Field(default_factory=dict)
    comparisons: int = 0
    persons: int = 0
    clusters: int = 0
    cluster_kind: str = "person"
    models: tuple[RatedView, ...]
    unrated: tuple[str, ...] = ()
    matrix: MatrixView = MatrixView()
    judges: tuple[JudgeView, ...] = ()
    judge_pairs: tuple[JudgePairView, ...] = ()
    judges_agree: JudgesAgreeView | None = None
    humans: HumansView | None = None
    picks: tuple[PickView, ...] = ()
    metrics: tuple[MetricView, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def level(self) -> str:
        """The level of the intervals in per cent, as text."""
        return f"{100 * float(self.settings.get('level', 0.95)):g}"

    def rated(self, model: str) -> RatedView | None:
        """Return a model's rating, or ``None`` when it has none."""
        return next((row for row in self.models if row.model == model), None)


class ProbeView(View):
    """One probe of a judge's certificate."""

    name: str
    asked: int = 0
    counted: int = 0
    share: float | None = None
    limit: float | None = None
    passed: bool
    detail: str = ""


class CertificateView(View):
    """All probes of one judge."""

    judge: str
    fingerprint: str = ""
    probes: tuple[ProbeView, ...] = ()
    passed: bool


class VerdictView(View):
    """What one judge said of one pair, once."""

    case_id: str
    judge: str
    model_a: str
    model_b: str
    choice: Literal["a", "b", "tie"] | None = None
    tie: str | None = None
    confidence: float | None = None
    reason: str = ""
    outcome: str = "decided"
    detail: str = ""


class PairView(View):
    """What a report needs of a comparison: its case."""

    case_id: str


@dataclass(frozen=True)
class Judged:
    """One judging of a run; its verdicts are read from disk each time they are asked for."""

    name: str
    folder: Path
    arena: ArenaView | None
    """``None`` when nothing could be rated."""
    certificates: tuple[CertificateView, ...]
    splits: frozenset[str]
    """The splits whose cases were compared."""

    def verdicts(self) -> Iterator[VerdictView]:
        """Return the verdicts in order, as they are read.

        Raises:
            DataError: the file is missing or cut.
        """
        return viewed_lines(VerdictView, self.folder / "verdicts.jsonl", AGAIN)


def read_judged(folder: Path, splits: Mapping[str, str]) -> Judged | None:
    """Read one judging; ``None`` when it has not ended.

    Args:
        folder: ``RUN/judged/<name>``.
        splits: case id -> split.

    Raises:
        DataError: a file of it is missing or cut.
    """
    if not (folder / "verdicts.jsonl").exists():
        return None
    arena = None
    if (folder / "arena.json").exists():
        path = folder / "arena.json"
        arena = viewed(ArenaView, json_object(path, AGAIN), path, AGAIN)
    certificates: tuple[CertificateView, ...] = ()
    if (folder / "certificates.jsonl").exists():
        path = folder / "certificates.jsonl"
        certificates = tuple(viewed_lines(CertificateView, path, AGAIN))
    pairs = viewed_lines(PairView, folder / "comparisons.jsonl", AGAIN)
    found = frozenset(splits.get(pair.case_id, "") for pair in pairs)
    return Judged(folder.name, folder, arena, certificates, found)
