"""One person's style, drawn once from the cues, and prompts worded in it.

All prompts of a set share a :class:`Style`: two media, a few colours, kinds of light,
compositions and moods. A prompt takes some of each, so that prompts of one person belong
together and are not the same (P37: "maintained stylistic coherence").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import Field

from eyeprint.config import Settings
from eyeprint.people.candidate_cues import Cues, Phrase
from eyeprint.people.candidate_reading import goes_with, suits
from eyeprint.randomness import Stream
from eyeprint.records.candidates import Parameters

PLAIN_MEDIA = ("photograph", "illustration")
"""What a person's pictures are where nothing suggests a medium."""


class StyleSettings(Settings):
    """How many of each kind of words make up a person's style."""

    style: int = Field(default=4, ge=1)
    medium: int = Field(default=2, ge=1)
    palette: int = Field(default=4, ge=1)
    lighting: int = Field(default=3, ge=1)
    composition: int = Field(default=4, ge=1)
    mood: int = Field(default=2, ge=1)
    constraints: int = Field(default=2, ge=1)
    main_share: float = Field(default=0.65, ge=0, le=1)
    """Share of prompts in the first medium."""


@dataclass(frozen=True)
class Style:
    """Words of one person's style, the most telling first; a slot may be empty."""

    slots: dict[str, tuple[Phrase, ...]]

    def texts(self, slot: str) -> tuple[str, ...]:
        """Return a slot's words."""
        return tuple(phrase.text for phrase in self.slots[slot])

    def sentence(self) -> str:
        """Return the style in one sentence (P39).

        >>> pale = {slot: () for slot in StyleSettings.model_fields} | {
        ...     "style": (Phrase("quiet", 1, "x"),), "palette": (Phrase("teal", 1, "y"),)}
        >>> Style(pale).sentence()
        'Quiet pictures in teal.'
        """
        named = self.texts("medium")
        styles = [text for text in self.texts("style") if all(goes_with(text, m) for m in named)]
        media = _joined([_plural(text) for text in self.texts("medium")])
        parts = [f"{_joined(styles[:3])} {media or 'pictures'}".strip()]
        if self.slots["palette"]:
            parts.append(f"in {_joined(self.texts('palette')[:3])}")
        if self.slots["lighting"]:
            parts.append(f"with {self.texts('lighting')[0]}")
        rest = [self.texts(slot)[0] for slot in ("composition", "mood") if self.slots[slot]]
        told = "; ".join([" ".join(parts), *rest])
        return f"{told[0].upper()}{told[1:]}."

    def parameters(self) -> Parameters:
        """Return the generation parameters (P39)."""
        return Parameters(
            style_tags=(*self.texts("style"), *self.texts("medium")),
            lighting=self.texts("lighting"),
            composition=self.texts("composition"),
            palette=self.texts("palette"),
            constraints=self.texts("constraints"),
        )


@dataclass(frozen=True)
class Worded:
    """One prompt's text with the words it is made of and the cues behind them."""

    text: str
    keywords: tuple[str, ...]
    cues: tuple[str, ...]


def weighted_sample(phrases: Sequence[Phrase], n: int, draw: Stream) -> tuple[Phrase, ...]:
    """Return up to n different phrases, drawn one by one in proportion to their weights.

    Not more than half of them (rounded up) come from one entry while others are left; what
    says less or more of the same is left out: "yellow" beside "sunny yellow".
    """
    pool = list(phrases)
    chosen: list[Phrase] = []
    while pool and len(chosen) < n:
        full = {p.cue for p in chosen if sum(q.cue == p.cue for q in chosen) >= (n + 1) // 2}
        open_pool = [p for p in pool if p.cue not in full] or pool
        one = draw.weighted(open_pool, [p.weight for p in open_pool])
        chosen.append(one)
        pool = [phrase for phrase in pool if not _same(phrase.text, one.text)]
    return tuple(chosen)


def _same(one: str, other: str) -> bool:
    words = set(one.split()), set(other.split())
    return words[0] <= words[1] or words[1] <= words[0]


def style_of(cues: Cues, draw: Stream, settings: StyleSettings) -> Style:
    """Draw a person's style from the cues."""
    slots = {}
    for slot in StyleSettings.model_fields:
        if slot == "main_share":
            continue
        n: int = getattr(settings, slot)
        slots[slot] = weighted_sample(cues.slots[slot], n, draw)
    if not slots["medium"]:
        slots["medium"] = tuple(Phrase(text, 1.0, "") for text in PLAIN_MEDIA)
    return Style(slots)


def worded(
    subject: Phrase,
    setting: str,
    category: str,
    style: Style,
    place: int,
    draw: Stream,
    settings: StyleSettings,
) -> Worded:
    """Return one prompt: what it shows, in this style, by one of three sentences.

    Args:
        subject: what it is about, with its cue.
        setting: where; may be empty.
        category: light and composition that do not suit it, or contradict what is shown,
            are left out; a limit that contradicts colours, light or medium is too.
        style: the person's.
        place: number of the prompt in the set: adjectives and colours take turns by it.
        draw: chance that is left.
        settings: share of the first medium.
    """
    media = style.slots["medium"]
    medium = media[0] if len(media) == 1 or draw.random() < settings.main_share else media[1]
    shown = f"{subject.text} {setting}".strip()
    colours = _colours(style.slots["palette"], place)
    hues = _joined([colour.text for colour in colours])
    light = _drawn(style.slots["lighting"], category, shown, draw)
    seen = f"{shown}, {light.text if light else ''}"
    adjective = _turn(style.slots["style"], place, f"{medium.text}, {seen}")
    frame = _drawn(style.slots["composition"], category, seen, draw)
    seen = f"{seen}, {frame.text if frame else ''}, {hues}, {medium.text}"
    mood = _turn(style.slots["mood"], place, frame.text if frame else "")
    limits = [phrase for phrase in style.slots["constraints"] if suits(phrase.text, category)]
    limit = _turn(limits, place // 2, seen)
    kind = [*_text(adjective), medium.text]
    in_hues = f" in tones of {hues}" if hues else ""
    in_light = f"with {light.text}" if light else ""
    tail = [part.text for part in (frame, mood, limit) if part]
    form = draw.below(3)
    if form == 0:
        lead = f"{_with_article(' '.join(kind))} of {shown}"
        first = ", ".join(part for part in (lead + in_hues, in_light) if part)
    elif form == 1:
        first = ", ".join(
            part
            for part in (shown, f"{_with_article(' '.join(kind))}{in_hues}", in_light)
            if part
        )  # fmt: skip
    else:
        lead = f"{_with_article(' '.join(kind))} showing {shown}"
        first = ", ".join(part for part in (lead, in_light, f"in {hues}" if hues else "")
                          if part)  # fmt: skip
    sentences = [first, ", ".join(tail)]
    text = " ".join(f"{s[0].upper()}{s[1:]}." for s in sentences if s)
    used = [p for p in (subject, adjective, medium, light, *colours, frame, mood, limit) if p]
    return Worded(
        text=text,
        keywords=tuple(dict.fromkeys(p.text for p in used)),
        cues=tuple(dict.fromkeys(p.cue for p in used if p.cue)),
    )


def _turn(phrases: Sequence[Phrase], place: int, beside: str) -> Phrase | None:
    """Return the phrase whose turn it is of those that go with what stands beside it."""
    fitting = [phrase for phrase in phrases if goes_with(phrase.text, beside)]
    fitting = [phrase for phrase in fitting if not _says(beside, phrase.text)]
    return fitting[place % len(fitting)] if fitting else None


def _drawn(phrases: Sequence[Phrase], category: str, shown: str, draw: Stream) -> Phrase | None:
    fitting = [p for p in phrases if suits(p.text, category) and goes_with(p.text, shown)]
    return draw.pick(fitting) if fitting else None


def _text(phrase: Phrase | None) -> list[str]:
    return [phrase.text] if phrase else []


def _says(text: str, phrase: str) -> bool:
    """Tell whether a text says a phrase already: "vintage" beside a "vintage film photograph"."""
    return phrase.split("-")[0] in text.replace(",", "").split()


def _colours(palette: Sequence[Phrase], place: int) -> tuple[Phrase, ...]:
    """Return the first colour, which all prompts share, and two others in turn."""
    rest = palette[1:]
    if len(rest) < 2:
        return tuple(palette)
    first = place % len(rest)
    return (palette[0], rest[first], rest[(first + 1) % len(rest)])


def _joined(words: Sequence[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)


def _plural(medium: str) -> str:
    if medium.endswith(("s", "x", "ch", "sh")):
        return f"{medium}es"
    return f"{medium}s"


def _with_article(words: str) -> str:
    vowel = words[0].lower() in "aeiou" and not words.lower().startswith(("uni", "use", "euro"))
    return f"{'an' if vowel or words.startswith(('honest', 'hour')) else 'a'} {words}"
