"""How fast exact values, optimal mixtures and their verification are: ``make bench``.

Beside them: simulation, which is the plain way to such numbers. Complete enumeration is out of
reach, two decks have 15!**2 (about 1.7e24) pairs of orders.
"""

import json
import random
import subprocess
import sys
import time

import numpy as np
import pytest

from cardlab.analysis import decks, exact, metagame
from cardlab.games.gpt_deck import draw_deck

ACCURACY = 1e-4
"""The standard error that simulation is granted; exact values have none."""

CHILD = """
import json, resource, sys, time
from cardlab.analysis import metagame
if sys.argv[1] == "solve":
    found = metagame.solve(**json.loads(sys.argv[2]))
    found.certificate.save(sys.argv[3])
    gain = str(found.exploitability)
else:
    gain = str(metagame.Certificate.load(sys.argv[3]).verify().maximum)
seconds = time.process_time()
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
print(json.dumps({"gain": gain, "seconds": seconds, "gibibytes": memory}))
"""


def cold(*arguments):
    """The same in a new process, imports included: CPU seconds, peak memory, exploitability."""
    done = subprocess.run(
        [sys.executable, "-c", CHILD, *arguments], capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def simulated(a, b, games, rng):
    """The mean result of random games in numpy, as fast as it can be written."""
    size, shields = 15, 5
    orders = [
        np.array([bit for bit in range(26) if deck.mask >> bit & 1])[
            rng.random((games, size)).argsort(axis=1)
        ]
        for deck in (a, b)
    ]
    left = np.full((2, games), shields)
    result = np.zeros(games)
    alive = np.ones(games, bool)
    everyone = np.arange(games)
    for turn in range(size - shields):
        played = orders[0][:, turn], orders[1][:, turn]
        for winner, ahead in ((0, played[0] > played[1]), (1, played[1] > played[0])):
            who = alive & ahead
            struck = orders[1 - winner][everyone, size - left[1 - winner].clip(1)]
            left[1 - winner] -= who
            left[winner] -= who & (struck // 2 > played[winner] // 2)
            over = who & (left == 0).any(axis=0)
            # The attacker wins a double knock-out.
            attacker = left[1 - winner] == 0
            result[over] = np.where(attacker, 1 - 2 * winner, 2 * winner - 1)[over]
            alive &= ~over
    result[alive] = np.sign(left[0] - left[1])[alive]
    return result


def test_one_match(benchmark):
    rng = random.Random(1)
    pairs = iter([(draw_deck(rng), draw_deck(rng)) for _ in range(2000)])
    first = next(pairs)
    exact.match(*first)
    benchmark.pedantic(exact.match, setup=lambda: (next(pairs), {}), rounds=500)

    start = time.perf_counter()
    results = simulated(*first, 100_000, np.random.default_rng(1))
    seconds = time.perf_counter() - start
    value = exact.match(*first).value
    assert abs(results.mean() - value) < 5 * results.std() / np.sqrt(len(results))
    needed = seconds / len(results) * results.var() / ACCURACY**2
    ratio = needed / benchmark.stats["median"]
    benchmark.extra_info.update(simulation_seconds=needed, ratio=ratio)
    print(f"\nsimulation to {ACCURACY}: {needed:.0f} s, {ratio:.0f} times as long as the median")
    assert benchmark.stats["median"] < 0.005
    assert ratio > 1000


def test_one_match_in_fractions(benchmark):
    rng = random.Random(2)
    a, b = draw_deck(rng), draw_deck(rng)
    found = benchmark(lambda: exact.match(a, b, exact=True))
    assert found.win + found.loss + found.draw == 1


def test_all_legal_decks_against_one(benchmark):
    rng = random.Random(3)
    exact.against(draw_deck(rng))
    found = benchmark.pedantic(
        exact.against, setup=lambda: ((draw_deck(rng),), {}), rounds=3, iterations=1
    )
    assert len(found.decks) == decks.count()
    assert benchmark.stats["median"] < 6


def test_value_of_all_legal_decks_against_one(benchmark):
    """Beside the plain way: one match after the other."""
    rng = random.Random(4)
    b = draw_deck(rng)
    found = exact.values(b)
    benchmark.pedantic(exact.values, setup=lambda: ((draw_deck(rng),), {}), rounds=5)

    places = rng.sample(range(len(found)), 300)
    legal = exact.legal_decks(15, 100)
    start = time.perf_counter()
    some = [exact.match(legal[place], b).value for place in places]
    seconds = (time.perf_counter() - start) / len(places)
    assert np.abs(found[places] - some).max() < 1e-12
    ratio = seconds * len(found) / benchmark.stats["median"]
    benchmark.extra_info.update(one_by_one_seconds=seconds * len(found), ratio=ratio)
    print(f"\none by one: {seconds * len(found):.0f} s, {ratio:.0f} times as long as the median")
    assert ratio > 1000


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return tmp_path_factory.mktemp("certificates")


GAMES = {
    "attacker_wins": {},
    "draw": {"double_knockout": "draw"},
    "chosen": {"shields": "chosen"},
}


@pytest.mark.parametrize("name", GAMES)
def test_optimal_mixture_from_cold(benchmark, files, name):
    run = benchmark.pedantic(
        cold, ("solve", json.dumps(GAMES[name]), str(files / f"{name}.json")), rounds=1
    )
    benchmark.extra_info.update(run)
    print(f"\n{name}: {run['seconds']:.1f} s, {run['gibibytes']:.2f} GiB, gain {run['gain']}")
    assert run["gain"] == "0"
    assert run["gibibytes"] < 2
    assert run["seconds"] < (300 if name == "chosen" else 60)


@pytest.mark.parametrize("name", GAMES)
def test_verification_from_cold(benchmark, files, name):
    path = files / f"{name}.json"
    if not path.exists():
        metagame.solve(**GAMES[name]).certificate.save(path)
    run = benchmark.pedantic(cold, ("verify", "", str(path)), rounds=1)
    benchmark.extra_info.update(run)
    print(f"\n{name}: {run['seconds']:.1f} s, {run['gibibytes']:.2f} GiB")
    assert run["gain"] == "0"
    assert run["seconds"] < (60 if name == "chosen" else 30)
