"""Tables and cards as HTML: pure functions from what a seat sees to what the page shows.

Whatever a reader can click is a ``<button data-action="play Ks">``; the action is in the game's own
notation, or begins with a colon when it speaks to the table and not to the game (``:reveal``). A
card whose face the seat cannot see is a back like any other: the page holds nothing about it.

The markup is well-formed XML, so that :func:`picture` can put it into an SVG image, which is shown
even where style sheets and scripts are taken out of a notebook.
"""

from __future__ import annotations

import base64
import random
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from html import escape
from importlib import import_module, resources
from importlib.util import find_spec
from typing import Any, Protocol

from cardlab import locale
from cardlab.cards import UNKNOWN, Card, Suit
from cardlab.engine import Action, Event, Observation, Zones
from cardlab.errors import CardlabError
from cardlab.widgets.faces import face, has_name, is_own, symbols
from cardlab.widgets.selection import Selection


@dataclass(frozen=True, kw_only=True)
class View:
    """What is drawn: what one seat sees, and how it wants to see it.

    Attributes
    ----------
    observation
        What the seat sees.
    legal
        The seat's legal actions.
    names
        The name of each seat.
    lang
        Language of every text.
    four_colour
        Whether each suit has a colour of its own.
    solo
        Whether one person alone looks at the screen, who can be called "you".
    chosen
        The places, in the hand, of the cards that the seat has chosen so far for a decision about
        several.
    knows
        Whether to show also what can be known of hidden cards.
    """

    observation: Observation
    names: tuple[str, ...]
    legal: tuple[Action, ...] = ()
    lang: str = "en"
    four_colour: bool = False
    solo: bool = True
    chosen: tuple[int, ...] = ()
    knows: bool = False

    @property
    def me(self) -> int:
        """The seat that looks."""
        return self.observation.player

    def text(self, key: str, **params: Any) -> str:
        """A sentence of the catalogues, ready for HTML."""
        return escape(locale.text(key, self.lang, **params))

    def zones(self, seat: int) -> Zones:
        """What the zones of a seat hold, as far as it is seen."""
        return self.observation.players[seat]

    def name(self, seat: int) -> str:
        """The name of a seat, ready for HTML."""
        return escape(self.names[seat])

    def zone(self, name: str) -> str:
        """The name of a zone, ready for HTML."""
        return self.text(f"{self.observation.game}.zone.{name}")

    def label(self, action: Action) -> str:
        """An action in words that can be read aloud."""
        arg = action.arg
        key = f"{self.observation.game}.action.{action.kind}"
        if isinstance(arg, int) and locale.has(f"{key}.seat", self.lang):
            return locale.text(f"{key}.seat", self.lang, player=self.names[arg])
        params: dict[str, Any] = {}
        if isinstance(arg, Card):
            params = {"card": spoken(arg, self.lang)}
        elif isinstance(arg, tuple):
            params = {"cards": tuple(spoken(card, self.lang) for card in arg)}
        elif isinstance(arg, int):
            params = {"slot": arg, "n": arg}
        elif isinstance(arg, str) and locale.has(f"{key}.{arg}", self.lang):
            key += f".{arg}"
        return capital(locale.text(key, self.lang, **params))

    def card(
        self, shown: Card | None, action: Action | None = None, *, look: str = "", label: str = ""
    ) -> str:
        """A card as :func:`card` draws it; a click on it means ``action``."""
        if action is None:
            return card(shown, self.lang, look=look, label=label)
        enabled = action in self.legal
        return card(
            shown, self.lang, str(action), enabled=enabled, look=look, label=self.label(action)
        )


class Composer(Protocol):
    """A decision that takes more than one click, such as a whole deck."""

    height: int

    def click(self, action: str, rng: random.Random) -> None:
        """Do what a click asks for. Raises a :class:`CardlabError` that says why it cannot be."""

    def actions(self) -> list[Action]:
        """The actions that the decision comes to; the same kind of error while it is incomplete."""

    def prompt(self, lang: str) -> str:
        """What is to be done next, as HTML for the status line."""

    def table(self, lang: str, submit: bool = False) -> str:
        """What is shown, as HTML; with a button that ends it, if ``submit``."""

    def words(self, lang: str) -> str:
        """The same in words, ready for HTML."""


def layout_of(game: str) -> Any:
    """The module that draws a game: ``cardlab.widgets.layouts.<game>``, or the plain one.

    It has ``table(view) -> str``, ``HEIGHT`` (of the picture, in pixels at a width of
    :data:`WIDTH`), and may have ``composer(observation) -> Composer | Selection | None``,
    ``prompt(view) -> str`` (the status line) and ``KNOWS = True`` (if it can show what may be known
    of hidden cards). Drawings and styles that only this game needs are in ``<game>.svg`` and
    ``<game>.css`` beside it; ``SHEETS`` names others that it shares.
    """
    package = "cardlab.widgets.layouts"
    known = find_spec(f"{package}.{game}") is not None
    return import_module(f"{package}.{game if known else 'plain'}")


def sheets_of(game: str) -> tuple[str, ...]:
    """The names of the drawings and styles of a game."""
    return (game, *getattr(layout_of(game), "SHEETS", ()))


# ------------------------------------------------------------------------------------------- words


def spoken(card: Card, lang: str) -> str:
    """A card in words: "king of spades"."""
    if card is UNKNOWN:
        return locale.text("core.card.unknown", lang)
    if is_own(card):
        return locale.show("", card, lang)
    if card.suit is None:
        return locale.text("core.card.joker", lang)
    named = card.rank in (1, 11, 12, 13)
    rank = locale.text(f"core.card.{card.rank}", lang) if named else str(card.rank)
    suit = locale.text(f"core.card.{card.suit.name.lower()}", lang)
    return locale.text("core.card.name", lang, rank=rank, suit=suit)


def capital(text: str) -> str:
    """A sentence with a capital letter at its beginning."""
    return text[:1].upper() + text[1:]


_CARD = re.compile(r"(10|[2-9AJQK])([♠♥♦♣])")
_RULE = re.compile(r"\s*\[([A-Z]\d+[a-z]?)\]$")
_LETTER = {suit.symbol: suit.letter for suit in Suit}


def sentence(text: str) -> str:
    """A sentence as HTML: its cards in their colours, the rule number at its end as a badge."""
    html = _CARD.sub(lambda m: f'<b class="cl-t cl-{_LETTER[m[2]]}">{m[0]}</b>', escape(text))
    return _RULE.sub(lambda m: " " + rule_badge(m[1]), html)


def rule_badge(rule: str) -> str:
    """The small badge with the number of a rule."""
    return f'<span class="cl-rule">{escape(rule)}</span>'


def refusal(error: CardlabError, lang: str) -> str:
    """Why something was refused, as HTML for the status line."""
    return f'<span class="cl-refusal">{sentence(error.text(lang))}</span>'


def prompt(view: View) -> str:
    """What the seat is asked to do now, or how the game ended, as HTML for the status line."""
    seen = view.observation
    if seen.result is not None:
        return f'<span class="cl-prompt">{result(view)}</span>'
    turn = view.text("widgets.turn", turn=seen.turn)
    return f'<span class="cl-turn">{turn}</span> <span class="cl-prompt">{ask(view)}</span>'


def ask(view: View) -> str:
    """What the seat is asked to do now, or for whom it waits, ready for HTML."""
    seen = view.observation
    if view.me in seen.to_move:
        return view.text(f"{seen.game}.phase.{seen.phase}")
    waiting = tuple(view.names[seat] for seat in seen.to_move)
    return view.text("widgets.waiting", players=waiting)


def result(view: View) -> str:
    """How the game ended for the seat, ready for HTML."""
    result = view.observation.result or ()
    best = [seat for seat, points in enumerate(result) if points == max(result)]
    if len(best) == len(result):
        return view.text("widgets.result.draw")
    if view.solo:
        won = "win" if len(best) == 1 else "shared"
        return view.text(f"widgets.result.{won if view.me in best else 'loss'}")
    players = tuple(view.names[seat] for seat in best)
    return view.text(f"widgets.result.winner{'s' if len(best) > 1 else ''}", players=players)


def events(told: Iterable[Event], view: View) -> str:
    """Events in words, each with the number of its rule, as items of a list."""
    return "".join([_item(event.rule, event.text(view.lang, view.names)) for event in told])


@lru_cache(maxsize=4096)
def _item(rule: str, text: str) -> str:
    # Kept, as the table tells the whole log again at every click.
    return f"<li>{rule_badge(rule)} <span>{sentence(text)}</span></li>"


def story(title: str, told: Iterable[Event], view: View) -> str:
    """What has just happened: events in the order in which they came."""
    return f'<div class="cl-story"><h3>{title}</h3><ol>{events(told, view)}</ol></div>'


def hints(view: View, rules: Iterable[str]) -> str:
    """What the game is about, before anything has happened: a sentence for each rule."""
    game = view.observation.game
    lines = "".join(
        f"<li>{rule_badge(rule)} <span>{view.text(f'widgets.{game}.hint.{rule}')}</span></li>"
        for rule in rules
    )
    title = view.text(f"widgets.{game}.hints")
    return f'<div class="cl-story cl-hints"><h3>{title}</h3><ol>{lines}</ol></div>'


def log(view: View, skip: Iterable[str] = ()) -> str:
    """What has happened, the latest first; ``skip`` names kinds of events that are left out."""
    skipped = frozenset(skip)
    told = [event for event in reversed(view.observation.log) if event.kind not in skipped]
    title = view.text("widgets.log")
    return (
        f'<section class="cl-panel"><h3>{title}</h3>'
        f'<ol class="cl-log" tabindex="0" aria-label="{title}">{events(told, view)}</ol></section>'
    )


# ------------------------------------------------------------------------------------------- cards


def card(
    shown: Card | None,
    lang: str,
    action: str = "",
    *,
    enabled: bool = True,
    pressed: bool | None = None,
    look: str = "",
    label: str = "",
) -> str:
    """A card, a back (``UNKNOWN``) or an empty place (``None``).

    Parameters
    ----------
    action
        What a click on it sends; without one it cannot be clicked.
    enabled
        Whether the action can be done; if not it looks like it, and a click tells the reason.
    pressed
        Whether it is chosen, for a card that can be chosen and put back.
    look, label
        Further classes, and other words for it.
    """
    classes, inside, number = "cl-card", "", ""
    if shown is None:
        classes += " cl-empty"
        words = locale.text("widgets.empty", lang)
    elif shown is UNKNOWN:
        classes += " cl-back"
        words = spoken(shown, lang)
    else:
        classes += f" cl-face {_kind(shown)}"
        words, inside, number = spoken(shown, lang), face(shown, lang), _number(shown)
    classes += f" {look}" if look else ""
    words = escape(label or words)
    if not action:
        return f'<span class="{classes}"{number} role="img" aria-label="{words}">{inside}</span>'
    return (
        f'<button type="button" class="{classes}"{number} data-action="{escape(action)}"'
        f' aria-label="{words}"{_pressed(pressed)}{_disabled(enabled)}>{inside}</button>'
    )


def _kind(shown: Card) -> str:
    """The class of a card's face: its suit, or its name."""
    if is_own(shown):
        return f"cl-named cl-k-{shown.ascii}" if has_name(shown) else "cl-number"
    return f"cl-{shown.suit.letter if shown.suit else 'joker'}"


def _number(shown: Card) -> str:
    """The number of a card of a game's own, for the style sheet."""
    return f' style="--n:{shown.rank}"' if is_own(shown) else ""


def _pressed(pressed: bool | None) -> str:
    return "" if pressed is None else f' aria-pressed="{str(pressed).lower()}"'


def _disabled(enabled: bool) -> str:
    # aria-disabled leaves it clickable, and a click tells why it cannot be done.
    return "" if enabled else ' aria-disabled="true"'


def mini(shown: Card, lang: str) -> str:
    """A small card: index only."""
    if is_own(shown):
        name = escape(spoken(shown, lang))
        return (
            f'<span class="cl-mini {_kind(shown)}"{_number(shown)} role="img" aria-label="{name}">'
            f"{name}</span>"
        )
    if shown.suit is None:
        words = escape(spoken(shown, lang))
        return (
            f'<span class="cl-mini cl-joker" role="img" aria-label="{words}">'
            f"{escape(shown.ascii)}</span>"
        )
    words = escape(spoken(shown, lang))
    return (
        f'<span class="cl-mini cl-{shown.suit.letter}" role="img" aria-label="{words}">'
        f"{_index(shown)}</span>"
    )


def pick(shown: Card, lang: str, *, enabled: bool, pressed: bool) -> str:
    """A small card to be chosen from many."""
    assert shown.suit is not None
    return (
        f'<button type="button" class="cl-pick cl-{shown.suit.letter}" data-action="{shown.ascii}"'
        f' aria-label="{escape(spoken(shown, lang))}"{_pressed(pressed)}{_disabled(enabled)}>'
        f"{_index(shown)}</button>"
    )


def _index(shown: Card) -> str:
    assert shown.suit is not None
    return (
        f'{str(shown)[:-1]}<svg viewBox="0 0 24 24" aria-hidden="true">'
        f'<use href="#cl-{shown.suit.letter}"/></svg>'
    )


def row(name: str, items: Iterable[str], look: str = "") -> str:
    """A row of cards with a name; the keyboard stays in it when it is drawn again."""
    classes = f"cl-row {look}".strip()
    return (
        f'<div class="{classes}" role="group" aria-label="{name}" data-group="{name}">'
        f"{''.join(items)}</div>"
    )


def gone(shown: Card, lang: str) -> str:
    """The empty place of a card that is gone, with a reminder of which it was."""
    words = escape(locale.text("widgets.gone", lang, card=spoken(shown, lang)))
    return (
        f'<span class="cl-card cl-empty" role="img" aria-label="{words}">{mini(shown, lang)}</span>'
    )


def shields(view: View, seat: int, places: int, kind: str, fallen: Mapping[int, Card]) -> str:
    """The shields of a seat.

    Parameters
    ----------
    places
        How many there were.
    kind
        What kind of action a click on one of them is, if it is any.
    fallen
        The shields that are gone: slot and card.
    """
    held = view.zones(seat)["shields"]
    shown = []
    for slot in range(places):
        shield = held[slot] if slot < len(held) else None
        if slot in fallen:
            shown.append(gone(fallen[slot], view.lang))
            continue
        action = Action(kind, slot) if kind and shield is not None else None
        words = locale.text("widgets.shield", view.lang, slot=slot)
        shown.append(view.card(shield, action, label=words if shield is UNKNOWN else ""))
    return row(f"{view.zone('shields')}: {view.name(seat)}", shown, "cl-shields")


def fallen(view: View, seat: int, kinds: Iterable[str]) -> dict[int, Card]:
    """The shields that a seat has lost by events of these kinds: slot and card."""
    return {
        event.data["slot"]: event.data["card"]
        for event in view.observation.log
        if event.kind in kinds and event.data["target"] == seat
    }


def pile(name: str, cards: Sequence[object], area: str = "") -> str:
    """A face-down pile of which only the number of cards is drawn; ``area`` is its place."""
    count = len(cards)
    look = "cl-empty" if not count else "cl-back cl-stack" if count > 1 else "cl-back"
    place = f' style="grid-area:{area}"' if area else ""
    return (
        f'<div class="cl-pile"{place} role="img" aria-label="{name}: {count}">'
        f'<span class="cl-card {look}"></span><b>{count}</b><span>{name}</span></div>'
    )


def strip(name: str, cards: Iterable[Card], lang: str) -> str:
    """Many cards in little room: a panel with small cards."""
    shown = list(cards)
    return (
        f'<section class="cl-panel"><h3>{name} <span class="cl-count">{len(shown)}</span></h3>'
        f'<div class="cl-minis">{"".join(mini(card, lang) for card in shown)}</div></section>'
    )


def button(
    text: str, action: str, *, look: str = "", enabled: bool = True, pressed: bool | None = None
) -> str:
    """A button with words on it, or with anything else that is no button itself."""
    return (
        f'<button type="button" class="{f"cl-button {look}".strip()}"'
        f' data-action="{escape(action)}"{_pressed(pressed)}{_disabled(enabled)}>{text}</button>'
    )


def form(label: str, value: str, action: str, submit: str, longest: int) -> str:
    """A field for a line of text, which is sent with ``action`` before it."""
    field = (
        f'<input name="value" value="{escape(value)}" maxlength="{longest}" spellcheck="false"'
        ' autocomplete="off"/>'
    )
    return (
        f'<form class="cl-code" data-action="{action}"><label>{label} {field}</label>'
        f'<button type="submit" name="load" class="cl-button">{submit}</button></form>'
    )


# ----------------------------------------------------------------------------------------- screens


@dataclass(frozen=True, kw_only=True)
class Screen:
    """All that is shown at one time.

    Attributes
    ----------
    status, table
        The line above the table and the table, as HTML.
    words
        The table in words, ready for HTML.
    height
        How much of the height a picture of it takes, in pixels.
    """

    status: str
    table: str
    words: str
    height: int


def screen(
    view: View, composer: Composer | Selection | None = None, *, covered: bool = False
) -> Screen:
    """What the seat of ``view`` gets to see.

    Parameters
    ----------
    composer
        The decision that the seat is composing, if it takes many clicks.
    covered
        Whether somebody else may still sit before the screen, so that it has to show nothing.
    """
    lang, game = view.lang, view.observation.game
    layout = layout_of(game)
    if covered:
        name = view.names[view.me]
        ask = view.text("widgets.hand_over", player=name)
        reveal = button(view.text("widgets.reveal", player=name), ":reveal", look="cl-primary")
        drawn = f'<div class="cl-hand-over"><p>{ask}</p>{reveal}</div>'
        status, words, height = f'<span class="cl-prompt">{ask}</span>', ask, layout.HEIGHT
    elif composer is not None and not isinstance(composer, Selection):
        drawn = composer.table(lang, submit=True)
        phase = view.text(f"{game}.phase.{view.observation.phase}")
        status = f'<span class="cl-turn">{phase}</span> {composer.prompt(lang)}'
        words, height = composer.words(lang), composer.height
    else:
        if composer is not None:
            view = replace(view, chosen=composer.chosen)
        drawn = layout.table(view)
        status = getattr(layout, "prompt", prompt)(view)
        words, height = describe(view), layout.HEIGHT
    table = felt(drawn, game, lang, view.four_colour)
    return Screen(status=status, table=table, words=words, height=height)


def felt(inside: str, game: str, lang: str, four_colour: bool = False) -> str:
    """The cloth with whatever lies on it."""
    look = f"cl-felt cl-game-{escape(game)}" + (" cl-four" if four_colour else "")
    return f'<div class="{look}" lang="{lang}">{symbols(*sheets_of(game))}{inside}</div>'


def describe(view: View) -> str:
    """The table in a sentence or two, for those who cannot see its picture."""
    seen = view.observation
    parts = []
    for seat, zones in enumerate(seen.players):
        contents = []
        for zone, content in zones.items():
            held = [card for card in content if card is not None]
            if held:
                faces = [spoken(card, view.lang) for card in held if card is not UNKNOWN]
                shown = f" ({', '.join(faces)})" if zone == "hand" and faces else ""
                contents.append(f"{view.zone(zone)} {len(held)}{shown}")
        parts.append(f"{escape(view.names[seat])}: {', '.join(contents)}")
    return ". ".join(parts) + "."


# ----------------------------------------------------------------------------------------- picture

WIDTH = 960
"""Width of a picture in pixels."""


@cache
def style(game: str | None = None) -> str:
    """The style sheet of the tables of one game; by default that of all of them."""
    room = resources.files(__package__)
    wanted = None if game is None else sheets_of(game)
    own = [
        sheet.read_text(encoding="utf-8")
        for sheet in sorted(room.joinpath("layouts").iterdir(), key=lambda file: file.name)
        if sheet.name.endswith(".css")
        and (wanted is None or sheet.name.removesuffix(".css") in wanted)
    ]
    return "\n".join([room.joinpath("board.css").read_text(encoding="utf-8"), *own])


def picture(status: str, table: str, words: str, lang: str, height: int, game: str = "") -> str:
    """A still picture of a table for readers without a kernel.

    It is an image, because an image is what every viewer of notebooks shows: JupyterLab strips
    style sheets from a notebook that is not trusted.
    """
    page = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}"'
        f' viewBox="0 0 {WIDTH} {height}"><foreignObject width="{WIDTH}" height="{height}">'
        f'<div xmlns="http://www.w3.org/1999/xhtml" class="cl-board cl-picture">'
        f"<style>{style(game)}</style>"
        f'<div class="cl-status">{status}</div>{table}</div></foreignObject></svg>'
    ).replace(
        '<svg class="cl-symbols"', '<svg xmlns="http://www.w3.org/2000/svg" class="cl-symbols"'
    )
    page = page.replace("<svg viewBox=", '<svg xmlns="http://www.w3.org/2000/svg" viewBox=')
    data = base64.b64encode(page.encode()).decode()
    run = escape(locale.text("widgets.run_to_play", lang))
    return (
        f'<img src="data:image/svg+xml;base64,{data}" width="{WIDTH}" alt="{words}"'
        f' style="max-width:100%"/><p>{run}</p>'
    )
