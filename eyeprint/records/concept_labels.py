"""Which answer a label means, told from all labels of a file together (CHECKLIST M18, X1).

Released rows count answers from 0 (0–3 for A–D, 4 and 5 for Yes and No) in one layout and spell
them in another; copies count from 1, or give the option's text. No row alone can tell "2" from
0 from "2" from 1, so nothing is read before every row was looked at.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, get_args

from eyeprint.errors import BadRecord, UnknownName, shown
from eyeprint.records.concept_questions import LETTERS, NO, YES

Labels = Literal["letters", "text", "from_zero", "from_one"]
LABELS: tuple[Labels, ...] = get_args(Labels)
"""Ways to write an answer: a letter; an option's text; a number, the first option being 0 or 1.
Yes and No are spelled in the first two, and are numbers after D in the others: 4 and 5, or 5
and 6. Spelled, they fit every way."""
_TOLD: Mapping[Labels, str] = {
    "letters": "a letter",
    "text": "an option's text",
    "from_zero": "a number that counts from 0",
    "from_one": "a number that counts from 1",
}
_LETTER = re.compile(rf"[(\[]?([{LETTERS}])(?:[)\].:]\s*(.*))?", re.IGNORECASE | re.DOTALL)
_NUMBER = re.compile(r"([0-9]{1,3})(?:\.0+)?")


class Labelled(NamedTuple):
    """The label of one row, where it stands, and what it can mean."""

    file: str
    line: int
    label: str
    options: Mapping[str, str]
    """Letter -> text; empty where the answer is yes or no."""


class Told(NamedTuple):
    """What the labels mean."""

    labels: Labels | None
    """How they are written; ``None`` when not one could be read in any way."""
    answers: tuple[str | BadRecord, ...]
    """For each row a letter of its options, "Yes" or "No", or why there is none."""


def plain(text: str) -> str:
    """Return a text without what makes no difference to an answer.

    >>> plain("  The  Beach. ")
    'the beach'
    """
    return " ".join(text.casefold().split()).rstrip(".").rstrip()


def readings(label: str, options: Mapping[str, str]) -> dict[Labels, str]:
    """Return everything that one label can mean: way of writing -> answer.

    >>> readings("2", {"A": "sea", "B": "hill", "C": "2", "D": "town"})
    {'text': 'C', 'from_zero': 'C', 'from_one': 'B'}
    >>> readings("(b)", {"A": "sea", "B": "hill"}), readings("no.", {})["from_zero"]
    ({'letters': 'B'}, 'No')
    """
    label = label.strip()
    number = _NUMBER.fullmatch(label)
    found: dict[Labels, str] = {}
    if not options:
        spelled = {"yes": YES, "no": NO}.get(plain(label))
        if spelled:
            return dict.fromkeys(LABELS, spelled)
        answers: tuple[str, ...] = ("", "", "", "", YES, NO)
        possible: tuple[str, ...] = (YES, NO)
    else:
        letter = _LETTER.fullmatch(label)
        if letter:
            one, rest = letter[1].upper(), letter[2]
            # "C. the beach" is a letter with its option; "C. something else" is not.
            if one in options and (not rest or plain(rest) == plain(options[one])):
                found["letters"] = one
        same = [one for one, text in options.items() if plain(text) == plain(label)]
        if len(same) == 1:
            found["text"] = same[0]
        answers, possible = tuple(LETTERS), tuple(options)
    if number:
        for way, first in (("from_zero", 0), ("from_one", 1)):
            place = int(number[1]) - first
            if 0 <= place < len(answers) and answers[place] in possible:
                found[way] = answers[place]  # type: ignore[index]
    return found


def tell_labels(rows: Sequence[Labelled], labels: Labels | None = None) -> Told:
    """Return what every label means.

    A label that means nothing in any way is that row's fault. All others have to be written
    in one way, and where several ways fit every row they have to agree.

    Args:
        rows: all rows of a file, or of files that are one table.
        labels: the way, where it is known; labels that are not written so are faults.

    Raises:
        BadRecord: the file is mixed or ambiguous; names the first row that shows it.
        UnknownName: ``labels`` is none of :data:`LABELS`.

    >>> options = {"A": "sea", "B": "hill", "C": "lake", "D": "town"}
    >>> rows = [Labelled("q.csv", 2, "1", options), Labelled("q.csv", 3, "5", {}),
    ...         Labelled("q.csv", 4, "0", options)]
    >>> tell_labels(rows)
    Told(labels='from_zero', answers=('B', 'No', 'A'))
    """
    if labels is not None and labels not in LABELS:
        raise UnknownName("way to write answers", labels, LABELS)
    found = [readings(row.label, row.options) for row in rows]
    way = labels or _way(rows, found)
    return Told(
        way,
        tuple(
            read[way] if way in read else _fault(row, labels)
            for row, read in zip(rows, found, strict=True)
        ),
    )


def _way(rows: Sequence[Labelled], found: Sequence[dict[Labels, str]]) -> Labels | None:
    some = [(row, read) for row, read in zip(rows, found, strict=True) if read]
    fits = [way for way in LABELS if all(way in read for _, read in some)]
    if not some:
        return None
    if not fits:
        raise _mixed(some)
    for row, read in some:
        meant = {way: read[way] for way in fits}
        if len(set(meant.values())) > 1:
            each = " or ".join(f"'{answer}' ({_TOLD[way]})" for way, answer in meant.items())
            ways = " or ".join(f"labels='{way}'" for way in fits) + " (--labels)"
            reason = (
                f"'{shown(row.label)}' may mean {each}, and no row of the file tells which. "
                f"Say {ways}"
            )
            raise BadRecord(row.file, row.line, "answer", reason)
    return fits[0]


def _mixed(some: Sequence[tuple[Labelled, dict[Labels, str]]]) -> BadRecord:
    """Return the fault of a file that is written in several ways, by two rows that show it."""
    main = max(LABELS, key=lambda way: sum(way in read for _, read in some))
    other, ways = next((row, read) for row, read in some if main not in read)
    # The row that shows it best fits none of the other's ways; three ways may clash only
    # together, and then any row of the main way will do.
    shows = [row for row, read in some if main in read and not ways.keys() & read.keys()]
    usual = next(iter(shows), None) or next(row for row, read in some if main in read)
    reason = (
        f"answers are written in more than one way: '{shown(other.label)}' here is "
        f"{' or '.join(_TOLD[way] for way in ways)}, but '{shown(usual.label)}' at "
        f"{usual.file}:{usual.line} is {_TOLD[main]}. Write all in one way, or say "
        f"labels='{main}' (--labels {main}) to leave out the rows that are not written so"
    )
    return BadRecord(other.file, other.line, "answer", reason)


def _fault(row: Labelled, labels: Labels | None) -> BadRecord:
    possible = ", ".join(row.options) if row.options else f"{YES} or {NO}"
    reason = f"'{shown(row.label)}' is no answer to this question ({possible})"
    if labels is not None:
        reason += f" when answers are written as {_TOLD[labels]} (labels='{labels}')"
    elif not row.options and _NUMBER.fullmatch(row.label.strip()):
        reason += "; numbers for Yes and No are 4 and 5, or 5 and 6 where A is 1"
    return BadRecord(row.file, row.line, "answer", reason if row.label else "is empty")
