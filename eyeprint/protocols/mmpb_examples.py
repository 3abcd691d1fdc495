"""Some questions with small pictures, so that a report shows what was asked (M51)."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator
from typing import Any

from PIL import Image

from eyeprint.models.pictures import fitted_size, open_picture, resized
from eyeprint.protocols.mmpb_ask import Asker
from eyeprint.records.concept_questions import TASKS, ConceptQuestion

PER_TASK = 2
SIDE, ASKED_SIDE = 192, 320
"""Longest sides in pixels of references, and of the picture that is asked about."""
_QUALITY = 82


def example_rows(asker: Asker) -> Iterator[dict[str, Any]]:
    """Yield the first questions of each task, of different concepts, with their pictures."""
    chosen: dict[str, list[ConceptQuestion]] = {task: [] for task in TASKS}
    for question in asker.asked():
        of_task = chosen.setdefault(question.task, [])
        if len(of_task) < PER_TASK and all(each.concept != question.concept for each in of_task):
            of_task.append(question)
    for task, questions in chosen.items():
        for question in questions:
            concept = asker.data.concepts[question.concept]
            references = [path for path in concept.images if path not in asker.pictures.faults]
            yield {
                "task": task,
                "question": question.model_dump(mode="json"),
                "moderate": concept.description("moderate") or concept.description("simple"),
                "preference": concept.preference,
                "picture": small_picture(asker, question.image, ASKED_SIDE),
                "references": [small_picture(asker, path) for path in references[:2]],
            }


def small_picture(asker: Asker, path: str, side: int = SIDE) -> str:
    """Return a small JPEG of a picture as a data URL."""
    picture = open_picture(asker.data.picture_path(path), name=path)
    small = resized(picture, *fitted_size(picture.width, picture.height, side))
    out = io.BytesIO()
    Image.fromarray(small.pixels).save(out, format="JPEG", quality=_QUALITY)
    return "data:image/jpeg;base64," + base64.b64encode(out.getvalue()).decode()
