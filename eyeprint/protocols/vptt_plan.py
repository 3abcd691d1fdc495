"""What a VPTT run will do, checked before anything is started, paid or written."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from eyeprint.errors import UsageError
from eyeprint.methods.compose import PLAIN
from eyeprint.methods.setting import MethodModels, MethodSettings
from eyeprint.models.catalog import load_chat
from eyeprint.models.chat_http import HttpSettings
from eyeprint.models.decoding import decoding_for
from eyeprint.models.kinds import Chat, TextEncoder
from eyeprint.models.prices import Price
from eyeprint.models.text_encoders import load_encoder
from eyeprint.people.shipped import load_several, vector_folder
from eyeprint.protocols.display import Display, Quiet
from eyeprint.protocols.vptt_settings import VpttRun, choose_methods
from eyeprint.protocols.vptt_tasks import choose_tasks
from eyeprint.records.files import People
from eyeprint.scores.person_space import VpttSettings
from eyeprint.store.embeddings import VectorShelf
from eyeprint.store.ledger import Ledger


@dataclass
class Plan:
    """A checked run with its people and models."""

    run: VpttRun
    people: People
    encoder: TextEncoder
    element_encoder: TextEncoder
    chats: dict[str, Chat]
    shelf: VectorShelf
    element_shelf: VectorShelf
    price: Price | None = None
    note: str = ""
    """What a reader should know about the encoder: why it was chosen."""

    @property
    def needs_elements(self) -> bool:
        """Whether a method retrieves elements, so that phrases must be embedded."""
        return any(
            method not in ("baseline", "persona_only", "brag") for method in self.run.methods
        )

    def models(self) -> MethodModels:
        """Return the encoders and vectors that methods ask."""
        return MethodModels(
            text=self.encoder,
            element=self.element_encoder,
            vectors=self.shelf.of,
            element_vectors=self.element_shelf.of,
        )

    def folder(self, out: str | Path | None) -> Path:
        """Return the run's folder: the one named, or ``runs/vptt-<fingerprint>``."""
        return Path(out) if out else Path("runs") / f"vptt-{self.run.fingerprint()[:12]}"

    def ledger(self, folder: Path, place: str | None) -> Ledger:
        """Open the ledger at :meth:`ledger_place`."""
        return Ledger(self.ledger_place(folder, place))

    def ledger_place(self, folder: Path, place: str | None) -> str | Path:
        """Return the ledger named, else ``$EYEPRINT_LEDGER``, else one in the run's folder."""
        return place or os.environ.get("EYEPRINT_LEDGER") or folder / "ledger.sqlite"


def plan_vptt(
    people: str | Path | People | Sequence[str | Path],
    *,
    methods: str = "all",
    tasks: str = "all",
    writers: Sequence[str] = (PLAIN,),
    encoder: str | TextEncoder = "auto",
    element_encoder: str | TextEncoder | None = None,
    n: int | None = None,
    seed: int = 0,
    controls: bool = True,
    method_settings: MethodSettings | None = None,
    score_settings: VpttSettings | None = None,
    price: Price | None = None,
    concurrency: int | None = None,
    asking: bool = True,
    display: Display | None = None,
) -> Plan:
    """Check everything a run needs and load people and models.

    ``asking`` is false for a dry run, whose writers need no key.

    Raises:
        UsageError: a name or number is wrong. DataError: no person could be read.
        ModelUnavailable: an encoder, or the key of a writer, cannot be had.
    """
    display = display or Quiet()
    everyone = _people(people, n)
    chosen_methods, chosen_tasks = choose_methods(methods), choose_tasks(tasks)
    names = tuple(dict.fromkeys(writer.strip() for writer in writers if writer.strip()))
    if not names:
        raise UsageError("No writer was named. Use --writer plain, or a chat model.")
    http = HttpSettings(**({} if concurrency is None else {"at_once": concurrency}))
    chats = {
        name: load_chat(name, settings=http, price=price, on_wait=display.waiting, needs_key=asking)
        for name in names
        if name != PLAIN
    }
    text = _encoder(encoder, display)
    element = text if element_encoder is None else _encoder(element_encoder, display)
    run = VpttRun(
        people=everyone.fingerprint,
        people_count=len(everyone),
        methods=chosen_methods,
        tasks=chosen_tasks,
        writers=names,
        decoding={name: decoding_for(name).parameters() for name in chats},
        encoder=text.fingerprint,
        encoder_name=text.name,
        element_encoder=element.fingerprint,
        element_encoder_name=element.name,
        method=method_settings or MethodSettings(),
        score=score_settings or VpttSettings(),
        seed=seed,
        controls=controls,
    )
    folder = vector_folder(everyone)
    shelf = VectorShelf(folder, text)
    return Plan(
        run=run,
        people=everyone,
        encoder=text,
        element_encoder=element,
        chats=chats,
        shelf=shelf,
        element_shelf=shelf if element is text else VectorShelf(folder, element),
        price=price,
        note=str(getattr(text, "note", "")),
    )


def _encoder(encoder: str | TextEncoder, display: Display) -> TextEncoder:
    return load_encoder(encoder, display.waiting) if isinstance(encoder, str) else encoder


def _people(source: str | Path | People | Sequence[str | Path], n: int | None) -> People:
    if isinstance(source, People):
        everyone = source
    elif isinstance(source, str | Path):
        everyone = load_several([source])
    else:
        everyone = load_several(list(source))
    if n is None:
        return everyone
    if n < 1:
        raise UsageError(f"-n must be at least 1, and is {n}.")
    return everyone.first(n)
