"""The MMPB page in a real browser: offline, silent, and every reply can be reached."""

from pathlib import Path

import pytest

from eyeprint.report.mmpb_view import read_mmpb
from eyeprint.report.write import render
from tests.report.conftest import CHROMIUM
from tests.report.test_browser import CONTRAST

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not CHROMIUM.exists(), reason="no Chromium at /usr/bin/chromium"),
]


@pytest.fixture(scope="module")
def address(made_mmpb: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(render(read_mmpb(made_mmpb)), encoding="utf-8")
    return path.as_uri()


@pytest.mark.parametrize("width", [420, 1200])
def test_opens_offline_without_errors_and_fits_the_screen(browser, address: str, width: int):
    said, asked = [], []
    context = browser.new_context(offline=True, viewport={"width": width, "height": 900})
    page = context.new_page()
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("dialog", lambda dialog: said.append(dialog.message))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(address)
    page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    assert said == []
    assert [url for url in asked if url != address and not url.startswith("data:")] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()


def test_m51_questions_can_be_chosen_and_their_pictures_and_replies_show(browser, address: str):
    page = browser.new_page()
    page.goto(address)
    shown = page.locator(".case:visible")
    assert shown.count() == 1 and "Question 0" in shown.inner_text()
    loaded = "[...document.querySelectorAll('.case')[0].querySelectorAll('img')]"
    assert page.evaluate(f"{loaded}.every(i => i.complete && i.naturalWidth > 0)")
    page.focus("#next-case")
    page.keyboard.press("Enter")
    assert "Question 1" in shown.inner_text()
    assert page.locator(".case:visible tbody tr").count() == 25
    page.locator(".sample > summary").nth(1).click()
    assert "can't identify people" in page.locator(".sample").nth(1).inner_text()
    page.close()


def test_without_javascript_every_question_is_there(browser, address: str):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    assert page.locator(".case:visible").count() == 30
    context.close()


def test_in_print_what_is_folded_is_open(browser, address: str):
    page = browser.new_page()
    page.goto(address)
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.locator("#cells").is_visible()
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_the_contrast_of_wcag_aa(browser, address: str, scheme: str):
    page = browser.new_page(color_scheme=scheme)
    page.goto(address)
    mixed = "map(Number).map(v => c.startsWith('color(') ? 255 * v : v)"
    assert page.locator(".heat .win").count() > 20
    ratio, where = page.evaluate(CONTRAST.replace("map(Number)", mixed, 1))
    assert ratio >= 4.5, where
    page.close()
