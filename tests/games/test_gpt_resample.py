"""``resample`` draws uniformly from the states that an observation allows, all of them listed."""

import itertools
import random
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from typing import Any, NamedTuple

import pytest
from scipy.stats import chi2

from cardlab import Observation, State, load_game
from cardlab.cards import ascii
from cardlab.games.gpt import GPT, GPTSeat, GPTState

RANKS = "A23456789TJQK"
VALUES = {rank: value for value, rank in enumerate(RANKS, start=1)}
SUITS = ("hs", "dc")
PACKS = [[rank + suit for rank in RANKS for suit in suits] for suits in SUITS]

Filled = tuple[Any, ...]


def total(cards: Iterable[str]) -> int:
    return sum([VALUES[card[0]] for card in cards])


def can_be_legal(cards: set[str], pack: list[str], rules: dict[str, Any]) -> bool:
    """Whether some legal deck holds these cards: tried with every filling."""
    rest = [card for card in pack if card not in cards]
    missing = rules["deck_size"] - len(cards)
    return any(
        total(cards) + total(filling) <= rules["deck_sum_max"]
        for filling in itertools.combinations(rest[: 2 * missing + 2], missing)
    )


def fillings(seen: dict[str, Any], seat: int) -> Iterator[Filled]:
    """Every way to fill what is hidden of one seat: its zones without the cards set aside, its deck
    and its secret choice (what a player may see, G-Q4 and G-Q6)."""
    rules, zones = seen["rules"], seen["players"][seat]
    pack = PACKS[seat]
    mine = seat == seen["player"]
    names = [zone for zone in sorted(zones) if zone != "set_aside"]
    places = [(zone, i) for zone in names for i, card in enumerate(zones[zone]) if card == "?"]
    open_cards = {card for zone in names for card in zones[zone] if card not in (None, "?")}
    open_cards |= {card for card in seen["out"] if card in pack}
    building = seen["phase"] == "deck"
    owes = seat in seen["to_move"]
    chose = seen["phase"] in ("deck", "shields", "play") and not owes

    if mine:
        aside = set(zones["set_aside"])
        candidates = [card for card in pack if card not in aside | open_cards]
        assert len(candidates) == len(places)
    else:
        candidates = [card for card in pack if card not in open_cards]

    for hidden in itertools.combinations(candidates, len(places)):
        chosen = open_cards | {*hidden}
        if building and not can_be_legal(chosen, pack, rules):
            continue
        if not building and total(chosen) > rules["deck_sum_max"]:
            continue
        for order in itertools.permutations(hidden):
            filled = {zone: list(zones[zone]) for zone in names}
            for (zone, i), card in zip(places, order, strict=True):
                filled[zone][i] = card
            content = tuple(tuple(filled[zone]) for zone in names)
            if mine:
                yield content, seen["pending"]
            elif not chose:
                yield content, None
            elif building:
                for card in pack:
                    if card not in chosen and can_be_legal(chosen | {card}, pack, rules):
                        yield content, f"pick {card}"
            else:
                kind, zone = {"play": ("play", "hand"), "shields": ("shield", "deck")}[
                    seen["phase"]
                ]
                for card in filled[zone]:
                    yield content, f"{kind} {card}"


def every_state(observation: Observation) -> set[Filled]:
    seen = observation.to_dict()
    seats = [[*fillings(seen, seat)] for seat in (0, 1)]
    states = [*itertools.product(*seats)]
    assert len({*states}) == len(states)
    return {*states}


ZONES = sorted({*GPTSeat.__slots__} - {"set_aside"})


def as_filled(state: State) -> Filled:
    return tuple(
        (
            tuple([tuple(ascii(getattr(seat, zone))) for zone in ZONES]),
            choice and str(choice),
        )
        for seat, choice in zip(state.players, state.pending, strict=True)
    )


class Sight(NamedTuple):
    """An observation, and every state that it allows."""

    observation: Observation
    states: set[Filled]


def misfit(game: GPT, sight: Sight, expected: float, seed: int = 1) -> float:
    """How far the chi-square of a sample is beyond the bound that one in a million passes."""
    observation, states = sight
    rng = random.Random(seed)
    draws = Counter(
        as_filled(game.resample(observation, rng)) for _ in range(int(expected * len(states)))
    )
    assert {*draws} <= states, f"drawn, but not allowed: {next(iter({*draws} - states))}"
    if len(states) == 1:
        return -1.0
    mean = draws.total() / len(states)
    statistic = sum((draws[state] - mean) ** 2 / mean for state in states)
    return statistic - float(chi2.isf(1e-6, len(states) - 1))


GAMES: dict[str, dict[str, Any]] = {
    "random": {"deck_size": 3, "deck_sum_max": 6, "n_shields": 1, "hand_size": 1},
    "chosen": {
        "deck_size": 4,
        "deck_sum_max": 7,
        "n_shields": 2,
        "hand_size": 1,
        "shield_mode": "chosen",
    },
    "two in hand": {"deck_size": 4, "deck_sum_max": 7, "n_shields": 1, "hand_size": 2},
    "many decks": {"deck_size": 3, "deck_sum_max": 9, "n_shields": 1, "hand_size": 1},
    "two shields": {"deck_size": 4, "deck_sum_max": 8, "n_shields": 2, "hand_size": 1},
    "handed in": {
        "deck_size": 4,
        "deck_sum_max": 7,
        "n_shields": 2,
        "hand_size": 1,
        "decks": ("22" + "0" * 11, "2br" + "0" * 10),
    },
}


MOST = 750


@cache
def observations(game: GPT) -> dict[tuple[Any, ...], Sight]:
    """One observation of each kind that occurs, with at most ``MOST`` states behind it."""
    found: dict[tuple[Any, ...], Sight] = {}
    passed: set[tuple[Any, ...]] = set()
    for seed in range(60):
        rng = random.Random(seed)
        state = game.new_initial_state(seed)
        while True:
            for player in (0, 1):
                seen = state.observation(player)
                picked = len(seen.players[0]["deck"])
                kind = (
                    seen.phase,
                    picked if seen.phase in ("deck", "shields") else seen.turn,
                    player in seen.to_move,
                    1 - player in seen.to_move,
                )
                if kind not in found and kind not in passed:
                    states = every_state(seen)
                    if len(states) <= MOST:
                        found[kind] = Sight(seen, states)
                    else:
                        passed.add(kind)
            if not state.to_move:
                break
            player = rng.choice(state.to_move)
            state.apply(rng.choice(state.legal_actions(player)), player)
    return found


@pytest.mark.parametrize("name", GAMES)
def test_resample_is_uniform(name: str) -> None:
    game = load_game("gpt", counter_compare="ge", **GAMES[name])
    seen = observations(game)
    for kind, sight in seen.items():
        assert misfit(game, sight, expected=8) < 0, kind
    phases = {kind[0] for kind in seen}
    assert phases >= {"play", "end"}
    assert ("deck" in phases) == (name != "handed in")
    assert ("shields" in phases) == (name == "chosen")


def test_every_phase_is_among_them() -> None:
    """Also with only the other seat's choice made, only the own one, and none."""
    kinds: set[tuple[str, bool, bool]] = set()
    for options in GAMES.values():
        game = load_game("gpt", counter_compare="ge", **options)
        kinds |= {(phase, own, other) for phase, _, own, other in observations(game)}
    for phase in ("deck", "shields", "play"):
        assert {(phase, True, True), (phase, True, False), (phase, False, True)} <= kinds
    for phase in ("strike", "counter"):
        assert {(phase, True, False), (phase, False, True)} <= kinds
    assert ("end", False, False) in kinds


# Draws that look right and are not.


class PicksCards(GPT):
    """The deck is picked card by card, each with the same chance: some decks come too often."""

    @cached_property
    def plain(self) -> GPT:
        return GPT(self.rules)

    def resample(self, observation: Observation, rng: random.Random) -> GPTState:
        state = super().resample(observation, rng)
        other = 1 - observation.player
        zones = [
            state.players[other].hand,
            state.players[other].stock,
            state.players[other].shields,
        ]
        if state.phase != "play" or not zones[0] or state.pending[other] is not None:
            return state
        built = self.plain.new_initial_state(1)
        while built.phase == "deck":
            built.apply(rng.choice(built.legal_actions()))
        seat = built.players[other]
        cards = [*seat.hand, *seat.stock, *seat.shields]
        if len(cards) != sum(map(len, zones)):
            return state
        rng.shuffle(cards)
        for zone in zones:
            zone[:] = [cards.pop() for _ in zone]
        state.players[other].set_aside = seat.set_aside
        return state


class KeepsOrder(GPT):
    """The stock is sorted."""

    def resample(self, observation: Observation, rng: random.Random) -> GPTState:
        state = super().resample(observation, rng)
        state.players[1 - observation.player].stock.sort(key=lambda card: card.rank)
        return state


class PlaysHigh(GPT):
    """The other's secret choice is its best card."""

    def resample(self, observation: Observation, rng: random.Random) -> GPTState:
        state = super().resample(observation, rng)
        other = 1 - observation.player
        if state.pending[other] is not None and state.phase == "play":
            best = max(state.players[other].hand, key=lambda card: card.rank)
            state.pending[other] = self.play[best.index]
        return state


@pytest.mark.parametrize(
    ("fault", "name", "options"),
    [
        (PicksCards, "many decks", {"deck_sum_max": 7}),
        (KeepsOrder, "random", {"deck_size": 4, "deck_sum_max": 7}),
        (PlaysHigh, "two in hand", {}),
    ],
)
def test_a_draw_that_is_not_uniform_is_found(
    fault: type[GPT], name: str, options: dict[str, Any]
) -> None:
    rules = GAMES[name] | options
    faulty, sound = fault.with_options(**rules), GPT.with_options(**rules)
    assert any(
        misfit(faulty, sight, 8) > 0
        for kind, sight in observations(sound).items()
        if kind[0] == "play"
    )
