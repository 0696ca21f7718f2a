"""Rabin's fingerprint of every run of 4 UTF-16 units, as Common Crawl's SimHash takes it.

A run is 8 bytes, the upper byte of each unit first. They are a polynomial over GF(2): a one, then
the bits of every byte, the lowest first. Its fingerprint is that polynomial times x^64, modulo
``POLYNOMIAL``; here and there the lowest of 64 bits is the coefficient of x^63.

Source: Rabin 1981, "Fingerprinting by random polynomials".
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Longs: TypeAlias = NDArray[np.uint64]

#: x^64 and the powers of x whose bits are set, the highest bit for x^0; irreducible.
POLYNOMIAL = 0xD74307D3FD3382DB

#: UTF-16 units of a run, and their bytes.
UNITS, _BYTES = 4, 8


def distinct_runs_of_four_units_in_text_order(text: str) -> Longs:
    """Return the distinct runs of a text as it stands, each as a number of 64 bits.

    They are in the order of their first occurrence, so that steps can be shown as they are taken.
    """
    units = np.frombuffer(text.encode("utf-16-le", "surrogatepass"), "<u2").astype(np.uint64)
    count = max(0, len(units) - UNITS + 1)
    prints = np.zeros(count, np.uint64)
    for at in range(UNITS):
        prints <<= np.uint64(16)
        prints |= units[at : at + count]
    _, firsts = np.unique(prints, return_index=True)
    distinct: Longs = prints[np.sort(firsts)]
    return distinct


def fingerprints(runs_of_text: Longs) -> Longs:
    """Return the fingerprint of every run.

    Shape: n runs -> n numbers of 64 bits.

    It is affine: a constant, and for every byte that it has what this byte contributes.
    """
    start, table = _constant_and_byte_tables()
    values: Longs = np.full(len(runs_of_text), start, np.uint64)
    for byte, contributed in enumerate(table):
        values ^= contributed[(runs_of_text >> np.uint64(8 * (_BYTES - 1 - byte))).astype(np.uint8)]
    return values


class _RabinTables(NamedTuple):
    """The constant, and what each of 8 bytes contributes by its value."""

    constant: int
    by_byte: Longs


@lru_cache
def _constant_and_byte_tables() -> _RabinTables:
    """Return the constant, and the contributions of the 8 bytes by their 256 values."""
    table = np.zeros((_BYTES, 256), np.uint64)
    for value in range(256):
        row = value
        for byte in reversed(range(_BYTES)):
            row = _times_x_to_8_modulo_polynomial(row)
            table[byte, value] = row
    start = POLYNOMIAL  # x^64, for the one before all.
    for _ in range(_BYTES):
        start = _times_x_to_8_modulo_polynomial(start)
    return _RabinTables(start, table)


def _times_x_to_8_modulo_polynomial(value: int) -> int:
    for _ in range(8):
        value = value >> 1 ^ (POLYNOMIAL if value & 1 else 0)
    return value
