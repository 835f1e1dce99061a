"""Exact values of very many decks against one opponent; ``docs/exact.md`` says why this is fast.

The sweep over the ranks is cut in the middle. What the low ranks of a deck have done is a vector,
what its high ranks will make of it is another one, and the value of the deck is their product.
There are few different halves, so the values of all decks are a few products of matrices.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from cardlab.analysis.sweep import RANKS, Floats, Kind, Places, Side, Sweep

CUT = 7
"""The low half of a deck are its cards of the lowest seven ranks."""

CHOICES_CUT = 6
"""The same where shields are chosen: there are more halves, and fewer states that matter."""

_ROWS = 256
"""High halves that are multiplied at once."""

_SHIELDS = 26
"""The bit of a key where the shields begin, if they are apart from the cards that are played."""

Keys = NDArray[np.int64]

Function = TypeVar("Function", bound=Callable[..., Any])


def one_thread(function: Function) -> Function:
    """The function with all its products of matrices on one thread.

    There are thousands of middling ones, and the threads of BLAS wait for each other at the end of
    each: where other programs want the cores too, two threads take several times as long as one.
    """
    limited: Function = ThreadpoolController().wrap(limits=1, user_api="blas")(function)
    return limited


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
            kind = kind_of(nodes, chosen)
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
                after = _KINDS[kind[members[0]]]
                self.levels[-1][after].groups.append(
                    _Group(
                        new,
                        after.less(new.kind),
                        _slice(self.column[parent[members]]),
                        _slice(column[members]),
                    )
                )
            self.halves, self.kind, self.column = nodes, kind, column

    def keys(self) -> dict[Kind, Keys]:
        """The keys of the halves of each kind, the lightest first."""
        order = np.lexsort((self.column, self.kind))
        starts = np.flatnonzero(np.diff(self.kind[order], prepend=-1))
        return {
            _KINDS[self.kind[places[0]]]: self.halves[places]
            for places in np.split(order, starts[1:])
        }


class Worth(NamedTuple):
    """What states are worth below some high halves.

    Attributes
    ----------
    rows
        For each row of weights a matrix with a row for each state and a column for each half.
    ceiling
        A bound of the same with absolute weights, whichever the half: a row for each state, a
        column for each row of weights.
    """

    rows: list[Floats]
    ceiling: Floats

    def plus(self, other: Worth) -> Worth:
        """The sum of both, state by state."""
        rows = [mine + its for mine, its in zip(self.rows, other.rows, strict=True)]
        return Worth(rows, self.ceiling + other.ceiling)


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
        turns = sweep.size - sweep.n_shields
        self.whole = Kind(turns, sweep.n_shields) if sweep.chosen else Kind(sweep.size, sweep.size)
        self.low = Tree(low, range(cut), sweep.chosen)
        self.high = Tree(high, range(RANKS - 1, cut - 1, -1), sweep.chosen)

    def lows(self, b: Side) -> Iterator[tuple[Kind, Floats]]:
        """The numbers of arrangements of the low halves, kind by kind.

        Yields the kind and a matrix with a row for each state within the cards there are and a
        column for each half.
        """
        vectors: dict[Kind, Floats] = {Kind(0, 0): np.ones((1, 1))}
        for rank, level in zip(self.low.ranks, self.low.levels, strict=True):
            above = ((kind, self._ascend(rank, kind, level[kind], vectors, b)) for kind in level)
            if rank == self.low.ranks[-1]:
                yield from above
            else:
                vectors = dict(above)

    def _ascend(
        self, rank: int, kind: Kind, level: _Level, vectors: Mapping[Kind, Floats], b: Side
    ) -> Floats:
        states = self.sweep.within(kind, b.below(rank + 1))
        numbers = np.empty((len(states), level.size))
        for group in level.groups:
            step = self.sweep.step(group.new, b.at(rank), group.before, b.below(rank))
            numbers[:, group.columns] = step @ _columns(vectors[group.before], group.parents)
        return numbers

    def highs(self, b: Side, weights: Floats) -> Callable[[Kind], Worth]:
        """What states are worth below the high halves of a kind, for each row of weights.

        Returns a function, which adds the last rank only for the kinds that it is asked for. Its
        matrices have rows and columns as those of :meth:`lows`.
        """
        states = self.sweep.within(self.whole, b.kind)
        worth = Worth([row[states, None] for row in weights], np.abs(weights[:, states]).T)
        vectors = {Kind(0, 0): worth}
        *upper, last = zip(self.high.ranks, self.high.levels, strict=True)
        for rank, level in upper:
            vectors = {kind: self._descend(rank, kind, level[kind], vectors, b) for kind in level}
        rank, level = last
        return lambda kind: self._descend(rank, kind, level[kind], vectors, b)

    def _descend(
        self, rank: int, kind: Kind, level: _Level, vectors: Mapping[Kind, Worth], b: Side
    ) -> Worth:
        below = self.whole.less(kind)
        states = self.sweep.within(below, b.below(rank))
        some = vectors[level.groups[0].before]
        ceiling = np.zeros((len(states), some.ceiling.shape[1]))
        rows = [np.empty((len(states), level.size)) for _ in some.rows]
        for group in level.groups:
            step = self.sweep.step(group.new, b.at(rank), below, b.below(rank)).T
            above = vectors[group.before]
            np.maximum(ceiling, step @ above.ceiling, out=ceiling)
            for here, row in zip(rows, above.rows, strict=True):
                here[:, group.columns] = step @ _columns(row, group.parents)
        return Worth(rows, ceiling)


class _Block(NamedTuple):
    """Decks with high halves that are neighbours and low halves of one kind."""

    highs: slice  # the high halves
    lows: int  # so many of the lightest low halves: heavy high halves go with no others
    product: Places  # the place of each deck in the product of these halves
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
        self._blocks = dict(self._make_blocks(low, high))

    def __len__(self) -> int:
        return self._size

    def _make_blocks(self, low: Keys, high: Keys) -> Iterator[tuple[Kind, list[_Block]]]:
        lows, highs = self._cut.low, self._cut.high
        low_node = np.searchsorted(lows.halves, low)
        high_node = np.searchsorted(highs.halves, high)
        kinds = lows.kind[low_node]
        for kind in np.unique(kinds).tolist():
            decks = np.flatnonzero(kinds == kind)
            row = highs.column[high_node[decks]]
            order = np.argsort(row, kind="stable")
            row, decks = row[order], decks[order]
            column = lows.column[low_node[decks]]
            blocks = []
            for first in range(0, int(row[-1]) + 1, _ROWS):
                some = slice(*np.searchsorted(row, (first, first + _ROWS)))
                width = int(column[some].max()) + 1
                product = (row[some] - first) * width + column[some]
                blocks.append(_Block(slice(first, first + _ROWS), width, product, decks[some]))
            yield _KINDS[kind], blocks

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
        return self.bounded_values(b, weights)[0]

    @one_thread
    def bounded_values(self, b: Side, weights: Floats) -> tuple[Floats, Floats]:
        """The same, and for each row a bound of the sum with absolute weights for all decks."""
        result = np.empty((len(weights), len(self)))
        bounds = np.zeros(len(weights))
        highs = self._cut.highs(b, weights)
        for kind, left in self._cut.lows(b):
            right = highs(self._cut.whole.less(kind))
            bounds = np.maximum(bounds, left.max(axis=1) @ right.ceiling)
            for block in self._blocks[kind]:
                for values, worth in zip(result, right.rows, strict=True):
                    product = worth[:, block.highs].T @ left[:, : block.lows]
                    values[block.decks] = product.take(block.product)
        return result, bounds


class Choices:
    """Every legal deck with every choice of shields, to find the best against a mixture.

    There are 3003 choices for each of the 2492494 legal decks of the default rules, far too many to
    list, but their values are products of few halves too. Where a shield's colour cannot matter,
    only the red card of a rank without cards to play is taken as its single shield.

    A higher shield is never worse (``docs/exact.md``, section 8). So the best is among the choices
    none of whose shields can be raised by a rank: because that would exceed the cap, or because
    both cards of the next rank are in the deck. Only these, a tenth of all, are multiplied.

    Parameters
    ----------
    sweep
        For decks of this size with chosen shields.
    cap
        What the numbers of deck and shields together may sum to at the most.
    """

    def __init__(self, sweep: Sweep, cap: int) -> None:
        low = _all_halves(sweep, cap, range(CHOICES_CUT))
        high = _all_halves(sweep, cap, range(CHOICES_CUT, RANKS))
        self.cap = cap
        self._cut = Cut(
            sweep,
            _completable(low, high, sweep, cap),
            _completable(high, low, sweep, cap),
            CHOICES_CUT,
        )

    @one_thread
    def best(
        self,
        mixture: Mapping[Side, float],
        weights: Floats,
        margin: float = 0.0,
        progress: Callable[[float], None] = lambda _: None,
    ) -> tuple[float, float, dict[Side, float]]:
        """The highest weighted sum that any choice reaches as ``a`` against a mixture.

        Parameters
        ----------
        mixture
            The opponent's choices with their chances.
        weights
            Of the sweep's states, ``(len(sweep),)``; a higher shield must not lower the sum.
        margin
            How far below the highest values are still of interest.
        progress
            Called with the share of the work that is done.

        Returns the highest value, a bound of the same sum with absolute weights for all choices
        that were valued, and the choices within the margin, with their values.
        """
        # Opponents with the same low half share the vectors of our low halves.
        groups: dict[Side, list[Callable[[Kind], Worth]]] = defaultdict(list)
        for b, chance in mixture.items():
            low_half = Side(*(mask & (1 << 2 * CHOICES_CUT) - 1 for mask in b))
            groups[low_half].append(self._cut.highs(b, chance * weights[None]))
        low_keys, high_keys = self._cut.low.keys(), self._cut.high.keys()
        found: list[tuple[float, int]] = []
        highest, bound = -np.inf, 0.0
        every = zip(*(self._cut.lows(b) for b in groups), strict=True)
        for done, lows in enumerate(every, start=1):
            kind = lows[0][0]
            opposite = self._cut.whole.less(kind)
            left = np.concatenate([numbers for _, numbers in lows])
            worths = [
                reduce(Worth.plus, (high(opposite) for high in group)) for group in groups.values()
            ]
            right = np.concatenate([worth.rows[0] for worth in worths])
            ceiling = np.concatenate([worth.ceiling[:, 0] for worth in worths])
            bound = max(bound, float(left.max(axis=1) @ ceiling))
            # Many states cannot be reached by any of these halves.
            states = np.flatnonzero(left.any(axis=1))
            left, right = left[states], right[states]
            for rows, columns in self._blocks(high_keys[opposite], low_keys[kind]):
                values = _columns(right, rows).T @ _columns(left, columns)
                top = float(values.max())
                if top >= highest - margin:
                    highest = max(highest, top)
                    row, column = np.nonzero(values >= highest - margin)
                    keys = high_keys[opposite][rows][row] | low_keys[kind][columns][column]
                    found += zip(values[row, column].tolist(), keys.tolist(), strict=True)
            progress(done / len(low_keys))
        near = {key: value for value, key in found if value >= highest - margin}
        bound = max(bound, self._add_lower(near, mixture, weights, highest - margin))
        return highest, bound, {side_of(key, True): value for key, value in near.items()}

    def _blocks(self, high: Keys, low: Keys) -> Iterator[tuple[slice | Places, slice | Places]]:
        """Places of halves that together are all choices of which no shield can be raised.

        In some of the blocks one might be: from the top of a low half to the bottom of a high one.
        """
        weights, room = weight_of(low), self.cap - weight_of(high)
        firm_high = _firm(high, range(CHOICES_CUT, RANKS))
        firm_low = _firm(low, range(CHOICES_CUT))
        for weight in np.unique(weights):
            light = weights == weight
            # What comes to the cap, and what is below it but firm.
            for rows, columns in (
                (room == weight, light),
                ((room > weight) & firm_high, light & firm_low),
            ):
                if rows.any() and columns.any():
                    yield _slice(np.flatnonzero(rows)), _slice(np.flatnonzero(columns))

    def _add_lower(
        self, near: dict[int, float], mixture: Mapping[Side, float], weights: Floats, least: float
    ) -> float:
        """Add what becomes one of these choices when its shields are raised, if it is worth enough.

        Returns a bound as :meth:`best` does.
        """
        bound, last = 0.0, set(near)
        while last:
            lower = {other for key in last for other in self._lowered(key)} - near.keys()
            keys = np.array(sorted(lower), np.int64)
            values, bounds = np.zeros(len(keys)), 0.0
            if lower:
                sides = keys & (1 << _SHIELDS) - 1, keys >> _SHIELDS
                field = Field(self._cut.sweep, *sides)
                for b, chance in mixture.items():
                    some, most = field.bounded_values(b, chance * weights[None])
                    values += some[0]
                    bounds += float(most[0])
            bound = max(bound, bounds)
            worth = values >= least
            last = set(keys[worth].tolist())
            near.update(zip(keys[worth].tolist(), values[worth].tolist(), strict=True))
        return bound

    def _lowered(self, key: int) -> Iterator[int]:
        """The choices with one shield a rank lower."""
        play, shields = side_of(key, True)
        for bit in range(2, 2 * RANKS):
            if shields >> bit & 1:
                rank = bit // 2 - 1
                for lower in (2 * rank, 2 * rank + 1):
                    if not (play | shields) >> lower & 1:
                        changed = shields ^ 1 << bit ^ 1 << lower
                        if self._cut.sweep.counter_compare != "number_then_colour":
                            changed = _red(play, changed, (rank, rank + 1))
                        yield play | changed << _SHIELDS


def _red(play: int, shields: int, ranks: Iterable[int]) -> int:
    """The shields, where a black one alone at one of the ranks is replaced by the red one."""
    for rank in ranks:
        if shields >> 2 * rank & 3 == 2 and not play >> 2 * rank & 3:
            shields ^= 3 << 2 * rank
    return shields


def _firm(keys: Keys, ranks: Sequence[int]) -> NDArray[np.bool_]:
    """Whether no shield of each half can be raised to the next of its ranks: its cards are in."""
    firm = np.ones(len(keys), bool)
    cards = keys | keys >> _SHIELDS
    for rank in ranks[:-1]:
        shield, full = keys >> _SHIELDS >> 2 * rank & 3 != 0, cards >> 2 * rank + 2 & 3 == 3
        firm &= full | ~shield
    return firm


def _all_halves(sweep: Sweep, cap: int, ranks: Sequence[int]) -> Keys:
    """The keys of all sets of cards to play and shields of these ranks, of legal number and sum."""
    pairs = [(play, shields) for play in range(4) for shields in range(4) if not play & shields]
    if sweep.counter_compare != "number_then_colour":
        pairs.remove((0, 2))
    keys = np.zeros(1, np.int64)
    for rank in ranks:
        options = [(play | shields << _SHIELDS) << 2 * rank for play, shields in pairs]
        keys = (keys[:, None] | np.array(options)).ravel()
        shields = np.bitwise_count(keys >> _SHIELDS)
        cards = np.bitwise_count(keys)
        few = (shields <= sweep.n_shields) & (cards - shields <= sweep.size - sweep.n_shields)
        keys = keys[few & (weight_of(keys) <= cap)]
    return keys


def _completable(halves: Keys, others: Keys, sweep: Sweep, cap: int) -> Keys:
    """The halves that some other half makes a legal deck of."""
    lightest: dict[int, int] = {}
    kinds, weights = kind_of(others, True), weight_of(others)
    for kind in np.unique(kinds).tolist():
        lightest[kind] = int(weights[kinds == kind].min())
    whole = Kind(sweep.size - sweep.n_shields, sweep.n_shields)
    kinds, weights = kind_of(halves, True), weight_of(halves)
    room = np.full(len(_KINDS), -1)
    for place, kind in enumerate(_KINDS):
        missing = whole.less(kind)
        if min(missing) >= 0:
            room[place] = cap - lightest.get(_KINDS.index(missing), cap + 1)
    return halves[weights <= room[kinds]]


def _bits_of(rank: int, chosen: bool) -> int:
    bits = 3 << 2 * rank
    return bits | bits << _SHIELDS if chosen else bits


def side_of(key: int, chosen: bool) -> Side:
    """The cards of a key."""
    play = key & (1 << _SHIELDS) - 1
    return Side(play, key >> _SHIELDS if chosen else play)


_KINDS = [Kind(play, shields) for shields in range(27) for play in range(27)]


def kind_of(keys: Keys, chosen: bool) -> Places:
    """For each key the place of its kind among all."""
    play: Places = np.bitwise_count(keys & (1 << _SHIELDS) - 1).astype(np.intp)
    shields = np.bitwise_count(keys >> _SHIELDS).astype(np.intp) if chosen else play
    return play + 27 * shields


def _place_in_run(values: NDArray[Any]) -> Places:
    """0, 1, 2 ... within every run of equal values."""
    places = np.arange(len(values))
    starts = np.flatnonzero(np.diff(values, prepend=values[:1] - 1))
    return places - np.repeat(starts, np.diff(starts, append=len(values)))


_HALF = _SHIELDS // 2
_WEIGHTS = np.array(
    [
        [
            sum(bit // 2 + 1 for bit in range(start, start + _HALF) if cards >> bit - start & 1)
            for cards in range(1 << _HALF)
        ]
        for start in (0, _HALF)
    ]
)
"""The sums of the numbers of all sets of cards among the lower thirteen bits, and the higher."""


def weight_of(keys: Keys) -> NDArray[Any]:
    """The sum of the numbers of each half's cards."""
    cards = (keys | keys >> _SHIELDS) & (1 << _SHIELDS) - 1
    lower, higher = _WEIGHTS
    weight: NDArray[Any] = lower[cards & (1 << _HALF) - 1] + higher[cards >> _HALF]
    return weight


def _columns(matrix: Floats, places: slice | Places) -> Floats:
    """Some columns; unlike an index, ``take`` leaves each row in one piece, as products like it."""
    return matrix[:, places] if isinstance(places, slice) else matrix.take(places, axis=1)


def _slice(places: Places) -> slice | Places:
    """Ascending neighbours as a slice, which numpy need not copy."""
    first = int(places[0])
    neighbours = bool((places == np.arange(first, first + len(places))).all())
    return slice(first, first + len(places)) if neighbours else places
