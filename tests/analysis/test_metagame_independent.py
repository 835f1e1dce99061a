"""The published claims checked by a program that shares no code with cardlab's solver.

It goes through all decks card set by card set, depth first from the kings down, where the package
multiplies matrices of halves; it derives the weights of the outcomes by walking through the turns,
where the package uses multinomials; and it spells the rules out once more. Only numpy and numba are
used, and cardlab only to be compared with.
"""

import math
from fractions import Fraction

import numpy as np
import pytest
from numba import njit

from cardlab.analysis import exact, metagame
from cardlab.analysis.decks import nth_deck

SIZE, CAP, SHIELDS = 15, 100, 5
TURNS = SIZE - SHIELDS
SHAPE = (SHIELDS + 1, SHIELDS + 1, SHIELDS + 1, SHIELDS + 1, TURNS + 1)


def outcome_weights(knockout):
    """The value as a sum over numbers of (pairs, chains) of both players and ties.

    Walks through all games turn by turn. A turn that is won without a counter is counted as one
    that is won, less one that is won with a counter. ``knockout`` is what the attacker gets when
    both lose their last shield.
    """
    ended = {}
    live = {(0, 0, 0, 0, 0, 0, 0): 1}
    for turn in range(1, TURNS + 1):
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
                out_a, out_b = a_lost == SHIELDS, b_lost == SHIELDS
                if out_a and out_b:
                    value = attacker * knockout
                elif out_a or out_b:
                    value = 1 if out_b else -1
                elif turn == TURNS:
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
    weights = {}
    for counts, ways in ended.items():
        played = sum(counts)
        orders = math.perm(SIZE, played + counts[3]) * math.perm(SIZE, played + counts[1])
        if ways:
            weights[counts] = Fraction(ways * math.prod(map(math.factorial, counts)), orders)
    return weights


@njit
def place(p, c, q, d, t):
    """The place of a state: pairs and chains of a, pairs and chains of b, ties."""
    return (((p * (SHIELDS + 1) + c) * (SHIELDS + 1) + q) * (SHIELDS + 1) + d) * (TURNS + 1) + t


@njit
def moves(n_a, n_b, a, b, source, target, ways):
    """What cards of one rank can do: from which state to which, and in how many ways.

    ``n_a`` and ``n_b`` cards lie below the rank; ``a`` and ``b`` are its cards as two bits, red and
    black. Every new card is left out (0), strikes back at a winner below (1), or beats a card below
    or a red card of its own rank (2); two of one colour may tie. Returns how many were written.
    """
    number = 0
    for p in range(min(SHIELDS, n_a, n_b) + 1):
        for c in range(min(SHIELDS - p, n_a - p) + 1):
            for q in range(min(SHIELDS, n_b - p - c) + 1):
                for d in range(min(SHIELDS - q, n_b - p - c - q) + 1):
                    for t in range(TURNS + 1 - p - c - q - d):
                        free_a = n_a - (p + c + q + 2 * d + t)
                        free_b = n_b - (p + 2 * c + q + d + t)
                        if free_a < 0 or free_b < 0:
                            break
                        for w in range(2 * (a & 1) + 1):
                            for x in range((a & 2) + 1):
                                for y in range(2 * (b & 1) + 1):
                                    for z in range((b & 2) + 1):
                                        first = number
                                        number = parts(
                                            p, c, q, d, t, free_a, free_b, a, b,
                                            w, x, y, z, number, target, ways,
                                        )  # fmt: skip
                                        source[first:number] = place(p, c, q, d, t)
    return number


@njit
def parts(p, c, q, d, t, free_a, free_b, a, b, w, x, y, z, number, target, ways):
    """All ways in which the new cards (red and black of a, red and black of b) play these parts."""
    strike = 1.0
    for role in (w, x):
        if role == 1:
            strike *= q
            q -= 1
            d += 1
    for role in (y, z):
        if role == 1:
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
            ties = t + red + black
            fits = pp + c <= SHIELDS and qq + d <= SHIELDS and pp + c + qq + d + ties <= TURNS
            if n > 0.0 and fits:
                target[number] = place(pp, c, qq, d, ties)
                ways[number] = n
                number += 1
    return number


def all_moves(b):
    """The moves for every rank, every set of its two cards and every number of cards below."""
    buffer = [np.empty(10**6, dtype) for dtype in (np.int32, np.int32, np.float64)]
    lists, bounds, total = [], np.zeros((13, 4, SIZE + 1, 2), np.int64), 0
    for rank in range(13):
        n_b = (b & (1 << 2 * rank) - 1).bit_count()
        for option in range(4):
            for n_a in range(min(2 * rank, SIZE) + 1):
                number = moves(n_a, n_b, option, b >> 2 * rank & 3, *buffer)
                lists.append([column[:number].copy() for column in buffer])
                bounds[rank, option, n_a] = total, total + number
                total += number
    return [np.concatenate(column) for column in zip(*lists, strict=True)], bounds


@njit
def descend(stack, rank, left, room, mask, moves, bounds, lightest, values, masks, found):
    """Fill in the values of all decks that continue ``mask``, the cards above ``rank``."""
    if rank < 0:
        values[found] = stack[0, 0]
        masks[found] = mask
        return found + 1
    source, target, ways = moves
    above, below = stack[rank + 1], stack[rank]
    for option in range(4):
        taken = (option & 1) + (option >> 1)
        rest, weight = left - taken, room - taken * (rank + 1)
        if rest < 0 or rest > 2 * rank or weight < lightest[rest]:
            continue
        start, stop = bounds[rank, option, rest]
        for move in range(start, stop):
            below[source[move]] = 0.0
        for move in range(start, stop):
            below[source[move]] += ways[move] * above[target[move]]
        found = descend(
            stack, rank - 1, rest, weight, mask | option << 2 * rank,
            moves, bounds, lightest, values, masks, found,
        )  # fmt: skip
    return found


def all_values(b, weights, number):
    """The value of every legal deck against the deck ``b``, with the masks, ascending."""
    stack = np.zeros((14, math.prod(SHAPE)))
    for counts, weight in weights.items():
        stack[13, np.ravel_multi_index(counts, SHAPE)] = float(weight)
    lightest = np.array([sum(bit // 2 + 1 for bit in range(n)) for n in range(SIZE + 1)])
    values, masks = np.empty(number), np.empty(number, np.int64)
    columns, bounds = all_moves(b)
    found = descend(stack, 12, SIZE, CAP, 0, tuple(columns), bounds, lightest, values, masks, 0)
    assert found == number
    order = np.argsort(masks)
    return values[order], masks[order]


NUMBER = 2_492_494
READINGS = {"attacker_wins": 1, "draw": 0, "counter_player_wins": -1}


@pytest.mark.parametrize("reading", READINGS)
def test_values_of_all_legal_decks(reading):
    b = nth_deck(1_234_567)
    values, masks = all_values(b.mask, outcome_weights(READINGS[reading]), NUMBER)
    found = exact.values(b, double_knockout=reading)
    assert np.array_equal(exact.legal_decks(SIZE, CAP).masks, masks)
    assert np.abs(values - found).max() < 1e-12


@pytest.mark.slow
def test_no_legal_deck_gains_against_the_mixture():
    mixture = metagame.solve().certificate.mixture
    weights = outcome_weights(1)
    values = [all_values(strategy.deck.mask, weights, NUMBER) for strategy in mixture]
    total = sum(
        float(chance) * row for chance, (row, _) in zip(mixture.values(), values, strict=True)
    )
    masks = values[0][1]
    inside = np.isin(masks, [strategy.deck.mask for strategy in mixture])
    assert inside.sum() == len(mixture)
    assert np.abs(total[inside]).max() < 1e-12
    assert total[~inside].max() < -1e-4
