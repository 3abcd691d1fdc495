"""Checking people: statistics, broken rules, near-twins and stereotypes, in one reading.

An :class:`Auditor` is fed person by person with the person's caption vectors and keeps
of each about a kilobyte and one mean vector, never their texts. Ten thousand people take
two minutes on one core.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from eyeprint.maths.diversity import mean_pairwise_cosine
from eyeprint.people.audit_numbers import Numbers, Tally
from eyeprint.people.audit_probes import ProbeCounts
from eyeprint.people.audit_report import (
    AuditReport,
    AuditSettings,
    Comparison,
    Encoder,
    Example,
    Fault,
    Map,
    Pair,
    RepeatedCaption,
    Repeats,
    RuleCount,
    Twins,
)
from eyeprint.people.audit_rules import RULES, check_person
from eyeprint.people.audit_shingles import Keys, MinHash, word_runs
from eyeprint.people.audit_tables import PUBLISHED
from eyeprint.people.audit_twins import (
    Found,
    groups,
    lookalikes,
    text_candidates,
    text_recall,
    vector_recall,
    verified_copies,
)
from eyeprint.records.files import People
from eyeprint.records.people import Persona

_LISTED_POSTS = 20
_OPENING_WORDS = 12

TITLES = {
    "people": "people",
    "posts": "posts",
    "posts_per_person": "posts per person",
    "countries": "countries",
    "ethnicities": "ethnicities",
    "cities": "cities",
    "places_drawn": "places drawn for want of one in the seed",
    "places_moved": "places moved from frequent regions",
    "seeds": "different seeds",
    "occupations": "unique occupations",
    "unique_interests": "unique interests",
    "mean_interests": "interests per person",
    "mean_traits": "traits per person",
    "mean_preferences": "preferences per person",
    "mean_attributes": "attributes per person",
    "mean_caption_words": "words per caption",
    "mean_elements_before": "elements per person, before pruning",
    "mean_elements_after": "elements per person, after pruning",
    "unique_elements": "unique elements over all people",
    "mean_phrases": "annotated phrases per person",
    "unique_phrases": "unique annotated phrases",
    "mean_pairwise_cosine": "mean pairwise cosine of people",
}
"""Statistic -> its name in reports, in their order."""

_DEFINED = {
    "mean_elements_before": "vocabulary entries as drawn",
    "mean_elements_after": "entries in the vocabulary now",
    "unique_elements": "different vocabulary entries",
    "mean_phrases": "different phrases in a person's posts",
    "unique_phrases": "different phrases over all posts",
}


class Auditor:
    """Gathers an audit person by person; :meth:`report` tells what was found.

    Args:
        settings: limits; the paper's by default.
    """

    def __init__(self, settings: AuditSettings | None = None) -> None:
        self.settings = settings or AuditSettings()
        twins = self.settings.twins
        self._tally = Tally(self.settings.rules)
        self._probes = ProbeCounts()
        self._family = MinHash(twins.bands * twins.rows, twins.seed)
        self._ids: list[str] = []
        self._signatures: list[NDArray[np.uint32]] = []
        self._has_text: list[bool] = []
        self._means: list[NDArray[np.float32]] = []
        self._breaks: Counter[str] = Counter()
        self._broken_by: Counter[str] = Counter()
        self._examples: dict[str, list[Example]] = {}
        self._by_person: dict[str, dict[str, int]] = {}
        self._regional_unknown = 0
        # 16 bytes a caption, and which post it is: (person, place of the post).
        self._wordings = bytearray()
        self._wording_posts: list[tuple[int, int]] = []

    def add(self, person: Persona, captions: NDArray[np.float32] | None = None) -> None:
        """Take one person in.

        Args:
            person: whom to check.
            captions: the unit vectors of the posts' captions, zero rows for blank ones,
                shape (posts, dim); ``None`` when nothing is embedded.
        """
        place = len(self._ids)
        self._ids.append(person.id)
        self._tally.add(person)
        self._probes.add(person)
        runs = word_runs([post.caption for post in person.posts])
        union = runs.union(self.settings.twins.run)
        self._signatures.append(self._family.signature(union))
        self._has_text.append(len(union) > 0)
        for at, wording in enumerate(runs.wordings):
            if wording:
                self._wordings += wording
                self._wording_posts.append((place, at))
        checked = check_person(person, self.settings.rules, runs)
        self._regional_unknown += not checked.regional_known
        counts = Counter(found.rule for found in checked.breaks)
        if counts:
            self._by_person[person.id] = dict(counts)
        self._breaks.update(counts)
        self._broken_by.update(counts.keys())
        for found in checked.breaks:
            held = self._examples.setdefault(found.rule, [])
            if len(held) < self.settings.examples:
                held.append(Example(person=person.id, post=found.post, detail=found.detail))
        if captions is not None:
            self._means.append(mean_vector(captions))

    @property
    def means(self) -> NDArray[np.float32]:
        """Mean caption vectors of everybody so far, shape (people, dim)."""
        if not self._means:
            return np.zeros((0, 1), dtype=np.float32)
        return np.stack(self._means)

    def report(
        self,
        people: People,
        source: str,
        *,
        encoder: Encoder | None = None,
        maps: Sequence[Map] = (),
        notes: Sequence[str] = (),
    ) -> AuditReport:
        """Look for twins among everybody taken in, and tell what was found.

        Args:
            people: the same people in the same order, for the texts of likely twins.
            source: where they come from, in words.
            encoder: what embedded the captions, if anything did.
            maps: pictures that were made of them.
            notes: what a reader must know.
        """
        numbers = self._tally.numbers()
        means = self.means
        cosine = mean_pairwise_cosine(means) if len(means) else float("nan")
        mean_cosine = None if np.isnan(cosine) else cosine
        return AuditReport(
            source=source,
            fingerprint=people.fingerprint,
            settings=self.settings,
            encoder=encoder,
            numbers=numbers,
            mean_pairwise_cosine=mean_cosine,
            comparisons=compare(numbers, mean_cosine, encoder.name if encoder else None),
            rules=self._rule_counts(),
            by_person=self._by_person,
            regional_unknown=self._regional_unknown,
            unread=tuple(
                Fault(where=f"{f.file}:{f.line}" if f.line else f.file, reason=str(f))
                for f in people.faults
            ),
            copies=self._copies(people),
            lookalikes=self._lookalikes(means) if len(means) else None,
            repeats=self._repeats(people),
            probes=self._probes.probes(self.settings.probes),
            maps=tuple(maps),
            notes=tuple(notes),
        )

    def _rule_counts(self) -> tuple[RuleCount, ...]:
        return tuple(
            RuleCount(
                rule=rule.name,
                asks=rule.asks,
                source=rule.source,
                breaks=self._breaks[rule.name],
                people=self._broken_by[rule.name],
                examples=tuple(self._examples.get(rule.name, ())),
            )
            for rule in RULES
        )

    def _copies(self, people: People) -> Twins:
        limits = self.settings.twins
        signatures = np.array(self._signatures, dtype=np.uint32).reshape(-1, self._family.size)
        pairs, likely, looked = text_candidates(signatures, np.array(self._has_text), limits)

        @lru_cache(maxsize=256)
        def keys_of(place: int) -> Keys:
            person: Persona = people[self._ids[place]]
            return word_runs([post.caption for post in person.posts]).union(limits.run)

        found = verified_copies(pairs, likely, keys_of, limits, looked)
        recall = text_recall(limits.jaccard, limits)
        return self._twins(
            f"Jaccard similarity of runs of {limits.run} words", limits.jaccard, recall, found
        )

    def _lookalikes(self, means: NDArray[np.float32]) -> Twins:
        limits = self.settings.twins
        centred = np.count_nonzero(np.any(means != 0, axis=1)) >= limits.centre_from
        what = "deviations from the average person" if centred else "mean caption vectors"
        return self._twins(
            f"cosine of {what}",
            limits.cosine,
            vector_recall(limits.cosine, limits),
            lookalikes(means, limits),
        )

    def _twins(self, measure: str, limit: float, recall: float, found: Found) -> Twins:
        ids = self._ids
        return Twins(
            measure=measure,
            limit=limit,
            recall_at_limit=recall,
            candidates=found.candidates,
            left_out=found.left_out,
            pairs=tuple(
                Pair(one=ids[one], other=ids[other], similarity=float(similar))
                for (one, other), similar in zip(
                    found.pairs.tolist(), found.similarity, strict=True
                )
            ),
            groups=tuple(tuple(ids[place] for place in group) for group in groups(found.pairs)),
        )

    def _repeats(self, people: People) -> Repeats:
        rows = np.frombuffer(bytes(self._wordings), dtype="<u8").reshape(-1, 2)
        posts = np.array(self._wording_posts, dtype=np.int64).reshape(-1, 2)
        order = np.lexsort((posts[:, 1], posts[:, 0], rows[:, 1], rows[:, 0]))
        rows, posts = rows[order], posts[order]
        fresh = np.ones(len(rows), dtype=bool)
        fresh[1:] = np.any(rows[1:] != rows[:-1], axis=1)
        starts = np.flatnonzero(fresh)
        sizes = np.diff(np.append(starts, len(rows)))
        found = []
        for start, size in zip(starts[sizes > 1].tolist(), sizes[sizes > 1].tolist(), strict=True):
            who = len(np.unique(posts[start : start + size, 0]))
            if who > 1:
                found.append((who, size, start))
        found.sort(key=lambda item: (-item[0], -item[1], posts[item[2]].tolist()))
        return Repeats(
            wordings=len(found),
            captions=sum(size for _, size, _ in found),
            first=tuple(
                self._repeated(people, posts[start : start + size], who)
                for who, size, start in found[: self.settings.most_repeats]
            ),
        )

    def _repeated(self, people: People, posts: NDArray[np.int64], who: int) -> RepeatedCaption:
        listed = [(people[self._ids[p]], at) for p, at in posts[:_LISTED_POSTS].tolist()]
        first, at = listed[0]
        said = first.posts[at].caption.split()
        more = " ..." if len(said) > _OPENING_WORDS else ""
        return RepeatedCaption(
            opening=" ".join(said[:_OPENING_WORDS]) + more,
            posts=tuple((person.id, person.posts[place].id) for person, place in listed),
            people=who,
        )


def mean_vector(captions: NDArray[np.floating]) -> NDArray[np.float32]:
    """Return the mean of the rows that are not zero, shape (dim,); zeros without any.

    >>> mean_vector(np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]])).tolist()
    [0.5, 0.5]
    """
    rows = captions[np.any(captions != 0, axis=1)]
    if not len(rows):
        return np.zeros(captions.shape[1], dtype=np.float32)
    return np.asarray(rows.mean(axis=0), dtype=np.float32)


def compare(
    numbers: Numbers, mean_cosine: float | None, encoder: str | None
) -> tuple[Comparison, ...]:
    """Set every statistic beside the figure that the paper prints (V10, V14, V23).

    Args:
        numbers: the statistics.
        mean_cosine: mean pairwise cosine, if anything was embedded.
        encoder: name of what embedded the captions.
    """
    values = {**numbers.model_dump(), "mean_pairwise_cosine": mean_cosine}
    found = []
    for name, title in TITLES.items():
        if name.startswith("places_") and not numbers.places_known:
            continue
        paper = PUBLISHED.get(name)
        parts = [_DEFINED.get(name, ""), paper.source if paper else ""]
        if name == "mean_elements_before" and numbers.elements_before_known < numbers.people:
            parts[0] += f", known of {numbers.elements_before_known} people"
        if name == "mean_pairwise_cosine" and encoder and encoder != "text-embedding-3-small":
            parts.append(f"here {encoder}: not comparable")
        found.append(
            Comparison(
                name=name,
                title=title,
                here=values[name],
                paper=paper.value if paper else None,
                note="; ".join(filter(None, parts)),
            )
        )
    return tuple(found)
