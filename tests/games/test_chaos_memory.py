"""What a seat of Chaos can know: against brute force with small decks, and in whole games.

The brute force keeps every state that a seat cannot rule out. It begins with all deals that look
the same to the seat, and lets the real game do every decision with each of them; where others draw
or exchange unseen it tries every card. States in which the seat would have seen something else go.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache, cached_property
from itertools import combinations
from math import prod
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

from cardlab import Event, Observation, State, chance, load_game
from cardlab.errors import IllegalActionError
from cardlab.games import chaos_memory
from cardlab.games.chaos import Chaos, knowledge
from cardlab.games.chaos_cards import CHAOS, KINDS, ORDER, SPECTRUM, Kind
from cardlab.games.chaos_memory import SPRING, At, Memory
from tests.games.test_chaos_examples import do, start

Key = tuple[tuple[int, ...], ...]


def small(numbers: int, chaos: int, orders: int, **options: Any) -> Chaos:
    deck = (CHAOS,) * chaos + (ORDER,) * orders
    deck += tuple(card for card in SPECTRUM[:numbers] for _ in range(4))
    return type("SmallChaos", (Chaos,), {"deck": deck}).with_options(**options)


# -------------------------------------------------------------------------------------- brute force


class Possible(NamedTuple):
    """A state, and how likely it is if cards are dealt, and given away unseen, at random."""

    state: State
    weight: float


def splits(cards: Sequence[int], sizes: Sequence[int]) -> Iterator[Key]:
    """All ways to deal cards to places of these sizes."""
    if not sizes:
        yield ()
        return
    for hand in sorted({*combinations(cards, sizes[0])}):
        rest = list(cards)
        for card in hand:
            rest.remove(card)
        for more in splits(rest, sizes[1:]):
            yield (hand, *more)


def placements(key: Key) -> float:
    """In how many ways the single cards can lie so, but for a common factor."""
    factorial = (1, 1, 2, 6, 24)
    return 1 / prod(factorial[n] for place in key for n in Counter(place).values())


def key_of(state: State, seats: Sequence[int]) -> Key:
    """What these seats hold, and the spring, whose order nobody knows."""
    zones = [state.players[seat].hand for seat in seats] + [state.table.spring]
    return tuple([tuple(sorted([card.index for card in zone])) for zone in zones])


def all_ways(key: Key) -> Iterator[Key]:
    """All ways in which these cards could lie, possible or not."""
    yield from splits(sorted(card for place in key for card in place), [*map(len, key)])


class Truth:
    """All that a seat cannot rule out while a game goes on."""

    def __init__(self, state: State, me: int) -> None:
        self.state = state
        self.me = me
        self.others = [seat for seat in range(len(state.players)) if seat != me]
        self.game = state.game
        threw = {event.player for event in state.log if event.kind == "chaos.power"}
        self.possible: dict[Any, Possible] = {}
        for key in all_ways(self.key(state)):
            held = dict(zip(self.others, key, strict=False))
            if any({0, 14} <= {*hand} for hand in held.values()):
                continue
            if any(0 not in held.get(seat, (0,)) for seat in threw):
                continue
            twin = state.clone()
            for seat, hand in held.items():
                twin.players[seat].hand = [KINDS[card] for card in hand]
            twin.table.spring = [KINDS[card] for card in key[-1]]
            if not twin._endings():
                self.possible[key] = Possible(twin, placements(key))

    def key(self, state: State) -> Key:
        return key_of(state, self.others)

    def keys(self) -> Counter[Key]:
        """The possible contents of the other hands and of the spring, with their weights."""
        found: Counter[Key] = Counter()
        for state, weight in self.possible.values():
            found[self.key(state)] += weight  # type: ignore[assignment]
        return found

    def go_on(self, action: Any, player: int) -> None:
        """Do a decision in the game, and in every state that is possible."""
        seen = [event.seen_from(self.me) for event in self.state.clone().apply(action, player)]
        in_secret = self.state.phase in self.state.TOGETHER and player != self.me
        after: dict[Any, Possible] = {}
        for state, weight in self.possible.values():
            for act in state.legal_actions(player) if in_secret else [action]:
                for twin, chances in self.branches(state, act, player):
                    try:
                        events = twin.apply(act, player)
                    except IllegalActionError:
                        continue
                    if [event.seen_from(self.me) for event in events] != seen:
                        continue
                    key = (self.key(twin), tuple(map(str, twin.pending)))
                    before = after[key].weight if key in after else 0.0
                    after[key] = Possible(twin, before + weight * chances)
        self.state.apply(action, player)
        self.possible = {
            key: each for key, each in after.items() if each.state.to_move == self.state.to_move
        }

    def branches(self, state: State, action: Any, player: int) -> Iterator[tuple[State, float]]:
        """The state with each chance that the action may meet, and how likely that is."""
        spring, hand = state.table.spring, state.players[player].hand
        if action.kind == "draw":
            for card, n in Counter(spring).items():
                twin = state.clone()
                twin.table.spring.remove(card)
                twin.table.spring.append(card)
                yield twin, n / len(spring)
        elif action.kind == "give" and self.me not in (state.turn_player, state.partner):
            n = hand.count(action.arg)
            if self.game.rules.exchange_pick == "own_choice":
                yield state.clone(), n
                return
            yield from ((twin, n / len(other)) for twin, other in self.blind(state))
        elif action.kind == "give" and self.game.rules.exchange_pick == "blind_draw":
            yield from ((twin, 1.0) for twin, _ in self.blind(state))
        elif state.phase not in state.TOGETHER:
            yield state, 1.0  # this is the only action, and nobody needs the state any more
        else:
            yield state.clone(), 1.0

    @staticmethod
    def blind(state: State) -> Iterator[tuple[State, list[Kind]]]:
        """The state with a seed for every card that may be drawn unseen from the partner."""
        other = state.players[state.partner].hand
        for place in range(len(other)):
            twin = state.clone()
            while chance.draw(twin.seed, twin.shuffles) % len(other) != place:
                twin.seed += 1
            yield twin, other


def is_telling(state: State, player: int, action: Any) -> bool:
    """Whether it leads to what is rare at random: unseen exchanges, hits, and rotations."""
    if action.kind == "search":
        others = [seat.hand for seat in state.players if seat is not state.players[player]]
        return any(action.arg in hand for hand in others)
    if action.kind == "ask":
        return state.shown[0] in state.players[action.arg].hand  # type: ignore[attr-defined]
    return action.kind == "exchange" or action.arg is CHAOS


def play(truth: Truth, rng: random.Random) -> Iterator[Memory]:
    """Random decisions, more of them hidden than at random; what the seat remembers before each."""
    state = truth.state
    while state.to_move and len(truth.possible) < 3000:
        yield Memory(state.observation(truth.me), truth.game.deck)
        player = rng.choice(state.to_move)
        legal = state.legal_actions(player)
        telling = [action for action in legal if is_telling(state, player, action)]
        action = rng.choice(telling if telling and rng.random() < 0.5 else legal)
        twin = state.clone()
        twin.apply(action, player)
        if not twin.to_move:
            return
        truth.go_on(action, player)
        assert truth.possible, "what has happened was not thought possible"


class Position(NamedTuple):
    """A moment of a game with a small deck, as one seat sees it.

    Attributes
    ----------
    game, seen, memory
        The game, what the seat sees, and what it remembers.
    others
        The other seats.
    real
        What they and the spring hold.
    keys
        What they and the spring may hold, by brute force, and how likely it is.
    """

    game: Chaos
    seen: Observation
    memory: Memory
    others: list[int]
    real: Key
    keys: Counter[Key]

    def key(self, content: dict[int, list[int]]) -> Key:
        """Contents by seat, as brute force writes them."""
        places = [content[place] for place in (*self.others, SPRING)]
        return tuple(
            tuple(kind for kind, n in enumerate(place) for _ in range(n)) for place in places
        )


@cache
def positions() -> list[Position]:
    """All of 36 games with small decks under random options, watched by one seat each."""
    found = []
    for seed in range(36):
        rng = random.Random(seed)
        n_players = rng.choice([2, 3, 3, 3, 4, 4])
        options = {
            "triple_order": rng.choice(["sequential", "simultaneous"]),
            "order_end": rng.choice(["automatic", "automatic", "optional"]),
            "drain_mode": rng.choice(["one_each", "until_empty"]),
            "exchange_pick": rng.choice(["own_choice", "own_choice", "blind_draw"]),
            "max_turns": 12,
        }
        deck = rng.choice([(2, 2, 4), (2, 1, 4), (2, 2, 3), (3, 1, 3)])
        game = small(*deck, n_players=n_players, **options)
        state = game.new_initial_state(seed)
        if not state.to_move or any(event.kind == "chaos.redeal" for event in state.log):
            continue
        truth = Truth(state, rng.randrange(n_players))
        for memory in play(truth, rng):
            seen = truth.state.observation(truth.me)
            real, keys = truth.key(truth.state), truth.keys()
            found.append(Position(game, seen, memory, truth.others, real, keys))
    return found


def counts(place: Sequence[int]) -> list[int]:
    return [place.count(kind) for kind in range(len(KINDS))]


def test_what_is_sure_and_what_is_absent_is_all_there_is() -> None:
    """In every position: exactly what holds in all possible states, and never more or less."""
    facts: Counter[str] = Counter()
    rng = random.Random(0)
    for position in positions():
        memory, keys = position.memory, position.keys
        exact, quick = memory.exact_bounds(), memory.quick_bounds()
        for place, seat in enumerate(position.others):
            hands = [counts(hand) for hand in {key[place] for key in keys}]
            for kind, numbers in enumerate(zip(*hands, strict=True)):
                few, many = min(numbers), max(numbers)
                assert exact[seat][0][kind] == few
                assert (exact[seat][1][kind] == 0) == (many == 0)
                assert quick[seat][0][kind] <= few
                assert quick[seat][1][kind] >= many
                facts["sure"] += few > 0
                facts["absent"] += not many
                facts["quick"] += quick[seat][0][kind] == few
                facts["all"] += 1
        assert position.key(memory.sample(rng)) in keys
    assert facts["sure"] > 400
    assert facts["absent"] > 4000
    assert facts["quick"] > 0.99 * facts["all"]


def test_exactly_the_possible_states_are_allowed() -> None:
    """Of all ways in which the hidden cards could lie."""
    checked: Counter[bool] = Counter()
    rng = random.Random(0)
    for position in rng.sample(positions(), 80):
        everything = [*all_ways(position.real)]
        for key in everything if len(everything) < 400 else rng.sample(everything, 40):
            places = (*position.others, SPRING)
            content = dict(zip(places, map(counts, key), strict=True))
            assert position.memory.allows(content) == (key in position.keys)
            checked[key in position.keys] += 1
    assert min(checked.values()) > 600


def few_states(number: int, least: int = 1) -> list[Position]:
    """Positions with at least so many possible states, and at most 25, taken at random."""
    few = [position for position in positions() if least <= len(position.keys) <= 25]
    return random.Random(1).sample(few, number)


def test_every_possible_state_is_drawn() -> None:
    """The game's own resample, often enough."""
    rng = random.Random(0)
    for position in few_states(20):
        missing = set(position.keys)
        for _ in range(4000):
            key = key_of(position.game.resample(position.seen, rng), position.others)
            assert key in position.keys
            missing.discard(key)
            if not missing:
                break
        assert not missing


def distance(position: Position, number: int) -> float:
    """How far from the aim the drawn states are: total variation, 0 to 1.

    Chance adds to it, the more the fewer are drawn; so few that keep within a bound are enough.
    """
    rng = random.Random(0)
    keys = position.keys
    total = sum(keys.values())
    drawn = Counter(position.key(position.memory.sample(rng)) for _ in range(number))
    assert drawn.keys() <= keys.keys()
    return sum(abs(drawn[key] / number - keys[key] / total) for key in keys) / 2


def test_a_long_walk_leads_to_the_aim(monkeypatch: pytest.MonkeyPatch) -> None:
    """Deals and unseen gifts at random, given everything seen."""
    monkeypatch.setattr(chaos_memory, "_ROUNDS", 20)
    kinds: Counter[bool] = Counter()
    for position in few_states(20, least=4):
        has_exchanges = bool(position.memory.leaves)
        if kinds[has_exchanges] < 2:
            kinds[has_exchanges] += 1
            assert distance(position, 250) < 0.14
    assert kinds == {True: 2, False: 2}


def test_the_usual_walk_comes_near() -> None:
    far = [distance(position, 250) for position in few_states(10, least=4)]
    assert sum(far) / len(far) < 0.12


# --------------------------------------------------------------------------------- known inferences


def known(state: State, me: int) -> list[tuple[str, str]]:
    """Sure cards and absent kinds for each seat, in words."""
    found = knowledge(state.observation(me))
    words: Callable[[Sequence[Kind]], str] = lambda kinds: " ".join(map(str, kinds))  # noqa: E731
    return [(words(a), words(b)) for a, b in zip(found.sure, found.absent, strict=True)]


def test_what_was_taken_shown_or_won_stays() -> None:
    state = start("1 2 3", "4 5 6 6", "7 8 9", pool="10 11 11", phase="drain", queue=[0, 1, 2])
    do(state, "take 10", "take 11", "take 11", "draw", "search 2", "ask 1")
    assert known(state, 2)[0][0] == "10"
    assert known(state, 2)[1] == ("11", "2")
    assert known(state, 0)[0][0].split()[0] == state.players[0].hand[0].ascii
    do(state, "battle", "play 1", "play 6", "play 7")
    assert known(state, 0)[2][0] == "1 6 7 11"
    assert known(state, 1)[2][0] == "1 6 7 11"


def test_a_successful_search_tells_of_two_hands() -> None:
    state = start("7 8", "1 2", "7 7 4")
    do(state, "search 7", "ask 2")
    assert known(state, 1)[0][0] == "7 7"
    do(state, "search 7", "ask 2")
    assert known(state, 1)[0][0] == "7 7 7"
    do(state, "search 7")
    assert known(state, 1)[0][0] == "7 7 7"
    do(state, "ask 2")
    assert known(state, 1)[2][1] == "7"


def test_who_throws_orders_holds_chaos_and_no_order() -> None:
    state = start("4 order order", "1 2", "3 5", phase="draw", top="chaos")
    do(state, "draw")
    assert known(state, 1)[0] == ("chaos", "order")


def test_who_holds_an_order_holds_no_chaos() -> None:
    state = start("4 9", "1 order", "3 5", pool="order")
    do(state, "battle", "play 9", "play order", "play 3")
    assert known(state, 2)[1] == ("3 9 order", "chaos")


def test_an_unseen_exchange_blurs_and_a_search_clears_it() -> None:
    """Seat 1 had a 7 and has none after its exchange with seat 2, so seat 2 has it."""
    state = start("7 8 9 10", "1 7 11", "2 3 4", "5 6 12", pool="7 1 1")
    do(state, "search 7", "ask 1", "exchange 1", "give 8", "give 1", "done", "discard 7")
    assert known(state, 3)[0][0] == ""
    state = start("7 8 9 10", "1 11", "2 3 4", "5 6 12", pool="7 2 2 3 3", phase="drain",
                  queue=[1, 2])  # fmt: skip
    do(state, "take 7", "take 2", "draw")
    assert known(state, 3)[1][0] == "7"
    state.turn_player = 1
    state.to_move = (1,)
    do(state, "exchange 2", "give 7", "give 3")
    assert (known(state, 3)[1][0], known(state, 3)[2][0]) == ("", "")
    assert known(state, 2)[1][0] == "3"
    state.turn_player = 0
    state.to_move = (0,)
    do(state, "search 7", "ask 1")
    assert known(state, 3)[1] == ("", "7")
    assert known(state, 3)[2][0] == "7"


def test_hands_that_move_are_known_to_who_held_them() -> None:
    state = start("chaos 4 5", "1 2", "3 6 6", phase="discard")
    do(state, "discard chaos", "rotate 1")
    assert [known(state, seat)[(seat + 1) % 3][0] for seat in range(3)] == ["4 5", "1 2", "3 6 6"]
    assert known(state, 0)[2] == ("", "")
    do(state, "draw", "search 4", "ask 0")
    assert known(state, 0)[1][0] == "5"
    assert known(state, 2)[0][0] == "3 6 6"
    assert set(known(state, 2)[0][1].split()) >= {"4", "5", "7"}


@pytest.mark.parametrize("steps", [0, 1])
@pytest.mark.parametrize("triple_order", ["sequential", "simultaneous"])
def test_who_has_not_won_after_a_rotation_does_not_hold_orders_only(
    triple_order: str, steps: int
) -> None:
    """Seat 1 holds two Orders that were open, and drops to three cards: one is no Order."""
    state = start(
        "1 9", "9 9 9", "chaos chaos 1", pool="order order 1 1",
        out="2 3 4 5 6 7 8 10 11 12 13", phase="drain", queue=[1, 2, 0], top="order order",
        options={"drain_mode": "until_empty", "triple_order": triple_order},
    )  # fmt: skip
    do(state, "take order", "take 1", "take 1", "take order", "draw")
    do(state, "search 9", "ask 1", "search 1", "ask 2", "search 1", "ask 2")
    for seat, card in ((1, "9"), (2, "chaos")):
        state.apply(f"drop {card}", seat)
    at_once = triple_order == "simultaneous"
    assert known(state, 0)[1][0] == ("order order" if at_once else "9 order order")
    do(state, f"rotate {steps}")
    rng = random.Random(0)
    assert known(state, 0)[(1 + steps) % 3][0] == "9 order order"
    assert known(state, 0)[(2 + steps) % 3][0] == "chaos"
    for _ in range(20):
        sample = state.game.resample(state.observation(0), rng)
        assert state.game.state_from_dict(sample.to_dict()) == sample


def test_four_cards_that_are_known_are_nowhere_else() -> None:
    state = start("9 9 9 5", "1 2", "9 3 6")
    do(state, "search 9", "ask 2")
    assert known(state, 0)[1][1].split().count("9") == 1
    assert known(state, 0)[2][1].split().count("9") == 1


def test_nothing_is_hidden_at_the_end() -> None:
    state = start("6", "2 1", "7 8", phase="discard")
    do(state, "discard 6")
    assert [sure for sure, _ in known(state, 2)] == ["", "1 2", "7 8"]


def test_an_earlier_deal_is_forgotten() -> None:
    """Cards that were dealt again tell nothing, nor do earlier rounds of a match."""
    game = load_game("chaos", n_players=3, target_points=5)
    rng = random.Random(5)
    state = game.new_initial_state(5)
    while state.round == 1:
        state.apply(rng.choice(state.legal_actions()))
    sure = knowledge(state.observation(0)).sure
    threw = {e.player for e in state.log[-8:] if e.kind == "chaos.power"}
    assert sure[0] == state.observation(0).hand
    for seat in (1, 2):
        assert sure[seat] == ((CHAOS,) if seat in threw else ())


# ----------------------------------------------------------------------------------- late in a game


class IntegerProgram:
    """What one observation allows, as a system of equations for a solver of integer programs.

    It takes from the memory how hands, tokens and moments hang together and what was seen, and
    nothing of the conclusions. The variables are the numbers of each kind in each content and, for
    each token and kind, whether the token is of it.
    """

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.columns: dict[Any, int] = {}
        self.low: list[float] = []
        self.high: list[float] = []
        self.rows: list[tuple[dict[int, float], float, float]] = []
        for place, hand in enumerate(memory.hands):
            for stretch, size in enumerate(hand.sizes):
                at = At(place, stretch)
                for kind in range(len(KINDS)):
                    self.column((at, kind), hand.low[stretch][kind], hand.high[stretch][kind])
                self.row({(at, kind): 1 for kind in range(len(KINDS))}, size, size)
        for token in range(len(memory.steps_of)):
            for kind in range(len(KINDS)):
                self.column((token, kind), 0, 1)
            self.row({(token, kind): 1 for kind in range(len(KINDS))}, 1, 1)
        for place, hand in enumerate(memory.hands):
            for stretch, (leaves, enters, public) in enumerate(hand.steps):
                before, after = At(place, stretch), At(place, stretch + 1)
                for kind in range(len(KINDS)):
                    change = {(after, kind): 1, (before, kind): -1, (enters, kind): -1}
                    if leaves is not None:
                        change[leaves, kind] = 1
                        there = {(before, kind): 1, (leaves, kind): -1}
                        self.row(there, -public[kind], np.inf)
                    self.row(change, 0, 0)
            for stretch, clashes in enumerate(hand.clashes):
                for number, most in enumerate(clashes):
                    self.clash(At(place, stretch), number, most)
        for contents, tokens, supply in memory.slices:
            for kind, n in enumerate(supply):
                self.row({(where, kind): 1 for where in (*contents, *tokens)}, n, n)

    def column(self, name: Any, low: float, high: float) -> None:
        self.columns[name] = len(self.columns)
        self.low.append(low)
        self.high.append(high)

    def row(self, factors: dict[Any, float], low: float, high: float) -> None:
        self.rows.append(({self.columns[name]: n for name, n in factors.items()}, low, high))

    def clash(self, at: At, number: int, most: tuple[int, int]) -> None:
        """At most so many Chaos, or at most so many Orders."""
        choice = ("choice", at, number)
        self.column(choice, 0, 1)
        self.row({(at, CHAOS.index): 1, choice: -9}, -np.inf, most[0])
        self.row({(at, ORDER.index): 1, choice: 9}, -np.inf, most[1] + 9)

    @cached_property
    def constraints(self) -> LinearConstraint:
        entries = [
            (factor, row, column)
            for row, (factors, _, _) in enumerate(self.rows)
            for column, factor in factors.items()
        ]
        factors, rows, columns = zip(*entries, strict=True)
        _, low, high = zip(*self.rows, strict=True)
        shape = (len(self.rows), len(self.columns))
        return LinearConstraint(csr_array((factors, (rows, columns)), shape), low, high)

    def least(self, seat: int, kind: int, sign: int = 1) -> int:
        """The least number of a kind in a hand at the end; with sign -1 the negative most."""
        place = self.memory.places[seat]
        hand = self.memory.hands[place]
        aim = np.zeros(len(self.columns))
        aim[self.columns[At(place, len(hand.steps)), kind]] = sign
        found = milp(
            aim,
            integrality=np.ones(len(aim)),
            bounds=Bounds(self.low, self.high),
            constraints=self.constraints,
        )
        assert found.success
        return round(found.fun) + sign * hand.public[kind]


def late(n_players: int, seed: int, exchanges: int) -> Memory:
    """What a seat remembers when so many exchanges were hidden from it, in a random game."""
    rng = random.Random(seed)
    state = load_game("chaos", n_players=n_players).new_initial_state(seed)
    while True:
        seat = rng.choice(state.to_move)
        state.apply(rng.choice(state.legal_actions(seat)), seat)
        if rng.random() < 0.1:
            memory = Memory(state.observation(rng.randrange(n_players)))
            if len(memory.leaves) >= 2 * exchanges:
                return memory


@pytest.mark.parametrize(
    ("n_players", "seed", "exchanges"), [(3, 3, 3), (4, 1, 8), (4, 3, 8), (5, 1, 15)]
)
def test_an_integer_program_finds_the_same(n_players: int, seed: int, exchanges: int) -> None:
    """With the whole deck, after many exchanges that the seat did not see."""
    memory = late(n_players, seed, exchanges)
    program = IntegerProgram(memory)
    quick, exact = memory.quick_bounds(), memory.exact_bounds()
    rng = random.Random(seed)
    for seat, (low, high) in exact.items():
        for kind in range(len(KINDS)):
            told = quick[seat][0][kind], quick[seat][1][kind]
            if (low[kind], high[kind]) != told or rng.random() < 0.1:
                assert program.least(seat, kind) == low[kind]
                assert (program.least(seat, kind, -1) == 0) == (high[kind] == 0)


# -------------------------------------------------------------------------------------- whole games


@pytest.mark.parametrize("n_players", range(2, 7))
def test_the_real_state_is_always_possible(n_players: int) -> None:
    """With the whole deck: what is known is true, and what is drawn has the right sizes."""
    game = load_game("chaos", n_players=n_players)
    rng = random.Random(n_players)
    state = game.new_initial_state(n_players)
    while state.to_move:
        for me in range(n_players) if rng.random() < 0.02 else ():
            memory = Memory(state.observation(me))
            for seat, (low, high) in memory.quick_bounds().items():
                held = counts([card.index for card in state.players[seat].hand])
                assert all(a <= n <= b for a, n, b in zip(low, held, high, strict=True))
            zones = {seat: state.players[seat].hand for seat in memory.places if seat != SPRING}
            zones[SPRING] = state.table.spring
            real = {seat: counts([card.index for card in zone]) for seat, zone in zones.items()}
            assert memory.allows(real)
            sample = memory.sample(rng)
            assert {seat: sum(n) for seat, n in sample.items()} == {
                seat: len(zone) for seat, zone in zones.items()
            }
        state.apply(rng.choice(state.legal_actions(seat := rng.choice(state.to_move))), seat)


def test_knowledge_is_a_function_of_the_observation() -> None:
    """The same for a copy of the observation; and nothing of the state gets into it."""
    game = load_game("chaos", n_players=4)
    rng = random.Random(4)
    state = game.new_initial_state(4)
    for _ in range(60):
        state.apply(rng.choice(state.legal_actions()))
    seen = state.observation(1)
    other = game.resample(seen, rng).observation(1)
    assert isinstance(other, Observation)
    assert knowledge(seen) == knowledge(other) == knowledge(seen)
    assert all(isinstance(event, Event) for event in seen.log)
