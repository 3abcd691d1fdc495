"""Reading answers out of replies (M16, M18, M23, M30, X9)."""

from __future__ import annotations

from eyeprint.models.json_replies import read_json
from eyeprint.scores.choice_reading import read_choice
from eyeprint.scores.reply_decision import Reading
from eyeprint.scores.yes_no_reading import read_yes_no

__all__ = ["Reading", "read_choice", "read_json", "read_yes_no"]
