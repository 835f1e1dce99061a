"""OpenSpiel's own suites over every game: random simulation, API, playthroughs."""

from __future__ import annotations

import itertools
import json
import random
import unittest

import pyspiel
import pytest
from absl import flags
from open_spiel.integration_tests import api_test
from open_spiel.python.algorithms import generate_playthrough

import cardlab
from cardlab.adapters import openspiel

GAMES = cardlab.list_games()

# OpenSpiel looks at every state in every way, again and again: there, games with fewer turns and
# seats do, that come through the same phases. Games by default are played through below.
SHORT = {
    "alicematic": {"n_players": 3, "counts": (14, 14, 14)},
    "chaos": {"n_players": 3, "max_turns": 6},
    "collect": {"rounds": 3},
}


def load(name):
    return pyspiel.load_game(openspiel.register(cardlab.load_game(name)))


def load_short(name):
    game = cardlab.load_game(name, **SHORT.get(name, {}))
    return pyspiel.load_game(openspiel.register(game, f"cardlab_short_{name}"))


@pytest.mark.parametrize("name", GAMES)
def test_random_simulation(name, capfd):
    game = load_short(name)
    pyspiel.random_sim_test(game, num_sims=2, serialize=True, verbose=False)
    if game.get_type().dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS:
        turn_based = pyspiel.convert_to_turn_based(game)
        pyspiel.random_sim_test(turn_based, num_sims=2, serialize=True, verbose=False)


def states_of_random_games(game, more_than=20):
    """Every state of some games; the suite's own sampler stops where seats choose together."""
    rng = random.Random(0)
    states = []
    while len(states) <= more_than:
        states += states_of_a_random_game(game, rng)
    return states


def states_of_a_random_game(game, rng):
    state = game.new_initial_state()
    states = [state.clone()]
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(rng.choice(state.chance_outcomes())[0])
        elif state.is_simultaneous_node():
            choices = [state.legal_actions(seat) for seat in range(game.num_players())]
            state.apply_actions([rng.choice(legal) if legal else 0 for legal in choices])
        else:
            state.apply_action(rng.choice(state.legal_actions()))
        states.append(state.clone())
    return states


@pytest.mark.parametrize("name", GAMES)
def test_api(name, capfd):
    game = load(name)

    class Api(api_test.EnforceAPIOnPartialTreeBase):
        @classmethod
        def setUpClass(cls):
            cls.game, cls.game_name, cls.game_type = game, name, game.get_type()
            cls.some_states = states_of_random_games(game)
            assert len(cls.some_states) > 20

    suite = unittest.defaultTestLoader.loadTestsFromTestCase(Api)
    assert suite.countTestCases() >= 5
    result = unittest.TestResult()
    suite.run(result)
    problems = [text for _, text in (*result.errors, *result.failures)]
    assert not problems, "\n".join(problems)
    assert not result.skipped


@pytest.mark.parametrize("name", GAMES)
def test_a_playthrough_replays_equal(name, tmp_path):
    text = generate_playthrough.playthrough(load_short(name).get_type().short_name, None, seed=7)
    path = tmp_path / "playthrough.txt"
    path.write_text(text, encoding="utf-8")
    if not flags.FLAGS.is_parsed():
        flags.FLAGS.mark_as_parsed()
    expected, actual = generate_playthrough.replay(str(path))
    assert expected == actual
    assert "Apply joint action" in text or "Apply action" in text


@pytest.mark.parametrize("name", GAMES)
def test_joint_actions_are_those_of_openspiels_own_games(name):
    """As in ``goofspiel``: the first player's choice changes fastest; 0 for who has none."""
    rng = random.Random(1)
    for state in states_of_a_random_game(load(name), rng):
        if not state.is_simultaneous_node():
            continue
        legal = [state.legal_actions(player) or [0] for player in range(state.num_players())]
        joint = [tuple(choice[::-1]) for choice in itertools.product(*legal[::-1])]
        assert state.legal_actions() == state.legal_actions(-2) == list(range(len(joint)))
        number = rng.randrange(len(joint))
        together, one_by_one = state.clone(), state.clone()
        together.apply_action(number)
        one_by_one.apply_actions(joint[number])
        assert str(together) == str(one_by_one)
        words = [
            state.action_to_string(player, action) for player, action in enumerate(joint[number])
        ]
        assert state.action_to_string(-2, number) == f"[{', '.join(words)}]"


def test_registering_twice_is_harmless():
    game = cardlab.load_game("gpt")
    assert openspiel.register(game) == openspiel.register(game) == "cardlab_gpt"


def test_what_a_player_sees_has_no_secret():
    state = load("gpt").new_initial_state()
    state.apply_action(11)
    table = cardlab.load_game("gpt").new_initial_state(11)
    while state.is_simultaneous_node() and table.phase == "deck":
        actions = [table.game.action_code(table.legal_actions(seat)[0]) for seat in (0, 1)]
        for seat in (0, 1):
            table.apply(table.game.actions[actions[seat]], seat)
        state.apply_actions(actions)
    assert json.loads(state.observation_string(0))["players"][1]["hand"] == ["?"] * 3
    assert json.loads(state.observation_string(1))["players"][1]["hand"] != ["?"] * 3
