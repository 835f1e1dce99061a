"""The table of High-Low: rows of cards in the order drawn, each with what it counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cardlab.cards import UNKNOWN, Card
from cardlab.games.highlow import score, signs
from cardlab.widgets import around, html
from cardlab.widgets.html import View

HEIGHT = 640
"""Height of the picture in pixels."""

SHEETS = ("alicematic", "around")

_DECISIONS = ("highlow.draw", "highlow.hold", "highlow.full")
_NOT_TOLD = ("highlow.start", "highlow.deck")
_HINTS = ("H6", "H7", "H8", "H9")


def table(view: View) -> str:
    """The table as the seat that looks sees it."""
    seats = [_seat(view, seat) for seat in around.clockwise(view)]
    return (
        f'<div class="cl-table"><div class="cl-play">{around.others(seats)}{_middle(view)}'
        f'{_seat(view, view.me)}</div><div class="cl-side">{html.log(view, _NOT_TOLD)}</div></div>'
    )


def _seat(view: View, seat: int) -> str:
    """The cards of a seat, and its points as far as they are known."""
    hand = view.zones(seat)["hand"]
    name = view.zone("hand")
    if UNKNOWN in hand:
        return around.panel(view, seat, _badges(view, seat), around.backs(view, name, hand))
    rules: Any = view.observation.rules
    counted = signs(_known(hand), rules.equal)
    shown = [
        around.spot(view.card(card), f"{sign * card.rank:+d}".replace("-", "−"))
        for card, sign in zip(_known(hand), counted, strict=True)
    ]
    return around.panel(view, seat, _badges(view, seat), html.row(name, shown, "cl-own"))


def _known(hand: Sequence[Card | None]) -> list[Card]:
    return [card for card in hand if card is not None]


def _badges(view: View, seat: int) -> list[str]:
    """Who has held, with which safety card, and the points."""
    public = view.observation.public
    badges = []
    if public["shown"] and public["shown"][seat]:
        badges.append(around.badge(view.text("widgets.highlow.shown"), "cl-warn"))
    suit = public["safety"][seat] if public["safety"] else None
    if suit is not None:
        badges.append(around.badge(view.text("widgets.highlow.safety", suit=suit)))
    if UNKNOWN not in view.zones(seat)["hand"]:
        points = view.text("widgets.highlow.points", points=_points(view, seat))
        badges.append(around.badge(points, "cl-plus-points"))
    return badges


def _points(view: View, seat: int) -> int:
    """The points of a hand that is seen; what was not drawn costs only who has held."""
    rules: Any = view.observation.rules
    public = view.observation.public
    hand = _known(view.zones(seat)["hand"])
    held = bool(public["shown"]) and public["shown"][seat]
    unused = (rules.max_cards - len(hand)) * held
    suit = public["safety"][seat] if public["safety"] else None
    return score(hand, rules.equal, unused, rules.pass_penalty, rules.safety, suit)


def _middle(view: View) -> str:
    """The pile, and what may be done; at the end the points."""
    seen = view.observation
    seats = range(len(view.names))
    if around.is_over(view):
        result = f'<p class="cl-result">{html.result(view)}</p>'
        scores = [(seat, _points(view, seat)) for seat in seats]
        return f'<section class="cl-middle">{result}{around.points(view, scores)}</section>'
    own = seen.players[view.me]["pile"]
    pile = html.pile(view.zone("pile"), own or seen.table["pile"])
    asked = f'<div class="cl-asked">{around.buttons(view, view.legal)}</div>' if view.legal else ""
    begun = any(event.player == view.me and event.kind in _DECISIONS for event in seen.log)
    told = around.news(view, _DECISIONS, _NOT_TOLD) if begun else html.hints(view, _HINTS)
    return f'<section class="cl-middle">{pile}{asked}{told}</section>'
