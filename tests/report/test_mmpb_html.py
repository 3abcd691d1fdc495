"""The MMPB page: every table where its data are, none without, nothing of others unescaped."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from eyeprint.errors import BadRecord, DataError
from eyeprint.report.mmpb_html import gathered, mmpb_html, time_sentence
from eyeprint.report.mmpb_tables import mmpb_tables
from eyeprint.report.mmpb_view import FinishedMmpb, read_mmpb
from eyeprint.report.write import read_finished, render, write_report
from tests.report.made_mmpb_run import EVIL, EVIL_MODEL, MODELS, PAPER, write_run

ALL_TABLES = {
    "accuracy", "cells", "published", "lifts", "lifts-each", "unaided", "parts", "tasks",
    "crossed", "bias", "modality", "granularity-recognition", "granularity-all", "curve-position",
    "curve-concepts", "drops", "curve-turns", "prompting", "prompting-tests", "contrast-entities",
    "contrast-species", "contrast-taste", "contrast-negation", "blind", "outcomes", "rules",
    "letters", "refusals", "refused-tasks", "patterns", "access", "ranks", "ranked-models",
    "human", "fairness", "costs",
}  # fmt: skip
VOID = {"meta", "link", "img", "br", "line", "rect", "circle", "hr"}


class Reader(HTMLParser):
    """Checks that elements close in order, and gathers ids, links and sources."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.sources: list[str] = []
        self.scripts = 0

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.ids += [found["id"]] if "id" in found else []
        self.links += [found["href"]] if tag == "a" else []
        self.sources += [found[name] for name in ("src", "data") if name in found]
        self.scripts += tag == "script"
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.sources += [value for name, value in attrs if name == "src"]

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag


def read(html: str) -> Reader:
    reader = Reader()
    reader.feed(html)
    assert reader.open == []
    return reader


@pytest.fixture(scope="module")
def page(made_mmpb: Path) -> str:
    return render(read_mmpb(made_mmpb))


@pytest.fixture(scope="module")
def bare_page(made_bare: Path) -> str:
    return render(read_mmpb(made_bare))


def test_m23_every_table_and_section_is_there_when_its_data_are(page: str, mmpb: FinishedMmpb):
    found = read(page)
    grids = mmpb_tables(mmpb, gathered(mmpb)).in_order()
    assert {grid.id for grid in grids} - {"unfair"} == ALL_TABLES
    assert set(found.ids) >= ALL_TABLES
    sections = ("accuracy-section", "lift", "tasks-section", "bias-section", "told", "talk",
                "prompting-section", "pictures", "outcomes-section", "refusals-section", "models",
                "fairness-section", "gallery", "reading", "settings")  # fmt: skip
    assert [link.removeprefix("#") for link in found.links[1:]] == list(sections)
    assert len(found.ids) == len(set(found.ids))
    assert set(found.links) <= {f"#{id}" for id in found.ids}


def test_m23_a_table_without_data_makes_no_heading(bare_page: str, bare: FinishedMmpb):
    there = {grid.id for grid in mmpb_tables(bare, gathered(bare)).in_order()}
    gone = {"lifts", "unaided", "modality", "drops", "curve-turns", "prompting", "refusals",
            "access", "ranks", "human", "blind", "granularity-all"}  # fmt: skip
    assert not there & gone
    assert not set(read(bare_page).ids) & (gone | {"lift", "told", "talk", "models"})
    for heading in ("Does it help to know", "How should it be told", "Which models?", "refuse?"):
        assert heading not in bare_page


def test_m51_pages_hold_nothing_of_others_as_markup(page: str):
    found = read(page)
    assert found.scripts == 1
    assert EVIL not in page and "<b>&|model" not in page and "<cept>" not in page
    assert "&lt;script&gt;alert(1)" in page and "evil/&lt;b&gt;&amp;|model_1" in page
    assert all(source.startswith("data:image/jpeg;base64,") for source in found.sources)
    assert not re.search(r"(?:src|href)=\"(?:https?:)?//", page)


def test_equal_folders_give_equal_bytes(page: str, made_mmpb: Path):
    assert render(read_mmpb(made_mmpb)) == page


def test_m51_every_example_shows_pictures_question_key_replies_and_rules(page: str):
    first = page[page.index('data-case="0"') : page.index('data-case="1"')]
    assert first.count("<img") == 3
    assert "Right: <b>Yes</b>" in first
    assert first.count("<tr>") == 1 + 3 * 8 + 1  # head; three models in eight settings; people
    for words in ("lone-letter", "wrong concept", "no concept", "blind"):
        assert words in first
    options = page[page.index('class="options"') :][:700]
    assert 'class="key"' in options and "fits the concept, but not the picture" in options


def test_x9_replies_without_an_answer_are_shown_with_their_pattern(page: str):
    start = page.index("Replies drawn by lot")
    shown = page[start : page.index('id="reading"')]
    assert "cannot-judge" in shown and "I&#39;m sorry" in shown and "HTTP 503" in shown
    for title in ("Unread", "Refused", "Empty", "Cut", "Failed", "Read"):
        assert f"<summary>{title}<" in shown


def test_x9_how_each_outcome_stands_in_the_denominator_is_said_in_words(page: str):
    reading = page[page.index('id="reading"') :]
    assert reading.count("Counts as wrong") >= 5


def test_unaided_questions_are_counted_and_the_first_are_listed(page: str, made_mmpb: Path):
    total = len((made_mmpb / "answered_without.jsonl").read_text().splitlines())
    assert total > 50
    assert f"The first 50 of {total}" in page and "mmpb/answered_without.jsonl" in page


def test_m47_time_comes_from_the_starts_of_the_run(mmpb: FinishedMmpb, page: str):
    said = time_sentence(mmpb)
    assert said == (
        "The run took 1 min 2 s in 1 start; 9 answers came from the ledger without a call."
    )
    assert said in page


def test_published_numbers_stand_beside_the_runs_where_a_setting_is_equal(page: str):
    table = page[page.index('id="published"') :][:9000]
    assert "not comparable" in table
    for number in ("63.8", "57.8", "57.9", "52.6", "92.1", "72 of 92"):
        assert number in table


def test_charts_say_in_words_what_they_show(page: str):
    told = re.findall(r'<svg class="chart" role="img" aria-label="([^"]+)"', page)
    assert len(told) > 20
    assert all(len(text) > 30 for text in told)
    lines = [text for text in told if "by turns before the concept is told" in text]
    assert len(lines) == 3 and "reminder: 0 " in lines[0]


def test_92_cells_stay_readable_for_details_are_folded(tmp_path: Path):
    models = tuple(f"provider/model-{n:02d}" for n in range(23))
    folder = write_run(tmp_path / "big", models=models, settings=PAPER, people=False, each=1,
                       concepts=8)  # fmt: skip
    page = render(read_mmpb(folder))
    read(page)
    unfolded = re.sub(r"<details.*?</details>", "", page, flags=re.S)
    rows = unfolded.count("<tr")
    assert rows < 260
    assert page.count("provider/model-22") > 20
    assert len(page) < 4_000_000


def test_reread_answers_are_listed(mmpb_copy: Path):
    row = {"model": MODELS[0], "setting": "x", "question": "1", "key": "A", "before": "unread",
           "now": "A", "rule": "new-rule", "reply": "A!"}  # fmt: skip
    (mmpb_copy / "reread.jsonl").write_text(json.dumps(row) + "\n")
    page = mmpb_html(read_mmpb(mmpb_copy))
    assert "new-rule (before: unread)" in page


def test_a_run_without_companions_still_reports(mmpb_copy: Path):
    for name in ("examples.jsonl", "answered_without.jsonl", "sessions.jsonl"):
        (mmpb_copy / name).unlink()
    page = mmpb_html(read_mmpb(mmpb_copy))
    read(page)
    assert "No question is shown" in page and "no sessions.jsonl" in page


def test_rows_that_do_not_agree_with_the_summary_stop_the_report(mmpb_copy: Path):
    path = mmpb_copy / "results.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
    with pytest.raises(DataError, match="has 11,969 rows, but the run's summary speaks of 11,970"):
        write_report(mmpb_copy)
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(BadRecord, match=r"results\.jsonl"):
        write_report(mmpb_copy)
    assert not (mmpb_copy / "report.html").exists()


def test_reports_find_out_the_kind_by_themselves(made_mmpb: Path):
    assert isinstance(read_finished(made_mmpb), FinishedMmpb)
    assert EVIL_MODEL in read_finished(made_mmpb).results.machines


def test_an_unfinished_run_says_what_to_do(mmpb_copy: Path):
    (mmpb_copy / "summary.json").unlink()
    with pytest.raises(DataError, match="not finished"):
        read_mmpb(mmpb_copy)
