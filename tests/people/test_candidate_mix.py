"""The mix of P37: quotas, near-duplicates, repeats, and what is asked for again."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from eyeprint.people.candidate_mix import (
    MixSettings,
    faults_of_mix,
    missing,
    redundant,
    to_replace,
    trimmed,
    without_redundant,
    without_repeats,
)
from eyeprint.people.candidate_reading import (
    category_named,
    category_of,
    described,
    is_cultural,
    shows_people,
    subject_and_setting,
    suits,
)
from eyeprint.records.candidates import CATEGORIES, CandidatePrompt

MIX = MixSettings()
THEME = {"landscape": "nature", "urban": "urban", "still_life": "still_life",
         "abstract": "abstract", "hybrid": "cultural"}  # fmt: skip


def prompt(category: str, number: int, **more) -> CandidatePrompt:
    subject = f"subject{category}{number}"
    facts = {
        "text": f"Picture of {subject} at place{category}{number}.",
        "category": category,
        "subject": subject,
        "setting": f"at place{category}{number}",
        "themes": (THEME[category],) if category in THEME else (),
        "people": category == "portrait",
    }
    return CandidatePrompt.model_validate(facts | more)


def whole_set() -> list[CandidatePrompt]:
    return [prompt(c, i) for c, n in MIX.quotas().items() for i in range(n)]


def test_p37_twenty_prompts_split_as_the_paper_says():
    assert MIX.quotas() == {
        "portrait": 6, "landscape": 4, "urban": 3, "still_life": 3, "abstract": 2, "hybrid": 2,
    }  # fmt: skip
    assert sum(sum(pair) / 2 for pair in MIX.shares.values()) == pytest.approx(1.0)
    assert faults_of_mix(whole_set(), MIX) == ()


def test_p37_bounds_are_the_floor_and_ceiling_of_the_shares():
    # 25–30 % of 20 is 5 to 6; of 18 it is 4.5 to 5.4, so 4 to 6. 10–15 % of 20: 2 to 3.
    assert MIX.bounds("portrait", 20) == (5, 6)
    assert MIX.bounds("portrait", 18) == (4, 6)
    assert MIX.bounds("hybrid", 20) == (2, 3)
    assert MIX.bounds("still_life", 20) == (3, 3)  # 0.15 * 20 must not round up


# 6 portraits and 3 hybrids are each allowed, but leave 11 places for the 12 that others need.
@example(["portrait"] * 6 + ["hybrid"] * 3, 20)
@example(["portrait"] * 2, 6)
@given(st.lists(st.sampled_from(CATEGORIES), max_size=30), st.integers(1, 40))
def test_p37_what_is_missing_makes_any_set_whole(categories, total):
    mix = MixSettings(total=total)
    prompts = [prompt(c, i) for i, c in enumerate(categories)]
    kept, log = trimmed(prompts, mix)
    assert len(kept) + len(log) == len(prompts)
    wanted = missing(kept, mix)
    assert sum(wanted.values()) == mix.total - len(kept)
    more = [prompt(c, 100 + i) for c, n in wanted.items() for i in range(n)]
    assert not [f for f in faults_of_mix([*kept, *more], mix) if f.rule != "non-human"]


@pytest.mark.parametrize("total", [*range(1, 41), 100])
def test_p37_a_set_by_the_quotas_has_no_fault_at_any_size(total):
    mix = MixSettings(total=total)
    assert sum(mix.quotas().values()) == total
    for category, n in mix.quotas().items():
        low, high = mix.bounds(category, total)
        assert low <= n <= high
    made = [prompt(c, i) for c, n in mix.quotas().items() for i in range(n)]
    assert faults_of_mix(made, mix) == ()
    # Five themes and a portrait, which a quarter of the set must be, need six prompts.
    assert (mix.themes_asked() == ()) == (total < 6)


def test_p37_a_category_that_may_not_stand_in_a_set_brings_no_theme_to_ask_for():
    shares = MIX.shares | {"abstract": (0.0, 0.0), "urban": (0.25, 0.25)}
    mix = MixSettings(shares=shares)
    assert "abstract" not in mix.themes_asked() and len(mix.themes_asked()) == 4
    with pytest.raises(ValueError, match=r"sum to 1.* 0\.9"):
        MixSettings(shares=MIX.shares | {"abstract": (0.0, 0.0)})


def test_p37_each_fault_is_named():
    short = [p for p in whole_set() if p.category not in ("abstract", "hybrid")]
    rules = {fault.rule for fault in faults_of_mix(short, MIX)}
    assert {"count", "mix", "themes"} <= rules
    told = [fault.detail for fault in faults_of_mix(short, MIX)]
    assert "no prompt of abstract" in told and "no prompt of cultural" in told
    crowded = [p.model_copy(update={"people": True}) for p in whole_set()]
    assert [f.rule for f in faults_of_mix(crowded, MIX)] == ["non-human"]


def test_p37_no_more_than_two_share_a_subject_or_a_setting():
    same = [prompt("portrait", i, subject="an old fisherman", text=f"t{i}") for i in range(4)]
    kept, log = without_repeats(same, MIX)
    assert len(kept) == 2 and [line.rule for line in log] == ["repeats", "repeats"]
    assert "subject" in log[0].detail
    there = [prompt("urban", i, setting="on a wet street", text=f"t{i}") for i in range(3)]
    assert len(without_repeats(there, MIX)[0]) == 2
    nowhere = [prompt("abstract", i, setting="", text=f"t{i}") for i in range(3)]
    assert len(without_repeats(nowhere, MIX)[0]) == 3
    assert "repeats" in {f.rule for f in faults_of_mix(same, MIX)}


def test_p33_near_duplicates_go_and_the_first_stays():
    first = described("A quiet photograph of a lone tree on a hill, mist, blue tones.")
    twin = described("A quiet photograph of one lone tree on the hill, in mist, blue tones")
    other = described("A quiet photograph of a red boat on a lake, mist, blue tones.")
    kept, log = without_redundant([first, twin, other], MIX)
    assert kept == [first, other]
    assert log[0].rule == "redundant" and "lone tree" in log[0].detail


def test_p33_a_shared_style_does_not_make_two_subjects_one():
    style = "rendered as a grainy film photograph in worn brown and faded green, old postcard frame"
    left = described(f"A tin toy, {style}", subject="a tin toy")
    right = described(f"A tram, {style}", subject="a tram")
    assert not redundant(left, right, MIX)
    assert redundant(left, left.model_copy(update={"text": left.text + ", grain"}), MIX)


def test_p37_a_full_set_gives_up_what_makes_room_for_what_it_lacks():
    plain = [p.model_copy(update={"themes": ()}) if p.category == "hybrid" else p
             for p in whole_set()]  # fmt: skip
    given_up = to_replace(plain, MIX)
    assert [p.category for p in given_up] == ["hybrid"]
    assert missing([p for p in plain if p not in given_up], MIX)["hybrid"] == 1
    assert to_replace(whole_set(), MIX) == ()
    crowded = [p.model_copy(update={"people": True}) for p in whole_set()]
    assert len(to_replace(crowded, MIX)) == 5
    assert all(p.category != "portrait" for p in to_replace(crowded, MIX))


def test_p37_shares_that_are_no_ranges_are_refused():
    with pytest.raises(ValueError, match="portrait"):
        MixSettings(shares=MIX.shares | {"portrait": (0.4, 0.2)})


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("A portrait of an old woman at a window, soft light", "portrait"),
        ("Misty mountains above a lake at dawn", "landscape"),
        ("A rain-wet street between skyscrapers, neon signs", "urban"),
        ("A bowl of fruit and a candle on a table", "still_life"),
        ("Geometric shapes and thin stripes in blue", "abstract"),
        ("Something wholly unheard of", "hybrid"),
    ],
)
def test_p37_categories_are_read_from_words_where_none_is_given(text, category):
    assert category_of(text) == category
    assert described(text).category == category


def test_p37_a_writers_category_counts_before_its_words():
    assert described("A portrait of a king", category="Creative hybrids").category == "hybrid"
    assert category_named("STILL LIFE") == category_named("still_life") == "still_life"
    assert category_named("") is None


def test_p37_people_themes_and_subjects_are_read():
    smith = described("Photograph of a smith hammering iron in a dark forge, sparks")
    assert (smith.subject, smith.setting) == ("a smith hammering iron", "in a dark forge")
    cat = described("x", category="portrait", subject="a kitten", setting="in a box")
    assert not cat.people
    assert described("x", category="portrait", subject="a beekeeper").people
    assert shows_people("two sisters") and not shows_people("two boats")
    assert is_cultural("a puppet theatre") and not is_cultural("a bus")
    assert subject_and_setting("A lake.") == ("A lake", "")
    assert suits("warm lamp light indoors", "still_life")
    assert not suits("warm lamp light indoors", "landscape")
