"""The rules of High-Low, one by one, and the examples of its rulebook page."""

import random
import re
from collections import Counter
from itertools import pairwise, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cardlab import load_game, locale
from cardlab.errors import IllegalActionError, NotationError, PositionError, RulesError
from cardlab.games.highlow import PRESETS, score, signs


def start(hands, options=None, **position):
    """A position with these hands; the other cards are in the pile."""
    players = [{"hand": hand.split()} for hand in hands]
    return load_game("highlow", **options or {}).state_from_dict({"players": players, **position})


def last_texts(state, n):
    return [event.text() for event in state.log[-n:]]


# ---------------------------------------------------------------------------------------- points


@pytest.mark.rule("H7")
@pytest.mark.parametrize("lang", locale.LANGUAGES)
def test_examples_of_the_page(lang):
    rows = re.findall(
        r"^\| \d+ \| `(\w+)` \| ([^|]+) \| (-?\d+)\D", locale.page("highlow", lang), re.MULTILINE
    )
    assert len(rows) == 13
    for preset, text, points in rows:
        rules = load_game("highlow", preset=preset).rules
        hand = re.findall(r"\b\d+[a-e]?(?![\da-z])", text.partition("held")[0].partition("で")[0])
        held = "hold" in text or "held" in text or "ホールド" in text
        suit = re.findall(r"suit ([a-e])|スート([a-e])", text)
        got = score(
            hand,
            rules.equal,
            (rules.max_cards - len(hand)) * held,
            rules.pass_penalty,
            rules.safety,
            "".join(suit[0]) if suit else None,
        )
        assert got == int(points), text


@pytest.mark.rule("H4")
@pytest.mark.rule("H7")
def test_higher_adds_and_lower_subtracts():
    assert score(["12"]) == 12
    assert score(["12", "14"]) == 26
    assert score(["12", "8"]) == 4
    assert score([]) == 0


@pytest.mark.rule("H7")
def test_an_equal_card():
    assert [score(["7", "7"], equal=word) for word in ("zero", "plus", "minus")] == [7, 14, 0]
    assert signs(["7", "7"], equal="minus") == (1, -1)


def test_the_extremes_of_five_different_cards():
    """All orders of the highest five; no other five can do better or worse."""
    points = [score(map(str, order)) for order in permutations(range(16, 21))]
    assert (min(points), max(points)) == (-50, 90)


@given(st.lists(st.integers(1, 20), max_size=6), st.sampled_from(["zero", "plus", "minus"]))
@settings(deadline=None)
def test_points_are_those_of_the_sentence(numbers, equal):
    """The rule once more, in other words: each pair of neighbours is looked at alone."""
    value = {"zero": 0, "plus": 1, "minus": -1}[equal]
    points = sum(numbers[:1])
    for before, after in pairwise(numbers):
        points += after if after > before else -after if after < before else value * after
    assert score(map(str, numbers), equal=equal) == points


@pytest.mark.rule("H10")
@given(st.permutations([f"{n}{suit}" for n in (1, 2, 3, 5, 8) for suit in "ab"]))
@settings(deadline=None)
def test_a_safety_card_never_harms(cards):
    hand = cards[:4]
    for suit in "ab":
        plain = score(hand)
        zero = score(hand, safety="zero", suit=suit)
        plus = score(hand, safety="plus", suit=suit)
        lost = sum(
            int(card[:-1])
            for card, sign in zip(hand, signs(hand), strict=True)
            if sign < 0 and card.endswith(suit)
        )
        assert (zero - plain, plus - plain) == (lost, 2 * lost)


# ---------------------------------------------------------------------------------- course of play


@pytest.mark.rule("H1")
@pytest.mark.rule("H2")
@pytest.mark.rule("H3")
def test_decks_and_piles():
    state = load_game("highlow", n_players=4).new_initial_state(seed=1)
    assert len(state.table.pile) == 16
    assert [len(seat.hand) for seat in state.players] == [1] * 4
    state = load_game("highlow", n_players=4, decks="separate").new_initial_state(seed=1)
    assert not state.table.pile
    assert [len(seat.pile) for seat in state.players] == [19] * 4
    game = load_game("highlow", preset="d1b")
    assert Counter(card.group for card in game.deck) == dict.fromkeys("abcde", 8)


@pytest.mark.rule("H5")
def test_order_of_play():
    """In turn, whoever still draws has as many cards as the others, or one less."""
    for seed in range(6):
        state = load_game("highlow", n_players=3).new_initial_state(seed)
        seats = []
        while state.to_move:
            seats.append(state.current_player)
            state.apply("draw")
        assert seats == [(state.start + place) % 3 for place in range(3)] * 4
        state = load_game("highlow", n_players=3, order="one_by_one").new_initial_state(seed)
        seats = []
        while state.to_move:
            seats.append(state.current_player)
            state.apply("draw")
        assert seats == [(state.start + place // 4) % 3 for place in range(12)]


@pytest.mark.rule("H5")
def test_who_holds_is_left_out_of_the_round():
    state = start(["12", "3", "7"], {"n_players": 3})
    state.apply("draw", 0)
    state.apply("hold", 1)
    assert state.to_move == (2,)
    state.apply("draw", 2)
    assert state.to_move == (0,)


@pytest.mark.rule("H6")
@pytest.mark.rule("H8")
def test_who_holds_shows_the_hand():
    state = start(["12", "3"])
    assert [str(action) for action in state.legal_actions()] == ["draw", "hold"]
    assert state.observation(1).players[0]["hand"][0].ascii == "?"
    state.apply("hold", 0)
    assert state.observation(1).players[0]["hand"][0].ascii == "12"
    assert last_texts(state, 1) == ["Player 1 holds and shows 12: 12 points."]
    assert state.to_move == (1,)


@pytest.mark.rule("H9")
def test_the_fifth_card_ends_it():
    state = start(["12 14 8 3", "5 1 2"], shown=[False, True])
    state.apply("draw", 0)
    assert state.is_terminal()
    assert len(state.players[0].hand) == 5
    assert state.shown == (True, True)
    assert "highlow.full" in [event.kind for event in state.log]


@pytest.mark.rule("H10")
def test_safety_cards_are_taken_once():
    state = start(["8a 3b", "5c", "7d"], {"preset": "d1b", "n_players": 3, "suits": 4})
    assert state.to_move == (1,)
    with pytest.raises(IllegalActionError, match=r"takes a safety card.*H10"):
        state.apply("hold")
    state.apply("hold b")
    assert state.safety == (None, "b", None)
    state.apply("draw")
    assert [str(action) for action in state.legal_actions()] == [
        "draw",
        "hold a",
        "hold c",
        "hold d",
    ]
    with pytest.raises(IllegalActionError, match=r"suit b is taken"):
        state.apply("hold b")
    state.apply("hold a")
    assert state.scores()[0] == 5


@pytest.mark.rule("H10")
def test_when_no_safety_card_is_left():
    options = {"preset": "d1b", "n_players": 3, "suits": 2}
    state = start(["8a", "5b", "7b"], options)
    state.apply("hold a")
    state.apply("hold b")
    assert [str(action) for action in state.legal_actions()] == ["draw", "hold"]
    state.apply("hold")
    assert state.safety == ("a", "b", None)


@pytest.mark.rule("H11")
def test_each_draw_left_out_costs():
    state = start(["12 14", "3"], {"preset": "d1c"})
    state.apply("hold")
    assert last_texts(state, 1) == ["Player 2 left out 4 draws: 8 points off."]
    state.apply("hold")
    assert state.scores() == [20, -5]


@pytest.mark.rule("H12")
def test_the_highest_score_wins_and_ties_are_shared():
    state = start(["12", "3"])
    state.apply("hold")
    state.apply("hold")
    assert state.returns() == [1.0, -1.0]
    tie = start(["7", "3 4", "5"], {"n_players": 3}, start=1, shown=[False, True, False])
    tie.apply("hold")
    tie.apply("hold")
    assert tie.returns() == [0.25, 0.25, -0.5]


# ----------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"preset": "d9"}, "no draft 'd9'"),
        ({"safety": "plus"}, "at least two suits"),
        ({"n_players": 5}, "20 cards are too few"),
        ({"max_cards": 6, "highest": 5, "decks": "separate"}, "at least 6"),
        ({"colour": 1}, "preset"),
    ],
)
def test_options_that_cannot_be(options, message):
    with pytest.raises(RulesError, match=message):
        load_game("highlow", **options)


def test_presets_are_complete_and_can_be_overridden():
    assert {*PRESETS} == {"d1", "d1b", "d1b_zero", "d1c"}
    for name, options in PRESETS.items():
        game = load_game("highlow", preset=name)
        assert options.items() <= game.options().items()
        assert load_game("highlow", **game.options()) == game
    assert load_game("highlow", preset="d1c", pass_penalty=5).rules.pass_penalty == 5
    assert load_game("highlow", preset="d1") == load_game("highlow")


@pytest.mark.parametrize("text", ["21", "0", "7a", "Ks", "wrath", ""])
def test_cards_of_other_games_are_refused(text):
    with pytest.raises(NotationError):
        load_game("highlow").parse_card(text)


@pytest.mark.parametrize(
    ("hands", "position"),
    [
        (["12", "12"], {}),
        (["", "3"], {}),
        (["12 14 8 3 5", "1"], {}),
        (["1 2 3 4 5 6", "7"], {"shown": [True, False]}),
        (["1 2 3", "7"], {}),
        (["1", "7 8"], {}),
        (["1", "7"], {"start": 2}),
        (["1", "7"], {"start": True}),
        (["1", "7"], {"turn": 0}),
        (["1", "7"], {"shown": [1, 0]}),
        (["1", "7"], {"shown": [True]}),
        (["1", "7"], {"safety": ["a", None]}),
        (["1", "7"], {"safety": [None]}),
        (["1", "7"], {"shown": [True, True]}),
        (["1", "7"], {"phase": "end"}),
        (["1", "7"], {"out": ["3"]}),
        (["1", "7"], {"table": {"pile": ["2", "3"]}}),
        (["1", "7"], {"table": {"pile": [None]}}),
        (["1", "7"], {"shown": [True, True], "phase": "end", "result": [1, -1]}),
    ],
)
def test_positions_that_cannot_be(hands, position):
    with pytest.raises(PositionError):
        start(hands, **position)


def test_positions_with_piles_of_the_wrong_kind():
    for decks, zones in (("shared", "players"), ("separate", "table")):
        position = load_game("highlow", decks=decks).new_initial_state(seed=1).to_dict()
        position["rules"]["decks"] = "separate" if decks == "shared" else "shared"
        with pytest.raises(PositionError):
            load_game("highlow", **position["rules"]).state_from_dict(position)
        assert position[zones]


def test_positions_with_odd_safety_cards():
    options = {"preset": "d1b"}
    for safety, shown in (
        (["a", None], [False, False]),
        ([None, None], [True, False]),
        (["a", "a"], [True, True]),
    ):
        with pytest.raises(PositionError):
            start(["1a", "7b"], options, safety=safety, shown=shown)
    assert start(["1a", "7b"], options, safety=["e", None], shown=[True, False]).to_move == (1,)


def test_resample_is_uniform_on_a_small_deck():
    """Both hidden cards and the pile: every arrangement of the unseen cards is equally likely."""
    game = load_game("highlow", highest=4, max_cards=2)
    state = game.state_from_dict({"players": [{"hand": ["2"]}, {"hand": ["3"]}]})
    seen, rng = state.observation(0), random.Random(5)
    drawn = Counter()
    for _ in range(6000):
        sample = game.resample(seen, rng)
        drawn[sample.players[1].hand[0].ascii, *(card.ascii for card in sample.table.pile)] += 1
    assert {*drawn} == {*permutations("134")}
    assert max(abs(count - 1000) for count in drawn.values()) < 5 * 1000**0.5
