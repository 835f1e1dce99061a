"""JupyterLab runs a notebook that uses cardlab, and draws Japanese text."""

import pytest
from playwright.sync_api import Page, expect

import cardlab
from tests.browser.conftest import Cells

pytestmark = pytest.mark.browser

# A font that lacks both characters draws the same empty box for them.
PIXELS = """text => {
    const canvas = document.createElement('canvas');
    const pen = canvas.getContext('2d');
    pen.font = '40px sans-serif';
    pen.fillText(text, 10, 50);
    return canvas.toDataURL();
}"""


def test_a_notebook_runs(run_cells: Cells) -> None:
    page = run_cells("import cardlab\nprint('cardlab', cardlab.__version__)")
    expect(page.locator(".jp-OutputArea-output")).to_have_text(f"cardlab {cardlab.__version__}\n")


def test_japanese_text_has_a_font(page: Page) -> None:
    assert page.evaluate(PIXELS, "山") != page.evaluate(PIXELS, "札")
