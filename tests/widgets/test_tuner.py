"""The tuner: sliders move the figure, and what cannot be is said in the status line."""

import re

import pytest

from cardlab.analysis.draws import Deck, balance
from cardlab.errors import RulesError
from cardlab.widgets import Tuner


def shown(tuner):
    """The percentages and worths in the figure."""
    chances, worths = tuner.figure.data
    return [round(y, 6) for y in chances.y], [round(y, 6) for y in worths.y]


def wanted(deck, drawn):
    table = deck.table(drawn)
    return [round(100 * y, 6) for y in table["set"]], [round(y, 6) for y in table["worth"]]


def test_a_slider_moves_everything():
    tuner = Tuner()
    assert shown(tuner) == wanted(Deck((15, 15, 10, 10, 5, 5)), 10)
    tuner._copies[5].value = 12
    assert tuner.counts == (15, 15, 10, 10, 5, 12)
    assert shown(tuner) == wanted(Deck(tuner.counts), 10)
    tuner._drawn.value = 12
    tuner._least.value = 4
    tuner._others.value = 7
    assert shown(tuner) == wanted(Deck(tuner.counts, 7, 4), 12)
    assert "74 cards" in tuner.status.value
    assert tuner.deck.cards == 74


def test_balance_and_back_by_their_buttons():
    tuner = Tuner()
    even, back = tuner.children[0].children[1].children[3].children
    even.click()
    found = balance(6)
    assert tuner.counts == found.counts
    assert f"{float(found.spread):.2f}" in tuner.status.value
    assert shown(tuner) == wanted(Deck(found.counts), 10)
    back.click()
    assert tuner.counts == (15, 15, 10, 10, 5, 5)


def test_more_draws_than_cards_are_refused_in_words():
    tuner = Tuner((3, 3), drawn=5)
    before = shown(tuner)
    tuner._drawn.value = 7
    assert re.search("<b>.*drawn.*6", tuner.status.value)
    assert shown(tuner) == before
    tuner._drawn.value = 6
    assert shown(tuner) == wanted(Deck((3, 3)), 6)


def test_a_deck_without_sets():
    tuner = Tuner((2, 2), drawn=2)
    assert "no set" in tuner.summary


@pytest.mark.parametrize("lang", ["ja", "en"])
def test_the_picture_has_every_number(lang):
    tuner = Tuner(lang=lang)
    picture = tuner.picture()
    assert picture.count("<tr>") == 7
    assert "+1.89" in picture
    data, _ = tuner._repr_mimebundle_()
    assert data["text/html"] == picture
    assert data["text/plain"] == repr(tuner) == "<Tuner 15 15 10 10 5 5, 10 drawn>"


def test_what_cannot_be_is_refused():
    for wrong in ({"counts": (-1, 3)}, {"counts": ()}, {"drawn": 61}, {"least": 0}):
        with pytest.raises(RulesError):
            Tuner(**wrong)
    tuner = Tuner()
    with pytest.raises(RulesError):
        tuner.counts = (3, 3)
    assert tuner.counts == (15, 15, 10, 10, 5, 5)
