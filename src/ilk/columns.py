"""The Arrow contract: what a column may be when it comes in, and what it is when it goes out.

Texts come as any flavour of Arrow string, from any library that speaks the Arrow PyCapsule
interface, or as a Python sequence. Fingerprints are ``uint64`` in memory; whatever is written is
the same 64 bits as signed ``int64``, by view, never by cast. Those of 128 bits are 16 bytes, the
most significant first, in memory and as written. Only this module knows it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.compute as pc

from ilk.errors import ColumnTypeError, RecipeMismatch

#: 128 bits: digests, and wide fingerprints.
DIGEST = WIDE = pa.binary(16)

#: How Python names whole numbers of 64 bits, signed or not, in the machine's own order.
_WORDS = frozenset("QqLl")

#: Shingle sets: ascending, distinct ids, or hashes where ids would meet by chance.
SETS = pa.large_list(pa.field("item", pa.uint32(), nullable=False))
WIDE_SETS = pa.large_list(pa.field("item", pa.uint64(), nullable=False))

#: Step "read": one row per document. ``doc`` is the row number in reading order.
DOCUMENTS = pa.schema(
    [
        pa.field("doc", pa.int64(), nullable=False),
        pa.field("source", pa.string(), nullable=False),
        pa.field("id", pa.string()),
        pa.field("text", pa.large_string()),
        pa.field("bytes_digest", DIGEST),
        pa.field("size", pa.int64()),
        pa.field("modified", pa.timestamp("us", tz="UTC")),
    ]
)

#: Step "fingerprint": null with its reason where a text has too little. ``with_recipe`` gives the
#: fingerprints the type of the recipe's width.
FINGERPRINTS = pa.schema(
    [
        pa.field("doc", pa.int64(), nullable=False),
        pa.field("fingerprint", pa.uint64()),
        pa.field("digest", DIGEST),
        pa.field("bytes_digest", DIGEST),
        pa.field("reason", pa.string()),
    ]
)

#: Step "pair": what is not known yet is null. The last three are numbers of shingles.
CANDIDATES = pa.schema(
    [
        pa.field("left", pa.int64(), nullable=False),
        pa.field("right", pa.int64(), nullable=False),
        pa.field("distance", pa.uint8()),
        pa.field("shared", pa.int64()),
        pa.field("left_shingles", pa.int64()),
        pa.field("right_shingles", pa.int64()),
    ]
)

#: Step "verify".
PAIRS = pa.schema(
    [
        pa.field("left", pa.int64(), nullable=False),
        pa.field("right", pa.int64(), nullable=False),
        pa.field("distance", pa.uint8()),
        pa.field("resemblance", pa.float64()),
        pa.field("containment_left", pa.float64()),
        pa.field("containment_right", pa.float64()),
        pa.field("verdict", pa.string()),
    ]
)

#: Step "cluster": every document of a cluster of two or more, its keeper among them.
CLUSTERS = pa.schema(
    [
        pa.field("doc", pa.int64(), nullable=False),
        pa.field("cluster", pa.int64(), nullable=False),
        pa.field("keeper", pa.int64(), nullable=False),
        pa.field("distance_to_keeper", pa.uint8()),
        pa.field("resemblance_to_keeper", pa.float64()),
        pa.field("contained_in_keeper", pa.float64()),
        pa.field("contains_keeper", pa.float64()),
        pa.field("verdict", pa.string()),
    ]
)

#: The metadata key under which a column carries its recipe.
RECIPE_KEY = b"ilk.recipe"

#: Bytes of text handed to a kernel at once, so that Ctrl-C is heard between two calls.
_CALL_BYTES = 64 << 20

#: Bytes of an offset in a column of type ``large_string``.
_OFFSET_BYTES = 8


def texts(values: Any) -> pa.ChunkedArray:
    """A column of texts as ``large_string`` chunks.

    Args:
        values: an Arrow string column of any flavour (dictionaries and views included), anything
            with the Arrow PyCapsule interface (Polars, pandas, DuckDB), or a sequence of ``str``
            and None. A lone surrogate becomes U+FFFD.

    Raises:
        ColumnTypeError: ``values`` is something else.
    """
    column = _imported(values)
    kind = column.type
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_null(kind):
        return column.cast(pa.large_string())
    if not (
        pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    ):
        raise ColumnTypeError(
            f"expected a column of texts, got one of {column.type}. "
            "Name the column that holds the texts, or decode bytes first."
        )
    return column.cast(pa.large_string())


def _imported(values: Any) -> pa.ChunkedArray:
    if isinstance(values, str | bytes):
        raise ColumnTypeError(
            f"expected a column or a list of texts, got one {type(values).__name__}. "
            "Put it into a list: [text]."
        )
    if isinstance(values, pa.ChunkedArray):
        return values
    if isinstance(values, pa.Array):
        return pa.chunked_array([values])
    if hasattr(values, "__arrow_c_stream__") or hasattr(values, "__arrow_c_array__"):
        if hasattr(values, "__arrow_c_stream__"):
            return pa.chunked_array(values)
        return pa.chunked_array([pa.array(values)])
    if hasattr(values, "tolist"):
        values = values.tolist()
    if not isinstance(values, Iterable):
        raise ColumnTypeError(f"expected a column or a list of texts, got {type(values).__name__}.")
    return pa.chunked_array([_from_sequence(list(values))])


def _from_sequence(values: Sequence[Any]) -> pa.Array:
    for value in values:
        if value is not None and not isinstance(value, str):
            raise ColumnTypeError(
                f"expected texts, got {type(value).__name__} in the list. "
                "Decode bytes and convert other values to str first."
            )
    try:
        return pa.array(values, pa.large_string())
    except UnicodeEncodeError:
        return pa.array([v if v is None else _scalar_values(v) for v in values], pa.large_string())


def _scalar_values(text: str) -> str:
    """The text with every lone surrogate replaced: UTF-8 has no form for it."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def kernel_chunks(column: Texts | pa.ChunkedArray) -> Iterable[pa.Array]:
    """A column of texts, piece by piece, in the one form that the kernels take."""
    for chunk in column.chunks:
        rows = max(1, int(len(chunk) * _CALL_BYTES / max(1, chunk.nbytes)))
        for start in range(0, len(chunk), rows):
            yield chunk.slice(start, rows).view(pa.large_binary())


def padded(found: pa.Table, schema: pa.Schema) -> pa.Table:
    """A table that has some columns of the schema, the others null."""
    arrays = [
        found[field.name] if field.name in found.column_names else pa.nulls(len(found), field.type)
        for field in schema
    ]
    return pa.table(arrays, schema=schema)


class Texts(Protocol):
    """A column of texts that need not be in memory: read chunk by chunk, as often as asked for.

    Its chunks are ``large_string``. A column in memory is one too, by way of ``only``.
    """

    @property
    def chunks(self) -> Iterable[pa.Array]:
        """The texts in order, piece by piece."""

    def __len__(self) -> int:
        """The number of texts."""

    def only(self, rows: pa.Array) -> Texts:
        """The texts of which only some are left, the others null."""


def only(column: Texts | pa.ChunkedArray, rows: pa.Array) -> Any:
    """A column of texts in which only some rows are left, the others null; nothing is copied.

    Args:
        column: n texts, as ``texts`` gives them.
        rows: n truth values.
    """
    if not isinstance(column, pa.ChunkedArray):
        return column.only(rows)
    chunks, start = [], 0
    for chunk in column.chunks:
        valid = pc.and_(chunk.is_valid(), rows.slice(start, len(chunk)))
        start += len(chunk)
        _, offsets, values = chunk.buffers()
        offsets = offsets.slice(chunk.offset * _OFFSET_BYTES)
        buffers = [valid.buffers()[1], offsets, values]
        chunks.append(pa.Array.from_buffers(column.type, len(chunk), buffers))
    return pa.chunked_array(chunks, column.type)


def held(column: Texts | pa.ChunkedArray) -> pa.ChunkedArray:
    """A column of texts in memory."""
    if isinstance(column, pa.ChunkedArray):
        return column
    return pa.chunked_array(list(column.chunks), pa.large_string())


def taken(column: Texts | pa.ChunkedArray, rows: pa.Array) -> pa.Array:
    """Some texts as one array; the others need not be in memory.

    Args:
        column: n texts, as ``texts`` gives them.
        rows: m different rows, ascending, of texts that are not null.
    """
    some = only(column, pc.is_in(pa.arange(0, len(column)), value_set=rows))
    return joined((chunk.drop_null() for chunk in some.chunks), pa.large_string())


def is_list(kind: pa.DataType) -> bool:
    """Whether a column of this type holds a list in every row."""
    return bool(
        pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)
    )


def lists(values: Any) -> pa.Array:
    """A column of lists as one array.

    Raises:
        ColumnTypeError: ``values`` is something else.
    """
    if not isinstance(values, pa.Array | pa.ChunkedArray):
        try:
            values = pa.array([None if value is None else list(value) for value in values])
        except (TypeError, pa.ArrowInvalid) as error:
            raise ColumnTypeError(f"expected sets of values of one type: {error}.") from error
    values = flat(values)
    if not is_list(values.type):
        raise ColumnTypeError(f"expected a column of sets (lists), got {values.type}.")
    return values


def both_lists(left: Any, right: Any) -> pa.Array:
    """Two columns of lists as one, the left one first, so that equal values stay equal.

    Raises:
        ColumnTypeError: a column is something else, or they hold values of different types.
    """
    if not any(isinstance(side, pa.Array | pa.ChunkedArray) for side in (left, right)):
        return lists([*left, *right])
    first, second = lists(left), lists(right)
    try:
        return pa.concat_arrays([first, second.cast(first.type)])
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise ColumnTypeError(
            f"sets of {first.type} and of {second.type} cannot be joined; cast one of them."
        ) from error


def sets(values: Any) -> pa.Array:
    """A column of lists of anything as sets of whole numbers, equal where the values are equal.

    Args:
        values: n lists, sets or nulls, or an Arrow column of lists.

    Returns:
        n lists of ``uint32``, neither sorted nor distinct yet; a null is empty.

    Raises:
        ColumnTypeError: ``values`` is something else.
    """
    values = lists(values)
    # Numbers of 32 bits stand for themselves; all else for its place among the values.
    items = flat(values.flatten())
    known = pa.types.is_uint32(items.type)
    ids = items if known else items.dictionary_encode().indices.cast(pa.uint32())
    if ids.null_count:
        raise ColumnTypeError("a set holds a null; leave it out.")
    lengths = pc.fill_null(pc.list_value_length(values), 0).cast(pa.int64())
    ends = pc.cumulative_sum(lengths)
    offsets = pa.concat_arrays([pa.array([0], pa.int64()), ends])
    return pa.LargeListArray.from_arrays(offsets, ids, type=SETS)


def joined(pieces: Iterable[pa.Array], kind: pa.DataType) -> pa.Array:
    """Pieces of one column as one array."""
    pieces = list(pieces)
    if len(pieces) == 1:
        return pieces[0]
    return pa.concat_arrays(pieces) if pieces else pa.array([], kind)


def flat(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    """A column as one array."""
    return joined(column.chunks, column.type) if isinstance(column, pa.ChunkedArray) else column


def fingerprints(values: Any) -> pa.Array:
    """A column of fingerprints as ``uint64``, or as 16 bytes where they have 128 bits; nulls kept.

    Args:
        values: an Arrow column of ``uint64`` or of ``int64`` (the same bits, as written), or of 16
            bytes (``fixed_size_binary[16]``, the most significant first); anything with the Arrow
            PyCapsule interface; an array of NumPy, whose numbers of 64 bits are not copied (so that
            ``numpy.memmap`` stays in its file); a sequence of integers, or of ``bytes``, and None;
            or a table of which ``fingerprint`` is such a column.

    Raises:
        ColumnTypeError: ``values`` is something else.
    """
    if isinstance(values, pa.Table | pa.RecordBatch):
        if "fingerprint" not in values.schema.names:
            seen = ", ".join(values.schema.names) or "none"
            raise ColumnTypeError(
                f"the table has no column named fingerprint (it has {seen}). Pass the column alone."
            )
        values = values["fingerprint"]
    if not (
        isinstance(values, pa.Array | pa.ChunkedArray)
        or hasattr(values, "__arrow_c_stream__")
        or hasattr(values, "__arrow_c_array__")
    ):
        if isinstance(values, str | bytes) or not isinstance(values, Iterable):
            raise ColumnTypeError(
                f"expected a column of fingerprints, got {type(values).__name__}."
            )
        column = _in_place(values)
        return _from_numbers(values) if column is None else column
    column = _imported(values)
    array = joined(column.chunks, column.type)
    if pa.types.is_int64(array.type):
        return unsigned(array)
    if pa.types.is_uint64(array.type) or array.type == WIDE:
        return array
    if pa.types.is_null(array.type) or pa.types.is_unsigned_integer(array.type):
        return array.cast(pa.uint64())
    raise ColumnTypeError(
        "expected a column of fingerprints (uint64, int64 as written, or fixed_size_binary[16]), "
        f"got {array.type}."
    )


def both_fingerprints(left: Any, right: Any) -> tuple[pa.Array, pa.Array]:
    """Two columns of fingerprints that may be compared; without a value, of either width.

    Raises:
        ColumnTypeError: a column is not of fingerprints.
        RecipeMismatch: both carry a recipe, and they differ; or their widths do.
    """
    same_recipe(carried_recipe(left), carried_recipe(right))
    a, b = fingerprints(left), fingerprints(right)
    if a.type == b.type:
        return a, b
    if a.null_count == len(a):
        return pa.nulls(len(a), b.type), b
    if b.null_count == len(b):
        return a, pa.nulls(len(b), a.type)
    raise RecipeMismatch(
        f"fingerprints of {width(a)} bits meet fingerprints of {width(b)}; their distance would "
        "mean nothing. Fingerprint both sides with one recipe."
    )


def width(values: pa.Array) -> int:
    """The largest distance in bits, 64 or 128; a column without a value may be of either width."""
    return 128 if values.type == WIDE or values.null_count == len(values) else 64


def _in_place(values: Any) -> pa.Array | None:
    """Numbers of 64 bits that stand in memory as those of a column do, left there; or None."""
    try:
        view = memoryview(values)
    except (TypeError, ValueError, BufferError):
        return None
    if view.ndim != 1 or view.itemsize != 8 or not view.c_contiguous or view.format not in _WORDS:
        return None
    return pa.Array.from_buffers(pa.uint64(), len(view), [None, pa.py_buffer(view)])


def _from_numbers(values: Iterable[Any]) -> pa.Array:
    values = values.tolist() if hasattr(values, "tolist") else list(values)
    if any(isinstance(value, bytes) for value in values):
        return _from_bytes(values)
    return pa.array([None if value is None else _narrow(value) for value in values], pa.uint64())


def _from_bytes(values: Sequence[Any]) -> pa.Array:
    return pa.array([None if value is None else _wide(value) for value in values], WIDE)


def is_number(value: Any) -> bool:
    """Whether it is one fingerprint; a column of NumPy has ``__index__`` too, but also a length."""
    return isinstance(value, bytes) or (
        hasattr(value, "__index__") and not hasattr(value, "__len__")
    )


def fingerprint(value: Any, bits: int) -> int | bytes:
    """One fingerprint: unsigned if it has 64 bits, or 16 bytes if it has 128.

    Raises:
        ColumnTypeError: it is not a fingerprint of so many bits.
    """
    return _narrow(value) if bits == 64 else _wide(value)


def _narrow(value: Any) -> int:
    if not hasattr(value, "__index__") or isinstance(value, bool):
        raise ColumnTypeError(
            f"expected a fingerprint of 64 bits (an integer), got {type(value).__name__}."
        )
    number: int = value.__index__()
    if not -(1 << 63) <= number < 1 << 64:
        raise ColumnTypeError(
            f"{number} does not fit 64 bits. Give 128 bits as bytes: number.to_bytes(16)."
        )
    return number & (1 << 64) - 1


def _wide(value: Any) -> bytes:
    if not isinstance(value, bytes):
        raise ColumnTypeError(
            f"expected a fingerprint of 128 bits (16 bytes), got {type(value).__name__}."
        )
    if len(value) != 16:
        raise ColumnTypeError(f"expected a fingerprint of 16 bytes, got one of {len(value)}.")
    return value


def ids(values: Any) -> pa.Array:
    """A column of ids as ``int64``.

    Args:
        values: an Arrow column of whole numbers, anything with the Arrow PyCapsule interface, or a
            sequence of integers.

    Raises:
        ColumnTypeError: ``values`` is something else, or holds a null.
    """
    try:
        arrow = hasattr(values, "__arrow_c_stream__") or hasattr(values, "__arrow_c_array__")
        column = flat(_imported(values)) if arrow else pa.array(values)
        if len(column) and not pa.types.is_integer(column.type):
            raise ColumnTypeError(f"expected ids (whole numbers), got {column.type}.")
        column = column.cast(pa.int64())
    except (TypeError, OverflowError, pa.ArrowInvalid) as error:
        raise ColumnTypeError(f"expected ids (whole numbers of 64 bits): {error}.") from error
    if column.null_count:
        raise ColumnTypeError("an id is null; every fingerprint needs one.")
    return column


def signed(array: pa.Array) -> pa.Array:
    """The same 64 bits as ``int64``: how a fingerprint is written."""
    return array.view(pa.int64())


def unsigned(array: pa.Array) -> pa.Array:
    """The same 64 bits as ``uint64``: how a fingerprint is held."""
    return array.view(pa.uint64())


def fingerprints_of(values: Any, bits: int) -> pa.Array:
    """A column of fingerprints of so many bits, also where all of them are null.

    Raises:
        ColumnTypeError: they are no fingerprints.
        RecipeMismatch: they have another width.
    """
    found, kind = fingerprints(values), fingerprint_type(bits)
    if found.null_count == len(found):
        return pa.nulls(len(found), kind)
    if found.type != kind:
        raise RecipeMismatch(
            f"fingerprints of {width(found)} bits meet those of {bits}; their distance would mean "
            "nothing. Fingerprint both sides with one recipe."
        )
    return found


def fingerprint_type(bits: int) -> pa.DataType:
    """What holds fingerprints of so many bits in memory."""
    return pa.uint64() if bits <= 64 else WIDE


def fingerprint_bits(values: pa.Array) -> int:
    """How many bits a column of fingerprints, or of hashes, has room for: 64 or 128."""
    return 128 if values.type == WIDE else 64


def highest_bit(values: pa.Array) -> int:
    """How many bits the largest of a column of fingerprints has; 0 where there is none."""
    largest = max((_number(value) for value in values.to_pylist() if value is not None), default=0)
    return largest.bit_length()


def _number(value: int | bytes) -> int:
    return int.from_bytes(value, "big") if isinstance(value, bytes) else value


#: The ways to write the bits of a fingerprint, most significant first.
FORMS = ("hex", "bits", "unsigned", "signed")


def formatted(table: pa.Table, form: str, bits: int) -> pa.Table:
    """The table, its fingerprints of so many bits in one of ``FORMS``.

    Hexadecimal and binary digits are strings; integers are ``uint64`` or ``int64``, and strings of
    decimal digits where they have 128 bits, for which Arrow and JSON have no integers.
    """
    values = flat(table["fingerprint"])
    if form in ("hex", "bits"):
        digits = f"0{bits // 4}x" if form == "hex" else f"0{bits}b"
        return _with_fingerprints(table, _written(values, lambda value: format(value, digits)))
    if bits <= 64:
        return _with_fingerprints(table, signed(values) if form == "signed" else values)
    sign = bits - 1 if form == "signed" else bits
    return _with_fingerprints(
        table, _written(values, lambda value: str(value - (value >> sign << bits)))
    )


def stored(table: pa.Table) -> pa.Table:
    """The table, its fingerprints as they are written to files."""
    return _with_fingerprints(table, stored_values(flat(table["fingerprint"])))


def stored_values(values: pa.Array) -> pa.Array:
    """Fingerprints as they are written to files: ``int64``, or 16 bytes."""
    return values if values.type == WIDE else signed(values)


def _written(values: pa.Array, form: Callable[[int], str]) -> pa.Array:
    """Fingerprints as strings, nulls kept."""
    rows = values.to_pylist()
    return pa.array([None if row is None else form(_number(row)) for row in rows], pa.string())


def _with_fingerprints(table: pa.Table, values: pa.Array) -> pa.Table:
    """The table with other fingerprints, their metadata kept."""
    at = table.schema.get_field_index("fingerprint")
    return table.set_column(at, table.schema.field(at).with_type(values.type), values)


def with_recipe(schema: pa.Schema, recipe: str, bits: int) -> pa.Schema:
    """The schema, its fingerprint column of so many bits and marked with the recipe."""
    at = schema.get_field_index("fingerprint")
    field = schema.field(at).with_type(fingerprint_type(bits))
    return schema.set(at, field.with_metadata({RECIPE_KEY: recipe.encode()}))


def recipe_of(field: pa.Field) -> str | None:
    """The recipe that a column carries, if it carries one."""
    marked = (field.metadata or {}).get(RECIPE_KEY)
    return None if marked is None else marked.decode()


def carried_recipe(values: Any) -> str | None:
    """The recipe of fingerprints as they are handed over: only a table's column carries one."""
    if isinstance(values, pa.Table | pa.RecordBatch) and "fingerprint" in values.schema.names:
        return recipe_of(values.schema.field("fingerprint"))
    return None


def same_recipe(left: str | None, right: str | None) -> None:
    """Refuse to compare fingerprints of two recipes.

    Raises:
        RecipeMismatch: both are known, and differ.
    """
    if left is not None and right is not None and left != right:
        raise RecipeMismatch(
            f"fingerprints of {left!r} meet fingerprints of {right!r}; their distance would mean "
            "nothing. Fingerprint both sides with one recipe."
        )
