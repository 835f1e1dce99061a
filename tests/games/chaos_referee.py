"""A second Chaos, written from the rulebook alone: loops and questions instead of a state machine.

Cards are their values in a battle: 0 Chaos, 1 to 13, 14 Order.
"""

from collections.abc import Callable, Collection, Iterable
from functools import partial
from itertools import count
from typing import Any, NamedTuple

CHAOS, ORDER = 0, 14
NUMBERS = range(1, 14)

Ask = Callable[[int | None, str, Collection[Any]], Any]


class Told(NamedTuple):
    """Something that happened, and the only seat that may know the particulars, if not all may."""

    kind: str
    seat: int | None
    data: dict[str, Any]
    only: int | None = None


class RoundOverError(Exception):
    """The round is over."""


class Referee:
    """One round, from the deal to the points.

    ``ask(seat, kind, options)`` decides; seat ``None`` is chance.
    """

    def __init__(
        self,
        rules: dict[str, Any],
        hands: list[list[int]],
        spring: list[int],
        first: int,
        ask: Ask,
        orders: int = 4,
        numbers: int = 13,
    ) -> None:
        self.rules = rules
        self.hands = [sorted(hand) for hand in hands]
        self.spring = list(spring)
        self.first = first
        self.ask = ask
        self.orders = orders
        self.numbers = numbers
        self.n = len(hands)
        self.pool: list[int] = []
        self.sets: list[list[int]] = [[] for _ in hands]
        self.face_down: set[int] = set()
        self.gone: list[int] = []
        self.story: list[Told] = []
        self.player = first
        self.points: list[int] = []
        self.spoke: int | None = None

    def tell(
        self, kind: str, seat: int | None = None, only: int | None = None, **data: Any
    ) -> None:
        self.story.append(Told(kind, seat, data, only))

    def others(self, seat: int) -> list[int]:
        return [(seat + step) % self.n for step in range(1, self.n)]

    def everybody(self) -> list[int]:
        return [self.player, *self.others(self.player)]

    # The round.

    def run(self) -> None:
        for seat in range(self.n):
            self.throw_orders(seat)
        try:
            self.look_for_an_end()
            for number in count(1):
                self.turn(number)
                if number == self.rules["max_turns"]:
                    self.tell("max_turns", n=number)
                    break
                self.player = (self.player + 1) % self.n
        except RoundOverError:
            pass
        self.count()

    def turn(self, number: int) -> None:
        me = self.player
        self.tell("turn", me, turn=number)
        if len(self.pool) >= 5:
            self.drain()
        if self.spring:
            self.decide(me, "draw", lambda: ["draw"], may_lay=True)
            card = self.spring.pop()
            self.hands[me].append(card)
            self.tell("draw", me, only=me, card=card)
            self.throw_orders(me)
            self.after([me])
        if self.actions() == 3:
            self.penalty()
        may_lay = self.rules["lay_timing"] == "own_turn"
        card = self.decide(me, "discard", lambda: set(self.hands[me]), may_lay)
        self.put(me, card, "discard")
        if card == CHAOS:
            self.rotate(me)
            self.after(self.everybody())
        else:
            self.after([me])

    def decide(
        self, seat: int, kind: str, options: Callable[[], Collection[Any]], may_lay: bool
    ) -> Any:
        """A decision before which the player may lay sets."""
        while True:
            hand = self.hands[seat]
            sets = [("lay", c) for c in NUMBERS if may_lay and hand.count(c) >= 3]
            chosen = self.ask(seat, kind, [*options(), *sets])
            if not (isinstance(chosen, tuple) and chosen[0] == "lay"):
                return chosen
            for _ in range(3):
                hand.remove(chosen[1])
            self.sets[seat].append(chosen[1])
            self.tell("lay", seat, card=chosen[1])
            self.after([seat])

    # What follows from a change of hands or pool.

    def throw_orders(self, seat: int) -> None:
        hand = self.hands[seat]
        if {CHAOS, ORDER} <= set(hand):
            thrown = hand.count(ORDER)
            self.hands[seat] = [card for card in hand if card != ORDER]
            self.pool += [ORDER] * thrown
            self.tell("power", seat, n=thrown)

    def to_pool(self, cards: Iterable[int]) -> None:
        for card in cards:
            self.pool.append(card)
        for card in cards:
            if card in NUMBERS and self.pool.count(card) == 4:
                self.pool = [other for other in self.pool if other != card]
                self.gone.append(card)
                self.tell("remove", card=card)

    def put(self, seat: int, card: int, kind: str) -> None:
        self.hands[seat].remove(card)
        self.tell(kind, seat, card=card)
        self.to_pool([card])

    def only_orders(self, seat: int) -> bool:
        return sorted(self.hands[seat]) == [ORDER] * 3

    def name_of_win(self, seat: int) -> str:
        return "declared" if seat == self.player else "revealed"

    def look_for_an_end(self) -> None:
        ends = []
        for seat, hand in enumerate(self.hands):
            if hand == []:
                ends.append(("empty", seat))
            if self.rules["order_end"] == "automatic" and self.only_orders(seat):
                ends.append((self.name_of_win(seat), seat))
        if len({c for sets in self.sets for c in sets} | set(self.gone)) == self.numbers:
            ends.append(("all_laid", None))
        if self.pool.count(ORDER) == self.orders:
            ends.append(("abandoned", None))
        for kind, who in ends:
            self.tell(kind, who)
        if ends:
            raise RoundOverError

    def after(self, changed: list[int]) -> None:
        """Something has happened to these hands: is it the end, does anybody speak?"""
        self.look_for_an_end()
        if self.rules["order_end"] == "automatic":
            return
        asked = [
            seat
            for seat in changed
            if len(self.hands[seat]) == 3 and self.orders - self.pool.count(ORDER) >= 3
        ]
        for seat in asked:
            options = ["silent", "declare"] if self.only_orders(seat) else ["silent"]
            if self.ask(seat, "order", options) == "declare":
                self.spoke = seat
                self.tell(self.name_of_win(seat), seat)
                raise RoundOverError
            self.tell("silent", seat)

    # The parts of a turn.

    def drain(self) -> None:
        self.tell("drain", self.player, n=len(self.pool))
        quiet = 0
        for taken in count():
            if not self.pool or (self.rules["drain_mode"] == "one_each" and taken == self.n):
                return
            seat = (self.player + taken) % self.n
            may_lay = seat == self.player
            card = self.decide(seat, "drain", lambda: set(self.pool), may_lay)
            self.pool.remove(card)
            self.hands[seat].append(card)
            self.tell("take", seat, card=card)
            if card in self.sets[seat] and card not in self.face_down:
                self.face_down.add(card)
                self.tell("void", seat, card=card)
            self.throw_orders(seat)
            quiet = quiet + 1 if card == ORDER and ORDER not in self.hands[seat] else 0
            stop = self.rules["drain_mode"] == "until_empty" and quiet == self.n
            if stop:
                self.tell("drain_stop")
            self.after([seat])
            if stop:
                return

    def actions(self) -> int:
        """Up to three actions; returns how many searches have succeeded in a row at the end."""
        me = self.player
        used, row = 0, 0
        failed: set[int] = set()
        while used < 3:
            may_lay = used == 0 or self.rules["lay_timing"] == "own_turn"
            chosen = self.decide(me, "action", partial(self.legal_actions, failed, used), may_lay)
            if chosen == "done":
                self.tell("done", me, n=used)
                break
            used += 1
            if chosen == "battle":
                row = 0
                self.battle()
            elif chosen[0] == "exchange":
                row = 0
                self.exchange(chosen[1])
            else:
                row = row + 1 if self.search(chosen[1], failed) else 0
        return row if used == 3 else 0

    def legal_actions(self, failed: set[int], used: int) -> list[Any]:
        legal: list[Any] = [("search", card) for card in self.searchable(failed)]
        legal += [("exchange", seat) for seat in self.others(self.player)] + ["battle"]
        return legal + ["done"] * (used >= self.rules["min_actions"])

    def searchable(self, failed: set[int]) -> list[int]:
        legal = []
        for card in set(self.hands[self.player]):
            if card == CHAOS:
                continue
            banned = (
                card in failed
                or self.pool.count(card) >= 3
                or any(card in sets for sets in self.sets)
            )
            if not banned or (card == ORDER and self.rules["order_search_free"]):
                legal.append(card)
        return legal

    def search(self, card: int, failed: set[int]) -> bool:
        me = self.player
        self.tell("search", me, card=card)
        target = self.ask(me, "ask", self.others(me))
        if card in self.hands[target]:
            self.hands[target].remove(card)
            self.hands[me].append(card)
            self.tell("hit", me, target=target, card=card)
            self.after([me, target])
            return True
        self.hands[me].remove(card)
        if not (card == ORDER and self.rules["order_search_free"]):
            failed.add(card)
        self.tell("miss", me, target=target, card=card)
        self.to_pool([card])
        self.after([me, target])
        return False

    def exchange(self, partner: int) -> None:
        me = self.player
        self.tell("exchange", me, target=partner)
        if self.rules["exchange_pick"] == "blind_draw":
            mine = self.ask(me, "give", set(self.hands[me]))
            theirs = self.ask(None, "blind", self.hands[partner])
            self.tell("lose", partner, only=partner, card=theirs)
        else:
            chosen = {
                seat: self.ask(seat, "give", set(self.hands[seat]))
                for seat in sorted([me, partner])
            }
            mine, theirs = chosen[me], chosen[partner]
        self.hands[me].remove(mine)
        self.hands[partner].remove(theirs)
        self.hands[me].append(theirs)
        self.hands[partner].append(mine)
        self.tell("receive", me, only=me, card=theirs, target=partner)
        self.tell("receive", partner, only=partner, card=mine, target=me)
        self.throw_orders(me)
        self.throw_orders(partner)
        self.after([me, partner])

    def battle(self) -> None:
        self.tell("battle", self.player)
        played = [self.ask(seat, "play", set(self.hands[seat])) for seat in range(self.n)]
        for seat, card in enumerate(played):
            self.hands[seat].remove(card)
        self.tell("shown", cards=played)
        if played.count(CHAOS) == 2:
            for seat, card in enumerate(played):
                if card == CHAOS:
                    self.hands[seat].append(CHAOS)
            self.tell("returned", cards=[CHAOS, CHAOS])
        equal = [card for card in played if card != CHAOS and played.count(card) > 1]
        if equal:
            self.tell("equal", cards=equal)
            self.to_pool(equal)
        single = [card for card in played if played.count(card) == 1]
        if single:
            winner = played.index(max(single))
            self.hands[winner] += single
            self.tell("won", winner, cards=single)
            self.throw_orders(winner)
        else:
            self.tell("no_winner")
        self.after(self.everybody())

    def rotate(self, seat: int) -> None:
        steps = self.ask(seat, "rotate", range(self.rules["rotation_min"], self.n))
        self.tell("rotate", seat, n=steps)
        if steps == 0:
            return
        for giver, hand in enumerate(self.hands):
            self.tell(
                "passed", giver, only=giver, cards=sorted(hand), target=(giver + steps) % self.n
            )
        for _ in range(steps):
            self.hands = [self.hands[-1], *self.hands[:-1]]
        for taker in range(self.n):
            giver = (taker - steps) % self.n
            self.tell("handed", taker, only=taker, cards=sorted(self.hands[taker]), target=giver)

    def penalty(self) -> None:
        self.tell("triple", self.player)
        others = self.others(self.player)
        if self.rules["triple_order"] == "sequential":
            for seat in others:
                card = self.ask(seat, "drop", set(self.hands[seat]))
                self.put(seat, card, "drop")
                if card == CHAOS:
                    self.rotate(seat)
                self.after(self.everybody() if card == CHAOS else [seat])
            return
        chosen = {seat: self.ask(seat, "drop", set(self.hands[seat])) for seat in sorted(others)}
        for seat in others:
            self.hands[seat].remove(chosen[seat])
            self.tell("drop", seat, card=chosen[seat])
        self.to_pool([chosen[seat] for seat in others])
        rotators = [seat for seat in others if chosen[seat] == CHAOS]
        for seat in rotators:
            self.rotate(seat)
        self.after(self.everybody() if rotators else others)

    # The points.

    def count(self) -> None:
        for seat, hand in enumerate(self.hands):
            self.tell("hand", seat, cards=sorted(hand))
            good = [c for c in self.sets[seat] if c not in self.face_down]
            spoilt = [c for c in good if c in hand]
            if spoilt:
                self.tell("fourth", seat, cards=spoilt)
            points = len(good) - len(spoilt)
            orders = hand.count(ORDER)
            by_itself = self.rules["order_end"] == "automatic" and self.only_orders(seat)
            if by_itself or self.spoke == seat:
                worth = 5 if seat == self.player else 4
                self.tell("order_points", seat, n=worth)
                points += worth + (3 if self.rules["order_bonus"] == "add" else 0)
            elif orders == 3:
                self.tell("three_orders", seat, n=3)
                points += 3
            elif orders == 4:
                self.tell("four_orders", seat)
            if CHAOS in hand:
                self.tell("zero", seat)
                points = 0
            self.tell("points", seat, n=points)
            self.points.append(points)
        best = max(self.points)
        winners = [seat for seat, points in enumerate(self.points) if points == best]
        for seat in winners:
            self.tell("win" if len(winners) == 1 else "shared", seat, n=best)
