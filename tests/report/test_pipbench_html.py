"""The PIPBench page: self-contained, escaped, deterministic, and its gallery complete."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from eyeprint.report import pipbench_gallery
from eyeprint.report.pipbench_gallery import gallery_blocks
from eyeprint.report.pipbench_html import pipbench_html
from eyeprint.report.pipbench_view import FinishedPipbench, read_pipbench
from eyeprint.report.write import render
from tests.report import made_pipbench_run
from tests.report.made_pipbench_run import EVIL

VOID = {"meta", "link", "br", "hr", "img", "input"}


class Reader(HTMLParser):
    """Checks that tags nest, and collects ids, addresses and pictures."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.images: list[dict[str, str]] = []
        self.heads: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        if "id" in found:
            self.ids.append(found["id"])
        self.links += [found[n] for n in ("href", "src", "action", "srcset") if n in found]
        if tag == "img":
            self.images.append(found)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("style", "script"):
            self.text.append(data)
            if self.open[-1] == "h2":
                self.heads.append(data)


def parsed(run: FinishedPipbench) -> Reader:
    reader = Reader()
    reader.feed(pipbench_html(run))
    assert reader.open == []
    return reader


@pytest.fixture(scope="module")
def read(made_pip: Path) -> Reader:
    return parsed(read_pipbench(made_pip))


def test_the_page_loads_nothing_and_its_links_lead_somewhere(pip: FinishedPipbench, read: Reader):
    text = re.sub(r"data:image/jpeg;base64,[^\"]*", "", pipbench_html(pip))
    text = text.replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"https?:|//cdn|@import|url\(", text)
    assert len(read.ids) == len(set(read.ids))
    for link in read.links:
        assert link.startswith("data:") or (link[0] == "#" and link[1:] in read.ids), link


def test_p80_names_of_columns_are_not_broken_in_sentences(pip: FinishedPipbench):
    text = pipbench_html(pip)
    lead = text.split("<h1>")[1].split('<dl class="facts">')[0]
    assert '<span class="whole">CLS-R</span>' in lead
    assert not re.search(r"[A-Z]{2,6}-[A-Z]{1,3}\b(?!</span>)", lead)
    assert ".whole { white-space: nowrap; }" in text


def test_untrusted_text_is_escaped_and_shown(pip: FinishedPipbench, read: Reader):
    text = pipbench_html(pip)
    assert text.count("<script>") == text.count("</script>") == 1
    shown = "".join(read.text)
    assert f"A red door {EVIL} & a cat" in shown
    assert "Ours_1 | <b>&%" in shown and "<b>&%" not in text
    assert f"this person keeps choosing. {EVIL}" in shown
    assert "refused: I cannot <help>" in shown and "judge_1|<i>" in shown


def test_p80_every_part_is_there(read: Reader):
    assert read.heads == [
        "How near are they to their person’s own pictures?",
        "Do they fit this person, or just anybody?",
        "What judges say, as the person",
        "The pictures themselves",
        "How to read this",
        "What the paper says, checked here",
        "Gray pictures, and the target",
        "Copies",
        "What is missing",
        "Data, settings and fingerprints",
    ]
    text = " ".join("".join(read.text).replace("\u00a0", " ").split())
    for wanted in (
        "Scores, real users", "Scores, synthetic agents", "Win rates", "Rating against CLS-R",
        "The best against those that follow, by judge", "Certificates of the judges",
        "Colour and gray, real users", "The paper’s Table 1, real users", "What was not scored",
        "CLS between real pictures", "What was done to pictures when they were opened",
        "metadata.json, row 9", "one caption was empty (16 pictures)",
    ):  # fmt: skip
        assert wanted in text, wanted


def test_p80_the_gallery_has_references_target_and_a_column_per_model(pip: FinishedPipbench):
    blocks = gallery_blocks(pip)
    assert len(blocks) == 6
    first = blocks[0]
    assert len(first.references) == 2 and first.target is not None and first.flagged == 1
    assert [card.title for card in first.cards][:3] == [
        "No preference", "Edit (1-Ref)", "Edit (2-Ref)",
    ]  # fmt: skip
    edit = first.cards[1]
    assert edit.flag.words.startswith("Seems to copy reference 2")
    assert edit.flag.reference.image == first.references[1].image
    assert edit.used == "The painter saw reference 1"
    assert first.cards[2].shot.image is None and "I cannot <help>" in first.cards[2].shot.fault
    assert first.cards[0].prompt == "" and "dusk light" in first.cards[3].prompt
    assert dict(first.cards[0].numbers).keys() == {"CLS-T", "LPIPS-R", "CLS-R", "DIS-R", "PAL-R"}
    # Only real cases were judged: the first is of an agent.
    assert first.verdicts == () and blocks[2].verdicts
    assert blocks[4].target is None


def test_verdicts_beyond_the_most_are_counted(pip: FinishedPipbench, monkeypatch):
    monkeypatch.setattr(pipbench_gallery, "MOST_VERDICTS", 5)
    block = gallery_blocks(pip)[2]
    assert len(block.verdicts) == 5 and block.more_verdicts > 0
    total = sum(verdict.case_id == "002" for verdict in pip.judged[0].verdicts())
    assert len(block.verdicts) + block.more_verdicts == total


def test_pictures_have_words_and_sizes(read: Reader):
    assert len(read.images) > 40
    for image in read.images:
        assert image["alt"] and int(image["width"]) > 0 and int(image["height"]) > 0
        assert image["src"].startswith("data:image/jpeg;base64,")


def test_an_unjudged_run_of_one_split_has_no_judges_and_no_published_numbers(
    plain: FinishedPipbench,
):
    read = parsed(plain)
    text = "".join(read.text)
    assert "What judges say, as the person" not in read.heads
    assert "The paper’s own tables" not in text
    assert "By painter, real users" in text and "Synthetic agents" not in text
    assert "No picture looks like a copy of a reference." in text


def test_several_judgings_are_told_apart(tmp_path: Path):
    folder = made_pipbench_run.write_run(tmp_path / "run", people=4)
    made_pipbench_run.write_judged(folder, "one")
    made_pipbench_run.write_judged(folder, "two", judges=1)
    read = parsed(read_pipbench(folder))
    assert len(read.ids) == len(set(read.ids))
    text = "".join(read.text)
    assert "Judging one" in text and "Ratings (two)" in text


def test_a_judging_without_ratings_is_told(pip_copy: Path):
    (pip_copy / "judged" / "a1b2c3" / "arena.json").unlink()
    text = pipbench_html(read_pipbench(pip_copy))
    assert "Nothing could be rated" in text and "Certificates of the judges" in text
    assert "could not be turned into ratings" in text


@pytest.mark.parametrize("format", ["html", "md", "tex", "csv", "json"])
def test_equal_runs_give_equal_bytes(pip: FinishedPipbench, pip_copy: Path, format: str):
    assert render(pip, format) == render(read_pipbench(pip_copy), format)
