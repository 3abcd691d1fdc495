"""What a reading of a picture says in words: short phrases, and one sentence.

Every phrase is bound to a limit that is stated here, and is left out where the reading is
neither high nor low: what is said of a picture is true of it, and can be checked.
"""

from __future__ import annotations

from eyeprint.models.picture_looks import PictureLooks

NAMED_SHARE = 0.08
"""Colours below this share of the picture are not named."""
MOST_NAMED = 3


def palette_names(reading: PictureLooks) -> list[str]:
    """Return the names of up to three main colours that fill 8 % or more, largest first."""
    names = [c.name for c in reading.colours if c.share >= NAMED_SHARE]
    return names[:MOST_NAMED] or [reading.colours[0].name]


def joined(words: list[str]) -> str:
    """Return "a", "a and b", or "a, b and c".

    >>> joined(["navy", "gold", "cream"])
    'navy, gold and cream'
    """
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else words[0]


def saturation_word(reading: PictureLooks) -> str | None:
    """Return monochrome, muted, pastel or vivid, or ``None`` between.

    Monochrome: colourfulness under 6. Vivid: over 75. Pastel: bright (L* over 70), coloured
    (10 to 60) and of low saturation (under 0.42). Muted: under 22.
    """
    if reading.colourfulness < 6:
        return "monochrome"
    if reading.colourfulness > 75:
        return "vivid"
    if reading.brightness > 0.70 and reading.colourfulness > 10 and reading.saturation < 0.42:
        return "pastel"
    return "muted" if reading.colourfulness < 22 else None


def warmth_word(reading: PictureLooks) -> str | None:
    """Return warm (over 0.30) or cool (under -0.25), or ``None``."""
    if reading.warmth > 0.30:
        return "warm"
    return "cool" if reading.warmth < -0.25 else None


def busyness_word(reading: PictureLooks) -> str | None:
    """Return plain (edges under 4 % of pixels) or busy (over 28 %), or ``None``."""
    if reading.busyness < 0.04:
        return "plain"
    return "busy" if reading.busyness > 0.28 else None


def horizon_word(reading: PictureLooks) -> str | None:
    """Return low horizon, level horizon or high horizon, or ``None`` without one.

    It is low when it lies below 58 % of the height from the top, high above 42 %.
    """
    if reading.horizon is None:
        return None
    if reading.horizon > 0.58:
        return "low horizon"
    return "high horizon" if reading.horizon < 0.42 else "level horizon"


def contrast_word(reading: PictureLooks) -> str | None:
    """Return high contrast (over 0.75) or low contrast (under 0.30), or ``None``."""
    if reading.contrast > 0.75:
        return "high contrast"
    return "low contrast" if reading.contrast < 0.30 else None


def words_of(reading: PictureLooks) -> tuple[str, ...]:
    """Return all phrases that hold, in a fixed order; at least palette and light."""
    tone = [saturation_word(reading), warmth_word(reading)]
    found = [f"{joined(palette_names(reading))} palette"]
    found += [f"{word} colours" for word in tone if word]
    found.append(reading.light)
    found += [word for word in (contrast_word(reading), horizon_word(reading)) if word]
    busy = busyness_word(reading)
    if busy:
        found.append("plain composition" if busy == "plain" else "busy detail")
    if reading.symmetry > 0.75 and busy != "plain":
        found.append("symmetric composition")
    if reading.texture > 0.10:
        found.append("grainy texture")
    elif reading.texture < 0.02:
        found.append("smooth surfaces")
    return tuple(found)


def caption_of(reading: PictureLooks) -> str:
    """Return one sentence: composition, tone, palette, light, horizon."""
    names = palette_names(reading)
    busy = busyness_word(reading)
    tone = [word for word in (busy, warmth_word(reading), saturation_word(reading)) if word]
    # "in navy" of a picture that is navy throughout; else the largest colours of more.
    whole = sum(c.share for c in reading.colours if c.name in names)
    colours = f"all in {names[0]}" if len(names) == 1 and whole > 0.97 else f"in {joined(names)}"
    article = "An" if tone and tone[0][0] in "aeiou" else "A"
    ends = [f"in {reading.light}"]
    if horizon := horizon_word(reading):
        ends.append(f"with a {horizon}")
    if reading.symmetry > 0.75 and busy != "plain":
        ends.append("nearly symmetric")
    if reading.texture > 0.10:
        ends.append("grainy to the eye")
    return f"{article} {', '.join(tone)}{' ' if tone else ''}picture {colours}, {', '.join(ends)}."
