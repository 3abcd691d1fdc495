"""Scenarios in batches until the quotas are full, then a caption for each (V17, V18)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from eyeprint.maths.apportion import largest_remainder
from eyeprint.people.chat_asking import Checked, PersonAsker, all_of, render_prompt
from eyeprint.people.chat_checks import alike, check_caption
from eyeprint.people.chat_schemas import CaptionAnswer, ScenarioItem, ScenariosAnswer
from eyeprint.people.chat_settings import KIND_MEANINGS, ChatWriterSettings
from eyeprint.randomness import stream
from eyeprint.records.people import CATEGORIES, POST_KINDS

ENTRIES_SHOWN = 24
"""Entries of the vocabulary that one prompt shows."""
Vocabulary = dict[str, dict[str, list[str]]]


def plan_batches(settings: ChatWriterSettings, person: str, run_seed: int) -> list[dict[str, int]]:
    """Return kind -> number for each batch of scenarios; together they fill the quotas (V17).

    >>> plan = plan_batches(ChatWriterSettings(), "p", 7)
    >>> [sum(batch.values()) for batch in plan]
    [8, 8, 7, 7]
    >>> {kind: sum(batch.get(kind, 0) for batch in plan) for kind in POST_KINDS}
    {'activity': 11, 'appreciation': 8, 'shared': 7, 'selfie': 4}
    """
    quotas = largest_remainder(settings.kind_shares, settings.posts).tolist()
    kinds = [kind for kind, n in zip(POST_KINDS, quotas, strict=True) for _ in range(n)]
    kinds = stream(run_seed, "chat/kinds", person).shuffled(kinds)
    count = -(-len(kinds) // settings.batch_high)
    batches = []
    start = 0
    for i in range(count):
        size = len(kinds) // count + (i < len(kinds) % count)
        batch = kinds[start : start + size]
        counts: dict[str, int] = {k: batch.count(k) for k in POST_KINDS if k in batch}
        batches.append(counts)
        start += size
    return batches


async def plan_scenarios(
    step: PersonAsker,
    settings: ChatWriterSettings,
    about: str,
    preferences: Sequence[str],
    vocabulary: Vocabulary,
    run_seed: int,
) -> list[ScenarioItem] | None:
    """Ask batch by batch; what a batch lacks is asked for again beside what is there."""
    planned: list[ScenarioItem] = []
    for number, batch in enumerate(plan_batches(settings, step.person, run_seed), start=1):
        wanted = dict(batch)
        for _ in range(settings.attempts):
            facts = {
                "about": about,
                "preferences": preferences[:8],
                "vocabulary": _shown(vocabulary, step.person, f"batch {number}"),
                "wanted": wanted,
                "total": sum(wanted.values()),
                "meanings": KIND_MEANINGS,
                "existing": [item.scenario for item in planned],
            }
            answer: ScenariosAnswer | None = await step.ask(
                f"scenarios {number}",
                render_prompt("scenarios.j2", facts),
                ScenariosAnswer,
                Checked,
                settings.scenarios,
            )
            if answer is None:
                return None
            fitting = _fitting(answer, wanted, planned, step, settings.likeness)
            for item in fitting:
                wanted[item.kind] -= 1
            wanted = {kind: n for kind, n in wanted.items() if n > 0}
            planned += fitting
            if not wanted:
                break
            step.tally.asked_again[f"scenarios {number}"] += 1
        if wanted:
            lacking = ", ".join(f"{n} {kind}" for kind, n in wanted.items())
            told = f"batch {number} still lacks {lacking}"
            step.give_up(f"scenarios {number}", told, settings.attempts)
            return None
    return planned


def _fitting(
    answer: ScenariosAnswer,
    wanted: Mapping[str, int],
    planned: Sequence[ScenarioItem],
    step: PersonAsker,
    likeness: float,
) -> list[ScenarioItem]:
    """Return the scenarios that are wanted and new, with their kinds as we spell them."""
    kept: list[ScenarioItem] = []
    left = dict(wanted)
    for item in answer.scenarios:
        kind = item.kind.lower().replace("shared content", "shared").strip()
        others = [other.scenario for other in (*planned, *kept)]
        if not left.get(kind):
            step.tally.repairs["scenario beyond its quota"] += 1
        elif any(alike(item.scenario, other) >= likeness for other in others):
            step.tally.repairs["scenario given twice"] += 1
        else:
            left[kind] -= 1
            kept.append(item.model_copy(update={"kind": kind}))
    return kept


def _shown(vocabulary: Vocabulary, person: str, key: str) -> list[str]:
    """Return some entries of the vocabulary, others for each step: all get their turn."""
    entries = [e for groups in vocabulary.values() for found in groups.values() for e in found]
    return stream(0, f"chat/shown {key}", person).sample(entries, ENTRIES_SHOWN)


async def write_posts(
    step: PersonAsker,
    settings: ChatWriterSettings,
    about: str,
    preferences: Sequence[str],
    vocabulary: Vocabulary,
    scenarios: Sequence[ScenarioItem],
) -> list[dict[str, Any]]:
    """Write all captions, at once; an invalid one is recorded and left out."""
    limits = settings.captions

    async def post(number: int, item: ScenarioItem) -> dict[str, Any] | None:
        facts = {
            "scenario": item.scenario,
            "kind": item.kind,
            "meaning": KIND_MEANINGS[item.kind],
            "time": item.time or "any",
            "social": item.social or "as it fits",
            "about": about,
            "preferences": preferences,
            "vocabulary": _shown(vocabulary, step.person, f"post {number}"),
            "aim_low": limits.aim_low,
            "aim_high": limits.aim_high,
            "categories": CATEGORIES,
        }
        found = await step.ask(
            f"caption {number:02d}",
            render_prompt("caption.j2", facts),
            CaptionAnswer,
            lambda answer: check_caption(answer, limits),
            settings.caption,
        )
        if found is None:
            return None
        caption, elements = found
        return {
            "id": f"{step.person}-p{number:02d}",
            "kind": item.kind,
            "scenario": item.scenario,
            "social": item.social,
            "time": item.time,
            "caption": caption,
            "elements": elements,
        }

    found = await all_of(post(i, item) for i, item in enumerate(scenarios, start=1))
    step.faults.sort(key=lambda fault: fault.step)
    return [one for one in found if one is not None]
