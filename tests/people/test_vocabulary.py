"""Facets, preferences and pruning (V14, V16, V19)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyeprint.people.demographics import DemographicSettings, draw_demographics
from eyeprint.people.tables import bundled_backstories, countries
from eyeprint.people.vocabulary import (
    VocabularySettings,
    count_entries,
    draw_preferences,
    draw_vocabulary,
    prune_vocabulary,
    regional_shares,
)
from eyeprint.randomness import stream
from eyeprint.records.people import FACETS

SETTINGS = VocabularySettings()


@pytest.fixture(scope="module")
def people():
    sketches = []
    for i, text in enumerate(bundled_backstories()):
        sketch = draw_demographics(f"p-{i}", text, DemographicSettings(), stream(3, "d", i))
        draw_vocabulary(sketch, SETTINGS, stream(3, "v", i))
        draw_preferences(sketch, SETTINGS, stream(3, "p", i))
        sketches.append(sketch)
    return sketches


def test_v14_three_facets_of_fifteen_to_twenty_entries_over_their_groups(people):
    for sketch in people:
        assert {f: tuple(g) for f, g in sketch.vocabulary.items()} == dict(FACETS)
        for groups in sketch.vocabulary.values():
            assert 15 <= sum(map(len, groups.values())) <= 20
            assert all(groups.values()), sketch.country.name


def test_v14_no_entry_twice_and_none_with_an_article(people):
    for sketch in people:
        entries = [e for groups in sketch.vocabulary.values() for g in groups.values() for e in g]
        assert len(entries) == len(set(entries))
        assert not any(e.startswith(("a ", "an ", "the ")) for e in entries)


def test_v14_seventy_percent_of_every_facet_are_regional(people):
    for sketch in people:
        shares = regional_shares(sketch.vocabulary, sketch.country)
        assert min(shares.values()) >= 0.70, (sketch.country.name, shares)


def test_v14_what_counts_as_regional():
    ghana = countries()["Ghana"]
    assert ghana.is_regional("striped fugu smock")
    assert ghana.is_regional("a bus in Kumasi")
    assert not ghana.is_regional("scuffed linoleum")
    assert not countries()["Norway"].is_regional("striped fugu smock")


def test_v16_fifteen_to_twenty_preferences_without_drone(people):
    for sketch in people:
        assert 15 <= len(sketch.preferences) <= 20
        assert len(set(sketch.preferences)) == len(sketch.preferences)
        firsts = [text.split()[0] for text in sketch.preferences]
        assert max(firsts.count(word) for word in firsts) <= 3


def test_v16_some_preferences_belong_to_the_trade(people):
    for sketch in people:
        assert set(sketch.preferences) & set(sketch.domain.preferences)


entry = st.text(alphabet="ab ", min_size=1, max_size=4)
facets = st.dictionaries(entry, st.dictionaries(entry, st.lists(entry, max_size=4), max_size=3))


@given(facets, st.lists(st.text(alphabet="abAB ", max_size=12), max_size=4))
def test_v19_pruning_keeps_just_the_entries_of_some_caption(vocabulary, captions):
    pruned = prune_vocabulary(vocabulary, captions)
    for facet, groups in vocabulary.items():
        for group, entries in groups.items():
            kept = [e for e in entries if any(e.lower() in caption.lower() for caption in captions)]
            assert pruned[facet][group] == kept
    assert count_entries(pruned) <= count_entries(vocabulary)
