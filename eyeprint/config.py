"""Frozen settings that know their own fingerprint.

A fingerprint is the SHA-256 of the settings' canonical JSON (sorted keys, no
spaces). Two settings are equal exactly when their fingerprints are; run folders,
ledgers and caches are keyed by it. TOML goes in, nothing but validated values
comes out: an unknown key is an error that names its nearest known key.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from eyeprint.errors import DataError, UsageError


def canonical_json(value: Any) -> str:
    """Return JSON with sorted keys and no spaces, equal for equal values.

    >>> canonical_json({"b": 1, "a": [1.5, None]})
    '{"a":[1.5,null],"b":1}'
    """
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


def fingerprint_of(value: Any) -> str:
    """Return the SHA-256 (64 hex digits) of a JSON-able value's canonical form.

    >>> fingerprint_of({"b": 1, "a": 2}) == fingerprint_of({"a": 2, "b": 1})
    True
    """
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()


class Settings(BaseModel):
    """Base of every settings class: frozen, closed, with a fingerprint.

    >>> class Demo(Settings):
    ...     tau: float = 0.1
    >>> Demo().fingerprint() == Demo(tau=0.1).fingerprint()
    True
    """

    # No infinity or NaN: neither has a canonical form, and no setting means anything by them.
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    def fingerprint(self) -> str:
        """Return the SHA-256 of these settings (64 hex digits)."""
        return fingerprint_of(self.model_dump(mode="json"))

    @classmethod
    def from_toml(cls, path: str | Path) -> Self:
        """Read settings from a TOML file.

        Raises:
            DataError: the file is missing or is not TOML.
            UsageError: a key is unknown or a value is out of range; each is named.
        """
        path = Path(path)
        try:
            values = tomllib.loads(path.read_text(encoding="utf-8-sig"))
        except OSError as error:
            raise DataError(f"{path}: cannot be read ({error.strerror}).") from error
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise DataError(f"{path}: not a TOML file: {error}") from error
        return cls.checked(values, where=str(path))

    @classmethod
    def checked(cls, values: dict[str, Any], where: str = "settings") -> Self:
        """Build settings from a dict; every fault is told with its key in one error."""
        try:
            return cls.model_validate(values)
        except ValidationError as error:
            faults = []
            for fault in error.errors():
                key = ".".join(str(part) for part in fault["loc"])
                text = fault["msg"]
                if fault["type"] == "extra_forbidden":
                    close = get_close_matches(key, list(cls.model_fields), n=1)
                    text = "unknown setting" + (f"; did you mean '{close[0]}'?" if close else "")
                faults.append(f"{key}: {text}")
            raise UsageError(f"{where}: " + "; ".join(faults)) from error
