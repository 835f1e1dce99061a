"""Exact outcomes of GPT decks when both players play at random.

>>> from cardlab.analysis import exact
>>> game = exact.match("2b2bbbbb0b022", "22bbbbb0bb022")
>>> round(game.win, 6), round(game.loss, 6), round(game.draw, 6)
(0.498384, 0.495823, 0.005793)
>>> exact.match("2b2bbbbb0b022", "22bbbbb0bb022", exact=True).value
Fraction(31690349755332907, 12369880300377600000)

A player at random plays each card of the hand with equal chance and strikes each shield with equal
chance. Then

1. the order in which a deck's cards come out (the cards it plays, then the shields in the order in
   which they would fall) is a uniformly random order of the deck, independent of the other deck;
2. the game is a fixed function of the two orders, and the size of the hand does not matter.

Proof of 1: let every choice be made by place, not by face: which card of the hand from the left,
which slot. Draw all these places beforehand; striking a random shield of those left is the same as
going through the slots in a random order drawn beforehand, whoever strikes. These places and the
shuffles know nothing of the faces, so exchanging two cards of a deck before the shuffle leaves the
distribution of its order as it was; and only the uniform distribution of orders is unchanged by all
exchanges. For 2: the first card played meets the other deck's first card, and so on, and whenever a
shield of a deck falls, struck or removed by a counter, it is the next of its order.

So the chance that the first turns have given winners and counters depends on how many there are of
each kind, not on their order, and is a number of arrangements of cards divided by a number of
orders. ``docs/exact.md`` goes on from here; :mod:`cardlab.analysis.sweep` counts arrangements.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd

from cardlab.analysis import decks
from cardlab.analysis.decks import Decks
from cardlab.analysis.field import Field
from cardlab.analysis.sweep import PARTS, Floats, Side, Sweep, sweep
from cardlab.cards import Card
from cardlab.errors import DeckError, RulesError
from cardlab.games.gpt import GPTRules
from cardlab.games.gpt_deck import CAP, Deck, is_code

__all__ = ["Against", "Deck", "Match", "against", "match", "values"]

DeckLike = Deck | str | Iterable[Card | str]
"""A deck, its code, or its cards."""

Mixture = Mapping[Any, Any]
"""Decks (or what makes one) with the chance of each; the chances sum to 1."""

HEAVIEST = 182

_KNOCKOUT = {"attacker_wins": (1, 0), "draw": (0, 0), "counter_player_wins": (0, 1)}
"""The shares of a double knock-out that the attacker and the countering player win."""


# --------------------------------------------------------------------------------------- two decks


@dataclass(frozen=True)
class Match:
    """How a game between two decks ends, seen from the first.

    Numbers are floats, each within half a unit of its last place, or fractions.

    Attributes
    ----------
    win, loss, draw
        Chances of the results under the chosen reading of a double knock-out; they sum to 1.
    double_knockout
        Chances that both reach zero shields in one turn: on the first deck's attack, and on the
        second's. Under the reading ``"draw"`` they are part of ``draw``, otherwise of ``win`` and
        ``loss``.
    turns
        Expected number of turns.
    """

    win: float | Fraction
    loss: float | Fraction
    draw: float | Fraction
    double_knockout: tuple[float | Fraction, float | Fraction]
    turns: float | Fraction

    @property
    def value(self) -> float | Fraction:
        """What the first deck wins on average: ``win - loss``."""
        return self.win - self.loss


def match(
    a: DeckLike,
    b: DeckLike,
    *,
    shields: Any = "random",
    n_shields: int | None = None,
    double_knockout: str = "attacker_wins",
    counter_compare: str = "strict_number",
    exact: bool = False,
) -> Match:
    """The outcome of a game between two decks, both players playing at random.

    Parameters
    ----------
    a, b
        The decks: :class:`Deck` objects, codes or cards. They need not keep any cap, but must be of
        one size.
    shields
        ``"random"``: dealt from the shuffled deck. A pair of sets of cards: the shields that each
        player puts down. ``"chosen"``: each player puts down those that are best against the
        other's best, see :func:`cardlab.analysis.metagame.choose_shields` (G6).
    n_shields
        Shields of each player; 5, or as many as ``shields`` has.
    double_knockout, counter_compare
        The readings of G17 and G14, as in :class:`~cardlab.games.gpt.GPTRules`.
    exact
        Whether numbers are :class:`~fractions.Fraction` objects instead of floats.

    Raises :class:`DeckError` for decks or shields that do not go together, and :class:`RulesError`
    for a value that is not allowed.

    >>> match("Ks As", "Qs 2s", n_shields=1, exact=True)
    Match(win=Fraction(1, 2), loss=Fraction(1, 2), draw=Fraction(0, 1), \
double_knockout=(Fraction(0, 1), Fraction(1, 2)), turns=Fraction(1, 1))
    >>> match("Ks As", "Qs 2s", shields=("As", "2s")).win
    1.0
    """
    first, second = as_deck(a), as_deck(b)
    same_size([first, second])
    if shields == "chosen":
        from cardlab.analysis import metagame

        return metagame.choose_shields(
            first,
            second,
            n_shields=5 if n_shields is None else n_shields,
            double_knockout=double_knockout,
            counter_compare=counter_compare,
        ).match(exact=exact)
    picked = None if shields == "random" else _picked(shields)
    if n_shields is None:
        n_shields = 5 if picked is None else picked[0].size
    rules = as_rules(
        first.size,
        n_shields=n_shields,
        shield_mode="random" if picked is None else "chosen",
        double_knockout=double_knockout,
        counter_compare=counter_compare,
    )
    if picked is None:
        sides = whole(first), whole(second)
    else:
        sides = (
            chosen_side(first, picked[0], rules.n_shields),
            chosen_side(second, picked[1], rules.n_shields),
        )
    return as_match(parts_of(*sides, rules), rules, exact)


def parts_of(a: Side, b: Side, rules: GPTRules) -> dict[str, Fraction]:
    """The chances of all endings and the expected number of turns, whatever the reading of G17."""
    machine = sweep_for(rules)
    parts = machine.parts(a, b)
    return {name: Fraction(part, machine.denominator) for name, part in parts.items()}


def as_match(parts: Mapping[str, Fraction], rules: GPTRules, exact: bool) -> Match:
    """The outcome under the chosen reading of a double knock-out (G17)."""
    number = Fraction if exact else float
    attacker, counter = _KNOCKOUT[rules.double_knockout]
    on_a, on_b = parts["knockout_a"], parts["knockout_b"]
    return Match(
        win=number(parts["win"] + attacker * on_a + counter * on_b),
        loss=number(parts["loss"] + attacker * on_b + counter * on_a),
        draw=number(parts["draw"] + (1 - attacker - counter) * (on_a + on_b)),
        double_knockout=(number(on_a), number(on_b)),
        turns=number(parts["turns"]),
    )


# --------------------------------------------------------------------------------------- all decks


@dataclass(frozen=True, eq=False, repr=False)
class Against:
    """How all legal decks fare against one opponent; arrays have one number for each deck.

    Attributes
    ----------
    decks
        The decks, ascending by mask.
    win, loss, draw, turns
        As in :class:`Match`; float64.
    double_knockout
        Chances of double knock-outs on the deck's own attack and on the opponent's; ``(2, n)``.
    """

    decks: Decks
    win: Floats
    loss: Floats
    draw: Floats
    double_knockout: Floats
    turns: Floats

    @property
    def value(self) -> Floats:
        """What each deck wins on average: ``win - loss``."""
        return self.win - self.loss

    def __repr__(self) -> str:
        value = self.value
        return f"{len(self.decks)} decks, values {value.min():.6f} to {value.max():.6f}"

    def best(self, n: int = 10) -> pd.DataFrame:
        """The ``n`` best decks, the best first; columns as in :meth:`to_frame`."""
        value = self.value
        n = min(n, len(value))
        top = np.argpartition(-value, n - 1)[:n]
        return self._frame(top[np.lexsort((top, -value[top]))])

    def to_frame(self) -> pd.DataFrame:
        """One row for each deck, ascending by mask.

        Columns: ``code``, ``sum``, ``value``, ``win``, ``loss``, ``draw``, ``knockout_own``,
        ``knockout_other``, ``turns``.
        """
        return self._frame(np.arange(len(self.decks)))

    def _frame(self, places: Any) -> pd.DataFrame:
        frame: pd.DataFrame = self.decks[places].to_frame()[["code", "sum"]]
        return frame.assign(
            value=self.value[places],
            win=self.win[places],
            loss=self.loss[places],
            draw=self.draw[places],
            knockout_own=self.double_knockout[0][places],
            knockout_other=self.double_knockout[1][places],
            turns=self.turns[places],
        )


def against(
    b: DeckLike | Mixture,
    *,
    cap: int = CAP,
    n_shields: int = 5,
    double_knockout: str = "attacker_wins",
    counter_compare: str = "strict_number",
) -> Against:
    """The outcomes of all legal decks against one deck, or against a mixture of decks.

    Parameters
    ----------
    b
        The opponent's deck, which need not keep the cap, or a dictionary of decks to their chances.
    cap
        What the sum of a legal deck may be at the most. Its size is that of ``b``.
    n_shields, double_knockout, counter_compare
        As in :func:`match`; shields are random.

    Numbers agree with :func:`match` to about 1e-14. Raises what :func:`match` raises, and
    :class:`RulesError` for chances that are negative or do not sum to 1.
    """
    opponents, rules = _opponents(b, cap, n_shields, double_knockout, counter_compare)
    field = field_of(rules)
    machine = field.sweep
    weights = np.array(machine.weights / machine.denominator, dtype=np.float64)
    win, loss, draw, on_a, on_b, turns = _mixed(field, opponents, weights)
    attacker, counter = _KNOCKOUT[rules.double_knockout]
    return Against(
        decks=legal_decks(rules.deck_size, rules.deck_sum_max),
        win=win + attacker * on_a + counter * on_b,
        loss=loss + attacker * on_b + counter * on_a,
        draw=draw + (1 - attacker - counter) * (on_a + on_b),
        double_knockout=np.stack((on_a, on_b)),
        turns=turns,
    )


def values(
    b: DeckLike | Mixture,
    *,
    cap: int = CAP,
    n_shields: int = 5,
    double_knockout: str = "attacker_wins",
    counter_compare: str = "strict_number",
) -> Floats:
    """What all legal decks win on average against one deck or a mixture: ``against(b).value``.

    Parameters are those of :func:`against`, several times as fast because only the value is
    computed. Returns one float64 for each deck of ``decks.enumerate``, in its order.
    """
    opponents, rules = _opponents(b, cap, n_shields, double_knockout, counter_compare)
    field = field_of(rules)
    result: Floats = _mixed(field, opponents, value_weights(field.sweep, rules)[None])[0]
    return result


def _mixed(field: Field, opponents: Mapping[Deck, Any], weights: Floats) -> Floats:
    total = np.zeros((len(weights), len(field)))
    for deck, chance in opponents.items():
        if chance:
            values = field.values(whole(deck), weights)
            values *= float(chance)
            total += values
    return total


# ----------------------------------------------------------------------------- shared with metagame


def as_deck(deck: DeckLike) -> Deck:
    """A deck from a :class:`Deck`, a code, or cards of whatever suits."""
    if isinstance(deck, Deck):
        return deck
    if isinstance(deck, str) and is_code(deck):
        return Deck.parse(deck)
    if not isinstance(deck, Iterable):
        raise DeckError("analysis.error.no_deck", value=repr(deck))
    return Deck.of(deck)


def as_rules(
    size: int,
    cap: int = HEAVIEST,
    *,
    n_shields: int,
    double_knockout: str,
    counter_compare: str,
    shield_mode: str = "random",
) -> GPTRules:
    """The rules with these options; for random play the hand may be as small as can be."""
    return GPTRules(
        deck_size=size,
        deck_sum_max=cap,
        n_shields=n_shields,
        hand_size=1,
        shield_mode=shield_mode,
        counter_compare=counter_compare,
        double_knockout=double_knockout,
    )


def whole(deck: Deck) -> Side:
    """The cards of a player whose shields are dealt: all may be played, all may be shields."""
    return Side(deck.mask, deck.mask)


def chosen_side(deck: Deck, shields: Deck, n_shields: int) -> Side:
    """The cards of a player who puts these shields down."""
    if shields.mask & ~deck.mask or shields.size != n_shields:
        raise DeckError("analysis.error.shields", "G6", n=n_shields, cards=shields.cards())
    return Side(deck.mask & ~shields.mask, shields.mask)


def sweep_for(rules: GPTRules) -> Sweep:
    """The sweep for these rules."""
    chosen = rules.shield_mode == "chosen"
    return sweep(rules.deck_size, rules.n_shields, chosen, rules.counter_compare)


def value_row(machine: Sweep, rules: GPTRules) -> Any:
    """The weights of ``win - loss`` above the sweep's denominator, as Python integers."""
    win, loss, on_a, on_b = (
        machine.weights[PARTS.index(part)] for part in ("win", "loss", "knockout_a", "knockout_b")
    )
    attacker, counter = _KNOCKOUT[rules.double_knockout]
    return win - loss + (attacker - counter) * (on_a - on_b)


def value_weights(machine: Sweep, rules: GPTRules) -> Floats:
    """The weights of ``win - loss``, float64."""
    return np.array(value_row(machine, rules) / machine.denominator, dtype=np.float64)


@lru_cache(maxsize=2)
def legal_decks(size: int, cap: int) -> Decks:
    """``decks.enumerate``, remembered."""
    return decks.enumerate(size, cap)


def field_of(rules: GPTRules) -> Field:
    """All legal decks under these rules, shields at random."""
    return _field(rules.deck_size, rules.deck_sum_max, rules.n_shields, rules.counter_compare)


@lru_cache(maxsize=2)
def _field(size: int, cap: int, n_shields: int, counter_compare: str) -> Field:
    return Field(sweep(size, n_shields, False, counter_compare), legal_decks(size, cap).masks)


def _opponents(
    b: DeckLike | Mixture, cap: int, n_shields: int, double_knockout: str, counter_compare: str
) -> tuple[dict[Deck, Any], GPTRules]:
    """The opponent's decks with their chances, and the rules."""
    mixture = (
        {as_deck(deck): chance for deck, chance in b.items()}
        if isinstance(b, Mapping)
        else {as_deck(b): 1}
    )
    same_size(mixture)
    if any(chance < 0 for chance in mixture.values()) or abs(sum(mixture.values()) - 1) > 1e-9:
        raise RulesError("analysis.error.chances", total=str(float(sum(mixture.values()))))
    rules = as_rules(
        next(iter(mixture)).size,
        cap,
        n_shields=n_shields,
        double_knockout=double_knockout,
        counter_compare=counter_compare,
    )
    return mixture, rules


def same_size(given: Iterable[Deck]) -> None:
    """Refuse decks of different sizes."""
    sizes = sorted({deck.size for deck in given})
    if not sizes:
        raise DeckError("analysis.error.no_decks")
    if len(sizes) > 1:
        raise DeckError("analysis.error.sizes", sizes=sizes)


def _picked(shields: Any) -> tuple[Deck, Deck]:
    """The two sets of shields, if that is what is given."""
    try:
        first, second = shields
        if isinstance(shields, str):
            raise TypeError
    except (TypeError, ValueError):
        raise RulesError("analysis.error.shield_mode", value=repr(shields)) from None
    return as_deck(first), as_deck(second)
