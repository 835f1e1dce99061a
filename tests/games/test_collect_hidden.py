"""What a seat can know and cannot: against all full states that agree with what it has seen.

The set of those states is found the plain way. It begins with every placement of the cards that are
hidden in some position; with each decision of a game that is really played, every state is played
on by every legal action, and stays if the seat sees in it what it sees in the real game.
"""

import random
from collections import Counter
from itertools import permutations
from math import factorial, prod

import pytest

from cardlab.cards import ORDER, UNKNOWN
from cardlab.games import collect_hidden
from cardlab.games.alicematic import Alicematic
from cardlab.games.collect import Collect

ME = 0
UNORDERED = ("hand", "fresh", "buried", "removed", "discards")


def view(state):
    return state.observation(ME).to_json()


def places(position):
    """Every list of cards in a position, by whose it is and its name."""
    seats = [*position["players"], position["table"]]
    return {
        (seat, zone): cards for seat, zones in enumerate(seats) for zone, cards in zones.items()
    }


def key(state):
    """A full state, however it came about."""
    cards = [
        tuple(sorted(content, key=ORDER) if zone in UNORDERED else content)
        for seat in (*state.players, state.table)
        for zone, content in seat.zones().items()
    ]
    public = [getattr(state, name) for name in state.PUBLIC]
    whose = (state.phase, state.turn, state.to_move, state.result)
    return (*whose, *cards, *public, tuple(state.out), tuple(state.pending))


def all_deals(state):
    """Every state that looks the same to the seat, as if the game began here."""
    seen = state.observation(ME)
    hidden = [
        (owner, zone, place)
        for owner, zones in enumerate((*seen.players, seen.table))
        for zone, content in zones.items()
        for place, card in enumerate(content)
        if card is UNKNOWN
    ]
    seats = (*state.players, state.table)
    deals = set(permutations([getattr(seats[owner], zone)[at] for owner, zone, at in hidden]))
    found = {}
    for deal in deals:
        twin = state.clone()
        seats = (*twin.players, twin.table)
        for (owner, zone, place), card in zip(hidden, deal, strict=True):
            getattr(seats[owner], zone)[place] = card
        # It is a position of the game, and hands are sorted as in every other.
        twin._check()
        found[key(twin)] = twin
    return found


def play_on(states, now):
    """The states after one more decision, of which the seat sees what ``now`` shows it."""
    found = {}
    wanted = view(now)
    for state in states.values():
        (player,) = state.to_move
        for action in state.legal_actions(player):
            twin = state.clone()
            twin.apply(action, player)
            if view(twin) == wanted:
                found[key(twin)] = twin
    return found


def weight(state):
    """In how many ways single cards make this state, up to a factor common to all."""
    return prod(
        factorial(len(cards)) // prod(map(factorial, Counter(cards).values()))
        for (_, zone), cards in places(state.to_dict()).items()
        if zone in UNORDERED
    )


def sure_cards(states):
    """For each seat the cards that it holds in all the states."""
    sure = []
    for seat in range(len(next(iter(states.values())).players)):
        hands = [
            Counter(state.players[seat].hand + state.players[seat].fresh)
            for state in states.values()
        ]
        always = hands[0]
        for hand in hands[1:]:
            always &= hand
        sure.append(always)
    return sure


def check(state, states, rng, draws):
    """Resampled states are those in the set, each as often as it should be."""
    observation = state.observation(ME)
    assert key(state) in states
    known = collect_hidden.knowledge(state.game, observation)
    assert [Counter(cards) for cards in known] == sure_cards(states)

    seen = Counter(key(state.game.resample(observation, rng)) for _ in range(draws))
    assert {*seen} <= {*states}
    weights = {name: weight(each) for name, each in states.items()}
    total = sum(weights.values())
    if draws >= 20 * total:
        assert {*seen} == {*states}
    chi_square = sum(
        (seen[name] - draws * part / total) ** 2 / (draws * part / total)
        for name, part in weights.items()
    )
    # Mean n and variance 2 n: six standard deviations are never reached by chance.
    freedom = len(states) - 1
    assert chi_square <= freedom + 6 * (2 * freedom) ** 0.5 + 12, (chi_square, freedom)


def follow(state, choose):
    """Play a game in which the seat looks on, and yield each state and all that could be.

    ``choose`` gives an action for a state, or ``None`` to stop.
    """
    states = all_deals(state)
    yield state, states
    while state.to_move and (action := choose(state)) is not None:
        state = state.clone()
        state.apply(action)
        states = play_on(states, state)
        yield state, states


def late(game, turn, hands, pile, removed, fresh=None):
    """A position of a late turn; all cards that are not named lie face up out of the game."""
    seats = [{"hand": hand.split()} for hand in hands]
    player = (turn - 1) % game.num_players
    table = {"pile": pile.split(), "removed": removed.split()}
    seats[player]["fresh"] = [fresh or table["pile"].pop()]
    named = Counter(card for seat in seats for zone in seat.values() for card in zone)
    named.update(card for zone in table.values() for card in zone)
    out = Counter(card.ascii for card in game.deck)
    assert named <= out, "the position has cards that the deck has not"
    return game.state_from_dict(
        {
            "players": seats,
            "table": table,
            "turn": turn,
            "out": [*(out - named).elements()],
        }
    )


MEMORY = ({}, 27, ["9 9", "1", "3"], "2 1 9 2", "1")
ENVY = ({}, 28, ["9", "2 2 envy 3", "1"], "1 2", "", "9")
REFUSABLE = ({"envy_refusable": True}, *ENVY[1:])
OPEN = ({"hand_limit": 2}, 28, ["", "9 9", "1 2"], "1 9", "", "9")
OPEN_ENVY = ({"hand_limit": 3}, 29, ["", "2 2 3 envy", "1 1"], "3", "", "2")
SHOWN = ({"hand_limit": 2}, 25, ["", "9 9", "2"], "2 2 2 9 1", "", "9")
SLOTH = ({}, 28, ["", "2 2 2 sloth 3 1 1", ""], "1 2", "", "9")

SCENES = {
    "a card handed on is remembered": (MEMORY, "hold; pass; release 1; hold; pass; hold; pass"),
    "trashed, it is known to be gone": (MEMORY, "hold; pass; release 1; trash; hold; pass"),
    "envy gives the known card": (
        ENVY,
        "release 1; hold; pass; hold; army 3; medallion envy; to 2; give 9; done; hold; pass",
    ),
    "envy gives another card": (
        ENVY,
        "release 1; hold; pass; hold; army 3; medallion envy; to 2; give 3; done; hold; pass",
    ),
    "envy gives the known card to me": (
        ENVY,
        "release 1; hold; pass; hold; army 3; medallion envy; to 0; give 9; done; hold; pass",
    ),
    "envy's card is held": (
        REFUSABLE,
        "release 1; hold; pass; hold; army 3; medallion envy; to 2; give 9; hold; done; hold",
    ),
    "envy's card is trashed": (
        REFUSABLE,
        "release 1; hold; pass; hold; army 3; medallion envy; to 2; give 9; trash; done; hold",
    ),
    "an open hand keeps a card": (
        OPEN,
        "release 1; hold; pass; hold; army 3; done; hold; pass",
    ),
    "an open hand plays all": (
        OPEN,
        "release 1; hold; pass; hold; army 4; done; hold; pass",
    ),
    "an open hand takes in a card": (
        OPEN,
        "release 1; hold; pass; hold; pass; release 0; trash",
    ),
    "a card laid open is remembered": (
        SHOWN,
        "release 1; hold; pass; hold; pass; release 1; hold; army 4; done; hold; pass",
    ),
    "what leaves an open hand is seen": (
        OPEN_ENVY,
        "hold; army 3; medallion envy; to 2; give 3; done; hold; pass",
    ),
    "sloth buries the known card": (
        SLOTH,
        "release 1; hold; pass; hold; army 4; medallion sloth; bury 1 3 9; done; hold; pass",
    ),
    "sloth buries others": (
        SLOTH,
        "release 1; hold; pass; hold; army 4; medallion sloth; bury 1 1 3; done; hold; pass",
    ),
    "sloth leaves the known card": (
        SLOTH,
        "release 1; hold; pass; hold; army 4; medallion sloth; skip; done; hold; pass",
    ),
}


@pytest.mark.parametrize("scene", SCENES)
def test_a_seat_knows_what_it_must(scene):
    (options, turn, hands, pile, removed, *fresh), script = SCENES[scene]
    state = late(
        Alicematic.with_options(n_players=3, **options), turn, hands, pile, removed, *fresh
    )
    actions = iter(script.split("; "))
    rng = random.Random(scene)
    for now, states in follow(state, lambda _: next(actions, None)):
        check(now, states, rng, min(250, 20 * len(states)))
    assert next(actions, None) is None, "the game ended before the script"


FULL = {
    "memory": {},
    "refusal is a return": {"may_refuse": "return"},
    "no refusal": {"may_refuse": "no", "hand_limit": 1},
    "secret discards": {"discard_open": False},
    "open hands": {"hand_limit": 1, "over_limit_blocks_receive": True},
    "sets held": {"sets": "held", "may_refuse": "return"},
    "left only": {"release_target": "left", "discard_open": False, "min_set": 2},
    "suits": {
        "n_players": 2,
        "counts": (1, 1),
        "suits": 3,
        "set_by": "number_or_suit",
        "may_refuse": "no",
    },
    "suits, small sets": {
        "counts": (1, 1),
        "suits": 3,
        "set_by": "number_or_suit",
        "rounds": 1,
        "min_set": 2,
    },
}
EAGER = ("army", "begin", "add", "return", "release")


@pytest.mark.parametrize("case", FULL)
@pytest.mark.parametrize("seed", [1])
def test_whole_games_of_tiny_decks(case, seed):
    few = {"n_players": 3, "counts": (5, 4), "start_hand": 1, "rounds": 2, "hand_limit": 0}
    game = Collect.with_options(**few | FULL[case])
    rng = random.Random(f"{case}, {seed}")

    def choose(state):
        legal = state.legal_actions()
        eager = [action for action in legal if action.kind in EAGER]
        return rng.choice(eager if eager and rng.random() < 0.7 else legal)

    for now, states in follow(game.new_initial_state(seed), choose):
        check(now, states, rng, min(250, 20 * len(states)))
