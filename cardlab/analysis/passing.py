"""Games of Alicematic and its drafts, written down decision by decision, for claims about passing.

>>> from cardlab import load_game
>>> played = follow(load_game("collect", preset="d3"), ["careful"] * 4, n=1, seed=1)
>>> played.scores["points"].tolist()
[27, 18, -4, 11]
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from cardlab.analysis.simulate import game_seed
from cardlab.bots import Bot, bot_rng, seat_bots
from cardlab.cards import UNKNOWN
from cardlab.engine import Observation, Rules
from cardlab.games import load_game
from cardlab.games.collect_hidden import unseen
from cardlab.games.collect_state import CollectFamily, CollectState

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Interval", "Played", "bits", "follow", "interval"]


class Played(NamedTuple):
    """Some games.

    Attributes
    ----------
    decisions
        A row for each decision about the card of a turn, hold it or let it go: ``game``, ``turn``,
        ``seat``, ``phase`` (``"choose"`` if drawn, ``"receive"`` if handed over), ``rank``,
        ``action`` (``"hold"``, ``"release"``, ``"trash"``, ``"return"``), and of the hand without
        that card ``cards``, ``kinds`` (different numbers), ``same`` (cards of this number) and
        ``exposed``. Of a card that is released ``target`` is the seat that gets it, ``their_cards``
        and ``their_same`` tell of its hand; all are -1 otherwise. ``bits`` is what the seat does
        not know about a single hidden card, see :func:`bits`.
    scores
        A row for each seat of each game: ``game``, ``seat``, ``bot``, ``points``, ``laid`` and
        ``left`` (cards on the table and in the hand).
    """

    decisions: pd.DataFrame
    scores: pd.DataFrame


def follow(game: CollectFamily | Any, bots: Sequence[Bot | str], n: int, seed: int = 0) -> Played:
    """Let bots play ``n`` games and write down what they decide.

    The ``i``-th game has the seed ``game_seed(seed, i)``, as in
    :func:`cardlab.analysis.simulate.simulate`; bots draw lots as in :func:`cardlab.bots.play`.

    Raises :class:`~cardlab.errors.RulesError` for bots that cannot play the game.
    """
    import pandas as pd

    seated = seat_bots(game, bots)
    decisions: list[tuple[Any, ...]] = []
    scores: list[tuple[Any, ...]] = []
    for number in range(n):
        state: Any = game.new_initial_state(game_seed(seed, number))
        rngs = [bot_rng(state.seed, seat) for seat in range(game.num_players)]
        while state.to_move:
            (seat,) = state.to_move
            seen = state.observation(seat)
            action = seated[seat].choose(seen, state.legal_actions(seat), rngs[seat])
            if state.phase in ("choose", "receive"):
                decisions.append((number, *_decision(state, seat, seen, action)))
            state.apply(action, seat)
        for seat, points in enumerate(state.scores()):
            zones = state.players[seat]
            row = number, seat, seated[seat].name, points, len(zones.laid), len(zones.hand)
            scores.append(row)
    return Played(
        pd.DataFrame(decisions, columns=list(_DECISION)),
        pd.DataFrame(scores, columns=["game", "seat", "bot", "points", "laid", "left"]),
    )


_DECISION = (
    *("game", "turn", "seat", "phase", "rank", "action"),
    *("cards", "kinds", "same", "exposed", "target", "their_cards", "their_same", "bits"),
)


def _decision(state: CollectState, seat: int, seen: Observation, action: Any) -> tuple[Any, ...]:
    own = state.players[seat]
    rank = own.fresh[0].rank
    ranks = [card.rank for card in own.hand]
    theirs = -1, -1, -1
    if action.kind == "release":
        held = [card.rank for card in state.players[action.arg].hand]
        theirs = action.arg, len(held), held.count(rank)
    return (
        *(state.turn, seat, state.phase, rank, action.kind),
        *(len(ranks), len({*ranks}), ranks.count(rank), state.exposed[seat], *theirs),
        bits(seen),
    )


def bits(observation: Observation) -> float:
    """What a seat does not know about a single card that it cannot see, in bits.

    It is the entropy of the number of such a card, from the cards that have been seen and nothing
    else: 1 bit is one question that can be answered by yes or no.

    >>> state = load_game("collect", preset="d6").new_initial_state(seed=1)
    >>> round(bits(state.observation(0)), 2)
    3.28
    """
    hidden = unseen(_game(observation.game, observation.rules), observation)
    ranks: dict[Any, int] = {}
    for card, copies in hidden.items():
        if card is not UNKNOWN and copies > 0:
            key = card.ascii if card.is_medallion else card.rank
            ranks[key] = ranks.get(key, 0) + copies
    total = sum(ranks.values())
    return -sum(n / total * math.log2(n / total) for n in ranks.values()) if total else 0.0


@lru_cache(maxsize=64)
def _game(name: str, rules: Rules) -> Any:
    return load_game(name, **rules.to_dict())


class Interval(NamedTuple):
    """A mean with its confidence interval."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.mean:.2f} ({self.low:.2f} to {self.high:.2f})"


def interval(values: Iterable[float], confidence: float = 0.95) -> Interval:
    """The mean of independent values, such as one for each game, by Student's t distribution.

    >>> print(interval([1, 2, 3, 4]))
    2.50 (0.45 to 4.55)
    """
    from scipy.special import stdtrit

    numbers = [float(value) for value in values]
    n = len(numbers)
    mean = sum(numbers) / n
    spread = math.sqrt(sum((value - mean) ** 2 for value in numbers) / (n - 1) / n)
    reach = spread * float(stdtrit(n - 1, (1 + confidence) / 2))
    return Interval(mean, mean - reach, mean + reach)
