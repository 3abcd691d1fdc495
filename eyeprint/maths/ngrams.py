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
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
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
_WORD_BITS = 21
_MOST_WORDS = 1 << _WORD_BITS
# Prompts and captions are compared in blocks of this many, to bound memory.
_PROMPT_BLOCK, _CAPTION_BLOCK = 64, 1024


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

    Words become whole numbers of 21 bits, so that a trigram is one 64-bit key.
    """

    vocabulary: Mapping[str, int]
    """Word -> number; may be shared with other persons' indexes."""
    keys: NDArray[np.int64]
    """Trigram keys of all captions, shape (t,); repeated ones are harmless."""
    marks: NDArray[np.uint16]
    """A 16-bit hash of each key, shape (t,): most keys that match nothing fall out by it."""
    owners: NDArray[np.int32]
    """Which caption each key comes from, shape (t,)."""
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
        flat, ends = _flat_words(prompts)
        numbers = list(map(self.vocabulary.get, flat))
        # Words that no caption has get numbers after the known ones: their trigrams match
        # nothing, but are told apart and counted. The vocabulary itself stays as it is.
        fresh: defaultdict[str, int] = defaultdict(count(len(self.vocabulary)).__next__)
        run = [
            fresh[word] if number is None else number
            for word, number in zip(flat, numbers, strict=True)
        ]
        _check_size(len(self.vocabulary) + len(fresh))
        keys, owners = _keys(np.array(run, dtype=np.int64), ends)
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


def new_vocabulary() -> defaultdict[str, int]:
    """Return an empty numbering of words, for the indexes of some persons to share.

    Sharing saves a quarter of the time; the numbers of no result depend on it.

    >>> vocabulary = new_vocabulary()
    >>> vocabulary["red"], vocabulary["door"], vocabulary["red"]
    (0, 1, 0)
    """
    return defaultdict(count().__next__)


def index_captions(
    captions: Sequence[str], vocabulary: defaultdict[str, int] | None = None
) -> TrigramIndex:
    """Build the trigram index of one person's captions, in order.

    Args:
        captions: the texts.
        vocabulary: from :func:`new_vocabulary`; new words are added to it.

    Raises:
        ValueError: more than 2,097,152 different words.

    >>> index_captions(["a red door", "", "a red door and a key"]).keys.shape
    (5,)
    """
    numbers = new_vocabulary() if vocabulary is None else vocabulary
    flat, ends = _flat_words(captions)
    run = np.fromiter(map(numbers.__getitem__, flat), dtype=np.int64, count=len(flat))
    _check_size(len(numbers))
    keys, owners = _keys(run, ends)
    return TrigramIndex(numbers, keys, _marks(keys), owners, len(captions))


def _flat_words(texts: Sequence[str]) -> tuple[list[str], list[int]]:
    """Return the words of all texts in one list, and where each text begins and ends."""
    flat: list[str] = []
    ends = [0]
    for text in texts:
        flat.extend(words(text))
        ends.append(len(flat))
    return flat, ends


def _keys(
    numbers: NDArray[np.int64], ends: list[int]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the keys of all runs of three words, and the text that each came from."""
    if len(numbers) < 3:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int32)
    owner = np.repeat(np.arange(len(ends) - 1, dtype=np.int32), np.diff(ends))
    keys = (numbers[:-2] << 2 * _WORD_BITS) | (numbers[1:-1] << _WORD_BITS) | numbers[2:]
    whole = owner[:-2] == owner[2:]
    return keys[whole], owner[:-2][whole]


def _marks(keys: NDArray[np.int64]) -> NDArray[np.uint16]:
    # Multiplicative hashing: the top bits of a product with an odd constant (2^64 / φ).
    mixed = keys.view(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return (mixed >> np.uint64(48)).astype(np.uint16)


def _check_size(different: int) -> None:
    if different > _MOST_WORDS:
        raise ValueError(
            f"more than {_MOST_WORDS} different words in one person's texts; "
            "split them into several persons"
        )
