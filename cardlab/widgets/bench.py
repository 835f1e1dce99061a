"""The judge's bench: how a battle of CHAT is drawn while people lay its cards."""

from __future__ import annotations

from html import escape

from cardlab import locale
from cardlab.cards import PACK, Card, Suit
from cardlab.engine import Event
from cardlab.widgets import html
from cardlab.widgets.battle import OPTIONS, PLACES, Battle, Place
from cardlab.widgets.verdict import (
    SIDES,
    counted,
    ends,
    fates,
    icon,
    in_order,
    laid,
    lane,
    outcome,
    score,
)

HEIGHT = 920
"""Height of the picture in pixels."""

_SUITS = (Suit.SPADES, Suit.HEARTS, Suit.CLUBS, Suit.DIAMONDS)


def prompt(battle: Battle, lang: str) -> str:
    """The totals and what is to be done next, as HTML for the status line."""
    verdict, place = battle.verdict, battle.place
    key = f"{place.kind}.{SIDES[place.side]}" if verdict else "cancel"
    totals = f"{verdict.attack} : {verdict.defence}" if verdict and battle.cards else "? : ?"
    ask = _say(f"widgets.judge.prompt.{key}", lang)
    return f'<span class="cl-turn">{totals}</span> <span class="cl-prompt">{ask}</span>'


def words(battle: Battle, lang: str) -> str:
    """The cards and the verdict in words, ready for HTML."""
    parts = []
    for name, base, extras in zip(SIDES, battle.bases, battle.extras, strict=True):
        held = [html.spoken(card, lang) for card in (base, *extras) if card is not None]
        parts.append(f"{locale.text(f'widgets.chat.{name}', lang)}: {', '.join(held) or '-'}.")
    parts += [_sentence(event, lang) for event in battle.steps]
    return escape(" ".join(parts))


def table(battle: Battle, lang: str) -> str:
    """The judge as HTML."""
    lanes = "".join(_lane(battle, side, lang) for side in (0, 1))
    told = _steps(battle, lang) if battle.cards else _hints(lang)
    return (
        f'<div class="cl-judge"><div class="cl-bench">{lanes}</div>'
        f"{_end(battle, lang)}{_spade(battle, lang)}"
        f'<div class="cl-picker">{_tabs(battle, lang)}{_pack(battle, lang)}</div>'
        f'{told}<div class="cl-tools">{_tools(battle, lang)}</div></div>'
    )


# ------------------------------------------------------------------------- the cards of both sides


def _lane(battle: Battle, side: int, lang: str) -> str:
    """One side as it lies after the step that is looked at."""
    now, base, extras = battle.seen_steps, battle.bases[side], battle.extras[side]
    known = fates(now)
    # A step that was asked for shows what it moves.
    moved = fates(now[-1:]) if battle.shown else {}
    drawn = [
        laid(
            _card(battle, card, Place(side, "extra"), lang),
            known.get(card),
            lang,
            "cl-moved" if card in moved else "",
        )
        for card in in_order(extras, known)
    ]
    if len(extras) < 4:
        drawn.append(laid(_card(battle, None, Place(side, "extra"), lang), None, lang, "cl-add"))
    total = sum(card.rank for card in counted(extras, known)) + (base.rank if base else 0)
    return lane(
        SIDES[side],
        "",
        laid(_card(battle, base, Place(side, "base"), lang), None, lang),
        "".join(drawn),
        str(total) if battle.verdict else "?",
        lang,
    )


def _card(battle: Battle, card: Card | None, place: Place, lang: str) -> str:
    """What lies in a place; a click makes it the place where the next card goes."""
    here = place == battle.place
    name, spoken = _name(place, lang), html.spoken(card, lang) if card else ""
    return html.card(
        card,
        lang,
        f":place {place}",
        pressed=here,
        look="cl-here" if here and (card is None or place.kind == "base") else "",
        label=f"{name}: {spoken or locale.text('widgets.empty', lang)}",
    )


def _name(place: Place, lang: str) -> str:
    return locale.text(f"widgets.judge.place.{place.kind}.{SIDES[place.side]}", lang)


def _end(battle: Battle, lang: str) -> str:
    """The verdict in large letters."""
    verdict = battle.verdict
    if not battle.cards:
        told, verdict = _say("widgets.judge.no_cards", lang), None
    elif verdict is None:
        told = _say("widgets.judge.open", lang)
    else:
        told = f"{_say(ends(verdict), lang)} {html.rule_badge('C17')}"
    return f'<p class="cl-verdict">{score(verdict)}<span>{told}</span></p>'


def _spade(battle: Battle, lang: str) -> str:
    """What the spade may cancel, with what comes of each choice."""
    outcomes = battle.outcomes
    if len(outcomes) < 2:
        return ""
    buttons = "".join(
        html.button(
            outcome(choice, verdict, lang),
            f":cancel {choice.ascii if isinstance(choice, Card) else choice}",
            look="cl-outcome",
            pressed=choice == battle.cancel,
        )
        for choice, verdict in outcomes
    )
    title = f"{html.rule_badge('C16b')} {_say('widgets.judge.choice', lang)}"
    return (
        f'<section class="cl-choice"><h3>{title}</h3>'
        f'<div class="cl-outcomes" data-group="cancel">{buttons}</div></section>'
    )


# ---------------------------------------------------------------------------------------- the pack


def _tabs(battle: Battle, lang: str) -> str:
    """The places, of which one is the current one."""
    tabs = "".join(
        html.button(
            f"{icon(SIDES[place.side])}{_say(f'widgets.judge.{place.kind}', lang)}",
            f":place {place}",
            look=f"cl-tab cl-{SIDES[place.side]}",
            pressed=place == battle.place,
        )
        for place in PLACES
    )
    return f'<div class="cl-tabs" data-group="tabs">{tabs}</div>'


def _pack(battle: Battle, lang: str) -> str:
    """The pack by suits; what cannot be laid in the current place is grey."""
    here, name = battle.here, escape(_name(battle.place, lang))
    rows = []
    for suit in _SUITS:
        picks = "".join(
            html.pick(card, lang, enabled=battle.refusal(card) is None, pressed=card in here)
            for card in PACK
            if card.suit is suit
        )
        rows.append(
            f'<div class="cl-suit" role="group" aria-label="{name}" data-group="{suit.letter}">'
            f"{picks}</div>"
        )
    return f'<div class="cl-suits">{"".join(rows)}</div>'


# --------------------------------------------------------------------------------------- the steps


def _steps(battle: Battle, lang: str) -> str:
    """The steps of the verdict in words; a click on one shows the cards as they lie then."""
    steps, seen = battle.steps, len(battle.seen_steps)
    if not steps:
        return ""
    lines = []
    for number, event in enumerate(steps):
        words = html.sentence(_sentence(event, lang))
        step = html.button(
            f"{html.rule_badge(event.rule)} <span>{words}</span>",
            f":step {number}",
            look="cl-step" if number < seen else "cl-step cl-later",
            pressed=number == seen - 1,
        )
        lines.append(f"<li>{step}</li>")
    return _panel("".join(lines), lang, "cl-told")


def _hints(lang: str) -> str:
    """How a battle is judged, before there are cards."""
    lines = "".join(
        f"<li>{html.rule_badge(rule)} <span>{_say(f'widgets.judge.hint.{rule}', lang)}</span></li>"
        for rule in ("C16a", "C16b", "C16c", "C16f", "C17")
    )
    return _panel(lines, lang, "cl-told cl-story")


def _panel(lines: str, lang: str, look: str) -> str:
    title = _say("widgets.judge.steps", lang)
    return (
        f'<section class="cl-panel {look}"><h3>{title}</h3>'
        f'<ol data-group="steps">{lines}</ol></section>'
    )


def _sentence(event: Event, lang: str) -> str:
    if event.rule == "C17":
        return locale.text(f"widgets.judge.{event.kind}", lang, **event.data)
    names = [locale.text(f"widgets.judge.{name}", lang) for name in ("attacker", "defender")]
    return html.capital(event.text(lang, names))


# --------------------------------------------------------------------------------------- the tools


def _tools(battle: Battle, lang: str) -> str:
    buttons = "".join(
        html.button(_say(f"widgets.judge.{verb}", lang), f":{verb}") for verb in ("swap", "clear")
    )
    label, load = _say("widgets.judge.line", lang), _say("widgets.deck.load", lang)
    form = html.form(label, battle.line, ":load", load, 120)
    options = "".join(_option(battle, name, lang) for name in OPTIONS)
    return f'<div class="cl-buttons" data-group="buttons">{buttons}</div>{form}{options}'


def _option(battle: Battle, name: str, lang: str) -> str:
    """One option as a row of buttons, of which one is pressed."""
    key = f"chat.option.{name}"
    buttons = "".join(
        html.button(
            _say(f"{key}.{value}", lang),
            f":rule {name}={value}",
            pressed=getattr(battle.rules, name) == value,
        )
        for value in OPTIONS[name]
    )
    label = _say(key, lang)
    return (
        f'<div class="cl-option" role="group" aria-label="{label}" data-group="{name}">'
        f"<span>{label}</span>{buttons}</div>"
    )


def _say(key: str, lang: str) -> str:
    return escape(locale.text(key, lang))
