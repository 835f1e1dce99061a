"""High-Low solved: the best decisions, exact values and distributions, and what counting is worth.

Everything here is about one player and the cards that this player has not seen, which is all there
is to the game as long as only points count. Other hands that lie open only change what is unseen.

>>> game = Solo()
>>> round(float(game.value()), 3), game.draws("12"), game.draws("1 2 3 20")
(26.634, True, False)
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from itertools import groupby, product
from numbers import Integral, Rational
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cardlab import engine
from cardlab.bots.highlow import Counts, Prospects, next_card, prospects
from cardlab.errors import RulesError
from cardlab.games.highlow import EQUAL, HighLowRules, score

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "Hand",
    "Outcome",
    "Policy",
    "Solo",
    "beats",
    "best_thresholds",
    "race",
    "seen_hand",
    "summary",
    "with_safety",
]


class Hand(NamedTuple):
    """What a decision can depend on when only points count.

    Attributes
    ----------
    unseen
        How many unseen cards there are of each number, from 1 up.
    last
        The number of the last card.
    drawn
        How many cards the hand has.
    """

    unseen: Counts
    last: int
    drawn: int


Ints = np.ndarray[Any, np.dtype[np.int64]]
Points = np.ndarray[Any, np.dtype[np.int16]]
Floats = np.ndarray[Any, np.dtype[np.float64]]

Policy = Callable[[Hand], bool | Fraction]
"""Whether to draw, or with which probability."""


class Outcome(NamedTuple):
    """How a way to play ends: the exact chance of every number of points, and of every size.

    >>> hold = Outcome({1: Fraction(1, 2), 3: Fraction(1, 2)}, {1: Fraction(1)})
    >>> hold.mean, hold.sd, hold.chance(lambda points: points < 2)
    (Fraction(2, 1), 1.0, Fraction(1, 2))
    """

    points: dict[int, Fraction]
    cards: dict[int, Fraction]

    @property
    def mean(self) -> Fraction:
        """The expected number of points."""
        return _mean(self.points)

    @property
    def variance(self) -> Fraction:
        """The variance of the points."""
        mean = self.mean
        return sum(
            (chance * (points - mean) ** 2 for points, chance in self.points.items()), Fraction()
        )

    @property
    def sd(self) -> float:
        """The standard deviation of the points."""
        return math.sqrt(self.variance)

    @property
    def mean_cards(self) -> Fraction:
        """The expected number of cards."""
        return _mean(self.cards)

    def chance(self, condition: Callable[[int], bool]) -> Fraction:
        """The chance that the points fulfil a condition."""
        return sum(
            (chance for points, chance in self.points.items() if condition(points)), Fraction()
        )


def _mean(chances: Mapping[int, Fraction]) -> Fraction:
    return sum((value * chance for value, chance in chances.items()), Fraction())


def summary(outcomes: Mapping[str, Outcome]) -> pd.DataFrame:
    """A row for each outcome: ``mean``, ``sd``, ``least`` and ``most`` points, mean ``cards``."""
    import pandas as pd

    rows = [
        (float(each.mean), each.sd, min(each.points), max(each.points), float(each.mean_cards))
        for each in outcomes.values()
    ]
    return pd.DataFrame(rows, index=[*outcomes], columns=["mean", "sd", "least", "most", "cards"])


def beats(one: Outcome, other: Outcome) -> tuple[Fraction, Fraction, Fraction]:
    """The chances that ``one`` has more points than an independent ``other``, as many, or fewer."""
    won = drawn = below = 0
    mine, my_total = _parts(one.points)
    parts, total = _parts(other.points)
    theirs = iter([*sorted(parts.items()), (max(mine) + 1, 0)])
    at, part = next(theirs)
    for points, weight in sorted(mine.items()):
        while at < points:
            below += part
            at, part = next(theirs)
        won += weight * below
        drawn += weight * part * (at == points)
    total *= my_total
    return Fraction(won, total), Fraction(drawn, total), Fraction(total - won - drawn, total)


def _parts(chances: Mapping[int, Fraction]) -> tuple[dict[int, int], int]:
    """The chances as whole numbers of parts, and how many parts there are."""
    total = math.lcm(*[chance.denominator for chance in chances.values()])
    return {
        value: chance.numerator * (total // chance.denominator) for value, chance in chances.items()
    }, total


# --------------------------------------------------------------------------------------- one player


@dataclass(frozen=True, kw_only=True)
class Solo(engine.Rules):
    """High-Low for one player who wants as many points as possible.

    Parameters
    ----------
    highest, copies
        The cards: numbers from 1 up to ``highest``, so many of each.
    max_cards
        The most cards of a hand.
    equal, pass_penalty
        As in the game (H7, H11).
    replacement
        Whether each card goes back into the pile before the next is drawn.

    Raises :class:`RulesError` for options that cannot be.
    """

    highest: int = engine.number(20, 2, 20)
    copies: int = engine.number(1, 1, 60)
    max_cards: int = engine.number(5, 2, 6)
    equal: str = engine.choice(*EQUAL)
    pass_penalty: int = engine.number(0, 0, 20)
    replacement: bool = engine.flag(False)

    def __post_init__(self) -> None:
        super().__post_init__()
        cards = self.highest * self.copies
        if not self.replacement and cards < self.max_cards:
            raise RulesError("highlow.error.few_cards", have=cards, needed=self.max_cards)

    # Hands.

    def hand(self, cards: str | Iterable[int]) -> Hand:
        """The hand of these numbers, in the order in which they were drawn.

        Raises :class:`RulesError` for what cannot be drawn from this deck, and for no cards.
        """
        numbers = self._drawn(cards)
        if not numbers:
            raise RulesError("analysis.error.hand", value="[]")
        return Hand(self._unseen(numbers), numbers[-1], len(numbers))

    def _drawn(self, cards: str | Iterable[int]) -> tuple[int, ...]:
        """These numbers, which may be none, if they can be drawn."""
        given = cards.split() if isinstance(cards, str) else cards
        if not isinstance(given, Iterable):
            raise RulesError("analysis.error.hand", value=repr(cards))
        given = [*given]
        numbers = tuple(int(each) for each in given if _is_whole(each))
        if (
            not len(numbers) == len(given) <= self.max_cards
            or not {*numbers} <= {*self._numbers}
            or min(self._unseen(numbers)) < 0
        ):
            raise RulesError("analysis.error.hand", value=str(given))
        return numbers

    def _unseen(self, numbers: Iterable[int]) -> Counts:
        unseen = [self.copies] * self.highest
        for each in () if self.replacement else numbers:
            unseen[each - 1] -= 1
        return tuple(unseen)

    def points(self, cards: str | Iterable[int], held: bool = True) -> int:
        """The points of a hand; ``held`` with what the draws cost that were left out."""
        numbers = [*map(str, self._drawn(cards))]
        unused = (self.max_cards - len(numbers)) * held
        return score(numbers, self.equal, unused, self.pass_penalty)

    # The best decisions.

    def draws(self, cards: str | Iterable[int]) -> bool:
        """Whether it is best to draw on with a hand; if both are equally good, it is not."""
        return self.best(self.hand(cards))

    def best(self, hand: Hand) -> bool:
        """The best policy: whether to draw."""
        if hand.drawn == self.max_cards:
            return False
        what = self._prospects(hand)
        return what.draw > what.hold

    def myopic(self, hand: Hand) -> bool:
        """The policy that draws as long as the next card alone is worth it on average."""
        saved = self.pass_penalty * sum(hand.unseen)
        return next_card(hand.unseen, hand.last, EQUAL[self.equal]) + saved > 0

    def value(self, cards: str | Iterable[int] = ()) -> Fraction:
        """The expected points at the end with the best decisions: from a hand, or from the start.

        A full hand is worth its points.
        """
        numbers = self._drawn(cards)
        if not numbers:
            opening = [self.value([number]) for number in self._numbers]
            return sum(opening, Fraction()) / self.highest
        return self.points(numbers, held=False) + self.to_come(self.hand(numbers))

    def to_come(self, hand: Hand) -> Fraction:
        """The points still to come with the best decisions, penalties included."""
        if hand.drawn == self.max_cards:
            return Fraction()
        what = self._prospects(hand)
        return Fraction(max(what.draw, what.hold), what.ways)

    def of_drawing(self, cards: str | Iterable[int]) -> Fraction:
        """The expected points at the end if the next card is drawn and the best is done then.

        Raises :class:`RulesError` for a full hand.
        """
        numbers = self._drawn(cards)
        if len(numbers) == self.max_cards:
            raise RulesError("analysis.error.full_hand", value=str([*numbers]), most=self.max_cards)
        what = self._prospects(self.hand(numbers))
        return self.points(numbers, held=False) + Fraction(what.draw, what.ways)

    def _prospects(self, hand: Hand) -> Prospects:
        return prospects(
            hand.unseen,
            hand.last,
            self.max_cards - hand.drawn,
            EQUAL[self.equal],
            self.pass_penalty,
            replacement=self.replacement,
        )

    # Distributions.

    def outcome(
        self, policy: Policy | bool | Fraction | None = None, cards: str | Iterable[int] = ()
    ) -> Outcome:
        """How a policy ends, by default the best one: from a hand, or from the start.

        A policy that always does the same may be given as ``True`` (draw), ``False`` (hold) or the
        chance to draw. Orders that lead to the same unseen cards, last card and points are followed
        together. Raises :class:`RulesError` for a policy or a hand that cannot be.
        """
        points: Counter[int] = Counter()
        sizes: Counter[int] = Counter()
        # All that end with one size are counted in the same parts.
        for (size, total), group in groupby(self._endings(policy, cards), key=itemgetter(0, 3)):
            ended: Counter[int] = Counter()
            for _, _, weights, _ in group:
                ended.update(weights)
            for each, weight in ended.items():
                points[each] += Fraction(weight, total)  # type: ignore[assignment]
            sizes[size] = Fraction(ended.total(), total)  # type: ignore[assignment]
        return Outcome(dict(sorted(points.items())), dict(sorted(sizes.items())))  # type: ignore[arg-type]

    def endings(
        self,
        policy: Policy | bool | Fraction | None = None,
        cards: str | Iterable[int] = (),
        open_full: bool = False,
    ) -> Iterator[tuple[int, Counts, dict[int, Fraction]]]:
        """Every way to end: the size of the hand, what is then unseen, the chances of the points.

        Unless ``open_full``, full hands come all together, with nothing said about what is unseen.
        """
        for size, unseen, weights, total in self._endings(policy, cards, open_full):
            yield (
                size,
                unseen,
                {points: Fraction(weight, total) for points, weight in weights.items()},
            )

    def _endings(
        self,
        policy: Policy | bool | Fraction | None = None,
        cards: str | Iterable[int] = (),
        open_full: bool = False,
    ) -> Iterator[tuple[int, Counts, dict[int, int], int]]:
        """As :meth:`endings`, the chances in parts of a total, which is the same for each size."""
        decide = self._policy(policy)
        cards = self._drawn(cards)
        openings = [self.hand(cards)] if cards else [self.hand([n]) for n in self._numbers]
        start, most = openings[0].drawn, self.max_cards
        level: dict[Hand, dict[int, int]] = {
            hand: {self.points(cards, held=False) if cards else hand.last: 1} for hand in openings
        }
        total = len(openings)
        for size in range(start, most + 1):
            after: dict[Hand, dict[int, int]] = defaultdict(lambda: defaultdict(int))
            told = size + 1 < most or open_full
            # What can be drawn does not depend on the last card: hands that differ in it share it.
            steps: dict[Counts, list[tuple[dict[int, int], int, int]]] = {}
            last_draws: list[tuple[Hand, dict[int, int], int]] = []
            shares = [_chance(decide(hand) if size < most else 0) for hand in level]
            # Chances are counted in so many parts, so that all sums are of whole numbers.
            parts = math.lcm(*[share.denominator for share in shares])
            total *= parts
            price = (most - size) * self.pass_penalty
            for (hand, weights), share in zip(level.items(), shares, strict=True):
                draws = share.numerator * (parts // share.denominator)
                holds = parts - draws
                if holds:
                    ended = {points - price: weight * holds for points, weight in weights.items()}
                    yield size, hand.unseen, ended, total
                if draws and told:
                    if hand.unseen not in steps:
                        steps[hand.unseen] = [
                            (after[into], card, copies) for into, card, copies in self._next(hand)
                        ]
                    for reached, card, copies in steps[hand.unseen]:
                        gain, times = self._gain(hand.last, card), draws * copies
                        for points, weight in weights.items():
                            reached[points + gain] += weight * times
                elif draws:
                    last_draws.append((hand, weights, draws))
            if last_draws:
                after[Hand((), 0, most)] = self._full_hands(last_draws)
            cards_left = self.highest * self.copies - size * (not self.replacement)
            level, total = after, total * cards_left

    def _policy(self, policy: Policy | bool | Fraction | None) -> Policy:
        if policy is None:
            return self.best
        if callable(policy):
            return policy
        always = _chance(policy)
        return lambda _: always

    @property
    def _numbers(self) -> range:
        return range(1, self.highest + 1)

    def _gain(self, last: int, card: int) -> int:
        """What a card adds to a hand (H7)."""
        return card * ((card > last) - (card < last) or EQUAL[self.equal])

    def _next(self, hand: Hand) -> Iterator[tuple[Hand, int, int]]:
        """Every next hand, the card that makes it, and how many copies of it there are."""
        for card, copies in enumerate(hand.unseen, start=1):
            if copies:
                rest = copies - (not self.replacement)
                unseen = (*hand.unseen[: card - 1], rest, *hand.unseen[card:])
                yield Hand(unseen, card, hand.drawn + 1), card, copies

    def _full_hands(self, drawing: Iterable[tuple[Hand, dict[int, int], int]]) -> dict[int, int]:
        """The points after the last card of these hands, each of which draws so many times."""
        # Few cards are gone: all that ever were can come, and then the gone ones are taken off.
        ever: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))
        gone: dict[tuple[int, int], dict[int, int]] = defaultdict(lambda: defaultdict(int))
        for (unseen, last, _), weights, times in drawing:
            every = ever[last]
            missing = [
                (gone[last, card], self.copies - copies)
                for card, copies in enumerate(unseen, start=1)
                if copies < self.copies
            ]
            for points, weight in weights.items():
                weight *= times
                every[points] += weight
                for without, copies in missing:
                    without[points] += weight * copies
        full: Counter[int] = Counter()
        for (last, every), card in product(ever.items(), self._numbers):
            gain, without = self._gain(last, card), gone[last, card]
            for points, weight in every.items():
                full[points + gain] += weight * self.copies - without.get(points, 0)
        return +full


def _is_whole(value: object) -> bool:
    if isinstance(value, str):
        return value.isdecimal() and len(value) < 10
    return isinstance(value, Integral) and not isinstance(value, bool)


_SURELY = Fraction(0), Fraction(1)


def _chance(value: object) -> Fraction:
    """Whether to draw, as the chance of it."""
    if value is True or value is False:
        return _SURELY[value]
    if isinstance(value, np.bool_):
        value = bool(value)
    if isinstance(value, Rational):
        chance = Fraction(int(value.numerator), int(value.denominator))
        if 0 <= chance <= 1:
            return chance
    raise RulesError("analysis.error.play", value=repr(value))


# -------------------------------------------------------------------------- what counting is worth


def best_thresholds(solo: Solo) -> tuple[tuple[int, ...], Fraction]:
    """The best rule that looks only at the last card and at how many there are.

    It draws on with ``k`` cards if the last one is lower than the ``k``-th threshold. All choices
    of thresholds are compared, by sums over boxes of the array of all openings.

    Returns the thresholds (the lowest of several that are equally good) and the expected points.
    Raises :class:`RulesError` unless there is one copy of each card and no replacement.
    """
    n, most = _single_copies(solo), solo.max_cards
    value = np.zeros((n + 1,) * (most - 1), dtype=np.int64)
    numbers = np.arange(1, n + 1)
    for size in range(1, most):
        axes = np.meshgrid(*[numbers] * size, indexing="ij", sparse=True)
        last = axes[-1]
        seen = sum(np.where(x > last, -x, x) for x in axes[:-1])
        lower = last * (last - 1) // 2
        gain = n * (n + 1) // 2 - last - 2 * lower + seen + solo.pass_penalty * (n - size)
        for i, x in enumerate(axes):
            for y in axes[:i]:
                gain = np.where(x == y, 0, gain)
        boxes = np.broadcast_to(gain, (n,) * size).astype(np.int64)
        for axis in range(size):
            boxes = np.cumsum(boxes, axis=axis)
        boxes = np.pad(boxes, [(1, 0)] * size) * math.perm(n - size - 1, most - size - 1)
        value += boxes.reshape(boxes.shape + (1,) * (most - 1 - size))
    best = np.unravel_index(int(value.argmax()), value.shape)
    start = Fraction(n + 1, 2) - (most - 1) * solo.pass_penalty
    return (
        tuple(int(place) + 1 for place in best),
        start + Fraction(int(value.max()), math.perm(n, most)),
    )


def seen_hand(solo: Solo) -> tuple[float, float]:
    """What it is worth to have seen another's hand before drawing from the same pile.

    The other plays for the most points and shows the hand.

    Returns the expected points of whoever counts that hand, and of whoever does not. Raises
    :class:`RulesError` unless there is one copy of each card and no replacement.
    """
    _single_copies(solo)
    values = _values_by_seen(solo)
    mean = sum(
        float((reach * ~level.draws * values[level.seen]).sum()) for level, reach in _reached(solo)
    )
    return mean, float(values[0])


def _values_by_seen(solo: Solo) -> Floats:
    """The value of a fresh hand for each set of cards that are not in the pile, as bits."""
    n, most, cost = solo.highest, solo.max_cards, solo.pass_penalty
    seen = np.arange(1 << n)
    left = np.maximum(n - np.bitwise_count(seen), 1).astype(np.float64)
    # After the last card there is nothing to come.
    later, pile = np.zeros(1 << n), np.zeros(1 << n)
    for number in range(1, n + 1):
        pile += number * (seen >> (number - 1) & 1 ^ 1)

    def halves(values: Floats, number: int) -> tuple[Floats, Floats]:
        """The values without this number among the cards that are gone, and with it."""
        pairs = values.reshape(-1, 2, 1 << (number - 1))
        return pairs[:, 0], pairs[:, 1]

    for draws in range(2, most + 1):
        total, twice_below = np.zeros(1 << n), np.zeros(1 << n)
        for number in range(1, n + 1):
            lower, _ = halves(twice_below, number)
            (_, rest), (_, cards), (_, after) = (
                halves(values, number) for values in (pile, left, later)
            )
            to_come = rest - lower
            to_come /= cards
            to_come += after
            np.maximum(to_come, -(draws - 1) * cost, out=to_come)
            if draws == most:
                # The first card of the hand counts its number.
                to_come += number
            free, _ = halves(total, number)
            free += to_come
            lower += 2 * number
        later = total / left
    return later


def _single_copies(solo: Solo) -> int:
    if solo.copies > 1 or solo.replacement:
        raise RulesError("analysis.error.single_copies")
    return solo.highest


class _Level(NamedTuple):
    """All hands of one size, as orders of different cards.

    Attributes
    ----------
    before
        The place, in the level before, of the hand without its last card.
    seen, last, points
        Its cards as bits, its last card, its points.
    draws
        Whether to draw on for the most points.
    ways
        How many cards there were to draw.
    """

    before: Ints
    seen: Ints
    last: Ints
    points: Ints
    draws: np.ndarray[Any, np.dtype[np.bool_]]
    ways: int


@lru_cache(maxsize=2)
def _levels(solo: Solo) -> tuple[_Level, ...]:
    """The hands of every size, those with the same beginning side by side."""
    seen, last, points = np.zeros(1, np.int64), np.zeros(1, np.int64), np.zeros(1, np.int64)
    levels = []
    for size in range(1, solo.max_cards + 1):
        free = seen[:, None] >> np.arange(solo.highest) & 1 == 0
        before, card = np.nonzero(free)
        card += 1
        points = points[before] + np.where(card > last[before], card, -card)
        seen, last = seen[before] | 1 << (card - 1), card
        draws = np.zeros(len(seen), bool)
        if size < solo.max_cards:
            draws = _best(solo, seen, last, size)
        levels.append(_Level(before, seen, last, points, draws, solo.highest - size + 1))
    return tuple(levels)


def _reached(solo: Solo) -> Iterator[tuple[_Level, Floats]]:
    """Each size, and the chance of each of its hands in the play for the most points."""
    reach = np.ones(1)
    for level in _levels(solo):
        reach = reach[level.before] / level.ways
        yield level, reach
        reach = reach * level.draws


def _best(solo: Solo, seen: Ints, last: Ints, size: int) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Whether to draw on with each hand; the order of its cards does not matter."""
    kinds, which = np.unique(seen * 32 + last, return_inverse=True)
    unseen = (kinds // 32)[:, None] >> np.arange(solo.highest) & 1 ^ 1
    decisions = [
        solo.best(Hand(tuple(counts), card, size))
        for counts, card in zip(unseen.tolist(), (kinds % 32).tolist(), strict=True)
    ]
    return np.array(decisions)[which]


# ------------------------------------------------------------------------- playing against a score


def race(solo: Solo) -> pd.DataFrame:
    """How knowing the other's points changes the play, each drawing from a deck of one's own.

    The other has played for the most points. Whoever knows the result plays for the best chance of
    more points, a tie counting half.

    Returns a row for each result: ``target`` (int64); ``chance`` (float64) that it is the other's;
    ``points`` and ``race`` (float64), the chance to win with the play for most points and with the
    one for this target; ``changed`` (float64), the share of the decisions, as they come in the play
    for most points, at which the best decision against this target is the other one.

    Raises :class:`RulesError` unless there is one copy of each card and no replacement.
    """
    import pandas as pd

    _single_copies(solo)
    *levels, (full, _) = _reached(solo)
    # The last cards of a hand below each other: it is quicker to add up rows.
    last = np.ascontiguousarray(full.points.reshape(-1, full.ways).T, dtype=np.int16)
    rows = [
        (target, float(chance), *_against(solo, target, levels, last))
        for target, chance in solo.outcome().points.items()
    ]
    return pd.DataFrame(rows, columns=["target", "chance", "points", "race", "changed"])


def _against(
    solo: Solo, target: int, levels: Sequence[tuple[_Level, Floats]], last: Points
) -> tuple[float, float, float]:
    """The chances to win against a score and the share of other decisions, see :func:`race`.

    ``levels`` are those with decisions, ``last`` the points after the last card: (card, hand).
    """
    after = by_points = _twice_won(last, target).sum(axis=0, dtype=np.int16) / len(last) / 2
    flags = []
    # From the last decision to the first.
    for size, (level, _) in zip(range(len(levels), 0, -1), reversed(levels), strict=True):
        price = solo.pass_penalty * (solo.max_cards - size)
        now = _twice_won(level.points - price, target) / 2
        better = np.where(level.draws, now - after, after - now)
        flags.append(better > 1e-12)
        after = _mean_of_groups(np.maximum(now, after), level.ways)
        by_points = _mean_of_groups(np.where(level.draws, by_points, now), level.ways)
    decisions = [reach for _, reach in levels]
    changed = [reach * flag for reach, flag in zip(decisions, reversed(flags), strict=True)]
    return float(by_points[0]), float(after[0]), _total(changed) / _total(decisions)


def _total(arrays: Iterable[Floats]) -> float:
    return sum(float(array.sum()) for array in arrays)


def _twice_won(points: Ints | Points, target: int) -> np.ndarray[Any, np.dtype[np.int8]]:
    won: np.ndarray[Any, np.dtype[np.int8]] = np.add(
        points > target, points >= target, dtype=np.int8
    )
    return won


def _mean_of_groups(values: np.ndarray[Any, Any], width: int) -> np.ndarray[Any, Any]:
    """The means of so many neighbours each."""
    means: np.ndarray[Any, Any] = values.reshape(-1, width).mean(axis=1)
    return means


# ------------------------------------------------------------------------------------- safety cards


def with_safety(
    safety: str = "plus", highest: int = 8, suits: int = 5, max_cards: int = 5
) -> dict[int, tuple[Fraction, Fraction]]:
    """The draft with suits, solved for one player who finds all safety cards on the table (H10).

    Suits that look the same are interchangeable, so hands are told apart only by what they hold in
    each suit, in any order.

    Returns for each first card the expected points of holding it, and of the best play after
    drawing on. Raises :class:`RulesError` for options that the game refuses.
    """
    HighLowRules(decks="separate", highest=highest, suits=suits, max_cards=max_cards, safety=safety)
    factor = {"none": 0, "zero": 1, "plus": 2}[safety]

    @cache
    def free(ranks: int, last: int) -> list[tuple[int, int]]:
        """The numbers that are left of a suit, and what each would add to a hand."""
        left = [number for number in range(1, highest + 1) if not ranks >> number & 1]
        return [(number, ((number > last) - (number < last)) * number) for number in left]

    @cache
    def next_gain(ranks: int, last: int) -> int:
        return sum(gain for _, gain in free(ranks, last))

    @cache
    def to_come(held: tuple[tuple[int, int], ...], last: int, draws: int) -> tuple[int, int]:
        """Drawing and holding, times the ways to draw on; ``held``: ranks as bits, bonus."""
        cards = highest * suits - (max_cards - draws)
        hold = max([bonus for _, bonus in held]) * math.perm(cards, draws)
        total = sum([next_gain(ranks, last) for ranks, _ in held])
        total *= math.perm(cards - 1, draws - 1)
        if draws > 1:
            for suit in {*held}:
                (ranks, bonus), place, alike = suit, held.index(suit), held.count(suit)
                for number, gain in free(ranks, last):
                    into = (ranks | 1 << number, bonus + factor * max(-gain, 0))
                    after = tuple(sorted((*held[:place], into, *held[place + 1 :])))
                    total += alike * max(to_come(after, number, draws - 1))
        return total, hold

    openings = {}
    for number in range(1, highest + 1):
        held = ((0, 0),) * (suits - 1) + ((1 << number, 0),)
        draw, _ = to_come(held, number, max_cards - 1)
        ways = math.perm(highest * suits - 1, max_cards - 1)
        openings[number] = (Fraction(number), number + Fraction(draw, ways))
    return openings
