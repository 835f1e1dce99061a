"""The bots at the seats of a recorded game: what they choose, and how their choices are taken back.

Where seats choose together, a bot has chosen before a person does. If that person then takes the
move back, it has seen the bot's card. So the whole step is taken back, all who took part in it
choose anew, and a bot whose choice was seen draws any legal one by lot: nothing of the earlier
choices is shown, nor can the new one be foreseen.
"""

from __future__ import annotations

import random
from collections.abc import Mapping

from cardlab.bots import Bot, bot_rng
from cardlab.engine import Action, State
from cardlab.record import Record


class SeatedBots:
    """The bots that play in a record.

    A bot's choice depends on the seed, its seat and the number of actions so far: after an undo or
    a resumption, the same moves lead to the same game, but for what was shown together.

    Parameters
    ----------
    record
        The game.
    bots
        The bot of each seat that has one.

    >>> from cardlab import load_game
    >>> from cardlab.bots import RandomBot
    >>> deck = "2b2bbbbb0b022"
    >>> record = Record.new(load_game("gpt", decks=(deck, deck)), seed=7, seats=("human", "random"))
    >>> bots = SeatedBots(record, {1: RandomBot()})
    >>> action, seat = bots.choice()
    >>> events = record.append(action, seat)
    >>> bots.choice() is None
    True
    """

    def __init__(self, record: Record, bots: Mapping[int, Bot]) -> None:
        self.record = record
        self.bots = bots
        self._seen: set[int] = set()
        self._undone = 0

    def choice(self) -> tuple[Action, int] | None:
        """What the first bot that is to move chooses, and its seat; ``None`` if there is none."""
        state = self.record.state
        for seat in state.to_move:
            if seat in self.bots:
                return self._choice(state, seat), seat
        return None

    def _choice(self, state: State, seat: int) -> Action:
        seed, number = self.record.seed, len(self.record.actions)
        legal = state.legal_actions(seat)
        if number in self._seen and state.phase in state.TOGETHER:
            return random.Random(f"cardlab lot:{seed}:{seat}:{number}:{self._undone}").choice(legal)
        seen = self.record.observation(seat)
        return self.bots[seat].choose(seen, legal, bot_rng(seed, seat, number))

    def take_back(self, number: int) -> bool:
        """Take back all actions from this one on.

        Returns whether it had been shown together with others, which are then taken back, too.

        Raises what :meth:`Record.undo` raises.
        """
        actions = self.record.actions
        step = _shown_together(self.record.replay(number), number)
        together = len(step) > 1 and len(actions) >= step.stop
        if together:
            self._seen.update(place for place in step if actions[place][0] in self.bots)
            self._undone += 1
        self.record.undo(len(actions) - (step.start if together else number))
        return together


def _shown_together(state: State, number: int) -> range:
    """The places of the choices that are shown at the same time, after ``number`` actions."""
    commit = state.TOGETHER.get(state.phase)
    if commit is None or commit.stays_secret:
        return range(number, number)
    made = len(state.pending) - state.pending.count(None)
    return range(number - made, number + len(state.to_move))
