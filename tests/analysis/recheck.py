"""Recheck a certificate of optimal GPT decks with nothing of cardlab: only numpy and scipy.

``python tests/analysis/recheck.py FILE ...``

The rules of the game (random play, the reading ``strict_number``) are spelled out once more, the
weights of the outcomes come from a walk through the turns, numbers of arrangements from another
list of what the cards of a rank can do, and all legal strategies from a list of card sets. That the
order of a deck is uniformly random, and what an arrangement is, is proved in ``docs/exact.md``,
sections 1 to 3; nothing else is taken over.

Two bits stand for a rank, red below black, aces lowest. A hand of cards is a pair of masks: those
that may be played, and those that may be shields. Where shields are dealt, both are the deck.
"""

import json
import math
import sys
from fractions import Fraction
from functools import cache, reduce
from itertools import product
from operator import or_
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

RANKS = 13
KNOCKOUT = {"attacker_wins": 1, "draw": 0, "counter_player_wins": -1}
"""What the attacker gets when both lose their last shield."""


class Game:
    """One set of rules."""

    def __init__(self, size, cap, shields, chosen, knockout):
        self.size, self.cap, self.shields, self.chosen = size, cap, shields, chosen
        self.turns = size - shields
        self.whole = (self.turns, shields) if chosen else (size, size)
        self.options = CHOSEN if chosen else DEALT
        most = range(shields + 1)
        states = [
            (p, c, q, d, t)
            for p, c, q, d in product(most, most, most, most)
            for t in range(self.turns + 1)
            if p + c <= shields and q + d <= shields and p + c + q + d + t <= self.turns
        ]
        self.states = np.array(states)
        # No rank adds more than two to any number: what lies outside of the states is -1.
        self.index = np.full((shields + 3,) * 4 + (self.turns + 3,), -1)
        self.index[tuple(self.states.T)] = np.arange(len(states))
        played = self.states.sum(axis=1)
        self.used_a = played if chosen else played + self.states[:, 3]
        self.used_b = played if chosen else played + self.states[:, 1]
        ways = outcome_ways(self.turns, shields, knockout)
        weights = [self.weight(state, ways.get(state, 0)) for state in states]
        self.denominator = math.lcm(*(weight.denominator for weight in weights))
        self.numerators = [int(weight * self.denominator) for weight in weights]
        self.weights = np.array([float(weight) for weight in weights])
        # A probability is at most 1, so the absolute terms of a value sum to no more than this.
        self.bound = sum(map(abs, ways.values()))
        self.doings = cache(self.doings)
        self.moves = cache(self.moves)

    def weight(self, state, ways):
        """What one arrangement with these numbers adds to the value."""
        _, c, _, d, _ = state
        played = sum(state)
        if self.chosen:
            orders = math.perm(self.turns, played) ** 2
            orders *= math.perm(self.shields, c) * math.perm(self.shields, d)
        else:
            orders = math.perm(self.size, played + c) * math.perm(self.size, played + d)
        return Fraction(ways * math.prod(map(math.factorial, state)), orders or 1)

    def doings(self, a, b):
        """All that the cards of a rank can do: from which state to which, and in how many ways.

        Each of them is left out (0), strikes back (1), or beats another (2). The ways are those to
        strike back, times those to beat: ``slope * n + level`` for every card, where ``n`` cards to
        beat lie below. There is a slope and a level for the red and the black card of ``a``, which
        beat cards of ``b``, and for those of ``b``.
        """
        found = []
        for w, x, y, z in product(*(roles(side, card) for side in (a, b) for card in (1, 2))):
            p, c, q, d, t = self.states.T
            strike = np.ones(len(p))
            for _ in range((w == 1) + (x == 1)):
                strike, q, d = strike * q, q - 1, d + 1
            for _ in range((y == 1) + (z == 1)):
                strike, p, c = strike * p, p - 1, c + 1
            p, q = p + (w == 2) + (x == 2), q + (y == 2) + (z == 2)
            # A tie is written as both cards being left out, and counted beside that.
            for red in range(2 if a[0] & b[0] & 1 and w == y == 0 else 1):
                for black in range(2 if a[0] & b[0] & 2 and x == z == 0 else 1):
                    target = self.index[p, c, q, d, t + red + black]
                    source = np.flatnonzero((strike > 0) & (target >= 0))
                    free_a, free_b = -self.used_a[source], -self.used_b[source]
                    # A red card left out can be beaten by a black one of its rank.
                    red_a, red_b = (int(side[0] & 1 and not red) for side in (a, b))
                    found.append(
                        (source, target[source], strike[source])
                        + ((1, free_b) if w == 2 else (0, 1))
                        + ((1, free_b - (w == 2) + red_b * (y == 0)) if x == 2 else (0, 1))
                        + ((1, free_a) if y == 2 else (0, 1))
                        + ((1, free_a - (y == 2) + red_a * (w == 0)) if z == 2 else (0, 1))
                    )
        columns = zip(*(np.broadcast_arrays(*columns) for columns in found), strict=True)
        return tuple(map(np.concatenate, columns))

    def moves(self, a, b, n_a, n_b):
        """The same, and the ways, when so many cards that may be played lie below."""
        source, target, ways, *lines = self.doings(a, b)
        for n, slope, level in zip((n_b, n_b, n_a, n_a), lines[::2], lines[1::2], strict=True):
            ways = ways * np.maximum(slope * n + level, 0)
        there = (self.used_a[source] <= n_a) & (self.used_b[source] <= n_b) & (ways > 0)
        return source[there], target[there], ways[there]

    # Two strategies.

    def payoff(self, a, b):
        """What ``a`` wins on average against ``b``, exactly."""
        numbers = np.zeros(len(self.states))
        numbers[0] = 1
        for rank in range(RANKS):
            cards = (cards_at(side, rank) for side in (a, b))
            source, target, ways = self.moves(*cards, below(rank, a), below(rank, b))
            numbers = np.bincount(target, ways * numbers[source], len(self.states))
        assert numbers.max() < 2**53  # so far float64 counts exactly
        pairs = zip(self.numerators, map(int, numbers.tolist()), strict=True)
        return Fraction(sum(weight * number for weight, number in pairs), self.denominator)


def outcome_ways(turns, shields, knockout):
    """The value as a sum over numbers of (pairs, chains) of both players and ties.

    Walks through all games turn by turn. A turn that is won without a counter is counted as one
    that is won, less one that is won with a counter.
    """
    ended = {}
    live = {(0, 0, 0, 0, 0, 0, 0): 1}
    for turn in range(1, turns + 1):
        after = {}
        for (i, j, *counts), ways in live.items():
            for lost_a, lost_b, attacker, kinds in (
                (0, 0, 0, ((4, 1),)),
                (0, 1, 1, ((0, 1), (1, -1))),
                (1, 1, 1, ((1, 1),)),
                (1, 0, -1, ((2, 1), (3, -1))),
                (1, 1, -1, ((3, 1),)),
            ):
                a_lost, b_lost = i + lost_a, j + lost_b
                out_a, out_b = a_lost == shields, b_lost == shields
                if out_a and out_b:
                    value = attacker * knockout
                elif out_a or out_b:
                    value = 1 if out_b else -1
                elif turn == turns:
                    value = (a_lost < b_lost) - (b_lost < a_lost)
                else:
                    value = None
                for kind, sign in kinds:
                    new = list(counts)
                    new[kind] += 1
                    if value is None:
                        key = (a_lost, b_lost, *new)
                        after[key] = after.get(key, 0) + sign * ways
                    else:
                        ended[tuple(new)] = ended.get(tuple(new), 0) + sign * ways * value
        live = after
    return ended


def cards_at(side, rank):
    """The cards of one rank."""
    return tuple(int(mask) >> 2 * rank & 3 for mask in side)


def below(rank, side):
    """How many cards that may be played lie below a rank."""
    return (side[0] & (1 << 2 * rank) - 1).bit_count()


def roles(side, card):
    """The parts that one of the cards of a rank can play."""
    play, down = side
    return [0] + [1] * bool(down & card) + [2] * bool(play & card)


# ------------------------------------------------------------------------------- all strategies

MIDDLE = 6
"""The rank between the low halves and the high ones."""

BLOCK = 128
"""Low halves that are looked at together."""

DEALT = [(cards, cards) for cards in range(4)]
CHOSEN = [(play, down) for play in range(4) for down in (0, 1, 2, 3) if not play & down]
# The colour of a shield makes no difference: red stands for either where both would do.
CHOSEN.remove((0, 2))


class Opponents:
    """The steps from rank to rank against several hands at once, each with states of its own.

    Up to the middle rank, hands that begin alike share them.
    """

    def __init__(self, game, hands):
        lower = [tuple(mask & (1 << 2 * MIDDLE) - 1 for mask in b) for b in hands]
        begun = list(dict.fromkeys(lower))
        self.game = game
        self.hands = [begun if cut <= MIDDLE else list(hands) for cut in range(RANKS + 1)]
        self.before = [begun.index(b) for b in lower]
        # For each cut and number of own cards below it the states that there can be.
        self.there = {(0, 0): np.zeros((len(begun), len(game.states)), bool)}
        self.there[0, 0][:, 0] = True
        for rank in range(RANKS):
            for n in range(min(2 * rank, game.whole[0]) + 1):
                for option in game.options:
                    after = n + option[0].bit_count()
                    shape = len(self.hands[rank + 1]), len(game.states)
                    there = self.there.setdefault((rank + 1, after), np.zeros(shape, bool))
                    for place, _, target, *_ in self.moves(rank, n, option):
                        there[place, target] = True
        self.place = {
            key: (np.cumsum(there) - 1).reshape(there.shape) for key, there in self.there.items()
        }
        self.step = cache(self.step)

    def moves(self, rank, n, option):
        """For each hand its place, that of its states before, and the moves between states."""
        for place, b in enumerate(self.hands[rank + 1]):
            before = self.before[place] if rank == MIDDLE else place
            cards = cards_at(b, rank)
            source, target, ways = self.game.moves(option, cards, n, below(rank, b))
            some = self.there[rank, n][before, source]
            yield place, before, target[some], source[some], ways[some]

    def step(self, rank, n, option):
        """The matrix past a rank for these cards of it, with so many cards below."""
        key, after = (rank, n), (rank + 1, n + option[0].bit_count())
        found = [
            (ways, self.place[after][place, target], self.place[key][before, source])
            for place, before, target, source, ways in self.moves(rank, n, option)
        ]
        ways, rows, columns = map(np.concatenate, zip(*found, strict=True))
        shape = self.there[after].sum(), self.there[key].sum()
        return csr_array((ways, (rows, columns)), shape)

    def halves(self, ranks, start):
        """All cards of some ranks, from either end, that a legal strategy can have.

        For each number of cards to play that lie below: the masks, and what becomes of ``start``,
        a column for each.
        """
        game, upward = self.game, ranks[0] == 0
        found = {0 if upward else game.whole[0]: (np.zeros((2, 1), np.int64), start)}
        left = [rank + 1 for rank in range(RANKS) for _ in range(2)]
        for rank in ranks:
            left = [number for number in left if number != rank + 1]
            pieces = {}
            for n, (cards, vectors) in found.items():
                for option in game.options:
                    more = cards | np.array(option)[:, None] << 2 * rank
                    may = completable(game, more, left)
                    if may.any():
                        number = option[0].bit_count()
                        end = n + number if upward else n - number
                        step = self.step(rank, min(n, end), option)
                        step = step if upward else step.T
                        pieces.setdefault(end, []).append(
                            (more[:, may], step @ vectors.compress(may, axis=1))
                        )
            found = {end: joined(some) for end, some in pieces.items()}
        return found


def completable(game, cards, numbers):
    """Which of the hands become legal with the lightest of some cards of these numbers."""
    few = (np.bitwise_count(cards) <= np.array(game.whole)[:, None]).all(axis=0)
    lightest = np.full(game.size + 1, game.cap + 1)
    lightest[: len(numbers) + 1] = np.cumsum([0, *numbers])[: game.size + 1]
    missing = np.maximum(game.size - np.bitwise_count(cards[0] | cards[1]).astype(int), 0)
    return few & (weight_of(*cards) + lightest[missing] <= game.cap)


def joined(pieces):
    """Arrays side by side."""
    return tuple(np.concatenate(arrays, axis=1) for arrays in zip(*pieces, strict=True))


def weight_of(*masks):
    """The sum of the numbers of the cards that are in any of the masks."""
    deck = reduce(or_, masks)
    return sum((deck >> bit & 1) * (bit // 2 + 1) for bit in range(2 * RANKS))


def stands_for(game, cards):
    """How many strategies each is: a rank with one shield and nothing to play stands for two."""
    play, down = cards
    taken = play | play >> 1 | down >> 1
    lone = down & ~taken & sum(1 << 2 * rank for rank in range(RANKS))
    return np.int64(1) << np.bitwise_count(lone) * game.chosen


def best_replies(game, mixture, margin, known=-np.inf):
    """The highest value of any legal strategy against a mixture of hands, in floating point.

    ``known`` is a value that some legal strategy has. Returns how many strategies there are, the
    highest value, and the hands within the margin with their values.
    """
    opponents = Opponents(game, mixture)
    start = np.concatenate(
        [
            float(chance) * game.weights[there]
            for chance, there in zip(
                mixture.values(), opponents.there[RANKS, game.whole[0]], strict=True
            )
        ]
    )
    lows = opponents.halves(range(MIDDLE), np.ones((len(opponents.hands[0]), 1)))
    highs = opponents.halves(range(RANKS - 1, MIDDLE, -1), start[:, None])
    number, highest, near = 0, known, []
    for n, (cards, vectors) in lows.items():
        shields = np.bitwise_count(cards[1])
        for few in np.unique(shields).tolist():
            some = shields == few
            low, left = cards[:, some], vectors.compress(some, axis=1)
            high, right = complements(opponents, highs, n, few, game.cap - weight_of(*low).min())
            if not high.size:
                continue
            states = np.flatnonzero(left.any(axis=1) & right.any(axis=1))
            left, right = left[states], right[states]
            # The lightest come first, and among equals those that do best on average.
            order = np.lexsort((right.mean(axis=1) @ left, weight_of(*low)))
            low, left = low[:, order], left[:, order]
            weights, room = weight_of(*low), game.cap - weight_of(*high)
            behind = np.concatenate(([0], np.cumsum(stands_for(game, low))))
            fits = np.searchsorted(weights, room, side="right")
            number += int((behind[fits] * stands_for(game, high)).sum())
            # Where shields are dealt, the halves are few, and all are multiplied.
            bounds = upper_bounds(left, right) if game.chosen else None
            for place, first in enumerate(range(0, len(weights), BLOCK)):
                may = room >= weights[first]
                if bounds is not None:
                    may &= bounds[place] >= highest - margin
                rows = np.flatnonzero(may)
                if not len(rows):
                    continue
                columns = slice(first, first + BLOCK)
                values = right[:, rows].T @ left[:, columns]
                assert bounds is None or (values.max(axis=1) <= bounds[place, rows]).all()
                values[weights[columns] > room[rows, None]] = -np.inf
                highest = max(highest, values.max())
                for row, column in np.argwhere(values >= highest - margin):
                    hand = high[:, rows[row]] | low[:, first + column]
                    near.append((values[row, column], tuple(map(int, hand))))
    return number, highest, {hand: value for value, hand in near if value >= highest - margin}


def complements(opponents, highs, n, few, room):
    """What goes with low halves of so many cards to play and shields, and its vectors.

    These are the halves above the middle rank, with any cards of it, if they are not too heavy.
    """
    game = opponents.game
    pieces = []
    for option in game.options:
        more = n + option[0].bit_count()
        if more in highs:
            cards, vectors = highs[more]
            cards = cards | np.array(option)[:, None] << 2 * MIDDLE
            some = np.bitwise_count(cards[1]) == game.whole[1] - few
            some &= weight_of(*cards) <= room
            step = opponents.step(MIDDLE, n, option).T
            pieces.append((cards[:, some], step @ vectors.compress(some, axis=1)))
    return joined(pieces) if pieces else (np.empty((2, 0)), np.empty((0, 0)))


def upper_bounds(left, right):
    """For each block of columns of ``left`` what no product with a column of ``right`` exceeds.

    After a rotation the columns of ``left`` differ in few coordinates. Those of a block lie in a
    box, whose best corner is the bound.
    """
    size = np.sqrt((right**2).mean(axis=1))[:, None]
    left, right = left * size, right / size
    rotation = np.linalg.eigh(left @ left.T)[1].T
    assert np.abs(rotation @ rotation.T - np.eye(len(rotation))).max() < 1e-12
    # The rotation changes a product by less than the lengths times 1e-12 times the number of
    # coordinates, and rounding changes it by much less.
    blur = 1e-9 * np.linalg.norm(right, axis=0) * np.linalg.norm(left, axis=0).max()
    left, right = rotation @ left, rotation @ right
    starts = np.arange(0, left.shape[1], BLOCK)
    low, high = (end.reduceat(left, starts, axis=1).T for end in (np.minimum, np.maximum))
    return (high + low) / 2 @ right + (high - low) / 2 @ np.abs(right) + blur


# -------------------------------------------------------------------------------- a certificate


def mask_of(code):
    """The cards of a deck's code, one character for each rank from the aces up."""
    assert len(code) == RANKS
    return sum("0rb2".index(letter) << 2 * rank for rank, letter in enumerate(code))


def hand_of(game, entry):
    """The hand of a strategy, if it is legal."""
    deck = mask_of(entry["deck"])
    assert deck.bit_count() == game.size, "a deck has a wrong number of cards"
    assert weight_of(deck) <= game.cap, "a deck is over the cap"
    assert game.chosen == ("shields" in entry), "shields are named, or not"
    if not game.chosen:
        return deck, deck
    down = mask_of(entry["shields"])
    assert down & ~deck == 0, "a shield is not in the deck"
    assert down.bit_count() == game.shields, "a wrong number of shields"
    return deck & ~down, down


def value_against(mixture, hand, game):
    """What a hand wins on average against a mixture, exactly."""
    return sum(chance * game.payoff(hand, b) for b, chance in mixture.items())


def recheck(certificate):
    """Check everything that a certificate says; an assertion fails where it is not so.

    Returns the highest value that any legal strategy has against the mixture, as a fraction, and
    the number of strategies.
    """
    rules = certificate["rules"]
    assert rules["counter_compare"] == "strict_number", "only this reading is spelled out here"
    game = Game(
        rules["deck_size"],
        rules["deck_sum_max"],
        rules["n_shields"],
        rules["shield_mode"] == "chosen",
        KNOCKOUT[rules["double_knockout"]],
    )
    hands = [hand_of(game, entry) for entry in certificate["support"]]
    chances = [Fraction(entry["weight"]) for entry in certificate["support"]]
    assert len({*hands}) == len(hands) > 0, "a strategy stands twice"
    assert sum(chances) == 1, "the chances do not sum to 1"
    assert min(chances) >= 0, "a chance is negative"
    payoffs = [[Fraction(payoff) for payoff in row] for row in certificate["payoffs"]]
    assert payoffs == [[game.payoff(a, b) for b in hands] for a in hands], "a payoff is wrong"
    # At a rank a number passes one product and a sum of at most so many terms, in the end a sum
    # over all states and hands; each operation adds at most half a unit in the last place.
    operations = RANKS * (1 << 9) + len(hands) * (len(game.states) + 2) + 16
    error = 1.01 * operations * game.bound * 2.0**-53
    mixture = dict(zip(hands, chances, strict=True))
    # The mixture's own strategies show what can be won at least.
    known = max(float(value_against(mixture, a, game)) for a in hands) - error
    number, highest, near = best_replies(game, mixture, 2 * error, known)
    assert number == certificate["strategies"], "a wrong number of strategies"
    maximum = max(value_against(mixture, hand, game) for hand in near)
    assert abs(maximum - highest) <= error, "rounding is worse than it can be"
    assert maximum == Fraction(certificate["maximum"]), "some strategy wins something else"
    return maximum, number


if __name__ == "__main__":
    for name in sys.argv[1:]:
        certificate = json.loads(Path(name).read_text(encoding="utf-8"))
        maximum, number = recheck(certificate)
        print(f"{name}: the best of {number:,} strategies wins {maximum}", flush=True)
