"""All GPT decks under the cap: exact counts, full lists, tables (G4).

>>> from cardlab.analysis import decks
>>> decks.count()
2492494
>>> decks.count(exact_sum=100, required="Ks Kh", maximum={12: 0})
22776
>>> decks.enumerate(required="Ks Kh Qs Qh", minimum={11: 1})
3002 decks, sums 91 to 100

Counting is dynamic programming over the ranks and takes less than a millisecond, so ask for a
count before you ask for a list. Of a suit only the colour matters: any spade or club is the black
card of its number, any heart or diamond the red one.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from os import PathLike
from typing import Any, NamedTuple, Self, TypedDict, Unpack, overload

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from cardlab.cards import RANKS, Card
from cardlab.errors import CardlabError, NotationError, RulesError
from cardlab.games.gpt_deck import (
    ANY,
    CAP,
    SIZE,
    Choices,
    Deck,
    best_completion,
    check_deck,
    choices,
    count_by_sum,
    count_decks,
    draw_deck,
    nth_deck,
)

__all__ = [
    "CAP",
    "SIZE",
    "Conditions",
    "Deck",
    "Decks",
    "best_completion",
    "check_deck",
    "completions",
    "composition",
    "count",
    "count_completions",
    "draw_deck",
    "enumerate",
    "histogram",
    "kings_and_queens",
    "membership",
    "nth_deck",
]

HEAVIEST = 182
"""The sum of all 26 cards."""

Cards = Deck | Card | str | Iterable[Card | str]
"""Cards as the functions here take them: a deck, a card, a line of text, or several cards."""


class Conditions(TypedDict, total=False):
    """What decks must fulfil besides size and cap; see :func:`count`."""

    required: Cards
    excluded: Cards
    minimum: Mapping[int, int] | None
    maximum: Mapping[int, int] | None


# --------------------------------------------------------------------------------------- arguments


def _integer(name: str, value: Any, high: int, low: int = 0) -> int:
    """An integer argument, Python's or numpy's, within its range."""
    try:
        number = operator.index(value)
    except TypeError:
        number = low - 1
    if isinstance(value, bool) or not low <= number <= high:
        raise RulesError(
            "core.error.option_range", option=name, value=repr(value), low=low, high=high
        )
    return number


def _deck(cards: Cards) -> Deck:
    if isinstance(cards, Deck):
        return cards
    if isinstance(cards, Card):
        return Deck.of([cards])
    try:
        return Deck.of(cards)
    except TypeError:
        raise NotationError("core.error.card", value=repr(cards)) from None


def _limits(name: str, limits: Mapping[int, int] | None) -> dict[int, int]:
    """``minimum`` or ``maximum`` as plain integers."""
    if limits is None:
        return {}
    if not isinstance(limits, Mapping):
        raise RulesError("decks.error.mapping", option=name, value=repr(limits))
    return {
        _integer(f"{name}: rank", rank, 13, 1): _integer(f"{name}[{rank}]", number, 2)
        for rank, number in limits.items()
    }


def _allowed(
    required: Cards = (),
    excluded: Cards = (),
    minimum: Mapping[int, int] | None = None,
    maximum: Mapping[int, int] | None = None,
) -> Choices:
    """The conditions as the subsets of each rank's two cards that a deck may hold."""
    must, never = _deck(required), _deck(excluded)
    both = Deck(must.mask & never.mask)
    if both.mask:
        raise RulesError("decks.error.overlap", cards=both.cards())
    least, most = _limits("minimum", minimum), _limits("maximum", maximum)
    for rank in sorted(least.keys() & most.keys()):
        if least[rank] > most[rank]:
            raise RulesError(
                "decks.error.limits", rank=rank, minimum=least[rank], maximum=most[rank]
            )
    return choices(must, never, least, most)


# ---------------------------------------------------------------------------------------- counting


def count(
    size: int = SIZE,
    cap: int = CAP,
    *,
    exact_sum: int | None = None,
    required: Cards = (),
    excluded: Cards = (),
    minimum: Mapping[int, int] | None = None,
    maximum: Mapping[int, int] | None = None,
) -> int:
    """How many decks there are.

    Parameters
    ----------
    size
        Number of cards, 0 to 26.
    cap
        The largest sum of their numbers that is allowed, 0 to 182.
    exact_sum
        The sum that the decks must have, if it matters; above ``cap`` there is none.
    required, excluded
        Cards that every deck holds, and cards that none does: a :class:`Deck`, a card, a line such
        as ``"Ks Kh"``, or several cards. Of a suit only its colour counts.
    minimum, maximum
        Fewest and most cards of a rank (1 to 13), such as ``{13: 2}``.

    Raises :class:`RulesError` for a value that is not allowed or conditions that contradict each
    other, and what :meth:`Deck.of` raises for cards that cannot be read or occur twice.

    >>> count(), count(cap=182), count(exact_sum=100)
    (2492494, 7726160, 277570)
    >>> count(required="Ks Kh", excluded="As")
    60420
    """
    size, cap = _integer("size", size, 26), _integer("cap", cap, HEAVIEST)
    if exact_sum is not None:
        exact_sum = _integer("exact_sum", exact_sum, HEAVIEST)
    return count_decks(size, cap, exact_sum, _allowed(required, excluded, minimum, maximum))


def count_completions(
    partial: Cards, size: int = SIZE, cap: int = CAP, **conditions: Unpack[Conditions]
) -> int:
    """How many legal decks hold the cards ``partial``; the rest is as in :func:`count`.

    >>> count_completions("Ks Kh Qs Qh Js Jh"), count_completions("Ks Kh Qs Qh Js Jh Ts")
    (42, 0)
    """
    return count(size, cap, **_with(partial, conditions))


def _with(partial: Cards, conditions: Conditions) -> Conditions:
    required = _deck(partial).mask | _deck(conditions.get("required", ())).mask
    return {**conditions, "required": Deck(required)}


def histogram(size: int = SIZE, **conditions: Unpack[Conditions]) -> pd.DataFrame:
    """The number of decks by their sum, whatever the cap.

    Conditions are those of :func:`count`. One row for each sum that occurs, from the lightest up:
    ``sum``, ``decks`` with that sum, and ``cumulative``, the number of decks up to it, which is how
    many are legal when that sum is the cap (all int64).

    >>> histogram().query("sum == 100")
        sum   decks  cumulative
    36  100  277570     2492494
    """
    by_sum = count_by_sum(_integer("size", size, 26), _allowed(**conditions))
    frame = pd.DataFrame({"sum": list(by_sum), "decks": list(by_sum.values())}, dtype="int64")
    return frame.assign(cumulative=frame["decks"].cumsum())


def membership(size: int = SIZE, cap: int = CAP, **conditions: Unpack[Conditions]) -> pd.DataFrame:
    """How many legal decks hold each card.

    Conditions are those of :func:`count`. 26 rows in the order of the bits: ``rank`` (int64, 1 to
    13), ``colour`` (``"red"``, ``"black"``), ``decks`` (int64) and ``share`` of all (float64).

    >>> membership().iloc[-1].to_dict()
    {'rank': 13, 'colour': 'black', 'decks': 985665, 'share': 0.3954533090149866}
    """
    return _table(
        ("rank", "colour"),
        {
            (rank, colour): {rank: _including(bit)}
            for rank in range(1, 14)
            for bit, colour in ((1, "red"), (2, "black"))
        },
        size,
        cap,
        conditions,
    )


def composition(size: int = SIZE, cap: int = CAP, **conditions: Unpack[Conditions]) -> pd.DataFrame:
    """How many legal decks hold none, one or two cards of each rank.

    Conditions are those of :func:`count`. 39 rows: ``rank`` (1 to 13), ``copies`` (0 to 2),
    ``decks`` (all int64) and ``share`` of all legal decks (float64); the shares of a rank sum to 1.

    >>> composition().tail(3)
        rank  copies    decks     share
    36    13       0   833522  0.334413
    37    13       1  1346614  0.540268
    38    13       2   312358  0.125319
    """
    return _table(
        ("rank", "copies"),
        {(rank, copies): {rank: _exactly(copies)} for rank in range(1, 14) for copies in range(3)},
        size,
        cap,
        conditions,
    )


def kings_and_queens(
    size: int = SIZE, cap: int = CAP, **conditions: Unpack[Conditions]
) -> pd.DataFrame:
    """How many legal decks there are for each number of kings and of queens.

    Conditions are those of :func:`count`. Nine rows: ``kings``, ``queens`` (0 to 2), ``decks`` (all
    int64) and ``share`` of all legal decks (float64), which sum to 1.

    >>> kings_and_queens().tail(1)
       kings  queens  decks     share
    8      2       2  13838  0.005552
    """
    return _table(
        ("kings", "queens"),
        {
            (kings, queens): {13: _exactly(kings), 12: _exactly(queens)}
            for kings in range(3)
            for queens in range(3)
        },
        size,
        cap,
        conditions,
    )


Wanted = Callable[[int], Any]
"""Whether a subset of a rank's two cards (0 none, 1 red, 2 black, 3 both) will do."""


def _including(bit: int) -> Wanted:
    return lambda subset: subset & bit


def _exactly(copies: int) -> Wanted:
    return lambda subset: subset.bit_count() == copies


def _table(
    columns: tuple[str, str],
    cells: Mapping[tuple[Any, Any], Mapping[int, Wanted]],
    size: int,
    cap: int,
    conditions: Conditions,
) -> pd.DataFrame:
    """One row for each cell: its name, the decks that pass its tests, and their share."""
    size, cap = _integer("size", size, 26), _integer("cap", cap, HEAVIEST)
    allowed = _allowed(**conditions)
    frame = pd.DataFrame(list(cells), columns=list(columns))
    frame["decks"] = [count_decks(size, cap, None, _only(allowed, cell)) for cell in cells.values()]
    # Without any legal deck every share is 0.
    frame["share"] = frame["decks"] / (count_decks(size, cap, None, allowed) or 1)
    return frame


def _only(allowed: Choices, tests: Mapping[int, Wanted]) -> Choices:
    return tuple(
        tuple(filter(tests[rank], subsets)) if rank in tests else subsets
        for rank, subsets in zip(range(1, 14), allowed, strict=True)
    )


# ----------------------------------------------------------------------------------- lists of decks


@dataclass(frozen=True, eq=False, repr=False)
class Decks:
    """Many decks as two arrays.

    ``decks[i]`` is one :class:`Deck`; a slice, an array of places or an array of booleans selects
    several, so ``decks[decks.holds("Ks") & (decks.copies(1) == 2)]`` keeps those with the black
    king and both aces.

    Attributes
    ----------
    masks
        The deck's cards as bits, uint32; see :class:`Deck`. Those of :func:`enumerate` ascend, so
        that ``decks[-1 - n]`` is :func:`nth_deck` of ``n``.
    sums
        The sum of its numbers, uint8.
    """

    masks: NDArray[np.uint32]
    sums: NDArray[np.uint8]

    @classmethod
    def from_masks(cls, masks: Any) -> Self:
        """The decks with these masks, in any order; an array or anything like one.

        Raises :class:`NotationError` when one of them is no deck's mask.
        """
        given = np.asarray(masks)
        if given.ndim != 1 or (given.size and given.dtype.kind not in "ui"):
            raise NotationError("decks.error.masks", value=f"{given.dtype} {given.shape}")
        if given.size and not 0 <= given.min() <= given.max() < 1 << 26:
            wrong = given.max() if given.min() >= 0 else given.min()
            raise NotationError("decks.error.masks", value=int(wrong))
        masks = given.astype(np.uint32)
        low, high = _halves(ANY)
        return cls(masks, low.sums[masks & (_LOW_END - 1)] + high.sums[masks // _LOW_END])

    def __len__(self) -> int:
        return len(self.masks)

    @overload
    def __getitem__(self, chosen: int) -> Deck: ...
    @overload
    def __getitem__(self, chosen: slice | NDArray[Any]) -> Decks: ...
    def __getitem__(self, chosen: Any) -> Deck | Decks:
        masks = self.masks[chosen]
        return Decks(masks, self.sums[chosen]) if masks.ndim else Deck(int(masks))

    def __iter__(self) -> Iterator[Deck]:
        return map(Deck, self.masks.tolist())

    def __repr__(self) -> str:
        number = f"{len(self)} deck{'s' * (len(self) != 1)}"
        return f"{number}, sums {self.sums.min()} to {self.sums.max()}" if len(self) else number

    def holds(self, cards: Cards) -> NDArray[np.bool_]:
        """Which of the decks hold all of these cards; booleans, one for each deck."""
        wanted = np.uint32(_deck(cards).mask)
        held: NDArray[np.bool_] = self.masks & wanted == wanted
        return held

    def copies(self, rank: int) -> NDArray[np.uint8]:
        """How many cards of a rank (1 to 13) each deck has; uint8, one for each deck."""
        return np.bitwise_count(self._pair(_integer("rank", rank, 13, 1)))

    def _pair(self, rank: int) -> NDArray[np.uint8]:
        """For each deck which of the two cards of a rank it has: 0 none, 1 red, 2 black, 3 both."""
        return (self.masks >> np.uint32(2 * (rank - 1)) & np.uint32(3)).astype(np.uint8)

    def to_frame(self) -> pd.DataFrame:
        """The decks as a table, one row for each.

        Columns: ``mask`` (uint32), ``sum`` (uint8), ``code`` (str), then the number of cards of
        each rank, ``A``, ``2`` ... ``9``, ``T``, ``J``, ``Q``, ``K`` (uint8). 39 bytes a row, 97 MB
        for all decks of the default game; filter first where that is too much.
        """
        import pyarrow as pa

        digits = np.frombuffer(b"0rb2", np.uint8)
        letters = np.empty((len(self), 13), np.uint8)
        columns: dict[str, Any] = {"mask": self.masks, "sum": self.sums, "code": None}
        for rank, name in zip(range(1, 14), RANKS, strict=True):
            pair = self._pair(rank)
            letters[:, rank - 1] = digits[pair]
            columns[name] = np.bitwise_count(pair)
        # All codes are of one length, so the letters are already Arrow's text buffer.
        ends = np.arange(0, letters.size + 1, 13)
        codes = [None, pa.py_buffer(ends), pa.py_buffer(letters)]
        text = pa.Array.from_buffers(pa.large_string(), len(self), codes)
        columns["code"] = pd.Series(text, dtype="str")
        return pd.DataFrame(columns)

    def to_parquet(self, path: str | PathLike[str]) -> None:
        """Write ``mask`` and ``sum`` to a Parquet file, which :meth:`from_parquet` reads back.

        For the other columns too, ``decks.to_frame().to_parquet(path)``; it reads back as well.
        """
        pd.DataFrame({"mask": self.masks, "sum": self.sums}).to_parquet(path, index=False)

    @classmethod
    def from_parquet(cls, path: str | PathLike[str]) -> Self:
        """Read the decks of a Parquet file with a column ``mask``; sums are computed afresh.

        Raises :class:`NotationError` for a file that holds no decks; a missing file raises
        :class:`FileNotFoundError`.
        """
        import pyarrow as pa

        try:
            return cls.from_masks(pd.read_parquet(path, columns=["mask"])["mask"])
        except (pa.ArrowException, KeyError, CardlabError) as error:
            raise NotationError("decks.error.file", path=str(path), error=error) from None


class _Half(NamedTuple):
    """Every way to fill half of the ranks, in ascending order of the masks."""

    masks: NDArray[np.uint32]
    counts: NDArray[np.uint8]
    sums: NDArray[np.uint8]


_LOW_RANKS = 6
_LOW_END = 1 << 2 * _LOW_RANKS


@lru_cache(maxsize=16)
def _halves(allowed: Choices) -> tuple[_Half, _Half]:
    return _half(allowed[:_LOW_RANKS], 1), _half(allowed[_LOW_RANKS:], _LOW_RANKS + 1)


def _half(allowed: Choices, first: int) -> _Half:
    half = _Half(np.zeros(1, np.uint32), np.zeros(1, np.uint8), np.zeros(1, np.uint8))
    for place, subsets in zip(range(13), allowed, strict=False):
        pairs = np.array(subsets, np.uint32)[:, None]
        taken = np.bitwise_count(pairs)
        half = _Half(
            (pairs << np.uint32(2 * place) | half.masks).ravel(),
            (taken + half.counts).ravel(),
            (taken * np.uint8(first + place) + half.sums).ravel(),
        )
    return half


def enumerate(
    size: int = SIZE,
    cap: int = CAP,
    *,
    exact_sum: int | None = None,
    required: Cards = (),
    excluded: Cards = (),
    minimum: Mapping[int, int] | None = None,
    maximum: Mapping[int, int] | None = None,
) -> Decks:
    """All decks that :func:`count` counts with the same arguments, in ascending order of the masks.

    The 2.49 million decks of the default game take about 20 ms and 12.5 MB.

    >>> enumerate(exact_sum=97, required="Ks Kh Qs Qh Js Jh").to_frame()[["mask", "sum", "code"]]
           mask  sum           code
    0  66060799   97  2222r00000222
    1  66061055   97  2222b00000222
    """
    size, cap = _integer("size", size, 26), _integer("cap", cap, HEAVIEST)
    least, most = 0, cap
    if exact_sum is not None:
        least = _integer("exact_sum", exact_sum, HEAVIEST)
        most = min(least, cap)
    low, high = _halves(_allowed(required, excluded, minimum, maximum))

    # What a high half leaves open is a number of low cards and a range of sums. Few of these are
    # different, and low halves are ascending, so what is strung together is in order already.
    @cache
    def fitting(number: int, spent: int) -> tuple[NDArray[np.uint32], NDArray[np.uint8]]:
        within = (least - spent <= low.sums) & (low.sums <= most - spent)
        chosen = within & (low.counts == number)
        return low.masks[chosen], low.sums[chosen]

    pieces = [
        fitting(size - taken, spent)
        for taken, spent in zip(high.counts.tolist(), high.sums.tolist(), strict=True)
    ]
    lengths = np.array([len(sums) for _, sums in pieces], np.intp)
    # There may be no pieces, but there is always an array.
    masks = np.concatenate([low.masks[:0], *(masks for masks, _ in pieces)])
    sums = np.concatenate([low.sums[:0], *(sums for _, sums in pieces)])
    masks |= np.repeat(high.masks * np.uint32(_LOW_END), lengths)
    sums += np.repeat(high.sums, lengths)
    return Decks(masks, sums)


def completions(
    partial: Cards, size: int = SIZE, cap: int = CAP, **conditions: Unpack[Conditions]
) -> Decks:
    """All legal decks that hold the cards ``partial``; the rest is as in :func:`enumerate`.

    >>> completions("Ks Kh Qs Qh Js Jh")
    42 decks, sums 97 to 100
    """
    return enumerate(size, cap, **_with(partial, conditions))
