"""A small set of concepts in the native layout: all 15 tasks, plain pictures, known answers."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from eyeprint.models.pictures import png_bytes
from eyeprint.records.concept_data import ConceptData
from eyeprint.records.concept_files import open_concepts
from eyeprint.records.concept_native import write_concepts
from eyeprint.records.concept_questions import TYPES, ConceptQuestion
from eyeprint.records.concepts import CATEGORIES, LEVELS, Concept
from eyeprint.records.pictures import Picture

OPTIONS = {"A": "a red kite", "B": "a blue drum", "C": "a tin fish", "D": "a long rope"}


def picture(path: Path, colour: tuple[int, int, int], mark: int) -> None:
    """Write a plain picture with a mark that makes it unlike all others."""
    pixels = np.full((24, 32, 3), colour, np.uint8)
    pixels[2:6, 2 + mark % 24] = 255
    pixels[8, : 1 + mark // 24] = 0
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(png_bytes(Picture.of(pixels)))


def make_concepts(root: Path, per_category: int = 3, rounds: int = 1) -> Path:
    """Write a data root and return it; questions: (12 + 3 for people) tasks, ``rounds`` each."""
    concepts, questions, mark = [], [], 0
    for at, category in enumerate(CATEGORIES):
        for number in range(per_category):
            name = f"Zorin{category.title()}{number}"
            images = []
            for k in range(5):
                images.append(f"pictures/{category}-{number}-{k}.png")
                picture(root / images[-1], (60 * at, 80 * number, 40 * k), mark := mark + 1)
            concepts.append(
                Concept(
                    name=name,
                    category=category,
                    descriptions={
                        level: f"<sks> is a {category} of make {number}, told {level}ly."
                        for level in LEVELS
                    },
                    preference=f"<sks> likes kites but dislikes drum {number}."
                    if category == "human"
                    else "",
                    images=tuple(images),
                )
            )
            groups = ("recognition", "preference") if category == "human" else ("recognition",)
            for turn in range(rounds):
                for group in groups:
                    for kind in TYPES:
                        mark += 1
                        image = f"pictures/q{mark}.png"
                        picture(root / image, (200, 60 * at, 70 * number), mark)
                        questions.append(asked(name, category, group, kind, image, turn, mark))
    write_concepts(root, concepts, questions)
    return root


def asked(name, category, group, kind, image, turn, mark) -> ConceptQuestion:
    """Return one question whose answer alternates, so that one constant reply is half right."""
    values = {
        "id": f"q{mark}",
        "concept": name,
        "category": category,
        "type": kind,
        "group": group,
        "image": image,
    }
    if kind == "coherency":
        answer = "ABCD"[mark % 4]
        return ConceptQuestion(
            **values,
            question="What does <sks> hold?",
            options=OPTIONS,
            answer=answer,
            concept_only="ABCD"[(mark + 1) % 4],
            entities="multi" if mark % 2 else "single",
        )
    negated = bool(mark % 2)
    present = kind == "awareness"
    target = None
    if kind == "appropriateness" and category == "animal":
        target = "same_species" if turn % 2 else "different_species"
    return ConceptQuestion(
        **values,
        question="Is <sks> missing from the image?" if negated else "Is <sks> in the image?",
        answer="Yes" if present != negated else "No",
        negated=negated,
        entities="single" if present else None,
        target=target,
    )


def concept_data(root: Path, **choices) -> ConceptData:
    """Return the made set, opened."""
    return open_concepts(make_concepts(root, **choices))
