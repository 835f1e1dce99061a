"""What a seat of CHAT cannot see is drawn uniformly, secret choices included.

Small positions are enumerated: every order of the unseen cards over the places whose face is
hidden, with every choice that the other seat may secretly have made. Which of them are possible is
decided here from the rulebook, without the game's own code.
"""

import random
from collections import Counter
from collections.abc import Iterator
from itertools import combinations, permutations
from typing import Any

import pytest

from cardlab import Observation, State, load_game
from cardlab.cards import JOKER, PACK, UNKNOWN

EVERY = [card.ascii for card in (*PACK, JOKER)]
RANK = {card.ascii: card.rank for card in (*PACK, JOKER)}

Full = tuple[tuple[str, ...], str | None]


# ------------------------------------------------------------------------------- brute force


def hidden_places(seen: dict[str, Any]) -> list[tuple[int, str, int]]:
    return [
        (owner, zone, place)
        for owner, zones in enumerate(seen["players"])
        for zone in sorted(zones)
        for place, card in enumerate(zones[zone])
        if card == "?"
    ]


def unseen_cards(seen: dict[str, Any]) -> list[str]:
    shown = {card for zones in seen["players"] for zone in zones.values() for card in zone}
    shown |= {*seen["out"]}
    return [card for card in EVERY if card not in shown]


def is_possible(seen: dict[str, Any], hand: list[str], other: int) -> bool:
    """Whether the other seat can hold these cards, after all that is known of it."""
    zones, word = seen["players"][other], seen["declared"][other]
    rules = seen["rules"]
    if seen["phase"] == "base" and rules["only_joker_hand"] == "lose":
        return hand != ["Jo"]
    if word == "more" and seen["phase"] in ("declare", "further"):
        return any(RANK[card] == RANK[zones["extra"][0]] for card in hand)
    if word == "block" and seen["phase"] == "block":
        usable = hand + zones["extra"] + (zones["base"] if rules["block_may_use_base"] else [])
        return max(Counter(RANK[card] for card in usable).values()) >= 3
    return True


def secret_choices(seen: dict[str, Any], hand: list[str], other: int) -> Iterator[str | None]:
    """What the other seat may have chosen already, where it has."""
    phase, zones = seen["phase"], seen["players"][other]
    alone = {"base": (), "extra": (), "refill": (), "declare": (), "further": ()}
    if phase not in alone or other in seen["to_move"]:
        yield None
    elif phase == "base":
        cards = [card for card in hand if card != "Jo"]
        lone = {"no_base": ["none"], "joker_base_zero": ["Jo"]}
        for card in cards or lone[seen["rules"]["only_joker_hand"]]:
            yield f"base {card}"
    elif phase == "extra":
        yield "extra none"
        yield from (f"extra {card}" for card in hand)
    elif phase == "refill":
        for n in range(1, min(3, len(zones["stock"])) + 1):
            yield f"refill {n}"
    else:
        mates = [card for card in hand if zones["extra"] and RANK[card] == RANK[zones["extra"][0]]]
        if phase == "declare":
            if not zones["extra"] or seen["declared"][other] is not None:
                yield None
            else:
                yield "declare enough"
                if mates:
                    yield "declare more"
        elif seen["declared"][other] != "more":
            yield None
        else:
            for n in range(1, len(mates) + 1):
                for chosen in combinations(sorted(mates, key=EVERY.index), n):
                    yield f"further {' '.join(chosen)}"


def enumerated(observation: Observation) -> set[Full]:
    """Every full state that the observation allows: the hidden cards by place, and the choice."""
    seen = observation.to_dict()
    other = 1 - observation.player
    places, unseen = hidden_places(seen), unseen_cards(seen)
    assert len(places) == len(unseen) <= 7
    shown = [card for card in seen["players"][other]["hand"] if card != "?"]
    found: set[Full] = set()
    for order in permutations(unseen):
        held = [
            card
            for card, (owner, zone, _) in zip(order, places, strict=True)
            if (owner, zone) == (other, "hand")
        ]
        if is_possible(seen, shown + held, other):
            found |= {(order, choice) for choice in secret_choices(seen, shown + held, other)}
    return found


def counted(state: State, observation: Observation, draws: int) -> Counter[Full]:
    """How often each full state is drawn."""
    places = hidden_places(observation.to_dict())
    rng = random.Random(7)
    return Counter(
        as_full(state.game.resample(observation, rng), places, 1 - observation.player)
        for _ in range(draws)
    )


def as_full(state: State, places: list[tuple[int, str, int]], other: int) -> Full:
    order = [getattr(state.players[owner], zone)[place].ascii for owner, zone, place in places]
    choice = state.pending[other]
    return tuple(order), choice and str(choice)


# ------------------------------------------------------------------------------------- positions


def small(
    hands: tuple[str, str],
    hidden: str,
    shields: tuple[int, int] = (1, 1),
    stocks: tuple[int, int] = (1, 1),
    moves: tuple[str, ...] = (),
    attacker: int = 0,
    **options: Any,
) -> State:
    """A position in which shields and stocks are these few ``hidden`` cards, after some moves."""
    rest = iter(hidden.split())
    players: list[dict[str, Any]] = []
    for seat in (0, 1):
        slots: list[str | None] = [next(rest) for _ in range(shields[seat])]
        slots += [None] * (5 - len(slots))
        stock = [next(rest) for _ in range(stocks[seat])]
        players.append({"hand": hands[seat].split(), "shields": slots, "stock": stock})
    assert next(rest, None) is None
    state = load_game("chat", **options).state_from_dict(
        {"attacker": attacker, "players": players, "seed": 1}
    )
    for move in moves:
        seat, action = move.split(":")
        state.apply(action, int(seat))
    return state


BASES = ("0:base Ks", "1:base Kh")

# What is tested, the seat that looks, and the position. Seat 0 attacks unless it says otherwise.
CASES: dict[str, tuple[int, State]] = {
    "nothing chosen": (0, small(("Ks 2c", "Kh 3d"), "4c Jo 6d 7h")),
    "a base": (0, small(("Ks 2c", "Kh 3d 5c"), "Jo 6d", stocks=(0, 0), moves=("1:base Kh",))),
    "a base, seen by the other": (
        1,
        small(("Ks 2c Jo", "Kh 3d"), "4c 5d 6d", stocks=(1, 0), moves=("0:base Ks",)),
    ),
    "a base of a lone card": (0, small(("Ks 2c", "Kh"), "4c Jo 6d 7h", moves=("1:base Kh",))),
    "a lone joker as base": (
        0,
        small(
            ("Ks 2c", "Kh"),
            "4c Jo 6d 7h",
            moves=("1:base Kh",),
            only_joker_hand="joker_base_zero",
        ),
    ),
    "no lone joker": (0, small(("Ks 2c", "Kh"), "4c Jo 6d 7h", only_joker_hand="lose")),
    "no lone joker, a base": (
        0,
        small(("Ks 2c", "Kh"), "4c Jo 6d 7h", moves=("1:base Kh",), only_joker_hand="lose"),
    ),
    "the joker is possible in a larger hand": (
        0,
        small(("Ks 2c", "Kh 3d"), "4c Jo 6d", stocks=(1, 0), only_joker_hand="lose"),
    ),
    "an additional card": (
        0,
        small(("Ks 2c", "Kh 3d 5c"), "4c Jo 6d", stocks=(1, 0), moves=(*BASES, "1:extra 3d")),
    ),
    "more or enough": (
        0,
        small(
            ("Ks 2c 9s", "Kh 7d 7c 5c"),
            "4c 7h 2d Jo",
            moves=(*BASES, "0:extra 2c", "1:extra 7d", "1:declare enough"),
        ),
    ),
    "who is not asked has not chosen": (
        0,
        small(
            ("Ks 2c 9s", "Kh 7d 7c 5c"),
            "7h 2d",
            stocks=(0, 0),
            moves=(*BASES, "0:extra 2c", "1:extra none"),
        ),
    ),
    "more, declared first": (
        0,
        small(
            ("Ks 2c 9s", "Kh 7d 7c 5c"),
            "4c 7h 2d Jo",
            moves=(*BASES, "0:extra 2c", "1:extra 7d", "1:declare more"),
            attacker=1,
            declare_order="attacker_first",
        ),
    ),
    "more, to be put": (
        0,
        small(
            ("Ks 2c 9s", "Kh 7d 7c 5c"),
            "4c 7h 2d Jo",
            moves=(*BASES, "0:extra none", "1:extra 7d", "1:declare more"),
        ),
    ),
    "more, put in secret": (
        0,
        small(
            ("Ks 2c 2d 9s", "Kh 7d 7c 5c"),
            "4c 7h 7s Jo",
            moves=(
                *BASES,
                "0:extra 2c",
                "1:extra 7d",
                "0:declare more",
                "1:declare more",
                "1:further 7c",
            ),
        ),
    ),
    "who does not add has not chosen": (
        0,
        small(
            ("Ks 2c 2d 9s", "Kh 7d 7c 5c"),
            "4c 7h 7s Jo",
            moves=(*BASES, "0:extra 2c", "1:extra 7d", "0:declare more", "1:declare enough"),
        ),
    ),
    "a block": (
        0,
        small(
            ("Ks Jo 2c", "Kh 7d 7c 7h"),
            "7s 4d 4c 4h",
            moves=(*BASES, "0:extra Jo", "1:extra none", "1:declare block"),
        ),
    ),
    "a block with the additional card": (
        0,
        small(
            ("Ks Jo 2c", "Kh 7d 7c 7h"),
            "7s 4d 4c 4h",
            moves=(*BASES, "0:extra Jo", "1:extra 7d", "1:declare block"),
        ),
    ),
    "a block that may use the base": (
        0,
        small(
            ("Ks Jo 2c", "7d 7c 7h 4s"),
            "7s 4d 4c",
            stocks=(1, 0),
            moves=("0:base Ks", "1:base 7d", "0:extra Jo", "1:extra none", "1:declare block"),
            block_may_use_base=True,
        ),
    ),
    "a refusal to block says nothing": (
        0,
        small(
            ("Ks Jo 2c", "Kh 7d 4h 5h"),
            "4c 4d",
            stocks=(0, 0),
            moves=(*BASES, "0:extra Jo", "1:extra none", "1:declare let"),
        ),
    ),
    "a refill": (
        0,
        small(
            ("2s 2c", "Kh 7d"),
            "7s 4d 4c 4h Jo",
            stocks=(1, 2),
            moves=("0:base 2s", "1:base Kh", "0:extra none", "1:extra none", "1:refill 2"),
        ),
    ),
    "a joker that everybody knows": (
        0,
        small(
            ("2s 2c", "Jo"),
            "7s 4d 4c 4h 9c 5h",
            shields=(1, 2),
            stocks=(1, 2),
            moves=(
                "0:base 2s",
                "1:base none",
                "0:extra none",
                "1:extra none",
                "0:strike 0",
                "0:refill 1",
                "1:refill 1",
                "1:base 5h",
            ),
        ),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_every_full_state_is_equally_likely(name: str) -> None:
    player, state = CASES[name]
    observation = state.observation(player)
    possible = enumerated(observation)
    assert as_full(state, hidden_places(observation.to_dict()), 1 - player) in possible
    draws = max(2000, 8 * len(possible))
    counts = counted(state, observation, draws)
    assert counts.keys() <= possible
    expected = draws / len(possible)
    statistic = sum((counts[full] - expected) ** 2 / expected for full in possible)
    freedom = len(possible) - 1
    assert abs(statistic - freedom) < 5 * (2 * freedom) ** 0.5 + 1, (statistic, freedom)


def test_shields_that_went_to_the_hand_stay_there() -> None:
    state = small(
        ("Ks 2c", "9s 3d"),
        "4c Jo 6d 7h 8c 5d",
        shields=(1, 2),
        stocks=(1, 2),
        moves=("0:base Ks", "1:base 9s", "0:extra none", "1:extra none", "0:strike 0"),
        destroyed_to="hand",
    )
    observation = state.observation(0)
    (known,) = [card for card in observation.players[1]["hand"] if card is not UNKNOWN]
    assert known is not None
    rng = random.Random(1)
    places = Counter(
        state.game.resample(observation, rng).players[1].hand.index(known) for _ in range(50)
    )
    assert len(places) == 1
    assert counted(state, observation, 6000).keys() == enumerated(observation)


def test_before_the_call_all_cards_may_be_left_over() -> None:
    state = load_game("chat").new_initial_state(1)
    rng = random.Random(3)
    draws = [state.game.resample(state.observation(0), rng) for _ in range(5300)]
    left_over = Counter(draw.table.left_over[0] for draw in draws)
    assert len(left_over) == 53
    statistic = sum((n - 100) ** 2 / 100 for n in left_over.values())
    assert statistic < 52 + 5 * (2 * 52) ** 0.5
    assert {len(draw.players[1].stock) for draw in draws} == {26}


@pytest.mark.parametrize("seed", range(4))
def test_in_whole_games_resampled_states_fit(seed: int) -> None:
    """Under all readings, and with the player that has the joker or a triple playing it."""
    rng = random.Random(seed)
    options = {
        "joker_block_result": ("battle", "nothing", "blocker_succeeds", "battle")[seed],
        "declare_order": ("attacker_first", "simultaneous")[seed % 2],
        "only_joker_hand": ("no_base", "lose", "joker_base_zero", "no_base")[seed],
        "destroyed_to": ("out", "hand", "hand", "out")[seed],
        "block_may_use_base": seed > 1,
        "refill_max": 3,
        "hand_limit": (None, 6, 3, 4)[seed],
    }
    game = load_game("chat", **options)
    met: set[str] = set()
    for game_seed in range(8):
        state, told = game.new_initial_state(game_seed), 0
        while state.to_move:
            player = rng.choice(state.to_move)
            # Of the phases that every turn has, a part is enough.
            often = state.phase in ("base", "extra", "refill")
            viewers = () if often and rng.random() < 0.7 else (0, 1)
            for viewer in viewers:
                met.add(state.phase)
                seen = state.observation(viewer)
                sample = game.resample(seen, rng)
                assert sample.observation(viewer) == seen
                # Of the log, what is new since the last decision is enough to be read back.
                position = sample.to_dict()
                position["log"] = position["log"][told:]
                assert game.state_from_dict(position) == sample
                for other in sample.to_move:
                    assert sample.legal_actions(other)
            told = len(state.log)
            actions = state.legal_actions(player)
            eager = [a for a in actions if str(a) in ("declare more", "declare block", "extra Jo")]
            state.apply(rng.choice(eager or actions), player)
    assert met >= {*game.phases} - {"block", "cancel"}
