"""Verdicts of made-up judges on made-up models, as records and as released files."""

import json
import math
import random

from eyeprint.records.verdicts import Verdict

STRENGTHS = {"fusion": 0.9, "joint": 0.3, "tuned": 0.0, "plain": -0.6, "other": -0.6}


def released_files(folder, cases=12, judges=("gpt", "gem", "qwen"), seed=1, persons=4):
    """Write compete_data.jsonl and results_<judge>.jsonl with all that happens in them."""
    draw = random.Random(seed)
    pairs, results = [], {judge: [] for judge in judges}
    models = sorted(STRENGTHS)
    for case in range(cases):
        for i, a in enumerate(models):
            for b in models[i + 1 :]:
                # Every other pair stands the other way round.
                one, two = (a, b) if len(pairs) % 2 else (b, a)
                number = len(pairs)
                row = {"id": number, "model_A": one, "model_B": two}
                row |= {"image_A": f"{one}/{case}.png", "image_B": f"{two}/{case}.png"}
                row |= {"case_id": str(case), "image_id": f"u{case % persons}"}
                pairs.append(row)
                for judge in judges:
                    gap = STRENGTHS[one] - STRENGTHS[two]
                    first_wins = draw.random() < 1 / (1 + math.exp(-gap))
                    flipped = draw.random() < 0.5
                    said = "img1" if first_wins != flipped else "img2"
                    said = "tie" if draw.random() < 0.1 else said
                    sure = draw.choice([0.5, 0.7, 0.7, 0.8, 0.9, 0.95])
                    final = {"preferred_image": said, "confidence": sure, "reason": "light"}
                    if draw.random() < 0.03:
                        final["preferred_image"] = "neither"
                    if draw.random() < 0.05:
                        final["confidence"] = None
                    result = {"comparison_and_choice": {"final_decision": final}}
                    results[judge].append({"id": number, "flipped": flipped, "result": result})
    write(folder / "compete_data.jsonl", pairs)
    for judge, rows in results.items():
        write(folder / f"results_{judge}.jsonl", rows)
    return [folder / f"results_{judge}.jsonl" for judge in judges]


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def verdict(a, b, choice, judge="j", number=None, person="", **more):
    facts = {"comparison_id": str(number if number is not None else f"{a}{b}"), "case_id": ""}
    facts |= {"person_id": person, "judge": judge, "model_a": a, "model_b": b}
    return Verdict(**facts, choice=choice, **({"stated": choice} | more))


def many(a, b, wins, losses=0, ties=0, start=0, **more):
    said = ["a"] * wins + ["b"] * losses + ["tie"] * ties
    return [
        verdict(a, b, choice, number=f"{a}{b}{start + i}", **({"person": f"p{i}"} | more))
        for i, choice in enumerate(said)
    ]
