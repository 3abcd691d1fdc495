"""Verdicts and comparisons in files: our JSONL and the released format, both ways.

Files may hold rows of several kinds; each row is known by its fields: ours by
``comparison_id`` (a verdict) or ``model_a`` (a comparison), released ones by ``result`` (a
verdict) or ``model_A`` (a comparison). A row that cannot be used is told with file, line and
field, and kept where it says anything at all (CHECKLIST P50, P51, X9).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from eyeprint.errors import BadRecord, DataError, UsageError, shown
from eyeprint.records.json_lines import read_json_lines
from eyeprint.records.json_text import json_line
from eyeprint.records.released_verdicts import (
    UnreadField,
    comparison_of_row,
    id_text,
    row_of_comparison,
    row_of_verdict,
    verdict_of_row,
)
from eyeprint.records.tie_rule import TieRule
from eyeprint.records.tie_rule import read_confidence as read_confidence
from eyeprint.records.verdicts import Comparison, Verdict
from eyeprint.records.whole_files import write_whole

COMPETE = "compete_data.jsonl"
"""Name of the released file of comparisons."""
VERDICTS, COMPARISONS = "verdicts.jsonl", "comparisons.jsonl"
"""Names of our files in a judging's folder."""
JUDGED = "judged"
"""Folder of a run's judgings, each in a folder of its own."""
RESULTS = "results_"
"""How the names of released files of verdicts begin; the judge's name follows."""
ENDINGS = (".jsonl", ".ndjson")

Repeats = Literal["first", "all"]


@dataclass(frozen=True)
class VerdictSet:
    """What files of verdicts hold."""

    verdicts: tuple[Verdict, ...]
    """In the order of the files; those without a choice are here too."""
    comparisons: tuple[Comparison, ...] = ()
    repeats: tuple[Verdict, ...] = ()
    """Further verdicts of a judge on a comparison in the same order of pictures: not counted."""
    unmatched: tuple[dict[str, Any], ...] = ()
    """Released verdicts whose id is in no comparison, as they stood."""
    faults: tuple[BadRecord, ...] = ()
    notes: tuple[str, ...] = ()
    """What a reader of the numbers should know."""


def read_verdicts(
    sources: Sequence[str | Path],
    compete: str | Path | None = None,
    rule: TieRule | None = None,
    repeats: Repeats = "first",
) -> VerdictSet:
    """Read verdicts, and the comparisons that released ones need.

    Args:
        sources: files of verdicts or comparisons, or folders: a folder gives its
            ``verdicts.jsonl`` and ``comparisons.jsonl``, or else all its ``.jsonl`` files; the
            folder of a judged run gives those of all its judgings.
        compete: the released file of comparisons; without it, ``compete_data.jsonl`` beside a
            file of released verdicts is read.
        rule: which confidences make ties, for released rows.
        repeats: "first" counts the first verdict of a judge on a comparison in one order of
            pictures and tells of the others; "all" counts all, as the released script does.

    Raises:
        DataError: a file cannot be read, or there is not one verdict.
        UsageError: no source, released verdicts without any comparison, or one judge's verdicts
            from two judgings of a run where only the first may count.
    """
    files = [path for source in sources for path in _files_of(Path(source))]
    if not files:
        raise UsageError("No file of verdicts was named.")
    reading = _Reading(rule or TieRule(), repeats, _judge_names(files))
    for path in [Path(compete)] if compete is not None else []:
        reading.take(path)
    for path in files:
        reading.take(path)
    if reading.released and not reading.comparisons:
        for path in dict.fromkeys(Path(row.file).parent / COMPETE for row in reading.released):
            if path.is_file():
                reading.take(path)
    return reading.finish()


def _files_of(source: Path) -> list[Path]:
    if not source.is_dir():
        return [source]
    judged = source / JUDGED if (source / JUDGED).is_dir() else source
    inner = sorted(judged.glob(f"*/{VERDICTS}"))
    if inner and not (source / VERDICTS).is_file():
        # A run's folder, or its judgings': each has a folder of its own.
        return [path for place in inner for path in _files_of(place.parent)]
    own = [source / name for name in (COMPARISONS, VERDICTS)]
    if own[1].is_file():
        return [path for path in own if path.is_file()]
    found = sorted(path for path in source.iterdir() if path.suffix in ENDINGS)
    if not found:
        raise DataError(f"{source}: holds no file of verdicts ({VERDICTS} or other .jsonl files).")
    return found


def _judge_names(files: Sequence[Path]) -> dict[Path, str]:
    """Return a judge's name for each file: what follows "results_" in its stem, or the stem.

    Where two files would give one name, their folder stands before it.
    """
    often = Counter(path.stem for path in dict.fromkeys(files))
    names = {path: path.stem.removeprefix(RESULTS) or path.stem for path in files}
    return {
        path: name if often[path.stem] == 1 else f"{path.parent.name}/{name}"
        for path, name in names.items()
    }


@dataclass(frozen=True)
class _ReleasedRow:
    file: str
    line: int
    judge: str
    row: dict[str, Any]


class _Reading:
    """Rows as they come; released verdicts wait until all comparisons are known."""

    def __init__(self, rule: TieRule, repeats: Repeats, judges: dict[Path, str]) -> None:
        self.rule, self.repeats, self.judges = rule, repeats, judges
        self.comparisons: dict[str, Comparison] = {}
        self._places: dict[str, Path] = {}
        self.released: list[_ReleasedRow] = []
        self._verdicts: list[tuple[str, int, Verdict | _ReleasedRow]] = []
        self._unmatched: list[dict[str, Any]] = []
        self._faults: list[BadRecord] = []
        self._taken: dict[Path, Path] = {}

    def take(self, path: Path) -> None:
        """Read a file, once."""
        if path.resolve() in self._taken:
            return
        self._taken[path.resolve()] = path
        # A confidence of NaN is what Python writes for a missing one.
        for line, value in read_json_lines(path, non_finite_is_null=True):
            if isinstance(value, BadRecord):
                self._faults.append(value)
            elif isinstance(value, dict):
                self._row(path, line, value)
            else:
                self._fault(path, line, "", "not an object")

    def _row(self, path: Path, line: int, row: dict[str, Any]) -> None:
        try:
            if "comparison_id" in row:
                self._verdicts.append((str(path), line, _our_verdict(row)))
            elif "result" in row:
                judge = self.judges.get(path, path.stem)
                released = _ReleasedRow(str(path), line, judge, row)
                self.released.append(released)
                self._verdicts.append((str(path), line, released))
            elif "model_A" in row or "model_B" in row:
                self._comparison(path, line, comparison_of_row(row))
            elif "model_a" in row:
                self._comparison(path, line, Comparison.model_validate(_with_extra(row)))
            else:
                self._fault(path, line, "", "neither a verdict nor a comparison")
        except UnreadField as fault:
            self._fault(path, line, fault.field, fault.reason)
        except ValidationError as error:
            first = error.errors()[0]
            self._fault(path, line, ".".join(map(str, first["loc"])), first["msg"])

    def _comparison(self, path: Path, line: int, found: Comparison) -> None:
        known = self.comparisons.setdefault(found.id, found)
        # Two judgings of one run each have a file of the same comparisons: that is no fault.
        elsewhere = self._places.setdefault(found.id, path) != path
        if known is not found and not (known == found and elsewhere):
            same = "again, as before" if known == found else "again, with other models or pictures"
            told = f"comparison '{shown(found.id)}' comes {same}; the first one counts"
            self._fault(path, line, "id", told)

    def _fault(self, path: Path | str, line: int, field: str, reason: str) -> None:
        self._faults.append(BadRecord(str(path), line, field, reason))

    def finish(self) -> VerdictSet:
        """Match released verdicts with comparisons, part repeats, and say what was odd."""
        told = "".join(f"\n  {fault}" for fault in self._faults[:5])
        files = ", ".join(str(path) for path in list(self._taken.values())[:5])
        if self.released and not self.comparisons:
            why = f" Not one could be read:{told}" if told else ""
            raise UsageError(
                f"{self.released[0].file}: released verdicts name comparisons by id only. Name "
                f"their file with --compete {COMPETE}.{why}"
            )
        counted: dict[tuple[str, str, bool, int], Verdict] = {}
        places: dict[tuple[str, str, bool], tuple[str, int]] = {}
        repeated: list[Verdict] = []
        for number, (file, line, found) in enumerate(self._verdicts):
            verdict = self._matched(found) if isinstance(found, _ReleasedRow) else found
            if verdict is None:
                continue
            key = (verdict.comparison_id, verdict.judge, verdict.flipped)
            if key in places and self.repeats == "first":
                before, number_before = places[key]
                _refuse_two_judgings(verdict.judge, Path(before), Path(file))
                repeated.append(verdict)
                told = (
                    f"judge '{shown(verdict.judge)}' has a verdict on comparison "
                    f"'{shown(verdict.comparison_id)}' already ({before}:{number_before}); "
                    "not counted"
                )
                self._fault(file, line, "id", told)
                continue
            places.setdefault(key, (file, line))
            counted[(*key, number)] = verdict
        verdicts = tuple(counted.values())
        if not verdicts:
            told = "".join(f"\n  {fault}" for fault in self._faults[:5])
            told = told or " No row is there: a judge that fails its certificate is not asked."
            raise DataError(f"{files}: not one verdict could be read.{told}")
        return VerdictSet(
            verdicts=verdicts,
            comparisons=tuple(self.comparisons.values()),
            repeats=tuple(repeated),
            unmatched=tuple(self._unmatched),
            faults=tuple(self._faults),
            notes=tuple(_notes(verdicts, [r for r in self.released if "judge" not in r.row])),
        )

    def _matched(self, released: _ReleasedRow) -> Verdict | None:
        """Return a released row's verdict, or ``None`` when nobody knows what it is about."""
        try:
            number = id_text(released.row.get("id"))
        except UnreadField as fault:
            self._unmatched.append(released.row)
            self._fault(released.file, released.line, fault.field, fault.reason)
            return None
        comparison = self.comparisons.get(number)
        if comparison is None:
            self._unmatched.append(released.row)
            told = f"'{shown(number)}' is in no comparison; the verdict cannot be counted"
            self._fault(released.file, released.line, "id", told)
            return None
        return verdict_of_row(released.row, comparison, released.judge, self.rule)


def _refuse_two_judgings(judge: str, first: Path, second: Path) -> None:
    """Refuse a judge's verdicts from two judgings of one run: which came first means nothing."""
    places = first.parent, second.parent
    siblings = places[0] != places[1] and places[0].parent == places[1].parent
    if siblings and places[0].parent.name == JUDGED:
        raise UsageError(
            f"{places[0]} and {places[1]} are two judgings of the same pairs by "
            f"'{shown(judge)}', with other profiles or settings. Name the one to rate, or "
            "count both with --repeats all."
        )


def _our_verdict(row: dict[str, Any]) -> Verdict:
    verdict = Verdict.model_validate(_with_extra(row, Verdict))
    if verdict.model_a == verdict.model_b:
        raise UnreadField("model_b", f"'{shown(verdict.model_b)}' is compared with itself")
    return verdict


def _with_extra(
    row: dict[str, Any], kind: type[Verdict] | type[Comparison] = Comparison
) -> dict[str, Any]:
    """Return a row of ours with the fields that we do not know moved into ``extra``."""
    known = {k: v for k, v in row.items() if k in kind.model_fields}
    more = {k: v for k, v in row.items() if k not in kind.model_fields}
    if more:
        extra = known.get("extra")
        known["extra"] = {**(extra if isinstance(extra, dict) else {}), **more}
    return known


def _notes(verdicts: Sequence[Verdict], unnamed: Sequence[_ReleasedRow]) -> Iterator[str]:
    """Tell of unread preferences, confidences that are no numbers, and unknown persons."""
    unread = [v for v in verdicts if v.outcome == "unread"]
    if unread:
        yield f"{len(unread)} verdicts could not be read, the first: {shown(unread[0].detail)}"
    decided = [v for v in verdicts if v.choice is not None]
    bare = [v for v in decided if v.confidence is None]
    stated = [v for v in bare if v.confidence_stated is not None]
    if stated:
        told = shown(str(stated[0].confidence_stated))
        yield (
            f"{len(stated)} confidences are no number from 0 to 1 (the first: '{told}'): their "
            "verdicts count as stated"
        )
    if len(bare) > len(stated):
        yield f"{len(bare) - len(stated)} verdicts have no confidence and count as stated"
    if not any(v.person_id for v in verdicts):
        yield (
            "the files name no persons: each case is its own cluster"
            if all(v.case_id for v in verdicts)
            else "the files name no persons: each comparison is its own cluster"
        )
    if unnamed:
        names = ", ".join(sorted({shown(row.judge) for row in unnamed})[:6])
        yield f"judges are named after their files: {names}"


def write_verdicts(verdicts: Iterable[Verdict], path: str | Path) -> Path:
    """Write verdicts as JSONL, one of our records a line; fields at their default are left out.

    Raises:
        CannotWrite: see :func:`eyeprint.records.whole_files.write_whole`.
    """
    return _write(path, (v.model_dump(mode="json", exclude_defaults=True) for v in verdicts))


def write_comparisons(comparisons: Iterable[Comparison], path: str | Path) -> Path:
    """Write comparisons as JSONL, one of our records a line.

    Raises:
        CannotWrite: see :func:`eyeprint.records.whole_files.write_whole`.
    """
    return _write(path, (c.model_dump(mode="json", exclude_defaults=True) for c in comparisons))


def write_released(
    comparisons: Iterable[Comparison], verdicts: Iterable[Verdict], folder: str | Path
) -> list[Path]:
    """Write ``compete_data.jsonl`` and one ``results_<judge>.jsonl`` per judge.

    What was read from released rows comes out equal to them.

    Raises:
        UsageError: the folder holds a file of another judge.
        CannotWrite: see :func:`eyeprint.records.whole_files.write_whole`.
    """
    folder = Path(folder)
    by_judge: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        by_judge.setdefault(verdict.judge, []).append(verdict)
    names: dict[str, str] = {}
    taken: set[str] = set()
    for judge in sorted(by_judge):
        stem = "".join(c if c.isalnum() or c in "-._" else "_" for c in judge)
        # Names of files are counted in bytes, and some systems do not tell capitals apart.
        stem = stem.encode()[:100].decode("utf-8", "ignore")
        free = (stem + (f"-{n}" if n else "") for n in range(len(by_judge)))
        name = next(name for name in free if name.casefold() not in taken)
        taken.add(name.casefold())
        names[judge] = f"{RESULTS}{name}.jsonl"
    left = sorted({path.name for path in folder.glob(f"{RESULTS}*.jsonl")} - {*names.values()})
    if left:
        raise UsageError(
            f"{folder} holds {left[0]} of other verdicts, which would be read together with these. "
            "Name an empty or new folder."
        )
    written = [_write(folder / COMPETE, map(row_of_comparison, comparisons))]
    for judge, name in names.items():
        written.append(_write(folder / name, map(row_of_verdict, by_judge[judge])))
    return written


def _write(path: str | Path, rows: Iterable[dict[str, Any]]) -> Path:
    path = Path(path)
    write_whole(path, map(json_line, rows))
    return path
