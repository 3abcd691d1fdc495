"""What the items of an MMPB run share, what is sent with them, and which concepts take part."""

import json

import pytest

from eyeprint.methods.dialogues import Dialogue, Turn
from eyeprint.methods.injection import InjectionSettings
from eyeprint.protocols.display import Quiet
from eyeprint.protocols.mmpb import prepared
from eyeprint.protocols.mmpb_grid_words import read_grid
from eyeprint.protocols.mmpb_plan import plan_mmpb
from eyeprint.protocols.mmpb_settings import grid_settings
from eyeprint.protocols.mmpb_talk import Talks, message_tokens
from eyeprint.records.concept_files import open_concepts
from eyeprint.records.concept_settings import ConceptSetting
from eyeprint.records.concepts import Concept, Tastes
from tests.protocols.made_concepts import concept_data, make_concepts


@pytest.fixture
def data(tmp_path):
    return concept_data(tmp_path / "data")


def asker_of(data, tmp_path, grid, **choices):
    plan = plan_mmpb(data, ["echo"], grid=grid, bootstraps=100, **choices)
    return prepared(plan, tmp_path / "pictures", Quiet())


@pytest.mark.parametrize(("draw", "told"), [("question", 3), ("concept", 1)])
def test_m37_distractors_are_drawn_for_each_question_or_once_for_its_concept(
    data, tmp_path, draw, told
):
    grid = read_grid(inject="text:simple", concepts="4", turns="0", controls="")
    asker = asker_of(data, tmp_path, grid, injection=InjectionSettings(draw=draw))
    begins: dict[str, set[str]] = {}
    for item in asker.items():
        begins.setdefault(item.question.concept, set()).add(item.prefix.messages[0].text)
    animals = [texts for name, texts in begins.items() if "Animal" in name]
    assert [len(texts) for texts in animals] == [told] * 3


@pytest.mark.parametrize("draw", ["question", "concept"])
def test_m44_shared_tokens_are_those_of_the_messages_that_the_call_before_had_too(
    data, tmp_path, draw
):
    grid = read_grid(
        inject="text:simple,image:1", concepts="1,3", turns="0,2,3", position="start,1"
    )
    asker = asker_of(data, tmp_path, grid, injection=InjectionSettings(draw=draw))
    before, some = (), 0
    for item in asker.items():
        shared = 0
        for one, other in zip(before, item.prefix.messages, strict=False):
            if one != other:
                break
            shared += message_tokens(one)
        assert item.shared_tokens == shared
        assert item.prefix.tokens == sum(map(message_tokens, item.prefix.messages))
        some += 0 < shared < item.prefix.tokens
        before = item.prefix.messages
    assert some > 10


def test_m44_the_dialogue_after_the_injection_is_counted(data, tmp_path):
    grid = read_grid(inject="text:simple,none", turns="3", position="start,1,end", controls="")
    for item in asker_of(data, tmp_path, grid).items():
        after = item.prefix.messages
        for place, message in enumerate(after):
            if message.text == "I got it.":
                after = after[place + 1 :]
                break
        assert item.prefix.dialogue_tokens == sum(map(message_tokens, after))
        assert len(after) == 2 * (3 - (item.setting.position if item.setting.level else 0))


def test_concepts_that_cannot_be_told_are_no_distractors_either(tmp_path):
    root = make_concepts(tmp_path / "data")
    lines = (root / "concepts.jsonl").read_text().splitlines()
    first = json.loads(lines[0])
    del first["descriptions"]["extended"]
    (root / "concepts.jsonl").write_text("\n".join([json.dumps(first), *lines[1:]]) + "\n")
    grid = read_grid(inject="text:extended", concepts="11", turns="0", controls="")
    items = list(asker_of(open_concepts(root), tmp_path, grid).items())
    assert len({item.question.concept for item in items}) == 11
    # Eleven are told of each time: all but the one that lacks its description.
    assert {len(item.prefix.messages[0].text.splitlines()) for item in items} == {11}


def test_what_decides_a_reply_is_sent_with_every_request(data, tmp_path):
    asker = asker_of(
        data,
        tmp_path,
        read_grid(inject="text:simple", turns="0", controls=""),
        temperature=0.5,
        top_p=0.9,
        max_tokens=77,
        model_seed=5,
    )
    for item in asker.items():
        sent = asker.request(item)
        assert (sent.temperature, sent.top_p, sent.max_tokens, sent.seed) == (0.5, 0.9, 77, 5)


def test_m40_with_nothing_told_there_is_no_reminder():
    grid = read_grid(inject="none,text:simple", prompting="all", turns="0", controls="")
    ways = {each.prompting for each in grid_settings(grid) if each.inject == "none"}
    assert ways == {"zero_shot", "zero_shot_cot", "few_shot", "few_shot_cot"}
    assert len(grid_settings(grid)) == len(ways) + 5


HIKER = Concept(name="Ann", category="human", tastes={"lifestyle": Tastes(likes=("hiking",))})
SAID = ("Yes.", "People who hike wear boots.", "Yes.", "No.", "Perhaps.")
TALK = Dialogue(
    "d1", "boots", "general", tuple(Turn(f"Question {k}?", said) for k, said in enumerate(SAID))
)


@pytest.mark.parametrize(("strip", "heard"), [(True, (0, 2, 3)), (False, (0, 1, 2))])
def test_m14_turns_that_speak_of_the_concept_are_passed_over_or_kept(data, strip, heard):
    grid = read_grid(inject="text:simple", turns="3", controls="")
    run = plan_mmpb(data, ["echo"], grid=grid, strip_dialogues=strip).run
    talk = Talks(run, {"general": (TALK,)}).of(ConceptSetting(turns=3), HIKER)
    assert [each.text for each in talk.messages[::2]] == [f"Question {k}?" for k in heard]
    assert talk.tokens == tuple(map(message_tokens, talk.messages))
