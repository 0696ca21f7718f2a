"""Values as written in text files, converted to typed columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ilk.arrow import flat
from ilk.base.errors import ColumnTypeError, MissingColumn
from ilk.read.rows.sources import Kind, Values

_NUMBERS = (pa.int64(), pa.float64())
_TIMES = (pa.timestamp("us"), pa.timestamp("us", tz="UTC"))

#: The types for values of one kind; the first that fits all of them is used.
_TYPES = {
    Kind.BOOL: (pa.bool_(),),
    Kind.NUMBER: _NUMBERS,
    Kind.STRING: (*_TIMES, pa.string()),
    Kind.FIELD: (*_NUMBERS, *_TIMES, pa.string()),
}
_WORDS = {
    Kind.BOOL: "truth values",
    Kind.NUMBER: "numbers",
    Kind.STRING: "strings",
    Kind.NESTED: "objects or lists",
    Kind.FIELD: "fields of CSV",
}


def column(name: str, pieces: Iterable[Values]) -> pa.ChunkedArray:
    """Return all values of a column, in a type that fits them.

    Numbers become ``int64`` or, if that cannot hold all of them, ``float64``; strings that are all
    ISO 8601 times, ``timestamp``; CSV fields, which have no kind, whichever of these fits; absent
    values are null.

    Raises:
        ColumnTypeError: no row has the column; or it has values of several kinds.
    """
    typed: list[pa.Array] = []
    spelled: list[Values] = []
    for piece in pieces:
        typed.append(piece.values) if piece.kinds is None else spelled.append(piece)
    if typed and spelled:
        raise ColumnTypeError(f"the column {name} is in files of different formats.")
    return _joined(name, typed) if typed else _typed(name, spelled)


def spelled(values: pa.ChunkedArray, spell: Callable[[Any], str]) -> pa.ChunkedArray:
    """Write values, including nulls, in the way of a format; each is written once."""
    encoded = flat(values).dictionary_encode()
    known = pa.array([spell(value) for value in encoded.dictionary.to_pylist()], pa.string())
    return pc.fill_null(known.take(encoded.indices), spell(None))


def _joined(name: str, pieces: list[pa.Array]) -> pa.ChunkedArray:
    tables = [pa.table({"": piece}) for piece in pieces]
    try:
        return pa.concat_tables(tables, promote_options="permissive").column(0)
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        types = ", ".join(sorted({str(piece.type) for piece in pieces}))
        raise ColumnTypeError(f"the column {name} has the types {types}; cast them.") from error


def _typed(name: str, pieces: list[Values]) -> pa.ChunkedArray:
    """Return written values in the type of their kind."""
    values = pa.chunked_array([piece.values for piece in pieces], pa.large_string())
    kinds = pa.chunked_array([piece.kinds for piece in pieces], pa.uint8())
    seen = {Kind(kind) for kind in pc.unique(kinds).to_pylist()}
    if len(values) and seen == {Kind.MISSING}:
        raise MissingColumn(f"no row has the column {name}")
    seen -= {Kind.MISSING, Kind.NULL}
    if not seen:
        return pa.chunked_array([pa.nulls(len(values))])
    if len(seen) > 1 or Kind.NESTED in seen:
        words = " and ".join(_WORDS[kind] for kind in sorted(seen))
        raise ColumnTypeError(
            f"the column {name} holds {words}; it must hold values of one kind. Name a field of an "
            f"object with a dot: {name}.field"
        )
    kind = seen.pop()
    if kind is Kind.FIELD:
        values = pc.if_else(pc.equal(values, ""), None, values)
    *narrower, widest = _TYPES[kind]
    for type_ in narrower:
        try:
            return values.cast(type_)
        except pa.ArrowInvalid:
            continue
    return values.cast(widest)
