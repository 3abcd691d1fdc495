"""What people may like and dislike: domains, subdomains, keywords, and what clashes (M10).

Two authored tables: ``data/preference_keywords.toml`` with five domains of six subdomains of
six keywords, and ``data/preference_conflicts.toml`` with groups of keywords that one person
cannot both like and dislike. Another table of keywords may be given as a file of the same form.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple

from eyeprint.config import fingerprint_of
from eyeprint.errors import DataError, shown
from eyeprint.people.tables import read_table
from eyeprint.records.concepts import DOMAINS

KEYWORDS_FILE = "preference_keywords.toml"
CONFLICTS_FILE = "preference_conflicts.toml"


class Keyword(NamedTuple):
    """Something that people like or dislike."""

    text: str
    domain: str
    subdomain: str


class ClashGroup(NamedTuple):
    """Keywords of one kind, where a like and a dislike contradict each other."""

    name: str
    family: bool
    """Whether members clash with each other, and not only with what names the whole."""
    whole: tuple[str, ...]
    """Keywords that name all of it."""
    members: tuple[str, ...]


@dataclass(frozen=True)
class PreferenceTables:
    """Keywords by domain, and the groups of those that clash.

    >>> tables = preference_tables()
    >>> tables.domains == DOMAINS, len(tables.subdomains), len(tables.of_domain("travel"))
    (True, 30, 36)
    """

    keywords: tuple[Keyword, ...]
    """In the order of the file; each text once."""
    groups: tuple[ClashGroup, ...] = field(default=())

    @cached_property
    def domains(self) -> tuple[str, ...]:
        """The domains, in order of first appearance."""
        return tuple(dict.fromkeys(keyword.domain for keyword in self.keywords))

    @cached_property
    def subdomains(self) -> tuple[tuple[str, str], ...]:
        """(domain, subdomain), in order of first appearance."""
        return tuple(dict.fromkeys((word.domain, word.subdomain) for word in self.keywords))

    @cached_property
    def _by_domain(self) -> dict[str, tuple[str, ...]]:
        return {
            domain: tuple(word.text for word in self.keywords if word.domain == domain)
            for domain in self.domains
        }

    @cached_property
    def _by_text(self) -> dict[str, Keyword]:
        return {word.text.casefold(): word for word in self.keywords}

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the tables (64 hex digits)."""
        return fingerprint_of([[list(word) for word in self.keywords],
                               [list(group) for group in self.groups]])  # fmt: skip

    def of_domain(self, domain: str) -> tuple[str, ...]:
        """Return the keywords of a domain, in the order of the file."""
        return self._by_domain.get(domain, ())

    def find(self, text: str) -> Keyword | None:
        """Return the keyword of a text in any case, or ``None``."""
        return self._by_text.get(" ".join(text.split()).casefold())

    def neighbours(self, keyword: str) -> tuple[str, ...]:
        """Return the other keywords of its subdomain; none for a text that is no keyword."""
        own = self.find(keyword)
        if own is None:
            return ()
        return tuple(
            word.text
            for word in self.keywords
            if (word.domain, word.subdomain) == (own.domain, own.subdomain) and word != own
        )


@cache
def preference_tables() -> PreferenceTables:
    """Return the authored tables."""
    rows = read_table(KEYWORDS_FILE)["subdomain"]
    groups = read_table(CONFLICTS_FILE)["group"]
    return PreferenceTables(_keywords(rows, KEYWORDS_FILE), _groups(groups, CONFLICTS_FILE))


def read_preference_tables(path: str | Path) -> PreferenceTables:
    """Read a table of keywords in the form of the authored one, with its own groups or ours.

    The file holds ``[[subdomain]]`` rows (domain, name, keywords) and may hold ``[[group]]``
    rows (name, family, whole, members). Without any, the authored groups hold, as far as their
    keywords are in the file.

    Raises:
        DataError: the file cannot be read, is not TOML, or a row of it is wrong; it is named.
    """
    path = Path(path)
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror}).") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DataError(f"{path}: not a TOML file: {error}") from error
    keywords = _keywords(values.get("subdomain", []), str(path))
    if not keywords:
        raise DataError(f"{path}: holds no [[subdomain]] with domain, name and keywords.")
    groups = _groups(values["group"], str(path)) if "group" in values else None
    return PreferenceTables(keywords, preference_tables().groups if groups is None else groups)


def _keywords(rows: Any, file: str) -> tuple[Keyword, ...]:
    found: dict[str, Keyword] = {}
    for n, row in enumerate(_rows(rows, file, "subdomain"), start=1):
        where = f"{file}: [[subdomain]] {n}"
        domain, name = _text(row, "domain", where), _text(row, "name", where)
        if domain not in DOMAINS:
            raise DataError(f"{where}: '{shown(domain)}' is no domain; use {', '.join(DOMAINS)}.")
        for text in _texts(row, "keywords", where):
            if text.casefold() in found:
                raise DataError(f"{where}: '{shown(text)}' stands in the table twice.")
            found[text.casefold()] = Keyword(text, domain, name)
    return tuple(found.values())


def _groups(rows: Any, file: str) -> tuple[ClashGroup, ...]:
    groups = []
    for n, row in enumerate(_rows(rows, file, "group"), start=1):
        where = f"{file}: [[group]] {n}"
        family = row.get("family", False)
        if not isinstance(family, bool):
            raise DataError(f"{where}: family is true or false.")
        groups.append(
            ClashGroup(
                _text(row, "name", where), family,
                _texts(row, "whole", where), _texts(row, "members", where),
            )
        )  # fmt: skip
    return tuple(groups)


def _rows(rows: Any, file: str, name: str) -> Sequence[Mapping[str, Any]]:
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise DataError(f"{file}: '{name}' must be written as [[{name}]] tables.")
    return rows


def _text(row: Mapping[str, Any], name: str, where: str) -> str:
    value = row.get(name)
    if not isinstance(value, str) or not value.strip():
        raise DataError(f"{where}: '{name}' is missing or is no text.")
    return " ".join(value.split())


def _texts(row: Mapping[str, Any], name: str, where: str) -> tuple[str, ...]:
    values = row.get(name, [])
    if not isinstance(values, list) or not all(isinstance(v, str) and v.strip() for v in values):
        raise DataError(f"{where}: '{name}' must be a list of texts.")
    return tuple(" ".join(value.split()) for value in values)
