"""The same rows in both released layouts: CSV with folders, Parquet with pictures inside."""

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars
from PIL import Image

COLUMNS = [
    "index",
    "question",
    *"ABCD",
    "image_path",
    "answer",
    "attribute",
    "category",
    "l2-category",
    "concept",
    "target",
    "name",
    "preference",
    "description_simple",
    "description_moderate",
    "description_detailed",
    "description_super_detailed",
]
PEOPLE = {
    "Angelina": ("human", "<sks> likes rock concerts but dislikes film festivals."),
    "Choi": ("human", "<sks> likes jazz but dislikes malls."),
    "Boo": ("animal", ""),
    "bull": ("object", ""),
    "asian_doll": ("character", ""),
}


def png(*seed: int) -> bytes:
    """Return a small picture of its own for each seed."""
    pixels = np.random.default_rng(seed).integers(0, 255, (4, 5, 3), np.uint8)
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return file.getvalue()


def row(index: int, name: str, kind: str, group: str = "recognition", /, **more: Any) -> dict:
    """Return a row as the CSV file has it; Parquet's numbers are made of it."""
    attribute, preference = PEOPLE[name]
    cells = dict.fromkeys(COLUMNS, "")
    asked = {"awareness": "Yes", "overconcept": "No"}
    cells |= {
        "index": index,
        "question": "Is <sks> in the image?",
        "answer": asked.get(kind, "C"),
        "attribute": attribute,
        "category": group,
        "l2-category": kind,
        "name": name,
        "preference": preference,
        "description_simple": "<sks> is small, round and grey.",
        "description_moderate": f"{name} is a small round grey figure.",
        "description_detailed": "<sks> is small. It is round. It is grey.",
        "description_super_detailed": "<sks>: Shape: round. Colour: grey.",
        "image_path": f"{attribute}/test/{name}/{group}/{index}.png",
    }
    if kind == "inconsistency":
        cells |= {"question": "What is <sks> near?", "A": "A sofa", "B": "A car", "C": "A bull"}
        cells |= {"D": "A dog, asleep"}
    return cells | more


ROWS = [
    row(0, "Angelina", "awareness"),
    row(1, "Angelina", "awareness", question="Is Angelina not in this photo?", answer="No"),
    row(2, "Angelina", "inconsistency", "preference", concept="entertainment", answer="B"),
    row(3, "Angelina", "awareness", "preference", concept="travel", target="like"),
    row(4, "Choi", "overconcept", "preference", concept="travel", target="dislike"),
    row(5, "Boo", "overconcept", target="Homo"),
    row(6, "Boo", "overconcept", target="Hetro", question="Isn't Boo's face here?", answer="Yes"),
    row(7, "bull", "inconsistency", question="What stands beside bull?", answer="A"),
    row(8, "asian_doll", "inconsistency", answer="D"),
    row(9, "Angelina", "overconcept", concept="multi"),
]


def write_folders(
    root: Path,
    rows: Sequence[Mapping[str, Any]] = ROWS,
    name: str = "dataset.csv",
    pictures: Callable[..., bytes] = png,
) -> Path:
    """Write rows, their pictures and five reference pictures of each concept; return the root."""
    root.mkdir(parents=True, exist_ok=True)
    with (root / name).open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    for cells in rows:
        place = root / cells["image_path"]
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(pictures(int(cells["index"])))
    for number, (one, (attribute, _)) in enumerate(PEOPLE.items()):
        for place in range(5):
            file = root / attribute / "train" / one / f"{place}.png"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(pictures(1000 + number, place))
    return root


def write_parquet(
    file: Path,
    rows: Sequence[Mapping[str, Any]] = ROWS,
    pictures: Callable[..., bytes] = png,
    **more: Any,
) -> Path:
    """Write the same rows as a hub's Parquet file: numbers for answers, pictures inside."""
    names = list(PEOPLE)
    numbers = {"A": 0, "B": 1, "C": 2, "D": 3, "Yes": 4, "No": 5}
    made = []
    for cells in rows:
        one = {name: cell if cell != "" else None for name, cell in cells.items()}
        one["answer"] = numbers.get(cells["answer"], cells["answer"])
        number = names.index(cells["name"])
        one["image_path"] = {"bytes": pictures(int(cells["index"])), "path": "1.png"}
        for place in range(5):
            inside = {"bytes": pictures(1000 + number, place), "path": None}
            one[f"injection_image_{place + 1}"] = inside
        made.append(one)
    file.parent.mkdir(parents=True, exist_ok=True)
    polars.DataFrame(made, infer_schema_length=None).write_parquet(file, **more)
    return file


def listing(root: Path, name: str, **domains: tuple[list[str], list[str]]) -> Path:
    """Write a person's likes and dislikes as the paper's Listing 1 has them."""
    record = {
        "concept": name,
        "images": [f"./human/train/{name}/{place}.png" for place in range(5)],
        "preferences": {
            domain: {"likes": likes, "dislikes": dislikes}
            for domain, (likes, dislikes) in domains.items()
        },
    }
    file = root / "human" / "train" / name / "preferences.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(record), encoding="utf-8")
    return file
