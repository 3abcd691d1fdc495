"""What a chat model's reply must keep to beyond its schema, and what is repaired (V12–V18).

Repairs never touch quoted text: a phrase that differs from the caption only in case, white
space or the shape of quotation marks and dashes gives way to the caption's own words; a
phrase that the caption does not hold is dropped and counted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from pydantic import Field

from eyeprint.config import Settings
from eyeprint.people.chat_asking import Checked
from eyeprint.people.chat_schemas import (
    AttributesAnswer,
    CaptionAnswer,
    FacetAnswer,
    PreferencesAnswer,
)
from eyeprint.people.demographics import DemographicSettings
from eyeprint.people.vocabulary import VocabularySettings
from eyeprint.records.people import CATEGORIES, FACETS

LOOSE = {
    "'": "['’‘ʼ`´]",
    '"': '["“”„«»]',
    "-": "[-‐‑‒–—−]",
}
_NO_SPACES = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]"
)
"""Signs of scripts that put no spaces between words (Thai, Lao, Burmese, Khmer, Chinese,
Japanese) or tie endings to them (Korean): words there have no edge to look for."""
_SAME_SIGN = {sign: key for key, signs in LOOSE.items() for sign in signs[1:-1]}
_WORD = re.compile(r"\w+")


class ChatCaptionRules(Settings):
    """When a caption counts as valid; the paper is silent (V18, V19)."""

    words_low: int = Field(default=150, ge=1)
    words_high: int = Field(default=250, ge=1)
    aim_low: int = Field(default=170, ge=1)
    """The prompt asks for aim_low to aim_high words: models miss a range at its ends."""
    aim_high: int = Field(default=220, ge=1)
    per_category: int = Field(default=4, ge=1)
    """Most phrases of one category that are kept."""
    min_elements: int = Field(default=8, ge=0)
    """Fewest verbatim phrases, over all categories, of a valid caption."""
    longest_element: int = Field(default=8, ge=1)
    """Most words of an element; a longer phrase is dropped."""


def own_words(phrase: str, caption: str) -> str | None:
    """Return the caption's own words for a phrase, or ``None`` when it does not hold them.

    The phrase may differ in case, white space, and the shape of quotes and dashes, and
    nothing else; it must not begin or end within a word.

    >>> own_words("the potter's  Wheel", "Here stands the potter’s wheel.")
    'the potter’s wheel'
    >>> own_words("red", "hundred") is None
    True
    """
    parts = [
        "".join(LOOSE.get(_SAME_SIGN.get(sign, ""), re.escape(sign)) for sign in word)
        for word in phrase.split()
    ]
    if not parts:
        return None
    words = "".join(phrase.split())
    before = "" if _NO_SPACES.match(words[0]) else r"(?<!\w)"
    after = "" if _NO_SPACES.match(words[-1]) else r"(?!\w)"
    found = re.search(before + r"\s+".join(parts) + after, caption, re.IGNORECASE)
    return found.group() if found else None


def verbatim_elements(
    elements: Mapping[str, Sequence[str]], caption: str, settings: ChatCaptionRules
) -> tuple[dict[str, list[str]], list[str]]:
    """Return the elements in the caption's own words, and a repair for each change.

    Unknown categories, phrases that are not in the caption, too long ones, repeated ones and
    those over ``per_category`` are dropped.

    >>> verbatim_elements({"lighting": ["Low sun", "a moon"]}, "In low sun.", ChatCaptionRules())
    ({'lighting': ['low sun']}, ["element in the caption's words", 'element not in the caption'])
    """
    kept: dict[str, list[str]] = {}
    repairs: list[str] = []
    given = {name.strip().lower(): phrases for name, phrases in elements.items()}
    repairs += ["unknown category"] * sum(name not in CATEGORIES for name in given)
    taken: set[str] = set()
    for category in CATEGORIES:
        for phrase in given.get(category, ()):
            phrase = phrase.strip().strip(".,;:").strip()
            own = own_words(phrase, caption)
            if own is None:
                repairs.append("element not in the caption")
            elif len(own.split()) > settings.longest_element:
                repairs.append("element too long")
            elif own.lower() in taken or len(kept.get(category, ())) >= settings.per_category:
                repairs.append("element too many")
            else:
                if own != phrase:
                    repairs.append("element in the caption's words")
                taken.add(own.lower())
                kept.setdefault(category, []).append(own)
    return kept, repairs


def check_caption(
    answer: CaptionAnswer, settings: ChatCaptionRules
) -> Checked[tuple[str, dict[str, list[str]]]]:
    """Check length and elements of a caption; the caption itself is never changed."""
    caption = answer.caption.strip()
    words = len(caption.split())
    if words < settings.words_low or words > settings.words_high:
        side = "longer" if words < settings.words_low else "shorter"
        return Checked(
            None,
            fault=f"the caption has {words} words; make it {side}: at least "
            f"{settings.words_low} and at most {settings.words_high}",
        )
    elements, repairs = verbatim_elements(answer.elements, caption, settings)
    found = sum(map(len, elements.values()))
    if found < settings.min_elements:
        return Checked(
            None,
            fault=f"only {found} phrases of the elements stand in the caption letter by letter; "
            f"give at least {settings.min_elements}, copied exactly",
        )
    return Checked((caption, elements), tuple(repairs))


def distinct(texts: Sequence[str]) -> list[str]:
    """Return the texts without those that repeat an earlier one's words.

    >>> distinct(["Red door", "a blue door", "red  door."])
    ['Red door', 'a blue door']
    """
    kept: dict[tuple[str, ...], str] = {}
    for text in texts:
        kept.setdefault(tuple(_WORD.findall(text.lower())), text)
    return [text for words, text in kept.items() if words]


def alike(one: str, other: str) -> float:
    """Return the Jaccard likeness of two texts' word sets, from 0 to 1 (the same words).

    >>> alike("a red door", "A red door!")
    1.0
    """
    a, b = set(_WORD.findall(one.lower())), set(_WORD.findall(other.lower()))
    return len(a & b) / len(a | b) if a | b else 1.0


def check_facet(
    answer: FacetAnswer, facet: str, settings: VocabularySettings
) -> Checked[tuple[dict[str, list[str]], float]]:
    """Check one facet; return its groups and the share that the model marks as regional.

    Repeated entries go, and so do the last entries over ``entries_high``, those that are not
    regional first.
    """
    repairs: list[str] = []
    lowered = {
        name.strip().lower().replace(" ", "_"): entries for name, entries in answer.groups.items()
    }
    marked: dict[str, bool] = {}
    places: dict[str, str] = {}
    for group in FACETS[facet]:
        for entry in lowered.get(group, ()):
            if any(alike(entry.entry, other) == 1.0 for other in marked):
                repairs.append("entry given twice")
                continue
            marked[entry.entry], places[entry.entry] = entry.regional, group
    missing = [group for group in FACETS[facet] if group not in places.values()]
    if missing:
        return Checked(None, fault=f"it has no entries for {', '.join(missing)}")
    if len(marked) < settings.entries_low:
        short = settings.entries_low - len(marked)
        return Checked(
            None, fault=f"it has {len(marked)} different entries; give {short} more at least"
        )
    extra = len(marked) - settings.entries_high
    if extra > 0:
        backwards = list(reversed(marked))
        unmarked_first = sorted(backwards, key=lambda text: marked[text])
        for spare in unmarked_first:
            if extra > 0 and list(places.values()).count(places[spare]) > 1:
                del marked[spare], places[spare]
                repairs.append("entry too many")
                extra -= 1
    share = sum(marked.values()) / len(marked)
    if share < settings.regional_share:
        return Checked(
            None,
            fault=f"only {share:.0%} of the entries are marked as regional; "
            f"{settings.regional_share:.0%} at least must be",
        )
    groups = {g: [e for e in marked if places[e] == g] for g in FACETS[facet]}
    return Checked((groups, share), tuple(repairs))


def check_list(texts: Sequence[str], low: int, high: int, what: str) -> Checked[tuple[str, ...]]:
    """Check how many different texts there are; those over ``high`` are dropped."""
    kept = distinct(texts)
    repairs = [f"{what} given twice"] * (len(texts) - len(kept))
    if len(kept) < low:
        return Checked(None, fault=f"it has {len(kept)} different {what}; give {low} to {high}")
    repairs += [f"{what} too many"] * max(0, len(kept) - high)
    return Checked(tuple(kept[:high]), tuple(repairs))


def check_attributes(
    answer: AttributesAnswer, settings: DemographicSettings
) -> Checked[AttributesAnswer]:
    """Check interests and traits of stage 1b."""
    low, high = settings.interests_low, settings.interests_high
    interests = check_list(answer.interests, low, high, "interests")
    traits = check_list(answer.traits, settings.traits_low, settings.traits_high, "traits")
    fault = "; ".join(part.fault for part in (interests, traits) if part.fault)
    if fault:
        return Checked(None, fault=fault)
    changed = {"interests": interests.value, "traits": traits.value}
    return Checked(answer.model_copy(update=changed), interests.repairs + traits.repairs)


def check_preferences(
    answer: PreferencesAnswer, settings: VocabularySettings
) -> Checked[tuple[str, ...]]:
    """Check the number of preferences; a full stop or "This person" around one is taken off."""
    texts = [re.sub(r"^this person\s+", "", t, flags=re.I).rstrip(".") for t in answer.preferences]
    low, high = settings.preferences_low, settings.preferences_high
    return check_list(texts, low, high, "preferences")
