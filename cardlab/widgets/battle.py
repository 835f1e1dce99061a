"""A battle of CHAT: the cards of both sides as people lay them out, and the verdict on them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from cardlab import cards
from cardlab.cards import Card
from cardlab.engine import Event
from cardlab.errors import CardlabError, IllegalActionError, NotationError, RulesError
from cardlab.games.chat import CHATRules, Resolution, cancel_options, resolve
from cardlab.games.chat_judge import NONE
from cardlab.widgets.verdict import SIDES

OPTIONS: Mapping[str, tuple[Any, ...]] = {
    "spade_target": ("leftover", "any"),
    "spade_optional": (False, True),
}
"""The options that a verdict depends on, the default first."""


class Place(NamedTuple):
    """Where the next card goes: a side (0 attacks, 1 defends), as base or as additional card."""

    side: int
    kind: str

    def __str__(self) -> str:
        return f"{SIDES[self.side]} {self.kind}"


PLACES = tuple(Place(side, kind) for kind in ("base", "extra") for side in (0, 1))


class Battle:
    """The cards of a turn without a joker, and the verdict on them (C16, C17).

    Its cards never lie in a way in which they could not lie in a game.

    Parameters
    ----------
    line
        The cards in one line, as :attr:`line` has them; empty for none.
    spade_target, spade_optional
        The options of those names.

    >>> battle = Battle("5d + 6s 6h / 4s + 9c 9d")
    >>> [(str(choice), end.attack, end.defence) for choice, end in battle.outcomes]
    [('9♣', 5, 13), ('9♦', 11, 4)]
    >>> battle.choose("9d")
    >>> battle.line, battle.verdict.success
    ('5d + 6s 6h / 4s + 9c 9d x 9d', True)
    """

    def __init__(
        self, line: str = "", spade_target: str = "leftover", spade_optional: bool = False
    ) -> None:
        self.rules = CHATRules(spade_target=spade_target, spade_optional=spade_optional)
        self.clear()
        if line:
            self.load(line, spade_target=spade_target, spade_optional=spade_optional)

    def clear(self) -> None:
        """Take all cards away."""
        self.bases: list[Card | None] = [None, None]
        self.extras: list[list[Card]] = [[], []]
        self.cancel: Card | str | None = None
        self.place = PLACES[0]
        self.shown: int | None = None

    @property
    def cards(self) -> tuple[Card, ...]:
        """All cards that lie there."""
        bases = [base for base in self.bases if base is not None]
        return (*bases, *self.extras[0], *self.extras[1])

    @property
    def here(self) -> list[Card]:
        """The cards in the current place."""
        side, kind = self.place
        base = self.bases[side]
        return self.extras[side] if kind == "extra" else [base] if base is not None else []

    # The verdict.

    @property
    def choices(self) -> tuple[Card | str, ...]:
        """What the left-over spade may cancel, ``"none"`` included if it may be held back."""
        options = cancel_options(self.extras[0], self.extras[1], self.rules.spade_target)
        return (*options, NONE) if options and self.rules.spade_optional else options

    @property
    def outcomes(self) -> list[tuple[Card | str, Resolution]]:
        """Each choice that the owner of the left-over spade has, and what comes of it."""
        return [(choice, self._resolve(choice)) for choice in self.choices]

    @property
    def verdict(self) -> Resolution | None:
        """The verdict; ``None`` while the spade has a choice that is not made."""
        if self.cancel is None and len(self.choices) > 1:
            return None
        return self._resolve(self.cancel)

    def _resolve(self, cancel: Card | str | None) -> Resolution:
        return resolve(
            self.bases[0],
            self.extras[0],
            self.bases[1],
            self.extras[1],
            cancel,
            self.rules.spade_target,
            spade_optional=self.rules.spade_optional,
        )

    @property
    def steps(self) -> tuple[Event, ...]:
        """The steps of the verdict; only those before the spade while its choice is not made."""
        verdict = self.verdict
        if verdict is not None:
            return verdict.events
        _, first = self.outcomes[0]
        return tuple(event for event in first.events if event.rule == "C16a")

    @property
    def seen_steps(self) -> tuple[Event, ...]:
        """The steps up to the one that is looked at."""
        return self.steps[: self.shown]

    # Laying cards.

    def refusal(self, card: Card) -> CardlabError | None:
        """Why a card can be neither laid in the current place nor taken back, or ``None``."""
        here = self.here
        if card in here:
            return None
        if card.suit is None:
            return IllegalActionError("chat.error.no_joker", "C15", card=card)
        if card in self.cards:
            return IllegalActionError("widgets.judge.error.used", "C1", card=card)
        if self.place.kind == "extra" and here and here[0].rank != card.rank:
            return IllegalActionError(
                "widgets.judge.error.number", "C10", card=card, cards=tuple(here)
            )
        return None

    def toggle(self, card: Card) -> None:
        """Lay a card in the current place, or take it back. Raises what :meth:`refusal` returns."""
        refusal = self.refusal(card)
        if refusal is not None:
            raise refusal
        side, kind = self.place
        taken_back = card in self.here
        if kind == "base":
            self.bases[side] = None if taken_back else card
            self.place = self.place if taken_back else self._next()
        elif taken_back:
            self.extras[side].remove(card)
        else:
            self.extras[side].append(card)
        self._changed()

    def _next(self) -> Place:
        """Where a card is missing, or else may be added."""
        missing = [Place(side, "base") for side in (0, 1) if self.bases[side] is None]
        return missing[0] if missing else Place(0, "extra")

    def _changed(self) -> None:
        self.shown = None
        if self.cancel not in self.choices:
            self.cancel = None

    def choose(self, choice: Card | str) -> None:
        """Let the spade cancel a card, or ``"none"``.

        Raises :class:`IllegalActionError` for what it cannot cancel.
        """
        card = NONE if isinstance(choice, str) and choice == NONE else cards.card(choice)
        self._resolve(card)
        if card in self.choices:
            self.cancel, self.shown = card, None

    def swap(self) -> None:
        """Let the sides change places."""
        self.bases.reverse()
        self.extras.reverse()
        self._changed()

    def play_by(self, **options: Any) -> None:
        """Change ``spade_target`` or ``spade_optional``.

        Raises :class:`RulesError` for another option, or a value that is not allowed.
        """
        for name in options:
            if name not in OPTIONS:
                raise RulesError(
                    "core.error.option", game="chat", option=name, allowed=list(OPTIONS)
                )
        self.rules = replace(self.rules, **options)
        self._changed()

    # The cards as one line.

    @property
    def line(self) -> str:
        """The cards and the spade's choice in one line, which :meth:`load` reads back.

        A side is its base (``-`` for none), then ``+`` and the additional cards; the attack comes
        first, after ``/`` the defence, after ``x`` what the spade cancels. Options that are not the
        default follow.
        """
        sides = []
        for base, extras in zip(self.bases, self.extras, strict=True):
            words = [base.ascii if base else "-"]
            if extras:
                words += ["+", *(card.ascii for card in extras)]
            sides.append(" ".join(words))
        line = " / ".join(sides)
        if self.cancel is not None:
            line += f" x {self.cancel.ascii if isinstance(self.cancel, Card) else self.cancel}"
        for name, (usual, _) in OPTIONS.items():
            if getattr(self.rules, name) != usual:
                line += f" {name}={getattr(self.rules, name)}"
        return line

    def load(self, line: str, **usual: Any) -> None:
        """Lay the cards of a line, instead of all that lies there.

        An option that the line does not name gets its value from ``usual``, or its default: the
        same line has the same verdict everywhere.

        Raises :class:`NotationError` for a line that cannot be read, :class:`IllegalActionError`
        for cards that cannot lie like this, :class:`RulesError` for an option that does not exist.
        """
        words, options = _options(line)
        sides, _, cancel = words.partition(" x ")
        read = [_side(side) for side in sides.split("/")]
        if len(read) != 2 or any(len(base) > 1 for base, _ in read):
            raise NotationError("widgets.judge.error.line", line=line)
        other = Battle()
        other.play_by(**{**usual, **options})
        for place in PLACES:
            for card in read[place.side][place.kind == "extra"]:
                other.place = place
                if card in other.cards:
                    raise IllegalActionError("widgets.judge.error.used", "C1", card=card)
                other.toggle(card)
        other.place = other._next()
        if cancel.strip():
            other.choose(cancel.strip())
        self.__dict__.update(other.__dict__)

    # What the widget asks of it.

    def click(self, action: str) -> None:
        """Do what a click asks for.

        Raises a :class:`CardlabError` that says why it cannot be done; nothing has changed then.
        """
        verb, _, value = action.partition(" ")
        if verb == ":place":
            self.place = _named(PLACES, value, action)
        elif verb == ":cancel":
            self.choose(value)
        elif verb == ":step":
            numbers = range(len(self.steps))
            self.shown = _named(numbers, value, action) + 1
        elif verb == ":rule":
            self.play_by(**_options(value)[1])
        elif verb == ":swap":
            self.swap()
        elif verb == ":clear":
            self.clear()
        elif verb == ":load":
            self.load(value)
        else:
            self.toggle(Card.parse(action))


def _side(text: str) -> tuple[tuple[Card, ...], tuple[Card, ...]]:
    """Base and additional cards of one side in a line."""
    base, _, extras = text.partition("+")
    return cards.parse("" if base.strip() == "-" else base), cards.parse(extras)


def _options(line: str) -> tuple[str, dict[str, Any]]:
    """A line without its options, and the options."""
    words = line.split()
    options = dict(word.split("=", 1) for word in words if "=" in word)
    known = {str(value): value for values in OPTIONS.values() for value in values}
    return (
        " ".join(word for word in words if "=" not in word),
        {name: known.get(value, value) for name, value in options.items()},
    )


def _named(things: Iterable[Any], name: str, action: str) -> Any:
    """The one that is called so."""
    for thing in things:
        if str(thing) == name:
            return thing
    raise NotationError("widgets.judge.error.click", action=action)
