"""What the offline model ``nearest`` is told, read out of the ordinary messages of a dialogue.

Concepts are injected as any model gets them: user messages with pictures and "This image shows
<sks>. ...", or with lines of text that name ``<sks>`` or ``<sks_3>``. They are found wherever
they stand; turns that name no concept are passed over. The last user message is the query: its
last picture, and the text around it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from eyeprint.models.kinds import ImagePart, Message, TextPart

NAME = re.compile(r"<\s*sks(?:_?(\d+))?\s*>", re.IGNORECASE)
"""What a concept is called: ``<sks>``, or ``<sks_3>`` among several."""
_OPTION = re.compile(r"^[ \t]*[*(]*([A-D])[*]*[.):][*]*[ \t]*(\S.*?)[ \t]*$", re.MULTILINE)
_TASTES = re.compile(
    r"\b(?P<kind>likes?|loves?|enjoys?|dislikes?|hates?|avoids?)\b[:\s]+(?P<things>.+?)"
    r"(?=[,;]?\s+(?:but|and)\s+(?:also\s+)?(?:likes?|loves?|enjoys?|dislikes?|hates?|avoids?)\b"
    r"|[.;\n]|$)",
    re.IGNORECASE | re.DOTALL,
)
_DISLIKING = ("dislike", "hate", "avoid")
_LISTED = re.compile(r"\s*,\s*(?:and\s+|or\s+)?|\s+and\s+|\s+or\s+")
_SENTENCE = re.compile(r"[^.?!\n]*(?:[.?!](?=\S)[^.?!\n]*)*[.?!]?")
_REASONS = re.compile(
    r"step[- ]by[- ]step|chain of thought|\breason(?:s|ing)?\b|think (?:it |this )?(?:through|"
    r"before|first|carefully)|\bexplain\b",
    re.IGNORECASE,
)
_NEGATIONS = re.compile(
    r"\bnot\b|\bno\b|\bnothing\b|\bnobody\b|\bneither\b|\bcannot\b|\babsent\b|\babsence\b|\bmissing\b|\blacks?\b|\blacking\b|"
    r"\bwithout\b|\bnowhere\b|\bnever\b|\bexclud\w+|\bomit\w*|\bleft out\b|\bfails? to\b|"
    r"\bfree of\b|\bdevoid of\b|\bnone of\b|\bfalse\b|\buntrue\b|\bunlikely\b|(?<=\w)n't\b",
    re.IGNORECASE,
)
_TAG = re.compile(r"^\W*(?:\w+n't)\b", re.IGNORECASE)
_TASTE_ASKED = re.compile(
    r"(?<!look )(?<!looks )\b(?:like[sd]?|lik(?:ing|able)|love[sd]?|enjoy\w*|prefer\w*|tastes?|"
    r"favou?rite\w*|interest\w*|appeal\w*|fond|please[sd]?|happy|delight\w*|recommend\w*|"
    r"dislike[sd]?|hate[sd]?|avoid\w*|displeas\w+|bother\w*|upset\w*|unhappy|put off)\b",
    re.IGNORECASE,
)
_DISLIKE_ASKED = re.compile(
    r"\b(?:dislike[sd]?|hate[sd]?|avoid\w*|displeas\w+|bother\w*|upset\w*|unhappy|put off|"
    r"least)\b",
    re.IGNORECASE,
)


class Injected(NamedTuple):
    """All that was told of one concept."""

    name: str
    """As :func:`plain_name` writes it."""
    pictures: tuple[ImagePart, ...] = ()
    description: str = ""
    """Its text without likes and dislikes."""
    likes: tuple[str, ...] = ()
    dislikes: tuple[str, ...] = ()


class Asked(NamedTuple):
    """The query."""

    name: str
    """Of the concept that is asked about; empty where none is named."""
    question: str
    options: dict[str, str]
    """Letter -> text; empty where none are shown."""
    kind: Literal["presence", "taste", "other"]
    """Whether the concept is shown; whether it likes what is shown; anything else."""
    negated: bool
    """Whether "yes" means that it is not so."""
    dislike: bool
    """Whether dislikes are asked for."""
    reasons: bool
    """Whether reasons are wanted before the answer."""
    picture: ImagePart | None
    """The last picture of the message."""


class Dialogue(NamedTuple):
    """A request, read."""

    concepts: dict[str, Injected]
    """In order of first mention."""
    asked: Asked

    @property
    def concept(self) -> Injected:
        """The concept that is asked about, empty-handed where nothing was told of it."""
        return self.concepts.get(self.asked.name, Injected(self.asked.name))


def plain_name(found: re.Match[str]) -> str:
    """Return ``sks`` or ``sks_3``.

    >>> plain_name(NAME.search("Is <SKS_03> here?"))
    'sks_3'
    """
    return "sks" if found[1] is None else f"sks_{int(found[1])}"


@dataclass
class _Notes:
    pictures: list[ImagePart] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)


def read_dialogue(messages: Sequence[Message]) -> Dialogue:
    """Return what the messages tell and ask.

    >>> told = Message(role="user", text="<sks> is a red mug. <sks> likes tea but dislikes rain.")
    >>> asks = Message(role="user", text="Is <sks> not in this picture?")
    >>> read = read_dialogue([told, asks])
    >>> read.concept.description, read.concept.likes, read.asked.kind, read.asked.negated
    ('<sks> is a red mug.', ('tea',), 'presence', True)
    """
    from_users = [message for message in messages if message.role != "assistant"]
    last = max((i for i, m in enumerate(from_users) if m.role == "user"), default=-1)
    notes: dict[str, _Notes] = {}
    for place, message in enumerate(from_users):
        if place != last:
            _take(notes, _pieces(message))
    before, query, picture = _query(_pieces(from_users[last])) if from_users else ([], "", None)
    _take(notes, before)
    concepts = {name: _injected(name, note) for name, note in notes.items()}
    asked = read_question(query, picture)
    if asked.name not in concepts:
        # The target of several is the one numbered 0; a lone concept needs no number.
        known = [name for name in ("sks_0", "sks") if name in concepts]
        if known and (asked.name in ("", "sks") or len(concepts) == 1):
            asked = asked._replace(name=known[0])
    return Dialogue(concepts, asked)


def _pieces(message: Message) -> list[str | ImagePart]:
    if not message.parts:
        return [message.text]
    return [part.text if isinstance(part, TextPart) else part for part in message.parts]


def _query(pieces: list[str | ImagePart]) -> tuple[list[str | ImagePart], str, ImagePart | None]:
    """Part what is told within the last message from what is asked.

    Pictures followed by a text that names a concept and asks nothing are told; the last picture
    that is followed by a question, or by nothing, is the query's.
    """
    places = [i for i, piece in enumerate(pieces) if isinstance(piece, ImagePart)]
    if not places:
        return [], "\n".join(piece for piece in pieces if isinstance(piece, str)), None
    at = places[-1]
    first = at
    told: list[str | ImagePart] = []
    if len(places) > 1:
        texts = [i for i in range(at) if isinstance(pieces[i], str) and NAME.search(str(pieces[i]))]
        first = texts[-1] + 1 if texts and texts[-1] > places[0] else 0
        told = pieces[:first]
    picture = pieces[at]
    text = "\n".join(
        p for i, p in enumerate(pieces) if i >= first or not told if isinstance(p, str)
    )
    return told, text, picture if isinstance(picture, ImagePart) else None


def _take(notes: dict[str, _Notes], pieces: Sequence[str | ImagePart]) -> None:
    """Note down whose the pictures and lines are."""
    waiting: list[ImagePart] = []
    for piece in pieces:
        if isinstance(piece, ImagePart):
            waiting.append(piece)
            continue
        name = ""
        for line in piece.splitlines():
            found = NAME.search(line)
            if found:
                name = plain_name(found)
                note = notes.setdefault(name, _Notes())
                note.pictures += [part for part in waiting if part not in note.pictures]
                waiting = []
            if name and line.strip():
                notes[name].lines.append(line.strip())


def _injected(name: str, note: _Notes) -> Injected:
    words: list[str] = []
    tastes: dict[bool, list[str]] = {True: [], False: []}
    for line in dict.fromkeys(note.lines):
        for sentence in (found[0].strip() for found in _SENTENCE.finditer(line)):
            found = list(_TASTES.finditer(sentence))
            for one in found:
                liked = not one["kind"].lower().startswith(_DISLIKING)
                tastes[liked] += [thing for thing in listed(one["things"]) if thing]
            if sentence and not found:
                words.append(sentence)
    return Injected(
        name,
        tuple(note.pictures),
        " ".join(words),
        tuple(dict.fromkeys(tastes[True])),
        tuple(dict.fromkeys(tastes[False])),
    )


def listed(text: str) -> list[str]:
    """Return the things of a list in words.

    >>> listed("tea, rock concerts, and old maps")
    ['tea', 'rock concerts', 'old maps']
    """
    return [part.strip(" .,;") for part in _LISTED.split(text) if part.strip(" .,;")]


def read_question(text: str, picture: ImagePart | None = None) -> Asked:
    """Return what a query's text asks: its last question that names a concept, and the options.

    A negated question is one with an odd number of negations; a contraction at its head ("Isn't
    <sks> here?") asks as the plain form does, as speakers use it.

    >>> asked = read_question("Which drink fits <sks>?\\nOptions:\\nA. tea\\nB. gin")
    >>> asked.options, asked.kind
    ({'A': 'tea', 'B': 'gin'}, 'taste')
    >>> [read_question(f"Is <sks> {words}?").negated for words in
    ...  ("here", "missing", "not missing")]
    [False, True, False]
    """
    sentences = [
        (found.start(), found.end(), found[0].strip())
        for found in _SENTENCE.finditer(text)
        if found[0].strip() and not _OPTION.fullmatch(found[0])
    ]
    ranked = [
        [s for s in sentences if s[2].endswith("?") and NAME.search(s[2])],
        [s for s in sentences if NAME.search(s[2])],
        [s for s in sentences if s[2].endswith("?")],
        sentences,
    ]
    _, end, question = next((found[-1] for found in ranked if found), (0, 0, ""))
    options: dict[str, str] = {}
    for found in _OPTION.finditer(text, end):
        if found[1] in options:
            break
        options[found[1]] = found[2]
    named = NAME.search(question)
    body = _TAG.sub("", question)
    taste = bool(_TASTE_ASKED.search(question)) or ("fit" in question and bool(options))
    return Asked(
        name=plain_name(named) if named else "",
        question=question,
        options=options,
        kind="taste" if taste else ("other" if options or not _is_polar(question) else "presence"),
        negated=len(_NEGATIONS.findall(body)) % 2 == 1,
        dislike=bool(_DISLIKE_ASKED.search(question)),
        reasons=bool(_REASONS.search(text)),
        picture=picture,
    )


_OPEN = re.compile(r"^\W*(?:what|which|who|whose|where|when|why|how|describe|name)\b", re.I)


def _is_polar(question: str) -> bool:
    return not _OPEN.search(question)
