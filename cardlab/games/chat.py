"""CHAT, "Cunning Hands of Attack and Tactics": attack and defence in turns (C1 to C20).

The numbers in brackets are those of the rulebook, ``cardlab rules chat``.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from cardlab import chance
from cardlab.cards import JOKER, ORDER, PACK, Card, Suit
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
    Zones,
    choice,
    flag,
    number,
)
from cardlab.errors import CardlabError, IllegalActionError, PositionError, RulesError
from cardlab.games.chat_hidden import Hidden
from cardlab.games.chat_judge import (
    NONE,
    Resolution,
    cancel_options,
    has_spade,
    judge,
    refused_cancel,
    resolve,
    spade_options,
    subsets,
    triples,
)

__all__ = ["CHAT", "CHATRules", "CHATState", "Resolution", "cancel_options", "resolve"]

SHIELDS = 5
HAND = 5
DEALT = 26
REDEALT = 5
MOST = 16


# ------------------------------------------------------------------------------------------- rules


@dataclass(frozen=True, kw_only=True)
class CHATRules(Rules):
    """The options of CHAT; the first value of each is the default reading.

    Attributes
    ----------
    joker_block_result
        A successful block counts as the blocker's success, or nothing happens, or the joker is void
        and the turn goes on without it (C12, C13).
    spade_target, spade_optional
        Whether a left-over spade cancels only left-over cards, and whether it must (C16b).
    block_may_use_base
        Whether the base may be one of the three cards of a block (C12).
    only_joker_hand
        Who holds nothing but the joker has no base (and keeps the joker for later in the turn), or
        lays it as a base of value 0, or loses (C7).
    refill_min, refill_max, hand_limit
        How many cards are drawn at the end of a turn, where stock and limit allow it (C19).
    stockout_both
        What happens when both stocks are empty (C20).
    win_check
        Whether the game ends when the last shield falls or at the end of the turn, where an empty
        stock comes first (C20).
    declare_order
        Whether both declare further cards together (C10).
    destroyed_to
        Where a destroyed shield goes once it is shown (C13, C17).
    """

    joker_block_result: str = choice("blocker_succeeds", "nothing", "battle")
    spade_target: str = choice("leftover", "any")
    spade_optional: bool = flag(False)
    block_may_use_base: bool = flag(False)
    only_joker_hand: str = choice("no_base", "joker_base_zero", "lose")
    refill_min: int = number(1, 1, MOST)
    refill_max: int = number(3, 1, MOST)
    hand_limit: int | None = number(None, 1, 26)
    stockout_both: str = choice("draw", "more_shields")
    win_check: str = choice("immediate", "step11")
    declare_order: str = choice("simultaneous", "attacker_first")
    destroyed_to: str = choice("out", "hand")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.refill_min > self.refill_max:
            raise RulesError("chat.error.refill_range", low=self.refill_min, high=self.refill_max)


class CHATSeat(Seat):
    """What one seat has: ``extra`` are its additional cards, ``block`` those laid for a block."""

    __slots__ = ("base", "block", "extra", "hand", "shields", "stock")

    base: list[Card]
    block: list[Card]
    extra: list[Card]
    hand: list[Card]
    shields: list[Card | None]
    stock: list[Card]


class CHATTable(Seat):
    """The card that was not dealt, until its colour is called (C2)."""

    __slots__ = ("left_over",)

    left_over: list[Card]


# ------------------------------------------------------------------------------------------- state


class CHATState(State):
    """A position of CHAT.

    Phases: ``call`` (one seat calls a colour, C2), ``base`` and ``extra`` (both choose a card, C7
    to C9), ``declare`` (who has an additional card: more of its number or enough, C10), ``respond``
    (to a joker: block or let, C11), ``block`` (three cards, C12), ``further`` (the declared cards,
    C15), ``cancel`` (the left-over spade's choice, C16b), ``strike`` (a shield is destroyed, C13,
    C17), ``refill`` (both draw, C19), ``end``.

    Attributes
    ----------
    caller
        The seat that called the colour.
    attacker
        The seat that attacks this turn; ``None`` before the call.
    declared
        What each seat has declared this turn: ``"more"``, ``"enough"``, ``"block"``, ``"let"``, or
        ``None``.
    strikes
        Shields still to be destroyed in the phase ``strike``.
    known
        Cards that everybody knows to be in a certain hand: a joker that could not be a base, a
        shield that went to the hand.
    """

    TOGETHER: ClassVar[Mapping[str, Commit]] = {
        "base": Commit("chat.base", "C7", "choice"),
        "extra": Commit("chat.extra", "C8", "choice"),
        "declare": Commit("chat.declare", "C10", "choice"),
        "further": Commit("chat.further", "C15", "cards"),
        "refill": Commit("chat.refill", "C19", "n"),
    }
    PUBLIC: ClassVar[Mapping[str, Any]] = {
        "caller": 0,
        "attacker": None,
        "declared": (None, None),
        "strikes": 0,
        "known": (),
    }

    __slots__ = tuple(PUBLIC)

    game: CHAT
    players: list[CHATSeat]
    caller: int
    attacker: int
    declared: tuple[str | None, str | None]
    strikes: int
    known: tuple[Card, ...]

    # Set-up.

    def _set_up(self, events: list[Event]) -> None:
        pack = [*PACK, JOKER]
        self._shuffle(pack)
        for seat in self.players:
            seat.stock, pack = pack[:DEALT], pack[DEALT:]
        self.table.left_over = pack
        events.append(Event("chat.dealt", "C1", None, {"n": DEALT}))
        self.caller = chance.draw(self.seed, self.shuffles) % 2
        self.shuffles += 1
        events.append(Event("chat.caller", "C2", self.caller, {"target": 1 - self.caller}))
        self.turn = 1
        self.phase = "call"
        self.to_move = (self.caller,)

    def _call(self, colour: str, events: list[Event]) -> None:
        events.append(Event("chat.call", "C2", self.caller, {"choice": colour}))
        left_over: list[Card] = self.table.left_over
        while left_over[0] is JOKER:
            self._redeal(left_over, events)
        card = left_over.pop()
        self.out.append(card)
        self.attacker = self.caller ^ (card.is_black != (colour == "black"))
        events.append(Event("chat.first", "C2", self.attacker, {"card": card}))
        for player, seat in enumerate(self.players):
            self._shuffle(seat.stock)
            events.append(Event("chat.shuffle", "C4", 1 - player, {"target": player}))
        for seat in self.players:
            seat.shields = [seat.stock.pop() for _ in range(SHIELDS)]
        events.append(Event("chat.shields", "C5", None, {"n": SHIELDS}))
        for player, seat in enumerate(self.players):
            seat.hand = [seat.stock.pop() for _ in range(HAND)]
            events.append(Event("chat.deal", "C6", player, {"cards": tuple(seat.hand)}, player))
        self._begin_turn(events)

    def _redeal(self, left_over: list[Card], events: list[Event]) -> None:
        mixed = left_over + [seat.stock.pop() for seat in self.players for _ in range(REDEALT)]
        self._shuffle(mixed)
        for seat in self.players:
            seat.stock += [mixed.pop() for _ in range(REDEALT)]
        left_over[:] = mixed
        events.append(Event("chat.redeal", "C3", None, {"n": REDEALT}))

    # Offering and refusing.

    def _legal(self, player: int) -> list[Action]:
        phase = self.phase
        seat = self.players[player]
        game = self.game
        if phase == "base":
            base = game.base
            legal = [base[card.index] for card in seat.hand if card is not JOKER]
            return legal or [game.lone_joker]
        if phase == "extra":
            extra = game.extra
            return [game.no_extra, *[extra[card.index] for card in seat.hand]]
        if phase == "refill":
            fewest, most = self._refill_range(seat)
            return game.refill[fewest : most + 1]
        if phase == "strike":
            shields = self.players[1 - player].shields
            return [game.strike[slot] for slot, card in enumerate(shields) if card is not None]
        if phase == "declare":
            words = ("more", "enough") if _has_mate(seat) else ("enough",)
            return [game.declare[word] for word in words]
        if phase == "further":
            return [game.further[cards] for cards in subsets(_mates_in_hand(seat))]
        if phase == "respond":
            words = ("block", "let") if self._triples(seat) else ("let",)
            return [game.declare[word] for word in words]
        if phase == "block":
            return [game.block[cards] for cards in self._triples(seat)]
        if phase == "cancel":
            return [game.cancel[card] for card in self._cancels()]
        return [game.call["red"], game.call["black"]]

    def _refill_range(self, seat: CHATSeat) -> tuple[int, int]:
        """The fewest and the most cards that may be drawn (C19)."""
        rules = self.game.rules
        most = rules.refill_max
        if most > len(seat.stock):
            most = len(seat.stock)
        if rules.hand_limit is not None:
            most = max(0, min(most, rules.hand_limit - len(seat.hand)))
        return min(rules.refill_min, most), most

    def _triples(self, seat: CHATSeat) -> list[tuple[Card, ...]]:
        """The blocks that a seat can show: three cards of one number (C12)."""
        usable = seat.hand + seat.extra
        if self.game.rules.block_may_use_base:
            usable += seat.base
        return triples(usable)

    def _cancels(self) -> tuple[Card | str, ...]:
        """What the left-over spade may cancel, where it has a choice (C16b)."""
        attack, defence = self._extras()
        rules = self.game.rules
        options = spade_options(attack, defence, rules.spade_target)
        return (*options, NONE) if options and rules.spade_optional else options

    def _extras(self) -> tuple[list[Card], list[Card]]:
        """The additional cards of the attack and of the defence, where no joker is among them."""
        return self.players[self.attacker].extra, self.players[1 - self.attacker].extra

    def _refusal(self, action: Action, player: int) -> CardlabError | None:
        phase = self.phase
        kind, arg = action.kind, action.arg
        if kind != KINDS[phase]:
            return self._wrong_kind(action)
        seat = self.players[player]
        if phase == "base":
            if arg not in seat.hand or JOKER in seat.hand:
                return self._refused_base(arg, seat)
        elif phase == "extra":
            if arg != NONE and arg not in seat.hand:
                return _not_in_hand(arg, seat, "C9")
        elif phase == "refill":
            fewest, most = self._refill_range(seat)
            if type(arg) is not int or not fewest <= arg <= most:
                numbers = list(range(fewest, most + 1))
                return IllegalActionError("chat.error.refill", "C19", value=arg, allowed=numbers)
        elif phase == "strike":
            return self._refused_strike(arg, self.players[1 - player].shields)
        elif phase == "declare":
            return self._refused_declaration(arg, seat)
        elif phase == "further":
            if not _is_subset(arg, _mates_in_hand(seat)):
                mates = tuple(_mates_in_hand(seat))
                return IllegalActionError("chat.error.further", "C15", cards=mates)
        elif phase in ("respond", "block"):
            return self._refused_block(arg, seat)
        elif phase == "cancel":
            if arg not in self._cancels():
                options = tuple([card for card in self._cancels() if isinstance(card, Card)])
                named = arg if isinstance(arg, Card) else str(arg)
                return refused_cancel(named, options, self.game.rules.spade_optional)
        elif arg not in COLOURS:
            return IllegalActionError("chat.error.phase_call", "C2", action=str(action))
        return None

    def _wrong_kind(self, action: Action) -> CardlabError:
        return IllegalActionError(
            f"chat.error.phase_{self.phase}", _RULE_OF_PHASE[self.phase], action=str(action)
        )

    def _refused_base(self, arg: Any, seat: CHATSeat) -> CardlabError | None:
        allowed = tuple([card for card in seat.hand if card is not JOKER])
        if arg in allowed or (not allowed and arg == self.game.lone_joker.arg):
            return None
        if not allowed and arg in (NONE, JOKER):
            return IllegalActionError("chat.error.lone_joker", "C7", action=self.game.lone_joker)
        if arg is JOKER and JOKER in seat.hand:
            return IllegalActionError("chat.error.joker_base", "C7", cards=allowed)
        if arg == NONE:
            return IllegalActionError("chat.error.base_needed", "C7", cards=allowed)
        return _not_in_hand(arg, seat, "C7")

    def _refused_strike(self, slot: Any, shields: list[Card | None]) -> CardlabError | None:
        if type(slot) is int and 0 <= slot < len(shields) and shields[slot] is not None:
            return None
        left = [slot + 1 for slot, card in enumerate(shields) if card is not None]
        named = slot + 1 if type(slot) is int else repr(slot)
        return IllegalActionError(
            "chat.error.no_shield", self._strike_rule(), number=named, allowed=left
        )

    def _refused_declaration(self, arg: Any, seat: CHATSeat) -> CardlabError | None:
        if arg == "enough" or (arg == "more" and _has_mate(seat)):
            return None
        if arg == "more":
            return IllegalActionError("chat.error.no_more", "C10", card=seat.extra[0])
        return IllegalActionError("chat.error.phase_declare", "C10", action=f"declare {arg}")

    def _refused_block(self, arg: Any, seat: CHATSeat) -> CardlabError | None:
        triples = self._triples(seat)
        if self.phase == "block":
            if any(_is_same(arg, triple) for triple in triples):
                return None
            shown = [" ".join(map(str, triple)) for triple in triples]
            return IllegalActionError("chat.error.block_cards", "C12", allowed=shown)
        if arg == "let" or (arg == "block" and triples):
            return None
        if arg == "block":
            return IllegalActionError("chat.error.no_triple", "C12")
        return IllegalActionError("chat.error.phase_respond", "C11", action=f"declare {arg}")

    # Carrying out: the cards of the turn.

    def _resolve(self, choices: Sequence[Action | None], events: list[Event]) -> None:
        chosen = [action and action.arg for action in choices]
        if self.phase == "base":
            self._show_bases(chosen, events)
        elif self.phase == "extra":
            self._show_extras(chosen, events)
        elif self.phase == "declare":
            self._show_declarations(chosen, events)
        elif self.phase == "further":
            self._show_further(chosen, events)
        else:
            self._draw(chosen, events)

    def _step(self, action: Action, player: int, events: list[Event]) -> None:
        arg: Any = action.arg
        if self.phase == "strike":
            self._strike(arg, player, events)
        elif self.phase == "cancel":
            self._battle(None if arg == NONE else arg, events)
        elif self.phase == "respond":
            self._respond(arg, player, events)
        elif self.phase == "block":
            self._block(arg, player, events)
        else:
            self._call(arg, events)

    def _leave_hand(self, seat: CHATSeat, card: Card) -> None:
        seat.hand.remove(card)
        if card in self.known:
            self.known = tuple([known for known in self.known if known is not card])

    def _show_lone_joker(self) -> None:
        """Who has no base tells everybody what the hand is."""
        if JOKER not in self.known:
            self.known += (JOKER,)

    def _begin_turn(self, events: list[Event]) -> None:
        self.phase = "base"
        self.to_move = (0, 1)
        if self.game.rules.only_joker_hand == "lose":
            for player, seat in enumerate(self.players):
                if seat.hand == [JOKER]:
                    self._show_lone_joker()
                    lost = {"target": 1 - player}
                    events.append(Event("chat.only_joker", "C7", player, lost))
                    self._finish(_win(1 - player))

    def _show_bases(self, chosen: Sequence[Any], events: list[Event]) -> None:
        for player, card in enumerate(chosen):
            seat = self.players[player]
            if card == NONE:
                self._show_lone_joker()
                events.append(Event("chat.no_base", "C7", player))
                continue
            self._leave_hand(seat, card)
            seat.base.append(card)
            events.append(_BASE_SHOWN[player][card.index])
        self.phase = "extra"
        self.to_move = (0, 1)

    def _show_extras(self, chosen: Sequence[Any], events: list[Event]) -> None:
        for player, card in enumerate(chosen):
            if card == NONE:
                events.append(_NO_EXTRA[player])
                continue
            seat = self.players[player]
            self._leave_hand(seat, card)
            seat.extra.append(card)
            events.append(_EXTRA_SHOWN[player][card.index])
        if JOKER not in chosen:
            self._ask_for_more(events)
            return
        responder = 1 - chosen.index(JOKER)
        if self._might_block(responder):
            self.phase = "respond"
            self.to_move = (responder,)
        else:
            events.append(Event("chat.no_block", "C11", responder))
            self._joker_succeeds(1 - responder, events)

    # Who is asked follows from what everybody knows, never from a hidden hand.

    def _ask_for_more(self, events: list[Event]) -> None:
        asked = self._asked_for_more()
        if asked:
            self.phase = "declare"
            self.to_move = asked
        else:
            self._go_on(events)

    def _asked_for_more(self) -> tuple[int, ...]:
        """The seats whose turn it is to declare (C10)."""
        seen = self._seen_ranks()
        asked = tuple(
            [
                player
                for player, seat in enumerate(self.players)
                if seat.extra
                and seat.hand
                and seen.count(seat.extra[0].rank) < 4
                and self.declared[player] not in ("more", "enough")
            ]
        )
        if len(asked) == 2 and self.game.rules.declare_order == "attacker_first":
            return (self.attacker,)
        return asked

    def _might_block(self, player: int) -> bool:
        """Whether a seat may be able to block, for all that everybody knows."""
        seat = self.players[player]
        own = seat.extra + seat.base if self.game.rules.block_may_use_base else seat.extra
        ranks, seen = [card.rank for card in own], self._seen_ranks()
        return any(
            ranks.count(rank) + min(4 - seen.count(rank), len(seat.hand)) >= 3
            for rank in range(1, 14)
        )

    def _seen_ranks(self) -> list[int]:
        """The ranks of all cards that lie open, on the table or out of the game."""
        first, second = self.players
        table = first.base + first.extra + first.block + second.base + second.extra + second.block
        return [card.rank for card in self.out + table]

    def _show_declarations(self, chosen: Sequence[Any], events: list[Event]) -> None:
        for player, word in enumerate(chosen):
            if word is not None:
                self._declare(player, word)
                events.append(_DECLARED[player][word])
        if self.game.rules.declare_order == "attacker_first":
            self._ask_for_more(events)
        else:
            self._go_on(events)

    def _declare(self, player: int, word: str) -> None:
        first, second = self.declared
        self.declared = (word, second) if player == 0 else (first, word)

    def _go_on(self, events: list[Event]) -> None:
        """After the declarations: the further cards, or the battle."""
        if "more" in self.declared:
            self.phase = "further"
            self.to_move = self._adding()
        else:
            self._begin_battle(events)

    def _adding(self) -> tuple[int, ...]:
        return tuple([player for player, word in enumerate(self.declared) if word == "more"])

    def _show_further(self, chosen: Sequence[Any], events: list[Event]) -> None:
        for player, cards in enumerate(chosen):
            if cards:
                seat = self.players[player]
                for card in cards:
                    self._leave_hand(seat, card)
                seat.extra += cards
                events.append(Event("chat.further_shown", "C15", player, {"cards": cards}))
        self._begin_battle(events)

    # Carrying out: the joker.

    def _respond(self, word: str, player: int, events: list[Event]) -> None:
        self._declare(player, word)
        events.append(Event("chat.declared", "C11", player, {"choice": word}))
        if word == "let":
            self._joker_succeeds(1 - player, events)
        else:
            self.phase = "block"
            self.to_move = (player,)

    def _block(self, cards: tuple[Card, ...], player: int, events: list[Event]) -> None:
        seat = self.players[player]
        for card in cards:
            if card in seat.hand:
                self._leave_hand(seat, card)
                seat.block.append(card)
        events.append(Event("chat.block", "C12", player, {"cards": cards}))
        result = self.game.rules.joker_block_result
        if result == "blocker_succeeds":
            self._joker_succeeds(player, events)
        elif result == "nothing":
            events.append(Event("chat.block_nothing", "C12", player))
            self._end_turn(events)
        else:
            self.players[1 - player].extra.clear()
            self.out.append(JOKER)
            events.append(Event("chat.joker_void", "C12", 1 - player))
            self._ask_for_more(events)

    def _joker_succeeds(self, player: int, events: list[Event]) -> None:
        """A seat has played the joker unblocked, or has blocked it (C13)."""
        target = 1 - player
        strikes = min(2 if player == self.attacker else 1, self._shields_left(target))
        kind = "chat.joker_attack" if player == self.attacker else "chat.joker_defence"
        events.append(Event(kind, "C13", player, {"target": target, "n": strikes}))
        self._begin_strikes(player, strikes)

    # Carrying out: the battle.

    def _begin_battle(self, events: list[Event]) -> None:
        first, second = self.players
        options = self._cancels() if first.extra and second.extra else ()
        if len(options) > 1:
            self.phase = "cancel"
            self.to_move = (self._spade_owner(),)
        else:
            card = options[0] if options else None
            self._battle(card if isinstance(card, Card) else None, events)

    def _spade_owner(self) -> int:
        return 0 if has_spade(self.players[0].extra) else 1

    def _battle(self, cancel: Card | None, events: list[Event]) -> None:
        attacker = self.players[self.attacker]
        defender = self.players[1 - self.attacker]
        events.append(_BATTLE[self.attacker])
        # A joker that had to be the base has the rank 0.
        attack, defence, attack_line, defence_line, removed = judge(
            attacker.base[0].rank if attacker.base else 0,
            attacker.extra,
            defender.base[0].rank if defender.base else 0,
            defender.extra,
            cancel,
            self.attacker,
            events,
        )
        if removed:
            attacker.extra = list(attack_line)
            defender.extra = list(defence_line)
            self.out += removed
        if attack > defence:
            self._begin_strikes(self.attacker, 1)
        else:
            self._end_turn(events)

    def _begin_strikes(self, player: int, strikes: int) -> None:
        self.strikes = strikes
        self.phase = "strike"
        self.to_move = (player,)

    def _striker(self) -> int:
        """Who destroys shields: the attacker, or who succeeded where a joker lies (C13, C17)."""
        joker = self._joker_seat()
        if joker is None:
            return self.attacker
        return 1 - joker if self.declared[1 - joker] == "block" else joker

    def _joker_seat(self) -> int | None:
        for player, seat in enumerate(self.players):
            if JOKER in seat.extra:
                return player
        return None

    def _strike_rule(self) -> str:
        return "C17" if self._joker_seat() is None else "C13"

    def _strike(self, slot: int, player: int, events: list[Event]) -> None:
        target = 1 - player
        seat = self.players[target]
        shield = seat.shields[slot]
        assert shield is not None
        seat.shields[slot] = None
        self.strikes -= 1
        struck = {"target": target, "slot": slot, "card": shield}
        rule = self._strike_rule()
        if self.game.rules.destroyed_to == "hand":
            seat.hand.append(shield)
            self.known += (shield,)
            events.append(Event("chat.strike_to_hand", rule, player, struck))
        else:
            self.out.append(shield)
            events.append(Event("chat.strike", rule, player, struck))
        if not self._shields_left(target) and self.game.rules.win_check == "immediate":
            self._win(player, events)
        elif not self.strikes:
            self._end_turn(events)

    # Carrying out: the end of a turn.

    def _end_turn(self, events: list[Event]) -> None:
        first, second = self.players
        used = first.base + first.extra + first.block + second.base + second.extra + second.block
        if JOKER in first.extra or JOKER in second.extra:
            events.append(_SKIP)
        for seat in self.players:
            seat.base = []
            seat.extra = []
            seat.block = []
        self.out += used
        events.append(Event("chat.used", "C18", None, {"cards": tuple(used)}))
        self.declared = (None, None)
        if first.stock and second.stock:
            self.phase = "refill"
            self.to_move = (0, 1)
        elif first.stock or second.stock:
            loser = 0 if second.stock else 1
            events.append(Event("chat.stock_out", "C20", loser, {"target": 1 - loser}))
            self._finish(_win(1 - loser))
        else:
            self._both_stocks_out(events)

    def _both_stocks_out(self, events: list[Event]) -> None:
        result = self._both_out()
        if result == (0.0, 0.0):
            events.append(Event("chat.stock_out_draw", "C20"))
        else:
            left, right = self.scores()
            counts = {"left": left, "right": right}
            winner = 0 if left > right else 1
            events.append(Event("chat.stock_out_shields", "C20", winner, counts))
        self._finish(result)

    def _both_out(self) -> tuple[float, float]:
        """The result when neither can draw: a draw, or the one with more shields wins (C20)."""
        left, right = self.scores()
        if left == right or self.game.rules.stockout_both == "draw":
            return (0.0, 0.0)
        return _win(0 if left > right else 1)

    def _draw(self, chosen: Sequence[Any], events: list[Event]) -> None:
        for player, n in enumerate(chosen):
            events.append(_REFILLED[player][n])
            if n:
                seat = self.players[player]
                drawn = tuple(seat.stock[: -n - 1 : -1])
                del seat.stock[-n:]
                seat.hand += drawn
                events.append(Event("chat.drawn", "C19", player, {"cards": drawn}, player))
        if self.game.rules.win_check == "step11":
            for player in (0, 1):
                if not self._shields_left(1 - player):
                    self._win(player, events)
                    return
        self.attacker = 1 - self.attacker
        self.turn += 1
        events.append(_SWAP[self.attacker])
        self._begin_turn(events)

    def _win(self, player: int, events: list[Event]) -> None:
        events.append(Event("chat.win", "C20", player, {"target": 1 - player}))
        self._finish(_win(player))

    # Looking.

    def _shields_left(self, player: int) -> int:
        return SHIELDS - self.players[player].shields.count(None)

    def scores(self) -> list[int]:
        """The number of shields that each seat has left."""
        return [len(seat.shields) - seat.shields.count(None) for seat in self.players]

    def _sees(self, viewer: int, owner: int | None, zone: str) -> bool:
        return zone in ("base", "extra", "block") or (zone == "hand" and viewer == owner)

    def _seen(self, viewer: int, owner: int | None, seat: Seat) -> Zones:
        zones = super()._seen(viewer, owner, seat)
        if not self.known or owner is None:
            return zones
        hand = zip(seat.zones()["hand"], zones["hand"], strict=True)
        shown = tuple([card if card in self.known else face for card, face in hand])
        return {**zones, "hand": shown}

    def _owed(self) -> tuple[int, ...]:
        phase = self.phase
        if phase == END:
            return ()
        if phase == "call":
            return (self.caller,)
        if phase in self.TOGETHER:
            asked: tuple[int, ...] = (0, 1)
            if phase == "declare":
                asked = self._asked_for_more()
            elif phase == "further":
                asked = self._adding()
            return tuple([player for player in asked if self.pending[player] is None])
        if phase == "cancel":
            return (self._spade_owner(),)
        if phase == "strike":
            return (self._striker(),)
        joker = self._joker_seat()
        return () if joker is None else (1 - joker,)

    # Judging a position.

    def _check(self) -> None:
        self._check_fields()
        self._check_cards()
        for player, seat in enumerate(self.players):
            self._check_table(player, seat)
        if not self._fits_phase():
            raise PositionError("chat.position.phase_cards", phase=self.phase)
        results = self._results() if self.phase == END else [None]
        if self.result not in results:
            raise PositionError("chat.position.result", phase=self.phase)
        for player, chosen in enumerate(self.pending):
            if chosen is not None:
                together = self.phase in self.TOGETHER and player not in self._owed()
                if not together or not self._owed() or self._refusal(chosen, player) is not None:
                    raise PositionError("core.position.pending", value=str(chosen))

    def _check_fields(self) -> None:
        """The public fields have values of the right kind."""
        words = (None, "more", "enough", "block", "let")
        in_call = self.phase == "call"
        declared: Any = self.declared
        known: Any = self.known
        for name, right in (
            ("caller", _is_seat(self.caller)),
            ("attacker", self.attacker is None if in_call else _is_seat(self.attacker)),
            (
                "declared",
                isinstance(declared, tuple)
                and len(declared) == 2
                and all(word in words for word in declared),
            ),
            ("strikes", type(self.strikes) is int and 0 <= self.strikes <= 2),
            (
                "known",
                isinstance(known, tuple)
                and all(any(card in seat.hand for seat in self.players) for card in known),
            ),
        ):
            if not right:
                value = str(getattr(self, name))
                raise PositionError("chat.position.field", field=name, value=value)

    def _check_cards(self) -> None:
        """Each of the 53 cards is in one place, once."""
        places = [(place, zone) for place in (*self.players, self.table) for zone in _zones(place)]
        for place, zone in places:
            if zone != "shields" and None in getattr(place, zone):
                raise PositionError("chat.position.empty_place", zone=zone)
        held = [card for place, zone in places for card in getattr(place, zone) if card is not None]
        held += self.out
        for card in held:
            if held.count(card) > 1:
                raise PositionError("core.position.twice", card=card)
        missing = [card for card in (*PACK, JOKER) if card not in held]
        if missing and not self.out and self.phase != "call":
            # A position set up by hand need not list the cards that are gone.
            self.out = missing
        elif missing:
            raise PositionError("core.position.missing", cards=tuple(missing))

    def _check_table(self, player: int, seat: CHATSeat) -> None:
        """The cards before a seat could have been laid there."""
        wanted = 0 if self.phase == "call" else SHIELDS
        if len(seat.shields) != wanted:
            found = len(seat.shields)
            raise PositionError("chat.position.shields", seat=player, found=found, wanted=wanted)
        reading = self.game.rules.only_joker_hand
        joker_base = reading == "joker_base_zero" and self._had_one_card(seat)
        table = seat.base + seat.extra + seat.block
        if (
            len(seat.base) > 1
            or (JOKER in seat.base and not joker_base)
            or JOKER in seat.block
            or len({card.rank for card in seat.extra}) > 1
            or len({card.rank for card in seat.block}) > 1
            or (table and self.phase in ("call", "base", "refill"))
            or (seat.extra and self.phase == "extra")
            or (len(seat.extra) > 1 and self.phase in ("declare", "further", "respond", "block"))
        ):
            raise PositionError("chat.position.table", seat=player, phase=self.phase)

    def _fits_phase(self) -> bool:
        """Whether the game can be in its phase with these cards and declarations."""
        phase = self.phase
        seats = self.players
        if phase == END:
            return True
        if (phase == "call") != bool(self.table.left_over):
            return False
        if phase == "call":
            return all(len(seat.stock) == DEALT for seat in seats) and not self.out
        if (phase == "strike") != (self.strikes > 0):
            return False
        over = self.game.rules.win_check == "immediate" or phase not in ("refill", "strike")
        if over and not all(self.scores()):
            return False
        if phase in ("base", "extra", "refill") and self.declared != (None, None):
            return False
        joker = self._joker_seat()
        if phase in ("respond", "block"):
            word = None if phase == "respond" else "block"
            if joker is None or self.declared[1 - joker] != word:
                return False
        elif joker is not None and phase != "strike":
            return False
        if phase == "base":
            lost = self.game.rules.only_joker_hand == "lose"
            return all(seat.hand and not (lost and seat.hand == [JOKER]) for seat in seats)
        if phase == "refill":
            return all(seat.stock for seat in seats)
        if not all(seat.base or self._has_no_base(seat) for seat in seats):
            return False
        if phase == "cancel":
            return len(self._cancels()) > 1
        owed = self._owed()
        if phase == "strike":
            return self._shields_left(1 - owed[0]) >= self.strikes
        return bool(owed) and all(self._legal(player) for player in owed)

    def _results(self) -> list[tuple[float, float] | None]:
        """The results that a game may have had that ended in this position."""
        rules, seats, left = self.game.rules, self.players, self.scores()
        results: list[tuple[float, float] | None] = []
        for player, seat in enumerate(seats):
            if not left[player] or (rules.only_joker_hand == "lose" and seat.hand == [JOKER]):
                results.append(_win(1 - player))
        if all(left) or rules.win_check == "step11":
            stocks = [len(seat.stock) for seat in seats]
            if any(stocks) and not all(stocks):
                results.append(_win(0 if stocks[0] else 1))
            elif not any(stocks):
                results.append(self._both_out())
        return results

    def _has_no_base(self, seat: CHATSeat) -> bool:
        """Whether a seat could have been without a base this turn (C7)."""
        joker = JOKER in seat.hand + seat.extra + self.out
        return joker and self.game.rules.only_joker_hand == "no_base" and self._had_one_card(seat)

    def _had_one_card(self, seat: CHATSeat) -> bool:
        """Whether a seat could have begun the turn with the joker alone.

        What it holds now is that joker, or shields that have come to the hand since.
        """
        shown = all(card in self.known for card in seat.hand)
        return shown and seat.extra in ([], [JOKER]) and not seat.block


def _win(winner: int) -> tuple[float, float]:
    return (1.0, -1.0) if winner == 0 else (-1.0, 1.0)


def _is_seat(value: Any) -> bool:
    return type(value) is int and value in (0, 1)


def _zones(place: Seat) -> Iterable[str]:
    return place.__slots__


def _not_in_hand(card: Any, seat: CHATSeat, rule: str) -> CardlabError:
    named = card if isinstance(card, Card) else str(card)
    return IllegalActionError("chat.error.not_in_hand", rule, card=named, cards=tuple(seat.hand))


def _has_mate(seat: CHATSeat) -> bool:
    """Whether a seat holds a further card with the number of its additional card."""
    return seat.extra[0].rank in [card.rank for card in seat.hand]


def _mates_in_hand(seat: CHATSeat) -> list[Card]:
    """The cards in hand with the number of the additional card, in the order of the pack."""
    rank = seat.extra[0].rank
    return sorted([card for card in seat.hand if card.rank == rank], key=ORDER)


def _is_subset(arg: Any, mates: Sequence[Card]) -> bool:
    return (
        isinstance(arg, tuple)
        and len(arg) > 0
        and len(set(arg)) == len(arg)
        and all(card in mates for card in arg)
    )


def _is_same(arg: Any, triple: tuple[Card, ...]) -> bool:
    return isinstance(arg, tuple) and len(arg) == 3 and set(arg) == set(triple)


COLOURS = ("red", "black")

KINDS = {
    "call": "call",
    "base": "base",
    "extra": "extra",
    "declare": "declare",
    "respond": "declare",
    "block": "block",
    "further": "further",
    "cancel": "cancel",
    "strike": "strike",
    "refill": "refill",
}
"""What kind of action each phase asks for."""

# Events that recur are made once; nobody changes an event. Those of a card have its index.
_BASE_SHOWN = [
    [
        *[Event("chat.base_shown", "C7", seat, {"card": card}) for card in PACK],
        Event("chat.joker_base", "C7", seat),
    ]
    for seat in (0, 1)
]
_EXTRA_SHOWN = [
    [
        *[Event("chat.extra_shown", "C9", seat, {"card": card}) for card in PACK],
        Event("chat.joker", "C9", seat),
    ]
    for seat in (0, 1)
]
_SKIP = Event("chat.skip", "C14")
_NO_EXTRA = [Event("chat.no_extra", "C9", seat) for seat in (0, 1)]
_BATTLE = [Event("chat.battle", "C16", seat, {"target": 1 - seat}) for seat in (0, 1)]
_SWAP = [Event("chat.swap", "C20", seat, {"target": 1 - seat}) for seat in (0, 1)]
_REFILLED = [
    [Event("chat.refilled", "C19", seat, {"n": n}) for n in range(MOST + 1)] for seat in (0, 1)
]
_DECLARED = [
    {word: Event("chat.declared", "C10", seat, {"choice": word}) for word in ("more", "enough")}
    for seat in (0, 1)
]

_RULE_OF_PHASE = {
    "call": "C2",
    "base": "C7",
    "extra": "C9",
    "declare": "C10",
    "respond": "C11",
    "block": "C12",
    "further": "C15",
    "cancel": "C16b",
    "strike": "C17",
    "refill": "C19",
}


# -------------------------------------------------------------------------------------------- game


class CHAT(Game):
    """The game CHAT; see :class:`CHATRules` for its options."""

    name = "chat"
    rules_class = CHATRules
    state_class = CHATState
    seat_class = CHATSeat
    table_class = CHATTable
    phases = (
        "base",
        "call",
        "extra",
        "declare",
        "respond",
        "block",
        "further",
        "cancel",
        "strike",
        "refill",
    )

    rules: CHATRules
    num_players = 2
    # At the end of each turn at least one base leaves the game.
    max_turns = len(PACK)

    def __init__(self, rules: CHATRules) -> None:
        super().__init__(rules)
        by_kind: dict[str, dict[Any, Action]] = {kind: {} for kind in KINDS.values()}
        for action in self.actions:
            by_kind[action.kind][action.arg] = action
        zero = rules.only_joker_hand == "joker_base_zero"
        self.call: Mapping[str, Action] = by_kind["call"]
        # Cards that are offered again and again are found by their index.
        self.base: Sequence[Action] = [by_kind["base"][card] for card in PACK]
        self.lone_joker: Action = by_kind["base"][JOKER if zero else NONE]
        self.extra: Sequence[Action] = [by_kind["extra"][card] for card in (*PACK, JOKER)]
        self.no_extra: Action = by_kind["extra"][NONE]
        self.declare: Mapping[str, Action] = by_kind["declare"]
        self.block: Mapping[tuple[Card, ...], Action] = by_kind["block"]
        self.further: Mapping[tuple[Card, ...], Action] = by_kind["further"]
        self.cancel: Mapping[Card | str, Action] = by_kind["cancel"]
        self.strike: Sequence[Action] = [*by_kind["strike"].values()]
        self.refill: list[Action] = [*by_kind["refill"].values()]

    def _actions(self) -> Iterable[Action]:
        """The same under all options, so that what no option allows is refused with a reason."""
        yield from (Action("call", colour) for colour in COLOURS)
        for kind in ("base", "extra"):
            yield from (Action(kind, card) for card in (*PACK, JOKER))
            yield Action(kind, NONE)
        yield from (Action("declare", word) for word in ("more", "enough", "block", "let"))
        yield from (Action("block", triple) for triple in triples(PACK))
        for rank in range(0, 52, 4):
            mates = PACK[rank : rank + 4]
            yield from (Action("further", subset) for subset in subsets(mates) if len(subset) < 4)
        yield from (Action("cancel", card) for card in PACK if card.suit is not Suit.SPADES)
        yield Action("cancel", NONE)
        yield from (Action("strike", slot) for slot in range(SHIELDS))
        yield from (Action("refill", n) for n in range(MOST + 1))

    def resample(self, observation: Observation, rng: random.Random) -> CHATState:
        """A full state, drawn uniformly from those that the observation allows.

        What the observer cannot know is where the cards lie that it has not seen, and what the
        other seat has secretly chosen. What is certain stays certain: a card that everybody knows,
        a card that the other seat has declared and has to put, the three cards of a declared block.
        """
        seed = rng.getrandbits(63)
        return self._about(observation, self._hidden).draw(rng, seed)

    def _hidden(self, observation: Observation) -> Hidden:
        state = CHATState(self, 0)
        state._recall(observation)
        for place, zones in zip(
            (*state.players, state.table), (*observation.players, observation.table), strict=True
        ):
            for zone, content in zones.items():
                setattr(place, zone, list(content))
        state.pending[observation.player] = observation.pending
        return Hidden(state, observation.player)
