"""What a seat remembers in Alicematic and the drafts, and what it cannot see, drawn at random.

Whoever hands a card on knows where it went, and an open hand is remembered when it is taken up
again. What a seat knows for sure is a multiset of cards for each hidden place. Two things leave
several possibilities, a *world* for each: a card that one of the others gives to another one, and
cards that one of the others buries. A placement of the hidden cards is possible if it has the sure
cards of at least one world in their places; nothing else about it can be known.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import reduce
from itertools import chain, combinations, combinations_with_replacement
from math import comb, factorial, prod
from typing import TYPE_CHECKING, Any, NamedTuple

from cardlab.cards import ORDER, UNKNOWN
from cardlab.engine import Event, Observation
from cardlab.games.collect_cards import Kind

if TYPE_CHECKING:
    from cardlab.games.collect_state import CollectFamily

Place = tuple[str, int]
"""A zone and its seat; the table is the seat after the last one."""

Cards = Counter[Kind]
World = dict[Place, Cards]


# ----------------------------------------------------------------------------------- what is known


def unseen(game: CollectFamily, observation: Observation) -> Cards:
    """The cards that lie somewhere where the observer cannot see them."""
    zones = chain.from_iterable(each.values() for each in (*observation.players, observation.table))
    # By their index, as numbers are counted faster than cards.
    seen = Counter(map(ORDER, filter(None, chain(observation.out, *zones))))
    return Counter(
        {
            card: left
            for card, copies in game.copies.items()
            if (left := copies - seen.get(card.index, 0)) > 0
        }
    )


def knowledge(game: CollectFamily, observation: Observation) -> tuple[tuple[Kind, ...], ...]:
    """For each seat the cards that the observer can be sure it holds, sorted.

    They are its visible cards, cards that the observer gave to it, cards that it once showed,
    unless it may since have got rid of them, and cards for which there is no room elsewhere. A pure
    function of the observation.
    """
    _, held = surely(game, observation)
    known = []
    for zones, sure in zip(observation.players, held, strict=True):
        visible: list[Any] = [card for zone in _HELD for card in zones[zone] if card is not UNKNOWN]
        known.append(tuple(sorted([*sure.elements(), *visible], key=ORDER)))
    return tuple(known)


def surely(game: CollectFamily, observation: Observation) -> tuple[Cards, list[Cards]]:
    """The :func:`unseen` cards, and for each seat those of them that it surely holds."""
    places, cards = _hidden_places(observation), unseen(game, observation)
    worlds = [
        (world, needed, room)
        for world in _worlds(game, observation, places)
        if _is_possible(needed := _all(world), room := _room(world, places), cards)
    ]
    return cards, [
        reduce(Counter.__and__, [_least(*each, seat, cards) for each in worlds])
        for seat in range(len(observation.players))
    ]


def _all(world: World) -> Cards:
    """The sure cards of all places."""
    needed: Cards = Counter()
    for cards in world.values():
        needed.update(cards)
    return needed


def _least(
    world: World, needed: Cards, room: Mapping[Place, int], seat: int, cards: Cards
) -> Cards:
    """The fewest copies of each card that a seat can hold in a world, with all its sure cards."""
    held = [place for zone in _HELD if (place := (zone, seat)) in room]
    least: Cards = Counter()
    for place in held:
        least.update(world.get(place, ()))
    # Elsewhere there is room for so many cards that are not sure.
    elsewhere = sum(room.values()) - sum([room[place] for place in held])
    if held and elsewhere < max(cards.values(), default=0):
        for card, copies in cards.items():
            more = copies - needed[card] - elsewhere
            if more > 0:
                least[card] += more
    return least


_HELD = ("hand", "fresh")


class Memory:
    """The worlds that a seat's log allows, event by event; no world is changed in place."""

    def __init__(self, me: int) -> None:
        self.me = me
        self.worlds: list[World] = [{}]
        self.card: Kind | None = None
        """The card of this turn, if the observer knows it."""
        self.taker: int | None = None
        """The seat that has held it and not yet decided what to do with it."""
        self.gift: tuple[int, Kind | None] | None = None
        """Who is giving a card away, and which, if the observer knows it."""

    def read(self, events: Iterable[Event]) -> None:
        """Go on with what happened next."""
        for event in events:
            what = event.kind.partition(".")[2]
            if self.taker is not None and what not in ("army", "begin"):
                self._settle()
            self.taker = None
            handler = _HANDLERS.get(what)
            if handler is not None:
                handler(self, event)

    # Certain changes.

    def gain(self, zone: str, seat: int, card: Kind) -> None:
        """A seat has got a card that the observer knows."""
        if seat != self.me:
            place = zone, seat
            self.worlds = [_with(world, place, Counter([card])) for world in self.worlds]

    def lose(self, seat: int, card: Kind, copies: int = 1) -> None:
        """Known cards have left a hand: if possible they were the ones that surely were there."""
        place, gone = ("hand", seat), Counter({card: copies})
        self.worlds = [
            world | {place: world[place] - gone} if card in world.get(place, ()) else world
            for world in self.worlds
        ]

    def _settle(self) -> None:
        if self.card is not None:
            self.gain("hand", self.taker, self.card)  # type: ignore[arg-type]

    # Changes that the observer cannot tell apart.

    def move_unknown(self, seat: int, zone: str, target: int, most: int) -> None:
        """Up to ``most`` of the sure cards of a hand, and nobody knows which, went to a place."""
        found: dict[Any, World] = {}
        for world in self.worlds:
            hand = world.get(("hand", seat), Counter())
            for moved in _parts(hand, most):
                new = world | {("hand", seat): hand - moved}
                if target != self.me:
                    new = _with(new, (zone, target), moved)
                found[_key(new)] = new
        self.worlds = list(found.values())

    def give(self, zone: str, target: int) -> None:
        """The card that is being given away arrives."""
        assert self.gift is not None
        giver, card = self.gift
        self.gift = None
        if card is not None:
            self.lose(giver, card)
            self.gain(zone, target, card)
        elif giver != self.me:
            self.move_unknown(giver, zone, target, 1)

    # What the events say.

    def _draw(self, event: Event) -> None:
        self.card = event.data.get("card")

    def _offer(self, event: Event) -> None:
        self.card = event.data.get("card", self.card)

    def _hold(self, event: Event) -> None:
        self.taker = event.player

    def _trash(self, event: Event) -> None:
        if event.seen_by is not None and self.card is not None:
            self.gain("discards", -1, self.card)

    def _shown(self, event: Event) -> None:
        if self.card is None:
            self.gain("hand", _seat(event), event.data["card"])

    def _army(self, event: Event) -> None:
        self.lose(_seat(event), event.data["card"], event.data["n"] - 1)

    def _one(self, event: Event) -> None:
        self.lose(_seat(event), event.data["card"])

    def _pair(self, event: Event) -> None:
        self.lose(_seat(event), event.data["card"], 2)

    def _bury(self, event: Event) -> None:
        seat = _seat(event)
        cards = event.data.get("cards")
        if cards is None:
            self.move_unknown(seat, "buried", seat, 3)
            return
        for card in cards:
            self.lose(seat, card)
            self.gain("buried", seat, card)

    def _give(self, event: Event) -> None:
        self.gift = _seat(event), event.data.get("card")

    def _given(self, event: Event) -> None:
        assert self.gift is not None
        giver, card = self.gift
        self.gift = giver, event.data.get("card", card)

    def _taken(self, event: Event) -> None:
        self.give("hand", _seat(event))

    def _refused(self, event: Event) -> None:
        assert self.gift is not None
        self.lose(self.gift[0], event.data["card"])
        self.gift = None

    def _exposed(self, event: Event) -> None:
        seat = _seat(event)
        cards = Counter(event.data["cards"])
        self.worlds = [
            world for world in self.worlds if world.get(("hand", seat), Counter()) <= cards
        ] or [{}]
        if seat != self.me:
            self.worlds = [world | {("hand", seat): cards} for world in self.worlds]


_HANDLERS: Mapping[str, Callable[[Memory, Event], None]] = {
    "draw": Memory._draw,
    "release": Memory._draw,
    "offer": Memory._offer,
    "hold": Memory._hold,
    "accept": Memory._hold,
    "trash": Memory._trash,
    "shown": Memory._shown,
    "army": Memory._army,
    "add": Memory._one,
    "medallion": Memory._one,
    "discard": Memory._one,
    "lust": Memory._one,
    "greed": Memory._pair,
    "bury": Memory._bury,
    "give": Memory._give,
    "given": Memory._given,
    "taken": Memory._taken,
    "refused": Memory._refused,
    "exposed": Memory._exposed,
    "score": Memory._exposed,
}


def _with(world: World, place: Place, cards: Cards) -> World:
    """A world in which a place has more sure cards."""
    return world | {place: world.get(place, Counter()) + cards}


def _seat(event: Event) -> int:
    assert event.player is not None
    return event.player


def _parts(cards: Cards, most: int) -> Iterator[Cards]:
    """Every way to take up to ``most`` cards out of some."""
    elements = sorted(cards.elements(), key=ORDER)
    for size in range(most + 1):
        for part in dict.fromkeys(combinations(elements, size)):
            yield Counter(part)


def _key(world: World) -> Any:
    return frozenset((place, frozenset(cards.items())) for place, cards in world.items())


# ---------------------------------------------------------------------------- worlds of a position


def _worlds(
    game: CollectFamily, observation: Observation, hidden: Mapping[Place, int]
) -> list[World]:
    """What has to lie in the hidden places of an observation, for each possible world."""
    memory = _memory(game, observation)
    if memory.taker is not None:
        # The card of this turn is held, and not yet part of the hand.
        if observation.phase == "army":
            if memory.card is not None:
                memory.gain("fresh", memory.taker, memory.card)
        else:
            memory._settle()
    elif memory.gift is not None:
        memory.give("fresh", _seat(observation.log[-1]))
    worlds = memory.worlds
    if observation.phase == "set" and observation.to_move != (observation.player,):
        worlds = [*_begun(game, observation, worlds)]
    found: dict[Any, World] = {}
    for world in worlds:
        sure = {place: cards for place, cards in world.items() if cards}
        new = {place: cards for place, cards in sure.items() if place in hidden}
        others = sure.keys() - new.keys()
        if all(_among(sure[place], _open(observation, *place)) for place in others):
            found[_key(new)] = new
    return list(found.values())


def _memory(game: CollectFamily, observation: Observation) -> Memory:
    """What a seat remembers; a log that goes on from the last one is not read anew."""
    me, log = observation.player, observation.log
    # It is taken out, as another thread may ask, too.
    read, memory = game.memories.pop(me, ((), Memory(me)))
    if log[: len(read)] != read:
        read, memory = (), Memory(me)
    memory.read(log[len(read) :])
    now = copy(memory)
    game.memories[me] = log, memory
    return now


def _open(observation: Observation, zone: str, seat: int) -> Counter[Any]:
    """The cards of a place that the observer can see, which may be all or none."""
    return Counter(([*observation.players, observation.table][seat])[zone])


def _begun(
    game: CollectFamily, observation: Observation, worlds: Iterable[World]
) -> Iterator[World]:
    """Whoever has begun a set holds enough cards to complete it (S10)."""
    (actor,) = observation.to_move
    key, size = observation.public["armies"][actor][-1]
    fitting = [
        card for card in game.kinds if not card.is_medallion and key in (card.rank, card.group)
    ]
    for world in worlds:
        for rest in combinations_with_replacement(fitting, max(0, game.plan.min_set - size)):
            yield world | {("hand", actor): world.get(("hand", actor), Counter()) | Counter(rest)}


def _hidden_places(observation: Observation) -> dict[Place, int]:
    """The places with cards of unknown face, and how many; the table's discards have seat -1."""
    seats = [*enumerate(observation.players), (-1, observation.table)]
    sizes = {
        (zone, seat): content.count(UNKNOWN)
        for seat, zones in seats
        for zone, content in zones.items()
    }
    return {place: size for place, size in sizes.items() if size}


def _ways(world: World, places: Mapping[Place, int], cards: Cards) -> int:
    """In how many ways a world can be made of the single hidden cards.

    One way chooses the sure cards for each place, and then places for all others. A placement is
    made in several ways if a place has more copies of a sure card than it needs.
    """
    needed, free = _all(world), _room(world, places)
    if not _is_possible(needed, free, cards):
        return 0
    ways = prod(factorial(n) for sure in world.values() for n in sure.values())
    chosen = prod(factorial(n) // factorial(n - needed[card]) for card, n in cards.items())
    rest = sum(free.values())
    return chosen // ways * (factorial(rest) // prod(map(factorial, free.values())))


def _room(world: World, places: Mapping[Place, int]) -> dict[Place, int]:
    """How many cards that are not sure each place has room for."""
    room = dict(places)
    for place, sure in world.items():
        room[place] -= sure.total()
    return room


def _is_possible(needed: Cards, room: Mapping[Place, int], cards: Cards) -> bool:
    """Whether sure cards, which leave so much room, are among the hidden cards."""
    return min(room.values(), default=0) >= 0 and _among(needed, cards)


def _among(some: Cards, cards: Cards) -> bool:
    return all(copies <= cards[card] for card, copies in some.items())


# ------------------------------------------------------------------------------------ drawing them


class Hidden(NamedTuple):
    """What an observation hides: where, which cards, and the worlds with the ways of each."""

    places: Mapping[Place, int]
    cards: Cards
    weighed: Sequence[tuple[World, int]]


def hidden(game: CollectFamily, observation: Observation) -> Hidden:
    """All that is needed to deal what an observation hides."""
    places, cards = _hidden_places(observation), unseen(game, observation)
    worlds = _worlds(game, observation, places)
    return Hidden(places, cards, [(world, _ways(world, places, cards)) for world in worlds])


def deal(
    observation: Observation, hidden: Hidden, rng: random.Random
) -> list[dict[str, list[Any]]]:
    """The zones of every seat and of the table, with cards where the observation hides them.

    All possible placements of the single cards are equally likely (Karp and Luby): a world is drawn
    in proportion to its ways, then one of its ways; a placement that can be made in m ways, those
    of other worlds included, is kept with a chance of 1 in m.
    """
    places, cards, weighed = hidden
    while True:
        placed = _place(_draw_world(weighed, rng), places, cards, rng)
        made = sum(_makes(world, placed) for world, _ in weighed)
        if made == 1 or rng.randrange(made) == 0:
            break
    zones: list[dict[str, list[Any]]] = [
        {zone: list(content) for zone, content in each.items()}
        for each in (*observation.players, observation.table)
    ]
    for (zone, seat), content in placed.items():
        zones[seat][zone] = content if zone == "pile" else sorted(content, key=ORDER)
    return zones


def _draw_world(weighed: Sequence[tuple[World, int]], rng: random.Random) -> World:
    if len(weighed) == 1:
        return weighed[0][0]
    left = rng.randrange(sum(ways for _, ways in weighed))
    for world, ways in weighed:
        left -= ways
        if left < 0:
            return world
    raise AssertionError("a number below the sum lies below one of its parts")


def _place(
    world: World, places: Mapping[Place, int], cards: Cards, rng: random.Random
) -> dict[Place, list[Kind]]:
    rest = cards.copy()
    for sure in world.values():
        rest.subtract(sure)
    others = list(rest.elements())
    rng.shuffle(others)
    placed = {}
    for place, size in places.items():
        content = list(world[place].elements()) if place in world else []
        while len(content) < size:
            content.append(others.pop())
        placed[place] = content
    return placed


def _makes(world: World, placed: Mapping[Place, list[Kind]]) -> int:
    """In how many ways a world makes a placement."""
    return prod(
        comb(placed[place].count(card), copies)
        for place, sure in world.items()
        for card, copies in sure.items()
    )
