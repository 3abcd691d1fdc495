"""The page in a real browser: offline, silent, and its selectors work."""

from pathlib import Path

import pytest

from eyeprint.report.run_folder_view import read_run
from eyeprint.report.write import render
from tests.report.conftest import CHROMIUM

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not CHROMIUM.exists(), reason="no Chromium at /usr/bin/chromium"),
]


@pytest.fixture(scope="module")
def address(made: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(render(read_run(made)), encoding="utf-8")
    return path.as_uri()


@pytest.mark.parametrize("width", [400, 1000, 1600])
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


def test_person_and_task_can_be_chosen_by_keyboard_and_button(browser, address: str):
    page = browser.new_page()
    page.goto(address)
    shown = page.locator(".person:visible")
    assert shown.count() == 1
    assert "mini-01" in shown.inner_text()
    page.select_option("#pick-person", "2")
    assert "mini-03" in shown.inner_text()
    assert page.locator(".task:visible h3").all_inner_texts() == ["Cultural site"]
    page.focus("#pick-task")
    page.keyboard.press("ArrowDown")
    assert page.locator(".task:visible h3").all_inner_texts() == ["Garden editing"]
    page.select_option("#pick-task", "all")
    assert page.locator(".task:visible").count() == 3
    page.click("#next-person")
    assert "mini-04" in shown.inner_text()
    page.click("#next-person")
    assert "mini-01" in shown.inner_text()
    page.close()


def test_without_javascript_everyone_is_there(browser, address: str):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    assert page.locator(".person:visible").count() == 4
    assert not page.locator(".picker").is_visible()
    page.locator(".person > summary").nth(1).click()
    assert page.locator(".person").nth(1).locator(".sheet").first.is_visible()
    context.close()


CONTRAST = """() => {
  const rgb = c => c.match(/[\\d.]+/g).slice(0, 3).map(Number);
  const lum = c => { const [r, g, b] = rgb(c).map(v => { v /= 255;
    return v <= 0.03928 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4); });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const back = e => { while (e) { const c = getComputedStyle(e).backgroundColor;
    if (c !== 'rgba(0, 0, 0, 0)') return c; e = e.parentElement; } return 'rgb(255,255,255)'; };
  return [...document.querySelectorAll('p, td, th, dt, dd, h1, h2, h3, small, mark, nav a, .note')]
    .map(e => { const a = lum(getComputedStyle(e).color), b = lum(back(e));
      return [(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), e.className + e.tagName]; })
    .sort((a, b) => a[0] - b[0])[0]; }"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_the_contrast_of_wcag_aa(browser, address: str, scheme: str):
    page = browser.new_page(color_scheme=scheme)
    page.goto(address)
    ratio, where = page.evaluate(CONTRAST)
    assert ratio >= 4.5, where
    page.close()
