"""Reads an answer of yes or no out of a sentence that states it again (M16).

"<sks> is not present in the image" answers "Is <sks> present?" with no and "Is <sks> not
present?" with yes. The sentence's polarity (negations times opposites, "absent", "dislikes") is
set against the question's. Sentences that say that nothing can be said, that ask, or that hold
two negations of one predicate are left alone. English only; words of yes and no are read in
many languages (:mod:`eyeprint.scores.yes_no_reading`).
"""

from __future__ import annotations

import re
from functools import cache
from typing import Literal, NamedTuple

from eyeprint.scores.reply_marks import read_table
from eyeprint.scores.reply_parts import lowered, plain

Taste = Literal["like", "dislike"]
_SENTENCE = re.compile(r"[^.!?;\n。]{1,600}[.!?;\n。]?")
_CLAUSE = re.compile(
    r"[,:]|-(?=\s)|\b(?:but|because|since|although|though|however|while|as|so|and)\b"
)
_LOOSE_CLAUSE = re.compile(
    r"[,:](?!\s?(?:which|that|who|something|a thing|one)\b)|-(?=\s)"
    r"|\b(?:but|because|since|although|though|however|while|so|and)\b"
)
_TIED = re.compile(
    r"\b(?:which|that|(?:some|any|no|every)thing|things?|items?|none|neither|either|one of|any|"
    r"would(?:n't)?|is to|put)\b",
    re.IGNORECASE,
)
_NOT_WITHOUT = re.compile(r"\b(?:not|n't) (?:\w+ly )?without\b", re.IGNORECASE)
_OF_VERB = re.compile(r"not|n't|never|cannot|hardly", re.IGNORECASE)
_ANY = re.compile(r"\b(?:any|anything|either|any of)\b", re.IGNORECASE)
_DIRECT = re.compile(r"^\W*(?:\w+\W+){0,3}sks would(?:n't)?\b", re.IGNORECASE)
_NEAR_TASTE = re.compile(
    r"\s*(?:(?:really|particularly|necessarily|known|said|to|be|been|too|very|a|at all|much|\w+ly|"
    r"even|likely|want|wish)\s+){0,4}",
    re.IGNORECASE,
)
_COMPARES = re.compile(
    r"\b(?:whereas|unlike|compared|you (?:described|said|told|mentioned|introduced))\b",
    re.IGNORECASE,
)
_SHORTLY = re.compile(
    r".{0,12}| (?:some|any)thing [\w ]{0,24}"
    r"|(?: be)? (?:think|believe|expect|suppose|see why) [\w ]{0,24}"
)
_ELLIPSIS = re.compile(
    r"(?:so |then |thus |therefore |yes |no |indeed |actually )?"
    r"(?:it|he|she|they|sks|this|that|there)"
    r"(?P<verb>'s|'re| is| are| does| do| would| can| has| have| will| isn't| aren't|"
    r" doesn't| don't| wouldn't| can't| cannot| won't| hasn't)"
    r"(?P<not> not| definitely not| probably not)?"
    r"(?: indeed| definitely| probably)?",
    re.IGNORECASE,
)
_PRONOUN = re.compile(r"(?:it|he|she|they|this|that|these)\b", re.IGNORECASE)
_OF_THIS = re.compile(
    r"\b(?:would(?:n't)?|likely|probably|might|this|it|that|scene|image|picture|photo|setting|shown|here)\b",
    re.IGNORECASE,
)
_LEADING = re.compile(
    r"\s*[\"'(\[]*(?:(?:yes|no|nope|nah|yep|yup|yeah|correct|incorrect|true|false|"
    r"sure|right|wrong|indeed|certainly|absolutely|definitely|of course|negative|affirmative|"
    r"(?:absolutely|definitely|certainly|of course|probably|likely|most likely) not|"
    r"not (?:really|at all)|(?:final )?answer)[\s]*[,.:;!-]+\s*|"
    r"(?:yes|so|thus|therefore|hence|however|but|overall|in conclusion|finally|"
    r"actually|if i had to \w+|if (?:forced|pressed)[^,]{0,40}|based on [^,]{1,80})\b[\s,:]+){0,3}",
    re.IGNORECASE,
)
_CONTRACTED = re.compile(
    r"^\W*(?:is|are|was|does|do|did|would|can|could|has|have|will|won|should|must)n't\b",
    re.IGNORECASE,
)
_NEGATES = re.compile(
    r"\b(?:not|no|nothing|never|without|false|cannot)\b|\b(?:is|are|does|do|would|can)n't\b",
    re.IGNORECASE,
)
_OPTIONS = re.compile(
    r"(?:\n|\?|\boptions?:|\(?\b[A-D][.):]|\banswer\b|\bplease\b|\brespond\b|\breply\b).*",
    re.IGNORECASE | re.DOTALL,
)


class Question(NamedTuple):
    """What a question of yes or no asks after."""

    negated: bool
    """Whether it is put with "not", or with a predicate's opposite."""
    not_said: bool
    """Whether it is put with "not" itself."""
    presence: bool
    taste: bool
    thing: Taste | None = None
    """Whether it asks if there is a thing that is liked, or one that is disliked."""


class Restated(NamedTuple):
    """An answer that a sentence gives by stating it."""

    start: int
    end: int
    choice: str
    anchored: bool
    """Whether the sentence names the concept."""
    sentence: int


@cache
def _regex(name: str) -> re.Pattern[str]:
    return re.compile(read_table("yes_no_words.toml")["restating"][name])


def question_of(question: str, negated: bool | None = None) -> Question:
    """Return what a question asks after.

    A contracted form ("Isn't <sks> here?") expects the positive and counts as such, unless
    ``negated`` says otherwise.

    >>> question_of("Is <sks> not present in this photo?").negated
    True
    >>> question_of("Isn't <sks> in the image?").negated
    False
    >>> question_of("Would <sks> dislike this?").negated
    True
    """
    text = lowered(plain(question))
    asked = _OPTIONS.sub("", text) or text
    not_said = _NEGATES.search(_CONTRACTED.sub("", asked)) is not None
    taste = bool(_regex("liked").search(asked) or _regex("disliked").search(asked))
    presence = bool(_regex("present").search(asked) or _regex("absent").search(asked))
    if taste and re.search(r"\bmatch", asked, re.IGNORECASE) and not _OF_TASTE.search(asked):
        taste = False
    if not asked.strip() or not (taste or presence):
        taste = presence = True
    presence = presence and not (taste and question)
    disliked = taste and _regex("disliked").search(asked) is not None
    absent = _regex("absent").search(asked) is not None
    # "Negated" is of the wording, as records have it: to dislike is no negation there.
    by_wording = not_said != (absent and not (disliked and not _regex("thing").search(asked)))
    if negated is not None and negated != by_wording:
        by_wording, not_said = negated, not not_said
    if taste and not presence and _regex("thing").search(asked):
        return Question(by_wording, not_said, False, True, "dislike" if disliked else "like")
    return Question(by_wording != disliked, not_said, presence, taste)


_OF_TASTE = re.compile(
    r"\b(?:like|enjoy|love|prefer|appreciat|interest|taste|preference)", re.IGNORECASE
)


def _sign(clause: str, *, taste: bool) -> bool | None:
    """Return whether a clause affirms its predicate; ``None`` without one, or with two nots."""
    positive = _regex("liked" if taste else "present")
    opposite = _regex("disliked" if taste else "absent")
    against = opposite.search(clause)
    if against is None and not positive.search(clause):
        return None
    nots = list(_regex("negation").finditer(clause))
    if len(nots) > 1:
        return None
    if nots and against:
        # "not absent" affirms; "a different person, not sks" denies twice over.
        return _SHORTLY.fullmatch(clause, nots[0].end(), against.start()) is not None
    return not nots and against is None


def _clause_signs(sentence: str, *, taste: bool) -> set[bool]:
    signs = set()
    told_of = False
    for clause in _CLAUSE.split(sentence):
        named = _regex("subject").search(clause)
        told_of = told_of or named is not None
        if named or _PRONOUN.match(clause.strip()):
            sign = _sign(clause, taste=taste)
            if sign is not None:
                signs.add(sign)
    if not signs and not _COMPARES.search(sentence):
        sign = _sign(sentence, taste=taste)
        # What another clause affirms is of what it names: "it shows a dog, and sks is a cat".
        of_another = sign and told_of and not taste and not _regex("absent").search(sentence)
        signs = set() if sign is None or of_another else {sign}
    return signs


def _things(sentence: str, taste: Taste) -> set[bool]:
    """Return whether clauses say that there is a thing of a taste, or that there is none.

    Only clauses that tie the taste to what is shown count ("chess, which sks dislikes", "nothing
    that sks likes", "would be put off by"): "sks likes chess" says nothing of the picture.
    """
    signs: set[bool] = set()
    for clause in _LOOSE_CLAUSE.split(_NOT_WITHOUT.sub("", sentence)):
        if not (_regex("subject").search(clause) and _TIED.search(clause)):
            continue
        liked, disliked = _regex("liked").search(clause), _regex("disliked").search(clause)
        if liked and disliked and clause[liked.end() : disliked.start()].strip() == "to":
            # "wants to avoid", "would like to skip".
            liked = None
        word = liked or disliked
        if word is None or (liked and disliked):
            continue
        said: Taste = "like" if liked else "dislike"
        nots = list(_regex("negation").finditer(clause))
        of_taste = [
            one
            for one in nots
            if _OF_VERB.fullmatch(one[0]) and _NEAR_TASTE.fullmatch(clause, one.end(), word.start())
        ]
        if of_taste and not _ANY.search(clause):
            if _DIRECT.search(clause):
                # "sks would not be put off by the television": none, as far as it goes.
                signs |= {False} if said == taste else set()
                continue
            # "novels, which sks does not like": a thing of the other taste.
            said = "dislike" if said == "like" else "like"
            nots = [one for one in nots if one not in of_taste]
        if said != taste or len(nots) > 1:
            continue
        signs.add(bool(nots) == bool(_regex("absent").search(clause)))
    return signs


def _affirms(sentence: str, asked: Question) -> tuple[bool, bool] | None:
    """Return whether a sentence affirms, and whether only with what the question said."""
    ellipsis = _ELLIPSIS.fullmatch(sentence.strip(" .!;\"'"))
    if ellipsis:
        no = bool(ellipsis["not"]) or "n't" in ellipsis["verb"] or "cannot" in ellipsis["verb"]
        return not no, True
    if asked.thing is not None:
        signs = _things(sentence, asked.thing)
        return (next(iter(signs)), False) if len(signs) == 1 else None
    subject = _regex("subject").search(sentence)
    short = len(sentence.split()) <= 3
    if not (subject or short or _PRONOUN.match(sentence)):
        return None
    for taste in (True, False):
        if not (asked.taste if taste else asked.presence):
            continue
        if taste and not short and not _OF_THIS.search(sentence):
            continue
        signs = _clause_signs(sentence, taste=taste)
        if len(signs) == 1:
            return next(iter(signs)), False
    return None


def find_restated(text: str, asked: Question) -> list[Restated]:
    """Return the answers that sentences of a plain text give, in order.

    >>> asked = question_of("Is <sks> not present?")
    >>> find_restated("sks is not in the image.", asked)[0].choice
    'Yes'
    """
    found = []
    text = lowered(text)
    for number, match in enumerate(_SENTENCE.finditer(text)):
        lead = _LEADING.match(match[0])
        begin = lead.end() if lead else 0
        sentence = match[0][begin:]
        if not sentence.strip() or match[0].endswith("?") or _regex("unsaid").search(sentence):
            continue
        affirms = _affirms(sentence, asked)
        if affirms is None:
            continue
        positive, elliptic = affirms
        against = asked.not_said if elliptic else asked.negated
        choice = "Yes" if positive != against else "No"
        anchored = _regex("subject").search(sentence) is not None
        found.append(Restated(match.start() + begin, match.end(), choice, anchored, number))
    return found
