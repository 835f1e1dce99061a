"""The table of CHAT: attack and defence, the cards beside the base cards, and what may be done now.

Nothing is done for a person, not even where there is one choice only: it is a button of its own
then. So a step takes the same click whatever the hidden cards are, and nobody learns anything from
a step that was left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from itertools import takewhile

from cardlab.cards import JOKER, ORDER, UNKNOWN, Card
from cardlab.engine import END, Action, Event
from cardlab.games.chat import SHIELDS, CHATRules, resolve
from cardlab.games.chat_judge import NONE
from cardlab.widgets import html, verdict
from cardlab.widgets.html import View
from cardlab.widgets.verdict import SIDES, Fate

HEIGHT = 910
"""Height of the picture in pixels."""

_COMMITS = ("chat.base", "chat.extra", "chat.declare", "chat.further", "chat.refill")
_NOT_TOLD = (*_COMMITS, "chat.shuffle")
_SEEN_ANYWAY = ("chat.battle", "chat.swap")

_VERDICT = ("C11", "C12", "C13", "C16", "C17", "C20")
"""The rules that decide a turn; beside the cards nothing else is told."""

_STEPS = ("base", "extra", "declare", "further", "cancel", "strike", "refill")
_JOKER_STEPS = ("base", "extra", "respond", "block", "strike", "refill")
_RULES = {
    "base": "C7",
    "extra": "C9",
    "declare": "C10",
    "respond": "C11",
    "block": "C12",
    "further": "C15",
    "cancel": "C16",
    "strike": "C17",
    "refill": "C19",
}


def prompt(view: View) -> str:
    """The turn, whether the seat attacks, and what it is to do."""
    seen = view.observation
    attacker = seen.public["attacker"]
    if seen.result is not None or attacker is None:
        return html.prompt(view)
    side = SIDES[view.me != attacker]
    word = view.text(f"widgets.chat.{side}")
    role = f'<span class="cl-role cl-{side}">{verdict.icon(side)}{word}</span>'
    turn = view.text("widgets.turn", turn=seen.turn)
    left = seen.public["strikes"]
    again = f" {view.text('widgets.chat.strikes', n=left)}" if left > 1 else ""
    return (
        f'<span class="cl-turn">{turn}</span> {role}'
        f' <span class="cl-prompt">{html.ask(view)}{again}</span>'
    )


def table(view: View) -> str:
    """The table as the seat that looks sees it."""
    used = sorted(view.observation.out, key=ORDER, reverse=True)
    return (
        f'<div class="cl-table"><div class="cl-play">{_seat(view, 1 - view.me)}{_field(view)}'
        f"{_seat(view, view.me)}</div>"
        f'<div class="cl-side">{html.log(view, _NOT_TOLD)}'
        f"{html.strip(view.zone('out'), used, view.lang)}</div></div>"
    )


# ------------------------------------------------------------------------------------- the seats


def _seat(view: View, seat: int) -> str:
    """Name and part of a seat, its stock, shields and hand."""
    zones, name = view.zones(seat), view.name(seat)
    attacker = view.observation.public["attacker"]
    look = "cl-mine" if seat == view.me else "cl-theirs"
    part = ""
    if attacker is not None:
        side = SIDES[seat != attacker]
        part = (
            f'<span class="cl-part">{verdict.icon(side)}{view.text(f"widgets.chat.{side}")}</span>'
        )
    return (
        f'<section class="cl-seat {look}" aria-label="{name}"><h3 class="cl-name">{name}{part}'
        f"{_pending(view, seat)}</h3>"
        f"{html.pile(view.zone('stock'), zones['stock'], 'stock')}{_shields(view, seat)}"
        f"{_hand(view, seat)}</section>"
    )


def _shields(view: View, seat: int) -> str:
    """The shields of a seat; those of the other one can be clicked."""
    if view.observation.phase == "call":
        return ""
    can_fall = seat != view.me and view.observation.phase != END
    fallen = html.fallen(view, seat, ("chat.strike", "chat.strike_to_hand"))
    return html.shields(view, seat, SHIELDS, "strike" if can_fall else "", fallen)


def _hand(view: View, seat: int) -> str:
    """The hand of a seat: numbers together, what is unknown last."""
    seen = view.observation
    held = [card for card in view.zones(seat)["hand"] if card is not None]
    held.sort(key=ORDER, reverse=True)
    mine = seat == view.me and seen.phase not in ("call", END)
    kind = "base" if seen.phase == "base" else "extra"
    shown = [view.card(card, Action(kind, card) if mine else None) for card in held]
    return html.row(view.zone("hand"), shown, "cl-hand" if len(held) <= 6 else "cl-hand cl-many")


# ------------------------------------------------------------------------------ what has been laid


@dataclass(frozen=True)
class _Laid:
    """What a seat has laid in a turn, whatever has become of it since."""

    base: Card | None
    extra: tuple[Card, ...]
    block: tuple[Card, ...]


def _turns(view: View) -> list[list[Event]]:
    """The events of each turn; the last one is still open."""
    turns: list[list[Event]] = [[]]
    for event in view.observation.log:
        turns[-1].append(event)
        if event.kind == "chat.swap":
            turns.append([])
    return turns


def _laid(view: View, seat: int, turn: list[Event]) -> _Laid:
    """What has been laid: by the events, and by what lies there where they say nothing."""
    zones = view.zones(seat)
    base, extra, block = (
        [card for card in zones[zone] if card] for zone in ("base", "extra", "block")
    )
    told: list[Card] = []
    for event in turn:
        if event.player != seat:
            continue
        if event.kind == "chat.base_shown":
            base = [event.data["card"]]
        elif event.kind == "chat.joker_base":
            base = [JOKER]
        elif event.kind == "chat.extra_shown":
            told.append(event.data["card"])
        elif event.kind == "chat.joker":
            told.append(JOKER)
        elif event.kind == "chat.further_shown":
            told += event.data["cards"]
        elif event.kind == "chat.block":
            block = [card for card in event.data["cards"] if card not in (*base, *told, *extra)]
    return _Laid(base[0] if base else None, tuple(dict.fromkeys([*told, *extra])), tuple(block))


def _fates(turn: list[Event]) -> dict[Card, Fate]:
    """What became of the additional cards of a turn, the joker's and the block's among them."""
    found = verdict.fates(turn)
    for event in turn:
        if event.kind == "chat.block":
            found[JOKER] = Fate("blocked", event.rule)
            # Where the numbers decide after all, what they say of a card says more.
            found = {card: Fate("block", event.rule) for card in event.data["cards"]} | found
        elif event.kind in ("chat.joker_attack", "chat.joker_defence"):
            found.setdefault(JOKER, Fate("wins", event.rule))
    return found


def _decided(view: View) -> set[int | None]:
    """The seats that have made their secret choice in a step that both decide together."""
    latest = reversed(view.observation.log)
    return {event.player for event in takewhile(lambda event: event.kind in _COMMITS, latest)}


# ------------------------------------------------------------------------------------ the middle


def _field(view: View) -> str:
    """What lies between the two: the steps of a turn, the cards of both sides, what may be done."""
    seen = view.observation
    if seen.phase == "call":
        return (
            f'<section class="cl-middle cl-call">{_left_over(view)}{_ask(view)}'
            f"{html.hints(view, ('C2', 'C7', 'C9', 'C16', 'C19'))}</section>"
        )
    turns = _turns(view)
    first = f'<p class="cl-result">{html.result(view)}</p>' if seen.phase == END else _steps(view)
    sides = sorted((0, 1), key=lambda seat: seat == view.me)
    lanes = "".join(_lane(view, seat, turns[-1]) for seat in sides)
    return (
        f'<section class="cl-middle cl-field">{first}<div class="cl-lanes">{lanes}</div>'
        f"{_told(view, turns)}{_ask(view)}</section>"
    )


def _left_over(view: View) -> str:
    cards = "".join(view.card(card) for card in view.observation.table["left_over"])
    name = view.zone("left_over")
    return f'<figure class="cl-spot">{cards}<figcaption>{name}</figcaption></figure>'


def _steps(view: View) -> str:
    """The steps of a turn, the present one marked."""
    phase = view.observation.phase
    cards = [card for seat in (0, 1) for card in view.zones(seat)["extra"]]
    steps = _JOKER_STEPS if JOKER in cards or phase in ("respond", "block") else _STEPS
    joker = steps is _JOKER_STEPS
    items = []
    for step in steps:
        rule = "C13" if joker and step == "strike" else _RULES[step]
        here = ' aria-current="step"' if step == phase else ""
        done = ' class="cl-done"' if steps.index(step) < steps.index(phase) else ""
        items.append(
            f"<li{here}{done}>{html.rule_badge(rule)}"
            f"<span>{view.text(f'widgets.chat.step.{step}')}</span></li>"
        )
    return (
        f'<ol class="cl-steps" aria-label="{view.text("widgets.chat.steps")}">{"".join(items)}</ol>'
    )


def _lane(view: View, seat: int, turn: list[Event]) -> str:
    """The cards of one side, with what became of each."""
    side = SIDES[seat != view.observation.public["attacker"]]
    laid, fates = _laid(view, seat, turn), _fates(turn)
    extras = [
        verdict.laid(_target(view, seat, card), fates.get(card), view.lang)
        for card in verdict.in_order([*laid.extra, *laid.block], fates)
    ]
    return verdict.lane(
        side,
        view.name(seat),
        verdict.laid(_base(view, seat, laid), None, view.lang),
        "".join(extras),
        _total(side, turn),
        view.lang,
    )


def _base(view: View, seat: int, laid: _Laid) -> str:
    """The base card; one that is not yet shown is known to its owner only."""
    seen = view.observation
    if laid.base is not None or seen.phase != "base" or seat not in _decided(view):
        return view.card(laid.base)
    own = seen.pending.arg if seat == view.me and seen.pending else UNKNOWN
    return view.card(own if isinstance(own, Card) else UNKNOWN)


def _target(view: View, seat: int, card: Card) -> str:
    """An additional card; one that the spade may cancel can be clicked."""
    action = Action("cancel", card)
    return view.card(card, action if seat != view.me and action in view.legal else None)


def _pending(view: View, seat: int) -> str:
    """That a seat has decided what the other one cannot see yet; its own choice it knows."""
    if seat not in _decided(view):
        return ""
    own = view.observation.pending if seat == view.me else None
    words = escape(view.label(own)) if own else view.text("widgets.chat.decided")
    return f'<span class="cl-pending">{words}</span>'


def _total(side: str, turn: list[Event]) -> str:
    return "".join(str(event.data[side]) for event in turn if event.kind == "chat.totals")


def _told(view: View, turns: list[list[Event]]) -> str:
    """How the turn was decided, or the one before while this one has just begun."""
    now = _decisive(turns[-1])
    if now:
        return html.story(view.text("widgets.chat.this_turn"), now, view)
    before = _decisive(turns[-2]) if len(turns) > 1 else []
    if before and view.observation.phase == "base":
        return html.story(view.text("widgets.chat.last_turn"), before, view)
    if view.observation.turn == 1:
        return html.hints(view, ("C7", "C9", "C16", "C19"))
    return ""


def _decisive(turn: list[Event]) -> list[Event]:
    return [
        event
        for event in turn
        if event.rule.startswith(_VERDICT) and event.kind not in _SEEN_ANYWAY
    ]


# --------------------------------------------------------------------------- what may be done now


def _ask(view: View) -> str:
    """The decisions that are no click on a card, and one for a card that is the only choice."""
    seen = view.observation
    if not view.legal:
        return ""
    if seen.phase == "cancel":
        return _cancels(view)
    if seen.phase == "refill":
        return _refills(view)
    if seen.phase in ("declare", "respond"):
        words = ("more", "enough") if seen.phase == "declare" else ("block", "let")
        offered = [Action("declare", word) for word in words]
    elif seen.phase in ("block", "further"):
        sets = "".join(_set(view, action) for action in view.legal)
        return f'<div class="cl-ask cl-sets" data-group="sets">{sets}</div>{_only(view)}'
    else:
        # Cards and shields are clicked where they lie, unless there is nothing to choose from.
        offered = [
            action
            for action in view.legal
            if len(view.legal) == 1 or action.kind == "call" or action.arg == NONE
        ]
    buttons = "".join(_button(view, action) for action in offered)
    return f'<div class="cl-ask cl-buttons" data-group="buttons">{buttons}</div>{_only(view)}'


def _only(view: View) -> str:
    """That there is one choice only."""
    if len(view.legal) > 1:
        return ""
    return f'<p class="cl-only">{view.text("widgets.chat.only")}</p>'


def _look(view: View, action: Action) -> str:
    return "cl-primary" if view.legal == (action,) else ""


def _button(view: View, action: Action) -> str:
    """An action in words; if it is not possible now, a click tells why."""
    look = f"cl-{action.arg}" if action.kind == "call" else _look(view, action)
    words = escape(view.label(action))
    return html.button(words, str(action), look=look, enabled=action in view.legal)


def _set(view: View, action: Action) -> str:
    """Several cards that are laid together, as one button."""
    assert isinstance(action.arg, tuple)
    cards = "".join(view.card(card) for card in action.arg)
    return html.button(cards, str(action), look=f"cl-set {_look(view, action)}".strip())


def _cancels(view: View) -> str:
    """What the spade may cancel, with what comes of each choice."""
    seen = view.observation
    rules, turn = seen.rules, _turns(view)[-1]
    assert isinstance(rules, CHATRules)
    attacker = seen.public["attacker"]
    attack, defence = _laid(view, attacker, turn), _laid(view, 1 - attacker, turn)
    bases = [None if laid.base is JOKER else laid.base for laid in (attack, defence)]
    choices = []
    for action in view.legal:
        assert isinstance(action.arg, Card | str)
        resolution = resolve(
            bases[0],
            attack.extra,
            bases[1],
            defence.extra,
            action.arg,
            rules.spade_target,
            spade_optional=rules.spade_optional,
        )
        inside = verdict.outcome(action.arg, resolution, view.lang)
        choices.append(html.button(inside, str(action), look="cl-outcome"))
    return f'<div class="cl-ask cl-outcomes" data-group="cancel">{"".join(choices)}</div>'


def _refills(view: View) -> str:
    """How many cards to draw, with what is left of the stock and how long that lasts."""
    rules, stock = view.observation.rules, len(view.zones(view.me)["stock"])
    assert isinstance(rules, CHATRules)
    most = max(
        rules.refill_max, *(action.arg for action in view.legal if isinstance(action.arg, int))
    )
    offered = [
        action
        for action in (Action("refill", n) for n in range(most + 1))
        if action.arg or action in view.legal
    ]
    boxes = "".join(_refill(view, action, stock) for action in offered)
    title = f"{html.rule_badge('C19')} {view.text('widgets.chat.refill', n=stock)}"
    return (
        f'<div class="cl-ask cl-refill"><h4>{title}</h4>'
        f'<div class="cl-refills" data-group="refill">{boxes}</div></div>{_only(view)}'
    )


def _refill(view: View, action: Action, stock: int) -> str:
    n = action.arg
    assert isinstance(n, int)
    left = stock - n
    if left < 0:
        costs = lasts = "–"
    else:
        costs = view.text("widgets.chat.refill.left", n=left)
        # With so many cards every time, and with fewer once there are no more.
        turns = -(-left // n) if n else 0
        lasts = (
            ("" if not n else view.text("widgets.chat.refill.lasts", n=turns))
            if left
            else view.text("widgets.chat.refill.empty")
        )
    words = escape(view.label(action))
    return html.button(
        f"<b>{words}</b><span>{costs}</span><small>{lasts}</small>",
        str(action),
        look=f"cl-draw {_look(view, action)}".strip(),
        enabled=action in view.legal,
    )
