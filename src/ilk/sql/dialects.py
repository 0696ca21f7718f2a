"""The databases whose SQL is shipped, and a script written for one table of one of them.

The SQL stands in ``templates/``, a folder per database, a file per part; ``{{name}}`` in it is an
identifier, which is always quoted.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources

from ilk.errors import OptionError

#: Blocks of 16 bits into which a fingerprint is cut.
_BLOCKS = 4

#: Bytes of an identifier that every database takes: 63 are PostgreSQL's limit, the lowest.
_IDENTIFIER_BYTES = 63

_PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")


@dataclass(frozen=True, slots=True)
class Dialect:
    """A database's SQL.

    Attributes:
        name: how it is asked for.
        title: the versions it was written for.
        quotes: what stands before and after an identifier; the latter is doubled inside.
        parts: the files of its folder, in the order in which they run.
    """

    name: str
    title: str
    quotes: str
    parts: tuple[str, ...]

    def quoted(self, identifier: str) -> str:
        """An identifier as it stands in SQL, whatever its characters.

        Raises:
            OptionError: no identifier reads like that.
        """
        if not identifier or "\0" in identifier:
            raise OptionError(f"{identifier!r} names no table or column; give its name as it is.")
        before, after = self.quotes[0], self.quotes[1]
        if self.name == "clickhouse":
            identifier = identifier.replace("\\", "\\\\")
        return before + identifier.replace(after, after * 2) + after


#: Where all rows are compared, no blocks are kept.
_SCANNING = ("functions", "near", "near_many", "near_pairs")
_INDEXED = ("functions", "blocks", "near", "near_many", "near_pairs")

#: Every database, by name.
DIALECTS = {
    dialect.name: dialect
    for dialect in (
        # In double quotes SQLite takes an unknown name for a text, and so finds nothing wrong.
        Dialect("sqlite", "SQLite 3.38 or newer", "``", ("blocks", "near", "near_pairs")),
        Dialect("duckdb", "DuckDB 1.4 or newer", '""', _SCANNING),
        Dialect("postgresql", "PostgreSQL 14 or newer", '""', _INDEXED),
        Dialect("mysql", "MariaDB 10.6 or newer, MySQL 8.0.23 or newer", "``", _INDEXED),
        Dialect("clickhouse", "ClickHouse 25 or newer", "``", _SCANNING),
        Dialect("sqlserver", "SQL Server 2022 or newer (parsed, never run)", "[]", _INDEXED),
    )
}


def named(dialect: str) -> Dialect:
    """The database of that name.

    Raises:
        OptionError: there is none.
    """
    if dialect not in DIALECTS:
        raise OptionError(f"dialect is {dialect!r}; it must be one of {', '.join(DIALECTS)}.")
    return DIALECTS[dialect]


def parts(
    dialect: str, *, table: str = "docs", column: str = "fp", key: str = "id", name: str = "near"
) -> dict[str, str]:
    """The SQL for a table, in its parts: those of ``Dialect.parts``, in their order.

    Args:
        dialect: a name in ``DIALECTS``.
        table: the table, as the connection finds it (``search_path``, ``USE``).
        column: its column of fingerprints, 64 bits in a ``BIGINT``, signed or not.
        key: its column that identifies a row.
        name: what the search is called; ``name_many`` and ``name_pairs`` are its other forms.

    Raises:
        OptionError: there is no such dialect, or an identifier is empty or holds a NUL.
    """
    chosen = named(dialect)
    names = {"table": table, "column": column, "id": key, "near": name}
    names |= {f"near_{form}": _shortened(f"{name}_{form}") for form in ("many", "pairs")}
    names["near_pairs_3"] = _shortened(f"{name}_pairs_3")
    for block in range(_BLOCKS):
        names[f"block{block}"] = _shortened(f"{column}_block{block}")
        names[f"index{block}"] = _shortened(f"{table}_{column}_block{block}")
    written = {key: chosen.quoted(identifier) for key, identifier in names.items()}
    return {
        part: _PLACEHOLDER.sub(lambda found: written[found[1]], _template(chosen.name, part))
        for part in chosen.parts
    }


def script(
    dialect: str, *, table: str = "docs", column: str = "fp", key: str = "id", name: str = "near"
) -> str:
    """The SQL for a table as one script, to be read and then run. Arguments as in ``parts``."""
    made = parts(dialect, table=table, column=column, key=key, name=name)
    return "\n".join(_pieces(named(dialect), made))


def _pieces(dialect: Dialect, made: dict[str, str]) -> Iterator[str]:
    # No identifier stands in a comment: a line end in it would end the comment.
    yield (
        f"-- The Similarity Index as a column, for {dialect.title}; written by ilk.\n"
        "-- Exact: nothing within a radius is left out.\n"
    )
    yield from made.values()


def _shortened(identifier: str) -> str:
    """The identifier, if it is not too long; else its beginning, and a digest of all of it."""
    raw = identifier.encode()
    if len(raw) <= _IDENTIFIER_BYTES:
        return identifier
    digest = hashlib.sha256(raw).hexdigest()[:12]
    return f"{raw[: _IDENTIFIER_BYTES - 13].decode(errors='ignore')}_{digest}"


def _template(dialect: str, part: str) -> str:
    return resources.files("ilk.sql").joinpath("templates", dialect, f"{part}.sql").read_text()
