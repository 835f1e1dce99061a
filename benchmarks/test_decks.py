"""How fast decks are counted and listed: ``make bench``."""

import time
from itertools import combinations

import numpy as np
import pytest

from cardlab.analysis import decks
from cardlab.games import gpt_deck

AT_LEAST = 20
"""How many times faster than itertools a full list must be."""


def with_itertools():
    """All legal decks the plain way, as fast as it can be written.

    A card is its bit and, above all bits, its number, so that one sum makes both of a deck.
    """
    cards = [1 << bit | gpt_deck.RANK_OF_BIT[bit] << 26 for bit in range(26)]
    too_much = gpt_deck.CAP + 1 << 26
    return [deck for deck in map(sum, combinations(cards, gpt_deck.SIZE)) if deck < too_much]


def test_list_all_legal_decks(benchmark):
    found = benchmark(decks.enumerate)
    # Once and in full, in the same process and just after.
    start = time.perf_counter()
    plain = with_itertools()
    seconds = time.perf_counter() - start

    ratio = seconds / benchmark.stats["median"]
    benchmark.extra_info.update(itertools_seconds=seconds, ratio=ratio)
    print(f"\nitertools.combinations: {seconds:.2f} s, {ratio:.0f} times as long as the median")
    packed = np.array(plain, np.uint64)
    order = np.argsort(packed & np.uint64((1 << 26) - 1))
    assert np.array_equal(packed[order] & np.uint64((1 << 26) - 1), found.masks)
    assert np.array_equal(packed[order] >> np.uint64(26), found.sums)
    assert benchmark.stats["median"] < 0.1
    assert ratio >= AT_LEAST


def test_table_of_all_legal_decks(benchmark):
    found = decks.enumerate()
    frame = benchmark.pedantic(found.to_frame, rounds=5, warmup_rounds=1)
    assert len(frame) == 2_492_494


@pytest.mark.parametrize("cap", [64, 100, 146])
def test_count_under_a_new_cap(benchmark, cap):
    # Nothing is remembered from one round to the next.
    count = benchmark.pedantic(
        decks.count, (15, cap), setup=gpt_deck._tables.cache_clear, rounds=200
    )
    assert count == {64: 2, 100: 2_492_494, 146: 7_726_160}[cap]
    assert benchmark.stats["median"] < 0.01


def test_count_under_every_cap(benchmark):
    counts = benchmark(lambda: [decks.count(cap=cap) for cap in range(64, 147)])
    assert counts[100 - 64] == 2_492_494
