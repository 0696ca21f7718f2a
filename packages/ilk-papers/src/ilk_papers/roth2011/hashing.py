"""The two hashes of the paper: Java's ``String.hashCode`` for a k-gram, Rabin's for many of them.

Source: Roth 2011, "The method"; Rabin 1981, "Fingerprinting by random polynomials".
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

#: Hash codes (``int32``), or exact values (Python's integers).
Fingerprints: TypeAlias = NDArray[Any]
Words: TypeAlias = NDArray[np.uint32]
Longs: TypeAlias = NDArray[np.uint64]
Places: TypeAlias = NDArray[np.int64]

#: What Java multiplies by; any odd number would do as well.
BASE = 31

#: x^64 + x^4 + x^3 + x + 1, irreducible over GF(2); the term x^64 is left out.
POLYNOMIAL = 0x1B


def utf16_code_units(text: str) -> Words:
    """Return the UTF-16 code units of a text, as Java's strings hold them; widened to 32 bits."""
    return np.frombuffer(text.encode("utf-16-le", "surrogatepass"), "<u2").astype(np.uint32)


def hash_code(gram: str) -> int:
    """Return Java's ``String.hashCode``: s[0] * 31^(n-1) + ... + s[n-1] in signed 32 bits.

    >>> hash_code("four"), hash_code("four score and seven")
    (3149094, -112172676)
    """
    units = utf16_code_units(gram)
    (value,) = hash_codes(units, np.array([0]), np.array([len(units)]))
    return int(value)


def unbounded_hash(gram: str) -> int:
    """Return the same sum without the limit of 32 bits: never negative, and as long as the gram.

    >>> unbounded_hash("four"), unbounded_hash("four score and seven")
    (3149094, 2290724628600014853817479750012)
    """
    units = utf16_code_units(gram)
    (value,) = unbounded_hashes(units, np.array([0]), np.array([len(units)]))
    return int(value)


def hash_codes(units: Words, starts: Places, ends: Places, base: int = BASE) -> Fingerprints:
    """Return ``hash_code`` of many slices of one text at once, with any odd base.

    Shape: m code units and n pairs of places -> n signed hashes.

    An odd base has an inverse modulo 2**32, so a slice's hash is a difference of two running sums
    of units[i] / base^i, times base^(end-1).
    """
    sums = np.zeros(len(units) + 1, np.uint32)
    np.cumsum(
        units * powers_modulo_2_to_32(inverse_modulo_2_to_32(base), len(units)),
        dtype=np.uint32,
        out=sums[1:],
    )
    scales = powers_modulo_2_to_32(base, len(units) + 1)
    return (scales[ends - 1] * (sums[ends] - sums[starts])).view(np.int32)


def unbounded_hashes(
    units: Words, ascending_starts: Places, ascending_ends: Places
) -> Fingerprints:
    """Return ``unbounded_hash`` of many slices of one text."""
    digits = units.tolist()
    values = np.zeros(len(ascending_starts), object)
    value = first = last = 0
    slices = zip(ascending_starts.tolist(), ascending_ends.tolist(), strict=True)
    for at, (start, end) in enumerate(slices):
        # What left at the front is taken away, then what came in at the back is added.
        middle = min(start, last)
        value -= _polynomial_value(digits[first:middle]) * _power_of_base(last - middle)
        entered = digits[max(start, last) : end]
        value = value * _power_of_base(len(entered)) + _polynomial_value(entered)
        first, last = start, end
        values[at] = value
    return values


def _polynomial_value(digits: list[int]) -> int:
    """Return the sum of digits times powers of the base, without a limit."""
    value = 0
    for digit in digits:
        value = value * BASE + digit
    return value


@lru_cache(1 << 12)
def _power_of_base(exponent: int) -> int:
    return int(BASE**exponent)


def inverse_modulo_2_to_32(base: int) -> int:
    """Return 1 / base modulo 2**32, for an odd base."""
    return pow(base, -1, 1 << 32)


def powers_modulo_2_to_32(base: int, count: int) -> Words:
    """Return base^0 ... base^(count-1), modulo 2**32."""
    factors = np.full(count, base, np.uint32)
    factors[:1] = 1
    return np.cumprod(factors, dtype=np.uint32)


def rabin(fingerprints: Fingerprints) -> int:
    """Return the Rabin hash of a sequence of fingerprints: one signed 64-bit number.

    The sequence, each fingerprint as four bytes with the most significant bit first (as Java
    writes an int), is a polynomial over GF(2); its hash is the remainder modulo ``POLYNOMIAL``.
    An empty sequence gives 0, and leading zeros do not count.

    >>> rabin(np.array([1, 0, 0], np.int32))  # x^64 leaves x^4 + x^3 + x + 1
    27
    """
    blocks, bits = fingerprints.view(np.uint32).astype(np.uint64), 32
    while len(blocks) > 1:
        if len(blocks) % 2:
            blocks = np.concatenate([np.zeros(1, np.uint64), blocks])
        blocks = _shift_blocks(blocks[0::2], bits) ^ blocks[1::2]
        bits *= 2
    return int(blocks.view(np.int64)[0]) if len(blocks) else 0


def _shift_blocks(blocks: Longs, bits: int) -> Longs:
    """Return every block times x^bits, modulo the polynomial."""
    product = np.zeros(len(blocks), np.uint64)
    for byte, table in enumerate(_tables_of_shift(bits)):
        product ^= table[(blocks >> np.uint64(8 * byte)).astype(np.uint8)]
    return product


@lru_cache
def _tables_of_shift(bits: int) -> list[Longs]:
    """Return what each of a block's eight bytes, by its 256 values, contributes to the product."""
    row, basis = _power_of_x_modulo_polynomial(bits), []
    for _ in range(64):
        basis.append(row)
        row = _times_x_modulo_polynomial(row)
    tables = []
    for byte in range(8):
        table = np.zeros(1, np.uint64)
        for value in basis[8 * byte : 8 * byte + 8]:
            table = np.concatenate([table, table ^ np.uint64(value)])
        tables.append(table)
    return tables


def _power_of_x_modulo_polynomial(exponent: int) -> int:
    value = 1
    for bit in f"{exponent:b}":
        value = _multiply_modulo_polynomial(value, value)
        if bit == "1":
            value = _times_x_modulo_polynomial(value)
    return value


def _multiply_modulo_polynomial(left: int, right: int) -> int:
    """Return left times right, modulo the polynomial."""
    product = 0
    for bit in reversed(range(64)):
        product = _times_x_modulo_polynomial(product) ^ (left if right >> bit & 1 else 0)
    return product


def _times_x_modulo_polynomial(value: int) -> int:
    """Return a remainder times x."""
    value <<= 1
    return value ^ (1 << 64 | POLYNOMIAL) if value >> 64 else value
