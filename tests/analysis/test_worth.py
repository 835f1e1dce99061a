"""What single cards are worth, against plain counting over lists of decks."""

import numpy as np
import pandas as pd
import pytest

from cardlab.analysis import decks, exact, worth
from cardlab.games.gpt_deck import Deck

LEGAL = decks.enumerate(4, 18)
VALUES = exact.values("2r00b00000000", cap=18, n_shields=2)
MIXTURE = {Deck.parse("2r00b00000000"): 0.25, LEGAL[7]: 0.75}


def bits_of(deck):
    return [bit for bit in range(26) if deck.mask >> bit & 1]


def test_values_of_cards_are_those_of_the_decks_with_and_without_them():
    table = worth.cards(LEGAL, VALUES, MIXTURE)
    held = [bits_of(deck) for deck in LEGAL]
    for row in table.itertuples():
        bit = 2 * (row.rank - 1) + (row.colour == "black")
        inside = [v for v, bits in zip(VALUES, held, strict=True) if bit in bits]
        outside = [v for v, bits in zip(VALUES, held, strict=True) if bit not in bits]
        assert (row.best_with, row.best_without) == (max(inside), max(outside))
        assert row.margin == row.best_with - row.best_without
        assert row.mean_with == pytest.approx(np.mean(inside))
        assert row.mean_without == pytest.approx(np.mean(outside))
        chances = (chance for deck, chance in MIXTURE.items() if bit in bits_of(deck))
        assert row.share == pytest.approx(sum(chances))
    # A card of 13 leaves no room for three others under a cap of 18, but for one choice.
    assert table["rank"].max() == 13
    assert len(worth.cards(decks.enumerate(4, 10), np.zeros(decks.count(4, 10)), {})) < 26


def test_additive_numbers_are_the_least_squares():
    matrix = np.array([[bit in bits_of(deck) for bit in range(26)] for deck in LEGAL], float)
    numbers, explained = worth.additive(LEGAL, VALUES)
    wanted = np.linalg.lstsq(matrix, VALUES, rcond=None)[0]
    assert matrix @ numbers == pytest.approx(matrix @ wanted, abs=1e-9)
    left = VALUES - matrix @ wanted
    assert explained == pytest.approx(1 - left.var() / VALUES.var())
    assert 0 < explained < 1


def test_near_are_the_best_decks():
    found = worth.near(LEGAL, VALUES, 0.05)
    by_mask = dict(zip(LEGAL.masks.tolist(), VALUES, strict=True))
    values = [by_mask[mask] for mask in found.masks.tolist()]
    assert values == sorted(values, reverse=True)
    least = VALUES.max() - 0.05
    assert len(found) == sum(value >= least for value in VALUES)


def test_sums():
    table = worth.by_sum(LEGAL, VALUES).set_index("sum")
    for total, row in table.iterrows():
        mine = VALUES[LEGAL.sums == total]
        assert row["decks"] == len(mine)
        assert (row["best"], row["mean"]) == (mine.max(), pytest.approx(mine.mean()))
    assert table["decks"].sum() == len(LEGAL)


def test_holding_and_copies():
    holding = worth.holding(LEGAL)
    wanted = decks.membership(4, 18)
    pd.testing.assert_frame_equal(holding, wanted[["rank", "colour", "share"]])
    some = [LEGAL[place] for place in (3, 50, 200)]
    strategies = pd.DataFrame(
        {
            "n_shields": [2, 2, 3],
            "deck": [deck.code for deck in some],
            "share": [0.25, 0.75, 1.0],
        }
    )
    found = worth.copies(strategies, "n_shields").set_index(["n_shields", "rank"])["copies"]
    for rank in range(1, 14):
        first, second, third = ((deck.mask >> 2 * (rank - 1) & 3).bit_count() for deck in some)
        assert found[2, rank] == pytest.approx(0.25 * first + 0.75 * second)
        assert found[3, rank] == third
