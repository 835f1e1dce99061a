"""``make lab`` opens the start notebook on the whole page, a phone's too, with nothing over it."""

import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import ROOT

pytestmark = pytest.mark.browser

FIRST = ROOT / "tools" / "jupyter" / "first.jupyterlab-workspace"


@pytest.mark.parametrize("width", [390, 1200])
def test_the_first_page_is_the_notebook_alone(
    page: Page, made_lab: tuple[str, Path], width: int
) -> None:
    url, workspaces = made_lab
    # As before the very first start: what an earlier page has left there is not kept.
    for kept in workspaces.iterdir():
        shutil.copy(FIRST, kept)
    page.set_viewport_size({"width": width, "height": 844})
    page.goto(url.format(path="lab/tree/notebooks/ja/start.ipynb"))
    notebook = page.locator(".jp-Notebook")
    expect(notebook).to_be_visible(timeout=60_000)
    expect(page.locator("#jp-left-stack")).to_be_hidden()
    box = notebook.bounding_box()
    assert box is not None
    assert box["width"] > width - 100
    # News would come some time after the page.
    page.wait_for_timeout(3000)
    expect(page.locator(".Toastify__toast, .jp-Dialog")).to_have_count(0)
