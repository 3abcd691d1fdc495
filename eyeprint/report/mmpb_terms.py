"""What the words of an MMPB report mean: only those that the run's page uses."""

from __future__ import annotations

from eyeprint.report.mmpb_view import FinishedMmpb
from eyeprint.report.mmpb_words import OUTCOME_WORDS

ALWAYS = (
    ("Concept", "Somebody, a pet, a thing or an avatar that the model is told about before it is "
     "asked. Its name is hidden: models only see <sks>."),
    ("Accuracy", "Questions answered right, of all that were asked, in per cent. Lost answers "
     "count as wrong."),
    ("Mean over tasks", "Accuracy in each task by itself, then the mean: a task with few questions "
     "weighs as much as one with many."),
    ("Chance", "What guessing gets right: half of the yes-or-no questions, one in the number of "
     "options of the others."),
    ("Awareness", "Questions whose picture shows the concept, or where its taste matters: the "
     "model should bring in what it was told."),
    ("Appropriateness", "Questions where the concept has no place: the model should leave out what "
     "it was told."),
    ("Coherency", "Questions with options: what it was told and what the picture shows must fit "
     "together."),
    ("Recognition, preference", "Whether a question is about how the concept looks, or about what "
     "somebody likes and dislikes."),
    ("text:moderate, image:2", "How the concept is told: as text at one of four levels (simple, "
     "moderate, detailed, extended), or as so many pictures. Tastes are always told as text."),
    ("0 turns, 10 turns", "Turns of other talk between what is told of the concept and the "
     "question. “after turn 5” and “at the end” say that the concept is told so late."),
)  # fmt: skip
LIFT = ("Lift", "Accuracy with the right concept minus accuracy on the same questions under a "
        "control: no concept at all, another one of the same category (wrong), or one put together "
        "from several others (shuffled). At 0, knowing the concept brings nothing.")  # fmt: skip
SOMETIMES = {
    "bias": ("Personalisation bias", "Appropriateness minus Awareness. Positive: the model leaves "
             "the concept out where it belongs. Negative: it sees it where it is not."),
    "drops": ("Drop ratio", "The share of the accuracy that a longer dialogue loses."),
    "blind": ("Blind", "The same questions with a black picture. Who answers those as well does "
              "not look."),
    "prompting": ("cot, few shot, reminder", "Ways to put the question: asked to think step by "
                  "step (chain of thought), shown worked examples, or reminded of the concept."),
    "contrasts": ("Same species", "Another animal of the concept’s species is in the picture: "
                  "harder to tell apart than one of another species."),
}  # fmt: skip


def definitions(run: FinishedMmpb) -> list[tuple[str, str]]:
    """Return (word, meaning) of what this run's page speaks of."""
    results = run.results
    found = list(ALWAYS)
    found += [LIFT] if results.lifts else []
    found += [term for name, term in SOMETIMES.items() if getattr(results, name)]
    used = results.outcomes.model_dump()
    found += [
        (title, meaning)
        for outcome, title, meaning in OUTCOME_WORDS
        if outcome == "answered" or used[outcome]
    ]
    return found
