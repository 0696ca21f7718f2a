"""Columns of texts: in memory, read again whenever needed, or read once from record batches."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from ilk.arrow.schemas import join_pieces
from ilk.base.ahead import map_ahead
from ilk.base.errors import ColumnTypeError

#: Bytes of text passed to a kernel at once, so that Ctrl-C works between two calls.
_CALL_BYTES = 64 << 20

#: Bytes of texts that a thread validates at once: some 0.5 ms.
_VALIDATED_BYTES = 4 << 20

#: Rows of a column of views to copy at a time: reused memory is faster.
VIEWED = 1024

#: The column of texts if there are several columns.
_USUAL = "text"

#: A piece of text that never splits a surrogate pair.
_PIECE = re.compile("(?s:.{1,8192})[\udc00-\udfff]?")

#: Bytes of an offset in a column of type ``large_string``.
_OFFSET_BYTES = 8


def import_texts(values: Any) -> pa.ChunkedArray:
    """Return a column of texts as ``large_string`` chunks.

    Args:
        values: an Arrow string column of any flavour (dictionaries and views included), anything
            with the Arrow PyCapsule interface (Polars, pandas, DuckDB), or a sequence of ``str``
            and None. A lone surrogate becomes U+FFFD.

    Raises:
        ColumnTypeError: ``values`` is something else.
    """
    column = import_column_or_text_list(values)
    if column.type == pa.large_string():
        return column
    if not is_text_or_null_type(column.type):
        raise ColumnTypeError(
            f"expected a column of texts, got one of {column.type}. "
            "Name the column that holds the texts, or decode bytes first."
        )
    if pa.types.is_dictionary(column.type):
        # Arrow does not decode dictionaries of views.
        decoded = (c.dictionary.cast(pa.large_string()).take(c.indices) for c in column.chunks)
        return pa.chunked_array(list(decoded), pa.large_string())
    return column.cast(pa.large_string())


def is_text_or_null_type(kind: pa.DataType) -> bool:
    """Return whether a column of this type holds texts; a column of nulls does."""
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return bool(
        pa.types.is_string(kind)
        or pa.types.is_large_string(kind)
        or pa.types.is_string_view(kind)
        or pa.types.is_null(kind)
    )


def import_column_or_text_list(values: Any) -> pa.ChunkedArray:
    """Return a column of any library and type, or a sequence of texts and None, as one of Arrow.

    Raises:
        ColumnTypeError: ``values`` is something else.
    """
    if isinstance(values, str | bytes):
        raise ColumnTypeError(
            f"expected a column or a list of texts, got one {type(values).__name__}. "
            "Put it into a list: [text]."
        )
    if isinstance(values, pa.ChunkedArray):
        return values
    if isinstance(values, pa.Array):
        return pa.chunked_array([values])
    if hasattr(values, "__arrow_c_stream__"):
        return pa.chunked_array(values)
    if hasattr(values, "__arrow_c_array__"):
        return pa.chunked_array([pa.array(values)])
    if hasattr(values, "tolist"):
        values = values.tolist()
    if not isinstance(values, Iterable):
        lazy = " Collect it first: frame.collect()." if hasattr(values, "collect") else ""
        kind = type(values).__name__
        raise ColumnTypeError(f"expected a column or a list of texts, got {kind}.{lazy}")
    values = [
        value if isinstance(value, str) or not is_missing(value) else None for value in values
    ]
    for value in values:
        if value is not None and not isinstance(value, str):
            raise ColumnTypeError(
                f"expected texts, got {type(value).__name__} in the list. "
                "Decode bytes and convert other values to str first."
            )
    try:
        return pa.chunked_array([pa.array(values, pa.large_string())])
    except UnicodeEncodeError:
        spelled = [value if value is None else replace_lone_surrogates(value) for value in values]
        return pa.chunked_array([pa.array(spelled, pa.large_string())])


def is_missing(value: Any) -> bool:
    """Return whether a value stands for a missing text, as None does, and nan and NA of pandas."""
    try:
        return bool(pa.array([value], pa.large_string(), from_pandas=True).null_count)
    except (pa.ArrowException, OverflowError):
        return False


def replace_lone_surrogates(text: str) -> str:
    """Return the text with every lone surrogate replaced, since UTF-8 cannot encode one."""
    if text.isascii():
        return text
    # Other threads have their turns between pieces.
    pieces = (found[0].encode("utf-16", "surrogatepass") for found in _PIECE.finditer(text))
    return "".join(piece.decode("utf-16", "replace") for piece in pieces)


class ReplacedStrings(NamedTuple):
    """Strings that are all UTF-8, and how many were not."""

    strings: pa.Array
    replaced_count: int


def _validate(column: pa.Array, jobs: int) -> None:
    """Raise pa.ArrowInvalid if the column is damaged, or one of its strings is not UTF-8."""
    pieces = max(1, column.nbytes // _VALIDATED_BYTES)
    rows = max(1, -(-len(column) // pieces))
    slices = [column.slice(start, rows) for start in range(0, len(column), rows)] or [column]
    for _ in map_ahead(lambda piece: piece.validate(full=True), slices, min(jobs, len(slices))):
        pass


def replace_invalid_utf8(column: pa.Array, jobs: int = 1) -> ReplacedStrings:
    """Return strings with U+FFFD in place of invalid UTF-8, and in how many strings it was.

    A Parquet file may hold such strings: nothing checks them when they are written.

    Args:
        column: of type ``string`` or ``large_string``.
        jobs: threads that look for invalid strings.
    """
    try:
        _validate(column, jobs)
    except pa.ArrowInvalid:
        raw = column.cast(pa.large_binary())
        values = raw.to_pylist()
        decoded = [value if value is None else value.decode("utf-8", "replace") for value in values]
        valid = pa.array(decoded, column.type)
        changed = pc.not_equal(valid.cast(pa.large_binary()), raw)
        return ReplacedStrings(valid, pc.sum(changed).as_py() or 0)
    return ReplacedStrings(column, 0)


class Chunks(Protocol):
    """Texts in order, in pieces of type ``large_string``."""

    @property
    def chunks(self) -> Iterable[pa.Array]:
        """The pieces."""


@dataclass(frozen=True, slots=True)
class TextsToReadOnce:
    """Texts that can be read once."""

    chunks: Iterable[pa.Array]


def kernel_chunks(column: Chunks, slowdown: int = 1) -> Iterable[pa.LargeBinaryArray]:
    """Yield texts as UTF-8, in pieces for one call of a kernel each.

    Args:
        column: the texts.
        slowdown: how many times slower the kernel is than others; its pieces are smaller.
    """
    max_bytes = _CALL_BYTES // slowdown
    for chunk in column.chunks:
        # Counting the bytes of one text takes longer than reading it.
        rows = max(1, int(len(chunk) * max_bytes / max(1, chunk.nbytes))) if len(chunk) > 1 else 1
        for start in range(0, len(chunk), rows):
            yield chunk.slice(start, rows).view(pa.large_binary())


class Texts(Chunks, Protocol):
    """A column of texts that need not be in memory: read chunk by chunk, as often as needed.

    A column in memory is one too, through ``null_except``.
    """

    def __len__(self) -> int:
        """Return the number of texts."""

    def null_except(self, kept_mask: pa.Array) -> Texts:
        """Return the texts with only some kept, and the others null."""


#: A column of texts, in memory or not.
TextColumn: TypeAlias = Texts | pa.ChunkedArray


def null_except(column: TextColumn, kept_mask: pa.Array) -> TextColumn:
    """Return a column of texts with only some rows kept, and the others null, without a copy."""
    if not isinstance(column, pa.ChunkedArray):
        return column.null_except(kept_mask)
    chunks, start = [], 0
    for chunk in column.chunks:
        valid = pc.and_(chunk.is_valid(), kept_mask.slice(start, len(chunk)))
        start += len(chunk)
        _, offsets, values = chunk.buffers()
        offsets = offsets.slice(chunk.offset * _OFFSET_BYTES)
        buffers = [valid.buffers()[1], offsets, values]
        chunks.append(pa.Array.from_buffers(column.type, len(chunk), buffers))
    return pa.chunked_array(chunks, column.type)


def iterate_text_chunks(values: Any) -> Iterator[pa.Array]:
    """Yield a column that ``import_texts`` accepts, piece by piece; of views, one copy at a time.

    Raises:
        ColumnTypeError: as for ``import_texts``.
    """
    column = import_column_or_text_list(values)
    if not pa.types.is_string_view(column.type):
        yield from import_texts(column).chunks
        return
    for chunk in column.chunks:
        for start in range(0, len(chunk), VIEWED):
            yield chunk.slice(start, VIEWED).cast(pa.large_string())


def texts_to_read_once(values: Any, text_column: str | None = None) -> Chunks:
    """Return texts to read once: from record batches as they arrive, or from a column.

    Args:
        values: what ``import_texts`` takes, or record batches with a column of texts: a stream
            (``pyarrow.RecordBatchReader``, or anything whose Arrow PyCapsule stream is one), a
            single batch, a table or a data frame.
        text_column: the column of texts in the batches; by default ``text``, or the only column.

    Raises:
        ColumnTypeError: ``values`` is something else, there is no such column, or a name is given
            for something without columns.
    """
    batches = _record_batch_stream_or_none(values)
    if batches is not None:
        place = _text_column_index(batches.schema, text_column)
        return TextsToReadOnce(
            piece for batch in batches for piece in iterate_text_chunks(batch.column(place))
        )
    if text_column is not None:
        raise ColumnTypeError(
            f"text is {text_column!r}, but a {type(values).__name__} has no named columns. Leave "
            "out text, or give record batches."
        )
    column = import_column_or_text_list(values)
    if pa.types.is_string_view(column.type):
        return TextsToReadOnce(iterate_text_chunks(column))
    whole: Chunks = import_texts(column)
    return whole


def _record_batch_stream_or_none(values: Any) -> pa.RecordBatchReader | None:
    """Return a table, or record batches, as a stream of batches; None if they are a column."""
    if isinstance(values, pa.RecordBatchReader):
        return values
    if isinstance(values, pa.RecordBatch):
        return pa.RecordBatchReader.from_batches(values.schema, [values])
    if isinstance(values, pa.ChunkedArray) or not hasattr(values, "__arrow_c_stream__"):
        return None
    try:
        return pa.RecordBatchReader.from_stream(values)
    except pa.ArrowInvalid:
        return None  # It is a stream of arrays: a column in pieces.


def _text_column_index(schema: pa.Schema, name: str | None) -> int:
    """Return where a column of texts is; without a name, where ``text`` or the only one is.

    Raises:
        ColumnTypeError: there is no such column, or several.
    """
    if name is None:
        named = [field.name for field in schema if is_text_or_null_type(field.type)]
        name = named[0] if len(named) == 1 else _USUAL
    places: list[int] = schema.get_all_field_indices(name)
    if len(places) != 1 or not is_text_or_null_type(schema.field(places[0]).type):
        kinds = ", ".join(f"{field.name} ({field.type})" for field in schema)
        raise ColumnTypeError(
            f"expected record batches with one column of texts named {name!r}, got {kinds}. "
            "Name the column that holds the texts: text=."
        )
    return places[0]


def load_texts(column: TextColumn) -> pa.ChunkedArray:
    """Return a column of texts in memory."""
    if isinstance(column, pa.ChunkedArray):
        return column
    return pa.chunked_array(list(column.chunks), pa.large_string())


def take_texts(column: TextColumn, ascending_rows: pa.Array) -> pa.Array:
    """Return some texts as one array; arguments as for ``pick_texts``."""
    return join_pieces(pick_texts(column, ascending_rows).chunks, pa.large_string())


def pick_texts(column: TextColumn, ascending_rows: pa.Array) -> TextsToReadOnce:
    """Return some texts, to read once; the others need not be in memory.

    Args:
        column: n texts, as ``import_texts`` gives them.
        ascending_rows: m different rows.
    """
    chosen = pc.is_in(pa.arange(0, len(column)), value_set=ascending_rows)

    def pieces() -> Iterator[pa.Array]:
        begin = 0
        for chunk in null_except(column, chosen).chunks:
            yield chunk.filter(chosen.slice(begin, len(chunk)))
            begin += len(chunk)

    return TextsToReadOnce(pieces())
