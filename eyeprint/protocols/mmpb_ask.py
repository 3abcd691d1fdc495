"""What an MMPB run asks: items in an order that lets servers reuse prefixes, and their requests.

Questions that share injection and dialogue go out one after another, so that a server's
prefix cache has read all but the question: model, then concept, then setting, then question.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from eyeprint.errors import CallFailed
from eyeprint.methods.conversation import history, query, query_text, target_name
from eyeprint.methods.dialogues import Dialogue
from eyeprint.methods.injection import injection, shown_concepts
from eyeprint.models.kinds import Chat, ChatRequest, ImagePart, Message
from eyeprint.protocols.mmpb_pictures import ConceptPictures
from eyeprint.protocols.mmpb_settings import MmpbRun, ModelAsked
from eyeprint.protocols.mmpb_talk import Talks, message_tokens
from eyeprint.protocols.mmpb_trouble import Trouble
from eyeprint.records.concept_data import ConceptData
from eyeprint.records.concept_questions import ConceptQuestion
from eyeprint.records.concept_settings import ConceptSetting
from eyeprint.records.work import Work


def answer_key(model: str, setting: str, question: str) -> str:
    """Return an item's name in the run's folder; any text may be in its parts.

    >>> key_parts(answer_key("echo", "no concept", "a\\tb"))
    ('echo', 'no concept', 'a\\tb')
    """
    return json.dumps([model, setting, question])


def key_parts(key: str) -> tuple[str, str, str]:
    """Return model, setting and question of an item's name."""
    model, setting, question = json.loads(key)
    return model, setting, question


class Prefix(NamedTuple):
    """What several questions share: everything before the last message."""

    messages: tuple[Message, ...]
    name: str
    """What the target is called."""
    tokens: int
    """Estimated, of all messages."""
    dialogue_tokens: int
    """Estimated, of what is said between injection and question."""


class AskItem(NamedTuple):
    """One question to one model in one setting."""

    model: str
    setting: ConceptSetting
    question: ConceptQuestion
    prefix: Prefix | None
    """``None`` for ready answers."""
    shared_tokens: int

    @property
    def key(self) -> str:
        """The item's name in the run's folder: model, setting and question."""
        return answer_key(self.model, self.setting.label, self.question.id)


class RawAnswer(Work):
    """What came back, before anybody reads it: a row of the run's ``answers`` table.

    It can be read again without the data, the models, or a call.
    """

    model: str
    setting: str
    question: str
    outcome: str
    text: str = ""
    finish_reason: str | None = None
    detail: str = ""
    served_model: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    prompt_tokens: int = 0
    dialogue_tokens: int = 0
    shared_tokens: int = 0


class Asker:
    """Builds items and requests of a run, and asks its models.

    Args:
        run: the settings.
        data: concepts and questions.
        pictures: prepared.
        dialogues: kind of dialogue -> all that there are.
        chats: model -> chat, wrapped in the ledger.
        given: model -> question id -> ready answer.
    """

    def __init__(
        self,
        run: MmpbRun,
        data: ConceptData,
        pictures: ConceptPictures,
        dialogues: Mapping[str, Sequence[Dialogue]],
        chats: Mapping[str, Chat],
        given: Mapping[str, Mapping[str, str]],
    ) -> None:
        self.run, self.data, self.pictures = run, data, pictures
        self.chats, self.given = chats, given
        self.trouble = Trouble()
        self._talks = Talks(run, dialogues)
        references = max((setting.images for setting in run.settings), default=0)
        levels = {setting.level for setting in run.settings if setting.level is not None}
        self._pool = {
            name: concept
            for name, concept in data.concepts.items()
            if pictures.complete(concept, references)
            and all(concept.description(level).strip() for level in levels)
        }
        self._by_concept: dict[str, list[ConceptQuestion]] = {}
        for question in data.questions:
            if question.concept in self._pool and question.image not in pictures.faults:
                self._by_concept.setdefault(question.concept, []).append(question)

    @property
    def questions(self) -> int:
        """How many questions can be asked."""
        return sum(map(len, self._by_concept.values()))

    def asked(self) -> Iterator[ConceptQuestion]:
        """Yield the questions that can be asked, concept by concept."""
        for questions in self._by_concept.values():
            yield from questions

    def check(self) -> None:
        """Find out before anything is asked whether every setting can be asked of every concept.

        Raises:
            UsageError: there are too few other concepts, or too few turns that do not speak of one.
        """
        for questions in self._by_concept.values():
            concept = self.data.concepts[questions[0].concept]
            for setting in self.run.settings:
                shown_concepts(questions[0], setting, self._pool, self.run.seed, self.run.injection)
                self._talks.of(setting, concept)

    def total(self) -> int:
        """How many items there are."""
        asked = sum(not model.given for model in self.run.models)
        ready = sum(
            question.id in self.given[model.name]
            for model in self.run.models
            if model.given
            for question in self.asked()
        )
        return asked * len(self.run.settings) * self.questions + ready

    def items(self) -> Iterator[AskItem]:
        """Yield all items: the same ones in the same order in every session."""
        for model in self.run.models:
            if model.given:
                yield from self._ready(model)
                continue
            before: tuple[Message, ...] = ()
            for questions in self._by_concept.values():
                for setting in self.run.settings:
                    for question, prefix in self._prefixed(setting, questions):
                        shared = self._shared(before, prefix)
                        before = prefix.messages
                        yield AskItem(model.name, setting, question, prefix, shared)

    def _ready(self, model: ModelAsked) -> Iterator[AskItem]:
        answers = self.given[model.name]
        setting = self.run.setting_of_ready_answers()
        for question in self.asked():
            if question.id in answers:
                yield AskItem(model.name, setting, question, None, 0)

    def _prefixed(
        self, setting: ConceptSetting, questions: Sequence[ConceptQuestion]
    ) -> Iterator[tuple[ConceptQuestion, Prefix]]:
        alike = setting.concepts == 1 or self.run.injection.draw == "concept"
        prefix: Prefix | None = None
        for question in questions:
            if prefix is None or not alike:
                prefix = self.prefix(setting, question)
            yield question, prefix

    def prefix(self, setting: ConceptSetting, question: ConceptQuestion) -> Prefix:
        """Return everything that is said before a question.

        Raises:
            DataError: a concept lacks what the setting shows. UsageError: too few concepts.
        """
        shown, place = shown_concepts(
            question, setting, self._pool, self.run.seed, self.run.injection
        )
        told = injection(shown, place, self.pictures.part, self.run.injection)
        talk = self._talks.of(setting, self.data.concepts[question.concept])
        after = talk.tokens[2 * setting.position :] if told else talk.tokens
        return Prefix(
            messages=history(told, talk.messages, setting.position),
            name=target_name(len(shown), place, self.run.injection),
            tokens=sum(map(message_tokens, told)) + sum(talk.tokens),
            dialogue_tokens=sum(after),
        )

    @staticmethod
    def _shared(before: tuple[Message, ...], prefix: Prefix) -> int:
        if before is prefix.messages:
            return prefix.tokens
        shared = 0
        for one, other in zip(before, prefix.messages, strict=False):
            if one != other:
                break
            shared += message_tokens(one)
        return shared

    def request(self, item: AskItem) -> ChatRequest:
        """Return the request of an item.

        Raises:
            DataError: its picture cannot be used. ValueError: it is a ready answer.
        """
        if item.prefix is None:
            raise ValueError(f"{item.key}: a ready answer is not asked for")
        picture = self._picture(item)
        text = query_text(item.question, item.setting, item.prefix.name, self.run.instruction)
        return ChatRequest(
            messages=(*item.prefix.messages, query(picture, text)),
            temperature=self.run.temperature,
            top_p=self.run.top_p,
            max_tokens=self.run.max_tokens,
            seed=self.run.model_seed,
        )

    def _picture(self, item: AskItem) -> ImagePart:
        path = item.question.image
        return self.pictures.black(path) if item.setting.blind else self.pictures.part(path)

    async def ask(self, item: AskItem) -> RawAnswer:
        """Ask, and return what came back as it is.

        Raises:
            CallFailed: there is no reply; ``kind`` says why.
            BudgetReached: the next call could pass the limit.
        """
        if item.prefix is None:
            text = self.given[item.model][item.question.id]
            outcome = "answered" if text.strip() else "empty"
            return RawAnswer(**_who(item), outcome=outcome, text=text)
        if self.trouble.given_up(item.model):
            # Others have their turn between them: a Ctrl-C is heard, shards are written.
            await asyncio.sleep(0)
        self.trouble.check(item.model)
        request = self.request(item)
        reply = await self.chats[item.model].reply(request)
        self.trouble.note(item.model, reply)
        if reply.outcome == "failed":
            raise CallFailed(reply.failure or "failed", reply.detail or "the call failed")
        return RawAnswer(
            **_who(item),
            outcome=reply.outcome,
            text=reply.text,
            finish_reason=reply.finish_reason,
            detail=reply.detail,
            served_model=reply.served_model,
            input_tokens=reply.usage.input_tokens,
            output_tokens=reply.usage.output_tokens,
            cost_usd=reply.cost_usd,
            prompt_tokens=item.prefix.tokens + message_tokens(request.messages[-1]),
            dialogue_tokens=item.prefix.dialogue_tokens,
            shared_tokens=item.shared_tokens,
        )


def _who(item: AskItem) -> dict[str, str]:
    return {
        "model": item.model,
        "setting": item.setting.label,
        "question": item.question.id,
    }
