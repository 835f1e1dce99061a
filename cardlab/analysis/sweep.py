"""The sweep over the ranks behind exact values of GPT decks; ``docs/exact.md`` proves it.

Both players play random cards and strike random slots. What happens in a turn is one of

* ``a`` wins the clash, and the struck shield counters or does not;
* ``b`` wins the clash, and the struck shield counters or does not;
* a tie.

An *arrangement* picks from two decks, every card at most once: pairs (a card of ``a`` and a lower
one of ``b``), chains (such a pair and a shield of ``b`` that counters its winner), pairs and chains
of ``b`` likewise, and ties. A :class:`State` counts what an arrangement has of each kind. A
:class:`Sweep` counts the arrangements of two decks for every state, from the aces up. At any rank
it is enough to know the state and how many cards lie below: no card need be promised to anything
above it, because what is not yet used is known by its number. The chance of every outcome is then
one fixed weighted sum of those counts.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from cardlab.cards import Card
from cardlab.games.gpt import clash, counters

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]
Places = NDArray[np.intp]

RANKS = 13
EXACT = 2.0**53
"""Sums of non-negative integers that stay below this are exact in float64."""


class Side(NamedTuple):
    """The cards of one player by what they may become, as bits like those of a deck's mask.

    With random shields every card may be played or be a shield, and both masks are the deck; with
    chosen shields they are apart.
    """

    play: int
    shields: int

    def at(self, rank: int) -> Side:
        """Its cards of one rank (0 to 12): bit 0 is the red one, bit 1 the black one."""
        return Side(self.play >> 2 * rank & 3, self.shields >> 2 * rank & 3)

    def below(self, rank: int) -> Kind:
        """How many cards it has below a rank."""
        return Side(*(mask & (1 << 2 * rank) - 1 for mask in self)).kind

    @property
    def kind(self) -> Kind:
        """How many cards it has."""
        return Kind(self.play.bit_count(), self.shields.bit_count())


class Kind(NamedTuple):
    """How many cards of some may be played, and how many may be shields."""

    play: int
    shields: int

    def more(self, other: Kind) -> Kind:
        """With the others as well."""
        return Kind(self.play + other.play, self.shields + other.shields)

    def less(self, other: Kind) -> Kind:
        """Without the others."""
        return Kind(self.play - other.play, self.shields - other.shields)


class State(NamedTuple):
    """How many of each kind an arrangement has."""

    a_pairs: int
    a_chains: int
    b_pairs: int
    b_chains: int
    ties: int


START = State(0, 0, 0, 0, 0)

OUTCOMES = ("win", "loss", "draw", "knockout_a", "knockout_b")
"""How a game ends for ``a``: it alone has shields left or more of them; the other has; both have
equally many after the last turn; both reach zero in one turn, on ``a``'s attack or on ``b``'s."""

PARTS = (*OUTCOMES, "turns")
"""The rows of :attr:`Sweep.weights`: the chance of every outcome, and the expected length."""


# --------------------------------------------------------------------------- one rank's new cards

_NEW = tuple(Card.parse(text) for text in ("7h", "7s", "7d", "7c"))
"""Four cards of one rank, whichever: red and black of ``a``, red and black of ``b``."""


class Needs(NamedTuple):
    """What cards of a new rank take from the ranks below: unused cards, pairs to be made chains."""

    a_cards: int = 0
    b_cards: int = 0
    a_pairs: int = 0
    b_pairs: int = 0


class Piece(NamedTuple):
    """Something that some cards of a new rank can do together."""

    cards: int  # bits in the order of _NEW
    change: State
    needs: Needs


def _pieces(play: int, shields: int, compare: str) -> Iterator[Piece]:
    """Everything that new cards can do, when ``play`` may be played and ``shields`` be shields.

    A new card beats every card below, is beaten by none of them, and counters every winner below.
    """
    one_pair = (State(1, 0, 0, 0, 0), State(0, 0, 1, 0, 0))
    one_chain = (State(0, 1, 0, 0, 0), State(0, 0, 0, 1, 0))
    upgrade = (State(-1, 1, 0, 0, 0), State(0, 0, -1, 1, 0))
    loser_below = (Needs(b_cards=1), Needs(a_cards=1))
    pair_below = (Needs(a_pairs=1), Needs(b_pairs=1))
    for side, own, other in ((0, (0, 1), (2, 3)), (1, (2, 3), (0, 1))):
        for winner in own:
            if not play >> winner & 1:
                continue
            pairs = [(1 << winner, loser_below[side])]
            for loser in other:
                if play >> loser & 1 and clash(_NEW[winner], _NEW[loser]) == 0:
                    pairs.append((1 << winner | 1 << loser, Needs()))
            for cards, needs in pairs:
                yield Piece(cards, one_pair[side], needs)
                for shield in other:
                    free = shields >> shield & ~cards >> shield & 1
                    if free and counters(_NEW[shield], _NEW[winner], compare):
                        yield Piece(cards | 1 << shield, one_chain[side], needs)
        for shield in other:
            if shields >> shield & 1:
                yield Piece(1 << shield, upgrade[side], pair_below[side])
    for red_or_black in (0b0101, 0b1010):
        if play & red_or_black == red_or_black:
            yield Piece(red_or_black, State(0, 0, 0, 0, 1), Needs())


def _doings(play: int, shields: int, compare: str) -> Mapping[tuple[State, Needs], int]:
    """In how many ways new cards can do several things at once, each card at most one."""
    ways: dict[tuple[State, Needs], int] = defaultdict(int)
    pieces = list(_pieces(play, shields, compare))

    def choose(first: int, cards: int, change: State, needs: Needs) -> None:
        ways[change, needs] += 1
        for place in range(first, len(pieces)):
            piece = pieces[place]
            if not piece.cards & cards:
                choose(
                    place + 1,
                    cards | piece.cards,
                    State(*map(sum, zip(change, piece.change, strict=True))),
                    Needs(*map(sum, zip(needs, piece.needs, strict=True))),
                )

    choose(0, 0, START, Needs())
    return ways


# -------------------------------------------------------------------------------- the last weights


def _endings(turns: int, n_shields: int) -> dict[str, dict[State, int]]:
    """In how many orders given turns make a whole game, for every part.

    Here a state counts turns by their kind: ``a_pairs`` those that ``a`` wins without a counter,
    ``a_chains`` those with one. For ``"turns"`` every order counts as often as it has turns.
    """
    ends: dict[str, dict[State, int]] = {part: defaultdict(int) for part in PARTS}

    def end(part: str, state: State, orders: int) -> None:
        ends[part][state] += orders
        ends["turns"][state] += orders * sum(state)

    for state in _live(turns, n_shields):
        orders = math.factorial(sum(state)) // math.prod(map(math.factorial, state))
        a_lost, b_lost = _lost(state)
        if sum(state) == turns:
            end("win" if a_lost < b_lost else "loss" if b_lost < a_lost else "draw", state, orders)
            continue
        for kind in range(4):
            last = State(*(number + (place == kind) for place, number in enumerate(state)))
            a_out, b_out = (lost == n_shields for lost in _lost(last))
            if a_out and b_out:
                end("knockout_a" if kind == 1 else "knockout_b", last, orders)
            elif a_out or b_out:
                end("loss" if a_out else "win", last, orders)
    return ends


def _lost(state: State) -> tuple[int, int]:
    """How many shields the turns have cost ``a`` and ``b``."""
    both = state.a_chains + state.b_chains
    return state.b_pairs + both, state.a_pairs + both


def _live(turns: int, n_shields: int) -> Iterator[State]:
    """The turns after which both still have shields."""
    for both in range(n_shields):
        for a_chains in range(both + 1):
            for a_pairs in range(n_shields - both):
                for b_pairs in range(n_shields - both):
                    for ties in range(turns - both - a_pairs - b_pairs + 1):
                        yield State(a_pairs, a_chains, b_pairs, both - a_chains, ties)


def _opened(orders: Mapping[State, int]) -> dict[State, int]:
    """The same sum written for pairs whose struck shield may be anything.

    A win without a counter is a win less a win with one (inclusion and exclusion).
    """
    for pairs, chains in ((0, 1), (2, 3)):
        opened: dict[State, int] = defaultdict(int)
        for state, number in orders.items():
            for countered in range(state[pairs] + 1):
                moved = list(state)
                moved[pairs] -= countered
                moved[chains] += countered
                opened[State(*moved)] += (
                    (-1) ** countered * math.comb(state[pairs], countered) * number
                )
        orders = opened
    return {state: number for state, number in orders.items() if number}


# ---------------------------------------------------------------------------------------- the sweep


class _Pattern(NamedTuple):
    """The moves from state to state that one rank's cards allow, sorted by the state they leave."""

    starts: Ints  # the moves that leave state s are starts[s] to starts[s + 1]
    source: Ints
    target: Ints
    ways: Floats  # without the choice of unused cards, which depends on how many lie below
    a_cards: Places  # places in _CHOICES, less the number of a's cards below
    b_cards: Places


_WIDTH = 64
_CHOICES: Floats = np.array(
    [
        [math.perm(free, taken) if free >= 0 else 0 for free in range(-_WIDTH // 2, _WIDTH // 2)]
        for taken in range(5)
    ],
    dtype=np.float64,
).ravel()
"""Ways to take some of the free cards, in order: row ``taken``, column ``free + _WIDTH // 2``."""


class Sweep:
    """Counts arrangements for decks of one size under one reading of the rules.

    Get it from :func:`sweep`, which remembers it.

    Attributes
    ----------
    states
        All states that matter, by the number of cards they use; ``(n, 5)`` integers.
    weights
        The chance of each of :data:`PARTS` is its row times the numbers of arrangements, divided by
        ``denominator``: ``(6, n)`` Python integers.
    denominator
        What to divide by.
    """

    def __init__(self, size: int, n_shields: int, chosen: bool, counter_compare: str) -> None:
        self.size = size
        self.n_shields = n_shields
        self.chosen = chosen
        self.counter_compare = counter_compare
        turns = size - n_shields
        states = np.array(list(_all_states(turns, n_shields)))
        used_a, used_b = self._used(states)
        order = np.argsort(used_a + used_b, kind="stable")
        self.states = states[order]
        self.used_a, self.used_b = used_a[order], used_b[order]
        total = self.used_a + self.used_b
        # How many states, from the first, use no more than so many cards of both together.
        self._reach = np.searchsorted(total, np.arange(2 * size + 1), side="right").tolist()
        # A rank changes no count by more than two: two more rows on every axis, never filled, catch
        # the moves that lead out of the states, also those below zero, which index from the end.
        self._place = np.full(self.states.max(axis=0) + 3, -1)
        self._place[tuple(self.states.T)] = np.arange(len(states))
        self._patterns: dict[tuple[Side, Side], _Pattern] = {}
        self._within: dict[tuple[Kind, Kind], Places] = {}
        self._step = lru_cache(maxsize=2048)(self._new_step)
        self.denominator, self.weights = self._last_weights(turns)
        self._weighted = np.flatnonzero((self.weights != 0).any(axis=0))

    def __len__(self) -> int:
        return len(self.states)

    def _used(self, states: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """How many of the cards that may be played an arrangement uses, for ``a`` and ``b``."""
        played = states.sum(axis=1)
        if self.chosen:
            return played, played
        return played + states[:, 3], played + states[:, 1]

    def _last_weights(self, turns: int) -> tuple[int, NDArray[Any]]:
        """The common denominator, and for each part and state an integer above it."""
        factorial = math.factorial
        place = {tuple(state): i for i, state in enumerate(self.states.tolist())}
        weights = np.zeros((len(PARTS), len(self)), dtype=object)
        for row, part in zip(weights, _endings(turns, self.n_shields).values(), strict=True):
            for state, orders in _opened(part).items():
                played = sum(state)
                if self.chosen:
                    left = [turns - played] * 2
                    left += [self.n_shields - state.a_chains, self.n_shields - state.b_chains]
                else:
                    left = [
                        self.size - played - state.a_chains,
                        self.size - played - state.b_chains,
                    ]
                row[place[state]] = orders * math.prod(map(factorial, (*state, *left)))
        if self.chosen:
            return (factorial(turns) * factorial(self.n_shields)) ** 2, weights
        return factorial(self.size) ** 2, weights

    def rounding(self, opponents: int = 1) -> float:
        """A bound of the relative error of a weighted sum of arrangements in float64.

        It is relative to the sum of the absolute values, for a mixture of so many opponents. At
        each rank a number passes one product and a sum of at most as many terms as there are moves,
        then one product and sums over all states and opponents; each operation adds at most half a
        unit in the last place.
        """
        moves = len(_doings(0b1111, 0b1111, self.counter_compare))
        operations = RANKS * (moves + 2) + opponents * (len(self) + 2) + 16
        return 1.01 * operations * 2.0**-53

    # One rank.

    def _pattern(self, a: Side, b: Side) -> _Pattern:
        """The moves for one rank's cards."""
        if (a, b) in self._patterns:
            return self._patterns[a, b]
        moves = []
        doings = _doings(a.play | b.play << 2, a.shields | b.shields << 2, self.counter_compare)
        for (change, needs), number in doings.items():
            target = self._place[tuple((self.states + change).T)]
            ways = number * _perm(self.states[:, 0], needs.a_pairs)
            ways *= _perm(self.states[:, 2], needs.b_pairs)
            source = np.flatnonzero((target >= 0) & (ways > 0))
            middle = _WIDTH // 2
            moves.append(
                (
                    source,
                    target[source],
                    ways[source],
                    _WIDTH * needs.a_cards + middle - self.used_a[source],
                    _WIDTH * needs.b_cards + middle - self.used_b[source],
                )
            )
        source, target, ways, a_cards, b_cards = map(np.concatenate, zip(*moves, strict=True))
        order = np.lexsort((target, source))
        starts = np.searchsorted(source[order], np.arange(len(self) + 1))
        pattern = _Pattern(
            starts.astype(np.int32),
            source[order].astype(np.int32),
            target[order].astype(np.int32),
            ways[order].astype(np.float64),
            a_cards[order],
            b_cards[order],
        )
        self._patterns[a, b] = pattern
        return pattern

    def within(self, a: Kind, b: Kind) -> Places:
        """The places of the states that arrangements of so many cards can have."""
        if (a, b) not in self._within:
            possible = (self.used_a <= a.play) & (self.used_b <= b.play)
            possible &= (self.states[:, 1] <= b.shields) & (self.states[:, 3] <= a.shields)
            self._within[a, b] = np.flatnonzero(possible)
        return self._within[a, b]

    def _moves(self, a: Side, b: Side, a_below: int, b_below: int) -> tuple[_Pattern, Floats]:
        """The moves from states that use no more cards than there are; in how many ways each goes.

        It may go in no way, when one side has too few cards.
        """
        starts, source, target, ways, a_cards, b_cards = self._pattern(a, b)
        end = starts[self._reach[a_below + b_below]]
        pattern = _Pattern(starts, source[:end], target[:end], ways[:end], a_cards, b_cards)
        a_ways = _CHOICES[a_cards[:end] + a_below]
        return pattern, pattern.ways * a_ways * _CHOICES[b_cards[:end] + b_below]

    def step(self, a: Side, b: Side, a_below: Kind, b_below: Kind) -> scipy.sparse.csc_array:
        """The matrix that takes the numbers of arrangements past one rank.

        Parameters
        ----------
        a, b
            The cards of that rank, from :meth:`Side.at`.
        a_below, b_below
            How many cards each side has below it.

        Returns a float64 matrix with a column for each state :meth:`within` the cards below, and a
        row for each within these and the new ones. Different opponents take many of the same steps,
        so the last ones are remembered.
        """
        return self._step(a, b, a_below, b_below)

    def _new_step(self, a: Side, b: Side, a_below: Kind, b_below: Kind) -> scipy.sparse.csc_array:
        moves, counts = self._moves(a, b, a_below.play, b_below.play)
        before = self.within(a_below, b_below)
        after = self.within(a_below.more(a.kind), b_below.more(b.kind))
        column, row = (np.full(len(self), -1, np.int32) for _ in range(2))
        column[before] = np.arange(len(before))
        row[after] = np.arange(len(after))
        rows, columns = row[moves.target], column[moves.source]
        there = np.flatnonzero((counts > 0) & (rows >= 0) & (columns >= 0))
        starts = np.searchsorted(columns[there], np.arange(len(before) + 1)).astype(np.int32)
        return scipy.sparse.csc_array(
            (counts[there], rows[there], starts), shape=(len(after), len(before))
        )

    # Two decks.

    def arrangements(self, a: Side, b: Side) -> list[int]:
        """The number of arrangements of two decks in each of :attr:`states`."""
        numbers = self._arrangements(a, b, np.float64)
        # No number ever falls from one rank to the next, so the last ones bound all of them.
        if numbers.max() >= EXACT:
            numbers = self._arrangements(a, b, object)
        return [int(number) for number in numbers.tolist()]

    def _arrangements(self, a: Side, b: Side, dtype: Any) -> NDArray[Any]:
        numbers = np.zeros(len(self), dtype)
        numbers[0] = 1
        a_below = b_below = 0
        for rank in range(RANKS):
            a_new, b_new = a.at(rank), b.at(rank)
            if not any((*a_new, *b_new)):
                continue
            moves, counts = self._moves(a_new, b_new, a_below, b_below)
            a_below += a_new.play.bit_count()
            b_below += b_new.play.bit_count()
            if dtype is object:
                whole = counts.astype(np.int64).astype(object)
                before, numbers = numbers, np.zeros(len(self), object)
                np.add.at(numbers, moves.target, whole * before[moves.source])
            else:
                numbers = np.bincount(moves.target, counts * numbers[moves.source], len(self))
        return numbers

    def parts(self, a: Side, b: Side) -> dict[str, int]:
        """The chances of :data:`OUTCOMES` and the expected ``turns``, times :attr:`denominator`."""
        numbers = self.arrangements(a, b)
        there = [i for i in self._weighted.tolist() if numbers[i]]
        column = np.array([numbers[i] for i in there], dtype=object)
        return dict(zip(PARTS, (self.weights[:, there] @ column).tolist(), strict=True))


def _all_states(turns: int, n_shields: int) -> Iterator[State]:
    """Every state that a weight or an arrangement on the way to one can have."""
    for a_wins in range(n_shields + 1):
        for b_wins in range(n_shields + (a_wins < n_shields)):
            for a_chains in range(a_wins + 1):
                for b_chains in range(b_wins + 1):
                    for ties in range(turns - a_wins - b_wins + 1):
                        yield State(a_wins - a_chains, a_chains, b_wins - b_chains, b_chains, ties)


def _perm(free: NDArray[Any], taken: int) -> NDArray[Any]:
    """Ways to take ``taken`` of ``free`` things, in order."""
    ways = np.ones_like(free)
    for fewer in range(taken):
        ways = ways * np.maximum(free - fewer, 0)
    return ways


@lru_cache(maxsize=16)
def sweep(
    size: int, n_shields: int, chosen: bool = False, counter_compare: str = "strict_number"
) -> Sweep:
    """The :class:`Sweep` for decks of ``size`` cards with ``n_shields`` shields."""
    return Sweep(size, n_shields, chosen, counter_compare)
