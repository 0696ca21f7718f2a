"""The reader of addresses and partitioned folders that the core finds by its entry point."""

from __future__ import annotations

import glob
from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa

from ilk.companions import (
    ADDRESS,
    NumberedBatch,
    ScannedRows,
    is_address_or_partitioned_glob,
)
from ilk.plugins import (
    ColumnRequest,
    MissingExtra,
    Opener,
    Reading,
    RowChoice,
    Running,
    SourceNotFound,
)

#: The most characters of DuckDB's error messages, which may be pages long.
_SAID = 300

#: Rows of a query to fetch at a time: DuckDB's own pieces, instead of 10^6.
_BATCH = 2048


class QueryReader:
    """Parquet files that DuckDB reads; no file has a name of its own for them."""

    forms: Mapping[str, tuple[str, ...]] = {}
    codecs = ()
    also = ()

    def recognises_query_or_content(self, path: str) -> bool:
        """Return whether DuckDB reads a path: an address, or a glob with ``COLUMN=*``."""
        return is_address_or_partitioned_glob(path)

    def make_opener(self, reading: Reading, running: Running) -> Opener:
        """Return what opens a path as a query."""
        del reading, running
        return lambda _, path, request: [QueriedRows(path, request)]


reader = QueryReader()


class Relation:
    """A DuckDB query, which runs again for every pass."""

    def __init__(self, relation: Any) -> None:
        self._relation = relation
        self.schema = pa.RecordBatchReader.from_stream(relation.limit(0)).schema

    def to_batches(self, columns: list[str]) -> Iterator[pa.RecordBatch]:
        """Run the query, and yield some columns of its rows."""
        from duckdb import ColumnExpression

        some = self._relation.select(*map(ColumnExpression, columns))
        # It has another name in older versions.
        read = getattr(some, "to_arrow_reader", None) or some.fetch_record_batch
        yield from read(_BATCH)


class QueriedRows(ScannedRows):
    """The rows of Parquet files that DuckDB reads, file by file in the order of their names.

    Names of folders (``year=2026``) become columns after those of the files.
    """

    def __init__(self, path: str, request: ColumnRequest) -> None:
        """Get the names of columns.

        Raises:
            SourceNotFound: there is nothing at that address, or it cannot be read.
            ColumnTypeError: it lacks a column to read.
        """
        try:
            import duckdb
        except ImportError as error:
            raise MissingExtra("duckdb", "sql") from error

        path = _with_both_slashes_if_address(path)
        try:
            # A connection for this source only; queries take seconds, and ilk shows the progress.
            # Older versions close it when nothing else refers to it.
            self._connection = duckdb.connect()
            self._connection.execute("SET enable_progress_bar = false")
            relation = self._connection.read_parquet(path, hive_partitioning=True)
            super().__init__(Relation(relation), request, path)
        except duckdb.Error as error:
            raise _unreadable_source_error(path, error) from error

    def local_files_of_queried_glob(self) -> list[str]:
        return [] if ADDRESS.match(self.name) else glob.glob(self.name, recursive=True)

    def _read_unfiltered_batches(
        self, column_names: list[str] | None, choice: RowChoice
    ) -> Iterator[NumberedBatch]:
        from duckdb import Error

        try:
            yield from super()._read_unfiltered_batches(column_names, choice)
        except (Error, OSError, pa.ArrowException) as error:
            raise _unreadable_source_error(self.name, error) from error


def _with_both_slashes_if_address(path: str) -> str:
    found = ADDRESS.match(path)
    if found is None:
        return path
    rest = path[found.end() :]
    return f"{found[1]}://{'/' if found[1] == 'file' else ''}{rest.lstrip('/')}"


def _unreadable_source_error(path: str, error: BaseException) -> SourceNotFound:
    message = " ".join(str(error).split())
    return SourceNotFound(f"{path} cannot be read by DuckDB: {message[:_SAID]}")
