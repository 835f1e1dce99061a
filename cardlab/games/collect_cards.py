"""The cards of Alicematic and of the drafts before it: numbers, suits, medallions.

As in a standard pack there is one object for each kind of card; here a deck holds several copies of
it. A number is written ``7``, a number of a suit ``7b``, a medallion by its name.

>>> [str(card) for card in (parse("7"), parse("7b"), parse("Wrath"))], parse("wrath").rank
(['7', '7b', 'wrath'], 5)
"""

from __future__ import annotations

import csv
from importlib import resources
from typing import Any

from cardlab import locale
from cardlab.cards import Card
from cardlab.errors import NotationError


def table(name: str) -> list[dict[str, str]]:
    """The rows of the table ``cardlab/games/tables/<name>.csv``."""
    file = resources.files("cardlab.games").joinpath("tables", f"{name}.csv")
    return list(csv.DictReader(file.read_text(encoding="utf-8").splitlines()))


class Kind(Card):
    """A kind of card; all copies of it in a deck are this one object.

    Attributes
    ----------
    rank
        The number on the card.
    group
        The letter of its suit, or ``""``.
    is_medallion
        Whether it is one of the seven medallions.
    """

    __slots__ = ("group", "is_medallion")

    group: str
    is_medallion: bool

    def __init__(self, rank: int, name: str, index: int, group: str = "") -> None:
        super().__init__(rank, None, index, name)
        object.__setattr__(self, "group", group)
        object.__setattr__(self, "is_medallion", name.isalpha())

    def text(self, lang: str = "en") -> str:
        """As people read it: the number, with its suit if it has one, or the medallion's name."""
        key = f"alicematic.card.{self.ascii}"
        return locale.text(key, lang) if self.is_medallion else self.ascii

    def __reduce__(self) -> tuple[Any, ...]:
        return parse, (self.ascii,)


SUITS = "abcde"
"""The letters of suits, where a draft has them."""

NUMBERS = range(1, 21)
"""The numbers that a card can have."""

PLAIN: tuple[Kind, ...] = tuple(Kind(rank, str(rank), 10 * rank) for rank in NUMBERS)
"""The cards without a suit, number 1 first."""

SUITED: tuple[tuple[Kind, ...], ...] = tuple(
    tuple(Kind(rank, f"{rank}{letter}", 10 * rank + place, letter) for rank in NUMBERS)
    for place, letter in enumerate(SUITS, start=1)
)
"""The cards of each suit, number 1 first."""

FINAL = table("cards_alicematic")
"""The list of cards of the final game (A2, A3)."""

COUNTS: tuple[int, ...] = tuple(int(row["copies"]) for row in FINAL if row["card"].isdigit())
"""The copies of each number in the final game (A2)."""

MEDALLIONS: tuple[Kind, ...] = tuple(
    Kind(int(row["number"]), row["card"], 300 + place)
    for place, row in enumerate(row for row in FINAL if row["card"].isalpha())
)
"""The seven medallions in the order of the text (A17 to A23)."""

_BY_NAME = {card.ascii: card for group in (PLAIN, *SUITED, MEDALLIONS) for card in group}


def parse(text: Card | str) -> Kind:
    """Read ``7``, ``7b`` or ``wrath``, in upper or lower case; such a card is returned as it is.

    Raises :class:`~cardlab.errors.NotationError` for anything else.
    """
    if isinstance(text, Kind):
        return text
    found = _BY_NAME.get(text.strip().lower()) if isinstance(text, str) else None
    if found is None:
        raise NotationError("collect.error.card", value=str(text))
    return found
