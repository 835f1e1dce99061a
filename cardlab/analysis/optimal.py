"""Optimal play of a small GPT: deck and cards together, solved to any accuracy.

The small game has a few ranks only, decks of five cards, two shields each, which are dealt, and a
hand of two. It is played like GPT in every other respect: both players choose a deck in secret,
then there are three turns. A player decides three times: the deck, the first card and the second;
the third card is the last one. The shields that are struck cannot be told apart, so naming them is
no decision.

:class:`SmallGame` is this game in sequence form (von Stengel 1996): the chance that a player plays
a sequence of choices, and the payoff of each pair of sequences. :meth:`SmallGame.solve` finds an
optimal strategy by predictive regret matching (PCFR+: Farina, Kroer, Sandholm 2021). How good it
is does not rest on the method: :meth:`SmallGame.exploit` computes exactly what the best of all
decks with the best of all plays wins against it, and the value of the game is 0 by symmetry.

>>> game = SmallGame(ranks=3, cap=9)
>>> [str(deck) for deck in game.decks]
['22r0000000000', '22b0000000000']
>>> solution = game.solve(accuracy=1e-3)
>>> solution.strategy.deck.round(2).tolist(), solution.exploitability < 1e-3
([0.0, 1.0], True)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, permutations
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from cardlab.games.gpt_deck import Deck

__all__ = ["HAND", "SHIELDS", "SIZE", "Behaviour", "SmallGame", "Solution"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

SIZE, SHIELDS, HAND = 5, 2, 2
_NONE = 8
_ORDERS = [order for order in permutations(range(SIZE)) if order[SHIELDS] < order[SHIELDS + 1]]
"""The deals of a deck: its shields in the order in which they fall, the hand, the stock."""

_READINGS = ("attacker_wins", "draw", "counter_player_wins")


@njit(cache=True)
def _leaves(a: Any, b: Any, orders: Any, knockout: int, keys: Any, payoffs: Any) -> None:
    """All ways in which a game between two decks can go.

    ``a`` and ``b`` hold the cards of the decks as places in the order of strength. Fills in what
    either player has seen and done when it has chosen its second card, as a number, and what the
    first player wins (1, 0, -1).
    """
    leaf = 0
    cards = np.empty((2, 5), np.int64)
    played = np.empty((2, 3), np.int64)
    lost = np.empty((2, 2), np.int64)
    for first in range(len(orders)):
        for second in range(len(orders)):
            for i in range(5):
                cards[0, i] = a[orders[first, i]]
                cards[1, i] = b[orders[second, i]]
            for choices in range(16):
                for seat in range(2):
                    # The hand is the places 2 and 3, the stock 4. The first choice is which card
                    # of the hand is played, the second whether the one that was drawn is.
                    one, two = choices >> seat & 1, choices >> (2 + seat) & 1
                    played[seat, 0] = cards[seat, 2 + one]
                    played[seat, 1] = cards[seat, 4] if two else cards[seat, 3 - one]
                    played[seat, 2] = cards[seat, 3 - one] if two else cards[seat, 4]
                lost[:] = 8
                gone_a = gone_b = 0
                payoff, over = 0, False
                for turn in range(3):
                    x, y = played[0, turn], played[1, turn]
                    attacker = 0
                    if x > y:
                        shield = cards[1, gone_b]
                        gone_b += 1
                        if turn == 0:
                            lost[1, 0] = shield
                        if shield >> 1 > x >> 1:
                            if turn == 0:
                                lost[0, 0] = cards[0, gone_a]
                            gone_a += 1
                    elif y > x:
                        attacker = 1
                        shield = cards[0, gone_a]
                        gone_a += 1
                        if turn == 0:
                            lost[0, 0] = shield
                        if shield >> 1 > y >> 1:
                            if turn == 0:
                                lost[1, 0] = cards[1, gone_b]
                            gone_b += 1
                    if gone_a == 2 or gone_b == 2:
                        over = True
                        if gone_a < 2:
                            payoff = 1
                        elif gone_b < 2:
                            payoff = -1
                        elif knockout != 1:
                            payoff = 1 if (attacker == 0) == (knockout == 0) else -1
                        break
                if not over:
                    payoff = 1 if gone_a < gone_b else -1 if gone_a > gone_b else 0
                payoffs[leaf] = payoff
                for seat in range(2):
                    low = cards[seat, 2] * 9 + cards[seat, 3]
                    key = low * 2 + (choices >> seat & 1)
                    key = key * 9 + played[1 - seat, 0]
                    key = key * 9 + lost[seat, 0]
                    key = key * 9 + lost[1 - seat, 0]
                    key = key * 9 + cards[seat, 4]
                    keys[seat, leaf] = key * 2 + (choices >> (2 + seat) & 1)
                leaf += 1


class _Half(NamedTuple):
    """The choices of one deck: a row for each second choice, in pairs.

    ``keys`` are what :func:`_leaves` numbers them by, ``first`` is the first choice that each pair
    follows: two for each of the ten hands.
    """

    keys: Integers
    first: Integers


@dataclass(frozen=True)
class Behaviour:
    """How a player plays: chances of each choice.

    Attributes
    ----------
    deck
        Of each deck, ``(decks,)``.
    first
        Of the lower and the higher card of each of the ten hands of a deck, ``(decks * 10, 2)``.
    second
        Of the card that is left and of the one that was drawn, in each situation, ``(n, 2)``.
    """

    deck: Floats
    first: Floats
    second: Floats


@dataclass(frozen=True)
class Solution:
    """An optimal strategy.

    Attributes
    ----------
    strategy
        How to play.
    exploitability
        What the best of all replies wins against it on average.
    iterations
        How many it took.
    """

    strategy: Behaviour
    exploitability: float
    iterations: int


class SmallGame:
    """The small game.

    Parameters
    ----------
    ranks
        The cards are those of the numbers 1 to ``ranks``, up to 4, of both colours.
    cap
        What the numbers of a deck may sum to (G4).
    double_knockout
        The reading of G17.
    decks
        The decks that may be chosen, if not all that are legal.
    """

    def __init__(
        self,
        ranks: int = 4,
        cap: int = 12,
        double_knockout: str = "attacker_wins",
        decks: Sequence[Deck] | None = None,
    ) -> None:
        legal = [
            deck
            for bits in combinations(range(2 * ranks), SIZE)
            if (deck := Deck(sum(1 << bit for bit in bits))).sum <= cap
        ]
        self.decks = tuple(legal if decks is None else decks)
        self.double_knockout = double_knockout
        self._knockout = _READINGS.index(double_knockout)
        self._places = np.array(
            [[bit for bit in range(8) if deck.mask >> bit & 1] for deck in self.decks]
        )

    # The game in sequence form.

    def _pair(self, i: int, j: int) -> tuple[Integers, NDArray[np.int8]]:
        orders = np.array(_ORDERS)
        n = 16 * len(orders) ** 2
        keys, payoffs = np.empty((2, n), np.int64), np.empty(n, np.int8)
        _leaves(self._places[i], self._places[j], orders, self._knockout, keys, payoffs)
        return keys, payoffs

    @cached_property
    def _halves(self) -> list[_Half]:
        """The second choices of every deck."""
        halves = []
        for i, places in enumerate(self._places.tolist()):
            seen = [np.unique(self._pair(i, j)[0][0] >> 1) for j in range(len(self.decks))]
            pairs = np.unique(np.concatenate(seen))
            hands = {
                low * 9 + high: number
                for number, (low, high) in enumerate(combinations(places, HAND))
            }
            before = pairs // 9**4
            first = np.array([2 * hands[key // 2] + key % 2 for key in before.tolist()])
            keys = (pairs[:, None] * 2 + np.arange(2)).ravel()
            halves.append(_Half(keys, first + 20 * i))
        return halves

    @cached_property
    def starts(self) -> Integers:
        """The place of the first second choice of each deck, and their number."""
        return np.cumsum([0, *(len(half.keys) for half in self._halves)])

    @cached_property
    def _first_of(self) -> Integers:
        """The first choice that each situation before the second one follows."""
        return np.concatenate([half.first for half in self._halves])

    @cached_property
    def payoffs(self) -> Any:
        """What the first player wins for each pair of second choices, times the chance of the deal.

        A sparse matrix (scipy, CSR), antisymmetric.
        """
        from scipy.sparse import coo_array

        n = int(self.starts[-1])
        deals = float(len(_ORDERS) ** 2)
        rows, columns, values = [], [], []
        for i in range(len(self.decks)):
            for j in range(i, len(self.decks)):
                (mine, theirs), payoffs = self._pair(i, j)
                row = np.searchsorted(self._halves[i].keys, mine)
                column = np.searchsorted(self._halves[j].keys, theirs)
                shape = len(self._halves[i].keys), len(self._halves[j].keys)
                block = coo_array((payoffs / deals, (row, column)), shape).tocsr()
                block.eliminate_zeros()
                block = block.tocoo()
                rows.append(block.row + self.starts[i])
                columns.append(block.col + self.starts[j])
                values.append(block.data)
                if i != j:
                    rows.append(columns[-1])
                    columns.append(rows[-2])
                    values.append(-block.data)
        place = np.concatenate(rows), np.concatenate(columns)
        return coo_array((np.concatenate(values), place), (n, n)).tocsr()

    # Strategies.

    def at_random(self, decks: Floats) -> Behaviour:
        """Decks with these chances, and every card with the same chance."""
        return Behaviour(
            np.asarray(decks, np.float64),
            np.full((10 * len(self.decks), 2), 0.5),
            np.full((len(self._first_of), 2), 0.5),
        )

    def chances(self, strategy: Behaviour) -> Floats:
        """How likely each second choice is, as far as the player decides."""
        first = np.repeat(strategy.deck, 20) * strategy.first.ravel()
        return (first[self._first_of][:, None] * strategy.second).ravel()

    def worth(self, strategy: Behaviour) -> Floats:
        """What each second choice wins against a strategy, as far as the player decides."""
        worth: Floats = self.payoffs @ self.chances(strategy)
        return worth

    def value(self, mine: Behaviour, theirs: Behaviour) -> float:
        """What a strategy wins against another on average."""
        return float(self.chances(mine) @ self.worth(theirs))

    def replies(self, strategy: Behaviour) -> Floats:
        """What the best play with each deck wins against a strategy: ``(decks,)``."""
        second = self.worth(strategy).reshape(-1, 2).max(axis=1)
        first = np.bincount(self._first_of, second, 20 * len(self.decks)).reshape(-1, 2)
        best: Floats = first.max(axis=1).reshape(-1, 10).sum(axis=1)
        return best

    def exploit(self, strategy: Behaviour) -> float:
        """What the best deck with the best play wins against a strategy."""
        return float(self.replies(strategy).max())

    # Solving.

    def solve(
        self,
        accuracy: float = 1e-4,
        most: int = 20_000,
        decks: Floats | None = None,
    ) -> Solution:
        """An optimal strategy, by regret matching of both players.

        Parameters
        ----------
        accuracy
            How much a reply may win on average beyond the value of the game.
        most
            The most iterations.
        decks
            Chances with which the player has to choose its decks, if it may not choose them
            itself. The other player may.

        Without ``decks`` the game is symmetric, and one player stands for both.
        """
        mine = _Learner(self, decks)
        other = mine if decks is None else _Learner(self, None)
        for iteration in range(1, most + 1):
            strategy, reply = mine.strategy(), other.strategy()
            worth = self.worth(reply)
            if other is not mine:
                other.learn(self.worth(strategy), iteration)
            mine.learn(worth, iteration)
            if iteration % 50 == 0 or iteration == most:
                average = mine.average()
                exploited = self.exploit(average)
                # What the other's average strategy grants is the other bound of the value.
                granted = 0.0 if decks is None else -float(decks @ self.replies(other.average()))
                if exploited - granted <= accuracy:
                    break
        return Solution(average, exploited, iteration)


class _Learner:
    """A player who regrets: what it would have won by each choice, less what it did win."""

    def __init__(self, game: SmallGame, decks: Floats | None) -> None:
        self.game = game
        self.fixed = decks
        n = len(game.decks)
        self.regrets = [np.zeros((1, n)), np.zeros((10 * n, 2)), np.zeros((len(game._first_of), 2))]
        self.expected = [np.zeros_like(regret) for regret in self.regrets]
        self.played = [np.zeros_like(regret) for regret in self.regrets]
        self.now = self._matched()

    def _matched(self) -> Behaviour:
        deck, first, second = (
            _normal(np.maximum(regret + expected, 0))
            for regret, expected in zip(self.regrets, self.expected, strict=True)
        )
        return Behaviour(deck[0] if self.fixed is None else self.fixed, first, second)

    def strategy(self) -> Behaviour:
        """What it plays now."""
        return self.now

    def learn(self, worth: Floats, iteration: int) -> None:
        """Add the regrets of one iteration, and what was played to the average."""
        now, game = self.now, self.game
        n = len(game.decks)
        second = worth.reshape(-1, 2)
        below = np.bincount(game._first_of, (second * now.second).sum(axis=1), 20 * n)
        first = below.reshape(-1, 2)
        deck = (first * now.first).sum(axis=1).reshape(n, 10).sum(axis=1)[None]
        weight = float(iteration) ** 2
        reach = np.repeat(now.deck, 10)[:, None] * now.first
        self.played[0] += weight * now.deck
        self.played[1] += weight * reach
        self.played[2] += weight * game.chances(now).reshape(-1, 2)
        for place, (values, chances) in enumerate(
            ((deck, now.deck[None]), (first, now.first), (second, now.second))
        ):
            regret = values - (values * chances).sum(axis=1, keepdims=True)
            self.regrets[place] = np.maximum(self.regrets[place] + regret, 0)
            self.expected[place] = regret
        self.now = self._matched()

    def average(self) -> Behaviour:
        """The average of all that it has played: what converges to optimal play."""
        deck, first, second = map(_normal, self.played)
        return Behaviour(deck[0], first, second)


def _normal(weights: Floats) -> Floats:
    """Each row as chances; even ones where nothing has weight."""
    total = weights.sum(axis=1, keepdims=True)
    even = np.full_like(weights, 1 / weights.shape[1])
    chances: Floats = np.divide(weights, total, out=even, where=total > 0)
    return chances
