"""The paper's prototype: fingerprints in a database, and the query for what is like a file.

It is on SQLite, first with strings of 64 zeros and ones, then with numbers of 64 bits with a sign.
The functions are those of ``ilk.sql``: this shows the queries of the paper, and is not a fast way
to search.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from ilk import sql

_BITS = 64

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


def signed(fingerprint: int) -> int:
    """Return a fingerprint as a BIGINT: the same 64 bits, with a sign.

    >>> signed(0xFFFFFFFFFFFFFFFF)
    -1
    """
    return fingerprint - (1 << _BITS) if fingerprint >> (_BITS - 1) else fingerprint


def bits(fingerprint: int) -> str:
    """Return a fingerprint as 64 zeros and ones, the highest bit first."""
    return f"{fingerprint:0{_BITS}b}"


def database(files: Iterable[tuple[str, int]]) -> sqlite3.Connection:
    """Return a database in memory with a table of files and both functions, to be closed."""
    connection = sqlite3.connect(":memory:")
    sql.register(connection)
    connection.execute("CREATE TABLE files (file TEXT PRIMARY KEY, bits CHAR(64), si BIGINT)")
    rows = ((file, bits(value), signed(value)) for file, value in files)
    connection.executemany("INSERT INTO files VALUES (?, ?, ?)", rows)
    return connection


def ham_dist(of: sqlite3.Connection, left: str | None, right: str | None) -> int | None:
    """Return the paper's HamDist of two strings; what a shorter one lacks differs, null is null."""
    (value,) = of.execute("SELECT ham_dist(?, ?)", (left, right)).fetchone()
    return None if value is None else int(value)


def similar_as_text(of: sqlite3.Connection, fingerprint: int, radius: int) -> list[tuple[str, int]]:
    """Return the files within a radius of a fingerprint, nearest first, by the strings."""
    return of.execute(AS_TEXT, {"bits": bits(fingerprint), "radius": radius}).fetchall()


def similar_as_number(
    of: sqlite3.Connection, fingerprint: int, radius: int
) -> list[tuple[str, int]]:
    """Return the same by the numbers."""
    return of.execute(AS_NUMBER, {"si": signed(fingerprint), "radius": radius}).fetchall()
