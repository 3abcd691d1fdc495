"""The PIPBench page in a real browser: offline, silent, and its gallery opens."""

from pathlib import Path

import pytest

from eyeprint.report.pipbench_view import read_pipbench
from eyeprint.report.write import render
from tests.report.conftest import CHROMIUM
from tests.report.test_browser import CONTRAST

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not CHROMIUM.exists(), reason="no Chromium at /usr/bin/chromium"),
]


@pytest.fixture(scope="module")
def address(made_pip: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(render(read_pipbench(made_pip)), encoding="utf-8")
    return path.as_uri()


@pytest.mark.parametrize("width", [400, 1200, 1600])
def test_opens_offline_without_errors_and_fits_the_screen(browser, address: str, width: int):
    said, asked = [], []
    context = browser.new_context(offline=True, viewport={"width": width, "height": 900})
    page = context.new_page()
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(address)
    assert said == []
    assert [url for url in asked if url != address and not url.startswith("data:")] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()


def test_p80_cases_can_be_chosen_and_their_pictures_show(browser, address: str):
    page = browser.new_page()
    page.goto(address)
    shown = page.locator(".case:visible")
    assert shown.count() == 1 and "Case 000" in shown.inner_text()
    loaded = "[...document.querySelectorAll('.case')[0].querySelectorAll('img')]"
    assert page.evaluate(f"{loaded}.every(i => i.complete && i.naturalWidth > 0)")
    page.select_option("#pick-case", "2")
    assert "Case 002" in shown.inner_text()
    page.locator(".case:visible .heard > summary").click()
    assert page.locator(".case:visible .heard dd").first.is_visible()
    page.locator(".case:visible .sheet summary").first.click()
    assert "dusk light" in page.locator(".case:visible .sheet .prompt").first.inner_text()
    page.click("#next-case")
    assert "Case 003" in shown.inner_text()
    for _ in range(3):
        page.click("#next-case")
    assert "Case 000" in shown.inner_text()
    page.close()


def test_without_javascript_every_case_is_there(browser, address: str):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    assert page.locator(".case:visible").count() == 6
    assert not page.locator(".picker").is_visible()
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_the_contrast_of_wcag_aa(browser, address: str, scheme: str):
    page = browser.new_page(color_scheme=scheme)
    page.goto(address)
    # Cells of the win matrix have mixed colours, which a browser tells in shares of 1.
    mixed = "map(Number).map(v => c.startsWith('color(') ? 255 * v : v)"
    assert page.locator(".heat .win").count() > 5
    ratio, where = page.evaluate(CONTRAST.replace("map(Number)", mixed, 1))
    assert ratio >= 4.5, where
    page.close()
