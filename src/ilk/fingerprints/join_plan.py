"""The plan of a join of fingerprints: what it will do and need, before it runs."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ilk import _kernels
from ilk.base.errors import OptionError
from ilk.fingerprints.hamming import checked_radius, working_memory

#: The widths of fingerprints, in bits.
WIDTHS = (32, 64, 128)


@dataclass(frozen=True, slots=True)
class JoinPlan:
    """How ``ilk.hamming.pairs`` joins n random fingerprints, and the time and memory it needs.

    ``str(plan)`` is a sentence with all of it.

    Attributes:
        n: fingerprints.
        radius: the largest distance in bits.
        bits: their width.
        tables: how often they are sorted by some of their bits; 0 if every two are compared.
        matched: bits that must agree in a table for two to be compared there; the mean over the
            tables.
        slices: parts in which they are sorted, one after the other, if memory is short.
        seconds: CPU seconds of one thread, without the time for the results.
        memory: bytes, without the column and the pairs.
        chance: the expected number of pairs of unlike documents within the radius.
    """

    n: int
    radius: int
    bits: int
    tables: int
    matched: float
    slices: int
    seconds: float
    memory: int
    chance: float

    def __str__(self) -> str:
        """Return everything in a sentence."""
        how = (
            f"{self.tables} tables of {self.matched:.1f} bits"
            if self.tables
            else "every two compared"
        )
        if self.slices > 1:
            how += f", in {self.slices} slices"
        return (
            f"{self.n:,} fingerprints of {self.bits} bits within radius {self.radius}: {how}; "
            f"about {self.seconds:.2g} CPU-seconds and {self.memory / 1e6:,.0f} MB; "
            f"{self.chance:,.1f} pairs by chance"
        )


def plan(n: int, radius: int, bits: int = 64, *, memory: str | int | None = None) -> JoinPlan:
    """Return what ``ilk.hamming.pairs`` would do with n fingerprints, and its time and memory.

    The joins choose the cheapest plan by the same costs, in nanoseconds as measured on one machine,
    with w the number of 64-bit words. Grouping equal ones, and looking up the rows of the results,
    costs 15 w each. A table that matches on m bits sorts them for 5 w each, and its comparisons
    cost c n (n - 1) / 2^(m + 1), where c is 0.05 w, 0.4 w or 1.5 w if the processor has AVX-512, a
    population count or neither (Manku, Jain and Das Sarma 2007, section 3.1.1, with sorting instead
    of their look-up). Fingerprints that are alike more often than random ones cost more.

    The distinct values are held, and held again while they are sorted: 16 w bytes each. With less
    memory they are sorted in slices, each of which costs w per value and table; skewed ones take
    more slices, and so more time.

    Args:
        n: fingerprints, fewer than 2^32.
        radius: in bits, 0 to the width.
        bits: the width: 32, 64 or 128.
        memory: as for ``pairs``.

    Raises:
        OptionError: an argument is out of bounds.

    >>> made = plan(1_000_000, 3)
    >>> made.slices, made.memory
    (1, 16000000)
    >>> plan(1_000_000, 3, memory="10MB").slices
    4
    >>> round(made.chance, 4)
    0.0012
    """
    if type(n) is not int or not 0 <= n < 1 << 32:
        raise OptionError(f"n is {n!r}; it must be a number of fingerprints from 0 to 2^32 - 1.")
    if type(bits) is not int or bits not in WIDTHS:
        raise OptionError(f"bits is {bits!r}; it must be one of {', '.join(map(str, WIDTHS))}.")
    checked_radius(radius, bits)
    allowed = working_memory(memory, n, max(bits, 64))
    tables, matched, slices, seconds, needed = _kernels.hamming_plan(n, bits, radius, allowed)
    near = sum(math.comb(bits, errors) for errors in range(radius + 1)) / 2**bits
    chance = n * (n - 1) / 2 * near
    return JoinPlan(n, radius, bits, tables, matched, slices, seconds, needed, chance)
