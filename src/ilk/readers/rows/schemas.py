"""Schemas of Arrow data: where the columns stand that are read, and whether two fit together."""

from __future__ import annotations

from functools import reduce
from typing import NamedTuple, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from ilk import columns
from ilk.errors import ColumnTypeError
from ilk.readers.rows.sources import ID, Names, Part, no_column

#: The name of a column, and of the fields that lead into it.
Steps: TypeAlias = tuple[str, ...]

_BETWEEN = pa.scalar("\n\n", pa.large_string())


class Places(NamedTuple):
    """Where the texts stand, and the id."""

    source: str
    texts: tuple[Steps, ...]
    id: Steps | None

    def paths(self) -> list[str]:
        """The columns to read, as Parquet names them."""
        return [".".join(steps) for steps in {*self.texts, *([self.id] if self.id else [])}]

    def part(self, rows: pa.Array, batch: pa.RecordBatch) -> Part:
        """The texts and ids of some rows, of which these are the numbers and the columns.

        Raises:
            ColumnTypeError: a text is no text, or an id cannot be spelled.
        """
        found = [_text(value(batch, steps), ".".join(steps)) for steps in self.texts]
        texts = reduce(_put_together, found)
        ids = pa.nulls(len(batch), pa.string())
        if self.id is not None:
            ids = _spelled(value(batch, self.id), ".".join(self.id))
        return Part(rows, texts, ids)


def places(source: str, schema: pa.Schema, names: Names) -> Places:
    """Find the columns.

    Raises:
        ColumnTypeError: there is no such column, or there are two.
    """
    row_id = names.id or (ID if ID in schema.names else None)
    return Places(
        source,
        tuple(place(source, schema, name) for name in names.texts),
        None if row_id is None else place(source, schema, row_id),
    )


def place(source: str, schema: pa.Schema, name: str) -> Steps:
    """Find a column. A dot in a name stands for itself or for a step; the longer name counts.

    Raises:
        ColumnTypeError: there is none, or there are two.
    """
    steps: list[str] = []
    fields, rest = list(schema), name
    while True:
        there = [field for field in fields if _leads(field.name, rest)]
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


def _leads(key: str, name: str) -> bool:
    return key == name or name.startswith(key + ".")


def value(batch: pa.RecordBatch, steps: Steps) -> pa.Array:
    """The values that stand at a place; null where a step leads nowhere."""
    column = batch.column(batch.schema.get_field_index(steps[0]))
    return pc.struct_field(column, list(steps[1:])) if len(steps) > 1 else column


def _text(column: pa.Array, name: str) -> pa.LargeStringArray:
    try:
        return columns.flat(columns.texts(column))
    except ColumnTypeError as error:
        raise ColumnTypeError(f"the column {name}: {error}") from error


def _put_together(one: pa.LargeStringArray, two: pa.LargeStringArray) -> pa.LargeStringArray:
    """Texts row by row, a blank line between; where one is null the other, if any."""
    return pc.coalesce(pc.binary_join_element_wise(one, two, _BETWEEN), one, two)


def _spelled(column: pa.Array, name: str) -> pa.StringArray:
    try:
        return columns.flat(column.cast(pa.string()))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise ColumnTypeError(
            f"the column {name} of ids is of {column.type}, which cannot be spelled; name another "
            "one by id= (--id)."
        ) from error


def filtered(batch: pa.RecordBatch, mask: pa.BooleanArray) -> pa.RecordBatch:
    """The rows for which the mask is true.

    pyarrow picks nothing out of columns of views, so those are no views meanwhile.
    """
    plain = pa.schema([field.with_type(without_views(field.type)) for field in batch.schema])
    if plain == batch.schema:
        return batch.filter(mask)
    return batch.cast(plain).filter(mask).cast(batch.schema)


def without_views(kind: pa.DataType) -> pa.DataType:
    """The type of the same values that has none of Arrow's views, wherever they stand in it."""
    if pa.types.is_string_view(kind):
        return pa.large_string()
    if pa.types.is_binary_view(kind):
        return pa.large_binary()
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(without_views(field.type)) for field in kind.fields])
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(without_views(kind.value_type)))
    if pa.types.is_large_list(kind):
        return pa.large_list(kind.value_field.with_type(without_views(kind.value_type)))
    return kind


def unlike(schema: pa.Schema, other: pa.Schema) -> str | None:
    """What is different in another schema; None if its rows fit behind those of this one."""
    if schema.names != other.names:
        return f"its columns are {', '.join(other.names)}, not {', '.join(schema.names)}"
    for one, two in zip(schema, other, strict=True):
        if (one.type, one.nullable) != (two.type, two.nullable):
            return f"its column {_told(two)}, not {_told(one)}"
    return None


def _told(field: pa.Field) -> str:
    return f"{field.name} is {field.type}" + ("" if field.nullable else " not null")
