"""The worked examples GE1 to GE25, and every reading that an option offers."""

import random
from collections import Counter
from typing import Any

import pytest

from cardlab import Action, Card, DeckError, Event, State, load_game
from cardlab.games.gpt import check_deck, clash, counters

RANKS = "A23456789TJQK"
SUITS = ("hs", "dc")
PACKS = [[rank + suit for rank in RANKS for suit in suits] for suits in SUITS]
SLOTS = "* * * * *"
GE1 = "Ks Kh Qs Qh 9s 8s 7s 6s 5s 4s 4h 3s 2s As Ah"


def value(card: str) -> int:
    return RANKS.index(card[0]) + 1


def position(
    hands: tuple[str, str], shields: tuple[str, str] = (SLOTS, SLOTS), turn: int = 1
) -> dict[str, Any]:
    """The start of a turn: the cards that matter, and the lightest others wherever one is needed.

    ``hands`` begin with the cards that are named. In ``shields`` ``*`` is any card and ``.`` is one
    that is gone.
    """
    players, out = [], []
    for seat in (0, 1):
        named = {*hands[seat].split(), *shields[seat].split()}
        others = iter([card for card in PACKS[seat] if card not in named])
        slots = [
            None if slot == "." else next(others) if slot == "*" else slot
            for slot in shields[seat].split()
        ]
        hand = hands[seat].split()
        hand += [next(others) for _ in range(min(3, 11 - turn) - len(hand))]
        stock = [next(others) for _ in range(8 - turn)]
        out += [next(others) for _ in range(turn - 1 + slots.count(None))]
        players.append({"hand": hand, "stock": stock, "shields": slots})
    return {"turn": turn, "players": players, "out": out}


def start(hands: tuple[str, str], *where: Any, turn: int = 1, **options: Any) -> State:
    game = load_game("gpt", **options)
    return game.state_from_dict(position(hands, *where, turn=turn))


def play(state: State, a: str, b: str) -> tuple[Event, ...]:
    state.apply(f"play {a}", 0)
    return state.apply(f"play {b}", 1)


def kinds(events: tuple[Event, ...]) -> list[str]:
    return [event.kind.removeprefix("gpt.") for event in events]


# ------------------------------------------------------------------------------------------- decks


@pytest.mark.rule("G4")
def test_ge1_the_sum_may_be_exactly_100() -> None:
    deck = check_deck(GE1, seat=0)
    assert (deck.size, deck.sum) == (15, 100)
    assert load_game("gpt", decks=(GE1, deck)).decks == (deck, deck)


@pytest.mark.rule("G4")
def test_ge2_the_sum_may_not_be_101() -> None:
    heavier = GE1.replace("2s", "3h")
    with pytest.raises(DeckError) as caught:
        check_deck(heavier, seat=0)
    assert caught.value.text() == (
        "This deck is not legal: its sum is 101, 1 over the cap of 100 [G4]"
    )
    with pytest.raises(DeckError):
        load_game("gpt", decks=(heavier, GE1))
    assert check_deck(heavier, cap=101).sum == 101


@pytest.mark.rule("G4")
def test_ge3_the_lightest_deck_is_legal() -> None:
    for eight in "sh":
        lightest = [rank + suit for rank in RANKS[:7] for suit in "sh"] + [f"8{eight}"]
        assert check_deck(lightest, seat=0).sum == 64


@pytest.mark.rule("G4")
@pytest.mark.parametrize(
    ("deck", "fault"),
    [
        (GE1.removesuffix(" Ah"), "size"),
        ("Ks Kh Qs Qh 8s 7s 6s 5s 4s 4h 3s 3h 2s 2h As Ah", "size"),
        (GE1.replace("2s", "3s"), "duplicate"),
        (GE1.replace("2s", "2c"), "suits"),
    ],
)
def test_ge4_wrong_number_of_cards_same_card_twice_or_not_its_suit(deck: str, fault: str) -> None:
    with pytest.raises(DeckError) as caught:
        check_deck(deck, cap=101, seat=0)
    assert [error.key for error in caught.value.faults] == [f"gpt.error.{fault}"]
    with pytest.raises(DeckError):
        load_game("gpt", decks=(deck, "Kd Kc Qd Qc 9c 8c 7c 6c 5c 4c 4d 3c 2c Ac Ad"))


@pytest.mark.rule("G3")
def test_ge5_two_suits_of_one_colour_are_illegal() -> None:
    two_blacks = [rank + suit for rank in RANKS[:7] for suit in "sc"] + ["8s"]
    two_reds = [rank + suit for rank in RANKS[:7] for suit in "hd"] + ["8h"]
    for deck, key in ((two_blacks, "two_black"), (two_reds, "two_red")):
        with pytest.raises(DeckError) as caught:
            check_deck(deck)
        assert [error.key for error in caught.value.faults] == [f"gpt.error.{key}"]
        for seat in (0, 1):
            with pytest.raises(DeckError):
                check_deck(deck, seat=seat)


@pytest.mark.rule("G3")
def test_each_seat_has_one_red_and_one_black_suit() -> None:
    state = load_game("gpt").new_initial_state(1)
    for seat, other in ((0, 1), (1, 0)):
        own = state.observation(seat).players[seat]["set_aside"]
        assert {card.ascii for card in own} == set(PACKS[seat])
        assert not {card.ascii for card in own} & set(PACKS[other])


@pytest.mark.rule("G8")
@pytest.mark.parametrize("shield_mode", ["random", "chosen"])
def test_ge6_zones_after_the_set_up(shield_mode: str) -> None:
    state = load_game("gpt", shield_mode=shield_mode).new_initial_state(1)
    rng = random.Random(1)
    while state.phase in ("deck", "shields"):
        state.apply(rng.choice(state.legal_actions()))
    for seat in state.to_dict()["players"]:
        assert {zone: len(cards) for zone, cards in seat.items()} == {
            "shields": 5,
            "hand": 3,
            "stock": 7,
            "set_aside": 11,
            "deck": 0,
            "played": 0,
        }


# ------------------------------------------------------------------------------------------- clash


@pytest.mark.rule("G10")
def test_ge7_the_higher_number_wins() -> None:
    assert clash("9h", "7c") == 0
    state = start(("9h", "7c"))
    events = play(state, "9h", "7c")
    assert kinds(events) == ["play", "clash"]
    assert (events[1].player, events[1].rule) == (0, "G10")
    assert state.to_move == (0,)


@pytest.mark.rule("G11")
def test_ge8_black_beats_red() -> None:
    assert clash("8h", "8c") == 1
    state = start(("8h", "8c"))
    events = play(state, "8h", "8c")
    assert kinds(events) == ["play", "clash_colour"]
    assert (events[1].player, events[1].rule) == (1, "G11")
    assert state.to_move == (1,)


@pytest.mark.rule("G12")
@pytest.mark.parametrize(("a", "b"), [("8s", "8c"), ("8h", "8d")])
def test_ge9_a_draw_touches_no_shield(a: str, b: str) -> None:
    assert clash(a, b) is None
    state = start((a, b))
    events = play(state, a, b)
    assert kinds(events) == ["play", "tie", "draw", "draw"]
    assert (events[1].player, events[1].rule) == (None, "G12")
    assert state.scores() == [5, 5]
    assert [card.ascii for card in state.out] == [a, b]
    assert [len(seat["hand"]) for seat in state.to_dict()["players"]] == [3, 3]
    assert (state.turn, state.phase, state.to_move) == (2, "play", (0, 1))


@pytest.mark.rule("G12")
def test_a_draw_without_a_stock_draws_nothing() -> None:
    state = start(("8s", "8c"), turn=9)
    assert kinds(play(state, "8s", "8c")) == ["play", "tie", "no_draw"]
    assert [len(seat["hand"]) for seat in state.to_dict()["players"]] == [1, 1]


@pytest.mark.rule("G10")
def test_every_clash() -> None:
    """All pairs, by the words of G10 to G12."""
    for a in PACKS[0]:
        for b in PACKS[1]:
            black_a, black_b = a[1] == "s", b[1] == "c"
            if value(a) > value(b):
                expected = 0
            elif value(b) > value(a):
                expected = 1
            elif black_a and not black_b:
                expected = 0
            elif black_b and not black_a:
                expected = 1
            else:
                expected = None
            assert clash(a, b) == expected
            assert clash(b, a) == (None if expected is None else 1 - expected)


# ------------------------------------------------------------------------------ strike and counter


@pytest.mark.rule("G13")
def test_ge10_no_counter() -> None:
    state = start(("Ts", "4d"), (SLOTS, "* * 9d * *"))
    play(state, "Ts", "4d")
    assert state.legal_actions() == [Action("strike", slot) for slot in range(5)]
    events = state.apply("strike 2")
    assert kinds(events) == ["strike", "no_counter", "draw", "draw"]
    assert events[0].data == {"target": 1, "slot": 2, "card": Card.parse("9d")}
    assert (events[0].player, events[1].player) == (0, 1)
    assert state.scores() == [5, 4]
    assert state.players[1].shields[2] is None
    for seat in (0, 1):
        assert "9d" in state.observation(seat).to_dict()["out"]


@pytest.mark.rule("G14")
def test_ge11_a_counter_takes_a_shield_and_loses_its_own() -> None:
    state = start(("5s", "3d"), (SLOTS, "6d * * * *"))
    play(state, "5s", "3d")
    events = state.apply("strike 0")
    assert kinds(events) == ["strike", "counter"]
    assert events[1].player == 1
    assert state.to_move == (1,)
    assert state.legal_actions(1) == [Action("counter", slot) for slot in range(5)]
    removed = state.players[0].shields[3]
    events = state.apply("counter 3", 1)
    assert kinds(events) == ["remove", "draw", "draw"]
    assert events[0].data == {"target": 0, "slot": 3, "card": removed}
    assert state.scores() == [4, 4]
    assert "6d" in state.to_dict()["out"]
    # G-Q14: the removed shield is shown, and is not tested for a counter of its own.
    assert removed in state.observation(1).out


@pytest.mark.rule("G14")
@pytest.mark.parametrize(
    ("compare", "shield", "countered"),
    [
        ("strict_number", "5d", False),
        ("strict_number", "5c", False),
        ("strict_number", "6d", True),
        ("number_then_colour", "5d", False),
        ("number_then_colour", "5c", True),
        ("number_then_colour", "6d", True),
        ("ge", "4c", False),
        ("ge", "5d", True),
        ("ge", "5c", True),
    ],
)
def test_ge13_the_readings_of_the_comparison(compare: str, shield: str, countered: bool) -> None:
    """A attacks with a red 5, so that colour can decide (G-Q12)."""
    state = start(("5h", "3d"), (SLOTS, f"{shield} * * * *"), counter_compare=compare)
    play(state, "5h", "3d")
    events = state.apply("strike 0")
    assert kinds(events)[1] == ("counter" if countered else "no_counter")
    if countered:
        state.apply("counter 0")
    assert state.scores() == ([4, 4] if countered else [5, 4])


@pytest.mark.rule("G14")
def test_every_comparison_of_a_counter() -> None:
    """All pairs under the three readings, by the words of G-Q12."""
    for shield in PACKS[0]:
        for attacker in PACKS[1]:
            s, a = value(shield), value(attacker)
            black_beats_red = shield[1] == "s" and attacker[1] == "d"
            assert counters(shield, attacker) == (s > a)
            assert counters(shield, attacker, "ge") == (s >= a)
            assert counters(shield, attacker, "number_then_colour") == (
                s > a or (s == a and black_beats_red)
            )


@pytest.mark.rule("G14")
def test_ge14_a_win_with_an_ace_is_countered_by_all_but_aces() -> None:
    state = start(("As", "Ad"), (SLOTS, "2c * * * *"))
    events = play(state, "As", "Ad")
    assert kinds(events)[1] == "clash_colour"
    assert kinds(state.apply("strike 0"))[1] == "counter"
    countering = [card for card in PACKS[1] if counters(card, "As")]
    assert countering == [card for card in PACKS[1] if card[0] != "A"]


@pytest.mark.rule("G14")
def test_ge15_a_king_is_never_countered() -> None:
    for king in ("Ks", "Kh"):
        assert not any(counters(card, king) for card in PACKS[1])
    state = start(("Kh", "3d"), (SLOTS, "Kc Kd * * *"))
    play(state, "Kh", "3d")
    assert kinds(state.apply("strike 0"))[1] == "no_counter"


@pytest.mark.rule("G13")
def test_a_fallen_shield_cannot_be_struck_again() -> None:
    state = start(("Ts", "4d"), (SLOTS, "* . * . *"), turn=3)
    play(state, "Ts", "4d")
    assert [action.arg for action in state.legal_actions()] == [0, 2, 4]


# ---------------------------------------------------------------------------------------- the ends


@pytest.mark.rule("G17")
@pytest.mark.parametrize(
    ("reading", "returns"),
    [
        ("attacker_wins", [1.0, -1.0]),
        ("draw", [0.0, 0.0]),
        ("counter_player_wins", [-1.0, 1.0]),
    ],
)
def test_ge17_and_ge18_both_lose_their_last_shield(reading: str, returns: list[float]) -> None:
    shields = ("* . . . .", "7c . . . .")
    state = start(("5s", "3d"), shields, turn=5, double_knockout=reading)
    play(state, "5s", "3d")
    assert kinds(state.apply("strike 0")) == ["strike", "counter"]
    events = state.apply("counter 0")
    assert kinds(events) == ["remove", f"knockout_{reading}"]
    assert events[-1].rule == "G17"
    assert state.scores() == [0, 0]
    assert state.is_terminal()
    assert state.returns() == returns


@pytest.mark.rule("G17")
def test_the_readings_of_a_double_knockout_are_the_same_for_both_seats() -> None:
    shields = ("7s . . . .", "* . . . .")
    for reading, returns in (("attacker_wins", [-1.0, 1.0]), ("counter_player_wins", [1.0, -1.0])):
        state = start(("3h", "5c"), shields, turn=5, double_knockout=reading)
        play(state, "3h", "5c")
        state.apply("strike 0")
        state.apply("counter 0")
        assert state.returns() == returns


@pytest.mark.rule("G15")
def test_ge20_the_last_shield_wins_at_once() -> None:
    state = start(("Qs", "Qd"), ("* * . . .", "5c . . . ."), turn=5)
    stocks = [list(seat.stock) for seat in state.players]
    play(state, "Qs", "Qd")
    events = state.apply("strike 0")
    assert kinds(events) == ["strike", "no_counter", "win"]
    assert (events[-1].player, events[-1].rule) == (0, "G15")
    assert state.scores() == [2, 0]
    assert state.returns() == [1.0, -1.0]
    assert [seat.stock for seat in state.players] == stocks
    assert state.legal_actions() == []


@pytest.mark.rule("G15")
def test_a_last_shield_lost_to_a_counter_loses_too() -> None:
    """G-Q16: removed or destroyed, a seat without shields has lost."""
    state = start(("5s", "3d"), ("* . . . .", "7c * . . ."), turn=5)
    play(state, "5s", "3d")
    state.apply("strike 0")
    events = state.apply("counter 0")
    assert kinds(events) == ["remove", "win"]
    assert events[-1].player == 1
    assert state.returns() == [-1.0, 1.0]


def tie(state: State) -> tuple[Event, ...]:
    """Both play the same card, in number and colour."""
    card = state.players[0].hand[0].ascii
    return play(state, card, card.translate(str.maketrans("hs", "dc")))


def twins(turn: int, shields: tuple[str, str] = (SLOTS, SLOTS)) -> State:
    """A position in which both seats have the same hand and stock."""
    mirror = str.maketrans("hs", "dc")
    given = position(("", ""), shields, turn)
    first, second = given["players"]
    moved = {*first["hand"], *first["stock"]}
    # The other's shields and cards out are whatever else is left of the fifteen.
    deck = [card for zone in ("hand", "stock", "shields") for card in first[zone] if card]
    deck += [card for card in given["out"] if card in PACKS[0]]
    rest = [card.translate(mirror) for card in deck if card not in moved]
    second["hand"] = [card.translate(mirror) for card in first["hand"]]
    second["stock"] = [card.translate(mirror) for card in first["stock"]]
    second["shields"] = [card and rest.pop() for card in second["shields"]]
    given["out"] = [card for card in given["out"] if card in PACKS[0]] + rest
    return load_game("gpt").state_from_dict(given)


@pytest.mark.rule("G16")
@pytest.mark.rule("G18")
def test_ge21_hand_and_stock_after_every_turn() -> None:
    state = twins(turn=1)
    sizes = {}
    while not state.is_terminal():
        turn = state.turn
        tie(state)
        first, second = [(len(seat.hand), len(seat.stock)) for seat in state.players]
        assert first == second
        sizes[turn] = first
    assert sizes == {
        **{n: (3, 7 - n) for n in range(1, 8)},
        8: (2, 0),
        9: (1, 0),
        10: (0, 0),
    }
    assert state.returns() == [0.0, 0.0]


@pytest.mark.rule("G18")
@pytest.mark.parametrize(
    ("shields", "returns", "kind"),
    [
        (("* * * . .", "* * . . ."), [1.0, -1.0], "count_win"),
        (("* . . . .", ". . * * ."), [-1.0, 1.0], "count_win"),
        (("* * . . .", ". * . * ."), [0.0, 0.0], "count_draw"),
    ],
)
def test_ge22_and_ge23_the_end_by_count(
    shields: tuple[str, str], returns: list[float], kind: str
) -> None:
    state = twins(turn=10, shields=shields)
    events = tie(state)
    assert kinds(events) == ["play", "tie", kind]
    assert events[-1].rule == "G18"
    assert [seat.hand + seat.stock for seat in state.players] == [[], []]
    assert state.returns() == returns


@pytest.mark.rule("G18")
def test_the_last_turn_is_won_by_shields_before_they_are_counted() -> None:
    """G-Q21: G15 comes first."""
    state = start(("Qs", "3d"), ("* . . . .", "5c . . . ."), turn=10)
    play(state, "Qs", "3d")
    assert kinds(state.apply("strike 0"))[-1] == "win"


@pytest.mark.rule("G16")
def test_ge25_an_empty_stock_ends_nothing() -> None:
    state = twins(turn=8)
    assert [len(seat.stock) for seat in state.players] == [0, 0]
    events = tie(state)
    assert kinds(events) == ["play", "tie", "no_draw"]
    assert (state.phase, state.turn, state.to_move) == ("play", 9, (0, 1))
    assert [len(seat.hand) for seat in state.players] == [2, 2]


# ------------------------------------------------------------------------------- the other readings


@pytest.mark.rule("G14")
@pytest.mark.parametrize(("choice", "seat"), [("counter_player", 1), ("owner", 0)])
def test_who_names_the_shield_of_a_counter(choice: str, seat: int) -> None:
    """G-Q13."""
    state = start(("5s", "3d"), (SLOTS, "6d * * * *"), counter_choice=choice)
    play(state, "5s", "3d")
    state.apply("strike 0")
    assert (state.phase, state.to_move) == ("counter", (seat,))
    events = state.apply("counter 4", seat)
    assert kinds(events)[0] == "remove"
    assert events[0].player == seat
    assert state.scores() == [4, 4]


@pytest.mark.rule("G14")
def test_chance_names_the_shield_of_a_counter() -> None:
    """G-Q13, ``random``: nobody is asked, and each shield that is left is as likely as another."""
    game = load_game("gpt", counter_choice="random")
    given = position(("5s", "3d"), ("* . * * .", "6d * * * *"), turn=4)
    removed: Counter[int] = Counter()
    for seed in range(600):
        state = game.state_from_dict(given | {"seed": seed})
        play(state, "5s", "3d")
        events = state.apply("strike 0")
        assert kinds(events)[:3] == ["strike", "counter", "remove"]
        removed[events[2].data["slot"]] += 1
        assert state.scores() == [2, 4]
    assert set(removed) == {0, 2, 3}
    # Three standard deviations of a third of 600.
    assert all(abs(count - 200) < 3 * (600 * 2 / 9) ** 0.5 for count in removed.values())


@pytest.mark.rule("G6")
def test_random_shields_are_unknown_to_their_owner() -> None:
    """G-Q5, G-Q6: from the top of the deck, nobody knows which."""
    state = start(("5s", "3d"))
    for seat in (0, 1):
        for owner in (0, 1):
            assert state.observation(seat).to_dict()["players"][owner]["shields"] == ["?"] * 5


@pytest.mark.rule("G6")
@pytest.mark.rule("G5")
def test_chosen_shields_are_known_to_their_owner_alone() -> None:
    """G-Q5, G-Q6: each chooses from the own deck, slot by slot."""
    deck = "2b2bbbbb0b022"
    state = load_game("gpt", shield_mode="chosen", decks=(deck, deck)).new_initial_state(1)
    assert (state.phase, state.to_move) == ("shields", (0, 1))
    chosen = ["Ks", "Ah", "7s", "2s", "Qh"], ["Ac", "Kd", "8c", "3d", "Qd"]
    for first, second in zip(*chosen, strict=True):
        state.apply(f"shield {second}", 1)
        state.apply(f"shield {first}", 0)
    assert state.phase == "play"
    assert [[card.ascii for card in seat.shields] for seat in state.players] == [*chosen]
    seen = state.observation(0).to_dict()["players"]
    assert seen[0]["shields"] == chosen[0]
    assert seen[1]["shields"] == ["?"] * 5
    assert state.log[-5].kind == "gpt.shields_down"
    for card in chosen[1]:
        assert card not in state.observation(0).to_json()
    # None of them is in hand or stock.
    for player in state.players:
        assert not {*player.shields} & {*player.hand, *player.stock}


@pytest.mark.rule("G9")
def test_both_play_before_either_card_is_seen() -> None:
    """G-Q8."""
    state = start(("9h", "7c"))
    (event,) = state.apply("play 7c", 1)
    assert event.seen_by == 1
    assert state.to_move == (0,)
    seen = state.observation(0)
    assert seen.pending is None
    assert "7c" not in seen.to_json()
    assert state.observation(1).pending == Action("play", Card.parse("7c"))
    assert len(seen.players[1]["hand"]) == 3
    state.apply("play 9h", 0)
    assert "7c" in state.observation(0).to_json()


@pytest.mark.rule("G16")
def test_both_draw_one() -> None:
    """G-Q18: the top of the stock, which is its last card."""
    state = start(("9h", "7c"))
    tops = [seat.stock[-1] for seat in state.players]
    play(state, "9h", "7c")
    state.apply("strike 0")
    assert state.to_move == (0, 1)
    assert [seat.hand[-1] for seat in state.players] == tops
    for seat in (0, 1):
        assert tops[1 - seat].ascii not in state.observation(seat).to_json()


@pytest.mark.rule("G1")
@pytest.mark.rule("G2")
def test_two_players_and_one_pack_without_jokers() -> None:
    game = load_game("gpt")
    assert game.num_players == 2
    position = game.new_initial_state(1).to_dict()
    held = [card for seat in position["players"] for zone in seat.values() for card in zone]
    assert sorted(held) == sorted(PACKS[0] + PACKS[1])
    assert len(held) == 52
    assert "Jo" not in held


@pytest.mark.rule("G7")
def test_each_deck_is_shuffled_by_the_other_seat() -> None:
    state = load_game("gpt", decks=("2b2bbbbb0b022",) * 2).new_initial_state(1)
    shuffles = [event for event in state.log if event.kind == "gpt.shuffle"]
    assert [(event.player, event.data["target"]) for event in shuffles] == [(0, 1), (1, 0)]
    assert {event.rule for event in shuffles} == {"G7"}


# ---------------------------------------------------------------------------------------- symmetry


SWAP = str.maketrans("hsdc", "dchs")


def mirrored(value: Any) -> Any:
    """A position or event seen in a mirror: the seats, and with them their suits, are exchanged."""
    if isinstance(value, str):
        words = value.split()
        cards = [len(word) == 2 and word[0] in RANKS for word in words]
        return " ".join(
            word.translate(SWAP) if is_card else word
            for word, is_card in zip(words, cards, strict=True)
        )
    if isinstance(value, dict):
        return {key: mirrored(item) for key, item in value.items()}
    if isinstance(value, list):
        return [mirrored(item) for item in value]
    return value


def mirror(position: dict[str, Any]) -> dict[str, Any]:
    position = mirrored(position)
    position["to_move"] = sorted(1 - seat for seat in position["to_move"])
    for entry in ("players", "pending", "result"):
        if position[entry]:
            position[entry].reverse()
    return comparable(position)


def comparable(position: dict[str, Any]) -> dict[str, Any]:
    """Without the log, and with the cards out of the game in no order."""
    position["out"].sort()
    del position["log"]
    return position


@pytest.mark.rule("G1")
def test_the_seats_are_alike() -> None:
    """A game and its mirror image go the same way, whoever chooses first."""
    for seed in range(20):
        rng = random.Random(seed)
        options = {
            "counter_compare": rng.choice(["strict_number", "ge", "number_then_colour"]),
            "counter_choice": rng.choice(["counter_player", "owner", "random"]),
            "double_knockout": rng.choice(["attacker_wins", "draw", "counter_player_wins"]),
        }
        game = load_game("gpt", **options)
        state = game.new_initial_state(seed)
        while state.phase == "deck":
            state.apply(rng.choice(state.legal_actions()))
        image = game.state_from_dict(mirror(state.to_dict()))
        while not state.is_terminal():
            assert mirror(state.to_dict()) == comparable(image.to_dict())
            player = rng.choice(state.to_move)
            action = rng.choice(state.legal_actions(player))
            state.apply(action, player)
            image.apply(mirrored(str(action)), 1 - player)
        assert image.is_terminal()
        assert image.returns() == state.returns()[::-1]
        assert image.scores() == state.scores()[::-1]
