"""Pictures of decks: the right cards, in words as well, and nothing that a viewer would strip."""

import base64
import re
from fractions import Fraction
from xml.etree import ElementTree

import pytest

from cardlab.errors import NotationError
from cardlab.games.gpt_deck import Deck
from cardlab.widgets import Gallery

CODES = ("2b2bbbbb0b022", "22bbbbb0bb022")
SVG = "{http://www.w3.org/2000/svg}"


def drawing(gallery):
    data = re.search(r'src="data:image/svg\+xml;base64,([^"]+)"', gallery._repr_html_())[1]
    return ElementTree.fromstring(base64.b64decode(data))


def test_every_card_is_drawn_once_in_its_colour():
    root = drawing(Gallery(dict.fromkeys(CODES, Fraction(1, 3))))
    cards = [each for each in root.iter(f"{SVG}g") if each.get("class", "").startswith("card")]
    wanted = [card for code in CODES for card in Deck.parse(code).cards()]
    assert len(cards) == len(wanted) == 30
    for group, card in zip(cards, wanted, strict=True):
        assert group.get("class") == ("card black" if card.is_black else "card red")
        assert next(group.iter(f"{SVG}text")).text == str(card)[:-1]
    captions = [each.text for each in root.iter(f"{SVG}text") if each.get("class") == "caption"]
    assert captions == ["33.3%", "33.3%"]


def test_words_stand_for_the_picture():
    gallery = Gallery([CODES[0]], lang="ja")
    assert repr(gallery).split() == [str(card) for card in Deck.parse(CODES[0]).cards()]
    html = gallery._repr_html_()
    assert "スペードのキング" in re.search('alt="([^"]*)"', html)[1]
    assert "<style" not in html
    assert "<script" not in html


def test_captions_are_text():
    html = Gallery({Deck.parse(CODES[0]): "<b>best</b>"})._repr_html_()
    assert "<b>" not in html
    assert "&lt;b&gt;best" in html


def test_what_is_no_deck_is_refused():
    with pytest.raises(NotationError):
        Gallery(["nonsense"])


def test_no_decks_at_all():
    assert repr(Gallery([])) == ""
    assert drawing(Gallery([])).tag == f"{SVG}svg"
