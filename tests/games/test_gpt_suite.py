"""GPT passes the suite for all games, and the suite finds every fault that is planted in it."""

import json
import random
from collections.abc import Iterable, Sequence
from typing import Any

import pytest

from cardlab import Action, Card, Event, Game, Observation, State, chance, load_game
from cardlab.cards import ORDER, UNKNOWN
from cardlab.games.gpt import GPT, GPTState
from cardlab.testing import GameSuite

RULES = {f"G{number}" for number in range(1, 19)}
DECKS = ("2b2bbbbb0b022", "2222222r00000")

Position = dict[str, Any]


# ------------------------------------------------- dealing anew, from the rulebook and nothing else

RANKS = "A23456789TJQK"
SUITS = ("hs", "dc")
SECRET = {"gpt.pick", "gpt.deck", "gpt.shield", "gpt.deal", "gpt.play", "gpt.draw"}


def pack(seat: int) -> list[str]:
    return [rank + suit for rank in RANKS for suit in SUITS[seat]]


def total(cards: Iterable[str]) -> int:
    return sum(RANKS.index(card[0]) + 1 for card in cards)


def is_possible(deck: set[str], seat: int, rules: dict[str, Any]) -> bool:
    """Whether a deck, or one that is half chosen, can be legal in the end."""
    rest = sorted((card for card in pack(seat) if card not in deck), key=lambda card: total([card]))
    missing = rules["deck_size"] - len(deck)
    return total(deck) + total(rest[:missing]) <= rules["deck_sum_max"]


def deal_anew(position: Position, seat: int, rng: random.Random) -> Position:
    """A position that differs in all that ``seat`` cannot know (what a player may see, G-Q4, G-Q6).

    It does not know the order of its own stock, nor its shields unless it chose them. Of the other
    seat it knows nothing but the cards that lie face up; one swap of the other's hidden cards
    among themselves is carried out in all places and in the other's part of the log.
    """
    position = json.loads(json.dumps(position))
    rules = position["rules"]
    own, other = position["players"][seat], position["players"][1 - seat]

    zones = ["stock"] if rules["shield_mode"] == "chosen" else ["stock", "shields"]
    places = [(zone, i) for zone in zones for i, card in enumerate(own[zone]) if card is not None]
    cards = [own[zone][i] for zone, i in places]
    rng.shuffle(cards)
    for (zone, i), card in zip(places, cards, strict=True):
        own[zone][i] = card

    public = {*position["out"], *other["played"]}
    hidden = [card for card in pack(1 - seat) if card not in public]
    pending = position["pending"][1 - seat]
    chosen = {card for zone in ("deck", "hand", "stock", "shields") for card in other[zone]}
    chosen |= {card for card in public if card in pack(1 - seat)}
    if position["phase"] == "deck" and pending:
        chosen.add(pending.split()[1])
    chosen.discard(None)
    for _ in range(1000):
        swap = dict(zip(hidden, rng.sample(hidden, len(hidden)), strict=True))
        if is_possible({swap.get(card, card) for card in chosen}, 1 - seat, rules):
            break
    else:
        swap = {}
    for zone, content in other.items():
        if zone != "played":
            other[zone] = [swap.get(card, card) for card in content]
    if pending:
        kind, card = pending.split()
        position["pending"][1 - seat] = f"{kind} {swap.get(card, card)}"
    for event in position["log"]:
        if event["kind"] in SECRET and event["player"] == 1 - seat:
            for name, value in event["data"].items():
                if isinstance(value, list):
                    event["data"][name] = [swap.get(card, card) for card in value]
                else:
                    event["data"][name] = swap.get(value, value)
    position["seed"] = rng.getrandbits(63)
    return position


class Suite(GameSuite):
    """GPT under some options, dealt anew by a reader of the rulebook."""

    rule_numbers = RULES
    game_class: type[GPT] = GPT
    options: dict[str, Any] = {}  # noqa: RUF012

    def make_game(self) -> Game:
        return self.game_class.with_options(**self.options)

    def redeal(self, state: State, player: int, rng: random.Random) -> State:
        return state.game.state_from_dict(deal_anew(state.to_dict(), player, rng))


# ------------------------------------------------------------------------------------ GPT passes it


class TestRandomShields(Suite):
    seeds = range(2)


class TestChosenShields(Suite):
    seeds = range(2)
    options = {"shield_mode": "chosen", "counter_choice": "owner"}  # noqa: RUF012


class TestDecksHandedIn(Suite):
    seeds = range(3)
    options = {"decks": DECKS, "counter_choice": "random"}  # noqa: RUF012


class TestSmallGame(Suite):
    seeds = range(6)
    options = {  # noqa: RUF012
        "deck_size": 6,
        "deck_sum_max": 25,
        "n_shields": 2,
        "hand_size": 2,
        "counter_compare": "ge",
        "double_knockout": "draw",
    }


class TestAllCardsInTheDeck(Suite):
    seeds = range(1)
    options = {  # noqa: RUF012
        "deck_size": 26,
        "deck_sum_max": 182,
        "n_shields": 8,
        "shield_mode": "chosen",
        "counter_compare": "number_then_colour",
        "double_knockout": "counter_player_wins",
    }


def test_the_new_deal_is_a_good_one() -> None:
    """It changes all that is hidden, sooner or later, and nothing that is open."""
    rng = random.Random(1)
    game = load_game("gpt", shield_mode="chosen")
    changed: set[tuple[int, str]] = set()
    for step in Suite().play(game.new_initial_state(1), 1):
        before = step.state.to_dict()
        after = deal_anew(before, 0, rng)
        assert after["out"] == before["out"]
        assert after["players"][1]["played"] == before["players"][1]["played"]
        for seat in (0, 1):
            for zone, content in before["players"][seat].items():
                if after["players"][seat][zone] != content:
                    changed.add((seat, zone))
    assert changed == {
        (0, "stock"),
        *((1, zone) for zone in ("deck", "hand", "set_aside", "shields", "stock")),
    }


# ------------------------------------------------------------------------------- and can be failed


SMALL = {"deck_size": 8, "deck_sum_max": 40, "n_shields": 3, "hand_size": 2}


class SmallSuite(Suite):
    """A small game, because there are many faults."""

    seeds = range(2)
    options = SMALL | {"counter_choice": "random"}


def fails(suite: type[GameSuite], test: str) -> bool:
    try:
        getattr(suite(), f"test_{test}")()
    except Exception:
        return True
    return False


def is_found(
    test: str, state_class: type[State] = GPTState, game_class: type[GPT] = GPT, **options: Any
) -> bool:
    """Whether a test of the suite finds the fault of these classes."""
    faulty = type("Faulty", (game_class,), {"state_class": state_class})
    filled = {"game_class": faulty, "options": SmallSuite.options | options}
    return fails(type("FaultySuite", (SmallSuite,), filled), test)


TESTS = [name.removeprefix("test_") for name in dir(GameSuite) if name.startswith("test_")]


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("shield_mode", ["random", "chosen"])
def test_no_fault_is_found_where_there_is_none(test: str, shield_mode: str) -> None:
    suite = type("Sound", (SmallSuite,), {"options": SMALL | {"shield_mode": shield_mode}})
    getattr(suite(), f"test_{test}")()


def test_a_suite_without_a_game_fails_everything() -> None:
    assert len(TESTS) > 15
    assert all(fails(GameSuite, test) for test in TESTS)


@pytest.mark.parametrize(
    "lack",
    [
        {"seeds": ()},
        {"make_game": lambda self: None},
        {"make_game": lambda self: "gpt"},
        {"make_game": lambda self: GPT},
        {"max_decisions": 5},
    ],
)
def test_a_suite_with_nothing_to_test_fails(lack: dict[str, Any]) -> None:
    assert fails(type("Empty", (SmallSuite,), lack), "there_is_a_game_to_test")


# Leaks.


class ShowsOtherHand(GPTState):
    def _sees(self, viewer: int, owner: int | None, zone: str) -> bool:
        return zone == "hand" or super()._sees(viewer, owner, zone)


class ShowsOtherSetAside(GPTState):
    def _sees(self, viewer: int, owner: int | None, zone: str) -> bool:
        return zone == "set_aside" or super()._sees(viewer, owner, zone)


class ShowsOwnStock(GPTState):
    def _sees(self, viewer: int, owner: int | None, zone: str) -> bool:
        return (viewer == owner and zone == "stock") or super()._sees(viewer, owner, zone)


class ShowsOwnRandomShields(GPTState):
    def _sees(self, viewer: int, owner: int | None, zone: str) -> bool:
        return (viewer == owner and zone == "shields") or super()._sees(viewer, owner, zone)


class ShowsStockThroughAnOrder(GPTState):
    """Only the order of the seat's own stock leaks, and only as an order."""

    def observation(self, player: int) -> Observation:
        seen = super().observation(player)
        stock = self.players[player].stock
        ranks = tuple(sorted(stock, key=ORDER).index(card) for card in stock)
        object.__setattr__(seen, "public", {"order": ranks})
        return seen


class TellsDrawsToAll(GPTState):
    def _end_turn(self, events: list[Event]) -> None:
        super()._end_turn(events)
        events[:] = [
            event._replace(seen_by=None) if event.kind == "gpt.draw" else event for event in events
        ]


class TellsDecksToAll(GPTState):
    def _decks_ready(self, events: list[Event]) -> None:
        super()._decks_ready(events)
        events[:] = [
            event._replace(seen_by=None) if event.kind == "gpt.deck" else event for event in events
        ]


class ShowsPending(GPTState):
    def observation(self, player: int) -> Observation:
        seen = super().observation(player)
        object.__setattr__(seen, "public", {"other": str(self.pending[1 - player])})
        return seen


class ShowsSeed(GPTState):
    def observation(self, player: int) -> Observation:
        seen = super().observation(player)
        object.__setattr__(seen, "public", {"hint": self.seed % 10})
        return seen


class ShowsSumOfOtherHand(GPTState):
    def observation(self, player: int) -> Observation:
        seen = super().observation(player)
        ranks = [card.rank for card in self.players[1 - player].hand]
        object.__setattr__(seen, "public", {"sum": sum(ranks)})
        return seen


@pytest.mark.parametrize(
    "leak",
    [
        ShowsOtherHand,
        ShowsOtherSetAside,
        ShowsOwnStock,
        ShowsOwnRandomShields,
        ShowsStockThroughAnOrder,
        TellsDrawsToAll,
        TellsDecksToAll,
        ShowsPending,
        ShowsSeed,
        ShowsSumOfOtherHand,
    ],
)
def test_a_leak_is_found(leak: type[State]) -> None:
    assert is_found("nothing_leaks", leak)


def test_a_leak_of_the_pending_choice_is_found_twice() -> None:
    assert is_found("choices_of_a_common_step_stay_secret", ShowsPending)


class Moody:
    """A bot that remembers: its choice does not follow from what it is given."""

    name = "moody"

    def __init__(self) -> None:
        self.calls = 0

    def choose(
        self, observation: Observation, legal_actions: Sequence[Action], rng: random.Random
    ) -> Action:
        self.calls += 1
        return legal_actions[self.calls % len(legal_actions)]


class Cheat:
    """A bot that chooses what is not legal."""

    name = "cheat"

    def choose(
        self, observation: Observation, legal_actions: Sequence[Action], rng: random.Random
    ) -> Action:
        return Action("play", Card.parse("Ks"))


@pytest.mark.parametrize("bot", [Moody(), Cheat()])
def test_an_unfair_bot_is_found(bot: Any) -> None:
    suite = type("Unfair", (SmallSuite,), {"bots": lambda self, game: [bot]})
    assert fails(suite, "nothing_leaks")


# Other faults.


class LosesCards(GPTState):
    def _end_turn(self, events: list[Event]) -> None:
        super()._end_turn(events)
        self.out.pop()


class DoublesCards(GPTState):
    def _lose_shield(self, owner: int, slot: int) -> Card:
        shield = super()._lose_shield(owner, slot)
        self.out.append(shield)
        return shield


class SwapsCards(GPTState):
    """As many cards as before, but not the same."""

    def _lose_shield(self, owner: int, slot: int) -> Card:
        shield = super()._lose_shield(owner, slot)
        self.out[-1] = self.players[owner].set_aside[0]
        return shield


@pytest.mark.parametrize("fault", [LosesCards, DoublesCards, SwapsCards])
def test_a_card_that_is_lost_or_doubled_is_found(fault: type[State]) -> None:
    assert is_found("cards_are_conserved", fault)


class SharesOut(GPTState):
    def clone(self) -> "SharesOut":
        twin = super().clone()
        twin.out = self.out
        return twin


class SharesSeats(GPTState):
    def clone(self) -> "SharesSeats":
        twin = super().clone()
        twin.players = self.players
        return twin


class SharesStock(GPTState):
    def clone(self) -> "SharesStock":
        twin = super().clone()
        twin.players[1].stock = self.players[1].stock
        return twin


class SharesPending(GPTState):
    def clone(self) -> "SharesPending":
        twin = super().clone()
        twin.pending = self.pending
        return twin


class SharesLog(GPTState):
    def clone(self) -> "SharesLog":
        twin = super().clone()
        twin._log = self._log
        return twin


@pytest.mark.parametrize("fault", [SharesOut, SharesSeats, SharesStock, SharesPending, SharesLog])
def test_a_clone_that_shares_a_list_is_found(fault: type[State]) -> None:
    assert is_found("clones_are_independent", fault)
    assert is_found("past_states_never_change", fault)


class SharesChance(GPTState):
    """Clones draw from one common stream."""

    drawn = 0

    def _shuffle(self, pile: list[Any]) -> None:
        SharesChance.drawn += 1
        chance.shuffle(pile, self.seed, SharesChance.drawn)


def test_a_clone_that_shares_the_chance_is_found() -> None:
    assert is_found("clones_are_independent", SharesChance)
    assert is_found("same_seed_same_game", SharesChance)


class ForgetsASeed(GPTState):
    def _set_up(self, events: list[Event]) -> None:
        self.seed = chance.new_seed()
        super()._set_up(events)


def test_a_game_that_does_not_follow_its_seed_is_found() -> None:
    assert is_found("same_seed_same_game", ForgetsASeed)


class UsesGlobalChance(GPTState):
    def _deal(self, events: list[Event]) -> None:
        random.shuffle(self.players[0].deck)
        super()._deal(events)


def test_the_use_of_global_chance_is_found() -> None:
    assert is_found("chance_is_its_own", UsesGlobalChance)


class OffersTooMuch(GPTState):
    def _legal(self, player: int) -> list[Action]:
        legal = super()._legal(player)
        if self.phase == "strike":
            legal += [action for action in self.game.strike if action not in legal]
        return legal


class OffersTooLittle(GPTState):
    def _legal(self, player: int) -> list[Action]:
        legal = super()._legal(player)
        return legal[:-1] if len(legal) > 1 and self.turn > 2 else legal


class OffersTwice(GPTState):
    def _legal(self, player: int) -> list[Action]:
        return [*super()._legal(player), super()._legal(player)[0]]


class OffersNothing(GPTState):
    def _legal(self, player: int) -> list[Action]:
        return super()._legal(player) if self.turn < 4 else []


class OffersOthers(GPTState):
    """Actions of a kind that the game does not have."""

    def _legal(self, player: int) -> list[Action]:
        return [*super()._legal(player), Action("resign")]

    def _refusal(self, action: Action, player: int) -> Any:
        return None if action.kind == "resign" else super()._refusal(action, player)


class ChangesWhenRefusing(GPTState):
    def _refusal(self, action: Action, player: int) -> Any:
        refusal = super()._refusal(action, player)
        if refusal is not None:
            self.shuffles += 1
        return refusal


class LogsRefusals(GPTState):
    def _refusal(self, action: Action, player: int) -> Any:
        refusal = super()._refusal(action, player)
        if refusal is not None:
            self._log.append(Event("gpt.start", "G1"))
        return refusal


class RefusesWithoutWords(GPTState):
    def _refusal(self, action: Action, player: int) -> Any:
        refusal = super()._refusal(action, player)
        if refusal is not None:
            refusal.key = "gpt.error.no_such_sentence"
        return refusal


class RefusesByAnUnknownRule(GPTState):
    def _refusal(self, action: Action, player: int) -> Any:
        refusal = super()._refusal(action, player)
        if refusal is not None:
            refusal.rule = "G99"
        return refusal


@pytest.mark.parametrize(
    "fault",
    [
        OffersTooMuch,
        OffersTooLittle,
        OffersTwice,
        OffersNothing,
        OffersOthers,
        ChangesWhenRefusing,
        LogsRefusals,
        RefusesWithoutWords,
        RefusesByAnUnknownRule,
    ],
)
def test_wrong_offers_and_refusals_are_found(fault: type[State]) -> None:
    assert is_found("legal_actions_and_apply_agree", fault)


class WinsTwice(GPTState):
    def returns(self) -> list[float]:
        return [abs(value) for value in super().returns()]


class CountsEarly(GPTState):
    def returns(self) -> list[float]:
        ahead = float(self.turn > 3) - float(self.turn > 9)
        return super().returns() if self.is_terminal() else [ahead, -ahead]


@pytest.mark.parametrize("fault", [WinsTwice, CountsEarly])
def test_wrong_returns_are_found(fault: type[State]) -> None:
    assert is_found("returns_are_zero_sum", fault)


class CitesNothing(GPTState):
    def _deal(self, events: list[Event]) -> None:
        super()._deal(events)
        events[-1] = events[-1]._replace(rule="")


class CitesAnUnknownRule(GPTState):
    def _deal(self, events: list[Event]) -> None:
        super()._deal(events)
        events[-1] = events[-1]._replace(rule="G22")


class HasNoWords(GPTState):
    def _deal(self, events: list[Event]) -> None:
        super()._deal(events)
        events[-1] = events[-1]._replace(kind="gpt.nothing")


class HasNoHiddenWords(GPTState):
    """The event has words for those in the know, but none for the others."""

    def _check_shields(self, events: list[Event]) -> None:
        super()._check_shields(events)
        events[0] = events[0]._replace(seen_by=0)


@pytest.mark.parametrize("fault", [CitesNothing, CitesAnUnknownRule, HasNoWords, HasNoHiddenWords])
def test_events_without_rule_or_words_are_found(fault: type[State]) -> None:
    assert is_found("events_cite_rules_and_have_words", fault)


class ForgetsPending(GPTState):
    def to_dict(self) -> dict[str, Any]:
        return super().to_dict() | {"pending": [None, None], "to_move": [0, 1]}


class ForgetsShuffles(GPTState):
    def to_dict(self) -> dict[str, Any]:
        return super().to_dict() | {"shuffles": 0}


class ForgetsStockOrder(GPTState):
    def to_dict(self) -> dict[str, Any]:
        position = super().to_dict()
        for seat in position["players"]:
            seat["stock"].sort()
        return position


@pytest.mark.parametrize("fault", [ForgetsPending, ForgetsShuffles, ForgetsStockOrder])
def test_positions_that_forget_are_found(fault: type[State]) -> None:
    assert is_found("positions_round_trip", fault)


class KeepsItsTurn(GPTState):
    """The state goes on after the end."""

    def _finish(self, result: Iterable[float]) -> None:
        super()._finish(result)
        self.phase = "play"


def test_an_odd_end_is_found() -> None:
    assert is_found("decisions_are_owed_until_the_end", KeepsItsTurn)


class LiesAboutTheTurn(GPTState):
    def observation(self, player: int) -> Observation:
        seen = super().observation(player)
        object.__setattr__(seen, "turn", self.turn + player)
        return seen


class LiesAboutShields(GPTState):
    def _seen(self, viewer: int, owner: int | None, seat: Any) -> Any:
        zones = dict(super()._seen(viewer, owner, seat))
        if zones.get("shields"):
            zones["shields"] = tuple(UNKNOWN for _ in zones["shields"])
        return zones


@pytest.mark.parametrize("fault", [LiesAboutTheTurn, LiesAboutShields])
def test_observations_that_lie_are_found(fault: type[State]) -> None:
    assert is_found("observations_are_plain", fault)


class DrawsNothing(GPT):
    """Always the same deal, whatever the chance."""

    def resample(self, observation: Observation, rng: random.Random) -> GPTState:
        state = super().resample(observation, random.Random(1))
        state.seed = rng.getrandbits(63)
        return state


class DrawsTheOtherAlone(GPT):
    """The seat's own hidden cards stay as they are."""

    def resample(self, observation: Observation, rng: random.Random) -> GPTState:
        state = super().resample(observation, rng)
        seat = state.players[observation.player]
        hidden = [card for card in (*seat.stock, *seat.shields) if card is not None]
        cards = sorted(hidden, key=ORDER)
        seat.stock = [cards.pop() for _ in seat.stock]
        seat.shields = [card and cards.pop() for card in seat.shields]
        return state


class KeepsTheSeed(GPT):
    def resample(self, observation: Observation, rng: random.Random) -> GPTState:
        state = super().resample(observation, rng)
        state.seed = 1
        return state


class DrawsIllegalDecks(GPT):
    def resample(self, observation: Observation, rng: random.Random) -> GPTState:
        state = super().resample(observation, rng)
        seat = state.players[1 - observation.player]
        if seat.stock:
            seat.stock[0], seat.set_aside[-1] = seat.set_aside[-1], seat.stock[0]
        return state


class ForgetsAChoice(GPT):
    def resample(self, observation: Observation, rng: random.Random) -> GPTState:
        state = super().resample(observation, rng)
        state.pending = [None, None]
        return state


@pytest.mark.parametrize(
    ("fault", "test"),
    [
        (DrawsNothing, "resample_draws_everything_anew"),
        (DrawsTheOtherAlone, "resample_draws_everything_anew"),
        (KeepsTheSeed, "resample_fits_the_observation"),
        (DrawsIllegalDecks, "resample_fits_the_observation"),
        (ForgetsAChoice, "resample_fits_the_observation"),
    ],
)
def test_a_wrong_resample_is_found(fault: type[GPT], test: str) -> None:
    assert is_found(test, game_class=fault)


def test_a_redeal_that_deals_nothing_is_found() -> None:
    suite = type("Lazy", (SmallSuite,), {"redeal": lambda self, state, player, rng: state})
    assert fails(suite, "nothing_leaks")


class SpeaksUnclearly(GPT):
    def _actions(self) -> Iterable[Action]:
        actions = [*super()._actions()]
        return [*actions, actions[0]]


class NamesAlike(GPT):
    def _actions(self) -> Iterable[Action]:
        return [*super()._actions(), Action("strike", "0")]


@pytest.mark.parametrize("fault", [SpeaksUnclearly, NamesAlike])
def test_unclear_actions_are_found(fault: type[GPT]) -> None:
    assert is_found("actions_have_codes_notation_and_words", game_class=fault)
