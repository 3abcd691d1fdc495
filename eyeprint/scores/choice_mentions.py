"""Where a reply names options, by letter or by text (M18, M23).

Letters count when they stand alone: not in words, contractions, initials or names ("Vitamin C",
"plan B"), and not as an article ("A person", "I"). Small letters and letters of other scripts
are words in too many languages to count without a bracket, a cue or a line of their own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache

from eyeprint.scores.reply_marks import STRONG, CueFinder, read_table
from eyeprint.scores.reply_parts import plain
from eyeprint.scores.reply_statements import Mention, surroundings

_MARK = "\u0300-\u036f\u0610-\u061a\u064b-\u065f\u0900-\u0963\u0966-\u0dff\u0e31-\u0e4e"
_LATIN = "A-Za-z0-9À-ɏ"
_LETTER = re.compile(
    rf"(?<![{_LATIN}_°#@\\])(?<![A-Za-z]['-])(?<!\b[A-Z]\.)([A-Za-z])"
    rf"(?![{_LATIN}_+#°])(?!'[A-Za-z])(?!\.[A-Za-z]\b)(?!-[A-Za-z])"
)
_FOLLOWS = re.compile(r"[ \n]+([\w']+)")
_INITIALS = re.compile(r"^[A-Z]\. [A-Z]\. [A-Z][a-z]")
_ARTICLES = frozenset(("the", "a", "an"))
_WORD = re.compile(r"\w[\w\u0300-\u036f\u0900-\u0963\u0966-\u0dff\u0e31-\u0e4e]*")
_PLURAL = re.compile(r"[a-z]{2,}[a-rt-z]s?")
_DENSE = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_BESIDE = re.compile(r"[\"')\]}.:,-]{0,3}[ \t]{0,3}[\"'(\[-]?\s?(?:(?:the|an?)\s)?", re.IGNORECASE)
_BESIDE_AFTER = re.compile(
    r"[\s,\"']{0,3}(?:[(\[]\s?(?:option|choice|answer)?\s?|(?:option|choice)\s)"
)


@cache
def _word_set(name: str) -> frozenset[str]:
    return frozenset(read_table("choice_words.toml")["words"][name].split())


@cache
def _scripts() -> dict[str, str]:
    table = read_table("choice_words.toml")["scripts"]
    return {sign: key for script in table.values() for sign, key in script.items()}


@cache
def _script_regex() -> re.Pattern[str]:
    signs = sorted(_scripts(), key=len, reverse=True)
    return re.compile(f"(?:{'|'.join(map(re.escape, signs))})(?![\\w{_MARK}])")


@cache
def _names() -> tuple[re.Pattern[str], re.Pattern[str]]:
    table = read_table("choice_words.toml")["names"]
    return (
        re.compile(rf"(?<!\w)(?:{table['before']}) ?$", re.IGNORECASE),
        re.compile(rf" (?:{table['after']})\b"),
    )


@lru_cache(maxsize=4096)
def tokens(text: str) -> tuple[str, ...]:
    """Return the words of a text in small letters, without a leading article.

    >>> tokens("The  Beach!")
    ('beach',)
    """
    words = tuple(_WORD.findall(plain(text).casefold()))
    return words[1:] if len(words) > 1 and words[0] in _ARTICLES else words


@lru_cache(maxsize=512)
def _text_regex(
    options: tuple[tuple[str, str], ...],
) -> tuple[re.Pattern[str] | None, dict[tuple[str, ...], str]]:
    keys: dict[tuple[str, ...], str] = {}
    twice: set[tuple[str, ...]] = set()
    for key, text in options:
        words = tokens(text)
        letter = (
            len(words) == 1 and len(words[0]) == 1 and words[0].isalpha() and words[0].isascii()
        )
        if not words or letter or (len(words) == 1 and words[0] in _word_set("no_text")):
            continue
        if words in keys:
            twice.add(words)
        keys[words] = key
    for words in twice:
        del keys[words]
    patterns = []
    for words in sorted(keys, key=lambda words: len(" ".join(words)), reverse=True):
        joined = r"[\W_]{1,6}(?:(?:the|an?)[\W_]{1,3})?".join(map(re.escape, words))
        if len(words) > 1 and _PLURAL.fullmatch(words[-1]):
            joined = joined.removesuffix("s") + "s?"
        left = "" if _DENSE.match(words[0]) else r"(?<![\w])"
        right = "" if _DENSE.match(words[-1][-1]) else r"(?![\w])"
        patterns.append(f"{left}{joined}{right}")
    regex = re.compile("|".join(patterns), re.IGNORECASE) if patterns else None
    return regex, keys


def _by_number(words: tuple[str, ...], keys: Mapping[tuple[str, ...], str]) -> str | None:
    """Return the option whose last word is another number of the same noun."""
    *first, last = words[1:] if words[0] in _ARTICLES else words
    other = last.removesuffix("s") if last.endswith("s") else f"{last}s"
    return keys.get((*first, other)) or keys.get((*words[:-1], other))


def text_mentions(text: str, options: Mapping[str, str]) -> list[Mention]:
    """Return where options are named by their texts; the longest of overlapping ones."""
    return list(_text_mentions(text, tuple(options.items())))


@lru_cache(maxsize=4)
def _text_mentions(text: str, options: tuple[tuple[str, str], ...]) -> tuple[Mention, ...]:
    """Return them; a reply is searched by two readers, one after the other."""
    regex, keys = _text_regex(options)
    if regex is None:
        return ()
    found = []
    for match in regex.finditer(text):
        own = tuple(_WORD.findall(match[0].casefold()))
        key = keys.get(tokens(match[0])) or keys.get(own) or _by_number(own, keys)
        if key is not None:
            found.append(Mention(match.start(), match.end(), key, "text"))
    return tuple(found)


def _is_article(text: str, end: int, letter: str, options: Mapping[str, str]) -> bool:
    if letter not in "AI":
        return False
    follows = _FOLLOWS.match(text, end)
    if follows is None or "\n" in follows[0]:
        return False
    word = follows[1]
    if len(word) == 1 and word in options:
        return False
    if letter == "I":
        return True
    if not word[0].isascii():
        return False
    return word.lower() not in _word_set("after_letter")


def letter_mentions(
    text: str, options: Mapping[str, str], finder: CueFinder, texts: Sequence[Mention]
) -> list[Mention]:
    """Return where options are named by their letters."""
    beside = {mention.start: mention for mention in texts}
    before, after = _names()
    found = []
    for match in _LETTER.finditer(text):
        sign, start, end = match[1], match.start(1), match.end(1)
        key = sign.upper()
        if key not in options:
            continue
        if sign != key:
            if _small_counts(text, start, end, finder):
                found.append(Mention(start, end, key, "small"))
            continue
        gap = _BESIDE.match(text, end)
        own = beside.get(gap.end()) if gap else None
        if _is_article(text, end, sign, options) and (own is None or own.key != key):
            continue
        if _INITIALS.search(text[max(0, start - 3) : end + 5]):
            continue
        if after.match(text, end) or before.search(text, max(0, start - 24), start):
            continue
        found.append(Mention(start, end, key, "letter"))
    if not text.isascii():
        for match in _script_regex().finditer(text):
            key = _scripts()[match[0]]
            if key in options and _script_counts(text, match.start(), match.end(), finder):
                found.append(Mention(match.start(), match.end(), key, "script"))
    return found


def _bracketed(text: str, start: int, end: int) -> bool:
    return text[max(0, start - 1) : start] in ("(", "[", '"', "'") and text[end : end + 1] in (
        *")]\"'",
    )


def _small_counts(text: str, start: int, end: int, finder: CueFinder) -> bool:
    near = surroundings(text, start, end)
    if near.opens_line and near.closes_line:
        return True
    if _bracketed(text, start, end):
        return True
    if near.opens_line and text[end : end + 1] in tuple(").") and not text[end + 1 :].isspace():
        return text[end + 1 : end + 2] in ("", " ", "\n")
    if not (near.closes_sentence or text[end : end + 1] in (*",;:.)",)):
        return False
    return any(span.cue.says in ("states", "denies") for span in finder.before(start))


def _script_counts(text: str, start: int, end: int, finder: CueFinder) -> bool:
    near = surroundings(text, start, end)
    whole = start == 0 or not (text[start - 1].isalnum())
    if near.opens_line and near.closes_line and whole:
        return True
    if _bracketed(text, start, end):
        return True
    if not (near.closes_sentence or near.delimited):
        return False
    if near.opens_line and near.delimited and whole:
        return True
    return any(
        span.cue.says == "states" and span.cue.strength == STRONG and (whole or span.end == start)
        for span in finder.before(start)
    )


def find_mentions(text: str, options: Mapping[str, str], finder: CueFinder) -> list[Mention]:
    """Return where options are named, a letter and a text beside it as one.

    >>> text = "B. the mountains"
    >>> find_mentions(text, {"B": "beach", "C": "mountains"}, CueFinder(text))[0].other
    'C'
    """
    texts = text_mentions(text, options)
    letters = letter_mentions(text, options, finder, texts)
    inside = [False] * (len(text) + 1)
    for mention in texts:
        for at in range(mention.start, mention.end):
            inside[at] = True
    letters = [mention for mention in letters if not inside[mention.start]]
    begins = {mention.start: mention for mention in texts}
    ends = sorted((mention.end, mention) for mention in texts)
    by_end = dict(ends)
    joined: list[Mention] = []
    taken: set[Mention] = set()
    for letter in letters:
        gap = _BESIDE.match(text, letter.end)
        after = begins.get(gap.end()) if gap else None
        if after is None:
            after = begins.get(letter.end)
        if after is not None and after not in taken:
            taken.add(after)
            other = after.key if after.key != letter.key else None
            joined.append(letter._replace(end=after.end, other=other, mark=letter.end))
            continue
        before = next(
            (
                by_end[at]
                for at in range(letter.start, max(-1, letter.start - 14), -1)
                if at in by_end and _BESIDE_AFTER.fullmatch(text, at, letter.start)
            ),
            None,
        )
        if before is not None and before not in taken:
            taken.add(before)
            other = before.key if before.key != letter.key else None
            joined.append(letter._replace(start=before.start, other=other))
        else:
            joined.append(letter)
    return sorted([*joined, *(mention for mention in texts if mention not in taken)])
