"""How fast the compiled rules of GPT play: ``make bench``.

Beside them, in turns on the same core: OpenSpiel's own games in C++ between its own random bots in
C++, goofspiel with ten cards (ten rounds in which both play a card at once, as in GPT), and the
engine of cardlab.
"""

import time
from statistics import median

import pyspiel

from cardlab import load_game
from cardlab.analysis.batch import play
from cardlab.analysis.simulate import simulate

AT_LEAST = 10
"""How many times faster a game must be than one of goofspiel."""

GAME = load_game("gpt", decks=("2b2bbbbb0b022", "22bbbbb0bb022"))


def goofspiel(games):
    game = pyspiel.load_game("goofspiel(num_cards=10)")
    bots = [pyspiel.make_uniform_random_bot(seat, seat) for seat in range(2)]
    for seed in range(games):
        pyspiel.evaluate_bots(game.new_initial_state(), bots, seed)


def kernel(games):
    play(GAME, ("random", "random"), games)


def engine(games):
    simulate(GAME, ["random", "random"], games)


PLAYERS = {
    "cardlab, compiled": (kernel, 50_000),
    "OpenSpiel, goofspiel": (goofspiel, 3_000),
    "cardlab, engine": (engine, 50),
}


def microseconds(rounds):
    """Processor time a game, of each round, in which all play in turns."""
    measured = []
    for _ in range(rounds):
        times = {}
        for name, (player, games) in PLAYERS.items():
            start = time.process_time()
            player(games)
            times[name] = (time.process_time() - start) / games * 1e6
        measured.append(times)
    return measured


def test_random_games(benchmark):
    kernel(1)
    engine(1)
    measured = benchmark.pedantic(microseconds, (20,), rounds=1)
    ours, goof, plain = PLAYERS
    for name in PLAYERS:
        print(f"\n{name}: {median(times[name] for times in measured):.2f} µs a game", end="")
    ratio = median(times[goof] / times[ours] for times in measured)
    engines = median(times[plain] / times[ours] for times in measured)
    print(f"\nOpenSpiel takes {ratio:.1f} times as long, the engine {engines:.0f} times")
    benchmark.extra_info.update(ratio=ratio, engines=engines)
    assert ratio >= AT_LEAST
