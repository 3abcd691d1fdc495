"""Tables of builds in stages: each belongs to exactly what it is made of (X17)."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator
from typing import Any

from eyeprint.store.run_folder import RunFolder
from eyeprint.store.shards import ShardTable


def fresh_table(folder: RunFolder, name: str, made_of: Any) -> ShardTable:
    """Return a table that belongs to exactly what it is made of; older ones are removed.

    Args:
        folder: of the build.
        name: of the stage.
        made_of: what the stages before it gave, as JSON takes it.
    """
    text = json.dumps(made_of, sort_keys=True).encode()
    full = f"{name}-{hashlib.sha256(text).hexdigest()[:12]}"
    for old in folder.path.glob(f"{name}-*"):
        if old.name.split(".")[0] != full:
            shutil.rmtree(old) if old.is_dir() else old.unlink()
    return folder.table(full)


def rows_of(table: ShardTable) -> Iterator[dict[str, Any]]:
    """Yield the rows of a finished table, in the items' order."""
    with table.merged_path.open(encoding="utf-8", newline="\n") as lines:
        for line in lines:
            yield json.loads(line)
