"""What a seat of Chaos can know of hidden cards, worked out from what it has seen.

Whoever remembers everything knows a good deal: a card that was shown, taken or won stays in its
hand until it is seen to leave, a failed search proves that a hand has none, a seat that threw
Orders holds Chaos, and a hand that is passed on stays what it was. Three things stay hidden: how
the cards were dealt, what others draw from the spring, and what others exchange among themselves.

:class:`Memory` turns the log of an observation into a system of bounds. For each hand, each stretch
of time between two hidden changes of it, and each kind of card there is a lowest and a highest
number. A hidden card that moves is a *token*, which may be of several kinds. Whatever kinds the
tokens, and the other cards that were never seen, may have without breaking a bound is a way in
which the game can have gone, and there is no other. So all that is drawn here is possible, and all
that is possible can be drawn.

Bounds are narrowed by their neighbours (before and after a hidden change; all hands at a moment;
all kinds in a hand) until nothing changes any more, as in a crossword. What is left open is tried
out: one token after the other is given a kind, and the bounds are narrowed again. Tokens that have
led into dead ends come first, by the weighting of F. Boussemart, F. Hemery, C. Lecoutre and
L. Sais, "Boosting Systematic Search by Weighting Constraints" (ECAI 2004): without it, a proof
that something cannot be may take longer than anybody waits.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from math import comb, log
from operator import add, sub
from typing import Any, NamedTuple

from cardlab.cards import Card
from cardlab.engine import END, Event, Observation
from cardlab.games.chaos_cards import CHAOS, COPIES, DECK, KINDS, ORDER, PLACE, Kind, parse

__all__ = ["Knowledge", "Memory", "glance", "knowledge"]

Counts = list[int]
"""A number for each kind of card, by its index."""

N = len(KINDS)
_X, _O = CHAOS.index, ORDER.index
_ALL = range(N)
_ANY = (1 << N) - 1
_MOST = [2, *[COPIES] * 13, 4]
_MANY = 99
"""More than there are cards."""
_ROUNDS = 4
"""How often every unseen card is offered another place."""
_SCARCE = 0.01
"""The weight of what is possible but was not expected."""


class ImpossibleError(Exception):
    """Nothing keeps all bounds.

    Attributes
    ----------
    tokens
        Those that move next to the contents whose bounds cannot be kept.
    """

    def __init__(self, tokens: Iterable[int] = ()) -> None:
        super().__init__()
        self.tokens = tokens


class _GaveUpError(Exception):
    """The search has taken too many steps."""


# ----------------------------------------------------------------------------------- what is known


class Knowledge(NamedTuple):
    """What a seat can know of the hands, its own included.

    Attributes
    ----------
    sure
        For each seat the cards that it surely holds, sorted.
    absent
        For each seat the kinds of which it surely holds no card, sorted.
    """

    sure: tuple[tuple[Kind, ...], ...]
    absent: tuple[tuple[Kind, ...], ...]


def knowledge(observation: Observation, deck: Sequence[Card] = DECK) -> Knowledge:
    """All that a perfect memory, and thinking to the end, tells a seat about the hands.

    A card is sure, or a kind absent, just if it is so in every state that the observation allows.

    Parameters
    ----------
    observation
        What the seat sees; nothing else counts.
    deck
        The cards of the game.

    Who holds both Chaos knows that nobody else has one:

    >>> from cardlab import load_game
    >>> seen = load_game("chaos", n_players=3).new_initial_state(seed=1).observation(0)
    >>> known = knowledge(seen)
    >>> seen.hand[:2], known.sure[0] == seen.hand, known.sure[1], known.absent[1]
    ((Kind('chaos'), Kind('chaos')), True, (), (Kind('chaos'),))
    """
    seats = range(len(observation.players))
    bounds = {} if observation.phase == END else Memory(observation, deck).exact_bounds()
    kinds = sorted({*map(parse, deck)}, key=PLACE)
    least, most = [], []
    for seat in seats:
        if seat in bounds:
            low, high = bounds[seat]
        else:
            low = high = _counts(observation.players[seat]["hand"])
        least.append(low)
        most.append(high)
    return Knowledge(
        tuple([tuple([kind for kind in kinds for _ in range(low[kind.index])]) for low in least]),
        tuple([tuple([kind for kind in kinds if not high[kind.index]]) for high in most]),
    )


def glance(observation: Observation) -> list[tuple[Counts, Counts]]:
    """The least and the most of each kind that each hand may hold, at a glance.

    It goes through the log once and never thinks back: what turns out later about an earlier hand
    is not used. So it is never wrong, seldom much less than all there is, and many times faster
    than :func:`knowledge`.

    Returns for each seat the lowest and the highest numbers, by the index of the kind.

    >>> from cardlab import load_game
    >>> state = load_game("chaos", n_players=3).new_initial_state(seed=1)
    >>> low, high = glance(state.observation(0))[1]
    >>> low[7], high[7]
    (0, 4)
    """
    found = []
    reader = _Glimpse(observation) if observation.phase != END else None
    for seat, zones in enumerate(observation.players):
        hand = reader.at[seat] if reader else None
        if hand is None:
            held = _counts(zones["hand"])
            found.append((held, held))
        else:
            found.append(hand.glance(len(zones["hand"])))
    return found


# ------------------------------------------------------------------------------- reading the log


class Step(NamedTuple):
    """A hidden change of a hand: the tokens that leave and enter it, its open changes so far."""

    leaves: int | None
    enters: int
    public: Counts

    def tokens(self) -> list[int]:
        return [self.enters] if self.leaves is None else [self.enters, self.leaves]


class At(NamedTuple):
    """Where a step is: the place of its hand among all hands, and the stretch that it ends."""

    place: int
    stretch: int


class Slice(NamedTuple):
    """A moment between two hidden changes: all cards that were hidden then lay somewhere.

    Attributes
    ----------
    contents
        The stretch of each hand at that moment; the spring's content is that at the end.
    tokens
        The tokens that were still in the spring.
    supply
        How many cards of each kind there were.
    """

    contents: list[At]
    tokens: list[int]
    supply: Counts


class Hand:
    """The cards of one hand from a moment on, whoever holds it.

    It holds what it held at first, plus its open changes, plus the tokens that have entered, less
    those that have left. Bounds are on all that without the open changes.

    Attributes
    ----------
    start
        What it held at first; ``None`` if that was never seen.
    first_size, grown
        How many cards it held at first, and how many it has gained since.
    public
        How many cards of each kind it has openly gained.
    low, high
        Bounds for each stretch of time: a number for each kind.
    clashes
        For each stretch pairs ``(a, b)``, of which one is kept: at most ``a`` Chaos, or at most
        ``b`` Orders.
    steps
        The hidden changes between the stretches.
    sizes
        For each stretch the number of cards without the open changes.
    """

    def __init__(self, start: Counts | None = None) -> None:
        self.start = start
        self.first_size = 0 if start is None else sum(start)
        self.grown = 0
        self.public = [0] * N
        self.low: list[Counts] = [[0] * N if start is None else start.copy()]
        self.high: list[Counts] = [[_MANY] * N if start is None else start.copy()]
        self.clashes: list[set[tuple[int, int]]] = [set()]
        self.steps: list[Step] = []
        self.sizes: list[int] = [0]
        self.end: Counts | None = None
        self._not_orders_only: list[tuple[int, int, int]] = []

    def change(self, kind: int, n: int) -> None:
        """Openly gain or lose cards of a kind."""
        self.public[kind] += n
        self.grown += n
        if n < 0:
            self.at_least(kind, 0)

    def at_least(self, kind: int, n: int) -> None:
        """It holds at least ``n`` of a kind now."""
        low = self.low[-1]
        low[kind] = max(low[kind], n - self.public[kind])

    def at_most(self, kind: int, n: int) -> None:
        """It holds at most ``n`` of a kind now."""
        high = self.high[-1]
        high[kind] = min(high[kind], n - self.public[kind])

    def move(self, leaves: int | None, enters: int) -> None:
        """A token enters, and one leaves if it is no draw."""
        self.steps.append(Step(leaves, enters, self.public.copy()))
        self.sizes.append(self.sizes[-1] + (leaves is None))
        self.grown += leaves is None
        self.low.append([-n for n in self.public])
        self.high.append([_MANY] * N)
        self.clashes.append(set())

    def settle(self, is_not_orders_only: bool) -> None:
        """An action is over: Chaos and Order are not together (X4), and no hand has won (X17)."""
        self.clashes[-1].add((-self.public[_X], -self.public[_O]))
        if is_not_orders_only:
            most = 2 - self.public[_O]
            self._not_orders_only.append((len(self.steps), self.grown, most))

    def glance(self, size: int) -> tuple[Counts, Counts]:
        """The least and the most that it holds now, ``size`` cards in all."""
        low, high = self.low[0], self.high[0]
        for stretch, step in enumerate([*self.steps, None]):
            low = list(map(max, low, self.low[stretch]))
            high = list(map(min, high, self.high[stretch]))
            for chaos, orders in self.clashes[stretch]:
                if low[_X] > chaos:
                    high[_O] = min(high[_O], orders)
                if low[_O] > orders:
                    high[_X] = min(high[_X], chaos)
            if step is not None:
                low = [n - (step.leaves is not None) for n in low]
                high = [n + 1 for n in high]
        low = list(map(add, low, self.public))
        spare = size - sum(low)
        most = [
            a + min(b + open_ - a, spare)
            for a, b, open_ in zip(low, high, self.public, strict=True)
        ]
        return low, list(map(min, most, _MOST))

    def close(self, content: Counts) -> None:
        """All its cards are seen, and its story goes on as that of another hand."""
        self.end = content
        for kind in _ALL:
            self.at_least(kind, content[kind])
            self.at_most(kind, content[kind])
        self.complete(sum(content))

    def complete(self, size: int) -> None:
        """How many cards it holds at the end is known now, and so how many it held before."""
        self.first_size = size - self.grown
        self.sizes = [self.first_size + draws for draws in self.sizes]
        for stretch, grown, most in self._not_orders_only:
            if self.first_size + grown == 3:
                high = self.high[stretch]
                high[_O] = min(high[_O], most)


def _since_the_deal(log: Sequence[Event]) -> Sequence[Event]:
    """The events of this round; looked for from the end, as a match may be long."""
    for place in reversed(range(len(log))):
        if log[place].kind == "chaos.piles":
            return log[place + 1 :]
    return log


def _counts(cards: Iterable[Card | None]) -> Counts:
    counts = [0] * N
    for card in cards:
        assert card is not None
        counts[card.index] += 1
    return counts


_INSIDE_A_STEP = frozenset(
    {
        "chaos.deal",
        "chaos.equal",
        "chaos.handed",
        "chaos.hit",
        "chaos.lose",
        "chaos.miss",
        "chaos.no_winner",
        "chaos.passed",
        "chaos.power",
        "chaos.receive",
        "chaos.remove",
        "chaos.returned",
        "chaos.shown",
        "chaos.void",
        "chaos.won",
    }
)
"""Events that do not begin a new step: in between, hands need not be settled."""


class _Reader:
    """Goes through the log of one seat and writes down the bounds on all other hands."""

    def __init__(self, observation: Observation) -> None:
        self.me = observation.player
        self.seats = len(observation.players)
        rules: Any = observation.rules
        self.automatic = rules.order_end == "automatic"
        inside = _INSIDE_A_STEP
        if rules.triple_order == "simultaneous":
            inside = inside | {"chaos.drop"}
        self.begin()
        for event in _since_the_deal(observation.log):
            if event.kind not in inside:
                self.settle(event.kind == "chaos.rotate")
            self.read(event)
        self.settle(observation.phase == "rotate")
        self.mark()
        if observation.phase == "ask":
            self.show(observation.public["turn_player"], observation.public["shown"][0])
        for seat, hand in enumerate(self.at):
            if hand is not None:
                hand.complete(len(observation.players[seat]["hand"]))

    def begin(self) -> None:
        self.mine: Counts | None = None
        self.at: list[Hand | None] = [
            None if seat == self.me else Hand() for seat in range(self.seats)
        ]
        self.hands = [hand for hand in self.at if hand is not None]
        self.touched = {*self.hands}
        self.n_tokens = 0
        self.hidden = [0] * N  # how many more cards are hidden than at first
        self.moments: list[tuple[list[At], int, Counts]] = []
        self.partners: tuple[int, int] | None = None
        self.given = -1
        self.steps = 0
        self.played: Sequence[Kind] = ()

    def settle(self, is_rotating: bool) -> None:
        """The step is over. Before a rotation nobody can have won yet (X12), but after it."""
        for hand in self.touched:
            hand.settle(self.automatic and not is_rotating)
        if not is_rotating:
            self.touched.clear()

    def change(self, seat: int, card: Card, n: int) -> None:
        hand = self.at[seat]
        if hand is not None:
            hand.change(card.index, n)
            self.touched.add(hand)
        elif self.mine is not None:
            self.mine[card.index] += n

    def show(self, seat: int, card: Card) -> None:
        hand = self.at[seat]
        if hand is not None:
            hand.at_least(card.index, 1)

    def read(self, event: Event) -> None:
        data: Any = event.data
        seat: Any = event.player
        kind = event.kind.removeprefix("chaos.")
        if kind in ("take", "lay", "discard", "drop"):
            self.change(seat, data["card"], {"take": 1, "lay": -3}.get(kind, -1))
        elif kind == "draw":
            self.draw(seat, data)
        elif kind == "search":
            self.show(seat, data["card"])
        elif kind == "hit":
            self.change(data["target"], data["card"], -1)
            self.change(seat, data["card"], 1)
        elif kind == "miss":
            hand = self.at[data["target"]]
            if hand is not None:
                hand.at_most(data["card"].index, 0)
            self.change(seat, data["card"], -1)
        elif kind == "power":
            self.throw(seat, data["n"])
        elif kind == "exchange":
            self.partners = (seat, data["target"])
        elif kind in ("give", "lose") and seat == self.me:
            self.given = data["card"].index
        elif kind == "receive":
            self.exchange(seat, data)
        elif kind == "shown":
            self.played = data["cards"]
            for player, card in enumerate(self.played):
                self.change(player, card, -1)
        elif kind == "returned":
            for player, card in enumerate(self.played):
                if card is CHAOS:
                    self.change(player, card, 1)
        elif kind == "won":
            for card in data["cards"]:
                self.change(seat, card, 1)
        elif kind == "rotate":
            self.steps = data["n"]
        elif kind == "passed" and seat == self.me:
            self.mine = _counts(data["cards"])
            self.rotate(self.steps)
        elif kind in ("deal", "handed") and seat == self.me:
            self.see_own(_counts(data["cards"]))

    def draw(self, seat: int, data: Any) -> None:
        hand = self.at[seat]
        if hand is None:
            self.change(seat, data["card"], 1)
            return
        self.mark()
        hand.move(None, self.token())
        self.touched.add(hand)

    def mark(self) -> None:
        """Write down where hidden cards are, before a hidden change."""
        contents = [
            At(self.hands.index(hand), len(hand.steps)) for hand in self.at if hand is not None
        ]
        self.moments.append((contents, self.n_tokens, self.hidden.copy()))

    def token(self) -> int:
        self.n_tokens += 1
        return self.n_tokens - 1

    def throw(self, seat: int, n: int) -> None:
        """All the seat's Orders, ``n`` of them, go to the pool, because it holds Chaos (X4)."""
        hand = self.at[seat]
        if hand is not None:
            hand.at_least(_X, 1)
            hand.at_least(_O, n)
            hand.at_most(_O, n)
        self.change(seat, ORDER, -n)

    def exchange(self, taker: int, data: Any) -> None:
        """The first of the two cards of an exchange has arrived, or one's own (X9)."""
        if self.partners is None or (self.me in self.partners and taker != self.me):
            return
        first, second = self.partners
        self.partners = None
        if taker == self.me:
            other = second if first == self.me else first
            self.show(other, data["card"])
            for seat, sign in ((self.me, 1), (other, -1)):
                self.change(seat, data["card"], sign)
                self.change(seat, KINDS[self.given], -sign)
            return
        a, b = self.at[first], self.at[second]
        assert a is not None
        assert b is not None
        self.mark()
        to_a, to_b = self.token(), self.token()
        a.move(to_b, to_a)
        b.move(to_a, to_b)
        self.touched |= {a, b}

    def rotate(self, steps: int) -> None:
        """All hands move on; one's own becomes another's, and known (X12)."""
        assert self.mine is not None
        left = Hand(self.mine)
        self.hands.append(left)
        self.hidden = list(map(add, self.hidden, self.mine))
        held = [left if hand is None else hand for hand in self.at]
        self.at = [held[seat - steps] for seat in range(self.seats)]
        self.touched |= {*held}
        self.mine = None

    def see_own(self, content: Counts) -> None:
        """One's own hand, as it was dealt or handed over."""
        hand = self.at[self.me]
        if hand is not None:
            hand.close(content)
            self.touched.discard(hand)
            for kind in _ALL:
                self.hidden[kind] += hand.public[kind] - content[kind]
        self.at[self.me] = None
        self.mine = content.copy()


class _Glimpse(_Reader):
    """A reader that remembers no moments, for :func:`glance`."""

    def mark(self) -> None:
        pass


# ------------------------------------------------------------------------------------- the memory


class Bounds:
    """What the contents of all hands can be, for all that is settled so far.

    Attributes
    ----------
    low, high
        For each hand and stretch the lowest and highest number of each kind.
    kinds
        For each token the kinds that it may have, one bit for each.
    """

    __slots__ = ("high", "kinds", "low")

    def __init__(self, low: list[list[Counts]], high: list[list[Counts]], kinds: list[int]) -> None:
        self.low = low
        self.high = high
        self.kinds = kinds

    def copy(self) -> Bounds:
        """Bounds that can be changed without changing these."""
        return Bounds(
            [[counts.copy() for counts in hand] for hand in self.low],
            [[counts.copy() for counts in hand] for hand in self.high],
            self.kinds.copy(),
        )


class _Todo:
    """Steps and slices whose neighbours have changed, and in which kinds."""

    __slots__ = ("slices", "steps")

    def __init__(self) -> None:
        self.steps: dict[At, int] = {}
        self.slices: dict[int, int] = {}


Content = dict[int, Counts]
"""The cards of each hidden hand, by seat; the spring's under ``SPRING``."""

SPRING = -1


class Memory:
    """All that a seat can know of hidden cards, from one observation before the end of the game.

    Parameters
    ----------
    observation
        What the seat sees.
    deck
        The cards of the game.
    """

    def __init__(self, observation: Observation, deck: Sequence[Card] = DECK) -> None:
        reader = _Reader(observation)
        spring = Hand()
        spring.complete(len(observation.table["spring"]))
        self.hands = [*reader.hands, spring]
        self.places = {
            seat: self.hands.index(hand) for seat, hand in enumerate(reader.at) if hand is not None
        }
        self.places[SPRING] = len(self.hands) - 1
        self.unseen = [place for place, hand in enumerate(self.hands) if hand.start is None]
        # Where each token comes and goes; the spring is no hand that it leaves.
        self.steps_of: list[list[At]] = [[] for _ in range(reader.n_tokens)]
        self.leaves: dict[int, At] = {}
        self.partner: dict[int, int] = {}
        for place, hand in enumerate(self.hands):
            for stretch, (leaves, enters, _) in enumerate(hand.steps):
                at = At(place, stretch)
                self.steps_of[enters].append(at)
                if leaves is not None:
                    self.steps_of[leaves].append(at)
                    self.leaves[leaves] = at
                    self.partner[leaves] = enters
        self.draws = [token for token in range(reader.n_tokens) if token not in self.leaves]
        self.slices = self._slices(reader, observation, deck)
        self.bounds = self._first_bounds(reader.n_tokens)

    def _slices(
        self, reader: _Reader, observation: Observation, deck: Sequence[Card]
    ) -> list[Slice]:
        """What there was of each kind: at the first, and before each hidden change and now."""
        seen = [*observation.hand, *observation.table["pool"], *observation.out]
        for zones in observation.players:
            seen += zones["sets"]
        now = list(map(sub, _counts(deck), _counts(seen)))
        for seat, place in self.places.items():
            now = list(map(sub, now, self.hands[place].public)) if seat != SPRING else now
        first = now
        for place, hand in enumerate(self.hands):
            if place not in self.places.values():
                assert hand.end is not None
                first = list(map(add, first, map(sub, hand.end, hand.public)))
            if hand.start is not None:
                first = list(map(sub, first, hand.start))
        slices = [Slice([At(place, 0) for place in self.unseen], self.draws, first)]
        spring = At(self.places[SPRING], 0)
        for contents, n_tokens, hidden in reader.moments:
            supply = list(map(sub, map(add, now, hidden), reader.hidden))
            tokens = [token for token in self.draws if token >= n_tokens]
            slices.append(Slice([*contents, spring], tokens, supply))
        return slices

    def _first_bounds(self, n_tokens: int) -> Bounds:
        # The slices in which a content takes part, or a token in the spring.
        self.slices_of: dict[At | int, set[int]] = {}
        for number, part in enumerate(self.slices):
            both: list[At | int] = [*part.contents, *part.tokens]
            for what in both:
                self.slices_of.setdefault(what, set()).add(number)
        bounds = Bounds(
            [hand.low for hand in self.hands], [hand.high for hand in self.hands], [_ANY] * n_tokens
        )
        todo = _Todo()
        for place, hand in enumerate(self.hands):
            for stretch in range(len(hand.sizes)):
                self._tighten_stretch(place, stretch, bounds)
            for stretch in range(len(hand.steps)):
                todo.steps[At(place, stretch)] = _ANY
        todo.slices = dict.fromkeys(range(len(self.slices)), _ANY)
        self.tighten(bounds, todo)
        return bounds

    # Drawing conclusions.

    def tighten(self, bounds: Bounds, todo: _Todo) -> None:
        """Narrow the bounds until each agrees with its neighbours, beginning with what is to do.

        Raises ``ImpossibleError`` when nothing keeps all bounds.
        """
        while todo.steps or todo.slices:
            if todo.steps:
                self._tighten_step(*todo.steps.popitem(), bounds, todo)
            else:
                self._tighten_slice(*todo.slices.popitem(), bounds, todo)

    def narrow(self, bounds: Bounds, at: At) -> None:
        """Tighten bounds after those on one content were changed.

        Raises ``ImpossibleError`` when nothing keeps all of them.
        """
        todo = _Todo()
        self._spread(at, _ANY, bounds, todo)
        self.tighten(bounds, todo)

    def settle(self, bounds: Bounds, token: int, kind: int) -> None:
        """Give a token one kind, and tighten the bounds.

        Raises ``ImpossibleError`` when nothing keeps all of them.
        """
        self._allow(bounds, token, 1 << kind)

    def exclude(self, bounds: Bounds, token: int, kind: int) -> None:
        """Take a kind from those that a token may have, and tighten the bounds.

        Raises ``ImpossibleError`` when nothing keeps all of them.
        """
        self._allow(bounds, token, bounds.kinds[token] & ~(1 << kind))

    def _allow(self, bounds: Bounds, token: int, kinds: int) -> None:
        todo = _Todo()
        self._restrict(token, kinds, bounds, todo)
        self.tighten(bounds, todo)

    def _spread(self, at: At, kinds: int, bounds: Bounds, todo: _Todo) -> None:
        """The bounds on some kinds in a content have changed: note what that may change in turn."""
        place, stretch = at
        kinds |= self._tighten_stretch(place, stretch, bounds)
        steps, slices = todo.steps, todo.slices
        if stretch:
            before = At(place, stretch - 1)
            steps[before] = steps.get(before, 0) | kinds
        if stretch < len(self.hands[place].steps):
            steps[at] = steps.get(at, 0) | kinds
        for number in self.slices_of.get(at, ()):
            slices[number] = slices.get(number, 0) | kinds

    def _restrict(self, token: int, kinds: int, bounds: Bounds, todo: _Todo) -> None:
        """A token can only be of some kinds now: note what that may change in turn."""
        if not kinds:
            raise ImpossibleError([token])
        changed = bounds.kinds[token] ^ kinds
        bounds.kinds[token] = kinds
        if _is_single(kinds):
            changed |= kinds
        steps, slices = todo.steps, todo.slices
        for at in self.steps_of[token]:
            steps[at] = steps.get(at, 0) | changed
        for number in self.slices_of.get(token, ()):
            slices[number] = slices.get(number, 0) | changed

    def _tighten_stretch(self, place: int, stretch: int, bounds: Bounds) -> int:
        """Narrow the bounds on one content by its size and its clashes; the kinds that changed."""
        hand = self.hands[place]
        low, high = bounds.low[place][stretch], bounds.high[place][stretch]
        changed = 0
        for chaos, orders in hand.clashes[stretch]:
            if low[_X] > chaos and high[_O] > orders:
                high[_O] = orders
                changed |= 1 << _O
            if low[_O] > orders and high[_X] > chaos:
                high[_X] = chaos
                changed |= 1 << _X
        size = hand.sizes[stretch]
        spare, lack = size - sum(low), size - sum(high)
        if spare < 0 or lack > 0:
            raise ImpossibleError(self._near(At(place, stretch)))
        by_size = 0
        for kind, (a, b) in enumerate(zip(low, high, strict=True)):
            if b - a > spare:
                high[kind] = a + spare
                by_size |= 1 << kind
            if a - b < lack:
                low[kind] = b + lack
                by_size |= 1 << kind
            if a > b:
                raise ImpossibleError(self._near(At(place, stretch)))
        if by_size & (1 << _X | 1 << _O):
            by_size |= self._tighten_stretch(place, stretch, bounds)
        return changed | by_size

    def _near(self, at: At) -> list[int]:
        """The tokens that came or went just before or after a content."""
        steps = self.hands[at.place].steps[max(at.stretch - 1, 0) : at.stretch + 1]
        return [token for step in steps for token in step.tokens()]

    def _tighten_step(self, at: At, mask: int, bounds: Bounds, todo: _Todo) -> None:
        """Narrow the bounds before and after a hidden change, and the kinds of its tokens."""
        place, stretch = at
        leaves, enters, public = self.hands[place].steps[stretch]
        low0, low1 = bounds.low[place][stretch : stretch + 2]
        high0, high1 = bounds.high[place][stretch : stretch + 2]
        out = first_out = 0 if leaves is None else bounds.kinds[leaves]
        into = first_into = bounds.kinds[enters]
        before = after = 0
        for kind in _bits(mask):
            bit = 1 << kind
            a0, b0, a1, b1 = low0[kind], high0[kind], low1[kind], high1[kind]
            goes, comes = out & bit, into & bit
            must_go, must_come = out == bit, into == bit
            # The least and the most by which the number changes.
            least = (0 if must_come else -1) if goes else (1 if must_come else 0)
            most = (0 if must_go else 1) if comes else (-1 if must_go else 0)
            if must_go and a0 < 1 - public[kind]:
                a0 = 1 - public[kind]  # what leaves has to be there
            if a0 < a1 - most:
                a0 = a1 - most
            if b0 > b1 - least:
                b0 = b1 - least
            if a1 < a0 + least:
                a1 = a0 + least
            if b1 > b0 + most:
                b1 = b0 + most
            if a0 > b0 or a1 > b1:
                raise ImpossibleError(self.hands[place].steps[stretch].tokens())
            if a0 != low0[kind] or b0 != high0[kind]:
                low0[kind], high0[kind] = a0, b0
                before |= bit
            if a1 != low1[kind] or b1 != high1[kind]:
                low1[kind], high1[kind] = a1, b1
                after |= bit
            if a1 > b0:
                into, out = into & bit, out & ~bit
            elif b1 < a0:
                out, into = out & bit, into & ~bit
            is_there = b0 + public[kind] > 0
            if not (goes and comes and is_there and a0 <= b1 and a1 <= b0):
                # The two are not both of this kind.
                if goes and not (is_there and a0 <= b1 + 1 and a1 < b0):
                    out &= ~bit
                if comes and not (a0 < b1 and a1 <= b0 + 1):
                    into &= ~bit
        if before:
            self._spread(at, before, bounds, todo)
        if after:
            self._spread(At(place, stretch + 1), after, bounds, todo)
        if into != first_into:
            self._restrict(enters, into, bounds, todo)
        if leaves is not None and out != first_out:
            self._restrict(leaves, out, bounds, todo)

    def _tighten_slice(self, number: int, mask: int, bounds: Bounds, todo: _Todo) -> None:
        """Narrow the bounds on all contents of a moment by what there was."""
        contents, tokens, supply = self.slices[number]
        kinds = bounds.kinds
        ranges = [
            (at, bounds.low[at.place][at.stretch], bounds.high[at.place][at.stretch])
            for at in contents
        ]
        for kind in _bits(mask):
            spare = lack = supply[kind]
            for _, low, high in ranges:
                spare -= low[kind]
                lack -= high[kind]
            open_ = []
            for token in tokens:
                if kinds[token] >> kind & 1:
                    lack -= 1
                    if _is_single(kinds[token]):
                        spare -= 1
                    else:
                        open_.append(token)
            if spare < 0 or lack > 0:
                raise ImpossibleError([token for at in contents for token in self._near(at)])
            if spare == lack:
                continue
            for at, low, high in ranges:
                a, b = low[kind], high[kind]
                if b - a > spare or a - b < lack:
                    low[kind], high[kind] = max(a, b + lack), min(b, a + spare)
                    self._spread(at, 1 << kind, bounds, todo)
            if not (spare and lack):
                for token in open_:
                    rest = 1 << kind if spare else kinds[token] & ~(1 << kind)
                    self._restrict(token, rest, bounds, todo)

    # Asking what is certain.

    def quick_bounds(self) -> dict[int, tuple[Counts, Counts]]:
        """Lowest and highest numbers of each kind for each hidden hand, by seat.

        Never wrong. Hardly ever something more is certain, which only thinking through cases would
        show.
        """
        found = {}
        for seat, place in self.places.items():
            if seat != SPRING:
                public = self.hands[place].public
                found[seat] = (
                    list(map(add, self.bounds.low[place][-1], public)),
                    list(map(add, self.bounds.high[place][-1], public)),
                )
        return found

    def exact_bounds(self) -> dict[int, tuple[Counts, Counts]]:
        """The same, thought through: each lowest number is that of a possible state.

        So is each highest number, as far as it tells whether there may be a card at all.
        """
        rng = random.Random(0)
        bounds = self.quick_bounds()
        few = {seat: high.copy() for seat, (_, high) in bounds.items()}
        many = {seat: low.copy() for seat, (low, _) in bounds.items()}

        def note(story: _Story) -> None:
            content = story.end()
            for seat in bounds:
                few[seat] = list(map(min, few[seat], content[seat]))
                many[seat] = list(map(max, many[seat], content[seat]))

        def is_possible(*wish: int) -> bool:
            story = self._example([wish], rng)
            if story is not None:
                note(story)
            return story is not None

        def open_questions() -> int:
            return sum(
                (few[seat][kind] > low[kind]) + (high[kind] > many[seat][kind] == 0)
                for seat, (low, high) in bounds.items()
                for kind in _ALL
            )

        # What a walk through possible states comes across is no question any more. To walk on
        # takes about as long as one question, so it has to answer at least one.
        story = self._story(rng)
        note(story)
        open_, before = open_questions(), _MANY * N
        while 0 < open_ < before:
            story.mix(rng)
            note(story)
            open_, before = open_questions(), open_
        for seat, (low, high) in bounds.items():
            for kind in _ALL:
                while few[seat][kind] > low[kind]:
                    if not is_possible(seat, kind, 0, few[seat][kind] - 1):
                        low[kind] = few[seat][kind]
                if high[kind] and not many[seat][kind] and not is_possible(seat, kind, 1, _MANY):
                    high[kind] = 0
        return bounds

    def allows(self, content: Content) -> bool:
        """Whether hands and spring can hold just these cards.

        Parameters
        ----------
        content
            The numbers of each kind for some of the seats that are hidden, and for ``SPRING``.
        """
        wanted = [
            (seat, kind, n, n) for seat, counts in content.items() for kind, n in enumerate(counts)
        ]
        return self._example(wanted, random.Random(0)) is not None

    def _example(self, wanted: Iterable[Sequence[int]], rng: random.Random) -> _Story | None:
        """A way to a state in which hands hold so many cards, if there is one.

        Each wish is a seat, a kind, and a lowest and a highest number.
        """
        bounds = self.bounds.copy()
        places = set()
        for seat, kind, low, high in wanted:
            place = self.places[seat]
            public = self.hands[place].public[kind]
            lows, highs = bounds.low[place][-1], bounds.high[place][-1]
            lows[kind] = max(lows[kind], low - public)
            highs[kind] = min(highs[kind], high - public)
            places.add(place)
        try:
            for place in places:
                self.narrow(bounds, At(place, len(self.hands[place].steps)))
        except ImpossibleError:
            return None
        return _Search(self, bounds, rng).run()

    # Drawing a full picture.

    def sample(self, rng: random.Random) -> Content:
        """What hidden hands and spring may hold, drawn at random; everything possible can come."""
        story = self._story(rng)
        story.mix(rng)
        return story.end()

    def _story(self, rng: random.Random) -> _Story:
        story = _Search(self, self.bounds.copy(), rng).run()
        if story is None:
            raise ImpossibleError
        return story


def _is_single(bits: int) -> bool:
    return bits & (bits - 1) == 0


@cache
def _bits(mask: int) -> tuple[int, ...]:
    return tuple([kind for kind in _ALL if mask >> kind & 1])


# ------------------------------------------------------------------------------------- the search


class _Search:
    """Looks for one way in which the game can have gone: at random, and through all if need be.

    Parameters
    ----------
    memory
        What is known.
    bounds
        Where to look; tight, and the search's own from now on.
    rng
        Decides what is tried first.
    """

    def __init__(self, memory: Memory, bounds: Bounds, rng: random.Random) -> None:
        self.memory = memory
        self.hands = memory.hands
        self.unseen = memory.unseen
        self.bounds = bounds
        self.rng = rng
        # How often each token was next to contents whose bounds could not be kept.
        self.weights = [0] * len(bounds.kinds)
        self.budget = 0

    def run(self) -> _Story | None:
        """A way in which the game can have gone; ``None`` if there is none.

        Starts again, with more time, whenever it has gone astray; what it has learnt it keeps.
        """
        budget = len(self.weights) + 15
        while True:
            self.budget = budget
            try:
                return self._go_on(self.bounds)
            except _GaveUpError:
                budget += budget // 4

    def _go_on(self, bounds: Bounds) -> _Story | None:
        """A way within tight bounds, which lose what turns out to be impossible.

        Raises ``_GaveUpError`` when the budget is spent before the answer is clear.
        """
        while (token := self._next(bounds.kinds)) is not None:
            self.budget -= 1
            if self.budget < 0:
                raise _GaveUpError
            kind = self._guess(token, bounds)
            settled = bounds.copy()
            try:
                self.memory.settle(settled, token, kind)
            except ImpossibleError as error:
                self._blame(error)
            else:
                found = self._go_on(settled)
                if found is not None:
                    return found
            try:
                self.memory.exclude(bounds, token, kind)
            except ImpossibleError as error:
                self._blame(error)
                return None
        return self._settle_chaos(bounds)

    def _next(self, kinds: list[int]) -> int | None:
        """The token to settle: much to blame, and of few possible kinds; else the first."""
        open_ = [token for token, bits in enumerate(kinds) if not _is_single(bits)]
        weights = self.weights
        return max(open_, key=lambda token: weights[token] / kinds[token].bit_count(), default=None)

    def _blame(self, error: ImpossibleError) -> None:
        for token in error.tokens:
            self.weights[token] += 1

    def _guess(self, token: int, bounds: Bounds) -> int:
        """A kind for a token, drawn by what its hand is expected to hold, or by what is left."""
        left = self._left(bounds)
        at = self.memory.leaves.get(token)
        expected = left if at is None else self._expected(at, bounds, left)
        return self._lottery(expected, bounds.kinds[token])[0]

    def _left(self, bounds: Bounds) -> Counts:
        """How many cards of each kind are not yet bound to have begun anywhere."""
        left = self.memory.slices[0].supply
        for place in self.unseen:
            left = list(map(sub, left, bounds.low[place][0]))
        for token in self.memory.draws:
            bits = bounds.kinds[token]
            if _is_single(bits):
                left[bits.bit_length() - 1] -= 1
        return left

    def _expected(self, at: At, bounds: Bounds, left: Counts) -> Sequence[float]:
        """About how many cards of each kind a hand holds just before its hidden change."""
        low, high = bounds.low[at.place][at.stretch], bounds.high[at.place][at.stretch]
        loose = [min(b - a, n) for a, b, n in zip(low, high, left, strict=True)]
        share = (self.hands[at.place].sizes[at.stretch] - sum(low)) / (sum(loose) or 1)
        public = self.hands[at.place].steps[at.stretch].public
        return [a + open_ + share * n for a, open_, n in zip(low, public, loose, strict=True)]

    def _lottery(self, weights: Sequence[float], kinds: int) -> list[int]:
        """The kinds in random order, drawn one after the other by their weights."""
        draw = self.rng.random
        drawn = [
            (log(1.0 - draw()) / max(weight, _SCARCE), kind)
            for kind, weight in enumerate(weights)
            if kinds >> kind & 1
        ]
        drawn.sort(reverse=True)
        return [kind for _, kind in drawn]

    # The deal, when all hidden moves are settled.

    def _settle_chaos(self, bounds: Bounds) -> _Story | None:
        """Settle where Chaos was dealt, as far as that decides where Orders were not; then deal."""
        for place, hand in enumerate(self.hands):
            for stretch, clashes in enumerate(hand.clashes):
                high = bounds.high[place][stretch]
                for chaos, orders in clashes:
                    if high[_X] > chaos and high[_O] > orders:
                        return self._split_chaos(place, bounds)
        return self._deal(bounds)

    def _split_chaos(self, place: int, bounds: Bounds) -> _Story | None:
        """Try every number of Chaos that a hand may have begun with."""
        low, high = bounds.low[place][0][_X], bounds.high[place][0][_X]
        here = self.hands[place].first_size
        elsewhere = sum([self.hands[other].first_size for other in self.unseen]) - here
        supply = self.memory.slices[0].supply[_X]
        ways = [
            comb(here, n) * comb(elsewhere, max(0, supply - n)) if low <= n <= high else 0
            for n in range(high + 1)
        ]
        for n in self._lottery(ways, (1 << high + 1) - (1 << low)):
            settled = bounds.copy()
            settled.low[place][0][_X] = settled.high[place][0][_X] = n
            try:
                self.memory.narrow(settled, At(place, 0))
            except ImpossibleError:
                continue
            found = self._settle_chaos(settled)
            if found is not None:
                return found
        return None

    def _deal(self, bounds: Bounds) -> _Story | None:
        """Deal what began in unseen hands and in the spring, within the bounds of each."""
        memory = self.memory
        deal = _Deal(
            [bounds.low[place][0] for place in self.unseen],
            [bounds.high[place][0] for place in self.unseen],
            [self.hands[place].first_size for place in self.unseen],
            self.rng,
        )
        if not deal.run(self._left(bounds)):
            return None
        return _Story(memory, bounds.kinds, dict(zip(self.unseen, deal.table, strict=True)))


class _Deal:
    """Cards dealt at random to hands with a lowest and a highest number for each kind.

    Attributes
    ----------
    table
        The number of each kind in each hand; at first the lowest numbers.
    """

    def __init__(
        self, low: list[Counts], high: list[Counts], sizes: list[int], rng: random.Random
    ) -> None:
        self.low = low
        self.high = high
        self.table = [counts.copy() for counts in low]
        self.room = [size - sum(counts) for size, counts in zip(sizes, low, strict=True)]
        self.rows = range(len(low))
        self.rng = rng

    def run(self, loose: Counts) -> bool:
        """Deal so many more cards of each kind; whether that is possible."""
        # The fewer places are open to a kind the earlier it is dealt.
        places = [sum(self._places(kind)) for kind in _ALL]
        for kind in sorted(_ALL, key=places.__getitem__):
            for _ in range(loose[kind]):
                open_ = self._places(kind)
                if any(open_):
                    (row,) = self.rng.choices(self.rows, open_)
                    self.table[row][kind] += 1
                    self.room[row] -= 1
                elif not self._make_room(kind):
                    return False
        return True

    def _places(self, kind: int) -> list[int]:
        """In each hand the number of places open to a card of a kind."""
        return [
            room if counts[kind] < high[kind] else 0
            for room, counts, high in zip(self.room, self.table, self.high, strict=True)
        ]

    def _make_room(self, kind: int) -> bool:
        """Place a card where others have to move on for it; whether that is possible."""
        table, low, high = self.table, self.low, self.high
        came: dict[int, tuple[int, int]] = {}  # row: the kind that comes, the row that it leaves
        waiting = deque([(kind, -1)])
        moved = {kind}
        while waiting:
            mover, origin = waiting.popleft()
            for row in self.rows:
                if row in came or table[row][mover] >= high[row][mover]:
                    continue
                came[row] = (mover, origin)
                if self.room[row]:
                    self.room[row] -= 1
                    self._pass_on(row, came)
                    return True
                for other in _ALL:
                    if other not in moved and table[row][other] > low[row][other]:
                        moved.add(other)
                        waiting.append((other, row))
        return False

    def _pass_on(self, row: int, came: dict[int, tuple[int, int]]) -> None:
        while row >= 0:
            mover, origin = came[row]
            self.table[row][mover] += 1
            if origin >= 0:
                self.table[origin][mover] -= 1
            row = origin


Change = tuple[int, int, int, tuple[tuple[int, int], ...]]
"""A hand, the stretches from one to before another, and how many more of which kinds it holds."""


class Origin(NamedTuple):
    """Where a card that was never seen began: in a hand, in the spring, or as a draw."""

    place: int
    stretch: int
    token: int | None


class _Story:
    """One way in which the game can have gone, complete, that can be varied.

    Attributes
    ----------
    contents
        What each hand held in each stretch, without the open changes.
    kinds
        The kind of each token.
    """

    def __init__(self, memory: Memory, kinds: list[int], starts: dict[int, Counts]) -> None:
        self.memory = memory
        self.hands = memory.hands
        self.kinds = [bits.bit_length() - 1 for bits in kinds]
        self.contents: list[list[Counts]] = []
        self.cards: list[int] = []
        self.origins: list[Origin] = []
        for place, hand in enumerate(self.hands):
            content = starts[place] if hand.start is None else hand.start
            if hand.start is None:
                for kind in _ALL:
                    self.cards += [kind] * content[kind]
                self.origins += [Origin(place, 0, None)] * sum(content)
            story = [content]
            for stretch, (leaves, enters, _) in enumerate(hand.steps):
                content = content.copy()
                content[self.kinds[enters]] += 1
                if leaves is None:
                    self.cards.append(self.kinds[enters])
                    self.origins.append(Origin(place, stretch + 1, enters))
                else:
                    content[self.kinds[leaves]] -= 1
                story.append(content)
            self.contents.append(story)

    def end(self) -> Content:
        """What the hidden hands and the spring hold now."""
        return {
            seat: list(map(add, self.contents[place][-1], self.hands[place].public))
            for seat, place in self.memory.places.items()
        }

    def mix(self, rng: random.Random) -> None:
        """Vary the story at random, so that no more depends on how it was found.

        Two cards that were never seen change places, or other cards are exchanged, if that breaks
        no bound. The longer this goes on the nearer it comes to what is likely if the cards were
        dealt at random, and if what others have exchanged unseen was drawn at random from their
        hands (a random walk of Metropolis and Hastings).
        """
        rand, n = rng.random, len(self.cards)
        exchanges = [one for one, other in self.memory.partner.items() if one < other]
        for _ in range(_ROUNDS):
            for _ in range(n):
                self._swap(int(rand() * n), int(rand() * n), rand)
            for token in exchanges:
                self._exchange_anew(token, rng)

    def _swap(self, one: int, other: int, rand: Callable[[], float]) -> None:
        """Let two cards change the places where they began."""
        x, y = self.cards[one], self.cards[other]
        a, b = self.origins[one], self.origins[other]
        if x == y or (a.place == b.place and a.stretch == b.stretch):
            return
        ends = len(self.contents[a.place]), len(self.contents[b.place])
        if a.place != b.place:
            changes: list[Change] = [
                (a.place, a.stretch, ends[0], ((x, -1), (y, 1))),
                (b.place, b.stretch, ends[1], ((x, 1), (y, -1))),
            ]
        elif a.stretch < b.stretch:
            changes = [(a.place, a.stretch, b.stretch, ((x, -1), (y, 1)))]
        else:
            changes = [(a.place, b.stretch, a.stretch, ((x, 1), (y, -1)))]
        if self._change(changes, rand):
            self.cards[one], self.cards[other] = y, x
            for origin, kind in ((a, y), (b, x)):
                if origin.token is not None:
                    self.kinds[origin.token] = kind

    def _exchange_anew(self, token: int, rng: random.Random) -> None:
        """Let one or both of the cards of an exchange be others."""
        memory = self.memory
        old = {each: self.kinds[each] for each in (token, memory.partner[token])}
        changes: list[Change] = []
        for each in rng.choice([[token], [memory.partner[token]], [*old]]):
            place, stretch = memory.leaves[each]
            held = map(add, self.contents[place][stretch], self.hands[place].steps[stretch].public)
            (self.kinds[each],) = rng.choices(_ALL, list(held))
        for place, stretch in memory.steps_of[token]:
            leaves, enters, _ = self.hands[place].steps[stretch]
            assert leaves is not None
            delta: dict[int, int] = {}
            for each, sign in ((leaves, -1), (enters, 1)):
                if self.kinds[each] != old[each]:
                    delta[old[each]] = delta.get(old[each], 0) - sign
                    delta[self.kinds[each]] = delta.get(self.kinds[each], 0) + sign
            end = len(self.contents[place])
            changes.append((place, stretch + 1, end, tuple(delta.items())))
        if not self._change(changes, rng.random):
            for each, kind in old.items():
                self.kinds[each] = kind

    def _change(self, changes: Sequence[Change], rand: Callable[[], float]) -> bool:
        """Change what hands held in some stretches, if that breaks no bound."""
        ratio = 1.0
        bounds = self.memory.bounds
        for place, first, end, delta in changes:
            story, hand = self.contents[place], self.hands[place]
            lows, highs = bounds.low[place], bounds.high[place]
            change = dict(delta)
            may_clash = _X in change or _O in change
            for stretch in range(first, end):
                content, low, high = story[stretch], lows[stretch], highs[stretch]
                for kind, n in delta:
                    if not low[kind] <= content[kind] + n <= high[kind]:
                        return False
                if may_clash:
                    chaos = content[_X] + change.get(_X, 0)
                    orders = content[_O] + change.get(_O, 0)
                    for a, b in hand.clashes[stretch]:
                        if chaos > a and orders > b:
                            return False
                if stretch < len(hand.steps):
                    leaves, _, public = hand.steps[stretch]
                    given = -1 if leaves is None else self.kinds[leaves]
                    if given in change:
                        held = content[given] + public[given]
                        if held + change[given] < 1:
                            return False
                        ratio *= (held + change[given]) / held
        if ratio < 1 and rand() > ratio:
            return False
        for place, first, end, delta in changes:
            for content in self.contents[place][first:end]:
                for kind, n in delta:
                    content[kind] += n
        return True
