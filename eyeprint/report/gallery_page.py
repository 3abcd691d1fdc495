"""The gallery as plain data for the template: people, their tasks, prompts side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eyeprint.report.gallery import Sheet
from eyeprint.report.run_folder_view import FinishedRun, PersonView, TaskView
from eyeprint.report.sampling import Sampled
from eyeprint.report.vptt_grids import run_tasks
from eyeprint.report.words import MEASURES, counted, method_title, number, writer_title

MOST_BYTES = 1_500_000
"""Text of prompts and elements in the gallery; people beyond it are left out."""


def gallery_people(
    run: FinishedRun, found: Sampled, tones: Mapping[str, int]
) -> list[dict[str, Any]]:
    """Return the people of the gallery, as many as fit into :data:`MOST_BYTES`.

    Args:
        run: the run.
        found: what one pass over its rows gathered.
        tones: method -> colour.
    """
    tasks = run_tasks(run)
    people: list[dict[str, Any]] = []
    used = 0
    for person in found.shown:
        blocks = [
            _block(run, found, person, place, task, tones) for place, task in enumerate(tasks)
        ]
        blocks = [block for block in blocks if block["writers"]]
        used += sum(block["bytes"] for block in blocks)
        if people and used > MOST_BYTES:
            break
        people.append(
            {
                "label": _label(person),
                "facts": _facts(person),
                "summary": person.summary,
                "preferences": _preferences(person),
                "blocks": blocks,
            }
        )
    return people


def gallery_note(shown: int, people: int) -> str:
    """Say how many people are shown, and that they were drawn by lot."""
    if shown >= people:
        return f"All {counted(people, 'person', 'people')} of the run."
    return (
        f"A sample of {shown} of {counted(people, 'person', 'people')}, drawn by lot from the "
        "run's seed and not by how well their prompts came out."
    )


def _block(
    run: FinishedRun,
    found: Sampled,
    person: PersonView,
    place: int,
    task: TaskView,
    tones: Mapping[str, int],
) -> dict[str, Any]:
    sheets = found.sheets.get((person.id, task.id), [])
    order = {row.method: i for i, row in enumerate(run.summary.overall.methods)}
    writers: dict[str, list[Sheet]] = {}
    for sheet in sorted(sheets, key=lambda one: order.get(one.method, len(order))):
        writers.setdefault(sheet.writer, []).append(sheet)
    names = {name: i for i, name in enumerate(run.settings.writers)}
    label = MEASURES[task.headline]
    size = sum(len(s.prompt_html) + sum(len(p.text) + 60 for p in s.phrases) + 700 for s in sheets)
    return {
        "task": place,
        "title": task.title,
        "text": task.text or found.texts.get(task.id, ""),
        "measure": label,
        "bytes": size,
        "writers": [
            {
                "writer": writer_title(writer),
                "sheets": [_shown(sheet, label, tones) for sheet in writers[writer]],
            }
            for writer in sorted(writers, key=lambda name: names.get(name, len(names)))
        ],
    }


def _shown(sheet: Sheet, measure: str, tones: Mapping[str, int]) -> dict[str, Any]:
    values = dict(sheet.numbers)
    verbatim = sum(phrase.found for phrase in sheet.phrases)
    return {
        "title": method_title(sheet.method),
        "tone": tones.get(sheet.method, 0),
        "points": number(values.get(measure)),
        "prompt": sheet.prompt_html,
        "fault": sheet.fault,
        "shortened": sheet.shortened,
        "cut": counted(sheet.words_cut, "word") if sheet.words_cut else "",
        "numbers": [(name, number(value)) for name, value in sheet.numbers if name != measure],
        "phrases": sheet.phrases,
        "told": f"{counted(len(sheet.phrases), 'element')} retrieved, {verbatim} word for word",
    }


def _label(person: PersonView) -> str:
    job = person.demographics.get("occupation")
    return f"{person.id}: {job}" if job else person.id


def _facts(person: PersonView) -> str:
    who = person.demographics
    place = ", ".join(str(who[key]) for key in ("city", "country") if who.get(key))
    age = str(who["age"]) if who.get("age") is not None else ""
    return " · ".join(part for part in (age, place) if part)


def _preferences(person: PersonView) -> str:
    shown = person.preferences[:8]
    more = len(person.preferences) - len(shown)
    return "; ".join(shown) + (f"; and {more} more" if more > 0 else "")
