"""The chat writer: six parts, three steps, forgiving reading, one repair."""

import asyncio
import json

import pytest

from eyeprint.errors import CallFailed, DataError
from eyeprint.models.fakes import ScriptedChat
from eyeprint.models.kinds import ImagePart, Reply
from eyeprint.people.candidate_cues import cues_of
from eyeprint.people.candidate_mix import MixSettings
from eyeprint.people.candidates import CandidateSettings, write_candidates
from eyeprint.people.candidates_chat import candidates_prompt
from eyeprint.people.chat_asking import Tally
from eyeprint.records.profiles import Profile

WHO = Profile(
    id="u1",
    answers={"Q3": ("Athletic",), "Q4": "Retro", "Q12": 7, "Q13": 2, "Q18": ("Cool ocean tones",)},
)
NAMES = {
    "portrait": "portrait",
    "landscape": "landscape",
    "urban": "urban scenes",
    "still_life": "still life",
    "abstract": "abstract",
    "hybrid": "creative hybrid",
}


def item(category: str, number: int, **more) -> dict[str, object]:
    subject = f"the {category}thing{number}"
    return {
        "category": NAMES[category],
        "subject": subject,
        "setting": f"near {category}place{number}",
        "people": category == "portrait",
        "cultural": category == "hybrid",
        "keywords": ["teal"],
        "prompt": f"{subject} near {category}place{number}, view{number * 7}{category} in teal",
    } | more


def items(**changed: int) -> list[dict[str, object]]:
    counts = {c: changed.get(c, n) for c, n in MixSettings().quotas().items()}
    return [item(c, i) for c, n in counts.items() for i in range(n)]


def reply(prompts: list[object], **more) -> str:
    return json.dumps({"narrative": "Somebody.", "style": "Quiet teal pictures.",
                       "prompts": prompts} | more)  # fmt: skip


def written(script, settings=None, tally=None, profile=WHO, exemplars=()):
    chat = ScriptedChat(script)
    made = write_candidates(profile, settings, chat, tally=tally, exemplars=exemplars)
    return asyncio.run(made), chat


def test_p34_the_prompt_has_six_parts_in_order():
    text = candidates_prompt(cues_of(WHO), MixSettings())
    heads = [line for line in text.splitlines() if line.startswith("# ")]
    assert heads == ["# 1. Task", "# 2. Questionnaire items", "# 3. Diversity", "# 4. User profile",
                     "# 5. From theory to pictures", "# 6. Output"]  # fmt: skip


def test_p33_p35_the_header_tells_steps_blocks_and_what_to_do_with_pictures():
    text = candidates_prompt(cues_of(WHO), MixSettings(), exemplars=2)
    assert "three steps" in text and "20 different pictures" in text
    assert "Q1 to Q11 are explicit" in text and "Q12 to Q15" in text
    assert "2 pictures" in text and "Do not copy" in text
    assert "pictures that the person gave" not in candidates_prompt(cues_of(WHO), MixSettings())


def test_p36_the_items_state_ranges():
    text = candidates_prompt(cues_of(WHO), MixSettings())
    assert "Q11 Thinking Style: rating, 1 (rational) to 5 (intuitive)" in text
    assert "Q12 Open to New Experiences: rating, 1 (strongly disagree) to 7" in text
    assert "Q15 Emotional Excitement: rating, 0 (calm) to 9 (excited)" in text


def test_p37_p38_p40_mix_table_and_slot_are_filled_in():
    text = candidates_prompt(cues_of(WHO), MixSettings())
    assert "6 portraits, 4 landscapes, 3 urban scenes, 3 still lifes" in text
    assert "Campus Roles: Athletic / Living Space Style: Retro /" in text
    assert "cool ocean tones (Color Preferences: Cool ocean tones)" in text
    assert "Ecological valence theory" in text


def test_p77_p74_other_pipelines_hide_what_they_must():
    ablated = candidates_prompt(cues_of(WHO, "no_openness"), MixSettings())
    assert "penness" not in ablated and "Q12" not in ablated and "Q14 to Q15" in ablated
    free = candidates_prompt(cues_of(WHO, "profile_free"), MixSettings())
    assert "Retro" not in free and "# 2." not in free and "Tags" in free
    assert "narrative" not in free


def test_p39_a_good_reply_becomes_a_set_with_one_call():
    found, chat = written([reply(items(), metrics={"openness": 6.5}, traits={"EVT": ["teal"]})])
    assert len(chat.requests) == 1 and chat.requests[0].json_mode
    assert len(found.prompts) == 20 and found.log == () and found.writer == "scripted"
    assert found.metrics == {"openness": "6.5"} and found.traits == {"EVT": "teal"}
    assert found.prompts[0].keywords == ("teal",) and found.priors
    assert found.style == "Quiet teal pictures."


def test_p39_bare_texts_and_other_keys_are_read():
    bare = [one["prompt"] for one in items()]
    text = json.dumps({"style_summary": "Teal.", "prompts": bare, "scenarios": "the sea",
                       "generation_parameters": {"lighting": None, "palette": "teal"}})  # fmt: skip
    found, _ = written([f"Sure!\n```json\n{text}\n```", reply([])])
    assert found.style == "Teal." and found.scenarios == ("the sea",)
    assert found.parameters.palette == ("teal",) and found.parameters.lighting == ()


def test_p39_a_reply_without_style_or_prompts_is_asked_for_again_with_its_fault():
    tally = Tally()
    script = ["no json here", reply(items()[:3]), reply(items())]
    found, chat = written(script, tally=tally)
    assert len(found.prompts) == 20 and tally.asked_again["candidates"] == 2
    assert "it holds no JSON object" in chat.requests[1].messages[-1].text
    assert "it holds 3 prompts; give 20" in chat.requests[2].messages[-1].text


def test_p37_what_the_mix_lacks_is_asked_for_once():
    first = reply(items(portrait=9, urban=0))
    more = json.dumps({"prompts": [item("urban", i) for i in range(3)]})
    found, chat = written([first, more])
    assert found.counts() == MixSettings().quotas()
    asked = chat.requests[1].messages[-1].text
    assert "Write 3 new ones" in asked and "3 urban scenes" in asked and "urban: 0 of" in asked
    kinds = [(line.kind, line.rule) for line in found.log]
    assert kinds == [("dropped", "mix")] * 3 + [("repaired", "mix")]


def test_p37_what_stays_wrong_is_in_the_log():
    first = reply(items(abstract=0))
    found, chat = written([first, "cannot"])
    assert len(chat.requests) == 2 and len(found.prompts) == 18
    assert {line.rule for line in found.log if line.kind == "unmet"} == {"count", "mix", "themes"}
    assert any(line.kind == "fault" for line in found.log)


def test_p37_a_set_without_culture_trades_a_hybrid_for_one():
    dull = [one | {"cultural": False} for one in items()]
    better = json.dumps({"prompts": [item("hybrid", 77)]})
    found, chat = written([reply(dull), better])
    assert len(found.prompts) == 20 and found.log[-1].kind == "repaired"
    assert "culture or story" in chat.requests[1].messages[-1].text
    # A bad repair leaves the set as it was.
    kept, _ = written([reply(dull), "{}"])
    assert len(kept.prompts) == 20
    assert [line.rule for line in kept.log if line.kind == "unmet"] == ["themes"]


def test_p33_near_duplicates_and_more_than_twenty_are_dropped():
    doubled = [*items(), *items()[:4], item("portrait", 50)]
    found, chat = written([reply(doubled)])
    assert len(found.prompts) == 20 and len(chat.requests) == 1
    assert [line.rule for line in found.log] == ["redundant"] * 4 + ["count"]


def test_p18_exemplars_reach_the_model_and_stay_through_repeats():
    dot = ImagePart(sha256="0" * 64, width=1, height=1, data=b"x")
    script = [Reply(outcome="empty"), reply(items())]
    _, chat = written(script, exemplars=(dot,))
    assert all(request.messages[-1].images == (dot,) for request in chat.requests)
    free = CandidateSettings(pipeline="profile_free")
    _, blind = written([reply(items())], free, exemplars=(dot,))
    assert blind.requests[0].messages[-1].images == ()


def test_x9_refusals_and_failed_calls_are_told_apart():
    with pytest.raises(DataError, match="no candidates after 3 replies: it declines"):
        written([Reply(outcome="refused", text="I cannot.")] * 3)
    with pytest.raises(CallFailed, match="timeout"):
        written([Reply(outcome="failed", failure="timeout", detail="slow")])


def test_p39_one_blank_prompt_is_no_fault_of_the_others():
    blanks = [None, "", "  ", {"prompt": " ", "category": "urban"}, {"category": "urban"}]
    found, chat = written([reply([*items(), *blanks])])
    assert len(chat.requests) == 1 and len(found.prompts) == 20 and found.log == ()


def test_p39_slips_of_form_are_read():
    slips = [item(c, 1) | {"category": [c], "keywords": "teal, 35, foam"} for c in NAMES]
    numbered = {str(place): one for place, one in enumerate(slips, start=1)}
    settings = CandidateSettings(mix=MixSettings(total=6))
    script = [reply(numbered, style=["quiet", "teal"], parameters="film, grain")]
    found, chat = written(script, settings)
    assert len(chat.requests) == 1 and found.style == "quiet, teal"
    assert found.parameters.style_tags == ("film", "grain")
    assert found.prompts[0].keywords == ("teal", "35", "foam")
    assert [p.category for p in found.prompts] == list(NAMES)


def test_p33_prompts_that_are_not_english_are_asked_for_again():
    tower = "\u96fe\u4e2d\u7684\u5854\u548c\u5c71\u4e0b\u7684\u8001\u6865"
    foreign = [one | {"prompt": f"{tower} {place}"} for place, one in enumerate(items())]
    found, chat = written([reply(foreign), reply(items())])
    assert "write them in English" in chat.requests[1].messages[-1].text
    assert len(found.prompts) == 20


def test_p37_a_repair_that_repeats_what_is_kept_has_brought_nothing():
    short = reply(items(urban=0))
    found, _ = written([short, short])
    assert [line.detail for line in found.log if line.kind == "repaired"] == [
        "asked for 3 urban scenes; 0 were taken"
    ]
