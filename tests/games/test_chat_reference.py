"""CHAT against a second referee, over thousands of random games, and the numbers of random play.

The referee is one long procedure, written from the rulebook: it deals with text, asks for decisions
by ``yield`` and knows nothing of states and phases. It says who has to decide and what is allowed,
and in the end who has won and where each card lies.
"""

import random
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Sequence
from functools import cache
from itertools import combinations, product
from typing import Any

import pytest

from cardlab import Action, State, load_game
from cardlab.cards import ascii

Asked = dict[int, set[str]]
Referee = Generator[Asked, dict[int, str], None]

BEATS = {("h", "c"), ("c", "d"), ("d", "h")}
SUIT_ORDER = "shdc"


def value(card: str | None) -> int:
    return 0 if card in (None, "Jo") else "A23456789TJQK".index(card[0]) + 1  # type: ignore[index]


def number(card: str) -> str:
    return "" if card == "Jo" else card[0]


def line(cards: Sequence[str]) -> str:
    return " ".join(sorted(cards, key=lambda card: SUIT_ORDER.index(card[1])))


class Table:
    """What lies where, and how it ended."""

    def __init__(self, position: dict[str, Any]) -> None:
        self.hands = [list(seat["hand"]) for seat in position["players"]]
        self.stocks = [list(seat["stock"]) for seat in position["players"]]
        self.shields = [list(seat["shields"]) for seat in position["players"]]
        self.gone = Counter(position["out"])
        self.turns = 0
        self.result: tuple[int, int] | None = None

    def shields_left(self, seat: int) -> int:
        return sum(card is not None for card in self.shields[seat])

    def win(self, seat: int | None) -> None:
        self.result = (0, 0) if seat is None else (1, -1) if seat == 0 else (-1, 1)


def referee(table: Table, attacker: int, rules: dict[str, Any]) -> Referee:
    """One game from the first turn on."""
    while True:
        table.turns += 1
        if rules["only_joker_hand"] == "lose" and ["Jo"] in table.hands:
            table.win(1 - table.hands.index(["Jo"]))
            return
        used: list[str] = []
        yield from turn(table, attacker, rules, used)
        if table.result:
            return
        table.gone.update(used)
        empty = [seat for seat in (0, 1) if not table.stocks[seat]]
        if len(empty) == 2:
            ahead = table.shields_left(0) - table.shields_left(1)
            draw = ahead == 0 or rules["stockout_both"] == "draw"
            table.win(None if draw else 0 if ahead > 0 else 1)
            return
        if empty:
            table.win(1 - empty[0])
            return
        chosen = yield {seat: refills(table, seat, rules) for seat in (0, 1)}
        for seat in (0, 1):
            for _ in range(int(chosen[seat].split()[1])):
                table.hands[seat].append(table.stocks[seat].pop())
        for seat in (0, 1):
            if not table.shields_left(seat):
                table.win(1 - seat)
                return
        attacker = 1 - attacker


def refills(table: Table, seat: int, rules: dict[str, Any]) -> set[str]:
    wanted = range(rules["refill_min"], rules["refill_max"] + 1)
    room = len(table.stocks[seat])
    if rules["hand_limit"] is not None:
        room = min(room, max(0, rules["hand_limit"] - len(table.hands[seat])))
    return {f"refill {min(n, room)}" for n in wanted}


def turn(table: Table, attacker: int, rules: dict[str, Any], used: list[str]) -> Referee:
    """Steps 1 to 8; the cards that were laid are ``used``, but for those in line at the end."""
    hands = table.hands
    open_cards = Counter(dict.fromkeys(table.gone, 1))

    def show(seat: int, card: str) -> None:
        hands[seat].remove(card)
        used.append(card)
        open_cards[card] = 1

    def open_of(rank: str) -> int:
        return sum(number(card) == rank for card in open_cards)

    # Step 1.
    asked: Asked = {}
    for seat in (0, 1):
        asked[seat] = {f"base {card}" for card in hands[seat] if card != "Jo"}
        if not asked[seat]:
            asked[seat] = {"base none" if rules["only_joker_hand"] == "no_base" else "base Jo"}
    chosen = yield asked
    bases: list[str | None] = [None, None]
    for seat in (0, 1):
        card = chosen[seat].split()[1]
        if card != "none":
            bases[seat] = card
            show(seat, card)

    # Steps 2 and 3.
    chosen = yield {
        seat: {"extra none"} | {f"extra {card}" for card in hands[seat]} for seat in (0, 1)
    }
    extras: list[list[str]] = [[], []]
    for seat in (0, 1):
        card = chosen[seat].split()[1]
        if card != "none":
            extras[seat] = [card]
            show(seat, card)

    # Steps 4 and 5 with a joker.
    blocker = None
    if ["Jo"] in extras:
        player = extras.index(["Jo"])
        other = 1 - player
        own = extras[other] + [bases[other]] * rules["block_may_use_base"]
        own = [card for card in own if card]
        winner = player
        if any(
            sum(number(card) == rank for card in own) + min(4 - open_of(rank), len(hands[other]))
            >= 3
            for rank in "A23456789TJQK"
        ):
            blocks = {
                line(three)
                for three in combinations([*own, *hands[other]], 3)
                if len({number(card) for card in three}) == 1 and "Jo" not in three
            }
            answer = yield {
                other: {"declare let"} | ({"declare block"} if blocks else set()),
            }
            if answer[other] == "declare block":
                shown = yield {other: {f"block {three}" for three in blocks}}
                for card in shown[other].split()[1:]:
                    if card in hands[other]:
                        show(other, card)
                blocker = other
        if blocker is not None:
            if rules["joker_block_result"] == "nothing":
                return
            winner = other
        if blocker is None or rules["joker_block_result"] == "blocker_succeeds":
            yield from destroy(table, winner, 2 if winner == attacker else 1, rules)
            return
        extras[player] = []

    # Steps 4 and 6 without one.
    eligible = [
        seat
        for seat in (0, 1)
        if extras[seat] and hands[seat] and open_of(number(extras[seat][0])) < 4
    ]
    if rules["declare_order"] == "attacker_first" and len(eligible) == 2:
        groups = [[attacker], [1 - attacker]]
    else:
        groups = [eligible] if eligible else []
    adding: dict[int, set[str]] = {}
    for group in groups:
        asked = {}
        for seat in group:
            more = mates(hands[seat], extras[seat])
            asked[seat] = {"declare enough"} | ({"declare more"} if more else set())
        answers = yield asked
        for seat in group:
            if answers[seat] == "declare more":
                adding[seat] = {
                    f"further {line(some)}"
                    for n in (1, 2, 3)
                    for some in combinations(mates(hands[seat], extras[seat]), n)
                }
    if adding:
        answers = yield adding
        for seat, answer in answers.items():
            for card in answer.split()[1:]:
                show(seat, card)
                extras[seat].append(card)

    # Steps 7 and 8.
    attack, defence = yield from battle(bases, extras, attacker, rules)
    if attack > defence:
        yield from destroy(table, attacker, 1, rules)


def mates(hand: list[str], extra: list[str]) -> list[str]:
    return [card for card in hand if number(card) == number(extra[0])]


def battle(
    bases: Sequence[str | None], extras: list[list[str]], attacker: int, rules: dict[str, Any]
) -> Generator[Asked, dict[int, str], tuple[int, int]]:
    """Attack and defence."""
    suits = [{card[1]: card for card in extras[seat]} for seat in (0, 1)]
    lined = [{suit for suit in suits[seat] if suit in suits[1 - seat]} for seat in (0, 1)]
    rest = [{*suits[seat]} - lined[seat] for seat in (0, 1)]
    idle: list[set[str]] = [set(), set()]
    for owner in (0, 1):
        if "s" in rest[owner]:
            other = 1 - owner
            targets = {*suits[other]} if rules["spade_target"] == "any" else {*rest[other]}
            allowed = {f"cancel {suits[other][suit]}" for suit in targets}
            if allowed and rules["spade_optional"]:
                allowed.add("cancel none")
            word = next(iter(allowed), "cancel none")
            if len(allowed) > 1:
                word = (yield {owner: allowed})[owner]
            rest[owner].discard("s")
            if word == "cancel none":
                idle[owner].add("s")
            else:
                gone = word.split()[1][1]
                rest[other].discard(gone)
                lined[other].discard(gone)
            break
    if rest[0] and rest[1]:
        fights = [(a, b) for a, b in product(rest[0], rest[1])]
        if len(rest[0]) == len(rest[1]) == 1:
            survivors = [
                {a for a, b in fights if (a, b) in BEATS},
                {b for a, b in fights if (b, a) in BEATS},
            ]
        elif len(rest[0]) > len(rest[1]):
            survivors = [{a for a, b in fights if (a, b) in BEATS}, set()]
        else:
            survivors = [set(), {b for a, b in fights if (b, a) in BEATS}]
        assert len(survivors[0] | survivors[1]) == 1
        rest = survivors
    totals = [
        value(bases[seat])
        + sum(value(suits[seat][suit]) for suit in lined[seat] | rest[seat] | idle[seat])
        for seat in (0, 1)
    ]
    return totals[attacker], totals[1 - attacker]


def destroy(table: Table, seat: int, times: int, rules: dict[str, Any]) -> Referee:
    shields = table.shields[1 - seat]
    for _ in range(times):
        slots = {f"strike {slot}" for slot, card in enumerate(shields) if card is not None}
        if not slots:
            break
        slot = int((yield {seat: slots})[seat].split()[1])
        if rules["destroyed_to"] == "hand":
            table.hands[1 - seat].append(shields[slot])
        else:
            table.gone[shields[slot]] += 1
        shields[slot] = None
    if not table.shields_left(1 - seat) and rules["win_check"] == "immediate":
        table.win(seat)


# ------------------------------------------------------------------------------------- comparison


word: Callable[[Action], str] = cache(str)
"""An action in notation."""


def compare(state: State, rng: random.Random, eagerness: float) -> None:
    """Play a game by chance and let the referee watch every step."""
    state.apply(rng.choice(state.legal_actions()))
    table = Table(state.to_dict())
    watching = referee(table, state.attacker, state.game.rules.to_dict())  # type: ignore[attr-defined]
    asked: Asked | None = next(watching)
    while state.to_move:
        assert asked is not None
        assert {*state.to_move} == {*asked}, state
        chosen = {}
        for seat in rng.sample(state.to_move, len(state.to_move)):
            legal = {word(action): action for action in state.legal_actions(seat)}
            assert legal.keys() == asked[seat], (state, seat)
            words = sorted(legal)
            rare = [w for w in words if w in ("extra Jo", "declare more", "declare block")]
            pick = rng.choice(rare if rare and rng.random() < eagerness else words)
            state.apply(legal[pick], seat)
            chosen[seat] = pick
        try:
            asked = watching.send(chosen)
        except StopIteration:
            asked = None
    assert asked is None
    assert state.returns() == list(table.result or ())
    assert state.turn == table.turns
    assert state.scores() == [table.shields_left(0), table.shields_left(1)]
    for seat, zones in enumerate(state.players):
        assert ascii(zones.hand) == table.hands[seat]
        assert ascii(zones.stock) == table.stocks[seat]
        assert ascii(zones.shields) == table.shields[seat]
    if state.phase == "end" and not any(seat.base for seat in state.players):
        assert Counter(card.ascii for card in state.out) == table.gone


READINGS: dict[str, Sequence[Any]] = {
    "joker_block_result": ("blocker_succeeds", "nothing", "battle"),
    "spade_target": ("leftover", "any"),
    "spade_optional": (False, True),
    "block_may_use_base": (False, True),
    "only_joker_hand": ("no_base", "joker_base_zero", "lose"),
    "refill_min": (1, 1, 2, 3),
    "refill_max": (1, 3, 3, 5),
    "hand_limit": (None, None, 2, 5),
    "stockout_both": ("draw", "more_shields"),
    "win_check": ("immediate", "step11"),
    "declare_order": ("simultaneous", "attacker_first"),
    "destroyed_to": ("out", "hand"),
}


def some_options(rng: random.Random, count: int) -> Iterator[dict[str, Any]]:
    """Combinations in which each reading occurs about equally often."""
    columns = {name: [*values] * -(-count // len(values)) for name, values in READINGS.items()}
    for column in columns.values():
        rng.shuffle(column)
    for row in range(count):
        options = {name: column[row] for name, column in columns.items()}
        options["refill_max"] = max(options["refill_min"], options["refill_max"])
        yield options


@pytest.mark.rule("C16")
def test_default_games() -> None:
    game, rng = load_game("chat"), random.Random(1)
    for seed in range(1200):
        compare(game.new_initial_state(seed), rng, eagerness=0.5)


@pytest.mark.rule("C16")
def test_games_with_one_card_a_turn() -> None:
    game, rng = load_game("chat", refill_max=1), random.Random(2)
    for seed in range(300):
        compare(game.new_initial_state(seed), rng, eagerness=0.2)


@pytest.mark.rule("C13")
def test_games_under_all_readings() -> None:
    rng = random.Random(3)
    for seed, options in enumerate(some_options(rng, 240)):
        game = load_game("chat", **options)
        for part in range(6):
            compare(game.new_initial_state(10_000 * part + seed), rng, eagerness=0.6)


# ------------------------------------------------------------------------------ numbers of chance


def random_play(games: int, **options: Any) -> tuple[Counter[str], list[int]]:
    """How random games end, in per cent, and how long they are."""
    game, rng = load_game("chat", joker_block_result="nothing", **options), random.Random(1)
    endings: Counter[str] = Counter()
    turns = []
    for seed in range(games):
        state = game.new_initial_state(seed)
        while state.to_move:
            state.apply(rng.choice(state.legal_actions()))
        endings[state.log[-1].kind] += 1
        turns.append(state.turn)
    return Counter({kind: round(100 * n / games) for kind, n in endings.items()}), turns


@pytest.mark.rule("C20")
def test_random_play_with_one_card_a_turn() -> None:
    endings, turns = random_play(2000, refill_max=1)
    assert abs(endings["chat.win"] - 73.5) < 4
    assert abs(endings["chat.stock_out_draw"] - 26.5) < 4
    assert endings.keys() == {"chat.win", "chat.stock_out_draw"}
    assert abs(sum(turns) / len(turns) - 14.2) < 0.25
    assert max(turns) == 17


@pytest.mark.rule("C20")
def test_random_play_with_any_refill() -> None:
    endings, _ = random_play(2000)
    # Few shields fall in time; how few depends on how a random player is thought of.
    assert 3 < endings["chat.win"] < 11
    assert abs(endings["chat.stock_out"] - 71.9) < 5
    assert abs(endings["chat.stock_out_draw"] - 22.2) < 5


@pytest.mark.rule("C20")
def test_random_play_with_three_cards_a_turn() -> None:
    endings, turns = random_play(800, refill_min=3)
    assert endings["chat.stock_out_draw"] >= 97
    assert set(turns) <= {3, 4, 5, 6, 7}
    assert turns.count(7) > 790
