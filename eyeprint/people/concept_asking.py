"""What a step that came to nothing is told as (X9)."""

from __future__ import annotations

from eyeprint.errors import CallFailed
from eyeprint.people.chat_asking import StepFault

_DECLINES = "it declines"
"""How :func:`eyeprint.people.chat_asking.ask` begins the fault of a reply that declines."""


def call_failed(model: str, did_not: str, fault: StepFault | None) -> CallFailed:
    """Return the error of a step without a usable reply; a reply that declines is "refused".

    >>> fault = StepFault("q-1", "question", "it declines: I can't help with that.", 3)
    >>> call_failed("m", "drafted no question", fault).kind
    'refused'
    """
    if fault is None:
        return CallFailed("invalid", f"{model} {did_not}")
    kind = fault.kind
    if kind == "invalid" and fault.fault.startswith(_DECLINES):
        kind = "refused"
    return CallFailed(kind, f"{model} {did_not}: {fault.fault}")
