"""The worked examples CE40 to CE67, every reading that an option offers, and bad input.

CE1 to CE39 are in test_chat_judge.py; some of them are played here once more.
"""

import copy
import json
import random
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import pytest

from cardlab import Action, Card, Event, State, load_game
from cardlab.cards import JOKER, PACK, UNKNOWN
from cardlab.errors import (
    CardlabError,
    IllegalActionError,
    NotationError,
    PositionError,
    RulesError,
)
from cardlab.games.chat import CHATRules
from cardlab.locale import LANGUAGES

EVERY = [card.ascii for card in (*PACK, JOKER)]
FIVE = "* * * * *"
NONE = (None, None)


def position(
    hands: tuple[str, str],
    shields: tuple[str, str] = (FIVE, FIVE),
    stocks: tuple[int, int] = (4, 4),
    attacker: int = 0,
    **entries: Any,
) -> dict[str, Any]:
    """A position of these hands; what else lies somewhere are the first cards that nobody names.

    In ``shields`` ``*`` is any card and ``.`` is one that is gone. ``base``, ``extra``, ``block``
    are pairs of lines of cards. All other cards are out of the game.
    """
    zones = {name: entries.pop(name, ("", "")) for name in ("base", "extra", "block")}
    zones = {name: [line.split() for line in pair] for name, pair in zones.items()}
    slots = [line.split() for line in shields]
    named = {card for line in hands for card in line.split()}
    named |= {card for lines in (*zones.values(), slots) for line in lines for card in line}
    named |= {"Jo"} if entries.pop("joker_out", False) else set()
    others = iter([card for card in EVERY if card not in named and card != "Jo"])
    players = [
        {
            "hand": hands[seat].split(),
            "shields": [
                None if slot == "." else next(others) if slot == "*" else slot
                for slot in slots[seat]
            ],
            "stock": [next(others) for _ in range(stocks[seat])],
            **{name: lines[seat] for name, lines in zones.items()},
        }
        for seat in (0, 1)
    ]
    return {"attacker": attacker, "players": players, **entries}


def start(*where: Any, options: dict[str, Any] | None = None, **entries: Any) -> State:
    return load_game("chat", **options or {}).state_from_dict(position(*where, **entries))


def do(state: State, *actions: str) -> list[Event]:
    """Let the seats that are to move do the actions, one after the other; all that happened."""
    events: list[Event] = []
    for action in actions:
        events += state.apply(action)
    return events


def kinds(events: list[Event]) -> list[str]:
    return [event.kind.removeprefix("chat.") for event in events]


def legal(state: State, player: int | None = None) -> list[str]:
    return [str(action) for action in state.legal_actions(player)]


def refused(state: State, action: str, rule: str, player: int | None = None) -> str:
    before = state.to_dict()
    with pytest.raises(IllegalActionError) as refusal:
        state.apply(action, player)
    assert refusal.value.rule == rule
    assert state.to_dict() == before
    assert all("{" not in refusal.value.text(lang) for lang in LANGUAGES)
    return str(refusal.value)


def shields_left(state: State) -> tuple[int, int]:
    return tuple(state.scores())  # type: ignore[return-value]


# ------------------------------------------------------------------------------------------ set-up


def before_the_call(left_over: str, caller: int = 0, **options: Any) -> State:
    """The colour is about to be called, and this card is left over."""
    rest = [card for card in EVERY if card != left_over]
    random.Random(3).shuffle(rest)
    return load_game("chat", **options).state_from_dict(
        {
            "phase": "call",
            "caller": caller,
            "players": [{"stock": rest[:26]}, {"stock": rest[26:]}],
            "table": {"left_over": [left_over]},
            "seed": 5,
        }
    )


@pytest.mark.rule("C2")
def test_ce40_the_colour_of_the_left_over_card_attacks_first() -> None:
    for card, colour, caller, attacker in (
        ("4d", "red", 0, 0),
        ("4d", "black", 0, 1),
        ("4s", "red", 0, 1),
        ("4s", "black", 1, 1),
        ("4h", "red", 1, 1),
        ("4c", "red", 1, 0),
    ):
        state = before_the_call(card, caller)
        assert state.to_move == (caller,)
        assert legal(state) == ["call red", "call black"]
        seen = state.observation(caller)
        assert seen.table["left_over"] == (UNKNOWN,)
        events = state.apply(f"call {colour}")
        assert state.attacker == attacker  # type: ignore[attr-defined]
        assert [c.ascii for c in state.out] == [card]
        first = next(event for event in events if event.kind == "chat.first")
        assert (first.rule, first.player, first.data["card"].ascii) == ("C2", attacker, card)
        for seat in (0, 1):
            seen = state.observation(seat)
            assert seen.public["attacker"] == attacker
            assert seen.public["caller"] == caller
            assert [c.ascii for c in seen.out] == [card]
        zones = [zone for seat in state.players for zone in seat.zones().values()]
        assert any(JOKER in zone for zone in zones)


@pytest.mark.rule("C3")
def test_ce41_a_left_over_joker_is_dealt_again() -> None:
    state = before_the_call("Jo")
    tops = {card for seat in state.players for card in seat.stock[-5:]}
    below = [seat.stock[:-5] for seat in state.players]
    mixed: list[Card] = []

    def shuffle(pile: list[Card]) -> None:
        if len(pile) == 11:
            mixed.extend(pile)
            pile.reverse()

    # With the shuffle of C4 left out, and that of C3 a mere reversal, who got what can be read off.
    state_class = type(state)
    plain = type("Plain", (state_class,), {"__slots__": (), "_shuffle": lambda self, x: shuffle(x)})
    twin = object.__new__(plain)
    for name in (*State.__slots__, *state_class.__slots__):
        setattr(twin, name, getattr(state.clone(), name))
    events = twin.apply("call red")
    assert {*mixed} == tops | {JOKER}
    assert len(mixed) == 11
    assert [event.kind for event in events].count("chat.redeal") == 1
    for seat, rest in zip(twin.players, below, strict=True):
        whole = seat.stock + seat.hand[::-1] + seat.shields[::-1]
        assert whole[:21] == rest
        assert {*whole[21:]} < tops | {JOKER}
    assert twin.out[0] in tops


@pytest.mark.rule("C3")
def test_ce41_it_is_repeated_until_the_joker_is_dealt() -> None:
    redeals = []
    first = before_the_call("Jo")
    for seed in range(600):
        state = first.clone()
        state.seed = seed
        kinds_ = [event.kind for event in state.apply("call red")]
        redeals.append(kinds_.count("chat.redeal"))
        assert state.out[0] is not JOKER
    assert min(redeals) == 1
    # Each time the joker is left over again with a chance of 1 in 11.
    again = sum(n > 1 for n in redeals) / len(redeals)
    assert abs(again - 1 / 11) < 4 * (1 / 11 * 10 / 11 / 600) ** 0.5
    assert max(redeals) > 2


@pytest.mark.rule("C1")
@pytest.mark.rule("C5")
@pytest.mark.rule("C6")
def test_ce42_the_zones_after_the_set_up() -> None:
    for seed in range(20):
        state = load_game("chat").new_initial_state(seed)
        assert [len(seat.stock) for seat in state.players] == [26, 26]
        assert len(state.table.left_over) == 1
        state.apply("call red")
        for seat in state.players:
            sizes = {name: len(zone) for name, zone in seat.zones().items()}
            assert sizes == {
                "shields": 5,
                "hand": 5,
                "stock": 16,
                "base": 0,
                "extra": 0,
                "block": 0,
            }
        assert len(state.out) == 1


@pytest.mark.rule("C2")
def test_either_seat_calls_and_either_attacks_first() -> None:
    met = set()
    for seed in range(40):
        state = load_game("chat").new_initial_state(seed)
        caller = state.to_move[0]
        state.apply("call black")
        met.add((caller, state.attacker))  # type: ignore[attr-defined]
    assert len(met) == 4


@pytest.mark.rule("C4")
@pytest.mark.rule("C5")
def test_nobody_sees_shields_or_stocks() -> None:
    state = load_game("chat").new_initial_state(1)
    state.apply("call red")
    for viewer in (0, 1):
        for owner, zones in enumerate(state.observation(viewer).players):
            assert {*zones["shields"], *zones["stock"]} == {UNKNOWN}
            assert (UNKNOWN in zones["hand"]) == (viewer != owner)


# ------------------------------------------------------------------------------- base, extra, more


@pytest.mark.rule("C7")
def test_ce59_the_joker_is_no_base_while_there_is_another_card() -> None:
    state = start(("Jo 4c", "9s 8d"))
    assert legal(state, 0) == ["base 4c"]
    assert "4♣" in refused(state, "base Jo", "C7", 0)
    assert "4♣" in refused(state, "base none", "C7", 0)
    assert "4♣" in refused(state, "base 9s", "C7", 0)
    do(state, "base 4c", "base 9s")
    assert legal(state, 0) == ["extra none", "extra Jo"]


@pytest.mark.rule("C7")
def test_bases_are_shown_together() -> None:
    state = start(("Ks 4c", "9s 8d"))
    state.apply("base 9s", 1)
    assert state.to_move == (0,)
    assert state.observation(0).pending is None
    assert state.observation(1).pending == Action("base", Card.parse("9s"))
    assert state.observation(0).players[1]["hand"] == (UNKNOWN, UNKNOWN)
    assert [event.data for event in state.observation(0).log] == [{}]
    events = state.apply("base Ks", 0)
    assert kinds([*events]) == ["base", "base_shown", "base_shown"]
    assert state.phase == "extra"
    refused(state, "base 4c", "C9", 0)


@pytest.mark.rule("C8")
@pytest.mark.rule("C9")
def test_none_or_one_additional_card_together() -> None:
    state = start(("Ks 4c 4d Jo", "9s 8d"))
    do(state, "base Ks", "base 9s")
    assert legal(state, 0) == ["extra none", "extra 4c", "extra 4d", "extra Jo"]
    assert legal(state, 1) == ["extra none", "extra 8d"]
    refused(state, "extra Ks", "C9", 0)
    state.apply("extra 4c", 0)
    assert state.observation(1).log[-1].data == {}
    events = state.apply("extra none", 1)
    assert kinds([*events]) == ["extra", "extra_shown", "no_extra"]


@pytest.mark.rule("C10")
def test_ce54_after_the_joker_its_player_announces_nothing() -> None:
    state = start(("Ks Jo 4c 4d", "9s 8d 8c 8h"))
    do(state, "base Ks", "base 9s", "extra Jo", "extra 8d")
    assert (state.phase, state.to_move) == ("respond", (1,))
    refused(state, "declare more", "C11", 1)
    assert legal(state, 0) == []


@pytest.mark.rule("C10")
def test_ce55_without_an_additional_card_there_is_nothing_to_announce() -> None:
    state = start(("Ks 4c 4d", "9s 7c 7d"))
    do(state, "base Ks", "base 9s", "extra none", "extra 7c")
    assert (state.phase, state.to_move) == ("declare", (1,))
    with pytest.raises(IllegalActionError, match="not the turn of player 1"):
        state.apply("declare more", 0)
    do(state, "declare enough")
    assert state.players[0].extra == []


@pytest.mark.rule("C10")
def test_ce56_more_is_for_those_who_hold_more() -> None:
    state = start(("Ks 4c", "9s 7c 6d 6h"), stocks=(16, 16))
    do(state, "base Ks", "base 9s", "extra none", "extra 7c")
    assert legal(state) == ["declare enough"]
    assert "7♣" in refused(state, "declare more", "C10")


@pytest.mark.rule("C15")
def test_ce57_one_two_or_three_further_cards_at_once() -> None:
    for chosen in ("7h", "7d", "7s", "7s 7h", "7h 7d", "7s 7h 7d"):
        state = start(("Ks 4c", "9s 7c 7h 7d 7s"))
        do(state, "base Ks", "base 9s", "extra none", "extra 7c", "declare more")
        assert (state.phase, state.to_move) == ("further", (1,))
        assert len(legal(state)) == 7
        for wrong in ("declare enough", "further 7c", "further 6d", "further 7s 7h 7c"):
            assert "7♠, 7♥, 7♦" in refused(state, wrong, "C15") or wrong == "declare enough"
        events = do(state, f"further {chosen}")
        assert kinds(events)[:2] == ["further", "further_shown"]
        shown = next(event for event in events if event.kind == "chat.further_shown")
        assert {card.ascii for card in shown.data["cards"]} == {*chosen.split()}
        # All come into line, since the attacker has none; none can come later.
        assert shields_left(state) == (5, 5)
        assert state.phase == "refill"
        assert {card.ascii for card in state.players[1].hand} == {"7s", "7h", "7d"} - {
            *chosen.split()
        }


@pytest.mark.rule("C15")
def test_further_cards_of_both_come_together() -> None:
    state = start(("Ks 4c 4d 4s", "9s 7c 7h 7d"))
    do(state, "base Ks", "base 9s", "extra 4c", "extra 7c")
    assert state.to_move == (0, 1)
    do(state, "declare more", "declare more")
    assert state.to_move == (0, 1)
    state.apply("further 7h 7d", 1)
    assert state.observation(0).players[1]["extra"] == (Card.parse("7c"),)
    assert state.observation(0).public["declared"] == ("more", "more")
    events = state.apply("further 4s", 0)
    assert kinds([*events])[:3] == ["further", "further_shown", "further_shown"]


@pytest.mark.rule("C10")
def test_who_is_asked_follows_from_what_everybody_knows() -> None:
    hands = ("Ks 7c 7d", "9s 5h 2c")
    # The other two sevens may be anywhere: both are asked, though one of them can only say enough.
    state = start(hands)
    do(state, "base Ks", "base 9s", "extra 7c", "extra 5h")
    assert state.to_move == (0, 1)
    assert (legal(state, 0), legal(state, 1)) == (
        ["declare more", "declare enough"],
        ["declare enough"],
    )
    # A seat without cards is not asked.
    state = start(("Ks 7c", "9s 5h 2c"))
    do(state, "base Ks", "base 9s", "extra 7c", "extra 5h")
    assert state.to_move == (1,)
    # Nor is one whose number lies open: with the sevens out, nobody needs an answer.
    given = position(("Ks 7c 2d", "9s 5h 2c"), ("7d 8s * * *", FIVE))
    for owner in (0, 1):
        given["players"][owner]["shields"] = [
            None if card == "7d" else card for card in given["players"][owner]["shields"]
        ]
        given["players"][owner]["stock"] = [
            card for card in given["players"][owner]["stock"] if card[0] != "7"
        ]
    state = load_game("chat").state_from_dict(given)
    assert sum(card.rank == 7 for card in state.out) == 3
    do(state, "base Ks", "base 9s", "extra 7c", "extra 5h")
    assert state.to_move == (1,)


# -------------------------------------------------------------------------------------- the joker


@pytest.mark.rule("C13")
def test_ce43_an_unblocked_joker_in_attack_destroys_two() -> None:
    state = start(("2s Jo 4c", "9s 6h 6c 6d"))
    do(state, "base 2s", "base 9s", "extra Jo", "extra none")
    events = do(state, "declare let")
    assert kinds(events) == ["declared", "joker_attack"]
    assert [event.rule for event in events] == ["C11", "C13"]
    assert (state.phase, state.to_move) == ("strike", (0,))
    events = do(state, "strike 1")
    assert (state.phase, state.to_move) == ("strike", (0,))
    assert legal(state) == ["strike 0", "strike 2", "strike 3", "strike 4"]
    assert "1, 3, 4, 5" in refused(state, "strike 1", "C13")
    events = do(state, "strike 4")
    assert kinds(events) == ["strike", "skip", "used"]
    assert [event.rule for event in events] == ["C13", "C14", "C18"]
    assert shields_left(state) == (5, 3)
    assert state.phase == "refill"
    assert {card.ascii for card in state.out} >= {"2s", "Jo", "9s"}


@pytest.mark.rule("C13")
def test_ce44_the_last_shield_is_enough() -> None:
    state = start(("2s Jo 4c", "9s 6h 5c 4d"), (FIVE, "* . . . ."))
    events = do(state, "base 2s", "base 9s", "extra Jo", "extra none", "declare let", "strike 0")
    assert kinds(events)[-2:] == ["strike", "win"]
    assert state.returns() == [1.0, -1.0]
    assert state.to_move == ()


@pytest.mark.rule("C13")
def test_an_unblocked_joker_in_defence_destroys_one() -> None:
    state = start(("Ks 6h 6c 6d", "2s Jo 4c"))
    events = do(state, "base Ks", "base 2s", "extra none", "extra Jo", "declare let")
    assert kinds(events)[-1] == "joker_defence"
    assert state.to_move == (1,)
    do(state, "strike 3")
    assert shields_left(state) == (4, 5)
    assert state.phase == "refill"


def blocked(
    hand: str, extra: str, cards: str, joker: int, **options: Any
) -> tuple[State, list[str]]:
    """Seat 0 attacks; seat ``joker`` plays the joker and the other blocks with ``cards``."""
    hands = (hand, "9s Jo 4c") if joker else ("9s Jo 4c", hand)
    base = f"base {hand.split()[0]}"
    state = start(hands, options=options)
    if joker:
        do(state, base, "base 9s", f"extra {extra}", "extra Jo")
    else:
        do(state, "base 9s", base, "extra Jo", f"extra {extra}")
    assert state.to_move == (1 - joker,)
    events = do(state, "declare block")
    assert state.game.state_from_dict(state.to_dict()) == state
    events += do(state, f"block {cards}")
    assert state.game.state_from_dict(state.to_dict()) == state
    return state, kinds(events)


@pytest.mark.rule("C12")
@pytest.mark.rule("C14")
def test_ce46_a_block_in_defence() -> None:
    state, told = blocked("2s 6h 6c 6d", "none", "6h 6c 6d", joker=0)
    assert told == ["declared", "block", "joker_defence"]
    assert state.to_move == (1,)
    events = do(state, "strike 0")
    assert kinds(events) == ["strike", "skip", "used"]
    assert shields_left(state) == (4, 5)
    used = {card.ascii for card in events[-1].data["cards"]}
    assert used == {"2s", "9s", "Jo", "6h", "6c", "6d"}


@pytest.mark.rule("C12")
def test_ce46_a_block_for_nothing() -> None:
    state, told = blocked("2s 6h 6c 6d", "none", "6h 6c 6d", joker=0, joker_block_result="nothing")
    assert told == ["declared", "block", "block_nothing", "skip", "used"]
    assert shields_left(state) == (5, 5)
    assert state.phase == "refill"


@pytest.mark.rule("C12")
def test_ce47_the_additional_card_is_one_of_the_three() -> None:
    state, told = blocked("2s 6s 6h 6c", "6s", "6s 6h 6c", joker=0)
    assert told[1] == "block"
    assert [card.ascii for card in state.players[1].block] == ["6h", "6c"]
    assert [card.ascii for card in state.players[1].extra] == ["6s"]
    assert state.players[1].hand == []


@pytest.mark.rule("C12")
def test_ce49_the_base_is_none_of_the_three_but_by_option() -> None:
    hands = ("9s Jo 4c", "6h 6c 6d 2s")
    moves = ("base 9s", "base 6h", "extra Jo", "extra none")
    state = start(hands)
    do(state, *moves)
    assert legal(state) == ["declare let"]
    refused(state, "declare block", "C12")
    state = start(hands, options={"block_may_use_base": True})
    do(state, *moves)
    assert legal(state) == ["declare block", "declare let"]
    do(state, "declare block")
    assert legal(state) == ["block 6h 6d 6c"]
    do(state, "block 6h 6c 6d")
    assert state.to_move == (1,)
    assert [card.ascii for card in state.players[1].base] == ["6h"]
    assert {card.ascii for card in state.players[1].block} == {"6c", "6d"}
    # Base, additional card and one card from the hand are three as well.
    state = start(hands, options={"block_may_use_base": True})
    do(state, "base 9s", "base 6h", "extra Jo", "extra 6c", "declare block", "block 6h 6c 6d")
    assert [card.ascii for card in state.players[1].block] == ["6d"]


@pytest.mark.rule("C11")
def test_ce51_without_three_of_a_number_there_is_no_block() -> None:
    state = start(("9s Jo 4c", "2s 6h 6c 5d"))
    do(state, "base 9s", "base 2s", "extra Jo", "extra none")
    # He is asked all the same: that he cannot block is his secret.
    assert legal(state) == ["declare let"]
    assert "three cards" in refused(state, "declare block", "C12")
    do(state, "declare let", "strike 0", "strike 1")
    assert shields_left(state) == (5, 3)


@pytest.mark.rule("C11")
def test_who_can_publicly_not_block_is_not_asked() -> None:
    state = start(("9s Jo 4c", "2s 6h 6c"))
    events = do(state, "base 9s", "base 2s", "extra Jo", "extra none")
    assert kinds(events)[-2:] == ["no_block", "joker_attack"]
    assert state.phase == "strike"
    # With an additional card two in hand are enough, with one they are not.
    state = start(("9s Jo 4c", "2s 6h 6c 5d"))
    do(state, "base 9s", "base 2s", "extra Jo", "extra 6h")
    assert state.phase == "respond"
    state = start(("9s Jo 4c", "2s 6h 6c"))
    do(state, "base 9s", "base 2s", "extra Jo", "extra 6h")
    assert state.phase == "strike"


@pytest.mark.rule("C12")
def test_ce52_a_block_in_attack() -> None:
    state, told = blocked("2s 6h 6c 6d", "none", "6h 6c 6d", joker=1)
    assert told == ["declared", "block", "joker_attack"]
    assert state.to_move == (0,)
    do(state, "strike 0", "strike 2")
    assert shields_left(state) == (5, 3)
    state, _ = blocked("2s 6h 6c 6d", "none", "6h 6c 6d", joker=1, joker_block_result="nothing")
    assert shields_left(state) == (5, 5)
    assert state.phase == "refill"


@pytest.mark.rule("C12")
def test_ce52_a_blocked_joker_and_the_battle() -> None:
    options = {"joker_block_result": "battle"}
    state, told = blocked("Ks 6h 6c 6d", "none", "6h 6c 6d", joker=1, **options)
    # K♠ against 9♠, and no additional card on either side.
    assert told == ["declared", "block", "joker_void", "battle", "totals", "attack_succeeds"]
    assert JOKER in state.out
    do(state, "strike 0")
    assert shields_left(state) == (5, 4)
    state, told = blocked("2s 6h 6c 6d", "none", "6h 6c 6d", joker=1, **options)
    assert told[-2:] == ["defended", "used"]
    # The additional card of the blocker stays one, and more of its number may follow.
    state, told = blocked("2s 6s 6h 6c 6d", "6s", "6s 6h 6c", joker=1, **options)
    assert told == ["declared", "block", "joker_void"]
    assert (state.phase, state.to_move) == ("declare", (0,))
    events = do(state, "declare more")
    assert legal(state) == ["further 6d"]
    events = do(state, "further 6d")
    totals = next(event for event in events if event.kind == "chat.totals")
    assert totals.data == {"attack": 2 + 6 + 6, "defence": 9}
    # Where the rest of the number lies open there is nothing to ask.
    state, told = blocked("5s 6s 6h 6c", "6s", "6s 6h 6c", joker=1, **options)
    assert told[2:] == ["joker_void", "battle", "unopposed", "totals", "attack_succeeds"]


@pytest.mark.rule("C12")
def test_a_block_takes_exactly_three_of_any_number() -> None:
    state = start(("9s Jo 4c", "2s 7d 6s 6h 6c 6d"))
    do(state, "base 9s", "base 2s", "extra Jo", "extra 7d", "declare block")
    assert legal(state) == ["block 6s 6h 6d", "block 6s 6h 6c", "block 6s 6d 6c", "block 6h 6d 6c"]
    assert "6♠ 6♥ 6♦" in refused(state, "block 7s 7h 7d", "C12")
    with pytest.raises(NotationError):
        state.apply("block 6s 6h")
    with pytest.raises(NotationError):
        state.apply("block 6s 6h 7d")
    cards = tuple(Card.parse(card) for card in ("6c", "6s", "6h"))
    state.apply(Action("block", cards))
    assert [card.ascii for card in state.players[1].hand] == ["6d"]


# -------------------------------------------------------------------------------------- the battle


@pytest.mark.rule("C16b")
def test_ce19_and_ce20_the_owner_of_the_spade_chooses() -> None:
    for attacker in (0, 1):
        for cancel, totals, success in (("9d", (11, 4), True), ("9c", (5, 13), False)):
            first, second = "5d 6s 6h", "4s 9c 9d"
            state = start((first, second) if attacker == 0 else (second, first), attacker=attacker)
            bases = ("base 5d", "base 4s") if attacker == 0 else ("base 4s", "base 5d")
            extras = ("extra 6s", "extra 9c") if attacker == 0 else ("extra 9c", "extra 6s")
            more = ("further 6h", "further 9d") if attacker == 0 else ("further 9d", "further 6h")
            do(state, *bases, *extras, "declare more", "declare more", *more)
            assert (state.phase, state.to_move) == ("cancel", (attacker,))
            assert legal(state) == ["cancel 9c", "cancel 9d"]
            assert "9♣, 9♦" in refused(state, "cancel 6h", "C16b")
            events = do(state, f"cancel {cancel}")
            told = next(event for event in events if event.kind == "chat.totals")
            assert (told.data["attack"], told.data["defence"]) == totals
            assert (state.phase == "strike") == success
            gone = {card.ascii for card in state.out}
            assert {"6s", cancel} <= gone
            if success:
                assert "9c" in gone
                assert [card.ascii for card in state.players[attacker].extra] == ["6h"]
                assert state.players[1 - attacker].extra == []


@pytest.mark.rule("C16b")
def test_ce25_and_ce26_in_a_game() -> None:
    for target, totals in (("leftover", (17, 13)), ("any", (11, 4))):
        state = start(("5d 6s 6c", "4h 9c"), options={"spade_target": target})
        events = do(
            state,
            "base 5d",
            "base 4h",
            "extra 6s",
            "extra 9c",
            "declare more",
            "further 6c",
        )
        told = next(event for event in events if event.kind == "chat.totals")
        assert (told.data["attack"], told.data["defence"]) == totals


@pytest.mark.rule("C16b")
def test_any_target_can_give_a_choice_among_lined_up_cards() -> None:
    state = start(("5d 6s 6c", "4h 9c 9h"), options={"spade_target": "any"})
    do(state, "base 5d", "base 4h", "extra 6s", "extra 9c")
    do(state, "declare more", "declare more", "further 6c", "further 9h")
    assert legal(state) == ["cancel 9c", "cancel 9h"]
    events = do(state, "cancel 9c")
    told = next(event for event in events if event.kind == "chat.totals")
    assert (told.data["attack"], told.data["defence"]) == (11, 13)


@pytest.mark.rule("C16b")
def test_an_optional_spade_can_be_held_back() -> None:
    for cancel, totals in (("Qh", (8, 8)), ("none", (9, 20))):
        state = start(("8s As 2c", "8c Qh 2d"), options={"spade_optional": True})
        do(state, "base 8s", "base 8c", "extra As", "extra Qh", "declare enough")
        assert legal(state) == ["cancel Qh", "cancel none"]
        assert "Q♥, none" in refused(state, "cancel Kh", "C16b")
        events = do(state, f"cancel {cancel}")
        told = next(event for event in events if event.kind == "chat.totals")
        assert (told.data["attack"], told.data["defence"]) == totals
    # By default it cancels without being asked.
    state = start(("8s As 2c", "8c Qh 2d"))
    do(state, "base 8s", "base 8c", "extra As", "extra Qh", "declare enough")
    assert state.phase == "refill"


@pytest.mark.rule("C17")
def test_a_successful_attack_destroys_one_shield_face_up() -> None:
    state = start(("Ks 2c", "9s 2d"), (FIVE, "* * Qd * *"))
    do(state, "base Ks", "base 9s", "extra none", "extra none")
    assert (state.phase, state.to_move) == ("strike", (0,))
    events = do(state, "strike 2")
    strike = events[0]
    assert (strike.kind, strike.rule, strike.player) == ("chat.strike", "C17", 0)
    assert (strike.data["slot"], strike.data["card"].ascii) == (2, "Qd")
    assert strike.text("en") == "Player 1 destroyed shield 3 of Player 2: Q♦."
    assert state.players[1].shields[2] is None
    assert Card.parse("Qd") in state.out
    assert state.phase == "refill"


@pytest.mark.rule("C17")
@pytest.mark.rule("C18")
def test_ce2_an_equal_defence_holds() -> None:
    state = start(("9h 2c", "9s 2d"))
    events = do(state, "base 9h", "base 9s", "extra none", "extra none")
    assert kinds(events)[-4:] == ["battle", "totals", "defended", "used"]
    assert [card.ascii for card in events[-1].data["cards"]] == ["9h", "9s"]
    assert shields_left(state) == (5, 5)


# ----------------------------------------------------------------------------------- end of a turn


def defended(hands: tuple[str, str] = ("4h 2c", "9s 2d"), *where: Any, **entries: Any) -> State:
    """The end of a turn in which no shield falls: step 10 is next."""
    state = start(hands, *where, **entries)
    base = [f"base {hand.split()[0]}" for hand in hands]
    do(state, *base, "extra none", "extra none")
    return state


@pytest.mark.rule("C19")
def test_ce60_one_two_or_three() -> None:
    state = defended(stocks=(16, 16))
    assert legal(state, 0) == legal(state, 1) == ["refill 1", "refill 2", "refill 3"]
    assert "1, 2, 3" in refused(state, "refill 0", "C19")
    assert "1, 2, 3" in refused(state, "refill 4", "C19")
    assert "1, 2, 3" in refused(state, Action("refill", True), "C19")  # type: ignore[arg-type]
    state.apply("refill 3", 0)
    assert len(state.players[0].hand) == 1
    assert state.observation(1).log[-1].data == {}
    top = state.players[0].stock[:-4:-1]
    events = state.apply("refill 1", 1)
    assert kinds([*events]) == ["refill", "refilled", "drawn", "refilled", "drawn", "swap"]
    assert state.players[0].hand[-3:] == top
    assert [len(seat.hand) for seat in state.players] == [4, 2]
    seen = state.observation(1).log
    assert [event.data for event in seen if event.kind == "chat.refilled"] == [{"n": 3}, {"n": 1}]
    drawn = [event for event in seen if event.kind == "chat.drawn"]
    assert [bool(event.data) for event in drawn] == [False, True]


@pytest.mark.rule("C19")
def test_ce61_a_small_stock_gives_what_it_has() -> None:
    state = defended(stocks=(2, 1))
    assert legal(state, 0) == ["refill 1", "refill 2"]
    assert legal(state, 1) == ["refill 1"]
    assert "1, 2" in refused(state, "refill 3", "C19", 0)
    do(state, "refill 2", "refill 1")
    assert state.phase == "base"
    assert not state.is_terminal()


@pytest.mark.rule("C20")
def test_an_empty_stock_loses() -> None:
    for loser in (0, 1):
        state = defended(stocks=(0, 4) if loser == 0 else (4, 0))
        last = state.log[-1]
        assert (last.kind, last.rule, last.player) == ("chat.stock_out", "C20", loser)
        assert state.returns()[loser] == -1.0
        assert state.to_move == ()


@pytest.mark.rule("C20")
def test_ce63_both_stocks_empty() -> None:
    state = defended(stocks=(0, 0))
    assert (state.returns(), state.log[-1].kind) == ([0.0, 0.0], "chat.stock_out_draw")
    more = {"stockout_both": "more_shields"}
    for shields, result in (
        ((FIVE, FIVE), [0.0, 0.0]),
        (("* * * . .", "* * . * *"), [-1.0, 1.0]),
        ((". * . . *", ". . . . *"), [1.0, -1.0]),
    ):
        state = defended(("4h 2c", "9s 2d"), shields, stocks=(0, 0), options=more)
        assert state.returns() == result
        assert state.log[-1].rule == "C20"
        draw = defended(("4h 2c", "9s 2d"), shields, stocks=(0, 0))
        assert draw.returns() == [0.0, 0.0]


def played(seed: int, refill: int, **options: Any) -> State:
    """A game in which both always draw the same number, or as many as they can."""
    rng = random.Random(seed)
    state = load_game("chat", **options).new_initial_state(seed)
    while state.to_move:
        actions = state.legal_actions()
        if state.phase == "refill":
            state.apply(actions[min(refill, len(actions)) - 1])
        else:
            state.apply(rng.choice(actions))
    return state


@pytest.mark.rule("C20")
def test_ce65_the_clock_of_one_card_a_turn() -> None:
    games = [played(seed, 1) for seed in range(150)]
    assert max(state.turn for state in games) == 17
    for state in games:
        if state.turn == 17 and all(state.scores()):
            assert state.log[-1].kind == "chat.stock_out_draw"
        elif state.turn < 17:
            assert state.log[-1].kind == "chat.win"


@pytest.mark.rule("C19")
def test_ce66_the_clock_of_three_cards_a_turn() -> None:
    for seed in range(60):
        state = played(seed, 3)
        drawn = [event.data["n"] for event in state.log if event.kind == "chat.refilled"]
        assert drawn[: 2 * 5] == [3] * 10
        assert drawn[10:] in ([1, 1], [])
        if state.log[-1].kind != "chat.win":
            assert (state.turn, state.log[-1].kind) == (7, "chat.stock_out_draw")


@pytest.mark.rule("C18")
@pytest.mark.rule("C20")
def test_ce67_attack_and_defence_change_sides() -> None:
    state = defended(attacker=1, hands=("9h 2c", "4s 2d"))
    assert {"9h", "4s"} <= {card.ascii for card in state.out}
    for seat in state.players:
        assert not seat.base + seat.extra + seat.block
    events = do(state, "refill 1", "refill 1")
    assert (events[-1].kind, events[-1].player) == ("chat.swap", 0)
    assert state.attacker == 0  # type: ignore[attr-defined]
    assert (state.turn, state.phase, state.to_move) == (2, "base", (0, 1))


# ---------------------------------------------------------------------- further readings of options


@pytest.mark.rule("C7")
def test_only_the_joker_no_base() -> None:
    state = start(("Jo", "9s 2d 5c"))
    assert legal(state, 0) == ["base none"]
    assert "base none" in refused(state, "base Jo", "C7", 0)
    events = do(state, "base none", "base 9s")
    assert kinds(events) == ["base", "base", "no_base", "base_shown"]
    # Everybody knows now what the hand is, and sees it.
    assert state.observation(1).players[0]["hand"] == (JOKER,)
    assert state.observation(1).public["known"] == (JOKER,)
    assert legal(state, 0) == ["extra none", "extra Jo"]
    twin = state.clone()
    events = do(state, "extra none", "extra none")
    totals = next(event for event in events if event.kind == "chat.totals")
    assert totals.data == {"attack": 0, "defence": 9}
    do(state, "refill 2", "refill 1")
    # The joker stays known in the larger hand until it is played.
    assert state.observation(1).players[0]["hand"] == (JOKER, UNKNOWN, UNKNOWN)
    do(twin, "extra Jo", "extra none")
    assert twin.observation(1).public["known"] == ()
    assert (twin.phase, twin.to_move) == ("strike", (0,))


def there_and_back(state: State, *actions: str) -> State:
    """Do the actions; after each the position is one that can be set up again."""
    for action in actions:
        state.apply(action)
        assert state.game.state_from_dict(state.to_dict()) == state
    return state


@pytest.mark.rule("C7")
@pytest.mark.rule("C12")
@pytest.mark.parametrize("result", ["blocker_succeeds", "nothing", "battle"])
@pytest.mark.parametrize("destroyed_to", ["out", "hand"])
def test_a_lone_joker_is_blocked(result: str, destroyed_to: str) -> None:
    options = {"joker_block_result": result, "destroyed_to": destroyed_to}
    state = start(("2s 6s 6h 6c 6d 9h", "Jo"), options=options)
    there_and_back(state, "base 2s", "base none", "extra 6s", "extra Jo", "declare block")
    there_and_back(state, "block 6s 6h 6c")
    if result == "nothing":
        assert state.phase == "refill"
        return
    if result == "battle":
        there_and_back(state, "declare more", "further 6d", "strike 0")
        assert shields_left(state) == (5, 4)
    else:
        there_and_back(state, "strike 0", "strike 1")
        assert shields_left(state) == (5, 3)
    assert len(state.players[1].hand) == (
        0 if destroyed_to == "out" else 5 - shields_left(state)[1]
    )


@pytest.mark.rule("C7")
def test_the_last_shield_of_a_lone_joker() -> None:
    options = {"only_joker_hand": "joker_base_zero", "destroyed_to": "hand"}
    state = start(("2s 6s", "Jo"), (FIVE, "* . . . ."), options=options)
    there_and_back(state, "base 2s", "base Jo", "extra none", "extra none", "strike 0")
    assert state.returns() == [1.0, -1.0]
    state = start(("2s 6s", "Jo"), (FIVE, "* . . . ."), options={"destroyed_to": "hand"})
    there_and_back(state, "base 2s", "base none", "extra none", "extra none", "strike 0")
    assert state.returns() == [1.0, -1.0]


@pytest.mark.rule("C7")
def test_only_the_joker_as_a_base_of_zero() -> None:
    state = start(("Jo", "9s 2d 5c"), options={"only_joker_hand": "joker_base_zero"})
    assert legal(state, 0) == ["base Jo"]
    assert "base Jo" in refused(state, "base none", "C7", 0)
    events = do(state, "base Jo", "base 9s")
    assert kinds(events)[2:] == ["joker_base", "base_shown"]
    assert legal(state, 0) == ["extra none"]
    events = do(state, "extra none", "extra none")
    totals = next(event for event in events if event.kind == "chat.totals")
    assert totals.data == {"attack": 0, "defence": 9}
    assert JOKER in state.out
    assert state.phase == "refill"


@pytest.mark.rule("C7")
def test_only_the_joker_loses() -> None:
    options = {"only_joker_hand": "lose"}
    with pytest.raises(PositionError):
        start(("Jo", "9s 2d 5c"), options=options)
    given = position(("4h", "9s 2d 5c"), stocks=(0, 3))
    given["players"][0]["stock"] = ["Jo"]
    state = load_game("chat", **options).state_from_dict(given)
    do(state, "base 4h", "base 9s", "extra none", "extra none")
    events = do(state, "refill 1", "refill 1")
    assert (events[-1].kind, events[-1].rule, events[-1].player) == ("chat.only_joker", "C7", 0)
    assert state.returns() == [-1.0, 1.0]
    assert state.phase == "end"


@pytest.mark.rule("C19")
def test_the_bounds_of_a_refill() -> None:
    state = defended(stocks=(6, 1), options={"refill_min": 2, "refill_max": 4})
    assert legal(state, 0) == ["refill 2", "refill 3", "refill 4"]
    assert legal(state, 1) == ["refill 1"]
    with pytest.raises(RulesError, match="refill_min"):
        load_game("chat", refill_min=3, refill_max=2)


@pytest.mark.rule("C19")
def test_the_limit_of_a_hand() -> None:
    for limit, offered in (
        (1, ["refill 0"]),
        (2, ["refill 0"]),
        (3, ["refill 1"]),
        (4, ["refill 1", "refill 2"]),
        (9, ["refill 1", "refill 2", "refill 3"]),
    ):
        state = defended(("4h 2c 3c", "9s 2d 3d"), options={"hand_limit": limit})
        assert legal(state) == offered
    # At the limit nobody draws; only an empty stock loses.
    state = defended(("4h 2c 3c", "9s 2d 3d"), options={"hand_limit": 2})
    events = do(state, "refill 0", "refill 0")
    assert kinds(events) == ["refill", "refill", "refilled", "refilled", "swap"]
    assert not state.is_terminal()
    assert defended(("4h 2c", "9s 2d"), stocks=(0, 3), options={"hand_limit": 1}).is_terminal()


@pytest.mark.rule("C20")
def test_when_the_last_shield_has_fallen() -> None:
    last = ("* . . . .", "* . . . .")
    moves = ("base Ks", "base 9s", "extra none", "extra none", "strike 0")
    state = start(("Ks 2c", "9s 2d"), last, (0, 4))
    events = do(state, *moves)
    assert (events[-1].kind, state.returns()) == ("chat.win", [1.0, -1.0])
    # In the order of the steps, an empty stock comes first.
    step11 = {"win_check": "step11"}
    state = start(("Ks 2c", "9s 2d"), last, (0, 4), options=step11)
    events = do(state, *moves)
    assert (events[-1].kind, state.returns()) == ("chat.stock_out", [-1.0, 1.0])
    state = start(("Ks 2c", "9s 2d"), last, (4, 0), options=step11)
    events = do(state, *moves)
    assert (events[-1].kind, state.returns()) == ("chat.stock_out", [1.0, -1.0])
    state = start(("Ks 2c", "9s 2d"), last, (0, 0), options=step11)
    assert (do(state, *moves)[-1].kind, state.returns()) == ("chat.stock_out_draw", [0.0, 0.0])
    both = step11 | {"stockout_both": "more_shields"}
    state = start(("Ks 2c", "9s 2d"), last, (0, 0), options=both)
    assert (do(state, *moves)[-1].kind, state.returns()) == ("chat.stock_out_shields", [1.0, -1.0])
    state = start(("Ks 2c", "9s 2d"), last, (4, 4), options=step11)
    do(state, *moves)
    assert state.phase == "refill"
    events = do(state, "refill 1", "refill 1")
    assert (events[-1].kind, state.returns()) == ("chat.win", [1.0, -1.0])


@pytest.mark.rule("C10")
def test_the_attacker_declares_first() -> None:
    for attacker in (0, 1):
        state = start(
            ("Ks 4c 4d", "9s 7c 7h"), attacker=attacker, options={"declare_order": "attacker_first"}
        )
        do(state, "base Ks", "base 9s", "extra 4c", "extra 7c")
        assert state.to_move == (attacker,)
        events = do(state, "declare more")
        assert kinds(events) == ["declare", "declared"]
        assert state.observation(1 - attacker).public["declared"][attacker] == "more"
        assert (state.phase, state.to_move) == ("declare", (1 - attacker,))
        do(state, "declare enough")
        assert (state.phase, state.to_move) == ("further", (attacker,))
    # Where only the defender has something to say, it is his turn at once.
    state = start(("Ks 4c 4d", "9s 7c 7h"), options={"declare_order": "attacker_first"})
    do(state, "base Ks", "base 9s", "extra none", "extra 7c")
    assert state.to_move == (1,)


@pytest.mark.rule("C17")
def test_destroyed_shields_go_to_the_hand_for_all_to_see() -> None:
    state = start(("Ks 2c", "9s 2d"), (FIVE, "* * Qd * *"), options={"destroyed_to": "hand"})
    do(state, "base Ks", "base 9s", "extra none", "extra none")
    events = do(state, "strike 2")
    assert events[0].kind == "chat.strike_to_hand"
    queen = Card.parse("Qd")
    assert queen in state.players[1].hand
    assert queen not in state.out
    assert state.observation(0).players[1]["hand"] == (UNKNOWN, queen)
    assert state.observation(0).public["known"] == (queen,)
    assert load_game("chat", destroyed_to="hand").state_from_dict(state.to_dict()) == state
    do(state, "refill 1", "refill 1", "base 2c", "base Qd")
    assert state.observation(0).public["known"] == ()
    assert state.observation(0).players[1]["base"] == (queen,)


@pytest.mark.rule("C13")
def test_a_joker_in_a_shield_comes_to_the_hand() -> None:
    state = start(("Ks 2c", "9s 2d"), (FIVE, "* * Jo * *"), options={"destroyed_to": "hand"})
    do(state, "base Ks", "base 9s", "extra none", "extra none", "strike 2", "refill 1", "refill 1")
    do(state, "base 2c", "base 2d")
    assert "extra Jo" in legal(state, 1)
    do(state, "extra none", "extra Jo")
    assert JOKER not in state.observation(0).public["known"]
    # By default a joker in a shield is lost when the shield is.
    state = start(("Ks 2c", "9s 2d"), (FIVE, "* * Jo * *"))
    do(state, "base Ks", "base 9s", "extra none", "extra none", "strike 2")
    assert JOKER in state.out


# ---------------------------------------------------------------------------------------- bad input


def test_the_actions_are_the_same_under_all_options() -> None:
    options = {"only_joker_hand": "lose", "spade_optional": True, "refill_max": 9, "hand_limit": 3}
    assert load_game("chat", **options).actions == load_game("chat").actions


def test_every_option_has_words_and_every_value_is_tested() -> None:
    """The options are those of the rulebook; a game can be made with each value."""
    for option in fields(CHATRules):
        values = option.metadata.get("choices") or option.metadata["range"]
        for value in values:
            options = {option.name: value}
            if option.name == "refill_min":
                options["refill_max"] = 16
            game = load_game("chat", **options)
            assert getattr(game.rules, option.name) == value
    assert {option.name for option in fields(CHATRules)} == {
        "joker_block_result",
        "spade_target",
        "spade_optional",
        "block_may_use_base",
        "only_joker_hand",
        "refill_min",
        "refill_max",
        "hand_limit",
        "stockout_both",
        "win_check",
        "declare_order",
        "destroyed_to",
    }


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"spade_target": "all"}, "'leftover', 'any'"),
        ({"spade_optional": 1}, "False, True"),
        ({"refill_min": 0}, "from 1 to 16"),
        ({"refill_max": 17}, "from 1 to 16"),
        ({"refill_max": None}, "from 1 to 16"),
        ({"refill_min": 3, "refill_max": 2}, "3 is more than 2"),
        ({"hand_limit": 0}, "from 1 to 26, or None"),
        ({"hand_limit": "5"}, "or None"),
        ({"n_jokers": 2}, "joker_block_result"),
    ],
)
def test_bad_options(options: dict[str, Any], words: str) -> None:
    with pytest.raises(RulesError) as refusal:
        load_game("chat", **options)
    assert words in str(refusal.value)
    assert all("{" not in refusal.value.text(lang) for lang in LANGUAGES)


@pytest.mark.parametrize(
    "text",
    ["", "base", "base 1x", "extra", "call green", "further 7s 8s", "block 6s 6h", "cancel Ks x"],
)
def test_text_that_is_no_action(text: str) -> None:
    state = start(("Ks 2c", "9s 2d"))
    with pytest.raises(NotationError):
        state.apply(text)


def test_every_phase_refuses_the_actions_of_the_others() -> None:
    game = load_game("chat")
    samples = {action.kind: action for action in game.actions}
    rng = random.Random(2)
    met: set[str] = set()
    for seed in range(150):
        state = game.new_initial_state(seed)
        while state.to_move:
            actions = state.legal_actions()
            kind = actions[0].kind
            if state.phase not in met:
                met.add(state.phase)
                for other, action in samples.items():
                    if other != kind:
                        before = state.to_dict()
                        with pytest.raises(IllegalActionError) as refusal:
                            state.apply(action)
                        assert refusal.value.rule
                        assert f'"{action}"' in str(refusal.value)
                        assert f"「{action}」" in refusal.value.text("ja")
                        assert state.to_dict() == before
            joker = [a for a in actions if str(a) in ("extra Jo", "declare block", "declare more")]
            state.apply(rng.choice(joker or actions))
    assert met == {*game.phases}


def spoil(change: Callable[[dict[str, Any]], Any], *moves: str, **entries: Any) -> PositionError:
    hands = entries.pop("hands", ("Ks 4c 4d Jo", "9s 7c 7h 2c"))
    state = start(hands, **entries)
    do(state, *moves)
    given = json.loads(json.dumps(state.to_dict()))
    state.game.state_from_dict(copy.deepcopy(given))
    change(given)
    with pytest.raises(PositionError) as refusal:
        state.game.state_from_dict(given)
    assert all("{" not in refusal.value.text(lang) for lang in LANGUAGES)
    return refusal.value


def seat(given: dict[str, Any], player: int, zone: str) -> list[Any]:
    content: list[Any] = given["players"][player][zone]
    return content


BASES = ("base Ks", "base 9s")
EXTRAS = (*BASES, "extra 4c", "extra 7c")


@pytest.mark.parametrize(
    ("change", "moves", "words"),
    [
        (lambda p: seat(p, 0, "hand").pop(), (), "nowhere: Jo"),
        (lambda p: seat(p, 0, "hand").append("9s"), (), "9♠ occurs more than once"),
        (lambda p: p["out"].append("9s"), (), "9♠ occurs more than once"),
        (lambda p: p["out"].pop(), (), "nowhere"),
        (lambda p: seat(p, 0, "hand").append(None), (), "hand"),
        (lambda p: seat(p, 0, "stock").insert(0, None), (), "stock"),
        (
            lambda p: p["out"].append(seat(p, 1, "shields").pop()),
            (),
            "4 places for shields instead of 5",
        ),
        (lambda p: p["players"][0].update(lands=[]), (), "lands"),
        (lambda p: p.update(phase="night"), (), "night"),
        (lambda p: p.update(attacker=None), (), "attacker"),
        (lambda p: p.update(attacker=2), (), "attacker"),
        (lambda p: p.update(attacker=True), (), "attacker"),
        (lambda p: p.update(caller="0"), (), "caller"),
        (lambda p: p.update(declared=["more"]), (), "declared"),
        (lambda p: p.update(declared=["more", "less"]), (), "declared"),
        (lambda p: p.update(declared="more"), (), "declared"),
        (lambda p: p.update(declared=["enough", None]), (), "base"),
        (lambda p: p.update(strikes=3), (), "strikes"),
        (lambda p: p.update(strikes=1), (), "base"),
        (lambda p: p.update(known=["5s"]), (), "known"),
        (lambda p: p.update(known=1), (), "known"),
        (lambda p: p.update(turn="1"), (), "whole number"),
        (lambda p: p.update(to_move=[1]), (), "[0, 1]"),
        (lambda p: p.update(pending=["extra Ks", None]), (), "extra Ks"),
        (lambda p: p.update(pending=["base 9s", None]), (), "base 9s"),
        (lambda p: p.update(pending=["base Ks", "base 9s"]), (), "base"),
        (lambda p: p.update(pending=["base Ks"]), (), "2 players"),
        (lambda p: p.update(result=[1, -1]), (), "result"),
        (lambda p: p.update(phase="end"), (), "result"),
        (lambda p: p.update(phase="end", to_move=[], result=[1, 0]), (), "result"),
        (lambda p: p.update(phase="extra"), (), "extra"),
        (lambda p: p.update(phase="call"), (), "attacker"),
        (lambda p: p.update(phase="base"), BASES, "base"),
        (lambda p: p.update(phase="declare"), BASES, "declare"),
        (lambda p: p.update(phase="further"), EXTRAS, "further"),
        (lambda p: p.update(phase="cancel"), EXTRAS, "cancel"),
        (lambda p: p.update(phase="respond"), EXTRAS, "respond"),
        (lambda p: p.update(phase="block"), EXTRAS, "block"),
        (lambda p: p.update(phase="strike"), EXTRAS, "strike"),
        (lambda p: p.update(phase="refill"), EXTRAS, "refill"),
        (lambda p: p.update(declared=["more", "enough"]), EXTRAS, "declare"),
        (lambda p: seat(p, 0, "base").append(seat(p, 0, "hand").pop()), BASES, "player 1"),
        (
            lambda p: (
                seat(p, 0, "hand").extend(seat(p, 0, "base")[:]) or seat(p, 0, "base").clear()
            ),
            BASES,
            "extra",
        ),
        (lambda p: seat(p, 1, "extra").append(seat(p, 1, "hand").pop()), EXTRAS, "player 2"),
        (lambda p: seat(p, 1, "extra").append(seat(p, 1, "hand").pop(0)), EXTRAS, "player 2"),
        (lambda p: seat(p, 1, "block").append(seat(p, 0, "hand").pop()), EXTRAS, "player 2"),
        (lambda p: p["table"].update(left_over=[p["out"].pop()]), (), "base"),
    ],
)
def test_bad_positions(change: Callable[[Any], Any], moves: tuple[str, ...], words: str) -> None:
    assert words in str(spoil(change, *moves))


def test_a_position_may_leave_out_what_is_plain() -> None:
    state = start(("Ks 4c", "9s 7c"))
    assert (state.phase, state.turn, state.to_move) == ("base", 1, (0, 1))
    assert len(state.out) == 53 - 4 - 10 - 8
    with pytest.raises(PositionError, match="players"):
        load_game("chat").state_from_dict({"phase": "base"})


def test_a_position_without_shields_is_over() -> None:
    with pytest.raises(PositionError):
        start(("Ks 4c", "9s 7c"), (FIVE, ". . . . ."))
    with pytest.raises(PositionError):
        start(("", "9s 7c"))


@pytest.mark.parametrize(
    ("entries", "results"),
    [
        ({"shields": (FIVE, ". . . . .")}, [(1, -1)]),
        ({"shields": (". . . . .", FIVE)}, [(-1, 1)]),
        ({"stocks": (0, 3)}, [(-1, 1)]),
        ({"stocks": (3, 0)}, [(1, -1)]),
        ({"stocks": (0, 0)}, [(0, 0)]),
        ({"stocks": (0, 0), "shields": ("* . . . .", FIVE)}, [(0, 0)]),
        (
            {
                "stocks": (0, 0),
                "shields": ("* . . . .", FIVE),
                "options": {"stockout_both": "more_shields"},
            },
            [(-1, 1)],
        ),
        ({}, []),
        ({"hands": ("Jo", "9s")}, []),
        ({"hands": ("Jo", "9s"), "options": {"only_joker_hand": "lose"}}, [(-1, 1)]),
        # The last shield fell, and either the empty stock came first or it was drawn empty.
        (
            {
                "stocks": (0, 2),
                "shields": (FIVE, ". . . . ."),
                "options": {"win_check": "step11"},
            },
            [(1, -1), (-1, 1)],
        ),
    ],
)
def test_a_position_that_is_over_has_a_result_that_can_be(
    entries: dict[str, Any], results: list[tuple[int, int]]
) -> None:
    game = load_game("chat", **entries.pop("options", {}))
    given = position(**{"hands": ("Ks 2c", "9s 2d"), **entries})
    for result in ((1, -1), (-1, 1), (0, 0), (1, 0)):
        ended = {**copy.deepcopy(given), "phase": "end", "result": [*result]}
        if result in results:
            state = game.state_from_dict(ended)
            assert state.is_terminal()
            assert game.state_from_dict(state.to_dict()) == state
        else:
            with pytest.raises(PositionError, match="result"):
                game.state_from_dict(ended)


@pytest.mark.parametrize("phase", ["refill", "strike"])
def test_with_step11_a_turn_ends_without_shields(phase: str) -> None:
    last = ("* . . . .", "* . . . .")
    state = start(("Ks 2c", "9s 2d"), last, options={"win_check": "step11"})
    do(state, "base Ks", "base 9s", "extra none", "extra none")
    if phase == "refill":
        do(state, "strike 0")
    assert state.phase == phase
    assert state.game.state_from_dict(state.to_dict()) == state


def test_refusals_are_cardlab_errors_in_both_languages() -> None:
    state = start(("Ks 4c", "9s 7c"))
    with pytest.raises(CardlabError) as refusal:
        state.apply(Action("base", "Ks"), 0)  # a word, not a card
    assert all("{" not in refusal.value.text(lang) for lang in LANGUAGES)
    for action in (Action("further", ()), Action("extra"), Action("strike", -1), Action("x")):
        with pytest.raises(IllegalActionError):
            state.apply(action, 0)
