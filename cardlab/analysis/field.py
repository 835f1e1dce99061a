"""Exact values of very many decks against one opponent; ``docs/exact.md`` says why this is fast.

The sweep over the ranks is cut in the middle. What the low ranks of a deck have done is a vector,
what its high ranks will make of it is another one, and the value of the deck is their product.
There are few different halves, so the values of all decks are a few products of matrices.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cardlab.analysis.sweep import RANKS, Floats, Side, Sweep

CUT = 7
"""The low half of a deck are its cards of the lowest seven ranks."""

_ROWS = 256
"""High halves that are multiplied at once."""

_SHIELDS = 26
"""The bit of a key where the shields begin, if they are apart from the cards that are played."""

Keys = NDArray[np.int64]
Places = NDArray[np.intp]


class _Group(NamedTuple):
    """Some halves that are made in one way: the same new cards after equally many others."""

    new: Side
    before: int  # cards that may be played, before the new ones
    parents: slice | Places  # columns of the halves before, among those of the same count
    columns: slice | Places  # columns of these halves


class _Level(NamedTuple):
    """All halves down or up to one rank that have equally many cards that may be played."""

    size: int
    groups: list[_Group]


class _Tree:
    """All different halves on one side of the cut, and how each is made rank by rank.

    Attributes
    ----------
    levels
        For each rank, by the number of cards that may be played, how to make those halves.
    halves
        The keys of the whole halves, ascending.
    count, column
        For each of them its number of cards that may be played, and its place among those of the
        same number, the lightest first.
    """

    def __init__(self, halves: Keys, ranks: Sequence[int], chosen: bool) -> None:
        self.levels: list[dict[int, _Level]] = []
        self.halves = np.zeros(1, np.int64)
        self.count = self.column = np.zeros(1, np.intp)
        seen = 0
        for rank in ranks:
            bits = _bits_of(rank, chosen)
            seen |= bits
            nodes = np.unique(halves & seen)
            parent = np.searchsorted(self.halves, nodes & ~bits)
            count = _count(nodes)
            order = np.lexsort((_weight(nodes), count))
            column = np.empty(len(nodes), np.intp)
            column[order] = _place_in_run(count[order])
            level: dict[int, _Level] = {}
            for number in np.unique(count).tolist():
                level[number] = _Level(int(np.sum(count == number)), [])
            option = nodes & bits
            for number, new in sorted({*zip(count.tolist(), option.tolist(), strict=True)}):
                members = np.flatnonzero((count == number) & (option == new))
                side = _side(new, chosen).at(rank)
                level[number].groups.append(
                    _Group(
                        side,
                        number - side.play.bit_count(),
                        _slice(self.column[parent[members]]),
                        _slice(column[members]),
                    )
                )
            self.levels.append(level)
            self.halves, self.count, self.column = nodes, count, column


class _Block(NamedTuple):
    """The decks with equally many low cards that may be played."""

    cards: int
    row: Places  # of each deck its high half, ascending
    col: Places  # of each deck its low half
    decks: Places  # the place of each deck in the field


class Field:
    """Decks whose values against one opponent are computed together.

    Parameters
    ----------
    sweep
        For decks of this size and these rules.
    play, shields
        Of each deck, no deck twice, the cards that may be played and those that may be shields:
        integer arrays of masks. Without ``shields`` they are the same, as with random shields.
    """

    def __init__(
        self, sweep: Sweep, play: NDArray[Any], shields: NDArray[Any] | None = None
    ) -> None:
        self.sweep = sweep
        self._playable = sweep.size - sweep.n_shields if sweep.chosen else sweep.size
        keys = play.astype(np.int64)
        if shields is not None:
            keys |= shields.astype(np.int64) << _SHIELDS
        chosen = shields is not None
        low_bits = sum(_bits_of(rank, chosen) for rank in range(CUT))
        low, high = keys & low_bits, keys & ~low_bits
        self._low = _Tree(np.unique(low), range(CUT), chosen)
        self._high = _Tree(np.unique(high), range(RANKS - 1, CUT - 1, -1), chosen)
        self._size = len(keys)
        self._blocks = list(self._make_blocks(low, high))

    def __len__(self) -> int:
        return self._size

    def _make_blocks(self, low: Keys, high: Keys) -> Iterator[_Block]:
        low_node = np.searchsorted(self._low.halves, low)
        high_node = np.searchsorted(self._high.halves, high)
        counts = self._low.count[low_node]
        for count in np.unique(counts).tolist():
            decks = np.flatnonzero(counts == count)
            row = self._high.column[high_node[decks]]
            order = np.argsort(row, kind="stable")
            decks = decks[order]
            yield _Block(count, row[order], self._low.column[low_node[decks]], decks)

    def values(self, b: Side, weights: Floats) -> Floats:
        """Weighted sums of the arrangements of every deck as ``a`` with the deck ``b``.

        Parameters
        ----------
        b
            The opponent.
        weights
            Any number of rows of weights of the sweep's states, ``(rows, len(sweep))``.

        Returns one row for each row of weights, one column for each deck of the field, float64.
        """
        result = np.empty((len(weights), len(self)))
        low = self._ascend(b)
        high = self._descend(b, weights)
        b_low = sum(b.at(rank).play.bit_count() for rank in range(CUT))
        for block in self._blocks:
            # States that use more low cards than there are have no arrangements.
            reach = self.sweep.reach(block.cards, b_low)
            used_a, used_b = self.sweep.used_a[:reach], self.sweep.used_b[:reach]
            states = np.flatnonzero((used_a <= block.cards) & (used_b <= b_low))
            left = low[block.cards][states]
            right = high[self._playable - block.cards]
            for first in range(0, right[0].shape[1], _ROWS):
                start, stop = np.searchsorted(block.row, (first, first + _ROWS))
                row, col = block.row[start:stop] - first, block.col[start:stop]
                # Heavy high halves go with light low halves only, which come first.
                width = col.max() + 1
                for values, weighted in zip(result, right, strict=True):
                    product = weighted[states, first : first + _ROWS].T @ left[:, :width]
                    values[block.decks[start:stop]] = product[row, col]
        return result

    def _ascend(self, b: Side) -> dict[int, Floats]:
        """The numbers of arrangements of every low half, one in each column, by its count."""
        vectors: dict[int, Floats] = {0: np.ones((1, 1))}
        b_below = 0
        for rank, level in enumerate(self._low.levels):
            new = b.at(rank)
            after = b_below + new.play.bit_count()
            above: dict[int, Floats] = {}
            for count, (size, groups) in level.items():
                above[count] = np.empty((self.sweep.reach(count, after), size))
                for group in groups:
                    step = self.sweep.step(group.new, new, group.before, b_below)
                    above[count][:, group.columns] = step @ vectors[group.before][:, group.parents]
            vectors, b_below = above, after
        return vectors

    def _descend(self, b: Side, weights: Floats) -> dict[int, list[Floats]]:
        """What states below the high halves are worth, by count and row of weights.

        The halves are in columns here too.
        """
        vectors = {0: [row[:, None] for row in weights]}
        b_below = b.play.bit_count()
        for rank, level in zip(reversed(range(CUT, RANKS)), self._high.levels, strict=True):
            new = b.at(rank)
            b_below -= new.play.bit_count()
            below: dict[int, list[Floats]] = {}
            for count, (size, groups) in level.items():
                a_below = self._playable - count
                reach = self.sweep.reach(a_below, b_below)
                below[count] = [np.empty((reach, size)) for _ in weights]
                for group in groups:
                    step = self.sweep.step(group.new, new, a_below, b_below)
                    after = step.shape[0]
                    for worth, above in zip(below[count], vectors[group.before], strict=True):
                        worth[:, group.columns] = step.T @ above[:after, group.parents]
            vectors = below
        return vectors


def _bits_of(rank: int, chosen: bool) -> int:
    bits = 3 << 2 * rank
    return bits | bits << _SHIELDS if chosen else bits


def _side(key: int, chosen: bool) -> Side:
    play = key & (1 << _SHIELDS) - 1
    return Side(play, key >> _SHIELDS if chosen else play)


def _count(keys: Keys) -> Places:
    """How many cards that may be played each half has."""
    count: Places = np.bitwise_count(keys & (1 << _SHIELDS) - 1).astype(np.intp)
    return count


def _place_in_run(values: NDArray[Any]) -> Places:
    """0, 1, 2 ... within every run of equal values."""
    places = np.arange(len(values))
    starts = np.flatnonzero(np.diff(values, prepend=values[:1] - 1))
    return places - np.repeat(starts, np.diff(starts, append=len(values)))


def _weight(keys: Keys) -> NDArray[Any]:
    """The sum of the numbers of each half's cards."""
    weight = np.zeros(len(keys), np.int64)
    for bit in range(2 * _SHIELDS):
        weight += (keys >> bit & 1) * (bit % _SHIELDS // 2 + 1)
    return weight


def _slice(places: Places) -> slice | Places:
    """Ascending neighbours as a slice, which numpy need not copy."""
    first = int(places[0])
    neighbours = bool((places == np.arange(first, first + len(places))).all())
    return slice(first, first + len(places)) if neighbours else places
