"""Which cases are compared, and that neither a resume nor a new model changes it."""

from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyeprint.errors import UsageError
from eyeprint.records.cases import Case
from eyeprint.scores.arena_plan import ArenaPlanSettings, draw_cases, plan_arena

MODELS = ("fusion", "joint", "plain")


def case(number, person="ann", prompt="a boat", split="real"):
    return Case(id=str(number), person_id=person, prompt=prompt, split=split, references=("r",))


def pictures(cases, models=MODELS):
    return {model: {c.id: f"{model}-{c.id}" for c in cases} for model in models}


def paper_cases():
    """650 cases of 76 persons, five prompts."""
    prompts = ("a boat", "a cat", "a tower", "a table", "a dance")
    return [case(i, f"u{i % 76}", prompts[(i * i + i // 7) % 5]) for i in range(650)]


def test_p52_a_sixth_of_650_cases_makes_108_and_every_pair_of_models():
    cases = paper_cases()
    models = [f"m{i}" for i in range(10)]
    plan = plan_arena(cases, pictures(cases, models))
    assert (len(plan.cases), plan.of_cases) == (108, 650)
    # 45 pairs × 108 cases; with three judges 14,580 verdicts.
    assert len(plan.comparisons) == 45 * 108
    assert 3 * len(plan.comparisons) == 14_580
    assert len({pair.id for pair in plan.comparisons}) == len(plan.comparisons)
    assert all(pair.model_a < pair.model_b for pair in plan.comparisons)
    by_case = Counter(pair.case_id for pair in plan.comparisons)
    assert set(by_case.values()) == {45}


def test_p52_persons_and_prompts_keep_their_shares():
    cases = paper_cases()
    plan = plan_arena(cases, pictures(cases))
    assert plan.persons == plan.of_persons == 76
    drawn = [c for c in cases if c.id in set(plan.cases)]
    of_person = Counter(c.person_id for c in drawn)
    for person, count in Counter(c.person_id for c in cases).items():
        assert abs(of_person[person] - count * 108 / 650) < 1
    of_prompt = Counter(c.prompt for c in drawn)
    for prompt, count in Counter(c.prompt for c in cases).items():
        assert abs(of_prompt[prompt] - count * 108 / 650) < 1.5
    assert plan.furthest_person < 1 / 108
    assert plan.furthest_prompt < 1.5 / 108


def slow_draw(cases, settings, group):
    """Largest remainders written out, then always the case whose prompt lags furthest behind."""
    from eyeprint.randomness import stable_hash, stream

    total = settings.cases_of(len(cases))
    own = {}
    for c in cases:
        own.setdefault(c.person_id, []).append(c)
    persons = sorted(own, key=lambda p: (stable_hash(settings.seed, "arena person", p), p))
    exact = {p: len(own[p]) * total / len(cases) for p in persons}
    places = {p: int(exact[p] + 1e-9) for p in persons}
    left = total - sum(places.values())
    rest = sorted(persons, key=lambda p: -round((exact[p] - places[p]) * 1e9))
    for p in rest[:left]:
        places[p] += 1
    of_group, taken, chosen = Counter(map(group, cases)), Counter(), set()
    for p in persons:
        for _ in range(places[p]):
            free = [c for c in own[p] if c.id not in chosen]
            marks = {c.id: stream(settings.seed, "arena case", c.id).random() for c in free}
            best = min(
                free,
                key=lambda c: (
                    taken[group(c)] - Fraction(of_group[group(c)] * total, len(cases)),
                    marks[c.id],
                ),
            )
            chosen.add(best.id)
            taken[group(best)] += 1
    return [c for c in cases if c.id in chosen]


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=20),
    st.integers(0, 3),
    st.sampled_from([1 / 6, 0.5, 1.0]),
)
def test_p52_draw_agrees_with_the_slow_one(facts, seed, share):
    cases = [case(i, f"u{p}", f"prompt {q}") for i, (p, q) in enumerate(facts)]
    settings = ArenaPlanSettings(seed=seed, share=share)
    found = draw_cases(cases, settings, lambda c: c.prompt)
    assert found == slow_draw(cases, settings, lambda c: c.prompt)
    assert len(found) == settings.cases_of(len(cases))


def test_p52_resume_more_models_and_another_order_draw_the_same():
    cases = paper_cases()
    plan = plan_arena(cases, pictures(cases))
    assert plan_arena(cases, pictures(cases)) == plan
    turned = plan_arena(cases[::-1], pictures(cases))
    assert sorted(turned.cases) == sorted(plan.cases)
    more = plan_arena(cases, pictures(cases, (*MODELS, "new")))
    assert more.cases == plan.cases
    assert {pair.id for pair in plan.comparisons} < {pair.id for pair in more.comparisons}
    other = plan_arena(cases, pictures(cases), ArenaPlanSettings(seed=1))
    assert other.cases != plan.cases


def test_p52_a_picture_painted_anew_is_another_comparison():
    cases = [case(1)]
    one = plan_arena(cases, {"x": {"1": "aa"}, "y": {"1": "bb"}})
    two = plan_arena(cases, {"x": {"1": "cc"}, "y": {"1": "bb"}})
    assert one.comparisons[0].id != two.comparisons[0].id


def test_p52_missing_and_identical_pictures_are_told():
    cases = [case(1)]
    plan = plan_arena(cases, {"x": {"1": "aa"}, "y": {"1": "aa"}, "z": {}})
    assert plan.missing == (("1", "z"),)
    assert (len(plan.comparisons), plan.identical) == (1, 1)


def test_p52_real_cases_take_part_and_others_when_asked():
    cases = [case(1), case(2, split="synthetic")]
    every = ArenaPlanSettings(share=1)
    assert plan_arena(cases, pictures(cases), every).cases == ("1",)
    both = ArenaPlanSettings(share=1, splits=())
    assert plan_arena(cases, pictures(cases), both).cases == ("1", "2")
    with pytest.raises(UsageError, match="splits: synthetic"):
        plan_arena(cases[1:], pictures(cases))


def test_p52_groups_of_prompts_may_be_anything():
    cases = [case(i, prompt=f"{'boat' if i % 2 else 'cat'} {i}") for i in range(12)]
    settings = ArenaPlanSettings(share=0.5)
    plan = plan_arena(cases, pictures(cases), settings, lambda c: c.prompt.split()[0])
    drawn = Counter(c.prompt.split()[0] for c in cases if c.id in set(plan.cases))
    assert drawn == {"boat": 3, "cat": 3}


def test_p52_what_cannot_be_planned_is_refused():
    with pytest.raises(UsageError, match="two models"):
        plan_arena([case(1)], {"x": {"1": "a"}})
    with pytest.raises(UsageError, match="id '1'"):
        plan_arena([case(1), case(1)], pictures([case(1)]))
    assert ArenaPlanSettings().cases_of(2) == 1
    assert ArenaPlanSettings().cases_of(0) == 0
