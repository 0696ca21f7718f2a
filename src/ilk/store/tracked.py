"""The files that a store tracks: which document each holds, and how it looked."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ilk.read.files.names import source_name

#: The default way to get texts.
_NONE = "none"

#: Created with the first file that is read in another way: a store of version 1 need not have it.
_EXTRACTED = (
    "CREATE TABLE IF NOT EXISTS extracted (path TEXT PRIMARY KEY, extract TEXT NOT NULL) "
    "WITHOUT ROWID"
)


class Tracked(NamedTuple):
    """A file.

    Attributes:
        path: its absolute path, as text.
        size, modified, inode: how it looked: bytes, nanoseconds since 1970, its number; all are -1
            if it could not be examined.
        extract: how its text was extracted (``Reading.said``).
        document: the document in it; -1 if that is not known yet.
    """

    path: str
    size: int
    modified: int
    inode: int
    extract: str = _NONE
    document: int = -1

    def holds_the_same(self, others: Sequence[Tracked]) -> bool:
        """Return whether the file looks the same, and its text is extracted in the same way."""
        same = all(self[1:4] == other[1:4] for other in others) and self.size >= 0
        return same and bool(others) and all(self.extract == other.extract for other in others)


def of_file(path: str, said: str) -> Tracked:
    """Return how a file looks now, and how its text is extracted."""
    name, way = source_name(os.path.abspath(path)), said or _NONE
    try:
        status = os.stat(path)
    except OSError:
        # Reading it will show what is wrong.
        return Tracked(name, -1, -1, -1, way)
    # The number is unsigned, and SQLite's are signed.
    inode = status.st_ino & (1 << 63) - 1
    return Tracked(name, status.st_size, status.st_mtime_ns, inode, way)


def below(connection: sqlite3.Connection, path: str) -> dict[str, Tracked]:
    """Return the files at a path and below it, and the documents in them."""
    folder = path.rstrip("/")
    found = connection.execute(
        "SELECT path, size, modified, inode, document FROM files "
        # The character after a slash is a zero; documents in a file continue with "!/", "#" or "/".
        "WHERE path = ? OR path > ? AND path < ? OR path > ? AND path < ? OR path > ? AND path < ?",
        (path, folder + "/", folder + "0", path + "!/", path + "!0", path + "#", path + "$"),
    )
    ways = _ways(connection)
    return {
        name: Tracked(name, size, modified, inode, ways.get(name, _NONE), document)
        for name, size, modified, inode, document in found
    }


def _ways(connection: sqlite3.Connection) -> dict[str, str]:
    """Return how texts were extracted, by path, if that was recorded."""
    if not connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'extracted'").fetchone():
        return {}
    return dict(connection.execute("SELECT path, extract FROM extracted"))


def put(connection: sqlite3.Connection, files: Mapping[Tracked, int | None]) -> None:
    """Record which document each file holds."""
    connection.executemany(
        "INSERT OR REPLACE INTO files (path, size, modified, inode, document) "
        "VALUES (?, ?, ?, ?, ?)",
        ((*one[:4], document) for one, document in files.items()),
    )
    if _ways(connection) or any(one.extract != _NONE for one in files):
        connection.execute(_EXTRACTED)
        connection.executemany(
            "INSERT OR REPLACE INTO extracted (path, extract) VALUES (?, ?)",
            ((one.path, one.extract) for one in files),
        )


def forget(connection: sqlite3.Connection, paths: Iterable[str]) -> None:
    """Remove files that no longer exist."""
    connection.executemany("DELETE FROM files WHERE path = ?", ((path,) for path in paths))


def of_documents(
    connection: sqlite3.Connection, documents: Iterable[int]
) -> dict[int, tuple[str, int]]:
    """Return for each document the path and the size of a file that holds it, if there is one."""
    found = connection.execute(
        "SELECT document, path, size FROM files "
        "WHERE document IN (SELECT value FROM json_each(?)) ORDER BY path DESC",
        (json.dumps(list(documents)),),
    )
    return {document: (path, size) for document, path, size in found}
