"""What an MMPB run will do, checked before anything is asked or paid."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from eyeprint.errors import UsageError, shown
from eyeprint.methods.dialogue_files import read_dialogues
from eyeprint.methods.dialogues import Dialogue, dialogues_digest, first_turns
from eyeprint.methods.dialogues import dialogues as shipped_dialogues
from eyeprint.methods.injection import InjectionSettings
from eyeprint.models.catalog import load_chat
from eyeprint.models.chat_http import HttpSettings
from eyeprint.models.kinds import Chat
from eyeprint.models.prices import Price
from eyeprint.protocols.display import Display, Quiet
from eyeprint.protocols.mmpb_data import Chosen, choose_data
from eyeprint.protocols.mmpb_given import read_given
from eyeprint.protocols.mmpb_settings import (
    OFFLINE_GRADER,
    Grid,
    MmpbRun,
    ModelAsked,
    grid_settings,
)
from eyeprint.protocols.run_digests import digest_of
from eyeprint.records.concept_data import ConceptData
from eyeprint.records.concept_settings import ConceptSetting, DialogueKind
from eyeprint.scores.mmpb_model_facts import ModelFacts, read_model_facts
from eyeprint.store.ledger import Ledger


@dataclass
class MmpbPlan:
    """A checked run with its data and models."""

    run: MmpbRun
    data: ConceptData
    chats: dict[str, Chat]
    """Model -> chat, of those that are asked."""
    grader: Chat | None
    dialogues: dict[str, tuple[Dialogue, ...]]
    """Kind of dialogue -> all that there are, of the kinds that are needed."""
    given: dict[str, dict[str, str]]
    """Model -> question id -> ready answer."""
    facts: dict[str, ModelFacts]
    price: Price | None = None
    notes: list[str] = field(default_factory=list)
    unusable: dict[str, str] = field(default_factory=dict)
    """Picture -> why it cannot be used; known once the pictures were looked at."""

    def folder(self, out: str | Path | None) -> Path:
        """Return the run's folder: the one named, or ``runs/mmpb-<fingerprint>``."""
        return Path(out) if out else Path("runs") / f"mmpb-{self.run.fingerprint()[:12]}"

    def ledger_place(self, folder: Path, place: str | None) -> str | Path:
        """Return the ledger named, else ``$EYEPRINT_LEDGER``, else one in the run's folder."""
        return place or os.environ.get("EYEPRINT_LEDGER") or folder / "ledger.sqlite"

    def ledger(self, folder: Path, place: str | None) -> Ledger:
        """Open the ledger at :meth:`ledger_place`."""
        return Ledger(self.ledger_place(folder, place))

    @property
    def references(self) -> int:
        """The most reference pictures of a concept that a setting shows."""
        return max((setting.images for setting in self.run.settings), default=0)


def plan_mmpb(
    data: str | Path | ConceptData,
    models: Sequence[str] = ("nearest",),
    *,
    grid: Grid | None = None,
    chosen: Chosen | None = None,
    given: Mapping[str, str | Path] | None = None,
    dialogues: str | Path | None = None,
    strip_dialogues: bool = True,
    talk: str = "same",
    given_setting: str = "",
    injection: InjectionSettings | None = None,
    instruction: str = "none",
    temperature: float | None = 0.0,
    top_p: float | None = None,
    max_tokens: int | None = 1024,
    model_seed: int | None = None,
    max_side: int | None = 1024,
    grader: str = OFFLINE_GRADER,
    facts: str | Path | None = None,
    seed: int = 0,
    bootstraps: int = 2000,
    price: Price | None = None,
    concurrency: int | None = None,
    asking: bool = True,
    display: Display | None = None,
) -> MmpbPlan:
    """Check everything a run needs, and load data and models.

    Args:
        data: a data root, a Parquet file, ``toybox``, ``hub``, or data that were opened already.
        models: names of chat models that see pictures; ``nearest`` needs no network.
        grid: the settings; by default the paper's four and their controls.
        chosen: which questions.
        given: name -> file of answers that were made elsewhere.
        dialogues: a file of dialogues of your own, in place of the general ones.
        strip_dialogues: whether turns that speak of the question's concept are passed over.
        talk: "same" for one first dialogue, "by_concept" for one drawn for each concept.
        given_setting: label of the setting that ``given`` counts for; else the first plain one.
        grader: who grades free answers.
        facts: CSV of model facts: leaderboard ranks, open or closed, size, human.
        asking: false for a dry run, whose models need no key.

    Raises:
        UsageError: a name or number is wrong, or nothing is left to ask.
        DataError: the data cannot be used. ModelUnavailable, MissingExtra: a model cannot be had.
    """
    display = display or Quiet()
    grid = grid or Grid()
    settings = grid_settings(grid)
    found = choose_data(data, settings, chosen or Chosen(), seed, display)
    ready, files = read_given(given or {}, found.data)
    asked = _named(models, ready)
    http = HttpSettings(**({} if concurrency is None else {"at_once": concurrency}))

    def load(name: str) -> Chat:
        return load_chat(
            name, settings=http, price=price, on_wait=display.waiting, needs_key=asking
        )

    chats = {name: load(name) for name in asked}
    free = any(setting.form == "open" for setting in settings)
    judge = load(grader) if free and grader != OFFLINE_GRADER else None
    told, digest = _dialogues(settings, dialogues)
    run = MmpbRun.checked(
        {
            "data": found.data.fingerprint(),
            "questions": len(found.data.questions),
            "models": (
                *(
                    ModelAsked(name=name, identity=identity_of_chat(chat))
                    for name, chat in chats.items()
                ),
                *(ModelAsked(name=name, identity=files[name], given=True) for name in ready),
            ),
            "settings": settings,
            "injection": injection or InjectionSettings(),
            "instruction": instruction,
            "dialogues": digest,
            "strip_dialogues": strip_dialogues,
            "talk": talk,
            "given_setting": given_setting,
            "temperature": temperature,
            "top_p": top_p,
            "max_tokens": max_tokens,
            "model_seed": model_seed,
            "max_side": max_side,
            "grader": grader if free else OFFLINE_GRADER,
            "facts": digest_of(Path(facts)) if facts else "",
            "seed": seed,
            "bootstraps": bootstraps,
        },
        "the options of this run",
    )
    known = read_model_facts(facts) if facts else {}
    if ready:
        run.setting_of_ready_answers()  # None is told before anything is done.
    return MmpbPlan(
        run=run,
        data=found.data,
        chats=chats,
        grader=judge,
        dialogues=told,
        given=ready,
        facts=known,
        price=price,
        notes=[*found.notes, *_told(ready, known, run)],
    )


def identity_of_chat(chat: Chat) -> str:
    """Return what tells a model of a name from another of that name: weights, or where it is.

    >>> from eyeprint.models.fakes import EchoChat
    >>> identity_of_chat(EchoChat())
    ''
    """
    known = str(getattr(chat, "ledger_name", chat.name))
    return str(getattr(chat, "fingerprint", "")) or (known if known != chat.name else "")


def _named(models: Sequence[str], ready: Mapping[str, object]) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name.strip() for name in models if name.strip()))
    if not names and not ready:
        raise UsageError(
            "No model was named. Use --model nearest, or a chat model that sees pictures."
        )
    for name in (*names, *ready):
        if not _is_text(name):
            raise UsageError(f"'{shown(name)}' holds bytes that are no UTF-8 text.")
    for name in names:
        if name in ready:
            raise UsageError(f"'{shown(name)}' is both asked and given ready answers of.")
    return names


def _is_text(name: str) -> bool:
    """Tell whether a name can be written to files; bytes of a shell that are no text cannot."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _told(
    ready: Mapping[str, Mapping[str, str]], facts: Mapping[str, ModelFacts], run: MmpbRun
) -> Iterator[str]:
    """Yield notes on ready answers of some questions only, and on facts of nobody asked."""
    for name, replies in ready.items():
        if len(replies) < run.questions:
            yield (
                f"{shown(name)} has ready answers to {len(replies):,} of {run.questions:,} "
                "questions, and is counted on those alone: compare it with others on the same."
            )
    names = [model.name for model in run.models]
    if facts and not any(name in facts for name in names):
        yield (
            f"The table of facts names none of this run's models ({', '.join(map(shown, names))}); "
            f"its models are {', '.join(map(shown, list(facts)[:5]))}."
        )


def _dialogues(
    settings: Sequence[ConceptSetting], file: str | Path | None
) -> tuple[dict[str, tuple[Dialogue, ...]], str]:
    """Return the dialogues that settings need, by kind, and their identity."""
    longest: dict[DialogueKind, int] = {}
    for setting in settings:
        if setting.turns:
            longest[setting.dialogue] = max(longest.get(setting.dialogue, 0), setting.turns)
    own = read_dialogues(file) if file is not None else None
    found: dict[str, tuple[Dialogue, ...]] = {}
    for kind, count in longest.items():
        told = own if kind == "general" and own is not None else shipped_dialogues(kind)
        what = f"dialogues of {file}" if told is own else f"{kind} dialogues"
        first_turns(told, count, what=what)  # Too few of them are told here.
        found[kind] = tuple(told)
    if not longest:
        return found, ""
    if own is None:
        return found, dialogues_digest()
    return found, digest_of(Path(str(file)))
