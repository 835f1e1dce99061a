"""GPT, "Great Playing Tactics": two decks of fifteen cards, five shields each (G1 to G18).

The numbers in brackets are those of the rulebook, ``cardlab rules gpt``.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Self

from cardlab import cards, chance
from cardlab.cards import PACK, UNKNOWN, Card
from cardlab.engine import (
    END,
    Action,
    Commit,
    Event,
    Game,
    Observation,
    Rules,
    Seat,
    State,
    choice,
    number,
)
from cardlab.errors import (
    CardlabError,
    DeckError,
    IllegalActionError,
    NotationError,
    PositionError,
    RulesError,
)
from cardlab.games.gpt_deck import (
    CAP,
    SIZE,
    SUITS,
    UNIVERSE,
    Choices,
    Deck,
    check_deck,
    choices,
    draw_deck,
    draw_picks,
    lightest,
    lightest_with,
)

__all__ = ["GPT", "Deck", "GPTRules", "GPTState", "check_deck", "clash", "counters"]


COMPARISONS = ("strict_number", "ge", "number_then_colour")
"""When a destroyed shield counters (G14); the first is the default reading."""


# ---------------------------------------------------------------------------------- pure decisions


def clash(a: Card | str, b: Card | str) -> int | None:
    """Which of two played cards wins: 0, 1, or ``None`` for a draw (G10 to G12).

    Raises :class:`NotationError` for what is no card, and for the joker (G2).

    >>> clash("9h", "7c"), clash("8h", "8c"), clash("8s", "8c")
    (0, 1, None)
    """
    return _clash(_card(a), _card(b))


def _card(value: Card | str) -> Card:
    card = cards.card(value)
    if card.suit is None:
        raise NotationError("gpt.error.no_joker", value=card.ascii)
    return card


def _clash(a: Card, b: Card) -> int | None:
    if a.rank != b.rank:
        return 0 if a.rank > b.rank else 1
    if a.is_black == b.is_black:
        return None
    return 0 if a.is_black else 1


def counters(shield: Card | str, attacker: Card | str, compare: str = "strict_number") -> bool:
    """Whether a destroyed shield strikes back at the card that destroyed it (G14).

    ``compare`` is the option ``counter_compare``: the shield's number must be greater
    (``strict_number``), at least equal (``ge``), or win as in a clash (``number_then_colour``).

    Raises :class:`RulesError` for another one, and :class:`NotationError` as :func:`clash` does.

    >>> counters("6d", "5s"), counters("9c", "9h"), counters("9c", "9h", "number_then_colour")
    (True, False, True)
    """
    if compare not in COMPARISONS:
        raise RulesError(
            "core.error.option_choice",
            option="counter_compare",
            value=repr(compare),
            allowed=[repr(each) for each in COMPARISONS],
        )
    return _counters(_card(shield), _card(attacker), compare)


def _counters(shield: Card, attacker: Card, compare: str) -> bool:
    if compare == "strict_number":
        return shield.rank > attacker.rank
    if compare == "ge":
        return shield.rank >= attacker.rank
    return _clash(shield, attacker) == 0


# ------------------------------------------------------------------------------------------- rules


@dataclass(frozen=True, kw_only=True)
class GPTRules(Rules):
    """The options of GPT; the first value of each is the default reading.

    Attributes
    ----------
    deck_size, deck_sum_max
        Cards in a deck, and what their numbers may sum to (G4).
    n_shields, hand_size
        Shields (G5) and first hand (G8) of each seat.
    shield_mode
        Shields are dealt from the shuffled deck or chosen by their owner (G6).
    counter_compare
        When a destroyed shield counters (G14).
    counter_choice
        Who names the shield that a counter removes (G14).
    double_knockout
        Who wins when both lose their last shield in one turn (G17).
    """

    deck_size: int = number(SIZE, 1, 26)
    deck_sum_max: int = number(CAP, 1, 182)
    n_shields: int = number(5, 1, 25)
    hand_size: int = number(3, 1, 25)
    shield_mode: str = choice("random", "chosen")
    counter_compare: str = choice(*COMPARISONS)
    counter_choice: str = choice("counter_player", "owner", "random")
    double_knockout: str = choice("attacker_wins", "draw", "counter_player_wins")

    def __post_init__(self) -> None:
        super().__post_init__()
        needed = self.n_shields + self.hand_size
        if self.deck_size < needed:
            raise RulesError("gpt.error.deck_too_small", size=self.deck_size, needed=needed)
        least = lightest(self.deck_size)
        if self.deck_sum_max < least:
            raise RulesError(
                "gpt.error.cap_too_low", cap=self.deck_sum_max, size=self.deck_size, least=least
            )


class GPTSeat(Seat):
    """What one seat has; ``deck`` holds cards only until the shields are down."""

    __slots__ = ("deck", "hand", "played", "set_aside", "shields", "stock")

    deck: list[Card]
    hand: list[Card]
    played: list[Card]
    set_aside: list[Card]
    shields: list[Card | None]
    stock: list[Card]


# ------------------------------------------------------------------------------------------- state


class GPTState(State):
    """A position of GPT.

    Phases: ``deck`` (both pick a card, G4), ``shields`` (both put one down, G6), ``play`` (both
    play a card, G9), ``strike`` (the winner names a shield, G13), ``counter`` (a shield is named
    for the counter, G14), ``end``.
    """

    TOGETHER: ClassVar[Mapping[str, Commit]] = {
        "deck": Commit("gpt.pick", "G4", "card", stays_secret=True),
        "shields": Commit("gpt.shield", "G6", "card", stays_secret=True),
        "play": Commit("gpt.play", "G9", "card"),
    }

    __slots__ = ()

    game: GPT
    players: list[GPTSeat]

    # Set-up.

    def _set_up(self, events: list[Event]) -> None:
        events += _OPENING
        for player, seat in enumerate(self.players):
            seat.set_aside = list(UNIVERSE[player])
        self.turn = 1
        self.phase = "deck"
        self.to_move = (0, 1)
        if self.game.decks is not None:
            for player, deck in enumerate(self.game.decks):
                seat = self.players[player]
                seat.deck = list(deck.cards(player))
                seat.set_aside = [c for c in UNIVERSE[player] if c not in deck]
            self._decks_ready(events)

    def _decks_ready(self, events: list[Event]) -> None:
        rules = self.game.rules
        for player, seat in enumerate(self.players):
            events.append(Event("gpt.deck", "G4", player, {"cards": tuple(seat.deck)}, player))
        if rules.shield_mode == "chosen":
            events.append(Event("gpt.shields_chosen", "G6", None, {"n": rules.n_shields}))
            self.phase = "shields"
            self.to_move = (0, 1)
            return
        for seat in self.players:
            self._shuffle(seat.deck)
            seat.shields = [seat.deck.pop() for _ in range(rules.n_shields)]
        events.append(Event("gpt.shields_random", "G6", None, {"n": rules.n_shields}))
        self._deal(events)

    def _deal(self, events: list[Event]) -> None:
        events.append(Event("gpt.shields_down", "G5", None, {"n": self.game.rules.n_shields}))
        for player, seat in enumerate(self.players):
            self._shuffle(seat.deck)
            events.append(Event("gpt.shuffle", "G7", player, {"target": 1 - player}))
        for player, seat in enumerate(self.players):
            seat.stock, seat.deck = seat.deck, []
            seat.hand = [seat.stock.pop() for _ in range(self.game.rules.hand_size)]
            events.append(Event("gpt.deal", "G8", player, {"cards": tuple(seat.hand)}, player))
        self.phase = "play"
        self.to_move = (0, 1)

    # Offering and refusing.

    def _legal(self, player: int) -> list[Action]:
        phase = self.phase
        seat = self.players[player]
        game = self.game
        if phase == "play":
            return [game.play[card.index] for card in seat.hand]
        if phase == "deck":
            heaviest, pick = self._heaviest_pick(seat), game.pick
            return [pick[card.index] for card in seat.set_aside if card.rank <= heaviest]
        if phase == "shields":
            return [game.shield[card.index] for card in seat.deck]
        shields = self.players[self._struck()].shields
        slots = game.strike if phase == "strike" else game.counter
        return [slots[slot] for slot, card in enumerate(shields) if card is not None]

    def _heaviest_pick(self, seat: GPTSeat) -> int:
        """The highest rank after which the lightest completion is still under the cap (G4)."""
        rules = self.game.rules
        rest = rules.deck_size - len(seat.deck) - 1
        # The lightest unpicked cards come first; one of the first ``rest + 1`` is always legal,
        # because picking it leaves the same lightest deck.
        spent = lightest_with(seat.deck, seat.set_aside, rules.deck_size - 1)
        return max(rules.deck_sum_max - spent, seat.set_aside[rest].rank)

    def _struck(self) -> int:
        """The seat that loses a shield in the phases ``strike`` and ``counter``."""
        winner = _clash(self.players[0].played[0], self.players[1].played[0])
        assert winner is not None
        return 1 - winner if self.phase == "strike" else winner

    def _refusal(self, action: Action, player: int) -> CardlabError | None:
        phase = self.phase
        kind, arg = action.kind, action.arg
        if kind != _KINDS[phase]:
            return self._wrong_kind(action)
        seat = self.players[player]
        if phase == "play":
            if arg not in seat.hand:
                return IllegalActionError(
                    "gpt.error.not_in_hand", "G9", card=arg, cards=tuple(seat.hand)
                )
        elif phase == "deck":
            return self._refused_pick(arg, seat, player)
        elif phase == "shields":
            if arg not in seat.deck:
                return IllegalActionError(
                    "gpt.error.not_in_deck", "G6", card=arg, cards=tuple(seat.deck)
                )
        else:
            shields = self.players[self._struck()].shields
            if not (type(arg) is int and 0 <= arg < len(shields) and shields[arg] is not None):
                left = [slot + 1 for slot, card in enumerate(shields) if card is not None]
                rule = "G13" if phase == "strike" else "G14"
                slot = arg + 1 if type(arg) is int else repr(arg)
                return IllegalActionError("gpt.error.no_shield", rule, number=slot, allowed=left)
        return None

    def _wrong_kind(self, action: Action) -> CardlabError:
        return IllegalActionError(
            f"gpt.error.phase_{self.phase}", _RULE_OF_PHASE[self.phase], action=str(action)
        )

    def _refused_pick(self, arg: Any, seat: GPTSeat, player: int) -> CardlabError | None:
        if arg in seat.deck:
            return IllegalActionError("gpt.error.picked", "G4", card=arg)
        if arg not in seat.set_aside:
            red, black = SUITS[player]
            return IllegalActionError(
                "gpt.error.suits", "G3", cards=(arg,), red=red.symbol, black=black.symbol
            )
        heaviest = self._heaviest_pick(seat)
        if arg.rank > heaviest:
            rules = self.game.rules
            return IllegalActionError(
                "gpt.error.pick_too_heavy",
                "G4",
                card=arg,
                cap=rules.deck_sum_max,
                rest=rules.deck_size - len(seat.deck) - 1,
                heaviest=heaviest,
            )
        return None

    # Carrying out.

    def _resolve(self, choices: Sequence[Action | None], events: list[Event]) -> None:
        a, b = [chosen.arg for chosen in choices if chosen is not None]
        assert isinstance(a, Card)
        assert isinstance(b, Card)
        if self.phase == "play":
            self._reveal(a, b, events)
            return
        rules = self.game.rules
        for seat, chosen in zip(self.players, (a, b), strict=True):
            if self.phase == "deck":
                seat.set_aside.remove(chosen)
                seat.deck.append(chosen)
            else:
                seat.deck.remove(chosen)
                seat.shields.append(chosen)
        seat = self.players[0]
        self.to_move = (0, 1)
        if self.phase == "deck":
            if len(seat.deck) == rules.deck_size:
                self._decks_ready(events)
        elif len(seat.shields) == rules.n_shields:
            self._deal(events)

    def _reveal(self, a: Card, b: Card, events: list[Event]) -> None:
        for seat, played in zip(self.players, (a, b), strict=True):
            seat.hand.remove(played)
            seat.played.append(played)
        winner = _clash(a, b)
        shown = {"cards": (a, b)}
        if winner is None:
            events.append(Event("gpt.tie", "G12", None, shown))
            self._end_turn(events)
            return
        if a.rank == b.rank:
            events.append(Event("gpt.clash_colour", "G11", winner, shown))
        else:
            events.append(Event("gpt.clash", "G10", winner, shown))
        self.phase = "strike"
        self.to_move = (winner,)

    def _step(self, action: Action, player: int, events: list[Event]) -> None:
        slot = action.arg
        assert isinstance(slot, int)
        if self.phase == "counter":
            self._remove(slot, player, events)
            self._check_shields(events)
            return
        struck = 1 - player
        shield = self._lose_shield(struck, slot)
        attacker = self.players[player].played[0]
        events.append(
            Event("gpt.strike", "G13", player, {"target": struck, "slot": slot, "card": shield})
        )
        rules = self.game.rules
        compared = {"card": shield, "attacker": attacker}
        if not _counters(shield, attacker, rules.counter_compare):
            events.append(Event("gpt.no_counter", "G14", struck, compared))
            self._check_shields(events)
            return
        events.append(Event("gpt.counter", "G14", struck, compared))
        if rules.counter_choice == "random":
            left = [
                slot for slot, card in enumerate(self.players[player].shields) if card is not None
            ]
            drawn = chance.draw(self.seed, self.shuffles) % len(left)
            self.shuffles += 1
            self._remove(left[drawn], struck, events)
            self._check_shields(events)
        else:
            self.phase = "counter"
            self.to_move = (struck if rules.counter_choice == "counter_player" else player,)

    def _remove(self, slot: int, player: int, events: list[Event]) -> None:
        """A counter takes a shield of the seat whose attack succeeded (G14)."""
        attacker = _clash(self.players[0].played[0], self.players[1].played[0])
        assert attacker is not None
        shield = self._lose_shield(attacker, slot)
        events.append(
            Event("gpt.remove", "G14", player, {"target": attacker, "slot": slot, "card": shield})
        )

    def _lose_shield(self, owner: int, slot: int) -> Card:
        shields = self.players[owner].shields
        shield = shields[slot]
        assert shield is not None
        shields[slot] = None
        self.out.append(shield)
        return shield

    def _check_shields(self, events: list[Event]) -> None:
        left = self.scores()
        if left[0] and left[1]:
            self._end_turn(events)
        elif left[0] or left[1]:
            winner = 0 if left[0] else 1
            events.append(Event("gpt.win", "G15", winner, {"target": 1 - winner}))
            self._finish(_win(winner))
        else:
            self._double_knockout(events)

    def _double_knockout(self, events: list[Event]) -> None:
        attacker = _clash(self.players[0].played[0], self.players[1].played[0])
        assert attacker is not None
        reading = self.game.rules.double_knockout
        winner = _knockout_winner(attacker, reading)
        events.append(Event(f"gpt.knockout_{reading}", "G17", winner))
        self._finish(_win(winner))

    def _end_turn(self, events: list[Event]) -> None:
        for seat in self.players:
            self.out.append(seat.played.pop())
        if self.players[0].stock:
            for player, seat in enumerate(self.players):
                drawn = seat.stock.pop()
                seat.hand.append(drawn)
                events.append(Event("gpt.draw", "G16", player, {"card": drawn}, player))
        elif self.players[0].hand:
            events.append(Event("gpt.no_draw", "G16"))
        else:
            self._count_shields(events)
            return
        self.turn += 1
        self.phase = "play"
        self.to_move = (0, 1)

    def _count_shields(self, events: list[Event]) -> None:
        left = self.scores()
        counts = {"left": left[0], "right": left[1]}
        winner = _count_winner(left)
        key = "gpt.count_draw" if winner is None else "gpt.count_win"
        events.append(Event(key, "G18", winner, counts))
        self._finish(_win(winner))

    # Looking.

    def scores(self) -> list[int]:
        """The number of shields that each seat has left."""
        return [len(seat.shields) - seat.shields.count(None) for seat in self.players]

    def _sees(self, viewer: int, owner: int | None, zone: str) -> bool:
        if zone == "played":
            return True
        if zone == "shields":
            return viewer == owner and self.game.rules.shield_mode == "chosen"
        return viewer == owner and zone != "stock"

    def _owed(self) -> tuple[int, ...]:
        if self.phase in self.TOGETHER:
            return tuple(seat for seat, chosen in enumerate(self.pending) if chosen is None)
        if self.phase == END:
            return ()
        struck = self._struck()
        if self.phase == "strike" or self.game.rules.counter_choice == "counter_player":
            return (1 - struck,)
        return (struck,)

    # Judging a position.

    def _check(self) -> None:
        rules = self.game.rules
        for player, seat in enumerate(self.players):
            self._check_cards(player, seat)
            building = self.phase == "deck"
            if not building:
                self._check_seat_deck(player, seat)
            shields = len(seat.shields)
            if building or self.phase == "shields":
                if shields >= rules.n_shields or None in seat.shields:
                    raise PositionError("gpt.position.shields_building", seat=player)
            elif shields != rules.n_shields:
                raise PositionError(
                    "gpt.position.shields", seat=player, found=shields, wanted=rules.n_shields
                )
        self._check_balance()
        self._check_phase()

    def _check_cards(self, player: int, seat: GPTSeat) -> None:
        """Every card of the seat's universe is somewhere, once; the rest is set aside."""
        zones = seat.zones()
        for zone, content in zones.items():
            if zone != "shields" and None in content:
                raise PositionError("gpt.position.empty_place", seat=player, zone=zone)
        held = [card for zone in zones.values() for card in zone if card is not None]
        held += [card for card in self.out if card.suit not in SUITS[1 - player]]
        red, black = SUITS[player]
        for card in held:
            if card.suit not in SUITS[player]:
                raise PositionError(
                    "gpt.position.suit", seat=player, card=card, red=red.symbol, black=black.symbol
                )
            if held.count(card) > 1:
                raise PositionError("core.position.twice", card=card)
        missing = [card for card in UNIVERSE[player] if card not in held]
        if missing and not seat.set_aside:
            # A position set up by hand need not list the cards that are not in the deck.
            seat.set_aside = missing
        elif missing:
            raise PositionError("core.position.missing", cards=tuple(missing))
        seat.set_aside.sort(key=lambda card: (card.rank, card.is_black))

    def _check_seat_deck(self, player: int, seat: GPTSeat) -> None:
        aside = set(seat.set_aside)
        deck = [card for card in UNIVERSE[player] if card not in aside]
        try:
            check_deck(deck, self.game.rules.deck_size, self.game.rules.deck_sum_max, player)
        except DeckError as error:
            raise PositionError("gpt.position.deck", seat=player, error=error) from None

    def _check_balance(self) -> None:
        first, second = self.players
        for zone in ("deck", "hand", "stock", "played"):
            if len(getattr(first, zone)) != len(getattr(second, zone)):
                raise PositionError("gpt.position.balance", zone=zone)

    def _check_phase(self) -> None:
        phase, first = self.phase, self.players[0]
        rules = self.game.rules
        left = self.scores()
        building = phase in ("deck", "shields")
        in_clash = phase in ("strike", "counter")
        if building and (first.hand or first.stock or first.played):
            raise PositionError("gpt.position.phase_cards", phase=phase)
        if not building and first.deck:
            raise PositionError("gpt.position.phase_cards", phase=phase)
        if phase == "deck" and not all(
            len(seat.deck) < rules.deck_size
            and lightest_with(seat.deck, seat.set_aside, rules.deck_size) <= rules.deck_sum_max
            for seat in self.players
        ):
            raise PositionError("gpt.position.no_completion")
        if phase == "play" and not (first.hand and all(left) and not first.played):
            raise PositionError("gpt.position.phase_cards", phase=phase)
        if in_clash and not (
            len(first.played) == 1 and clash(first.played[0], self.players[1].played[0]) is not None
        ):
            raise PositionError("gpt.position.phase_cards", phase=phase)
        if in_clash and not left[self._struck()]:
            raise PositionError("gpt.position.phase_cards", phase=phase)
        verdict = self._verdict() if phase == END else None
        if self.result != verdict or (phase == END) != (verdict is not None):
            raise PositionError("gpt.position.result", phase=phase)
        for seat, chosen in enumerate(self.pending):
            if chosen is not None:
                together = phase in self.TOGETHER and not all(self.pending)
                if not together or self._refusal(chosen, seat) is not None:
                    raise PositionError("core.position.pending", value=str(chosen))

    def _verdict(self) -> tuple[float, float] | None:
        """The result of a position in which the game is over (G15 to G18), ``None`` elsewhere."""
        first, second = self.players
        left = self.scores()
        if all(left):
            if first.hand or first.stock or first.played:
                return None
            return _win(_count_winner(left))
        if any(left):
            return _win(0 if left[0] else 1)
        attacker = _clash(first.played[0], second.played[0]) if first.played else None
        if attacker is None:
            return None
        return _win(_knockout_winner(attacker, self.game.rules.double_knockout))


def _knockout_winner(attacker: int, reading: str) -> int | None:
    """Who wins when both have lost their last shield in one turn (G17); ``None`` for a draw."""
    if reading == "draw":
        return None
    return attacker if reading == "attacker_wins" else 1 - attacker


def _count_winner(left: Sequence[int]) -> int | None:
    """Who wins when all cards are used up (G18); ``None`` for a draw."""
    if left[0] == left[1]:
        return None
    return 0 if left[0] > left[1] else 1


def _win(winner: int | None) -> tuple[float, float]:
    if winner is None:
        return (0.0, 0.0)
    return (1.0, -1.0) if winner == 0 else (-1.0, 1.0)


_KINDS = {
    "deck": "pick",
    "shields": "shield",
    "play": "play",
    "strike": "strike",
    "counter": "counter",
}
_RULE_OF_PHASE = {"deck": "G4", "shields": "G6", "play": "G9", "strike": "G13", "counter": "G14"}

_OPENING = (
    Event("gpt.start", "G1"),
    Event("gpt.separate", "G2"),
    *(
        Event("gpt.suits", "G3", player, {"red": red.symbol, "black": black.symbol})
        for player, (red, black) in enumerate(SUITS)
    ),
)


# -------------------------------------------------------------------------------------------- game


class GPT(Game):
    """The game GPT; see :class:`GPTRules` for its options.

    Seat 0 owns hearts and spades, seat 1 diamonds and clubs: which suits makes no difference.

    Parameters
    ----------
    rules
        The options.
    decks
        The decks of both seats, legal under the rules, if they are not to be built in the game:
        :class:`Deck` objects, deck codes, or cards of the seat's own suits. They are not part of
        the rules, because an observation shows the rules.
    """

    name = "gpt"
    rules_class = GPTRules
    state_class = GPTState
    seat_class = GPTSeat
    phases = ("play", "deck", "shields", "strike", "counter")

    rules: GPTRules
    num_players = 2

    def __init__(self, rules: GPTRules, decks: Sequence[Any] | None = None) -> None:
        self.decks = None if decks is None else self._check_decks(rules, decks)
        super().__init__(rules)
        # In each turn both play a card, and a shield is never played.
        self.max_turns = rules.deck_size - rules.n_shields
        by_kind: dict[str, list[Action]] = {kind: [] for kind in _KINDS.values()}
        for action in self.actions:
            by_kind[action.kind].append(action)
        # Actions about a card are found by its index, those about a shield by its slot.
        self.pick: Sequence[Action] = by_kind["pick"]
        self.shield: Sequence[Action] = by_kind["shield"]
        self.play: Sequence[Action] = by_kind["play"]
        self.strike: Sequence[Action] = by_kind["strike"]
        self.counter: Sequence[Action] = by_kind["counter"]

    @classmethod
    def with_options(cls, /, **options: Any) -> Self:
        """The game with the given options; ``decks`` hands both decks in."""
        decks = options.pop("decks", None)
        return cls(cls._rules_from(options, extra=("decks",)), decks)

    def setup(self) -> dict[str, Any]:
        """Under ``decks`` the codes of the decks, if they were handed in."""
        return {} if self.decks is None else {"decks": tuple(deck.code for deck in self.decks)}

    @staticmethod
    def _check_decks(rules: GPTRules, decks: Any) -> tuple[Deck, Deck]:
        if not isinstance(decks, list | tuple) or len(decks) != 2:
            raise RulesError("gpt.error.two_decks")
        if not all(isinstance(deck, Deck | Iterable) for deck in decks):
            raise RulesError("gpt.error.two_decks")
        first, second = (
            check_deck(deck, rules.deck_size, rules.deck_sum_max, seat)
            for seat, deck in enumerate(decks)
        )
        return first, second

    def _actions(self) -> Iterable[Action]:
        for kind in ("pick", "shield", "play"):
            yield from (Action(kind, card) for card in PACK)
        for kind in ("strike", "counter"):
            yield from (Action(kind, slot) for slot in range(self.rules.n_shields))

    def resample(self, observation: Observation, rng: random.Random) -> GPTState:
        """A full state, drawn uniformly from those that the observation allows.

        What the observer cannot know is the other seat's deck (any legal one that holds the cards
        it has shown), the order of both stocks, face-down shields, and a card laid but not turned.
        """
        seed = rng.getrandbits(63)
        known = self._about(observation, self._known)
        state, me = known.state.clone(), observation.player
        state.seed = seed
        _fill_unknown(state.players[me], known.own.copy(), rng)
        self._resample_other(state, 1 - me, known, rng)
        return state

    def _known(self, observation: Observation) -> _Known:
        me = observation.player
        state = GPTState(self._without_decks, 0)
        state._recall(observation)
        for seat, zones in zip(state.players, observation.players, strict=True):
            for zone, content in zones.items():
                setattr(seat, zone, list(content))
        state.pending[me] = observation.pending
        open_cards = (*state.out, *state.players[1 - me].played)
        shown = [card for card in open_cards if card.suit in SUITS[1 - me]]
        allowed = choices(required=Deck.of(shown))
        return _Known(state, self._unseen_own(state, me), shown, allowed)

    @cached_property
    def _without_decks(self) -> GPT:
        """The game as a seat knows it: no deck that was handed in is known to the other."""
        return self if self.decks is None else GPT(self.rules)

    @staticmethod
    def _unseen_own(state: GPTState, me: int) -> list[Card]:
        seat = state.players[me]
        seen = {card for zone in seat.zones().values() for card in zone} | set(state.out)
        return [card for card in UNIVERSE[me] if card not in seen]

    def _resample_other(
        self, state: GPTState, other: int, known: _Known, rng: random.Random
    ) -> None:
        seat, universe, rules = state.players[other], UNIVERSE[other], self.rules
        committed = state.phase in state.TOGETHER and other not in state.to_move
        if state.phase == "deck":
            picks = [
                universe[bit]
                for bit in draw_picks(
                    rng, len(seat.deck) + committed, rules.deck_size, rules.deck_sum_max
                )
            ]
            pending = picks.pop() if committed else None
            seat.deck = picks
            seat.set_aside = [card for card in universe if card not in picks]
        else:
            deck = draw_deck(rng, rules.deck_size, rules.deck_sum_max, known.allowed)
            hidden = [card for card in deck.cards(other) if card not in known.shown]
            mask = deck.mask
            seat.set_aside = [card for bit, card in enumerate(universe) if not mask >> bit & 1]
            _fill_unknown(seat, hidden, rng)
            pending = rng.choice(seat.hand or seat.deck) if committed else None
        if pending is not None:
            kind = _KINDS[state.phase]
            state.pending[other] = Action(kind, pending)


class _Known(NamedTuple):
    """What an observation says, worked out for :meth:`GPT.resample`."""

    state: GPTState
    """All that is seen; other cards are ``UNKNOWN``."""
    own: list[Card]
    """The seat's own cards that it cannot see."""
    shown: list[Card]
    """The cards that the other seat has shown."""
    allowed: Choices
    """What the other's deck may be, after that."""


def _fill_unknown(seat: GPTSeat, hidden: list[Card], rng: random.Random) -> None:
    """Put the hidden cards, in random order, wherever the seat has a card of unknown face."""
    rng.shuffle(hidden)
    for content in seat.zones().values():
        for place, card in enumerate(content):
            if card is UNKNOWN:
                content[place] = hidden.pop()
