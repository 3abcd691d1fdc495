"""Replies as models write them, by family and style, each with its right reading.

``model_replies/*.txt``, a file a style. A row begins with a line ``=== QUESTION | READING | WHY``
and goes on with the reply to the next such line; ``~`` behind the question: the reply was cut by
the length limit. READING is a letter, Yes, No, or an outcome; ``one/other``: either is right. A
row without WHY says its answer outright, or declines outright, in the way of its family.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from eyeprint.records.concept_questions import ConceptQuestion

FOLDER = Path(__file__).parent / "model_replies"
ANSWERS = frozenset((*"ABCD", "Yes", "No"))
_ASK = " Answer Yes or No."
_CHOICES: dict[str, tuple[str, tuple[str, ...]]] = {
    "HOLD": (
        "What is <sks> holding in this picture?",
        ("a checked flag", "a big golden key", "a wrapped gift", "a basket of apples"),
    ),
    "STAND": (
        "What does <sks> stand on in the image?",
        ("a bed of flowers", "a pink cushion", "a tree stump", "a red bench"),
    ),
    "RUG": (
        "What is <sks> standing on in this picture?",
        ("a round purple rug", "a purple cushion", "a pink cushion", "a striped beach mat"),
    ),
    "ENJOY": (
        "What in this image would <sks> enjoy most?",
        ("cameras", "building blocks", "mountain hikes", "novels"),
    ),
    "AVOID": (
        "Which thing in this picture would <sks> rather avoid?",
        ("cameras", "television shows", "scented candles", "chess"),
    ),
    "LEAVE": (
        "Which of these would <sks> leave out of what this picture shows?",
        ("building blocks", "top hats", "growing cacti", "chess"),
    ),
    "LEAST": (
        "Which of these would <sks> like the least?",
        ("a beach party", "a quiet library", "a rock concert", "a hiking trail"),
    ),
    "DOING": (
        "What is <sks> doing in this image?",
        (
            "Reading a book on a park bench",
            "Riding a bicycle along the river",
            "Feeding ducks near the pond",
            "Sitting on a sofa with a laptop",
        ),
    ),
    "WHERE": (
        "Where is <sks> in this image?",
        (
            "On the left, next to a white dog",
            "In the middle, behind the table",
            "On the right, next to a black dog",
            "Not in the image",
        ),
    ),
    "COLOR": ("What color is the hat of <sks>?", ("blue", "dark blue", "green", "red and white")),
    "WHO": (
        "Which person is <sks>?",
        (
            "the man on the left",
            "the man on the right",
            "the woman in the middle",
            "the child in front",
        ),
    ),
    "WATCH": (
        "Which activity would <sks> like best?",
        ("watching a football game", "playing football", "watching movies", "playing chess"),
    ),
    "COUNT": ("How many others are with <sks>?", ("one", "two", "three", "none")),
}
_YES_NO: dict[str, tuple[str, bool]] = {
    "INIMG": ("Is <sks> in the image?" + _ASK, False),
    "ONEOF": ("Is one of those in the picture <sks>?" + _ASK, False),
    "CANSEE": ("Can <sks> be seen in this picture?" + _ASK, False),
    "DOESSHOW": ("Does this picture show <sks>?" + _ASK, False),
    "MISSING": ("Is <sks> missing from the picture?" + _ASK, True),
    "NOWHERE": ("Is <sks> nowhere to be seen in this image?" + _ASK, True),
    "NOTPRES": ("Is <sks> not present in this image?" + _ASK, True),
    "NOTSHOW": ("Is it true that this picture does not show <sks>?" + _ASK, True),
    "ABSENT": ("Is <sks> absent from this picture?" + _ASK, True),
    "W_LIKE": ("Would <sks> like this?", False),
    "W_NOTLIKE": ("Would <sks> not like this?", True),
    "W_DISLIKE": ("Would <sks> dislike this?", False),
    "W_NOTDISLIKE": ("Would <sks> not dislike this?", True),
    "P_SHOWDIS": ("Does this picture show something that <sks> dislikes?" + _ASK, False),
    "P_NODIS": ("Does this picture show nothing that <sks> dislikes?" + _ASK, True),
    "P_PUTOFF": ("Would <sks> be put off by something shown in this image?" + _ASK, False),
    "P_ALLMISS": ("Is everything that <sks> likes missing from this image?" + _ASK, True),
    "P_CONTAIN": ("Does the image contain a thing to <sks>'s liking?" + _ASK, False),
    "P_PLEASED": ("Would <sks> be pleased with something shown in this image?" + _ASK, False),
    "P_AVOID": ("Does the image contain a thing that <sks> would rather avoid?" + _ASK, False),
    "P_WO_AVOID": ("Is this image without a thing that <sks> would rather avoid?" + _ASK, True),
    "P_ANYDIS": (
        "Is there anything in this picture that <sks> is known to dislike?" + _ASK,
        False,
    ),
    "P_NONELIKE": (
        "Is it true that nothing in this picture is something <sks> is known to like?" + _ASK,
        True,
    ),
    "P_WO_LIKE": ("Is this image without a thing to <sks>'s liking?" + _ASK, True),
}


class Row(NamedTuple):
    """A reply and how it is to be read."""

    style: str
    asked: str
    want: tuple[str, ...]
    why: str
    reply: str
    cut: bool

    @property
    def clear(self) -> bool:
        """Whether it gives an answer that has to be read."""
        return self.want[0] in ANSWERS

    @property
    def missed(self) -> bool:
        """Whether it gives an answer that is known not to be read."""
        return self.want[0] == "unread" and self.why.startswith("clear, but missed")


def posed(name: str, negated: bool | None = None) -> ConceptQuestion:
    """Return a question by its name in the rows."""
    shared = {"id": name, "concept": "Boo", "category": "human", "group": "preference"}
    if name in _CHOICES:
        text, options = _CHOICES[name]
        made = {"type": "coherency", "options": dict(zip("ABCD", options, strict=True))}
        return ConceptQuestion.model_validate(
            {**shared, **made, "question": text, "answer": "A", "image": "a.png"}
        )
    text, by_wording = _YES_NO[name]
    made = {"type": "awareness", "negated": by_wording if negated is None else negated}
    return ConceptQuestion.model_validate(
        {**shared, **made, "question": text, "answer": "Yes", "image": "a.png"}
    )


def rows() -> Iterator[Row]:
    """Yield the rows of all files."""
    for file in sorted(FOLDER.glob("*.txt")):
        for block in re.split(r"(?m)^=== ", file.read_text(encoding="utf-8"))[1:]:
            head, reply = block.split("\n", 1)
            asked, want, why = (part.strip() for part in head.split("|"))
            yield Row(
                file.stem,
                asked.rstrip("~"),
                tuple(want.split("/")),
                why,
                reply.rstrip("\n"),
                asked.endswith("~"),
            )


ROWS = tuple(rows())
