"""What a seat of CHAT cannot see, drawn at random: which cards the other seat may hold.

A hidden hand is not any hand. Who declared more surely holds a further card of that number, who
declared a block holds three of a number, and who has secretly laid a card had to hold it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from math import comb
from typing import TYPE_CHECKING, Any, NamedTuple

from cardlab.cards import JOKER, ORDER, PACK, UNKNOWN, Card
from cardlab.engine import Action
from cardlab.games.chat_judge import subsets, triples

if TYPE_CHECKING:
    from cardlab.games.chat import CHATSeat, CHATState


class Case(NamedTuple):
    """One way in which a hidden hand may be what it must be: its secret choice, cards it needs."""

    action: Action | None
    needs: tuple[Card, ...]


class Hidden:
    """What seat ``me`` cannot see of a state that is known but for that.

    It is worked out once; many full states can be drawn.
    """

    def __init__(self, state: CHATState, me: int) -> None:
        hand = state.players[1 - me].hand
        known = [card for card in hand if card is not UNKNOWN]
        self.unseen = _unseen(state)
        self.size = len(hand) - len(known)
        cases = [
            Case(action, tuple([card for card in needs if card not in known]))
            for action, needs in _cases(state, 1 - me, [*self.unseen, *known])
        ]
        self.cases = [case for case in cases if len(case.needs) <= self.size]
        n, size = len(self.unseen), self.size
        self.weights = [comb(n - len(needs), size - len(needs)) for _, needs in self.cases]
        self.state, self.me = state, me

    def draw(self, rng: random.Random, seed: int) -> CHATState:
        """A full state with this seed.

        Every full state that agrees with what is seen is equally likely, and so is every secret
        choice of the other seat in it.
        """
        state, me = self.state.clone(), self.me
        state.seed = seed
        other = state.players[1 - me]
        state.pending[1 - me], hand = self._draw_hand(rng)
        rest = [card for card in self.unseen if card not in hand]
        rng.shuffle(hand)
        _fill_unknown(other.hand, hand)
        rng.shuffle(rest)
        for place in (*state.players, state.table):
            for content in place.zones().values():
                if UNKNOWN in content:
                    _fill_unknown(content, rest)
        return state

    def _draw_hand(self, rng: random.Random) -> tuple[Action | None, list[Card]]:
        """A secret choice and the unknown cards of a hand, uniform over all pairs of the two.

        A case is drawn in proportion to the hands that contain what it needs. Where several cases
        with one choice stand for the same hand, the hand is kept with a chance of one in their
        number.
        """
        cases = self.cases
        while True:
            (case,) = rng.choices(cases, self.weights)
            others = [card for card in self.unseen if card not in case.needs]
            drawn = [*case.needs, *rng.sample(others, self.size - len(case.needs))]
            ways = 1
            if len(cases) > 1:
                ways = sum(
                    action is case.action and all(card in drawn for card in needs)
                    for action, needs in cases
                )
            if ways == 1 or rng.randrange(ways) == 0:
                return case.action, drawn


def _unseen(state: CHATState) -> list[Card]:
    seen = set(state.out)
    for place in (*state.players, state.table):
        for content in place.zones().values():
            seen.update(content)
    return [card for card in (*PACK, JOKER) if card not in seen]


def _cases(state: CHATState, player: int, holdable: Sequence[Card]) -> Iterator[Case]:
    """What a hand of ``holdable`` cards may be, as the phase and the declarations have it."""
    game, phase, seat = state.game, state.phase, state.players[player]
    word = state.declared[player]
    committed = phase in state.TOGETHER and player in state._owed() and player not in state.to_move
    if phase == "base":
        yield from _base_cases(state, seat, holdable, committed)
    elif phase == "extra" and committed:
        yield Case(game.no_extra, ())
        yield from (Case(game.extra[card.index], (card,)) for card in holdable)
    elif phase == "refill" and committed:
        fewest, most = state._refill_range(seat)
        yield from (Case(game.refill[n], ()) for n in range(fewest, most + 1))
    elif phase == "block" and word == "block":
        table = seat.extra + seat.base if game.rules.block_may_use_base else seat.extra
        for triple in triples([*holdable, *table]):
            yield Case(None, tuple([card for card in triple if card not in table]))
    elif phase in ("declare", "further") and (committed or word == "more"):
        mates = sorted([card for card in holdable if card.rank == seat.extra[0].rank], key=ORDER)
        if phase == "further" and committed:
            yield from (Case(game.further[subset], subset) for subset in subsets(mates))
        elif word == "more":
            yield from (Case(None, (card,)) for card in mates)
        else:
            yield Case(game.declare["enough"], ())
            yield from (Case(game.declare["more"], (card,)) for card in mates)
    else:
        yield Case(None, ())


def _base_cases(
    state: CHATState, seat: CHATSeat, holdable: Sequence[Card], committed: bool
) -> Iterator[Case]:
    """A hand from which a base was chosen, or that is not the joker alone where that has lost."""
    game, reading = state.game, state.game.rules.only_joker_hand
    lone = len(seat.hand) == 1
    if not committed and not (lone and reading == "lose"):
        yield Case(None, ())
        return
    for card in holdable:
        if card is not JOKER:
            yield Case(game.base[card.index] if committed else None, (card,))
        elif lone and reading != "lose":
            yield Case(game.lone_joker, (JOKER,))


def _fill_unknown(content: list[Any], hidden: list[Card]) -> None:
    """Put hidden cards, from the last one on, in the places whose face is unknown."""
    for place, card in enumerate(content):
        if card is UNKNOWN:
            content[place] = hidden.pop()
