"""Chaos: search, exchange and battle for sets of three, with Order and Chaos in play (X1 to X25).

The numbers in brackets are those of the rulebook, ``cardlab rules chaos``.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from cardlab import chance
from cardlab.cards import Card
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
    check_card_text,
    choice,
    flag,
    number,
    shared_win,
)
from cardlab.errors import CardlabError, IllegalActionError, PositionError
from cardlab.games.chaos_cards import (
    CHAOS,
    COPIES,
    DECK,
    KINDS,
    ORDER,
    PLACE,
    SPECTRUM,
    Kind,
    cards,
    parse,
)
from cardlab.games.chaos_memory import SPRING, Knowledge, Memory, knowledge

__all__ = [
    "Battle",
    "Chaos",
    "ChaosRules",
    "ChaosState",
    "Knowledge",
    "battle",
    "knowledge",
    "score",
]

SET = 3
ACTIONS = 3
FULL_POOL = 5
ORDERS_IN_HAND = 3
ORDER_WIN = {"declared": 5, "revealed": 4}


# ---------------------------------------------------------------------------------- pure decisions


class Battle(NamedTuple):
    """What comes of a battle; every card that was played is in one of the three tuples.

    Attributes
    ----------
    winner
        Place of the winning card among those played; ``None`` if nobody wins.
    won
        The cards that the winner takes, the winning one included.
    pooled
        Equal cards, which go to the pool.
    returned
        Both Chaos, if they met: they go back to their owners.
    """

    winner: int | None
    won: tuple[Kind, ...]
    pooled: tuple[Kind, ...]
    returned: tuple[Kind, ...]


def battle(played: str | Iterable[Card | str]) -> Battle:
    """What comes of a battle with the cards that each seat has played (X10).

    >>> battle("12 12 9 3")
    Battle(winner=2, won=(Kind('9'), Kind('3')), pooled=(Kind('12'), Kind('12')), returned=())
    >>> battle("chaos chaos 7 7").winner is None
    True
    """
    return _battle(cards(played))


def _battle(played: Sequence[Kind]) -> Battle:
    single = tuple([card for card in played if played.count(card) == 1])
    winner = played.index(max(single, key=PLACE)) if single else None
    equal = () if len(single) == len(played) else [card for card in played if card not in single]
    return Battle(
        winner,
        single,
        tuple([card for card in equal if card is not CHAOS]),
        tuple([card for card in equal if card is CHAOS]),
    )


def score(
    sets: str | Iterable[Card | str],
    voided: str | Iterable[Card | str],
    hand: str | Iterable[Card | str],
    ended: str | None = None,
    order_bonus: str = "replace",
) -> int:
    """The points of one seat at the end (X14, X18 to X21).

    Parameters
    ----------
    sets
        The numbers of the sets that the seat has laid, each once.
    voided
        Those of them that were turned face down (X25).
    hand
        What it holds.
    ended
        ``"declared"`` if it has ended the game by declaring Order, ``"revealed"`` if by revealing
        it.
    order_bonus
        The option of that name.

    >>> score("2 11", "", "order order order 8")
    5
    >>> score("2 5 11", "5", "2 7"), score("2 5", "", "chaos 4 4")
    (1, 0)
    """
    return _score(cards(sets), cards(voided), cards(hand), ended, order_bonus)


def _score(
    sets: Sequence[Card],
    voided: Sequence[Card],
    hand: Sequence[Card],
    ended: str | None,
    order_bonus: str,
) -> int:
    if CHAOS in hand:
        return 0
    points = sum([kind not in voided and kind not in hand for kind in sets])
    if hand.count(ORDER) != ORDERS_IN_HAND:
        return points
    if ended is None:
        return points + ORDERS_IN_HAND
    extra = ORDERS_IN_HAND if order_bonus == "add" else 0
    return points + ORDER_WIN[ended] + extra


# ------------------------------------------------------------------------------------------- rules


@dataclass(frozen=True, kw_only=True)
class ChaosRules(Rules):
    """The options of Chaos; the first value of each is the default reading.

    Attributes
    ----------
    n_players
        Number of seats; the game is for three to five (X2).
    setup_abandon
        All Orders in the pool before the first turn: deal again, or the game is over (X3, X17).
    drain_mode
        In a drain each seat takes one card, or they go on until the pool is empty (X5).
    min_actions
        How many actions a turn must have (X7).
    order_search_free
        A search with an Order is never forbidden, or forbidden like one with a Spectrum card (X23).
    exchange_pick
        In an exchange each gives a card of its own choice, or who asks for it draws one unseen from
        the other's hand (X9).
    rotation_min
        Whether a rotation may be one of no steps (X12).
    triple_order
        After three successful searches the others discard one after the other, or all together
        (X24).
    lay_timing
        Sets are laid at any time of one's turn, or only before its first action (X13).
    order_end
        Three Orders alone in a hand end the game by themselves, or if their holder says so (X17).
    order_bonus
        The points for a declaration or reveal come in place of those for three Orders, or on top
        (X20).
    target_points
        Rounds are played until a seat has so many points; ``None``: one round.
    max_turns
        A round is stopped and scored after so many turns; ``None``: never.
    """

    n_players: int = number(4, 2, 6)
    setup_abandon: str = choice("redeal", "end")
    drain_mode: str = choice("one_each", "until_empty")
    min_actions: int = number(0, 0, ACTIONS)
    order_search_free: bool = flag(True)
    exchange_pick: str = choice("own_choice", "blind_draw")
    rotation_min: int = number(0, 0, 1)
    triple_order: str = choice("sequential", "simultaneous")
    lay_timing: str = choice("own_turn", "turn_start")
    order_end: str = choice("automatic", "optional")
    order_bonus: str = choice("replace", "add")
    target_points: int | None = number(None, 1, 100)
    max_turns: int | None = number(None, 1, 10_000)


class ChaosSeat(Seat):
    """What one seat has: its hand, always sorted, and three cards for each set it has laid."""

    __slots__ = ("hand", "sets")

    hand: list[Kind]
    sets: list[Kind]


class ChaosTable(Seat):
    """What belongs to nobody: the pool, always sorted, and the spring, whose last card is next."""

    __slots__ = ("pool", "spring")

    pool: list[Kind]
    spring: list[Kind]


# ------------------------------------------------------------------------------------------- state


class ChaosState(State):
    """A position of Chaos.

    Phases: ``drain`` (a seat takes a card of the pool, X5), ``draw`` (X6), ``action`` (X7), ``ask``
    (whom the shown card is asked of, X8), ``give`` (both give a card, X9), ``play`` (all play a
    card, X10), ``drop`` and ``drop_all`` (a seat, or all at once, discard after three successful
    searches, X24), ``discard`` (X11), ``rotate`` (how far the hands go, X12), ``order`` (whether a
    seat speaks of its Orders, X17), ``end``.

    Attributes
    ----------
    turn
        Counts from 1 in every round.
    round, totals
        Which round of a match it is, and the points of each seat from the rounds before.
    first
        The seat that has begun the round.
    turn_player
        The seat whose turn it is.
    used, hits
        Actions of this turn so far; how many of them, up to the last one, were successful searches
        in a row.
    failed
        Numbers of this turn's failed searches.
    shown
        The card that is shown for a search, before it is asked of anybody.
    partner
        The seat with which cards are exchanged.
    queue
        The seats that have still to take, discard or rotate.
    idle
        How many Orders, one after the other, have come back to the pool in this drain at once.
    askers, then
        The seats that may still speak of their Orders, and what comes after that, or after a
        rotation.
    voided
        The numbers of sets that were turned face down.
    """

    TOGETHER: ClassVar[Mapping[str, Commit]] = {
        "give": Commit("chaos.give", "X9", "card"),
        "play": Commit("chaos.play", "X10", "card"),
        "drop_all": Commit("chaos.choose_drop", "X24", "card"),
    }
    PUBLIC: ClassVar[Mapping[str, Any]] = {
        "round": 1,
        "totals": (),
        "first": 0,
        "turn_player": 0,
        "used": 0,
        "hits": 0,
        "failed": (),
        "shown": (),
        "partner": None,
        "queue": (),
        "idle": 0,
        "askers": (),
        "then": "",
        "voided": (),
    }

    __slots__ = tuple(PUBLIC)

    game: Chaos
    players: list[ChaosSeat]
    table: ChaosTable
    round: int
    totals: tuple[int, ...]
    first: int
    turn_player: int
    used: int
    hits: int
    failed: tuple[Kind, ...]
    shown: tuple[Kind, ...]
    partner: int | None
    queue: tuple[int, ...]
    idle: int
    askers: tuple[int, ...]
    then: str
    voided: tuple[Kind, ...]

    # Set-up.

    def _set_up(self, events: list[Event]) -> None:
        seats = len(self.players)
        self.totals = (0,) * seats
        self.first = chance.draw(self.seed, self.shuffles) % seats
        self.shuffles += 1
        events.append(Event("chaos.start", "X1", None, {"n": len(self.game.deck)}))
        self._begin_round(events)

    def _begin_round(self, events: list[Event]) -> None:
        self.turn = 1
        self.turn_player = self.first
        self._deal(events)
        while self._abandoned() and self.game.rules.setup_abandon == "redeal":
            events.append(Event("chaos.redeal", "X17"))
            self._deal(events)
        if not self._is_over(events):
            self._begin_turn(events)

    def _deal(self, events: list[Event]) -> None:
        """Each seat gets one of the piles, which differ by at most one card; one is the spring."""
        table, seats = self.table, len(self.players)
        pack = list(self.game.deck)
        self._shuffle(pack)
        small, larger = divmod(len(pack), seats + 1)
        sizes = [small + (pile < larger) for pile in range(seats + 1)]
        self._shuffle(sizes)
        table.pool, self.out, self.voided = [], [], ()
        events.append(Event("chaos.piles", "X2", None, {"n": seats + 1}))
        for player, seat in enumerate(self.players):
            seat.sets = []
            seat.hand, pack = pack[: sizes[player]], pack[sizes[player] :]
            seat.hand.sort(key=PLACE)
            events.append(Event("chaos.deal", "X2", player, {"cards": tuple(seat.hand)}, player))
        table.spring = pack
        for player in range(seats):
            self._chaos_power(player, "X3", events)

    # The course of a round. Each step ends with ``_settle``, which looks for an end, lets seats
    # speak of their Orders, and goes on with ``_enter``.

    def _begin_turn(self, events: list[Event]) -> None:
        player = self.turn_player
        self.used = self.hits = self.idle = 0
        self.failed = ()
        events.append(Event("chaos.turn", "X5", player, {"turn": self.turn}))
        pool = self.table.pool
        if len(pool) >= FULL_POOL:
            events.append(Event("chaos.drain", "X5", player, {"n": len(pool)}))
            self.queue = self._seats_from(player)
            self._ask("drain", player)
        else:
            self._enter("draw", events)

    def _end_turn(self, events: list[Event]) -> None:
        if self.turn == self.game.rules.max_turns:
            events.append(Event("chaos.max_turns", "X18", None, {"n": self.turn}))
            self._count(events)
            return
        self.turn += 1
        self.turn_player = (self.turn_player + 1) % len(self.players)
        self._begin_turn(events)

    def _ask(self, phase: str, *seats: int) -> None:
        self.phase = phase
        self.to_move = seats

    def _seats_from(self, player: int) -> tuple[int, ...]:
        return self.game.laps[player]

    def _settle(self, then: str, touched: Iterable[int], events: list[Event]) -> None:
        """After a step that has changed the hands of ``touched``: the end, or what comes then."""
        if self._is_over(events):
            return
        if self.game.rules.order_end == "optional":
            askers = tuple([player for player in touched if self._may_hold_orders_only(player)])
            if askers:
                self.askers = askers
                self.then = then
                self._ask("order", askers[0])
                return
        self._enter(then, events)

    def _may_hold_orders_only(self, player: int) -> bool:
        """Whether, for all that everybody knows at a glance, a hand is three Orders."""
        orders = self.game.n_orders - self.table.pool.count(ORDER)
        return len(self.players[player].hand) == ORDERS_IN_HAND <= orders

    def _enter(self, then: str, events: list[Event]) -> None:
        """Ask for the next decision, after what was done before."""
        if then == "drain":
            if self.queue and self.table.pool:
                self._ask("drain", self.queue[0])
                return
            self.queue = ()
            then = "draw"
        if then == "draw":
            if self.table.spring:
                self._ask("draw", self.turn_player)
                return
            then = "action"
        if then == "triple":
            self._begin_drop(events)
        elif then == "drop" and self.queue:
            is_together = self.game.rules.triple_order == "simultaneous"
            self._ask("rotate" if is_together else "drop", self.queue[0])
        elif then == "next":
            self._end_turn(events)
        elif then == "action" and self.used < ACTIONS:
            self._ask("action", self.turn_player)
        else:
            self._ask("discard", self.turn_player)

    # Offering.

    def _legal(self, player: int) -> list[Action]:
        phase = self.phase
        game = self.game
        hand = self.players[player].hand
        if phase == "action":
            search = game.search
            legal = [search[card.index] for card in self._searchable(_distinct(hand))]
            legal += game.exchange[player]
            legal.append(game.battle)
            if self.used >= game.rules.min_actions:
                legal.append(game.done)
        elif phase == "discard":
            discard = game.discard
            legal = [discard[card.index] for card in _distinct(hand)]
        elif phase == "drain":
            take = game.take
            legal = [take[card.index] for card in _distinct(self.table.pool)]
        elif phase == "draw":
            legal = [game.draw]
        elif phase == "ask":
            return list(game.ask[player])
        elif phase == "rotate":
            return game.rotate[game.rules.rotation_min :]
        elif phase == "order":
            return [game.declare, game.silent] if _is_orders_only(hand) else [game.silent]
        else:
            actions = game.by_phase[phase]
            return [actions[card.index] for card in _distinct(hand)]
        if len(hand) >= SET:
            legal += self._lays(player)
        return legal

    def _lays(self, player: int) -> list[Action]:
        """The sets that a seat may lay now (X13)."""
        hand = self.players[player].hand
        triples = [a for a, b in zip(hand, hand[SET - 1 :], strict=False) if a is b]
        if not triples or not self._may_lay(player):
            return []
        lay = self.game.lay
        return [lay[card.index] for card in _distinct(triples) if card not in (CHAOS, ORDER)]

    def _may_lay(self, player: int) -> bool:
        if player != self.turn_player or self.phase not in ("drain", "draw", "action", "discard"):
            return False
        if self.game.rules.lay_timing == "own_turn":
            return True
        return not self.used and self.phase != "discard"

    def _searchable(self, kinds: Iterable[Kind]) -> list[Kind]:
        """Those of the kinds with which a seat that holds them may search now (X23)."""
        banned = [CHAOS, *self.failed]
        for seat in self.players:
            banned += seat.sets
        kinds = [card for card in kinds if card not in banned]
        pool = self.table.pool
        if len(pool) >= SET:
            free = self.game.rules.order_search_free
            kinds = [c for c in kinds if pool.count(c) < SET or (free and c is ORDER)]
        return kinds

    # Refusing.

    def _refusal(self, action: Action, player: int) -> CardlabError | None:
        phase = self.phase
        kind, arg = action.kind, action.arg
        if kind == "lay":
            return self._refused_lay(action, player)
        if kind not in KINDS_OF_PHASE[phase]:
            return self._wrong_kind(action)
        hand = self.players[player].hand
        if kind in _FROM_HAND:
            if arg not in hand:
                return _not_in_hand(arg, hand, _RULE_OF_PHASE[phase])
        elif kind == "search":
            return self._refused_search(arg, hand)
        elif kind == "take":
            if arg not in self.table.pool:
                pool = tuple(self.table.pool)
                return IllegalActionError("chaos.error.not_in_pool", "X5", card=arg, cards=pool)
        elif kind in ("ask", "exchange"):
            if type(arg) is not int or arg == player or not 0 <= arg < len(self.players):
                others = [seat + 1 for seat in range(len(self.players)) if seat != player]
                named = arg + 1 if type(arg) is int else repr(arg)
                rule = "X8" if kind == "ask" else "X9"
                return IllegalActionError("chaos.error.seat", rule, number=named, allowed=others)
        elif kind == "rotate":
            fewest = self.game.rules.rotation_min
            if type(arg) is not int or not fewest <= arg < len(self.players):
                steps = list(range(fewest, len(self.players)))
                return IllegalActionError("chaos.error.steps", "X12", value=arg, allowed=steps)
        elif arg is not None:
            return self._wrong_kind(action)
        elif kind == "done":
            fewest = self.game.rules.min_actions
            if self.used < fewest:
                return IllegalActionError("chaos.error.min_actions", "X7", n=fewest, used=self.used)
        elif kind == "declare" and not _is_orders_only(hand):
            return IllegalActionError("chaos.error.declare", "X17", cards=tuple(hand))
        return None

    def _wrong_kind(self, action: Action) -> CardlabError:
        phase = self.phase
        return IllegalActionError(
            f"chaos.error.phase_{phase}", _RULE_OF_PHASE[phase], action=str(action)
        )

    def _refused_lay(self, action: Action, player: int) -> CardlabError | None:
        hand, card = self.players[player].hand, action.arg
        if not self._may_lay(player):
            timing = self.game.rules.lay_timing
            return IllegalActionError(f"chaos.error.lay_{timing}", "X13", action=str(action))
        if card not in SPECTRUM:
            named = card if isinstance(card, Card) else str(card)
            return IllegalActionError("chaos.error.lay_spectrum", "X13", card=named)
        held = hand.count(card)
        if held < SET:
            return IllegalActionError("chaos.error.lay_three", "X13", card=card, n=held)
        return None

    def _refused_search(self, card: Any, hand: Sequence[Kind]) -> CardlabError | None:
        if card not in hand:
            return _not_in_hand(card, hand, "X8")
        if self._searchable([card]):
            return None
        if card is CHAOS:
            why = "chaos"
        elif card in self.failed:
            why = "failed"
        elif self.table.pool.count(card) >= SET:
            why = "pooled"
        else:
            why = "laid"
        return IllegalActionError(f"chaos.error.search_{why}", "X23", card=card)

    # Carrying out.

    def _step(self, action: Action, player: int, events: list[Event]) -> None:
        arg: Any = action.arg
        kind = action.kind
        if kind == "search":
            self.shown = (arg,)
            events.append(Event("chaos.search", "X8", player, {"card": arg}))
            self._ask("ask", player)
        elif kind == "ask":
            self._search(arg, player, events)
        elif kind == "discard":
            self._discard(arg, player, events)
        elif kind == "draw":
            self._draw(player, events)
        elif kind == "take":
            self._take(arg, player, events)
        elif kind == "exchange":
            self._begin_action()
            self.partner = arg
            events.append(Event("chaos.exchange", "X9", player, {"target": arg}))
            self.phase = "give"
            self.to_move = self._givers()
        elif kind == "battle":
            self._begin_action()
            events.append(Event("chaos.battle", "X10", player))
            self._ask("play", *range(len(self.players)))
        elif kind == "lay":
            self._lay(arg, player, events)
        elif kind == "done":
            events.append(Event("chaos.done", "X7", player, {"n": self.used}))
            self._ask("discard", player)
        elif kind == "rotate":
            self._rotate(arg, player, events)
        elif kind == "drop":
            self._drop(arg, player, events)
        else:
            self._speak(kind, player, events)

    def _resolve(self, choices: Sequence[Action | None], events: list[Event]) -> None:
        chosen: list[Any] = [action and action.arg for action in choices]
        if self.phase == "give":
            self._exchange(chosen, events)
        elif self.phase == "play":
            self._fight(chosen, events)
        else:
            self._drop_all(chosen, events)

    def _begin_action(self) -> None:
        self.used += 1
        self.hits = 0

    def _chaos_power(self, player: int, rule: str, events: list[Event]) -> None:
        """With Chaos and Order in one hand, all its Orders go to the pool (X4)."""
        hand = self.players[player].hand
        if hand and hand[0] is CHAOS and hand[-1] is ORDER:
            n = hand.count(ORDER)
            del hand[-n:]
            self.table.pool += [ORDER] * n  # Order sorts last
            events.append(Event("chaos.power", rule, player, {"n": n}))

    def _to_pool(self, content: Sequence[Kind], events: list[Event]) -> None:
        """Put cards in the pool; four equal Spectrum cards leave the game (X22)."""
        pool = self.table.pool
        pool += content
        pool.sort(key=PLACE)
        for card in content:
            if pool.count(card) == COPIES and card is not ORDER:
                start = pool.index(card)
                del pool[start : start + COPIES]
                self.out += [card] * COPIES
                events.append(Event("chaos.remove", "X22", None, {"card": card}))

    def _take(self, card: Kind, player: int, events: list[Event]) -> None:
        seat = self.players[player]
        self.table.pool.remove(card)
        _gain(seat.hand, card)
        events.append(Event("chaos.take", "X5", player, {"card": card}))
        if card in seat.sets and card not in self.voided:
            self.voided += (card,)
            events.append(Event("chaos.void", "X25", player, {"card": card}))
        self._chaos_power(player, "X4", events)
        self.queue = self.queue[1:]
        if self.game.rules.drain_mode == "until_empty":
            self._next_lap(card is ORDER and ORDER not in seat.hand, player, events)
        self._settle("drain", (player,), events)

    def _next_lap(self, came_back: bool, player: int, events: list[Event]) -> None:
        """The seat takes again in the next lap, unless a whole lap has changed nothing."""
        self.queue += (player,)
        self.idle = self.idle + 1 if came_back else 0
        if self.idle == len(self.players):
            self.queue = ()
            events.append(Event("chaos.drain_stop", "X5"))

    def _draw(self, player: int, events: list[Event]) -> None:
        card = self.table.spring.pop()
        _gain(self.players[player].hand, card)
        events.append(Event("chaos.draw", "X6", player, {"card": card}, player))
        self._chaos_power(player, "X4", events)
        self._settle("action", (player,), events)

    def _search(self, target: int, player: int, events: list[Event]) -> None:
        (card,) = self.shown
        self.shown = ()
        self.used += 1
        hand, other = self.players[player].hand, self.players[target].hand
        asked = {"target": target, "card": card}
        then = "action"
        if card in other:
            other.remove(card)
            _gain(hand, card)
            self.hits += 1
            events.append(Event("chaos.hit", "X8", player, asked))
            if self.hits == ACTIONS:
                then = "triple"
        else:
            hand.remove(card)
            self.hits = 0
            if card is not ORDER or not self.game.rules.order_search_free:
                self.failed += (card,)
            events.append(Event("chaos.miss", "X8", player, asked))
            self._to_pool((card,), events)
        self._settle(then, (player, target), events)

    def _givers(self) -> tuple[int, ...]:
        """The seats that choose a card in an exchange (X9)."""
        if self.partner is None:
            return ()
        if self.game.rules.exchange_pick == "blind_draw":
            return (self.turn_player,)
        return tuple(sorted((self.turn_player, self.partner)))

    def _exchange(self, chosen: Sequence[Any], events: list[Event]) -> None:
        player, partner = self.turn_player, self.partner
        assert partner is not None
        self.partner = None
        hand, other = self.players[player].hand, self.players[partner].hand
        given = chosen[player]
        got = chosen[partner]
        if got is None:
            got = other[chance.draw(self.seed, self.shuffles) % len(other)]
            self.shuffles += 1
            events.append(Event("chaos.lose", "X9", partner, {"card": got}, partner))
        hand.remove(given)
        other.remove(got)
        _gain(hand, got)
        _gain(other, given)
        for giver, taker, card in ((partner, player, got), (player, partner, given)):
            received = {"card": card, "target": giver}
            events.append(Event("chaos.receive", "X9", taker, received, taker))
        for each in (player, partner):
            self._chaos_power(each, "X4", events)
        self._settle("action", (player, partner), events)

    def _fight(self, played: Sequence[Kind], events: list[Event]) -> None:
        for seat, card in zip(self.players, played, strict=True):
            seat.hand.remove(card)
        events.append(Event("chaos.shown", "X10", None, {"cards": tuple(played)}))
        winner, won, pooled, returned = _battle(played)
        if returned:
            for seat, card in zip(self.players, played, strict=True):
                if card is CHAOS:
                    _gain(seat.hand, card)
            events.append(Event("chaos.returned", "X10", None, {"cards": returned}))
        if pooled:
            events.append(Event("chaos.equal", "X10", None, {"cards": pooled}))
            self._to_pool(pooled, events)
        if winner is None:
            events.append(Event("chaos.no_winner", "X10"))
        else:
            hand = self.players[winner].hand
            hand += won
            hand.sort(key=PLACE)
            events.append(Event("chaos.won", "X10", winner, {"cards": won}))
            self._chaos_power(winner, "X4", events)
        self._settle("action", self._seats_from(self.turn_player), events)

    def _lay(self, card: Kind, player: int, events: list[Event]) -> None:
        seat = self.players[player]
        start = seat.hand.index(card)
        del seat.hand[start : start + SET]
        seat.sets += [card] * SET
        events.append(Event("chaos.lay", "X13", player, {"card": card}))
        self._settle(self.phase, (player,), events)

    def _discard(self, card: Kind, player: int, events: list[Event]) -> None:
        self.players[player].hand.remove(card)
        events.append(Event("chaos.discard", "X11", player, {"card": card}))
        self._to_pool((card,), events)
        if card is CHAOS:
            self.queue = (player,)
            self.then = "next"
            self._ask("rotate", player)
        else:
            self._settle("next", (player,), events)

    def _rotate(self, steps: int, player: int, events: list[Event]) -> None:
        """All hands move ``steps`` seats to the left, which is up (X12)."""
        seats = self.players
        n = len(seats)
        events.append(Event("chaos.rotate", "X12", player, {"n": steps}))
        if steps:
            hands = [seat.hand for seat in seats]
            for giver, hand in enumerate(hands):
                passed = {"cards": tuple(hand), "target": (giver + steps) % n}
                events.append(Event("chaos.passed", "X12", giver, passed, giver))
            for taker, seat in enumerate(seats):
                seat.hand = hands[taker - steps]
                handed = {"cards": tuple(seat.hand), "target": (taker - steps) % n}
                events.append(Event("chaos.handed", "X12", taker, handed, taker))
        self.queue = self.queue[1:]
        if self.queue and self.game.rules.triple_order == "simultaneous":
            self._ask("rotate", self.queue[0])
        else:
            then, self.then = self.then, ""
            self._settle(then, self._seats_from(self.turn_player), events)

    def _begin_drop(self, events: list[Event]) -> None:
        events.append(Event("chaos.triple", "X24", self.turn_player))
        others = self._seats_from(self.turn_player)[1:]
        if self.game.rules.triple_order == "simultaneous":
            self._ask("drop_all", *sorted(others))
        else:
            self.queue = others
            self._ask("drop", others[0])

    def _drop(self, card: Kind, player: int, events: list[Event]) -> None:
        self.players[player].hand.remove(card)
        events.append(Event("chaos.drop", "X24", player, {"card": card}))
        self._to_pool((card,), events)
        if card is CHAOS:
            self.then = "drop"
            self._ask("rotate", player)
        else:
            self.queue = self.queue[1:]
            self._settle("drop", (player,), events)

    def _drop_all(self, chosen: Sequence[Any], events: list[Event]) -> None:
        others = self._seats_from(self.turn_player)[1:]
        for player in others:
            card = chosen[player]
            self.players[player].hand.remove(card)
            events.append(Event("chaos.drop", "X24", player, {"card": card}))
        self._to_pool([chosen[player] for player in others], events)
        self.queue = tuple([player for player in others if chosen[player] is CHAOS])
        if self.queue:
            self.then = "drop"
            self._ask("rotate", self.queue[0])
        else:
            self._settle("drop", others, events)

    def _speak(self, kind: str, player: int, events: list[Event]) -> None:
        if kind == "declare":
            self.askers = ()
            events.append(Event(f"chaos.{self._has_ended(player, player)}", "X17", player))
            self._count(events, player)
            return
        events.append(Event("chaos.silent", "X17", player))
        self.askers = self.askers[1:]
        if self.askers:
            self._ask("order", self.askers[0])
        else:
            then, self.then = self.then, ""
            self._enter(then, events)

    # The end.

    def _abandoned(self) -> bool:
        return self.table.pool.count(ORDER) == self.game.n_orders

    def _has_ended(self, player: int, speaker: int | None = None) -> str | None:
        """How a seat has ended the round with three Orders, if it has (X17)."""
        by_itself = self.game.rules.order_end == "automatic"
        if player == speaker or (by_itself and _is_orders_only(self.players[player].hand)):
            return "declared" if player == self.turn_player else "revealed"
        return None

    def _endings(self) -> list[Event]:
        """Every reason for which the round is over now (X15 to X17)."""
        reasons = []
        laid = len(self.out) // COPIES * SET
        for player, seat in enumerate(self.players):
            laid += len(seat.sets)
            if not seat.hand:
                reasons.append(Event("chaos.empty", "X16", player))
            elif len(seat.hand) == ORDERS_IN_HAND:
                ended = self._has_ended(player)
                if ended is not None:
                    reasons.append(Event(f"chaos.{ended}", "X17", player))
        if laid == self.game.n_numbers * SET:
            reasons.append(Event("chaos.all_laid", "X15"))
        if self._abandoned():
            reasons.append(Event("chaos.abandoned", "X17"))
        return reasons

    def _is_over(self, events: list[Event]) -> bool:
        reasons = self._endings()
        if reasons:
            events += reasons
            self._count(events)
        return bool(reasons)

    def _count(self, events: list[Event], speaker: int | None = None) -> None:
        """Show the hands, score them, and go on with the next round if there is one (X18)."""
        rules = self.game.rules
        points = []
        for player, seat in enumerate(self.players):
            hand = tuple(seat.hand)
            events.append(Event("chaos.hand", "X18", player, {"cards": hand}))
            points.append(self._count_seat(player, self._has_ended(player, speaker), events))
        self.totals = tuple([a + b for a, b in zip(self.totals, points, strict=True)])
        best = max(self.totals)
        if rules.target_points is not None:
            totals = zip(self.players, self.totals, strict=True)
            for player, (_, total) in enumerate(totals):
                events.append(Event("chaos.total", "X18", player, {"n": total}))
            if best < rules.target_points:
                self._next_round(events)
                return
        winners = [player for player, total in enumerate(self.totals) if total == best]
        kind = "chaos.win" if len(winners) == 1 else "chaos.shared"
        events += [Event(kind, "X18", player, {"n": best}) for player in winners]
        self.queue, self.then = (), ""
        self._finish(shared_win(winners, len(self.players)))

    def _count_seat(self, player: int, ended: str | None, events: list[Event]) -> int:
        seat = self.players[player]
        hand, kinds = seat.hand, seat.sets[::SET]
        fourth = tuple([kind for kind in kinds if kind in hand and kind not in self.voided])
        if fourth:
            events.append(Event("chaos.fourth", "X14", player, {"cards": fourth}))
        orders = hand.count(ORDER)
        if ended is not None:
            events.append(Event("chaos.order_points", "X20", player, {"n": ORDER_WIN[ended]}))
        elif orders == ORDERS_IN_HAND:
            events.append(Event("chaos.three_orders", "X19", player, {"n": ORDERS_IN_HAND}))
        elif orders > ORDERS_IN_HAND:
            events.append(Event("chaos.four_orders", "X19", player))
        if CHAOS in hand:
            events.append(Event("chaos.zero", "X21", player))
        points = _score(kinds, self.voided, hand, ended, self.game.rules.order_bonus)
        events.append(Event("chaos.points", "X18", player, {"n": points}))
        return points

    def _next_round(self, events: list[Event]) -> None:
        self.round += 1
        self.first = (self.first + 1) % len(self.players)
        self.queue, self.then = (), ""
        events.append(Event("chaos.round", "X2", None, {"n": self.round}))
        self._begin_round(events)

    def scores(self) -> list[int]:
        """The points of each seat, with those that the present hands would bring."""
        if self.result is not None:
            return list(self.totals)
        return [
            total + _score(seat.sets[::SET], self.voided, seat.hand, None, "replace")
            for seat, total in zip(self.players, self.totals, strict=True)
        ]

    def turns_played(self) -> int:
        """The turns of this round, and those of the rounds before as far as the log tells."""
        earlier = turns = 0
        for event in self._log:
            if event.kind == "chaos.turn":
                turns += 1
            elif event.kind == "chaos.round":
                earlier = turns
        return earlier + self.turn

    # Looking.

    def _sees(self, viewer: int, owner: int | None, zone: str) -> bool:
        if zone == "hand":
            return viewer == owner or self.phase == END
        return zone != "spring"

    def _owed(self) -> tuple[int, ...]:
        phase = self.phase
        if phase == END:
            return ()
        if phase in ("drain", "drop", "rotate"):
            return self.queue[:1]
        if phase == "order":
            return self.askers[:1]
        if phase not in self.TOGETHER:
            return (self.turn_player,)
        seats: Iterable[int] = range(len(self.players))
        if phase == "give":
            seats = self._givers()
        elif phase == "drop_all":
            seats = [seat for seat in seats if seat != self.turn_player]
        return tuple([seat for seat in seats if self.pending[seat] is None])

    # Judging a position.

    def _check(self) -> None:
        for seat in self.players:
            _check_faces("hand", seat.hand)
            _check_faces("sets", seat.sets)
            seat.hand.sort(key=PLACE)
        _check_faces("pool", self.table.pool)
        self.table.pool.sort(key=PLACE)
        _check_faces("spring", self.table.spring)
        if not self.totals:
            self.totals = (0,) * len(self.players)
        self._check_fields()
        self._check_cards()
        if not self._fits_phase():
            raise PositionError("chaos.position.phase_cards", phase=self.phase)
        ended = self.result is not None
        if (self.phase == END) != ended or (ended and not self._is_possible_result()):
            raise PositionError("chaos.position.result", phase=self.phase)
        for player, chosen in enumerate(self.pending):
            if chosen is not None:
                together = self.phase in self.TOGETHER and self._owed()
                owes = player in self._replaced_pending(player)
                if not together or not owes or self._refusal(chosen, player) is not None:
                    raise PositionError("core.position.pending", value=str(chosen))

    def _replaced_pending(self, player: int) -> tuple[int, ...]:
        """Who would owe a choice if ``player`` had not made its own yet."""
        chosen, self.pending[player] = self.pending[player], None
        owed = self._owed()
        self.pending[player] = chosen
        return owed

    def _is_possible_result(self) -> bool:
        best = max(self.totals)
        winners = [player for player, total in enumerate(self.totals) if total == best]
        return self.result == shared_win(winners, len(self.players))

    def _check_fields(self) -> None:
        """The public fields have values of the right kind."""
        seats = range(len(self.players))
        limits: Mapping[str, tuple[int, int]] = {
            "round": (1, 10**6),
            "first": (0, len(seats) - 1),
            "turn_player": (0, len(seats) - 1),
            "used": (0, ACTIONS),
            "hits": (0, self.used if type(self.used) is int else 0),
            "idle": (0, len(seats) - 1),
        }
        right = {
            name: type(getattr(self, name)) is int and low <= getattr(self, name) <= high
            for name, (low, high) in limits.items()
        }
        for name in ("queue", "askers"):
            right[name] = _is_tuple(getattr(self, name), lambda seat: _is_in(seat, seats))
            right[name] = right[name] and len(set(getattr(self, name))) == len(getattr(self, name))
        right["totals"] = _is_tuple(self.totals, lambda total: type(total) is int and total >= 0)
        right["totals"] = right["totals"] and len(self.totals) == len(seats)
        for name in ("failed", "shown", "voided"):
            content = getattr(self, name)
            for item in content if isinstance(content, tuple) else ():
                check_card_text(item)
            right[name] = _is_tuple(content, lambda card: card in KINDS)
        right["partner"] = self.partner is None or (
            _is_in(self.partner, seats) and self.partner != self.turn_player
        )
        right["then"] = self.then in _STEPS
        for name, fine in right.items():
            if not fine:
                value = str(getattr(self, name))
                raise PositionError("chaos.position.field", field=name, value=value)

    def _check_cards(self) -> None:
        """The deck is there, sets are sets, and what leaves a place at once is not in it."""
        table = self.table
        deck = Counter(self.game.deck)
        held: Counter[Any] = Counter([*self.out, *table.pool, *table.spring])
        for seat in self.players:
            held += Counter(seat.hand + seat.sets)
        for card in sorted(held - deck, key=PLACE):
            raise PositionError("chaos.position.too_many", card=card, n=deck[card])
        missing = sorted((deck - held).elements(), key=PLACE)
        if missing and not self.table.spring:
            # A position set up by hand need not list the cards that are still to be drawn.
            self.table.spring = missing
        elif missing:
            raise PositionError("core.position.missing", cards=tuple(missing))
        laid = [kind for seat in self.players for kind in seat.sets[::SET]]
        if not all(_are_triples(seat.sets) for seat in self.players) or len({*laid}) < len(laid):
            raise PositionError("chaos.position.sets")
        if any(card not in laid for card in self.voided):
            raise PositionError("chaos.position.voided", cards=self.voided)
        pool = self.table.pool
        four = [card for card in SPECTRUM if pool.count(card) == COPIES]
        if four or len(self.out) % COPIES or any(n % COPIES for n in Counter(self.out).values()):
            raise PositionError("chaos.position.four", cards=tuple(four or self.out))
        for player, seat in enumerate(self.players):
            if CHAOS in seat.hand and ORDER in seat.hand:
                raise PositionError("chaos.position.power", seat=player)

    def _fits_phase(self) -> bool:
        """Whether the game can be in its phase with these cards and fields."""
        phase, pool = self.phase, self.table.pool
        if phase == END:
            return not (self.queue or self.askers or self.shown) and self.partner is None
        if phase != "rotate" and self._endings():
            return False
        dropping = phase in ("drop", "drop_all") or (phase == "rotate" and self.then == "drop")
        wanted = {
            "shown": phase == "ask",
            "partner": phase == "give",
            "askers": phase == "order",
            "then": phase in ("order", "rotate"),
        }
        for name, needed in wanted.items():
            if (getattr(self, name) not in ((), None, "")) != needed:
                return False
        if phase in ("drain", "drop", "rotate") and not self.queue:
            return False
        if phase in ("draw", "action", "discard", "ask", "give", "play", "drop_all") and self.queue:
            return False
        if dropping and not (self.used == self.hits == ACTIONS):
            return False
        if dropping and self.turn_player in self.queue:
            return False
        if phase == "action":
            return self.used < ACTIONS
        if phase == "drain":
            return bool(pool) and not self.used
        if phase == "draw":
            return bool(self.table.spring) and not self.used
        if phase == "ask":
            hand = self.players[self.turn_player].hand
            shown = self.shown[0]
            return len(self.shown) == 1 and self.used < ACTIONS and self._is_shown(shown, hand)
        if phase in ("give", "play"):
            return self.used > 0 and self.hits == 0
        if phase == "rotate":
            by_all = self.game.rules.triple_order == "simultaneous" and dropping
            alone = dropping or self.queue == (self.turn_player,)
            return (
                CHAOS in pool
                and alone
                and (self.then in ("next", "drop"))
                and (by_all or self._others_hold_cards())
            )
        if phase == "order":
            return self.game.rules.order_end == "optional" and all(
                self._may_hold_orders_only(player) for player in self.askers
            )
        return True

    def _is_shown(self, card: Kind, hand: Sequence[Kind]) -> bool:
        return card in hand and bool(self._searchable([card]))

    def _others_hold_cards(self) -> bool:
        """Whether nobody's hand is empty but that of the seat that has just discarded Chaos."""
        return all(seat.hand or player == self.queue[0] for player, seat in enumerate(self.players))


def _distinct(content: Sequence[Kind]) -> list[Kind]:
    """The kinds among sorted cards."""
    return [
        card for card, before in zip(content, [None, *content], strict=False) if card is not before
    ]


def _gain(hand: list[Kind], card: Kind) -> None:
    hand.append(card)
    hand.sort(key=PLACE)


def _is_orders_only(hand: Sequence[Kind]) -> bool:
    # A hand is sorted, and Order comes last.
    return len(hand) == ORDERS_IN_HAND and hand[0] is ORDER


def _not_in_hand(card: Any, hand: Sequence[Kind], rule: str) -> CardlabError:
    named = card if isinstance(card, Card) else str(card)
    return IllegalActionError("chaos.error.not_in_hand", rule, card=named, cards=tuple(hand))


def _are_triples(sets: Sequence[Kind]) -> bool:
    return len(sets) % SET == 0 and all(
        kind in SPECTRUM and sets[place : place + SET] == [kind] * SET
        for place, kind in list(enumerate(sets))[::SET]
    )


def _check_faces(zone: str, content: Sequence[Any]) -> None:
    if None in content:
        raise PositionError("chaos.position.empty_place", zone=zone)


def _is_in(value: Any, numbers: range) -> bool:
    return type(value) is int and value in numbers


def _is_tuple(value: Any, is_right: Callable[[Any], bool]) -> bool:
    return isinstance(value, tuple) and all(is_right(item) for item in value)


KINDS_OF_PHASE: Mapping[str, tuple[str, ...]] = {
    "action": ("search", "exchange", "battle", "done"),
    "drain": ("take",),
    "draw": ("draw",),
    "ask": ("ask",),
    "give": ("give",),
    "play": ("play",),
    "drop": ("drop",),
    "drop_all": ("drop",),
    "rotate": ("rotate",),
    "order": ("declare", "silent"),
    "discard": ("discard",),
}
"""What kinds of action each phase asks for, besides the laying of sets."""

_RULE_OF_PHASE = {
    "action": "X7",
    "drain": "X5",
    "draw": "X6",
    "ask": "X8",
    "give": "X9",
    "play": "X10",
    "drop": "X24",
    "drop_all": "X24",
    "rotate": "X12",
    "order": "X17",
    "discard": "X11",
}
_FROM_HAND = ("discard", "give", "play", "drop")
_STEPS = ("", "drain", "draw", "action", "triple", "drop", "discard", "next")


# -------------------------------------------------------------------------------------------- game


class Chaos(Game):
    """The game Chaos; see :class:`ChaosRules` for its options.

    Attributes
    ----------
    deck
        The cards; a class of its own may play with fewer.
    """

    name = "chaos"
    rules_class = ChaosRules
    state_class = ChaosState
    seat_class = ChaosSeat
    table_class = ChaosTable
    phases = tuple(KINDS_OF_PHASE)
    deck: ClassVar[tuple[Kind, ...]] = DECK

    rules: ChaosRules

    def __init__(self, rules: ChaosRules) -> None:
        self.num_players = n = rules.n_players
        super().__init__(rules)
        self.n_orders = self.deck.count(ORDER)
        self.n_numbers = len({*self.deck} & {*SPECTRUM})
        self.laps = [tuple([(first + step) % n for step in range(n)]) for first in range(n)]
        by_kind: dict[str, list[Action]] = {}
        for action in self.actions:
            by_kind.setdefault(action.kind, []).append(action)
        # Actions about a card are found by its index; there is one for every kind of card.
        self.take, self.search, self.lay, self.discard = (
            by_kind[kind] for kind in ("take", "search", "lay", "discard")
        )
        self.by_phase = {
            "give": by_kind["give"],
            "play": by_kind["play"],
            "drop": by_kind["drop"],
            "drop_all": by_kind["drop"],
        }
        # Those about another seat are found by one's own.
        self.ask, self.exchange = (
            [[action for action in by_kind[kind] if action.arg != seat] for seat in range(n)]
            for kind in ("ask", "exchange")
        )
        self.rotate = by_kind["rotate"]
        self.draw, self.battle, self.done, self.declare, self.silent = (
            by_kind[kind][0] for kind in ("draw", "battle", "done", "declare", "silent")
        )

    def _actions(self) -> Iterable[Action]:
        seats = range(self.rules.n_players)
        for kind in ("take", "lay", "search"):
            yield from (Action(kind, card) for card in KINDS)
        yield from (Action("ask", seat) for seat in seats)
        yield from (Action("exchange", seat) for seat in seats)
        for kind in ("give", "play", "drop", "discard"):
            yield from (Action(kind, card) for card in KINDS)
        yield from (Action("rotate", steps) for steps in seats)
        for kind in ("draw", "battle", "done", "declare", "silent"):
            yield Action(kind)

    def parse_card(self, text: Card | str) -> Card:
        """A card of Chaos from its text: ``1`` to ``13``, ``chaos``, ``order``.

        Raises :class:`~cardlab.errors.NotationError` for anything else.
        """
        return parse(text)

    def resample(self, observation: Observation, rng: random.Random) -> ChaosState:
        """A full state, drawn at random from those that the observation allows.

        Every state can come that the seat cannot rule out, however much it remembers and thinks,
        and no other. They are not all equally likely: what is drawn is near to what is likely if
        the deal and the spring are random, if others have exchanged unseen cards at random, and if
        nothing is read into any other decision. It is near and not exactly that, because a random
        walk of limited length leads there; without exchanges among others the aim is to have all
        placements of the unseen cards equally likely. To count states instead would mean to go
        through all that others may have exchanged, which after ten exchanges are billions of ways.
        A choice that another seat has made in secret is drawn evenly from the cards of its hand.
        """
        state = ChaosState(self, rng.getrandbits(63))
        state._recall(observation)
        for place, zones in zip(
            (*state.players, state.table), (*observation.players, observation.table), strict=True
        ):
            for zone, content in zones.items():
                setattr(place, zone, list(content))
        me = observation.player
        state.pending[me] = observation.pending
        if state.phase == END:
            state.table.spring = self._rest(state)
        else:
            hidden = self._about(observation, self._memory).sample(rng)
            state.table.spring = _from_counts(hidden.pop(SPRING))
            for player, counts in hidden.items():
                state.players[player].hand = _from_counts(counts)
        rng.shuffle(state.table.spring)
        for player in state._owed():
            if player not in state.to_move:
                card = rng.choice(state.players[player].hand)
                state.pending[player] = self.by_phase[state.phase][card.index]
        return state

    def _memory(self, observation: Observation) -> Memory:
        return Memory(observation, self.deck)

    def _rest(self, state: ChaosState) -> list[Kind]:
        """The cards that are neither in a hand nor in the open."""
        rest = Counter(self.deck)
        rest.subtract(state.table.pool)
        for seat in state.players:
            rest.subtract(seat.hand + seat.sets)
        for card in state.out:
            rest[parse(card)] -= 1
        return list(rest.elements())


def _from_counts(counts: Iterable[int]) -> list[Kind]:
    return [kind for kind, n in zip(KINDS, counts, strict=True) for _ in range(n)]
