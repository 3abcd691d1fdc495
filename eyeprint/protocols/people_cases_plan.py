"""From names and paths to a build of cases: what is read and checked before anything is made."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from eyeprint.config import fingerprint_of
from eyeprint.errors import BadRecord, DataError, UsageError, shown
from eyeprint.models.aesthetics import Aesthetics, HeuristicAesthetics, LaionAesthetics
from eyeprint.models.image_encoders import load_image_encoder
from eyeprint.models.kinds import Chat, Painter
from eyeprint.models.painters import load_painter
from eyeprint.models.retries import Waiting
from eyeprint.people.cases import CaseSettings
from eyeprint.people.choices import (
    Choice,
    PictureFile,
    folders_without_pictures,
    read_choices,
    read_picture_folders,
)
from eyeprint.people.content_captions import CaptionSettings
from eyeprint.people.pools import PoolSettings
from eyeprint.protocols.people_cases import CasesBuild
from eyeprint.protocols.people_cases_settings import OFFLINE, CasesRun, Choose
from eyeprint.protocols.people_cases_sources import PictureItem, folder_items, painted_items
from eyeprint.records.candidates import read_candidates
from eyeprint.records.file_digests import file_sha256
from eyeprint.records.profile_files import read_profiles
from eyeprint.records.profiles import Profile

LAION = "laion:"
SPLIT_OF = {"agent": "synthetic", "person": "real"}


class CasesPlan(NamedTuple):
    """A build that is ready, and what of its input could not be read."""

    build: CasesBuild
    faults: tuple[BadRecord, ...]
    notes: tuple[str, ...]


class PaintSize(NamedTuple):
    """What is asked of the painter besides the prompt; ``None`` leaves it to the painter."""

    width: int | None = None
    height: int | None = None
    steps: int | None = None
    guidance: float | None = None


def plan_cases(
    candidates: str | Path | None = None,
    *,
    pools: str | Path | None = None,
    profiles: str | Path | None = None,
    painter: str | Painter = "sketch",
    choices: str | Path | None = None,
    aesthetics: str = "heuristic",
    clip: str = "clip",
    captioner: Chat | None = None,
    split: str | None = None,
    encoder: str | None = "palette",
    again: Sequence[str] = (),
    n: int | None = None,
    seed: int = 7,
    size: PaintSize | None = None,
    pool: PoolSettings | None = None,
    case: CaseSettings | None = None,
    caption: CaptionSettings | None = None,
    on_wait: Callable[[Waiting], None] | None = None,
    asking: bool = True,
) -> CasesPlan:
    """Return a build of cases from candidates to paint, or from folders of ready pictures.

    Args:
        candidates: ``candidates.jsonl`` or its folder, of ``people build candidates``.
        pools: instead of candidates, a folder with one folder of pictures for each person.
        profiles: a file or folder of profiles; those of the cases' people are written along.
        painter: name of the painter of candidates, or one.
        choices: CSV file of picks by hand; without it, candidates are chosen by score and
            pictures of folders are kept as they are.
        aesthetics: "heuristic", or "laion:PATH" of a head for ``clip``'s embeddings. With
            ``pools`` it is used only when ``pool`` is given: then folders hold candidates.
        clip: image encoder of the LAION head.
        captioner: a chat model that sees pictures and names targets; offline without one.
        split: category of all cases; by default agents' are synthetic, people's real.
        encoder: image encoder that takes part in the leak check, or ``None``.
        again: people whose candidates are painted once more, with other seeds (P19).
        n: only the first so many people.
        seed: of the painter's items and of the cases' draws.
        size: asked of the painter.
        pool: settings of the pools.
        case: settings of the cases.
        caption: settings of the captions.
        on_wait: told of every wait before a painter's server is asked again.
        asking: false for a dry run, whose painter needs no key.

    Raises:
        UsageError: neither or both of candidates and pools, or settings that do not go together.
        DataError, ModelUnavailable, MissingExtra: what is named cannot be used.
    """
    if (candidates is None) == (pools is None):
        raise UsageError("Give either candidates to paint, or --pools with ready pictures.")
    if pools is not None and again:
        raise UsageError("--again paints candidates again; with --pools nothing is painted.")
    faults: list[BadRecord] = []
    people, more = read_profiles(profiles) if profiles is not None else ((), ())
    faults += more
    known = {profile.id: profile for profile in people}
    paints: Painter | None = None
    if candidates is not None:
        file = read_candidates(candidates)
        faults += file.faults
        sets = file.sets[:n]
        items = painted_items(sets, again)
        source = fingerprint_of([one.model_dump(mode="json") for one in sets])
        kinds = {one.profile_id: one.kind for one in sets}
        paints = (
            load_painter(painter, on_wait=on_wait, needs_key=asking)
            if isinstance(painter, str)
            else painter
        )
    else:
        folders = dict(list(read_picture_folders(str(pools)).items())[:n])
        items, source = folder_items(folders), _digest_of(folders)
        kinds = {person: known[person].kind if person in known else "person" for person in folders}
    choose, chooser, scorer, picks = _choosing(
        choices, aesthetics, clip, by_score=candidates is not None or pool is not None
    )
    faults += picks[1]
    run = CasesRun(
        seed=seed,
        source=source,
        painter=paints.name if paints else "",
        painter_fingerprint=paints.fingerprint if paints else "",
        **(size or PaintSize())._asdict(),
        choose=choose,
        chooser=chooser,
        captioner=captioner.name if captioner else OFFLINE,
        pool=pool or PoolSettings(),
        case=case or CaseSettings(),
        caption=caption or CaptionSettings(),
    )
    build = CasesBuild(
        run,
        items,
        {person: split or SPLIT_OF[kind] for person, kind in kinds.items()},
        known,
        painter=paints,
        scorer=scorer,
        choices=picks[0],
        captioner=captioner,
        encoder=load_image_encoder(encoder) if encoder else None,
    )
    notes = _notes(build, items, known, profiles)
    if pools is not None:
        empty = folders_without_pictures(pools)
        if empty:
            told = ", ".join(empty[:3]) + (" ..." if len(empty) > 3 else "")
            notes.append(f"folders without a picture, left out: {told}")
    return CasesPlan(build, tuple(faults), tuple(notes))


def _choosing(
    choices: str | Path | None, aesthetics: str, clip: str, *, by_score: bool
) -> tuple[
    Choose, str, Aesthetics | None, tuple[Mapping[str, Sequence[Choice]], tuple[BadRecord, ...]]
]:
    """Return how pools are chosen, by what, and the picks by hand with their faults."""
    if choices is not None:
        found = read_choices(choices)
        rows = [list(choice) for chosen in found.by_person.values() for choice in chosen]
        return "hand", fingerprint_of(rows), None, (found.by_person, found.faults)
    if not by_score:
        return "all", "", None, ({}, ())
    scorer: Aesthetics
    if aesthetics == "heuristic":
        scorer = HeuristicAesthetics()
    elif aesthetics.startswith(LAION):
        scorer = LaionAesthetics(load_image_encoder(clip), aesthetics.removeprefix(LAION))
    else:
        raise UsageError(f"--aesthetics is heuristic or laion:PATH, not '{aesthetics}'.")
    return "score", scorer.fingerprint, scorer, ({}, ())


def _digest_of(folders: Mapping[str, Sequence[PictureFile]]) -> str:
    """Return the fingerprint of all files of the folders: names, bytes, prompts."""
    state = []
    for person, files in folders.items():
        for one in files:
            digest = file_sha256(one.path)
            state.append([person, one.path.name, digest, one.prompt, one.upload])
    return fingerprint_of(state)


def _notes(
    build: CasesBuild,
    items: Sequence[PictureItem],
    known: Mapping[str, Profile],
    profiles: str | Path | None,
) -> list[str]:
    people = list(dict.fromkeys(item.person for item in items))
    notes = []
    without = [person for person in people if person not in known]
    if profiles is None:
        notes.append("no profiles were given: persona-aware judges will have nothing to read")
    elif without:
        notes.append(f"{len(without)} people have no profile, the first: {without[0]}")
    strangers = [person for person in build.choices if person not in people]
    if strangers and len(strangers) == len(build.choices):
        raise DataError(
            f"The choices name {', '.join(map(shown, strangers[:3]))}, and nobody who has pictures "
            f"({', '.join(map(shown, people[:3]))} ...). Are they the choices of these pictures?"
        )
    if strangers:
        who = "1 person" if len(strangers) == 1 else f"{len(strangers)} people"
        notes.append(f"choices name {who} without pictures, the first: {strangers[0]}")
    if build.run.captioner == OFFLINE and any(not item.prompt for item in items):
        notes.append(
            "pictures without a prompt are named by their layout alone; give --captioner a chat "
            "model that sees pictures, or a .txt with the prompt beside each picture"
        )
    return notes
