"""What can be wrong with a question about a concept: one fixed list for rules and models (M19).

The paper's taxonomy is lost; this one is ours. Rules find what can be told from the text
alone; three models are asked about all of it (:mod:`eyeprint.people.concept_checks`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from eyeprint.records.concept_masking import names_in
from eyeprint.records.concept_negation import is_negated
from eyeprint.records.concepts import SKS
from eyeprint.records.work import Work

ISSUES: Mapping[str, str] = MappingProxyType(
    {
        "answer_wrong": "the answer that is called right is not right for this picture and <sks>",
        "none_right": "no option is right, or neither yes nor no is",
        "several_right": "another option is right too, or two options say the same",
        "concept_only_solvable": "what is told of <sks> is enough: the picture is not needed",
        "image_only_solvable": "the picture is enough: nothing about <sks> needs to be known",
        "distractor_mix": "the wrong options are not one that fits <sks> but not the picture and "
        "two that fit the picture but not <sks>",
        "length_cue": "the right option stands out by its length or detail",
        "ambiguous": "it can be understood in two ways that have different answers",
        "picture_mismatch": "the picture does not show what the question is about",
        "form": "it is not in the form asked for: one question, put in the negative where it "
        "should be and only there",
        "name_leak": "it calls <sks> by a name, or gives away who it is",
        "no_sks": "it does not speak of <sks>",
        "grammar": "it is not correct or not natural English",
    }
)
"""Id -> what it says."""
_LONG = 2.5
_LEAST_LENGTH = 30
"""Letters of a right option from which its length is looked at."""
_LETTERED = re.compile(r"^\s*\(?[A-Da-d][.):]\s+")
_ALL_OR_NONE = re.compile(
    r"\b(?:all|none|both|neither) of (?:the above|these|them)\b", re.IGNORECASE
)


class QuestionIssue(Work):
    """One thing that is wrong with a question."""

    issue: str
    """One of :data:`ISSUES`."""
    detail: str = ""


def text_issues(
    question: str, options: Sequence[str], name: str, category: str
) -> list[QuestionIssue]:
    """Return what rules find in a question's words: names, <sks>, marks, English capitals.

    >>> [found.issue for found in text_issues("Is Boo here", (), "Boo", "animal")]
    ['name_leak', 'no_sks', 'form']
    """
    found = []
    everything = " ".join([question, *options])
    names = names_in(everything, name, category)
    if names:
        told = f"it calls the concept {', '.join(names)}"
        found.append(QuestionIssue(issue="name_leak", detail=told))
    if SKS not in question:
        found.append(QuestionIssue(issue="no_sks", detail=f"{SKS} does not stand in the question"))
    if question.count("?") != 1 or not question.rstrip().endswith("?"):
        detail = "it should be one question that ends in a question mark"
        found.append(QuestionIssue(issue="form", detail=detail))
    return found


def form_issues(question: str, negated: bool | None) -> list[QuestionIssue]:
    """Return whether a yes/no question is in the form that was asked for.

    >>> form_issues("Is <sks> here?", negated=True)[0].detail
    'it should be put in the negative'
    """
    if negated is None or is_negated(question) == negated:
        return []
    detail = "it should be put in the negative" if negated else "it should not be in the negative"
    return [QuestionIssue(issue="form", detail=detail)]


def mix_issues(right: str, concept_only: str, image_only: Sequence[str]) -> list[QuestionIssue]:
    """Return what is wrong with four options: the mix of F.4, doubles, letters, lengths (M18).

    >>> [found.detail for found in mix_issues("a hat", "a scarf", ["a coat"])]
    ['1 option fits the picture only, not 2']
    """
    found = []
    given = [text for text in image_only if text.strip()]
    if not right.strip():
        found.append(QuestionIssue(issue="none_right", detail="the right option is missing"))
    if not concept_only.strip():
        detail = "no option fits the concept only"
        found.append(QuestionIssue(issue="distractor_mix", detail=detail))
    if len(given) != 2:
        verb = "option fits" if len(given) == 1 else "options fit"
        detail = f"{len(given)} {verb} the picture only, not 2"
        found.append(QuestionIssue(issue="distractor_mix", detail=detail))
    options = [text for text in (right, concept_only, *given) if text.strip()]
    keys = [re.sub(r"[\W_]+", " ", text).strip().casefold() for text in options]
    doubled = [text for i, text in enumerate(options) if keys[i] in keys[:i]]
    if doubled:
        detail = f"'{doubled[0]}' stands among the options twice"
        found.append(QuestionIssue(issue="several_right", detail=detail))
    if any(_LETTERED.match(text) for text in options):
        found.append(QuestionIssue(issue="form", detail="options have letters of their own"))
    if any(_ALL_OR_NONE.search(text) for text in options):
        detail = "an option speaks of the others, whose order is drawn"
        found.append(QuestionIssue(issue="form", detail=detail))
    others = [len(text) for text in options[1:]]
    if others and len(right) >= _LEAST_LENGTH and len(right) > _LONG * max(others):
        detail = "the right option is much longer than the others"
        found.append(QuestionIssue(issue="length_cue", detail=detail))
    return found
