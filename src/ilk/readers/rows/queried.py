"""Parquet read by DuckDB: what lies far away, and folders whose names are values of columns."""

from __future__ import annotations

import glob
import re
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import pyarrow as pa

from ilk.errors import MissingExtra, SourceNotFound
from ilk.readers.rows.scanned import ScannedRows
from ilk.readers.rows.sources import Names

#: An address, such as s3://bucket/*.parquet; a ``Path`` has one of its slashes left.
_ADDRESS = re.compile(r"(file|https?|s3|gcs|gs|r2|hf|az|azure|abfss):/(?:/(?!/))?")

#: A folder of a glob that stands for all values of a column, such as year=*.
_PARTITION = re.compile(r"(?:^|/)[^/=]+=\*/")

#: Characters of what DuckDB says of an error, which may go on for pages.
_SAID = 300

#: Rows of a query that are asked for at a time: DuckDB's own pieces, where it would give 10^6.
_BATCH = 2048


def is_queried(path: str) -> bool:
    """Return whether DuckDB reads a path: an address, or a glob with ``COLUMN=*`` for a folder."""
    return bool(_ADDRESS.match(path) or _PARTITION.search(path))


class Relation:
    """A query of DuckDB, run anew for every pass."""

    def __init__(self, relation: Any) -> None:
        """Read nothing but the names of columns."""
        self._relation = relation
        self.schema = pa.RecordBatchReader.from_stream(relation.limit(0)).schema

    def to_batches(self, columns: list[str]) -> Iterator[pa.RecordBatch]:
        """Run the query, and yield some columns of its rows."""
        from duckdb import ColumnExpression

        some = self._relation.select(*map(ColumnExpression, columns))
        # Older versions call it otherwise.
        read = getattr(some, "to_arrow_reader", None) or some.fetch_record_batch
        yield from read(_BATCH)


class QueriedRows(ScannedRows):
    """The rows of Parquet that DuckDB reads, file by file in the order of their names.

    Names of folders (``year=2026``) are columns after those of the files.
    """

    def __init__(self, path: str, names: Names) -> None:
        """Ask for the names of columns.

        Raises:
            MissingExtra: DuckDB is not installed.
            SourceNotFound: there is nothing at that address, or it cannot be read.
            ColumnTypeError: it lacks a column that is to be read.
        """
        if find_spec("duckdb") is None:
            raise MissingExtra("duckdb", "duckdb")
        import duckdb

        path = _address(path)
        try:
            # Of this source alone; what happens takes seconds, and is followed by ilk.
            # Older versions close it when nothing else holds it.
            self._connection = duckdb.connect()
            self._connection.execute("SET enable_progress_bar = false")
            relation = self._connection.read_parquet(path, hive_partitioning=True)
            super().__init__(Relation(relation), names, path)
        except duckdb.Error as error:
            raise _unreadable(path, error) from error

    def files(self) -> list[str]:
        """Return the files on this machine that are read."""
        return [] if _ADDRESS.match(self.name) else glob.glob(self.name, recursive=True)

    def _batches(self, names: Any, wanted: Any) -> Iterator[tuple[int, pa.RecordBatch]]:
        """Yield rows as a query does; SourceNotFound where they can no longer be had."""
        from duckdb import Error

        try:
            yield from super()._batches(names, wanted)
        except (Error, OSError, pa.ArrowException) as error:
            raise _unreadable(self.name, error) from error


def _address(path: str) -> str:
    """Return an address with both slashes; a path as it is."""
    found = _ADDRESS.match(path)
    if found is None:
        return path
    rest = path[found.end() :]
    return f"{found[1]}://{'/' if found[1] == 'file' else ''}{rest.lstrip('/')}"


def _unreadable(path: str, error: BaseException) -> SourceNotFound:
    said = " ".join(str(error).split())
    return SourceNotFound(f"{path} cannot be read by DuckDB: {said[:_SAID]}")
