"""How fast High-Low and the chances of sets are exact: ``make bench``.

Beside them: the plain way, which looks at every order of the cards, or at every hand.
"""

import time
from fractions import Fraction
from itertools import combinations

import pytest

from cardlab.analysis import draws
from cardlab.analysis.draws import Deck
from cardlab.analysis.highlow import Solo
from cardlab.bots import highlow


def every_order(n, most):
    """The value of the best play by the tree of all orders, without sharing anything."""
    cards = range(1, n + 1)

    def best(hand, points, last, pile):
        if len(hand) == most:
            return points
        total = 0
        for card in pile:
            gain = card if card > last else -card
            total += best((*hand, card), points + gain, card, [c for c in pile if c != card])
        draw = Fraction(total, len(pile)) if isinstance(total, int) else total / len(pile)
        return max(points, draw) if hand else draw

    return best((), 0, 0, list(cards))


def forget():
    highlow._later.cache_clear()


@pytest.mark.parametrize(("n", "most", "at_least"), [(14, 5, 20)])
def test_the_best_play_against_every_order(benchmark, n, most, at_least):
    solo = Solo(highest=n, max_cards=most)
    value = benchmark.pedantic(solo.value, setup=forget, rounds=20)
    start = time.perf_counter()
    plain = every_order(n, most)
    seconds = time.perf_counter() - start
    ratio = seconds / benchmark.stats["median"]
    benchmark.extra_info.update(plain_seconds=seconds, ratio=ratio)
    print(f"\nevery order: {seconds:.2f} s, {ratio:.0f} times as long as the median")
    assert value == plain
    assert ratio >= at_least


def test_the_draft(benchmark):
    """20 cards, five draws, exact fractions: the value, then the whole distribution."""

    def solved():
        solo = Solo()
        return solo.value(), solo.outcome()

    value, outcome = benchmark.pedantic(solved, setup=forget, rounds=3)
    assert outcome.mean == value == Fraction(2752881, 103360)
    assert benchmark.stats["median"] < 5


def test_a_set_of_any_kind_against_every_hand(benchmark):
    deck = Deck((6, 6, 6, 4, 4))

    def fresh():
        draws._ways_without.cache_clear()

    chance = benchmark.pedantic(deck.chance_of_any_set, (6,), setup=fresh, rounds=20)
    start = time.perf_counter()
    cards = [kind for kind, n in enumerate(deck.counts) for _ in range(n)]
    hands = [*combinations(cards, 6)]
    some = sum(any(hand.count(kind) >= 3 for kind in {*hand}) for hand in hands)
    seconds = time.perf_counter() - start
    ratio = seconds / benchmark.stats["median"]
    benchmark.extra_info.update(plain_seconds=seconds, ratio=ratio)
    print(f"\nevery hand: {seconds:.2f} s, {ratio:.0f} times as long as the median")
    assert chance == Fraction(some, len(hands))
    assert ratio >= 100


@pytest.mark.parametrize("numbers", [6, 10])
def test_balancing(benchmark, numbers):
    def fresh():
        draws._balance_of_copies.cache_clear()

    found = benchmark.pedantic(draws.balance, (numbers,), setup=fresh, rounds=3)
    assert sum(found.counts) == 60
    assert benchmark.stats["median"] < 1
