"""How fast Alicematic is remembered, dealt anew and played by its bot: ``make bench``.

Random play stands beside other games in ``test_engine.py``.
"""

import random

from cardlab import load_game
from cardlab.bots import load_bot


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
    game, observation = middle_of_a_game()
    state = game.resample(observation, random.Random(1))
    assert benchmark(state.observation, observation.player) == observation


def test_careful(benchmark):
    game, observation = middle_of_a_game()
    legal = game.resample(observation, random.Random(1)).legal_actions(observation.player)
    benchmark(load_bot("careful", game).choose, observation, legal, random.Random(1))
