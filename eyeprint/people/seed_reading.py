"""What a seed text says about a person: place, gender, age, trade (CHECKLIST V12, V13).

Read by look-up, never guessed: a place counts when a table knows its name, gender only
when a pronoun or a gendered noun of the person states it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache

from eyeprint.people.tables import countries, domains, senses

CITY, COUNTRY, DEMONYM, PEOPLE = 0.95, 0.9, 0.75, 0.4
"""Confidence in a location by what named it; a second country divides it by 1.5."""
_TENS_WORDS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty")
_NUMBER_WORDS = {word: n for n, word in enumerate(_TENS_WORDS, 2)}
_UNIT_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_UNITS = {word: n for n, word in enumerate(_UNIT_WORDS, 1)}
_TEENS = {"sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19}
_TENS = "|".join(_NUMBER_WORDS)
_SPELLED = rf"(?:({_TENS})(?:-({'|'.join(_UNITS)}))?|({'|'.join(_TEENS)}))"
_WORD_AGE = re.compile(
    rf"(?:\b{_SPELLED}[- ]years?[- ]olds?\b)|(?:(?:^at |^|, ){_SPELLED}(?:,| and | or ))"
)
_DIGIT_AGE = re.compile(r"\b(\d\d)[- ]years?[- ]olds?\b|(?:\baged?|^|,) (\d\d)\b(?=[,.;]| and )")
_DECADES = "|".join(word[:-1] + "ies" for word in _TENS_WORDS)
_DECADE = re.compile(rf"\bin (?:her|his|their) (?:(?:early|mid|late)[- ])?({_DECADES})\b")
_NOUN_AFTER = (
    r"(?:^|\b(?:a|an|this|one|the)\s+)((?:[\w'’-]+\s+){{0,4}}?)({heads})\b"
    r"(?=\s*[,;:.]|\s+(?:who|that|which|whose|of|in|at|and|from|for|with|on|near|is|was|has|by|"
    r"to|turned|still|living|working|based|born|between|\w+s|\w+ed)\b|$)"
)
_OF_OTHERS = re.compile(r"\b(?:of|with|by|from|to|for|like|than|near|under|beside|above) $")
_WORD = re.compile(r"[\w'’-]+")
_BEFORE_TRADE = re.compile(
    r"(?:^|\b(?:an?|the|this|one)\s+)((?:[\w'’-]+\s+){0,3}?)$", re.IGNORECASE
)
_LONGEST_TRADE = 40
"""Characters by which an occupation may go on after its noun: "engraver of cups"."""
_HEAD_OF_TRADE, _EXACT_TRADE = 1.6, 4.0
"""What a noun of occupation, and a whole occupation of the tables, count beside keywords."""
_ABOUT_AGE = re.compile(r"\d|year|old$|-born$|young|elderly|based$")


@dataclass(frozen=True, slots=True)
class SeedReading:
    """What one seed text states. Empty or ``None`` where it states nothing."""

    country: str = ""
    city: str = ""
    confidence: float = 0.0
    """0 (no place named) to 1; see :data:`CITY` and its neighbours."""
    ethnicity: str = ""
    gender: str = "unknown"
    age: int | None = None
    age_low: int = 18
    age_high: int = 84
    occupation: str = ""
    domain: str = ""


@cache
def _place_pattern() -> tuple[re.Pattern[str], dict[str, list[tuple[str, str, float]]]]:
    meaning: dict[str, list[tuple[str, str, float]]] = {}

    def add(word: str, country: str, city: str, confidence: float) -> None:
        if len(word) > 2 and (
            word not in senses().ambiguous_names or (confidence >= COUNTRY and not city)
        ):
            meaning.setdefault(word, []).append((country, city, confidence))

    for table in countries().values():
        add(table.name, table.name, "", COUNTRY)
        add(table.demonym, table.name, "", DEMONYM)
        for city in table.cities:
            add(city, table.name, city, CITY)
        for people in table.ethnicities:
            add(people, table.name, "", PEOPLE)
    for extra, name in (("United States", "United States"), ("England", "United Kingdom"),
                        ("Scotland", "United Kingdom"), ("Wales", "United Kingdom")):  # fmt: skip
        if name in countries():
            add(extra, name, "", COUNTRY)
    words = sorted(meaning, key=len, reverse=True)
    return re.compile(r"(?<!\w)(" + "|".join(map(re.escape, words)) + r")(?!\w)"), meaning


@cache
def _keyword_pattern() -> tuple[re.Pattern[str], dict[str, list[str]]]:
    owners: dict[str, list[str]] = {}
    for domain in domains().values():
        for word in domain.keywords:
            owners.setdefault(word.lower(), []).append(domain.name)
    words = sorted(owners, key=len, reverse=True)
    return re.compile(r"\b(" + "|".join(map(re.escape, words)) + r")(?:s|es)?\b"), owners


@cache
def _trade_pattern() -> tuple[re.Pattern[str], dict[str, dict[str, int]]]:
    heads: dict[str, dict[str, int]] = {}
    for domain in domains().values():
        for occupation in domain.occupations:
            core = re.split(r" (?:of|for|in|at|on|to|with|who|and|from) ", occupation)[0]
            head = core.split()[-1].lower()
            if len(head) > 3 and head not in senses().words["kin"]:
                counts = heads.setdefault(head, {})
                counts[domain.name] = counts.get(domain.name, 0) + 1
    for trade in senses().trades:
        heads.setdefault(trade, {})
    words = "|".join(map(re.escape, sorted(heads, key=len, reverse=True)))
    return re.compile(_NOUN_AFTER.format(heads=words), re.IGNORECASE), heads


def read_seed(text: str) -> SeedReading:
    """Read place, gender, age, trade and domain from a seed text.

    >>> reading = read_seed("A Ghanaian tram driver who collects her tickets in Kumasi.")
    >>> reading.country, reading.city, reading.gender, reading.occupation
    ('Ghana', 'Kumasi', 'woman', 'tram driver')
    """
    country, city, confidence, people = _place(text)
    occupation, trades = _occupation(text)
    age, low, high = _age(text)
    return SeedReading(
        country=country,
        city=city,
        confidence=confidence,
        ethnicity=people,
        gender=_gender(text),
        age=age,
        age_low=low,
        age_high=high,
        occupation=occupation,
        domain=_domain(text, trades),
    )


def _place(text: str) -> tuple[str, str, float, str]:
    pattern, meaning = _place_pattern()
    best: dict[str, float] = {}
    cities: dict[str, str] = {}
    peoples: dict[str, str] = {}
    for word in pattern.findall(text):
        strongest = max(r[2] for r in meaning[word])
        readings = [r for r in meaning[word] if r[2] == strongest]
        for country, city, confidence in readings:
            share = confidence / len({r[0] for r in readings})
            best[country] = max(best.get(country, 0.0), share)
            if city:
                cities.setdefault(country, city)
            if confidence == PEOPLE:
                peoples.setdefault(country, word)
    if not best:
        return "", "", 0.0, ""
    country = max(best, key=lambda name: best[name])  # ties: the one named first
    confidence = best[country]
    if sum(value >= DEMONYM for value in best.values()) > 1:
        confidence /= 1.5
    return country, cities.get(country, ""), round(confidence, 3), peoples.get(country, "")


def _clauses(text: str) -> list[str]:
    """Return the lower-cased pieces between commas, stops and relative pronouns."""
    pieces = re.split(r"[,;:.]| who | that | which | whose ", text)
    return [piece.strip().lower() for piece in pieces if piece.strip()]


def _gender(text: str) -> str:
    """Return "woman" or "man" when the seed states it of its person, else "unknown"."""
    table = senses().gendered
    low = re.findall(r"[a-z]+(?:-[a-z]+)*", text.lower().replace("’", "'"))
    for clause in _clauses(text):
        if not clause.startswith(("a ", "an ", "this ", "the ", "one ")):
            continue
        words = re.findall(r"[a-z]+(?:-[a-z]+)*(?:['’]s)?", clause)[1:5]
        for word in words:
            if word in senses().words["not_modifiers"]:
                break
            for gender in ("woman", "man"):
                if word in table[f"{gender}_nouns"]:
                    return gender
    first = {g: next((i for i, w in enumerate(low) if w in table[g]), -1) for g in ("woman", "man")}
    stated = [g for g, i in first.items() if i >= 0]
    if len(stated) != 1:
        # "she ... his": the pronoun of the clause's subject decides, if there is just one.
        subjects = {g for g, word in (("woman", "she"), ("man", "he")) if word in low}
        return subjects.pop() if len(subjects) == 1 else "unknown"
    gender = stated[0]
    # "the fisherman mending his nets": a gendered noun just before owns the pronoun.
    nouns = table[f"{gender}_nouns"]
    owner = next((i for i, w in enumerate(low) if w in nouns), len(low))
    subject = "she" if gender == "woman" else "he"
    if owner < first[gender] and subject not in low:
        return "unknown"
    return gender


def _age(text: str) -> tuple[int | None, int, int]:
    low_text = text.lower()
    found = _DIGIT_AGE.search(low_text)
    if found:
        age = int(found.group(1) or found.group(2))
        if 16 <= age <= 99:
            return age, age, age
    found = _WORD_AGE.search(low_text)
    if found:
        tens, unit, teen = found.groups()[:3] if any(found.groups()[:3]) else found.groups()[3:]
        age = _TEENS[teen] if teen else 10 * _NUMBER_WORDS[tens] + _UNITS.get(unit or "", 0)
        if 16 <= age <= 99:
            return age, age, age
    found = _DECADE.search(low_text)
    if found:
        start = 10 * _NUMBER_WORDS[found.group(1)[:-3] + "y"]
        return None, start, start + 9
    # Only the opening speaks of the person; "her grandmother" and "whose son" speak of others.
    opening = re.split(r"[,;:.]| who | that | which | whose ", text, maxsplit=1)[0]
    opening = re.sub(r"\b(?:her|his|their|[\w-]+['’]s) [\w-]+", "", opening, flags=re.IGNORECASE)
    return None, *age_limits(opening, 18, 84)


def number_in_words(age: int) -> str:
    """Return an age of 16 to 99 as it is spelled in seeds.

    >>> number_in_words(51), number_in_words(40), number_in_words(19)
    ('fifty-one', 'forty', 'nineteen')
    """
    for word, value in _TEENS.items():
        if value == age:
            return word
    tens = {**{value: word for word, value in _NUMBER_WORDS.items()}, 9: "ninety"}[age // 10]
    return tens if age % 10 == 0 else f"{tens}-{_UNIT_WORDS[age % 10 - 1]}"


def decade_of(age: int) -> str:
    """Return the decade of an age: "fifties" of 51.

    >>> decade_of(51)
    'fifties'
    """
    return number_in_words(age // 10 * 10)[:-1] + "ies"


@lru_cache(32768)
def age_limits(text: str, low: int, high: int) -> tuple[int, int]:
    """Narrow an age range by the words of a text; contradictions leave the range alone.

    >>> age_limits("a retired signal-box keeper", 18, 84)
    (58, 84)
    """
    for pattern, least, most in senses().ages:
        if pattern.search(text) and max(low, least) <= min(high, most):
            low, high = max(low, least), min(high, most)
    return low, high


@cache
def _table_occupations() -> dict[str, list[tuple[str, str]]]:
    """First word -> (occupation, domain) of the domains' tables, the longest first."""
    found: dict[str, list[tuple[str, str]]] = {}
    for domain in domains().values():
        for occupation in domain.occupations:
            found.setdefault(occupation.split()[0].lower(), []).append((occupation, domain.name))
    return {word: sorted(rows, key=lambda row: -len(row[0])) for word, rows in found.items()}


def _modifiers(words: list[str]) -> list[str]:
    """Return the words before a trade that belong to it, without place, age and kin."""
    if words[:1] and words[0].lower() in ("a", "an", "the", "this", "one"):
        words = words[1:]
    if any(
        w.lower() in senses().words["not_modifiers"] or w.lower().endswith("ing") for w in words
    ):
        return []
    kept = [w for w in words if not w[0].isupper() and not _ABOUT_AGE.search(w)]
    return [
        w
        for w in kept
        if w.lower() not in senses().words["kin"] and not w.endswith(("'s", "’s", ","))
    ]


def _occupation(text: str) -> tuple[str, dict[str, float]]:
    """Return the trade with its modifiers, and how much it speaks for each domain."""
    start, trade, heads = _trade_by_head(text)
    at, stated, domain = _trade_by_table(text)
    if stated and (not trade or at <= start):
        return stated, {domain: _EXACT_TRADE}
    total = sum(heads.values())
    return trade, {name: _HEAD_OF_TRADE * count / total for name, count in heads.items()}


def _trade_by_table(text: str) -> tuple[int, str, str]:
    """Look for an occupation of the tables, whole: (where it ends, occupation, domain)."""
    for found in _WORD.finditer(text, 0, 60 + _LONGEST_TRADE):
        start = found.start()
        if start > 60:
            break
        for occupation, domain in _table_occupations().get(found.group().lower(), ()):
            end = start + len(occupation)
            if text[start:end].lower() != occupation.lower() or text[end : end + 1].isalpha():
                continue
            before = _BEFORE_TRADE.search(text, 0, start)
            if before is None or _OF_OTHERS.search(text[: before.start()].lower()):
                continue
            kept = _modifiers(before.group(1).split())
            return end, " ".join([*kept, occupation]), domain
    return len(text), "", ""


def _trade_by_head(text: str) -> tuple[int, str, dict[str, int]]:
    """Look for a noun of occupation: (where it ends, trade, how often domains have it)."""
    pattern, heads = _trade_pattern()
    for found in pattern.finditer(text):
        if found.start() > 60:
            break
        before = text[max(0, found.start() - 12) : found.start()].lower()
        if _OF_OTHERS.search(before):
            continue
        kept = _modifiers(found.group(1).split())
        head = found.group(2).lower()
        if not kept and head in senses().words["vague_trades"]:
            continue
        return found.end() + _LONGEST_TRADE, " ".join([*kept, head]), heads[head]
    return len(text), "", {}


def _domain(text: str, trades: dict[str, float]) -> str:
    pattern, owners = _keyword_pattern()
    votes = dict(trades)
    for word in dict.fromkeys(pattern.findall(text.lower())):
        for name in owners[word]:
            votes[name] = votes.get(name, 0.0) + 1.0 / len(owners[word])
    return max(votes, key=lambda name: votes[name]) if votes else ""
