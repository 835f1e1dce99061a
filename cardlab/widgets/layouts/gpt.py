"""The table of GPT: two hands, two rows of shields, and the clash between them."""

from __future__ import annotations

from cardlab.cards import ORDER, UNKNOWN, Card
from cardlab.engine import END, Action, Event, Observation
from cardlab.games.gpt import GPTRules
from cardlab.widgets import html
from cardlab.widgets.draft import Draft
from cardlab.widgets.html import View

HEIGHT = 740
"""Height of the picture in pixels."""

_CLASHES = ("gpt.clash", "gpt.clash_colour", "gpt.tie")
_NOT_TOLD = ("gpt.draw", "gpt.no_draw", "gpt.play")


def composer(observation: Observation) -> Draft | None:
    """A deck is built as a whole, not card by card."""
    rules = observation.rules
    if observation.phase != "deck" or not isinstance(rules, GPTRules):
        return None
    picked = [card for card in observation.players[observation.player]["deck"] if card is not None]
    return Draft(rules.deck_size, rules.deck_sum_max, observation.player, picked)


def table(view: View) -> str:
    """The table as the seat that looks sees it."""
    me, other = view.me, 1 - view.me
    # Picks are told one by one only while the decks are built.
    skip = () if view.observation.phase == "deck" else ("gpt.pick",)
    return (
        f'<div class="cl-table"><div class="cl-play">{_seat(view, other)}{_shields(view, other)}'
        f"{_middle(view)}{_shields(view, me)}{_seat(view, me)}</div>"
        f'<div class="cl-side">{html.log(view, skip)}{_used(view)}{_aside(view)}</div></div>'
    )


def _seat(view: View, seat: int) -> str:
    """Name, stock, hand and set-aside pile of a seat."""
    zones, name = view.zones(seat), view.name(seat)
    look = "cl-mine" if seat == view.me else "cl-theirs"
    return (
        f'<section class="cl-seat {look}" aria-label="{name}"><h3 class="cl-name">{name}</h3>'
        f"{html.pile(view.zone('stock'), zones['stock'], 'stock')}{_hand(view, seat)}"
        f"{html.pile(view.zone('set_aside'), zones['set_aside'], 'aside')}</section>"
    )


def _hand(view: View, seat: int) -> str:
    """The cards a seat may use now: its hand, or its deck while shields are chosen."""
    seen = view.observation
    zone, kind = ("deck", "shield") if seen.phase == "shields" else ("hand", "play")
    held = [card for card in view.zones(seat)[zone] if card is not None]
    playable = seat == view.me and seen.result is None
    if seat == view.me:
        held.sort(key=lambda card: (card.rank, card.is_black), reverse=True)
    shown = [view.card(card, Action(kind, card) if playable else None) for card in held]
    return html.row(view.zone(zone), shown, "cl-hand" if len(held) <= 6 else "cl-hand cl-many")


def _shields(view: View, seat: int) -> str:
    """The shields of a seat; those that may fall can be clicked."""
    rules = view.observation.rules
    assert isinstance(rules, GPTRules)
    fallen = html.fallen(view, seat, ("gpt.strike", "gpt.remove"))
    return html.shields(view, seat, rules.n_shields, _falls_by(view, seat), fallen)


def _falls_by(view: View, seat: int) -> str:
    """What a click on a shield of this seat means, if anything."""
    seen = view.observation
    if seen.phase in ("deck", "shields", END):
        return ""
    if seen.phase == "counter" and view.legal:
        return "counter" if seat == _story(view)[0].player else ""
    return "" if seat == view.me else "strike"


def _story(view: View) -> list[Event]:
    """The last clash and what came of it."""
    story: list[Event] = []
    for event in reversed(view.observation.log):
        story.append(event)
        if event.kind in _CLASHES:
            return story[::-1]
    return []


def _middle(view: View) -> str:
    """What lies between the two: the cards of this clash, and how the last one went."""
    phase = view.observation.phase
    if phase == "shields":
        return ""
    first = f'<p class="cl-result">{html.result(view)}</p>' if phase == END else _spots(view)
    return f'<section class="cl-middle">{first}{_told(view)}</section>'


def _spots(view: View) -> str:
    """The two places for the cards that are being played."""
    winner = _story(view)[0].player if view.observation.phase in ("strike", "counter") else None
    spots = "".join(
        f'<figure class="cl-spot">{view.card(_laid(view, seat), look="cl-won" * (seat == winner))}'
        f"<figcaption>{view.name(seat)}</figcaption></figure>"
        for seat in (1 - view.me, view.me)
    )
    return f'<div class="cl-spots" role="group" aria-label="{view.zone("played")}">{spots}</div>'


def _laid(view: View, seat: int) -> Card | None:
    """The card of a seat in the middle; one that is not yet turned is known to its owner only."""
    seen = view.observation
    played = view.zones(seat)["played"]
    if played:
        return played[0]
    if seen.phase != "play" or seat in seen.to_move:
        return None
    own = seen.pending.arg if seat == view.me and seen.pending else None
    return own if isinstance(own, Card) else UNKNOWN


def _told(view: View) -> str:
    """The last clash in words."""
    events = [event for event in _story(view) if event.kind not in _NOT_TOLD]
    if not events:
        return html.hints(view, ("G10", "G11", "G13", "G14"))
    now = view.observation.phase in ("strike", "counter")
    title = view.text("widgets.gpt.clash" if now else "widgets.gpt.last_clash")
    return html.story(title, events, view)


def _used(view: View) -> str:
    """All cards that are out of the game, highest first."""
    gone = sorted(view.observation.out, key=ORDER, reverse=True)
    return html.strip(view.zone("out"), gone, view.lang)


def _aside(view: View) -> str:
    """The cards that the seat itself has left out of its deck."""
    mine = [card for card in view.zones(view.me)["set_aside"] if card is not None]
    return html.strip(view.zone("set_aside"), sorted(mine, key=ORDER, reverse=True), view.lang)
