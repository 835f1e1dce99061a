"""Decks of GPT against brute force: what is legal, what can be picked, how many there are."""

import itertools
import random
from collections import Counter
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2

from cardlab import DeckError, IllegalActionError, NotationError, RulesError, load_game
from cardlab.games.gpt_deck import (
    CAP,
    SIZE,
    UNIVERSE,
    Deck,
    best_completion,
    bit_of,
    check_deck,
    choices,
    count_by_sum,
    count_decks,
    draw_deck,
    draw_picks,
    lightest,
    nth_deck,
)

BITS = range(26)
masks = st.integers(0, (1 << 26) - 1)


def rank(bit: int) -> int:
    return 1 + bit // 2


def total(bits: Any) -> int:
    return sum(map(rank, bits))


@cache
def every_set(size: int) -> list[tuple[int, ...]]:
    return list(itertools.combinations(BITS, size))


@cache
def legal_sets(size: int, cap: int) -> list[tuple[int, ...]]:
    return [bits for bits in every_set(size) if total(bits) <= cap]


def mask(bits: Any) -> int:
    return sum(1 << bit for bit in bits)


# -------------------------------------------------------------------------------------- deck codes


@given(masks)
def test_a_code_is_read_back(value: int) -> None:
    deck = Deck(value)
    assert Deck.parse(deck.code) == Deck.parse(f" {deck.code.upper()} ") == deck
    assert len(deck.code) == 13
    for seat in (0, 1):
        cards = deck.cards(seat)
        assert Deck.of(cards) == deck
        assert len(deck) == deck.size == len(cards) == len({*cards})
        assert deck.sum == sum(card.rank for card in cards)
        assert list(cards) == sorted(cards, key=lambda card: card.rank)
        for card in UNIVERSE[seat]:
            assert (card in deck) == (card in cards) == bool(value >> bit_of(card) & 1)


@given(st.text(max_size=15))
def test_only_codes_are_codes(text: str) -> None:
    if len(text.strip()) == 13 and set(text.strip().lower()) <= set("0rb2"):
        assert Deck.parse(text).code == text.strip().lower()
    else:
        with pytest.raises(NotationError):
            Deck.parse(text)


@pytest.mark.parametrize("value", [None, 5, ["2b2bbbbb0b022"], b"2b2bbbbb0b022"])
def test_a_code_is_text(value: Any) -> None:
    with pytest.raises(NotationError):
        Deck.parse(value)


# ------------------------------------------------------------------------------------ legal or not


@pytest.mark.rule("G4")
@given(masks, st.integers(0, 26), st.integers(0, 182), st.sampled_from([None, 0, 1]))
def test_a_deck_is_legal_or_every_fault_is_named(
    value: int, size: int, cap: int, seat: int | None
) -> None:
    deck = Deck(value)
    expected = set()
    if deck.size != size:
        expected.add("gpt.error.size")
    if deck.sum > cap:
        expected.add("gpt.error.sum")
    for form in (deck, deck.cards(seat or 0), [card.ascii for card in deck.cards(seat or 0)]):
        try:
            assert check_deck(form, size, cap, seat) == deck
            found = set()
        except DeckError as error:
            found = {fault.key for fault in error.faults}
        assert found == expected


@pytest.mark.rule("G4")
@pytest.mark.parametrize("code", ["2b2bbbbb0b022", " 2B2BBBBB0B022 "])
def test_a_deck_may_be_given_by_its_code(code: str) -> None:
    deck = Deck.parse(code)
    line = " ".join(card.ascii for card in deck.cards())
    for form in (code, deck, line, line.replace(" ", ","), line.split(), iter(deck.cards())):
        assert check_deck(form) == deck
    for form in (code, deck, line, line.replace(" ", ","), line.split()):
        assert load_game("gpt", decks=(form, code)).decks == (deck, deck)
    assert check_deck("Ks", size=1) == Deck.of("Ks")
    with pytest.raises(DeckError, match="26 cards instead of 15"):
        check_deck("2" * 13)


@pytest.mark.parametrize("value", [None, 5, 2.5, object])
def test_what_is_no_deck_at_all(value: Any) -> None:
    for read in (check_deck, Deck.of):
        with pytest.raises(NotationError) as caught:
            read(value)
        assert caught.value.text() == f"Cards are a line such as Ks 9h or a list, not {value!r}."
        assert repr(value) in caught.value.text("ja")


@given(masks)
def test_a_deck_prints_as_it_is_made(value: int) -> None:
    assert eval(repr(Deck(value)), {"Deck": Deck}) == Deck(value)  # noqa: S307


def test_all_faults_at_once() -> None:
    with pytest.raises(DeckError) as caught:
        check_deck("Ks Ks Kh Qh Kc Kd Qs Jo", cap=50, seat=0)
    assert caught.value.text() == (
        "This deck is not legal: it has 8 cards instead of 15 [G4], "
        "its sum is 89, 39 over the cap of 50 [G4], K♠ occurs twice [G4], "
        "K♦, K♣, Jo is not of your suits ♥ and ♠ [G3]"
    )
    assert caught.value.text("ja") == (
        "このデッキは使えません：15枚のところ8枚あります [G4]、"
        "合計が 89 で、上限 50 を 39 超えています [G4]、K♠ が重複しています [G4]、"
        "K♦、K♣、Jo はあなたのスート（♥と♠）ではありません [G3]"
    )
    assert [fault.rule for fault in caught.value.faults] == ["G4", "G4", "G4", "G3"]


# --------------------------------------------------------------------------------- counting, lists


@pytest.mark.parametrize("size", [0, 1, 2, 3, 4])
def test_counts_against_all_sets(size: int) -> None:
    sums = Counter(map(total, every_set(size)))
    assert count_by_sum(size) == dict(sorted(sums.items()))
    for cap in (-1, 0, *range(1, 60, 4)):
        assert count_decks(size, cap) == sum(n for value, n in sums.items() if value <= cap)
        assert count_decks(size, 182, exact_sum=cap) == sums[cap]
        assert count_decks(size, cap, exact_sum=cap + 1) == 0
    assert lightest(size) == min(sums)


@pytest.mark.parametrize(
    ("conditions", "holds"),
    [
        ({"required": Deck.of("As 7h")}, lambda bits: {1, 12} <= {*bits}),
        ({"excluded": Deck.of("As 7h")}, lambda bits: not {1, 12} & {*bits}),
        ({"minimum": {3: 1, 5: 2}}, lambda bits: {8, 9} <= {*bits} and {4, 5} & {*bits}),
        ({"maximum": {1: 0, 2: 1}}, lambda bits: not {0, 1} & {*bits} and not {2, 3} <= {*bits}),
        (
            {"required": Deck.of("As"), "excluded": Deck.of("Ah"), "maximum": {13: 0}},
            lambda bits: 1 in bits and 0 not in bits and not {24, 25} & {*bits},
        ),
        ({"minimum": {3: 2}, "maximum": {3: 1}}, lambda bits: False),
    ],
)
def test_counts_under_conditions(conditions: dict[str, Any], holds: Any) -> None:
    allowed = choices(**conditions)
    for size in (1, 2, 3, 4):
        for cap in (5, 15, 30, 52):
            under = [mask(bits) for bits in legal_sets(size, cap) if holds(bits)]
            assert count_decks(size, cap, allowed=allowed) == len(under)
            listed = [nth_deck(n, size, cap, None, allowed).mask for n in range(len(under))]
            assert sorted(listed) == sorted(under)


def test_decks_are_listed_in_order() -> None:
    codes = [nth_deck(n, 3, 20).code[::-1] for n in range(count_decks(3, 20))]
    keys = [["2br0".index(letter) for letter in code] for code in codes]
    assert keys == sorted(keys)
    for n in (-1, len(codes)):
        with pytest.raises(IndexError):
            nth_deck(n, 3, 20)


def test_the_known_numbers() -> None:
    """Counted by others and by other means."""
    assert count_decks() == 2_492_494
    assert count_decks(cap=182) == 7_726_160
    assert count_decks(exact_sum=100) == 277_570
    assert (min(count_by_sum()), max(count_by_sum())) == (64, 146)


@pytest.mark.parametrize("cap", [20, 30, 36])
def test_the_best_completion_against_all_sets(cap: int) -> None:
    rng = random.Random(cap)
    for _ in range(40):
        partial = rng.sample(BITS, rng.randint(0, 4))
        fitting = [bits for bits in legal_sets(4, cap) if {*partial} <= {*bits}]
        best = best_completion(Deck(mask(partial)), 4, cap)
        if not fitting:
            assert best is None
        else:
            assert best is not None
            assert best.sum == max(map(total, fitting))
            assert best.mask in map(mask, fitting)


def uniform(draws: Counter[Any], kinds: set[Any]) -> None:
    """All kinds were drawn, nothing else was, as evenly as all but one in 100 000 samples are."""
    assert set(draws) == kinds
    expected = draws.total() / len(kinds)
    assert expected >= 10
    statistic = sum((count - expected) ** 2 / expected for count in draws.values())
    assert statistic < chi2.isf(1e-5, len(kinds) - 1)


def test_drawn_decks_are_uniform() -> None:
    rng = random.Random(1)
    kinds = {*map(mask, legal_sets(4, 12))}
    uniform(Counter(draw_deck(rng, 4, 12).mask for _ in range(20 * len(kinds))), kinds)


@cache
def completable(size: int, cap: int) -> set[frozenset[int]]:
    """Every set of cards that some legal deck holds."""
    return {
        frozenset(part)
        for deck in legal_sets(size, cap)
        for picked in range(size + 1)
        for part in itertools.combinations(deck, picked)
    }


@pytest.mark.parametrize(("picked", "size", "cap"), [(1, 3, 9), (2, 3, 7), (2, 4, 10), (3, 3, 8)])
def test_drawn_picks_are_uniform_in_every_order(picked: int, size: int, cap: int) -> None:
    rng = random.Random(1)
    kinds = {
        order
        for part in completable(size, cap)
        if len(part) == picked
        for order in itertools.permutations(part)
    }
    draws = Counter(tuple(draw_picks(rng, picked, size, cap)) for _ in range(20 * len(kinds)))
    uniform(draws, kinds)


# ----------------------------------------------------------------------- picking inside of the game


def half_built(size: int, cap: int, picks: Any, **options: Any) -> Any:
    """The game while seat 0 has these cards and seat 1 as many of its lightest."""
    game = load_game("gpt", deck_size=size, deck_sum_max=cap, n_shields=1, hand_size=1, **options)
    decks = [[UNIVERSE[0][bit].ascii for bit in picks]]
    decks.append([card.ascii for card in UNIVERSE[1][: len(decks[0])]])
    return game.state_from_dict({"phase": "deck", "players": [{"deck": deck} for deck in decks]})


def offered(state: Any) -> set[int]:
    return {bit_of(action.arg) for action in state.legal_actions(0)}


@pytest.mark.rule("G4")
@pytest.mark.parametrize(
    ("size", "caps"),
    [(2, [2, 3, 4, 9, 20, 26]), (3, [4, 5, 6, 7, 10, 19, 38, 39]), (4, [6, 8, 31])],
)
def test_a_card_may_be_picked_if_and_only_if_a_legal_deck_remains(
    size: int, caps: list[int]
) -> None:
    for cap in caps:
        possible = completable(size, cap)
        partial = [part for part in possible if len(part) < size]
        for part in random.Random(cap).sample(sorted(partial, key=sorted), min(len(partial), 150)):
            state = half_built(size, cap, part)
            assert offered(state) == {
                bit for bit in BITS if bit not in part and part | {bit} in possible
            }
            assert offered(state)


@pytest.mark.rule("G4")
def test_picks_of_the_full_game_against_counts() -> None:
    rng = random.Random(5)
    for _ in range(40):
        state = load_game("gpt").new_initial_state(1)
        deck = 0
        for _ in range(rng.randrange(15)):
            # Heavy picks, so that the cap is felt.
            action = max(rng.choices(state.legal_actions(0), k=3), key=lambda each: each.arg.rank)
            state.apply(action, 0)
            state.apply(state.legal_actions(1)[0], 1)
            deck |= 1 << bit_of(action.arg)
        for bit in BITS:
            if not deck >> bit & 1:
                count = count_decks(SIZE, CAP, allowed=choices(required=Deck(deck | 1 << bit)))
                assert (bit in offered(state)) == bool(count)


@pytest.mark.rule("G4")
def test_a_refused_pick_says_how_heavy_a_card_may_be() -> None:
    refused = 0
    for size, cap in ((3, 7), (3, 12), (4, 9), (4, 20)):
        for part in completable(size, cap):
            if len(part) == size - 1 or (len(part) == 1 and 0 in part):
                state = half_built(size, cap, part)
                allowed = offered(state)
                unpicked = {*BITS} - part
                for bit in unpicked - allowed:
                    with pytest.raises(IllegalActionError) as caught:
                        state.apply(f"pick {UNIVERSE[0][bit].ascii}", 0)
                    assert caught.value.key == "gpt.error.pick_too_heavy"
                    heaviest = caught.value.params["heaviest"]
                    assert allowed == {bit for bit in unpicked if rank(bit) <= heaviest}
                    refused += 1
    assert refused > 1000


@pytest.mark.rule("G4")
def test_the_whole_pack_can_be_a_deck() -> None:
    state = load_game("gpt", deck_size=26, deck_sum_max=182).new_initial_state(1)
    rng = random.Random(1)
    while state.phase == "deck":
        state.apply(rng.choice(state.legal_actions()))
    assert [len(seat.stock) for seat in state.players] == [18, 18]


@pytest.mark.rule("G4")
def test_options_without_any_legal_deck_are_refused() -> None:
    assert load_game("gpt", deck_sum_max=64).rules.deck_sum_max == 64
    with pytest.raises(RulesError) as caught:
        load_game("gpt", deck_sum_max=63)
    assert caught.value.text() == ("No deck fits under the cap of 63: 15 cards sum to at least 64.")
    assert caught.value.text("ja") == (
        "上限 63 で作れるデッキはありません。15 枚の合計は少なくとも 64 です。"
    )
    with pytest.raises(RulesError) as caught:
        load_game("gpt", deck_size=7)
    assert caught.value.text() == ("A deck of 7 cards is too small: shields and first hand need 8.")
    assert caught.value.text("ja") == (
        "デッキが 7 枚では足りません。シールドと最初の手札に 8 枚必要です。"
    )
