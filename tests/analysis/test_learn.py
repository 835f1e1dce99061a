"""Learning: its rules against the kernel, and what it learns against what is known."""

import random

import numpy as np
import pytest

from cardlab import RulesError, load_game
from cardlab.analysis import batch, empirical, exact, learn
from cardlab.analysis.batch import Policy, replay
from cardlab.bots.gpt_table import CARDS, Abstraction, situation
from cardlab.games.gpt import GPTRules
from cardlab.games.gpt_deck import Deck, draw_deck

DECKS = {Deck.parse("2b2bbbbb0b022"): 0.7, Deck.parse("22bbbbb0bb022"): 0.3}
GAME = load_game("gpt")
LOWEST = Policy("table", table=np.eye(CARDS, dtype=np.uint16)[np.zeros(Abstraction().size, int)])
COARSE = Abstraction((1,) * 14 + (2,) * 12, (), ())


# ----------------------------------------------------------------------------------- its rules


def fallen_first(order, slots):
    """A deal in which the shields stand in the order in which they fell."""
    rest = [slot for slot in range(5) if slot not in slots]
    return [order[slot] for slot in [*slots, *rest]] + list(order[5:])


@pytest.mark.parametrize("reading", ["attacker_wins", "draw", "counter_player_wins"])
@pytest.mark.parametrize("compare", ["strict_number", "ge", "number_then_colour"])
def test_its_rules_are_those_of_the_kernel(reading, compare):
    rng = random.Random(1)
    fine = Abstraction(tuple(range(1, 9)) + (8,) * 18, (11, 13), (14,))
    look = batch.look_of([fine, Abstraction()])
    for number in range(8):
        decks = draw_deck(rng), draw_deck(rng)
        game = load_game("gpt", decks=decks, double_knockout=reading, counter_compare=compare)
        numbers = learn._numbers(game.rules)
        result = np.empty((1, 5), np.int8)
        seats = batch._seats(game, ("random", "random"), None)
        orders, trace = batch._run(batch._options(game), seats, 5, number, result)
        trace = trace[: result[0, 1]]
        state = replay(game, ("random", "random"), number, 5)
        fallen = [[], []]
        for a, b, struck, countered in trace.tolist():
            if struck >= 0:
                fallen[int(a > b)].append(struck)
            if countered >= 0:
                fallen[int(a < b)].append(countered)
        dealt = np.array([fallen_first(orders[seat], fallen[seat]) for seat in (0, 1)])
        hands, counts = np.zeros((2, 3), np.int64), np.zeros((6, 2), np.int64)
        learn._start(numbers, dealt, hands, counts)
        again = observations(game, state)
        for a, b, *_ in trace.tolist():
            seen = next(again)
            held = int(counts[5, 0])
            for seat, abstraction in enumerate((fine, Abstraction())):
                row = learn._situation(seat, numbers, hands, counts, look)
                assert row == situation(seen[seat], abstraction)
            places = [hands[seat, :held].tolist().index(card) for seat, card in enumerate((a, b))]
            won = learn._turn(numbers, dealt, hands, counts, *places)
        assert won == {0: 1, 1: -1, -1: 0}[int(result[0, 0])]


def observations(game, state):
    """What both seats saw before each turn of a game that is over."""
    players = [{"hand": [], "stock": [], "shields": [None] * 5} for _ in (0, 1)]
    position = state.to_dict()["players"]
    for seat, each in enumerate(players):
        each["hand"], each["stock"] = position[seat]["hand"][:], position[seat]["stock"][:]
        each["shields"] = position[seat]["shields"][:]
    for event in reversed(state.log):
        if event.kind == "gpt.draw":
            players[event.player]["stock"].append(event.data["card"].ascii)
            players[event.player]["hand"].remove(event.data["card"].ascii)
        elif event.kind in ("gpt.strike", "gpt.remove"):
            players[event.data["target"]]["shields"][event.data["slot"]] = event.data["card"].ascii
        elif event.kind == "gpt.play":
            players[event.player]["hand"].append(event.data["card"].ascii)
    again = game.state_from_dict({"phase": "play", "turn": 1, "players": players})
    yield again.observation(0), again.observation(1)
    for event in state.log:
        if event.kind == "gpt.play":
            again.apply(game.play[event.data["card"].index], event.player)
        elif event.kind == "gpt.strike":
            again.apply(game.strike[event.data["slot"]])
        elif event.kind == "gpt.remove":
            again.apply(game.counter[event.data["slot"]])
        else:
            continue
        if again.phase == "play" and again.to_move == (0, 1):
            yield again.observation(0), again.observation(1)


# ------------------------------------------------------------------------------- what it learns


def value(mine, theirs):
    pairs = [(a, b) for a in DECKS for b in DECKS]
    return empirical.duels(GAME, (mine, theirs), pairs, 10_000, 1).mean.mean()


def test_it_learns_to_beat_chance():
    told = []
    policy = learn.train(DECKS, 12_000, 3, abstraction=COARSE, progress=told.append)
    assert told[-1] == 12_000
    assert told == sorted(told)
    assert value(policy, "random") > 0.2
    assert policy.table.sum(axis=1).max() <= 256


def test_the_same_seed_learns_the_same():
    first, again, other = (
        learn.train(DECKS, 1_500, seed, abstraction=COARSE).table for seed in (3, 3, 4)
    )
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_a_reply_finds_what_is_to_be_won():
    # Whoever plays low cards first loses the clashes of the beginning.
    reply = learn.train_reply(LOWEST, DECKS, 8_000, 1, abstraction=COARSE)
    others = [value(other, LOWEST) for other in ("random", "highest", "threshold:5")]
    assert value(reply, LOWEST) > max(0.85, *others)
    assert set(np.unique(reply.table.sum(axis=1))) == {0, 1}


def test_what_cannot_be_learned():
    with pytest.raises(RulesError, match="dealt shields only"):
        learn.train(DECKS, 1, rules=GPTRules(shield_mode="chosen"))
    with pytest.raises(RulesError, match="there are: table"):
        learn.train_reply(Policy("random"), DECKS, 1)


# ---------------------------------------------------------------------------- choice of decks


def test_duels_are_unbiased():
    rng = random.Random(2)
    pairs = [(draw_deck(rng), draw_deck(rng)) for _ in range(20)]
    found = empirical.duels(GAME, ("random", "random"), pairs, 20_000, 3)
    wanted = np.array([exact.match(a, b).value for a, b in pairs])
    z = (found.mean - wanted) / found.error
    assert abs(z).max() < 4
    assert 0.3 < (z**2).mean() < 2.5
    mixed = empirical.against(GAME, ("random", "random"), [a for a, _ in pairs], DECKS, 20_000, 3)
    wanted = [
        sum(chance * exact.match(a, b).value for b, chance in DECKS.items()) for a, _ in pairs
    ]
    assert abs((mixed.mean - wanted) / mixed.error).max() < 4


def test_the_choice_of_decks_where_it_is_known():
    rules = {"deck_size": 4, "deck_sum_max": 20, "n_shields": 2, "hand_size": 2}
    game = load_game("gpt", **rules)
    start = [Deck.of("As Ah 2s Ks"), Deck.of("4s 4h 5s 6s")]
    told = []
    found = empirical.solve(
        game,
        "random",
        start,
        seed=1,
        rounds=8,
        games=3_000,
        samples=300,
        finalists=30,
        progress=told.append,
    )
    assert len(told) == len(found.rounds) == 9
    assert sum(found.mixture.values()) == pytest.approx(1)
    decks = [Deck.parse(code) for code in found.replies["code"]]
    exactly = [
        sum(x * exact.match(a, b, n_shields=2).value for b, x in found.mixture.items())
        for a in decks
    ]
    # The bounds hold for all of them at once.
    assert (found.replies["low"] <= exactly).all()
    assert (found.replies["high"] >= exactly).all()
    best = exact.values(found.mixture, cap=20, n_shields=2).max()
    assert best < 0.03
    assert told[0]["gain"] > 0.5
