"""Schemas of Arrow data: where the columns to read are, and whether two schemas fit together."""

from __future__ import annotations

from functools import reduce
from typing import NamedTuple, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from ilk import arrow
from ilk.base.errors import ColumnTypeError
from ilk.read.rows.sources import ID, Names, Part, no_column

#: The name of a column, and of the fields that lead into it.
Steps: TypeAlias = tuple[str, ...]

_BETWEEN = pa.scalar("\n\n", pa.large_string())


class Places(NamedTuple):
    """The places of the texts, and of the id."""

    texts: tuple[Steps, ...]
    id: Steps | None

    def paths(self) -> list[str]:
        """Return the columns to read, by their names in Parquet."""
        return [".".join(steps) for steps in {*self.texts, *([self.id] if self.id else [])}]

    def part(self, rows: pa.Array, batch: pa.RecordBatch) -> Part:
        """Return the texts and ids of a batch of rows, whose numbers are ``rows``.

        ColumnTypeError if a text is not a text, or an id cannot be written as a string.
        """
        texts = reduce(_put_together, (_text(batch, steps) for steps in self.texts))
        ids = pa.nulls(len(batch), pa.string()) if self.id is None else _spelled(batch, self.id)
        return Part(rows, texts, ids)


def places(source: str, schema: pa.Schema, names: Names) -> Places:
    """Find the columns, each as ``place`` does."""
    row_id = names.id or (ID if ID in schema.names else None)
    return Places(
        tuple(place(source, schema, name) for name in names.texts),
        None if row_id is None else place(source, schema, row_id),
    )


def place(source: str, schema: pa.Schema, name: str) -> Steps:
    """Find a column; ColumnTypeError if it does not exist, or there are two.

    A dot in a name means itself or a step; the longer name counts.
    """
    steps: list[str] = []
    fields, rest = list(schema), name
    while True:
        there = [f for f in fields if f.name == rest or rest.startswith(f.name + ".")]
        if not there:
            raise no_column(source, name, schema.names)
        longest = max(len(field.name) for field in there)
        field, *others = (field for field in there if len(field.name) == longest)
        if others:
            raise ColumnTypeError(
                f"{source or 'the table'} has {1 + len(others)} columns named {field.name}; "
                "rename all but one."
            )
        steps.append(field.name)
        rest = rest[longest + 1 :]
        if not rest and len(name) == len(".".join(steps)):
            return tuple(steps)
        if not pa.types.is_struct(field.type):
            raise no_column(source, name, schema.names)
        fields = list(field.type.fields)


def value(batch: pa.RecordBatch, steps: Steps) -> pa.Array:
    """Return the values at a place; null if a step leads nowhere."""
    column = batch.column(batch.schema.get_field_index(steps[0]))
    return pc.struct_field(column, list(steps[1:])) if len(steps) > 1 else column


def _text(batch: pa.RecordBatch, steps: Steps) -> pa.LargeStringArray:
    try:
        return arrow.flat(arrow.texts(value(batch, steps)))
    except ColumnTypeError as error:
        raise ColumnTypeError(f"the column {'.'.join(steps)}: {error}") from error


def _put_together(left: pa.LargeStringArray, right: pa.LargeStringArray) -> pa.LargeStringArray:
    """Join texts row by row, with a blank line between them; if one is null, take the other, if
    any.
    """
    return pc.coalesce(pc.binary_join_element_wise(left, right, _BETWEEN), left, right)


def _spelled(batch: pa.RecordBatch, steps: Steps) -> pa.StringArray:
    column = value(batch, steps)
    try:
        return arrow.flat(column.cast(pa.string()))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise ColumnTypeError(
            f"the column {'.'.join(steps)} of ids is of type {column.type}, which cannot be an id; "
            "name another one with `id`."
        ) from error


def filtered(batch: pa.RecordBatch, mask: pa.BooleanArray) -> pa.RecordBatch:
    """Return the rows for which the mask is true.

    pyarrow cannot filter columns of views, so they are converted in the meantime.
    """
    plain = pa.schema([field.with_type(without_views(field.type)) for field in batch.schema])
    if plain == batch.schema:
        return batch.filter(mask)
    return batch.cast(plain).filter(mask).cast(batch.schema)


def without_views(kind: pa.DataType) -> pa.DataType:
    """Return the type of the same values without Arrow's views, at any depth."""
    if pa.types.is_string_view(kind):
        return pa.large_string()
    if pa.types.is_binary_view(kind):
        return pa.large_binary()
    if pa.types.is_dictionary(kind):
        return pa.dictionary(kind.index_type, without_views(kind.value_type), kind.ordered)
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(without_views(field.type)) for field in kind.fields])
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(without_views(kind.value_type)))
    if pa.types.is_large_list(kind):
        return pa.large_list(kind.value_field.with_type(without_views(kind.value_type)))
    return kind


def unlike(schema: pa.Schema, other: pa.Schema) -> str | None:
    """Return how another schema differs; None if its rows fit after those of this one."""
    if schema.names != other.names:
        return f"its columns are {', '.join(other.names)}, not {', '.join(schema.names)}"
    for left, right in zip(schema, other, strict=True):
        if (left.type, left.nullable) != (right.type, right.nullable):
            return f"its column {_described(right)}, not {_described(left)}"
    return None


def _described(field: pa.Field) -> str:
    return f"{field.name} is {field.type}" + ("" if field.nullable else " not null")
