"""The paper's prototype: fingerprints in a database, and the query for what is like a file.

It is on SQLite, first with strings of 64 zeros and ones, then with numbers of 64 bits with a sign.
This shows the queries of the paper, and is not a fast way to search; ``ilk-sources`` has one.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from itertools import zip_longest
from typing import TypeAlias

_BITS = 64

#: The name of a file, and its fingerprint.
FileAndFingerprint: TypeAlias = tuple[str, int]

#: The name of a file, and the bits between its fingerprint and another one.
FileAndDistance: TypeAlias = tuple[str, int]

#: Strings: every place is compared.
AS_TEXT = (
    "SELECT file, ham_dist(bits, :bits) AS distance FROM files "
    "WHERE ham_dist(bits, :bits) <= :radius ORDER BY distance, file"
)

#: Numbers, as the paper's vision has it: WHERE hamming_distance(SI_value, [SI]) <= 6.
AS_NUMBER = (
    "SELECT file, hamming_distance(si, :si) AS distance FROM files "
    "WHERE hamming_distance(si, :si) <= :radius ORDER BY distance, file"
)


def to_bigint(fingerprint: int) -> int:
    """Return a fingerprint as a BIGINT: the same 64 bits, with a sign.

    >>> to_bigint(0xFFFFFFFFFFFFFFFF)
    -1
    """
    return fingerprint - (1 << _BITS) if fingerprint >> (_BITS - 1) else fingerprint


def spell_bits(fingerprint: int) -> str:
    """Return a fingerprint as 64 zeros and ones, the highest bit first."""
    return f"{fingerprint:0{_BITS}b}"


def make_database_in_memory(files: Iterable[FileAndFingerprint]) -> sqlite3.Connection:
    """Return a database in memory with a table of files and both functions, to be closed."""
    connection = sqlite3.connect(":memory:")
    connection.create_function("ham_dist", 2, _ham_dist, deterministic=True)
    connection.create_function("hamming_distance", 2, _hamming_distance, deterministic=True)
    connection.execute("CREATE TABLE files (file TEXT PRIMARY KEY, bits CHAR(64), si BIGINT)")
    rows = ((file, spell_bits(value), to_bigint(value)) for file, value in files)
    connection.executemany("INSERT INTO files VALUES (?, ?, ?)", rows)
    return connection


def _ham_dist(left: str | None, right: str | None) -> int | None:
    if left is None or right is None:
        return None
    return sum(1 for one, other in zip_longest(left, right) if one != other)


def _hamming_distance(left: int | None, right: int | None) -> int | None:
    if left is None or right is None:
        return None
    return ((left ^ right) & ((1 << _BITS) - 1)).bit_count()


def ham_dist(database: sqlite3.Connection, left: str | None, right: str | None) -> int | None:
    """Return the paper's HamDist of two strings; what a shorter one lacks differs, null is null."""
    (value,) = database.execute("SELECT ham_dist(?, ?)", (left, right)).fetchone()
    return None if value is None else int(value)


def find_similar_as_text(
    database: sqlite3.Connection, fingerprint: int, radius: int
) -> list[FileAndDistance]:
    """Return the files within a radius of a fingerprint, nearest first, by the strings."""
    return database.execute(AS_TEXT, {"bits": spell_bits(fingerprint), "radius": radius}).fetchall()


def find_similar_as_number(
    database: sqlite3.Connection, fingerprint: int, radius: int
) -> list[FileAndDistance]:
    """Return the same by the numbers."""
    return database.execute(AS_NUMBER, {"si": to_bigint(fingerprint), "radius": radius}).fetchall()
