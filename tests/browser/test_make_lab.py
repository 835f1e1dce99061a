"""``make lab`` opens the start notebook on the whole page, a phone's too, with nothing over it."""

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("width", [390, 1200])
def test_the_first_page_is_the_notebook_alone(page: Page, made_lab: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    page.goto(made_lab.format(path="lab/tree/notebooks/ja/start.ipynb"))
    notebook = page.locator(".jp-Notebook")
    expect(notebook).to_be_visible(timeout=60_000)
    expect(page.locator("#jp-left-stack")).to_be_hidden()
    box = notebook.bounding_box()
    assert box is not None
    assert box["width"] > width - 100
    # News would come some time after the page.
    page.wait_for_timeout(3000)
    expect(page.locator(".Toastify__toast, .jp-Dialog")).to_have_count(0)
