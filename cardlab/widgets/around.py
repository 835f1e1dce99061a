"""What the tables of games for more than two seats have in common."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from html import escape
from itertools import takewhile

from cardlab.cards import Card
from cardlab.engine import END, Action
from cardlab.widgets import html
from cardlab.widgets.html import View
from cardlab.widgets.selection import PICK


def clockwise(view: View) -> list[int]:
    """The other seats, from the left neighbour of the one that looks."""
    seats = len(view.names)
    return [(view.me + step) % seats for step in range(1, seats)]


def others(panels: Sequence[str]) -> str:
    """The panels of the other seats, side by side as far as there is room."""
    return f'<div class="cl-others cl-others-{len(panels)}">{"".join(panels)}</div>'


def panel(view: View, seat: int, badges: Iterable[str], inside: str) -> str:
    """All that one seat has, under its name; whether it is to move can be seen."""
    name = view.name(seat)
    look = "cl-me" if seat == view.me else "cl-them"
    if seat in view.observation.to_move:
        look += " cl-to-move"
    return (
        f'<section class="cl-place {look}" aria-label="{name}"><h3 class="cl-name">{name}'
        f"{''.join(badges)}</h3>{inside}</section>"
    )


def badge(text: str, look: str = "") -> str:
    """A short word beside a name."""
    return f'<small class="{f"cl-badge {look}".strip()}">{text}</small>'


def fan(cards: Iterable[str], look: str = "", name: str = "") -> str:
    """Cards that lie over each other, as far as they have to; ``name`` says what they are."""
    held = "".join(f"<span>{card}</span>" for card in cards)
    label = f' role="group" aria-label="{name}"' if name else ""
    return f'<div class="{f"cl-fan {look}".strip()}"{label}>{held}</div>'


def backs(view: View, name: str, cards: Sequence[Card | None], look: str = "") -> str:
    """The cards of somebody else's hand as far as they can be seen, and how many they are."""
    held = [card for card in cards if card is not None]
    return (
        f'<div class="cl-held">{fan(map(view.card, held), look, name)}'
        f'<b class="cl-count" aria-label="{name}: {len(held)}">{len(held)}</b></div>'
    )


def hand(view: View, kind: str | None, only: Iterable[Card] = ()) -> str:
    """The hand of the seat that looks.

    Parameters
    ----------
    kind
        What kind of action a click on a card is; ``":pick"`` chooses it for a decision about
        several, ``None`` does nothing.
    only
        The cards that can be clicked, if not all of them.
    """
    cards = view.observation.hand
    can_be_clicked = frozenset(only) or frozenset(cards)
    if kind == PICK:
        shown = [
            html.card(
                card,
                view.lang,
                f"{PICK} {place}",
                pressed=place in view.chosen,
                look="cl-chosen" if place in view.chosen else "",
            )
            for place, card in enumerate(cards)
        ]
    else:
        shown = [
            view.card(card, Action(kind, card) if kind and card in can_be_clicked else None)
            for card in cards
        ]
    return html.row(view.zone("hand"), shown, "cl-own")


def buttons(view: View, offered: Sequence[Action], primary: Action | None = None) -> str:
    """Actions in words; a click on one that is not possible now tells why."""
    shown = "".join(
        html.button(
            escape(view.label(action)),
            str(action),
            look="cl-primary" if action == primary or (action,) == view.legal else "",
            enabled=action in view.legal,
        )
        for action in offered
    )
    return f'<div class="cl-buttons" data-group="buttons">{shown}</div>' if shown else ""


def with_cards(view: View, action: Action, cards: Iterable[Card], *, enabled: bool = True) -> str:
    """A button with the cards that an action is about."""
    faces = fan(map(view.card, cards), "cl-laid-fan")
    words = f"<span>{escape(view.label(action))}</span>"
    return html.button(faces + words, str(action), look="cl-deal", enabled=enabled)


def spot(card: str, caption: str, look: str = "") -> str:
    """A card in the middle, and whose it is."""
    classes = f"cl-spot {look}".strip()
    return f'<figure class="{classes}">{card}<figcaption>{caption}</figcaption></figure>'


def news(view: View, decisions: Collection[str], skip: Collection[str], most: int = 6) -> str:
    """What has happened since the seat last decided, for where the log is far below.

    Parameters
    ----------
    decisions
        The kinds of events that tell of a decision.
    skip
        The kinds that are left out.
    """
    since = takewhile(
        lambda event: event.player != view.me or event.kind not in decisions,
        reversed(view.observation.log),
    )
    told = [event for event in since if event.kind not in skip][:most]
    if not told:
        return ""
    title = view.text("widgets.news")
    return f'<div class="cl-news">{html.story(title, told[::-1], view)}</div>'


def middle(inside: str, told: str) -> str:
    """What lies between the seats; what is only told is not needed where the log is in sight."""
    if not inside and not told:
        return ""
    look = "" if inside or "cl-news" not in told else " cl-only-news"
    return f'<section class="cl-middle{look}">{inside}{told}</section>'


def points(view: View, scores: Sequence[tuple[int, int]]) -> str:
    """The points at the end, the best first: pairs of seat and points."""
    ranked = sorted(scores, key=lambda pair: -pair[1])
    lines = ""
    for seat, number in ranked:
        look = ' class="cl-best"' if number == ranked[0][1] else ""
        told = str(number).replace("-", "−")
        lines += f"<tr{look}><th>{view.name(seat)}</th><td>{told}</td></tr>"
    return f'<table class="cl-points">{lines}</table>'


def is_over(view: View) -> bool:
    """Whether the game has ended."""
    return view.observation.phase == END
