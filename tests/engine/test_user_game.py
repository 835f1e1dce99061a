"""A game of a reader's own, for three seats, written here from scratch, passes the suite."""

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from cardlab import (
    Action,
    Card,
    CardlabError,
    Event,
    Game,
    IllegalActionError,
    Observation,
    State,
    locale,
)
from cardlab.cards import PACK, UNKNOWN
from cardlab.engine import Commit, Rules, Seat, flag, number
from cardlab.errors import PositionError
from cardlab.testing import GameSuite

WORDS = {
    "trio.deal": "{player} got {cards}",
    "trio.deal.hidden": "{player} got cards",
    "trio.play": "{player} plays {card}",
    "trio.play.hidden": "{player} plays",
    "trio.won": "{player} wins {cards}",
    "trio.nobody": "nobody wins {cards}",
    "trio.draw": "{player} draws {card}",
    "trio.draw.hidden": "{player} draws",
    "trio.end": "it is over",
    "trio.action.play": "play {card}",
    "trio.action.take": "take card {n}",
    "trio.error.hand": "{card} is not in your hand: {cards}",
    "trio.error.position": "the cards are wrong: {cards}",
}
for lang in locale.LANGUAGES:
    locale.add("trio", lang, WORDS)

TRIO_PACK = PACK[:24]


@dataclass(frozen=True, kw_only=True)
class TrioRules(Rules):
    hand_size: int = number(4, 1, 8)
    low_wins: bool = flag(False)


class TrioSeat(Seat):
    __slots__ = ("hand", "won")


class TrioTable(Seat):
    __slots__ = ("stock",)


class TrioState(State):
    """All play, the highest alone takes all (T2); all draw (T3); the most cards win (T4)."""

    TOGETHER: ClassVar[Mapping[str, Commit]] = {"play": Commit("trio.play", "T2", "card")}
    PUBLIC: ClassVar[Mapping[str, Any]] = {"last": ()}
    __slots__ = ("last",)

    def _set_up(self, events: list[Event]) -> None:
        self.table.stock = list(TRIO_PACK)
        self._shuffle(self.table.stock)
        for player, seat in enumerate(self.players):
            seat.hand = [self.table.stock.pop() for _ in range(self.game.rules.hand_size)]
            events.append(Event("trio.deal", "T1", player, {"cards": tuple(seat.hand)}, player))
        self.phase, self.turn, self.to_move = "play", 1, (0, 1, 2)

    def _legal(self, player: int) -> list[Action]:
        return [Action("play", card) for card in self.players[player].hand]

    def _refusal(self, action: Action, player: int) -> CardlabError | None:
        hand = self.players[player].hand
        if action.arg in hand:
            return None
        return IllegalActionError("trio.error.hand", "T2", card=action.arg, cards=tuple(hand))

    def _resolve(self, choices: Sequence[Action | None], events: list[Event]) -> None:
        played = tuple([choice.arg for choice in choices if choice is not None])
        for seat, card in zip(self.players, played, strict=True):
            seat.hand.remove(card)
        self.last = played
        sign = -1 if self.game.rules.low_wins else 1
        best = max(sign * card.rank for card in played)
        best_seats = [seat for seat, card in enumerate(played) if sign * card.rank == best]
        if len(best_seats) == 1:
            self.players[best_seats[0]].won += played
            events.append(Event("trio.won", "T2", best_seats[0], {"cards": played}))
        else:
            self.out += played
            events.append(Event("trio.nobody", "T2", None, {"cards": played}))
        if len(self.table.stock) >= 3:
            for player, seat in enumerate(self.players):
                seat.hand.append(self.table.stock.pop())
                events.append(Event("trio.draw", "T3", player, {"card": seat.hand[-1]}, player))
        self.turn += 1
        self.to_move = (0, 1, 2)
        if not self.players[0].hand:
            events.append(Event("trio.end", "T4"))
            self._finish(self._shares())

    def _shares(self) -> list[float]:
        points = self.scores()
        first = [score == max(points) for score in points]
        if all(first):
            return [0.0] * 3
        return [1 / sum(first) if won else -1 / (3 - sum(first)) for won in first]

    def _step(self, action: Action, player: int, events: list[Event]) -> None:
        raise NotImplementedError

    def _owed(self) -> tuple[int, ...]:
        if self.phase != "play":
            return ()
        return tuple(seat for seat, choice in enumerate(self.pending) if choice is None)

    def _check(self) -> None:
        seats = (*self.players, self.table)
        held = [card for seat in seats for zone in seat.zones().values() for card in zone]
        if sorted([*held, *self.out], key=TRIO_PACK.index) != list(TRIO_PACK):
            raise PositionError("trio.error.position", cards=tuple(held))

    def _sees(self, viewer: int, owner: int | None, zone: str) -> bool:
        return zone == "won" or owner == viewer

    def scores(self) -> list[int]:
        return [len(seat.won) for seat in self.players]


class Trio(Game):
    name = "trio"
    rules_class = TrioRules
    state_class = TrioState
    seat_class = TrioSeat
    table_class = TrioTable
    phases = ("play",)
    num_players = 3

    def _actions(self) -> Iterable[Action]:
        return [Action("play", card) for card in TRIO_PACK]

    def resample(self, observation: Observation, rng: random.Random) -> TrioState:
        state = TrioState(self, rng.getrandbits(63))
        state.phase, state.turn, state.to_move = (
            observation.phase,
            observation.turn,
            observation.to_move,
        )
        state.out, state._log = list(observation.out), list(observation.log)
        state.result, state.last = observation.result, observation.public["last"]
        shown = {card for zones in observation.players for zone in zones.values() for card in zone}
        unseen = [card for card in TRIO_PACK if card not in {*shown, *observation.out}]
        rng.shuffle(unseen)
        for seat, zones in zip(
            (*state.players, state.table), (*observation.players, observation.table), strict=True
        ):
            for zone, content in zones.items():
                cards = [unseen.pop() if card is UNKNOWN else card for card in content]
                setattr(seat, zone, cards)
        state.pending[observation.player] = observation.pending
        if state.phase == "play":
            for seat in range(3):
                if seat != observation.player and seat not in state.to_move:
                    state.pending[seat] = Action("play", rng.choice(state.players[seat].hand))
        return state


class TestTrio(GameSuite):
    rule_numbers = ("T1", "T2", "T3", "T4")

    def make_game(self) -> Game:
        return Trio(TrioRules())


class TestTrioWithoutStock(GameSuite):
    seeds = range(2)

    def make_game(self) -> Game:
        return Trio(TrioRules(hand_size=8, low_wins=True))


class TestTrioProbed(GameSuite):
    """Trying a few actions in each position is enough to try them all."""

    seeds = range(2)
    probes = 5

    def make_game(self) -> Game:
        return Trio(TrioRules())


class TakeState(State):
    """An open game, in turns: take the top card or the one below; the higher sum wins (T4)."""

    __slots__ = ()

    def _set_up(self, events: list[Event]) -> None:
        self.table.stock = list(PACK[:9])
        self._shuffle(self.table.stock)
        self.phase, self.turn, self.to_move = "take", 1, (0,)
        events.append(Event("trio.nobody", "T1", None, {"cards": tuple(self.table.stock)}))

    def _legal(self, player: int) -> list[Action]:
        return [Action("take", place) for place in (1, 2) if len(self.table.stock) >= place]

    def _refusal(self, action: Action, player: int) -> CardlabError | None:
        if action in self._legal(player):
            return None
        return IllegalActionError("trio.error.hand", "T2", card=str(action), cards="")

    def _resolve(self, choices: Sequence[Action | None], events: list[Event]) -> None:
        raise NotImplementedError

    def _step(self, action: Action, player: int, events: list[Event]) -> None:
        card = self.table.stock.pop(-action.arg)
        self.players[player].won.append(card)
        events.append(Event("trio.play", "T2", player, {"card": card}))
        self.to_move = (1 - player,)
        if not self.table.stock:
            ahead = self.scores()[0] - self.scores()[1]
            self._finish((float(ahead > 0) - (ahead < 0), float(ahead < 0) - (ahead > 0)))

    def _owed(self) -> tuple[int, ...]:
        return ((len(self.table.stock) + 1) % 2,) if self.table.stock else ()

    def _check(self) -> None:
        if len(self.table.stock) + sum(len(seat.won) for seat in self.players) != 9:
            raise PositionError("trio.error.position", cards=())

    def _sees(self, viewer: int, owner: int | None, zone: str) -> bool:
        return True

    def scores(self) -> list[int]:
        return [sum(card.rank for card in seat.won) for seat in self.players]


class Take(Trio):
    state_class = TakeState
    phases = ("take",)
    num_players = 2

    def _actions(self) -> Iterable[Action]:
        return [Action("take", place) for place in (1, 2)]

    def resample(self, observation: Observation, rng: random.Random) -> State:
        state = self.state_from_dict(
            {
                **{entry: observation.to_dict()[entry] for entry in ("players", "table")},
                **{entry: observation.to_dict()[entry] for entry in ("phase", "turn", "log")},
                "result": observation.result and [*observation.result],
            }
        )
        state.seed = rng.getrandbits(63)
        return state


class TestTake(GameSuite):
    """A game without secrets says so."""

    has_secrets = False

    def make_game(self) -> Game:
        return Take(TrioRules())


@pytest.mark.parametrize("game", [Take, Trio])
@pytest.mark.parametrize("test", ["test_resample_draws_everything_anew", "test_nothing_leaks"])
def test_whether_there_are_secrets_has_to_be_right(game: type[Trio], test: str) -> None:
    class Suite(GameSuite):
        has_secrets = game is Take

        def make_game(self) -> Game:
            return game(TrioRules())

    with pytest.raises(AssertionError):
        getattr(Suite(), test)()


class CommonStockSeen(TrioState):
    def _sees(self, viewer: int, owner: int | None, zone: str) -> bool:
        return owner is None or super()._sees(viewer, owner, zone)


class PublicSecret(TrioState):
    def observation(self, player: int) -> Observation:
        twin = self.clone()
        twin.last = tuple(self.table.stock[-1:])
        return State.observation(twin, player)


@pytest.mark.parametrize("fault", [CommonStockSeen, PublicSecret])
def test_a_leak_of_the_common_stock_is_found(fault: type[State]) -> None:
    """By a deal that was written without looking at the game's own."""

    class Leaking(Trio):
        state_class = fault

    class Suite(GameSuite):
        def make_game(self) -> Game:
            return Leaking(TrioRules())

        def redeal(self, state: State, player: int, rng: random.Random) -> State:
            """Everybody else's hand and the stock are shuffled together."""
            others = [seat for owner, seat in enumerate(state.players) if owner != player]
            piles = [*(seat.hand for seat in others), state.table.stock]
            cards = [card for pile in piles for card in pile]
            rng.shuffle(cards)
            for pile in piles:
                pile[:] = [cards.pop() for _ in pile]
            return state

    with pytest.raises(AssertionError, match=r"dealt anew for seat 0, it sees (table|last)"):
        Suite().test_nothing_leaks()


def test_shared_wins_and_losses_sum_to_nothing() -> None:
    state = Trio(TrioRules()).new_initial_state(1)
    for won, shares in (
        ((3, 0, 0), [1.0, -0.5, -0.5]),
        ((3, 3, 0), [0.5, 0.5, -1.0]),
        ((3, 3, 3), [0.0, 0.0, 0.0]),
    ):
        for seat, count in zip(state.players, won, strict=True):
            seat.won = [Card.parse("As")] * count
        assert state._shares() == shares
