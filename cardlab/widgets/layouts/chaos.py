"""The table of Chaos: pool, spring and sets, who may be asked for what, and how hands move."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from html import escape
from itertools import takewhile
from typing import Any

from cardlab.cards import ORDER, UNKNOWN, Card
from cardlab.engine import Action, Event, Observation
from cardlab.games.chaos import ACTIONS, SET
from cardlab.games.chaos_memory import Knowledge, knowledge
from cardlab.widgets import around, html, ring
from cardlab.widgets.html import View

HEIGHT = 920
"""Height of the picture in pixels."""

SHEETS = ("around",)

KNOWS = True

_FROM_HAND = {
    "action": "search",
    "give": "give",
    "play": "play",
    "drop": "drop",
    "drop_all": "drop",
    "discard": "discard",
}
"""What a click on a card of the hand does, in the phases in which it does something."""

_DECISIONS = frozenset(
    f"chaos.{kind}"
    for kind in (
        *("take", "draw", "lay", "search", "hit", "miss", "exchange", "give", "battle", "play"),
        *("done", "discard", "rotate", "choose_drop", "drop", "silent", "declared", "revealed"),
    )
)
_NOT_TOLD = ("chaos.give", "chaos.play", "chaos.choose_drop", "chaos.passed")
_ENDINGS = frozenset(
    f"chaos.{kind}"
    for kind in ("empty", "declared", "revealed", "all_laid", "abandoned", "max_turns")
)
_HINTS = ("X7", "X11", "X13", "X16")


def table(view: View) -> str:
    """The table as the seat that looks sees it."""
    known = _known(view)
    seats = [_seat(view, seat, known) for seat in around.clockwise(view)]
    out = sorted(view.observation.out, key=ORDER)
    return (
        f'<div class="cl-table"><div class="cl-play">{around.others(seats)}'
        f"{_middle(view, '' if known is None else _facts(view, known))}{_mine(view)}</div>"
        f'<div class="cl-side">{html.log(view, _NOT_TOLD)}'
        f"{html.strip(view.zone('out'), out, view.lang)}</div></div>"
    )


# ------------------------------------------------------------------------------------- the seats


def _seat(view: View, seat: int, known: Knowledge | None) -> str:
    """Another seat: its hand, with what is known to be in it, and its sets."""
    cards = view.zones(seat)["hand"]
    if known is not None:
        sure = known.sure[seat]
        cards = (*sure, *cards[len(sure) :])
    look = "cl-open" if any(card is not UNKNOWN for card in cards) else ""
    held = around.backs(view, view.zone("hand"), cards, look)
    return around.panel(view, seat, _badges(view, seat), held + _sets(view, seat))


def _mine(view: View) -> str:
    """The own seat, its hand last."""
    kind = _FROM_HAND.get(view.observation.phase) if view.legal else None
    help_text = ""
    if kind == "search":
        help_text = f'<p class="cl-only">{view.text("widgets.chaos.search")}</p>'
    shown = f"{_sets(view, view.me)}{help_text}{around.hand(view, kind)}"
    return around.panel(view, view.me, _badges(view, view.me), shown)


def _badges(view: View, seat: int) -> list[str]:
    """Whose turn it is, and the points from sets and from earlier rounds."""
    seen = view.observation
    badges = []
    if seat == seen.public["turn_player"] and not around.is_over(view):
        badges.append(around.badge(view.text("widgets.chaos.turn"), "cl-turn-badge"))
    rules: Any = seen.rules
    if rules.target_points is not None and seen.public["totals"]:
        total = view.text("widgets.chaos.total", n=seen.public["totals"][seat])
        badges.append(around.badge(total, "cl-plus-points"))
    return badges


def _sets(view: View, seat: int) -> str:
    """The sets that a seat has laid; a void one lies face down, but everybody knows what it was."""
    voided = view.observation.public["voided"]
    cards = view.zones(seat)["sets"]
    shown = []
    for card in cards[::SET]:
        assert card is not None
        is_void = card in voided
        look = "cl-void" if is_void else ""
        laid = around.fan([view.card(card, look=look)] * SET, "cl-laid-fan")
        void = f"<figcaption>{view.text('widgets.chaos.void')}</figcaption>" if is_void else ""
        shown.append(f'<figure class="cl-army">{laid}{void}</figure>')
    if not shown:
        return ""
    name = view.zone("sets")
    return f'<div class="cl-armies" role="group" aria-label="{name}">{"".join(shown)}</div>'


# --------------------------------------------------------------------------------- what is known


def _known(view: View) -> Knowledge | None:
    """What the seat can know of hidden hands, if it has asked for it."""
    if not view.knows or around.is_over(view):
        return None
    return _thought_out(_Seen(view.observation, view.observation.to_json()))


@dataclass(frozen=True)
class _Seen:
    """An observation as the key of a cache."""

    observation: Observation = field(compare=False)
    text: str


@lru_cache(maxsize=4)
def _thought_out(seen: _Seen) -> Knowledge:
    # Late in a game for five it takes a second, and a page may be drawn anew for any reason.
    return knowledge(seen.observation)


def _facts(view: View, known: Knowledge) -> str:
    """For each other seat the cards that it surely holds, and the kinds that it surely lacks."""
    rows = "".join(
        f"<section><h4>{view.name(seat)}</h4>{_fact(view, 'sure', known.sure[seat])}"
        f"{_fact(view, 'absent', known.absent[seat])}</section>"
        for seat in around.clockwise(view)
    )
    title = view.text("widgets.chaos.known")
    return f'<section class="cl-panel cl-known"><h3>{title}</h3><div>{rows}</div></section>'


def _fact(view: View, kind: str, cards: Sequence[Card]) -> str:
    label = view.text(f"widgets.chaos.{kind}")
    shown = "".join(html.mini(card, view.lang) for card in cards) or "–"
    return (
        f'<div class="cl-fact cl-{kind}"><span>{label}</span>'
        f'<div class="cl-minis">{shown}</div></div>'
    )


def _know_button(view: View) -> str:
    words = view.text(f"widgets.chaos.know.{'off' if view.knows else 'on'}")
    return html.button(words, ":know", look="cl-know", pressed=view.knows)


# ------------------------------------------------------------------------------------- the middle


def _middle(view: View, facts: str) -> str:
    """What lies open between the seats, what has just happened, and what may be done."""
    seen = view.observation
    if around.is_over(view):
        result = f'<p class="cl-result">{html.result(view)}</p>{_why_it_ended(view)}'
        scores = list(enumerate(seen.public["totals"]))
        points = around.points(view, scores)
        return f'<section class="cl-middle">{result}{points}</section>{_pool(view)}'
    figures = "".join(_figures(view))
    decided = any(event.player == view.me and event.kind in _DECISIONS for event in seen.log)
    told = around.news(view, _DECISIONS, _NOT_TOLD) if decided else html.hints(view, _HINTS)
    return f"{_pool(view)}{facts}{around.middle(figures + _asked(view), told)}"


def _why_it_ended(view: View) -> str:
    """All reasons for which the last round is over."""
    last = takewhile(lambda event: event.kind != "chaos.turn", reversed(view.observation.log))
    reasons = [event for event in last if event.kind in _ENDINGS][::-1]
    return "".join(
        f'<p class="cl-only">{escape(event.text(view.lang, view.names))}</p>' for event in reasons
    )


def _pool(view: View) -> str:
    """The pool and the spring; in a drain a card can be taken, and at its time one be drawn."""
    seen = view.observation
    takes = seen.phase == "drain" and view.legal
    cards = [card for card in seen.table["pool"] if card is not None]
    shown = [view.card(card, Action("take", card) if takes else None) for card in cards]
    if not shown:
        shown = [view.card(None)]
    name, count = view.zone("pool"), len(cards)
    pool = html.row(name, shown, "cl-pool-cards")
    actions = _actions_left(view)
    spring = html.pile(view.zone("spring"), seen.table["spring"])
    know = "" if around.is_over(view) else _know_button(view)
    return (
        f'<section class="cl-pool">{spring}<div class="cl-pool-name"><h4>{name}'
        f' <span class="cl-count">{count}</span></h4>{pool}</div>'
        f'<div class="cl-pool-side">{actions}{know}</div></section>'
    )


def _actions_left(view: View) -> str:
    """How many actions the turn player has left, and which searches have failed."""
    public = view.observation.public
    if around.is_over(view):
        return ""
    left = ACTIONS - public["used"]
    dots = "<i></i>" * left + '<i class="cl-spent"></i>' * public["used"]
    words = view.text("widgets.chaos.actions", n=left)
    match = _match(view)
    failed = _fact(view, "failed", public["failed"]) if public["failed"] else ""
    left_words = f'<span>{words}</span><b aria-hidden="true">{dots}</b>'
    return f'{match}<div class="cl-actions">{left_words}</div>{failed}'


def _match(view: View) -> str:
    """Which round of a match it is, and what it is played for."""
    rules: Any = view.observation.rules
    if rules.target_points is None:
        return ""
    number = view.observation.public["round"]
    words = view.text("widgets.chaos.round", round=number, target=rules.target_points)
    return f'<p class="cl-only">{words}</p>'


# --------------------------------------------------------------------------- what has just happened


def _figures(view: View) -> Iterable[str]:
    """The cards that are shown or chosen now, and the battle and rotation since one's decision."""
    seen = view.observation
    if seen.phase == "ask":
        yield around.spot(
            view.card(seen.public["shown"][0]), view.name(seen.public["turn_player"]), "cl-fresh"
        )
    elif seen.phase in ("give", "play", "drop_all"):
        yield _chosen(view)
    elif seen.phase == "rotate" and view.legal:
        return
    since = _since(view)
    battle = next((event for event in since if event.kind == "chaos.shown"), None)
    if battle is not None and seen.phase != "play":
        yield _battle(view, battle, since)
    rotation = next((event for event in since if event.kind == "chaos.rotate"), None)
    if rotation is not None and rotation.data["n"]:
        yield ring.figure(view, rotation.data["n"], view.text("widgets.chaos.rotated"))


def _since(view: View) -> list[Event]:
    """What has happened since the seat last decided, that decision included; the latest first."""
    since = []
    for event in reversed(view.observation.log):
        since.append(event)
        if event.player == view.me and event.kind in _DECISIONS and event.kind != "chaos.play":
            break
    return since


def _battle(view: View, shown: Event, since: Sequence[Event]) -> str:
    """The cards of a battle, the winning one marked."""
    won = next((event for event in since if event.kind == "chaos.won"), None)
    winner = won.player if won is not None else None
    cards = "".join(
        around.spot(view.card(card, look="cl-won" * (seat == winner)), view.name(seat))
        for seat, card in enumerate(shown.data["cards"])
    )
    title = view.text("widgets.chaos.battle")
    return f'<div class="cl-clash"><h4>{title}</h4><div class="cl-spots">{cards}</div></div>'


def _chosen(view: View) -> str:
    """A card of each seat that chooses now: known to its owner only, until all have chosen."""
    seen = view.observation
    public = seen.public
    if seen.phase == "give":
        seats = [public["turn_player"], public["partner"]]
    else:
        seats = [view.me, *around.clockwise(view)]
        if seen.phase == "drop_all":
            seats.remove(public["turn_player"])
    spots = []
    for seat in seats:
        card: Card | None = None
        if seat not in seen.to_move:
            own = seen.pending.arg if seat == view.me and seen.pending else UNKNOWN
            card = own if isinstance(own, Card) else UNKNOWN
        spots.append(around.spot(view.card(card), view.name(seat)))
    return f'<div class="cl-spots">{"".join(spots)}</div>'


# --------------------------------------------------------------------------- what may be done now


def _asked(view: View) -> str:
    """The decisions that are no click on a card, with the reasons against those not possible."""
    if not view.legal:
        return ""
    phase = view.observation.phase
    others = around.clockwise(view)
    offered: list[Action] = []
    if phase == "ask":
        offered = [Action("ask", seat) for seat in others]
    elif phase == "action":
        offered = [*(Action("exchange", seat) for seat in others), Action("battle")]
        offered.append(Action("done"))
    elif phase == "order":
        offered = [Action("declare"), Action("silent")]
    elif phase == "draw":
        offered = [Action("draw")]
    turns = _rotations(view) if phase == "rotate" else ""
    lays = "".join(
        around.with_cards(view, action, [action.arg] * SET)
        for action in view.legal
        if action.kind == "lay" and isinstance(action.arg, Card)
    )
    words = around.buttons(view, offered)
    return f'<div class="cl-asked">{turns}{words}{lays}</div>' if turns or words or lays else ""


def _rotations(view: View) -> str:
    """How far the hands may go, each as a picture: whose hand one gets, and who gets one's own."""
    seats = len(view.names)
    shown = []
    for steps in range(seats):
        action = Action("rotate", steps)
        giver = (view.me - steps) % seats
        if steps:
            size = len(view.zones(giver)["hand"])
            words = view.text("widgets.chaos.rotate", player=view.names[giver], n=size)
        else:
            words = view.text("widgets.chaos.stay")
        title = escape(view.label(action))
        shown.append(
            html.button(
                f"{ring.drawing(view, steps)}<b>{title}</b><span>{words}</span>",
                str(action),
                look="cl-deal cl-turn-hands",
                enabled=action in view.legal,
            )
        )
    return "".join(shown)
