"""Zero-sum games given as a matrix, solved in floating point and then exactly.

>>> rock, paper, scissors = [0, -1, 1], [1, 0, -1], [-1, 1, 0]
>>> optimal_mixtures([rock, paper, scissors])[0]
[Fraction(1, 3), Fraction(1, 3), Fraction(1, 3)]
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Payoffs = Sequence[Sequence[Fraction | int]]
Chances = list[Fraction]
Floats = NDArray[np.float64]

ROUNDED = 10**15
"""The denominator of chances that are not known exactly."""

TINY = 1e-9
"""What the linear program cannot tell from 0."""


def optimal_mixtures(payoffs: Payoffs) -> tuple[Chances, Chances]:
    """Optimal mixtures of the row player, who wins ``payoffs``, and of the column player.

    A linear program (HiGHS) finds which strategies to mix, in floating point; their chances are
    then solved for exactly. Where that is not possible they are rounded to fifteen decimals.
    """
    matrix = np.array(payoffs, dtype=np.float64)
    rows, columns = linear_program(matrix)
    lost = [[-payoff for payoff in column] for column in zip(*payoffs, strict=True)]
    return _exactly(payoffs, rows, rows @ matrix), _exactly(lost, columns, -(matrix @ columns))


def _exactly(payoffs: Payoffs, chances: Floats, pays: Floats) -> Chances:
    """The chances as fractions: those under which all columns that pay least pay alike."""
    support = np.flatnonzero(chances > TINY).tolist()
    least = np.flatnonzero(pays < pays.min() + TINY).tolist()
    found = equalising([[payoffs[i][j] for j in least] for i in support])
    if found is None:
        return rounded(chances)
    result = [Fraction(0)] * len(chances)
    for place, chance in zip(support, found, strict=True):
        result[place] = chance
    lowest = min(_mean(column, result) for column in zip(*payoffs, strict=True))
    return result if lowest > pays.min() - TINY else rounded(chances)


def linear_program(payoffs: Floats) -> tuple[Floats, Floats]:
    """Optimal mixtures of both players to the accuracy of HiGHS, about 1e-10.

    ``payoffs`` is what the row player wins; returns the chances of the rows and of the columns.
    """
    from scipy.optimize import linprog

    rows, columns = payoffs.shape
    # Find chances x and a value v such that every column pays at least v.
    result = linprog(
        np.r_[np.zeros(rows), -1.0],
        A_ub=np.c_[-payoffs.T, np.ones(columns)],
        b_ub=np.zeros(columns),
        A_eq=np.r_[np.ones(rows), 0.0][None],
        b_eq=[1.0],
        bounds=[(0, None)] * rows + [(None, None)],
        method="highs-ds",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    chances = result.x[:rows].clip(0)
    replies = (-result.ineqlin.marginals).clip(0)
    return chances / chances.sum(), replies / replies.sum()


def equalising(payoffs: Payoffs) -> Chances | None:
    """Chances of the rows under which all columns pay alike, if they are unique and positive."""
    rows = len(payoffs)
    # Unknown are the chances and what all columns pay. The last equation is that of the sum.
    system = [_whole([*column, -1, 0]) for column in zip(*payoffs, strict=True)]
    system.append([1] * rows + [0, 1])
    # Gauss and Jordan without fractions (Bareiss): every division leaves no remainder.
    before = 1
    for column in range(rows + 1):
        pivot = next((i for i in range(column, len(system)) if system[i][column]), None)
        if pivot is None:
            return None
        system[column], system[pivot] = system[pivot], system[column]
        chosen = system[column]
        scale = chosen[column]
        for i, row in enumerate(system):
            if i != column:
                factor = row[column]
                system[i] = [
                    (scale * x - factor * y) // before for x, y in zip(row, chosen, strict=True)
                ]
        before = scale
    if any(row[-1] for row in system[rows + 1 :]):
        return None
    chances = [Fraction(row[-1], before) for row in system[:rows]]
    return chances if min(chances) > 0 else None


def _whole(numbers: Sequence[Fraction | int]) -> list[int]:
    """The numbers times the least that makes all of them whole."""
    scale = math.lcm(*[number.denominator for number in numbers])
    return [number.numerator * (scale // number.denominator) for number in numbers]


def rounded(chances: Sequence[float] | Floats) -> Chances:
    """Chances as fractions that sum to 1."""
    whole = [round(float(chance) * ROUNDED) for chance in chances]
    largest = max(range(len(whole)), key=whole.__getitem__)
    whole[largest] += ROUNDED - sum(whole)
    return [Fraction(chance, ROUNDED) for chance in whole]


def _mean(payoffs: Sequence[Fraction | int], chances: Chances) -> Fraction:
    pairs = zip(payoffs, chances, strict=True)
    return sum((payoff * chance for payoff, chance in pairs if chance), Fraction(0))
