"""Two finished MMPB runs against each other, by the same questions (CHECKLIST M41, M43).

A tuned model against its base, descriptions by people against a model's, this month's server
against last month's.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from eyeprint.protocols.mmpb_settings import MmpbRun
from eyeprint.protocols.mmpb_summary import result_rows
from eyeprint.protocols.reread import finished_run
from eyeprint.records.concept_settings import ConceptSetting
from eyeprint.scores.mmpb_results import MmpbTableSettings
from eyeprint.scores.mmpb_runs import RunDifference, compare_runs


def compare_mmpb(
    left: str | Path, right: str | Path, versus: Mapping[str, str] | None = None
) -> tuple[RunDifference, ...]:
    """Return left minus right for every model and setting that both runs have.

    Args:
        left: folder of a finished run.
        right: folder of the other.
        versus: model of the left run -> model of the right run, where their names differ.

    Raises:
        DataError: a folder holds no finished run of MMPB, the runs disagree on what a question
            is, or they share no cell.
    """
    first, second = finished_run(Path(left)), finished_run(Path(right))
    return compare_runs(
        result_rows(Path(left)),
        result_rows(Path(right)),
        _settings(first, second),
        MmpbTableSettings(seed=first.seed, draws=first.bootstraps),
        versus,
    )


def _settings(*runs: MmpbRun) -> tuple[ConceptSetting, ...]:
    found = {setting.label: setting for run in runs for setting in run.settings}
    return tuple(found.values())
