"""The rules of Alicematic: the worked examples AE1 to AE28, arithmetic, options, bad input."""

import json
import random
import re
from collections import Counter
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardlab import (
    Action,
    IllegalActionError,
    NotationError,
    PositionError,
    RulesError,
    load_game,
    locale,
)
from cardlab.games.alicematic import score
from cardlab.games.collect_cards import MEDALLIONS

DECK = Counter({"1": 8, "2": 8, "3": 6, "4": 6, "5": 6, "6": 5, "7": 5, "8": 5, "9": 4})
SINS = {"pride": 3, "lust": 3, "envy": 3, "gluttony": 3, "greed": 4, "sloth": 4, "wrath": 5}


def position(*hands, draw, turn=1, start=0, **entries):
    """A turn begins, a card is drawn; all cards that are not named lie face down."""
    seats = [{"hand": hand.split()} for hand in hands]
    seats[(start + turn - 1) % len(seats)]["fresh"] = [draw]
    return {"turn": turn, "start": start, "players": seats, **entries}


def start(*hands, draw, turn=1, options=None, **entries):
    game = load_game("alicematic", n_players=len(hands), **(options or {}))
    return game.state_from_dict(position(*hands, draw=draw, turn=turn, **entries))


def play(state, line):
    """Apply actions in notation, separated by semicolons; the events of the last one."""
    events = ()
    for action in line.split("; "):
        events = state.apply(action)
    return events


def legal(state):
    return {str(action) for action in state.legal_actions()}


def hand(state, seat):
    return " ".join(card.ascii for card in state.players[seat].hand)


def kinds(events):
    return [event.kind.removeprefix("alicematic.") for event in events]


def refused(state, action, rule):
    before = state.to_dict()
    with pytest.raises(IllegalActionError) as refusal:
        state.apply(action)
    assert refusal.value.rule == rule
    assert refusal.value.text("en") != refusal.value.text("ja")
    assert state.to_dict() == before
    return refusal.value


# ------------------------------------------------------------------------------------------ set-up


@pytest.mark.rule("A2")
@pytest.mark.rule("A3")
def test_the_deck():
    deck = Counter(card.ascii for card in load_game("alicematic").deck)
    assert deck == DECK + Counter(SINS.keys())
    assert (DECK.total(), sum(int(n) * k for n, k in DECK.items())) == (53, 237)
    assert {card.ascii: card.rank for card in MEDALLIONS} == SINS
    assert sum(SINS.values()) == 25


@pytest.mark.rule("A5")
@pytest.mark.rule("A6")
@pytest.mark.rule("A8")
@pytest.mark.parametrize(("n", "removed", "pile"), [(3, 24, 30), (4, 12, 40), (5, 0, 50)])
def test_ae1_arithmetic_of_the_deck(n, removed, pile):
    game = load_game("alicematic", n_players=n)
    state = game.new_initial_state(seed=1)
    assert len(state.table.removed) == removed
    # The first card is drawn already.
    assert len(state.table.pile) == pile - 1
    assert [len(seat.hand) for seat in state.players] == [2] * n
    assert 60 - removed == 2 * n + pile
    assert pile == 10 * n
    rng = random.Random(n)
    turns = [state.turn]
    while state.to_move:
        assert len(state.table.pile) == pile - state.turn
        zones = [zone for seat in (*state.players, state.table) for zone in seat.zones().values()]
        assert sum(map(len, zones)) + len(state.out) == 60
        state.apply(rng.choice(state.legal_actions()))
        turns.append(state.turn)
    assert not state.table.pile
    assert {*turns} == {*range(1, 10 * n + 1)}


@pytest.mark.rule("A4")
def test_everything_is_shuffled():
    game = load_game("alicematic", n_players=5)
    piles = [tuple(game.new_initial_state(seed).table.pile) for seed in range(20)]
    assert len({*piles}) == 20
    # With five players nothing is removed: in some deal each card lies in the pile's last place.
    last = {game.new_initial_state(seed).table.pile[0].ascii for seed in range(300)}
    assert last == {*DECK, *SINS}


@pytest.mark.rule("A1")
def test_two_or_six_cannot_play():
    for n in (2, 6):
        with pytest.raises(RulesError):
            load_game("alicematic", n_players=n)


@pytest.mark.rule("A7")
def test_any_seat_may_begin():
    game = load_game("alicematic")
    states = [game.new_initial_state(seed) for seed in range(100)]
    assert {state.start for state in states} == {0, 1, 2, 3}
    assert all(state.to_move == (state.start,) for state in states)


@pytest.mark.rule("A9")
@pytest.mark.parametrize("rotates", [False, True])
def test_turns_go_round(rotates):
    game = load_game("alicematic", n_players=3, start_rotates=rotates)
    state = game.new_initial_state(seed=5)
    first = state.start
    order = []
    while state.to_move:
        if state.phase == "choose":
            order.append(state.to_move[0])
        state.apply(state.legal_actions()[-1])
    shift = [lap if rotates else 0 for lap in range(10)]
    assert order == [(first + shift[lap] + place) % 3 for lap in range(10) for place in range(3)]


@pytest.mark.rule("A10")
def test_only_the_drawer_sees_the_card():
    state = start("1", "2", "3", draw="8")
    seen = [state.observation(seat).players[0]["fresh"][0].ascii for seat in range(3)]
    assert seen == ["8", "?", "?"]
    state = load_game("alicematic", n_players=3).new_initial_state(seed=4)
    drawn = state.log[-1]
    assert (drawn.rule, drawn.player, drawn.seen_by) == ("A10", state.start, state.start)
    assert drawn.data["card"] is state.players[state.start].fresh[0]


# ------------------------------------------------------------------------------------ after a hold


@pytest.mark.rule("A13")
def test_ae2_five_twos():
    state = start("2 2 2 2", "9", "9", draw="2")
    play(state, "hold")
    assert legal(state) == {"army 3", "army 4", "army 5", "pass"}
    events = play(state, "army 3")
    assert kinds(events) == ["army", "kept"]
    assert events[1].seen_by == 0
    assert events[1].data == {"n": 2}
    assert hand(state, 0) == "2 2"
    assert state.armies[0] == ((2, 3),)


@pytest.mark.rule("A12")
def test_ae3_two_are_no_army():
    state = start("7", "9", "9", draw="7")
    play(state, "hold")
    assert legal(state) == {"pass"}
    refused(state, "army 3", "A12")


@pytest.mark.rule("A12")
def test_ae4_only_the_number_just_taken_in():
    state = start("5 5 5", "9", "9", draw="4")
    play(state, "hold")
    assert legal(state) == {"pass"}
    assert "4" in refused(state, "army 3", "A12").text("en")


@pytest.mark.rule("A12")
def test_ae5_a_medallion_begins_no_army():
    state = start("5 5 5", "9", "9", draw="lust")
    play(state, "hold")
    assert legal(state) == {"pass"}
    refused(state, "army 3", "A12")
    play(state, "pass")
    assert hand(state, 0) == "5 5 5 lust"


@pytest.mark.rule("A12")
def test_ae6_three_or_four_fives():
    state = start("5 5 5", "9", "9", draw="5")
    play(state, "hold")
    assert legal(state) == {"army 3", "army 4", "pass"}


@pytest.mark.rule("A11")
@pytest.mark.rule("A25")
@pytest.mark.rule("A27")
def test_ae7_the_receiver_plays_at_once():
    state = start("1", "2", "6 6 lust 9", draw="6")
    play(state, "release 2")
    assert state.to_move == (2,)
    play(state, "hold; army 3; medallion lust; lust 9; done")
    assert state.armies[2] == ((6, 4),)
    # It is still the first turn that was played; the next is that of the second player.
    assert (state.turn, state.to_move, state.phase) == (2, (1,), "choose")


@pytest.mark.rule("A26")
@pytest.mark.rule("A24")
def test_ae8_a_trashed_card_is_open():
    state = start("1", "2", "6 6", draw="6")
    play(state, "release 2")
    assert legal(state) == {"hold", "trash"}
    refused(state, "release 1", "A24")
    events = play(state, "trash")
    assert kinds(events)[0] == "trash"
    assert events[0].seen_by is None
    assert [card.ascii for card in state.out] == ["6"]
    assert hand(state, 2) == "6 6"
    assert state.to_move == (1,)


@pytest.mark.rule("A11")
def test_ae9_only_the_drawn_card_can_be_released():
    state = start("1 9", "2", "6 6", draw="6")
    assert legal(state) == {"hold", "release 1", "release 2"}
    with pytest.raises(NotationError):
        state.apply("release 9 2")
    refused(state, "release 0", "A11")
    refused(state, "trash", "A11")


@pytest.mark.rule("A15")
def test_ae10_a_medallion_needs_a_large_army():
    state = start("8 8 greed pride", "1", "1", draw="8")
    play(state, "hold; army 3")
    assert legal(state) == {"medallion pride", "done"}
    refused(state, "medallion greed", "A15")
    refused(state, "medallion wrath", "A15")


@pytest.mark.rule("A14")
def test_medallions_come_with_an_army_only_one_after_another():
    state = start("8 8 gluttony pride 1", "1", "1", draw="8")
    assert refused(state, "medallion pride", "A11")
    play(state, "hold")
    assert refused(state, "medallion pride", "A12")
    play(state, "army 3; medallion gluttony")
    assert legal(state) == {"medallion pride", "done"}
    play(state, "medallion pride; discard 1; done")
    assert legal(state) == {"done"}
    assert [card.ascii for card in state.players[0].medallions] == ["gluttony", "pride"]


@pytest.mark.rule("A18")
def test_ae12_lust():
    state = start("8 8 lust 1", "1", "1", draw="8")
    play(state, "hold; army 3; medallion lust")
    assert legal(state) == {"lust 1", "skip"}
    play(state, "lust 1")
    assert state.armies[0] == ((8, 4),)
    assert state.scores()[0] == 32
    assert hand(state, 0) == ""


@pytest.mark.rule("A18")
def test_lust_may_take_a_medallion():
    state = start("8 8 lust wrath", "1", "1", draw="8")
    play(state, "hold; army 3; medallion lust; lust wrath")
    assert state.armies[0] == ((8, 4),)
    assert "wrath" not in [card.ascii for card in state.players[0].medallions]


@pytest.mark.rule("A23")
def test_ae14_wrath():
    state = start("2 2 2 2 wrath", "1", "1", draw="2")
    play(state, "hold; army 5; medallion wrath")
    assert state.armies[0] == ((4, 5),)
    assert state.scores()[0] == 20


@pytest.mark.rule("A23")
@pytest.mark.rule("A16")
def test_wrath_doubles_the_main_army_only():
    state = start(
        "1 1 1 1 wrath lust greed 9 9 5", "1", "1", draw="1", exposed=[True, False, False]
    )
    play(state, "hold; army 5; medallion greed; greed 9; medallion wrath; medallion lust; lust 5")
    assert state.armies[0] == ((2, 6), (9, 2))
    assert state.scores()[0] == 12 + 18


@pytest.mark.rule("A21")
def test_ae16_greed():
    state = start("1 1 1 greed 9 9 3", "1", "1", draw="1")
    play(state, "hold; army 4; medallion greed")
    assert legal(state) == {"greed 9", "skip"}
    refused(state, "greed 3", "A21")
    play(state, "greed 9")
    assert state.armies[0] == ((1, 4), (9, 2))
    assert state.scores()[0] == 4 + 18 - 3


@pytest.mark.rule("A21")
def test_greed_takes_two_of_three_and_no_medallions():
    state = start("1 1 1 greed 9 9 9", "1", "1", draw="1")
    play(state, "hold; army 4; medallion greed; greed 9")
    assert hand(state, 0) == "9"
    assert state.armies[0][1] == (9, 2)
    with pytest.raises(NotationError):
        state.apply("greed wrath")


@pytest.mark.rule("A22")
def test_ae18_sloth():
    state = start("2 2 2 sloth 9 8 wrath", "1", "1", draw="2")
    play(state, "hold; army 4; medallion sloth")
    events = play(state, "bury wrath 9 8")
    assert state.armies[0] == ((2, 4), (1, 3))
    assert state.scores()[0] == 8 + 3
    assert events[0].seen_by == 0
    assert [card.ascii for card in state.observation(1).players[0]["buried"]] == ["?"] * 3
    assert [card.ascii for card in state.observation(0).players[0]["buried"]] == ["8", "9", "wrath"]
    assert [card.ascii for card in state.players[0].medallions] == ["sloth"]


@pytest.mark.rule("A22")
def test_sloth_needs_three_cards():
    state = start("2 2 2 sloth 9 8", "1", "1", draw="2")
    play(state, "hold; army 4; medallion sloth")
    assert legal(state) == {"skip"}
    refused(state, "bury 9 8 8", "A22")
    events = play(state, "skip")
    assert kinds(events) == ["unused"]
    assert hand(state, 0) == "8 9"


@pytest.mark.rule("A17")
@pytest.mark.parametrize("thrown", ["", "9", "1 9", "1 8 9"])
def test_ae20_pride(thrown):
    state = start("4 4 9 8 1 pride", "1", "1", draw="4")
    play(state, "hold; army 3; medallion pride")
    assert legal(state) == {"discard 1", "discard 8", "discard 9", "done"}
    for card in thrown.split():
        (event,) = state.apply(f"discard {card}")
        assert event.seen_by is None
    refused(state, "discard 5", "A17")
    play(state, "done")
    assert state.phase == "medallion"
    assert sorted(card.ascii for card in state.out) == thrown.split()
    assert hand(state, 0).split() == [card for card in ("1", "8", "9") if card not in thrown]


@pytest.mark.rule("A19")
@pytest.mark.rule("A28")
def test_ae21_envy_cannot_be_refused():
    state = start("4 4 9 envy", "1 2 3 5 6 7 9", "1", draw="4")
    play(state, "hold; army 3; medallion envy")
    assert legal(state) == {"to 1", "to 2", "skip"}
    refused(state, "to 0", "A19")
    play(state, "to 1")
    events = play(state, "give 9")
    assert kinds(events) == ["give", "given", "taken"]
    # Giver and receiver know the card, the third one does not.
    views = [[bool(event.seen_from(seat).data) for event in events[:2]] for seat in range(3)]
    assert views == [[True, False], [False, True], [False, False]]
    assert state.phase == "medallion"
    assert hand(state, 1) == "1 2 3 5 6 7 9 9"
    assert not state.exposed[1]
    events = play(state, "done")
    assert "exposed" in kinds(events)
    assert state.exposed == (False, True, False)


@pytest.mark.rule("A29")
def test_ae22_an_open_hand_is_taken_up_again():
    state = start("1", "2 2 3 4 5 6 7 8", "9", draw="2", turn=2)
    assert state.exposed == (False, True, False)
    seen = state.observation(0).players[1]["hand"]
    assert [card.ascii for card in seen] == [*"22345678"]
    play(state, "hold; army 3")
    assert state.exposed[1], "the hand lies open to the end of the turn"
    events = play(state, "done")
    assert kinds(events)[:2] == ["done", "covered"]
    assert {card.ascii for card in state.observation(0).players[1]["hand"]} == {"?"}


@pytest.mark.rule("A28")
def test_a_card_taken_in_is_hidden_to_the_end_of_the_turn():
    state = start("1", "2 2 3 4 5 6 7 8", "9", draw="9", turn=2)
    play(state, "hold")
    assert [card.ascii for card in state.observation(0).players[1]["fresh"]] == ["?"]
    events = play(state, "pass")
    assert kinds(events)[:2] == ["pass", "shown"]
    assert [card.ascii for card in state.observation(0).players[1]["hand"]][-1] == "9"


@pytest.mark.rule("A11")
def test_ae23_over_the_limit():
    for blocked in (False, True):
        options = {"over_limit_blocks_receive": blocked}
        state = start("1", "9", "1 2 3 4 5 6 7 8", draw="5", options=options)
        assert ("release 2" in legal(state)) is not blocked
        if blocked:
            refused(state, "release 2", "A28")
            assert legal(state) == {"hold", "release 1"}


@pytest.mark.rule("A19")
def test_over_the_limit_blocks_envy_too():
    options = {"over_limit_blocks_receive": True}
    state = start("4 4 9 envy", "1", "1 2 3 5 6 7 8 8", draw="4", options=options)
    play(state, "hold; army 3; medallion envy")
    assert legal(state) == {"to 1", "skip"}
    refused(state, "to 2", "A28")


@pytest.mark.rule("A20")
def test_ae25_score_at_the_end():
    armies, left = [(2, 5), (7, 3)], ["9", "4", "greed"]
    assert score(armies, left, ["gluttony"]) == 16
    assert score(armies, left, ["gluttony"], played_medallion="number") == 19


@pytest.mark.rule("A8")
def test_ae26_no_army():
    assert score([], ["9", "9", "5", "lust"]) == -26


@pytest.mark.rule("A8")
def test_ae28_a_shared_win():
    state = start("2", "2", "3", draw="9", turn=30, start=1)
    events = play(state, "release 1; trash")
    assert state.scores() == [-2, -2, -3]
    assert state.returns() == [0.25, 0.25, -0.5]
    assert kinds(events)[-2:] == ["shared", "shared"]


@pytest.mark.rule("A8")
def test_a_sole_win():
    state = start("2", "5", "3", draw="9", turn=30, start=1)
    assert kinds(play(state, "release 1; trash"))[-1] == "win"
    assert state.returns() == [1.0, -0.5, -0.5]


@pytest.mark.rule("A20")
def test_gluttony_counts_all_own_armies_at_the_end():
    state = start("4 4 gluttony greed", "1", "1", draw="4", turn=28)
    play(state, "hold; army 3; medallion gluttony; done")
    assert state.scores()[0] == 12 + 1 - 4


@pytest.mark.parametrize("lang", locale.LANGUAGES)
@pytest.mark.rule("A15")
def test_examples_of_the_rulebook(lang):
    names = {locale.text(f"alicematic.card.{sin}", lang): sin for sin in SINS}
    lines = [line.strip("|").split("|") for line in locale.page("alicematic", lang).splitlines()]
    rows = [[cell.strip() for cell in cells] for cells in lines if cells[0].strip().isdigit()]

    def cards(cell):
        return [names.get(word, word) for word in cell.replace("–", "").split()]

    counts = [row for row in rows if len(row) == 6]
    assert len(counts) == 6
    for _, armies, played, left, points, _ in counts:
        pairs = [tuple(map(int, army.split("×"))) for army in cards(armies)]
        assert score(pairs, cards(left), cards(played)) == int(points)

    holds = [row for row in rows if len(row) == 5]
    assert len(holds) == 6
    for _, held, drawn, possible, _ in holds:
        state = start(" ".join(cards(held)), "1", "1", draw=cards(drawn)[0])
        play(state, "hold")
        sizes = [action.arg for action in state.legal_actions() if action.kind == "army"]
        assert sizes == [*map(int, re.findall(r"\d", possible))]
        if sizes == [3]:
            play(state, "army 3")
            assert legal(state) == {"medallion pride", "done"}
            assert {"en": "Pride", "ja": "傲慢"}[lang] in possible


# ------------------------------------------------------------------------------------------ options


def test_lust_counts_for_the_requirement_if_so_read():
    for counts, found in ((False, {"done"}), (True, {"medallion greed", "done"})):
        options = {"requirement_counts_lust": counts}
        state = start("8 8 lust greed 1", "1", "1", draw="8", options=options)
        play(state, "hold; army 3; medallion lust; lust 1")
        assert legal(state) == found


@pytest.mark.rule("A19")
def test_envy_may_be_refused_if_so_read():
    state = start("4 4 9 envy", "9 9 2", "1", draw="4", options={"envy_refusable": True})
    play(state, "hold; army 3; medallion envy; to 1; give 9")
    assert (state.phase, state.to_move) == ("envy_receive", (1,))
    seen = [state.observation(seat).players[1]["fresh"][0].ascii for seat in range(3)]
    assert seen == ["9", "9", "?"]
    twin = state.clone()
    play(state, "hold")
    # It was not drawn in this turn, so no army is played with it.
    assert (state.phase, state.to_move, hand(state, 1)) == ("medallion", (0,), "2 9 9 9")
    play(twin, "trash")
    assert (hand(twin, 1), [card.ascii for card in twin.out]) == ("2 9 9", ["9"])


@pytest.mark.rule("A11")
def test_only_the_left_neighbour_if_so_read():
    state = start("1", "2", "3", draw="9", turn=3, options={"release_target": "left"})
    assert legal(state) == {"hold", "release 0"}
    refused(state, "release 1", "A11")


def test_another_limit_opens_smaller_hands():
    state = start("1 2 3", "2", "3", draw="9", options={"hand_limit": 3})
    assert "exposed" in kinds(play(state, "hold; pass"))


def test_other_counts_and_removed_cards():
    game = load_game("alicematic", n_players=3, counts=[10, 10, 10, 10])
    assert len(game.deck) == 47
    assert len(game.new_initial_state(1).table.removed) == 47 - 36
    game = load_game("alicematic", n_players=3, removed=0)
    state = game.new_initial_state(1)
    while state.to_move:
        state.apply(state.legal_actions()[0])
    assert len(state.table.pile) == 24
    assert load_game("alicematic", **json.loads(json.dumps(game.rules.to_dict()))) == game


@pytest.mark.parametrize(
    "options",
    [
        {"counts": (1, 2)},
        {"counts": (8, -1, 50)},
        {"counts": ()},
        {"counts": "888"},
        {"counts": (8.0, 60)},
        {"removed": 25, "n_players": 3},
        {"hand_limit": 1},
        {"played_medallion": "plus"},
        {"n_medallions": 7},
    ],
)
def test_wrong_options(options):
    with pytest.raises(RulesError) as refusal:
        load_game("alicematic", **options)
    assert refusal.value.text("ja") != refusal.value.text("en")


# ---------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    "entries",
    [
        {"receiver": 1},
        {"receiver": 7},
        {"main": 0},
        {"target": 1},
        {"armies": [[[2, 3]], [], []]},
        {"armies": [[], []]},
        {"armies": 5},
        {"exposed": [True, False, False]},
        {"exposed": 5},
        {"start": 3},
        {"start": 1},
        {"turn": 31},
        {"turn": 2},
        {"phase": "receive"},
        {"phase": "army", "main": 0},
        {"phase": "medallion"},
        {"phase": "envy_give"},
        {"phase": "envy_receive"},
        {"phase": "end"},
        {"strength": -1},
        {"out": ["9"] * 5},
        {"out": ["10"]},
        {"out": ["Ks"]},
        {"table": {"pile": ["9"]}},
        {"table": {"pile": [None]}},
        {"table": {"left_over": []}},
    ],
)
def test_positions_that_cannot_be(entries):
    game = load_game("alicematic", n_players=3)
    good = position("1 1", "2 2", "3 3", draw="9")
    game.state_from_dict(good)
    with pytest.raises(PositionError) as refusal:
        game.state_from_dict(good | entries)
    assert refusal.value.text("ja") != refusal.value.text("en")


@pytest.mark.parametrize("arg", [True, 1.0, "1", None])
def test_seats_that_are_none(arg):
    state = start("1", "2", "3", draw="9")
    with pytest.raises(IllegalActionError):
        state.apply(Action("release", arg))


def test_cards_of_another_game_cannot_be_read():
    game = load_game("alicematic")
    assert game.parse_card("Wrath") is game.parse_card(" wrath ")
    for text in ("Ks", "10", "0", "7b", "", None, 7):
        with pytest.raises(NotationError):
            game.parse_card(text)


# ---------------------------------------------------------------------------- a second bookkeeping


def replayed_scores(log, n):
    """The points of all, from nothing but the whole log and the list of cards."""
    value = {str(number): number for number in range(1, 10)} | SINS
    hands, plus = [Counter() for _ in range(n)], [[] for _ in range(n)]
    gluttony = [False] * n
    card = gift = None
    for event in log:
        what, seat, data = event.kind.removeprefix("alicematic."), event.player, event.data
        own = [each.ascii for each in data.get("cards", ())]
        one = data["card"].ascii if "card" in data else None
        if what == "deal":
            hands[seat].update(own)
        elif what == "draw":
            card = one
        elif what in ("hold", "accept"):
            hands[seat][card] += 1
        elif what == "army":
            hands[seat][one] -= data["n"]
            plus[seat].append([value[one]] * data["n"])
            main = plus[seat][-1]
        elif what in ("medallion", "discard"):
            hands[seat][one] -= 1
            gluttony[seat] |= one == "gluttony" and what == "medallion"
        elif what == "lust":
            hands[seat][one] -= 1
            main.append(main[0])
        elif what == "wrath":
            main[:] = [2 * number for number in main]
        elif what == "greed":
            hands[seat][one] -= 2
            plus[seat].append([value[one]] * 2)
        elif what == "bury":
            hands[seat].subtract(own)
            plus[seat].append([1, 1, 1])
        elif what == "give":
            hands[seat][one] -= 1
            gift = one
        elif what == "taken":
            hands[seat][gift] += 1
    assert all(min(held.values(), default=0) >= 0 for held in hands)
    return [
        sum(map(sum, plus[seat]))
        + (len(plus[seat]) if gluttony[seat] else 0)
        - sum(value[one] * copies for one, copies in hands[seat].items())
        for seat in range(n)
    ]


def eagerness(action):
    """Large armies come more often than by chance, and with them medallions."""
    if action.kind == "army":
        return (action.arg - 2) ** 4
    return {"pass": 4, "done": 0.1, "skip": 0.1, "trash": 0.5}.get(action.kind, 1)


@pytest.mark.parametrize(("n", "refusable"), [*product((3, 4, 5), (False, True))])
def test_the_log_tells_the_scores(n, refusable):
    game = load_game("alicematic", n_players=n, counts=(20, 20, 13), envy_refusable=refusable)
    played = Counter()
    for seed in range(60):
        rng = random.Random(seed)
        state = game.new_initial_state(seed)
        while state.to_move:
            actions = state.legal_actions()
            (action,) = rng.choices(actions, [*map(eagerness, actions)])
            state.apply(action)
        assert replayed_scores(state.log, n) == state.scores()
        best = max(state.scores())
        assert [value > 0 for value in state.returns()] == [
            own == best and state.scores() != [best] * n for own in state.scores()
        ]
        played.update(kinds(state.log))
    assert {"wrath", "greed", "bury", "lust", "give", "gluttony", "discard"} <= {*played}


@given(
    st.lists(st.tuples(st.integers(1, 18), st.integers(2, 9)), max_size=6),
    st.lists(st.sampled_from([*DECK, *SINS]), max_size=12),
    st.sets(st.sampled_from([*SINS])),
)
def test_score_adds_up(armies, left, played):
    whole = score(armies, left, played)
    assert whole == sum(score([army], [], []) for army in armies) + sum(
        score([], [card], []) for card in left
    ) + ("gluttony" in played) * len(armies)
    assert score(armies, left, played, "number") == whole + sum(SINS[card] for card in played)
