"""The worked examples of Chaos (XE1 to XE41), all readings and refusals, the rulebook's tables."""

import random
import re
from collections import Counter
from itertools import product
from typing import Any

import pytest

from cardlab import Action, Event, State, load_game, locale
from cardlab.errors import IllegalActionError, NotationError, PositionError, RulesError
from cardlab.games.chaos import Chaos, battle, score
from cardlab.games.chaos_cards import CHAOS, DECK, KINDS, ORDER, SPECTRUM, Kind, cards, parse

Events = tuple[Event, ...]


def start(
    *hands: str,
    phase: str = "action",
    pool: str = "",
    sets: tuple[str, ...] = (),
    out: str = "",
    top: str = "",
    options: dict[str, Any] | None = None,
    **fields: Any,
) -> State:
    """A position with these hands; the other cards lie in the spring, ``top`` on top.

    ``sets`` are the numbers that each seat has laid.
    """
    game = load_game("chaos", n_players=len(hands), **(options or {}))
    laid = [" ".join(f"{n} {n} {n}" for n in numbers.split()) for numbers in sets]
    laid += [""] * (len(hands) - len(laid))
    removed = " ".join(f"{n} {n} {n} {n}" for n in out.split())
    used = Counter(cards(" ".join([*hands, pool, *laid, removed, top])))
    spring = [card.ascii for card in (Counter(DECK) - used).elements()] + top.split()
    return game.state_from_dict(
        {
            "phase": phase,
            "players": [
                {"hand": hand.split(), "sets": own.split()}
                for hand, own in zip(hands, laid, strict=True)
            ],
            "table": {"pool": pool.split(), "spring": spring},
            "out": removed.split(),
            **fields,
        }
    )


def do(state: State, *actions: str) -> Events:
    """Let whoever is to move first do each action; returns all that happened."""
    return tuple(event for action in actions for event in state.apply(action))


def kinds(events: Events) -> list[str]:
    return [event.kind.removeprefix("chaos.") for event in events]


def hand(state: State, seat: int) -> str:
    return " ".join(card.ascii for card in state.players[seat].hand)


def pool(state: State) -> str:
    return " ".join(card.ascii for card in state.table.pool)


def points(state: State) -> list[int]:
    assert state.is_terminal()
    return state.scores()


def refusal(state: State, action: str, player: int | None = None) -> IllegalActionError:
    with pytest.raises(IllegalActionError) as caught:
        state.apply(action, player)
    return caught.value


OTHERS = ("1 2 3 4", "1 2 3 4 5")
"""Hands of seats that do not matter."""


# -------------------------------------------------------------------------------------------- cards


@pytest.mark.rule("X1")
def test_fifty_eight_cards() -> None:
    counts = Counter(DECK)
    assert len(DECK) == 58
    assert counts == {**dict.fromkeys(SPECTRUM, 4), CHAOS: 2, ORDER: 4}
    assert [card.rank for card in SPECTRUM] == list(range(1, 14))
    assert [card.index for card in KINDS] == list(range(15))


def test_cards_are_read_and_printed() -> None:
    for card in KINDS:
        assert parse(card.ascii) is parse(card.ascii.upper()) is parse(card) is card
    assert repr(parse("Order")) == "Kind('order')"
    assert [parse("chaos").text(lang) for lang in locale.LANGUAGES] == ["カオス", "Chaos"]
    assert [parse("7").text(lang) for lang in locale.LANGUAGES] == ["7", "7"]
    game = load_game("chaos")
    assert game.parse_card("13") is SPECTRUM[12]
    for odd in ("0", "14", "Ks", "", "ord er", None):
        with pytest.raises(NotationError, match="is not a card of Chaos"):
            game.parse_card(odd)  # type: ignore[arg-type]


# ------------------------------------------------------------------------------------------- set-up


@pytest.mark.rule("X2")
@pytest.mark.parametrize(
    ("n_players", "sizes"),
    [
        (2, [20, 19, 19]),
        (3, [15, 15, 14, 14]),
        (4, [12, 12, 12, 11, 11]),
        (5, [10, 10, 10, 10, 9, 9]),
        (6, [9, 9, 8, 8, 8, 8, 8]),
    ],
)
def test_xe1_piles(n_players: int, sizes: list[int]) -> None:
    game = load_game("chaos", n_players=n_players)
    springs, starters = set(), set()
    for seed in range(60):
        state = game.new_initial_state(seed)
        dealt = [event for event in state.log if event.kind == "chaos.deal"][-n_players:]
        piles = [len(event.data["cards"]) for event in dealt] + [len(state.table.spring)]
        assert sorted(piles, reverse=True) == sizes
        assert all(event.seen_by == event.player for event in dealt)
        springs.add(piles[-1])
        starters.add(state.turn_player)
        assert state.turn_player == state.first
    assert springs == set(sizes)
    assert starters == set(range(n_players))


@pytest.mark.rule("X3")
def test_xe2_orders_beside_chaos_go_to_the_pool_at_once() -> None:
    game = load_game("chaos")
    thrown = 0
    for seed in range(60):
        state = game.new_initial_state(seed)
        events = list(state.log)
        start_ = max(place for place, event in enumerate(events) if event.kind == "chaos.piles")
        dealt = {e.player: e.data["cards"] for e in events[start_:] if e.kind == "chaos.deal"}
        for player, content in dealt.items():
            orders = content.count(ORDER) if CHAOS in content else 0
            thrown += orders
            kept = [card for card in content if not orders or card is not ORDER]
            assert state.players[player].hand == kept
            told = [e for e in events[start_:] if e.kind == "chaos.power" and e.player == player]
            assert [(e.rule, dict(e.data)) for e in told] == [("X3", {"n": orders})] * bool(orders)
        assert set(state.table.pool) <= {ORDER}
    assert thrown > 20


def abandoned_seed(n_players: int = 4) -> int:
    """A seed whose first deal puts all the Orders in the pool."""
    game = load_game("chaos", n_players=n_players)
    for seed in range(2000):
        if any(event.kind == "chaos.redeal" for event in game.new_initial_state(seed).log):
            return seed
    raise AssertionError


@pytest.mark.rule("X17")
def test_xe3_all_orders_in_the_pool_before_the_first_turn() -> None:
    seed = abandoned_seed()
    state = load_game("chaos").new_initial_state(seed)
    assert state.phase == "draw"
    assert state.table.pool.count(ORDER) < 4
    ended = load_game("chaos", setup_abandon="end").new_initial_state(seed)
    assert ended.is_terminal()
    assert "abandoned" in kinds(ended.log)
    assert ended.turn == 1
    assert load_game("chaos", setup_abandon="end").new_initial_state(seed + 1).to_move


@pytest.mark.parametrize(("n_players", "share"), [(3, 0.020), (4, 0.009), (5, 0.004)])
def test_xe3_how_often_cards_are_dealt_again(n_players: int, share: float) -> None:
    game = load_game("chaos", n_players=n_players)
    rng = random.Random(n_players)
    again = sum(
        any(event.kind == "chaos.redeal" for event in game.new_initial_state(seed).log)
        for seed in (rng.getrandbits(40) for _ in range(6000))
    )
    assert again / 6000 == pytest.approx(share, abs=4 * (share / 6000) ** 0.5)


# -------------------------------------------------------------------------------- the pool, drawing


@pytest.mark.rule("X5")
def test_xe4_four_cards_are_not_drained() -> None:
    state = start("5 6", *OTHERS, pool="7 8 9 10", turn_player=2, phase="discard")
    state.apply("discard 5")
    assert state.turn_player == 0
    assert state.phase == "drain"
    state = start("5 6", *OTHERS, pool="7 8 9", turn_player=2, phase="discard")
    state.apply("discard 5")
    assert state.phase == "draw"


@pytest.mark.rule("X5")
def test_xe5_everybody_takes_one() -> None:
    state = start("1", "2", "3", "4 5", pool="7 6 3 chaos", turn_player=3, phase="discard")
    do(state, "discard order" if "order" in hand(state, 3) else "discard 5")
    assert pool(state) == "chaos 3 5 6 7"
    takers = []
    for card in ("5", "7", "6", "3"):
        takers.append(state.to_move)
        assert state.phase == "drain"
        assert {str(a) for a in state.legal_actions()} == {
            f"take {each}" for each in pool(state).split()
        }
        state.apply(f"take {card}")
    assert takers == [(0,), (1,), (2,), (3,)]
    assert pool(state) == "chaos"
    assert state.phase == "draw"
    assert [hand(state, seat) for seat in range(4)] == ["1 5", "2 7", "3 6", "3 4"]


@pytest.mark.rule("X5")
def test_a_drain_stops_when_nothing_is_left() -> None:
    fields = {"phase": "drain", "queue": [0, 1, 2]}
    state = start("1", "2", "3", pool="7 8", **fields)
    assert kinds(do(state, "take 7", "take 8")) == ["take", "take"]
    assert (state.phase, state.to_move, hand(state, 2)) == ("draw", (0,), "3")


@pytest.mark.rule("X4")
def test_xe7_chaos_in_a_drain_throws_orders() -> None:
    state = start("1", "2", "order order 8", pool="chaos 5 5", phase="drain", queue=[2])
    assert kinds(do(state, "take chaos"))[:2] == ["take", "power"]
    assert (hand(state, 2), pool(state)) == ("chaos 8", "5 5 order order")
    state = start("1", "order 8", "2", pool="chaos 5", phase="drain", queue=[1, 2])
    do(state, "take chaos", "take order")
    assert hand(state, 2) == "2 order"


@pytest.mark.rule("X4")
def test_an_order_taken_beside_chaos_returns_at_once() -> None:
    state = start("1", "chaos 8", "2", pool="order 5", phase="drain", queue=[1, 2])
    events = state.apply("take order")
    assert kinds(events) == ["take", "power"]
    assert (hand(state, 1), pool(state)) == ("chaos 8", "5 order")
    assert state.to_move == (2,)


@pytest.mark.rule("X25")
def test_xe8_the_fourth_card_of_a_drain_voids_ones_own_set() -> None:
    state = start("4 5", "2", "3", pool="9 1 1", sets=("9",), phase="drain", queue=[0, 1])
    events = do(state, "take 9")
    assert kinds(events) == ["take", "void"]
    assert events[1].text("en") == "The 9s of Player 1 are turned face down: the set is void."
    assert state.voided == (parse("9"),)
    assert hand(state, 0) == "4 5 9"
    do(state, "take 1", "draw")
    assert state.scores()[0] == 0
    assert refusal(state, "search 9").rule == "X23"
    do(state, "done", "discard 9")
    assert state.scores()[0] == 0
    assert len(state.players[0].sets) == 3
    other = start("2", "4 5", "3", pool="9 1 1", sets=("9",), phase="drain", queue=[1])
    assert kinds(do(other, "take 9")) == ["take"]


@pytest.mark.rule("X6")
def test_xe10_chaos_drawn_throws_orders_and_orders_drawn_go() -> None:
    state = start("4 order order", *OTHERS, phase="draw", top="chaos")
    events = state.apply("draw")
    assert kinds(events) == ["draw", "power"]
    assert events[0].seen_by == 0
    assert (hand(state, 0), pool(state)) == ("chaos 4", "order order")
    state = start("4 chaos", *OTHERS, phase="draw", top="order")
    do(state, "draw")
    assert (hand(state, 0), pool(state)) == ("chaos 4", "order")


@pytest.mark.rule("X6")
def test_xe11_an_empty_spring_gives_nothing() -> None:
    rest = Counter(DECK) - Counter(cards("5 6 order order order order"))
    many = " ".join(card.ascii for card in rest.elements())
    state = start("5 6", "order order order order", many, turn_player=2, phase="discard")
    state.apply("discard chaos")
    state.apply("rotate 0")
    assert (state.turn_player, state.phase, pool(state)) == (0, "action", "chaos")


# ------------------------------------------------------------------------------------------ actions


@pytest.mark.rule("X7")
def test_up_to_three_actions_in_any_order() -> None:
    state = start("5 6 7 8 9", "1 2 3 10", "1 2 3 4 11")
    for used in range(3):
        offered = {action.kind for action in state.legal_actions()}
        assert offered == {"search", "exchange", "battle", "done"}
        assert state.used == used
        do(state, "exchange 1")
        for seat in (0, 1):
            do(state, f"give {hand(state, seat).split()[0]}")
    assert state.phase == "discard"
    state = start("5 6 7 8 9", *OTHERS)
    assert kinds(do(state, "done")) == ["done"]
    assert state.phase == "discard"


@pytest.mark.rule("X7")
def test_a_least_number_of_actions() -> None:
    state = start("5 6 7 8 9", *OTHERS, options={"min_actions": 1})
    assert "done" not in map(str, state.legal_actions())
    error = refusal(state, "done")
    assert error.rule == "X7"
    assert error.text() == "A turn has at least 1 action, and this one had 0 so far. [X7]"
    do(state, "search 5", "ask 1")
    assert "done" in map(str, state.legal_actions())


@pytest.mark.rule("X8")
def test_xe12_a_search_gets_one_card() -> None:
    state = start("7 8", "1 2", "3", "4 7 7")
    events = do(state, "search 7", "ask 3")
    assert kinds(events) == ["search", "hit"]
    assert all(event.seen_by is None for event in events)
    assert (hand(state, 0), hand(state, 3), pool(state)) == ("7 7 8", "4 7", "")
    assert (state.used, state.hits, state.failed) == (1, 1, ())


@pytest.mark.rule("X8")
def test_xe13_a_failed_search_costs_the_card() -> None:
    state = start("7 7 8", "1 2", "3", "4 7")
    assert kinds(do(state, "search 7", "ask 1")) == ["search", "miss"]
    assert (hand(state, 0), pool(state), state.hits) == ("7 8", "7", 0)
    error = refusal(state, "search 7")
    assert (error.rule, error.key) == ("X23", "chaos.error.search_failed")
    assert "search 7" not in map(str, state.legal_actions())
    do(state, "done", "discard 8")
    assert state.failed == ()


@pytest.mark.rule("X23")
@pytest.mark.parametrize("void", [(), ("7",)])
def test_xe14_three_on_the_table_forbid_a_search(void: tuple[str, ...]) -> None:
    state = start("7 8", "1 2", "3", sets=("", "7"), voided=list(void))
    error = refusal(state, "search 7")
    assert (error.rule, error.key) == ("X23", "chaos.error.search_laid")


@pytest.mark.rule("X23")
def test_xe15_three_in_the_pool_forbid_a_search() -> None:
    assert refusal(start("7 8", *OTHERS, pool="7 7 7"), "search 7").key.endswith("pooled")
    do(start("7 8", *OTHERS, pool="7 7 9"), "search 7")


@pytest.mark.rule("X23")
def test_xe16_nobody_searches_with_chaos() -> None:
    state = start("chaos 8", *OTHERS)
    assert refusal(state, "search chaos").key.endswith("chaos")
    assert refusal(state, "search 9").key.endswith("not_in_hand")


@pytest.mark.rule("X23")
def test_an_order_may_always_be_searched_or_not() -> None:
    state = start("order order 8", *OTHERS, pool="order")
    do(state, "search order", "ask 1", "search order")
    strict = {"order_search_free": False}
    state = start("order order 8", *OTHERS, pool="order", options=strict)
    do(state, "search order", "ask 1")
    assert refusal(state, "search order").key.endswith("failed")
    state = start("order 8", *OTHERS, pool="order order order")
    do(state, "search order")
    state = start("order 8", *OTHERS, pool="order order order", options=strict)
    assert refusal(state, "search order").key.endswith("pooled")


def three_hits(**options: Any) -> State:
    """After three successful searches of seat 1; seat 0 and 3 hold Chaos."""
    state = start(
        "chaos 6 7",
        "3 4 5",
        "3 4 5 8 9",
        "chaos 10 11",
        turn_player=1,
        options=options,
    )
    do(state, "search 3", "ask 2", "search 4", "ask 2", "search 5")
    assert kinds(state.apply("ask 2")) == ["hit", "triple"]
    return state


@pytest.mark.rule("X24")
def test_xe18_after_three_searches_the_others_discard_one_by_one() -> None:
    state = three_hits()
    assert (state.phase, state.to_move) == ("drop", (2,))
    do(state, "drop 8")
    assert state.to_move == (3,)
    assert kinds(do(state, "drop chaos")) == ["drop"]
    assert (state.phase, state.to_move) == ("rotate", (3,))
    do(state, "rotate 1")
    assert hand(state, 0) == "10 11"
    assert (state.phase, state.to_move) == ("drop", (0,))
    assert refusal(state, "drop chaos").rule == "X24"
    do(state, "drop 11")
    assert (state.phase, state.to_move, pool(state)) == ("discard", (1,), "chaos 8 11")
    assert hand(state, 1) == "chaos 6 7"


@pytest.mark.rule("X24")
def test_the_discards_may_be_simultaneous() -> None:
    state = three_hits(triple_order="simultaneous")
    assert (state.phase, state.to_move) == ("drop_all", (0, 2, 3))
    state.apply("drop chaos", 0)
    assert state.observation(2).log[-1].data == {}
    state.apply("drop chaos", 3)
    events = state.apply("drop 9", 2)
    assert [event.player for event in events if event.kind == "chaos.drop"] == [2, 3, 0]
    assert (state.phase, state.to_move) == ("rotate", (3,))
    do(state, "rotate 0")
    assert (state.phase, state.to_move) == ("rotate", (0,))
    do(state, "rotate 2")
    assert state.phase == "discard"
    assert hand(state, 3) == "3 3 4 4 5 5"


@pytest.mark.rule("X24")
def test_xe19_searches_that_are_not_in_a_row_bring_nothing() -> None:
    state = start("3 4 5", "3 4 5 8 9", "1 2")
    do(state, "search 3", "ask 1", "exchange 1", "give 5", "give 5", "search 4", "ask 1")
    assert (state.phase, state.hits) == ("discard", 1)


@pytest.mark.rule("X9")
def test_xe20_an_exchange_is_seen_by_two() -> None:
    state = start("chaos 3", "1 2", "5 order order")
    events = do(state, "exchange 2", "give chaos")
    assert (state.phase, state.to_move) == ("give", (2,))
    events += do(state, "give 5")
    assert kinds(events) == ["exchange", "give", "give", "receive", "receive", "power"]
    assert (hand(state, 0), hand(state, 2), pool(state)) == ("3 5", "chaos", "order order")
    seen = [[e.data.get("card") for e in events[1:5] if e.seen_by == seat] for seat in (0, 1, 2)]
    assert seen == [[CHAOS, parse("5")], [], [parse("5"), CHAOS]]
    assert events[5].player == 2


@pytest.mark.rule("X9")
def test_a_card_may_be_drawn_unseen() -> None:
    got = set()
    for seed in range(40):
        state = start("3 4", "1 2", "5 6 7", options={"exchange_pick": "blind_draw"}, seed=seed)
        events = do(state, "exchange 2", "give 4")
        assert kinds(events) == ["exchange", "give", "lose", "receive", "receive"]
        assert [event.seen_by for event in events] == [None, 0, 2, 0, 2]
        assert events[2].data["card"] is events[3].data["card"]
        assert "4" in hand(state, 2)
        got.add(hand(state, 0))
    assert got == {"3 5", "3 6", "3 7"}


@pytest.mark.rule("X10")
@pytest.mark.parametrize(
    ("number", "played", "winner", "won", "pooled", "returned"),
    [
        ("XE21", "5 9 12 3", 2, "5 9 12 3", "", ""),
        ("XE22", "12 12 9 3", 2, "9 3", "12 12", ""),
        ("XE25", "chaos chaos 7 4", 2, "7 4", "", "chaos chaos"),
        ("XE26", "chaos chaos 7 7", None, "", "7 7", "chaos chaos"),
        ("XE28", "5 5 9 9", None, "", "5 5 9 9", ""),
        ("order", "13 order 1 chaos", 1, "13 order 1 chaos", "", ""),
        ("orders", "order order order 2", 3, "2", "order order order", ""),
        ("lone chaos", "7 chaos 7", 1, "chaos", "7 7", ""),
        ("four", "6 6 6 6", None, "", "6 6 6 6", ""),
        ("two", "1 2", 1, "1 2", "", ""),
    ],
)
def test_battles(
    number: str, played: str, winner: int | None, won: str, pooled: str, returned: str
) -> None:
    assert battle(played) == (winner, cards(won), cards(pooled), cards(returned))


@pytest.mark.rule("X10")
def test_battles_of_all_kinds() -> None:
    """Every battle of four: cards are kept, equal ones lose, the highest single one wins."""
    for played in product([CHAOS, *SPECTRUM[:3], ORDER], repeat=4):
        if played.count(CHAOS) > 2:
            continue
        winner, won, pooled, returned = battle(played)
        assert Counter(played) == Counter(won + pooled + returned)
        assert returned == (CHAOS,) * (2 * (played.count(CHAOS) == 2))
        counts = Counter(played)
        single = {card.rank for card in played if counts[card] == 1}
        assert {card.rank for card in won} == single
        assert (winner is None) == (not single)
        if winner is not None:
            assert played[winner].rank == max(single)


@pytest.mark.rule("X10")
def test_battle_cards_are_shown_together() -> None:
    state = start("5 6", "9 1", "12 1", "3 2", turn_player=1)
    do(state, "battle")
    assert state.to_move == (0, 1, 2, 3)
    for seat, card in ((2, 12), (0, 5), (3, 3)):
        events = state.apply(f"play {card}", seat)
        assert kinds(events) == ["play"]
        assert events[0].seen_by == seat
        assert len(state.players[seat].hand) == 2
    events = state.apply("play 9", 1)
    assert kinds(events) == ["play", "shown", "won"]
    assert hand(state, 2) == "1 3 5 9 12"
    assert (state.phase, state.to_move) == ("action", (1,))


@pytest.mark.rule("X4")
def test_the_winner_of_a_battle_may_have_to_throw_orders() -> None:
    state = start("order order 6", "chaos 1", "12 1", "3 2")
    do(state, "battle")
    events = do(state, "play order", "play chaos", "play 12", "play 3")
    assert kinds(events)[-2:] == ["won", "power"]
    assert hand(state, 0) == "chaos 3 6 12"
    assert pool(state) == "order order"


@pytest.mark.rule("X10")
def test_both_chaos_go_back() -> None:
    state = start("chaos 6", "chaos 1", "7 1", "4 2")
    do(state, "battle")
    events = do(state, "play chaos", "play chaos", "play 7", "play 4")
    assert kinds(events)[-3:] == ["shown", "returned", "won"]
    assert [hand(state, seat) for seat in range(4)] == ["chaos 6", "chaos 1", "1 4 7", "2"]


@pytest.mark.rule("X16")
def test_xe30_a_hand_may_be_empty_during_a_battle() -> None:
    state = start("5 6", "4", "3 1")
    do(state, "battle")
    events = do(state, "play 5", "play 4", "play 3")
    assert [e.player for e in events if e.kind == "chaos.empty"] == [1]
    state = start("5 6", "9", "3 1")
    do(state, "battle", "play 5", "play 9", "play 3")
    assert hand(state, 1) == "3 5 9"
    assert not state.is_terminal()


# ------------------------------------------------------------------------- sets, discards, rotation


@pytest.mark.rule("X13")
def test_xe31_three_of_four_are_laid() -> None:
    state = start("6 6 6 6 8", *OTHERS)
    assert kinds(do(state, "lay 6")) == ["lay"]
    assert hand(state, 0) == "6 8"
    assert state.players[0].sets == [parse("6")] * 3
    assert state.scores()[0] == 0
    do(state, "done", "discard 6")
    assert state.scores()[0] == 1


@pytest.mark.rule("X13")
def test_sets_are_laid_whenever_the_player_decides() -> None:
    own = "5 5 5 6 6 6 7 7 7 8 8 8 9"
    state = start(own, *OTHERS, pool="1 10 10 11 11", phase="drain", queue=[0, 1, 2])
    do(state, "lay 5", "take 10")
    assert refusal(state, "lay 6", 1).rule == "X13"
    do(state, "take 11", "take 1", "lay 6", "draw", "lay 7", "done", "lay 8", "discard 9")
    assert [kind.rank for kind in state.players[0].sets[::3]] == [5, 6, 7, 8]
    for action in ("search 9", "exchange 1", "battle"):
        state = start("5 5 5 6 9", "1 2 3 4", "1 2 3 4")
        do(state, action)
        assert refusal(state, "lay 5", 0).key == "chaos.error.lay_own_turn"


@pytest.mark.rule("X13")
def test_sets_may_be_for_the_start_of_a_turn() -> None:
    early = {"lay_timing": "turn_start"}
    state = start("5 5 5 6 6 6 7 7 7 8", "1 8", *OTHERS, phase="draw", options=early)
    do(state, "lay 5", "draw", "lay 6", "search 8", "ask 1")
    assert "lay 7" not in map(str, state.legal_actions())
    assert refusal(state, "lay 7").key == "chaos.error.lay_turn_start"
    state = start("5 5 5 6", *OTHERS, phase="discard", options=early)
    assert refusal(state, "lay 5").rule == "X13"


@pytest.mark.rule("X13")
def test_what_is_no_set() -> None:
    state = start("5 5 6", "order order order 1", *OTHERS)
    assert refusal(state, "lay 5").text() == "A set is three cards, and you hold 2 of 5. [X13]"
    state = start("order order order 1", "5", *OTHERS)
    assert not any(action.kind == "lay" for action in state.legal_actions())
    assert refusal(state, "lay order").key == "chaos.error.lay_spectrum"
    state = start("chaos chaos 1", "5", *OTHERS)
    assert refusal(state, "lay chaos").key == "chaos.error.lay_spectrum"


@pytest.mark.rule("X11")
def test_a_turn_ends_with_a_card_in_the_pool() -> None:
    state = start("5 order", *OTHERS, phase="discard")
    assert {str(action) for action in state.legal_actions()} == {"discard 5", "discard order"}
    do(state, "discard order")
    assert (pool(state), state.turn, state.turn_player) == ("order", 2, 1)


@pytest.mark.rule("X22")
def test_four_in_the_pool_leave_the_game() -> None:
    state = start("5 6", "1 2", "3 4", pool="5 5 5 9", phase="discard")
    assert "remove" in kinds(do(state, "discard 5"))
    assert pool(state) == "9"
    assert state.out == [parse("5")] * 4
    state = start("5 6", "5 1", "5 2", "5 3")
    do(state, "battle")
    events = do(state, "play 5", "play 5", "play 5", "play 5")
    assert kinds(events)[-3:] == ["equal", "remove", "no_winner"]
    state = start("order 6", "1", "2", pool="order order chaos", phase="discard")
    do(state, "discard order")
    assert pool(state) == "chaos order order order"


@pytest.mark.rule("X12")
@pytest.mark.parametrize(
    ("steps", "hands"),
    [(0, ["1 1", "2 2", "3 3"]), (1, ["3 3", "1 1", "2 2"]), (2, ["2 2", "3 3", "1 1"])],
)
def test_xe39_hands_move_to_the_left(steps: int, hands: list[str]) -> None:
    state = start("chaos 1 1", "2 2", "3 3", phase="discard", sets=("9", "10"))
    assert kinds(do(state, "discard chaos")) == ["discard"]
    assert (state.phase, state.to_move) == ("rotate", (0,))
    events = do(state, f"rotate {steps}")
    assert [hand(state, seat) for seat in range(3)] == hands
    handed = [event for event in events if event.kind == "chaos.handed"]
    assert [event.seen_by for event in handed] == ([0, 1, 2] if steps else [])
    assert [seat.sets[:1] for seat in state.players] == [[parse("9")], [parse("10")], []]


@pytest.mark.rule("X12")
def test_a_rotation_may_have_to_move_the_hands() -> None:
    state = start("chaos 1", *OTHERS, phase="discard", options={"rotation_min": 1})
    do(state, "discard chaos")
    assert [str(action) for action in state.legal_actions()] == ["rotate 1", "rotate 2"]
    assert refusal(state, "rotate 0").rule == "X12"


@pytest.mark.rule("X12")
def test_the_rotation_comes_before_the_end() -> None:
    """X-Q29: the hand that the last card leaves empty moves on, too."""
    state = start("chaos", "2 2", "order order order 5", phase="discard", sets=("9",))
    do(state, "discard chaos")
    assert not state.is_terminal()
    events = do(state, "rotate 1")
    assert [event.player for event in events if event.kind == "chaos.empty"] == [1]
    assert points(state) == [4, 0, 0]


# --------------------------------------------------------------------------------------------- ends


@pytest.mark.rule("X15")
def test_all_numbers_laid_end_the_game() -> None:
    """Void sets count, and so do numbers that were removed."""
    state = start(
        "1 1 1 5", "1 6", "7", sets=("2 3 4 5", "6 7 8 9", "10 11"), out="12 13", voided=["6"]
    )
    assert "all_laid" in kinds(do(state, "lay 1"))
    assert points(state) == [4, 3, 2]
    almost = start("1 1 1 5", "1 6", "7", sets=("2 3 4 5", "6 7 8 9", "10 11"), out="12")
    do(almost, "lay 1")
    assert not almost.is_terminal()


@pytest.mark.rule("X17")
def test_xe33_declaration() -> None:
    state = start("order order order 8", *OTHERS, phase="discard", sets=("9",))
    assert kinds(do(state, "discard 8"))[:2] == ["discard", "declared"]
    assert points(state) == [6, 0, 0]
    assert state.returns() == [1.0, -0.5, -0.5]


@pytest.mark.rule("X17")
def test_xe34_reveal() -> None:
    state = start("8 9", "1 2", "order order order 8", sets=("", "", "2"))
    events = do(state, "search 8", "ask 2")
    assert "revealed" in kinds(events)
    assert points(state) == [0, 0, 5]


@pytest.mark.rule("X20")
def test_the_bonus_may_come_on_top() -> None:
    more = {"order_bonus": "add"}
    state = start("order order order 8", *OTHERS, phase="discard", options=more)
    do(state, "discard 8")
    assert points(state)[0] == 8
    state = start("8 9", "1 2", "order order order 8", options=more)
    do(state, "search 8", "ask 2")
    assert points(state)[2] == 7


@pytest.mark.rule("X17")
def test_the_holder_of_orders_may_keep_silent() -> None:
    may = {"order_end": "optional"}
    state = start("order order order 8", *OTHERS, phase="discard", options=may)
    do(state, "discard 8")
    assert (state.phase, state.to_move) == ("order", (0,))
    other = state.clone()
    do(state, "silent")
    assert (state.phase, state.turn_player, state.turn) == ("draw", 1, 2)
    assert "declared" in kinds(do(other, "declare"))
    assert points(other)[0] == 5
    # A seat that is asked although it has nothing to say.
    state = start("5 6 7 8", *OTHERS, phase="discard", options=may)
    do(state, "discard 8")
    assert list(map(str, state.legal_actions())) == ["silent"]
    assert refusal(state, "declare").rule == "X17"
    # With two Orders in the pool there is no need to ask.
    state = start("5 6 7 8", *OTHERS, phase="discard", pool="order order", options=may)
    do(state, "discard 8")
    assert state.phase == "draw"


@pytest.mark.rule("X17")
def test_silence_in_anothers_turn() -> None:
    may = {"order_end": "optional"}
    state = start("8 9", "1 2", "order order order 8", sets=("", "", "2"), options=may)
    do(state, "search 8", "ask 2")
    assert (state.phase, state.to_move) == ("order", (0,))
    do(state, "silent")
    assert (state.phase, state.to_move) == ("order", (2,))
    other = state.clone()
    do(state, "silent")
    assert (state.phase, state.to_move) == ("action", (0,))
    do(other, "declare")
    assert points(other) == [0, 0, 5]


@pytest.mark.rule("X19")
def test_xe35_an_end_elsewhere_leaves_three_points_for_orders() -> None:
    state = start("6", "5 1", "order order order 8", phase="discard", sets=("", "", "2 11"))
    assert "empty" in kinds(do(state, "discard 6"))
    assert points(state)[2] == 5


@pytest.mark.rule("X17")
def test_xe41_abandonment_in_the_middle_of_a_drain() -> None:
    state = start("1", "order 8", "2", pool="chaos order order order", phase="drain", queue=[1, 2])
    events = do(state, "take chaos")
    assert kinds(events)[:3] == ["take", "power", "abandoned"]
    assert state.is_terminal()
    assert hand(state, 2) == "2"


@pytest.mark.rule("X18")
@pytest.mark.parametrize(
    ("number", "sets", "voided", "held", "ended", "result"),
    [
        ("XE33", "", "", "order order order", "declared", 5),
        ("XE34", "2 11", "", "order order order", "revealed", 6),
        ("XE35", "2 11", "", "order order order 8", None, 5),
        ("XE37", "2", "", "order order", None, 1),
        ("XE38", "2 5 11", "", "chaos 4 4", None, 0),
        ("four Orders", "3", "", "order order order order 1", None, 1),
        ("fourth card", "2 5 11", "", "5 8 8", None, 2),
        ("void", "2 9", "9", "3", None, 1),
        ("void with its fourth card", "2 9", "9", "9", None, 1),
        ("nothing", "", "", "7", None, 0),
    ],
)
def test_points(
    number: str, sets: str, voided: str, held: str, ended: str | None, result: int
) -> None:
    assert score(sets, voided, held, ended) == result


@pytest.mark.rule("X18")
def test_equal_points_share_the_win() -> None:
    state = start("6", "5 1", "7 8", phase="discard", sets=("2", "3", ""))
    do(state, "discard 6")
    assert points(state) == [1, 1, 0]
    assert state.returns() == [0.25, 0.25, -0.5]
    assert kinds(state.log)[-2:] == ["shared", "shared"]


@pytest.mark.rule("X14")
def test_a_fourth_card_elsewhere_spoils_nothing() -> None:
    state = start("6", "2 1", "7 8", phase="discard", sets=("2", "3", "7"))
    events = do(state, "discard 6")
    assert points(state) == [1, 1, 0]
    assert [event.player for event in events if event.kind == "chaos.fourth"] == [2]


@pytest.mark.rule("X21")
def test_chaos_costs_everything() -> None:
    state = start("6", "chaos 1", "7 8", phase="discard", sets=("", "3 4 5", "9"))
    events = do(state, "discard 6")
    assert points(state) == [0, 0, 1]
    assert "zero" in kinds(events)


def test_hands_are_shown_at_the_end() -> None:
    state = start("6", "2 1", "7 8", phase="discard")
    do(state, "discard 6")
    for seat in range(3):
        shown = state.observation(seat)
        assert [list(zones["hand"]) for zones in shown.players] == [
            each.hand for each in state.players
        ]
        assert {card.ascii for card in shown.table["spring"] if card} == {"?"}


# -------------------------------------------------------------------------- matches, limits, drains


def test_a_match_of_several_rounds() -> None:
    game = load_game("chaos", n_players=3, target_points=4)
    rng = random.Random(3)
    for seed in range(12):
        state = game.new_initial_state(seed)
        firsts, totals = [state.first], [state.totals]
        while state.to_move:
            before = state.round
            state.apply(rng.choice(state.legal_actions()))
            if state.round > before:
                assert (state.round, state.turn) == (before + 1, 1)
                firsts.append(state.first)
                totals.append(state.totals)
                assert max(state.totals) < 4
        assert firsts == [(firsts[0] + step) % 3 for step in range(len(firsts))]
        assert totals[0] == (0, 0, 0)
        earned = [event for event in state.log if event.kind == "chaos.points"]
        assert len(earned) == 3 * len(firsts)
        for seat in range(3):
            own = [event.data["n"] for event in earned if event.player == seat]
            assert sum(own) == state.scores()[seat]
        assert max(state.scores()) >= 4
        assert state.turns_played() == kinds(state.log).count("turn")
    assert len(firsts) > 1


def test_a_round_may_be_stopped() -> None:
    game = load_game("chaos", max_turns=4)
    rng = random.Random(1)
    stopped = 0
    for seed in range(20):
        state = game.new_initial_state(seed)
        while state.to_move:
            state.apply(rng.choice(state.legal_actions()))
        assert state.turn <= 4
        stopped += "max_turns" in kinds(state.log)
    assert stopped > 10


@pytest.mark.rule("X5")
def test_a_drain_may_go_on_until_the_pool_is_empty() -> None:
    more = {"drain_mode": "until_empty"}
    state = start("1", "2", pool="7 8 9 10 11", phase="drain", queue=[0, 1], options=more)
    for card, seat in ((7, 0), (8, 1), (9, 0), (10, 1), (11, 0)):
        assert state.to_move == (seat,)
        state.apply(f"take {card}")
    assert (state.phase, state.to_move, pool(state)) == ("draw", (0,), "")


@pytest.mark.rule("X5")
def test_a_lap_that_changes_nothing_is_the_last() -> None:
    """Two players who both hold Chaos would pass an Order round for ever (X-Q7)."""
    more = {"drain_mode": "until_empty"}
    fields = {"phase": "drain", "queue": [0, 1]}
    state = start("chaos 1", "chaos 2", pool="7 order order", options=more, **fields)
    assert kinds(do(state, "take order")) == ["take", "power"]
    assert state.idle == 1
    do(state, "take 7")
    assert state.idle == 0
    do(state, "take order")
    assert kinds(do(state, "take order"))[-1] == "drain_stop"
    assert (state.phase, pool(state)) == ("draw", "order order")
    third = start(
        "chaos 1", "chaos 2", "3", pool="order", options=more, phase="drain", queue=[0, 1, 2]
    )
    do(third, "take order", "take order", "take order")
    assert (third.phase, pool(third), hand(third, 2)) == ("draw", "", "3 order")


# ------------------------------------------------------------------------------ refusals, positions


def test_actions_are_refused_in_words() -> None:
    state = start("5 6", *OTHERS)
    assert refusal(state, "ask 1").text() == (
        'Now you cannot do "ask 1": search, exchange, battle or stop. [X7]'
    )
    assert refusal(state, "exchange 0").text() == (
        "Player 1 cannot be chosen; the others are: 2, 3. [X9]"
    )
    assert refusal(state, "search 9").text() == "9 is not in your hand; you hold: 5, 6. [X8]"
    assert refusal(state, "battle", 1).key == "core.error.not_to_move"
    for odd in (Action("exchange", "1"), Action("exchange", True), Action("battle", 1)):
        with pytest.raises(IllegalActionError):
            state.apply(odd)
    do(state, "search 5")
    for odd in (Action("ask", 3), Action("ask"), Action("ask", parse("1"))):
        with pytest.raises(IllegalActionError):
            state.apply(odd)


def test_options_are_checked() -> None:
    for option, value in (
        ("n_players", 7),
        ("n_players", 1),
        ("min_actions", 4),
        ("rotation_min", 2),
    ):
        with pytest.raises(RulesError):
            load_game("chaos", **{option: value})
    with pytest.raises(RulesError):
        load_game("chaos", drain_mode="all")


@pytest.mark.parametrize(
    ("hands", "more", "key"),
    [
        (("chaos order", "1", "2"), {}, "power"),
        (("1 1", "2", "3"), {"pool": "5 5 5 5"}, "four"),
        (("1 1", "2", "3"), {"phase": "drain"}, "phase_cards"),
        (("1 1", "2", "3"), {"phase": "drain", "pool": "5", "queue": [0, 0]}, "field"),
        (("1 1", "2", "3"), {"phase": "ask"}, "phase_cards"),
        (("1 1", "2", "3"), {"phase": "ask", "shown": ["2"]}, "phase_cards"),
        (("1 1", "2", "3"), {"phase": "give", "partner": 0}, "field"),
        (("1 1", "2", "3"), {"phase": "give", "used": 1}, "phase_cards"),
        (("1 1", "2", "3"), {"used": 4}, "field"),
        (("1 1", "2", "3"), {"used": 3}, "phase_cards"),
        (("1 1", "2", "3"), {"hits": 1}, "field"),
        (("1 1", "2", "3"), {"failed": ["K"]}, "field"),
        (("1 1", "2", "3"), {"failed": 7}, "field"),
        (("1 1", "2", "3"), {"voided": ["5"]}, "voided"),
        (("1 1", "", "3"), {}, "phase_cards"),
        (("order order order", "1", "3"), {}, "phase_cards"),
        (("1 1", "2", "3"), {"pool": "order order order order"}, "phase_cards"),
        (("1 1", "2", "3"), {"phase": "rotate", "queue": [0], "then": "next"}, "phase_cards"),
        (("1 1", "2", "3"), {"phase": "order", "askers": [0], "then": "draw"}, "phase_cards"),
        (("1 1", "2", "3"), {"phase": "end"}, "result"),
        (("1 1", "2", "3"), {"phase": "end", "result": [1, -1, 0]}, "result"),
        (("1 1", "2", "3"), {"totals": [1, 2]}, "field"),
        (("1 1", "2", "3"), {"turn_player": 3}, "field"),
    ],
)
def test_impossible_positions(hands: tuple[str, ...], more: dict[str, Any], key: str) -> None:
    with pytest.raises(PositionError) as caught:
        start(*hands, **more)
    assert caught.value.key == f"chaos.position.{key}"
    for lang in locale.LANGUAGES:
        assert caught.value.text(lang)


@pytest.mark.parametrize("entry", ["failed", "shown", "voided"])
def test_a_number_is_no_card(entry: str) -> None:
    with pytest.raises(PositionError, match=r"^7 is not text: a card is written in quotation"):
        start("1 1", "2", "3", **{entry: [7]})


def test_other_impossible_positions() -> None:
    game = load_game("chaos", n_players=2)
    for players, key in (
        ([{"hand": ["7"] * 5}, {"hand": ["1"]}], "chaos.position.too_many"),
        ([{"hand": ["7"], "sets": ["5", "5"]}, {"hand": ["1"]}], "chaos.position.sets"),
        ([{"hand": ["7"], "sets": ["order"] * 3}, {"hand": ["1"]}], "chaos.position.sets"),
        ([{"hand": [None]}, {"hand": ["1"]}], "chaos.position.empty_place"),
    ):
        with pytest.raises(PositionError) as caught:
            game.state_from_dict({"players": players})
        assert caught.value.key == key
    with pytest.raises(PositionError):
        game.state_from_dict({"players": [{"hand": ["7"]}, {"hand": ["1"]}], "out": ["5"] * 3})
    with pytest.raises(PositionError) as caught:
        game.state_from_dict(
            {"players": [{"hand": ["7"]}, {"hand": ["1"]}], "table": {"spring": ["9"]}}
        )
    assert caught.value.key == "core.position.missing"


def test_a_position_by_hand_needs_little() -> None:
    state = load_game("chaos", n_players=2).state_from_dict(
        {"players": [{"hand": ["9", "chaos", "7"]}, {"hand": ["1"]}]}
    )
    assert (hand(state, 0), state.phase, state.to_move) == ("chaos 7 9", "action", (0,))
    assert len(state.table.spring) == 54
    assert state.totals == (0, 0)


def test_names_of_actions() -> None:
    game = load_game("chaos", n_players=3)
    assert isinstance(game, Chaos)
    for notation, words in (
        ("ask 2", "Ask player 3"),
        ("exchange 0", "Exchange with player 1"),
        ("rotate 1", "Pass all hands 1 seat to the left"),
        ("rotate 2", "Pass all hands 2 seats to the left"),
        ("search order", "Search with Order"),
        ("done", "No more actions"),
    ):
        assert game.describe(game.parse_action(notation)) == words
    assert game.parse_action("LAY 10") == Action("lay", SPECTRUM[9])
    assert isinstance(game.parse_action("give Chaos").arg, Kind)


# ---------------------------------------------------------------------------- the rulebook's tables

CODE = re.compile(r"`([^`]+)`")


def tables(lang: str) -> list[list[str]]:
    text = locale.page("chaos", lang)
    heading = {"en": "\n## Worked examples\n", "ja": "\n## 例\n"}[lang]
    lines = text[text.index(heading) :].splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if "|" in line]


def in_code(cell: str) -> str:
    return " ".join(CODE.findall(cell))


@pytest.mark.rule("X10")
@pytest.mark.parametrize("lang", locale.LANGUAGES)
def test_battles_of_the_rulebook(lang: str) -> None:
    rows = [row for row in tables(lang) if len(row) == 6 and row[0].isdigit()]
    assert len(rows) == 8
    for _, played, winner, won, pooled, _ in rows:
        outcome = battle(in_code(played))
        assert winner == ("–" if outcome.winner is None else str(outcome.winner + 1))
        assert (outcome.won, outcome.pooled) == (cards(in_code(won)), cards(in_code(pooled)))


@pytest.mark.rule("X19")
@pytest.mark.parametrize("lang", locale.LANGUAGES)
def test_points_of_the_rulebook(lang: str) -> None:
    endings = {"its own declaration": "declared", "its own reveal": "revealed"}
    endings |= {"自分の宣言": "declared", "自分の公開": "revealed"}
    rows = [row for row in tables(lang) if len(row) == 7 and row[0].isdigit()]
    assert len(rows) == 8
    for _, sets, voided, held, ending, worth, _ in rows:
        found = score(in_code(sets), in_code(voided), in_code(held), endings.get(ending))
        assert found == int(worth)
