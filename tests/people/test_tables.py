"""The authored tables: complete, parseable, and only with slots that somebody fills."""

import re

from eyeprint.people.demographics import has_climate
from eyeprint.people.grammar import slots_of
from eyeprint.people.sentences import slot_names
from eyeprint.people.tables import (
    COUNTRY_SLOTS,
    bundled_backstories,
    countries,
    domains,
    frames,
    scenarios,
    structures,
    wordbank,
)
from eyeprint.records.people import POST_KINDS

MOTIF_SLOTS = ("dress", "craft", "food", "landscape", "building", "festival")


def test_v12_at_least_120_countries_with_cities():
    assert len(countries()) >= 120
    assert all(len(country.cities) >= 3 for country in countries().values())


def test_v14_every_country_has_ten_motifs_and_all_slots():
    for country in countries().values():
        assert sum(len(country.phrases[slot]) for slot in MOTIF_SLOTS) >= 10, country.name
        for slot in COUNTRY_SLOTS:
            assert len(country.phrases[slot]) >= 3, (country.name, slot)


def test_v11_at_least_400_different_backstories():
    assert len(bundled_backstories()) >= 400


def test_v18_every_slot_of_a_frame_is_known():
    known = slot_names() | {name + "2" for name in wordbank()}
    for role, lines in frames().items():
        for frame in lines:
            unknown = {slot.lstrip("~") for slot in frame.slots} - known - {"who"}
            assert not unknown, (role, frame.text, unknown)


def test_v18_every_role_of_a_structure_has_frames_and_opens_once():
    for orders in structures().values():
        for order in orders:
            roles = [role for role, _ in order]
            assert roles.count("opening") == 1
            assert len(roles) == len(set(roles)), roles
            assert set(roles) <= set(frames())


def test_v18_there_are_enough_frames_for_a_person_to_repeat_none():
    needed = {"light": 60, "material": 44, "detail": 44, "culture": 45, "preference": 45}
    for role, least in needed.items():
        assert len(frames()[role]) >= least
    openings = frames()["opening"]
    # Kind -> posts of that kind per person; each kind's openings must outnumber them.
    for kind, count in zip(POST_KINDS, (11, 8, 7, 4), strict=True):
        assert sum(kind in frame.kinds for frame in openings) >= 2 * count, kind


def test_no_two_frames_are_the_same():
    texts = [frame.text for lines in frames().values() for frame in lines]
    assert len(texts) == len(set(texts))


def test_slots_inside_marks_and_choices_are_found():
    line = next(f for f in frames()["background"] if "calendar picture" in f.text)
    assert "~landscape" in slots_of(line.parts)


def test_v17_every_slot_of_a_scenario_is_known():
    known = set(COUNTRY_SLOTS) | {"time", "place"}
    known |= {"domain_object", "domain_action", "domain_place", "domain_material"}
    for kind in POST_KINDS:
        assert len(scenarios()[kind]) >= 30
        for template in scenarios()[kind]:
            assert set(re.findall(r"\{(\w+)\}", template)) <= known, template


def test_phrases_that_a_singular_verb_may_follow_are_singular():
    plural = re.compile(r"^(two|three|four|five|six|some|several|many)\b")
    for slot in ("xlight", "prop", "backdrop", "far", "surface", "wear", "look", "sound"):
        for phrase in wordbank()[slot]:
            assert not plural.match(phrase.text), phrase.text


def test_every_domain_has_what_posts_need():
    for domain in domains().values():
        assert len(domain.interests) >= 8 and len(domain.preferences) >= 4, domain.name
        for slot, phrases in domain.phrases.items():
            assert len(phrases) >= 4, (domain.name, slot)
        assert all(phrase.place in ("in", "out") for phrase in domain.phrases["d_place"])


def test_climate_words_are_kept_from_countries_without_that_climate():
    assert not has_climate(countries()["Ghana"], "frost on a fence")
    assert has_climate(countries()["Norway"], "frost on a fence")
    assert has_climate(countries()["Ghana"], "a plain afternoon")
