"""Every rule fires for what breaks it, and for nothing else."""

from collections.abc import Callable
from typing import Any

import pytest

from eyeprint.people.audit_rules import RULES, RuleSettings, check_person, gender_is_stated
from eyeprint.people.shipped import load_people
from eyeprint.records.people import Persona
from tests.people.made_people import caption, record

Edit = Callable[[dict[str, Any]], object]


def broken(value: dict[str, Any]) -> list[tuple[str, str | None, str]]:
    found = check_person(Persona.model_validate(value))
    return [(one.rule, one.post, one.detail) for one in found.breaks]


def who(**changes: Any) -> Edit:
    return lambda p: p["demographics"].update(changes)


def words(post: int, text: str, elements: dict[str, Any] | None = None) -> Edit:
    return lambda p: p["posts"][post].update(
        caption=text, elements=elements or {"objects": " ".join(text.split()[:2])}
    )


def overlapping(value: dict[str, Any]) -> None:
    # 160 words are 158 trigrams, 21 shared words 19 of them: 12.03 %, one word less 11.4 %.
    first = value["posts"][0]["caption"].split()[:21]
    fresh = caption("other").split()[21:]
    words(1, " ".join(first + fresh))(value)


def nearly_overlapping(value: dict[str, Any]) -> None:
    first = value["posts"][0]["caption"].split()[:20]
    words(1, " ".join(first + caption("other").split()[20:]))(value)


def of_short(value: dict[str, Any]) -> None:
    # A caption of 150 words inside one of 250: 148 of 248 trigrams are the long one's share,
    # 148 of 148 the short one's, and the smaller set decides.
    inner = caption("inner", 150)
    words(0, inner)(value)
    words(1, inner + " " + caption("outer", 100))(value)


CASES: list[tuple[str, Edit, str | None, str]] = [
    ("posts.count", lambda p: p.update(posts=[*p["posts"], p["posts"][0] | {
        "id": "more", "kind": "shared", "caption": caption("x"),
        "elements": {"objects": caption("x").split()[0]}}]), None, "31 posts, not 30"),
    ("posts.kinds", lambda p: p["posts"][0].update(kind="selfie"), None,
     "10 activity, not 11, 5 selfie, not 4"),
    ("posts.kinds", lambda p: p["posts"][29].pop("kind"), None,
     "3 selfie, not 4; 1 without a kind"),
    ("caption.blank", lambda p: p["posts"][3].update(caption="  "), "p3", "no caption"),
    ("caption.length", words(2, caption("short", 149)), "p2", "149 words, not 150-250"),
    ("caption.length", words(2, caption("long", 251)), "p2", "251 words, not 150-250"),
    ("caption.repeated", lambda p: words(5, p["posts"][4]["caption"].upper())(p), "p5",
     "the words of post p4"),
    ("caption.overlap", overlapping, "p1", "shares 12% of its trigrams with post p0"),
    ("caption.overlap", of_short, "p1", "shares 100% of its trigrams with post p0"),
    ("elements.none", lambda p: p["posts"][7].update(elements={"objects": []}), "p7",
     "no annotated element"),
    ("elements.verbatim", lambda p: p["posts"][7]["elements"].update(objects=["a lamp"]), "p7",
     "'a lamp' is not in the caption"),
    ("facets.missing", lambda p: p["vocabulary"].pop("background"), None, "no background"),
    ("facets.groups", lambda p: p["vocabulary"]["background"].update(
        lighting=[], textures=list("abcdefgh")), None, "background without lighting"),
    ("facets.size", lambda p: p["vocabulary"]["background"].update(lighting=["a", "b"]), None,
     "background has 14 entries, not 15-20"),
    ("facets.size", lambda p: p["vocabulary"]["background"].update(lighting=list("abcdefghi")),
     None, "background has 21 entries, not 15-20"),
    ("facets.size", lambda p: p.update(build={"elements_before_pruning": 61}), None,
     "61 entries drawn, not 45-60"),
    # The numbers of each facet as drawn decide, whatever is left of it and whatever their sum.
    ("facets.size", lambda p: p.update(build={"elements_before_pruning": {
        "foreground": 16, "background": 14, "atmosphere": 18}}), None,
     "background has 14 entries, not 15-20"),
    ("facets.regional", lambda p: p.update(build={"regional_share": {"background": 0.699}}),
     None, "background: 69.9 % regional"),
    ("preferences.count", lambda p: p.update(preferences=["red"] * 21), None,
     "21 preferences, not 15-20"),
    ("interests.count", who(interests=["chess"]), None, "1 interests, not 5-8"),
    ("attributes.count", who(city="", attribute_0=None), None, "18 attributes, under 20"),
    ("gender.unstated", lambda p: p.update(seed="A baker of Kumasi."), None,
     "'woman', but no word of the seed states it"),
    ("age.occupation", who(age=20, occupation="retired baker"), None,
     "retired at 20: 'retired baker'"),
    ("age.occupation", who(age=9), None, "works as 'baker' at 9"),
    ("age.occupation", who(age=44, occupation="high-school student"), None,
     "at school at 44: 'high-school student'"),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "edit", "post", "detail"), CASES)
def test_v13_v19_each_rule_fires_alone(rule: str, edit: Edit, post: str | None, detail: str):
    value = record()
    edit(value)
    assert broken(value) == [(rule, post, detail)]


LAWFUL: list[Edit] = [
    lambda p: None,
    nearly_overlapping,
    words(0, caption("a", 150)),
    words(0, caption("a", 250)),
    lambda p: p["posts"][0].update(elements={"objects": p["posts"][0]["caption"][:9].upper()}),
    lambda p: p.update(build={"regional_share": 0.7}),
    who(gender="unknown"),
    who(age=64, occupation="retired baker"),
    who(age=9, occupation="primary-school pupil"),
    # Pruned: fewer entries than were drawn, a group without any, and yet lawful (V14).
    lambda p: p.update(
        build={"elements_before_pruning": 48},
        vocabulary=p["vocabulary"] | {"background": {"lighting": ["a lamp"]}},
    ),
    lambda p: p.update(
        build={"elements_before_pruning": {"foreground": 15, "background": 15, "atmosphere": 20}},
        vocabulary=p["vocabulary"] | {"background": {"lighting": ["a lamp"]}},
    ),
]


@pytest.mark.parametrize("edit", LAWFUL)
def test_v13_v19_what_keeps_the_rules_is_left_alone(edit: Edit):
    value = record()
    edit(value)
    assert broken(value) == []


def test_v17_quotas_follow_the_number_of_posts():
    # 10 posts: 3.5, 2.5, 2.5, 1.5 are 4, 2, 2, 1 by floor and the first of equal fractions.
    value = record()
    value["posts"] = value["posts"][:10]
    for post, kind in zip(value["posts"], ["activity"] * 4 + ["appreciation"] * 3, strict=False):
        post["kind"] = kind
    for post, kind in zip(value["posts"][7:], ["shared", "shared", "selfie"], strict=True):
        post["kind"] = kind
    assert broken(value) == [("posts.count", None, "10 posts, not 30")]


def test_v19_fewer_than_ten_posts_with_a_caption():
    value = record()
    for post in value["posts"][9:]:
        post["caption"] = ""
    rules = {rule for rule, _, _ in broken(value)}
    assert rules == {"posts.valid", "caption.blank"}


def test_a_person_of_nothing_is_told_as_that_and_breaks_nothing_else():
    rules = {one.rule for one in check_person(Persona(id="a")).breaks}
    assert rules == {
        "posts.count",
        "posts.valid",
        "facets.missing",
        "preferences.count",
        "interests.count",
        "attributes.count",
    }


def test_all_rules_are_named_once_and_each_is_tested():
    names = [rule.name for rule in RULES]
    assert len(names) == len(set(names))
    assert {case[0] for case in CASES} | {"posts.valid"} == set(names)


def test_the_shipped_people_break_no_rule():
    for person in load_people("mini"):
        assert check_person(person).breaks == ()


def test_limits_are_settings():
    value = record()
    limits = RuleSettings(posts=29, caption_words=(1, 100))
    found = check_person(Persona.model_validate(value), limits).breaks
    assert {one.rule for one in found} == {"posts.count", "caption.length"}


def test_v13_gender_is_stated_by_words_of_it():
    assert gender_is_stated("Male", "A fisherman.")
    assert gender_is_stated("non-binary", "They repair radios.")
    assert gender_is_stated("woman", "A great-grandmother.")
    assert not gender_is_stated("woman", "A fisherman.")
    # "then" holds "he", "sheet" holds "she": words count, not letters.
    assert not gender_is_stated("man", "A baker, then a sheet-metal worker.")
