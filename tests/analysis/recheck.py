"""Recheck a certificate of optimal GPT decks with nothing of cardlab: only numpy and numba.

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
from itertools import product
from pathlib import Path

import numpy as np
from numba import njit

RANKS = 13
ROWS, COLUMNS = 512, 4096
KNOCKOUT = {"attacker_wins": 1, "draw": 0, "counter_player_wins": -1}
"""What the attacker gets when both lose their last shield."""


class Game:
    """One set of rules."""

    def __init__(self, size, cap, shields, chosen, knockout):
        self.size, self.cap, self.shields, self.chosen = size, cap, shields, chosen
        self.turns = size - shields
        self.whole = (self.turns, shields) if chosen else (size, size)
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
        self.weights = [self.weight(state, ways.get(state, 0)) for state in states]
        # A probability is at most 1, so the absolute terms of a value sum to no more than this.
        self.bound = sum(map(abs, ways.values()))
        self.found = {}

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

    def moves(self, rank, a, b):
        """What the cards of a rank can do, given the numbers of cards to play below it."""
        return self.moves_of(*(cards_at(side, rank) for side in (a, b)), *self.below(rank, a, b))

    def below(self, rank, a, b):
        """How many cards of both sides that may be played lie below a rank."""
        return tuple((side[0] & (1 << 2 * rank) - 1).bit_count() for side in (a, b))

    def moves_of(self, a, b, n_a, n_b):
        """Which states lead to which, and in how many ways."""
        key = a, b, n_a, n_b
        if key not in self.found:
            buffer = np.empty(1 << 19, np.int32), np.empty(1 << 19, np.int32), np.empty(1 << 19)
            number = list_moves(
                self.states, self.index, self.used_a, self.used_b, n_a, n_b, *a, *b, self.chosen,
                *buffer,
            )  # fmt: skip
            self.found[key] = tuple(column[:number].copy() for column in buffer)
        return self.found[key]

    def reach(self, b):
        """For each rank, and for the end, the states that any hand can have below it against b."""
        options = CHOSEN if self.chosen else DEALT
        there = np.zeros((RANKS + 1, len(self.states)), bool)
        there[0, 0] = True
        for rank in range(RANKS):
            n_b = self.below(rank, b, b)[1]
            for a in options:
                most = min(2 * rank, self.whole[0])
                source, target, _ = self.moves_of(a, cards_at(b, rank), most, n_b)
                there[rank + 1, target[there[rank, source]]] = True
        return there

    # Two strategies.

    def payoff(self, a, b):
        """What ``a`` wins on average against ``b``, exactly."""
        numbers = np.zeros(len(self.states))
        numbers[0] = 1
        for rank in range(RANKS):
            source, target, ways = self.moves(rank, a, b)
            numbers = np.bincount(target, ways * numbers[source], len(self.states))
        assert numbers.max() < 2**53  # so far float64 counts exactly
        pairs = zip(self.weights, map(int, numbers.tolist()), strict=True)
        return sum((weight * number for weight, number in pairs if number), Fraction(0))


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


@njit
def list_moves(
    states, index, used_a, used_b, n_a, n_b, a_play, a_shield, b_play, b_shield, chosen,
    source, target, ways,
):  # fmt: skip
    """Write down every move; a new card is left out (0), strikes back (1), or beats another (2)."""
    number = 0
    for state in range(len(states)):
        if used_a[state] > n_a or used_b[state] > n_b:
            continue
        p, c, q, d, t = states[state]
        free_a, free_b = n_a - used_a[state], n_b - used_b[state]
        for w in range(3):
            for x in range(3):
                for y in range(3):
                    for z in range(3):
                        if (
                            role(w, a_play & 1, a_shield & 1)
                            and role(x, a_play & 2, a_shield & 2)
                            and role(y, b_play & 1, b_shield & 1)
                            and role(z, b_play & 2, b_shield & 2)
                        ):
                            first = number
                            number = parts(
                                p, c, q, d, t, free_a, free_b, a_play, b_play, w, x, y, z,
                                index, number, target, ways,
                            )  # fmt: skip
                            source[first:number] = state
    return number


@njit
def role(part, play, shield):
    """Whether a card can play this part."""
    return part == 0 or (part == 1 and shield != 0) or (part == 2 and play != 0)


@njit
def parts(p, c, q, d, t, free_a, free_b, a, b, w, x, y, z, index, number, target, ways):
    """All ways in which the new cards (red and black of a, red and black of b) play these parts."""
    strike = 1.0
    for part in (w, x):
        if part == 1:
            strike *= q
            q -= 1
            d += 1
    for part in (y, z):
        if part == 1:
            strike *= p
            p -= 1
            c += 1
    if strike == 0.0:
        return number
    # A tie is written as both cards being left out, and counted beside that.
    for red in range(2 if a & b & 1 and w == 0 and y == 0 else 1):
        for black in range(2 if a & b & 2 and x == 0 and z == 0 else 1):
            n, pp, qq = strike, p, q
            if w == 2:
                n *= free_b
                pp += 1
            if y == 2:
                n *= free_a
                qq += 1
            # A red card left out can be beaten by a black one of its rank.
            if x == 2:
                n *= free_b - (w == 2) + (b & 1 and y == 0 and red == 0)
                pp += 1
            if z == 2:
                n *= free_a - (y == 2) + (a & 1 and w == 0 and red == 0)
                qq += 1
            after = index[pp, c, qq, d, t + red + black]
            if n > 0.0 and after >= 0:
                target[number] = after
                ways[number] = n
                number += 1
    return number


# ------------------------------------------------------------------------------- all strategies

CUT = {False: 7, True: 6}
"""How many ranks are low, with dealt and with chosen shields."""

DEALT = [(cards, cards) for cards in range(4)]
CHOSEN = [(play, down) for play in range(4) for down in (0, 1, 2, 3) if not play & down]
# The colour of a shield makes no difference: red stands for either where both would do.
CHOSEN.remove((0, 2))


class Halves:
    """All cards of some ranks that a legal strategy can have, as masks, by their kinds."""

    def __init__(self, game, ranks):
        options = np.array(CHOSEN if game.chosen else DEALT)
        play = down = np.zeros(1, np.int64)
        # The first rank varies slowest, so that neighbours agree in the ranks that come first.
        for rank in ranks:
            play = (play[:, None] | options[:, 0] << 2 * rank).ravel()
            down = (down[:, None] | options[:, 1] << 2 * rank).ravel()
            few = np.bitwise_count(play) <= game.whole[0]
            few &= (np.bitwise_count(down) <= game.whole[1]) & (weight_of(play | down) <= game.cap)
            play, down = play[few], down[few]
        self.ranks = np.array(ranks)
        self.play, self.down = play, down
        self.weight = weight_of(play | down)
        self.kind = np.stack((np.bitwise_count(play), np.bitwise_count(down)), axis=1)
        # A rank with one shield and nothing to play stands for two strategies.
        lone = sum((down >> 2 * rank & 3 == 1) & (play >> 2 * rank & 3 == 0) for rank in ranks)
        self.stands_for = 2**lone if game.chosen else np.ones(len(play), np.int64)

    def of_kind(self, kind):
        """The places of the halves with so many cards."""
        return np.flatnonzero((self.kind == kind).all(axis=1))


def weight_of(mask):
    """The sum of the numbers of the cards of each mask."""
    return sum((mask >> bit & 1) * (bit // 2 + 1) for bit in range(2 * RANKS))


@njit
def run(play, down, ranks, n_a, tables, starts, upward, start, columns):
    """The vector of each half: what it makes of ``start``, rank by rank, in some columns.

    ``starts[r, a, n]`` is where the moves of the r-th rank begin when its cards are ``a`` (play and
    shields, as bits) and ``n`` cards lie below it. Halves that begin like the one before go on from
    there.
    """
    source, target, ways = tables
    steps = len(ranks)
    stack = np.zeros((steps + 1, len(start)))
    stack[0] = start
    below = np.zeros(steps + 1, np.int64)
    below[0] = n_a
    result = np.empty((len(play), len(columns)))
    before = np.full(steps, -1)
    for half in range(len(play)):
        fresh = False
        for step in range(steps):
            rank = ranks[step]
            mine = play[half] >> 2 * rank & 3
            cards = mine * 4 + (down[half] >> 2 * rank & 3)
            if cards == before[step] and not fresh:
                continue
            fresh = True
            before[step] = cards
            number = (mine & 1) + (mine >> 1)
            lie = below[step] if upward else below[step] - number
            below[step + 1] = below[step] + number if upward else lie
            old, new = stack[step], stack[step + 1]
            new[:] = 0.0
            for move in range(starts[step, cards, lie], starts[step, cards, lie + 1]):
                if upward:
                    new[target[move]] += ways[move] * old[source[move]]
                else:
                    new[source[move]] += ways[move] * old[target[move]]
        result[half] = stack[steps][columns]
    return result


def tables(game, ranks, b):
    """The moves at some ranks against the hand ``b``, one after the other, and where they start."""
    reach = game.reach(b)
    most = game.whole[0]
    starts = np.zeros((len(ranks), 16, most + 2), np.int64)
    lists, total = [], 0
    for step, rank in enumerate(ranks.tolist()):
        n_b = game.below(rank, b, b)[1]
        for play, down in CHOSEN if game.chosen else DEALT:
            for n in range(min(2 * rank, most) + 1):
                moves = game.moves_of((play, down), cards_at(b, rank), n, n_b)
                useful = reach[rank, moves[0]]
                lists.append([column[useful] for column in moves])
                starts[step, 4 * play + down, n] = total
                total += len(lists[-1][0])
                starts[step, 4 * play + down, n + 1] = total
    return tuple(map(np.concatenate, zip(*lists, strict=True))), starts


def best_replies(game, mixture, margin):
    """The highest value of any legal strategy against a mixture of hands, in floating point.

    Returns how many strategies there are, the highest value, and the hands within the margin with
    their values.
    """
    cut = CUT[game.chosen]
    low, high = Halves(game, range(cut)), Halves(game, range(RANKS - 1, cut - 1, -1))
    weights = np.array([float(weight) for weight in game.weights])
    start = np.zeros(len(weights))
    start[0] = 1.0
    low_tables, high_tables = (
        {b: tables(game, halves.ranks, b) for b in mixture} for halves in (low, high)
    )
    groups = {}
    for b, chance in mixture.items():
        lower = tuple(mask & (1 << 2 * cut) - 1 for mask in b)
        groups.setdefault(lower, []).append((b, float(chance)))
    number, highest, near = 0, -np.inf, []
    for kind in np.unique(low.kind, axis=0).tolist():
        rest = [whole - some for whole, some in zip(game.whole, kind, strict=True)]
        lows, highs = low.of_kind(kind), high.of_kind(rest)
        if not len(highs):
            continue
        # Some are too heavy for the lightest of the others.
        highs = highs[high.weight[highs] + low.weight[lows].min() <= game.cap]
        lows = lows[low.weight[lows] + high.weight[highs].min(initial=game.cap) <= game.cap]
        if not len(lows):
            continue
        left, right = [], []
        for lower, members in groups.items():
            columns = game.used_a <= kind[0]
            columns &= game.used_b <= lower[0].bit_count()
            columns &= (game.states[:, 1] <= lower[1].bit_count()) & (game.states[:, 3] <= kind[1])
            columns = np.flatnonzero(columns)
            first = low_tables[members[0][0]]
            some = low.play[lows], low.down[lows], low.ranks, 0
            left.append(run(*some, *first, True, start, columns))
            some = high.play[highs], high.down[highs], high.ranks, game.whole[0]
            right.append(
                sum(
                    run(*some, *high_tables[b], False, chance * weights, columns)
                    for b, chance in members
                )
            )
        left, right = np.hstack(left), np.hstack(right)
        there = left.any(axis=0)
        left, right = left[:, there], right[:, there]
        by_weight = np.argsort(low.weight[lows], kind="stable")
        lows, left = lows[by_weight], left[by_weight].T.copy()
        by_weight = np.argsort(-high.weight[highs], kind="stable")
        highs, right = highs[by_weight], right[by_weight]
        fits = np.searchsorted(low.weight[lows], game.cap - high.weight[highs], side="right")
        behind = np.concatenate(([0], np.cumsum(low.stands_for[lows])))
        number += int((behind[fits] * high.stands_for[highs]).sum())
        # A product in single precision, at half the cost, tells which blocks need another look.
        most = left.max(axis=1)
        rough_left = (left / most[:, None]).astype(np.float32)
        rough_right = (right * most).astype(np.float32)
        # Each factor is rounded, and the terms are multiplied and summed: half a unit for each.
        blur = 1.01 * (len(most) + 3) * 2.0**-24 * np.abs(right * most).sum(axis=1)
        for first in range(0, len(highs), ROWS):
            rows = slice(first, first + ROWS)
            for begin in range(0, fits[rows][-1], COLUMNS):
                some = np.minimum(fits[rows] - begin, COLUMNS)
                columns = slice(begin, begin + some[-1])
                rough = rough_right[rows] @ rough_left[:, columns]
                if rough.max() + blur[rows].max() < highest - margin:
                    continue
                values = right[rows] @ left[:, columns]
                for row in np.flatnonzero(some < some[-1]):
                    values[row, max(some[row], 0) :] = -np.inf
                highest = max(highest, values.max())
                for row, column in np.argwhere(values >= highest - margin):
                    one, other = highs[first + row], lows[begin + column]
                    hand = high.play[one] | low.play[other], high.down[one] | low.down[other]
                    near.append((values[row, column], tuple(map(int, hand))))
    return number, highest, {hand: value for value, hand in near if value >= highest - margin}


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
    number, highest, near = best_replies(game, mixture, 2 * error)
    assert number == certificate["strategies"], "a wrong number of strategies"
    exact = {
        hand: sum(chance * game.payoff(hand, b) for b, chance in mixture.items()) for hand in near
    }
    maximum = max(exact.values())
    assert abs(maximum - highest) <= error, "rounding is worse than it can be"
    assert maximum == Fraction(certificate["maximum"]), "some strategy wins something else"
    return maximum, number


if __name__ == "__main__":
    for name in sys.argv[1:]:
        certificate = json.loads(Path(name).read_text(encoding="utf-8"))
        maximum, number = recheck(certificate)
        print(f"{name}: the best of {number:,} strategies wins {maximum}", flush=True)
