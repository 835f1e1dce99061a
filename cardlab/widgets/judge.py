"""The judge of CHAT, for people who play with cards on a table of their own."""

from __future__ import annotations

from cardlab.errors import CardlabError
from cardlab.games.chat import Resolution
from cardlab.widgets import bench, html
from cardlab.widgets.battle import Battle
from cardlab.widgets.board import Board, Pictured


class Judge(Pictured, Board):
    """Lay the cards of both sides and read the verdict (C16, C17).

    Every step is shown: which additional cards are lined up, which are cancelled and which are
    beaten. Where the left-over spade has a choice, the totals of each stand side by side. A card
    that cannot be laid where the next one goes is grey, and a click on it tells why.

    Parameters
    ----------
    lang
        Language of every text.
    line
        The cards to begin with, as :attr:`line` has them.
    spade_target, spade_optional
        The options of those names.
    four_colour
        Whether each suit has a colour of its own.

    Raises :class:`~cardlab.errors.CardlabError` for a language, a line or an option that cannot be.

    >>> judge = Judge()
    >>> for click in ("5d", "4s", "6s", "6h", ":place defence extra", "9c", "9d", ":cancel 9d"):
    ...     judge.click(click)
    >>> judge.line
    '5d + 6s 6h / 4s + 9c 9d x 9d'
    >>> judge.verdict.attack, judge.verdict.defence, judge.verdict.success
    (11, 4, True)
    """

    def __init__(
        self,
        lang: str = "en",
        line: str = "",
        spade_target: str = "leftover",
        spade_optional: bool = False,
        four_colour: bool = False,
    ) -> None:
        self.lang, self.four_colour = lang, four_colour
        self.battle = Battle(line, spade_target, spade_optional)
        super().__init__(self._on_action)
        self._show()

    @property
    def line(self) -> str:
        """The cards and the spade's choice in one line, such as ``"5d + 6s 6h / 4s + 9c 9d"``.

        Attack / defence; each has its base card, then ``+`` and the additional cards.
        """
        return self.battle.line

    @property
    def verdict(self) -> Resolution | None:
        """The verdict; ``None`` while it is open what the left-over spade cancels."""
        return self.battle.verdict

    def click(self, action: str) -> None:
        """Do what a click does.

        ``action`` is a card (``"Ks"``) that is laid or taken back, ``":place attack base"`` (where
        the next card goes; or ``defence``, or ``extra``), ``":cancel 9d"``, ``":step 0"`` (the
        cards as they lie after the first step), ``":rule spade_target=any"``, ``":swap"``,
        ``":clear"`` or ``":load LINE"``.

        What cannot be done changes nothing and is explained in the status line.
        """
        refused = None
        try:
            self.battle.click(action)
        except CardlabError as error:
            refused = error
        self._show(refused)

    def _on_action(self, action: str, _serial: int) -> None:
        self.click(action)

    def _show(self, refused: CardlabError | None = None) -> None:
        with self.hold_sync():
            self.status = bench.prompt(self.battle, self.lang)
            if refused is not None:
                self.status += html.refusal(refused, self.lang)
            table = bench.table(self.battle, self.lang)
            self.html = html.felt(table, "chat", self.lang, self.four_colour)

    def picture(self) -> str:
        """A still picture of the judge as HTML."""
        words = bench.words(self.battle, self.lang)
        return html.picture(self.status, self.html, words, self.lang, bench.HEIGHT, "chat")

    def __repr__(self) -> str:
        return f"<Judge {self.line}>"
