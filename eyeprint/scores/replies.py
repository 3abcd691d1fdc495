"""Reading answers out of replies: the one place to import from (M16, M18, M23, M30, X9).

Strict forms first, then loose ones; the last stated answer wins; what fired, and what else could
be read, comes back beside the answer. Nothing is read out of reasoning. What a tie comes to:

- the letter and the text of another option ("B. the mountains", which is C): the letter, with
  the other among the alternatives;
- two options stated at once ("A or B"): unread;
- an answer that is stated and then called wrong: what is stated after that, else unread;
- all options denied but one, and nothing stated: unread, the one among the alternatives;
- yes or no beside a sentence that says the contrary: the word, but for negated questions the
  sentence (:mod:`eyeprint.scores.yes_no_reading`);
- an answer beside a refusal: :mod:`eyeprint.scores.answer_reading`.
"""

from __future__ import annotations

from eyeprint.models.json_replies import read_json
from eyeprint.scores.answer_reading import ReadAnswer, read_answer
from eyeprint.scores.choice_reading import read_choice
from eyeprint.scores.reply_decision import Reading
from eyeprint.scores.score_reading import ScoreReading, read_score, read_scores
from eyeprint.scores.yes_no_reading import read_yes_no

__all__ = [
    "ReadAnswer",
    "Reading",
    "ScoreReading",
    "read_answer",
    "read_choice",
    "read_json",
    "read_score",
    "read_scores",
    "read_yes_no",
]
