"""Rotations of Chaos, how its games end, and differences with their intervals."""

import math
import random

import pandas as pd
import pytest

from cardlab import load_game
from cardlab.analysis import chaos
from cardlab.analysis.simulate import game_seed
from cardlab.bots import play
from cardlab.errors import IllegalActionError

GAME = load_game("chaos")


@pytest.fixture(scope="module")
def played():
    return [chaos.follow(GAME, seed) for seed in range(3)]


@pytest.mark.rule("X12")
def test_spots_are_the_rotations_of_the_game_that_bots_play(played):
    for seed, (spots, end) in enumerate(played):
        assert end == play(GAME, ["careful"] * 4, seed)
        told = [event for event in end.log if event.kind == "chaos.rotate"]
        assert [spot.steps for spot in spots] == [event.data["n"] for event in told]
        assert [spot.state.to_move for spot in spots] == [(event.player,) for event in told]
        assert [(spot.seed, spot.number) for spot in spots] == [(seed, n) for n in range(len(told))]


def test_a_spot_is_played_on_with_the_hands_moved_and_kept(played):
    spot = next(spot for spots, _ in played for spot in spots if spot.steps)
    found = chaos.compare(spot)
    for steps, points, won in (
        (spot.steps, found.points_moved, found.won_moved),
        (0, found.points_kept, found.won_kept),
    ):
        state, seat = spot.state.clone(), spot.state.to_move[0]
        state.apply(f"rotate {steps}")
        end = play(GAME, ["careful"] * 4, spot.seed, state)
        assert end.scores()[seat] == points
        # What it has more than its quarter, the others have less.
        assert end.returns()[seat] == pytest.approx((4 * won - 1) / 3)
    assert spot.state.phase == "rotate"


def test_where_the_bot_moves_no_hands_there_is_nothing_to_compare(played):
    spot = played[0].spots[0]._replace(steps=0)
    found = chaos.compare(spot)
    assert (found.points_moved, found.won_moved) == (found.points_kept, found.won_kept)


def test_hands_that_have_to_move_cannot_be_left_alone():
    game = load_game("chaos", rotation_min=1)
    spot = next(spot for seed in range(9) for spot in chaos.follow(game, seed).spots)
    with pytest.raises(IllegalActionError):
        chaos.compare(spot)


def test_every_open_reading_is_another_one_than_the_default():
    rules = GAME.rules.to_dict()
    for option, value in chaos.READINGS.items():
        assert rules[option] != value
        assert load_game("chaos", **{option: value}) != GAME
    rest = {"n_players", "max_turns", "target_points"}
    assert rules.keys() - chaos.READINGS.keys() == rest


def test_ends_are_those_of_the_games_that_bots_play():
    for bot, option, value in (("random", chaos.STANDARD, None), ("careful", "lay_timing", None)):
        table = chaos.ends(bot, 3, option, 2)
        value = {} if option == chaos.STANDARD else {option: chaos.READINGS[option]}
        for row in table.itertuples():
            game = load_game("chaos", n_players=3, **value)
            end = play(game, [bot] * 3, game_seed(3, row.game))
            assert [row.points_0, row.points_1, row.points_2] == end.scores()
            assert row.turns == end.turns_played()
            assert f"chaos.{row.ending}" in {event.kind for event in end.log}
        assert {*table["ending"]} <= {*chaos.ENDS}


def test_effects_compare_the_same_games():
    # In ten games "until_empty" turns one empty hand into an abandonment, two turns later.
    rows = [
        (option, game, 5 + 2 * changed, "abandoned" if changed else "empty", 1, 2)
        for option in (chaos.STANDARD, "drain_mode")
        for game in range(10)
        for changed in [option != chaos.STANDARD and game == 3]
    ]
    columns = ["option", "game", "turns", "ending", "points_0", "points_1"]
    table = pd.DataFrame(rows, columns=columns)
    found = chaos.effects(table).set_index("measure")
    assert {*found["option"]} == {"drain_mode"}
    assert found["difference"].round(3).to_dict() == {
        **dict.fromkeys([*chaos.ENDS, "max_turns", "points"], 0.0),
        "abandoned": 0.1,
        "empty": -0.1,
        "turns": 0.2,
    }
    assert (found["low"] <= found["difference"]).all()
    assert (found["high"] >= found["difference"]).all()
    assert not found["apart"].any()
    # Rows in another order are the same games, and more comparisons make wider intervals.
    assert chaos.effects(table[::-1]).set_index("measure").equals(found)
    more = pd.concat([table, table[table["option"] == "drain_mode"].assign(option="other")])
    wider = chaos.effects(more).query("option == 'drain_mode'").set_index("measure")
    assert (wider["low"] <= found["low"]).all()
    assert wider.loc["empty", "low"] < found.loc["empty", "low"]


def test_an_interval_of_paired_shares_is_that_of_bonett_and_price():
    mean, low, high = chaos.paired([1] * 300 + [-1] * 100 + [0] * 600)
    up, down = 301 / 1002, 101 / 1002
    reach = 1.959963984540054 * math.sqrt((up + down - (up - down) ** 2) / 1002)
    assert mean == 0.2
    # They take the normal distribution where this is Student's.
    assert (low, high) == pytest.approx((up - down - reach, up - down + reach), abs=1e-4)
    again = chaos.paired([-1] * 300 + [1] * 100 + [0] * 600)
    assert again == pytest.approx((-mean, -high, -low))


@pytest.mark.parametrize(("up", "down"), [(0.3, 0.2), (0.04, 0.01), (0.003, 0.003)])
def test_paired_shares_are_covered_as_often_as_is_said(up, down):
    rng = random.Random(1)
    held = 0
    for _ in range(600):
        draws = [rng.random() for _ in range(200)]
        _, low, high = chaos.paired([(each < up) - (each > 1 - down) for each in draws])
        held += low <= up - down <= high
    assert held > 0.925 * 600


def test_winners_are_all_with_the_most_points():
    assert chaos.winners([0, 0, 0]) == (0, 1, 2)
    assert chaos.winners((1, 5, 3)) == (1,)
