"""What a source is: paths, texts, or a table; and rows of tables and of queries.

One rule for every function with a source: a ``str`` or a ``Path`` is a path; a list of ``Path`` is
paths; a list of ``str`` is texts, and is refused if every one of them names a file; a dict maps ids
to texts; a table is rows.

A query runs for every pass, with no more than a batch of rows in memory.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa

from ilk import arrow
from ilk.base.errors import ColumnTypeError, OptionError, SourceChanged
from ilk.base.options import default
from ilk.fingerprints.digest import digest_of_pieces
from ilk.read.rows.arrow import ArrowRows, NumberedBatch, type_without_views
from ilk.read.rows.sources import ID, ColumnRequest, RowChoice, Signature, choose_every_row
from ilk.read.rows.text_path import is_column_or_path_into


class TableRows(ArrowRows):
    """The rows of a table of any Arrow library; a stream, which can be read only once, is kept."""

    form = "a table"

    def __init__(self, values: Any, request: ColumnRequest) -> None:
        """Copy only codes of strings that are views, which Parquet does not accept."""
        table = to_table(values)
        kinds = (
            type_without_views(field.type) if pa.types.is_dictionary(field.type) else field.type
            for field in table.schema
        )
        schema = pa.schema(map(pa.Field.with_type, table.schema, kinds), table.schema.metadata)
        self._table = table if schema == table.schema else table.cast(schema)
        super().__init__("", self._table.get_total_buffer_size(), schema, request)
        self._end = len(table)

    def _read_unfiltered_batches(
        self, column_names: list[str] | None, choice: RowChoice
    ) -> Iterator[NumberedBatch]:
        """Yield all rows with all columns: fewer would not be faster, unless they are copied."""
        del column_names, choice
        first = 0
        viewed = any(pa.types.is_string_view(field.type) for field in self.schema)
        for batch in self._table.to_batches(arrow.VIEWED if viewed else None):
            yield NumberedBatch(first, batch)
            first += len(batch)

    def read_signature(self) -> Signature:
        contents = (batch.serialize().to_pybytes() for batch in self._table.to_batches())
        return Signature("", self.size, None, digest_of_pieces(contents).hex())


def is_table(values: object) -> bool:
    """Return whether something has columns of its own."""
    if isinstance(values, pa.Table | pa.RecordBatch | pa.RecordBatchReader):
        return True
    schema = getattr(values, "__arrow_c_schema__", None)
    if schema is not None and not isinstance(values, pa.Array | pa.ChunkedArray):
        return bool(pa.types.is_struct(pa.field(values).type))
    # To ask a lazy frame for its columns may cost.
    streams = hasattr(values, "__arrow_c_stream__") and hasattr(values, "columns")
    return streams or _looks_like_hugging_face_dataset(values)


def _looks_like_hugging_face_dataset(values: object) -> bool:
    indexed = hasattr(values, "with_format") and hasattr(values, "__getitem__")
    return indexed and not isinstance(values, Mapping)


def to_table(values: Any) -> pa.Table:
    """Return something that has columns as an Arrow table, without a copy if possible.

    Raises:
        ColumnTypeError: it has no columns.
    """
    if isinstance(values, pa.Table):
        return values
    if isinstance(values, pa.RecordBatchReader):
        return values.read_all()
    if isinstance(values, pa.RecordBatch):
        return pa.Table.from_batches([values])  # pa.table would load pandas, to look for a frame.
    if _looks_like_hugging_face_dataset(values):
        values = values.with_format("arrow")[:]  # In its order, without filtered rows.
    if not is_table(values):
        raise ColumnTypeError(
            f"expected a table, got {type(values).__name__}. Give something with the Arrow "
            "PyCapsule interface (pyarrow, Polars, pandas, DuckDB), or the path of a file."
        )
    return pa.table(values)


#: More rows than possible.
_ENDLESS = 1 << 62


def is_scan_like_arrow_data_set(values: object) -> bool:
    """Return whether something can return its rows repeatedly, like a pyarrow data set.

    It has an Arrow ``schema``, and ``to_batches(columns=[...])``.
    """
    if isinstance(values, pa.Table | pa.RecordBatch):
        return False
    return hasattr(values, "to_batches") and isinstance(getattr(values, "schema", None), pa.Schema)


class ScannedRows(ArrowRows):
    """The rows of a query, in the same order every time."""

    form = "a query"

    def __init__(self, scan: Any, request: ColumnRequest, name: str = "") -> None:
        super().__init__(name, 0, scan.schema, request)
        self._scan, self._rows, self._end = scan, -1, _ENDLESS

    def _read_unfiltered_batches(
        self, column_names: list[str] | None, choice: RowChoice
    ) -> Iterator[NumberedBatch]:
        """Yield all rows; SourceChanged if there are more or fewer than before."""
        del choice
        first = 0
        columns = [
            name
            for name in self.schema.names
            if column_names is None
            or any(is_column_or_path_into(wanted, name) for wanted in column_names)
        ]
        for batch in self._scan.to_batches(columns=columns):
            for start in range(0, len(batch), arrow.VIEWED):
                piece = batch.slice(start, arrow.VIEWED)
                yield NumberedBatch(first, piece)
                first += len(piece)
        if self._rows not in (-1, first):
            raise SourceChanged(
                f"the query gave {self._rows:,} rows the first time, and {first:,} the second; "
                "give a query that always gives the same rows in the same order."
            )
        self._rows = first

    def read_signature(self) -> Signature:
        contents = (
            batch.serialize().to_pybytes()
            for _, batch in self._read_unfiltered_batches(None, choose_every_row)
        )
        return Signature("", 0, None, digest_of_pieces(contents).hex())


#: The longest path to look for.
_LONGEST = 4096


def paths_or_none_if_texts(source: Any) -> list[str | os.PathLike[str]] | None:
    """Return the paths of a source; None if it holds texts itself.

    OptionError means that paths and texts are mixed, or that texts all name files.
    """
    if isinstance(source, str | os.PathLike):
        return [source]
    if not isinstance(source, list | tuple) or not source:
        return None
    named = [isinstance(item, os.PathLike) for item in source]
    if any(named) and not all(named):
        raise OptionError(
            "the list mixes paths and texts; give a list of Path, or a list of texts."
        )
    if all(named):
        return list(source)
    if all(isinstance(item, str) and is_existing_path_or_glob(item) for item in source):
        raise OptionError(
            f"a list of str means texts, but each of these names a file ({source[0]!r}, ...). Say "
            "which you mean: [Path(name) for name in names] for the files, or "
            "pyarrow.array(names) for the names themselves as texts."
        )
    return None


def is_existing_path_or_glob(text: str) -> bool:
    """Return whether a text is the path of a file, or a glob that finds one."""
    if not text or len(text) > _LONGEST or "\n" in text or "\0" in text:
        return False
    try:
        return os.path.lexists(text) or (glob.has_magic(text) and bool(glob.glob(text)))
    except (OSError, UnicodeError):
        return False


def texts_to_table_or_as_given(source: Any) -> Any:
    """Return texts in memory as a table, with their ids if they have any; a table or a scan as it
    is.

    Raises:
        ColumnTypeError: it holds no texts.
        OptionError: it holds several tables, or something other than texts.
    """
    if not isinstance(source, Mapping):
        has_rows = is_table(source) or is_scan_like_arrow_data_set(source)
        return source if has_rows else pa.table({default("text"): arrow.import_texts(source)})
    tables = [name for name, value in source.items() if is_table(value)]
    if tables:
        raise OptionError(
            f"{type(source).__name__} holds several tables ({', '.join(map(str, tables))}); give "
            f"one of them: source[{tables[0]!r}]."
        )
    for name, value in source.items():
        if not isinstance(value, str) and not arrow.is_missing(value):
            raise ColumnTypeError(
                f"a dict maps ids to texts, but {name!r} has {type(value).__name__}; for columns, "
                "make a table: pyarrow.table(columns)."
            )
    # A lone surrogate, which UTF-8 cannot encode, is escaped.
    names = [str(name).encode("utf-8", "backslashreplace").decode() for name in source]
    ids = pa.array(names, pa.string())
    return pa.table({ID: ids, default("text"): arrow.import_texts(list(source.values()))})
