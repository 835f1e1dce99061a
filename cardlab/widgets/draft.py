"""A deck of GPT under construction: what may still go in, and how it looks."""

from __future__ import annotations

import random
from collections.abc import Iterable
from html import escape

from cardlab import locale
from cardlab.cards import Card, Suit
from cardlab.engine import Action
from cardlab.errors import CardlabError, DeckError, IllegalActionError, RulesError
from cardlab.games.gpt_deck import (
    CAP,
    RANK_OF_BIT,
    SIZE,
    SUITS,
    UNIVERSE,
    Deck,
    best_completion,
    check_deck,
    choices,
    count_decks,
    draw_deck,
    lightest,
    lightest_with,
)
from cardlab.widgets import html


class Draft:
    """A choice of cards from which a legal deck can always still be made.

    Parameters
    ----------
    size, cap
        How many cards a deck has, and what their numbers may sum to at the most (G4).
    seat
        Whose suits the cards have.
    picked
        Cards that are in the deck for good.

    >>> draft = Draft()
    >>> draft.toggle(Card.parse("K♠"))
    >>> draft.deck.sum, draft.completions
    (13, 985665)
    """

    height = 520

    def __init__(
        self, size: int = SIZE, cap: int = CAP, seat: int = 0, picked: Iterable[Card] = ()
    ) -> None:
        _check(size, cap, seat)
        self.size, self.cap, self.seat = size, cap, seat
        self.picked = tuple(picked)
        self.cards: list[Card] = list(self.picked)

    @property
    def deck(self) -> Deck:
        """The cards chosen so far."""
        return Deck.of(self.cards)

    @property
    def is_complete(self) -> bool:
        """Whether the choice is a legal deck."""
        return len(self.cards) == self.size

    @property
    def completions(self) -> int:
        """How many legal decks hold all cards that are chosen."""
        return count_decks(self.size, self.cap, allowed=choices(required=self.deck))

    # Choosing.

    def refusal(self, card: Card) -> CardlabError | None:
        """Why a card can be neither chosen nor put back, or ``None``."""
        if card in self.picked:
            return IllegalActionError("gpt.error.picked", "G4", card=card)
        if card in self.cards:
            return None
        if card not in UNIVERSE[self.seat]:
            red, black = SUITS[self.seat]
            return IllegalActionError(
                "gpt.error.suits", "G3", cards=(card,), red=red.symbol, black=black.symbol
            )
        if self.is_complete:
            return IllegalActionError("widgets.error.deck_full", "G4", card=card, n=self.size)
        if self._fits(card):
            return None
        return IllegalActionError(
            "gpt.error.pick_too_heavy",
            "G4",
            card=card,
            cap=self.cap,
            rest=self.size - len(self.cards) - 1,
            heaviest=max(other.rank for other in self._others() if self._fits(other)),
        )

    def _others(self) -> list[Card]:
        """The cards that are not chosen, from the lowest up."""
        return [card for card in UNIVERSE[self.seat] if card not in self.cards]

    def _fits(self, card: Card) -> bool:
        """Whether the lightest deck with this card too is under the cap."""
        rest = [other for other in self._others() if other is not card]
        return lightest_with([*self.cards, card], rest, self.size) <= self.cap

    def toggle(self, card: Card) -> None:
        """Choose a card, or put it back. Raises what :meth:`refusal` returns."""
        refusal = self.refusal(card)
        if refusal is not None:
            raise refusal
        if card in self.cards:
            self.cards.remove(card)
        else:
            self.cards.append(card)

    def fill(self) -> None:
        """Add the cards that make the sum as high as it can be."""
        best = best_completion(self.deck, self.size, self.cap)
        assert best is not None
        self._take(best)

    def fill_at_random(self, rng: random.Random) -> None:
        """Add cards so that every legal deck with those chosen so far is equally likely."""
        self._take(draw_deck(rng, self.size, self.cap, choices(required=self.deck)))

    def clear(self) -> None:
        """Put everything back."""
        self.cards = list(self.picked)

    def load(self, code: str) -> None:
        """Choose the cards of a deck code, which may be one of a deck that is not yet complete.

        Raises :class:`NotationError` for what is no code, and :class:`DeckError` when no legal deck
        holds these cards.
        """
        deck = Deck.parse(code)
        for card in self.picked:
            if card not in deck:
                raise IllegalActionError("widgets.error.deck_without", "G4", card=card)
        if not count_decks(self.size, self.cap, allowed=choices(required=deck)):
            if deck.size >= self.size:
                check_deck(deck, self.size, self.cap)
            raise DeckError("widgets.error.deck_too_heavy", "G4", n=self.size, cap=self.cap)
        self.cards = list(self.picked)
        self._take(deck)

    def _take(self, deck: Deck) -> None:
        self.cards += [card for card in deck.cards(self.seat) if card not in self.cards]

    # What the table and the builder ask of it.

    def click(self, action: str, rng: random.Random) -> None:
        """Do what a click asks for.

        Raises a :class:`CardlabError` that says why it cannot be done; nothing has changed then.
        """
        verb, _, value = action.partition(" ")
        if verb == ":fill":
            self.fill()
        elif verb == ":random":
            self.fill_at_random(rng)
        elif verb == ":clear":
            self.clear()
        elif verb == ":load":
            self.load(value)
        else:
            self.toggle(Card.parse(action.removeprefix("pick ")))

    def actions(self) -> list[Action]:
        """The picks that make this deck.

        Raises :class:`IllegalActionError` while it is incomplete.
        """
        if not self.is_complete:
            raise IllegalActionError(
                "widgets.error.deck_incomplete", "G4", n=self.size - len(self.cards)
            )
        return [Action("pick", card) for card in self.cards[len(self.picked) :]]

    def prompt(self, lang: str) -> str:
        """What is to be done next, as HTML for the status line."""
        deck = self.deck
        if self.is_complete:
            text = locale.text("widgets.deck.ready", lang, n=deck.size, total=deck.sum)
        else:
            text = locale.text("widgets.deck.prompt", lang, n=self.size - deck.size)
        return f'<span class="cl-prompt">{escape(text)}</span>'

    def words(self, lang: str) -> str:
        """The choice in words, ready for HTML."""
        held = ", ".join(html.spoken(card, lang) for card in self.deck.cards(self.seat))
        facts = f"{self.deck.size}/{self.size}, {self.deck.sum}/{self.cap}"
        return escape(f"{locale.text('gpt.zone.deck', lang)} {facts}" + (held and f": {held}"))

    def table(self, lang: str, submit: bool = False) -> str:
        """The builder as HTML; with a button that hands the deck in, if ``submit``."""
        full = min(100, 100 * self.deck.sum / self.cap)
        rows = "".join(self._row(suit, lang) for suit in reversed(SUITS[self.seat]))
        return (
            f'<div class="cl-builder"><div class="cl-meter"><i style="width:{full:.1f}%"></i></div>'
            f'<div class="cl-facts">{self._facts(lang)}</div><div class="cl-rows">{rows}</div>'
            f"{self._buttons(lang, submit)}{self._code(lang)}</div>"
        )

    def _facts(self, lang: str) -> str:
        facts = {
            "cards": f"{len(self.cards)}<small> / {self.size}</small>",
            "sum": f"{self.deck.sum}<small> / {self.cap}</small>",
            "left": f"{self.cap - self.deck.sum}",
            "completions": f"{self.completions:,}",
        }
        return "".join(
            f"<div><span>{_say(f'widgets.deck.{name}', lang)}</span><b>{value}</b></div>"
            for name, value in facts.items()
        )

    def _buttons(self, lang: str, submit: bool) -> str:
        missing = not self.is_complete
        enabled = {
            "fill": missing,
            "random": missing,
            "clear": len(self.cards) > len(self.picked),
        }
        if submit:
            enabled["submit"] = not missing
        buttons = "".join(
            html.button(
                _say(f"widgets.deck.{name}", lang),
                f":{name}",
                look="cl-primary" if name == "submit" else "",
                enabled=usable,
            )
            for name, usable in enabled.items()
        )
        return f'<div class="cl-buttons" data-group="buttons">{buttons}</div>'

    def _code(self, lang: str) -> str:
        label, submit = _say("widgets.deck.code", lang), _say("widgets.deck.load", lang)
        return html.form(label, self.deck.code, ":load", submit, 40)

    def _row(self, suit: Suit, lang: str) -> str:
        cards = [self._card(card, lang) for card in UNIVERSE[self.seat] if card.suit is suit]
        return html.row(_say(f"core.card.{suit.name.lower()}", lang), cards, "cl-all")

    def _card(self, card: Card, lang: str) -> str:
        chosen = card in self.cards
        return html.card(
            card,
            lang,
            str(Action("pick", card)),
            enabled=self.refusal(card) is None,
            pressed=chosen,
            look="cl-chosen" if chosen else "",
        )


def _say(key: str, lang: str) -> str:
    return escape(locale.text(key, lang))


def _check(size: int, cap: int, seat: int) -> None:
    """Raise :class:`RulesError` unless there is a deck of this size under this cap."""
    for option, value, low, high in (
        ("size", size, 1, len(UNIVERSE[0])),
        ("cap", cap, 1, sum(RANK_OF_BIT)),
        ("seat", seat, 0, len(UNIVERSE) - 1),
    ):
        if type(value) is not int or not low <= value <= high:
            raise RulesError(
                "core.error.option_range", option=option, value=repr(value), low=low, high=high
            )
    if lightest(size) > cap:
        raise RulesError("gpt.error.cap_too_low", cap=cap, size=size, least=lightest(size))
