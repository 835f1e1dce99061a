"""What a mixture of GPT strategies guarantees, without trust in whoever found it.

A mixture is a list of strategies with their chances. The game before the game, in which both
players choose a strategy, is symmetric and its value is 0, so a mixture is optimal exactly when no
strategy wins more than 0 against it, and the most that any of them wins can be computed for all of
them (:func:`highest_reply`). A :class:`Certificate` puts this on file. No solver is needed here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import lru_cache
from math import comb
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import pandas as pd

from cardlab.analysis import decks
from cardlab.analysis.exact import (
    chosen_side,
    field_of,
    legal_decks,
    sweep_for,
    value_row,
    value_weights,
    whole,
)
from cardlab.analysis.field import Choices
from cardlab.analysis.matrix_game import equalising
from cardlab.analysis.sweep import Side, sweep
from cardlab.errors import CardlabError, DeckError, NotationError, RulesError
from cardlab.games.gpt import GPTRules
from cardlab.games.gpt_deck import Deck, check_deck

__all__ = [
    "Certificate",
    "CertificateError",
    "Strategy",
    "Table",
    "Verification",
    "highest_reply",
]


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

    def check(self, rules: GPTRules) -> None:
        """Raise :class:`DeckError` unless its deck and its shields keep the rules (G4, G6)."""
        check_deck(self.deck, rules.deck_size, rules.deck_sum_max)
        chosen = rules.shield_mode == "chosen"
        if chosen != (self.shields is not None):
            raise DeckError("analysis.error.no_shields", "G6", n=rules.n_shields * chosen)
        if self.shields is not None:
            chosen_side(self.deck, self.shields, rules.n_shields)

    def __str__(self) -> str:
        return str(self.deck) if self.shields is None else f"{self.deck}/{self.shields}"


class Table:
    """The exact payoffs among some strategies, of the first against the second."""

    def __init__(self, rules: GPTRules, strategies: Iterable[Strategy] = ()) -> None:
        self.sweep = sweep_for(rules)
        self.weights = value_row(self.sweep, rules)
        self.strategies: list[Strategy] = []
        self.payoffs: list[list[Fraction]] = []
        for strategy in strategies:
            self.add(strategy)

    def payoff(self, first: Strategy, second: Strategy) -> Fraction:
        """What ``first`` wins on average against ``second``."""
        numbers = self.sweep.arrangements(first.side, second.side)
        total = sum(w * n for w, n in zip(self.weights.tolist(), numbers, strict=True) if w and n)
        return Fraction(total, self.sweep.denominator)

    def add(self, strategy: Strategy) -> None:
        """Add a row and a column."""
        row = [self.payoff(strategy, other) for other in self.strategies]
        for others, own in zip(self.payoffs, row, strict=True):
            others.append(-own)
        self.payoffs.append([*row, Fraction(0)])
        self.strategies.append(strategy)


# ---------------------------------------------------------------------------------- the best reply

CLOSE = 1e-6
"""Strategies that win almost as much as the best are told apart down to this difference."""


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


def highest_reply(
    rules: GPTRules,
    mixture: Mapping[Strategy, Fraction],
    progress: Callable[[float], None] = lambda _: None,
) -> Verification:
    """The most that any legal strategy wins against the mixture, exactly; needs no solver.

    All are valued in floating point with a bound of the error, and those that could be the best are
    valued again in fractions. ``progress`` is called with the share of the work that is done.
    """
    search = _highest_deck if rules.shield_mode == "random" else _highest_choice
    number, near, other, error = search(rules, mixture, progress)
    table = Table(rules)
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
        and equalising(Table(rules, mixture).payoffs) is not None
    )
    return Verification(number, maximum, best, runner_up, unique, error)


_Found = tuple[int, list[Strategy], float, float]
"""The number of strategies, those that could be the best, a bound of what the others win, and a
bound of the rounding error of all values."""


def _highest_deck(
    rules: GPTRules, mixture: Mapping[Strategy, Fraction], progress: Callable[[float], None]
) -> _Found:
    field = field_of(rules)
    legal = legal_decks(rules.deck_size, rules.deck_sum_max)
    weights = value_weights(field.sweep, rules)[None]
    values, bound = np.zeros(len(field)), 0.0
    for done, (strategy, chance) in enumerate(mixture.items(), start=1):
        gains, bounds = field.bounded_values(strategy.side, weights)
        values += float(chance) * gains[0]
        bound += float(chance) * float(bounds[0])
        progress(done / len(mixture))
    error = field.sweep.rounding(len(mixture)) * bound
    near = values >= values.max() - 2 * error
    others = values[~near]
    other = float(others.max()) if len(others) else -1.0
    return len(legal), [Strategy(deck) for deck in legal[near]], other, error


def _highest_choice(
    rules: GPTRules, mixture: Mapping[Strategy, Fraction], progress: Callable[[float], None]
) -> _Found:
    choices = _choices(rules.deck_size, rules.deck_sum_max, rules.n_shields, rules.counter_compare)
    machine = sweep_for(rules)
    sides = {strategy.side: float(chance) for strategy, chance in mixture.items()}
    highest, bound, near = choices.best(sides, value_weights(machine, rules), CLOSE, progress)
    error = machine.rounding(len(mixture)) * bound
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

    def verify(self, progress: Callable[[float], None] = lambda _: None) -> Verification:
        """Recompute everything that the certificate says; no solver is involved.

        The legality of the support, its chances, its payoffs as fractions, the number of legal
        strategies, and the highest reply among all of them. ``progress`` is called with
        the share of the work that is done. Raises :class:`CertificateError` for the first claim
        that is not so.
        """
        for strategy in self.support:
            try:
                strategy.check(self.rules)
            except DeckError as error:
                raise CertificateError(
                    "analysis.error.claim_strategy", strategy=str(strategy), error=error
                ) from error
        different = len(set(self.support))
        if not different or different != len(self.support) or different != len(self.weights):
            raise CertificateError("analysis.error.claim_support")
        if min(self.weights) < 0 or sum(self.weights) != 1:
            raise CertificateError("analysis.error.chances", total=str(sum(self.weights)))
        if tuple(map(tuple, Table(self.rules, self.support).payoffs)) != self.payoffs:
            raise CertificateError("analysis.error.claim_payoffs")
        found = highest_reply(self.rules, self.mixture, progress)
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
                for strategy, weight in zip(self.support, self.weights, strict=True)
            ],
            "payoffs": [[str(payoff) for payoff in row] for row in self.payoffs],
            "value": "0",
            "maximum": str(self.maximum),
        }

    @classmethod
    def from_dict(cls, data: Any) -> Self:
        """The certificate that :meth:`to_dict` wrote.

        It has the entries that :meth:`to_dict` writes for its rules, its mixture and its maximum,
        and no others. Whether its payoffs, its number of strategies and its maximum are right,
        :meth:`verify` finds out. Raises :class:`CertificateError` when it is none.
        """
        if not isinstance(data, Mapping) or data.get("format") != FORMAT:
            raise CertificateError("analysis.error.no_certificate")
        if data.get("version") != VERSION:
            raise CertificateError(
                "analysis.error.certificate_version",
                version=_shown(data.get("version")),
                known=VERSION,
            )
        _entries(data, "", _ENTRIES)
        rules = _rules(data["rules"])
        mixture = [
            _strategy(entry, f"support[{place}]", rules.shield_mode == "chosen")
            for place, entry in enumerate(_list(data["support"], "support"))
        ]
        certificate = cls(
            rules=rules,
            strategies=_whole(data["strategies"], "strategies"),
            support=tuple(strategy for strategy, _ in mixture),
            weights=tuple(weight for _, weight in mixture),
            payoffs=tuple(
                _fractions(row, f"payoffs[{place}]")
                for place, row in enumerate(_list(data["payoffs"], "payoffs"))
            ),
            maximum=_fraction(data["maximum"], "maximum"),
        )
        _same(data, certificate.to_dict())
        return certificate

    def save(self, path: str | PathLike[str]) -> None:
        """Write it to a JSON file."""
        Path(path).write_text(json.dumps(self.to_dict(), indent=1) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read it from a JSON file.

        Raises :class:`CertificateError` when it holds none, and :class:`OSError` when it cannot be
        read.
        """
        try:
            text = Path(path).read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise CertificateError(
                "analysis.error.certificate_text", byte=error.start + 1
            ) from error
        try:
            data = json.loads(text, object_pairs_hook=_object)
        except json.JSONDecodeError as error:
            raise CertificateError(
                "analysis.error.certificate_json", line=error.lineno, column=error.colno
            ) from error
        except CertificateError:
            raise
        except (ValueError, RecursionError) as error:  # numbers too long, lists too deep
            raise CertificateError("analysis.error.no_certificate") from error
        return cls.from_dict(data)


# ------------------------------------------------------------------------- a certificate's entries

_ENTRIES = (
    *("format", "version", "claim", "rules", "strategies"),
    *("support", "payoffs", "value", "maximum"),
)
_FRACTION = re.compile(r"-?[0-9]+(/[0-9]*[1-9][0-9]*)?")
_LONGEST = 60


def _shown(value: object) -> str:
    """A value as JSON on one line, shortened."""
    text = json.dumps(value, ensure_ascii=False, default=repr)
    text = text.encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def _wrong(key: str, where: str, **params: Any) -> CertificateError:
    return CertificateError(f"analysis.error.certificate_{key}", entry=_shown(where), **params)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object none of whose entries comes twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise _wrong("twice", next(name for name in names if names.count(name) > 1))
    return found


def _within(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name


def _entries(data: Any, where: str, names: Sequence[str]) -> Mapping[str, Any]:
    """An object with these entries and no others."""
    if not isinstance(data, Mapping):
        raise _wrong("object", where, value=_shown(data), allowed=[*names])
    for name in names:
        if name not in data:
            raise _wrong("missing", _within(where, name))
    for name in data:
        if name not in names:
            raise _wrong("unknown", _within(where, str(name)), allowed=[*names])
    return data


def _list(value: Any, where: str) -> Sequence[Any]:
    if not isinstance(value, list):
        raise _wrong("list", where, value=_shown(value))
    return value


def _whole(value: Any, where: str) -> int:
    if type(value) is not int or value < 0:
        raise _wrong("number", where, value=_shown(value))
    return value


def _fraction(value: Any, where: str) -> Fraction:
    """A fraction from -1 to 1, as all payoffs and chances are."""
    if isinstance(value, str) and len(value) < 4000 and _FRACTION.fullmatch(value):
        fraction = Fraction(value)
        if -1 <= fraction <= 1:
            return fraction
    raise _wrong("fraction", where, value=_shown(value))


def _fractions(row: Any, where: str) -> tuple[Fraction, ...]:
    return tuple(
        _fraction(value, f"{where}[{place}]") for place, value in enumerate(_list(row, where))
    )


def _rules(data: Any) -> GPTRules:
    try:
        return GPTRules(hand_size=1, **_entries(data, "rules", (*_PRINTED, *_READINGS)))
    except RulesError as error:
        raise _wrong("entry", "rules", error=error) from error


def _deck(code: Any, where: str) -> Deck:
    try:
        return Deck.parse(code)
    except NotationError as error:
        raise _wrong("entry", where, error=error) from error


def _strategy(data: Any, where: str, chosen: bool) -> tuple[Strategy, Fraction]:
    """A strategy and its chance."""
    names = ("deck", "shields", "share", "weight") if chosen else ("deck", "share", "weight")
    entry = _entries(data, where, names)
    shields = _deck(entry["shields"], f"{where}.shields") if chosen else None
    strategy = Strategy(_deck(entry["deck"], f"{where}.deck"), shields)
    return strategy, _fraction(entry["weight"], f"{where}.weight")


def _same(found: Any, written: Any, where: str = "") -> None:
    """Raise :class:`CertificateError` unless what was found is what would be written."""
    if isinstance(written, dict):
        for name, value in written.items():
            _same(found[name], value, _within(where, name))
    elif isinstance(written, list):
        for place, pair in enumerate(zip(found, written, strict=True)):
            _same(*pair, f"{where}[{place}]")
    elif type(found) is not type(written) or found != written:
        raise _wrong("other", where, value=_shown(found), expected=_shown(written))
