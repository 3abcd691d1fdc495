"""What a seed text states (V12, V13)."""

import pytest

from eyeprint.people.seed_reading import age_limits, read_seed


@pytest.mark.parametrize(
    ("text", "country", "city"),
    [
        ("A baker in Lyon who bakes at night.", "France", "Lyon"),
        ("A Ghanaian weaver.", "Ghana", ""),
        ("Someone who keeps bees in Bhutan.", "Bhutan", ""),
        ("Someone who keeps bees.", "", ""),
        ("A nice reading of the split bath.", "", ""),
    ],
)
def test_v12_places_are_looked_up(text, country, city):
    reading = read_seed(text)
    assert (reading.country, reading.city) == (country, city)


def test_v12_confidence_falls_from_city_to_nothing():
    city = read_seed("A baker in Lyon.").confidence
    country = read_seed("A baker in Bhutan.").confidence
    demonym = read_seed("A Ghanaian baker.").confidence
    nothing = read_seed("A baker.").confidence
    two = read_seed("A baker between Lyon and Kumasi.").confidence
    assert city > country > demonym > nothing == 0.0
    assert two < city


@pytest.mark.parametrize(
    ("text", "gender"),
    [
        ("A nurse who photographs doors.", "unknown"),
        ("A nurse who photographs her doors.", "woman"),
        ("A surgeon who polishes his shoes.", "man"),
        ("A grandmother in Lima who sells tea.", "woman"),
        ("Having raised five children, a great-grandmother keeps one room empty.", "woman"),
        ("A painter of fishermen; they paint at dusk.", "unknown"),
        ("A student who draws the fisherman mending his nets.", "unknown"),
        ("A teacher whose mother sang.", "unknown"),
        ("A clerk who repairs radios for her grandfather.", "woman"),
        ("Her mother sold fish and he counts oysters.", "man"),
        ("They keep accounts of rain.", "unknown"),
    ],
)
def test_v13_gender_counts_only_when_stated(text, gender):
    assert read_seed(text).gender == gender


@pytest.mark.parametrize(
    ("text", "age"),
    [
        ("A sixty-one-year-old miller.", 61),
        ("A 34-year-old miller.", 34),
        ("Apprentice glazier, nineteen, he collects glass.", 19),
        ("A miller who waited thirty-five years.", None),
    ],
)
def test_v13_ages_are_read(text, age):
    assert read_seed(text).age == age


def test_v13_a_decade_bounds_the_age():
    reading = read_seed("A seamstress in her fifties.")
    assert (reading.age_low, reading.age_high) == (50, 59)


def test_v13_ages_of_other_people_do_not_count():
    assert read_seed("A dyer who learned from her grandmother.").age_high > 60
    assert read_seed("His grandfather dived for pearls; he writes insurance.").age_low < 30


@pytest.mark.parametrize(
    ("text", "occupation"),
    [
        ("A retired tram driver in Oran who sketches.", "retired tram driver"),
        ("A Kumasi seamstress in her fifties.", "seamstress"),
        ("Nairobi bus driver and singer.", "bus driver"),
        ("Someone with a fondness for a driver's seat.", ""),
        ("The owner of a shop.", ""),
    ],
)
def test_v13_trades_are_read_with_their_modifiers(text, occupation):
    assert read_seed(text).occupation == occupation


def test_v13_age_limits_keep_occupations_plausible():
    assert age_limits("anaesthetist", 18, 84)[0] >= 29
    assert age_limits("first-year student of veterinary medicine", 18, 84)[1] <= 27
    assert age_limits("retired judge", 18, 84)[0] >= 58
    assert age_limits("weaver", 18, 84) == (18, 84)
