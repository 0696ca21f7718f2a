"""Tables with a column to fill, in any database, by URL; one module per database."""

from __future__ import annotations

import contextlib
import importlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from ilk.base.errors import OptionError, SourceNotFound
from ilk.sql.tables.keyed import Keyed

#: The module of a database, by the scheme of its URLs.
_SCHEMES = {
    "postgresql": "postgresql",
    "postgres": "postgresql",
    "mysql": "mysql",
    "mariadb": "mysql",
}

#: The module of a database in a file, by which bytes the file has where.
_MAGIC = {"sqlite": (0, b"SQLite format 3\0"), "duckdb": (8, b"DUCK")}


class _Module(Protocol):
    """The interface of a database's module."""

    def opened(self, url: str, table: str, text: str, column: str) -> Keyed:
        """Return the table, on its own connection."""


@contextlib.contextmanager
def opened(url: str, *, table: str, text: str, column: str) -> Iterator[Keyed]:
    """Open a table of the database at a URL; uncommitted changes are undone at the end.

    Args:
        url: ``postgresql://``, ``mysql://``, or the path of an SQLite or DuckDB file.
        table: its name, as the connection finds it.
        text: its column of texts.
        column: its column of fingerprints.

    Raises:
        ColumnTypeError: a column holds something else.
        DatabaseError: the database cannot be opened, or the table cannot be filled.
        MissingExtra: the package that speaks to the database is not installed.
        OptionError: the URL is not of a supported database.
        SourceNotFound: there is no such file.
    """
    module: _Module = importlib.import_module(f"ilk.sql.tables.{_kind(url)}")
    keyed = module.opened(url, table, text, column)
    with contextlib.closing(keyed):
        yield keyed


def _kind(url: str) -> str:
    """Return the module of the database at a URL."""
    if not isinstance(url, str):
        raise OptionError(f"url is {url!r}; it must be a URL, or the path of a file, as text.")
    scheme, separator, _ = url.partition("://")
    if separator:
        if scheme not in _SCHEMES:
            raise OptionError(
                f"{scheme}:// is not supported here; give a URL of postgresql:// or mysql://, "
                "or the path of an SQLite or DuckDB file."
            )
        return _SCHEMES[scheme]
    path = Path(url)
    if not os.path.isfile(path):  # Path.is_file raises if a name is too long.
        raise SourceNotFound(f"there is no file {url}; give the path of one, or a URL.")
    with path.open("rb") as file:
        head = file.read(16)
    for kind, (start, magic) in _MAGIC.items():
        if head.startswith(magic, start):
            return kind
    raise OptionError(f"{url} is not an SQLite or DuckDB file; give the path of one, or a URL.")
