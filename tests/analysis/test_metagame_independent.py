"""The published claims checked by a program that shares no code with cardlab: ``recheck.py``."""

import ast
import json
import random
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from cardlab.analysis import exact, metagame
from cardlab.analysis.decks import enumerate, nth_deck
from tests.analysis import recheck

DATA = Path(__file__).parents[2] / "data"
CERTIFICATES = ("gpt_optimal", "gpt_optimal_draw", "gpt_optimal_counter", "gpt_optimal_chosen")
READINGS = recheck.KNOCKOUT


@pytest.fixture(autouse=True, scope="module")
def _one_thread():
    with threadpool_limits(1):
        yield


def certificate(name):
    return json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))


def test_recheck_shares_no_code_with_cardlab():
    tree = ast.parse(Path(recheck.__file__).read_text(encoding="utf-8"))
    imported = {
        name.partition(".")[0]
        for node in ast.walk(tree)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert imported == {
        "fractions",
        "functools",
        "itertools",
        "json",
        "math",
        "numpy",
        "operator",
        "pathlib",
        "scipy",
        "sys",
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", CERTIFICATES)
def test_no_legal_strategy_gains_against_a_published_mixture(name):
    """Payoffs as fractions, and the maximum over all legal decks, with all choices of shields."""
    number = 7_484_959_482 if name.endswith("chosen") else 2_492_494
    assert recheck.recheck(certificate(name)) == (0, number)


def game(rules, reading):
    size, cap, shields, chosen = rules
    return recheck.Game(size, cap, shields, chosen, READINGS[reading])


@pytest.mark.parametrize("reading", READINGS)
def test_values_of_all_decks_of_a_smaller_game(reading):
    b = enumerate(8, 36)[12_345]
    number, highest, found = recheck.best_replies(
        game((8, 36, 3, False), reading), {(b.mask, b.mask): 1}, 3.0
    )
    values = exact.values(b, cap=36, n_shields=3, double_knockout=reading)
    masks = np.array([mask for mask, _ in found])
    order = np.argsort(masks)
    assert np.array_equal(masks[order], enumerate(8, 36).masks)
    assert np.abs(np.array([*found.values()])[order] - values).max() < 1e-12
    assert number == len(values) > 20_000
    assert highest == max(found.values())


def test_the_best_of_all_legal_decks_against_one():
    b = nth_deck(1_234_567)
    number, highest, found = recheck.best_replies(
        game((15, 100, 5, False), "draw"), {(b.mask, b.mask): 1}, 1e-12
    )
    values = exact.values(b, double_knockout="draw")
    assert number == len(values)
    assert abs(highest - values.max()) < 1e-12
    assert int(enumerate().masks[values.argmax()]) in {mask for mask, _ in found}


@pytest.mark.parametrize("reading", READINGS)
def test_payoffs_as_fractions(reading):
    rng = random.Random(reading)
    dealt, chosen = game((15, 100, 5, False), reading), game((15, 100, 5, True), reading)
    for _ in range(4):
        a, b = nth_deck(rng.randrange(2_492_494)), nth_deck(rng.randrange(2_492_494))
        found = exact.match(a, b, double_knockout=reading, exact=True)
        assert dealt.payoff((a.mask, a.mask), (b.mask, b.mask)) == found.value
        down = [sum(1 << bit for bit in rng.sample(bits_of(deck.mask), 5)) for deck in (a, b)]
        found = exact.match(
            a, b, shields=[*map(exact.Deck, down)], double_knockout=reading, exact=True
        )
        hands = [(deck.mask & ~own, own) for deck, own in zip((a, b), down, strict=True)]
        assert chosen.payoff(*hands) == found.value


def bits_of(mask):
    return [bit for bit in range(26) if mask >> bit & 1]


def test_all_choices_of_shields_of_a_small_game():
    """Against a list: one shield's colour stands for both, and is counted twice."""
    small = game((4, 16, 2, True), "attacker_wins")
    b = ((1 << 8) + (1 << 3), (1 << 5) + (1 << 1))
    number, _, found = recheck.best_replies(small, {b: 1}, 3.0)
    every = [
        (deck.mask & ~down, down)
        for deck in enumerate(4, 16)
        for down in (sum(1 << bit for bit in pair) for pair in combinations(bits_of(deck.mask), 2))
    ]
    assert number == len(every)
    values = {hand: small.payoff(hand, b) for hand in every}
    assert found.keys() <= values.keys()
    assert all(abs(value - values[hand]) < 1e-13 for hand, value in found.items())
    assert {round(float(value), 12) for value in values.values()} == {
        round(value, 12) for value in found.values()
    }


def test_bounds_leave_out_nothing_near_the_highest():
    """Most pairs of halves are never multiplied; those that are worth it are all found."""
    middling = game((7, 30, 2, True), "draw")
    hands = [((1 << 9) + (1 << 7) + (1 << 6) + 12, 3), ((1 << 24) + (1 << 8) + (7 << 4), 9)]
    mixture = {hands[0]: Fraction(1, 3), hands[1]: Fraction(2, 3)}
    known = float(recheck.value_against(mixture, hands[0], middling))
    number, highest, every = recheck.best_replies(middling, mixture, 3.0)
    for margin in (1e-12, 0.01, 0.1):
        again, same, some = recheck.best_replies(middling, mixture, margin, known)
        assert again == number
        assert abs(same - highest) < 1e-13
        assert {hand for hand, value in every.items() if value >= highest - 0.99 * margin} <= {
            *some
        }
        assert all(abs(value - every[hand]) < 1e-13 for hand, value in some.items())
        assert min(some.values()) >= highest - 1.01 * margin
        assert len(some) < len(every) // 50


def test_bounds_are_never_exceeded():
    rng = np.random.default_rng(6)
    for states in (1, 5, 40):
        # Counts of very different sizes, and weights that nearly cancel.
        left = rng.random((states, 300)) * 10.0 ** rng.integers(0, 9, (states, 1))
        right = rng.normal(size=(states, 200)) / left.max(axis=1)[:, None]
        product = left.T @ right
        bounds = recheck.upper_bounds(left, right)
        highest = np.maximum.reduceat(product, np.arange(0, 300, recheck.BLOCK))
        assert bounds.shape == highest.shape
        assert (bounds >= highest).all()
        # One column alone is a box without any width.
        alone = recheck.upper_bounds(left[:, :1], right)
        assert np.abs(alone - product[:1]).max() < 1e-6


@pytest.fixture(scope="module")
def small():
    return json.dumps(metagame.solve(4, 20, 2).certificate.to_dict())


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda data: data.update(maximum="1/1000"), "wins something else"),
        (lambda data: data.update(strategies=2229), "number of strategies"),
        (lambda data: data["support"][0].update(weight="1/2"), "sum to 1"),
        (lambda data: data["support"][0].update(deck="000000000bb22"), "a wrong number of cards"),
        (lambda data: data["support"][0].update(deck="0000000000022"), "over the cap"),
        (lambda data: data["support"].append(data["support"][0]), "stands twice"),
        (lambda data: data["payoffs"].reverse(), "payoff is wrong"),
        (lambda data: data["support"][0].update(shields="b000000000000"), "shields are named"),
        (lambda data: swap_weights(data["support"]), "wins something else"),
    ],
)
def test_a_false_certificate_is_refused(small, change, words):
    data = json.loads(small)
    change(data)
    with pytest.raises(AssertionError, match=words):
        recheck.recheck(data)


def swap_weights(support):
    support[0]["weight"], support[1]["weight"] = support[1]["weight"], support[0]["weight"]


def test_a_true_certificate_is_not(small):
    assert recheck.recheck(json.loads(small)) == (0, 2228)


def test_a_mixture_that_is_not_optimal(small):
    data = json.loads(small)
    first = exact.Deck.parse(data["support"][0]["deck"])
    maximum = Fraction(exact.values(first, cap=20, n_shields=2).max()).limit_denominator(10**8)
    data.update(support=[data["support"][0] | {"weight": "1"}], payoffs=[["0"]])
    data.update(maximum=str(maximum))
    assert recheck.recheck(data) == (maximum, 2228)
