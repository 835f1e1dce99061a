"""The table of Alicematic and of the drafts before it: armies, medallions, the card in play."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from html import escape
from itertools import islice
from typing import Any

from cardlab.cards import ORDER, UNKNOWN, Card
from cardlab.engine import Action, Observation
from cardlab.games.alicematic import BURIED, GREED, MIN_ARMY, ROUNDS
from cardlab.games.collect_cards import Kind
from cardlab.widgets import around, html
from cardlab.widgets.html import View
from cardlab.widgets.selection import PICK, Selection

HEIGHT = 790
"""Height of the picture in pixels."""

SHEETS = ("around",)

_FROM_HAND = {
    "medallion": "medallion",
    "pride": "discard",
    "lust": "lust",
    "envy_give": "give",
    "greed": "greed",
    "sloth": PICK,
    "set": "add",
}
"""What a click on a card of the hand does, in the phases in which it does something."""

_OF_MEDALLIONS = ("medallion",)
_OF_NUMBERS = ("greed", "add")
_DECISIONS = (
    *("hold", "release", "accept", "trash", "return", "pass", "army", "begin", "add", "set"),
    *("medallion", "done", "discard", "pride", "lust", "envy", "give", "greed", "bury", "unused"),
)
_NOT_TOLD = ("turn", "kept", "order", "done", "pass")
_HINTS = ("A11", "A12", "A15", "A28")


def composer(observation: Observation) -> Selection | None:
    """Three cards for Sloth are chosen one by one."""
    return Selection(observation.hand, BURIED) if observation.phase == "sloth" else None


def prompt(view: View) -> str:
    """The round, and what the seat is to do."""
    seen = view.observation
    if seen.result is not None:
        return html.prompt(view)
    rounds = getattr(seen.rules, "rounds", ROUNDS)
    number = (seen.turn - 1) // len(seen.players) + 1
    key = "widgets.army.round" if rounds else "widgets.army.round_open"
    turn = view.text(key, number=number, of=rounds)
    return f'<span class="cl-turn">{turn}</span> <span class="cl-prompt">{html.ask(view)}</span>'


def table(view: View) -> str:
    """The table as the seat that looks sees it."""
    seats = [_seat(view, seat) for seat in around.clockwise(view)]
    out = sorted(view.observation.out, key=ORDER)
    skipped = [f"{view.observation.game}.{kind}" for kind in _NOT_TOLD]
    return (
        f'<div class="cl-table"><div class="cl-play">{around.others(seats)}{_middle(view, skipped)}'
        f'{_mine(view)}</div><div class="cl-side">{html.log(view, skipped)}'
        f"{html.strip(view.zone('out'), out, view.lang)}</div></div>"
    )


# ------------------------------------------------------------------------------------- the seats


def _seat(view: View, seat: int) -> str:
    """Another seat: its hand as far as it lies open, its armies and medallions."""
    zones = view.zones(seat)
    look = "cl-open" if _is_open(view, seat) else ""
    held = around.backs(view, view.zone("hand"), zones["hand"], look)
    return around.panel(view, seat, _badges(view, seat), held + _won(view, seat))


def _mine(view: View) -> str:
    """The own seat, its hand last."""
    kind = _FROM_HAND.get(view.observation.phase) if view.legal else None
    held = view.observation.hand
    if kind in _OF_MEDALLIONS:
        only: Iterable[Card] = [card for card in held if _is_medallion(card)]
    elif kind in _OF_NUMBERS:
        only = [card for card in held if not _is_medallion(card)]
    else:
        only = held
    shown = around.hand(view, kind if [*only] else None, only)
    return around.panel(view, view.me, _badges(view, view.me), _won(view, view.me) + shown)


def _is_medallion(card: Card) -> bool:
    return isinstance(card, Kind) and card.is_medallion


def _is_open(view: View, seat: int) -> bool:
    exposed: tuple[bool, ...] = view.observation.public["exposed"]
    return bool(exposed) and exposed[seat]


def _badges(view: View, seat: int) -> list[str]:
    """What is to be known of a seat at a glance."""
    badges = []
    if seat == view.observation.public["start"]:
        badges.append(around.badge(view.text("widgets.army.start")))
    if _is_open(view, seat) and not around.is_over(view):
        badges.append(around.badge(view.text("widgets.army.open"), "cl-warn"))
    plus = sum(army.points for army in _armies(view, seat))
    hand = view.zones(seat)["hand"]
    badges.append(around.badge(view.text("widgets.army.plus", points=plus), "cl-plus-points"))
    if seat == view.me or UNKNOWN not in hand:
        minus = sum(card.rank for card in hand if card is not None)
        text = view.text("widgets.army.minus", points=minus)
        badges.append(around.badge(text, "cl-minus-points"))
    return badges


# ------------------------------------------------------------------------------------- the armies


@dataclass
class _Army:
    """An army (or set): its number, or the letter of its suit, and its cards."""

    key: Any
    size: int
    cards: list[Card] = field(default_factory=list)

    @property
    def points(self) -> int:
        if isinstance(self.key, int):
            return self.key * self.size
        return sum(card.rank for card in self.cards)


def _armies(view: View, seat: int) -> list[_Army]:
    """The armies of a seat, with their cards as far as they are seen."""
    armies: tuple[Any, ...] = view.observation.public["armies"] or ((),) * len(view.names)
    own = [_Army(key, size) for key, size in armies[seat]]
    laid = _laid(view, seat)
    if [len(cards) for cards in laid] != [army.size for army in own]:
        # The log of a position that was set up by hand does not tell; the cards lie in order.
        rest = iter(card for card in view.zones(seat)["laid"] if card is not None)
        laid = [list(islice(rest, army.size)) for army in own]
    for army, cards in zip(own, laid, strict=True):
        army.cards = cards or [UNKNOWN] * army.size
    return own


def _laid(view: View, seat: int) -> list[list[Card]]:
    """The cards of each army, by the events."""
    laid: list[list[Card]] = []
    main = -1
    for event in view.observation.log:
        if event.player != seat:
            continue
        kind, data = event.kind.partition(".")[2], event.data
        if kind in ("army", "begin"):
            main = len(laid)
            laid.append([data["card"]] * data.get("n", 1))
        elif kind in ("add", "lust"):
            laid[main].append(data["card"])
        elif kind == "greed":
            laid.append([data["card"]] * GREED)
        elif kind == "bury":
            laid.append([*data["cards"]] if data else [UNKNOWN] * BURIED)
    return laid


def _won(view: View, seat: int) -> str:
    """The armies and the medallions that a seat has played."""
    armies = "".join(_army(view, army) for army in _armies(view, seat))
    medals = [card for card in view.zones(seat)["medallions"] if card is not None]
    shown = "".join(html.mini(card, view.lang) for card in medals)
    if shown:
        name = view.zone("medallions")
        shown = f'<div class="cl-minis cl-medals" role="group" aria-label="{name}">{shown}</div>'
    if not armies and not shown:
        return ""
    name = view.zone("laid")
    return f'<div class="cl-armies" role="group" aria-label="{name}">{armies}{shown}</div>'


def _army(view: View, army: _Army) -> str:
    cards = around.fan(map(view.card, army.cards), "cl-laid-fan")
    sum_of = f"{army.key} × {army.size}" if isinstance(army.key, int) else army.key.upper()
    return (
        f'<figure class="cl-army">{cards}'
        f"<figcaption>{sum_of} = <b>{army.points}</b></figcaption></figure>"
    )


# ------------------------------------------------------------------------------------- the middle


def _middle(view: View, skipped: Collection[str]) -> str:
    """The pile, the card whose fate is to be decided, and what may be done about it."""
    seen = view.observation
    if around.is_over(view):
        result = f'<p class="cl-result">{html.result(view)}</p>'
        return f'<section class="cl-middle">{result}{around.points(view, _scores(view))}</section>'
    pile = html.pile(view.zone("pile"), seen.table["pile"])
    game = seen.game
    decisions = [f"{game}.{kind}" for kind in _DECISIONS]
    begun = any(event.player == view.me and event.kind in decisions for event in seen.log)
    if begun or game != "alicematic":
        told = around.news(view, decisions, skipped)
    else:
        told = html.hints(view, _HINTS)
    return f'<section class="cl-middle">{pile}{_in_play(view)}{_asked(view)}{told}</section>'


def _scores(view: View) -> list[tuple[int, int]]:
    """The points of each seat, as they were told at the end."""
    told = [event for event in view.observation.log if "points" in event.data]
    return [(event.player, event.data["points"]) for event in told if event.player is not None]


def _in_play(view: View) -> str:
    """The card that was drawn or handed over, at whoever holds it."""
    for seat in range(len(view.names)):
        fresh = [card for card in view.zones(seat)["fresh"] if card is not None]
        if fresh:
            look = "cl-fresh" if seat == view.me else ""
            return around.spot(view.card(fresh[0]), view.name(seat), look)
    seat = view.observation.to_move[0]
    place = view.observation.public["main"]
    if place is None:
        return ""
    # An army has been played, and its effects are chosen.
    return _army(view, _armies(view, seat)[place])


def _asked(view: View) -> str:
    """What may be done now, and why not what may not."""
    if not view.legal:
        return ""
    phase = view.observation.phase
    armies = ""
    offered: list[Action] = []
    if phase == "choose":
        offered = _choices(view)
    elif phase == "army":
        armies = _army_buttons(view)
    elif phase == "envy":
        offered = [Action("to", seat) for seat in around.clockwise(view)]
    elif phase == "sloth":
        armies = _bury_button(view)
    offered += [
        action
        for action in view.legal
        if (action not in offered and action.arg is None) or action.kind == "begin"
    ]
    return f'<div class="cl-asked">{armies}{around.buttons(view, offered)}</div>'


def _choices(view: View) -> list[Action]:
    """Hold the drawn card, or let it go."""
    rules: Any = view.observation.rules
    if rules.release_target == "nobody":
        return []
    return [Action("hold"), *(Action("release", seat) for seat in around.clockwise(view))]


def _army_buttons(view: View) -> str:
    """An army of each size; where there can be none, the smallest one, which tells why."""
    rules: Any = view.observation.rules
    if getattr(rules, "suits", 1) > 1:
        return ""
    card = view.zones(view.me)["fresh"][0]
    assert card is not None
    least = getattr(rules, "min_set", MIN_ARMY)
    sizes = [each.arg for each in view.legal if each.kind == "army"] or [least]
    return "".join(
        around.with_cards(view, action, [card] * size, enabled=action in view.legal)
        for size in sizes
        if isinstance(size, int)
        for action in [Action("army", size)]
    )


def _bury_button(view: View) -> str:
    """Lay the three chosen cards face down."""
    chosen = [view.observation.hand[place] for place in sorted(view.chosen)]
    missing = BURIED - len(chosen)
    if missing:
        return f'<p class="cl-only">{escape(view.text("widgets.army.pick", n=missing))}</p>'
    action = Action("bury", tuple(sorted(chosen, key=ORDER)))
    return around.with_cards(view, action, chosen)
