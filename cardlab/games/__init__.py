"""The games, by name. Each one is imported when it is first asked for."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from cardlab.engine import Game
from cardlab.errors import UnknownGameError

_GAMES = {
    "alicematic": "cardlab.games.alicematic:Alicematic",
    "chaos": "cardlab.games.chaos:Chaos",
    "chat": "cardlab.games.chat:CHAT",
    "collect": "cardlab.games.collect:Collect",
    "gpt": "cardlab.games.gpt:GPT",
    "highlow": "cardlab.games.highlow:HighLow",
}

PLAYERS = "n_players"
"""The option of a game for several numbers of players."""


def list_games() -> list[str]:
    """The names that :func:`load_game` knows.

    >>> "gpt" in list_games()
    True
    """
    return sorted(_GAMES)


def load_game(name: str, /, **options: Any) -> Game:
    """The game ``name`` under the given options.

    Raises :class:`~cardlab.errors.UnknownGameError` (with the list of games) and
    :class:`~cardlab.errors.RulesError` (with the options or values that are allowed).

    >>> load_game("gpt", shield_mode="chosen").rules.shield_mode
    'chosen'
    """
    try:
        module, _, attribute = _GAMES[name].partition(":")
    except (KeyError, TypeError):
        raise UnknownGameError("core.error.game", value=name, allowed=list_games()) from None
    game: Game = getattr(import_module(module), attribute).with_options(**options)
    return game
