"""What building people by chat would ask, and what it could cost at most (CHECKLIST X16).

Later prompts carry earlier replies, which are not there yet. A reply has at most its
``max_tokens``, so that number stands for it: the bounds hold whatever the model says.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from eyeprint.models.prices import Price, input_bound
from eyeprint.people.chat_asking import LONGEST_FAULT, StepDecoding, first_request, render_prompt
from eyeprint.people.chat_posts import plan_batches
from eyeprint.people.chat_settings import KIND_MEANINGS, ChatWriterSettings
from eyeprint.records.people import CATEGORIES, FACETS

LONGEST_MOTIFS = 1200
"""Bytes of the country's motifs that a facet's prompt shows, at most."""
AGAIN = LONGEST_FAULT + 300
"""Bytes that asking again adds, beside the bad reply."""


class ChatEstimate(NamedTuple):
    """Calls, tokens and money of a build. ``None`` is unknown, never 0."""

    people: int
    calls: int
    """When every first reply is good."""
    calls_at_most: int
    """When every step needs all its attempts."""
    input_tokens: int
    """Upper bound for ``calls``."""
    output_tokens: int | None
    cost_usd: float | None
    """Upper bound for ``calls``."""
    cost_at_most_usd: float | None
    """Upper bound for ``calls_at_most``."""


class _Step(NamedTuple):
    calls: int
    attempts: int
    """Most replies to one of the calls."""
    input_tokens: int
    """Most of one first request."""
    decoding: StepDecoding


def estimate_people_by_chat(
    seeds: Sequence[str], settings: ChatWriterSettings | None = None, price: Price | None = None
) -> ChatEstimate:
    """Return what writing one person for each seed text would need; nothing is asked.

    >>> found = estimate_people_by_chat(["A baker."], price=Price(input=0.15, output=0.6))
    >>> found.calls, found.calls_at_most >= 3 * found.calls, found.cost_usd < 0.1
    (40, True, True)
    >>> estimate_people_by_chat(["A baker."]).cost_usd is None
    True
    """
    settings = settings or ChatWriterSettings()
    longest = max(seeds, key=lambda text: len(text.encode()), default="")
    steps = list(_steps(longest, settings)) if seeds else []
    people = len(seeds)
    calls = sum(step.calls for step in steps)
    given = sum(step.calls * step.input_tokens for step in steps)
    written = [_written(step, 1) for step in steps]
    worst_in = sum(step.calls * _asked_at_most(step) for step in steps)
    worst_out = [_written(step, step.attempts) for step in steps]
    return ChatEstimate(
        people=people,
        calls=people * calls,
        calls_at_most=people * sum(step.calls * step.attempts for step in steps),
        input_tokens=people * given,
        output_tokens=_times(people, written),
        cost_usd=_cost(people * given, _times(people, written), price),
        cost_at_most_usd=_cost(people * worst_in, _times(people, worst_out), price),
    )


def _steps(seed: str, settings: ChatWriterSettings) -> Iterator[_Step]:
    s, attempts = settings, settings.attempts

    def tokens(decoding: StepDecoding) -> int:
        return decoding.max_tokens or 0

    def step(
        name: str, facts: dict[str, object], decoding: StepDecoding, carried: int, calls: int = 1
    ) -> _Step:
        prompt = render_prompt(f"{name}.j2", facts)
        given = input_bound(first_request(prompt, decoding)) + carried
        return _Step(calls, attempts, given, decoding)

    place, about = tokens(s.place), tokens(s.place) + tokens(s.attributes)
    facets, tastes = len(FACETS) * tokens(s.facets), tokens(s.preferences)
    yield step("place", {"seed": seed}, s.place, 0)
    limits = s.demographics.model_dump()
    facts = {"seed": seed, "place": "", "ethnicity": "-", "gender": "unknown"} | limits
    yield step("attributes", facts, s.attributes, place)
    words = s.vocabulary
    for facet, groups in FACETS.items():
        facts = {
            "about": "",
            "facet": facet,
            "groups": groups,
            "low": words.entries_low,
            "high": words.entries_high,
            "share": words.regional_share,
            "region": "",
            "motifs": ["x" * LONGEST_MOTIFS],
        }
        yield step("facet", facts, s.facets, about + 3 * place)
    facts = {
        "about": "",
        "vocabulary": {group: [""] for groups in FACETS.values() for group in groups},
        "low": words.preferences_low,
        "high": words.preferences_high,
    }
    yield step("preferences", facts, s.preferences, about + facets)
    known = about + facets + tastes
    batches = plan_batches(s, "", 0)
    for number, wanted in enumerate(batches):
        facts = {
            "about": "",
            "preferences": [],
            "vocabulary": [],
            "wanted": wanted,
            "total": s.posts,
            "meanings": KIND_MEANINGS,
            "existing": ["" for _ in range(s.posts)] if number else [],
        }
        found = step("scenarios", facts, s.scenarios, known + number * tokens(s.scenarios))
        # A batch that lacks something is asked for again, each time with all its attempts.
        yield found._replace(attempts=attempts * attempts)
    facts = {
        "scenario": "",
        "kind": "appreciation",
        "meaning": max(KIND_MEANINGS.values(), key=len),
        "time": "",
        "social": "as it fits",
        "about": "",
        "preferences": [],
        "vocabulary": [],
        "aim_low": s.captions.aim_low,
        "aim_high": s.captions.aim_high,
        "categories": CATEGORIES,
    }
    yield step("caption", facts, s.caption, known + tokens(s.scenarios), calls=s.posts)


def _written(step: _Step, attempts: int) -> int | None:
    """Return the most tokens of a step's replies; a cut reply doubles the next one's limit."""
    limit = step.decoding.max_tokens
    if limit is None:
        return None
    return step.calls * limit * sum(1 << i for i in range(attempts))


def _asked_at_most(step: _Step) -> int:
    limit = step.decoding.max_tokens or 0
    repeated = sum(AGAIN + (limit << i) for i in range(step.attempts - 1))
    return step.input_tokens * step.attempts + repeated


def _times(people: int, parts: Sequence[int | None]) -> int | None:
    known = [part for part in parts if part is not None]
    return people * sum(known) if len(known) == len(parts) else None


def _cost(given: int, written: int | None, price: Price | None) -> float | None:
    if price is None or written is None:
        return None
    return (given * price.input + written * price.output) / 1e6
