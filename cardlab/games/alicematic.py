"""Alicematic: armies of Alice cards and the seven medallions, for three to five (A1 to A29).

The course of play is that of the drafts, :mod:`cardlab.games.collect_state`; here are the
medallions, the count of points, and the options. The numbers in brackets are those of the rulebook,
``cardlab rules alicematic``.
"""

from __future__ import annotations

from bisect import insort
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement
from typing import Any, ClassVar

from cardlab.cards import ORDER, Card
from cardlab.engine import Action, Event, Rules, Seat, choice, flag, number, numbers
from cardlab.errors import CardlabError
from cardlab.games import collect_cards
from cardlab.games.collect_cards import COUNTS, MEDALLIONS, Kind
from cardlab.games.collect_rules import CollectRules
from cardlab.games.collect_state import CollectFamily, CollectState

__all__ = ["Alicematic", "AlicematicRules", "AlicematicState", "score"]

ROUNDS = 10
START_HAND = 2
MIN_ARMY = 3
GREED = 2
BURIED = 3
SLOTH_NUMBER = 1


# ---------------------------------------------------------------------------------- pure decisions


def score(
    armies: Iterable[tuple[int, int]],
    hand: Iterable[Card | str],
    medallions: Iterable[Card | str] = (),
    played_medallion: str = "zero",
) -> int:
    """The points of a player at the end of the game.

    The text has no rule for it; this one follows from the designer's diary (A-Q1). An army counts
    its number for each of its cards, a card in the hand its number as a minus. Gluttony adds the
    number of armies (A20).

    Parameters
    ----------
    armies
        A pair of number and size for each army; a number that Wrath has doubled, doubled.
    hand
        The cards left in the hand.
    medallions
        The medallions that were played.
    played_medallion
        The option of that name: ``"number"`` if a played medallion counts its number.

    >>> score([(2, 5), (7, 3)], ["9", "4", "greed"], ["gluttony"])
    16
    """
    armies = list(armies)
    played = [collect_cards.parse(card) for card in medallions]
    points = sum(number * size for number, size in armies)
    points -= sum(collect_cards.parse(card).rank for card in hand)
    if _GLUTTONY in played:
        points += len(armies)
    if played_medallion == "number":
        points += sum(card.rank for card in played)
    return points


_GLUTTONY = collect_cards.parse("gluttony")


# ------------------------------------------------------------------------------------------- rules


@dataclass(frozen=True, kw_only=True)
class AlicematicRules(Rules):
    """The options of Alicematic; the first value of each is the default reading.

    Attributes
    ----------
    n_players
        Number of players (A1).
    counts
        Copies of each number from 1 up (A2).
    removed
        How many cards are removed unseen; ``None`` for as many as make the pile last exactly for
        ten rounds (A5).
    hand_limit
        The largest hand that stays hidden (A28).
    played_medallion
        What a medallion counts that was played (A-Q1).
    requirement_counts_lust
        Whether the card that Lust added counts for the number of further medallions (A15).
    over_limit_blocks_receive
        Whether a player whose hand lies open may be given cards (A11, A19).
    release_target
        Who may be given the drawn card (A11).
    start_rotates
        Whether each round is begun by the next player (A9).
    envy_refusable
        Whether the receiver of Envy's card may trash it (A19).
    """

    n_players: int = number(4, 3, 5)
    counts: tuple[int, ...] = numbers(COUNTS, 0, 20, length=(1, 20))
    removed: int | None = number(None, 0, 200)
    hand_limit: int = number(7, 2, 30)
    played_medallion: str = choice("zero", "number")
    requirement_counts_lust: bool = flag(False)
    over_limit_blocks_receive: bool = flag(False)
    release_target: str = choice("any", "left")
    start_rotates: bool = flag(False)
    envy_refusable: bool = flag(False)


class AlicematicSeat(Seat):
    """What one seat has: ``fresh`` is the card just drawn or received, until its fate is decided.

    ``laid`` are the cards of armies, ``buried`` those under Sloth, ``medallions`` those played.
    """

    __slots__ = ("buried", "fresh", "hand", "laid", "medallions")

    buried: list[Kind]
    fresh: list[Kind]
    hand: list[Kind]
    laid: list[Kind]
    medallions: list[Kind]


class AlicematicTable(Seat):
    """The pile, and the cards that were removed unseen."""

    __slots__ = ("pile", "removed")

    pile: list[Kind]
    removed: list[Kind]


# ------------------------------------------------------------------------------------------- state


class AlicematicState(CollectState):
    """A position of Alicematic.

    Phases: ``choose`` (hold or release the drawn card, A10), ``receive`` (hold or trash, A24),
    ``army`` (play an army or pass, A12), ``medallion`` (play medallions with it, A14), one for each
    medallion whose effect asks for something: ``pride``, ``lust``, ``envy`` (who is given a card),
    ``envy_give`` (which), ``envy_receive`` (with ``envy_refusable`` only), ``greed``, ``sloth``;
    and ``end``.

    Attributes
    ----------
    target
        The seat that Envy's card goes to; ``None`` if Envy was not played in this turn.
    """

    PUBLIC: ClassVar[Mapping[str, Any]] = {**CollectState.PUBLIC, "target": None}

    __slots__ = ("target",)

    game: Alicematic
    target: int | None

    # Offering and refusing.

    def _offer_pride(self, seat: Any, player: int) -> list[Action]:
        return [*map(self.game.discard.__getitem__, dict.fromkeys(seat.hand)), self.game.done]

    def _offer_lust(self, seat: Any, player: int) -> list[Action]:
        return [*map(self.game.lust.__getitem__, dict.fromkeys(seat.hand)), self.game.skip]

    def _refuse_card(self, kind: str, arg: Any, player: int) -> CardlabError | None:
        """A card of the hand is named, or none."""
        hand = self.players[player].hand
        if arg is None or arg in hand:
            return None
        return self._not_in_hand(arg, hand, self.game.rule_of_phase[self.phase])

    def _offer_envy(self, seat: Any, player: int) -> list[Action]:
        game = self.game
        to = [game.to[other] for other in range(game.num_players)]
        return [each for each in [*to, game.skip] if self._refusal(each, player) is None]

    def _refuse_envy(self, kind: str, arg: Any, player: int) -> CardlabError | None:
        if kind == "skip":
            return None
        rule, seats = self.game.rule_of_phase["envy"], range(len(self.players))
        if not self.players[player].hand:
            return self._cannot("hand_empty", rule)
        if arg == player or arg not in seats:
            allowed = [seat + 1 for seat in seats if seat != player]
            return self._cannot("target", rule, allowed=allowed)
        if self.game.plan.over_limit_blocks_receive and self.exposed[arg]:
            return self._cannot("over_limit", self.game.told["exposed"][1], seat=arg)
        return None

    def _offer_envy_give(self, seat: Any, player: int) -> list[Action]:
        return [*map(self.game.give.__getitem__, dict.fromkeys(seat.hand))]

    def _offer_envy_receive(self, seat: Any, player: int) -> list[Action]:
        return self.game.answers.copy()

    def _offer_greed(self, seat: Any, player: int) -> list[Action]:
        pairs = [
            self.game.greed[card]
            for card, copies in Counter(seat.hand).items()
            if copies >= GREED and not card.is_medallion
        ]
        return [*pairs, self.game.skip]

    def _refuse_greed(self, kind: str, arg: Any, player: int) -> CardlabError | None:
        have = self.players[player].hand.count(arg)
        if kind == "skip" or have >= GREED:
            return None
        return self._cannot("greed_pair", self.game.rule_of_phase["greed"], card=arg, have=have)

    def _offer_sloth(self, seat: Any, player: int) -> list[Action]:
        parts = dict.fromkeys(combinations(seat.hand, BURIED))
        return [*map(self.game.bury.__getitem__, parts), self.game.skip]

    def _refuse_sloth(self, kind: str, arg: Any, player: int) -> CardlabError | None:
        hand = self.players[player].hand
        if kind == "skip" or not (missing := [*(Counter(arg) - Counter(hand))]):
            return None
        return self._not_in_hand(missing[0], hand, self.game.rule_of_phase["sloth"])

    # Carrying out: the medallions.

    def _effect(self, card: Kind, player: int, events: list[Event]) -> None:
        name = card.ascii
        if name == "wrath":
            assert self.main is not None
            value, size = self.armies[player][self.main]
            self._replace_army(player, self.main, 2 * value, size)
            self._tell(events, "wrath", player, {"n": 2 * value})
        elif name == "gluttony":
            self._tell(events, "gluttony", player)
        else:
            self.phase = name

    def _pride(self, kind: str, arg: Any, player: int, events: list[Event]) -> None:
        if kind == "done":
            self._tell(events, "pride", player)
            self.phase = "medallion"
            return
        self.players[player].hand.remove(arg)
        self.out.append(arg)
        self._tell(events, "discard", player, {"card": arg})

    def _unused(self, player: int, events: list[Event]) -> None:
        """The medallion has left the hand, and its effect is not used (A16)."""
        self._tell(events, "unused", player)
        self.phase = "medallion"

    def _lust(self, kind: str, arg: Any, player: int, events: list[Event]) -> None:
        if kind == "skip":
            self._unused(player, events)
            return
        seat = self.players[player]
        seat.hand.remove(arg)
        seat.laid.append(arg)
        assert self.main is not None
        value, size = self.armies[player][self.main]
        self._replace_army(player, self.main, value, size + 1)
        if self.game.rules.requirement_counts_lust:
            self.strength += 1
        self._tell(events, "lust", player, {"card": arg, "n": value})
        self.phase = "medallion"

    def _envy(self, kind: str, arg: Any, player: int, events: list[Event]) -> None:
        if kind == "skip":
            self._unused(player, events)
            return
        self.target = arg
        self._tell(events, "envy", player, {"target": arg})
        self.phase = "envy_give"

    def _envy_give(self, kind: str, arg: Any, player: int, events: list[Event]) -> None:
        target = self.target
        assert target is not None
        self.players[player].hand.remove(arg)
        self.players[target].fresh.append(arg)
        # Of what leaves an open hand, or joins one, nothing can be hidden.
        open_to_all = self.exposed[player] or self.exposed[target]
        data = {"card": arg, "target": target}
        self._tell(events, "give", player, data, None if open_to_all else player)
        self._tell(events, "given", target, {"card": arg}, None if open_to_all else target)
        if self.game.rules.envy_refusable:
            self.phase = "envy_receive"
            self.to_move = self.game.alone[target]
        else:
            self._envy_receive("hold", None, target, events)

    def _envy_receive(self, kind: str, arg: Any, player: int, events: list[Event]) -> None:
        seat = self.players[player]
        card = seat.fresh.pop()
        if kind == "hold":
            insort(seat.hand, card, key=ORDER)
            self._tell(events, "taken", player)
        else:
            self.out.append(card)
            self._tell(events, "refused", player, {"card": card})
        self.phase = "medallion"
        self.to_move = self.game.alone[self._actor()]

    def _greed(self, kind: str, arg: Any, player: int, events: list[Event]) -> None:
        if kind == "skip":
            self._unused(player, events)
            return
        seat = self.players[player]
        for _ in range(GREED):
            seat.hand.remove(arg)
            seat.laid.append(arg)
        self._add_army(player, arg.rank, GREED)
        self._tell(events, "greed", player, {"card": arg})
        self.phase = "medallion"

    def _sloth(self, kind: str, arg: Any, player: int, events: list[Event]) -> None:
        if kind == "skip":
            self._unused(player, events)
            return
        seat = self.players[player]
        for card in arg:
            seat.hand.remove(card)
            insort(seat.buried, card, key=ORDER)
        self._add_army(player, SLOTH_NUMBER, BURIED)
        seen_by = None if self.exposed[player] else player
        self._tell(events, "bury", player, {"cards": arg}, seen_by)
        self.phase = "medallion"

    def _end_turn(self, events: list[Event]) -> None:
        self.target = None
        super()._end_turn(events)

    # Looking.

    def scores(self) -> list[int]:
        """The points of each seat if the game ended now."""
        reading = self.game.rules.played_medallion
        return [
            score(armies, seat.hand + seat.fresh, seat.medallions, reading)
            for armies, seat in zip(self.armies, self.players, strict=True)
        ]

    def _sees(self, viewer: int, owner: int | None, zone: str) -> bool:
        if zone == "fresh" and owner == self.target and owner is not None:
            return viewer in (owner, self._actor()) or self.exposed[owner]
        return super()._sees(viewer, owner, zone)

    def _owed(self) -> tuple[int, ...]:
        if self.phase == "envy_receive":
            return () if self.target is None else (self.target,)
        return super()._owed()

    # Judging a position.

    def _check_phase(self) -> None:
        others: list[Any] = [*range(len(self.players))]
        others.remove(self._actor())
        possible = [None] if self.main is None else [*others, None]
        if self.phase in ("envy_give", "envy_receive"):
            possible = others
        if self.target not in possible:
            self._impossible("field", entry="target", value=str(self.target))
        if self.phase == "envy_give" and not self.players[self._actor()].hand:
            self._impossible("field", entry="phase", value=self.phase)
        super()._check_phase()

    def _laid_cards(self, seat: Any) -> int:
        return len(seat.laid) + len(seat.buried)

    def _fresh_holders(self) -> list[int]:
        if self.phase == "envy_receive":
            return [] if self.target is None else [self.target]
        return super()._fresh_holders()

    _OFFERS: ClassVar[Mapping[str, Callable[..., list[Action]]]] = {
        **CollectState._OFFERS,
        "pride": _offer_pride,
        "lust": _offer_lust,
        "envy": _offer_envy,
        "envy_give": _offer_envy_give,
        "envy_receive": _offer_envy_receive,
        "greed": _offer_greed,
        "sloth": _offer_sloth,
    }
    _REFUSALS: ClassVar[Mapping[str, Callable[..., CardlabError | None]]] = {
        **CollectState._REFUSALS,
        "pride": _refuse_card,
        "lust": _refuse_card,
        "envy": _refuse_envy,
        "envy_give": _refuse_card,
        "envy_receive": CollectState._refuse_receive,
        "greed": _refuse_greed,
        "sloth": _refuse_sloth,
    }
    _STEPS: ClassVar[Mapping[str, Callable[..., None]]] = {
        **CollectState._STEPS,
        "pride": _pride,
        "lust": _lust,
        "envy": _envy,
        "envy_give": _envy_give,
        "envy_receive": _envy_receive,
        "greed": _greed,
        "sloth": _sloth,
    }


# -------------------------------------------------------------------------------------------- game


class Alicematic(CollectFamily):
    """The game Alicematic; see :class:`AlicematicRules` for its options."""

    name = "alicematic"
    rules_class = AlicematicRules
    state_class = AlicematicState
    seat_class = AlicematicSeat
    table_class = AlicematicTable

    ASKS: ClassVar[dict[str, tuple[str, tuple[str, ...]]]] = {
        **CollectFamily.ASKS,
        "pride": ("pride", ("discard", "done")),
        "lust": ("lust", ("lust", "skip")),
        "envy": ("envy", ("to", "skip")),
        "envy_give": ("envy", ("give",)),
        "envy_receive": ("envy", ("hold", "trash")),
        "greed": ("greed", ("greed", "skip")),
        "sloth": ("bury", ("bury", "skip")),
    }
    phases = tuple(ASKS)

    RULE_OF: ClassVar[Mapping[str, str]] = {
        "start": "A1",
        "deck": "A2",
        "medallions": "A3",
        "shuffle": "A4",
        "removed": "A5",
        "deal": "A6",
        "first": "A7",
        "round": "A8",
        "order": "A9",
        "draw": "A10",
        "hold": "A11",
        "release": "A11",
        "army": "A12",
        "pass": "A12",
        "kept": "A13",
        "done": "A14",
        "medallion": "A15",
        "unused": "A16",
        "pride": "A17",
        "discard": "A17",
        "lust": "A18",
        "envy": "A19",
        "give": "A19",
        "given": "A19",
        "taken": "A19",
        "refused": "A19",
        "gluttony": "A20",
        "greed": "A21",
        "bury": "A22",
        "wrath": "A23",
        "offer": "A24",
        "accept": "A25",
        "trash": "A26",
        "turn": "A27",
        "exposed": "A28",
        "shown": "A28",
        "covered": "A29",
        "end": "A8",
        "score": "A8",
        "clear": "A8",
        "win": "A8",
        "shared": "A8",
    }

    rules: AlicematicRules

    def __init__(self, rules: AlicematicRules) -> None:
        self.start_rotates = rules.start_rotates
        plan = CollectRules(
            n_players=rules.n_players,
            counts=rules.counts,
            items=True,
            removed=rules.removed,
            start_hand=START_HAND,
            rounds=ROUNDS,
            release_target=rules.release_target,
            min_set=MIN_ARMY,
            hand_limit=rules.hand_limit,
            over_limit_blocks_receive=rules.over_limit_blocks_receive,
        )
        super().__init__(rules, plan)
        by_kind: dict[str, dict[Any, Action]] = {}
        for action in self.actions:
            by_kind.setdefault(action.kind, {})[action.arg] = action
        (self.skip,) = by_kind["skip"].values()
        self.discard: dict[Kind, Action] = by_kind["discard"]
        self.lust: dict[Kind, Action] = by_kind["lust"]
        self.give: dict[Kind, Action] = by_kind["give"]
        self.greed: dict[Kind, Action] = by_kind["greed"]
        self.to: dict[int, Action] = by_kind["to"]
        self.bury: dict[tuple[Kind, ...], Action] = by_kind["bury"]

    def _opening(self) -> Iterable[Event]:
        plan = self.plan
        yield Event(*self.told["start"], None, {"n": plan.n_players})
        yield Event(*self.told["deck"], None, {"n": plan.n_cards - len(MEDALLIONS)})
        yield Event(*self.told["medallions"], None, {"cards": MEDALLIONS})
        yield Event(*self.told["shuffle"])

    def _actions(self) -> Iterable[Action]:
        yield from super()._actions()
        for kind in ("discard", "lust", "give"):
            yield from (Action(kind, card) for card in self.kinds)
        yield from (Action("to", seat) for seat in range(self.num_players))
        yield from (Action("greed", card) for card in self.kinds if not card.is_medallion)
        copies = Counter(self.deck)
        for cards in combinations_with_replacement(self.kinds, BURIED):
            if all(cards.count(card) <= copies[card] for card in cards):
                yield Action("bury", cards)
        yield Action("skip")
