"""The chat writer, with replies that are good, bad in every way, and bad for good."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from eyeprint.models.kinds import Reply
from eyeprint.people.chat_asking import Tally
from eyeprint.people.chat_checks import ChatCaptionRules, own_words, verbatim_elements
from eyeprint.people.chat_schemas import FacetAnswer, PlaceAnswer
from eyeprint.people.chat_settings import ChatWriterSettings
from eyeprint.people.chat_writer import Written, write_person
from eyeprint.records.people import FACETS

HERE = Path(__file__).parent


def _load(name: str, path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


script = _load("eyeprint_tests_writing_chat", HERE / "writing_chat.py")
KUMASI = "A tailor from Kumasi who says that she has never cut a pattern twice."
NOWHERE = "A bookkeeper who photographs stairs."


def write(chat: Any, seed: str = KUMASI, **changes: Any) -> tuple[Written, Tally]:
    tally = Tally()
    settings = ChatWriterSettings(**changes)
    written = asyncio.run(
        write_person(chat, "p-00001", seed, run_seed=7, settings=settings, tally=tally)
    )
    return written, tally


def test_v13_v14_v16_v17_v18_v20_a_good_model_writes_a_whole_person():
    chat = script.WritingChat()
    written, tally = write(chat)
    person = written.person
    assert person is not None and written.faults == ()
    assert (person.demographics.country, person.demographics.city) == ("Ghana", "Kumasi")
    assert person.demographics.gender == "woman"
    assert len(person.demographics.model_dump()) >= 20
    assert 5 <= len(person.demographics.interests) <= 8
    assert 15 <= len(person.preferences) <= 20
    kinds = Counter(post.kind for post in person.posts)
    assert kinds == {"activity": 11, "appreciation": 8, "shared": 7, "selfie": 4}
    assert len({post.scenario for post in person.posts}) == 30
    for post in person.posts:
        assert 150 <= len(post.caption.split()) <= 250
        assert all(e in post.caption for phrases in post.elements.values() for e in phrases)
    # 1 place, 1 attributes, 3 facets, 1 preferences, 4 batches (8+8+7+7), 30 captions
    assert chat.calls == 1 + 1 + 3 + 1 + 4 + 30 == tally.replies["answered"]
    assert written.notes["regional_marked"] == dict.fromkeys(FACETS, 0.75)
    # every entry says "of Ghana", so the table sees all of them as regional
    assert written.notes["regional_in_table"] == dict.fromkeys(FACETS, 1.0)


def test_v17_scenarios_are_asked_for_at_temperature_0_9_in_batches_of_6_to_8():
    chat = script.WritingChat()
    write(chat)
    batches = [r for r in chat.requests if r.messages[1].text.startswith("Plan posts:")]
    assert {r.temperature for r in batches} == {0.9}
    sizes = [int(r.messages[1].text.split("Give exactly ")[1].split()[0]) for r in batches]
    assert sizes == [8, 8, 7, 7]


def test_v20_the_same_replies_give_the_same_person():
    one, _ = write(script.WritingChat())
    two, _ = write(script.WritingChat())
    assert one.person == two.person and one.notes == two.notes


def fenced(value: Any) -> str:
    return f"Sure, here it is:\n```json\n{json.dumps(value, ensure_ascii=False)}\n```"


def trailing_comma(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)[:-1] + ",}"


@pytest.mark.parametrize("spoiler", [fenced, trailing_comma])
def test_x9_fences_and_trailing_commas_cost_no_second_call(spoiler):
    chat = script.WritingChat({"caption": [spoiler], "attributes": [spoiler]})
    written, tally = write(chat)
    assert written.person == write(script.WritingChat())[0].person
    assert chat.calls == 40
    assert tally.repairs["fence" if spoiler is fenced else "trailing comma"] == 31


def cut(value: Any) -> str:
    text = json.dumps(value)
    return text[: len(text) // 2]


def truncated(value: Any) -> Reply:
    return Reply(text=cut(value), outcome="truncated", finish_reason="length")


def refused(value: Any) -> Reply:
    return Reply(text="I cannot help with that.", outcome="refused")


def unseen_refusal(value: Any) -> str:
    return "I'm sorry, but I can't help with that."


def empty(value: Any) -> str:
    return ""


def too_short(value: Any) -> str:
    return json.dumps(value | {"caption": script.caption_of(1, 149)})


def too_long(value: Any) -> str:
    return json.dumps(value | {"caption": script.caption_of(1, 251)})


def wrong_type(value: Any) -> str:
    return json.dumps(value | {"elements": "a list of things"})


def not_verbatim(value: Any) -> str:
    return json.dumps(value | {"elements": {k: ["a thing not seen"] for k in value["elements"]}})


@pytest.mark.parametrize(
    ("spoiler", "told"),
    [
        (cut, "ends before it is complete"),
        (truncated, "cut off by the length limit"),
        (refused, "it declines"),
        (unseen_refusal, "it declines"),
        (empty, "it is empty"),
        (too_short, "149 words; make it longer"),
        (too_long, "251 words; make it shorter"),
        (wrong_type, "elements"),
        (not_verbatim, "only 0 phrases"),
    ],
)
def test_v18_x9_a_bad_caption_is_asked_for_again_with_its_fault_named(spoiler, told):
    chat = script.WritingChat({"caption": [spoiler]})
    written, tally = write(chat)
    assert written.person == write(script.WritingChat())[0].person
    assert chat.calls == 40 + 30
    again = [r for r in chat.requests if "cannot be used" in r.messages[-1].text]
    assert len(again) == 30 and all(told in r.messages[-1].text for r in again)
    assert sum(tally.asked_again.values()) == 30
    declined = spoiler in (refused, unseen_refusal)
    assert tally.replies["refused"] == (30 if declined else 0)


def test_x9_after_a_cut_reply_the_limit_is_doubled_and_turns_alternate():
    chat = script.WritingChat({"place": [truncated, truncated]})
    write(chat)
    asked = [r for r in chat.requests if "Read this seed text" in r.messages[1].text]
    assert [r.max_tokens for r in asked] == [256, 512, 1024]
    assert all([m.role for m in r.messages] == ["system", "user"] for r in asked)
    assert len(set(asked)) == 3  # each is a request of its own, so a ledger serves none twice


def test_x9_a_bad_answer_is_shown_to_the_model_with_its_fault():
    chat = script.WritingChat({"place": [lambda value: '{"country": "Ghana"}']})
    write(chat)
    second = chat.requests[1]
    assert [m.role for m in second.messages] == ["system", "user", "assistant", "user"]
    assert second.messages[2].text == '{"country": "Ghana"}'
    assert "confidence: Field required" in second.messages[3].text


def test_v18_posts_that_stay_invalid_are_recorded_and_left_out():
    posts_spoiled = 0

    def sometimes(value: Any) -> str:
        return too_short(value) if "cobalt" in value["caption"].split()[60] else json.dumps(value)

    written, _ = write(script.WritingChat({"caption": [sometimes] * 3}))
    posts_spoiled = len(written.faults)
    assert 0 < posts_spoiled < 20
    assert written.person is not None and len(written.person.posts) == 30 - posts_spoiled
    assert all(f.person == "p-00001" and f.step.startswith("caption") for f in written.faults)
    assert all(f.attempts == 3 and "149 words" in f.fault for f in written.faults)


def test_v19_a_person_with_under_10_valid_posts_is_excluded():
    written, _ = write(script.WritingChat({"caption": [too_short] * 3}))
    assert written.person is None
    assert written.notes["posts_valid"] == 0
    assert len(written.faults) == 31
    assert written.faults[-1].fault == "0 valid posts of 30; 10 needed"


@pytest.mark.parametrize("step", ["place", "attributes", "facet", "preferences", "scenarios"])
def test_x9_a_step_that_stays_invalid_excludes_the_person_by_name(step):
    chat = script.WritingChat({step: [empty] * 9})
    written, _ = write(chat, attempts=2)
    assert written.person is None
    assert written.faults[0].step.startswith(step) and written.faults[0].attempts == 2
    assert written.faults[0].kind == "empty"


def test_v17_wrong_quotas_keep_what_fits_and_ask_for_the_rest():
    def all_selfies(value: Any) -> str:
        return json.dumps({"scenarios": [s | {"kind": "selfie"} for s in value["scenarios"]]})

    chat = script.WritingChat({"scenarios": [all_selfies]})
    written, tally = write(chat)
    assert written.person is not None
    kinds = Counter(post.kind for post in written.person.posts)
    assert kinds == {"activity": 11, "appreciation": 8, "shared": 7, "selfie": 4}
    # A prompt that names other numbers is a new prompt, spoiled once itself: the exact
    # count of calls matters less than that what did not fit was counted.
    assert tally.repairs["scenario beyond its quota"] > 0


def test_v17_the_same_scenario_twice_counts_once():
    def twice(value: Any) -> str:
        first = value["scenarios"][0]
        same = [first | {"kind": s["kind"]} for s in value["scenarios"]]
        return json.dumps({"scenarios": same})

    written, tally = write(script.WritingChat({"scenarios": [twice]}), attempts=9)
    assert written.person is not None
    assert len({post.scenario for post in written.person.posts}) == 30
    assert tally.repairs["scenario given twice"] > 0


def test_v14_too_few_regional_entries_are_asked_for_again():
    def unmarked(value: Any) -> str:
        return json.dumps({g: [e["entry"] for e in entries] for g, entries in value.items()})

    chat = script.WritingChat({"facet": [unmarked]})
    written, _ = write(chat)
    assert written.person is not None and chat.calls == 43
    told = [r.messages[-1].text for r in chat.requests if "cannot be used" in r.messages[-1].text]
    assert all("only 0% of the entries are marked as regional; 70%" in text for text in told)


def test_v12_an_unsure_place_in_an_overrepresented_region_moves_at_its_rate():
    answer = PlaceAnswer(country="UK", city="Leeds", confidence=0.2)
    from eyeprint.people.chat_place import settle_place
    from eyeprint.people.demographics import DemographicSettings
    from eyeprint.randomness import stream

    settings = DemographicSettings()
    placed = [settle_place(answer, NOWHERE, settings, stream(1, "t", i)) for i in range(2000)]
    moved = sum(notes["location_overridden"] for _, notes in placed)
    # 60 % of 2,000: mean 1,200, standard deviation 22; four of them
    assert abs(moved - 1200) < 88
    assert {p.country for p, notes in placed if not notes["location_overridden"]} == {
        "United Kingdom"
    }
    sure = answer.model_copy(update={"confidence": 0.9})
    place, notes = settle_place(sure, NOWHERE, settings, stream(1, "t", 1))
    assert (place.country, place.city, notes["location_overridden"]) == (
        "United Kingdom",
        "Leeds",
        False,
    )


@pytest.mark.parametrize(
    ("seed", "gender", "evidence", "kept"),
    [
        (KUMASI, "woman", "she", "woman"),
        (KUMASI, "man", "he", "unknown"),  # the seed does not hold "he"
        (NOWHERE, "woman", "bookkeeper", "unknown"),  # quoted, but states nothing
        (NOWHERE, "man", "", "unknown"),
        ("A nonbinary cook.", "nonbinary", "nonbinary", "nonbinary"),
        ("A nun's brother.", "robot", "brother", "unknown"),
    ],
)
def test_v13_gender_counts_only_when_words_of_the_seed_state_it(seed, gender, evidence, kept):
    from eyeprint.people.chat_place import settle_place
    from eyeprint.people.demographics import DemographicSettings
    from eyeprint.randomness import stream

    answer = PlaceAnswer(country="Ghana", confidence=0.9, gender=gender, gender_evidence=evidence)
    place, _ = settle_place(answer, seed, DemographicSettings(), stream(1, "t", 1))
    assert place.gender == kept


def test_v18_an_element_takes_the_captions_own_words_and_nothing_else():
    caption = "Here the potter’s   Wheel — old — stands; “home” is near."
    assert own_words("the Potter's wheel", caption) == "the potter’s   Wheel"
    assert own_words('"HOME"', caption) == "“home”"
    assert own_words("wheel - old", caption) == "Wheel — old"
    assert own_words("otter’s wheel", caption) is None
    assert own_words("a potter's wheel", caption) is None
    assert own_words("wheel.*", caption) is None
    assert own_words("  ", caption) is None
    assert own_words("红门", "一扇红门在巷子尽头") == "红门"
    assert own_words("빨간 문", "빨간  문이 있다") == "빨간  문"


def test_v18_elements_that_are_not_in_the_caption_are_dropped_and_counted():
    given = {"Lighting": ["Low Sun", "moon", "low sun"], "smells": ["tar"], "objects": ["a cup."]}
    kept, repairs = verbatim_elements(given, "In low sun stands a cup.", ChatCaptionRules())
    assert kept == {"objects": ["a cup"], "lighting": ["low sun"]}
    assert Counter(repairs) == {
        "unknown category": 1,
        "element in the caption's words": 1,
        "element not in the caption": 1,
        "element too many": 1,
    }


def test_v14_a_facet_is_read_flat_or_wrapped():
    flat = {"subjects": ["a", {"entry": "b", "regional": True}]}
    wrapped = {"foreground": flat}
    assert FacetAnswer.model_validate(flat) == FacetAnswer.model_validate(wrapped)


def test_v12_a_confidence_in_percent_is_read():
    assert PlaceAnswer.model_validate({"confidence": "85 %"}).confidence == 0.85
    assert PlaceAnswer.model_validate({"confidence": 85}).confidence == 0.85
    assert PlaceAnswer.model_validate({"confidence": 1}).confidence == 1.0
