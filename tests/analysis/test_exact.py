"""Exact outcomes against complete enumeration, the engine itself, and simulation."""

import math
import random
from collections import Counter
from fractions import Fraction
from itertools import combinations, permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cardlab
from cardlab.analysis import decks, exact
from cardlab.analysis.exact import match
from cardlab.analysis.sweep import sweep
from cardlab.errors import DeckError, NotationError, RulesError
from cardlab.games.gpt_deck import RANK_OF_BIT, UNIVERSE, Deck, draw_deck

READINGS = {"attacker_wins": 1, "draw": 0, "counter_player_wins": -1}
COMPARES = ("strict_number", "ge", "number_then_colour")


# --------------------------------------------------------- the rules once more, written differently


def beats(first, second):
    """A card is its bit: two bits a rank, red before black, so the higher bit wins."""
    return first > second


def strikes_back(shield, winner, compare):
    if compare == "number_then_colour":
        return shield > winner
    if compare == "ge":
        return shield // 2 >= winner // 2
    return shield // 2 > winner // 2


def play(order_a, order_b, n_shields, compare):
    """One game from the orders in which cards come out: (ending, turns)."""
    size = len(order_a)
    shields = [list(order_a[size - n_shields :]), list(order_b[size - n_shields :])]
    for turn, cards in enumerate(zip(order_a, order_b, strict=True), start=1):
        if cards[0] != cards[1]:
            winner = 0 if beats(*cards) else 1
            struck = shields[1 - winner].pop(0)
            if strikes_back(struck, cards[winner], compare):
                shields[winner].pop(0)
            left = [len(row) for row in shields]
            if left == [0, 0]:
                return f"knockout {winner}", turn
            if 0 in left:
                return "win" if left[0] else "loss", turn
        if turn == size - n_shields:
            difference = len(shields[0]) - len(shields[1])
            return "win" if difference > 0 else "loss" if difference else "draw", turn
    raise AssertionError


def enumerate_games(deals_a, deals_b, n_shields, compare):
    """How often each ending comes, and the sum of turns, over all pairs of orders."""
    endings = Counter(
        play(a, b, n_shields, compare) for a, b in product(list(deals_a), list(deals_b))
    )
    games = sum(endings.values())
    shares = Counter()
    for (ending, _), number in endings.items():
        shares[ending] += Fraction(number, games)
    turns = sum(Fraction(number * turn, games) for (_, turn), number in endings.items())
    return shares, turns


def same(outcome, shares, turns, reading):
    attacker = READINGS[reading]
    knockouts = shares["knockout 0"], shares["knockout 1"]
    win, loss, draw = shares["win"], shares["loss"], shares["draw"]
    if attacker == 0:
        draw += sum(knockouts)
    else:
        win += knockouts[0 if attacker == 1 else 1]
        loss += knockouts[1 if attacker == 1 else 0]
    assert (outcome.win, outcome.loss, outcome.draw) == (win, loss, draw)
    assert outcome.double_knockout == knockouts
    assert outcome.turns == turns
    assert outcome.win + outcome.loss + outcome.draw == 1


def some_bits(rng, size, ranks):
    """Different cards of a few ranks only, so that equal numbers and cards are frequent."""
    return sorted(rng.sample(range(2 * ranks), size))


def deck_of(bits):
    return Deck(sum(1 << bit for bit in bits))


SMALL = [(size, n) for size in (2, 3, 4) for n in range(1, size)] * 10 + [(5, 2), (5, 3)] * 2


@pytest.mark.parametrize(
    ("number", "size", "n_shields"), [(i, *case) for i, case in enumerate(SMALL)]
)
def test_every_order_of_small_decks(number, size, n_shields):
    rng = random.Random(number)
    a = some_bits(rng, size, rng.randint((size + 1) // 2, 5))
    b = some_bits(rng, size, rng.randint((size + 1) // 2, 5))
    compare = COMPARES[number % 3]
    shares, turns = enumerate_games(permutations(a), permutations(b), n_shields, compare)
    for reading in READINGS:
        outcome = match(
            deck_of(a),
            deck_of(b),
            n_shields=n_shields,
            double_knockout=reading,
            counter_compare=compare,
            exact=True,
        )
        same(outcome, shares, turns, reading)


def test_every_order_of_six_cards():
    n_shields = 3
    a, b = (1, 2, 3, 6, 8, 9), (0, 3, 4, 5, 8, 11)
    pairs = product(permutations(a), permutations(b))
    first, second = np.array([*pairs]).swapaxes(0, 1)
    games = len(first)
    assert games == math.factorial(6) ** 2
    endings, turns = play_many(first, second, n_shields, "strict_number")
    shares = Counter({ending: Fraction(number, games) for ending, number in endings.items()})
    outcome = match(deck_of(a), deck_of(b), n_shields=n_shields, exact=True)
    same(outcome, shares, Fraction(int(turns.sum()), games), "attacker_wins")


def orders_with_chosen(bits, shields):
    rest = [bit for bit in bits if bit not in shields]
    return [head + tail for head in permutations(rest) for tail in permutations(shields)]


@pytest.mark.rule("G6")
@pytest.mark.parametrize("number", range(24))
def test_every_order_with_chosen_shields(number):
    rng = random.Random(number)
    size, n_shields = rng.choice([(3, 1), (3, 2), (4, 1), (4, 2), (4, 3), (5, 2)])
    a, b = some_bits(rng, size, 4), some_bits(rng, size, 4)
    own = [rng.sample(bits, n_shields) for bits in (a, b)]
    compare = COMPARES[number % 3]
    shares, turns = enumerate_games(
        orders_with_chosen(a, own[0]), orders_with_chosen(b, own[1]), n_shields, compare
    )
    for reading in READINGS:
        outcome = match(
            deck_of(a),
            deck_of(b),
            shields=(deck_of(own[0]), deck_of(own[1])),
            double_knockout=reading,
            counter_compare=compare,
            exact=True,
        )
        same(outcome, shares, turns, reading)


# --------------------------------------------------------------------------------------- the engine


def through_the_engine(a, b, hand_size, **options):
    """Chances of the results over every deal, every card played and every slot, by the engine."""
    size, n_shields = len(a), options["n_shields"]
    game = cardlab.load_game(
        "gpt",
        deck_size=size,
        deck_sum_max=182,
        hand_size=hand_size,
        decks=(deck_of(a), deck_of(b)),
        **options,
    )
    start = game.new_initial_state(0)
    results = Counter()
    deals = [list(permutations(bits)) for bits in (a, b)]
    for orders in product(*deals):
        state = start.clone()
        for seat, order in enumerate(orders):
            cards = [UNIVERSE[seat][bit] for bit in order]
            zones = state.players[seat]
            zones.shields = list(cards[:n_shields])
            zones.hand = cards[n_shields : n_shields + hand_size]
            zones.stock = cards[n_shields + hand_size :]
        walk(state, Fraction(1, math.prod(map(len, deals))), results)
    return results


def walk(state, chance, results):
    if state.is_terminal():
        results[state.returns()[0]] += chance
        return
    actions = state.legal_actions()
    for action in actions:
        after = state.clone()
        after.apply(action)
        walk(after, chance / len(actions), results)


@pytest.mark.rule("G15")
@pytest.mark.rule("G17")
@pytest.mark.rule("G18")
@pytest.mark.parametrize(
    ("a", "b", "hand_size", "options"),
    [
        ((1, 2, 5), (0, 3, 5), 1, {"n_shields": 2}),
        ((1, 2, 5), (0, 3, 5), 1, {"n_shields": 2, "double_knockout": "counter_player_wins"}),
        ((1, 2, 5), (0, 3, 4), 1, {"n_shields": 2, "double_knockout": "draw"}),
        ((1, 2, 5), (0, 3, 4), 2, {"n_shields": 1, "counter_compare": "ge"}),
        ((0, 1, 4), (2, 3, 4), 2, {"n_shields": 1, "counter_compare": "number_then_colour"}),
        ((0, 3, 4, 7), (1, 2, 5, 6), 2, {"n_shields": 2, "counter_choice": "owner"}),
        ((0, 3, 4, 7), (1, 2, 5, 6), 1, {"n_shields": 2}),
    ],
)
def test_every_game_of_the_engine(a, b, hand_size, options):
    results = through_the_engine(a, b, hand_size, **options)
    readings = {key: value for key, value in options.items() if key != "counter_choice"}
    outcome = match(deck_of(a), deck_of(b), exact=True, **readings)
    assert results[1.0] == outcome.win
    assert results[-1.0] == outcome.loss
    assert results[0.0] == outcome.draw


@pytest.mark.parametrize("hand_size", [1, 3, 10])
def test_random_games_of_the_engine_on_full_decks(hand_size):
    """However many cards a hand holds, the results stay within five standard errors."""
    pair = "2b2bbbbb0b022", "22r00bb222r0b"
    rng = random.Random(hand_size)
    game = cardlab.load_game("gpt", decks=pair, hand_size=hand_size)
    games = 400
    results, turns = Counter(), []
    for _ in range(games):
        state = game.new_initial_state(rng.getrandbits(60))
        while not state.is_terminal():
            state.apply(rng.choice(state.legal_actions()))
        results[state.returns()[0]] += 1
        turns.append(state.turn)
    outcome = match(*pair)
    for result, chance in ((1.0, outcome.win), (-1.0, outcome.loss), (0.0, outcome.draw)):
        error = math.sqrt(chance * (1 - chance) / games)
        assert abs(results[result] / games - chance) < 5 * error
    assert abs(np.mean(turns) - outcome.turns) < 5 * np.std(turns) / math.sqrt(games)


# --------------------------------------------------------------------------------------- simulation


ENDINGS = ("win", "loss", "draw", "knockout 0", "knockout 1")


def simulate(a, b, games, rng, n_shields=5, compare="strict_number"):
    """Many random games: (endings by name, turns)."""
    orders = (
        np.array(bits)[rng.random((games, len(bits))).argsort(axis=1)]
        for bits in (sorted(a), sorted(b))
    )
    return play_many(*orders, n_shields, compare)


def play_many(first, second, n_shields, compare):
    """Many games at once in numpy, from the orders of cards, a row a game: (endings, turns)."""
    # A row for each place in the order, so that a turn has its cards side by side.
    orders = np.ascontiguousarray(first.T), np.ascontiguousarray(second.T)
    size, games = orders[0].shape
    left = np.full((2, games), n_shields)
    ending = np.full(games, -1)
    turns = np.zeros(games, int)
    everyone = np.arange(games)
    for turn in range(size - n_shields):
        alive = ending < 0
        turns += alive
        played = orders[0][turn], orders[1][turn]
        ahead = [alive & (played[0] > played[1]), alive & (played[1] > played[0])]
        for winner in (0, 1):
            who = ahead[winner]
            struck = orders[1 - winner][size - left[1 - winner].clip(1), everyone]
            back = who & strikes_back_many(struck, played[winner], compare)
            left[1 - winner] -= who
            left[winner] -= back
            ending[who & (left == 0).all(axis=0)] = ENDINGS.index(f"knockout {winner}")
        ending[alive & (left[0] == 0) & (left[1] > 0)] = ENDINGS.index("loss")
        ending[alive & (left[1] == 0) & (left[0] > 0)] = ENDINGS.index("win")
    alive = ending < 0
    ending[alive & (left[0] > left[1])] = ENDINGS.index("win")
    ending[alive & (left[0] < left[1])] = ENDINGS.index("loss")
    ending[alive & (left[0] == left[1])] = ENDINGS.index("draw")
    numbers = np.bincount(ending, minlength=len(ENDINGS)).tolist()
    return dict(zip(ENDINGS, numbers, strict=True)), turns


def strikes_back_many(shield, winner, compare):
    if compare == "number_then_colour":
        return shield > winner
    return shield // 2 >= winner // 2 if compare == "ge" else shield // 2 > winner // 2


@pytest.mark.parametrize("compare", COMPARES)
def test_simulated_full_decks(compare):
    """Z-scores of 10 pairs of decks, 7 numbers each, look like standard normal ones."""
    rng, pyrng = np.random.default_rng(5), random.Random(5)
    games = 60_000
    scores = []
    for _ in range(10):
        a, b = draw_deck(pyrng), draw_deck(pyrng)
        bits = [[bit for bit in range(26) if deck.mask >> bit & 1] for deck in (a, b)]
        endings, turns = simulate(*bits, games, rng, compare=compare)
        outcome = match(a, b, double_knockout="draw", counter_compare=compare)
        on_a, on_b = outcome.double_knockout
        for name, chance in {
            "win": outcome.win,
            "loss": outcome.loss,
            "draw": outcome.draw - on_a - on_b,
            "knockout 0": on_a,
            "knockout 1": on_b,
        }.items():
            scores.append(
                (endings[name] / games - chance) / math.sqrt(chance * (1 - chance) / games)
            )
        scores.append((turns.mean() - outcome.turns) / (turns.std() / math.sqrt(games)))
    scores = np.array(scores)
    assert np.abs(scores).max() < 4.5
    assert 0.6 < np.mean(scores**2) < 1.6


# -------------------------------------------------------------------------------------- known games


@pytest.mark.rule("G17")
def test_two_cards_by_hand():
    """Kings beat; when the ace is played, the king behind it strikes back at once."""
    outcome = match("Ks As", "Qs 2s", n_shields=1, exact=True)
    assert outcome.double_knockout == (0, Fraction(1, 2))
    assert (outcome.win, outcome.loss) == (Fraction(1, 2), Fraction(1, 2))
    draw = match("Ks As", "Qs 2s", n_shields=1, double_knockout="draw", exact=True)
    assert (draw.win, draw.draw) == (Fraction(1, 2), Fraction(1, 2))
    back = match("Ks As", "Qs 2s", n_shields=1, double_knockout="counter_player_wins", exact=True)
    assert back.win == 1


@pytest.mark.rule("G11")
@pytest.mark.rule("G12")
def test_kings_alone_by_hand():
    """Equal colours tie; black beats red, and only the reading decides what the shield does."""
    for compare, knockout in (("strict_number", 0), ("ge", 1), ("number_then_colour", 0)):
        outcome = match("Ks Kh", "Kd Kc", n_shields=1, counter_compare=compare, exact=True)
        assert outcome.draw == Fraction(1, 2)
        assert outcome.win == outcome.loss == Fraction(1, 4)
        assert sum(outcome.double_knockout) == Fraction(knockout, 2)
        assert outcome.turns == 1


bits15 = st.sets(st.integers(0, 25), min_size=15, max_size=15).map(deck_of)


@settings(max_examples=40, deadline=None)
@given(bits15, bits15, st.sampled_from(list(READINGS)), st.sampled_from(COMPARES))
def test_seats_are_alike(a, b, reading, compare):
    options = {"double_knockout": reading, "counter_compare": compare, "exact": True}
    here, there = match(a, b, **options), match(b, a, **options)
    assert (here.win, here.loss, here.draw) == (there.loss, there.win, there.draw)
    assert here.double_knockout == there.double_knockout[::-1]
    assert here.turns == there.turns
    assert here.win + here.loss + here.draw == 1
    assert min(here.win, here.loss, here.draw, *here.double_knockout) >= 0
    assert 3 <= here.turns <= 10
    assert match(a, a, **options).value == 0


@settings(max_examples=20, deadline=None)
@given(bits15, bits15)
def test_random_shields_are_the_mean_of_all_choices_of_shields(a, b):
    """Small decks: dealing shields is choosing them uniformly."""
    a, b = (Deck(sum(1 << bit for bit in sorted(bits)[::4])) for bits in map(bits_of, (a, b)))
    pairs = list(product(subsets(a, 2), subsets(b, 2)))
    mean = sum(match(a, b, shields=pair, exact=True).win for pair in pairs) / len(pairs)
    assert match(a, b, n_shields=2, exact=True).win == mean


def bits_of(deck):
    return [bit for bit in range(26) if deck.mask >> bit & 1]


def subsets(deck, number):
    return [deck_of(chosen) for chosen in combinations(bits_of(deck), number)]


def test_floats_are_the_fractions_rounded():
    rng = random.Random(7)
    for _ in range(20):
        a, b = draw_deck(rng), draw_deck(rng)
        floats, fractions = match(a, b), match(a, b, exact=True)
        assert floats.win == float(fractions.win)
        assert floats.turns == float(fractions.turns)
        assert isinstance(floats.win, float)
        assert isinstance(fractions.win, Fraction)


def test_numbers_too_large_for_float64_are_counted_exactly():
    a = b = Deck((1 << 26) - 1)
    machine = sweep(26, 5)
    side = exact.whole(a)
    floats = machine._arrangements(side, side, np.float64)
    assert floats.max() > 2.0**53
    outcome = match(a, b, exact=True)
    assert outcome.win + outcome.loss + outcome.draw == 1
    assert outcome.win == outcome.loss
    # Few cards take the quick way; the slow one agrees.
    small = exact.whole(decks.nth_deck(1000))
    quick = sweep(15, 5)._arrangements(small, small, np.float64)
    slow = sweep(15, 5)._arrangements(small, small, object)
    assert quick.tolist() == slow.tolist()


# ---------------------------------------------------------------------------------------- all decks


@pytest.mark.parametrize(
    ("size", "cap", "options"),
    [
        (15, 100, {}),
        (9, 44, {"double_knockout": "draw", "counter_compare": "ge"}),
        (
            *(10, 50),
            {"double_knockout": "counter_player_wins", "counter_compare": "number_then_colour"},
        ),
    ],
)
def test_all_decks_against_one(size, cap, options):
    rng = random.Random(1)
    b = draw_deck(rng, size, cap)
    found = exact.against(b, cap=cap, **options)
    legal = decks.enumerate(size, cap)
    assert np.array_equal(found.decks.masks, legal.masks)
    assert np.abs(found.win + found.loss + found.draw - 1).max() < 1e-12
    for place in rng.sample(range(len(legal)), 150):
        outcome = match(legal[place], b, **options)
        assert abs(found.win[place] - outcome.win) < 1e-12
        assert abs(found.loss[place] - outcome.loss) < 1e-12
        assert abs(found.draw[place] - outcome.draw) < 1e-12
        assert np.abs(found.double_knockout[:, place] - outcome.double_knockout).max() < 1e-12
        assert abs(found.turns[place] - outcome.turns) < 1e-11
    assert np.abs(exact.values(b, cap=cap, **options) - found.value).max() < 1e-12


@pytest.mark.parametrize(
    ("size", "cap", "n_shields"),
    [(3, 20, 1), (4, 182, 2), (5, 24, 4), (6, 30, 2), (26, 182, 5), (2, 3, 1)],
)
def test_all_decks_of_other_sizes(size, cap, n_shields):
    rng = random.Random(size)
    legal = decks.enumerate(size, cap)
    b = legal[rng.randrange(len(legal))]
    found = exact.against(b, cap=cap, n_shields=n_shields)
    assert np.array_equal(found.decks.masks, legal.masks)
    for place in rng.sample(range(len(legal)), min(60, len(legal))):
        outcome = match(legal[place], b, n_shields=n_shields)
        assert abs(found.value[place] - outcome.value) < 1e-12
        assert abs(found.turns[place] - outcome.turns) < 1e-11


def test_all_decks_against_a_mixture():
    rng = random.Random(2)
    one, two = (draw_deck(rng, 6, 30) for _ in range(2))
    options = {"cap": 30, "n_shields": 2}
    mixed = exact.against({one: Fraction(1, 4), two: 0.75}, **options)
    parts = [exact.against(deck, **options) for deck in (one, two)]
    for name in ("win", "loss", "draw", "double_knockout", "turns", "value"):
        first, second = (getattr(part, name) for part in parts)
        assert np.abs(getattr(mixed, name) - (first / 4 + 0.75 * second)).max() < 1e-12


def test_tables_of_all_decks():
    small = exact.against("Ks 2h As", cap=30, n_shields=1)
    best = small.best(5)
    assert best["value"].is_monotonic_decreasing
    assert best["value"].iloc[0] == small.value.max()
    top = exact.match(best["code"].iloc[0], "Ks 2h As", n_shields=1)
    assert abs(top.value - small.value.max()) < 1e-12
    frame = small.to_frame()
    assert len(frame) == decks.count(3, 30)
    assert list(frame.columns) == [
        *("code", "sum", "value", "win", "loss", "draw"),
        *("knockout_own", "knockout_other", "turns"),
    ]
    assert len(small.best(10**6)) == len(frame)
    assert frame["sum"].max() == 30
    assert RANK_OF_BIT[-1] == 13


# ----------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: match("Ks Qs", "Ks"), DeckError, "one size"),
        (lambda: match("Ks Qs", 5, n_shields=1), DeckError, "no deck"),
        (lambda: match("Ks Ks", "Ks Qs", n_shields=1), DeckError, "twice"),
        (lambda: match("2b2bbbbb0b02", "2b2bbbbb0b022"), NotationError, "13"),
        (lambda: match("Ks Qs", "Ks Qs", n_shields=2), RulesError, "3"),
        (lambda: match("Ks Qs", "Ks Qs", n_shields=0), RulesError, "n_shields"),
        (lambda: match("Ks Qs", "Ks Qs", n_shields=1, double_knockout="x"), RulesError, "draw"),
        (lambda: match("Ks Qs", "Ks Qs", n_shields=1, counter_compare="x"), RulesError, "ge"),
        (lambda: match("Ks Qs", "Ks Qs", shields="owner"), RulesError, "chosen"),
        (lambda: match("Ks Qs", "Ks Qs", shields=3), RulesError, "chosen"),
        (lambda: match("Ks Qs", "Ks Qs", shields=("Ks", "2s")), DeckError, "shield"),
        (lambda: match("Ks Qs", "Ks Qs", shields=("Ks", "Ks Qs")), DeckError, "shield"),
        (lambda: exact.against({}), DeckError, "at least one"),
        (lambda: exact.against({"Ks Qs": 0.5}, n_shields=1), RulesError, "0.5"),
        (lambda: exact.against({"Ks Qs": 2, "Ks Js": -1}, n_shields=1), RulesError, "negative"),
        (lambda: exact.against("Ks Qs", cap=1, n_shields=1), RulesError, "cap of 1"),
        (lambda: exact.values("Ks Qs", cap=183, n_shields=1), RulesError, "182"),
    ],
)
def test_refusals(call, error, words):
    with pytest.raises(error) as caught:
        call()
    assert words in str(caught.value)
    assert caught.value.text("ja") != str(caught.value)
