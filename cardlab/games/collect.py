"""The drafts of Alicematic: collect sets of cards that cost points in the hand (S1 to S16).

One game with many options; the drafts of the designer's diary are presets of it. The final game is
:mod:`cardlab.games.alicematic`. The numbers in brackets are those of the rulebook, ``cardlab rules
collect``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Self

from cardlab.engine import Event
from cardlab.errors import RulesError
from cardlab.games.collect_rules import PRESETS, CollectRules, score
from cardlab.games.collect_state import CollectFamily, CollectSeat, CollectState, CollectTable

__all__ = ["PRESETS", "Collect", "CollectRules", "CollectState", "score"]


class Collect(CollectFamily):
    """The game of the drafts; see :class:`CollectRules` for its options.

    ``load_game("collect", preset="d4")`` takes the options of a draft from :data:`PRESETS`; further
    options go before them.
    """

    name = "collect"
    rules_class = CollectRules
    state_class = CollectState
    seat_class = CollectSeat
    table_class = CollectTable
    RULE_OF: ClassVar[Mapping[str, str]] = {
        "start": "S1",
        "deck": "S2",
        "shuffle": "S3",
        "removed": "S3",
        "deal": "S4",
        "first": "S5",
        "round": "S5",
        "order": "S5",
        "turn": "S5",
        "draw": "S6",
        "hold": "S6",
        "release": "S7",
        "offer": "S8",
        "accept": "S8",
        "trash": "S8",
        "return": "S8",
        "army": "S9",
        "pass": "S9",
        "kept": "S9",
        "begin": "S10",
        "add": "S10",
        "set": "S10",
        "medallion": "S11",
        "done": "S11",
        "exposed": "S12",
        "shown": "S12",
        "covered": "S13",
        "end": "S14",
        "score": "S15",
        "clear": "S15",
        "win": "S16",
        "shared": "S16",
    }

    ASKS = CollectFamily.ASKS | {"set": ("begin", ("add", "done"))}
    phases = tuple(ASKS)

    rules: CollectRules

    def __init__(self, rules: CollectRules) -> None:
        super().__init__(rules, rules)

    @classmethod
    def with_options(cls, /, **options: Any) -> Self:
        """The game with the given options, which go before those of ``preset``.

        Raises :class:`RulesError`, for an unknown preset with the list of them.
        """
        preset = options.pop("preset", None)
        if preset is not None and preset not in list(PRESETS):
            raise RulesError("collect.error.preset", value=repr(preset), allowed=sorted(PRESETS))
        chosen = {} if preset is None else PRESETS[preset]
        return cls(cls._rules_from(chosen | options, extra=("preset",)))

    def _opening(self) -> Iterable[Event]:
        plan = self.plan
        yield Event(*self.told["start"], None, {"n": plan.n_players})
        yield Event(*self.told["deck"], None, {"n": plan.n_cards})
        yield Event(*self.told["shuffle"])
