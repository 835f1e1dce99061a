"""PettingZoo's own suites over every game, and what an illegal action does."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from pettingzoo.test import (
    api_test,
    parallel_api_test,
    parallel_seed_test,
    render_test,
    seed_test,
)

import cardlab
from cardlab.adapters import pettingzoo as adapter

GAMES = cardlab.list_games()


def make(name, **options):
    return lambda render_mode=None: adapter.env(cardlab.load_game(name, **options), render_mode)


def make_parallel(name, **options):
    return lambda render_mode=None: adapter.parallel_env(
        cardlab.load_game(name, **options), render_mode
    )


@pytest.mark.parametrize("name", GAMES)
def test_api(name, capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        api_test(make(name)(), num_cycles=500)
    assert "Passed" in capsys.readouterr().out


@pytest.mark.parametrize("name", GAMES)
def test_parallel_api(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parallel_api_test(make_parallel(name)(), num_cycles=500)


@pytest.mark.parametrize("name", GAMES)
def test_seeds(name):
    seed_test(make(name), num_cycles=100)
    parallel_seed_test(make_parallel(name), num_cycles=100)


@pytest.mark.parametrize("name", GAMES)
def test_render(name, capsys):
    render_test(make(name))
    capsys.readouterr()
    env = make(name)("ansi")
    env.reset(seed=3)
    assert isinstance(env.render(), str)


@pytest.mark.parametrize("name", GAMES)
def test_a_table_shows_no_secret(name):
    """Two deals of one seed's table differ only where everybody may look."""
    game = cardlab.load_game(name)
    first, second = (game.new_initial_state(seed) for seed in (1, 2))
    if first.phase == second.phase and "?" in adapter.table_text(first):
        hidden = [line for line in adapter.table_text(first).splitlines() if "hand" in line]
        assert all(set(line.split(": ")[1].split()) == {"?"} for line in hidden)


# Without safety cards both actions of High-Low are always legal.
REFUSING = {"highlow": {"preset": "d1b"}}


@pytest.mark.parametrize("name", GAMES)
def test_an_illegal_action_loses_and_hurts_nobody_else(name):
    env = make(name, **REFUSING.get(name, {}))()
    env.reset(seed=5)
    agent = env.agent_selection
    illegal = int(np.argmin(env.infos[agent]["action_mask"]))
    assert not env.infos[agent]["action_mask"][illegal]
    env.step(illegal)
    assert env.rewards[agent] == -1
    assert sum(env.rewards.values()) == pytest.approx(0)
    assert all(env.terminations.values())
    env = make_parallel(name, **REFUSING.get(name, {}))()
    _, infos = env.reset(seed=5)
    actions = {agent: int(np.argmax(info["action_mask"])) for agent, info in infos.items()}
    actions[agent] = int(np.argmin(infos[agent]["action_mask"]))
    _, rewards, ends, _, _ = env.step(actions)
    assert rewards[agent] == -1
    assert all(ends.values())
    assert env.agents == []


@pytest.mark.parametrize("name", GAMES)
def test_random_games_end_and_sum_to_zero(name):
    env = make(name)()
    for seed in range(5):
        env.reset(seed=seed)
        total = dict.fromkeys(env.possible_agents, 0.0)
        for agent in env.agent_iter():
            _, reward, over, _, info = env.last()
            total[agent] += reward
            mask = info["action_mask"]
            env.step(None if over else env.action_space(agent).sample(mask))
        assert sum(total.values()) == pytest.approx(0)
        assert env._state.is_terminal()
