"""What the audit compares people with: published figures, words of gender, ages of work."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple


class Published(NamedTuple):
    """A figure that the paper prints about its own 10,000 personas."""

    value: float
    source: str


PUBLISHED: Mapping[str, Published] = {
    "people": Published(10_000, "Table 5; Fig. 11 says 10,004"),
    "posts": Published(300_000, "Table 5"),
    "posts_per_person": Published(30, "Table 5"),
    "countries": Published(174, "Fig. 11"),
    "occupations": Published(5_460, "Fig. 11"),
    "unique_interests": Published(39_003, "Fig. 11"),
    "unique_elements": Published(269_035, "Fig. 11"),
    "mean_interests": Published(7.1, "Fig. 11"),
    "mean_traits": Published(5.7, "Fig. 11"),
    "mean_elements_before": Published(45.3, "Table 5, read as before pruning"),
    "mean_elements_after": Published(38.6, "Fig. 11, read as after pruning"),
    "mean_caption_words": Published(187.2, "Table 5"),
    "mean_pairwise_cosine": Published(0.611, "Fig. 11, with text-embedding-3-small"),
}
"""Figure -> what is printed. The paper prints three different element counts without
saying what each counts (CHECKLIST V14); the reading here is the only consistent one."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


MALE_WORDS = _words(
    """he him his himself man men boy lad gentleman male father dad grandfather grandpa
    son grandson brother uncle nephew husband widower bachelor godfather stepfather king prince
    monk priest businessman fisherman craftsman salesman policeman fireman postman
    waiter actor schoolboy cowboy altar-boy groom businessmen fishermen patriarch abbot imam
    handyman cameraman sportsman chairman milkman doorman foreman signalman boatman ferryman
    herdsman tradesman weatherman serviceman horseman nobleman seaman watchman"""
)
"""Words that state that somebody is a man, as far as a list can."""

FEMALE_WORDS = _words(
    """she her hers herself woman women girl lass lady female mother mum mom grandmother
    grandma daughter granddaughter sister aunt niece wife widow spinster bride godmother
    stepmother queen princess nun seamstress midwife waitress actress hostess
    businesswoman policewoman schoolgirl ballerina matriarch abbess fisherwoman
    saleswoman housewife stewardess laundress heiress priestess camerawoman sportswoman
    chairwoman craftswoman countrywoman horsewoman forewoman"""
)
"""Words that state that somebody is a woman, as far as a list can."""

OTHER_WORDS = _words(
    """they them their theirs themself themselves nonbinary non-binary enby genderqueer
    agender genderfluid intersex hijra muxe two-spirit trans transgender"""
)
"""Words that state, or leave room for, another gender."""

GENDER_WORDS: Mapping[str, frozenset[str]] = {
    "man": MALE_WORDS,
    "male": MALE_WORDS,
    "boy": MALE_WORDS,
    "woman": FEMALE_WORDS,
    "female": FEMALE_WORDS,
    "girl": FEMALE_WORDS,
}
"""Gender, as a person's record writes it -> words of a seed that state it. Any other
gender is stated by its own word or by :data:`OTHER_WORDS`."""

NO_GENDER = frozenset({"", "unknown", "unspecified", "not stated", "person", "n/a", "none"})
"""What stands in a record when the gender is not known (V13)."""


class AgeRange(NamedTuple):
    """Ages at which an occupation that matches a pattern is believable."""

    pattern: re.Pattern[str]
    least: int
    most: int
    says: str


def _ages(words: str, least: int, most: int, says: str) -> AgeRange:
    return AgeRange(re.compile(rf"\b(?:{words})\b", re.IGNORECASE), least, most, says)


AGES_OF_WORK: tuple[AgeRange, ...] = (
    _ages("retired|retiree|pensioner", 40, 130, "retired"),
    _ages("grandmother|grandfather|grandparent", 35, 130, "a grandparent"),
    _ages(
        "schoolboy|schoolgirl|schoolchild|school pupil|(?:primary|secondary|high)[- ]school "
        "(?:pupil|student)",
        5,
        21,
        "at school",
    ),
    _ages("undergraduate|university student|college student", 16, 70, "an undergraduate"),
    _ages(
        "professor|judge|ambassador|bishop|admiral|senator|headteacher|head teacher|headmaster"
        "|headmistress|surgeon|cardiologist|neurologist|oncologist",
        27,
        130,
        "long trained or senior",
    ),
    _ages(
        "doctor|physician|dentist|veterinarian|pharmacist|lawyer|attorney|barrister|architect"
        "|psychologist|pilot|postdoctoral researcher|magistrate",
        21,
        130,
        "qualified",
    ),
)
"""Deliberately wide: what these ranges catch is incoherent and not merely rare."""

LEAST_WORKING_AGE = 13
"""Under it, any occupation other than a pupil's is incoherent."""

PUPIL_WORDS = re.compile(
    r"\b(?:pupil|student|schoolboy|schoolgirl|schoolchild|toddler|child|kindergart\w*)\b",
    re.IGNORECASE,
)


AREAS: Mapping[str, str] = {
    "West Africa": "Africa",
    "East Africa": "Africa",
    "Central Africa": "Africa",
    "Southern Africa": "Africa",
    "Indian Ocean": "Africa",
    "North Africa": "North Africa, West Asia",
    "West Asia": "North Africa, West Asia",
    "Western Asia": "North Africa, West Asia",
    "the Gulf": "North Africa, West Asia",
    "the Caucasus": "North Africa, West Asia",
    "Central Asia": "Central, South Asia",
    "South Asia": "Central, South Asia",
    "East Asia": "East Asia",
    "Southeast Asia": "Southeast Asia",
    "Central Europe": "Europe",
    "Eastern Europe": "Europe",
    "Northern Europe": "Europe",
    "Southern Europe": "Europe",
    "Western Europe": "Europe",
    "Caribbean": "Latin America",
    "Central America": "Latin America",
    "South America": "Latin America",
    "North America": "North America",
    "Oceania": "Oceania",
}
"""Region of a country's table -> one of nine areas, so that a map needs few colours."""
