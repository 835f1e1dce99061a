"""Games written down decision by decision: the same games as elsewhere, and what they show."""

import math

import pytest

from cardlab import load_game
from cardlab.analysis.passing import bits, follow, interval
from cardlab.analysis.simulate import game_seed
from cardlab.bots import play
from cardlab.bots.collect import Forgetful, outlook, taking
from cardlab.bots.testing import BotSuite

GAME = load_game("collect", preset="d6", n_players=3)


@pytest.fixture(scope="module")
def played():
    return follow(GAME, ["careful", "random", Forgetful()], n=3, seed=2)


def test_games_are_those_that_bots_play(played):
    for number, group in played.scores.groupby("game"):
        bots = ["careful", "random", Forgetful()]
        state = play(GAME, bots, game_seed(2, number))
        assert group["points"].tolist() == state.scores()
        assert group["laid"].tolist() == [len(seat.laid) for seat in state.players]
        assert group["left"].tolist() == [len(seat.hand) for seat in state.players]
        assert group["bot"].tolist() == ["careful", "random", "forgetful"]
        told = played.decisions[played.decisions["game"] == number]
        kinds = [event.kind.partition(".")[2] for event in state.log]
        drawn, received = (told[told["phase"] == phase] for phase in ("choose", "receive"))
        assert len(drawn) == kinds.count("draw") == 30
        assert (drawn["action"] == "release").sum() == kinds.count("release") == len(received)
        assert (received["action"] == "hold").sum() == kinds.count("accept")
        ranks = [event.data["card"].rank for event in state.log if event.kind == "collect.draw"]
        assert drawn["rank"].tolist() == ranks


def test_what_is_told_of_both_hands_agrees(played):
    table = played.decisions
    given = table[table["action"] == "release"]
    taken = table[table["phase"] == "receive"]
    for mine, theirs in (("seat", "target"), ("cards", "their_cards"), ("same", "their_same")):
        assert taken[mine].tolist() == given[theirs].tolist()
    assert (taken["rank"].to_numpy() == given["rank"].to_numpy()).all()
    assert (table["same"] <= table["cards"]).all()
    assert (table["kinds"] <= table["cards"]).all()
    assert (table.loc[table["action"] != "release", "target"] == -1).all()


@pytest.mark.parametrize(("counts", "shares"), [((4, 4), (1 / 2, 1 / 2)), ((6, 2), (3 / 4, 1 / 4))])
def test_bits_are_the_entropy_of_what_is_unseen(counts, shares):
    game = load_game("collect", counts=counts, n_players=2, start_hand=0, rounds=3, removed=2)
    state = game.new_initial_state(seed=1)
    (drawing,) = state.to_move
    assert bits(state.observation(1 - drawing)) == -sum(each * math.log2(each) for each in shares)
    assert bits(state.observation(drawing)) != bits(state.observation(1 - drawing))


def test_an_interval_is_students():
    found = interval([2.0, 4.0, 6.0, 8.0, 10.0])
    # t = 2.776 with four degrees of freedom, the standard error is the square root of 2.
    assert found.mean == 6
    assert math.isclose(found.high - 6, 2.776445105 * math.sqrt(2), rel_tol=1e-8)
    assert math.isclose(6 - found.low, found.high - 6)
    assert str(interval([1, 1, 1])) == "1.00 (1.00 to 1.00)"


def test_waiting_for_the_fourth_copy_by_hand():
    """One copy among two hidden cards, one to come: half of the time it makes four of three."""
    assert outlook(3, 1, 2, 1) == 0.5 * 4 + 0.5 * -3
    assert taking(2, 1, 2, 1) == 3
    assert taking(2, 1, 1, 1) == 4


class TestForgetful(BotSuite):
    seeds = range(1)

    def make_bot(self, game):
        return Forgetful()

    def make_games(self):
        return [load_game("collect", preset="d7c", n_players=3, counts=(8, 8, 6), rounds=4)]
