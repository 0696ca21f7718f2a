"""The SQL functions in Python, for databases that run in the program's process.

Each returns None if an argument is None, as SQL's own functions do.
"""

from __future__ import annotations

import itertools
import re

from ilk.plugins import ColumnTypeError

_MASK = (1 << 64) - 1
_BITS = re.compile("[01]{64}")
_HEX = re.compile("[0-9A-Fa-f]{16}")


def hamming_distance(a: object, b: object) -> int | None:
    """Return the number of bits in which two fingerprints differ, signed or not.

    >>> hamming_distance(-1, 0), hamming_distance(1, None)
    (64, None)

    Raises:
        ColumnTypeError: an argument is not a 64-bit integer.
    """
    if a is None or b is None:
        return None
    return (_check_unsigned_fingerprint(a) ^ _check_unsigned_fingerprint(b)).bit_count()


def bit_agreement(a: object, b: object) -> float | None:
    """Return the share of the 64 bits in which two fingerprints agree.

    Source: Roth 2013, section 2.2.2.

    Raises:
        ColumnTypeError: an argument is not a 64-bit integer.
    """
    distance = hamming_distance(a, b)
    return None if distance is None else 1 - distance / 64


def similarity(a: object, b: object) -> float | None:
    """Return the share of bits in which two fingerprints agree: numbers, or strings of bits.

    >>> similarity(0, 0b11), similarity("00" * 32, "01" * 32), similarity("0", None)
    (0.96875, 0.5, None)

    Source: Roth 2014, "Find Similar Documents Without Using a Full Text Index", Tables 14 and 21.

    Raises:
        ColumnTypeError: they are neither two 64-bit integers nor two strings of 64 binary digits.
    """
    if a is None or b is None:
        return None
    if isinstance(a, str) and isinstance(b, str):
        return bit_agreement(fingerprint_from_bits(a), fingerprint_from_bits(b))
    return bit_agreement(a, b)


def ham_dist(a: object, b: object) -> int | None:
    """Count the places in which two strings differ; places that the shorter one lacks count.

    Source: Roth 2013, whose fingerprints are strings of 64 binary digits.

    >>> ham_dist("00100", "11100"), ham_dist("10", "1")
    (2, 1)

    Raises:
        ColumnTypeError: an argument is not a string.
    """
    if a is None or b is None:
        return None
    pairs = itertools.zip_longest(_check_text(a), _check_text(b))
    return sum(1 for x, y in pairs if x != y)


def fingerprint_to_bits(fingerprint: object) -> str | None:
    """Return the 64 bits as 64 binary digits, most significant first."""
    return None if fingerprint is None else format(_check_unsigned_fingerprint(fingerprint), "064b")


def fingerprint_from_bits(bits: object) -> int | None:
    """Return 64 binary digits as a signed fingerprint.

    Raises:
        ColumnTypeError: they are something else.
    """
    return _parse_signed_fingerprint_or_none(bits, _BITS, 2, "64 binary digits")


def fingerprint_to_hex(fingerprint: object) -> str | None:
    """Return the 64 bits as 16 hexadecimal digits, most significant first."""
    return None if fingerprint is None else format(_check_unsigned_fingerprint(fingerprint), "016x")


def fingerprint_from_hex(digits: object) -> int | None:
    """Return 16 hexadecimal digits as a signed fingerprint.

    >>> fingerprint_from_hex("fffffffffffffffe")
    -2

    Raises:
        ColumnTypeError: they are something else.
    """
    return _parse_signed_fingerprint_or_none(digits, _HEX, 16, "16 hexadecimal digits")


def to_bigint(fingerprint: int) -> int:
    """Return the same 64 bits as a signed number, as a database stores them.

    >>> to_bigint(2**64 - 1), to_bigint(5)
    (-1, 5)

    Raises:
        ColumnTypeError: it has more bits.
    """
    bits = _check_unsigned_fingerprint(fingerprint)
    return bits - (1 << 64) if bits >> 63 else bits


#: All functions by their names in SQL, with their number of arguments. ``HamDist`` is the name that
#: Roth printed in 2013.
FUNCTIONS = (
    ("hamming_distance", hamming_distance, 2),
    ("bit_agreement", bit_agreement, 2),
    ("similarity", similarity, 2),
    ("ham_dist", ham_dist, 2),
    ("HamDist", ham_dist, 2),
    ("fingerprint_to_bits", fingerprint_to_bits, 1),
    ("fingerprint_from_bits", fingerprint_from_bits, 1),
    ("fingerprint_to_hex", fingerprint_to_hex, 1),
    ("fingerprint_from_hex", fingerprint_from_hex, 1),
)


def _check_unsigned_fingerprint(value: object) -> int:
    """Return 64 bits as an unsigned number."""
    if type(value) is not int or not -(1 << 63) <= value <= _MASK:
        raise ColumnTypeError(f"expected a fingerprint (a 64-bit integer), got {value!r}.")
    return value & _MASK


def _check_text(value: object) -> str:
    if not isinstance(value, str):
        raise ColumnTypeError(f"expected a string, got {value!r}.")
    return value


def _parse_signed_fingerprint_or_none(
    digits: object, pattern: re.Pattern[str], base: int, expected_form: str
) -> int | None:
    """Return the fingerprint that digits spell; None for None.

    Raises:
        ColumnTypeError: they do not match the pattern.
    """
    if digits is None:
        return None
    if not pattern.fullmatch(_check_text(digits)):
        raise ColumnTypeError(f"expected {expected_form}, got {digits!r}.")
    return to_bigint(int(_check_text(digits), base))
