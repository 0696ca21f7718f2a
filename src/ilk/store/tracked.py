"""The files that a store keeps in step with: which document each holds, and how it looked."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ilk.readers.names import source_name


class Tracked(NamedTuple):
    """A file.

    Attributes:
        path: where it is, from the root, as text.
        size, modified, inode: how it looked: bytes, nanoseconds since 1970, its number; all are -1
            where it could not be looked at.
        document: what it holds; -1 where that is not known yet.
    """

    path: str
    size: int
    modified: int
    inode: int
    document: int = -1

    def is_same_file(self, other: Tracked | None) -> bool:
        """Whether another look saw the same."""
        return other is not None and self[:4] == other[:4] and self.size >= 0


def of_file(path: str) -> Tracked:
    """How a file looks now."""
    name = source_name(os.path.abspath(path))
    try:
        status = os.stat(path)
    except OSError:
        # Reading it will tell what is wrong.
        return Tracked(name, -1, -1, -1)
    # The number is unsigned, and SQLite's are signed.
    return Tracked(name, status.st_size, status.st_mtime_ns, status.st_ino & (1 << 63) - 1)


def below(connection: sqlite3.Connection, path: str) -> dict[str, Tracked]:
    """The files at a path and below it."""
    folder = path.rstrip("/")
    found = connection.execute(
        "SELECT path, size, modified, inode, document FROM files "
        # The sign after a stroke is a zero.
        "WHERE path = ? OR path > ? AND path < ?",
        (path, folder + "/", folder + "0"),
    )
    return {row[0]: Tracked(*row) for row in found}


def put(connection: sqlite3.Connection, files: Mapping[Tracked, int | None]) -> None:
    """Write down which document each file holds."""
    connection.executemany(
        "INSERT OR REPLACE INTO files (path, size, modified, inode, document) "
        "VALUES (?, ?, ?, ?, ?)",
        ((*one[:4], document) for one, document in files.items()),
    )


def forget(connection: sqlite3.Connection, paths: Iterable[str]) -> None:
    """Remove files that are no more."""
    connection.executemany("DELETE FROM files WHERE path = ?", ((path,) for path in paths))
