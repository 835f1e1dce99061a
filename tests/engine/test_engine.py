"""What holds for states, actions, cards, events and errors of every game."""

import copy
import dataclasses
import pickle
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from scipy.stats import chi2

from cardlab import (
    Action,
    Card,
    CardlabError,
    DeckError,
    Event,
    IllegalActionError,
    NotationError,
    PositionError,
    RecordError,
    RulesError,
    State,
    UnknownGameError,
    chance,
    list_games,
    load_game,
    locale,
)
from cardlab.cards import JOKER, PACK, UNKNOWN
from cardlab.games.gpt import check_deck

COPIES: list[Callable[[Any], Any]] = [
    copy.copy,
    copy.deepcopy,
    *(
        lambda thing, protocol=protocol: pickle.loads(pickle.dumps(thing, protocol))
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1)
    ),
]


def states() -> list[State]:
    """A state of each phase, with and without a secret choice."""
    game = load_game("gpt", shield_mode="chosen", counter_compare="ge")
    found: dict[Any, State] = {}
    for seed in range(10):
        rng = random.Random(seed)
        state = game.new_initial_state(seed)
        while True:
            found.setdefault((state.phase, any(state.pending)), state.clone())
            if not state.to_move:
                break
            player = rng.choice(state.to_move)
            state.apply(rng.choice(state.legal_actions(player)), player)
    assert len(found) == 9
    return [*found.values()]


@pytest.mark.parametrize("make_copy", COPIES)
def test_states_are_copied_whole_and_independent(make_copy: Callable[[Any], Any]) -> None:
    for state in states():
        before = state.to_dict()
        twin = make_copy(state)
        assert twin == state
        assert hash(twin) == hash(state)
        assert twin.to_dict() == before
        assert [twin.observation(seat) for seat in (0, 1)] == [
            state.observation(seat) for seat in (0, 1)
        ]
        second = state.clone()
        while twin.to_move:
            action = twin.legal_actions()[-1]
            assert twin.apply(action) == second.apply(action)
        assert twin == second
        assert state.to_dict() == before


@pytest.mark.parametrize("make_copy", COPIES)
def test_there_is_one_object_for_each_card(make_copy: Callable[[Any], Any]) -> None:
    for card in (*PACK, JOKER, UNKNOWN):
        assert make_copy(card) is card
        assert make_copy([card])[0] is card


@pytest.mark.parametrize("make_copy", COPIES)
def test_actions_events_observations_and_games_are_copied(make_copy: Callable[[Any], Any]) -> None:
    game = load_game("gpt", deck_sum_max=101, decks=("2b2bbbbb0b022",) * 2)
    assert make_copy(game) == game
    assert make_copy(game).options() == game.options()
    for action in game.actions[::25]:
        assert make_copy(action) == action
        assert hash(make_copy(action)) == hash(action)
        assert make_copy(game).action_code(make_copy(action)) == game.action_code(action)
    for state in states():
        for event in state.log[::3]:
            assert make_copy(event) == event
            assert isinstance(make_copy(event), Event)
        seen = state.observation(1)
        assert make_copy(seen) == seen
        assert make_copy(seen).to_json() == seen.to_json()


def every_error() -> list[CardlabError]:
    game = load_game("gpt", decks=("2b2bbbbb0b022", "2b2bbbbb0b022"))
    state = game.new_initial_state(1)
    errors = []
    for use in (
        lambda: load_game("poker"),
        lambda: load_game("gpt", cap=5),
        lambda: load_game("gpt", shield_mode="x"),
        lambda: game.parse_action("fly"),
        lambda: check_deck("Ks Ks Kc", seat=0),
        lambda: state.apply("play Jh"),
        lambda: state.apply("strike 1"),
        lambda: game.state_from_dict({"players": []}),
        lambda: locale.text("core.list", "fr"),
    ):
        with pytest.raises(CardlabError) as caught:
            use()
        errors.append(caught.value)
    errors.append(RecordError("record.error.line", path="x", line=2, error=errors[0]))
    assert {type(error) for error in errors} == {
        DeckError,
        IllegalActionError,
        NotationError,
        PositionError,
        RecordError,
        RulesError,
        UnknownGameError,
    }
    return errors


@pytest.mark.parametrize("make_copy", COPIES)
def test_errors_keep_their_words_when_they_travel(make_copy: Callable[[Any], Any]) -> None:
    """As they do from one process to another."""
    for error in every_error():
        twin = make_copy(error)
        assert type(twin) is type(error)
        assert (twin.key, twin.rule) == (error.key, error.rule)
        assert [twin.text(lang) for lang in locale.LANGUAGES] == [
            error.text(lang) for lang in locale.LANGUAGES
        ]
        assert str(twin) == str(error)
        assert isinstance(error, ValueError)


# ------------------------------------------------------------------------------ games and options


def test_options_are_frozen_and_checked_again() -> None:
    rules = load_game("gpt").rules
    with pytest.raises(dataclasses.FrozenInstanceError):
        rules.deck_size = 20
    with pytest.raises(RulesError):
        dataclasses.replace(rules, deck_size=99)
    assert dataclasses.replace(rules, deck_size=12) == load_game("gpt", deck_size=12).rules


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"deck_sum_max": 90},
        {"shield_mode": "chosen", "counter_compare": "ge"},
        {"decks": ("2b2bbbbb0b022", "2222000b00222")},
    ],
)
def test_a_game_is_known_by_its_options(options: dict[str, Any]) -> None:
    game = load_game("gpt", **options)
    assert game == load_game("gpt", **options) == load_game("gpt", **game.options())
    assert hash(game) == hash(load_game("gpt", **options))
    assert eval(repr(game), {"load_game": load_game}) == game  # noqa: S307
    assert (game == load_game("gpt")) == (not options)
    assert game != "gpt"
    assert game.new_initial_state(1) != load_game("gpt", hand_size=2).new_initial_state(1)


def test_what_is_handed_out_is_not_the_state() -> None:
    for state in states():
        before = state.to_dict()
        position, seen = state.to_dict(), state.observation(0).to_dict()
        for given in (position, seen):
            for zones in given["players"]:
                for content in zones.values():
                    content.clear()
            given["out"].clear()
            given["log"].clear()
        state.legal_actions().clear()
        state.returns().clear()
        state.scores().clear()
        assert state.to_dict() == before


@pytest.mark.parametrize("make_copy", [lambda state: state, *COPIES])
def test_no_event_is_looked_at_twice(make_copy: Callable[[Any], Any]) -> None:
    """So the cost of a long game grows with its length; and of copies the same."""
    state = make_copy(load_game("chaos", n_players=3, target_points=2).new_initial_state(3))
    rng = random.Random(3)
    before: list[tuple[Event, ...]] = [()] * 3
    while state.to_move:
        for seat, old in enumerate(before):
            before[seat] = new = state.observation(seat).log
            assert all(a is b for a, b in zip(old, new[: len(old)], strict=True))
            assert new[len(old) :] == tuple(e.seen_from(seat) for e in state.log[len(old) :])
        state.apply(rng.choice(state.legal_actions()))
    twin = state.clone()
    assert [twin.observation(seat).log for seat in range(3)] == [
        tuple(event.seen_from(seat) for event in state.log) for seat in range(3)
    ]


@pytest.mark.parametrize("make_copy", [lambda event: event, *COPIES])
def test_who_looks_cannot_change_what_is_shown(make_copy: Callable[[Any], Any]) -> None:
    state = load_game("chaos", n_players=3).new_initial_state(1)
    for event in map(make_copy, state.observation(0).log):
        data, before = event.data, dict(event.data)
        for change in (
            lambda data: data.__setitem__("n", 1),
            lambda data: data.__delitem__("n"),
            lambda data: data.update(n=1),
            lambda data: data.setdefault("n", 1),
            lambda data: data.pop("n", None),
            lambda data: data.popitem(),
            lambda data: data.clear(),
            lambda data: data.__ior__({"n": 1}),
        ):
            with pytest.raises(TypeError, match="cannot be changed"):
                change(data)
        assert data == before


def test_a_position_that_was_given_is_not_the_state() -> None:
    for state in states():
        position = state.to_dict()
        twin = state.game.state_from_dict(position)
        for zones in position["players"]:
            for content in zones.values():
                content.clear()
        position["log"].clear()
        assert twin.to_dict() == state.to_dict()


@pytest.mark.parametrize("value", [2, 2.0, True, ["2"], {}])
@pytest.mark.parametrize("name", list_games())
def test_a_card_is_text(name: str, value: Any) -> None:
    """Also one that is nothing but a number."""
    game = load_game(name)
    position = game.new_initial_state(1).to_dict()
    hand = {"hand": [value]}
    for wrong in ({"players": [hand] * game.num_players}, {**position, "out": [value]}):
        with pytest.raises(PositionError, match="is not text: a card is written in quotation"):
            game.state_from_dict(wrong)


def test_names_of_seats_in_the_log() -> None:
    event = Event("gpt.win", "G15", 0, {"target": 1})
    assert event.text() == "Player 1 won: all shields of Player 2 have fallen."
    assert event.text("ja", ("太郎", "花子")) == (
        "太郎の勝ち：花子のシールドがすべてなくなりました。"
    )


@pytest.mark.parametrize("lang", ["fr", "", None, "EN"])
def test_a_language_that_does_not_exist(lang: Any) -> None:
    with pytest.raises(RulesError) as caught:
        Event("gpt.start", "G1").text(lang)
    assert caught.value.text() == f'There is no language "{lang}"; there are: ja, en.'
    assert caught.value.text("ja") == f"「{lang}」という言語はありません。使えるのは：ja、en"


def test_actions_are_values() -> None:
    ks = Card.parse("Ks")
    assert Action("play", ks) == Action("play", ks) != Action("pick", ks)
    assert len({Action("play", ks), Action("play", ks), Action("strike", 1)}) == 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        Action("play", ks).kind = "pick"
    assert [str(Action("block", cards)) for cards in ((), (ks, JOKER))] == ["block", "block Ks Jo"]


# ------------------------------------------------------------------------------------------ chance


def test_every_order_is_equally_likely() -> None:
    orders: Counter[tuple[int, ...]] = Counter()
    n = 24 * 200
    for seed in range(n // 2):
        for counter in (0, 1):
            items = [0, 1, 2, 3]
            chance.shuffle(items, seed, counter)
            orders[tuple(items)] += 1
    assert len(orders) == 24
    assert sum((count - 200) ** 2 / 200 for count in orders.values()) < chi2.isf(1e-5, 23)


def test_every_card_reaches_every_place() -> None:
    places = Counter()
    for seed in range(4000):
        items = list(range(52))
        chance.shuffle(items, seed, 0)
        places.update((items[place], place) for place in (0, 25, 51))
    expected = 4000 / 52
    statistic = sum((places[card, 0] - expected) ** 2 / expected for card in range(52))
    assert statistic < chi2.isf(1e-5, 51)
    assert len({card for card, place in places if place == 51}) == 52


def test_streams_do_not_meet() -> None:
    """Seeds and counters that read alike side by side give other numbers."""
    drawn = [
        chance.draw(seed, counter)
        for seed in (-1, 0, 1, 11, 111, 2**63)
        for counter in (0, 1, 11, 111)
    ]
    assert len({*drawn}) == len(drawn)
    assert all(0 <= number < 2**512 for number in drawn)


def test_the_streams_are_the_same_everywhere() -> None:
    assert chance.draw(7, 0) % 10**12 == 195_612_434_991
    items = list(PACK)
    chance.shuffle(items, 7, 0)
    assert "".join(card.ascii for card in items[:6]) == "5dAh2hTh9s4d"
    assert len({chance.new_seed() for _ in range(100)}) == 100
