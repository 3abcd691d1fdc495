"""Sentences of a PIPBench run: what they say follows from the numbers, and changes with them."""

import json
from pathlib import Path

import pytest

from eyeprint.report.pipbench_claims import claims
from eyeprint.report.pipbench_columns import (
    gray_columns,
    main_column,
    meaning,
    models_of,
    table_columns,
    target_columns,
)
from eyeprint.report.pipbench_table_views import ColumnView
from eyeprint.report.pipbench_view import FinishedPipbench, read_pipbench
from eyeprint.report.pipbench_words import headline


def rewritten(folder: Path, change) -> FinishedPipbench:
    value = json.loads((folder / "summary.json").read_text())
    change(value)
    (folder / "summary.json").write_text(json.dumps(value))
    return read_pipbench(folder)


def test_the_headline_names_nearest_lift_judges_missing_and_copies(pip: FinishedPipbench):
    said = headline(pip)
    table = pip.summary.tables[0]
    means = {
        row.model: row.columns["CLS-R"].mean
        for row in table.models
        if row.method != "no_preference"
    }
    best = max(means, key=means.get)
    assert best == "Ours_1 | <b>&%"
    assert said[0].startswith(f"{best} paints nearest to people’s own pictures: CLS-R ")
    assert f"{means[best]:.2f}" in said[0] and "8 cases of real users" in said[0]
    text = " ".join(said)
    assert "The largest lift is" in text and "Without a lift" in text
    assert "judge_1|<i> failed the certificate" in text
    assert "2 of 112 pictures are missing (refused 2)" in text
    assert "2 pictures look like copies of a reference: Edit (1-Ref) 2." in text
    assert "8 people: an interval from so few" in text


def test_all_pictures_there_and_no_copies_are_said(plain: FinishedPipbench):
    text = " ".join(headline(plain))
    assert "All 104 pictures are there." in text
    assert "No picture looks like a copy of a reference." in text
    assert "rated" not in text


def test_with_very_few_people_the_first_thing_said_is_that_they_are_too_few(pip_copy: Path):
    def change(value):
        value["overall"]["persons"] = 2

    said = headline(rewritten(pip_copy, change))
    assert said[0].startswith("Pictures of 2 people are too few to say that one method is better")
    assert not any("an interval from so few" in line for line in said)


def test_p47_flags_on_a_model_that_saw_no_reference_are_told_as_what_they_are(pip_copy: Path):
    def change(value):
        blind = next(
            r["model"] for r in value["overall"]["models"] if r["method"] == "no_preference"
        )
        value["counts"]["copies"] = {blind: 3}

    text = " ".join(headline(rewritten(pip_copy, change)))
    assert "3 pictures look like copies of a reference: No preference 3." in text
    assert "No preference saw no reference: on these data" in text


@pytest.mark.parametrize(
    ("low", "high", "told"),
    [
        (1.0, 3.0, ", better than No preference (+2.00"),
        (-3.0, -1.0, ", worse than No preference (+2.00"),
        (-1.0, 5.0, ", too close to No preference, which sees no references, to tell apart"),
    ],
)
def test_p65_the_difference_to_no_preference_is_told_by_its_interval(
    pip_copy: Path, low: float, high: float, told: str
):
    def change(value):
        for row in value["tables"][0]["models"]:
            if row["method"] == "vprag_refs":
                row["columns"]["CLS-R"]["mean"] = 99.0
                gap = row["columns"]["CLS-R"]["minus_reference"]
                gap.update(mean=2.0, low=low, high=high)

    assert told in headline(rewritten(pip_copy, change))[0]


def test_lower_is_better_turns_the_side(pip_copy: Path):
    """With LPIPS alone, a difference below 0 is better."""

    def change(value):
        for table in (*value["tables"], value["overall"]):
            table["columns"] = [c for c in table["columns"] if c["prefix"] == "LPIPS"]
        for row in value["tables"][0]["models"]:
            if row["method"] == "vprag_refs":
                row["columns"]["LPIPS-R"]["mean"] = 0.1
                row["columns"]["LPIPS-R"]["micro"]["mean"] = 0.1
                row["columns"]["LPIPS-R"]["minus_reference"].update(mean=-0.6, low=-0.7, high=-0.5)

    said = headline(rewritten(pip_copy, change))[0]
    assert said.startswith(
        "VPRAG [offline] paints nearest to people’s own pictures: LPIPS-R 0.1000"
    )
    assert "better than No preference (−0.6000" in said


def test_without_strangers_there_is_no_lift(pip_copy: Path):
    text = " ".join(headline(rewritten(pip_copy, lambda v: v.update(lifts=[]))))
    assert "nobody else to compare with, so there is no lift" in text


def test_when_no_lift_is_sure_none_is_claimed(pip_copy: Path):
    def change(value):
        for lift in value["lifts"]:
            lift["lift"]["low"] = -1.0

    text = " ".join(headline(rewritten(pip_copy, change)))
    assert "No model has a lift: not even" in text and "The largest lift" not in text


def test_without_any_score_the_headline_says_so(pip_copy: Path):
    def change(value):
        for row in value["tables"][0]["models"]:
            row["columns"]["CLS-R"]["mean"] = None

    assert headline(rewritten(pip_copy, change))[0].startswith("No CLS-R could be computed")


def test_models_stand_by_paradigm_in_the_papers_order(pip: FinishedPipbench):
    models = models_of(pip)
    assert [model.title for model in models] == [
        "No preference",
        "Edit (1-Ref)",
        "Edit (2-Ref)",
        "Fusion [offline]",
        "Fusion [openai/gpt-5]",
        "VPRAG [offline]",
        "Ours_1 | <b>&%",
    ]
    assert models[-1].paradigm == "Pictures made elsewhere"
    assert len({model.tone for model in models}) == 5


def test_titles_name_the_painter_where_there_are_several(plain: FinishedPipbench):
    titles = [model.title for model in models_of(plain)]
    assert "Fusion [offline] · diffusers/flux" in titles and len(set(titles)) == 13


def test_p46_p47_p48_columns_stand_in_the_papers_order(pip: FinishedPipbench):
    columns = pip.summary.overall.columns
    assert [c.name for c in table_columns(columns)] == [
        "CLS-T",
        "LPIPS-R",
        "CLS-R",
        "DIS-R",
        "PAL-R",
    ]
    assert [c.name for c in gray_columns(columns)] == [
        "CLS-TG",
        "LPIPS-G",
        "CLS-G",
        "DIS-G",
        "PAL-G",
    ]
    named = [c.name for c in target_columns(columns)]
    assert named[-3:] == ["PIX-MSE", "PIX-MAE", "PIX-PSNR"] and "CLS-YG" in named
    assert len(named) + 10 == len(columns)
    assert main_column(columns).name == "CLS-R"
    assert main_column([c for c in columns if c.prefix == "LPIPS"]).name == "LPIPS-R"
    assert main_column([c for c in columns if c.against == "target"]) is None


def test_every_column_is_explained(pip: FinishedPipbench):
    told = [meaning(column) for column in pip.summary.overall.columns]
    assert all(text.endswith(("Higher is better.", "Lower is better.")) for text in told)
    plug_in = ColumnView(name="SIG-T", prefix="SIG", against="prompt", unit="cosine × 100")
    assert "short prompt, by SIG" in meaning(plug_in)


def test_p48_p58_p65_claims_are_told_with_numbers(pip: FinishedPipbench):
    found = {claim.said: " ".join(claim.lines) for claim in claims(pip)}
    assert len(found) == 5
    assert "CLS-R 6 of 6" in found["Most methods beat no preference"]
    assert "(not Edit (1-Ref))" in found["Most methods beat no preference"]
    moves = {(g.split, g.colour): g for g in pip.summary.claims.gray}
    gray = moves["real", "DIS-R"]
    assert f"DIS-R ({gray.moved} of 7)" in found["Turning pictures gray keeps the ranking"]
    assert "CLS-T: ρ −" in found["Reference metrics follow the ratings"]
    follow = found["Reference metrics follow the ratings"]
    assert "lower is better: it goes the same way" in follow
    assert "aligns with nobody" in found["Real users are easier to align with"]


def test_p65_two_references_against_one_is_by_the_columns_own_direction(pip: FinishedPipbench):
    told = next(c for c in claims(pip) if c.said == "More references can hurt").lines
    table = pip.summary.tables[0]
    one, two = "edit_1ref · sketch", "edit_2ref · sketch"
    for name, higher in (("LPIPS-R", False), ("DIS-R", True)):
        gap = table.measure(two, name).mean - table.measure(one, name).mean
        worse = gap < 0 if higher else gap > 0
        assert f"({'worse' if worse else 'not worse'})" in told[0].split(name)[1].split(name[:2])[0]


def test_claims_that_nothing_can_be_said_to_are_left_out(plain: FinishedPipbench):
    said = [claim.said for claim in claims(plain)]
    assert "Real users are easier to align with" not in said
    assert "Reference metrics follow the ratings" not in said
