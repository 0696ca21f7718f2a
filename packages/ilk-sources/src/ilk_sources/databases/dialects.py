"""The supported databases, and the SQL script for a table.

The SQL is in ``templates/``, with a folder per database and a file per part. In it, ``{{name}}`` is
an identifier, which is always quoted. The text between ``{{each block}}`` or ``{{each mask}}`` and
``{{end}}`` is repeated, with the words after the comma on their own line between two copies.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from importlib import resources
from itertools import combinations

from ilk.plugins import OptionError
from ilk_sources.databases.functions import to_bigint

#: The blocks of 16 bits into which a search cuts a fingerprint.
_BLOCKS = range(4)

#: The five blocks into which a join cuts it, each a mask: three changed bits leave two of them
#: unchanged.
_FIFTHS = [sum(1 << bit for bit in range(first, min(first + 13, 64))) for first in range(0, 64, 13)]

#: Rows within three bits agree in one of these pairs of blocks.
_MASKS = [a | b for a, b in combinations(_FIFTHS, 2)]

#: Bytes of an identifier that every database accepts: 63, PostgreSQL's limit, is the lowest.
_IDENTIFIER_BYTES = 63

_PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")
_EACH = re.compile(
    r"^(?P<indent> *)\{\{each (?P<what>\w+)(?:, (?P<between>[A-Z ]+))?\}\}\n"
    r"(?P<body>.*?)\n *\{\{end\}\}",
    re.MULTILINE | re.DOTALL,
)

#: An expression moved down to the first bits of its block.
_SHIFTED = re.compile(r"\{\{shifted ((?:[^{}]|\{\{\w+\}\})+)\}\}")


@dataclass(frozen=True, slots=True)
class Dialect:
    """A database's SQL.

    Attributes:
        name: its name in options.
        title: the versions it was written for.
        quotes: the characters before and after an identifier; the latter is doubled inside.
        parts: the files of its folder, in the order in which they run.
    """

    name: str
    title: str
    quotes: str
    parts: tuple[str, ...]

    def quote_identifier(self, identifier: str) -> str:
        """Return an identifier quoted for SQL, whatever its characters.

        Raises:
            OptionError: it cannot be an identifier.
        """
        if not isinstance(identifier, str) or not identifier or "\0" in identifier:
            raise OptionError(
                f"{identifier!r} cannot be the name of a table or column; give its name as it is."
            )
        before, after = self.quotes[0], self.quotes[1]
        if self.name == "clickhouse":
            identifier = identifier.replace("\\", "\\\\")
        return before + identifier.replace(after, after * 2) + after

    def read_and_repeat_template(self, part: str) -> str:
        """Return the SQL of a part, with its repetitions written out, but not yet its
        identifiers.
        """
        templates = resources.files("ilk_sources.databases").joinpath("templates")
        file = templates.joinpath(self.name, f"{part}.sql")
        return _EACH.sub(self._expand_repetition, file.read_text())

    def _expand_repetition(self, repetition: re.Match[str]) -> str:
        is_block = repetition["what"] == "block"
        fill = self._fill_block if is_block else self._fill_mask
        between = "\n"
        if repetition["between"]:
            between = f"\n{repetition['indent']}{repetition['between']}\n"
        values = _BLOCKS if is_block else _MASKS
        return between.join(fill(repetition["body"], value) for value in values)

    def _fill_block(self, body: str, block: int) -> str:
        """Return a copy for a block, which may differ in a bit for a radius of at least 4 + its
        number.
        """
        shift = r"RIGHT_SHIFT(\1, {})" if self.name == "sqlserver" else r"(\1 >> {})"
        body = _SHIFTED.sub(shift.format(16 * block) if block else r"\1", body)
        for name in ("block", "index"):
            body = body.replace(f"{{{{{name}}}}}", f"{{{{{name}{block}}}}}")
        return body.replace("{{k}}", str(block)).replace("{{flips}}", str(4 + block))

    def _fill_mask(self, body: str, mask: int) -> str:
        """Return a copy for a mask; the bits of MySQL's operators are an unsigned number."""
        return body.replace("{{mask}}", str(mask if self.name == "mysql" else to_bigint(mask)))


#: If all rows are compared, no blocks are kept.
_SCANNING = ("functions", "near", "near_many", "near_pairs")
_INDEXED = ("functions", "blocks", "near", "near_many", "near_pairs")

#: Every database, by name.
DIALECTS = {
    dialect.name: dialect
    for dialect in (
        # SQLite reads an unknown name in double quotes as a text, and so reports no error.
        Dialect("sqlite", "SQLite 3.38 or newer", "``", ("blocks", "near", "near_pairs")),
        Dialect("duckdb", "DuckDB 1.4 or newer", '""', _SCANNING),
        Dialect("postgresql", "PostgreSQL 14 or newer", '""', _INDEXED),
        Dialect("mysql", "MariaDB 10.6 or newer, MySQL 8.0.23 or newer", "``", _INDEXED),
        Dialect("clickhouse", "ClickHouse 25 or newer", "``", _SCANNING),
        Dialect(
            "sqlserver",
            "SQL Server 2022 or newer (experimental: parsed, never run)",
            "[]",
            _INDEXED,
        ),
    )
}


#: Other names of databases.
ALIASES = {"postgres": "postgresql", "mariadb": "mysql"}


#: A client of PostgreSQL would print a notice for each type of a column that the script names, and
#: for each index that is there.
_QUIET = """\
-- Notices of types, and of indexes that exist, need no reader.
SET client_min_messages = warning;
"""


def dialect_of(name: str) -> Dialect:
    """Return the database with that name or alias.

    Raises:
        OptionError: no database has that name.
    """
    name = ALIASES.get(name, name) if isinstance(name, str) else name
    if not isinstance(name, str) or name not in DIALECTS:
        raise OptionError(f"dialect is {name!r}; it must be one of {', '.join(DIALECTS)}.")
    return DIALECTS[name]


def parts(
    dialect: str, *, table: str = "docs", column: str = "fp", key: str = "id", name: str = "near"
) -> dict[str, str]:
    """Return the SQL for a table, in parts: those of ``Dialect.parts``, in their order.

    In SQLite, ``near`` is a query with the parameters ``queries`` and ``radius``, without a
    semicolon, so that it can be joined: ``SELECT ... FROM (near) JOIN ...``. Everywhere else it is
    a statement that stores the search.

    Args:
        dialect: a name in ``DIALECTS``.
        table: the table, as the connection finds it (``search_path``, ``USE``).
        column: its column of fingerprints, 64 bits in a ``BIGINT``, signed or not.
        key: its column that identifies a row.
        name: the name of the search; ``name_many`` and ``name_pairs`` are its other forms.

    Raises:
        OptionError: there is no such dialect, or an identifier is empty or holds a NUL.
    """
    own = dialect_of(dialect)
    names = {"table": table, "column": column, "id": key, "near": name}
    names |= {
        f"near_{form}": _shorten_identifier(f"{name}_{form}")
        for form in ("many", "pairs", "blocks")
    }
    names["near_pairs_3"] = _shorten_identifier(f"{name}_pairs_3")
    for block in _BLOCKS:
        names[f"block{block}"] = _shorten_identifier(f"{column}_block{block}")
        names[f"index{block}"] = _shorten_identifier(f"{table}_{column}_block{block}")
    quoted = {key: own.quote_identifier(identifier) for key, identifier in names.items()}
    return {
        part: _PLACEHOLDER.sub(lambda place: quoted[place[1]], own.read_and_repeat_template(part))
        for part in own.parts
    }


def script(
    dialect: str, *, table: str = "docs", column: str = "fp", key: str = "id", name: str = "near"
) -> str:
    """Return the SQL for a table as one script, to be read and run. Arguments as in ``parts``."""
    # Comments contain no identifiers: a line break in one would end the comment.
    head = (
        f"-- The Similarity Index as a column, for {dialect_of(dialect).title}; written by ilk.\n"
        "-- Exact: nothing within a radius is left out.\n"
    )
    statements = parts(dialect, table=table, column=column, key=key, name=name)
    if dialect_of(dialect).name == "sqlite":  # As a part, it has no semicolon: it can be joined.
        statements["near"] = f"{statements['near'].rstrip()};\n"
    if dialect_of(dialect).name == "postgresql":
        head += _QUIET
        statements["end"] = "RESET client_min_messages;\n"
    return "\n".join([head, *statements.values()])


def _shorten_identifier(identifier: str) -> str:
    """Return the identifier; if it is too long, its beginning and a digest of all of it."""
    raw = identifier.encode()
    if len(raw) <= _IDENTIFIER_BYTES:
        return identifier
    digest = hashlib.sha256(raw).hexdigest()[:12]
    return f"{raw[: _IDENTIFIER_BYTES - 13].decode(errors='ignore')}_{digest}"
