"""Preferences of people: tables, contradictions, assignment, one text (M10–M12)."""

from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eyeprint.errors import DataError
from eyeprint.people.concept_conflicts import clash, find_conflicts, repeated, words_of_keyword
from eyeprint.people.concept_tables import (
    Keyword,
    PreferenceTables,
    preference_tables,
    read_preference_tables,
)
from eyeprint.people.concept_tastes import TasteSettings, assign_tastes
from eyeprint.records.concept_preferences import preference_text
from eyeprint.records.concepts import DOMAINS, Tastes

TABLES = preference_tables()
KEYWORDS = [word.text for word in TABLES.keywords]


def test_m10_five_domains_of_six_subdomains_with_30_to_40_keywords_each():
    assert TABLES.domains == DOMAINS
    assert len(TABLES.subdomains) == 30
    for domain in DOMAINS:
        assert sum(d == domain for d, _ in TABLES.subdomains) == 6
        assert 30 <= len(TABLES.of_domain(domain)) <= 40
    for subdomain in TABLES.subdomains:
        here = [w for w in TABLES.keywords if (w.domain, w.subdomain) == subdomain]
        assert 5 <= len(here) <= 7
    assert len({text.casefold() for text in KEYWORDS}) == len(KEYWORDS)


def test_m10_groups_name_keywords_that_there_are():
    for group in TABLES.groups:
        assert len(group.whole + group.members) >= 2
        assert all(TABLES.find(text) is not None for text in group.whole + group.members)


@pytest.mark.parametrize(
    ("like", "dislike", "kind"),
    [
        # The paper's own example: the part is liked, the whole is not (§3.2).
        ("gaming keyboards", "technical gadgets", "broader"),
        ("technical gadgets", "gaming keyboards", "broader"),
        ("board games", "Board  Games", "same"),
        ("rock concert", "rock concerts", "same"),
        ("pottery", "handmade ceramics", "family"),
        # Not in the table: told by the words. "camping" is all of "tent camping"'s one word.
        ("tent camping", "camping", "words"),
        ("festivals", "film festivals", "words"),
        # {old, film, poster} and {film, poster, fair}: 2 of 4 words are shared, which is no more
        # than half; {small, old, film, poster} against {old, film, poster, fair}: 3 of 5 is.
        ("old film posters", "film poster fairs", None),
        ("small old film posters", "old film poster fairs", "words"),
        # Two members of a group that is no family: a person may like one and not the other.
        ("smart watches", "robot vacuums", None),
        ("rock concerts", "beach resorts", None),
        # One shared word of three.
        ("film festivals", "indie films", None),
    ],
)
def test_m10_contradictions_that_are_known(like: str, dislike: str, kind: str | None):
    found = clash(like, dislike)
    assert (found and found[0]) == kind


def test_m10_the_finder_looks_across_domains_and_names_both_sides():
    tastes = {
        "entertainment": Tastes(likes=("video games",)),
        "shopping": Tastes(
            likes=("gaming keyboards",), dislikes=("technical gadgets", "old coins")
        ),
    }
    found = find_conflicts(tastes)
    assert [(c.like, c.like_domain, c.dislike, c.dislike_domain) for c in found] == [
        ("video games", "entertainment", "technical gadgets", "shopping"),
        ("gaming keyboards", "shopping", "technical gadgets", "shopping"),
    ]
    assert all(c.like in c.why and c.dislike in c.why for c in found)
    assert repeated({"a": Tastes(likes=("x", "X"), dislikes=("y",))}) == ("x",)


def test_m10_clashes_are_symmetric_over_the_whole_table():
    for one, other in product(KEYWORDS[::3], KEYWORDS[1::4]):
        there, back = clash(one, other), clash(other, one)
        assert (there and there[0]) == (back and back[0])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("farmers' markets", {"farmer", "market"}),
        ("ice hockey matches", {"ice", "hockey", "match"}),
        ("glass", {"glass"}),
        ("The beauty of parties", {"beauty", "party"}),
        ("of the", set()),
    ],
)
def test_words_of_keywords_lose_endings_and_small_words(text: str, words: set[str]):
    assert words_of_keyword(text) == words


@given(st.text(max_size=12), st.integers(0, 10_000))
@settings(max_examples=60, deadline=None)
def test_m10_m12_no_assigned_set_ever_has_a_contradiction(name: str, seed: int):
    made = assign_tastes(name, seed)
    assert find_conflicts(made.tastes) == ()
    assert tuple(made.tastes) == DOMAINS
    for domain, both in made.tastes.items():
        assert (len(both.likes), len(both.dislikes)) == (2, 2)
        assert set(both.likes + both.dislikes) <= set(TABLES.of_domain(domain))
    every = [t for both in made.tastes.values() for t in both.likes + both.dislikes]
    assert len(set(every)) == 20
    for row in made.log:
        assert clash(row.like, row.dislike) is not None
        assert row.dislike not in made.tastes[row.domain].dislikes
        assert row.instead in made.tastes[row.domain].dislikes


@given(st.integers(1, 6), st.integers(1, 6), st.integers(0, 50))
@settings(max_examples=25, deadline=None)
def test_m12_any_number_of_likes_and_dislikes(likes: int, dislikes: int, seed: int):
    wanted = TasteSettings(likes=likes, dislikes=dislikes, redraws=seed % 3)
    made = assign_tastes("a", seed, settings=wanted)
    assert find_conflicts(made.tastes) == ()
    assert {len(both.likes) for both in made.tastes.values()} == {likes}
    assert {len(both.dislikes) for both in made.tastes.values()} == {dislikes}


def test_m10_draws_depend_on_seed_and_name_alone_and_contradictions_do_occur():
    assert assign_tastes("Ana") == assign_tastes("Ana")
    assert assign_tastes("Ana") != assign_tastes("Bo")
    assert assign_tastes("Ana", 1) != assign_tastes("Ana", 2)
    assert sum(len(assign_tastes(f"p{i}").log) for i in range(50)) > 10
    used = {t for i in range(60) for b in assign_tastes(f"p{i}").tastes.values() for t in b.likes}
    assert len(used) > 150, "the whole table is drawn from"


def test_m10_a_domain_without_a_way_out_is_told():
    words = ("sea", "sea view", "view of the sea")
    tables = PreferenceTables(tuple(Keyword(text, "travel", "x") for text in words))
    with pytest.raises(DataError, match="can be disliked by somebody who likes"):
        assign_tastes("a", tables=tables, settings=TasteSettings(likes=1, dislikes=1))
    with pytest.raises(DataError, match="'travel' has 3 keywords; 4 are needed"):
        assign_tastes("a", tables=tables)


def test_m11_one_sentence_a_domain_in_the_order_of_the_domains():
    tastes = {
        "travel": Tastes(likes=("a", "b", "c"), dislikes=("d",)),
        "music": Tastes(likes=("x",)),
        "entertainment": Tastes(dislikes=("e", "f")),
        "fashion": Tastes(),
    }
    assert preference_text(tastes) == (
        "<sks> dislikes e, f. <sks> likes a, b, c but dislikes d. <sks> likes x."
    )
    assert preference_text({}) == ""


def test_m10_a_table_of_ones_own(tmp_path: Path):
    file = tmp_path / "mine.toml"
    file.write_text(
        '[[subdomain]]\ndomain = "travel"\nname = "sea"\n'
        'keywords = ["diving", "surfing", "rowing", "fishing"]\n'
        '[[group]]\nname = "boards"\nfamily = true\nmembers = ["diving", "rowing"]\n'
    )
    tables = read_preference_tables(file)
    assert tables.domains == ("travel",)
    assert clash("diving", "rowing", tables) is not None
    assert tables.neighbours("Diving") == ("surfing", "rowing", "fishing")
    assert tables.fingerprint != TABLES.fingerprint


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("x = ", "not a TOML file"),
        ("", "holds no"),
        ('[[subdomain]]\ndomain = "sport"\nname = "x"\nkeywords = ["a"]', "'sport' is no domain"),
        ('[[subdomain]]\ndomain = "travel"\nkeywords = ["a"]', "'name' is missing"),
        ('[[subdomain]]\ndomain = "travel"\nname = "x"\nkeywords = ["a", 1]', "list of texts"),
        ('[[subdomain]]\ndomain = "travel"\nname = "x"\nkeywords = ["a", "A"]', "twice"),
        ("subdomain = 3", "must be written as"),
    ],
)
def test_m10_faults_of_a_table_are_named(tmp_path: Path, text: str, reason: str):
    file = tmp_path / "mine.toml"
    file.write_text(text)
    with pytest.raises(DataError, match=reason):
        read_preference_tables(file)
    with pytest.raises(DataError, match="cannot be read"):
        read_preference_tables(tmp_path / "none.toml")
