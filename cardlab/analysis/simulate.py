"""Many games between bots, as one table.

>>> from cardlab import load_game
>>> games = simulate(load_game("gpt"), ["highest", "random"], n=40, seed=1)
>>> games.columns.tolist()
['seed', 'winner', 'turns', 'shields_0', 'shields_1', 'ending']
>>> outcome_shares(games)[["winner", "count", "share"]]
   winner  count  share
0       0     35  0.875
1    <NA>      0  0.000
2       1      5  0.125
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import pandas as pd

from cardlab import chance
from cardlab.bots import Bot, play, seat_bots
from cardlab.engine import Game
from cardlab.errors import RulesError

__all__ = ["game_seed", "outcome_shares", "simulate"]

_MOST = 10**9
_BATCH = 50
_SCORES = {"chat": "shields", "gpt": "shields"}
"""What the scores of a game are called; ``score`` where nothing is said."""


class _Row(NamedTuple):
    """What the table tells of one game."""

    seed: int
    winner: int | None
    turns: int
    scores: list[int]
    ending: str


def simulate(
    game: Game,
    bots: Sequence[Bot | str],
    n: int,
    seed: int = 0,
    jobs: int = 1,
    progress: Callable[[int], object] | None = None,
) -> pd.DataFrame:
    """Let ``bots`` play ``game`` ``n`` times.

    Parameters
    ----------
    game
        The game under its options.
    bots
        A bot or its name for each seat.
    n
        Number of games, 0 or more.
    seed
        The seed of all of them. The ``i``-th game gets :func:`game_seed` of it, so the table
        depends neither on ``jobs`` nor on what is played after that game.
    jobs
        Number of processes; -1 for as many as there are cores.
    progress
        Called now and then with the number of games played so far.

    Returns one row for each game: ``seed`` (int64), from which :func:`cardlab.bots.play` plays this
    very game again; ``winner`` (Int8), the seat with the highest return, missing for a draw;
    ``turns`` (int16); ``shields_0`` and ``shields_1`` (int16), the scores of the seats; ``ending``
    (str), the kind of the last event. The scores of a game other than GPT are called ``score_0``
    and so on.

    Raises :class:`~cardlab.errors.RulesError` for a number that is not allowed and for bots that
    cannot play this game.
    """
    n = _integer("n", n, 0)
    seed = _integer("seed", seed, -(2**63), 2**63 - 1)
    jobs = _integer("jobs", jobs, -1)
    if jobs == 0:
        raise RulesError("bots.error.jobs", value="0")
    seated = seat_bots(game, bots)
    seeds = [game_seed(seed, index) for index in range(n)]
    batches = [seeds[start : start + _BATCH] for start in range(0, n, _BATCH)]
    rows: list[_Row] = []
    for played in _batches(game, seated, batches, jobs):
        rows += played
        if progress is not None:
            progress(len(rows))
    return _frame(game, rows)


def game_seed(seed: int, index: int) -> int:
    """The seed of the ``index``-th game that :func:`simulate` plays, from 0 to 2**63 - 1."""
    return chance.draw(seed, index) >> (512 - 63)


def _batches(
    game: Game, bots: list[Bot], batches: Iterable[list[int]], jobs: int
) -> Iterator[list[_Row]]:
    if jobs == 1:
        return (_play(game, bots, seeds) for seeds in batches)
    from joblib import Parallel, delayed

    played: Iterator[list[_Row]] = Parallel(jobs, return_as="generator")(
        delayed(_play)(game, bots, seeds) for seeds in batches
    )
    return played


def _play(game: Game, bots: list[Bot], seeds: Iterable[int]) -> list[_Row]:
    return [_row(game, bots, seed) for seed in seeds]


def _row(game: Game, bots: list[Bot], seed: int) -> _Row:
    state = play(game, bots, seed)
    returns = state.returns()
    best = max(returns)
    winner = returns.index(best) if returns.count(best) == 1 else None
    return _Row(seed, winner, state.turn, state.scores(), state.log[-1].kind)


def _frame(game: Game, rows: list[_Row]) -> pd.DataFrame:
    name = _SCORES.get(game.name, "score")
    columns = {
        "seed": pd.Series([row.seed for row in rows], dtype="int64"),
        "winner": pd.Series([row.winner for row in rows], dtype="Int8"),
        "turns": pd.Series([row.turns for row in rows], dtype="int16"),
    }
    for seat in range(game.num_players):
        scores = [row.scores[seat] for row in rows]
        columns[f"{name}_{seat}"] = pd.Series(scores, dtype="int16")
    columns["ending"] = pd.Series([row.ending for row in rows], dtype="str")
    return pd.DataFrame(columns)


def outcome_shares(
    games: pd.DataFrame, by: str | None = None, confidence: float = 0.95
) -> pd.DataFrame:
    """How often each seat won, with Wilson's confidence intervals.

    Parameters
    ----------
    games
        One row for each game, with ``winner`` (0, 1 ..., or missing for a draw), such as
        :func:`simulate` makes.
    by
        A column of ``games`` whose values are told apart.
    confidence
        How probably an interval shall hold the true share, between 0 and 1.

    Returns one row for each outcome (of each group, which is then the first column): ``winner``
    (Int64, missing for a draw), ``games``, ``count`` (int64), ``share``, ``low`` and ``high``
    (float64).

    Raises :class:`~cardlab.errors.RulesError` when there are no games, no such column or no such
    confidence.
    """
    from scipy.stats import binomtest

    for column in ("winner", by or "winner"):
        if column not in games:
            raise RulesError("bots.error.column", value=column, allowed=[*map(str, games)])
    if not len(games):
        raise RulesError("bots.error.no_games")
    if not 0 < confidence < 1:
        raise RulesError("bots.error.confidence", value=repr(confidence))
    last = games["winner"].max()
    winners = [0, None, *range(1, 2 if pd.isna(last) else max(2, int(last) + 1))]
    rows = []
    for group, part in [(None, games)] if by is None else games.groupby(by, sort=False):
        for winner in winners:
            won = part["winner"]
            count = int((won.isna() if winner is None else won.eq(winner)).sum())
            interval = binomtest(count, len(part)).proportion_ci(confidence, "wilson")
            share = count / len(part)
            rows.append((group, winner, len(part), count, share, interval.low, interval.high))
    names = [by or "", "winner", "games", "count", "share", "low", "high"]
    table = pd.DataFrame(rows, columns=names).astype({"winner": "Int64"})
    return table if by else table.drop(columns="")


def _integer(name: str, value: Any, low: int, high: int = _MOST) -> int:
    """An integer argument, Python's or numpy's, within its range."""
    try:
        number = operator.index(value)
    except TypeError:
        number = low - 1
    if isinstance(value, bool) or not low <= number <= high:
        raise RulesError(
            "core.error.option_range", option=name, value=repr(value), low=low, high=high
        )
    return number
