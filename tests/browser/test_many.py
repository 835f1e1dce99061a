"""Games for three and more are played in JupyterLab with the mouse, on a laptop and on a phone."""

import pytest
from playwright.sync_api import Locator, Page, expect

from cardlab import locale
from tests.browser.conftest import Cells
from tests.browser.test_chat import look_at
from tests.browser.test_table import USABLE, board_of, click, misfits, move, status

pytestmark = pytest.mark.browser

ALICEMATIC = """
from cardlab import load_game
from cardlab.widgets import Table
game = load_game("alicematic", n_players=3, counts=(14, 14, 14))
table = Table(game, seats=("human", "random", "random"), seed={seed}, lang="{lang}")
table
"""
CHAOS = """
from cardlab.widgets import Table
table = Table("chaos", seats=("human", "random", "random", "random"), seed={seed}, lang="{lang}")
table
"""
PEOPLE = """
from cardlab.widgets import Table
table = Table("alicematic", seats=("human", "human", "human"), seed=1, lang="en")
table
"""

MOVES = USABLE + ":not([data-action=':know'])"
SIZES = ((1440, 900), (390, 844))


def play_to_the_end(page: Page, board: Locator, most: int) -> int:
    """Click now this, now that, until nothing can be clicked; look whether all of it fits."""
    for number in range(most):
        moves = board.locator(MOVES)
        count = moves.count()
        if not count:
            return number
        if number % 9 == 0:
            look_at(page, *SIZES[number // 9 % 2])
            assert misfits(board) == []
        move(board, moves.nth(number * 7 % count).click)
    pytest.fail(f"no end after {most} clicks")


def see_the_end(page: Page, board: Locator, lang: str, rules: tuple[str, ...]) -> None:
    results = [locale.text(f"widgets.result.{end}", lang) for end in ("win", "loss", "draw")]
    prompt = status(board).locator(".cl-prompt").inner_text()
    assert prompt in results
    expect(board.locator(".cl-result")).to_have_text(prompt)
    assert board.locator(".cl-log .cl-rule").first.inner_text() in rules
    for size in SIZES:
        look_at(page, *size)
        assert misfits(board) == []


@pytest.mark.parametrize(("lang", "seed"), [("ja", 41), ("en", 33)])
def test_alicematic_with_the_mouse(run_cells: Cells, lang: str, seed: int) -> None:
    page = run_cells(ALICEMATIC.format(seed=seed, lang=lang))
    board = board_of(page)
    play_to_the_end(page, board, 60)
    see_the_end(page, board, lang, ("A8",))
    expect(board.locator(".cl-points tr")).to_have_count(3)


@pytest.mark.parametrize(("lang", "seed"), [("ja", 7), ("en", 29)])
def test_chaos_with_the_mouse(run_cells: Cells, lang: str, seed: int) -> None:
    page = run_cells(CHAOS.format(seed=seed, lang=lang))
    board = board_of(page)
    click(board, ":know")
    expect(board.locator(".cl-known h4")).to_have_count(3)
    play_to_the_end(page, board, 60)
    see_the_end(page, board, lang, ("X18",))
    expect(board.locator(".cl-points tr")).to_have_count(4)


def test_three_people_hand_the_screen_over(run_cells: Cells) -> None:
    page = run_cells(PEOPLE)
    board = board_of(page)
    look_at(page, *SIZES[1])
    for _ in range(6):
        cover = board.locator("button[data-action=':reveal']")
        if cover.count():
            assert board.locator("button").count() == 1
            assert board.locator(".cl-card, .cl-mini, .cl-log").count() == 0
            assert misfits(board) == []
            name = cover.inner_text().removeprefix("I am ").partition(":")[0]
            cover.click()
        expect(board.locator(".cl-me .cl-name")).to_contain_text(name)
        assert misfits(board) == []
        move(board, board.locator(f".cl-asked {USABLE}").last.click)
    page.get_by_role("button", name="Take back").click()
    expect(board.locator("button[data-action=':reveal']")).to_be_visible()
    assert board.locator(".cl-card").count() == 0
    click(board, ":reveal")
    expect(board.locator(".cl-them")).to_have_count(2)
    # The next game is one for five.
    page.get_by_role("button", name="Settings and files").click()
    settings = page.locator(".cl-settings")
    expect(settings.get_by_label("Player 4")).to_be_hidden()
    settings.get_by_label("Players", exact=True).select_option("5")
    settings.get_by_label("Player 4").select_option("a person")
    settings.get_by_label("Player 5").select_option("computer: any card")
    look_at(page, *SIZES[1])
    page.get_by_role("button", name="New game").click()
    expect(board.locator(".cl-them")).to_have_count(0)
    click(board, ":reveal")
    expect(board.locator(".cl-them")).to_have_count(4)
    expect(board.locator(".cl-them", has_text="Computer 5")).to_have_count(1)
