"""Candidate prompts of PIPBench: what a writer made of one profile (CHECKLIST P33–P39, P43).

A :class:`CandidateSet` is the output schema of appendix K for one person or agent: the
reasoning in three steps (narrative, priors, prompts), the style in one sentence, the
generation parameters, up to 20 prompts, and the log of what was dropped or could not be
repaired. Files are JSON lines, one set each.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import Field, ValidationError

from eyeprint.errors import BadRecord, DataError, shown
from eyeprint.records.json_lines import read_json_lines
from eyeprint.records.people import Texts
from eyeprint.records.work import Work

CandidateCategory = Literal["portrait", "landscape", "urban", "still_life", "abstract", "hybrid"]
CATEGORIES: tuple[CandidateCategory, ...] = (
    "portrait",
    "landscape",
    "urban",
    "still_life",
    "abstract",
    "hybrid",
)
"""The six categories of the mix, in the paper's order (P37)."""

Theme = Literal["nature", "urban", "still_life", "abstract", "cultural"]

Pipeline = Literal["profile", "profile_free", "no_openness"]
PIPELINES: tuple[Pipeline, ...] = ("profile", "profile_free", "no_openness")
"""What the writer sees: the profile; aesthetic tags alone (P74); the profile without its
openness traits (P77)."""


class CandidatePrompt(Work):
    """One enriched English prompt, with what it shows and why."""

    text: str = Field(min_length=1)
    category: CandidateCategory
    subject: str = ""
    """What the picture is about, in a few words."""
    setting: str = ""
    """Where that is; empty where there is no place, as in abstract pictures."""
    themes: tuple[Theme, ...] = ()
    people: bool = False
    """Whether human beings are in it."""
    keywords: Texts = ()
    """The visual words that the prompt is made of."""
    priors: Texts = ()
    """Ids of the :class:`Prior` of the set that led to it."""


class Prior(Work):
    """One association that was applied: from an answer or trait to visual words (P38)."""

    id: str
    row: str
    """Row of the theory-to-visual map: openness, values, evt, cma ..."""
    source: str
    """The answer or score behind it, such as ``Color Preferences: Cool ocean tones``."""
    why: str = ""
    words: Texts = ()


class Parameters(Work):
    """Generation parameters that hold for all prompts of a set (P39)."""

    style_tags: Texts = ()
    lighting: Texts = ()
    composition: Texts = ()
    palette: Texts = ()
    constraints: Texts = ()


class LogLine(Work):
    """One thing that was dropped, repaired or left wrong in a set."""

    kind: Literal["dropped", "repaired", "unmet", "fault"]
    rule: str
    """mix, themes, repeats, redundant, non-human, count, reply."""
    detail: str


class CandidateSet(Work):
    """All candidates of one person or agent."""

    profile_id: str = Field(min_length=1)
    kind: Literal["agent", "person"] = "agent"
    pipeline: Pipeline = "profile"
    writer: str = "plain"
    """``plain`` is the offline writer; else the chat model's name."""
    profile_text: str = ""
    """The standard profile text as the writer saw it (P18, P21); empty without a profile."""
    narrative: str = ""
    """Step 1: who this is, from the demographic answers (P33)."""
    metrics: dict[str, str] = Field(default_factory=dict)
    """Key psychological metrics: openness, thinking, pleasure, excitement, values ..."""
    traits: dict[str, str] = Field(default_factory=dict)
    """What was inferred from them: Openness, CMA, EVT, Schwartz."""
    synthesis: str = ""
    """Q1–Q11 in context."""
    priors: tuple[Prior, ...] = ()
    """Step 2."""
    style: str = ""
    """The inferred style in one sentence."""
    parameters: Parameters = Parameters()
    scenarios: Texts = ()
    prompts: tuple[CandidatePrompt, ...]
    """Step 3: at most 20, without near-duplicates."""
    log: tuple[LogLine, ...] = ()

    def counts(self) -> dict[str, int]:
        """Return category -> number of prompts, zeros included."""
        return {c: sum(p.category == c for p in self.prompts) for c in CATEGORIES}


class CandidateFile(NamedTuple):
    """The sets of a file, and the lines that could not be read."""

    sets: tuple[CandidateSet, ...]
    faults: tuple[BadRecord, ...]


def read_candidates(path: str | Path) -> CandidateFile:
    """Read ``candidates.jsonl``, or the folder that holds it.

    Raises:
        DataError: nothing is there, or not one set could be read.
    """
    file = Path(path)
    file = file / "candidates.jsonl" if file.is_dir() else file
    if not file.is_file():
        raise DataError(
            f"{file}: there are no candidates. Write some: eyeprint people build candidates "
            "PROFILES --out DIR"
        )
    sets: list[CandidateSet] = []
    faults: list[BadRecord] = []
    where: dict[str, int] = {}
    for line, value in read_json_lines(file):
        if isinstance(value, BadRecord):
            faults.append(value)
            continue
        try:
            found = CandidateSet.model_validate(value)
        except ValidationError as error:
            first = error.errors()[0]
            field = ".".join(str(part) for part in first["loc"])
            faults.append(BadRecord(str(file), line, field, first["msg"]))
            continue
        if found.profile_id in where:
            told = f"'{shown(found.profile_id)}' was already used at line {where[found.profile_id]}"
            faults.append(BadRecord(str(file), line, "profile_id", told))
            continue
        where[found.profile_id] = line
        sets.append(found)
    if not sets:
        told = "".join(f"\n  {fault}" for fault in faults[:5]) or " It is empty."
        raise DataError(f"{file}: not one set of candidates could be read.{told}")
    return CandidateFile(tuple(sets), tuple(faults))
