"""What a PIPBench run will do, checked before anything is started, paid or painted."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from eyeprint.errors import UnknownName, UsageError, shown
from eyeprint.methods.picture_setting import OFFLINE, PictureMethodSettings
from eyeprint.methods.setting import MethodModels
from eyeprint.models.catalog import load_chat
from eyeprint.models.chat_http import HttpSettings
from eyeprint.models.kinds import Chat, ImageEncoder, Painter, TextEncoder
from eyeprint.models.painters import load_painter
from eyeprint.models.prices import Price
from eyeprint.models.text_encoders import load_encoder
from eyeprint.protocols.display import Display, Quiet
from eyeprint.protocols.pipbench_settings import (
    Chosen,
    ModelSpec,
    PaintOptions,
    PipbenchRun,
    ScoreSettings,
    choose_picture_methods,
)
from eyeprint.records.case_files import MISSING, Cases, open_cases
from eyeprint.records.cases import READY, Way
from eyeprint.store.embeddings import VectorShelf
from eyeprint.store.ledger import Ledger

DEFAULT_PAINTERS: Mapping[Way, str] = {
    "text": "sketch",
    "edit": "sketch",
    "tune": "dreambooth/qwen-image",
    "feedback": "fabric/dreamlike-photoreal",
}
"""Way -> painter, when none is named: the sketch painter needs no weights."""


@dataclass
class PipbenchPlan:
    """A checked run with its data and models."""

    run: PipbenchRun
    cases: Cases
    painters: dict[str, Painter]
    encoders: dict[str, ImageEncoder]
    distance: Any | None
    """LPIPS, when asked for."""
    chats: dict[str, Chat]
    texts: MethodModels | None
    price: Price | None = None
    notes: list[str] = field(default_factory=list)

    def folder(self, out: str | Path | None) -> Path:
        """Return the run's folder: the one named, or ``runs/pipbench-<fingerprint>``."""
        return Path(out) if out else Path("runs") / f"pipbench-{self.run.fingerprint()[:12]}"

    def ledger_place(self, folder: Path, place: str | None) -> str | Path:
        """Return the ledger named, else ``$EYEPRINT_LEDGER``, else one in the run's folder."""
        return place or os.environ.get("EYEPRINT_LEDGER") or folder / "ledger.sqlite"

    def ledger(self, folder: Path, place: str | None) -> Ledger:
        """Open the ledger at :meth:`ledger_place`."""
        return Ledger(self.ledger_place(folder, place))


def plan_pipbench(
    data: str | Path | Cases,
    *,
    methods: str = "all",
    writers: Sequence[str] = (OFFLINE,),
    painters: Sequence[str] = (),
    editor: str | None = None,
    editor_2ref: str | None = None,
    tuner: str | None = None,
    feedback: str | None = None,
    outputs: Mapping[str, str] | None = None,
    encoders: Sequence[str] = ("palette",),
    text_encoder: str | TextEncoder = "auto",
    splits: Sequence[str] | None = None,
    n: int | None = None,
    seed: int = 0,
    paint: PaintOptions | None = None,
    method_settings: PictureMethodSettings | None = None,
    score_settings: ScoreSettings | None = None,
    price: Price | None = None,
    concurrency: int | None = None,
    asking: bool = True,
    notes: Sequence[str] = (),
    display: Display | None = None,
) -> PipbenchPlan:
    """Check everything a run needs and load data and models.

    Args:
        data: a data root in the released layout, or cases that were opened already.
        methods: ``all``, or names with commas; empty with ``outputs`` alone.
        writers: who writes for methods that ask: "offline" and names of VLMs.
        painters: painters of prompts (P64); by default the sketch painter.
        editor: the painter of joint conditioning, and ``editor_2ref`` that with two references,
            where it is another one (P61); tuner: of DreamBooth; feedback: of FABRIC.
        outputs: name -> folder (or file pattern) of pictures made elsewhere, only scored.
        encoders: ``palette``, ``clip``, ``dino``, ``lpips`` and so on.
        text_encoder: what VPRAG retrieves with.
        splits: only these splits; n: only the first so many cases.
        asking: false for a dry run, whose writers need no key.
        method_settings, score_settings: beyond the defaults, which are the released ones.
        notes: what is known of the data, such as their revision; told with the results.

    Raises:
        UsageError: a name or number is wrong. DataError: no case could be read.
        ModelUnavailable, MissingExtra: a model cannot be had.
    """
    display = display or Quiet()
    cases = _cases(data, splits, n)
    chosen = _chosen(methods, writers, outputs or {})
    names = _names_by_way(painters, editor, editor_2ref, tuner, feedback)
    specs, loaded = _specs(chosen, names, outputs or {}, asking, display)
    picture_encoders, distance = _encoders(encoders)
    http = HttpSettings(**({} if concurrency is None else {"at_once": concurrency}))
    chats = {
        name: load_chat(name, settings=http, price=price, on_wait=display.waiting, needs_key=asking)
        for name in dict.fromkeys(one.writer for one in chosen)
        if name not in ("", OFFLINE)
    }
    texts = _texts(text_encoder, display) if any(c.method == "vprag_refs" for c in chosen) else None
    fingerprints = {name: one.fingerprint for name, one in picture_encoders.items()}
    if distance is not None:
        fingerprints["lpips"] = distance.fingerprint
    run = PipbenchRun(
        data=cases.fingerprint(),
        cases=len(cases),
        models=specs,
        encoders=fingerprints,
        text_encoder=texts.text.fingerprint if texts else "",
        method=method_settings or PictureMethodSettings(),
        paint=paint or PaintOptions(),
        score=score_settings or ScoreSettings(),
        seed=seed,
    )
    told = [_of_profiles(cases)]
    told += [str(getattr(one, "note", "")) for one in (*picture_encoders.values(), distance)]
    return PipbenchPlan(
        run=run,
        cases=cases,
        painters=loaded,
        encoders=picture_encoders,
        distance=distance,
        chats=chats,
        texts=texts,
        price=price,
        notes=[note for note in dict.fromkeys((*notes, *_odd(cases), *told)) if note],
    )


def _cases(data: str | Path | Cases, splits: Sequence[str] | None, n: int | None) -> Cases:
    cases = data if isinstance(data, Cases) else open_cases(data)
    if splits:
        cases = cases.of_splits(splits)
    if n is not None:
        if n < 1:
            raise UsageError(f"-n must be at least 1, and is {n}.")
        cases = cases[:n]
    if not len(cases):
        first = f" First fault: {cases.faults[0]}" if cases.faults else ""
        raise UsageError(f"{cases.root} holds no case that can be used.{first}")
    return cases


def _of_profiles(cases: Cases) -> str:
    faults = cases.profile_faults
    if not faults:
        return ""
    lines = "line of profiles was" if len(faults) == 1 else "lines of profiles were"
    return f"{len(faults)} {lines} left out, the first: {faults[0]}"


def _odd(cases: Cases) -> Iterator[str]:
    """Tell of cases that reward copying or show a picture twice (P44)."""
    open_target, twice = [], []
    for case in cases:
        hashes = [cases.file_hash(path) for path in case.references]
        there = [digest for digest in hashes if digest != MISSING]
        if case.target is not None and cases.file_hash(case.target) in there:
            open_target.append(case.id)
        if len(set(there)) < len(there):
            twice.append(case.id)
    if open_target:
        yield (
            f"{_some(open_target)} have their target among their references: a method that copies "
            "is paid for it. `eyeprint people leaks` lists them."
        )
    if twice:
        yield f"{_some(twice)} have one picture twice among their references."


def _some(ids: Sequence[str]) -> str:
    told = ", ".join(f"'{shown(name)}'" for name in ids[:5])
    return f"{len(ids)} cases ({told}{', ...' if len(ids) > 5 else ''})"


def _chosen(methods: str, writers: Sequence[str], outputs: Mapping[str, str]) -> tuple[Chosen, ...]:
    ready = tuple(Chosen(READY + name, "", "text", "Ready pictures") for name in outputs)
    if ready and not methods.strip():
        return ready
    return (*choose_picture_methods(methods, writers), *ready)


def _names_by_way(
    painters: Sequence[str],
    editor: str | None,
    editor_2ref: str | None,
    tuner: str | None,
    feedback: str | None,
) -> dict[str, tuple[str, ...]]:
    """Return way -> painters; a method's own name stands before its way."""
    texts = tuple(dict.fromkeys(name.strip() for name in painters if name.strip()))
    editing = editor or DEFAULT_PAINTERS["edit"]
    return {
        "text": texts or (DEFAULT_PAINTERS["text"],),
        "edit": (editing,),
        "edit_2ref": (editor_2ref or editing,),
        "tune": (tuner or DEFAULT_PAINTERS["tune"],),
        "feedback": (feedback or DEFAULT_PAINTERS["feedback"],),
    }


def _specs(
    chosen: Sequence[Chosen],
    names: Mapping[str, tuple[str, ...]],
    outputs: Mapping[str, str],
    asking: bool,
    display: Display,
) -> tuple[tuple[ModelSpec, ...], dict[str, Painter]]:
    known: dict[str, Painter] = {}
    loaded: dict[str, Painter] = {}
    specs = []
    for one in chosen:
        ready = one.method.startswith(READY)
        of_way = (f"folder:{outputs[one.method.removeprefix(READY)]}",) if ready else names[one.way]
        for name in of_way:
            painter = known.get(name) or load_painter(
                name, on_wait=display.waiting, needs_key=asking
            )
            known[name] = loaded[painter.name] = painter
            if one.way not in painter.ways:
                raise UsageError(
                    f"Painter '{name}' cannot do what '{one.method}' needs ({one.way}); it does: "
                    f"{', '.join(sorted(painter.ways))}."
                )
            specs.append(
                ModelSpec(
                    method=one.method,
                    writer=one.writer,
                    painter=painter.name,
                    painter_fingerprint=painter.fingerprint,
                    way=one.way,
                    paradigm=one.paradigm,
                )
            )
    labels = [spec.label for spec in specs]
    twice = next((label for label in labels if labels.count(label) > 1), None)
    if twice:
        raise UsageError(f"Two columns would be called '{twice}': name each output differently.")
    return tuple(specs), loaded


def _encoders(names: Sequence[str]) -> tuple[dict[str, ImageEncoder], Any | None]:
    from eyeprint.models.image_encoders import load_image_encoder

    encoders: dict[str, ImageEncoder] = {}
    distance = None
    for name in dict.fromkeys(part.strip() for each in names for part in each.split(",")):
        if not name:
            continue
        if name.partition(":")[0] == "lpips":
            from eyeprint.models.lpips import load_image_distance

            distance = load_image_distance(name)
            continue
        try:
            encoders[name] = load_image_encoder(name)
        except UnknownName as error:
            # Here a distance may stand among the encoders; the encoders' table has none.
            raise UnknownName(error.kind, name, (*error.known, "lpips", "lpips:FOLDER")) from None
    columns = [encoder.column for encoder in encoders.values()]
    twice = next((column for column in columns if columns.count(column) > 1), None)
    if twice:
        raise UsageError(f"Two encoders make the columns {twice}-...: name one of them.")
    return encoders, distance


def _texts(encoder: str | TextEncoder, display: Display) -> MethodModels:
    text = load_encoder(encoder, display.waiting) if isinstance(encoder, str) else encoder
    shelf = VectorShelf(None, text)
    return MethodModels(text=text, element=text, vectors=shelf.of, element_vectors=shelf.of)
