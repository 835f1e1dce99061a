"""Many games between bots, as one table; and very many games of GPT between simple players.

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

import hashlib
import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from cardlab import __version__, chance
from cardlab.analysis import shards
from cardlab.bots import Bot, play, seat_bots
from cardlab.engine import Game, State
from cardlab.errors import RulesError

if TYPE_CHECKING:
    from cardlab.analysis.batch import Policy
    from cardlab.games.gpt import GPT
    from cardlab.games.gpt_deck import Deck

__all__ = ["game_seed", "many", "outcome_shares", "simulate"]

_MOST = 10**9
_SHARD = 50
_SHARD_KEPT = 1000
_SHARD_OF_MANY = 250_000
_SCORES = {"chat": "shields", "gpt": "shields"}
"""What the scores of a game are called; ``score`` where nothing is said."""
_REASONS = {
    "chaos": ("declared", "revealed", "abandoned", "all_laid", "empty", "max_turns"),
}
"""The events that say why a game is over, if the last one does not; the first counts."""


class _Row(NamedTuple):
    """What the table tells of one game."""

    seed: int
    winner: int | None
    turns: int
    rounds: int
    scores: list[int]
    ending: str


def simulate(
    game: Game,
    bots: Sequence[Bot | str],
    n: int,
    seed: int = 0,
    jobs: int = 1,
    progress: Callable[[int], object] | None = None,
    *,
    scheduler: str | None = None,
    checkpoint: str | Path | None = None,
    shard: int | None = None,
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
    scheduler
        Address of a Dask cluster, whose workers then take the place of processes.
    checkpoint
        A folder that keeps what is played, so that a run that was interrupted, however roughly,
        goes on from there; see :mod:`cardlab.analysis.shards`.
    shard
        How many games are handed to a process, and kept, at a time.

    Returns one row for each game: ``seed`` (int64), from which :func:`cardlab.bots.play` plays this
    very game again; ``winner`` (Int8), the seat with the highest return, missing for a draw;
    ``turns`` (int16), those of all rounds; in a match of several rounds also ``rounds`` (int16);
    ``shields_0`` and ``shields_1`` (int16), the scores of the seats; ``ending`` (str), the kind of
    the event that ended it. The scores of a game without shields are called ``score_0`` and so on.

    Raises :class:`~cardlab.errors.RulesError` for a number that is not allowed and for bots that
    cannot play this game, and what :func:`cardlab.analysis.shards.run` raises.
    """
    seated = seat_bots(game, bots)
    task = _Engine(game, tuple(seated), _integer("seed", seed, -(2**63), 2**63 - 1))
    return shards.run(
        task,
        _integer("n", n, 0),
        _integer("shard", shard or (_SHARD_KEPT if checkpoint else _SHARD), 1),
        jobs=_jobs(jobs),
        scheduler=scheduler,
        checkpoint=checkpoint,
        about=_about("engine", game, [bot.name for bot in seated], task.seed),
        progress=progress,
    )


def many(
    game: GPT,
    policies: Sequence[Policy | str],
    n: int,
    seed: int = 0,
    jobs: int = 1,
    progress: Callable[[int], object] | None = None,
    *,
    shields: Sequence[Deck] | None = None,
    scheduler: str | None = None,
    checkpoint: str | Path | None = None,
    shard: int | None = None,
) -> pd.DataFrame:
    """Let simple policies play GPT ``n`` times, a million games a second on one core.

    Parameters
    ----------
    game
        GPT under any rules, with both decks handed in.
    policies
        For each seat a :class:`~cardlab.analysis.batch.Policy`, or its text: ``"random"``,
        ``"highest"``, or ``"threshold:9"``, which takes the lowest card from nine up.
    shields
        With chosen shields, the decks of those that each seat puts down.

    The other parameters are those of :func:`simulate`. The ``i``-th game of a seed is always the
    same; :func:`cardlab.analysis.batch.replay` shows it.

    Returns one row for each game; columns as in :func:`cardlab.analysis.batch.to_frame`.

    Raises :class:`~cardlab.errors.RulesError` for what is not allowed, and what
    :func:`cardlab.analysis.shards.run` raises.

    >>> from cardlab import load_game
    >>> game = load_game("gpt", decks=("2b2bbbbb0b022", "22bbbbb0bb022"))
    >>> games = many(game, ["highest", "random"], 100_000, seed=1)
    >>> outcome_shares(games)["share"].round(2).tolist()
    [0.69, 0.01, 0.31]
    """
    from cardlab.analysis import batch

    task = _Kernel(
        game,
        tuple(policies) if isinstance(policies, list) else policies,
        _integer("seed", seed, -(2**63), 2**63 - 1),
        shields,
    )
    n, jobs = _integer("n", n, 0), _jobs(jobs)
    size = _integer("shard", shard or _SHARD_OF_MANY, 1)
    # What is wrong with the players is said before anything is written.
    batch.play(game, policies, 0, shields=shields)
    about = _about("kernel", game, [*map(_policy_name, map(batch.Policy.of, policies))], task.seed)
    if shields is not None:
        about["shields"] = [deck.code for deck in shields]
    return shards.run(
        task,
        n,
        size,
        jobs=jobs,
        scheduler=scheduler,
        checkpoint=checkpoint,
        about=about,
        progress=progress,
    )


@dataclass(frozen=True)
class _Engine:
    """Plays games with the engine."""

    game: Game
    bots: tuple[Bot, ...]
    seed: int

    def __call__(self, first: int, stop: int) -> pd.DataFrame:
        bots = list(self.bots)
        seeds = [game_seed(self.seed, number) for number in range(first, stop)]
        return _frame(self.game, [_row(self.game, bots, seed) for seed in seeds])


@dataclass(frozen=True)
class _Kernel:
    """Plays games with the kernel."""

    game: GPT
    policies: Sequence[Policy | str]
    seed: int
    shields: Sequence[Deck] | None

    def __call__(self, first: int, stop: int) -> pd.DataFrame:
        from cardlab.analysis import batch

        results = batch.play(self.game, self.policies, stop - first, self.seed, first, self.shields)
        return batch.to_frame(results, first)


def _about(rules: str, game: Game, players: list[str], seed: int) -> dict[str, Any]:
    """What tells a run from others."""
    return {
        "cardlab": __version__,
        "played_by": rules,
        "game": game.name,
        "options": game.options(),
        "players": players,
        "seed": seed,
    }


def _policy_name(policy: Policy) -> str:
    if policy.table is not None:
        digest = hashlib.sha256(policy.table.tobytes())
        digest.update(repr(policy.abstraction).encode())
        return f"table:{digest.hexdigest()}"
    return f"threshold:{policy.threshold}" if policy.kind == "threshold" else policy.kind


def _jobs(jobs: Any) -> int:
    number = _integer("jobs", jobs, -1)
    if number == 0:
        raise RulesError("bots.error.jobs", value="0")
    return number


def game_seed(seed: int, index: int) -> int:
    """The seed of the ``index``-th game that :func:`simulate` plays, from 0 to 2**63 - 1."""
    return chance.draw(seed, index) >> (512 - 63)


def _row(game: Game, bots: list[Bot], seed: int) -> _Row:
    state = play(game, bots, seed)
    returns = state.returns()
    best = max(returns)
    winner = returns.index(best) if returns.count(best) == 1 else None
    rounds = getattr(state, "round", 1)
    return _Row(seed, winner, state.turns_played(), rounds, state.scores(), _ending(state))


def _ending(state: State) -> str:
    """The kind of the event with which a game, or the last round of a match, has ended."""
    happened: set[str] = set()
    for event in state.log:
        if event.kind == "chaos.round":
            happened.clear()
        happened.add(event.kind)
    reasons = (f"{state.game.name}.{kind}" for kind in _REASONS.get(state.game.name, ()))
    return next((kind for kind in reasons if kind in happened), state.log[-1].kind)


def _frame(game: Game, rows: list[_Row]) -> pd.DataFrame:
    name = _SCORES.get(game.name, "score")
    columns = {
        "seed": pd.Series([row.seed for row in rows], dtype="int64"),
        "winner": pd.Series([row.winner for row in rows], dtype="Int8"),
        "turns": pd.Series([row.turns for row in rows], dtype="int16"),
    }
    if getattr(game.rules, "target_points", None) is not None:
        columns["rounds"] = pd.Series([row.rounds for row in rows], dtype="int16")
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
            share = count / len(part)
            rows.append(
                (group, winner, len(part), count, share, *_wilson(count, len(part), confidence))
            )
    names = [by or "", "winner", "games", "count", "share", "low", "high"]
    table = pd.DataFrame(rows, columns=names).astype({"winner": "Int64"})
    return table if by else table.drop(columns="")


def _wilson(count: int, n: int, confidence: float) -> tuple[float, float]:
    """Wilson's interval for a share; the same as scipy's, whose ``stats`` take a second to load."""
    from scipy.special import ndtri

    z = float(ndtri(0.5 + 0.5 * confidence))
    p = count / n
    q = 1 - p
    denominator = 2 * (n + z**2)
    centre = (2 * n * p + z**2) / denominator
    reach = z / denominator * math.sqrt(4 * n * p * q + z**2)
    return centre - reach if count else 0.0, centre + reach if count < n else 1.0


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
