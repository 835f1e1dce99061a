"""Steps 7 and 8 of CHAT, where the cards of both sides become two totals (C16, C17).

A side's additional cards have one number and so different suits. What is left on both sides after
the shared suits are lined up has no suit in common, which is why the few cases of C16 are all there
are: at most one side has a left-over spade, and without it one card meets one, or two meet one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import NamedTuple

from cardlab import cards
from cardlab.cards import ORDER, Card, Suit
from cardlab.engine import Event
from cardlab.errors import CardlabError, IllegalActionError, RulesError

NONE = "none"
"""The word for a card that is not named: no base, no additional card, nothing cancelled."""

SPADE_TARGETS = ("leftover", "any")

SPADES = Suit.SPADES

BEATS = (
    (Suit.HEARTS, Suit.CLUBS),
    (Suit.CLUBS, Suit.DIAMONDS),
    (Suit.DIAMONDS, Suit.HEARTS),
)
"""The suits that beat each other, winner first (C16c); the spade is in no such contest."""


class Resolution(NamedTuple):
    """The verdict on one turn without a joker.

    Attributes
    ----------
    attack, defence
        The totals (C16g).
    attack_line, defence_line
        The additional cards that count, in the order in which they were given.
    removed
        The additional cards that leave the game, in the order in which they go.
    events
        Each step in order, with its rule.
    """

    attack: int
    defence: int
    attack_line: tuple[Card, ...]
    defence_line: tuple[Card, ...]
    removed: tuple[Card, ...]
    events: tuple[Event, ...]

    @property
    def success(self) -> bool:
        """Whether the attack succeeds (C17)."""
        return self.attack > self.defence


def cancel_options(
    attack_extra: str | Iterable[Card | str],
    defence_extra: str | Iterable[Card | str],
    spade_target: str = "leftover",
) -> tuple[Card, ...]:
    """The additional cards that a left-over spade may cancel (C16b); there are none without one.

    ``spade_target`` is the option of that name: only cards that are left over after C16a, or
    ``"any"`` card of the other side. Raises :class:`IllegalActionError` for cards that cannot be
    additional cards.

    >>> cancel_options("6s 6h", "9c 9d")
    (Card('9c'), Card('9d'))
    >>> cancel_options("6s 6c", "9c"), cancel_options("6s 6c", "9c", spade_target="any")
    ((), (Card('9c'),))
    """
    attack, defence = _extras(attack_extra), _extras(defence_extra)
    _check([*attack, *defence], spade_target)
    return spade_options(attack, defence, spade_target)


def resolve(
    attack_base: Card | str | None,
    attack_extra: str | Iterable[Card | str],
    defence_base: Card | str | None,
    defence_extra: str | Iterable[Card | str],
    cancel: Card | str | None = None,
    spade_target: str = "leftover",
    *,
    spade_optional: bool = False,
    attacker: int = 0,
) -> Resolution:
    """Steps 7 and 8: line up, cancel, compare, add (C16, C17).

    Parameters
    ----------
    attack_base, defence_base
        The bases; ``None`` counts 0.
    attack_extra, defence_extra
        The additional cards of each side, all of one number: a line of text or any iterable.
    cancel
        What the left-over spade cancels. Needed where its owner has a choice; ``"none"`` declines,
        if ``spade_optional`` allows it.
    spade_target, spade_optional
        The options of those names.
    attacker
        The attacking seat, for the sentences of the events.

    Raises :class:`IllegalActionError` for cards that cannot lie like this, and when ``cancel`` is
    missing or not among the choices, which it names.

    >>> verdict = resolve("5d", "6s 6h", "4s", "9c 9d", cancel="9d")
    >>> verdict.attack, verdict.defence, verdict.success, verdict.attack_line
    (11, 4, True, (Card('6h'),))
    """
    bases = [base if base is None else cards.card(base) for base in (attack_base, defence_base)]
    attack, defence = _extras(attack_extra), _extras(defence_extra)
    _check([*attack, *defence, *[base for base in bases if base is not None]], spade_target)
    if attacker not in (0, 1):
        raise RulesError("core.error.seat", value=repr(attacker), n=2)
    options = spade_options(attack, defence, spade_target)
    target = _chosen(options, cancel, spade_optional)
    values = [0 if base is None else base.rank for base in bases]
    events: list[Event] = []
    attack_total, defence_total, attack_line, defence_line, removed = judge(
        values[0], attack, values[1], defence, target, attacker, events
    )
    return Resolution(
        attack_total,
        defence_total,
        tuple(attack_line),
        tuple(defence_line),
        tuple(removed),
        tuple(events),
    )


def _extras(given: str | Iterable[Card | str]) -> tuple[Card, ...]:
    extras = cards.parse(given)
    if len({card.rank for card in extras}) > 1:
        raise IllegalActionError("chat.error.one_number", "C10", cards=extras)
    return extras


def _check(used: Sequence[Card], spade_target: str) -> None:
    places = [card.index for card in used]
    if len(set(places)) < len(places):
        twice = next(card for card in used if used.count(card) > 1)
        raise IllegalActionError("core.position.twice", "C1", card=twice)
    for card in used:
        if card.suit is None:
            raise IllegalActionError("chat.error.no_joker", "C15", card=card)
    if spade_target not in SPADE_TARGETS:
        raise RulesError(
            "core.error.option_choice",
            option="spade_target",
            value=repr(spade_target),
            allowed=[repr(target) for target in SPADE_TARGETS],
        )


def _chosen(
    options: tuple[Card, ...], cancel: Card | str | None, spade_optional: bool
) -> Card | None:
    """The card that is cancelled, once it is clear that it may be."""
    declined = isinstance(cancel, str) and cancel.strip().lower() == NONE
    if cancel is None and (not options or (len(options) == 1 and not spade_optional)):
        return options[0] if options else None
    if declined and (spade_optional or not options):
        return None
    card = NONE if declined else None if cancel is None else cards.card(cancel)
    if isinstance(card, Card) and card in options:
        return card
    raise refused_cancel(card, options, spade_optional)


def refused_cancel(
    cancel: Card | str | None, options: tuple[Card, ...], spade_optional: bool
) -> CardlabError:
    """Why a spade cannot cancel that; ``None`` stands for a choice that was not made."""
    if not options:
        return IllegalActionError("chat.error.no_cancel", "C16b", choice=cancel)
    choices = (*options, NONE) if spade_optional else options
    if cancel is None:
        return IllegalActionError("chat.error.cancel_needed", "C16b", cards=choices)
    return IllegalActionError("chat.error.cancel", "C16b", choice=cancel, cards=choices)


# ------------------------------------------------------------------------ cards of one number


def subsets(mates: Sequence[Card]) -> list[tuple[Card, ...]]:
    """Every choice of one or more of the cards."""
    return [subset for n in range(1, len(mates) + 1) for subset in combinations(mates, n)]


def triples(usable: Iterable[Card]) -> list[tuple[Card, ...]]:
    """Every three cards of one number, in the order of the pack."""
    ranks: dict[int, list[Card]] = {}
    for card in sorted(usable, key=ORDER):
        ranks.setdefault(card.rank, []).append(card)
    return [triple for mates in ranks.values() for triple in combinations(mates, 3)]


# ---------------------------------------------------------------- for the game, without any checks


def spade_options(
    attack: Sequence[Card], defence: Sequence[Card], spade_target: str
) -> tuple[Card, ...]:
    """:func:`cancel_options` for cards that are known to be additional cards."""
    attack_suits = [card.suit for card in attack]
    defence_suits = [card.suit for card in defence]
    if (SPADES in attack_suits) == (SPADES in defence_suits):
        return ()
    suits, other = (attack_suits, defence) if SPADES in attack_suits else (defence_suits, attack)
    if spade_target == "any":
        return tuple(other)
    return tuple([card for card in other if card.suit not in suits])


def has_spade(extras: Sequence[Card]) -> bool:
    """Whether a spade is among the cards."""
    return SPADES in [card.suit for card in extras]


def judge(
    attack_value: int,
    attack: Sequence[Card],
    defence_value: int,
    defence: Sequence[Card],
    cancel: Card | None,
    attacker: int,
    events: list[Event],
) -> tuple[int, int, Sequence[Card], Sequence[Card], list[Card]]:
    """:func:`resolve` for cards and a choice that are known to be legal; it adds to ``events``."""
    removed: list[Card] = []
    if attack and defence:
        _meet(attack, defence, cancel, attacker, removed, events)
        if removed:
            attack = [card for card in attack if card not in removed]
            defence = [card for card in defence if card not in removed]
    elif attack:
        events.append(Event("chat.unopposed", "C16f", attacker, {"cards": tuple(attack)}))
    elif defence:
        events.append(Event("chat.unopposed", "C16f", 1 - attacker, {"cards": tuple(defence)}))
    attack_total = attack_value + sum([card.rank for card in attack])
    defence_total = defence_value + sum([card.rank for card in defence])
    totals = {"attack": attack_total, "defence": defence_total}
    events.append(Event("chat.totals", "C16g", None, totals))
    if attack_total > defence_total:
        events.append(Event("chat.attack_succeeds", "C17", attacker, totals))
    else:
        events.append(Event("chat.defended", "C17", 1 - attacker, totals))
    return attack_total, defence_total, attack, defence, removed


def _meet(
    attack: Sequence[Card],
    defence: Sequence[Card],
    cancel: Card | None,
    attacker: int,
    removed: list[Card],
    events: list[Event],
) -> None:
    """Additional cards of both sides meet: what does not count is ``removed`` (C16a to C16f)."""
    attack_suits = [card.suit for card in attack]
    defence_suits = [card.suit for card in defence]
    shared = [card for card in attack if card.suit in defence_suits]
    if shared:
        shared += [card for card in defence if card.suit in attack_suits]
        events.append(Event("chat.shared", "C16a", None, {"cards": tuple(shared)}))
    rests = (
        [card for card in attack if card.suit not in defence_suits],
        [card for card in defence if card.suit not in attack_suits],
    )
    if SPADES in attack_suits or SPADES in defence_suits:
        _use_spade(rests, cancel, attacker, removed, events)
    if rests[0] and rests[1]:
        _compare(rests, attacker, removed, events)
    else:
        for player, rest in ((attacker, rests[0]), (1 - attacker, rests[1])):
            if rest:
                events.append(Event("chat.unopposed", "C16f", player, {"cards": tuple(rest)}))


def _use_spade(
    rests: tuple[list[Card], list[Card]],
    cancel: Card | None,
    attacker: int,
    removed: list[Card],
    events: list[Event],
) -> None:
    """A left-over spade cancels a card and goes with it, or takes no part in the contest (C16b)."""
    for side, rest in enumerate(rests):
        for spade in rest:
            if spade.suit is not SPADES:
                continue
            player, other = attacker ^ side, rests[1 - side]
            if cancel is not None:
                rest.remove(spade)
                if cancel in other:
                    other.remove(cancel)
                removed += (spade, cancel)
                used = {"card": spade, "cancelled": cancel}
                events.append(Event("chat.cancel", "C16b", player, used))
            elif other:
                rest.remove(spade)
                events.append(Event("chat.spade_unused", "C16b", player, {"card": spade}))
            return


def _compare(
    rests: tuple[list[Card], list[Card]],
    attacker: int,
    removed: list[Card],
    events: list[Event],
) -> None:
    """One card against one, or two against one: a single card survives (C16c to C16e)."""
    winner, loser, side = next(
        (a, b, side)
        for side in (0, 1)
        for a in rests[side]
        for b in rests[1 - side]
        if (a.suit, b.suit) in BEATS and len(rests[side]) >= len(rests[1 - side])
    )
    lost = tuple([card for rest in rests for card in rest if card is not winner])
    removed += lost
    events.append(Event("chat.beats", "C16c", None, {"winner": winner, "loser": loser}))
    outcome = {"card": winner, "cards": lost}
    if len(lost) == 1:
        events.append(Event("chat.one_one", "C16d", attacker ^ side, outcome))
    else:
        events.append(Event("chat.two_one", "C16e", attacker ^ side, outcome))
