"""What GPT refuses, in which words, and that nothing changes."""

import copy
import random
import re
from typing import Any

import pytest

from cardlab import (
    Action,
    Card,
    CardlabError,
    DeckError,
    IllegalActionError,
    NotationError,
    PositionError,
    RulesError,
    UnknownGameError,
    load_game,
)
from cardlab.cards import JOKER, UNKNOWN
from cardlab.games.gpt import clash, counters

DECKS = ("2b2bbbbb0b022", "2222222r00000")
LEGAL = "Ks Kh Qs Qh 9s 8s 7s 6s 5s 4s 4h 3s 2s As Ah"
OTHER = LEGAL.translate(str.maketrans("sh", "cd"))
OPTIONS = (
    "deck_size, deck_sum_max, n_shields, hand_size, shield_mode, "
    "counter_compare, counter_choice, double_knockout, decks"
)


def says(error: CardlabError, english: str, japanese: str) -> None:
    assert str(error) == error.text() == error.text("en") == english
    assert error.text("ja") == japanese


# ------------------------------------------------------------------------------------------- games


@pytest.mark.parametrize("name", ["poker", "", "GPT"])
def test_an_unknown_game(name: str) -> None:
    with pytest.raises(UnknownGameError) as caught:
        load_game(name)
    assert caught.value.text().startswith(f'There is no game "{name}"; there are: ')
    assert caught.value.text("ja").startswith(f"「{name}」というゲームはありません。あるのは：")
    assert "gpt" in caught.value.text()


@pytest.mark.parametrize("name", [None, 5, ["gpt"], {}])
def test_a_game_has_a_name_that_is_text(name: Any) -> None:
    with pytest.raises(UnknownGameError):
        load_game(name)


def test_an_unknown_option() -> None:
    with pytest.raises(RulesError) as caught:
        load_game("gpt", shields=5)
    says(
        caught.value,
        f'The game gpt has no option "shields"; it has: {OPTIONS}.',
        f"ゲーム gpt にオプション「shields」はありません。あるのは：{OPTIONS.replace(', ', '、')}",
    )


@pytest.mark.parametrize(
    ("options", "english", "japanese"),
    [
        (
            {"shield_mode": "open"},
            "The option shield_mode cannot be 'open'; it can be: 'random', 'chosen'.",
            "オプション shield_mode に 'open' は使えません。使えるのは：'random'、'chosen'",
        ),
        (
            {"counter_compare": None},
            (
                "The option counter_compare cannot be None; "
                "it can be: 'strict_number', 'ge', 'number_then_colour'."
            ),
            (
                "オプション counter_compare に None は使えません。"
                "使えるのは：'strict_number'、'ge'、'number_then_colour'"
            ),
        ),
        (
            {"deck_size": 27},
            "The option deck_size cannot be 27; it is a whole number from 1 to 26.",
            "オプション deck_size に 27 は使えません。1 から 26 までの整数です。",
        ),
        (
            {"n_shields": True},
            "The option n_shields cannot be True; it is a whole number from 1 to 25.",
            "オプション n_shields に True は使えません。1 から 25 までの整数です。",
        ),
        (
            {"hand_size": 3.0},
            "The option hand_size cannot be 3.0; it is a whole number from 1 to 25.",
            "オプション hand_size に 3.0 は使えません。1 から 25 までの整数です。",
        ),
        (
            {"deck_sum_max": "100"},
            "The option deck_sum_max cannot be '100'; it is a whole number from 1 to 182.",
            "オプション deck_sum_max に '100' は使えません。1 から 182 までの整数です。",
        ),
    ],
)
def test_an_unknown_value(options: dict[str, Any], english: str, japanese: str) -> None:
    with pytest.raises(RulesError) as caught:
        load_game("gpt", **options)
    says(caught.value, english, japanese)


# ------------------------------------------------------------------------------------------- decks


@pytest.mark.rule("G4")
@pytest.mark.parametrize(
    ("deck", "english", "japanese"),
    [
        (
            LEGAL.removesuffix(" Ah"),
            "This deck is not legal: it has 14 cards instead of 15 [G4]",
            "このデッキは使えません：15枚のところ14枚あります [G4]",
        ),
        (
            LEGAL.replace("2s", "3h"),
            "This deck is not legal: its sum is 101, 1 over the cap of 100 [G4]",
            "このデッキは使えません：合計が 101 で、上限 100 を 1 超えています [G4]",
        ),
        (
            LEGAL.replace("2s", "As"),
            "This deck is not legal: A♠ occurs twice [G4]",
            "このデッキは使えません：A♠ が重複しています [G4]",
        ),
        (
            LEGAL.replace("2s", "2c"),
            "This deck is not legal: 2♣ is not of your suits ♥ and ♠ [G3]",
            "このデッキは使えません：2♣ はあなたのスート（♥と♠）ではありません [G3]",
        ),
        (
            OTHER,
            (
                "This deck is not legal: "
                "A♦, A♣, 2♣, 3♣, 4♦, 4♣, 5♣, 6♣, 7♣, 8♣, 9♣, Q♦, Q♣, K♦, K♣ "
                "is not of your suits ♥ and ♠ [G3]"
            ),
            (
                "このデッキは使えません："
                "A♦、A♣、2♣、3♣、4♦、4♣、5♣、6♣、7♣、8♣、9♣、Q♦、Q♣、K♦、K♣ "
                "はあなたのスート（♥と♠）ではありません [G3]"
            ),
        ),
    ],
)
def test_an_illegal_deck(deck: str, english: str, japanese: str) -> None:
    for form in (deck, deck.split()):
        with pytest.raises(DeckError) as caught:
            load_game("gpt", decks=(form, OTHER))
        says(caught.value, english, japanese)


def test_an_illegal_deck_of_the_second_seat() -> None:
    with pytest.raises(DeckError, match="is not of your suits ♦ and ♣"):
        load_game("gpt", decks=(LEGAL, LEGAL))


@pytest.mark.parametrize(
    "decks", [5, "ab", [LEGAL], (LEGAL, OTHER, OTHER), {"a": LEGAL, "b": OTHER}, (LEGAL, None)]
)
def test_decks_come_in_pairs(decks: Any) -> None:
    with pytest.raises(RulesError) as caught:
        load_game("gpt", decks=decks)
    says(
        caught.value,
        "decks needs two decks, one for each seat: deck codes, lists of cards or Deck objects.",
        "decks には各席のデッキを一つずつ、二つ渡してください"
        "（デッキコード、カードのリスト、Deck のどれでも）。",
    )


def test_a_deck_that_cannot_be_read() -> None:
    with pytest.raises(NotationError) as caught:
        load_game("gpt", decks=("2b2bbbbb0b02", DECKS[1]))
    says(
        caught.value,
        '"2b2bbbbb0b02" is not a deck code; '
        "it has 13 characters from ace to king, each 0, r, b or 2.",
        "「2b2bbbbb0b02」はデッキコードではありません。"
        "A から K までの 13 文字で、それぞれ 0、r、b、2 のどれかです。",
    )
    with pytest.raises(NotationError) as caught:
        load_game("gpt", decks=(LEGAL.replace("2s", "2x"), OTHER))
    says(
        caught.value,
        '"2x" is not a card; cards are written K♠, Ks, 10h, Th or Jo.',
        "「2x」はカードとして読めません。K♠、Ks、10h、Th、Jo のように書きます。",
    )
    with pytest.raises(NotationError, match='"5" is not a card'):
        load_game("gpt", decks=([5], OTHER))


# ---------------------------------------------------------------------------------- pure decisions


@pytest.mark.rule("G2")
@pytest.mark.parametrize("cards", [("Jo", "Ks"), (Card.parse("Ks"), JOKER), (UNKNOWN, "Ks")])
@pytest.mark.parametrize("decide", [clash, counters])
def test_the_joker_takes_no_part(decide: Any, cards: Any) -> None:
    with pytest.raises(NotationError) as caught:
        decide(*cards)
    name = "?" if UNKNOWN in cards else "Jo"
    says(caught.value, f"{name} takes no part in GPT.", f"{name} は GPT では使いません。")


@pytest.mark.parametrize("compare", ["typo", "", None, 1, ["ge"]])
def test_a_comparison_that_does_not_exist(compare: Any) -> None:
    with pytest.raises(RulesError) as caught:
        counters("6d", "5s", compare)
    with pytest.raises(RulesError) as of_the_game:
        load_game("gpt", counter_compare=compare)
    assert caught.value.text() == of_the_game.value.text()


# ----------------------------------------------------------------------------------------- actions


def phases() -> dict[str, Any]:
    """A state in each phase."""
    building = load_game("gpt").new_initial_state(1)
    game = load_game("gpt", decks=DECKS, counter_compare="ge")
    choosing = load_game("gpt", decks=DECKS, shield_mode="chosen").new_initial_state(1)
    found = {"deck": building, "shields": choosing}
    seed = 0
    while len(found) < 6:
        state = game.new_initial_state(seed)
        seed += 1
        while True:
            found.setdefault(state.phase, state.clone())
            if state.is_terminal():
                break
            state.apply(state.legal_actions()[-1])
    return found


PHASES = phases()


@pytest.mark.parametrize(
    ("phase", "action", "english", "japanese"),
    [
        (
            "deck",
            "play Ks",
            '"play Ks" is not possible now: pick a card for your deck first. [G4]',
            "今「play Ks」はできません。まずデッキに入れるカードを選んでください。 [G4]",
        ),
        (
            "deck",
            "pick Kc",
            "K♣ is not of your suits ♥ and ♠ [G3]",
            "K♣ はあなたのスート（♥と♠）ではありません [G3]",
        ),
        (
            "shields",
            "pick Ks",
            '"pick Ks" is not possible now: put your shields down first. [G6]',
            "今「pick Ks」はできません。まずシールドを置いてください。 [G6]",
        ),
        (
            "shields",
            "shield Jh",
            (
                "J♥ is not in your deck or is a shield already; you may choose: "
                "A♠, A♥, 2♠, 3♠, 3♥, 4♠, 5♠, 6♠, 7♠, 8♠, 10♠, Q♠, Q♥, K♠, K♥. [G6]"
            ),
            (
                "J♥ はデッキにないか、すでにシールドです。選べるのは："
                "A♠、A♥、2♠、3♠、3♥、4♠、5♠、6♠、7♠、8♠、10♠、Q♠、Q♥、K♠、K♥ [G6]"
            ),
        ),
        (
            "play",
            "strike 1",
            '"strike 1" is not possible now: both play a card from the hand. [G9]',
            "今「strike 1」はできません。手札からカードを1枚出してください。 [G9]",
        ),
        (
            "strike",
            "counter 1",
            '"counter 1" is not possible now: the winner of the clash destroys a shield. [G13]',
            "今「counter 1」はできません。勝った側が破壊するシールドを選びます。 [G13]",
        ),
        (
            "counter",
            "strike 1",
            '"strike 1" is not possible now: a shield has to be named for the counter. [G14]',
            "今「strike 1」はできません。反撃で除外するシールドを選びます。 [G14]",
        ),
        (
            "end",
            "play Ks",
            "The game is over; nobody may act any more.",
            "ゲームは終わっています。もう行動できません。",
        ),
    ],
)
def test_an_illegal_action(phase: str, action: str, english: str, japanese: str) -> None:
    state = PHASES[phase].clone()
    for form in (action, state.game.parse_action(action)):
        with pytest.raises(IllegalActionError) as caught:
            state.apply(form)
        says(caught.value, english, japanese)
        assert state.to_dict() == PHASES[phase].to_dict()


def test_a_card_that_is_not_in_the_hand() -> None:
    state = PHASES["play"].clone()
    hand = state.players[0].hand
    with pytest.raises(IllegalActionError) as caught:
        state.apply("play Jh")
    says(
        caught.value,
        f"J♥ is not in your hand; you hold: {', '.join(map(str, hand))}. [G9]",
        f"J♥ は手札にありません。手札：{'、'.join(map(str, hand))} [G9]",
    )


def test_a_card_is_picked_once() -> None:
    state = PHASES["deck"].clone()
    state.apply("pick Ks", 0)
    state.apply("pick Kc", 1)
    with pytest.raises(IllegalActionError) as caught:
        state.apply("pick Ks", 0)
    says(
        caught.value,
        "K♠ is in your deck already. [G4]",
        "K♠ はすでにデッキに入っています。 [G4]",
    )


def test_a_pick_after_which_no_legal_deck_is_possible() -> None:
    state = load_game("gpt", deck_sum_max=64).new_initial_state(1)
    with pytest.raises(IllegalActionError) as caught:
        state.apply("pick 9s", 0)
    says(
        caught.value,
        "With 9♠ no deck under the cap of 64 is possible: 14 more cards are needed, "
        "so this card may be 8 at the most. [G4]",
        "9♠ を選ぶと上限 64 以内のデッキが作れません。あと 14 枚必要なので、"
        "選べる数字は 8 までです。 [G4]",
    )


def test_a_shield_that_has_fallen() -> None:
    state = PHASES["strike"].clone()
    struck = state.players[1 - state.to_move[0]]
    struck.shields[1] = None
    for slot, number in (
        (1, "2"),
        (True, "True"),
        (-1, "0"),
        (5, "6"),
        ("1", "'1'"),
        (None, "None"),
    ):
        with pytest.raises(IllegalActionError) as caught:
            state.apply(Action("strike", slot))
        says(
            caught.value,
            f"There is no shield {number} any more; there are: 1, 3, 4, 5. [G13]",
            f"シールド{number}はもうありません。残っているのは：1、3、4、5 [G13]",
        )


@pytest.mark.parametrize("action", ["", "Ks", "pass", "5"])
def test_a_malformed_action(action: str) -> None:
    state = PHASES["play"].clone()
    with pytest.raises(NotationError) as caught:
        state.apply(action)
    says(
        caught.value,
        f'"{action}" is not an action of this game; '
        "actions begin with: counter, pick, play, shield, strike.",
        f"「{action}」はこのゲームの行動として読めません。"
        "行動の最初の語は：counter、pick、play、shield、strike",
    )
    assert state == PHASES["play"]


@pytest.mark.parametrize(
    ("actions", "allowed"),
    [
        (
            ["play", "play 1x", "play Ks Qs", "Play 5"],
            ["play As", "play Ah", "play Ad", "…", "play Kc"],
        ),
        (
            ["strike", "strike 5", "strike one", "strike 0 1"],
            ["strike 0", "strike 1", "strike 2", "strike 3", "strike 4"],
        ),
    ],
)
def test_an_action_about_something_that_is_not_there(
    actions: list[str], allowed: list[str]
) -> None:
    state = PHASES["play"].clone()
    for action in actions:
        with pytest.raises(NotationError) as caught:
            state.apply(action)
        says(
            caught.value,
            f'"{action}" is not an action of this game; '
            f"of this kind there are: {', '.join(allowed)}.",
            f"「{action}」はこのゲームの行動として読めません。"
            f"この語で始まる行動は：{'、'.join(allowed)}",
        )
        assert state == PHASES["play"]


@pytest.mark.parametrize("action", [None, 5, b"play Ks", ["play", "Ks"], ("play", "Ks"), {}])
def test_what_is_no_action_at_all(action: Any) -> None:
    state = PHASES["play"].clone()
    with pytest.raises(NotationError, match="is not an action of this game"):
        state.apply(action)
    assert state == PHASES["play"]


@pytest.mark.parametrize("arg", [None, "Ks", 3, JOKER, UNKNOWN, [Card.parse("Ks")], (UNKNOWN,)])
@pytest.mark.parametrize("kind", ["pick", "shield", "play", "strike", "counter", "end", ""])
def test_odd_arguments_of_actions(kind: str, arg: Any) -> None:
    for phase, state in PHASES.items():
        if (kind, arg) in (("strike", 3), ("counter", 3)):
            continue
        with pytest.raises(IllegalActionError) as caught:
            state.apply(Action(kind, arg))
        assert caught.value.text("ja")
        assert state.phase == phase


@pytest.mark.parametrize("notation", ["PLAY ks", "play K♠", " play  Ks ", "Play kS"])
def test_notation_is_read_leniently(notation: str) -> None:
    assert load_game("gpt").parse_action(notation) == Action("play", Card.parse("Ks"))


@pytest.mark.parametrize("seat", [-1, 2, True, 0.0, "0", [], {}])
def test_a_seat_that_does_not_exist(seat: Any) -> None:
    state = PHASES["play"].clone()
    for use in (
        lambda: state.apply(state.legal_actions(0)[0], seat),
        lambda: state.legal_actions(seat),
        lambda: state.observation(seat),
    ):
        with pytest.raises(RulesError) as caught:
            use()
        says(
            caught.value,
            f"There is no seat {seat!r}; with 2 players the seats count from 0 up.",
            f"席 {seat!r} はありません。2 人なら席は 0 から数えます。",
        )
    assert state == PHASES["play"]


def test_the_seat_that_is_not_to_move() -> None:
    state = PHASES["play"].clone()
    state.apply(state.legal_actions(1)[0], 1)
    with pytest.raises(IllegalActionError) as caught:
        state.apply("play Kc", 1)
    says(
        caught.value,
        "It is not the turn of player 2; to move: 1.",
        "プレイヤー2の番ではありません。今の番：1",
    )
    assert state.legal_actions(1) == []


@pytest.mark.parametrize("seed", [True, 1.0, "1", [], b"1"])
def test_a_seed_that_is_no_whole_number(seed: Any) -> None:
    with pytest.raises(RulesError) as caught:
        load_game("gpt").new_initial_state(seed)
    says(
        caught.value,
        f"A seed is a whole number or nothing, not {seed!r}.",
        f"シードは整数（または指定なし）です。{seed!r} は使えません。",
    )


@pytest.mark.parametrize("seed", [0, -1, -(2**70), 2**200])
def test_every_whole_number_is_a_seed(seed: int) -> None:
    game = load_game("gpt", decks=DECKS)
    state = game.new_initial_state(seed)
    assert state == game.new_initial_state(seed)
    assert state != game.new_initial_state(seed + 1)
    assert game.state_from_dict(state.to_dict()) == state


# --------------------------------------------------------------------------------------- positions


GAME = load_game("gpt", decks=DECKS)
POSITION = GAME.new_initial_state(1).to_dict()
HANDS = [seat["hand"] for seat in POSITION["players"]]


def changed(**changes: Any) -> dict[str, Any]:
    """The position with entries replaced; ``hand_0`` is the hand of the first seat."""
    position = copy.deepcopy(POSITION)
    for name, value in changes.items():
        zone, _, seat = name.rpartition("_")
        if seat.isdigit():
            position["players"][int(seat)][zone] = value
        else:
            position[name] = value
    return position


def name(card: str) -> str:
    return str(Card.parse(card))


@pytest.mark.parametrize(
    ("changes", "english", "japanese"),
    [
        (
            {"hand_0": HANDS[0][1:]},
            f"These cards are nowhere: {name(HANDS[0][0])}.",
            f"どこにもないカードがあります：{name(HANDS[0][0])}",
        ),
        (
            {"hand_1": [HANDS[1][1], *HANDS[1][1:]]},
            f"{name(HANDS[1][1])} occurs more than once.",
            f"{name(HANDS[1][1])} が二か所以上にあります。",
        ),
        (
            {"out": [HANDS[0][2]]},
            f"{name(HANDS[0][2])} occurs more than once.",
            f"{name(HANDS[0][2])} が二か所以上にあります。",
        ),
        (
            {"hand_0": HANDS[1], "hand_1": HANDS[0]},
            f"Player 1 has {name(HANDS[1][0])}, which is not of the suits ♥ and ♠.",
            f"プレイヤー1の {name(HANDS[1][0])} は ♥ と ♠ のカードではありません。",
        ),
        (
            {"out": ["Jo"]},
            "Player 1 has Jo, which is not of the suits ♥ and ♠.",
            "プレイヤー1の Jo は ♥ と ♠ のカードではありません。",
        ),
        (
            {"hand_0": [*HANDS[0], None], "hand_1": [*HANDS[1], None]},
            "Player 1 has an empty place (null) in the zone hand; only shields may have one.",
            (
                "プレイヤー1の置き場 hand に空き（null）があります。"
                "空きがあってよいのはシールドだけです。"
            ),
        ),
        (
            {"shields_1": POSITION["players"][1]["shields"][:4]},
            f"These cards are nowhere: {name(POSITION['players'][1]['shields'][4])}.",
            f"どこにもないカードがあります：{name(POSITION['players'][1]['shields'][4])}",
        ),
        (
            {"shields_1": [*POSITION["players"][1]["shields"], None]},
            "Player 2 has 6 places for shields instead of 5 (an empty place is null).",
            "プレイヤー2のシールドの場所が 5 ではなく 6 あります（空いた場所は null）。",
        ),
        (
            {"hand_0": HANDS[0][1:], "out": [HANDS[0][0]]},
            "Both players must have equally many cards in the zone hand.",
            "置き場 hand の枚数は両者同じでなければなりません。",
        ),
        (
            {
                "set_aside_0": POSITION["players"][0]["set_aside"] + [HANDS[0][0]],
                "hand_0": HANDS[0][1:],
            },
            (
                "The deck of player 1 is wrong: This deck is not legal: "
                "it has 14 cards instead of 15 [G4]"
            ),
            (
                "プレイヤー1のデッキが正しくありません：このデッキは使えません："
                "15枚のところ14枚あります [G4]"
            ),
        ),
        (
            {"hand_0": ["1s", *HANDS[0][1:]]},
            (
                'The position cannot be read: "1s" is not a card; '
                "cards are written K♠, Ks, 10h, Th or Jo."
            ),
            (
                "局面が読めません：「1s」はカードとして読めません。"
                "K♠、Ks、10h、Th、Jo のように書きます。"
            ),
        ),
        (
            {"grave_0": []},
            (
                'The position cannot be read: There is no zone "grave"; '
                "there are: deck, hand, played, set_aside, shields, stock."
            ),
            (
                "局面が読めません：「grave」という置き場はありません。"
                "あるのは：deck、hand、played、set_aside、shields、stock"
            ),
        ),
        (
            {"phase": "draw"},
            (
                'The position cannot be read: There is no phase "draw"; '
                "there are: play, deck, shields, strike, counter, end."
            ),
            (
                "局面が読めません：「draw」というフェイズはありません。"
                "あるのは：play、deck、shields、strike、counter、end"
            ),
        ),
        (
            {"phase": "strike"},
            "The cards do not fit the phase strike.",
            "カードの置き方がフェイズ strike に合いません。",
        ),
        (
            {"phase": "shields"},
            "Player 1 has too many shields for this phase.",
            "プレイヤー1のシールドがこのフェイズには多すぎます。",
        ),
        (
            {"phase": "end"},
            "The result does not fit the phase end.",
            "結果がフェイズ end に合いません。",
        ),
        (
            {"result": [1.0, -1.0]},
            "The result does not fit the phase play.",
            "結果がフェイズ play に合いません。",
        ),
        (
            {"to_move": [0]},
            "The position says that the seats [0] are to move, but it is the turn of [0, 1].",
            "局面では席 [0] の番とありますが、実際は [0, 1] の番です。",
        ),
        (
            {"to_move": 5},
            "The position says that the seats 5 are to move, but it is the turn of [0, 1].",
            "局面では席 5 の番とありますが、実際は [0, 1] の番です。",
        ),
        (
            {"pending": ["play Jh", None]},
            "The pending choice play Jh is not possible.",
            "保留中の選択 play Jh はあり得ません。",
        ),
        (
            {"turn": "1"},
            "The position cannot be read: '1' should be a whole number.",
            "局面が読めません：'1' は整数でなければなりません。",
        ),
        *(
            (
                {entry: value},
                f"The position cannot be read: {value} should be {least} or more.",
                f"局面が読めません：{value} は {least} 以上でなければなりません。",
            )
            for entry, value, least in (("turn", 0, 1), ("turn", -7, 1), ("shuffles", -1, 0))
        ),
        (
            {"turn": 11},
            (
                "The position cannot be read: "
                "There is no turn 11: a game under these rules has at most 10."
            ),
            "局面が読めません：ターン 11 はありません。このルールのゲームは最長で 10 ターンです。",
        ),
        (
            {"hands": []},
            (
                'A position has no entry "hands"; it may have: game, rules, phase, turn, to_move, '
                "players, table, out, pending, result, seed, shuffles, log."
            ),
            (
                "局面に「hands」という項目はありません。使えるのは：game、rules、phase、turn、"
                "to_move、players、table、out、pending、result、seed、shuffles、log"
            ),
        ),
        (
            {"players": 5},
            'The position cannot be read: The entry "players" should be a list, not 5.',
            "局面が読めません：「players」はリストでなければなりません。5 は使えません。",
        ),
        (
            {"players": [5, 5]},
            (
                "The position cannot be read: "
                'The entry "players" should have a dictionary of zones, not 5.'
            ),
            "局面が読めません：「players」には置き場の辞書が要ります。5 は使えません。",
        ),
        *(
            (
                {entry: value},
                f'The position cannot be read: The entry "{zone}" should be a list, not {value!r}.',
                (
                    f"局面が読めません：「{zone}」はリストでなければなりません。"
                    f"{value!r} は使えません。"
                ),
            )
            for entry, zone, value in (
                ("hand_0", "hand", 5),
                ("hand_0", "hand", None),
                ("hand_0", "hand", "Ks"),
                ("out", "out", {"Ks": 1}),
                ("pending", "pending", "play Ks"),
                ("result", "result", 1.0),
                ("log", "log", {}),
            )
        ),
        (
            {"result": ["1", "-1"]},
            "The position cannot be read: '1' should be a number.",
            "局面が読めません：'1' は数でなければなりません。",
        ),
        (
            {"game": "chat"},
            "The position has the game chat, which is not this game's.",
            "局面の game は chat で、このゲームのものと違います。",
        ),
        (
            {"players": POSITION["players"][:1]},
            "The position cannot be read: A position of this game has 2 players.",
            "局面が読めません：このゲームの局面には 2 人のプレイヤーが必要です。",
        ),
    ],
)
def test_a_position_that_cannot_be(changes: dict[str, Any], english: str, japanese: str) -> None:
    position = changed(**changes)
    before = copy.deepcopy(position)
    with pytest.raises(PositionError) as caught:
        GAME.state_from_dict(position)
    says(caught.value, english, japanese)
    assert position == before


def test_the_end_has_the_result_that_the_cards_dictate() -> None:
    """Of a game that is over, whichever way, no other result is believed; nor before the end."""
    endings = set()
    for seed in range(60):
        knockout = ("attacker_wins", "draw", "counter_player_wins")[seed % 3]
        small = {"deck_size": 6, "deck_sum_max": 30, "n_shields": 1 + seed % 4, "hand_size": 1}
        game = load_game("gpt", double_knockout=knockout, **small)
        state, rng = game.new_initial_state(seed), random.Random(seed)
        while state.to_move:
            state.apply(rng.choice(state.legal_actions()))
            position = state.to_dict()
            assert game.state_from_dict(position).result == state.result
            for result in ([1.0, -1.0], [0.0, 0.0], [-1.0, 1.0], [0.0, 1.0], None):
                if result != position["result"]:
                    with pytest.raises(PositionError, match="The result does not fit the phase"):
                        game.state_from_dict(position | {"result": result})
                if state.phase in ("play", "strike"):
                    over = {"result": result, "phase": "end", "to_move": []}
                    with pytest.raises(PositionError, match="The result does not fit the phase"):
                        game.state_from_dict(position | over | {"pending": [None, None]})
        endings.add(state.log[-1].kind)
    assert len(endings) == 6


def test_a_position_of_other_options() -> None:
    with pytest.raises(PositionError, match="which is not this game's"):
        load_game("gpt", deck_sum_max=101).state_from_dict(POSITION)


def test_a_position_lacks_players() -> None:
    position = copy.deepcopy(POSITION)
    del position["players"]
    with pytest.raises(PositionError) as caught:
        GAME.state_from_dict(position)
    says(
        caught.value,
        'The position lacks the entry "players".',
        "局面に「players」がありません。",
    )


def test_a_log_with_what_is_no_event() -> None:
    entry = POSITION["log"][0]
    for odd in (
        {"kind": 5},
        {"kind": "gpt.no_such_thing"},
        {"kind": "nowhere.start"},
        {"kind": "gpt.start", "seen_by": 0},  # no sentence for those who may not see it
        {"kind": "gpt.tie", "player": 0},  # which cards?
        {"kind": "gpt.shields_down", "data": {"n": "five"}},
        {"rule": None},
        {"player": 2},
        {"seen_by": True},
        {"data": []},
    ):
        with pytest.raises(PositionError) as caught:
            GAME.state_from_dict(changed(log=[entry | odd]))
        inner = caught.value.params["error"]
        assert inner.text().startswith("The log has an entry that is no event: {")
        assert inner.text("ja").startswith("ログに出来事として読めない項目があります：{")


@pytest.mark.parametrize("position", [None, 5, [], "play", [POSITION]])
def test_what_is_no_position_at_all(position: Any) -> None:
    with pytest.raises(PositionError) as caught:
        GAME.state_from_dict(position)
    says(
        caught.value,
        "A position is a dictionary such as state.to_dict() returns.",
        "局面は state.to_dict() が返すような辞書です。",
    )


ODD = [
    None,
    5,
    1.5,
    True,
    "x",
    "",
    b"x",
    [],
    [None],
    [5],
    [[]],
    {},
    {"a": 1},
    {"hand": 5},
    -1,
    [["Ks"]],
]


@pytest.mark.parametrize("odd", ODD, ids=repr)
def test_odd_values_anywhere_never_crash(odd: Any) -> None:
    """Each entry of a position, replaced by nonsense: one clear error, or a state that works."""
    places = [(key,) for key in POSITION]
    places += [("players", seat, zone) for seat in (0, 1) for zone in POSITION["players"][0]]
    places += [
        ("players", 0),
        ("players", 1, "hand", 0),
        ("pending", 1),
        ("to_move", 0),
        ("log", 0),
    ]
    places += [("log", 0, key) for key in POSITION["log"][0]] + [("result",), ("table",)]
    errors = []
    for *path, last in places:
        position = copy.deepcopy(POSITION)
        spot = position
        for step in path:
            spot = spot[step]
        spot[last] = copy.deepcopy(odd)
        try:
            state = GAME.state_from_dict(position)
        except PositionError as error:
            errors.append(error)
        else:
            for seat in (0, 1):
                seen = state.observation(seat)
                assert seen.to_json()
                assert all(event.text(lang) for event in seen.log for lang in ("en", "ja"))
                assert state.legal_actions(seat)
            state.apply(state.legal_actions()[0])
    assert len(errors) > 15
    assert all(error.text(lang) for error in errors for lang in ("en", "ja"))
    python = r"object|attribute|iterable|subscript|convert|hashable|argument|NoneType|'(int|str)'"
    assert not [str(error) for error in errors if re.search(python, str(error))]


def test_an_observation_is_no_position() -> None:
    seen = GAME.new_initial_state(1).observation(0).to_dict()
    with pytest.raises(PositionError, match='no entry "player"'):
        GAME.state_from_dict(seen)
    del seen["player"]
    with pytest.raises(PositionError, match=r'"\?" is not a card'):
        GAME.state_from_dict(seen | {"pending": None})
