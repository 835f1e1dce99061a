"""The small game: its tree against the engine, its solution against an LP and OpenSpiel."""

import itertools
import random

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import coo_array, csr_array, hstack, vstack

from cardlab import load_game
from cardlab.analysis import exact
from cardlab.analysis.optimal import _ORDERS, SHIELDS, SIZE, SmallGame
from cardlab.games.gpt_deck import UNIVERSE, Deck

TINY = SmallGame(ranks=3, cap=9)
READINGS = ("attacker_wins", "draw", "counter_player_wins")


def random_behaviour(game, seed):
    rng = np.random.default_rng(seed)
    parts = game.at_random(np.ones(len(game.decks)) / len(game.decks))
    drawn = [rng.random(part.shape) ** 3 for part in (parts.deck, parts.first, parts.second)]
    return type(parts)(*(part / part.sum(axis=-1, keepdims=True) for part in drawn))


# -------------------------------------------------------------------------------------- the tree


@pytest.mark.parametrize("reading", READINGS)
def test_every_way_a_game_can_go_is_what_the_engine_says(reading):
    decks = [Deck.parse("2b0200000000" + "0"), Deck.parse("r2bb000000000")]
    game = SmallGame(double_knockout=reading, decks=decks)
    rules = {"deck_size": SIZE, "deck_sum_max": 12, "n_shields": SHIELDS, "hand_size": 2}
    engine = load_game("gpt", double_knockout=reading, **rules)
    keys, payoffs = game._pair(0, 1)
    told = [{}, {}]
    for deal in random.Random(1).sample(range(len(_ORDERS) ** 2), 70):
        orders = _ORDERS[deal // len(_ORDERS)], _ORDERS[deal % len(_ORDERS)]
        cards = [
            [UNIVERSE[seat][game._places[seat][i]].ascii for i in orders[seat]] for seat in (0, 1)
        ]
        start = engine.state_from_dict(
            {
                "phase": "play",
                "turn": 1,
                "players": [
                    {"shields": each[:2], "hand": each[2:4], "stock": each[4:]} for each in cards
                ],
            }
        )
        for choices in range(16):
            leaf = 16 * deal + choices
            state = start.clone()
            for turn in range(3):
                if turn == 1:
                    for seat in (0, 1):
                        seen = state.observation(seat).to_json()
                        key = int(keys[seat, leaf]) >> 1
                        assert told[seat].setdefault(key, seen) == seen
                for seat in (0, 1):
                    one, two = choices >> seat & 1, choices >> (2 + seat) & 1
                    each = cards[seat]
                    drawn, kept = each[4], each[3 - one]
                    card = (each[2 + one], drawn if two else kept, kept if two else drawn)[turn]
                    state.apply(f"play {card}", seat)
                while state.phase in ("strike", "counter"):
                    state.apply(state.legal_actions()[0])
                if state.is_terminal():
                    break
            assert state.returns()[0] == payoffs[leaf]
    for each in told:
        # What a player can tell apart has numbers of its own.
        assert len(set(each.values())) == len(each) > 100


def test_payoffs_are_those_of_random_play():
    game = SmallGame(decks=[Deck.parse(code + "0" * 9) for code in ("2b02", "b2bb", "22r0")])
    payoffs = game.payoffs
    assert abs(payoffs + payoffs.T).max() < 1e-15
    for i, j in itertools.product(range(3), repeat=2):
        mine, theirs = (game.at_random(np.eye(3)[k]) for k in (i, j))
        wanted = exact.match(game.decks[i], game.decks[j], n_shields=SHIELDS).value
        assert game.value(mine, theirs) == pytest.approx(wanted, abs=1e-12)


def test_legal_decks_are_all_that_there_are():
    game = SmallGame()
    assert len(game.decks) == 28
    everything = [
        sum(1 << bit for bit in bits)
        for bits in itertools.combinations(range(8), 5)
        if sum(bit // 2 + 1 for bit in bits) <= 12
    ]
    assert sorted(deck.mask for deck in game.decks) == sorted(everything)


# ----------------------------------------------------------------------------------- best replies


def test_no_strategy_wins_more_than_the_best_reply():
    for seed in range(5):
        strategy = random_behaviour(TINY, seed)
        best = TINY.exploit(strategy)
        for other in range(5, 30):
            rival = random_behaviour(TINY, other)
            won = TINY.value(rival, strategy)
            assert won <= best
            assert won == pytest.approx(-TINY.value(strategy, rival), abs=1e-12)


def reply_by_trial(game, strategy):
    """The best reply, found choice by choice from the end, in plain Python."""
    worth = game.worth(strategy).tolist()
    first = [0.0] * (20 * len(game.decks))
    for pair, before in enumerate(game._first_of.tolist()):
        first[before] += max(worth[2 * pair], worth[2 * pair + 1])
    hands = [max(first[2 * hand], first[2 * hand + 1]) for hand in range(len(first) // 2)]
    return max(sum(hands[10 * i : 10 * i + 10]) for i in range(len(game.decks)))


def test_the_best_reply_by_a_second_way():
    for seed in range(3):
        strategy = random_behaviour(TINY, seed)
        assert TINY.exploit(strategy) == pytest.approx(reply_by_trial(TINY, strategy))


# -------------------------------------------------------------------------------- a linear program


def constraints(game):
    """The matrix that makes a plan of chances: what follows a choice sums up to its chance.

    Columns: the empty sequence, decks, first choices, second choices. Rows: one for the empty
    sequence, one for the choice of the deck, then one for each hand and for each situation.
    """
    n, pairs = len(game.decks), len(game._first_of)
    width = 1 + n + 20 * n + 2 * pairs
    entries = [(0, 0, 1.0), (1, 0, -1.0)]
    entries += [(1, 1 + i, 1.0) for i in range(n)]
    for hand in range(10 * n):
        entries += [(2 + hand, 1 + n + 2 * hand + k, 1.0) for k in (0, 1)]
        entries.append((2 + hand, 1 + hand // 10, -1.0))
    start, row = 1 + 21 * n, 2 + 10 * n
    for pair, before in enumerate(game._first_of.tolist()):
        entries += [(row + pair, start + 2 * pair + k, 1.0) for k in (0, 1)]
        entries.append((row + pair, 1 + n + before, -1.0))
    rows, columns, values = zip(*entries, strict=True)
    return csr_array(coo_array((values, (rows, columns)), (row + pairs, width)))


def linear_program(game, deck=None):
    """What the other player wins at best when one plays best, who may have to take a deck."""
    plan = constraints(game)
    rows, width = plan.shape
    skip = width - game.payoffs.shape[0]
    # In whole numbers, which the solver takes to more quickly.
    deals = len(_ORDERS) ** 2
    payoffs = hstack([csr_array((game.payoffs.shape[0], skip)), deals * game.payoffs])
    payoffs = vstack([csr_array((skip, width)), payoffs])
    # Variables: what each situation of the other is worth, and one's own plan.
    upper = hstack([-plan.T, payoffs])
    equal = hstack([csr_array((rows, rows)), plan])
    right = np.r_[1.0, np.zeros(rows - 1)]
    bounds = [(None, None)] * rows + [(0, None)] * width
    if deck is not None:
        for i in range(len(game.decks)):
            bounds[rows + 1 + i] = (float(i == deck),) * 2
    cost = np.r_[1.0, np.zeros(rows + width - 1)]
    found = linprog(cost, upper, np.zeros(width), equal, right, bounds=bounds, method="highs-ds")
    assert found.success
    return found.fun / deals


def test_the_linear_program_finds_the_same_values():
    assert linear_program(TINY) == pytest.approx(0, abs=1e-7)
    solution = TINY.solve(1e-3)
    assert solution.exploitability == TINY.exploit(solution.strategy) < 1e-3
    for deck in range(2):
        bound = TINY.solve(1e-3, decks=np.eye(2)[deck])
        assert bound.strategy.deck.tolist() == np.eye(2)[deck].tolist()
        assert 0 <= bound.exploitability - linear_program(TINY, deck) + 1e-7 < 1e-3


# --------------------------------------------------------------------------------------- OpenSpiel


def extensive_form(game):
    """The tree of a game with one deck, in the file format of Gambit, and its situations."""
    keys, payoffs = game._pair(0, 0)
    deals = len(_ORDERS) ** 2
    numbers = [{}, {}]
    lines = ['EFG 2 R "small game" { "1" "2" }', ""]
    chances = " ".join(f'"{deal}" {1 / deals!r}' for deal in range(deals))
    lines.append(f'c "" 1 "" {{ {chances} }} 0')

    def decide(seat, situation, names):
        number = numbers[seat].setdefault(situation, len(numbers[seat]) + 1)
        lines.append(f'p "" {seat + 1} {number} "" {{ {names} }} 0')

    for deal in range(deals):
        first = [int(keys[seat, 16 * deal]) // (2 * 9**4 * 2) for seat in (0, 1)]
        decide(0, ("first", first[0]), '"l" "h"')
        for one in (0, 1):
            decide(1, ("first", first[1]), '"l" "h"')
            for other in (0, 1):
                leaf = 16 * deal + one + 2 * other
                decide(0, ("second", int(keys[0, leaf]) >> 1), '"k" "d"')
                for two in (0, 1):
                    decide(1, ("second", int(keys[1, leaf]) >> 1), '"k" "d"')
                    for another in (0, 1):
                        at = leaf + 4 * two + 8 * another
                        won = int(payoffs[at])
                        lines.append(f't "" {at + 1} "" {{ {won} {-won} }}')
    return "\n".join(lines) + "\n", numbers


@pytest.mark.filterwarnings("default")
def test_openspiel_judges_the_solution_alike():
    import pyspiel

    game = SmallGame(decks=[Deck.parse("2b02000000000")])
    text, numbers = extensive_form(game)
    judge = pyspiel.load_efg_game(text)
    hands = [low * 9 + high for low, high in itertools.combinations(game._places[0].tolist(), 2)]
    pairs = (game._halves[0].keys[::2] >> 1).tolist()

    def judged(strategy):
        table = {}
        for seat in (0, 1):
            for (when, key), number in numbers[seat].items():
                if when == "first":
                    actions, chances = (0, 1), strategy.first[hands.index(key)]
                else:
                    actions, chances = (2, 3), strategy.second[pairs.index(key)]
                table[f"{seat}-{seat}-{number}-"] = list(zip(actions, chances, strict=True))
        # Either player could win so much by a better reply, and both play the same.
        return pyspiel.nash_conv(judge, pyspiel.TabularPolicy(table)) / 2

    for strategy in (random_behaviour(game, 1), game.solve(1e-3).strategy):
        assert judged(strategy) == pytest.approx(game.exploit(strategy), abs=1e-9)
