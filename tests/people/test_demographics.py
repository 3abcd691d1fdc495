"""Places, override rates and attributes (V12, V13)."""

from collections import Counter

import pytest

from eyeprint.people.demographics import (
    DemographicSettings,
    draw_demographics,
    place_of,
    short_noun,
)
from eyeprint.people.seed_reading import SeedReading, read_seed
from eyeprint.people.tables import bundled_backstories, countries
from eyeprint.randomness import stream

SETTINGS = DemographicSettings()


def draws(settings, n=3000):
    for i in range(n):
        yield place_of(SeedReading(), settings, stream(1, "test", i))


def test_v12_a_confident_place_is_never_moved():
    for name in ("India", "United States", "Canada", "Ghana"):
        reading = SeedReading(country=name, city="X", confidence=0.9)
        country, city, drawn, moved = place_of(reading, SETTINGS, stream(1, "test", name))
        assert (country.name, city, drawn, moved) == (name, "X", False, False)


def test_v12_low_confidence_draws_a_place():
    reading = SeedReading(country="Ghana", city="Accra", confidence=0.4)
    assert place_of(reading, SETTINGS, stream(1, "test", 0))[2]


@pytest.mark.parametrize(
    ("region", "rate"),
    [("South Asia", 0.70), ("United States", 0.65), ("United Kingdom", 0.60), ("Canada", 0.50)],
)
def test_v12_override_rates_are_those_of_the_paper(region, rate):
    table = next(c for c in countries().values() if region in (c.name, c.region))
    assert SETTINGS.override_rate(table) == rate


def test_v12_override_rate_is_met_and_moves_elsewhere():
    # With weights by population nearly one draw in four falls on South Asia, so that the
    # observed share has a standard error of about sqrt(.7·.3/700) = 0.017.
    by_people = SETTINGS.model_copy(update={"population_temper": 1.0})
    never = by_people.model_copy(
        update={
            f"override_{n}": 0.0
            for n in ("south_asia", "united_states", "united_kingdom", "canada")
        }
    )
    before = [c.name for c, _, _, _ in draws(never)]
    after = list(draws(by_people))
    south = [i for i, name in enumerate(before) if countries()[name].region == "South Asia"]
    moved = sum(after[i][3] for i in south)
    assert 0.63 < moved / len(south) < 0.77
    for country, city, _, overridden in after:
        assert city in country.cities
        if overridden:
            assert SETTINGS.override_rate(country) == 0.0


def test_v12_the_remap_pool_has_60_cities_or_more():
    pool = [c for c in countries().values() if not SETTINGS.override_rate(c)]
    assert sum(len(c.cities) for c in pool) >= 60


def test_v12_tempering_flattens_the_weights():
    def share(temper):
        settings = SETTINGS.model_copy(
            update={"population_temper": temper, "override_south_asia": 0}
        )
        names = Counter(c.name for c, _, _, _ in draws(settings, 1500))
        return names["India"] / 1500

    assert share(1.0) > share(0.5) > share(0.0)


@pytest.fixture(scope="module")
def people():
    texts = bundled_backstories()
    return [
        draw_demographics(f"p-{i}", text, SETTINGS, stream(3, "test", i))
        for i, text in enumerate(texts)
    ]


def test_v13_twenty_attributes_and_five_to_eight_interests(people):
    for sketch in people:
        who = sketch.demographics
        assert len(who) >= 20 and all(value not in ("", None, []) for value in who.values())
        assert 5 <= len(who["interests"]) <= 8
        assert len(set(who["interests"])) == len(who["interests"])
        assert 4 <= len(who["traits"]) <= 7


def test_v13_gender_is_unknown_unless_the_seed_states_it(people):
    for sketch in people:
        assert sketch.demographics["gender"] == read_seed(sketch.seed_text).gender
    genders = Counter(sketch.demographics["gender"] for sketch in people)
    assert min(genders.values()) > 50


def test_v13_age_fits_occupation_and_education(people):
    for sketch in people:
        who = sketch.demographics
        text = f"{who['occupation']} {who['education']}"
        if "student" in who["occupation"] and "doctoral" not in text and "mature" not in text:
            assert who["age"] <= 36, text
        if "retired" in who["occupation"] and "in her" not in sketch.seed_text:
            assert who["age"] >= 50, text
        if "surgeon" in text or "anaesthetist" in text:
            assert who["age"] >= 26, text


def test_v13_place_bound_attributes_come_from_the_country(people):
    for sketch in people:
        assert sketch.demographics["faith_or_none"] in sketch.country.faiths
        assert sketch.demographics["ethnicity"] in sketch.country.ethnicities
        assert set(sketch.demographics["languages"]) <= set(sketch.country.languages)


@pytest.mark.parametrize(
    ("occupation", "noun"),
    [
        ("watch and clock mender", "clock mender"),
        ("retired tram driver", "tram driver"),
        ("data analyst for a water utility", "data analyst"),
        ("grandmother", "grandmother"),
    ],
)
def test_captions_call_people_by_a_short_noun(occupation, noun):
    assert short_noun(occupation) == noun
