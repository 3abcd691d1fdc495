"""Word trigrams in any script, and how many of them a prompt shares with captions.

A word is a run of letters, marks and numbers (Unicode categories L, M, N), lower-cased,
in composed form (NFC): a Hindi vowel sign or an Arabic vowel mark belongs to its word,
punctuation and symbols separate words, "don't" is two words whichever apostrophe it has.
Scripts written without spaces have one word per character: Chinese characters and kana
stand alone, and a Thai, Lao, Khmer or Burmese letter takes the marks that follow it.

CHECKLIST V62 leaves all of this open; trigrams of words, as sets, are the choice here.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Trigram = tuple[str, str, str]

_ALONE = (
    (0x3040, 0x30FF),  # kana
    (0x31F0, 0x31FF),  # more kana
    (0x3400, 0x4DBF),  # Chinese characters, here and below
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)
_LEADS = ((0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF))
# Prompts and captions are compared in blocks of this many, to bound memory.
_PROMPT_BLOCK, _CAPTION_BLOCK = 64, 1024
_BLOCK_CHARACTERS = 1 << 16
_SPACE = ord(" ")
_BASE = np.uint64(0x9E3779B97F4A7C15)


class _Characters(dict[int, str]):
    """Code point -> what it becomes before splitting at spaces; filled as characters appear."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        group = unicodedata.category(character)[0]
        if group not in "LMN":
            shown = " "
        elif group != "M" and any(low <= code <= high for low, high in _ALONE):
            shown = f" {character} "
        elif group != "M" and any(low <= code <= high for low, high in _LEADS):
            shown = f" {character}"
        else:
            shown = character
        self[code] = shown
        return shown


_CHARACTERS = _Characters()
_JOINED = _Characters()
_JOINED[0] = "\0"


def words(text: str) -> list[str]:
    """Return the words of a text, lower-cased, in order; see the module's definition.

    >>> words("A red door, don't knock!")
    ['a', 'red', 'door', 'don', 't', 'knock']
    >>> words("हिन्दी में 猫と犬")
    ['हिन्दी', 'में', '猫', 'と', '犬']
    """
    text = text.lower()
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    return text.translate(_CHARACTERS).split()


def word_trigrams(text: str) -> frozenset[Trigram]:
    """Return Tri(text): the set of a text's runs of three words; empty under three words.

    Source: VPTT section 3.4 (4); CHECKLIST V62.

    >>> sorted(word_trigrams("The old red Door"))
    [('old', 'red', 'door'), ('the', 'old', 'red')]
    """
    run = words(text)
    return frozenset(zip(run, run[1:], run[2:], strict=False))


class Overlap(NamedTuple):
    """How many distinct trigrams prompts share with captions."""

    shared: NDArray[np.int32]
    """|Tri(p) ∩ Tri(c)|, shape (prompts, captions)."""
    sizes: NDArray[np.int64]
    """|Tri(p)|, shape (prompts,)."""

    def largest_share(self) -> NDArray[np.float64]:
        """Return max_c |Tri(p) ∩ Tri(c)| / |Tri(p)| per prompt, in [0, 1].

        NaN where a prompt has no trigram, or where there are no captions.
        """
        if self.shared.shape[1] == 0:
            return np.full(len(self.sizes), np.nan)
        best = self.shared.max(axis=1).astype(np.float64)
        return np.where(self.sizes > 0, best / np.maximum(self.sizes, 1), np.nan)


@dataclass(frozen=True, eq=False)
class TrigramIndex:
    """The trigrams of one person's captions, ready to be compared with prompts.

    A trigram is known by a 64-bit hash of its characters. Two different ones of a person
    and a prompt meet in one hash about once in 10^12 prompts.
    """

    keys: NDArray[np.uint64]
    """Trigram hashes of all captions, shape (t,); repeated ones are harmless."""
    owners: NDArray[np.int32]
    """Which caption each key comes from, shape (t,)."""
    marks: NDArray[np.uint16]
    """The top 16 bits of each key, shape (t,): most that match nothing fall out by them."""
    captions: int
    """Number of captions, those without a trigram included."""

    def overlap(self, prompts: Sequence[str]) -> Overlap:
        """Count shared trigrams of prompts and captions: every pair at once.

        >>> index_captions(["a red door here", "one two"]).overlap(["A red door!"]).shared
        array([[1, 0]], dtype=int32)
        """
        shared = np.zeros((len(prompts), self.captions), dtype=np.int32)
        sizes = np.zeros(len(prompts), dtype=np.int64)
        for start in range(0, len(prompts), _PROMPT_BLOCK):
            block = slice(start, start + _PROMPT_BLOCK)
            self._overlap_block(prompts[block], shared[block], sizes[block])
        return Overlap(shared, sizes)

    def _overlap_block(
        self, prompts: Sequence[str], shared: NDArray[np.int32], sizes: NDArray[np.int64]
    ) -> None:
        keys, owners = _trigram_keys(prompts)
        wanted, places = np.unique(keys, return_inverse=True)
        if not wanted.size:
            return
        held = np.zeros((len(prompts), wanted.size), dtype=np.float32)
        held[owners, places] = 1.0
        sizes[:] = np.count_nonzero(held, axis=1)
        possible = np.zeros(1 << 16, dtype=bool)
        possible[_marks(wanted)] = True
        hits = np.flatnonzero(possible[self.marks])
        spots = np.searchsorted(wanted, self.keys[hits])
        spots[spots == wanted.size] = 0
        same = wanted[spots] == self.keys[hits]
        hits, hit_spots = hits[same], spots[same]
        if not hits.size:
            return
        hit_owners = self.owners[hits]
        # Only columns that were hit at all take part in the product.
        columns, hit_columns = np.unique(hit_spots, return_inverse=True)
        held = held[:, columns]
        for start in range(0, self.captions, _CAPTION_BLOCK):
            stop = min(start + _CAPTION_BLOCK, self.captions)
            inside = slice(*np.searchsorted(hit_owners, [start, stop]))
            theirs = np.zeros((stop - start, columns.size), dtype=np.float32)
            theirs[hit_owners[inside] - start, hit_columns[inside]] = 1.0
            shared[:, start:stop] = held @ theirs.T


def index_captions(captions: Sequence[str]) -> TrigramIndex:
    """Build the trigram index of one person's captions, in order.

    >>> index_captions(["a red door", "", "a red door and a key"]).keys.shape
    (5,)
    """
    keys, owners = _trigram_keys(captions)
    return TrigramIndex(keys, owners, _marks(keys), len(captions))


def _trigram_keys(texts: Sequence[str]) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
    """Return the hashes of all trigrams, and the number of the text each came from."""
    keys, owners = [np.zeros(0, dtype=np.uint64)], [np.zeros(0, dtype=np.int32)]
    start = 0
    while start < len(texts):
        # Blocks of texts bound memory, and keep the arrays below in the processor's cache.
        stop, size = start + 1, len(texts[start])
        while stop < len(texts) and size + len(texts[stop]) < _BLOCK_CHARACTERS:
            size += len(texts[stop])
            stop += 1
        block_keys, block_owners = _block_keys(texts[start:stop])
        keys.append(block_keys)
        owners.append(block_owners + np.int32(start))
        start = stop
    return np.concatenate(keys), np.concatenate(owners)


def _block_keys(texts: Sequence[str]) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
    codes = _codes(texts)
    inside = np.zeros(len(codes) + 2, dtype=bool)
    inside[1:-1] = codes > _SPACE
    edges = np.flatnonzero(inside[1:] != inside[:-1])
    starts, ends = edges[::2], edges[1::2]
    # A word's hash is Σ c_i P^(i - start) mod 2^64: differences of one running sum, moved
    # back to the word's start by the inverse of P.
    powers, inverses = _powers(len(codes))
    running = np.zeros(len(codes) + 1, dtype=np.uint64)
    np.cumsum(codes * powers[: len(codes)], out=running[1:])
    hashes = _scrambled((running[ends] - running[starts]) * inverses[starts])
    bounds = np.searchsorted(starts, np.flatnonzero(codes == 0))
    counts = np.diff(np.concatenate([[0], bounds, [len(starts)]]))
    owner = np.repeat(np.arange(len(texts), dtype=np.int32), counts)
    keys = _scrambled((hashes[:-2] * _BASE + hashes[1:-1]) * _BASE + hashes[2:])
    whole = owner[:-2] == owner[2:]
    return keys[whole], owner[:-2][whole]


def _codes(texts: Sequence[str]) -> NDArray[np.uint8 | np.uint32]:
    """Return the code points of the texts' words: 0 between texts, spaces between words."""
    joined = "\0".join(texts)
    if joined.count("\0") >= len(texts):
        joined = "\0".join(text.replace("\0", " ") for text in texts)
    joined = joined.lower()
    if not joined.isascii():
        joined = unicodedata.normalize("NFC", joined)
    shown = joined.translate(_JOINED)
    if shown.isascii():
        return np.frombuffer(shown.encode("ascii"), dtype=np.uint8)
    return np.frombuffer(shown.encode("utf-32-le"), dtype=np.uint32)


def _powers(size: int) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return P^i and P^-i mod 2^64 for i below at least ``size``."""
    rounded = max(1 << 17, 1 << size.bit_length())
    return _few_powers() if rounded == 1 << 17 else _many_powers(rounded)


@cache
def _few_powers() -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    return _many_powers(1 << 17)


def _many_powers(size: int) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    found = []
    for base in (int(_BASE), pow(int(_BASE), -1, 1 << 64)):
        powers = np.full(size, base, dtype=np.uint64)
        powers[0] = 1
        found.append(np.multiply.accumulate(powers))
    return found[0], found[1]


def _scrambled(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    # The last step of MurmurHash3: every bit of the input moves every bit of the output.
    values = (values ^ (values >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
    values = (values ^ (values >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
    return values ^ (values >> np.uint64(33))


def _marks(keys: NDArray[np.uint64]) -> NDArray[np.uint16]:
    return (keys >> np.uint64(48)).astype(np.uint16)
