"""An observation as a vector of numbers, for learners."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from cardlab.cards import UNKNOWN, Card
from cardlab.engine import END, Game, Observation


class Encoder:
    """Turns the observations of one game into vectors of one length.

    A vector holds, in this order: for each seat, beginning with the one that looks, and then for
    the table, how many cards of each kind lie in each zone, how many of unknown face and how many
    empty places; the same for the cards out of the game; which phase it is (one-hot); which seats
    owe a decision, again beginning with the one that looks; the code of the seat's own pending
    choice plus one, or 0; the turn; and the game's public fields that are single numbers (-1 for
    none). The log is not in it: what a seat remembers has no fixed length.

    Attributes
    ----------
    size
        Length of the vectors.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        state = game.new_initial_state(seed=0)
        holders = [*state.players, state.table]
        kinds = {card for holder in holders for zone in holder.zones().values() for card in zone}
        kinds |= set(state.out)
        self._columns: dict[Card | None, int] = {
            card: column for column, card in enumerate(sorted(kinds - {None}, key=_index))
        }
        self._columns |= {UNKNOWN: len(self._columns), None: len(self._columns) + 1}
        self._phases = [*game.phases, END]
        self.size = len(self.encode(state.observation(0)))

    def encode(self, observation: Observation) -> NDArray[np.int32]:
        """The vector of an observation; int32, shape ``(size,)``, all at least -1."""
        players = observation.players
        viewer, seats = observation.player, len(players)
        around = [(viewer + step) % seats for step in range(seats)]
        numbers: list[int] = []
        for zones in (*[players[seat] for seat in around], observation.table):
            for content in zones.values():
                numbers += self._counts(content)
        numbers += self._counts(observation.out)
        numbers += [observation.phase == phase for phase in self._phases]
        numbers += [seat in observation.to_move for seat in around]
        pending = observation.pending
        numbers.append(0 if pending is None else self.game.action_code(pending) + 1)
        numbers.append(observation.turn)
        numbers += _single(observation.public.values())
        return np.array(numbers, dtype=np.int32)

    def _counts(self, content: Iterable[Card | None]) -> list[int]:
        counts = [0] * len(self._columns)
        for card in content:
            counts[self._columns[card]] += 1
        return counts

    def mask(self, actions: Iterable[int], extra: int = 0) -> NDArray[np.int8]:
        """Which action codes are legal: int8 ones and zeros, shape ``(len(actions) + extra,)``."""
        mask = np.zeros(len(self.game.actions) + extra, dtype=np.int8)
        mask[list(actions)] = 1
        return mask


def _index(card: Card | None) -> int:
    assert card is not None
    return card.index


def _single(values: Iterable[object]) -> Iterator[int]:
    for value in values:
        if value is None:
            yield -1
        elif isinstance(value, int):
            yield int(value)
