"""A bot for Chaos that remembers what it saw, collects sets, and watches the end."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property
from typing import Any

from cardlab.cards import Card
from cardlab.engine import Action, Observation
from cardlab.games.chaos import ChaosRules, score
from cardlab.games.chaos_cards import CHAOS, COPIES, KINDS, ORDER
from cardlab.games.chaos_memory import glance

__all__ = ["Careful"]

Counts = list[int]


class Careful:
    """Plays by rules of thumb about what its observation shows.

    *Cards* (X14, X19, X21)
        1. A hand is worth the sets and Orders that it holds or may become. Chaos costs points, and
           so does the fourth card of a set that lies on the table.
        2. It takes, keeps and gives away whatever is best for that. Three Orders are safe with it:
           they are not played, given or discarded, and no fourth one is searched.
    *Memory* (X8)
        3. It searches what is surely there, by all that was shown, taken, won or passed on. Of
           what is not sure it reckons the chance, and dares it for a set but hardly for a pair.
    *Unseen cards* (X9, X10)
        4. Chaos and fourth cards are given away in an exchange, best to a seat with Orders, or
           played in a battle, so that the winner has them. Battles are fought with a high card
           that is not needed.
    *The rotation* (X12)
        5. Chaos is discarded if a hand that is worth more than its own, for all it remembers, can
           be pulled in, or just to be rid of it.
    *The end* (X15 to X17)
        6. It ends the game when it leads by what can be seen, and not when it is behind.
    """

    name = "careful"

    def choose(
        self, observation: Observation, legal_actions: Sequence[Action], rng: random.Random
    ) -> Action:
        """The action that the rules of thumb prefer; one of them, if there are several."""
        if len(legal_actions) == 1:
            return legal_actions[0]
        table = _Table(observation)
        values = [_VALUES[action.kind](table, action.arg) for action in legal_actions]
        best = max(values)
        return rng.choice(
            [action for action, value in zip(legal_actions, values, strict=True) if value == best]
        )


# All values are in points; the numbers are the best of those tried.

NUMBER = (0.0, 0.1, 0.45, 0.95, 0.95)
"""What so many equal Spectrum cards in a hand are worth, if they can become a set."""
HOPELESS = 0.3
"""The part of that which is left if they cannot, but for what comes out of the pool."""
ORDERS = (0.0, 0.35, 1.1, 3.0, 0.3)
"""What so many Orders in a hand are worth."""
CHAOS_COST = 0.5
"""What Chaos costs; half of the points that would be lost by it come on top."""
FOURTH = 0.6
"""What the fourth card of an own set costs, as long as it can be parted with."""
UNSEEN = 0.17
"""What a card that nobody knows is worth on the average."""
DUMPED = -0.05
"""What a card is worth that another seat has chosen to give away."""
SPOIL = 0.14
"""What a card is worth that is won in a battle."""
ROW = 0.05
"""What a search is worth for being one of three in a row."""
DRIVEN = 0.3
"""What it is worth to drive an Order out of another hand."""
VOID = 1.0
"""What a set that is turned face down was worth."""
AHEAD, LEVEL, BEHIND = 3.0, 0.5, -3.0
"""What it is worth to end the game."""

_X, _O = CHAOS.index, ORDER.index


class _Table:
    """What a seat sees, in the terms of the rules of thumb."""

    def __init__(self, observation: Observation) -> None:
        public = observation.public
        self.observation = observation
        self.me = observation.player
        self.seats = len(observation.players)
        self.others = [seat for seat in range(self.seats) if seat != self.me]
        self.rules: ChaosRules = observation.rules  # type: ignore[assignment]
        self.sizes = [len(zones["hand"]) for zones in observation.players]
        self.pool = _counts(observation.table["pool"])
        self.hits: int = public["hits"]
        self.used: int = public["used"]
        self.turn_player: int = public["turn_player"]
        self.partner: int | None = public["partner"]
        self.voided = public["voided"]
        self.sets = [
            [kind for kind in zones["sets"][::3] if kind is not None]
            for zones in observation.players
        ]
        self.laid = _counts(kind for sets in self.sets for kind in sets)
        self.gone = _counts(observation.out)
        self.own_sets = _counts(kind for kind in self.sets[self.me] if kind not in self.voided)
        self.mine = _counts(observation.hand)
        self.prices = [
            _prices(self.own_sets[kind] if self.laid[kind] else None, self.pool[kind])
            for kind in range(1, _O)
        ]
        self.now = self.worth(self.mine)
        self._gains: dict[tuple[int | None, int | None], float] = {}

    @cached_property
    def known(self) -> list[tuple[Counts, Counts]]:
        """The least and the most of each kind in each hand."""
        return glance(self.observation)

    @cached_property
    def room(self) -> list[int]:
        """How many cards of each hand are not known."""
        return [size - sum(low) for size, (low, _) in zip(self.sizes, self.known, strict=True)]

    # What hands are worth.

    def worth(self, hand: Sequence[int]) -> float:
        """What a hand is worth to this seat, Orders beside Chaos being lost (X4)."""
        total = 0.0
        for price, n in zip(self.prices, hand[1:_O], strict=True):
            total += price[n]
        if hand[_X]:
            return total - CHAOS_COST - sum(self.own_sets) / 2
        return total + ORDERS[hand[_O]]

    def gain(self, gained: int | None, lost: int | None) -> float:
        """What it is worth to gain one kind of card and to lose another."""
        found = self._gains.get((gained, lost))
        if found is None:
            hand = self.mine.copy()
            if gained is not None:
                hand[gained] += 1
            if lost is not None:
                hand[lost] -= 1
            found = self._gains[gained, lost] = self.worth(hand) - self.now
        return found

    def losses(self, kinds: Iterable[int] = range(_O + 1)) -> list[tuple[float, int]]:
        """For each kind in the own hand what it is worth to lose a card of it."""
        return [(self.gain(None, kind), kind) for kind in kinds if self.mine[kind]]

    def worth_of(self, seat: int) -> float:
        """What the hand of another seat would be worth to this one."""
        low, high = self.known[seat]
        value = self.worth(low) + UNSEEN * self.room[seat]
        if not low[_X] and high[_X]:
            value -= self.chance(seat, _X) * CHAOS_COST
        return value

    def chance(self, seat: int, kind: int) -> float:
        """The chance that another hand holds a kind of card."""
        low, high = self.known[seat]
        if low[kind] or not high[kind]:
            return float(low[kind] > 0)
        left = 2 if kind == _X else COPIES
        left -= self.mine[kind] + self.pool[kind] + self.gone[kind] + 3 * self.laid[kind]
        places = len(self.observation.table["spring"])
        for other in self.others:
            fewest, most = self.known[other]
            left -= fewest[kind]
            if most[kind]:
                places += self.room[other]
        # Whoever throws Orders keeps none, so an Order is likelier in another hand.
        return 1 - (1 - self.room[seat] / max(places, 1)) ** max(left, 0)

    # The end.

    def end(self, hand: Sequence[int], orders: int = 0) -> float:
        """What it is worth to be left with a hand, with ``orders`` more of them in the pool.

        That is nothing unless it ends the game.
        """
        size = sum(hand)
        alone = size == hand[_O] == 3 and self.rules.order_end == "automatic"
        if size and not alone and self.pool[_O] + orders < COPIES:
            return 0.0
        ended = None
        if alone:
            ended = "declared" if self.turn_player == self.me else "revealed"
        cards = [kind for kind, n in zip(KINDS, hand, strict=True) for _ in range(n)]
        mine = score(self.sets[self.me], self.voided, cards, ended, self.rules.order_bonus)
        best = max(self.points(seat) for seat in self.others)
        return AHEAD if mine > best else LEVEL if mine == best else BEHIND

    def points(self, seat: int) -> int:
        """The points of another seat, for all that can be seen."""
        low = self.known[seat][0]
        cards = [kind for kind, n in zip(KINDS, low, strict=True) for _ in range(n)]
        return score(self.sets[seat], self.voided, cards)


@cache
def _prices(own_sets: int | None, pooled: int) -> tuple[float, ...]:
    """What each number of Spectrum cards is worth, by the own sets of their kind that are laid.

    ``None`` stands for a kind of which nobody has laid a set.
    """
    if own_sets is not None:
        return tuple(-FOURTH * own_sets * n for n in range(COPIES + 1))
    hope = 1 if COPIES - pooled >= 3 else HOPELESS
    return tuple(each * hope for each in NUMBER)


def _counts(cards: Iterable[Card | None]) -> Counts:
    counts = [0] * len(KINDS)
    for card in cards:
        if card is not None:
            counts[card.index] += 1
    return counts


# ------------------------------------------------------------------- what each choice is worth


def _lay(table: _Table, card: Card) -> float:
    """As soon as it may, unless that ends the game at a bad time."""
    hand = table.mine.copy()
    hand[card.index] -= 3
    return 10.0 + 10 * table.end(hand)


def _take(table: _Table, card: Card) -> float:
    return table.gain(card.index, None) - VOID * table.own_sets[card.index]


def _search(table: _Table, card: Card) -> float:
    return max(_ask_for(table, card.index, seat) for seat in table.others)


def _ask(table: _Table, seat: int) -> float:
    shown: Card = table.observation.public["shown"][0]
    return _ask_for(table, shown.index, seat)


def _ask_for(table: _Table, kind: int, seat: int) -> float:
    chance = table.chance(seat, kind)
    miss = (1 - chance) * table.gain(None, kind)
    if not chance:
        return miss
    row = ROW if table.used == table.hits else 0.0
    return miss + chance * (table.gain(kind, None) + row)


def _exchange(table: _Table, seat: int) -> float:
    given, kind = max(table.losses())
    if kind == _X:
        given += DRIVEN * table.known[seat][0][_O]
    return given + DUMPED


def _battle(table: _Table, _: None) -> float:
    return max(_fight_with(table, kind) for _, kind in table.losses())


def _play(table: _Table, card: Card) -> float:
    return _fight_with(table, card.index)


def _fight_with(table: _Table, kind: int) -> float:
    """An Order is never risked; what others play is anything, for all that is known."""
    hand = table.mine.copy()
    hand[kind] -= 1
    others = table.seats - 1
    wins = 0.0 if kind == _O else (kind / _O) ** others
    return (1 - wins) * (table.gain(None, kind) + table.end(hand)) + wins * SPOIL * others


def _draw(_table: _Table, _: None) -> float:
    return 0.0


def _done(table: _Table, _: None) -> float:
    """Nothing, unless the card that comes next ends the game well."""
    return max(0.0, *[_end_by(table, kind) for kind, n in enumerate(table.mine) if n])


def _end_by(table: _Table, kind: int) -> float:
    """What a discard is worth for ending the game; after Chaos another hand may come (X12)."""
    if kind == _X:
        return 0.0
    hand = table.mine.copy()
    hand[kind] -= 1
    return table.end(hand, int(kind == _O))


def _discard(table: _Table, card: Card) -> float:
    kind = card.index
    value = table.gain(None, kind)
    if kind == _X:
        hand = table.mine.copy()
        hand[_X] -= 1
        return value + _turn_gain(table, hand)
    return value + _end_by(table, kind)


def _give(table: _Table, card: Card) -> float:
    kind = card.index
    value = table.gain(None, kind)
    other = table.partner if table.partner != table.me else table.turn_player
    if kind == _X and other is not None:
        value += DRIVEN * table.known[other][0][_O]
    return value


def _rotate(table: _Table, steps: int) -> float:
    if not steps:
        return table.now
    return table.worth_of((table.me - steps) % table.seats)


def _turn_gain(table: _Table, hand: Sequence[int]) -> float:
    """What the best rotation would add to a hand that is left."""
    steps = range(max(1, table.rules.rotation_min), table.seats)
    gain = max(_rotate(table, n) for n in steps) - table.worth(hand)
    return gain if table.rules.rotation_min else max(0.0, gain)


def _speak(_table: _Table, _: None) -> float:
    return 1.0


_VALUES: Mapping[str, Callable[[_Table, Any], float]] = {
    "lay": _lay,
    "take": _take,
    "draw": _draw,
    "search": _search,
    "ask": _ask,
    "exchange": _exchange,
    "battle": _battle,
    "done": _done,
    "discard": _discard,
    "drop": _discard,
    "give": _give,
    "play": _play,
    "rotate": _rotate,
    "declare": _speak,
    "silent": _done,
}
