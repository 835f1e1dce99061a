"""The bots of High-Low: legal, blind to what is hidden, and right where it can be counted."""

import random
from fractions import Fraction
from itertools import permutations
from typing import Any

import pytest

from cardlab import load_game
from cardlab.bots import load_bot, play
from cardlab.bots.highlow import next_card, prospects
from cardlab.bots.testing import BotSuite
from cardlab.games.highlow import EQUAL, score


class Suite(BotSuite):
    name = ""

    def make_bot(self, game: Any) -> Any:
        return load_bot(self.name, game)

    def make_games(self) -> Any:
        return [
            load_game("highlow", n_players=4),
            load_game("highlow", preset="d1b", n_players=3),
            load_game("highlow", preset="d1c", decks="separate", order="one_by_one", copies=2),
        ]


class TestMyopic(Suite):
    name = "myopic"


class TestOptimal(Suite):
    name = "optimal"


# --------------------------------------------------------------- exact values against enumeration


def best(pile: tuple[int, ...], hand: tuple[int, ...], most: int, equal: str, cost: int) -> Any:
    """The value of the best play, by trying every next card and both decisions, in fractions."""
    hold = Fraction(score(map(str, hand), equal, most - len(hand), cost))
    return hold if len(hand) == most else max(hold, drawn(pile, hand, most, equal, cost))


def drawn(pile: tuple[int, ...], hand: tuple[int, ...], most: int, equal: str, cost: int) -> Any:
    return sum(
        (
            best((*pile[:i], *pile[i + 1 :]), (*hand, card), most, equal, cost)
            for i, card in enumerate(pile)
        ),
        Fraction(),
    ) / len(pile)


@pytest.mark.parametrize("equal", EQUAL)
@pytest.mark.parametrize("cost", [0, 2])
@pytest.mark.parametrize("pile", [(1, 2, 3, 4, 6), (1, 1, 2, 3, 3), (5, 5, 5, 2)])
def test_prospects_are_those_of_the_tree_of_all_games(pile, cost, equal):
    counts = tuple(pile.count(rank) for rank in range(1, 7))
    for last in (1, 3, 5, 6):
        for draws in (1, 2, 3, 4):
            what = prospects(counts, last, draws, EQUAL[equal], cost)
            most = draws + 1
            assert Fraction(what.draw, what.ways) == drawn(pile, (last,), most, equal, cost) - last
            hold = score([str(last)], equal, draws, cost) - last
            assert Fraction(what.hold, what.ways) == hold


def test_with_replacement_every_draw_meets_the_same_cards():
    what = prospects((1, 1, 1), 2, 2, replacement=True)
    # 1 loses one point and is followed by +2 or +3, 2 by -1 or +3, 3 only by losses: it holds.
    by_hand = [(-1, 5), (0, 2), (3, 0)]
    assert what.ways == 9
    assert what.draw == sum(3 * now + later for now, later in by_hand)


def test_the_next_card_alone():
    for last in range(1, 6):
        unseen = (1, 0, 2, 1, 3)
        cards = [rank for rank, n in enumerate(unseen, start=1) for _ in range(n)]
        assert next_card(unseen, last) == sum(
            score([str(last), str(card)]) - last for card in cards
        )


# ------------------------------------------------------------------------------------- decisions


def chosen(name: str, hands: list[str], options: Any = None, **position: Any) -> str:
    players = [{"hand": hand.split()} for hand in hands]
    game = load_game("highlow", **options or {})
    state = game.state_from_dict({"players": players, **position})
    (seat,) = state.to_move
    bot = load_bot(name, game)
    return str(bot.choose(state.observation(seat), state.legal_actions(seat), random.Random(0)))


def test_the_first_card_never_ends_it():
    """Even after a 20 there is more to win by going on."""
    assert {chosen("optimal", [str(card), "1" if card > 1 else "2"]) for card in range(1, 21)} == {
        "draw"
    }
    assert chosen("myopic", ["20", "1"]) == "hold"


def test_a_shown_hand_counts_where_the_pile_is_common():
    """Before the last draw with a 13: who has seen high cards leave the pile holds."""
    mine, shown = "1 2 3 13", "20 19 18 17"
    position: Any = {"shown": [True, False], "start": 0}
    assert chosen("optimal", [shown, mine], **position) == "hold"
    assert chosen("optimal", [shown, mine], {"decks": "separate"}, **position) == "draw"


def test_the_best_safety_card_is_taken():
    options = {"preset": "d1b", "n_players": 2}
    hands = ["8a 7b 6b 5c", "1a"]
    position: Any = {"shown": [False, True], "safety": [None, "d"]}
    assert chosen("optimal", hands, options, **position) == "hold b"


def test_the_optimum_has_more_points_and_wins_more():
    game = load_game("highlow")
    scores = [[0, 0], [0, 0]]
    won = 0.0
    for seed in range(300):
        for place, names in enumerate((["optimal", "myopic"], ["optimal", "random"])):
            state = play(game, names, seed)
            for seat, points in enumerate(state.scores()):
                scores[place][seat] += points
            won += state.returns()[0] * place
    assert scores[0][0] > scores[0][1]
    assert scores[1][0] > scores[1][1]
    assert won > 60


def test_all_orders_of_a_tiny_deck():
    """The bot's mean over every order of four cards is the value of the tree."""
    game = load_game("highlow", highest=4, max_cards=3, decks="separate")
    total = Fraction()
    for order in permutations("1234"):
        seat = {"hand": [order[0]], "pile": [*reversed(order[1:])]}
        other = {"hand": ["1", "2", "3"], "pile": ["4"]}
        state = game.state_from_dict({"players": [seat, other], "shown": [False, True]})
        total += play(game, ["optimal", "random"], 0, state).scores()[0]
    rest = [tuple(card for card in (1, 2, 3, 4) if card != first) for first in (1, 2, 3, 4)]
    values = [
        best(pile, (first,), 3, "zero", 0) for first, pile in zip((1, 2, 3, 4), rest, strict=True)
    ]
    assert total / 24 == sum(values) / 4
