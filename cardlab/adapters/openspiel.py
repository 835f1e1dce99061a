"""Any game of cardlab as a game of OpenSpiel.

>>> import cardlab, pyspiel
>>> from cardlab.adapters import openspiel
>>> openspiel.register(cardlab.load_game("gpt"))
'cardlab_gpt'
>>> state = pyspiel.load_game("cardlab_gpt").new_initial_state()
>>> state.apply_action(7)  # the deal
>>> state.is_simultaneous_node()
True

There is one chance node, at the root: it chooses one of ``DEALS`` seeds, and every later shuffle
follows from the seed. So chance is sampled, and a history of actions still replays exactly. Steps
in which several seats choose together are simultaneous nodes; where only one seat has to choose,
it is an ordinary node of that player. ``turn_based_simultaneous_game`` converts a game as usual.
Who names no player at a simultaneous node gets joint actions, one number for the choices of all, as
in OpenSpiel's own games.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pyspiel

from cardlab.adapters.encoding import Encoder
from cardlab.engine import Game, Observation, State

DEALS = 10_000
"""Number of deals that the chance node chooses from."""

MAX_LENGTH = 10_000
"""More moves than any game of ours has."""


@cache
def register(game: Game, short_name: str | None = None) -> str:
    """Make OpenSpiel know the game, and return the name to load it by.

    ``short_name`` is needed for a second set of options of one game; by default it is
    ``cardlab_<name>``. OpenSpiel cannot forget or replace a game.
    """
    name = short_name or f"cardlab_{game.name}"
    game_type = pyspiel.GameType(
        short_name=name,
        long_name=f"cardlab {game!r}",
        dynamics=(
            pyspiel.GameType.Dynamics.SIMULTANEOUS
            if game.state_class.TOGETHER
            else pyspiel.GameType.Dynamics.SEQUENTIAL
        ),
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=game.num_players,
        min_num_players=game.num_players,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        provides_factored_observation_string=True,
        parameter_specification={},
    )
    info = pyspiel.GameInfo(
        num_distinct_actions=len(game.actions),
        max_chance_outcomes=DEALS,
        num_players=game.num_players,
        min_utility=-1.0,
        max_utility=1.0,
        utility_sum=0.0,
        max_game_length=MAX_LENGTH,
    )
    encoder = Encoder(game)
    outcomes = [(seed, 1 / DEALS) for seed in range(DEALS)]

    class OpenSpielState(pyspiel.State):  # type: ignore[misc]
        """One state; ``table`` is cardlab's, ``None`` before the deal."""

        def __init__(self, parent: Any) -> None:
            super().__init__(parent)
            self.table: State | None = None

        def current_player(self) -> int:
            if self.table is None:
                return int(pyspiel.PlayerId.CHANCE)
            to_move = self.table.to_move
            if len(to_move) > 1:
                return int(pyspiel.PlayerId.SIMULTANEOUS)
            return to_move[0] if to_move else int(pyspiel.PlayerId.TERMINAL)

        def _legal_actions(self, player: int) -> list[int]:
            assert self.table is not None
            if player == pyspiel.PlayerId.SIMULTANEOUS:
                return list(range(math.prod(len(legal) or 1 for legal in self._by_player())))
            return sorted(map(game.action_code, self.table.legal_actions(player)))

        def _by_player(self) -> list[list[int]]:
            return [self._legal_actions(player) for player in range(game.num_players)]

        def _choices(self, joint: int) -> list[int]:
            """The action of each player in a joint action; the first player's changes fastest."""
            chosen = []
            for legal in self._by_player():
                joint, place = divmod(joint, len(legal) or 1)
                chosen.append(legal[place] if legal else 0)
            return chosen

        def chance_outcomes(self) -> list[tuple[int, float]]:
            return outcomes

        def _apply_action(self, action: int) -> None:
            if self.table is None:
                self.table = game.new_initial_state(int(action))
            elif len(self.table.to_move) > 1:
                self._apply_actions(self._choices(action))
            else:
                self.table.apply(game.actions[action])

        def _apply_actions(self, actions: Sequence[int]) -> None:
            assert self.table is not None
            for player in self.table.to_move:
                self.table.apply(game.actions[actions[player]], player)

        def _action_to_string(self, player: int, action: int) -> str:
            if player == pyspiel.PlayerId.CHANCE:
                return f"deal {action}"
            if player == pyspiel.PlayerId.SIMULTANEOUS:
                chosen = enumerate(self._choices(action))
                return f"[{', '.join(self._action_to_string(*each) for each in chosen)}]"
            return str(game.actions[action])

        def is_terminal(self) -> bool:
            return self.table is not None and self.table.is_terminal()

        def returns(self) -> list[float]:
            return [0.0] * game.num_players if self.table is None else self.table.returns()

        def __str__(self) -> str:
            if self.table is None:
                return "before the deal"
            position = self.table.to_dict()
            return json.dumps({key: position[key] for key in position if key not in _NOT_SHOWN})

    class OpenSpielObserver:
        """What a player sees, as a vector and as a line of JSON."""

        def __init__(self, kind: Any, params: Any) -> None:
            assert not params
            self.kind = kind
            self.tensor = np.zeros(encoder.size, np.float32)
            self.dict = {"observation": self.tensor}

        def set_from(self, state: OpenSpielState, player: int) -> None:
            if state.table is not None:
                self.tensor[:] = encoder.encode(state.table.observation(player))

        def string_from(self, state: OpenSpielState, player: int) -> str:
            if state.table is None:
                return ""
            return view_text(state.table, player, self.kind)

    class OpenSpielGame(pyspiel.Game):  # type: ignore[misc]
        def __init__(self, params: Any = None) -> None:
            super().__init__(game_type, info, params or {})

        def new_initial_state(self) -> OpenSpielState:
            return OpenSpielState(self)

        def make_py_observer(self, kind: Any = None, params: Any = None) -> OpenSpielObserver:
            return OpenSpielObserver(
                kind or pyspiel.IIGObservationType(perfect_recall=False), params
            )

        def max_chance_nodes_in_history(self) -> int:
            return 1

    pyspiel.register_game(game_type, OpenSpielGame)
    return name


_NOT_SHOWN = ("game", "rules", "seed", "shuffles", "log")


def view_text(table: State, player: int, kind: Any) -> str:
    """The part of a player's view that an observation type asks for, as JSON.

    The public part is what every seat sees, the private part what is not public; the log belongs
    to it under perfect recall.
    """
    view = _without_log(table.observation(player), kind.perfect_recall)
    if kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER and kind.public_info:
        return json.dumps(view)
    everybody = [
        _without_log(table.observation(seat), kind.perfect_recall)
        for seat in range(len(table.players))
    ]
    public = {key: value for key, value in view.items() if all(v[key] == value for v in everybody)}
    if kind.public_info:
        shown = {zone: _shared([v[zone] for v in everybody]) for zone in ("players", "table")}
        return json.dumps(public | shown)
    if kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER:
        return json.dumps({key: value for key, value in view.items() if key not in public})
    return ""


def _without_log(observation: Observation, perfect_recall: bool) -> dict[str, Any]:
    left_out = ("game", "rules") if perfect_recall else ("game", "rules", "log")
    if not perfect_recall:
        observation = replace(observation, log=())  # much work, if it were left out in the end
    return {key: value for key, value in observation.to_dict().items() if key not in left_out}


def _shared(views: Sequence[Any]) -> Any:
    """What several views of one thing have in common; ``"?"`` where they differ."""
    first = views[0]
    if isinstance(first, dict):
        return {key: _shared([view[key] for view in views]) for key in first}
    if isinstance(first, list):
        return [_shared(items) for items in zip(*views, strict=True)]
    return first if all(view == first for view in views) else "?"
