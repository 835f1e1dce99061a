"""Chaos passes the suite for all games, with two to six players, and its leaks are found."""

import csv
import json
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from cardlab import Event, Game, Observation, State, chance, load_game
from cardlab.games.chaos import Chaos, ChaosState
from cardlab.games.chaos_cards import CHAOS, KINDS, ORDER, SPECTRUM
from cardlab.testing import GameSuite
from tests.games.chaos_referee import Referee, Told

ROOT = Path(__file__).parents[2]
with (ROOT / "data" / "rules.csv").open(encoding="utf-8", newline="") as file:
    ROWS = [row for row in csv.DictReader(file) if row["game"] == "chaos"]
RULES = {row["rule"] for row in ROWS if row["kind"] == "rule"}


# ------------------------------------------------- dealing anew, from the rulebook and nothing else
#
# The round is told again by the referee, with other hidden cards. If a seat would have seen the
# same, the new story is carried out in the real game from its first turn on.

ACTION_OF_EVENT = {
    "take": "drain",
    "draw": "draw",
    "lay": "lay",
    "search": "action",
    "exchange": "action",
    "battle": "action",
    "done": "action",
    "hit": "ask",
    "miss": "ask",
    "give": "give",
    "play": "play",
    "choose_drop": "drop",
    "discard": "discard",
    "rotate": "rotate",
    "silent": "order",
    "declared": "order",
    "revealed": "order",
}


class PauseError(Exception):
    """The game has come no further."""


class Decision(NamedTuple):
    """What a seat has decided: the question, the action in words, the answer for the referee."""

    seat: int
    phase: str
    words: str
    answer: Any
    number: int = 0


def rank(card: Any) -> Any:
    return getattr(card, "rank", card)


def decisions(log: list[Event], rules: dict[str, Any]) -> Iterator[Decision]:
    """Every decision of a round, from the log with all its secrets."""
    together = rules["triple_order"] == "simultaneous"
    for event in log:
        kind = event.kind.removeprefix("chaos.")
        phase = ACTION_OF_EVENT.get(kind, "")
        if kind == "drop" and not together:
            phase = "drop"
        if kind in ("declared", "revealed") and rules["order_end"] == "automatic":
            phase = ""
        if not phase:
            continue
        assert event.player is not None
        card, target = event.data.get("card"), event.data.get("target")
        if kind in ("hit", "miss"):
            yield Decision(event.player, "ask", f"ask {target}", target)
        elif kind == "exchange":
            yield Decision(event.player, "action", f"exchange {target}", ("exchange", target))
        elif kind in ("search", "lay"):
            yield Decision(event.player, phase, f"{kind} {card}", (kind, rank(card)))
        elif kind == "rotate":
            yield Decision(event.player, phase, f"rotate {event.data['n']}", event.data["n"])
        elif kind in ("declared", "revealed"):
            yield Decision(event.player, phase, "declare", "declare")
        elif kind in ("draw", "battle", "done", "silent"):
            yield Decision(event.player, phase, kind, kind)
        else:
            word = {"choose_drop": "drop"}.get(kind, kind)
            yield Decision(event.player, phase, f"{word} {card}", rank(card))


def choose_anew(decision: Decision, cards: Any, rng: random.Random) -> Decision:
    card = rng.choice(sorted(cards))
    word, _ = decision.words.split()
    return decision._replace(words=f"{word} {KINDS[card].ascii}", answer=card)


class Round:
    """A round as the log tells it, which can be told again with other hidden cards."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.rules = state.game.rules.to_dict()
        log = list(state.log)
        start = max(place for place, event in enumerate(log) if event.kind == "chaos.piles")
        turn = next(
            (place for place in range(start, len(log)) if log[place].kind == "chaos.turn"), len(log)
        )
        self.opening, self.log = log[:turn], log[turn:]
        self.setup = log[start:turn]
        dealt = {e.player: e.data["cards"] for e in self.setup if e.kind == "chaos.deal"}
        self.hands = [[rank(card) for card in dealt[seat]] for seat in range(len(dealt))]
        drawn = [rank(event.data["card"]) for event in self.log if event.kind == "chaos.draw"]
        self.spring = [rank(card) for card in state.table.spring] + drawn[::-1]
        self.tape = [
            decision._replace(number=number)
            for number, decision in enumerate(decisions(self.log, self.rules))
        ]

    def tell(self, player: int | None, rng: random.Random) -> tuple[list[Told], list[Decision]]:
        """What happens with the hands and spring as they are, told to where the game is now.

        Choices that ``player`` did not see are made anew (with no player, they stay).
        """
        made: list[Decision] = []
        waiting = list(self.tape)
        secret = self._secrets(player)

        def ask(seat: int | None, phase: str, options: Any) -> Any:
            if seat is None:
                drawn = blind.pop(0)
                options = list(options)
                hidden = player is not None and player not in partners[-1]
                return rng.choice(options) if hidden else drawn
            number = next((i for i, d in enumerate(waiting) if d.seat == seat), None)
            # Choices made together come in the order of the seats here, in any order in the game.
            if number is None or (phase not in ("give", "play", "drop") and number):
                raise PauseError
            decision = waiting.pop(number)
            assert phase == decision.phase or decision.words.startswith("lay")
            if decision.number in secret and rng.random() < 0.7:
                decision = choose_anew(decision, options, rng)
            if decision.answer not in options:
                raise AssertionError
            if decision.words.startswith("exchange"):
                partners.append((seat, decision.answer[1]))
            made.append(decision)
            return decision.answer

        blind = [rank(e.data["card"]) for e in self.log if e.kind == "chaos.lose"]
        partners: list[tuple[int, int]] = []
        first = next((e.player for e in self.log if e.kind == "chaos.turn"), 0)
        game = self.state.game
        referee = Referee(
            self.rules, self.hands, self.spring, first or 0, ask, game.n_orders, game.n_numbers
        )
        try:
            referee.run()
        except PauseError:
            # Some of those who choose together may have chosen already.
            for decision in waiting:
                if decision.number in secret:
                    decision = choose_anew(decision, referee.hands[decision.seat], rng)
                made.append(decision)
        # In the game's order, in which those who choose together have chosen.
        return referee.story, sorted(made, key=lambda decision: decision.number)

    def _secrets(self, player: int | None) -> set[int]:
        """The decisions that ``player`` has not seen: gifts among others, and pending choices."""
        if player is None:
            return set()
        found, partners = set(), (0, 0)
        for decision in self.tape:
            if decision.words.startswith("exchange"):
                partners = (decision.seat, decision.answer[1])
            if decision.phase == "give" and player not in partners:
                found.add(decision.number)
        for seat, chosen in enumerate(self.state.pending):
            if chosen is not None and seat != player:
                found.add(max(each.number for each in self.tape if each.seat == seat))
        return found

    def deal_anew(self, player: int, rng: random.Random) -> list[Decision]:
        """Swap hidden cards as long as ``player`` would have seen the same; the decisions then."""
        seen = self.view(self.tell(None, rng)[0], player)
        best = list(self.tape)
        chooses_anew = bool(self._secrets(player))
        for _ in range(12):
            before = [list(hand) for hand in self.hands], list(self.spring)
            places = [(hand, i) for seat, hand in enumerate(self.hands) if seat != player
                      for i in range(len(hand))]  # fmt: skip
            places += [(self.spring, i) for i in range(len(self.spring))]
            for _ in range(rng.randint(0, 2)):
                (a, i), (b, j) = rng.sample(places, 2)
                a[i], b[j] = b[j], a[i]
            if (self.hands, self.spring) == before and not chooses_anew:
                # The same cards and choices make the same story.
                continue
            try:
                story, made = self.tell(player, rng)
                fine = self.view(story, player) == seen
            except (AssertionError, ValueError, IndexError):
                fine = False
            if fine:
                best = made
            else:
                self.hands, self.spring = before
        return best

    @staticmethod
    def view(story: list[Told], player: int) -> list[Any]:
        """What a seat sees of a story."""
        return [
            (each.kind, each.seat, each.data if each.only in (None, player) else None)
            for each in story
        ]

    def carried_out(self, made: list[Decision], seed: int) -> State:
        """The real game from its first turn on, with these hands and decisions."""
        hands = [sorted(hand) for hand in self.hands]
        opening = []
        for event in self.opening:
            if event in self.setup and event.kind == "chaos.deal":
                content = tuple(KINDS[card] for card in hands[event.player or 0])
                event = event._replace(data={"cards": content})
            opening.append(event.to_dict())
        thrown = sum(event.data["n"] for event in self.setup if event.kind == "chaos.power")
        for event in self.setup:
            if event.kind == "chaos.power":
                hand = hands[event.player or 0]
                hands[event.player or 0] = [card for card in hand if card != 14]
        first = next((e for e in self.log if e.kind == "chaos.turn"), None)
        assert first is not None
        before = self.state.to_dict()
        position = {
            "game": "chaos",
            "rules": before["rules"],
            "phase": "draw",
            "players": [{"hand": [KINDS[card].ascii for card in hand]} for hand in hands],
            "table": {
                "pool": ["order"] * thrown,
                "spring": [KINDS[card].ascii for card in self.spring],
            },
            "turn_player": first.player,
            "first": before["first"],
            "totals": self.totals(),
            "round": before["round"],
            "seed": seed,
            "log": [*opening, first.to_dict()],
        }
        twin = self.state.game.state_from_dict(json.loads(json.dumps(position)))
        for decision in made:
            twin.apply(decision.words, decision.seat)
        return twin

    def totals(self) -> list[int]:
        """The points of the rounds before."""
        totals = [0] * len(self.hands)
        for event in self.opening:
            if event.kind == "chaos.points":
                totals[event.player or 0] += event.data["n"]
        return totals


class Suite(GameSuite):
    """Chaos under some options, dealt anew by a reader of the rulebook."""

    rule_numbers = RULES
    game_class: type[Chaos] = Chaos
    options: dict[str, Any] = {}  # noqa: RUF012
    seeds = range(1)

    def make_game(self) -> Game:
        return self.game_class.with_options(**self.options)

    def redeal(self, state: State, player: int, rng: random.Random) -> State:
        if not state.to_move:
            rng.shuffle(state.table.spring)
            return state
        told = Round(state)
        made = told.deal_anew(player, rng)
        return told.carried_out(made, rng.getrandbits(63))


# ---------------------------------------------------------------------------------- Chaos passes it


class TestTwoPlayers(Suite):
    options = {"n_players": 2, "drain_mode": "until_empty", "max_turns": 8}  # noqa: RUF012


class TestThreePlayers(Suite):
    options = {"n_players": 3, "max_turns": 7}  # noqa: RUF012


class TestFourPlayers(Suite):
    options = {"max_turns": 4}  # noqa: RUF012


class TestFivePlayers(Suite):
    options = {"n_players": 5, "max_turns": 3}  # noqa: RUF012


class TestSixPlayers(Suite):
    options = {"n_players": 6, "max_turns": 2, "min_actions": 1}  # noqa: RUF012


class TestOtherReadings(Suite):
    options = {  # noqa: RUF012
        "n_players": 3,
        "triple_order": "simultaneous",
        "order_end": "optional",
        "order_search_free": False,
        "rotation_min": 1,
        "lay_timing": "turn_start",
        "order_bonus": "add",
        "min_actions": 3,
        "max_turns": 5,
    }


class SmallChaos(Chaos):
    """A deck with which a good deal happens in a few turns."""

    deck = (CHAOS,) * 2 + tuple(card for card in SPECTRUM[:4] for _ in range(4)) + (ORDER,) * 4


class TestSmallDeck(Suite):
    game_class = SmallChaos
    seeds = range(2)
    options = {"n_players": 3, "setup_abandon": "end", "max_turns": 12}  # noqa: RUF012


class TestMatch(Suite):
    game_class = SmallChaos
    max_decisions = 5000
    options = {"n_players": 3, "target_points": 1, "max_turns": 3}  # noqa: RUF012


class TestBlindDraw(Suite):
    """Chance decides what is drawn, so the game itself deals anew."""

    options = {"n_players": 3, "exchange_pick": "blind_draw", "max_turns": 5}  # noqa: RUF012

    def redeal(self, state: State, player: int, rng: random.Random) -> State:
        return GameSuite.redeal(self, state, player, rng)


def games(suite: Suite, seed: int) -> Iterator[Any]:
    """The positions of a random game but for the last."""
    for step in suite.play(suite.make_game().new_initial_state(seed), seed):
        if step.state.to_move:
            yield step.state


def test_the_new_deal_is_a_good_one() -> None:
    """It changes all that is hidden, sooner or later, and nothing that is open."""
    rng = random.Random(1)
    suite = TestSmallDeck()
    changed: Counter[str] = Counter()
    for step in (step for seed in (0, 6, 7) for step in games(suite, seed)):
        before, after = step, suite.redeal(step.clone(), 0, rng)
        assert after.players[0].hand == before.players[0].hand
        assert after.table.pool == before.table.pool
        for seat in (1, 2):
            changed[f"hand {seat}"] += after.players[seat].hand != before.players[seat].hand
            changed[f"pending {seat}"] += after.pending[seat] != before.pending[seat]
        changed["spring"] += after.table.spring != before.table.spring
        gifts = [
            [e.data for e in state.log if e.kind == "chaos.receive" and e.seen_by != 0]
            for state in (before, after)
        ]
        changed["gifts"] += gifts[0] != gifts[1]
    assert len(changed) == 6
    assert min(changed.values()) > 0, changed


# ------------------------------------------------------------------------------- and can be failed


class ShowsHands(ChaosState):
    def _sees(self, viewer: int, owner: int | None, zone: str) -> bool:
        return zone == "hand" or super()._sees(viewer, owner, zone)


class ShowsSpring(ChaosState):
    def _sees(self, viewer: int, owner: int | None, zone: str) -> bool:
        return zone == "spring" or super()._sees(viewer, owner, zone)


class TellsDraws(ChaosState):
    def _draw(self, player: int, events: list[Event]) -> None:
        super()._draw(player, events)
        events[0] = events[0]._replace(seen_by=None)


class TellsGifts(ChaosState):
    def _exchange(self, chosen: Any, events: list[Event]) -> None:
        super()._exchange(chosen, events)
        events[:] = [e._replace(seen_by=None) if "receive" in e.kind else e for e in events]


class TellsNewHands(ChaosState):
    def _rotate(self, steps: int, player: int, events: list[Event]) -> None:
        super()._rotate(steps, player, events)
        events[:] = [e._replace(seen_by=None) if "handed" in e.kind else e for e in events]


class ShowsPending(ChaosState):
    def observation(self, player: int) -> Observation:
        seen = super().observation(player)
        others = [str(chosen) for seat, chosen in enumerate(self.pending) if seat != player]
        object.__setattr__(seen, "public", {"others": tuple(others)})
        return seen


class AsksOnlyWhoCanLay(ChaosState):
    """A draw without a set to lay is not asked for: who is asked has one."""

    def _ask(self, phase: str, *seats: int) -> None:
        super()._ask(phase, *seats)
        self.idle = int(phase == "draw" and len(self._legal(seats[0])) > 1)


class CountsOrders(ChaosState):
    def _settle(self, then: str, touched: Any, events: list[Event]) -> None:
        if any(self.players[seat].hand.count(ORDER) > 1 for seat in touched):
            events.append(Event("chaos.no_winner", "X10"))
        super()._settle(then, touched, events)


class LeakSuite(Suite):
    game_class = SmallChaos
    options = {"n_players": 3, "max_turns": 12}  # noqa: RUF012
    seeds = range(4)

    def bots(self, game: Game) -> tuple[()]:
        return ()


@pytest.mark.parametrize(
    "leak",
    [
        ShowsHands,
        ShowsSpring,
        TellsDraws,
        TellsGifts,
        TellsNewHands,
        ShowsPending,
        AsksOnlyWhoCanLay,
        CountsOrders,
    ],
)
def test_a_leak_is_found(leak: type[ChaosState]) -> None:
    class FaultySuite(LeakSuite):
        game_class = type("Faulty", (SmallChaos,), {"state_class": leak})

    with pytest.raises(AssertionError, match="dealt anew for seat"):
        FaultySuite().test_nothing_leaks()


def test_no_leak_is_found_where_there_is_none() -> None:
    class SoundSuite(LeakSuite):
        seeds = range(1)

    SoundSuite().test_nothing_leaks()


# ------------------------------------------------------------------------------ what always holds


@pytest.mark.parametrize("n_players", range(2, 7))
def test_what_holds_after_every_step(n_players: int) -> None:
    """All cards are there; Chaos and Order are apart; no four equal numbers lie in the pool."""
    for options in ({}, {"drain_mode": "until_empty", "order_end": "optional"}):
        game = load_game("chaos", n_players=n_players, **options)
        rng = random.Random(n_players)
        for seed in range(6):
            state = game.new_initial_state(seed)
            while state.to_move:
                state.apply(rng.choice(state.legal_actions(seat := state.to_move[-1])), seat)
                zones = [zone for seat in state.players for zone in (seat.hand, seat.sets)]
                zones += [state.table.pool, state.table.spring, state.out]
                assert Counter(card for zone in zones for card in zone) == Counter(game.deck)
                for each in state.players:
                    assert not {CHAOS, ORDER} <= {*each.hand}
                    assert each.hand == sorted(each.hand, key=lambda card: card.index)
                assert all(state.table.pool.count(card) < 4 for card in SPECTRUM)
                assert state.to_move == state._owed()


def test_every_rule_is_told_or_refused() -> None:
    """Each rule's number is cited by an event or by a refusal."""
    cited: set[str | None] = set()
    game = SmallChaos.with_options(n_players=3)
    for seed in range(200):
        *_, last = TestSmallDeck().play(game.new_initial_state(seed), seed)
        cited |= {event.rule for event in last.state.log}
    assert RULES - cited == {"X23"}


def test_chance_is_fair() -> None:
    """Who begins, and where a card goes, is as even as it can be."""
    game = load_game("chaos")
    first: Counter[int] = Counter()
    chaos: Counter[str] = Counter()
    for seed in range(4000):
        state = game.new_initial_state(seed)
        first[state.first] += 1
        for seat, each in enumerate(state.players):
            chaos[str(seat)] += each.hand.count(CHAOS)
        chaos["spring"] += state.table.spring.count(CHAOS)
    assert all(900 < n < 1100 for n in first.values())
    assert sum(chaos.values()) == 8000
    assert all(1450 < n < 1750 for n in chaos.values())
    assert chance.draw(1, 0) != chance.draw(1, 1)
