"""A plain table for any game: every zone of every seat, and a button for every legal action."""

from __future__ import annotations

from html import escape

from cardlab.cards import Card
from cardlab.engine import Action
from cardlab.widgets import html
from cardlab.widgets.html import View

HEIGHT = 620
"""Height of the picture in pixels."""


def table(view: View) -> str:
    """The table as the seat that looks sees it."""
    others = [seat for seat in range(len(view.names)) if seat != view.me]
    by_card = {action.arg: action for action in view.legal if isinstance(action.arg, Card)}
    seats = "".join(_seat(view, seat, by_card) for seat in [*others, view.me])
    buttons = "".join(
        html.button(escape(view.label(action)), str(action))
        for action in view.legal
        if not isinstance(action.arg, Card)
    )
    ended = view.observation.result is not None
    result = f'<p class="cl-result">{html.result(view)}</p>' if ended else ""
    out = html.strip(view.zone("out"), view.observation.out, view.lang)
    return (
        f'<div class="cl-table"><div class="cl-play">{seats}{result}'
        f'<div class="cl-buttons" data-group="buttons">{buttons}</div></div>'
        f'<div class="cl-side">{html.log(view)}{out}</div></div>'
    )


def _seat(view: View, seat: int, by_card: dict[Card, Action]) -> str:
    """All zones of a seat; an own card that can be chosen now can be clicked."""
    rows = []
    for zone, content in view.zones(seat).items():
        if content:
            shown = [
                view.card(card, by_card.get(card) if seat == view.me and card else None)
                for card in content
            ]
            rows.append(f"<h4>{view.zone(zone)}</h4>{html.row(view.zone(zone), shown, 'cl-many')}")
    name = view.name(seat)
    return (
        f'<section class="cl-seat cl-plain" aria-label="{name}"><h3 class="cl-name">{name}</h3>'
        f"{''.join(rows)}</section>"
    )
