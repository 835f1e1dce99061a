"""Which mixture of GPT decks is optimal, with a certificate that anybody can check.

Before a game of GPT both players choose a deck in secret. When all cards are then played at random,
this choice is a zero-sum game of its own, with one strategy for every legal deck and exact payoffs
(:mod:`cardlab.analysis.exact`). It is symmetric, so its value is 0, and a mixture of decks is
optimal exactly when no deck wins more than 0 against it.

:func:`solve` finds such a mixture by the double oracle method: solve the game among a few decks (a
linear program), look for the best reply among **all** legal decks, add it, and begin again. It ends
when the best reply is one of the few already. The result does not rest on the search: its
:class:`Certificate` says how much the best of all legal decks wins against the mixture, and
:meth:`Certificate.verify` recomputes that without any solver.

>>> from cardlab.analysis import metagame
>>> small = metagame.solve(size=4, cap=20, n_shields=2)
>>> small
optimal mixture of 2 decks among 3301, exploitability 0
>>> small.certificate.verify().maximum
Fraction(0, 1)
"""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, product
from math import comb
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cardlab.analysis import decks
from cardlab.analysis.exact import (
    DeckLike,
    Match,
    as_deck,
    as_match,
    as_rules,
    chosen_side,
    field_of,
    legal_decks,
    parts_of,
    same_size,
    sweep_for,
    value_row,
    value_weights,
    whole,
)
from cardlab.analysis.field import Choices, Field
from cardlab.analysis.sweep import Floats, Side, sweep
from cardlab.errors import CardlabError, DeckError
from cardlab.games.gpt import GPTRules
from cardlab.games.gpt_deck import CAP, SIZE, Deck, check_deck

__all__ = [
    "Certificate",
    "CertificateError",
    "Equilibrium",
    "ShieldChoice",
    "Strategy",
    "Verification",
    "choose_shields",
    "highest_reply",
    "optimal_mixtures",
    "solve",
]

Payoffs = list[list[Fraction]]


class CertificateError(CardlabError, ValueError):
    """A certificate cannot be read, or what it says is not so."""


class Strategy(NamedTuple):
    """What a player chooses before the game: a deck and, where they are chosen, the shields."""

    deck: Deck
    shields: Deck | None = None

    @property
    def side(self) -> Side:
        """Its cards by what they may become."""
        if self.shields is None:
            return whole(self.deck)
        return Side(self.deck.mask & ~self.shields.mask, self.shields.mask)

    def check_shields(self, rules: GPTRules) -> None:
        """Raise :class:`DeckError` unless its shields are such as the rules want (G6)."""
        chosen = rules.shield_mode == "chosen"
        if chosen != (self.shields is not None):
            raise DeckError("analysis.error.no_shields", "G6", n=rules.n_shields * chosen)
        if self.shields is not None:
            chosen_side(self.deck, self.shields, rules.n_shields)

    def __str__(self) -> str:
        return (
            f"{self.deck}" if self.shields is None else f"{self.deck} with shields {self.shields}"
        )


# ----------------------------------------------------------------------------------------- solving


@dataclass(frozen=True, repr=False)
class Equilibrium:
    """An optimal mixture.

    Attributes
    ----------
    certificate
        The mixture, and the proof that it is optimal.
    rounds
        One row for each round of the search: ``strategies`` in the small game, ``support`` of its
        solution, ``gain`` of the best reply among all, that ``reply``, and the ``seconds`` so far.
    """

    certificate: Certificate
    rounds: pd.DataFrame

    @property
    def support(self) -> tuple[Strategy, ...]:
        """What the mixture plays."""
        return self.certificate.support

    @property
    def weights(self) -> tuple[Fraction, ...]:
        """With what chances."""
        return self.certificate.weights

    @property
    def value(self) -> Fraction:
        """What either player wins on average when both play optimally: 0, by symmetry."""
        return Fraction(0)

    @property
    def exploitability(self) -> Fraction:
        """What the best of all strategies wins on average against the mixture."""
        return self.certificate.maximum

    def __repr__(self) -> str:
        number, all_ = len(self.support), self.certificate.strategies
        return (
            f"optimal mixture of {number} decks among {all_}, "
            f"exploitability {float(self.exploitability):.3g}"
        )

    def to_frame(self) -> pd.DataFrame:
        """The mixture as a table; see :meth:`Certificate.to_frame`."""
        return self.certificate.to_frame()


def solve(
    size: int = SIZE,
    cap: int = CAP,
    n_shields: int = 5,
    *,
    shields: str = "random",
    double_knockout: str = "attacker_wins",
    counter_compare: str = "strict_number",
    progress: Callable[[Mapping[str, Any]], None] | None = None,
) -> Equilibrium:
    """An optimal mixture of decks when all cards are played and all shields struck at random.

    Parameters
    ----------
    size, cap, n_shields, double_knockout, counter_compare
        The rules, as in :class:`~cardlab.games.gpt.GPTRules`.
    shields
        ``"random"``: they are dealt, and a strategy is a deck. ``"chosen"``: a strategy is a deck
        and the shields in it, both chosen before anything of the other player's is known (G6).
    progress
        Called after each round with its row of :attr:`Equilibrium.rounds`.

    Raises :class:`RulesError` for a value that is not allowed. Under the default rules it takes
    seconds and about 20 MB a round; with chosen shields a minute or more and about 1 GB.
    """
    rules = as_rules(
        size,
        cap,
        n_shields=n_shields,
        shield_mode=shields,
        double_knockout=double_knockout,
        counter_compare=counter_compare,
    )
    return _Search(rules, progress).run()


class _Search:
    """The double oracle method for one set of rules."""

    def __init__(
        self, rules: GPTRules, progress: Callable[[Mapping[str, Any]], None] | None
    ) -> None:
        self.rules = rules
        self.progress = progress
        self.table = _Table(rules)
        self.decks = legal_decks(rules.deck_size, rules.deck_sum_max)
        self.lowest: NDArray[np.int64] | None = None
        self.field = field_of(rules) if rules.shield_mode == "random" else self._low_shields()
        self.gains: list[Floats] = []
        self.rounds: list[dict[str, Any]] = []
        self.start = time.perf_counter()

    def _low_shields(self) -> Field:
        """Every deck with its lowest cards as shields: most often they are the best choice."""
        left = self.decks.masks.astype(np.int64)
        self.lowest = np.zeros_like(left)
        for _ in range(self.rules.n_shields):
            self.lowest |= left & -left
            left &= left - 1
        return Field(sweep_for(self.rules), left, self.lowest)

    def run(self) -> Equilibrium:
        """Search until no strategy gains."""
        self._add(self._strategy(len(self.decks) - 1))
        while True:
            mixture, _ = optimal_mixtures(self.table.payoffs)
            gains = np.zeros(len(self.field))
            for chance, row in zip(mixture, self.gains, strict=True):
                if chance:
                    gains += float(chance) * row
            best = int(np.argmax(gains))
            reply, gain = self._strategy(best), float(gains[best])
            if reply not in self.table.strategies:
                self._note(mixture, reply, gain)
                self._add(reply)
                continue
            # Nothing in the field is new. The last word have all strategies, in fractions.
            played = {s: x for s, x in zip(self.table.strategies, mixture, strict=True) if x}
            found = highest_reply(self.rules, played)
            self._note(mixture, found.best[0], float(found.maximum))
            fresh = [s for s in found.best if s not in self.table.strategies]
            if found.maximum <= ACCURACY or not fresh:
                return Equilibrium(self._certificate(played, found), pd.DataFrame(self.rounds))
            for strategy in fresh:
                self._add(strategy)

    def _strategy(self, place: int) -> Strategy:
        shields = None if self.lowest is None else Deck(int(self.lowest[place]))
        return Strategy(self.decks[place], shields)

    def _add(self, strategy: Strategy) -> None:
        self.table.add(strategy)
        weights = value_weights(self.field.sweep, self.rules)[None]
        self.gains.append(self.field.values(strategy.side, weights)[0])

    def _note(self, mixture: Chances, reply: Strategy, gain: float) -> None:
        row = {
            "strategies": len(mixture),
            "support": sum(chance > 0 for chance in mixture),
            "gain": gain,
            "reply": str(reply),
            "seconds": time.perf_counter() - self.start,
        }
        self.rounds.append(row)
        if self.progress is not None:
            self.progress(row)

    def _certificate(self, played: Mapping[Strategy, Fraction], found: Verification) -> Certificate:
        support = tuple(sorted(played, key=lambda strategy: (-played[strategy], strategy)))
        payoffs = _Table(self.rules, support).payoffs
        return Certificate(
            rules=self.rules,
            strategies=found.strategies,
            support=support,
            weights=tuple(played[strategy] for strategy in support),
            payoffs=tuple(map(tuple, payoffs)),
            maximum=found.maximum,
        )


class _Table:
    """The exact payoffs among some strategies, of the first against the second."""

    def __init__(self, rules: GPTRules, strategies: Iterable[Strategy] = ()) -> None:
        self.sweep = sweep_for(rules)
        self.weights = value_row(self.sweep, rules)
        self.strategies: list[Strategy] = []
        self.payoffs: Payoffs = []
        for strategy in strategies:
            self.add(strategy)

    def payoff(self, first: Strategy, second: Strategy) -> Fraction:
        """What ``first`` wins on average against ``second``."""
        numbers = self.sweep.arrangements(first.side, second.side)
        total = sum(w * n for w, n in zip(self.weights.tolist(), numbers, strict=True) if w and n)
        return Fraction(total, self.sweep.denominator)

    def add(self, strategy: Strategy) -> None:
        row = [self.payoff(strategy, other) for other in self.strategies]
        for others, own in zip(self.payoffs, row, strict=True):
            others.append(-own)
        self.payoffs.append([*row, Fraction(0)])
        self.strategies.append(strategy)


# ----------------------------------------------------------------------------- the linear program

ACCURACY = Fraction(1, 10**12)
"""A mixture against which no strategy wins more than this is good enough."""

CLOSE = 1e-6
"""Strategies that win almost as much as the best are told apart down to this difference."""

ROUNDED = 10**15
"""The denominator of chances that are not known exactly."""

Chances = list[Fraction]


def optimal_mixtures(payoffs: Payoffs) -> tuple[Chances, Chances]:
    """Optimal mixtures of the row player, who wins ``payoffs``, and of the column player.

    A linear program (HiGHS) finds which strategies to mix, in floating point; their chances are
    then solved for exactly. Where that is not possible they are rounded to fifteen decimals.
    """
    matrix = np.array(payoffs, dtype=np.float64)
    rows, columns = _linear_program(matrix)
    x = _solved(payoffs, rows, rows @ matrix)
    y = _solved(
        [[-p for p in column] for column in zip(*payoffs, strict=True)],
        columns,
        -(matrix @ columns),
    )
    if x is None or y is None:
        return rounded(rows), rounded(columns)
    # If no player gains by leaving them, they are optimal, whatever was rounded on the way.
    lowest = min(_mean(column, x) for column in zip(*payoffs, strict=True))
    highest = max(_mean(row, y) for row in payoffs)
    return (x, y) if lowest >= highest else (rounded(rows), rounded(columns))


def _solved(payoffs: Payoffs, chances: Floats, pays: Floats) -> Chances | None:
    """The chances as fractions: those under which all columns that pay least pay alike."""
    support = np.flatnonzero(chances > 1e-9).tolist()
    least = np.flatnonzero(pays < pays.min() + 1e-9).tolist()
    found = equalising([[payoffs[i][j] for j in least] for i in support])
    if found is None:
        return None
    result = [Fraction(0)] * len(chances)
    for place, chance in zip(support, found, strict=True):
        result[place] = chance
    return result


def _linear_program(payoffs: Floats) -> tuple[Floats, Floats]:
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
    rows, columns = len(payoffs), len(payoffs[0])
    # Unknown are the chances and what the columns pay; the last equation makes the chances sum to
    # 1.
    system = [
        [payoffs[i][j] for i in range(rows)] + [Fraction(-1), Fraction(0)] for j in range(columns)
    ]
    system.append([Fraction(1)] * rows + [Fraction(0), Fraction(1)])
    for column in range(rows + 1):
        pivot = next((i for i in range(column, len(system)) if system[i][column]), None)
        if pivot is None:
            return None
        system[column], system[pivot] = system[pivot], system[column]
        scale = system[column][column]
        system[column] = [entry / scale for entry in system[column]]
        for i, row in enumerate(system):
            if i != column and row[column]:
                factor = row[column]
                system[i] = [x - factor * y for x, y in zip(row, system[column], strict=True)]
    if any(row[-1] for row in system[rows + 1 :]):
        return None
    chances = [row[-1] for row in system[:rows]]
    return chances if min(chances) > 0 else None


def rounded(chances: Sequence[float] | Floats) -> Chances:
    """Chances as fractions that sum to 1."""
    whole = [round(float(chance) * ROUNDED) for chance in chances]
    largest = max(range(len(whole)), key=whole.__getitem__)
    whole[largest] += ROUNDED - sum(whole)
    return [Fraction(chance, ROUNDED) for chance in whole]


def _mean(payoffs: Sequence[Fraction], chances: Chances) -> Fraction:
    pairs = zip(payoffs, chances, strict=True)
    return sum((payoff * chance for payoff, chance in pairs if chance), Fraction(0))


# --------------------------------------------------------------------------- shields of two decks


@dataclass(frozen=True)
class ShieldChoice:
    """Which shields two players put down when each knows both decks (G6).

    Attributes
    ----------
    rules
        The rules of the game.
    first, second
        Both players' optimal mixtures: their strategies with their chances.
    gap
        The most that both together could win by choosing other shields, float: 0 but for rounding.
    """

    rules: GPTRules
    first: dict[Strategy, Fraction]
    second: dict[Strategy, Fraction]
    gap: float

    def match(self, exact: bool = False) -> Match:
        """The outcome when both play their mixtures."""
        parts: dict[str, Fraction] = defaultdict(Fraction)
        for (a, chance), (b, other) in product(self.first.items(), self.second.items()):
            for name, part in parts_of(a.side, b.side, self.rules).items():
                parts[name] += chance * other * part
        return as_match(parts, self.rules, exact)


def choose_shields(
    a: DeckLike,
    b: DeckLike,
    *,
    n_shields: int = 5,
    double_knockout: str = "attacker_wins",
    counter_compare: str = "strict_number",
) -> ShieldChoice:
    """The optimal choice of shields for two decks that both players know.

    Each player may put down any ``n_shields`` cards of the deck, then all cards are played at
    random. Parameters and errors are those of :func:`cardlab.analysis.exact.match`.

    >>> choice = choose_shields("Ks 9h As", "Qs Th 2s", n_shields=1)
    >>> for strategy, chance in choice.first.items():
    ...     print(strategy, chance)
    r0000000r000b with shields 00000000r0000 2/3
    r0000000r000b with shields 000000000000b 1/3
    """
    pair = as_deck(a), as_deck(b)
    same_size(pair)
    rules = as_rules(
        pair[0].size,
        n_shields=n_shields,
        shield_mode="chosen",
        double_knockout=double_knockout,
        counter_compare=counter_compare,
    )
    first, second = (_Chooser(deck, rules) for deck in pair)
    first.meet(second.strategies[0])
    second.meet(first.strategies[0])
    while True:
        x, y = _linear_program(np.array([gains[first.tried] for gains in first.gains]).T)
        (reply, gain), (other_reply, other_gain) = first.reply(y), second.reply(x)
        known = reply in first.tried, other_reply in second.tried
        if gain + other_gain < 1e-12 or all(known):
            break
        if not known[0]:
            first.tried.append(reply)
            second.meet(first.strategies[reply])
        if not known[1]:
            second.tried.append(other_reply)
            first.meet(second.strategies[other_reply])
    mixed = first.mixed(x), second.mixed(y)
    table = _Table(rules)
    chances = optimal_mixtures(
        [[table.payoff(own, other) for other in mixed[1]] for own in mixed[0]]
    )
    return ShieldChoice(
        rules,
        dict(zip(mixed[0], chances[0], strict=True)),
        dict(zip(mixed[1], chances[1], strict=True)),
        gain + other_gain,
    )


class _Chooser:
    """One player's sets of shields, and what each wins against those that the other has tried."""

    def __init__(self, deck: Deck, rules: GPTRules) -> None:
        bits = [bit for bit in range(26) if deck.mask >> bit & 1]
        shields = [sum(1 << bit for bit in down) for down in combinations(bits, rules.n_shields)]
        self.strategies = [Strategy(deck, Deck(mask)) for mask in shields]
        masks = np.array(shields, dtype=np.int64)
        self.field = Field(sweep_for(rules), deck.mask & ~masks, masks)
        self.weights = value_weights(self.field.sweep, rules)[None]
        self.tried = [0]
        self.gains: list[Floats] = []

    def meet(self, other: Strategy) -> None:
        """Take note of what every set wins against ``other``."""
        self.gains.append(self.field.values(other.side, self.weights)[0])

    def reply(self, chances: Floats) -> tuple[int, float]:
        """The best set against a mixture of what the other has tried, and what it wins."""
        gains = np.tensordot(chances, self.gains, 1)
        best = int(np.argmax(gains))
        return best, float(gains[best])

    def mixed(self, chances: Floats) -> list[Strategy]:
        """What the mixture of the tried sets really plays."""
        return [
            self.strategies[place]
            for place, chance in zip(self.tried, chances, strict=True)
            if chance > 1e-9
        ]


# ---------------------------------------------------------------------------------- the best reply


class Verification(NamedTuple):
    """What was recomputed over all strategies.

    Attributes
    ----------
    strategies
        How many there are.
    maximum
        The most that any of them wins on average against the mixture.
    best
        Those that win it.
    runner_up
        The most that any other wins, float.
    unique
        Whether the mixture is proven to be the only optimal one: all others lose to it, and only
        these chances make all that it mixes win equally.
    error
        A bound of the rounding error of every value computed in floating point. Strategies within
        twice this bound of the highest were computed again as fractions.
    """

    strategies: int
    maximum: Fraction
    best: tuple[Strategy, ...]
    runner_up: float
    unique: bool
    error: float


def highest_reply(rules: GPTRules, mixture: Mapping[Strategy, Fraction]) -> Verification:
    """The most that any legal strategy wins against the mixture, exactly; needs no solver.

    All are valued in floating point with a bound of the error, and those that could be the best are
    valued again in fractions.
    """
    search = _highest_deck if rules.shield_mode == "random" else _highest_choice
    number, near, other, error = search(rules, mixture)
    table = _Table(rules)
    exactly = {
        strategy: sum(
            (chance * table.payoff(strategy, other) for other, chance in mixture.items()),
            Fraction(0),
        )
        for strategy in near
    }
    maximum = max(exactly.values())
    best = tuple(strategy for strategy, value in exactly.items() if value == maximum)
    lower = [float(value) for value in exactly.values() if value < maximum]
    runner_up = max([other, *lower])
    unique = (
        maximum == 0
        and runner_up < -error
        and rules.shield_mode == "random"
        and set(best) == set(mixture)
        and equalising(_Table(rules, mixture).payoffs) is not None
    )
    return Verification(number, maximum, best, runner_up, unique, error)


_Found = tuple[int, list[Strategy], float, float]
"""The number of strategies, those that could be the best, a bound of what the others win, and a
bound of the rounding error of all values."""


def _highest_deck(rules: GPTRules, mixture: Mapping[Strategy, Fraction]) -> _Found:
    field = field_of(rules)
    legal = legal_decks(rules.deck_size, rules.deck_sum_max)
    weights = value_weights(field.sweep, rules)[None]
    values, error = np.zeros(len(field)), 0.0
    for strategy, chance in mixture.items():
        gains, bounds = field.bounded_values(strategy.side, weights)
        values += float(chance) * gains[0]
        error += float(chance) * float(bounds[0]) * field.sweep.rounding
    near = values >= values.max() - 2 * error
    others = values[~near]
    other = float(others.max()) if len(others) else -1.0
    return len(legal), [Strategy(deck) for deck in legal[near]], other, error


def _highest_choice(rules: GPTRules, mixture: Mapping[Strategy, Fraction]) -> _Found:
    choices = _choices(rules.deck_size, rules.deck_sum_max, rules.n_shields, rules.counter_compare)
    machine = sweep_for(rules)
    sides = {strategy.side: float(chance) for strategy, chance in mixture.items()}
    highest, bound, near = choices.best(sides, value_weights(machine, rules), CLOSE)
    error = machine.rounding * bound
    limit = highest - 2 * error
    strategies = [
        Strategy(Deck(side.play | side.shields), Deck(side.shields))
        for side, value in near.items()
        if value >= limit
    ]
    other = max((value for value in near.values() if value < limit), default=highest - CLOSE)
    number = decks.count(rules.deck_size, rules.deck_sum_max)
    return number * comb(rules.deck_size, rules.n_shields), strategies, other, error


@lru_cache(maxsize=1)
def _choices(size: int, cap: int, n_shields: int, counter_compare: str) -> Choices:
    return Choices(sweep(size, n_shields, True, counter_compare), cap)


# ------------------------------------------------------------------------------------ certificates

FORMAT = "cardlab gpt metagame certificate"
VERSION = 1
CLAIM = (
    "When all cards are played and all shields are struck at random, no legal strategy wins more "
    "than `maximum` (wins minus losses, on average) against this mixture."
)
_PRINTED = ("deck_size", "deck_sum_max", "n_shields", "shield_mode")
_READINGS = ("counter_compare", "double_knockout")


@dataclass(frozen=True)
class Certificate:
    """A mixture and what it guarantees, in a form that can be checked without trust.

    Attributes
    ----------
    rules
        The rules of the game.
    strategies
        How many legal strategies there are.
    support, weights
        The mixture, the most frequent strategy first.
    payoffs
        What each strategy of the support wins on average against each.
    maximum
        The most that any legal strategy wins on average against the mixture. The game is
        symmetric, so this is the mixture's exploitability, and 0 means that it is optimal.
    """

    rules: GPTRules
    strategies: int
    support: tuple[Strategy, ...]
    weights: tuple[Fraction, ...]
    payoffs: tuple[tuple[Fraction, ...], ...]
    maximum: Fraction

    @property
    def mixture(self) -> dict[Strategy, Fraction]:
        """The strategies with their chances."""
        return dict(zip(self.support, self.weights, strict=True))

    def verify(self) -> Verification:
        """Recompute everything that the certificate says; no solver is involved.

        The legality of the support, its chances, its payoffs as fractions, the number of legal
        strategies, and the highest reply among all of them. Raises :class:`CertificateError` for
        the first claim that is not so.
        """
        for strategy in self.support:
            check_deck(strategy.deck, self.rules.deck_size, self.rules.deck_sum_max)
            strategy.check_shields(self.rules)
        if len(set(self.support)) != len(self.support) or len(self.weights) != len(self.support):
            raise CertificateError("analysis.error.claim_support")
        if min(self.weights) < 0 or sum(self.weights) != 1:
            raise CertificateError("analysis.error.chances", total=str(sum(self.weights)))
        if tuple(map(tuple, _Table(self.rules, self.support).payoffs)) != self.payoffs:
            raise CertificateError("analysis.error.claim_payoffs")
        found = highest_reply(self.rules, self.mixture)
        if found.strategies != self.strategies:
            raise CertificateError(
                "analysis.error.claim_strategies", claimed=self.strategies, found=found.strategies
            )
        if found.maximum != self.maximum:
            raise CertificateError(
                "analysis.error.claim_maximum",
                claimed=str(float(self.maximum)),
                found=str(float(found.maximum)),
                strategy=str(found.best[0]),
            )
        return found

    def to_frame(self) -> pd.DataFrame:
        """The mixture as a table, the most frequent first.

        Columns: ``code``, the code of the ``shields`` where they are chosen, ``sum``, ``weight``
        (float64).
        """
        shields = [strategy.shields.code for strategy in self.support if strategy.shields]
        return pd.DataFrame(
            {
                "code": [strategy.deck.code for strategy in self.support],
                **({"shields": shields} if shields else {}),
                "sum": [strategy.deck.sum for strategy in self.support],
                "weight": [float(weight) for weight in self.weights],
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """The certificate as plain JSON; fractions are strings such as ``"3/8"``."""
        rules = asdict(self.rules)
        return {
            "format": FORMAT,
            "version": VERSION,
            "claim": CLAIM,
            "rules": {name: rules[name] for name in (*_PRINTED, *_READINGS)},
            "strategies": self.strategies,
            "support": [
                {
                    "deck": strategy.deck.code,
                    **({} if strategy.shields is None else {"shields": strategy.shields.code}),
                    "share": round(float(weight), 6),
                    "weight": str(weight),
                }
                for strategy, weight in self.mixture.items()
            ],
            "payoffs": [[str(payoff) for payoff in row] for row in self.payoffs],
            "value": "0",
            "maximum": str(self.maximum),
        }

    @classmethod
    def from_dict(cls, data: Any) -> Self:
        """The certificate that :meth:`to_dict` wrote; checks its form, not its claims.

        Raises :class:`CertificateError` when it is none.
        """
        try:
            if data["format"] != FORMAT or data["version"] != VERSION:
                raise ValueError(f"{data['format']} {data['version']}")
            rules = GPTRules(hand_size=1, **data["rules"])
            return cls(
                rules=rules,
                strategies=int(data["strategies"]),
                support=tuple(
                    Strategy(
                        Deck.parse(entry["deck"]),
                        Deck.parse(entry["shields"]) if "shields" in entry else None,
                    )
                    for entry in data["support"]
                ),
                weights=tuple(Fraction(entry["weight"]) for entry in data["support"]),
                payoffs=tuple(tuple(map(Fraction, row)) for row in data["payoffs"]),
                maximum=Fraction(data["maximum"]),
            )
        except (LookupError, TypeError, ValueError, ZeroDivisionError) as error:
            raise CertificateError("analysis.error.certificate", error=str(error)) from error

    def save(self, path: str | PathLike[str]) -> None:
        """Write it to a JSON file."""
        Path(path).write_text(json.dumps(self.to_dict(), indent=1) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read it from a JSON file. Raises :class:`CertificateError` when that cannot be done."""
        try:
            data = json.loads(Path(path).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise CertificateError("analysis.error.certificate", error=str(error)) from error
        return cls.from_dict(data)
