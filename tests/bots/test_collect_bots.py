"""What the careful bot of Alicematic and its drafts does, and how well."""

import random
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import pytest

from cardlab import State, load_game
from cardlab.bots import list_bots, load_bot, play
from cardlab.bots.collect import at_least, outlook, taking
from cardlab.bots.testing import BotSuite


def position(*hands: str, draw: str, turn: int = 1, out: str = "", **entries: Any) -> State:
    """A turn begins with a drawn card; the first seat plays turn 1."""
    seats: list[dict[str, Any]] = [{"hand": hand.split()} for hand in hands]
    seats[(turn - 1) % len(hands)]["fresh"] = [draw]
    game = load_game("alicematic", n_players=len(hands))
    return game.state_from_dict({"turn": turn, "players": seats, "out": out.split(), **entries})


def chosen(state: State) -> str:
    (seat,) = state.to_move
    bot = load_bot("careful", state.game)
    return str(bot.choose(state.observation(seat), state.legal_actions(seat), random.Random(0)))


def choices(state: State, number: int) -> list[str]:
    """What the bot chooses in so many decisions, one after another."""
    made = []
    for _ in range(number):
        made.append(chosen(state))
        state.apply(made[-1])
    return made


class TestCareful(BotSuite):
    seeds = range(1)

    def make_bot(self, game: Any) -> Any:
        return load_bot("careful", game)

    def make_games(self) -> Any:
        return [
            load_game("alicematic", n_players=3, counts=(20, 18, 2), envy_refusable=True),
            load_game("collect", preset="d4_three", counts=(2, 2, 1), items=True),
            load_game("collect", preset="d2b_return", n_players=3, rounds=4),
            load_game("collect", preset="d5", n_players=2, rounds=4, may_refuse="no"),
        ]


def test_there_are_two_bots() -> None:
    assert list_bots("alicematic") == list_bots("collect") == ["random", "careful"]


# ------------------------------------------------------------------------------ what numbers bring


def plainly(held: int, cards: tuple[bool, ...], coming: int, least: int, laid: bool) -> Fraction:
    """The outlook, card by card: any of the hidden ones comes next with the same chance."""
    if not coming or not cards:
        return Fraction(held if not laid and held >= least else -held)
    total = Fraction(0)
    for place, fits in enumerate(cards):
        rest = cards[:place] + cards[place + 1 :]
        options = [plainly(held, rest, coming - 1, least, laid)]
        if fits:
            options.append(plainly(held + 1, rest, coming - 1, least, laid))
            # Any number of copies may be laid, others may stay in the hand.
            options += [
                size + plainly(held + 1 - size, rest, coming - 1, least, laid)
                for size in range(least, held + 2)
                if laid
            ]
        total += max(options)
    return total / len(cards)


@pytest.mark.parametrize(("least", "laid"), [(3, True), (2, True), (3, False)])
def test_the_outlook_is_that_of_the_best_play(least: int, laid: bool) -> None:
    for held, left, others, coming in product(range(4), range(3), range(3), range(4)):
        cards = (True,) * left + (False,) * others
        expected = plainly(held, cards, coming, least, laid)
        found = outlook(held, left, left + others, coming, least, laid)
        assert found == pytest.approx(float(expected)), (held, left, others, coming)


@pytest.mark.rule("A13")
def test_waiting_pays_only_if_the_next_copy_is_as_good_as_certain() -> None:
    """To wait with three wins one copy more, and risks six: the chance has to be over 6 in 7."""
    for left, hidden, coming in product(range(1, 5), range(4, 40), range(1, 10)):
        laid_now = 3 + outlook(0, left, hidden, coming)
        waits = taking(2, left, hidden, coming) > laid_now + 1e-9
        if at_least(1, left, hidden, coming) <= 6 / 7 - 0.1:
            assert not waits, (left, hidden, coming)
    assert taking(2, 1, 7, 7) == pytest.approx(4)


def test_chances_are_hypergeometric() -> None:
    for left, others, coming, copies in product(range(4), range(4), range(5), range(1, 4)):
        cards = (1,) * left + (0,) * others
        if not cards:
            continue
        parts = [*combinations(cards, min(coming, len(cards)))]
        expected = sum(sum(part) >= copies for part in parts) / len(parts)
        assert at_least(copies, left, left + others, coming) == pytest.approx(expected)


# ----------------------------------------------------------------------------------- what it plays


@pytest.mark.rule("A11")
def test_a_dead_number_is_not_held() -> None:
    # Two of the four 9s are out, and one is in the hand of the other: there is no third.
    state = position("9", "1 2", "3 4", draw="9", out="9 9")
    assert chosen(state).startswith("release")
    # With all of them to come it is still a long shot, but 1s are worth a try.
    assert chosen(position("1 1", "5 2", "3 4", draw="1")) == "hold"


@pytest.mark.rule("A12")
def test_it_lays_an_army_at_once() -> None:
    state = position("6 6", "1 2", "3 4", draw="6")
    assert choices(state, 2) == ["hold", "army 3"]


@pytest.mark.rule("A11")
def test_it_passes_harm_to_whom_it_helps_least() -> None:
    # Both hands lie open: the last player would have an army of 8s.
    state = position(
        "1 2", "1 1 2 3 4 5 6 7", "8 8 3 4 5 6 7 7", draw="8", turn=28, out="8", start=0
    )
    assert chosen(state) == "release 1"
    state = position(
        "1 2", "8 8 3 4 5 6 7 7", "1 1 2 3 4 5 6 7", draw="8", turn=28, out="8", start=0
    )
    assert chosen(state) == "release 2"


@pytest.mark.rule("A24")
def test_the_receiver_trashes_harm_and_holds_an_army() -> None:
    state = position("1", "2", "6 6", draw="9", turn=28)
    state.apply("release 2")
    assert chosen(state) == "trash"
    state = position("1", "2", "6 6", draw="6", turn=28)
    state.apply("release 2")
    assert choices(state, 2) == ["hold", "army 3"]


@pytest.mark.rule("A17")
@pytest.mark.rule("A19")
@pytest.mark.rule("A22")
def test_it_gets_rid_of_what_costs_most() -> None:
    state = position("2 2 2 sloth 9 8 7 1", "1", "1", draw="2", turn=28)
    assert choices(state, 5) == ["hold", "army 4", "medallion sloth", "bury 7 8 9", "done"]
    state = position("2 2 pride 9 8", "1", "1", draw="2", turn=28)
    assert choices(state, 3) == ["hold", "army 3", "medallion pride"]
    assert {*choices(state, 2)} == {"discard 9", "discard 8"}
    state = position("2 2 envy 9 5", "1", "1", draw="2", turn=28)
    assert choices(state, 3) == ["hold", "army 3", "medallion envy"]
    assert chosen(state) in ("to 1", "to 2")
    state.apply("to 1")
    assert chosen(state) == "give 9"


@pytest.mark.rule("A19")
def test_envy_goes_to_the_leader() -> None:
    armies = [[], [[4, 3]], [[1, 3]]]
    for leader in (1, 2):
        seats: list[dict[str, Any]] = [
            {"hand": ["2", "2", "envy", "9", "5"], "fresh": ["2"]},
            {"hand": ["1"]},
            {"hand": ["1"]},
        ]
        seats[leader]["laid"] = ["4", "4", "4"]
        seats[3 - leader]["laid"] = ["1", "1", "1"]
        own = [armies[0], armies[leader], armies[3 - leader]]
        state = load_game("alicematic", n_players=3).state_from_dict(
            {"turn": 28, "players": seats, "armies": own}
        )
        assert choices(state, 4)[-1] == f"to {leader}"


@pytest.mark.rule("A18")
@pytest.mark.rule("A21")
@pytest.mark.rule("A23")
def test_medallions_come_in_an_order_in_which_none_is_lost() -> None:
    state = position("8 8 8 8 wrath greed lust 9 9 6", "1", "1", draw="8", turn=28, exposed=[
        True, False, False
    ])  # fmt: skip
    made = choices(state, 8)
    assert made[:2] == ["hold", "army 5"]
    assert {"lust 6", "greed 9", "medallion wrath"} <= {*made}
    assert state.scores()[0] == 2 * 8 * 6 + 2 * 9


def test_with_nothing_to_lose_everything_is_held() -> None:
    assert play(load_game("collect", preset="d0"), ["careful", "random"], 3).returns() != [-1, 1]
    state = load_game("collect", preset="d0").new_initial_state(1)
    assert chosen(state) == "hold"


@pytest.mark.slow
@pytest.mark.parametrize(("n", "games", "least"), [(3, 60, 50), (4, 60, 50), (5, 50, 40)])
def test_careful_beats_random_from_every_seat(n: int, games: int, least: int) -> None:
    """In 720, 960 and 1200 games it won 94, 92 and 90 of 100; by chance it would be 33, 25, 20."""
    game = load_game("alicematic", n_players=n)
    won = 0.0
    for number in range(games):
        seat = number % n
        bots = ["random"] * n
        bots[seat] = "careful"
        won += play(game, bots, number // n).returns()[seat] > 0
    assert won >= least
