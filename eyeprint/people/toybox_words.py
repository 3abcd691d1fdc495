"""Says what concepts of the toybox look like, at the four levels, and nothing else (M7).

Everything told is true of every picture: looks never change, and habits are told as habits.
"""

from __future__ import annotations

from collections.abc import Sequence

from eyeprint.people.toybox_looks import NONE, Look
from eyeprint.records.concepts import SKS, Level

_HAIR = {
    "short": "short {} hair",
    "long": "long {} hair",
    "curly": "curly {} hair",
    "spiky": "spiky {} hair",
    "bun": "{} hair in a bun",
    "pigtails": "{} hair in pigtails",
    "bob": "bobbed {} hair",
}
_PATTERNS = {
    "stripes": " with {} stripes",
    "bars": " with upright {} stripes",
    "dots": " with {} dots",
    "checks": " with {} checks",
    "zigzag": " with a {} zigzag",
    "patches": " with {} patches",
}
_TRIMS = {
    "mug": "handle",
    "lamp": "foot",
    "backpack": "pocket",
    "bicycle": "wheels",
    "teapot": "handle",
    "armchair": "seat cushion",
    "suitcase": "straps",
    "toy car": "wheel caps",
    "clock": "bells",
    "watering can": "handle",
}
HELD = ("human", "character")
"""Categories that hold things; the others have them beside."""


def a(words: str) -> str:
    """Return the words with their article.

    >>> a("orange cat"), a("red mug")
    ('an orange cat', 'a red mug')
    """
    return f"{'an' if words[0] in 'aeiou' else 'a'} {words}"


def listed(parts: Sequence[str], last: str = "and") -> str:
    """Return parts as a list in a sentence.

    >>> listed(["a", "b", "c"]), listed(["a", "b"], "or")
    ('a, b and c', 'a or b')
    """
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} {last} {parts[-1]}"


def _cloth(look: Look, of: str, colour: str, pattern: str, second: str) -> str:
    words = f"{look[colour]} {of}"
    if look[pattern] != "plain":
        words += _PATTERNS[look[pattern]].format(look[second])
    return words


def hair_of(look: Look) -> str:
    """Return a person's hair in words."""
    return _HAIR[look["hair"]].format(look["hair_colour"])


def top_of(look: Look) -> str:
    """Return what a person wears above, without article."""
    return _cloth(look, look["top"], "top_colour", "top_pattern", "top_second")


def _worn(look: Look) -> list[str]:
    """Return what else a person wears, without articles, most telling first."""
    found = []
    if look["hat"] == "straw hat":
        found.append(f"straw hat with {a(look['hat_colour'])} band")
    elif look["hat"] != NONE:
        found.append(f"{look['hat_colour']} {look['hat']}")
    if look["neck"] != NONE:
        found.append(f"{look['neck_colour']} {look['neck']}")
    if look["eyewear"] != NONE:
        found.append(look["eyewear"])
    if look["bottom"] != NONE:
        found.append(f"{look['bottom_colour']} {look['bottom']}")
    return found


def coat_of(look: Look) -> str:
    """Return an animal with its coat: "orange cat with white stripes"."""
    return _cloth(look, look.kind, "coat", "pattern", "second")


def _adorned(look: Look) -> list[str]:
    found = []
    if look["collar"] != NONE:
        found.append(f"{look['collar_colour']} {look['collar']}")
    if look["extra"] != NONE:
        found.append(f"{look['extra_colour']} {look['extra']}")
    if look["ears"] != NONE:
        ears = {"lop": "hanging ears", "upright": "upright ears"}
        found.append(ears.get(look["ears"], f"{look['ears']} ears"))
    return found


def _signed(look: Look) -> list[str]:
    return [] if look["mark"] == NONE else [f"{look['mark_colour']} {look['mark']}"]


def _eyed(look: Look) -> str:
    return "one eye" if look["eyes"] == "one" else f"{look['eyes']} eyes"


def keywords(look: Look) -> tuple[str, str, str]:
    """Return the three keywords of the simple description.

    >>> from eyeprint.people.toybox_looks import draw_look
    >>> from eyeprint.randomness import stream
    >>> keywords(draw_look("object", "mug", stream(1, "look", 1)))[1].endswith("handle")
    True
    """
    if look.category == "human":
        worn = _worn(look)
        return hair_of(look), top_of(look), worn[0] if worn else "bare head"
    if look.category == "animal":
        found = [coat_of(look), *_adorned(look), "bare neck", "bare head"]
        return found[0], found[1], found[2]
    body = _cloth(look, look.kind, "main", "pattern", "second")
    if look.category == "object":
        sign = _signed(look) or ["no sign"]
        return body, f"{look['trim']} {_TRIMS[look.kind]}", sign[0]
    crest = [] if look["crest"] == NONE else [f"{look['crest_colour']} {look['crest']}"]
    cape = [] if look["cape"] == NONE else [f"{look['cape_colour']} cape"]
    return body, _eyed(look), [*crest, *cape, *_signed(look), "bare head"][0]


def _article(words: str) -> str:
    """Return the words with an article where they take one."""
    end = words.split(" with ")[0]
    plural = end.endswith(("s", "hair")) and not end.endswith(("dress", "horns of"))
    return words if plural else a(words)


def seen(look: Look) -> list[str]:
    """Return everything to be seen of a look, as parts of a list with articles."""
    if look.category == "human":
        face = [f"{look['skin']} skin", hair_of(look)]
        if look["beard"] != NONE:
            face.append(f"a {look['hair_colour']} {look['beard']}")
        return [*face, a(top_of(look)), *map(_article, _worn(look))]
    if look.category == "animal":
        return [*map(_article, _adorned(look))]
    if look.category == "object":
        sign = [f"{a(words)} as a sign" for words in _signed(look)]
        return [_article(f"{look['trim']} {_TRIMS[look.kind]}"), *sign]
    found = [_eyed(look)]
    if look["crest"] != NONE:
        found.append(_article(f"{look['crest_colour']} {look['crest']}") + " on its head")
    if look["cape"] != NONE:
        found.append(f"{a(look['cape_colour'])} cape")
    return [*found, *(f"{a(words)} on its front" for words in _signed(look))]


def _being(look: Look) -> str:
    if look.category == "human":
        return a(look.kind)
    if look.category == "animal":
        return a(coat_of(look))
    return a(_cloth(look, look.kind, "main", "pattern", "second"))


def descriptions(look: Look, props: Sequence[str], stands: Sequence[str]) -> dict[Level, str]:
    """Return the descriptions of a concept at the four levels.

    Args:
        look: what it looks like.
        props: what it often holds or has beside it, in words.
        stands: what it usually stands on, in words.
    """
    being, parts = _being(look), seen(look)
    has = f" with {listed(parts)}" if parts else ""
    has = (
        has
        if look.category == "human" or " with " not in being
        else has.replace(" with ", " and ", 1)
        if len(parts) == 1
        else has.replace(" with ", ", with ", 1)
    )
    verb = "holds" if look.category in HELD else "has beside it"
    holds, on = listed(props, "or"), listed(stands, "or")
    habit = f"often {verb} {holds} and usually stands on {on}"
    moderate = f"{SKS} is {being}{has}, and {habit}."
    detail = " ".join([f"{SKS} is {being}.", *_sentences(look), f"{SKS} {habit}."])
    extended = "\n\n".join(
        [
            f"Overview: {SKS} is {being}{has}.",
            f"Appearance: {' '.join(_sentences(look)) or f'{SKS} wears nothing.'}",
            f"Recognising features: {'; '.join(keywords(look))}. These do not change from one "
            "picture to another.",
            f"Habits: {SKS} often {verb} {holds}, one at a time. Usually {SKS} stands on {on}.",
        ]
    )
    return {
        "simple": f"{SKS}: {', '.join(keywords(look))}.",
        "moderate": moderate,
        "detailed": detail,
        "extended": extended,
    }


def _sentences(look: Look) -> list[str]:
    """Return sentences that tell a look part by part, what is not there too."""
    if look.category == "human":
        beard = f", and {a(look['hair_colour'])} {look['beard']}" if look["beard"] != NONE else ""
        head = "Nothing is worn on the head." if look["hat"] == NONE else ""
        eyes = "There are no glasses." if look["eyewear"] == NONE else ""
        worn = [a(top_of(look)), *map(_article, _worn(look))]
        told = [
            f"The skin is {look['skin']}, with {hair_of(look)}{beard}.",
            f"{SKS} wears {listed(worn)}.",
            head,
            eyes,
        ]
    elif look.category == "animal":
        neck = "" if look["collar"] != NONE else "There is nothing around its neck."
        head = "" if look["extra"] != NONE else "There is nothing on its head."
        parts = [*map(_article, _adorned(look))]
        told = [f"{SKS} has {listed(parts)}." if parts else "", neck, head]
    elif look.category == "object":
        told = [
            f"{SKS} has {listed(seen(look))}.",
            "There is no sign on it." if look["mark"] == NONE else "",
        ]
    else:
        told = [
            f"{SKS} has {listed(seen(look))}.",
            "There is nothing on its head." if look["crest"] == NONE else "",
            "There is no cape." if look["cape"] == NONE else "",
        ]
    return [text for text in told if text]
