"""How far conclusions from random play carry: ``python -m tools.small_game [DIRECTORY]``.

Solves the small game (:mod:`cardlab.analysis.optimal`), deck and cards together, finds the optimal
mixture of decks when all cards are played at random, and writes both, deck by deck, to
``gpt_small_game.csv`` in the directory, ``data`` by default. Prints what else is worth knowing.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np

from cardlab.analysis import exact
from cardlab.analysis.matrix_game import optimal_mixtures
from cardlab.analysis.optimal import SHIELDS, SmallGame

ROOT = Path(__file__).resolve().parent.parent
ACCURACY = 1e-4
COLUMNS = ("deck", "cards", "sum", "chance", "value", "chance_random", "value_random")


def log(text: str) -> None:
    """Tell what is known so far."""
    print(text, flush=True)


def main(arguments: list[str]) -> int:
    """Solve the game, print and write."""
    directory = Path(arguments[0]) if arguments else ROOT / "data"
    game = SmallGame()
    best = game.solve(ACCURACY)
    log(f"optimal play: exploitability {best.exploitability:.2e} ({best.iterations} iterations)")

    # The same decks when cards are played at random, by another way: exact values.
    matches = [
        [exact.match(a, b, n_shields=SHIELDS, exact=True).value for b in game.decks]
        for a in game.decks
    ]
    mixture, _ = optimal_mixtures(matches)
    by_chance = game.at_random(np.array(mixture, dtype=np.float64))
    values_random = np.array(matches, dtype=np.float64) @ by_chance.deck
    check = game.payoffs @ game.chances(by_chance)
    replies = np.array(
        [
            check[first:stop] @ game.chances(game.at_random(np.eye(len(game.decks))[i]))[first:stop]
            for i, (first, stop) in enumerate(zip(game.starts, game.starts[1:], strict=False))
        ]
    )
    apart = abs(replies - values_random).max()
    log(f"two ways to the values under random play differ by {apart:.1e}")

    log(f"random cards with the best decks for them lose {game.exploit(by_chance):.4f}")
    even = game.at_random(best.strategy.deck)
    log(f"random cards with the decks of optimal play lose {game.exploit(even):.4f}")
    bound = game.solve(5 * ACCURACY, decks=by_chance.deck)
    log(f"optimal cards with the decks of random play lose {bound.exploitability:.4f}")
    values = game.replies(best.strategy)
    rank = np.corrcoef(values.argsort().argsort(), values_random.argsort().argsort())[0, 1]
    log(f"rank correlation of the values of the decks {rank:.3f}")

    with (directory / "gpt_small_game.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for i, deck in enumerate(game.decks):
            cards = " ".join(card.ascii for card in deck.cards())
            numbers = (best.strategy.deck[i], values[i], mixture[i], values_random[i])
            # Less than the accuracy would be noise.
            writer.writerow((deck.code, cards, deck.sum, *(f"{float(x) + 0:.4f}" for x in numbers)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
