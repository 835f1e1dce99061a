"""Optimal mixtures and their certificates, against games that can be listed in full."""

import json
import math
import random
import re
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cardlab.analysis import decks, exact, metagame
from cardlab.analysis.certificate import Table, highest_reply
from cardlab.analysis.exact import as_rules, match
from cardlab.analysis.field import Choices, Field
from cardlab.analysis.matrix_game import equalising, linear_program, optimal_mixtures, rounded
from cardlab.analysis.metagame import Certificate, CertificateError, Strategy, choose_shields, solve
from cardlab.analysis.sweep import Side, sweep
from cardlab.errors import RulesError
from cardlab.games.gpt_deck import Deck

READINGS = ("attacker_wins", "draw", "counter_player_wins")
DATA = Path(__file__).parents[2] / "data"


def options(reading="attacker_wins", compare="strict_number", **others):
    return {"double_knockout": reading, "counter_compare": compare, **others}


# ---------------------------------------------------------------------------------- matrix games


def test_games_with_known_solutions():
    rows, columns = optimal_mixtures([[3, -1], [-2, 1]])
    assert rows == [Fraction(3, 7), Fraction(4, 7)]
    assert columns == [Fraction(2, 7), Fraction(5, 7)]
    dominated = optimal_mixtures([[2, 3], [1, 1]])
    assert dominated == ([1, 0], [1, 0])
    assert optimal_mixtures([[0]]) == ([1], [1])


matrices = st.integers(1, 6).flatmap(
    lambda width: st.lists(
        st.lists(st.integers(-9, 9), min_size=width, max_size=width), min_size=1, max_size=6
    )
)


@settings(max_examples=60, deadline=None)
@given(matrices)
def test_neither_player_gains_by_leaving_an_optimal_mixture(payoffs):
    rows, columns = optimal_mixtures(payoffs)
    assert sum(rows) == sum(columns) == 1
    assert min(*rows, *columns) >= 0
    held = max(sum(p * y for p, y in zip(row, columns, strict=True)) for row in payoffs)
    sure = min(
        sum(p * x for p, x in zip(column, rows, strict=True))
        for column in zip(*payoffs, strict=True)
    )
    assert held - sure <= Fraction(1, 10**8)


def test_what_cannot_be_equalised():
    assert equalising([[1, 0], [0, 1]]) == [Fraction(1, 2)] * 2
    assert equalising([[1, 1], [1, 1]]) is None  # any chances do
    assert equalising([[1, 0], [2, 0]]) is None  # none do
    assert equalising([[1, 0], [3, 1]]) is None  # only with a negative chance


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_planted_chances_are_found_exactly_when_nothing_else_equalises(data):
    """The last row of payoffs makes all columns pay 1 under chances that are drawn first."""
    whole = data.draw(st.lists(st.integers(1, 9), min_size=2, max_size=6))
    chances = [Fraction(each, sum(whole)) for each in whole]
    columns = data.draw(st.integers(1, 7))
    row = st.lists(st.integers(-9, 9), min_size=columns, max_size=columns)
    payoffs = [data.draw(row) for _ in whole[1:]]
    paid = [
        sum(p * x for p, x in zip(column, chances, strict=False))
        for column in zip(*payoffs, strict=True)
    ]
    payoffs.append([(1 - each) / chances[-1] for each in paid])
    differences = np.array([[p - each[0] for p in each] for each in payoffs], float)
    unique = np.linalg.matrix_rank(np.c_[differences, np.ones(len(whole))]) == len(whole)
    assert equalising(payoffs) == (chances if unique else None)


def test_rounded_chances_sum_to_one():
    third = rounded([1 / 3, 1 / 3, 1 / 3])
    assert sum(third) == 1
    assert abs(float(third[0]) - 1 / 3) < 1e-14


# ------------------------------------------------------------------------------- fields of decks


@pytest.mark.parametrize("compare", ["strict_number", "ge", "number_then_colour"])
@pytest.mark.parametrize("chosen", [False, True])
def test_a_field_of_any_decks(compare, chosen):
    rng = random.Random(3)
    size, n = 8, 3
    machine = sweep(size, n, chosen, compare)
    weights = np.array(machine.weights / machine.denominator, float)
    picked = {tuple(rng.sample(range(26), size)) for _ in range(40)}
    sides = [side(bits, n, chosen) for bits in picked]
    play, shields = (np.array(column) for column in zip(*sides, strict=True))
    field = Field(machine, play, shields if chosen else None)
    b = side(rng.sample(range(26), size), n, chosen)
    values, bounds = field.bounded_values(b, weights)
    absolute = field.values(b, np.abs(weights))
    for place, a in enumerate(sides):
        parts = [part / machine.denominator for part in machine.parts(a, b).values()]
        assert np.abs(values[:, place] - parts).max() < 1e-13
    assert (absolute.max(axis=1) <= bounds * (1 + 1e-12)).all()
    assert (bounds <= 100 * absolute.max(axis=1) + 1e-12).all()


def side(bits, n_shields, chosen):
    deck = sum(1 << bit for bit in bits)
    if not chosen:
        return Side(deck, deck)
    shields = sum(1 << bit for bit in bits[:n_shields])
    return Side(deck - shields, shields)


def all_choices(size, cap, n_shields):
    """Every legal deck with every choice of shields."""
    for deck in decks.enumerate(size, cap):
        bits = [bit for bit in range(26) if deck.mask >> bit & 1]
        for chosen in combinations(bits, n_shields):
            yield Strategy(deck, Deck(sum(1 << bit for bit in chosen)))


@pytest.mark.parametrize(
    ("reading", "compare"),
    [("attacker_wins", "strict_number"), ("draw", "ge"), ("draw", "number_then_colour")],
)
def test_the_best_of_all_choices_of_deck_and_shields(reading, compare):
    rng = random.Random(compare)
    rules = as_rules(4, 12, n_shields=2, shield_mode="chosen", **options(reading, compare))
    table = Table(rules)
    every = list(all_choices(4, 12, 2))
    mixture = {
        one: Fraction(1, place) for place, one in zip((2, 3, 6), rng.sample(every, 3), strict=True)
    }
    values = {
        one: sum(chance * table.payoff(one, other) for other, chance in mixture.items())
        for one in every
    }
    found = highest_reply(rules, mixture)
    assert found.strategies == len(every)
    assert found.maximum == max(values.values())
    assert all(values[strategy] == found.maximum for strategy in found.best)
    # With a margin that leaves nothing out, all choices are there, but for colours of shields that
    # make no difference.
    sides = {strategy.side: float(chance) for strategy, chance in mixture.items()}
    machine = exact.sweep_for(rules)
    choices, weights = Choices(machine, 12), exact.value_weights(machine, rules)
    highest, bound, near = choices.best(sides, weights, margin=3.0)
    assert abs(highest - found.maximum) < 1e-13
    assert 1 <= bound < 1000
    by_side = {strategy.side: value for strategy, value in values.items()}
    # A smaller margin leaves out what is worth less, and nothing else.
    for margin in (0.0123, 0.1234, 0.4567):
        _, _, some = choices.best(sides, weights, margin=margin)
        assert some.keys() == {one for one, value in near.items() if value >= highest - margin}
        assert len(some) < len(near)
    assert all(abs(by_side[one] - value) < 1e-13 for one, value in near.items())
    if compare == "number_then_colour":
        assert len(near) == len(every)
    else:
        assert {form(one) for one in near} == {form(one) for one in by_side}
        assert len({form(one) for one in near}) == len(near)


def form(one):
    """A choice but for the colour of shields."""
    numbers = tuple((one.shields >> 2 * rank & 3).bit_count() for rank in range(13))
    return one.play, numbers


@pytest.mark.rule("G14")
@pytest.mark.parametrize("reading", READINGS)
def test_a_higher_shield_is_never_worse(reading):
    """With chosen shields; with dealt ones it can be, because it is also played."""
    rng = random.Random(reading)
    rules = as_rules(7, n_shields=3, shield_mode="chosen", **options(reading))
    table = Table(rules)
    for _ in range(60):
        first, other = (side(rng.sample(range(26), 7), 3, True) for _ in range(2))
        free = [bit for bit in range(26) if not (first.play | first.shields) >> bit & 1]
        low = rng.choice([bit for bit in range(26) if first.shields >> bit & 1])
        higher = [bit for bit in free if bit // 2 > low // 2]
        if higher:
            shields = first.shields & ~(1 << low) | 1 << rng.choice(higher)
            better = Side(first.play, shields)
            assert value(table, better, other) >= value(table, first, other)


def value(table, a, b):
    pair = [Strategy(Deck(one.play | one.shields), Deck(one.shields)) for one in (a, b)]
    return table.payoff(*pair)


# ------------------------------------------------------------------------------ optimal mixtures


@pytest.mark.parametrize("reading", READINGS)
@pytest.mark.parametrize("shields", ["random", "chosen"])
def test_small_games_in_full(reading, shields):
    """Every payoff of the whole game, listed one by one, and the linear program on top."""
    size, cap, n = 3, 7, 1
    found = solve(size, cap, n, shields=shields, double_knockout=reading)
    if shields == "random":
        every = [Strategy(deck) for deck in decks.enumerate(size, cap)]
    else:
        every = list(all_choices(size, cap, n))
    assert found.certificate.strategies == len(every)
    replies = [
        sum(
            chance * pays(one, other, n, reading)
            for other, chance in found.certificate.mixture.items()
        )
        for one in every
    ]
    assert max(replies) == found.exploitability == 0
    rules = found.certificate.rules
    payoffs = np.array(Table(rules, every).payoffs, float)
    x, y = linear_program(payoffs)
    assert abs(x @ payoffs @ y) < 1e-9
    assert (x @ payoffs).min() > -1e-9


def pays(one, other, n_shields, reading):
    shields = "random" if one.shields is None else (one.shields, other.shields)
    return match(
        one.deck,
        other.deck,
        shields=shields,
        n_shields=n_shields,
        double_knockout=reading,
        exact=True,
    ).value


@pytest.fixture(scope="module")
def equilibrium():
    return solve()


def test_the_default_game(equilibrium):
    """Five decks; the certificate proves that no other mixture is optimal."""
    assert [strategy.deck.code for strategy in equilibrium.support] == [
        *("2b2bbbbb0b022", "22bbbbb0bb022", "222b00bbbb022", "22bbbb020b022", "22b20b0bbb022")
    ]
    assert sum(equilibrium.weights) == 1
    assert equilibrium.exploitability == equilibrium.value == 0
    assert equilibrium.certificate.strategies == 2_492_494
    frame = equilibrium.to_frame()
    assert frame["weight"].round(4).tolist() == [0.5053, 0.2599, 0.1497, 0.0575, 0.0275]
    assert set(frame["sum"]) == {100}
    rounds = equilibrium.rounds
    assert rounds["gain"].iloc[-1] == 0
    assert (rounds["gain"].iloc[:-1] > 0).all()
    assert rounds["strategies"].is_monotonic_increasing


def test_the_default_certificate(equilibrium, tmp_path):
    path = tmp_path / "certificate.json"
    equilibrium.certificate.save(path)
    loaded = Certificate.load(path)
    assert loaded == equilibrium.certificate
    found = loaded.verify()
    assert found.maximum == 0
    assert found.unique
    assert set(found.best) == set(loaded.support)
    assert -0.001 < found.runner_up < 0
    assert found.error < 2e-11  # as docs/exact.md says
    # The values in floating point say the same.
    values = exact.values(equilibrium.decks)
    inside = np.isin(decks.enumerate().masks, [deck.mask for deck in equilibrium.decks])
    assert np.abs(values[inside]).max() < found.error
    assert abs(values[~inside].max() - found.runner_up) < found.error


@pytest.mark.slow
@pytest.mark.rule("G6")
def test_the_default_game_with_chosen_shields():
    """All of more than seven billion strategies; the same mixture serves under every reading.

    That of the default reading is checked beside this (``test_metagame_independent.py``), and
    ``make bench`` finds it from nothing.
    """
    published = Certificate.load(DATA / "gpt_optimal_chosen.json")
    assert published.strategies == decks.count() * math.comb(15, 5) == 7_484_959_482
    assert {str(strategy.shields) for strategy in published.support} == {"22r0000000000"}
    draw = replace(published, rules=replace(published.rules, double_knockout="draw"))
    assert draw.verify().maximum == 0


def test_progress_is_told_round_by_round():
    told = []
    found = solve(3, 12, 1, progress=told.append)
    assert told == found.rounds.to_dict("records")
    assert "exploitability 0" in repr(found)


@pytest.mark.parametrize(
    "arguments",
    [
        {"size": 6, "cap": 182, "n_shields": 2},
        {"size": 6, "cap": 21, "n_shields": 5},
        {"size": 2, "cap": 26, "n_shields": 1, "counter_compare": "ge"},
        {"size": 26, "cap": 182, "n_shields": 5},
        {"size": 5, "cap": 25, "n_shields": 2, "shields": "chosen", "double_knockout": "draw"},
        {"size": 2, "cap": 5, "n_shields": 1, "shields": "chosen", "counter_compare": "ge"},
        # Here the lowest cards are not the best shields, so that all strategies must be searched.
        {"size": 4, "cap": 14, "n_shields": 1, "shields": "chosen", **options(READINGS[2])},
    ],
)
def test_other_sizes_and_caps(arguments):
    found = solve(**arguments)
    assert found.exploitability <= metagame.ACCURACY
    assert found.certificate.verify().maximum == found.exploitability


# --------------------------------------------------------------------------- shields of two decks


@pytest.mark.rule("G6")
@pytest.mark.parametrize("reading", READINGS)
def test_choosing_shields_in_full(reading):
    rng = random.Random(reading)
    for _ in range(12):
        size = rng.choice([3, 4, 5])
        n = rng.randint(1, size - 1)
        a, b = (Deck(sum(1 << bit for bit in rng.sample(range(26), size))) for _ in range(2))
        choice = choose_shields(a, b, n_shields=n, double_knockout=reading)
        rows, columns = (
            [Strategy(deck, Deck(sum(1 << bit for bit in down))) for down in combinations(bits, n)]
            for deck, bits in ((a, bits_of(a)), (b, bits_of(b)))
        )
        expected = choice.match(exact=True).value
        against_second = [
            sum(chance * pays(row, other, n, reading) for other, chance in choice.second.items())
            for row in rows
        ]
        against_first = [
            sum(chance * pays(one, column, n, reading) for one, chance in choice.first.items())
            for column in columns
        ]
        assert max(against_second) == expected == min(against_first)
        assert choice.gap < 1e-12
        chosen = match(a, b, shields="chosen", n_shields=n, double_knockout=reading)
        assert chosen == choice.match()


def bits_of(deck):
    return [bit for bit in range(26) if deck.mask >> bit & 1]


def test_full_decks_put_down_their_lowest_cards():
    choice = choose_shields("2b2bbbbb0b022", "22bbbbb0bb022")
    assert [str(one.shields) for one in choice.first] == ["2b20000000000"]
    assert [str(one.shields) for one in choice.second] == ["22b0000000000"]


# ----------------------------------------------------------------------------- false certificates


@pytest.fixture(scope="module")
def small():
    return solve(4, 20, 2).certificate


@pytest.fixture(scope="module")
def small_chosen():
    return solve(4, 20, 2, shields="chosen").certificate


def test_certificates_of_chosen_shields(small_chosen):
    data = json.loads(json.dumps(small_chosen.to_dict()))
    assert Certificate.from_dict(data) == small_chosen
    assert "shields" in small_chosen.to_frame()
    assert small_chosen.verify().maximum == 0


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda c: {"maximum": Fraction(1, 10)}, "0.1"),
        (lambda c: {"strategies": c.strategies + 1}, "legal strategies"),
        (lambda c: {"weights": (c.weights[0] + 1, *c.weights[1:])}, "sum to 1"),
        (lambda c: {"weights": c.weights[:-1]}, "mixture"),
        (lambda c: {"support": (*c.support[:-1], c.support[0])}, "mixture"),
        (lambda c: {"support": c.support[::-1]}, "payoffs"),
        (lambda c: {"payoffs": c.payoffs[::-1]}, "payoffs"),
        (lambda c: {"support": (Strategy(Deck(15 << 20)), *c.support[1:])}, "over the cap"),
        (lambda c: {"support": (Strategy(Deck(1)), *c.support[1:])}, "instead of 4"),
        (
            lambda c: {"support": (Strategy(c.support[0].deck, Deck(1)), *c.support[1:])},
            "0 shields",
        ),
        (lambda c: {"weights": swapped(c.weights)}, "0.0"),
        (lambda c: {"rules": replace(c.rules, deck_sum_max=21)}, "legal strategies"),
    ],
)
def test_false_claims_are_found(small, change, words):
    false = replace(small, **change(small))
    with pytest.raises(CertificateError) as caught:
        false.verify()
    assert words in str(caught.value)
    assert caught.value.text("ja") != str(caught.value)


def swapped(weights):
    return (weights[1], weights[0], *weights[2:])


def test_false_shields_are_found(small_chosen):
    first = small_chosen.support[0]
    for shields in (None, Deck(1 << 25 | 1 << 24), Deck(first.deck.mask)):
        false = replace(
            small_chosen, support=(Strategy(first.deck, shields), *small_chosen.support[1:])
        )
        with pytest.raises(CertificateError):
            false.verify()


@pytest.mark.parametrize(
    "change",
    [
        {"format": "other"},
        {"version": 2},
        {"rules": {"deck_size": 99}},
        {"rules": {"unknown": 1}},
        {"support": [{"deck": "xyz", "weight": "1"}]},
        {"support": [{"weight": "1"}]},
        {"support": None},
        {"maximum": "1/0"},
        {"payoffs": [["x"]]},
        {"strategies": "many"},
        {"strategies": -1},
        {"maximum": "9" * 5000},
        {"maximum": 0},
        {"claim": {}},
        {"version": True},
    ],
)
def test_files_that_are_no_certificates(small, change, tmp_path):
    with pytest.raises(CertificateError):
        Certificate.from_dict({**small.to_dict(), **change})
    path = tmp_path / "file.json"
    path.write_text(json.dumps({**small.to_dict(), **change})[:-20], encoding="utf-8")
    with pytest.raises(CertificateError):
        Certificate.load(path)
    with pytest.raises(FileNotFoundError):
        Certificate.load(tmp_path / "missing.json")
    with pytest.raises(CertificateError):
        Certificate.from_dict([])


OTHER_RULES = {
    "deck_size": [3, 5],
    "deck_sum_max": [13, 15, 17],
    "n_shields": [1, 2, 3],
    "shield_mode": ["random", "chosen"],
    "counter_compare": ["ge"],
    "double_knockout": ["draw", "counter_player_wins"],
}
"""Rules that can be, though the certificate is not about them."""


def mutations(value, where=()):
    """Every change of one leaf, one name or one place of a document, and where it is made."""
    yield from ((where, other) for other in (None, [], {}, "0 ", True, 10**30, float("nan")))
    if isinstance(value, dict):
        yield where, {**value, "foo": 1}
        for name, inner in value.items():
            yield where, {key: each for key, each in value.items() if key != name}
            yield from mutations(inner, (*where, name))
            yield from (((*where, name), other) for other in OTHER_RULES.get(name, ()))
    elif isinstance(value, list):
        yield where, [*value, *value[:1]]
        yield where, value[:-1]
        for place, inner in enumerate(value):
            yield from mutations(inner, (*where, place))
    elif isinstance(value, str):
        yield from ((where, other) for other in (f"{value} ", value[:-1], value.upper(), "1/7"))
        yield where, f"{Fraction(value) + Fraction(1, 10**4)}" if is_number(value) else "other"
        if is_number(value):
            fraction = Fraction(value)
            yield where, f"{2 * fraction.numerator}/{2 * fraction.denominator}"
            yield where, float(fraction)
    else:
        yield from ((where, other) for other in (value + 1, value * 0.9, -value, str(value)))


def is_number(text):
    return text.lstrip("-").replace("/", "").isdecimal() and len(text) != 13


def changed(value, where, other):
    """A document with something else in one place."""
    if not where:
        return other
    copy = value.copy()
    copy[where[0]] = changed(value[where[0]], where[1:], other)
    return copy


def refused(data):
    """Why a certificate is refused, if it is."""
    try:
        Certificate.from_dict(data).verify()
    except CertificateError as error:
        return error
    return None


@pytest.mark.parametrize(
    ("rules", "shields", "true"),
    # In the second game all readings of a counter come to the same, so it is true of them all.
    [((4, 16, 2), "random", None), ((4, 14, 1), "chosen", ("rules", "counter_compare"))],
)
def test_no_entry_of_a_certificate_can_be_changed(rules, shields, true):
    """Whatever is changed in the file, in whatever place, it is refused in words."""
    data = solve(*rules, shields=shields).certificate.to_dict()
    Certificate.from_dict(json.loads(json.dumps(data))).verify()
    number = 0
    for where, other in mutations(data):
        false = changed(data, where, other)
        if repr(false) == repr(data) or (where == true and other in OTHER_RULES[true[-1]]):
            continue
        number += 1
        refusal = refused(false)
        assert refusal is not None, f"accepted: {where} = {other}"
        for text in (str(refusal), refusal.text("ja")):
            assert not re.search(r"Error|__|argument|codec|\n|object at", text), text
    assert number > 400


@pytest.mark.parametrize(
    ("damage", "english", "japanese"),
    [
        (lambda text: text[:-9], r"breaks off in line \d+, column", "文字目から先をJSON"),
        (lambda text: b"\xff" + text, r"from byte 1 on it is no text", "1 バイト目"),
        (lambda text: b"[" * 100_000, "is no certificate", "証明書ではありません"),
        (lambda text: b"9" * 5000, "is no certificate", "証明書ではありません"),
        (
            lambda text: text.replace(b'"maximum"', b'"maximum": "1/2", "maximum"'),
            'two entries "maximum"',
            '"maximum" が2つ',
        ),
        (
            lambda text: text.replace(b'"rules"', b'"r"'),
            'no entry "rules"',
            '"rules" がありません',
        ),
        (
            lambda text: text.replace(b'"rules": {', b'"rules": {"foo": 1,'),
            r'entry "rules.foo" that belongs to none; there can be: deck_size, ',
            r'余分な項目 "rules.foo" があります',
        ),
        (lambda text: text.replace(b'"share": 0', b'"share": 1'), r"support\[0\].share", "のはず"),
    ],
)
def test_damaged_files_are_refused_in_words(small, damage, english, japanese, tmp_path):
    path = tmp_path / "file.json"
    small.save(path)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(CertificateError, match=english) as caught:
        Certificate.load(path)
    assert re.search(japanese, caught.value.text("ja"))


def test_refusals():
    with pytest.raises(RulesError, match="chosen"):
        solve(shields="dealt")
    with pytest.raises(RulesError):
        solve(cap=50)
    with pytest.raises(RulesError):
        solve(size=5)
    with pytest.raises(RulesError):
        choose_shields("Ks Qs", "Ks Qs", n_shields=2)
