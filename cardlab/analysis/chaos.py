"""Chaos between bots: what each rotation of the hands was worth, and what open readings change.

>>> from cardlab import load_game
>>> played = follow(load_game("chaos"), seed=0)
>>> [(spot.state.phase, spot.steps) for spot in played.spots]
[('rotate', 2), ('rotate', 2)]
>>> played.end.is_terminal()
True
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from cardlab.analysis.passing import Interval, interval
from cardlab.analysis.simulate import simulate
from cardlab.bots import bot_rng, load_bot, play
from cardlab.games import load_game

if TYPE_CHECKING:
    from cardlab.games.chaos import Chaos, ChaosState

__all__ = [
    "ENDS",
    "MAX_TURNS",
    "READINGS",
    "STANDARD",
    "Compared",
    "Played",
    "Spot",
    "compare",
    "effects",
    "ends",
    "follow",
    "paired",
    "winners",
]

_BOT = "careful"


# --------------------------------------------------------------------------------------- rotations


class Spot(NamedTuple):
    """A rotation of a game (X12).

    Attributes
    ----------
    seed, number
        The game, and which of its rotations this is, from 0.
    state
        The position in which the seat to move has to say how far the hands go.
    steps
        What it has said.
    """

    seed: int
    number: int
    state: ChaosState
    steps: int


class Played(NamedTuple):
    """A game: its rotations in their order, and its last state."""

    spots: tuple[Spot, ...]
    end: ChaosState


def follow(game: Chaos | Any, seed: int) -> Played:
    """Let careful bots play the game ``seed``, as :func:`cardlab.bots.play` does, and stop to look.

    >>> game = load_game("chaos", n_players=3)
    >>> follow(game, seed=1).end == play(game, ["careful"] * 3, seed=1)
    True
    """
    bot = load_bot(_BOT, game)
    state: Any = game.new_initial_state(seed)
    rngs = [bot_rng(seed, seat) for seat in range(game.num_players)]
    spots: list[Spot] = []
    while state.to_move:
        seat = state.to_move[0]
        action: Any = bot.choose(state.observation(seat), state.legal_actions(seat), rngs[seat])
        if state.phase == "rotate":
            spots.append(Spot(seed, len(spots), state.clone(), action.arg))
        state.apply(action, seat)
    return Played(tuple(spots), state)


class Compared(NamedTuple):
    """What comes of a spot for the seat that rotates, with the hands moved and with them kept.

    Attributes
    ----------
    points_moved, points_kept
        Its points at the end.
    won_moved, won_kept
        Its share of the win: 1, or a part if several have the most points, or 0.
    """

    points_moved: int
    points_kept: int
    won_moved: float
    won_kept: float


def compare(spot: Spot) -> Compared:
    """Play on from a spot twice with careful bots: the hands moved as was said, and left alone.

    Bots draw the same lots in both, those of the game's seed. Raises
    :class:`~cardlab.errors.IllegalActionError` where hands have to move (``rotation_min``).
    """
    moved = _played_on(spot, spot.steps)
    kept = _played_on(spot, 0) if spot.steps else moved
    return Compared(moved[0], kept[0], moved[1], kept[1])


def _played_on(spot: Spot, steps: int) -> tuple[int, float]:
    state, seat = spot.state.clone(), spot.state.to_move[0]
    state.apply(f"rotate {steps}")
    points = play(state.game, [_BOT] * len(state.players), spot.seed, state).scores()
    best = winners(points)
    return points[seat], (seat in best) / len(best)


def winners(points: Sequence[int]) -> tuple[int, ...]:
    """The seats with the most points.

    >>> winners([2, 4, 0, 4])
    (1, 3)
    """
    return tuple(seat for seat, each in enumerate(points) if each == max(points))


# ------------------------------------------------------------------------------------------- ends

STANDARD = "standard"
READINGS: Mapping[str, Any] = {
    "drain_mode": "until_empty",
    "min_actions": 1,
    "order_search_free": False,
    "exchange_pick": "blind_draw",
    "rotation_min": 1,
    "triple_order": "simultaneous",
    "lay_timing": "turn_start",
    "order_end": "optional",
    "order_bonus": "add",
    "setup_abandon": "end",
}
"""The options that stand for open readings, each with the reading that is not the default."""

ENDS = ("declared", "revealed", "abandoned", "empty", "all_laid")
"""The five ways in which a game ends (X15 to X17)."""

MAX_TURNS = 40
"""After so many turns a game is stopped, unless random players play it.

Under the standard careful players never take so many, but a few of their games under
``lay_timing="turn_start"`` would go on for hundreds."""


def ends(bot: str, players: int, option: str, n: int) -> pd.DataFrame:
    """How ``n`` games end that the same bot plays on all seats.

    Parameters
    ----------
    bot
        The name of the bot.
    players
        The number of seats, also the seed of the games.
    option
        The option of :data:`READINGS` that is changed, or :data:`STANDARD` for none.
    n
        Number of games. The ``i``-th has the same deal under every option.

    Returns one row for each game: ``bot``, ``players``, ``option``, ``game`` (from 0), ``turns``,
    ``ending`` (one of :data:`ENDS`, or ``"max_turns"`` for a game that was stopped), and
    ``points_0`` and so on, the points of each seat.
    """
    change = {} if option == STANDARD else {option: READINGS[option]}
    limit = None if bot == "random" else MAX_TURNS
    rules = load_game("chaos", n_players=players, max_turns=limit, **change)
    games = simulate(rules, [bot] * players, n, seed=players)
    head = {"bot": bot, "players": players, "option": option, "game": range(n)}
    points = {f"points_{seat}": games[f"score_{seat}"] for seat in range(players)}
    ending = games["ending"].str.removeprefix("chaos.")
    return pd.DataFrame({**head, "turns": games["turns"], "ending": ending, **points})


def effects(games: pd.DataFrame, confidence: float = 0.95) -> pd.DataFrame:
    """What each reading changes, by games with the same deal under it and under the standard.

    Parameters
    ----------
    games
        Rows as :func:`ends` makes them, of one bot and one number of players, for the standard and
        for some readings.
    confidence
        How probably all intervals together shall hold the true differences: each of them has a
        chance of error that is smaller by their number (Bonferroni).

    Returns one row for each reading and measure: ``option``, ``measure`` (an end, for the share of
    games that end so; ``"max_turns"``, for those that were stopped; ``"turns"`` and ``"points"``,
    for the number of turns and the points of all seats together), ``difference`` (reading less
    standard), ``low``, ``high``, and ``apart``: whether the interval leaves zero out.
    """
    tables = {str(name): part.set_index("game") for name, part in games.groupby("option")}
    standard = tables.pop(STANDARD)
    found = [
        (option, measure, *pairs)
        for option, table in tables.items()
        for measure, pairs in _pairs(table, standard)
    ]
    each = 1 - (1 - confidence) / max(len(found), 1)
    rows = []
    for option, measure, one, other in found:
        mean = paired((one.astype(int) - other.astype(int)).tolist(), each)
        rows.append((option, measure, *mean, bool(mean.low > 0 or mean.high < 0)))
    return pd.DataFrame(rows, columns=["option", "measure", "difference", "low", "high", "apart"])


def _pairs(table: pd.DataFrame, standard: pd.DataFrame) -> Iterator[tuple[str, tuple[Any, Any]]]:
    """Each measure, in the games of a reading and in the same ones of the standard."""
    standard = standard.loc[table.index]
    for end in (*ENDS, "max_turns"):
        yield end, (table["ending"] == end, standard["ending"] == end)
    yield "turns", (table["turns"], standard["turns"])
    yield "points", (_all_points(table), _all_points(standard))


def _all_points(games: pd.DataFrame) -> Any:
    return games.filter(like="points_").sum(axis=1)


def paired(differences: Sequence[float], confidence: float = 0.95) -> Interval:
    """The mean of differences between twins, with an interval that is no point if all are zero.

    Two twins are added for the interval, one that differs by +1 and one by -1, as Bonett and Price
    (2012) do for shares: it then holds for few games that differ, too, and for none. The ``mean``
    is that of ``differences`` alone.

    >>> print(paired([1] * 30 + [-1] * 10 + [0] * 60))
    0.20 (0.08 to 0.32)
    >>> print(paired([0] * 98))
    0.00 (-0.03 to 0.03)
    """
    _, low, high = interval([*differences, 1, -1], confidence)
    return Interval(sum(differences) / len(differences), low, high)
