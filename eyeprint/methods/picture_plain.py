"""Methods that write nothing: the request alone, or beside reference pictures (P59–P61, P63)."""

from __future__ import annotations

from eyeprint.methods.picture_setting import PictureMethodSettings, PictureModels
from eyeprint.randomness import stream
from eyeprint.records.cases import PaintPlan, PictureAsk, Way

JOINT_END = ", in the style and mood of {pictures}"
"""After the request of joint conditioning; our words, the released intent (P61)."""


async def no_preference(
    ask: PictureAsk, settings: PictureMethodSettings, models: PictureModels
) -> PaintPlan:
    """Return the request as it is: p(Y | X) (P59)."""
    del settings, models
    return PaintPlan(case_id=ask.case_id, method="no_preference", prompt=ask.prompt)


async def edit_1ref(
    ask: PictureAsk, settings: PictureMethodSettings, models: PictureModels
) -> PaintPlan:
    """Condition jointly on the request and one reference, drawn from the case's stream (P61)."""
    del settings, models
    return _joint(ask, "edit_1ref", 1)


async def edit_2ref(
    ask: PictureAsk, settings: PictureMethodSettings, models: PictureModels
) -> PaintPlan:
    """Condition jointly on the request and two references, drawn from the case's stream (P61)."""
    del settings, models
    return _joint(ask, "edit_2ref", 2)


async def dreambooth(
    ask: PictureAsk, settings: PictureMethodSettings, models: PictureModels
) -> PaintPlan:
    """Tune the painter on all references, then paint the request (P60).

    The painter adds the word that it tunes.
    """
    del settings, models
    return _plan(ask, "dreambooth", "tune", ask.prompt, tuple(range(len(ask.references))))


async def fabric(
    ask: PictureAsk, settings: PictureMethodSettings, models: PictureModels
) -> PaintPlan:
    """Give the first references as liked pictures to a painter that takes feedback (P63)."""
    del models
    places = tuple(range(min(settings.feedback_references, len(ask.references))))
    return _plan(ask, "fabric", "feedback", ask.prompt, places)


def drawn_references(ask: PictureAsk, count: int) -> tuple[int, ...]:
    """Return places of ``count`` distinct references, from the case's own random stream.

    The draw depends on seed, case and number of references alone: a resumed run, and a run
    over some of the cases, draws the same ones. Drawing two gives the one that drawing one
    gives, and another.

    >>> import numpy as np
    >>> from eyeprint.records.pictures import Picture
    >>> dots = tuple(Picture.of(np.full((1, 1, 3), i, np.uint8)) for i in range(4))
    >>> ask = PictureAsk("7", "a door", dots, seed=1)
    >>> drawn_references(ask, 2)[:1] == drawn_references(ask, 1)
    True
    """
    return tuple(
        stream(ask.seed, "references", ask.case_id).sample(range(len(ask.references)), count)
    )


def _joint(ask: PictureAsk, method: str, count: int) -> PaintPlan:
    if len(ask.references) < count:
        return PaintPlan(
            case_id=ask.case_id,
            method=method,
            way="edit",
            prompt=None,
            fault="too_few_references",
            detail=f"case '{ask.case_id}' has {len(ask.references)} of the {count} references",
        )
    end = JOINT_END.format(pictures="this picture" if count == 1 else "these pictures")
    prompt = ask.prompt.strip().rstrip(".") + end
    return _plan(ask, method, "edit", prompt, drawn_references(ask, count))


def _plan(
    ask: PictureAsk, method: str, way: Way, prompt: str, places: tuple[int, ...]
) -> PaintPlan:
    return PaintPlan(case_id=ask.case_id, method=method, way=way, prompt=prompt, references=places)
