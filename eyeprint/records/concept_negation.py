"""Whether a yes-or-no question is put in the negative, told from its words (CHECKLIST M16)."""

from __future__ import annotations

import re

_NEGATION = re.compile(
    r"\b(?:not|never|cannot|without|absent|missing|lack|lacks|lacking|excluded|excludes|"
    r"no\s+(?:sign|trace|sight|evidence)|no\s+longer|nowhere|nothing|none|nobody|neither|"
    r"\w+n['’]t|fails?\s+to|free\s+of)\b",
    re.IGNORECASE,
)
_HEAD = re.compile(r"\A\W*\w+n['’]t\b", re.IGNORECASE)
_TAG = re.compile(r",\s*\w+(?:n['’]t)?\s+(?:\w+|<sks>)\s*$")


def is_contracted(question: str) -> bool:
    """Tell whether a question begins with a contraction, whose "yes" is used in two ways.

    >>> is_contracted("Isn't <sks> here?"), is_contracted("Is it true that <sks> isn't here?")
    (True, False)
    """
    return _HEAD.match(_asked(question)) is not None


def is_negated(question: str) -> bool:
    """Tell whether an English yes-or-no question is put in the negative (M16).

    "yes" to such a question says that something is not so. A contraction at the head is none:
    "Isn't <sks> here?" is answered "Yes" when <sks> is here. Nor is a question on dislikes.
    Only the first sentence that asks is looked at, and no tag ("..., isn't it?") at its end.

    >>> is_negated("Is <sks> not in the photo? Answer yes or no."), is_negated("Isn't <sks> here?")
    (True, False)
    >>> is_negated("Is <sks> in the photo or not?"), is_negated("<sks> is here, isn't it?")
    (False, False)
    """
    return bool(_NEGATION.search(_HEAD.sub("", _asked(question))))


def _asked(question: str) -> str:
    asked = question.split("?", 1)[0] if "?" in question else question
    # What stands before the sentence that asks is no part of it.
    asked = re.split(r"[.!\n]\s+", asked.strip())[-1]
    return _TAG.sub("", re.sub(r",?\s+or\s+not\s*$", "", asked))
