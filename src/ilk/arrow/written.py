"""Fingerprints as they are written to files and shown to people."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa

from ilk.arrow.marks import RECIPE_KEY
from ilk.arrow.numbers import fingerprint_type, number, signed
from ilk.arrow.schemas import WIDE, flat


def formatted(table: pa.Table, form: str, bits: int) -> pa.Table:
    """Return the table with its fingerprints of ``bits`` bits in one of ``FORMS``.

    Hexadecimal and binary digits are strings; integers are ``uint64`` or ``int64``, or strings of
    decimal digits for 128 bits, since Arrow and JSON have no such integers.
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
    """Return the table with its fingerprints as they are written to files."""
    return _with_fingerprints(table, stored_values(flat(table["fingerprint"])))


def stored_values(values: pa.Array) -> pa.Array:
    """Return fingerprints as they are written to files: ``int64``, or 16 bytes."""
    return values if values.type == WIDE else signed(values)


def _written(values: pa.Array, form: Callable[[int], str]) -> pa.Array:
    """Return fingerprints as strings, nulls kept."""
    rows = values.to_pylist()
    return pa.array([None if row is None else form(number(row)) for row in rows], pa.string())


def _with_fingerprints(table: pa.Table, values: pa.Array) -> pa.Table:
    """Return the table with other fingerprints, and with its metadata."""
    at = table.schema.get_field_index("fingerprint")
    return table.set_column(at, table.schema.field(at).with_type(values.type), values)


def with_recipe(schema: pa.Schema, recipe: str, bits: int) -> pa.Schema:
    """Return the schema with a fingerprint column of ``bits`` bits, marked with the recipe."""
    at = schema.get_field_index("fingerprint")
    field = schema.field(at).with_type(fingerprint_type(bits))
    return schema.set(at, field.with_metadata({RECIPE_KEY: recipe.encode()}))
