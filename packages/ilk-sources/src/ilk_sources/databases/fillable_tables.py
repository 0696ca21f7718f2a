"""Tables with a column to fill: rows with a key, filled in its order.

A row is unfilled if its fingerprint is null and its text is not: the table itself shows what is
left to do, so a restart needs nothing else. SQLAlchemy speaks to SQLite, PostgreSQL, MariaDB and
MySQL; DuckDB, which has no keyset of its own, is in ``ilk_sources.databases.duckdb_table``.
"""

from __future__ import annotations

import contextlib
import os
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias
from urllib.parse import urlsplit

import pyarrow as pa

from ilk import RecipeMismatch
from ilk.companions import Closing, errors
from ilk.plugins import ColumnTypeError, MissingExtra, OptionError, arrow
from ilk_sources.databases import dialects

try:
    import sqlalchemy as sa
    from sqlalchemy.dialects import mysql
except ImportError as error:
    raise MissingExtra("sqlalchemy", "sql") from error

#: The values of the key of a row.
Key = tuple[Any, ...]

#: What a column holds: ``texts``, 64 bits ``signed`` or ``unsigned``, or nothing of use ("").
ColumnContent: TypeAlias = Literal["texts", "signed", "unsigned", ""]

#: The table that records which recipe filled a column.
RECIPES = "ilk_recipes"

_POSTGRES = (
    "postgresql+psycopg",
    "psycopg",
    "postgres",
    {"connect_args": {"client_encoding": "utf8"}},
)

#: Otherwise MySQL would keep rows locked that were examined but not chosen.
_MYSQL = (
    "mysql+pymysql",
    "PyMySQL",
    "mysql",
    {"connect_args": {"charset": "utf8mb4"}, "isolation_level": "READ COMMITTED"},
)

#: Another writer of the file has 30 seconds. Values have names: older ones of SQLAlchemy take
#: ``%(x)s`` in the name of a column for one, and would put a question mark there.
_SQLITE = (
    "sqlite",
    "SQLAlchemy",
    "sql",
    {"connect_args": {"timeout": 30}, "paramstyle": "named"},
)

#: The driver of a database, its package, the extra that brings it, and options, by the scheme of
#: its URL.
_DRIVERS: dict[str, tuple[str, str, str, dict[str, Any]]] = {
    "sqlite": _SQLITE,
    "postgresql": _POSTGRES,
    "postgres": _POSTGRES,
    "mysql": _MYSQL,
    "mariadb": _MYSQL,
}

#: The schemes of the URLs of servers.
SCHEMES = frozenset(_DRIVERS) - {"sqlite"}


@dataclass(frozen=True, slots=True)
class Column:
    """A column, as its database describes it.

    Attributes:
        kind: its type, in the database's words.
        holds: what of use for a fill.
        nullable: whether it may be null.
    """

    kind: str
    holds: ColumnContent
    nullable: bool


class FillNames(NamedTuple):
    """The names of a table, of its column of texts, and of its column of fingerprints."""

    table: str
    text: str
    fingerprint: str


class UnfilledRows(NamedTuple):
    """Keys of rows without a fingerprint, and their texts."""

    keys: list[Key]
    texts: list[str]


class Table(Closing):
    """A table on its own connection; uncommitted changes are undone when it is closed."""

    #: The exceptions of the package that speaks to the database.
    errors: type[Exception]

    def __init__(self, place: str, names: FillNames, *, add_column: bool = False) -> None:
        """Examine the table, and refuse one that cannot be filled.

        Args:
            place: the database as named in errors, without the password.
            names: of the table, of its texts, and of its fingerprints.
            add_column: whether to add the column of fingerprints if the table has none.
        """
        self._place, self._names = place, names
        try:
            for name in names:
                if not isinstance(name, str) or not name or "\0" in name:
                    raise OptionError(
                        f"{name!r} cannot be the name of a table or column; give its name as it is."
                    )
            with self._raise_database_errors_as_ilk():
                columns_by_name = self._read_columns_or_empty()
            self._refuse_unfit_text_column(columns_by_name)
            if add_column and names.fingerprint not in columns_by_name:
                with self._raise_database_errors_as_ilk():
                    self._add_column()
                    columns_by_name = self._read_columns_or_empty()
            self._refuse_unfit_fingerprint_column(columns_by_name)
            self._is_unsigned = columns_by_name[names.fingerprint].holds == "unsigned"
            with self._raise_database_errors_as_ilk():
                self._check_key_and_prepare_to_fill(columns_by_name)
        except BaseException:
            self.close()
            raise

    @abstractmethod
    def _read_columns_or_empty(self) -> Mapping[str, Column]:
        """Return the columns of the table by name, in their order; empty without such a table."""

    @abstractmethod
    def _add_column(self) -> None:
        """Add the column of fingerprints."""

    @abstractmethod
    def _quote_name(self, name: str) -> str:
        """Return the name of a table or a column as the database wants it."""

    def _spell_add_column(self) -> str:
        """Return the statement that adds the column of fingerprints."""
        table, _, column = map(self._quote_name, self._names)
        return f"ALTER TABLE {table} ADD COLUMN {column} BIGINT"

    @abstractmethod
    def _check_key_and_prepare_to_fill(self, columns_by_name: Mapping[str, Column]) -> None:
        """Find the columns that name a row, and prepare the statements that read and write rows."""

    @abstractmethod
    def _count_unfilled(self) -> int:
        """Return the number of unfilled rows."""

    @abstractmethod
    def _read_next_unfilled(self, after_key: Key | None, max_rows: int) -> Sequence[Any]:
        """Return the next keys, each with its text, in a transaction that stays open."""

    @abstractmethod
    def _update_fingerprints(self, keys: Sequence[Key], values: pa.Array) -> None:
        """Store fingerprints, in that transaction."""

    @abstractmethod
    def _read_or_record_recipe(self, table_and_column: tuple[str, str], recipe: str) -> str:
        """Return the recipe that is recorded for a column; record this one if none is."""

    @abstractmethod
    def _commit(self) -> None:
        """End the transaction."""

    def count_unfilled_rows_and_end_transaction(self) -> int:
        """Return the number of unfilled rows."""
        with self._raise_database_errors_as_ilk():
            count = self._count_unfilled()
            self._commit()
        return count

    def read_and_lock_unfilled_rows(self, after_key: Key | None, max_rows: int) -> UnfilledRows:
        """Return the next unfilled rows, by key, which stay as they are until the next commit.

        Args:
            after_key: the last key of those before; None to start.
            max_rows: the most to return.

        Returns:
            Their keys and texts; empty at the end.

        Raises:
            ColumnTypeError: a text is something else.
        """
        with self._raise_database_errors_as_ilk():
            rows = self._read_next_unfilled(after_key, max_rows)
        keys, texts = [tuple(row[:-1]) for row in rows], [row[-1] for row in rows]
        for key, text in zip(keys, texts, strict=True):
            if not isinstance(text, str):
                raise ColumnTypeError(
                    f"{self._names.text!r} of {self._names.table!r} holds a "
                    f"{type(text).__name__} in row {key}, not a text. Store a text there, or null."
                )
        return UnfilledRows(keys, texts)

    def write_fingerprints_and_commit(self, keys: Sequence[Key], fingerprints: pa.Array) -> None:
        """Store the fingerprints of rows that were read last, all of them or none.

        Rows whose text is too short for a fingerprint stay null.
        """
        values = fingerprints if self._is_unsigned else arrow.reinterpret_as_signed(fingerprints)
        there = values.is_valid()
        printed = [key for key, valid in zip(keys, there.to_pylist(), strict=True) if valid]
        with self._raise_database_errors_as_ilk():
            if printed:
                self._update_fingerprints(printed, values.filter(there))
            self._commit()

    def record_or_check_recipe(self, recipe: str) -> None:
        """Record which recipe fills the column, for later comparisons and fills.

        Raises:
            RecipeMismatch: it was filled by another one.
        """
        with self._raise_database_errors_as_ilk():
            marked = self._read_or_record_recipe(
                (self._names.table, self._names.fingerprint), recipe
            )
            self._commit()
        if marked != recipe:
            raise RecipeMismatch(
                f"{self._names.fingerprint!r} of {self._names.table!r} was filled by {marked!r} "
                f"(according to the table {RECIPES}), not by {recipe!r}. Fill another column, "
                "or choose that recipe."
            )

    def _refuse_unfit_text_column(self, columns_by_name: Mapping[str, Column]) -> None:
        """Refuse a table that does not exist, or that has no texts."""
        table, text, _ = self._names
        if not columns_by_name:
            raise errors.DatabaseError(
                f"{self._place} has no table {table!r}; name one as the connection finds it."
            )
        if text not in columns_by_name:
            raise errors.DatabaseError(
                f"the table {table!r} has no column {text!r}; it has {', '.join(columns_by_name)}. "
                "Name the one that holds the texts."
            )
        if columns_by_name[text].holds != "texts":
            raise ColumnTypeError(
                f"{text!r} of {table!r} is a column of type {columns_by_name[text].kind}; name a "
                "column of texts."
            )

    def _refuse_unfit_fingerprint_column(self, columns_by_name: Mapping[str, Column]) -> None:
        """Refuse a table without a column for fingerprints."""
        table, _, column = self._names
        if column not in columns_by_name:
            raise errors.DatabaseError(
                f"the table {table!r} has no column {column!r}; it has "
                f"{', '.join(columns_by_name)}. Name one of these, or add it with `add_column`, "
                f"or with this statement: {self._spell_add_column()};"
            )
        if columns_by_name[column].holds not in ("signed", "unsigned"):
            raise ColumnTypeError(
                f"{column!r} of {table!r} is a column of type {columns_by_name[column].kind}; "
                "fingerprints are kept in a BIGINT."
            )
        if not columns_by_name[column].nullable:
            raise errors.DatabaseError(
                f"{column!r} of {table!r} is NOT NULL, so every row seems to have a fingerprint; "
                "ilk fills rows where it is null. Drop the constraint first."
            )

    @contextlib.contextmanager
    def _raise_database_errors_as_ilk(self) -> Iterator[None]:
        """Raise an error of the database as ilk's."""
        try:
            yield
        except self.errors as error:
            raise errors.DatabaseError(
                f"{self._place}: {_database_message(error)}. The rows filled before stay "
                "filled; run it again to fill the rest."
            ) from error


class SQLAlchemyTable(Table):
    """A table that SQLAlchemy speaks to; its types convert nothing, so keys stay as they are."""

    errors = sa.exc.SQLAlchemyError

    def __init__(self, url: str, names: FillNames, *, add_column: bool = False) -> None:
        """Connect, and examine the table.

        Args:
            url: of a server, or the path of an SQLite file.
            names, add_column: as for every table.
        """
        scheme, is_server, _ = url.partition("://")
        driver, package, extra, options = _DRIVERS[scheme if is_server else "sqlite"]
        at, place = urlsplit(url), url
        if is_server:
            place = f"{scheme}://{at.netloc.rpartition('@')[2]}{at.path}"
        if driver == "mysql+pymysql" and len(at.path) < 2:
            raise OptionError(f"{place} must read mysql://USER:PASSWORD@HOST:PORT/DATABASE.")
        try:
            if is_server:
                address = sa.make_url(url).set(drivername=driver)
            else:
                address = sa.URL.create(driver, database=os.path.abspath(url))
            engine = sa.create_engine(address, poolclass=sa.pool.NullPool, **options)
            if not is_server:
                sa.event.listen(engine, "connect", _disable_autobegin_and_replace_invalid_utf8)
                begin = sa.text("BEGIN IMMEDIATE")
                sa.event.listen(engine, "begin", lambda begun: begun.execute(begin))
            self._connection = engine.connect()
        except ImportError as error:
            raise MissingExtra(package, extra) from error
        except (self.errors, TypeError, ValueError) as error:
            raise errors.DatabaseError(
                f"{place} cannot be opened: {_database_message(error)}."
            ) from error
        self._dialect = engine.dialect.name
        super().__init__(place, names, add_column=add_column)

    def close(self) -> None:
        """Close the connection."""
        with contextlib.suppress(self.errors):  # A lost connection has nothing to close.
            self._connection.close()

    def _read_columns_or_empty(self) -> Mapping[str, Column]:
        self._inspector = sa.inspect(self._connection)
        try:
            columns = self._inspector.get_columns(self._names.table)
        except sa.exc.NoSuchTableError:
            return {}
        return {
            one["name"]: Column(
                type(one["type"]).__name__,
                self._content_of_sql_type(one["type"]),
                bool(one["nullable"]),
            )
            for one in columns
        }

    def _add_column(self) -> None:
        # With parameters, even none, a driver would read the percent signs of a name.
        plain = {"no_parameters": True}
        self._connection.exec_driver_sql(self._spell_add_column(), execution_options=plain)
        self._connection.commit()

    def _quote_name(self, name: str) -> str:
        return dialects.dialect_of(self._dialect).quote_identifier(name)

    def _content_of_sql_type(self, sql_type: Any) -> ColumnContent:
        if isinstance(sql_type, sa.Integer if self._dialect == "sqlite" else sa.BigInteger):
            return "unsigned" if getattr(sql_type, "unsigned", False) else "signed"
        is_text = isinstance(sql_type, sa.String) and not isinstance(sql_type, sa.Enum)
        return "texts" if is_text else ""

    def _check_key_and_prepare_to_fill(self, columns_by_name: Mapping[str, Column]) -> None:
        name, text, column = self._names
        rowid_name = None
        if self._dialect == "sqlite":
            rowid_name = self._check_sqlite_table_and_find_rowid_name_or_none(columns_by_name)
        if rowid_name is None:
            key_columns = self._inspector.get_pk_constraint(name)["constrained_columns"]
        else:
            key_columns = [rowid_name]
        if not key_columns:
            raise errors.DatabaseError(
                f"the table {name!r} has no primary key, which ilk needs to find a row again. Add "
                "one."
            )
        self._keys = [_quoted_column(key) for key in key_columns]
        self._text, self._column = _quoted_column(text), _quoted_column(column)
        self._is_unfilled = sa.and_(self._column.is_(None), self._text.is_not(None))
        stamps = [_quoted_column(stamp) for stamp in self._read_columns_changed_on_update(name)]
        self._table = sa.table(
            sa.quoted_name(name, quote=True), self._text, self._column, *self._keys, *stamps
        )
        # The database would change times of the last change, unless they are set.
        sets = {self._column: sa.bindparam("ilk_value"), **{stamp: stamp for stamp in stamps}}
        found = [key == sa.bindparam(f"ilk_key_{at}") for at, key in enumerate(self._keys)]
        update = sa.update(self._table).where(*found).values(sets)
        # The driver takes rows as they are: SQLAlchemy's own way takes twice as long.
        self._filling = update.compile(self._connection)
        self._connection.rollback()

    def _check_sqlite_table_and_find_rowid_name_or_none(
        self, columns_by_name: Mapping[str, Column]
    ) -> str | None:
        """Return a name of SQLite's number of a row that no column has; None for a table without.

        Raises:
            DatabaseError: it is a view, or columns have all names of that number.
        """
        query = "SELECT type, wr FROM pragma_table_list(?)"
        listed = self._connection.exec_driver_sql(query, (self._names.table,)).all()
        if not listed or listed[0][0] != "table":
            raise errors.DatabaseError(
                f"{self._names.table!r} is a view, not a table; name its table."
            )
        if listed[0][1]:
            return None
        taken = {name.lower() for name in columns_by_name}
        free = [name for name in ("rowid", "_rowid_", "oid") if name not in taken]
        if not free:
            raise errors.DatabaseError(
                f"{self._names.table!r} has columns named rowid, _rowid_ and oid, which hide its "
                "row numbers. Rename one of them."
            )
        return free[0]

    def _read_columns_changed_on_update(self, table: str) -> list[str]:
        """Return the columns that MySQL changes whenever another one of the row changes."""
        if self._dialect != "mysql":
            return []
        query = sa.text(
            "SELECT column_name FROM information_schema.columns WHERE table_schema = DATABASE() "
            "AND table_name = :name AND extra LIKE '%on update%'"
        )
        return list(self._connection.execute(query, {"name": table}).scalars())

    def _count_unfilled(self) -> int:
        query = sa.select(sa.func.count()).select_from(self._table).where(self._is_unfilled)
        return int(self._connection.execute(query).scalar_one())

    def _read_next_unfilled(self, after_key: Key | None, max_rows: int) -> Sequence[Any]:
        query = sa.select(*self._keys, self._text).select_from(self._table).where(self._is_unfilled)
        if after_key is not None:
            last = (sa.literal(value, sa.types.NullType()) for value in after_key)
            query = query.where(sa.tuple_(*self._keys) > sa.tuple_(*last))
        # In PostgreSQL, rows that refer to these by a foreign key may be added in the meantime.
        query = query.order_by(*self._keys).limit(max_rows).with_for_update(key_share=True)
        return self._connection.execute(query).all()

    def _update_fingerprints(self, keys: Sequence[Key], values: pa.Array) -> None:
        rows = zip(values.to_pylist(), *zip(*keys, strict=True), strict=True)
        if self._filling.positional:
            many: list[Any] = list(rows)
        else:
            names = ["ilk_value", *(f"ilk_key_{at}" for at in range(len(self._keys)))]
            many = [dict(zip(names, row, strict=True)) for row in rows]
        self._connection.exec_driver_sql(str(self._filling), many)

    def _read_or_record_recipe(self, table_and_column: tuple[str, str], recipe: str) -> str:
        # A type of strings that distinguishes any two names.
        exact = mysql.VARCHAR(255, charset="utf8mb4", collation="utf8mb4_bin")
        kind = sa.String(255).with_variant(exact, "mysql")
        columns = [
            sa.Column(name, kind, primary_key=True) for name in ("table_name", "column_name")
        ]
        table = sa.Table(
            RECIPES, sa.MetaData(), *columns, sa.Column("recipe", kind, nullable=False)
        )
        table.create(self._connection, checkfirst=True)
        of = [column == name for column, name in zip(columns, table_and_column, strict=True)]
        query = sa.select(table.c.recipe).where(*of)
        recorded_recipe = self._connection.execute(query).scalar_one_or_none()
        if recorded_recipe is None:
            values = {
                "table_name": table_and_column[0],
                "column_name": table_and_column[1],
                "recipe": recipe,
            }
            self._connection.execute(sa.insert(table), values)
        return recorded_recipe or recipe

    def _commit(self) -> None:
        self._connection.commit()


def _quoted_column(name: str) -> Any:
    return sa.column(sa.quoted_name(name, quote=True))


def _database_message(error: Exception) -> str:
    """Return what the database says, without SQLAlchemy's statement and its values."""
    return str(getattr(error, "orig", None) or error).strip().rstrip(".")


def _disable_autobegin_and_replace_invalid_utf8(connection: Any, _: Any) -> None:
    """Prepare a connection to SQLite: SQLAlchemy begins transactions, and all texts are read."""
    connection.isolation_level = None
    # Bytes that are not UTF-8 are read as other readers of ilk read them.
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
