"""The cards of Chaos: thirteen Spectrum numbers, Chaos and Order (X1).

As in a standard pack there is one object for each kind of card; here a deck holds several copies of
it, which nothing tells apart. A Spectrum card is written ``7``, the others ``chaos`` and ``order``.

>>> cards("7 13 Order")
(Kind('7'), Kind('13'), Kind('order'))
>>> CHAOS.rank, ORDER.rank
(0, 14)
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import attrgetter
from typing import Any

from cardlab import locale
from cardlab.cards import Card
from cardlab.errors import NotationError


class Kind(Card):
    """A kind of card; all copies of it in a deck are this one object.

    Attributes
    ----------
    rank, index
        What the card counts in a battle: 0 for Chaos, 14 for Order (X10).
    """

    __slots__ = ()

    def __init__(self, rank: int, name: str) -> None:
        super().__init__(rank, None, rank, name)

    def text(self, lang: str = "en") -> str:
        """As people read it: the number, or the name of Chaos and of Order."""
        return self.ascii if self.ascii.isdigit() else locale.text(f"chaos.card.{self.ascii}", lang)

    def __repr__(self) -> str:
        return f"Kind({self.ascii!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return parse, (self.ascii,)


CHAOS = Kind(0, "chaos")
SPECTRUM: tuple[Kind, ...] = tuple(Kind(number, str(number)) for number in range(1, 14))
ORDER = Kind(14, "order")

KINDS: tuple[Kind, ...] = (CHAOS, *SPECTRUM, ORDER)
"""Every kind of card; a kind's place is its index."""

COPIES = 4
"""How many cards there are of a Spectrum number (X1)."""

DECK: tuple[Kind, ...] = (
    *(CHAOS,) * 2,
    *(card for card in SPECTRUM for _ in range(COPIES)),
    *(ORDER,) * 4,
)
"""All 58 cards (X1)."""

PLACE = attrgetter("index")
"""The key that sorts cards."""

_BY_NAME = {card.ascii: card for card in KINDS}


def parse(text: Card | str) -> Kind:
    """Read ``7``, ``chaos`` or ``order``, in upper or lower case; a card is returned as it is.

    Raises :class:`~cardlab.errors.NotationError` for anything else.
    """
    if isinstance(text, Kind):
        return text
    try:
        return _BY_NAME[text.strip().lower()]  # type: ignore[union-attr]
    except (KeyError, AttributeError):
        raise NotationError("chaos.error.card", value=str(text)) from None


def cards(content: str | Iterable[Card | str]) -> tuple[Kind, ...]:
    """Cards from a line such as ``"7 7 order"`` (blanks or commas between) or from any iterable.

    Raises :class:`~cardlab.errors.NotationError` at the first one that cannot be read.
    """
    items = content.replace(",", " ").split() if isinstance(content, str) else content
    return tuple(parse(item) for item in items)
