"""Millions of games of GPT: the rules once more, compiled, for simple players.

:func:`play` plays a range of numbered games between two decks. Game ``i`` takes all its chance from
a stream of its own, which follows from the seed and from ``i`` (Philox4x32-10: the key is the seed,
the counter the game and the block of the stream). So a game is the same whether it is played alone,
as one of a million, or on another machine; and :func:`replay` lets the engine play it again, card
for card, which is how the tests hold this second set of rules to the first.

Cards are their places in the order of strength, 0 (red ace) to 25 (black king); see
:data:`cardlab.games.gpt_deck.UNIVERSE`.

J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw: Parallel Random Numbers: As Easy as 1, 2, 3
(2011).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numba import njit
from numpy.typing import NDArray

from cardlab.bots.gpt_table import CARDS, MOST_SHIELDS, MOST_TURNS, Abstraction, learned
from cardlab.errors import DeckError, RulesError
from cardlab.games.gpt import GPT, GPTState
from cardlab.games.gpt_deck import UNIVERSE, Deck

__all__ = ["ENDINGS", "POLICIES", "Policy", "play", "replay"]

Integers = NDArray[np.int64]

POLICIES = ("random", "highest", "threshold:RANK", "learned")
"""How policies are written; ``RANK`` is a number from 1 to 13."""

ENDINGS = (
    "gpt.win",
    "gpt.knockout_attacker_wins",
    "gpt.knockout_draw",
    "gpt.knockout_counter_player_wins",
    "gpt.count_win",
    "gpt.count_draw",
)
"""How a game can end: the kinds of its last event."""

_KINDS = ("random", "highest", "threshold", "table")
_RANDOM, _HIGHEST, _THRESHOLD, _TABLE = range(4)
_COUNTED = ENDINGS.index("gpt.count_win")
_STRICT, _GE, _COLOUR = range(3)
_COUNTER_PLAYER, _OWNER, _CHANCE = range(3)
_COMPARE = ("strict_number", "ge", "number_then_colour")
_NAMING = ("counter_player", "owner", "random")
_KNOCKOUT = ("attacker_wins", "draw", "counter_player_wins")


# ---------------------------------------------------------------------------------------- policies


@dataclass(frozen=True, eq=False)
class Policy:
    """A player that the kernel knows.

    Attributes
    ----------
    kind
        ``"random"`` takes any card with the same chance. ``"highest"`` takes the highest.
        ``"threshold"`` takes the lowest card whose number is at least ``threshold``, and where
        there is none the lowest of all. ``"table"`` takes the lowest, the middle or the highest
        card with the chances of a table.
    threshold
        A number from 1 to 13.
    abstraction, table
        The situations that are told apart, and for each the weights of the three cards:
        ``(abstraction.size, 3)``, uint16. Where no card that the hand has weighs anything, all of
        them are equally likely.

    Shields that cannot be told apart are named at random; ``"highest"`` names the first. Where they
    are chosen (G6), ``"random"`` puts any down, ``"highest"`` its highest cards, the others their
    lowest, which are also the first that they give up.
    """

    kind: str = "random"
    threshold: int = 1
    abstraction: Abstraction = field(default_factory=Abstraction)
    table: NDArray[np.uint16] | None = None

    def __post_init__(self) -> None:
        if self.kind not in _KINDS:
            raise RulesError("analysis.error.policy", value=repr(self.kind), allowed=POLICIES)
        if type(self.threshold) is not int or not 1 <= self.threshold <= 13:
            raise RulesError(
                "core.error.option_range",
                option="threshold",
                value=repr(self.threshold),
                low=1,
                high=13,
            )
        wanted = (self.abstraction.size, CARDS)
        found = self.table is not None and (self.table.dtype.name, self.table.shape)
        if self.kind == "table" and found != ("uint16", wanted):
            raise RulesError("analysis.error.policy_table", shape=str(wanted))

    @classmethod
    def of(cls, policy: Any) -> Policy:
        """The policy that a text such as ``"threshold:9"`` names.

        Raises :class:`RulesError`, with the policies that there are.
        """
        if isinstance(policy, Policy):
            return policy
        name, colon, rank = policy.partition(":") if isinstance(policy, str) else ("", "", "")
        if name in ("random", "highest") and not colon:
            return cls(name)
        if name == "threshold" and rank.isdecimal():
            return cls(name, int(rank))
        if name == "learned" and not colon:
            return cls.learned()
        raise RulesError("analysis.error.policy", value=repr(policy), allowed=POLICIES)

    @classmethod
    def learned(cls) -> Policy:
        """The table of the bot ``learned``, see :mod:`cardlab.analysis.learn`."""
        stored = learned()
        table = np.frombuffer(stored.weights, np.uint8).reshape(-1, CARDS).astype(np.uint16)
        return cls("table", abstraction=stored.abstraction, table=table)


class _Options(NamedTuple):
    """The rules as the kernel wants them."""

    size: int
    cap: int
    n_shields: int
    hand_size: int
    chosen: int
    compare: int
    naming: int
    knockout: int


class Look(NamedTuple):
    """What both seats tell apart: their abstractions; the first index of each array is the seat."""

    buckets: Integers
    hands: Integers
    n_hands: Integers
    levels: Integers
    bounds: Integers


class _Seats(NamedTuple):
    """Both seats as the kernel wants them; the first index of each array is the seat."""

    kind: Integers
    threshold: Integers
    deck: Integers
    shields: Integers
    given: int
    table: NDArray[np.uint16]
    start: Integers
    look: Look


def _options(game: GPT) -> _Options:
    rules = game.rules
    return _Options(
        rules.deck_size,
        rules.deck_sum_max,
        rules.n_shields,
        rules.hand_size,
        int(rules.shield_mode == "chosen"),
        _COMPARE.index(rules.counter_compare),
        _NAMING.index(rules.counter_choice),
        _KNOCKOUT.index(rules.double_knockout),
    )


def _seats(game: GPT, policies: Sequence[Policy | str], shields: Sequence[Deck] | None) -> _Seats:
    """Both seats, once all is well with them."""
    if not isinstance(game, GPT):
        raise RulesError("analysis.error.batch_game", value=repr(game))
    if game.decks is None:
        raise RulesError("analysis.error.batch_decks")
    if not isinstance(policies, list | tuple) or len(policies) != 2:
        raise RulesError("bots.error.seats", value=repr(policies), n=2, game=game.name)
    if shields is not None:
        if game.rules.shield_mode != "chosen":
            raise RulesError("analysis.error.batch_shields")
        for deck, few in zip(game.decks, shields, strict=True):
            if few.size != game.rules.n_shields or few.mask & ~deck.mask:
                raise DeckError("analysis.error.shields", n=game.rules.n_shields, cards=few.cards())
    return _stacked([Policy.of(policy) for policy in policies], game.decks, shields)


def _stacked(
    policies: Sequence[Policy], decks: Sequence[Deck], shields: Sequence[Deck] | None
) -> _Seats:
    none = np.zeros((0, CARDS), np.uint16)
    tables = [none if policy.table is None else policy.table for policy in policies]
    return _Seats(
        kind=np.array([_KINDS.index(policy.kind) for policy in policies]),
        threshold=np.array([policy.threshold for policy in policies]),
        deck=np.array([_places(deck) for deck in decks]),
        shields=np.array([_places(few) for few in shields or (Deck(0), Deck(0))], np.int64),
        given=int(shields is not None),
        table=np.concatenate(tables),
        start=np.array([0, len(tables[0])]),
        look=look_of([policy.abstraction for policy in policies]),
    )


def look_of(abstractions: Sequence[Abstraction]) -> Look:
    """The abstractions of both seats as the kernel wants them."""
    most = max(max(each.buckets) for each in abstractions)
    hands = np.zeros((2, *(most + 1,) * CARDS), np.int64)
    longest = max(len(bounds) for each in abstractions for bounds in (each.theirs, each.own))
    bounds = np.zeros((2, 2, longest), np.int64)
    for seat, abstraction in enumerate(abstractions):
        for hand, place in abstraction.hands.items():
            hands[(seat, *hand)] = place
        for row, few in zip(bounds[seat], (abstraction.theirs, abstraction.own), strict=True):
            row[: len(few)] = few
    return Look(
        buckets=np.array([each.buckets for each in abstractions]),
        hands=hands,
        n_hands=np.array([len(each.hands) for each in abstractions]),
        levels=np.array([[len(each.theirs) + 1, len(each.own) + 1] for each in abstractions]),
        bounds=bounds,
    )


def _places(deck: Deck) -> list[int]:
    return [bit for bit in range(26) if deck.mask >> bit & 1]


# ----------------------------------------------------------------------------------------- playing


def play(
    game: GPT,
    policies: Sequence[Policy | str],
    n: int,
    seed: int = 0,
    first: int = 0,
    shields: Sequence[Deck] | None = None,
) -> NDArray[np.int8]:
    """Play the games ``first`` to ``first + n - 1`` of a seed.

    Parameters
    ----------
    game
        GPT under any rules, with both decks handed in.
    policies
        For each seat a :class:`Policy` or its text.
    n, seed, first
        How many games, of which seed (64 bits of it count), from which number on.
    shields
        With chosen shields, what each seat puts down, in random order; without, what its policy
        chooses.

    Returns one row for each game, ``(n, 5)`` int8: winner (-1 for a draw), turns, shields of both
    seats, and the place of its ending in :data:`ENDINGS`.

    Raises :class:`RulesError` for another game, a game without decks, or unknown policies.

    >>> from cardlab import load_game
    >>> game = load_game("gpt", decks=("2b2bbbbb0b022", "22bbbbb0bb022"))
    >>> play(game, ("highest", "random"), 3, seed=1).tolist()
    [[0, 8, 1, 0, 0], [0, 6, 1, 0, 0], [0, 6, 1, 0, 0]]
    """
    seats = _seats(game, policies, shields)
    results = np.empty((n, 5), np.int8)
    _run(_options(game), seats, seed, first, results)
    return results


def to_frame(results: NDArray[np.int8], first: int = 0) -> pd.DataFrame:
    """What :func:`play` returns as a table.

    Columns: ``game`` (int64), the number of the game, ``winner`` (Int8, missing for a draw),
    ``turns``, ``shields_0``, ``shields_1`` (int8), and ``ending`` (category).
    """
    winner, turns, left, right, ending = results.T
    return pd.DataFrame(
        {
            "game": np.arange(first, first + len(results), dtype=np.int64),
            "winner": pd.arrays.IntegerArray(winner.copy(), winner < 0),
            "turns": turns.copy(),
            "shields_0": left.copy(),
            "shields_1": right.copy(),
            "ending": pd.Categorical.from_codes(ending, pd.Index(ENDINGS)),
        }
    )


def replay(
    game: GPT,
    policies: Sequence[Policy | str],
    number: int,
    seed: int = 0,
    shields: Sequence[Deck] | None = None,
) -> GPTState:
    """One of the games that :func:`play` plays, played again by the engine.

    It starts from the same cards in the same order, and every choice is made again as an action.
    Parameters and errors are those of :func:`play`. Only where the engine would draw the shield
    that a counter removes (``counter_choice="random"``) the countering player names the one that
    was drawn.
    """
    seats, options = _seats(game, policies, shields), _options(game)
    result = np.empty((1, 5), np.int8)
    orders, trace = _run(options, seats, seed, number, result)
    table = GPT.with_options(
        **game.rules.to_dict()
        | ({"counter_choice": "counter_player"} if options.naming == _CHANCE else {})
    )
    state = table.state_from_dict(
        {
            "phase": "play",
            "turn": 1,
            "players": [
                _zones(seat, orders[seat], options.n_shields, options.hand_size) for seat in (0, 1)
            ],
        }
    )
    assert isinstance(state, GPTState)
    for first, second, struck, countered in trace[: result[0, 1]].tolist():
        state.apply(table.play[UNIVERSE[0][first].index], 0)
        state.apply(table.play[UNIVERSE[1][second].index], 1)
        if struck >= 0:
            state.apply(table.strike[struck])
        if countered >= 0:
            state.apply(table.counter[countered])
    return state


def _zones(seat: int, order: Integers, n_shields: int, hand_size: int) -> dict[str, list[str]]:
    cards = [UNIVERSE[seat][place].ascii for place in order.tolist()]
    return {
        "shields": cards[:n_shields],
        "hand": cards[n_shields : n_shields + hand_size],
        # The top of a pile is its last card.
        "stock": cards[n_shields + hand_size :][::-1],
    }


def _run(
    options: _Options, seats: _Seats, seed: int, first: int, results: NDArray[np.int8]
) -> tuple[Integers, Integers]:
    """Play; return of the last game the order of both decks, and a row for each turn.

    A row holds the cards of both seats and the slots of the shields that were struck and removed,
    -1 for none.
    """
    orders = np.empty((2, options.size), np.int64)
    trace = np.empty((options.size, 4), np.int64)
    _play_many(options, seats, np.uint64(seed % 2**64), np.uint64(first), results, orders, trace)
    return orders, trace


# ------------------------------------------------------------------------------------------ chance

_LOW = np.uint64(0xFFFFFFFF)
_32 = np.uint64(32)
_M0, _M1 = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_W0, _W1 = np.uint64(0x9E3779B9), np.uint64(0xBB67AE85)


@njit(cache=True)
def _philox(c0: Any, c1: Any, c2: Any, c3: Any, k0: Any, k1: Any) -> Any:
    """Philox4x32-10: four words of 32 bits from four of a counter and two of a key."""
    for _ in range(10):
        p0, p1 = _M0 * c0, _M1 * c2
        c0, c1, c2, c3 = (p1 >> _32) ^ c1 ^ k0, p1 & _LOW, (p0 >> _32) ^ c3 ^ k1, p0 & _LOW
        k0, k1 = (k0 + _W0) & _LOW, (k1 + _W1) & _LOW
    return c0, c1, c2, c3


@njit(cache=True)
def _block(seed: Any, game: Any, block: Any) -> Any:
    return _philox(game & _LOW, game >> _32, block, np.uint64(0), seed & _LOW, seed >> _32)


@njit(cache=True)
def _below(word: Any, n: Any) -> Any:
    """An integer from 0 to ``n - 1``; the chance of each is off by less than 2**-32."""
    return np.int64((word * np.uint64(n)) >> _32)


@njit(cache=True)
def _shuffle(words: Any, orders: Any, seat: int, start: int, stop: int) -> None:
    for last in range(stop - 1, start, -1):
        other = start + _below(words[seat, last], last - start + 1)
        orders[seat, last], orders[seat, other] = orders[seat, other], orders[seat, last]


# ------------------------------------------------------------------------------------------- rules

_DEAL = 64
"""The block from which on a game's stream is for the shuffles, eight for each seat."""


@njit(cache=True)
def _counters(shield: int, attacker: int, compare: int) -> bool:
    """Whether a struck shield strikes back (G14)."""
    if compare == _COLOUR:
        return shield > attacker
    rank, other = shield >> 1, attacker >> 1
    return rank > other or (compare == _GE and rank == other)


@njit(cache=True)
def _deal(
    words: Any, options: _Options, kind: int, given: int, down: Any, orders: Any, seat: int
) -> None:
    """Put a sorted deck in order (G5 to G8): shields by slot, the hand, the stock as it is drawn.

    ``down`` holds the shields that are to be put down, if they are given.
    """
    size, n_shields = options.size, options.n_shields
    if not options.chosen or (kind == _RANDOM and not given):
        _shuffle(words, orders, seat, 0, size)
        return
    if given:
        for slot in range(n_shields):
            place = slot
            while orders[seat, place] != down[seat, slot]:
                place += 1
            orders[seat, place] = orders[seat, slot]
            orders[seat, slot] = down[seat, slot]
    elif kind == _HIGHEST:
        for place in range(size // 2):
            orders[seat, place], orders[seat, size - 1 - place] = (
                orders[seat, size - 1 - place],
                orders[seat, place],
            )
    if given or kind != _HIGHEST:
        _shuffle(words, orders, seat, 0, n_shields)
    _shuffle(words, orders, seat, n_shields, size)


@njit(cache=True)
def _row(
    seat: int,
    hands: Any,
    held: int,
    turns: int,
    left: Any,
    unseen: Any,
    most: Any,
    hidden: Any,
    total: Any,
    look: Look,
) -> Any:
    """The row of a situation: :meth:`cardlab.bots.gpt_table.Abstraction.row`."""
    low = look.buckets[seat, hands[seat, 0]] if held > 2 else 0
    middle = look.buckets[seat, hands[seat, held // 2 if held > 2 else 0]] if held > 1 else 0
    high = look.buckets[seat, hands[seat, held - 1]]
    row = min(turns, MOST_TURNS) - 1
    row = row * MOST_SHIELDS + min(left[seat], MOST_SHIELDS) - 1
    row = row * MOST_SHIELDS + min(left[1 - seat], MOST_SHIELDS) - 1
    for which in range(2):
        count, sum_ = hidden[seat], total[seat]
        if which == 0:
            count, sum_ = unseen[1 - seat], most[1 - seat]
        level = 0
        for i in range(look.levels[seat, which] - 1):
            level += 2 * sum_ >= look.bounds[seat, which, i] * count
        row = row * look.levels[seat, which] + level
    return row * look.n_hands[seat] + look.hands[seat, low, middle, high]


@njit(cache=True)
def _choose(
    word: Any, kind: int, threshold: int, hands: Any, held: int, seat: int, table: Any, row: int
) -> Any:
    """The place in the ascending hand of the card that is played (G9)."""
    if held == 1:
        return 0
    if kind == _RANDOM:
        return _below(word, held)
    if kind == _HIGHEST:
        return held - 1
    if kind == _THRESHOLD:
        for place in range(held):
            if (hands[seat, place] >> 1) + 1 >= threshold:
                return place
        return 0
    middle = held // 2 if held > 2 else 0
    low: Any = np.int64(table[row, 0]) if held > 2 else 0
    up_to = low + np.int64(table[row, 1])
    total = up_to + np.int64(table[row, 2])
    if total == 0:
        low = 1 if held > 2 else 0
        up_to, total = low + 1, low + 2
    drawn = _below(word, total)
    return 0 if drawn < low else middle if drawn < up_to else held - 1


@njit(cache=True)
def _name(
    word: Any, kind: int, known: bool, shields: Any, owner: int, n_shields: int, left: int
) -> int:
    """The slot of the shield that is struck (G13) or removed (G14).

    ``known`` says that a seat names one of its own shields and knows them.
    """
    if known and kind != _RANDOM and kind != _HIGHEST:
        lowest = -1
        for slot in range(n_shields):
            shield = shields[owner, slot]
            if shield >= 0 and (lowest < 0 or shield < shields[owner, lowest]):
                lowest = slot
        return lowest
    nth = 0 if kind == _HIGHEST else _below(word, left)
    slot = -1
    while nth >= 0:
        slot += 1
        nth -= shields[owner, slot] >= 0
    return slot


@njit(cache=True)
def _insert(hands: Any, seat: int, held: int, card: int) -> None:
    while held > 0 and hands[seat, held - 1] > card:
        hands[seat, held] = hands[seat, held - 1]
        held -= 1
    hands[seat, held] = card


@njit(cache=True)
def _play_many(
    options: _Options, seats: _Seats, seed: Any, first: Any, results: Any, orders: Any, trace: Any
) -> None:
    """Play games (G5 to G18): fills in the results, and of the last game the deal and its turns.

    The first blocks of a game's stream are for its turns, with one word for each seat's card, for
    the strike and for the counter; those from ``_DEAL`` on are for the shuffles.
    """
    # One long function: handing these arrays on at every step would take longer than the game.
    size, n_shields, hand_size = options.size, options.n_shields, options.hand_size
    chosen, compare, naming = options.chosen, options.compare, options.naming
    kinds, thresholds, decks, table = seats.kind, seats.threshold, seats.deck, seats.table
    some_table = kinds[0] == _TABLE or kinds[1] == _TABLE
    words = np.empty((2, 28), np.uint64)
    shields = np.empty((2, n_shields), np.int64)
    hands = np.empty((2, hand_size), np.int64)
    left = np.empty(2, np.int64)
    # Cards of each seat that the other has not seen, and that it has not seen itself: how many
    # there are, and the most or the number that they sum to.
    unseen, most = np.empty(2, np.int64), np.empty(2, np.int64)
    hidden, total = np.empty(2, np.int64), np.empty(2, np.int64)
    for game in range(len(results)):
        number = first + np.uint64(game)
        for seat in range(2):
            for quarter in range((size + 3) // 4):
                four = _block(seed, number, np.uint64(_DEAL + 8 * seat + quarter))
                for i in range(4):
                    words[seat, 4 * quarter + i] = four[i]
        for seat in range(2):
            for place in range(size):
                orders[seat, place] = decks[seat, place]
            _deal(words, options, kinds[seat], seats.given, seats.shields, orders, seat)
            left[seat] = n_shields
            for slot in range(n_shields):
                shields[seat, slot] = orders[seat, slot]
            for place in range(hand_size):
                _insert(hands, seat, place, orders[seat, n_shields + place])
            if some_table:
                unseen[seat], most[seat] = size, options.cap
                hidden[seat] = total[seat] = 0
                for place in range(size):
                    if place >= n_shields + hand_size or (place < n_shields and not chosen):
                        hidden[seat] += 1
                        total[seat] += (orders[seat, place] >> 1) + 1
        held, top = hand_size, n_shields + hand_size
        turn, ending, winner = 0, _COUNTED, -1
        while held > 0:
            four = _block(seed, number, np.uint64(turn))
            for seat in range(2):
                row = 0
                if kinds[seat] == _TABLE and held > 1:
                    row = seats.start[seat] + _row(
                        seat,
                        hands,
                        held,
                        held + size - top,
                        left,
                        unseen,
                        most,
                        hidden,
                        total,
                        seats.look,
                    )
                place = _choose(
                    four[seat], kinds[seat], thresholds[seat], hands, held, seat, table, row
                )
                card = hands[seat, place]
                trace[turn, seat] = card
                for i in range(place, held - 1):
                    hands[seat, i] = hands[seat, i + 1]
            held -= 1
            a, b = trace[turn, 0], trace[turn, 1]
            trace[turn, 2] = trace[turn, 3] = -1
            if some_table:
                for seat in range(2):
                    unseen[seat] -= 1
                    most[seat] -= (trace[turn, seat] >> 1) + 1
            if a != b:
                attacker = 0 if a > b else 1
                struck = 1 - attacker
                slot = _name(
                    four[2], kinds[attacker], False, shields, struck, n_shields, left[struck]
                )
                trace[turn, 2] = slot
                shield = shields[struck, slot]
                lost, owner = shield, struck
                for blow in range(2):
                    if blow == 1:
                        if not _counters(shield, max(a, b), compare):
                            break
                        own = naming == _OWNER
                        kind = _RANDOM if naming == _CHANCE else kinds[attacker if own else struck]
                        slot = _name(
                            four[3],
                            kind,
                            own and chosen == 1,
                            shields,
                            attacker,
                            n_shields,
                            left[attacker],
                        )
                        trace[turn, 3] = slot
                        lost, owner = shields[attacker, slot], attacker
                    shields[owner, slot] = -1
                    left[owner] -= 1
                    if some_table:
                        unseen[owner] -= 1
                        most[owner] -= (lost >> 1) + 1
                        if not chosen:
                            hidden[owner] -= 1
                            total[owner] -= (lost >> 1) + 1
                if left[0] == 0 or left[1] == 0:
                    ending, winner = 0, 0 if left[0] > 0 else 1
                    if left[0] == left[1]:
                        ending = 1 + options.knockout
                        winner = (attacker, -1, struck)[options.knockout]
                    turn += 1
                    break
            if top < size:
                for seat in range(2):
                    card = orders[seat, top]
                    _insert(hands, seat, held, card)
                    if some_table:
                        hidden[seat] -= 1
                        total[seat] -= (card >> 1) + 1
                held += 1
                top += 1
            turn += 1
        if ending == _COUNTED:
            if left[0] == left[1]:
                ending += 1
            else:
                winner = 0 if left[0] > left[1] else 1
        results[game, 0], results[game, 1], results[game, 4] = winner, turn, ending
        results[game, 2], results[game, 3] = left[0], left[1]
