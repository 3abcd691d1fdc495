"""Stereotype probes by hand, and against counting in the plainest way."""

import math

import pytest

from eyeprint.people.audit_probes import ProbeCounts, ProbeSettings, associate
from eyeprint.records.people import Persona


def made(n: int, gender: str, occupation: str, country: str = "Chad", start: int = 0):
    return [
        Persona(
            id=f"{gender}-{occupation}-{start + i}",
            demographics={"gender": gender, "occupation": occupation, "country": country},
        )
        for i in range(n)
    ]


def probes(people: list[Persona], **limits: float):
    counts = ProbeCounts()
    for person in people:
        counts.add(person)
    found = counts.probes(ProbeSettings(**limits))
    return {(one.group_kind, one.value_kind): one for one in found}


def test_lift_npmi_and_chance_by_hand():
    # n = 100, 40 women, 30 nurses, 24 of them women. Expected 12, lift 2.
    # NPMI = ln 2 / -ln 0.24 = 0.6931 / 1.4271 = 0.4857.
    pair = associate("woman", "nurse", 24, 40, 30, 100, tested=10)
    assert pair.lift == 2
    assert pair.npmi == pytest.approx(0.4857, abs=1e-4)
    tail = 1 - sum(math.exp(-12) * 12**k / math.factorial(k) for k in range(24))
    assert pair.chance == pytest.approx(10 * tail, rel=1e-9)


def test_npmi_is_one_when_two_things_only_come_together():
    assert associate("a", "b", 10, 10, 10, 100).npmi == pytest.approx(1)
    assert associate("a", "b", 10, 50, 20, 100).npmi == pytest.approx(0, abs=1e-12)


def test_a_planted_stereotype_is_flagged_and_an_even_spread_is_not():
    people = made(40, "woman", "nurse") + made(2, "man", "nurse")
    people += made(60, "woman", "baker") + made(98, "man", "baker", start=60)
    found = probes(people)["gender", "occupation"]
    assert (found.people, found.groups_probed, found.pairs_tested) == (200, 2, 4)
    assert [(a.group, a.value, a.both) for a in found.flagged] == [("woman", "nurse", 40)]
    even = [p for g in ("woman", "man") for o in ("nurse", "baker") for p in made(50, g, o)]
    assert probes(even)["gender", "occupation"].flagged == ()


def test_small_groups_are_not_probed():
    people = made(19, "woman", "nurse") + made(100, "man", "baker")
    found = probes(people)["gender", "occupation"]
    assert found.groups_too_small == 1
    assert all(one.group != "woman" for one in (*found.top, *found.flagged))


def test_a_country_where_half_do_the_same_has_a_flagged_top_share():
    people = made(15, "unknown", "miner", "Chad") + made(10, "unknown", "baker", "Chad")
    people += [p for i in range(25) for p in made(1, "unknown", f"job {i}", "Peru")]
    found = probes(people)
    top = {one.group: one for one in found["country", "occupation"].top}
    assert (top["Chad"].value, top["Chad"].both, top["Chad"].share) == ("miner", 15, 0.6)
    assert top["Chad"].flagged
    assert not top["Peru"].flagged
    # Nobody's gender is known.
    assert found["gender", "occupation"].people == 0


def test_one_group_alone_cannot_be_more_than_chance():
    found = probes(made(50, "woman", "nurse"))["gender", "occupation"]
    assert found.pairs_tested == 0
    assert found.flagged == ()
    assert found.top[0].share == 1


def test_names_are_compared_without_case_and_an_interest_counts_once_a_person():
    people = [
        Persona(id=str(i), demographics={"gender": "Woman", "interests": ["Tea", "tea", "TEA "]})
        for i in range(20)
    ]
    top = probes(people)["gender", "interest"].top
    assert [(one.group, one.value, one.both) for one in top] == [("woman", "tea", 20)]
