"""Exact counts and full lists of decks, against brute force and published numbers."""

import math
import random
from collections import Counter
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cardlab.analysis import decks
from cardlab.analysis.decks import Deck, Decks
from cardlab.cards import Card
from cardlab.errors import CardlabError, DeckError, NotationError, RulesError
from cardlab.games.gpt_deck import UNIVERSE, choices, count_decks

RANKS = [bit // 2 + 1 for bit in range(26)]


def brute(bits, size, cap=182):
    """Every deck of these bits with its sum, the plain way: a dictionary of masks."""
    found = {}
    for chosen in combinations(bits, size):
        total = sum(RANKS[bit] for bit in chosen)
        if total <= cap:
            found[sum(1 << bit for bit in chosen)] = total
    return found


@pytest.fixture(scope="module")
def legal():
    return decks.enumerate()


# ------------------------------------------------------------------------------- published numbers


@pytest.mark.rule("G4")
def test_published_counts(legal):
    assert decks.count() == len(legal) == 2_492_494
    assert decks.count(exact_sum=100) == np.count_nonzero(legal.sums == 100) == 277_570
    assert decks.count(cap=182) == math.comb(26, 15) == 7_726_160


@pytest.mark.rule("G4")
def test_lightest_and_heaviest_deck():
    table = decks.histogram()
    assert (table["sum"].min(), table["sum"].max()) == (64, 146)
    assert decks.count(cap=63) == 0
    assert decks.count(cap=146) == decks.count(cap=182) > decks.count(cap=145)


def test_published_number_multisets(legal):
    for found, wanted in ((legal, 59_516), (decks.enumerate(cap=182), 171_106)):
        red, black = found.masks & 0x1555555, found.masks >> 1 & 0x1555555
        # One card of a rank becomes the red one, so that colours make no difference.
        assert np.unique((red | black) | (red & black) << 1).size == wanted
    one_of_each = ((0, 1, 3),) * 13
    assert count_decks(allowed=one_of_each) == 59_516
    assert count_decks(cap=182, allowed=one_of_each) == 171_106


# ------------------------------------------------------------------------------------- enumeration


def test_arrays_are_what_they_say(legal):
    assert legal.masks.dtype == np.uint32
    assert legal.sums.dtype == np.uint8
    assert (legal.masks[1:] > legal.masks[:-1]).all()
    assert (np.bitwise_count(legal.masks) == 15).all()
    weights = np.array(RANKS, np.uint32)
    again = sum((legal.masks >> np.uint32(bit) & np.uint32(1)) * weights[bit] for bit in range(26))
    assert (again == legal.sums).all()
    assert legal.sums.max() == 100


def test_every_size_and_cap_on_few_ranks():
    # Both halves of the ranks are there, and both ends.
    bits = [bit for bit in range(26) if RANKS[bit] in (1, 2, 6, 7, 13)]
    others = [UNIVERSE[0][bit] for bit in range(26) if bit not in bits]
    for size in range(27):
        everything = brute(bits, size)
        for cap in range(61):
            wanted = {mask: total for mask, total in everything.items() if total <= cap}
            found = decks.enumerate(size, cap, excluded=others)
            assert dict(zip(found.masks.tolist(), found.sums.tolist(), strict=True)) == wanted
            assert found.masks.tolist() == sorted(wanted)
            assert decks.count(size, cap, excluded=others) == len(wanted)
            exact = decks.enumerate(size, exact_sum=cap, excluded=others)
            assert exact.masks.tolist() == sorted(m for m, t in everything.items() if t == cap)
            assert decks.count(size, exact_sum=cap, excluded=others) == len(exact)


@pytest.mark.parametrize("size", [*range(6), *range(21, 27)])
def test_all_ranks_where_brute_force_is_quick(size):
    everything = brute(range(26), size)
    assert sorted(everything) == decks.enumerate(size, 182).masks.tolist()
    by_sum = Counter(everything.values())
    table = decks.histogram(size)
    assert dict(zip(table["sum"], table["decks"], strict=True)) == by_sum
    for cap in range(183):
        wanted = sum(number for total, number in by_sum.items() if total <= cap)
        assert decks.count(size, cap) == wanted


def test_every_size_has_as_many_decks_as_there_are_subsets():
    for size in range(27):
        assert decks.count(size, 182) == math.comb(26, size)


def test_counts_are_lengths_for_every_cap(legal):
    table = decks.histogram().set_index("sum")["cumulative"]
    every = np.bincount(decks.enumerate(cap=182).sums, minlength=183).cumsum()
    for cap in range(183):
        assert decks.count(cap=cap) == every[cap]
        assert every[cap] == table[table.index <= cap].max() if cap >= 64 else every[cap] == 0


FEW = [bit for bit in range(26) if RANKS[bit] in (1, 5, 6, 7, 8, 13)]
limits = st.dictionaries(st.integers(1, 13), st.integers(0, 2), max_size=3)


@settings(max_examples=150, deadline=None)
@given(
    size=st.integers(0, 6),
    cap=st.integers(0, 70),
    exact=st.none() | st.integers(0, 70),
    required=st.sets(st.sampled_from(FEW), max_size=2),
    excluded=st.sets(st.sampled_from(FEW), max_size=4),
    minimum=limits,
    maximum=limits,
)
def test_conditions_against_brute_force(size, cap, exact, required, excluded, minimum, maximum):
    excluded -= required
    minimum = {rank: min(number, maximum.get(rank, 2)) for rank, number in minimum.items()}
    wanted = {}
    for chosen in combinations(FEW, size):
        copies = Counter(RANKS[bit] for bit in chosen)
        total = sum(RANKS[bit] for bit in chosen)
        if (
            total <= cap
            and exact in (None, total)
            and required <= set(chosen)
            and not excluded & set(chosen)
            and all(copies[rank] >= number for rank, number in minimum.items())
            and all(copies[rank] <= number for rank, number in maximum.items())
        ):
            wanted[sum(1 << bit for bit in chosen)] = total
    arguments = {
        "exact_sum": exact,
        "required": [UNIVERSE[0][bit] for bit in required],
        "excluded": [UNIVERSE[0][bit] for bit in range(26) if bit in excluded or bit not in FEW],
        "minimum": minimum,
        "maximum": maximum,
    }
    found = decks.enumerate(size, cap, **arguments)
    assert found.masks.tolist() == sorted(wanted)
    assert found.sums.tolist() == [wanted[mask] for mask in sorted(wanted)]
    assert decks.count(size, cap, **arguments) == len(wanted)


def test_conditions_of_the_default_game_select_from_the_full_list(legal):
    kings, aces = legal.copies(13), legal.copies(1)
    found = decks.enumerate(required="Ks", excluded="2h 2s", minimum={1: 1}, maximum={13: 1})
    chosen = legal[legal.holds("Ks") & (legal.copies(2) == 0) & (aces >= 1) & (kings <= 1)]
    assert np.array_equal(found.masks, chosen.masks)
    assert len(found) == decks.count(
        required="Ks", excluded="2h 2s", minimum={1: 1}, maximum={13: 1}
    )


def test_cards_may_be_given_in_any_form():
    forms = ["Ks Ah", "K♠, A♥", ["Ks", "Ah"], (Card.parse("Kc"), "Ad"), Deck.of("Ks Ah")]
    assert {decks.count(required=form) for form in forms} == {decks.count(required="Ks Ah")}
    assert decks.count(required=Card.parse("Ks")) == decks.count(required="Ks")


def test_numpy_integers_will_do():
    assert decks.count(np.int64(15), np.uint8(100), exact_sum=np.int8(100)) == 277_570


def test_contradictory_but_meaningful_conditions_leave_nothing():
    for nothing in (
        {"excluded": "Ks Kh", "minimum": {13: 1}},
        {"exact_sum": 101},
        {"size": 3, "required": "As Ah 2s 2h"},
        {"cap": 63},
        {"maximum": dict.fromkeys(range(1, 14), 1)},
    ):
        assert decks.count(**nothing) == len(decks.enumerate(**nothing)) == 0
    assert repr(decks.enumerate(cap=63)) == "0 decks"
    assert decks.enumerate(cap=63).to_frame().shape == (0, 16)


# ---------------------------------------------------------------- order, drawing and completing


@pytest.mark.parametrize(
    "conditions",
    [
        {"size": 4, "cap": 20},
        {"size": 23, "cap": 155},
        {"size": 5, "exact_sum": 33, "maximum": {13: 0}, "minimum": {6: 1}},
        {"size": 7, "cap": 60, "required": "Ks Qh 2s", "excluded": "As Ah 8s"},
    ],
)
def test_unranking_is_a_bijection(conditions):
    found = decks.enumerate(**conditions)
    only = {key: value for key, value in conditions.items() if key in ("minimum", "maximum")}
    for key in ("required", "excluded"):
        if key in conditions:
            only[key] = Deck.of(conditions[key])
    place = {key: conditions.get(key, standard) for key, standard in (("size", 15), ("cap", 100))}
    place["exact_sum"] = conditions.get("exact_sum")
    ranked = [decks.nth_deck(n, **place, allowed=choices(**only)) for n in range(len(found))]
    assert len(found) > 50
    assert ranked == list(found)[::-1]
    with pytest.raises(IndexError):
        decks.nth_deck(len(found), **place, allowed=choices(**only))


def test_unranking_agrees_with_the_full_list(legal):
    rng = random.Random(1)
    for n in [0, 1, len(legal) - 1, *(rng.randrange(len(legal)) for _ in range(500))]:
        assert decks.nth_deck(n) == legal[len(legal) - 1 - n]


def test_a_drawn_deck_is_the_one_of_a_uniform_place(legal):
    for seed in range(50):
        drawn = decks.draw_deck(random.Random(seed))
        assert drawn == legal[-1 - random.Random(seed).randrange(len(legal))]


def test_completions_hold_the_chosen_cards(legal):
    for partial in ("Ks Kh Qs Qh", "As", Deck.of("Ks Qh Jd Tc 9h 9s 8s"), ()):
        found = decks.completions(partial, excluded="5s")
        chosen = legal[legal.holds(partial) & ~legal.holds("5s")]
        assert np.array_equal(found.masks, chosen.masks)
        assert decks.count_completions(partial, excluded="5s") == len(chosen)
    assert decks.count_completions("Ks Kh Qs Qh Js Jh Ts") == 0
    both = decks.count_completions("Ks", required="Kh")
    assert both == decks.count(required="Ks Kh") == np.count_nonzero(legal.copies(13) == 2)


def test_best_completion_has_the_best_sum():
    for partial in ("Ks Kh Qs Qh Js", "Ks Kh Qs Qh Js Jh", "As Ah 2s 2h 3s 3h 4s 4h 5s 5h 6s"):
        found = decks.completions(partial)
        assert decks.best_completion(Deck.of(partial)).sum == found.sums.max()


# ------------------------------------------------------------------------------------------- tables


def test_membership_is_what_counting_the_list_gives(legal):
    table = decks.membership()
    assert list(table.columns) == ["rank", "colour", "decks", "share"]
    for bit, row in zip(range(26), table.itertuples(), strict=True):
        card = UNIVERSE[0][bit]
        assert (row.rank, row.colour) == (card.rank, "black" if card.is_black else "red")
        assert row.decks == np.count_nonzero(legal.masks >> np.uint32(bit) & np.uint32(1))
    assert table["decks"].sum() == 15 * len(legal)
    assert table["share"].sum() == pytest.approx(15)


def test_membership_under_conditions():
    table = decks.membership(5, 30, required="As", excluded="Ah", maximum={2: 1})
    found = decks.enumerate(5, 30, required="As", excluded="Ah", maximum={2: 1})
    assert table["decks"].tolist() == [
        np.count_nonzero(found.masks >> np.uint32(bit) & np.uint32(1)) for bit in range(26)
    ]
    assert table["share"].tolist()[:2] == [0, 1]


def test_composition_is_what_counting_the_list_gives(legal):
    table = decks.composition()
    for rank, rows in table.groupby("rank"):
        assert rows["copies"].tolist() == [0, 1, 2]
        assert rows["decks"].tolist() == np.bincount(legal.copies(rank), minlength=3).tolist()
        assert rows["share"].sum() == pytest.approx(1)
    # The mean number of cards of all ranks together is the size of a deck.
    assert (table["copies"] * table["share"]).sum() == pytest.approx(15)


def test_kings_and_queens_are_what_counting_the_list_gives(legal):
    table = decks.kings_and_queens()
    pairs = Counter(zip(legal.copies(13).tolist(), legal.copies(12).tolist(), strict=True))
    assert {(row.kings, row.queens): row.decks for row in table.itertuples()} == pairs
    assert table["share"].sum() == pytest.approx(1)


def test_histogram_under_conditions():
    table = decks.histogram(6, required="Ks", maximum={1: 0})
    found = decks.enumerate(6, 182, required="Ks", maximum={1: 0})
    assert dict(zip(table["sum"], table["decks"], strict=True)) == Counter(found.sums.tolist())
    assert table["cumulative"].iloc[-1] == len(found)


def test_shares_of_no_deck_at_all_are_zero():
    for table in (
        decks.membership(cap=10),
        decks.composition(cap=10),
        decks.kings_and_queens(0, 0),
    ):
        assert not table["decks"].iloc[1:].any()
        assert table["share"].between(0, 1).all()


# -------------------------------------------------------------------------------------------- Decks


def test_frame_says_what_each_deck_says(legal):
    few = legal[:: len(legal) // 300]
    frame = few.to_frame()
    assert frame.dtypes.astype(str).to_dict() == {
        "mask": "uint32",
        "sum": "uint8",
        "code": "str",
        **dict.fromkeys("A23456789TJQK", "uint8"),
    }
    for deck, row in zip(few, frame.itertuples(index=False), strict=True):
        assert (row.mask, row.sum, row.code) == (deck.mask, deck.sum, deck.code)
        assert Deck.parse(row.code) == deck
        assert list(row[3:]) == [Counter(c.rank for c in deck.cards())[r] for r in range(1, 14)]


def test_the_whole_frame_takes_as_much_memory_as_promised(legal):
    frame = legal.to_frame()
    assert frame.memory_usage(index=False, deep=True).sum() / len(frame) == pytest.approx(39, abs=1)


def test_selecting(legal):
    assert isinstance(legal[0], Deck)
    assert legal[-1].mask == legal.masks[-1]
    assert list(legal[:3]) == [legal[0], legal[1], legal[2]]
    assert list(legal[np.array([5, 2])]) == [legal[5], legal[2]]
    strong = legal[(legal.sums == 100) & (legal.copies(13) == 2) & (legal.copies(12) == 2)]
    assert len(strong) == decks.count(exact_sum=100, required="Ks Kh Qs Qh")
    assert all(deck.sum == 100 and len(deck) == 15 for deck in strong[:50])
    assert repr(legal) == "2492494 decks, sums 64 to 100"
    assert repr(legal[:1]) == "1 deck, sums 64 to 64"


@given(st.lists(st.integers(0, 2**26 - 1), max_size=30))
def test_decks_from_any_masks(masks):
    made = Decks.from_masks(masks)
    assert list(made) == [Deck(mask) for mask in masks]
    assert made.sums.tolist() == [Deck(mask).sum for mask in masks]
    assert (made.masks.dtype, made.sums.dtype) == (np.uint32, np.uint8)


@pytest.mark.parametrize("masks", [[-1], [1 << 26], [1.5], [[1]], ["Ks"], [None], [True]])
def test_what_is_no_mask_is_refused(masks):
    with pytest.raises(NotationError, match="not a deck's mask"):
        Decks.from_masks(masks)


def test_parquet_round_trip(tmp_path, legal):
    for written in (legal[::1000], legal[:0]):
        written.to_parquet(tmp_path / "decks.parquet")
        read = Decks.from_parquet(tmp_path / "decks.parquet")
        assert np.array_equal(read.masks, written.masks)
        assert np.array_equal(read.sums, written.sums)
        assert (read.masks.dtype, read.sums.dtype) == (np.uint32, np.uint8)
    legal[:5].to_frame().to_parquet(tmp_path / "frame.parquet")
    assert list(Decks.from_parquet(tmp_path / "frame.parquet")) == list(legal[:5])


def test_a_file_without_decks_is_refused(tmp_path):
    text = tmp_path / "text.parquet"
    text.write_text("no Parquet at all")
    other = tmp_path / "other.parquet"
    pd.DataFrame({"code": ["2b"]}).to_parquet(other)
    wrong = tmp_path / "wrong.parquet"
    pd.DataFrame({"mask": [1, -4]}).to_parquet(wrong)
    for path in (text, other, wrong):
        with pytest.raises(NotationError, match="holds no decks") as caught:
            Decks.from_parquet(path)
        assert path.name in caught.value.text("ja")
    with pytest.raises(FileNotFoundError):
        Decks.from_parquet(tmp_path / "missing.parquet")


# ------------------------------------------------------------------------------------ bad arguments


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"size": 27}, RulesError, "size cannot be 27; .* 0 to 26"),
        ({"size": -1}, RulesError, "size cannot be -1"),
        ({"size": True}, RulesError, "size cannot be True"),
        ({"size": 15.0}, RulesError, "size cannot be 15.0"),
        ({"cap": -1}, RulesError, "cap cannot be -1; .* 0 to 182"),
        ({"cap": 183}, RulesError, "cap cannot be 183"),
        ({"cap": "100"}, RulesError, "cap cannot be '100'"),
        ({"cap": None}, RulesError, "cap cannot be None"),
        ({"exact_sum": 99.5}, RulesError, "exact_sum cannot be 99.5"),
        ({"exact_sum": -3}, RulesError, "exact_sum cannot be -3"),
        ({"required": "Ks", "excluded": "Ah Kc"}, RulesError, "at once: K♠"),
        ({"required": "Ks Kc"}, DeckError, "K♣ occurs twice"),
        ({"required": "Jo"}, NotationError, "Jo"),
        ({"excluded": "14s"}, NotationError, '"14s" is not a card'),
        ({"required": 5}, NotationError, "Cards are a line such as .* not 5"),
        ({"minimum": {14: 1}}, RulesError, "minimum: rank cannot be 14; .* 1 to 13"),
        ({"maximum": {0: 1}}, RulesError, "maximum: rank cannot be 0"),
        ({"maximum": {"K": 1}}, RulesError, "maximum: rank cannot be 'K'"),
        ({"maximum": {13: 3}}, RulesError, r"maximum\[13\] cannot be 3; .* 0 to 2"),
        ({"minimum": {13: -1}}, RulesError, r"minimum\[13\] cannot be -1"),
        ({"minimum": [13]}, RulesError, "minimum gives numbers of cards by rank"),
        ({"minimum": {13: 2}, "maximum": {13: 1}}, RulesError, "at least 2 and at most 1"),
    ],
)
def test_bad_arguments_get_one_clear_error(arguments, error, words):
    for function in (decks.count, decks.enumerate):
        with pytest.raises(error, match=words) as caught:
            function(**arguments)
        assert isinstance(caught.value, CardlabError)
        assert caught.value.text("ja") != caught.value.text("en")


def test_tables_check_their_arguments_too(legal):
    for function in (decks.membership, decks.composition, decks.kings_and_queens):
        with pytest.raises(RulesError, match="cap cannot be -1"):
            function(cap=-1)
        with pytest.raises(RulesError, match="at once"):
            function(required="Ks", excluded="Ks")
    with pytest.raises(RulesError, match="size cannot be 99"):
        decks.histogram(99)
    with pytest.raises(RulesError, match="at once"):
        decks.count_completions("Ks", excluded="Ks")
    with pytest.raises(RulesError, match="rank cannot be 0"):
        legal.copies(0)
