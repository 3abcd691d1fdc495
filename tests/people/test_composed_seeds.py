"""Seeds composed from tables when people outnumber the backstories (V11)."""

import re
from collections import Counter

import pytest

from eyeprint.errors import DataError
from eyeprint.people import composed_seeds
from eyeprint.people.composed_frames import frames_for, occupations, suits
from eyeprint.people.composed_seeds import ComposedSeedSettings, compose_seed
from eyeprint.people.seed_reading import age_limits, read_seed
from eyeprint.people.tables import bundled_backstories, countries, domains, seed_frames

FIRST = len(bundled_backstories())


@pytest.fixture(scope="module")
def all_of_10_000():
    return [compose_seed(number) for number in range(FIRST, 10_000)]


@pytest.fixture(scope="module")
def many(all_of_10_000):
    return all_of_10_000[:2_000]


def share(seeds, found):
    return sum(map(found, seeds)) / len(seeds)


def test_v11_there_are_frames_enough_and_their_openings_differ():
    lines = [line for group in seed_frames()["group"] for line in group["lines"]]
    assert len(lines) == len(set(lines)) >= 60
    assert len({line.split("{")[0] for line in lines}) >= 40


def test_v11_no_two_seeds_of_10_000_people_are_alike(all_of_10_000):
    texts = [*bundled_backstories(), *(seed.text for seed in all_of_10_000)]
    assert len(texts) == len(set(texts)) == 10_000
    # Nor do two differ by a few words only: those that end alike are compared in pairs.
    alike = {}
    for text in texts:
        words = set(text.split())
        for other in alike.setdefault(tuple(text.split()[-3:]), []):
            assert len(words & other) < 0.85 * len(words | other), text
        alike[tuple(text.split()[-3:])].append(words)


def test_v11_all_countries_and_occupations_occur_in_10_000(all_of_10_000):
    assert {seed.country for seed in all_of_10_000} >= set(countries())
    heard = {(seed.domain, seed.occupation) for seed in all_of_10_000}
    for domain, occupation in occupations():
        assert any(d == domain and o.endswith(occupation) for d, o in heard), occupation


def test_v11_place_gender_trade_and_age_are_read_back_as_meant(many):
    # Not what the composer compares, but what the text itself says, word by word.
    for seed in many:
        if seed.city:
            assert seed.city in seed.text
        elif seed.country:
            table = countries()[seed.country]
            names = [p.text for phrases in table.phrases.values() for p in phrases]
            assert any(name in seed.text for name in (table.name, table.demonym, *names))
        assert seed.occupation in seed.text
    read = [(seed, read_seed(seed.text)) for seed in many]
    assert share(read, lambda r: r[0].country == r[1].country) >= 0.99
    assert share(read, lambda r: not r[0].city or r[0].city == r[1].city) >= 0.99
    assert share(read, lambda r: r[0].gender == r[1].gender) >= 0.99
    assert share(read, lambda r: r[0].occupation == r[1].occupation) >= 0.99
    assert share(read, lambda r: r[0].domain == r[1].domain) >= 0.99
    assert share(read, lambda r: r[0].age == r[1].age) >= 0.99


def test_v11_a_text_never_mixes_genders(many):
    words = {"woman": {"she", "her", "herself", "woman"}, "man": {"he", "his", "himself", "man"}}
    neutral = {"they", "their", "themself"}
    for seed in many:
        # "The Man mountains" are no man.
        said = set(re.findall(r"[a-z]+", seed.text[0].lower() + seed.text[1:]))
        for gender, mine in words.items():
            assert bool(said & mine) == (seed.gender == gender), seed.text
        if seed.gender != "unknown":
            assert not said & (neutral - {"their", "they"}), seed.text


def test_v11_about_half_name_a_place_and_about_half_a_gender(many):
    assert 0.4 < share(many, lambda seed: bool(seed.country)) < 0.6
    pronoun = re.compile(r"\b(?:she|her|he|his|him|they|their|woman|man)\b", re.IGNORECASE)
    assert 0.4 < share(many, lambda seed: bool(pronoun.search(seed.text))) < 0.6
    counts = Counter(seed.gender for seed in many)
    assert 0.8 < counts["woman"] / counts["man"] < 1.25


def test_v11_texts_are_of_18_to_45_words_in_one_or_two_sentences(many):
    for seed in many:
        assert 18 <= len(seed.text.split()) <= 45
        assert seed.text[0].isupper() and seed.text.endswith(".")
        assert not re.search(r"[{}|\[\]]|  |a/an|\b(?:a|an) (?:a|an|the)\b", seed.text), seed.text
        assert len(re.findall(r"[.!?](?:\s|$)", seed.text)) <= 2


def test_v11_ages_fit_occupations(many):
    for seed in many:
        if seed.age is not None:
            low, high = age_limits(seed.occupation, 16, 95)
            assert low <= seed.age <= high, seed.text
    assert any("-year-old" in seed.text for seed in many)


def test_v11_nobody_fishes_where_there_is_no_sea():
    mali, ghana, niger = (countries()[name] for name in ("Mali", "Ghana", "Niger"))
    assert suits(ghana, "deep-sea cook") and not suits(mali, "deep-sea cook")
    assert not suits(niger, "ski patroller") and suits(countries()["Austria"], "ski patroller")
    assert not suits(countries()["Japan"], "camel herder")


def test_v11_only_workers_go_to_work():
    for domain, occupation in (("retirement", "retired judge"), ("student life", "law student")):
        fitting = frames_for(domain, occupation)
        assert not any(frame.working for frame in fitting)
        assert any(frame.only == {domain} for frame in fitting)
    assert not any(frame.only for frame in frames_for("crafts", "bookbinder"))


def test_v11_a_seed_follows_from_its_number_alone(many):
    again = compose_seed(FIRST + 1_234)
    assert again == many[1_234]
    settings = ComposedSeedSettings(words_low=26, words_high=30)
    assert all(26 <= len(compose_seed(n, settings).text.split()) <= 30 for n in range(430, 440))


def test_v11_an_occupation_meets_other_frames_in_further_rounds():
    size = len(occupations())
    domain, occupation = composed_seeds.deck(0)[0]
    at = [composed_seeds.deck(turn).index((domain, occupation)) for turn in range(6)]
    texts = [compose_seed(turn * size + place).text for turn, place in enumerate(at)]
    assert all(occupation in text for text in texts)
    assert len({text.replace(occupation, "")[:25] for text in texts}) == 6


def test_v11_settings_that_nothing_can_meet_are_told():
    with pytest.raises(DataError, match="could not be composed"):
        compose_seed(FIRST, ComposedSeedSettings(words_low=90, words_high=95))


def test_every_domain_of_the_frames_is_a_domain_of_the_tables():
    named = {name for group in seed_frames()["group"] for name in group.get("only", ())}
    named |= {name for row in seed_frames()["life"] for name in row.get("never", ())}
    assert named | set(seed_frames()["manners"]) <= set(domains())
    assert {d for d, _ in occupations()} == set(domains())
