"""Questions of the toybox answered in sentences, against a slow twin (CHECKLIST M16–M18)."""

from __future__ import annotations

import re

import pytest

from eyeprint.models.kinds import Reply
from eyeprint.people.toybox_asking import ANSWER_YES_OR_NO, question_forms
from eyeprint.records.concept_questions import ConceptQuestion
from eyeprint.scores.replies import read_answer

# A question's form, the sentence that says yes to it, and the one that says no.
RESTATED = [
    (r"Is <sks> in the image", "<sks> is in the image.", "<sks> is not in the image."),
    (
        r"Is one of those in the picture <sks>",
        "One of those in the picture is <sks>.",
        "None of those in the picture is <sks>.",
    ),
    (
        r"Is <sks> (missing from|absent from|not present in) this (?:picture|image)",
        r"<sks> is \1 this picture.",
        "<sks> is in this picture.",
    ),
    (
        r"Is <sks> missing from the picture",
        "<sks> is missing from the picture.",
        "<sks> is not missing from the picture.",
    ),
    (
        r"Is <sks> nowhere to be seen in this image",
        "<sks> is nowhere to be seen in this image.",
        "<sks> can be seen in this image.",
    ),
    (
        r"(?:Does this picture show|Is) <sks>(?: present in this image)?",
        "This picture shows <sks>.",
        "This picture does not show <sks>.",
    ),
    (
        r"Is it true that this picture does not show <sks>",
        "This picture does not show <sks>.",
        "This picture shows <sks>.",
    ),
    (
        r"Can <sks> be seen in this picture",
        "<sks> can be seen in this picture.",
        "<sks> cannot be seen in this picture.",
    ),
    (
        r"Does this picture show nothing that <sks> (\w+)",
        r"This picture shows nothing that <sks> \1.",
        r"This picture shows something that <sks> \1.",
    ),
    (
        r"Does this picture show something that <sks> (\w+)",
        r"This picture shows something that <sks> \1.",
        r"This picture shows nothing that <sks> \1.",
    ),
    (
        r"Is everything that <sks> (\w+) missing from this image",
        r"Everything that <sks> \1 is missing from this image.",
        r"Not everything that <sks> \1 is missing from this image.",
    ),
    (
        r"Would <sks> be (put off by|pleased with) something shown in this image",
        r"<sks> would be \1 something shown in this image.",
        r"<sks> would not be \1 anything shown in this image.",
    ),
    (
        r"Is it true that nothing in this picture is something <sks> is known to (\w+)",
        r"Nothing in this picture is something <sks> is known to \1.",
        r"The picture shows something that <sks> is known to \1.",
    ),
    (
        r"Is there anything in this picture that <sks> is known to (\w+)",
        r"There is something in this picture that <sks> is known to \1.",
        r"There is nothing in this picture that <sks> is known to \1.",
    ),
    (
        r"Does the image contain a thing (to <sks>'s liking|that <sks> would rather avoid)",
        r"The image contains a thing \1.",
        r"The image does not contain a thing \1.",
    ),
    (
        r"Is this image without a thing (to <sks>'s liking|that <sks> would rather avoid)",
        r"This image is without a thing \1.",
        r"This image is not without a thing \1.",
    ),
]
FORMS = [
    (about, form, text)
    for about in ("presence", "like", "dislike")
    for form, texts in question_forms()[about].items()
    for text in texts
]
CHOICES = [
    (about, text) for about, texts in question_forms()["coherency"].items() for text in texts
]
OF_PICTURE = {"A": "a checked flag", "B": "a tree stump", "C": "a wrapped gift", "D": "a red bench"}
OF_TASTE = {"A": "baking cakes", "B": "toy rockets", "C": "sunglasses", "D": "growing cacti"}


def _question(text: str, **more: object) -> ConceptQuestion:
    made = {"id": "1", "concept": "Boo", "category": "human", "image": "a.png", "question": text}
    return ConceptQuestion.model_validate({**made, **more})


@pytest.mark.parametrize(("about", "form", "text"), FORMS)
def test_m16_m17_every_form_of_the_toybox_is_read_from_sentences(about, form, text):
    target = None if about == "presence" else about
    question = _question(
        text + ANSWER_YES_OR_NO,
        type="awareness",
        group="recognition" if target is None else "preference",
        answer="Yes",
        target=target,
        negated=form == "negated",
    )
    found = [row for row in RESTATED if re.fullmatch(row[0] + r"\?", text)]
    assert found, f"write down how '{text}' is answered in a sentence"
    pattern, *sentences = found[0]
    match = re.fullmatch(pattern + r"\?", text)
    for want, sentence in zip(("Yes", "No"), sentences, strict=True):
        said = match.expand(sentence)
        for lead in ("", "Looking at the picture, ", f"{want}. ", f"**{want}**\n\n"):
            read = read_answer(Reply(text=lead + said), question)
            assert read.said == want, (lead + said, read)


@pytest.mark.parametrize(("about", "text"), CHOICES)
def test_m18_every_choice_of_the_toybox_is_read_from_sentences(about, text):
    taste = about in ("like", "dislike")
    options = OF_TASTE if taste else OF_PICTURE
    question = _question(
        text,
        type="coherency",
        group="preference" if taste else "recognition",
        answer="A",
        options=options,
    )
    shown = "\n".join(f"{key}. {said}" for key, said in options.items())
    for key, said in options.items():
        other = next(one for one in options.values() if one != said)
        replies = [
            said,
            f"It's {said}, not {other}.",
            f"Not {other}, but {said}.",
            f"{shown}\n\nAnswer: {key}",
            f"I'd go with {said}.",
            f"{said.removeprefix('a ').capitalize()} ({key}).",
        ]
        if about == "like":
            replies += [
                f"<sks> would enjoy {said} most.",
                f"<sks> dislikes {other}, but likes {said}.",
                f"The picture shows {said} and {other}. <sks> hates {other} and loves {said}.",
            ]
        if about == "dislike":
            replies += [
                f"<sks> would like {said} least.",
                f"<sks> would rather avoid {said}.",
                f"<sks> isn't fond of {said}.",
                f"<sks> likes {other}, but dislikes {said}.",
                f"The picture shows {said} and {other}. <sks> loves {other} and hates {said}.",
            ]
        for reply in replies:
            read = read_answer(Reply(text=reply), question)
            assert read.said == key, (reply, read)
