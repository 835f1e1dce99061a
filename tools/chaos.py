"""Remake the tables in ``data/`` about games of Chaos between bots; it takes some ten minutes.

``python -m tools.chaos`` writes into ``data``, ``python -m tools.chaos DIRECTORY`` elsewhere, and
then ``python -m tools.data`` describes the files. ``tests/data/test_chaos.py`` plays some of the
rows again.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from cardlab import load_game
from cardlab.analysis import chaos

ROOT = Path(__file__).resolve().parent.parent

GAMES = 800
"""Games for each table of bots and each reading."""
ROTATED = 1200
"""Games whose rotations are compared, their seeds from 0 on."""

ROTATION_COLUMNS = ("seed", "number", "steps", *chaos.Compared._fields)
TABLES = (
    *((bot, players, chaos.STANDARD) for bot in ("random", "careful") for players in (3, 4, 5)),
    *(("careful", 4, option) for option in chaos.READINGS),
)
"""Bot, number of players and reading of each part of the table of ends."""


def rotations(seeds: Iterable[int]) -> Iterator[Sequence[Any]]:
    """The rotations of some games of four careful bots, and what came of each."""
    game = load_game("chaos")
    for seed in seeds:
        for spot in chaos.follow(game, seed).spots:
            moved, kept, won_moved, won_kept = chaos.compare(spot)
            yield seed, spot.number, spot.steps, moved, kept, _share(won_moved), _share(won_kept)


def _share(number: float) -> str:
    return f"{number:.4f}"


def ends(n: int) -> Iterator[pd.DataFrame]:
    """The parts of the table of ends, with so many games each."""
    for bot, players, option in TABLES:
        yield chaos.ends(bot, players, option, n)


def main(arguments: list[str]) -> int:
    """Write the files into the directory that is named, or into ``data``."""
    directory = Path(arguments[0]) if arguments else ROOT / "data"
    directory.mkdir(parents=True, exist_ok=True)
    with (directory / "chaos_rotation.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(ROTATION_COLUMNS)
        for seed in range(ROTATED):
            writer.writerows(rotations([seed]))
    parts = []
    for part in ends(GAMES):
        parts.append(part)
        print(*part.loc[0, ["bot", "players", "option"]], flush=True)
    points = [f"points_{seat}" for seat in range(5)]
    table = pd.concat(parts).astype(dict.fromkeys(points, "Int16"))
    table.to_csv(directory / "chaos_ends.csv", index=False, lineterminator="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
