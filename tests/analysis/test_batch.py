"""The compiled rules of GPT against the engine, game by game, and against exact values."""

import itertools
import random

import numpy as np
import pandas as pd
import pytest

from cardlab import DeckError, RulesError, load_game
from cardlab.analysis import batch, exact
from cardlab.analysis.batch import ENDINGS, Policy, play, replay
from cardlab.bots import load_bot
from cardlab.bots.gpt_table import Abstraction, considered, situation
from cardlab.games.gpt_deck import UNIVERSE, Deck, bit_of, draw_deck

DECKS = "2b2bbbbb0b022", "22bbbbb0bb022"
GAME = load_game("gpt", decks=DECKS)
WINS = {-1: [0, 0], 0: [1, -1], 1: [-1, 1]}


def table_policy(abstraction, seed, one=True):
    """A policy with a random table; ``one`` card of each row has all the weight."""
    rng = np.random.default_rng(seed)
    weights = rng.integers(0, 1000, (abstraction.size, 3), np.uint16)
    if one:
        weights = np.eye(3, dtype=np.uint16)[rng.integers(0, 3, abstraction.size)]
    return Policy("table", abstraction=abstraction, table=weights)


TABLE = table_policy(Abstraction(own=(13,)), 1)
FINE = table_policy(Abstraction((*range(1, 9), *[8] * 18), (10, 12, 14), (9,)), 2)
MIXED = table_policy(Abstraction(), 3, one=False)


# ------------------------------------------------------------------------------------------ chance


@pytest.mark.parametrize(
    ("counter", "key", "words"),
    [
        ((0,) * 4, (0,) * 2, (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
        ((2**32 - 1,) * 4, (2**32 - 1,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
        (
            (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
            (0xA4093822, 0x299F31D0),
            (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
        ),
    ],
)
def test_the_generator_gives_the_known_answers(counter, key, words):
    """Of the file ``kat_vectors`` that Salmon and his colleagues publish with Random123."""
    assert batch._philox(*map(np.uint64, counter + key)) == words


def test_games_do_not_depend_on_how_they_are_cut():
    whole = play(GAME, ("random", MIXED), 100, seed=-5)
    parts = [play(GAME, ("random", MIXED), 20, seed=-5, first=first) for first in range(0, 100, 20)]
    assert np.array_equal(whole, np.concatenate(parts))
    assert not np.array_equal(whole, play(GAME, ("random", MIXED), 100, seed=-6))
    far = play(GAME, ("random", "random"), 3, seed=-5, first=2**40)
    assert not np.array_equal(far, whole[:3])


# ------------------------------------------------------------------------------- game by game


def same(game, policies, numbers, seed, shields=None):
    """Whether the engine ends like the kernel when it plays the same cards and choices."""
    results = play(game, policies, len(numbers), seed, numbers[0], shields)
    endings = set()
    for number, (winner, turns, left, right, ending) in zip(numbers, results.tolist(), strict=True):
        state = replay(game, policies, number, seed, shields)
        found = state.returns(), state.turn, state.scores(), state.log[-1].kind
        assert found == (WINS[winner], turns, [left, right], ENDINGS[ending]), number
        endings.add(ENDINGS[ending])
    return endings


READINGS = {
    "shield_mode": ("random", "chosen"),
    "counter_compare": ("strict_number", "ge", "number_then_colour"),
    "counter_choice": ("counter_player", "owner", "random"),
    "double_knockout": ("attacker_wins", "draw", "counter_player_wins"),
}


@pytest.mark.rule("G9")
@pytest.mark.rule("G13")
@pytest.mark.rule("G14")
@pytest.mark.parametrize("number", range(54))
def test_under_every_reading(number):
    values = list(itertools.product(*READINGS.values()))[number]
    rules = dict(zip(READINGS, values, strict=True))
    rng = random.Random(number)
    policies = rng.sample(["random", "highest", "threshold:7", TABLE, FINE, MIXED], 2)
    game = load_game("gpt", decks=(draw_deck(rng), draw_deck(rng)), **rules)
    assert "gpt.win" in same(game, policies, range(8), number)
    small = {"deck_size": 5, "hand_size": 2, "n_shields": 2} | rules
    few = load_game("gpt", decks=("b0b20000000r0", "20br00000b000"), **small)
    same(few, policies, range(100, 115), number)


@pytest.mark.rule("G17")
@pytest.mark.parametrize("reading", READINGS["double_knockout"])
def test_double_knockouts_end_as_the_reading_says(reading):
    game = load_game("gpt", decks=DECKS, double_knockout=reading)
    endings = same(game, ("random", "random"), range(60), 1)
    assert f"gpt.knockout_{reading}" in endings
    assert endings <= {"gpt.win", f"gpt.knockout_{reading}", "gpt.count_win", "gpt.count_draw"}


@pytest.mark.rule("G16")
@pytest.mark.rule("G18")
def test_sizes_of_decks_hands_and_shields():
    rng = random.Random(4)
    for _ in range(25):
        size = rng.randint(2, 26)
        n_shields = rng.randint(1, size - 1)
        rules = {"n_shields": n_shields, "hand_size": rng.randint(1, size - n_shields)}
        rules |= {"deck_size": size, "deck_sum_max": 182}
        decks = [Deck(sum(1 << bit for bit in rng.sample(range(26), size))) for _ in range(2)]
        game = load_game("gpt", decks=decks, **rules)
        same(game, rng.sample(["random", "highest", "threshold:3", TABLE, MIXED], 2), range(5), 1)


@pytest.mark.rule("G6")
def test_shields_that_are_given():
    game = load_game("gpt", decks=DECKS, shield_mode="chosen")
    lowest = [Deck.of(deck.cards()[:5]) for deck in game.decks]
    for policies in (("random", "highest"), (TABLE, "threshold:5")):
        same(game, policies, range(20), 3, lowest)
        for number in range(5):
            state = replay(game, policies, number, 3, lowest)
            for seat, shields in enumerate(lowest):
                gone = {card for card in state.out if card.suit in {c.suit for c in UNIVERSE[seat]}}
                down = {card for card in state.players[seat].shields if card is not None}
                assert down | gone >= set(shields.cards(seat))


# ---------------------------------------------------------------------------------------- policies


def table_choice(policy):
    def choose(observation, hand):
        row = policy.table[situation(observation, policy.abstraction)]
        weights = [
            0 if slot is None else int(weight)
            for slot, weight in zip(considered(len(hand)), row, strict=True)
        ]
        if not any(weights):
            return set(hand)
        return {
            hand[slot]
            for slot, weight in zip(considered(len(hand)), weights, strict=True)
            if weight
        }

    return choose


def threshold_choice(rank):
    return lambda _, hand: {next((card for card in hand if card.rank >= rank), hand[0])}


CHOICES = {
    "highest": ("highest", lambda _, hand: {hand[-1]}),
    "threshold": ("threshold:8", threshold_choice(8)),
    "table": (TABLE, table_choice(TABLE)),
    "fine": (FINE, table_choice(FINE)),
    "mixed": (MIXED, table_choice(MIXED)),
}


@pytest.mark.parametrize("name", CHOICES)
@pytest.mark.parametrize("shields", ["random", "chosen"])
def test_policies_choose_what_they_promise(name, shields):
    policy, choose = CHOICES[name]
    game = load_game("gpt", decks=DECKS, shield_mode=shields)
    for number in range(12):
        state = replay(game, (policy, "random"), number, 7)
        again = game.state_from_dict(start(state))
        for turn, (mine, other) in enumerate(played(state)):
            seen = again.observation(0)
            hand = sorted(seen.hand, key=bit_of)
            assert mine in choose(seen, hand), (number, turn)
            again.apply(again.game.play[mine.index], 0)
            again.apply(again.game.play[other.index], 1)
            for event in events_of_turn(state, turn):
                again.apply(event)


def test_highest_is_the_bot_of_that_name():
    game = load_game("gpt", decks=DECKS, counter_choice="owner")
    bot = load_bot("highest", game)
    for number in range(10):
        state = replay(game, ("highest", "highest"), number, 2)
        again = game.state_from_dict(start(state))
        while again.to_move:
            seat = again.to_move[0]
            again.apply(bot.choose(again.observation(seat), again.legal_actions(seat), None), seat)
        assert again.log == state.log


def start(state):
    """The position before the first card, from one in which the game is over."""
    position = state.to_dict()
    players = [{zone: list(cards) for zone, cards in each.items()} for each in position["players"]]
    for event in reversed(state.log):
        data = event.data
        if event.kind == "gpt.draw":
            players[event.player]["stock"].append(data["card"].ascii)
            players[event.player]["hand"].remove(data["card"].ascii)
        elif event.kind in ("gpt.strike", "gpt.remove"):
            players[data["target"]]["shields"][data["slot"]] = data["card"].ascii
        elif event.kind == "gpt.play":
            players[event.player]["hand"].append(data["card"].ascii)
    for each in players:
        each["played"] = []
    return {"phase": "play", "turn": 1, "players": players}


def played(state):
    cards = [event.data["card"] for event in state.log if event.kind == "gpt.play"]
    return list(zip(cards[::2], cards[1::2], strict=True))


def events_of_turn(state, turn):
    """The slots that were named in a turn, as actions."""
    named, plays = [], 0
    for event in state.log:
        plays += event.kind == "gpt.play"
        if event.kind in ("gpt.strike", "gpt.remove") and (plays - 1) // 2 == turn:
            kind = "strike" if event.kind == "gpt.strike" else "counter"
            named.append(f"{kind} {event.data['slot']}")
    return named


def test_a_row_without_weight_is_chance():
    empty = Policy("table", table=np.zeros((Abstraction().size, 3), np.uint16))
    games = play(GAME, (empty, "random"), 100_000, seed=3)
    assert abs(z_score(games, exact.match(*DECKS))) < 4


# ------------------------------------------------------------------------------- exact values


def z_score(games, wanted):
    results = np.sign(0.5 - games[:, 0]) * (games[:, 0] >= 0)
    return (results.mean() - wanted.value) / (results.std() / np.sqrt(len(results)))


@pytest.mark.parametrize("number", range(6))
def test_z_scores_against_exact_values(number):
    rng = random.Random(number)
    decks = draw_deck(rng), draw_deck(rng)
    options = {
        "double_knockout": READINGS["double_knockout"][number % 3],
        "counter_compare": READINGS["counter_compare"][number // 2],
    }
    shields, given = "random", None
    if number % 2:
        given = [Deck.of(rng.sample(deck.cards(), 5)) for deck in decks]
        shields = given
    game = load_game("gpt", decks=decks, shield_mode="chosen" if given else "random", **options)
    n = 200_000
    games = play(game, ("random", "random"), n, seed=number, shields=given)
    wanted = exact.match(*decks, shields=shields, **options)
    assert abs(z_score(games, wanted)) < 4
    winner, turns, *_, ending = games.T
    for found, chance in (
        (winner == 0, wanted.win),
        (winner == 1, wanted.loss),
        (winner == -1, wanted.draw),
        (np.isin(ending, [1, 2, 3]), sum(wanted.double_knockout)),
    ):
        assert abs(found.mean() - chance) <= 4.5 * np.sqrt(chance * (1 - chance) / n)
    assert abs(turns.mean() - wanted.turns) < 4.5 * turns.std() / np.sqrt(n)


# ------------------------------------------------------------------------------------------ tables


def test_as_a_table():
    games = batch.to_frame(play(GAME, ("random", "random"), 50, first=10), 10)
    assert games.dtypes.astype(str).to_dict() == {
        "game": "int64",
        "winner": "Int8",
        "turns": "int8",
        "shields_0": "int8",
        "shields_1": "int8",
        "ending": "category",
    }
    assert games["game"].tolist() == list(range(10, 60))
    drawn = games["ending"].isin(["gpt.knockout_draw", "gpt.count_draw"])
    pd.testing.assert_series_equal(games["winner"].isna(), drawn, check_names=False)
    assert len(batch.to_frame(play(GAME, ("random", "random"), 0))) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"game": load_game("chat")}, "for GPT only"),
        ({"game": load_game("gpt")}, "need both decks"),
        ({"policies": ("random",)}, "exactly 2 bots"),
        ({"policies": ("random", "careful")}, "no policy 'careful'"),
        ({"policies": ("random", "threshold:king")}, "no policy 'threshold:king'"),
        ({"policies": ("random", "threshold:14")}, "threshold cannot be 14"),
        ({"policies": ("random", 7)}, "no policy 7"),
        ({"shields": (Deck(3), Deck(3))}, "only where they are chosen"),
    ],
)
def test_wrong_arguments_are_refused(arguments, message):
    with pytest.raises(RulesError, match=message):
        play(**{"game": GAME, "policies": ("random", "random"), "n": 1} | arguments)


def test_wrong_policies_and_shields_are_refused():
    with pytest.raises(RulesError, match="no policy 'clever'"):
        Policy("clever")
    with pytest.raises(RulesError, match=r"the shape \(42000, 3\)"):
        Policy("table", table=np.zeros((5, 3), np.uint16))
    game = load_game("gpt", decks=DECKS, shield_mode="chosen")
    with pytest.raises(DeckError, match="chooses 5 cards"):
        play(game, ("random", "random"), 1, shields=(Deck(3), Deck(3)))
