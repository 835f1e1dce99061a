"""CHAT passes the suite for all games, and every one of its rules shows up in the log."""

import csv
import random
from collections import Counter
from collections.abc import Iterator
from itertools import combinations, count
from pathlib import Path
from typing import Any

import pytest

from cardlab import Event, Game, Observation, State, load_game
from cardlab.engine import END
from cardlab.errors import PositionError
from cardlab.games.chat import CHAT, CHATState
from cardlab.locale import LANGUAGES
from cardlab.testing import GameSuite, Step

ROOT = Path(__file__).parents[2]
with (ROOT / "data" / "rules.csv").open(encoding="utf-8", newline="") as file:
    RULES = {row["rule"] for row in csv.DictReader(file) if row["game"] == "chat"}

Position = dict[str, Any]


# ------------------------------------------------- dealing anew, from the rulebook and nothing else

SECRET = {
    "chat.deal",
    "chat.base",
    "chat.extra",
    "chat.declare",
    "chat.further",
    "chat.refill",
    "chat.drawn",
}


def rank(card: str) -> str:
    return "" if card == "Jo" else card[0]


def is_possible(position: Position, seat: int) -> bool:
    """Whether a seat can hold its hand, after what it has declared."""
    zones, phase = position["players"][seat], position["phase"]
    word, rules = position["declared"][seat], position["rules"]
    if phase == "base" and rules["only_joker_hand"] == "lose":
        return bool(zones["hand"] != ["Jo"])
    if word == "more" and phase in ("declare", "further"):
        return any(rank(card) == rank(zones["extra"][0]) for card in zones["hand"])
    if word == "block" and phase == "block":
        usable = zones["hand"] + zones["extra"]
        usable += zones["base"] if rules["block_may_use_base"] else []
        return max(Counter(map(rank, usable)).values()) >= 3
    return True


def choices(position: Position, seat: int) -> Iterator[str]:
    """What a seat could secretly choose with its hand."""
    zones, phase, rules = position["players"][seat], position["phase"], position["rules"]
    hand = zones["hand"]
    if phase == "base":
        lone = "base none" if rules["only_joker_hand"] == "no_base" else "base Jo"
        yield from [f"base {card}" for card in hand if card != "Jo"] or [lone]
    elif phase == "extra":
        yield from ("extra none", *(f"extra {card}" for card in hand))
    elif phase == "refill":
        room = (rules["hand_limit"] or 99) - len(hand)
        most = max(0, min(rules["refill_max"], len(zones["stock"]), room))
        yield from (f"refill {n}" for n in range(min(rules["refill_min"], most), most + 1))
    else:
        mates = [card for card in hand if rank(card) == rank(zones["extra"][0])]
        if phase == "declare":
            yield from ("declare enough", *["declare more"][: len(mates)])
        else:
            for n in range(1, len(mates) + 1):
                yield from (f"further {' '.join(some)}" for some in combinations(mates, n))


def deal_anew(position: Position, seat: int, rng: random.Random) -> Position:
    """A position that differs in all that ``seat`` cannot know (rules, "What you may see").

    It knows its hand and what lies open. Stocks, shields, the card that is left over and the other
    hand are dealt anew, and where the other has secretly chosen, it chooses anew. Cards that were
    known to be in the other hand stay there. The other's part of the log changes with them.
    """
    other = 1 - seat
    public = {None, *position["known"]}
    hidden = [card for pile in hidden_piles(position, seat) for card in pile if card not in public]
    for _ in range(100_000):
        swap = dict(zip(hidden, rng.sample(hidden, len(hidden)), strict=True))
        new = position | {
            "players": [copied(zones) for zones in position["players"]],
            "table": copied(position["table"]),
            "pending": [*position["pending"]],
        }
        for pile in hidden_piles(new, seat):
            pile[:] = swapped(pile, swap)
        if is_possible(new, other):
            break
    else:
        raise AssertionError("no other deal was found")
    if new["pending"][other]:
        new["pending"][other] = rng.choice([*choices(new, other)])
    new["log"] = [
        event | {"data": {name: swapped(value, swap) for name, value in event["data"].items()}}
        if event["kind"] in SECRET and event["player"] == other
        else event
        for event in position["log"]
    ]
    new["seed"] = rng.getrandbits(63)
    return new


def hidden_piles(position: Position, seat: int) -> list[list[str | None]]:
    """The piles that ``seat`` cannot look through."""
    piles = [zones[zone] for zones in position["players"] for zone in ("stock", "shields")]
    return [*piles, position["players"][1 - seat]["hand"], position["table"]["left_over"]]


def copied(zones: Position) -> Position:
    return {zone: [*cards] for zone, cards in zones.items()}


def swapped(value: Any, swap: dict[str, str]) -> Any:
    if isinstance(value, list):
        return [swap.get(card, card) for card in value]
    return swap.get(value, value)


class Suite(GameSuite):
    """CHAT under some options, dealt anew by a reader of the rulebook.

    One or two games are enough, as in them everything comes that can come, and comes early.

    Attributes
    ----------
    reached
        Phases, and kinds of events, that the games have to come to.
    """

    rule_numbers = RULES
    seeds = (259,)
    game_class: type[CHAT] = CHAT
    options: dict[str, Any] = {}  # noqa: RUF012
    reached: frozenset[str] = frozenset({*CHAT.phases, END})

    def make_game(self) -> Game:
        return self.game_class.with_options(**self.options)

    def steps(self) -> Iterator[Step]:
        for seed in self.seeds:
            yield from eager(self.make_game(), seed)

    def redeal(self, state: State, player: int, rng: random.Random) -> State:
        return state.game.state_from_dict(deal_anew(state.to_dict(), player, rng))

    def test_everything_is_reached(self) -> None:
        steps = [*self.steps()]
        met = {step.state.phase for step in steps} | {e.kind for step in steps for e in step.events}
        assert met >= self.reached


def eager(game: Game, seed: int) -> Iterator[Step]:
    """A game in which jokers, blocks and further cards come whenever they can."""
    rng = random.Random(seed)
    state = game.new_initial_state(seed)
    for number in count():
        before = state.clone()
        if not state.to_move:
            yield Step(seed, number, before, None, None, ())
            return
        player = rng.choice(state.to_move)
        actions = state.legal_actions(player)
        rare = [a for a in actions if str(a) in ("extra Jo", "declare more", "declare block")]
        action = rng.choice(rare or actions)
        yield Step(seed, number, before, player, action, state.apply(action, player))


class TestDefault(Suite):
    pass


class TestReadings(Suite):
    seeds = (440,)
    options = {  # noqa: RUF012
        "joker_block_result": "battle",
        "spade_target": "any",
        "spade_optional": True,
        "block_may_use_base": True,
        "only_joker_hand": "joker_base_zero",
        "hand_limit": 4,
        "stockout_both": "more_shields",
        "win_check": "step11",
        "declare_order": "attacker_first",
        "destroyed_to": "hand",
    }


class TestOneCardATurn(Suite):
    """Small hands: no base, and joker and shields that everybody knows to be in a hand."""

    seeds = (1947,)
    options = {"refill_max": 1, "destroyed_to": "hand"}  # noqa: RUF012
    reached = frozenset({"further", "respond", "chat.no_base", "chat.strike_to_hand"})


class TestLoneJokerLoses(Suite):
    seeds = (769, 4974)
    options = {  # noqa: RUF012
        "refill_max": 1,
        "only_joker_hand": "lose",
        "joker_block_result": "nothing",
        "declare_order": "attacker_first",
    }
    reached = frozenset({"further", "block", "chat.only_joker", "chat.block_nothing"})


# ---------------------------------------------------------------------------------- rare positions


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"declare_order": "attacker_first", "block_may_use_base": True},
        {"joker_block_result": "battle", "refill_max": 1, "destroyed_to": "hand"},
        {"only_joker_hand": "lose", "refill_max": 1},
    ],
)
def test_nothing_leaks_where_hands_are_half_known(options: dict[str, Any]) -> None:
    game = load_game("chat", **options)
    rng = random.Random(1)
    met: set[str] = set()
    for seed in range(40):
        for state in (step.state for step in eager(game, seed)):
            # Cards stay known for long: of such positions fewer are enough.
            if state.phase in ("declare", "further", "block", "respond"):
                skipped = 0.8
            else:
                skipped = 0.95 if state.known else 1.0  # type: ignore[attr-defined]
            if rng.random() < skipped and (state.phase in met or skipped == 1.0):
                continue
            met.add(state.phase)
            for player in (0, 1):
                other = game.state_from_dict(deal_anew(state.to_dict(), player, rng))
                assert other.observation(player) == state.observation(player)
                assert other.legal_actions(player) == state.legal_actions(player)
                assert other.to_move == state.to_move
    assert met >= {"declare", "further", "respond"}


class AsksOnlyWhoHasMore(CHATState):
    """A seat without further cards is passed over, which tells the other that it has none."""

    def _asked_for_more(self) -> tuple[int, ...]:
        ranks = [[card.rank for card in seat.hand] for seat in self.players]
        return tuple(
            player
            for player in super()._asked_for_more()
            if self.players[player].extra[0].rank in ranks[player]
        )


class AsksOnlyWhoCanBlock(CHATState):
    def _might_block(self, player: int) -> bool:
        return super()._might_block(player) and bool(self._triples(self.players[player]))

    def _owed(self) -> tuple[int, ...]:
        return super()._owed() if self.phase != "respond" or self._can() else ()

    def _can(self) -> bool:
        joker = self._joker_seat()
        return joker is not None and bool(self._triples(self.players[1 - joker]))


class ShowsOtherHand(CHATState):
    def _sees(self, viewer: int, owner: int | None, zone: str) -> bool:
        return zone == "hand" or super()._sees(viewer, owner, zone)


class ShowsOwnShields(CHATState):
    def _sees(self, viewer: int, owner: int | None, zone: str) -> bool:
        return (zone == "shields" and viewer == owner) or super()._sees(viewer, owner, zone)


class ShowsTheLeftOver(CHATState):
    def _sees(self, viewer: int, owner: int | None, zone: str) -> bool:
        return zone == "left_over" or super()._sees(viewer, owner, zone)


class TellsDrawsToAll(CHATState):
    def _draw(self, chosen: Any, events: list[Event]) -> None:
        super()._draw(chosen, events)
        events[:] = [
            event._replace(seen_by=None) if event.kind == "chat.drawn" else event
            for event in events
        ]


class ShowsPending(CHATState):
    def observation(self, player: int) -> Observation:
        seen = super().observation(player)
        object.__setattr__(seen, "public", {**seen.public, "hint": str(self.pending[1 - player])})
        return seen


@pytest.mark.parametrize(
    "leak",
    [
        AsksOnlyWhoHasMore,
        AsksOnlyWhoCanBlock,
        ShowsOtherHand,
        ShowsOwnShields,
        ShowsTheLeftOver,
        TellsDrawsToAll,
        ShowsPending,
    ],
)
def test_a_leak_is_found(leak: type[CHATState]) -> None:
    game_class = type("Leaking", (CHAT,), {"state_class": leak})
    suite = type("LeakingSuite", (Suite,), {"game_class": game_class})
    # Who is asked is part of a position: asked too few, the position does not fit its cards.
    with pytest.raises((AssertionError, PositionError)):
        suite().test_nothing_leaks()


# ------------------------------------------------------------------------------------------- rules


JOKER_LEFT_OVER = 151
"""A seed whose first deal leaves the joker over."""


def every_event() -> Iterator[Event]:
    for number, options in enumerate(
        (
            {},
            {"joker_block_result": "battle", "spade_optional": True, "block_may_use_base": True},
            {"joker_block_result": "nothing", "refill_max": 1},
            {"only_joker_hand": "lose", "refill_max": 1, "stockout_both": "more_shields"},
            {"only_joker_hand": "joker_base_zero", "refill_max": 1, "destroyed_to": "hand"},
        )
    ):
        game = load_game("chat", **options)  # type: ignore[arg-type]
        for seed in (JOKER_LEFT_OVER, *range(1000 * number, 1000 * number + 30)):
            *_, last = eager(game, seed)
            yield from last.state.log


@pytest.mark.rule("C16")
def test_every_rule_has_an_event_in_both_languages() -> None:
    met: dict[str, set[str]] = {}
    spoken: set[str] = set()
    for event in every_event():
        met.setdefault(event.rule, set()).add(event.kind)
        for seen in (event, event.seen_from(0), event.seen_from(1)):
            # A sentence depends on these alone; the rest is filled in.
            key = f"{seen.kind} {seen.data.get('choice')} {seen.data.get('n')} {[*seen.data]}"
            if key not in spoken:
                spoken.add(key)
                for lang in LANGUAGES:
                    text = seen.text(lang)
                    assert "{" not in text
                    assert "None" not in text
    assert met.keys() == RULES


@pytest.mark.rule("C9")
def test_choices_in_words() -> None:
    game = load_game("chat")
    for text, english, japanese in (
        ("call red", "call red", "赤を選ぶ"),
        ("base none", "no base card", "場札なし"),
        ("extra none", "no additional card", "追加カードを出さない"),
        ("extra 6s", "additional card 6♠", "6♠を追加カードに出す"),
        ("declare more", "announce more", "続けて出すと宣言する"),
        ("block 6s 6h 6d", "block with 6♠, 6♥, 6♦", "6♠、6♥、6♦でブロックする"),
        ("cancel none", "cancel nothing", "打ち消さない"),
        ("strike 0", "destroy shield 1", "シールド1を破壊する"),
        ("refill 1", "draw 1 card", "1枚補充する"),
        ("refill 3", "draw 3 cards", "3枚補充する"),
    ):
        action = game.parse_action(text)
        assert game.describe(action, "en") == english
        assert game.describe(action, "ja") == japanese
    assert str(game.parse_action("BLOCK 6♦ 6♠ 6h")) == "block 6s 6h 6d"
