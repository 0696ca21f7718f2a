"""Columns of fingerprints and of ids: the forms that ilk accepts, and those that it writes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from ilk.arrow.schemas import WIDE, flat, join_pieces, replace_columns
from ilk.arrow.strings import import_column_or_text_list
from ilk.base.errors import ColumnTypeError, OptionError, RecipeMismatch
from ilk.base.options import FingerprintForm

#: The metadata key under which a column carries its recipe.
RECIPE_KEY = b"ilk.recipe"

#: One fingerprint: a number of 64 bits, or 16 bytes.
OneFingerprint: TypeAlias = int | bytes

#: A column of fingerprints, in any form that ``import_fingerprints`` accepts.
FingerprintColumn: TypeAlias = Any

#: One fingerprint, or a column of them.
FingerprintOrColumn: TypeAlias = Any

#: Python's names of 64-bit whole numbers, signed or not, in native byte order.
_WORDS = frozenset("QqLl")


def recipe_of_field_or_none(field: pa.Field) -> str | None:
    """Return the recipe that a column carries; None if it carries none."""
    recipe = (field.metadata or {}).get(RECIPE_KEY)
    return None if recipe is None else recipe.decode()


def recipe_of_table_or_none(values: Any) -> str | None:
    """Return the recipe that the fingerprints of a table carry; None without one or a table."""
    if isinstance(values, pa.Table | pa.RecordBatch) and "fingerprint" in values.schema.names:
        return recipe_of_field_or_none(values.schema.field("fingerprint"))
    return None


def refuse_other_recipe(left: str | None, right: str | None) -> None:
    """Refuse to compare fingerprints of two recipes.

    Raises:
        RecipeMismatch: both are known, and differ.
    """
    if left is not None and right is not None and left != right:
        raise RecipeMismatch(
            f"fingerprints of {left!r} cannot be compared with fingerprints of {right!r}. "
            "Fingerprint both sides with one recipe."
        )


def import_fingerprints(values: FingerprintColumn) -> pa.Array:
    """Return a column of fingerprints as ``uint64``, or as 16 bytes for 128 bits; nulls kept.

    Args:
        values: an Arrow column of ``uint64`` or of ``int64`` (the same bits, as written), or of 16
            bytes (``fixed_size_binary[16]``, the most significant first); anything with the Arrow
            PyCapsule interface; a NumPy array, whose 64-bit numbers are copied only if it is
            writable (``numpy.memmap(mode="r")`` stays in its file); a sequence of integers, or of
            ``bytes``, and None; or a table with such a column ``fingerprint``.

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
        column = _import_64bit_buffer_or_none(values)
        if column is not None:
            return column
        values = values.tolist() if hasattr(values, "tolist") else list(values)
        bits = 128 if any(isinstance(value, bytes) for value in values) else 64
        each = [None if value is None else check_fingerprint(value, bits) for value in values]
        return pa.array(each, fingerprint_type(bits))
    column = import_column_or_text_list(values)
    array = join_pieces(column.chunks, column.type)
    if pa.types.is_int64(array.type):
        return reinterpret_as_unsigned(array)
    if pa.types.is_uint64(array.type) or array.type == WIDE:
        return array
    if pa.types.is_null(array.type) or pa.types.is_unsigned_integer(array.type):
        return array.cast(pa.uint64())
    raise ColumnTypeError(
        "expected a column of fingerprints (uint64, int64 as written, or fixed_size_binary[16]), "
        f"got {array.type}."
    )


class ComparableFingerprints(NamedTuple):
    """Two columns of fingerprints of the same width."""

    left: pa.Array
    right: pa.Array


def import_comparable_fingerprints(
    left: FingerprintColumn, right: FingerprintColumn
) -> ComparableFingerprints:
    """Return two columns of fingerprints that may be compared; an empty one fits either width.

    Raises:
        ColumnTypeError: a column is not of fingerprints.
        RecipeMismatch: both carry a recipe, and they differ; or their widths do.
    """
    refuse_other_recipe(recipe_of_table_or_none(left), recipe_of_table_or_none(right))
    a, b = import_fingerprints(left), import_fingerprints(right)
    if a.type == b.type:
        return ComparableFingerprints(a, b)
    if a.null_count == len(a):
        return ComparableFingerprints(pa.nulls(len(a), b.type), b)
    if b.null_count == len(b):
        return ComparableFingerprints(a, pa.nulls(len(b), a.type))
    raise RecipeMismatch(
        f"fingerprints of {bits_or_128_if_all_null(a)} bits cannot be compared with "
        f"fingerprints of {bits_or_128_if_all_null(b)}. Fingerprint both sides with one recipe."
    )


def import_fingerprints_of_width(values: FingerprintColumn, bits: int) -> pa.Array:
    """Return a column of fingerprints of ``bits`` bits, even if all of them are null.

    Raises:
        ColumnTypeError: they are not fingerprints.
        RecipeMismatch: they have another width.
    """
    column, kind = import_fingerprints(values), fingerprint_type(bits)
    if column.null_count == len(column):
        return pa.nulls(len(column), kind)
    if column.type != kind:
        raise RecipeMismatch(
            f"fingerprints of {bits_or_128_if_all_null(column)} bits cannot be compared with "
            f"those of {bits}. Fingerprint both sides with one recipe."
        )
    return column


def _import_64bit_buffer_or_none(values: Any) -> pa.Array | None:
    """Return 64-bit numbers that lie in memory as those of a column do; None for anything else.

    They are not copied, unless they are writable: another thread could change them while a
    kernel reads them.
    """
    try:
        view = memoryview(values)
    except (TypeError, ValueError, BufferError):
        return None
    if view.ndim != 1 or view.itemsize != 8 or not view.c_contiguous or view.format not in _WORDS:
        return None
    content = view if view.readonly else view.tobytes()
    return pa.Array.from_buffers(pa.uint64(), len(view), [None, pa.py_buffer(content)])


def raw_bytes(column: pa.Array) -> memoryview:
    """Return the bytes of a column of numbers without nulls."""
    size = column.type.bit_width // 8
    values = column.buffers()[1]
    if values is None:
        return memoryview(b"")
    return memoryview(values)[column.offset * size :][: len(column) * size]


def is_one_fingerprint(value: Any) -> bool:
    """Return whether a value is one fingerprint; a NumPy column has ``__index__`` too, but also a
    length.
    """
    return isinstance(value, bytes) or (
        hasattr(value, "__index__") and not hasattr(value, "__len__")
    )


def check_fingerprint(value: Any, bits: int) -> OneFingerprint:
    """Return one fingerprint: unsigned if it has 64 bits, or 16 bytes if it has 128.

    Raises:
        ColumnTypeError: it is not a fingerprint of ``bits`` bits.
    """
    if bits == 128:
        if not isinstance(value, bytes):
            raise ColumnTypeError(
                f"expected a fingerprint of 128 bits (16 bytes), got {type(value).__name__}."
            )
        if len(value) != 16:
            raise ColumnTypeError(f"expected a fingerprint of 16 bytes, got one of {len(value)}.")
        return value
    if not hasattr(value, "__index__") or isinstance(value, bool):
        raise ColumnTypeError(
            f"expected a fingerprint of 64 bits (an integer), got {type(value).__name__}."
        )
    number: int = value.__index__()
    if not -(1 << 63) <= number < 1 << 64:
        raise ColumnTypeError(
            f"{number} does not fit into 64 bits. Give 128 bits as bytes: number.to_bytes(16)."
        )
    return number & (1 << 64) - 1


def bits_or_128_if_all_null(fingerprints: pa.Array) -> int:
    """Return the width of fingerprints, 64 or 128; 128 for a column of nulls, which fits either."""
    only_nulls = fingerprints.null_count == len(fingerprints)
    return 128 if fingerprints.type == WIDE or only_nulls else 64


def fingerprint_type(bits: int) -> pa.DataType:
    """Return the type that holds fingerprints of ``bits`` bits in memory."""
    return pa.uint64() if bits <= 64 else WIDE


def fingerprint_bits(fingerprints: pa.Array) -> int:
    """Return the width of a column of fingerprints, or of hashes: 64 or 128 bits."""
    return 128 if fingerprints.type == WIDE else 64


def fingerprint_number(fingerprint: OneFingerprint) -> int:
    """Return a fingerprint as a number; one that is a number stays as it is."""
    return int.from_bytes(fingerprint, "big") if isinstance(fingerprint, bytes) else fingerprint


def differing_bits(left: OneFingerprint, right: OneFingerprint) -> int:
    """Return in how many bits two fingerprints differ; numbers may be signed or unsigned.

    >>> differing_bits(-1, 2**64 - 2), differing_bits(bytes(16), bytes([3] * 16))
    (1, 32)
    """
    width = 128 if isinstance(left, bytes) else 64
    return ((fingerprint_number(left) ^ fingerprint_number(right)) & (1 << width) - 1).bit_count()


def reinterpret_as_signed(numbers: pa.UInt64Array) -> pa.Int64Array:
    """Return the same 64 bits as ``int64``, as fingerprints are written."""
    return numbers.view(pa.int64())


def reinterpret_as_unsigned(numbers: pa.Int64Array) -> pa.UInt64Array:
    """Return the same 64 bits as ``uint64``, as fingerprints are held."""
    return numbers.view(pa.uint64())


def import_ids_refusing_nulls(values: Any) -> pa.Int64Array:
    """Return a column of ids as ``int64``, without nulls.

    Args:
        values: an Arrow column of whole numbers, anything with the Arrow PyCapsule interface, or a
            sequence of integers.

    Raises:
        ColumnTypeError: ``values`` is something else, or holds a null.
    """
    try:
        arrow = hasattr(values, "__arrow_c_stream__") or hasattr(values, "__arrow_c_array__")
        column = flat(import_column_or_text_list(values)) if arrow else pa.array(values)
        if len(column) and not pa.types.is_integer(column.type):
            raise ColumnTypeError(f"expected ids (whole numbers), got {column.type}.")
        column = column.cast(pa.int64())
    except (TypeError, OverflowError, pa.ArrowInvalid) as error:
        raise ColumnTypeError(f"expected ids (whole numbers of 64 bits): {error}.") from error
    if column.null_count:
        raise ColumnTypeError("an id is null; every fingerprint needs one.")
    return column


def check_row_numbers(values: Any, first_row: int, last_row: int) -> pa.Int64Array:
    """Return a column of row numbers as ``int64``, each from ``first_row`` to ``last_row``.

    Raises:
        ColumnTypeError: ``values`` are no whole numbers.
        OptionError: a row is not there.
    """
    column = import_ids_refusing_nulls(values)
    for row in pc.min_max(column).as_py().values():
        if row is not None and not first_row <= row <= last_row:
            raise OptionError(
                f"there is no row {row}: rows are numbered {first_row} to {last_row}."
            )
    return column


def with_formatted_fingerprints(table: pa.Table, form: FingerprintForm, bits: int) -> pa.Table:
    """Return a table with its fingerprints of ``bits`` bits in one of ``FORMS``.

    Hexadecimal and binary digits are strings; integers are ``uint64`` or ``int64``, or strings of
    decimal digits for 128 bits, since Arrow and JSON have no such integers.
    """
    values = flat(table["fingerprint"])
    if bits <= 64 and form in ("signed", "unsigned"):
        return replace_columns(
            table, fingerprint=reinterpret_as_signed(values) if form == "signed" else values
        )
    digits = {"hex": f"0{bits // 4}x", "bits": f"0{bits}b"}.get(form, "d")
    sign = bits - 1 if form == "signed" else bits
    numbers = (None if row is None else fingerprint_number(row) for row in values.to_pylist())
    rows = [None if n is None else format(n - (n >> sign << bits), digits) for n in numbers]
    return replace_columns(table, fingerprint=pa.array(rows, pa.string()))


def with_signed_fingerprints_unless_wide(table: pa.Table) -> pa.Table:
    """Return the table with its fingerprints as they are written to files."""
    return replace_columns(
        table, fingerprint=reinterpret_as_signed_unless_wide(flat(table["fingerprint"]))
    )


def reinterpret_as_signed_unless_wide(fingerprints: pa.Array) -> pa.Array:
    """Return fingerprints as they are written to files: ``int64``, or 16 bytes."""
    return fingerprints if fingerprints.type == WIDE else reinterpret_as_signed(fingerprints)


def with_fingerprint_field_of_recipe(schema: pa.Schema, recipe: str, bits: int) -> pa.Schema:
    """Return the schema with its fingerprints of ``bits`` bits, and marked with the recipe."""
    at = schema.get_field_index("fingerprint")
    field = schema.field(at).with_type(fingerprint_type(bits))
    return schema.set(at, field.with_metadata({RECIPE_KEY: recipe.encode()}))
