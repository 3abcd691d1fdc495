"""What the figures of an MMPB report say in words, against the twin that reads rows."""

from __future__ import annotations

import html
import re
from statistics import mean, median

from eyeprint.records.concept_settings import ConceptSetting
from eyeprint.report import mmpb_figures, mmpb_question_figures
from eyeprint.report.mmpb_curve_figures import curve_figures, granularity_figures, step_name
from eyeprint.report.mmpb_view import FinishedMmpb
from eyeprint.report.mmpb_words import part_title
from tests.report.slow_mmpb import GROUPS, TYPES, SlowTables, difference, own, percent, points

FIRST = "text:moderate · 0 turns"
NUMBER = re.compile(r"(.+?) ([+−]?[\d.]+|no value)(?: \[[^\]]*\])?(?:, |$)")


def words(figure: str, start: str) -> list[str]:
    """Return the rows of the words that stand for a chart, from the first ``start`` on."""
    (told,) = re.findall(r'aria-label="([^"]+)"', figure)
    text = html.unescape(told).replace("\u00a0", " ").split(" Dashed")[0].rstrip(".")
    return text[text.index(start) :].removeprefix(": ").split("; ")


def numbers(text: str) -> dict[str, str]:
    """Return name -> number of a row such as "a 60.0 [50.0, 70.0], b 40.0"."""
    return dict(NUMBER.findall(text))


def test_m28_means_of_open_and_of_closed_models(mmpb: FinishedMmpb, slow: SlowTables, labels):
    rows = words(mmpb_question_figures.access_figure(mmpb.results), ": ")
    found = dict(row.split(": ") for row in rows)
    assert list(found) == [part_title(key) for key in ("all", *GROUPS, *TYPES)]
    for access in ("open", "closed"):
        models = [m.model for m in mmpb.results.models if m.access == access]
        for key in ("all", *GROUPS, *TYPES):
            value = mean(slow.share((m, name), key) for m in models for name in own(labels))
            assert numbers(found[part_title(key)])[access] == percent(value)


def test_m33_medians_of_both_sides(mmpb: FinishedMmpb, slow: SlowTables):
    figures = mmpb_question_figures.contrast_figures(mmpb.results)
    pairs = (("single", "multi"), ("same_species", "different_species"), ("like", "dislike"),
             ("not negated", "negated"))  # fmt: skip
    assert len(figures) == len(pairs)
    for figure, sides in zip(figures, pairs, strict=True):
        title, _, row = words(figure, "All questions")[0].partition(": ")
        assert title == "All questions" and list(numbers(row)) == list(map(part_title, sides))
        for side in sides:
            value = median(slow.share((m, FIRST), side) for m in mmpb.results.machines)
            assert numbers(row)[part_title(side)] == percent(value)


def test_m21_black_pictures_beside_the_picture_and_the_optimum(
    mmpb: FinishedMmpb, slow: SlowTables, keys
):
    figures = mmpb_question_figures.blind_figures(mmpb.results)
    assert len(figures) == 3
    for figure, model in zip(figures, sorted(mmpb.results.machines), strict=True):
        for row in words(figure, "Awareness"):
            title, _, rest = row.partition(": ")
            found, key = numbers(rest), keys[title]
            assert found["black picture"] == percent(slow.share((model, f"{FIRST} · blind"), key))
            assert found["with the picture"] == percent(slow.share((model, FIRST), key))
            optimum = {"awareness": 0.0, "appropriateness": 1.0}.get(key.split(" · ")[0], 0.5)
            assert found["optimum without it"] == percent(optimum)


def bars(figure: str) -> dict[str, str]:
    """Return model -> number of a chart with one number each."""
    return {name: value for row in words(figure, "evil/") for name, value in numbers(row).items()}


def test_bars_of_one_number_for_each_model(mmpb: FinishedMmpb, slow: SlowTables):
    results = mmpb.results
    bias = bars(mmpb_figures.bias_figures(results)[0])
    drops = bars(mmpb_figures.drop_figures(results)[0])
    modality = bars(mmpb_figures.modality_figure(results))
    refused = bars(mmpb_figures.refusal_figure(results))
    lost = bars(mmpb_question_figures.lost_figure(results))
    drop, pair = results.drops[0], results.modality[0]
    for model in results.machines:
        here = model, FIRST
        away, there = slow.share(here, "appropriateness"), slow.share(here, "awareness")
        assert bias[model] == points(away - there)
        cells = (model, drop.shorter), (model, drop.longer)
        # A loss of points is what is gone: shorter less longer.
        assert drops[model] == points(difference(slow.both(*cells)))
        assert modality[model] == points(
            difference(slow.both((model, pair.text), (model, pair.image)))
        )
        rows = [row for cell in slow.cells if cell[0] == model for row in slow.of(cell)]
        assert refused[model] == percent(mean(row["outcome"] == "refused" for row in rows))
        assert lost[model] == percent(mean(row["outcome"] != "answered" for row in rows))


def lines_of(figure: str) -> dict[str, list[tuple[str, str]]]:
    """Return line -> (x, y) of a chart of lines."""
    rows = (row.partition(": ") for row in words(figure, "evil/"))
    return {name: list(numbers(rest).items()) for name, _, rest in rows}


def test_m37_m34_lines_go_through_the_shares(mmpb: FinishedMmpb, slow: SlowTables):
    (figure,) = curve_figures(mmpb.results, "concepts")
    lines = lines_of(figure)
    assert set(lines) == set(mmpb.results.machines)
    for model, line in lines.items():
        assert [x for x, _ in line] == ["1", "2", "5", "10", "20", "50"]
        for x, y in line:
            label = ConceptSetting(concepts=int(x)).label
            assert y == percent(slow.share((model, label)))
    levels = ["text:simple", "text:moderate", "text:detailed", "text:extended"]
    steps = [*levels, "image:1", "image:2", "image:5"]
    for model, line in lines_of(granularity_figures(mmpb.results)[0]).items():
        assert [x for x, _ in line] == [step_name(step) for step in steps]
        for step, (_, y) in zip(steps, line, strict=True):
            label = ConceptSetting(inject=step).label
            assert y == percent(slow.share((model, label), "recognition"))
