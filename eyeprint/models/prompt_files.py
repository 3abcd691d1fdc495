"""Prompts to models as text files: one .j2 file each, filled in with facts.

A misspelt fact is an error, and nothing is escaped: models read plain text. Facts are
data and never templates, whatever braces they hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Template


@lru_cache(maxsize=64)
def _template(file: Path) -> Template:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(file.parent),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
    )
    return environment.get_template(file.name)


def filled_prompt(file: Path, facts: Mapping[str, Any]) -> str:
    """Return the prompt in a file with its facts filled in, without blank ends.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "hello.j2"
    >>> _ = file.write_text("Hello {{ name }}.\\n")
    >>> filled_prompt(file, {"name": "{{ name }}"})
    'Hello {{ name }}.'
    """
    return _template(file).render(facts).strip()
