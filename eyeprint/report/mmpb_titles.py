"""Short names of models behind servers: an address is long, and the same for all of them.

Files of a run keep the full names, and so do exports that others read: CSV and JSON.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from eyeprint.report.mmpb_row_views import SessionView
from eyeprint.report.mmpb_summary_views import MmpbSummary
from eyeprint.report.mmpb_view import FinishedMmpb


def model_titles(names: Iterable[str]) -> dict[str, str]:
    """Return full name -> title of each model behind a server's address that one can tell by it.

    A title that two models would have, or that is another's name, is none.

    >>> model_titles(["http://127.0.0.1:8000/v1#my-vlm", "nearest"])
    {'http://127.0.0.1:8000/v1#my-vlm': 'my-vlm'}
    >>> model_titles(["http://one/v1#my-vlm", "http://two/v1#my-vlm"])
    {}
    """
    known = list(names)
    titles = {
        name: name.partition("#")[2]
        for name in known
        if name.startswith(("http://", "https://")) and name.partition("#")[2]
    }
    taken = Counter([*titles.values(), *known])
    return {name: title for name, title in titles.items() if taken[title] == 1}


def titled(run: FinishedMmpb) -> FinishedMmpb:
    """Return the run as people read it: its models go by their titles in every table and row."""
    titles = model_titles(model.model for model in run.results.models)
    if not titles or run.titles:
        return run
    order = dict(sorted(titles.items(), key=lambda each: -len(each[0])))
    summary = MmpbSummary.model_validate(_put(run.summary.model_dump(), order))
    sessions = tuple(SessionView.model_validate(_put(s.model_dump(), order)) for s in run.sessions)
    return replace(run, summary=summary, sessions=sessions, titles=titles)


def _put(value: Any, titles: Mapping[str, str]) -> Any:
    """Return a value of JSON with titles for names, the longest name first."""
    if isinstance(value, str):
        for name, title in titles.items():
            value = value.replace(name, title)
        return value
    if isinstance(value, Mapping):
        return {_put(key, titles): _put(each, titles) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_put(each, titles) for each in value]
    return value
