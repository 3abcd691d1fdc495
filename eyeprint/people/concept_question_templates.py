"""Questions drafted without a model: yes/no from templates, preferences from keywords.

Offline, nothing sees the picture. What a picture shows is what its giver says of it: that the
concept is there, or not; or which keyword it shows. Of what somebody does or wears in a picture
nothing can be asked offline; such items need a model that sees pictures, and are told.
"""

from __future__ import annotations

from collections.abc import Mapping

from eyeprint.people.concept_conflicts import clash
from eyeprint.people.concept_drafts import QuestionDraft, drafted
from eyeprint.people.concept_issues import QuestionIssue, mix_issues
from eyeprint.people.concept_items import QuestionItem
from eyeprint.people.concept_tables import PreferenceTables, preference_tables
from eyeprint.randomness import stream
from eyeprint.records.concepts import SKS, Tastes

OFFLINE = "offline"
_PRESENT = (
    f"Is {SKS} in this picture?",
    f"Can {SKS} be seen here?",
    f"Does this picture show {SKS}?",
    f"Looking at the whole picture, is {SKS} anywhere in it?",
)
_ABSENT = (
    f"Is {SKS} not in this picture?",
    f"Is {SKS} missing from this picture?",
    f"Is it right that this picture does not show {SKS}?",
    f"Looking at the whole picture, is {SKS} nowhere in it?",
)
_HELD = (
    "Is what this picture shows among the things that <sks> {side}s?",
    "Does this picture show something that <sks> {side}s?",
    "Going by what is known of <sks>, is this something that <sks> {side}s?",
)
_NOT_HELD = (
    "Is what this picture shows not among the things that <sks> {side}s?",
    "Is it right that this picture shows nothing that <sks> {side}s?",
    "Going by what is known of <sks>, is this not something that <sks> {side}s?",
)
PREFERENCE_QUESTION = f"What does this picture show, and what does {SKS} think of it?"
_OPINIONS = {
    "like": f"{{topic}}, which {SKS} likes",
    "dislike": f"{{topic}}, which {SKS} dislikes",
    "neither": f"{{topic}}, on which {SKS} has no opinion",
}


def yes_no_by_template(item: QuestionItem, seed: int = 7) -> QuestionDraft:
    """Return a yes/no question from a template that the item's stream draws.

    >>> item = QuestionItem("q-1", "Ana", "human", "awareness", "recognition", "a.png",
    ...                     negated=True)
    >>> yes_no_by_template(item).question, yes_no_by_template(item).answer
    ('Is <sks> not in this picture?', 'No')
    """
    draw = stream(seed, "template", item.id)
    if item.group == "recognition":
        text = draw.pick(_ABSENT if item.negated else _PRESENT)
    else:
        side = "dislike" if item.target == "dislike" else "like"
        text = draw.pick(_NOT_HELD if item.negated else _HELD).replace("{side}", side)
    return drafted(item, text, OFFLINE)


def preference_by_keywords(
    item: QuestionItem,
    tastes: Mapping[str, Tastes],
    seed: int = 7,
    tables: PreferenceTables | None = None,
) -> QuestionDraft:
    """Return a Coherency question on a preference, its four options made of keywords (M18).

    The right option names what is shown and the opinion on it. The concept-only one names
    something else of the same opinion: true of <sks>, and not shown. The two image-only ones
    name what is shown with another opinion. So the picture alone leaves three, and the
    concept alone two.

    >>> item = QuestionItem("q-2", "Ana", "human", "coherency", "preference", "a.png",
    ...                     "rock concerts", "like")
    >>> ana = {"travel": Tastes(likes=("river cruises",)),
    ...        "entertainment": Tastes(likes=("rock concerts",))}
    >>> made = preference_by_keywords(item, ana)
    >>> made.right, made.concept_only
    ('rock concerts, which <sks> likes', 'river cruises, which <sks> likes')
    """
    tables = tables or preference_tables()
    side = "dislike" if item.target == "dislike" else "like"
    texts = [
        text
        for both in tastes.values()
        for text in (both.dislikes if side == "dislike" else both.likes)
    ]
    near = {text.casefold() for text in (item.topic, *tables.neighbours(item.topic))}
    others = [
        text
        for text in texts
        if text.casefold() not in near and clash(text, item.topic, tables) is None
    ]
    opinion = {kind: text.format(topic=item.topic) for kind, text in _OPINIONS.items()}
    issues: list[QuestionIssue] = []
    elsewhere = ""
    if others:
        other = stream(seed, "concept only", item.id).pick(others)
        elsewhere = _OPINIONS[side].format(topic=other)
    wrong = tuple(text for kind, text in opinion.items() if kind != side)
    issues += mix_issues(opinion[side], elsewhere, wrong)
    return drafted(
        item, PREFERENCE_QUESTION, OFFLINE, right=opinion[side], concept_only=elsewhere,
        image_only=wrong, issues=tuple(issues),
    )  # fmt: skip
