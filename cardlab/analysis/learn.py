"""Playing GPT better than by chance: tables of chances, learned by self-play.

:func:`train` lets a table play against itself. In each game one seat is looked at: before each of
its choices every card is tried once, the game being finished at random by what both play at the
moment, and the table regrets, for that situation, what other cards would have won (regret matching:
Hart, Mas-Colell 2000; Zinkevich and others 2007). The game then goes on with any card of the hand,
so that all situations are met (Li and others 2019). What is learned is the average of what the
table played on the other seat.

:func:`train_reply` does the same against a table that stays as it is: the best reply that the given
abstraction can express, as far as learning finds it. What such a reply wins is a lower bound of
what the table could lose to a perfect opponent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from cardlab.analysis.batch import Look, Policy, _counters, _insert, _row, look_of
from cardlab.bots.gpt_table import CARDS, Abstraction
from cardlab.errors import RulesError
from cardlab.games.gpt import GPTRules
from cardlab.games.gpt_deck import Deck

__all__ = ["train", "train_reply"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

ROUNDS = 40
"""Into so many parts a training is divided; from part to part old regrets lose weight."""

WEIGHT = 255
"""The sum of the weights of a row, at the most."""

_READINGS = ("attacker_wins", "draw", "counter_player_wins")
_COMPARE = ("strict_number", "ge", "number_then_colour")
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def train(
    decks: Mapping[Deck, float],
    games: int,
    seed: int = 0,
    *,
    abstraction: Abstraction | None = None,
    rules: GPTRules | None = None,
    progress: Callable[[int], object] | None = None,
) -> Policy:
    """A policy that has learned by playing against itself.

    Parameters
    ----------
    decks
        The decks that both seats get, with their chances.
    games
        How many games it plays.
    seed
        The same seed gives the same policy.
    abstraction
        The situations that it tells apart.
    rules
        The rules; shields must be dealt (G6).
    progress
        Called after each part with the number of games so far.

    Raises :class:`RulesError` for chosen shields.
    """
    abstraction = abstraction or Abstraction()
    regrets = np.zeros((abstraction.size, CARDS))
    average = np.zeros_like(regrets)
    _learn(decks, decks, games, seed, rules, [abstraction] * 2, regrets, regrets, average, progress)
    return Policy("table", abstraction=abstraction, table=_weights(average))


def train_reply(
    policy: Policy,
    decks: Mapping[Deck, float],
    games: int,
    seed: int = 0,
    *,
    own_decks: Mapping[Deck, float] | None = None,
    abstraction: Abstraction | None = None,
    rules: GPTRules | None = None,
    progress: Callable[[int], object] | None = None,
) -> Policy:
    """A policy that has learned to play against ``policy``, which stays as it is.

    ``policy`` gets ``decks``, the reply gets ``own_decks``, by default the same. Other parameters
    and errors are those of :func:`train`; the policy must be a table.
    """
    if policy.table is None:
        raise RulesError("analysis.error.policy", value=repr(policy.kind), allowed=["table"])
    abstraction = abstraction or Abstraction()
    regrets = np.zeros((abstraction.size, CARDS))
    weights = policy.table.astype(np.float64)
    looks = [abstraction, policy.abstraction]
    _learn(own_decks or decks, decks, games, seed, rules, looks, regrets, weights, None, progress)
    return Policy("table", abstraction=abstraction, table=_greedy(regrets))


def _learn(
    mine: Mapping[Deck, float],
    theirs: Mapping[Deck, float],
    games: int,
    seed: int,
    rules: GPTRules | None,
    abstractions: Sequence[Abstraction],
    regrets: Floats,
    weights: Floats,
    average: Floats | None,
    progress: Callable[[int], object] | None,
) -> None:
    rules = rules or GPTRules()
    if rules.shield_mode != "random":
        raise RulesError("analysis.error.learn_shields")
    numbers = _numbers(rules)
    decks, up_to = _stacked(mine, theirs)
    look = look_of(abstractions)
    bounds = [games * part // ROUNDS for part in range(ROUNDS + 1)]
    for part, (first, stop) in enumerate(pairwise(bounds), start=1):
        # As in linear CFR (Brown, Sandholm 2019): what is early counts less.
        regrets *= (part - 1) / part
        _train(
            numbers,
            decks,
            up_to,
            look,
            regrets,
            weights,
            regrets[:0] if average is None else average,
            float(part),
            np.uint64(seed % 2**64),
            first,
            stop,
        )
        if progress is not None:
            progress(stop)


def _numbers(rules: GPTRules) -> Integers:
    """The rules as the kernel wants them."""
    return np.array(
        [
            rules.deck_size,
            rules.deck_sum_max,
            rules.n_shields,
            rules.hand_size,
            _COMPARE.index(rules.counter_compare),
            _READINGS.index(rules.double_knockout),
        ]
    )


def _stacked(mine: Mapping[Deck, float], theirs: Mapping[Deck, float]) -> tuple[Integers, Floats]:
    """The decks of both seats and their cumulated chances, filled up to one length."""
    longest = max(len(mine), len(theirs))
    size = next(iter(mine)).size
    decks, up_to = np.zeros((2, longest, size), np.int64), np.ones((2, longest))
    for seat, mixture in enumerate((mine, theirs)):
        chances = np.array([float(chance) for chance in mixture.values()])
        up_to[seat, : len(mixture)] = np.cumsum(chances) / chances.sum()
        for row, deck in zip(decks[seat], mixture, strict=False):
            row[:] = [bit for bit in range(26) if deck.mask >> bit & 1]
    return decks, up_to


def _weights(average: Floats) -> NDArray[np.uint16]:
    """Chances as small whole numbers; nothing where nothing was played."""
    total = average.sum(axis=1, keepdims=True)
    chances = np.divide(average, total, out=np.zeros_like(average), where=total > 0)
    weights = np.rint(chances * WEIGHT)
    # What is hardly ever played is an echo of the beginning.
    weights[weights < WEIGHT // 50] = 0
    small: NDArray[np.uint16] = weights.astype(np.uint16)
    return small


def _greedy(regrets: Floats) -> NDArray[np.uint16]:
    best = np.zeros(regrets.shape, np.uint16)
    seen = regrets.any(axis=1)
    best[seen, regrets[seen].argmax(axis=1)] = 1
    return best


# ------------------------------------------------------------------------------------------ kernel


@njit(cache=True)
def _uniform(chance: Any) -> Any:
    """A number from 0 to 1; SplitMix64 (Steele, Lea, Flood 2014)."""
    chance[0] += _GOLDEN
    z = chance[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z ^= z >> np.uint64(31)
    return np.float64(z >> np.uint64(11)) * 2.0**-53


@njit(cache=True)
def _matched(weights: Any, row: int, held: int, sigma: Any) -> None:
    """The chances of the considered cards: their positive weights, or even ones."""
    least = CARDS - held if held < CARDS else 0
    total = 0.0
    for slot in range(CARDS):
        sigma[slot] = max(weights[row, slot], 0.0) if slot >= least else 0.0
        total += sigma[slot]
    for slot in range(least, CARDS):
        sigma[slot] = sigma[slot] / total if total > 0 else 1.0 / (CARDS - least)


@njit(cache=True)
def _place(slot: int, held: int) -> int:
    """The place in the hand of the lowest, middle or highest card."""
    if slot == CARDS - 1:
        return held - 1
    if held >= CARDS:
        return 0 if slot == 0 else held // 2
    return slot - (CARDS - held)


@njit(cache=True)
def _drawn(sigma: Any, chance: Any) -> int:
    left = _uniform(chance)
    for slot in range(CARDS - 1):
        left -= sigma[slot]
        if left < 0:
            return slot
    return CARDS - 1


@njit(cache=True)
def _situation(seat: int, numbers: Any, hands: Any, counts: Any, look: Look) -> Any:
    turns = counts[5, 0] + numbers[0] - counts[5, 1]
    return _row(
        seat,
        hands,
        counts[5, 0],
        turns,
        counts[0],
        counts[1],
        counts[2],
        counts[3],
        counts[4],
        look,
    )


@njit(cache=True)
def _turn(numbers: Any, orders: Any, hands: Any, counts: Any, first: int, second: int) -> int:
    """Both seats play the cards at these places. Returns 2 while the game goes on, else who won.

    The rows of ``counts`` are, for both seats: shields left, cards that the other has not seen and
    what they sum to at the most, hidden own cards and their sum; the last holds how many cards are
    in a hand and how many of a deck have been dealt.
    """
    size, compare, knockout = numbers[0], numbers[4], numbers[5]
    held = counts[5, 0] - 1
    a, b = hands[0, first], hands[1, second]
    for seat in range(2):
        place = first if seat == 0 else second
        card = hands[seat, place]
        for i in range(place, held):
            hands[seat, i] = hands[seat, i + 1]
        counts[1, seat] -= 1
        counts[2, seat] -= (card >> 1) + 1
    if a != b:
        attacker = 0 if a > b else 1
        shield = 0
        for blow in range(2):
            owner = attacker if blow else 1 - attacker
            if blow and not _counters(shield, max(a, b), compare):
                break
            # Shields fall in the order of the deal: they cannot be told apart.
            fallen = orders[owner, numbers[2] - counts[0, owner]]
            if not blow:
                shield = fallen
            rank = (fallen >> 1) + 1
            counts[0, owner] -= 1
            counts[1, owner] -= 1
            counts[2, owner] -= rank
            counts[3, owner] -= 1
            counts[4, owner] -= rank
        if counts[0, 0] == 0 or counts[0, 1] == 0:
            if counts[0, 0] != counts[0, 1]:
                return 1 if counts[0, 0] > 0 else -1
            if knockout == 1:
                return 0
            return 1 if (attacker == 0) == (knockout == 0) else -1
    top = counts[5, 1]
    if top < size:
        for seat in range(2):
            card = orders[seat, top]
            _insert(hands, seat, held, card)
            counts[3, seat] -= 1
            counts[4, seat] -= (card >> 1) + 1
        counts[5, 1] = top + 1
        held += 1
    counts[5, 0] = held
    if held > 0:
        return 2
    if counts[0, 0] == counts[0, 1]:
        return 0
    return 1 if counts[0, 0] > counts[0, 1] else -1


@njit(cache=True)
def _deal(
    numbers: Any, decks: Any, up_to: Any, orders: Any, hands: Any, counts: Any, chance: Any
) -> None:
    size = numbers[0]
    for seat in range(2):
        drawn = _uniform(chance)
        deck = 0
        while deck < decks.shape[1] - 1 and up_to[seat, deck] <= drawn:
            deck += 1
        for place in range(size):
            orders[seat, place] = decks[seat, deck, place]
        for last in range(size - 1, 0, -1):
            other = int(_uniform(chance) * (last + 1))
            orders[seat, last], orders[seat, other] = orders[seat, other], orders[seat, last]
    _start(numbers, orders, hands, counts)


@njit(cache=True)
def _start(numbers: Any, orders: Any, hands: Any, counts: Any) -> None:
    """The first hands, and what is hidden, from decks in order: shields, hand, stock."""
    size, n_shields, hand_size = numbers[0], numbers[2], numbers[3]
    for seat in range(2):
        counts[0, seat] = n_shields
        counts[1, seat], counts[2, seat] = size, numbers[1]
        counts[3, seat], counts[4, seat] = size - hand_size, 0
        for place in range(size):
            if n_shields <= place < n_shields + hand_size:
                _insert(hands, seat, place - n_shields, orders[seat, place])
            else:
                counts[4, seat] += (orders[seat, place] >> 1) + 1
    counts[5, 0], counts[5, 1] = hand_size, n_shields + hand_size


@njit(cache=True)
def _copy(table: Any, into: Any) -> None:
    """What ``into[:] = table`` does, which takes numba as long to compile as all the rest."""
    for i in range(table.shape[0]):
        for j in range(table.shape[1]):
            into[i, j] = table[i, j]


@njit(cache=True)
def _choice(
    seat: int,
    numbers: Any,
    hands: Any,
    counts: Any,
    look: Look,
    weights: Any,
    sigma: Any,
    chance: Any,
) -> int:
    """The place of the card that a seat plays by its weights."""
    held = counts[5, 0]
    if held == 1:
        return 0
    _matched(weights, _situation(seat, numbers, hands, counts, look), held, sigma)
    return _place(_drawn(sigma, chance), held)


@njit(cache=True)
def _finish(
    numbers: Any,
    orders: Any,
    hands: Any,
    counts: Any,
    look: Look,
    mine: Any,
    theirs: Any,
    sigma: Any,
    chance: Any,
) -> int:
    """Play on to the end; who won."""
    result = 2
    while result == 2:
        first = _choice(0, numbers, hands, counts, look, mine, sigma, chance)
        second = _choice(1, numbers, hands, counts, look, theirs, sigma, chance)
        result = _turn(numbers, orders, hands, counts, first, second)
    return result


@njit(cache=True)
def _train(
    numbers: Any,
    decks: Any,
    up_to: Any,
    look: Look,
    regrets: Any,
    weights: Any,
    average: Any,
    weight: float,
    seed: Any,
    start: int,
    stop: int,
) -> None:
    """Play games: seat 0 learns; ``average`` sums up what seat 1 plays, unless it is empty."""
    size, hand_size = numbers[0], numbers[3]
    orders = np.empty((2, size), np.int64)
    hands, trial = np.empty((2, hand_size), np.int64), np.empty((2, hand_size), np.int64)
    counts, tried = np.empty((6, 2), np.int64), np.empty((6, 2), np.int64)
    sigma, sigma2 = np.empty(CARDS), np.empty(CARDS)
    values = np.empty(CARDS)
    chance = np.empty(1, np.uint64)
    for game in range(start, stop):
        # Far apart starting points of one long sequence.
        chance[0] = seed
        _uniform(chance)
        chance[0] = (chance[0] ^ np.uint64(game)) * np.uint64(0xD1342543DE82EF95)
        _uniform(chance)
        _deal(numbers, decks, up_to, orders, hands, counts, chance)
        result = 2
        while result == 2:
            held = counts[5, 0]
            second = 0
            if held > 1:
                row = _situation(1, numbers, hands, counts, look)
                _matched(weights, row, held, sigma)
                if len(average) > 0:
                    for slot in range(CARDS):
                        average[row, slot] += weight * sigma[slot]
                second = _place(_drawn(sigma, chance), held)
            first = 0
            if held > 1:
                row = _situation(0, numbers, hands, counts, look)
                _matched(regrets, row, held, sigma)
                least = CARDS - held if held < CARDS else 0
                mean = 0.0
                for slot in range(least, CARDS):
                    _copy(hands, trial)
                    _copy(counts, tried)
                    won = _turn(numbers, orders, trial, tried, _place(slot, held), second)
                    if won == 2:
                        won = _finish(
                            numbers, orders, trial, tried, look, regrets, weights, sigma2, chance
                        )
                    values[slot] = won
                    mean += sigma[slot] * won
                for slot in range(least, CARDS):
                    regrets[row, slot] += values[slot] - mean
                slot = least + int(_uniform(chance) * (CARDS - least))
                first = _place(slot, held)
            result = _turn(numbers, orders, hands, counts, first, second)
