"""Programs that play. A bot sees an :class:`~cardlab.Observation`, never a state.

>>> import cardlab
>>> game = cardlab.load_game("gpt")
>>> list_bots("gpt")
['random', 'highest', 'learned', 'careful']
>>> state = play(game, ["careful", "random"], seed=1)
>>> state.is_terminal()
True
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from importlib import import_module
from typing import Any, Protocol

from cardlab.engine import Action, Game, Observation, State
from cardlab.errors import RulesError
from cardlab.games import list_games, load_game

__all__ = ["Bot", "RandomBot", "bot_rng", "list_bots", "load_bot", "play", "seat_bots"]


class Bot(Protocol):
    """What plays a seat.

    A bot keeps nothing between two calls: the same observation, actions and state of ``rng`` give
    the same choice, so that any position can be handed to it, and it can be sent to other
    processes.
    """

    @property
    def name(self) -> str:
        """What people call it, such as ``"careful"``."""

    def choose(
        self, observation: Observation, legal_actions: Sequence[Action], rng: random.Random
    ) -> Action:
        """One of ``legal_actions``, of which there is at least one.

        ``rng`` is its only source of chance.
        """


class RandomBot:
    """Chooses each legal action with the same probability; plays every game."""

    name = "random"

    def choose(
        self, observation: Observation, legal_actions: Sequence[Action], rng: random.Random
    ) -> Action:
        """Any of the actions."""
        return rng.choice(legal_actions)


_FOR_EVERY_GAME = {"random": "cardlab.bots:RandomBot"}
_BOTS: dict[str, dict[str, str]] = {
    "alicematic": {"careful": "cardlab.bots.collect:Careful"},
    "chaos": {"careful": "cardlab.bots.chaos:Careful"},
    "chat": {"careful": "cardlab.bots.chat:Careful"},
    "collect": {"careful": "cardlab.bots.collect:Careful"},
    "gpt": {
        "highest": "cardlab.bots.gpt:Highest",
        "learned": "cardlab.bots.gpt_table:Learned",
        "careful": "cardlab.bots.gpt:Careful",
    },
    "highlow": {"myopic": "cardlab.bots.highlow:Myopic", "optimal": "cardlab.bots.highlow:Optimal"},
}


def list_bots(game_name: str) -> list[str]:
    """The bots that play a game, from the weakest to the strongest.

    Raises :class:`~cardlab.errors.UnknownGameError`.
    """
    if game_name not in list_games():
        load_game(game_name)
    return [*_FOR_EVERY_GAME, *_BOTS.get(game_name, {})]


def load_bot(name: str, game: Game) -> Bot:
    """The bot ``name`` for ``game``.

    Raises :class:`~cardlab.errors.RulesError`, with the bots that there are.

    >>> load_bot("highest", load_game("gpt")).name
    'highest'
    """
    found = _FOR_EVERY_GAME | _BOTS.get(game.name, {})
    if name not in found:
        raise RulesError(
            "bots.error.bot", value=str(name), game=game.name, allowed=list_bots(game.name)
        )
    module, _, attribute = found[name].partition(":")
    bot: Bot = getattr(import_module(module), attribute)()
    return bot


def seat_bots(game: Game, bots: Sequence[Bot | str]) -> list[Bot]:
    """One bot for each seat of ``game``, from bots or their names.

    Raises :class:`~cardlab.errors.RulesError` for a wrong number of them, an unknown name, or
    something that is no bot.
    """
    if not isinstance(bots, list | tuple) or len(bots) != game.num_players:
        raise RulesError("bots.error.seats", value=repr(bots), n=game.num_players, game=game.name)
    return [_bot(bot, game) for bot in bots]


def _bot(bot: Any, game: Game) -> Bot:
    if isinstance(bot, str):
        return load_bot(bot, game)
    if isinstance(bot, type) or not callable(getattr(bot, "choose", None)):
        raise RulesError("bots.error.no_bot", value=repr(bot))
    seated: Bot = bot
    return seated


def bot_rng(seed: int, seat: int, move: int = 0) -> random.Random:
    """A generator for the bot on ``seat`` in the game ``seed``.

    It tells nothing about the game's own chance, which comes from the same seed. Whoever asks for a
    fresh one at every ``move`` can interrupt a game, or take moves back, and the bot goes on as it
    would have done.

    >>> bot_rng(7, 0).random() == bot_rng(7, 0).random() != bot_rng(7, 1).random()
    True
    """
    return random.Random(f"cardlab bot:{seed}:{seat}:{move}")


def play(game: Game, bots: Sequence[Bot | str], seed: int, state: State | None = None) -> State:
    """Let bots play ``game`` to its end.

    Parameters
    ----------
    game
        The game.
    bots
        A bot, or its name, for each seat.
    seed
        The seed of the game and of the bots; the same seed gives the same game.
    state
        Where to begin, if not at the start. It is not changed.

    Returns the last state. Raises what :func:`seat_bots` raises.
    """
    seated = seat_bots(game, bots)
    state = game.new_initial_state(seed) if state is None else state.clone()
    rngs = [bot_rng(seed, seat) for seat in range(game.num_players)]
    while state.to_move:
        seat = state.to_move[0]
        state.apply(_choice(seated[seat], state, seat, rngs[seat]), seat)
    return state


def _choice(bot: Bot, state: State, seat: int, rng: random.Random) -> Action:
    legal = state.legal_actions(seat)
    # It would not look, and to show it all that it may see takes longer than the game itself.
    if type(bot) is RandomBot:
        return rng.choice(legal)
    return bot.choose(state.observation(seat), legal, rng)
