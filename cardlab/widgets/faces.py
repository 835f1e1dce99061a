"""The faces of cards as SVG drawings of 60 by 84 units.

Suits and the heads of king, queen and jack are drawn once a page (:func:`symbols`, our own
drawings, so that no font has to have them); a face refers to them.

A game with cards of its own draws in ``layouts/<game>.svg`` a symbol for those with numbers, which
has the name of the module that they come from, and one for each other card, of its name.
"""

from __future__ import annotations

from functools import cache
from html import escape
from importlib import resources

from cardlab import locale
from cardlab.cards import JOKER, Card


@cache
def symbols(*sheets: str) -> str:
    """The drawings that a table refers to, once on each, with those of ``layouts/<sheet>.svg``."""
    room = resources.files(__package__)
    files = [room / "symbols.svg", *(room / "layouts" / f"{sheet}.svg" for sheet in sheets)]
    texts = [file.read_text(encoding="utf-8") for file in files if file.is_file()]
    return "".join(texts).replace("\n", "")


def _columns(*rows: float) -> list[tuple[float, float]]:
    return [(x, y) for y in rows for x in (20.5, 39.5)]


_PIPS: dict[int, list[tuple[float, float]]] = {
    2: [(30, 17), (30, 67)],
    3: [(30, 17), (30, 42), (30, 67)],
    4: _columns(17, 67),
    5: [*_columns(17, 67), (30, 42)],
    6: _columns(17, 42, 67),
    7: [*_columns(17, 42, 67), (30, 29.5)],
    8: [*_columns(17, 42, 67), (30, 29.5), (30, 54.5)],
    9: [*_columns(17, 33.7, 50.3, 67), (30, 42)],
    10: [*_columns(17, 33.7, 50.3, 67), (30, 25.4), (30, 58.6)],
}


def _use(name: str, x: float, y: float, size: float, turned: bool = False) -> str:
    """A symbol with its middle at (x, y)."""
    turn = f' transform="rotate(180 {x:g} {y:g})"' if turned else ""
    half = size / 2
    return (
        f'<use href="#cl-{name}" x="{x - half:g}" y="{y - half:g}" width="{size:g}"'
        f' height="{size:g}"{turn}/>'
    )


def _middle(card: Card, suit: str) -> str:
    if card.rank == 1:
        return _use(suit, 30, 42, 30)
    if card.rank <= 10:
        size = 11.5 if card.rank > 8 else 13
        return "".join(_use(suit, x, y, size, y > 42) for x, y in _PIPS[card.rank])
    head = card.ascii[0]
    return (
        '<rect class="cl-frame" x="14.5" y="9.5" width="31" height="65" rx="2.5"/>'
        f'{_use(head, 30, 22, 19)}<text class="cl-court" x="30" y="53">{head}</text>'
        f"{_use(suit, 30, 64, 13)}"
    )


def is_own(card: Card) -> bool:
    """Whether it is a card of a game's own, and not of a standard pack."""
    return card.suit is None and card is not JOKER


def has_name(card: Card) -> bool:
    """Whether a game's own card has a name, and not just a number."""
    return not card.ascii[:1].isdigit()


def _own_face(card: Card, lang: str) -> str:
    """A number on the emblem of its game, or the symbol of the card above its name."""
    rank = card.ascii if not has_name(card) else str(card.rank)
    narrow = ' textLength="13" lengthAdjust="spacingAndGlyphs"' if len(rank) > 1 else ""
    corner = f'<text x="8.5" y="15"{narrow}>{rank}</text>'
    if has_name(card):
        name = escape(locale.show("", card, lang))
        fitted = ' textLength="46" lengthAdjust="spacingAndGlyphs"' if len(name) > 8 else ""
        title = f'<text class="cl-title" x="30" y="66"{fitted}>{name}</text>'
        middle = _use(card.ascii, 30, 37, 34) + title
    else:
        emblem = type(card).__module__.rpartition(".")[2]
        middle = (
            f'<g class="cl-emblem">{_use(emblem, 30, 42, 46)}</g>'
            f'<text class="cl-big" x="30" y="53">{rank}</text>'
        )
    return (
        f'<svg viewBox="0 0 60 84" aria-hidden="true">{corner}'
        f'<g transform="rotate(180 30 42)">{corner}</g>{middle}</svg>'
    )


@cache
def face(card: Card, lang: str = "en") -> str:
    """The face of a card as an SVG drawing of 60 by 84 units."""
    if is_own(card):
        return _own_face(card, lang)
    if card.suit is None:
        return (
            '<svg viewBox="0 0 60 84" aria-hidden="true">'
            f'{_use("joker", 30, 36, 42)}<text x="30" y="75">{escape(card.ascii)}</text></svg>'
        )
    rank, suit = str(card)[:-1], card.suit.letter
    narrow = ' textLength="10.5" lengthAdjust="spacingAndGlyphs"' if rank == "10" else ""
    corner = f'<text x="7.5" y="14"{narrow}>{rank}</text>{_use(suit, 7.5, 21, 9)}'
    return (
        f'<svg viewBox="0 0 60 84" aria-hidden="true">{corner}'
        f'<g transform="rotate(180 30 42)">{corner}</g>{_middle(card, suit)}</svg>'
    )
