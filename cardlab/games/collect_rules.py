"""The options of the drafts, the drafts as presets, and how points are counted."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from cardlab.cards import Card
from cardlab.engine import Rules, choice, flag, number, numbers
from cardlab.errors import RulesError
from cardlab.games import collect_cards
from cardlab.games.collect_cards import MEDALLIONS

PRESETS: dict[str, dict[str, Any]] = {}
"""The drafts by name: for each the options that differ from the defaults."""

for _row in collect_cards.table("presets_collect"):
    PRESETS.setdefault(_row["preset"], {})[_row["option"]] = json.loads(_row["value"])


# ---------------------------------------------------------------------------------- pure decisions


def score(
    laid: Iterable[Card | str], hand: Iterable[Card | str], sets: str = "laid", min_set: int = 3
) -> int:
    """The points for cards on the table and in the hand (S15).

    Cards on the table count their number. In the hand they count it as a minus, unless ``sets`` is
    ``"held"``, where numbers held at least ``min_set`` times are a plus, or ``"none"``, where all
    are.

    >>> score(["2", "2", "2"], ["9", "4"]), score([], ["7", "7", "7", "5"], sets="held")
    (-7, 16)
    """
    held = [collect_cards.parse(card).rank for card in hand]
    plus = sum(collect_cards.parse(card).rank for card in laid)
    if sets == "none":
        return plus + sum(held)
    if sets == "held":
        return plus + sum(rank if held.count(rank) >= min_set else -rank for rank in held)
    return plus - sum(held)


# ------------------------------------------------------------------------------------------- rules


@dataclass(frozen=True, kw_only=True)
class CollectRules(Rules):
    """The options of the drafts; the defaults are those of the draft ``d6``.

    Attributes
    ----------
    n_players
        Number of players (S1).
    counts, suits, items
        Copies of each number from 1 up, in each suit; the number of suits; whether seven item cards
        are shuffled in (S2).
    removed
        How many cards are removed unseen; ``None`` for as many as make the pile last exactly for
        the rounds (S3).
    start_hand
        Cards that each player draws before the first turn (S4).
    rounds, end_card
        Turns of each player; 0 to play until ``end_card`` cards are left in the pile (S14).
    release_target, may_refuse
        Who may be given the drawn card (S7), and what the receiver may do about it (S8).
    sets, set_by, min_set
        Whether sets are laid, or held to the end, or there are none; what a set has in common; and
        its least size (S9, S10).
    hand_limit, over_limit_blocks_receive
        The largest hand that stays hidden, 0 for no limit (S12), and whether a larger one may be
        given cards (S7).
    discard_open
        Whether discarded cards lie face up (S8).
    """

    n_players: int = number(4, 2, 6)
    counts: tuple[int, ...] = numbers((8, 8, 8, 6, 6, 6, 6, 4, 4, 4), 0, 20, length=(1, 20))
    suits: int = number(1, 1, 5)
    items: bool = flag(False)
    removed: int | None = number(None, 0, 200)
    start_hand: int = number(2, 0, 10)
    rounds: int = number(10, 0, 50)
    end_card: int = number(0, 0, 100)
    release_target: str = choice("any", "left", "nobody")
    may_refuse: str = choice("discard", "no", "return")
    sets: str = choice("laid", "held", "none")
    set_by: str = choice("number", "number_or_suit")
    min_set: int = number(3, 2, 6)
    hand_limit: int = number(6, 0, 30)
    over_limit_blocks_receive: bool = flag(False)
    discard_open: bool = flag(True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.set_by == "number_or_suit" and self.suits == 1:
            raise RulesError("collect.error.one_suit")
        if self.rounds and self.end_card:
            raise RulesError("collect.error.end_card")
        if 0 < self.hand_limit < self.start_hand:
            raise RulesError(
                "collect.error.start_hand", hand=self.start_hand, limit=self.hand_limit
            )
        if self.n_cards < self.n_needed:
            raise RulesError("collect.error.few_cards", have=self.n_cards, needed=self.n_needed)

    @property
    def n_cards(self) -> int:
        """The size of the deck."""
        return sum(self.counts) * self.suits + len(MEDALLIONS) * self.items

    @property
    def n_needed(self) -> int:
        """The cards that the deck needs at least."""
        dealt = self.n_players * self.start_hand + (self.removed or 0) + self.end_card
        return dealt + (self.n_players * self.rounds or 1)

    @property
    def n_removed(self) -> int:
        """How many cards are removed unseen."""
        if self.removed is not None:
            return self.removed
        return self.n_cards - self.n_needed if self.rounds else 0

    @property
    def n_turns(self) -> int:
        """The turns of all players together."""
        if self.rounds:
            return self.n_players * self.rounds
        return self.n_cards - self.n_needed + 1
