"""Learn to play GPT: ``python -m tools.train_gpt [FILE]``.

Trains a table by self-play (:mod:`cardlab.analysis.learn`), looks for good decks under that play,
and writes both, with the recipe, to the file that the bot ``learned`` reads and to its copy in
``data``; the decks that were tried go to ``gpt_learned_decks.csv`` there. Then measures how much
can be won against it, and writes that to ``gpt_learned.csv`` in the current folder. With ``FILE``
all of it goes there and beside it.
"""

from __future__ import annotations

import csv
import random
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from cardlab import load_game
from cardlab.analysis import empirical, metagame
from cardlab.analysis.batch import Policy
from cardlab.analysis.learn import train, train_reply
from cardlab.bots.gpt_table import Abstraction, LearnedTable
from cardlab.games.gpt_deck import Deck, draw_deck

ROOT = Path(__file__).resolve().parent.parent
SEED = 20
GAMES = 2_000_000
REPLY_GAMES = 1_000_000
RANDOM_DECKS = 2000
FRESH = 400_000

FINE = Abstraction(
    buckets=(1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9),
    theirs=(11, 13, 15),
    own=(12, 14),
)
"""What a reply outside the abstraction tells apart: nearly every high card, and more levels."""


def log(text: str) -> None:
    """Tell how far it has come."""
    print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)


def training_decks(optimal: Mapping[Deck, float]) -> dict[Deck, float]:
    """Half the decks that are optimal under random play, half any legal ones."""
    decks = {deck: chance / 2 for deck, chance in optimal.items()}
    rng = random.Random(SEED)
    for _ in range(RANDOM_DECKS):
        deck = draw_deck(rng)
        decks[deck] = decks.get(deck, 0) + 0.5 / RANDOM_DECKS
    return decks


def value(
    mine: Policy | str, theirs: Policy | str, decks: Mapping[Deck, float], seed: int
) -> tuple[float, float]:
    """What a policy wins in fresh games in which both decks are drawn; and its standard error."""
    rng = random.Random(seed)
    drawn = list(decks), list(decks.values())
    pairs = [tuple(rng.choices(*drawn, k=2)) for _ in range(2000)]
    found = empirical.duels(load_game("gpt"), (mine, theirs), pairs, FRESH // 2000, seed)
    # The pairs are drawn, too: their spread has all that is uncertain in it.
    return float(found.mean.mean()), float(found.mean.std() / len(pairs) ** 0.5)


def write(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """A CSV file."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def main(arguments: list[str]) -> int:
    """Train, measure and write."""
    file = Path(arguments[0]) if arguments else ROOT / "cardlab" / "bots" / "gpt_learned.json"
    data = file.parent if arguments else ROOT / "data"
    optimal = {deck: float(chance) for deck, chance in metagame.solve().decks.items()}
    decks = training_decks(optimal)
    log("decks to train with")
    policy = train(decks, GAMES, SEED, progress=lambda games: log(f"{games:,} games"))
    assert policy.table is not None
    weights = policy.table.astype("uint8").tobytes()
    recipe = {
        "command": "python -m tools.train_gpt",
        "seed": SEED,
        "games": GAMES,
        "decks": f"half optimal under random play, half {RANDOM_DECKS} drawn from all legal ones",
    }
    found = empirical.solve(
        load_game("gpt"), policy, list(optimal), seed=SEED, progress=lambda row: log(str(dict(row)))
    )
    good = {deck.code: round(chance, 4) for deck, chance in found.mixture.items()}
    text = LearnedTable(policy.abstraction, weights, good, recipe).to_json()
    for path in {file, data / file.name}:
        path.write_text(text, encoding="utf-8")
    write(
        data / "gpt_learned_decks.csv",
        ("deck", "chance", "gain", "low", "high"),
        (
            (
                row.code,
                good.get(row.code, 0.0),
                *(f"{x:.4f}" for x in (row.gain, row.low, row.high)),
            )
            for row in found.replies.itertuples()
        ),
    )
    log(f"good decks: {good}; highest {found.replies.head(3).to_dict('records')}")

    rows = []
    for name, mixture in (("training", decks), ("learned", found.mixture)):
        for rival in ("random", "highest", "threshold:3", "threshold:5", "threshold:7"):
            rows.append((name, rival, *value(policy, rival, mixture, SEED + 1)))
        inside = train_reply(policy, mixture, REPLY_GAMES, SEED + 2)
        outside = train_reply(policy, mixture, REPLY_GAMES, SEED + 3, abstraction=FINE)
        for rival, reply in (("reply inside", inside), ("reply outside", outside)):
            won, error = value(reply, policy, mixture, SEED + 4)
            rows.append((name, rival, -won, error))
        for row in rows[-7:]:
            log(str(row))
    write(
        (file.parent if arguments else Path()) / "gpt_learned.csv",
        ("decks", "rival", "value", "error"),
        ((decks_, rival, f"{won:.4f}", f"{error:.4f}") for decks_, rival, won, error in rows),
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
