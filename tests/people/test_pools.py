"""Pools by hand and by score, cases from pools, and choices from files (P19, P42, P44, P45)."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyeprint.errors import DataError
from eyeprint.people.cases import CasePool, CaseSettings, PoolPicture, make_cases
from eyeprint.people.choices import Choice, read_choices, read_picture_folders
from eyeprint.people.pools import Candidate, PoolSettings, pool_by_hand, pool_by_score, shown_order
from tests.people.made_pictures import made_picture, write_picture


def candidates(count: int, uploads: int = 0) -> list[Candidate]:
    found = [Candidate(f"{n}.png", f"hash{n}") for n in range(count)]
    return found + [Candidate(f"u{n}.png", f"up{n}", upload=True) for n in range(uploads)]


def unlike(_: object) -> frozenset[tuple[int, int]]:
    return frozenset()


def names(pool) -> list[str]:
    return [picture.name for picture in pool.pictures]


def test_p42_seven_are_kept_by_default_the_best_first():
    scores = [float(n % 10) for n in range(20)]
    pool = pool_by_score("a", candidates(20), scores, unlike)
    assert names(pool) == ["9.png", "19.png", "8.png", "18.png", "7.png", "17.png", "6.png"]
    assert pool.chosen_by == "score"
    assert pool.notes == ()


@given(
    st.lists(st.integers(0, 5).map(float) | st.just(math.nan), min_size=1, max_size=9),
    st.sets(st.tuples(st.integers(0, 8), st.integers(0, 8))),
    st.integers(1, 5),
)
def test_p42_the_pool_is_that_of_a_slow_choice(scores: list[float], drawn: set, keep: int):
    """Twin: take the best that is left, throw away what is like it, until there are enough."""
    pairs = frozenset((a, b) for a, b in drawn if a < b < len(scores))
    left = [n for n, score in enumerate(scores) if not math.isnan(score)]
    expected: list[int] = []
    while left and len(expected) < keep:
        best = max(left, key=lambda n: (scores[n], -n))
        expected.append(best)
        left = [n for n in left if n != best and (min(n, best), max(n, best)) not in pairs]
    pool = pool_by_score(
        "a", candidates(len(scores)), scores, lambda _: pairs, PoolSettings(keep=keep)
    )
    assert names(pool) == [f"{n}.png" for n in expected]
    assert any("there are no more" in note for note in pool.notes) == (len(expected) < keep)


def test_p44_uploads_join_the_pool_on_top_and_keep_their_copies_out():
    found = candidates(4, uploads=1)
    pool = pool_by_score("a", found, [4, 3, 2, 1, 0], lambda _: frozenset({(0, 4)}),
                         PoolSettings(keep=2))  # fmt: skip
    assert names(pool) == ["1.png", "2.png", "u0.png"]
    assert pool.notes == ("1 near-duplicate was left out",)


def test_p19_picks_stand_in_the_order_of_their_ranks_and_uploads_join_them():
    choices = [Choice("a", "3", 2), Choice("a", "0.png", None), Choice("a", "1", 1)]
    pool = pool_by_hand("a", candidates(5, uploads=2), choices)
    assert names(pool) == ["1.png", "3.png", "0.png", "u0.png", "u1.png"]
    assert pool.notes == ("3 pictures were picked; 6 to 8 are usual",)
    assert pool.chosen_by == "hand"


@pytest.mark.parametrize(("count", "told"), [(5, True), (6, False), (8, False), (9, True)])
def test_p19_six_to_eight_picks_are_usual(count: int, told: bool):
    pool = pool_by_hand("a", candidates(count, uploads=3))
    assert bool(pool.notes) == told
    assert len(pool.pictures) == count + 3


def test_p19_a_choice_that_names_nothing_is_told():
    pool = pool_by_hand("a", candidates(7), [Choice("a", str(n)) for n in range(1, 9)])
    assert len(pool.pictures) == 6
    assert pool.notes == ("2 choices name no candidate: 7, 8",)


def test_p19_people_are_shown_candidates_in_an_order_of_their_own():
    found = candidates(20)
    assert shown_order("a", found, 7) == shown_order("a", found, 7)
    assert len({shown_order(person, found, 7) for person in "abcd"}) == 4


def test_p19_choices_are_read_with_their_faults(tmp_path: Path):
    file = tmp_path / "choices.csv"
    file.write_text(
        "\ufeffperson,picture,rank,why\na,1.png,2,nice\na,2.png,,\n,3.png,,\nb,,1,\na,1.png,3,\n"
        "b,4.png,first,\nb,5,1,\n",
        encoding="utf-8",
    )
    found = read_choices(file)
    assert found.by_person == {
        "a": (Choice("a", "1.png", 2), Choice("a", "2.png", None)),
        "b": (Choice("b", "5", 1),),
    }
    assert [(fault.line, fault.field) for fault in found.faults] == [
        (4, "person"),
        (5, "picture"),
        (6, "picture"),
        (7, "rank"),
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("who;picture\na;1\n", "has no column person \\(columns: who, picture\\)"),
        ("person,picture\n", "not one choice"),
        ('person,picture\n"a', "not CSV"),
        (b"\xff\xfe", "not UTF-8"),
    ],
)
def test_files_without_choices_are_errors(tmp_path: Path, text: str | bytes, told: str):
    file = tmp_path / "choices.csv"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(DataError, match=told):
        read_choices(file)


def test_p19_folders_of_chosen_pictures_with_prompts_and_uploads(tmp_path: Path):
    for name in ("10.png", "2.png", "uploads/mine.png"):
        write_picture(tmp_path / "anna" / name, made_picture(1, 8, 8))
    (tmp_path / "anna/2.txt").write_text("a kite\nover a hill")
    (tmp_path / "anna/notes.md").write_text("x")
    (tmp_path / "empty").mkdir()
    found = read_picture_folders(tmp_path)
    assert list(found) == ["anna"]
    assert [(one.path.name, one.prompt, one.upload) for one in found["anna"]] == [
        ("2.png", "a kite over a hill", False),
        ("10.png", "", False),
        ("mine.png", "", True),
    ]
    with pytest.raises(DataError, match="no such folder"):
        read_picture_folders(tmp_path / "x")
    with pytest.raises(DataError, match="no folder in it holds a picture"):
        read_picture_folders(tmp_path / "empty")


def pool_of(count: int, person: str = "a", split: str = "synthetic", alike=()) -> CasePool:
    pictures = tuple(PoolPicture(f"{person}/{n}.png", f"picture {n}") for n in range(count))
    return CasePool(person, split, pictures, frozenset(alike))


pairs = st.sets(st.tuples(st.integers(0, 7), st.integers(0, 7))).map(
    lambda found: frozenset((a, b) for a, b in found if a < b)
)


@given(st.integers(0, 8), pairs, st.integers(1, 12), st.integers(0, 999))
def test_p44_every_case_keeps_the_rules(count: int, alike, wanted: int, seed: int):
    alike = frozenset((a, b) for a, b in alike if b < count)
    pool = pool_of(count, alike=alike)
    made = make_cases([pool], CaseSettings(per_pool=wanted), seed=seed)
    place = {picture.path: n for n, picture in enumerate(pool.pictures)}
    seen = set()
    for case in made.cases:
        numbers = [place[path] for path in case.references]
        target = place[case.target]
        assert 2 <= len(set(numbers)) == len(numbers) <= 5
        assert target not in numbers
        beside = [target, *numbers]
        assert not any((a, b) in alike for a in beside for b in beside)
        assert case.prompt == pool.pictures[target].prompt
        assert (target, frozenset(numbers)) not in seen
        seen.add((target, frozenset(numbers)))
    assert len(made.cases) <= wanted
    assert (len(made.cases) == 0) == ("a" in made.skipped)
    assert (0 < len(made.cases) < wanted) == ("a" in made.short)


def test_p44_targets_go_round_the_pool_before_one_repeats():
    made = make_cases([pool_of(7)], CaseSettings(per_pool=14))
    targets = [case.target for case in made.cases]
    assert len(set(targets[:7])) == len(set(targets[7:])) == 7


def test_p44_a_person_has_the_same_cases_whoever_else_is_there():
    alone = make_cases([pool_of(7, "b")], seed=3).cases
    among = make_cases([pool_of(9, "a"), pool_of(7, "b")], seed=3).cases[4:]
    assert [case.id for case in among] == ["4", "5", "6", "7"]
    assert [(c.target, c.references) for c in alone] == [(c.target, c.references) for c in among]
    other = make_cases([pool_of(7, "b")], seed=4).cases
    assert [c.references for c in other] != [c.references for c in alone]


def test_p44_every_k_from_two_to_five_is_drawn_about_as_often():
    """2,000 cases of pools of 9: each K has a share of 1/4, standard error 0.0097."""
    made = make_cases([pool_of(9, str(n)) for n in range(500)])
    shares = np.bincount([len(case.references) for case in made.cases], minlength=6)[2:] / 2000
    assert np.abs(shares - 0.25).max() < 0.04


def test_p44_small_pools_are_told_by_person():
    made = make_cases([pool_of(2, "few"), pool_of(3, "three"), pool_of(3, "same", alike=[(0, 1)])])
    assert made.skipped == {
        "few": "2 pictures; a case takes 3 at least",
        "same": "3 pictures, of which fewer than 3 are unlike each other",
    }
    # Three pictures: each is the target once, with the two others.
    assert made.short == {"three": 3}


def test_p45_counts_with_the_released_sizes_come_out_as_in_the_paper():
    """Pools of 7 with 4 cases each and of 9 with 9 each: the paper's 4.11 and 8.55 nearly."""
    pools = [pool_of(7, f"a{n}") for n in range(20)]
    pools += [pool_of(9, f"r{n}", "real") for n in range(10)]
    synthetic, real, all_ = make_cases(pools).counts
    assert (synthetic.cases, synthetic.people) == (80, 20)
    assert (real.cases, real.people, real.pictures) == (90, 10, 90)
    assert all_.cases == 170
