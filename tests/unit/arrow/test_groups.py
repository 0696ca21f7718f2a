"""Rows with the same name, as a dictionary would find them."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from ilk import arrow

_NAMES = st.lists(st.integers(0, 5))


@given(_NAMES, st.integers(0, 40))
def test_each_row_has_the_first_of_its_name_and_their_number(names: list[int], cut: int) -> None:
    """Also where the column is in pieces."""
    column = pa.chunked_array([names[:cut], names[cut:]], pa.int64())
    assert arrow.first_rows_with_same_name(column).to_pylist() == [
        names.index(name) for name in names
    ]
    assert arrow.count_rows_with_same_name(column).to_pylist() == [
        names.count(name) for name in names
    ]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.none() | st.integers(-3, 3))))
def test_each_row_has_the_greatest_value_of_its_name(rows: list[tuple[str, int | None]]) -> None:
    """Without those that are null."""
    names, values = ([row[at] for row in rows] for at in (0, 1))
    known = {
        name: max(
            (value for other, value in rows if other == name and value is not None), default=None
        )
        for name in names
    }
    found = arrow.greatest_values_with_same_name(
        pa.array(names, pa.string()), pa.array(values, pa.int64())
    )
    assert found.to_pylist() == [known[name] for name in names]
