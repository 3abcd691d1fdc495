"""Methods that personalise pictures: what they see, draw, ask and plan."""

import asyncio
from dataclasses import fields

import numpy as np
import pytest

from eyeprint.errors import CallFailed, UnknownName
from eyeprint.methods.picture_catalog import OURS, picture_method
from eyeprint.methods.picture_fusion import caption_request, fused_offline, fusion_request
from eyeprint.methods.picture_plain import drawn_references
from eyeprint.methods.picture_setting import PictureMethodSettings, PictureModels
from eyeprint.methods.setting import MethodModels
from eyeprint.models.fakes import HashEncoder, ScriptedChat
from eyeprint.models.kinds import Reply
from eyeprint.people.captions_in import CaptionIn
from eyeprint.people.inverse import persona_from_captions
from eyeprint.protocols.pipbench_album import nameless
from eyeprint.records.cases import PictureAsk
from eyeprint.store.embeddings import VectorShelf
from tests.methods.made_pictures import COOL, WARM, halves, several


def plan(name, ask, settings=None, models=None):
    method, _ = picture_method(name)
    settings, models = settings or PictureMethodSettings(), models or PictureModels()
    return asyncio.run(method(ask, settings, models))


def ask(count=4, colours=WARM, prompt="a red door", case="7", seed=1):
    return PictureAsk(case, prompt, nameless(several(colours, count)), seed)


def test_p1_p3_an_ask_has_no_field_for_target_profile_or_person():
    assert {field.name for field in fields(PictureAsk)} == {
        "case_id",
        "prompt",
        "references",
        "seed",
    }


def test_p1_p3_what_a_method_can_reach_names_no_file():
    picture = halves(*WARM).named("/data/anna/images/target.png")
    seen = nameless([picture])[0]
    assert seen == picture
    assert "anna" not in repr(seen.facts)


def test_p59_no_preference_is_the_request_untouched():
    found = plan("no_preference", ask())
    assert (found.prompt, found.way, found.references) == ("a red door", "text", ())


@pytest.mark.parametrize("count", [1, 2])
def test_p61_joint_conditioning_draws_distinct_references_from_the_cases_own_stream(count):
    found = plan(f"edit_{count}ref", ask())
    assert found.way == "edit"
    assert len(set(found.references)) == count
    assert found.prompt.startswith("a red door, in the style")
    assert found == plan(f"edit_{count}ref", ask())


def test_p61_a_draw_does_not_depend_on_other_cases_and_covers_all_references():
    draws = [drawn_references(ask(case=str(i)), 1)[0] for i in range(200)]
    assert set(draws) == {0, 1, 2, 3}
    assert drawn_references(ask(case="9"), 1) == drawn_references(ask(case="9"), 2)[:1]
    assert any(drawn_references(ask(seed=s), 1) != (draws[7],) for s in range(20))


def test_p61_too_few_references_are_a_fault_and_not_fewer_references():
    found = plan("edit_2ref", ask(count=1))
    assert found.prompt is None
    assert found.fault == "too_few_references"
    assert "case '7' has 1 of the 2" in found.detail


def test_p60_dreambooth_takes_all_references_and_leaves_the_tuned_word_to_the_painter():
    found = plan("dreambooth", ask(prompt="a red door."))
    assert (found.way, found.references) == ("tune", (0, 1, 2, 3))
    assert found.prompt == "a red door."


def test_p63_fabric_takes_the_first_so_many_as_liked_pictures():
    found = plan("fabric", ask(count=5), PictureMethodSettings(feedback_references=3))
    assert (found.way, found.references) == ("feedback", (0, 1, 2))
    assert found.prompt == "a red door"


def test_p62_the_vlm_gets_all_references_in_order_and_then_the_request():
    asked = ask()
    request = fusion_request(asked, PictureMethodSettings(word_limit=77))
    system, user = request.messages
    assert "77 words" in system.text
    assert [part.sha256 for part in user.images] == [each.sha256 for each in asked.references]
    assert user.parts[-1].text.endswith("a red door")
    assert (request.temperature, request.max_tokens) == (0.0, 512)


def test_p62_the_enriched_prompt_is_read_from_the_reply_and_cut_at_a_sentence():
    chat = ScriptedChat(['Prompt: "A red door in fog. And a very long second sentence here."'])
    models = PictureModels(writer="vlm", chat=chat)
    found = plan("fusion", ask(), PictureMethodSettings(word_limit=10), models)
    assert found.prompt == "A red door in fog."
    assert found.notes == ("7 words over the limit were cut",)
    assert found.writer == "vlm"


@pytest.mark.parametrize(
    ("reply", "fault"),
    [
        (Reply(outcome="refused", text="I can't."), "refused"),
        (Reply(outcome="truncated", text="A red"), "truncated"),
        (Reply(outcome="failed", failure="timeout"), "timeout"),
        (Reply(text="<think>hm</think>"), "empty"),
    ],
)
def test_p62_x9_a_reply_that_is_no_prompt_is_a_fault(reply, fault):
    models = PictureModels(writer="vlm", chat=ScriptedChat([reply]))
    found = plan("fusion", ask(), models=models)
    assert (found.prompt, found.fault) == (None, fault)


def test_p62_the_offline_fusion_reads_what_references_share():
    warm, _ = fused_offline("A door.", several(WARM, 4), PictureMethodSettings())
    cool, _ = fused_offline("A door.", several(COOL, 4), PictureMethodSettings())
    assert warm.startswith("A door, ") and "warm colours" in warm
    assert "cool colours" in cool and "warm" not in cool


def test_p62_the_offline_fusion_names_only_what_enough_references_show():
    mixed = several(WARM, 3) + several(COOL, 1, start=9)
    text, _ = fused_offline("A door", mixed, PictureMethodSettings(agreement=0.75))
    assert "warm colours" in text and "cool colours" not in text
    short, _ = fused_offline("A door", mixed, PictureMethodSettings(offline_words=1))
    assert short.count(",") == 1


def test_p62_offline_fusion_does_not_depend_on_the_order_of_references():
    pictures = list(several(WARM, 3) + several(COOL, 2, start=9))
    settings = PictureMethodSettings()
    assert fused_offline("A door", pictures, settings) == fused_offline(
        "A door", pictures[::-1], settings
    )


def texts():
    encoder = HashEncoder()
    shelf = VectorShelf(None, encoder)
    return MethodModels(text=encoder, element=encoder, vectors=shelf.of, element_vectors=shelf.of)


def person(captions):
    rows = [CaptionIn(t, f"r{i}", None, "", "x", None) for i, t in enumerate(captions)]
    return persona_from_captions("somebody", rows).person


CAPTIONS = [
    "A wooden boat in the fog beside a stone pier, soft morning light, a red lantern.",
    "An old harbour at dusk, golden light on wet stone, a fisherman mending a net.",
]


def captioner(captions):
    remaining = iter(captions)

    async def caption(picture):
        return next(remaining)

    return caption


def test_v22_p62_vprag_on_references_retrieves_phrases_that_stand_in_their_captions():
    models = PictureModels(caption=captioner(CAPTIONS), person=person, texts=texts())
    found = plan("vprag_refs", ask(count=2, prompt="a door by the sea"), models=models)
    assert found.elements and found.trace is not None
    assert all(any(e.text in caption for caption in CAPTIONS) for e in found.elements)
    assert found.prompt.startswith("a door by the sea")
    assert found.writer == "offline"


def test_p62_vprag_with_a_writer_asks_it_once_with_the_elements():
    chat = ScriptedChat(["A door by the sea, in fog."])
    models = PictureModels("vlm", chat, captioner(CAPTIONS), person, texts())
    found = plan("vprag_refs", ask(count=2, prompt="a door by the sea"), models=models)
    assert found.prompt == "A door by the sea, in fog."
    assert found.elements[0].text in chat.requests[0].messages[1].text


def test_x9_a_caption_that_failed_is_the_plans_fault():
    async def failing(picture):
        raise CallFailed("refused", "vlm did not caption a reference")

    models = PictureModels("vlm", ScriptedChat([]), failing, person, texts())
    found = plan("vprag_refs", ask(), models=models)
    assert (found.prompt, found.fault) == (None, "refused")


def test_caption_request_shows_one_picture_only():
    picture = halves(*WARM)
    request = caption_request(picture, PictureMethodSettings())
    assert [part.sha256 for part in request.messages[1].images] == [picture.sha256]


def test_p2_every_method_has_a_way_and_a_family():
    assert {entry.way for entry in OURS.values()} == {"text", "edit", "tune", "feedback"}
    assert [name for name, entry in OURS.items() if entry.asks] == ["fusion", "vprag_refs"]
    with pytest.raises(UnknownName, match="Did you mean 'fusion'"):
        picture_method("fusoin")


def test_p62_pictures_sent_to_a_vlm_are_made_smaller_where_asked():
    big = halves(*WARM, side=300)
    asked = PictureAsk("1", "x", nameless([big]))
    small = fusion_request(asked, PictureMethodSettings(picture_side=64)).messages[1].images[0]
    assert (small.width, small.height) == (64, 64)
    assert small.sha256 != big.sha256
    whole = fusion_request(asked, PictureMethodSettings(picture_side=None)).messages[1].images[0]
    assert whole.sha256 == big.sha256
    assert np.asarray(big.pixels).flags.writeable is False
