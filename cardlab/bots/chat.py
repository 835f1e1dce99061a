"""A bot for CHAT that keeps an eye on the clock and reckons what each card would do."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from cardlab.cards import JOKER, PACK, Card, Suit
from cardlab.engine import Action, Observation
from cardlab.games.chat import CHATRules
from cardlab.games.chat_judge import BEATS, NONE, judge, spade_options

__all__ = ["Careful"]


class Careful:
    """Plays by rules of thumb about what its observation shows.

    *The clock* (C19, C20)
        1. Whose stock is empty first has lost, so it draws no more than one card, unless its stock
           stays larger than the other's all the same.
    *Cards* (C7 to C9)
        2. Every card that it has not seen may be what the other plays. For each base and each
           additional card it reckons the chance to succeed: which cards of the other would be lined
           up, cancelled or beaten (C16), and what the totals would be.
        3. A success is worth the shield that falls or stays; the fewer are left, the more.
        4. A card costs what it could do later: high cards more than low ones, cards of which it has
           two or three of a number more than single ones, and all of them more when the hand is
           small.
    *The joker* (C9, C13)
        5. It is worth the two shields that it moves, and costs more than one of them: it comes when
           no other card has a good chance, or when it wins or saves the game.
        6. A block is announced whenever it can be, with the cheapest three cards (C11, C12).
    *More cards* (C10, C15, C16b)
        7. It adds cards only if that turns a failure into a success, and then the cheapest; the
           spade cancels what leads to the best result.
    """

    name = "careful"

    def choose(
        self, observation: Observation, legal_actions: Sequence[Action], rng: random.Random
    ) -> Action:
        """The action that the rules of thumb prefer; one of them, if there are several."""
        if len(legal_actions) == 1:
            return legal_actions[0]
        worth = _WORTH.get(observation.phase)
        if worth is None:
            return rng.choice(legal_actions)
        table = _Table(observation)
        values = [worth(table, action.arg) for action in legal_actions]
        best = max(values)
        return rng.choice(
            [action for action, value in zip(legal_actions, values, strict=True) if value == best]
        )


# All that follows is in shields; the numbers are the best of those tried, and hardly matter.

SHIELD = (0.0, 4.0, 1.8, 1.3, 1.0, 1.0)
"""What a shield is worth, by how many its owner has left."""

CARD, RANK, MATE, JOKER_COST = 0.1, 0.06, 0.03, 1.4
"""What a card costs, more for each rank, more for each other of its number; what the joker does."""

UNBLOCKED = 0.97
"""The chance that a joker is not blocked."""


class _Table:
    """What a seat sees, in the terms of the rules of thumb."""

    def __init__(self, observation: Observation) -> None:
        me = observation.player
        self.rules: CHATRules = observation.rules  # type: ignore[assignment]
        self.mine = observation.players[me]
        self.theirs = observation.players[1 - me]
        self.attacks = observation.public["attacker"] == me
        self.my_shields = _count(self.mine["shields"])
        self.their_shields = _count(self.theirs["shields"])
        self.hand = observation.hand
        self.ranks = [card.rank for card in self.hand]
        self._observation = observation
        self.others = self._others()
        self._costs = {card: self._cost(card) for card in self.hand}
        # The same lead comes from many pairs of bases.
        self._chances: dict[tuple[int, Card | None], float] = {}

    def _others(self) -> list[list[int]]:
        """For each suit how many of the cards that are not seen have at most a rank."""
        seen = {*self._observation.out, *self.hand}
        for zones in (self.mine, self.theirs):
            for zone in ("base", "extra", "block", "hand"):
                seen.update(card for card in zones[zone] if card is not None)
        unseen = {card.index for card in (*PACK, JOKER) if card not in seen}
        self.joker_unseen = JOKER.index in unseen
        suits = [[index in unseen for index in range(place, 52, 4)] for place in range(4)]
        return [[0, *accumulate(held)] for held in suits]

    # What things are worth, in shields.

    def success(self) -> float:
        """What it is worth to succeed in this turn."""
        return SHIELD[self.their_shields if self.attacks else self.my_shields]

    def joker(self) -> float:
        """What it is worth to play the joker."""
        theirs = self.their_shields
        other = SHIELD[max(theirs - 1, 0)] if self.attacks else SHIELD[self.my_shields]
        return UNBLOCKED * (SHIELD[theirs] + other) - JOKER_COST

    def cost(self, card: Card) -> float:
        """What it costs to give a card of the hand away; it is more when there are few."""
        return self._costs[card]

    def _cost(self, card: Card) -> float:
        if card is JOKER:
            return JOKER_COST
        mates = self.ranks.count(card.rank) - 1
        return (CARD + RANK * card.rank + MATE * mates) * 4 / (1.5 + len(self.hand))

    # The chance to succeed.

    def chance(self, base: int, extra: Card | None, other_base: int) -> float:
        """The chance to succeed with these cards, whatever the other's additional card is."""
        key = base - other_base, extra
        if key not in self._chances:
            self._chances[key] = self._chance(*key)
        return self._chances[key]

    def _chance(self, lead: int, extra: Card | None) -> float:
        if not self.attacks:
            # A tie is defended.
            lead += 1
        full = lead + extra.rank if extra else lead
        hand = len(self.theirs["hand"])
        if not hand:
            return float(full > 0)
        won, total = 0, int(self.joker_unseen)
        for counts, (mine_counts, theirs_counts) in zip(
            self.others, _MEETINGS[extra and extra.suit], strict=True
        ):
            mine = full if mine_counts else lead
            total += counts[13]
            if mine > 0:
                # The other's card has to be below the lead, if it counts.
                won += counts[min(mine - 1, 13) if theirs_counts else 13]
        none = 1 / (hand + 1)
        return none * (full > 0) + (1 - none) * won / (total or 1)


def _meeting(mine: Suit | None, theirs: Suit) -> tuple[bool, bool]:
    """Which of two additional cards counts: this seat's, the other's."""
    if mine is None or mine is theirs:
        return mine is not None, True
    if Suit.SPADES in (mine, theirs):
        return False, False
    wins = (mine, theirs) in BEATS
    return wins, not wins


_MEETINGS = {mine: [_meeting(mine, theirs) for theirs in Suit] for mine in (None, *Suit)}


def _count(shields: Sequence[Card | None]) -> int:
    return sum(card is not None for card in shields)


# ------------------------------------------------------------------- what each choice is worth


def _base(table: _Table, card: Any) -> float:
    """A base is worth what it can be made of after the other's is seen."""
    if not isinstance(card, Card):
        return 0.0
    rest = [None, *[other for other in table.hand if other is not card]]
    total, number = 0.0, 0
    for rank in range(1, 14):
        held = sum([counts[rank] - counts[rank - 1] for counts in table.others])
        if held:
            number += held
            total += held * max([_extra_value(table, card.rank, extra, rank) for extra in rest])
    return total / (number or 1) - table.cost(card)


def _extra(table: _Table, card: Any) -> float:
    mine, theirs = _rank(table.mine["base"]), _rank(table.theirs["base"])
    return _extra_value(table, mine, card if isinstance(card, Card) else None, theirs)


def _extra_value(table: _Table, base: int, card: Card | None, other_base: int) -> float:
    if card is JOKER:
        return table.joker()
    value = table.chance(base, card, other_base) * table.success()
    return value - table.cost(card) if card else value


def _rank(cards: Sequence[Card | None]) -> int:
    return cards[0].rank if cards and cards[0] is not None else 0


def _declare(table: _Table, word: Any) -> float:
    if word != "more":
        return _result(table, ())
    return max(_further(table, (card,)) for card in _mates(table))


def _mates(table: _Table) -> list[Card]:
    extra = table.mine["extra"][0]
    return [card for card in table.hand if extra is not None and card.rank == extra.rank]


def _further(table: _Table, added: Any) -> float:
    return _result(table, added) - sum(table.cost(card) for card in added)


def _result(table: _Table, added: Sequence[Card]) -> float:
    """What the battle is worth if the other adds nothing."""
    mine = [card for card in (*table.mine["extra"], *added) if card is not None]
    theirs = [card for card in table.theirs["extra"] if card is not None]
    options = spade_options(mine, theirs, table.rules.spade_target)
    verdicts = [_wins(table, mine, theirs, card) for card in options or (None,)]
    if not options or options[0] in theirs:
        return max(verdicts) * table.success()
    return min(verdicts) * table.success()


def _wins(table: _Table, mine: Sequence[Card], theirs: Sequence[Card], cancel: Card | None) -> bool:
    """Whether the battle succeeds for this seat."""
    my_base, their_base = _rank(table.mine["base"]), _rank(table.theirs["base"])
    if table.attacks:
        attack, defence, *_ = judge(my_base, mine, their_base, theirs, cancel, 0, [])
        return attack > defence
    attack, defence, *_ = judge(their_base, theirs, my_base, mine, cancel, 0, [])
    return attack <= defence


def _cancel(table: _Table, card: Any) -> float:
    mine = [each for each in table.mine["extra"] if each is not None]
    theirs = [each for each in table.theirs["extra"] if each is not None]
    return float(_wins(table, mine, theirs, None if card == NONE else card))


def _respond(_: _Table, word: Any) -> float:
    return float(word == "block")


def _block(table: _Table, cards: Any) -> float:
    return -sum(table.cost(card) for card in cards if card in table.hand)


def _refill(table: _Table, number: Any) -> float:
    """As many as the stock's lead allows, otherwise as few as possible."""
    lead = len(table.mine["stock"]) - len(table.theirs["stock"])
    return float(number if number <= max(lead, 1) else -number)


_WORTH = {
    "base": _base,
    "extra": _extra,
    "declare": _declare,
    "respond": _respond,
    "block": _block,
    "further": _further,
    "cancel": _cancel,
    "refill": _refill,
}
