"""The drafts of Alicematic: what each preset says, and every option of the family."""

import itertools
import json
import random
from collections import Counter
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardlab import IllegalActionError, PositionError, RulesError, load_game
from cardlab.games.collect import PRESETS, CollectRules, score


def start(*hands, draw, turn=28, options=None, **entries):
    """A late turn begins: a card is drawn; all cards that are not named lie face down."""
    game = load_game("collect", n_players=len(hands), **(options or {}))
    seats = [{"hand": hand.split()} for hand in hands]
    seats[(entries.get("start", 0) + turn - 1) % len(seats)]["fresh"] = [draw]
    return game.state_from_dict({"turn": turn, "players": seats, **entries})


def play(state, line):
    events = ()
    for action in line.split("; "):
        events = state.apply(action)
    return events


def legal(state):
    return {str(action) for action in state.legal_actions()}


def hand(state, seat):
    return " ".join(card.ascii for card in state.players[seat].hand)


def turns_of(game, seed=1):
    """How many turns each seat has, from the start player on."""
    state = game.new_initial_state(seed)
    turns = Counter()
    while state.to_move:
        if state.phase == "choose":
            turns[state.to_move[0]] += 1
        state.apply(random.Random(state.turn).choice(state.legal_actions()))
    n = game.num_players
    return [turns[(state.start + place) % n] for place in range(n)], state


# ----------------------------------------------------------------------------------------- course


@pytest.mark.rule("S1")
@pytest.mark.rule("S4")
@pytest.mark.rule("S5")
def test_seats_first_hands_and_turns():
    for n, hand_size in itertools.product(range(2, 7), (0, 2, 3)):
        game = load_game("collect", n_players=n, start_hand=hand_size, rounds=3)
        state = game.new_initial_state(seed=n)
        assert [len(seat.hand) for seat in state.players] == [hand_size] * n
        order = []
        while state.to_move:
            if state.phase == "choose":
                order.append(state.to_move[0])
            state.apply(state.legal_actions()[-1])
        assert order == [(state.start + place) % n for place in range(n)] * 3
    for n in (1, 7):
        with pytest.raises(RulesError):
            load_game("collect", n_players=n)


@pytest.mark.rule("S6")
def test_the_drawn_card_is_seen_by_its_drawer_and_kept_or_let_go():
    state = start("1", "2", "3", draw="8")
    seen = [state.observation(seat).players[0]["fresh"][0].ascii for seat in range(3)]
    assert seen == ["8", "?", "?"]
    assert legal(state) == {"hold", "release 1", "release 2"}
    play(state, "hold; pass")
    assert hand(state, 0) == "1 8"


# ---------------------------------------------------------------------------------------- presets


@pytest.mark.parametrize("name", PRESETS)
def test_presets_are_read_from_the_table(name):
    game = load_game("collect", preset=name)
    options = {option.name for option in fields(CollectRules)}
    assert PRESETS[name].keys() <= options
    for option, value in PRESETS[name].items():
        assert game.rules.to_dict()[option] == value
    # A preset is no option of its own: the rules alone make the same game.
    assert load_game("collect", **json.loads(json.dumps(game.rules.to_dict()))) == game
    state = game.new_initial_state(seed=1)
    rng = random.Random(name)
    while state.to_move:
        state.apply(rng.choice(state.legal_actions()))
    assert state.is_terminal()


def test_a_given_option_goes_before_the_preset():
    game = load_game("collect", preset="d4", may_refuse="no", n_players=5)
    assert (game.rules.may_refuse, game.rules.suits, game.num_players) == ("no", 5, 5)


@pytest.mark.parametrize("name", ["d8", "", 4, ["d4"]])
def test_unknown_presets(name):
    with pytest.raises(RulesError) as refusal:
        load_game("collect", preset=name)
    assert "d2b_return" in refusal.value.text("en")


@pytest.mark.rule("S2")
def test_decks_of_the_drafts():
    def numbers(preset, **options):
        deck = load_game("collect", preset=preset, **options).deck
        counts = Counter(card.rank for card in deck if not card.is_medallion)
        return [counts[rank] for rank in range(1, max(counts) + 1)], len(deck)

    assert numbers("d4") == ([15, 15, 10, 10, 5, 5], 60)
    assert numbers("d4_three") == ([12, 12, 8, 8, 4, 4], 48)
    assert numbers("d5") == ([8, 8, 8, 6, 6, 6, 6, 4, 4, 4], 60)
    assert numbers("d6") == ([8, 8, 8, 6, 6, 6, 6, 4, 4, 4], 60)
    assert numbers("d7a") == ([7, 7, 7, 5, 5, 5, 5, 4, 4, 4], 60)
    assert numbers("d7b") == ([8, 6, 6, 6, 5, 5, 5, 4, 4, 4], 60)
    assert numbers("d7c") == ([8, 8, 6, 6, 6, 5, 5, 5, 4], 60)
    per_suit = Counter(card.group for card in load_game("collect", preset="d4").deck)
    assert per_suit == dict.fromkeys("abcde", 12)


@pytest.mark.rule("S14")
@pytest.mark.parametrize(
    ("preset", "n", "each"),
    [
        ("d4", 3, [20] * 3),
        ("d4", 4, [15] * 4),
        ("d4", 5, [12] * 5),
        ("d4", 6, [10] * 6),
        ("d4_three", 3, [16] * 3),
        ("d4_end", 3, [15] * 3),
        ("d4_end", 4, [12, 11, 11, 11]),
        ("d4_end", 5, [9] * 5),
        ("d5", 4, [10] * 4),
        ("d6", 3, [10] * 3),
        ("d6", 4, [10] * 4),
        ("d6", 5, [10] * 5),
        ("d7c", 4, [10] * 4),
    ],
)
def test_turns_of_each_player(preset, n, each):
    turns, state = turns_of(load_game("collect", preset=preset, n_players=n))
    assert turns == each
    left = {"d4_end": 15, "d5": 60 - 12 * n}.get(preset, 0)
    assert len(state.table.pile) == left


@pytest.mark.rule("S3")
@pytest.mark.parametrize(("n", "removed"), [(3, 24), (4, 12), (5, 0)])
def test_cards_removed_in_d6(n, removed):
    assert load_game("collect", preset="d6", n_players=n).rules.n_removed == removed


@pytest.mark.rule("S15")
@pytest.mark.rule("S7")
def test_in_d0_holding_all_is_best():
    """Without effects there is no decision: whatever is trashed is lost."""
    game = load_game("collect", preset="d0")
    for seed in range(20):
        state = game.new_initial_state(seed)
        drawn = [0, 0]
        twin = state.clone()
        while state.to_move:
            assert legal(state) == {"hold", "trash"}
            (seat,) = state.to_move
            drawn[seat] += state.players[seat].fresh[0].rank
            state.apply("hold")
        assert state.scores() == drawn
        rng = random.Random(seed)
        while twin.to_move:
            twin.apply(rng.choice(twin.legal_actions()))
        assert all(a >= b for a, b in zip(state.scores(), twin.scores(), strict=True))


@pytest.mark.rule("S15")
def test_d2b_counts_sets_in_the_hand():
    state = start("7 7 5", "1 1", draw="7", turn=19, options={"preset": "d2b"})
    assert state.scores() == [3 * 7 - 5, -2]
    assert legal(state) == {"hold", "release 1"}
    play(state, "hold")
    assert (state.turn, state.to_move) == (20, (1,)), "no set is laid"


@pytest.mark.rule("S8")
def test_d2b_flows_to_the_left_and_stays():
    state = start("", "1", "2", draw="7", options={"preset": "d2b"})
    assert legal(state) == {"hold", "release 1"}
    play(state, "release 1")
    assert hand(state, 1) == "1 7"
    assert state.turn == 29


@pytest.mark.rule("S8")
def test_a_card_handed_back_must_be_held():
    state = start("1", "2", "3", draw="7", options={"preset": "d2b_return"})
    play(state, "release 2")
    assert legal(state) == {"hold", "return"}
    play(state, "return")
    assert hand(state, 0) == "1 7"
    assert (state.turn, state.phase, state.to_move) == (29, "choose", (1,))


# ------------------------------------------------------------------------------------- laying sets


@pytest.mark.rule("S9")
def test_sets_of_a_number_in_d3():
    state = start("2 2 2 4 4", "5", "6", draw="2", options={"preset": "d3"})
    play(state, "hold")
    assert legal(state) == {"army 3", "army 4", "pass"}
    play(state, "army 3")
    assert (hand(state, 0), state.armies[0]) == ("2 4 4", ((2, 3),))
    assert state.scores()[0] == 6 - 10


@pytest.mark.rule("S8")
def test_the_receiver_may_refuse_or_lay():
    state = start("1", "6 6", "3", draw="6", options={"preset": "d3"})
    twin = state.clone()
    play(state, "release 1; hold; army 3")
    assert state.armies[1] == ((6, 3),)
    play(twin, "release 1; trash")
    assert [card.ascii for card in twin.out] == ["6"]


@pytest.mark.rule("S8")
def test_secret_discards_are_known_to_two():
    options = {"preset": "d3", "discard_open": False}
    state = start("1", "6 6", "3", draw="6", options=options)
    play(state, "release 1; trash")
    assert state.out == []
    assert [card.ascii for card in state.table.discards] == ["6"]
    trashed = [event for event in state.log if event.kind == "collect.trash"]
    assert [bool(trashed[0].seen_from(seat).data) for seat in range(3)] == [False, True, False]


@pytest.mark.rule("S10")
def test_sets_by_number_or_suit():
    state = start("3b 3c 5a 1a", "1b", "1c", draw="3a", options={"preset": "d4"})
    play(state, "hold")
    assert legal(state) == {"begin number", "begin suit", "pass"}
    by_suit = state.clone()
    play(state, "begin number")
    assert legal(state) == {"add 3b", "add 3c"}
    with pytest.raises(IllegalActionError):
        state.apply("done")
    with pytest.raises(IllegalActionError):
        state.apply("add 5a")
    with pytest.raises(IllegalActionError):
        state.apply("add 3d")
    play(state, "add 3b; add 3c; done")
    assert (state.armies[0], hand(state, 0)) == (((3, 3),), "1a 5a")
    assert state.scores()[0] == 9 - 6
    play(by_suit, "begin suit; add 5a; add 1a; done")
    assert (by_suit.armies[0], hand(by_suit, 0)) == ((("a", 3),), "3b 3c")
    assert by_suit.scores()[0] == 9 - 6


@pytest.mark.rule("S10")
def test_a_set_by_suit_only_if_so_agreed():
    options = {"preset": "d4", "set_by": "number"}
    state = start("3b 3c 5a 1a", "1b", "1c", draw="3a", options=options)
    play(state, "hold")
    assert legal(state) == {"begin number", "pass"}


@pytest.mark.rule("S11")
def test_items_go_with_a_large_set():
    state = start("2 2 2 pride wrath greed", "1", "1", draw="2", options={"preset": "d7c"})
    play(state, "hold; army 4")
    assert legal(state) == {"medallion pride", "medallion greed", "done"}
    play(state, "medallion pride; medallion greed; done")
    assert hand(state, 0) == "wrath"
    assert state.scores()[0] == 8 - 5


@pytest.mark.rule("S12")
@pytest.mark.rule("S13")
def test_hands_over_the_limit_lie_open():
    state = start("2 2 4 5 6 7", "1", "1", draw="9", options={"preset": "d6"})
    play(state, "hold; pass")
    assert state.exposed == (True, False, False)
    play(state, "hold; pass; release 0; hold")
    assert state.phase == "army"
    play(state, "pass")
    assert state.exposed[0]


@pytest.mark.rule("S12")
def test_no_limit():
    state = start("1 2 3 4 5 6 7 8 9", "1", "1", draw="9", options={"hand_limit": 0})
    play(state, "hold; pass")
    assert state.exposed == (False, False, False)


@pytest.mark.rule("S7")
def test_over_the_limit_nothing_is_given():
    options = {"preset": "d6", "over_limit_blocks_receive": True}
    state = start("2", "1 2 3 4 5 6 7", "1", draw="9", options=options)
    assert legal(state) == {"hold", "release 2"}
    with pytest.raises(IllegalActionError):
        state.apply("release 1")


@pytest.mark.rule("S16")
def test_winners():
    state = start("2", "9", draw="1", turn=20, options={"start_hand": 0}, start=1)
    play(state, "release 1; trash")
    assert state.log[-1].kind == "collect.win"
    assert state.returns() == [1.0, -1.0]


# --------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    "options",
    [
        {"set_by": "number_or_suit"},
        {"rounds": 5, "end_card": 15},
        {"start_hand": 7},
        {"n_players": 6},
        {"counts": [1] * 21},
        {"counts": (0,)},
        {"rounds": 0, "end_card": 60},
        {"suits": 6},
        {"release_target": "right"},
    ],
)
def test_options_that_do_not_go(options):
    with pytest.raises(RulesError) as refusal:
        load_game("collect", **options)
    assert refusal.value.text("ja") != refusal.value.text("en")


@pytest.mark.parametrize(
    "armies", [[[["b", 3]], []], [[[4, 0]], []], [[["z", 3]], []], [[3], []], [[[3, "4"]], []]]
)
def test_sets_that_cannot_be(armies):
    with pytest.raises(PositionError):
        start("1", "2", draw="3", turn=19, options={"preset": "d6"}, armies=armies)


# -------------------------------------------------------------------------------------------- score


@given(st.lists(st.integers(1, 20), max_size=9), st.integers(2, 4))
def test_scores_by_hand(ranks, least):
    hand = [str(rank) for rank in ranks]
    assert score([], hand) == -sum(ranks)
    assert score(hand, []) == sum(ranks)
    assert score([], hand, sets="none") == sum(ranks)
    groups = [[*group] for _, group in itertools.groupby(sorted(ranks))]
    by_group = [sum(group) * (1 if len(group) >= least else -1) for group in groups]
    assert score([], hand, "held", least) == sum(by_group)
