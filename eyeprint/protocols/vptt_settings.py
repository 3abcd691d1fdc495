"""Everything that decides what a VPTT run computes: the run's identity."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from eyeprint import __version__
from eyeprint.config import Settings
from eyeprint.errors import UsageError
from eyeprint.methods.catalog import OURS, load_method, method_names
from eyeprint.methods.compose import PLAIN
from eyeprint.methods.setting import MethodSettings
from eyeprint.protocols.vptt_tasks import Task
from eyeprint.scores.person_space import VpttSettings


class VpttRun(Settings):
    """A run of the VPTT evaluation (V9, V78, V79). Equal settings give equal bytes.

    People and encoders enter by fingerprint, so a changed people file or other weights
    make another run. What only decides how fast it goes (workers, concurrency, budget)
    is not here.
    """

    people: str
    """Fingerprint of the people, in order."""
    people_count: int
    methods: tuple[str, ...]
    tasks: tuple[Task, ...]
    writers: tuple[str, ...] = (PLAIN,)
    """``plain`` and names of chat models."""
    decoding: Mapping[str, Mapping[str, Any]] = Field(default_factory=dict)
    """Writer -> temperature, top_p, max_tokens, seed (V46)."""
    encoder: str
    """Fingerprint of the encoder that scores and that retrieves posts."""
    encoder_name: str
    element_encoder: str
    """Fingerprint of the encoder of elements and categories."""
    element_encoder_name: str
    method: MethodSettings = MethodSettings()
    """``mode`` follows each task."""
    score: VpttSettings = VpttSettings()
    seed: int = 0
    """Of the wrong persons, shuffled profiles and bootstraps."""
    controls: bool = True
    """Also score every prompt against a wrong person and a shuffled profile."""
    bootstraps: int = Field(default=2000, ge=100)
    version: str = __version__
    """eyeprint's version: another version is another run."""


def choose_methods(names: str) -> tuple[str, ...]:
    """Return method names from a comma-separated list, or ``all`` of ours.

    Raises:
        UnknownName: a method is unknown. UsageError: none was named.

    >>> choose_methods("vprag, baseline")
    ('vprag', 'baseline')
    """
    chosen: dict[str, None] = {}
    for name in (part.strip() for part in names.split(",")):
        if not name:
            continue
        if name == "all":
            chosen.update(dict.fromkeys(OURS))
            continue
        known = name if name in method_names() else name.lower()
        load_method(known)
        chosen[known] = None
    if not chosen:
        raise UsageError("No method was named. Use --methods all, or names with commas between.")
    return tuple(chosen)
