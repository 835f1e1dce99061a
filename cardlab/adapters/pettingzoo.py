"""Any game of cardlab as a PettingZoo environment.

>>> import cardlab
>>> from cardlab.adapters import pettingzoo
>>> env = pettingzoo.env(cardlab.load_game("gpt"))
>>> env.reset(seed=1)
>>> env.agent_selection, env.infos["player_0"]["action_mask"].sum()
('player_0', np.int64(26))

Legal actions are in ``info["action_mask"]``. An action that is not legal ends the game: its player
loses, the others share the win.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from numpy.typing import NDArray
from pettingzoo import AECEnv, ParallelEnv

from cardlab.adapters.encoding import Encoder
from cardlab.engine import Event, Game, State, seat_name

Vector = NDArray[np.int32]
RENDER_MODES = ["human", "ansi"]


def env(game: Game, render_mode: str | None = None) -> GameEnv:
    """The game with one agent acting at a time.

    In a simultaneous step the agents choose one after the other, each without seeing what the
    others chose. ``render_mode`` is ``"human"`` (print the table as everybody sees it), ``"ansi"``
    (return it as text) or ``None``.
    """
    return GameEnv(game, render_mode)


def parallel_env(game: Game, render_mode: str | None = None) -> ParallelGameEnv:
    """The game with all agents acting at once.

    An agent that owes no decision has one legal action, the last one, which means waiting.
    """
    return ParallelGameEnv(game, render_mode)


class _Shared:
    """What both environments have: spaces, a seeded stream of deals, the table as text."""

    game: Game
    render_mode: str | None

    def _prepare(self, game: Game, render_mode: str | None, waiting: int) -> None:
        self.game = game
        self.render_mode = render_mode
        self.possible_agents = [f"player_{seat}" for seat in range(game.num_players)]
        self.agents: list[str] = []
        self._encoder = Encoder(game)
        self._random, _ = seeding.np_random()
        self._space = spaces.Box(-1, np.iinfo(np.int32).max, (self._encoder.size,), np.int32)
        self.observation_spaces = dict.fromkeys(self.possible_agents, self._space)
        self.action_spaces = {
            agent: spaces.Discrete(len(game.actions) + waiting) for agent in self.possible_agents
        }

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of the agent's vectors; see :class:`~cardlab.adapters.encoding.Encoder`."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The action codes; see :attr:`cardlab.Game.actions`."""
        return self.action_spaces[agent]

    def _deal(self, seed: int | None) -> State:
        if seed is not None:
            self._random, _ = seeding.np_random(seed)
        return self.game.new_initial_state(int(self._random.integers(1 << 62)))

    def _seat(self, agent: str) -> int:
        return self.possible_agents.index(agent)

    def _codes(self, state: State, seat: int) -> list[int]:
        return [self.game.action_code(action) for action in state.legal_actions(seat)]

    def _forfeit(self, loser: int) -> list[float]:
        others = self.game.num_players - 1
        return [-1.0 if seat == loser else 1 / others for seat in range(others + 1)]

    def _rendered(self, state: State, events: tuple[Event, ...]) -> str | None:
        if self.render_mode is None:
            return None
        picture = table_text(state, events)
        if self.render_mode == "ansi":
            return picture
        print(picture)
        return None


class GameEnv(_Shared, AECEnv[str, Vector, int]):  # type: ignore[misc]
    """See :func:`env`."""

    def __init__(self, game: Game, render_mode: str | None = None) -> None:
        super().__init__()
        self.metadata = {
            "name": f"cardlab_{game.name}_v0",
            "render_modes": RENDER_MODES,
            "is_parallelizable": False,
        }
        self._prepare(game, render_mode, waiting=0)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new game; the same seed gives the same deals from now on."""
        self._state = self._deal(seed)
        self._events: tuple[Event, ...] = ()
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._next()

    def step(self, action: int | None) -> None:
        """Let the selected agent act; ``None`` for one whose game is over."""
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        seat = self._seat(agent)
        self._clear_rewards()
        if action in self._codes(self._state, seat):
            self._events = self._state.apply(self.game.actions[int(action)], seat)
            if self._state.is_terminal():
                self._finish(self._state.returns())
        else:
            self._finish(self._forfeit(seat))
        self._next()
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def _finish(self, returns: list[float]) -> None:
        self.rewards = dict(zip(self.possible_agents, returns, strict=True))
        self.terminations = dict.fromkeys(self.agents, True)

    def _next(self) -> None:
        over = any(self.terminations.values())
        self.infos: dict[str, dict[str, Any]] = {
            agent: {
                "action_mask": self._encoder.mask(
                    [] if over else self._codes(self._state, self._seat(agent))
                )
            }
            for agent in self.agents
        }
        seat = self._state.current_player
        self.agent_selection = (
            self.agents[0] if over or seat is None else self.possible_agents[seat]
        )

    def observe(self, agent: str) -> Vector:
        """What the agent sees, as a vector."""
        return self._encoder.encode(self._state.observation(self._seat(agent)))

    def render(self) -> str | None:
        """The table as everybody sees it: printed, or returned in the mode ``"ansi"``."""
        return self._rendered(self._state, self._events)

    def close(self) -> None:
        """Nothing is open."""


class ParallelGameEnv(_Shared, ParallelEnv[str, Vector, int]):  # type: ignore[misc]
    """See :func:`parallel_env`."""

    def __init__(self, game: Game, render_mode: str | None = None) -> None:
        super().__init__()
        self.metadata = {"name": f"cardlab_{game.name}_v0", "render_modes": RENDER_MODES}
        self._prepare(game, render_mode, waiting=1)

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Vector], dict[str, dict[str, Any]]]:
        """Deal a new game; the same seed gives the same deals from now on."""
        self._state = self._deal(seed)
        self._events: tuple[Event, ...] = ()
        self.agents = list(self.possible_agents)
        return self._observations(), self._infos(self._state.to_move)

    def step(
        self, actions: Mapping[str, int]
    ) -> tuple[
        dict[str, Vector],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Let every agent that owes a decision act; what the others send is not looked at."""
        returns = [0.0] * len(self.possible_agents)
        over = False
        for seat in self._state.to_move:
            code = actions[self.possible_agents[seat]]
            if code not in self._codes(self._state, seat):
                returns, over = self._forfeit(seat), True
                break
            self._events = self._state.apply(self.game.actions[int(code)], seat)
        if self._state.is_terminal():
            returns, over = self._state.returns(), True
        agents = self.agents
        outcome = (
            self._observations(),
            {agent: returns[self._seat(agent)] for agent in agents},
            dict.fromkeys(agents, over),
            dict.fromkeys(agents, False),
            self._infos(() if over else self._state.to_move),
        )
        if over:
            self.agents = []
        if self.render_mode == "human":
            self.render()
        return outcome

    def _observations(self) -> dict[str, Vector]:
        return {
            agent: self._encoder.encode(self._state.observation(self._seat(agent)))
            for agent in self.agents
        }

    def _infos(self, to_move: tuple[int, ...]) -> dict[str, dict[str, Any]]:
        wait = len(self.game.actions)
        return {
            agent: {
                "action_mask": self._encoder.mask(
                    self._codes(self._state, seat) if seat in to_move else [wait], extra=1
                )
            }
            for agent, seat in ((agent, self._seat(agent)) for agent in self.agents)
        }

    def render(self) -> str | None:
        """The table as everybody sees it: printed, or returned in the mode ``"ansi"``."""
        return self._rendered(self._state, self._events)

    def close(self) -> None:
        """Nothing is open."""


def table_text(state: State, events: tuple[Event, ...] = (), lang: str = "en") -> str:
    """The table as everybody sees it, in lines of text: hidden cards are ``?``."""
    views = [state.observation(seat) for seat in range(len(state.players))]
    lines = [f"{state.game.name}, turn {state.turn}, {state.phase}"]
    for seat in range(len(views)):
        # What all others see is public; with a secret between two, somebody sees "?".
        others = [view.players[seat] for view in views if view.player != seat]
        for zone in others[0]:
            faces = [
                str(cards[0] or "-") if len({*cards}) == 1 else "?"
                for cards in zip(*[zones[zone] for zones in others], strict=True)
            ]
            if faces:
                lines.append(f"{seat_name(seat, lang)}, {zone}: {' '.join(faces)}")
    spectator = len(views)
    lines += [f"[{event.rule}] {event.seen_from(spectator).text(lang)}" for event in events]
    return "\n".join(lines)
