"""What a build made: counts kept per shard, added up in any order, told to a person."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from eyeprint.people.backstories import SeedPlan, repeated_rounds
from eyeprint.people.faces import face_combinations


@dataclass
class ShardCounts:
    """Counts over the people of one shard; :meth:`add` joins shards."""

    people: int = 0
    excluded: int = 0
    failed: int = 0
    posts: int = 0
    posts_dropped: int = 0
    words: int = 0
    elements_before: int = 0
    elements_after: int = 0
    rewritten: int = 0
    over_limit: int = 0
    overridden: int = 0
    drawn: int = 0
    regional_low: float = 1.0
    """Lowest regional share of any facet of any person."""
    regional_sum: float = 0.0
    facets: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    genders: Counter[str] = field(default_factory=Counter)
    countries: Counter[str] = field(default_factory=Counter)
    occupations: set[str] = field(default_factory=set)
    distinct_elements: set[str] = field(default_factory=set)

    def see(self, record: Mapping[str, Any]) -> None:
        """Count one person's record."""
        build = record.get("build", {})
        self.people += 1
        self.posts += len(record["posts"])
        self.posts_dropped += build.get("posts_dropped", 0)
        drawn = build.get("elements_before_pruning", 0)
        self.elements_before += sum(drawn.values()) if isinstance(drawn, dict) else drawn
        self.elements_after += build.get("elements_after_pruning", 0)
        self.rewritten += build.get("captions_rewritten", 0)
        self.over_limit += build.get("captions_over_overlap_limit", 0)
        self.overridden += bool(build.get("location_overridden"))
        self.drawn += bool(build.get("location_drawn"))
        for share in (build.get("regional_shares") or {}).values():
            self.regional_low = min(self.regional_low, share)
            self.regional_sum += share
            self.facets += 1
        who = record["demographics"]
        self.genders[who.get("gender", "unknown")] += 1
        self.countries[who.get("country") or "unknown"] += 1
        self.occupations.add(who.get("occupation") or "")
        for post in record["posts"]:
            self.kinds[post.get("kind") or ""] += 1
            self.words += len(post["caption"].split())
        for groups in record["vocabulary"].values():
            for entries in groups.values():
                self.distinct_elements.update(entries)

    def add(self, other: ShardCounts) -> None:
        """Add another shard's counts to these."""
        for name, value in vars(other).items():
            if isinstance(value, (set, Counter)):
                getattr(self, name).update(value)
            elif name == "regional_low":
                self.regional_low = min(self.regional_low, value)
            else:
                setattr(self, name, getattr(self, name) + value)


@dataclass(frozen=True)
class BuildReport:
    """The result of ``build_personas``; the same numbers stand in ``people.json``."""

    folder: str
    fingerprint: str
    people: int
    statistics: Mapping[str, Any]
    shards_kept: int
    shards_made: int
    seconds: float
    notes: tuple[str, ...] = ()

    @property
    def failed(self) -> int:
        """People that a model could not write; a repeated command tries them again."""
        return int(self.statistics["people_failed"])


def seed_statistics(plan: SeedPlan) -> dict[str, Any]:
    """Return how many people got a given, a composed and a reused seed (V11).

    >>> seed_statistics(SeedPlan(("A potter.", "A baker."), 5, compose=False))
    {'seeds_given': 2, 'seeds_composed': 0, 'seeds_reused': 3, 'seed_rounds_repeated': 2}
    """
    return {
        "seeds_given": plan.given,
        "seeds_composed": plan.composed,
        "seeds_reused": plan.reused,
        "seed_rounds_repeated": repeated_rounds(plan.n, plan.texts) if plan.reused else 0,
    }


def seed_notes(plan: SeedPlan, source: str, hub_revision: str) -> list[str]:
    """Return what the reader of a report should know about the seeds.

    >>> seed_notes(SeedPlan(("A potter.",), 1, compose=True), "hub:", "main")[0][:39]
    "PersonaHub was read at revision 'main',"
    """
    notes = []
    revision = source[4:] or hub_revision
    if source.startswith("hub:") and not re.fullmatch(r"[0-9a-f]{40}", revision):
        notes.append(
            f"PersonaHub was read at revision '{revision}', which can change. Name a commit, "
            "--seeds hub:COMMIT or --hub-revision COMMIT, to get the same seeds again."
        )
    if plan.reused:
        notes.append(
            f"{plan.n} people share {len(plan.texts)} seed texts: each was used up to "
            f"{repeated_rounds(plan.n, plan.texts) + 1} times with other draws. Give more seeds "
            "for more variety, or let further ones be composed (further_seeds='compose')."
        )
    return notes


def statistics_of(counts: ShardCounts) -> dict[str, Any]:
    """Return the statistics of a manifest.

    The three element counts of V14: ``elements_before_pruning`` and
    ``elements_after_pruning`` are means per person of vocabulary entries over all facets;
    ``elements_distinct`` counts different entries over all people. ``faces_possible`` is the
    real number of different faces (V26).

    >>> statistics_of(ShardCounts())["mean_words"] is None
    True
    """

    def mean(total: float, count: int) -> float | None:
        return round(total / count, 4) if count else None

    return {
        "people": counts.people,
        "people_excluded": counts.excluded,
        "people_failed": counts.failed,
        "posts": counts.posts,
        "posts_dropped": counts.posts_dropped,
        "kinds": dict(sorted(counts.kinds.items())),
        "mean_words": mean(counts.words, counts.posts),
        "elements_before_pruning": mean(counts.elements_before, counts.people),
        "elements_after_pruning": mean(counts.elements_after, counts.people),
        "elements_distinct": len(counts.distinct_elements),
        "regional_share_mean": mean(counts.regional_sum, counts.facets),
        "regional_share_lowest": counts.regional_low if counts.facets else None,
        "locations_drawn": counts.drawn,
        "locations_overridden": counts.overridden,
        "genders": dict(sorted(counts.genders.items())),
        "countries": len(counts.countries),
        "occupations": len(counts.occupations),
        "faces_possible": face_combinations(),
        "captions_rewritten": counts.rewritten,
        "captions_over_overlap_limit": counts.over_limit,
    }


def told(report: BuildReport) -> Iterable[str]:
    """Yield the report as lines for a terminal."""
    found = report.statistics
    yield (
        f"{report.people} people with {found['posts']} posts in {report.folder} "
        f"({report.shards_made} shards made, {report.shards_kept} kept, {report.seconds:.1f} s)"
    )
    if found["mean_words"] is not None:
        yield (
            f"{found['countries']} countries, {found['occupations']} occupations, captions of "
            f"{found['mean_words']:.1f} words on average"
        )
        yield (
            f"vocabulary entries per person: {found['elements_before_pruning']:.1f} before "
            f"pruning, {found['elements_after_pruning']:.1f} after; "
            f"{found['elements_distinct']} distinct"
        )
    if found["regional_share_mean"] is not None:
        yield (
            f"regional share of a facet: mean {found['regional_share_mean']:.3f}, lowest "
            f"{found['regional_share_lowest']:.3f}"
        )
    yield (
        f"places: {found['locations_drawn']} drawn, {found['locations_overridden']} of them moved; "
        f"left out: {found['people_excluded']} people, {found['posts_dropped']} posts"
    )
    yield (
        f"seeds: {found['seeds_given']} given, {found['seeds_composed']} composed, "
        f"{found['seeds_reused']} used again"
    )
    if found["people_failed"]:
        yield f"{found['people_failed']} people could not be written; run again to try them again"
    yield from (f"note: {note}" for note in report.notes)
