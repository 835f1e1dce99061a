"""A table of chances as a player of GPT, the few things that it looks at, and the learned one.

A table has one row for each of the situations that an :class:`Abstraction` tells apart, and in it
the weights of the lowest, the middle and the highest card of the hand.
"""

from __future__ import annotations

import base64
import hashlib
import json
import random
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from itertools import combinations_with_replacement
from typing import Any

from cardlab.bots.gpt import Careful
from cardlab.cards import UNKNOWN, Card
from cardlab.engine import Action, Observation
from cardlab.games.gpt import GPTRules
from cardlab.games.gpt_deck import UNIVERSE, Deck

__all__ = ["CARDS", "Abstraction", "Learned", "considered", "learned", "situation"]

CARDS = 3
"""How many cards of a hand are considered, and how many weights a row has."""

MOST_TURNS = 10
MOST_SHIELDS = 5

_PLACE = {card: place for universe in UNIVERSE for place, card in enumerate(universe)}


@dataclass(frozen=True)
class Abstraction:
    """Which situations are told apart.

    Attributes
    ----------
    buckets
        For each of the 26 places in the order of strength, red ace to black king, the class of that
        card: 1, 2 ... without gaps, ascending.
    theirs
        Levels of the other seat's hidden cards: ascending bounds, in half numbers, of the mean
        number that its hidden cards can have at the most (G4). ``n`` bounds make ``n + 1`` levels.
    own
        The same for the mean number of one's own cards that one cannot see.

    A situation further consists of the cards still to be played (up to 10) and the shields of both
    seats (up to 5 each); what is above counts as the most.

    >>> Abstraction().size
    42000
    """

    buckets: tuple[int, ...] = (1,) * 6 + (2,) * 6 + (3,) * 6 + (4,) * 4 + (5,) * 4
    theirs: tuple[int, ...] = (12, 15)
    own: tuple[int, ...] = ()

    @cached_property
    def hands(self) -> dict[tuple[int, ...], int]:
        """The place of each hand among all: three classes, ascending, 0 for no card."""
        classes = range(max(self.buckets) + 1)
        return {hand: n for n, hand in enumerate(combinations_with_replacement(classes, CARDS))}

    @property
    def shape(self) -> tuple[int, ...]:
        """How many values each part of a situation has; the hand comes last."""
        levels = len(self.theirs) + 1, len(self.own) + 1
        return MOST_TURNS, MOST_SHIELDS, MOST_SHIELDS, *levels, len(self.hands)

    @property
    def size(self) -> int:
        """The number of rows of a table."""
        size = 1
        for part in self.shape:
            size *= part
        return size

    def row(
        self,
        cards: Sequence[int],
        turns: int,
        shields: tuple[int, int],
        theirs: tuple[int, int],
        own: tuple[int, int],
    ) -> int:
        """The row of a situation.

        Parameters
        ----------
        cards
            The places of the cards in the hand, at least one, ascending.
        turns
            How many cards are still to be played.
        shields
            One's own shields and the other's, at least one each.
        theirs, own
            How many hidden cards there are, and the most or the number that they sum to.
        """
        hand = [0 if slot is None else self.buckets[cards[slot]] for slot in considered(len(cards))]
        row = min(turns, MOST_TURNS) - 1
        for number in shields:
            row = row * MOST_SHIELDS + min(number, MOST_SHIELDS) - 1
        for bounds, (count, total) in ((self.theirs, theirs), (self.own, own)):
            row = row * (len(bounds) + 1) + sum(2 * total >= bound * count for bound in bounds)
        return row * len(self.hands) + self.hands[tuple(hand)]


def considered(number: int) -> tuple[int | None, ...]:
    """The places in an ascending hand of the lowest, the middle and the highest card.

    A hand of two has no lowest one, a hand of one only the highest.

    >>> considered(3), considered(2), considered(1), considered(6)
    ((0, 1, 2), (None, 0, 1), (None, None, 0), (0, 3, 5))
    """
    if number >= CARDS:
        return 0, number // 2, number - 1
    return (None,) * (CARDS - number) + tuple(range(number))


def situation(observation: Observation, abstraction: Abstraction) -> int:
    """The row of what a seat sees in the phase ``play``."""
    rules = observation.rules
    assert isinstance(rules, GPTRules)
    me = observation.player
    mine, theirs = observation.players[me], observation.players[1 - me]
    out = set(observation.out)
    shown = [_PLACE[card] for card in UNIVERSE[1 - me] if card in out]
    hidden = list(_hidden(observation))
    return abstraction.row(
        sorted(_PLACE[card] for card in observation.hand),
        len(mine["hand"]) + len(mine["stock"]),
        (_left(mine["shields"]), _left(theirs["shields"])),
        (rules.deck_size - len(shown), rules.deck_sum_max - _sum(shown)),
        (len(hidden), _sum(hidden)),
    )


def _left(shields: Sequence[Card | None]) -> int:
    return len(shields) - shields.count(None)


def _hidden(observation: Observation) -> Iterator[int]:
    """The places of the seat's own cards whose whereabouts it does not know."""
    zones = observation.players[observation.player].values()
    seen = {card for zone in zones for card in zone} - {None, UNKNOWN}
    out = set(observation.out)
    for place, card in enumerate(UNIVERSE[observation.player]):
        if card not in seen and card not in out:
            yield place


def _sum(places: Sequence[int]) -> int:
    return sum(place // 2 + 1 for place in places)


# ------------------------------------------------------------------------------------- the learned


@dataclass(frozen=True)
class LearnedTable:
    """What ``python -m tools.train_gpt`` learned and stored.

    Attributes
    ----------
    abstraction
        The situations.
    weights
        Three bytes for each: the weights of the lowest, the middle and the highest card.
    decks
        Codes of good decks for the default rules, with their chances.
    recipe
        How it was made.
    """

    abstraction: Abstraction
    weights: bytes
    decks: dict[str, float]
    recipe: dict[str, Any]

    def to_json(self) -> str:
        """The table as the text of a file; :func:`learned` reads it."""
        packed = base64.b64encode(zlib.compress(self.weights, 9)).decode()
        document = {
            "recipe": self.recipe,
            "abstraction": {
                "buckets": self.abstraction.buckets,
                "theirs": self.abstraction.theirs,
                "own": self.abstraction.own,
            },
            "decks": self.decks,
            "sha256": hashlib.sha256(self.weights).hexdigest(),
            "weights": packed,
        }
        return json.dumps(document, indent=1) + "\n"


@cache
def learned() -> LearnedTable:
    """The learned table that comes with cardlab.

    >>> len(learned().weights) == 3 * learned().abstraction.size
    True
    """
    file = resources.files("cardlab.bots").joinpath("gpt_learned.json")
    document = json.loads(file.read_text(encoding="utf-8"))
    abstraction = {key: tuple(values) for key, values in document["abstraction"].items()}
    weights = zlib.decompress(base64.b64decode(document["weights"]))
    return LearnedTable(Abstraction(**abstraction), weights, document["decks"], document["recipe"])


class Learned(Careful):
    """Plays its cards by a table that was learned by self-play.

    Under the default rules it takes one of the decks that do best when all play like this. With
    other decks, shields and sizes it does what :class:`~cardlab.bots.gpt.Careful` does, whose way
    of naming shields it has, too.
    """

    name = "learned"

    def choose(
        self, observation: Observation, legal_actions: Sequence[Action], rng: random.Random
    ) -> Action:
        """The action that the table draws."""
        if len(legal_actions) > 1:
            if observation.phase == "play":
                return _drawn(observation, legal_actions, rng)
            if observation.phase == "deck" and (wanted := _wanted(observation, rng)):
                picks = [action for action in legal_actions if _PLACE[_card(action)] in wanted]
                if picks:
                    return rng.choice(picks)
        return super().choose(observation, legal_actions, rng)


def _drawn(observation: Observation, legal_actions: Sequence[Action], rng: random.Random) -> Action:
    table = learned()
    row = CARDS * situation(observation, table.abstraction)
    hand = sorted(observation.hand, key=_PLACE.__getitem__)
    offered = {_card(action): action for action in legal_actions}
    weighed = [
        (offered[hand[slot]], table.weights[row + number])
        for number, slot in enumerate(considered(len(hand)))
        if slot is not None and hand[slot] in offered
    ]
    if not any(weight for _, weight in weighed):
        return rng.choice([action for action, _ in weighed] or legal_actions)
    left = rng.randrange(sum(weight for _, weight in weighed))
    for action, weight in weighed:
        left -= weight
        if left < 0:
            return action
    raise AssertionError


def _card(action: Action) -> Card:
    assert isinstance(action.arg, Card)
    return action.arg


def _wanted(observation: Observation, rng: random.Random) -> set[int]:
    """The places of one of the good decks, if there is one that holds all picks."""
    picked = {card for card in observation.players[observation.player]["deck"] if card is not None}
    good = []
    for code, chance in learned().decks.items():
        deck, rules = Deck.parse(code), observation.rules
        assert isinstance(rules, GPTRules)
        fits = deck.size == rules.deck_size and deck.sum <= rules.deck_sum_max
        if fits and rules.shield_mode == "random" and all(card in deck for card in picked):
            good.append((deck, chance))
    if not good:
        return set()
    decks, chances = zip(*good, strict=True)
    (deck,) = rng.choices(decks, chances)
    return {place for place in range(26) if deck.mask >> place & 1}
