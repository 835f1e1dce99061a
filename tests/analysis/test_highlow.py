"""High-Low solved: against every order of small decks, and the figures that are known."""

import math
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest

from cardlab import load_game
from cardlab.analysis.highlow import (
    Outcome,
    Solo,
    beats,
    best_thresholds,
    race,
    seen_hand,
    summary,
    with_safety,
)
from cardlab.bots import play
from cardlab.errors import RulesError
from cardlab.games.highlow import score

DRAFT = Solo()
SMALL = [
    {"highest": 5, "max_cards": 3},
    {"highest": 6, "max_cards": 4, "pass_penalty": 1},
    {"highest": 3, "copies": 2, "max_cards": 4, "equal": "minus"},
    {"highest": 4, "copies": 2, "max_cards": 3, "equal": "plus", "pass_penalty": 3},
    {"highest": 4, "max_cards": 4, "replacement": True},
    {"highest": 3, "max_cards": 5, "equal": "minus", "replacement": True},
]


# ---------------------------------------------------------------- every order of small decks


class Tree:
    """All orders of a small deck, and what the best play makes of each, found the plain way."""

    def __init__(self, options):
        self.solo = Solo(**options)
        numbers = [n for n in range(1, self.solo.highest + 1) for _ in range(self.solo.copies)]
        most = self.solo.max_cards
        orders = product(numbers, repeat=most) if self.solo.replacement else None
        self.orders = [*(orders or permutations(numbers, most))]
        self.best = {}

    def points(self, hand):
        solo = self.solo
        unused = solo.max_cards - len(hand)
        return score(map(str, hand), solo.equal, unused, solo.pass_penalty)

    def value(self, hand):
        """The mean over all orders that begin so, deciding for the best."""
        if hand not in self.best:
            hold = Fraction(self.points(hand)) if hand else None
            draw = None
            if len(hand) < self.solo.max_cards:
                size = len(hand)
                following = [order[size] for order in self.orders if order[:size] == hand]
                draw = sum(self.value((*hand, n)) for n in following) / Fraction(len(following))
            self.best[hand] = (
                max(each for each in (hold, draw) if each is not None),
                draw is not None and (hold is None or draw > hold),
            )
        return self.best[hand][0]

    def ending(self, order):
        """The hand that the best play makes of an order."""
        size = 1
        while size < self.solo.max_cards and self.value(order[:size]) is not None:
            if not self.best[order[:size]][1]:
                break
            size += 1
        return order[:size]


@pytest.mark.parametrize("options", SMALL)
def test_the_best_play_is_the_best_of_all_orders(options):
    tree = Tree(options)
    solo = tree.solo
    assert solo.value() == tree.value(())
    endings = [tree.ending(order) for order in tree.orders]
    outcome = solo.outcome()
    n = len(endings)
    points = [tree.points(hand) for hand in endings]
    assert outcome.points == {p: Fraction(points.count(p), n) for p in sorted({*points})}
    sizes = [len(hand) for hand in endings]
    assert outcome.cards == {size: Fraction(sizes.count(size), n) for size in sorted({*sizes})}
    for hand, (value, draws) in tree.best.items():
        if hand:
            assert (solo.draws(hand), max(Fraction(solo.points(hand)), value)) == (draws, value)
        if draws and hand:
            assert solo.of_drawing(hand) == value


@pytest.mark.parametrize("options", SMALL)
def test_other_policies_are_followed_through_all_orders(options):
    tree = Tree(options)
    solo = tree.solo

    def stop(hand):
        return hand.last < 3

    endings = []
    for order in tree.orders:
        size = next((i for i in range(1, solo.max_cards) if order[i - 1] >= 3), solo.max_cards)
        endings.append(tree.points(order[:size]))
    outcome = solo.outcome(stop)
    assert outcome.mean == Fraction(sum(endings), len(endings))
    assert outcome.variance == Fraction(sum(p * p for p in endings), len(endings)) - (
        outcome.mean**2
    )
    # A coin that decides ends half of the hands that are left, at every size.
    coin = solo.outcome(Fraction(1, 2))
    sizes = range(1, solo.max_cards + 1)
    shares = {size: Fraction(1, 2 ** min(size, solo.max_cards - 1)) for size in sizes}
    total = sum(
        share * tree.points(order[:size]) for order in tree.orders for size, share in shares.items()
    )
    assert coin.mean == total / len(tree.orders)


@pytest.mark.parametrize("options", SMALL)
def test_from_a_hand_on(options):
    solo = Solo(**options)
    for first in range(1, solo.highest + 1):
        assert solo.outcome(cards=[first]).mean == solo.value([first])
    full = [1, 2, 3, 1][: solo.max_cards] if solo.replacement else None
    if full and len(full) == solo.max_cards:
        assert solo.outcome(cards=full).points == {solo.points(full): 1}


# ------------------------------------------------------------------------------- known figures


def test_the_draft():
    outcome = DRAFT.outcome()
    assert outcome.mean == DRAFT.value() == Fraction(2752881, 103360)
    assert round(outcome.sd, 2) == 13.49
    assert (min(outcome.points), max(outcome.points)) == (-37, 74)
    assert round(float(outcome.chance(lambda points: points < 0)), 3) == 0.031
    assert round(float(outcome.mean_cards), 2) == 4.29
    assert sum(outcome.points.values()) == sum(outcome.cards.values()) == 1
    first = DRAFT.outcome(False)
    assert first == DRAFT.outcome(lambda hand: False)
    assert DRAFT.outcome(True).cards == {5: 1}
    table = summary({"best": outcome, "first": first}).round(2)
    assert table.loc["best"].tolist() == [26.63, 13.49, -37, 74, 4.29]
    assert table.loc["first"].tolist() == [10.5, 5.77, 1, 20, 1.0]
    assert (first.mean, round(first.sd, 2)) == (Fraction(21, 2), 5.77)
    assert [round(float(each), 3) for each in beats(outcome, first)] == [0.858, 0.012, 0.13]
    assert round(float(DRAFT.value([20])), 1) == 22.0
    assert round(float(DRAFT.value([9])), 1) == round(float(DRAFT.value([10])), 1) == 28.7


def test_simple_rules_of_the_draft():
    myopic = DRAFT.outcome(DRAFT.myopic)
    assert (round(float(myopic.mean), 2), round(myopic.sd, 2)) == (23.40, 8.85)
    won, _, lost = beats(DRAFT.outcome(), myopic)
    assert (round(float(won), 3), round(float(lost), 3)) == (0.597, 0.380)
    thresholds, value = best_thresholds(DRAFT)
    assert thresholds == (21, 20, 18, 15)
    assert round(float(value), 3) == 26.608
    rule = DRAFT.outcome(lambda hand: hand.last < thresholds[hand.drawn - 1])
    assert rule.mean == value


@pytest.mark.parametrize(("cost", "mean", "cards"), [(2, 25.64, 4.66), (5, 24.96, 4.84)])
def test_a_penalty_makes_for_more_cards(cost, mean, cards):
    outcome = Solo(pass_penalty=cost).outcome()
    assert (round(float(outcome.mean), 2), round(float(outcome.mean_cards), 2)) == (mean, cards)


def test_the_draft_with_suits():
    solo = Solo(highest=8, copies=5)
    assert round(float(solo.of_drawing([8])), 2) == 9.24
    minus = Solo(highest=8, copies=5, equal="minus")
    holds = [first for first in range(1, 9) if not minus.draws([first])]
    assert holds == [8]


def test_the_bot_makes_the_same_decisions():
    game = load_game("highlow", decks="separate", pass_penalty=2)
    solo = Solo(pass_penalty=2)
    for seed in range(20):
        state = play(game, ["optimal", "random"], seed)
        hand = [card.rank for card in state.players[0].hand]
        assert all(solo.draws(hand[:size]) for size in range(1, len(hand)))
        assert not solo.draws(hand)


# --------------------------------------------------------------------- thresholds, counting, racing


@pytest.mark.parametrize("cost", [0, 2])
def test_no_thresholds_are_better(cost):
    solo = Solo(highest=5, max_cards=4, pass_penalty=cost)
    found, value = best_thresholds(solo)
    means = {
        rule: solo.outcome(lambda hand, rule=rule: hand.last < rule[hand.drawn - 1]).mean
        for rule in product(range(1, 7), repeat=3)
    }
    assert value == max(means.values()) == means[found]


def test_a_shown_hand_is_worth_what_all_deals_say():
    """Two players draw from one pile of six, the second knowing what the first has shown."""
    solo = Solo(highest=6, max_cards=3)
    total = Fraction()
    orders = [*permutations(range(1, 7))]
    for order in orders:
        size = next((n for n in (1, 2) if not solo.draws(order[:n])), 3)
        rest = order[size:]
        total += best_from({*rest}, 3)
    seen, unseen = seen_hand(solo)
    assert seen == pytest.approx(float(total / len(orders)))
    assert unseen == pytest.approx(float(solo.value()))


def best_from(pile, most, hand=()):
    hold = Fraction(score(map(str, hand)))
    if len(hand) == most or not pile:
        return hold
    draw = sum(best_from(pile - {n}, most, (*hand, n)) for n in pile) / Fraction(len(pile))
    return max(hold, draw) if hand else draw


def test_a_race_is_won_as_often_as_all_orders_say():
    solo = Solo(highest=5, max_cards=3, pass_penalty=1)
    table = race(solo)
    assert table["chance"].sum() == pytest.approx(1)
    for row in table.itertuples():
        assert row.race == pytest.approx(float(best_chance({*range(1, 6)}, (), row.target)))
        own = solo.outcome()
        won = own.chance(lambda points, t=row.target: points > t)
        tied = own.points.get(row.target, Fraction())
        assert row.points == pytest.approx(float(won + tied / 2))
    assert (table["race"] >= table["points"] - 1e-12).all()
    assert table["changed"].between(0, 1).all()


def best_chance(pile, hand, target):
    points = score(map(str, hand), unused=3 - len(hand), pass_penalty=1)
    hold = Fraction((points > target) + (points >= target), 2)
    if len(hand) == 3:
        return hold
    draw = sum(best_chance(pile - {n}, (*hand, n), target) for n in pile) / Fraction(len(pile))
    return max(hold, draw) if hand else draw


# --------------------------------------------------------------------------------- safety cards


@pytest.mark.parametrize("safety", ["none", "zero", "plus"])
def test_safety_cards_on_a_small_deck(safety):
    found = with_safety(safety, highest=3, suits=2, max_cards=3)
    deck = [f"{n}{suit}" for n in (1, 2, 3) for suit in "ab"]
    for first, (hold, draw) in found.items():
        assert hold == first
        start = (f"{first}a",)
        rest = [card for card in deck if card not in start]
        value = sum(best_hand((*start, card), deck, safety) for card in rest) / Fraction(len(rest))
        assert draw == value


def best_hand(hand, deck, safety):
    if len(hand) == 3:
        return Fraction(score(hand))
    hold = max(score(hand, safety=safety, suit=None if safety == "none" else s) for s in "ab")
    rest = [card for card in deck if card not in hand]
    draw = sum(best_hand((*hand, card), deck, safety) for card in rest) / Fraction(len(rest))
    return max(Fraction(hold), draw)


# -------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    "options",
    [
        {"highest": 21},
        {"copies": 0},
        {"max_cards": 7},
        {"max_cards": 2.0},
        {"equal": "none"},
        {"equal": []},
        {"pass_penalty": -100},
        {"pass_penalty": 0.5},
        {"replacement": "no"},
        {"replacement": 1},
        {"highest": 4, "max_cards": 5},
    ],
)
def test_options_that_cannot_be(options):
    with pytest.raises(RulesError):
        Solo(**options)


@pytest.mark.parametrize(
    "hand",
    [*("21", "0", "3 3", "1 2 3 4 5 6", "x", "1a"), 5, None, [1.5], [True], [None], ["9" * 5000]],
)
def test_hands_that_cannot_be(hand):
    for use in (DRAFT.draws, DRAFT.value, DRAFT.of_drawing, DRAFT.points):
        with pytest.raises(RulesError, match="no hand"):
            use(hand)
    with pytest.raises(RulesError, match="no hand"):
        DRAFT.outcome(cards=hand)


def test_hands_may_be_given_in_several_ways():
    hands = ("3 20", ["3", "20"], (3, 20), np.array([3, 20]))
    for use in (DRAFT.value, DRAFT.of_drawing, DRAFT.points, DRAFT.draws):
        assert len({*map(use, hands), use(iter([3, 20]))}) == 1
    assert DRAFT.value("") == DRAFT.value()
    with pytest.raises(RulesError, match="no hand"):
        DRAFT.draws("")


def test_nothing_is_drawn_to_a_full_hand():
    with pytest.raises(RulesError, match="is full"):
        DRAFT.of_drawing([1, 2, 3, 4, 5])


@pytest.mark.parametrize("policy", [Fraction(3, 2), Fraction(-1, 2), 0.5, 2, "abc", [True]])
def test_policies_that_cannot_be(policy):
    solo = Solo(highest=5, max_cards=3)
    for each in (policy, lambda hand: policy):
        with pytest.raises(RulesError, match="no way to play") as caught:
            solo.outcome(each)
        assert "引き方" in caught.value.text("ja")
    assert solo.outcome(lambda hand: np.bool_(hand.last < 3)) == solo.outcome(
        lambda hand: hand.last < 3
    )


@pytest.mark.parametrize(
    "options",
    [
        {"safety": "foo"},
        {"safety": []},
        {"highest": 0},
        {"highest": 2.0},
        {"suits": 1},
        {"suits": 0},
        {"max_cards": 1},
        {"highest": 2, "suits": 2, "max_cards": 5},
    ],
)
def test_safety_that_cannot_be(options):
    with pytest.raises(RulesError):
        with_safety(**options)


def test_what_needs_single_copies_says_so():
    for use in (best_thresholds, seen_hand, race):
        for solo in (Solo(highest=8, copies=5), Solo(replacement=True)):
            with pytest.raises(RulesError, match="one copy"):
                use(solo)


def test_an_outcome_in_numbers():
    dice = Outcome({n: Fraction(1, 6) for n in range(1, 7)}, {1: Fraction(1)})
    assert (dice.mean, dice.variance) == (Fraction(7, 2), Fraction(35, 12))
    assert dice.sd == math.sqrt(35 / 12)
    assert beats(dice, dice) == (Fraction(5, 12), Fraction(1, 6), Fraction(5, 12))
    assert np.isclose(float(dice.chance(lambda n: n > 4)), 1 / 3)
