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
mixture of 9 among 2228 strategies, exploitability 0
>>> small.certificate.verify().maximum
Fraction(0, 1)
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cardlab.analysis.certificate import (
    Certificate,
    CertificateError,
    Strategy,
    Table,
    Verification,
    highest_reply,
)
from cardlab.analysis.exact import (
    DeckLike,
    Match,
    as_deck,
    as_match,
    as_rules,
    field_of,
    legal_decks,
    parts_of,
    same_size,
    sweep_for,
    value_weights,
)
from cardlab.analysis.field import Field
from cardlab.analysis.matrix_game import Chances, linear_program, optimal_mixtures
from cardlab.analysis.sweep import Floats
from cardlab.games.gpt import GPTRules
from cardlab.games.gpt_deck import CAP, SIZE, Deck

__all__ = [
    "Certificate",
    "CertificateError",
    "Equilibrium",
    "ShieldChoice",
    "Strategy",
    "Verification",
    "choose_shields",
    "highest_reply",
    "solve",
]

ACCURACY = Fraction(1, 10**12)
"""A mixture against which no strategy wins more than this is good enough."""


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
    def decks(self) -> dict[Deck, Fraction]:
        """The decks with their chances, as :func:`cardlab.analysis.exact.against` takes them."""
        chances: dict[Deck, Fraction] = defaultdict(Fraction)
        for strategy, weight in self.certificate.mixture.items():
            chances[strategy.deck] += weight
        return dict(chances)

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
        gain = float(self.exploitability)
        return f"mixture of {number} among {all_} strategies, exploitability {gain:.3g}"

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
        self.table = Table(rules)
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
            # The field has nothing new. All strategies, in fractions, have the last word.
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
        payoffs = Table(self.rules, support).payoffs
        return Certificate(
            rules=self.rules,
            strategies=found.strategies,
            support=support,
            weights=tuple(played[strategy] for strategy in support),
            payoffs=tuple(map(tuple, payoffs)),
            maximum=found.maximum,
        )


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

    >>> choice = choose_shields(
    ...     "Ah 9s Ks", "2d 7d Qc", n_shields=1, double_knockout="counter_player_wins"
    ... )
    >>> for strategy, chance in choice.first.items():
    ...     print(*strategy.shields.cards(), chance)
    K♠ 1/3
    9♠ 2/3
    >>> choice.match(exact=True).value
    Fraction(2, 3)
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
        x, y = linear_program(np.array([gains[first.tried] for gains in first.gains]).T)
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
    table = Table(rules)
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
