"""Remake the tables and certificates in ``data/`` about optimal GPT decks; it takes twenty minutes.

``python -m tools.optimal`` writes into ``data``, ``python -m tools.optimal DIRECTORY`` elsewhere,
and then ``python -m tools.data`` describes the files. Every game that is solved is kept in the
folder ``build/optimal``: started again, it goes on where it was. What the tables say is checked by
``tests/data/test_optimal.py``; how it is computed is told in ``docs/exact.md``.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import parquet

from cardlab.analysis import exact, metagame, worth
from cardlab.analysis.metagame import Certificate
from cardlab.games.gpt_deck import Deck

ROOT = Path(__file__).resolve().parent.parent
COMMAND = "python -m tools.optimal"
SOLVED = ROOT / "build" / "optimal"

Options = Mapping[str, Any]

DEFAULT: Options = {
    "cap": 100,
    "n_shields": 5,
    "shields": "random",
    "double_knockout": "attacker_wins",
    "counter_compare": "strict_number",
}

CERTIFICATES: Mapping[str, Options] = {
    "gpt_optimal": {},
    "gpt_optimal_draw": {"double_knockout": "draw"},
    "gpt_optimal_counter": {"double_knockout": "counter_player_wins"},
    "gpt_optimal_chosen": {"shields": "chosen"},
}
"""The certificates that are published, and where their rules differ from the default ones."""

BEST = 1000
"""The number of decks in the table of the best."""


def variants() -> Iterator[Options]:
    """The rules of the table of what-ifs, each once."""
    changes: list[Options] = [
        {},
        *({"cap": cap} for cap in range(80, 121)),
        *({"n_shields": n} for n in range(1, 11)),
        *(
            {"double_knockout": knockout, "counter_compare": compare}
            for knockout in ("attacker_wins", "draw", "counter_player_wins")
            for compare in ("strict_number", "ge", "number_then_colour")
        ),
        *(
            {"shields": "chosen", "double_knockout": knockout}
            for knockout in ("attacker_wins", "draw", "counter_player_wins")
        ),
        *({"shields": "chosen", "cap": cap} for cap in range(80, 121, 10)),
    ]
    seen = []
    for change in changes:
        variant = {**DEFAULT, **change}
        if variant not in seen:
            seen.append(variant)
            yield variant


def solved(variant: Options) -> Certificate:
    """The certificate for a variant, from the folder of those that are solved if it is there."""
    path = SOLVED / ("-".join(map(str, variant.values())) + ".json")
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        scratch = path.with_suffix(".tmp")
        metagame.solve(**variant).certificate.save(scratch)
        scratch.rename(path)
    return Certificate.load(path)


# ------------------------------------------------------------------------------------- the tables


def strategies(games: Sequence[tuple[Options, Certificate]]) -> Iterator[dict[str, Any]]:
    """The optimal mixture of every variant, one row for each strategy."""
    for variant, certificate in games:
        for strategy, weight in certificate.mixture.items():
            yield {
                **variant,
                "deck": strategy.deck.code,
                "shield_cards": strategy.shields.code if strategy.shields else "",
                "sum": strategy.deck.sum,
                "share": f"{float(weight):.9f}",
                "weight": str(weight),
            }


def what_ifs(games: Sequence[tuple[Options, Certificate]]) -> Iterator[dict[str, Any]]:
    """What every variant does to the number of strategies and to the default optimal mixture."""
    default = {strategy.deck: weight for strategy, weight in games[0][1].mixture.items()}
    for variant, certificate in games:
        rules = {key: value for key, value in variant.items() if key != "shields"}
        dealt = variant["shields"] == "random"
        gain = decimals(float(exact.values(default, **rules).max())) if dealt else ""
        yield {
            **variant,
            "strategies": certificate.strategies,
            "support": len(certificate.support),
            "maximum": str(certificate.maximum),
            "against_default": gain,
        }


def write_csv(path: Path, rows: Iterator[dict[str, Any]]) -> None:
    """Write rows to a CSV file."""
    first = next(rows)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(first), lineterminator="\n")
        writer.writeheader()
        writer.writerow(first)
        writer.writerows(rows)


def write_values(path: Path, masks: Any, values: Any) -> None:
    """Write the value of every deck to a Parquet file.

    Masks ascend, so their differences take few bits; of the values, bytes of one place stand
    together, because those of the sign and the exponent are nearly all alike.
    """
    table = pa.table(
        {
            "mask": pa.array(masks.astype(np.int32)),
            "value": pa.array(values.astype(np.float32)),
        }
    )
    parquet.write_table(
        table,
        path,
        compression="zstd",
        compression_level=19,
        use_dictionary=False,
        column_encoding={"mask": "DELTA_BINARY_PACKED", "value": "BYTE_STREAM_SPLIT"},
    )


def decimals(number: float) -> str:
    """Nine decimals, and no negative zero."""
    return f"{round(number, 9) + 0.0:.9f}"


def rounded(frame: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """The rows of a table, floats with nine decimals."""
    for row in frame.to_dict("records"):
        yield {str(key): decimals(x) if isinstance(x, float) else x for key, x in row.items()}


def best(found: exact.Against) -> pd.DataFrame:
    """The best decks; where the values are the same, those with the stronger cards first."""
    frame = found.best(2 * BEST)
    masks = np.array([Deck.parse(code).mask for code in frame["code"]])
    order = np.lexsort((-masks, -frame["value"].round(9).to_numpy()))
    return frame.iloc[order[:BEST]]


def main(arguments: list[str]) -> int:
    """Write the files into the directory that is named, or into ``data``."""
    directory = Path(arguments[0]) if arguments else ROOT / "data"
    directory.mkdir(parents=True, exist_ok=True)
    for name, change in CERTIFICATES.items():
        solved({**DEFAULT, **change}).save(directory / f"{name}.json")
        print(name, flush=True)
    optimal = solved(DEFAULT)
    mixture = {strategy.deck: weight for strategy, weight in optimal.mixture.items()}
    found = exact.against(mixture)
    write_values(directory / "gpt_deck_values.parquet", found.decks.masks, found.value)
    write_csv(directory / "gpt_best_decks.csv", rounded(best(found)))
    cards = worth.cards(found.decks, found.value, mixture)
    write_csv(directory / "gpt_card_values.csv", rounded(cards))
    games = []
    for variant in variants():
        games.append((variant, solved(variant)))
        print(*variant.values(), flush=True)
    write_csv(directory / "gpt_equilibria.csv", strategies(games))
    write_csv(directory / "gpt_what_if.csv", what_ifs(games))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
