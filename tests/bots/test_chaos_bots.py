"""What the careful bot of Chaos does, and how well."""

import random
from typing import Any

import pytest

from cardlab import State, load_game
from cardlab.bots import list_bots, load_bot, play
from cardlab.bots.testing import BotSuite
from cardlab.games.chaos_memory import Memory, glance
from tests.games.test_chaos_examples import do, hand, start


def chosen(state: State, seat: int | None = None) -> str:
    seat = state.to_move[0] if seat is None else seat
    bot = load_bot("careful", state.game)
    return str(bot.choose(state.observation(seat), state.legal_actions(seat), random.Random(0)))


class TestCareful(BotSuite):
    seeds = range(1)

    def make_bot(self, game: Any) -> Any:
        return load_bot("careful", game)

    def make_games(self) -> Any:
        return [
            load_game("chaos", n_players=4, max_turns=3),
            load_game(
                "chaos",
                n_players=3,
                max_turns=3,
                drain_mode="until_empty",
                order_search_free=False,
                exchange_pick="blind_draw",
                rotation_min=1,
                triple_order="simultaneous",
                order_end="optional",
            ),
        ]


def test_there_are_two_bots() -> None:
    assert list_bots("chaos") == ["random", "careful"]


# ------------------------------------------------------------------------------------- the thumbs


@pytest.mark.rule("X13")
def test_it_lays_sets() -> None:
    assert chosen(start("5 5 5 8 9", "1 2 3 4", "1 2 3 4")) == "lay 5"


@pytest.mark.rule("X8")
def test_it_searches_what_is_surely_there() -> None:
    fields = {"phase": "drain", "queue": [0, 1, 2]}
    state = start("2 9 9 13", "1 3 6", "4 8 11", pool="7 9 12", **fields)
    do(state, "take 7", "take 9", "take 12", "draw")
    assert chosen(state) == "search 9"
    do(state, "search 9")
    assert chosen(state) == "ask 1"


@pytest.mark.rule("X8")
def test_it_does_not_ask_who_cannot_have_it() -> None:
    state = start("order order 2", "1 3 6 7 8 9 10 11", "4 8")
    do(state, "search order")
    assert chosen(state) == "ask 1"
    do(state, "ask 1", "search order")
    assert chosen(state) == "ask 2"


@pytest.mark.rule("X19")
def test_it_keeps_its_orders() -> None:
    hands = ("order order order 1 13", "2 3 4 6", "5 7 8 9")
    assert chosen(start(*hands, phase="discard")) in ("discard 1", "discard 13")
    state = do_battle(start(*hands))
    assert chosen(state, 0) in ("play 1", "play 13")
    assert not chosen(start("order order order 8", "8 order 5", "1 2")).startswith("search order")


def do_battle(state: State) -> State:
    do(state, "battle")
    return state


@pytest.mark.rule("X21")
def test_it_parts_with_chaos() -> None:
    hands = ("chaos 4 4 8 9", "order order 3 6", "5 7 8 1")
    assert chosen(start(*hands, sets=("2 10",), phase="discard")) == "discard chaos"
    state = start(*hands)
    do(state, "exchange 1")
    assert chosen(state, 0) == "give chaos"
    assert chosen(do_battle(start(*hands)), 0) == "play chaos"
    state = start("1 2 3", "4", "5", pool="chaos 6 7 8 9", phase="drain", queue=[0, 1, 2])
    assert chosen(state) != "take chaos"


@pytest.mark.rule("X14")
def test_it_parts_with_the_fourth_card() -> None:
    state = start("2 7 7 8", "1 3", "4 5", sets=("2",), phase="discard")
    assert chosen(state) == "discard 2"
    state = start("1", "2 3", "4", pool="9 5", sets=("9",), phase="drain", queue=[0, 1, 2])
    assert chosen(state) == "take 5"


@pytest.mark.rule("X12")
def test_it_pulls_a_known_good_hand_in() -> None:
    """Seat 1 remembers the hand that was passed on from it to seat 2."""
    state = start("chaos chaos 1 3", "9 9 9 11 11 11 12", "5 8", phase="discard", top="4")
    do(state, "discard chaos", "rotate 1", "draw", "done")
    assert chosen(state) == "discard chaos"
    do(state, "discard chaos")
    assert chosen(state) == "rotate 2"
    do(state, "rotate 2")
    assert hand(state, 1) == "9 9 9 11 11 11 12"


@pytest.mark.rule("X12")
def test_it_keeps_a_good_hand() -> None:
    state = start("chaos 9 9 9 11 11", "1 2", "3 5", phase="discard")
    do(state, "discard chaos")
    assert chosen(state) == "rotate 0"


@pytest.mark.rule("X16")
@pytest.mark.parametrize(("sets", "lays"), [(("2", ""), True), (("", "2 3"), False)])
def test_it_watches_the_end(sets: tuple[str, ...], lays: bool) -> None:
    """Laying the last three cards ends the game: well if it leads, not if it is behind."""
    state = start("5 5 5", "1 7", "4 8", sets=sets, used=2)
    assert (chosen(state) == "lay 5") == lays


@pytest.mark.rule("X17")
def test_it_gives_the_game_up_only_when_ahead() -> None:
    hands = ("order 1", "chaos 5 6 7", "chaos 8 9 10")
    ahead = start(*hands, pool="order order order", sets=("2",), phase="discard")
    behind = start(*hands, pool="order order order", sets=("", "2"), phase="discard")
    assert chosen(ahead) == "discard order"
    assert chosen(behind) == "discard 1"


# ------------------------------------------------------------------------------ how well it plays


def test_it_goes_straight_to_a_win_that_is_certain() -> None:
    """A battle first would part it from a card, or win it more than it wants to hold."""
    state = start("order order order 13", "1 5 9 9 chaos", "2 3 4 6 10 11")
    assert chosen(state) == "done"
    do(state, "done")
    assert chosen(state) == "discard 13"
    behind = start("order order order 13", "1 5 9", "2 3 4", sets=("", "2 4 6 7 8 10"))
    assert chosen(behind) != "done"


def test_a_glance_is_never_wrong() -> None:
    """It tells no more than all that can be known, and hardly less."""
    game = load_game("chaos")
    told = known = 0
    for seed in range(3):
        rng = random.Random(seed)
        state = game.new_initial_state(seed)
        while state.to_move:
            seat = rng.choice(state.to_move)
            if rng.random() < 0.05:
                seen = state.observation(seat)
                for other, (low, _) in Memory(seen).quick_bounds().items():
                    least, most = glance(seen)[other]
                    held = [0] * len(low)
                    for card in state.players[other].hand:
                        held[card.index] += 1
                    assert all(a <= b for a, b in zip(least, low, strict=True))
                    assert all(a <= n <= b for a, n, b in zip(least, held, most, strict=True))
                    told, known = told + sum(least), known + sum(low)
            state.apply(rng.choice(state.legal_actions(seat)), seat)
    assert told > 0.8 * known > 0


@pytest.mark.parametrize(("n_players", "least"), [(3, 0.55), (4, 0.45), (5, 0.4)])
def test_it_is_much_stronger_than_chance(n_players: int, least: float) -> None:
    """It wins about twice as often as its share against random players."""
    game = load_game("chaos", n_players=n_players)
    won = 0.0
    number = 60
    for seed in range(number):
        bots = ["random"] * n_players
        bots[seed % n_players] = "careful"
        returns = play(game, bots, seed).returns()
        winners = [seat for seat, value in enumerate(returns) if value > 0]
        won += (seed % n_players in winners) / len(winners) if winners else 1 / n_players
    assert won / number > least
