"""The deck builder: 26 cards to click, and what the choice comes to."""

from __future__ import annotations

import random

from cardlab import chance
from cardlab.errors import CardlabError
from cardlab.games.gpt_deck import CAP, SIZE, Deck
from cardlab.widgets import html
from cardlab.widgets.board import Board, Pictured
from cardlab.widgets.draft import Draft


class DeckBuilder(Pictured, Board):
    """Build a deck of GPT with the mouse or the keyboard.

    It shows the sum, what is left of the cap, and how many legal decks still hold the choice. A
    card that can no longer go in is grey, and a click on it tells why.

    Parameters
    ----------
    lang
        Language of every text.
    size, cap
        How many cards a deck has, and what their numbers may sum to at the most (G4).
    seat
        Whose suits the cards have: 0 for hearts and spades, 1 for diamonds and clubs.
    four_colour
        Whether each suit has a colour of its own.
    seed
        Seed of the decks that are filled up at random; ``None`` for a fresh one.

    Raises :class:`~cardlab.errors.RulesError` for a size, cap, seat or language that cannot be.

    >>> builder = DeckBuilder()
    >>> builder.click("Ks")
    >>> builder.click(":fill")
    >>> builder.deck.sum, builder.code
    (100, '2222000b00222')
    """

    def __init__(
        self,
        lang: str = "en",
        size: int = SIZE,
        cap: int = CAP,
        seat: int = 0,
        four_colour: bool = False,
        seed: int | None = None,
    ) -> None:
        self.lang, self.four_colour = lang, four_colour
        self.draft = Draft(size, cap, seat)
        self._rng = random.Random(chance.new_seed() if seed is None else seed)
        super().__init__(self._on_action)
        self._show()

    @property
    def deck(self) -> Deck | None:
        """The deck, once it is complete."""
        return self.draft.deck if self.draft.is_complete else None

    @property
    def code(self) -> str:
        """The code of the cards that are chosen, which ``:load`` reads back."""
        return self.draft.deck.code

    def click(self, action: str) -> None:
        """Do what a click does.

        ``action`` is a card (``"Ks"``), ``":fill"`` (to the best sum), ``":random"``, ``":clear"``
        or ``":load CODE"``.

        What cannot be done changes nothing and is explained in the status line.
        """
        refused = None
        try:
            self.draft.click(action, self._rng)
        except CardlabError as error:
            refused = error
        self._show(refused)

    def _on_action(self, action: str, _serial: int) -> None:
        self.click(action)

    def _show(self, refused: CardlabError | None = None) -> None:
        with self.hold_sync():
            self.status = self.draft.prompt(self.lang)
            if refused is not None:
                self.status += html.refusal(refused, self.lang)
            self.html = html.felt(self.draft.table(self.lang), "gpt", self.lang, self.four_colour)

    def picture(self) -> str:
        """A still picture of the builder as HTML."""
        words = self.draft.words(self.lang)
        return html.picture(self.status, self.html, words, self.lang, self.draft.height)

    def __repr__(self) -> str:
        return f"<DeckBuilder {self.code}, sum {self.draft.deck.sum}>"
