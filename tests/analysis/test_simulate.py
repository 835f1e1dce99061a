"""Many games as one table."""

import math

import numpy as np
import pandas as pd
import pytest

import cardlab
from cardlab import RulesError, load_game
from cardlab.analysis.simulate import game_seed, outcome_shares, simulate
from cardlab.bots import RandomBot, play

GAME = load_game("gpt", decks=("2222000b00222", "22b2bb0000222"))
GAMES = simulate(GAME, ["highest", "random"], 120, seed=5)


def test_columns_and_types():
    assert GAMES.dtypes.astype(str).to_dict() == {
        "seed": "int64",
        "winner": "Int8",
        "turns": "int16",
        "shields_0": "int16",
        "shields_1": "int16",
        "ending": "str",
    }
    assert GAMES.index.equals(pd.RangeIndex(120))
    empty = simulate(GAME, ["random", "random"], 0)
    assert len(empty) == 0
    assert empty.dtypes.equals(GAMES.dtypes)


def test_each_row_is_the_game_of_its_seed():
    for row in GAMES.head(40).itertuples():
        state = play(GAME, ["highest", "random"], row.seed)
        assert (row.turns, row.shields_0, row.shields_1) == (state.turn, *state.scores())
        assert row.ending == state.log[-1].kind
        assert state.returns() == {0: [1, -1], 1: [-1, 1]}.get(row.winner, [0, 0])


def test_what_the_rules_say_about_the_end():
    left = GAMES[["shields_0", "shields_1"]]
    assert GAMES["turns"].between(3, 10).all()
    assert left.isin(range(6)).all(axis=None)
    won = GAMES[GAMES["ending"] == "gpt.win"]
    assert len(won)
    assert (won[["shields_0", "shields_1"]].min(axis=1) == 0).all()
    assert (
        won[["shields_0", "shields_1"]].idxmax(axis=1).str[-1].astype(int) == won["winner"]
    ).all()
    counted = GAMES[GAMES["ending"].str.startswith("gpt.count")]
    assert (counted["turns"] == 10).all()


def test_draws_have_no_winner():
    rules = {"double_knockout": "draw"}
    games = simulate(load_game("gpt", **rules), ["random", "random"], 100, seed=2)
    drawn = games["winner"].isna()
    assert drawn.any()
    assert drawn.equals(games["ending"].isin(["gpt.knockout_draw", "gpt.count_draw"]))


def test_fewer_games_are_the_beginning_of_more():
    few = simulate(GAME, ["highest", "random"], 7, seed=5)
    pd.testing.assert_frame_equal(few, GAMES.head(7))


def test_seeds_differ_and_follow_from_the_seed():
    assert GAMES["seed"].tolist() == [game_seed(5, index) for index in range(120)]
    seeds = {game_seed(seed, index) for seed in (0, 1, -1, 10) for index in range(300)}
    assert len(seeds) == 1200
    assert all(0 <= seed < 2**63 for seed in seeds)
    # The middle bit of honest seeds is set in half of them: 600 here, 17 being one deviation.
    assert abs(sum(seed >> 31 & 1 for seed in seeds) - 600) < 80


def test_progress_is_told():
    told = []
    simulate(GAME, ["random", "random"], 120, progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 120


def test_bots_of_ones_own_may_play():
    games = simulate(GAME, [RandomBot(), "random"], 3, seed=np.int64(1), jobs=np.int8(1))
    pd.testing.assert_frame_equal(games, simulate(GAME, ["random", "random"], 3, seed=1))


def test_other_games_have_scores():
    for name in cardlab.list_games():
        games = simulate(load_game(name), ["random"] * load_game(name).num_players, 2)
        assert games.columns[3].rpartition("_")[0] in ("shields", "score")
        assert games["winner"].dropna().between(0, load_game(name).num_players - 1).all()


def test_a_match_has_the_turns_of_all_its_rounds():
    game = load_game("chaos", n_players=3, target_points=3)
    games = simulate(game, ["random"] * 3, 4, seed=2)
    assert games.columns[2:5].tolist() == ["turns", "rounds", "score_0"]
    for row in games.itertuples():
        log = [event.kind for event in play(game, ["random"] * 3, row.seed).log]
        assert row.turns == log.count("chaos.turn")
        assert row.rounds == 1 + log.count("chaos.round")
        assert row.ending in log[-log[::-1].index("chaos.round") :] if row.rounds > 1 else True
    assert games["rounds"].max() > 1
    assert "rounds" not in simulate(load_game("chaos"), ["random"] * 4, 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n": -1}, "n cannot be -1"),
        ({"n": 1.5}, "n cannot be 1.5"),
        ({"n": True}, "n cannot be True"),
        ({"n": "9"}, "n cannot be '9'"),
        ({"seed": None}, "seed cannot be None"),
        ({"seed": 2**63}, "seed cannot be"),
        ({"jobs": 0}, "processes is 1 or more"),
        ({"jobs": -2}, "jobs cannot be -2"),
        ({"bots": ["random"]}, "exactly 2 bots"),
        ({"bots": ["random", "clever"]}, 'no bot "clever"'),
        ({"bots": ["random", 7]}, "7 is no bot"),
    ],
)
def test_wrong_arguments_are_refused(options, message):
    arguments = {"game": GAME, "bots": ["random", "random"], "n": 1} | options
    with pytest.raises(RulesError, match=message):
        simulate(**arguments)


# ---------------------------------------------------------------------------------------- shares


def wilson(wins, games, z=1.959964):
    """Wilson's interval as his paper of 1927 has it."""
    share = wins / games
    middle = share + z * z / (2 * games)
    spread = z * math.sqrt(share * (1 - share) / games + z * z / (4 * games**2))
    return (middle - spread) / (1 + z * z / games), (middle + spread) / (1 + z * z / games)


def test_shares_with_wilsons_interval():
    games = pd.DataFrame({"winner": pd.array([0] * 50 + [1] * 30 + [None] * 20, dtype="Int8")})
    table = outcome_shares(games)
    assert table.columns.tolist() == ["winner", "games", "count", "share", "low", "high"]
    assert table["winner"].dtype == "Int64"
    assert table["winner"].tolist() == [0, pd.NA, 1]
    assert table["count"].tolist() == [50, 20, 30]
    assert table["share"].tolist() == [0.5, 0.2, 0.3]
    for row in table.itertuples():
        assert (row.low, row.high) == pytest.approx(wilson(row.count, 100), abs=1e-6)
    wide = outcome_shares(games, confidence=0.99)
    assert (wide["low"] < table["low"]).all()
    assert (wide["high"] > table["high"]).all()


@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_intervals_are_those_of_scipy(confidence):
    from scipy.stats import binomtest

    for n, count in ((1, 0), (1, 1), (7, 3), (100, 0), (100, 100), (10_000, 4_321)):
        games = pd.DataFrame({"winner": pd.array([0] * count + [None] * (n - count), dtype="Int8")})
        row = outcome_shares(games, confidence=confidence).iloc[0]
        expected = binomtest(count, n).proportion_ci(confidence, "wilson")
        assert (row["low"], row["high"]) == (expected.low, expected.high)


def test_shares_by_group():
    games = GAMES.assign(long=GAMES["turns"] > 6)
    table = outcome_shares(games, by="long")
    assert table.columns[0] == "long"
    for value, part in games.groupby("long"):
        alone = table[table["long"] == value].drop(columns="long").reset_index(drop=True)
        pd.testing.assert_frame_equal(alone, outcome_shares(part))


def test_shares_of_more_than_two_seats():
    games = pd.DataFrame({"winner": pd.array([0, 3, None], dtype="Int8")})
    assert outcome_shares(games)["winner"].tolist() == [0, pd.NA, 1, 2, 3]
    only_draws = pd.DataFrame({"winner": pd.array([None, None], dtype="Int8")})
    assert outcome_shares(only_draws)["share"].tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    ("games", "options", "message"),
    [
        (GAMES[:0], {}, "no games"),
        (GAMES, {"by": "deck"}, 'no column "deck"'),
        (GAMES[["turns"]], {}, 'no column "winner"'),
        (GAMES, {"confidence": 1}, "between 0 and 1"),
    ],
)
def test_shares_refuse(games, options, message):
    with pytest.raises(RulesError, match=message):
        outcome_shares(games, **options)


@pytest.mark.rule("X17")
def test_endings_of_chaos_say_why() -> None:
    game = load_game("chaos", n_players=3, max_turns=9)
    games = simulate(game, ["random"] * 3, 30, seed=1)
    assert {"chaos.abandoned", "chaos.max_turns"} <= {*games["ending"]}
    for seed, ending in zip(games["seed"], games["ending"], strict=True):
        kinds = [event.kind for event in play(game, ["random"] * 3, int(seed)).log]
        assert ending in kinds
