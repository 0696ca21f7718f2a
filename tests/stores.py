"""What tests of stores share."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

LONG = " ".join(f"word{number}" for number in range(200))
OTHER = " ".join(f"other{number}" for number in range(200))


@contextlib.contextmanager
def raw(path: Path) -> Iterator[sqlite3.Connection]:
    """The file as SQLite sees it, to be damaged."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        yield connection
