"""Requests to chat models, and prompts read back out of replies."""

import asyncio

import pytest

from eyeprint.methods.compose import prompt_in, read_reply, request_for
from eyeprint.methods.rewrite import method_models, rewrite
from eyeprint.methods.setting import MethodSettings
from eyeprint.models.fakes import HashEncoder
from eyeprint.models.kinds import Reply
from eyeprint.people.shipped import load_people
from eyeprint.records.work import Material, Query

PERSON = load_people("mini")["mini-03"]
MODELS = method_models(HashEncoder())
MATERIAL = Material(person_id="p", query=Query(id="q", text="A park"), method="vprag")


def material(method: str, kind="generation") -> Material:
    query = Query(id="q", text="A preferred outdoor spot", kind=kind)
    return rewrite(query, PERSON, method, models=MODELS).material


def test_v42_nobody_rewrites_the_baseline():
    assert request_for(material("baseline"), MethodSettings()) is None


@pytest.mark.parametrize("method", ["persona_only", "brag", "vprag", "comb"])
def test_v43_v44_v45_a_request_shows_what_the_method_may_see_and_no_more(method):
    found = material(method)
    system, user = request_for(found, MethodSettings()).messages
    assert "at most 150 words" in system.text
    assert "A preferred outdoor spot" in user.text
    assert (PERSON.posts[0].caption in user.text) == (method in ("brag", "comb"))
    assert all(element.text in user.text for element in found.elements)
    assert ("Visual elements" in user.text) == (method in ("vprag", "comb"))
    assert PERSON.description() not in user.text
    assert not any(preference in user.text for preference in PERSON.preferences)


def test_v37_v38_three_phrases_and_editing_are_asked_for_in_words():
    system = request_for(material("vprag"), MethodSettings(mode="three_phrases")).messages[0]
    assert "exactly 3 short visual phrases" in system.text
    assert "at most" not in system.text
    edit = request_for(material("vprag", "editing"), MethodSettings()).messages
    assert "image editor" in edit[0].text
    assert "edits a picture" in edit[1].text


def test_v46_decoding_reaches_the_request():
    request = request_for(MATERIAL, MethodSettings(), {"temperature": 0.1, "seed": 42})
    assert (request.temperature, request.seed, request.top_p) == (0.1, 42, None)


@pytest.mark.parametrize(
    "reply",
    [
        "A red door.",
        '  "A red door."  ',
        "```\nA red door.\n```",
        "```text\nA red door.\n```",
        "**Prompt:** A red door.",
        "Rewritten prompt: “A red door.”",
        "<think>Blue? No.</think>\n\nA red door.",
        "Blue? No.</think>A red door.",
        "A red\n  door.",
    ],
)
def test_the_prompt_is_found_in_a_reply(reply):
    assert prompt_in(reply) == "A red door."


def test_quotation_marks_inside_are_the_prompts_own():
    assert prompt_in('"Open" reads the "sign"') == '"Open" reads the "sign"'


@pytest.mark.parametrize("text", ["", "   ", "<think>never closed", '""', "``````"])
def test_a_reply_without_a_prompt_is_empty_and_says_so(text):
    draft = read_reply(MATERIAL, "m", Reply(text=text), MethodSettings())
    assert draft.prompt is None or draft.prompt in ('""', "``````")
    if draft.prompt is None:
        assert draft.fault == "empty"


@pytest.mark.parametrize("outcome", ["empty", "truncated", "refused", "failed"])
def test_x9_what_is_no_answer_never_becomes_a_prompt(outcome):
    reply = Reply(text="I am sorry", outcome=outcome, detail="why")
    draft = read_reply(MATERIAL, "m", reply, MethodSettings())
    assert (draft.prompt, draft.fault, draft.detail) == (None, outcome, "why")


def test_v37_a_prompt_over_the_limit_ends_with_its_last_whole_sentence():
    text = "One two three. Four five six. Seven eight nine."
    draft = read_reply(MATERIAL, "m", Reply(text=text), MethodSettings(word_limit=7))
    assert draft.prompt == "One two three. Four five six."
    assert draft.words_cut == 3
    endless = read_reply(MATERIAL, "m", Reply(text="w " * 20), MethodSettings(word_limit=7))
    assert (len(endless.prompt.split()), endless.words_cut) == (7, 13)


def test_a_chat_model_writes_from_the_material():
    class Last:
        name = "last"

        async def reply(self, request):
            await asyncio.sleep(0)
            return Reply(text=f"Prompt: a picture. {len(request.messages)} messages")

    found = rewrite("A park", PERSON, "vprag", models=MODELS, writer=Last())
    assert found.draft.prompt == "a picture. 2 messages"
    assert found.draft.writer == "last"
