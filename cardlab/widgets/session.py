"""One game being played: people and bots at their seats, and the record of what they did."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, Self

from cardlab import locale
from cardlab.bots import Bot, list_bots, load_bot
from cardlab.bots.seated import SeatedBots
from cardlab.engine import Action, Game, Observation
from cardlab.errors import CardlabError, IllegalActionError, NotationError, RecordError
from cardlab.games import PLAYERS, load_game
from cardlab.record import Record

HUMAN = "human"
"""The name of a seat at which a person sits; any other is that of a bot."""


class _Moment(NamedTuple):
    """Where a person decides: after how many actions, who, and what the seats had planned."""

    actions: int
    player: int
    planned: Mapping[int, tuple[Action, ...]]


class Undone(NamedTuple):
    """What was taken back.

    Attributes
    ----------
    player, actions
        Whose decision it was, and what it was.
    together
        Whether it had been shown with the choices of others, so that all of these choose anew.
    """

    player: int
    actions: tuple[Action, ...]
    together: bool


class _InWords:
    """An action that is named in a sentence."""

    def __init__(self, game: Game, action: Action) -> None:
        self.game = game
        self.action = action

    def text(self, lang: str) -> str:
        return self.game.describe(self.action, lang)


def seated(game: str, seats: Sequence[str] | None) -> Game:
    """The game of that name for so many seats, if it is one for several numbers of players.

    >>> seated("gpt", None)
    load_game('gpt')
    """
    loaded = load_game(game)
    if seats is None or len(seats) == loaded.num_players or not hasattr(loaded.rules, PLAYERS):
        return loaded
    return load_game(game, **{PLAYERS: len(seats)})


class Session:
    """A game in progress, which moves on by itself until a person owes a decision.

    Whoever shows it asks :meth:`view`, and so learns only what the seat may know. After an undo the
    same move leads to the same game, unless choices had been shown together: then everybody chooses
    anew, see :mod:`cardlab.bots.seated`.

    Parameters
    ----------
    game
        The game under its options.
    seats
        For each seat ``"human"`` or the name of a bot; by default a person against the strongest.
    seed
        Seed of the game; ``None`` for a fresh one.

    Raises :class:`~cardlab.errors.RulesError` for a bot or a seed that does not exist,
    :class:`~cardlab.errors.RecordError` for a wrong number of seats.

    >>> import cardlab
    >>> session = Session(cardlab.load_game("gpt"), seed=1)
    >>> session.deciders, session.view(0).phase
    ((0,), 'deck')
    """

    def __init__(
        self, game: Game, seats: Sequence[str] | None = None, seed: int | None = None
    ) -> None:
        if seats is None:
            seats = [HUMAN, *list_bots(game.name)[-1:] * (game.num_players - 1)]
        self._sit_down(Record.new(game, seed, seats))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """The game that a file holds, where it was left; ``record.warning`` tells what was odd.

        Raises :class:`~cardlab.errors.RecordError` when the file holds no game.
        """
        session = cls.__new__(cls)
        session._sit_down(Record.load(path))
        return session

    def _sit_down(self, record: Record) -> None:
        self.record = record
        self._bots: dict[int, Bot] = {
            seat: load_bot(name, record.game)
            for seat, name in enumerate(record.seats)
            if name != HUMAN
        }
        self._seated = SeatedBots(record, self._bots)
        self._planned: dict[int, list[Action]] = {}
        self._decisions = [
            _Moment(number, player, {})
            for number, (player, _) in enumerate(record.actions)
            if player not in self._bots
        ]
        self._move_on()

    # Looking.

    @property
    def game(self) -> Game:
        """The game that is played."""
        return self.record.game

    @property
    def seats(self) -> tuple[str, ...]:
        """``"human"`` or the name of a bot for each seat."""
        return self.record.seats

    @property
    def humans(self) -> tuple[int, ...]:
        """The seats at which people sit."""
        return tuple(seat for seat, name in enumerate(self.seats) if name == HUMAN)

    @property
    def deciders(self) -> tuple[int, ...]:
        """The people's seats that owe a decision now; empty when the game is over."""
        return tuple(
            seat
            for seat in self.record.state.to_move
            if seat not in self._bots and not self._planned.get(seat)
        )

    def names(self, lang: str = "en") -> tuple[str, ...]:
        """What the seats are called: "Player 1", "Computer"; several bots have their number."""
        numbered = len(self.seats) > 2 or not self.humans

        def name(seat: int) -> str:
            if seat not in self._bots:
                return locale.text("core.seat", lang, seat=seat)
            number = str(seat + 1) if numbered else ""
            return locale.text("widgets.computer", lang, number=number).rstrip()

        return tuple(map(name, range(len(self.seats))))

    def view(self, player: int) -> Observation:
        """What ``player`` may see."""
        return self.record.observation(player)

    def legal_actions(self, player: int) -> tuple[Action, ...]:
        """What ``player`` may do now; empty for a seat that owes no decision."""
        return tuple(self.record.state.legal_actions(player)) if player in self.deciders else ()

    # Playing.

    def act(self, *actions: Action | str, player: int | None = None) -> None:
        """Let a person decide; then the bots, until a person owes a decision again.

        Several ``actions`` are one decision: the first is done now, each other one when the seat is
        to move again. That is how a whole deck is handed in while the other seat picks too.

        Raises what :meth:`State.apply` raises, and the game is then as it was before.
        """
        owed = self.deciders
        if player is None:
            player = owed[0] if owed else 0
        if player not in owed:
            raise self._not_owed(player, owed)
        before = self._moment(player)
        self._planned[player] = [
            action if isinstance(action, Action) else self.game.parse_action(action)
            for action in actions
        ]
        try:
            with self._refused_in_words():
                self._move_on()
        except BaseException:  # a bot's fault or an interrupt leaves no half decision either
            self._planned = {seat: list(planned) for seat, planned in before.planned.items()}
            self.record.undo(len(self.record.actions) - before.actions)
            raise
        self._decisions.append(before)

    def undo(self) -> Undone:
        """Go back to where a person last decided.

        Raises :class:`~cardlab.errors.IllegalActionError` when nobody has decided anything yet.
        """
        if not self._decisions:
            raise IllegalActionError("widgets.error.nothing_to_undo")
        moment = self._decisions.pop()
        actions, planned = self.record.actions, self._planned
        together = self._seated.take_back(moment.actions)
        while self._decisions and self._decisions[-1].actions >= len(self.record.actions):
            moment = self._decisions.pop()
        player = moment.player
        undone = [action for seat, action in actions[moment.actions :] if seat == player]
        undone += planned.get(player, [])
        self._planned = {seat: list(planned) for seat, planned in moment.planned.items()}
        self._move_on()
        return Undone(player, tuple(undone), together)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the game to a file, which may hold an older game but nothing else.

        Raises :class:`~cardlab.errors.RecordError` when it cannot be written, or holds something
        that is no game.
        """
        if Path(path).is_file():
            try:
                Record.load(path)
            except CardlabError:
                raise RecordError("widgets.error.not_a_game", path=str(path)) from None
        self.record.save(path)

    def _moment(self, player: int) -> _Moment:
        planned = {seat: tuple(actions) for seat, actions in self._planned.items()}
        return _Moment(len(self.record.actions), player, planned)

    @contextmanager
    def _refused_in_words(self) -> Iterator[None]:
        """A refusal names the action as people do, not in notation."""
        try:
            yield
        except IllegalActionError as error:
            try:
                action = self.game.parse_action(error.params.get("action", ""))
            except NotationError:
                raise error from None
            named = {**error.params, "action": _InWords(self.game, action)}
            raise IllegalActionError(error.key, error.rule, **named) from None

    def _not_owed(self, player: int, owed: tuple[int, ...]) -> IllegalActionError:
        if self.record.state.is_terminal():
            return IllegalActionError("core.error.game_over")
        return IllegalActionError(
            "core.error.not_to_move", player=player + 1, allowed=[seat + 1 for seat in owed]
        )

    def _move_on(self) -> None:
        while (choice := self._next()) is not None:
            self.record.append(*choice)

    def _next(self) -> tuple[Action, int] | None:
        """The next action that needs nobody's decision any more, and whose it is.

        Bots come first, so that the number of actions before a bot's choice does not depend on when
        a person decides.
        """
        choice = self._seated.choice()
        if choice is not None:
            return choice
        for seat in self.record.state.to_move:
            if self._planned.get(seat):
                return self._planned[seat].pop(0), seat
        return None
