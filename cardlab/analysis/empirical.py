"""The choice of decks when the cards are played by given policies: values from many games.

Nothing here is exact. A value is the mean of many games, and whatever is said of several decks at
once holds for all of them together with the confidence that is asked for.

>>> from cardlab import load_game
>>> from cardlab.games.gpt_deck import Deck
>>> a, b = Deck.parse("2b2bbbbb0b022"), Deck.parse("22bbbbb0bb022")
>>> duel = duels(load_game("gpt"), ("highest", "random"), [(a, b), (b, a)], 20_000, seed=1)
>>> duel.mean.round(1).tolist(), duel.error.round(2).tolist()
([0.4, 0.4], [0.01, 0.01])
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cardlab.analysis import batch, decks
from cardlab.analysis.batch import Policy
from cardlab.analysis.matrix_game import linear_program
from cardlab.games.gpt import GPT
from cardlab.games.gpt_deck import Deck

__all__ = ["Duels", "Metagame", "against", "duels", "solve"]

Floats = NDArray[np.float64]


class Duels(NamedTuple):
    """What the first seat wins on average, and the standard errors."""

    mean: Floats
    error: Floats


def duels(
    game: GPT,
    policies: Sequence[Policy | str],
    pairs: Sequence[tuple[Deck, Deck]],
    n: int,
    seed: int = 0,
) -> Duels:
    """Let pairs of decks play ``n`` games each.

    The ``i``-th pair plays the games ``i * n`` and so on of the seed, so that no two pairs share a
    game.
    """
    seats = batch._stacked([Policy.of(policy) for policy in policies], pairs[0], None)
    options = batch._options(game)
    means, errors = np.empty(len(pairs)), np.empty(len(pairs))
    results = np.empty((n, 5), np.int8)
    for i, (first, second) in enumerate(pairs):
        decks_ = np.array([batch._places(first), batch._places(second)])
        batch._run(options, seats._replace(deck=decks_), seed, i * n, results)
        won = np.count_nonzero(results[:, 0] == 0)
        lost = np.count_nonzero(results[:, 0] == 1)
        means[i] = (won - lost) / n
        errors[i] = np.sqrt(max((won + lost) / n - means[i] ** 2, 0) / n)
    return Duels(means, errors)


def against(
    game: GPT,
    policies: Sequence[Policy | str],
    replies: Sequence[Deck],
    mixture: Mapping[Deck, float],
    n: int,
    seed: int = 0,
) -> Duels:
    """What each reply wins on average against a mixture of decks.

    It plays about ``n`` games, shared out among the decks of the mixture by their chances.
    """
    mean, variance = np.zeros(len(replies)), np.zeros(len(replies))
    for number, (deck, chance) in enumerate(mixture.items()):
        games = max(2, round(n * chance))
        part = duels(game, policies, [(reply, deck) for reply in replies], games, seed + number)
        mean += chance * part.mean
        variance += (chance * part.error) ** 2
    return Duels(mean, np.sqrt(variance))


@dataclass(frozen=True)
class Metagame:
    """A mixture of decks, and what other decks win against it.

    Attributes
    ----------
    mixture
        The decks with their chances.
    replies
        The decks that were tried against it in the end, in fresh games: ``code``, ``gain``,
        ``error`` (its standard error), and ``low`` and ``high``, between which all gains lie at
        once with probability ``confidence``.
    confidence
        As asked for.
    rounds
        One row for each round of the search: ``pool``, ``support``, ``gain`` of the best reply.
    """

    mixture: dict[Deck, float]
    replies: pd.DataFrame
    confidence: float
    rounds: pd.DataFrame


def solve(
    game: GPT,
    policy: Policy | str,
    start: Sequence[Deck],
    *,
    seed: int = 0,
    rounds: int = 4,
    games: int = 20_000,
    samples: int = 20_000,
    finalists: int = 100,
    confidence: float = 0.95,
    progress: Callable[[Mapping[str, Any]], None] | None = None,
) -> Metagame:
    """A mixture of decks that is hard to beat when both seats play by ``policy``.

    Parameters
    ----------
    game
        GPT under its rules; shields are dealt.
    policy
        What plays the cards of both seats.
    start
        Decks to begin with.
    seed, rounds
        Of the games, and how often replies are searched.
    games
        How many games two decks play, and a reply in the end.
    samples
        How many random decks each round looks at. They play few games each; a linear model of
        their cards then tells which of **all** legal decks to look at more closely.
    finalists
        How many of them that are.
    confidence
        Of the bounds.

    All legal decks cannot be tried here, as they can when cards are played at random: the bounds
    speak of the decks that were tried.
    """
    rng = np.random.default_rng(seed)
    legal = decks.enumerate(game.rules.deck_size, game.rules.deck_sum_max)
    features = _features(legal.masks)
    pool = list(dict.fromkeys(start))
    gains = np.zeros((0, 0))
    told = []
    for number in range(rounds + 1):
        gains = _extended(game, policy, pool, gains, games, seed + 1000)
        chances, _ = linear_program(gains)
        mixture = {deck: float(x) for deck, x in zip(pool, chances, strict=True) if x > 1e-6}
        picked = rng.choice(len(legal), min(samples, len(legal)), replace=False)
        sampled = [legal[int(place)] for place in picked]
        few = against(game, (policy, policy), sampled, mixture, 200, seed + 2000 + 97 * number)
        model = np.linalg.lstsq(features[picked], few.mean, rcond=None)[0]
        predicted = features @ model
        top = np.argpartition(-predicted, 3 * finalists)[: 3 * finalists]
        nearby = _neighbours(mixture, game.rules.deck_sum_max)
        candidates = list(dict.fromkeys([*(legal[int(i)] for i in top), *nearby]))
        tried = against(game, (policy, policy), candidates, mixture, 2000, seed + 3000 + number)
        order = np.argsort(-tried.mean)[:finalists]
        closer = [candidates[i] for i in order]
        again = against(game, (policy, policy), closer, mixture, games // 4, seed + 4000 + number)
        ranked = np.argsort(-again.mean)
        row = {"pool": len(pool), "support": len(mixture), "gain": float(again.mean.max())}
        told.append(row)
        if progress is not None:
            progress(row)
        if number < rounds:
            pool += [closer[i] for i in ranked[:6] if closer[i] not in pool]
    last = list(dict.fromkeys([*pool, *closer]))
    final = against(game, (policy, policy), last, mixture, games, seed + 5000)
    return Metagame(mixture, _bounded(last, final, confidence), confidence, pd.DataFrame(told))


def _extended(
    game: GPT, policy: Policy | str, pool: list[Deck], gains: Floats, games: int, seed: int
) -> Floats:
    """The payoffs among the decks of a pool; those that are known are kept."""
    known = len(gains)
    extended = np.zeros((len(pool), len(pool)))
    extended[:known, :known] = gains
    fresh = [(i, j) for i in range(known, len(pool)) for j in range(i)]
    if fresh:
        pairs = [(pool[i], pool[j]) for i, j in fresh]
        means = duels(game, (policy, policy), pairs, games, seed + known).mean
        for (i, j), mean in zip(fresh, means, strict=True):
            extended[i, j], extended[j, i] = mean, -mean
    return extended


def _features(masks: NDArray[np.uint32]) -> Floats:
    """Which cards a deck has, and of which numbers both: ``(n, 39)``, float32."""
    cards = np.stack([masks >> bit & 1 for bit in range(26)], axis=1)
    pairs = cards[:, ::2] & cards[:, 1::2]
    return np.concatenate([cards, pairs], axis=1).astype(np.float32)


def _neighbours(mixture: Mapping[Deck, float], cap: int) -> list[Deck]:
    """The legal decks that differ in one card from a deck of the mixture."""
    found = []
    for deck in mixture:
        for out in range(26):
            for into in range(26):
                if deck.mask >> out & 1 and not deck.mask >> into & 1:
                    other = Deck(deck.mask ^ (1 << out | 1 << into))
                    # A deck that spends less could always spend more; it is hardly ever better.
                    if cap - 1 <= other.sum <= cap:
                        found.append(other)
    return found


def _bounded(tried: Sequence[Deck], duel: Duels, confidence: float) -> pd.DataFrame:
    """Intervals that hold all at once (Bonferroni)."""
    from scipy.special import ndtri

    z = float(ndtri(1 - (1 - confidence) / (2 * len(tried))))
    frame = pd.DataFrame(
        {
            "code": [deck.code for deck in tried],
            "gain": duel.mean,
            "error": duel.error,
            "low": duel.mean - z * duel.error,
            "high": duel.mean + z * duel.error,
        }
    )
    return frame.sort_values("gain", ascending=False, ignore_index=True)
