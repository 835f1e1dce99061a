"""The course of play that the drafts and Alicematic share: draw, hold or let go, lay a set.

The numbers in brackets are those of the rulebook of the drafts, ``cardlab rules collect``; the
rules of Alicematic that say the same have their own, which events and refusals cite.
"""

from __future__ import annotations

import random
from bisect import insort
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, ClassVar

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
    shared_win,
)
from cardlab.errors import CardlabError, IllegalActionError, NotationError, PositionError
from cardlab.games import collect_cards, collect_hidden
from cardlab.games.collect_cards import MEDALLIONS, PLAIN, SUITED, Kind
from cardlab.games.collect_rules import CollectRules, score


class CollectSeat(Seat):
    """What one seat has: ``fresh`` is the card just drawn or received, until its fate is decided.

    ``laid`` are the cards of sets, ``medallions`` the item cards that were played.
    """

    __slots__ = ("fresh", "hand", "laid", "medallions")

    fresh: list[Kind]
    hand: list[Kind]
    laid: list[Kind]
    medallions: list[Kind]


class CollectTable(Seat):
    """The pile, the cards removed unseen, and secret discards."""

    __slots__ = ("discards", "pile", "removed")

    discards: list[Kind]
    pile: list[Kind]
    removed: list[Kind]


# ------------------------------------------------------------------------------------------- state


_NOTHING: Mapping[str, Any] = {}


class CollectState(State):
    """A position of a draft, or of Alicematic.

    Phases: ``choose`` (hold the drawn card or let it go, S6), ``receive`` (hold a card or not, S8),
    ``army`` (lay a set or pass, S9), ``set`` (a set is picked card by card, S10), ``medallion``
    (item cards that go with a set, S11), ``end``.

    Attributes
    ----------
    start
        The seat that began.
    receiver
        The seat that the drawn card was released to, in this turn; ``None`` if to nobody.
    armies
        For each seat its sets as pairs of number (or letter of the suit) and size.
    exposed
        For each seat whether its hand lies open.
    main, strength
        The set that is being laid, or to which item cards may be played, as its place among the
        sets of its seat (``None`` if there is none), and the size that counts for item cards.
    """

    PUBLIC: ClassVar[Mapping[str, Any]] = {
        "start": 0,
        "receiver": None,
        "armies": (),
        "exposed": (),
        "main": None,
        "strength": 0,
    }

    __slots__ = ("armies", "exposed", "main", "receiver", "start", "strength")

    game: CollectFamily
    players: list[Any]
    start: int
    receiver: int | None
    armies: tuple[tuple[tuple[Any, int], ...], ...]
    exposed: tuple[bool, ...]
    main: int | None
    strength: int

    # Set-up.

    def _set_up(self, events: list[Event]) -> None:
        game, plan = self.game, self.game.plan
        events += game.opening
        pile = list(game.deck)
        self._shuffle(pile)
        self.table.removed = sorted(pile[: plan.n_removed], key=ORDER)
        self.table.pile = pile[plan.n_removed :]
        self._tell(events, "removed", None, {"n": plan.n_removed})
        for player, seat in enumerate(self.players):
            seat.hand = sorted([self.table.pile.pop() for _ in range(plan.start_hand)], key=ORDER)
            if seat.hand:
                self._tell(events, "deal", player, {"cards": tuple(seat.hand)}, player)
        self.armies = ((),) * plan.n_players
        self.exposed = (False,) * plan.n_players
        self.start = chance.draw(self.seed, self.shuffles) % plan.n_players
        self.shuffles += 1
        self._tell(events, "first", self.start)
        self._begin_turn(events)

    def _tell(
        self,
        events: list[Event],
        what: str,
        player: int | None = None,
        data: Mapping[str, Any] = _NOTHING,
        seen_by: int | None = None,
    ) -> None:
        kind, rule = self.game.told[what]
        events.append(Event(kind, rule, player, data, seen_by))

    # Who is who.

    def _turn_player(self) -> int:
        turn, n = self.turn - 1, len(self.players)
        return (self.start + turn + (turn // n if self.game.start_rotates else 0)) % n

    def _actor(self) -> int:
        """The seat that holds the card of this turn."""
        return self._turn_player() if self.receiver is None else self.receiver

    # Offering and refusing.

    def _legal(self, player: int) -> list[Action]:
        return self._OFFERS[self.phase](self, self.players[player], player)

    def _refusal(self, action: Action, player: int) -> CardlabError | None:
        phase = self.phase
        # 2.0 and True are equal to numbers, but they are no seats or sizes.
        if action.kind not in self.game.asked[phase] or action.arg.__class__ not in _ARGUMENTS:
            rule = self.game.rule_of_phase[phase]
            return self._cannot(f"phase_{phase}", rule, action=str(action))
        return self._REFUSALS[phase](self, action.kind, action.arg, player)

    def _cannot(self, reason: str, rule: str, **params: Any) -> CardlabError:
        return IllegalActionError(f"{self.game.name}.error.{reason}", rule, **params)

    def _offer_choose(self, seat: Any, player: int) -> list[Action]:
        offers = self.game.choices[player]
        if self.game.plan.over_limit_blocks_receive and True in self.exposed:
            return [each for each in offers if self._refusal(each, player) is None]
        return offers.copy()

    def _refuse_choose(self, kind: str, arg: Any, player: int) -> CardlabError | None:
        if kind != "release":
            return None
        game = self.game
        targets = game.targets[player]
        if arg not in targets:
            allowed = [other + 1 for other in targets]
            return self._cannot("target", game.told["release"][1], allowed=allowed)
        if game.plan.over_limit_blocks_receive and self.exposed[arg]:
            return self._cannot("over_limit", game.told["exposed"][1], seat=arg)
        return None

    def _offer_receive(self, seat: Any, player: int) -> list[Action]:
        return self.game.answers.copy()

    def _refuse_receive(self, kind: str, arg: Any, player: int) -> CardlabError | None:
        return None

    def _offer_army(self, seat: Any, player: int) -> list[Action]:
        game = self.game
        card = seat.fresh[0]
        if card.is_medallion:
            return [game.passing]
        if game.picks:
            return [*(game.begin[by] for by in self._begins(seat)), game.passing]
        have = seat.hand.count(card) + 1
        return [*game.army[game.plan.min_set : have + 1], game.passing]

    def _refuse_army(self, kind: str, arg: Any, player: int) -> CardlabError | None:
        if kind == "pass":
            return None
        game, rule, seat = self.game, self.game.told["army"][1], self.players[player]
        card, least = seat.fresh[0], game.plan.min_set
        if card.is_medallion:
            return self._cannot("army_of_numbers", rule, card=card)
        if kind == "begin":
            if arg in self._begins(seat):
                return None
            return self._cannot("begin_small", game.told["begin"][1], card=card, least=least)
        have = seat.hand.count(card) + 1
        if least <= arg <= have:
            return None
        return self._cannot("army_size", rule, card=card, have=have, least=least)

    def _begins(self, seat: Any) -> list[str]:
        """By what the card just taken in can begin a set: number, suit (S10)."""
        plan, card = self.game.plan, seat.fresh[0]
        ways = {"number": card.rank, "suit": card.group}
        if plan.set_by == "number":
            del ways["suit"]
        return [
            way
            for way, key in ways.items()
            if sum([_fits(other, key) for other in seat.hand]) + 1 >= plan.min_set
        ]

    def _offer_set(self, seat: Any, player: int) -> list[Action]:
        key, size = self.armies[player][-1]
        fitting = dict.fromkeys(card for card in seat.hand if _fits(card, key))
        offers = [self.game.add[card] for card in fitting]
        return [*offers, self.game.done] if size >= self.game.plan.min_set else offers

    def _refuse_set(self, kind: str, arg: Any, player: int) -> CardlabError | None:
        key, size = self.armies[player][-1]
        rule, hand = self.game.told["begin"][1], self.players[player].hand
        if kind == "done":
            least = self.game.plan.min_set
            return None if size >= least else self._cannot("set_small", rule, n=size, least=least)
        if arg not in hand:
            return self._not_in_hand(arg, hand, rule)
        return None if _fits(arg, key) else self._cannot("set_card", rule, card=arg)

    def _offer_medallion(self, seat: Any, player: int) -> list[Action]:
        game, strength = self.game, self.strength
        return [
            *[game.play[card] for card in seat.hand if card.is_medallion and card.rank <= strength],
            game.done,
        ]

    def _refuse_medallion(self, kind: str, arg: Any, player: int) -> CardlabError | None:
        if kind == "done":
            return None
        rule, hand = self.game.told["medallion"][1], self.players[player].hand
        if arg not in hand:
            return self._not_in_hand(arg, hand, rule)
        if arg.rank > self.strength:
            return self._cannot("medallion_number", rule, card=arg, have=self.strength)
        return None

    def _not_in_hand(self, card: Any, hand: list[Kind], rule: str) -> CardlabError:
        return self._cannot("not_in_hand", rule, card=card, cards=tuple(hand))

    # Carrying out.

    def _resolve(self, choices: Any, events: list[Event]) -> None:
        raise AssertionError("nobody chooses together with others in this game")

    def _step(self, action: Action, player: int, events: list[Event]) -> None:
        self._STEPS[self.phase](self, action.kind, action.arg, player, events)

    def _begin_turn(self, events: list[Event]) -> None:
        lap, place = divmod(self.turn, len(self.players))
        self.turn += 1
        player = self._turn_player()
        if place:
            self._tell(events, "turn", player)
        else:
            self._tell(events, "round", None, {"n": lap + 1})
            self._tell(events, "order", player)
        card = self.table.pile.pop()
        self.players[player].fresh.append(card)
        self._tell(events, "draw", player, {"card": card}, player)
        self.phase = "choose"
        self.to_move = self.game.alone[player]

    def _choose(self, kind: str, arg: Any, player: int, events: list[Event]) -> None:
        if kind == "hold":
            self._tell(events, "hold", player)
            self._take_in(player, events)
            return
        fresh = self.players[player].fresh
        if kind == "trash":
            self._discard(fresh.pop(), player, events)
            self._end_turn(events)
            return
        card = fresh.pop()
        self.players[arg].fresh.append(card)
        self.receiver = arg
        self._tell(events, "release", player, {"card": card, "target": arg}, player)
        self._tell(events, "offer", arg, {"card": card}, arg)
        if len(self.game.answers) > 1:
            self.phase = "receive"
            self.to_move = self.game.alone[arg]
        else:
            self._tell(events, "accept", arg)
            self._take_in(arg, events)

    def _receive(self, kind: str, arg: Any, player: int, events: list[Event]) -> None:
        if kind == "hold":
            self._tell(events, "accept", player)
            self._take_in(player, events)
            return
        card = self.players[player].fresh.pop()
        if kind == "trash":
            self._discard(card, player, events)
            self._end_turn(events)
            return
        giver = self._turn_player()
        self._tell(events, "return", player)
        self.players[giver].fresh.append(card)
        self.receiver = None
        self._tell(events, "hold", giver)
        self._take_in(giver, events)

    def _discard(self, card: Kind, player: int, events: list[Event]) -> None:
        """A card that nobody wants leaves the game, for all to see or not (S8)."""
        if self.game.plan.discard_open:
            self.out.append(card)
            self._tell(events, "trash", player, {"card": card})
        else:
            insort(self.table.discards, card, key=ORDER)
            self._tell(events, "trash", player, {"card": card}, player)

    def _take_in(self, player: int, events: list[Event]) -> None:
        """The card of this turn is held: a set may be laid with it."""
        if self.game.plan.sets == "laid":
            self.phase = "army"
            self.to_move = self.game.alone[player]
        else:
            self._keep(player, events)

    def _keep(self, player: int, events: list[Event]) -> None:
        """The card of this turn joins the hand, and the turn is over."""
        seat = self.players[player]
        card = seat.fresh.pop()
        insort(seat.hand, card, key=ORDER)
        if self.exposed[player]:
            self._tell(events, "shown", player, {"card": card})
        self._end_turn(events)

    def _army(self, kind: str, arg: Any, player: int, events: list[Event]) -> None:
        if kind == "pass":
            self._tell(events, "pass", player)
            self._keep(player, events)
            return
        seat = self.players[player]
        card = seat.fresh.pop()
        seat.laid.append(card)
        self.main = len(self.armies[player])
        if kind == "begin":
            self._add_army(player, card.rank if arg == "number" else card.group, 1)
            self._tell(events, "begin", player, {"card": card, "choice": arg})
            self.phase = "set"
            return
        _leave(seat.hand, card, arg - 1)
        seat.laid += [card] * (arg - 1)
        self._add_army(player, card.rank, arg)
        self._tell(events, "army", player, {"card": card, "n": arg})
        self._laid(arg, seat.hand.count(card), player, events)

    def _add_army(self, player: int, key: Any, size: int) -> None:
        armies = list(self.armies)
        armies[player] += ((key, size),)
        self.armies = tuple(armies)

    def _replace_army(self, player: int, place: int, key: Any, size: int) -> None:
        own = list(self.armies[player])
        own[place] = (key, size)
        armies = list(self.armies)
        armies[player] = tuple(own)
        self.armies = tuple(armies)

    def _set(self, kind: str, arg: Any, player: int, events: list[Event]) -> None:
        seat = self.players[player]
        key, size = self.armies[player][-1]
        if kind == "add":
            seat.hand.remove(arg)
            seat.laid.append(arg)
            self._replace_army(player, -1, key, size + 1)
            self._tell(events, "add", player, {"card": arg})
            return
        self._tell(events, "set", player, {"cards": tuple(seat.laid[-size:])})
        self._laid(size, sum([_fits(card, key) for card in seat.hand]), player, events)

    def _laid(self, size: int, kept: int, player: int, events: list[Event]) -> None:
        """A set is complete; item cards may be played with it (S11)."""
        self._tell(events, "kept", player, {"n": kept}, player)
        if self.game.plan.items:
            self.strength = size
            self.phase = "medallion"
        else:
            self._end_turn(events)

    def _medallion(self, kind: str, arg: Any, player: int, events: list[Event]) -> None:
        if kind == "done":
            self._tell(events, "done", player)
            self._end_turn(events)
            return
        seat = self.players[player]
        seat.hand.remove(arg)
        seat.medallions.append(arg)
        self._tell(events, "medallion", player, {"card": arg, "n": self.strength})
        self._effect(arg, player, events)

    def _effect(self, card: Kind, player: int, events: list[Event]) -> None:
        """What a medallion does; item cards do nothing."""

    def _end_turn(self, events: list[Event]) -> None:
        self.receiver = self.main = None
        self.strength = 0
        over = self._over_limit()
        if over != self.exposed:
            self._expose(over, events)
        if self.turn < self.game.n_turns:
            self._begin_turn(events)
        else:
            self._count(events)

    def _over_limit(self) -> tuple[bool, ...]:
        limit = self.game.plan.hand_limit
        return tuple([len(seat.hand) > limit > 0 for seat in self.players])

    def _expose(self, over: tuple[bool, ...], events: list[Event]) -> None:
        """Hands over the limit are laid open, others taken up again (S12, S13)."""
        for player, (was, now) in enumerate(zip(self.exposed, over, strict=True)):
            if now and not was:
                cards = tuple(self.players[player].hand)
                self._tell(events, "exposed", player, {"cards": cards})
            elif was and not now:
                self._tell(events, "covered", player)
        self.exposed = over

    def _count(self, events: list[Event]) -> None:
        """All hands are shown, and the highest score wins (S15, S16)."""
        self._tell(events, "end")
        points = self.scores()
        for player, seat in enumerate(self.players):
            data = {"cards": tuple(seat.hand), "points": points[player]}
            self._tell(events, "score" if seat.hand else "clear", player, data)
        winners = _winners(points)
        for player in winners:
            self._tell(events, "win" if len(winners) == 1 else "shared", player)
        self._finish(shared_win(winners, len(self.players)))

    # Looking.

    def scores(self) -> list[int]:
        """The points of each seat if the game ended now."""
        plan = self.game.plan
        return [
            score(seat.laid, seat.hand + seat.fresh, plan.sets, plan.min_set)
            for seat in self.players
        ]

    def _sees(self, viewer: int, owner: int | None, zone: str) -> bool:
        if zone in ("laid", "medallions"):
            return True
        if owner is None:
            return False
        if zone == "hand":
            return viewer == owner or self.exposed[owner] or self.phase == END
        if zone == "fresh" and owner == self.receiver and viewer == self._turn_player():
            return True
        return viewer == owner

    def _owed(self) -> tuple[int, ...]:
        if self.phase == END:
            return ()
        return (self._turn_player() if self.phase == "choose" else self._actor(),)

    # Judging a position.

    def _check(self) -> None:
        self._check_public()
        self._check_cards()
        self._check_phase()

    def _check_public(self) -> None:
        """The public fields have values of the right kind; those left out are filled in."""
        n, plan = len(self.players), self.game.plan
        if not self.armies:
            self.armies = ((),) * n
        if not self.exposed:
            self.exposed = self._over_limit()
        seats = range(n)
        armies: Any = self.armies
        exposed: Any = self.exposed
        for name, fits in {
            "turn": 1 <= self.turn <= plan.n_turns,
            "start": self.start in seats,
            "receiver": self.receiver is None or self.receiver in seats,
            "armies": isinstance(armies, tuple)
            and len(armies) == n
            and all(map(self._are_armies, armies)),
            "exposed": isinstance(exposed, tuple) and [*map(type, exposed)] == [bool] * n,
            "main": self.main is None or type(self.main) is int,
            "strength": type(self.strength) is int and self.strength >= 0,
        }.items():
            if not fits:
                self._impossible("field", entry=name, value=str(getattr(self, name)))

    def _are_armies(self, own: Any) -> bool:
        suits = self.game.plan.suits
        letters = [*collect_cards.SUITS[:suits]] if suits > 1 else []
        return isinstance(own, tuple) and all(
            isinstance(army, tuple)
            and len(army) == 2
            and (type(army[0]) is int or army[0] in letters)
            and type(army[1]) is int
            and army[1] > 0
            for army in own
        )

    def _impossible(self, reason: str, **params: Any) -> None:
        raise PositionError(f"{self.game.name}.position.{reason}", **params)

    def _check_cards(self) -> None:
        """All cards of the deck are there; those that are not listed lie in the pile and beside."""
        deck: Counter[Any] = Counter(self.game.deck)
        found: Counter[Any] = Counter(self.out)
        for seat in (*self.players, self.table):
            for zone, content in seat.zones().items():
                if None in content:
                    self._impossible("empty_place", zone=zone)
                found.update(content)
                if zone in _UNORDERED:
                    content.sort(key=ORDER)
        for card in found - deck:
            self._impossible("too_many", card=card, found=found[card], most=deck[card])
        missing = sorted((deck - found).elements(), key=ORDER)
        in_pile = self._pile_size()
        table = self.table
        if missing and not table.pile and not table.removed:
            self._shuffle(missing)
            table.pile, table.removed = missing[:in_pile], sorted(missing[in_pile:], key=ORDER)
        elif missing:
            raise PositionError("core.position.missing", cards=tuple(missing))
        if len(table.pile) != in_pile:
            self._impossible("pile", found=len(table.pile), wanted=in_pile, turn=self.turn)

    def _pile_size(self) -> int:
        plan = self.game.plan
        dealt = plan.n_removed + plan.n_players * plan.start_hand
        return plan.n_cards - dealt - self.turn

    def _check_phase(self) -> None:
        phase = self.phase
        holders = [player for player, seat in enumerate(self.players) if seat.fresh]
        wanted = self._fresh_holders()
        if holders != wanted or any(len(seat.fresh) > 1 for seat in self.players):
            self._impossible("fresh", phase=phase, allowed=[player + 1 for player in wanted])
        if phase == "receive" and self.receiver in (None, self._turn_player()):
            self._impossible("field", entry="receiver", value=str(self.receiver))
        if phase in ("choose", END) and self.receiver is not None:
            self._impossible("field", entry="receiver", value=str(self.receiver))
        settled = phase in ("choose", "receive", "army", END)
        main, armies = self.main, self.armies[self._actor()]
        if settled != (main is None) or not (settled or main in range(len(armies))):
            self._impossible("field", entry="main", value=str(main))
        if settled and self.exposed != self._over_limit():
            self._impossible("field", entry="exposed", value=str(self.exposed))
        for player, (seat, own) in enumerate(zip(self.players, self.armies, strict=True)):
            if self._laid_cards(seat) != sum(size for _, size in own):
                self._impossible("armies", seat=player)
        result = shared_win(_winners(self.scores()), len(self.players)) if phase == END else None
        if self.result != result:
            self._impossible("result", phase=phase)

    def _laid_cards(self, seat: Any) -> int:
        return len(seat.laid)

    def _fresh_holders(self) -> list[int]:
        """The seats that have a card whose fate is not decided."""
        if self.phase == "choose":
            return [self._turn_player()]
        return [self._actor()] if self.phase in ("receive", "army") else []

    _OFFERS: ClassVar[Mapping[str, Callable[..., list[Action]]]] = {
        "choose": _offer_choose,
        "receive": _offer_receive,
        "army": _offer_army,
        "set": _offer_set,
        "medallion": _offer_medallion,
    }
    _REFUSALS: ClassVar[Mapping[str, Callable[..., CardlabError | None]]] = {
        "choose": _refuse_choose,
        "receive": _refuse_receive,
        "army": _refuse_army,
        "set": _refuse_set,
        "medallion": _refuse_medallion,
    }
    _STEPS: ClassVar[Mapping[str, Callable[..., None]]] = {
        "choose": _choose,
        "receive": _receive,
        "army": _army,
        "set": _set,
        "medallion": _medallion,
    }


_UNORDERED = ("hand", "buried", "discards", "removed")
_ARGUMENTS = frozenset({int, str, type(None), Kind, tuple})


def _leave(hand: list[Kind], card: Kind, copies: int) -> None:
    """Take copies of a card out of a sorted hand, where they lie together."""
    if copies:
        first = hand.index(card)
        del hand[first : first + copies]


def _fits(card: Kind, key: int | str) -> bool:
    """Whether a card belongs to a set of a number, or of the suit with a letter."""
    if card.is_medallion:
        return False
    return card.rank == key or card.group == key


def _winners(points: list[int]) -> list[int]:
    best = max(points)
    return [player for player, own in enumerate(points) if own == best]


# -------------------------------------------------------------------------------------------- game


class CollectFamily(Game):
    """What the drafts and Alicematic have in common.

    Attributes
    ----------
    plan
        The options of play; for the drafts they are the rules themselves.
    deck, copies
        All cards, sorted, and how many there are of each.
    memories
        For each seat the log that it read last, and what it remembers of it.
    """

    start_rotates = False
    RULE_OF: ClassVar[Mapping[str, str]]
    """For each kind of event the number of its rule."""

    ASKS: ClassVar[dict[str, tuple[str, tuple[str, ...]]]] = {
        "choose": ("hold", ("hold", "release", "trash")),
        "receive": ("offer", ("hold", "trash", "return")),
        "army": ("army", ("army", "begin", "pass")),
        "medallion": ("medallion", ("medallion", "done")),
    }
    """For each phase the kind of event whose rule it is about, and the kinds of its actions."""

    def __init__(self, rules: Rules, plan: CollectRules) -> None:
        self.plan = plan
        self.num_players = plan.n_players
        self.deck = tuple(sorted(_deck(plan), key=ORDER))
        self.copies: Counter[Kind] = Counter(self.deck)
        self.kinds: tuple[Kind, ...] = tuple(self.copies)
        self.told = {what: (f"{self.name}.{what}", rule) for what, rule in self.RULE_OF.items()}
        self.rule_of_phase = {phase: self.RULE_OF[what] for phase, (what, _) in self.ASKS.items()}
        self.opening = tuple(self._opening())
        self.n_turns = plan.n_turns
        self.picks = plan.suits > 1
        """Whether sets are picked card by card, because the cards of one number differ."""
        self.memories: dict[int, tuple[tuple[Event, ...], collect_hidden.Memory]] = {}
        super().__init__(rules)
        self._keep_actions()

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "memories": {}}

    def _opening(self) -> Iterable[Event]:
        raise NotImplementedError

    def _keep_actions(self) -> None:
        """Put actions where they are quickly found."""
        by_kind: dict[str, dict[Any, Action]] = {}
        for action in self.actions:
            by_kind.setdefault(action.kind, {})[action.arg] = action
        # Without an action of its own a kind has none that is ever asked for.
        none: dict[Any, Any] = {}
        (hold,) = by_kind["hold"].values()
        self.passing: Any = by_kind.get("pass", none).get(None)
        self.done: Any = by_kind.get("done", none).get(None)
        self.army: list[Any] = [None] * (max(by_kind.get("army", [0])) + 1)
        for size, action in by_kind.get("army", none).items():
            self.army[size] = action
        self.begin: dict[str, Action] = by_kind.get("begin", none)
        self.add: dict[Kind, Action] = by_kind.get("add", none)
        self.play: dict[Kind, Action] = by_kind.get("medallion", none)

        n, reach = self.num_players, self.plan.release_target
        self.alone = tuple((player,) for player in range(n))
        self.targets: list[tuple[int, ...]] = [()] * n
        if reach == "any":
            self.targets = [(*range(player), *range(player + 1, n)) for player in range(n)]
        elif reach == "left":
            self.targets = [((player + 1) % n,) for player in range(n)]
        self.asked = {phase: {*kinds} & {*by_kind} for phase, (_, kinds) in self.ASKS.items()}
        refusing = [*by_kind.get("trash", none).values(), *by_kind.get("return", none).values()]
        self.answers: list[Action] = [hold, *refusing]
        if reach == "nobody":
            self.choices: list[list[Action]] = [self.answers] * n
        else:
            self.asked["choose"].discard("trash")
            release = by_kind["release"]
            self.choices = [[hold, *map(release.__getitem__, each)] for each in self.targets]

    def _actions(self) -> Iterable[Action]:
        plan = self.plan
        yield Action("hold")
        if plan.release_target == "nobody":
            yield Action("trash")
        else:
            yield from (Action("release", target) for target in range(plan.n_players))
            if plan.may_refuse == "discard":
                yield Action("trash")
            elif plan.may_refuse == "return":
                yield Action("return")
        if plan.sets != "laid":
            return
        yield Action("pass")
        if plan.suits > 1:
            yield Action("begin", "number")
            if plan.set_by == "number_or_suit":
                yield Action("begin", "suit")
            yield from (Action("add", card) for card in self.kinds if not card.is_medallion)
        else:
            yield from (Action("army", n) for n in range(plan.min_set, max(plan.counts) + 1))
        if plan.items:
            yield from (Action("medallion", card) for card in MEDALLIONS)
        if plan.items or plan.suits > 1:
            yield Action("done")

    def parse_card(self, text: Card | str) -> Kind:
        """A card of this game's deck from its text (or itself).

        Raises :class:`NotationError` for anything else.
        """
        card = collect_cards.parse(text)
        if card not in self.kinds:
            raise NotationError("collect.error.card_of_game", card=card, cards=self.kinds)
        return card

    def resample(self, observation: Observation, rng: random.Random) -> CollectState:
        """A full state, drawn uniformly from those that the observation allows.

        What the observer cannot know is the pile, the removed cards and what others hold; but cards
        that it gave away, or that others once laid open, are where they must still be. All
        placements of the single cards that agree with what it has seen are equally likely.
        """
        state: CollectState = self.state_class(self, rng.getrandbits(63))  # type: ignore[assignment]
        state._recall(observation)
        hidden = self._about(observation, partial(collect_hidden.hidden, self))
        dealt = collect_hidden.deal(observation, hidden, rng)
        for seat, zones in zip((*state.players, state.table), dealt, strict=True):
            for zone, content in zones.items():
                setattr(seat, zone, content)
        return state


def _deck(plan: CollectRules) -> Iterable[Kind]:
    for cards in (PLAIN,) if plan.suits == 1 else SUITED[: plan.suits]:
        for card, copies in zip(cards, plan.counts, strict=False):
            yield from [card] * copies
    if plan.items:
        yield from MEDALLIONS
