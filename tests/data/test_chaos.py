"""The published tables about games of Chaos say what the games say that are played again.

To play all of them takes ten minutes (``python -m tools.chaos``). Here the first games of every
part are played, and some from the midst of it.
"""

from collections import Counter
from itertools import groupby

import pytest

from cardlab.analysis import chaos as played
from tests.data.tables import rows
from tools import chaos


@pytest.fixture(scope="module")
def rotations():
    return rows("chaos_rotation")


@pytest.fixture(scope="module")
def ends():
    return rows("chaos_ends")


@pytest.mark.rule("X12")
@pytest.mark.parametrize("seed", [0, 1, 2, 577, chaos.ROTATED - 1])
def test_rotations_of_a_game_are_those_of_the_game_played_again(rotations, seed):
    told = [tuple(row.values()) for row in rotations if row["seed"] == str(seed)]
    assert told == [tuple(map(str, row)) for row in chaos.rotations([seed])]


def test_rotations_are_whole(rotations):
    for _, spots in groupby(rotations, key=lambda row: row["seed"]):
        numbers = [int(row["number"]) for row in spots]
        assert numbers == [*range(len(numbers))]
    seeds = [int(row["seed"]) for row in rotations]
    assert seeds == sorted(seeds)
    assert seeds[-1] < chaos.ROTATED
    for row in rotations:
        assert row["won_moved"] in {"0.0000", "0.2500", "0.3333", "0.5000", "1.0000"}
        if row["steps"] == "0":
            assert row["points_moved"] == row["points_kept"]


def test_every_part_of_the_ends_is_whole(ends):
    parts = Counter((row["bot"], int(row["players"]), row["option"]) for row in ends)
    assert parts == dict.fromkeys(chaos.TABLES, chaos.GAMES)
    assert [row["game"] for row in ends] == [*map(str, range(chaos.GAMES))] * len(parts)
    for row in ends:
        assert sum(row[f"points_{seat}"] != "" for seat in range(5)) == int(row["players"])


@pytest.mark.rule("X15")
@pytest.mark.rule("X16")
@pytest.mark.rule("X17")
@pytest.mark.parametrize("table", chaos.TABLES, ids=lambda table: "-".join(map(str, table)))
def test_the_first_games_of_a_part_end_as_they_do_when_played_again(ends, table):
    told = [row for row in ends if (row["bot"], int(row["players"]), row["option"]) == table]
    again = played.ends(*table, n=3).astype(str).to_dict("records")
    assert [{name: text for name, text in row.items() if text} for row in told[:3]] == again
