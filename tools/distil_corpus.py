"""The texts on which the static encoder is fitted: short and long, none from the mini personas.

Eight kinds, each from its own random stream, so that a change of one count leaves the
other texts as they are:

``gloss``    definitions and examples of WordNet (Debian package ``wordnet-base``)
``example``  further examples of WordNet: short sentences of everyday English
``phrase``   strings of the tables under ``eyeprint/people/data``, and WordNet lemmas
``request``  short requests to a painter, with common nouns of WordNet
``prompt``   a short request followed by 0 to 30 phrases of one country and trade
``caption``  150 to 260 words: sentences of the grammar tables, filled with phrases of one
             country and trade, between glosses of neighbouring WordNet entries
``person``   descriptions of people in the sentences of ``Persona.description()``
``extra``    texts of further files, one a line (``--texts``), and windows cut from them

``windows`` of the long texts fill the lengths in between.
"""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from eyeprint.randomness import Stream, stream

COUNTS: Mapping[str, int] = {
    "gloss": 60_000,
    "example": 25_000,
    "phrase": 30_000,
    "request": 20_000,
    "prompt": 20_000,
    "caption": 12_000,
    "person": 3_000,
    "window": 15_000,
}
"""How many texts of each kind; fewer when the sources hold fewer."""

_MARK = re.compile(r"<[a-z]:([^<>]*)>")
_CHOICE = re.compile(r"\(([^()|]*(?:\|[^()|]*)+)\)")
_SLOT = re.compile(r"\{~?([A-Za-z]+?)\d?\}")
_REQUESTS = (
    "A preferred outdoor spot", "My kind of breakfast", "A quiet corner at home",
    "Something I would wear", "A present for a friend", "The view from my window",
    "A weekend well spent", "A poster for my wall", "The shop where I buy things",
    "A day at work", "An animal I like", "A place to meet people", "My favourite season",
    "Add something to this street", "Change the room to my taste", "A street in the rain",
    "A festive evening", "A journey", "A tool in use", "A table laid for guests",
)  # fmt: skip


_REQUEST_PATTERNS = (
    "A (photo|photograph|picture|painting|drawing|poster) of {noun}.",
    "A (photo|picture|image) (showing|of|with) {phrase}", "{Noun} (in|at|by|near|for) {place}",
    "My (favourite|next|first|old|new) {noun}", "The {noun} that I (like|know|want|use) best",
    "Here is a {noun}. (Make|Turn|Change) it into {phrase}.", "Add {phrase} to this {noun}.",
    "This is (an empty|a plain|an ordinary) {noun}. (Fill|Furnish|Decorate) it with {phrase}.",
    "An image of my {noun} with (my|some|our) {noun}", "A {adjective} {noun}",
    "Show (me|us) {phrase} in (my|your|this) (style|manner|way)",
    "A {noun} and a {adjective} {noun}", "{Phrase}, {adjective} and {adjective}",
    "Where I (would|could) (spend|pass|have) my {noun}", "(Remove|Replace|Repaint) the {noun}.",
    "What (somebody|a person) like me would (post|share|wear|eat|make) about {noun}",
    "A post about {phrase} with my {noun}.", "An interior (with|of) {phrase} for a {noun}",
    "A (visit|trip) to a {adjective} {noun}", "{Noun} where people (meet|work|live|rest)",
    "Design a {noun} for {noun}.", "Our {noun} as I would have it",
)  # fmt: skip


class Tables(NamedTuple):
    """What the people tables hold, as it is needed here."""

    countries: list[dict[str, Any]]
    domains: list[dict[str, Any]]
    loose: list[str]
    """Strings of all other tables."""
    lines: list[str]
    """Sentence patterns of the grammar tables."""


def read_tables(folder: Path) -> Tables:
    """Read every TOML file under a folder of people tables."""
    tables = Tables([], [], [], [])
    for path in sorted(folder.rglob("*.toml")):
        content = tomllib.loads(path.read_text(encoding="utf-8"))
        if path.parent.name == "countries":
            tables.countries.extend(content["country"])
        elif path.name == "domains.toml":
            tables.domains.extend(content["domain"])
        elif path.name.startswith("grammar"):
            groups = content.get("group", [])
            tables.lines.extend(line for group in groups for line in group.get("lines", []))
        elif path.parent.name != "backstories":
            tables.loose.extend(text for text in _strings(content) if " " in text)
    return tables


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _strings(item)


class WordNet(NamedTuple):
    """Lemmas and glosses, with neighbours: entries of one lexicographer's file, in order."""

    lemmas: list[str]
    glosses: list[str]
    by_file: dict[str, list[int]]
    common: dict[str, list[str]]
    """Part of speech ("n", "a") -> its 3,000 most counted lemmas."""


def read_wordnet(folder: Path) -> WordNet:
    """Read ``data.noun`` and its sisters; a line is ``offset file ... words ... | gloss``."""
    found = WordNet([], [], defaultdict(list), _common_lemmas(folder / "cntlist.rev"))
    for name in ("data.noun", "data.verb", "data.adj", "data.adv"):
        for line in (folder / name).read_text(encoding="latin-1").splitlines():
            if line.startswith("  ") or " | " not in line:
                continue
            head, gloss = line.split(" | ", 1)
            fields = head.split()
            found.by_file[fields[1]].append(len(found.glosses))
            found.lemmas.append(re.sub(r"\(.*\)", "", fields[4]).replace("_", " "))
            found.glosses.append(gloss.strip())
    return found


def _common_lemmas(path: Path) -> dict[str, list[str]]:
    # A line is "lemma%type:file:id:head:head_id sense count"; type 1 is a noun, 3 and 5
    # are adjectives.
    counts: dict[str, dict[str, int]] = {"n": defaultdict(int), "a": defaultdict(int)}
    for line in path.read_text(encoding="latin-1").splitlines():
        key, _, count = line.split()
        lemma, _, rest = key.partition("%")
        kind = {"1": "n", "3": "a", "5": "a"}.get(rest[0])
        if kind is not None and lemma.isascii():
            counts[kind][lemma.replace("_", " ")] += int(count)
    return {
        kind: sorted(found, key=lambda lemma: (-found[lemma], lemma))[:3000]
        for kind, found in counts.items()
    }


def examples(wordnet: WordNet, count: int, seed: int) -> list[str]:
    """Return examples of usage: what stands in quotation marks after a definition."""
    draw = stream(seed, "example", "")
    found = [text for gloss in wordnet.glosses for text in re.findall(r'"([^"]{12,})"', gloss)]
    return draw.sample(list(dict.fromkeys(found)), count)


def request(tables: Tables, wordnet: WordNet, draw: Stream) -> str:
    """Write a short request to a painter, as a task's query is one."""
    world = _World(tables, draw)

    def fill(match: re.Match[str]) -> str:
        slot = match[1].lower()
        if slot in ("noun", "adjective"):
            word = draw.pick(wordnet.common[slot[0]])
        else:
            word = world.fill(slot, draw)
        return word.capitalize() if match[1][0].isupper() else word

    line = draw.pick(_REQUEST_PATTERNS)
    line = _CHOICE.sub(lambda match: draw.pick(match[1].split("|")), line)
    line = _SLOT.sub(fill, line)
    return line if draw.below(2) else line.rstrip(".")


def glosses(wordnet: WordNet, count: int, seed: int) -> list[str]:
    """Half definitions alone, a quarter "lemma: definition", a quarter examples."""
    draw = stream(seed, "gloss", "")
    texts = []
    for place in draw.sample(range(len(wordnet.glosses)), count):
        parts = wordnet.glosses[place].split('; "')
        kind = draw.below(4)
        if kind == 3 and len(parts) > 1:
            texts.append(draw.pick(parts[1:]).strip('" '))
        elif kind == 2:
            texts.append(f"{wordnet.lemmas[place]}: {parts[0]}")
        else:
            texts.append(parts[0])
    return texts


def phrases(tables: Tables, wordnet: WordNet, count: int, seed: int) -> list[str]:
    """Distinct strings of the tables first, then lemmas of WordNet."""
    draw = stream(seed, "phrase", "")
    own = [*_strings(tables.countries), *_strings(tables.domains), *tables.loose]
    own = draw.shuffled(list(dict.fromkeys(own)))[: count * 3 // 4]
    return own + draw.sample(list(dict.fromkeys(wordnet.lemmas)), count - len(own))


class _World:
    """One country and two trades: where the phrases of one long text come from."""

    def __init__(self, tables: Tables, draw: Stream) -> None:
        self.country = draw.pick(tables.countries)
        self.trades = draw.sample(tables.domains, 2)
        self.slots = {k: v for k, v in self.country.items() if isinstance(v, list)}
        self.all = [text for texts in self.slots.values() for text in texts]
        for trade in self.trades:
            for key in ("subjects", "objects", "actions", "places", "materials", "specialities"):
                self.all.extend(trade[key])
        self.trade_slots = {
            "who": ("occupations",), "thing": ("subjects", "objects"), "act": ("actions",),
            "prop": ("objects",), "surface": ("materials",), "place": ("places",),
            "pref": ("preferences",), "backdrop": ("places",),
        }  # fmt: skip

    def fill(self, slot: str, draw: Stream) -> str:
        name = slot.lower()
        for key in self.trade_slots.get(name, ()):
            if draw.below(2):
                return str(draw.pick(draw.pick(self.trades)[key]))
        if name in self.slots:
            return str(draw.pick(self.slots[name]))
        if name == "city":
            return str(draw.pick(self.country["cities"]))
        if name in ("country", "demonym"):
            return str(self.country["name" if name == "country" else name])
        if name in ("their", "them"):
            return name
        return str(draw.pick(self.all))


def sentence(line: str, world: _World, draw: Stream) -> str:
    """Fill one pattern of the grammar tables."""
    line = _MARK.sub(r"\1", line)
    line = _CHOICE.sub(lambda match: draw.pick(match[1].split("|")), line)
    return _SLOT.sub(lambda match: world.fill(match[1], draw), line)


def prompt(tables: Tables, draw: Stream) -> str:
    """Write a request and up to 30 phrases of one world, as a concatenating composer does."""
    world = _World(tables, draw)
    chosen = draw.sample(world.all, draw.pick((0, 2, 3, 3, 6, 8, 12, 16, 20, 24, 30)))
    request = draw.pick(_REQUESTS) if draw.below(3) else str(draw.pick(tables.loose))
    style = draw.below(3)
    if style == 0:
        return ", ".join([request, *chosen])
    if style == 1:
        return f"{request}, with {', '.join(chosen)}." if chosen else f"{request}."
    age = draw.between(16, 88)
    who = f"{age}-year-old {draw.pick(world.trades[0]['occupations'])}"
    return f"{request}. For a {who} from {world.country['name']}. {', '.join(chosen)}"


def caption(tables: Tables, wordnet: WordNet, draw: Stream) -> str:
    """Write 150 to 260 words about one world, part patterns, part glosses and phrases."""
    world = _World(tables, draw)
    file = draw.pick(sorted(wordnet.by_file))
    places = wordnet.by_file[file]
    start = draw.below(len(places))
    near = [wordnet.glosses[i].replace('"', "") for i in places[start : start + 12]]
    share, target, words, parts = draw.random(), draw.between(150, 260), 0, []
    while words < target:
        mark = draw.random()
        if mark < share * 0.5 and near:
            text = draw.pick(near).capitalize() + "."
        elif mark < 0.35:
            text = ", ".join(draw.sample(world.all, draw.between(2, 5))).capitalize() + "."
        else:
            text = sentence(draw.pick(tables.lines), world, draw)
        parts.append(text)
        words += text.count(" ") + 1
    return " ".join(parts)


def person(tables: Tables, draw: Stream) -> str:
    """Describe an invented person in the sentences of ``Persona.description()``."""
    world = _World(tables, draw)
    trade = world.trades[0]
    who = draw.pick(("woman", "man", "person"))
    interests = draw.sample([*trade["interests"], *world.trades[1]["interests"]], 6)
    likes = draw.sample([*trade["preferences"], *tables.loose], draw.between(8, 16))
    return (
        f"A {draw.between(16, 88)}-year-old {who} from {draw.pick(world.country['cities'])}, "
        f"{world.country['name']}. Ethnicity: {draw.pick(world.country['ethnicities'])}. "
        f"Works as {draw.pick(trade['occupations'])}. Interested in {', '.join(interests)}. "
        f"This person {', '.join(likes)}. "
        f"Described as {', '.join(draw.sample(tables.loose, 4))}."
    )


def windows(long_texts: list[str], count: int, seed: int) -> list[str]:
    """Cut windows of 3 to 120 words from the long texts."""
    draw = stream(seed, "window", "")
    texts = []
    for _ in range(count if long_texts else 0):
        words = draw.pick(long_texts).split()
        length = draw.between(3, draw.pick((12, 30, 60, 120)))
        start = draw.below(max(1, len(words) - length))
        texts.append(" ".join(words[start : start + length]))
    return texts


def build(
    tables_folder: Path, wordnet_folder: Path, extra: list[str], seed: int, scale: float = 1.0
) -> dict[str, list[str]]:
    """Return the distinct texts of every kind; ``scale`` multiplies all counts."""
    tables, wordnet = read_tables(tables_folder), read_wordnet(wordnet_folder)
    count = {kind: int(number * scale) for kind, number in COUNTS.items()}
    found = {
        "gloss": glosses(wordnet, count["gloss"], seed),
        "example": examples(wordnet, count["example"], seed),
        "request": [
            request(tables, wordnet, stream(seed, "request", i)) for i in range(count["request"])
        ],
        "phrase": phrases(tables, wordnet, count["phrase"], seed),
        "prompt": [prompt(tables, stream(seed, "prompt", i)) for i in range(count["prompt"])],
        "caption": [
            caption(tables, wordnet, stream(seed, "caption", i)) for i in range(count["caption"])
        ],
        "person": [person(tables, stream(seed, "person", i)) for i in range(count["person"])],
        "extra": extra,
    }
    found["window"] = windows(found["caption"] + found["extra"], count["window"], seed)
    seen: set[str] = set()
    return {
        kind: [t for t in texts if t.strip() and not (t in seen or seen.add(t))]  # type: ignore[func-returns-value]
        for kind, texts in found.items()
    }
