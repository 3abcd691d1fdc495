"""Reference/target cases of PIPBench, and what a method makes of one (CHECKLIST P1–P3, P44).

A :class:`Case` is everything; a method sees a :class:`PictureAsk` only. The target and
the profile are not reachable from it: the type has no such field, and its pictures have
lost the names of their files.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from eyeprint.records.pictures import Picture
from eyeprint.records.work import Element, Trace, Work

Way = Literal["text", "edit", "tune", "feedback"]
"""How the painter is conditioned: on a prompt alone; on a prompt and reference pictures
(joint); after tuning on the references; with the references as positive feedback (P2)."""
READY = "outputs:"
"""Before the name of pictures that were made elsewhere and are only scored, as a method."""


class Case(Work):
    """One reference/target case: paths are relative to the data root, with forward slashes."""

    id: str
    person_id: str
    """``image_id`` of the released rows: whose pictures these are."""
    split: str = "synthetic"
    """``category`` of the released rows: synthetic or real."""
    prompt: str
    """X: names the primary visual content of the target, nothing of its style."""
    references: tuple[str, ...] = Field(min_length=1)
    """I_1 ... I_K."""
    target: str | None = None
    """Y_gt; ``None`` in cases that were made without one."""


@dataclass(frozen=True)
class PictureAsk:
    """All that a method may know of a case: an id, the short prompt, and the references."""

    case_id: str
    prompt: str
    references: tuple[Picture, ...]
    """Without the names of their files."""
    seed: int = 0
    """The run's seed: a method's draws come from ``stream(seed, step, case_id)``."""


class PaintPlan(Work):
    """What a method wants painted: not yet painted, so that it can be read and tested alone."""

    case_id: str
    method: str
    writer: str = ""
    """The model that wrote the prompt (a chat model's name, "offline"), or empty."""
    way: Way = "text"
    prompt: str | None
    """What the painter is told; ``None`` when the method could not write one."""
    references: tuple[int, ...] = ()
    """Places of the references that condition the painter; empty for ``way`` "text"."""
    fault: str | None = None
    """Kind of failure when ``prompt`` is ``None``: empty, truncated, refused, failed ..."""
    detail: str = ""
    notes: tuple[str, ...] = ()
    elements: tuple[Element, ...] = ()
    trace: Trace | None = None


class Painting(Work):
    """What became of one plan: a picture by its pixel hash, or the reason why there is none."""

    case_id: str
    person_id: str
    split: str
    method: str
    writer: str = ""
    painter: str
    """Name of the painter, such as ``sketch`` or ``diffusers/Qwen/Qwen-Image``."""
    prompt: str | None
    """The prompt that the painter was given."""
    picture: str | None
    """Pixel hash; the file is ``pictures/<hash>.png`` in the run's folder."""
    fault: str | None = None
    detail: str = ""
    references: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()
    served_model: str | None = None
    """What a server says has painted it: a fact of that call."""
    cost_usd: float | None = None
    """What that call cost; ``None`` when it is not known, 0 for painters that cost nothing."""

    @property
    def model(self) -> str:
        """The label that tables and the arena use: method, writer and painter in one text.

        >>> Painting(case_id="0", person_id="0", split="real", method="fusion",
        ...     writer="offline", painter="sketch", prompt="x", picture=None).model
        'fusion [offline] · sketch'
        """
        return model_label(self.method, self.writer, self.painter)


def model_label(method: str, writer: str, painter: str) -> str:
    """Return one text for a method, its writer and its painter; parts that are empty go.

    >>> model_label("no_preference", "", "sketch")
    'no_preference · sketch'
    """
    head = f"{method} [{writer}]" if writer else method
    return f"{head} · {painter}" if painter else head
