"""CHAT is played and judged in JupyterLab, with the mouse and on a phone's width."""

import pytest
from playwright.sync_api import Page, expect

from cardlab import locale
from tests.browser.conftest import Cells
from tests.browser.test_table import USABLE, board_of, click, misfits, move, status

pytestmark = pytest.mark.browser

TABLE = """
from cardlab.widgets import Table
table = Table("chat", seats=("human", "random"), seed=4, lang="ja")
table
"""
JUDGE = """
from cardlab.widgets import Judge
judge = Judge(lang="{lang}")
judge
"""

# A phone's keyboard has keys of this width.
NARROW = r"too small: [A2-9TJQK][shdc]$"

# The time from a click to the new drawing, measured in the page.
# How many times as long as the kernel's bare answer the answer to a click takes, medians of 11.
REDRAW = """async board => {
    const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
    const click = () => new Promise(resolve => {
        const observer = new MutationObserver(() => { observer.disconnect(); resolve(); });
        observer.observe(board, { childList: true, subtree: true });
        board.querySelector("button[data-action='6d']").click();
    });
    const bare = [], drawn = [];
    for (let i = 0; i < 11; i++)
        for (const [times, act] of [[bare, () => kernel.requestKernelInfo()], [drawn, click]]) {
            const start = performance.now();
            await act();
            times.push(performance.now() - start);
        }
    const median = times => times.sort((a, b) => a - b)[5];
    return median(drawn) / median(bare);
}"""


def look_at(page: Page, width: int, height: int) -> None:
    page.set_viewport_size({"width": width, "height": height})
    page.evaluate("width => width < 500 && window.jupyterapp.shell.collapseLeft()", width)


def test_a_game_with_the_mouse(run_cells: Cells) -> None:
    page = run_cells(TABLE)
    board = board_of(page)
    for number in range(150):
        if number in (0, 25):
            look_at(page, *((390, 844) if number else (1440, 900)))
        if number % 7 == 0:
            assert misfits(board) == []
        usable = board.locator(USABLE)
        if not usable.count():
            break
        # Now the first, now the last: a card of the hand, an announcement, a shield.
        move(board, (usable.last if number % 3 else usable.first).click)
    assert number > 25
    results = [locale.text(f"widgets.result.{end}", "ja") for end in ("win", "loss", "draw")]
    prompt = status(board).locator(".cl-prompt").inner_text()
    assert prompt in results
    expect(board.locator(".cl-result")).to_have_text(prompt)
    assert board.locator(".cl-log .cl-rule").first.inner_text() == "C20"


def test_the_judge_on_a_phone(run_cells: Cells) -> None:
    page = run_cells(JUDGE.format(lang="en"))
    board = board_of(page)
    look_at(page, 390, 844)
    for card in ("5d", "4s", "6s", "6h"):
        click(board, card)
    move(board, board.locator(".cl-tab").last.click)
    click(board, "9c")
    click(board, "8d")
    expect(status(board)).to_contain_text("8♦ does not go with 9♣")
    click(board, "9d")
    expect(status(board)).to_contain_text("Choose what the ♠ cancels")
    outcomes = board.locator(".cl-outcome")
    expect(outcomes).to_have_count(2)
    expect(outcomes.first).to_contain_text("The defence succeeds")
    move(board, outcomes.last.click)
    expect(board.locator(".cl-verdict")).to_contain_text("The attack succeeds")
    expect(board.locator(".cl-total")).to_have_text(["11", "4"])
    expect(outcomes.first).to_contain_text("5")
    move(board, board.locator(".cl-step").first.click)
    expect(board.locator(".cl-is-cancelled")).to_have_count(1)
    expect(board.locator(".cl-is-beaten")).to_have_count(0)
    assert misfits(board, allowed=NARROW) == []
    line = board.get_by_label("All cards in one line")
    expect(line).to_have_value("5d + 6s 6h / 4s + 9c 9d x 9d")
    click(board, ":swap")
    expect(board.locator(".cl-total")).to_have_text(["4", "11"])
    line.fill("5d + 6s 6c / 4h + 9c")
    page.keyboard.press("Enter")
    expect(board.locator(".cl-total")).to_have_text(["17", "13"])
    click(board, ":rule spade_target=any")
    expect(board.locator(".cl-total")).to_have_text(["11", "4"])
    assert board.evaluate(REDRAW) < 10
    click(board, ":clear")
    expect(board.locator(".cl-pick[aria-pressed=true]")).to_have_count(0)


def test_the_judge_with_the_keyboard(run_cells: Cells) -> None:
    page = run_cells(JUDGE.format(lang="ja"))
    board = board_of(page)
    look_at(page, 1440, 900)
    assert misfits(board) == []
    board.locator("button[data-action='5d']").focus()
    page.keyboard.press("Enter")
    # The card is used up for the next place, so the keyboard is on its neighbour.
    expect(status(board)).to_contain_text("防御側の場札")
    assert page.evaluate("document.activeElement.matches('.cl-pick:not([aria-disabled])')")
    page.keyboard.press("Space")
    expect(board.locator(".cl-bench .cl-face")).to_have_count(2)
