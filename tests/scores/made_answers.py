"""Answers of MMPB made for tests: a small world of concepts, questions and models."""

import numpy as np

from eyeprint.records.concept_questions import OUTCOMES, ConceptAnswer
from eyeprint.records.concept_settings import ConceptSetting

WORLD = {
    "human": ("Ada", "Bo", "Cy"),
    "animal": ("Dot", "Elf"),
    "object": ("Fez", "Gem"),
    "character": ("Hal",),
}


def answer(question="q1", model="m", setting=None, **values):
    """One answer; right unless ``said`` or ``outcome`` says otherwise."""
    found = {
        "question": question,
        "concept": "Ada",
        "category": "human",
        "type": "awareness",
        "group": "recognition",
        "chance": 0.5,
        "model": model,
        "setting": (setting or ConceptSetting()).label,
        "key": "Yes",
        "outcome": "answered",
    } | values
    if found["outcome"] == "answered":
        found.setdefault("said", found["key"])
        found.setdefault("right", found["said"] == found["key"])
    return ConceptAnswer(**found)


def made_questions(seed=0, each=2):
    """Questions of all 15 tasks about the world, ``each`` per task and concept: facts only."""
    rng = np.random.default_rng(seed)
    found = []
    for category, names in WORLD.items():
        for name in names:
            for group in ("recognition", "preference") if category == "human" else ("recognition",):
                for kind in ("awareness", "appropriateness", "coherency"):
                    for _ in range(each):
                        found.append(_question(rng, f"q{len(found)}", name, category, group, kind))
    return found


def made_answers(settings, models=("m1", "m2"), seed=0, each=2, skill=0.6, missing=0.0):
    """Random answers to made questions by every model in every setting."""
    rng = np.random.default_rng(seed + 1)
    questions, found = made_questions(seed, each), []
    for model in models:
        for setting in settings:
            for question in questions:
                if rng.random() < missing:
                    continue
                found.append(_answered(rng, question, model, setting, skill))
    return found


def _question(rng, name, concept, category, group, kind):
    facts = {
        "question": name,
        "concept": concept,
        "category": category,
        "type": kind,
        "group": group,
        "chance": 0.25 if kind == "coherency" else 0.5,
    }
    if kind == "coherency":
        letters = rng.permutation(list("ABCD")).tolist()
        facts |= {"key": letters[0], "concept_only": letters[1]}
        facts["entities"] = str(rng.choice(["single", "multi"]))
    else:
        facts["negated"] = bool(rng.integers(2))
        facts["key"] = "Yes" if (kind == "awareness") != facts["negated"] else "No"
        if kind == "awareness":
            facts["entities"] = str(rng.choice(["single", "multi"]))
        elif category == "animal":
            facts["target"] = str(rng.choice(["same_species", "different_species"]))
    if group == "preference":
        facts["target"] = str(rng.choice(["like", "dislike"]))
    return facts


def _answered(rng, question, model, setting, skill):
    outcome = str(rng.choice(OUTCOMES, p=[0.75, 0.05, 0.08, 0.04, 0.04, 0.04]))
    values = dict(question) | {"outcome": outcome}
    if outcome == "answered":
        options = "ABCD" if question["type"] == "coherency" else ("Yes", "No")
        right = rng.random() < skill
        values["said"] = question["key"] if right else str(rng.choice(list(options)))
    if outcome == "refused":
        values["refusal"] = str(rng.choice(["sorry", "unknown"]))
    values |= {
        "dialogue_tokens": 100 * setting.turns,
        "prompt_tokens": 50 + 100 * setting.turns,
        "shared_tokens": 40,
        "input_tokens": 60,
        "cost_usd": 0.001,
    }
    return answer(model=model, setting=setting, **values)
