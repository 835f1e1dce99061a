"""cardlab: four original card games to play, take apart and compute.

>>> import cardlab
>>> game = cardlab.load_game("gpt")
>>> state = game.new_initial_state(seed=1)
>>> state.to_move
(0, 1)
"""

from cardlab.cards import Card, Suit
from cardlab.engine import Action, Event, Game, Observation, State
from cardlab.errors import (
    CardlabError,
    DeckError,
    IllegalActionError,
    NotationError,
    PositionError,
    RecordError,
    RulesError,
    UnknownGameError,
)
from cardlab.games import list_games, load_game

__version__ = "0.1.0"

__all__ = [
    "Action",
    "Card",
    "CardlabError",
    "DeckError",
    "Event",
    "Game",
    "IllegalActionError",
    "NotationError",
    "Observation",
    "PositionError",
    "RecordError",
    "RulesError",
    "State",
    "Suit",
    "UnknownGameError",
    "list_games",
    "load_game",
]
