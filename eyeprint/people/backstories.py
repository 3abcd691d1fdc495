"""Seed texts: where they come from, and which person gets which (CHECKLIST V11)."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Literal

from eyeprint.errors import BadRecord, DataError, ModelUnavailable
from eyeprint.people.composed_seeds import ComposedSeedSettings, compose_seed
from eyeprint.people.tables import bundled_backstories

SEED_FIELDS = ("persona", "input persona", "text")
"""Fields of a JSONL seed record that may hold the text; the first one present counts."""
HUB_REPOSITORY = "proj-persona/PersonaHub"
HUB_FILE = "persona.jsonl"
FurtherSeeds = Literal["compose", "reuse"]
"""What people get when they outnumber the seeds."""


def read_seeds(path: str | Path) -> tuple[str, ...]:
    """Read seed texts from JSONL (one object a line) or plain text (one seed a line).

    A file is JSONL when its first non-blank line starts with "{". Blank lines are
    skipped; repeated texts are kept once.

    Raises:
        DataError: the file cannot be read or holds no seed.
        BadRecord: a JSONL line has no text in any of :data:`SEED_FIELDS`.
    """
    path = Path(path)
    try:
        # Not splitlines(): JSON texts may hold other line ends, such as U+2028, as they are.
        lines = re.split(r"\r\n?|\n", path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror}).") from error
    except UnicodeDecodeError as error:
        raise DataError(
            f"{path}: not UTF-8 text ({error.reason} at byte {error.start})."
        ) from error
    filled = [(n, line.strip()) for n, line in enumerate(lines, 1) if line.strip()]
    if not filled:
        raise DataError(f"{path}: holds no seed text. Give one backstory a line.")
    if not filled[0][1].startswith("{"):
        return tuple(dict.fromkeys(line for _, line in filled))
    return tuple(dict.fromkeys(_text_of(line, number, path) for number, line in filled))


def _text_of(line: str, number: int, path: Path) -> str:
    try:
        record = json.loads(line)
    except json.JSONDecodeError as error:
        raise BadRecord(str(path), number, "", f"not JSON: {error.msg}.") from error
    if isinstance(record, dict):
        for name in SEED_FIELDS:
            value = record.get(name)
            if isinstance(value, str) and value.strip():
                return " ".join(value.split())
    wanted = "', '".join(SEED_FIELDS)
    raise BadRecord(str(path), number, "", f"needs a text in one of the fields '{wanted}'.")


def hub_seeds(revision: str) -> tuple[str, ...]:
    """Fetch PersonaHub's persona descriptions at a pinned revision.

    Raises:
        ModelUnavailable: the hub cannot be reached or does not have that revision.
    """
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError

    try:
        file = hf_hub_download(HUB_REPOSITORY, HUB_FILE, repo_type="dataset", revision=revision)
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError) as error:
        raise ModelUnavailable(
            f"{HUB_REPOSITORY} at revision '{revision}' could not be fetched from the hub "
            f"({error}). Download {HUB_FILE} yourself and give it with --seeds FILE, or leave "
            "--seeds away to use the bundled backstories."
        ) from error
    return read_seeds(file)


def load_seeds(source: str, hub_revision: str) -> tuple[str, ...]:
    """Return the seed texts named by ``source``: "" (bundled), "hub:", or a file.

    >>> len(load_seeds("", "main")) >= 400
    True
    """
    if not source:
        return bundled_backstories()
    if source.startswith("hub:"):
        return hub_seeds(source[4:] or hub_revision)
    return read_seeds(source)


def seed_number(index: int, count: int) -> int:
    """Return SHA-256(index) mod count: the seed that person ``index`` asks for first.

    >>> seed_number(0, 200_000) == int(sha256(b"0").hexdigest(), 16) % 200_000
    True
    """
    return int.from_bytes(sha256(str(index).encode()).digest(), "big") % count


def assign_seeds(n: int, count: int) -> list[int]:
    """Give each of n people a seed; a collision moves on to the next unused one.

    Within a round of ``count`` people all seeds differ; when n is larger, the seeds are
    used again in further rounds.

    Returns:
        n seed numbers in 0 .. count-1.

    Raises:
        DataError: there are no seeds.

    >>> sorted(assign_seeds(5, 5)), len(set(assign_seeds(9_000, 200_000)))
    ([0, 1, 2, 3, 4], 9000)
    """
    if count < 1:
        raise DataError("There is no seed text to build people from.")
    assigned: list[int] = []
    following: list[int] = []
    for index in range(n):
        if index % count == 0:
            # following[i] leads to the next free seed at or after i; paths are halved
            # on the way, so that full rounds stay near linear.
            following = list(range(count))
        place = _free(following, seed_number(index, count))
        assigned.append(place)
        following[place] = (place + 1) % count
    return assigned


def _free(following: list[int], start: int) -> int:
    place = start
    while following[place] != place:
        step = following[place]
        if following[step] != step:
            following[place] = following[step]
        place = step
        if place == start:  # a full circle: the round has ended
            return place
    return place


def repeated_rounds(n: int, seeds: Sequence[str]) -> int:
    """Return how many times the seeds are used again after the first round.

    >>> repeated_rounds(10, ["a"] * 4)
    2
    """
    return max(0, -(-n // len(seeds)) - 1)


@dataclass(frozen=True)
class SeedPlan:
    """Which seed text each of n people gets: given ones first, then composed or reused.

    >>> plan = SeedPlan(("A potter.", "A baker."), 3, compose=True)
    >>> plan.composed, plan.reused, plan.number(2), plan.text(2) == plan.text(2)
    (1, 0, 2, True)
    """

    texts: tuple[str, ...]
    """The given seeds: bundled, of the hub or of a file."""
    n: int
    """Number of people."""
    compose: bool
    """Whether people beyond the given seeds get composed ones; else the given are reused."""
    composer: ComposedSeedSettings = field(default_factory=ComposedSeedSettings)

    @cached_property
    def _assigned(self) -> list[int]:
        return assign_seeds(self.n if not self.compose else self.given, len(self.texts))

    @property
    def given(self) -> int:
        """How many people get a given seed that nobody before them had."""
        return min(self.n, len(self.texts))

    @property
    def composed(self) -> int:
        """How many people get a composed seed."""
        return self.n - self.given if self.compose else 0

    @property
    def reused(self) -> int:
        """How many people get a given seed that somebody before them had."""
        return 0 if self.compose else self.n - self.given

    def number(self, index: int) -> int:
        """Return the seed's number; composed seeds are numbered after the given ones."""
        return self._assigned[index] if index < len(self._assigned) else index

    def given_text(self, index: int) -> str:
        """Return the given seed text of person ``index``, "" for whom one is composed."""
        number = self.number(index)
        return self.texts[number] if number < len(self.texts) else ""

    def text(self, index: int) -> str:
        """Return the seed text of person ``index``; composing takes about a millisecond."""
        return self.given_text(index) or compose_seed(self.number(index), self.composer).text


def compose_further(source: str, wanted: FurtherSeeds | None) -> bool:
    """Tell whether further seeds are composed: unless said otherwise, beyond the bundled only.

    Whoever gives seeds of their own should not find people of invented ones among them.

    >>> compose_further("", None), compose_further("mine.txt", None)
    (True, False)
    >>> compose_further("mine.txt", "compose"), compose_further("", "reuse")
    (True, False)
    """
    return not source if wanted is None else wanted == "compose"
