"""Columns of fingerprints in every form that they may have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from ilk import arrow
from tests.support import strategies

Values = list[int | None]


def _wide(values: Values) -> list[bytes | None]:
    return [None if value is None else value.to_bytes(16) for value in values]


def _chunked(values: list[Any], kind: pa.DataType) -> pa.ChunkedArray:
    return pa.chunked_array([pa.array(values[:3], kind), pa.array(values[3:], kind)])


#: By width: the same fingerprints in every form that a column of them may have.
FORMS: dict[int, dict[str, Callable[[Values], Any]]] = {
    64: {
        "list": list,
        "tuple": tuple,
        "unsigned": lambda values: pa.array(values, pa.uint64()),
        "signed": lambda values: arrow.reinterpret_as_signed(pa.array(values, pa.uint64())),
        "chunked": lambda values: _chunked(values, pa.uint64()),
        "sliced": lambda values: pa.array([7, *values, 7], pa.uint64()).slice(1, len(values)),
    },
    128: {
        "list": _wide,
        "tuple": lambda values: tuple(_wide(values)),
        "bytes": lambda values: pa.array(_wide(values), pa.binary(16)),
        "chunked": lambda values: _chunked(_wide(values), pa.binary(16)),
        "sliced": lambda values: pa.array(
            [bytes(16), *_wide(values), bytes(16)], pa.binary(16)
        ).slice(1, len(values)),
    },
}


@dataclass(frozen=True)
class Column:
    """Fingerprints as numbers, and as they are handed over."""

    values: Values
    given: Any


@st.composite
def joined(draw: st.DrawFn, sides: int = 1) -> tuple[list[Column], int]:
    """Columns of one width, and a radius."""
    bits = draw(st.sampled_from(sorted(FORMS)))
    value = strategies.fingerprints_of(bits)
    rows = st.lists(st.one_of(value, value, st.none()), max_size=40)
    made = []
    for _ in range(sides):
        values = draw(rows)
        form = draw(st.sampled_from(sorted(FORMS[bits])))
        made.append(Column(values, FORMS[bits][form](values)))
    return made, draw(st.integers(0, bits))


def listed(table: pa.Table) -> list[tuple[int, int, int]]:
    assert [table.schema.field(side).type for side in ("left", "right")] == [pa.int64()] * 2
    assert table.schema.field("distance").type == pa.uint8()
    return list(zip(*(column.to_pylist() for column in table.columns), strict=True))
