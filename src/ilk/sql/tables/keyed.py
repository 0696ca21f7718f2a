"""What the tables of all databases have in common: rows with a key, filled in its order.

A row waits as long as its fingerprint is null and its text is not: the table itself shows what is
left to do, so a restart needs nothing else.
"""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar
from urllib.parse import SplitResult, urlsplit

import pyarrow as pa

from ilk import arrow
from ilk.base.errors import ColumnTypeError, DatabaseError, RecipeMismatch
from ilk.sql import dialects

#: The values by which a row is found.
Key = tuple[Any, ...]

#: The table that records by which recipe a column was filled.
RECIPES = "ilk_recipes"


@dataclass(frozen=True, slots=True)
class Column:
    """A column, as its database describes it.

    Attributes:
        kind: its type, in the database's words.
        holds: ``texts``, 64 bits ``signed`` or ``unsigned``, or nothing of use ("").
        nullable: whether it may be null.
    """

    kind: str
    holds: str
    nullable: bool


class Keyed(ABC):
    """A table on its own connection.

    A subclass knows how to query and describe its database; the statements are the same.
    """

    #: The database's name in ``dialects.DIALECTS``.
    dialect: ClassVar[str]
    #: The placeholder for a value in a statement.
    mark: ClassVar[str] = "%s"
    #: The end of a query that locks its rows until they are written.
    lock: ClassVar[str] = ""
    #: A type of strings that distinguishes any two names.
    name_type: ClassVar[str] = "VARCHAR(255)"

    def __init__(
        self, connection: Any, errors: type[Exception], place: str, names: tuple[str, str, str]
    ) -> None:
        """Examine the table, and refuse one that cannot be filled.

        Args:
            connection: of the database's package.
            errors: the exceptions of that package.
            place: the database as named in errors, without the password.
            names: of the table, of its texts, and of its fingerprints.
        """
        self._connection = connection
        self._errors = errors
        self._place = place
        self._names = names
        try:
            self._table, self._text, self._column = map(self._quoted, names)
            with self._refused():
                described = self._described(names[0])
            self._check(described)
            self._unsigned = described[names[2]].holds == "unsigned"
            with self._refused():
                self._keys = [self._quoted(name) for name in self._key(names[0], described)]
                self._sets = self._unchanged(names[0])
        except BaseException:
            self.close()
            raise

    @abstractmethod
    def _described(self, table: str) -> dict[str, Column]:
        """Return the columns of a table by name, in their order; empty without such a table."""

    @abstractmethod
    def _key(self, table: str, described: dict[str, Column]) -> Sequence[str]:
        """Return the columns, never null, whose values no two rows share."""

    def _primary(self, table: str, query: str) -> Sequence[str]:
        """Return the columns of the primary key that a query names."""
        rows = self._ask(query, (table,))
        if not rows:
            raise DatabaseError(
                f"the table {table!r} has no primary key, which ilk needs to find a row again. Add "
                "one."
            )
        return [name for (name,) in rows]

    def _begin(self) -> None:  # noqa: B027 - in some databases the first statement begins.
        """Begin the transaction that ``write`` ends, if the database does not do so by itself."""

    def _unchanged(self, table: str) -> list[str]:  # noqa: ARG002
        """Return columns that the database changes along with another, unless they are set."""
        return []

    def waiting(self) -> int:
        """Return the number of waiting rows."""
        with self._refused():
            ((count,),) = self._ask(f"SELECT count(*) FROM {self._table} WHERE {self._waits()}")
            self._connection.commit()
        return int(count)

    def read(self, after: Key | None, rows: int) -> tuple[list[Key], list[str]]:
        """Return the next waiting rows, by key; they stay as they are until ``write``.

        Args:
            after: the last key of those before, if any.
            rows: the most to return.

        Returns:
            Their keys and texts; empty at the end.

        Raises:
            ColumnTypeError: a text is something else.
        """
        with self._refused():
            self._begin()
            waiting = self._next(after, rows)
        keys, texts = [tuple(row[:-1]) for row in waiting], [row[-1] for row in waiting]
        for key, text in zip(keys, texts, strict=True):
            if not isinstance(text, str):
                raise ColumnTypeError(
                    f"{self._names[1]!r} of {self._names[0]!r} holds a {type(text).__name__} in "
                    f"row {key}, not a text. Store a text there, or null."
                )
        return keys, texts

    def write(self, keys: Sequence[Key], fingerprints: pa.Array) -> None:
        """Store the fingerprints of rows that were read last, all of them or none."""
        values = fingerprints if self._unsigned else arrow.signed(fingerprints)
        there = values.is_valid()
        printed = [key for key, valid in zip(keys, there.to_pylist(), strict=True) if valid]
        with self._refused():
            if printed:
                self._update(printed, values.filter(there))
            self._connection.commit()

    def mark_recipe(self, recipe: str) -> None:
        """Record by which recipe the column is filled, for later comparisons and fills.

        Raises:
            RecipeMismatch: it was filled by another one.
        """
        with self._refused():
            if not self._described(RECIPES):
                self._ask(
                    f"CREATE TABLE {RECIPES} (table_name {self.name_type} NOT NULL, "
                    f"column_name {self.name_type} NOT NULL, recipe {self.name_type} NOT NULL, "
                    "PRIMARY KEY (table_name, column_name))"
                )
            where = f"table_name = {self.mark} AND column_name = {self.mark}"
            named = (self._names[0], self._names[2])
            marked = self._ask(f"SELECT recipe FROM {RECIPES} WHERE {where}", named)
            if not marked:
                marks = ", ".join([self.mark] * 3)
                self._ask(f"INSERT INTO {RECIPES} VALUES ({marks})", (*named, recipe))
            self._connection.commit()
        if marked and marked[0][0] != recipe:
            raise RecipeMismatch(
                f"{self._names[2]!r} of {self._names[0]!r} was filled by {marked[0][0]!r} "
                f"(according to the table {RECIPES}), not by {recipe!r}. Fill another column, or "
                "choose that "
                "recipe."
            )

    def close(self) -> None:
        """Close the connection; uncommitted changes are undone."""
        # A lost connection has nothing to close.
        with contextlib.suppress(self._errors):
            self._connection.close()

    def _next(self, after: Key | None, rows: int) -> list[Key]:
        keys = ", ".join(self._keys)
        beyond = "" if after is None else f" AND ({keys}) > ({self._marks()})"
        return self._ask(
            f"SELECT {keys}, {self._text} FROM {self._table} WHERE {self._waits()}{beyond}"
            f" ORDER BY {keys} LIMIT {rows}{self.lock}",
            after or (),
        )

    def _update(self, keys: Sequence[Key], values: pa.Array) -> None:
        sets = [f"{self._column} = {self.mark}", *(f"{name} = {name}" for name in self._sets)]
        where = " AND ".join(f"{name} = {self.mark}" for name in self._keys)
        self._connection.cursor().executemany(
            f"UPDATE {self._table} SET {', '.join(sets)} WHERE {where}",
            [(value, *key) for key, value in zip(keys, values.to_pylist(), strict=True)],
        )

    def _ask(self, statement: str, values: Sequence[object] = ()) -> list[Key]:
        """Run a statement; its rows, if it has any."""
        cursor = self._connection.cursor()
        cursor.execute(statement, values)
        return list(cursor.fetchall()) if cursor.description else []

    def _quoted(self, name: str) -> str:
        quoted = dialects.named(self.dialect).quoted(name)
        return quoted.replace("%", "%%") if self.mark == "%s" else quoted

    def _waits(self) -> str:
        return f"{self._column} IS NULL AND {self._text} IS NOT NULL"

    def _marks(self) -> str:
        return ", ".join([self.mark] * len(self._keys))

    def _check(self, described: dict[str, Column]) -> None:
        """Refuse a table that does not exist, lacks a column, or has one of another type."""
        table, text, column = self._names
        if not described:
            raise DatabaseError(
                f"{self._place} has no table {table!r}; name one as the connection finds it."
            )
        for name in (text, column):
            if name not in described:
                raise DatabaseError(
                    f"the table {table!r} has no column {name!r}; it has {', '.join(described)}. "
                    f"Name one of these, or add it: ALTER TABLE ... ADD COLUMN ... BIGINT."
                )
        if described[text].holds != "texts":
            raise ColumnTypeError(
                f"{text!r} of {table!r} is a column of type {described[text].kind}; name a column "
                "of texts."
            )
        if described[column].holds not in ("signed", "unsigned"):
            raise ColumnTypeError(
                f"{column!r} of {table!r} is a column of type {described[column].kind}; "
                "fingerprints are kept in a BIGINT."
            )
        if not described[column].nullable:
            raise DatabaseError(
                f"{column!r} of {table!r} is NOT NULL, so every row seems to have a fingerprint; "
                "ilk fills rows where it is null. Drop the constraint first."
            )

    @contextlib.contextmanager
    def _refused(self) -> Iterator[None]:
        """Raise an error of the database as ilk's."""
        try:
            yield
        except self._errors as error:
            refusal = str(error).strip().rstrip(".")
            raise DatabaseError(
                f"{self._place}: {refusal}. The rows filled before stay filled; run it again to "
                "fill the rest."
            ) from error


def address(url: str, scheme: str) -> tuple[SplitResult, str]:
    """Return the parts of a server's URL, and the name of the database for errors, without
    password.
    """
    at = urlsplit(url)
    return at, f"{scheme}://{at.netloc.rpartition('@')[2]}{at.path}"
