"""``report.html`` of an MMPB run: one file that opens anywhere, offline."""

from __future__ import annotations

import json
from itertools import islice

from eyeprint.report.mmpb_gallery import Said, blocks_of, said_of, shown_settings
from eyeprint.report.mmpb_layout import tones_of
from eyeprint.report.mmpb_question_figures import cost_figure
from eyeprint.report.mmpb_replies import Gathered, gather
from eyeprint.report.mmpb_sections import sections_of
from eyeprint.report.mmpb_tables import mmpb_tables
from eyeprint.report.mmpb_terms import definitions
from eyeprint.report.mmpb_titles import titled
from eyeprint.report.mmpb_view import FinishedMmpb
from eyeprint.report.mmpb_words import OUTCOME_WORDS, headline, some
from eyeprint.report.page import environment, grid_html, page
from eyeprint.report.words import counted

CONTENTS = (("gallery", "Replies"), ("reading", "How to read this"), ("settings", "Settings"))


def gathered(run: FinishedMmpb) -> Gathered:
    """Read a run's rows once, with all that the report shows of them.

    Raises:
        DataError: a file of the run is missing or cut.
    """
    shown = frozenset(one.question.id for one in run.examples())
    return gather(run, shown, frozenset(shown_settings(run.results)))


def mmpb_html(run: FinishedMmpb) -> str:
    """Return the report as one self-contained HTML page; equal folders give equal bytes.

    Raises:
        DataError: a file of the run is missing or cut.
    """
    run = titled(run)
    found = gathered(run)
    made = mmpb_tables(run, found)
    said = headline(run)
    sections = sections_of(run, made)
    blocks = blocks_of(run, list(run.examples()), found)
    body = (
        environment()
        .get_template("mmpb.html.j2")
        .render(
            sections=sections,
            blocks=blocks,
            gallery_note=_gallery_note(run, len(blocks)),
            samples=_samples(run, found),
            how=run.results.how,
            definitions=definitions(run),
            cost_figure=cost_figure(run.results),
            cost=[grid_html(grid, tones_of(run.results)) for grid in made.cost],
            time_said=time_sentence(run),
            technical=_technical(run),
            notes=[*run.results.notes, *run.summary.notes],
            faults=[
                *run.summary.faults,
                *(f"{path}: {why}" for path, why in run.summary.pictures.items()),
            ],
            settings_json=json.dumps(
                run.manifest.get("settings", {}), indent=2, ensure_ascii=False, sort_keys=True
            ),
        )
    )
    return page(
        "MMPB: whom and what is it talking about?",
        body,
        heading=said[0],
        kicker="eyeprint · MMPB report",
        lead=said[1:],
        facts=_facts(run),
        contents=[*((one.id, one.label) for one in sections), *CONTENTS],
        script=environment().get_template("cases.js.j2").render(),
        footer=f"Made by eyeprint {run.version} from run {run.fingerprint[:12]}. This page loads "
        "nothing from elsewhere.",
    )


def _facts(run: FinishedMmpb) -> list[tuple[str, str]]:
    results = run.results
    people = len(results.models) - len(results.machines)
    return [
        ("Questions", f"{results.questions:,}"),
        ("Concepts", f"{results.concepts:,}"),
        ("Models", f"{len(results.machines):,}" + (" and people" if people else "")),
        ("Settings", f"{len(results.settings):,}"),
        ("Answers", f"{results.rows:,}"),
    ]


def _samples(run: FinishedMmpb, found: Gathered) -> list[tuple[str, str, list[Said]]]:
    """Return replies by lot: those without an answer by outcome, those with one by rule."""
    samples = [
        (title, meaning, [said_of(one, about=True) for one in found.lost[outcome]])
        for outcome, title, meaning in OUTCOME_WORDS
        if outcome in found.lost
    ]
    read = [said_of(one, about=True) for kept in found.read.values() for one in kept]
    if read:
        samples.append(("Read", "Some answers of each rule that read them.", read))
    changes = list(islice(run.changes(), 50))
    if changes:
        told = [
            Said(one.model, one.setting, one.reply, one.now, f"{one.rule} (before: {one.before})",
                 "", one.now == one.key, False, f"{one.question}: {one.key}")
            for one in changes
        ]  # fmt: skip
        samples.append(("Read otherwise", "Since the run was made; all are in reread.jsonl.", told))
    return samples


def _gallery_note(run: FinishedMmpb, shown: int) -> str:
    if not shown:
        return "No question is shown; replies by lot stand below."
    settings = shown_settings(run.results)
    return (
        f"{counted(shown, 'question')}, the first of each task, with the replies in "
        f"{some(settings)}. What was read from a reply, and by which rule, stands beside it, so "
        "that you can check it. All replies are in results.jsonl in the run’s folder."
    )


def time_sentence(run: FinishedMmpb) -> str:
    """Say how long the run took, and how many answers came from the ledger."""
    if not run.sessions:
        return "How long the run took is not told: it has no sessions.jsonl."
    seconds = sum(one.seconds for one in run.sessions)
    stored = sum(model.from_ledger for one in run.sessions for model in one.models)
    said = f"The run took {_clock(seconds)} in {counted(len(run.sessions), 'start')}"
    if stored:
        said += f"; {counted(stored, 'answer')} came from the ledger without a call"
    unknown = sum(model.cost_unknown for one in run.sessions for model in one.models)
    if unknown:
        said += f"; the price of {counted(unknown, 'call')} is not known"
    return said + "."


def _clock(seconds: float) -> str:
    """Return a span of time.

    >>> _clock(0.4), _clock(75), _clock(7260)
    ('0.4 s', '1 min 15 s', '2 h 1 min')
    """
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def _technical(run: FinishedMmpb) -> list[tuple[str, str]]:
    settings = run.settings
    facts = [
        ("Run", run.fingerprint),
        ("Data", run.summary.data.root),
        ("Data’s fingerprint", settings.data),
        *((title, name) for name, title in run.titles.items()),
        *((one.name, _identity(one.identity, one.given)) for one in settings.models),
        ("Temperature", "" if settings.temperature is None else f"{settings.temperature:g}"),
        ("Most tokens of a reply", "" if settings.max_tokens is None else f"{settings.max_tokens}"),
        ("Longest side of pictures", "" if settings.max_side is None else f"{settings.max_side}"),
        ("Free answers graded by", settings.grader if _open(run) else ""),
        ("Seed", str(settings.seed)),
        ("Bootstrap resamples", f"{run.results.table_settings.draws:,}"),
        ("eyeprint", run.version),
    ]
    return [(name, value) for name, value in facts if value]


def _open(run: FinishedMmpb) -> bool:
    return any(one.setting.form == "open" for one in run.results.settings)


def _identity(identity: str, given: bool) -> str:
    return f"answers made elsewhere, {identity[:16]}" if given else identity[:16]
