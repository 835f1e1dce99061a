"""Chance without a generator to carry about.

A state holds a seed and counts its shuffles. Each shuffle is one keyed hash of the two: the same on
every machine and Python version, untouched by clones, and of no use to someone who sees the result
and would like to know the seed.
"""

from __future__ import annotations

import secrets
from functools import cache
from hashlib import blake2b
from typing import TypeVar

T = TypeVar("T")


def new_seed() -> int:
    """A fresh seed of 63 bits from the operating system."""
    return secrets.randbits(63)


def draw(seed: int, counter: int) -> int:
    """A uniform integer of 512 bits, the ``counter``-th of the stream ``seed``."""
    return int.from_bytes(blake2b(f"{seed}:{counter}".encode()).digest(), "big")


def shuffle(items: list[T], seed: int, counter: int) -> None:
    """Shuffle in place, every order equally likely (Fisher and Yates).

    One hash serves a whole shuffle: 512 bits, divided by 52, 51 ... 2, leave a remainder that
    biases no order by more than 2**-280.
    """
    bits = draw(seed, counter)
    for product, divisors in _divisors(len(items)):
        bits, part = divmod(bits, product)
        for divisor in divisors:
            part, chosen = divmod(part, divisor)
            items[divisor - 1], items[chosen] = items[chosen], items[divisor - 1]


@cache
def _divisors(n: int) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """``n``, ``n - 1`` ... 2 in groups, each with its product.

    To divide a long number by a product, and the short remainder by the members of the group, gives
    the same as to divide the long number by each of them, in less time.
    """
    groups: list[tuple[int, tuple[int, ...]]] = []
    for divisor in range(n, 1, -1):
        product, members = groups[-1] if groups else (1 << 30, ())
        if product * divisor < 1 << 30:
            groups[-1] = (product * divisor, (*members, divisor))
        else:
            groups.append((divisor, (divisor,)))
    return tuple(groups)
