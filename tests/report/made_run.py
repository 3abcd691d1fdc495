"""A real, small run folder: mini personas, real methods, real scores, and what went wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from eyeprint.methods.rewrite import method_models, rewrite
from eyeprint.methods.setting import MethodSettings
from eyeprint.models.fakes import EchoChat, HashEncoder
from eyeprint.people.shipped import load_people
from eyeprint.protocols.people_matrix import PeopleMatrix
from eyeprint.protocols.vptt_scoring import Scorer
from eyeprint.protocols.vptt_settings import VpttRun
from eyeprint.protocols.vptt_summary import counts_of, tables_of
from eyeprint.protocols.vptt_tasks import choose_tasks
from eyeprint.records.work import Draft

METHODS = ("baseline", "persona_only", "brag", "vprag", "comb")
EVIL = "Tea</script><script>alert(1)</script> & a <b>red</b> lamp by the window"


def write_run(
    folder: Path,
    *,
    people: int = 4,
    tasks: str = "cultural_site,garden_editing,outdoor_spot",
    writers: tuple[str, ...] = ("plain",),
    encoder: Any = None,
    encoder_name: str = "hash",
    spoil: bool = True,
    source: str = "mini",
) -> Path:
    """Write manifest, rows, people and summary; ``spoil`` adds a refusal and an evil prompt."""
    encoder = encoder or HashEncoder()
    models = method_models(encoder)
    chosen = list(load_people(source))[:people]
    settings = VpttRun(
        people="0" * 64,
        people_count=len(chosen),
        methods=METHODS,
        tasks=choose_tasks(tasks),
        writers=writers,
        encoder=encoder.fingerprint,
        encoder_name=encoder_name,
        element_encoder=encoder.fingerprint,
        element_encoder_name=encoder_name,
        seed=7,
        bootstraps=200,
    )
    rows: list[dict[str, Any]] = []
    folder.mkdir(parents=True, exist_ok=True)
    with PeopleMatrix(folder / "vectors.tmp", encoder.dim) as matrix:
        matrix.fill(chosen, models.vectors)
        scorer = Scorer(settings, encoder, matrix, [person.id for person in chosen])
        for person in chosen:
            drafts: list[Draft] = []
            for task in settings.tasks:
                for method in METHODS:
                    for writer in writers:
                        draft = rewrite(
                            task.query(),
                            person,
                            method,
                            settings=MethodSettings(mode=task.mode),
                            models=models,
                            writer=None if writer == "plain" else EchoChat(writer),
                        ).draft
                        drafts.append(draft.model_copy(update={"writer": writer}))
            if spoil and person is chosen[0]:
                drafts[1] = drafts[1].model_copy(
                    update={"prompt": None, "fault": "refused", "detail": "I cannot <help>."}
                )
                drafts[3] = drafts[3].model_copy(update={"prompt": EVIL})
            rows += scorer.rows(person, drafts)
    tables = tables_of(settings, rows)
    summary = {
        "tables": [table.model_dump(mode="json") for table in tables],
        "encoder": {
            "name": encoder_name,
            "fingerprint": encoder.fingerprint,
            "cut": {"captions": 3, "descriptions": 0, "prompts": 1},
            "notes": ["A note on how far this encoder can be trusted."] if spoil else [],
        },
        "counts": counts_of(rows),
        "people": {"count": len(chosen), "faults": []},
    }
    manifest = {
        "kind": "vptt",
        "version": settings.version,
        "fingerprint": settings.fingerprint(),
        "settings": settings.model_dump(mode="json"),
    }
    brief = [
        {
            "id": person.id,
            "summary": person.summary,
            "demographics": person.demographics.model_dump(mode="json"),
            "preferences": list(person.preferences),
        }
        for person in chosen
    ]
    _write(folder / "manifest.json", [manifest])
    _write(folder / "results.jsonl", rows)
    _write(folder / "people.jsonl", brief)
    _write(folder / "summary.json", [summary])
    return folder


def _write(path: Path, values: list[Any]) -> None:
    text = "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)
    path.write_text(text, encoding="utf-8")
