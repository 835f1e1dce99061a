"""Exact chances of sets: against every hand of small decks, and known figures."""

from collections import Counter
from fractions import Fraction
from itertools import combinations, product
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cardlab.analysis.draws import Deck, at_least, balance, hypergeometric
from cardlab.errors import RulesError

DRAFT = Deck((15, 15, 10, 10, 5, 5))
SUITS = Deck((12,) * 5)
FINAL = Deck((8, 8, 6, 6, 6, 5, 5, 5, 4), others=7)

small_decks = st.builds(
    Deck,
    st.lists(st.integers(0, 4), min_size=1, max_size=4).map(tuple),
    st.integers(0, 2),
    st.integers(2, 3),
)


def every_hand(deck, drawn):
    """The kinds of every hand, 0 for cards of no set."""
    cards = [kind for kind, n in enumerate((deck.others, *deck.counts)) for _ in range(n)]
    return [Counter(hand) for hand in combinations(cards, drawn)]


@given(small_decks, st.integers(0, 5))
@settings(deadline=None, max_examples=60)
def test_everything_is_what_counting_all_hands_gives(deck, drawn):
    drawn = min(drawn, deck.cards)
    hands = every_hand(deck, drawn)
    kinds = range(1, len(deck.counts) + 1)
    for kind in kinds:
        held = [hand[kind] for hand in hands]
        full = Fraction(sum(n >= deck.least for n in held), len(hands))
        assert deck.chance_of_set(kind, drawn) == full
        assert deck.mean(kind, drawn) == Fraction(sum(held), len(hands))
        points = sum(kind * n * (1 if n >= deck.least else -1) for n in held)
        assert deck.worth(kind, drawn) == Fraction(points, len(hands))
        seen = Counter(held)
        for n, chance in enumerate(deck.hits(kind, drawn)):
            assert chance == Fraction(seen[n], len(hands))
    some = sum(any(hand[kind] >= deck.least for kind in kinds) for hand in hands)
    assert deck.chance_of_any_set(drawn) == Fraction(some, len(hands))


@given(small_decks)
@settings(deadline=None, max_examples=30)
def test_draws_to_the_first_set(deck):
    """The mean is the sum, over all sizes of hands, of the chance that there is no set yet."""
    if max(deck.counts) < deck.least:
        with pytest.raises(RulesError, match="no set"):
            deck.draws_to_first_set()
        return
    without = [1 - deck.chance_of_any_set(n) for n in range(deck.cards + 1)]
    assert deck.draws_to_first_set() == sum(without)
    assert deck.largest_without_set == max(n for n, chance in enumerate(without) if chance)


def test_the_hypergeometric_distribution():
    for cards, good, drawn in product(range(7), repeat=3):
        if max(good, drawn) <= cards:
            chances = [hypergeometric(cards, good, drawn, n) for n in range(-1, drawn + 2)]
            assert sum(chances) == 1
            assert at_least(cards, good, drawn, 0) == 1
            mean = sum(n * chance for n, chance in enumerate(chances, start=-1))
            assert mean == (Fraction(good * drawn, cards) if cards else 0)
    assert hypergeometric(60, 12, 10, 3) == Fraction(comb(12, 3) * comb(48, 7), comb(60, 10))


# ------------------------------------------------------------------------------------ known figures


def rounded(values, digits=3):
    return [round(float(value), digits) for value in values]


def test_numbers_from_1_to_6_in_a_ratio_of_3_3_2_2_1_1():
    kinds = range(1, 7)
    sets = [0.481, 0.481, 0.211, 0.211, 0.029, 0.029]
    assert rounded(DRAFT.chance_of_set(kind, 10) for kind in kinds) == sets
    worth = [0.95, 1.89, -0.84, -1.12, -3.28, -3.94]
    assert rounded((DRAFT.worth(kind, 10) for kind in kinds), 2) == worth
    table = DRAFT.table(10)
    assert table["copies"].tolist() == [15, 15, 10, 10, 5, 5]
    assert table["set"].round(3).tolist() == sets


def test_five_suits_of_twelve():
    assert rounded(SUITS.chance_of_any_set(n) for n in (5, 7, 8, 10, 11)) == [
        *(0.25, 0.626, 0.801, 0.983, 1.0)
    ]
    assert SUITS.chance_of_any_set(11) == 1
    assert SUITS.largest_without_set == 10
    assert round(float(SUITS.draws_to_first_set()), 2) == 6.84
    assert SUITS.mean(1, 10) == 2
    assert round(float(SUITS.chance_of_set(1, 10)), 3) == 0.316


def test_the_final_deck():
    without = [1 - FINAL.chance_of_any_set(n) for n in range(6, 11)]
    assert rounded(without) == [0.898, 0.832, 0.749, 0.654, 0.549]
    assert FINAL.largest_without_set == 25
    assert rounded(FINAL.chance_of_set(kind, 12) for kind in (1, 3, 6, 9)) == [
        *(0.191, 0.088, 0.05, 0.023)
    ]
    assert rounded(FINAL.chance_in_play(9, removed) for removed in (24, 12, 0)) == [
        *(0.472, 0.825, 1.0)
    ]
    assert rounded(FINAL.chance_in_play(1, removed) for removed in (24, 12, 0)) == [
        *(0.962, 1.0, 1.0)
    ]


@pytest.mark.parametrize(
    ("deck", "known"),
    [
        (Deck((8, 8, 8, 6, 6, 6, 6, 4, 4, 4)), (0.537, 0.755, 10.23)),
        (Deck((7, 7, 7, 5, 5, 5, 5, 4, 4, 4), 7), (0.373, 0.569, 11.86)),
        (Deck((8, 6, 6, 6, 5, 5, 5, 4, 4, 4), 7), (0.373, 0.569, 11.87)),
        (FINAL, (0.451, 0.661, 11.03)),
    ],
)
def test_the_decks_of_the_later_drafts(deck, known):
    chances = (deck.chance_of_any_set(n) for n in (10, 12))
    assert (*rounded(chances), round(float(deck.draws_to_first_set()), 2)) == known
    assert deck.cards == 60


# -------------------------------------------------------------------------------------- balancing


def spread(numbers, counts, cards, drawn):
    deck = Deck(counts, others=cards - sum(counts))
    worths = [deck.worth(kind, drawn) for kind in range(1, numbers + 1)]
    return max(worths) - min(worths)


@pytest.mark.parametrize(("numbers", "cards", "drawn"), [(3, 12, 4), (3, 17, 6), (4, 16, 5)])
def test_no_counts_are_better_balanced(numbers, cards, drawn):
    found = balance(numbers, cards, drawn, fewest=2, most=8)
    every = [counts for counts in product(range(2, 9), repeat=numbers) if sum(counts) == cards]
    assert found.counts in every
    assert found.spread == min(spread(numbers, counts, cards, drawn) for counts in every)
    assert found.spread == spread(numbers, found.counts, cards, drawn)


def test_the_draft_can_be_balanced_much_better():
    found = balance(6)
    assert sum(found.counts) == 60
    draft = [DRAFT.worth(kind, 10) for kind in range(1, 7)]
    assert found.spread < Fraction(1, 2) < 5 < max(draft) - min(draft)


def test_cards_that_are_no_numbers_count():
    found = balance(9, cards=60, others=7)
    assert sum(found.counts) == 53


# -------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: Deck((3, -1)), "counts"),
        (lambda: Deck(()), r"counts cannot be \(\); it is 1 to 100 whole numbers from 0 to 200"),
        (lambda: Deck(5), "counts cannot be 5"),
        (lambda: Deck((3, "x")), "counts"),
        (lambda: Deck((3,), others=1.5), "others cannot be 1.5"),
        (lambda: Deck((8, 8), others=-1), "others cannot be -1"),
        (lambda: Deck((3,), least=0), "least"),
        (lambda: DRAFT.chance_of_set(0, 3), "kind"),
        (lambda: DRAFT.chance_of_set(7, 3), "kind"),
        (lambda: DRAFT.chance_of_set(1, 61), "drawn cannot be 61; it is .* from 0 to 60"),
        (lambda: DRAFT.worth(1, True), "drawn"),
        (lambda: Deck((2, 2)).draws_to_first_set(), "no set"),
        (lambda: hypergeometric(10, 3, 11, 2), "drawn cannot be 11; it is .* from 0 to 10"),
        (lambda: hypergeometric(10.0, 3, 5, 1), "cards cannot be 10.0"),
        (lambda: hypergeometric(10, 11, 5, 1), "good cannot be 11"),
        (lambda: hypergeometric(10, 3, 5, 1.0), "hits cannot be 1.0; it is a whole number"),
        (lambda: hypergeometric(-1, 0, 0, 0), "cards"),
        (lambda: at_least(10, 12, 5, 1), "good cannot be 12; it is .* from 0 to 10"),
        (lambda: at_least(10, 3, 5, "1"), "hits"),
        (lambda: DRAFT.chance_in_play(1, 10, "x"), "hits"),
        (lambda: balance(6, cards=10), "10 cards"),
        (lambda: balance(6, cards=60, drawn=70), "drawn cannot be 70"),
        (lambda: balance(6, cards=60, least=0), "least cannot be 0"),
        (lambda: balance(6, cards=60, others=61), "others cannot be 61"),
        (lambda: balance(6, fewest=5, most=4), "most cannot be 4; it is .* from 5"),
        (lambda: balance(6, fewest=-1), "fewest"),
        (lambda: balance(-1), "numbers cannot be -1"),
        (lambda: balance(6.0), "numbers cannot be 6.0"),
        (lambda: balance(6, cards="60"), "cards cannot be '60'"),
    ],
)
def test_what_cannot_be_is_refused(wrong, message):
    with pytest.raises(RulesError, match=message) as caught:
        wrong()
    assert caught.value.text("ja") != str(caught.value)
