"""Exact values of very many decks against one opponent; ``docs/exact.md`` says why this is fast.

The sweep over the ranks is cut in the middle. What the low ranks of a deck have done is a vector,
what its high ranks will make of it is another one, and the value of the deck is their product.
There are few different halves, so the values of all decks are a few products of matrices.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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


class Kind(NamedTuple):
    """How many cards half a deck has: some that may be played, others that are shields only."""

    play: int
    shields: int


class _Group(NamedTuple):
    """Some halves that are made in one way: the same new cards after others of one kind."""

    new: Side
    before: Kind
    parents: slice | Places  # columns of the halves before, among those of the same kind
    columns: slice | Places  # columns of these halves


class _Level(NamedTuple):
    """All halves of one kind, up or down to one rank."""

    size: int
    groups: list[_Group]


class Tree:
    """All different halves on one side of a cut, and how each is made rank by rank.

    Attributes
    ----------
    ranks
        The ranks (0 to 12) in the order in which cards are added.
    levels
        For each of them how to make the halves of each kind.
    halves
        The keys of the whole halves, ascending.
    kind, column
        For each of them the number of its kind, and its place among those of its kind, the
        lightest first.
    """

    def __init__(self, halves: Keys, ranks: Sequence[int], chosen: bool) -> None:
        self.ranks = ranks
        self.levels: list[dict[Kind, _Level]] = []
        self.halves = np.zeros(1, np.int64)
        self.kind = self.column = np.zeros(1, np.intp)
        seen = 0
        for rank in ranks:
            bits = _bits_of(rank, chosen)
            seen |= bits
            nodes = np.unique(halves & seen)
            parent = np.searchsorted(self.halves, nodes & ~bits)
            kind = kind_of(nodes)
            order = np.lexsort((weight_of(nodes), kind))
            column = np.empty(len(nodes), np.intp)
            column[order] = _place_in_run(kind[order])
            self.levels.append(
                {
                    _KINDS[number]: _Level(int(np.sum(kind == number)), [])
                    for number in np.unique(kind).tolist()
                }
            )
            # One group for each kind and each set of new cards.
            option = nodes & bits
            order = np.lexsort((option, kind))
            changes = (np.diff(kind[order]) != 0) | (np.diff(option[order]) != 0)
            for members in np.split(order, np.flatnonzero(changes) + 1):
                new = side_of(int(option[members[0]]), chosen).at(rank)
                play, shields = after = _KINDS[kind[members[0]]]
                shields -= new.shields.bit_count() if chosen else 0
                before = Kind(play - new.play.bit_count(), shields)
                self.levels[-1][after].groups.append(
                    _Group(
                        new, before, _slice(self.column[parent[members]]), _slice(column[members])
                    )
                )
            self.halves, self.kind, self.column = nodes, kind, column


class Cut:
    """Two trees, and the vectors of their halves against an opponent.

    Parameters
    ----------
    sweep
        For decks of this size and these rules.
    low, high
        The keys of all low halves and of all high halves.
    cut
        How many ranks are low.
    """

    def __init__(self, sweep: Sweep, low: Keys, high: Keys, cut: int = CUT) -> None:
        self.sweep = sweep
        self.cut = cut
        self.playable = sweep.size - sweep.n_shields if sweep.chosen else sweep.size
        self.low = Tree(low, range(cut), sweep.chosen)
        self.high = Tree(high, range(RANKS - 1, cut - 1, -1), sweep.chosen)

    def lows(self, b: Side) -> Iterator[tuple[Kind, Places, Floats]]:
        """By kind the numbers of arrangements of the low halves.

        Yields the kind, the states that any of them has, and a matrix with a row for each of those
        states and a column for each half.
        """
        vectors: dict[Kind, Floats] = {Kind(0, 0): np.ones((1, 1))}
        b_below = 0
        for rank, level in zip(self.low.ranks, self.low.levels, strict=True):
            new = b.at(rank)
            after = b_below + new.play.bit_count()
            above = (
                (kind, self._ascend(kind, level[kind], vectors, new, b_below, after))
                for kind in level
            )
            if rank == self.cut - 1:
                for kind, numbers in above:
                    states = np.flatnonzero(numbers.any(axis=1))
                    yield kind, states, numbers[states]
                return
            vectors, b_below = dict(above), after

    def _ascend(
        self,
        kind: Kind,
        level: _Level,
        vectors: Mapping[Kind, Floats],
        new: Side,
        b_below: int,
        b_after: int,
    ) -> Floats:
        numbers = np.empty((self.sweep.reach(kind.play, b_after), level.size))
        for group in level.groups:
            step = self.sweep.step(group.new, new, group.before.play, b_below)
            numbers[:, group.columns] = step @ vectors[group.before][:, group.parents]
        return numbers

    def highs(self, b: Side, weights: Floats) -> Highs:
        """What states below the high halves are worth, for any number of rows of weights."""
        vectors = {Kind(0, 0): [row[:, None] for row in weights]}
        b_below = b.play.bit_count()
        for rank, level in zip(self.high.ranks, self.high.levels, strict=True):
            new = b.at(rank)
            b_below -= new.play.bit_count()
            highs = Highs(self, level, vectors, new, b_below)
            if rank > self.cut:
                vectors = {kind: highs(kind) for kind in level}
        return highs


class Highs:
    """The vectors of high halves, of which the last rank is added when they are asked for."""

    def __init__(
        self,
        cut: Cut,
        level: Mapping[Kind, _Level],
        vectors: Mapping[Kind, Sequence[Floats]],
        new: Side,
        b_below: int,
    ) -> None:
        self._cut = cut
        self._level = level
        self._vectors = vectors
        self._new = new
        self._b_below = b_below

    def __call__(self, kind: Kind, states: Places | None = None) -> list[Floats]:
        """What the states are worth below the high halves of one kind.

        Returns for each row of weights a matrix with a row for each state (by default all within
        reach) and a column for each half.
        """
        sweep = self._cut.sweep
        a_below = self._cut.playable - kind.play
        size, groups = self._level[kind]
        rows = sweep.reach(a_below, self._b_below) if states is None else len(states)
        worth = [np.empty((rows, size)) for _ in self._vectors[groups[0].before]]
        for group in groups:
            step = sweep.step(group.new, self._new, a_below, self._b_below).T
            after = step.shape[1]
            if states is not None:
                step = step[states]
            for below, above in zip(worth, self._vectors[group.before], strict=True):
                below[:, group.columns] = step @ above[:after, group.parents]
        return worth


class _Block(NamedTuple):
    """The decks with low halves of one kind."""

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
        keys = play.astype(np.int64)
        if shields is not None:
            keys |= shields.astype(np.int64) << _SHIELDS
        low_bits = sum(_bits_of(rank, sweep.chosen) for rank in range(CUT))
        low, high = keys & low_bits, keys & ~low_bits
        self.sweep = sweep
        self._size = len(keys)
        self._cut = Cut(sweep, np.unique(low), np.unique(high))
        self._total = Kind(self._cut.playable, sweep.n_shields if sweep.chosen else 0)
        self._blocks = dict(self._make_blocks(low, high))

    def __len__(self) -> int:
        return self._size

    def _make_blocks(self, low: Keys, high: Keys) -> Iterator[tuple[Kind, _Block]]:
        lows, highs = self._cut.low, self._cut.high
        low_node = np.searchsorted(lows.halves, low)
        high_node = np.searchsorted(highs.halves, high)
        kinds = lows.kind[low_node]
        for kind in np.unique(kinds).tolist():
            decks = np.flatnonzero(kinds == kind)
            row = highs.column[high_node[decks]]
            order = np.argsort(row, kind="stable")
            decks = decks[order]
            yield _KINDS[kind], _Block(row[order], lows.column[low_node[decks]], decks)

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
        highs = self._cut.highs(b, weights)
        for kind, states, left in self._cut.lows(b):
            block = self._blocks[kind]
            right = highs(rest(self._total, kind), states)
            for first in range(0, right[0].shape[1], _ROWS):
                start, stop = np.searchsorted(block.row, (first, first + _ROWS))
                row, col = block.row[start:stop] - first, block.col[start:stop]
                # Heavy high halves go with light low halves only, which come first.
                width = col.max() + 1
                for values, worth in zip(result, right, strict=True):
                    product = worth[:, first : first + _ROWS].T @ left[:, :width]
                    values[block.decks[start:stop]] = product[row, col]
        return result


def rest(total: Kind, kind: Kind) -> Kind:
    """What is missing to a whole deck."""
    return Kind(total.play - kind.play, total.shields - kind.shields)


def _bits_of(rank: int, chosen: bool) -> int:
    bits = 3 << 2 * rank
    return bits | bits << _SHIELDS if chosen else bits


def side_of(key: int, chosen: bool) -> Side:
    """The cards of a key."""
    play = key & (1 << _SHIELDS) - 1
    return Side(play, key >> _SHIELDS if chosen else play)


_KINDS = [Kind(play, shields) for shields in range(27) for play in range(27)]


def kind_of(keys: Keys) -> Places:
    """For each key the place of its kind in a list of all."""
    kind: Places = np.bitwise_count(keys & (1 << _SHIELDS) - 1).astype(np.intp)
    kind += 27 * np.bitwise_count(keys >> _SHIELDS).astype(np.intp)
    return kind


def _place_in_run(values: NDArray[Any]) -> Places:
    """0, 1, 2 ... within every run of equal values."""
    places = np.arange(len(values))
    starts = np.flatnonzero(np.diff(values, prepend=values[:1] - 1))
    return places - np.repeat(starts, np.diff(starts, append=len(values)))


def weight_of(keys: Keys) -> NDArray[Any]:
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
