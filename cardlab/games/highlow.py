"""High-Low: draw on or hold; a higher card adds, a lower one subtracts (H1 to H12).

One of the drafts that led to Alicematic, concrete enough to be played and solved. The numbers in
brackets are those of the rulebook, ``cardlab rules highlow``.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from cardlab import chance
from cardlab.cards import ORDER, Card
from cardlab.engine import (
    END,
    Action,
    Event,
    Game,
    Observation,
    Rules,
    Seat,
    State,
    choice,
    number,
    shared_win,
)
from cardlab.errors import (
    CardlabError,
    IllegalActionError,
    NotationError,
    PositionError,
    RulesError,
)
from cardlab.games import collect_cards
from cardlab.games.collect_cards import PLAIN, SUITED, SUITS, Kind

__all__ = ["PRESETS", "HighLow", "HighLowRules", "HighLowState", "score", "signs"]

PRESETS: dict[str, dict[str, Any]] = {}
"""The drafts by name: for each the options that make it what it is."""

for _row in collect_cards.table("presets_highlow"):
    PRESETS.setdefault(_row["preset"], {})[_row["option"]] = json.loads(_row["value"])

EQUAL = {"zero": 0, "plus": 1, "minus": -1}
"""What a card counts that is as high as the one before, for each value of the option (H7)."""


# ---------------------------------------------------------------------------------- pure decisions


def signs(cards: Iterable[Card | str], equal: str = "zero") -> tuple[int, ...]:
    """Whether each card of a hand adds (1), subtracts (-1) or does neither (0) (H4, H7).

    >>> signs(["12", "14", "8"])
    (1, 1, -1)
    """
    return tuple([sign for _, sign in _signed(cards, equal)])


def score(
    cards: Iterable[Card | str],
    equal: str = "zero",
    unused: int = 0,
    pass_penalty: int = 0,
    safety: str = "none",
    suit: str | None = None,
) -> int:
    """The points of a hand in the order in which it was drawn (H4, H7, H10, H11).

    Parameters
    ----------
    cards
        The hand, first card first.
    equal
        What a card does that is as high as the one before: ``"zero"``, ``"plus"``, ``"minus"``.
    unused, pass_penalty
        How many draws were not taken, and what each of them costs.
    safety, suit
        What the safety card of ``suit`` makes of a minus in that suit: ``"plus"`` or ``"zero"``.

    >>> score(["12", "14"]), score(["12", "8"]), score(["12"], unused=4, pass_penalty=2)
    (26, 4, 4)
    >>> score(["8a", "3b"]), score(["8a", "3b"], safety="plus", suit="b")
    (5, 11)
    """
    points = -unused * pass_penalty
    for card, sign in _signed(cards, equal):
        if sign < 0 and suit is not None and card.group == suit:
            sign = EQUAL[safety]
        points += sign * card.rank
    return points


def _signed(cards: Iterable[Card | str], equal: str) -> Iterable[tuple[Kind, int]]:
    last = 0
    for card in map(collect_cards.parse, cards):
        yield card, (card.rank > last) - (card.rank < last) or EQUAL[equal]
        last = card.rank


# ------------------------------------------------------------------------------------------- rules


@dataclass(frozen=True, kw_only=True)
class HighLowRules(Rules):
    """The options of High-Low; the defaults are those of the draft ``d1``.

    Attributes
    ----------
    n_players
        Number of players (H1).
    highest, copies, suits
        The cards: numbers from 1 up to ``highest``, so many copies of each in each suit (H2).
    max_cards
        How many cards a player may have in all (H9).
    decks
        Whether all draw from one pile, or each from one of their own (H3).
    order
        Whether players decide in turn, or each draws to the end before the next begins (H5).
    equal
        What a card does that is as high as the one before (H7).
    pass_penalty
        What each draw costs that is not taken (H11).
    safety
        Whether there are safety cards, and what a minus of their suit becomes (H10).
    """

    n_players: int = number(2, 2, 6)
    highest: int = number(20, 2, 20)
    copies: int = number(1, 1, 10)
    suits: int = number(1, 1, 5)
    max_cards: int = number(5, 2, 6)
    decks: str = choice("shared", "separate")
    order: str = choice("in_turn", "one_by_one")
    equal: str = choice("zero", "plus", "minus")
    pass_penalty: int = number(0, 0, 20)
    safety: str = choice("none", "plus", "zero")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.safety != "none" and self.suits == 1:
            raise RulesError("highlow.error.one_suit")
        hands = self.n_players if self.decks == "shared" else 1
        if self.n_cards < hands * self.max_cards:
            raise RulesError(
                "highlow.error.few_cards", have=self.n_cards, needed=hands * self.max_cards
            )

    @property
    def n_cards(self) -> int:
        """The size of a deck."""
        return self.highest * self.copies * self.suits


class HighLowSeat(Seat):
    """What one seat has: its hand in the order drawn, and a pile if each has one of its own."""

    __slots__ = ("hand", "pile")

    hand: list[Kind]
    pile: list[Kind]


class HighLowTable(Seat):
    """The common pile, its next card last."""

    __slots__ = ("pile",)

    pile: list[Kind]


# ------------------------------------------------------------------------------------------- state


class HighLowState(State):
    """A position of High-Low. The only phase is ``choose``: draw or hold (H6).

    Attributes
    ----------
    start
        The seat that began.
    shown
        For each seat whether it has laid its hand open and draws no more.
    safety
        For each seat the suit of the safety card it has taken, or ``None``.
    """

    PUBLIC: ClassVar[Mapping[str, Any]] = {"start": 0, "shown": (), "safety": ()}

    __slots__ = tuple(PUBLIC)

    game: HighLow
    players: list[Any]
    start: int
    shown: tuple[bool, ...]
    safety: tuple[str | None, ...]

    # Set-up.

    def _set_up(self, events: list[Event]) -> None:
        game, n = self.game, len(self.players)
        own = game.rules.decks == "separate"
        events.append(Event("highlow.start", "H1", None, {"n": n}))
        events.append(Event("highlow.deck", "H2", None, {"n": game.rules.n_cards}))
        for place in self.players if own else [self.table]:
            place.pile = list(game.deck)
            self._shuffle(place.pile)
        events.append(Event("highlow.piles" if own else "highlow.pile", "H3"))
        for player, seat in enumerate(self.players):
            seat.hand = [self._pile(player).pop()]
            events.append(Event("highlow.first", "H4", player, {"card": seat.hand[0]}, player))
        self.start = chance.draw(self.seed, self.shuffles) % n
        self.shuffles += 1
        events.append(Event("highlow.begins", "H5", self.start))
        self.shown, self.safety = (False,) * n, (None,) * n
        self.turn, self.phase = 1, "choose"
        self.to_move = self._owed()

    def _pile(self, player: int) -> list[Kind]:
        """The pile from which a seat draws (H3)."""
        place = self.players[player] if self.game.rules.decks == "separate" else self.table
        pile: list[Kind] = place.pile
        return pile

    # Offering and refusing.

    def _legal(self, player: int) -> list[Action]:
        return [self.game.draw, *(self.game.hold[suit] for suit in self._holds())]

    def _holds(self) -> Sequence[str | None]:
        """The safety cards one of which a seat takes that holds; ``None`` where there is none."""
        left = [suit for suit in self.game.safety_suits if suit not in self.safety]
        return left or (None,)

    def _refusal(self, action: Action, player: int) -> CardlabError | None:
        if action == self.game.draw or (action.kind == "hold" and action.arg in self._holds()):
            return None
        if action.kind != "hold" or action not in self.game.actions:
            return IllegalActionError("highlow.error.phase_choose", "H6", action=str(action))
        left = [suit for suit in self._holds() if suit is not None]
        if action.arg is None:
            return IllegalActionError("highlow.error.take_safety", "H10", allowed=left)
        return IllegalActionError("highlow.error.safety_taken", "H10", suit=action.arg)

    # Carrying out.

    def _resolve(self, choices: Any, events: list[Event]) -> None:
        raise AssertionError("nobody chooses together with others in this game")

    def _step(self, action: Action, player: int, events: list[Event]) -> None:
        hand = self.players[player].hand
        if action.kind == "draw":
            self._draw(hand, player, events)
            if len(hand) == self.game.rules.max_cards:
                self._show("highlow.full", "H9", player, events)
        else:
            self._show("highlow.hold", "H8", player, events)
            self._settle(action.arg, player, events)
        self.turn += 1
        if all(self.shown):
            self._count(events)
        else:
            self.to_move = self._owed()

    def _draw(self, hand: list[Kind], player: int, events: list[Event]) -> None:
        hand.append(self._pile(player).pop())
        last, card = hand[-2:]
        sign = signs((last, card), self.game.rules.equal)[1]
        word = _COMPARED[(card.rank > last.rank) - (card.rank < last.rank)]
        data = {"card": card, "last": last, "choice": word, "points": sign * card.rank}
        events.append(Event("highlow.draw", "H7", player, data, player))

    def _show(self, kind: str, rule: str, player: int, events: list[Event]) -> None:
        self.shown = _changed(self.shown, player, True)
        hand = tuple(self.players[player].hand)
        points = score(hand, self.game.rules.equal)
        events.append(Event(kind, rule, player, {"cards": hand, "points": points}))

    def _settle(self, suit: Any, player: int, events: list[Event]) -> None:
        """The consequences of a hold: a safety card (H10), a penalty (H11)."""
        if suit is not None:
            self.safety = _changed(self.safety, player, suit)
            events.append(Event("highlow.safety", "H10", player, {"suit": suit}))
        penalty = self.game.rules.pass_penalty
        if penalty:
            unused = self._unused(player)
            data = {"n": unused, "points": unused * penalty}
            events.append(Event("highlow.penalty", "H11", player, data))

    def _unused(self, player: int) -> int:
        return int(self.game.rules.max_cards - len(self.players[player].hand))

    def _count(self, events: list[Event]) -> None:
        points = self.scores()
        for player, own in enumerate(points):
            events.append(Event("highlow.score", "H12", player, {"points": own}))
        winners = _winners(points)
        kind = "highlow.win" if len(winners) == 1 else "highlow.shared"
        events += [Event(kind, "H12", player) for player in winners]
        self._finish(shared_win(winners, len(points)))

    # Looking.

    def scores(self) -> list[int]:
        """The points of each seat if all held now; safety cards count where they are taken."""
        rules = self.game.rules
        return [
            score(
                seat.hand,
                rules.equal,
                self._unused(player),
                rules.pass_penalty,
                rules.safety,
                self.safety[player],
            )
            for player, seat in enumerate(self.players)
        ]

    def _sees(self, viewer: int, owner: int | None, zone: str) -> bool:
        return zone == "hand" and owner is not None and (viewer == owner or self.shown[owner])

    def _owed(self) -> tuple[int, ...]:
        """Whoever has the fewest cards, or is first, of those that still draw (H5)."""
        if self.phase == END:
            return ()
        drawing = self._drawing()
        if self.game.rules.order == "one_by_one":
            return (drawing[0],)
        return (min(drawing, key=lambda player: len(self.players[player].hand)),)

    def _drawing(self) -> list[int]:
        """The seats that still draw, in the order of play."""
        n = len(self.players)
        order = [(self.start + place) % n for place in range(n)]
        return [player for player in order if not self.shown[player]]

    # Judging a position.

    def _check(self) -> None:
        n = len(self.players)
        self.shown = self.shown or (False,) * n
        self.safety = self.safety or (None,) * n
        self._check_public(n)
        self._check_cards()
        self._check_order()
        over = all(self.shown)
        result = shared_win(_winners(self.scores()), n) if over else None
        if over != (self.phase == END) or self.result != result:
            raise PositionError("highlow.position.result")

    def _check_public(self, n: int) -> None:
        shown: Any = self.shown
        safety: Any = self.safety
        taken = [suit for suit in safety if suit is not None] if isinstance(safety, tuple) else []
        for name, fits in {
            "turn": self.turn >= 1,
            "start": self.start in range(n) and type(self.start) is int,
            "shown": isinstance(shown, tuple) and [*map(type, shown)] == [bool] * n,
            "safety": isinstance(safety, tuple)
            and len(safety) == n
            and all(suit in self.game.safety_suits for suit in taken)
            and len({*taken}) == len(taken),
        }.items():
            if not fits:
                raise PositionError(
                    "highlow.position.field", entry=name, value=str(getattr(self, name))
                )

    def _check_cards(self) -> None:
        """Every card of every deck is there; those that are not listed lie in the pile."""
        if self.out or any(None in each for seat in self.players for each in seat.zones().values()):
            raise PositionError("highlow.position.place")
        if self.game.rules.decks == "separate":
            if self.table.pile:
                raise PositionError("highlow.position.place")
            for seat in self.players:
                self._fill_pile(seat, seat.hand)
        else:
            if any(seat.pile for seat in self.players):
                raise PositionError("highlow.position.place")
            self._fill_pile(self.table, [card for seat in self.players for card in seat.hand])

    def _fill_pile(self, place: Any, drawn: Sequence[Kind]) -> None:
        if None in place.pile:
            raise PositionError("highlow.position.place")
        deck, found = Counter(self.game.deck), Counter([*drawn, *place.pile])
        for card in found - deck:
            raise PositionError(
                "highlow.position.too_many", card=card, found=found[card], most=deck[card]
            )
        missing = sorted((deck - found).elements(), key=ORDER)
        if missing and place.pile:
            raise PositionError("core.position.missing", cards=tuple(missing))
        if missing:
            self._shuffle(missing)
            place.pile = missing

    def _check_order(self) -> None:
        """Sizes of hands fit the order of play; only those who held have a safety card."""
        most = self.game.rules.max_cards
        sizes = [len(seat.hand) for seat in self.players]
        full = [size == most for size in sizes]
        if not all(1 <= size <= most for size in sizes):
            raise PositionError("highlow.position.hands", most=most)
        if any(now and not shown for now, shown in zip(full, self.shown, strict=True)):
            raise PositionError("highlow.position.full", most=most)
        held = [shown and not now for now, shown in zip(full, self.shown, strict=True)]
        takes = sorted(held)[-len(self.game.safety_suits) :] if self.game.safety_suits else []
        taken = [suit is not None for suit in self.safety]
        if sum(taken) != sum(takes) or any(
            took and not holds for took, holds in zip(taken, held, strict=True)
        ):
            raise PositionError("highlow.position.safety")
        drawn = [sizes[player] for player in self._drawing()]
        if self.game.rules.order == "one_by_one":
            fits = all(size == 1 for size in drawn[1:])
        else:
            fits = drawn == sorted(drawn, reverse=True) and max(drawn, default=1) <= 1 + min(
                drawn, default=1
            )
        if not fits:
            raise PositionError("highlow.position.order")


_COMPARED = {1: "higher", 0: "equal", -1: "lower"}


def _changed(values: tuple[Any, ...], place: int, value: Any) -> tuple[Any, ...]:
    return (*values[:place], value, *values[place + 1 :])


def _winners(points: Sequence[int]) -> list[int]:
    best = max(points)
    return [player for player, own in enumerate(points) if own == best]


# -------------------------------------------------------------------------------------------- game


class HighLow(Game):
    """The game of High-Low; see :class:`HighLowRules` for its options.

    ``load_game("highlow", preset="d1b")`` takes the options of a draft from :data:`PRESETS`;
    further options go before them.

    Attributes
    ----------
    deck
        All cards of a deck, sorted.
    safety_suits
        The suits of which there is a safety card (H10).
    draw, hold
        The actions; those to hold by the suit of the safety card that is taken.
    """

    name = "highlow"
    rules_class = HighLowRules
    state_class = HighLowState
    seat_class = HighLowSeat
    table_class = HighLowTable
    phases = ("choose",)

    rules: HighLowRules

    def __init__(self, rules: HighLowRules) -> None:
        self.num_players = rules.n_players
        kinds = [PLAIN] if rules.suits == 1 else SUITED[: rules.suits]
        self.deck: tuple[Kind, ...] = tuple(
            sorted(
                [card for suit in kinds for card in suit[: rules.highest]] * rules.copies, key=ORDER
            )
        )
        self.safety_suits = () if rules.safety == "none" else tuple(SUITS[: rules.suits])
        self.draw = Action("draw")
        self.hold: dict[str | None, Action] = {
            suit: Action("hold", suit) for suit in (None, *self.safety_suits)
        }
        super().__init__(rules)

    @classmethod
    def with_options(cls, /, **options: Any) -> Self:
        """The game with the given options, which go before those of ``preset``.

        Raises :class:`RulesError`, for an unknown preset with the list of them.
        """
        preset = options.pop("preset", None)
        if preset is not None and preset not in list(PRESETS):
            raise RulesError("highlow.error.preset", value=repr(preset), allowed=sorted(PRESETS))
        chosen = {} if preset is None else PRESETS[preset]
        return cls(cls._rules_from(chosen | options, extra=("preset",)))

    def _actions(self) -> Iterable[Action]:
        return [self.draw, *self.hold.values()]

    def parse_card(self, text: Card | str) -> Kind:
        """A card of this game's deck from its text (or itself).

        Raises :class:`NotationError` for anything else.
        """
        card = collect_cards.parse(text)
        if card not in self.deck:
            kinds = tuple(dict.fromkeys(self.deck))
            raise NotationError("collect.error.card_of_game", card=card, cards=kinds)
        return card

    def resample(self, observation: Observation, rng: random.Random) -> HighLowState:
        """A full state, drawn uniformly from those that the observation allows.

        What the observer cannot know are the piles and the hands that are not shown.
        """
        state = HighLowState(self, rng.getrandbits(63))
        state._recall(observation)
        me = observation.player
        known = [player == me or shown for player, shown in enumerate(state.shown)]
        own = self.rules.decks == "separate"
        for player, (seat, zones) in enumerate(
            zip(state.players, observation.players, strict=True)
        ):
            if known[player]:
                seat.hand = [self.parse_card(card) for card in zones["hand"] if card is not None]
            if own:
                seat.pile = self._unseen(seat.hand, rng)
        if not own:
            drawn = [card for seat in state.players for card in seat.hand]
            state.table.pile = self._unseen(drawn, rng)
        for player, seat in enumerate(state.players):
            if not known[player]:
                pile = state._pile(player)
                seat.hand = [pile.pop() for _ in observation.players[player]["hand"]]
        return state

    def _unseen(self, seen: Iterable[Kind], rng: random.Random) -> list[Kind]:
        unseen = sorted((Counter(self.deck) - Counter(seen)).elements(), key=ORDER)
        rng.shuffle(unseen)
        return unseen
