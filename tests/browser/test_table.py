"""GPT is played in JupyterLab, with the mouse and with the keyboard."""

import itertools
import json
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output
from playwright.sync_api import Locator, Page, expect

from cardlab import locale
from cardlab.widgets import Table
from tests.browser.conftest import Cells, open_in_lab, run_all
from tools.notebooks import METADATA

pytestmark = pytest.mark.browser

TABLE = """
from cardlab.widgets import Table
table = Table(seed={seed}, lang="{lang}")
table
"""
BUILDER = """
from cardlab.widgets import DeckBuilder
builder = DeckBuilder(lang="en")
builder
"""

USABLE = "button[data-action]:not([aria-disabled])"

# Of the board: what sticks out of it, and which buttons are too small for a finger.
MISFITS = """board => {
    const frame = board.getBoundingClientRect();
    const name = item => item.dataset.action ?? item.className;
    const misfits = [];
    for (const item of board.querySelectorAll("*")) {
        const box = item.getBoundingClientRect();
        if (box.width && (box.right > frame.right + 1 || box.left < frame.left - 1))
            misfits.push(`sticks out: ${name(item)}`);
    }
    for (const item of board.querySelectorAll("button:not([aria-disabled]), input")) {
        const box = item.getBoundingClientRect();
        if (Math.round(box.width) < 40 || Math.round(box.height) < 40)
            misfits.push(`too small: ${name(item)}`);
    }
    return misfits;
}"""

CHANGED = "([board, before]) => board.textContent !== before"


def misfits(board: Locator, allowed: str = "$^") -> list[str]:
    """What does not fit the page once JupyterLab has laid it out anew, but for what is allowed."""
    found: list[str] = []
    for _ in range(30):
        found = [each for each in board.evaluate(MISFITS) if not re.match(allowed, each)]
        if not found:
            break
        board.page.wait_for_timeout(100)
    return found


def board_of(page: Page) -> Locator:
    board = page.locator(".cl-board")
    expect(board).to_be_visible(timeout=30_000)
    return board


def move(board: Locator, act: Callable[[], None]) -> None:
    """Click or press what changes the board, and wait for the change.

    A click while the board is drawn anew would be lost.
    """
    before = board.text_content()
    act()
    board.page.wait_for_function(CHANGED, arg=[board.element_handle(), before])


def click(board: Locator, action: str) -> None:
    """Click what changes the board, or what is refused in words that stand there not yet."""
    button = board.locator(f'button[data-action="{action}"]')
    expect(button).to_be_visible()
    # By force: Playwright would wait until a button is no longer aria-disabled.
    move(board, partial(button.click, force=True))


def status(board: Locator) -> Locator:
    return board.get_by_role("status")


def hand_in(board: Locator) -> None:
    """Play with the deck of the highest sum."""
    click(board, ":fill")
    expect(board.locator(".cl-chosen")).to_have_count(15)
    click(board, ":submit")
    expect(board.locator(".cl-table")).to_be_visible()


def move_with_the_mouse(board: Locator) -> None:
    """Click the last thing that can be clicked."""
    move(board, board.locator(USABLE).last.click)


@pytest.mark.parametrize("lang", locale.LANGUAGES)
def test_a_game_with_the_mouse(run_cells: Cells, lang: str, tmp_path: Path) -> None:
    page = run_cells(TABLE.format(seed=3, lang=lang))
    board = board_of(page)
    hand_in(board)
    for width, height in ((390, 844), (1440, 900)):
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("width => width < 500 && window.jupyterapp.shell.collapseLeft()", width)
        assert misfits(board) == []
    for _ in range(40):
        if not board.locator(USABLE).count():
            break
        move_with_the_mouse(board)
    results = [locale.text(f"widgets.result.{end}", lang) for end in ("win", "loss", "draw")]
    prompt = status(board).locator(".cl-prompt").inner_text()
    assert prompt in results
    expect(board.locator(".cl-result")).to_have_text(prompt)
    expect(status(board)).to_contain_text("3")
    assert board.locator(".cl-log .cl-rule").first.inner_text() in ("G15", "G17", "G18")


def test_a_game_with_the_keyboard(run_cells: Cells) -> None:
    page = run_cells(TABLE.format(seed=5, lang="en"), "'another cell'")
    board = board_of(page)
    board.locator("button[data-action=':random']").focus()
    page.keyboard.press("Enter")
    expect(board.locator(".cl-chosen")).to_have_count(15)
    # The button is of no use any more, so the keyboard has moved on to one that is.
    for _ in range(5):
        if page.evaluate("document.activeElement.dataset.action") == ":submit":
            break
        page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(board.locator(".cl-table")).to_be_visible()
    # The shortcuts of JupyterLab would delete the cell or add others.
    for letter in "ddabxz":
        page.keyboard.press(letter)
    for key, _ in zip(itertools.cycle(("Enter", "Space")), range(40)):
        if not board.locator(USABLE).count():
            break
        assert page.evaluate("document.activeElement.matches('.cl-board button')")
        move(board, partial(page.keyboard.press, key))
    expect(board.locator(".cl-result")).to_be_visible()
    page.get_by_role("button", name="Take back").focus()
    page.keyboard.press("Enter")
    expect(board.locator(".cl-result")).to_be_hidden()
    assert page.locator(".jp-Cell").count() == 2


def test_wrong_and_double_clicks(run_cells: Cells) -> None:
    page = run_cells(TABLE.format(seed=3, lang="en"))
    board = board_of(page)
    click(board, ":submit")
    expect(status(board)).to_contain_text("15 more cards are needed. G4")
    hand_in(board)
    click(board, "strike 1")
    expect(status(board)).to_contain_text("both play a card from the hand. G9")
    expect(board.locator(".cl-mine button")).to_have_count(3)
    board.locator(".cl-mine button").first.dblclick()
    expect(status(board)).not_to_contain_text("both play")
    # Clicks are answered in their order: with this one, the second one before it has been, too.
    move(board, partial(board.locator(".cl-mine button").last.click, force=True))
    expect(status(board).locator(".cl-refusal")).to_be_visible()
    expect(board.locator(".cl-log").get_by_text("Player 1 laid")).to_have_count(1)


def test_take_back_save_and_resume(run_cells: Cells, lab: tuple[str, Path]) -> None:
    page = run_cells(TABLE.format(seed=3, lang="en"))
    board = board_of(page)
    hand_in(board)
    felt = board.locator(".cl-felt")
    start = felt.text_content()
    move_with_the_mouse(board)
    page.get_by_role("button", name="Take back").click()
    expect(felt).to_have_js_property("textContent", start)
    expect(status(board)).to_contain_text("everybody chooses anew")
    move_with_the_mouse(board)

    page.get_by_role("button", name="Settings and files").click()
    settings = page.locator(".cl-settings")

    def name_the_file(name: str) -> None:
        settings.get_by_label("File").fill(name)
        page.keyboard.press("Tab")
        # The kernel hears of fields and of buttons in two threads, which wait for each other not.
        page.wait_for_timeout(500)

    name_the_file("my game.jsonl")
    settings.get_by_role("button", name="Save").click()
    expect(status(board)).to_contain_text("Saved as my game.jsonl.")
    header = json.loads((lab[1] / "my game.jsonl").read_text().splitlines()[0])
    assert (header["game"], header["seed"]) == ("gpt", 3)
    settings.get_by_label("Seed").fill("4")
    page.get_by_role("button", name="New game").click()
    expect(board.locator(".cl-builder")).to_be_visible()
    settings.get_by_role("button", name="Resume").click()
    expect(status(board)).to_contain_text("Resumed from my game.jsonl.")
    expect(board.locator(".cl-table")).to_be_visible()

    name_the_file("not there")
    settings.get_by_role("button", name="Resume").click()
    expect(status(board).locator(".cl-refusal")).to_contain_text("not there")
    settings.get_by_label("Language").select_option(label="日本語")
    expect(page.get_by_role("button", name="新しいゲーム")).to_be_visible()
    expect(board.locator("[lang=ja]")).to_be_visible()


def test_two_tabs_and_a_new_kernel(run_cells: Cells, lab: tuple[str, Path]) -> None:
    page = run_cells(TABLE.format(seed=3, lang="en"))
    board = board_of(page)
    page.evaluate("window.jupyterapp.commands.execute('docmanager:save')")
    name = page.evaluate("window.jupyterapp.shell.currentWidget.context.path")
    other = page.context.new_page()
    other.goto(lab[0].format(path=f"lab/tree/{name}"))
    theirs = board_of(other)
    # Both show one table, whichever of them is clicked.
    hand_in(theirs)
    expect(board.locator(".cl-table")).to_be_visible()
    move_with_the_mouse(board)
    expect(theirs).to_have_js_property("textContent", board.text_content())
    other.close()

    page.evaluate("window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()")
    run_all(page)
    expect(board.locator(".cl-builder")).to_be_visible(timeout=30_000)
    hand_in(board)
    move_with_the_mouse(board)


def test_a_deck_by_clicks(run_cells: Cells) -> None:
    page = run_cells(BUILDER)
    board = board_of(page)
    for number, card in enumerate(("Ks", "Kh", "Qs", "Qh", "Js", "Th"), start=1):
        click(board, f"pick {card}")
        expect(board.locator(".cl-chosen")).to_have_count(number)
    expect(board.locator(".cl-facts")).to_contain_text("71")
    click(board, "pick Ts")
    expect(status(board)).to_contain_text("no deck under the cap of 100 is possible")
    click(board, ":fill")
    expect(board.locator(".cl-chosen")).to_have_count(15)
    code = board.get_by_label("Deck code").input_value()
    click(board, ":clear")
    expect(board.locator(".cl-chosen")).to_have_count(0)
    board.get_by_label("Deck code").fill(code)
    page.keyboard.press("Enter")
    expect(board.locator(".cl-chosen")).to_have_count(15)
    board.get_by_label("Deck code").fill("nonsense")
    board.get_by_role("button", name="Load").click()
    expect(status(board)).to_contain_text('"nonsense" is not a deck code')
    expect(board.locator(".cl-chosen")).to_have_count(15)
    assert misfits(board) == []


def test_a_reader_without_a_kernel_sees_a_picture(lab_tab: Page, lab: tuple[str, Path]) -> None:
    table = Table(seed=3, lang="ja")
    table.click(":fill")
    table.click(":submit")
    data, _ = table._repr_mimebundle_()
    cell = new_code_cell("table", outputs=[new_output("display_data", data)])
    nbformat.write(new_notebook(metadata=METADATA, cells=[cell]), lab[1] / "untrusted.ipynb")
    open_in_lab(lab_tab, "untrusted.ipynb")
    picture = lab_tab.locator(".jp-OutputArea img")
    expect(picture).to_be_visible()
    expect(picture).to_have_attribute("alt", re.compile("山札 7"))
    assert picture.evaluate("async image => { await image.decode(); return image.naturalWidth; }")
