"""Several cards of a hand, chosen one by one for one decision."""

from __future__ import annotations

from collections.abc import Sequence

from cardlab.cards import Card
from cardlab.errors import NotationError

PICK = ":pick"
"""What a click on a card says; the card's place in the hand follows."""


class Selection:
    """The cards that a decision will be about, before it is made.

    Parameters
    ----------
    hand
        The cards to choose from.
    size
        How many are wanted. One more takes the place of the first.

    >>> selection = Selection([Card.parse("Ks"), Card.parse("7h")], 2)
    >>> selection.click(":pick 1")
    >>> selection.chosen, selection.cards
    ((1,), (Card('7h'),))
    """

    def __init__(self, hand: Sequence[Card], size: int) -> None:
        self._hand = tuple(hand)
        self._size = size
        self.chosen: tuple[int, ...] = ()

    @property
    def cards(self) -> tuple[Card, ...]:
        """The chosen cards, in the order of the hand."""
        return tuple(self._hand[place] for place in sorted(self.chosen))

    def takes(self, action: str) -> bool:
        """Whether a click is about this choice."""
        return action.partition(" ")[0] == PICK

    def click(self, action: str) -> None:
        """Choose a card, or put it back.

        Raises :class:`~cardlab.errors.NotationError` for a place that the hand does not have.
        """
        word = action.partition(" ")[2]
        if not word.isdecimal() or int(word) >= len(self._hand):
            raise NotationError("core.error.action", value=action, allowed=[PICK])
        place = int(word)
        others = tuple(each for each in self.chosen if each != place)
        if place in self.chosen:
            self.chosen = others
        else:
            self.chosen = (*others[len(others) - self._size + 1 :], place)

    def choose(self, cards: Sequence[Card]) -> None:
        """Choose these cards of the hand."""
        left = list(enumerate(self._hand))
        self.chosen = ()
        for card in cards:
            found = next(pair for pair in left if pair[1] is card)
            left.remove(found)
            self.chosen += (found[0],)
