"""All that a model is told for one question: injection, dialogue, query (CHECKLIST M4, M36–M40).

::

    user        <sks> is a red mug.              injection, after `position` turns
    assistant   I got it.
    user        ...                              `turns` turns of dialogue
    assistant   ...
    user        [picture] Is <sks> in the image? the query
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Literal

from eyeprint.methods.dialogues import Turn
from eyeprint.methods.injection import InjectionSettings, name_of, names_of
from eyeprint.models.kinds import ImagePart, Message
from eyeprint.records.concept_open import open_question
from eyeprint.records.concept_questions import ConceptQuestion
from eyeprint.records.concept_settings import ConceptSetting, Prompting
from eyeprint.records.concepts import SKS

FILE = Path(__file__).parent / "data" / "concept_prompting.toml"
Instruction = Literal["none", "short"]
"""What is added after a question: nothing, as in the released code; or the form of the answer."""
_ASK_LETTER = "Answer with the letter of one option."
_ASK_YES_NO = "Answer Yes or No."


@cache
def prompting_texts() -> dict[str, str]:
    """Return strategy -> what stands before the question, with ``{name}`` for the concept.

    >>> prompting_texts()["zero_shot"]
    ''
    """
    table = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return {name: str(entry["text"]) for name, entry in table.items()}


def prompting_text(prompting: Prompting, name: str) -> str:
    """Return what stands before a question about the concept of this name.

    >>> prompting_text("reminder", "<sks_0>").split()[6]
    '<sks_0>'
    """
    return prompting_texts()[prompting].replace("{name}", name)


def query_text(
    question: ConceptQuestion,
    setting: ConceptSetting,
    name: str = SKS,
    instruction: Instruction = "none",
) -> str:
    """Return the text of the last message: what stands before, question, options, what is asked.

    >>> asked = ConceptQuestion(id="1", concept="m", category="object", type="coherency",
    ...     group="recognition", question="Where is <sks>?", options={"A": "On a shelf",
    ...     "B": "In a box"}, answer="A", image="a.png")
    >>> print(query_text(asked, ConceptSetting()))
    Where is <sks>?
    Options:
    A. On a shelf
    B. In a box
    """
    free = setting.form == "open"
    lines = [prompting_text(setting.prompting, name)]
    lines.append(
        (open_question(question) if free else question.question.strip()).replace(SKS, name)
    )
    if question.options and not free:
        lines.append("Options:")
        lines += [
            f"{letter}. {text.replace(SKS, name)}" for letter, text in question.options.items()
        ]
    if instruction == "short" and not free:
        # A yes/no question may say so itself, after its question mark.
        said = question.question.partition("?")[2].strip()
        if question.options:
            lines.append(_ASK_LETTER)
        elif not said:
            lines.append(_ASK_YES_NO)
    return "\n".join(line for line in lines if line)


def target_name(count: int, place: int, settings: InjectionSettings | None = None) -> str:
    """Return what the target is called among ``count`` injected concepts.

    >>> target_name(10, 5), target_name(0, 0)
    ('<sks_0>', '<sks>')
    """
    if count < 2:
        return name_of(0, 1)
    return names_of(count, place, settings or InjectionSettings())[place]


def spoken(turns: Sequence[Turn]) -> tuple[Message, ...]:
    """Return turns of dialogue as messages."""
    return tuple(
        message
        for turn in turns
        for message in (
            Message(role="user", text=turn.user),
            Message(role="assistant", text=turn.assistant),
        )
    )


def history(
    introduced: Sequence[Message], dialogue: Sequence[Message], position: int
) -> tuple[Message, ...]:
    """Return what stands before the query: the injection after ``position`` turns of dialogue.

    >>> talk = spoken([Turn("Hi", "Hello")])
    >>> told = (Message(role="user", text="<sks> is a mug."),)
    >>> [each.text for each in history(told, talk, 1)]
    ['Hi', 'Hello', '<sks> is a mug.']
    """
    place = 2 * position
    return (*dialogue[:place], *introduced, *dialogue[place:])


def query(picture: ImagePart, text: str) -> Message:
    """Return the last message: the picture, then the text."""
    return Message.of("user", picture, text)
