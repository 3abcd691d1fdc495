"""Where a build of cases gets its candidate pictures: painted from prompts, or from folders."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from eyeprint.errors import CallFailed, UsageError, shown
from eyeprint.models.kinds import Painter, PaintRequest
from eyeprint.models.pictures import open_picture
from eyeprint.people.choices import PictureFile
from eyeprint.people.pools import Candidate
from eyeprint.protocols.people_cases_settings import CasesRun
from eyeprint.randomness import stable_hash
from eyeprint.records.candidates import CandidateSet
from eyeprint.store.picture_files import PictureFiles


class PictureItem(NamedTuple):
    """One candidate picture to get: a prompt to paint, or a file to take in."""

    person: str
    place: int
    """Among the person's candidates, from 0."""
    round: int = 0
    """1 for the second set of somebody who liked none of the first (P19)."""
    prompt: str = ""
    subject: str = ""
    setting: str = ""
    file: str = ""
    """Path of a ready picture; empty for one that is painted."""
    name: str = ""
    upload: bool = False

    @property
    def key(self) -> str:
        """The item's name in the run's folder."""
        return json.dumps([self.person, self.round, self.place])


def painted_items(sets: Sequence[CandidateSet], again: Sequence[str] = ()) -> list[PictureItem]:
    """Return one item for each prompt, and a second round for the people named.

    Second rounds stand last, so that a run can be asked for one later.

    Raises:
        UsageError: somebody of ``again`` has no candidates.
    """
    known = {one.profile_id for one in sets}
    for person in again:
        if person not in known:
            raise UsageError(f"'{shown(person)}' has no candidates, so none can be painted again.")
    items = [item for one in sets for item in _of_set(one, 0)]
    return items + [item for one in sets if one.profile_id in again for item in _of_set(one, 1)]


def _of_set(one: CandidateSet, round_: int) -> Iterator[PictureItem]:
    for place, prompt in enumerate(one.prompts):
        yield PictureItem(
            one.profile_id, place, round_, prompt.text, prompt.subject, prompt.setting,
            name=str(place),
        )  # fmt: skip


def folder_items(folders: Mapping[str, Sequence[PictureFile]]) -> list[PictureItem]:
    """Return one item for each picture of each person's folder."""
    return [
        PictureItem(
            person, place, 0, one.prompt, file=str(one.path), name=one.path.name, upload=one.upload
        )
        for person, files in folders.items()
        for place, one in enumerate(files)
    ]


@dataclass
class PictureMaker:
    """Gets pictures and keeps them by their pixel hash."""

    files: PictureFiles
    run: CasesRun
    painter: Painter | None = None

    async def make(self, item: PictureItem) -> dict[str, object]:
        """Return the row of one candidate picture.

        Raises:
            CallFailed: the painter made none; ``kind`` says why.
            BudgetReached: it could cost more than is left.
            DataError: the file cannot be read.
        """
        call: dict[str, object] = {}
        if self.painter is None or item.file:
            picture, detail = open_picture(Path(item.file)), ""
        else:
            painted = await self.painter.paint(candidate_request(self.run, item))
            if painted.picture is None:
                raise CallFailed(painted.failure or "failed", painted.detail or "no picture came")
            picture, detail = painted.picture, painted.detail
            call = {"served_model": painted.served_model, "cost_usd": painted.cost_usd}
        return {
            "person": item.person,
            "round": item.round,
            "place": item.place,
            "picture": self.files.put(picture),
            "detail": detail,
        } | call


def candidate_request(run: CasesRun, item: PictureItem) -> PaintRequest:
    """Return what the painter of one candidate is asked for."""
    return PaintRequest(
        prompt=item.prompt,
        width=run.width,
        height=run.height,
        steps=run.steps,
        guidance=run.guidance,
        seed=candidate_seed(run.seed, item),
        key=f"{item.person}/{item.place}",
        facts=(("person", item.person), ("n", str(item.place))),
    )


def candidate_seed(seed: int, item: PictureItem) -> int:
    """Return the seed of one candidate's own generator, in [0, 2³¹)."""
    return stable_hash(seed, "candidate", item.person, item.round, item.place) % 2**31


def candidates_of(
    items: Sequence[PictureItem], rows: Iterator[dict[str, object]]
) -> dict[str, list[Candidate]]:
    """Return each person's candidates that are there, their last round only, in order."""
    made = {(str(r["person"]), int(str(r["round"])), int(str(r["place"]))): r for r in rows}
    last = {item.person: item.round for item in items}
    found: dict[str, list[Candidate]] = {}
    for item in items:
        row = made.get((item.person, item.round, item.place))
        if row is None or item.round != last[item.person]:
            continue
        found.setdefault(item.person, []).append(
            Candidate(
                item.name, str(row["picture"]), item.prompt, item.subject, item.setting, item.upload
            )
        )
    return found
