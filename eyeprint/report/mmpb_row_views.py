"""The lines of an MMPB run's files as frozen, typed views: replies, examples, sessions."""

from __future__ import annotations

from pydantic import Field

from eyeprint.report.run_files import View


class AnswerView(View):
    """What one model said to one question in one setting."""

    question: str
    model: str
    setting: str
    key: str
    outcome: str
    concept: str = ""
    said: str | None = None
    right: bool = False
    rule: str = ""
    alternatives: tuple[str, ...] = ()
    refusal: str = ""
    reply: str = ""
    detail: str = ""


class QuestionView(View):
    """A question as it was asked."""

    id: str
    concept: str = ""
    category: str = ""
    question: str
    options: dict[str, str] = Field(default_factory=dict)
    answer: str
    topic: str = ""
    target: str | None = None
    entities: str | None = None
    negated: bool | None = None
    concept_only: str = ""


class ExampleView(View):
    """A question that is shown, with small pictures."""

    task: str
    question: QuestionView
    moderate: str = ""
    preference: str = ""
    picture: str = ""
    references: tuple[str, ...] = ()


class UnaidedQuestionView(View):
    """A question that a model got right without any concept."""

    model: str
    setting: str
    question: str
    concept: str = ""
    type: str = ""
    group: str = ""
    topic: str = ""
    said: str | None = None
    key: str = ""
    chance: float = 0.0
    blind: bool = False
    reply: str = ""


class ChangeView(View):
    """An answer that is read otherwise than when the run was made."""

    model: str
    setting: str
    question: str
    key: str = ""
    before: str = ""
    now: str = ""
    rule: str = ""
    reply: str = ""


class SessionModelView(View):
    """What one model took in one start of the run."""

    model: str
    calls: int = 0
    from_ledger: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    cost_unknown: int = 0
    seconds: float = 0.0


class SessionView(View):
    """One start of the run."""

    at: str = ""
    seconds: float = 0.0
    models: tuple[SessionModelView, ...] = ()


class AskedView(View):
    """A model of the run's settings."""

    name: str
    identity: str = ""
    given: bool = False


class MmpbSettings(View):
    """The settings that the report speaks about; all of them are in the manifest."""

    data: str = ""
    questions: int = 0
    models: tuple[AskedView, ...] = ()
    temperature: float | None = None
    max_tokens: int | None = None
    max_side: int | None = None
    grader: str = ""
    seed: int = 0
    bootstraps: int = 0
