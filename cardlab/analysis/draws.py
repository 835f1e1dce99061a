"""Collecting sets by drawing: exact chances and expected values, as fractions.

A player draws cards from a shuffled deck and collects sets: so many cards of one kind (a number, a
suit). Whatever the deck, the chances are those of drawing without replacement.

>>> deck = Deck((15, 15, 10, 10, 5, 5))
>>> float(deck.chance_of_set(1, drawn=10)).__round__(3), float(deck.worth(2, drawn=10)).__round__(2)
(0.481, 1.89)
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING

from cardlab.errors import RulesError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Balance", "Deck", "at_least", "balance", "hypergeometric"]

MOST_KINDS, MOST_COPIES, MOST_LEAST = 100, 200, 10
"""The most kinds of a deck, copies of a kind, and cards that a set may need."""

MOST_CARDS = (MOST_KINDS + 1) * MOST_COPIES
"""The most cards of a deck."""


def hypergeometric(cards: int, good: int, drawn: int, hits: int) -> Fraction:
    """The chance of exactly ``hits`` good cards among ``drawn`` of ``cards``.

    Raises :class:`~cardlab.errors.RulesError` for numbers that cannot be, such as more good cards
    than cards; that so many hits cannot be is no error but the chance 0.

    >>> hypergeometric(cards=4, good=2, drawn=2, hits=1)
    Fraction(2, 3)
    """
    _check(cards, good, drawn, hits)
    if not 0 <= hits <= drawn or drawn - hits > cards - good:
        return Fraction()
    ways = math.comb(good, hits) * math.comb(cards - good, drawn - hits)
    return Fraction(ways, math.comb(cards, drawn))


def at_least(cards: int, good: int, drawn: int, hits: int) -> Fraction:
    """The chance of ``hits`` or more good cards among ``drawn`` of ``cards``.

    Raises :class:`~cardlab.errors.RulesError` as :func:`hypergeometric`.

    >>> at_least(cards=60, good=12, drawn=10, hits=3)
    Fraction(360954521, 1142333751)
    """
    _check(cards, good, drawn, hits)
    numbers = range(max(hits, 0), min(good, drawn) + 1)
    return sum((hypergeometric(cards, good, drawn, n) for n in numbers), Fraction())


def _check(cards: int, good: int, drawn: int, hits: int) -> None:
    _whole("cards", cards, 0, MOST_CARDS)
    _whole("good", good, 0, cards)
    _whole("drawn", drawn, 0, cards)
    if type(hits) is not int:
        raise RulesError("analysis.error.whole", option="hits", value=repr(hits))


@dataclass(frozen=True)
class Deck:
    """A deck of kinds of cards, of which sets are collected.

    Parameters
    ----------
    counts
        How many cards there are of each kind. If kinds are numbers they count from 1 up.
    others
        Cards that belong to no set.
    least
        How many cards of a kind make a set.

    Raises :class:`~cardlab.errors.RulesError` for numbers that cannot be.
    """

    counts: tuple[int, ...]
    others: int = 0
    least: int = 3

    def __post_init__(self) -> None:
        given: object = self.counts
        counts = tuple(given) if isinstance(given, Iterable) else ()
        whole = all(type(count) is int and 0 <= count <= MOST_COPIES for count in counts)
        if not whole or not 1 <= len(counts) <= MOST_KINDS:
            raise RulesError(
                "core.error.option_numbers",
                option="counts",
                value=repr(given),
                fewest=1,
                most=MOST_KINDS,
                low=0,
                high=MOST_COPIES,
            )
        object.__setattr__(self, "counts", counts)
        _whole("others", self.others, 0, MOST_COPIES)
        _whole("least", self.least, 1, MOST_LEAST)

    @property
    def cards(self) -> int:
        """The size of the deck."""
        return sum(self.counts) + self.others

    # One kind.

    def chance_of_set(self, kind: int, drawn: int) -> Fraction:
        """The chance that ``drawn`` cards hold a set of the ``kind``-th kind, counted from 1."""
        return at_least(self.cards, self._copies(kind), self._drawn(drawn), self.least)

    def worth(self, kind: int, drawn: int) -> Fraction:
        """What a number brings who keeps all copies of it that are drawn.

        Each counts its number, as a plus if they make a set and as a minus if not.
        """
        return kind * self._balance_of_copies(self._copies(kind), self._drawn(drawn))

    def _balance_of_copies(self, copies: int, drawn: int) -> Fraction:
        """The expected number of copies in a set less that of copies without one."""
        return _balance_of_copies(self.cards, copies, drawn, self.least)

    def mean(self, kind: int, drawn: int) -> Fraction:
        """The expected number of cards of a kind."""
        return Fraction(self._copies(kind) * self._drawn(drawn), self.cards or 1)

    def hits(self, kind: int, drawn: int) -> list[Fraction]:
        """The chance of no card of a kind, of one, and so on."""
        copies, drawn = self._copies(kind), self._drawn(drawn)
        return [hypergeometric(self.cards, copies, drawn, n) for n in range(min(copies, drawn) + 1)]

    # Any kind.

    def chance_of_any_set(self, drawn: int) -> Fraction:
        """The chance that ``drawn`` cards hold a set of any kind.

        The ways to draw without a set are the coefficients of a product of short polynomials.
        """
        drawn = self._drawn(drawn)
        without = self._ways_without()
        ways = without[drawn] if drawn < len(without) else 0
        return 1 - Fraction(ways, math.comb(self.cards, drawn))

    def draws_to_first_set(self) -> Fraction:
        """The expected number of draws until there is a set of any kind.

        Raises :class:`RulesError` if the deck may hold none.
        """
        if max(self.counts, default=0) < self.least:
            raise RulesError("analysis.error.no_set", least=self.least)
        ways = self._ways_without()
        return sum(
            (Fraction(n, math.comb(self.cards, drawn)) for drawn, n in enumerate(ways)), Fraction()
        )

    @property
    def largest_without_set(self) -> int:
        """The largest hand in which there need not be any set."""
        return len(self._ways_without()) - 1

    def _ways_without(self) -> list[int]:
        return _ways_without(self.counts, self.others, self.least)

    # Cards removed unseen.

    def chance_in_play(self, kind: int, removed: int, copies: int | None = None) -> Fraction:
        """The chance that so many copies (by default a set) are left after some were removed."""
        left = self.cards - self._drawn(removed)
        wanted = self.least if copies is None else copies
        return at_least(self.cards, self._copies(kind), left, wanted)

    # All of it.

    def table(self, drawn: int) -> pd.DataFrame:
        """A row for each number: ``number``, ``copies`` (int64), ``mean``, ``set``, ``worth``.

        The last three are floats: the expected number of copies among ``drawn`` cards, the chance
        of a set, and what the number brings, see :meth:`worth`.
        """
        import pandas as pd

        kinds = range(1, len(self.counts) + 1)
        return pd.DataFrame(
            {
                "number": [*kinds],
                "copies": [*self.counts],
                "mean": [float(self.mean(kind, drawn)) for kind in kinds],
                "set": [float(self.chance_of_set(kind, drawn)) for kind in kinds],
                "worth": [float(self.worth(kind, drawn)) for kind in kinds],
            }
        )

    def _copies(self, kind: int) -> int:
        return self.counts[_whole("kind", kind, 1, len(self.counts)) - 1]

    def _drawn(self, drawn: int) -> int:
        return _whole("drawn", drawn, 0, self.cards)


def _whole(name: str, value: int, low: int, high: int) -> int:
    """The value, if it is a whole number within these bounds."""
    if type(value) is not int or not low <= value <= high:
        raise RulesError(
            "core.error.option_range", option=name, value=repr(value), low=low, high=high
        )
    return value


@cache
def _balance_of_copies(cards: int, copies: int, drawn: int, least: int) -> Fraction:
    return sum(
        (
            (hits if hits >= least else -hits) * hypergeometric(cards, copies, drawn, hits)
            for hits in range(min(copies, drawn) + 1)
        ),
        Fraction(),
    )


@cache
def _ways_without(counts: tuple[int, ...], others: int, least: int) -> list[int]:
    """For each number of cards in how many ways they can be drawn without a set."""
    ways = [math.comb(others, n) for n in range(others + 1)]
    for copies in counts:
        factor = [math.comb(copies, n) for n in range(min(copies, least - 1) + 1)]
        product = [0] * (len(ways) + len(factor) - 1)
        for n, some in enumerate(ways):
            for m, more in enumerate(factor):
                product[n + m] += some * more
        ways = product
    return ways


# --------------------------------------------------------------------------------------- balancing


@dataclass(frozen=True)
class Balance:
    """A deck whose numbers bring as nearly the same as they can.

    Attributes
    ----------
    counts
        The copies of each number.
    worths
        What each number brings, see :meth:`Deck.worth`.
    """

    counts: tuple[int, ...]
    worths: tuple[Fraction, ...]

    @property
    def spread(self) -> Fraction:
        """The largest worth less the smallest."""
        return max(self.worths) - min(self.worths)


def balance(
    numbers: int,
    cards: int = 60,
    drawn: int = 10,
    least: int = 3,
    fewest: int = 3,
    most: int = 20,
    others: int = 0,
) -> Balance:
    """The counts of the numbers from 1 up that make what they bring as equal as possible.

    Parameters
    ----------
    numbers
        How many numbers there are.
    cards, others
        The size of the deck, and how many of its cards are no numbers.
    drawn, least
        How many cards a player draws, and how many of one number make a set.
    fewest, most
        The fewest and the most copies that a number may have.

    Every choice is considered: what a number brings depends on its own copies alone, so for an
    interval of worths it is quickly known which copies each number may have, and whether some of
    those add up. The shortest interval is found by moving its ends upward in turn.

    Raises :class:`~cardlab.errors.RulesError` for numbers that cannot be, and when no counts add
    up.

    >>> balance(4, cards=20, drawn=5).counts
    (3, 3, 7, 7)
    """
    _whole("numbers", numbers, 1, MOST_KINDS)
    _whole("cards", cards, 0, MOST_CARDS)
    _whole("drawn", drawn, 0, cards)
    _whole("least", least, 1, MOST_LEAST)
    _whole("fewest", fewest, 0, MOST_COPIES)
    _whole("most", most, fewest, MOST_COPIES)
    total = cards - _whole("others", others, 0, cards)
    if not numbers * fewest <= total <= numbers * most:
        raise RulesError(
            "analysis.error.no_counts", cards=total, low=numbers * fewest, high=numbers * most
        )
    copies = range(fewest, most + 1)
    worth = [
        [kind * _balance_of_copies(cards, n, drawn, least) for n in copies]
        for kind in range(1, numbers + 1)
    ]
    ends = sorted({each for row in worth for each in row})
    best: tuple[Fraction, Fraction, Fraction] | None = None
    high = 0
    for low in range(len(ends)):
        while high < len(ends) and not _adds_up(
            _allowed(worth, fewest, ends[low], ends[high]), total
        ):
            high += 1
        if high == len(ends):
            break
        found = (ends[high] - ends[low], ends[low], ends[high])
        best = min(best or found, found)
    assert best is not None
    counts = _pick(_allowed(worth, fewest, *best[1:]), total)
    return Balance(counts, tuple(row[n - fewest] for row, n in zip(worth, counts, strict=True)))


def _allowed(
    worth: Sequence[Sequence[Fraction]], fewest: int, low: Fraction, high: Fraction
) -> list[list[int]]:
    """The copies of each number that bring something between ``low`` and ``high``."""
    return [[fewest + i for i, each in enumerate(row) if low <= each <= high] for row in worth]


def _sums(allowed: Sequence[Sequence[int]]) -> Iterator[int]:
    """After each number the sums that can be reached so far, as bits."""
    sums = 1
    for copies in allowed:
        sums = _any(sums << n for n in copies)
        yield sums


def _any(masks: Iterator[int]) -> int:
    found = 0
    for mask in masks:
        found |= mask
    return found


def _adds_up(allowed: Sequence[Sequence[int]], total: int) -> bool:
    return bool([*_sums(allowed)][-1] >> total & 1)


def _pick(allowed: Sequence[Sequence[int]], total: int) -> tuple[int, ...]:
    """Copies that add up; for the higher numbers as near to an equal share as possible."""
    before = [1, *_sums(allowed)]
    chosen: list[int] = []
    for place in range(len(allowed) - 1, -1, -1):
        fits = [n for n in allowed[place] if n <= total and before[place] >> (total - n) & 1]
        _, nearest = min((abs(n * (place + 1) - total), n) for n in fits)
        chosen.append(nearest)
        total -= nearest
    return tuple(reversed(chosen))
