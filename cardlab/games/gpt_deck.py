"""Decks of GPT: what a legal one is, its code, and exact counts of all of them.

Only number and colour of a card matter in GPT, so a deck of either suit pair is one number: bit
``2 * (rank - 1) + black`` stands for one card. Counting uses polynomials packed into Python
integers: the coefficient of ``x**s`` (32 bits each) is the number of card sets with sum ``s``, and
adding a card of rank ``r`` to all of them is a shift by ``32 * r`` bits.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from cardlab import cards
from cardlab.cards import ORDER, PACK, Card, Suit
from cardlab.errors import CardlabError, DeckError, NotationError

SUITS: tuple[tuple[Suit, Suit], ...] = (
    (Suit.HEARTS, Suit.SPADES),
    (Suit.DIAMONDS, Suit.CLUBS),
)
"""The red and the black suit of each seat (G3)."""

UNIVERSE: tuple[tuple[Card, ...], ...] = tuple(
    tuple(PACK[4 * rank + list(Suit).index(suit)] for rank in range(13) for suit in suits)
    for suits in SUITS
)
"""The 26 cards of each seat; a card's place is its bit in a deck's mask."""

SIZE = 15
CAP = 100
RANK_OF_BIT: tuple[int, ...] = tuple(bit // 2 + 1 for bit in range(26))

_CODE = "0rb2"


@dataclass(frozen=True, slots=True, order=True)
class Deck:
    """A set of cards of one seat, legal or not, as a bit mask.

    >>> deck = Deck.parse("2b2bbbbb0b022")
    >>> deck
    Deck.parse('2b2bbbbb0b022')
    >>> deck.size, deck.sum
    (15, 100)
    >>> print(*deck.cards(seat=0)[:4])
    A♠ A♥ 2♠ 3♠
    """

    mask: int

    @classmethod
    def parse(cls, code: str) -> Deck:
        """Read a deck code: for each rank from ace up ``0``, ``r`` (red), ``b`` or ``2`` (both).

        Raises :class:`NotationError` for anything else.
        """
        try:
            digits = [_CODE.index(letter) for letter in code.strip().lower()]
            if len(digits) != 13:
                raise ValueError
        except (AttributeError, TypeError, ValueError):
            raise NotationError("gpt.error.code", value=str(code)) from None
        return cls(sum(digit << 2 * rank for rank, digit in enumerate(digits)))

    @classmethod
    def of(cls, cards_: str | Iterable[Card | str]) -> Deck:
        """The deck with these cards, of whatever suits; colour and number count.

        Raises :class:`DeckError` when two of them are of one colour and number.
        """
        mask = 0
        for card in cards.parse(cards_):
            bit = 1 << bit_of(card)
            if mask & bit:
                raise DeckError("gpt.error.deck", faults=(_duplicate(card),))
            mask |= bit
        return cls(mask)

    @property
    def code(self) -> str:
        """Its 13-character code."""
        return "".join(_CODE[self.mask >> 2 * rank & 3] for rank in range(13))

    @property
    def size(self) -> int:
        """Number of cards."""
        return self.mask.bit_count()

    @property
    def sum(self) -> int:
        """Sum of the numbers."""
        return sum(RANK_OF_BIT[bit] for bit in range(26) if self.mask >> bit & 1)

    def cards(self, seat: int = 0) -> tuple[Card, ...]:
        """Its cards in the suits of ``seat``, from the lowest to the highest, black first."""
        return tuple(
            sorted((UNIVERSE[seat][bit] for bit in range(26) if self.mask >> bit & 1), key=ORDER)
        )

    def __str__(self) -> str:
        return self.code

    def __repr__(self) -> str:
        return f"Deck.parse({self.code!r})"

    def __contains__(self, card: Card) -> bool:
        return bool(self.mask >> bit_of(card) & 1)

    def __len__(self) -> int:
        return self.size


def bit_of(card: Card) -> int:
    """The bit of a card in a deck's mask.

    >>> bit_of(Card.parse("Ah")), bit_of(Card.parse("K♣"))
    (0, 25)
    """
    if card.suit is None:
        raise NotationError("gpt.error.no_joker", value=card.ascii)
    return 2 * (card.rank - 1) + card.is_black


def check_deck(
    cards_: Deck | str | Iterable[Card | str],
    size: int = SIZE,
    cap: int = CAP,
    seat: int | None = None,
) -> Deck:
    """The deck with these cards, if it is legal (G3, G4).

    Parameters
    ----------
    cards_
        Cards, a line of cards, a deck code, or a :class:`Deck`.
    size, cap
        How many cards a deck has, and what their numbers may sum to at the most.
    seat
        Whose suits the cards must have; ``None`` for any one red and any one black suit.

    Raises :class:`DeckError`, whose text names every fault: the count, by how much the sum is over,
    cards that occur twice, cards of wrong suits.

    >>> check_deck("Ks Kh Qs Qh 9s 8s 7s 6s 5s 4s 4h 3s 2s As Ah").sum
    100
    """
    if isinstance(cards_, str) and is_code(cards_):
        cards_ = Deck.parse(cards_)
    given = cards_.cards(seat or 0) if isinstance(cards_, Deck) else cards.parse(cards_)
    faults = list(_faults(given, size, cap, seat))
    if faults:
        raise DeckError("gpt.error.deck", faults=tuple(faults))
    return Deck(sum(1 << bit_of(card) for card in given))


def is_code(text: str) -> bool:
    """Whether the text is to be read as a deck code: one word, and longer than a card."""
    return len(text.strip()) > 3 and not set(text.strip()) & {" ", ","}


def _faults(
    given: tuple[Card, ...], size: int, cap: int, seat: int | None
) -> Iterable[CardlabError]:
    if len(given) != size:
        yield DeckError("gpt.error.size", "G4", n=len(given), size=size)
    total = sum(card.rank for card in given)
    if total > cap:
        yield DeckError("gpt.error.sum", "G4", total=total, cap=cap, over=total - cap)
    seen: set[Card] = set()
    for card in given:
        if card in seen:
            yield _duplicate(card)
        seen.add(card)
    yield from _wrong_suits(sorted(seen, key=ORDER), seat)


def _duplicate(card: Card) -> CardlabError:
    return DeckError("gpt.error.duplicate", "G4", card=card)


def _wrong_suits(given: list[Card], seat: int | None) -> Iterable[CardlabError]:
    if seat is not None:
        wrong = tuple(card for card in given if card.suit not in SUITS[seat])
        if wrong:
            red, black = SUITS[seat]
            yield DeckError(
                "gpt.error.suits", "G3", cards=wrong, red=red.symbol, black=black.symbol
            )
        return
    for is_black in (False, True):
        suits = {card.suit for card in given if card.is_black == is_black and card.suit is not None}
        if len(suits) > 1:
            symbols = "".join(suit.symbol for suit in Suit if suit in suits)
            key = "gpt.error.two_black" if is_black else "gpt.error.two_red"
            yield DeckError(key, "G3", suits=symbols)
    if any(card.suit is None for card in given):
        yield DeckError("gpt.error.joker", "G2")


# ----------------------------------------------------------------------------- counting and drawing

_BITS = 32  # C(26, 13) < 2**24: no coefficient can overflow into its neighbour

Choices = tuple[tuple[int, ...], ...]
"""For each rank the subsets of its two cards (0 none, 1 red, 2 black, 3 both) a deck may hold."""


def choices(
    required: Deck | None = None,
    excluded: Deck | None = None,
    minimum: Mapping[int, int] | None = None,
    maximum: Mapping[int, int] | None = None,
) -> Choices:
    """The subsets allowed at each rank under these conditions.

    Parameters
    ----------
    required, excluded
        Cards that every deck holds, and cards that none does.
    minimum, maximum
        Fewest and most cards of a rank, such as ``{13: 2}``.

    >>> choices(required=Deck.of("As"), maximum={13: 0})[0], choices(maximum={13: 0})[12]
    ((2, 3), (0,))
    """
    must = required.mask if required else 0
    never = excluded.mask if excluded else 0
    fewest, most = minimum or {}, maximum or {}
    return tuple(
        [
            _subsets(
                must >> 2 * rank & 3,
                never >> 2 * rank & 3,
                fewest.get(rank + 1, 0),
                most.get(rank + 1, 2),
            )
            for rank in range(13)
        ]
    )


@cache
def _subsets(must: int, never: int, fewest: int, most: int) -> tuple[int, ...]:
    """The subsets of one rank's two cards under the conditions on it."""
    return tuple(
        subset
        for subset in range(4)
        if must & ~subset == 0 and never & subset == 0 and fewest <= subset.bit_count() <= most
    )


ANY: Choices = choices()


def _coefficient(polynomial: int, total: int) -> int:
    """Number of sets with exactly this sum."""
    return polynomial >> _BITS * total & (1 << _BITS) - 1 if total >= 0 else 0


@lru_cache(maxsize=1 << 14)
def _up_to(polynomial: int, total: int) -> int:
    """Number of sets with at most this sum."""
    # The sum of base-B digits is the number modulo B - 1, as 9 tells of decimal digits.
    return (polynomial & (1 << _BITS * (total + 1)) - 1) % ((1 << _BITS) - 1) if total >= 0 else 0


@lru_cache(maxsize=256)
def _tables(allowed: Choices, size: int) -> list[list[int]]:
    """``tables[r][k]``: the polynomial of the sets of ``k`` cards of the ranks 1 to ``r``."""
    tables = [[1] + [0] * size]
    for rank, subsets in enumerate(allowed, start=1):
        row = [0] * (size + 1)
        for subset in subsets:
            taken = subset.bit_count()
            for k in range(taken, size + 1):
                row[k] += tables[-1][k - taken] << _BITS * rank * taken
        tables.append(row)
    return tables


def count_decks(
    size: int = SIZE, cap: int = CAP, exact_sum: int | None = None, allowed: Choices = ANY
) -> int:
    """Number of decks of ``size`` cards with sum at most ``cap`` (or exactly ``exact_sum``).

    >>> count_decks(), count_decks(exact_sum=100)
    (2492494, 277570)
    """
    polynomial = _tables(allowed, size)[13][size]
    if exact_sum is not None:
        return _coefficient(polynomial, exact_sum) if exact_sum <= cap else 0
    return _up_to(polynomial, cap)


def count_by_sum(size: int = SIZE, allowed: Choices = ANY) -> dict[int, int]:
    """Number of decks of ``size`` cards for each sum that occurs, from the lightest up.

    >>> list(count_by_sum())[0], list(count_by_sum())[-1]
    (64, 146)
    """
    polynomial = _tables(allowed, size)[13][size]
    counts = ((total, _coefficient(polynomial, total)) for total in range(183))
    return {total: count for total, count in counts if count}


def nth_deck(
    n: int, size: int = SIZE, cap: int = CAP, exact_sum: int | None = None, allowed: Choices = ANY
) -> Deck:
    """The ``n``-th of the decks that :func:`count_decks` counts, strongest king first.

    Decks are ordered by their code read from king to ace, with ``2`` before ``b`` before ``r``
    before ``0``. A uniform ``n`` gives a uniform deck.

    Raises :class:`IndexError` outside the range.

    >>> nth_deck(0).code
    '2222000b00222'
    """
    if not 0 <= n < count_decks(size, cap, exact_sum, allowed):
        raise IndexError(n)
    tables = _tables(allowed, size)
    mask = 0
    left = cap if exact_sum is None else exact_sum
    count = _up_to if exact_sum is None else _coefficient
    for rank in range(13, 0, -1):
        for subset in sorted(allowed[rank - 1], reverse=True):
            taken = subset.bit_count()
            if taken > size:
                continue
            ways = count(tables[rank - 1][size - taken], left - rank * taken)
            if n < ways:
                mask |= subset << 2 * (rank - 1)
                size -= taken
                left -= rank * taken
                break
            n -= ways
    return Deck(mask)


def draw_deck(rng: random.Random, size: int = SIZE, cap: int = CAP, allowed: Choices = ANY) -> Deck:
    """A uniformly random deck of those that :func:`count_decks` counts."""
    return nth_deck(rng.randrange(count_decks(size, cap, None, allowed)), size, cap, None, allowed)


def best_completion(partial: Deck, size: int = SIZE, cap: int = CAP) -> Deck | None:
    """The legal deck that holds ``partial`` and has the largest sum, strongest king first.

    ``None`` when no legal deck holds it.

    >>> best_completion(Deck.of("Ks Kh Qs Qh")).sum
    100
    """
    allowed = choices(required=partial)
    sums = [total for total in count_by_sum(size, allowed) if total <= cap]
    return nth_deck(0, size, cap, sums[-1], allowed) if sums else None


# ---------------------------------------------------------------------- decks that are half chosen


def lightest(size: int) -> int:
    """The smallest sum that ``size`` cards can have."""
    return sum(RANK_OF_BIT[:size])


def lightest_with(picked: Sequence[Card], others: Sequence[Card], size: int) -> int:
    """The smallest sum of ``size`` cards with these picked, ``others`` being sorted by rank."""
    return sum([card.rank for card in [*picked, *others[: size - len(picked)]]])


def draw_picks(rng: random.Random, picked: int, size: int = SIZE, cap: int = CAP) -> list[int]:
    """``picked`` bits in random order, uniform over all that can still become a legal deck."""
    tables = _pick_tables(picked, size)
    spare = size - picked
    left = cap
    n = rng.randrange(_up_to(tables[26][picked][spare], cap))
    bits: list[int] = []
    k, j = picked, spare
    for bit in range(25, -1, -1):
        row, rank = tables[bit], RANK_OF_BIT[bit]
        take = _up_to(row[k - 1][j], left - rank) if k else 0
        fill = _up_to(row[k][j - 1], left - rank) if j else 0
        if n < take:
            bits.append(bit)
            k, left = k - 1, left - rank
        elif n < take + fill:
            n -= take
            j, left = j - 1, left - rank
        else:
            n -= take + fill
    rng.shuffle(bits)
    return bits


@lru_cache(maxsize=64)
def _pick_tables(picked: int, size: int) -> list[list[list[int]]]:
    """``tables[b][k][j]``: ways to pick ``k`` of the first ``b`` bits, ``j`` others being the fill.

    A set of picks can become a legal deck when its lightest completion is legal, so the fill takes
    the first ``size - picked`` bits that are not picked, and only later ones are left out.
    """
    spare = size - picked
    table = [[0] * (spare + 1) for _ in range(picked + 1)]
    table[0][0] = 1
    tables = [table]
    for rank in RANK_OF_BIT:
        old, table = table, [[0] * (spare + 1) for _ in range(picked + 1)]
        shift = _BITS * rank
        for k in range(picked + 1):
            for j in range(spare + 1):
                ways = old[k][j] if j == spare else 0
                ways += old[k - 1][j] << shift if k else 0
                ways += old[k][j - 1] << shift if j else 0
                table[k][j] = ways
        tables.append(table)
    return tables
