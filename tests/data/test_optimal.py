"""The published tables about optimal decks say what the exact values say.

To remake all of it takes twenty minutes (``python -m tools.optimal``). Here the small tables are
remade, the large one is compared with values that are computed afresh, and the variants are checked
in samples. The certificates themselves: ``tests/analysis/test_metagame_independent.py``.
"""

import random
from fractions import Fraction
from itertools import groupby

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from cardlab.analysis import decks, exact, worth
from cardlab.analysis.certificate import Table, highest_reply
from cardlab.analysis.exact import as_rules
from cardlab.analysis.metagame import Certificate, Strategy
from cardlab.games.gpt_deck import Deck
from tests.data.tables import DATA, rows
from tools import optimal


@pytest.fixture(scope="module")
def default():
    return Certificate.load(DATA / "gpt_optimal.json")


@pytest.fixture(scope="module")
def mixture(default):
    return {strategy.deck: weight for strategy, weight in default.mixture.items()}


@pytest.fixture(scope="module")
def values():
    return pd.read_parquet(DATA / "gpt_deck_values.parquet")


@pytest.fixture(scope="module")
def fresh(mixture):
    return exact.values(mixture)


# ------------------------------------------------------------------------------------ certificates


@pytest.mark.parametrize("name", optimal.CERTIFICATES)
def test_certificates_are_about_what_they_are_called(name):
    certificate = Certificate.load(DATA / f"{name}.json")
    variant = {**optimal.DEFAULT, **optimal.CERTIFICATES[name]}
    assert certificate.rules == rules_of(variant)
    assert certificate.maximum == 0


def rules_of(variant):
    return as_rules(
        15,
        int(variant["cap"]),
        n_shields=int(variant["n_shields"]),
        shield_mode=variant["shields"],
        double_knockout=variant["double_knockout"],
        counter_compare=variant["counter_compare"],
    )


# ---------------------------------------------------------------------------------- values of decks


def test_every_legal_deck_has_its_value(values, fresh):
    table = pq.read_schema(DATA / "gpt_deck_values.parquet")
    assert table.names == ["mask", "value"]
    assert np.array_equal(values["mask"], decks.enumerate().masks)
    assert np.abs(values["value"] - fresh).max() < 3e-8
    # Remade, the file is the same but for a last digit here and there, which rounding decides.
    same = values["value"] == fresh.astype(np.float32)
    assert same.mean() > 0.9999


def test_values_are_those_of_fractions(values, mixture):
    rng = random.Random(20)
    for place in rng.sample(range(len(values)), 40):
        deck = Deck(int(values["mask"][place]))
        value = sum(
            weight * exact.match(deck, other, exact=True).value for other, weight in mixture.items()
        )
        assert abs(values["value"][place] - value) < 3e-8


def test_the_best_decks_are_the_best(fresh, mixture):
    best, legal = rows("gpt_best_decks"), decks.enumerate()
    assert len(best) == len({row["code"] for row in best}) == optimal.BEST
    masks = [Deck.parse(row["code"]).mask for row in best]
    values = fresh[np.searchsorted(legal.masks, masks)]
    assert [row["value"] for row in best] == [*map(optimal.decimals, values.tolist())]
    highest = np.sort(np.partition(fresh, -optimal.BEST)[-optimal.BEST :])
    assert highest == pytest.approx(np.sort(values), abs=1e-12)
    order = [(-float(row["value"]), -mask) for row, mask in zip(best, masks, strict=True)]
    assert order == sorted(order)


def test_chances_of_the_best_decks_are_those_of_fractions(mixture):
    for row in random.Random(23).sample(rows("gpt_best_decks"), 30):
        games = [exact.match(row["code"], other, exact=True) for other in mixture]
        chances = [
            (game.value, game.win, game.loss, game.draw, *game.double_knockout, game.turns)
            for game in games
        ]
        wanted = [
            float(sum(x * weight for x, weight in zip(column, mixture.values(), strict=True)))
            for column in zip(*chances, strict=True)
        ]
        found = [float(row[name]) for name in [*row][2:]]
        assert found == pytest.approx(wanted, abs=1e-9)
        assert int(row["sum"]) == Deck.parse(row["code"]).sum


def test_the_values_of_cards_can_be_remade(fresh, mixture):
    cards = worth.cards(decks.enumerate(), fresh, mixture)
    assert [*map(stringed, optimal.rounded(cards))] == rows("gpt_card_values")


def stringed(row):
    return {key: str(value) for key, value in row.items()}


# --------------------------------------------------------------------------------------- variants


def variants():
    def key(row):
        return tuple(row[name] for name in optimal.DEFAULT)

    for variant, strategies in groupby(rows("gpt_equilibria"), key=key):
        yield dict(zip(optimal.DEFAULT, variant, strict=True)), list(strategies)


def mixture_of(strategies):
    return {
        Strategy(
            Deck.parse(row["deck"]),
            Deck.parse(row["shield_cards"]) if row["shield_cards"] else None,
        ): Fraction(row["weight"])
        for row in strategies
    }


def test_every_variant_is_there_once():
    wanted = [stringed(variant) for variant in optimal.variants()]
    assert [variant for variant, _ in variants()] == wanted
    assert [{name: row[name] for name in optimal.DEFAULT} for row in rows("gpt_what_if")] == wanted


def test_mixtures_are_legal_and_nobody_in_them_gains():
    """In fractions: all that a mixture plays wins exactly nothing against it."""
    what_ifs = rows("gpt_what_if")
    for (variant, strategies), what_if in zip(variants(), what_ifs, strict=True):
        mixture, rules = mixture_of(strategies), rules_of(variant)
        assert sum(mixture.values()) == 1
        assert len(mixture) == int(what_if["support"])
        for (strategy, weight), row in zip(mixture.items(), strategies, strict=True):
            strategy.check(rules)
            assert abs(weight - float(row["share"])) < 1e-9
            assert int(row["sum"]) == strategy.deck.sum
        number = decks.count(cap=int(variant["cap"]))
        assert int(what_if["strategies"]) == number * (
            3003 if variant["shields"] == "chosen" else 1
        )
        assert Fraction(what_if["maximum"]) <= Fraction(1, 10**12)
    some = random.Random(21).sample([*variants()], 12)
    for variant, strategies in some:
        mixture = mixture_of(strategies)
        table = Table(rules_of(variant), mixture)
        for row in table.payoffs:
            gain = sum(x * weight for x, weight in zip(row, mixture.values(), strict=True))
            assert abs(gain) <= Fraction(1, 10**12)


def test_no_legal_deck_gains_in_some_variants(mixture):
    rng = random.Random(22)
    what_ifs = rows("gpt_what_if")
    dealt = [
        (variant, strategies, row)
        for (variant, strategies), row in zip(variants(), what_ifs, strict=True)
        if variant["shields"] == "random" and int(variant["cap"]) <= 100
    ]
    for variant, strategies, row in rng.sample(dealt, 2):
        found = highest_reply(rules_of(variant), mixture_of(strategies))
        assert found.maximum == Fraction(row["maximum"])
        options = {
            "cap": int(variant["cap"]),
            "n_shields": int(variant["n_shields"]),
            "double_knockout": variant["double_knockout"],
            "counter_compare": variant["counter_compare"],
        }
        gain = exact.values(mixture, **options).max()
        assert abs(gain - float(row["against_default"])) < 1e-9


def test_a_killed_run_goes_on_where_it_was(tmp_path, monkeypatch):
    monkeypatch.setattr(optimal, "SOLVED", tmp_path)
    variant = {**optimal.DEFAULT, "cap": 65}
    first = optimal.solved(variant)
    monkeypatch.setattr(optimal.metagame, "solve", None)
    assert optimal.solved(variant) == first
    assert [path.suffix for path in tmp_path.iterdir()] == [".json"]
