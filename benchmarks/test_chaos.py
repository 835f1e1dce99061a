"""How fast Chaos is played, with all kept that a seat can know, and how fast that is worked out."""

import random
import sys
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import pytest

from cardlab import Observation, load_game
from cardlab.games.chaos import knowledge
from cardlab.games.chaos_memory import Memory, glance

AT_LEAST = 60_000
"""Decisions a second at a table of four."""

GAMES = 50_000
"""So many leave memory as it was."""


def play(games: int, n_players: int = 4) -> int:
    """Play so many games at random; how many decisions that took."""
    game, rng = load_game("chaos", n_players=n_players), random.Random(1)
    decisions = 0
    for seed in range(games):
        state = game.new_initial_state(seed)
        while state.to_move:
            actions = state.legal_actions()
            state.apply(actions[int(rng.random() * len(actions))])
            decisions += 1
    return decisions


def rate(games: int, n_players: int) -> float:
    start = time.process_time()
    return play(games, n_players) / (time.process_time() - start)


def test_random_play(benchmark: Any) -> None:
    rates = benchmark.pedantic(lambda: [rate(20, 4) for _ in range(40)], rounds=1)
    benchmark.extra_info["decisions a second"] = round(max(rates))
    print(f"\nat best {max(rates):,.0f} decisions a second, median {median(rates):,.0f}", end="")
    assert max(rates) >= AT_LEAST


@pytest.mark.parametrize("n_players", [3, 4, 5])
def test_one_game(benchmark: Any, n_players: int) -> None:
    assert benchmark(play, 5, n_players) > 200


def test_memory_stays_flat(benchmark: Any) -> None:
    play(500)
    before = sys.getallocatedblocks()
    benchmark.pedantic(play, (GAMES,), rounds=1)
    grown = sys.getallocatedblocks() - before
    benchmark.extra_info["blocks"] = grown
    # A leak of one object a game would be fifty thousand of them.
    assert grown < 1000


def observations() -> list[Observation]:
    """What seats see at every fortieth decision of random games."""
    game, rng = load_game("chaos"), random.Random(1)
    seen = []
    for seed in range(6):
        state, number = game.new_initial_state(seed), 0
        while state.to_move:
            if number % 40 == 20:
                seen.append(state.observation(state.to_move[0]))
            state.apply(rng.choice(state.legal_actions()))
            number += 1
    return seen


def seconds(ask: Callable[[Observation], object], seen: list[Observation]) -> float:
    start = time.process_time()
    for each in seen:
        ask(each)
    return (time.process_time() - start) / len(seen)


def test_what_can_be_known(benchmark: Any) -> None:
    """A glance, which a bot can afford; all bounds, and all thought through, for the table."""
    seen = observations()
    asked = {"glance": glance, "bounds": Memory, "knowledge": knowledge}
    times = benchmark.pedantic(
        lambda: {name: seconds(ask, seen) for name, ask in asked.items()}, rounds=1
    )
    for name, took in times.items():
        benchmark.extra_info[name] = took
        print(f"\n{name}: {1000 * took:.2f} ms", end="")
    assert times["glance"] * 3 < times["bounds"] < times["knowledge"]
