"""The vocabulary of a standard pack: suits, cards, reading and printing them.

There is exactly one object for each card, so cards are compared by identity and a million of them
cost nothing.

>>> Card.parse("10h"), Card.parse("Th") is Card.parse("10♥")
(Card('Th'), True)
>>> print(*parse("Ks 9♥ Jo"))
K♠ 9♥ Jo
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from operator import attrgetter
from typing import Any

from cardlab.errors import NotationError


class Suit(Enum):
    """A suit; the value is its ASCII letter."""

    SPADES = "s"
    HEARTS = "h"
    DIAMONDS = "d"
    CLUBS = "c"

    def __init__(self, letter: str) -> None:
        self.letter = letter
        self.symbol = "♠♥♦♣"["shdc".index(letter)]
        self.is_black = letter in "sc"

    def __str__(self) -> str:
        return self.symbol


RANKS = "A23456789TJQK"


class Card:
    """One card of a standard pack with a joker; there is one object for each.

    Attributes
    ----------
    rank
        1 (ace) to 13 (king); the joker has 0.
    suit
        The suit; ``None`` for the joker.
    index
        0 to 51 by rank, then by suit in the order of :class:`Suit`; the joker has 52.
    is_black
        Whether it is a spade or a club.
    ascii
        Its notation in files and actions: ``"Ks"``, ``"Th"``, ``"Jo"``.
    """

    __slots__ = ("ascii", "index", "is_black", "rank", "suit")

    rank: int
    suit: Suit | None
    index: int
    is_black: bool
    ascii: str

    def __init__(self, rank: int, suit: Suit | None, index: int, ascii: str) -> None:
        for name, value in (
            ("rank", rank),
            ("suit", suit),
            ("index", index),
            ("is_black", suit is not None and suit.is_black),
            ("ascii", ascii),
        ):
            object.__setattr__(self, name, value)

    @staticmethod
    def parse(text: str) -> Card:
        """Read ``K♠``, ``Ks``, ``10h``, ``Th`` or ``Jo``, in upper or lower case.

        Raises :class:`~cardlab.errors.NotationError` for anything else.
        """
        try:
            return _BY_NAME[text.strip().lower()]
        except (KeyError, AttributeError):
            raise NotationError("core.error.card", value=text) from None

    def text(self, lang: str = "en") -> str:
        """As people read it; the same in every language."""
        return str(self)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a card cannot change: {name}")

    def __hash__(self) -> int:
        return self.index

    def __str__(self) -> str:
        if self.suit is None:
            return self.ascii
        return ("10" if self.rank == 10 else self.ascii[0]) + self.suit.symbol

    def __repr__(self) -> str:
        return f"Card({self.ascii!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _by_index, (self.index,)


PACK: tuple[Card, ...] = tuple(
    Card(rank, suit, 4 * (rank - 1) + position, RANKS[rank - 1] + suit.letter)
    for rank in range(1, 14)
    for position, suit in enumerate(Suit)
)
"""The 52 cards; a card's place is its index."""

ORDER = attrgetter("index")
"""The key that sorts cards into the order of the pack.

Cards know no ``<``: with it, Python would ask each card of a list in turn whether it is the one
that is looked for, and games do little else.
"""

JOKER = Card(0, None, 52, "Jo")

UNKNOWN = Card(0, None, -1, "?")
"""A card whose face cannot be seen: what an observation shows of another seat's hand."""

_BY_NAME = {name.lower(): card for card in PACK for name in (card.ascii, str(card))}
_BY_NAME |= {f"10{suit.letter}": PACK[36 + place] for place, suit in enumerate(Suit)}
_BY_NAME |= {f"t{suit.symbol}": PACK[36 + place] for place, suit in enumerate(Suit)}
_BY_NAME["jo"] = JOKER


def _by_index(index: int) -> Card:
    return UNKNOWN if index < 0 else JOKER if index == 52 else PACK[index]


def card(value: Card | str) -> Card:
    """A card from a card or its text."""
    return value if isinstance(value, Card) else Card.parse(value)


def parse(cards: str | Iterable[Card | str]) -> tuple[Card, ...]:
    """Cards from a line such as ``"Ks 9♥ Jo"`` (blanks or commas between) or from any iterable.

    Raises :class:`~cardlab.errors.NotationError` at the first one that cannot be read.
    """
    if not isinstance(cards, Iterable):
        raise NotationError("core.error.cards", value=repr(cards))
    items = cards.replace(",", " ").split() if isinstance(cards, str) else cards
    return tuple(card(item) for item in items)


def ascii(cards: Iterable[Card | None]) -> list[str | None]:
    """The cards as positions write them: ASCII strings, ``None`` for an empty place."""
    return [None if item is None else item.ascii for item in cards]
