"""Print the lower bounds of the base dependencies as exact pins, one a line."""

import re
import tomllib
from pathlib import Path

project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
for requirement in [*project["dependencies"], *project["optional-dependencies"]["audit"]]:
    found = re.fullmatch(r"([\w.-]+)(?:\[[\w,]+\])?>=([\w.]+)", requirement)
    if found is None:
        raise SystemExit(f"'{requirement}' has no plain lower bound")
    print(f"{found[1]}=={found[2]}")
