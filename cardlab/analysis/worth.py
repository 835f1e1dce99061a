"""What a single card is worth in a deck of GPT, from the values of all legal decks.

Values are those of :func:`cardlab.analysis.exact.values` against an optimal mixture: what a deck
wins on average against the best that there is, 0 at the most. A card has no value of its own, only
decks have; these are four ways to divide theirs, defined in ``docs/exact.md``.

>>> from cardlab.analysis import exact, metagame, worth
>>> small = metagame.solve(size=4, cap=20, n_shields=2)
>>> values = exact.values(small.decks, cap=20, n_shields=2)
>>> table = worth.cards(exact.legal_decks(4, 20), values, small.decks)
>>> print(*table.loc[table["margin"].idxmax(), ["rank", "colour"]])
1 black
>>> print(table["share"].sum().round(9))
4.0
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cardlab.analysis.decks import Decks
from cardlab.analysis.sweep import Floats
from cardlab.games.gpt_deck import Deck

__all__ = ["additive", "by_sum", "cards", "copies", "holding", "near"]

BITS = 26


def cards(decks: Decks, values: Floats, mixture: Mapping[Deck, Any]) -> pd.DataFrame:
    """What each card is worth.

    Parameters
    ----------
    decks, values
        All legal decks, and what each wins on average against an optimal mixture.
    mixture
        That mixture: decks with their chances.

    One row for each card that some of the decks hold and some do not, in the order of the bits:

    * ``rank`` (int64, 1 to 13), ``colour`` (``"red"``, ``"black"``),
    * ``share``: the chance that the mixture holds it,
    * ``best_with``, ``best_without``: the highest value of a deck that holds it, and of one that
      does not,
    * ``margin``: the first less the second; what being forbidden the card costs when it is
      positive, what being forced to play it costs when it is negative,
    * ``mean_with``, ``mean_without``: the means of the same decks,
    * ``additive``: its number in :func:`additive` (all float64).
    """
    rows = []
    numbers = additive(decks, values)[0]
    for bit in range(BITS):
        held = (decks.masks >> np.uint32(bit) & 1).astype(bool)
        if held.all() or not held.any():
            continue
        with_it, without = values[held], values[~held]
        chances = [float(chance) for deck, chance in mixture.items() if deck.mask >> bit & 1]
        rows.append(
            {
                "rank": bit // 2 + 1,
                "colour": ("red", "black")[bit % 2],
                "share": sum(chances),
                "best_with": float(with_it.max()),
                "best_without": float(without.max()),
                "margin": float(with_it.max() - without.max()),
                "mean_with": float(with_it.mean()),
                "mean_without": float(without.mean()),
                "additive": float(numbers[bit]),
            }
        )
    return pd.DataFrame(rows)


def additive(decks: Decks, values: Floats) -> tuple[Floats, float]:
    """Numbers for the 26 cards whose sum over a deck comes nearest to its value.

    Least squares over all of the decks, which must be of one size, so that one number for all cards
    can be added without any difference: those of the ``size`` cards of a deck include an equal
    share of the constant. Returns the numbers, and the share of the variance that they explain.

    >>> from cardlab.analysis import decks
    >>> few = decks.enumerate(2, 8)
    >>> numbers, explained = additive(few, few.sums.astype(float))
    >>> numbers[:14].round(6).tolist(), round(explained, 6)
    ([1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 4.0, 4.0, 5.0, 5.0, 6.0, 6.0, 7.0, 7.0], 1.0)
    """
    held = [(decks.masks >> np.uint32(bit) & 1).astype(bool) for bit in range(BITS)]
    together = np.array([[np.count_nonzero(a & b) for b in held] for a in held], dtype=np.float64)
    sums = np.array([values[column].sum() for column in held])
    numbers: Floats = np.linalg.lstsq(together, sums, rcond=1e-12)[0]
    left = values.copy()
    for column, number in zip(held, numbers, strict=True):
        left -= number * column
    variance = values.var()
    return numbers, float(1 - left.var() / variance) if variance else 1.0


def near(decks: Decks, values: Floats, within: float) -> Decks:
    """The decks whose values are at most ``within`` below the highest, the best first."""
    places: NDArray[np.intp] = np.flatnonzero(values >= values.max() - within)
    return decks[places[np.argsort(-values[places], kind="stable")]]


def by_sum(decks: Decks, values: Floats) -> pd.DataFrame:
    """What decks of each sum are worth.

    One row for each sum that occurs, ascending: ``sum`` and the number of ``decks`` (int64), the
    ``best`` of their values and the ``mean`` (float64).
    """
    groups = pd.DataFrame({"sum": decks.sums.astype(np.int64), "value": values}).groupby("sum")
    table: pd.DataFrame = groups["value"].agg(decks="size", best="max", mean="mean").reset_index()
    return table


def holding(decks: Decks) -> pd.DataFrame:
    """The share of some decks that holds each card.

    26 rows in the order of the bits: ``rank`` (int64, 1 to 13), ``colour``, ``share`` (float64).

    >>> from cardlab.analysis import decks
    >>> print(*holding(decks.enumerate(2, 3))["share"].round(2).head(4))
    0.6 0.6 0.4 0.4
    """
    return pd.DataFrame(
        [
            {
                "rank": bit // 2 + 1,
                "colour": ("red", "black")[bit % 2],
                "share": float((decks.masks >> np.uint32(bit) & 1).mean()),
            }
            for bit in range(BITS)
        ]
    )


def copies(strategies: pd.DataFrame, by: str) -> pd.DataFrame:
    """How many cards of each number optimal mixtures hold on average.

    Parameters
    ----------
    strategies
        Rows of ``gpt_equilibria.csv``: one for each strategy, with its ``deck`` and ``share``.
    by
        The column that tells one mixture from another, such as ``"cap"``.

    13 rows for each mixture: ``by``, ``rank`` (int64, 1 to 13), ``copies`` (float64, 0 to 2).

    >>> two = {"cap": [100, 100], "deck": ["b00000000000r", "2000000000000"], "share": [0.25, 0.75]}
    >>> copies(pd.DataFrame(two), "cap").iloc[[0, 12]]["copies"].tolist()
    [1.75, 0.25]
    """
    rows = []
    for value, group in strategies.groupby(by, sort=True):
        decks = [Deck.parse(code).mask for code in group["deck"]]
        shares = group["share"].tolist()
        for rank in range(1, 14):
            held = [(mask >> 2 * (rank - 1) & 3).bit_count() for mask in decks]
            number = float(sum(n * share for n, share in zip(held, shares, strict=True)))
            rows.append({by: value, "rank": rank, "copies": number})
    return pd.DataFrame(rows)
