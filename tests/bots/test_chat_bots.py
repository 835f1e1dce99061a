"""What the careful bot of CHAT does, and how well."""

import random
from collections import Counter
from typing import Any

import pytest

from cardlab import State, load_game
from cardlab.bots import list_bots, load_bot, play
from cardlab.bots.testing import BotSuite
from cardlab.cards import JOKER, PACK

EVERY = [card.ascii for card in (*PACK, JOKER)]
GAME = load_game("chat")


def position(
    hands: tuple[str, str],
    stocks: tuple[int, int] = (10, 10),
    shields: tuple[int, int] = (5, 5),
    attacker: int = 0,
    options: dict[str, Any] | None = None,
) -> State:
    """These hands; stocks and shields of other cards, of which the lowest are in nobody's hand."""
    named = {card for hand in hands for card in hand.split()}
    others = iter([card for card in reversed(EVERY) if card not in named])
    players = [
        {
            "hand": hands[seat].split(),
            "shields": [next(others) for _ in range(shields[seat])] + [None] * (5 - shields[seat]),
            "stock": [next(others) for _ in range(stocks[seat])],
        }
        for seat in (0, 1)
    ]
    return load_game("chat", **options or {}).state_from_dict(
        {"attacker": attacker, "players": players}
    )


def chosen(state: State, seat: int) -> str:
    bot = load_bot("careful", state.game)
    return str(bot.choose(state.observation(seat), state.legal_actions(seat), random.Random(0)))


def do(state: State, *actions: str) -> State:
    for action in actions:
        state.apply(action)
    return state


class TestCareful(BotSuite):
    # Games in which all phases occur.
    seeds = (25,)

    def test_every_phase_is_met(self) -> None:
        games = self.make_games()
        met = {at.state.phase for game in games for at in self.decisions(game)}
        assert met == {*GAME.phases}

    def make_bot(self, game: Any) -> Any:
        return load_bot("careful", game)

    def make_games(self) -> Any:
        return [
            GAME,
            load_game(
                "chat",
                joker_block_result="battle",
                spade_target="any",
                spade_optional=True,
                block_may_use_base=True,
                declare_order="attacker_first",
                destroyed_to="hand",
                win_check="step11",
                refill_max=1,
            ),
            load_game("chat", only_joker_hand="joker_base_zero", refill_max=1, hand_limit=2),
        ]


def test_there_are_two_bots() -> None:
    assert list_bots("chat") == ["random", "careful"]


@pytest.mark.rule("C19")
def test_it_draws_no_more_than_the_clock_allows() -> None:
    for mine, theirs, wanted in ((10, 10, 1), (10, 12, 1), (12, 10, 2), (16, 10, 3), (2, 9, 1)):
        state = position(("4h 2c", "9s 2d"), (mine, theirs))
        do(state, "base 4h", "base 9s", "extra none", "extra none")
        assert chosen(state, 0) == f"refill {wanted}"


@pytest.mark.rule("C12")
def test_it_blocks_with_the_cheapest_cards() -> None:
    state = position(("Ks Jo", "2s 9h 9c 9d 3h 3c 3d"))
    do(state, "base Ks", "base 2s", "extra Jo", "extra none")
    assert chosen(state, 1) == "declare block"
    do(state, "declare block")
    assert chosen(state, 1) == "block 3h 3d 3c"


@pytest.mark.rule("C10")
def test_it_adds_only_what_turns_the_battle() -> None:
    # 5 and 6 against 9: the first six is enough, the others are kept.
    state = position(("5s 6h 6c 6d", "9s 2c"))
    do(state, "base 5s", "base 9s", "extra 6h", "extra none")
    assert chosen(state, 0) == "declare enough"
    # 5 and 6 against 12: one more six is needed.
    state = position(("5s 6h 6c 6d", "Qs 2c"))
    do(state, "base 5s", "base Qs", "extra 6h", "extra none")
    assert chosen(state, 0) == "declare more"
    do(state, "declare more")
    assert chosen(state, 0) in ("further 6c", "further 6d")


@pytest.mark.rule("C16b")
def test_its_spade_cancels_the_right_card() -> None:
    state = position(("5d 6s 6h", "4s 9c 9d"))
    do(state, "base 5d", "base 4s", "extra 6s", "extra 9c", "declare more", "declare more")
    do(state, "further 6h", "further 9d")
    assert chosen(state, 0) == "cancel 9d"


@pytest.mark.rule("C13")
def test_the_joker_wins_and_saves_games() -> None:
    state = position(("2s Jo 3c 4d", "Ks Qd 5h"), shields=(5, 2))
    do(state, "base 2s", "base Ks")
    assert chosen(state, 0) == "extra Jo"
    state = position(("Ks Qd 5h", "2s Jo 3c 4d"), shields=(5, 1))
    do(state, "base Ks", "base 2s")
    assert chosen(state, 1) == "extra Jo"
    # Where another card is as good as certain to win it is kept.
    state = position(("Ks Jo Kd", "As"))
    do(state, "base Ks", "base As")
    assert chosen(state, 0) == "extra none"


@pytest.mark.rule("C16c")
def test_it_does_not_waste_cards_on_a_lost_battle() -> None:
    state = position(("As 2c 3d", "Ks Qd"))
    do(state, "base As", "base Ks")
    assert chosen(state, 0) == "extra none"


def test_the_chance_to_succeed_is_what_it_is() -> None:
    """Against every card that the other may show, one by one, with the game's own judge."""
    from cardlab.bots.chat import _Table
    from cardlab.games.chat import resolve

    rng = random.Random(4)
    state = position(("5s 9h 9c 2d Ks", "8d 7c 7h 3s"), (6, 6), (3, 4))
    for attacker in (0, 1):
        state.attacker = attacker  # type: ignore[attr-defined]
        table = _Table(state.observation(0))
        unseen = [
            card for card in PACK if card not in state.players[0].hand and card not in state.out
        ]
        for _ in range(30):
            base, other = rng.sample([card for card in PACK if card not in unseen], 2)
            for extra in (None, *[c for c in state.players[0].hand if c not in (base, other)]):
                sides = [base, [extra] if extra else []], [other, []]
                wins = [resolve_for(attacker == 0, sides, resolve)]
                for card in unseen:
                    if card in (base, other):
                        continue
                    wins.append(resolve_for(attacker == 0, (sides[0], [other, [card]]), resolve))
                jokers = 1
                expected = wins[0] / 5 + 4 / 5 * sum(wins[1:]) / (len(wins) - 1 + jokers)
                assert table.chance(base.rank, extra, other.rank) == pytest.approx(expected)


def resolve_for(attacks: bool, sides: Any, resolve: Any) -> bool:
    (mine, my_extra), (other, their_extra) = sides
    if attacks:
        return bool(resolve(mine, my_extra, other, their_extra).success)
    return not resolve(other, their_extra, mine, my_extra).success


@pytest.mark.slow
def test_careful_beats_random_from_either_seat() -> None:
    """It won 98.6 of 100 games in a series of 10,000."""
    results: Counter[tuple[int, float]] = Counter()
    endings: Counter[str] = Counter()
    for number in range(300):
        seat = number % 2
        bots = ["careful", "random"] if seat == 0 else ["random", "careful"]
        state = play(GAME, bots, number // 2)
        results[seat, state.returns()[seat]] += 1
        endings[state.log[-1].kind] += 1
    for seat in (0, 1):
        assert results[seat, 1.0] >= 140
    # Most of the games are won by the clock.
    assert endings["chat.stock_out"] > 190


def test_shields_that_look_alike_are_struck_alike() -> None:
    state = position(("Ks 2c", "3s 2d"), shields=(5, 4))
    do(state, "base Ks", "base 3s", "extra none", "extra none")
    bot = load_bot("careful", GAME)
    rng = random.Random(1)
    struck = Counter(
        str(bot.choose(state.observation(0), state.legal_actions(0), rng)) for _ in range(400)
    )
    assert len(struck) == 4
    assert min(struck.values()) > 60
