"""JupyterLab runs a notebook that uses cardlab, and draws Japanese text."""

from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from playwright.sync_api import Page, expect

import cardlab
from tools.notebooks import METADATA

pytestmark = pytest.mark.browser

# A font that lacks both characters draws the same empty box for them.
PIXELS = """text => {
    const canvas = document.createElement('canvas');
    const pen = canvas.getContext('2d');
    pen.font = '40px sans-serif';
    pen.fillText(text, 10, 50);
    return canvas.toDataURL();
}"""


def test_notebook_runs(open_notebook: Callable[[Path], Page], tmp_path: Path) -> None:
    path = tmp_path / "hello.ipynb"
    notebook = new_notebook(
        metadata=METADATA,
        cells=[
            new_markdown_cell("# 山札"),
            new_code_cell("import cardlab\nprint('cardlab', cardlab.__version__)"),
        ],
    )
    nbformat.write(notebook, path)
    page = open_notebook(path)
    expect(page.locator(".jp-OutputArea-output")).to_have_text(f"cardlab {cardlab.__version__}\n")


def test_japanese_text_has_a_font(page: Page) -> None:
    assert page.evaluate(PIXELS, "山") != page.evaluate(PIXELS, "札")
