"""How fast Alicematic is played, remembered and dealt anew: ``make bench``."""

import random

import pytest

from cardlab import load_game

GAMES = 40
AT_LEAST = 100_000
"""Decisions a second in random play with four players."""


def decisions(game, rng):
    """Random games from the first deal to the last score; how many decisions they took."""
    count = 0
    for seed in range(GAMES):
        state = game.new_initial_state(seed)
        while state.to_move:
            state.apply(rng.choice(state.legal_actions()))
            count += 1
    return count


@pytest.mark.parametrize("n_players", [3, 4, 5])
def test_random_play(benchmark, n_players):
    game = load_game("alicematic", n_players=n_players)
    count = benchmark.pedantic(
        decisions, setup=lambda: ((game, random.Random(1)), {}), rounds=10, warmup_rounds=1
    )
    rate = count / benchmark.stats["min"]
    benchmark.extra_info["decisions_a_second"] = rate
    assert rate >= AT_LEAST


def middle_of_a_game(seed=3):
    game = load_game("alicematic")
    state, rng = game.new_initial_state(seed), random.Random(seed)
    while state.turn < 25:
        state.apply(rng.choice(state.legal_actions()))
    return game, state.observation(state.current_player)


def test_resample(benchmark):
    game, observation = middle_of_a_game()
    benchmark(game.resample, observation, random.Random(1))


def test_observation(benchmark):
    game = load_game("alicematic")
    state, rng = game.new_initial_state(3), random.Random(3)
    while state.turn < 25:
        state.apply(rng.choice(state.legal_actions()))
    benchmark(state.observation, 0)
