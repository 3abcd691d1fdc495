"""Evidence panels of built cases: a picture, its prompt, and what led to it (P43).

A page, or lines of JSON: each person's style, then their pictures with prompt and keywords,
the answers and traits behind each, and those of their visual words that the prompt holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eyeprint import __version__
from eyeprint.errors import BadRecord, DataError, UnknownName
from eyeprint.models.pictures import UnreadablePicture, open_picture
from eyeprint.people.evidence import MOST_PRIORS, Evidence, evidence_panels
from eyeprint.protocols.pipbench_gallery import small
from eyeprint.records.candidates import read_candidates
from eyeprint.records.json_lines import read_json_lines
from eyeprint.records.json_text import json_line
from eyeprint.records.whole_files import write_whole
from eyeprint.report.page import environment, page
from eyeprint.report.words import counted

POOLS = "pools.jsonl"
MENU = 12
"""Most people that the page's menu names."""


@dataclass(frozen=True)
class EvidenceFound:
    """The panels of some people, and what could not be shown."""

    root: Path
    """Data root that the panels' pictures are relative to."""
    panels: tuple[Evidence, ...]
    """By person, in the order of the pools."""
    without: int
    """Painted pictures of these people whose prompt no candidate has."""
    faults: tuple[BadRecord, ...]
    """Lines of candidates or pools that could not be read."""

    def by_person(self) -> dict[str, list[Evidence]]:
        """Return person -> their panels."""
        found: dict[str, list[Evidence]] = {}
        for panel in self.panels:
            found.setdefault(panel.profile_id, []).append(panel)
        return found


def find_evidence(
    cases: str | Path,
    candidates: str | Path,
    *,
    people: Sequence[str] = (),
    n: int | None = None,
    most: int = MOST_PRIORS,
) -> EvidenceFound:
    """Join the pictures of a data root's pools with the candidates that they were painted of.

    Args:
        cases: folder of ``eyeprint people build cases``, with its ``pools.jsonl``.
        candidates: ``candidates.jsonl`` of ``eyeprint people build candidates``, or its folder.
        people: only these; all when empty.
        n: only the first so many of them.
        most: priors on a panel.

    Raises:
        DataError: there are no pools or candidates, or no picture belongs to a candidate.
        UnknownName: a person has no pool.
    """
    root = Path(cases)
    pools, faults = _pools(root / POOLS)
    for name in people:
        if name not in pools:
            raise UnknownName("person", name, pools)
    chosen = list(people or pools)[:n]
    read = read_candidates(candidates)
    sets = {one.profile_id: one for one in read.sets}
    panels: list[Evidence] = []
    painted = 0
    for person in chosen:
        pictures = {(person, text): path for path, text in pools[person]}
        painted += len(pools[person])
        if person in sets:
            panels += evidence_panels([sets[person]], pictures, most)
    if not panels:
        raise DataError(
            f"{root / POOLS}: no picture was painted of a prompt in {candidates}. Name the "
            "candidates that these cases were built from."
        )
    return EvidenceFound(root, tuple(panels), painted - len(panels), (*faults, *read.faults))


def _pools(file: Path) -> tuple[dict[str, list[tuple[str, str]]], list[BadRecord]]:
    """Return person -> (path, prompt) of what was painted for them, and unreadable lines."""
    if not file.is_file():
        raise DataError(
            f"{file}: there are no pools. Give a folder that `eyeprint people build cases` made."
        )
    found: dict[str, list[tuple[str, str]]] = {}
    faults: list[BadRecord] = []
    for line, value in read_json_lines(file):
        try:
            if isinstance(value, BadRecord):
                raise value
            found[str(value["person"])] = [
                (str(one["path"]), str(one["prompt"]))
                for one in value["pictures"]
                if one["prompt"] and not one["upload"]
            ]
        except BadRecord as fault:
            faults.append(fault)
        except (KeyError, TypeError):
            reason = "not a pool: it needs person, and pictures with path, prompt, upload"
            faults.append(BadRecord(str(file), line, "", reason))
    return found, faults


def evidence_lines(found: EvidenceFound) -> Iterator[bytes]:
    """Yield each panel as a line of JSON."""
    for panel in found.panels:
        priors = [prior.model_dump(mode="json") for prior in panel.priors]
        yield json_line({**panel._asdict(), "priors": priors})


def evidence_page(found: EvidenceFound) -> str:
    """Return the whole page; a picture that cannot be read says why in its place."""
    people = found.by_person()
    contents = [(f"person-{place}", person) for place, person in enumerate(people)]
    blocks = [
        {
            "id": name,
            "person": person,
            "style": panels[0].style,
            "panels": [_panel(found.root, panel) for panel in panels],
        }
        for (name, person), panels in zip(contents, people.values(), strict=True)
    ]
    body = environment().get_template("evidence.html.j2").render(blocks=blocks)
    notes = []
    if found.without:
        many = counted(found.without, "picture has", "pictures have")
        notes.append(f"{many} no prompt among these candidates and are left out.")
    many_people = counted(len(people), "person", "people")
    return page(
        "Evidence panels",
        body,
        heading=f"{counted(len(found.panels), 'picture')} of {many_people}, and what led to them",
        kicker="eyeprint · evidence panels",
        lead=[
            "Beside each picture: the prompt that it was painted of, the answers and traits "
            "whose associations stand in it, and the words that they gave.",
            *notes,
        ],
        contents=contents if len(contents) <= MENU else [],
        footer=f"Made by eyeprint {__version__}.",
    )


def _panel(root: Path, panel: Evidence) -> Mapping[str, Any]:
    try:
        shot = small(open_picture(root / panel.picture))
    except UnreadablePicture as error:
        shot = small(str(error))
    width, height = shot.get("size") or (0, 0)
    return {
        "image": shot["image"],
        "fault": shot["fault"],
        "width": width,
        "height": height,
        "alt": f"{panel.category.replace('_', ' ')} of {panel.profile_id}",
        "panel": panel,
    }


def write_evidence(
    found: EvidenceFound, html_file: Path | None = None, lines_file: Path | None = None
) -> list[Path]:
    """Write the files that are asked for; return their paths.

    Raises:
        CannotWrite: disk full or no permission.
    """
    written = []
    if html_file is not None:
        write_whole(html_file, [evidence_page(found).encode("utf-8", "surrogatepass")])
        written.append(html_file)
    if lines_file is not None:
        write_whole(lines_file, evidence_lines(found))
        written.append(lines_file)
    return written
