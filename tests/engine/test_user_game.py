"""A game of a reader's own, for three seats, written here from scratch, passes the suite."""

import gettext
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
    "trio.error.hand": "{card} is not in your hand: {cards}",
    "trio.error.position": "the cards are wrong: {cards}",
}
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


class Words(gettext.NullTranslations):
    def gettext(self, message: str) -> str:
        return WORDS.get(message, message)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return self.gettext(msgid1)


@pytest.fixture(autouse=True)
def _words(monkeypatch: pytest.MonkeyPatch) -> None:
    own = locale._catalogue
    monkeypatch.setattr(
        locale,
        "_catalogue",
        lambda domain, lang: Words() if domain == "trio" else own(domain, lang),
    )


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
