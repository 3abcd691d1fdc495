"""From answers to the looks that they lead one to expect (P12, appendix G of PIPBench).

High Openness leans abstract and asymmetric, low leans realistic and balanced; Self-Direction
and Stimulation explore, Tradition and Security are classical, Achievement and Power
editorial, Benevolence and Universalism tranquil; warm palettes are cosy, cool ones calm;
pleasure and excitement together are vivid, a low one is soft.

These are associative priors of the literature that the paper cites, averaged over people: they
say nothing about what any one person likes, and no result rests on their being true. They
guide what candidates are made of, and what an offline judge expects.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

from eyeprint.people.questions import WORD_KINDS, Option, questionnaire
from eyeprint.people.tables import read_table
from eyeprint.people.traits import chosen, traits_of
from eyeprint.records.profiles import PROPERTIES, AestheticPriors, Profile

TABLE = "aesthetic_priors.toml"
TELLING = ("Q18", "Q4", "Q16", "Q6", "Q7", "Q5", "Q8", "Q3", "Q1", "Q9")
"""Questions whose options carry words, those that say most about looks first."""
CLEAR = 0.3
"""Least lean of a property that is put into words."""


@cache
def priors_table() -> dict[str, dict[str, object]]:
    """Return the table of weights, scales and words."""
    return read_table(TABLE)


@cache
def _numbers(name: str) -> Mapping[str, float]:
    return {k: float(v) for k, v in priors_table()[name].items() if isinstance(v, int | float)}


def _row(section: str, name: str) -> Mapping[str, float]:
    row = priors_table()[section][name]
    return row if isinstance(row, dict) else {}


def _mean_shift(options: Iterable[Option]) -> dict[str, float]:
    given = list(options)
    total: dict[str, float] = {}
    for option in given:
        for name, value in option.shift.items():
            total[name] = total.get(name, 0.0) + value / len(given)
    return total


def _on_scale(value: float, middle: float, reach: float) -> float:
    return (value - middle) / reach


def scaled_traits(profile: Profile) -> dict[str, float]:
    """Return the trait scores on scales from -1 to 1; those that are not known are left out.

    ``circumplex`` is min(pleasure, excitement): only both together make it high (G.5).

    >>> scaled_traits(Profile(id="a", answers={"Q14": 9, "Q15": 0}))["circumplex"]
    -1.0
    """
    traits = traits_of(profile)
    found: dict[str, float] = {}
    if traits.openness is not None:
        found["openness"] = _on_scale(traits.openness, 4, 3)
    if traits.thinking is not None:
        found["thinking"] = _on_scale(traits.thinking, 3, 2)
    if traits.pleasure is not None:
        found["pleasure"] = _on_scale(traits.pleasure, 4.5, 4.5)
    if traits.excitement is not None:
        found["excitement"] = _on_scale(traits.excitement, 4.5, 4.5)
    if "pleasure" in found and "excitement" in found:
        found["circumplex"] = min(found["pleasure"], found["excitement"])
    return found


def _trait_shift(name: str, value: float) -> dict[str, float]:
    return {key: slope * value for key, slope in _row("scales", name).items()}


def leans(profile: Profile) -> dict[str, float]:
    """Return each visual property in [-1, 1]: clip(Σ weight · shift) over all sources.

    A trait's shift is its slope times its score on [-1, 1]; a question's is the mean of its
    chosen options' shifts; MBTI's is the mean over its four letters.
    """
    weights = _numbers("weights")
    total = dict.fromkeys(PROPERTIES, 0.0)

    def add(weight: float, shift: Mapping[str, float]) -> None:
        for name, value in shift.items():
            total[name] += weight * value

    for name, value in scaled_traits(profile).items():
        add(weights[name], _trait_shift(name, value))
    for question in questionnaire().asked:
        if question.id in weights:
            options = [question.by_label[label] for label in chosen(profile, question.id)]
            add(weights[question.id], _mean_shift(options))
    mbti = traits_of(profile).mbti
    if mbti is not None:
        for letter in mbti:
            add(_numbers("mbti")["weight"] / len(mbti), _row("mbti", letter))
    return {name: round(max(-1.0, min(1.0, value)), 4) for name, value in total.items()}


def _labels(values: Mapping[str, float]) -> tuple[str, ...]:
    words = priors_table()["words"]
    clear = [name for name in PROPERTIES if abs(values[name]) >= CLEAR]
    clear.sort(key=lambda name: -abs(values[name]))
    found = []
    for name in clear:
        pair = words[name]
        if isinstance(pair, list):
            found.append(str(pair[values[name] > 0]))
    return tuple(found)


def _words(profile: Profile) -> dict[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {kind: {} for kind in WORD_KINDS}
    for question in TELLING:
        options = questionnaire()[question].by_label
        for label in chosen(profile, question):
            for kind, words in options[label].words.items():
                found[kind].update(dict.fromkeys(words))
    return {kind: tuple(words) for kind, words in found.items()}


def aesthetic_priors(profile: Profile) -> AestheticPriors:
    """Return what a profile leads one to expect; unanswered questions add nothing.

    >>> calm = Profile(id="a", answers={"Q4": "Minimalist and functional", "Q14": 2, "Q15": 1})
    >>> aesthetic_priors(calm).complexity < 0, aesthetic_priors(calm).labels[0]
    (True, 'low saturation')
    """
    values = leans(profile)
    return AestheticPriors.model_validate(
        values
        | _words(profile)
        | {"palettes": traits_of(profile).palettes, "labels": _labels(values)}
    )
