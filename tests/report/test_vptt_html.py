"""The report page: self-contained, escaped, deterministic, honest about samples."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from eyeprint.report import gallery_page, sampling
from eyeprint.report.page import page
from eyeprint.report.run_folder_view import FinishedRun
from eyeprint.report.sampling import sample
from eyeprint.report.vptt_html import html
from tests.report.made_run import EVIL

VOID = {"meta", "link", "br", "hr", "img", "input"}


class Reader(HTMLParser):
    """Checks that tags nest, and collects ids and addresses."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.names: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.names.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value)
            if name in ("href", "src", "action", "data", "poster", "srcset"):
                self.links.append(value)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.names.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("style", "script"):
            self.text.append(data)


@pytest.fixture
def read(run: FinishedRun) -> Reader:
    reader = Reader()
    reader.feed(html(run))
    assert reader.open == []
    return reader


def test_the_page_loads_nothing_and_its_links_lead_somewhere(run: FinishedRun, read: Reader):
    text = html(run).replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"https?:|//cdn|@import|url\(", text)
    assert len(read.ids) == len(set(read.ids))
    for link in read.links:
        assert link == "data:," or (link[0] == "#" and link[1:] in read.ids), link


def test_untrusted_text_is_escaped_and_shown(run: FinishedRun, read: Reader):
    text = html(run)
    assert text.count("<script>") == text.count("</script>") == 1
    assert "<b>red" not in text
    assert EVIL in "".join(read.text)
    assert "I cannot <help>." in "".join(read.text)
    assert "demo/wri_ter|<b>&%" in "".join(read.text)


def test_x15_headline_tables_charts_and_gallery_are_there(run: FinishedRun, read: Reader):
    text = " ".join("".join(read.text).replace("\u00a0", " ").split())
    assert "fit their own person" in text or "has no lift" in text
    for wanted in ("Alignment against novelty", "Lift over a stranger", "Score by method",
                   "Score of each person", "Rankings under both rules", "All 0 … all 1",
                   "captions 3, prompts 1", "A note on how far this encoder can be trusted.",
                   run.fingerprint, "All 4 people of the run"):  # fmt: skip
        assert wanted in text, wanted
    assert read.names.count("svg") == 4 + 3
    # 4 people x 3 tasks x 2 writers x 5 methods
    assert read.names.count("article") == 120
    assert read.names.count("mark") > 100


def test_failures_are_counted_by_kind_apart_from_unscored_parts(run: FinishedRun):
    found = sample(run)
    assert dict(found.faults) == {("baseline", "refused"): 1}
    assert not found.unscored


def test_a_sample_is_said_to_be_one_and_does_not_depend_on_scores(
    run: FinishedRun, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(sampling, "GALLERY_PEOPLE", 2)
    monkeypatch.setattr(sampling, "SPREAD_PEOPLE", 3)
    text = html(run)
    assert "A sample of 2 of 4 people, drawn by lot" in text
    assert "a sample of 3 of 4 people" in text
    before = [person.id for person in sample(run).shown]
    rows = [{**row, "score": 0.5} for row in run.rows()]
    monkeypatch.setattr(FinishedRun, "rows", lambda self: iter(rows))
    assert [person.id for person in sample(run).shown] == before


def test_v65_three_phrase_tasks_are_not_pooled_with_free_ones(run: FinishedRun):
    assert [task.id for task in run.settings.apart] == ["outdoor_spot"]
    found = sample(run)
    rows = [r for r in run.rows() if r["method"] == "vprag" and r["query"] != "outdoor_spot"]
    for person, tally in found.tallies["vprag"].items():
        own = [r["score"] for r in rows if r["person"] == person]
        assert tally.n == len(own) == 4
        assert tally.total == pytest.approx(sum(own))
    pooled = run.summary.overall.row("vprag")
    assert pooled is not None and pooled.rows == len(rows)
    assert pooled.score.interval.mean == pytest.approx(sum(r["score"] for r in rows) / len(rows))
    assert "Outdoor spot, with a budget of three phrases" in html(run)


def test_the_gallery_keeps_to_its_bytes(run: FinishedRun, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(gallery_page, "MOST_BYTES", 1)
    assert "A sample of 1 of 4 people" in html(run)


def test_sampled_points_are_of_the_same_prompts_for_all_methods(
    run: FinishedRun, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(sampling, "POINTS", 5)
    found = sample(run)
    assert {len(points) for points in found.points.values()} == {5}
    rows = list(run.rows())
    at = {m: {(r["nv"], r["score_c"]): (r["person"], r["query"], r["writer"])
              for r in rows if r["method"] == m} for m in ("brag", "comb")}  # fmt: skip
    cells = {m: [at[m][point] for point in found.points[m]] for m in at}
    assert cells["brag"] == cells["comb"]


def test_a_page_escapes_all_but_its_body():
    text = page("<t>", "<p>b</p>", heading="<h>", lead=["<l>"], facts=[("<f>", "<v>")],
                contents=[("a", "<c>")], footer="<x>", kicker="<k>")  # fmt: skip
    for raw in ("<t>", "<h>", "<l>", "<f>", "<v>", "<c>", "<x>", "<k>"):
        assert raw not in text
        assert raw.replace("<", "&lt;").replace(">", "&gt;") in text
    assert "<p>b</p>" in text
    assert "<script>" not in text


def test_v46_the_settings_tell_which_decoding_is_ours(run: FinishedRun):
    gaps = {"gemini/gemini-2.5-pro": ("max_tokens", "seed"), "vllm/qwen": ()}
    sent = {"gemini/gemini-2.5-pro": {"temperature": 0.7, "max_tokens": 4096}}
    told = replace(
        run,
        summary=run.summary.model_copy(update={"decoding_gaps": gaps}),
        settings=run.settings.model_copy(update={"decoding": sent}),
    )
    terms = dict(re.findall(r"<dt>(Decoding of [^<]*)</dt><dd><code>([^<]*)</code>", html(told)))
    assert terms == {
        "Decoding of gemini/gemini-2.5-pro": "not stated by the paper: max_tokens 4096, "
        "seed as served",
        "Decoding of vllm/qwen": "as the paper states",
    }
    assert "Decoding of" not in html(run), "nothing is decoded where no model writes"
