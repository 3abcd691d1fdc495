"""What is known of models from outside a run: openness, size, general leaderboard (M25, M28, M42).

A CSV with a row for each model and the column ``model``. Every other column is optional:

- ``access``: open or closed; ``size_b``: billions of parameters; ``human``: yes or no;
- ``rank``: the model's mean rank, where it is known as such;
- benchmark scores, higher is better: any of :data:`BENCHMARKS`. Models are ranked on each, ties at
  average ranks, and the mean of their ranks is taken: over the models of the file, as the
  paper takes it over its own. A model that lacks a score is not ranked.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path

import numpy as np

from eyeprint.errors import BadRecord, DataError, shown
from eyeprint.maths.effects import average_ranks
from eyeprint.scores.mmpb_cell_records import Access
from eyeprint.scores.mmpb_found import Found

BENCHMARKS = ("MMBench", "MMStar", "MMMU", "MathVista", "OCRBench", "AI2D", "HallusionBench",
              "MMVet")  # fmt: skip
"""The eight general benchmarks whose ranks the paper averages (M25)."""
_OTHERS = ("model", "rank", "access", "size_b", "human")
_YES, _NO = ("yes", "true", "1"), ("no", "false", "0", "")


class ModelFacts(Found):
    """What is known of one model."""

    model: str
    access: Access | None = None
    size_b: float | None = None
    """Billions of parameters."""
    rank: float | None = None
    """Mean rank on general benchmarks; 1 is the best."""
    human: bool = False
    """The answers are people's (M26)."""


def read_model_facts(path: str | Path) -> dict[str, ModelFacts]:
    """Read facts of models from a CSV file.

    Raises:
        DataError: the file cannot be read, a column is unknown or ``model`` is missing.
        BadRecord: a row is wrong; its line and column are named.

    Example:
        ``model,access,size_b,rank`` and a row ``qwen2-vl-7b,open,7,11.5``.
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror}).") from error
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: not UTF-8 text: {error}. Save it as UTF-8.") from error
    reader = csv.reader(io.StringIO(text))
    header = [name.strip() for name in next(_cells(reader, str(path)), [])]
    columns = _columns(header, str(path))
    rows: dict[str, dict[str, str]] = {}
    lines: dict[str, int] = {}
    for cells in _cells(reader, str(path)):
        if not any(cell.strip() for cell in cells):
            continue
        line = reader.line_num
        if len(cells) != len(header):
            reason = f"{len(cells)} values for {len(header)} columns"
            raise BadRecord(str(path), line, "", reason)
        row = {name: cell.strip() for name, cell in zip(columns, cells, strict=True)}
        name = row["model"]
        if not name:
            raise BadRecord(str(path), line, "model", "empty. Name the model as in the run")
        if name in rows:
            reason = f"'{shown(name)}' stands in line {lines[name]} already"
            raise BadRecord(str(path), line, "model", reason)
        rows[name], lines[name] = row, line
    if not rows:
        raise DataError(f"{path}: no model in it: a header and a row for each are needed.")
    return _with_ranks(rows, lines, str(path))


def facts_of(model: str, facts: Mapping[str, ModelFacts]) -> ModelFacts:
    """Return a model's facts: by its name, its name without provider, or case; else nothing known.

    >>> facts_of("openai/GPT-4o", {"gpt-4o": ModelFacts(model="gpt-4o", access="closed")}).access
    'closed'
    """
    if model in facts:
        return facts[model]
    short = model.rpartition("/")[2].casefold()
    found = [f for name, f in facts.items() if name.rpartition("/")[2].casefold() == short]
    return found[0] if len(found) == 1 else ModelFacts(model=model)


def unmatched(models: Iterable[str], facts: Mapping[str, ModelFacts]) -> tuple[str, ...]:
    """Return a note for each model that facts do not know, with the closest name they have.

    >>> unmatched(["gpt4o"], {"gpt-4o": ModelFacts(model="gpt-4o")})
    ("No facts of model 'gpt4o'. Is it 'gpt-4o'?",)
    """
    notes = []
    names = {name.casefold(): name for name in facts}
    for model in models:
        if facts and facts_of(model, facts).model == model and model not in facts:
            short = model.rpartition("/")[2].casefold()
            close = get_close_matches(short, list(names), n=1) or get_close_matches(
                model.casefold(), list(names), n=1
            )
            hint = f" Is it '{shown(names[close[0]])}'?" if close else ""
            notes.append(f"No facts of model '{shown(model)}'.{hint}")
    return tuple(notes)


def _cells(reader: Iterator[list[str]], where: str) -> Iterator[list[str]]:
    try:
        yield from reader
    except csv.Error as error:
        raise DataError(f"{where}: not a CSV file: {error}.") from error


def _columns(header: list[str], where: str) -> list[str]:
    known = {name.casefold(): name for name in (*_OTHERS, *BENCHMARKS)}
    found = []
    for name in header:
        if name.casefold() not in known:
            close = get_close_matches(name.casefold(), list(known), n=1)
            hint = f" Did you mean '{known[close[0]]}'?" if close else ""
            raise DataError(
                f"{where}: unknown column '{shown(name)}'.{hint} "
                f"Known: {', '.join(known.values())}."
            )
        found.append(known[name.casefold()])
    if "model" not in found:
        raise DataError(f"{where}: no column 'model': it names the models as in the run.")
    twice = {name for name in found if found.count(name) > 1}
    if twice:
        raise DataError(f"{where}: column {', '.join(sorted(twice))} is there more than once.")
    return found


def _with_ranks(
    rows: dict[str, dict[str, str]], lines: dict[str, int], where: str
) -> dict[str, ModelFacts]:
    benchmarks = [name for name in BENCHMARKS if any(name in row for row in rows.values())]
    scores = {
        model: [_number(row, name, where, lines[model]) for name in benchmarks]
        for model, row in rows.items()
    }
    full = {m: s for m, s in scores.items() if s and all(v is not None for v in s)}
    ranks: dict[str, float] = {}
    if full:
        # Rank 1 is the highest score.
        table = -np.array([*full.values()], dtype=np.float64)
        mean = np.mean([average_ranks(column) for column in table.T], axis=0)
        ranks = dict(zip(full, mean.tolist(), strict=True))
    found = {}
    for model, row in rows.items():
        line = lines[model]
        access, human = row.get("access", "").casefold(), row.get("human", "").casefold()
        if access not in ("", "open", "closed"):
            raise BadRecord(where, line, "access", f"'{shown(access)}' is neither open nor closed")
        if human not in (*_YES, *_NO):
            raise BadRecord(where, line, "human", f"'{shown(human)}' is neither yes nor no")
        rank, size = _number(row, "rank", where, line), _number(row, "size_b", where, line)
        for name, value, least in (("rank", rank, 1.0), ("size_b", size, 0.0)):
            if value is not None and (value < least or (name == "size_b" and value == 0)):
                raise BadRecord(where, line, name, f"{value:g} is too small")
        found[model] = ModelFacts.model_validate(
            {
                "model": model,
                "access": access or None,
                "size_b": size,
                "rank": rank if rank is not None else ranks.get(model),
                "human": human in _YES,
            }
        )
    return found


def _number(row: Mapping[str, str], name: str, where: str, line: int) -> float | None:
    text = row.get(name, "")
    if text in ("", "-"):
        return None
    try:
        value = float(text)
    except ValueError as error:
        raise BadRecord(where, line, name, f"'{shown(text)}' is no number") from error
    if not math.isfinite(value):
        raise BadRecord(where, line, name, f"'{shown(text)}' is no finite number")
    return value
