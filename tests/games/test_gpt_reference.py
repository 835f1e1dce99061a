"""GPT against a second resolver: one plain function over lists, written from the rulebook alone."""

import itertools
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from cardlab import State, load_game
from cardlab.games.gpt_deck import lightest

Ask = Callable[[str, int | None, set[Any]], Any]
Story = list[tuple[str, int | None]]

ORDER = [rank + suit for rank in "A23456789TJQK" for suit in ("hd", "sc")]


def strength(card: str) -> int:
    """Place in the order of all cards: by number, then red before black (G10 to G12)."""
    return next(place for place, pair in enumerate(ORDER) if card[0] == pair[0] and card[1] in pair)


def referee(
    shields: list[list[str]],
    hands: list[list[str]],
    stocks: list[list[str]],
    compare: str,
    namer: str,
    knockout: str,
    ask: Ask,
) -> tuple[Story, list[float], list[list[str | None]], list[str], int]:
    """A whole game from the first turn (G9 to G18).

    ``ask(kind, seat, options)`` decides. Returns what happened, the result, the shields that are
    left, the cards out of the game in order, and the number of the last turn.
    """
    story: Story = []
    spent: list[str] = []
    for turn in itertools.count(1):
        played = [ask("play", seat, set(hands[seat])) for seat in (0, 1)]
        hands = [[card for card in hands[seat] if card != played[seat]] for seat in (0, 1)]
        first, second = map(strength, played)
        if first == second:
            story.append(("tie", None))
        else:
            winner, loser = (0, 1) if first > second else (1, 0)
            story.append(("clash" if first // 2 != second // 2 else "clash_colour", winner))

            slots = {slot for slot, card in enumerate(shields[loser]) if card}
            slot = ask("strike", winner, slots)
            shield, shields[loser][slot] = shields[loser][slot], ""
            spent.append(shield)
            story.append(("strike", winner))

            number, top = strength(shield) // 2, strength(played[winner]) // 2
            countered = {
                "strict_number": number > top,
                "ge": number >= top,
                "number_then_colour": strength(shield) > strength(played[winner]),
            }[compare]
            story.append(("counter" if countered else "no_counter", loser))
            if countered:
                slots = {slot for slot, card in enumerate(shields[winner]) if card}
                who = {"counter_player": loser, "owner": winner, "random": None}[namer]
                slot = ask("counter", who, slots)
                spent.append(shields[winner][slot])
                shields[winner][slot] = ""
                story.append(("remove", loser if who is None else who))

            attacked, attacking = "".join(shields[loser]), "".join(shields[winner])
            if not attacked and not attacking:
                story.append((f"knockout_{knockout}", None))
                champion = {"attacker_wins": winner, "draw": None, "counter_player_wins": loser}
                return story, result(champion[knockout]), ends(shields), spent, turn
            if not attacked or not attacking:
                champion_ = loser if attacked else winner
                story.append(("win", champion_))
                return story, result(champion_), ends(shields), spent, turn
        spent += played
        if stocks[0] or stocks[1]:
            for seat in (0, 1):
                hands[seat].append(stocks[seat].pop())
                story.append(("draw", seat))
        elif hands[0] or hands[1]:
            story.append(("no_draw", None))
        else:
            left = [sum(map(bool, row)) for row in shields]
            leader = None if left[0] == left[1] else left.index(max(left))
            story.append(("count_draw" if leader is None else "count_win", leader))
            return story, result(leader), ends(shields), spent, turn
    raise AssertionError


def result(champion: int | None) -> list[float]:
    return [0.0, 0.0] if champion is None else [1.0, -1.0][:: 1 - 2 * champion]


def ends(shields: list[list[str]]) -> list[list[str | None]]:
    return [[card or None for card in row] for row in shields]


def random_game(
    state: State, rng: random.Random
) -> Iterator[tuple[str, int | None, set[Any], Any]]:
    """Play the engine's game to its end; yield each decision in the order of the rulebook."""
    while state.to_move:
        choices = {}
        for seat in rng.sample(state.to_move, len(state.to_move)):
            legal = state.legal_actions(seat)
            action = rng.choice(legal)
            options = {getattr(each.arg, "ascii", each.arg) for each in legal}
            choices[seat] = (action.kind, seat, options, getattr(action.arg, "ascii", action.arg))
            events = state.apply(action, seat)
        yield from (choices[seat] for seat in sorted(choices))
        if state.game.rules.counter_choice == "random":
            for event in events:
                if event.kind == "gpt.remove":
                    slots = {slot for slot, card in enumerate(shields_before(state, event)) if card}
                    yield "counter", None, slots, event.data["slot"]


def shields_before(state: State, event: Any) -> list[Any]:
    """The shields as they were before the counter took one of them."""
    shields = list(state.players[event.data["target"]].shields)
    shields[event.data["slot"]] = event.data["card"]
    return shields


def compare(state: State, rng: random.Random) -> Story:
    """Play on from the first turn, twice, and compare everything; return what happened."""
    start = state.to_dict()
    rules = state.game.rules
    before = len(state.log)
    tape = list(random_game(state, rng))
    events = [event for event in state.log[before:] if event.kind != "gpt.play"]
    decisions = iter(tape)

    def ask(kind: str, seat: int | None, options: set[Any]) -> Any:
        asked = next(decisions)
        assert asked[:3] == (kind, seat, options)
        return asked[3]

    zones = [
        [list(seat[zone]) for seat in start["players"]] for zone in ("shields", "hand", "stock")
    ]
    story, returns, shields, spent, turn = referee(
        *zones, rules.counter_compare, rules.counter_choice, rules.double_knockout, ask
    )
    end = state.to_dict()
    told = [(event.kind.removeprefix("gpt."), event.player) for event in events]
    assert [kind for kind, _ in told] == [kind for kind, _ in story]
    assert [seat for kind, seat in told if "knockout" not in kind] == [
        seat for kind, seat in story if "knockout" not in kind
    ]
    assert next(decisions, None) is None
    assert state.returns() == returns
    assert [seat["shields"] for seat in end["players"]] == shields
    assert end["out"] == spent
    assert state.turn == turn
    assert state.scores() == [sum(map(bool, row)) for row in shields]
    return story


READINGS = {
    "counter_compare": ["strict_number", "ge", "number_then_colour"],
    "counter_choice": ["counter_player", "owner", "random"],
    "double_knockout": ["attacker_wins", "draw", "counter_player_wins"],
}


@pytest.mark.parametrize("shield_mode", ["random", "chosen"])
def test_the_game_as_it_is_played(shield_mode: str) -> None:
    """All 27 combinations of readings, full decks built card by card."""
    kinds = set()
    values_of = READINGS["double_knockout"]
    for number, values in enumerate(itertools.product(*READINGS.values())):
        game = load_game("gpt", shield_mode=shield_mode, **dict(zip(READINGS, values, strict=True)))
        for seed in range(50):
            rng = random.Random(f"{number} {seed}")
            state = game.new_initial_state(seed)
            while state.phase in ("deck", "shields"):
                seat = rng.choice(state.to_move)
                state.apply(rng.choice(state.legal_actions(seat)), seat)
            kinds |= {kind for kind, _ in compare(state, rng)}
    assert kinds >= {"tie", "clash", "clash_colour", "strike", "no_counter", "counter", "remove"}
    assert kinds >= {"draw", "no_draw", "win", *(f"knockout_{reading}" for reading in values_of)}


def test_games_of_every_size() -> None:
    """Random parameters: from one shield and one card in hand to the whole pack in the deck."""
    endings = set()
    for number in range(1500):
        rng = random.Random(number)
        n_shields, hand_size = rng.randint(1, 7), rng.randint(1, 5)
        deck_size = rng.randint(n_shields + hand_size, 26)
        options: dict[str, Any] = {name: rng.choice(values) for name, values in READINGS.items()}
        game = load_game(
            "gpt",
            n_shields=n_shields,
            hand_size=hand_size,
            deck_size=deck_size,
            deck_sum_max=rng.randint(lightest(deck_size), 182),
            **options,
        )
        state = game.new_initial_state(number)
        while state.phase == "deck":
            state.apply(rng.choice(state.legal_actions()))
        story = compare(state, rng)
        assert state.turn <= deck_size - n_shields
        endings.add(story[-1][0])
    assert endings == {
        "win",
        "count_win",
        "count_draw",
        "knockout_attacker_wins",
        "knockout_draw",
        "knockout_counter_player_wins",
    }
