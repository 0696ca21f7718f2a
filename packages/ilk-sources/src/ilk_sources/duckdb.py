"""DuckDB: functions and table macros for a connection, and queries as sources."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from itertools import accumulate
from typing import Any

import pyarrow as pa

import ilk
from ilk import Recipe
from ilk.plugins import MissingExtra, OptionError, arrow
from ilk_sources.databases.reader import Relation
from ilk_sources.databases.registration import register as register_functions

try:
    import duckdb
except ImportError as error:
    raise MissingExtra("duckdb", "sql") from error

__all__ = ["register", "scan"]

_PAIR = pa.schema([("left", pa.int64()), ("right", pa.int64()), ("distance", pa.int64())])

_MEMBER = pa.schema(
    [
        ("row", pa.int64()),
        ("family", pa.int64()),
        ("cluster", pa.int64()),
        ("keeper", pa.int64()),
        ("verdict", pa.string()),
        ("resemblance", pa.float64()),
    ]
)

#: Where these are in what ilk returns.
_COLUMNS = ["keeper_doc" if name == "keeper" else name for name in _MEMBER.names]

#: Their types in SQL.
_TYPES = {pa.int64(): "BIGINT", pa.string(): "VARCHAR", pa.float64(): "DOUBLE"}

#: The rows of a table as one list, in the order of their ids; names of columns are values here.
_LISTED = """
WITH ilk_rows AS (
    SELECT COLUMNS(lambda name: name = column_name) AS ilk_value,
           COLUMNS(lambda name: name = id) AS ilk_id
    FROM query_table(table_name)
), ilk_listed AS MATERIALIZED (
    SELECT list({'id': ilk_id, 'value': ilk_value} ORDER BY ilk_id) AS rows FROM ilk_rows
), ilk_found AS (
    SELECT list_transform(rows, lambda one: one.id) AS ids, unnest(%s) AS found FROM ilk_listed
)
"""

_MACROS = (
    "CREATE OR REPLACE TEMP MACRO ilk_fingerprint(text) AS fingerprint(text)",
    "CREATE OR REPLACE TEMP MACRO near_pairs(table_name, column_name, radius, id := 'id') AS TABLE"
    + _LISTED % "ilk_pairs(list_transform(rows, lambda one: fingerprint_signed(one.value)), radius)"
    + """SELECT ids[found.left + 1] AS left_id, ids[found.right + 1] AS right_id, found.distance
    FROM ilk_found ORDER BY found.left, found.right""",
    "CREATE OR REPLACE TEMP MACRO duplicates(table_name, column_name, id := 'id', "
    "resemblance := 0.8) AS TABLE"
    + _LISTED % "ilk_duplicates(list_transform(rows, lambda one: one.value), resemblance)"
    + """SELECT ids[found.row + 1] AS id, found.family, found.cluster,
           ids[found.keeper + 1] AS keeper, found.verdict, found.resemblance
    FROM ilk_found ORDER BY found.row""",
)


def register(connection: Any, recipe: Recipe | None = None) -> None:
    """Add ilk's functions and table macros to a connection, as long as it is open.

    In addition to those of ``ilk_sources.register``:

    - ``ilk_fingerprint(text)``, the same as ``fingerprint(text)``;
    - ``near_pairs(table, column, radius, id := 'id')``: all pairs of fingerprints within any
      radius: ``left_id``, ``right_id``, ``distance``;
    - ``duplicates(table, column, id := 'id', resemblance := 0.8)``: for texts, a row per row of a
      family of two or more: ``id``, ``family``, ``cluster``, ``keeper`` (an id), ``verdict``
      (``keeper``, or what the row is to it) and ``resemblance``. The least id stays;
    - ``ilk_pairs(fingerprints, radius)`` and ``ilk_duplicates(texts, resemblance)``: the same for
      lists; they return places in the list, from 0.

    Args:
        connection: a ``duckdb`` connection.
        recipe: how to make fingerprints; ``Recipe()`` by default.

    Raises:
        OptionError: the connection is something else, or the recipe has more than 64 bits.
    """
    if not isinstance(connection, duckdb.DuckDBPyConnection):
        raise OptionError(
            f"the connection is a {type(connection).__name__}; it must be a duckdb connection. For "
            "other databases, use ilk_sources.register."
        )
    register_functions(connection, recipe)
    _register_list_function(
        connection,
        "ilk_pairs",
        list_type="BIGINT[]",
        option_type="INTEGER",
        row_schema=_PAIR,
        find_rows=_find_near_pairs,
    )
    _register_list_function(
        connection,
        "ilk_duplicates",
        list_type="VARCHAR[]",
        option_type="DOUBLE",
        row_schema=_MEMBER,
        find_rows=_find_duplicates,
    )
    for macro in _MACROS:
        connection.execute(macro)


def scan(relation: Any) -> Relation:
    """Return a query as a source for ``ilk.deduplicate``, which runs again for every pass.

    So its data, such as remote Parquet files or files in many folders, may be larger than memory.

    Args:
        relation: a relation of n rows (``connection.sql("FROM ...")``), the same rows in the same
            order every time.

    Raises:
        OptionError: it is not a relation.
    """
    if not isinstance(relation, duckdb.DuckDBPyRelation):
        raise OptionError(
            f"the query is a {type(relation).__name__}; give a relation: connection.sql(...)."
        )
    return Relation(relation)


def _find_near_pairs(fingerprints: pa.Array, radius: int) -> pa.Table:
    return ilk.hamming.pairs(arrow.flat(fingerprints), radius).cast(_PAIR)


def _find_duplicates(texts: pa.Array, resemblance: float) -> pa.Table:
    found = ilk.deduplicate(texts, resemblance=resemblance).labels()
    rows = found.append_column("row", pa.arange(0, len(found)))
    members = rows.filter(arrow.flat(rows["family"]).is_valid())
    return members.select(_COLUMNS).rename_columns(_MEMBER.names).cast(_MEMBER)


def _register_list_function(
    connection: Any,
    name: str,
    *,
    list_type: str,
    option_type: str,
    row_schema: pa.Schema,
    find_rows: Callable[[pa.Array, Any], pa.Table],
) -> None:
    """Register a function from a list and an option to a list of rows; null for null."""
    kind = pa.list_(pa.struct(row_schema))

    def function(lists: pa.ChunkedArray, options: pa.ChunkedArray) -> pa.Array:
        asked = zip((one for chunk in lists.chunks for one in chunk), options, strict=True)
        answers = [
            None
            if one.values is None or not given.is_valid
            else find_rows(one.values, given.as_py())
            for one, given in asked
        ]
        ends = accumulate((0 if one is None else len(one) for one in answers), initial=0)
        rows = pa.concat_tables(
            [row_schema.empty_table(), *(one for one in answers if one is not None)]
        )
        arrays = [arrow.flat(column) for column in rows.columns]
        values = pa.StructArray.from_arrays(arrays, fields=list(row_schema))
        nulls = pa.array([one is None for one in answers], pa.bool_())
        offsets = pa.array(list(ends), pa.int32())
        return pa.ListArray.from_arrays(offsets, values, kind, mask=nulls)

    fields = ", ".join(f'"{field.name}" {_TYPES[field.type]}' for field in row_schema)
    with contextlib.suppress(duckdb.InvalidInputException):  # It may exist already.
        connection.remove_function(name)
    connection.create_function(
        name,
        function,
        [list_type, option_type],
        f"STRUCT({fields})[]",
        type="arrow",
        null_handling="special",
    )
