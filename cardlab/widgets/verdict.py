"""How the verdict of CHAT on additional cards is drawn (C16), at the table and by the judge."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import NamedTuple

from cardlab import locale
from cardlab.cards import Card
from cardlab.engine import Event
from cardlab.games.chat import Resolution
from cardlab.widgets import html

SIDES = ("attack", "defence")


class Fate(NamedTuple):
    """What became of a card, and by which rule.

    ``word`` is ``"line"`` (it counts), ``"spent"`` (a spade that was used), ``"cancelled"``,
    ``"beaten"`` or ``"out"``; the table has words of its own for what lies in a joker's turn.
    """

    word: str
    rule: str


def fates(events: Iterable[Event]) -> dict[Card, Fate]:
    """What the steps of a verdict have made of each additional card so far."""
    found: dict[Card, Fate] = {}
    for event in events:
        data, rule = event.data, event.rule
        if event.kind in ("chat.shared", "chat.unopposed"):
            found.update({card: Fate("line", rule) for card in data["cards"]})
        elif event.kind == "chat.cancel":
            found[data["card"]] = Fate("spent", rule)
            found[data["cancelled"]] = Fate("cancelled", rule)
        elif event.kind == "chat.spade_unused":
            found[data["card"]] = Fate("line", rule)
        elif event.kind == "chat.beats":
            found[data["loser"]] = Fate("beaten", rule)
        elif event.kind in ("chat.one_one", "chat.two_one"):
            found[data["card"]] = Fate("line", rule)
            for card in data["cards"]:
                found.setdefault(card, Fate("out", rule))
    return found


def counted(extras: Iterable[Card], fates: Mapping[Card, Fate]) -> list[Card]:
    """The additional cards that are lined up beside the base card."""
    return [card for card in extras if card in fates and fates[card].word == "line"]


def in_order(extras: Sequence[Card], fates: Mapping[Card, Fate]) -> list[Card]:
    """Cards that count come first, beside the base card, and those that leave the game last."""
    line = counted(extras, fates)
    return sorted(extras, key=lambda card: 0 if card in line else 2 if card in fates else 1)


# --------------------------------------------------------------------------------------- drawing


def laid(drawn: str, fate: Fate | None, lang: str, look: str = "") -> str:
    """A drawn card, and below it what became of it."""
    classes, words = f"cl-laid {look}".strip(), ""
    if fate is not None:
        classes += f" cl-is-{fate.word}"
        words = f"{_say(f'widgets.chat.fate.{fate.word}', lang)}<small>{fate.rule}</small>"
    return f'<figure class="{classes}">{drawn}<figcaption>{words}</figcaption></figure>'


def icon(side: str) -> str:
    """A sword or a shield."""
    drawing = f'<use href="#cl-{side}"/>'
    return f'<svg viewBox="0 0 24 24" class="cl-icon" aria-hidden="true">{drawing}</svg>'


def lane(side: str, name: str, base: str, extras: str, total: str, lang: str) -> str:
    """One side of a battle: its total, its base card and the additional cards beside it."""
    word = _say(f"widgets.chat.{side}", lang)
    label = f"{word}: {name}" if name else word
    owner = f"<small>{name}</small>" if name else ""
    label = f"{word}: {name}" if name else word
    plus = '<i class="cl-plus">+</i>' if extras else ""
    return (
        f'<section class="cl-lane cl-{side}" aria-label="{label}">'
        f'<header>{icon(side)}<h4>{word}{owner}</h4><b class="cl-total">{total}</b></header>'
        f'<div class="cl-laid-cards" data-group="{side}">{base}{plus}{extras}</div></section>'
    )


def outcome(choice: Card | str, verdict: Resolution, lang: str) -> str:
    """What comes of one choice for the spade: the card and the totals."""
    key = "widgets.judge.cancels" if isinstance(choice, Card) else "widgets.judge.cancels_none"
    what = html.sentence(locale.text(key, lang, card=choice))
    return (
        f"<span>{what}</span>{score(verdict)}"
        f'<span class="cl-ends">{_say(ends(verdict), lang)}</span>'
    )


def score(verdict: Resolution | None) -> str:
    """Attack against defence, as two numbers."""
    attack, defence = (verdict.attack, verdict.defence) if verdict else ("?", "?")
    return (
        f'<span class="cl-score"><b class="cl-attack">{icon("attack")}{attack}</b>'
        f'<b class="cl-defence">{defence}{icon("defence")}</b></span>'
    )


def ends(verdict: Resolution) -> str:
    """The key of the words for who succeeds."""
    return f"widgets.judge.{'success' if verdict.success else 'defended'}"


def _say(key: str, lang: str) -> str:
    return escape(locale.text(key, lang))
