"""Bots for High-Low: one that looks one card ahead, and one that plays for the most points.

What a further card adds depends on the last card (H7), but what may come after it depends only on
the cards that are still unseen. So exact values need one number for each set of unseen cards, not
one for each order, and whole numbers do: chances are counted as numbers of ways to draw on.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import lru_cache
from itertools import count
from math import perm
from operator import mul
from typing import NamedTuple

from cardlab.cards import UNKNOWN
from cardlab.engine import Action, Observation
from cardlab.games.highlow import EQUAL, HighLowRules, score

__all__ = ["Myopic", "Optimal", "Prospects", "next_card", "prospects"]

Counts = tuple[int, ...]
"""How many unseen cards there are of each number, from 1 up."""


class Prospects(NamedTuple):
    """What may come, in points, times the number of ways to draw on.

    Attributes
    ----------
    draw, hold
        The sum of the points still to come, over all ways to draw the cards that are left: if the
        next card is drawn and all is done for the best, and if not.
    ways
        The number of ways.
    """

    draw: int
    hold: int
    ways: int


def prospects(
    unseen: Counts,
    last: int,
    draws: int,
    equal: int = 0,
    pass_penalty: int = 0,
    bonus: int = 0,
    replacement: bool = False,
) -> Prospects:
    """The exact prospects of a hand whose last card is ``last`` (H6 to H11).

    Parameters
    ----------
    unseen
        How many cards there are to draw of each number from 1 up.
    last
        The number of the last card.
    draws
        How many draws are left, at least 1.
    equal
        What a card counts that is as high as the one before: 0, 1 or -1.
    pass_penalty
        What each draw costs that is not taken.
    bonus
        Points for whoever holds, which the last draw forfeits (a safety card, H10).
    replacement
        Whether a drawn card goes back.

    >>> prospects((1, 1, 0, 1), last=3, draws=1)
    Prospects(draw=1, hold=0, ways=3)
    """
    how = equal, pass_penalty, bonus, replacement
    ways = _ways(sum(unseen), draws, replacement)
    rest = _ways(sum(unseen) - (not replacement), draws - 1, replacement)
    draw = next_card(unseen, last, equal) * rest + _later(unseen, draws, *how)
    return Prospects(draw, (bonus - draws * pass_penalty) * ways, ways)


def next_card(unseen: Counts, last: int, equal: int = 0) -> int:
    """The sum of what each unseen card would add to a hand whose last card is ``last``."""
    above: int = sum(map(mul, unseen[last:], count(last + 1)))
    below: int = sum(map(mul, unseen, range(1, last)))
    return above - below + equal * last * unseen[last - 1]


def _ways(cards: int, draws: int, replacement: bool) -> int:
    """The number of ways to draw so many cards in a row."""
    return int(cards**draws) if replacement else perm(cards, draws)


@lru_cache(maxsize=1 << 19)
def _later(
    unseen: Counts, draws: int, equal: int, pass_penalty: int, bonus: int, replacement: bool
) -> int:
    """What comes after the next card, summed over all ways, whatever the last card was."""
    if draws == 1:
        return 0
    how = equal, pass_penalty, bonus, replacement
    left = sum(unseen) - (not replacement)
    rest = _ways(left - (not replacement), draws - 2, replacement)
    hold = (bonus - (draws - 1) * pass_penalty) * _ways(left, draws - 1, replacement)
    total = 0
    # What the cards above and below ``rank`` would add and subtract.
    above, below = sum(rank * copies for rank, copies in enumerate(unseen, start=1)), 0
    for rank, copies in enumerate(unseen, start=1):
        if not copies:
            continue
        above -= rank * copies
        same = copies if replacement else copies - 1
        after = unseen if replacement else (*unseen[: rank - 1], same, *unseen[rank:])
        draw = (above - below + equal * rank * same) * rest + _later(after, draws - 1, *how)
        total += copies * max(draw, hold)
        below += rank * copies
    return total


# -------------------------------------------------------------------------------------------- bots


class Myopic:
    """Draws as long as the next card alone adds more than it costs, on average over the unseen."""

    name = "myopic"

    def choose(
        self, observation: Observation, legal_actions: Sequence[Action], rng: random.Random
    ) -> Action:
        """Draw or hold; of several safety cards the best."""
        rules: HighLowRules = observation.rules  # type: ignore[assignment]
        action, bonus = _best_hold(observation, legal_actions)
        unseen, hand = _unseen(observation), observation.hand
        draws = rules.max_cards - len(hand)
        # With the last draw the safety card is lost, with any draw one penalty less is paid.
        cost = (bonus if draws == 1 else 0) - rules.pass_penalty
        gain = next_card(unseen, hand[-1].rank, EQUAL[rules.equal])
        return _decide(gain > cost * sum(unseen), action, legal_actions)


class Optimal:
    """Plays for the largest expected number of points, by exact reckoning.

    It counts every card that it has seen: its own, and hands that lie open if all draw from one
    pile. Where there are safety cards (H10) it values the one it could take now, and not what a
    later minus might make of another; without them its choice is the best there is. It does not ask
    how many points the others have.
    """

    name = "optimal"

    def choose(
        self, observation: Observation, legal_actions: Sequence[Action], rng: random.Random
    ) -> Action:
        """Draw or hold; of several safety cards the best."""
        rules: HighLowRules = observation.rules  # type: ignore[assignment]
        action, bonus = _best_hold(observation, legal_actions)
        hand = observation.hand
        draws = rules.max_cards - len(hand)
        what = prospects(
            _unseen(observation),
            hand[-1].rank,
            draws,
            EQUAL[rules.equal],
            rules.pass_penalty,
            bonus,
        )
        return _decide(what.draw > what.hold, action, legal_actions)


def _unseen(observation: Observation) -> Counts:
    """How many cards there may be in the pile of each number."""
    rules: HighLowRules = observation.rules  # type: ignore[assignment]
    counts = [rules.copies * rules.suits] * rules.highest
    hands = [zones["hand"] for zones in observation.players]
    if rules.decks == "separate":
        hands = [hands[observation.player]]
    for hand in hands:
        for card in hand:
            if card is not None and card is not UNKNOWN:
                counts[card.rank - 1] -= 1
    return tuple(counts)


def _best_hold(
    observation: Observation, legal_actions: Sequence[Action]
) -> tuple[Action | None, int]:
    """The best way to hold, and what its safety card adds; ``None`` if holding is not offered."""
    rules: HighLowRules = observation.rules  # type: ignore[assignment]

    def points(action: Action) -> int:
        suit = None if action.arg is None else str(action.arg)
        return score(observation.hand, rules.equal, safety=rules.safety, suit=suit)

    holds = [action for action in legal_actions if action.kind == "hold"]
    if not holds:
        return None, 0
    best = max(holds, key=points)
    return best, points(best) - score(observation.hand, rules.equal)


def _decide(draws: bool, hold: Action | None, legal_actions: Sequence[Action]) -> Action:
    offered = [action for action in legal_actions if action.kind == "draw"]
    return offered[0] if offered and (draws or hold is None) else hold or legal_actions[0]
