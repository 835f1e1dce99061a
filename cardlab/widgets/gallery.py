"""Decks of GPT as pictures of their cards, one deck under the other.

A gallery is an image in the page, so that it shows wherever a notebook is read, also where nothing
runs. It needs no library.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

from cardlab import locale
from cardlab.cards import Card
from cardlab.games.gpt_deck import Deck
from cardlab.widgets.faces import face, symbols
from cardlab.widgets.html import spoken

CARD, HIGH, GAP, CAPTION, LINE = 54, 76, 5, 30, 14

_STYLE = (
    "text{font-family:system-ui,'Hiragino Sans','Noto Sans CJK JP','Noto Sans',sans-serif}"
    ".card text{font-size:13px;font-weight:700;text-anchor:middle;fill:currentColor}"
    ".card svg{fill:currentColor}.card .cl-court{font-size:27px}"
    ".cl-frame{fill:currentColor;fill-opacity:.06;stroke:currentColor;stroke-opacity:.55}"
    ".caption{font-size:17px;fill:#22303c}.red{color:#c22229}.black{color:#22303c}"
)


class Gallery:
    """Pictures of decks with a caption each.

    Parameters
    ----------
    decks
        Decks or their codes, with their captions, such as their shares of a mixture; or the decks
        alone. Numbers are shown as per cent.
    lang
        The language of the words for those who cannot see the pictures.

    >>> Gallery({"2b2bbbbb0b022": 0.505})
    50.5%  A♠ A♥ 2♠ 3♠ 3♥ 4♠ 5♠ 6♠ 7♠ 8♠ 10♠ Q♠ Q♥ K♠ K♥
    """

    def __init__(self, decks: Mapping[Any, Any] | Iterable[Any], lang: str = "en") -> None:
        rows = decks.items() if isinstance(decks, Mapping) else ((deck, "") for deck in decks)
        self._lang = lang
        self._rows = [
            (deck if isinstance(deck, Deck) else Deck.parse(deck), _caption(caption))
            for deck, caption in rows
        ]

    def __repr__(self) -> str:
        return "\n".join(
            f"{caption}  {' '.join(map(str, deck.cards()))}".strip() for deck, caption in self._rows
        )

    def _repr_html_(self) -> str:
        words = escape(". ".join(self._spoken(*row) for row in self._rows))
        most = max((len(deck) for deck, _ in self._rows), default=1)
        width = most * (CARD + GAP) + GAP
        row = CAPTION + HIGH + LINE
        height = len(self._rows) * row
        inside = "".join(
            f'<g transform="translate(0 {place * row})">{_row(deck, caption)}</g>'
            for place, (deck, caption) in enumerate(self._rows)
        )
        page = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}"><style>{_STYLE}</style>{symbols()}{inside}</svg>'
        )
        data = base64.b64encode(page.encode()).decode()
        return (
            f'<img src="data:image/svg+xml;base64,{data}" width="{width}" alt="{words}"'
            ' style="max-width:100%"/>'
        )

    def _spoken(self, deck: Deck, caption: str) -> str:
        cards = locale.text("core.list", self._lang).join(
            spoken(card, self._lang) for card in deck.cards()
        )
        return f"{caption}: {cards}" if caption else cards


def _caption(caption: Any) -> str:
    return caption if isinstance(caption, str) else f"{float(caption):.1%}"


def _row(deck: Deck, caption: str) -> str:
    cards = "".join(
        _card(card, GAP + place * (CARD + GAP)) for place, card in enumerate(deck.cards())
    )
    return f'<text class="caption" x="{GAP}" y="{CAPTION - 9}">{escape(caption)}</text>{cards}'


def _card(card: Card, x: int) -> str:
    colour = "black" if card.is_black else "red"
    drawing = face(card).replace("<svg ", f'<svg width="{CARD}" height="{HIGH}" ', 1)
    return (
        f'<g class="card {colour}" transform="translate({x} {CAPTION})">'
        f'<rect width="{CARD}" height="{HIGH}" rx="5" fill="#fff" stroke="#aab4bc"/>{drawing}</g>'
    )
