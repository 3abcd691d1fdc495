"""Short prompts that name content only: offline, and by a chat model (P44, P3)."""

import asyncio
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyeprint.errors import CallFailed
from eyeprint.models.fakes import ScriptedChat
from eyeprint.models.kinds import Reply
from eyeprint.people.content_captions import (
    CaptionSettings,
    caption_by_chat,
    caption_offline,
    count_captions,
)
from eyeprint.people.content_words import content_of, style_words, style_words_in, without_style
from eyeprint.records.pictures import Picture
from tests.people.made_pictures import made_picture

PROMPTS = {
    "Minimalist watercolor painting of a bowl of lemons on a linen cloth, pastel palette": (
        "a bowl of lemons on a linen cloth"
    ),
    "Portrait of an elderly fisherman mending nets, Rembrandt lighting, 85mm": (
        "an elderly fisherman mending nets"
    ),
    "A dramatic low-angle shot of a skyscraper under a storm": "a skyscraper under a storm",
    "Surreal floating islands with waterfalls, dreamy pastel colors": (
        "floating islands with waterfalls"
    ),
    "A 3D render of a robot barista, neon lights, cyberpunk city at night": "a robot barista",
    "golden retriever puppy on a red blanket": "golden retriever puppy on a blanket",
    "Black cat and white dog in a garden with orange flowers": (
        "cat and dog in a garden with flowers"
    ),
    "A camera on a desk, film grain": "a camera on a desk",
    "A lighthouse bathed in golden light": "a lighthouse",
    "A diver surfacing in a round pool, vivid": "a diver surfacing in a round pool",
    "In the style of Van Gogh, stars over a village": "stars over a village",
    "Cinematic, moody, a fox on a hill": "a fox on a hill",
    "An orange umbrella": "an umbrella",
    "A blue anvil": "an anvil",
    "An amber-toned unicorn": "a unicorn",
    "A green meadow and a farmhouse below round hills": (
        "a meadow and a farmhouse below round hills"
    ),
    "A staircase rising out of the sea under two moons, a surreal collage": (
        "a staircase rising out of the sea under two moons"
    ),
    "An open book and round glasses under a desk lamp": (
        "an open book and round glasses under a desk lamp"
    ),
    "A photograph of a stack of comics on a table": "a stack of comics on a table",
    "A stack of comics on a low table, a fresh photograph": "a stack of comics on a low table",
    "A dragon of neon light above a market": "a dragon above a market",
    "A crowded night market": "a crowded night market",
    "A skyline of office towers at blue hour": "a skyline of office towers",
    "A town square on a quiet afternoon": "a town square",
    "Folded planes leaning on each other": "folded planes leaning on each other",
}


@pytest.mark.parametrize(("prompt", "content"), PROMPTS.items())
def test_p44_the_short_prompt_names_content_only(prompt: str, content: str):
    assert content_of(prompt).text == content
    assert style_words_in(content) == ()


def test_p44_the_writers_own_subject_and_setting_count():
    told = content_of("A vivid photo, nothing static", "a red kite", "over a quiet beach at dusk")
    assert told.text == "a kite over a beach"
    assert told.left_out == ("red", "quiet", "dusk")


def test_p44_a_list_keeps_its_commas():
    told = content_of("x", "feathers, stones and a field notebook", "on moss")
    assert told.text == "feathers, stones and a field notebook on moss"
    assert content_of("x", "red, yellow and blue blocks").text == "blocks"
    assert without_style("a fox, stones, in pastel tones").text == "a fox, stones"


plain_words = ["a", "the", "of", "in", "fox", "lake", "and", "soft", ",", "late", "unicorn"]
some_words = [*sorted(style_words())[::7], *plain_words]


@given(st.lists(st.sampled_from(some_words), max_size=14))
def test_p44_what_is_left_is_short_and_stays_as_it_is(parts: list[str]):
    found = without_style(" ".join(parts))
    words = found.text.split()
    assert len(words) <= 12
    again = without_style(found.text)
    assert len(again.text.split()) <= len(words)
    assert all(word in " ".join(parts) for word in found.left_out)


def test_p44_long_contents_lose_whole_phrases_from_the_end():
    text = "an old man with a grey beard and a cane beside a horse in front of a barn under snow"
    found = content_of("", text, most_words=9)
    assert found.text == "an old man with a beard and a cane"


def test_offline_captions_without_a_prompt_tell_the_layout_and_say_so():
    flat = Picture.of(np.full((64, 64, 3), 90, np.uint8))
    assert caption_offline(flat)[:2] == ("an even surface", "layout")
    sky = np.full((64, 64, 3), 220, np.uint8)
    sky[32:] = 30
    assert caption_offline(Picture.of(sky)).text == "a view with a level horizon"
    assert caption_offline(None, "Serenity").source == "layout"
    assert caption_offline(made_picture(1), "a photo of a kite").source == "prompt"


def by_chat(*script: str | Reply, **settings: object):
    chat = ScriptedChat([json.dumps({"caption": s}) if isinstance(s, str) else s for s in script])
    found = asyncio.run(caption_by_chat(chat, made_picture(1), CaptionSettings(**settings)))
    return found, chat


def test_p44_a_chat_model_is_shown_the_picture_and_nothing_else():
    found, chat = by_chat("A fox beside a frozen lake.")
    assert found == ("A fox beside a frozen lake", "scripted", (), False, False)
    (request,) = chat.requests
    assert len(request.messages) == 1
    assert len(request.messages[0].images) == 1
    assert request.messages[0].images[0].width <= 768


def test_p44_words_of_style_are_told_to_the_model_once():
    found, chat = by_chat("a moody photograph of a fox", "a fox beside a lake")
    assert found.text == "a fox beside a lake"
    assert found.style_words == ("photograph",) or "photograph" in found.style_words
    assert found.asked_again
    assert not found.taken_out
    again = chat.requests[1]
    assert again.messages[0].images  # the picture is still there
    assert "photograph" in again.messages[-1].text


def test_p44_what_remains_after_the_repair_is_taken_out_and_counted():
    found, _ = by_chat("a red fox in golden light", "an orange fox in golden light")
    assert found.text == "a fox"
    assert found.taken_out
    counts = count_captions([found, caption_offline(None, "a kite")])
    assert counts.sources == {"prompt": 1, "scripted": 1}
    assert (counts.asked_again, counts.taken_out) == (1, 1)
    assert counts.style_words["golden"] == 1


def test_p44_captions_of_a_wrong_length_are_asked_for_again():
    found, chat = by_chat("fox", "a fox beside a lake")
    assert found.text == "a fox beside a lake"
    assert "3 at least" in chat.requests[1].messages[-1].text


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (Reply(text="", outcome="empty"), "empty"),
        (Reply(text="I cannot.", outcome="refused"), "refused"),
        (Reply(outcome="failed", failure="timeout", detail="late"), "timeout"),
        (Reply(text="no JSON here"), "invalid"),
    ],
)
def test_x9_no_caption_is_a_failure_of_its_kind(reply: Reply, kind: str):
    with pytest.raises(CallFailed) as caught:
        by_chat(reply, reply)
    assert caught.value.kind == kind


@pytest.mark.parametrize(
    "text", ['"A fox on a hill."', "Caption: a fox on a hill", "“A fox on a hill”"]
)
def test_p44_quotation_marks_and_titles_are_no_part_of_the_caption(text: str):
    found, _ = by_chat(text)
    assert found.text.lower() == "a fox on a hill"


def test_x9_a_refusal_that_a_server_takes_for_an_answer_is_told_as_one():
    with pytest.raises(CallFailed) as told:
        by_chat(*2 * [Reply(text="I'm sorry, but I can't help with that.", outcome="answered")])
    assert told.value.kind == "refused"
