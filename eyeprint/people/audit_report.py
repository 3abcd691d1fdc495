"""What an audit found, as one frozen record; its JSON has exactly these keys."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from eyeprint.config import Settings
from eyeprint.people.audit_map import MapSettings
from eyeprint.people.audit_numbers import Numbers
from eyeprint.people.audit_probes import Probe, ProbeSettings
from eyeprint.people.audit_rules import RuleSettings
from eyeprint.people.audit_twins import TwinSettings


class AuditSettings(Settings):
    """All settings of an audit."""

    rules: RuleSettings = RuleSettings()
    twins: TwinSettings = TwinSettings()
    probes: ProbeSettings = ProbeSettings()
    maps: MapSettings = MapSettings()
    examples: int = Field(default=10, ge=1)
    """First examples kept per rule."""
    most_repeats: int = Field(default=200, ge=1)
    """Repeated captions listed at most; all are counted."""


class Part(BaseModel):
    """Base of the parts of a report."""

    model_config = ConfigDict(frozen=True)


class Encoder(Part):
    """What embedded the captions."""

    name: str
    fingerprint: str
    dim: int
    cut_texts: int
    """Captions and descriptions that are longer than the encoder reads."""


class Comparison(Part):
    """One statistic beside the figure that the paper prints about its own people."""

    name: str
    title: str
    here: float | None
    paper: float | None
    note: str = ""
    """Where the paper's figure stands, and how it may differ in what it counts."""


class Example(Part):
    """One broken rule, pointed at."""

    person: str
    post: str | None
    detail: str


class RuleCount(Part):
    """How often a rule was broken."""

    rule: str
    asks: str
    source: str
    """Row of the checklist of the paper's requirements."""
    breaks: int
    people: int
    """People who break it at least once."""
    examples: tuple[Example, ...]
    """The first ones, in the order of the people."""


class Pair(Part):
    """Two people who are much alike."""

    one: str
    other: str
    similarity: float


class Twins(Part):
    """Pairs of people that were found alike in one way."""

    measure: str
    limit: float
    recall_at_limit: float
    """Probability that a pair that is just alike enough is found; higher above the limit."""
    candidates: int
    """Pairs that were looked at, of people · (people - 1) / 2."""
    left_out: int
    """Likely pairs that were not verified or listed, for there were too many."""
    pairs: tuple[Pair, ...]
    """Most similar first."""
    groups: tuple[tuple[str, ...], ...]
    """People joined by pairs, largest group first."""


class RepeatedCaption(Part):
    """One caption that several people have, word for word."""

    opening: str
    """Its first words."""
    posts: tuple[tuple[str, str], ...]
    """(person, post), in order; the first 20."""
    people: int


class Repeats(Part):
    """Captions repeated between people; case and punctuation do not count."""

    wordings: int
    """Different captions that more than one person has."""
    captions: int
    """Captions with such a wording."""
    first: tuple[RepeatedCaption, ...]
    """Those of most people first."""


class Point(Part):
    """One person on a map."""

    person: str
    x: float
    y: float
    label: str


class Map(Part):
    """A t-SNE map, coordinates from 0 to 1."""

    title: str
    coloured_by: str
    labels: tuple[str, ...]
    """Labels in the order of the legend."""
    points: tuple[Point, ...]


class Fault(Part):
    """One record that could not be read."""

    where: str
    reason: str


class AuditReport(Part):
    """Everything that an audit found."""

    source: str
    fingerprint: str
    """SHA-256 of the people's content in order."""
    settings: AuditSettings
    encoder: Encoder | None
    """``None`` when nothing was embedded."""
    numbers: Numbers
    mean_pairwise_cosine: float | None
    """Over all pairs of people, of their averaged caption vectors; lower is more diverse.
    Compares only with figures of the same encoder."""
    comparisons: tuple[Comparison, ...]
    rules: tuple[RuleCount, ...]
    """Every rule, broken or not, in a fixed order."""
    by_person: dict[str, dict[str, int]]
    """Person -> rule -> breaks, for the people who break any."""
    regional_unknown: int
    """People whose record does not state its share of regional motifs: not checked."""
    unread: tuple[Fault, ...]
    """Records that could not be read and took no part."""
    copies: Twins
    lookalikes: Twins | None
    """``None`` when nothing was embedded."""
    repeats: Repeats
    probes: tuple[Probe, ...]
    maps: tuple[Map, ...]
    notes: tuple[str, ...]
    """What a reader must know: what was left out, and why."""

    @property
    def breaks(self) -> int:
        """Broken rules over all people."""
        return sum(rule.breaks for rule in self.rules)

    @property
    def clean_people(self) -> int:
        """People who break no rule."""
        return self.numbers.people - len(self.by_person)
