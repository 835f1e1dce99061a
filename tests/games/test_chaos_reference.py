"""Chaos against a second resolver, which was written differently, over whole games."""

import itertools
import random
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from cardlab import Event, State, load_game
from cardlab.games.chaos import Chaos
from cardlab.games.chaos_cards import CHAOS, KINDS, ORDER, SPECTRUM
from tests.games.chaos_referee import Referee, Told

ROOT = Path(__file__).parents[2]
SECRET_CHOICES = {"give", "play", "choose_drop"}
SET_UP = {"start", "piles", "deal", "redeal"}


def plain(value: Any) -> Any:
    """Cards as their values."""
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    return getattr(value, "rank", value)


def told(events: tuple[Event, ...]) -> list[Told]:
    """The events after the deal, without choices that nobody sees yet."""
    found = []
    for event in events:
        kind = event.kind.removeprefix("chaos.")
        if kind not in SECRET_CHOICES | SET_UP:
            data = {name: plain(value) for name, value in event.data.items()}
            found.append(Told(kind, event.player, data, event.seen_by))
    return found


@cache
def as_option(kind: str, arg: Any) -> Any:
    """An action as the referee names it."""
    if kind in ("search", "exchange", "lay"):
        return (kind, plain(arg))
    return kind if arg is None else plain(arg)


def play_on(state: State, rng: random.Random) -> list[tuple[int, str, set[Any], Any]]:
    """Play the engine's game to its end; the decisions in the order of the rulebook."""
    tape = []
    while state.to_move:
        together = {}
        for seat in rng.sample(state.to_move, len(state.to_move)):
            phase, legal = state.phase, state.legal_actions(seat)
            action = rng.choice(legal)
            options = {as_option(each.kind, each.arg) for each in legal}
            events = state.apply(action, seat)
            kind = "drop" if phase == "drop_all" else phase
            together[seat] = (seat, kind, options, as_option(action.kind, action.arg))
        tape += [together[seat] for seat in sorted(together)]
        tape += [
            (None, "blind", set(), plain(event.data["card"]))
            for event in events
            if event.kind == "chaos.lose"
        ]
    return tape


def compare(game: Chaos, seed: int) -> list[Told]:
    """Play a random game twice and compare everything; returns what happened."""
    rng = random.Random(seed)
    state = game.new_initial_state(seed)
    deals = [event for event in state.log if event.kind == "chaos.deal"][-game.num_players :]
    spring = plain(state.table.spring)
    tape = play_on(state, rng)
    decisions = iter(tape)

    def ask(seat: int | None, kind: str, options: Any) -> Any:
        expected = next(decisions)
        assert expected[:2] == (seat, kind)
        if seat is not None:
            assert expected[2] == set(options)
        assert expected[3] in options
        return expected[3]

    referee = Referee(
        game.rules.to_dict(),
        [plain(event.data["cards"]) for event in deals],
        spring,
        state.first,
        ask,
        game.n_orders,
        game.n_numbers,
    )
    referee.run()
    log = list(state.log)
    start = max(place for place, event in enumerate(log) if event.kind == "chaos.piles")
    assert told(tuple(log[start:])) == referee.story
    assert next(decisions, None) is None
    assert state.scores() == referee.points
    assert [plain(seat.hand) for seat in state.players] == [sorted(h) for h in referee.hands]
    assert [plain(seat.sets[::3]) for seat in state.players] == referee.sets
    assert plain(state.table.pool) == sorted(referee.pool)
    assert plain(state.out[::4]) == referee.gone
    best = max(referee.points)
    winners = [points == best for points in referee.points]
    share = len(winners) / sum(winners) - 1
    expected = [(share if won else -1) / (len(winners) - 1) for won in winners]
    assert state.returns() == pytest.approx(expected)
    return referee.story


READINGS: dict[str, list[Any]] = {
    "setup_abandon": ["redeal", "end"],
    "drain_mode": ["one_each", "until_empty"],
    "min_actions": [0, 1, 3],
    "order_search_free": [True, False],
    "exchange_pick": ["own_choice", "blind_draw"],
    "rotation_min": [0, 1],
    "triple_order": ["sequential", "simultaneous"],
    "lay_timing": ["own_turn", "turn_start"],
    "order_end": ["automatic", "optional"],
    "order_bonus": ["replace", "add"],
    "max_turns": [None, None, 3],
}
CATALOGUE = ROOT / "cardlab" / "locale" / "en" / "LC_MESSAGES" / "chaos.po"
EVENTS = {*re.findall(r'^msgid "chaos\.([a-z_]+)"$', CATALOGUE.read_text("utf-8"), re.MULTILINE)}
EVENTS -= SECRET_CHOICES | SET_UP | {"name", "title", "round", "total"}


def test_every_reading_and_number_of_players() -> None:
    """Random combinations of all options, with the whole deck and with small ones."""
    happened: set[str] = set()
    rng = random.Random(1)
    for number in range(1500):
        options = {name: rng.choice(values) for name, values in READINGS.items()}
        numbers = rng.choice([13, 13, 5, 3, 2])
        deck = (CHAOS,) * 2 + tuple(c for c in SPECTRUM[:numbers] for _ in range(4)) + (ORDER,) * 4
        n_players = rng.randint(2, 6)
        if len(deck) > 7 * n_players:
            small = type("SmallChaos", (Chaos,), {"deck": deck})
            game = small.with_options(n_players=n_players, **options)
            happened |= {each.kind for each in compare(game, number)}
    assert happened == EVENTS


@pytest.mark.parametrize("n_players", range(2, 7))
def test_the_game_as_it_is_played(n_players: int) -> None:
    game = load_game("chaos", n_players=n_players)
    for seed in range(10):
        story = compare(game, seed)
        assert story[0].kind in ("turn", "power")


def test_every_pair_of_readings_meets() -> None:
    """No combination of two readings goes wrong, which random ones might miss."""
    games = {
        load_game("chaos", n_players=3, **dict(zip((one, other), values, strict=True)))
        for (one, first), (other, second) in itertools.combinations(READINGS.items(), 2)
        for values in itertools.product(first, second)
    }
    assert len(games) == 1 + 12 + 65  # with none, one, or two of the readings changed
    for game in games:
        compare(game, 7)


def test_the_referee_knows_the_same_cards() -> None:
    assert [card.rank for card in KINDS] == list(range(15))
