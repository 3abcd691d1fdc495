"""Evidence panels: a picture, its prompt and keywords, and the priors behind it (P43).

As in figures 9 and 10 of PIPBench: which answers and traits led to which visual words, in
which prompt. Data for a report, not a page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from eyeprint.records.candidates import CandidatePrompt, CandidateSet, Prior

MOST_PRIORS = 4


class Evidence(NamedTuple):
    """Why one picture looks as it does."""

    profile_id: str
    picture: str
    """Its path or pixel hash; empty before it is painted."""
    prompt: str
    category: str
    keywords: tuple[str, ...]
    explanation: str
    """One paragraph: source and reason of each prior (Fig. 9, middle column)."""
    properties: tuple[str, ...]
    """The words of the priors that stand in the prompt (Fig. 9, right column)."""
    priors: tuple[Prior, ...]
    style: str
    """The set's style in one sentence."""


def evidence_panel(
    candidates: CandidateSet, prompt: CandidatePrompt, picture: str = "", most: int = MOST_PRIORS
) -> Evidence:
    """Return the panel of one prompt of a set.

    A prompt of the offline writer names its priors. One of a chat model does not; then
    the priors count whose words stand in the prompt, most words first.

    >>> prior = Prior(id="evt/ocean", row="evt", source="Color Preferences: Cool ocean tones",
    ...               why="Sea colours recall calm.", words=("deep teal", "foam white"))
    >>> one = CandidatePrompt(text="A pier in deep teal.", category="landscape")
    >>> found = evidence_panel(CandidateSet(profile_id="a", priors=(prior,), prompts=(one,)), one)
    >>> found.properties, found.explanation
    (('deep teal',), 'Color Preferences: Cool ocean tones. Sea colours recall calm.')
    """
    by_id = {prior.id: prior for prior in candidates.priors}
    named = [by_id[name] for name in prompt.priors if name in by_id]
    text = prompt.text.lower()
    if not named:
        counted = [(_standing(prior, text), prior) for prior in candidates.priors]
        ranked = sorted(counted, key=lambda pair: -len(pair[0]))
        named = [prior for words, prior in ranked if words]
    shown = named[:most]
    properties = [word for prior in shown for word in _standing(prior, text)]
    return Evidence(
        profile_id=candidates.profile_id,
        picture=picture,
        prompt=prompt.text,
        category=prompt.category,
        keywords=prompt.keywords,
        explanation=" ".join(f"{prior.source}. {prior.why}".strip() for prior in shown),
        properties=tuple(dict.fromkeys(properties)),
        priors=tuple(shown),
        style=candidates.style,
    )


def evidence_panels(
    sets: Iterable[CandidateSet], pictures: Mapping[tuple[str, str], str], most: int = MOST_PRIORS
) -> list[Evidence]:
    """Return the panels of all pictures whose prompt is in a set, in the sets' order.

    Args:
        sets: the candidates.
        pictures: (profile id, prompt text) -> path or pixel hash of what was painted of it.
        most: priors on a panel.
    """
    return [
        evidence_panel(one, prompt, pictures[one.profile_id, prompt.text], most)
        for one in sets
        for prompt in one.prompts
        if (one.profile_id, prompt.text) in pictures
    ]


def _standing(prior: Prior, text: str) -> list[str]:
    """Return the words of a prior that stand in a prompt as words: "ink" is not in "pink"."""
    return [
        word
        for word in prior.words
        if re.search(rf"(?<!\w){re.escape(word.lower())}(?!\w)", text) is not None
    ]
