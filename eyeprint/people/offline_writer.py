"""Writes whole people from the authored tables, in the paper's order (V20).

Demographics first, then vocabulary and preferences given them, then scenarios, then
captions that follow the scenarios; unused vocabulary is pruned, invalid posts are
dropped, and the face is added. Every step draws from a stream of its own, keyed by run
seed and person, so a person is the same in any order and with any number of workers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pydantic import Field

from eyeprint.config import Settings
from eyeprint.people.captions import CaptionSettings, CaptionWriter
from eyeprint.people.demographics import DemographicSettings, Sketch, draw_demographics
from eyeprint.people.faces import make_face
from eyeprint.people.grammar import with_articles
from eyeprint.people.plans import PostSettings, plan_posts
from eyeprint.people.posts import ScenarioDecks
from eyeprint.people.scenes import Decks
from eyeprint.people.tables import tables_fingerprint
from eyeprint.people.vocabulary import (
    VocabularySettings,
    count_entries,
    draw_preferences,
    draw_vocabulary,
    entries_by_facet,
    prune_vocabulary,
    regional_shares,
)
from eyeprint.randomness import Stream, stream

Record = dict[str, Any]
"""One person as plain values, in the form of ``records.people.Persona``."""


class OfflineSettings(Settings):
    """All choices of the offline writer."""

    demographics: DemographicSettings = DemographicSettings()
    vocabulary: VocabularySettings = VocabularySettings()
    posts: PostSettings = PostSettings()
    captions: CaptionSettings = CaptionSettings()
    least_valid_posts: int = Field(default=10, ge=0)
    """A person with fewer valid posts is excluded (V19)."""
    valid_categories: int = Field(default=5, ge=0)
    """A valid post has elements in at least this many of the eight categories."""
    faces: bool = True
    """Whether a person gets facial attributes and a portrait prompt (V25–V27)."""


class Made(NamedTuple):
    """One person, or why there is none."""

    record: Record | None
    """``None`` when the person was excluded."""
    posts_dropped: int
    faults: tuple[str, ...] = ()
    """What kept the person, or a post, from being made."""


class OfflineWriter:
    """The writer that needs no model. Its name in manifests is "offline".

    >>> made = OfflineWriter(7).person("p-00000", "A Ghanaian weaver who keeps her offcuts.")
    >>> made.record["demographics"]["gender"], len(made.record["posts"])
    ('woman', 30)
    """

    name = "offline"

    def __init__(self, seed: int, settings: OfflineSettings | None = None) -> None:
        self.seed = seed
        self.settings = settings or OfflineSettings()

    def identity(self) -> dict[str, Any]:
        """Return what decides the bytes this writer makes, save the seeds."""
        return {
            "name": self.name,
            "settings": self.settings.model_dump(mode="json"),
            "tables": tables_fingerprint(),
        }

    def person(self, person_id: str, seed_text: str) -> Made:
        """Write one person from a seed text."""
        settings = self.settings
        sketch = draw_demographics(
            person_id, seed_text, settings.demographics, self._draw("demographics", person_id)
        )
        draw_vocabulary(sketch, settings.vocabulary, self._draw("vocabulary", person_id))
        draw_preferences(sketch, settings.vocabulary, self._draw("preferences", person_id))
        posts, writer = self._posts(sketch)
        valid = [post for post in posts if not self._faults(post)]
        dropped = len(posts) - len(valid)
        if len(valid) < settings.least_valid_posts:
            told = f"{len(valid)} valid posts, {settings.least_valid_posts} needed"
            return Made(None, dropped, (told,))
        return Made(self._record(sketch, valid, dropped, writer), dropped)

    def _draw(self, step: str, person_id: str) -> Stream:
        return stream(self.seed, f"offline/{step}", person_id)

    def _posts(self, sketch: Sketch) -> tuple[list[Record], CaptionWriter]:
        decks = Decks(sketch, self._draw("decks", sketch.id))
        scenes = ScenarioDecks(
            sketch, decks, self.settings.posts, self._draw("scenarios", sketch.id)
        )
        plan = plan_posts(self.settings.posts, self._draw("plan", sketch.id))
        drawn = [scenes.scene(wanted) for batch in plan for wanted in batch]
        writer = CaptionWriter(
            sketch, decks, self.settings.captions, self._draw("captions", sketch.id)
        )
        posts = []
        for number, scene in enumerate(drawn, start=1):
            scenario = scene.scenario
            caption, elements = writer.write(scene)
            posts.append(
                {
                    "id": f"{sketch.id}-p{number:02d}",
                    "kind": scene.kind,
                    "scenario": scenario.text if scenario else "",
                    "social": scene.social,
                    "time": scenario.time if scenario else "",
                    "caption": caption,
                    "elements": elements,
                }
            )
        return posts, writer

    def _faults(self, post: Mapping[str, Any]) -> list[str]:
        limits = self.settings.captions
        return post_faults(
            post, limits.words_low, limits.words_high, self.settings.valid_categories
        )

    def _record(
        self, sketch: Sketch, posts: list[Record], dropped: int, writer: CaptionWriter
    ) -> Record:
        pruned = prune_vocabulary(sketch.vocabulary, [post["caption"] for post in posts])
        record: Record = {
            "id": sketch.id,
            "seed": sketch.seed_text,
            "demographics": sketch.demographics,
            "summary": summary_of(sketch, self._draw("summary", sketch.id)),
            "preferences": sketch.preferences,
            "vocabulary": pruned,
            "posts": posts,
        }
        if self.settings.faces:
            record["face"] = make_face(sketch.id, sketch.demographics)
        record["build"] = sketch.notes | {
            "writer": self.name,
            "regional_shares": regional_shares(sketch.vocabulary, sketch.country),
            "regional_shares_after_pruning": regional_shares(pruned, sketch.country),
            "elements_before_pruning": entries_by_facet(sketch.vocabulary),
            "elements_after_pruning": count_entries(pruned),
            "posts_dropped": dropped,
            "captions_rewritten": writer.rewritten,
            "captions_over_overlap_limit": writer.over_limit,
        }
        return record


def post_faults(
    post: Mapping[str, Any], words_low: int, words_high: int, categories: int
) -> list[str]:
    """Return why a post is not valid (V18, V19); an empty list for a valid one.

    A valid caption has ``words_low``..``words_high`` words between blanks, elements in at
    least ``categories`` categories, and every element verbatim.

    >>> post_faults({"caption": "A red door.", "elements": {"objects": ["blue"]}}, 2, 9, 1)
    ["element 'blue' is not in the caption"]
    """
    caption, elements = post["caption"], post["elements"]
    words = len(caption.split())
    faults = []
    if not words_low <= words <= words_high:
        faults.append(f"{words} words; {words_low} to {words_high} needed")
    filled = sum(1 for phrases in elements.values() if phrases)
    if filled < categories:
        faults.append(f"elements in {filled} categories; {categories} needed")
    faults += [
        f"element '{phrase}' is not in the caption"
        for phrases in elements.values()
        for phrase in phrases
        if phrase not in caption
    ]
    return faults


_SUMMARIES = (
    "{Age} {who} in {city}, {named}. Works as a/an {occupation}, with {education} behind the work. "
    "Looks for {interests} and likes to be thought of as {traits}. The pictures keep close to "
    "{subjects}; their colours stay near {palette}, and their mood is one of {mood}. Behind "
    "the camera is somebody who {first}, {second}, and {third}.",
    "This {who} of {years} lives in {city}, {named}, and spends free hours on {interests}. "
    "Friends would say {traits}. On the account one meets {subjects}, often in colours taken "
    "from {palette} and in a spirit of {mood}. A habit or two gives the hand away: whoever "
    "posts here {first}, {second}, and {third}. Training: {education}.",
    "From {city} in {named} comes a feed of {subjects}, kept by {age} {who} with {education}. "
    "Its owner is {traits}, fond of {interests}, and often found with {collection}. The "
    "palette leans on {palette}; the feeling is {mood}. As a rule this person {first}, "
    "{second}, and {third}.",
)


def _listed(items: Sequence[str]) -> str:
    return items[0] if len(items) == 1 else ", ".join(items[:-1]) + " and " + items[-1]


def summary_of(sketch: Sketch, draw: Stream) -> str:
    """Return a paragraph of 60 to 110 words about the person and the pictures."""
    who = sketch.demographics
    vocabulary = sketch.vocabulary
    gender = who["gender"]
    noun = sketch.who if gender == "unknown" else f"{sketch.who} ({gender})"
    article = "an" if who["age"] in (8, 11, 18) or 80 <= who["age"] <= 89 else "a"
    age = f"{article} {who['age']}-year-old"
    values = {
        "age": age,
        "Age": age.capitalize(),
        "years": who["age"],
        "who": noun,
        "city": who["city"],
        "named": sketch.country.named,
        "occupation": who["occupation"],
        "education": who["education"],
        "interests": _listed(who["interests"][:3]),
        "traits": _listed(who["traits"][:3]),
        "collection": who["collection"],
        "subjects": _listed(draw.sample(vocabulary["foreground"]["objects"], 3)),
        "palette": draw.pick(vocabulary["atmosphere"]["palette"]),
        "mood": draw.pick(vocabulary["atmosphere"]["mood"]),
    }
    first, second, third = sketch.preferences[:3]
    template = draw.pick(_SUMMARIES)
    text = template.format(**values, first=first, second=second, third=third)
    return with_articles(text)
